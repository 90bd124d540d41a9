//! The same bits in every instruction set, over whole worlds. The lanes themselves are tested beside their code; the hashes
//! that are committed (`golden`) are compared between machines.

use crate::support::{Random, jointed, real};
use std::sync::Arc;
use tumble::constraint::joint::{Ball, Hinge};
use tumble::constraint::{Axis, Constraint, Frames, Limit, Motor, Rows};
use tumble::math::{Isa, Vec3};
use tumble::method::{JointSolve, Step};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, ColliderDesc, JointDesc, JointKind, Locks, Material, Method, Softness, World};

/// A heap of different shapes and materials on a floor: groups of lanes that are full, partly full, of one and of four
/// points, with and without friction, restitution and rolling friction.
fn heap(seed: u64, bodies: usize) -> World {
    let mut random = Random(seed);
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for i in 0..bodies {
        let size = real(random.between(0.2, 0.5));
        let shape = match random.below(5) {
            0 => Shape::sphere(size),
            1 => Shape::cuboid(size, real(0.3), size),
            2 => Shape::capsule(real(0.2), size),
            3 => Shape::cylinder(size, real(0.3)),
            _ => Shape::hull(&(0..12).map(|_| random.vector(0.5)).collect::<Vec<_>>()),
        };
        let material = Material {
            static_friction: real(random.between(0.4, 1.0)),
            dynamic_friction: real(random.between(0.0, 0.4)),
            restitution: real(random.between(0.0, 0.8)),
            rolling_friction: if random.below(3) == 0 { real(0.01) } else { 0.0 },
            spinning_friction: if random.below(3) == 0 { real(0.01) } else { 0.0 },
            ..Material::default()
        };
        let at = [random.between(-2.0, 2.0), 0.6 + 0.15 * i as f64, random.between(-2.0, 2.0)];
        let desc = BodyDesc::dynamic().position(at).rotation(random.rotation()).angular_velocity(random.vector(4.0));
        world.add_body(desc.collider(ColliderDesc::new(shape.unwrap()).material(material))).unwrap();
    }
    world
}

/// One, four and eight lanes (in `f64` one, two and four) give the same bits after every step, however many manifolds the
/// last group of a colour holds.
#[test]
fn every_width_gives_the_same_bits() {
    let sets = Isa::available();
    let widths: Vec<usize> = sets.iter().map(|isa| isa.width()).collect();
    assert!(widths.len() >= 2 && widths[0] == 1, "nothing to compare: {widths:?}");
    for (seed, bodies) in [(1, 3), (2, 9), (3, 17), (4, 40)] {
        let mut worlds: Vec<World> = sets
            .iter()
            .map(|&isa| {
                let mut world = heap(seed, bodies);
                world.set_isa(isa);
                world
            })
            .collect();
        for step in 0..150 {
            for world in &mut worlds {
                world.step(real(1.0 / 60.0)).unwrap();
            }
            let first = worlds[0].hash();
            for (world, isa) in worlds.iter().zip(&sets) {
                assert_eq!(world.hash(), first, "{isa:?} against {:?}, seed {seed}, step {step}", sets[0]);
            }
        }
        assert!(worlds[0].profile().points > 0, "seed {seed}: nothing touches at the end");
    }
}

/// The same for joints of every form, in groups that are full and groups that are not, and for bodies that are stopped on their way.
#[test]
fn every_width_gives_the_same_bits_with_joints() {
    let sets = Isa::available();
    for (size, steps) in [(3, 60), (9, 40)] {
        let mut worlds: Vec<World> = sets
            .iter()
            .map(|&isa| {
                let mut world = jointed(size);
                world.set_isa(isa);
                world
            })
            .collect();
        for step in 0..steps {
            for world in &mut worlds {
                world.step(real(1.0 / 60.0)).unwrap();
            }
            let first = worlds[0].hash();
            for (world, isa) in worlds.iter().zip(&sets) {
                assert_eq!(world.hash(), first, "{isa:?} against {:?}, size {size}, step {step}", sets[0]);
            }
        }
        assert!(worlds[0].profile().points > 0, "size {size}: nothing touches at the end");
    }
}

/// A joint of a user's own with the rows of another.
#[derive(Debug)]
struct Twin<K>(K);

impl<K: Constraint> Constraint for Twin<K> {
    fn name(&self) -> &str {
        "twin"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        self.0.rows(frames, out);
    }
}

/// Joints in lanes do what the same joints do row by row, in sweeps and as a whole web, and bear the same forces. Each kind stands beside one that no lane holds, since it is a user's own, or has a
/// part that never acts: a motor without force. Their roundings differ, and two arms that swing make more of that.
#[test]
fn lanes_do_what_rows_do() {
    let still = Motor::friction(0.0);
    let stop = Limit::new(real(-0.4), real(0.3));
    let pairs: [[JointKind; 2]; 3] = [
        [Ball::default().into(), JointKind::Custom(Arc::new(Twin(Ball::default())))],
        [Hinge::default().into(), JointKind::Custom(Arc::new(Twin(Hinge::default())))],
        [Hinge { turn: Axis::FREE.limit(stop) }.into(), Hinge { turn: Axis::FREE.limit(stop).motor(still) }.into()],
    ];
    let solves = [JointSolve::Sweeps, JointSolve::Whole];
    for (kinds, solve) in pairs.iter().flat_map(|kinds| solves.map(|solve| (kinds.clone(), solve))) {
        let name = format!("{:?}, {solve:?}", kinds[1]);
        let [in_lanes, by_rows] = kinds.map(|kind| {
            let mut method = Method::soft_step();
            if let Step::SoftStep(step) = &mut method.step {
                step.joint_solve = solve;
            }
            let mut world = World::with_method(method).unwrap();
            let (mut last, mut joints) = (World::BODY, Vec::new());
            for i in 0..2 {
                let desc =
                    BodyDesc::dynamic().position([0.5 + f64::from(i), 0.0, 0.0]).angular_velocity([0.5, 0.2, 0.0]);
                let arm = world.add_body(desc.collider(Shape::cuboid(0.5, 0.1, 0.2).unwrap())).unwrap();
                let joint = JointDesc::new(last, arm, kind.clone()).anchor([f64::from(i), 0.0, 0.0]);
                joints.push(world.add_joint(joint.axis([0.0, 0.1, 1.0])).unwrap());
                last = arm;
            }
            for _ in 0..60 {
                world.step(real(1.0 / 60.0)).unwrap();
            }
            let pose = world.body(last).unwrap().pose();
            let force = joints.iter().fold(Vec3::ZERO, |sum, joint| sum + world.joint(*joint).unwrap().force());
            (pose.translation, pose.rotation.to_f64(), force.to_f64())
        });
        let off = (in_lanes.0 - by_rows.0).length() + in_lanes.1.angle_to(by_rows.1);
        // Forces follow accelerations, which roundings disturb more than places: they count by a tenth.
        let off = off + 0.1 * (in_lanes.2 - by_rows.2).length() / in_lanes.2.length();
        assert!(off < if cfg!(tumble_f64) { 1e-9 } else { 1e-3 }, "{name}: {off:e} apart");
    }
}

/// Restoring, restarting, emptying and copying a world keep the instruction set that was chosen.
#[test]
fn the_instruction_set_stays() {
    let mut world = heap(5, 2);
    world.set_isa(Isa::SCALAR);
    world.step(real(0.01)).unwrap();
    let saved = world.snapshot().unwrap();
    assert_eq!(world.clone().isa(), Isa::SCALAR);
    world.restart().unwrap();
    assert_eq!(world.isa(), Isa::SCALAR);
    world.restore(&saved).unwrap();
    assert_eq!(world.isa(), Isa::SCALAR);
    world.reset();
    assert_eq!(world.isa(), Isa::SCALAR);
}

/// Boxes that slide along a floor, all with one manifold each; with `odd` ones between them whose groups hold more than others: with locked axes, with belts, soft, and braked in
/// spinning.
fn sliding(odd: bool, floor_last: bool) -> (World, Vec<BodyId>, Vec<BodyId>) {
    let mut world = World::new();
    let floor = BodyDesc::fixed().position([3000.0, -0.5, 0.0]).collider(Shape::cuboid(1000.0, 0.5, 1000.0).unwrap());
    if !floor_last {
        world.add_body(floor.clone()).unwrap();
    }
    let (mut plain, mut others) = (Vec::new(), Vec::new());
    for i in 0..13 {
        let desc = |z: f64| {
            let at = [3000.0 + 2.0 * f64::from(i), 0.5, z];
            let speed = Vec3::new(real(0.3), 0.0, real(0.5 + 0.1 * f64::from(i)));
            BodyDesc::dynamic().position(at).linear_velocity(speed).angular_velocity(Vec3::new(0.0, 2.0, 0.0))
        };
        let cube = |material: Material| ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).material(material);
        plain.push(world.add_body(desc(0.0).collider(cube(Material::default()))).unwrap());
        if odd {
            let belt = Material { surface_velocity: Vec3::new(-2.0, 0.0, 0.0), ..Material::default() };
            let soft = Softness { hertz: 4.0, damping_ratio: 0.3 };
            let desc = match i % 4 {
                0 => desc(100.0).locks(Locks::MOVE_Z.and(Locks::TURN)).collider(cube(Material::default())),
                1 => desc(100.0).collider(cube(belt)),
                2 => desc(100.0).collider(cube(Material { softness: Some(soft), ..Material::default() })),
                _ => desc(100.0).collider(cube(Material { spinning_friction: real(0.5), ..Material::default() })),
            };
            others.push(world.add_body(desc).unwrap());
        }
    }
    if floor_last {
        world.add_body(floor).unwrap();
    }
    (world, plain, others)
}

/// What few manifolds have is kept beside their groups: it does not change those in the other lanes, does what it should, and survives a snapshot.
#[test]
fn odd_manifolds_leave_their_group_alone() {
    for floor_last in [false, true] {
        let ((mut alone, of_alone, _), (mut mixed, of_mixed, odd)) =
            (sliding(false, floor_last), sliding(true, floor_last));
        let bits = |world: &World, ids: &[BodyId]| -> Vec<[u64; 4]> {
            let of = |id: BodyId| {
                let body = world.body(id).unwrap();
                let (p, v) = (body.position(), body.linear_velocity());
                [p.x, p.y, p.z, f64::from(v.z)].map(f64::to_bits)
            };
            ids.iter().map(|&id| of(id)).collect()
        };
        let mut copy = World::new();
        for step in 0..60 {
            alone.step(1.0 / 60.0).unwrap();
            mixed.step(1.0 / 60.0).unwrap();
            assert_eq!(bits(&alone, &of_alone), bits(&mixed, &of_mixed), "step {step}, floor last: {floor_last}");
            if step == 20 {
                copy.restore(&mixed.snapshot().unwrap()).unwrap();
            } else if step > 20 {
                copy.step(1.0 / 60.0).unwrap();
                assert_eq!(copy.hash(), mixed.hash(), "step {step}");
            }
        }
        let at = |id: BodyId| mixed.body(id).unwrap().position();
        assert_eq!(at(odd[0]).z, 100.0, "locked");
        // Free across, and braked there: v²/(2 μ g).
        let (slid, way) =
            (at(odd[0]).x - 3000.0, 0.3 * 0.3 / (2.0 * f64::from(Material::default().dynamic_friction) * 9.81));
        assert!((slid / way - 1.0).abs() < 0.2, "{slid} m of {way}");
        assert!((at(odd[1]).x - 3002.0).abs() > 0.5, "on a belt: {}", at(odd[1]).x);
        assert!(at(odd[2]).y < 0.49 && at(of_mixed[2]).y > 0.495, "soft: {} and {}", at(odd[2]).y, at(of_mixed[2]).y);
        let spin = |id: BodyId| mixed.body(id).unwrap().angular_velocity().y;
        assert!(spin(odd[3]).abs() < 0.01, "braked: {}", spin(odd[3]));
    }
}
