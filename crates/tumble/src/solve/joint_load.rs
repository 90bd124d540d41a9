//! How firm a joint is, and how often it is solved, by the load that it bears.
//!
//! A joint as hard as the method makes it is a soft constraint: at rest, with nothing moving, the push towards C = 0 and the yielding
//! to the impulse λ balance, ρ C = Γ λ. So it gapes in proportion to its load, and to K: a joint between two light bodies on which
//! thousands hang, as in the corner of a net, by a good part of their size. The gap is measured in a [`SHARE`] of the arms:
//!
//! ```text
//!   x = |K λ| γ/(ρ s),   s = SHARE (|r_A| + |r_B|),   Γ = γ K,     and the joint yields with   Γ/(1 + x)   instead of   Γ
//! ```
//!
//! so that the gap at rest is s x/(1 + x) and never more than s, up to x = [`MOST`].
//!
//! **Why it may not simply be hard.** Sweeps hand impulses on from joint to joint and do not come to an end in a large web. What a sub-step
//! leaves over, the next ones go on with: to the slow modes of the web, joints are springs, n/(K h²) stiff with n sweeps in a sub-step; what
//! the push adds up over time makes these oscillations grow, and the yielding takes energy out of them. With too little of it a web shakes
//! itself to pieces. The border, from the eigenvalues of a sub-step of chains (uniform, with a heavy end, growing heavier outwards), is
//! about 1 + x < 1.5 + 2.5 e with e more sweeps of each pass. So joints are solved the more often the more they bear ([`Effort`]):
//! these are few.
//!
//! **Over-relaxation.** All sweeps but the last of a pass go [`OVER`] as far as would make the joint right. Whatever the factor below 2, such
//! a step takes energy out of what is wrong (it shrinks by ω (2 - ω) (J u)²/2K); and slow modes see a web that is the stiffer by the factor.
//! The last sweep makes every joint right by itself.
//!
//! **Contacts.** Joints of bodies that touch something or are acted on otherwise are solved twice after the contacts, and go all the way and no farther
//! unless they are strained: a limb that hits the floor is not to be torn out of its socket.
//!
//! **Limits.** Joints with limits, motors or springs, and those of bodies with locked axes, are solved thrice, whatever they bear, and yield as the
//! method has it: what goes too far in the rows that hold, or holds harder than the rows beside them, comes out as an overrun of the limit
//! (5 degrees instead of 1.5 in a ragdoll that falls down stairs).
//!
//! **Webs** that are solved as a whole (`joint_web`, `point_web`) could be as hard as rounding lets them, and yield all the same, by a constant share
//! 1/[`WHOLE`] of Γ whatever they bear. A rope bridge whose planks just reach from one side to the other cannot sag unless its joints give way:
//! the tension H = M/s grows without bound as the sag s goes to 0, and with it the frequency of a plank that shakes between its neighbours,
//! 2 √(H/m l), until it is too fast for the sub-step: such a bridge never comes to rest. And the share is constant because a joint that grows
//! firmer while its load rises answers late, which drives slow oscillations; by a constant one it is a spring with a damper.

use crate::math::{Lane, Real};

/// The gap of a joint at rest, as a share of its arms, that no load exceeds as long as x stays below [`MOST`].
const SHARE: Real = 0.02;

/// No joint is firmer than by this.
const MOST: Real = 16.0;

/// A load that needs no more sweeps than usual.
pub(crate) const LIGHT: Real = 0.5;

/// A load with which a joint has nothing to hand on through a web when it relaxes, so that one sweep does: the gaps of a net of 10,000 balls are as with two.
/// Were it as much as [`LIGHT`], a net under a thousandfold load would gape by half as much again.
pub(crate) const QUIET: Real = 0.1;

/// How far the sweeps before the last go, where 1 makes a joint right.
const OVER: Real = 1.8;

/// How much firmer joints are in webs that are solved as a whole.
pub(crate) const WHOLE: Real = 10.0;

/// x, from the gap that the load makes, |K λ| γ/ρ, and the sum of the arms. One that has been torn apart (`open` is the gap that there is)
/// is as soft as any, and so is one without arms, which has nothing to measure a gap by.
#[inline(always)]
pub(crate) fn strain<L: Lane>(gap: L, open: L, arms: L) -> L {
    let s = (arms * L::splat(SHARE)).max(L::splat(Real::MIN_POSITIVE));
    L::select(open.greater_eq(arms), L::ZERO, (gap / s).min(L::splat(MOST)))
}

/// How joints are solved in a pass, beyond its first and its last sweep. Joints in lanes have the effort of their group: that of the most strained,
/// touched or limited among eight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// More sweeps in between.
    pub rounds: u32,
    /// How far all but the last sweep go, where 1 makes the joint right.
    pub relaxation: Real,
    /// It relaxes in the last sweep alone.
    pub quiet: bool,
}

/// What the effort for some joints goes by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strain {
    /// x of the most strained.
    pub most: Real,
    /// More than joints acts on some body.
    pub touched: bool,
    /// There are limits, motors or springs beside what holds, or axes are locked.
    pub limited: bool,
}

impl Effort {
    pub const NONE: Self = Self { rounds: 0, relaxation: 1.0, quiet: false };

    pub fn new(strain: &Strain) -> Self {
        let strained = strain.most > LIGHT && !strain.limited;
        let by_load = if strained { 1 + (0.5 * strain.most) as u32 } else { 0 };
        let watched = strain.touched || strain.limited;
        let relaxation = if watched && !strained { 1.0 } else { OVER };
        let quiet = !watched && strain.most <= QUIET;
        Self { rounds: by_load.max(u32::from(watched)), relaxation, quiet }
    }
}
