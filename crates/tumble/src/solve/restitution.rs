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
//!   there; then it gets its speed back. So it bounces at the height of the surface.
//!
//! Impulses of impacts are not kept for the next warm start: the surfaces part.

use super::contact_constraint::{Block, Group, GroupPoint, Watch, Wide};
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
            let Whole { group, points, watch: Some(watch) } = pass.whole(i) else { continue };
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 12>(&group.body_a[at..]);
                let b = pass.gather::<L, 12>(&group.body_b[at..]);
                let ends = Ends::new(group, at, &a, &b);
                let n = group.normal.load::<L>(at);
                let moved = Moved::new(n, &a, &b);
                for (i, point) in points.iter().enumerate() {
                    watch.closing[i].store(at, speed(&ends, point, at, n));
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
fn carry_over<L: Lane>(free: &Shared<'_, Free>, group: &Group, at: usize, before: &Ends<L>, after: &Ends<L>) {
    let zero = [L::ZERO; 8];
    let (old_a, old_b) = before.columns(&zero, &zero);
    let (new_a, new_b) = after.columns(&zero, &zero);
    for (indices, old, new) in [(&group.write_a[at..], old_a, new_a), (&group.write_b[at..], old_b, new_b)] {
        let mut f = gather_free::<L>(free, indices);
        for c in 0..6 {
            f[c] += new[c] - old[c];
        }
        // SAFETY: as above.
        unsafe { L::scatter::<8, 8>(f, free.as_mut_ptr(), free.len(), 0, indices) };
    }
}

/// Velocity along the normal at a point.
#[inline(always)]
fn speed<L: Lane>(ends: &Ends<L>, point: &GroupPoint, at: usize, n: Vec3<L>) -> L {
    n.dot(ends.vb - ends.va) + (ends.wb.dot(point.arm_b.load(at)) - ends.wa.dot(point.arm_a.load(at)))
}

/// Impacts on what nothing moves.
///
/// The loads of the sub-step, which change the speed by k, act before the impact and after it. With the gap s before the
/// sub-step it takes the share τ = s / (h |u|) of it to meet, so that
///
/// ```text
///   u' = -e (u + τ k) + (1 - τ) k
/// ```
///
/// and in the rest of the sub-step the body gets (1 - τ) h u' away from the surface, at which the constraints have stopped it.
pub(crate) struct Bounces<'a> {
    pub pass: Pass<'a>,
    /// Velocities with the loads of the sub-step and before its constraints.
    pub free: Shared<'a, Free>,
    /// Approach slower than this does not bounce.
    pub threshold: Real,
    pub h: Real,
}

impl Kernel for Bounces<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { pass, free, threshold, h } = self;
        let limits = (L::splat(-threshold), L::splat(h));
        for i in pass.range.clone() {
            let Whole { group, points, watch: Some(watch) } = pass.whole(i) else { continue };
            let block = pass.blocks.get(group.block as usize);
            for at in (0..LANES).step_by(L::WIDTH) {
                let mut a = pass.gather::<L, 12>(&group.body_a[at..]);
                let mut b = pass.gather::<L, 12>(&group.body_b[at..]);
                let mut ends = Ends::new(group, at, &a, &b);
                let a_free = gather_free::<L>(&free, &group.body_a[at..]);
                let b_free = gather_free::<L>(&free, &group.body_b[at..]);
                let loaded = Ends::new(group, at, &a_free, &b_free);
                let mut before = ends;
                let Some(away) = bounce(group, points, watch, block, at, limits, &loaded, &mut before, &mut ends)
                else {
                    continue;
                };
                carry_over(&free, group, at, &before, &ends);
                let (va, vb) = ends.columns(&a, &b);
                a[..6].copy_from_slice(&va[..6]);
                b[..6].copy_from_slice(&vb[..6]);
                for (c, d) in [away.x, away.y, away.z].into_iter().enumerate() {
                    a[6 + c] -= d;
                    b[6 + c] += d;
                }
                pass.scatter(a, &group.write_a[at..]);
                pass.scatter(b, &group.write_b[at..]);
            }
        }
    }
}

/// One manifold in each lane; `None` if none of them bounced, else how far away from the surface they get in the rest of the
/// sub-step. From `before` is taken what the constraint had done to the bodies and does not carry any more.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn bounce<L: Lane>(
    group: &mut Group,
    points: &mut [GroupPoint],
    watch: &mut Watch,
    block: Option<&Block>,
    at: usize,
    (threshold, h): (L, L),
    free: &Ends<L>,
    before: &mut Ends<L>,
    ends: &mut Ends<L>,
) -> Option<Vec3<L>> {
    let n = group.normal.load::<L>(at);
    let e = watch.restitution.load::<L>(at);
    let none = L::ONE.less(L::ZERO);
    let fixed = ends.fixed() & e.greater(L::ZERO);
    let (mut hit, mut any) = ([none; 4], none);
    for i in 0..points.len() {
        // It came fast enough, and was pushed in this sub-step.
        hit[i] = watch.closing[i].load::<L>(at).less(threshold)
            & points[i].normal_impulse.load::<L>(at).greater(L::ZERO)
            & fixed;
        any = any | hit[i];
    }
    if !any.any() {
        return None;
    }
    let (mut goal, mut away, mut count) = ([L::ZERO; 4], L::ZERO, L::ZERO);
    for i in 0..points.len() {
        let u = watch.closing[i].load::<L>(at);
        let k = speed(free, &points[i], at, n) - u;
        let fast = u.min(threshold);
        let share = (watch.gap[i].load::<L>(at) / (-h * fast)).max(L::ZERO).min(L::ONE);
        goal[i] = ((L::ONE - share) * k - e * (u + share * k)).max(L::ZERO);
        away += L::select(hit[i], goal[i] * (L::ONE - share), L::ZERO);
        count += L::select(hit[i], L::ONE, L::ZERO);
    }
    let t1 = group.tangent.load::<L>(at);
    let f = t1 * group.tangent_impulse[0].load(at) + n.cross(t1) * group.tangent_impulse[1].load(at);
    let f = f * L::select(any, L::ONE, L::ZERO);
    let twist = n * L::select(any, group.twist_impulse.load(at), L::ZERO);
    let (ra, rb) = (group.anchor_a.load::<L>(at), group.anchor_b.load::<L>(at));
    before.push(-f, -(ra.cross(f) + twist), -(rb.cross(f) + twist));
    for (i, point) in points.iter().enumerate() {
        let lambda = L::select(hit[i], point.normal_impulse.load(at), L::ZERO);
        before.push(-(n * lambda), -(point.arm_a.load(at) * lambda), -(point.arm_b.load(at) * lambda));
    }
    strike(group, points, watch, block, at, n, &Hits { hit, any, goal: Some(goal) }, ends);
    for i in 0..points.len() {
        let lambda = points[i].normal_impulse.load::<L>(at);
        watch.total[i].store(at, watch.total[i].load::<L>(at) + L::select(hit[i], lambda, L::ZERO));
        points[i].normal_impulse.store(at, L::select(hit[i], L::ZERO, lambda));
    }
    for w in group.tangent_impulse.iter_mut().chain([&mut group.twist_impulse]) {
        w.store(at, L::select(any, L::ZERO, w.load(at)));
    }
    Some(n * (away * h / count.max(L::ONE)))
}

/// Impacts between bodies that can move. Says whether there were any.
pub(crate) struct Blows<'a> {
    pub pass: Pass<'a>,
    pub free: Shared<'a, Free>,
    /// Approach slower than this does not bounce.
    pub threshold: Real,
    pub h: Real,
}

impl Kernel for Blows<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Lane>(self) -> bool {
        let Self { pass, free, threshold, h } = self;
        let limits = (L::splat(-threshold), L::splat(h));
        let mut struck = false;
        for i in pass.range.clone() {
            let Whole { group, points, watch: Some(watch) } = pass.whole(i) else { continue };
            let block = pass.blocks.get(group.block as usize);
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 12>(&group.body_a[at..]);
                let b = pass.gather::<L, 12>(&group.body_b[at..]);
                let mut ends = Ends::new(group, at, &a, &b);
                let before = ends;
                let moved = Moved::new(group.normal.load::<L>(at), &a, &b);
                if !blow(group, points, watch, block, at, &moved, limits, &mut ends) {
                    continue;
                }
                struck = true;
                carry_over(&free, group, at, &before, &ends);
                let (a, b) = ends.columns(&a, &b);
                pass.scatter(a, &group.write_a[at..]);
                pass.scatter(b, &group.write_b[at..]);
            }
        }
        struck
    }
}

/// One manifold in each lane; whether any of them was struck.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn blow<L: Lane>(
    group: &mut Group,
    points: &mut [GroupPoint],
    watch: &mut Watch,
    block: Option<&Block>,
    at: usize,
    moved: &Moved<L>,
    (threshold, h): (L, L),
    ends: &mut Ends<L>,
) -> bool {
    let n = group.normal.load::<L>(at);
    let none = L::ONE.less(L::ZERO);
    let movable = !ends.fixed() & watch.restitution.load::<L>(at).greater(L::ZERO);
    let (mut hit, mut any) = ([none; 4], none);
    for i in 0..points.len() {
        let closing = speed(ends, &points[i], at, n);
        // It comes fast enough, and meets in this sub-step.
        let meets = (points[i].separation_now(at, moved) + h * closing).less(L::ZERO);
        hit[i] = closing.less(threshold) & meets & movable;
        any = any | hit[i];
    }
    if !any.any() {
        return false;
    }
    let (s1, s2) = ends.slip(group, at, n);
    watch.slip[0].store(at, s1);
    watch.slip[1].store(at, s2);
    // A blow starts from nothing, whatever the contact carries besides, and that is what it carries afterwards.
    let mut carried = [L::ZERO; 7];
    for (i, w) in held(group, points).enumerate() {
        carried[i] = w.load(at);
        w.store(at, L::select(any, L::ZERO, carried[i]));
    }
    strike(group, points, watch, block, at, n, &Hits { hit, any, goal: None }, ends);
    for (point, total) in points.iter().zip(&mut watch.total) {
        let lambda = L::select(any, point.normal_impulse.load(at), L::ZERO);
        total.store(at, total.load::<L>(at) + lambda);
    }
    for (i, w) in held(group, points).enumerate() {
        w.store(at, carried[i]);
    }
    true
}

/// All impulses of a group.
fn held<'a>(group: &'a mut Group, points: &'a mut [GroupPoint]) -> impl Iterator<Item = &'a mut Wide> {
    let Group { tangent_impulse, twist_impulse, .. } = group;
    tangent_impulse.iter_mut().chain([twist_impulse]).chain(points.iter_mut().map(|p| &mut p.normal_impulse))
}

/// Which points of a manifold are hit.
struct Hits<L: Lane> {
    hit: [L::Mask; 4],
    any: L::Mask,
    /// The speeds that they are to have; if not given, -e times the one that they have when their turn comes.
    goal: Option<[L; 4]>,
}

impl<L: Lane> Hits<L> {
    /// What a point of this speed lacks of its goal.
    #[inline(always)]
    fn lack(&self, i: usize, now: L, e: L) -> L {
        match &self.goal {
            Some(goal) => now - goal[i],
            None => (now + e * now).min(L::ZERO),
        }
    }
}

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
    ends: &mut Ends<L>,
) {
    let e = watch.restitution.load::<L>(at);
    let Hits { hit, any, .. } = hits;
    // A flat hit on all four points is answered as a whole, so that the points are treated alike.
    let mut whole = L::ONE.less(L::ZERO);
    if let Some(block) = block {
        let (mut short, mut inverse) = ([L::ZERO; 4], [L::ZERO; 10]);
        for (i, point) in points.iter().enumerate() {
            short[i] = hits.lack(i, speed(ends, point, at, n), e);
        }
        for (l, w) in inverse.iter_mut().zip(&block.relax) {
            *l = w.load(at);
        }
        let step = times(&inverse, short);
        whole = hit[0] & hit[1] & hit[2] & hit[3];
        for (i, point) in points.iter().enumerate() {
            whole = whole & (point.normal_impulse.load::<L>(at) - step[i]).greater_eq(L::ZERO);
        }
        let (mut p, mut ta, mut tb) = (L::ZERO, Vec3::ZERO, Vec3::ZERO);
        for (i, point) in points.iter_mut().enumerate() {
            let delta = L::select(whole, -step[i], L::ZERO);
            point.normal_impulse.store(at, point.normal_impulse.load::<L>(at) + delta);
            p += delta;
            ta += point.arm_a.load(at) * delta;
            tb += point.arm_b.load(at) * delta;
        }
        ends.push(n * p, ta, tb);
    }
    for (i, point) in points.iter_mut().enumerate() {
        let old = point.normal_impulse.load::<L>(at);
        let wanted = (old - point.mass::<L>(at) * hits.lack(i, speed(ends, point, at, n), e)).max(L::ZERO);
        let new = L::select(hit[i] & !whole, wanted, old);
        point.normal_impulse.store(at, new);
        watch.peak[i].store(at, watch.peak[i].load::<L>(at).max(new));
        let delta = new - old;
        ends.push(n * delta, point.arm_a.load(at) * delta, point.arm_b.load(at) * delta);
    }
    let et = watch.tangential_restitution.load::<L>(at);
    friction(group, points, at, n, ends, (et * watch.slip[0].load(at), et * watch.slip[1].load(at)), *any);
}
