//! Distance between the cores of two convex shapes: Gilbert, Johnson and Keerthi (1988).
//!
//! The point v of A - B nearest to the origin is found by a simplex of at most four vertices of A - B. From the nearest
//! point v of the simplex the support vertex w along -v is taken; v·w / |v| <= distance <= |v|, and when the two bounds
//! meet v is the answer. With n = -v / |v| (from A to B) the lower bound is the separation along n.
//!
//! The number of rounds is bounded, each round either brings v nearer to the origin or is the last, and any v is a valid
//! upper bound and any n a valid axis; so whatever rounding does, the answer is never worse than the last round.

use super::convex::{Pair, Vertex};
use crate::math::{Num, Vec3};

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
        let Some((found, nearest)) = nearest_of_simplex(&simplex.vertices, simplex.len + 1, parted) else {
            simplex.len += 1;
            return Outcome::Overlap(simplex);
        };
        if nearest.dot(nearest) >= squared {
            break;
        }
        simplex.keep(&found);
        v = nearest;
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

    /// Keeps the vertices that span the nearest point.
    fn keep(&mut self, found: &Nearest) {
        let old = self.vertices;
        for (i, &from) in found.members[..found.len].iter().enumerate() {
            self.vertices[i] = old[from & 3];
            self.weights[i] = found.weights[i];
        }
        self.len = found.len;
    }
}

/// The point of the first `len` vertices' hull that is nearest to the origin; `None` where four hold the origin, which they
/// cannot if it is known to be `outside`.
fn nearest_of_simplex(vertices: &[Vertex; 4], len: usize, outside: bool) -> Option<(Nearest, Vec3<f64>)> {
    let w = [vertices[0].w, vertices[1].w, vertices[2].w, vertices[3].w];
    let found = match len {
        2 => on_segment(&w, [0, 1]),
        3 => on_triangle(&w, [0, 1, 2]),
        _ => on_tetrahedron(&w, outside)?,
    };
    Some((found, found.point(&w)))
}

/// The point of a simplex nearest to the origin, as weights of some of its vertices.
#[derive(Clone, Copy)]
struct Nearest {
    members: [usize; 3],
    weights: [f64; 3],
    len: usize,
}

impl Nearest {
    fn vertex(i: usize) -> Self {
        Self { members: [i, 0, 0], weights: [1.0, 0.0, 0.0], len: 1 }
    }

    fn point(&self, w: &[Vec3<f64>; 4]) -> Vec3<f64> {
        (0..self.len).fold(Vec3::ZERO, |p, i| p + w[self.members[i]] * self.weights[i])
    }
}

fn on_segment(w: &[Vec3<f64>; 4], [i, j]: [usize; 2]) -> Nearest {
    let (a, ab) = (w[i], w[j] - w[i]);
    let (t, length) = (-a.dot(ab), ab.dot(ab));
    if t <= 0.0 {
        Nearest::vertex(i)
    } else if t >= length {
        Nearest::vertex(j)
    } else {
        let t = t / length;
        Nearest { members: [i, j, 0], weights: [1.0 - t, t, 0.0], len: 2 }
    }
}

/// By the signs of the areas that the projected origin spans with the edges; a sliver of a triangle is its edges.
fn on_triangle(w: &[Vec3<f64>; 4], [i, j, k]: [usize; 3]) -> Nearest {
    let (a, b, c) = (w[i], w[j], w[k]);
    let normal = (b - a).cross(c - a);
    let area = normal.dot(normal);
    let (u, v) = (normal.dot(b.cross(c)), normal.dot(c.cross(a)));
    let t = normal.dot(a.cross(b));
    if area > 0.0 && u > 0.0 && v > 0.0 && t > 0.0 {
        let sum = u + v + t;
        return Nearest { members: [i, j, k], weights: [u / sum, v / sum, t / sum], len: 3 };
    }
    nearest_of(w, [on_segment(w, [i, j]), on_segment(w, [j, k]), on_segment(w, [k, i])])
}

/// `None` where the origin is inside. A face whose plane has the origin and the fourth vertex on different sides, or in
/// which the fourth vertex lies but for rounding, is a candidate: the sign of a flat tetrahedron's volume says nothing. If
/// the origin is known to be `outside`, all are.
fn on_tetrahedron(w: &[Vec3<f64>; 4], outside: bool) -> Option<Nearest> {
    let faces = [([0, 1, 2], 3), ([0, 3, 1], 2), ([0, 2, 3], 1), ([1, 3, 2], 0)];
    let mut best: Option<(f64, Nearest)> = None;
    for (face, opposite) in faces {
        let [i, j, k] = face;
        let normal = (w[j] - w[i]).cross(w[k] - w[i]);
        let to_opposite = w[opposite] - w[i];
        let inner = normal.dot(to_opposite);
        let origin = -normal.dot(w[i]);
        let flat = inner * inner <= FLAT * FLAT * normal.dot(normal) * to_opposite.dot(to_opposite);
        if inner * origin > 0.0 && !flat && !outside {
            continue;
        }
        let found = on_triangle(w, face);
        let p = found.point(w);
        let squared = p.dot(p);
        if best.is_none_or(|(s, _)| squared < s) {
            best = Some((squared, found));
        }
    }
    best.map(|(_, found)| found)
}

fn nearest_of(w: &[Vec3<f64>; 4], candidates: [Nearest; 3]) -> Nearest {
    let squared = candidates.map(|c| {
        let p = c.point(w);
        p.dot(p)
    });
    let least = Num::min(Num::min(squared[0], squared[1]), squared[2]);
    if squared[0] == least {
        candidates[0]
    } else if squared[1] == least {
        candidates[1]
    } else {
        candidates[2]
    }
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
