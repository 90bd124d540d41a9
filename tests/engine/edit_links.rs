//! Random edits of joints and force effects, and of whole worlds by snapshots.

use crate::edit_model::{Model, Seen};
use crate::edit_operations::Pair;
use crate::support::{Random, real};
use tumble::constraint::Motor;
use tumble::constraint::joint::{Distance, Fixed, Hinge, JointKind, Slider};
use tumble::force::{Explosion, Spring, Uniform};
use tumble::math::Real;
use tumble::{BodyKind, BodySet, EffectDesc, JointDesc, World};

impl Pair {
    pub fn add_joint(&mut self, random: &mut Random) {
        let touching = if random.below(2) == 0 { self.touching(random) } else { None };
        let Some([a, b]) = touching.or_else(|| {
            let a = self.body(random)?;
            Some([a, if random.below(4) == 0 { World::BODY } else { self.body(random).unwrap_or(a) }])
        }) else {
            return;
        };
        let kind: JointKind = match random.below(6) {
            0 => Fixed.into(),
            1 => Hinge::limited(-0.5, 0.5).into(),
            2 => Distance::rope(real(random.between(0.0, 3.0))).into(),
            3 => Slider::driven(Motor::velocity(real(random.between(-2.0, 2.0)))).into(),
            4 => JointDesc::cone_twist(a, b, 0.4, 0.2).kind,
            _ => JointDesc::ball(a, b).kind,
        };
        let force = if random.below(2) == 0 { real(random.between(0.0, 100.0)) } else { Real::INFINITY };
        let desc = JointDesc::new(a, b, kind).breaks_at(force, Real::INFINITY).collide(random.below(2) == 0);
        let dynamic = |id| id != World::BODY && self.model.bodies[&id].kind == BodyKind::Dynamic;
        let possible = a != b && (dynamic(a) || dynamic(b));
        let touch = a != b && self.world.contacts_of(a).unwrap().any(|c| c.bodies().contains(&b));
        let asleep = [a, b].iter().any(|&id| self.world.body(id).unwrap().is_asleep());
        let result = self.world.add_joint(desc.active(random.below(6) > 0));
        assert_eq!(result.is_ok(), possible, "{a} {b}: {:?}", result.err());
        if let Ok(id) = result {
            assert!(!self.model.dead_joints.contains(&id), "{id} is used again");
            assert!(self.model.joints.insert(id, [a, b]).is_none(), "{id} is given twice");
            self.seen.joints += 1;
            Seen::case(&mut self.seen.joined, touch, asleep);
        }
    }

    pub fn edit_joint(&mut self, random: &mut Random) {
        if let Some(&id) = self.model.dead_joints.iter().next() {
            assert!(self.world.joint(id).is_err() && self.world.remove_joint(id).is_err());
        }
        let Some(id) = Self::pick(&self.model.joints, random) else { return };
        let mut joint = self.world.joint_mut(id).unwrap();
        match random.below(5) {
            0 => {
                self.world.remove_joint(id).unwrap();
                self.model.remove_joint(id);
            }
            1 => joint.set_active(random.below(2) == 0).unwrap(),
            2 => joint.set_collide(random.below(2) == 0).unwrap(),
            3 => joint.set_anchor_b(random.vector(0.5).to_f64()).unwrap(),
            _ => assert!(joint.set_anchor_b([f64::NAN, 0.0, 0.0]).is_err()),
        }
    }

    pub fn effects(&mut self, random: &mut Random) {
        if let Some(&id) = self.model.dead_effects.iter().next() {
            assert!(self.world.effect(id).is_err() && self.world.remove_effect(id).is_err());
        }
        let (a, b) = (self.body(random), self.body(random));
        match (random.below(5), a, b) {
            (0, ..) => {
                if let Some(id) = Self::pick(&self.model.effects, random) {
                    self.world.remove_effect(id).unwrap();
                    self.model.remove_effect(id);
                }
            }
            (1, ..) => {
                if let Some(id) = Self::pick(&self.model.effects, random) {
                    self.world.effect_mut(id).unwrap().set_active(random.below(2) == 0).unwrap();
                }
            }
            (2, Some(a), Some(b)) => {
                let dynamic = |id| self.model.bodies[&id].kind == BodyKind::Dynamic;
                let possible = a != b && (dynamic(a) || dynamic(b));
                let result = self.world.add_effect(EffectDesc::spring(a, b, Spring::new(1.0, 20.0)));
                assert_eq!(result.is_ok(), possible, "{:?}", result.err());
                self.model.effects.extend(result.map(|id| (id, Some([a, b]))));
                self.seen.effects += 1;
            }
            (3, Some(a), _) => {
                let push = EffectDesc::new(Uniform::new(random.vector(20.0))).bodies(BodySet::list([a]));
                self.model.effects.insert(self.world.add_effect(push).unwrap(), None);
                self.seen.effects += 1;
            }
            _ => {
                let bang = Explosion::new(random.vector(1.0).to_f64(), real(random.between(0.0, 50.0)));
                self.model.effects.insert(self.world.add_effect(EffectDesc::new(bang)).unwrap(), None);
                self.seen.effects += 1;
            }
        }
    }

    /// A snapshot is taken, or the world goes back to the last one, or to that of another [`World`].
    pub fn save_or_restore(&mut self, random: &mut Random) {
        match (random.below(3), &self.saved) {
            (0, Some((bytes, model))) => {
                self.world.restore(bytes).unwrap();
                // The start is the restored state from now on.
                self.model = Model { start: None, ..(**model).clone() };
                self.seen.restored += 1;
            }
            (1, Some((bytes, _))) => {
                // One byte less, and nothing happens.
                let before = self.world.hash();
                assert!(self.world.restore(&bytes[..bytes.len() - 1]).is_err());
                assert_eq!(self.world.hash(), before);
            }
            _ => {
                let bytes = self.world.snapshot().unwrap();
                assert_eq!(World::from_snapshot(&bytes).unwrap().hash(), self.world.hash());
                self.saved = Some((bytes, Box::new(self.model.clone())));
            }
        }
    }

    pub fn check_links(&self) {
        let (world, model) = (&self.world, &self.model);
        assert!(world.joint_ids().eq(model.joints.keys().copied()), "ids of joints");
        for (&id, &bodies) in &model.joints {
            assert_eq!(world.joint(id).unwrap().bodies(), bodies);
        }
        assert!(world.effect_ids().eq(model.effects.keys().copied()), "ids of effects");
        for &body in model.bodies.keys() {
            let of: Vec<_> =
                model.joints.iter().filter(|(_, bodies)| bodies.contains(&body)).map(|(&j, _)| j).collect();
            let mut told: Vec<_> = world.joints_of(body).unwrap().collect();
            told.sort();
            assert_eq!(told, of, "joints of {body}");
        }
    }
}
