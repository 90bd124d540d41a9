//! What rows have come to in a step: impulses for manifolds and joints.
//!
//! The rows of a closed knot are there only as long as somebody works on it (see `part`), and contacts and joints are not to be written meanwhile, since others
//! read them. So what is to be kept of rows is noted, and written when all are done.

use super::TreeRows;
use crate::constraint::contact::SOLVED_POINTS;
use crate::math::{Float, Real, Vec3};
use crate::world::State;

/// Of a manifold.
#[derive(Clone, Copy, Debug)]
struct Touched {
    manifold: u32,
    tangent: Vec3,
    /// Along the tangent, across it, and about the normal.
    friction: [Real; 3],
    points: u32,
    presses: [Real; SOLVED_POINTS],
}

/// Of a joint between a link and another body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tied {
    pub joint: u32,
    pub memory: [f64; 4],
    /// What it has done in all sub-steps.
    pub impulse: Vec3,
    pub angular_impulse: Vec3,
    /// Its rows in the list of all.
    pub first: u32,
    pub count: u32,
}

/// Of some trees. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(in crate::solve) struct Outcome {
    touched: Vec<Touched>,
    pub(super) tied: Vec<Tied>,
    /// Impulses of the rows of joints.
    pub(super) impulses: Vec<Real>,
}

impl Outcome {
    pub fn clear(&mut self) {
        self.touched.clear();
        self.tied.clear();
        self.impulses.clear();
    }

    /// Writes the impulses to manifolds and joints: where the next step starts. Of joints also what they were in a step of dt as force and torque, and
    /// which have borne too much.
    pub fn store(&self, state: &mut State, dt: Real, overloaded: &mut Vec<u32>) {
        for touched in &self.touched {
            let manifold = &mut state.contacts.manifolds[touched.manifold as usize];
            let (n, [slip, across, twist]) = (manifold.normal, touched.friction);
            manifold.friction_impulse = touched.tangent * slip + n.cross(touched.tangent) * across;
            manifold.angular_impulse = n * twist;
            let points = &mut manifold.points[..touched.points as usize];
            for (point, impulse) in points.iter_mut().zip(touched.presses) {
                point.normal_impulse = impulse;
            }
        }
        for tied in &self.tied {
            let Some(joint) = state.joints.all.at_mut(tied.joint) else { continue };
            let impulses = &self.impulses[tied.first as usize..][..tied.count as usize];
            for (to, impulse) in joint.impulses.iter_mut().zip(impulses) {
                *to = *impulse;
            }
            joint.memory = tied.memory;
            (joint.force, joint.torque) = (tied.impulse / dt, tied.angular_impulse / dt);
            if joint.force.length() > joint.break_force || joint.torque.length() > joint.break_torque {
                overloaded.push(tied.joint);
            }
        }
    }
}

impl TreeRows {
    /// Notes what the rows have come to.
    pub fn conclude(&self, outcome: &mut Outcome) {
        for site in &self.sites {
            let [slip, across, twist] = site.rubs();
            outcome.touched.push(Touched {
                manifold: site.manifold,
                tangent: site.tangent,
                friction: [slip, across, twist].map(Real::from_f64),
                points: site.points,
                presses: site.presses().map(Real::from_f64),
            });
        }
        self.conclude_ties(outcome);
    }
}
