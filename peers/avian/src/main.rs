//! Avian: its default parameters, sleep off, in an app of Bevy without anything else, one update of 1/60 s a step.
#![forbid(unsafe_code)]

use avian3d::dynamics::solver::schedule::SubstepCount;
use avian3d::prelude::*;
use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use std::process::ExitCode;
use std::time::Duration;
use tumble_peer_driver::{Engine, Fault};
use tumble_scene::flat::{self, Flat, Freedom, Motion};

struct Avian {
    app: App,
    bodies: Vec<Entity>,
}

fn vector(v: &[f64]) -> Vec3 {
    Vec3::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

fn turn(p: &flat::Pose) -> Quat {
    Quat::from_xyzw(p[3] as f32, p[4] as f32, p[5] as f32, p[6] as f32)
}

fn shape(shape: &flat::Shape) -> Result<Collider, Fault> {
    let failed = || Fault::Failed("a shape was refused".to_owned());
    let points = |points: &[[f64; 3]]| points.iter().map(|p| vector(p)).collect::<Vec<_>>();
    Ok(match shape {
        flat::Shape::Plane(normal, _) => Collider::half_space(vector(normal)),
        flat::Shape::Ball(radius) => Collider::sphere(*radius as f32),
        flat::Shape::Box([x, y, z]) => Collider::cuboid(2.0 * *x as f32, 2.0 * *y as f32, 2.0 * *z as f32),
        flat::Shape::Capsule(half, radius) => Collider::capsule(*radius as f32, 2.0 * *half as f32),
        flat::Shape::Hull(corners) => Collider::convex_hull(points(corners)).ok_or_else(failed)?,
        flat::Shape::Mesh(corners, triangles) => {
            Collider::try_trimesh(points(corners), triangles.clone()).map_err(|_| failed())?
        }
    })
}

/// Where a collider is on its body.
fn place(collider: &flat::Collider, shape: &flat::Shape) -> Transform {
    let at = Transform::from_translation(vector(&collider.pose)).with_rotation(turn(&collider.pose));
    match shape {
        flat::Shape::Plane(normal, offset) => at * Transform::from_translation(vector(normal) * *offset as f32),
        _ => at,
    }
}

impl Engine for Avian {
    const NAME: &'static str = "avian";
    const VERSION: &'static str = "0.7.0";

    fn settings(&self) -> String {
        let steps = self.app.world().resource::<SubstepCount>().0;
        format!("{steps} sub-steps, joints by extended position-based dynamics, no interpolation")
    }

    fn build(flat: &Flat, threads: usize) -> Result<Self, Fault> {
        let mut app = App::new();
        if threads > 1 && !cfg!(feature = "parallel") {
            return Err(Fault::Unsupported("threads in this build"));
        }
        // The thread that asks works too.
        let pool =
            TaskPoolPlugin { task_pool_options: TaskPoolOptions::with_num_threads(threads.saturating_sub(1).max(1)) };
        app.add_plugins((MinimalPlugins.set(pool), TransformPlugin, PhysicsPlugins::new(PostUpdate)));
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        app.insert_resource(Gravity(vector(&flat.gravity)));
        app.finish();
        app.cleanup();
        let shapes = flat.shapes.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
        let world = app.world_mut();
        let mut bodies = Vec::with_capacity(flat.bodies.len());
        for body in &flat.bodies {
            let at = Transform::from_translation(vector(&body.pose)).with_rotation(turn(&body.pose));
            let mut entity = world.spawn((at, SleepingDisabled));
            let speeds = |v: &[f64]| (LinearVelocity(vector(v)), AngularVelocity(vector(&v[3..])));
            let own = (NoAutoMass, NoAutoAngularInertia, NoAutoCenterOfMass);
            match &body.motion {
                Motion::Fixed => {
                    entity.insert(RigidBody::Static);
                }
                Motion::Kinematic { velocity } => {
                    entity.insert((RigidBody::Kinematic, speeds(velocity), CenterOfMass(Vec3::ZERO), own));
                }
                Motion::Dynamic { velocity, mass, centre, inertia: [xx, yy, zz, xy, xz, yz] } => {
                    let columns = [vector(&[*xx, *xy, *xz]), vector(&[*xy, *yy, *yz]), vector(&[*xz, *yz, *zz])];
                    let [x, y, z] = columns;
                    let inertia = AngularInertia::from_mat3_unchecked(Mat3::from_cols(x, y, z));
                    let mass = (Mass(*mass as f32), inertia, CenterOfMass(vector(centre)));
                    entity.insert((RigidBody::Dynamic, speeds(velocity), mass, own));
                }
            }
            let id = entity.id();
            for (i, collider) in body.colliders.iter().enumerate() {
                let of = &flat.shapes[collider.shape as usize];
                let made = (
                    shapes[collider.shape as usize].clone(),
                    Friction::new(collider.friction as f32),
                    Restitution::new(collider.restitution as f32),
                );
                let local = place(collider, of);
                // What is not where its body is has an entity of its own.
                if i == 0 && local == Transform::IDENTITY {
                    world.entity_mut(id).insert(made);
                } else {
                    world.spawn((made, local, ChildOf(id)));
                }
            }
            bodies.push(id);
        }
        let mut ground = None;
        for joint in &flat.joints {
            let [a, b] = joint.bodies.map(|body| match body {
                Some(index) => bodies[index as usize],
                None => *ground.get_or_insert_with(|| world.spawn((RigidBody::Static, Transform::IDENTITY)).id()),
            });
            let [fa, fb] = joint.frames.map(|p| Isometry3d::new(vector(&p), turn(&p)));
            let apart = JointCollisionDisabled;
            match joint.freedom {
                Freedom::Ball => {
                    let joint = SphericalJoint::new(a, b).with_local_frame1(fa).with_local_frame2(fb);
                    world.spawn((joint, apart));
                }
                Freedom::Fixed => {
                    world.spawn((FixedJoint::new(a, b).with_local_frame1(fa).with_local_frame2(fb), apart));
                }
                Freedom::Hinge(low, high) => {
                    let mut joint =
                        RevoluteJoint::new(a, b).with_local_frame1(fa).with_local_frame2(fb).with_hinge_axis(Vec3::X);
                    if low.is_finite() && high.is_finite() {
                        joint = joint.with_angle_limits(low as f32, high as f32);
                    }
                    world.spawn((joint, apart));
                }
            }
        }
        // Bevy's clock starts with the first update, in which no time passes whatever it is told, and without time no physics run. The
        // second one prepares what was added, in a time that moves nothing and is not rounded to 0 where sub-steps share it.
        app.update();
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_micros(1)));
        app.update();
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 60.0)));
        Ok(Self { app, bodies })
    }

    fn step(&mut self) {
        self.app.update();
    }

    fn states(&self) -> Vec<[f64; 13]> {
        let world = self.app.world();
        let one = |&id: &Entity| {
            let entity = world.entity(id);
            let p = entity.get::<Position>().map_or(Vec3::NAN, |p| p.0);
            let q = entity.get::<Rotation>().map_or(Quat::NAN, |q| q.0);
            let v = entity.get::<LinearVelocity>().map_or(Vec3::ZERO, |v| v.0);
            let w = entity.get::<AngularVelocity>().map_or(Vec3::ZERO, |w| w.0);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z].map(f64::from)
        };
        self.bodies.iter().map(one).collect()
    }

    fn cast(&mut self, rays: &[[f64; 6]], hit: &mut dyn FnMut(f64)) -> Result<(), Fault> {
        let mut state: SystemState<SpatialQuery> = SystemState::new(self.app.world_mut());
        let query = state.get(self.app.world())?;
        let filter = SpatialQueryFilter::default();
        for ray in rays {
            let way = vector(&ray[3..]);
            let along = Dir3::new(way).map_err(|_| Fault::Failed("a ray without a direction".to_owned()))?;
            if let Some(found) = query.cast_ray(vector(ray), along, way.length(), true, &filter) {
                hit(f64::from(found.distance));
            }
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    tumble_peer_driver::main::<Avian>()
}
