//! What scenes of things that stand and fall share: floors, and checks of how far things have moved.

use crate::error::Result;
use crate::{Reading, Stage};
use tumble::math::{Point, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, ColliderDesc, Material, World};

/// Sets the length of the tolerances to the size of the things on stage.
pub fn tune(stage: &mut Stage, length: f64) -> Result<()> {
    stage.engine(|world| {
        let mut method = world.method().clone();
        method.tolerances.length = length as Real;
        world.set_method(method)
    })
}

/// A level floor at height 0, of this material.
pub fn floor(stage: &mut Stage, material: Material) -> Result<BodyId> {
    stage.engine(|world| {
        let shape = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0)?).material(material);
        world.add_body(BodyDesc::fixed().name("floor").collider(shape))
    })
}

/// Things, and where they were put.
#[derive(Clone, Debug, Default)]
pub struct Things {
    pub ids: Vec<BodyId>,
    pub start: Vec<Point>,
}

impl Things {
    /// Adds a thing of one shape to the stage.
    pub fn add(&mut self, stage: &mut Stage, desc: BodyDesc, shape: Shape, material: Material) -> Result<BodyId> {
        let desc = desc.collider(ColliderDesc::new(shape).material(material));
        let (id, at) = stage.engine(|world| {
            let id = world.add_body(desc)?;
            Ok((id, world.body(id)?.position()))
        })?;
        self.ids.push(id);
        self.start.push(at);
        Ok(id)
    }

    /// How far the farthest has moved, as a multiple of `size`, against `bound`.
    pub fn moved(&self, world: &World, size: f64, bound: f64) -> Option<Reading> {
        let far = |(id, start): (&BodyId, &Point)| {
            world.body(*id).map_or(f64::NAN, |b| (b.position() - *start).length() / size)
        };
        let all = self.ids.iter().zip(&self.start).map(far);
        all.map(|d| Reading::at_most(d, bound)).reduce(Reading::or_worse)
    }

    /// The same sideways only.
    pub fn strayed(&self, world: &World, size: f64, bound: f64) -> Option<Reading> {
        let far = |(id, start): (&BodyId, &Point)| {
            let d = world.body(*id).map_or(Point::all(f64::NAN), |b| b.position() - *start);
            (d.x * d.x + d.z * d.z).sqrt() / size
        };
        let all = self.ids.iter().zip(&self.start).map(far);
        all.map(|d| Reading::at_most(d, bound)).reduce(Reading::or_worse)
    }

    /// How many are awake; none should be.
    pub fn awake(&self, world: &World) -> Option<Reading> {
        let awake = self.ids.iter().filter(|&&id| !world.body(id).is_ok_and(|b| b.is_asleep())).count();
        Some(Reading::at_most(awake as f64, 0.0))
    }
}
