//! The shapes of a world, each stored once.
//!
//! Any number of colliders share one mesh. Shapes that are one in memory are found by their address, equal ones by their
//! bytes; so a restored world, in which equal shapes are one, has the same snapshot and the same hash.

use super::kinds::Kinds;
use super::stream::{Sink, Source};
use crate::error::Result;
use crate::math::Vec3;
use crate::shape::{
    Capsule, Compound, Cone, Cuboid, Cylinder, HalfSpace, HeightField, Hull, Mesh, Rectangle, Shape, Sphere,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Shapes by number, as bytes.
pub(super) struct ShapeTable {
    kinds: Kinds,
    /// Of shapes that were not seen lately: what is large is not written again to find out that it is known.
    by_address: HashMap<u64, u32>,
}

impl ShapeTable {
    pub fn new() -> Self {
        Self { kinds: Kinds::new(), by_address: HashMap::new() }
    }

    /// The number of a shape, which is taken up if it is new.
    #[inline]
    pub fn number(&mut self, shape: &Shape) -> u32 {
        let Some(address) = address(shape) else {
            return self.kinds.number_of(|bytes| save(shape, &[], bytes));
        };
        self.kinds.recall([address, 0, 0]).unwrap_or_else(|| self.number_at(address, shape))
    }

    /// The number of the shape at an address.
    fn number_at(&mut self, address: u64, shape: &Shape) -> u32 {
        let known = self.by_address.get(&address).copied();
        let number = known.unwrap_or_else(|| {
            let children: Vec<u32> = match shape {
                Shape::Compound(c) => c.children().iter().map(|c| self.number(&c.shape)).collect(),
                _ => Vec::new(),
            };
            let number = self.kinds.number_of(|bytes| save(shape, &children, bytes));
            self.by_address.insert(address, number);
            number
        });
        self.kinds.note([address, 0, 0], number);
        number
    }

    pub fn save(&self, out: &mut impl Sink) {
        out.u32(self.kinds.len() as u32);
        out.bytes(self.kinds.bytes());
    }
}

/// The shapes that [`ShapeTable::save`] wrote, by number.
pub(super) fn load_all(source: &mut Source<'_>) -> Result<Vec<Shape>> {
    let count = source.count(1)?;
    let mut shapes = Vec::new();
    for _ in 0..count {
        let shape = load(source, &shapes)?;
        shapes.push(shape);
    }
    Ok(shapes)
}

/// Where a shape is, if several can be the same one.
fn address(shape: &Shape) -> Option<u64> {
    match shape {
        Shape::Hull(s) => Some(Arc::as_ptr(s).addr() as u64),
        Shape::Mesh(s) => Some(Arc::as_ptr(s).addr() as u64),
        Shape::HeightField(s) => Some(Arc::as_ptr(s).addr() as u64),
        Shape::Compound(s) => Some(Arc::as_ptr(s).addr() as u64),
        Shape::Sphere(_)
        | Shape::Cuboid(_)
        | Shape::Capsule(_)
        | Shape::Cylinder(_)
        | Shape::Cone(_)
        | Shape::HalfSpace(_)
        | Shape::Rectangle(_) => None,
    }
}

fn save(shape: &Shape, children: &[u32], out: &mut impl Sink) {
    match shape {
        Shape::Sphere(s) => {
            out.u8(0);
            out.real(s.radius());
        }
        Shape::Cuboid(s) => {
            out.u8(1);
            out.vec3(s.half_extents());
        }
        Shape::Capsule(s) => {
            out.u8(2);
            out.real(s.half_length());
            out.real(s.radius());
        }
        Shape::Cylinder(s) => {
            out.u8(3);
            out.real(s.half_height());
            out.real(s.radius());
        }
        Shape::Cone(s) => {
            out.u8(4);
            out.real(s.half_height());
            out.real(s.radius());
        }
        Shape::Hull(s) => {
            out.u8(5);
            s.save(out);
        }
        Shape::HalfSpace(s) => {
            out.u8(6);
            out.vec3(s.normal());
            out.real(s.offset());
        }
        Shape::Rectangle(s) => {
            out.u8(7);
            out.real(s.half_x());
            out.real(s.half_z());
        }
        Shape::Mesh(s) => {
            out.u8(8);
            s.save(out);
        }
        Shape::HeightField(s) => {
            out.u8(9);
            s.save(out);
        }
        Shape::Compound(s) => {
            out.u8(10);
            s.save(out, children);
        }
    }
}

fn load(source: &mut Source<'_>, known: &[Shape]) -> Result<Shape> {
    Ok(match source.u8()? {
        0 => Shape::Sphere(Sphere::new(source.real()?)?),
        1 => Shape::Cuboid(Cuboid::new(source.vec3()?)?),
        2 => Shape::Capsule(Capsule::new(source.real()?, source.real()?)?),
        3 => Shape::Cylinder(Cylinder::new(source.real()?, source.real()?)?),
        4 => Shape::Cone(Cone::new(source.real()?, source.real()?)?),
        5 => Shape::Hull(Arc::new(Hull::load(source)?)),
        6 => {
            let (normal, offset): (Vec3, _) = (source.vec3()?, source.real()?);
            Shape::HalfSpace(HalfSpace::from_unit(normal, offset).ok_or_else(|| source.corrupt("a half-space"))?)
        }
        7 => Shape::Rectangle(Rectangle::new(source.real()?, source.real()?)?),
        8 => Shape::Mesh(Arc::new(Mesh::load(source)?)),
        9 => Shape::HeightField(Arc::new(HeightField::load(source)?)),
        10 => Shape::Compound(Arc::new(Compound::load(source, known)?)),
        _ => return Err(source.corrupt("a shape")),
    })
}
