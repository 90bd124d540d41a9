//! Colliders of a world.

use super::{State, World};
use crate::body::collider::{Collider, NO_PROXY, Traits};
use crate::body::desc::{ColliderDesc, MaterialSource, check_not_negative, check_pose};
use crate::body::{ColliderRef, Layers, Material};
use crate::error::{Error, Result};
use crate::id::{BodyId, ColliderId, MaterialId};
use crate::list::List;
use crate::math::{Pose, Real};
use crate::shape::{Geometry, Shape};

/// Which material slots of a collider are its own is kept in a word.
const MAX_MATERIALS: usize = 64;

impl World {
    /// Puts another collider on a body. The body's mass follows unless it was given explicitly; the pose of its frame
    /// and the motion of all its points stay as they are.
    ///
    /// ```
    /// use tumble::{BodyDesc, ColliderDesc, World, shape::Shape};
    /// let mut world = World::new();
    /// let body = world.add_body(BodyDesc::dynamic()).unwrap();
    /// let wheel = ColliderDesc::new(Shape::sphere(0.3).unwrap()).at([0.0, -0.5, 0.0]).friction(0.9);
    /// let id = world.add_collider(body, wheel).unwrap();
    /// assert_eq!(world.collider(id).unwrap().body(), body);
    /// assert!((world.body(body).unwrap().centre_of_mass().y + 0.5).abs() < 1e-6);
    /// ```
    pub fn add_collider(&mut self, body: BodyId, desc: impl Into<ColliderDesc>) -> Result<ColliderId> {
        self.whole()?;
        let desc = desc.into();
        let state = &mut self.state;
        state.editable(body)?;
        let subject = state.subject(body.index());
        desc.validate(&subject)?;
        state.check_materials(&subject, &desc)?;
        let id = state.insert_collider(body.index(), desc);
        if let Err(error) = state.refresh_mass(body.index()) {
            state.drop_collider(id);
            return Err(error);
        }
        state.create_proxy(id.index());
        state.wake(body.index());
        Ok(id)
    }

    /// Takes a collider off its body.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let body = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(0.5)?))?;
    /// let hat = world.add_collider(body, Shape::cone(0.3, 0.3)?)?;
    /// let heavy = world.body(body)?.mass();
    /// world.remove_collider(hat)?;
    /// assert!(world.body(body)?.mass() < heavy && world.collider(hat).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn remove_collider(&mut self, id: ColliderId) -> Result<()> {
        self.whole()?;
        let body = self.state.colliders.get(id)?.body;
        let place = self.state.unlist_collider(body, id.index());
        if let Err(error) = self.state.refresh_mass(body) {
            if let (Some(place), Some(cold)) = (place, self.state.bodies.cold.at_mut(body)) {
                cold.colliders.insert(place, id.index());
            }
            return Err(error);
        }
        self.state.wake(body);
        self.state.drop_collider(id);
        Ok(())
    }

    /// A collider.
    pub fn collider(&self, id: ColliderId) -> Result<ColliderRef<'_>> {
        self.whole()?;
        Ok(ColliderRef { state: &self.state, id, collider: self.state.colliders.get(id)? })
    }

    /// The ids of all colliders, in the order of their slots.
    pub fn collider_ids(&self) -> impl Iterator<Item = ColliderId> + '_ {
        self.state.colliders.iter().map(|(id, _)| id)
    }

    /// Replaces the shape of a collider. The body's mass follows.
    ///
    /// ```
    /// use tumble::{BodyDesc, Layers, Material, World, math::{Pose, Vec3}, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let body = world.add_body(BodyDesc::dynamic())?;
    /// let id = world.add_collider(body, Shape::sphere(0.5)?)?;
    /// // Everything about a collider can be changed between steps.
    /// world.set_collider_shape(id, Shape::cuboid(0.5, 0.5, 0.5)?)?;
    /// world.set_collider_pose(id, Pose::from_translation(Vec3::Y))?;
    /// world.set_collider_material(id, Material::named("steel")?)?;
    /// world.set_collider_layers(id, Layers::default().with_member(2))?;
    /// assert_eq!(world.body(body)?.mass(), 7850.0);
    /// world.set_collider_sensor(id, true)?; // sensors weigh nothing
    /// world.set_collider_collides(id, false)?;
    /// assert!(world.collider(id)?.is_sensor() && !world.collider(id)?.collides());
    /// world.set_collider_density(id, Some(500.0))?;
    /// world.set_collider_hooked(id, true)?;
    /// world.set_collider_contact_events(id, false)?;
    /// world.set_collider_impact_speed(id, 2.0)?;
    /// world.set_collider_user_data(id, 7)?;
    /// assert_eq!((world.collider(id)?.density(), world.collider(id)?.user_data()), (Some(500.0), 7));
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_collider_shape(&mut self, id: ColliderId, shape: Shape) -> Result<()> {
        self.whole()?;
        let old = core::mem::replace(&mut self.state.colliders.get_mut(id)?.shape, shape);
        self.recheck_mass(id, |c| c.shape = old)
    }

    /// Moves a collider on its body. The body's mass follows.
    pub fn set_collider_pose(&mut self, id: ColliderId, pose: Pose) -> Result<()> {
        self.whole()?;
        let body = self.state.colliders.get(id)?.body;
        check_pose(&self.state.subject(body), "collider's position", &pose)?;
        let collider = self.state.colliders.get_mut(id)?;
        let old = core::mem::replace(&mut collider.pose, Pose::new(pose.translation, pose.rotation.normalized()));
        self.recheck_mass(id, |c| c.pose = old)
    }

    /// Changes the material in slot 0. A collider's own material is replaced; a shared one is no longer used. The body's mass follows.
    pub fn set_collider_material(&mut self, id: ColliderId, material: impl Into<MaterialSource>) -> Result<()> {
        self.set_collider_material_at(id, 0, material)
    }

    /// Changes the material in one of the slots that the collider lists. The body's mass follows.
    ///
    /// ```
    /// use tumble::{BodyDesc, ColliderDesc, Material, World, math::{Pose, Vec3}};
    /// use tumble::shape::{CompoundChild, Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let cube = Shape::cuboid(0.5, 0.5, 0.5)?;
    /// let left = CompoundChild::new(cube.clone(), Pose::from_translation(-Vec3::X));
    /// let right = CompoundChild::new(cube, Pose::from_translation(Vec3::X)).material(1);
    /// let body = world.add_body(BodyDesc::dynamic())?;
    /// let oak = Material::named("wood")?;
    /// let desc = ColliderDesc::new(Shape::compound(vec![left, right])?).materials(vec![oak.clone().into(), oak.into()]);
    /// let id = world.add_collider(body, desc)?;
    /// world.set_collider_material_at(id, 1, Material::named("steel")?)?;
    /// assert!(world.body(body)?.centre_of_mass().x > 0.5); // the right half is heavy now
    /// assert!(world.set_collider_material_at(id, 2, World::MATERIAL).is_err()); // it lists two
    /// world.set_collider_materials(id, vec![World::MATERIAL.into()])?; // all at once: slot 1 is not listed any more
    /// assert_eq!((world.body(body)?.mass(), world.collider(id)?.material(1)), (2000.0, World::MATERIAL));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A slot that the collider does not list (they count as slot 0; [`World::set_collider_materials`] lists more), materials out of
    /// their range or that belong to another collider, masses that come out of theirs.
    pub fn set_collider_material_at(
        &mut self,
        id: ColliderId,
        slot: u16,
        material: impl Into<MaterialSource>,
    ) -> Result<()> {
        self.whole()?;
        let material = material.into();
        let collider = self.state.colliders.get(id)?;
        let Some(&old) = collider.materials.get(usize::from(slot)) else {
            let subject = self.state.subject(collider.body);
            let count = collider.materials.len();
            let value = format!("{slot} of {count}");
            return Err(Error::value(subject, "material slot", "one that the collider lists", value));
        };
        let (mut materials, mut owned) = (collider.materials.clone(), collider.owned);
        let was_owned = owned >> slot & 1 != 0;
        self.state.check_material(&material)?;
        let (new, own) = self.state.take_material(material);
        materials[usize::from(slot)] = new;
        owned = owned & !(1 << slot) | u64::from(own) << slot;
        let (fresh, stale) = ([(new, own)], [(old, was_owned)]);
        self.exchange_materials(id, materials, owned, &fresh, &stale)
    }

    /// Changes the materials of all slots, and how many are listed. The body's mass follows. See
    /// [`World::set_collider_material_at`].
    pub fn set_collider_materials(&mut self, id: ColliderId, materials: Vec<MaterialSource>) -> Result<()> {
        self.whole()?;
        let collider = self.state.colliders.get(id)?;
        let stale: Vec<_> =
            collider.materials.iter().enumerate().map(|(slot, &m)| (m, collider.owned >> slot & 1 != 0)).collect();
        check_count(&self.state.subject(collider.body), materials.len())?;
        materials.iter().try_for_each(|m| self.state.check_material(m))?;
        let fresh: Vec<_> = materials.into_iter().map(|m| self.state.take_material(m)).collect();
        let mut list: List<MaterialId> = fresh.iter().map(|&(m, _)| m).collect();
        if list.is_empty() {
            list.push(Self::MATERIAL);
        }
        let owned = fresh.iter().enumerate().fold(0, |bits, (slot, &(_, own))| bits | u64::from(own) << slot);
        self.exchange_materials(id, list, owned, &fresh, &stale)
    }

    /// Puts new materials in the place of the old ones. Of both it is said whether they are the collider's own: those of the new ones go if
    /// they are refused, and else those of the old ones.
    fn exchange_materials(
        &mut self,
        id: ColliderId,
        materials: List<MaterialId>,
        owned: u64,
        fresh: &[(MaterialId, bool)],
        stale: &[(MaterialId, bool)],
    ) -> Result<()> {
        let collider = self.state.colliders.get_mut(id)?;
        let body = collider.body;
        let old =
            (core::mem::replace(&mut collider.materials, materials), core::mem::replace(&mut collider.owned, owned));
        let refreshed = self.state.refresh_mass(body);
        if refreshed.is_err() {
            let collider = self.state.colliders.get_mut(id)?;
            (collider.materials, collider.owned) = old;
        }
        for &(material, _) in if refreshed.is_ok() { stale } else { fresh }.iter().filter(|(_, own)| *own) {
            self.state.drop_material(material);
        }
        refreshed?;
        self.state.forget_materials(body);
        self.state.wake(body);
        Ok(())
    }

    /// Changes the layers of a collider.
    pub fn set_collider_layers(&mut self, id: ColliderId, layers: Layers) -> Result<()> {
        self.whole()?;
        if core::mem::replace(&mut self.state.colliders.get_mut(id)?.layers, layers) == layers {
            return Ok(());
        }
        self.refilter(id)
    }

    /// Gives a collider a density of its own, or that of its material again. The body's mass follows.
    pub fn set_collider_density(&mut self, id: ColliderId, density: Option<Real>) -> Result<()> {
        self.whole()?;
        let body = self.state.colliders.get(id)?.body;
        if let Some(density) = density {
            check_not_negative(&self.state.subject(body), "density", density)?;
        }
        let collider = self.state.colliders.get_mut(id)?;
        let old = core::mem::replace(&mut collider.density, density);
        if let Err(error) = self.state.refresh_mass(body) {
            self.state.colliders.get_mut(id)?.density = old;
            return Err(error);
        }
        self.state.wake(body);
        Ok(())
    }

    /// Has the contact hook asked about the contacts of a collider, or no longer.
    pub fn set_collider_hooked(&mut self, id: ColliderId, hooked: bool) -> Result<()> {
        self.whole()?;
        if core::mem::replace(&mut self.state.colliders.get_mut(id)?.hooked, hooked) == hooked {
            return Ok(());
        }
        self.refilter(id)
    }

    /// Has the contacts of a collider told when they begin and end, or no longer.
    pub fn set_collider_contact_events(&mut self, id: ColliderId, told: bool) -> Result<()> {
        self.whole()?;
        if self.state.colliders.get(id)?.contact_events == told {
            return Ok(());
        }
        // Contacts that were told to begin are told to end.
        self.refilter(id)?;
        self.state.colliders.get_mut(id)?.contact_events = told;
        Ok(())
    }

    /// The speed from which on the impacts of a collider are told; infinite for never.
    pub fn set_collider_impact_speed(&mut self, id: ColliderId, speed: Real) -> Result<()> {
        self.whole()?;
        let collider = self.state.colliders.get(id)?;
        let (body, old) = (collider.body, collider.impact_speed);
        if !(speed >= 0.0) {
            return Err(Error::value(self.state.subject(body), "impact speed", "not negative", speed));
        }
        self.state.colliders.get_mut(id)?.impact_speed = speed;
        // Whether it is told at all is a matter of the contact.
        if old.is_finite() == speed.is_finite() { Ok(()) } else { self.refilter(id) }
    }

    /// Changes what the user put there.
    pub fn set_collider_user_data(&mut self, id: ColliderId, data: u64) -> Result<()> {
        self.whole()?;
        self.state.colliders.get_mut(id)?.user_data = data;
        Ok(())
    }

    /// Makes a collider a sensor, or solid again. The body's mass follows: a sensor weighs something only if it has a
    /// density of its own.
    pub fn set_collider_sensor(&mut self, id: ColliderId, sensor: bool) -> Result<()> {
        self.whole()?;
        let collider = self.state.colliders.get_mut(id)?;
        let (body, old) = (collider.body, core::mem::replace(&mut collider.sensor, sensor));
        if old == sensor {
            return Ok(());
        }
        let checked = self.state.check_mass(body);
        self.state.colliders.get_mut(id)?.sensor = old;
        checked?;
        // Contacts and visits end as what they were.
        self.refilter(id)?;
        self.state.colliders.get_mut(id)?.sensor = sensor;
        self.state.refresh_mass(body)
    }

    /// Switches collision of a collider on or off.
    pub fn set_collider_collides(&mut self, id: ColliderId, collides: bool) -> Result<()> {
        self.whole()?;
        if core::mem::replace(&mut self.state.colliders.get_mut(id)?.collides, collides) == collides {
            return Ok(());
        }
        self.refilter(id)
    }

    /// Lets two bodies pass through each other, or no longer.
    ///
    /// ```
    /// use tumble::{BodyDesc, World};
    /// let mut world = World::new();
    /// let (arm, hand) = (world.add_body(BodyDesc::dynamic()).unwrap(), world.add_body(BodyDesc::dynamic()).unwrap());
    /// world.set_pair_excluded(arm, hand, true).unwrap();
    /// assert!(world.pair_excluded(hand, arm).unwrap());
    /// ```
    pub fn set_pair_excluded(&mut self, a: BodyId, b: BodyId, excluded: bool) -> Result<()> {
        self.whole()?;
        self.state.bodies.cold.get(a)?;
        self.state.bodies.cold.get(b)?;
        if a == b {
            return Err(Error::refused(a, "a body never touches itself"));
        }
        let key = (a.index().min(b.index()), a.index().max(b.index()));
        self.state.wake(a.index());
        self.state.wake(b.index());
        let changed = if excluded { self.state.exclusions.insert(key) } else { self.state.exclusions.remove(&key) };
        if changed {
            self.state.refilter_pair(a.index(), b.index());
        }
        Ok(())
    }

    /// Whether two bodies pass through each other.
    pub fn pair_excluded(&self, a: BodyId, b: BodyId) -> Result<bool> {
        self.whole()?;
        self.state.bodies.cold.get(a)?;
        self.state.bodies.cold.get(b)?;
        Ok(self.state.exclusions.contains(&(a.index().min(b.index()), a.index().max(b.index()))))
    }

    /// Ends the contacts of a collider and finds them anew: whom it meets, or where, has changed.
    fn refilter(&mut self, id: ColliderId) -> Result<()> {
        let body = self.state.colliders.get(id)?.body;
        self.state.wake(body);
        self.state.destroy_proxy(id.index());
        self.state.create_proxy(id.index());
        Ok(())
    }

    fn recheck_mass(&mut self, id: ColliderId, undo: impl FnOnce(&mut Collider)) -> Result<()> {
        let body = self.state.colliders.get(id)?.body;
        if let Err(error) = self.state.refresh_mass(body) {
            undo(self.state.colliders.get_mut(id)?);
            return Err(error);
        }
        self.refilter(id)
    }
}

impl State {
    /// Every shared material of the description exists.
    pub fn check_materials(&self, subject: &str, desc: &ColliderDesc) -> Result<()> {
        check_count(subject, desc.materials.len())?;
        for material in &desc.materials {
            if let MaterialSource::Shared(id) = material {
                self.check_shared(*id)?;
            }
        }
        Ok(())
    }

    fn check_material(&self, material: &MaterialSource) -> Result<()> {
        match material {
            MaterialSource::Own(m) => m.validate(),
            MaterialSource::Shared(m) => self.check_shared(*m),
        }
    }

    /// The material exists and outlives any one collider.
    fn check_shared(&self, id: MaterialId) -> Result<()> {
        self.materials.get(id)?;
        if self.own_materials.is_marked(id.index() as usize) {
            return Err(Error::refused(id, "it belongs to one collider; use World::add_material to share it"));
        }
        Ok(())
    }

    /// The id of a material, and whether it was made for the caller alone.
    pub fn take_material(&mut self, material: MaterialSource) -> (MaterialId, bool) {
        match material {
            MaterialSource::Shared(id) => (id, false),
            MaterialSource::Own(m) => {
                let id = self.materials.insert(m);
                self.own_materials.mark(id.index() as usize);
                (id, true)
            }
        }
    }

    /// The description has been checked. The mass of the body is the caller's concern.
    pub fn insert_collider(&mut self, body: u32, desc: ColliderDesc) -> ColliderId {
        let mut materials = List::Empty;
        let mut owned = 0;
        for (slot, material) in desc.materials.into_iter().enumerate() {
            let (id, own) = self.take_material(material);
            materials.push(id);
            owned |= (own as u64) << slot;
        }
        if materials.is_empty() {
            materials.push(World::MATERIAL);
        }
        let traits = Traits {
            pose: Pose::new(desc.pose.translation, desc.pose.rotation.normalized()),
            density: desc.density,
            layers: desc.layers,
            sensor: desc.sensor,
            collides: desc.collides,
            hooked: desc.hooked,
            contact_events: desc.contact_events,
            impact_speed: desc.impact_speed,
        };
        let latest = (self.colliders.capacity() as u32).checked_sub(1).and_then(|slot| self.colliders.at(slot));
        let traits = traits.shared(latest);
        let id = self.colliders.insert(Collider {
            body,
            proxy: NO_PROXY,
            shape: desc.shape,
            materials,
            owned,
            user_data: desc.user_data,
            traits,
        });
        if let Some(cold) = self.bodies.cold.at_mut(body) {
            cold.colliders.push(id.index());
        }
        id
    }

    /// Removes a collider and the materials that belong to it alone. The mass of the body is the caller's concern.
    pub fn drop_collider(&mut self, id: ColliderId) {
        if self.colliders.get(id).is_err() {
            return;
        }
        self.destroy_proxy(id.index());
        let Some(collider) = self.colliders.remove(id) else { return };
        for (slot, &material) in collider.materials.iter().enumerate() {
            if collider.owned >> slot & 1 != 0 {
                self.drop_material(material);
            }
        }
        self.unlist_collider(collider.body, id.index());
    }

    /// Takes a collider off the list of its body, and says where it was.
    fn unlist_collider(&mut self, body: u32, collider: u32) -> Option<usize> {
        let list = &mut self.bodies.cold.at_mut(body)?.colliders;
        // From the end: bodies give up their colliders in that order.
        let place = list.iter().rposition(|&c| c == collider)?;
        list.remove(place);
        Some(place)
    }

    /// The density of a collider: its own, else that of the material in this slot.
    pub fn density(&self, collider: &Collider, slot: u16) -> f64 {
        let default = Material::default();
        let material = self.materials.get(collider.material(slot)).unwrap_or(&default);
        f64::from(collider.density_with(material))
    }

    /// One of the colliders of a body is solid and made of triangles.
    pub fn has_solid_mesh(&self, body: u32) -> bool {
        let solid = |c: &Collider| !c.sensor && c.shape.is_meshed() && c.shape.inner_sphere().1 > 0.0;
        let colliders = self.bodies.cold.at(body).into_iter().flat_map(|cold| &cold.colliders);
        colliders.filter_map(|&c| self.colliders.at(c)).any(solid)
    }

    /// Largest distance of a point of the colliders of a body from its centre of mass, and the radius of the largest ball
    /// known to fit into the thinnest of them. Sensors count for neither: they stop nothing, and a body with a wide or thin one moves as it does without.
    pub fn extents(&self, body: u32, local_centre: crate::math::Vec3) -> (crate::math::Real, crate::math::Real) {
        let (mut extent, mut core) = (0.0, crate::math::Real::INFINITY);
        let Some(cold) = self.bodies.cold.at(body) else { return (0.0, 0.0) };
        for &c in &cold.colliders {
            let Some(collider) = self.colliders.at(c).filter(|c| !c.sensor) else { continue };
            let centre = collider.pose.inverse_transform_point(local_centre);
            let far = collider.shape.farthest_from(centre);
            if far > extent {
                extent = far;
            }
            let thin = thinnest(&collider.shape);
            if thin < core {
                core = thin;
            }
        }
        (extent, if core.is_finite() { core } else { 0.0 })
    }
}

fn check_count(subject: &str, materials: usize) -> Result<()> {
    if materials <= MAX_MATERIALS {
        Ok(())
    } else {
        Err(Error::value(subject, "number of materials of a collider", "at most 64", materials))
    }
}

/// The radius of the largest ball known to fit into the thinnest part of a shape.
fn thinnest(shape: &Shape) -> crate::math::Real {
    match shape {
        Shape::Compound(compound) => {
            let least = |least, radius| if radius < least { radius } else { least };
            compound.children().iter().map(|c| thinnest(&c.shape)).fold(crate::math::Real::INFINITY, least)
        }
        _ => shape.inner_sphere().1,
    }
}
