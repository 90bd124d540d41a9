//! A thousand files with something wrong: no panic, no hang, and an answer that names the place.

use super::files::{ARTICULATED, DOOR, EVERYTHING};
use super::recordings::recorded;
use std::time::{Duration, Instant};
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
        match random.below(7) {
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

/// Reads and builds a damaged scene file, and makes a step; whether it was refused.
fn scene_file(text: &str, random: &mut Random) -> bool {
    let bytes = mutate(text.as_bytes(), WORDS, random);
    // Bytes that are no text are answered by `load`.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let outcome = file::parse(text.clone(), "m.toml", ".").and_then(|scene| {
        let mut run = scene.setup().start()?;
        if run.world().body_count() < 2000 { run.step() } else { Ok(()) }
    });
    match outcome {
        Ok(()) => false,
        // What the engine refuses only in a step has no place in the file.
        Err(Error::Engine { source, .. }) => {
            assert!(!source.to_string().contains("panicked"), "{source}\n{text}");
            false
        }
        Err(Error::File(error)) => {
            assert!(error.line > 0 && error.column > 0 && !error.message.is_empty(), "{error}\n{text}");
            assert!(!error.message.contains('\n'), "{error}");
            true
        }
        Err(other) => panic!("without a place: {other}\n{text}"),
    }
}

#[test]
fn scene_files() {
    let texts = texts();
    let mut random = Random(1);
    let (mut refused, mut slowest) = (0, Duration::ZERO);
    for i in 0..1000 {
        let begin = Instant::now();
        refused += u32::from(scene_file(&texts[i % 4], &mut random));
        slowest = slowest.max(begin.elapsed());
    }
    println!("{refused} of 1000 refused, the slowest took {slowest:?}");
    // Most mutations break something; some only change a number or a comment.
    assert!(refused > 300, "{refused}");
    assert!(slowest < Duration::from_secs(20), "{slowest:?}");
}

const RECORDING_WORDS: &[&[u8]] = &[b"\0", b"\xff\xff\xff\xff", b"\x01\0\0\0\0", b"TUMBLREC", b"{}", b"[]"];

/// Reads a damaged recording and replays what is there; whether it was refused, or cut short.
fn recording(bytes: &[u8], random: &mut Random) -> (bool, bool) {
    match Recording::read(mutate(bytes, RECORDING_WORDS, random)) {
        Ok(recording) => {
            // A snapshot may have been hit too; then the engine says so.
            if let Ok(replay) = recording.replay(|_| true) {
                assert!(replay.steps <= recording.steps());
            }
            (false, !recording.is_whole())
        }
        Err(error) => {
            assert!(error.to_string().starts_with("recording: "), "{error}");
            (true, false)
        }
    }
}

/// Whatever the bytes, they are read up to something whole or refused.
#[test]
fn recordings() {
    let (bytes, _) = recorded(10, 0);
    let mut random = Random(2);
    let (mut refused, mut cut) = (0, 0);
    for _ in 0..1000 {
        let (no, short) = recording(&bytes, &mut random);
        refused += u32::from(no);
        cut += u32::from(short);
    }
    println!("{refused} refused, {cut} cut short");
    assert!(refused + cut > 900);
}

/// The same for an hour (or `TUMBLE_FUZZ_SECONDS`), with other files every time: what is mutated is what came of a mutation before, where
/// that was still a scene.
#[test]
#[ignore = "long: an hour of damaged files"]
fn an_hour_of_damaged_files() {
    let seconds = std::env::var("TUMBLE_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3600);
    let end = Instant::now() + Duration::from_secs(seconds);
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    println!("seed {seed}");
    let mut random = Random(seed);
    let (texts, (bytes, _)) = (texts(), recorded(30, 1 << 20));
    let meshes = super::meshes::all_formats(&super::meshes::bench());
    let mut count = 0_u64;
    while Instant::now() < end {
        for text in &texts {
            scene_file(text, &mut random);
        }
        recording(&bytes, &mut random);
        for (format, bytes) in &meshes {
            super::meshes::damaged(bytes, *format, &mut random, count.is_multiple_of(100));
        }
        count += 1;
    }
    println!("{count} rounds of eleven files");
}
