//! Impacts on what nothing moves.
//!
//! The loads of the sub-step, which change the speed by k, act before the impact and after it. With the gap s before the
//! sub-step it takes the share τ = s / (h |u|) of it to meet, so that
//!
//! ```text
//!   u' = -e (u + τ k) + (1 - τ) k
//! ```
//!
//! In the rest of the sub-step a point gets (1 - τ) h u' away from the surface, at which the constraints have stopped it. The body is moved and
//! turned by that as the impulses λ of the impact have moved and turned it, Δx = c M⁻¹ Jᵀ λ with J Δx = (1 - τ) h u': one that is struck at a corner turns away from the surface as much as it
//! rises.
//!
//! That is Newton's law, for each point by itself. Where several are struck at once it may ask for more than there was: the push that
//! throws one corner of a box back drives another one down, and that is thrown back with all that it has got. So a manifold gives back no more
//! than it has taken. Impulses λ that have changed the speeds along their normals from u* = u + k to u₀ have taken -½ Σ λ (u* + u₀), and
//! of that is given, with q = u'/|u*|,
//!
//! ```text
//!   E = ½ Σ q λ (u' - u₀)
//! ```
//!
//! which is what a single point needs, and without loads and with e = 1 all that was taken. What all impulses of a sub-step have
//! taken, less what they have given, is the energy that is lost, whatever else acts on the bodies. Contacts that are thrown onto have taken less than nothing; that is left
//! to `step::bounce_cap`.

use super::{Hits, Wanted, carry_over, gather_free, strike};
use crate::crew::Shared;
use crate::math::{Kernel, LANES, Lane, Mask, Real, Vec3};
use crate::solve::contact_constraint::{Block, Group, GroupPoint, Watch, pick};
use crate::solve::contact_kernel::{Ends, Pass, Whole};
use crate::solve::motion::Free;

/// Notes what the impacts of a sub-step are to give back, before the first of them does. Says whether there are any.
pub(crate) struct Stops<'a> {
    pub pass: Pass<'a>,
    /// Velocities with the loads of the sub-step and before its constraints.
    pub free: Shared<'a, Free>,
    /// Approach slower than this does not bounce.
    pub threshold: Real,
    pub h: Real,
}

impl Kernel for Stops<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lane>(self) -> bool {
        let Self { pass, free, threshold, h } = self;
        let limits = (L::splat(-threshold), L::splat(h));
        let mut stopped = false;
        for i in pass.range.clone() {
            let Whole { group, points, watch: Some(watch), oddity } = pass.whole(i) else { continue };
            for at in (0..LANES).step_by(L::WIDTH) {
                if !touched(points, watch, at, limits.0) {
                    continue;
                }
                let a = pass.gather::<L, 8>(&group.body_a[at..]);
                let b = pass.gather::<L, 8>(&group.body_b[at..]);
                let ends = Ends::new(group, oddity, at, &a, &b);
                let a_free = gather_free::<L>(&free, &group.body_a[at..]);
                let b_free = gather_free::<L>(&free, &group.body_b[at..]);
                let loaded = Ends::new(group, oddity, at, &a_free, &b_free);
                stopped |= stop(group, points, watch, at, limits, &loaded, &ends);
            }
        }
        stopped
    }
}

/// Some point of a manifold in some lane came fast enough, and was pushed in this sub-step. If none, none is to bounce.
#[inline(always)]
fn touched<L: Lane>(points: &[GroupPoint], watch: &mut Watch, at: usize, threshold: L) -> bool {
    let mut any = L::ONE.less(L::ZERO);
    for (i, point) in points.iter().enumerate() {
        any = any | hit(point, watch, i, at, threshold);
    }
    if !any.any() {
        for goal in &mut watch.goal[..points.len()] {
            goal.store(at, -L::ONE);
        }
    }
    any.any()
}

/// A point came fast enough, and was pushed in this sub-step.
#[inline(always)]
fn hit<L: Lane>(point: &GroupPoint, watch: &Watch, i: usize, at: usize, threshold: L) -> L::Mask {
    watch.closing[i].load::<L>(at).less(threshold) & point.normal_impulse.load::<L>(at).greater(L::ZERO)
}

/// One manifold in each lane; whether any of them is to bounce.
#[inline(always)]
fn stop<L: Lane>(
    group: &Group,
    points: &[GroupPoint],
    watch: &mut Watch,
    at: usize,
    (threshold, h): (L, L),
    free: &Ends<'_, L>,
    ends: &Ends<'_, L>,
) -> bool {
    let n = group.normal.load::<L>(at);
    let e = watch.restitution.load::<L>(at);
    let fixed = ends.fixed() & e.greater(L::ZERO);
    let mut any = L::ONE.less(L::ZERO);
    let (mut energy, mut rest, mut count) = (L::ZERO, L::ZERO, L::ZERO);
    for (i, point) in points.iter().enumerate() {
        let (u, lambda) = (watch.closing[i].load::<L>(at), point.normal_impulse.load::<L>(at));
        let hit = hit(point, watch, i, at, threshold) & fixed;
        any = any | hit;
        let (loaded, stopped) = (free.speed(point, n), ends.speed(point, n));
        let k = loaded - u;
        let share = (watch.gap[i].load::<L>(at) / (-h * u.min(threshold))).max(L::ZERO).min(L::ONE);
        let goal = ((L::ONE - share) * k - e * (u + share * k)).max(L::ZERO);
        // What a load pushes away by itself has not been taken by this contact, but has won from it.
        let came = -loaded;
        let comes = came.greater(L::ZERO);
        let back = L::select(comes, goal.min(came), came);
        let part = L::select(comes, back / came.max(L::splat(Real::MIN_POSITIVE)), L::ONE);
        let given = L::splat(0.5) * part * lambda * (back - stopped);
        energy += L::select(hit, given, given.min(L::ZERO));
        watch.goal[i].store(at, L::select(hit, goal, -L::ONE));
        rest += L::select(hit, L::ONE - share, L::ZERO);
        count += L::select(hit, L::ONE, L::ZERO);
    }
    watch.given.store(at, energy.max(L::ZERO));
    watch.rest.store(at, rest / count.max(L::ONE));
    any.any()
}

/// Gives back what [`Stops`] has noted.
pub(crate) struct Bounces<'a> {
    pub pass: Pass<'a>,
    /// As for [`Stops`]; what bounces is added to them.
    pub free: Shared<'a, Free>,
    pub h: Real,
}

impl Kernel for Bounces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { pass, free, h } = self;
        let h = L::splat(h);
        for i in pass.range.clone() {
            let Whole { group, points, watch: Some(watch), oddity } = pass.whole(i) else { continue };
            let block = pass.blocks.get(group.block as usize);
            for at in (0..LANES).step_by(L::WIDTH) {
                let Some(hits) = struck(points, watch, at) else { continue };
                let a = pass.gather::<L, 16>(&group.body_a[at..]);
                let b = pass.gather::<L, 16>(&group.body_b[at..]);
                let mut ends = Ends::new(group, oddity, at, &a, &b);
                let mut before = ends;
                let way = bounce(group, points, watch, block, at, &hits, h, &mut before, &mut ends);
                let written = [group.written(0), group.written(1)];
                carry_over(&free, &written, at, &before, &ends);
                let a = moved(a, (ends.va, ends.wa), (way.va, way.wa));
                let b = moved(b, (ends.vb, ends.wb), (way.vb, way.wb));
                pass.scatter(a, &written[0][at..]);
                pass.scatter(b, &written[1][at..]);
            }
        }
    }
}

/// The motion of a body with new velocities, and moved and turned. Bodies whose orientation is kept beside the rotation vector, as joints need it, are not turned.
#[inline(always)]
fn moved<L: Lane>(motion: [L; 16], (v, w): (Vec3<L>, Vec3<L>), (way, turn): (Vec3<L>, Vec3<L>)) -> [L; 12] {
    let rotation = motion[12..].iter().fold(L::ZERO, |sum, &q| sum + q * q);
    let turn = pick(rotation.greater(L::ZERO), Vec3::ZERO, turn);
    let news = [v.x, v.y, v.z, w.x, w.y, w.z];
    let ways = [way.x, way.y, way.z, turn.x, turn.y, turn.z];
    core::array::from_fn(|c| if c < 6 { news[c] } else { motion[c] + ways[c - 6] })
}

/// What has been noted of a manifold in each lane; `None` if none of them bounces.
#[inline(always)]
fn struck<L: Lane>(points: &[GroupPoint], watch: &Watch, at: usize) -> Option<Hits<L>> {
    let none = L::ONE.less(L::ZERO);
    let (mut hit, mut any, mut speeds) = ([none; 4], none, [L::ZERO; 4]);
    for i in 0..points.len() {
        speeds[i] = watch.goal[i].load(at);
        hit[i] = speeds[i].greater_eq(L::ZERO);
        any = any | hit[i];
    }
    let wanted = Some(Wanted { speeds, energy: watch.given.load(at) });
    any.any().then_some(Hits { hit, any, wanted })
}

/// One manifold in each lane; how far the bodies get away from each other in the rest of the sub-step. From `before` is taken what the constraint had done to the
/// bodies and does not carry any more.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn bounce<'a, L: Lane>(
    group: &mut Group,
    points: &mut [GroupPoint],
    watch: &mut Watch,
    block: Option<&Block>,
    at: usize,
    hits: &Hits<L>,
    h: L,
    before: &mut Ends<'_, L>,
    ends: &mut Ends<'a, L>,
) -> Ends<'a, L> {
    let n = group.normal.load::<L>(at);
    let Hits { hit, any, .. } = hits;
    let t1 = group.tangent.load::<L>(at);
    let f = t1 * group.tangent_impulse[0].load(at) + n.cross(t1) * group.tangent_impulse[1].load(at);
    let f = f * L::select(*any, L::ONE, L::ZERO);
    let twist = n * L::select(*any, group.twist_impulse.load(at), L::ZERO);
    let (ra, rb) = (group.anchor_a.load::<L>(at), group.anchor_b.load::<L>(at));
    before.push(-f, -(ra.cross(f) + twist), -(rb.cross(f) + twist));
    for (i, point) in points.iter().enumerate() {
        let lambda = L::select(hit[i], point.normal_impulse.load(at), L::ZERO);
        before.push_at(point, n, -lambda);
    }
    strike(group, points, watch, block, at, n, hits, ends);
    let mut blow = ends.at_rest();
    for (i, point) in points.iter().enumerate() {
        let lambda = L::select(hit[i], point.normal_impulse.load(at), L::ZERO);
        blow.push_at(point, n, lambda);
    }
    let (mut leaves, mut blown) = (L::ZERO, L::ZERO);
    for (i, point) in points.iter().enumerate() {
        leaves += L::select(hit[i], ends.speed(point, n).max(L::ZERO), L::ZERO);
        blown += L::select(hit[i], blow.speed(point, n), L::ZERO);
    }
    // The blow has also taken the speed with which they came: it is no slower than what they leave with.
    let share = (leaves / blown.max(L::splat(Real::MIN_POSITIVE))).min(L::ONE);
    let time = L::select(blown.greater(L::ZERO), share * h * watch.rest.load(at), L::ZERO);
    for v in [&mut blow.va, &mut blow.wa, &mut blow.vb, &mut blow.wb] {
        *v *= time;
    }
    for i in 0..points.len() {
        let lambda = points[i].normal_impulse.load::<L>(at);
        watch.total[i].store(at, watch.total[i].load::<L>(at) + L::select(hit[i], lambda, L::ZERO));
        points[i].normal_impulse.store(at, L::select(hit[i], L::ZERO, lambda));
    }
    for w in group.tangent_impulse.iter_mut().chain([&mut group.twist_impulse]) {
        w.store(at, L::select(*any, L::ZERO, w.load(at)));
    }
    blow
}
