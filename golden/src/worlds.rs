//! The worlds. Compiled once for each precision; numbers are written so that they are the same in both.
//!
//! Each shows another part of the engine, and is small: what matters is that every code path that computes is on the way.

use super::engine::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use super::engine::force::{Attraction, Buoyancy, Drag, Explosion, Gravitation, Spring, Uniform};
use super::engine::math::{Point, Pose, Quat, Real, Vec3, WorldPose};
use super::engine::shape::{CompoundChild, HeightFieldDesc, MeshDesc, Shape};
use super::engine::{
    BodyDesc, BodySet, ColliderDesc, EffectDesc, JointDesc, Locks, Material, Method, PairCoefficients, Result,
    Softness, World,
};

/// A world to be built, stepped and hashed.
pub struct Golden {
    /// Its name in the table.
    pub name: &'static str,
    /// How many steps are made.
    pub steps: u32,
    /// Where in the world it is.
    pub origin: Point,
    /// Fills an empty world.
    pub build: fn(&mut World, Point) -> Result<()>,
    /// What is done before a step.
    pub edit: fn(&mut World, u32) -> Result<()>,
}

/// All of them.
pub fn all() -> Vec<Golden> {
    let near = Point::ZERO;
    let far = Point::new(1.0e5, -2.0e4, 3.0e4);
    let leave: fn(&mut World, u32) -> Result<()> = |_, _| Ok(());
    vec![
        Golden { name: "column", steps: 240, origin: near, build: column, edit: leave },
        Golden { name: "pyramid", steps: 180, origin: near, build: pyramid, edit: leave },
        Golden { name: "assorted", steps: 300, origin: near, build: assorted, edit: leave },
        Golden { name: "assorted-far", steps: 180, origin: far, build: assorted, edit: leave },
        Golden { name: "hulls", steps: 180, origin: near, build: hulls, edit: leave },
        Golden { name: "surfaces", steps: 240, origin: near, build: surfaces, edit: leave },
        Golden { name: "tumblers", steps: 240, origin: near, build: tumblers, edit: leave },
        Golden { name: "bullets", steps: 90, origin: near, build: bullets, edit: leave },
        Golden { name: "linkage", steps: 180, origin: near, build: linkage, edit: leave },
        Golden { name: "trees", steps: 240, origin: near, build: trees, edit: drive },
        Golden { name: "effects", steps: 240, origin: near, build: effects, edit: blow },
        Golden { name: "simultaneous", steps: 120, origin: near, build: simultaneous, edit: leave },
        Golden { name: "sleepers", steps: 240, origin: near, build: sleepers, edit: disturb },
    ]
}

/// The same numbers everywhere (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// In [-1, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Components in [-`r`, `r`).
    pub fn vector(&mut self, r: f64) -> Point {
        Point::new(self.unit(), self.unit(), self.unit()) * r
    }

    /// Some orientation.
    pub fn turn(&mut self) -> Quat {
        Quat::from_rotation_vector(self.vector(2.0)).to_real()
    }
}

fn floor(world: &mut World, origin: Point) -> Result<()> {
    world.add_body(BodyDesc::fixed().name("floor").position(origin).collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    Ok(())
}

/// Ten boxes on top of one another, kept awake.
fn column(world: &mut World, origin: Point) -> Result<()> {
    floor(world, origin)?;
    let cube = Shape::cuboid(0.5, 0.5, 0.5)?;
    for i in 0..10 {
        let at = origin + Vec3::new(0.0, f64::from(i) + 0.5, 0.0);
        world.add_body(BodyDesc::dynamic().position(at).mass(10.0).can_sleep(false).collider(cube.clone()))?;
    }
    Ok(())
}

/// A wall of boxes with a base of eight: more manifolds than a register has lanes, in several colours.
fn pyramid(world: &mut World, origin: Point) -> Result<()> {
    floor(world, origin)?;
    let cube = Shape::cuboid(0.5, 0.5, 0.5)?;
    for row in 0..8 {
        for i in 0..8 - row {
            let at = Vec3::new(1.05 * f64::from(i) + 0.525 * f64::from(row) - 4.0, f64::from(row) + 0.5, 0.0);
            world.add_body(BodyDesc::dynamic().position(origin + at).collider(cube.clone()))?;
        }
    }
    Ok(())
}

/// Every kind of shape falls on a mesh and a height field, with a moving platform, a sensor and a shell of two-sided
/// rectangles.
fn assorted(world: &mut World, origin: Point) -> Result<()> {
    let side = 9;
    let mut corners = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..side {
        for j in 0..side {
            let height = 0.05 * f64::from((i * 7 + j * 5) % 4);
            corners.push(Vec3::new(2.0 * f64::from(i) - 8.0, height, 2.0 * f64::from(j) - 8.0).to_real());
            if i + 1 < side && j + 1 < side {
                let a = i * side + j;
                triangles.extend([[a, a + 1, a + side], [a + 1, a + side + 1, a + side]].map(|t| t.map(|v| v as u32)));
            }
        }
    }
    let floor = BodyDesc::fixed().name("floor").position(origin);
    world.add_body(floor.collider(Shape::mesh(MeshDesc::new(corners, triangles))?))?;
    let hill = HeightFieldDesc::new(3, 3, 4.0, 4.0, vec![0.0, 0.1, 0.0, 0.2, 0.8, 0.1, 0.0, 0.3, 0.0]);
    let at = origin + Vec3::new(4.0, 0.3, 3.0);
    world.add_body(BodyDesc::fixed().position(at).collider(Shape::height_field(hill)?))?;
    let lift = BodyDesc::kinematic().position(origin + Vec3::new(-4.0, 0.4, 0.0)).linear_velocity([0.0, 0.2, 0.0]);
    world.add_body(lift.angular_velocity([0.0, 0.7, 0.0]).collider(Shape::cuboid(1.5, 0.2, 1.5)?))?;
    let roof = BodyDesc::fixed().position(origin + Vec3::new(0.0, 1.5, -4.0)).turned([1.0, 0.0, 0.3], 0.4);
    world.add_body(roof.collider(Shape::rectangle(2.0, 1.5)?))?;
    let gate = ColliderDesc::new(Shape::cuboid(2.0, 1.0, 2.0)?).sensor(true);
    world.add_body(BodyDesc::fixed().position(origin + Vec3::new(0.0, 1.0, 0.0)).collider(gate))?;

    let ball = Shape::sphere(0.3)?;
    let ends = [Vec3::X, -Vec3::X].map(|at| CompoundChild::new(ball.clone(), Pose::from_translation(at * 0.4)));
    let mut random = Random(5);
    let points: Vec<Vec3> = (0..14).map(|_| random.vector(0.4).to_real()).collect();
    let shapes = [
        ball.clone(),
        Shape::cuboid(0.3, 0.2, 0.4)?,
        Shape::capsule(0.3, 0.2)?,
        Shape::cylinder(0.2, 0.3)?,
        Shape::cone(0.3, 0.3)?,
        Shape::hull(&points)?,
        Shape::compound(ends.to_vec())?,
    ];
    for i in 0..42_i32 {
        let at = Vec3::new(f64::from(i % 6) * 1.3 - 4.0, 1.0 + f64::from(i / 6) * 0.9, f64::from(i % 4) * 1.1 - 2.0);
        let shape = shapes[i as usize % shapes.len()].clone();
        let desc = BodyDesc::dynamic().position(origin + at).rotation(random.turn());
        world.add_body(desc.angular_velocity(random.vector(3.0).to_real()).collider(shape))?;
    }
    Ok(())
}

/// Hulls of different sizes pour into a tray of boxes.
fn hulls(world: &mut World, origin: Point) -> Result<()> {
    let mut tray = BodyDesc::fixed().position(origin);
    for (at, half) in [
        ([0.0, -0.2, 0.0], [2.4, 0.2, 2.4]),
        ([2.2, 0.8, 0.0], [0.2, 0.8, 2.4]),
        ([-2.2, 0.8, 0.0], [0.2, 0.8, 2.4]),
        ([0.0, 0.8, 2.2], [2.4, 0.8, 0.2]),
        ([0.0, 0.8, -2.2], [2.4, 0.8, 0.2]),
    ] {
        let [x, y, z]: [Real; 3] = half;
        tray = tray.collider(ColliderDesc::new(Shape::cuboid(x, y, z)?).at(at));
    }
    world.add_body(tray)?;
    let mut random = Random(11);
    for i in 0..30 {
        let size = 0.25 + 0.1 * f64::from(i % 4);
        let points: Vec<Vec3> = (0..8 + i % 17).map(|_| random.vector(size).to_real()).collect();
        let at = Vec3::new(f64::from(i % 3) - 1.0, 0.8 + f64::from(i / 9) * 0.9, f64::from((i / 3) % 3) - 1.0);
        let desc = BodyDesc::dynamic().position(origin + at).rotation(random.turn());
        world.add_body(desc.collider(Shape::hull(&points)?))?;
    }
    Ok(())
}

/// Slopes and belts: friction of all kinds, restitution, moving surfaces, softness, a special pair.
fn surfaces(world: &mut World, origin: Point) -> Result<()> {
    floor(world, origin)?;
    let belt = Material { surface_velocity: Vec3::new(1.5, 0.0, 0.0), ..Material::default() };
    let belt = ColliderDesc::new(Shape::cuboid(3.0, 0.1, 1.0)?).material(belt);
    world.add_body(BodyDesc::fixed().position(origin + Vec3::new(0.0, 0.1, 3.0)).collider(belt))?;
    let ice = world.add_material(Material::named("ice")?)?;
    let steel = world.add_material(Material::named("steel")?)?;
    let pair =
        PairCoefficients { static_friction: 0.11, dynamic_friction: 0.07, ..world.pair_coefficients(ice, steel)? };
    world.set_material_pair(ice, steel, Some(pair))?;
    let slope = BodyDesc::fixed().position(origin + Vec3::new(0.0, 1.0, -3.0)).turned([0.0, 0.0, 1.0], 0.3);
    world.add_body(slope.collider(ColliderDesc::new(Shape::cuboid(3.0, 0.1, 1.5)?).material(ice)))?;

    let rough = Material { rolling_friction: 0.02, spinning_friction: 0.01, ..Material::default() };
    let soft = Material { softness: Some(Softness { hertz: 6.0, damping_ratio: 0.5 }), ..Material::default() };
    for i in 0..6_i32 {
        let x = f64::from(i) - 2.5;
        let mut put = |collider: ColliderDesc, at: Vec3<f64>, v: [Real; 3], w: [Real; 3]| {
            let desc = BodyDesc::dynamic().position(origin + at).linear_velocity(v).angular_velocity(w);
            world.add_body(desc.collider(collider)).map(|_| ())
        };
        let bounce = [0.0, 0.2, 0.5, 0.7, 0.9, 1.0][i as usize];
        let ball = ColliderDesc::new(Shape::sphere(0.25)?);
        put(ball.clone().restitution(bounce), Vec3::new(x, 2.0, 0.0), [0.0; 3], [0.0, 0.0, 4.0])?;
        put(ball.clone().material(rough.clone()), Vec3::new(x, 0.25, 1.0), [2.0, 0.0, 0.0], [0.0, 9.0, 0.0])?;
        let cube = ColliderDesc::new(Shape::cuboid(0.2, 0.2, 0.2)?);
        put(cube.clone().material(steel), Vec3::new(x, 1.5 + 0.31 * x, -3.0), [0.0; 3], [0.0; 3])?;
        put(cube.clone(), Vec3::new(0.8 * x, 0.45, 3.0), [0.0; 3], [0.0, 2.0, 0.0])?;
        put(cube.material(soft.clone()), Vec3::new(x, 0.4, 5.0), [0.0; 3], [0.0; 3])?;
    }
    Ok(())
}

/// Bodies that spin in flight: gyroscopic torque, forces, damping, locks, limits of speed, gravity of their own.
fn tumblers(world: &mut World, origin: Point) -> Result<()> {
    world.set_gravity([0.3, -1.0, 0.2])?;
    let mut random = Random(23);
    for i in 0..24_i32 {
        let shape = match i % 3 {
            0 => Shape::cuboid(0.5, 0.05, 0.2)?,
            1 => Shape::cylinder(0.02, 0.5)?,
            _ => Shape::capsule(1.0, 0.03)?,
        };
        let at = Vec3::new(f64::from(i % 5) * 4.0 - 8.0, 8.0, f64::from(i / 5) * 4.0 - 8.0);
        let mut desc = BodyDesc::dynamic().position(origin + at).rotation(random.turn());
        desc.angular_velocity = random.vector(40.0).to_real();
        desc.linear_velocity = random.vector(3.0).to_real();
        match i % 6 {
            0 => desc = desc.damping(0.3, 0.2),
            1 => desc = desc.locks(Locks::MOVE_X | Locks::TURN_Y),
            2 => desc = desc.speed_limits(2.0, 10.0),
            3 => desc = desc.gravity_scale(-0.5),
            4 => (desc.force, desc.torque) = (random.vector(5.0).to_real(), random.vector(1.0).to_real()),
            _ => {}
        }
        world.add_body(desc.collider(shape))?;
    }
    Ok(())
}

/// Fast small balls against thin plates and against each other: continuous detection.
fn bullets(world: &mut World, origin: Point) -> Result<()> {
    floor(world, origin)?;
    let plate = BodyDesc::fixed().position(origin + Vec3::new(0.0, 2.0, 0.0)).turned([0.0, 0.0, 1.0], 0.2);
    world.add_body(plate.collider(Shape::cuboid(0.01, 2.0, 3.0)?))?;
    let ball = Shape::sphere(0.05)?;
    for i in 0..10_i32 {
        let at =
            origin + Vec3::new(if i % 2 == 0 { -4.0 } else { 4.0 }, 1.0 + 0.2 * f64::from(i), 0.3 * f64::from(i) - 1.5);
        let speed = 80.0 + 30.0 * f64::from(i);
        let velocity = Vec3::new(if i % 2 == 0 { speed } else { -speed }, 0.0, 0.0).to_real();
        let shot = BodyDesc::dynamic().position(at).linear_velocity(velocity).bullet(i % 3 == 0);
        world.add_body(shot.collider(ColliderDesc::new(ball.clone()).restitution(0.4)))?;
    }
    Ok(())
}

/// A chain that swings, a door on its hinge, a cart on a rail, a rod and a rope.
fn linkage(world: &mut World, origin: Point) -> Result<()> {
    floor(world, origin)?;
    let at = |x: f64, y: f64, z: f64| origin + Vec3::new(x, y, z);
    let link = Shape::capsule(0.2, 0.05)?;
    let mut last = World::BODY;
    for i in 0..8 {
        let x = 0.5 * f64::from(i);
        // The same number in both precisions.
        #[allow(clippy::approx_constant)]
        let desc = BodyDesc::dynamic().position(at(x + 0.25, 5.0, 0.0)).turned([0.0, 0.0, 1.0], 1.570_796_3);
        let body = world.add_body(desc.collider(link.clone()))?;
        world.add_joint(JointDesc::ball(last, body).anchor(at(x, 5.0, 0.0)))?;
        last = body;
    }
    let panel = Shape::cuboid(0.5, 1.0, 0.05)?;
    let door = BodyDesc::dynamic().position(at(0.5, 1.2, 3.0)).angular_velocity([0.0, 4.0, 0.0]);
    let door = world.add_body(door.collider(panel.clone()))?;
    world.add_joint(JointDesc::hinge(World::BODY, door).anchor(at(0.0, 1.2, 3.0)).axis([0.0, 1.0, 0.0]))?;
    let cart = BodyDesc::dynamic().position(at(0.0, 2.0, -3.0)).linear_velocity([1.0, 0.0, 0.0]);
    let cart = world.add_body(cart.collider(Shape::cuboid(0.3, 0.2, 0.2)?))?;
    world.add_joint(JointDesc::slider(World::BODY, cart).anchor(at(0.0, 2.0, -3.0)).axis([1.0, -0.2, 0.0]))?;
    let bob = world.add_body(BodyDesc::dynamic().position(at(1.0, 1.4, -3.0)).collider(Shape::sphere(0.2)?))?;
    world.add_joint(JointDesc::rod(cart, bob, 1.2).anchor_a(at(0.0, 2.0, -3.0)).anchor_b(at(1.0, 1.4, -3.0)))?;
    Ok(())
}

/// Articulations: an arm on the floor with motors, limits and springs, which hits a pile, and a free tree with a ball joint and a rail, which falls.
fn trees(world: &mut World, origin: Point) -> Result<()> {
    floor(world, origin)?;
    let at = |x: f64, y: f64, z: f64| origin + Vec3::new(x, y, z);
    let limb = || -> Result<BodyDesc> { Ok(BodyDesc::dynamic().collider(Shape::cuboid(0.1, 0.5, 0.1)?)) };
    let mut arm = ArticulationDesc::new().name("arm");
    let foot = WorldPose::from_translation(at(0.0, 1.0, 0.0));
    let turn = Dof { damping: 0.5, ..Dof::default() }.motor(Motor::velocity(1.5, 400.0));
    let first =
        LinkDesc::revolute(limb()?, [0.0, 0.0, 1.0]).frames(foot, WorldPose::from_translation([0.0, -0.5, 0.0]));
    let mut last = arm.add(first.dof(0, turn));
    for i in 0..3 {
        let bend = Dof { stiffness: 40.0, damping: 4.0, ..Dof::default() }.limits(-1.0, 1.0);
        let axis = if i % 2 == 0 { [0.0, 0.0, 1.0] } else { [1.0, 0.0, 0.0] };
        let link = LinkDesc::revolute(limb()?, axis).parent(last).at([0.0, 0.5, 0.0]).anchor([0.0, -0.5, 0.0]);
        last = arm.add(link.dof(0, bend));
    }
    world.add_articulation(arm)?;
    let cube = Shape::cuboid(0.3, 0.3, 0.3)?;
    for i in 0..3 {
        let place = at(-1.6, 0.3 + 0.6 * f64::from(i), 0.0);
        world.add_body(BodyDesc::dynamic().position(place).mass(5.0).collider(cube.clone()))?;
    }
    let mut kite = ArticulationDesc::new();
    let root = BodyDesc::dynamic().position(at(4.0, 3.0, 0.0)).turned([1.0, 0.5, 0.2], 0.7).collider(cube);
    let root = kite.add(LinkDesc::free(root));
    let tail = LinkDesc::spherical(limb()?).parent(root).at([0.0, -0.4, 0.0]).anchor([0.0, 0.5, 0.0]);
    let tail = kite.add(tail.velocity(&[0.5, 0.0, -1.0]));
    let slide = Dof { friction: 5.0, ..Dof::default() }.limits(-0.3, 0.3);
    kite.add(LinkDesc::prismatic(limb()?, [1.0, 0.0, 0.0]).parent(tail).at([0.2, -0.5, 0.0]).dof(0, slide));
    world.add_articulation(kite)?;
    Ok(())
}

/// The arm turns back.
fn drive(world: &mut World, step: u32) -> Result<()> {
    if step == 120
        && let Some(id) = world.find_articulation("arm")
    {
        let back = Dof::default().motor(Motor::velocity(-2.0, 400.0));
        world.articulation_mut(id)?.set_dof(0, 0, back)?;
    }
    Ok(())
}

/// Every kind of force effect, on bodies that fly, float, hang and orbit.
fn effects(world: &mut World, origin: Point) -> Result<()> {
    floor(world, origin)?;
    let at = |x: f64, y: f64, z: f64| origin + Vec3::new(x, y, z);
    let (cube, ball) = (Shape::cuboid(0.4, 0.3, 0.5)?, Shape::sphere(0.3)?);
    let mut set = Vec::new();
    for i in 0..6 {
        let shape = if i % 2 == 0 { cube.clone() } else { ball.clone() };
        let light = ColliderDesc::new(shape).density(400.0);
        let desc = BodyDesc::dynamic().position(at(1.2 * f64::from(i), 1.0 + 0.4 * f64::from(i), 0.0));
        set.push(world.add_body(desc.turned([0.3, 1.0, 0.1], 0.5).collider(light))?);
    }
    let water = Buoyancy::new([0.0, 1.0, 0.1], 0.8, 1000.0).drag(Drag::linear(200.0));
    world.add_effect(EffectDesc::new(water).bodies(BodySet::list(set[..3].iter().copied())))?;
    world.add_effect(EffectDesc::new(Drag::quadratic(0.8).wind([3.0, 0.0, 1.0])).bodies(BodySet::except([set[0]])))?;
    world.add_effect(EffectDesc::spring(set[3], set[4], Spring::new(1.0, 2000.0).damping(30.0)))?;
    world.add_effect(EffectDesc::spring(World::BODY, set[5], Spring::new(2.0, 900.0).anchor_a(at(6.0, 6.0, 0.0))))?;
    world.add_effect(EffectDesc::new(Uniform::new([0.0, 0.5, -0.5])).window(0.5, 2.0))?;
    let planet =
        BodyDesc::dynamic().position(at(0.0, 20.0, 0.0)).gravity_scale(0.0).mass(1000.0).collider(ball.clone());
    let planet = world.add_body(planet)?;
    let moon = BodyDesc::dynamic().position(at(3.0, 20.0, 0.0)).linear_velocity([0.0, 0.0, 2.0]).gravity_scale(0.0);
    let moon = world.add_body(moon.mass(10.0).collider(ball))?;
    world.add_effect(EffectDesc::new(Gravitation::new(0.01)).bodies(BodySet::list([planet, moon])))?;
    world.add_effect(
        EffectDesc::new(Attraction::new(at(0.0, 20.0, 1.0), 2.0).softening(0.5)).bodies(BodySet::list([moon])),
    )?;
    Ok(())
}

/// Something goes off under the floats.
fn blow(world: &mut World, step: u32) -> Result<()> {
    if step == 90 {
        let end = world.time() + 0.1;
        world.add_effect(EffectDesc::explosion(Explosion::new([1.0, 0.0, 0.0], 5.0e3), end))?;
    }
    Ok(())
}

/// A small wall by the other method, which solves everything at once.
fn simultaneous(world: &mut World, origin: Point) -> Result<()> {
    world.set_method(Method::simultaneous())?;
    floor(world, origin)?;
    let (cube, ball) = (Shape::cuboid(0.5, 0.5, 0.5)?, Shape::sphere(0.4)?);
    for i in 0..9_i32 {
        let at = Vec3::new(1.1 * f64::from(i % 3) + 0.2 * f64::from(i / 3), 0.6 + 1.1 * f64::from(i / 3), 0.0);
        let shape = if i % 4 == 3 { ball.clone() } else { cube.clone() };
        world.add_body(BodyDesc::dynamic().position(origin + at).collider(shape))?;
    }
    Ok(())
}

/// Small piles that fall asleep, apart from each other.
fn sleepers(world: &mut World, origin: Point) -> Result<()> {
    floor(world, origin)?;
    let cube = Shape::cuboid(0.3, 0.3, 0.3)?;
    for pile in 0..6 {
        for i in 0..4 {
            let at = Vec3::new(f64::from(pile) * 2.0 - 5.0, 0.3 + 0.6 * f64::from(i), 0.0);
            let name = format!("{pile}-{i}");
            world.add_body(BodyDesc::dynamic().name(name).position(origin + at).collider(cube.clone()))?;
        }
    }
    Ok(())
}

/// One pile loses its foot, one is pushed, one is shot at; the others sleep on.
fn disturb(world: &mut World, step: u32) -> Result<()> {
    match step {
        120 => {
            if let Some(id) = world.find_body("1-0") {
                world.remove_body(id)?;
            }
        }
        140 => {
            if let Some(id) = world.find_body("3-2") {
                world.body_mut(id)?.apply_impulse([0.0, 0.0, 300.0])?;
            }
        }
        150 => {
            let shot = BodyDesc::dynamic().position([5.0, 1.0, 6.0]).linear_velocity([0.0, 1.0, -15.0]);
            world.add_body(shot.collider(Shape::sphere(0.2)?))?;
        }
        _ => {}
    }
    Ok(())
}
