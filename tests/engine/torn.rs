//! Worlds whose step panicked: nothing that can fail goes on with a half-moved state.

use crate::support::real;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::constraint::{Constraint, Frames, Row, Rows};
use tumble::control::{Vehicle, Wheel};
use tumble::force::Uniform;
use tumble::math::{Isa, Point, Pose, Vec3, WorldPose};
use tumble::shape::Shape;
use tumble::{
    ArticulationId, BodyDesc, BodyId, Clock, ColliderDesc, ColliderId, ContactHook, DebugLayers, EffectDesc, EffectId,
    Error, HookedContact, JointDesc, JointId, Layers, Material, MaterialId, Method, QueryFilter, RayCast, Result,
    ShapeCast, World,
};

/// Panics at the first contact that it is shown.
struct Fuse;

impl ContactHook for Fuse {
    fn name(&self) -> &str {
        "fuse"
    }

    fn contact(&self, _: &mut HookedContact<'_>) {
        panic!("the fuse has blown");
    }
}

struct Ids {
    body: BodyId,
    collider: ColliderId,
    material: MaterialId,
    joint: JointId,
    effect: EffectId,
    tree: ArticulationId,
}

/// A ball that is about to touch a hooked floor, with one of everything beside it.
fn world() -> (World, Ids) {
    let mut world = World::new();
    let floor = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).hooked(true);
    world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
    let ball = ColliderDesc::new(Shape::sphere(0.5).unwrap());
    let body = world.add_body(BodyDesc::dynamic().position([0.0, 0.6, 0.0]).collider(ball)).unwrap();
    let other = world.add_body(BodyDesc::dynamic().position([5.0, 9.0, 0.0])).unwrap();
    let collider = world.body(body).unwrap().colliders().next().unwrap();
    let ids = Ids {
        body,
        collider,
        material: world.add_material(Material::default()).unwrap(),
        joint: world.add_joint(JointDesc::ball(World::BODY, other)).unwrap(),
        effect: world.add_effect(EffectDesc::new(Uniform::new([0.1, 0.0, 0.0]))).unwrap(),
        tree: world.add_articulation(tree()).unwrap(),
    };
    (world, ids)
}

fn tree() -> ArticulationDesc {
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::free(BodyDesc::dynamic().position([-5.0, 9.0, 0.0])));
    desc
}

type Call = fn(&mut World, &Ids) -> Result<()>;

/// Everything on a world that can fail, but what makes it whole again.
fn calls() -> Vec<(&'static str, Call)> {
    vec![
        ("step", |w, _| w.step(real(0.01))),
        ("simulate", |w, _| w.simulate(0.01).map(drop)),
        ("snapshot", |w, _| w.snapshot().map(drop)),
        ("snapshot_into", |w, _| w.snapshot_into(&mut Vec::new())),
        ("set_gravity", |w, _| w.set_gravity([0.0; 3])),
        ("set_method", |w, _| w.set_method(Method::simultaneous())),
        ("set_clock", |w, _| w.set_clock(Clock::default())),
        ("add_body", |w, _| w.add_body(BodyDesc::dynamic()).map(drop)),
        ("remove_body", |w, i| w.remove_body(i.body)),
        ("body", |w, i| w.body(i.body).map(drop)),
        ("body_mut", |w, i| w.body_mut(i.body).map(drop)),
        ("add_collider", |w, i| w.add_collider(i.body, Shape::sphere(0.1)?).map(drop)),
        ("remove_collider", |w, i| w.remove_collider(i.collider)),
        ("collider", |w, i| w.collider(i.collider).map(drop)),
        ("set_collider_shape", |w, i| w.set_collider_shape(i.collider, Shape::sphere(0.1)?)),
        ("set_collider_pose", |w, i| w.set_collider_pose(i.collider, Pose::IDENTITY)),
        ("set_collider_material", |w, i| w.set_collider_material(i.collider, i.material)),
        ("set_collider_material_at", |w, i| w.set_collider_material_at(i.collider, 0, i.material)),
        ("set_collider_materials", |w, i| w.set_collider_materials(i.collider, vec![])),
        ("set_collider_layers", |w, i| w.set_collider_layers(i.collider, Layers::default())),
        ("set_collider_density", |w, i| w.set_collider_density(i.collider, None)),
        ("set_collider_hooked", |w, i| w.set_collider_hooked(i.collider, true)),
        ("set_collider_contact_events", |w, i| w.set_collider_contact_events(i.collider, false)),
        ("set_collider_impact_speed", |w, i| w.set_collider_impact_speed(i.collider, 1.0)),
        ("set_collider_user_data", |w, i| w.set_collider_user_data(i.collider, 1)),
        ("set_collider_sensor", |w, i| w.set_collider_sensor(i.collider, true)),
        ("set_collider_collides", |w, i| w.set_collider_collides(i.collider, false)),
        ("set_pair_excluded", |w, i| w.set_pair_excluded(i.body, World::BODY, true)),
        ("pair_excluded", |w, i| w.pair_excluded(i.body, World::BODY).map(drop)),
        ("contacts_of", |w, i| w.contacts_of(i.body).map(drop)),
        ("add_material", |w, _| w.add_material(Material::default()).map(drop)),
        ("material", |w, i| w.material(i.material).map(drop)),
        ("set_material", |w, i| w.set_material(i.material, Material::default())),
        ("remove_material", |w, i| w.remove_material(i.material)),
        ("set_material_pair", |w, i| w.set_material_pair(i.material, World::MATERIAL, None)),
        ("pair_coefficients", |w, i| w.pair_coefficients(i.material, World::MATERIAL).map(drop)),
        ("add_joint", |w, i| w.add_joint(JointDesc::ball(World::BODY, i.body)).map(drop)),
        ("remove_joint", |w, i| w.remove_joint(i.joint)),
        ("joint", |w, i| w.joint(i.joint).map(drop)),
        ("joint_mut", |w, i| w.joint_mut(i.joint).map(drop)),
        ("joints_of", |w, i| w.joints_of(i.body).map(drop)),
        ("add_effect", |w, _| w.add_effect(EffectDesc::new(Uniform::new([1.0, 0.0, 0.0]))).map(drop)),
        ("remove_effect", |w, i| w.remove_effect(i.effect)),
        ("effect", |w, i| w.effect(i.effect).map(drop)),
        ("effect_mut", |w, i| w.effect_mut(i.effect).map(drop)),
        ("add_articulation", |w, _| w.add_articulation(tree()).map(drop)),
        ("remove_articulation", |w, i| w.remove_articulation(i.tree)),
        ("articulation", |w, i| w.articulation(i.tree).map(drop)),
        ("articulation_mut", |w, i| w.articulation_mut(i.tree).map(drop)),
        ("articulate", |w, i| w.articulate(i.body).map(drop)),
        ("dissolve", |w, i| w.dissolve(i.tree).map(drop)),
        ("cast_ray", |w, _| w.cast_ray(&ray(), &QueryFilter::new()).map(drop)),
        ("cast_ray_any", |w, _| w.cast_ray_any(&ray(), &QueryFilter::new()).map(drop)),
        ("cast_ray_all", |w, _| w.cast_ray_all(&ray(), &QueryFilter::new(), &mut Vec::new())),
        ("cast_rays", |w, _| w.cast_rays(&[], &QueryFilter::new(), &mut Vec::new())),
        ("cast_shape", |w, _| w.cast_shape(&cast(&Shape::sphere(0.1)?), &QueryFilter::new()).map(drop)),
        ("cast_shape_any", |w, _| w.cast_shape_any(&cast(&Shape::sphere(0.1)?), &QueryFilter::new()).map(drop)),
        ("cast_shape_all", |w, _| w.cast_shape_all(&cast(&Shape::sphere(0.1)?), &QueryFilter::new(), &mut Vec::new())),
        ("cast_shapes", |w, _| w.cast_shapes(&[], &QueryFilter::new(), &mut Vec::new())),
        ("overlap_shape", |w, _| {
            w.overlap_shape(&Shape::sphere(0.1)?, WorldPose::IDENTITY, &QueryFilter::new(), &mut Vec::new())
        }),
        ("overlap_shape_any", |w, _| {
            w.overlap_shape_any(&Shape::sphere(0.1)?, WorldPose::IDENTITY, &QueryFilter::new()).map(drop)
        }),
        ("overlap_shapes", |w, _| w.overlap_shapes(&[], &QueryFilter::new(), &mut Vec::new())),
        ("overlap_box", |w, _| w.overlap_box(Point::ZERO, Point::ZERO, &QueryFilter::new(), &mut Vec::new())),
        ("closest_point", |w, _| w.closest_point(Point::ZERO, 1.0, &QueryFilter::new()).map(drop)),
        ("closest_point_all", |w, _| w.closest_point_all(Point::ZERO, 1.0, &QueryFilter::new(), &mut Vec::new())),
        ("closest_points", |w, _| w.closest_points(&[], 1.0, &QueryFilter::new(), &mut Vec::new())),
        ("near_shape", |w, _| {
            w.near_shape(&Shape::sphere(0.1)?, WorldPose::IDENTITY, 1.0, &QueryFilter::new(), &mut Vec::new())
        }),
        ("distance", |w, i| w.distance(i.collider, i.collider).map(drop)),
        ("Vehicle::new", |w, i| Vehicle::new(w, i.body, vec![Wheel::new([0.0; 3], 0.3)]).map(drop)),
    ]
}

fn ray() -> RayCast {
    RayCast::new([0.0, 5.0, 0.0], [0.0, -1.0, 0.0], 10.0)
}

fn cast(shape: &Shape) -> ShapeCast<'_> {
    ShapeCast::new(shape, WorldPose::IDENTITY, [0.0, -1.0, 0.0])
}

fn tear(world: &mut World) -> Error {
    world.set_contact_hook(Some(Arc::new(Fuse)));
    for _ in 0..60 {
        if let Err(error) = world.step(real(1.0 / 60.0)) {
            return error;
        }
    }
    panic!("nothing touched the floor");
}

/// After a panic in a step all that can fail says so, with the words of the panic, and changes nothing; the rest still answers. What
/// replaces the state makes the world whole.
#[test]
fn nothing_goes_on_with_a_torn_world() {
    let (mut world, ids) = world();
    let saved = world.snapshot().unwrap();
    for (what, call) in calls() {
        let mut copy = world.clone();
        assert!(!matches!(call(&mut copy, &ids), Err(Error::Torn { .. })), "{what} of a whole world");
    }
    let error = tear(&mut world);
    assert_eq!(error, Error::Torn { panic: "the fuse has blown".to_owned() });
    assert!(error.to_string().contains("restore, restart or reset"), "{error}");
    assert!(world.is_torn() && world.clone().is_torn());

    let (hash, steps) = (world.hash(), world.steps());
    for (what, call) in calls() {
        assert_eq!(call(&mut world, &ids), Err(error.clone()), "{what}");
        assert_eq!((world.hash(), world.steps()), (hash, steps), "{what} changed something");
    }
    let mut kept = vec![1, 2, 3];
    assert!(world.snapshot_into(&mut kept).is_err() && kept == [1, 2, 3]);

    // What cannot fail.
    world.set_isa(Isa::SCALAR);
    world.set_threads(2).unwrap();
    world.set_contact_hook(None);
    assert_eq!((world.body_count(), world.body_ids().count()), (4, 4));
    assert_eq!(world.find_body("nobody"), None);
    assert_eq!(world.contacts().count(), 0);
    let _ = (world.measure(), world.debug_geometry(DebugLayers::ALL), world.events().len());

    let mut restored = world.clone();
    restored.restore(&saved).unwrap();
    let mut restarted = world.clone();
    restarted.restart().unwrap();
    // The start is that of the first step, when the fuse was in place.
    assert_eq!(restarted.contact_hook().map(|h| h.name().to_owned()).as_deref(), Some("fuse"));
    restarted.set_contact_hook(None);
    for world in [&mut restored, &mut restarted] {
        assert!(!world.is_torn());
        for _ in 0..60 {
            world.step(real(1.0 / 60.0)).unwrap();
        }
        world.audit().unwrap();
        assert!(world.body(ids.body).unwrap().position().y > 0.49);
    }
    world.reset();
    assert!(!world.is_torn() && world.body_count() == 0);
    world.step(real(1.0 / 60.0)).unwrap();
}

/// Panics when it is asked by a step.
#[derive(Debug, Default)]
struct Bomb(AtomicBool);

impl Constraint for Bomb {
    fn name(&self) -> &str {
        "bomb"
    }

    fn rows(&self, _: &Frames, out: &mut Rows) {
        assert!(!self.0.load(Ordering::Relaxed), "the bomb has gone off");
        out.push(Row::IDLE);
    }
}

/// The words of a panic are those of the user's code, whichever thread has run it: joints on links are looked at by all of them.
#[test]
fn words_reach_the_caller_from_any_thread() {
    for threads in [1, 2, 4] {
        let mut world = World::new();
        world.set_threads(threads).unwrap();
        let bomb = Arc::new(Bomb::default());
        // More than are left to one thread.
        for i in 0..100 {
            let mut desc = ArticulationDesc::new();
            desc.add(LinkDesc::free(BodyDesc::dynamic().collider(Shape::sphere(0.1).unwrap())).at([
                f64::from(i),
                0.0,
                0.0,
            ]));
            let id = world.add_articulation(desc).unwrap();
            let link = world.articulation(id).unwrap().link(0).unwrap();
            if i == 77 {
                world.add_joint(JointDesc::custom(World::BODY, link, bomb.clone())).unwrap();
            }
        }
        world.step(real(0.01)).unwrap();
        bomb.0.store(true, Ordering::Relaxed);
        let error = world.step(real(0.01)).unwrap_err();
        assert_eq!(error, Error::Torn { panic: "the bomb has gone off".to_owned() }, "{threads} threads");
    }
}
