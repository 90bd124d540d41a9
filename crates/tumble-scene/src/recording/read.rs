//! Recordings that exist.

use super::patch::patched;
use super::{
    END, FRAME, HEAD, Head, INPUTS, Input, KEYFRAME, MAGIC, PATCH, STEP, VERSION, WORLD, checksum, fault, word,
};
use crate::error::{Error, Result};
use crate::file::FileError;
use serde::Serialize;
use std::path::Path;
use tumble::World;
use tumble::math::{Float, Real};

/// A recording, checked frame by frame.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The file, or what stands for it in messages.
    name: String,
    bytes: Vec<u8>,
    head: Head,
    steps: Vec<Step>,
    /// Step before which the snapshot was taken, and where it is in the bytes.
    keyframes: Vec<(u64, std::ops::Range<usize>)>,
    /// Step before which something was done.
    deeds: Vec<(u64, Deed)>,
    whole: bool,
}

#[derive(Clone, Debug)]
enum Deed {
    Inputs(Vec<Input>),
    /// Where the snapshot of the world is that takes its place.
    World(std::ops::Range<usize>),
    /// Where the patch is that makes it of the world that is there.
    Patch(std::ops::Range<usize>),
}

#[derive(Clone, Copy, Debug)]
struct Step {
    step: u64,
    dt: f64,
    hash: u64,
}

/// What came of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// Steps that were made again.
    pub steps: u64,
    /// The first step after which the world was another than when it was recorded.
    pub diverged_at: Option<u64>,
    /// The hash of the world at the end. In JSON, which has no whole numbers of 64 bits, as 16 hexadecimal digits.
    #[serde(serialize_with = "as_digits")]
    pub hash: u64,
}

fn as_digits<S: serde::Serializer>(hash: &u64, out: S) -> core::result::Result<S::Ok, S::Error> {
    out.collect_str(&format_args!("{hash:016x}"))
}

impl Recording {
    /// Reads a file.
    ///
    /// ```
    /// let error = tumble_scene::recording::Recording::load("no/such/file").unwrap_err();
    /// assert!(error.to_string().starts_with("no/such/file: "));
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let named = |error: Error| match error {
            Error::File(mut error) => {
                error.file = path.display().to_string();
                Error::File(error)
            }
            other => other,
        };
        // A recording may have any size; what is no file at all may have no end.
        let most = if path.is_file() { u64::MAX } else { 1 << 30 };
        let bytes = crate::file::read_file(path, most).map_err(|problem| named(fault(problem)))?;
        let mut recording = Self::read(bytes).map_err(named)?;
        recording.name = path.display().to_string();
        Ok(recording)
    }

    /// Whether these are the first bytes of a recording.
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Takes a recording apart, up to its last whole frame.
    pub fn read(bytes: Vec<u8>) -> Result<Self> {
        if !Self::begins(&bytes) {
            return Err(fault("this is no recording: it does not begin with TUMBLREC"));
        }
        let version = word(&bytes, MAGIC.len()).ok_or_else(|| fault("it ends before its first frame"))?;
        if !(1..=VERSION).contains(&version) {
            return Err(fault(format!("it has version {version} of the format; this program reads 1 to {VERSION}")));
        }
        let mut recording = Self {
            name: "recording".to_owned(),
            head: Head { scene: String::new(), precision: String::new(), snapshot_version: 0 },
            steps: Vec::new(),
            keyframes: Vec::new(),
            deeds: Vec::new(),
            whole: false,
            bytes: Vec::new(),
        };
        let (mut at, mut frames) = (MAGIC.len() + 4, 0_u64);
        while let Some((kind, payload)) = frame(&bytes, at) {
            let place = at;
            let wrong = |what: &str| fault(format!("frame {frames}, at byte {place}: {what}"));
            at = payload.end + 4;
            let content = &bytes[payload.clone()];
            match kind {
                HEAD if frames == 0 => {
                    recording.head = serde_json::from_slice(content).map_err(|_| wrong("the head cannot be read"))?;
                }
                _ if frames == 0 => return Err(wrong("the head is missing")),
                KEYFRAME => {
                    let step = long(content, 0).ok_or_else(|| wrong("the keyframe is too short"))?;
                    recording.keyframes.push((step, payload.start + 8..payload.end));
                }
                STEP => {
                    let fields = (long(content, 0), long(content, 8), long(content, 16));
                    let (Some(step), Some(dt), Some(hash)) = fields else { return Err(wrong("the step is too short")) };
                    let last = recording.steps.last().map(|s| s.step);
                    let expected = last.or(recording.keyframes.first().map(|k| k.0)).and_then(|s| s.checked_add(1));
                    if expected != Some(step) {
                        return Err(wrong(&format!("step {step} does not follow the one before")));
                    }
                    recording.steps.push(Step { step, dt: f64::from_bits(dt), hash });
                }
                INPUTS => {
                    let step = long(content, 0).ok_or_else(|| wrong("the inputs are too short"))?;
                    let list = serde_json::from_slice(content.get(8..).unwrap_or_default());
                    let list = list.map_err(|_| wrong("the inputs cannot be read"))?;
                    recording.deeds.push((step, Deed::Inputs(list)));
                }
                WORLD => {
                    let step = long(content, 0).ok_or_else(|| wrong("the world is too short"))?;
                    recording.deeds.push((step, Deed::World(payload.start + 8..payload.end)));
                }
                PATCH if version >= 2 => {
                    let step = long(content, 0).ok_or_else(|| wrong("the patch is too short"))?;
                    recording.deeds.push((step, Deed::Patch(payload.start + 8..payload.end)));
                }
                END => {
                    recording.whole = true;
                    break;
                }
                other => return Err(wrong(&format!("there is no kind {other} of frames"))),
            }
            frames += 1;
        }
        if recording.keyframes.is_empty() {
            return Err(fault(format!("frame {frames}, at byte {at}: it ends before its first snapshot")));
        }
        recording.bytes = bytes;
        Ok(recording)
    }

    /// What it says of itself.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// How many steps it holds.
    pub fn steps(&self) -> u64 {
        self.steps.len() as u64
    }

    /// Simulated seconds of these steps.
    pub fn seconds(&self) -> f64 {
        self.steps.iter().map(|s| s.dt).sum()
    }

    /// It was ended properly; else it is a beginning, up to the last whole frame.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The steps before which the world was saved as a whole.
    pub fn keyframes(&self) -> impl Iterator<Item = u64> + '_ {
        self.keyframes.iter().map(|k| k.0)
    }

    /// The hash of the world after a step, counted as [`World::steps`] does.
    pub fn hash_after(&self, step: u64) -> Option<u64> {
        let first = self.steps.first()?.step;
        self.steps.get(step.checked_sub(first)? as usize).map(|s| s.hash)
    }

    /// Makes all steps again and compares. `go_on` is told how many are done, and may end it.
    pub fn replay(&self, mut go_on: impl FnMut(u64) -> bool) -> Result<Replay> {
        let mut world = self.first_world()?;
        let mut done = 0;
        for step in &self.steps {
            if !go_on(done) {
                break;
            }
            self.advance(&mut world, step)?;
            done += 1;
            let hash = world.hash();
            if hash != step.hash {
                return Ok(Replay { steps: done, diverged_at: Some(step.step), hash });
            }
        }
        Ok(Replay { steps: done, diverged_at: None, hash: world.hash() })
    }

    /// The world after so many steps, counted as [`World::steps`] does: from the nearest keyframe before.
    pub fn world_at(&self, step: u64) -> Result<World> {
        let Some((first, range)) = self.keyframes.iter().rev().find(|k| k.0 <= step) else {
            return Err(self.fault(format!("it begins after step {step}")));
        };
        let missing = || self.fault(format!("it ends before step {step}"));
        if step - first > self.steps() {
            return Err(missing());
        }
        let mut world = self.restored(range.clone())?;
        // The steps after those that are done: counted so, the last number that there is does no harm.
        for done in *first..step {
            let begin = self.steps.first().map_or(0, |s| s.step);
            let index = (done + 1).checked_sub(begin).ok_or_else(missing)?;
            let step = self.steps.get(index as usize).ok_or_else(missing)?;
            self.advance(&mut world, step)?;
        }
        Ok(world)
    }

    fn first_world(&self) -> Result<World> {
        match self.keyframes.first() {
            Some((_, range)) => self.restored(range.clone()),
            None => Err(self.fault("it has no snapshot")),
        }
    }

    fn fault(&self, message: impl Into<String>) -> Error {
        Error::File(FileError::whole(&self.name, message))
    }

    fn restored(&self, range: std::ops::Range<usize>) -> Result<World> {
        let place = range.start;
        World::from_snapshot(self.bytes.get(range).unwrap_or_default())
            .map_err(|error| self.fault(format!("the snapshot at byte {place}: {error}")))
    }

    fn advance(&self, world: &mut World, step: &Step) -> Result<()> {
        let first = self.deeds.partition_point(|(before, _)| *before < step.step);
        let wrong = |what: &str, error: tumble::Error| self.fault(format!("step {}: {what}: {error}", step.step));
        for (_, deed) in self.deeds[first..].iter().take_while(|(before, _)| *before == step.step) {
            match deed {
                Deed::World(range) => {
                    let place = range.start;
                    let bytes = self.bytes.get(range.clone()).unwrap_or_default();
                    world.restore(bytes).map_err(|error| wrong(&format!("the world at byte {place}"), error))?;
                }
                Deed::Patch(range) => {
                    let what = format!("the patch at byte {}", range.start);
                    let before = world.snapshot().map_err(|error| wrong(&what, error))?;
                    let after = patched(&before, self.bytes.get(range.clone()).unwrap_or_default());
                    let after = after.ok_or_else(|| {
                        self.fault(format!("step {}: {what} is not one of the world that is there", step.step))
                    })?;
                    world.restore(&after).map_err(|error| wrong(&what, error))?;
                }
                Deed::Inputs(list) => {
                    list.iter().try_for_each(|input| input.apply(world)).map_err(|error| wrong("its inputs", error))?;
                }
            }
        }
        world.step(Real::from_f64(step.dt)).map_err(|error| wrong("it cannot be made", error))
    }
}

/// The kind and the payload of the frame that begins here, if it is whole.
fn frame(bytes: &[u8], at: usize) -> Option<(u8, std::ops::Range<usize>)> {
    let kind = *bytes.get(at)?;
    let length = word(bytes, at + 1)? as usize;
    let payload = at + 5..(at + 5).checked_add(length)?;
    let sum = word(bytes, payload.end)?;
    debug_assert_eq!(payload.end + 4 - at, length + FRAME);
    (checksum(kind, bytes.get(payload.clone())?) == sum).then_some((kind, payload))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at.checked_add(8)?).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes)
}
