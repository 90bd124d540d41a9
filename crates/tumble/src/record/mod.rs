//! Snapshot, restore and hash: everything the next step reads, as bytes.
//!
//! One description of the state (`State::save`) serves both: a snapshot takes the bytes, a hash folds them. It takes every
//! record apart by name, so that what is added to the state does not compile until it is saved.
//!
//! ```text
//!   magic  version  precision  length  checksum  parts │ shapes │ settings │ materials, bodies, colliders │ contacts, joints, islands │ events
//!   └──────────────────── 80 bytes ──────────────────┘ └───────────────────────── payload, hashed ─────────────────────────────────────────┘
//! ```

mod check;
mod checksum;
mod envelope;
#[cfg(test)]
mod forged;
mod gather;
pub(crate) mod kinds;
pub(crate) mod parts;
mod settings;
mod shapes;
mod state;
pub(crate) mod stream;

use crate::error::{Error, Result};
use crate::world::{State, World};
use checksum::Checksum;
use state::Known;
use stream::Hasher;

/// The format of snapshots that this version of the engine writes and reads. It changes whenever the state of a world
/// does; see [`World::restore`].
pub const SNAPSHOT_VERSION: u32 = 17;

impl World {
    /// A number that stands for everything the next step reads, to the last bit: two worlds with the same hash have, in
    /// all likelihood, the same future. It does not depend on the machine, the number of threads or the instruction set.
    ///
    /// It covers settings, bodies, colliders, materials, contacts with their impulses, sleep, lists of free ids, and
    /// events; names and user data too. It does not cover the profile and the start that [`World::restart`] goes back to.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::dynamic().collider(Shape::sphere(0.5)?))?;
    /// let mut other = world.clone();
    /// world.step(1.0 / 60.0)?;
    /// assert_ne!(world.hash(), other.hash());
    /// other.step(1.0 / 60.0)?;
    /// assert_eq!(world.hash(), other.hash());
    /// # Ok(())
    /// # }
    /// ```
    pub fn hash(&self) -> u64 {
        let mut hasher = Hasher::new();
        self.state.save(&mut hasher);
        hasher.finish()
    }

    /// The world as bytes, for [`World::restore`].
    ///
    /// ```
    /// use tumble::{BodyDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let ball = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(0.5)?))?;
    /// let saved = world.snapshot()?;
    /// world.step(1.0 / 60.0)?;
    /// let after = world.hash();
    ///
    /// world.restore(&saved)?;
    /// assert_eq!(world.body(ball)?.position().y, 0.0);
    /// world.step(1.0 / 60.0)?;
    /// assert_eq!(world.hash(), after); // the same bits as never having gone back
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A [torn](World#torn-worlds) world is not saved.
    pub fn snapshot(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.snapshot_into(&mut bytes)?;
        Ok(bytes)
    }

    /// Replaces `bytes` by the snapshot: the same as [`World::snapshot`], in memory that can be used again. It is about
    /// twice as fast where snapshots are taken in every step.
    ///
    /// The threads of [`World::set_threads`] share the work of large worlds, and meanwhile take about as much memory as the snapshot has without its
    /// contacts; those of [`World::set_thread_pool`] do not.
    ///
    /// ```
    /// use tumble::World;
    /// let world = World::new();
    /// let mut kept = Vec::new();
    /// world.snapshot_into(&mut kept).unwrap();
    /// assert_eq!(kept, world.snapshot().unwrap());
    /// ```
    ///
    /// # Errors
    /// A [torn](World#torn-worlds) world is not saved; `bytes` stay as they were.
    pub fn snapshot_into(&self, bytes: &mut Vec<u8>) -> Result<()> {
        self.whole()?;
        let size = self.state.record_size();
        // Whoever only reads a world may do so under a lock that the threads of a pool of the user's wait for.
        self.crew.lead(size < LARGE || !self.crew.is_own(), |team| match team.size() {
            1 => {
                bytes.clear();
                bytes.reserve(size);
                envelope::wrap(bytes, |payload| self.state.save(payload));
            }
            _ => gather::write(team, &self.state, bytes),
        });
        Ok(())
    }

    /// Makes this world the one that was saved. Going on from here gives the same bits as never having stopped, and ids
    /// stay valid; so it does in another [`World`], another process, on another machine.
    ///
    /// What is not in a snapshot: the profile, and the start of [`World::restart`], which from now on is the restored
    /// state. A contact hook is code and stays outside too: if the saved world had one, this world must have one of the same
    /// name (see [`World::set_contact_hook`]); if it had none, this world has none afterwards.
    ///
    /// # Errors
    /// Bytes that are cut short, altered or no snapshot at all, written by the crate of the other precision, or in another
    /// format. The world is as it was then. No bytes whatever make this function or later steps panic.
    ///
    /// Formats are not converted: a snapshot is read by the versions of the engine with the [`SNAPSHOT_VERSION`] of the
    /// one that wrote it. Releases that differ only in their last number have the same. What is to be kept for longer is
    /// better stored as a scene.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<()> {
        let opened = envelope::open(bytes)?;
        let Self { crew, state, .. } = self;
        // Code of the user's reads no bytes but those that code of the user's wrote.
        if !(state.registry.0.is_empty() && state.forces.0.is_empty()) {
            opened.check(Checksum::of(opened.payload))?;
        }
        let alone = opened.payload.len() < LARGE;
        crew.lead(alone, |team| {
            let State { hook, registry, forces, .. } = &*state;
            let (checksum, loaded) = State::load(team, opened.payload, &opened.parts, Known { hook, registry, forces });
            // The checksum is known when all has been read; that the bytes were altered explains whatever was found in them.
            opened.check(checksum)?;
            let loaded = State { isa: state.isa, ..loaded.map_err(as_damage)? };
            core::mem::replace(state, loaded).discard(team);
            Ok(())
        })?;
        self.begin_anew();
        Ok(())
    }

    /// The world that was saved; see [`World::restore`].
    ///
    /// ```
    /// use tumble::World;
    /// let mut world = World::new();
    /// world.step(1.0 / 60.0).unwrap();
    /// let copy = World::from_snapshot(&world.snapshot().unwrap()).unwrap();
    /// assert_eq!(copy.hash(), world.hash());
    /// assert!(World::from_snapshot(b"something else").is_err());
    /// ```
    pub fn from_snapshot(bytes: &[u8]) -> Result<Self> {
        let mut world = Self::new();
        world.restore(bytes)?;
        Ok(world)
    }
}

/// Bytes from which on calling other threads is worth it; tests call them for all.
const LARGE: usize = if cfg!(test) { 1 } else { 1 << 18 };

/// A value that no setter would have taken is damage, whatever it is.
fn as_damage(error: Error) -> Error {
    match error {
        Error::Refused { ref subject, .. } if subject == "snapshot" => error,
        other => Error::refused("snapshot", format_args!("damaged: {other}")),
    }
}
