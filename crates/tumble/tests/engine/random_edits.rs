//! Random sequences of add, remove, edit, change of kind, step, save and restore, against a plain model of what should exist.
//!
//! After every operation the world must hold exactly what the model holds: the same bodies with the same colliders, kinds,
//! materials and masses. Every id that was ever removed must be refused. A failing sequence is shortened before it is
//! reported.

use crate::edit_model::{Model, ModelBody, ModelCollider, ModelMass, Seen, Substance, shapes};
use crate::support::{Random, live_bytes, real};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use tumble::force::Spring;
use tumble::math::{Float, Pose, Real, Sym3, Vec3, WorldPose};
use tumble::method::Validator;
use tumble::shape::{MassProperties, Shape};
use tumble::{
    BodyDesc, BodyId, BodyKind, ColliderDesc, ColliderId, EffectDesc, Event, Integrate, JointDesc, Layers, Locks,
    MassSource, Material, MaterialSource, Method, World,
};

const SEQUENCES: u64 = 10_000;
const LENGTH: usize = 30;

/// One operation: what to do, and the numbers it draws on. Which body or collider it meets follows from what exists then,
/// so that a sequence stays meaningful when others are taken out of it.
#[derive(Clone, Copy, Debug)]
struct Op {
    kind: u8,
    seed: u64,
}

/// The world and its model, side by side.
pub struct Pair {
    pub world: World,
    pub model: Model,
    pub seen: Seen,
    /// A snapshot, with the model as it was then.
    pub saved: Option<(Vec<u8>, Box<Model>)>,
}

impl Pair {
    fn new(seen: Seen) -> Self {
        Self { world: World::new(), model: Model::new(), seen, saved: None }
    }

    pub fn pick<K: Copy, V>(map: &BTreeMap<K, V>, random: &mut Random) -> Option<K> {
        (!map.is_empty()).then(|| *map.keys().nth(random.below(map.len())).unwrap())
    }

    pub fn body(&self, random: &mut Random) -> Option<BodyId> {
        Self::pick(&self.model.bodies, random)
    }

    fn collider(&self, random: &mut Random) -> Option<ColliderId> {
        Self::pick(&self.model.colliders, random)
    }

    fn collider_desc(&self, random: &mut Random) -> (ColliderDesc, ModelCollider) {
        // The open mesh is rare, or most edits would be refused.
        let choice = if random.below(8) == 0 { shapes().len() } else { shapes().len() - 1 };
        let shape = random.below(choice);
        let mut desc = ColliderDesc::new(shapes()[shape].0.clone()).at(random.vector(0.5)).rotation(random.rotation());
        let mut model = ModelCollider {
            body: World::BODY,
            shape,
            density: None,
            substance: Substance::Shared(World::MATERIAL),
            sensor: random.below(6) == 0,
            user_data: random.bits(),
        };
        match random.below(4) {
            0 => {
                let density = real(random.between(1.0, 2000.0));
                desc = desc.material(Material { density, ..Material::default() }.with_friction(0.25));
                model.substance = Substance::Own(density.to_f64());
            }
            1 => {
                let id = Self::pick(&self.model.materials, random).unwrap();
                desc = desc.material(id);
                model.substance = Substance::Shared(id);
            }
            _ => {}
        }
        if random.below(4) == 0 {
            let density = real(random.between(0.0, 1000.0));
            desc = desc.density(density);
            model.density = Some(density.to_f64());
        }
        if random.below(6) == 0 {
            desc = desc.layers(Layers { member: 1 << random.below(3), meets: random.below(8) as u32 });
        }
        desc = desc.sensor(model.sensor).user_data(model.user_data);
        desc.collides = random.below(8) > 0;
        (desc, model)
    }

    fn mass_source(random: &mut Random) -> (MassSource, ModelMass) {
        let mass = real(random.between(0.5, 50.0));
        match random.below(4) {
            0 => (MassSource::Colliders, ModelMass::Colliders),
            1 => (MassSource::Total(mass), ModelMass::Total(mass.to_f64())),
            2 => {
                let mass = mass.to_f64();
                let centre = random.vector(0.5).to_f64();
                let properties = MassProperties { mass, centre, inertia: Sym3::diagonal(Vec3::new(1.0, 2.0, 2.5)) };
                (MassSource::Explicit(properties), ModelMass::Fixed(mass))
            }
            _ => {
                let pose = Pose::new(random.vector(0.5), random.rotation());
                let source = MassSource::Shape(Shape::cuboid(0.5, 0.5, 0.5).unwrap(), pose, mass);
                (source, ModelMass::Fixed(mass.to_f64()))
            }
        }
    }

    /// The world must take a change exactly where the model can.
    fn agree<T>(&mut self, result: tumble::Result<T>, changed: Model) -> Option<T> {
        let possible = changed.possible();
        assert_eq!(result.is_ok(), possible, "{:?}", result.err());
        if possible {
            self.model = changed;
        }
        result.ok()
    }

    fn add_body(&mut self, random: &mut Random) {
        let kind = [BodyKind::Dynamic, BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Kinematic][random.below(4)];
        let (source, mass) = if random.below(3) == 0 {
            Self::mass_source(random)
        } else {
            (MassSource::Colliders, ModelMass::Colliders)
        };
        let mut desc = BodyDesc {
            kind,
            mass: source,
            active: random.below(8) > 0,
            user_data: random.bits(),
            locks: [Locks::NONE, Locks::NONE, Locks::planar_z(), Locks::TURN][random.below(4)],
            ..BodyDesc::dynamic()
        };
        // Close enough that most touch.
        desc = desc.position(random.vector(0.7)).rotation(random.rotation());
        desc = desc.linear_velocity(random.vector(1.0)).angular_velocity(random.vector(1.0));
        let mut body = ModelBody { kind, active: desc.active, colliders: Vec::new(), mass, user_data: desc.user_data };
        let mut colliders = Vec::new();
        for _ in 0..random.below(4) {
            let (c, m) = self.collider_desc(random);
            desc = desc.collider(c);
            colliders.push(m);
        }
        // The ids are not known yet; for the mass any will do.
        let mut trial = self.model.clone();
        for (i, m) in colliders.iter().enumerate() {
            let id = ColliderId::from_bits(u64::MAX - i as u64);
            trial.colliders.insert(id, m.clone());
            body.colliders.push(id);
        }
        let possible = kind != BodyKind::Dynamic || trial.mass(&body).is_some();
        let result = self.world.add_body(desc);
        assert_eq!(result.is_ok(), possible, "{:?}", result.err());
        let Ok(id) = result else { return };
        assert!(!self.model.dead_bodies.contains(&id) && !self.model.bodies.contains_key(&id), "{id} is used again");
        body.colliders = self.world.body(id).unwrap().colliders().collect();
        assert_eq!(body.colliders.len(), colliders.len());
        for (&c, m) in body.colliders.iter().zip(colliders) {
            self.enter_collider(c, ModelCollider { body: id, ..m });
        }
        self.model.bodies.insert(id, body);
    }

    fn enter_collider(&mut self, id: ColliderId, collider: ModelCollider) {
        assert!(!self.model.dead_colliders.contains(&id), "{id} is used again");
        assert!(self.model.colliders.insert(id, collider).is_none(), "{id} is given twice");
    }

    fn add_collider(&mut self, random: &mut Random) {
        let Some(body) = self.body(random) else { return };
        let (desc, collider) = self.collider_desc(random);
        let collider = ModelCollider { body, ..collider };
        let mut changed = self.model.clone();
        let trial = ColliderId::from_bits(u64::MAX);
        changed.colliders.insert(trial, collider.clone());
        changed.bodies.get_mut(&body).unwrap().colliders.push(trial);
        let result = self.world.add_collider(body, desc);
        assert_eq!(result.is_ok(), changed.possible(), "{:?}", result.err());
        if let Ok(id) = result {
            self.enter_collider(id, collider);
            self.model.bodies.get_mut(&body).unwrap().colliders.push(id);
        }
    }

    fn remove_collider(&mut self, random: &mut Random) {
        let Some(id) = self.collider(random) else { return };
        let mut changed = self.model.clone();
        let body = changed.colliders.remove(&id).unwrap().body;
        changed.bodies.get_mut(&body).unwrap().colliders.retain(|&c| c != id);
        changed.dead_colliders.insert(id);
        let result = self.world.remove_collider(id);
        self.agree(result, changed);
    }

    fn remove_body(&mut self, random: &mut Random) {
        let Some(id) = self.body(random) else { return };
        self.world.remove_body(id).unwrap();
        self.model.remove_body(id);
        self.model.removed.push(id);
    }

    fn set_kind(&mut self, random: &mut Random) {
        let Some(id) = self.body(random) else { return };
        let kind = [BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Kinematic][random.below(3)];
        let mut changed = self.model.clone();
        changed.bodies.get_mut(&id).unwrap().kind = kind;
        let result = self.world.body_mut(id).unwrap().set_kind(kind);
        self.agree(result, changed);
    }

    fn set_mass(&mut self, random: &mut Random) {
        let Some(id) = self.body(random) else { return };
        let (source, mass) = Self::mass_source(random);
        let mut changed = self.model.clone();
        changed.bodies.get_mut(&id).unwrap().mass = mass;
        let result = self.world.body_mut(id).unwrap().set_mass(source);
        self.agree(result, changed);
    }

    fn edit_body(&mut self, random: &mut Random) {
        let Some(id) = self.body(random) else { return };
        let kind = self.model.bodies[&id].kind;
        let mut body = self.world.body_mut(id).unwrap();
        match random.below(12) {
            0 => body.set_pose(WorldPose::new(random.vector(1.0), random.rotation())).unwrap(),
            1 => {
                let result = body.set_velocity(random.vector(3.0), random.vector(3.0));
                assert_eq!(result.is_ok(), kind != BodyKind::Fixed);
            }
            2 => body.add_force_at(random.vector(50.0), random.vector(2.0)).unwrap(),
            3 => body.apply_impulse_at(random.vector(5.0), random.vector(2.0)).unwrap(),
            4 => body.set_damping(random.below(3) as Real, random.below(3) as Real).unwrap(),
            5 => body.set_locks([Locks::NONE, Locks::planar_x(), Locks::MOVE, Locks::TURN_Y][random.below(4)]).unwrap(),
            6 => body.set_speed_limits(5.0, 5.0).unwrap(),
            7 => {
                let active = random.below(2) == 0;
                body.set_active(active);
                self.model.bodies.get_mut(&id).unwrap().active = active;
            }
            8 => {
                let result = body.set_target(WorldPose::new(random.vector(2.0), random.rotation()));
                assert_eq!(result.is_ok(), kind == BodyKind::Kinematic);
            }
            9 => {
                let data = random.bits();
                body.set_user_data(data);
                self.model.bodies.get_mut(&id).unwrap().user_data = data;
            }
            10 => body.set_bullet(random.below(2) == 0),
            _ => body.set_gravity_scale(random.below(3) as Real - 1.0).unwrap(),
        }
    }

    fn edit_collider(&mut self, random: &mut Random) {
        let Some(id) = self.collider(random) else { return };
        let mut changed = self.model.clone();
        let collider = changed.colliders.get_mut(&id).unwrap();
        let world = &mut self.world;
        let result = match random.below(7) {
            0 => {
                collider.shape = random.below(shapes().len());
                let shape = shapes()[collider.shape].0.clone();
                world.set_collider_shape(id, shape)
            }
            1 => world.set_collider_pose(id, Pose::new(random.vector(0.5), random.rotation())),
            2 => {
                collider.sensor = !collider.sensor;
                world.set_collider_sensor(id, collider.sensor)
            }
            3 => world.set_collider_collides(id, random.below(2) == 0),
            4 => world.set_collider_layers(id, Layers { member: 1, meets: random.below(2) as u32 }),
            5 => {
                let density = real(random.between(1.0, 2000.0));
                collider.substance = Substance::Own(density.to_f64());
                world.set_collider_material(id, Material { density, ..Material::default() })
            }
            _ => {
                let material = *self.model.materials.keys().nth(random.below(self.model.materials.len())).unwrap();
                collider.substance = Substance::Shared(material);
                world.set_collider_material(id, MaterialSource::Shared(material))
            }
        };
        self.agree(result, changed);
    }

    fn edit_materials(&mut self, random: &mut Random) {
        let id = Self::pick(&self.model.materials, random).unwrap();
        match random.below(5) {
            0 | 1 => {
                let density = real(random.between(1.0, 3000.0));
                let new = self.world.add_material(Material { density, ..Material::default() }).unwrap();
                assert!(!self.model.dead_materials.contains(&new), "{new} is used again");
                assert!(self.model.materials.insert(new, density.to_f64()).is_none());
            }
            2 => {
                let density = real(random.between(1.0, 3000.0));
                self.world.set_material(id, Material { density, ..Material::default() }).unwrap();
                self.model.materials.insert(id, density.to_f64());
            }
            3 => {
                let used =
                    self.model.colliders.values().any(|c| matches!(c.substance, Substance::Shared(m) if m == id));
                let free = !used && id != World::MATERIAL;
                assert_eq!(self.world.remove_material(id).is_ok(), free);
                if free {
                    self.model.materials.remove(&id);
                    self.model.dead_materials.insert(id);
                }
            }
            _ => {
                let other = Self::pick(&self.model.materials, random).unwrap();
                let pair = (random.below(2) == 0).then(|| tumble::library_pair("wood", "steel").unwrap());
                self.world.set_material_pair(id, other, pair).unwrap();
            }
        }
    }

    fn exclude(&mut self, random: &mut Random) {
        let (Some(a), Some(b)) = (self.body(random), self.body(random)) else { return };
        let excluded = random.below(2) == 0;
        let result = self.world.set_pair_excluded(a, b, excluded);
        assert_eq!(result.is_ok(), a != b);
        if a != b {
            let key = (a.min(b), a.max(b));
            if excluded {
                self.model.excluded.insert(key);
            } else {
                self.model.excluded.remove(&key);
            }
        }
    }

    fn step(&mut self, random: &mut Random) {
        for _ in 0..1 + random.below(3) {
            if self.model.start.is_none() {
                let start = Model { start: None, ..self.model.clone() };
                self.model.start = Some(Box::new(start));
            }
            let dt = [1.0 / 60.0, 1.0 / 30.0, 1.0 / 240.0][random.below(3)];
            self.world.step(dt).unwrap();
            self.model.steps += 1;
            self.after_step();
        }
    }

    /// Events tell of every removal once, of contacts and visits in pairs, and of nobody who is not there.
    fn after_step(&mut self) {
        self.seen.count(self.world.events());
        let mut removed = core::mem::take(&mut self.model.removed);
        // What hangs on a body goes before it.
        for &event in self.world.events() {
            if let Event::Removed { body, by_validator: true } = event {
                self.model.remove_body(body);
            }
        }
        for &event in self.world.events() {
            let model = &mut self.model;
            match event {
                Event::Removed { body, by_validator: false } => {
                    let place = removed.iter().position(|&r| r == body).expect("a removal that nobody asked for");
                    removed.remove(place);
                }
                Event::JointRemoved { joint } => {
                    assert!(model.removed_joints.remove(&joint), "{joint} was not removed, or it is told twice");
                }
                Event::EffectRemoved { effect } => {
                    assert!(model.removed_effects.remove(&effect), "{effect} was not removed, or it is told twice");
                }
                Event::JointBroke { joint } => {
                    assert!(model.joints.contains_key(&joint) || model.dead_joints.contains(&joint));
                }
                Event::Quarantined { body } => panic!("{body} left the range of numbers"),
                Event::ContactBegan { a, b } => {
                    assert!(model.touching.insert((a.min(b), a.max(b))), "{a} and {b} began to touch twice");
                }
                Event::ContactEnded { a, b } => {
                    assert!(model.touching.remove(&(a.min(b), a.max(b))), "{a} and {b} end what never began");
                }
                Event::SensorEntered { sensor, visitor } => {
                    assert!(model.inside.insert((sensor, visitor)), "{visitor} entered {sensor} twice");
                }
                Event::SensorLeft { sensor, visitor } => {
                    assert!(model.inside.remove(&(sensor, visitor)), "{visitor} left {sensor} without entering");
                }
                Event::FellAsleep { body } | Event::WokeUp { body } | Event::SpeedLimited { body } => {
                    assert!(model.bodies.contains_key(&body) || model.dead_bodies.contains(&body));
                }
                _ => {}
            }
        }
        assert!(removed.is_empty(), "no event tells that {removed:?} were removed");
        let (joints, effects) = (&self.model.removed_joints, &self.model.removed_effects);
        assert!(joints.is_empty() && effects.is_empty(), "no event tells of {joints:?}, {effects:?}");
        for &(a, b) in self.model.touching.iter().chain(&self.model.inside) {
            for c in [a, b] {
                assert!(self.model.colliders.contains_key(&c), "{a} and {b} still touch, but {c} is gone");
            }
        }
    }

    fn settings(&mut self, random: &mut Random) {
        let mut method = match random.below(4) {
            0 => Method::ballistic(Integrate::SemiImplicitEuler),
            1 => Method::simultaneous(),
            _ => Method::soft_step(),
        };
        method.switches.sleep = random.below(4) > 0;
        if random.below(2) == 0 {
            // Drowsy: two steps below 3 m/s, and an island falls asleep.
            method.sleep.time = 0.02;
            method.sleep.unsupported_factor = 1.0;
            method.tolerances.sleep_speed = 1.0;
        }
        method.switches.warm_start = random.below(4) > 0;
        if random.below(3) == 0 {
            method.validators = vec![Validator::WorldBounds { min: [-2.0; 3], max: [2.0; 3] }];
        }
        self.world.set_method(method).unwrap();
        self.world.set_gravity([0.0, random.between(-20.0, 5.0) as Real, 0.0]).unwrap();
    }

    fn whole_world(&mut self, random: &mut Random) {
        match random.below(4) {
            0 => {
                self.world.reset();
                self.model = core::mem::take(&mut self.model).emptied();
            }
            1 => {
                self.world.restart().unwrap();
                if let Some(start) = self.model.start.take() {
                    self.model = *start;
                }
            }
            _ => self.world = self.world.clone(),
        }
    }

    /// Ids that are no more are refused everywhere, also with a call that is otherwise in order.
    fn stale(&mut self, random: &mut Random) {
        let nth = |len: usize, random: &mut Random| random.below(len.max(1));
        let world = &mut self.world;
        if let Some(&id) = self.model.dead_bodies.iter().nth(nth(self.model.dead_bodies.len(), random)) {
            assert!(world.body(id).is_err() && world.body_mut(id).is_err() && world.remove_body(id).is_err());
            assert!(world.add_collider(id, Shape::sphere(1.0).unwrap()).is_err());
            assert!(world.set_pair_excluded(id, World::BODY, true).is_err());
        }
        if let Some(&id) = self.model.dead_colliders.iter().nth(nth(self.model.dead_colliders.len(), random)) {
            assert!(world.collider(id).is_err() && world.remove_collider(id).is_err());
            assert!(
                world.set_collider_sensor(id, true).is_err()
                    && world.set_collider_material(id, World::MATERIAL).is_err()
            );
        }
        if let Some(&id) = self.model.dead_materials.iter().nth(nth(self.model.dead_materials.len(), random)) {
            assert!(world.material(id).is_err() && world.remove_material(id).is_err());
            assert!(world.set_material(id, Material::default()).is_err());
            let desc = ColliderDesc::new(Shape::sphere(1.0).unwrap()).material(id);
            assert!(world.add_body(BodyDesc::dynamic().collider(desc)).is_err());
        }
    }

    /// Bad values are refused.
    fn bad(&mut self, random: &mut Random) {
        let bad = [Real::NAN, Real::INFINITY, Real::NEG_INFINITY][random.below(3)];
        assert!(self.world.step(bad).is_err());
        assert!(self.world.add_body(BodyDesc::dynamic().linear_velocity([bad, 0.0, 0.0])).is_err());
        if let Some(id) = self.body(random) {
            let mut body = self.world.body_mut(id).unwrap();
            assert!(body.set_position([0.0, bad, 0.0]).is_err() && body.set_force([bad, 0.0, 0.0]).is_err());
            assert!(body.set_mass(MassSource::Total(bad)).is_err());
            let desc = ColliderDesc::new(Shape::sphere(1.0).unwrap()).density(bad);
            assert!(self.world.add_collider(id, desc).is_err());
        }
        if let Some(id) = self.collider(random) {
            let pose = Pose::from_translation(Vec3::new(0.0, 0.0, bad));
            assert!(self.world.set_collider_pose(id, pose).is_err());
        }
    }

    fn apply(&mut self, op: Op) {
        let random = &mut Random(op.seed);
        match op.kind {
            0..=5 => self.add_body(random),
            6..=7 => self.remove_body(random),
            8..=10 => self.add_collider(random),
            11..=12 => self.remove_collider(random),
            13..=15 => self.set_kind(random),
            16..=17 => self.set_mass(random),
            18..=21 => self.edit_body(random),
            22..=24 => self.edit_collider(random),
            25..=26 => self.edit_materials(random),
            27 => self.exclude(random),
            28..=33 => self.step(random),
            Self::SETTINGS => self.settings(random),
            35 => self.whole_world(random),
            36..=37 => self.stale(random),
            38..=40 => self.add_joint(random),
            41..=42 => self.edit_joint(random),
            43 => self.effects(random),
            44..=45 => self.save_or_restore(random),
            _ => self.bad(random),
        }
    }

    const KINDS: usize = 47;
    const SETTINGS: u8 = 34;

    /// The world holds what the model holds, no more and no less.
    fn check(&self) {
        let (world, model) = (&self.world, &self.model);
        world.audit().unwrap();
        assert_eq!((world.body_count(), world.collider_count()), (model.bodies.len(), model.colliders.len()));
        assert_eq!(world.steps(), model.steps);
        assert!(world.body_ids().eq(sorted_by_slot(model.bodies.keys())), "ids of bodies");
        assert!(world.collider_ids().eq(sorted_by_slot(model.colliders.keys())), "ids of colliders");
        let mut may_move = 0;
        for (&id, m) in &model.bodies {
            let b = world.body(id).unwrap();
            assert_eq!((b.id(), b.kind(), b.is_active(), b.user_data()), (id, m.kind, m.active, m.user_data));
            assert!(b.colliders().eq(m.colliders.iter().copied()), "colliders of {id}");
            match model.mass(m) {
                Some(mass) => {
                    // Volumes by hand against integrals over shapes whose sizes are numbers of the crate's precision.
                    assert!((b.mass() / mass - 1.0).abs() < 1e-6, "{id} weighs {} instead of {mass}", b.mass());
                }
                None => assert!(b.mass_properties().is_none(), "{id} has a mass"),
            }
            assert!(b.pose().is_finite() && b.linear_velocity().is_finite() && b.angular_velocity().is_finite());
            if m.kind == BodyKind::Fixed {
                assert_eq!(b.linear_velocity(), Vec3::ZERO);
            }
            may_move += usize::from(m.kind != BodyKind::Fixed && m.active);
        }
        assert!(world.awake_count() <= may_move);
        for (&id, m) in &model.colliders {
            let c = world.collider(id).unwrap();
            assert_eq!((c.id(), c.body(), c.is_sensor(), c.user_data()), (id, m.body, m.sensor, m.user_data));
            assert_eq!(*c.shape(), shapes()[m.shape].0);
            match m.substance {
                Substance::Shared(material) => assert_eq!(c.material(0), material),
                Substance::Own(density) => {
                    assert!(!model.materials.contains_key(&c.material(0)));
                    assert_eq!(world.material(c.material(0)).unwrap().density.to_f64(), density);
                }
            }
        }
        for (&id, &density) in &model.materials {
            assert_eq!(world.material(id).unwrap().density.to_f64(), density);
        }
        self.check_links();
        for &(a, b) in &model.excluded {
            assert!(world.pair_excluded(a, b).unwrap() && world.pair_excluded(b, a).unwrap());
        }
    }

    /// Nothing that was removed is taken for something that is there.
    fn check_dead(&self) {
        assert!(self.model.dead_bodies.iter().all(|&id| self.world.body(id).is_err()));
        assert!(self.model.dead_colliders.iter().all(|&id| self.world.collider(id).is_err()));
        assert!(self.model.dead_materials.iter().all(|&id| self.world.material(id).is_err()));
        assert!(self.model.dead_joints.iter().all(|&id| self.world.joint(id).is_err()));
        assert!(self.model.dead_effects.iter().all(|&id| self.world.effect(id).is_err()));
    }

    /// Removing everything leaves nothing: no body, no collider, no contact without an end.
    fn clear_out(&mut self) {
        for id in self.model.bodies.keys().copied().collect::<Vec<_>>() {
            self.world.remove_body(id).unwrap();
            self.model.remove_body(id);
            self.model.removed.push(id);
        }
        assert_eq!((self.world.body_count(), self.world.collider_count(), self.world.awake_count()), (0, 0, 0));
        assert_eq!((self.world.joint_count(), self.model.joints.len()), (0, 0));
        for id in self.model.effects.keys().copied().collect::<Vec<_>>() {
            self.world.remove_effect(id).unwrap();
            self.model.remove_effect(id);
        }
        for id in self.model.materials.keys().copied().filter(|&m| m != World::MATERIAL) {
            self.world.remove_material(id).unwrap();
        }
        self.world.step(1.0 / 60.0).unwrap();
        self.after_step();
        assert!(self.model.touching.is_empty() && self.model.inside.is_empty(), "contacts that never end");
    }
}

fn sorted_by_slot<'a, K: Copy + Ord + 'a>(ids: impl Iterator<Item = &'a K>) -> std::vec::IntoIter<K> {
    // Ids order by slot first, as a map does.
    ids.copied().collect::<Vec<_>>().into_iter()
}

fn sequence(seed: u64) -> Vec<Op> {
    let mut random = Random(seed);
    // Something to work on first.
    let first = [0, 0, 0, Pair::SETTINGS];
    let mut kinds = first.to_vec();
    kinds.extend((first.len()..LENGTH).map(|_| random.below(Pair::KINDS) as u8));
    kinds.into_iter().map(|kind| Op { kind, seed: random.bits() }).collect()
}

/// Runs a sequence; on a failure, how many operations it took and what was said.
fn run(ops: &[Op], seen: &mut Seen) -> Result<(), (usize, String)> {
    let mut done = 0;
    catch_unwind(AssertUnwindSafe(|| {
        let mut pair = Pair::new(*seen);
        for &op in ops {
            done += 1;
            pair.apply(op);
            pair.check();
        }
        pair.check_dead();
        pair.clear_out();
        pair.check_dead();
        *seen = pair.seen;
    }))
    .map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        (done, text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default())
    })
}

/// The shortest sequence found that still fails: cut after the failure, then single operations taken out.
fn shortened(mut ops: Vec<Op>) -> (Vec<Op>, String) {
    let run = |ops: &[Op]| run(ops, &mut Seen::default());
    let (done, mut text) = run(&ops).expect_err("it failed before");
    ops.truncate(done);
    let mut i = 0;
    while i < ops.len() {
        let mut fewer = ops.clone();
        fewer.remove(i);
        match run(&fewer) {
            Err((done, said)) => {
                fewer.truncate(done);
                (ops, text) = (fewer, said);
            }
            Ok(()) => i += 1,
        }
    }
    (ops, text)
}

/// 10,000 random sequences: no panic, no stale id accepted, every live id answers, counts, kinds, colliders, materials and
/// masses as the model says, events in pairs, and nothing left when all is removed.
#[test]
fn random_sequences_agree_with_a_model() {
    let clock = Instant::now();
    let mut seen = Seen::default();
    for seed in 0..SEQUENCES {
        let ops = sequence(seed);
        if run(&ops, &mut seen).is_err() {
            let (ops, text) = shortened(ops);
            panic!("sequence {seed} fails after {} operations: {text}\n{ops:#?}", ops.len());
        }
    }
    println!("{SEQUENCES} sequences of {LENGTH} operations in {:?}: {seen:?}", clock.elapsed());
    let Seen { contacts, visits, sleepers, wakers, removed, joints, broken, parted, effects, restored } = seen;
    let all = [contacts, visits, sleepers, wakers, removed, joints, broken, parted, effects, restored];
    assert!(all.into_iter().all(|n| n > 500), "too quiet: {seen:?}");
}

/// Memory returns: a world in which bodies that touch, hang on each other and are pushed about come and go holds no more after many rounds
/// than after a few, and gives all of it back when it is dropped.
#[test]
fn memory_returns() {
    assert!(!shapes().is_empty(), "they are made once, and stay");
    let mut held = [0; 12];
    let start = live_bytes();
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().collider(Shape::half_space(Vec3::Y, 0.0).unwrap())).unwrap();
    for round in &mut held {
        let ids: Vec<BodyId> = (0..200)
            .map(|i| {
                let shape = shapes()[i % 8].0.clone();
                let at = [(i % 6) as f64 * 0.5, 0.5 + (i / 36) as f64 * 0.6, (i / 6 % 6) as f64 * 0.5];
                let desc = ColliderDesc::new(shape).friction(0.25).density(100.0);
                world.add_body(BodyDesc::dynamic().position(at).collider(desc)).unwrap()
            })
            .collect();
        for pair in ids.chunks_exact(2).step_by(3) {
            world.add_joint(JointDesc::ball(pair[0], pair[1])).unwrap();
            world.add_effect(EffectDesc::spring(pair[0], pair[1], Spring::new(1.0, 20.0))).unwrap();
        }
        for _ in 0..10 {
            world.step(1.0 / 60.0).unwrap();
        }
        assert!(world.contacts().count() > 200);
        for id in ids {
            world.remove_body(id).unwrap();
        }
        world.step(1.0 / 60.0).unwrap();
        assert_eq!((world.joint_count(), world.effect_count(), world.contacts().count()), (0, 0, 0));
        *round = live_bytes() - start;
    }
    drop(world);
    assert_eq!(live_bytes(), start);
    println!("bytes held after each round: {held:?}");
    // The first rounds fill lists to the size that they need, and one of them may still double later. What 200 bodies take, lost in each of
    // eight rounds, would be most of it.
    assert!(held[11] <= held[3] + held[3] / 4, "{held:?}");
}

/// Memory returns: adding and removing a thousand bodies again and again uses the same slots.
#[test]
fn slots_are_used_again() {
    let mut world = World::new();
    let mut seen = BTreeSet::new();
    for round in 0..20 {
        let ids: Vec<BodyId> = (0..1000)
            .map(|i| {
                let shape = shapes()[i % 6].0.clone();
                let at = [(i % 10) as f64 * 3.0, (i / 10 % 10) as f64 * 3.0, (i / 100) as f64 * 3.0];
                let desc = BodyDesc::dynamic().position(at).collider(ColliderDesc::new(shape).friction(0.25));
                world.add_body(desc).unwrap()
            })
            .collect();
        for &id in &ids {
            assert!(seen.insert(id), "{id} is used again");
            assert!(id.index() <= 1000, "round {round}: {id}");
            let c = world.body(id).unwrap().colliders().next().unwrap();
            let m = world.collider(c).unwrap().material(0);
            assert!(c.index() < 1000 && m.index() <= 1000, "round {round}: {c}, {m}");
        }
        world.step(1.0 / 60.0).unwrap();
        for &id in &ids {
            world.remove_body(id).unwrap();
        }
        assert_eq!((world.body_count(), world.collider_count(), world.awake_count()), (0, 0, 0));
        world.step(1.0 / 60.0).unwrap();
    }
}

/// The model is worth something: a world that is changed behind its back is found out.
#[test]
fn a_difference_is_found() {
    let mut pair = Pair::new(Seen::default());
    let mut random = Random(5);
    while pair.model.colliders.len() < 3 {
        pair.add_body(&mut random);
    }
    pair.check();
    let spoil: [fn(&mut World); 5] = [
        |w| {
            w.add_body(BodyDesc::dynamic()).unwrap();
        },
        |w| {
            let id = w.body_ids().last().unwrap();
            w.remove_body(id).unwrap();
        },
        |w| {
            let id = w.collider_ids().next().unwrap();
            w.remove_collider(id).unwrap();
        },
        |w| {
            let id = w.body_ids().next().unwrap();
            let kind =
                if w.body(id).unwrap().kind() == BodyKind::Fixed { BodyKind::Kinematic } else { BodyKind::Fixed };
            w.body_mut(id).unwrap().set_kind(kind).unwrap();
        },
        |w| w.step(0.1).unwrap(),
    ];
    for edit in spoil {
        let mut spoilt = Pair { world: pair.world.clone(), model: pair.model.clone(), ..Pair::new(pair.seen) };
        edit(&mut spoilt.world);
        assert!(catch_unwind(AssertUnwindSafe(|| spoilt.check())).is_err());
    }
}
