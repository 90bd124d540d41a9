//! PhysX: its default parameters with one of its two solvers, sleep and damping off.
//!
//! Its C++ objects are made once, are used by this thread alone, and live as long as the process: that is what every call into the
//! library relies on.

use physx_sys::*;
use std::collections::HashMap;
use std::process::ExitCode;
use std::ptr::null_mut;
use tumble_peer_driver::{Engine, Fault};
use tumble_scene::flat::{self, Collider, Flat, Freedom, Motion};

const TGS: bool = cfg!(feature = "tgs");
const STEP: f32 = 1.0 / 60.0;
/// So long, in seconds, a body that has come to rest stays awake.
const FOR_EVER: f32 = 1e9;

struct PhysX {
    scene: *mut PxScene,
    bodies: Vec<*mut PxRigidActor>,
    fixed: Vec<bool>,
    kinematic: Vec<Kinematic>,
}

/// A body that keeps its velocity, and where it is.
struct Kinematic {
    body: *mut PxRigidDynamic,
    at: PxTransform,
    linear: PxVec3,
    /// The turn of a step.
    turn: PxQuat,
}

fn vector(v: &[f64]) -> PxVec3 {
    PxVec3 { x: v[0] as f32, y: v[1] as f32, z: v[2] as f32 }
}

fn pose(p: &flat::Pose) -> PxTransform {
    PxTransform { q: PxQuat { x: p[3] as f32, y: p[4] as f32, z: p[5] as f32, w: p[6] as f32 }, p: vector(p) }
}

/// The Hamilton product.
fn product(a: PxQuat, b: PxQuat) -> PxQuat {
    PxQuat {
        x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    }
}

fn failed(what: &str) -> Fault {
    Fault::Failed(what.to_owned())
}

fn bounded<T>(list: &[T]) -> PxBoundedData {
    PxBoundedData {
        stride: size_of::<T>() as u32,
        structgen_pad0: [0; 4],
        data: list.as_ptr().cast(),
        count: list.len() as u32,
        structgen_pad1: [0; 4],
    }
}

/// A geometry as one of its base class, with whose fields it begins.
fn base<T>(geometry: &T) -> *const PxGeometry {
    std::ptr::from_ref(geometry).cast()
}

/// The library, and what of it is shared by many bodies.
struct Factory<'a> {
    physics: *mut PxPhysics,
    shapes: &'a [flat::Shape],
    convex: HashMap<u32, *mut PxConvexMesh>,
    meshes: HashMap<u32, *mut PxTriangleMesh>,
    materials: HashMap<[u64; 2], *mut PxMaterial>,
    /// Equal colliders are one shape, as its manual advises.
    colliders: HashMap<(u32, [u64; 9]), *mut PxShape>,
}

impl Factory<'_> {
    fn cooking(&self) -> PxCookingParams {
        // SAFETY: the library is there.
        unsafe { PxCookingParams_new(PxPhysics_getTolerancesScale(self.physics)) }
    }

    fn hull(&mut self, index: u32, corners: &[[f64; 3]]) -> Result<*mut PxConvexMesh, Fault> {
        if let Some(&known) = self.convex.get(&index) {
            return Ok(known);
        }
        let points: Vec<PxVec3> = corners.iter().map(|p| vector(p)).collect();
        // SAFETY: the points outlive the call, which copies them.
        let mesh = unsafe {
            let mut desc = PxConvexMeshDesc_new();
            desc.points = bounded(&points);
            desc.flags = PxConvexFlags::ComputeConvex;
            phys_PxCreateConvexMesh(&self.cooking(), &desc, phys_PxGetStandaloneInsertionCallback(), null_mut())
        };
        if mesh.is_null() {
            return Err(failed("a hull was refused"));
        }
        self.convex.insert(index, mesh);
        Ok(mesh)
    }

    fn mesh(&mut self, index: u32, corners: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<*mut PxTriangleMesh, Fault> {
        if let Some(&known) = self.meshes.get(&index) {
            return Ok(known);
        }
        let points: Vec<PxVec3> = corners.iter().map(|p| vector(p)).collect();
        // SAFETY: points and triangles outlive the call, which copies them.
        let mesh = unsafe {
            let mut desc = PxTriangleMeshDesc_new();
            desc.points = bounded(&points);
            desc.triangles = bounded(triangles);
            phys_PxCreateTriangleMesh(&self.cooking(), &desc, phys_PxGetStandaloneInsertionCallback(), null_mut())
        };
        if mesh.is_null() {
            return Err(failed("a mesh was refused"));
        }
        self.meshes.insert(index, mesh);
        Ok(mesh)
    }

    fn material(&mut self, collider: &Collider) -> *mut PxMaterial {
        let (friction, restitution) = (collider.friction, collider.restitution);
        let physics = self.physics;
        *self.materials.entry([friction.to_bits(), restitution.to_bits()]).or_insert_with(|| {
            // SAFETY: the library is there.
            unsafe { PxPhysics_createMaterial_mut(physics, friction as f32, friction as f32, restitution as f32) }
        })
    }

    fn collider(&mut self, collider: &Collider) -> Result<*mut PxShape, Fault> {
        let [a, b, c, d, e, f, g] = collider.pose.map(f64::to_bits);
        let key = [a, b, c, d, e, f, g, collider.friction.to_bits(), collider.restitution.to_bits()];
        if let Some(&known) = self.colliders.get(&(collider.shape, key)) {
            return Ok(known);
        }
        let material = self.material(collider);
        let all = self.shapes;
        let shape = all.get(collider.shape as usize).ok_or_else(|| failed("a shape is missing"))?;
        let mut own = pose(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        // SAFETY: the library copies geometries. Materials and meshes are alive.
        let made = unsafe {
            let flags = PxShapeFlags::SimulationShape | PxShapeFlags::SceneQueryShape;
            let physics = self.physics;
            let make =
                |geometry: *const PxGeometry| PxPhysics_createShape_mut(physics, geometry, material, false, flags);
            let scale = PxMeshScale_new();
            match shape {
                flat::Shape::Plane(n, offset) => {
                    let n = vector(n);
                    own = phys_PxTransformFromPlaneEquation(&PxPlane_new_1(n.x, n.y, n.z, -*offset as f32));
                    make(base(&PxPlaneGeometry_new()))
                }
                flat::Shape::Ball(radius) => make(base(&PxSphereGeometry_new(*radius as f32))),
                flat::Shape::Box([x, y, z]) => make(base(&PxBoxGeometry_new(*x as f32, *y as f32, *z as f32))),
                flat::Shape::Capsule(half, radius) => {
                    // Along x there, along y here.
                    let r = 0.5_f32.sqrt();
                    own.q = PxQuat { x: 0.0, y: 0.0, z: r, w: r };
                    make(base(&PxCapsuleGeometry_new(*radius as f32, *half as f32)))
                }
                flat::Shape::Hull(corners) => {
                    let mesh = self.hull(collider.shape, corners)?;
                    make(base(&PxConvexMeshGeometry_new(mesh, &scale, PxConvexMeshGeometryFlags::TightBounds)))
                }
                flat::Shape::Mesh(corners, triangles) => {
                    let mesh = self.mesh(collider.shape, corners, triangles)?;
                    make(base(&PxTriangleMeshGeometry_new(mesh, &scale, PxMeshGeometryFlags::empty())))
                }
            }
        };
        if made.is_null() {
            return Err(failed("a shape was refused"));
        }
        // SAFETY: the shape has no actor yet.
        unsafe {
            let local = PxTransform_transform_1(&pose(&collider.pose), &own);
            PxShape_setLocalPose_mut(made, &local);
        }
        self.colliders.insert((collider.shape, key), made);
        Ok(made)
    }
}

impl Engine for PhysX {
    const NAME: &'static str = if TGS { "physx-tgs" } else { "physx-pgs" };
    const VERSION: &'static str = "5.1.3";

    fn settings(&self) -> String {
        let solver = if TGS { "TGS" } else { "PGS" };
        format!("{solver}, 4 position iterations, 1 velocity iteration, patch friction, persistent manifolds")
    }

    fn build(flat: &Flat, threads: usize) -> Result<Self, Fault> {
        // SAFETY: as said at the head of this file; descriptions are copied.
        let (physics, scene) = unsafe {
            let physics = physx_create_physics(physx_create_foundation());
            let mut desc = PxSceneDesc_new(PxPhysics_getTolerancesScale(physics));
            desc.gravity = vector(&flat.gravity);
            desc.solverType = if TGS { PxSolverType::Tgs } else { PxSolverType::Pgs };
            desc.wakeCounterResetValue = FOR_EVER;
            desc.filterShader = get_default_simulation_filter_shader();
            // Without workers the thread that asks does the work; with them it waits.
            let workers = if threads > 1 { threads as u32 } else { 0 };
            let wait = PxDefaultCpuDispatcherWaitForWorkMode::WaitForWork;
            desc.cpuDispatcher = phys_PxDefaultCpuDispatcherCreate(workers, null_mut(), wait, 0).cast();
            (physics, PxPhysics_createScene_mut(physics, &desc))
        };
        if scene.is_null() {
            return Err(failed("the scene was refused"));
        }
        let mut factory = Factory {
            physics,
            shapes: &flat.shapes,
            convex: HashMap::new(),
            meshes: HashMap::new(),
            materials: HashMap::new(),
            colliders: HashMap::new(),
        };
        let mut engine = Self { scene, bodies: Vec::new(), fixed: Vec::new(), kinematic: Vec::new() };
        for body in &flat.bodies {
            let at = pose(&body.pose);
            let fixed = body.motion == Motion::Fixed;
            // SAFETY: the library is there.
            let actor: *mut PxRigidActor = unsafe {
                if fixed {
                    PxPhysics_createRigidStatic_mut(physics, &at).cast()
                } else {
                    PxPhysics_createRigidDynamic_mut(physics, &at).cast()
                }
            };
            if actor.is_null() {
                return Err(failed("a body was refused"));
            }
            for collider in &body.colliders {
                let shape = factory.collider(collider)?;
                // SAFETY: both are alive. It refuses what such a body cannot have, and says so.
                if !unsafe { PxRigidActor_attachShape_mut(actor, shape) } {
                    return Err(Fault::Unsupported("such shapes on bodies that move"));
                }
            }
            let body_of: *mut PxRigidBody = actor.cast();
            let dynamic: *mut PxRigidDynamic = actor.cast();
            // SAFETY: bodies that are not fixed are of this class.
            unsafe {
                match &body.motion {
                    Motion::Fixed => {}
                    Motion::Kinematic { velocity } => {
                        PxRigidBody_setRigidBodyFlag_mut(body_of, PxRigidBodyFlag::Kinematic, true);
                        let half = velocity[3..].iter().map(|w| 0.5 * w / 60.0).collect::<Vec<f64>>();
                        let angle = half.iter().map(|w| w * w).sum::<f64>().sqrt();
                        let s = if angle > 0.0 { angle.sin() / angle } else { 1.0 };
                        let axis = vector(&[half[0] * s, half[1] * s, half[2] * s]);
                        let turn = PxQuat { x: axis.x, y: axis.y, z: axis.z, w: angle.cos() as f32 };
                        engine.kinematic.push(Kinematic { body: dynamic, at, linear: vector(velocity), turn });
                    }
                    Motion::Dynamic { velocity, mass, centre, inertia: [xx, yy, zz, xy, xz, yz] } => {
                        let inertia = PxMat33 {
                            column0: vector(&[*xx, *xy, *xz]),
                            column1: vector(&[*xy, *yy, *yz]),
                            column2: vector(&[*xz, *yz, *zz]),
                        };
                        let mut axes = pose(&body.pose).q;
                        let principal = phys_PxDiagonalize(&inertia, &mut axes);
                        PxRigidBody_setMass_mut(body_of, *mass as f32);
                        PxRigidBody_setMassSpaceInertiaTensor_mut(body_of, &principal);
                        PxRigidBody_setCMassLocalPose_mut(body_of, &PxTransform { q: axes, p: vector(centre) });
                        PxRigidBody_setLinearDamping_mut(body_of, 0.0);
                        PxRigidBody_setAngularDamping_mut(body_of, 0.0);
                        PxRigidDynamic_setLinearVelocity_mut(dynamic, &vector(velocity), true);
                        PxRigidDynamic_setAngularVelocity_mut(dynamic, &vector(&velocity[3..]), true);
                        PxRigidDynamic_setSleepThreshold_mut(dynamic, 0.0);
                        PxRigidDynamic_setWakeCounter_mut(dynamic, FOR_EVER);
                    }
                }
            }
            engine.bodies.push(actor);
            engine.fixed.push(fixed);
        }
        for joint in &flat.joints {
            let [a, b] = joint.bodies.map(|body| body.map_or(null_mut(), |index| engine.bodies[index as usize]));
            let [frame_a, frame_b] = joint.frames.map(|frame| pose(&frame));
            // SAFETY: the bodies are alive; no body stands for the world.
            unsafe {
                match joint.freedom {
                    Freedom::Ball => {
                        phys_PxSphericalJointCreate(physics, a, &frame_a, b, &frame_b);
                    }
                    Freedom::Fixed => {
                        phys_PxFixedJointCreate(physics, a, &frame_a, b, &frame_b);
                    }
                    Freedom::Hinge(low, high) => {
                        let hinge = phys_PxRevoluteJointCreate(physics, a, &frame_a, b, &frame_b);
                        if low.is_finite() && high.is_finite() {
                            let limit = PxJointAngularLimitPair_new(low as f32, high as f32, -1.0);
                            PxRevoluteJoint_setLimit_mut(hinge, &limit);
                            PxRevoluteJoint_setRevoluteJointFlag_mut(hinge, PxRevoluteJointFlag::LimitEnabled, true);
                        }
                    }
                }
            }
        }
        let actors: Vec<*mut PxActor> = engine.bodies.iter().map(|body| body.cast()).collect();
        // SAFETY: the list outlives the call, and every body in it is alive and in no scene.
        if !unsafe { PxScene_addActors_mut(scene, actors.as_ptr(), actors.len() as u32) } {
            return Err(failed("the bodies were refused"));
        }
        Ok(engine)
    }

    fn step(&mut self) {
        for k in &mut self.kinematic {
            let (p, v) = (&mut k.at.p, &k.linear);
            (p.x, p.y, p.z) = (p.x + v.x * STEP, p.y + v.y * STEP, p.z + v.z * STEP);
            let q = product(k.turn, k.at.q);
            let length = (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w).sqrt();
            k.at.q = PxQuat { x: q.x / length, y: q.y / length, z: q.z / length, w: q.w / length };
            // SAFETY: the body is alive, kinematic and in the scene.
            unsafe { PxRigidDynamic_setKinematicTarget_mut(k.body, &k.at) };
        }
        let mut error = 0;
        // SAFETY: nothing else uses the scene meanwhile.
        unsafe {
            PxScene_simulate_mut(self.scene, STEP, null_mut(), null_mut(), 0, true);
            PxScene_fetchResults_mut(self.scene, true, &mut error);
        }
    }

    fn states(&self) -> Vec<[f64; 13]> {
        let one = |(&actor, &fixed): (&*mut PxRigidActor, &bool)| {
            let none = vector(&[0.0; 3]);
            // SAFETY: the body is alive, and no step is under way.
            let (at, v, w) = unsafe {
                let at = PxRigidActor_getGlobalPose(actor);
                let dynamic: *const PxRigidDynamic = actor.cast();
                if fixed {
                    (at, none, none)
                } else {
                    (at, PxRigidDynamic_getLinearVelocity(dynamic), PxRigidDynamic_getAngularVelocity(dynamic))
                }
            };
            let (p, q) = (at.p, at.q);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z].map(f64::from)
        };
        self.bodies.iter().zip(&self.fixed).map(one).collect()
    }

    fn cast(&mut self, rays: &[[f64; 6]], hit: &mut dyn FnMut(f64)) -> Result<(), Fault> {
        // SAFETY: no step is under way; a hit is written before it is read.
        unsafe {
            let filter = PxQueryFilterData_new();
            for ray in rays {
                let length = ray[3..].iter().map(|w| w * w).sum::<f64>().sqrt();
                let way = vector(&[ray[3] / length, ray[4] / length, ray[5] / length]);
                let mut found = std::mem::MaybeUninit::<PxRaycastHit>::uninit();
                if PxSceneQueryExt_raycastSingle(
                    self.scene,
                    &vector(ray),
                    &way,
                    length as f32,
                    PxHitFlags::empty(),
                    found.as_mut_ptr(),
                    &filter,
                    null_mut(),
                    null_mut(),
                ) {
                    hit(f64::from(found.assume_init().distance));
                }
            }
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    tumble_peer_driver::main::<PhysX>()
}
