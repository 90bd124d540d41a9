//! Axis-aligned bounding boxes.

use super::{Float, Num, Point, Real, Vec3};
use serde::{Deserialize, Serialize};

/// An axis-aligned box by its smallest and largest corner. Boxes that touch overlap (002-28).
///
/// ```
/// use tumble::math::{Aabb, Vec3};
/// let a = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
/// let b = Aabb::new(Vec3::X, Vec3::all(2.0));
/// assert!(a.overlaps(&b));
/// assert_eq!(a.union(&b).surface_area(), 24.0);
/// ```
///
/// ```
/// use tumble::math::{Aabb, Point, Pose, Real, Vec3};
/// let b = Aabb::of_points([Vec3::new(1.0, 0.0, 0.0), Vec3::new(-1.0, 2.0, 4.0)]);
/// assert_eq!((b.centre(), b.half_extents()), (Vec3::new(0.0, 1.0, 2.0), Vec3::new(1.0, 1.0, 2.0)));
/// assert!(b.contains_point(Vec3::Y) && b.expanded(0.5).contains(&b));
/// assert_eq!(b.distance_squared(Vec3::new(3.0, 1.0, 2.0)), 4.0);
/// assert_eq!(b.transformed(&Pose::from_translation(Vec3::X)).max.x, 2.0);
/// // A ray along +x from x = -5 enters at x = -1. Where the direction is 0, its reciprocal is infinite.
/// let inverse = Vec3::new(1.0, Real::INFINITY, Real::INFINITY);
/// assert_eq!(b.ray_entry(Vec3::new(-5.0, 1.0, 1.0), inverse, 100.0), Some(4.0));
/// assert!(b.is_finite() && !Aabb::EVERYTHING.is_finite());
/// // Far out, boxes are rounded outwards.
/// let far = Point::new(1.0e8, 0.0, 0.0);
/// assert!(Aabb::around(far, Vec3::all(0.1)).min.x < 1.0e8 && b.moved_to(far).max.x > 1.0e8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[repr(C)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

// SAFETY: six equal components under `repr(C)` leave no padding, and every bit pattern of a float is a float.
unsafe impl bytemuck::Zeroable for Aabb {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Aabb {}

impl Aabb {
    /// The box that holds nothing and is neutral in unions.
    pub const EMPTY: Self = Self { min: Vec3::all(Real::INFINITY), max: Vec3::all(Real::NEG_INFINITY) };
    /// The box that holds everything.
    pub const EVERYTHING: Self = Self { min: Vec3::all(Real::NEG_INFINITY), max: Vec3::all(Real::INFINITY) };

    /// The box between two corners.
    #[inline(always)]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The smallest box that holds all points.
    pub fn of_points(points: impl IntoIterator<Item = Vec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// The box of half-size `half` about `centre` in the world, rounded outwards to [`Real`].
    ///
    /// Far from the origin the grid of `f32` is coarse (8 mm at 100 km); rounding outwards keeps every overlap.
    pub fn around(centre: Point, half: Vec3) -> Self {
        let (lo, hi) = (centre - half.to_f64(), centre + half.to_f64());
        Self {
            min: Vec3::new(round_down(lo.x), round_down(lo.y), round_down(lo.z)),
            max: Vec3::new(round_up(hi.x), round_up(hi.y), round_up(hi.z)),
        }
    }

    /// The box around a point of the world: [`Self::around`] without size.
    #[inline]
    pub(crate) fn at(point: Point) -> Self {
        Self::around(point, Vec3::ZERO)
    }

    /// This box moved to where `origin` is in the world, rounded outwards.
    #[inline(always)]
    pub fn moved_to(&self, origin: Point) -> Self {
        let (lo, hi) = (origin + self.min.to_f64(), origin + self.max.to_f64());
        Self {
            min: Vec3::new(round_down(lo.x), round_down(lo.y), round_down(lo.z)),
            max: Vec3::new(round_up(hi.x), round_up(hi.y), round_up(hi.z)),
        }
    }

    /// The smallest box that holds this one placed at `pose`. An unbounded box stays unbounded.
    pub fn transformed(&self, pose: &super::Pose) -> Self {
        if !self.is_finite() {
            return Self::EVERYTHING;
        }
        let centre = pose.transform_point(self.centre());
        let half = pose.rotation.to_mat3().abs() * self.half_extents();
        Self { min: centre - half, max: centre + half }
    }

    /// The boxes have a point in common.
    #[inline(always)]
    pub fn overlaps(&self, o: &Self) -> bool {
        // Bitwise and: six comparisons without a branch between them.
        (self.min.x <= o.max.x)
            & (self.min.y <= o.max.y)
            & (self.min.z <= o.max.z)
            & (o.min.x <= self.max.x)
            & (o.min.y <= self.max.y)
            & (o.min.z <= self.max.z)
    }

    /// `o` lies inside this box, borders included.
    #[inline(always)]
    pub fn contains(&self, o: &Self) -> bool {
        (self.min.x <= o.min.x)
            & (self.min.y <= o.min.y)
            & (self.min.z <= o.min.z)
            & (o.max.x <= self.max.x)
            & (o.max.y <= self.max.y)
            & (o.max.z <= self.max.z)
    }

    /// The point lies inside this box, borders included.
    #[inline(always)]
    pub fn contains_point(&self, p: Vec3) -> bool {
        self.contains(&Self { min: p, max: p })
    }

    /// The smallest box that holds both.
    #[inline(always)]
    pub fn union(&self, o: &Self) -> Self {
        Self { min: self.min.min(o.min), max: self.max.max(o.max) }
    }

    /// This box with `margin` more on every side.
    #[inline(always)]
    pub fn expanded(&self, margin: Real) -> Self {
        Self { min: self.min - Vec3::all(margin), max: self.max + Vec3::all(margin) }
    }

    /// Middle of the box.
    #[inline(always)]
    pub fn centre(&self) -> Vec3 {
        self.min * 0.5 + self.max * 0.5
    }

    /// Half of the edge lengths.
    #[inline(always)]
    pub fn half_extents(&self) -> Vec3 {
        self.max * 0.5 - self.min * 0.5
    }

    /// Sum of the areas of the six faces.
    #[inline(always)]
    pub fn surface_area(&self) -> Real {
        let d = self.max - self.min;
        2.0 * (d.x * d.y + d.y * d.z + d.z * d.x)
    }

    /// All corners are finite.
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }

    /// Squared distance from a point to the box; 0 inside.
    #[inline(always)]
    pub fn distance_squared(&self, p: Vec3) -> Real {
        let d = (self.min - p).max(p - self.max).max(Vec3::ZERO);
        d.length_squared()
    }

    /// Distance of two boxes; 0 where they overlap.
    #[inline(always)]
    pub(crate) fn distance_to(&self, o: &Self) -> Real {
        (self.min - o.max).max(o.min - self.max).max(Vec3::ZERO).length()
    }

    /// Where the ray `origin + t direction`, 0 <= t <= `max`, enters the box; 0 when it starts inside, `None` when it misses.
    /// `inverse` holds the reciprocals of the direction's components (infinite for zero).
    #[inline]
    pub fn ray_entry(&self, origin: Vec3, inverse: Vec3, max: Real) -> Option<Real> {
        let (mut near, mut far) = (0.0, max);
        for i in 0..3 {
            let a = (self.min[i] - origin[i]) * inverse[i];
            let b = (self.max[i] - origin[i]) * inverse[i];
            // 0 · ∞ is NaN exactly when the origin lies on a face of a slab that the ray runs along: inside. `Num::min` and
            // `Num::max` then return their second operand, and the slab limits nothing.
            (near, far) =
                (Num::min(Num::max(a, near), Num::max(b, near)), Num::max(Num::min(a, far), Num::min(b, far)));
        }
        // A ray that runs beside a slab enters it at infinity, which is no hit even where `max` is infinite.
        (near <= far && near < Real::INFINITY).then_some(near)
    }
}

/// The largest number that is not above `v`.
///
/// r is the nearest to v. Where it is above, the one before it is sought, whose bits are one more for a negative r and one less else: r is
/// +0 only where v is no less. It is as often above as not, so that there is no branch.
#[inline(always)]
fn round_down(v: f64) -> Real {
    let r = Real::from_f64(v);
    stepped(r, r.to_f64() > v, r.is_sign_negative())
}

/// The smallest number that is not below `v`; see [`round_down`]. (r is -0 only where v is no more.)
#[inline(always)]
fn round_up(v: f64) -> Real {
    let r = Real::from_f64(v);
    stepped(r, r.to_f64() < v, r.is_sign_positive())
}

/// The number itself, or where it `steps` its neighbour farther from zero where `outwards`, else the nearer one.
#[inline(always)]
fn stepped(r: Real, steps: bool, outwards: bool) -> Real {
    let (more, less) = ((steps & outwards).into(), (steps & !outwards).into());
    Real::from_bits(r.to_bits().wrapping_add(more).wrapping_sub(less))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding finds the neighbours that the standard library finds, from the smallest numbers to those beyond the range.
    #[test]
    fn rounds_to_the_nearest_numbers_outside() {
        let tiny = Real::from_bits(1).to_f64();
        let mut values = vec![0.0, -0.0, 1.0, 0.1, -0.1, 1e5 + 1e-4, -3e7, 1e39, -1e39, 1e300, f64::MAX, -f64::MAX];
        values.extend([
            tiny,
            -tiny,
            0.6 * tiny,
            -0.6 * tiny,
            0.4 * tiny,
            -0.4 * tiny,
            1e-300,
            -1e-300,
            5e-324,
            -5e-324,
        ]);
        values.extend([f64::INFINITY, f64::NEG_INFINITY, Real::MAX.to_f64(), Real::MIN_POSITIVE.to_f64() * 0.99999999]);
        values.extend((0..2000).map(|i| (f64::from(i) - 1000.3) * 1.0e-3 * 10_f64.powi(i % 71 - 35)));
        for v in values {
            let (r, down, up) = (Real::from_f64(v), round_down(v), round_up(v));
            assert_eq!(down, if r.to_f64() > v { r.next_down() } else { r }, "{v:e}");
            assert_eq!(up, if r.to_f64() < v { r.next_up() } else { r }, "{v:e}");
            assert!(down.to_f64() <= v && v <= up.to_f64(), "{v:e}");
        }
        assert!(round_down(f64::NAN).is_nan() && round_up(f64::NAN).is_nan());
    }

    // Guards against NaN from 0 · ∞ where a ray runs along a face of the box and starts in its plane.
    #[test]
    fn ray_in_the_plane_of_a_face_meets_the_box() {
        let b = Aabb::new(Vec3::ZERO, Vec3::all(2.0));
        let inverse = Vec3::new(1.0, Real::INFINITY, Real::INFINITY);
        for (y, meets) in [(0.0, true), (2.0, true), (1.0, true), (2.5, false), (-0.5, false)] {
            assert_eq!(b.ray_entry(Vec3::new(-1.0, y, 1.0), inverse, 10.0), meets.then_some(1.0));
        }
    }

    /// What is said of the layout where it is declared plain data holds in either precision.
    #[test]
    fn bytes_give_the_value_back() {
        crate::math::assert_plain(Aabb::new(Vec3::new(1.0, 2.0, 3.0), Vec3::all(4.0)), 6 * size_of::<Real>());
    }
}
