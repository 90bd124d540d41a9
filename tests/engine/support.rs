//! What several tests need.

use std::fmt::Write;
use tumble::constraint::Motor;
use tumble::constraint::joint::{Fixed, Hinge};
use tumble::math::{Float, Point, Pose, Quat, Real, Sym3, Vec3};
use tumble::shape::{MassProperties, Shape};
use tumble::{BodyDesc, BodyId, ColliderDesc, Integrate, JointDesc, JointKind, MaterialId, Method, World};

/// Distance from 1 to the next number in the precision under test.
pub fn eps() -> f64 {
    Real::EPSILON.to_f64()
}

/// `a` as a number of the precision under test.
pub fn real(a: f64) -> Real {
    Real::from_f64(a)
}

/// Fails where two vectors are farther apart than `tolerance`.
#[track_caller]
pub fn assert_near(what: &str, a: Vec3<f64>, b: Vec3<f64>, tolerance: f64) {
    let d = (a - b).length();
    assert!(d <= tolerance, "{what}: {a:?} against {b:?}, {d:e} apart, {tolerance:e} allowed");
}

/// An empty world without contacts, advanced by this integrator.
pub fn ballistic(integrate: Integrate) -> World {
    World::with_method(Method::ballistic(integrate)).unwrap()
}

/// The same without gravity.
pub fn floating(integrate: Integrate) -> World {
    let mut world = ballistic(integrate);
    world.set_gravity(Vec3::ZERO).unwrap();
    world
}

/// The world of a scene of the library under this method, with these values for its parameters.
pub fn scene(name: &str, values: &[(&str, f64)], method: Method) -> World {
    let scene = tumble_scene::library::find(name).unwrap();
    let setup = values.iter().fold(scene.setup().method(method), |s, (name, value)| s.set(name, *value).unwrap());
    setup.start().unwrap().world().clone()
}

/// The bodies whose names begin so, in the order in which they were added. They must be `count`: a scene that names its bodies
/// otherwise would leave a test with nothing to judge.
#[track_caller]
pub fn named(world: &World, prefix: &str, count: usize) -> Vec<BodyId> {
    let matches = |id: &BodyId| world.body(*id).unwrap().name().is_some_and(|name| name.starts_with(prefix));
    let found: Vec<BodyId> = world.body_ids().filter(matches).collect();
    assert_eq!(found.len(), count, "bodies whose names begin with {prefix:?}");
    found
}

/// A method that puts nothing to sleep.
pub fn awake(mut method: Method) -> Method {
    method.switches.sleep = false;
    method
}

/// A body whose principal axes are skew to its frame and whose centre of mass is off its origin: whoever mixes up frames
/// gets it wrong.
pub fn lopsided() -> BodyDesc {
    BodyDesc::dynamic()
        .collider(
            ColliderDesc::new(Shape::cuboid(0.5, 0.1, 0.2).unwrap())
                .at([0.3, 0.4, -0.2])
                .rotation(Quat::from_axis_angle(Vec3::new(0.2, 1.0, -0.3), 0.7))
                .density(500.0),
        )
        .collider(ColliderDesc::new(Shape::sphere(0.15).unwrap()).at([-0.4, 0.1, 0.3]).density(2000.0))
}

/// Mass properties by a route other than the engine's: every part's second moments about the origin are summed, and the
/// common centre is taken off at the end.
pub fn mass_about_origin(parts: &[(MassProperties, Pose)]) -> MassProperties {
    let (mut mass, mut first, mut tensor) = (0.0, Vec3::ZERO, Sym3::ZERO);
    for (part, pose) in parts {
        let r = pose.rotation.to_f64().normalized();
        let centre = r.rotate(part.centre) + pose.translation.to_f64();
        mass += part.mass;
        first += centre * part.mass;
        tensor = tensor + part.inertia.rotated(&r.to_mat3()) + Sym3::point_mass(centre) * part.mass;
    }
    let centre = first / mass;
    MassProperties { mass, centre, inertia: tensor - Sym3::point_mass(centre) * mass }
}

/// Fails where mass, centre or inertia differ by more than a share `tolerance` of their size.
#[track_caller]
pub fn assert_same_mass(what: &str, a: &MassProperties, b: &MassProperties, tolerance: f64) {
    assert!((a.mass / b.mass - 1.0).abs() <= tolerance, "{what}: mass {} against {}", a.mass, b.mass);
    let size = (b.inertia.trace() / b.mass).sqrt();
    assert_near(what, a.centre, b.centre, tolerance * (size + b.centre.length()));
    let d = a.inertia - b.inertia;
    let worst = [d.xx, d.yy, d.zz, d.xy, d.xz, d.yz].into_iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    assert!(worst <= tolerance * b.inertia.trace(), "{what}: inertia {:?} against {:?}", a.inertia, b.inertia);
}

/// Everything that a user can see of a world, as text, numbers to the last bit. The materials are those of the colliders
/// and `materials`.
pub fn dump(world: &World, materials: &[MaterialId]) -> String {
    let mut out = String::new();
    let mut line = |text: String| out.push_str(&(text + "\n"));
    line(format!("gravity {:?} clock {:?} method {:?}", world.gravity(), world.clock(), world.method()));
    line(format!("time {} steps {} interpolation {}", world.time(), world.steps(), world.interpolation()));
    line(format!("bodies {} awake {} colliders {}", world.body_count(), world.awake_count(), world.collider_count()));
    line(format!("events {:?} measure {:?}", world.events(), world.measure()));
    for id in world.body_ids().chain([World::BODY]) {
        line(dump_body(world, id));
    }
    let mut materials = materials.to_vec();
    for id in world.collider_ids() {
        let c = world.collider(id).unwrap();
        line(format!(
            "{id} of {} {:?} at {:?} in the world {:?} bounds {:?}",
            c.body(),
            c.shape(),
            c.local_pose(),
            c.pose(),
            c.bounds()
        ));
        line(format!("  {:?} {} {} {}", c.layers(), c.is_sensor(), c.collides(), c.user_data()));
        for slot in 0..3 {
            line(format!("  material {slot}: {}", c.material(slot)));
            materials.push(c.material(slot));
        }
    }
    materials.push(World::MATERIAL);
    materials.sort();
    materials.dedup();
    for &m in &materials {
        line(format!("{m} {:?}", world.material(m)));
        for &o in &materials {
            line(format!("  on {o}: {:?}", world.pair_coefficients(m, o)));
        }
    }
    for id in world.joint_ids() {
        let j = world.joint(id).unwrap();
        line(format!("{id} {:?} of {:?} at {:?} {:?}", j.kind(), j.bodies(), j.local_frames(), j.frames()));
        line(format!("  load {:?} {:?} value {:?}", j.force(), j.torque(), j.value()));
        line(format!("  {:?} {:?} {:?} {}", j.stiffness(), j.break_limits(), j.name(), j.user_data()));
        line(format!("  {} {} {} {}", j.collides(), j.is_active(), j.is_broken(), j.is_debug()));
    }
    for a in world.body_ids() {
        let excluded: Vec<BodyId> = world.body_ids().filter(|&b| world.pair_excluded(a, b).unwrap()).collect();
        line(format!("{a} excludes {excluded:?}"));
    }
    out
}

fn dump_body(world: &World, id: BodyId) -> String {
    let b = world.body(id).unwrap();
    let mut out = String::new();
    let mut put = |name: &str, value: &dyn std::fmt::Debug| write!(out, " {name} {value:?}").unwrap();
    put("body", &b.id());
    put("kind", &b.kind());
    put("pose", &b.pose());
    put("centre", &b.centre_of_mass());
    put("velocity", &(b.linear_velocity(), b.centre_velocity(), b.angular_velocity()));
    put("acceleration", &(b.acceleration_at(Point::ZERO), b.angular_acceleration()));
    put("mass", &b.mass_properties());
    put("momentum", &(b.momentum(), b.angular_momentum(), b.kinetic_energy()));
    put("load", &(b.force(), b.torque()));
    put("damping", &b.damping());
    put("gravity", &b.gravity_scale());
    put("locks", &b.locks());
    put("limits", &b.speed_limits());
    put("name", &(b.name(), b.user_data()));
    put("flags", &(b.is_active(), b.is_debug(), b.is_asleep(), b.can_sleep(), b.is_bullet()));
    put("idle", &b.idle_time());
    put("colliders", &b.colliders().collect::<Vec<_>>());
    out
}

/// A generator of test inputs (SplitMix64): the same sequence everywhere.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// A number in [`lo`, `hi`).
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A vector with components in [-`r`, `r`).
    pub fn vector(&mut self, r: f64) -> Vec3 {
        Vec3::new(self.between(-r, r), self.between(-r, r), self.between(-r, r)).to_real()
    }

    /// Any orientation.
    pub fn rotation(&mut self) -> Quat {
        Quat::from_rotation_vector(Vec3::new(self.between(-2.0, 2.0), self.between(-2.0, 2.0), self.between(-2.0, 2.0)))
            .to_real()
    }
}

/// Counts what each thread allocates.
struct Counting;

thread_local! {
    static ALLOCATIONS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    static LIVE: std::cell::Cell<i64> = const { std::cell::Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator as it came; the counter is a plain number of the thread, which
// needs no memory and no destructor.
unsafe impl std::alloc::GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: std::alloc::Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        LIVE.set(LIVE.get() + layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: std::alloc::Layout) {
        LIVE.set(LIVE.get() - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `dealloc`, and `p` came from the same allocator.
        unsafe { std::alloc::System.dealloc(p, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often the current thread has allocated so far.
pub fn allocations() -> u64 {
    ALLOCATIONS.get()
}

/// Bytes that this thread has asked for and not given back.
pub fn live_bytes() -> i64 {
    LIVE.get()
}

/// Joints of every form in many colours: a net of balls with the edge held, limbs on hinges with and without limits, welded crates, a motor
/// and a kinematic crank, all of them above a floor, and bullets that continuous detection has to stop.
pub fn jointed(size: u32) -> World {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    let ball = Shape::sphere(real(0.1)).unwrap();
    let mut net = Vec::new();
    for i in 0..size * size {
        let (x, z) = (f64::from(i % size) * 0.3, f64::from(i / size) * 0.3);
        let desc = if i < size { BodyDesc::fixed() } else { BodyDesc::dynamic() };
        let spin = Vec3::new(real(0.1 * x), 1.0, real(-0.2 * z));
        let desc = desc.position([x, 1.0, z]).angular_velocity(if i < size { Vec3::ZERO } else { spin });
        net.push(world.add_body(desc.collider(ball.clone())).unwrap());
        let here = net[i as usize];
        if i >= size {
            let joint = JointDesc::ball(net[(i - size) as usize], here).anchor([x, 1.0, z - 0.15]);
            world.add_joint(joint).unwrap();
            if i % size > 0 {
                let joint = JointDesc::ball(net[i as usize - 1], here).anchor([x - 0.15, 1.0, z]);
                world.add_joint(joint).unwrap();
            }
        }
    }
    let limb = Shape::cuboid(real(0.2), real(0.05), real(0.07)).unwrap();
    let part = |world: &mut World, at: [f64; 3]| {
        world.add_body(BodyDesc::dynamic().position(at).collider(limb.clone())).unwrap()
    };
    for i in 0..size {
        let at = |part: i32| [-3.0 - f64::from(part) * 0.44, 0.4 + 0.1 * f64::from(i % 5), f64::from(i) * 0.3];
        let limbs: Vec<_> = (0..4).map(|k| part(&mut world, at(k))).collect();
        let between = |k: i32| [at(k)[0] - 0.22, at(k)[1], at(k)[2]];
        let kinds: [JointKind; 3] =
            [Hinge::limited(real(-0.3), real(0.2)).into(), Hinge::default().into(), Fixed.into()];
        for (k, kind) in (0..).zip(kinds) {
            let (a, b) = (limbs[k as usize], limbs[k as usize + 1]);
            world.add_joint(JointDesc::new(a, b, kind).anchor(between(k)).axis([0.0, 0.2, 1.0])).unwrap();
        }
        // A motor, which no lane holds, and now and then a crank that is moved by nobody's impulse.
        let wheel = part(&mut world, [-6.0, 0.5, f64::from(i) * 0.3]);
        let motor = Hinge::driven(Motor::velocity(real(3.0)).max_force(real(2.0)));
        world.add_joint(JointDesc::new(World::BODY, wheel, motor).axis([0.0, 1.0, 0.0])).unwrap();
        if i % 4 == 0 {
            let crank = BodyDesc::kinematic().position([-7.0, 1.0, f64::from(i)]).angular_velocity([0.0, 2.0, 0.0]);
            let crank = world.add_body(crank.collider(limb.clone())).unwrap();
            let arm = part(&mut world, [-6.6, 1.0, f64::from(i)]);
            world.add_joint(JointDesc::ball(crank, arm).anchor([-6.8, 1.0, f64::from(i)])).unwrap();
        }
        let bullet = BodyDesc::dynamic().position([f64::from(i) * 0.3, 3.0, 1.0]).linear_velocity([1.0, -90.0, 2.0]);
        world.add_body(bullet.bullet(true).collider(Shape::sphere(real(0.03)).unwrap())).unwrap();
    }
    world
}
