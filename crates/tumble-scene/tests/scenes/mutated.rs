//! A thousand files with something wrong: no panic, no hang, and an answer that names the place.

use super::files::{ARTICULATED, DOOR, EVERYTHING};
use super::meshes;
use super::recordings::{fnv, recorded};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tumble_scene::mesh::Format;
use tumble_scene::recording::Recording;
use tumble_scene::{Error, file, library};

/// SplitMix64: the same mutations in every run.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % bound.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a [u8]]) -> &'a [u8] {
        from[self.below(from.len())]
    }
}

const WORDS: &[&[u8]] = &[
    b"nan",
    b"inf",
    b"-inf",
    b"-1",
    b"0",
    b"1e30",
    b"1e-30",
    b"1e300",
    b"'1/0'",
    b"'0/0'",
    b"'i'",
    b"'('",
    b"[]",
    b"{}",
    b"true",
    b"\"\"",
    b"[",
    b"]",
    b"{",
    b"}",
    b"=",
    b"\n",
    b"\"",
    b"[[body]]\n",
    b"repeat = { i = 1e9 }\n",
    b"repeat = { i = 3 }\n",
    b"kind = 'hinge'\n",
    b"[[articulation.link]]\n",
    b"joint = 'spherical'\n",
    b"joint = 'free'\n",
    b"massless = true\n",
    b"'{x}'",
    b"999999999999999999999",
    b"\xff",
    b"\0",
    b"'world'",
    b"#",
];

/// Takes out, doubles, replaces or inserts something, once or a few times.
pub fn mutate(bytes: &[u8], words: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(out.len());
        let end = (at + random.below(40)).min(out.len());
        match random.below(9) {
            0 if !out.is_empty() => out[at] ^= 1 << random.below(8),
            1 => drop(out.drain(at..end)),
            2 => {
                let copy = out[at..end].to_vec();
                out.splice(at..at, copy);
            }
            3 => drop(out.splice(at..end, random.pick(words).iter().copied())),
            4 => drop(out.splice(at..at, random.pick(words).iter().copied())),
            // A whole number or word gives way.
            5 => {
                let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"._-".contains(b);
                let length = out[at..].iter().take_while(|b| is_part(b)).count();
                out.splice(at..at + length, random.pick(words).iter().copied());
            }
            // One digit is another: what is read stays a number.
            6 | 7 => {
                if let Some(digit) = out[at..].iter_mut().find(|b| b.is_ascii_digit()) {
                    *digit = b'0' + random.below(10) as u8;
                }
            }
            _ => out.truncate(at),
        }
    }
    out
}

/// Files to begin with, from the shortest to the one that says everything.
fn texts() -> [String; 4] {
    let stack = library::find("box-stack").unwrap();
    let written = file::write(&stack, &stack.setup().start().unwrap()).unwrap();
    [DOOR.to_owned(), EVERYTHING.to_owned(), written, ARTICULATED.to_owned()]
}

/// No case may take longer. A case takes milliseconds; what is left is for machines with other things to do.
const LONGEST: Duration = Duration::from_secs(5);

/// What came of a damaged file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    Refused,
    /// A recording of which only a beginning is there.
    Cut,
    Taken,
}

/// Files that are damaged, and those damaged ones that were still taken: to reach deeper, one must have come so far.
struct Corpus<K> {
    originals: usize,
    files: Vec<(K, Vec<u8>)>,
}

impl<K: Copy + Send + 'static> Corpus<K> {
    /// Of each original so many that came of it are kept; a new one takes the place of an old one.
    const KEPT: usize = 64;
    /// What grows with every mutation comes to an end.
    const LARGEST: usize = 1 << 16;

    fn new(files: Vec<(K, Vec<u8>)>) -> Self {
        Self { originals: files.len(), files }
    }

    /// Damages a file, half of the time an original, and tries it within the time that a case may take.
    fn round(
        &mut self,
        random: &mut Random,
        damage: impl FnOnce(&[u8], &mut Random) -> Vec<u8>,
        attempt: impl FnOnce(K, &[u8]) -> Fate + Send + 'static,
    ) -> (Fate, Duration) {
        let from = if random.below(2) == 0 { self.originals } else { self.files.len() };
        let (kind, bytes) = &self.files[random.below(from)];
        let (kind, damaged) = (*kind, damage(bytes, random));
        let (fate, took) = in_time(&damaged, move |bytes| attempt(kind, bytes));
        if fate == Fate::Taken && damaged.len() < Self::LARGEST {
            match self.files.len() < self.originals * (1 + Self::KEPT) {
                true => self.files.push((kind, damaged)),
                false => {
                    let old = self.originals + random.below(self.files.len() - self.originals);
                    self.files[old] = (kind, damaged);
                }
            }
        }
        (fate, took)
    }
}

/// Tries a file on a thread of its own, so that one that hangs or panics is named rather than waited for.
fn in_time(bytes: &[u8], attempt: impl FnOnce(&[u8]) -> Fate + Send + 'static) -> (Fate, Duration) {
    let (tell, hear) = mpsc::channel();
    let copy = bytes.to_vec();
    std::thread::spawn(move || {
        let begin = Instant::now();
        let fate = attempt(&copy);
        let _ = tell.send((fate, begin.elapsed()));
    });
    hear.recv_timeout(LONGEST).unwrap_or_else(|error| {
        let what = match error {
            mpsc::RecvTimeoutError::Timeout => "no end is in sight",
            mpsc::RecvTimeoutError::Disconnected => "a panic",
        };
        panic!("{what}: {}", bytes.escape_ascii());
    })
}

/// Reads and builds a damaged scene file, and makes a step.
fn scene_file(bytes: &[u8]) -> Fate {
    // Bytes that are no text are answered by `load`.
    let text = String::from_utf8_lossy(bytes).into_owned();
    let outcome = file::parse(text.clone(), "m.toml", ".").and_then(|scene| {
        let mut run = scene.setup().start()?;
        if run.world().body_count() < 2000 { run.step() } else { Ok(()) }
    });
    match outcome {
        Ok(()) => Fate::Taken,
        // What the engine refuses only in a step has no place in the file.
        Err(Error::Engine { source, .. }) => {
            assert!(!source.to_string().contains("panicked"), "{source}\n{text}");
            Fate::Taken
        }
        Err(Error::File(error)) => {
            assert!(error.line > 0 && error.column > 0 && !error.message.is_empty(), "{error}\n{text}");
            assert!(!error.message.contains('\n'), "{error}");
            Fate::Refused
        }
        Err(other) => panic!("without a place: {other}\n{text}"),
    }
}

fn damaged_text(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    mutate(bytes, WORDS, random)
}

fn scene_corpus() -> Corpus<()> {
    Corpus::new(texts().into_iter().map(|text| ((), text.into_bytes())).collect())
}

#[test]
fn scene_files() {
    let (mut corpus, mut random) = (scene_corpus(), Random(1));
    let rounds: Vec<_> =
        (0..1000).map(|_| corpus.round(&mut random, damaged_text, |(), bytes| scene_file(bytes))).collect();
    let refused = rounds.iter().filter(|(fate, _)| *fate == Fate::Refused).count();
    println!("{refused} of 1000 refused, the slowest took {:?}", rounds.iter().map(|r| r.1).max());
    // Most mutations break something; some only change a number or a comment.
    assert!((300..1000).contains(&refused), "{refused}");
}

const RECORDING_WORDS: &[&[u8]] = &[
    b"\0",
    b"\xff\xff\xff\xff",
    b"\x01\0\0\0\0",
    b"TUMBLREC",
    b"{}",
    b"[]",
    b"null",
    b"-1",
    b"1e300",
    b"\0\0\xc0\x7f",
    b"\0\0\x80\x7f",
];

fn damaged_bytes(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    mutate(bytes, RECORDING_WORDS, random)
}

/// The frames of a recording: kinds and payloads.
pub fn frames(bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let (mut at, mut frames) = (12, Vec::new());
    while let Some(length) = bytes.get(at + 1..at + 5) {
        let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
        frames.push((bytes[at], bytes[at + 5..at + 5 + length].to_vec()));
        at += length + 9;
    }
    frames
}

/// A recording of these frames, whose sums are right whatever they hold.
pub fn sealed(frames: &[(u8, Vec<u8>)]) -> Vec<u8> {
    sealed_as(tumble_scene::recording::VERSION, frames)
}

/// The same in this version of the format.
pub fn sealed_as(version: u32, frames: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = b"TUMBLREC".to_vec();
    bytes.extend(version.to_le_bytes());
    for (kind, payload) in frames {
        let start = bytes.len();
        bytes.push(*kind);
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(payload);
        let sum = fnv(&bytes[start..]);
        bytes.extend(sum.to_le_bytes());
    }
    bytes
}

/// Damages one frame of a random kind, leaves it out, doubles it or puts it elsewhere; the sums are right again.
fn damaged_and_sealed(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut all = frames(bytes);
    let mut kinds: Vec<u8> = all.iter().map(|(kind, _)| *kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kind = kinds[random.below(kinds.len())];
    let of_kind: Vec<usize> = (0..all.len()).filter(|i| all[*i].0 == kind).collect();
    let at = of_kind[random.below(of_kind.len())];
    match random.below(8) {
        0 => drop(all.remove(at)),
        1 => {
            let copy = all[at].clone();
            all.insert(random.below(all.len()), copy);
        }
        2 => {
            let frame = all.remove(at);
            all.insert(random.below(all.len()), frame);
        }
        3 => all[at].0 = random.below(8) as u8,
        _ => all[at].1 = mutate(&all[at].1, RECORDING_WORDS, random),
    }
    sealed(&all)
}

/// Reads a damaged recording, replays what is there, and goes to its middle. Whatever is refused is refused with its place.
fn recording(bytes: &[u8]) -> Fate {
    let placed = |error: Error| {
        let text = error.to_string();
        let place = ["frame ", "byte ", "step ", "TUMBLREC", "version ", "first frame"];
        assert!(text.starts_with("recording: ") && place.iter().any(|word| text.contains(word)), "{text}");
    };
    match Recording::read(bytes.to_vec()) {
        Ok(recording) => {
            match recording.replay(|_| true) {
                Ok(replay) => assert!(replay.steps <= recording.steps()),
                Err(error) => placed(error),
            }
            let first = recording.keyframes().next().unwrap();
            if let Err(error) = recording.world_at(first.saturating_add(recording.steps() / 2)) {
                placed(error);
            }
            if recording.is_whole() { Fate::Taken } else { Fate::Cut }
        }
        Err(error) => {
            placed(error);
            Fate::Refused
        }
    }
}

/// Whatever the bytes, they are read up to something whole or refused. Half of them have the sums that go with them, so that what is
/// behind the sums is tried too.
#[test]
fn recordings() {
    let (bytes, _) = recorded(20, 0);
    assert!(bytes == sealed(&frames(&bytes)), "the test takes frames apart as the reader does");
    let mut random = Random(2);
    let mut run = |damage: fn(&[u8], &mut Random) -> Vec<u8>| -> (Vec<Fate>, Option<Duration>) {
        let mut corpus = Corpus::new(vec![((), bytes.clone())]);
        let rounds = (0..500).map(|_| corpus.round(&mut random, damage, |(), bytes| recording(bytes)));
        let (fates, times): (Vec<Fate>, Vec<Duration>) = rounds.unzip();
        (fates, times.into_iter().max())
    };
    let ((broken, _), (sealed, slowest)) = (run(damaged_bytes), run(damaged_and_sealed));
    let count = |fates: &[Fate], fate: Fate| fates.iter().filter(|f| **f == fate).count();
    let [(refused, cut), (sealed_refused, taken)] = [
        (count(&broken, Fate::Refused), count(&broken, Fate::Cut)),
        (count(&sealed, Fate::Refused), count(&sealed, Fate::Taken)),
    ];
    println!(
        "broken: {refused} refused, {cut} cut; sealed: {sealed_refused} refused, {taken} taken; {slowest:?} at most"
    );
    assert!(refused + cut > 450, "{refused}, {cut}");
    // Sums stop what is broken; what is sealed comes through to the reader behind.
    assert!(sealed_refused > 50 && taken > 150, "{sealed_refused}, {taken}");
}

fn damaged_mesh(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    mutate(bytes, meshes::WORDS, random)
}

fn mesh_corpus() -> Corpus<Format> {
    Corpus::new(meshes::all_formats(&meshes::bench()))
}

/// A thousand damaged meshes: no panic, no hang, an answer that names the place.
#[test]
fn mesh_files() {
    let (mut corpus, mut random) = (mesh_corpus(), Random(3));
    let rounds: Vec<_> = (0..1000)
        .map(|i| {
            corpus.round(&mut random, damaged_mesh, move |format, bytes| meshes::attempt(bytes, format, i % 10 == 0))
        })
        .collect();
    let refused = rounds.iter().filter(|(fate, _)| *fate == Fate::Refused).count();
    println!("{refused} of 1000 refused, the slowest took {:?}", rounds.iter().map(|r| r.1).max());
    assert!((200..1000).contains(&refused), "{refused}");
}

/// The same for an hour (or `TUMBLE_FUZZ_SECONDS`), with other files every time.
#[test]
#[ignore = "long: an hour of damaged files"]
fn an_hour_of_damaged_files() {
    let seconds = std::env::var("TUMBLE_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3600);
    let end = Instant::now() + Duration::from_secs(seconds);
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    println!("seed {seed}");
    let mut random = Random(seed);
    let (mut scenes, mut meshes) = (scene_corpus(), mesh_corpus());
    let mut broken = Corpus::new(vec![((), recorded(30, 1 << 20).0)]);
    let mut sealed = Corpus::new(broken.files.clone());
    let (mut count, mut taken) = (0_u64, 0_u64);
    while Instant::now() < end {
        // Scenes and meshes are read fastest.
        for _ in 0..4 {
            let (fate, _) = scenes.round(&mut random, damaged_text, |(), bytes| scene_file(bytes));
            taken += u64::from(fate == Fate::Taken);
            let parts = count.is_multiple_of(100);
            meshes.round(&mut random, damaged_mesh, move |format, bytes| meshes::attempt(bytes, format, parts));
        }
        broken.round(&mut random, damaged_bytes, |(), bytes| recording(bytes));
        sealed.round(&mut random, damaged_and_sealed, |(), bytes| recording(bytes));
        count += 1;
    }
    let kept = scenes.files.len() + meshes.files.len() + sealed.files.len();
    println!("{count} rounds of ten files; {taken} scenes taken, {kept} files kept");
}
