//! Inverse kinematics against forward kinematics.

use super::{rod, sleepless};
use crate::random::Random;
use tumble::articulation::{ArticulationDesc, Coupling, Dof, LinkDesc, Reach, Swing};
use tumble::math::{Float, Quat, Vec3};
use tumble::{ArticulationId, World};

const LIMIT: f64 = 1.2;

/// An arm of seven hinges about axes that alternate, all with limits.
fn arm(world: &mut World) -> ArticulationId {
    let mut desc = ArticulationDesc::new();
    for i in 0..7 {
        let axis = [Vec3::Y, Vec3::Z, Vec3::X][i % 3];
        let link =
            LinkDesc::revolute(rod(), axis).anchor([0.0, -0.25, 0.0]).dof(0, Dof::default().limits(-LIMIT, LIMIT));
        let link = link.position(&[0.2]);
        desc.add(if i == 0 { link } else { link.parent(i - 1).at([0.0, 0.25, 0.0]) });
    }
    world.add_articulation(desc).unwrap()
}

/// Places and orientations that some coordinates within the limits lead to are found; never outside the limits. From where the arm
/// is alone, a third of the orientations are not.
#[test]
fn arm_finds_what_it_can_reach() {
    let mut world = sleepless();
    let id = arm(&mut world);
    let start = world.articulation(id).unwrap().position().to_vec();
    let mut random = Random::new(11);
    let (mut places, mut turns, mut at_once) = (0, 0, 0);
    for _ in 0..40 {
        let q: Vec<f64> = (0..7).map(|_| random.between(-1.0, 1.0)).collect();
        world.articulation_mut(id).unwrap().set_position(&q).unwrap();
        let tip = world.articulation(id).unwrap().link(6).unwrap();
        let place = world.body(tip).unwrap().to_world([0.0, 0.25, 0.0]);
        let rotation = world.body(tip).unwrap().rotation().to_f64();
        world.articulation_mut(id).unwrap().set_position(&start).unwrap();
        let tree = world.articulation(id).unwrap();
        let found = tree.reach(6, &Reach::point(place).of([0.0, 0.25, 0.0])).unwrap();
        assert!(found.position.iter().all(|q| q.abs() <= LIMIT + 1e-12));
        places += i32::from(found.distance < 1e-5);
        let target = Reach::point(place).of([0.0, 0.25, 0.0]).turned(rotation);
        let found = tree.reach(6, &target.starts(1)).unwrap();
        at_once += i32::from(found.distance < 1e-5 && found.angle < 1e-5);
        let found = tree.reach(6, &target).unwrap();
        assert!(found.position.iter().all(|q| q.abs() <= LIMIT + 1e-12));
        turns += i32::from(found.distance < 1e-5 && found.angle < 1e-5);
        // What it says is so.
        world.articulation_mut(id).unwrap().set_position(&found.position).unwrap();
        let there = world.body(tip).unwrap().to_world([0.0, 0.25, 0.0]);
        assert!(((there - place).length() - found.distance).abs() < 1e-5);
    }
    println!("{places} and {turns} of 40, {at_once} at once");
    assert_eq!((places, turns), (40, 40));
    assert!((28..40).contains(&at_once), "{at_once} with orientation from one start");
}

/// Ball joints with cones: as near as the cone lets the arm come, and the cone holds.
#[test]
fn cones_bound_the_reach() {
    let mut world = sleepless();
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::spherical(rod()).anchor([0.0, -0.25, 0.0]).swing(Swing::new(Vec3::Y, 0.5).twist(-0.3, 0.3)));
    let id = world.add_articulation(desc).unwrap();
    let wanted = Vec3::new(0.5 * Float::sin(1.5), 0.5 * Float::cos(1.5), 0.0);
    let found = world.articulation(id).unwrap().reach(0, &Reach::point(wanted).of([0.0, 0.25, 0.0])).unwrap();
    let q = &found.position;
    let tip = Quat::new(q[0], q[1], q[2], q[3]).rotate(Vec3::new(0.0, 0.5, 0.0));
    let angle = Float::acos((tip.y / 0.5).clamp(-1.0, 1.0));
    assert!((angle - 0.5).abs() < 0.02 && tip.x > 0.2, "{angle} {tip:?}");
    assert!((found.distance - (tip - wanted).length()).abs() < 1e-9);
}

/// A floating tree reaches with its limbs: its root does not move. Targets that are no numbers are refused.
#[test]
fn floating_root_stays() {
    let mut world = sleepless();
    let mut desc = ArticulationDesc::new();
    let root = desc.add(LinkDesc::free(rod()).position(&[0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
    let arm = desc.add(LinkDesc::revolute(rod(), Vec3::Z).parent(root).at([0.0, 0.25, 0.0]).anchor([0.0, -0.25, 0.0]));
    let id = world.add_articulation(desc).unwrap();
    let tree = world.articulation(id).unwrap();
    let found = tree.reach(arm, &Reach::point([0.25, 5.25, 0.0])).unwrap();
    assert_eq!(found.position[..7], tree.position()[..7]);
    assert!(found.distance < 1e-5, "{}", found.distance);
    assert!(tree.reach(9, &Reach::point([0.0; 3])).is_err());
    assert!(tree.reach(arm, &Reach::point([f64::NAN, 0.0, 0.0])).is_err());
    assert!(tree.reach(arm, &Reach::point([0.0; 3]).turned(Quat::new(0.0, 0.0, 0.0, 0.0))).is_err());
    let far = tree.reach(arm, &Reach::point([1e30, 0.0, 0.0])).unwrap();
    assert!(far.position.iter().all(|q| q.is_finite()));
}

/// What is coupled moves together on the way to a target: a finger whose second joint follows its first, one joint of another branch that
/// goes along, and the limits of all of them.
#[test]
fn couplings_hold_on_the_way() {
    let mut world = sleepless();
    let mut desc = ArticulationDesc::new();
    let hinge = || LinkDesc::revolute(rod(), Vec3::Z).anchor([0.0, -0.25, 0.0]);
    let base = desc.add(LinkDesc::revolute(rod(), Vec3::X).anchor([0.0, -0.25, 0.0]).position(&[0.2]));
    let first = desc.add(hinge().parent(base).at([0.0, 0.25, 0.0]).position(&[0.3]));
    let second = desc.add(hinge().parent(first).at([0.0, 0.25, 0.0]).position(&[0.7]));
    let aside = desc.add(hinge().at([2.0, 0.0, 0.0]).position(&[-0.6]).dof(0, Dof::default().limits(-2.0, 0.5)));
    desc.couple(Coupling::new((first, 0), (second, 0), 2.0).offset(0.1));
    desc.couple(Coupling::new((aside, 0), (first, 0), -0.5));
    let id = world.add_articulation(desc).unwrap();
    let tip = world.articulation(id).unwrap().link(second).unwrap();
    let start = world.articulation(id).unwrap().position().to_vec();
    let mut random = Random::new(3);
    for _ in 0..20 {
        // Somewhere that it can go, and somewhere that its limits or its couplings keep it from.
        let bend = random.between(-0.2, 0.95);
        let q = [random.between(-1.0, 1.0), bend, 2.0 * bend + 0.1, -2.0 * bend];
        world.articulation_mut(id).unwrap().set_position(&q).unwrap();
        let place = world.body(tip).unwrap().to_world([0.0, 0.25, 0.0]);
        world.articulation_mut(id).unwrap().set_position(&start).unwrap();
        for (place, there) in [(place, true), (place + Vec3::new(1.0, 0.5, 0.0), false)] {
            let found =
                world.articulation(id).unwrap().reach(second, &Reach::point(place).of([0.0, 0.25, 0.0])).unwrap();
            let q = &found.position;
            assert!((q[2] - 2.0 * q[1] - 0.1).abs() < 1e-9 && (q[1] + 0.5 * q[3]).abs() < 1e-9, "{q:?}");
            assert!((-2.0 - 1e-9..=0.5 + 1e-9).contains(&q[3]), "{q:?}");
            assert!(!there || found.distance < 1e-5, "{} m off at {q:?}", found.distance);
        }
    }
}

/// A joint that leads another at no ratio, which so stands, moves all the same.
#[test]
fn who_leads_nobody_moves() {
    let mut world = sleepless();
    let mut desc = ArticulationDesc::new();
    let hinge = || LinkDesc::revolute(rod(), Vec3::Z).anchor([0.0, -0.25, 0.0]);
    let first = desc.add(hinge());
    let second = desc.add(hinge().at([2.0, 0.0, 0.0]));
    desc.couple(Coupling::new((first, 0), (second, 0), 0.0));
    let id = world.add_articulation(desc).unwrap();
    let target = Reach::point([0.35, 0.1, 0.0]).of([0.0, 0.25, 0.0]);
    let found = world.articulation(id).unwrap().reach(first, &target).unwrap();
    assert!(found.position[0].abs() > 0.5 && found.position[1].abs() < 1e-9, "{:?}", found.position);
}
