//! Queries: what overlaps a box, what a ray or a swept box meets, what is near.
//!
//! All take `&self`, allocate nothing, and may run on any number of threads at once. The order in which leaves are
//! visited is a function of the tree alone.

use super::{DynamicTree, MAX_HEIGHT, Node, Pair};
use crate::math::{Aabb, Num, Real, Vec3};

/// A box that travels along a line: `start + t·direction`, 0 <= t <= `max`.
///
/// A ray is the cast of a box without size. World positions are `f64`: a ray that starts far from the origin is cast as the
/// box of its start rounded outwards, so that no leaf is missed.
///
/// ```
/// use tumble::detect::broad::{BoxCast, DynamicTree};
/// use tumble::math::{Aabb, Vec3};
/// let mut tree = DynamicTree::new();
/// tree.insert(Aabb::new(Vec3::new(5.0, -1.0, -1.0), Vec3::new(6.0, 1.0, 1.0)), 7, 1);
/// // A box of half a metre either way meets it half a metre before a ray does.
/// let start = Aabb::new(Vec3::all(-0.5), Vec3::all(0.5));
/// for (cast, expected) in [
///     (BoxCast::ray(Vec3::ZERO, Vec3::X, 100.0), 5.0),
///     (BoxCast { start, direction: Vec3::X, max: 100.0 }, 4.5),
/// ] {
///     let last = tree.cast(&cast, 1, |_, entry, _| entry);
///     assert_eq!(last, expected);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxCast {
    /// Where the box is at t = 0.
    pub start: Aabb,
    /// How far it goes per unit of t. Components may be zero.
    pub direction: Vec3,
    /// The largest t of interest; may be infinite.
    pub max: Real,
}

impl BoxCast {
    /// The cast of a point.
    pub fn ray(origin: Vec3, direction: Vec3, max: Real) -> Self {
        Self { start: Aabb::new(origin, origin), direction, max }
    }

    /// One over a component of the direction. Where that is so small that it has no reciprocal, it counts as zero, and its reciprocal is +∞.
    #[inline(always)]
    pub(super) fn reciprocal(&self, axis: usize) -> Real {
        let inverse = 1.0 / self.direction[axis];
        if inverse.is_finite() { inverse } else { Real::INFINITY }
    }
}

/// Factor beyond one for the far end of a slab: more than its rounding errors.
pub(super) const OUTWARDS: Real = 1.0 + 8.0 * Real::EPSILON;

/// A cast prepared for many boxes.
pub(super) struct Slabs {
    start: Aabb,
    inverse: Vec3,
    /// Both as [`Slabs::entries`] reads them, for two boxes side by side: three ends, three factors.
    #[cfg(all(not(tumble_f64), target_arch = "x86_64"))]
    wide: [[f32; 4]; 6],
}

impl Slabs {
    pub fn new(cast: &BoxCast) -> Self {
        let s = &cast.start;
        let i = Vec3::new(cast.reciprocal(0), cast.reciprocal(1), cast.reciprocal(2));
        Self {
            start: *s,
            inverse: i,
            #[cfg(all(not(tumble_f64), target_arch = "x86_64"))]
            wide: [
                [s.max.x, s.max.x, s.max.y, s.max.y],
                [s.max.z, s.max.z, s.min.x, s.min.x],
                [s.min.y, s.min.y, s.min.z, s.min.z],
                [i.x, i.x, i.y, i.y],
                [i.z, i.z, i.x, i.x],
                [i.y, i.y, i.z, i.z],
            ],
        }
    }

    /// The t at which the moving box enters `b`, or NaN if it misses it up to `max`.
    ///
    /// On each axis the boxes overlap while t·d is between b.min − start.max and b.max − start.min. Where d is zero, the ends
    /// become −∞ and +∞ if the boxes overlap on that axis, and 0·∞ = NaN if they just touch. Each `min` and `max` below takes
    /// its right side where one side is NaN, so touching counts. The far end is moved outwards by more than the rounding
    /// errors (a difference, a reciprocal and a product on each side), and is finite, so that a box beside an endless ray is missed.
    #[inline(always)]
    pub fn entry(&self, b: &Aabb, max: Real) -> Real {
        let (mut near, mut far) = (0.0, max);
        for i in 0..3 {
            let a = (b.min[i] - self.start.max[i]) * self.inverse[i];
            let c = (b.max[i] - self.start.min[i]) * self.inverse[i];
            near = Num::max(Num::min(c, a), near);
            far = Num::min(Num::max(a, c), far);
        }
        if near <= Num::min(far * OUTWARDS, Real::MAX) { Num::min(near, max) } else { Real::NAN }
    }

    /// [`Slabs::entry`] of two siblings.
    #[cfg(any(tumble_f64, not(target_arch = "x86_64")))]
    #[inline(always)]
    pub fn entries(&self, pair: &Pair, max: Real) -> [Real; 2] {
        pair.0.map(|node| self.entry(&node.aabb, max))
    }

    /// [`Slabs::entry`] of two siblings, four numbers at a time.
    #[cfg(all(not(tumble_f64), target_arch = "x86_64"))]
    #[inline(always)]
    pub fn entries(&self, pair: &Pair, max: Real) -> [Real; 2] {
        use core::arch::x86_64::*;
        let [a, b]: &[[f32; 8]; 2] = bytemuck::cast_ref(pair);
        // SAFETY: SSE and SSE2 belong to every x86-64, and each load reads four numbers of an array of four or eight.
        unsafe {
            let (a_low, a_high) = (_mm_loadu_ps(a.as_ptr()), _mm_loadu_ps(a.as_ptr().add(2)));
            let (b_low, b_high) = (_mm_loadu_ps(b.as_ptr()), _mm_loadu_ps(b.as_ptr().add(2)));
            // The ends of a and of b side by side: [x y] of min, z of min and x of max, [y z] of max; and the t at which they are met.
            let (xy0, z0x1, yz1) =
                (_mm_unpacklo_ps(a_low, b_low), _mm_unpackhi_ps(a_low, b_low), _mm_unpackhi_ps(a_high, b_high));
            let [s0, s1, s2, i0, i1, i2] = self.wide.each_ref().map(|four| _mm_loadu_ps(four.as_ptr()));
            let xy0 = _mm_mul_ps(_mm_sub_ps(xy0, s0), i0);
            let z0x1 = _mm_mul_ps(_mm_sub_ps(z0x1, s1), i1);
            let yz1 = _mm_mul_ps(_mm_sub_ps(yz1, s2), i2);
            let (xy1, z1) = (_mm_shuffle_ps::<0b01_00_11_10>(z0x1, yz1), _mm_movehl_ps(yz1, yz1));
            let near = _mm_max_ps(_mm_min_ps(xy1, xy0), _mm_setzero_ps());
            let near = _mm_max_ps(_mm_min_ps(z1, z0x1), _mm_max_ps(near, _mm_movehl_ps(near, near)));
            let far = _mm_min_ps(_mm_max_ps(xy0, xy1), _mm_set1_ps(max));
            let far = _mm_min_ps(_mm_max_ps(z0x1, z1), _mm_min_ps(far, _mm_movehl_ps(far, far)));
            let far = _mm_min_ps(_mm_mul_ps(far, _mm_set1_ps(OUTWARDS)), _mm_set1_ps(Real::MAX));
            // All bits set are a NaN.
            let missed = _mm_cmpnle_ps(near, far);
            let near = _mm_or_ps(_mm_min_ps(near, _mm_set1_ps(max)), missed);
            [_mm_cvtss_f32(near), _mm_cvtss_f32(_mm_shuffle_ps::<1>(near, near))]
        }
    }
}

/// The squared distance between two boxes; 0 if they overlap.
#[inline(always)]
fn gap_squared(a: &Aabb, b: &Aabb) -> Real {
    (a.min - b.max).max(b.min - a.max).max(Vec3::ZERO).length_squared()
}

impl DynamicTree {
    #[inline(always)]
    pub(super) fn leaf_user(&self, node: &Node) -> u32 {
        self.leaves[node.index() as usize].user
    }

    /// Calls `visit(user)` for each leaf in one of the layers of `mask` whose box overlaps or touches `aabb`, until it
    /// returns `false`. Says whether it never did.
    #[inline]
    pub fn overlap(&self, aabb: &Aabb, mask: u32, mut visit: impl FnMut(u32) -> bool) -> bool {
        for node in &self.unbounded {
            if node.layers & mask != 0 && node.aabb.overlaps(aabb) && !visit(self.leaf_user(node)) {
                return false;
            }
        }
        if self.is_vacant() {
            return true;
        }
        let mut stack = [0u32; MAX_HEIGHT];
        let mut top = 0;
        let mut pair = 0;
        loop {
            let [a, b] = &self.pairs[pair as usize].0;
            let hit_a = a.aabb.overlaps(aabb) & (a.layers & mask != 0);
            let hit_b = b.aabb.overlaps(aabb) & (b.layers & mask != 0);
            let mut next = None;
            if hit_b {
                if b.is_leaf() {
                    if !visit(self.leaf_user(b)) {
                        return false;
                    }
                } else {
                    next = Some(b.index());
                }
            }
            if hit_a {
                if a.is_leaf() {
                    if !visit(self.leaf_user(a)) {
                        return false;
                    }
                } else {
                    if let Some(later) = next {
                        stack[top] = later;
                        top += 1;
                    }
                    next = Some(a.index());
                }
            }
            pair = match next {
                Some(next) => next,
                None if top == 0 => return true,
                None => {
                    top -= 1;
                    stack[top]
                }
            };
        }
    }

    /// Calls `visit(user, entry, max)` for each leaf in one of the layers of `mask` whose box the moving box meets, nearest
    /// boxes first as far as the tree knows. `entry` is the t at which the box is entered; what `visit` returns is how far the
    /// search still goes: `max` to go on, less to shorten it (a hit), a negative number to stop. Returns the last `max`.
    ///
    /// ```
    /// use tumble::detect::broad::{BoxCast, DynamicTree};
    /// use tumble::math::{Aabb, Vec3};
    /// let mut tree = DynamicTree::new();
    /// for x in [3.0, 5.0, 7.0] {
    ///     tree.insert(Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)), x as u32, 1);
    /// }
    /// let mut nearest = None;
    /// let ray = BoxCast::ray(Vec3::all(0.5), Vec3::X, 100.0);
    /// tree.cast(&ray, 1, |user, entry, _| {
    ///     nearest = Some(user);
    ///     entry
    /// });
    /// assert_eq!(nearest, Some(3));
    /// ```
    #[inline]
    pub fn cast(&self, cast: &BoxCast, mask: u32, mut visit: impl FnMut(u32, Real, Real) -> Real) -> Real {
        let slabs = Slabs::new(cast);
        let entry = |b: &Aabb, max| slabs.entry(b, max);
        self.nearest_first(cast.max, mask, entry, |pair, max| slabs.entries(pair, max), &mut visit)
    }

    /// Calls `visit(user, squared, max)` for each leaf in one of the layers of `mask` whose box is within the distance √`max`
    /// of `from`, nearest boxes first as far as the tree knows. `squared` is the *squared* distance of the boxes; what
    /// `visit` returns is the squared distance within which the search goes on, a negative number to stop. Returns the last
    /// `max`.
    #[inline]
    pub fn closest(&self, from: &Aabb, max: Real, mask: u32, mut visit: impl FnMut(u32, Real, Real) -> Real) -> Real {
        let gap = |b: &Aabb, _| gap_squared(from, b);
        self.nearest_first(max, mask, gap, |pair, max| pair.0.map(|node| gap(&node.aabb, max)), &mut visit)
    }

    /// Visits leaves by branch and bound on `measure(box, max)`, which is above `max` or NaN for boxes that are out of reach
    /// and never larger for a box than for one inside it. `measures` is the same for two siblings.
    #[inline(always)]
    fn nearest_first(
        &self,
        max: Real,
        mask: u32,
        measure: impl Fn(&Aabb, Real) -> Real,
        measures: impl Fn(&Pair, Real) -> [Real; 2],
        visit: &mut impl FnMut(u32, Real, Real) -> Real,
    ) -> Real {
        let mut max = max;
        for node in &self.unbounded {
            if node.layers & mask != 0 {
                let d = measure(&node.aabb, max);
                if d <= max {
                    max = visit(self.leaf_user(node), d, max);
                    if max < 0.0 {
                        return max;
                    }
                }
            }
        }
        if self.is_vacant() {
            return max;
        }
        let mut stack = [(0u32, 0.0 as Real); MAX_HEIGHT];
        let mut top = 0;
        let mut index = 0;
        loop {
            let pair = &self.pairs[index as usize];
            let [a, b] = &pair.0;
            let [da, db] = measures(pair, max);
            let reach = |node: &Node, d| if node.layers & mask != 0 { d } else { Real::NAN };
            let (da, db) = (reach(a, da), reach(b, db));
            let (near, near_d, far, far_d) = if db < da { (b, db, a, da) } else { (a, da, b, db) };
            let mut next = None;
            if near_d <= max {
                if near.is_leaf() {
                    max = visit(self.leaf_user(near), near_d, max);
                    if max < 0.0 {
                        return max;
                    }
                } else {
                    next = Some(near.index());
                }
            }
            if far_d <= max {
                if far.is_leaf() {
                    max = visit(self.leaf_user(far), far_d, max);
                    if max < 0.0 {
                        return max;
                    }
                } else if next.is_some() {
                    stack[top] = (far.index(), far_d);
                    top += 1;
                } else {
                    next = Some(far.index());
                }
            }
            index = loop {
                if let Some(next) = next {
                    break next;
                }
                if top == 0 {
                    return max;
                }
                top -= 1;
                let (below, d) = stack[top];
                if d <= max {
                    next = Some(below);
                }
            };
        }
    }
}
