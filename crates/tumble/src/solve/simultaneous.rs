//! Simultaneous impulses: all constraints of a step as one mixed LCP at velocity level (003-83).
//!
//! ```text
//!   solve      λ, u        contacts hold, nothing bounces; poses will move by u
//!   correct    U           split impulse: a second system, of velocities that move the poses once and are forgotten
//!   bounce     λ, u        where something hit fast enough: J u >= -e J u* along its normal, from the solution before; no more than there
//!                          was, see `bounce_energy`
//! ```
//!
//! Restitution comes last and moves nothing: the surfaces meet in this step, and part from the next one on. What bounces is u*, the
//! velocity with the forces of the step, and not the u⁻ before it. By both, a ball with e = 1 returns to its height: the velocities of
//! semi-implicit Euler lag half a step behind the positions while it falls, and lead them by as much while it rises.
//!
//! In the correction, s' = s + h J u is where a contact will be, C' = C + h J u where a joint will be, and β the share of the error that a step
//! takes out (003-85b):
//!
//! ```text
//!   J U >= -(s' + slop)/h                        s' >= -slop    may close, not pass
//!   J U >= min(-β (s' + slop)/h, v_push)         s' < -slop
//!   J U  = -β C'/h
//! ```

use super::bounce_energy::BounceEnergy;
use super::contact_rows::{self, Site};
use super::joint_rows::JointRows;
use super::joint_work::HOLD_SPEED;
use super::motion;
use super::projected_gauss_seidel::{self as pgs, Stop};
use super::system::{Correct, Mass, Parties, Recipe, System, SystemRow};
use super::tree_system::{TreeParties, TreeStops};
use super::tree_work::TreeWork;
use crate::body::store::{Bodies, Params, Velocity, limited};
use crate::constraint::contact::ContactManifold;
use crate::detect::continuous::Ahead;
use crate::integrate::Loads;
use crate::math::{Float, NO_ROW, Num, Real, Vec3};
use crate::method::{Correction, Explicit, FrictionModel, Lcp, Simultaneous};
use crate::profile::Profile;
use crate::step::bounce_cap::Touch;
use crate::step::impacts::Hit;
use crate::world::State;

/// Memory of the solver, kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Work {
    system: System,
    correction: System,
    pub joints: JointRows,
    parties: TreeParties,
    stops: TreeStops,
    sites: Vec<Site>,
    masses: Vec<Mass>,
    /// u⁻: velocities before the step. One more than there are awake bodies, here and below, for all that nothing moves; then what
    /// trees add.
    before: Vec<Velocity>,
    /// u
    velocities: Vec<Velocity>,
    /// What the gyroscopic torque has done to ω, of awake bodies.
    gyros: Vec<Vec3>,
    /// By which the poses move: u before anything bounces, and U.
    travels: Vec<Velocity>,
    /// Some row acts on the body.
    held: Vec<bool>,
    /// Some joint does.
    tied: Vec<bool>,
    /// Awake bodies whose velocity or load is not finite as the step begins.
    pub unsound: Vec<u32>,
    /// J u of each row after the first solve.
    rates: Vec<Real>,
    /// Of what bounces.
    energy: BounceEnergy,
    /// Something has bounced in this step.
    pub bounced: bool,
}

/// Bodies and constraints into one system. One pass over the bodies and one over the constraints.
pub(crate) fn prepare(
    work: &mut Work,
    trees: &mut TreeWork,
    state: &State,
    supports: &mut [u32],
    ahead: &Ahead,
    method: &Explicit,
    loads: &Loads,
    dt: Real,
) {
    let bodies = &state.bodies;
    work.masses.clear();
    work.before.clear();
    work.velocities.clear();
    work.gyros.clear();
    work.unsound.clear();
    for i in 0..bodies.awake() {
        let params = &bodies.params[i];
        let (free, gyro) = free_velocity(bodies, i, loads, dt);
        work.gyros.push(gyro);
        if !(free.is_finite() && bodies.velocity[i].is_finite()) {
            // It stands still for this step, so that nothing it touches catches it.
            work.masses.push(Mass::INFINITE);
            work.before.push(Velocity::default());
            work.velocities.push(Velocity::default());
            work.unsound.push(i as u32);
            continue;
        }
        work.masses.push(Mass {
            inv_mass: params.locks().free_move() * params.inv_mass,
            inv_inertia: params.inv_inertia_world(bodies.pose[i].rotation),
        });
        work.before.push(bodies.velocity[i]);
        work.velocities.push(free);
    }
    // An impulse acts on a body as it is turned then; and the gyroscopic torque of its spin before would only feed the new one.
    let blunt = Loads { gyroscopic: false, ..*loads };
    for (i, rotation) in ahead.impacts().filter(|(i, _)| !work.unsound.contains(&(*i as u32))) {
        work.masses[i].inv_inertia = bodies.params[i].inv_inertia_world(rotation);
        (work.velocities[i], work.gyros[i]) = free_velocity(bodies, i, &blunt, dt);
    }
    work.masses.push(Mass::INFINITE);
    work.before.push(Velocity::default());
    work.velocities.push(Velocity::default());
    work.parties.prepare(trees, &mut work.masses, &mut work.before, &mut work.velocities, dt);

    let tolerances = &state.method.tolerances;
    let push_speed = tolerances.push_speed * tolerances.speed(state.gravity_strength());
    let recipe = Recipe {
        h: dt,
        share: if let Correction::Baumgarte { share } = method.correction { share } else { 0.0 },
        push_speed,
        hold_speed: HOLD_SPEED * push_speed,
        length: tolerances.length,
        warm_start: state.method.switches.warm_start,
    };
    let of_trees = core::mem::take(&mut work.parties);
    let parties = Parties {
        masses: &work.masses,
        before: &work.before,
        free: &work.velocities,
        trees: (!trees.is_empty()).then_some((&of_trees, &*trees)),
    };
    work.system.clear();
    work.joints.gather(&mut work.system, supports, state, &parties, &recipe);
    of_trees.gather(&mut work.stops, &mut work.system, trees, state, &parties, &recipe);
    work.tied.clear();
    work.tied.resize(work.masses.len(), false);
    for row in &work.system.rows {
        for body in row.bodies {
            work.tied[body as usize] = true;
        }
    }
    contact_rows::gather(&mut work.system, &mut work.sites, supports, state, &parties, &recipe);
    work.held.clear();
    work.held.resize(work.masses.len(), false);
    for row in &work.system.rows {
        for body in row.bodies {
            work.held[body as usize] = true;
        }
    }
    of_trees.share_hold(trees, &mut work.held);
    work.parties = of_trees;
    trees.share_supports(supports);
}

/// u*: the velocity of a body with the forces of the step, and without constraints; and what of it the gyroscopic torque has done to ω.
fn free_velocity(bodies: &Bodies, i: usize, loads: &Loads, dt: Real) -> (Velocity, Vec3) {
    let (mut motion, kick) = motion::prepare(bodies, i, loads, dt, 1);
    let (params, torque) = (&bodies.params[i], bodies.load_on(i).torque);
    let gyro = motion::gyroscopic_kick(&kick, params, torque, bodies.pose[i].rotation, dt);
    motion::kick(&mut motion, &kick);
    let (linear, angular) = motion::velocity_of(&motion);
    (Velocity { linear, angular }, gyro)
}

/// Solves, corrects, bounces; `hits` are the impacts to report. With n sweeps each: one pass over the constraints to start warm, n to solve,
/// one for the rates, n + 1 to correct and n + 3 to bounce, or three more where that has won energy, where there is something to.
pub(crate) fn solve(
    work: &mut Work,
    trees: &TreeWork,
    state: &State,
    solver: &Simultaneous,
    correction: Correction,
    hits: &mut Vec<Hit>,
    profile: &mut Profile,
    dt: Real,
) {
    let tolerances = &state.method.tolerances;
    let speed = tolerances.speed(state.gravity_strength());
    let Lcp::ProjectedGaussSeidel { iterations, tolerance } = solver.lcp;
    let stop = Stop { sweeps: iterations, change: tolerance * speed };

    work.system.apply_impulses(&mut work.velocities);
    profile.sweeps = pgs::solve(&mut work.system, &mut work.velocities, &stop);
    work.rates.clear();
    work.rates.extend(work.system.rows.iter().map(|row| row.velocity(&work.velocities)));

    work.parties.note_solved(&work.system, trees);

    work.travels.clear();
    work.travels.resize(work.velocities.len(), Velocity::default());
    if let Correction::SplitImpulse { share } = correction
        && work.needs_correction(share, tolerances.push_speed * speed, dt)
    {
        work.correction.spread = core::mem::take(&mut work.system.spread);
        profile.sweeps += pgs::solve(&mut work.correction, &mut work.travels, &stop);
        work.parties.note_pushed(&work.correction, trees);
        work.system.spread = core::mem::take(&mut work.correction.spread);
    }
    for (travel, u) in work.travels.iter_mut().zip(&work.velocities) {
        travel.linear += u.linear;
        travel.angular += u.angular;
    }

    work.find_hits(state, hits);
    work.bounced = work.bounces(state, tolerances.restitution_speed * speed, dt);
    if work.bounced {
        profile.sweeps += pgs::solve(&mut work.system, &mut work.velocities, &stop);
        work.energy.take_back(&mut work.system, &work.rates, &mut work.velocities);
        work.weigh_hits(hits);
    }
}

/// Writes the impulses back, for the next step to start from.
pub(crate) fn store(work: &mut Work, state: &mut State, dt: Real) {
    work.joints.store(&work.system, state, dt);
    contact_rows::store(&work.system, &work.sites, state.method.friction, &mut state.contacts);
}

/// Lists the bodies that some row acts on, and those that none does.
pub(crate) fn sort_bodies(work: &Work, bodies: &Bodies, solved: &mut Vec<u32>, flying: &mut Vec<u32>) {
    for i in (0..bodies.awake()).filter(|&i| !bodies.params[i].has(Params::LINK)) {
        let held = work.held[i] && !bodies.params[i].has(Params::KINEMATIC);
        if held { &mut *solved } else { &mut *flying }.push(i as u32);
    }
}

/// Moves the bodies that constraints act on, by semi-implicit Euler: x ← x + h (u + U), and keeps their angular momentum while they turn. One
/// pass over them.
pub(crate) fn advance(work: &Work, bodies: &mut Bodies, list: &[u32], gyroscopic: bool, dt: Real) {
    for i in list.iter().map(|&i| i as usize) {
        let (travel, velocity, params) = (&work.travels[i], &work.velocities[i], &bodies.params[i]);
        let pose = &mut bodies.pose[i];
        pose.centre += travel.linear.to_f64() * dt.to_f64();
        let start = pose.rotation;
        pose.rotation = start.advanced(travel.angular, dt);
        let mut angular = velocity.angular;
        // What joints have solved is not turned afterwards.
        if gyroscopic && !work.tied[i] {
            angular = motion::keep_angular_momentum(params, start, travel.angular * dt, angular, work.gyros[i]);
        }
        bodies.velocity[i] = Velocity {
            linear: limited(velocity.linear, params.max_linear_speed),
            angular: limited(angular, params.max_angular_speed),
        };
        bodies.rest[i].carry = Vec3::ZERO;
    }
}

/// Moves the articulations: those that constraints act on as the solver says, the others by the integrator.
pub(crate) fn advance_trees(work: &mut Work, trees: &mut TreeWork, explicit: bool, dt: Real) {
    work.parties.advance(&work.system, &work.stops, trees, explicit, dt);
}

/// Moves the articulations under forces alone.
pub(crate) fn fly_trees(work: &mut Work, trees: &mut TreeWork, explicit: bool, dt: Real) {
    work.system.clear();
    work.stops.clear();
    let (masses, before, free) = (&mut work.masses, &mut work.before, &mut work.velocities);
    for list in [&mut *before, &mut *free] {
        list.clear();
        list.resize(trees.links.len() + 1, Velocity::default());
    }
    masses.clear();
    masses.resize(trees.links.len() + 1, Mass::INFINITE);
    work.parties.prepare(trees, masses, before, free, dt);
    work.held.clear();
    work.held.resize(work.masses.len(), false);
    work.parties.share_hold(trees, &mut work.held);
    work.parties.note_solved(&work.system, trees);
    work.parties.advance(&work.system, &work.stops, trees, explicit, dt);
}

/// The rotation vector by which a body has turned that constraints act on.
pub(crate) fn way_turned(work: &Work, i: usize, dt: Real) -> Option<Vec3> {
    work.held[i].then(|| work.travels[i].angular * dt)
}

impl Work {
    /// All contacts, after a step in which something has bounced.
    pub fn touches<'a>(&'a self, state: &'a State) -> impl Iterator<Item = Touch> + 'a {
        let awake = state.bodies.awake() as u32;
        let kinematic = |i: u32| state.bodies.params[i as usize].has(Params::KINEMATIC);
        self.sites.iter().map(move |site| {
            let first = site.normals as usize;
            let bodies = self.system.rows[first].bodies;
            let manifold = &state.contacts.manifolds[site.manifold as usize];
            Touch {
                bodies: bodies.map(|i| if i < awake && !kinematic(i) { i } else { NO_ROW }),
                struck: (first..first + site.points as usize).any(|k| self.hit(k, 0.0)) && manifold.restitution > 0.0,
                drives: bodies.into_iter().any(|i| i < awake && kinematic(i))
                    || state.contacts.surface_velocity(site.manifold) != Vec3::ZERO
                    || state.contacts.surface_pair(site.manifold).hertz > 0.0,
            }
        })
    }

    /// Bodies on which joints act.
    pub fn jointed(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.tied.len() as u32).filter(|&i| self.tied[i as usize])
    }

    /// Makes the system of the correction; false where no error is to be taken out.
    fn needs_correction(&mut self, share: Real, push_speed: Real, h: Real) -> bool {
        let mut needed = false;
        self.correction.clear();
        for ((row, demand), rate) in self.system.rows.iter().zip(&self.system.demands).zip(&self.rates) {
            let error = demand.error + h * rate;
            let target = match demand.correct {
                Correct::Not => continue,
                Correct::Equal => (-share * error / h).clamp(-HOLD_SPEED * push_speed, HOLD_SPEED * push_speed),
                Correct::Push if error + demand.slop < 0.0 => Num::min(-share * (error + demand.slop) / h, push_speed),
                Correct::Push => -(error + demand.slop) / h,
            };
            needed |= target > 0.0 || (demand.correct == Correct::Equal && target != 0.0);
            self.correction.rows.push(SystemRow { target, impulse: 0.0, ..*row });
        }
        needed
    }

    /// Contact points that pushed, at contacts that report impacts.
    fn find_hits(&self, state: &State, hits: &mut Vec<Hit>) {
        for site in &self.sites {
            if state.contacts.manifolds[site.manifold as usize].flags & ContactManifold::IMPACTS == 0 {
                continue;
            }
            for point in 0..site.points {
                let row = (site.normals + point) as usize;
                let impulse = self.system.rows[row].impulse;
                if impulse > 0.0 {
                    hits.push(Hit::new(state, site.manifold, point, -self.system.demands[row].approach, impulse));
                }
            }
        }
    }

    /// With the bounces, which have added to the impulses. Hits are in the order of the sites.
    fn weigh_hits(&self, hits: &mut [Hit]) {
        let mut hits = hits.iter_mut().peekable();
        for site in &self.sites {
            for point in 0..site.points {
                if let Some(hit) = hits.next_if(|hit| hit.is_at(site.manifold, point)) {
                    hit.impulse = self.system.rows[(site.normals + point) as usize].impulse;
                }
            }
        }
    }

    /// A contact or limit that pushed, and was met faster than `threshold`.
    fn hit(&self, row: usize, threshold: Real) -> bool {
        self.system.rows[row].impulse > 0.0 && self.system.demands[row].approach < -threshold
    }

    /// Asks of everything that hit fast enough that it bounce; false where nothing did.
    fn bounces(&mut self, state: &State, threshold: Real, h: Real) -> bool {
        let struck = |k: usize| self.system.demands[k].restitution > 0.0 && self.hit(k, threshold);
        if !(0..self.system.rows.len()).any(struck) && !self.sites.iter().any(|s| self.turns_slip(s, state, threshold))
        {
            return false;
        }
        self.energy.note(&self.system);
        self.turn_slip_round(state, threshold);
        for k in 0..self.system.rows.len() {
            let demand = self.system.demands[k];
            let bounces = demand.restitution > 0.0 && self.hit(k, threshold);
            let row = &mut self.system.rows[k];
            if bounces {
                row.target = -demand.restitution * demand.free_rate;
                // A soft surface that gives a share back as a whole is no spring in this: it would give back more.
                row.compliance = 0.0;
                row.inv_diagonal = row.hard_inv_diagonal();
            } else if demand.correct == Correct::Push && row.target <= 0.0 {
                // The poses have moved: what is left of the gap may be closed. What has not been reached, and will bounce, comes as fast
                // as it did.
                let left = -Num::max(demand.error + h * self.rates[k], 0.0) / h;
                let comes = demand.restitution > 0.0 && row.impulse <= 0.0;
                row.target = if comes { Num::min(left, self.rates[k]) } else { left };
            }
        }
        true
    }

    /// Some point was hit whose slip is to be turned round.
    fn turns_slip(&self, site: &Site, state: &State, threshold: Real) -> bool {
        let e = state.contacts.surface_pair(site.manifold).tangential_restitution;
        e != 0.0 && (0..site.points).any(|point| self.hit((site.normals + point) as usize, threshold))
    }

    /// Asks that the slip at points that hit be turned round, as far as friction reaches: -e_t of what it was.
    fn turn_slip_round(&mut self, state: &State, threshold: Real) {
        for s in 0..self.sites.len() {
            let site = self.sites[s];
            let e = state.contacts.surface_pair(site.manifold).tangential_restitution;
            if e == 0.0 {
                continue;
            }
            for point in 0..site.points {
                if !self.hit((site.normals + point) as usize, threshold) {
                    continue;
                }
                for k in site.slip_rows(point, state.method.friction) {
                    // What friction asks for otherwise is the velocity of the surface, the other way round.
                    let row = &mut self.system.rows[k as usize];
                    let slip = self.system.demands[k as usize].free_rate - row.target;
                    row.target -= e * slip;
                }
                if state.method.friction == FrictionModel::Manifold {
                    break;
                }
            }
        }
    }
}
