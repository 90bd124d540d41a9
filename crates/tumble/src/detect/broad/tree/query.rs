//! Queries: what overlaps a box, what a ray or a swept box meets, what is near.
//!
//! All take `&self`, allocate nothing, and may run on any number of threads at once. The order in which leaves are
//! visited is a function of the tree alone.

use super::{DynamicTree, MAX_HEIGHT, Node};
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
}

/// A cast prepared for many boxes.
struct Slabs {
    start: Aabb,
    inverse: Vec3,
    backwards: [bool; 3],
}

impl Slabs {
    fn new(cast: &BoxCast) -> Self {
        // Along a component of ±0 the reciprocal is +∞.
        let inverse = |d: Real| if d == 0.0 { Real::INFINITY } else { 1.0 / d };
        let d = cast.direction;
        Self {
            start: cast.start,
            inverse: Vec3::new(inverse(d.x), inverse(d.y), inverse(d.z)),
            backwards: [d.x < 0.0, d.y < 0.0, d.z < 0.0],
        }
    }

    /// The t at which the moving box enters `b`, or NaN if it misses it up to `max`.
    ///
    /// On each axis the boxes overlap while t·d is between b.min − start.max and b.max − start.min. Where d is zero, the ends
    /// become −∞ and +∞ if the boxes overlap on that axis, and 0·∞ = NaN if they just touch; `max` and `min`
    /// ignore a NaN on their left, so touching counts. The far end is moved outwards by more than the rounding
    /// errors (a difference, a reciprocal and a product on each side).
    #[inline(always)]
    fn entry(&self, b: &Aabb, max: Real) -> Real {
        let (mut near, mut far) = (0.0, max);
        for i in 0..3 {
            let a = (b.min[i] - self.start.max[i]) * self.inverse[i];
            let c = (b.max[i] - self.start.min[i]) * self.inverse[i];
            let (enter, leave) = if self.backwards[i] { (c, a) } else { (a, c) };
            near = Num::max(enter, near);
            far = Num::min(leave, far);
        }
        if near <= far * (1.0 + 8.0 * Real::EPSILON) { Num::min(near, max) } else { Real::NAN }
    }
}

/// The squared distance between two boxes; 0 if they overlap.
#[inline(always)]
fn gap_squared(a: &Aabb, b: &Aabb) -> Real {
    (a.min - b.max).max(b.min - a.max).max(Vec3::ZERO).length_squared()
}

impl DynamicTree {
    #[inline(always)]
    fn leaf_user(&self, node: &Node) -> u32 {
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
        self.nearest_first(cast.max, mask, |b, max| slabs.entry(b, max), &mut visit)
    }

    /// Calls `visit(user, squared, max)` for each leaf in one of the layers of `mask` whose box is within the distance √`max`
    /// of `from`, nearest boxes first as far as the tree knows. `squared` is the *squared* distance of the boxes; what
    /// `visit` returns is the squared distance within which the search goes on, a negative number to stop. Returns the last
    /// `max`.
    #[inline]
    pub fn closest(&self, from: &Aabb, max: Real, mask: u32, mut visit: impl FnMut(u32, Real, Real) -> Real) -> Real {
        self.nearest_first(max, mask, |b, _| gap_squared(from, b), &mut visit)
    }

    /// Visits leaves by branch and bound on `measure(box, max)`, which is above `max` or NaN for boxes that are out of reach
    /// and never larger for a box than for one inside it.
    #[inline(always)]
    fn nearest_first(
        &self,
        max: Real,
        mask: u32,
        measure: impl Fn(&Aabb, Real) -> Real,
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
        let mut pair = 0;
        loop {
            let [a, b] = &self.pairs[pair as usize].0;
            let reach = |node: &Node| if node.layers & mask != 0 { measure(&node.aabb, max) } else { Real::NAN };
            let (da, db) = (reach(a), reach(b));
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
            pair = loop {
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
