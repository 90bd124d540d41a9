//! Rapier: its default parameters, sleep off.
#![forbid(unsafe_code)]

use rapier3d::prelude::*;
use std::process::ExitCode;
use tumble_peer_driver::{Engine, Fault};
use tumble_scene::flat::{self, Flat, Freedom, Motion};

struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

fn vector(v: &[f64]) -> Vector {
    Vector::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

fn pose(p: &flat::Pose) -> Pose {
    let rotation = Rotation::from_xyzw(p[3] as f32, p[4] as f32, p[5] as f32, p[6] as f32);
    Pose::from_parts(vector(p), rotation)
}

fn shape(shape: &flat::Shape) -> Result<SharedShape, Fault> {
    let failed = || Fault::Failed("a shape was refused".to_owned());
    let points = |points: &[[f64; 3]]| points.iter().map(|p| vector(p)).collect::<Vec<_>>();
    Ok(match shape {
        flat::Shape::Plane(normal, _) => SharedShape::halfspace(vector(normal)),
        flat::Shape::Ball(radius) => SharedShape::ball(*radius as f32),
        flat::Shape::Box([x, y, z]) => SharedShape::cuboid(*x as f32, *y as f32, *z as f32),
        flat::Shape::Capsule(half, radius) => SharedShape::capsule_y(*half as f32, *radius as f32),
        flat::Shape::Hull(corners) => SharedShape::convex_hull(&points(corners)).ok_or_else(failed)?,
        flat::Shape::Mesh(corners, triangles) => {
            SharedShape::trimesh(points(corners), triangles.clone()).map_err(|_| failed())?
        }
    })
}

impl Engine for Rapier {
    const NAME: &'static str = if cfg!(feature = "simd8") { "rapier-best" } else { "rapier" };
    const VERSION: &'static str = "0.36.1";

    fn settings(&self) -> String {
        let p = &self.world.integration_parameters;
        let lanes = if cfg!(feature = "simd8") { "simd8, native" } else { "default features" };
        format!("{} solver iterations, length unit {}, {lanes}", p.num_solver_iterations, p.length_unit)
    }

    fn build(flat: &Flat, threads: usize) -> Result<Self, Fault> {
        let mut world = PhysicsWorld::new();
        world.gravity = vector(&flat.gravity);
        if threads > 1 {
            #[cfg(feature = "parallel")]
            world.configure_thread_pool(threads)?;
            #[cfg(not(feature = "parallel"))]
            return Err(Fault::Unsupported("threads in this build"));
        }
        let shapes = flat.shapes.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
        let mut bodies = Vec::with_capacity(flat.bodies.len());
        for body in &flat.bodies {
            let mut desc = match &body.motion {
                Motion::Fixed => RigidBodyBuilder::fixed(),
                Motion::Kinematic { velocity } => {
                    RigidBodyBuilder::kinematic_velocity_based().linvel(vector(velocity)).angvel(vector(&velocity[3..]))
                }
                Motion::Dynamic { velocity, mass, centre, inertia: [xx, yy, zz, xy, xz, yz] } => {
                    let inertia =
                        Matrix::from_cols(vector(&[*xx, *xy, *xz]), vector(&[*xy, *yy, *yz]), vector(&[*xz, *yz, *zz]));
                    let mass = MassProperties::with_inertia_matrix(vector(centre), *mass as f32, inertia);
                    RigidBodyBuilder::dynamic()
                        .linvel(vector(velocity))
                        .angvel(vector(&velocity[3..]))
                        .additional_mass_properties(mass)
                }
            };
            desc = desc.pose(pose(&body.pose)).can_sleep(false);
            let handle = world.insert_body(desc);
            for collider in &body.colliders {
                let mut at = pose(&collider.pose);
                if let flat::Shape::Plane(normal, offset) = &flat.shapes[collider.shape as usize] {
                    at *= Pose::from_translation(vector(normal) * *offset as f32);
                }
                let desc = ColliderBuilder::new(shapes[collider.shape as usize].clone())
                    .position(at)
                    .friction(collider.friction as f32)
                    .restitution(collider.restitution as f32)
                    .density(0.0);
                world.insert_collider(desc, Some(handle));
            }
            bodies.push(handle);
        }
        let mut ground = None;
        for joint in &flat.joints {
            let [a, b] = joint.bodies.map(|body| match body {
                Some(index) => bodies[index as usize],
                None => *ground.get_or_insert_with(|| world.insert_body(RigidBodyBuilder::fixed())),
            });
            let locked = match joint.freedom {
                Freedom::Ball => JointAxesMask::LOCKED_SPHERICAL_AXES,
                Freedom::Hinge(..) => JointAxesMask::LOCKED_REVOLUTE_AXES,
                Freedom::Fixed => JointAxesMask::LOCKED_FIXED_AXES,
            };
            let mut desc = GenericJointBuilder::new(locked)
                .local_frame1(pose(&joint.frames[0]))
                .local_frame2(pose(&joint.frames[1]))
                .contacts_enabled(false);
            if let Freedom::Hinge(low, high) = joint.freedom
                && low.is_finite()
                && high.is_finite()
            {
                desc = desc.limits(JointAxis::AngX, [low as f32, high as f32]);
            }
            world.insert_impulse_joint(a, b, desc);
        }
        Ok(Self { world, bodies })
    }

    fn step(&mut self) {
        self.world.step();
    }

    fn states(&self) -> Vec<[f64; 13]> {
        let one = |handle: &RigidBodyHandle| {
            let body = &self.world.bodies[*handle];
            let (p, q) = (body.translation(), body.rotation());
            let (v, w) = (body.linvel(), body.angvel());
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z].map(f64::from)
        };
        self.bodies.iter().map(one).collect()
    }

    fn cast(&mut self, rays: &[[f64; 6]], hit: &mut dyn FnMut(f64)) -> Result<(), Fault> {
        let query = self.world.query_pipeline();
        for ray in rays {
            let way = vector(&ray[3..]);
            let length = way.length();
            if let Some((_, far)) = query.cast_ray(&Ray::new(vector(ray), way / length), length, true) {
                hit(f64::from(far));
            }
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    tumble_peer_driver::main::<Rapier>()
}
