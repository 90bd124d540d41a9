//! What a scene does to its world while it runs.

use tumble::{BodyId, JointId, World};

/// Something done to a world at a set time. What is no longer there is left alone.
///
/// ```
/// use tumble::{BodyDesc, World};
/// use tumble_scene::Cue;
/// let mut world = World::new();
/// let prop = world.add_body(BodyDesc::fixed())?;
/// Cue::Remove(prop).apply(&mut world)?;
/// assert!(world.body(prop).is_err());
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cue {
    /// A joint begins to hold.
    Activate(JointId),
    /// A joint lets go.
    Release(JointId),
    /// A body is taken away.
    Remove(BodyId),
}

impl Cue {
    /// Does it.
    pub fn apply(self, world: &mut World) -> tumble::Result<()> {
        match self {
            Self::Activate(joint) if world.joint(joint).is_ok() => world.joint_mut(joint)?.set_active(true),
            Self::Release(joint) if world.joint(joint).is_ok() => world.joint_mut(joint)?.set_active(false),
            Self::Remove(body) if world.body(body).is_ok() => world.remove_body(body),
            _ => Ok(()),
        }
    }
}
