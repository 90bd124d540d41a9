//! Coordinates of trees from the poses and velocities of their links, which is all that other engines report of them.

use super::world::{engine, pose, refused};
use super::{Flat, Pose};
use crate::error::Result;
use std::collections::BTreeMap;
use tumble::articulation::{ArticulationDesc, LinkJoint};
use tumble::math::{Float, Point, Quat, Vec3};
use tumble::{ArticulationId, BodyId, World};

/// A frame, and how the body moves that it is fixed to.
#[derive(Clone, Copy)]
struct Frame {
    place: Vec3<f64>,
    turn: Quat<f64>,
    /// Velocity of the body's centre of mass, where that is, and angular velocity.
    linear: Vec3<f64>,
    centre: Point,
    angular: Vec3<f64>,
}

impl Frame {
    const WORLD: Self =
        Self { place: Vec3::ZERO, turn: Quat::IDENTITY, linear: Vec3::ZERO, centre: Vec3::ZERO, angular: Vec3::ZERO };

    /// The frame of a body with its centre of mass here, in this state.
    fn of(state: &[f64; 13], centre: Vec3<f64>) -> Self {
        let [px, py, pz, x, y, z, w, vx, vy, vz, wx, wy, wz] = *state;
        let (place, turn) = (Vec3::new(px, py, pz), Quat { x, y, z, w });
        let (linear, angular) = (Vec3::new(vx, vy, vz), Vec3::new(wx, wy, wz));
        Self { place, turn, linear, centre: place + turn.rotate(centre), angular }
    }

    /// A frame that is fixed to it.
    fn then(self, at: &Pose) -> Self {
        let [px, py, pz, x, y, z, w] = *at;
        let place = self.place + self.turn.rotate(Vec3::new(px, py, pz));
        Self { place, turn: self.turn * Quat { x, y, z, w }, ..self }
    }

    fn velocity_at(&self, point: Point) -> Vec3<f64> {
        self.linear + self.angular.cross(point - self.centre)
    }
}

/// The angle by which a rotation turns about a unit axis, within half a turn.
fn angle(turn: Quat<f64>, axis: Vec3<f64>) -> f64 {
    let half = Float::atan2(turn.vector().dot(axis), turn.w);
    let whole = if half > 0.5 * f64::PI {
        half - f64::PI
    } else if half < -0.5 * f64::PI {
        half + f64::PI
    } else {
        half
    };
    2.0 * whole
}

/// Coordinates and velocities of a joint whose frame on the parent is `a` and on the link `b`.
fn coordinates(joint: &LinkJoint, a: &Frame, b: &Frame) -> (Vec<f64>, Vec<f64>) {
    // All as seen from A.
    let turn = a.turn.conjugate() * b.turn;
    let way = a.turn.unrotate(b.place - a.place);
    let spin = a.turn.unrotate(b.angular - a.angular);
    let slide = a.turn.unrotate(b.velocity_at(b.place) - a.velocity_at(b.place));
    let unit = |axis: &Vec3, other: Vec3<f64>| axis.to_f64().normalize_or(other);
    match joint {
        LinkJoint::Fixed => (Vec::new(), Vec::new()),
        LinkJoint::Revolute { axis } | LinkJoint::Helical { axis, .. } => {
            let z = unit(axis, Vec3::Z);
            (vec![angle(turn, z)], vec![spin.dot(z)])
        }
        LinkJoint::Prismatic { axis } => {
            let z = unit(axis, Vec3::Z);
            (vec![way.dot(z)], vec![slide.dot(z)])
        }
        LinkJoint::Cylindrical { axis } => {
            let z = unit(axis, Vec3::Z);
            (vec![angle(turn, z), way.dot(z)], vec![spin.dot(z), slide.dot(z)])
        }
        LinkJoint::Universal { first, second } => {
            // R = R₁ R₂ with R₂ about b: R b = R₁ b, which turns about the first axis alone.
            let (z, b) = (unit(first, Vec3::Z), unit(second, Vec3::X));
            let (start, end) = (b - b.along(z), turn.rotate(b) - turn.rotate(b).along(z));
            let one = Float::atan2(z.dot(start.cross(end)), start.dot(end));
            let rest = Quat::from_axis_angle(z, -one) * turn;
            // ω = z θ̇₁ + c θ̇₂, by its products with z and c.
            let c = Quat::from_axis_angle(z, one).rotate(b);
            let (k, p, q) = (z.dot(c), spin.dot(z), spin.dot(c));
            let d = 1.0 - k * k;
            (vec![one, angle(rest, b)], vec![(p - k * q) / d, (q - k * p) / d])
        }
        LinkJoint::Planar { normal } => {
            let z = unit(normal, Vec3::Z);
            let (x, y) = z.tangents();
            (vec![way.dot(x), way.dot(y), angle(turn, z)], vec![slide.dot(x), slide.dot(y), spin.dot(z)])
        }
        LinkJoint::Spherical => (vec![turn.x, turn.y, turn.z, turn.w], turn.unrotate(spin).to_array().to_vec()),
        LinkJoint::Free => {
            (vec![way.x, way.y, way.z, turn.x, turn.y, turn.z, turn.w], [slide.to_array(), spin.to_array()].concat())
        }
    }
}

impl Flat {
    /// Puts the trees of a world where their links are in these states. What of a state no tree could have is left out: an error of an
    /// engine whose joints come apart shows in the coordinates of the link alone, not of those that follow it.
    pub(super) fn place_trees(world: &mut World, states: &BTreeMap<BodyId, [f64; 13]>) -> Result<()> {
        let ids: Vec<ArticulationId> = world.articulation_ids().collect();
        for id in ids {
            let view = world.articulation(id).map_err(engine)?;
            let ArticulationDesc { links, .. } = view.desc();
            let mut bodies = Vec::new();
            for link in view.links() {
                let state = states.get(&link).ok_or_else(|| refused("a link without a state"))?;
                let mass = world.body(link).map_err(engine)?.mass_properties();
                bodies.push(Frame::of(state, mass.map_or(Vec3::ZERO, |m| m.centre)));
            }
            let (mut position, mut velocity) = (Vec::new(), Vec::new());
            for (link, body) in links.iter().zip(&bodies) {
                let parent = link.parent.and_then(|p| bodies.get(p)).unwrap_or(&Frame::WORLD);
                let [on_parent, on_link] =
                    [link.frame_on_parent, link.frame_on_link].map(|f| pose(f.translation, f.rotation));
                let (q, v) = coordinates(&link.joint, &parent.then(&on_parent), &body.then(&on_link));
                position.extend(q);
                velocity.extend(v);
            }
            let mut tree = world.articulation_mut(id).map_err(engine)?;
            tree.set_position(&position).map_err(engine)?;
            tree.set_velocity(&velocity).map_err(engine)?;
        }
        Ok(())
    }
}
