//! Impacts between bodies that can move.

use super::{Hits, carry_over, strike};
use crate::crew::Shared;
use crate::math::{Kernel, LANES, Lane, Mask, Real};
use crate::solve::contact_constraint::{Block, Group, GroupPoint, Watch, Wide};
use crate::solve::contact_kernel::{Ends, Moved, Pass, Whole};
use crate::solve::motion::Free;

/// Strikes whoever would meet in the sub-step. Says whether anybody did.
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
            let Whole { group, points, watch: Some(watch), oddity } = pass.whole(i) else { continue };
            let block = pass.blocks.get(group.block as usize);
            for at in (0..LANES).step_by(L::WIDTH) {
                let a = pass.gather::<L, 12>(&group.body_a[at..]);
                let b = pass.gather::<L, 12>(&group.body_b[at..]);
                let mut ends = Ends::new(group, oddity, at, &a, &b);
                let before = ends;
                let moved = Moved::new(&ends, group.normal.load::<L>(at), &a, &b);
                if !blow(group, points, watch, block, at, &moved, limits, &mut ends) {
                    continue;
                }
                struck = true;
                let written = [group.written(0), group.written(1)];
                carry_over(&free, &written, at, &before, &ends);
                let (a, b) = ends.columns(&a, &b);
                pass.scatter(a, &written[0][at..]);
                pass.scatter(b, &written[1][at..]);
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
    ends: &mut Ends<'_, L>,
) -> bool {
    let n = group.normal.load::<L>(at);
    let none = L::ONE.less(L::ZERO);
    let movable = !ends.fixed() & watch.restitution.load::<L>(at).greater(L::ZERO);
    let (mut hit, mut any) = ([none; 4], none);
    for i in 0..points.len() {
        let closing = ends.speed(&points[i], n);
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
    strike(group, points, watch, block, at, n, &Hits { hit, any, wanted: None }, ends);
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
