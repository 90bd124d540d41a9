//! Distance between the cores of two convex shapes: Gilbert, Johnson and Keerthi (1988).
//!
//! The point v of A - B nearest to the origin is found by a simplex of at most four vertices of A - B. From the nearest
//! point v of the simplex the support vertex w along -v is taken; v·w / |v| <= distance <= |v|, and when the two bounds
//! meet v is the answer. With n = -v / |v| (from A to B) the lower bound is the separation along n.
//!
//! The number of rounds is bounded, each round either brings v nearer to the origin or is the last, and any v is a valid
//! upper bound and any n a valid axis; so whatever rounding does, the answer is never worse than the last round.

use super::convex::{Pair, Vertex};
use crate::math::Vec3;

/// Rounds before the best so far is taken. Polytopes take 3 to 10, cylinders and cones up to 40 for the last digits.
const MAX_ROUNDS: usize = 64;

/// Relative gap between the bounds of the distance at which the search ends. The angle of the normal is right to the
/// square root of this.
const GAP: f64 = 1e-10;

/// Rounding of v·w relative to the size of the shapes.
const NOISE: f64 = 1e-15;

/// Distance relative to size under which the cores count as touching: the direction of v would be rounding.
const TOUCH: f64 = 1e-10;

/// Sine of the angle under which an edge counts as lying in a plane.
const FLAT: f64 = 1e-11;

/// One to four vertices of A - B, with the weights of the point nearest to the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simplex {
    pub vertices: [Vertex; 4],
    pub weights: [f64; 4],
    pub len: usize,
}

/// Where the cores are nearest to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    /// Point of A's core.
    pub a: Vec3<f64>,
    /// Point of B's core.
    pub b: Vec3<f64>,
    /// Unit vector from A to B.
    pub normal: Vec3<f64>,
    /// |b - a|, above zero.
    pub distance: f64,
}

/// What the search found.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)]
pub(super) enum Outcome {
    /// The cores are apart.
    Apart(Closest),
    /// The cores are farther apart than the limit along this axis; how far is not known.
    Beyond(Vec3<f64>),
    /// The cores touch or overlap; the simplex holds the origin.
    Overlap(Simplex),
}

/// Searches from `direction` (from A to B, any length; any direction will do, the last normal is best) and stops early
/// when the cores are found to be farther apart than `limit`.
pub(super) fn distance(pair: &Pair, direction: Vec3<f64>, limit: f64) -> Outcome {
    let mut simplex = Simplex { vertices: [Vertex::default(); 4], weights: [1.0, 0.0, 0.0, 0.0], len: 1 };
    simplex.vertices[0] = pair.support(direction);
    let mut v = simplex.vertices[0].w;
    let touch = TOUCH * pair.scale;
    let mut parted = false;
    for _ in 0..MAX_ROUNDS {
        let squared = v.dot(v);
        if squared <= touch * touch {
            return Outcome::Overlap(simplex);
        }
        let length = squared.sqrt();
        let next = pair.support(-v);
        let bound = v.dot(next.w);
        if bound > limit * length {
            return Outcome::Beyond(-v / length);
        }
        if squared - bound <= GAP * squared + NOISE * pair.scale * length || simplex.holds(next.w) {
            break;
        }
        // Once some axis has parted the cores, no simplex can hold the origin; if one seems to, it is a sliver.
        parted |= bound > touch * length;
        simplex.vertices[simplex.len] = next;
        let Some(nearest) = simplex.nearest(parted) else {
            simplex.len += 1;
            return Outcome::Overlap(simplex);
        };
        if nearest.point.dot(nearest.point) >= squared {
            break;
        }
        simplex.keep(&nearest);
        v = nearest.point;
    }
    let length = v.length();
    if length <= touch {
        return Outcome::Overlap(simplex);
    }
    let (a, b) = simplex.points();
    Outcome::Apart(Closest { a, b, normal: -v / length, distance: length })
}

impl Simplex {
    fn holds(&self, w: Vec3<f64>) -> bool {
        self.vertices[..self.len].iter().any(|v| v.w == w)
    }

    /// The points of A and of B whose difference is the nearest point.
    fn points(&self) -> (Vec3<f64>, Vec3<f64>) {
        let (mut a, mut b) = (Vec3::ZERO, Vec3::ZERO);
        for i in 0..self.len {
            a += self.vertices[i].a * self.weights[i];
            b += self.vertices[i].b * self.weights[i];
        }
        (a, b)
    }

    /// Of the vertices and the one after them, the point of their hull that is nearest to the origin; `None` where four
    /// hold the origin, which they cannot if it is known to be `outside`.
    #[inline(always)]
    fn nearest(&self, outside: bool) -> Option<Nearest> {
        let v = &self.vertices;
        match self.len {
            1 => Some(on_segment(&[v[0].w, v[1].w], [0, 1])),
            2 => Some(on_triangle(&[v[0].w, v[1].w, v[2].w], [0, 1, 2])),
            _ => on_tetrahedron(&[v[0].w, v[1].w, v[2].w, v[3].w], outside),
        }
    }

    /// Keeps the vertices that span the nearest point.
    #[inline(always)]
    fn keep(&mut self, found: &Nearest) {
        let [i, j, k] = found.members.map(|m| self.vertices[m & 3]);
        (self.vertices[0], self.vertices[1], self.vertices[2]) = (i, j, k);
        self.weights = [found.weights[0], found.weights[1], found.weights[2], 0.0];
        self.len = found.len;
    }
}

/// The point of a simplex nearest to the origin, as weights of some of its vertices.
#[derive(Clone, Copy)]
struct Nearest {
    point: Vec3<f64>,
    members: [usize; 3],
    weights: [f64; 3],
    len: usize,
}

impl Nearest {
    #[inline(always)]
    fn vertex(point: Vec3<f64>, i: usize) -> Self {
        Self { point, members: [i, 0, 0], weights: [1.0, 0.0, 0.0], len: 1 }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        if other.point.dot(other.point) < self.point.dot(self.point) { other } else { self }
    }
}

#[inline(always)]
fn on_segment([a, b]: &[Vec3<f64>; 2], [i, j]: [usize; 2]) -> Nearest {
    let ab = *b - *a;
    let (t, length) = (-a.dot(ab), ab.dot(ab));
    if t <= 0.0 {
        Nearest::vertex(*a, i)
    } else if t >= length {
        Nearest::vertex(*b, j)
    } else {
        let t = t / length;
        Nearest { point: a.add_scaled(ab, t), members: [i, j, 0], weights: [1.0 - t, t, 0.0], len: 2 }
    }
}

/// By the signs of the areas that the projected origin spans with the edges: it is outside of the edges whose area is not
/// positive, and nearest to one of those. A sliver of a triangle is its edges.
#[inline]
fn on_triangle([a, b, c]: &[Vec3<f64>; 3], [i, j, k]: [usize; 3]) -> Nearest {
    let normal = (*b - *a).cross(*c - *a);
    let area = normal.dot(normal);
    let (u, v, w) = (normal.dot(b.cross(*c)), normal.dot(c.cross(*a)), normal.dot(a.cross(*b)));
    if u > 0.0 && v > 0.0 && w > 0.0 && area > 0.0 {
        let share = 1.0 / (u + v + w);
        return Nearest {
            point: normal * (normal.dot(*a) / area),
            members: [i, j, k],
            weights: [u * share, v * share, w * share],
            len: 3,
        };
    }
    let mut best: Option<Nearest> = None;
    let flat = area == 0.0;
    for (outside, edge, names) in
        [(w <= 0.0, [*a, *b], [i, j]), (u <= 0.0, [*b, *c], [j, k]), (v <= 0.0, [*c, *a], [k, i])]
    {
        if outside || flat {
            let found = on_segment(&edge, names);
            best = Some(best.map_or(found, |b| b.or(found)));
        }
    }
    // Only where a coordinate is not a number is there none.
    best.unwrap_or(Nearest::vertex(*a, i))
}

/// `None` where the origin is inside. A face whose plane has the origin and the fourth vertex on different sides, or in
/// which the fourth vertex lies but for rounding, is a candidate: the sign of a flat tetrahedron's volume says nothing. If
/// there is none although the origin is known to be `outside`, all are.
fn on_tetrahedron(w: &[Vec3<f64>; 4], outside: bool) -> Option<Nearest> {
    const FACES: [([usize; 3], usize); 4] = [([0, 1, 2], 3), ([0, 3, 1], 2), ([0, 2, 3], 1), ([1, 3, 2], 0)];
    let mut best: Option<Nearest> = None;
    for (face, opposite) in FACES {
        let corners = face.map(|i| w[i]);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let to_opposite = w[opposite] - corners[0];
        let inner = normal.dot(to_opposite);
        let origin = -normal.dot(corners[0]);
        let flat = inner * inner <= FLAT * FLAT * normal.dot(normal) * to_opposite.dot(to_opposite);
        if inner * origin <= 0.0 || flat {
            let found = on_triangle(&corners, face);
            best = Some(best.map_or(found, |b| b.or(found)));
        }
    }
    if best.is_none() && outside {
        let all = FACES.map(|(face, _)| on_triangle(&face.map(|i| w[i]), face));
        best = Some(all[0].or(all[1]).or(all[2]).or(all[3]));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::narrow::ConvexRef;
    use crate::math::{Float, Pose, Quat, Real, Vec3};
    use crate::shape::{Cuboid, Cylinder};

    // Two unit cubes corner to corner across (1, 1, 1): the distance is that of the corners.
    #[test]
    fn corner_to_corner() {
        let cube = Cuboid::new(Vec3::all(0.5)).unwrap();
        let pose = Pose::from_translation(Vec3::all(2.0));
        let pair = Pair::new(ConvexRef::Cuboid(&cube), ConvexRef::Cuboid(&cube), &pose);
        let Outcome::Apart(found) = distance(&pair, Vec3::X, f64::INFINITY) else { panic!("apart") };
        assert!((found.distance - 3f64.sqrt()).abs() < 1e-9, "{}", found.distance);
        assert!((found.normal - Vec3::all(1.0 / 3f64.sqrt())).length() < 1e-9);
    }

    // Crossed cylinders: the sides touch in a point, where the gap is the distance of the axes less both radii. GJK has to
    // find a point of a doubly curved surface.
    #[test]
    fn crossed_cylinders() {
        let rod = Cylinder::new(1.0, 0.25).unwrap();
        let turn = Quat::from_axis_angle(Vec3::Z, Real::PI / 2.0);
        let pose = Pose::new(Vec3::new(0.3, 0.2, 0.75), turn);
        let pair = Pair::new(ConvexRef::Cylinder(&rod), ConvexRef::Cylinder(&rod), &pose);
        let Outcome::Apart(found) = distance(&pair, Vec3::X, f64::INFINITY) else { panic!("apart") };
        assert!((found.distance - 0.25).abs() < 1e-7, "{}", found.distance);
        assert!((found.normal - Vec3::Z).length() < 1e-5, "{:?}", found.normal);
        assert!(matches!(distance(&pair, Vec3::X, 0.2), Outcome::Beyond(_)));
    }
}
