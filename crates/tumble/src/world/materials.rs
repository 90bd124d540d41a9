//! Materials of a world.

use super::{State, World};
use crate::body::{Material, PairCoefficients};
use crate::error::{Error, Result};
use crate::id::MaterialId;

impl World {
    /// Adds a material that several colliders can share.
    pub fn add_material(&mut self, material: Material) -> Result<MaterialId> {
        self.whole()?;
        material.validate()?;
        Ok(self.state.materials.insert(material))
    }

    /// A material.
    pub fn material(&self, id: MaterialId) -> Result<&Material> {
        self.whole()?;
        self.state.materials.get(id)
    }

    /// Changes a material for all colliders that use it. A new density changes the masses of their bodies.
    ///
    /// ```
    /// use tumble::{Material, World};
    /// let mut world = World::new();
    /// // The built-in material is what all colliders without one of their own are made of.
    /// world.set_material(World::MATERIAL, Material::named("ice").unwrap()).unwrap();
    /// assert_eq!(world.material(World::MATERIAL).unwrap().density, 917.0);
    /// ```
    pub fn set_material(&mut self, id: MaterialId, material: Material) -> Result<()> {
        self.whole()?;
        material.validate()?;
        let old = core::mem::replace(self.state.materials.get_mut(id)?, material);
        let density_changed = old.density != self.state.materials.get(id)?.density;
        let bodies = self.state.made_of(|m| m == id);
        if density_changed {
            // Nothing half done: no mass changes before it is known that all can.
            if let Err(error) = bodies.iter().try_for_each(|&body| self.state.check_mass(body)) {
                *self.state.materials.get_mut(id)? = old;
                return Err(error);
            }
            for &body in &bodies {
                self.state.refresh_mass(body)?;
            }
        }
        for body in bodies {
            self.state.forget_materials(body);
            self.state.wake(body);
        }
        Ok(())
    }

    /// Removes a material that no collider uses.
    ///
    /// ```
    /// use tumble::{Material, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let mud = world.add_material(Material::default())?;
    /// world.remove_material(mud)?;
    /// assert!(world.material(mud).is_err());
    /// assert!(world.remove_material(World::MATERIAL).is_err()); // built in
    /// # Ok(())
    /// # }
    /// ```
    pub fn remove_material(&mut self, id: MaterialId) -> Result<()> {
        self.whole()?;
        self.state.materials.get(id)?;
        if id == Self::MATERIAL {
            return Err(Error::refused(id, "the built-in material cannot be removed"));
        }
        if let Some((user, _)) = self.state.colliders.iter().find(|(_, c)| c.materials.contains(&id)) {
            return Err(Error::refused(id, format!("it is in use by {user}")));
        }
        self.state.drop_material(id);
        Ok(())
    }

    /// Sets the coefficients of a special pair of materials, or with `None` returns the pair to the method's rule.
    ///
    /// ```
    /// use tumble::{Material, World, library_pair};
    /// let mut world = World::new();
    /// let wood = world.add_material(Material::named("wood").unwrap()).unwrap();
    /// let steel = world.add_material(Material::named("steel").unwrap()).unwrap();
    /// world.set_material_pair(wood, steel, library_pair("wood", "steel")).unwrap();
    /// assert_eq!(world.pair_coefficients(steel, wood).unwrap().static_friction, 0.4);
    /// ```
    pub fn set_material_pair(&mut self, a: MaterialId, b: MaterialId, pair: Option<PairCoefficients>) -> Result<()> {
        self.whole()?;
        self.state.materials.get(a)?;
        self.state.materials.get(b)?;
        self.state.pairs.set(a, b, pair)?;
        for body in self.state.made_of(|m| m == a || m == b) {
            self.state.forget_materials(body);
            self.state.wake(body);
        }
        Ok(())
    }

    /// The coefficients of a contact between two materials: from the table of special pairs, else by the method's rule.
    pub fn pair_coefficients(&self, a: MaterialId, b: MaterialId) -> Result<PairCoefficients> {
        self.whole()?;
        self.state.materials.get(a)?;
        self.state.materials.get(b)?;
        Ok(self.state.coefficients(a, b))
    }
}

impl State {
    /// The bodies with a collider of such a material, each once.
    fn made_of(&self, is_one: impl Fn(MaterialId) -> bool) -> Vec<u32> {
        let colliders = self.colliders.iter().filter(|(_, c)| c.materials.iter().any(|&m| is_one(m)));
        let mut bodies: Vec<u32> = colliders.map(|(_, c)| c.body).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// Ids must be valid; a missing material counts as the built-in one.
    pub fn coefficients(&self, a: MaterialId, b: MaterialId) -> PairCoefficients {
        if let Some(pair) = self.pairs.get(a, b) {
            return *pair;
        }
        let default = Material::default();
        let a = self.materials.get(a).unwrap_or(&default);
        let b = self.materials.get(b).unwrap_or(&default);
        self.method.materials.combine(a, b)
    }

    pub fn drop_material(&mut self, id: MaterialId) {
        self.materials.remove(id);
        self.own_materials.unmark(id.index() as usize);
        self.pairs.forget(id);
    }
}
