//! Bad input: every entrance answers with a typed error that names the thing and the value, and changes nothing.

use crate::support::{dump, lopsided};
use tumble::math::{Point, Pose, Quat, Real, Sym3, Vec3, WorldPose};
use tumble::method::{Sleep, SoftStep, Step, Tolerances, Validator};
use tumble::shape::{MassProperties, Shape};
use tumble::{
    BodyDesc, BodyId, BodyKind, Clock, ColliderDesc, ColliderId, Error, Integrate, MassSource, Material, MaterialId,
    Method, Pace, PairCoefficients, Result, Softness, World,
};

const NAN: Real = Real::NAN;
const INF: Real = Real::INFINITY;

/// A world with one of everything, and the names of it.
struct Scene {
    world: World,
    /// Dynamic, called "crate-7".
    body: BodyId,
    /// Called "wall".
    fixed: BodyId,
    /// Called "lift".
    lift: BodyId,
    collider: ColliderId,
    material: MaterialId,
    stale_body: BodyId,
    stale_collider: ColliderId,
    stale_material: MaterialId,
}

fn scene() -> Scene {
    let mut world = World::new();
    let stale_material = world.add_material(Material::default()).unwrap();
    let stale_body = world.add_body(lopsided()).unwrap();
    let stale_collider = world.body(stale_body).unwrap().colliders().next().unwrap();
    world.remove_body(stale_body).unwrap();
    world.remove_material(stale_material).unwrap();
    let material = world.add_material(Material::named("ice").unwrap()).unwrap();
    let desc = lopsided().name("crate-7").position([1.0, 2.0, 3.0]).turned([1.0, 2.0, 3.0], 0.4);
    let body = world
        .add_body(
            desc.linear_velocity([1.0, 0.0, 2.0])
                .angular_velocity([0.5, 0.0, 0.0])
                .collider(ColliderDesc::new(Shape::sphere(0.25).unwrap()).at([0.0, 0.5, 0.0]).material(material)),
        )
        .unwrap();
    let wall = BodyDesc::fixed().name("wall").position([0.0, -9.0, 0.0]);
    let fixed = world.add_body(wall.collider(Shape::cuboid(5.0, 1.0, 5.0).unwrap())).unwrap();
    let lift = world.add_body(BodyDesc::kinematic().name("lift").position([20.0, 0.0, 0.0])).unwrap();
    world.body_mut(body).unwrap().add_force_at([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]).unwrap();
    world.set_material_pair(material, World::MATERIAL, tumble::library_pair("steel", "ice")).unwrap();
    world.set_pair_excluded(body, lift, true).unwrap();
    for _ in 0..3 {
        world.step(1.0 / 60.0).unwrap();
    }
    // Something that an unwanted wake or clearing of events would show.
    world.body_mut(lift).unwrap().set_target(WorldPose::from_translation([20.0, 1.0, 0.0])).unwrap();
    let collider = world.body(body).unwrap().colliders().next().unwrap();
    Scene { world, body, fixed, lift, collider, material, stale_body, stale_collider, stale_material }
}

impl Scene {
    fn dump(&self) -> String {
        dump(&self.world, &[self.material])
    }

    /// The call is refused and changes nothing that a user can see.
    #[track_caller]
    fn refuses<T>(&mut self, what: &str, call: impl FnOnce(&mut Self) -> Result<T>) -> Error {
        let before = self.dump();
        let Err(error) = call(self) else { panic!("{what} is accepted") };
        assert_eq!(self.dump(), before, "{what} changes something though refused: {error}");
        assert!(!error.to_string().is_empty());
        error
    }

    /// As [`Scene::refuses`], with what is said.
    #[track_caller]
    fn says<T>(&mut self, message: &str, call: impl FnOnce(&mut Self) -> Result<T>) {
        assert_eq!(self.refuses(message, call).to_string(), message);
    }
}

/// Every vector with one bad component.
fn bad_vectors() -> Vec<Vec3> {
    let mut all = Vec::new();
    for axis in 0..3 {
        for bad in [NAN, INF, -INF] {
            let mut v = Vec3::new(1.0, 2.0, 3.0);
            v[axis] = bad;
            all.push(v);
        }
    }
    all
}

fn bad_points() -> Vec<Point> {
    bad_vectors().into_iter().map(Vec3::to_f64).collect()
}

/// Quaternions that turn nothing: not finite, or of a length that is not 1.
fn bad_rotations() -> Vec<Quat> {
    vec![
        Quat::new(NAN, 0.0, 0.0, 1.0),
        Quat::new(0.0, INF, 0.0, 1.0),
        Quat::new(0.0, 0.0, 0.0, 0.0),
        Quat::new(0.0, 0.0, 0.0, 1.1),
        Quat::new(0.0, 0.0, 0.0, -INF),
        Quat::new(1.0, 1.0, 1.0, 1.0),
        Quat::new(1e30, 1e30, 1e30, 1e30),
    ]
}

fn bad_poses() -> Vec<Pose> {
    let shifted = bad_vectors().into_iter().map(Pose::from_translation);
    shifted.chain(bad_rotations().into_iter().map(|q| Pose::new(Vec3::ZERO, q))).collect()
}

fn bad_masses() -> Vec<MassSource> {
    let explicit = |mass: f64, centre: Vec3<f64>, inertia: Vec3<f64>| {
        MassSource::Explicit(MassProperties { mass, centre, inertia: Sym3::diagonal(inertia) })
    };
    let sphere = || Shape::sphere(1.0).unwrap();
    let mut all = vec![
        explicit(0.0, Vec3::ZERO, Vec3::all(1.0)),
        explicit(-1.0, Vec3::ZERO, Vec3::all(1.0)),
        explicit(f64::NAN, Vec3::ZERO, Vec3::all(1.0)),
        explicit(f64::INFINITY, Vec3::ZERO, Vec3::all(1.0)),
        explicit(1.0, Vec3::new(f64::NAN, 0.0, 0.0), Vec3::all(1.0)),
        explicit(1.0, Vec3::ZERO, Vec3::new(1.0, f64::NAN, 1.0)),
        explicit(1.0, Vec3::ZERO, Vec3::new(1.0, 1.0, -1.0)),
        explicit(1.0, Vec3::ZERO, Vec3::new(1.0, 1.0, 3.0)),
        // A number whose reciprocal is none.
        explicit(1e-320, Vec3::ZERO, Vec3::all(1.0)),
        MassSource::Shape(Shape::half_space(Vec3::Y, 0.0).unwrap(), Pose::IDENTITY, 1.0),
        MassSource::Shape(Shape::rectangle(1.0, 1.0).unwrap(), Pose::IDENTITY, 1.0),
    ];
    for bad in [NAN, INF, -INF, 0.0, -1.0] {
        all.push(MassSource::Total(bad));
        all.push(MassSource::Shape(sphere(), Pose::IDENTITY, bad));
    }
    all.extend(bad_poses().into_iter().map(|p| MassSource::Shape(sphere(), p, 1.0)));
    all
}

fn bad_materials() -> Vec<Material> {
    let mut all = Vec::new();
    let with = |edit: &dyn Fn(&mut Material)| {
        let mut m = Material { name: Some("putty".to_owned()), ..Material::default() };
        edit(&mut m);
        m
    };
    for bad in [NAN, INF, -INF, -1.0] {
        all.push(with(&|m| m.density = bad));
        all.push(with(&|m| m.static_friction = bad));
        all.push(with(&|m| m.dynamic_friction = bad));
        all.push(with(&|m| m.restitution = bad));
        all.push(with(&|m| m.rolling_friction = bad));
        all.push(with(&|m| m.spinning_friction = bad));
    }
    for bad in [NAN, INF, -INF, -1.01, 1.01] {
        all.push(with(&|m| m.tangential_restitution = bad));
    }
    all.push(with(&|m| m.restitution = 1.01));
    all.push(with(&|m| m.dynamic_friction = 0.6));
    all.extend(bad_vectors().into_iter().map(|v| with(&|m| m.surface_velocity = v)));
    for (hertz, damping_ratio) in [(0.0, 1.0), (-1.0, 1.0), (NAN, 1.0), (INF, 1.0), (1.0, -1.0), (1.0, NAN), (1.0, INF)]
    {
        all.push(with(&|m| m.softness = Some(Softness { hertz, damping_ratio })));
    }
    all
}

fn bad_colliders(scene: &Scene) -> Vec<ColliderDesc> {
    let ball = || ColliderDesc::new(Shape::sphere(0.5).unwrap());
    let mut all: Vec<ColliderDesc> = bad_poses().into_iter().map(|p| ball().pose(p)).collect();
    all.extend([NAN, INF, -INF, -1.0].map(|d| ball().density(d)));
    all.extend([NAN, -INF, -1.0].map(|impact_speed| ColliderDesc { impact_speed, ..ball() }));
    all.extend(bad_materials().into_iter().map(|m| ball().material(m)));
    all.push(ball().material(scene.stale_material));
    all.push(ball().materials(vec![scene.material.into(), scene.stale_material.into()]));
    all.push(ball().materials(vec![Material::default().into(); 65]));
    all
}

/// Every field of a description of a body.
#[test]
fn descriptions_of_bodies() {
    let mut scene = scene();
    let desc = || lopsided().name("crate-8");
    let mut all: Vec<BodyDesc> = Vec::new();
    for v in bad_vectors() {
        all.push(desc().position(v.to_f64()));
        all.push(desc().linear_velocity(v));
        all.push(desc().angular_velocity(v));
        all.push(BodyDesc { force: v, ..desc() });
        all.push(BodyDesc { torque: v, ..desc() });
    }
    all.extend(bad_rotations().into_iter().map(|q| desc().rotation(q)));
    for bad in [NAN, INF, -INF, -1.0] {
        all.push(desc().damping(bad, 0.0));
        all.push(desc().damping(0.0, bad));
    }
    all.extend([NAN, INF, -INF].map(|s| desc().gravity_scale(s)));
    for bad in [NAN, -INF, -1.0, 0.0] {
        all.push(desc().speed_limits(bad, 1.0));
        all.push(desc().speed_limits(1.0, bad));
    }
    all.extend(bad_masses().into_iter().map(|mass| BodyDesc { mass, ..desc() }));
    all.extend(bad_colliders(&scene).into_iter().map(|c| desc().collider(c)));
    // Each is finite; where the frame's velocity is taken to the centre of mass, the sum is not.
    let far = ColliderDesc::new(Shape::sphere(1.0).unwrap()).at([1e3, 0.0, 0.0]);
    all.push(BodyDesc::dynamic().collider(far).angular_velocity([0.0, Real::MAX / 10.0, 0.0]));
    for (i, bad) in all.iter().enumerate() {
        scene.refuses(&format!("description {i}: {bad:?}"), |s| s.world.add_body(bad.clone()));
    }
    println!("{} bad descriptions of bodies refused", all.len());
    scene.world.add_body(desc()).unwrap();
}

/// Every field of a description of a collider, and every edit of one.
#[test]
fn colliders() {
    let mut scene = scene();
    let (body, collider) = (scene.body, scene.collider);
    for bad in bad_colliders(&scene) {
        scene.refuses(&format!("{bad:?}"), |s| s.world.add_collider(body, bad.clone()));
    }
    for pose in bad_poses() {
        scene.refuses(&format!("{pose:?}"), |s| s.world.set_collider_pose(collider, pose));
    }
    for material in bad_materials() {
        scene.refuses(&format!("{material:?}"), |s| s.world.set_collider_material(collider, material.clone()));
    }
    let stale = scene.stale_material;
    scene.refuses("a stale material", |s| s.world.set_collider_material(collider, stale));
    scene.refuses("a body with itself", |s| s.world.set_pair_excluded(body, body, true));
}

/// An edit of a collider after which the body could not be dynamic is undone: here, what remains is too light for a number.
#[test]
fn edits_that_leave_no_mass() {
    let mut world = World::new();
    // A mass above zero whose reciprocal is not a number of the crate's precision.
    let speck = Shape::sphere(if cfg!(tumble_f64) { 3e-105_f64 as Real } else { 1e-15 }).unwrap();
    assert!(world.add_body(BodyDesc::dynamic().collider(speck.clone())).is_err(), "the speck weighs too little");
    let ball = ColliderDesc::new(Shape::sphere(1.0).unwrap());
    let body = world.add_body(BodyDesc::dynamic().collider(ball).collider(speck.clone()).name("b")).unwrap();
    let ball = world.body(body).unwrap().colliders().next().unwrap();
    let before = dump(&world, &[]);
    type Edit<'a> = &'a dyn Fn(&mut World) -> Result<()>;
    let edits: [Edit; 4] = [
        &|w| w.remove_collider(ball),
        &|w| w.set_collider_shape(ball, speck.clone()),
        &|w| w.set_collider_material(ball, Material { density: 0.0, ..Material::default() }),
        &|w| w.set_collider_sensor(ball, true),
    ];
    for edit in edits {
        let error = edit(&mut world).unwrap_err();
        assert!(error.to_string().starts_with("body \"b\": mass must be within the range of numbers, got"), "{error}");
        assert_eq!(dump(&world, &[]), before);
    }
    let fixed = world.add_body(BodyDesc::fixed().mass_properties(MassProperties::ZERO)).unwrap();
    let before = dump(&world, &[]);
    assert!(world.body_mut(fixed).unwrap().set_kind(BodyKind::Dynamic).is_err());
    assert_eq!(dump(&world, &[]), before);
}

/// Every way to change a body.
#[test]
fn setters_of_bodies() {
    let mut scene = scene();
    let (body, lift) = (scene.body, scene.lift);
    let mut count = 0;
    let mut refuses = |what: String, id: BodyId, call: &dyn Fn(tumble::BodyMut<'_>) -> Result<()>| {
        count += 1;
        let debug = format!("{:?}", scene.world);
        let error = scene.refuses(&what, |s| call(s.world.body_mut(id).unwrap()));
        assert_eq!(format!("{:?}", scene.world), debug, "{what} changes something inside");
        let name = if id == body { "body \"crate-7\"" } else { "body \"lift\"" };
        assert!(error.to_string().starts_with(name), "{what}: {error}");
    };
    for v in bad_vectors() {
        refuses(format!("linear velocity {v:?}"), body, &|mut b| b.set_velocity(v, Vec3::ZERO));
        refuses(format!("angular velocity {v:?}"), body, &|mut b| b.set_velocity(Vec3::ZERO, v));
        refuses(format!("linear velocity {v:?}"), body, &|mut b| b.set_linear_velocity(v));
        refuses(format!("angular velocity {v:?}"), body, &|mut b| b.set_angular_velocity(v));
        refuses(format!("force {v:?}"), body, &|mut b| b.set_force(v));
        refuses(format!("torque {v:?}"), body, &|mut b| b.set_torque(v));
        refuses(format!("force {v:?} at a point"), body, &|mut b| b.add_force_at(v, Point::ZERO));
        refuses(format!("impulse {v:?}"), body, &|mut b| b.apply_impulse(v));
        refuses(format!("impulse {v:?} at a point"), body, &|mut b| b.apply_impulse_at(v, Point::ZERO));
        refuses(format!("angular impulse {v:?}"), body, &|mut b| b.apply_angular_impulse(v));
    }
    for p in bad_points() {
        refuses(format!("force at {p:?}"), body, &|mut b| b.add_force_at(Vec3::X, p));
        refuses(format!("impulse at {p:?}"), body, &|mut b| b.apply_impulse_at(Vec3::X, p));
        refuses(format!("position {p:?}"), body, &|mut b| b.set_position(p));
        refuses(format!("pose at {p:?}"), body, &|mut b| b.set_pose(WorldPose::from_translation(p)));
        refuses(format!("target at {p:?}"), lift, &|mut b| b.set_target(WorldPose::from_translation(p)));
    }
    for q in bad_rotations() {
        refuses(format!("rotation {q:?}"), body, &|mut b| b.set_rotation(q));
        refuses(format!("pose turned {q:?}"), body, &|mut b| b.set_pose(WorldPose::new(Point::ZERO, q)));
        refuses(format!("target turned {q:?}"), lift, &|mut b| b.set_target(WorldPose::new(Point::ZERO, q)));
    }
    for bad in [NAN, INF, -INF, -1.0] {
        refuses(format!("damping {bad}"), body, &|mut b| b.set_damping(bad, 0.0));
        refuses(format!("angular damping {bad}"), body, &|mut b| b.set_damping(0.0, bad));
    }
    for bad in [NAN, INF, -INF] {
        refuses(format!("gravity scale {bad}"), body, &|mut b| b.set_gravity_scale(bad));
    }
    for bad in [NAN, -INF, -1.0, 0.0] {
        refuses(format!("speed limit {bad}"), body, &|mut b| b.set_speed_limits(bad, 1.0));
        refuses(format!("angular speed limit {bad}"), body, &|mut b| b.set_speed_limits(1.0, bad));
    }
    for mass in bad_masses() {
        refuses(format!("{mass:?}"), body, &|mut b| b.set_mass(mass.clone()));
    }
    // Finite numbers whose products and sums are not.
    let max = Real::MAX;
    refuses("impulse".to_owned(), body, &|mut b| b.apply_impulse_at([max, 0.0, 0.0], [0.0, 1e9, 0.0]));
    refuses("force".to_owned(), body, &|mut b| b.add_force_at([max, 0.0, 0.0], [0.0, 1e9, 0.0]));
    refuses("spin".to_owned(), body, &|mut b| b.set_velocity([max, max, max], [max, -max, max]));
    refuses("pose".to_owned(), body, &|mut b| b.set_target(WorldPose::IDENTITY));
    println!("{count} bad edits of bodies refused");
    let fixed = scene.fixed;
    scene.refuses("velocity of a fixed body", |s| s.world.body_mut(fixed)?.set_velocity(Vec3::X, Vec3::ZERO));
    // A sum of forces that overflows leaves both force and torque as they were.
    let mut b = scene.world.body_mut(body).unwrap();
    b.set_force([max, 0.0, 0.0]).unwrap();
    b.set_torque([1.0, 0.0, 0.0]).unwrap();
    scene.refuses("a sum of forces", |s| s.world.body_mut(body)?.add_force_at([max, 0.0, 0.0], [1.0, 1.0, 1.0]));
}

/// Every setting of a world.
#[test]
fn settings_of_worlds() {
    let mut scene = scene();
    for v in bad_vectors() {
        scene.refuses(&format!("gravity {v:?}"), |s| s.world.set_gravity(v));
    }
    for bad in [NAN, INF, -INF, 0.0, -0.1] {
        scene.refuses(&format!("step {bad}"), |s| s.world.step(bad));
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.1] {
        scene.refuses(&format!("elapsed {bad}"), |s| s.world.simulate(bad));
    }
    let mut clocks = Vec::new();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0] {
        clocks.push(Clock { pace: Pace::Fixed(bad), ..Clock::default() });
        clocks.push(Clock { pace: Pace::Variable { min: bad, max: 1.0 }, ..Clock::default() });
        clocks.push(Clock { pace: Pace::Variable { min: 0.01, max: bad }, ..Clock::default() });
        clocks.push(Clock { max_per_call: bad, ..Clock::default() });
        // A speed of 0 is a pause.
        if bad != 0.0 {
            clocks.push(Clock { speed: bad, ..Clock::default() });
        }
    }
    clocks.push(Clock { pace: Pace::Variable { min: 0.02, max: 0.01 }, ..Clock::default() });
    // These would run for hours, or not be a step at all in f32.
    clocks.push(Clock { pace: Pace::Fixed(1e-30), ..Clock::default() });
    clocks.push(Clock { pace: Pace::Fixed(1e-300), max_per_call: 1e-299, speed: 1.0 });
    clocks.push(Clock { max_per_call: 1e30, ..Clock::default() });
    for clock in clocks {
        // 1e-299 s is a step in f64.
        if cfg!(tumble_f64) && clock.max_per_call == 1e-299 {
            continue;
        }
        scene.refuses(&format!("{clock:?}"), |s| s.world.set_clock(clock));
    }
    for method in bad_methods() {
        scene.refuses(&format!("{method:?}"), |s| s.world.set_method(method.clone()));
        assert!(World::with_method(method).is_err());
    }
}

fn bad_methods() -> Vec<Method> {
    let mut all = Vec::new();
    let edit = |edit: &dyn Fn(&mut Method)| {
        let mut m = Method::default();
        edit(&mut m);
        m
    };
    let fields: [fn(&mut Tolerances) -> &mut Real; 7] = [
        |t| &mut t.length,
        |t| &mut t.slop,
        |t| &mut t.detection,
        |t| &mut t.box_margin,
        |t| &mut t.restitution_speed,
        |t| &mut t.push_speed,
        |t| &mut t.sleep_speed,
    ];
    for bad in [NAN, INF, -INF, 0.0, -1.0] {
        for field in fields {
            all.push(edit(&|m| *field(&mut m.tolerances) = bad));
        }
        all.push(edit(&|m| m.sleep = Sleep { time: bad, ..Sleep::default() }));
        all.push(edit(&|m| m.sleep.unsupported_factor = bad));
        let soft: [fn(&mut SoftStep) -> &mut Real; 2] = [|s| &mut s.contact_stiffness, |s| &mut s.joint_stiffness];
        for field in soft {
            let mut s = SoftStep::default();
            *field(&mut s) = bad;
            all.push(edit(&|m| m.step = Step::SoftStep(s.clone())));
        }
    }
    for bad in [NAN, INF, -INF, -1.0] {
        let soft: [fn(&mut SoftStep) -> &mut Real; 2] = [|s| &mut s.contact_damping, |s| &mut s.joint_damping];
        for field in soft {
            let mut s = SoftStep::default();
            *field(&mut s) = bad;
            all.push(edit(&|m| m.step = Step::SoftStep(s.clone())));
        }
    }
    for substeps in [0, 1001, u32::MAX] {
        all.push(edit(&|m| m.step = Step::SoftStep(SoftStep { substeps, ..SoftStep::default() })));
    }
    all.push(edit(&|m| m.integrate = Integrate::ExplicitEuler));
    for (min, max) in [([0.0; 3], [0.0; 3]), ([f64::NAN; 3], [1.0; 3]), ([1.0; 3], [2.0, 0.0, 2.0])] {
        all.push(edit(&|m| m.validators = vec![Validator::WorldBounds { min, max }]));
    }
    for bad in [NAN, -INF, -1.0, 0.0] {
        all.push(edit(&|m| m.validators = vec![Validator::MaxSpeed { linear: bad, angular: 1.0 }]));
        all.push(edit(&|m| m.validators = vec![Validator::MaxSpeed { linear: 1.0, angular: bad }]));
    }
    all
}

/// Materials and their pairs.
#[test]
fn materials() {
    let mut scene = scene();
    let (ice, default) = (scene.material, World::MATERIAL);
    for bad in bad_materials() {
        scene.refuses(&format!("{bad:?}"), |s| s.world.add_material(bad.clone()));
        scene.refuses(&format!("{bad:?}"), |s| s.world.set_material(ice, bad.clone()));
        scene.refuses(&format!("{bad:?}"), |s| s.world.set_material(default, bad.clone()));
        let pair = PairCoefficients {
            static_friction: bad.static_friction,
            dynamic_friction: bad.dynamic_friction,
            restitution: bad.restitution,
            tangential_restitution: bad.tangential_restitution,
            rolling_friction: bad.rolling_friction,
            spinning_friction: bad.spinning_friction,
        };
        let of_pair = bad.density == 1000.0 && bad.surface_velocity == Vec3::ZERO && bad.softness.is_none();
        if of_pair {
            scene.refuses(&format!("{pair:?}"), |s| s.world.set_material_pair(ice, default, Some(pair)));
        }
    }
    scene.refuses("a name", |_| Material::named("unobtainium"));
    scene.refuses("the built-in material", |s| s.world.remove_material(default));
    scene.refuses("a used material", |s| s.world.remove_material(ice));
}

/// A body that is to be turned about no axis is refused, and not added as if it had not been turned.
#[test]
fn turning_about_no_axis_is_refused() {
    let mut world = World::new();
    for axis in [Vec3::ZERO, Vec3::new(Real::NAN, 0.0, 1.0), Vec3::new(0.0, Real::INFINITY, 0.0)] {
        let error = world.add_body(BodyDesc::dynamic().turned(axis, 0.5)).unwrap_err().to_string();
        assert!(error.contains("rotation") && error.contains("unit quaternion"), "{error}");
    }
    assert_eq!(world.body_count(), 0);
}

/// An id that names nothing is refused at every entrance, whether it was removed, was given out by another world (and not by this one), or
/// was never given.
#[test]
fn ids_that_name_nothing() {
    let mut scene = scene();
    let mut other = World::new();
    let mut foreign = None;
    for _ in 0..20 {
        foreign = Some(
            other.add_body(lopsided().collider(ColliderDesc::new(Shape::sphere(1.0).unwrap()).friction(0.1))).unwrap(),
        );
    }
    let foreign = foreign.unwrap();
    let foreign_collider = other.body(foreign).unwrap().colliders().last().unwrap();
    let foreign_material = other.collider(foreign_collider).unwrap().material(0);
    let bodies = [scene.stale_body, foreign, BodyId::from_bits(u64::MAX), BodyId::from_bits(77 << 32)];
    let colliders = [scene.stale_collider, foreign_collider, ColliderId::from_bits(u64::MAX)];
    let materials = [scene.stale_material, foreign_material, MaterialId::from_bits(u64::MAX)];
    let (body, collider, ice) = (scene.body, scene.collider, scene.material);
    let missing = |error: Error, name: String| {
        assert!(matches!(error, Error::Missing(_)), "{error:?}");
        assert_eq!(error.to_string(), format!("{name} does not exist: it was removed, or belongs to another world"));
    };
    for id in bodies {
        let name = format!("body {}v{}", id.index(), id.generation());
        missing(scene.refuses("body", |s| s.world.body(id).map(drop)), name.clone());
        missing(scene.refuses("body_mut", |s| s.world.body_mut(id).map(drop)), name.clone());
        missing(scene.refuses("remove", |s| s.world.remove_body(id)), name.clone());
        missing(scene.refuses("add", |s| s.world.add_collider(id, Shape::sphere(1.0).unwrap())), name.clone());
        missing(scene.refuses("exclude", |s| s.world.set_pair_excluded(body, id, true)), name.clone());
        missing(scene.refuses("exclude", |s| s.world.set_pair_excluded(id, body, false)), name.clone());
        missing(scene.refuses("excluded", |s| s.world.pair_excluded(body, id)), name.clone());
        missing(scene.refuses("excluded", |s| s.world.pair_excluded(id, body)), name);
    }
    for id in colliders {
        let name = format!("collider {}v{}", id.index(), id.generation());
        let ball = || Shape::sphere(1.0).unwrap();
        missing(scene.refuses("collider", |s| s.world.collider(id).map(drop)), name.clone());
        missing(scene.refuses("remove", |s| s.world.remove_collider(id)), name.clone());
        missing(scene.refuses("shape", |s| s.world.set_collider_shape(id, ball())), name.clone());
        missing(scene.refuses("pose", |s| s.world.set_collider_pose(id, Pose::IDENTITY)), name.clone());
        missing(scene.refuses("material", |s| s.world.set_collider_material(id, ice)), name.clone());
        missing(scene.refuses("material", |s| s.world.set_collider_material(id, Material::default())), name.clone());
        missing(scene.refuses("layers", |s| s.world.set_collider_layers(id, Default::default())), name.clone());
        missing(scene.refuses("sensor", |s| s.world.set_collider_sensor(id, true)), name.clone());
        missing(scene.refuses("collides", |s| s.world.set_collider_collides(id, false)), name);
    }
    for id in materials {
        let name = format!("material {}v{}", id.index(), id.generation());
        let ball = || ColliderDesc::new(Shape::sphere(1.0).unwrap());
        missing(scene.refuses("material", |s| s.world.material(id).map(drop)), name.clone());
        missing(scene.refuses("set", |s| s.world.set_material(id, Material::default())), name.clone());
        missing(scene.refuses("remove", |s| s.world.remove_material(id)), name.clone());
        missing(scene.refuses("pair", |s| s.world.set_material_pair(id, ice, None)), name.clone());
        missing(scene.refuses("pair", |s| s.world.set_material_pair(ice, id, None)), name.clone());
        missing(scene.refuses("pair", |s| s.world.pair_coefficients(ice, id)), name.clone());
        missing(scene.refuses("pair", |s| s.world.pair_coefficients(id, ice)), name.clone());
        missing(scene.refuses("use", |s| s.world.set_collider_material(collider, id)), name.clone());
        missing(scene.refuses("use", |s| s.world.add_collider(body, ball().material(id))), name.clone());
        missing(scene.refuses("use", |s| s.world.add_body(BodyDesc::dynamic().collider(ball().material(id)))), name);
    }
}

/// The built-in body can be looked at and named in pairs, and neither changed nor removed.
#[test]
fn built_in_body() {
    let mut scene = scene();
    let refused = "body \"world\": the built-in body cannot be changed or removed";
    scene.says(refused, |s| s.world.body_mut(World::BODY).map(drop));
    scene.says(refused, |s| s.world.remove_body(World::BODY));
    scene.says(refused, |s| s.world.add_collider(World::BODY, Shape::sphere(1.0).unwrap()));
    let world = &mut scene.world;
    assert_eq!(world.body(World::BODY).unwrap().name(), Some("world"));
    assert!(!world.body_ids().any(|id| id == World::BODY));
    world.set_pair_excluded(World::BODY, scene.body, true).unwrap();
    assert!(world.pair_excluded(scene.body, World::BODY).unwrap());
}

/// What is said, word for word.
#[test]
fn messages() {
    let mut scene = scene();
    let (body, lift, fixed, ice, collider) = (scene.body, scene.lift, scene.fixed, scene.material, scene.collider);
    let ball = || ColliderDesc::new(Shape::sphere(0.5).unwrap());
    let crate_ = || BodyDesc::dynamic().name("crate-9");
    scene.says("body \"crate-9\": density must be finite and not negative, got -1", |s| {
        s.world.add_body(crate_().collider(ball().density(-1.0)))
    });
    scene.says("new body: position must be finite, got [NaN, 0.0, 0.0]", |s| {
        s.world.add_body(BodyDesc::dynamic().position([f64::NAN, 0.0, 0.0]))
    });
    scene.says("body \"crate-9\": rotation must be a unit quaternion, got [0.0, 0.0, 0.0, 2.0]", |s| {
        s.world.add_body(crate_().rotation(Quat::new(0.0, 0.0, 0.0, 2.0)))
    });
    scene.says("body \"crate-9\": mass must be positive and finite, got 0", |s| s.world.add_body(crate_().mass(0.0)));
    scene.says("body \"crate-9\": material: restitution must be between 0 and 1, got 2", |s| {
        s.world.add_body(crate_().collider(ball().restitution(2.0)))
    });
    scene.says("body \"crate-7\": linear velocity must be finite, got [inf, 0.0, 0.0]", |s| {
        s.world.body_mut(body)?.set_linear_velocity([INF, 0.0, 0.0])
    });
    scene.says("body \"crate-7\": largest angular speed must be positive, got 0", |s| {
        s.world.body_mut(body)?.set_speed_limits(1.0, 0.0)
    });
    scene.says("body \"crate-7\": angular damping must be finite and not negative, got NaN", |s| {
        s.world.body_mut(body)?.set_damping(0.0, NAN)
    });
    scene.says("body \"lift\": target position must be finite, got [0.0, inf, 0.0]", |s| {
        s.world.body_mut(lift)?.set_target(WorldPose::from_translation([0.0, f64::INFINITY, 0.0]))
    });
    scene.says("body \"wall\": a fixed body has no velocity; make it kinematic", |s| {
        s.world.body_mut(fixed)?.set_angular_velocity([1.0, 0.0, 0.0])
    });
    scene.says("body \"crate-7\": collider's position must be finite, got [0.0, NaN, 0.0]", |s| {
        s.world.set_collider_pose(collider, Pose::from_translation(Vec3::new(0.0, NAN, 0.0)))
    });
    scene.says("body \"crate-7\": number of materials of a collider must be at most 64, got 65", |s| {
        s.world.add_collider(body, ball().materials(vec![ice.into(); 65]))
    });
    scene.says("body 1v1: a body never touches itself", |s| s.world.set_pair_excluded(body, body, true));
    scene.says("body 1v0 does not exist: it was removed, or belongs to another world", |s| {
        s.world.body(s.stale_body).map(drop)
    });
    scene.says("material \"tar\": dynamic friction must be at most the static friction, got 2", |s| {
        let tar = Material { name: Some("tar".to_owned()), dynamic_friction: 2.0, ..Material::default() };
        s.world.add_material(tar)
    });
    scene.says("world: gravity must be finite, got [0.0, NaN, 0.0]", |s| s.world.set_gravity([0.0, NAN, 0.0]));
    scene.says("world: time step must be positive and finite, got 0", |s| s.world.step(0.0));
    scene.says("world: elapsed time must be finite and not negative, got -1", |s| s.world.simulate(-1.0));
    scene.says("clock: step must be positive and finite, got -0.5", |s| {
        s.world.set_clock(Clock { pace: Pace::Fixed(-0.5), ..Clock::default() })
    });
    scene.says(
        "clock: max_per_call must be at most a million steps, got 1e+30"
            .replace("1e+30", &1e30_f64.to_string())
            .as_str(),
        |s| s.world.set_clock(Clock { max_per_call: 1e30, ..Clock::default() }),
    );
    scene.says("method \"soft-step\": substeps must be between 1 and 1000, got 0", |s| {
        let step = Step::SoftStep(SoftStep { substeps: 0, ..SoftStep::default() });
        s.world.set_method(Method { step, ..Method::default() })
    });
}

/// Questions about a body take any point and answer with whatever the arithmetic gives; nothing panics.
#[test]
fn questions_take_anything() {
    let scene = scene();
    let body = scene.world.body(scene.body).unwrap();
    for p in bad_points().into_iter().chain([Point::all(1e30), Point::all(f64::MAX)]) {
        let _ = (body.velocity_at(p), body.acceleration_at(p), body.to_local(p));
    }
    for v in bad_vectors().into_iter().chain([Vec3::all(1e30), Vec3::all(Real::MAX)]) {
        let _ = body.to_world(v);
    }
}
