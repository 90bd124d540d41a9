//! Compounds in snapshots.

use super::{Compound, CompoundChild};
use crate::body::store::{load_pose, save_pose};
use crate::error::Result;
use crate::record::stream::{Sink, Source};
use crate::shape::{Bvh, Shape};

impl Compound {
    /// `shapes` are the numbers under which the shapes of the children are found again.
    pub(crate) fn save(&self, out: &mut impl Sink, shapes: &[u32]) {
        let Self { children, bvh } = self;
        out.u32(children.len() as u32);
        for (child, &number) in children.iter().zip(shapes) {
            let CompoundChild { shape: _, pose, material, density } = child;
            out.u32(number);
            save_pose(pose, out);
            out.u32(u32::from(*material));
            out.bool(density.is_some());
            if let Some(density) = density {
                out.f64(*density);
            }
        }
        bvh.save(out);
    }

    /// `shapes` are those known so far: a compound comes after its children.
    pub(crate) fn load(source: &mut Source<'_>, shapes: &[Shape]) -> Result<Self> {
        let mut children = Vec::new();
        for _ in 0..source.count(9)? {
            let shape = match shapes.get(source.u32()? as usize) {
                // Compounds inside compounds are taken apart when they are made.
                Some(shape) if !matches!(shape, Shape::Compound(_)) => shape.clone(),
                _ => return Err(source.corrupt("the children of a compound")),
            };
            let pose = load_pose(source)?;
            let Ok(material) = u16::try_from(source.u32()?) else {
                return Err(source.corrupt("the materials of a compound"));
            };
            let density = if source.bool()? { Some(source.f64()?) } else { None };
            if density.is_some_and(|d| !(d >= 0.0 && d.is_finite())) {
                return Err(source.corrupt("the density of a compound"));
            }
            children.push(CompoundChild { shape, pose, material, density });
        }
        if children.is_empty() {
            return Err(source.corrupt("the children of a compound"));
        }
        let bvh = Bvh::load(source, children.len() as u32)?;
        Ok(Self { children, bvh })
    }
}
