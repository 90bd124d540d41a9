//! Meshes in snapshots: with all that was worked out when they were made, since to do it again would take longer than to
//! simulate on.

use super::{Mesh, Sides};
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Vec3};
use crate::record::stream::{Sink, Source, save_pods};
use crate::shape::Bvh;
use crate::shape::adjacency::{Adjacency, EdgeKind, inner_edges};
use crate::shape::bvh::WideTree;
use crate::shape::mesh_edges::check_triangles;
use crate::shape::polyhedron_mass::Solid;

impl Mesh {
    pub(crate) fn save(&self, out: &mut impl Sink) {
        let Self {
            vertices,
            triangles,
            normals,
            adjacency,
            materials,
            sides,
            bvh,
            wide: _,
            inner_edges: _,
            volume,
            vertex_normals,
            inner_sphere,
        } = self;
        save_pods(out, vertices);
        save_pods(out, triangles);
        save_pods(out, normals);
        for a in adjacency {
            for edge in 0..3 {
                out.u32(a.neighbour(edge).unwrap_or(u32::MAX));
                out.u8(a.kinds[edge] as u8);
            }
        }
        save_pods(out, materials);
        out.bool(*sides == Sides::Two);
        bvh.save(out);
        out.bool(volume.is_ok());
        match volume {
            Ok(solid) => solid.save(out),
            Err(Error::Geometry { problem, .. }) => out.str(problem),
            Err(other) => out.str(&other.to_string()),
        }
        save_pods(out, vertex_normals);
        out.vec3(inner_sphere.0);
        out.real(inner_sphere.1);
    }

    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let vertices: Vec<Vec3> = source.pods()?;
        let triangles: Vec<[u32; 3]> = source.pods()?;
        check_triangles("mesh", &vertices, &triangles)?;
        let count = triangles.len();
        let normals: Vec<Vec3> = source.pods()?;
        let mut adjacency = vec![Adjacency::ALONE; count];
        for a in &mut adjacency {
            for edge in 0..3 {
                let (neighbour, kind) = (source.u32()?, source.u8()?);
                let kind = match kind {
                    0 => EdgeKind::Boundary,
                    1 => EdgeKind::Convex,
                    2 => EdgeKind::Flat,
                    3 => EdgeKind::Concave,
                    _ => return Err(source.corrupt("an edge of a mesh")),
                };
                if neighbour != u32::MAX && neighbour as usize >= count {
                    return Err(source.corrupt("an edge of a mesh"));
                }
                a.set(edge, neighbour, kind);
            }
        }
        let materials: Vec<u16> = source.pods()?;
        let sides = if source.bool()? { Sides::Two } else { Sides::One };
        let bvh = Bvh::load(source, count as u32)?;
        let volume =
            if source.bool()? { Ok(Solid::load(source)?) } else { Err(Error::geometry("mesh", source.str()?)) };
        let vertex_normals: Vec<Vec3> = source.pods()?;
        let inner_sphere = (source.vec3()?, source.real()?);
        let corners = |t: u32| triangles[t as usize].map(|i| vertices[i as usize]);
        let mesh = Self {
            wide: WideTree::new(&bvh, |t| Aabb::of_points(corners(t))),
            inner_edges: adjacency.iter().map(inner_edges).collect(),
            vertices,
            triangles,
            normals,
            adjacency,
            materials,
            sides,
            bvh,
            volume,
            vertex_normals,
            inner_sphere,
        };
        let sound = mesh.normals.len() == count
            && (mesh.materials.is_empty() || mesh.materials.len() == count)
            && mesh.vertex_normals.len() == if mesh.is_solid() { mesh.vertices.len() } else { 0 }
            && mesh.normals.iter().chain(&mesh.vertex_normals).all(|n| n.is_finite())
            && mesh.inner_sphere.0.is_finite()
            && mesh.inner_sphere.1.to_f64().is_finite();
        if sound { Ok(mesh) } else { Err(source.corrupt("a mesh")) }
    }
}
