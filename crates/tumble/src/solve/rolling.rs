//! Rolling friction: a torque across the normal against relative turning, at most the lever arm times the normal force.
//!
//! ```text
//!   ω_r = (ω_B - ω_A) across n,   Δh = -(I_A⁻¹ + I_B⁻¹)⁻¹ ω_r,   |h| <= c Σλ
//! ```
//!
//! Few materials ask for it, so it is solved one by one, after the contacts of its colour.

use super::contact_constraint::{ContactConstraints, Group};
use super::motion::{Motion, set_velocity, velocity_of};
use crate::constraint::contact::Contacts;
use crate::math::{NO_ROW, Real, Sym3, Vec3};

/// Rolling friction of one manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rolling {
    pub body_a: u32,
    pub body_b: u32,
    pub manifold: u32,
    /// Where the manifold's normal impulses are.
    pub group: u32,
    pub lane: u32,
    pub normal: Vec3,
    pub inv_inertia_a: Sym3,
    pub inv_inertia_b: Sym3,
    /// The lever arm c.
    pub lever: Real,
    pub impulse: Vec3,
}

impl Rolling {
    /// Rolling friction of a manifold that stands in this lane of this group; the rest is filled in when the group is.
    pub fn new(group: u32, lane: u32, manifold: u32) -> Self {
        Self {
            body_a: NO_ROW,
            body_b: NO_ROW,
            manifold,
            group,
            lane,
            normal: Vec3::ZERO,
            inv_inertia_a: Sym3::ZERO,
            inv_inertia_b: Sym3::ZERO,
            lever: 0.0,
            impulse: Vec3::ZERO,
        }
    }

    /// Takes over what its group knows.
    pub fn fill(&mut self, group: &Group, contacts: &Contacts, warm_start: bool) {
        let (lane, manifold) = (self.lane as usize, &contacts.manifolds[self.manifold as usize]);
        self.body_a = group.body_a[lane];
        self.body_b = group.body_b[lane];
        self.normal = manifold.normal;
        self.inv_inertia_a = group.inv_inertia_a.lane(lane);
        self.inv_inertia_b = group.inv_inertia_b.lane(lane);
        self.lever = contacts.surface_pair(self.manifold).rolling_friction;
        self.impulse = if warm_start { manifold.angular_impulse.across(manifold.normal) } else { Vec3::ZERO };
    }

    fn apply(&self, motions: &mut [Motion], h: Vec3) {
        for (body, inverse, h) in [(self.body_a, self.inv_inertia_a, -h), (self.body_b, self.inv_inertia_b, h)] {
            if body != NO_ROW {
                let motion = &mut motions[body as usize];
                let (v, w) = velocity_of(motion);
                set_velocity(motion, v, w + inverse * h);
            }
        }
    }
}

/// Applies the impulses that the constraints of a colour carry.
pub(crate) fn warm_start(constraints: &mut ContactConstraints, colour: usize, motions: &mut [Motion]) {
    let range = constraints.rolling_ranges[colour] as usize..constraints.rolling_ranges[colour + 1] as usize;
    for r in &constraints.rolling[range] {
        r.apply(motions, r.impulse);
    }
}

/// Solves the constraints of a colour.
pub(crate) fn solve(constraints: &mut ContactConstraints, colour: usize, motions: &mut [Motion]) {
    let range = constraints.rolling_ranges[colour] as usize..constraints.rolling_ranges[colour + 1] as usize;
    for i in range {
        let r = constraints.rolling[i];
        let group = &constraints.groups[r.group as usize];
        let points = &constraints.points[group.points()];
        let normal: Real = points.iter().map(|p| p.normal_impulse.0[r.lane as usize]).sum();
        let turning = |body: u32| if body == NO_ROW { Vec3::ZERO } else { velocity_of(&motions[body as usize]).1 };
        let w = (turning(r.body_b) - turning(r.body_a)).across(r.normal);
        let inverse = r.inv_inertia_a + r.inv_inertia_b;
        let stop = match inverse.try_inverse() {
            Some(mass) => mass * w,
            None => stop_across(inverse, w, r.normal),
        };
        let wanted = (r.impulse - stop).across(r.normal);
        let new = crate::body::store::limited(wanted, r.lever * normal);
        r.apply(motions, new - r.impulse);
        constraints.rolling[i].impulse = new;
    }
}

/// The impulse across n that is behind a turning w across n, where some axes cannot turn: K⁺ w in the plane. Of a K that lets only
/// one direction turn, that is K w / (tr K)².
fn stop_across(inverse: Sym3, w: Vec3, n: Vec3) -> Vec3 {
    let (t, s) = n.tangents();
    let (a, b, c) = (t.dot(inverse * t), t.dot(inverse * s), s.dot(inverse * s));
    let (det, trace) = (a * c - b * b, a + c);
    if !(trace > 0.0) {
        return Vec3::ZERO;
    }
    let (x, y) = (t.dot(w), s.dot(w));
    if det > trace * trace * ONE_WAY {
        return (t * (c * x - b * y) + s * (a * y - b * x)) / det;
    }
    (t * (a * x + b * y) + s * (b * x + c * y)) / (trace * trace)
}

/// The share of (tr K)² below which the determinant of K is that of rounding: only one direction can turn.
const ONE_WAY: Real = 64.0 * Real::EPSILON;
