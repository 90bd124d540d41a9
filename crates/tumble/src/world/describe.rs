//! Worlds taken apart: the descriptions from which their parts can be made again.
//!
//! A description says what a user could have said, and no more: warm-start data, sleep and the list of free ids stay behind. What
//! continues to the bit is a snapshot; what can be edited, written to a file or built in another world is a description.

use super::World;
use crate::articulation::store::Articulation;
use crate::articulation::tree::Link;
use crate::articulation::{ArticulationDesc, ArticulationRef, LinkDesc};
use crate::body::desc::{BodyDesc, ColliderDesc, MassSource, MaterialSource};
use crate::body::{BodyRef, ColliderRef, Material, PairCoefficients};
use crate::constraint::joint::{JointDesc, JointRef};
use crate::force::{EffectDesc, EffectRef};
use crate::id::{BodyId, MaterialId};
use crate::math::{Vec3, WorldPose};

impl BodyRef<'_> {
    /// The body as it is now, with its colliders. Materials that colliders share are named by their ids.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let ball = BodyDesc::dynamic().name("ball").position([0.0, 5.0, 0.0]).collider(Shape::sphere(0.5)?);
    /// let id = world.add_body(ball.clone())?;
    /// assert_eq!(world.body(id)?.desc(), ball);
    /// let twin = world.body(id)?.desc().position([2.0, 5.0, 0.0]);
    /// world.add_body(twin)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn desc(&self) -> BodyDesc {
        let (linear_damping, angular_damping) = self.damping();
        let (max_linear_speed, max_angular_speed) = self.speed_limits();
        let cold = self.state.bodies.cold.at(self.id().index());
        let collider = |slot: &u32| self.state.colliders.at(*slot).map(|c| describe_collider(self.state, c));
        BodyDesc {
            kind: self.kind(),
            pose: self.pose(),
            linear_velocity: self.linear_velocity(),
            angular_velocity: self.angular_velocity(),
            linear_damping,
            angular_damping,
            gravity_scale: self.gravity_scale(),
            locks: self.locks(),
            max_linear_speed,
            max_angular_speed,
            force: self.force(),
            torque: self.torque(),
            mass: cold.map_or(MassSource::Colliders, |c| c.mass_source().into_owned()),
            colliders: cold.map_or_else(Vec::new, |c| c.colliders.iter().filter_map(collider).collect()),
            name: self.name().map(str::to_owned),
            user_data: self.user_data(),
            active: self.is_active(),
            debug: self.is_debug(),
            can_sleep: self.can_sleep(),
            bullet: self.is_bullet(),
        }
    }
}

fn describe_collider(state: &super::State, c: &crate::body::collider::Collider) -> ColliderDesc {
    let material = |(slot, &id): (usize, &MaterialId)| match state.materials.get(id) {
        Ok(material) if c.owned >> slot & 1 == 1 => MaterialSource::Own(material.clone()),
        _ => MaterialSource::Shared(id),
    };
    ColliderDesc {
        shape: c.shape.clone(),
        pose: c.pose,
        materials: c.materials.iter().enumerate().map(material).collect(),
        density: c.density,
        layers: c.layers,
        sensor: c.sensor,
        collides: c.collides,
        hooked: c.hooked,
        contact_events: c.contact_events,
        impact_speed: c.impact_speed,
        user_data: c.user_data,
    }
}

impl ColliderRef<'_> {
    /// The collider as it is now. Materials that it shares with others are named by their ids.
    ///
    /// ```
    /// use tumble::{BodyDesc, ColliderDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let desc = ColliderDesc::new(Shape::sphere(0.5)?).friction(0.3);
    /// let body = world.add_body(BodyDesc::dynamic())?;
    /// let id = world.add_collider(body, desc.clone())?;
    /// assert_eq!(world.collider(id)?.desc(), desc);
    /// # Ok(())
    /// # }
    /// ```
    pub fn desc(&self) -> ColliderDesc {
        describe_collider(self.state, self.collider)
    }
}

impl JointRef<'_> {
    /// The joint as it is now, taking hold of its bodies by whole frames. A joint that broke is described as inactive.
    ///
    /// ```
    /// use tumble::{BodyDesc, JointDesc, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let bob = world.add_body(BodyDesc::dynamic().position([1.0, 0.0, 0.0]))?;
    /// let string = world.add_joint(JointDesc::ball(World::BODY, bob).anchor([0.0, 0.0, 0.0]))?;
    /// let desc = world.joint(string)?.desc();
    /// world.remove_joint(string)?;
    /// let again = world.add_joint(desc)?;
    /// assert_eq!(world.joint(again)?.gap(), 0.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn desc(&self) -> JointDesc {
        let [a, b] = self.local_frames();
        let [body_a, body_b] = self.bodies();
        let (force, torque) = self.break_limits();
        let desc = JointDesc::new(body_a, body_b, self.kind().clone())
            .frame_a(a.translation, a.rotation)
            .frame_b(b.translation, b.rotation)
            .stiffness(self.stiffness())
            .breaks_at(force, torque)
            .collide(self.collides())
            .active(self.is_active() && !self.is_broken())
            .debug(self.is_debug())
            .user_data(self.user_data());
        JointDesc { name: self.name().map(str::to_owned), ..desc }
    }
}

impl JointRef<'_> {
    /// Where it comes in the order in which a world was built: it was made before any body whose [`BodyId::index`] is this or more. Islands remember
    /// that order, so whoever builds the same world anew keeps to it. Snapshots do not hold it: 0 after a restore.
    ///
    /// ```
    /// use tumble::{BodyDesc, JointDesc, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let bob = world.add_body(BodyDesc::dynamic())?;
    /// let joint = world.add_joint(JointDesc::ball(World::BODY, bob))?;
    /// let later = world.add_body(BodyDesc::dynamic())?;
    /// assert_eq!(world.joint(joint)?.made_before(), later.index());
    /// # Ok(())
    /// # }
    /// ```
    pub fn made_before(&self) -> u32 {
        self.joint.bodies_before
    }
}

impl EffectRef<'_> {
    /// The effect as it is now.
    ///
    /// ```
    /// use tumble::{EffectDesc, World, force::Drag};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let desc = EffectDesc::new(Drag::linear(0.1)).name("air");
    /// let air = world.add_effect(desc.clone())?;
    /// assert_eq!(world.effect(air)?.desc(), desc);
    /// # Ok(())
    /// # }
    /// ```
    pub fn desc(&self) -> EffectDesc {
        let (start, end) = self.window();
        EffectDesc {
            kind: self.kind().clone(),
            bodies: self.bodies().clone(),
            active: self.is_active(),
            start,
            end,
            remove_at_end: self.removed_at_end(),
            name: self.name().map(str::to_owned),
            user_data: self.user_data(),
        }
    }
}

impl ArticulationRef<'_> {
    /// The description from which this articulation would be made as it is now. Where its links are follows from the coordinates of
    /// their joints; what its constraints remember is not in it.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, LinkDesc}};
    /// # fn main() -> tumble::Result<()> {
    /// let mut desc = ArticulationDesc::new().name("pendulum");
    /// desc.add(LinkDesc::revolute(BodyDesc::dynamic().mass(2.0), [0.0, 0.0, 1.0]).anchor([0.0, 1.0, 0.0]).position(&[0.5]));
    /// let (mut world, mut twin) = (World::new(), World::new());
    /// let id = world.add_articulation(desc)?;
    /// twin.add_articulation(world.articulation(id)?.desc())?;
    /// assert_eq!(world.hash(), twin.hash());
    /// # Ok(())
    /// # }
    /// ```
    pub fn desc(&self) -> ArticulationDesc {
        let Articulation { tree, bodies, self_collision, name } = self.articulation;
        let link = |(of, &body): (&Link, &u32)| {
            let view = self.state.bodies.cold.id_at(body).map(|id| BodyRef {
                state: self.state,
                id,
                dense: self.state.bodies.dense_at(body),
            });
            let mut body = view.map_or_else(BodyDesc::dynamic, |view| view.desc());
            // They follow from the joints, and a link without mass has none whatever it is told.
            body.pose = WorldPose::IDENTITY;
            (body.linear_velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
            if of.massless {
                body.mass = MassSource::Colliders;
            }
            LinkDesc {
                body,
                massless: of.massless,
                parent: of.parent(),
                joint: of.joint,
                frame_on_parent: of.frames[0],
                frame_on_link: of.frames[1],
                dofs: tree.dofs[of.dofs()].to_vec(),
                swing: of.swing,
                position: tree.q[of.coordinates()].to_vec(),
                velocity: tree.qd[of.dofs()].to_vec(),
                rest: tree.rest[of.coordinates()].to_vec(),
                target: tree.target[of.coordinates()].to_vec(),
            }
        };
        ArticulationDesc {
            links: tree.links.iter().zip(bodies).map(link).collect(),
            couplings: tree.couplings.clone(),
            self_collision: *self_collision,
            name: name.clone(),
        }
    }
}

impl World {
    /// The materials that colliders may share, the built-in one first.
    ///
    /// ```
    /// use tumble::{Material, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let ice = world.add_material(Material::named("ice")?)?;
    /// let ids: Vec<_> = world.shared_materials().map(|(id, _)| id).collect();
    /// assert_eq!(ids, [World::MATERIAL, ice]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shared_materials(&self) -> impl Iterator<Item = (MaterialId, &Material)> + '_ {
        self.state.materials.iter().filter(|(id, _)| !self.state.own_materials.is_marked(id.index() as usize))
    }

    /// The special pairs of materials, in the order of their ids.
    ///
    /// ```
    /// use tumble::{Material, World, library_pair};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let [a, b] = [world.add_material(Material::named("wood")?)?, world.add_material(Material::named("steel")?)?];
    /// world.set_material_pair(b, a, library_pair("wood", "steel"))?;
    /// assert_eq!(world.material_pairs().map(|(pair, _)| pair).collect::<Vec<_>>(), [(a, b)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn material_pairs(&self) -> impl Iterator<Item = ((MaterialId, MaterialId), &PairCoefficients)> + '_ {
        self.state.pairs.iter()
    }

    /// The pairs of bodies that never touch, each once.
    ///
    /// ```
    /// use tumble::{BodyDesc, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let (arm, hand) = (world.add_body(BodyDesc::dynamic())?, world.add_body(BodyDesc::dynamic())?);
    /// world.set_pair_excluded(hand, arm, true)?;
    /// assert_eq!(world.excluded_pairs().collect::<Vec<_>>(), [(arm, hand)]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn excluded_pairs(&self) -> impl Iterator<Item = (BodyId, BodyId)> + '_ {
        let id = |slot: u32| self.state.bodies.cold.id_at(slot);
        self.state.exclusions.iter().filter_map(move |&(a, b)| Some((id(a)?, id(b)?)))
    }
}
