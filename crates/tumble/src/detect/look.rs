//! The look at awake contacts: where do they touch now?
//!
//! Contacts are looked at in blocks, by several threads: each writes nothing but its own contact and that contact's manifolds, in
//! place, as long as their number stays the same. What changes lists (a contact that begins or ends, a manifold more or less, a
//! hook to be asked) is only noted, and done afterwards, one after the other, in the order of the contacts.
//!
//! A pair that has barely moved since its manifolds were found is *recycled*: with D the motion of B as seen from A since then, a
//! point p of B is now at D p, and the separation along the normal n of A has changed by n·(D p - p). Motion is always measured from the pose
//! at which the points were found, so that errors do not add up.
//!
//! What is round rolls over its points: they do not move with it, and where its surface bends neither does the normal stay. Recycled it is where it is B, a ball or a capsule of
//! radius r, and touches faces of A: then the normal is that of the face (or, of faces that are nearly level with each other, that of one of them), and a point is below the point
//! c = p + n (r + s/2) of its core, with s the separation and D without what B spins about itself:
//!
//! ```text
//!   d = D c - c      s ← s + n·d      p ← p + d - ½ n (n·d)
//! ```

use super::continuous::{self, Ahead};
use super::manifolds::{self, Patch, Reach, Workspace};
use super::narrow::{Gap, PairCache};
use crate::body::collider::{Collider, NO_PROXY};
use crate::body::store::{Bodies, CentrePose};
use crate::constraint::contact::{
    Apart, Contact, ContactManifold, ContactPoint, NONE, Origin, RelativePose, SOLVED_POINTS, Tangents,
};
use crate::crew::{Shared, Team};
use crate::detect::broad::{BroadPhase, ProxyId};
use crate::id::{ColliderTag, Slots};
use crate::math::{Baseline, LANES, Lane, Mask, Num, Pose, Quat, Real, Vec3, WorldPose, prefetch};
use crate::method::Method;
use crate::profile::Profile;
use crate::shape::Shape;
use crate::world::State;

/// Contacts in a block.
const BLOCK: usize = 128;

/// How far around what does not touch the parts of a mesh or a compound are looked at, in detection distances, and no farther than the smaller of the two is large: what is
/// there it stays clear of for as long as it has not moved by as much.
const BEYOND: Real = 8.0;

/// How many contacts ahead of the glance at them their boxes are asked for.
const AHEAD: usize = 8;

/// How many contacts ahead of the glance at them they themselves are asked for.
const FAR_AHEAD: usize = 4 * AHEAD;

/// Where a collider is in the world: what detection reads of it in every step, side by side and in as few lines of the cache as it fits
/// into. A pair that stays apart is told by these and its boxes alone.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Placed {
    pub pose: WorldPose,
    /// From the body's centre of mass to the origin of the shape, in world axes.
    pub lever: Vec3,
    /// Largest distance of a point of the shape from its origin.
    pub radius: Real,
    /// By how much it has turned since the contacts were last looked at: 2 sin(θ/2). What a body did last that fell asleep stands here until
    /// it moves again: too much, never too little. One that is put elsewhere while it is not awake has none: see [`State::move_proxies`].
    pub turned: Real,
    /// The collider's proxy in the broad phase, or `NO_PROXY`.
    pub proxy: u32,
}

impl Placed {
    pub const NOWHERE: Self =
        Self { pose: WorldPose::IDENTITY, lever: Vec3::ZERO, radius: 0.0, turned: 0.0, proxy: NO_PROXY };

    /// Where a collider is now.
    pub fn of(bodies: &Bodies, collider: &Collider, radius: Real) -> Self {
        let dense = bodies.dense_at(collider.body);
        Self::on(&bodies.pose[dense], bodies.params[dense].local_centre, collider, radius)
    }

    /// Where a collider is on a body that is here, with its centre of mass there in its frame.
    #[inline(always)]
    pub fn on(at: &CentrePose, centre: Vec3, collider: &Collider, radius: Real) -> Self {
        let lever = at.rotation.rotate(collider.pose.translation - centre);
        let pose =
            WorldPose { translation: at.centre + lever.to_f64(), rotation: at.rotation * collider.pose.rotation };
        Self { pose, lever, radius, turned: 0.0, proxy: collider.proxy }
    }

    /// The same, with the turn from another place.
    #[inline(always)]
    pub fn come_from(self, before: &Self, looked: bool) -> Self {
        let turn = self.pose.rotation * before.pose.rotation.conjugate();
        let mut turned = 2.0 * Vec3::new(turn.x, turn.y, turn.z).length();
        if !looked {
            turned += before.turned;
        }
        Self { turned, ..self }
    }
}

/// What a glance at a contact tells.
#[derive(Clone, Copy)]
enum Glance {
    /// The boxes no longer overlap.
    Gone,
    /// One of the bodies is fast, and the two are watched.
    Encounter,
    /// It must be looked at.
    Near { fast: bool },
}

/// What a look at one contact asks to be done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Finding {
    /// The boxes no longer overlap.
    Gone,
    /// The surfaces are farther apart than the detection distance.
    Parted,
    /// A sensor meets somebody.
    Met,
    /// These patches, noted by the worker of the block, are where it touches now.
    Patches { first: u32, count: u32 },
    /// Its manifolds are as they should be, but their materials must be looked up.
    Refresh,
    /// One of the bodies is fast, and the two are watched.
    Encounter(Sighting),
    /// The same, and one of them sleeps: a contact before this one may wake it, and it then moves in another way than it would now.
    Sleeper,
}

/// What the look at a contact of a fast body found. Its patches are noted, those of the start of the step first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sighting {
    /// When the two first hit.
    pub impact: Option<Real>,
    /// They stay clear of each other: see [`keeps_clear`](continuous::keeps_clear).
    pub clear: bool,
    first: u32,
    count: u32,
    /// So many were found at the start; the others will be where the impact is.
    pub at_start: u32,
}

/// A patch that is noted: a manifold in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted {
    pub normal: Vec3,
    pub material_slots: u32,
    pub count: u32,
    /// See [`ContactManifold::FLAT`].
    pub flat: bool,
    pub points: [super::narrow::ManifoldPoint; SOLVED_POINTS],
}

/// What the looks of one block found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub list: Vec<(u32, Finding)>,
    /// Who looked.
    worker: usize,
    contacts: u32,
    points: u32,
    recycled: u32,
    any_impacts: bool,
}

/// Memory of the looks, kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looker {
    workspaces: Vec<Workspace>,
    pub blocks: Vec<Findings>,
    /// By worker: the patches of all its blocks. Contacts that begin together stand side by side, so that a block may have very many, and
    /// all of them together have few.
    noted: Vec<Vec<Noted>>,
    /// Some contact that touches reports impacts.
    pub any_impacts: bool,
}

/// What a look reads and nobody writes.
#[derive(Clone, Copy)]
struct Scene<'a> {
    colliders: &'a Slots<Collider, ColliderTag>,
    placed: &'a [Placed],
    broad: &'a BroadPhase,
    manifolds: Shared<'a, ContactManifold>,
    /// As many, or none.
    tangents: Shared<'a, Tangents>,
    bodies: &'a Bodies,
    ahead: &'a Ahead,
    rules: Rules,
}

#[derive(Clone, Copy)]
struct Rules {
    /// Contacts are made at this distance.
    margin: Real,
    /// Pairs that moved less than this are recycled; 0 for none.
    recycle: Real,
    reduce: bool,
    /// Points of one manifold.
    points: usize,
}

impl Rules {
    fn of(method: &Method) -> Self {
        let Method { tolerances, switches, .. } = method;
        Self {
            margin: tolerances.detection * tolerances.length,
            recycle: if switches.recycling { tolerances.slop * tolerances.length } else { 0.0 },
            reduce: switches.reduction,
            points: method.points_per_manifold(),
        }
    }
}

/// Looks at all awake contacts. The findings stand in `looker.blocks`, in an order that depends on the state alone.
pub(crate) fn look(state: &mut State, looker: &mut Looker, ahead: &Ahead, team: &Team, profile: &mut Profile) {
    let rules = Rules::of(&state.method);
    let awake = &state.contacts.awake;
    // Memory is read in order where most contacts are awake; where few are, only those are visited.
    let in_order = 2 * awake.len() > state.contacts.all.len();
    let count = if in_order { state.contacts.all.len() } else { awake.len() };
    let blocks = count.div_ceil(BLOCK);
    looker.workspaces.resize(team.size(), Workspace::default());
    for work in &mut looker.workspaces {
        work.narrow = state.method.narrow;
    }
    looker.blocks.resize(blocks, Findings::default());
    looker.noted.resize(team.size(), Vec::new());
    looker.noted.iter_mut().for_each(Vec::clear);
    profile.pairs = awake.len() as u32;
    {
        let all = Shared::new(&mut state.contacts.all);
        let scene = Scene {
            colliders: &state.colliders,
            placed: &state.placed,
            broad: &state.broad,
            manifolds: Shared::new(&mut state.contacts.manifolds),
            tangents: Shared::new(&mut state.contacts.tangents),
            bodies: &state.bodies,
            ahead,
            rules,
        };
        let (workspaces, outs) = (Shared::new(&mut looker.workspaces), Shared::new(&mut looker.blocks));
        let noted = Shared::new(&mut looker.noted);
        team.for_blocks(blocks, |worker, block| {
            // SAFETY: a worker's number and a block are given to one thread at a time.
            let (work, noted, out) = unsafe { (workspaces.get(worker), noted.get(worker), outs.get(block)) };
            out.begin(worker);
            let index_of = |i: usize| if in_order { i as u32 } else { awake[i] };
            let (first, end) = (block * BLOCK, count.min((block + 1) * BLOCK));
            // SAFETY: every contact stands on the list of awake ones once, and those of this block are this thread's.
            let contact = |index: u32| unsafe { all.get(index as usize) };
            // Most pairs are told by a glance. They come first, by themselves: a short loop, in which what one reads comes in while others are told.
            let (mut glances, mut told) = ([(0, Glance::Gone); BLOCK], 0);
            for i in first..end {
                if i + FAR_AHEAD < end {
                    prefetch(contact(index_of(i + FAR_AHEAD)));
                }
                // Contacts stand in the order in which they began, and what they point to stands anywhere: it is asked for in time, links first.
                for (ahead, links) in [(2 * AHEAD, true), (AHEAD, false)] {
                    if i + ahead < end {
                        scene.prefetch(contact(index_of(i + ahead)), links);
                    }
                }
                let index = index_of(i);
                if let Some(glance) = scene.glance_at(contact(index)) {
                    glances[told] = (index, glance);
                    told += 1;
                }
            }
            for &(index, glance) in &glances[..told] {
                let finding = match glance {
                    Glance::Gone => Some(Finding::Gone),
                    Glance::Encounter => scene.look_ahead(contact(index), work, noted),
                    Glance::Near { fast } => scene.look_at(contact(index), fast, work, noted, out),
                };
                if let Some(finding) = finding {
                    out.list.push((index, finding));
                }
            }
        });
    }
    looker.any_impacts = false;
    for block in &looker.blocks {
        profile.contacts += block.contacts;
        profile.points += block.points;
        profile.recycled += block.recycled;
        looker.any_impacts |= block.any_impacts;
    }
}

impl Findings {
    fn begin(&mut self, worker: usize) {
        self.list.clear();
        self.worker = worker;
        (self.contacts, self.points, self.recycled, self.any_impacts) = (0, 0, 0, false);
    }
}

impl Looker {
    /// The patches of a finding of this block.
    pub fn patches(&self, block: &Findings, first: u32, count: u32) -> &[Noted] {
        &self.noted[block.worker][first as usize..][..count as usize]
    }

    /// The patches of a sighting of this block.
    pub fn sighted(&self, block: &Findings, sighting: &Sighting) -> &[Noted] {
        self.patches(block, sighting.first, sighting.count)
    }
}

/// Notes the patches of a workspace; those of more points than a manifold is to hold make several.
fn note(noted: &mut Vec<Noted>, found: &[Patch], most: usize) -> Finding {
    let first = noted.len() as u32;
    for patch in found {
        for chunk in patch.points.chunks(most) {
            let mut points = [Default::default(); SOLVED_POINTS];
            points[..chunk.len()].copy_from_slice(chunk);
            let &Patch { normal, material_slots, flat, .. } = patch;
            noted.push(Noted { normal, material_slots, count: chunk.len() as u32, flat, points });
        }
    }
    Finding::Patches { first, count: noted.len() as u32 - first }
}

/// What tells where a fast body meets another.
#[derive(Clone, Copy)]
struct Lookout<'a> {
    bodies: &'a Bodies,
    ahead: &'a Ahead,
    rules: Rules,
}

impl Lookout<'_> {
    /// Looks at a pair of which one body is fast: where it touches now, and where it will be hit during the step.
    fn sight(
        &self,
        colliders: (&Collider, &Collider),
        [pa, pb]: [&Placed; 2],
        cache: &mut PairCache,
        work: &mut Workspace,
        noted: &mut Vec<Noted>,
    ) -> Sighting {
        let Self { bodies, ahead, rules } = *self;
        let (a, b) = (bodies.dense_at(colliders.0.body), bodies.dense_at(colliders.1.body));
        let encounter = ahead.encounter(bodies, a, b);
        let outlook = encounter.map(|encounter| ahead.outlook(bodies, &encounter, colliders));
        let within = encounter.map_or(rules.margin, |e| e.reach);
        let (of_a, of_b) = (&colliders.0.shape, &colliders.1.shape);
        if outlook.is_none_or(|o| o.near) {
            let b_in_a = pb.pose.relative_to(&pa.pose);
            manifolds::find(work, of_a, of_b, &b_in_a, Reach::within(within), rules.reduce, cache);
        } else {
            work.clear();
        }
        let impact = outlook.and_then(|o| o.impact);
        if let Some((encounter, t)) = encounter.zip(impact) {
            let then = encounter.then(bodies, colliders, t);
            manifolds::find_ahead(work, of_a, of_b, &then.b_in_a, rules.margin, rules.reduce);
        }
        let first = noted.len() as u32;
        let split = work.ahead.min(work.found().len());
        note(noted, &work.found()[..split], rules.points);
        let at_start = noted.len() as u32 - first;
        note(noted, &work.found()[split..], rules.points);
        let clear = continuous::keeps_clear(bodies, outlook.as_ref(), a, b);
        Sighting { impact, clear, first, count: noted.len() as u32 - first, at_start }
    }
}

impl State {
    /// What [`look`] would find of a contact of a fast body now; its patches stand in `noted`, alone.
    pub fn sight(
        &mut self,
        contact: u32,
        ahead: &Ahead,
        work: &mut Workspace,
        noted: &mut Vec<Noted>,
    ) -> Option<Sighting> {
        noted.clear();
        let c = &mut self.contacts.all[contact as usize];
        let colliders = (self.colliders.at(c.collider_a)?, self.colliders.at(c.collider_b)?);
        let places = [c.collider_a, c.collider_b].map(|slot| &self.placed[slot as usize]);
        let lookout = Lookout { bodies: &self.bodies, ahead, rules: Rules::of(&self.method) };
        Some(lookout.sight(colliders, places, &mut c.cache, work, noted))
    }
}

impl Scene<'_> {
    /// Asks for what the glance at a contact will read: places where `links`, else the boxes that are found through them.
    #[inline(always)]
    fn prefetch(&self, contact: &Contact, links: bool) {
        if contact.awake == NONE {
            return;
        }
        for slot in [contact.collider_a, contact.collider_b] {
            let placed = &self.placed[slot as usize];
            if links {
                prefetch(placed);
            } else {
                self.broad.prefetch(ProxyId(placed.proxy));
            }
        }
    }

    /// Tells a contact by boxes and places alone; `None` where nothing has to be done. Of one that must be looked at, it asks for what the look
    /// will read.
    #[inline(always)]
    fn glance_at(&self, contact: &mut Contact) -> Option<Glance> {
        if contact.awake == NONE {
            return None;
        }
        let (slot_a, slot_b) = (contact.collider_a, contact.collider_b);
        let (pa, pb) = (&self.placed[slot_a as usize], &self.placed[slot_b as usize]);
        if !self.broad.fat_overlap(ProxyId(pa.proxy), ProxyId(pb.proxy)) {
            return Some(Glance::Gone);
        }
        let (was, sensor) = (contact.has(Contact::TOUCHING), contact.has(Contact::SENSOR));
        let clear = !was && contact.pose.clearance > 0.0 && stays_apart(contact, pa, pb);
        let mut fast = false;
        if !sensor && self.ahead.any_fast() {
            let (i, j) = (self.bodies.dense_at(contact.body_a), self.bodies.dense_at(contact.body_b));
            fast = self.ahead.is_fast(i, j);
            if fast && self.ahead.watches(self.bodies, i, j) {
                if !was {
                    contact.pose.clearance = 0.0;
                }
                return Some(Glance::Encounter);
            }
        }
        if clear && !sensor {
            return None;
        }
        self.colliders.prefetch(slot_a);
        self.colliders.prefetch(slot_b);
        self.manifolds.prefetch(contact.manifolds as usize);
        Some(Glance::Near { fast })
    }

    /// Looks at a contact of which one body is fast, on its way through the step; `None` where the two are nowhere near each other, and never were.
    fn look_ahead(&self, contact: &mut Contact, work: &mut Workspace, noted: &mut Vec<Noted>) -> Option<Finding> {
        let (Some(a), Some(b)) = (self.colliders.at(contact.collider_a), self.colliders.at(contact.collider_b)) else {
            return Some(Finding::Gone);
        };
        // Points of an impact are not where the bodies are now: nothing of it may be recycled.
        contact.pose = RelativePose::default();
        let sleeps = |slot: u32| {
            let i = self.bodies.dense_at(slot);
            i >= self.bodies.awake() && self.bodies.params[i].inv_mass > 0.0
        };
        if sleeps(contact.body_a) || sleeps(contact.body_b) {
            return Some(Finding::Sleeper);
        }
        let places = [contact.collider_a, contact.collider_b].map(|slot| &self.placed[slot as usize]);
        let lookout = Lookout { bodies: self.bodies, ahead: self.ahead, rules: self.rules };
        let sighting = lookout.sight((a, b), places, &mut contact.cache, work, noted);
        let something = sighting.count > 0 || !sighting.clear || contact.has(Contact::TOUCHING);
        something.then_some(Finding::Encounter(sighting))
    }

    /// Looks at a contact whose shapes may be near each other, or of which one is a sensor. `fast`: one of its bodies is, but the two are not watched.
    fn look_at(
        &self,
        contact: &mut Contact,
        fast: bool,
        work: &mut Workspace,
        noted: &mut Vec<Noted>,
        out: &mut Findings,
    ) -> Option<Finding> {
        let (slot_a, slot_b) = (contact.collider_a, contact.collider_b);
        let (Some(a), Some(b)) = (self.colliders.at(slot_a), self.colliders.at(slot_b)) else {
            return Some(Finding::Gone);
        };
        let (pa, pb) = (&self.placed[slot_a as usize], &self.placed[slot_b as usize]);
        let was = contact.has(Contact::TOUCHING);
        if contact.has(Contact::SENSOR) {
            let b_in_a = pb.pose.relative_to(&pa.pose);
            let reach = Reach::within(0.0);
            manifolds::find(work, &a.shape, &b.shape, &b_in_a, reach, self.rules.reduce, &mut contact.cache);
            return match (was, !work.found().is_empty()) {
                (false, true) => Some(Finding::Met),
                (true, false) => Some(Finding::Parted),
                _ => None,
            };
        }
        let b_in_a = pb.pose.relative_to(&pa.pose);
        let place = Place::of(pa, pb);
        if was
            && !fast
            && self.rules.recycle > 0.0
            && !contact.has(Contact::HOOKED)
            && !is_round(&a.shape)
            && let Some(core) = Core::of(&b.shape, pb.radius)
        {
            let core = Core { reach: Num::min(core.reach, pa.radius), ..core };
            if self.recycle(contact, &b_in_a, core, &place) {
                out.recycled += 1;
                return self.count(contact, out);
            }
        }
        let margin = self.rules.margin;
        let beyond = if was { 0.0 } else { Num::min(BEYOND * margin, Num::min(pa.radius, pb.radius)) };
        let reach = Reach { margin, beyond };
        manifolds::find(work, &a.shape, &b.shape, &b_in_a, reach, self.rules.reduce, &mut contact.cache);
        let found = work.found();
        if found.is_empty() {
            if !was {
                note_apart(contact, &work.apart, margin, pa, pb);
            }
            return was.then_some(Finding::Parted);
        }
        contact.pose = if fast { Default::default() } else { b_in_a.into() };
        if let [patch] = found
            && was
            && patch.points.len() <= self.rules.points
            && !contact.has(Contact::HOOKED)
        {
            // SAFETY: a manifold belongs to one contact, and this thread has it.
            let manifold = unsafe { self.manifolds.get(contact.manifolds as usize) };
            if manifold.next == NONE && manifold.material_slots == patch.material_slots {
                let (old, normal) = ((manifold.features, manifold.points), manifold.normal);
                let before = |feature: u32| {
                    let i = old.0.iter().position(|&f| f == feature);
                    i.map_or(ContactPoint::NONE, |i| old.1[i])
                };
                place.write(manifold, patch.normal, patch.flat, &patch.points, before);
                if self.tangents.len() > 0 {
                    // SAFETY: as above.
                    let tangents = unsafe { self.tangents.get(contact.manifolds as usize) };
                    let kept = *tangents;
                    *tangents = manifold.features.map(|feature| {
                        let i = old.0.iter().position(|&f| f == feature && f != NONE);
                        i.map_or([0.0; 2], |i| kept[i])
                    });
                }
                if !is_round(&a.shape) && !is_round(&b.shape) {
                    manifold.inherit(normal, old.0.into_iter().zip(old.1));
                }
                return self.count(contact, out);
            }
        }
        Some(note(noted, found, self.rules.points))
    }

    /// Counts the points of a contact whose manifolds stay, and asks for materials where they are missing or move.
    fn count(&self, contact: &Contact, out: &mut Findings) -> Option<Finding> {
        out.contacts += 1;
        out.any_impacts |= contact.has(Contact::IMPACTS);
        let (mut refresh, mut m) = (false, contact.manifolds);
        while m != NONE {
            // SAFETY: a manifold belongs to one contact, and this thread has it.
            let manifold = unsafe { self.manifolds.get(m as usize) };
            out.points += u32::from(manifold.point_count);
            let flags = manifold.flags & (ContactManifold::RESOLVED | ContactManifold::CONVEYS);
            refresh |= flags != ContactManifold::RESOLVED;
            m = manifold.next;
        }
        refresh.then_some(Finding::Refresh)
    }

    /// Moves the points of a pair that has barely moved, and says whether it has. Where it has not, some of its points may have
    /// been moved: they are found anew then.
    fn recycle(&self, contact: &Contact, b_in_a: &Pose, core: Core, place: &Place) -> bool {
        let Some(before) = contact.pose.get() else { return false };
        let tolerance = self.rules.recycle;
        // D = P₁ P₀⁻¹ in the frame of A, as a small turn and a shift.
        let turn = b_in_a.rotation * before.rotation.conjugate();
        let turned = Vec3::new(turn.x, turn.y, turn.z);
        let leaned = if core.depth > 0.0 { turned.cross(b_in_a.rotation.rotate(Vec3::Y)) } else { turned };
        if !(2.0 * leaned.length() * core.reach < tolerance) {
            return false;
        }
        let turn = if core.depth > 0.0 { core.turn(&before.rotation, &b_in_a.rotation) } else { turn };
        let shift = b_in_a.translation - turn.rotate(before.translation);
        let drift = Drift { turn, shift, core: core.depth, tolerance, margin: self.rules.margin };
        let (mut m, mut touches) = (contact.manifolds, false);
        while m != NONE {
            // SAFETY: a manifold belongs to one contact, and this thread has it.
            let manifold = unsafe { self.manifolds.get(m as usize) };
            if core.depth > 0.0 && manifold.flags & ContactManifold::FLAT == 0 {
                return false;
            }
            let Some(near) = drift.carry::<Baseline>(manifold, place) else { return false };
            touches |= near;
            m = manifold.next;
        }
        // Surfaces that part are looked at.
        touches
    }
}

/// The motion of a pair since its points were found.
struct Drift {
    /// In the frame of A.
    turn: Quat,
    shift: Vec3,
    /// From the surface of B to its core; 0 where it is not round.
    core: Real,
    /// By less than this every point must have moved.
    tolerance: Real,
    /// Contacts are made at this distance.
    margin: Real,
}

impl Drift {
    /// Moves the points of a manifold, several at once, and says whether the surfaces are near each other in one of them; `None` where one has
    /// moved too far.
    #[inline(always)]
    fn carry<L: Lane>(&self, manifold: &mut ContactManifold, place: &Place) -> Option<bool> {
        let count = manifold.used().len();
        let (turn, shift) = (Quat::<L>::broadcast(self.turn), Vec3::<L>::broadcast(self.shift));
        let (rotation, lever) = (Quat::<L>::broadcast(place.rotation), Vec3::<L>::broadcast(place.lever_a));
        let n = Vec3::<L>::broadcast(manifold.local_normal);
        let mut touches = false;
        for first in (0..count).step_by(L::WIDTH) {
            let there = (1 << (count - first).min(L::WIDTH)) - 1;
            let rows: &[[Real; 4]; SOLVED_POINTS] = bytemuck::cast_ref(&manifold.origins);
            // Those that are not there are read, and left as they are.
            let [x, y, z, separation] = L::load_columns::<4, 4>(&rows[first..], 0, &ROWS);
            let point = Vec3::new(x, y, z);
            let rolls = self.core > 0.0;
            let half = L::splat(0.5);
            let carried = if rolls { point + n * (L::splat(self.core) + separation * half) } else { point };
            let moved = turn.rotate(carried) - carried + shift;
            let little = moved.length_squared().less(L::splat(self.tolerance * self.tolerance));
            if little.bits() & there != there {
                return None;
            }
            let opened = n.dot(moved);
            let separation = separation + opened;
            let midway = if rolls { moved - n * (opened * half) } else { moved * half };
            touches |= separation.less_eq(L::splat(self.margin)).bits() & there != 0;
            let Vec3 { x, y, z } = lever + rotation.rotate(point + midway);
            let rows: &mut [[Real; ContactManifold::POINT]; SOLVED_POINTS] = bytemuck::cast_mut(&mut manifold.points);
            L::store_columns::<{ ContactManifold::POINT }, 4>([x, y, z, separation], &mut rows[first..count], 0, &ROWS);
        }
        manifold.normal = place.rotation.rotate(manifold.local_normal);
        manifold.lever = place.lever;
        Some(touches)
    }
}

/// The rows of the points of a manifold.
const ROWS: [u32; LANES] = {
    let (mut rows, mut i) = ([0; LANES], 0);
    while i < LANES {
        rows[i] = i as u32;
        i += 1;
    }
    rows
};

/// Remembers that a pair is apart, for [`stays_apart`].
fn note_apart(contact: &mut Contact, gap: &Gap, margin: Real, a: &Placed, b: &Placed) {
    let (of, other, sign) = if gap.of_b { (b, a, -1.0) } else { (a, b, 1.0) };
    let at = seen_from(of, other);
    // What rounding may do to places in the frame of the one shape, here and in the search.
    let rounding = 32.0 * Real::EPSILON * (a.radius + b.radius + at.length());
    let clearance = 0.99 * (gap.distance - margin) - rounding;
    let reach = other.radius.copysign(sign);
    let apart = if gap.along == Vec3::ZERO {
        Apart { along: at.into(), from: Apart::ALL_ROUND, reach }
    } else {
        Apart { along: gap.along.into(), from: gap.along.dot(at), reach }
    };
    contact.pose = RelativePose::of_apart(apart, clearance);
}

/// Whether a pair is still farther apart than the detection distance, along the direction in which it was or whichever way; see [`Apart`]. To
/// be asked in every step, since it counts the turns.
fn stays_apart(contact: &mut Contact, a: &Placed, b: &Placed) -> bool {
    let Apart { along, from, reach } = contact.pose.apart();
    let left = contact.pose.clearance - (a.turned + b.turned) * reach.abs();
    contact.pose.clearance = left;
    let (of, other) = if reach.is_sign_negative() { (b, a) } else { (a, b) };
    if from == Apart::ALL_ROUND {
        return left > 0.0 && (seen_from(of, other) - Vec3::from(along)).length_squared() < left * left;
    }
    left > 0.0 && left + (Vec3::from(along).dot(seen_from(of, other)) - from) > 0.0
}

/// The origin of one shape in the frame of another.
fn seen_from(of: &Placed, other: &Placed) -> Vec3 {
    of.pose.rotation.unrotate((other.pose.translation - of.pose.translation).to_real())
}

/// The shape rolls: where it touches does not move with it, and a point that did would turn it.
fn is_round(shape: &Shape) -> bool {
    matches!(shape, Shape::Sphere(_) | Shape::Capsule(_) | Shape::Cylinder(_) | Shape::Cone(_))
}

/// What of a shape tells where it touches: all of it, or the core over which it rolls, the centre of a ball and the line along Y in a capsule.
#[derive(Clone, Copy, Debug)]
struct Core {
    /// How far inside of the surface it is; 0 of a shape that does not roll.
    depth: Real,
    /// How far it goes from the centre, by which it leans over when it turns, other than about Y.
    reach: Real,
}

impl Core {
    /// That of a shape within this radius of its centre; `None` of those that roll on rims.
    fn of(shape: &Shape, radius: Real) -> Option<Self> {
        match shape {
            Shape::Sphere(s) => Some(Self { depth: s.radius(), reach: 0.0 }),
            Shape::Capsule(s) => Some(Self { depth: s.radius(), reach: s.half_length() }),
            _ => (!is_round(shape)).then_some(Self { depth: 0.0, reach: radius }),
        }
    }

    /// How it turns with a shape that rolls: what it spins about itself moves nothing.
    fn turn(&self, before: &Quat, now: &Quat) -> Quat {
        if self.reach == 0.0 {
            return Quat::IDENTITY;
        }
        Quat::between(before.rotate(Vec3::Y), now.rotate(Vec3::Y))
    }
}

/// From the centre of mass of A to that of B. Subtracted before it is rounded.
fn centre_to_centre(a: &Placed, b: &Placed) -> Vec3 {
    (b.pose.translation - a.pose.translation).to_real() + a.lever - b.lever
}

/// Where two bodies are when a manifold is found, and how far they have moved by then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// When, in shares of the step.
    pub t: Real,
    /// Of the shape of A.
    pub rotation: Quat,
    /// From the centre of mass of A to the origin of its shape.
    pub lever_a: Vec3,
    /// From the centre of mass of A to that of B.
    pub lever: Vec3,
    pub shift_a: Vec3,
    pub turn_a: Vec3,
    pub shift_b: Vec3,
    pub turn_b: Vec3,
}

impl Place {
    /// The start of the step.
    #[inline(always)]
    pub fn of(a: &Placed, b: &Placed) -> Self {
        let (rotation, lever_a, lever, zero) = (a.pose.rotation, a.lever, centre_to_centre(a, b), Vec3::ZERO);
        Self { t: 0.0, rotation, lever_a, lever, shift_a: zero, turn_a: zero, shift_b: zero, turn_b: zero }
    }

    /// J Δ: by how much the motion until here has opened the gap between the anchors along `n`.
    fn opened(&self, n: Vec3, anchor_a: Vec3, anchor_b: Vec3) -> Real {
        n.dot(self.shift_b - self.shift_a) + self.turn_b.dot(anchor_b.cross(n)) - self.turn_a.dot(anchor_a.cross(n))
    }

    /// Writes what was found, in the frame of A, to a manifold. `before` is the point that had a feature in the last step: it hands on
    /// its impulses.
    #[inline]
    pub fn write(
        &self,
        manifold: &mut ContactManifold,
        normal: Vec3,
        flat: bool,
        points: &[super::narrow::ManifoldPoint],
        before: impl Fn(u32) -> ContactPoint,
    ) {
        manifold.set(ContactManifold::FLAT, flat);
        manifold.local_normal = normal;
        manifold.normal = self.rotation.rotate(normal);
        manifold.lever = self.lever;
        manifold.point_count = points.len().min(SOLVED_POINTS) as u8;
        for i in 0..SOLVED_POINTS {
            let Some(found) = points.get(i) else {
                manifold.points[i] = ContactPoint::NONE;
                manifold.features[i] = NONE;
                continue;
            };
            manifold.features[i] = found.id;
            manifold.origins[i] = Origin { point: found.point, separation: found.separation };
            let anchor = self.lever_a + self.rotation.rotate(found.point);
            let opened = if self.t > 0.0 { self.opened(manifold.normal, anchor, anchor - self.lever) } else { 0.0 };
            manifold.points[i] = ContactPoint { anchor, separation: found.separation - opened, ..before(found.id) };
        }
    }
}

impl RelativePose {
    /// The pose, where one was stored.
    fn get(&self) -> Option<Pose> {
        let pose = Pose { translation: self.translation.into(), rotation: self.rotation.into() };
        self.is_known().then_some(pose)
    }
}
