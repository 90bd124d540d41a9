//! Bodies of a world.

use super::{State, World};
use crate::body::collider::Collider;
use crate::body::desc::{BodyDesc, MassSource};
use crate::body::store::{CentrePose, Cold, Params, Rest, Velocity};
use crate::body::{BodyKind, BodyMut, BodyRef};
use crate::detect::broad::ProxyKind;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::BodyId;
use crate::integrate::rotation::spins_freely;
use crate::math::{Float, Point, Quat, Real, Sym3, Vec3};
use crate::shape::{Geometry, MassProperties, Shape};
use std::sync::Arc;

/// The mass of a dynamic body whose colliders have none: a ball of 1 kg, 1 m across.
const PROVISIONAL: MassProperties = MassProperties {
    mass: 1.0,
    centre: Vec3::ZERO,
    inertia: Sym3 { xx: 0.1, yy: 0.1, zz: 0.1, xy: 0.0, xz: 0.0, yz: 0.0 },
};

/// The state of a body after a change of its mass.
struct MassPlan {
    mass: MassProperties,
    params: Params,
    velocity: Velocity,
    /// `None` where it stays.
    centre: Option<Point>,
}

impl World {
    /// Adds a body with its colliders.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, shape::Shape};
    /// let mut world = World::new();
    /// let ball = BodyDesc::dynamic().collider(Shape::sphere(0.5).unwrap());
    /// let id = world.add_body(ball.clone()).unwrap();
    /// assert!(world.body(id).is_ok());
    /// let error = world.add_body(ball.position([0.0, f64::NAN, 0.0])).unwrap_err();
    /// assert!(error.to_string().starts_with("new body: position must be finite"));
    /// assert_eq!(world.body_count(), 1);
    /// ```
    pub fn add_body(&mut self, desc: BodyDesc) -> Result<BodyId> {
        self.whole()?;
        desc.validate()?;
        let subject = desc.subject();
        for collider in &desc.colliders {
            self.state.check_materials(&subject, collider)?;
        }
        let id = self.state.insert_body(desc);
        if let Err(error) = self.state.refresh_mass(id.index()) {
            self.state.drop_body(id);
            return Err(error);
        }
        self.state.settle(id.index());
        self.state.rebuild_proxies(id.index());
        self.state.enter_sets(id);
        Ok(id)
    }

    /// Makes room for so many more bodies with a collider each, most of which move: large worlds are built faster then, and take less memory, as their
    /// arrays need not grow. More or fewer may come; room for more than a million is made as they do.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let (mut world, ball) = (World::new(), Shape::sphere(0.5)?);
    /// world.reserve(1000);
    /// for x in 0..1000 {
    ///     world.add_body(BodyDesc::dynamic().position([f64::from(x), 0.0, 0.0]).collider(ball.clone()))?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn reserve(&mut self, bodies: usize) {
        const MOST: usize = 1 << 20;
        let (state, bodies) = (&mut self.state, bodies.min(MOST));
        state.bodies.reserve(bodies);
        state.islands.reserve(bodies);
        state.colliders.reserve(bodies);
        state.placed.reserve_exact(bodies);
        state.broad.reserve(ProxyKind::Moving, bodies);
        state.contacts.reserve(bodies);
    }

    /// Removes a body, its colliders, and all that hangs on it.
    pub fn remove_body(&mut self, id: BodyId) -> Result<()> {
        self.whole()?;
        self.state.editable(id)?;
        if self.state.articulations.link_of(id.index()).is_some() {
            let subject = self.state.subject(id.index());
            return Err(Error::refused(subject, "it is a link; remove its articulation"));
        }
        self.state.remove_body(id, false);
        Ok(())
    }

    /// A body, to look at.
    pub fn body(&self, id: BodyId) -> Result<BodyRef<'_>> {
        self.whole()?;
        Ok(BodyRef { state: &self.state, id, dense: self.state.bodies.dense(id)? })
    }

    /// A body, to change. Changes of how it moves wake it.
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_>> {
        self.whole()?;
        self.state.editable(id)?;
        Ok(BodyMut { state: &mut self.state, id })
    }

    /// The first body of this name, in the order of the slots.
    ///
    /// ```
    /// use tumble::{BodyDesc, World};
    /// let mut world = World::new();
    /// let id = world.add_body(BodyDesc::dynamic().name("crate-7")).unwrap();
    /// assert_eq!(world.find_body("crate-7"), Some(id));
    /// ```
    pub fn find_body(&self, name: &str) -> Option<BodyId> {
        let bodies = &self.state.bodies;
        let (slot, _) = bodies.names.iter().find(|&(_, other)| other == name)?;
        bodies.cold.id_at(slot)
    }
}

impl State {
    /// The body exists and is not the built-in one.
    pub fn editable(&self, id: BodyId) -> Result<()> {
        self.bodies.cold.get(id)?;
        if id == World::BODY {
            return Err(Error::refused("body \"world\"", "the built-in body cannot be changed or removed"));
        }
        Ok(())
    }

    /// What a body is called in error messages.
    pub fn subject(&self, slot: u32) -> String {
        match self.bodies.names.get(slot) {
            Some(name) => format!("body {name:?}"),
            None => self.bodies.cold.id_at(slot).map_or_else(|| "body".to_owned(), |id| id.to_string()),
        }
    }

    pub fn insert_built_in_body(&mut self, desc: BodyDesc) {
        let (cold, pose, velocity, params, rest) = new_body(&desc);
        self.bodies.insert_first(cold, pose, velocity, params, rest);
        self.bodies.names.set(World::BODY.index(), desc.name.as_deref());
    }

    /// The description has been checked; mass and sleep are the caller's concern.
    pub(super) fn insert_body(&mut self, desc: BodyDesc) -> BodyId {
        let (cold, pose, velocity, params, rest) = new_body(&desc);
        let id = self.bodies.insert(cold, pose, velocity, params, rest);
        self.bodies.names.set(id.index(), desc.name.as_deref());
        self.settle_island(id.index());
        for collider in desc.colliders {
            self.insert_collider(id.index(), collider);
        }
        id
    }

    pub(super) fn drop_body(&mut self, id: BodyId) {
        let colliders = self.bodies.cold.get(id).map(|c| c.colliders.clone()).unwrap_or_default();
        for &slot in colliders.iter().rev() {
            if let Some(collider) = self.colliders.id_at(slot) {
                self.drop_collider(collider);
            }
        }
        self.islands.remove(id.index());
        self.bodies.remove(id);
    }

    pub fn remove_body(&mut self, id: BodyId, by_validator: bool) {
        if self.tree_goes_with(id, by_validator) {
            return;
        }
        self.wake(id.index());
        self.remove_joints(id.index());
        self.leave_sets(id);
        self.drop_body(id);
        self.exclusions.retain(|&(a, b)| a != id.index() && b != id.index());
        self.pending.push(Event::Removed { body: id, by_validator });
    }

    /// Computes mass, centre and inertia of a body from their source. The frame of the body stays where it is, and every
    /// point of it keeps its velocity, but for what locks and speed limits take. On an error nothing is changed.
    pub fn refresh_mass(&mut self, slot: u32) -> Result<()> {
        if let Some(plan) = self.checked_plan(slot)? {
            self.take_mass(slot, plan);
        }
        Ok(())
    }

    /// The same for a link of a new tree, whose other links may not have their masses yet.
    pub(super) fn begin_mass(&mut self, slot: u32) -> Result<()> {
        if let Some(plan) = self.plan_mass(slot)? {
            self.take_mass(slot, plan);
        }
        Ok(())
    }

    fn take_mass(&mut self, slot: u32, mut plan: MassPlan) {
        let (extent, core) = self.extents(slot, plan.params.local_centre);
        // A body without colliders counts as wide as its mass is spread, and a link without mass as a point.
        let square = if plan.mass.mass > 0.0 { plan.mass.inertia.trace() / plan.mass.mass } else { 0.0 };
        let spread = Real::from_f64(square.sqrt());
        plan.params.extent = if extent > spread { extent } else { spread };
        plan.params.core = core;
        plan.params.set(Params::MESHED, plan.params.inv_mass > 0.0 && self.has_solid_mesh(slot));
        let dense = self.bodies.dense_at(slot);
        let bodies = &mut self.bodies;
        bodies.params.set(dense, plan.params);
        bodies.velocity[dense] = plan.velocity;
        if let Some(centre) = plan.centre {
            bodies.pose[dense].centre = centre;
        }
        bodies.rest[dense].carry = Vec3::ZERO;
        let neighbour = slot.checked_sub(1).and_then(|slot| Some(Arc::clone(&bodies.cold.at(slot)?.mass)));
        if let Some(cold) = bodies.cold.at_mut(slot) {
            cold.set_mass(plan.mass, neighbour);
        }
        if plan.params.has(Params::LINK) {
            self.link_mass_changed(slot);
        }
        // The frame follows from the centre: where the centre is absurdly far off, it does so with a jump.
        if plan.centre.is_some() {
            self.move_proxies(slot, Vec3::ZERO, false);
        }
    }

    /// An error where [`State::refresh_mass`] would give one.
    pub fn check_mass(&self, slot: u32) -> Result<()> {
        self.checked_plan(slot).map(drop)
    }

    /// What a body will be once its mass is computed anew, and of a link whether its tree can do with it.
    fn checked_plan(&self, slot: u32) -> Result<Option<MassPlan>> {
        let plan = self.plan_mass(slot)?;
        if let Some(plan) = plan.as_ref().filter(|plan| plan.params.has(Params::LINK)) {
            self.check_resisted(slot, &plan.mass)?;
        }
        Ok(plan)
    }

    /// What a body will be once its mass is computed anew.
    fn plan_mass(&self, slot: u32) -> Result<Option<MassPlan>> {
        let Some(cold) = self.bodies.cold.at(slot) else { return Ok(None) };
        let dense = cold.dense as usize;
        let dynamic = cold.kind == BodyKind::Dynamic;
        // Nothing pushes a body that is not dynamic; it turns about the origin of its frame, and an open mesh may stand in
        // the world without having a mass.
        let mass = if dynamic { self.mass_of(cold)? } else { *cold.mass };
        let local_centre: Vec3 = if dynamic { mass.centre.to_real() } else { Vec3::ZERO };
        let (moments, axes) = mass.principal_axes();
        let invert = |m: f64| if dynamic && m > 0.0 { Real::from_f64(1.0 / m) } else { 0.0 };
        let inv_mass = invert(mass.mass);
        let inv_inertia = Vec3::new(invert(moments.x), invert(moments.y), invert(moments.z));
        let massless_link =
            self.bodies.params[dense].has(Params::LINK) && mass.mass == 0.0 && cold.colliders.is_empty();
        if !inv_mass.is_finite() || (dynamic && inv_mass == 0.0 && !massless_link) {
            return Err(Error::value(self.subject(slot), "mass", "within the range of numbers", mass.mass));
        }
        if !inv_inertia.is_finite() {
            let moments = format_args!("{:?}", moments.to_array()).to_string();
            return Err(Error::value(self.subject(slot), "moments of inertia", "within the range of numbers", moments));
        }

        let (pose, frame) = (&self.bodies.pose[dense], self.bodies.frame(dense));
        let mut params = self.bodies.params[dense];
        let moved = pose.rotation.rotate(local_centre - params.local_centre);
        // A centre that stays is not recomputed: a thousand edits must not walk the body away by their rounding.
        let centre = (local_centre != params.local_centre)
            .then(|| frame.translation + frame.rotation.rotate(local_centre).to_f64());
        params.inv_mass = inv_mass;
        params.inv_inertia = inv_inertia;
        params.axes = axes.to_real().normalized();
        params.local_centre = local_centre;
        params.set(Params::KINEMATIC, cold.kind == BodyKind::Kinematic);
        let turns = params.locks().free_turn() == Vec3::all(1.0);
        params.set(Params::SPINS_FREELY, turns && spins_freely(inv_inertia));
        let old = self.bodies.velocity[dense];
        let velocity = params.restrained(Velocity { linear: old.at(moved), angular: old.angular });
        if !(local_centre.is_finite() && velocity.linear.is_finite() && centre.is_none_or(|c| c.is_finite())) {
            return Err(Error::value(
                self.subject(slot),
                "centre of mass",
                "within the range of numbers",
                format_args!("{:?}", mass.centre.to_array()),
            ));
        }
        Ok(Some(MassPlan { mass, params, velocity, centre }))
    }

    /// Mass, centre and inertia from their source, or an error where the colliders have none.
    pub fn mass_of(&self, cold: &Cold) -> Result<MassProperties> {
        let subject = || self.subject(self.bodies.slot[cold.dense as usize]);
        let of_colliders = || -> Result<Option<MassProperties>> {
            let mut parts = Vec::new();
            for &c in &cold.colliders {
                let Some(collider) = self.colliders.at(c) else { continue };
                let mass = self
                    .collider_mass(collider)
                    .map_err(|e| Error::refused(subject(), format!("its collider has no mass: {e}")))?;
                parts.extend(mass);
            }
            Ok((!parts.is_empty()).then(|| MassProperties::sum(parts)))
        };
        match &*cold.mass_source() {
            MassSource::Colliders => Ok(of_colliders()?.unwrap_or(PROVISIONAL)),
            MassSource::Total(mass) => of_colliders()?.unwrap_or(PROVISIONAL).scaled_to_mass(mass.to_f64()),
            MassSource::Explicit(mass) => Ok(*mass),
            MassSource::Shape(shape, pose, density) => {
                let mass = shape
                    .mass_properties(density.to_f64())
                    .map_err(|e| Error::refused(subject(), format!("its mass shape has no mass: {e}")))?;
                Ok(mass.transformed(pose))
            }
        }
    }

    /// What a collider weighs, in the frame of its body, each child of a compound at the density of its material; `None` for
    /// nothing. A sensor weighs something only if it is told to, and a shape without volume never does.
    fn collider_mass(&self, collider: &Collider) -> Result<Option<MassProperties>> {
        if collider.sensor && collider.density.is_none() {
            return Ok(None);
        }
        let part = |shape: &Shape, density: f64| -> Result<Option<MassProperties>> {
            if density > 0.0 && shape.has_volume() { shape.mass_properties(density).map(Some) } else { Ok(None) }
        };
        let mass = match &collider.shape {
            Shape::Compound(compound) => {
                let mut parts = Vec::new();
                for child in compound.children() {
                    let density = child.density.unwrap_or_else(|| self.density(collider, child.material));
                    parts.extend(part(&child.shape, density)?.map(|m| m.transformed(&child.pose)));
                }
                (!parts.is_empty()).then(|| MassProperties::sum(parts))
            }
            shape => part(shape, self.density(collider, 0))?,
        };
        Ok(mass.map(|m| m.transformed(&collider.pose)))
    }

    /// Puts a body among the awake or the standing ones, as its kind, flags and motion say.
    pub fn settle(&mut self, slot: u32) {
        let Some(cold) = self.bodies.cold.at_mut(slot) else { return };
        cold.looks &= cold.kind == BodyKind::Kinematic && cold.active;
        let dense = cold.dense as usize;
        let awake = cold.active
            && !cold.asleep
            && match cold.kind {
                BodyKind::Dynamic => true,
                BodyKind::Fixed => false,
                BodyKind::Kinematic => {
                    cold.looks || cold.target().is_some() || self.bodies.velocity[dense] != Velocity::default()
                }
            };
        self.bodies.set_awake(slot, awake);
    }

    /// Gives a body that can fall asleep an island, and takes it from one that cannot: what is fixed, moves as it is told, or
    /// takes no part. Its contacts must have ended before; joints link the island anew.
    pub fn settle_island(&mut self, slot: u32) {
        if self.bodies.cold.at(slot).is_some_and(|c| c.kind == BodyKind::Dynamic && c.active) {
            self.islands.add(slot);
            self.link_joints(slot);
            self.link_effects(slot);
            self.link_tree(slot);
        } else {
            self.islands.remove(slot);
        }
    }

    /// Takes a body whose state stopped being finite out of the simulation; it stays where it last was.
    pub fn quarantine(&mut self, slot: u32) {
        match self.bodies.cold.at_mut(slot) {
            Some(cold) if !cold.quarantined => {
                cold.active = false;
                cold.quarantined = true;
                cold.set_target(None);
            }
            _ => return,
        }
        // What held it in the step that failed is no start for another.
        for i in 0..self.joints.of_body(slot).len() {
            if let Some(&joint) = self.joints.of_body(slot).get(i)
                && let Some(joint) = self.joints.all.at_mut(joint)
            {
                joint.impulses.fill(0.0);
            }
        }
        self.rebuild_proxies(slot);
        self.settle_island(slot);
        self.settle(slot);
        self.settle_joints(slot);
        if let Some(body) = self.bodies.cold.id_at(slot) {
            self.pending.push(Event::Quarantined { body });
        }
    }

    /// Wakes everything.
    pub fn wake_all(&mut self) {
        for island in 0..self.islands.all.len() as u32 {
            self.wake_island(island);
        }
        for slot in 0..self.bodies.cold.capacity() as u32 {
            if self.bodies.cold.at(slot).is_some() {
                self.settle(slot);
            }
        }
    }
}

/// The records of a new body with a provisional mass; velocities are those of its frame's origin.
fn new_body(desc: &BodyDesc) -> (Cold, CentrePose, Velocity, Params, Rest) {
    let cold = Cold::new(desc, PROVISIONAL);
    let pose = CentrePose { centre: desc.pose.translation, rotation: desc.pose.rotation.normalized() };
    let still = desc.kind == BodyKind::Fixed;
    let velocity = Velocity {
        linear: if still { Vec3::ZERO } else { desc.linear_velocity },
        angular: if still { Vec3::ZERO } else { desc.angular_velocity },
    };
    let mut params = Params {
        inv_mass: 0.0,
        inv_inertia: Vec3::ZERO,
        axes: Quat::IDENTITY,
        local_centre: Vec3::ZERO,
        linear_damping: desc.linear_damping,
        angular_damping: desc.angular_damping,
        gravity_scale: desc.gravity_scale,
        max_linear_speed: desc.max_linear_speed,
        max_angular_speed: desc.max_angular_speed,
        force: desc.force,
        torque: desc.torque,
        extent: 0.0,
        core: 0.0,
        flags: u32::from(desc.locks.bits()) << Params::LOCKS_SHIFT,
        spare: 0,
    };
    params.set(Params::CAN_SLEEP, desc.can_sleep);
    params.set(Params::BULLET, desc.bullet);
    (cold, pose, velocity, params, Rest::default())
}
