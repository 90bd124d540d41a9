//! What articulations refuse, and that a refused call changes nothing.

use super::{DT, chain, floor, rod};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, LinkJoint, Motor};
use tumble::math::{Real, Sym3, Vec3, WorldPose};
use tumble::shape::MassProperties;
use tumble::{BodyDesc, BodyKind, Locks, MassSource, World};

fn one(link: LinkDesc) -> ArticulationDesc {
    let mut desc = ArticulationDesc::new();
    desc.add(link);
    desc
}

#[test]
fn bad_descriptions_are_refused_by_name() {
    let mut world = World::new();
    floor(&mut world);
    let hinge = || LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]);
    let cases: Vec<(ArticulationDesc, &str)> = vec![
        (ArticulationDesc::new(), "no links"),
        (one(hinge().parent(0)), "parent must be a link before it"),
        (one(LinkDesc::revolute(rod(), [0.0; 3])), "axis must be finite and not zero"),
        (one(LinkDesc::revolute(rod(), [Real::NAN, 0.0, 0.0])), "axis"),
        (one(hinge().position(&[f64::INFINITY])), "position must be finite numbers"),
        (one(hinge().position(&[0.0, 1.0])), "position"),
        (one(hinge().velocity(&[f64::MAX]).anchor([0.0, 9.0, 0.0])), "range of numbers"),
        (one(hinge().at([f64::NAN, 0.0, 0.0])), "frame on the parent"),
        (one(hinge().dof(0, Dof { damping: -1.0, ..Dof::default() })), "joint damping must be not negative"),
        (one(hinge().dof(0, Dof::default().limits(1.0, -1.0))), "limits"),
        (one(hinge().dof(3, Dof::default())), "degrees of freedom"),
        (one(hinge().dof(0, Dof::default().motor(Motor::position(f64::NAN, 0.0)))), "motor stiffness"),
        (one(LinkDesc::spherical(rod()).dof(1, Dof::default().limits(0.0, 1.0))), "have no limits"),
        (one(LinkDesc::spherical(rod()).position(&[0.0; 4])), "quaternion"),
        (one(LinkDesc::revolute(BodyDesc::fixed(), [0.0, 0.0, 1.0])), "must be dynamic"),
        (one(hinge().massless()), "must not have colliders"),
        (one(LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 0.0, 1.0]).massless()), "nothing beyond it has a mass"),
        (one(LinkDesc::new(rod(), LinkJoint::Universal { first: Vec3::X, second: Vec3::X })), "must not be parallel"),
        (one(LinkDesc::revolute(rod().position([f64::NAN, 0.0, 0.0]), [0.0, 0.0, 1.0])), "position must be finite"),
    ];
    for (desc, expected) in cases {
        let error = world.add_articulation(desc).unwrap_err().to_string();
        assert!(error.contains(expected), "{error:?} does not say {expected:?}");
    }
    let mut child = one(hinge());
    child.add(LinkDesc::free(rod()).parent(0));
    assert!(world.add_articulation(child).unwrap_err().to_string().contains("without a parent"));
    // The first step would have looked for links that are not there.
    let mut half = one(hinge());
    half.add(LinkDesc::revolute(BodyDesc { active: false, ..rod() }, [0.0, 0.0, 1.0]).parent(0));
    assert!(world.add_articulation(half).unwrap_err().to_string().contains("active together"));
    // Slots that were used for a moment leave their generations behind; everything else is as it was.
    assert_eq!((world.body_count(), world.articulation_count()), (1, 0));
    world.audit().unwrap();
    world.step(DT).unwrap();
}

/// A massless link with a mass beyond it is taken; armature holds one without.
#[test]
fn massless_links_need_something_to_move() {
    let mut world = World::new();
    let massless = |axis: [Real; 3]| LinkDesc::revolute(BodyDesc::dynamic(), axis).massless();
    let mut held = one(massless([1.0, 0.0, 0.0]));
    held.add(LinkDesc::revolute(rod(), [0.0, 0.0, 1.0]).parent(0).anchor([0.0, 0.25, 0.0]));
    assert!(world.add_articulation(held.clone()).is_ok());
    // Two axes in one line: the first moves what the second already moves.
    held.links[0].joint = LinkJoint::Revolute { axis: Vec3::Z };
    assert!(world.add_articulation(held).is_err());
    let armature = massless([0.0, 0.0, 1.0]).dof(0, Dof { armature: 0.1, ..Dof::default() });
    let id = world.add_articulation(one(armature)).unwrap();
    // Nor may what resists it be taken away later.
    let hash = world.hash();
    let error = world.articulation_mut(id).unwrap().set_dof(0, 0, Dof::default()).unwrap_err().to_string();
    assert!(error.contains("resists"), "{error}");
    assert_eq!(world.hash(), hash);
    let less = Dof { armature: 0.05, ..Dof::default() };
    world.articulation_mut(id).unwrap().set_dof(0, 0, less).unwrap();
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    assert!(world.articulation(id).unwrap().velocity()[0].is_finite());
}

#[test]
fn links_refuse_what_their_joints_decide() {
    let mut world = World::new();
    let id = world.add_articulation(chain(3, 5.0, 0.2)).unwrap();
    let link = world.articulation(id).unwrap().link(1).unwrap();
    let hash = world.hash();
    let mut body = world.body_mut(link).unwrap();
    assert!(body.set_pose(WorldPose::IDENTITY).is_err());
    assert!(body.set_velocity([1.0, 0.0, 0.0], [0.0; 3]).is_err());
    assert!(body.set_kind(BodyKind::Fixed).is_err());
    assert!(body.set_locks(Locks::TURN_X).is_err());
    assert!(body.set_speed_limits(1.0, 1.0).is_err());
    assert!(world.remove_body(link).is_err());
    let mut tree = world.articulation_mut(id).unwrap();
    assert!(tree.set_position(&[0.0; 2]).is_err());
    assert!(tree.set_velocity(&[f64::NAN; 3]).is_err());
    assert!(tree.set_velocity(&[f64::MAX; 3]).is_err());
    assert!(tree.set_force(0, 1, 1.0).is_err());
    assert!(tree.set_force(7, 0, 1.0).is_err());
    assert!(tree.set_target(0, &[]).is_err());
    assert!(tree.apply_joint_impulse(0, 0, f64::INFINITY).is_err());
    let view = world.articulation(id).unwrap();
    assert!(view.inverse_dynamics(&[0.0]).is_err() && view.link(3).is_err() && view.jacobian(5, [0.0; 3]).is_err());
    assert_eq!(world.hash(), hash, "a refused call changes nothing");
}

/// Ids go stale, bodies go with their tree, slots are used again, and `reset` and `restart` know of trees.
#[test]
fn articulations_come_and_go() {
    let mut world = World::new();
    floor(&mut world);
    let first = world.add_articulation(chain(4, 5.0, 0.5)).unwrap();
    let links: Vec<_> = world.articulation(first).unwrap().links().collect();
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    world.remove_articulation(first).unwrap();
    assert!(world.articulation(first).is_err() && links.iter().all(|&l| world.body(l).is_err()));
    assert!(world.remove_articulation(first).is_err());
    let second = world.add_articulation(chain(4, 5.0, 0.5)).unwrap();
    assert_ne!(first, second);
    let body = world.articulation(second).unwrap().link(2).unwrap();
    world.body_mut(body).unwrap().set_active(false);
    let still = world.articulation(second).unwrap().position().to_vec();
    world.step(DT).unwrap();
    assert_eq!(world.articulation(second).unwrap().position(), still, "links rest all together");
    world.audit().unwrap();
    world.body_mut(body).unwrap().set_active(true);
    world.audit().unwrap();
    world.step(DT).unwrap();
    world.audit().unwrap();
    assert_ne!(world.articulation(second).unwrap().position(), still);
    let copy = World::from_snapshot(&world.snapshot().unwrap()).unwrap();
    assert_eq!(copy.hash(), world.hash());
    world.restart().unwrap();
    assert_eq!(world.articulation(first).unwrap().links().count(), 4);
    world.reset();
    assert_eq!((world.articulation_count(), world.body_count()), (0, 0));
    assert!(world.articulation(first).is_err());
}

/// A snapshot of a world with trees that is cut or changed anywhere is refused or restored, and never panics.
#[test]
fn damaged_snapshots_never_panic() {
    let mut world = World::new();
    floor(&mut world);
    world.add_articulation(chain(3, 1.0, 1.0)).unwrap();
    for _ in 0..40 {
        world.step(DT).unwrap();
    }
    let saved = world.snapshot().unwrap();
    for cut in (0..saved.len()).step_by(41) {
        assert!(World::from_snapshot(&saved[..cut]).is_err());
    }
}

/// A force beyond all bounds quarantines the whole tree and nothing else.
#[test]
fn lost_tree_is_quarantined_as_a_whole() {
    // Rates that are no numbers in the end; and such as are, of which the velocities of single links are not in `f32`.
    for force in [1e308, 1e45, 1e40, 1e36] {
        let mut world = World::new();
        let id = world.add_articulation(chain(3, 5.0, 0.2)).unwrap();
        let mut beside = chain(2, 5.0, 0.2);
        beside.links[0] = beside.links[0].clone().at([20.0, 5.0, 0.0]);
        let other = world.add_articulation(beside).unwrap();
        let links: Vec<_> = world.articulation(id).unwrap().links().collect();
        world.articulation_mut(id).unwrap().set_force(1, 0, force).unwrap();
        for _ in 0..5 {
            world.step(DT).unwrap();
        }
        world.audit().unwrap();
        assert!(links.iter().all(|&l| !world.body(l).unwrap().is_active()), "{force:e}");
        assert!(world.articulation(id).unwrap().position().iter().all(|q| q.is_finite()));
        let other = world.articulation(other).unwrap();
        assert!(other.links().all(|l| world.body(l).unwrap().is_active()));
    }
}

/// Nor may a mass be taken away from a link, or put where it resists nothing, if its joint needs it: what `add_articulation` refuses, no change
/// leads to.
#[test]
fn masses_that_joints_need_stay() {
    let of = |mass: f64, inertia: f64| MassProperties {
        mass,
        centre: Vec3::ZERO,
        inertia: Sym3::diagonal(Vec3::all(inertia)),
    };
    let mut world = World::new();
    let body = BodyDesc::dynamic().mass_properties(of(1.0, 0.1));
    let id = world.add_articulation(one(LinkDesc::revolute(body.clone(), [0.0, 0.0, 1.0]))).unwrap();
    let link = world.articulation(id).unwrap().link(0).unwrap();
    let hash = world.hash();
    for mass in [of(0.0, 0.0), of(1.0, 0.0)] {
        let error = world.body_mut(link).unwrap().set_mass(MassSource::Explicit(mass)).unwrap_err().to_string();
        assert!(error.contains("resists"), "{error}");
        assert_eq!(world.hash(), hash);
    }
    assert_eq!(world.body(link).unwrap().mass(), 1.0);
    world.body_mut(link).unwrap().set_mass(MassSource::Explicit(of(2.0, 0.1))).unwrap();
    // With something beyond it that resists, it can do without.
    let mut two = one(LinkDesc::revolute(body.clone(), [1.0, 0.0, 0.0]).at([5.0, 0.0, 0.0]));
    two.add(LinkDesc::revolute(body, [0.0, 0.0, 1.0]).parent(0));
    let id = world.add_articulation(two).unwrap();
    let link = world.articulation(id).unwrap().link(0).unwrap();
    world.body_mut(link).unwrap().set_mass(MassSource::Explicit(of(0.0, 0.0))).unwrap();
    world.step(DT).unwrap();
    assert!(world.articulation(id).unwrap().velocity().iter().all(|v| v.is_finite()));
}

/// Links have no speed limits: bodies that have are not made links of, those of a description are dropped, and no change of mass slows a link
/// down.
#[test]
fn speed_limits_do_not_become_those_of_links() {
    let mut world = World::new();
    let fast = world.add_body(rod().speed_limits(1.0, 2.0)).unwrap();
    let hash = world.hash();
    let error = world.articulate(fast).unwrap_err().to_string();
    assert!(error.contains("speed limits"), "{error}");
    assert_eq!(world.hash(), hash);
    let link = LinkDesc::revolute(rod().speed_limits(1.0, 2.0), [0.0, 0.0, 1.0]).at([5.0, 0.0, 0.0]);
    let id = world.add_articulation(one(link.anchor([0.0, 0.25, 0.0]).velocity(&[9.0]))).unwrap();
    let link = world.articulation(id).unwrap().link(0).unwrap();
    assert_eq!(world.body(link).unwrap().speed_limits(), (Real::INFINITY, Real::INFINITY));
    world.body_mut(link).unwrap().set_mass(MassSource::Total(2.0)).unwrap();
    assert!((f64::from(world.body(link).unwrap().angular_velocity().z) - 9.0).abs() < 1e-5);
    world.audit().unwrap();
}
