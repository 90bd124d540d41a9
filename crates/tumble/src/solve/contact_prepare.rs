//! From manifolds to wide constraints, and their impulses back.
//!
//! First the manifolds of each colour are dealt out to groups; then a kernel fills the groups, each by
//! itself: it gathers manifolds and bodies as rows of numbers and computes what does not change during the step.

use super::contact_constraint::{
    Block, ContactConstraints, Group, GroupPoint, Oddity, SHARE, SPRINGY, Soft, Watch, pick,
};
use super::contact_kernel::SINGULAR;
use super::graph::{COLOURS, Graph, OVERFLOW};
use super::motion::{self, Mass, Motion};
use super::rolling::Rolling;
use crate::body::store::Bodies;
use crate::constraint::contact::{ContactManifold, Contacts, Extra, FAR, NONE, SOLVED_POINTS};
use crate::crew::{Shared, Team};
use crate::math::{Isa, Kernel, LANES, Lane, NO_ROW, Real, Sym3, Vec3, prefetch, prefetch_at};
use crate::room::{make_ample_room, make_room};

/// How many groups before they are read manifolds are asked for: those of one colour stand anywhere.
const AHEAD: usize = 2;

/// Asks for the numbers of a manifold that a group is made of, of so many manifolds, whoever holds them.
#[inline(always)]
fn ask(manifolds: *const ContactManifold, count: usize, manifold: u32) {
    const NUMBERS: usize = ContactManifold::POINTS + SOLVED_POINTS * ContactManifold::POINT;
    if (manifold as usize) < count {
        prefetch_at(manifolds.wrapping_add(manifold as usize).cast::<[Real; NUMBERS]>());
    }
}

/// Share of the diagonal that is added to the response of four points in the relaxing pass.
pub(crate) const FIRMNESS: Real = 0.01;

/// How the contacts of a step are made.
#[derive(Clone, Copy)]
pub(crate) struct Recipe {
    /// Between two movable bodies.
    pub soft: Soft,
    /// Against a body that nothing moves: stiffer, since it cannot give way.
    pub soft_fixed: Soft,
    /// Against a movable body that a web of joints holds: softer, since it gives way less than its mass says. Contacts and webs are solved in turn,
    /// each as if the other were not there; as stiff as on free bodies, what lies on a rope bridge shakes it for ever.
    pub soft_held: Soft,
    /// Overlap that is left alone.
    pub slop: Real,
    pub warm_start: bool,
    pub h: Real,
    /// Slip of a contact that sticks as far as can be told: no more than what gravity gives in a sub-step.
    pub creep: Real,
}

/// What the kernel reads: manifolds, and the bodies by motion.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a> {
    pub contacts: &'a Contacts,
    pub motions: &'a [Motion],
    pub masses: &'a [Mass],
}

/// Packs all manifolds of the graph. Two passes over the manifolds, and one over the groups.
///
/// `supports` counts the contact points of awake bodies.
pub(crate) fn prepare(
    out: &mut ContactConstraints,
    graph: &Graph,
    bodies: &Bodies,
    supports: &mut [u32],
    input: Input<'_>,
    recipe: &Recipe,
    isa: Isa,
    team: &Team,
) {
    deal(out, graph, bodies, supports, input, team);
    place(out, bodies.awake(), input.contacts);
    let count = out.groups.len();
    let fill = Fill {
        groups: Shared::new(&mut out.groups),
        points: Shared::new(&mut out.points),
        blocks: Shared::new(&mut out.blocks),
        watches: Shared::new(&mut out.watches),
        oddities: Shared::new(&mut out.oddities),
        range: 0..count,
        input,
        recipe,
    };
    team.for_ranges(count, SHARE, |range| isa.dispatch(Fill { range, ..fill.clone() }));
    for r in &mut out.rolling {
        r.fill(&out.groups[r.group as usize], input.contacts, recipe.warm_start);
    }
}

/// Manifolds in a group of this colour.
fn width(colour: usize) -> usize {
    if colour == OVERFLOW { 1 } else { LANES }
}

/// Deals the manifolds out to groups: who is in which lane, how many points a group has, and what is special about it.
fn deal(
    out: &mut ContactConstraints,
    graph: &Graph,
    bodies: &Bodies,
    supports: &mut [u32],
    input: Input<'_>,
    team: &Team,
) {
    let count: usize = graph.colours.iter().enumerate().map(|(i, c)| c.manifolds.len().div_ceil(width(i))).sum();
    if out.groups.capacity() < count {
        // Points and blocks follow: all give back what they have before one of them takes more.
        (out.points, out.blocks, out.watches) = (Vec::new(), Vec::new(), Vec::new());
        make_ample_room(&mut out.groups, count, crowd(bodies.awake()));
    }
    // The kernel writes every number of every group that is in use, so what an old group holds does not matter.
    out.groups.resize(count, Group::EMPTY);
    make_ample_room(&mut out.traits, count, crowd(bodies.awake()));
    out.traits.resize(count, 0);
    out.ranges.clear();
    if count == 0 {
        out.ranges.resize(COLOURS + 2, 0);
        return;
    }
    let supports = Shared::new(supports);
    let mut at = 0;
    for (index, colour) in graph.colours.iter().enumerate() {
        out.ranges.push(at as u32);
        let (manifolds, width) = (&colour.manifolds[..], width(index));
        let count = manifolds.len().div_ceil(width);
        let (groups, traits) =
            (Shared::new(&mut out.groups[at..][..count]), Shared::new(&mut out.traits[at..][..count]));
        let deal = |range: core::ops::Range<usize>| {
            for i in range {
                for &m in manifolds.iter().skip((i + AHEAD) * width).take(width) {
                    let manifold = &input.contacts.manifolds[m as usize];
                    prefetch(&manifold.point_count);
                    prefetch(&manifold.flags);
                }
                let chunk = &manifolds[i * width..manifolds.len().min((i + 1) * width)];
                // SAFETY: a group is in one range; a body that something moves is in one manifold of its colour.
                unsafe { *traits.get(i) = deal_group(groups.get(i), chunk, bodies, supports, input) };
            }
        };
        if index == OVERFLOW {
            // It shares bodies, and is dealt out one after the other.
            deal(0..count);
        } else {
            team.for_ranges(count, SHARE, deal);
        }
        at += count;
    }
    debug_assert_eq!(out.ranges.len(), COLOURS + 1);
    out.ranges.push(at as u32);
}

/// A body of the group cannot move along some axis of the world, or a web holds it. Beside the flags of manifolds.
const SPECIAL: u16 = 1 << 15;

/// Deals manifolds out to the lanes of a group, and counts their points in `supports`. Returns what one or the other of them is.
///
/// # Safety
/// Nobody else may hold the counts of the bodies of these manifolds that constraints move; those of others may be changed by nothing but this.
#[inline(always)]
unsafe fn deal_group(
    group: &mut Group,
    manifolds: &[u32],
    bodies: &Bodies,
    supports: Shared<'_, u32>,
    input: Input<'_>,
) -> u16 {
    let awake = bodies.awake();
    let (mut most, mut traits) = (0, 0);
    group.led = [0; 2];
    for lane in 0..LANES {
        let Some(&m) = manifolds.get(lane) else {
            group.manifold[lane] = NONE;
            (group.body_a[lane], group.body_b[lane]) = (NO_ROW, NO_ROW);
            continue;
        };
        let manifold = &input.contacts.manifolds[m as usize];
        group.manifold[lane] = m;
        let points = u32::from(manifold.point_count);
        most = most.max(points);
        traits |= manifold.flags;
        let mut end = |slot: u32, led: &mut u8| {
            let dense = bodies.dense_at(slot);
            if dense >= awake {
                return NO_ROW;
            }
            let mass = &input.masses[dense];
            if motion::is_movable(mass) {
                // SAFETY: as promised by the caller.
                unsafe { *supports.get(dense) += points };
            } else {
                // Several manifolds of a colour may have it in common.
                // SAFETY: nothing but this touches the counts of such bodies meanwhile.
                unsafe { supports.add(dense, points) };
                *led |= 1 << lane;
            }
            if motion::is_locked(mass) || motion::is_held(mass) {
                traits |= SPECIAL;
            }
            dense as u32
        };
        let [led_a, led_b] = &mut group.led;
        group.body_a[lane] = end(manifold.body_a, led_a);
        group.body_b[lane] = end(manifold.body_b, led_b);
    }
    group.point_count = if most <= 1 { most } else { SOLVED_POINTS as u32 };
    traits
}

/// In a pile there are about as many manifolds as bodies; so many groups are to have room there.
fn crowd(awake: usize) -> usize {
    (awake + awake / 4) / LANES
}

/// Gives the groups that have been dealt out places for their points and for what is special about them. One pass over the groups.
fn place(out: &mut ContactConstraints, awake: usize, contacts: &Contacts) {
    out.rolling.clear();
    out.rolling_ranges.clear();
    out.bounces = false;
    if out.groups.is_empty() {
        out.rolling_ranges.resize(out.ranges.len(), 0);
        return;
    }
    let (mut points, mut blocks, mut watches, mut oddities) = (0, 0, 0, 0);
    for colour in out.ranges.windows(2) {
        out.rolling_ranges.push(out.rolling.len() as u32);
        for at in colour[0]..colour[1] {
            let (group, traits) = (&mut out.groups[at as usize], out.traits[at as usize]);
            group.first_point = points;
            points += group.point_count;
            let next = |has: bool, count: &mut u32| {
                let place = if has { *count } else { NONE };
                *count += u32::from(has);
                place
            };
            group.block = next(group.point_count > 1, &mut blocks);
            group.watch = next(traits & (ContactManifold::BOUNCES | ContactManifold::IMPACTS) != 0, &mut watches);
            group.oddity = next(traits & (ContactManifold::ODD | SPECIAL) != 0, &mut oddities);
            out.bounces |= traits & ContactManifold::BOUNCES != 0;
            if traits & ContactManifold::ROLLS != 0 {
                let rolls = |&(_, &m): &(usize, &u32)| {
                    contacts.manifolds.get(m as usize).is_some_and(|m| m.flags & ContactManifold::ROLLS != 0)
                };
                let lanes = group.manifold.iter().enumerate().filter(rolls);
                out.rolling.extend(lanes.map(|(lane, &m)| Rolling::new(at, lane as u32, m)));
            }
        }
    }
    out.rolling_ranges.push(out.rolling.len() as u32);
    make_ample_room(&mut out.points, points as usize, crowd(awake) * SOLVED_POINTS);
    make_ample_room(&mut out.blocks, blocks as usize, crowd(awake));
    make_room(&mut out.watches, watches as usize);
    make_room(&mut out.oddities, oddities as usize);
    out.points.resize(points as usize, GroupPoint::EMPTY);
    out.blocks.resize(blocks as usize, Block::EMPTY);
    out.watches.resize(watches as usize, Watch::EMPTY);
    out.oddities.resize(oddities as usize, Oddity::EMPTY);
}

/// Fills groups that have been dealt out. Several threads may fill different ranges of them at once.
#[derive(Clone)]
struct Fill<'a> {
    groups: Shared<'a, Group>,
    points: Shared<'a, GroupPoint>,
    blocks: Shared<'a, Block>,
    watches: Shared<'a, Watch>,
    oddities: Shared<'a, Oddity>,
    range: core::ops::Range<usize>,
    input: Input<'a>,
    recipe: &'a Recipe,
}

/// A body of a manifold.
#[derive(Clone, Copy)]
struct End<L> {
    v: Vec3<L>,
    w: Vec3<L>,
    /// 1 along the axes of the world, and 0 along locked ones.
    free: Vec3<L>,
    inv_mass: L,
    inv_inertia: Sym3<L>,
    tag: L,
}

impl<L: Lane> End<L> {
    /// With `locks` it is asked which axes are locked; otherwise none are.
    #[inline(always)]
    fn gather(input: &Input<'_>, indices: &[u32], locks: bool) -> Self {
        let v = L::load_columns::<16, 8>(input.motions, 0, indices);
        let m = L::load_columns::<8, 8>(input.masses, 0, indices);
        Self {
            v: Vec3::new(v[0], v[1], v[2]),
            w: Vec3::new(v[3], v[4], v[5]),
            free: if locks { motion::free_axes(m[motion::TAG]) } else { Vec3::new(L::ONE, L::ONE, L::ONE) },
            inv_mass: m[motion::INV_MASS],
            inv_inertia: Sym3 { xx: m[0], yy: m[1], zz: m[2], xy: m[3], xz: m[4], yz: m[5] },
            tag: m[motion::TAG],
        }
    }

    /// Response of the velocity along `axis` at an anchor to a unit impulse there along it; `arm` is anchor × axis.
    #[inline(always)]
    fn response(&self, axis: Vec3<L>, arm: Vec3<L>) -> L {
        axis.dot(self.moved(axis)) + arm.dot(self.inv_inertia * arm)
    }

    /// What an impulse does to the velocity.
    #[inline(always)]
    fn moved(&self, impulse: Vec3<L>) -> Vec3<L> {
        impulse.scale(self.free * self.inv_mass)
    }

    #[inline(always)]
    fn fixed(&self) -> L::Mask {
        self.inv_mass.equal(L::ZERO)
    }

    /// It does not move, and nothing will move it in this step.
    #[inline(always)]
    fn still(&self) -> L::Mask {
        let moves = self.v.length_squared() + self.w.length_squared() + self.inv_inertia.trace();
        self.fixed() & moves.equal(L::ZERO)
    }
}

/// 1/k, or 0 where k is not positive.
#[inline(always)]
fn invert<L: Lane>(k: L) -> L {
    L::select(k.greater(L::ZERO), L::ONE / k.max(L::splat(Real::MIN_POSITIVE)), L::ZERO)
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Fill { groups, points, blocks, watches, oddities, range, input, recipe } = self;
        let rows = ContactManifold::rows(&input.contacts.manifolds);
        let extras = Extra::rows(&input.contacts.extras);
        let keep = L::splat(if recipe.warm_start { 1.0 } else { 0.0 });
        let splat = |s: &Soft| (L::splat(s.bias_rate), L::splat(s.compliance()));
        let (soft, soft_fixed, soft_held) = (splat(&recipe.soft), splat(&recipe.soft_fixed), splat(&recipe.soft_held));
        for i in range.clone() {
            if i + AHEAD < range.end {
                // SAFETY: as below.
                for &m in &unsafe { groups.get(i + AHEAD) }.manifold {
                    ask(input.contacts.manifolds.as_ptr(), rows.len(), m);
                }
            }
            // SAFETY: ranges of groups do not overlap, and no two groups have a point, a block, a watch or an oddity in common.
            let mut sink = unsafe {
                let group = groups.get(i);
                let block = (group.block != NONE).then(|| blocks.get(group.block as usize));
                let watch = (group.watch != NONE).then(|| watches.get(group.watch as usize));
                let oddity = (group.oddity != NONE).then(|| oddities.get(group.oddity as usize));
                Sink { points: points.range(group.points()), group, block, watch, oddity }
            };
            for at in (0..LANES).step_by(L::WIDTH) {
                let m = L::load_columns::<{ ContactManifold::ROW }, { ContactManifold::HEAD }>(
                    rows,
                    0,
                    &sink.group.manifold[at..],
                );
                let odd = sink.oddity.is_some();
                // Zeros where nothing stands there.
                let extra = if odd || sink.watch.is_some() {
                    L::load_columns::<{ Extra::ROW }, { Extra::ROW }>(extras, 0, &sink.group.manifold[at..])
                } else {
                    [L::ZERO; Extra::ROW]
                };
                let manifold = Gathered {
                    normal: Vec3::new(m[0], m[1], m[2]),
                    lever: Vec3::new(m[3], m[4], m[5]),
                    friction: Vec3::new(m[6], m[7], m[8]) * keep,
                    angular: Vec3::new(m[9], m[10], m[11]) * keep,
                    surface: Vec3::new(extra[5], extra[6], extra[7]),
                    keep,
                    creep: L::splat(recipe.creep),
                };
                let a = End::gather(&input, &sink.group.body_a[at..], odd);
                let b = End::gather(&input, &sink.group.body_b[at..], odd);
                sink.group.static_friction.store(at, m[12]);
                sink.group.dynamic_friction.store(at, m[13]);
                if let Some(watch) = &mut sink.watch {
                    watch.struck.store(at, L::ZERO);
                    watch.restitution.store(at, m[14]);
                    watch.tangential_restitution.store(at, extra[0]);
                }

                // All materials are as hard as the method allows, but for those that say how soft they are, which are springs.
                let fixed = a.fixed() | b.fixed();
                let own = extra[3].greater(L::ZERO);
                let mut compliance = L::select(fixed, soft_fixed.1, soft.1);
                if let Some(oddity) = &mut sink.oddity {
                    let (hertz, damping) = (L::select(own, extra[3], L::ONE), L::select(own, extra[4], L::ONE));
                    let of_material = Soft::<L>::new(hertz, damping, L::splat(recipe.h));
                    let held = motion::held(a.tag) | motion::held(b.tag);
                    let movable = L::select(held, soft_held.0, soft.0);
                    let bias_rate = L::select(own, of_material.bias_rate, L::select(fixed, soft_fixed.0, movable));
                    compliance = L::select(fixed, compliance, L::select(held, soft_held.1, soft.1));
                    compliance = L::select(own, of_material.compliance(), compliance);
                    oddity.bias_rate.store(at, bias_rate);
                    let firm = L::select(fixed, L::splat(recipe.slop), L::ZERO);
                    oddity.firm_depth.store(at, L::select(own, L::splat(SPRINGY), firm));
                    // The torque of friction ends at μ N times the lever.
                    oddity.spinning.store(at, extra[2] * invert(m[13]));
                    oddity.free_a.store(at, a.free);
                    oddity.free_b.store(at, b.free);
                }
                sink.group.compliance.store(at, compliance);

                const FIRST: usize = ContactManifold::POINTS;
                const ROW: usize = ContactManifold::ROW;
                let indices = &sink.group.manifold[at..];
                if sink.points.len() == SOLVED_POINTS {
                    let p = L::load_columns::<ROW, { SOLVED_POINTS * ContactManifold::POINT }>(rows, FIRST, indices);
                    const POINT: usize = ContactManifold::POINT;
                    let found = [
                        Found::new(&p),
                        Found::new(&p[POINT..]),
                        Found::new(&p[2 * POINT..]),
                        Found::new(&p[3 * POINT..]),
                    ];
                    sink.fill(at, &manifold, &a, &b, &found, compliance, own);
                } else {
                    let p = L::load_columns::<ROW, 8>(rows, FIRST, indices);
                    sink.fill(at, &manifold, &a, &b, &[Found::new(&p)], compliance, own);
                }
            }
        }
    }
}

/// A manifold as it was gathered.
struct Gathered<L> {
    normal: Vec3<L>,
    lever: Vec3<L>,
    friction: Vec3<L>,
    angular: Vec3<L>,
    surface: Vec3<L>,
    /// 1, or 0 where nothing is warm started.
    keep: L,
    creep: L,
}

/// A point as it was gathered.
#[derive(Clone, Copy)]
struct Found<L> {
    anchor: Vec3<L>,
    separation: L,
    impulse: L,
}

impl<L: Lane> Found<L> {
    #[inline(always)]
    fn new(p: &[L]) -> Self {
        Self { anchor: Vec3::new(p[0], p[1], p[2]), separation: p[3], impulse: p[4] }
    }
}

/// Where the numbers of one group go.
struct Sink<'a> {
    group: &'a mut Group,
    points: &'a mut [GroupPoint],
    block: Option<&'a mut Block>,
    watch: Option<&'a mut Watch>,
    oddity: Option<&'a mut Oddity>,
}

impl Sink<'_> {
    #[inline(always)]
    fn fill<L: Lane, const N: usize>(
        &mut self,
        at: usize,
        m: &Gathered<L>,
        a: &End<L>,
        b: &End<L>,
        found: &[Found<L>; N],
        compliance: L,
        own: L::Mask,
    ) {
        let fixed = a.fixed() | b.fixed();
        let group = &mut *self.group;
        let n = m.normal;
        group.inv_mass_a.store(at, a.inv_mass);
        group.inv_mass_b.store(at, b.inv_mass);
        group.inv_inertia_a.store(at, a.inv_inertia);
        group.inv_inertia_b.store(at, b.inv_inertia);
        group.normal.store(at, n);

        // Friction acts at the centre of pressure of the last step; in the middle where there was none.
        let (mut total, mut count) = (L::ZERO, L::ZERO);
        let (mut pressed, mut middle) = (Vec3::<L>::ZERO, Vec3::<L>::ZERO);
        for p in found {
            let one = L::select(p.separation.less(L::splat(0.5 * FAR)), L::ONE, L::ZERO);
            count += one;
            total += p.impulse;
            pressed += p.anchor * p.impulse;
            middle += p.anchor * one;
        }
        let anchor_a = pick(
            total.greater(L::ZERO),
            pressed * (L::ONE / total.max(L::splat(Real::MIN_POSITIVE))),
            middle * (L::ONE / count.max(L::ONE)),
        );
        let anchor_b = anchor_a - m.lever;
        let (still_a, still_b) = (a.still(), b.still());
        group.anchor_a.store(at, pick(still_a, anchor_b, anchor_a));
        group.anchor_b.store(at, pick(still_b & !still_a, anchor_a, anchor_b));

        let mut arms = [(Vec3::<L>::ZERO, Vec3::<L>::ZERO); N];
        let mut reach = L::ZERO;
        for i in 0..N {
            let (p, point) = (&found[i], &mut self.points[i]);
            let there = p.separation.less(L::splat(0.5 * FAR));
            // Points that are not there have no arms and no mass: nothing comes of them.
            let arm_a = pick(there, p.anchor.cross(n), Vec3::ZERO);
            let arm_b = pick(there, (p.anchor - m.lever).cross(n), Vec3::ZERO);
            arms[i] = (arm_a, arm_b);
            let response = L::select(there, a.response(n, arm_a) + b.response(n, arm_b), L::ZERO);
            point.arm.store(at, pick(still_a, arm_b, arm_a));
            point.separation.store(at, p.separation);
            point.response.store(at, response);
            point.normal_impulse.store(at, p.impulse * m.keep);
            let lever = (p.anchor - anchor_a).length();
            point.lever.store(at, lever);
            reach = reach.max(L::select(there, lever, L::ZERO));
            if let Some(watch) = &mut self.watch {
                let approach = n.dot(b.v - a.v) + b.w.dot(arm_b) - a.w.dot(arm_a);
                watch.approach[i].store(at, L::select(there, approach, L::ZERO));
                watch.peak[i].store(at, L::ZERO);
                watch.total[i].store(at, L::ZERO);
            }
        }

        if let Some(block) = &mut self.block {
            let along = n.dot(n.scale(a.free * a.inv_mass + b.free * b.inv_mass));
            let mut k = [[L::ZERO; N]; N];
            for i in 0..N {
                let there = found[i].separation.less(L::splat(0.5 * FAR));
                let (ia, ib) = (a.inv_inertia * arms[i].0, b.inv_inertia * arms[i].1);
                for j in i..N {
                    let both = there & found[j].separation.less(L::splat(0.5 * FAR));
                    k[i][j] = L::select(both, along + ia.dot(arms[j].0) + ib.dot(arms[j].1), L::ZERO);
                }
            }
            // Springs side by side add up. By itself each point has the stiffness of the method; n of them that move as one have together
            // c = Σᵢⱼ Kᵢⱼ / Σᵢ Kᵢᵢ times as much: 1 for the corners of a face, which turn the body as well, n where they are close together. A sub-step
            // bears c (hω)² < 2 and no more: the force of a spring lags behind by what λ remembers, and beyond that the lag feeds the slow motions of
            // large piles, which a pass hardly damps.
            let (mut sum, mut trace) = (L::ZERO, L::ZERO);
            for i in 0..N {
                trace += k[i][i];
                sum += k[i][i];
                for j in i + 1..N {
                    sum += k[i][j] + k[i][j];
                }
            }
            let crowd = (sum / trace.max(L::splat(Real::MIN_POSITIVE))).max(L::ONE);
            let compliance = L::select(own | fixed, compliance, compliance * crowd);
            group.compliance.store(at, compliance);
            for (out, share) in [(&mut block.push, compliance), (&mut block.relax, L::splat(FIRMNESS))] {
                store_inverse(out, at, &k, share);
            }
        }

        // The first tangent lies along the slip where there is any: friction then starts in the right direction.
        let slip = b.v + b.w.cross(anchor_b) - a.v - a.w.cross(anchor_a) + m.surface;
        let across = slip - n * slip.dot(n);
        let slips = across.length_squared().greater(slip.length_squared() * L::splat(1e-6));
        // A body that rests on several contacts is held by all of them together, and the first that is solved is asked for more than its part: that
        // is no reason to slide, and what it bears until the others do ends at the static limit.
        let twist = n.dot(b.w - a.w) * reach;
        let creeps = (across.length_squared() + twist * twist).less_eq(m.creep * m.creep);
        let (resting, sliding) = (group.static_friction.load::<L>(at), group.dynamic_friction.load::<L>(at));
        group.dynamic_friction.store(at, L::select(creeps, resting, sliding));
        let length = L::select(slips, across.length(), L::ONE);
        let t1 = pick(slips, across * (L::ONE / length), tangent(n));
        let t2 = n.cross(t1);
        group.tangent.store(at, t1);
        let (a1, a2) = (anchor_a.cross(t1), anchor_a.cross(t2));
        let (b1, b2) = (anchor_b.cross(t1), anchor_b.cross(t2));
        let k11 = a.response(t1, a1) + b.response(t1, b1);
        let k22 = a.response(t2, a2) + b.response(t2, b2);
        let k12 = t1.dot(t2.scale(a.free * a.inv_mass + b.free * b.inv_mass))
            + a1.dot(a.inv_inertia * a2)
            + b1.dot(b.inv_inertia * b2);
        let det = k11 * k22 - k12 * k12;
        // Singular where a lock leaves one direction u only: then K = k u uᵀ, and u uᵀ / k = K / k² is what stops the slip along it.
        // Well above the bound that the kernel tells the inverse by, so that rounding makes no regular one singular there.
        let regular = det.greater(L::splat(SINGULAR * 4.0) * k11 * k22);
        let inv_det = L::ONE / L::select(regular, det, L::ONE);
        let inv_k = invert(k11 + k22);
        let along = Vec3::new(k11, k12, k22) * inv_k * inv_k;
        let mass = pick(regular, Vec3::new(k22, -k12, k11) * inv_det, along);
        group.tangent_mass.store(at, mass);
        group.twist_mass.store(at, invert(n.dot(a.inv_inertia * n) + n.dot(b.inv_inertia * n)));
        if let Some(oddity) = &mut self.oddity {
            oddity.surface[0].store(at, m.surface.dot(t1));
            oddity.surface[1].store(at, m.surface.dot(t2));
        }
        group.tangent_impulse[0].store(at, m.friction.dot(t1));
        group.tangent_impulse[1].store(at, m.friction.dot(t2));
        group.twist_impulse.store(at, m.angular.dot(n));
    }
}

/// A unit vector across the unit vector n, without a branch (Duff et al., "Building an orthonormal basis, revisited", 2017).
#[inline(always)]
fn tangent<L: Lane>(n: Vec3<L>) -> Vec3<L> {
    let s = L::ONE.copysign(n.z);
    let a = -L::ONE / (s + n.z);
    Vec3::new(L::ONE + s * n.x * n.x * a, s * n.x * n.y * a, -s * n.x)
}

/// The inverse of the symmetric matrix `k` (upper triangle) with `share` of its diagonal added, by L D Lᵀ; rows and columns of
/// points that nothing moves are zero. Stored as the entries of the upper triangle, row by row.
#[inline(always)]
fn store_inverse<L: Lane, const N: usize>(
    out: &mut [super::contact_constraint::Wide; 10],
    at: usize,
    k: &[[L; N]; N],
    share: L,
) {
    let mut l = [[L::ZERO; N]; N];
    let (mut d, mut inv_d) = ([L::ZERO; N], [L::ZERO; N]);
    for j in 0..N {
        d[j] = k[j][j] + k[j][j] * share;
        for m in 0..j {
            d[j] -= l[j][m] * l[j][m] * d[m];
        }
        inv_d[j] = invert(d[j]);
        for i in j + 1..N {
            let mut v = k[j][i];
            for m in 0..j {
                v -= l[i][m] * l[j][m] * d[m];
            }
            l[i][j] = v * inv_d[j];
        }
    }
    // Columns of the inverse: forward, scale, backward. Symmetric, so column c from entry c on is row c of the upper triangle.
    let mut entry = 0;
    for c in 0..N {
        let mut x = [L::ZERO; N];
        x[c] = L::ONE;
        for i in c + 1..N {
            for m in c..i {
                x[i] -= l[i][m] * x[m];
            }
        }
        for i in c..N {
            x[i] *= inv_d[i];
        }
        for i in (c..N).rev() {
            for m in i + 1..N {
                x[i] -= l[m][i] * x[m];
            }
        }
        for i in c..N {
            out[entry].store(at, x[i]);
            entry += 1;
        }
    }
}

/// Writes the impulses back to the manifolds: where the next step starts. One pass over the groups.
pub(crate) fn store(constraints: &ContactConstraints, contacts: &mut Contacts, team: &Team) {
    let ContactConstraints { groups, points, .. } = constraints;
    let manifolds = Shared::new(&mut contacts.manifolds);
    team.for_ranges(groups.len(), SHARE, |range| {
        for i in range {
            if let Some(next) = groups.get(i + AHEAD) {
                next.manifold.iter().for_each(|&m| ask(manifolds.as_mut_ptr(), manifolds.len(), m));
            }
            let group = &groups[i];
            let points = &points[group.points()];
            for lane in 0..LANES {
                let index = group.manifold[lane];
                if index == NONE {
                    continue;
                }
                let (n, t1) = (group.normal.lane(lane), group.tangent.lane(lane));
                let t2 = n.cross(t1);
                // SAFETY: a manifold is in one group, and a group in one range.
                let manifold = unsafe { manifolds.get(index as usize) };
                manifold.friction_impulse =
                    t1 * group.tangent_impulse[0].0[lane] + t2 * group.tangent_impulse[1].0[lane];
                manifold.angular_impulse = n * group.twist_impulse.0[lane];
                let count = manifold.point_count as usize;
                for (p, point) in manifold.points[..count].iter_mut().zip(points) {
                    p.normal_impulse = point.normal_impulse.0[lane];
                }
            }
        }
    });
    for r in &constraints.rolling {
        contacts.manifolds[r.manifold as usize].angular_impulse += r.impulse;
    }
}
