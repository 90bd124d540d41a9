//! Turns the bodies that joints act on, in lanes: orientation, inertia, and the angular momentum that stays.

use super::contact_constraint::{Wide, Wide3};
use super::joint_group::Wide4;
use super::motion::{self, Free, Kick, Kicks, Mass, Motion};
use crate::crew::{Shared, Team};
use crate::math::{Isa, Kernel, LANES, Lane, Mask, NO_ROW, Quat, Real, Sym3, Vec3};
use crate::world::State;

/// Groups that one thread takes at a time.
const SHARE: usize = 16;

/// Above this turn per sub-step, in radians, what the gyroscopic torque does is worked out anew in each of them: in a step the angular
/// momentum of a wheel makes half a turn about its axle and more, and the mean of that is nothing for one of its parts.
const SPINS: Real = 0.05;

/// [`LANES`] dynamic bodies that may turn about every axis.
#[derive(Clone, Debug)]
#[repr(C)]
struct TurnGroup {
    body: [u32; LANES],
    /// Principal axes in the frame of the body, and the reciprocals of the moments about them.
    axes: Wide4,
    inv_inertia: Wide3,
    /// 1 where the angular momentum is kept.
    keeps: Wide,
    /// What the gyroscopic torque has done to ω before the turn.
    gyro: Wide3,
}

impl TurnGroup {
    const EMPTY: Self = Self {
        body: [NO_ROW; LANES],
        axes: Wide4::ZERO,
        inv_inertia: Wide3::ZERO,
        keeps: Wide::ZERO,
        gyro: Wide3::ZERO,
    };
}

/// The bodies that joints act on. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turning {
    groups: Vec<TurnGroup>,
    /// Kinematic bodies and those that may not turn about some axis: one by one.
    others: Vec<u32>,
    /// Bodies that turn fast, with what the gyroscopic torque does to them before the turn of a sub-step, and their lanes.
    spinning: Vec<(u32, Vec3, u32)>,
}

impl Turning {
    /// Takes the bodies of a list. With `kicks` their angular momentum stays. One pass over them.
    ///
    /// Of what the gyroscopic torque does to ω in a sub-step, half comes before the turn and half, with the inertia that has turned,
    /// after it: so the body turns as it does in the middle of the sub-step. With all of it before the turn a wheel that precesses with Ω
    /// would gain ½ (h Ω)² (1 - I_t/I_s) of its spin in each sub-step.
    pub fn prepare(&mut self, state: &State, list: &[u32], mut kicks: Option<&mut Kicks>, h: Real) {
        self.groups.clear();
        self.others.clear();
        self.spinning.clear();
        let mut lane = LANES;
        for &body in list {
            let i = body as usize;
            let params = &state.bodies.params[i];
            if !(params.inv_mass > 0.0) || params.locks().locks_turning() {
                self.others.push(body);
                continue;
            }
            if lane == LANES {
                self.groups.push(TurnGroup::EMPTY);
                lane = 0;
            }
            let place = (self.groups.len().saturating_sub(1) * LANES + lane) as u32;
            let Some(group) = self.groups.last_mut() else { continue };
            group.body[lane] = body;
            group.axes.set(lane, params.axes);
            group.inv_inertia.set(lane, params.inv_inertia);
            if let Some(kicks) = &mut kicks
                && motion::keeps_angular_momentum(params)
            {
                group.keeps.0[lane] = 1.0;
                let (torque, start) = (state.bodies.load_on(i).torque, state.bodies.pose[i].rotation);
                let given = motion::gyroscopic_kick(&kicks[i], params, torque, start, h);
                let omega = state.bodies.velocity[i].angular;
                // Nothing is given to what turns slowly, has an impact ahead, or has no sound state.
                if given.is_finite() && given != Vec3::ZERO {
                    let mut before = given * share_before(omega, h);
                    if omega.length() * h > SPINS {
                        before = motion::free_change(&state.bodies, i, start, omega, h) * share_before(omega, h);
                        self.spinning.push((body, before, place));
                    }
                    add_turn(&mut kicks[i], before - given);
                    group.gyro.set(lane, before);
                }
            }
            lane += 1;
        }
    }

    /// What the gyroscopic torque does in a later sub-step to bodies that turn fast. One pass over them.
    pub fn kick_again(&mut self, state: &State, motions: &[Motion], kicks: &mut Kicks, h: Real) {
        for &mut (body, ref mut before, place) in &mut self.spinning {
            let i = body as usize;
            let (_, omega) = motion::velocity_of(&motions[i]);
            let change = motion::free_change(&state.bodies, i, motion::rotation_of(&motions[i]), omega, h);
            let now = change * share_before(omega, h);
            add_turn(&mut kicks[i], now - *before);
            *before = now;
            self.groups[place as usize / LANES].gyro.set(place as usize % LANES, now);
        }
    }

    /// Turns the bodies by their angular velocities over `h`, and their inertias with them. Where their angular momentum stays, what that
    /// does to ω counts as free motion. One pass over them.
    #[allow(clippy::too_many_arguments)]
    pub fn advance(
        &mut self,
        state: &State,
        motions: &mut [Motion],
        free: &mut [Free],
        masses: &mut [Mass],
        h: Real,
        isa: Isa,
        team: &Team,
    ) {
        for &i in &self.others {
            let i = i as usize;
            let motion = &mut motions[i];
            let (_, angular) = motion::velocity_of(motion);
            let after = motion::rotation_of(motion).advanced(angular, h);
            motion::set_rotation(motion, after);
            let params = &state.bodies.params[i];
            if params.inv_mass > 0.0 {
                motion::set_inertia(&mut masses[i], params.inv_inertia_world(after));
            }
        }
        let groups = &self.groups[..];
        let (motions, free, masses) = (Shared::new(motions), Shared::new(free), Shared::new(masses));
        team.for_blocks(groups.len().div_ceil(SHARE), |_, block| {
            let groups = &groups[block * SHARE..groups.len().min((block + 1) * SHARE)];
            isa.dispatch(Turn { groups, motions, free, masses, h });
        });
    }
}

/// The share of what the gyroscopic torque does in a sub-step that comes before the turn: half, where [`motion::kept`] brings the rest after it.
fn share_before(omega: Vec3, h: Real) -> Real {
    if omega.length() * h < motion::KEPT_TURNS.end { 0.5 } else { 1.0 }
}

/// Adds to what a kick does to ω.
fn add_turn(kick: &mut Kick, change: Vec3) {
    for c in 0..3 {
        kick[4 + c] += change[c];
    }
}

struct Turn<'a> {
    groups: &'a [TurnGroup],
    motions: Shared<'a, Motion>,
    free: Shared<'a, Free>,
    masses: Shared<'a, Mass>,
    h: Real,
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { groups, motions, free, masses, h } = self;
        let h = L::splat(h);
        for group in groups {
            for at in (0..LANES).step_by(L::WIDTH) {
                let bodies = &group.body[at..];
                // SAFETY: every body is in one lane of one group, and every group is the work of one thread.
                let m = unsafe { L::gather::<16, 16>(motions.as_mut_ptr(), motions.len(), 0, bodies) };
                let omega = Vec3::new(m[3], m[4], m[5]);
                let before = Quat::new(m[12], m[13], m[14], m[15]);
                let theta = omega * h;
                let after = (exponential(theta) * before).normalized();
                let (axes, u) = (group.axes.load::<L>(at), group.inv_inertia.load::<L>(at));
                let j = Sym3::rotated_diagonal(&(after * axes).to_mat3(), u);
                let keeps = group.keeps.load::<L>(at).greater(L::ZERO);
                let gyro = group.gyro.load::<L>(at);
                let kept = motion::kept(keeps, before * axes, u, theta, omega, gyro);
                let columns = [
                    m[0], m[1], m[2], kept.x, kept.y, kept.z, m[6], m[7], m[8], m[9], m[10], m[11], after.x, after.y,
                    after.z, after.w,
                ];
                // SAFETY: as above.
                unsafe {
                    L::scatter::<16, 16>(columns, motions.as_mut_ptr(), motions.len(), 0, bodies);
                    let i = L::gather::<8, 8>(masses.as_mut_ptr(), masses.len(), 0, bodies);
                    let columns = [j.xx, j.yy, j.zz, j.xy, j.xz, j.yz, i[6], i[7]];
                    L::scatter::<8, 8>(columns, masses.as_mut_ptr(), masses.len(), 0, bodies);
                    let mut f = L::gather::<8, 8>(free.as_mut_ptr(), free.len(), 0, bodies);
                    f[3] += kept.x - omega.x;
                    f[4] += kept.y - omega.y;
                    f[5] += kept.z - omega.z;
                    L::scatter::<8, 8>(f, free.as_mut_ptr(), free.len(), 0, bodies);
                }
            }
        }
    }
}

/// Terms of the series of sin(x)/x and cos(x) in x², of which the next is below the rounding for x <= 1/2.
const TERMS: usize = if size_of::<Real>() == 4 { 5 } else { 8 };

/// The turn by |v| radians about v. A body turns by much less than a radian in a sub-step, where two short series do; faster ones, and
/// what is no number, are left to [`Quat::from_rotation_vector`].
#[inline(always)]
fn exponential<L: Lane>(v: Vec3<L>) -> Quat<L> {
    let x = v.length_squared() * L::splat(0.25);
    let (mut sinc, mut cos) = (L::ONE, L::ONE);
    // 1 - x/(2 3) (1 - x/(4 5) (1 - ...)) and 1 - x/(1 2) (1 - x/(3 4) (1 - ...))
    for i in (1..=TERMS).rev() {
        let n = 2.0 * i as Real;
        sinc = L::ONE - x * L::splat(1.0 / (n * (n + 1.0))) * sinc;
        cos = L::ONE - x * L::splat(1.0 / (n * (n - 1.0))) * cos;
    }
    let q = Quat::from_parts(v * (sinc * L::splat(0.5)), cos);
    let slow = x.less_eq(L::splat(0.25));
    if slow.all() {
        return q;
    }
    exactly(v, q, slow)
}

/// The same for the lanes that are not slow.
#[inline(always)]
fn exactly<L: Lane>(v: Vec3<L>, q: Quat<L>, slow: L::Mask) -> Quat<L> {
    let mut columns = [[0.0; LANES]; 4];
    for (column, value) in columns.iter_mut().zip([q.x, q.y, q.z, q.w]) {
        value.store(column);
    }
    for lane in 0..L::WIDTH {
        if slow.bits() >> lane & 1 == 0 {
            let q = Quat::<Real>::from_rotation_vector(v.lane(lane));
            for (column, value) in columns.iter_mut().zip([q.x, q.y, q.z, q.w]) {
                column[lane] = value;
            }
        }
    }
    Quat::new(L::load(&columns[0]), L::load(&columns[1]), L::load(&columns[2]), L::load(&columns[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The series and the closed form are the same turn, at all sizes.
    #[test]
    fn series_and_closed_form_agree() {
        for i in 0..400 {
            let v = Vec3::new(0.6, -0.48, 0.64) * (0.01 * i as Real);
            let (a, b) = (exponential::<Real>(v), Quat::from_rotation_vector(v));
            let off = (a - b).dot(a - b);
            assert!(off <= 16.0 * Real::EPSILON * Real::EPSILON, "{v:?}: {a:?} {b:?}");
        }
        assert_eq!(exponential::<Real>(Vec3::all(Real::NAN)), Quat::IDENTITY);
    }
}
