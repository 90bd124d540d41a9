//! Straight ways through the world.
//!
//! A world is wide and its colliders are small: a ray may come from 100 km away and must meet a crate to a fraction of a
//! millimetre. So distances along a way are `f64`, and the geometry of one collider, which is in [`Real`], is looked at from
//! a point of the way that is near it (see [`Way::head_start`]). What is found depends on the way, the collider's pose
//! and its shape alone, never on the history of the trees.

use super::parts::Ball;
use crate::detect::broad::BoxCast;
use crate::id::{BodyId, ColliderId};
use crate::math::{Aabb, Float, Num, Point, Real, Vec3};

/// Where a ray or a moving shape meets a collider.
///
/// ```
/// use tumble::{BodyDesc, QueryFilter, RayCast, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let wall = world.add_body(BodyDesc::fixed().position([6.0, 0.0, 0.0]).collider(Shape::cuboid(1.0, 3.0, 3.0)?))?;
/// let hit = world.cast_ray(&RayCast::new([0.0; 3], [1.0, 0.0, 0.0], 10.0), &QueryFilter::new())?.unwrap();
/// assert_eq!((hit.body, hit.distance, hit.fraction), (wall, 5.0, 0.5));
/// assert_eq!((hit.point.to_array(), hit.normal), ([5.0, 0.0, 0.0], -Vec3::X));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// What is hit.
    pub collider: ColliderId,
    /// Its body.
    pub body: BodyId,
    /// Where, in the world. For a moving shape a point of the collider; where they overlap from the start, the
    /// deepest.
    pub point: Point,
    /// Unit normal of the surface, towards where the ray or shape came from. Zero for a ray that starts inside. For a shape that
    /// overlaps from the start the direction in which it gets free soonest, or zero where it lies wholly inside a solid mesh.
    pub normal: Vec3,
    /// How far the ray or shape gets, in metres.
    pub distance: f64,
    /// How far it gets, as a share of the whole way; 0 where that is infinite.
    pub fraction: Real,
    /// Which part of the collider's shape: the triangle of a mesh or height field, the child of a compound. For rays also
    /// the face of a hull or box. Else 0.
    pub part: u32,
}

impl CastHit {
    /// Nearer, or as near with a smaller id: the order of all answers.
    pub(crate) fn is_before(&self, o: &Self) -> bool {
        self.order(o).is_lt()
    }

    pub(crate) fn order(&self, o: &Self) -> core::cmp::Ordering {
        // What only turns goes no distance, and is told apart by its share of the way.
        let by_distance = self.distance.total_cmp(&o.distance).then(self.fraction.total_cmp(&o.fraction));
        by_distance.then(self.collider.cmp(&o.collider))
    }
}

/// The direction of a cast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Of length 1.
    pub unit: Vec3<f64>,
    /// The direction that was given, times a power of two that brings its largest component near 1. Not a bit is lost, so
    /// that the trees follow the very same line however long it is.
    exact: Vec3,
    /// Length of `exact`.
    metres: f64,
}

/// Relative rounding of the trees' arithmetic, with room.
const ROUNDING: Real = 8.0 * Real::EPSILON;

impl Way {
    /// Of a cast that goes nowhere.
    pub const STILL: Self = Self { unit: Vec3::ZERO, exact: Vec3::ZERO, metres: 1.0 };

    pub fn is_still(&self) -> bool {
        self.unit == Vec3::ZERO
    }

    /// `None` for a direction that is zero or not finite.
    pub fn new(direction: Vec3) -> Option<Self> {
        let given = direction.to_f64();
        let unit = given.try_normalize()?;
        let exact = given * power_near(given.abs().max_component());
        Some(Self { unit, exact: exact.to_real(), metres: exact.length() })
    }

    /// The cast of a box for the trees, as far as `reach` metres.
    pub fn cast(&self, start: Aabb, reach: f64) -> BoxCast {
        BoxCast { start, direction: self.exact, max: self.limit(reach) }
    }

    /// How far the trees have to be searched for what is within `reach` metres; negative stays negative.
    pub fn limit(&self, reach: f64) -> Real {
        Real::from_f64(reach / self.metres) * (1.0 + ROUNDING)
    }

    /// Metres along the way after which something held by `ball` may be met, and not before: from there on its geometry is
    /// computed. Few digits, so that adding it to other numbers is mostly exact.
    #[inline(always)]
    pub fn head_start(&self, from: Point, ball: &Ball) -> f64 {
        if !ball.radius.is_finite() {
            return 0.0;
        }
        let free = (ball.centre - from).dot(self.unit) - ball.radius;
        if free > 0.0 && free.is_finite() { f64::from_bits(free.to_bits() & !((1 << 40) - 1)) } else { 0.0 }
    }
}

/// The power of two that takes a positive number to [1, 2), as far as there is one.
fn power_near(v: f64) -> f64 {
    let exponent = (v.to_bits() >> 52 & 0x7ff) as i64 - 1023;
    f64::from_bits((Num::max(1023.0 - exponent as f64, 1.0) as u64) << 52)
}

/// The share of a way that a distance is.
pub(super) fn share(distance: f64, whole: f64) -> Real {
    if whole > 0.0 { Real::from_f64(distance / whole) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The trees must follow the line that was given: a rounded direction would miss boxes far away.
    #[test]
    fn directions_reach_the_trees_exactly() {
        for d in [[3.0, -0.1, 1e-7], [1e-30, 7e-31, 0.0], [2e30, 1.0, -3e30], [0.0, 0.0, -5.0]] {
            let given = Vec3::<f64>::from(d).to_real();
            let way = Way::new(given).unwrap();
            let cast = way.cast(Aabb::at(Point::ZERO), 1.0);
            let ratio = given.to_f64().length() / cast.direction.to_f64().length();
            assert_eq!(ratio.to_bits() << 12, 0, "{ratio:e} is no power of two");
            assert!(cast.direction.abs().max_component() >= 1.0 && cast.direction.abs().max_component() < 2.0);
            assert!((way.unit.length() - 1.0).abs() < 1e-15);
        }
        assert!(Way::new(Vec3::ZERO).is_none() && Way::new(Vec3::all(Real::NAN)).is_none());
        assert!(Way::new(Vec3::all(Real::INFINITY)).is_none());
    }

    #[test]
    fn powers_of_two() {
        for v in [1.0, 1.5, 3.0, 1e-300, 1e300, 0.7] {
            let w = v * power_near(v);
            assert!((1.0..2.0).contains(&w), "{v} {w}");
        }
        assert!((f64::MAX * power_near(f64::MAX)).is_finite());
        assert!(f64::from_bits(1) * power_near(f64::from_bits(1)) > 0.0);
    }
}
