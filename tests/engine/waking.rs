//! 003-104: whom every call that changes a world wakes, and whom it lets sleep.
//!
//! One table has every public call that takes a world, a body, a joint, a force effect or an articulation mutably; a test reads the source
//! and misses any that is not in it.

use crate::support::real;
use std::collections::BTreeSet;
use std::sync::Arc;
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor as LinkMotor};
use tumble::constraint::joint::{Fixed, Hinge};
use tumble::constraint::{Constraint, Frames, Limit, Motor, Rows, Stiffness};
use tumble::force::{Affected, Drag, Spring, Uniform};
use tumble::math::{Isa, Pose, Quat, Vec3, WorldPose};
use tumble::shape::Shape;
use tumble::{
    ArticulationId, BodyDesc, BodyId, BodyKind, BodySet, Clock, ColliderDesc, ColliderId, ContactHook, EffectDesc,
    EffectId, ForceEffect, HookedContact, JointDesc, JointId, Layers, Locks, MassSource, Material, MaterialId,
    MaterialSource, Method, World,
};

const DT: f64 = 1.0 / 60.0;

/// Two stacks of three cubes on one kinematic plate and a rod that hangs beside them, all asleep: three islands.
#[derive(Clone)]
struct Sleepers {
    world: World,
    plate: BodyId,
    /// The stack that the calls are about, from below.
    stack: [BodyId; 3],
    /// The other stack on the same plate.
    other: [BodyId; 3],
    rod: BodyId,
    tree: ArticulationId,
    /// Of the lowest cube of the stack, which alone is made of `material`.
    collider: ColliderId,
    material: MaterialId,
    /// Between the upper two of the stack.
    joint: JointId,
    /// On the lowest of the stack.
    effect: EffectId,
}

fn block(body: BodyDesc, x: f64, y: f64) -> BodyDesc {
    body.position([x, y, 0.0]).collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap())
}

fn cube(x: f64, y: f64) -> BodyDesc {
    block(BodyDesc::dynamic(), x, y)
}

fn sleepers() -> Sleepers {
    let mut method = Method::soft_step();
    // The rod has no contacts, and would take its time.
    method.sleep.unsupported_factor = 1.0;
    let mut world = World::with_method(method).unwrap();
    let plate = BodyDesc::kinematic().position([2.5, -0.25, 0.0]).collider(Shape::cuboid(8.0, 0.25, 4.0).unwrap());
    let plate = world.add_body(plate).unwrap();
    let [stack, other] = [0.0, 5.0].map(|x| [0.5, 1.5, 2.5].map(|y| world.add_body(cube(x, y)).unwrap()));
    let collider = world.body(stack[0]).unwrap().colliders().next().unwrap();
    let material = world.add_material(Material::default()).unwrap();
    world.set_collider_material(collider, material).unwrap();
    let hinge = JointDesc::new(stack[1], stack[2], Hinge::default()).anchor([0.0, 2.0, 0.0]).collide(true);
    let joint = world.add_joint(hinge.axis([0.0, 1.0, 0.0])).unwrap();
    let push = EffectDesc::new(Uniform::new([0.0, -0.1, 0.0])).bodies(BodySet::list([stack[0]]));
    let effect = world.add_effect(push).unwrap();
    let mut desc = ArticulationDesc::new();
    let rod = BodyDesc::dynamic().collider(Shape::cuboid(0.1, 0.5, 0.1).unwrap());
    desc.add(LinkDesc::revolute(rod, [0.0, 0.0, 1.0]).at([-20.0, 5.0, 0.0]).anchor([0.0, 0.5, 0.0]));
    let tree = world.add_articulation(desc).unwrap();
    let rod = world.articulation(tree).unwrap().link(0).unwrap();
    for _ in 0..120 {
        world.step(real(DT)).unwrap();
    }
    assert_eq!(world.awake_count(), 0, "all sleep");
    Sleepers { world, plate, stack, other, rod, tree, collider, material, joint, effect }
}

/// Who is awake afterwards; nobody else may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wakes {
    Nobody,
    Stack,
    Other,
    Stacks,
    Tree,
    Everybody,
}
use Wakes::{Everybody, Nobody, Other, Stack, Stacks, Tree};

struct Row {
    /// Type and function; what is peculiar about the case, if anything, in brackets.
    call: &'static str,
    wakes: Wakes,
    /// Steps after which to look.
    steps: u32,
    edit: fn(&mut Sleepers),
}

fn row(call: &'static str, wakes: Wakes, edit: fn(&mut Sleepers)) -> Row {
    Row { call, wakes, steps: 1, edit }
}

fn bodies() -> Vec<Row> {
    /// On the middle one of the stack.
    macro_rules! body {
        ($call:literal, $wakes:expr, |$b:ident| $edit:expr) => {
            row(concat!("BodyMut::", $call), $wakes, |s| {
                #[allow(unused_mut, reason = "the macro cannot know")]
                let mut $b = s.world.body_mut(s.stack[1]).unwrap();
                $edit;
            })
        };
    }
    /// On the plate.
    macro_rules! plate {
        ($call:literal, $wakes:expr, |$b:ident| $edit:expr) => {
            row(concat!("BodyMut::", $call), $wakes, |s| {
                let mut $b = s.world.body_mut(s.plate).unwrap();
                $edit;
            })
        };
    }
    vec![
        body!("set_kind", Stack, |b| b.set_kind(BodyKind::Kinematic).unwrap()),
        body!("set_kind (to what it is)", Nobody, |b| b.set_kind(BodyKind::Dynamic).unwrap()),
        plate!("set_kind (of the support)", Stacks, |b| b.set_kind(BodyKind::Fixed).unwrap()),
        body!("set_pose", Stack, |b| b.set_pose(WorldPose::from_translation([0.01, 1.5, 0.0])).unwrap()),
        plate!("set_pose (of the support)", Stacks, |b| {
            b.set_pose(WorldPose::from_translation([2.5, -0.26, 0.0])).unwrap()
        }),
        body!("set_position", Stack, |b| b.set_position([0.01, 1.5, 0.0]).unwrap()),
        body!("set_rotation", Stack, |b| b.set_rotation(Quat::from_axis_angle(Vec3::Y, 0.1)).unwrap()),
        plate!("set_target", Stacks, |b| b.set_target(WorldPose::from_translation([2.5, -0.26, 0.0])).unwrap()),
        plate!("set_target (to stay)", Nobody, |b| {
            let here = b.view().pose();
            b.set_target(here).unwrap()
        }),
        body!("set_velocity", Stack, |b| b.set_velocity([0.1, 0.0, 0.0], [0.0, 0.1, 0.0]).unwrap()),
        plate!("set_velocity (of the support)", Stacks, |b| b.set_velocity([0.1, 0.0, 0.0], Vec3::ZERO).unwrap()),
        plate!("set_velocity (to stay)", Nobody, |b| b.set_velocity(Vec3::ZERO, Vec3::ZERO).unwrap()),
        body!("set_linear_velocity", Stack, |b| b.set_linear_velocity([0.1, 0.0, 0.0]).unwrap()),
        body!("set_angular_velocity", Stack, |b| b.set_angular_velocity([0.0, 0.1, 0.0]).unwrap()),
        body!("set_damping", Stack, |b| b.set_damping(0.1, 0.1).unwrap()),
        body!("set_gravity_scale", Stack, |b| b.set_gravity_scale(0.5).unwrap()),
        body!("set_locks", Stack, |b| b.set_locks(Locks::TURN).unwrap()),
        body!("set_speed_limits", Stack, |b| b.set_speed_limits(10.0, 10.0).unwrap()),
        body!("set_mass", Stack, |b| b.set_mass(MassSource::Total(7.0)).unwrap()),
        body!("set_name", Nobody, |b| b.set_name(Some("b".to_owned()))),
        body!("set_user_data", Nobody, |b| b.set_user_data(7)),
        body!("set_debug", Nobody, |b| b.set_debug(true)),
        body!("set_active", Stack, |b| b.set_active(false)),
        plate!("set_active (of the support)", Stacks, |b| b.set_active(false)),
        body!("set_can_sleep", Stack, |b| b.set_can_sleep(false)),
        // It is for motions to come, and takes part in none.
        body!("set_bullet", Nobody, |b| b.set_bullet(true)),
        body!("wake_up", Stack, |b| b.wake_up()),
        body!("put_to_sleep", Nobody, |b| b.put_to_sleep().unwrap()),
        body!("set_force", Stack, |b| b.set_force([0.1, 0.0, 0.0]).unwrap()),
        body!("set_force (to what it is)", Nobody, |b| b.set_force(Vec3::ZERO).unwrap()),
        body!("set_torque", Stack, |b| b.set_torque([0.0, 0.1, 0.0]).unwrap()),
        body!("set_torque (to what it is)", Nobody, |b| b.set_torque(Vec3::ZERO).unwrap()),
        body!("add_force_at", Stack, |b| b.add_force_at([0.1, 0.0, 0.0], [0.0, 1.5, 0.0]).unwrap()),
        body!("apply_force", Stack, |b| b.apply_force([0.1, 0.0, 0.0]).unwrap()),
        body!("apply_force_at", Stack, |b| b.apply_force_at([0.1, 0.0, 0.0], [0.0, 1.5, 0.0]).unwrap()),
        body!("apply_torque", Stack, |b| b.apply_torque([0.0, 0.1, 0.0]).unwrap()),
        body!("apply_impulse", Stack, |b| b.apply_impulse([0.1, 0.0, 0.0]).unwrap()),
        body!("apply_impulse_at", Stack, |b| b.apply_impulse_at([0.1, 0.0, 0.0], [0.0, 1.5, 0.0]).unwrap()),
        body!("apply_angular_impulse", Stack, |b| b.apply_angular_impulse([0.0, 0.1, 0.0]).unwrap()),
    ]
}

/// A force effect and a constraint of a user, which do nothing.
#[derive(Debug)]
struct Nothing;

impl ForceEffect for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn apply(&self, _: &mut Affected<'_>) {}
}

impl Constraint for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn rows(&self, _: &Frames, _: &mut Rows) {}
}

/// Goes through everything.
#[derive(Debug)]
struct Ghost;

impl ContactHook for Ghost {
    fn name(&self) -> &str {
        "ghost"
    }

    fn contact(&self, contact: &mut HookedContact<'_>) {
        contact.refuse();
    }
}

fn worlds() -> Vec<Row> {
    vec![
        row("World::add_body", Stack, |s| {
            s.world.add_body(cube(0.0, 3.5)).unwrap();
        }),
        row("World::add_body (that does not move)", Stack, |s| {
            s.world.add_body(block(BodyDesc::fixed(), 0.9, 1.5)).unwrap();
        }),
        row("World::add_body (far away)", Nobody, |s| {
            s.world.add_body(cube(50.0, 0.5)).unwrap();
        }),
        Row {
            call: "World::add_body (a kinematic one that comes)",
            wakes: Stack,
            steps: 60,
            edit: |s| {
                let ram = block(BodyDesc::kinematic(), -2.5, 0.6).linear_velocity([2.0, 0.0, 0.0]);
                s.world.add_body(ram).unwrap();
            },
        },
        Row {
            call: "World::add_body (a kinematic one that stays out of reach)",
            wakes: Nobody,
            steps: 20,
            edit: |s| {
                let ram = block(BodyDesc::kinematic(), -2.5, 0.6).linear_velocity([2.0, 0.0, 0.0]);
                s.world.add_body(ram).unwrap();
            },
        },
        Row {
            call: "World::add_body (one that falls onto them)",
            wakes: Stack,
            steps: 30,
            edit: |s| {
                s.world.add_body(cube(0.0, 4.0)).unwrap();
            },
        },
        row("World::add_body (a sensor)", Nobody, |s| {
            let eye = ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).sensor(true);
            s.world.add_body(BodyDesc::kinematic().position([-9.0, 2.0, 0.0]).collider(eye)).unwrap();
        }),
        row("World::remove_body", Stack, |s| s.world.remove_body(s.stack[0]).unwrap()),
        row("World::remove_body (the common support)", Stacks, |s| s.world.remove_body(s.plate).unwrap()),
        row("World::remove_body (far away)", Nobody, |s| {
            let id = s.world.add_body(block(BodyDesc::fixed(), 50.0, 0.5)).unwrap();
            s.world.remove_body(id).unwrap();
        }),
        row("World::add_collider", Stack, |s| {
            let extra = ColliderDesc::new(Shape::sphere(real(0.2)).unwrap());
            s.world.add_collider(s.stack[2], extra).unwrap();
        }),
        row("World::remove_collider", Stack, |s| s.world.remove_collider(s.collider).unwrap()),
        row("World::set_collider_shape", Stack, |s| {
            s.world.set_collider_shape(s.collider, Shape::sphere(0.5).unwrap()).unwrap();
        }),
        row("World::set_collider_pose", Stack, |s| {
            let pose = Pose::from_translation(Vec3::new(0.0, -0.01, 0.0).to_real());
            s.world.set_collider_pose(s.collider, pose).unwrap();
        }),
        row("World::set_collider_material", Stack, |s| {
            s.world.set_collider_material(s.collider, Material::default().with_friction(0.0)).unwrap();
        }),
        row("World::set_collider_material_at", Stack, |s| {
            s.world.set_collider_material_at(s.collider, 0, Material::default().with_friction(0.0)).unwrap();
        }),
        row("World::set_collider_materials", Stack, |s| {
            let ice = MaterialSource::Own(Material::default().with_friction(0.0));
            s.world.set_collider_materials(s.collider, vec![ice]).unwrap();
        }),
        row("World::set_collider_layers", Stack, |s| {
            s.world.set_collider_layers(s.collider, Layers { member: 1, meets: 0 }).unwrap();
        }),
        row("World::set_collider_density", Stack, |s| {
            s.world.set_collider_density(s.collider, Some(500.0)).unwrap();
        }),
        row("World::set_collider_hooked", Stack, |s| s.world.set_collider_hooked(s.collider, true).unwrap()),
        // The contacts begin and end for the user, and are found anew.
        row("World::set_collider_contact_events", Stack, |s| {
            s.world.set_collider_contact_events(s.collider, false).unwrap();
        }),
        row("World::set_collider_impact_speed", Stack, |s| {
            s.world.set_collider_impact_speed(s.collider, 1.0).unwrap();
        }),
        row("World::set_collider_user_data", Nobody, |s| s.world.set_collider_user_data(s.collider, 7).unwrap()),
        row("World::set_collider_sensor", Stack, |s| s.world.set_collider_sensor(s.collider, true).unwrap()),
        row("World::set_collider_collides", Stack, |s| s.world.set_collider_collides(s.collider, false).unwrap()),
        row("World::set_pair_excluded", Stack, |s| {
            s.world.set_pair_excluded(s.stack[0], s.stack[1], true).unwrap();
        }),
        row("World::set_pair_excluded (from the support)", Stacks, |s| {
            s.world.set_pair_excluded(s.stack[0], s.plate, true).unwrap();
        }),
        row("World::add_material", Nobody, |s| {
            s.world.add_material(Material::default()).unwrap();
        }),
        row("World::set_material", Stack, |s| {
            s.world.set_material(s.material, Material::default().with_friction(0.0)).unwrap();
        }),
        row("World::set_material (of all others)", Everybody, |s| {
            s.world.set_material(World::MATERIAL, Material::default().with_restitution(0.5)).unwrap();
        }),
        row("World::set_material (density)", Stack, |s| {
            s.world.set_material(s.material, Material { density: 10.0, ..Material::default() }).unwrap();
        }),
        row("World::remove_material", Nobody, |s| {
            let unused = s.world.add_material(Material::default()).unwrap();
            s.world.remove_material(unused).unwrap();
        }),
        row("World::set_material_pair", Stack, |s| {
            let pair = tumble::library_pair("wood", "steel").unwrap();
            s.world.set_material_pair(s.material, s.material, Some(pair)).unwrap();
        }),
        row("World::add_joint", Stack, |s| {
            s.world.add_joint(JointDesc::ball(s.stack[0], s.stack[2])).unwrap();
        }),
        row("World::add_joint (to the support)", Stack, |s| {
            s.world.add_joint(JointDesc::fixed(s.plate, s.stack[0]).collide(true)).unwrap();
        }),
        row("World::add_joint (between the stacks)", Stacks, |s| {
            s.world.add_joint(JointDesc::rope(s.stack[2], s.other[2], 9.0)).unwrap();
        }),
        row("World::add_joint (to the rod)", Everybody, |s| {
            s.world.add_joint(JointDesc::rope(s.stack[2], s.rod, 99.0)).unwrap();
            s.world.add_joint(JointDesc::rope(s.other[2], s.rod, 99.0)).unwrap();
        }),
        row("World::remove_joint", Stack, |s| s.world.remove_joint(s.joint).unwrap()),
        row("World::add_effect", Stack, |s| {
            let wind = EffectDesc::new(Uniform::new([1.0, 0.0, 0.0])).bodies(BodySet::list([s.stack[1]]));
            s.world.add_effect(wind).unwrap();
        }),
        row("World::add_effect (on all)", Everybody, |s| {
            s.world.add_effect(EffectDesc::new(Uniform::new([1.0, 0.0, 0.0]))).unwrap();
        }),
        row("World::add_effect (a spring between the stacks)", Stacks, |s| {
            s.world.add_effect(EffectDesc::spring(s.stack[2], s.other[2], Spring::new(5.0, 10.0))).unwrap();
        }),
        row("World::add_effect (off)", Nobody, |s| {
            s.world.add_effect(EffectDesc::new(Uniform::new([1.0, 0.0, 0.0])).active(false)).unwrap();
        }),
        row("World::add_effect (in a second)", Nobody, |s| {
            let start = s.world.time() + 1.0;
            s.world.add_effect(EffectDesc::new(Uniform::new([1.0, 0.0, 0.0])).window(start, 99.0)).unwrap();
        }),
        Row {
            call: "World::add_effect (a second later)",
            wakes: Stack,
            steps: 62,
            edit: |s| {
                let wind = EffectDesc::new(Uniform::new([1.0, 0.0, 0.0])).bodies(BodySet::list([s.stack[1]]));
                let start = s.world.time() + 1.0;
                s.world.add_effect(wind.window(start, 99.0)).unwrap();
            },
        },
        row("World::remove_effect", Stack, |s| s.world.remove_effect(s.effect).unwrap()),
        row("World::register_effect", Nobody, |s| s.world.register_effect(Arc::new(Nothing))),
        row("World::register_constraint", Nobody, |s| s.world.register_constraint(Arc::new(Nothing))),
        row("World::add_articulation", Nobody, |s| {
            let mut desc = ArticulationDesc::new();
            desc.add(LinkDesc::free(cube(0.0, 0.0)).at([50.0, 0.5, 0.0]));
            s.world.add_articulation(desc).unwrap();
        }),
        row("World::remove_articulation", Nobody, |s| {
            s.world.remove_articulation(s.tree).unwrap();
            s.rod = s.stack[0];
        }),
        row("World::articulate", Stack, |s| {
            s.world.articulate(s.stack[2]).unwrap();
        }),
        row("World::dissolve", Tree, |s| {
            s.world.dissolve(s.tree).unwrap();
        }),
        row("World::set_gravity", Everybody, |s| s.world.set_gravity([0.0, -5.0, 0.0]).unwrap()),
        row("World::set_gravity (to what it is)", Nobody, |s| {
            let same = s.world.gravity();
            s.world.set_gravity(same).unwrap();
        }),
        row("World::set_method", Everybody, |s| s.world.set_method(Method::simultaneous()).unwrap()),
        row("World::set_method (to what it is)", Nobody, |s| {
            let same = s.world.method().clone();
            s.world.set_method(same).unwrap();
        }),
        row("World::set_contact_hook", Everybody, |s| s.world.set_contact_hook(Some(Arc::new(Ghost)))),
        row("World::set_clock", Nobody, |s| s.world.set_clock(Clock::default()).unwrap()),
        row("World::set_isa", Nobody, |s| s.world.set_isa(Isa::SCALAR)),
        row("World::set_keep_start", Nobody, |s| s.world.set_keep_start(false)),
        row("World::set_threads", Nobody, |s| s.world.set_threads(2).unwrap()),
        row("World::set_thread_pool", Nobody, |s| s.world.set_thread_pool(None)),
        row("World::order_trees", Nobody, |s| s.world.order_trees()),
        row("World::reserve", Nobody, |s| s.world.reserve(100)),
        row("World::step", Nobody, |s| s.world.step(real(DT)).unwrap()),
        row("World::simulate", Nobody, |s| {
            s.world.simulate(0.5).unwrap();
        }),
        row("World::restore", Nobody, |s| {
            let bytes = s.world.snapshot().unwrap();
            s.world.body_mut(s.stack[0]).unwrap().wake_up();
            s.world.restore(&bytes).unwrap();
        }),
        row("World::restart", Everybody, |s| s.world.restart().unwrap()),
    ]
}

fn joints() -> Vec<Row> {
    macro_rules! joint {
        ($call:literal, $wakes:expr, |$j:ident| $edit:expr) => {
            row(concat!("JointMut::", $call), $wakes, |s| {
                let mut $j = s.world.joint_mut(s.joint).unwrap();
                $edit.unwrap();
            })
        };
    }
    vec![
        joint!("edit", Stack, |j| j.edit(|kind| *kind = Fixed.into())),
        joint!("set_kind", Stack, |j| j.set_kind(Fixed)),
        joint!("set_motor", Stack, |j| j.set_motor(Some(Motor::velocity(real(0.5))))),
        joint!("set_limit", Stack, |j| j.set_limit(Some(Limit::new(real(-0.1), real(0.1))))),
        joint!("set_frame_a", Stack, |j| j.set_frame_a([0.0, 0.5, 0.0], Quat::IDENTITY)),
        joint!("set_frame_b", Stack, |j| j.set_frame_b([0.0, -0.5, 0.0], Quat::IDENTITY)),
        joint!("set_anchor_a", Stack, |j| j.set_anchor_a([0.0, 0.5, 0.0])),
        joint!("set_anchor_b", Stack, |j| j.set_anchor_b([0.0, -0.5, 0.0])),
        joint!("set_stiffness", Stack, |j| j.set_stiffness(Stiffness::tuned(real(5.0), real(1.0)))),
        joint!("set_break_limits", Stack, |j| j.set_break_limits(real(1e5), real(1e5))),
        joint!("set_collide", Stack, |j| j.set_collide(false)),
        joint!("set_active", Stack, |j| j.set_active(false)),
        joint!("set_active (to what it is)", Nobody, |j| j.set_active(true)),
        joint!("set_debug", Nobody, |j| j.set_debug(true)),
        joint!("set_name", Nobody, |j| j.set_name(Some("j".to_owned()))),
        joint!("set_user_data", Nobody, |j| j.set_user_data(7)),
    ]
}

fn effects() -> Vec<Row> {
    macro_rules! effect {
        ($call:literal, $wakes:expr, |$s:ident, $e:ident| $edit:expr) => {
            row(concat!("EffectMut::", $call), $wakes, |$s| {
                let mut $e = $s.world.effect_mut($s.effect).unwrap();
                $edit.unwrap();
            })
        };
    }
    vec![
        effect!("edit", Stack, |s, e| e.edit(|kind| *kind = Uniform::new([0.0, -0.2, 0.0]).into())),
        effect!("set_kind", Stack, |s, e| e.set_kind(Drag::default())),
        // Who belonged before and after feels nothing new.
        effect!("set_bodies", Other, |s, e| e.set_bodies(BodySet::list([s.stack[0], s.other[0]]))),
        effect!("set_bodies (others)", Stacks, |s, e| e.set_bodies(BodySet::list([s.other[0]]))),
        effect!("include", Other, |s, e| e.include(s.other[0])),
        effect!("exclude", Stack, |s, e| e.exclude(s.stack[0])),
        effect!("set_window", Stack, |s, e| e.set_window(0.0, 99.0)),
        effect!("set_remove_at_end", Nobody, |s, e| e.set_remove_at_end(true)),
        effect!("set_active", Stack, |s, e| e.set_active(false)),
        effect!("set_active (to what it is)", Nobody, |s, e| e.set_active(true)),
        effect!("set_name", Nobody, |s, e| e.set_name(Some("e".to_owned()))),
        effect!("set_user_data", Nobody, |s, e| e.set_user_data(7)),
    ]
}

fn articulations() -> Vec<Row> {
    macro_rules! tree {
        ($call:literal, $wakes:expr, |$t:ident| $edit:expr) => {
            row(concat!("ArticulationMut::", $call), $wakes, |s| {
                let mut $t = s.world.articulation_mut(s.tree).unwrap();
                $edit.unwrap();
            })
        };
    }
    vec![
        tree!("set_position", Tree, |t| t.set_position(&[0.1])),
        tree!("set_velocity", Tree, |t| t.set_velocity(&[0.1])),
        tree!("apply_joint_impulse", Tree, |t| t.apply_joint_impulse(0, 0, 1.0)),
        tree!("set_force", Tree, |t| t.set_force(0, 0, 1.0)),
        tree!("set_force (to what it is)", Nobody, |t| t.set_force(0, 0, 0.0)),
        tree!("set_motor", Tree, |t| t.set_motor(0, 0, LinkMotor::velocity(1.0, 5.0))),
        tree!("set_dof", Tree, |t| t.set_dof(0, 0, Dof { damping: 1.0, ..Dof::default() })),
        tree!("set_target", Tree, |t| t.set_target(0, &[0.5])),
        tree!("set_rest", Tree, |t| t.set_rest(0, &[0.5])),
        row("ArticulationMut::set_name", Nobody, |s| {
            s.world.articulation_mut(s.tree).unwrap().set_name(Some("t".to_owned()));
        }),
        // The rod as a body.
        row("BodyMut::apply_impulse (on a link)", Tree, |s| {
            s.world.body_mut(s.rod).unwrap().apply_impulse([1.0, 0.0, 0.0]).unwrap();
        }),
    ]
}

fn table() -> Vec<Row> {
    [bodies(), worlds(), joints(), effects(), articulations()].into_iter().flatten().collect()
}

/// Every call wakes the islands that it concerns as wholes, and no other: the stack beside it on the same plate sleeps on.
#[test]
fn every_call_wakes_whom_it_concerns() {
    let start = sleepers();
    let mut wrong = Vec::new();
    let rows = table();
    for row in &rows {
        let mut s = start.clone();
        (row.edit)(&mut s);
        for _ in 0..row.steps {
            s.world.step(real(DT)).unwrap();
        }
        s.world.audit().unwrap();
        // Who is gone, or is no longer dynamic, says nothing.
        let awake = |ids: &[BodyId]| -> BTreeSet<bool> {
            let there = ids.iter().filter_map(|&id| s.world.body(id).ok());
            there.filter(|b| b.kind() == BodyKind::Dynamic && b.is_active()).map(|b| !b.is_asleep()).collect()
        };
        let expected = match row.wakes {
            Nobody => [false, false, false],
            Stack => [true, false, false],
            Other => [false, true, false],
            Stacks => [true, true, false],
            Tree => [false, false, true],
            Everybody => [true, true, true],
        };
        for ((what, ids), expected) in
            [("the stack", &s.stack[..]), ("the other", &s.other[..]), ("the rod", &[s.rod][..])]
                .into_iter()
                .zip(expected)
        {
            if awake(ids) != BTreeSet::from([expected]) {
                wrong.push(format!("{}: {what} is awake: {:?}, expected {expected}", row.call, awake(ids)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} calls:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Public functions of this type in a source file that take it mutably.
fn mutable_calls(source: &str, of: &str) -> BTreeSet<String> {
    let mut calls = BTreeSet::new();
    let mut inside = false;
    let mut name = None;
    for line in source.lines() {
        if let Some(rest) = line.strip_prefix("impl ") {
            inside = rest.starts_with(&format!("{of} ")) || rest.starts_with(&format!("{of}<"));
        }
        let line = line.trim();
        if let Some(rest) = line.strip_prefix("pub fn ") {
            name = Some(rest.split(['(', '<']).next().unwrap().to_owned());
        }
        if inside && line.contains("&mut self") {
            calls.extend(name.take().map(|name| format!("{of}::{name}")));
        }
        if line.ends_with('{') {
            name = None;
        }
    }
    calls
}

/// The table above has every call.
#[test]
fn no_call_is_left_out() {
    macro_rules! source {
        ($file:literal) => {
            include_str!(concat!("../../crates/tumble/src/", $file))
        };
    }
    let sources = [
        ("BodyMut", source!("body/body_mut.rs")),
        ("BodyMut", source!("body/body_push.rs")),
        ("JointMut", source!("constraint/joint/view.rs")),
        ("EffectMut", source!("force/view.rs")),
        ("ArticulationMut", source!("articulation/view.rs")),
        ("World", source!("record/mod.rs")),
        ("World", source!("world/mod.rs")),
        ("World", source!("world/articulations.rs")),
        ("World", source!("world/assemblies.rs")),
        ("World", source!("world/batch.rs")),
        ("World", source!("world/bodies.rs")),
        ("World", source!("world/colliders.rs")),
        ("World", source!("world/contacts.rs")),
        ("World", source!("world/effects.rs")),
        ("World", source!("world/joints.rs")),
        ("World", source!("world/materials.rs")),
        ("World", source!("world/time.rs")),
    ];
    let mut calls: BTreeSet<String> = sources.into_iter().flat_map(|(of, text)| mutable_calls(text, of)).collect();
    assert!(calls.len() > 100, "the source is read: {calls:?}");
    // Views by which the others are called, and what leaves no body to wake.
    for passed in ["body_mut", "joint_mut", "effect_mut", "articulation_mut", "reset"] {
        assert!(calls.remove(&format!("World::{passed}")), "{passed}");
    }
    let listed: BTreeSet<String> = table().iter().map(|r| r.call.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(calls, listed);
}
