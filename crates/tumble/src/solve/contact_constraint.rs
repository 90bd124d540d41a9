//! Contact constraints as the kernels see them: manifolds of one colour in groups of [`LANES`], number beside number, so
//! that every instruction works on a whole group.

use super::rolling::Rolling;
use crate::constraint::contact::NONE;
use crate::math::{Float, LANES, Lane, NO_ROW, Real, Sym3, Vec3};

/// One number for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Wide(pub [Real; LANES]);

impl Wide {
    pub const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub fn load<L: Lane>(&self, at: usize) -> L {
        L::load(&self.0[at..])
    }

    #[inline(always)]
    pub fn store<L: Lane>(&mut self, at: usize, value: L) {
        value.store(&mut self.0[at..]);
    }
}

/// Several numbers for each lane.
#[inline(always)]
pub(super) fn load<L: Lane, const K: usize>(wide: &[Wide; K], at: usize) -> [L; K] {
    let mut out = [L::ZERO; K];
    for i in 0..K {
        out[i] = wide[i].load(at);
    }
    out
}

/// Groups that one thread takes at a time.
pub(crate) const SHARE: usize = 16;

/// `yes` in the lanes where the mask is set, `no` in the others.
#[inline(always)]
pub(crate) fn pick<L: Lane>(mask: L::Mask, yes: Vec3<L>, no: Vec3<L>) -> Vec3<L> {
    Vec3::new(L::select(mask, yes.x, no.x), L::select(mask, yes.y, no.y), L::select(mask, yes.z, no.z))
}

/// Three numbers for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Wide3(pub [Wide; 3]);

impl Wide3 {
    pub const ZERO: Self = Self([Wide::ZERO; 3]);

    #[inline(always)]
    pub fn load<L: Lane>(&self, at: usize) -> Vec3<L> {
        Vec3::new(self.0[0].load(at), self.0[1].load(at), self.0[2].load(at))
    }

    #[inline(always)]
    pub fn store<L: Lane>(&mut self, at: usize, v: Vec3<L>) {
        self.0[0].store(at, v.x);
        self.0[1].store(at, v.y);
        self.0[2].store(at, v.z);
    }

    /// The vector of one lane.
    pub fn lane(&self, lane: usize) -> Vec3 {
        Vec3::new(self.0[0].0[lane], self.0[1].0[lane], self.0[2].0[lane])
    }
}

/// A symmetric matrix for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Wide6(pub [Wide; 6]);

impl Wide6 {
    pub const ZERO: Self = Self([Wide::ZERO; 6]);

    #[inline(always)]
    pub fn load<L: Lane>(&self, at: usize) -> Sym3<L> {
        let [xx, yy, zz, xy, xz, yz] = &self.0;
        Sym3 { xx: xx.load(at), yy: yy.load(at), zz: zz.load(at), xy: xy.load(at), xz: xz.load(at), yz: yz.load(at) }
    }

    #[inline(always)]
    pub fn store<L: Lane>(&mut self, at: usize, s: Sym3<L>) {
        let [xx, yy, zz, xy, xz, yz] = &mut self.0;
        xx.store(at, s.xx);
        yy.store(at, s.yy);
        zz.store(at, s.zz);
        xy.store(at, s.xy);
        xz.store(at, s.xz);
        yz.store(at, s.yz);
    }

    /// The matrix of one lane.
    pub fn lane(&self, lane: usize) -> Sym3 {
        // By reference: a copy of all lanes goes by way of memory.
        let [xx, yy, zz, xy, xz, yz] = self.0.each_ref().map(|wide| wide.0[lane]);
        Sym3 { xx, yy, zz, xy, xz, yz }
    }
}

/// What the points of [`LANES`] manifolds share.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Group {
    /// Motions of the bodies; [`NO_ROW`] for those that nothing moves.
    pub body_a: [u32; LANES],
    pub body_b: [u32; LANES],
    /// The manifolds, or [`NONE`].
    pub manifold: [u32; LANES],
    /// Its points are `points[first_point..][..point_count]`: one, or four and `blocks[block]`. Lanes with fewer have points
    /// that do nothing.
    pub first_point: u32,
    pub point_count: u32,
    pub block: u32,
    /// Where its impacts are watched, or [`NONE`].
    pub watch: u32,
    /// What few groups have, or [`NONE`].
    pub oddity: u32,
    /// The lanes whose body A, and whose body B, is moved by something else: see [`Group::written`].
    pub led: [u8; 2],
    /// Of bodies of which axes are locked, along the others.
    pub inv_mass_a: Wide,
    pub inv_mass_b: Wide,
    pub inv_inertia_a: Wide6,
    pub inv_inertia_b: Wide6,
    pub normal: Wide3,
    pub tangent: Wide3,
    /// Softness: γ = μ_i/μ_m, what a unit impulse yields as a share of the response.
    pub compliance: Wide,
    pub static_friction: Wide,
    pub dynamic_friction: Wide,
    /// Where friction acts, from the centres of mass. A body that stands still has none, and so the anchor of the other: see [`GroupPoint::arm`].
    pub anchor_a: Wide3,
    pub anchor_b: Wide3,
    /// Inverse of the 2x2 response along both tangents: 11, 12, 22.
    pub tangent_mass: Wide3,
    pub twist_mass: Wide,
    pub tangent_impulse: [Wide; 2],
    pub twist_impulse: Wide,
}

impl Group {
    pub const EMPTY: Self = Self {
        body_a: [NO_ROW; LANES],
        body_b: [NO_ROW; LANES],
        manifold: [NONE; LANES],
        first_point: 0,
        point_count: 0,
        block: NONE,
        watch: NONE,
        oddity: NONE,
        led: [0; 2],
        inv_mass_a: Wide::ZERO,
        inv_mass_b: Wide::ZERO,
        inv_inertia_a: Wide6::ZERO,
        inv_inertia_b: Wide6::ZERO,
        normal: Wide3::ZERO,
        tangent: Wide3::ZERO,
        compliance: Wide::ZERO,
        static_friction: Wide::ZERO,
        dynamic_friction: Wide::ZERO,
        anchor_a: Wide3::ZERO,
        anchor_b: Wide3::ZERO,
        tangent_mass: Wide3::ZERO,
        twist_mass: Wide::ZERO,
        tangent_impulse: [Wide::ZERO; 2],
        twist_impulse: Wide::ZERO,
    };

    /// Where the new velocities of its bodies A, or B, go: to their motions, and nowhere ([`NO_ROW`]) for kinematic bodies, which several
    /// manifolds of one colour may share.
    #[inline(always)]
    pub fn written(&self, side: usize) -> [u32; LANES] {
        let mut rows = if side == 0 { self.body_a } else { self.body_b };
        if self.led[side] != 0 {
            for (lane, row) in rows.iter_mut().enumerate() {
                if self.led[side] >> lane & 1 != 0 {
                    *row = NO_ROW;
                }
            }
        }
        rows
    }

    /// The places of its points in the list of all points.
    pub fn points(&self) -> core::ops::Range<usize> {
        self.first_point as usize..(self.first_point + self.point_count) as usize
    }
}

/// One point of each of [`LANES`] manifolds.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct GroupPoint {
    /// r_A × n. With r_B = r_A - d, where d leads from A to B, r_B × n is that less d × n, which all points have in common. Where one of the bodies stands
    /// still nothing comes of its arm, and it has that of the other: d may be long then, and its rounding would be felt.
    pub arm: Wide3,
    pub separation: Wide,
    /// The velocity along the normal that a unit impulse gives; 0 where nothing moves.
    pub response: Wide,
    pub normal_impulse: Wide,
    /// Distance from where friction acts.
    pub lever: Wide,
}

impl GroupPoint {
    pub const EMPTY: Self = Self {
        arm: Wide3::ZERO,
        separation: Wide::ZERO,
        response: Wide::ZERO,
        normal_impulse: Wide::ZERO,
        lever: Wide::ZERO,
    };
}

/// Inverses of the responses of the four points of [`LANES`] manifolds to each other: 11, 12, 13, 14, 22, 23, 24, 33, 34, 44.
///
/// The response of a flat contact with four points has rank 3, so a little of its diagonal is added: for the soft pass what the
/// softness asks for, for the relaxing pass [`FIRMNESS`](super::contact_prepare::FIRMNESS).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Block {
    pub push: [Wide; 10],
    pub relax: [Wide; 10],
}

impl Block {
    pub const EMPTY: Self = Self { push: [Wide::ZERO; 10], relax: [Wide::ZERO; 10] };
}

/// What few groups have: bodies of which axes are locked or that a web of joints holds, surfaces that move or brake spinning, materials that are soft by their own account. In the
/// lanes without it stands what all other groups go by.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Oddity {
    /// 1 along the axes of the world, and 0 along locked ones.
    pub free_a: Wide3,
    pub free_b: Wide3,
    /// Surface velocity of B relative to A along both tangents.
    pub surface: [Wide; 2],
    /// Lever arm of spinning friction.
    pub spinning: Wide,
    /// The bias rate ρ, and the depth down to which a contact is hard all the same.
    pub bias_rate: Wide,
    pub firm_depth: Wide,
}

impl Oddity {
    pub const EMPTY: Self = Self {
        free_a: Wide3::ZERO,
        free_b: Wide3::ZERO,
        surface: [Wide::ZERO; 2],
        spinning: Wide::ZERO,
        bias_rate: Wide::ZERO,
        firm_depth: Wide::ZERO,
    };
}

/// How the points of a group met, for those groups in which something bounces or reports its impacts.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Watch {
    pub restitution: Wide,
    pub tangential_restitution: Wide,
    /// Velocity along the normal before the step, of each point; negative when approaching.
    pub approach: [Wide; 4],
    /// The same before the sub-step, and the separation then; kept where something bounces.
    pub closing: [Wide; 4],
    pub gap: [Wide; 4],
    /// What impacts on what nothing moves give back at the end of the sub-step: the speed of each point, negative where it does not bounce, and the
    /// energy of all, at most. And the share of the sub-step that is left after them.
    pub goal: [Wide; 4],
    pub given: Wide,
    pub rest: Wide,
    /// Slip along both tangents before the sub-step, kept where something bounces.
    pub slip: [Wide; 2],
    /// 1 where it bounced or was struck in this step.
    pub struck: Wide,
    /// The largest impulse of any pass: the point has really touched.
    pub peak: [Wide; 4],
    /// The impulse of all sub-steps, with that of bounces and blows.
    pub total: [Wide; 4],
}

impl Watch {
    pub const EMPTY: Self = Self {
        restitution: Wide::ZERO,
        tangential_restitution: Wide::ZERO,
        approach: [Wide::ZERO; 4],
        closing: [Wide::ZERO; 4],
        gap: [Wide::ZERO; 4],
        goal: [Wide::ZERO; 4],
        given: Wide::ZERO,
        rest: Wide::ZERO,
        slip: [Wide::ZERO; 2],
        struck: Wide::ZERO,
        peak: [Wide::ZERO; 4],
        total: [Wide::ZERO; 4],
    };
}

/// All contact constraints of a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactConstraints {
    pub groups: Vec<Group>,
    /// By group: the flags that one or the other of its manifolds has, while it is made.
    pub traits: Vec<u16>,
    pub points: Vec<GroupPoint>,
    pub blocks: Vec<Block>,
    pub watches: Vec<Watch>,
    pub oddities: Vec<Oddity>,
    /// Something bounces.
    pub bounces: bool,
    /// Groups `ranges[c]..ranges[c + 1]` have colour c; the last are the overflow, one manifold each.
    pub ranges: Vec<u32>,
    pub rolling: Vec<Rolling>,
    /// Rolling constraints by colour, as `ranges`.
    pub rolling_ranges: Vec<u32>,
}

impl ContactConstraints {
    /// Adds up what the watched points have borne in a sub-step that is over. Bounces and blows, which keep nothing, have added theirs.
    pub fn tally(&mut self) {
        if self.watches.is_empty() {
            return;
        }
        for group in &self.groups {
            let Some(watch) = self.watches.get_mut(group.watch as usize) else { continue };
            for (point, total) in self.points[group.points()].iter().zip(&mut watch.total) {
                for (sum, impulse) in total.0.iter_mut().zip(point.normal_impulse.0) {
                    *sum += impulse;
                }
            }
        }
    }
}

/// The firm depth of manifolds whose material is soft by its own account: nothing of it is firm, and it is a spring of its own, which the
/// relaxing pass leaves alone. Of what is pushed out of overlap that pass takes the speed back; of a spring it would take the swing.
pub(crate) const SPRINGY: Real = -Real::MIN_POSITIVE;

/// A soft constraint of frequency ω and damping ratio ζ over a step h (Catto, "Soft Constraints", 2011):
/// bias rate ω/(2ζ + hω), mass scale hω(2ζ + hω)/(1 + hω(2ζ + hω)), impulse scale 1/(1 + hω(2ζ + hω)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soft<T = Real> {
    pub bias_rate: T,
    pub mass_scale: T,
    pub impulse_scale: T,
}

impl<L: Lane> Soft<L> {
    #[inline(always)]
    pub fn new(hertz: L, damping_ratio: L, h: L) -> Self {
        // Beyond these a constraint is as hard as can be, and their products would no longer be numbers.
        let hertz = hertz.min(L::splat(1e10));
        let damping_ratio = damping_ratio.min(L::splat(1e10));
        let omega = L::splat(2.0 * Real::PI) * hertz;
        let a1 = L::splat(2.0) * damping_ratio + h * omega;
        let a2 = h * omega * a1;
        let a3 = L::ONE / (L::ONE + a2);
        Self { bias_rate: omega / a1, mass_scale: a2 * a3, impulse_scale: a3 }
    }

    /// μ_i/μ_m: what a unit impulse yields, for a mass of one.
    #[inline(always)]
    pub fn compliance(&self) -> L {
        self.impulse_scale / self.mass_scale.max(L::splat(Real::MIN_POSITIVE))
    }
}
