//! Recordings while they are made.

use super::patch::patch;
use super::{END, HEAD, Head, INPUTS, Input, KEYFRAME, MAGIC, PATCH, STEP, VERSION, WORLD, checksum, fault, put};
use crate::error::Result;
use std::io::Write;
use tumble::World;

/// Bytes that keyframes may take together unless told otherwise.
const BUDGET: u64 = 64 << 20;
/// Steps between the first keyframes.
const SPACING: u64 = 60;

/// Writes a recording, frame by frame. What is written so far can be read at any time, up to its last whole frame.
///
/// Keyframes stay within a budget however long the run is: at first they are 60 steps apart; whenever half of what is left of the
/// budget is used up, their distance doubles. The first one, without which there is nothing to replay, is always there.
///
/// The first edit of a run is recorded by the world that came of it, and counts as a keyframe. Whoever edits once may do so before
/// every step, so from then on the recorder keeps what the world was after each step, and records edits by what they changed.
#[derive(Debug)]
pub struct Recorder<W: Write> {
    out: W,
    /// What is left for keyframes.
    budget: u64,
    /// At which the distance doubles.
    half: u64,
    spacing: u64,
    next: u64,
    steps: u64,
    snapshot: Vec<u8>,
    /// The world was edited.
    edited: bool,
    /// A snapshot of the world as the last frame has it, where it was edited before.
    before: Option<Vec<u8>>,
}

impl<W: Write> Recorder<W> {
    /// Begins with the world as it is.
    pub fn new(out: W, scene: &str, world: &World) -> Result<Self> {
        Self::with_budget(out, scene, world, BUDGET)
    }

    /// The same with another budget, in bytes.
    pub fn with_budget(mut out: W, scene: &str, world: &World, budget: u64) -> Result<Self> {
        put(&mut out, MAGIC)?;
        put(&mut out, &VERSION.to_le_bytes())?;
        let head = serde_json::to_vec(&Head::of(scene)).map_err(|error| fault(error.to_string()))?;
        let snapshot = Vec::new();
        let next = world.steps() + SPACING;
        let mut recorder = Self {
            out,
            budget,
            half: budget / 2,
            spacing: SPACING,
            next,
            steps: world.steps(),
            snapshot,
            edited: false,
            before: None,
        };
        recorder.frame(HEAD, &[&head])?;
        recorder.keyframe(world, true)?;
        Ok(recorder)
    }

    /// What was done to the world since the last step, in this order. What is no number is refused, and nothing is written.
    pub fn inputs(&mut self, inputs: &[Input]) -> Result<()> {
        let list = serde_json::to_vec(inputs).map_err(|error| fault(error.to_string()))?;
        // JSON would take it, and the whole recording could not be read any more.
        if serde_json::from_slice::<Vec<Input>>(&list).ok().as_deref() != Some(inputs) {
            return Err(fault("an input would not be read as it is; all its numbers must be finite"));
        }
        self.frame(INPUTS, &[&(self.steps + 1).to_le_bytes(), &list])?;
        // The world is no longer what it was after the step.
        self.before = None;
        Ok(())
    }

    /// Anything else was done to the world, which is now as it is.
    ///
    /// ```
    /// use tumble::{BodyDesc, World};
    /// use tumble_scene::recording::{Recorder, Recording};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::new();
    /// let mut recorder = Recorder::new(Vec::new(), "by hand", &world)?;
    /// world.add_body(BodyDesc::dynamic())?;
    /// recorder.edited(&world)?;
    /// world.step(0.01)?;
    /// recorder.step(&world, 0.01)?;
    /// assert_eq!(Recording::read(recorder.finish()?)?.replay(|_| true)?.diverged_at, None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn edited(&mut self, world: &World) -> Result<()> {
        let after = world.snapshot().map_err(|error| fault(error.to_string()))?;
        let next = (self.steps + 1).to_le_bytes();
        match self.before.take().and_then(|before| patch(&before, &after)) {
            Some(patch) => self.frame(PATCH, &[&next, &patch])?,
            None => {
                self.frame(WORLD, &[&next, &after])?;
                self.spend(after.len() as u64);
            }
        }
        (self.edited, self.before) = (true, Some(after));
        Ok(())
    }

    /// The world has made a step of this time.
    pub fn step(&mut self, world: &World, dt: f64) -> Result<()> {
        self.steps = world.steps();
        let fields = [self.steps.to_le_bytes(), dt.to_le_bytes(), world.hash().to_le_bytes()];
        self.frame(STEP, &[fields.as_flattened()])?;
        if self.edited {
            let before = self.before.get_or_insert_default();
            world.snapshot_into(before).map_err(|error| fault(error.to_string()))?;
        }
        if self.steps >= self.next {
            self.next = self.steps + self.spacing;
            if self.budget > 0 {
                self.keyframe(world, false)?;
            }
        }
        Ok(())
    }

    /// The end of the run. Answers what was written to.
    pub fn finish(mut self) -> Result<W> {
        self.frame(END, &[&self.steps.to_le_bytes()])?;
        self.out.flush().map_err(|error| fault(format!("it cannot be written: {error}")))?;
        Ok(self.out)
    }

    /// The world as a whole, where the budget allows it; the first of a recording in any case.
    fn keyframe(&mut self, world: &World, is_first: bool) -> Result<()> {
        let mut snapshot = std::mem::take(&mut self.snapshot);
        world.snapshot_into(&mut snapshot).map_err(|error| fault(error.to_string()))?;
        let size = snapshot.len() as u64;
        if size <= self.budget || is_first {
            self.frame(KEYFRAME, &[&world.steps().to_le_bytes(), &snapshot])?;
            self.spend(size);
        } else {
            self.budget = 0;
        }
        self.snapshot = snapshot;
        Ok(())
    }

    /// So many bytes hold the world as a whole.
    fn spend(&mut self, size: u64) {
        self.budget = self.budget.saturating_sub(size);
        while self.budget < self.half && self.half > 0 {
            self.half /= 2;
            self.spacing = self.spacing.saturating_mul(2);
        }
    }

    /// One whole frame in one write.
    fn frame(&mut self, kind: u8, parts: &[&[u8]]) -> Result<()> {
        let payload = parts.concat();
        let Ok(length) = u32::try_from(payload.len()) else { return Err(fault("a snapshot has more than 4 GB")) };
        let mut frame = Vec::with_capacity(payload.len() + super::FRAME);
        frame.push(kind);
        frame.extend(length.to_le_bytes());
        frame.extend(&payload);
        frame.extend(checksum(kind, &payload).to_le_bytes());
        put(&mut self.out, &frame)
    }
}
