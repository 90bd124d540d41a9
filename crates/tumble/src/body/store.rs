//! All bodies of a world.
//!
//! Ids name *slots*; what a step reads lies in *dense* arrays, one record per body and purpose, so that a loop over the
//! bodies that move touches nothing else. The dense arrays are cut in two: awake bodies first, then all that stand still
//! (fixed, asleep, inactive). Falling asleep is a swap across the border.
//!
//! ```text
//!   slots   0 1 2 3 4 5 ...          stable, generation-checked, cold data
//!           | \ |  X  |
//!   dense   a a a a | s f f s        pose, velocity, parameters, rest
//!           awake   ^ border
//! ```

mod record;

use super::{BodyDesc, BodyKind, Locks, MassSource};
use crate::alike::Alike;
use crate::error::Result;
use crate::id::{BodyId, BodyKindTag, Slots};
use crate::list::List;
use crate::math::spatial::Wrench;
use crate::math::{Float, Mat3, Num, Point, Pose, Quat, Real, Sym3, Vec3, WorldPose};
use crate::names::Names;
use crate::shape::MassProperties;
use bytemuck::{Pod, Zeroable};
use std::borrow::Cow;
use std::sync::Arc;

pub(crate) use record::{is_rotation, load_pose, save_pose, take_list};

/// The velocity of the centre of mass, and the angular velocity in world space.
#[derive(Clone, Copy, Debug, PartialEq, Default, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Velocity {
    pub linear: Vec3,
    pub angular: Vec3,
}

impl Velocity {
    /// Velocity of the point at `r` from the centre of mass: v + ω × r (003-03).
    pub fn at(&self, r: Vec3) -> Vec3 {
        self.linear + self.angular.cross(r)
    }

    /// What takes a body with its centre of mass at `local_centre` of its frame to a target in `dt`.
    pub fn towards(target: &WorldPose, pose: &CentrePose, local_centre: Vec3, dt: Real) -> Self {
        let centre = target.translation + target.rotation.rotate(local_centre).to_f64();
        let turn: Quat = target.rotation * pose.rotation.conjugate();
        Self { linear: ((centre - pose.centre) / dt.to_f64()).to_real(), angular: turn.to_rotation_vector() / dt }
    }

    /// 0 x is zero where x is finite, and no number where it is not: a sum of such tells of all at once, without a jump for each.
    #[inline(always)]
    pub fn is_finite(&self) -> bool {
        let (v, w) = (self.linear * 0.0, self.angular * 0.0);
        let sum = v + w;
        sum.x + sum.y + sum.z == 0.0
    }
}

/// Where the centre of mass is, and how the body's frame is turned.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct CentrePose {
    pub centre: Point,
    pub rotation: Quat,
}

impl CentrePose {
    /// As [`Velocity::is_finite`].
    #[inline(always)]
    pub fn is_finite(&self) -> bool {
        let (p, q) = (self.centre * 0.0, self.rotation.scaled(0.0));
        (p.x + p.y + p.z == 0.0) & (q.x + q.y + q.z + q.w == 0.0)
    }
}

/// What a step needs to know of a body once.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Params {
    /// 1/m; 0 for bodies that nothing can push.
    pub inv_mass: Real,
    /// Reciprocals of the principal moments; 0 for bodies that nothing can turn.
    pub inv_inertia: Vec3,
    /// The principal axes in the body's frame.
    pub axes: Quat,
    /// The centre of mass in the body's frame.
    pub local_centre: Vec3,
    pub linear_damping: Real,
    pub angular_damping: Real,
    pub gravity_scale: Real,
    pub max_linear_speed: Real,
    pub max_angular_speed: Real,
    pub force: Vec3,
    pub torque: Vec3,
    /// Largest distance of a point of its colliders from the centre of mass.
    pub extent: Real,
    /// Radius of the largest ball known to fit into the thinnest part of its colliders; a motion shorter than this cannot tunnel.
    pub core: Real,
    pub flags: u32,
    pub spare: u32,
}

impl Params {
    pub const KINEMATIC: u32 = 1;
    /// The three principal moments differ so much that the gyroscopic torque matters.
    pub const SPINS_FREELY: u32 = 2;
    pub const CAN_SLEEP: u32 = 4;
    pub const BULLET: u32 = 8;
    /// A link of an articulation: its pose and velocity follow from the tree.
    pub const LINK: u32 = 16;
    /// It can move, and one of its colliders is solid and made of triangles, which know no inside: they may be pushed out on the wrong side.
    pub const MESHED: u32 = 32;
    /// The locks, shifted.
    pub const LOCKS_SHIFT: u32 = 8;

    pub fn locks(&self) -> Locks {
        Locks::from_bits((self.flags >> Self::LOCKS_SHIFT) as u8)
    }

    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub fn set(&mut self, flag: u32, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }

    /// Largest distance of a point from the centre, as far as turning is concerned: an unbounded shape that turns sweeps
    /// everything, which nothing can be done about.
    pub fn turning_extent(&self) -> Real {
        if self.extent.is_finite() { self.extent } else { 0.0 }
    }

    /// Force and torque of the user, and those of effects where there are any.
    #[inline(always)]
    pub fn load(&self, push: Option<&Wrench>) -> Wrench {
        match push {
            None => Wrench { force: self.force, torque: self.torque },
            Some(push) => Wrench { force: self.force + push.force, torque: self.torque + push.torque },
        }
    }

    /// What locks and speed limits leave of a velocity. They hold for dynamic bodies only: others move as they are told, and links as their
    /// tree does.
    pub fn restrained(&self, v: Velocity) -> Velocity {
        if self.inv_mass == 0.0 || self.has(Self::LINK) {
            return v;
        }
        let locks = self.locks();
        Velocity {
            linear: limited(v.linear.scale(locks.free_move()), self.max_linear_speed),
            angular: limited(v.angular.scale(locks.free_turn()), self.max_angular_speed),
        }
    }

    /// The inverse inertia in world axes, of a body that cannot turn about its locked axes: the inverse of what remains
    /// of I without their rows and columns.
    ///
    /// With A = I⁻¹ that is the Schur complement A - aₗ aₗᵀ / Aₗₗ for each locked axis l with its column aₗ. (To strike out
    /// the rows and columns of A instead would forget the torque by which the lock holds the body, and make a body whose
    /// principal axes are skew to the lock too easy to turn.)
    pub fn inv_inertia_world(&self, rotation: Quat) -> Sym3 {
        let r: Mat3 = (rotation * self.axes).to_mat3();
        let mut i = Sym3::rotated_diagonal(&r, self.inv_inertia);
        if self.locks().locks_turning() {
            let free = self.locks().free_turn();
            for axis in 0..3 {
                if free[axis] == 0.0 {
                    i = without_axis(i, axis);
                }
            }
        }
        i
    }
}

/// A - a aᵀ / Aₗₗ, with a the column of axis l; its row and column are zero, exactly.
fn without_axis(m: Sym3, axis: usize) -> Sym3 {
    let full = m.to_mat3();
    let (column, diagonal) = match axis {
        0 => (full.x, m.xx),
        1 => (full.y, m.yy),
        _ => (full.z, m.zz),
    };
    // A body that nothing turns about this axis has no coupling to it either.
    let c = if diagonal > 0.0 { column / diagonal } else { Vec3::ZERO };
    let mut keep = Vec3::all(1.0);
    keep[axis] = 0.0;
    // The difference cancels for a needle across the axis; rounding must not make it easier than not at all to turn.
    let left = |diagonal: Real, product: Real| Num::max(diagonal - product, 0.0);
    Sym3 {
        xx: left(m.xx, column.x * c.x) * keep.x,
        yy: left(m.yy, column.y * c.y) * keep.y,
        zz: left(m.zz, column.z * c.z) * keep.z,
        xy: (m.xy - column.x * c.y) * keep.x * keep.y,
        xz: (m.xz - column.x * c.z) * keep.x * keep.z,
        yz: (m.yz - column.y * c.z) * keep.y * keep.z,
    }
}

/// What accompanies a body from step to step besides its motion.
#[derive(Clone, Copy, Debug, PartialEq, Default, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Rest {
    /// Angular momentum that the rounding of the angular velocity lost: L = I ω + carry. It matters for slender bodies,
    /// whose angular velocity along the thin axis is a thousand times larger than its share of L.
    pub carry: Vec3,
    /// Mean acceleration of the centre of mass over the last step.
    pub linear_acceleration: Vec3,
    /// Mean angular acceleration over the last step.
    pub angular_acceleration: Vec3,
    /// For how long the body has been idle, in seconds.
    pub idle_time: Real,
}

/// What is rarely looked at; indexed by slot.
#[derive(Clone, Debug)]
pub(crate) struct Cold {
    pub dense: u32,
    pub kind: BodyKind,
    pub locks: Locks,
    pub active: bool,
    pub asleep: bool,
    /// Of a kinematic body that stands: it is awake for one more step, so that its contacts are looked at where it stands.
    pub looks: bool,
    pub debug: bool,
    pub quarantined: bool,
    /// The mass is as it was given: its source is [`MassSource::Explicit`] with the mass that stands here.
    explicit: bool,
    pub user_data: u64,
    /// In the body's frame. Bodies that are alike, one after the other or read from one snapshot, share it.
    pub mass: Arc<MassProperties>,
    /// Slots of its colliders, in the order of their addition.
    pub colliders: List<u32>,
    rare: Option<Box<Rare>>,
}

/// What few bodies have.
#[derive(Clone, Debug, Default)]
struct Rare {
    /// A source of the mass other than [`MassSource::Colliders`], which is by far the most frequent, and other than the mass itself. See [`Cold::mass_source`].
    mass_source: Option<Box<MassSource>>,
    /// Where a kinematic body is to be at the end of the next step.
    target: Option<WorldPose>,
}

impl Cold {
    /// Of a described body, without its name and colliders and with a provisional mass.
    pub fn new(desc: &BodyDesc, mass: MassProperties) -> Self {
        let mut cold = Self {
            dense: 0,
            kind: desc.kind,
            locks: desc.locks,
            active: desc.active,
            asleep: false,
            looks: false,
            debug: desc.debug,
            quarantined: false,
            explicit: false,
            user_data: desc.user_data,
            mass: Arc::new(mass),
            colliders: List::Empty,
            rare: None,
        };
        cold.set_mass_source(desc.mass.clone());
        cold
    }

    pub fn target(&self) -> Option<WorldPose> {
        self.rare.as_ref()?.target
    }

    /// Changes where a kinematic body is to be at the end of the next step.
    pub fn set_target(&mut self, target: Option<WorldPose>) {
        self.set_rare(target, |rare| &mut rare.target);
    }

    /// Changes one of what few bodies have. Memory is taken for something alone, and then kept: who has a target in one step mostly has one in the next.
    fn set_rare<T>(&mut self, value: Option<T>, of: impl Fn(&mut Rare) -> &mut Option<T>) {
        if value.is_some() {
            *of(self.rare.get_or_insert_default()) = value;
        } else if let Some(rare) = &mut self.rare {
            *of(rare) = None;
        }
    }

    /// A source that is kept apart from the mass.
    fn source_apart(&self) -> Option<&MassSource> {
        self.rare.as_ref()?.mass_source.as_deref()
    }

    pub fn mass_source(&self) -> Cow<'_, MassSource> {
        match self.source_apart() {
            Some(source) => Cow::Borrowed(source),
            None if self.explicit => Cow::Owned(MassSource::Explicit(*self.mass)),
            None => Cow::Owned(MassSource::Colliders),
        }
    }

    /// Changes where the mass comes from, and says where it came from before. The mass itself is the caller's concern.
    pub fn set_mass_source(&mut self, source: MassSource) -> MassSource {
        let old = self.mass_source().into_owned();
        self.explicit = false;
        let apart = (source != MassSource::Colliders).then(|| Box::new(source));
        self.set_rare(apart, |rare| &mut rare.mass_source);
        self.settle_source();
        old
    }

    /// Takes over the mass that came of the source, or that of a neighbour where it is the same.
    pub fn set_mass(&mut self, mass: MassProperties, neighbour: Option<Arc<MassProperties>>) {
        match neighbour.filter(|other| other.is_same(&mass)) {
            Some(other) => self.mass = other,
            None if self.mass.is_same(&mass) => {}
            None => self.mass = Arc::new(mass),
        }
        self.settle_source();
    }

    /// A mass that was given need not be kept twice.
    fn settle_source(&mut self) {
        if let Some(MassSource::Explicit(given)) = self.source_apart()
            && given.is_same(&self.mass)
        {
            self.explicit = true;
            self.set_rare(None, |rare| &mut rare.mass_source);
        }
        // A source that was refused leaves nothing behind.
        if self.source_apart().is_none() && self.target().is_none() {
            self.rare = None;
        }
    }
}

/// Force and torque about the centre of mass that act on a body in the next step.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub(crate) struct Once {
    pub force: Vec3,
    pub torque: Vec3,
    pub slot: u32,
    #[cfg(tumble_f64)]
    pub spare: u32,
}

impl Once {
    pub fn push(&self) -> Wrench {
        Wrench { force: self.force, torque: self.torque }
    }
}

/// Bodies by slot and by dense index.
#[derive(Clone, Debug)]
pub(crate) struct Bodies {
    pub cold: Slots<Cold, BodyKindTag>,
    /// By slot.
    pub names: Names,
    /// Slot to dense index: `Cold::dense` without what is cold around it. Free slots hold `u32::MAX`.
    dense: Vec<u32>,
    /// Dense index to slot.
    pub slot: Vec<u32>,
    pub velocity: Vec<Velocity>,
    pub pose: Vec<CentrePose>,
    /// Bodies that are alike share them.
    pub params: Alike<Params>,
    pub rest: Vec<Rest>,
    /// What force effects do to the awake bodies, while a step is under way: force, and torque about the centre of mass. Empty where no effect
    /// acts, and between steps. Bodies that wake during the step are behind its end.
    pub pushes: Vec<Wrench>,
    /// What the user applies in the next step alone, sorted by slot.
    pub once: Vec<Once>,
    /// How many are awake: they are the first of the dense arrays.
    awake: u32,
}

impl Bodies {
    pub fn new() -> Self {
        Self {
            cold: Slots::new(),
            names: Names::default(),
            dense: Vec::new(),
            slot: Vec::new(),
            velocity: Vec::new(),
            pose: Vec::new(),
            params: Alike::new(),
            rest: Vec::new(),
            pushes: Vec::new(),
            once: Vec::new(),
            awake: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.slot.len()
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.cold.reserve(more);
        self.dense.reserve_exact(more);
        self.slot.reserve_exact(more);
        self.velocity.reserve_exact(more);
        self.pose.reserve_exact(more);
        self.params.reserve(more);
        self.rest.reserve_exact(more);
    }

    pub fn awake(&self) -> usize {
        self.awake as usize
    }

    pub fn insert(
        &mut self,
        mut cold: Cold,
        pose: CentrePose,
        velocity: Velocity,
        params: Params,
        rest: Rest,
    ) -> BodyId {
        let dense = self.slot.len() as u32;
        cold.dense = dense;
        let id = self.cold.insert(cold);
        if self.dense.len() <= id.index() as usize {
            self.dense.resize(id.index() as usize + 1, u32::MAX);
        }
        self.dense[id.index() as usize] = dense;
        self.slot.push(id.index());
        self.velocity.push(velocity);
        self.pose.push(pose);
        self.params.push(params);
        self.rest.push(rest);
        id
    }

    /// Puts the built-in body into slot 0 of an empty store.
    pub fn insert_first(&mut self, cold: Cold, pose: CentrePose, velocity: Velocity, params: Params, rest: Rest) {
        debug_assert!(self.slot.is_empty());
        self.cold.insert_first(cold);
        self.dense.resize(self.dense.len().max(1), u32::MAX);
        self.dense[0] = 0;
        self.slot.push(0);
        self.velocity.push(velocity);
        self.pose.push(pose);
        self.params.push(params);
        self.rest.push(rest);
    }

    /// Takes the body out; the caller has removed what hangs on it.
    pub fn remove(&mut self, id: BodyId) -> Option<Cold> {
        self.cold.get(id).ok()?;
        self.set_awake(id.index(), false);
        let cold = self.cold.remove(id)?;
        let last = self.slot.len() - 1;
        // Standing bodies keep no order, so the last one fills the gap.
        self.swap(cold.dense as usize, last);
        self.dense[id.index() as usize] = u32::MAX;
        self.slot.pop();
        self.velocity.pop();
        self.pose.pop();
        self.params.pop();
        self.rest.pop();
        self.names.set(id.index(), None);
        self.forget_once(id.index());
        Some(cold)
    }

    /// What acts on a body in the next step alone.
    pub fn once_on(&self, slot: u32) -> Wrench {
        match self.once.binary_search_by_key(&slot, |once| once.slot) {
            Ok(place) => self.once[place].push(),
            Err(_) => Wrench::ZERO,
        }
    }

    pub fn set_once(&mut self, slot: u32, push: Wrench) {
        let once = Once {
            force: push.force,
            torque: push.torque,
            slot,
            #[cfg(tumble_f64)]
            spare: 0,
        };
        match self.once.binary_search_by_key(&slot, |once| once.slot) {
            Ok(place) => self.once[place] = once,
            Err(place) => self.once.insert(place, once),
        }
    }

    pub fn forget_once(&mut self, slot: u32) {
        if let Ok(place) = self.once.binary_search_by_key(&slot, |once| once.slot) {
            self.once.remove(place);
        }
    }

    /// The dense index of a body.
    pub fn dense(&self, id: BodyId) -> Result<usize> {
        Ok(self.cold.get(id)?.dense as usize)
    }

    /// The dense index of a taken slot.
    #[inline(always)]
    pub fn dense_at(&self, slot: u32) -> usize {
        match self.dense.get(slot as usize) {
            Some(&dense) if dense != u32::MAX => dense as usize,
            _ => usize::MAX,
        }
    }

    pub fn is_awake(&self, slot: u32) -> bool {
        self.dense_at(slot) < self.awake as usize
    }

    /// Moves the body across the border between the awake and the standing. The order of the awake ones after it depends
    /// only on the sequence of calls.
    pub fn set_awake(&mut self, slot: u32, awake: bool) {
        let dense = self.dense_at(slot);
        if dense == usize::MAX || (dense < self.awake as usize) == awake {
            return;
        }
        // What it did before it stood still, or when it last moved, was not in the last step.
        let rest = &mut self.rest[dense];
        rest.linear_acceleration = Vec3::ZERO;
        rest.angular_acceleration = Vec3::ZERO;
        if awake {
            self.swap(dense, self.awake as usize);
            self.awake += 1;
        } else {
            self.awake -= 1;
            self.swap(dense, self.awake as usize);
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        self.slot.swap(a, b);
        self.velocity.swap(a, b);
        self.pose.swap(a, b);
        self.params.swap(a, b);
        self.rest.swap(a, b);
        for dense in [a, b] {
            if let Some(cold) = self.cold.at_mut(self.slot[dense]) {
                cold.dense = dense as u32;
            }
            self.dense[self.slot[dense] as usize] = dense as u32;
        }
    }

    /// Fills the table of dense indices from the slots.
    fn index_slots(&mut self) {
        self.dense = vec![u32::MAX; self.cold.capacity()];
        for (id, cold) in self.cold.iter() {
            self.dense[id.index() as usize] = cold.dense;
        }
    }

    /// The force at the centre of mass and the torque about it: the user's and those of effects.
    #[inline(always)]
    pub fn load_on(&self, dense: usize) -> Wrench {
        self.params[dense].load(self.pushes.get(dense))
    }

    /// The pose of the body's frame.
    pub fn frame(&self, dense: usize) -> WorldPose {
        let (pose, params) = (&self.pose[dense], &self.params[dense]);
        WorldPose {
            translation: pose.centre - pose.rotation.rotate(params.local_centre).to_f64(),
            rotation: pose.rotation,
        }
    }

    /// The pose of something placed at `local` in the body's frame.
    pub fn placed(&self, dense: usize, local: &Pose) -> WorldPose {
        let (pose, params) = (&self.pose[dense], &self.params[dense]);
        let offset = local.translation - params.local_centre;
        WorldPose {
            translation: pose.centre + pose.rotation.rotate(offset).to_f64(),
            rotation: pose.rotation * local.rotation,
        }
    }

    pub fn clear(&mut self) {
        self.cold.clear();
        self.names.clear();
        self.dense.fill(u32::MAX);
        self.slot.clear();
        self.velocity.clear();
        self.pose.clear();
        self.params.clear();
        self.rest.clear();
        self.once.clear();
        self.awake = 0;
    }
}

/// A speed limit as a factor: v scaled so that |v| <= limit.
#[inline(always)]
pub(crate) fn limited(v: Vec3, limit: Real) -> Vec3 {
    let s = v.length_squared();
    if s > limit * limit {
        // The square of an absurd speed overflows; its direction does not.
        if s < Real::INFINITY { v * (limit / Num::sqrt(s)) } else { v.normalize_or(v) * limit }
    } else {
        v
    }
}
