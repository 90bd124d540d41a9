//! A plain model of what should exist in a world, for random edits.

use crate::support::real;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use tumble::math::{Float, Pose, Real, Vec3};
use tumble::shape::{CompoundChild, MeshDesc, Shape};
use tumble::{BodyId, BodyKind, ColliderId, EffectId, Event, JointId, MaterialId, World};

/// What a shape weighs at density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Volume {
    Of(f64),
    /// Weighs nothing, and that is fine.
    None,
    /// Cannot be part of a dynamic body whose mass comes from its colliders.
    Open,
}

pub fn shapes() -> &'static [(Shape, Volume)] {
    static SHAPES: OnceLock<Vec<(Shape, Volume)>> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let pi = core::f64::consts::PI;
        let r = real(0.3).to_f64();
        let corners: Vec<Vec3> = (0..8)
            .map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real) * 0.5 - Vec3::all(0.25))
            .collect();
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|v| v * 0.5).to_vec();
        let ball = Shape::sphere(0.25).unwrap();
        let children = vec![
            CompoundChild::new(ball.clone(), Pose::from_translation(Vec3::new(0.5, 0.0, 0.0))),
            CompoundChild::new(ball, Pose::from_translation(Vec3::new(-0.5, 0.0, 0.0))),
        ];
        vec![
            (Shape::sphere(real(r)).unwrap(), Volume::Of(4.0 / 3.0 * pi * r * r * r)),
            (Shape::cuboid(0.5, 0.25, 0.125).unwrap(), Volume::Of(0.125)),
            (Shape::capsule(0.25, 0.25).unwrap(), Volume::Of(pi / 16.0 * 0.5 + 4.0 / 3.0 * pi / 64.0)),
            (Shape::cylinder(0.25, 0.5).unwrap(), Volume::Of(pi / 4.0 * 0.5)),
            (Shape::cone(0.5, 0.5).unwrap(), Volume::Of(pi / 12.0)),
            (Shape::hull(&corners).unwrap(), Volume::Of(0.125)),
            (Shape::mesh(MeshDesc::new(tetrahedron.clone(), triangles.clone())).unwrap(), Volume::Of(0.125 / 6.0)),
            (Shape::compound(children).unwrap(), Volume::Of(2.0 * 4.0 / 3.0 * pi / 64.0)),
            (Shape::half_space(Vec3::Y, -1.0).unwrap(), Volume::None),
            (Shape::rectangle(1.0, 1.0).unwrap(), Volume::None),
            (Shape::mesh(MeshDesc::new(tetrahedron, triangles[..3].to_vec())).unwrap(), Volume::Open),
        ]
    })
}

#[derive(Clone, Debug)]
pub enum Substance {
    /// Density of the collider's own material.
    Own(f64),
    Shared(MaterialId),
}

#[derive(Clone, Debug)]
pub struct ModelCollider {
    pub body: BodyId,
    pub shape: usize,
    pub density: Option<f64>,
    pub substance: Substance,
    pub sensor: bool,
    pub user_data: u64,
}

#[derive(Clone, Debug)]
pub enum ModelMass {
    Colliders,
    Total(f64),
    Fixed(f64),
}

#[derive(Clone, Debug)]
pub struct ModelBody {
    pub kind: BodyKind,
    pub active: bool,
    pub colliders: Vec<ColliderId>,
    pub mass: ModelMass,
    pub user_data: u64,
}

/// What should exist.
#[derive(Clone, Default)]
pub struct Model {
    pub bodies: BTreeMap<BodyId, ModelBody>,
    pub colliders: BTreeMap<ColliderId, ModelCollider>,
    /// Shared materials: density.
    pub materials: BTreeMap<MaterialId, f64>,
    pub excluded: BTreeSet<(BodyId, BodyId)>,
    pub joints: BTreeMap<JointId, [BodyId; 2]>,
    /// Force effects, with the pair of those that act on one.
    pub effects: BTreeMap<EffectId, Option<[BodyId; 2]>>,
    pub dead_bodies: BTreeSet<BodyId>,
    pub dead_colliders: BTreeSet<ColliderId>,
    pub dead_materials: BTreeSet<MaterialId>,
    pub dead_joints: BTreeSet<JointId>,
    pub dead_effects: BTreeSet<EffectId>,
    /// Removed by the user since the last step.
    pub removed: Vec<BodyId>,
    /// Removed since the last step, by the user or with a body.
    pub removed_joints: BTreeSet<JointId>,
    pub removed_effects: BTreeSet<EffectId>,
    pub touching: BTreeSet<(ColliderId, ColliderId)>,
    pub inside: BTreeSet<(ColliderId, ColliderId)>,
    pub steps: u64,
    pub start: Option<Box<Model>>,
}

impl Model {
    pub fn new() -> Self {
        let mut model = Self::default();
        model.materials.insert(World::MATERIAL, 1000.0);
        model
    }

    pub fn density(&self, c: &ModelCollider) -> f64 {
        c.density.unwrap_or(match c.substance {
            Substance::Own(d) => d,
            Substance::Shared(m) => self.materials[&m],
        })
    }

    /// The mass of a body, or `None` where it cannot be dynamic.
    pub fn mass(&self, body: &ModelBody) -> Option<f64> {
        let mut sum = None;
        for c in body.colliders.iter().map(|c| &self.colliders[c]) {
            let density = self.density(c);
            if density == 0.0 || c.sensor && c.density.is_none() {
                continue;
            }
            match shapes()[c.shape].1 {
                Volume::Of(v) => *sum.get_or_insert(0.0) += v * density,
                Volume::None => {}
                Volume::Open if matches!(body.mass, ModelMass::Fixed(_)) => {}
                Volume::Open => return None,
            }
        }
        Some(match body.mass {
            ModelMass::Fixed(m) | ModelMass::Total(m) => m,
            ModelMass::Colliders => sum.unwrap_or(1.0),
        })
    }

    /// No dynamic body has lost its mass.
    pub fn possible(&self) -> bool {
        self.bodies.values().all(|b| b.kind != BodyKind::Dynamic || self.mass(b).is_some())
    }

    pub fn remove_body(&mut self, id: BodyId) {
        let body = self.bodies.remove(&id).unwrap();
        for c in body.colliders {
            self.colliders.remove(&c);
            self.dead_colliders.insert(c);
        }
        self.excluded.retain(|&(a, b)| a != id && b != id);
        for joint in self.joints.iter().filter(|(_, bodies)| bodies.contains(&id)).map(|(&j, _)| j).collect::<Vec<_>>()
        {
            self.remove_joint(joint);
        }
        let springs = self.effects.iter().filter(|(_, pair)| pair.is_some_and(|p| p.contains(&id)));
        for effect in springs.map(|(&e, _)| e).collect::<Vec<_>>() {
            self.remove_effect(effect);
        }
        self.dead_bodies.insert(id);
    }

    pub fn remove_joint(&mut self, id: JointId) {
        self.joints.remove(&id).unwrap();
        self.dead_joints.insert(id);
        self.removed_joints.insert(id);
    }

    pub fn remove_effect(&mut self, id: EffectId) {
        self.effects.remove(&id).unwrap();
        self.dead_effects.insert(id);
        self.removed_effects.insert(id);
    }

    /// An empty world, in which everything that was ever there is dead.
    pub fn emptied(mut self) -> Self {
        self.dead_bodies.extend(self.bodies.keys());
        self.dead_colliders.extend(self.colliders.keys());
        self.dead_materials.extend(self.materials.keys().filter(|&&m| m != World::MATERIAL));
        self.dead_joints.extend(self.joints.keys());
        self.dead_effects.extend(self.effects.keys());
        let Self { dead_bodies, dead_colliders, dead_materials, dead_joints, dead_effects, .. } = self;
        Self { dead_bodies, dead_colliders, dead_materials, dead_joints, dead_effects, ..Self::new() }
    }
}

/// How much happened, so that the test can tell that it tests something.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub contacts: usize,
    pub visits: usize,
    pub sleepers: usize,
    pub wakers: usize,
    pub removed: usize,
    /// Joints that were added, that broke, and that went.
    pub joints: usize,
    pub broken: usize,
    pub parted: usize,
    pub effects: usize,
    pub restored: usize,
    /// Changes of kind of bodies that touched another, that slept, and that did both.
    pub changed: [usize; 3],
    /// Joints that were added between bodies that touched each other, of which one slept at least, and both.
    pub joined: [usize; 3],
    /// How often each choice of the method was not that of the preset.
    pub switched: [usize; 10],
}

impl Seen {
    /// Of the cases of [`Seen::changed`] and [`Seen::joined`].
    pub fn case(cases: &mut [usize; 3], touching: bool, asleep: bool) {
        for (count, is) in cases.iter_mut().zip([touching, asleep, touching && asleep]) {
            *count += usize::from(is);
        }
    }

    pub fn count(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::ContactBegan { .. } => self.contacts += 1,
                Event::SensorEntered { .. } => self.visits += 1,
                Event::FellAsleep { .. } => self.sleepers += 1,
                Event::WokeUp { .. } => self.wakers += 1,
                Event::Removed { .. } => self.removed += 1,
                Event::JointBroke { .. } => self.broken += 1,
                Event::JointRemoved { .. } => self.parted += 1,
                _ => {}
            }
        }
    }
}
