//! Effects as the user sees them.

use super::desc::check_window;
use super::store::Effect;
use super::{BodySet, EffectKind};
use crate::error::{Error, Result};
use crate::id::{BodyId, EffectId};
use crate::world::State;

/// A force effect, to look at.
///
/// ```
/// use tumble::force::Drag;
/// use tumble::{BodyDesc, BodySet, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let ball = world.add_body(BodyDesc::dynamic())?;
/// let air = world.add_effect(EffectDesc::new(Drag::linear(0.1)).name("air").user_data(3))?;
/// let effect = world.effect(air)?;
/// assert_eq!((effect.id(), effect.name(), effect.user_data()), (air, Some("air"), 3));
/// assert_eq!((effect.kind().name(), effect.bodies()), ("drag", &BodySet::All));
/// assert!(effect.is_active() && effect.acts() && effect.acts_on(ball)? && !effect.removed_at_end());
/// assert_eq!(effect.window(), (f64::NEG_INFINITY, f64::INFINITY));
/// assert!(effect.stamp() > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct EffectRef<'a> {
    pub(crate) state: &'a State,
    pub(crate) id: EffectId,
    pub(crate) effect: &'a Effect,
}

impl<'a> EffectRef<'a> {
    /// Its id.
    pub fn id(&self) -> EffectId {
        self.id
    }

    /// What it does.
    pub fn kind(&self) -> &'a EffectKind {
        &self.effect.kind
    }

    /// The bodies it acts on; lists are in ascending order.
    pub fn bodies(&self) -> &'a BodySet {
        &self.effect.bodies
    }

    /// A body belongs to its set.
    pub fn acts_on(&self, body: BodyId) -> Result<bool> {
        self.state.bodies.cold.get(body)?;
        Ok(self.effect.bodies.contains(body.index()))
    }

    /// It is switched on.
    pub fn is_active(&self) -> bool {
        self.effect.active
    }

    /// It is switched on, has begun and has not ended.
    pub fn acts(&self) -> bool {
        self.effect.acts()
    }

    /// The simulated seconds between which it acts.
    pub fn window(&self) -> (f64, f64) {
        (self.effect.start, self.effect.end)
    }

    /// It is removed at its end.
    pub fn removed_at_end(&self) -> bool {
        self.effect.remove_at_end
    }

    /// A number that is larger after every change of it: edits, its beginning and its end, bodies that come and go. No two effects
    /// of a world share one.
    pub fn stamp(&self) -> u64 {
        self.effect.stamp
    }

    /// Its name.
    pub fn name(&self) -> Option<&'a str> {
        self.effect.name.as_deref()
    }

    /// What the user put there.
    pub fn user_data(&self) -> u64 {
        self.effect.user_data
    }
}

/// A force effect, to change. Every change is checked, wakes the bodies whose force it changes, and changes nothing where it is refused.
///
/// ```
/// use tumble::force::{Drag, EffectKind, Uniform};
/// use tumble::{BodyDesc, BodySet, EffectDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let (a, b) = (world.add_body(BodyDesc::dynamic())?, world.add_body(BodyDesc::dynamic())?);
/// let wind = world.add_effect(EffectDesc::new(Uniform::new([1.0, 0.0, 0.0])))?;
/// let mut effect = world.effect_mut(wind)?;
/// let before = effect.view()?.stamp();
/// effect.set_kind(Drag::linear(0.5).wind([3.0, 0.0, 0.0]))?;
/// effect.edit(|kind| {
///     if let EffectKind::Drag(drag) = kind {
///         drag.linear = 0.7;
///     }
/// })?;
/// effect.set_bodies(BodySet::list([a]))?;
/// effect.include(b)?;
/// effect.exclude(a)?;
/// assert_eq!(effect.view()?.bodies(), &BodySet::List(vec![b]));
/// effect.set_window(0.0, 10.0)?;
/// effect.set_remove_at_end(true)?;
/// effect.set_active(false)?;
/// effect.set_name(Some("gale".to_owned()))?;
/// effect.set_user_data(4)?;
/// assert!(effect.view()?.stamp() > before);
/// assert!(effect.set_window(2.0, 1.0).is_err());
/// # Ok(())
/// # }
/// ```
pub struct EffectMut<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) id: EffectId,
}

impl EffectMut<'_> {
    /// The effect, to look at.
    pub fn view(&self) -> Result<EffectRef<'_>> {
        Ok(EffectRef { state: self.state, id: self.id, effect: self.state.effects.all.get(self.id)? })
    }

    fn subject(&self) -> String {
        self.state.effect_subject(self.id.index())
    }

    fn change(&mut self, change: impl FnOnce(&mut Effect)) {
        let slot = self.id.index();
        self.state.change_effect(slot, change);
    }

    /// Changes what it does, through a function of the user's.
    pub fn edit(&mut self, change: impl FnOnce(&mut EffectKind)) -> Result<()> {
        let mut kind = self.view()?.kind().clone();
        change(&mut kind);
        self.set_kind(kind)
    }

    /// Changes what it does.
    pub fn set_kind(&mut self, kind: impl Into<EffectKind>) -> Result<()> {
        let kind = kind.into();
        let subject = self.subject();
        kind.validate(&subject)?;
        self.state.check_effect_set(&subject, &kind, self.view()?.bodies())?;
        self.change(|effect| effect.kind = kind);
        Ok(())
    }

    /// Changes the bodies it acts on.
    pub fn set_bodies(&mut self, mut bodies: BodySet) -> Result<()> {
        let subject = self.subject();
        bodies.sort(&subject)?;
        self.state.check_effect_set(&subject, self.view()?.kind(), &bodies)?;
        self.state.set_effect_bodies(self.id.index(), bodies);
        Ok(())
    }

    /// Takes a body in.
    pub fn include(&mut self, body: BodyId) -> Result<()> {
        self.set_member(body, true)
    }

    /// Leaves a body out.
    pub fn exclude(&mut self, body: BodyId) -> Result<()> {
        self.set_member(body, false)
    }

    fn set_member(&mut self, body: BodyId, belongs: bool) -> Result<()> {
        self.state.bodies.cold.get(body)?;
        let Some(bodies) = self.view()?.bodies().with(body, belongs) else {
            return Err(Error::refused(self.subject(), "it acts on a pair; use EffectMut::set_bodies"));
        };
        self.set_bodies(bodies)
    }

    /// Changes the simulated seconds between which it acts; either may be infinite.
    pub fn set_window(&mut self, start: f64, end: f64) -> Result<()> {
        let now = self.state.time;
        check_window(&self.subject(), start, end, now)?;
        self.change(|effect| {
            (effect.start, effect.end) = (start, end);
            effect.settle(now);
        });
        Ok(())
    }

    /// Has it removed at its end, or not.
    pub fn set_remove_at_end(&mut self, remove: bool) -> Result<()> {
        self.state.effects.all.get_mut(self.id)?.remove_at_end = remove;
        Ok(())
    }

    /// Switches it on or off.
    pub fn set_active(&mut self, active: bool) -> Result<()> {
        if self.view()?.is_active() != active {
            self.change(|effect| effect.active = active);
        }
        Ok(())
    }

    /// A name for people.
    pub fn set_name(&mut self, name: Option<String>) -> Result<()> {
        self.state.effects.all.get_mut(self.id)?.name = name;
        Ok(())
    }

    /// Anything the user wants to find again.
    pub fn set_user_data(&mut self, data: u64) -> Result<()> {
        self.state.effects.all.get_mut(self.id)?.user_data = data;
        Ok(())
    }
}
