//! Recordings: the same bits again, the first step where they part, and files that were cut short.

use super::mutated::{frames, sealed, sealed_as};
use tumble::math::{Real, Vec3};
use tumble::method::Validator;
use tumble::shape::Shape;
use tumble::{BodyDesc, Method, World};
use tumble_scene::recording::{Input, Recorder, Recording};
use tumble_scene::{Scene, library};

const DT: f64 = 1.0 / 60.0;
const INF: f64 = f64::INFINITY;

fn world() -> World {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..3 {
        let cube = Shape::cuboid(0.5, 0.5, 0.5).unwrap();
        world.add_body(BodyDesc::dynamic().position([0.0, 0.5 + f64::from(i), 0.0]).collider(cube)).unwrap();
    }
    world
}

/// The checksum of frames, FNV-1a.
pub fn fnv(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// A recording with pushes, a new method, other gravity, and a body that is added on the way.
pub fn recorded(steps: u64, budget: u64) -> (Vec<u8>, Vec<u64>) {
    let mut world = world();
    let top = world.body_ids().last().unwrap();
    let mut recorder = Recorder::with_budget(Vec::new(), "test", &world, budget).unwrap();
    let mut hashes = vec![world.hash()];
    for step in 0..steps {
        let inputs = match step {
            5 => vec![Input::impulse(top, [300.0, 0.0, 0.0]), Input::Gravity([0.0, -5.0, 0.3])],
            9 => {
                let bounds = Validator::WorldBounds { min: [-INF, -100.0, -INF], max: [INF; 3] };
                vec![Input::Method(Box::new(Method { validators: vec![bounds], ..Method::simultaneous() }))]
            }
            11 => vec![
                Input::Force { body: top.to_bits(), force: [1.0, 2.0, 3.0], torque: [0.1, 0.2, 0.3] },
                Input::Impulse { body: top.to_bits(), impulse: [1.0, 0.0, 0.0], point: Some([0.0, 3.0, 0.1]) },
            ],
            13 => vec![Input::Velocity { body: top.to_bits(), linear: [0.1, 0.0, 0.0], angular: [0.0, 1.0, 0.0] }],
            _ => Vec::new(),
        };
        for input in &inputs {
            input.apply(&mut world).unwrap();
        }
        if !inputs.is_empty() {
            recorder.inputs(&inputs).unwrap();
        }
        if step == 15 {
            let ball = Shape::sphere(0.3).unwrap();
            world.add_body(BodyDesc::dynamic().position([0.0, 5.0, 0.0]).collider(ball)).unwrap();
            recorder.edited(&world).unwrap();
        }
        world.step(1.0 / 60.0).unwrap();
        recorder.step(&world, DT).unwrap();
        hashes.push(world.hash());
    }
    (recorder.finish().unwrap(), hashes)
}

/// An input that could not be read again is refused at once, and what was recorded before and after it stays readable.
#[test]
fn inputs_without_numbers_are_refused() {
    let mut world = world();
    let top = world.body_ids().last().unwrap();
    let mut recorder = Recorder::new(Vec::new(), "test", &world).unwrap();
    for bad in [Real::NAN, Real::INFINITY] {
        assert!(recorder.inputs(&[Input::impulse(top, [bad, 0.0, 0.0])]).is_err());
    }
    world.step(1.0 / 60.0).unwrap();
    recorder.step(&world, DT).unwrap();
    let recording = Recording::read(recorder.finish().unwrap()).unwrap();
    assert!(recording.is_whole() && recording.replay(|_| true).unwrap().diverged_at.is_none());
}

/// A recording of version 1, which had whole worlds and no patches, is read and replays. What a version does not know is refused.
#[test]
fn recordings_of_version_1_are_read() {
    let (bytes, hashes) = recorded(40, 0);
    let mut all = frames(&bytes);
    let world = all.iter().position(|frame| frame.0 == 5).unwrap();
    assert!(all.iter().all(|frame| frame.0 < 6));
    let recording = Recording::read(sealed_as(1, &all)).unwrap();
    assert!(recording.is_whole());
    let replay = recording.replay(|_| true).unwrap();
    assert_eq!((replay.steps, replay.diverged_at, replay.hash), (40, None, hashes[40]));
    assert_eq!(recording.world_at(20).unwrap().hash(), hashes[20]);
    for version in [0, 3] {
        let refused = Recording::read(sealed_as(version, &all)).unwrap_err().to_string();
        assert!(refused.contains(&format!("version {version} of the format")), "{refused}");
    }
    all[world].0 = 6;
    assert!(Recording::read(sealed_as(2, &all)).is_ok());
    let refused = Recording::read(sealed_as(1, &all)).unwrap_err().to_string();
    assert!(refused.ends_with("there is no kind 6 of frames"), "{refused}");
}

/// So many steps of a scene, with what it does to its world in between, come out the same from their recording.
fn assert_replays(scene: &Scene, steps: u64) {
    let mut run = scene.setup().start().unwrap();
    let mut recorder = Recorder::new(Vec::new(), run.scene(), run.world()).unwrap();
    for _ in 0..steps {
        if run.act().unwrap() {
            recorder.edited(run.world()).unwrap();
        }
        run.step().unwrap();
        recorder.step(run.world(), run.dt()).unwrap();
    }
    let replay = Recording::read(recorder.finish().unwrap()).unwrap().replay(|_| true).unwrap();
    assert_eq!((replay.steps, replay.diverged_at, replay.hash), (steps, None, run.world().hash()), "{}", scene.name);
}

/// Every scene of the library, driven ones too.
#[test]
fn every_scene_replays() {
    for scene in library::scenes() {
        assert_replays(&scene, 40);
    }
}

/// What a scene does to its world is in the recording too: the logo is glued together after a second.
#[test]
fn cues_are_recorded() {
    assert_replays(&library::find("logo").unwrap(), 75);
}

/// Everything that was done is done again, and every step can be gone to, from a keyframe or from the beginning.
#[test]
fn a_replay_gives_the_same_bits() {
    let (bytes, hashes) = recorded(200, 1 << 20);
    let recording = Recording::read(bytes).unwrap();
    assert!(recording.is_whole() && recording.steps() == 200);
    assert!((recording.seconds() - 200.0 * DT).abs() < 1e-9);
    let replay = recording.replay(|_| true).unwrap();
    assert_eq!((replay.steps, replay.diverged_at, replay.hash), (200, None, hashes[200]));
    assert_eq!(recording.keyframes().collect::<Vec<_>>(), [0, 60, 120, 180]);
    for step in [0, 1, 6, 16, 59, 60, 61, 119, 121, 200] {
        let world = recording.world_at(step).unwrap();
        assert_eq!((world.steps(), world.hash()), (step, hashes[step as usize]), "step {step}");
        assert_eq!(recording.hash_after(step), (step > 0).then(|| hashes[step as usize]));
    }
    assert!(recording.world_at(201).is_err());
}

/// A recording may begin at the last number that a step can have. Nothing comes after that one.
#[test]
fn the_last_number_is_reached() {
    let (bytes, hashes) = recorded(3, 0);
    assert!(Recording::read(bytes.clone()).unwrap().world_at(u64::MAX).is_err());
    let mut all = frames(&bytes);
    let end = all.pop().unwrap();
    all.truncate(2);
    all[1].1[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    all.push(end);
    let recording = Recording::read(sealed(&all)).unwrap();
    assert_eq!(recording.world_at(u64::MAX).unwrap().hash(), hashes[0]);
    assert!(recording.world_at(u64::MAX - 1).is_err());
    // A step of the number 0 does not follow.
    let step = frames(&bytes).into_iter().find(|frame| frame.0 == 2).unwrap();
    all.insert(2, (2, [&[0; 8], &step.1[8..]].concat()));
    let refused = Recording::read(sealed(&all)).unwrap_err().to_string();
    assert!(refused.contains("step 0 does not follow"), "{refused}");
}

/// However long a run is, keyframes take no more than their budget, and they reach far into it.
#[test]
fn keyframes_keep_their_budget() {
    let mut world = world();
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
    }
    let size = world.snapshot().unwrap().len() as u64;
    let (bytes, _) = recorded(3000, 12 * size);
    let recording = Recording::read(bytes.clone()).unwrap();
    let steps: Vec<u64> = recording.keyframes().collect();
    assert!((4..=12).contains(&steps.len()), "{steps:?}");
    assert!(steps.last().unwrap() > &300, "{steps:?}");
    assert!(steps.windows(3).all(|w| w[2] - w[1] >= w[1] - w[0]), "{steps:?}");
    // Without any budget the beginning is still there.
    let (bytes, _) = recorded(100, 0);
    assert_eq!(Recording::read(bytes).unwrap().keyframes().collect::<Vec<_>>(), [0]);
}

/// A scene that is driven before every step is recorded by what that changes, not by the whole world: the recording stays within
/// its budget and a few hundred bytes for each step, replays to the bit, and any step can be gone to.
#[test]
fn driven_scenes_keep_their_budget() {
    for name in ["stewart-platform", "quadruped"] {
        let scene = library::find(name).unwrap();
        let mut run = scene.setup().start().unwrap();
        let size = run.world().snapshot().unwrap().len() as u64;
        let (steps, budget) = (300, 4 * size);
        let mut recorder = Recorder::with_budget(Vec::new(), name, run.world(), budget).unwrap();
        let (mut edits, mut hashes) = (0, vec![run.world().hash()]);
        for _ in 0..steps {
            if run.act().unwrap() {
                recorder.edited(run.world()).unwrap();
                edits += 1;
            }
            run.step().unwrap();
            recorder.step(run.world(), run.dt()).unwrap();
            hashes.push(run.world().hash());
        }
        let bytes = recorder.finish().unwrap();
        let each = (bytes.len() as u64 - budget.min(bytes.len() as u64)) / steps;
        println!(
            "{name}: {edits} edits, snapshots of {size} bytes, {} bytes in all, {each} for each step",
            bytes.len()
        );
        assert!(edits > steps / 2 && each < 400, "{name}: {edits} edits, {each} bytes for each step");
        let recording = Recording::read(bytes).unwrap();
        assert_eq!(recording.replay(|_| true).unwrap().diverged_at, None);
        for step in [1, 2, 3, 17, 150, 299, 300] {
            assert_eq!(recording.world_at(step).unwrap().hash(), hashes[step as usize], "{name}: step {step}");
        }
    }
}

/// Whatever is done between two steps, pushes and edits in any order, is done again.
#[test]
fn pushes_and_edits_come_back_in_their_order() {
    let mut world = world();
    let top = world.body_ids().last().unwrap();
    let mut recorder = Recorder::new(Vec::new(), "test", &world).unwrap();
    let push = Input::impulse(top, [10.0, 0.0, 0.0]);
    for step in 0..24 {
        for bit in 0..3 {
            match step >> bit & 1 {
                0 => {
                    push.apply(&mut world).unwrap();
                    recorder.inputs(std::slice::from_ref(&push)).unwrap();
                }
                _ => {
                    let ball = Shape::sphere(0.3).unwrap();
                    let at = [f64::from(step), 5.0 + f64::from(bit), 0.0];
                    world.add_body(BodyDesc::dynamic().position(at).collider(ball)).unwrap();
                    recorder.edited(&world).unwrap();
                }
            }
        }
        world.step(1.0 / 60.0).unwrap();
        recorder.step(&world, DT).unwrap();
    }
    let replay = Recording::read(recorder.finish().unwrap()).unwrap().replay(|_| true).unwrap();
    assert_eq!((replay.steps, replay.diverged_at, replay.hash), (24, None, world.hash()));
}

/// What comes and goes is recorded by itself, though it shifts all that lies behind it in the snapshot.
#[test]
fn bodies_that_come_and_go_take_little() {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let ball =
        |x: i32| BodyDesc::dynamic().position([3.0 * f64::from(x), 1.0, 0.0]).collider(Shape::sphere(1.0).unwrap());
    for x in 1..201 {
        world.add_body(ball(x)).unwrap();
    }
    let mut recorder = Recorder::new(Vec::new(), "test", &world).unwrap();
    for step in 0..40 {
        let id = world.add_body(ball(-step)).unwrap();
        if step % 3 == 2 {
            let before = world.body_ids().nth(50).unwrap();
            world.remove_body(before).unwrap();
            world.body_mut(id).unwrap().set_force([0.0, 1.0, 0.0]).unwrap();
        }
        recorder.edited(&world).unwrap();
        world.step(1.0 / 60.0).unwrap();
        recorder.step(&world, DT).unwrap();
    }
    let (size, bytes) = (world.snapshot().unwrap().len(), recorder.finish().unwrap());
    let edits: Vec<usize> = frames(&bytes).iter().filter(|frame| frame.0 == 6).map(|frame| frame.1.len()).collect();
    let longest = edits.iter().copied().max().unwrap_or(0);
    println!("snapshots of {size} bytes, {} edits, the longest of {longest} bytes", edits.len());
    assert!(edits.len() >= 38 && longest < 6_000, "{longest} of {size}: {edits:?}");
    assert_eq!(Recording::read(bytes).unwrap().replay(|_| true).unwrap().diverged_at, None);
}

/// A step that comes out otherwise is named, and it is the first one.
#[test]
fn the_first_step_that_differs_is_named() {
    let (bytes, _) = recorded(30, 0);
    let recording = Recording::read(bytes.clone()).unwrap();
    let hash = recording.hash_after(17).unwrap().to_le_bytes();
    let at = bytes.windows(8).position(|w| w == hash).unwrap();
    let mut changed = bytes;
    changed[at] ^= 1;
    // The frame is whole but for its checksum: it counts as the place where the file was cut.
    assert_eq!(Recording::read(changed.clone()).unwrap().steps(), 16);
    // With a checksum that fits, it is another world.
    let start = at - 8 - 8 - 5;
    let sum = fnv(&changed[start..at + 8]);
    changed[at + 8..at + 12].copy_from_slice(&sum.to_le_bytes());
    let recording = Recording::read(changed).unwrap();
    assert_eq!(recording.steps(), 30);
    assert_eq!(recording.replay(|_| true).unwrap().diverged_at, Some(17));
}

/// A file that was cut anywhere opens up to its last whole frame, and what is there replays.
#[test]
fn cut_files_open_up_to_their_last_whole_frame() {
    let (bytes, hashes) = recorded(20, 0);
    let mut most = 0;
    for length in 0..bytes.len() {
        match Recording::read(bytes[..length].to_vec()) {
            Ok(recording) => {
                assert!(!recording.is_whole() && recording.steps() >= most);
                if recording.steps() > most {
                    most = recording.steps();
                    let replay = recording.replay(|_| true).unwrap();
                    assert_eq!((replay.steps, replay.hash), (most, hashes[most as usize]));
                }
            }
            // Before the first snapshot there is nothing to open.
            Err(error) => assert!(most == 0 && error.to_string().starts_with("recording: "), "{length}: {error}"),
        }
    }
    assert_eq!(most, 20);
}

/// A scene that acts on its world before steps is recorded with what it did: trapdoors let go after a second.
#[test]
fn driven_scenes_come_back() {
    let mut run = tumble_scene::library::find("trapdoors").unwrap().setup().start().unwrap();
    let mut recorder = Recorder::new(Vec::new(), "trapdoors", run.world()).unwrap();
    let mut edits = 0;
    for _ in 0..70 {
        if run.act().unwrap() {
            edits += 1;
            recorder.edited(run.world()).unwrap();
        }
        run.step().unwrap();
        recorder.step(run.world(), run.dt()).unwrap();
    }
    assert_eq!(edits, 1);
    let recording = Recording::read(recorder.finish().unwrap()).unwrap();
    assert_eq!(recording.replay(|_| true).unwrap().diverged_at, None);
}
