//! What all time-step methods do at the end of a step.

use crate::body::store::{CentrePose, Params, Rest, Velocity};
use crate::crew::{Shared, Team};
use crate::detect::broad::ProxyId;
use crate::detect::continuous::{self, Ahead, Way};
use crate::math::spatial::Wrench;
use crate::math::{Aabb, Real, Vec3};
use crate::method::SleepCriterion;
use crate::world::State;
use core::mem::take;

/// A body before the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    pub pose: CentrePose,
    pub velocity: Velocity,
}

impl Before {
    /// The motion from here to `end`, with the rotation vector `turn`.
    pub fn way<'a>(&self, end: &'a CentrePose, turn: Vec3, params: &'a Params, load: Wrench) -> Way<'a> {
        Way { start: self.pose, velocity: self.velocity, end, turn, params, load }
    }
}

/// A velocity below this counts as none. What decays would otherwise end in denormal numbers, for which processors take many times
/// as long; above it, also the products with a step or a share of rounding are normal.
const NOTHING: Real = Real::MIN_POSITIVE / Real::EPSILON;

fn without_dust(v: Vec3) -> Vec3 {
    let kept = |x: Real| if x.abs() < NOTHING { 0.0 } else { x };
    Vec3::new(kept(v.x), kept(v.y), kept(v.z))
}

/// When a body is idle: by which measure, and below which speed.
#[derive(Clone, Copy)]
pub(crate) struct Idle {
    criterion: SleepCriterion,
    /// In m/s.
    pub speed: Real,
}

/// Takes stock of what a step has made of an awake body: its acceleration, and for how long it has been idle. A state that is not
/// finite is taken back, and the answer is false.
#[inline(always)]
pub(crate) fn take_stock(
    (pose, velocity, rest): (&mut CentrePose, &mut Velocity, &mut Rest),
    params: &Params,
    before: &Before,
    idle: &Idle,
    dt: Real,
) -> bool {
    if !(pose.is_finite() && velocity.is_finite()) {
        *pose = before.pose;
        *velocity = Velocity::default();
        rest.carry = Vec3::ZERO;
        return false;
    }
    *velocity = Velocity { linear: without_dust(velocity.linear), angular: without_dust(velocity.angular) };
    rest.linear_acceleration = (velocity.linear - before.velocity.linear) / dt;
    rest.angular_acceleration = (velocity.angular - before.velocity.angular) / dt;
    let extent = params.turning_extent();
    let idles = match idle.criterion {
        SleepCriterion::Displacement => {
            // The farthest point moved by at most |Δx| + |ω| dt r, however the two add up. Not from the orientations: a body that
            // makes a whole turn in a step is not at rest.
            let moved = (pose.centre - before.pose.centre).to_real().length();
            let turned = velocity.angular.length() * dt;
            moved + turned * extent < idle.speed * dt
        }
        SleepCriterion::Velocity => {
            velocity.linear.length() < idle.speed && velocity.angular.length() * extent < idle.speed
        }
        SleepCriterion::Energy => {
            let w = (pose.rotation * params.axes).unrotate(velocity.angular);
            let u = params.inv_inertia;
            let moment = |u: Real| if u > 0.0 { 1.0 / u } else { 0.0 };
            let spin = w.scale(w).dot(Vec3::new(moment(u.x), moment(u.y), moment(u.z))) * params.inv_mass;
            velocity.linear.length_squared() + spin < idle.speed * idle.speed
        }
    };
    if idles {
        rest.idle_time += dt;
    } else {
        rest.idle_time = 0.0;
    }
    true
}

/// When bodies are idle.
pub(crate) fn idle(state: &State) -> Idle {
    let tolerances = &state.method.tolerances;
    let speed = tolerances.sleep_speed * tolerances.speed(state.gravity_strength());
    Idle { criterion: state.method.sleep.criterion, speed }
}

/// Holds bodies that would have passed through others, takes those out whose state stopped being finite, and tells the broad phase
/// where the others are. Where some are taken out others get their places, and nobody knows any more by how much anyone is supported.
pub(crate) fn conclude(
    state: &mut State,
    ahead: &mut Ahead,
    broken: &mut Vec<u32>,
    supports: &mut Vec<u32>,
    team: &Team,
    dt: Real,
) {
    state.islands.begin_epoch();
    continuous::hold(state, ahead, team);
    state.bodies.pushes.clear();
    if !broken.is_empty() {
        supports.clear();
    }
    for slot in broken.drain(..) {
        // A tree goes as a whole: its links are where its joints say.
        state.with_tree(slot).into_iter().for_each(|slot| state.quarantine(slot));
    }
    move_proxies(state, ahead, team, dt);
}

/// How far ahead the boxes of an awake body are to reach: two steps, and one where that is far, since long boxes meet many others.
fn reach(state: &State, ahead: &Ahead, i: usize, dt: Real) -> Vec3 {
    let (step, extent) = (state.bodies.velocity[i].linear * dt, state.bodies.params[i].extent);
    if step.length_squared() < extent * extent { step * ahead.steps(i) } else { step }
}

/// [`State::move_proxies`] for all awake bodies: all threads note where the colliders are; then the boxes that have to be moved are, one after the
/// other in the order of the bodies. One pass over the bodies, and one over these.
fn move_proxies(state: &mut State, ahead: &mut Ahead, team: &Team, dt: Real) {
    let (mut moves, mut places) = (take(&mut ahead.moves), take(&mut state.placed));
    {
        let (state, ahead, places) = (&*state, &*ahead, Shared::new(&mut places));
        moves.find(state.bodies.awake(), team, |i, emit| {
            let reach = reach(state, ahead, i, dt);
            let leaves = |proxy: ProxyId, bounds: &Aabb| emit(proxy, bounds, reach);
            // SAFETY: a body is asked for once, and a collider is of one body.
            unsafe { state.note_places(state.bodies.slot[i], i, reach, true, places, leaves) };
        });
    }
    state.placed = places;
    moves.make(&mut state.broad);
    ahead.moves = moves;
}
