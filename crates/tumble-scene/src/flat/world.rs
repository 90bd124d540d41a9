//! Flat lists from worlds, and worlds from flat lists.

use super::loss::{body_name, joint_name};
use super::{Body, Collider, Flat, Freedom, Joint, Motion, Pose, Shape};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use tumble::constraint::joint::{Ball, Fixed, Hinge};
use tumble::constraint::{Axis, Limit};
use tumble::math::{Float, Pose as RealPose, Quat, Real, Sym3, Vec3, WorldPose};
use tumble::shape::{MassProperties, MeshDesc, Shape as EngineShape};
use tumble::{
    BodyDesc, BodyId, BodyKind, ColliderDesc, JointDesc, JointKind, Layers, Material, MaterialId, Method, World,
};

pub fn pose(translation: Vec3<f64>, rotation: Quat) -> Pose {
    let (t, q) = (translation, rotation.to_f64());
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w]
}

fn rotation(pose: &Pose) -> Quat {
    let [_, _, _, x, y, z, w] = pose.map(Real::from_f64);
    Quat { x, y, z, w }
}

pub fn place(pose: &Pose) -> WorldPose {
    WorldPose::new(Vec3::new(pose[0], pose[1], pose[2]), rotation(pose))
}

pub fn refused(what: impl Into<String>) -> Error {
    Error::NotFlat { what: what.into() }
}

pub fn engine(source: tumble::Error) -> Error {
    Error::Engine { scene: "flat list".to_owned(), source }
}

impl Flat {
    /// The list of a world. An error names what makes another world of it: sensors, layers, force effects, other shapes
    /// and joints. Properties that a list has no word for are left out, and [`Flat::losses`] names them. Joints that are
    /// switched off or broken hold nothing, and do not stand in the list.
    pub fn of(world: &World) -> Result<Self> {
        if let Some(effect) = world.effect_ids().find_map(|id| world.effect(id).ok()) {
            let name = effect.name().map_or(String::new(), |name| format!(" {name:?}"));
            return Err(refused(format!("the force effect{name} of the kind {:?}", effect.kind().name())));
        }
        let mut flat = Self {
            gravity: world.gravity().to_f64().to_array(),
            length: world.method().tolerances.length.to_f64(),
            ..Self::default()
        };
        let mut indices: BTreeMap<BodyId, u32> = BTreeMap::new();
        for id in world.body_ids() {
            let body = world.body(id).map_err(engine)?;
            let mut colliders = Vec::new();
            for id in body.colliders() {
                let collider = world.collider(id).map_err(engine)?;
                if collider.is_sensor() || !collider.collides() {
                    return Err(refused(format!(
                        "a collider that does not collide, of {}",
                        body_name(world, body.id())
                    )));
                }
                if collider.layers() != Layers::default() {
                    return Err(refused(format!("the layers of {}", body_name(world, body.id()))));
                }
                let material = world.material(collider.material(0)).map_err(engine)?;
                let local = collider.local_pose();
                colliders.push(Collider {
                    shape: flat.index_of(collider.shape(), || body_name(world, body.id()))?,
                    pose: pose(local.translation.to_f64(), local.rotation),
                    friction: material.dynamic_friction.to_f64(),
                    restitution: material.restitution.to_f64(),
                });
            }
            let six = |v: Vec3, w: Vec3| {
                let (v, w) = (v.to_f64(), w.to_f64());
                [v.x, v.y, v.z, w.x, w.y, w.z]
            };
            let motion = match body.kind() {
                BodyKind::Fixed => Motion::Fixed,
                BodyKind::Kinematic => {
                    Motion::Kinematic { velocity: six(body.linear_velocity(), body.angular_velocity()) }
                }
                BodyKind::Dynamic => {
                    // What is a part of a joint has none.
                    let mass = body.mass_properties().unwrap_or(MassProperties::ZERO);
                    let i = mass.inertia;
                    Motion::Dynamic {
                        velocity: six(body.centre_velocity(), body.angular_velocity()),
                        mass: mass.mass,
                        centre: mass.centre.to_array(),
                        inertia: [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz],
                    }
                }
            };
            indices.insert(id, flat.bodies.len() as u32);
            flat.bodies.push(Body { motion, pose: pose(body.position(), body.rotation()), colliders });
        }
        for id in world.joint_ids() {
            let joint = world.joint(id).map_err(engine)?;
            if !joint.is_active() || joint.is_broken() {
                continue;
            }
            let name = || joint_name(world, &joint);
            let freedom = match joint.kind() {
                JointKind::Ball(ball) if *ball == Ball::default() => Freedom::Ball,
                JointKind::Fixed(_) => Freedom::Fixed,
                JointKind::Hinge(Hinge { turn: Axis { limit, motor: None } }) => match limit {
                    Some(limit) => Freedom::Hinge(limit.low.to_f64(), limit.high.to_f64()),
                    None => Freedom::Hinge(f64::NEG_INFINITY, f64::INFINITY),
                },
                JointKind::Ball(_) | JointKind::Hinge(_) => {
                    return Err(refused(format!("the motor of {}", name())));
                }
                other => return Err(refused(format!("the kind {:?}, of {}", other.name(), name()))),
            };
            if joint.collides() {
                return Err(refused(format!("that the bodies collide, of {}", name())));
            }
            let frames = joint.local_frames().map(|frame| pose(frame.translation, frame.rotation));
            flat.joints.push(Joint { freedom, bodies: joint.bodies().map(|id| indices.get(&id).copied()), frames });
        }
        flat.add_trees(world, &indices)?;
        Ok(flat)
    }

    /// The index of a shape, which is added if it is new.
    fn index_of(&mut self, shape: &EngineShape, owner: impl FnOnce() -> String) -> Result<u32> {
        let array = |v: &Vec3| v.to_f64().to_array();
        let shape = match shape {
            EngineShape::HalfSpace(s) => Shape::Plane(array(&s.normal()), s.offset().to_f64()),
            EngineShape::Sphere(s) => Shape::Ball(s.radius().to_f64()),
            EngineShape::Cuboid(s) => Shape::Box(array(&s.half_extents())),
            EngineShape::Capsule(s) => Shape::Capsule(s.half_length().to_f64(), s.radius().to_f64()),
            EngineShape::Hull(s) => Shape::Hull(s.vertices().iter().map(array).collect()),
            EngineShape::Mesh(s) => Shape::Mesh(s.vertices().iter().map(array).collect(), s.triangles().to_vec()),
            _ => {
                let known = "balls, boxes, capsules, hulls, meshes and planes";
                return Err(refused(format!("the shape of {}: it knows {known}", owner())));
            }
        };
        // The latest first: neighbours are often alike.
        if let Some(index) = self.shapes.iter().rposition(|s| *s == shape) {
            return Ok(index as u32);
        }
        self.shapes.push(shape);
        Ok(self.shapes.len() as u32 - 1)
    }

    /// The world of a list, with the default method and tolerances for its length.
    pub fn build(&self) -> Result<World> {
        self.build_with(Method::default())
    }

    /// The world of a list, with this method and tolerances for the length of the list.
    pub fn build_with(&self, mut method: Method) -> Result<World> {
        method.tolerances.length = Real::from_f64(self.length);
        let mut world = World::with_method(method).map_err(engine)?;
        let gravity: Vec3 = Vec3::from(self.gravity).to_real();
        world.set_gravity(gravity).map_err(engine)?;
        let shapes = self.shapes.iter().map(Shape::build).collect::<Result<Vec<_>>>()?;
        let mut ids: BTreeMap<u32, BodyId> = BTreeMap::new();
        let trees = self.tree_of();
        world.reserve(self.bodies.len());
        let materials = self.add_materials(&mut world)?;
        for (index, body) in (0..).zip(&self.bodies) {
            // A tree is made where its first link stands.
            if let Some(tree) = trees.get(&index).and_then(|tree| self.trees.get(*tree)) {
                if !ids.contains_key(&index) {
                    let describe = |index: u32| match self.bodies.get(index as usize) {
                        Some(body) => body.describe(&shapes, &materials),
                        None => Err(refused(format!("body {index}"))),
                    };
                    ids.extend(tree.build(&mut world, describe)?);
                }
                continue;
            }
            let id = world.add_body(body.describe(&shapes, &materials)?).map_err(engine)?;
            ids.insert(index, id);
            if let Motion::Dynamic { velocity, .. } = &body.motion {
                // Descriptions give the velocity of the origin.
                let mut body = world.body_mut(id).map_err(engine)?;
                let (_, angular) = halves(velocity);
                let arm = (body.view().centre_of_mass() - body.view().position()).to_real();
                let (linear, _) = halves(velocity);
                body.set_velocity(linear - angular.cross(arm), angular).map_err(engine)?;
            }
        }
        for joint in &self.joints {
            let kind: JointKind = match joint.freedom {
                Freedom::Ball => Ball::default().into(),
                Freedom::Fixed => Fixed.into(),
                Freedom::Hinge(low, high) if low == f64::NEG_INFINITY && high == f64::INFINITY => {
                    Hinge::default().into()
                }
                Freedom::Hinge(low, high) => {
                    let limit = Limit::new(Real::from_f64(low), Real::from_f64(high));
                    Hinge { turn: Axis::FREE.limit(limit) }.into()
                }
            };
            let id = |body: Option<u32>| match body {
                None => Ok(World::BODY),
                Some(index) => ids.get(&index).copied().ok_or_else(|| refused(format!("body {index}"))),
            };
            let ([a, b], [pa, pb]) = (joint.bodies, joint.frames.map(|frame| place(&frame)));
            let desc = JointDesc::new(id(a)?, id(b)?, kind);
            let desc = desc.frame_a(pa.translation, pa.rotation).frame_b(pb.translation, pb.rotation);
            world.add_joint(desc).map_err(engine)?;
        }
        Ok(world)
    }

    /// Adds a material for each kind of surface, which all colliders of that kind share.
    fn add_materials(&self, world: &mut World) -> Result<Materials> {
        let mut materials = Materials::new();
        for collider in self.bodies.iter().flat_map(|body| &body.colliders) {
            if let Entry::Vacant(place) = materials.entry(collider.surface()) {
                let material = Material::default()
                    .with_friction(Real::from_f64(collider.friction))
                    .with_restitution(Real::from_f64(collider.restitution));
                place.insert(world.add_material(material).map_err(engine)?);
            }
        }
        Ok(materials)
    }

    /// Puts the bodies of a world that was built from a list where another engine has put them.
    pub fn place(world: &mut World, states: &[[f64; 13]]) -> Result<()> {
        let ids: Vec<BodyId> = world.body_ids().collect();
        if ids.len() != states.len() {
            return Err(refused(format!("{} states for {} bodies", states.len(), ids.len())));
        }
        let mut links = BTreeMap::new();
        for (id, state) in ids.into_iter().zip(states) {
            if world.body(id).map_err(engine)?.link().is_some() {
                links.insert(id, *state);
                continue;
            }
            let mut body = world.body_mut(id).map_err(engine)?;
            if body.view().kind() == BodyKind::Fixed {
                continue;
            }
            let [px, py, pz, qx, qy, qz, qw, v @ ..] = *state;
            body.set_pose(place(&[px, py, pz, qx, qy, qz, qw])).map_err(engine)?;
            let (linear, angular) = halves(&v);
            let arm = (body.view().centre_of_mass() - body.view().position()).to_real();
            body.set_velocity(linear - angular.cross(arm), angular).map_err(engine)?;
        }
        Self::place_trees(world, &links)
    }

    /// The states of all bodies of a world, as drivers write them.
    pub fn states(world: &World) -> Vec<[f64; 13]> {
        let one = |id| {
            let body = world.body(id).ok()?;
            let p = pose(body.position(), body.rotation());
            let (v, w) = (body.centre_velocity().to_f64(), body.angular_velocity().to_f64());
            Some([p[0], p[1], p[2], p[3], p[4], p[5], p[6], v.x, v.y, v.z, w.x, w.y, w.z])
        };
        world.body_ids().filter_map(one).collect()
    }
}

fn halves(velocity: &[f64; 6]) -> (Vec3, Vec3) {
    let [a, b, c, d, e, f] = velocity.map(Real::from_f64);
    (Vec3::new(a, b, c), Vec3::new(d, e, f))
}

impl Shape {
    fn build(&self) -> Result<EngineShape> {
        let real = |v: &f64| Real::from_f64(*v);
        let vector = |v: &[f64; 3]| Vec3::from(*v).to_real();
        match self {
            Self::Plane(normal, offset) => EngineShape::half_space(vector(normal), real(offset)),
            Self::Ball(radius) => EngineShape::sphere(real(radius)),
            Self::Box([x, y, z]) => EngineShape::cuboid(real(x), real(y), real(z)),
            Self::Capsule(half, radius) => EngineShape::capsule(real(half), real(radius)),
            Self::Hull(corners) => EngineShape::hull(&corners.iter().map(vector).collect::<Vec<_>>()),
            Self::Mesh(corners, triangles) => {
                EngineShape::mesh(MeshDesc::new(corners.iter().map(vector).collect(), triangles.clone()))
            }
        }
        .map_err(engine)
    }
}

/// Materials by friction and restitution, as bits.
type Materials = BTreeMap<[u64; 2], MaterialId>;

impl Collider {
    fn surface(&self) -> [u64; 2] {
        [self.friction, self.restitution].map(f64::to_bits)
    }
}

impl Body {
    fn describe(&self, shapes: &[EngineShape], materials: &Materials) -> Result<BodyDesc> {
        let mut desc = match &self.motion {
            Motion::Fixed => BodyDesc::fixed(),
            Motion::Kinematic { velocity } => {
                let (linear, angular) = halves(velocity);
                BodyDesc::kinematic().linear_velocity(linear).angular_velocity(angular)
            }
            Motion::Dynamic { mass, centre, inertia: [xx, yy, zz, xy, xz, yz], .. } => {
                let inertia = Sym3 { xx: *xx, yy: *yy, zz: *zz, xy: *xy, xz: *xz, yz: *yz };
                let mass = MassProperties { mass: *mass, centre: Vec3::from(*centre), inertia };
                BodyDesc::dynamic().mass_properties(mass)
            }
        };
        desc.pose = place(&self.pose);
        for c in &self.colliders {
            let shape = shapes.get(c.shape as usize).ok_or_else(|| refused(format!("shape {}", c.shape)))?;
            let material = *materials.get(&c.surface()).ok_or_else(|| refused("a surface"))?;
            let at = place(&c.pose);
            let local = RealPose::new(at.translation.to_real(), at.rotation);
            desc = desc.collider(ColliderDesc::new(shape.clone()).pose(local).material(material));
        }
        Ok(desc)
    }
}
