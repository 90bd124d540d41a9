//! Groups of bodies that touch each other and nothing that is held: their momentum and angular momentum stay.
//!
//! Within a step contacts keep the arms and the inertia of its start, although the bodies move. So an impulse P that acts on a
//! and -P that acts on b no longer meet in one point at the end, and leave a moment of (Δx_a - Δx_b) × P behind: nothing to a pile
//! that the ground holds, but a cloud of bodies in empty space would slowly spin up, and what hangs on joints would tumble on at the wrong speed after a blow. Trees
//! that are touched err in momentum as well: their rows are answered by factors of a moment ago, by which an impulse moves the whole a little too much or too
//! little. What a step owes such a group is given back as a motion of the whole,
//!
//! ```text
//!   δ = I⁻¹ (L₀ + dt Σ (x_i × F_i + τ_i) - L₁),     u = (p₀ + dt Σ F_i - p₁) / m
//!   v_i ← v_i + u + δ × x_i,     ω_i ← ω_i + δ
//! ```
//!
//! with x_i, L and I about the centre of mass of the group, and the loads where the bodies would be half a step ahead, as force effects see
//! them. It moves the group like one body, so no contact feels it, and no joint. Where no tree takes part u would be rounding, and is left out.
//!
//! What joints tie together is of one group, if they do to the one body what they do to the other, the other way round. Gears, racks, pulleys and drags lean
//! on the world, and a joint of the user's may. A group of free bodies in which nothing touches is owed nothing, and so is a tree on which nothing acts.
//!
//! Arms of loads go straight from the start of a step to its end: where a group turns by θ in a step and its bodies are loaded unlike each other, the moment of that
//! is off by θ²/6 of itself. What holds a group is told by its island, which may be larger than the group until it is next looked through for sleep.

use crate::body::BodyKind;
use crate::body::store::{Bodies, CentrePose, Params};
use crate::constraint::joint::store::Joint;
use crate::integrate::{Loads, rotation};
use crate::math::{Float, Mat3, NO_ROW, Num, Point, Real, Sym3, UnionFind, Vec3};
use crate::solve::contact_constraint::ContactConstraints;
use crate::solve::joint_work::JointWork;
use crate::solve::tree_work::TreeWork;
use crate::world::State;
use core::mem::replace;

/// Above this angle a turn is no longer the error of a step, nor is a shift that is more than this share of the size of the group: both are left alone then.
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
    /// Bodies of it touch each other, or joints act on links of it: else it is owed nothing.
    meets: bool,
    /// Bodies of it are links.
    linked: bool,
    /// The centre of mass after the step, and the turn and the shift that are owed.
    centre: Vec3<f64>,
    turn: Vec3<f64>,
    shift: Vec3<f64>,
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

/// What is known of an island.
#[derive(Clone, Copy, Debug)]
struct Island {
    /// Something holds it, or acts on it in a way that is not counted here.
    held: bool,
    /// Bodies of it touch each other, or joints act on links of it.
    meets: bool,
}

/// The islands of a step, and how many of them nothing holds.
#[derive(Clone, Debug, Default)]
struct Islands {
    all: Vec<Island>,
    loose: u32,
}

impl Islands {
    /// Nobody asks about islands of which no body is solved: they count as held.
    fn begin(&mut self, count: usize) {
        self.all.clear();
        self.all.resize(count, Island { held: true, meets: false });
        self.loose = 0;
    }

    fn release(&mut self, island: usize) {
        if let Some(island) = self.all.get_mut(island) {
            self.loose += u32::from(replace(&mut island.held, false));
        }
    }

    fn hold(&mut self, island: usize) {
        if let Some(island) = self.all.get_mut(island) {
            self.loose -= u32::from(!replace(&mut island.held, true));
        }
    }

    fn meet(&mut self, island: usize) {
        if let Some(island) = self.all.get_mut(island) {
            island.meets = true;
        }
    }

    fn is_adrift(&self, island: usize) -> bool {
        self.all.get(island).is_some_and(|island| island.meets && !island.held)
    }

    fn any_adrift(&self) -> bool {
        self.loose > 0 && self.all.iter().any(|island| island.meets && !island.held)
    }
}

/// The groups of a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adrift {
    islands: Islands,
    together: UnionFind,
    /// By awake body: it touches another one, or is a link on which a joint acts.
    meets: Vec<bool>,
    /// By awake body: the number of its group, or [`NO_ROW`]. Empty where nothing is adrift.
    group: Vec<u32>,
    /// By group: of the few that there are, not one for each body.
    sums: Vec<Sum>,
}

impl Adrift {
    /// Nothing is adrift.
    pub fn clear(&mut self) {
        self.group.clear();
    }

    /// Finds the groups. Two passes over the bodies, and one over as many contacts as it takes to see that every island is held; where something touches in one
    /// that is not, one over its joints, and one more over all of these.
    pub fn find(
        &mut self,
        state: &State,
        constraints: &ContactConstraints,
        joints: &JointWork,
        trees: &TreeWork,
        solved: &[u32],
    ) {
        let (bodies, islands) = (&state.bodies, &mut self.islands);
        let of = |i: u32| state.islands.of(bodies.slot[i as usize]) as usize;
        let loose = || solved.iter().chain(trees.afloat()).copied();
        self.group.clear();
        islands.begin(state.islands.all.len());
        loose().for_each(|i| islands.release(of(i)));
        if islands.loose == 0 {
            return;
        }
        trees.grounded().for_each(|&link| islands.hold(of(link)));
        // What touches something that nothing moves stands in the last colours, if it can: mostly, a few groups tell of all islands.
        for group in constraints.groups.iter().rev() {
            if islands.loose == 0 {
                return;
            }
            for (a, b) in group.written(0).into_iter().zip(group.written(1)) {
                match [a, b] {
                    [NO_ROW, NO_ROW] => {}
                    [NO_ROW, i] | [i, NO_ROW] => islands.hold(of(i)),
                    [a, _] => islands.meet(of(a)),
                }
            }
        }
        for [a, b] in trees.meetings(state) {
            islands.meet(of(a));
            islands.meet(of(b));
        }
        loose().filter(|&i| !counts(&bodies.params[i as usize])).for_each(|i| islands.hold(of(i)));
        joints.moored_bodies().for_each(|i| islands.hold(of(i)));
        if !islands.any_adrift() {
            return;
        }
        for i in loose() {
            let leans = |(ends, joint): ([u32; 2], &Joint)| ends.contains(&NO_ROW) || joint.kind.leans_on_the_world();
            if islands.is_adrift(of(i)) && joints_of(state, i).any(leans) {
                islands.hold(of(i));
            }
        }
        if islands.any_adrift() {
            self.join(state, constraints, solved, trees);
        }
    }

    fn join(&mut self, state: &State, constraints: &ContactConstraints, solved: &[u32], trees: &TreeWork) {
        let Self { islands, together, meets, group, sums } = self;
        let bodies = &state.bodies;
        group.resize(bodies.awake(), NO_ROW);
        meets.clear();
        meets.resize(bodies.awake(), false);
        together.reset(bodies.awake());
        for &i in solved.iter().chain(trees.afloat()) {
            if islands.is_adrift(state.islands.of(bodies.slot[i as usize]) as usize) {
                group[i as usize] = i;
            }
        }
        let mut join = |a: u32, b: u32| {
            let both = [a, b].iter().all(|&i| group.get(i as usize).is_some_and(|&group| group != NO_ROW));
            if both {
                together.join(a, b);
            }
            both
        };
        for contacts in &constraints.groups {
            for (a, b) in contacts.written(0).into_iter().zip(contacts.written(1)) {
                if join(a, b) {
                    meets[a as usize] = true;
                }
            }
        }
        for [a, b] in trees.meetings(state) {
            if join(a, b) {
                meets[a as usize] = true;
            }
        }
        for [link, root] in trees.rooted() {
            join(link, root);
        }
        for &i in solved.iter().chain(trees.afloat()) {
            // Most islands have no joints, and of those that are held nobody asks.
            if islands.is_adrift(state.islands.of(bodies.slot[i as usize]) as usize) {
                joints_of(state, i).for_each(|([a, b], _)| _ = join(a, b));
            }
        }
        sums.clear();
        for i in 0..group.len() {
            if group[i] == NO_ROW {
                continue;
            }
            // Whoever stands for it comes before it, and has its number already.
            let first = together.find(i as u32) as usize;
            group[i] = if first == i { sums.len() as u32 } else { group[first] };
            if first == i {
                sums.push(Sum::default());
            }
            let sum = &mut sums[group[i] as usize];
            sum.meets |= meets[i];
            sum.linked |= trees.has(i as u32);
        }
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

    /// Gives the groups what the step owes them.
    pub fn settle(&mut self, bodies: &mut Bodies, trees: &mut TreeWork, broken: &[u32], dt: Real) {
        if self.group.is_empty() {
            return;
        }
        self.note_end(bodies, broken);
        for sum in self.sums.iter_mut().filter(|s| s.count > 1 && s.meets) {
            let middle = (sum.before.first + sum.before.linear * (0.5 * dt.to_f64())) / sum.mass;
            let torque = (sum.torque - middle.cross(sum.force)) * dt.to_f64();
            let owed = sum.before.about_centre(sum.mass) + torque - sum.after.about_centre(sum.mass);
            sum.centre = sum.after.first / sum.mass;
            let inertia = sum.inertia - Sym3::point_mass(sum.centre) * sum.mass;
            let turn = inertia.try_inverse().map_or(Vec3::ZERO, |inverse| inverse * owed);
            let shift = match sum.linked {
                true => (sum.before.linear + sum.force * dt.to_f64() - sum.after.linear) / sum.mass,
                false => Vec3::ZERO,
            };
            // The radius of gyration.
            let reach = Num::sqrt(inertia.trace() / (2.0 * sum.mass));
            let moves = |speed: Vec3<f64>| speed.length() * dt.to_f64();
            if moves(turn) < LARGEST_TURN && moves(shift) <= LARGEST_TURN * reach {
                (sum.turn, sum.shift) = (turn, shift);
            }
        }
        for (i, &group) in self.group.iter().enumerate() {
            let Some(sum) = self.sums.get(group as usize).filter(|_| !trees.has(i as u32)) else { continue };
            let arm = bodies.pose[i].centre - sum.origin - sum.centre;
            let velocity = &mut bodies.velocity[i];
            velocity.linear += (sum.shift + sum.turn.cross(arm)).to_real();
            velocity.angular += sum.turn.to_real();
        }
        trees.move_roots(&mut bodies.velocity, |root| {
            let sum = self.sums.get(*self.group.get(root as usize)? as usize)?;
            let owed = sum.shift != Vec3::ZERO || sum.turn != Vec3::ZERO;
            owed.then_some((sum.origin + sum.centre, sum.shift, sum.turn))
        });
    }
}

/// The joints that hold an awake body, each with its bodies: [`NO_ROW`] for what no impulse moves.
fn joints_of(state: &State, body: u32) -> impl Iterator<Item = ([u32; 2], &Joint)> {
    let bodies = &state.bodies;
    let end = |slot: u32| {
        let moves = bodies.is_awake(slot) && bodies.cold.at(slot).is_some_and(|c| c.kind == BodyKind::Dynamic);
        if moves { bodies.dense_at(slot) as u32 } else { NO_ROW }
    };
    let listed = state.joints.of_body(bodies.slot[body as usize]).iter();
    let holding = listed.filter_map(|&slot| state.joints.all.at(slot)).filter(|joint| state.joint_holds(joint));
    holding.map(move |joint| (joint.bodies.map(end), joint))
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

#[cfg(test)]
mod tests {
    use super::Islands;

    /// The count of what is loose agrees with the islands, whatever is told of them, how often, and in which order.
    #[test]
    fn islands_are_loose_once() {
        let mut islands = Islands::default();
        islands.begin(3);
        [0, 1, 1, 7, usize::MAX].into_iter().for_each(|i| islands.release(i));
        assert_eq!(islands.loose, 2);
        [1, 1, 2, 9].into_iter().for_each(|i| islands.hold(i));
        islands.meet(0);
        islands.meet(1);
        assert!(islands.loose == 1 && islands.any_adrift() && islands.is_adrift(0) && !islands.is_adrift(1));
        islands.hold(0);
        assert!(islands.loose == 0 && !islands.any_adrift());
    }
}
