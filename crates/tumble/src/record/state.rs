//! The state of a world as bytes, and back.

use super::check::Links;
use super::checksum::Stretches;
use super::gather::Written;
use super::kinds::{Kinds, load_numbers};
use super::parts::{self, Part, Parts};
use super::shapes::{self, ShapeTable};
use super::stream::{Sink, Source};
use crate::articulation::store::Articulations;
use crate::body::collider::{self, NO_PROXY};
use crate::body::store::{Bodies, CentrePose, Params, Rest, Velocity};
use crate::body::{BodyKind, Material, PairTable};
use crate::clock::Clock;
use crate::constraint::contact::{Contact, ContactManifold, Contacts, LoadedContacts, Side};
use crate::constraint::joint::store::{Joint, Joints};
use crate::constraint::joint::{LoadedJoints, Registry};
use crate::crew::Team;
use crate::detect::broad::BroadPhase;
use crate::detect::hook::Hook;
use crate::detect::look::Placed;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::force;
use crate::force::store::{Effect, Effects};
use crate::id::{MaterialTag, Places, Slots};
use crate::interact::islands::Islands;
use crate::marks::Marks;
use crate::math::{Isa, Real, Vec3};
use crate::method::Method;
use crate::names::Names;
use crate::shape::{Geometry, Shape};
use crate::solve::graph::Graph;
use crate::world::State;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

impl State {
    /// Everything the next step reads, in a fixed order.
    pub(super) fn save(&self, out: &mut impl Sink) {
        let Self {
            gravity,
            clock,
            method,
            hook,
            time,
            remainder,
            steps,
            bodies,
            colliders,
            materials,
            // Follows from the colliders.
            own_materials: _,
            pairs,
            exclusions,
            broad,
            // Follows from the bodies.
            placed: _,
            contacts,
            joints,
            // Code, which stays outside.
            registry: _,
            effects,
            articulations,
            forces: _,
            // The manifolds and joints know their places in it.
            graph: _,
            islands,
            // Changes no bit.
            isa: _,
            events,
            pending,
        } = self;
        let mut table = ShapeTable::new();
        let of_masses: Vec<u32> = bodies.mass_shapes().map(|shape| table.number(shape)).collect();
        let of_colliders: Vec<u32> = colliders.iter().map(|(_, c)| table.number(&c.shape)).collect();
        table.save(out);
        out.u32s(&of_masses);
        out.u32s(&of_colliders);

        out.vec3(*gravity);
        clock.save(out);
        method.save(out);
        hook.save(out);
        out.f64(*time);
        out.f64(*remainder);
        out.u64(*steps);

        save_materials(materials, out);
        pairs.save(out);
        bodies.save(out);
        collider::save(colliders, out);
        out.u32(exclusions.len() as u32);
        for &(a, b) in exclusions {
            out.u32(a);
            out.u32(b);
        }

        out.part(Part::Broad, |out| broad.save(out));
        out.part(Part::Contacts, |out| contacts.save(out));
        out.part(Part::Joints, |out| joints.save(out));
        islands.save(out);
        save_events(events, out);
        save_events(pending, out);
        // A world that never had effects or articulations says nothing of them.
        effects.save(out, articulations.all.capacity() == 0);
        articulations.save(out);
    }

    /// A part that [`State::save`] writes, without what others write within it.
    pub(super) fn save_part<'a>(&'a self, part: Part, out: &mut Written<'a>) {
        match part {
            Part::Broad => self.broad.save(out),
            Part::Contacts => self.contacts.save(out),
            Part::Manifolds => out.end_with(&self.contacts.manifolds),
            Part::Joints => self.joints.save(out),
        }
    }

    /// About how many bytes a snapshot takes: enough that writing it rarely asks for more memory.
    pub(super) fn record_size(&self) -> usize {
        Part::ALL.map(|part| self.part_size(part)).into_iter().sum::<usize>() + self.size_around_parts()
    }

    /// How many of them are those of a part.
    pub(super) fn part_size(&self, part: Part) -> usize {
        match part {
            Part::Broad => self.colliders.len() * 160,
            Part::Contacts => self.contacts.all.len() * (size_of::<Contact>() + 16),
            Part::Manifolds => self.contacts.manifolds.len() * size_of::<ContactManifold>(),
            Part::Joints => self.joints.all.len() * size_of::<Joint>(),
        }
    }

    /// How many of them are around the parts.
    pub(super) fn size_around_parts(&self) -> usize {
        let body = size_of::<Velocity>() + size_of::<CentrePose>() + size_of::<Params>() + size_of::<Rest>() + 256;
        self.bodies.len() * body
            + self.colliders.len() * 384
            + self.materials.len() * 128
            + self.effects.all.len() * size_of::<Effect>()
            + (self.events.len() + self.pending.len()) * 64
            + 4096
    }

    /// The checksum of a payload, and the state that was saved in it, checked through and through. A team shares the work: the parts, what is around
    /// them, and the checksum, stretch by stretch.
    pub(super) fn load(team: &Team, payload: &[u8], parts: &Parts, known: Known<'_>) -> (u64, Result<Self>) {
        if team.size() == 1 {
            let mut source = Source::with_parts(payload, parts);
            let state = Self::load_around(&mut source, known).and_then(|around| around.join(team, None));
            return (source.checksum(), state);
        }
        let (around, apart, stretches) = (OnceLock::new(), parts::Read::default(), Stretches::of(payload));
        team.for_tasks(1 + Part::COUNT + stretches.count(), |task| match task.checked_sub(1) {
            None => drop(around.set(Self::load_around(&mut Source::around_parts(payload, parts), known))),
            Some(next) => match Part::ALL.get(next) {
                Some(&part) => apart.read(part, payload, parts, known.registry),
                None => _ = stretches.hash(next - Part::COUNT),
            },
        });
        // All tasks have been done, or the team has panicked.
        let unread = || Err(Error::refused("snapshot", "nobody read it"));
        let around = around.into_inner().unwrap_or_else(unread);
        (stretches.checksum(), around.and_then(|around| around.join(team, Some(apart))))
    }

    /// Drops it. A team shares the work: what is made of many small things takes as long as copying it.
    pub(super) fn discard(mut self, team: &Team) {
        let joints = core::mem::take(&mut self.joints.all);
        team.both(|| joints.discard(|joint| Arc::as_ptr(&joint.kind)), || drop(self));
    }

    /// What is around the parts, and these too unless the source knows that they are read elsewhere.
    fn load_around(source: &mut Source<'_>, Known { hook, registry, forces }: Known<'_>) -> Result<Around> {
        let shapes = shapes::load_all(source)?;
        let of_masses = shapes_of(source, &shapes)?;
        let of_colliders = shapes_of(source, &shapes)?;
        let of_masses = of_masses.iter().filter_map(|&n| shapes.get(n as usize).cloned());

        let gravity = source.vec3()?;
        let clock = Clock::load(source)?;
        let method = Method::load(source)?;
        let hook = hook.load(source)?;
        let (time, remainder, steps) = (source.f64()?, source.f64()?, source.u64()?);
        // More steps than any computer makes, but adding to them does not overflow.
        let counts = time.is_finite() && time >= 0.0 && remainder.is_finite() && steps < u64::MAX / 2;
        if !counts || !gravity.is_finite() {
            return Err(source.corrupt("the time"));
        }

        let materials = load_materials(source)?;
        let pairs = PairTable::load(source)?;
        let bodies = Bodies::load(source, of_masses)?;
        let parts = BodyPart::all(&bodies);
        let radii: Vec<Real> = shapes.iter().map(|shape| shape.farthest_from(Vec3::ZERO)).collect();
        let count = of_colliders.len();
        let (mut sides, mut placed) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let colliders = collider::load(source, &shapes, &of_colliders, |slot, c, shape| {
            let Some(part) = parts.get(c.body as usize).filter(|part| part.exists) else { return false };
            sides.resize(slot as usize, Side::NONE);
            sides.push(Side { body: c.body, proxy: c.proxy, sensor: c.sensor, dynamic: part.dynamic });
            placed.resize(slot as usize, Placed::NOWHERE);
            let inside = c.proxy != NO_PROXY;
            placed.push(if inside { Placed::of(&bodies, c, radii[shape as usize]) } else { Placed::NOWHERE });
            true
        })?;
        sides.resize(colliders.capacity(), Side::NONE);
        placed.resize(colliders.capacity(), Placed::NOWHERE);
        let mut exclusions = BTreeSet::new();
        for _ in 0..source.count(8)? {
            exclusions.insert((source.u32()?, source.u32()?));
        }

        let broad = source.part(Part::Broad, BroadPhase::load)?;
        let contacts = source.part(Part::Contacts, Contacts::load)?;
        let joints = source.part(Part::Joints, |source| LoadedJoints::load(source, registry))?;
        let capacity = bodies.cold.capacity();
        let state = Self {
            gravity,
            clock,
            method,
            hook,
            time,
            remainder,
            steps,
            own_materials: Marks::default(),
            bodies,
            colliders,
            materials,
            pairs,
            exclusions,
            placed,
            // The parts join later.
            broad: BroadPhase::new(),
            contacts: Contacts::new(),
            joints: Joints::default(),
            registry: registry.clone(),
            forces: forces.clone(),
            graph: Graph::new(),
            islands: Islands::load(source)?,
            isa: Isa::detect(),
            events: load_events(source)?,
            pending: load_events(source)?,
            effects: Effects::load(source, forces, capacity)?,
            articulations: Articulations::load(source)?,
        };
        if !source.is_empty() {
            return Err(source.corrupt("the end"));
        }
        Ok(Around { state, contacts, broad, joints, sides, parts })
    }
}

/// What the user's code goes by in a world: it is no part of a snapshot.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub hook: &'a Hook,
    pub registry: &'a Registry,
    pub forces: &'a force::Registry,
}

/// A state without what is in the parts, and these where they were read with it.
struct Around {
    state: State,
    contacts: Option<LoadedContacts>,
    broad: Option<BroadPhase>,
    joints: Option<LoadedJoints>,
    /// By slot of the collider.
    sides: Vec<Side>,
    /// By slot of the body.
    parts: Vec<BodyPart>,
}

/// What checks ask again and again of a body: little enough to stay in the cache.
#[derive(Clone, Copy)]
pub(super) struct BodyPart {
    pub exists: bool,
    pub dynamic: bool,
    pub active: bool,
}

impl BodyPart {
    fn all(bodies: &Bodies) -> Vec<Self> {
        let part = |slot| match bodies.cold.at(slot) {
            Some(cold) => Self { exists: true, dynamic: cold.kind == BodyKind::Dynamic, active: cold.active },
            None => Self { exists: false, dynamic: false, active: false },
        };
        (0..bodies.cold.capacity() as u32).map(part).collect()
    }
}

impl Around {
    /// The whole state, if all of it fits together.
    fn join(self, team: &Team, apart: Option<parts::Read>) -> Result<State> {
        let Self { mut state, mut contacts, mut broad, mut joints, sides, parts } = self;
        if let Some(apart) = apart {
            broad = apart.broad.into_inner().transpose()?;
            joints = apart.joints.into_inner().transpose()?;
            contacts = apart.contacts.into_inner().transpose()?;
            let manifolds = apart.manifolds.into_inner().transpose()?;
            contacts.iter_mut().zip(manifolds).for_each(|(contacts, manifolds)| contacts.manifolds = Some(manifolds));
        }
        let misfit = |what| Error::refused("snapshot", format!("{what} does not fit the rest of it"));
        let (contacts, joints) = team.both(
            || contacts.and_then(|contacts| contacts.join(&sides)),
            || joints.and_then(|joints| joints.join(parts.len())),
        );
        let Some((contacts, met)) = contacts else { return Err(misfit("the list of contacts")) };
        let Some((joints, ties)) = joints else { return Err(misfit("the list of joints")) };
        let Some(broad) = broad else { return Err(misfit("the broad phase")) };
        (state.broad, state.contacts, state.joints) = (broad, contacts, joints);
        state.resumed(team, &Links { met, sides, parts, joints: ties }).map_err(misfit)
    }
}

/// A list of shapes by number.
fn shapes_of(source: &mut Source<'_>, shapes: &[Shape]) -> Result<Vec<u32>> {
    let numbers = source.u32s()?;
    if numbers.iter().any(|&n| n as usize >= shapes.len()) {
        return Err(source.corrupt("a list of shapes"));
    }
    Ok(numbers)
}

fn save_materials(materials: &Slots<Material, MaterialTag>, out: &mut impl Sink) {
    materials.save(out);
    let (mut kinds, mut numbers) = (Kinds::new(), Vec::with_capacity(materials.len()));
    let mut last: Option<(&Material, u32)> = None;
    let mut names = Names::default();
    for (id, material) in materials.iter() {
        names.set(id.index(), material.name.as_deref());
        let number = match last {
            Some((other, number)) if material.is_same(other) => number,
            _ => kinds.number_of(|bytes| material.save(bytes)),
        };
        last = Some((material, number));
        numbers.push(number);
    }
    out.u32(kinds.len() as u32);
    out.bytes(kinds.bytes());
    out.u32s(&numbers);
    names.save(out);
}

fn load_materials(source: &mut Source<'_>) -> Result<Slots<Material, MaterialTag>> {
    let places = Places::load(source)?;
    let kinds: Vec<Material> = (0..source.count(1)?).map(|_| Material::load(source)).collect::<Result<_>>()?;
    let mut numbers = load_numbers(source, places.count(), kinds.len())?.into_iter();
    // Each has its own bytes in the snapshot: a long one that many materials shared would ask for more memory than any file is worth.
    let names = Names::load(source, |slot| places.is_taken(slot))?;
    places.fill(|slot| match numbers.next() {
        Some(number) => Ok(Material { name: names.get(slot).map(str::to_owned), ..kinds[number as usize].clone() }),
        None => Err(source.corrupt("a list of materials")),
    })
}

fn save_events(events: &[Event], out: &mut impl Sink) {
    out.u32(events.len() as u32);
    for event in events {
        event.save(out);
    }
}

fn load_events(source: &mut Source<'_>) -> Result<Vec<Event>> {
    (0..source.count(17)?).map(|_| Event::load(source)).collect()
}
