//! Hulls in snapshots: their faces as they were found, since to search for them again could join other faces.

use super::{Hull, HullFace};
use crate::error::Result;
use crate::math::{Float, Vec3};
use crate::record::stream::{Sink, Source, save_pods};
use crate::shape::hull_climb::Climb;

impl Hull {
    pub(crate) fn save(&self, out: &mut impl Sink) {
        // What is left out follows from the rest; see `Hull::from_planes`.
        let Self {
            vertices,
            faces,
            edges,
            vertex_edges: _,
            mass: _,
            inner: _,
            reach: _,
            sharpest: _,
            scan: _,
            planes: _,
            ribs: _,
            climb,
            fans: _,
        } = self;
        save_pods(out, vertices);
        out.u32(faces.len() as u32);
        for face in faces {
            let HullFace { normal, offset: _, first_edge: _, edge_count } = face;
            out.vec3(*normal);
            out.u32(*edge_count);
        }
        for edge in edges {
            out.u32(edge.origin);
        }
        out.bool(climb.is_some());
        if let Some(climb) = climb {
            climb.save(out);
        }
    }

    /// The hull as it was, or an error where its faces do not close.
    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let vertices: Vec<Vec3> = source.pods()?;
        let mut planes = Vec::new();
        for _ in 0..source.count(4)? {
            planes.push((source.vec3()?, source.u32()? as usize));
        }
        let mut origins = Vec::new();
        for &(_, count) in &planes {
            for _ in 0..count {
                origins.push(source.u32()?);
            }
        }
        let unit = |n: Vec3| (n.to_f64().length_squared() - 1.0).abs() < 1e-5;
        if !vertices.iter().all(|v| v.is_finite())
            || !planes.iter().all(|&(normal, count)| unit(normal) && count >= 3)
            || !origins.iter().all(|&v| (v as usize) < vertices.len())
        {
            return Err(source.corrupt("a hull"));
        }
        let mut start = 0;
        let loops: Vec<(&[u32], Vec3)> = planes
            .iter()
            .map(|&(normal, count)| {
                start += count;
                (&origins[start - count..start], normal)
            })
            .collect();
        let climb = if source.bool()? { Some(Climb::load(source, &vertices)?) } else { None };
        let hull = Self::from_planes(vertices, loops.iter().copied());
        let mass = &hull.mass;
        let sound = hull.is_sound()
            && mass.mass > 0.0
            && mass.mass.is_finite()
            && mass.centre.is_finite()
            && mass.inertia.is_finite()
            && hull.inner.0.is_finite()
            && hull.reach.to_f64().is_finite();
        if sound { Ok(hull.with_climb(climb)) } else { Err(source.corrupt("a hull")) }
    }
}
