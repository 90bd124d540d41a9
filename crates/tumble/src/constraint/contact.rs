//! Contacts: pairs of colliders whose boxes overlap, and where they touch.
//!
//! A contact lives from the moment the boxes of two colliders overlap until they no longer do. While the surfaces are
//! within the detection distance it has one manifold, or several where a mesh or a compound takes part: a normal and up to
//! four points that share it. What must hold for each point (003-54):
//!
//! ```text
//!   C  = (x_B - x_A)·n >= 0                     n: unit normal from A to B
//!   J  = [-n, -(r_A × n), n, (r_B × n)]         r: from the centre of mass to the point
//!   λ >= 0,  λ C = 0                            push only, and only while touching
//!   |λ_t| <= μ λ                                Coulomb, with t across n
//! ```

mod record;

pub(crate) use record::{LoadedContacts, Manifolds, Met, Placing, Side};

use crate::body::PairCoefficients;
use crate::body::store::Velocity;
use crate::detect::narrow::PairCache;
use crate::math::{Pose, Real, Vec3};
use crate::method::FrictionModel;
use bytemuck::{Pod, Zeroable};

/// No contact, no manifold, no body.
pub(crate) const NONE: u32 = u32::MAX;

/// Points that a manifold has when it is solved. Of those that the narrow phase finds, up to twice as many, the ones that carry best are kept, or
/// all of them as several manifolds.
pub(crate) const SOLVED_POINTS: usize = 4;

/// A point of a manifold.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct ContactPoint {
    /// Midway between the surfaces, from the centre of mass of A, in world axes.
    pub anchor: Vec3,
    /// Distance of the surfaces along the normal; negative when they overlap.
    pub separation: Real,
    /// Impulse along the normal in the last sub-step that was solved: where the next solve starts.
    pub normal_impulse: Real,
}

/// Impulses of the points of a manifold along both tangents.
pub(crate) type Tangents = [[Real; 2]; SOLVED_POINTS];

impl ContactPoint {
    /// No point. It is so far apart that nothing is asked of it.
    pub const NONE: Self = Self { anchor: Vec3::ZERO, separation: FAR, normal_impulse: 0.0 };
}

/// A point as it was found: in the frame of A's shape, and how far the surfaces were apart.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Origin {
    pub point: Vec3,
    pub separation: Real,
}

/// The separation of points that are not there.
pub(crate) const FAR: Real = 1e30;

/// Points with a common normal.
///
/// All that is real comes first, so that a kernel may read manifolds as rows of numbers: see [`ContactManifold::rows`].
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct ContactManifold {
    /// Unit, from A to B, in world axes.
    pub normal: Vec3,
    /// From the centre of mass of A to the centre of mass of B, in world axes.
    pub lever: Vec3,
    /// Friction impulse of the manifold across the normal, in world axes.
    pub friction_impulse: Vec3,
    /// Angular impulse of twist (along the normal) and rolling (across it), in world axes.
    pub angular_impulse: Vec3,
    /// What all surfaces have; what few have is an [`Extra`].
    pub static_friction: Real,
    pub dynamic_friction: Real,
    pub restitution: Real,
    /// Those from `point_count` on are [`ContactPoint::NONE`].
    pub points: [ContactPoint; SOLVED_POINTS],
    /// Where the points were found, for recycling.
    pub origins: [Origin; SOLVED_POINTS],
    /// The normal in the frame of A's shape.
    pub local_normal: Vec3,
    /// Which features of the two shapes meet in each point; the same from step to step while they do.
    pub features: [u32; SOLVED_POINTS],
    /// The contact it belongs to.
    pub contact: u32,
    /// Slots of the bodies, as in the contact.
    pub body_a: u32,
    pub body_b: u32,
    /// The next manifold of the same contact, or the next free one.
    pub next: u32,
    /// Where it stands in its colour.
    pub colour_index: u32,
    /// The materials of the parts that touch, as slots of the two colliders: A in the low half, B in the high half.
    pub material_slots: u32,
    pub flags: u16,
    pub point_count: u8,
    /// Its colour in the constraint graph, or [`ContactManifold::NO_COLOUR`].
    pub colour: u8,
    #[cfg(tumble_f64)]
    pub spare: u32,
}

/// Cosine of the angle between two normals up to which they are those of one face.
pub(crate) const SAME_FACE: Real = 0.99;

impl ContactManifold {
    /// It does not slide yet, as far as can be told: nowhere faster than `creep`, at these velocities of its bodies and of surface B relative to surface A.
    pub fn creeps(&self, a: &Velocity, b: &Velocity, surface: Vec3, creep: Real) -> bool {
        let slip = |p: &ContactPoint| b.at(self.anchor_b(p)) - a.at(p.anchor) + surface;
        self.used().iter().all(|p| slip(p).across(self.normal).length_squared() <= creep * creep)
    }

    /// A surface moves on its body: the velocity must be looked up.
    pub const CONVEYS: u16 = 1;
    /// The material has been looked up.
    pub const RESOLVED: u16 = 2;
    /// Fast impacts are reported.
    pub const IMPACTS: u16 = 4;
    /// Something bounces.
    pub const BOUNCES: u16 = 8;
    /// Rolling is braked.
    pub const ROLLS: u16 = 16;
    /// Spinning is braked, the material is soft by its own account, or a surface moves.
    pub const ODD: u16 = 32;
    /// All points are over faces of A, which are level with each other but for a degree or two: a ball or a capsule that moves over them as B
    /// touches below where it is.
    pub const FLAT: u16 = 64;

    pub const NO_COLOUR: u8 = u8::MAX;

    /// Numbers in a row of [`ContactManifold::rows`].
    pub const ROW: usize = size_of::<Self>() / size_of::<Real>();
    /// Numbers of a row before its points, and one more: rows are read by fours.
    pub const HEAD: usize = Self::POINTS.next_multiple_of(4);
    /// Where the points begin in a row.
    pub const POINTS: usize = core::mem::offset_of!(Self, points) / size_of::<Real>();
    /// Numbers of one point.
    pub const POINT: usize = size_of::<ContactPoint>() / size_of::<Real>();

    /// Manifolds as rows of numbers, for kernels that read several at once. What follows the points is no number.
    pub fn rows(manifolds: &[Self]) -> &[[Real; Self::ROW]] {
        bytemuck::cast_slice(manifolds)
    }

    /// The points that are there.
    pub fn used(&self) -> &[ContactPoint] {
        &self.points[..(self.point_count as usize).min(SOLVED_POINTS)]
    }

    /// Takes over the impulses of points of the face with the `normal` whose features are gone, each at the point nearest to it: a
    /// face that bears a load bears it whichever of its points are looked at.
    pub fn inherit(&mut self, normal: Vec3, old: impl Iterator<Item = (u32, ContactPoint)>) {
        let count = self.used().len();
        let (features, points) = (&self.features[..count], &mut self.points[..count]);
        for (feature, gone) in old {
            if gone.normal_impulse > 0.0 && !features.contains(&feature) && normal.dot(self.normal) > SAME_FACE {
                let far = |p: &ContactPoint| (p.anchor - gone.anchor).length_squared();
                if let Some(heir) = points.iter_mut().min_by(|p, q| far(p).total_cmp(&far(q))) {
                    heir.normal_impulse += gone.normal_impulse;
                }
            }
        }
    }

    pub(crate) fn set(&mut self, flag: u16, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }

    /// A point from the centre of mass of B.
    pub fn anchor_b(&self, point: &ContactPoint) -> Vec3 {
        point.anchor - self.lever
    }
}

/// What few surfaces have: see [`SurfacePair`]. All zeros for the others.
#[derive(Clone, Copy, Debug, PartialEq, Default, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Extra {
    tangential_restitution: Real,
    rolling_friction: Real,
    spinning_friction: Real,
    hertz: Real,
    damping_ratio: Real,
    /// Velocity of surface B relative to surface A, in world axes.
    surface_velocity: Vec3,
}

impl Extra {
    /// Numbers in a row of [`Extra::rows`].
    pub const ROW: usize = size_of::<Self>() / size_of::<Real>();

    /// As rows of numbers, for kernels that read several at once.
    pub fn rows(extras: &[Self]) -> &[[Real; Self::ROW]] {
        bytemuck::cast_slice(extras)
    }
}

/// The coefficients of a manifold; see [`PairCoefficients`] and [`Softness`](crate::body::Softness).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct SurfacePair {
    pub static_friction: Real,
    pub dynamic_friction: Real,
    pub restitution: Real,
    pub tangential_restitution: Real,
    pub rolling_friction: Real,
    pub spinning_friction: Real,
    /// 0 for as hard as the method allows.
    pub hertz: Real,
    pub damping_ratio: Real,
}

impl From<PairCoefficients> for SurfacePair {
    fn from(p: PairCoefficients) -> Self {
        Self {
            static_friction: p.static_friction,
            dynamic_friction: p.dynamic_friction,
            restitution: p.restitution,
            tangential_restitution: p.tangential_restitution,
            rolling_friction: p.rolling_friction,
            spinning_friction: p.spinning_friction,
            hertz: 0.0,
            damping_ratio: 0.0,
        }
    }
}

/// A pair of colliders whose boxes overlap.
#[derive(Clone, Copy, Debug, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Contact {
    /// Slots of the colliders; a before b in the order of the slots.
    pub collider_a: u32,
    pub collider_b: u32,
    /// Slots of the bodies.
    pub body_a: u32,
    pub body_b: u32,
    pub flags: u32,
    /// First manifold, or `NONE`.
    pub manifolds: u32,
    /// Position in the list of awake contacts, or `NONE`.
    pub awake: u32,
    /// Changes with every occupant of this place, so that a list of contacts can tell a successor.
    pub generation: u32,
    pub cache: PairCache,
    /// Of a pair that touches: the pose of B as seen from A when the manifolds were found, for recycling. Of one that does not: how far it is apart.
    pub pose: RelativePose,
}

/// The neighbours of a contact in the lists of its two bodies: keys, see [`key`]. They lie beside the contacts and not in them, so
/// that a walk along a list reads little else.
#[derive(Clone, Copy, Debug, PartialEq, Zeroable, Pod)]
#[repr(C)]
struct Neighbours {
    prev: [u32; 2],
    next: [u32; 2],
}

impl Neighbours {
    const NONE: Self = Self { prev: [NONE; 2], next: [NONE; 2] };
}

/// A [`Pose`] as a plain record, or an [`Apart`] in its place.
#[derive(Clone, Copy, Debug, PartialEq, Default, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct RelativePose {
    pub translation: [Real; 3],
    pub rotation: [Real; 4],
    /// Of a pair that is apart: what is left to it, 0 where nothing is known. See [`Apart`].
    pub clearance: Real,
}

/// A direction along which a pair is apart, fixed to one of the shapes, or the place at which it is so whichever way.
///
/// With p the origin of the other shape as this one sees it and n the direction, the other shape's points q are at p + q, and the gap is
/// n·p + min n·q and a constant. A turn moves no q by more than its chord times the shape's radius; n·p is looked at. So the surfaces stay
/// farther apart than the detection distance as long as the clearance, of which turns take away, and n·(p - p₀) make more than nothing. A look
/// before that changes nothing; so none of this need be saved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Apart {
    /// n, in the frame of the shape that it is fixed to; p₀ itself, where `from` says so.
    pub along: [Real; 3],
    /// n·p₀: where it was found. Or [`Apart::ALL_ROUND`].
    pub from: Real,
    /// Radius of the other shape; negative where the direction is fixed to B.
    pub reach: Real,
}

impl Apart {
    /// In place of n·p₀: the surfaces are apart whichever way, and stay so as long as |p - p₀| is less than the clearance.
    pub const ALL_ROUND: Real = Real::INFINITY;
}

impl RelativePose {
    /// It is the pose of something: that of nothing is all zeros, which is no rotation.
    pub fn is_known(&self) -> bool {
        self.rotation != [0.0; 4]
    }

    /// In place of the pose of a pair that is apart, with the clearance.
    pub fn of_apart(apart: Apart, clearance: Real) -> Self {
        let Apart { along, from, reach } = apart;
        Self { translation: along, rotation: [from, reach, 0.0, 0.0], clearance }
    }

    /// What [`RelativePose::of_apart`] took; means something where there is some clearance.
    pub fn apart(&self) -> Apart {
        let [from, reach, ..] = self.rotation;
        Apart { along: self.translation, from, reach }
    }
}

impl From<Pose> for RelativePose {
    fn from(p: Pose) -> Self {
        Self { translation: p.translation.into(), rotation: p.rotation.into(), clearance: 0.0 }
    }
}

impl Contact {
    /// The surfaces are within the detection distance, or overlap for a sensor.
    pub const TOUCHING: u32 = 1;
    /// One of the colliders is a sensor: nothing is solved.
    pub const SENSOR: u32 = 2;
    /// Both bodies are dynamic: the contact joins islands.
    pub const JOINS: u32 = 4;
    /// Its beginning and end are reported.
    pub const REPORTED: u32 = 8;
    /// It is shown to the hook.
    pub const HOOKED: u32 = 16;
    /// Fast impacts are reported.
    pub const IMPACTS: u32 = 32;
    /// Of the two colliders B is the sensor.
    pub const SENSOR_IS_B: u32 = 64;

    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub fn set(&mut self, flag: u32, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }

    /// It ties its bodies together, so that they are of one island.
    pub fn ties(&self) -> bool {
        self.has(Self::TOUCHING) && self.has(Self::JOINS) && !self.has(Self::SENSOR)
    }

    /// The other body.
    pub fn other(&self, body: u32) -> u32 {
        if self.body_a == body { self.body_b } else { self.body_a }
    }
}

/// A contact as an element of the list of one of its bodies: twice the contact, plus 1 for body B.
pub(crate) fn key(contact: u32, side: usize) -> u32 {
    contact << 1 | side as u32
}

/// All contacts of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    pub all: Vec<Contact>,
    /// As long as `all`.
    neighbours: Vec<Neighbours>,
    free: Vec<u32>,
    pub manifolds: Vec<ContactManifold>,
    /// Where friction acts at points, their impulses across the normal: as long as `manifolds`, or empty where there are none.
    pub tangents: Vec<Tangents>,
    /// As long as `manifolds`, or empty where no surface has ever had any.
    pub extras: Vec<Extra>,
    /// First free manifold, linked by `next`; `NONE` at the end.
    free_manifold: u32,
    /// Contacts with an awake body.
    pub awake: Vec<u32>,
    /// First contact of each body, by slot.
    heads: Vec<u32>,
}

impl Contacts {
    pub fn new() -> Self {
        Self { free_manifold: NONE, ..Self::default() }
    }

    /// Makes room for the contacts of so many more bodies in a pile: about one for each that touches.
    pub fn reserve(&mut self, bodies: usize) {
        let near = bodies + bodies / 4;
        self.all.reserve_exact(near);
        self.neighbours.reserve_exact(near);
        self.awake.reserve_exact(near);
        self.manifolds.reserve_exact(near);
        // One more, for the slot of the built-in body.
        self.heads.reserve_exact(bodies + 1);
    }

    /// All contacts, in the order of their places.
    pub fn live(&self) -> impl Iterator<Item = u32> + '_ {
        let free: std::collections::BTreeSet<u32> = self.free.iter().copied().collect();
        (0..self.all.len() as u32).filter(move |c| !free.contains(c))
    }

    /// Manifolds that no contact uses.
    pub fn free_manifold_count(&self) -> usize {
        let (mut count, mut m) = (0, self.free_manifold);
        while m != NONE && count <= self.manifolds.len() {
            count += 1;
            m = self.manifolds[m as usize].next;
        }
        count
    }

    /// Makes a contact, asleep, at the head of both bodies' lists.
    pub fn insert(&mut self, collider_a: u32, collider_b: u32, body_a: u32, body_b: u32, flags: u32) -> u32 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.all.push(Contact::zeroed());
            self.neighbours.push(Neighbours::NONE);
            self.all.len() as u32 - 1
        });
        let generation = self.all[index as usize].generation.wrapping_add(1);
        self.all[index as usize] = Contact {
            collider_a,
            collider_b,
            body_a,
            body_b,
            flags,
            manifolds: NONE,
            awake: NONE,
            generation,
            cache: PairCache::default(),
            pose: RelativePose::default(),
        };
        self.neighbours[index as usize] = Neighbours::NONE;
        for (side, body) in [body_a, body_b].into_iter().enumerate() {
            if self.heads.len() <= body as usize {
                self.heads.resize(body as usize + 1, NONE);
            }
            let head = core::mem::replace(&mut self.heads[body as usize], key(index, side));
            self.neighbours[index as usize].next[side] = head;
            if head != NONE {
                self.neighbours[(head >> 1) as usize].prev[(head & 1) as usize] = key(index, side);
            }
        }
        index
    }

    /// Takes a contact out of all lists. Its manifolds must have left the constraint graph.
    pub fn remove(&mut self, index: u32) {
        self.set_awake(index, false);
        self.clear_manifolds(index);
        let (contact, neighbours) = (self.all[index as usize], self.neighbours[index as usize]);
        for (side, body) in [contact.body_a, contact.body_b].into_iter().enumerate() {
            let (prev, next) = (neighbours.prev[side], neighbours.next[side]);
            if prev == NONE {
                self.heads[body as usize] = next;
            } else {
                self.neighbours[(prev >> 1) as usize].next[(prev & 1) as usize] = next;
            }
            if next != NONE {
                self.neighbours[(next >> 1) as usize].prev[(next & 1) as usize] = prev;
            }
        }
        self.neighbours[index as usize] = Neighbours::NONE;
        // Nothing is left of it but the number of its successor, and no body: by that it is known to be free.
        let generation = contact.generation;
        self.all[index as usize] =
            Contact { generation, body_a: NONE, manifolds: NONE, awake: NONE, ..Contact::zeroed() };
        self.free.push(index);
    }

    /// The contacts that exist.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Contact)> {
        self.all.iter().enumerate().filter(|(_, c)| c.body_a != NONE).map(|(i, c)| (i as u32, c))
    }

    /// Puts a contact on the list of awake ones, or takes it off.
    pub fn set_awake(&mut self, index: u32, awake: bool) {
        let at = self.all[index as usize].awake;
        if (at != NONE) == awake {
            return;
        }
        if awake {
            self.all[index as usize].awake = self.awake.len() as u32;
            // What happened meanwhile nobody has counted.
            self.all[index as usize].pose.clearance = 0.0;
            self.awake.push(index);
        } else {
            self.awake.swap_remove(at as usize);
            if let Some(&moved) = self.awake.get(at as usize) {
                self.all[moved as usize].awake = at;
            }
            self.all[index as usize].awake = NONE;
        }
    }

    /// Makes the next step look at all contacts of a body, however clear they were.
    pub fn forget_clearances(&mut self, body: u32) {
        let mut next = self.first_of(body);
        while let Some(contact) = next {
            self.all[contact as usize].pose.clearance = 0.0;
            next = self.next_of(contact, body);
        }
    }

    /// The contacts of a body, newest first. The list must not change while it is walked.
    pub fn of_body(&self, body: u32) -> OfBody<'_> {
        OfBody { contacts: self, next: self.heads.get(body as usize).copied().unwrap_or(NONE) }
    }

    /// The first contact of a body, for walks during which the list changes.
    pub fn first_of(&self, body: u32) -> Option<u32> {
        let head = self.heads.get(body as usize).copied().unwrap_or(NONE);
        (head != NONE).then_some(head >> 1)
    }

    /// The contact after `contact` in the list of `body`.
    pub fn next_of(&self, contact: u32, body: u32) -> Option<u32> {
        let side = (self.all[contact as usize].body_a != body) as usize;
        let next = self.neighbours[contact as usize].next[side];
        (next != NONE).then_some(next >> 1)
    }

    /// Brings the impulses from which the next solve starts in line with another method: scaled from one length of solve to
    /// another, and from friction that acts once to friction that acts at every point. (The other way round the sum is there
    /// already.)
    pub fn convert_impulses(&mut self, ratio: Real, from: FrictionModel, to: FrictionModel) {
        if to == FrictionModel::Manifold {
            self.tangents.clear();
        } else if from == FrictionModel::Manifold {
            self.use_tangents();
        }
        for (i, m) in self.manifolds.iter_mut().enumerate() {
            m.friction_impulse *= ratio;
            m.angular_impulse *= ratio;
            let points = &mut m.points[..(m.point_count as usize).min(SOLVED_POINTS)];
            let total: Real = points.iter().map(|p| p.normal_impulse).sum();
            let (t1, t2) = m.normal.tangents();
            let mut none = Tangents::default();
            let tangents = self.tangents.get_mut(i).unwrap_or(&mut none);
            for (p, tangent) in points.iter_mut().zip(tangents) {
                *tangent = if from == FrictionModel::Manifold && to == FrictionModel::Point {
                    let share = if total > 0.0 { p.normal_impulse / total } else { 0.0 };
                    [m.friction_impulse.dot(t1) * share, m.friction_impulse.dot(t2) * share]
                } else {
                    tangent.map(|f| f * ratio)
                };
                p.normal_impulse *= ratio;
            }
        }
    }

    /// Has the points of all contacts found anew.
    pub fn forget_poses(&mut self) {
        for contact in &mut self.all {
            contact.pose = RelativePose::default();
        }
    }

    /// The narrow phase is to look at all pairs as if it had never seen them.
    pub fn forget_caches(&mut self) {
        for contact in &mut self.all {
            contact.cache = PairCache::default();
        }
        self.forget_poses();
    }

    /// From now on the impulses of points across the normal are kept.
    pub fn use_tangents(&mut self) {
        self.tangents.resize(self.manifolds.len(), Tangents::default());
    }

    /// The impulses of the points of a manifold across the normal; zeros where they are not kept.
    pub fn tangents_of(&self, manifold: u32) -> Tangents {
        self.tangents.get(manifold as usize).copied().unwrap_or_default()
    }

    /// Notes these impulses, where they are kept.
    pub fn set_tangents(&mut self, manifold: u32, tangents: Tangents) {
        if let Some(kept) = self.tangents.get_mut(manifold as usize) {
            *kept = tangents;
        }
    }

    /// The coefficients of a manifold.
    pub fn surface_pair(&self, manifold: u32) -> SurfacePair {
        let m = &self.manifolds[manifold as usize];
        let Extra { tangential_restitution, rolling_friction, spinning_friction, hertz, damping_ratio, .. } =
            self.extra_of(manifold);
        SurfacePair {
            static_friction: m.static_friction,
            dynamic_friction: m.dynamic_friction,
            restitution: m.restitution,
            tangential_restitution,
            rolling_friction,
            spinning_friction,
            hertz,
            damping_ratio,
        }
    }

    /// Velocity of surface B relative to surface A of a manifold, in world axes.
    pub fn surface_velocity(&self, manifold: u32) -> Vec3 {
        self.extra_of(manifold).surface_velocity
    }

    /// Gives a manifold these coefficients and this velocity of its surfaces, and the flags that go with them.
    pub fn set_surface(&mut self, manifold: u32, pair: SurfacePair, surface_velocity: Vec3) {
        let SurfacePair { tangential_restitution, rolling_friction, spinning_friction, hertz, damping_ratio, .. } =
            pair;
        let m = &mut self.manifolds[manifold as usize];
        (m.static_friction, m.dynamic_friction) = (pair.static_friction, pair.dynamic_friction);
        m.restitution = pair.restitution;
        m.set(ContactManifold::BOUNCES, pair.restitution > 0.0);
        m.set(ContactManifold::ROLLS, rolling_friction > 0.0);
        let odd = spinning_friction > 0.0 || hertz > 0.0 || surface_velocity != Vec3::ZERO;
        m.set(ContactManifold::ODD, odd);
        let extra = Extra {
            tangential_restitution,
            rolling_friction,
            spinning_friction,
            hertz,
            damping_ratio,
            surface_velocity,
        };
        if self.extras.is_empty() && extra != Extra::default() {
            self.extras.resize(self.manifolds.len(), Extra::default());
        }
        if let Some(kept) = self.extras.get_mut(manifold as usize) {
            *kept = extra;
        }
    }

    fn extra_of(&self, manifold: u32) -> Extra {
        self.extras.get(manifold as usize).copied().unwrap_or_default()
    }

    /// A new manifold, not yet linked to any contact.
    pub fn new_manifold(&mut self) -> u32 {
        if self.free_manifold == NONE {
            if !self.tangents.is_empty() {
                self.tangents.push(Tangents::default());
            }
            if !self.extras.is_empty() {
                self.extras.push(Extra::default());
            }
            self.manifolds.push(ContactManifold::zeroed());
            return self.manifolds.len() as u32 - 1;
        }
        let index = self.free_manifold;
        self.free_manifold = self.manifolds[index as usize].next;
        self.manifolds[index as usize] = ContactManifold::zeroed();
        self.set_tangents(index, Tangents::default());
        if let Some(extra) = self.extras.get_mut(index as usize) {
            *extra = Extra::default();
        }
        index
    }

    /// Gives a manifold back that no contact links to.
    pub fn free_manifold(&mut self, index: u32) {
        self.manifolds[index as usize].next = self.free_manifold;
        self.manifolds[index as usize].contact = NONE;
        self.free_manifold = index;
    }

    /// Gives all manifolds of a contact back.
    pub fn clear_manifolds(&mut self, contact: u32) {
        let mut m = core::mem::replace(&mut self.all[contact as usize].manifolds, NONE);
        while m != NONE {
            let next = self.manifolds[m as usize].next;
            self.free_manifold(m);
            m = next;
        }
    }
}

/// The contacts of a body.
pub(crate) struct OfBody<'a> {
    contacts: &'a Contacts,
    next: u32,
}

impl Iterator for OfBody<'_> {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        if self.next == NONE {
            return None;
        }
        let (contact, side) = (self.next >> 1, (self.next & 1) as usize);
        self.next = self.contacts.neighbours[contact as usize].next[side];
        Some(contact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: Real, impulse: Real) -> ContactPoint {
        ContactPoint { anchor: Vec3::new(x, 0.0, 0.0), separation: 0.0, normal_impulse: impulse }
    }

    /// A face that is looked at in other points bears what it bore, each share at the nearest; one that has turned away does not.
    #[test]
    fn a_face_keeps_its_load() {
        let mut face = ContactManifold::zeroed();
        face.normal = Vec3::Y;
        face.point_count = 2;
        face.features = [7, 8, NONE, NONE];
        face.points = [point(-1.0, 3.0), point(1.0, 0.0), ContactPoint::NONE, ContactPoint::NONE];
        // Feature 7 is still there, and has handed on its 3 by itself.
        let old = [(7, point(-1.0, 3.0)), (5, point(-0.8, 2.0)), (6, point(0.9, 4.0))];
        let mut turned = face;
        turned.inherit(Vec3::X, old.into_iter());
        assert_eq!(turned.points.map(|p| p.normal_impulse), [3.0, 0.0, 0.0, 0.0]);
        face.inherit(Vec3::Y, old.into_iter());
        assert_eq!(face.points.map(|p| p.normal_impulse), [5.0, 4.0, 0.0, 0.0]);
    }
}
