//! Shapes as text.

use super::exact;
use super::value::{Inline, list, quat, real, vector};
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble::math::{Pose, Quat, Real, Vec3};
use tumble::shape::{HalfSpace, Shape, Sides};

/// Large shapes, each said once under a name.
#[derive(Default)]
pub struct Shapes {
    /// By address.
    names: BTreeMap<usize, String>,
    /// Their tables.
    pub text: String,
}

impl Shapes {
    /// The key and value that say a shape; large ones by name.
    pub fn entry(&mut self, shape: &Shape) -> Result<(&'static str, String), String> {
        let address = match shape {
            Shape::Hull(s) => Arc::as_ptr(s).addr(),
            Shape::Mesh(s) => Arc::as_ptr(s).addr(),
            Shape::HeightField(s) => Arc::as_ptr(s).addr(),
            Shape::Compound(s) => Arc::as_ptr(s).addr(),
            _ => return self.plain(shape),
        };
        if let Some(name) = self.names.get(&address) {
            return Ok(("shape", format!("\"{name}\"")));
        }
        let (key, value) = self.plain(shape)?;
        let name = format!("shape-{}", self.names.len() + 1);
        self.text += &format!("[shape.{name}]\n{key} = {value}\n\n");
        let reference = format!("\"{name}\"");
        self.names.insert(address, name);
        Ok(("shape", reference))
    }

    fn plain(&mut self, shape: &Shape) -> Result<(&'static str, String), String> {
        let double = |v: Real| real(v + v);
        let round = |half: Real, radius: Real| {
            let mut table = Inline::default();
            table.set("length", double(half)).set("radius", real(radius));
            table.table()
        };
        Ok(match shape {
            Shape::Sphere(s) => ("sphere", real(s.radius())),
            Shape::Cuboid(s) => ("box", vector(s.half_extents() * 2.0)),
            Shape::Capsule(s) => ("capsule", round(s.half_length(), s.radius())),
            Shape::Cylinder(s) => ("cylinder", round(s.half_height(), s.radius())),
            Shape::Cone(s) => ("cone", round(s.half_height(), s.radius())),
            Shape::HalfSpace(s) => {
                if s.normal() == Vec3::Y && s.offset().to_bits() == 0 {
                    return Ok(("half_space", "\"y\"".to_owned()));
                }
                let offset = s.offset();
                let normal = exact::direction(s.normal(), |n| Some(HalfSpace::new(n, offset).ok()?.normal()));
                let mut table = Inline::default();
                table.set("normal", vector(normal)).set("offset", real(offset));
                ("half_space", table.table())
            }
            Shape::Rectangle(s) => ("rectangle", list([double(s.half_x()), double(s.half_z())])),
            Shape::Hull(s) => ("hull", points(s.vertices())),
            Shape::Mesh(s) => {
                let desc = s.desc();
                let mut table = Inline::default();
                table.set("vertices", points(&desc.vertices));
                table.set("triangles", list(desc.triangles.iter().map(|t| list(t.map(|i| i.to_string())))));
                if desc.sides == Sides::Two {
                    table.set("sides", "\"two\"");
                }
                if !desc.materials.is_empty() {
                    table.set("materials", list(desc.materials.iter().map(u16::to_string)));
                }
                ("mesh", table.table())
            }
            Shape::HeightField(s) => {
                let desc = s.desc();
                let mut table = Inline::default();
                table.set("rows", desc.rows.to_string()).set("columns", desc.columns.to_string());
                table.set("size", list([real(desc.size_x), real(desc.size_z)]));
                table.set("heights", list(desc.heights.iter().map(|h| real(*h))));
                if !desc.holes.is_empty() {
                    table.set("holes", list(desc.holes.iter().map(bool::to_string)));
                }
                if !desc.materials.is_empty() {
                    table.set("materials", list(desc.materials.iter().map(u16::to_string)));
                }
                table.set("flat_angle", real(desc.flat_angle));
                ("height_field", table.table())
            }
            Shape::Compound(s) => {
                let mut children = Vec::new();
                for child in s.children() {
                    let (key, value) = self.entry(&child.shape)?;
                    let mut table = Inline::default();
                    table.set(key, value);
                    add_pose(&child.pose, &mut table);
                    if child.material != 0 {
                        table.set("slot", child.material.to_string());
                    }
                    if let Some(density) = child.density {
                        table.set("density", super::value::number(density));
                    }
                    children.push(format!("\n    {}", table.table()));
                }
                ("compound", format!("[{},\n]", children.join(",")))
            }
            _ => return Err("a shape of a kind that no file can say".to_owned()),
        })
    }
}

fn points(points: &[Vec3]) -> String {
    list(points.iter().map(|p| vector(*p)))
}

/// `at` and `rotation`, where they move anything, of what the engine takes as it is given.
pub fn add_pose(pose: &Pose, table: &mut Inline) {
    table.vector("at", pose.translation);
    if turns(pose.rotation) {
        table.set("rotation", quat(pose.rotation));
    }
}

/// `rotation` of what the engine normalises.
pub fn add_rotation(rotation: Quat, table: &mut Inline) {
    if turns(rotation) {
        table.set("rotation", quat(exact::rotation(rotation)));
    }
}

fn turns(rotation: Quat) -> bool {
    let bits = [rotation.x, rotation.y, rotation.z, rotation.w].map(Real::to_bits);
    bits != [0.0, 0.0, 0.0, 1.0].map(Real::to_bits)
}
