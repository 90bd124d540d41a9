//! Shapes of a file.

use super::super::forms::{CHILD, HALF_SPACE, HEIGHT_FIELD, MESH, ROUND, SHAPE};
use super::super::record::{Record, wrong};
use super::super::text::{Fault, Item, Node, Read};
use super::super::units::Dimension;
use super::Assembly;
use crate::mesh::{PartsOptions, TriangleMesh};
use crate::names::missing;
use tumble::math::{Float, Pose, Quat, Real, Vec3};
use tumble::shape::{CompoundChild, HeightFieldDesc, MeshDesc, Shape, Sides};

/// Whole lengths, as the file has them: the engine would speak of halves.
fn positive(node: &Node, what: &str, lengths: &[f64]) -> Read<()> {
    let is_one = |length: f64| Real::from_f64(0.5 * length) > 0.0 && Real::from_f64(length).is_finite();
    match lengths.iter().find(|length| !is_one(**length)) {
        Some(wrong) => {
            let got = crate::figure::Exact(*wrong);
            Err(Fault::new(node.at, format!("{what} must be positive and finite, got {got}")))
        }
        None => Ok(()),
    }
}

impl Assembly<'_> {
    /// The shape that a table names by exactly one key; `None` where it names none.
    pub fn shape_in(&mut self, record: &Record<'_>) -> Read<Option<Shape>> {
        let mut keys = record.entries.iter().filter(|e| SHAPE.find(&e.key).is_some());
        let Some(entry) = keys.next() else { return Ok(None) };
        if let Some(second) = keys.next() {
            let message =
                format!("{:?} is a second shape beside {:?}; several stand in `colliders`", second.key, entry.key);
            return Err(Fault::new(second.at, message));
        }
        let (node, at) = (&entry.node, entry.node.at);
        let half = |value: f64| Real::from_f64(0.5 * value);
        let shape = match entry.key.as_str() {
            "box" => {
                let size = record.scope.sizes(node)?;
                positive(node, "the lengths of a box", &size.to_array())?;
                Shape::cuboid(half(size.x), half(size.y), half(size.z))
            }
            "sphere" => Shape::sphere(record.scope.real(node, Dimension::LENGTH)?),
            key @ ("capsule" | "cylinder" | "cone") => {
                let round = Record::open(node, &ROUND, record.scope)?;
                let length = round.needed("length")?;
                let long = round.scope.quantity(length, Dimension::LENGTH)?;
                // A capsule without a length is a ball.
                if !(key == "capsule" && long == 0.0) {
                    positive(length, &format!("the length of a {key}"), &[long])?;
                }
                let length = half(long);
                let radius = round.scope.real(round.needed("radius")?, Dimension::LENGTH)?;
                match key {
                    "capsule" => Shape::capsule(length, radius),
                    "cylinder" => Shape::cylinder(length, radius),
                    _ => Shape::cone(length, radius),
                }
            }
            "half_space" => {
                let (mut normal, mut offset) = (Vec3::Y, 0.0);
                if let Item::Table(_) = node.item {
                    let plane = Record::open(node, &HALF_SPACE, record.scope)?;
                    normal = plane.direction("normal")?.unwrap_or(normal);
                    offset = plane.real("offset")?.unwrap_or(offset);
                } else {
                    normal = record.scope.direction(node)?;
                }
                Shape::half_space(normal.to_real(), offset)
            }
            "rectangle" => {
                let [x, z]: [f64; 2] = record.scope.several(node, Dimension::LENGTH)?;
                positive(node, "the lengths of a rectangle", &[x, z])?;
                Shape::rectangle(half(x), half(z))
            }
            "hull" => Shape::hull(&self.points(node)?),
            "mesh" => return self.mesh(node).map(Some),
            "height_field" => return self.height_field(node).map(Some),
            "compound" => return self.compound(node).map(Some),
            // Only `shape` is left.
            _ => return self.named_shape(&record.scope.text(node)?, at).map(Some),
        };
        shape.map(Some).map_err(|error| Fault::new(at, error.to_string()))
    }

    /// A shape of the file by name.
    fn named_shape(&mut self, name: &str, at: usize) -> Read<Shape> {
        if let Some(shape) = self.shapes.get(name) {
            return Ok(shape.clone());
        }
        let definitions = self.shape_definitions;
        let Some(entry) = definitions.iter().find(|e| e.key == name) else {
            let message = match definitions {
                [] => format!("there is no shape {name:?}; the file has none; write one under [shape.NAME]"),
                some => missing("shape", name, some.iter().map(|e| e.key.as_str())),
            };
            return Err(Fault::new(at, message));
        };
        if self.open_shapes.iter().any(|open| open == name) {
            return Err(Fault::new(entry.at, format!("the shape {name:?} is made of itself")));
        }
        // Names and compounds are followed by recursion.
        if self.open_shapes.len() > 32 {
            return Err(Fault::new(entry.at, "shapes are made of each other more than 32 deep"));
        }
        self.open_shapes.push(name.to_owned());
        // A definition means the same wherever it is used: what counts around the use is not seen by it.
        let scope = self.scope.outermost();
        let around = std::mem::replace(&mut self.scope, scope.clone());
        // Right or wrong, the next one that uses it finds everything as it was.
        let shape = Record::open(&entry.node, &SHAPE, &scope).and_then(|record| self.shape_in(&record));
        self.scope = around;
        self.open_shapes.pop();
        let shape = shape?.ok_or_else(|| Fault::new(entry.at, format!("the shape {name:?} says nothing")))?;
        self.shapes.insert(name.to_owned(), shape.clone());
        Ok(shape)
    }

    pub fn points(&self, node: &Node) -> Read<Vec<Vec3>> {
        let points = self.scope.list(node)?.iter();
        points.map(|node| Ok(self.scope.vector(node, Dimension::LENGTH)?.to_real())).collect()
    }

    fn mesh(&mut self, node: &Node) -> Read<Shape> {
        let scope = self.scope.clone();
        let record = Record::open(node, &MESH, &scope)?;
        if let Some(file) = record.get("file") {
            return self.mesh_file(file, &record);
        }
        let of_files = ["as", "scale", "most_parts", "tolerance"];
        if let Some(entry) = record.entries.iter().find(|e| of_files.contains(&e.key.as_str())) {
            return Err(Fault::new(entry.at, format!("{:?} goes with a `file`", entry.key)));
        }
        let vertices = self.points(record.needed("vertices")?)?;
        let mut triangles = Vec::new();
        for node in scope.list(record.needed("triangles")?)? {
            let corners = scope.list(node)?;
            let [a, b, c] = corners else { return Err(Fault::new(node.at, "a triangle has three corners")) };
            triangles.push([small(scope.whole(a)?, a)?, small(scope.whole(b)?, b)?, small(scope.whole(c)?, c)?]);
        }
        let mut desc = MeshDesc::new(vertices, triangles);
        if record.choice("sides")? == Some("two") {
            desc = desc.sides(Sides::Two);
        }
        if let Some(slots) = record.get("materials") {
            desc = desc.materials(self.slots(slots)?);
        }
        if let Some(distance) = record.real("weld_distance")? {
            desc = desc.weld_distance(distance);
        }
        if let Some(angle) = record.real("flat_angle")? {
            desc = desc.flat_angle(angle);
        }
        Shape::mesh(desc).map_err(|error| Fault::new(node.at, error.to_string()))
    }

    /// A mesh of a file, read once for all who use it in the same way.
    fn mesh_file(&mut self, file: &Node, record: &Record<'_>) -> Read<Shape> {
        let scope = record.scope;
        let of_files = ["file", "as", "scale", "most_parts", "tolerance", "sides"];
        if let Some(entry) = record.entries.iter().find(|e| !of_files.contains(&e.key.as_str())) {
            return Err(Fault::new(entry.at, format!("{:?} goes with triangles that are written here", entry.key)));
        }
        let name = scope.text(file)?;
        let scale = record.quantity("scale")?.unwrap_or(1.0) * Dimension::LENGTH.in_si(&scope.units);
        let usual = PartsOptions::default();
        let options = PartsOptions {
            most: record.whole("most_parts")?.map_or(usual.most, |n| n.min(1024) as u32),
            tolerance: record.quantity("tolerance")?.unwrap_or(usual.tolerance),
            ..usual
        };
        let kind = record.choice("as")?.unwrap_or("hull");
        let two_sides = record.choice("sides")? == Some("two");
        // No name of a shape has a line break.
        let key = format!("{name}\n{kind} {scale} {options:?} {two_sides}");
        if let Some(shape) = self.shapes.get(&key) {
            return Ok(shape.clone());
        }
        let mesh =
            TriangleMesh::load(self.folder.join(&name)).map_err(|error| Fault::new(file.at, error.to_string()))?;
        let mesh = mesh.map(|v| Vec3::from(scope.up.vector((v * scale).to_array())));
        let shape = match kind {
            "surface" if two_sides => mesh.surface_of(Sides::Two),
            "surface" => mesh.surface(),
            "parts" => mesh.parts(&options).and_then(|parts| {
                if let Some(words) = parts.coarse(&options) {
                    self.warn(file.at, format!("{name}: {words}"));
                }
                parts.shape()
            }),
            _ => mesh.hull(),
        };
        let shape = shape.map_err(|error| Fault::new(file.at, format!("{name}: {error}")))?;
        self.shapes.insert(key, shape.clone());
        Ok(shape)
    }

    fn slots(&self, node: &Node) -> Read<Vec<u16>> {
        let slot = |node: &Node| {
            let slot = self.scope.whole(node)?;
            u16::try_from(slot).map_err(|_| Fault::new(node.at, "a slot of materials is a small number"))
        };
        self.scope.list(node)?.iter().map(slot).collect()
    }

    fn height_field(&mut self, node: &Node) -> Read<Shape> {
        let scope = self.scope.clone();
        let record = Record::open(node, &HEIGHT_FIELD, &scope)?;
        let count = |name: &str| {
            let node = record.needed(name)?;
            small(scope.whole(node)?, node)
        };
        let (rows, columns) = (count("rows")?, count("columns")?);
        let [x, z]: [f64; 2] = scope.several(record.needed("size")?, Dimension::LENGTH)?;
        let heights = scope.list(record.needed("heights")?)?.iter();
        let heights = heights.map(|node| scope.real(node, Dimension::LENGTH)).collect::<Read<Vec<Real>>>()?;
        let mut desc = HeightFieldDesc::new(rows, columns, Real::from_f64(x), Real::from_f64(z), heights);
        if let Some(holes) = record.get("holes") {
            desc = desc.holes(scope.list(holes)?.iter().map(|node| scope.flag(node)).collect::<Read<_>>()?);
        }
        if let Some(slots) = record.get("materials") {
            desc = desc.materials(self.slots(slots)?);
        }
        if let Some(angle) = record.real("flat_angle")? {
            desc = desc.flat_angle(angle);
        }
        Shape::height_field(desc).map_err(|error| Fault::new(node.at, error.to_string()))
    }

    fn compound(&mut self, node: &Node) -> Read<Shape> {
        let scope = self.scope.clone();
        let mut children = Vec::new();
        for node in scope.list(node)? {
            let record = Record::open(node, &CHILD, &scope)?;
            let Some(shape) = self.shape_in(&record)? else {
                return Err(Fault::new(node.at, "a part of a compound needs a shape"));
            };
            let mut child = CompoundChild::new(shape, pose(&record)?);
            if let Some(slot) = record.get("slot") {
                let slot = u16::try_from(scope.whole(slot)?);
                child = child.material(slot.map_err(|_| Fault::new(node.at, "a slot of materials is a small number"))?);
            }
            if let Some(density) = record.quantity("density")? {
                child = child.density(density);
            }
            children.push(child);
        }
        Shape::compound(children).map_err(|error| Fault::new(node.at, error.to_string()))
    }
}

/// Where `at` and `rotation` place something.
pub fn pose(record: &Record<'_>) -> Read<Pose> {
    Ok(Pose {
        translation: record.vector("at")?.map_or(Vec3::ZERO, Vec3::to_real),
        rotation: record.rotation("rotation")?.unwrap_or(Quat::IDENTITY),
    })
}

fn small(value: u64, node: &Node) -> Read<u32> {
    u32::try_from(value).map_err(|_| wrong(node, "a number below 2^32", &node.item))
}
