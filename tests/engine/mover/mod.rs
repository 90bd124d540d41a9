//! Characters: walking, slopes, stairs, corners, platforms, pushing.

mod corners;
mod ground;
mod input;
mod platforms;
mod pushing;
mod random_walks;
mod stairs;

use crate::support::real;
use tumble::control::{Mover, MoverDesc};
use tumble::math::{Point, Quat, Real, Vec3, WorldPose};
use tumble::shape::{Mesh, MeshDesc, Shape, Sides};
use tumble::{BodyDesc, BodyId, QueryFilter, World};

pub const DT: f64 = 1.0 / 60.0;
pub const SKIN: f64 = 0.01;

/// Half of the height of [`person`].
pub const HALF: f64 = 0.9;

pub fn person() -> Shape {
    Shape::capsule(0.6, 0.3).unwrap()
}

pub fn fixed_box(world: &mut World, centre: [f64; 3], half: [f64; 3]) -> BodyId {
    let [x, y, z] = half.map(real);
    world.add_body(BodyDesc::fixed().position(centre).collider(Shape::cuboid(x, y, z).unwrap())).unwrap()
}

pub fn floor(world: &mut World) -> BodyId {
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap()
}

/// A slope through the origin that rises along +x, made of a thick slab.
pub fn slope(world: &mut World, degrees: f64) -> BodyId {
    let turn = Quat::from_axis_angle(Vec3::Z, real(degrees.to_radians()));
    let down = turn.rotate(Vec3::new(0.0, -1.0, 0.0));
    let body = BodyDesc::fixed().position(down.to_f64()).rotation(turn);
    world.add_body(body.collider(Shape::cuboid(50.0, 1.0, 10.0).unwrap())).unwrap()
}

pub fn one_sided(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Shape {
    let desc = MeshDesc { vertices, triangles, sides: Sides::One, ..MeshDesc::default() };
    Shape::Mesh(std::sync::Arc::new(Mesh::new(desc).unwrap()))
}

/// A mover under gravity, as a game has it.
pub struct Walker {
    pub world: World,
    pub mover: Mover,
    pub shape: Shape,
    pub up: Vec3,
    /// Speed along `up`.
    pub rising: Real,
}

impl Walker {
    pub fn new(world: World, at: [f64; 3]) -> Self {
        Self::with(world, at, MoverDesc::default())
    }

    pub fn with(world: World, at: [f64; 3], desc: MoverDesc) -> Self {
        let up = desc.up;
        Self { world, mover: Mover::new(desc, at).unwrap(), shape: person(), up, rising: 0.0 }
    }

    /// Moves with this velocity for one step. Returns by how much it got on.
    pub fn step(&mut self, velocity: [f64; 3]) -> Vec3 {
        let dt = real(DT);
        if self.mover.is_grounded() {
            self.rising = 0.0;
        } else {
            self.rising -= real(9.81) * dt;
        }
        let want = Vec3::<f64>::from(velocity).to_real() + self.up * self.rising;
        let moved = self.mover.advance(&mut self.world, &self.shape, want * dt, dt).unwrap();
        assert!(self.mover.position().is_finite());
        self.world.step(dt).unwrap();
        moved
    }

    pub fn steps(&mut self, count: usize, velocity: [f64; 3]) {
        for _ in 0..count {
            self.step(velocity);
        }
    }

    pub fn at(&self) -> Point {
        self.mover.position()
    }

    /// How far the shape is from the nearest thing, or minus how deep it is in something; 1 for more than that.
    pub fn clearance(&self) -> f64 {
        let mut found = Vec::new();
        let pose: WorldPose = self.mover.pose();
        self.world.near_shape(&self.shape, pose, 1.0, &QueryFilter::new(), &mut found).unwrap();
        found.first().map_or(1.0, |near| near.distance as f64)
    }
}
