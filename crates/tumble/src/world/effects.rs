//! Force effects of a world.

use super::World;
use crate::error::Result;
use crate::force::store::Effect;
use crate::force::{EffectDesc, EffectMut, EffectRef, ForceEffect};
use crate::id::EffectId;
use std::sync::Arc;

impl World {
    /// Adds a force effect, and wakes the bodies that it acts on.
    ///
    /// ```
    /// use tumble::force::Uniform;
    /// use tumble::{BodyDesc, BodySet, EffectDesc, World};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let balloon = world.add_body(BodyDesc::dynamic())?;
    /// let lift = EffectDesc::new(Uniform::new([0.0, 12.0, 0.0])).bodies(BodySet::list([balloon])).name("lift");
    /// let lift = world.add_effect(lift)?;
    /// assert_eq!((world.effect_count(), world.effect_ids().next()), (1, Some(lift)));
    /// assert_eq!((world.find_effect("lift"), world.find_effect("drift")), (Some(lift), None));
    /// world.step(1.0)?;
    /// assert!((world.body(balloon)?.linear_velocity().y - 2.19).abs() < 1e-4);
    ///
    /// world.effect_mut(lift)?.set_active(false)?;
    /// world.remove_effect(lift)?;
    /// assert!(world.effect(lift).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Values out of range, ids that name nothing, the same body twice, a span of time that is over, a spring that does not act on
    /// a pair or none of whose bodies is dynamic.
    pub fn add_effect(&mut self, mut desc: EffectDesc) -> Result<EffectId> {
        self.whole()?;
        let subject = desc.subject();
        desc.kind.validate(&subject)?;
        crate::force::check_window(&subject, desc.start, desc.end, self.state.time)?;
        desc.bodies.sort(&subject)?;
        self.state.check_effect_set(&subject, &desc.kind, &desc.bodies)?;
        Ok(self.state.add_effect(Effect::new(desc, self.state.time)))
    }

    /// Removes a force effect, and wakes the bodies that it acted on.
    pub fn remove_effect(&mut self, id: EffectId) -> Result<()> {
        self.whole()?;
        self.state.effects.all.get(id)?;
        self.state.remove_effect(id);
        Ok(())
    }

    /// A force effect, to look at.
    pub fn effect(&self, id: EffectId) -> Result<EffectRef<'_>> {
        self.whole()?;
        Ok(EffectRef { state: &self.state, id, effect: self.state.effects.all.get(id)? })
    }

    /// A force effect, to change. Changes wake the bodies whose force they change.
    pub fn effect_mut(&mut self, id: EffectId) -> Result<EffectMut<'_>> {
        self.whole()?;
        self.state.effects.all.get(id)?;
        Ok(EffectMut { state: &mut self.state, id })
    }

    /// The ids of all force effects, in the order of their slots.
    pub fn effect_ids(&self) -> impl Iterator<Item = EffectId> + '_ {
        self.state.effects.all.iter().map(|(id, _)| id)
    }

    /// Number of force effects.
    pub fn effect_count(&self) -> usize {
        self.state.effects.all.len()
    }

    /// The first force effect of this name, in the order of the slots.
    pub fn find_effect(&self, name: &str) -> Option<EffectId> {
        self.state.effects.all.iter().find(|(_, e)| e.name.as_deref() == Some(name)).map(|(id, _)| id)
    }

    /// Makes a kind of effect known by its name, so that snapshots with effects of this kind can be restored: each is made again by
    /// [`ForceEffect::load`] of this one. [`World::add_effect`] does not need it.
    pub fn register_effect(&mut self, prototype: Arc<dyn ForceEffect>) {
        self.state.forces.0.insert(prototype.name().to_owned(), prototype);
    }
}
