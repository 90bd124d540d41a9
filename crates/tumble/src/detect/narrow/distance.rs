//! How far two convex shapes are apart.

use super::convex::{ConvexRef, Pair};
use super::depth;
use super::gjk::{self, Outcome};
use super::plane;
use crate::math::{Float, Pose, Real, Vec3};

/// The nearest points of two shapes, or the deepest where they overlap; in A's frame.
///
/// ```
/// use tumble::detect::narrow::{ConvexRef, Distance, closest_points};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::Sphere;
/// let ball = Sphere::new(1.0)?;
/// let apart = Pose::from_translation(Vec3::new(5.0, 0.0, 0.0));
/// let found: Distance = closest_points(ConvexRef::Sphere(&ball), ConvexRef::Sphere(&ball), &apart);
/// assert_eq!((found.separation, found.normal), (3.0, Vec3::X));
/// assert_eq!((found.point_a.x, found.point_b.x), (1.0, 4.0));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Distance, or minus the depth.
    pub separation: Real,
    /// Point of A's surface.
    pub point_a: Vec3,
    /// Point of B's surface.
    pub point_b: Vec3,
    /// Unit vector from A to B. Moving B along it by -`separation` makes overlapping shapes touch.
    pub normal: Vec3,
}

/// The distance of two convex shapes with the points where they are nearest, or the least depth of an overlap.
///
/// Two half-spaces are answered as if the second were a point of its plane.
///
/// ```
/// use tumble::detect::narrow::{ConvexRef, closest_points};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::{Cylinder, Sphere};
/// let (drum, ball) = (Cylinder::new(1.0, 1.0)?, Sphere::new(0.5)?);
/// let far = Pose::from_translation(Vec3::new(4.0, 5.0, 0.0));
/// let found = closest_points(ConvexRef::Cylinder(&drum), ConvexRef::Sphere(&ball), &far);
/// assert_eq!(found.separation, 4.5);
/// assert_eq!(found.point_a, Vec3::new(1.0, 1.0, 0.0));
/// # Ok::<(), tumble::Error>(())
/// ```
pub fn closest_points(a: ConvexRef, b: ConvexRef, b_in_a: &Pose) -> Distance {
    match (a, b) {
        (ConvexRef::HalfSpace(p), _) => {
            let (separation, lowest) = plane::clearance(p, &b, b_in_a);
            let n = p.normal();
            Distance { separation, point_a: lowest.add_scaled(n, -separation), point_b: lowest, normal: n }
        }
        (_, ConvexRef::HalfSpace(q)) => {
            let (separation, lowest) = plane::clearance(q, &a, &b_in_a.inverse());
            let n = q.normal();
            Distance {
                separation,
                point_a: b_in_a.transform_point(lowest),
                point_b: b_in_a.transform_point(lowest.add_scaled(n, -separation)),
                normal: -b_in_a.rotation.rotate(n),
            }
        }
        _ => {
            let pair = Pair::new(a, b, b_in_a);
            nearest(&pair, pair.centre_line(), f64::INFINITY).unwrap_or(Distance {
                separation: 0.0,
                point_a: Vec3::ZERO,
                point_b: Vec3::ZERO,
                normal: Vec3::Y,
            })
        }
    }
}

/// Whether two convex shapes touch or overlap. Two half-spaces are answered as by [`closest_points`].
///
/// ```
/// use tumble::detect::narrow::{ConvexRef, overlap};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::Sphere;
/// let ball = Sphere::new(0.5)?;
/// let apart = |x| Pose::from_translation(Vec3::new(x, 0.0, 0.0));
/// assert!(overlap(ConvexRef::Sphere(&ball), ConvexRef::Sphere(&ball), &apart(0.9)));
/// assert!(!overlap(ConvexRef::Sphere(&ball), ConvexRef::Sphere(&ball), &apart(1.1)));
/// # Ok::<(), tumble::Error>(())
/// ```
pub fn overlap(a: ConvexRef, b: ConvexRef, b_in_a: &Pose) -> bool {
    match (a, b) {
        (ConvexRef::HalfSpace(p), _) => plane::clearance(p, &b, b_in_a).0 <= 0.0,
        (_, ConvexRef::HalfSpace(q)) => plane::clearance(q, &a, &b_in_a.inverse()).0 <= 0.0,
        _ => {
            let pair = Pair::new(a, b, b_in_a);
            match gjk::distance(&pair, pair.centre_line(), pair.radii()) {
                Outcome::Apart(gap) => gap.distance <= pair.radii(),
                Outcome::Overlap(_) => true,
                Outcome::Beyond(_) => false,
            }
        }
    }
}

/// The distance of two bounded shapes, searched from `start`; `None` where it is more than `limit`.
pub(super) fn nearest(pair: &Pair, start: Vec3<f64>, limit: f64) -> Option<Distance> {
    let (ra, rb) = (pair.a.radius().to_f64(), pair.b.radius().to_f64());
    let (n, core, p, q) = match gjk::distance(pair, start, limit + ra + rb) {
        Outcome::Apart(gap) => (gap.normal, gap.distance, gap.a, gap.b),
        Outcome::Overlap(simplex) => {
            let depth = depth::penetration(pair, &simplex);
            (depth.normal, -depth.depth, depth.a, depth.b)
        }
        Outcome::Beyond(_) => return None,
    };
    Some(Distance {
        separation: Real::from_f64(core - ra - rb),
        point_a: p.add_scaled(n, ra).to_real(),
        point_b: q.add_scaled(n, -rb).to_real(),
        normal: n.to_real(),
    })
}
