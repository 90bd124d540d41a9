//! How good the state of a world is, whichever engine has brought it about: fast and wrong is not fast.
//!
//! Everything is measured from shapes and poses alone, by the distance queries, which share nothing with what finds and solves
//! contacts in a step.

use tumble::math::{Float, Point};
use tumble::{BodyId, BodyKind, QueryFilter, World};

/// Figures of a state.
///
/// ```
/// use tumble_scene::{library, quality::Quality};
/// # fn main() -> tumble_scene::Result<()> {
/// let mut run = library::find("box-stack")?.setup().start()?;
/// let start = tumble_scene::quality::places(run.world());
/// for _ in 0..60 {
///     run.step()?;
/// }
/// let quality = Quality::of(run.world(), &start);
/// assert!(quality.depth < 0.01 && quality.moved < 0.05 && quality.gap == 0.0, "{quality:?}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// How deep anything lies in anything else, in metres.
    pub depth: f64,
    /// How far the worst joint has come apart, in metres.
    pub gap: f64,
    /// How far the farthest dynamic body has moved since the start, in metres.
    pub moved: f64,
    /// Kinetic and potential energy, in joules.
    pub energy: f64,
}

impl Quality {
    /// The figures of a world whose bodies started at these [`places`].
    pub fn of(world: &World, start: &[Point]) -> Self {
        let far = |(id, start): (BodyId, &Point)| {
            world.body(id).map_or(f64::NAN, |body| match body.kind() {
                BodyKind::Dynamic => (body.position() - *start).length(),
                _ => 0.0,
            })
        };
        let moved = world.body_ids().zip(start).map(far).fold(0.0, largest);
        Self { depth: depth(world), gap: gap(world), moved, energy: world.measure().energy() }
    }
}

/// The positions of all bodies, in the order of their ids.
pub fn places(world: &World) -> Vec<Point> {
    world.body_ids().filter_map(|id| world.body(id).ok()).map(|body| body.position()).collect()
}

/// The larger of two; NaN counts as larger than anything.
fn largest(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// How far the worst joint that holds has come apart, in metres; 0 where there are none.
pub fn gap(world: &World) -> f64 {
    // What is broken or switched off holds nothing.
    let holding = world.joint_ids().filter_map(|id| world.joint(id).ok()).filter(|j| j.is_active() && !j.is_broken());
    let gaps = holding.map(|joint| joint.gap().to_f64());
    gaps.fold(0.0, largest)
}

/// How deep anything lies in anything else, in metres; 0 where nothing overlaps. Bodies that a joint connects are left out, and
/// links of a tree that do not collide: they usually overlap by design. NaN where a body is nowhere.
pub fn depth(world: &World) -> f64 {
    let mut deepest = 0.0;
    let (mut joined, mut found) = (Vec::new(), Vec::new());
    for id in world.body_ids() {
        let Ok(body) = world.body(id) else { continue };
        if body.kind() != BodyKind::Dynamic {
            continue;
        }
        if !body.position().is_finite() {
            return f64::NAN;
        }
        joined.clear();
        joined.push(id);
        for joint in world.joints_of(id).into_iter().flatten() {
            joined.extend(world.joint(joint).into_iter().flat_map(|joint| joint.bodies()));
        }
        if let Some((tree, link)) = body.link()
            && let Ok(tree) = world.articulation(tree)
        {
            let parent = |i| tree.parent(i).ok().flatten();
            let apart = |i| !tree.self_collision() || parent(i) == Some(link) || parent(link) == Some(i);
            joined.extend(tree.links().enumerate().filter(|(i, _)| apart(*i)).map(|(_, body)| body));
        }
        for one in body.colliders() {
            let Ok(bounds) = world.collider(one).map(|collider| collider.bounds()) else { continue };
            let filter = QueryFilter::new().exclude_bodies(&joined);
            if world.overlap_box(bounds.min.to_f64(), bounds.max.to_f64(), &filter, &mut found).is_err() {
                return f64::NAN;
            }
            for &other in &found {
                // Two dynamic bodies are looked at once, from the earlier one.
                let Ok(other_body) = world.collider(other).map(|c| c.body()) else { continue };
                let dynamic = world.body(other_body).is_ok_and(|b| b.kind() == BodyKind::Dynamic);
                if dynamic && other_body < id {
                    continue;
                }
                let apart = world.distance(one, other).map_or(f64::NAN, |s| s.distance.to_f64());
                deepest = largest(deepest, -apart);
            }
        }
    }
    deepest
}
