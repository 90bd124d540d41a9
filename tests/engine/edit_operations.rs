//! The operations of the random sequences: each on the world and on its model, which must agree afterwards.

use crate::edit_model::{Model, ModelBody, ModelCollider, ModelMass, Seen, Substance, shapes};
use crate::support::{Random, real};
use std::collections::BTreeMap;
use tumble::math::{Float, Pose, Real, Sym3, Vec3, WorldPose};
use tumble::method::{Broad, FrictionModel, Narrow, Validator};
use tumble::shape::{MassProperties, Shape};
use tumble::{
    BodyDesc, BodyId, BodyKind, ColliderDesc, ColliderId, Event, Integrate, Layers, Locks, MassSource, Material,
    MaterialSource, Method, World,
};

/// One operation: what to do, and the numbers it draws on. Which body or collider it meets follows from what exists then,
/// so that a sequence stays meaningful when others are taken out of it.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub kind: u8,
    pub seed: u64,
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
    pub fn new(seen: Seen) -> Self {
        Self { world: World::new(), model: Model::new(), seen, saved: None }
    }

    pub fn pick<K: Copy, V>(map: &BTreeMap<K, V>, random: &mut Random) -> Option<K> {
        (!map.is_empty()).then(|| *map.keys().nth(random.below(map.len())).unwrap())
    }

    pub fn body(&self, random: &mut Random) -> Option<BodyId> {
        Self::pick(&self.model.bodies, random)
    }

    pub fn collider(&self, random: &mut Random) -> Option<ColliderId> {
        Self::pick(&self.model.colliders, random)
    }

    pub fn collider_desc(&self, random: &mut Random) -> (ColliderDesc, ModelCollider) {
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

    pub fn mass_source(random: &mut Random) -> (MassSource, ModelMass) {
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
    pub fn agree<T>(&mut self, result: tumble::Result<T>, changed: Model) -> Option<T> {
        let possible = changed.possible();
        assert_eq!(result.is_ok(), possible, "{:?}", result.err());
        if possible {
            self.model = changed;
        }
        result.ok()
    }

    pub fn add_body(&mut self, random: &mut Random) {
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
        let (linear, angular) = (random.vector(1.0), random.vector(1.0));
        if kind != BodyKind::Fixed {
            desc = desc.linear_velocity(linear).angular_velocity(angular);
        }
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

    pub fn enter_collider(&mut self, id: ColliderId, collider: ModelCollider) {
        assert!(!self.model.dead_colliders.contains(&id), "{id} is used again");
        assert!(self.model.colliders.insert(id, collider).is_none(), "{id} is given twice");
    }

    pub fn add_collider(&mut self, random: &mut Random) {
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

    pub fn remove_collider(&mut self, random: &mut Random) {
        let Some(id) = self.collider(random) else { return };
        let mut changed = self.model.clone();
        let body = changed.colliders.remove(&id).unwrap().body;
        changed.bodies.get_mut(&body).unwrap().colliders.retain(|&c| c != id);
        changed.dead_colliders.insert(id);
        let result = self.world.remove_collider(id);
        self.agree(result, changed);
    }

    pub fn remove_body(&mut self, random: &mut Random) {
        let Some(id) = self.body(random) else { return };
        self.world.remove_body(id).unwrap();
        self.model.remove_body(id);
        self.model.removed.push(id);
    }

    /// Two bodies that touch, most of them put to sleep if they were not.
    pub fn touching(&mut self, random: &mut Random) -> Option<[BodyId; 2]> {
        let pairs: Vec<_> = self.world.contacts().map(|c| c.bodies()).collect();
        let pair = *pairs.get(random.below(pairs.len().max(1)))?;
        if random.below(8) > 0 {
            for body in pair {
                let result = self.world.body_mut(body).unwrap().put_to_sleep();
                let model = &self.model.bodies[&body];
                assert_eq!(result.is_ok(), model.kind == BodyKind::Dynamic && model.active);
            }
        }
        Some(pair)
    }

    /// A body: rather one that touches another, and rather the sleeper of the two.
    pub fn busy_body(&mut self, random: &mut Random) -> Option<BodyId> {
        let Some(pair) = self.touching(random) else { return self.body(random) };
        let sleeper = pair.into_iter().find(|&id| self.world.body(id).unwrap().is_asleep());
        sleeper.or(Some(pair[random.below(2)]))
    }

    pub fn set_kind(&mut self, random: &mut Random) {
        let Some(id) = self.busy_body(random) else { return };
        let kind = [BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Kinematic][random.below(3)];
        let mut changed = self.model.clone();
        changed.bodies.get_mut(&id).unwrap().kind = kind;
        let touches = self.world.contacts_of(id).unwrap().next().is_some();
        let (asleep, other) = (self.world.body(id).unwrap().is_asleep(), self.model.bodies[&id].kind != kind);
        let result = self.world.body_mut(id).unwrap().set_kind(kind);
        if self.agree(result, changed).is_some() && other {
            Seen::case(&mut self.seen.changed, touches, asleep);
        }
    }

    pub fn set_mass(&mut self, random: &mut Random) {
        let Some(id) = self.body(random) else { return };
        let (source, mass) = Self::mass_source(random);
        let mut changed = self.model.clone();
        changed.bodies.get_mut(&id).unwrap().mass = mass;
        let result = self.world.body_mut(id).unwrap().set_mass(source);
        self.agree(result, changed);
    }

    pub fn edit_body(&mut self, random: &mut Random) {
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
            3 => {
                let result = match random.below(2) {
                    0 => body.apply_impulse_at(random.vector(5.0), random.vector(2.0)),
                    _ => body.apply_force_at(random.vector(50.0), random.vector(2.0)),
                };
                assert_eq!(result.is_ok(), kind == BodyKind::Dynamic);
            }
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

    pub fn edit_collider(&mut self, random: &mut Random) {
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

    pub fn edit_materials(&mut self, random: &mut Random) {
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

    pub fn exclude(&mut self, random: &mut Random) {
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

    pub fn step(&mut self, random: &mut Random) {
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
    pub fn after_step(&mut self) {
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

    pub fn settings(&mut self, random: &mut Random) {
        let mut method = match random.below(4) {
            0 => Method::ballistic(Integrate::SemiImplicitEuler),
            1 => Method::simultaneous(),
            _ => Method::soft_step(),
        };
        let s = &mut method.switches;
        let switches = [
            &mut s.warm_start,
            &mut s.sleep,
            &mut s.islands,
            &mut s.recycling,
            &mut s.reduction,
            &mut s.continuous,
            &mut s.gyroscopic,
        ];
        let mut others = [false; 10];
        for (switch, other) in switches.into_iter().zip(&mut others) {
            *other = random.below(4) == 0;
            *switch = !*other;
        }
        others[7..].fill_with(|| random.below(4) == 0);
        if others[7] {
            method.broad = Broad::AllPairs;
        }
        if others[8] {
            method.narrow = Narrow::Gjk;
        }
        if others[9] {
            method.friction = match method.friction {
                FrictionModel::Manifold => FrictionModel::Point,
                FrictionModel::Point => FrictionModel::Manifold,
            };
        }
        for (count, other) in self.seen.switched.iter_mut().zip(others) {
            *count += usize::from(other);
        }
        if random.below(2) == 0 {
            // Drowsy: two steps below 3 m/s, and an island falls asleep.
            method.sleep.time = 0.02;
            method.sleep.unsupported_factor = 1.0;
            method.tolerances.sleep_speed = 1.0;
        }
        if random.below(3) == 0 {
            method.validators = vec![Validator::WorldBounds { min: [-2.0; 3], max: [2.0; 3] }];
        }
        self.world.set_method(method).unwrap();
        self.world.set_gravity([0.0, random.between(-20.0, 5.0) as Real, 0.0]).unwrap();
    }

    pub fn whole_world(&mut self, random: &mut Random) {
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
    pub fn stale(&mut self, random: &mut Random) {
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
    pub fn bad(&mut self, random: &mut Random) {
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

    pub fn apply(&mut self, op: Op) {
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

    pub const KINDS: usize = 47;
    pub const SETTINGS: u8 = 34;

    /// The world holds what the model holds, no more and no less.
    pub fn check(&self) {
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
    pub fn check_dead(&self) {
        assert!(self.model.dead_bodies.iter().all(|&id| self.world.body(id).is_err()));
        assert!(self.model.dead_colliders.iter().all(|&id| self.world.collider(id).is_err()));
        assert!(self.model.dead_materials.iter().all(|&id| self.world.material(id).is_err()));
        assert!(self.model.dead_joints.iter().all(|&id| self.world.joint(id).is_err()));
        assert!(self.model.dead_effects.iter().all(|&id| self.world.effect(id).is_err()));
    }

    /// Removing everything leaves nothing: no body, no collider, no contact without an end.
    pub fn clear_out(&mut self) {
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
