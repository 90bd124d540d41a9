//! What can go wrong, each with the thing and the value that was wrong.

use core::fmt;

/// The result of everything that takes input.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a call was refused. The world is as it was before the call.
///
/// ```
/// use tumble::{Error, shape::Shape};
/// let error = Shape::sphere(-1.0).unwrap_err();
/// assert_eq!(error.to_string(), "sphere: radius must be positive and finite, got -1");
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A value is outside its range.
    #[error("{subject}: {property} must be {expected}, got {value}")]
    Value {
        /// What it was meant for, such as `body "crate-7"`.
        subject: String,
        /// Which property of it.
        property: &'static str,
        /// What would have been right.
        expected: &'static str,
        /// What was given.
        value: String,
    },
    /// The id names nothing in this world: it was removed, or belongs to another world.
    #[error("{0} does not exist: it was removed, or belongs to another world")]
    Missing(AnyId),
    /// A mesh, hull or height field cannot be made from what was given.
    #[error("{shape}: {problem}")]
    Geometry {
        /// Which shape was to be made.
        shape: &'static str,
        /// The first fault, with the place where it is.
        problem: String,
    },
    /// The thing exists, but this cannot be done with it.
    #[error("{subject}: {problem}")]
    Refused {
        /// The thing.
        subject: String,
        /// Why not, and what to do instead.
        problem: String,
    },
    /// A step panicked, in code of the user's, and left the world half moved; see [`World`](crate::World#torn-worlds).
    #[error("world: a step panicked ({panic}) and left it half moved; restore, restart or reset it first")]
    Torn {
        /// What the panic said.
        panic: String,
    },
}

impl Error {
    /// A value out of range.
    pub(crate) fn value(
        subject: impl fmt::Display,
        property: &'static str,
        expected: &'static str,
        value: impl fmt::Display,
    ) -> Self {
        Self::Value { subject: subject.to_string(), property, expected, value: value.to_string() }
    }

    /// A fault in geometry.
    pub(crate) fn geometry(shape: &'static str, problem: impl fmt::Display) -> Self {
        Self::Geometry { shape, problem: problem.to_string() }
    }

    /// Something that cannot be done.
    pub(crate) fn refused(subject: impl fmt::Display, problem: impl fmt::Display) -> Self {
        Self::Refused { subject: subject.to_string(), problem: problem.to_string() }
    }
}

/// An id of any kind, for error messages.
///
/// ```
/// use tumble::{BodyDesc, Error, World};
/// let mut world = World::new();
/// let id = world.add_body(BodyDesc::dynamic()).unwrap();
/// world.remove_body(id).unwrap();
/// match world.body(id) {
///     Err(Error::Missing(missing)) => assert_eq!((missing.kind, missing.index), ("body", id.index())),
///     _ => unreachable!(),
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnyId {
    /// Which kind of thing.
    pub kind: &'static str,
    /// Its slot.
    pub index: u32,
    /// Which occupant of the slot.
    pub generation: u32,
}

impl fmt::Display for AnyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}v{}", self.kind, self.index, self.generation)
    }
}
