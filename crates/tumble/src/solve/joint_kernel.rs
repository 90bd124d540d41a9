//! The passes over joints, in lanes.
//!
//! A pass takes the groups of one colour: no two joints in it share a movable body, so the lanes of a group, the groups of a
//! colour and the threads that work on them never see each other's bodies, and the outcome does not depend on how they are cut.
//!
//! With P the impulse at the point that is held, T the angular impulse about what is held of the turns, r the arms and d, e the errors:
//!
//! ```text
//!   J u = (v_B + ω_B × r_B - v_A - ω_A × r_A,  t·(ω_B - ω_A))
//!   M⁻¹ Jᵀ λ:   v_A -= P/m_A   ω_A -= I_A⁻¹ (r_A × P + T)   v_B += P/m_B   ω_B += I_B⁻¹ (r_B × P + T)
//!   pushing:   Δλ = -(K + Γ)⁻¹ (J u + ρ C + Γ λ)
//!   relaxing:  Δλ = -K⁻¹ J u
//! ```
//!
//! or, in sweeps that are not the last of a pass, as many times that as `joint_load` says.
//!
//! Γ is γ times the diagonal of K; for balls that sweeps hold γ times all of it, so that K⁻¹ serves both passes:
//!
//! ```text
//!   pushing:   Δλ = -f K⁻¹ (J u + ρ C) - (1 - f) λ,     f = 1/(1 + γ)
//! ```
//!
//! (With turns among the rows this would make them firmer with the load at the point, and hinges that are whirled about gain energy.)
//!
//! The inverses are computed where the bodies are: see [`Place`]. A limit of the twist is one row beside those that hold, with the
//! coupling c to them; it is solved for with them, as if they were eliminated:
//!
//! ```text
//!   w  = t·(ω_B - ω_A) - cᵀ K⁻¹ J u            what the twist does once the rest holds
//!   Δμ = max(μ - (w + bias)/(k - cᵀ K⁻¹ c), 0) - μ
//!   Δλ = -K⁻¹ (J u + c Δμ)
//! ```

use super::contact_constraint::{Wide, load};
use super::joint_group::{JointBase, JointGroup, JointLimit, JointPass, Task};
use super::joint_load::{self, Effort, Strain};
use super::joint_turn::{broadcast_x, each_lane, rotation_vector, turn_between, twist};
use super::joint_work::{Recipe, Sweep};
use super::motion::{self, Mass};
use crate::math::{Isa, Kernel, LANES, Lane, Mask, Num, Quat, Real, Sym3, Vec3};
use core::sync::atomic::{AtomicU32, Ordering};

/// A pivot below this share of its diagonal entry is rounding error: a redundant row, which is left out (003-63).
const REDUNDANT: Real = 64.0 * Real::EPSILON;

/// The share of a diagonal entry by which its pivot may be wrong. A pivot of a row that holds a point is taken for no less: what answers to
/// more than it is taken for would be pushed too far, and farther every time.
const ROUNDING: Real = 16.0 * Real::EPSILON;

/// A lane's share of the two bodies of a group.
struct Ends<L> {
    v: [Vec3<L>; 2],
    w: [Vec3<L>; 2],
    /// Columns of the motions that go back as they came.
    rest: [[L; 2]; 2],
}

impl<L: Lane> Ends<L> {
    #[inline(always)]
    fn gather<const N: usize, const X: usize, const P: usize, const Q: usize>(
        pass: &JointPass<'_, N, X, P, Q>,
        group: &JointGroup<N, X, P, Q>,
        at: usize,
    ) -> Self {
        let a = pass.gather::<L, 8>(0, &group.body[0][at..]);
        let b = pass.gather::<L, 8>(0, &group.body[1][at..]);
        Self {
            v: [Vec3::new(a[0], a[1], a[2]), Vec3::new(b[0], b[1], b[2])],
            w: [Vec3::new(a[3], a[4], a[5]), Vec3::new(b[3], b[4], b[5])],
            rest: [[a[6], a[7]], [b[6], b[7]]],
        }
    }

    #[inline(always)]
    fn scatter<const N: usize, const X: usize, const P: usize, const Q: usize>(
        &self,
        pass: &JointPass<'_, N, X, P, Q>,
        group: &JointGroup<N, X, P, Q>,
        at: usize,
    ) {
        for s in 0..2 {
            let (v, w, rest) = (self.v[s], self.w[s], self.rest[s]);
            pass.scatter([v.x, v.y, v.z, w.x, w.y, w.z, rest[0], rest[1]], &group.write[s][at..]);
        }
    }
}

impl<const N: usize, const X: usize, const P: usize, const Q: usize> JointGroup<N, X, P, Q> {
    /// The angular impulse of rows with these impulses.
    #[inline(always)]
    fn turning<L: Lane>(&self, at: usize, impulse: &[L; N]) -> Vec3<L> {
        if N == 6 {
            return Vec3::new(impulse[3], impulse[4], impulse[5]);
        }
        let mut sum = Vec3::ZERO;
        for i in 0..X {
            sum += self.axes[i].load::<L>(at) * impulse[3 + i];
        }
        sum
    }

    /// What an impulse and an angular impulse do to ω of both bodies.
    #[inline(always)]
    fn spin<L: Lane>(&self, at: usize, p: Vec3<L>, t: Vec3<L>) -> [Vec3<L>; 2] {
        let (ra, rb) = (self.arm[0].load::<L>(at), self.arm[1].load::<L>(at));
        let (ia, ib) = (self.inv_inertia[0].load::<L>(at), self.inv_inertia[1].load::<L>(at));
        [-(ia * (ra.cross(p) + t)), ib * (rb.cross(p) + t)]
    }

    #[inline(always)]
    fn apply<L: Lane>(&self, at: usize, ends: &mut Ends<L>, p: Vec3<L>, t: Vec3<L>) {
        let [wa, wb] = self.spin(at, p, t);
        ends.v[0] -= p * self.inv_mass[0].load::<L>(at);
        ends.w[0] += wa;
        ends.v[1] += p * self.inv_mass[1].load::<L>(at);
        ends.w[1] += wb;
    }

    /// All impulses: that at the point, and the angular one.
    #[inline(always)]
    pub(super) fn carried<L: Lane>(&self, limit: Option<&JointLimit>, at: usize) -> (Vec3<L>, Vec3<L>) {
        let impulse: [L; N] = load(&self.impulse, at);
        let mut turn = self.turning(at, &impulse);
        if let Some(limit) = limit {
            turn += limit.axis.load::<L>(at) * (limit.impulse[0].load::<L>(at) - limit.impulse[1].load::<L>(at));
        }
        (Vec3::new(impulse[0], impulse[1], impulse[2]), turn)
    }

    /// J u
    #[inline(always)]
    fn velocity<L: Lane>(&self, at: usize, ends: &Ends<L>) -> [L; N] {
        let (ra, rb) = (self.arm[0].load::<L>(at), self.arm[1].load::<L>(at));
        let dv = (ends.v[1] + ends.w[1].cross(rb)) - (ends.v[0] + ends.w[0].cross(ra));
        let dw = ends.w[1] - ends.w[0];
        let mut u = [L::ZERO; N];
        (u[0], u[1], u[2]) = (dv.x, dv.y, dv.z);
        if N == 6 {
            (u[3], u[4], u[5]) = (dw.x, dw.y, dw.z);
        }
        for i in 0..X {
            u[3 + i] = self.axes[i].load::<L>(at).dot(dw);
        }
        u
    }
}

#[inline(always)]
fn store<L: Lane, const K: usize>(wide: &mut [Wide; K], at: usize, values: &[L; K]) {
    for i in 0..K {
        wide[i].store(at, values[i]);
    }
}

/// Entry (i, j) of a symmetric matrix, packed as the lower triangle by rows.
#[inline(always)]
const fn entry(i: usize, j: usize) -> usize {
    if i >= j { i * (i + 1) / 2 + j } else { j * (j + 1) / 2 + i }
}

/// The packed symmetric matrix times a vector.
#[inline(always)]
fn times<L: Lane, const N: usize, const P: usize>(m: &[L; P], v: &[L; N]) -> [L; N] {
    let mut out = [L::ZERO; N];
    for i in 0..N {
        let mut sum = m[entry(i, 0)] * v[0];
        for j in 1..N {
            sum += m[entry(i, j)] * v[j];
        }
        out[i] = sum;
    }
    out
}

/// The inverse of a packed symmetric matrix with shares of its diagonal added to it, by L D Lᵀ. Redundant rows have zeros.
///
/// The first three rows hold a point, to which the masses alone answer with `least`: K - `least` is an inertia and not negative, so that no pivot of
/// these is less, and none of them is redundant. On a long arm of a small body the share of the masses is lost in rounding, and the
/// body would hang on nothing.
#[inline(always)]
fn inverse<L: Lane, const N: usize, const P: usize>(k: &[L; P], shares: [L; N], least: L) -> [L; P] {
    let mut l = [[L::ZERO; N]; N];
    let mut inv_d = [L::ZERO; N];
    for j in 0..N {
        let full = k[entry(j, j)] + k[entry(j, j)] * shares[j];
        let mut d = full;
        for m in 0..j {
            // Holds l_jm d_m until now.
            let scaled = l[j][m];
            l[j][m] = scaled * inv_d[m];
            d -= scaled * l[j][m];
        }
        let mut sound = d.greater(full * L::splat(REDUNDANT));
        if j < 3 {
            d = L::select(sound, d, d.max(least).max(full * L::splat(ROUNDING)));
            sound = sound | least.greater(L::ZERO);
        }
        inv_d[j] = L::select(sound, L::ONE / L::select(sound, d, L::ONE), L::ZERO);
        for i in j + 1..N {
            let mut v = k[entry(i, j)];
            for m in 0..j {
                v -= l[i][m] * l[j][m];
            }
            l[i][j] = v;
        }
    }
    let mut out = [L::ZERO; P];
    // Column c of the inverse from entry c on: forward, scale, backward.
    for c in 0..N {
        let mut x = [L::ZERO; N];
        x[c] = L::ONE;
        for i in c + 1..N {
            let mut v = -l[i][c];
            for m in c + 1..i {
                v -= l[i][m] * x[m];
            }
            x[i] = v;
        }
        for i in (c..N).rev() {
            let mut v = x[i] * inv_d[i];
            for m in i + 1..N {
                v -= l[m][i] * x[m];
            }
            // A redundant row gets nothing, and hands nothing on.
            x[i] = L::select(inv_d[i].greater(L::ZERO), v, L::ZERO);
            out[entry(i, c)] = x[i];
        }
    }
    out
}

/// 1/k, or 0 where k is not positive.
#[inline(always)]
fn invert<L: Lane>(k: L) -> L {
    let sound = k.greater(L::ZERO);
    L::select(sound, L::ONE / L::select(sound, k, L::ONE), L::ZERO)
}

/// Applies the impulses that the joints carry.
pub(crate) struct WarmStart(pub Isa);

impl Task for WarmStart {
    fn run<const N: usize, const X: usize, const P: usize, const Q: usize>(&self, pass: JointPass<'_, N, X, P, Q>) {
        self.0.dispatch(WarmStartKernel(pass));
    }
}

struct WarmStartKernel<'a, const N: usize, const X: usize, const P: usize, const Q: usize>(JointPass<'a, N, X, P, Q>);

impl<const N: usize, const X: usize, const P: usize, const Q: usize> Kernel for WarmStartKernel<'_, N, X, P, Q> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let pass = self.0;
        for i in pass.range.clone() {
            let (group, limit) = pass.whole(i);
            for at in (0..LANES).step_by(L::WIDTH) {
                let mut ends = Ends::<L>::gather(&pass, group, at);
                let (p, t) = group.carried(limit.as_deref(), at);
                group.apply(at, &mut ends, p, t);
                ends.scatter(&pass, group, at);
            }
        }
    }
}

/// The same in a later sub-step. The bodies have been given once more what was done to them in the last one, but arms, axes and inertias
/// have turned since: what is applied is the difference. Bodies on which nothing but joints acts have been left free, and get all of
/// it. Adds up what the last sub-step did.
pub(crate) struct WarmStartAgain<'a> {
    pub isa: Isa,
    pub masses: &'a [Mass],
}

impl Task for WarmStartAgain<'_> {
    fn run<const N: usize, const X: usize, const P: usize, const Q: usize>(&self, pass: JointPass<'_, N, X, P, Q>) {
        self.isa.dispatch(WarmStartAgainKernel { pass, masses: self.masses });
    }
}

struct WarmStartAgainKernel<'a, const N: usize, const X: usize, const P: usize, const Q: usize> {
    pass: JointPass<'a, N, X, P, Q>,
    masses: &'a [Mass],
}

impl<const N: usize, const X: usize, const P: usize, const Q: usize> Kernel for WarmStartAgainKernel<'_, N, X, P, Q> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let pass = self.pass;
        for i in pass.range.clone() {
            let (group, limit) = pass.whole(i);
            let base = pass.base(i);
            for at in (0..LANES).step_by(L::WIDTH) {
                let mut ends = Ends::<L>::gather(&pass, group, at);
                let (p, t) = group.carried::<L>(limit.as_deref(), at);
                let spin = group.spin(at, p, t);
                let signs = [-L::ONE, L::ONE];
                for s in 0..2 {
                    let mass = L::load_columns::<8, 4>(self.masses, 4, &group.write[s][at..]);
                    let all = mass[motion::TAG - 4].less(L::ZERO);
                    let push = p * (signs[s] * group.inv_mass[s].load::<L>(at));
                    ends.v[s] += Vec3::select(all, push, Vec3::ZERO);
                    ends.w[s] += Vec3::select(all, spin[s], base.owed[s].load::<L>(at));
                }
                ends.scatter(&pass, group, at);
                let sum = base.sum.load::<L>(at) + p;
                base.sum.store(at, sum);
                if N > 3 {
                    let sum = base.turn_sum.load::<L>(at) + t;
                    base.turn_sum.store(at, sum);
                }
            }
        }
    }
}

/// Makes the joints hold, with or without the push towards C = 0.
pub(crate) struct Hold<'a> {
    pub isa: Isa,
    pub recipe: &'a Recipe,
    pub push: bool,
    pub sweep: Sweep,
}

impl Task for Hold<'_> {
    fn run<const N: usize, const X: usize, const P: usize, const Q: usize>(&self, pass: JointPass<'_, N, X, P, Q>) {
        if self.push {
            self.isa.dispatch(HoldKernel::<N, X, P, Q, true> { pass, recipe: self.recipe, sweep: self.sweep });
        } else {
            self.isa.dispatch(HoldKernel::<N, X, P, Q, false> { pass, recipe: self.recipe, sweep: self.sweep });
        }
    }
}

struct HoldKernel<'a, const N: usize, const X: usize, const P: usize, const Q: usize, const PUSH: bool> {
    pass: JointPass<'a, N, X, P, Q>,
    recipe: &'a Recipe,
    sweep: Sweep,
}

impl<const N: usize, const X: usize, const P: usize, const Q: usize, const PUSH: bool> Kernel
    for HoldKernel<'_, N, X, P, Q, PUSH>
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let (pass, Sweep { first, last, round }) = (self.pass, self.sweep);
        for i in pass.range.clone() {
            let (group, mut limit) = pass.whole(i);
            if group.effort.rounds < round || (first && !PUSH && group.effort.quiet) {
                continue;
            }
            let relaxation = if last { 1.0 } else { group.effort.relaxation };
            for at in (0..LANES).step_by(L::WIDTH) {
                let mut ends = Ends::<L>::gather(&pass, group, at);
                let mut rhs = group.velocity(at, &ends);
                let old: [L; N] = load(&group.impulse, at);
                if PUSH {
                    for i in 0..N {
                        rhs[i] += group.bias[i].load::<L>(at);
                        if Q > 0 {
                            rhs[i] += group.soft[P + i].load::<L>(at) * old[i];
                        }
                    }
                }
                let mut turn = Vec3::<L>::ZERO;
                if let Some(limit) = &mut limit {
                    let dw = ends.w[1] - ends.w[0];
                    let net = limit.solve::<L, N, PUSH>(at, dw, &rhs, self.recipe);
                    for i in 0..N {
                        rhs[i] += limit.coupling[i.min(4)].load::<L>(at) * net;
                    }
                    turn = limit.axis.load::<L>(at) * net;
                }
                let mut inverse: [L; P] = load(&group.inverse, at);
                if PUSH && Q > 0 {
                    for i in 0..P {
                        inverse[i] = group.soft[i].load::<L>(at);
                    }
                }
                let mut change = times(&inverse, &rhs);
                let mut new = [L::ZERO; N];
                for i in 0..N {
                    if PUSH && Q == 0 {
                        let firm = group.firm.load::<L>(at);
                        change[i] = change[i] * firm + old[i] * (L::ONE - firm);
                    }
                    change[i] *= L::splat(-relaxation);
                    new[i] = old[i] + change[i];
                }
                store(&mut group.impulse, at, &new);
                turn += group.turning(at, &change);
                group.apply(at, &mut ends, Vec3::new(change[0], change[1], change[2]), turn);
                ends.scatter(&pass, group, at);
            }
        }
    }
}

impl JointLimit {
    /// Solves both rows, given the rates and biases of the rows that hold; returns what they have pushed along t.
    ///
    /// Apart, an end may be reached and not passed; beyond it the twist is pushed back at leisure.
    #[inline(always)]
    fn solve<L: Lane, const N: usize, const PUSH: bool>(
        &mut self,
        at: usize,
        dw: Vec3<L>,
        rhs: &[L; N],
        recipe: &Recipe,
    ) -> L {
        let which = if PUSH { 0 } else { 1 };
        let mut w = self.axis.load::<L>(at).dot(dw);
        for i in 0..N {
            w -= self.held[which][i.min(4)].load::<L>(at) * rhs[i];
        }
        let response = self.response[which].load::<L>(at);
        let compliance = self.compliance.load::<L>(at);
        let (firm, soft) = (invert(response), invert(response + compliance));
        let inv_h = L::splat(1.0 / recipe.h);
        let mut net = L::ZERO;
        for end in 0..2 {
            let sign = L::splat(if end == 0 { 1.0 } else { -1.0 });
            let room = self.room[end].load::<L>(at);
            let old = self.impulse[end].load::<L>(at);
            let apart = room.greater(L::ZERO);
            let (bias, mass) = if PUSH {
                // As in contacts: the limit is on what comes of push and load together.
                let out = (L::splat(recipe.soft.bias_rate) * room + compliance * old).max(L::splat(-recipe.push_speed));
                (L::select(apart, room * inv_h, out), L::select(apart, firm, soft))
            } else {
                (L::select(apart, room * inv_h, L::ZERO), firm)
            };
            let new = (old - mass * (sign * w + bias)).max(L::ZERO);
            self.impulse[end].store(at, new);
            let change = sign * (new - old);
            w += response * change;
            net += change;
        }
        net
    }
}

/// Arms, axes, errors, inverses: all that depends on where the bodies are.
pub(crate) struct Place<'a> {
    pub isa: Isa,
    pub recipe: &'a Recipe,
    pub masses: &'a [Mass],
    /// The joints belong to webs that are solved as a whole, which have inverses of their own and no sweeps.
    pub whole: bool,
    /// The most sweeps that a group asks for.
    pub rounds: &'a AtomicU32,
}

impl Task for Place<'_> {
    fn run<const N: usize, const X: usize, const P: usize, const Q: usize>(&self, pass: JointPass<'_, N, X, P, Q>) {
        let Self { isa, recipe, masses, whole, rounds } = *self;
        isa.dispatch(PlaceKernel { pass, recipe, masses, whole, rounds });
    }
}

struct PlaceKernel<'a, const N: usize, const X: usize, const P: usize, const Q: usize> {
    pass: JointPass<'a, N, X, P, Q>,
    recipe: &'a Recipe,
    masses: &'a [Mass],
    whole: bool,
    rounds: &'a AtomicU32,
}

/// Where a body is.
struct Placed<L: Lane> {
    moved: Vec3<L>,
    arm: Vec3<L>,
    /// How the frame of the joint is turned.
    turn: Quat<L>,
    inv_inertia: Sym3<L>,
    /// More than joints acts on it.
    touched: L::Mask,
    /// I⁻¹ (r × e) for the axes e of the world: what a unit impulse along them gives ω.
    answer: [Vec3<L>; 3],
    /// Its share of K at the point: (r × e_j)·I⁻¹ (r × e_i), packed.
    share: [L; 6],
}

/// (r × x)·w, (r × y)·w, (r × z)·w, without what is times zero.
#[inline(always)]
fn across_dot<L: Lane>(r: Vec3<L>, w: Vec3<L>) -> [L; 3] {
    [w.y * r.z - w.z * r.y, w.z * r.x - w.x * r.z, w.x * r.y - w.y * r.x]
}

impl<L: Lane> Placed<L> {
    #[inline(always)]
    fn gather<const N: usize, const X: usize, const P: usize, const Q: usize>(
        kernel: &PlaceKernel<'_, N, X, P, Q>,
        group: &JointGroup<N, X, P, Q>,
        base: &JointBase,
        s: usize,
        at: usize,
    ) -> Self {
        // Columns 4 to 15: the way in 6 to 8, the orientation in 12 to 15.
        let m = kernel.pass.gather::<L, 12>(4, &group.body[s][at..]);
        let i = L::load_columns::<8, 8>(kernel.masses, 0, &group.write[s][at..]);
        // What does not move has no motion, and zeros for its orientation.
        let w = L::select((m[8] * m[8] + m[9] * m[9] + m[10] * m[10] + m[11] * m[11]).equal(L::ZERO), L::ONE, m[11]);
        let rotation = Quat::new(m[8], m[9], m[10], w);
        let arm = rotation.rotate(base.offset[s].load::<L>(at));
        let inv_inertia = Sym3 { xx: i[0], yy: i[1], zz: i[2], xy: i[3], xz: i[4], yz: i[5] };
        // The k-th number of I⁻¹ (r × e) is the k-th row of I⁻¹ times r × e.
        let Sym3 { xx, yy, zz, xy, xz, yz } = inv_inertia;
        let x = across_dot(arm, Vec3::new(xx, xy, xz));
        let y = across_dot(arm, Vec3::new(xy, yy, yz));
        let z = across_dot(arm, Vec3::new(xz, yz, zz));
        let answer = [Vec3::new(x[0], y[0], z[0]), Vec3::new(x[1], y[1], z[1]), Vec3::new(x[2], y[2], z[2])];
        let mut share = [L::ZERO; 6];
        for i in 0..3 {
            let row = across_dot(arm, answer[i]);
            for j in 0..=i {
                share[entry(i, j)] = row[j];
            }
        }
        Self {
            moved: Vec3::new(m[2], m[3], m[4]),
            arm,
            turn: if N > 3 { rotation * base.turn[s].load::<L>(at) } else { Quat::IDENTITY },
            inv_inertia,
            touched: i[motion::TAG].greater_eq(L::ONE),
            answer,
            share,
        }
    }
}

impl<const N: usize, const X: usize, const P: usize, const Q: usize> Kernel for PlaceKernel<'_, N, X, P, Q> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let recipe = self.recipe;
        let softness = L::splat(recipe.soft.compliance());
        let (rate, most) = (L::splat(recipe.soft.bias_rate), L::splat(recipe.hold_speed));
        for i in self.pass.range.clone() {
            let (group, mut limit) = self.pass.whole(i);
            let base = self.pass.base(i);
            let mut bears = Strain { limited: limit.is_some(), ..Strain::default() };
            for at in (0..LANES).step_by(L::WIDTH) {
                let (p, t) = group.carried::<L>(limit.as_deref(), at);
                let before = group.spin(at, p, t);

                let a = Placed::<L>::gather(&self, group, base, 0, at);
                let b = Placed::<L>::gather(&self, group, base, 1, at);
                for (s, end) in [(0, &a), (1, &b)] {
                    group.arm[s].store(at, end.arm);
                    group.inv_inertia[s].store(at, end.inv_inertia);
                }
                let gap = base.gap.load::<L>(at) + (b.arm - a.arm) + (b.moved - a.moved);
                let mut error = [L::ZERO; N];
                (error[0], error[1], error[2]) = (gap.x, gap.y, gap.z);
                // The rows that hold turns, as axes.
                let mut axes = [Vec3::<L>::ZERO; 3];
                if N == 5 {
                    let (frame, x_b) = (a.turn.to_mat3(), b.turn.rotate(broadcast_x()));
                    axes = [frame.y, frame.z, Vec3::ZERO];
                    let off = turn_between(frame.x, x_b, frame.y);
                    (error[N - 2], error[N - 1]) = (frame.y.dot(off), frame.z.dot(off));
                    for i in 0..X {
                        group.axes[i].store(at, axes[i]);
                    }
                }
                if N == 6 {
                    axes = [broadcast_x(), Vec3::new(L::ZERO, L::ONE, L::ZERO), Vec3::new(L::ZERO, L::ZERO, L::ONE)];
                    let off = a.turn.rotate(rotation_vector(a.turn.conjugate() * b.turn));
                    (error[N - 3], error[N - 2], error[N - 1]) = (off.x, off.y, off.z);
                }

                let mut k = response::<L, N, P>(&a, &b, &axes);
                let inv_mass = group.inv_mass[0].load::<L>(at) + group.inv_mass[1].load::<L>(at);
                for i in 0..3 {
                    k[entry(i, i)] += inv_mass;
                }

                // What is no number holds nothing.
                let mut sum = L::ZERO;
                for i in 0..N {
                    sum += error[i];
                }
                for i in 0..P {
                    sum += k[i];
                }
                // ∞ and NaN times 0 are NaN.
                let sound = (sum * L::ZERO).equal(L::ZERO);
                for i in 0..P {
                    k[i] = L::select(sound, k[i], L::ZERO);
                }
                let least = L::select(sound, inv_mass, L::ZERO);
                let mut impulse: [L; N] = load(&group.impulse, at);
                for i in 0..N {
                    impulse[i] = L::select(sound, impulse[i], L::ZERO);
                }
                store(&mut group.impulse, at, &impulse);
                // |Γ λ|/γ
                let mut moved = Vec3::new(k[0] * impulse[0], k[2] * impulse[1], k[5] * impulse[2]);
                if Q == 0 {
                    let all = times(&k, &impulse);
                    moved = Vec3::new(all[0], all[1], all[2]);
                }
                let arms = a.arm.length() + b.arm.length();
                let strain = joint_load::strain(moved.length() * (softness / rate), gap.length(), arms);
                let strain = if bears.limited || self.whole { L::ZERO } else { strain };
                let mut yields = [softness; N];
                yields[..3].fill(softness / (L::ONE + strain));
                if self.whole {
                    yields = [softness * L::splat(1.0 / joint_load::WHOLE); N];
                }
                bears.touched |= (a.touched | b.touched).any();
                if strain.greater(L::splat(joint_load::QUIET)).any() {
                    each_lane(strain, strain, |_, strain, _| {
                        bears.most = Num::max(strain, bears.most);
                        strain
                    });
                }
                for i in 0..N {
                    let bias = (rate * error[i]).max(-most).min(most);
                    group.bias[i].store(at, L::select(sound, bias, L::ZERO));
                }
                let relax = if self.whole { k } else { inverse::<L, N, P>(&k, [L::ZERO; N], least) };
                store(&mut group.inverse, at, &relax);
                if Q == 0 {
                    group.firm.store(at, if self.whole { yields[0] } else { L::ONE / (L::ONE + yields[0]) });
                } else {
                    let push = inverse::<L, N, P>(&k, yields, least);
                    for i in 0..P {
                        group.soft[i].store(at, push[i]);
                    }
                    for i in 0..N {
                        group.soft[P + i].store(at, k[entry(i, i)] * yields[i]);
                    }
                    if let Some(limit) = &mut limit {
                        limit.place::<L, N, P>(at, &a, &b, &axes, [&push, &relax], softness, &base.memory[at..], sound);
                    }
                }
                let (p, t) = group.carried::<L>(limit.as_deref(), at);
                let after = group.spin(at, p, t);
                for s in 0..2 {
                    let owed = after[s] - before[s];
                    let finite = (owed.length_squared() * L::ZERO).equal(L::ZERO);
                    base.owed[s].store(at, Vec3::select(finite, owed, Vec3::ZERO));
                }
            }
            group.effort = if self.whole { Effort::NONE } else { Effort::new(&bears) };
            if group.effort.rounds > 0 {
                self.rounds.fetch_max(group.effort.rounds, Ordering::Relaxed);
            }
        }
    }
}

/// What the inertias add to K: of the point, and of the turns about the axes.
#[inline(always)]
fn response<L: Lane, const N: usize, const P: usize>(a: &Placed<L>, b: &Placed<L>, axes: &[Vec3<L>; 3]) -> [L; P] {
    let mut k = [L::ZERO; P];
    for i in 0..6 {
        k[i] = a.share[i] + b.share[i];
    }
    let inertia = a.inv_inertia + b.inv_inertia;
    for i in 3..N {
        let turned = inertia * axes[i - 3];
        for j in 0..3 {
            k[entry(i, j)] = (a.answer[j] + b.answer[j]).dot(axes[i - 3]);
        }
        for j in 3..=i {
            k[entry(i, j)] = turned.dot(axes[j - 3]);
        }
    }
    k
}

impl JointLimit {
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn place<L: Lane, const N: usize, const P: usize>(
        &mut self,
        at: usize,
        a: &Placed<L>,
        b: &Placed<L>,
        axes: &[Vec3<L>; 3],
        inverses: [&[L; P]; 2],
        softness: L,
        memory: &[f64],
        sound: L::Mask,
    ) {
        let (x_a, x_b) = (a.turn.rotate(broadcast_x()), b.turn.rotate(broadcast_x()));
        // As in `parts::twisting`: nearly opposite, the twist is anything.
        let axis = (x_a + x_b) * (L::ONE / (L::ONE + x_a.dot(x_b)).max(L::splat(0.05)));
        let axis = Vec3::select(sound, axis, Vec3::ZERO);
        self.axis.store(at, axis);
        let q = a.turn.conjugate() * b.turn;
        let flip = q.w.less(L::ZERO);
        let angle = twist(L::select(flip, -q.x, q.x), L::select(flip, -q.w, q.w), memory);
        let angle = L::select(sound, angle, L::ZERO);
        self.room[0].store(at, angle - self.range[0].load::<L>(at));
        self.room[1].store(at, self.range[1].load::<L>(at) - angle);

        let turned = (a.inv_inertia + b.inv_inertia) * axis;
        let mut coupling = [L::ZERO; N];
        for i in 0..3 {
            coupling[i] = L::select(sound, (a.answer[i] + b.answer[i]).dot(axis), L::ZERO);
        }
        for i in 3..N {
            coupling[i] = L::select(sound, turned.dot(axes[i - 3]), L::ZERO);
        }
        let full = L::select(sound, turned.dot(axis), L::ZERO);
        for i in 0..N {
            self.coupling[i.min(4)].store(at, coupling[i]);
        }
        for (which, inverse) in inverses.into_iter().enumerate() {
            let held = times(inverse, &coupling);
            let mut left = full;
            for i in 0..N {
                self.held[which][i.min(4)].store(at, held[i]);
                left -= coupling[i] * held[i];
            }
            self.response[which].store(at, left.max(full * L::splat(REDUNDANT)));
        }
        self.compliance.store(at, full * softness);
        for end in 0..2 {
            let impulse = self.impulse[end].load::<L>(at);
            self.impulse[end].store(at, L::select(sound, impulse, L::ZERO));
        }
    }
}
