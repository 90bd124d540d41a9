//! Impacts: what the materials give back of the speed of approach.
//!
//! With u_n and u_t the velocities of the contact point before the impact, e the coefficient of restitution and e_t that of
//! tangential restitution:
//!
//! ```text
//!   u_n < -threshold:           u_n' = -e u_n
//!   friction on all of that:    u_t' = -e_t u_t, as far as |f| <= μ Σλ allows      (001-46)
//! ```
//!
//! Once per sub-step, so that a body that bounced flies on for the rest of the step, and in two ways:
//!
//! - **Blows**, between bodies that both can move, come before the constraints of the sub-step. Whoever would meet in it is
//!   struck, one manifold after the other, over and over until nobody meets any more: so a row of balls hands a blow on from
//!   one to the next (Guendelman, Bridson and Fedkiw 2003). No single blow wins energy, and so no series of them does.
//! - **Bounces**, off what nothing moves, come after the constraints. These let the body come down to the surface and stop it
//!   there; then it gets its speed back. So it bounces at the height of the surface. A manifold gives back no more energy than
//!   it has taken. What is won all the same, where a contact that only stops has won from those that bounce, or where the inertia has turned
//!   within the step, `step::bounce_cap` takes back.
//!
//! Impulses of impacts are not kept for the next warm start: the surfaces part.

mod blows;
mod bounces;

pub(crate) use self::blows::Blows;
pub(crate) use self::bounces::{Bounces, Stops};

use super::contact_constraint::{Block, Group, GroupPoint, Watch};
use super::contact_kernel::{Ends, Moved, Pass, Whole, friction, times};
use super::motion::Free;
use crate::crew::Shared;
use crate::math::{Kernel, LANES, Lane, Mask, Real, Vec3};

/// Notes velocities and separations of all points, for [`Bounces`].
pub(crate) struct Approach<'a>(pub Pass<'a>);

impl Kernel for Approach<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let pass = self.0;
        for i in pass.range.clone() {
            let Whole { group, points, watch: Some(watch), oddity } = pass.whole(i) else { continue };
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 12>(&group.body_a[at..]);
                let b = pass.gather::<L, 12>(&group.body_b[at..]);
                let ends = Ends::new(group, oddity, at, &a, &b);
                let n = group.normal.load::<L>(at);
                let moved = Moved::new(&ends, n, &a, &b);
                for (i, point) in points.iter().enumerate() {
                    watch.closing[i].store(at, ends.speed(point, n));
                    watch.gap[i].store(at, point.separation_now(at, &moved));
                }
                let (s1, s2) = ends.slip(group, at, n);
                watch.slip[0].store(at, s1);
                watch.slip[1].store(at, s2);
            }
        }
    }
}

/// The velocities that bodies would have without the impulses that the constraints carry: what has been changed by an impact is
/// added to them, so that the next warm start does not take it for such an impulse.
#[inline(always)]
fn gather_free<L: Lane>(free: &Shared<'_, Free>, indices: &[u32]) -> [L; 8] {
    // SAFETY: as for the motions: no two manifolds of a colour share a body that is written.
    unsafe { L::gather::<8, 8>(free.as_mut_ptr(), free.len(), 0, indices) }
}

/// Adds the difference of the velocities of `after` and `before`.
#[inline(always)]
fn carry_over<L: Lane>(
    free: &Shared<'_, Free>,
    written: &[[u32; LANES]; 2],
    at: usize,
    before: &Ends<'_, L>,
    after: &Ends<'_, L>,
) {
    let zero = [L::ZERO; 8];
    let (old_a, old_b) = before.columns(&zero, &zero);
    let (new_a, new_b) = after.columns(&zero, &zero);
    for (indices, old, new) in [(&written[0][at..], old_a, new_a), (&written[1][at..], old_b, new_b)] {
        let mut f = gather_free::<L>(free, indices);
        for c in 0..6 {
            f[c] += new[c] - old[c];
        }
        // SAFETY: as above.
        unsafe { L::scatter::<8, 8>(f, free.as_mut_ptr(), free.len(), 0, indices) };
    }
}

/// Which points of a manifold are hit.
struct Hits<L: Lane> {
    hit: [L::Mask; 4],
    any: L::Mask,
    /// What they are to get; if not given, -e times the speed that they have when their turn comes.
    wanted: Option<Wanted<L>>,
}

/// The speeds that points are to have, and the energy that they may get with them.
struct Wanted<L> {
    speeds: [L; 4],
    energy: L,
}

impl<L: Lane> Hits<L> {
    /// What a point of this speed lacks of its goal.
    #[inline(always)]
    fn lack(&self, i: usize, now: L, e: L) -> L {
        match &self.wanted {
            Some(wanted) => now - wanted.speeds[i],
            None => (now + e * now).min(L::ZERO),
        }
    }
}

/// Passes over the points of a manifold that is to have given speeds: two that lever each other, as the ends of a rod do, come within 0.1 % of them.
const SWEEPS: usize = 6;

/// Gives the points that are hit the speed that the materials return, and friction its share.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn strike<L: Lane>(
    group: &mut Group,
    points: &mut [GroupPoint],
    watch: &mut Watch,
    block: Option<&Block>,
    at: usize,
    n: Vec3<L>,
    hits: &Hits<L>,
    ends: &mut Ends<'_, L>,
) {
    let e = watch.restitution.load::<L>(at);
    let Hits { hit, any, wanted } = hits;
    let start = *ends;
    let mut carried = [L::ZERO; 4];
    for (old, point) in carried.iter_mut().zip(&*points) {
        *old = point.normal_impulse.load(at);
    }
    // A flat hit on all four points is answered as a whole, so that the points are treated alike.
    let mut whole = L::ONE.less(L::ZERO);
    if let Some(block) = block {
        let (mut short, mut inverse) = ([L::ZERO; 4], [L::ZERO; 10]);
        for (i, point) in points.iter().enumerate() {
            short[i] = hits.lack(i, ends.speed(point, n), e);
        }
        for (l, w) in inverse.iter_mut().zip(&block.relax) {
            *l = w.load(at);
        }
        let step = times(&inverse, short);
        whole = hit[0] & hit[1] & hit[2] & hit[3];
        for (i, point) in points.iter().enumerate() {
            whole = whole & (point.normal_impulse.load::<L>(at) - step[i]).greater_eq(L::ZERO);
        }
        let (mut p, mut turn) = (L::ZERO, Vec3::ZERO);
        for (i, point) in points.iter_mut().enumerate() {
            let delta = L::select(whole, -step[i], L::ZERO);
            point.normal_impulse.store(at, point.normal_impulse.load::<L>(at) + delta);
            p += delta;
            turn += point.arm.load(at) * delta;
        }
        ends.push_along(n, p, turn);
    }
    let sweeps = if wanted.is_some() && points.len() > 1 { SWEEPS } else { 1 };
    for _ in 0..sweeps {
        for (i, point) in points.iter_mut().enumerate() {
            let old = point.normal_impulse.load::<L>(at);
            let wanted = (old - point.mass::<L>(at) * hits.lack(i, ends.speed(point, n), e)).max(L::ZERO);
            let new = L::select(hit[i] & !whole, wanted, old);
            point.normal_impulse.store(at, new);
            ends.push_at(point, n, new - old);
        }
    }
    if let Some(wanted) = wanted {
        afford(points, at, n, wanted.energy, &carried, &start, ends);
    }
    watch.struck.store(at, L::select(*any, L::ONE, watch.struck.load(at)));
    for (point, peak) in points.iter().zip(&mut watch.peak) {
        peak.store(at, peak.load::<L>(at).max(point.normal_impulse.load(at)));
    }
    let et = watch.tangential_restitution.load::<L>(at);
    friction(group, points, at, n, ends, (et * watch.slip[0].load(at), et * watch.slip[1].load(at)), *any);
}

/// Takes back of an impact what is more than this energy. With δ the impulses since the `start`, and speeds u₀ there and u₁ now, a share s of them gives
///
/// ```text
///   E(s) = b s + c s²,     b = Σ δ u₀,     c = ½ Σ δ (u₁ - u₀)
/// ```
#[inline(always)]
fn afford<L: Lane>(
    points: &mut [GroupPoint],
    at: usize,
    n: Vec3<L>,
    energy: L,
    carried: &[L; 4],
    start: &Ends<'_, L>,
    ends: &mut Ends<'_, L>,
) {
    let (mut b, mut c) = (L::ZERO, L::ZERO);
    for (point, &old) in points.iter().zip(carried) {
        let delta = point.normal_impulse.load::<L>(at) - old;
        let before = start.speed(point, n);
        b += delta * before;
        c += L::splat(0.5) * delta * (ends.speed(point, n) - before);
    }
    let dear = (b + c).greater(energy);
    if !dear.any() {
        return;
    }
    // c s² + b s = E >= 0; c is positive where b is not, as b + c is.
    let root = (b * b + L::splat(4.0) * c * energy).max(L::ZERO).sqrt();
    let tiny = L::splat(Real::MIN_POSITIVE);
    let slow = L::splat(2.0) * energy / (b + root).max(tiny);
    let fast = (root - b) / (c + c).max(tiny);
    let share = L::select(b.greater(L::ZERO), slow, fast).max(L::ZERO).min(L::ONE);
    let back = L::select(dear, L::ONE - share, L::ZERO);
    for (point, &old) in points.iter_mut().zip(carried) {
        let new = point.normal_impulse.load::<L>(at);
        let delta = (new - old) * back;
        point.normal_impulse.store(at, new - delta);
        ends.push_at(point, n, -delta);
    }
}
