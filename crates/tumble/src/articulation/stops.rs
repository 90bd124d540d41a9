//! What holds a tree along its own degrees of freedom: limits, cones, dry friction, motors that hold a speed, couplings.
//!
//! Each is a row Ċ = Σ cₖ q̇ₖ over at most three degrees of freedom, which any method can solve:
//!
//! ```text
//!   limit       C = q - low, or high - q                  C >= 0
//!   swing       C = γ - φ,   φ = ∠(n, R n)                C >= 0     Ċ = -ω·(a × n)/sin φ
//!   twist       C = ψ - low, or high - ψ                  C >= 0     ψ̇ = ω·(a + n)/(1 + a·n)
//!   coupling    C = q_b - r q_a - offset                  C = 0
//!   friction    Ċ = 0, with at most so much force
//!   motor       Ċ = speed, with at most so much force
//! ```
//!
//! Of a spherical joint q is the quaternion R, ω its angular velocity in the frame of the link, n the axis of the cone there, and
//! a = R⁻¹ n the same axis of the parent, seen from the link; the twist ψ is what is left of R without the shortest turn of n.

use super::kind::{Kind, quaternion};
use super::restraint::{Coupling, Swing};
use super::tree::{Link, Tree};
use crate::constraint::contact::NONE;
use crate::math::{Float, Num, Vec3};

/// How near a turning joint must be to its limit to be watched, in radians.
const NEAR_TURN: f64 = 0.02;

/// The share of the way ahead by which a joint may be off the axis of its cone and still count as on it.
const ON_AXIS: f64 = 0.1;

/// Degrees of freedom and what stands before their velocities; unused places have `NONE`.
pub(crate) type Along = [(u32, f64); 3];

pub(crate) const NOWHERE: Along = [(NONE, 0.0); 3];

/// What a row asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Task {
    /// Stay on this side of a limit that is so far off.
    Limit(f64),
    /// Reach a speed, with at most this force.
    Speed(f64, f64),
    /// Take out this error.
    Hold(f64),
}

/// A row along degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub along: Along,
    pub task: Task,
    /// Where its impulse is remembered in [`Tree::memory`], and the sign it has there: both ends of a range share a place.
    pub memory: u32,
    pub sign: f64,
    /// Share of the speed with which a limit is left again.
    pub restitution: f64,
}

/// Numbers that are remembered for each degree of freedom: impulses of its limit, its friction and its motor. What follows them is
/// one for each coupling.
pub(super) const MEMORIES: usize = 3;

/// Radians: a cone of this half-angle holds all directions, as it was given in either precision.
const WHOLE_CONE: f64 = f64::PI - 1e-6;

impl Tree {
    /// Calls `add` for each row that is to be watched in the next `dt` seconds, `near` metres from the limits of what slides. `ahead` are the
    /// velocities that what drives the tree leads to by then; empty where nothing drives it.
    pub fn stops(&self, dt: f64, near: f64, ahead: &[f64], mut add: impl FnMut(Stop)) {
        for link in &self.links {
            for (k, dof) in link.dofs().enumerate() {
                self.dof_stops(link, k, dof, dt, near, ahead, &mut add);
            }
            if let (Kind::Spherical, Some(swing)) = (link.kind, &link.swing) {
                self.swing_stops(link, swing, dt, ahead, &mut add);
            }
        }
        for (i, c) in self.couplings.iter().enumerate() {
            let [a, b] = self.coupled(c);
            add(Stop {
                along: [(b.0, 1.0), (a.0, -c.ratio), (NONE, 0.0)],
                task: Task::Hold(self.q[b.1] - c.ratio * self.q[a.1] - c.offset),
                memory: (self.dofs.len() * MEMORIES + i) as u32,
                sign: 1.0,
                restitution: 0.0,
            });
        }
    }

    /// The degrees of freedom of a coupling, and the coordinates that go with them.
    fn coupled(&self, coupling: &Coupling) -> [(u32, usize); 2] {
        [coupling.a, coupling.b].map(|(link, dof)| {
            let link = &self.links[link];
            (link.first_dof + dof as u32, link.first_q as usize + dof)
        })
    }

    /// Limits or a swing hold some of its joints, and motors, springs or forces along its degrees of freedom drive it, so that within a step it may
    /// come to limits that its velocities do not lead to.
    pub fn is_driven_to_stops(&self) -> bool {
        self.dofs.iter().any(|d| d.force != 0.0 || d.stiffness != 0.0 || d.motor.is_on())
            && (self.dofs.iter().any(|d| d.limits.is_some()) || self.links.iter().any(|l| l.swing.is_some()))
    }

    #[allow(clippy::too_many_arguments)]
    fn dof_stops(
        &self,
        link: &Link,
        k: usize,
        dof: usize,
        dt: f64,
        near: f64,
        ahead: &[f64],
        add: &mut impl FnMut(Stop),
    ) {
        let d = &self.dofs[dof];
        let mut push = |sign: f64, task: Task, memory: usize| {
            let along = [(dof as u32, sign), (NONE, 0.0), (NONE, 0.0)];
            let restitution = if memory == 0 { d.restitution } else { 0.0 };
            add(Stop { along, task, memory: (dof * MEMORIES + memory) as u32, sign, restitution });
        };
        if d.friction > 0.0 {
            push(1.0, Task::Speed(0.0, d.friction), 1);
        }
        let holds_speed = d.motor.damping.is_infinite() && d.motor.is_on();
        if holds_speed {
            push(1.0, Task::Speed(d.motor.speed, d.motor.max_force), 2);
        }
        let Some([low, high]) = d.limits else { return };
        let mut speed = faster(self.qd[dof], ahead.get(dof).copied());
        if holds_speed {
            speed = faster(speed, Some(d.motor.speed));
        }
        let reach = 2.0 * dt * speed + if link.kind.turns(k) { NEAR_TURN } else { near };
        let q = self.q[link.coordinates()][k];
        if q - low < reach {
            push(1.0, Task::Limit(q - low), 0);
        }
        if high - q < reach {
            push(-1.0, Task::Limit(high - q), 0);
        }
    }

    fn swing_stops(&self, link: &Link, swing: &Swing, dt: f64, ahead: &[f64], add: &mut impl FnMut(Stop)) {
        let (first, turn) = (link.first_dof, quaternion(&self.q[link.coordinates()]));
        let n = swing.axis.to_f64().normalize_or(Vec3::Z);
        let omega = Vec3::from([0, 1, 2].map(|k| self.qd[first as usize + k]));
        let after = ahead.get(link.dofs()).map(|w| Vec3::new(w[0], w[1], w[2]));
        // Motors that hold a speed are rows themselves, and have it whatever a kick leads to.
        let held = Vec3::from([0, 1, 2].map(|k| {
            let motor = &self.dofs[first as usize + k].motor;
            if motor.is_on() && motor.damping.is_infinite() { motor.speed } else { 0.0 }
        }));
        let speed = |direction: Vec3<f64>| {
            faster(faster(omega.dot(direction), Some(held.dot(direction))), after.map(|w| w.dot(direction)))
        };
        let mut push = |direction: Vec3<f64>, task: Task, place: u32, sign: f64| {
            let d = direction * sign;
            let along = [(first, d.x), (first + 1, d.y), (first + 2, d.z)];
            let memory = (first + place) * MEMORIES as u32;
            add(Stop { along, task, memory, sign, restitution: swing.restitution });
        };
        let a = turn.unrotate(n);
        let (sine, cosine) = (a.cross(n).length(), a.dot(n));
        let angle = Float::atan2(sine, cosine);
        // On the axis there is no way to the rim; any direction is as good.
        let mut out = a.cross(n).normalize_or(n.tangents().0);
        // What is driven off from near the axis meets the rim where it is driven to. Near as the rim goes: what is there already is held where it is.
        let near = |way: &Vec3<f64>| sine < ON_AXIS * Num::min(way.length(), swing.cone);
        if let Some(way) = after.map(|w| (w - n * w.dot(n)) * dt).filter(near) {
            out = way.normalize_or(out);
        }
        // A cone of all directions has no rim.
        if swing.cone < WHOLE_CONE && swing.cone - angle < 2.0 * dt * speed(out) + NEAR_TURN {
            push(out, Task::Limit(swing.cone - angle), 0, -1.0);
        }
        // Upside down, there is no telling twist from swing.
        let Some([low, high]) = swing.twist.filter(|_| 1.0 + cosine > 1e-3) else { return };
        let about = (a + n) / (1.0 + cosine);
        let twist = Swing::twist_of(turn, n);
        let reach = 2.0 * dt * speed(about) + NEAR_TURN;
        if twist - low < reach {
            push(about, Task::Limit(twist - low), 1, 1.0);
        }
        if high - twist < reach {
            push(about, Task::Limit(high - twist), 1, -1.0);
        }
    }

    /// The impulse that a row starts from.
    pub fn remembered(&self, stop: &Stop) -> f64 {
        let impulse = self.memory.get(stop.memory as usize).map_or(0.0, |m| m * stop.sign);
        if matches!(stop.task, Task::Limit(_)) { Num::max(impulse, 0.0) } else { impulse }
    }

    /// Forgets the impulses of rows: those of the next step are written afterwards.
    pub fn forget_impulses(&mut self) {
        self.memory.clear();
        self.memory.resize(self.dofs.len() * MEMORIES + self.couplings.len(), 0.0);
    }

    /// Keeps the impulse of a row for the next step. After [`Tree::forget_impulses`].
    pub fn remember(&mut self, stop: &Stop, impulse: f64) {
        if let Some(m) = self.memory.get_mut(stop.memory as usize).filter(|_| impulse.is_finite()) {
            *m += impulse * stop.sign;
        }
    }
}

/// The larger size of two velocities, of which the second need not be.
#[inline(always)]
fn faster(now: f64, after: Option<f64>) -> f64 {
    after.map_or(now.abs(), |after| Num::max(now.abs(), after.abs()))
}
