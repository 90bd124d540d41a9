//! Groups of bodies that touch each other and nothing that is held: their angular momentum stays.
//!
//! Within a step contacts keep the arms and the inertia of its start, although the bodies move. So an impulse P that acts on a
//! and -P that acts on b no longer meet in one point at the end, and leave a moment of (Δx_a - Δx_b) × P behind: nothing to a pile
//! that the ground holds, but a cloud of bodies in empty space would slowly spin up. What a step owes such a group is given
//! back as a turn of the whole,
//!
//! ```text
//!   δ = I⁻¹ (L₀ + dt Σ (x_i × F_i + τ_i) - L₁),     v_i ← v_i + δ × x_i,     ω_i ← ω_i + δ
//! ```
//!
//! with x_i, L and I about the centre of mass of the group, and the loads where the bodies would be half a step ahead, as force effects see
//! them. It moves the group like one body, so no contact feels it, and the
//! momentum stays as it is.

use crate::body::store::{Bodies, CentrePose, Params};
use crate::integrate::{Loads, rotation};
use crate::math::{Float, Mat3, NO_ROW, Num, Point, Real, Sym3, Vec3};
use crate::solve::contact_constraint::ContactConstraints;
use crate::world::State;
use core::mem::replace;

/// Above this angle a turn is no longer the error of a step, and is left alone.
const LARGEST_TURN: f64 = 0.05;

/// What a group was before the step and is after it, about the place where its first body was.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u32,
    origin: Point,
    mass: f64,
    before: Moments,
    after: Moments,
    inertia: Sym3<f64>,
    /// Of the loads, over the step.
    force: Vec3<f64>,
    torque: Vec3<f64>,
    /// The centre of mass after the step, and the turn that is owed.
    centre: Vec3<f64>,
    turn: Vec3<f64>,
}

/// Σ m x, Σ m v, Σ x × m v + I ω.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    pub first: Vec3<f64>,
    pub linear: Vec3<f64>,
    pub angular: Vec3<f64>,
}

impl Moments {
    pub fn add(&mut self, x: Vec3<f64>, mass: f64, v: Vec3<f64>, spin: Vec3<f64>) {
        self.first += x * mass;
        self.linear += v * mass;
        self.angular += x.cross(v * mass) + spin;
    }

    /// The angular momentum about the centre of mass.
    pub fn about_centre(&self, mass: f64) -> Vec3<f64> {
        self.angular - (self.first / mass).cross(self.linear)
    }
}

/// The groups of a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adrift {
    /// By island: something holds it, or acts on it in a way that is not counted here.
    held: Vec<bool>,
    /// By awake body: the number of its group, or [`NO_ROW`]. Empty where nothing is adrift. While groups are being joined: a body of the
    /// group that comes before it, or itself.
    group: Vec<u32>,
    /// By group: of the few that there are, not one for each body.
    sums: Vec<Sum>,
}

impl Adrift {
    /// Nothing is adrift.
    pub fn clear(&mut self) {
        self.group.clear();
    }

    /// Finds the groups. Two passes over the bodies, and one over as many contacts as it takes to see that every island is held; over all,
    /// and once more over both, where something is adrift.
    pub fn find(&mut self, state: &State, constraints: &ContactConstraints, solved: &[u32], jointed: &[u32]) {
        let bodies = &state.bodies;
        let island = |i: u32| state.islands.of(bodies.slot[i as usize]) as usize;
        self.group.clear();
        // Nobody asks about islands of which no body is solved: they count as held.
        self.held.clear();
        self.held.resize(state.islands.all.len(), true);
        let mut loose = 0;
        for &i in solved {
            if let Some(held) = self.held.get_mut(island(i)) {
                loose += u32::from(replace(held, false));
            }
        }
        // What touches something that nothing moves stands in the last colours, if it can: mostly, a few groups tell of all islands.
        for group in constraints.groups.iter().rev() {
            if loose == 0 {
                break;
            }
            for (a, b) in group.written(0).into_iter().zip(group.written(1)) {
                if (a == NO_ROW) != (b == NO_ROW) {
                    let held = &mut self.held[island(if a == NO_ROW { b } else { a })];
                    loose -= u32::from(!replace(held, true));
                }
            }
        }
        for &i in jointed {
            if let Some(held) = self.held.get_mut(island(i)) {
                *held = true;
            }
        }
        if state.articulations.all.len() > 0 {
            // What touches a link may hold on to the world through its tree.
            for i in (0..bodies.awake() as u32).filter(|&i| bodies.params[i as usize].has(Params::LINK)) {
                if let Some(held) = self.held.get_mut(island(i)) {
                    *held = true;
                }
            }
        }
        let mut any = false;
        for &i in solved {
            let Some(held) = self.held.get_mut(island(i)) else { continue };
            *held |= !counts(&bodies.params[i as usize]);
            any |= !*held;
        }
        if any {
            self.join(state, constraints, solved);
        }
    }

    fn join(&mut self, state: &State, constraints: &ContactConstraints, solved: &[u32]) {
        let bodies = &state.bodies;
        self.group.resize(bodies.awake(), NO_ROW);
        for &i in solved {
            let island = state.islands.of(bodies.slot[i as usize]) as usize;
            if self.held.get(island) == Some(&false) {
                self.group[i as usize] = i;
            }
        }
        for group in &constraints.groups {
            for (a, b) in group.written(0).into_iter().zip(group.written(1)) {
                if a != NO_ROW && b != NO_ROW && self.group[a as usize] != NO_ROW {
                    let (a, b) = (self.first(a), self.first(b));
                    self.group[a.max(b) as usize] = a.min(b);
                }
            }
        }
        let mut count = 0;
        for i in 0..self.group.len() {
            let before = self.group[i];
            if before == i as u32 {
                self.group[i] = count;
                count += 1;
            } else if before != NO_ROW {
                // Whoever comes before it has the number of the group already.
                self.group[i] = self.group[before as usize];
            }
        }
        self.sums.clear();
        self.sums.resize(count as usize, Sum::default());
    }

    fn first(&self, mut i: u32) -> u32 {
        while self.group[i as usize] != i {
            i = self.group[i as usize];
        }
        i
    }

    /// Notes what the bodies are before the step. One pass over them where something is adrift.
    pub fn note_start(&mut self, bodies: &Bodies, loads: &Loads, dt: Real) {
        for (i, &group) in self.group.iter().enumerate() {
            let Some(sum) = self.sums.get_mut(group as usize) else { continue };
            let (pose, velocity, params, load) =
                (&bodies.pose[i], &bodies.velocity[i], &bodies.params[i], bodies.load_on(i));
            if sum.count == 0 {
                sum.origin = pose.centre;
            }
            sum.count += 1;
            let mass = 1.0 / params.inv_mass.to_f64();
            sum.mass += mass;
            let x = pose.centre - sum.origin;
            let spin = rotation::angular_momentum(pose.rotation, velocity.angular, bodies.rest[i].carry, params);
            sum.before.add(x, mass, velocity.linear.to_f64(), spin);
            let force = (loads.gravity * params.gravity_scale).to_f64() * mass + load.force.to_f64();
            sum.force += force;
            let way = velocity.linear.to_f64() * (0.5 * dt.to_f64());
            sum.torque += (x + way).cross(force) + load.torque.to_f64();
        }
    }

    /// Notes what the step has made of them. One pass over them where something is adrift. Groups of which a body is `broken` are owed nothing:
    /// what it was is lost.
    fn note_end(&mut self, bodies: &Bodies, broken: &[u32]) {
        for (i, &group) in self.group.iter().enumerate() {
            let Some(sum) = self.sums.get_mut(group as usize) else { continue };
            let (pose, velocity, params) = (&bodies.pose[i], &bodies.velocity[i], &bodies.params[i]);
            let (x, mass) = (pose.centre - sum.origin, 1.0 / params.inv_mass.to_f64());
            let spin = rotation::angular_momentum(pose.rotation, velocity.angular, Vec3::ZERO, params);
            sum.after.add(x, mass, velocity.linear.to_f64(), spin);
            sum.inertia = sum.inertia + inertia_of(pose, params) + Sym3::point_mass(x) * mass;
            if broken.contains(&bodies.slot[i]) {
                sum.count = 0;
            }
        }
    }

    /// Gives the groups the turns that the step owes them.
    pub fn settle(&mut self, bodies: &mut Bodies, broken: &[u32], dt: Real) {
        if self.group.is_empty() {
            return;
        }
        self.note_end(bodies, broken);
        for sum in self.sums.iter_mut().filter(|s| s.count > 1) {
            let middle = (sum.before.first + sum.before.linear * (0.5 * dt.to_f64())) / sum.mass;
            let torque = (sum.torque - middle.cross(sum.force)) * dt.to_f64();
            let owed = sum.before.about_centre(sum.mass) + torque - sum.after.about_centre(sum.mass);
            sum.centre = sum.after.first / sum.mass;
            let inertia = sum.inertia - Sym3::point_mass(sum.centre) * sum.mass;
            let turn = inertia.try_inverse().map_or(Vec3::ZERO, |inverse| inverse * owed);
            if turn.length() * dt.to_f64() < LARGEST_TURN {
                sum.turn = turn;
            }
        }
        for (i, &group) in self.group.iter().enumerate() {
            let Some(sum) = self.sums.get(group as usize) else { continue };
            let arm = bodies.pose[i].centre - sum.origin - sum.centre;
            let velocity = &mut bodies.velocity[i];
            velocity.linear += sum.turn.cross(arm).to_real();
            velocity.angular += sum.turn.to_real();
        }
    }
}

/// About its centre of mass, in the world.
pub(super) fn inertia_of(pose: &CentrePose, params: &Params) -> Sym3<f64> {
    let axes: Mat3<f64> = (pose.rotation * params.axes).to_f64().normalized().to_mat3();
    let u = params.inv_inertia.to_f64();
    Sym3::rotated_diagonal(&axes, Vec3::new(1.0 / u.x, 1.0 / u.y, 1.0 / u.z))
}

/// A body that turns and moves freely but for its contacts and its loads.
pub(super) fn counts(params: &Params) -> bool {
    params.inv_mass > 0.0
        && params.inv_inertia.min_component() > 0.0
        && params.locks().is_none()
        && params.linear_damping == 0.0
        && params.angular_damping == 0.0
        && Num::min(params.max_linear_speed, params.max_angular_speed) == Real::INFINITY
}
