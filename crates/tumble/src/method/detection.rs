//! How contacts are found.

use serde::{Deserialize, Serialize};

/// How pairs of colliders that may touch are found.
///
/// Whichever it is, the pairs are the same, and so is every bit that comes of them: it is a matter of time alone.
///
/// ```
/// use tumble::{Method, World, method::Broad};
/// let checked = Method { broad: Broad::AllPairs, ..Method::soft_step() };
/// let world = World::with_method(checked).unwrap(); // for a test, or a handful of bodies
/// assert_ne!(world.method().broad, Method::default().broad);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Broad {
    /// By two dynamic trees of boxes, of what stands and of what moves, which are asked about boxes that have changed.
    #[default]
    Trees,
    /// By comparing every box with every other in every step: nothing that could go wrong, and the judge of the others. The time grows with
    /// the square of the number of colliders, also of those that sleep.
    AllPairs,
}

/// How two convex shapes, or convex parts of shapes, are tested for where they touch.
///
/// ```
/// use tumble::{Method, World, method::Narrow};
/// let general = Method { narrow: Narrow::Gjk, ..Method::soft_step() };
/// assert!(World::with_method(general).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Narrow {
    /// Each pair by what suits it best: closed forms for balls, capsules, half-spaces and two boxes, separating axes for
    /// polytopes, GJK for the rest.
    #[default]
    Auto,
    /// All bounded shapes by the one general way: GJK for the distance, descent for the depth, and clipped faces for the points.
    /// Slower, and less steady where two faces are equally near; it shows what the special ways are worth. Half-spaces, which
    /// have no bounds, keep their closed form.
    Gjk,
}
