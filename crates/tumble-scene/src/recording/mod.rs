//! Recordings: a run as a file that can be run again and compared.
//!
//! A recording holds the world at its beginning, what was done to it, and the hash of the world after every step. Whoever replays it
//! gets the same bits, or the step at which they part. On the way there are further snapshots, so that one can go to any step
//! without replaying all before it.
//!
//! ```text
//!   "TUMBLREC"  version: u32 │ frame │ frame │ ...
//!   frame:  kind: u8  length: u32  payload  checksum: u32
//!     0 head      JSON, see Head                                  1 keyframe  step: u64, snapshot of the world before it
//!     2 step      step: u64, dt: f64, hash: u64                   3 inputs    step: u64, JSON list of Input, before the step
//!     4 end       steps: u64                                      5 world     step: u64, snapshot that takes its place before the step
//!     6 patch     step: u64, what differs from the world before the step, see below
//! ```
//!
//! A patch is the checksum (FNV-1a) of a snapshot of the world at that place, and pieces until its end: stay: u32, go: u32, come: u32,
//! and so many new bytes. It gives the snapshot of the world that takes its place.
//!
//! All numbers are little-endian. Every frame carries a checksum (FNV-1a over kind, length and payload), so a file that was cut
//! short is read up to its last whole frame. A change of this layout raises the version; a reader refuses versions that it does
//! not know. Version 1 had no patches. Snapshots inside have the version of the engine that wrote them, and are read by engines with the same one.
//!
//! ```
//! use tumble_scene::recording::{Recorder, Recording};
//! # fn main() -> tumble_scene::Result<()> {
//! let mut run = tumble_scene::library::find("box-stack")?.setup().start()?;
//! let mut recorder = Recorder::new(Vec::new(), "box-stack", run.world())?;
//! for _ in 0..30 {
//!     run.step()?;
//!     recorder.step(run.world(), run.dt())?;
//! }
//! let bytes = recorder.finish()?;
//!
//! let recording = Recording::read(bytes)?;
//! assert_eq!((recording.steps(), recording.is_whole()), (30, true));
//! assert_eq!(recording.replay(|_| true)?.diverged_at, None);
//! assert_eq!(recording.world_at(17)?.steps(), 17);
//! # Ok(())
//! # }
//! ```

mod patch;
mod read;
mod write;

pub use read::{Recording, Replay};
pub use write::Recorder;

use crate::error::{Error, Result};
use crate::file::FileError;
use serde::{Deserialize, Serialize};
use tumble::math::{Point, Real, Vec3};
use tumble::{BodyId, Method, World};

/// The version of the layout that is written. All versions from the first on are read.
pub const VERSION: u32 = 2;

const MAGIC: &[u8; 8] = b"TUMBLREC";

/// Bytes around the payload of a frame.
const FRAME: usize = 9;

const HEAD: u8 = 0;
const KEYFRAME: u8 = 1;
const STEP: u8 = 2;
const INPUTS: u8 = 3;
const END: u8 = 4;
const WORLD: u8 = 5;
const PATCH: u8 = 6;

/// What a recording says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The scene that was run.
    pub scene: String,
    /// `f32` or `f64`: the precision of the engine.
    pub precision: String,
    /// The version of its snapshots.
    pub snapshot_version: u32,
}

impl Head {
    fn of(scene: &str) -> Self {
        let precision = if size_of::<Real>() == 4 { "f32" } else { "f64" };
        Self { scene: scene.to_owned(), precision: precision.to_owned(), snapshot_version: tumble::SNAPSHOT_VERSION }
    }
}

/// Something that was done to a world between two steps. What cannot be said so is recorded by what came of it:
/// [`Recorder::edited`].
///
/// ```
/// use tumble::{BodyDesc, World};
/// use tumble_scene::recording::Input;
/// let mut world = World::new();
/// let body = world.add_body(BodyDesc::dynamic().mass(2.0))?;
/// Input::impulse(body, [4.0, 0.0, 0.0]).apply(&mut world)?;
/// assert_eq!(world.body(body)?.linear_velocity().x, 2.0);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Input {
    /// A push; at the centre of mass where no point is given.
    Impulse {
        /// The body, as [`BodyId::to_bits`].
        body: u64,
        /// N s
        impulse: [Real; 3],
        /// In the world.
        point: Option<[f64; 3]>,
    },
    /// A force and a torque that stay.
    Force {
        /// The body.
        body: u64,
        /// N
        force: [Real; 3],
        /// N m
        torque: [Real; 3],
    },
    /// Velocities.
    Velocity {
        /// The body.
        body: u64,
        /// m/s
        linear: [Real; 3],
        /// rad/s
        angular: [Real; 3],
    },
    /// Gravity.
    Gravity([Real; 3]),
    /// Another method.
    Method(Box<Method>),
}

impl Input {
    /// A push at the centre of mass.
    pub fn impulse(body: BodyId, impulse: impl Into<Vec3>) -> Self {
        Self::Impulse { body: body.to_bits(), impulse: impulse.into().to_array(), point: None }
    }

    /// Does it.
    pub fn apply(&self, world: &mut World) -> tumble::Result<()> {
        match self {
            Self::Impulse { body, impulse, point } => {
                let mut body = world.body_mut(BodyId::from_bits(*body))?;
                match point {
                    Some(point) => body.apply_impulse_at(*impulse, Point::from(*point)),
                    None => body.apply_impulse(*impulse),
                }
            }
            Self::Force { body, force, torque } => {
                let mut body = world.body_mut(BodyId::from_bits(*body))?;
                body.set_force(*force)?;
                body.set_torque(*torque)
            }
            Self::Velocity { body, linear, angular } => {
                world.body_mut(BodyId::from_bits(*body))?.set_velocity(*linear, *angular)
            }
            Self::Gravity(gravity) => world.set_gravity(*gravity),
            Self::Method(method) => world.set_method(method.as_ref().clone()),
        }
    }
}

/// FNV-1a with 32 bits.
fn fnv<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u32 {
    bytes.into_iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

fn checksum(kind: u8, payload: &[u8]) -> u32 {
    let length = (payload.len() as u32).to_le_bytes();
    fnv(std::iter::once(&kind).chain(&length).chain(payload))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes)
}

fn fault(message: impl Into<String>) -> Error {
    Error::File(FileError::whole("recording", message))
}

/// Writes bytes as a whole, or says why not.
fn put(out: &mut impl std::io::Write, bytes: &[u8]) -> Result<()> {
    out.write_all(bytes).map_err(|error| fault(format!("it cannot be written: {error}")))
}
