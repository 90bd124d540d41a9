//! A static tree of bounding boxes, for meshes and compounds.
//!
//! The nodes stand in one array in depth-first order: the first child of a node is the next node, and every inner node knows
//! where its subtree ends. So a search without an order needs no stack at all, and the second child of a node is where
//! the subtree of the first one ends.
//!
//! ```text
//!            0 (end 7)                       array:  0  1  2  3  4  5  6
//!           /         \                                 └── subtree of 1 ends at 4
//!      1 (end 4)    4 (end 7)
//!       /    \        /    \
//!      2      3      5      6
//! ```

mod record;
mod wide;

pub(crate) use wide::WideTree;

use crate::error::{Error, Result};
use crate::math::{Aabb, Num, Real, Vec3};

/// Items in a leaf at most. Two cache lines of nodes cost more than looking at two more triangles.
const LEAF: usize = 4;
/// Intervals into which the centres are sorted when a split is sought. More do not find noticeably better trees.
const BINS: usize = 16;
/// Below this depth nodes are halved by count, which adds at most 31 levels.
const SEARCHED_DEPTH: usize = 32;
/// Room for one waiting sibling per level.
const STACK: usize = SEARCHED_DEPTH + 32;

/// A box and what is in it. Two to a cache line. Always `f32`, rounded outwards: no item is lost, and in `f64` the items
/// are tested exactly afterwards.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
struct Node {
    min: [f32; 3],
    /// Inner node: where the subtree ends. Leaf: the first of its items.
    link: u32,
    max: [f32; 3],
    /// Number of items of a leaf, 0 for inner nodes.
    count: u32,
}

impl Node {
    fn bounds(&self) -> Aabb {
        let [a, b, c] = self.min.map(Real::from);
        let [d, e, f] = self.max.map(Real::from);
        Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f))
    }

    fn corners(&self) -> (Vec3<f64>, Vec3<f64>) {
        (Vec3::from(self.min.map(f64::from)), Vec3::from(self.max.map(f64::from)))
    }
}

/// A tree over boxes that never change. Items are numbered as the boxes that it was built from.
///
/// ```
/// use tumble::{math::{Aabb, Vec3}, shape::Bvh};
/// let row: Vec<Aabb> = (0..100).map(|i| {
///     let corner = Vec3::new(i as _, 0.0, 0.0);
///     Aabb::new(corner, corner + Vec3::all(0.5))
/// }).collect();
/// let tree = Bvh::new(&row)?;
/// let mut found: Vec<u32> = tree.candidates(&row[7]).filter(|&i| row[i as usize].overlaps(&row[7])).collect();
/// assert_eq!(found, [7]);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::{Aabb, Vec3}, shape::Bvh};
/// let boxes = [0.0, 3.0, 6.0].map(|x| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)));
/// let tree = Bvh::new(&boxes)?;
/// assert!(tree.len() == 3 && !tree.is_empty() && tree.bounds().contains(&boxes[2]));
/// // The boxes along a ray: the answer is how far to look on, and those beyond are never visited.
/// let (origin, direction) = (Vec3::new(2.0, 0.5, 0.5), Vec3::<f64>::X);
/// let mut met = Vec::new();
/// tree.along_ray(origin, direction, 100.0, |item, _| {
///     met.push(item);
///     100.0
/// });
/// met.sort();
/// assert_eq!(met, [1, 2]);
/// // The boxes within a distance, which is squared.
/// let mut near = Vec::new();
/// tree.around_point(Vec3::new(2.0, 0.5, 0.5), 1.5 * 1.5, |item, _| {
///     near.push(item);
///     1.5 * 1.5
/// });
/// near.sort();
/// assert_eq!(near, [0, 1]);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

impl Bvh {
    /// The tree over these boxes, split where the surface-area heuristic says that searches will be cheapest. An error for
    /// a box with a NaN, and for more boxes than can be numbered. Boxes may be infinite, and there may be none.
    pub fn new(boxes: &[Aabb]) -> Result<Self> {
        if boxes.len() > (u32::MAX / 2) as usize {
            return Err(Error::value("bounding volume tree", "number of boxes", "below 2³¹", boxes.len()));
        }
        let mut items = Vec::with_capacity(boxes.len());
        for (index, b) in boxes.iter().enumerate() {
            if b.min.to_array().iter().chain(&b.max.to_array()).any(|c| c.is_nan()) {
                return Err(Error::value("bounding volume tree", "box", "free of NaN", format!("{b:?} at {index}")));
            }
            let (min, max) = (b.min.to_array().map(below), b.max.to_array().map(above));
            let centre = core::array::from_fn(|i| {
                0.5 * min[i].clamp(f32::MIN, f32::MAX) + 0.5 * max[i].clamp(f32::MIN, f32::MAX)
            });
            items.push(Item { extent: Extent { min, max }, centre, index: index as u32 });
        }
        let mut tree = Self { nodes: Vec::with_capacity(boxes.len()), items: Vec::with_capacity(boxes.len()) };
        if !items.is_empty() {
            tree.build(&mut items, 0);
        }
        tree.nodes.shrink_to_fit();
        Ok(tree)
    }

    /// The box around everything; empty where there is nothing.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, Node::bounds)
    }

    /// How many boxes it was built from.
    pub fn len(&self) -> u32 {
        self.items.len() as u32
    }

    /// There are no boxes.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All items whose boxes overlap `bounds`, and some from the same leaves whose boxes do not; always in the same order.
    pub fn candidates(&self, bounds: &Aabb) -> Candidates<'_> {
        Candidates { tree: self, bounds: *bounds, node: 0, leaf: [].iter() }
    }

    /// Visits items along a ray, near boxes first. `visit` gets an item and how far the ray still has to be followed (in
    /// lengths of `direction`), and answers how far it has to be followed from then on: the distance at which it is hit,
    /// or the one that was given.
    pub fn along_ray(&self, origin: Vec3<f64>, direction: Vec3<f64>, max: f64, visit: impl FnMut(u32, f64) -> f64) {
        let inverse = Vec3::new(1.0 / direction.x, 1.0 / direction.y, 1.0 / direction.z);
        // A ray through a corner of a box may pass beside it by the rounding of its direction, and still hit what is in
        // the box by the rounding of that test: room for both.
        let finite = |v: Vec3<f64>| v.to_array().map(|c| if c.is_finite() { c.abs() } else { 0.0 });
        let bounds = self.bounds();
        let coordinates = [finite(origin), finite(bounds.min.to_f64()), finite(bounds.max.to_f64())];
        let margin =
            Vec3::all(64.0 * f64::EPSILON * coordinates.as_flattened().iter().fold(0.0, |a, &b| Num::max(b, a)));
        self.minimize(max, |low, high| ray_entry(low - margin, high + margin, origin, inverse), visit);
    }

    /// Visits items about a point, near boxes first. `visit` gets an item and the *squared* distance within which there may
    /// still be something of interest, and answers what it is from then on.
    pub fn around_point(&self, point: Vec3<f64>, max_squared: f64, visit: impl FnMut(u32, f64) -> f64) {
        let bound =
            |low: Vec3<f64>, high: Vec3<f64>| Some((low - point).max(point - high).max(Vec3::ZERO).length_squared());
        self.minimize(max_squared, bound, visit);
    }

    /// Branch and bound: the search for the item of the least value. `bound` gives a lower bound of the value of everything
    /// inside a box, or `None` for a box that cannot matter; `visit` answers the least value found so far. Boxes
    /// whose bound lies above it are passed over; of two children that with the lower bound comes first.
    pub(crate) fn minimize(
        &self,
        mut limit: f64,
        bound: impl Fn(Vec3<f64>, Vec3<f64>) -> Option<f64>,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        let lower_bound = |node: &Node| {
            let (low, high) = node.corners();
            bound(low, high)
        };
        let mut stack = [(0u32, 0.0f64); STACK];
        let mut waiting = 0;
        let mut next = match self.nodes.first().and_then(lower_bound) {
            Some(b) if b <= limit => Some(0u32),
            _ => None,
        };
        while let Some(index) = next {
            let node = &self.nodes[index as usize];
            next = None;
            if node.count > 0 {
                for &item in &self.items[node.link as usize..(node.link + node.count) as usize] {
                    limit = visit(item, limit);
                }
            } else {
                let first = index + 1;
                let second = self.subtree_end(first);
                let reach = |child: u32| lower_bound(&self.nodes[child as usize]).filter(|b| *b <= limit);
                next = match (reach(first), reach(second)) {
                    (Some(a), Some(b)) => {
                        let (near, far) = if b < a { (second, (first, a)) } else { (first, (second, b)) };
                        stack[waiting] = far;
                        waiting += 1;
                        Some(near)
                    }
                    (Some(_), None) => Some(first),
                    (None, Some(_)) => Some(second),
                    (None, None) => None,
                };
            }
            while next.is_none() && waiting > 0 {
                waiting -= 1;
                let (node, b) = stack[waiting];
                if b <= limit {
                    next = Some(node);
                }
            }
        }
    }

    fn subtree_end(&self, node: u32) -> u32 {
        let n = &self.nodes[node as usize];
        if n.count > 0 { node + 1 } else { n.link }
    }

    /// Appends the subtree over `items`, which it reorders.
    fn build(&mut self, items: &mut [Item], depth: usize) {
        let bounds = items.iter().fold(Extent::EMPTY, |b, item| b.union(&item.extent));
        let at = self.nodes.len();
        self.nodes.push(Node {
            min: bounds.min,
            link: self.items.len() as u32,
            max: bounds.max,
            count: items.len() as u32,
        });
        let split = if items.len() == 1 { None } else { split(items, &bounds, depth) };
        let Some(middle) = split else {
            self.items.extend(items.iter().map(|item| item.index));
            return;
        };
        let (first, second) = items.split_at_mut(middle);
        self.build(first, depth + 1);
        self.build(second, depth + 1);
        self.nodes[at].link = self.nodes.len() as u32;
        self.nodes[at].count = 0;
    }
}

/// Where the ray enters the box, or `None` where it misses.
fn ray_entry(low: Vec3<f64>, high: Vec3<f64>, origin: Vec3<f64>, inverse: Vec3<f64>) -> Option<f64> {
    let (mut near, mut far) = (0.0, f64::INFINITY);
    for i in 0..3 {
        if !inverse[i].is_finite() {
            // The ray runs along this slab, inside or outside.
            if origin[i] < low[i] || origin[i] > high[i] {
                return None;
            }
            continue;
        }
        let (a, b) = ((low[i] - origin[i]) * inverse[i], (high[i] - origin[i]) * inverse[i]);
        let (enter, leave) = if a < b { (a, b) } else { (b, a) };
        if enter > near {
            near = enter;
        }
        if leave < far {
            far = leave;
        }
    }
    (near <= far).then_some(near)
}

/// The items of [`Bvh::candidates`].
///
/// ```
/// use tumble::{math::{Aabb, Vec3}, shape::{Bvh, Candidates}};
/// let unit = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
/// let tree = Bvh::new(&[unit])?;
/// let mut found: Candidates<'_> = tree.candidates(&unit);
/// assert_eq!((found.next(), found.next()), (Some(0), None));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Candidates<'a> {
    tree: &'a Bvh,
    bounds: Aabb,
    node: u32,
    leaf: core::slice::Iter<'a, u32>,
}

impl Iterator for Candidates<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(&item) = self.leaf.next() {
                return Some(item);
            }
            let node = self.tree.nodes.get(self.node as usize)?;
            let overlaps = node.bounds().overlaps(&self.bounds);
            if node.count > 0 {
                self.node += 1;
                if overlaps {
                    self.leaf = self.tree.items[node.link as usize..(node.link + node.count) as usize].iter();
                }
            } else {
                self.node = if overlaps { self.node + 1 } else { node.link };
            }
        }
    }
}

/// A box while the tree is built.
#[derive(Clone, Copy)]
struct Extent {
    min: [f32; 3],
    max: [f32; 3],
}

impl Extent {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    fn union(&self, o: &Self) -> Self {
        Self {
            min: core::array::from_fn(|i| if self.min[i] < o.min[i] { self.min[i] } else { o.min[i] }),
            max: core::array::from_fn(|i| if self.max[i] > o.max[i] { self.max[i] } else { o.max[i] }),
        }
    }

    /// Half of the surface, in `f64`, where the largest finite box does not overflow; infinite boxes count as that one.
    fn area(&self) -> f64 {
        let finite = |v: f32| f64::from(v.clamp(f32::MIN, f32::MAX));
        let [x, y, z] = core::array::from_fn(|i| finite(self.max[i]) - finite(self.min[i]));
        x * y + y * z + z * x
    }
}

struct Item {
    extent: Extent,
    centre: [f32; 3],
    index: u32,
}

/// Reorders the items and says where the second half begins; `None` where a leaf is as good.
///
/// The cost of a node is its area, which is proportional to the chance that a line that meets the parent meets it too,
/// times the work inside: one for each item.
fn split(items: &mut [Item], bounds: &Extent, depth: usize) -> Option<usize> {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in items.iter() {
        for i in 0..3 {
            low[i] = Num::min(item.centre[i], low[i]);
            high[i] = Num::max(item.centre[i], high[i]);
        }
    }
    let half = |i: usize| 0.5 * high[i] - 0.5 * low[i];
    let widest = Vec3::<f32>::new(half(0), half(1), half(2)).largest_axis();
    let best = if depth < SEARCHED_DEPTH { cheapest_plane(items, &low, &high) } else { None };
    match best {
        Some(plane) if items.len() > LEAF || plane.cost + bounds.area() < items.len() as f64 * bounds.area() => {
            let mut middle = 0;
            for i in 0..items.len() {
                if plane.bins.of(items[i].centre[plane.axis]) < plane.bin {
                    items.swap(i, middle);
                    middle += 1;
                }
            }
            Some(middle)
        }
        _ if items.len() <= LEAF => None,
        // Centres that no plane parts, or a tree that has grown deep: by count.
        _ => {
            items.sort_unstable_by(|a, b| a.centre[widest].total_cmp(&b.centre[widest]).then(a.index.cmp(&b.index)));
            Some(items.len() / 2)
        }
    }
}

/// Equal intervals between two numbers.
#[derive(Clone, Copy)]
struct Bins {
    low: f32,
    scale: f32,
}

impl Bins {
    /// Casts saturate and take NaN to 0, so any centre has a bin.
    fn of(&self, centre: f32) -> usize {
        (((centre - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

struct Plane {
    axis: usize,
    bins: Bins,
    /// Items in lower bins go to the first half.
    bin: usize,
    cost: f64,
}

fn cheapest_plane(items: &[Item], low: &[f32; 3], high: &[f32; 3]) -> Option<Plane> {
    let mut best: Option<Plane> = None;
    for axis in 0..3 {
        let width = high[axis] - low[axis];
        if !(width > 0.0 && width.is_finite()) {
            continue;
        }
        let bins = Bins { low: low[axis], scale: BINS as f32 / width };
        let mut filled = [(Extent::EMPTY, 0usize); BINS];
        for item in items {
            let (extent, count) = &mut filled[bins.of(item.centre[axis])];
            *extent = extent.union(&item.extent);
            *count += 1;
        }
        let mut above = [0.0; BINS];
        let (mut extent, mut count) = (Extent::EMPTY, 0);
        for bin in (1..BINS).rev() {
            extent = extent.union(&filled[bin].0);
            count += filled[bin].1;
            above[bin] = if count == 0 { f64::INFINITY } else { extent.area() * count as f64 };
        }
        let (mut extent, mut count) = (Extent::EMPTY, 0);
        for bin in 1..BINS {
            extent = extent.union(&filled[bin - 1].0);
            count += filled[bin - 1].1;
            if count == 0 || count == items.len() {
                continue;
            }
            let cost = extent.area() * count as f64 + above[bin];
            if best.as_ref().is_none_or(|b| cost < b.cost) {
                best = Some(Plane { axis, bins, bin, cost });
            }
        }
    }
    best
}

/// The largest `f32` not above.
fn below(v: Real) -> f32 {
    let r = v as f32;
    if Real::from(r) > v { r.next_down() } else { r }
}

/// The smallest `f32` not below.
fn above(v: Real) -> f32 {
    let r = v as f32;
    if Real::from(r) < v { r.next_up() } else { r }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Float;

    /// Every node holds what is below it, links are consistent, every item occurs once; returns the depth.
    fn check(tree: &Bvh, boxes: &[Aabb]) -> usize {
        fn walk(tree: &Bvh, boxes: &[Aabb], at: u32, seen: &mut [u32]) -> (u32, usize) {
            let node = tree.nodes[at as usize];
            if node.count > 0 {
                assert!(node.count as usize <= LEAF);
                for &item in &tree.items[node.link as usize..(node.link + node.count) as usize] {
                    assert!(node.bounds().contains(&boxes[item as usize]));
                    seen[item as usize] += 1;
                }
                return (at + 1, 1);
            }
            let (second, a) = walk(tree, boxes, at + 1, seen);
            let (end, b) = walk(tree, boxes, second, seen);
            assert_eq!(node.link, end);
            assert!(node.bounds().contains(&tree.nodes[at as usize + 1].bounds()));
            assert!(node.bounds().contains(&tree.nodes[second as usize].bounds()));
            (end, 1 + a.max(b))
        }
        let mut seen = vec![0; boxes.len()];
        let (end, depth) = walk(tree, boxes, 0, &mut seen);
        assert_eq!(end as usize, tree.nodes.len());
        assert!(seen.iter().all(|&n| n == 1));
        depth
    }

    fn cube(centre: Vec3, half: Real) -> Aabb {
        Aabb::new(centre - Vec3::all(half), centre + Vec3::all(half))
    }

    #[test]
    fn node_is_half_a_cache_line() {
        assert_eq!(size_of::<Node>(), 32);
    }

    // Equal centres cannot be split by any plane, and powers of two make the surface-area heuristic cut off one box at
    // a time; neither may recurse without end or outgrow the stack of a search.
    #[test]
    fn degenerate_input_gives_a_shallow_tree() {
        let same: Vec<Aabb> = (1..=3000).map(|i| cube(Vec3::ZERO, i as Real)).collect();
        assert!(check(&Bvh::new(&same).unwrap(), &same) <= 14);
        let points = vec![cube(Vec3::X, 0.0); 1000];
        assert!(check(&Bvh::new(&points).unwrap(), &points) <= 12);
        let powers: Vec<Aabb> =
            (0..20_000).map(|i| cube(Vec3::new(Real::from_f64(2f64.powi(i % 120)), 0.0, 0.0), 0.1)).collect();
        assert!(check(&Bvh::new(&powers).unwrap(), &powers) < STACK);
    }

    // Half-spaces have infinite boxes; a compound may hold them beside finite shapes.
    #[test]
    fn infinite_and_huge_boxes_are_found() {
        let mut boxes = vec![Aabb::EVERYTHING, cube(Vec3::ZERO, Real::MAX * 0.4)];
        boxes.extend((0..50).map(|i| cube(Vec3::new(i as Real, 0.0, 0.0), 0.25)));
        let tree = Bvh::new(&boxes).unwrap();
        check(&tree, &boxes);
        let found: Vec<u32> = tree.candidates(&boxes[30]).collect();
        assert!(found.contains(&0) && found.contains(&1) && found.contains(&30));
        assert!(found.len() < 12);
        let mut hits = 0;
        tree.along_ray(Vec3::new(1e6, 0.0, 0.0), Vec3::Y, f64::INFINITY, |_, max| {
            hits += 1;
            max
        });
        assert!((2..10).contains(&hits));
    }

    #[test]
    fn empty_tree_finds_nothing_and_nan_is_refused() {
        let tree = Bvh::new(&[]).unwrap();
        assert_eq!(tree.candidates(&Aabb::EVERYTHING).count(), 0);
        tree.around_point(Vec3::ZERO, f64::INFINITY, |_, _| panic!("nothing to visit"));
        assert!(Bvh::new(&[cube(Vec3::all(Real::NAN), 1.0)]).is_err());
    }

    // A ray that runs inside the face of a flat box, or along its edge, must not slip past for a product of zero and infinity.
    #[test]
    fn rays_in_faces_of_flat_boxes_are_found() {
        let (low, high) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(4.0, 1.0, 4.0));
        for direction in [Vec3::X, Vec3::new(1.0, 0.0, 1.0)] {
            let inverse = Vec3::new(1.0 / direction.x, 1.0 / direction.y, 1.0 / direction.z);
            assert_eq!(ray_entry(low, high, Vec3::new(-1.0, 1.0, 0.0), inverse), Some(1.0));
            assert_eq!(ray_entry(low, high, Vec3::new(0.0, 1.0, 0.0), inverse), Some(0.0));
            assert_eq!(ray_entry(low, high, Vec3::new(0.0, 0.9, 0.0), inverse), None);
            assert_eq!(ray_entry(low, high, Vec3::new(0.0, 1.0, 4.1), inverse), None);
        }
    }
}
