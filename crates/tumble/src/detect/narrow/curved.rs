//! Pairs with a cylinder, a cone or a capsule that have no closed form: GJK for the distance, descent for the depth.

use super::cache::{Axis, PairCache};
use super::contact::{Found, Touch};
use super::convex::{ConvexRef, Pair, Triangle};
use super::depth::{self, Depth};
use super::gjk::{self, Outcome};
use super::manifold::Manifold;
use crate::math::{Float, Num, Pose, Real, Vec3};

/// Part of the radius of the larger inner ball up to which the way out is looked for near the last normal only. The
/// shapes' middles are then far from having passed each other, and the least depth nearby is the least there is.
const SHALLOW: f64 = 0.25;

/// Any two bounded convex shapes.
pub(super) fn collide(
    a: ConvexRef,
    b: ConvexRef,
    b_in_a: &Pose,
    margin: Real,
    cache: &mut PairCache,
    out: &mut Manifold,
) {
    let touch = Touch::new(a, b, b_in_a, margin);
    if touch.at_once(cache, out) {
        return;
    }
    search(&touch, b_in_a, cache, out);
}

/// The same by search alone.
pub(super) fn search(touch: &Touch, b_in_a: &Pose, cache: &mut PairCache, out: &mut Manifold) {
    out.clear();
    let (a, b, margin) = (touch.a, touch.b, touch.margin);
    let pair = Pair::new(a, b, b_in_a);
    let radii = pair.radii();
    let limit = margin.to_f64() + radii;
    let last = cache.direction().to_f64().try_normalize();
    let start = last.unwrap_or_else(|| pair.centre_line());
    let found = match gjk::distance(&pair, start, limit) {
        Outcome::Beyond(axis) => {
            cache.set(Axis::Direction, axis.to_real());
            return;
        }
        Outcome::Apart(gap) => {
            let (n, separation) = (gap.normal, gap.distance - radii);
            if separation > margin.to_f64() || front(&a, &b, &pair).is_some_and(|f| f.dot(n) < 0.0) {
                cache.set(Axis::Direction, n.to_real());
                return;
            }
            Found {
                normal: n.to_real(),
                separation: Real::from_f64(separation),
                a: gap.a.to_real(),
                b: gap.b.to_real(),
            }
        }
        Outcome::Overlap(simplex) => {
            let shallow = SHALLOW * Num::max(a.inner_ball().1, b.inner_ball().1).to_f64();
            let mut depth = match last.map(|n| depth::descend(&pair, n)) {
                Some(near) if near.depth <= shallow => near,
                _ => depth::penetration(&pair, &simplex),
            };
            // Out of a one-sided triangle there is only one way.
            if let Some(f) = front(&a, &b, &pair)
                && f.dot(depth.normal) < 0.0
            {
                let v = pair.support(f);
                depth = Depth { normal: f, depth: v.w.dot(f), a: v.a, b: v.b };
            }
            Found {
                normal: depth.normal.to_real(),
                separation: Real::from_f64(-depth.depth - radii),
                a: depth.a.to_real(),
                b: depth.b.to_real(),
            }
        }
    };
    touch.manifold(&found, cache, out);
}

/// The direction from A to B across a one-sided triangle.
fn front(a: &ConvexRef, b: &ConvexRef, pair: &Pair) -> Option<Vec3<f64>> {
    let one_sided = |t: &Triangle| if t.two_sided { None } else { t.area_vector().to_f64().try_normalize() };
    match (a, b) {
        (ConvexRef::Triangle(t), _) => one_sided(t),
        (_, ConvexRef::Triangle(t)) => one_sided(t).map(|n| -(pair.rotation * n)),
        _ => None,
    }
}
