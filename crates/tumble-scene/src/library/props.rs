//! What scenes of things that stand and fall share: floors, pits, random numbers, and checks of where things are.

use crate::error::Result;
use crate::{Reading, Said, Stage};
use tumble::math::{Float, Point, Quat, Real, Vec3};
use tumble::shape::{MeshDesc, Shape};
use tumble::{BodyDesc, BodyId, ColliderDesc, JointDesc, JointId, Material, World};

/// Sets the length of the tolerances to the size of the things on stage.
pub fn tune(stage: &mut Stage, length: f64) -> Result<()> {
    stage.engine(|world| {
        let mut method = world.method().clone();
        method.tolerances.length = length as Real;
        world.set_method(method)
    })
}

/// A box by its edges.
pub fn cuboid(stage: &mut Stage, [x, y, z]: [f64; 3]) -> Result<Shape> {
    stage.engine(|_| Shape::cuboid((0.5 * x) as Real, (0.5 * y) as Real, (0.5 * z) as Real))
}

/// A ball.
pub fn sphere(stage: &mut Stage, radius: f64) -> Result<Shape> {
    stage.engine(|_| Shape::sphere(radius as Real))
}

/// A cylinder about its y axis, by its height.
pub fn cylinder(stage: &mut Stage, height: f64, radius: f64) -> Result<Shape> {
    stage.engine(|_| Shape::cylinder((0.5 * height) as Real, radius as Real))
}

/// A body of one shape.
pub fn body(stage: &mut Stage, desc: BodyDesc, shape: Shape, material: &Material) -> Result<BodyId> {
    let desc = desc.collider(ColliderDesc::new(shape).material(material.clone()));
    stage.engine(|world| world.add_body(desc))
}

/// A joint.
pub fn joint(stage: &mut Stage, desc: JointDesc) -> Result<JointId> {
    stage.engine(|world| world.add_joint(desc))
}

/// Where a body is; NaN where it is gone.
pub fn place(world: &World, id: BodyId) -> Point {
    world.body(id).map_or(Point::all(f64::NAN), |b| b.position())
}

/// The velocity of its centre of mass; NaN where it is gone.
pub fn velocity(world: &World, id: BodyId) -> Vec3<f64> {
    world.body(id).map_or(Vec3::all(f64::NAN), |b| b.centre_velocity().to_f64())
}

/// The turning of a body; NaN where it is gone.
pub fn spin(world: &World, id: BodyId) -> Vec3<f64> {
    world.body(id).map_or(Vec3::all(f64::NAN), |b| b.angular_velocity().to_f64())
}

/// Where a direction of a body points to in the world; NaN where it is gone.
pub fn pointing(world: &World, id: BodyId, direction: Vec3<f64>) -> Vec3<f64> {
    world.body(id).map_or(Vec3::all(f64::NAN), |b| b.rotation().to_f64().rotate(direction))
}

/// A level floor at height 0, of this material.
pub fn floor(stage: &mut Stage, material: Material) -> Result<BodyId> {
    stage.engine(|world| {
        let shape = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0)?).material(material);
        world.add_body(BodyDesc::fixed().name("floor").collider(shape))
    })
}

/// A pit without a lid: a floor at height 0 and four walls, all of them thick boxes, `2 half` wide inside.
pub fn pit(stage: &mut Stage, half: f64, height: f64, material: &Material) -> Result<BodyId> {
    const THICK: f64 = 1.0;
    let (wide, tall) = (half + 2.0 * THICK, 0.5 * height);
    let parts = [
        ([0.0, -THICK, 0.0], [wide, THICK, wide]),
        ([half + THICK, tall, 0.0], [THICK, tall, wide]),
        ([-half - THICK, tall, 0.0], [THICK, tall, wide]),
        ([0.0, tall, half + THICK], [half, tall, THICK]),
        ([0.0, tall, -half - THICK], [half, tall, THICK]),
    ];
    stage.engine(|world| {
        let mut desc = BodyDesc::fixed().name("pit");
        for (at, size) in parts {
            let [x, y, z] = size.map(|v| v as Real);
            let wall = ColliderDesc::new(Shape::cuboid(x, y, z)?).at(at.map(|v| v as Real));
            desc = desc.collider(wall.material(material.clone()));
        }
        world.add_body(desc)
    })
}

/// The height of the hilly ground.
pub fn hill(x: f64, z: f64) -> f64 {
    0.4 * Float::sin(0.7 * x) * Float::cos(0.6 * z)
}

/// Hilly ground as a mesh of square cells, about `2 half` wide.
pub fn hills(stage: &mut Stage, half: f64, cell: f64) -> Result<BodyId> {
    let cells = (2.0 * half / cell).ceil() as u32;
    let at = |k: u32| f64::from(k) * cell - 0.5 * f64::from(cells) * cell;
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..=cells {
        for j in 0..=cells {
            vertices.push(Vec3::new(at(i), hill(at(i), at(j)), at(j)).to_real());
            if i < cells && j < cells {
                let corner = i * (cells + 1) + j;
                let (right, beyond) = (corner + cells + 1, corner + 1);
                triangles.push([corner, beyond, right]);
                triangles.push([right, beyond, right + 1]);
            }
        }
    }
    stage.engine(|world| {
        let ground = ColliderDesc::new(Shape::mesh(MeshDesc::new(vertices, triangles))?).material(Material::default());
        world.add_body(BodyDesc::fixed().name("hills").collider(ground))
    })
}

/// Places in layers of a square grid about the y axis, `pitch` apart, the lowest at `bottom`. The side of the square is that
/// of the smallest cube that holds them all.
pub fn heap(count: u32, pitch: f64, bottom: f64) -> impl Iterator<Item = Point> {
    let side = cube_root(count);
    (0..count).map(move |i| {
        let place = |k: u32| (f64::from(k) - 0.5 * f64::from(side - 1)) * pitch;
        Point::new(place(i % side), bottom + f64::from(i / (side * side)) * pitch, place(i / side % side))
    })
}

/// The smallest whole number whose cube is not below this one; at least 1.
pub fn cube_root(count: u32) -> u32 {
    (1..=1626).find(|n| n * n * n >= count).unwrap_or(1626)
}

/// Numbers that look random and are the same everywhere (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
pub struct Random(pub u64);

impl Random {
    /// From -1 to 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A direction.
    pub fn direction(&mut self) -> Vec3<f64> {
        loop {
            let v = Vec3::new(self.number(), self.number(), self.number());
            let length = v.length();
            if length > 0.1 && length < 1.0 {
                return v / length;
            }
        }
    }

    /// A turn of up to this angle.
    pub fn turn(&mut self, angle: f64) -> Quat {
        let axis: Vec3 = self.direction().to_real();
        Quat::from_axis_angle(axis, Real::from_f64(angle * self.number()))
    }

    /// The hull of so many points on a sphere.
    pub fn stone(&mut self, points: u32, radius: f64) -> tumble::Result<Shape> {
        let points: Vec<Vec3> = (0..points).map(|_| (self.direction() * radius).to_real()).collect();
        Shape::hull(&points)
    }
}

/// None of the bodies that a pattern names is outside of the box between two corners.
pub fn outside(pattern: &str, [x, y, z]: [f64; 3], [far_x, far_y, far_z]: [f64; 3]) -> Said {
    Said::at_most(format!("outside('{pattern}', {x}, {y}, {z}, {far_x}, {far_y}, {far_z})"), 0.0)
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

    /// How many are outside of the box between two corners; none should be.
    pub fn outside(&self, world: &World, min: impl Into<Point>, max: impl Into<Point>) -> Option<Reading> {
        let (min, max) = (min.into(), max.into());
        let within = |p: Point| {
            (min.x..=max.x).contains(&p.x) && (min.y..=max.y).contains(&p.y) && (min.z..=max.z).contains(&p.z)
        };
        let out = self.ids.iter().filter(|&&id| !world.body(id).is_ok_and(|b| within(b.centre_of_mass()))).count();
        Some(Reading::at_most(out as f64, 0.0))
    }
}
