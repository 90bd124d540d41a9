//! One triangle: where a line meets it, and its point nearest to a given one. In `f64`.

use crate::math::{Num, Vec3};

/// Which part of a triangle: its face, the edge from one corner to the next, or a corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Face,
    Edge(usize),
    Corner(usize),
}

/// Where the line through `origin` along the unit vector `direction` meets the triangle: the distance along the line, which
/// may be negative, and whether it comes from the front (from where the corners run counter-clockwise).
///
/// With the corners taken from the origin of the line, the sign of d·(a × b) says on which side of edge ab the line
/// passes; the three add up to d·n. For the neighbour across the edge the same products are formed with the opposite sign and
/// rounded alike, so no line slips between two triangles. At a vertex the roundings of several edges meet, which
/// need not agree: what lies within rounding of an edge counts as on it. The origin should be near the triangle.
pub(crate) fn line_through(origin: Vec3<f64>, direction: Vec3<f64>, corners: [Vec3<f64>; 3]) -> Option<(f64, bool)> {
    let [a, b, c] = corners.map(|v| v - origin);
    let farthest = a.abs().max(b.abs()).max(c.abs()).max_component();
    let rounding = 16.0 * f64::EPSILON * farthest * farthest;
    let normal = (b - a).cross(c - a);
    let facing = normal.dot(direction);
    // In its own plane a triangle has no single point in common with a line.
    if facing.abs() <= 4.0 * rounding {
        return None;
    }
    let front = facing < 0.0;
    let direction_in = if front { -direction } else { direction };
    let inside = |p: Vec3<f64>, q: Vec3<f64>| direction_in.dot(p.cross(q)) >= -rounding;
    if !(inside(a, b) && inside(b, c) && inside(c, a)) {
        return None;
    }
    let distance = normal.dot(a) / facing;
    // Grazing a sliver the quotient may be anything; the point lies between the corners all the same.
    let along = Vec3::new(direction.dot(a), direction.dot(b), direction.dot(c));
    let distance = Num::min(Num::max(distance, along.min_component()), along.max_component());
    distance.is_finite().then_some((distance, front))
}

/// The point of the triangle nearest to `p`, and the part on which it lies (Ericson 2005, 5.1.5: by the sign of the
/// barycentric coordinates, without forming the normal).
pub(crate) fn nearest_point(p: Vec3<f64>, [a, b, c]: [Vec3<f64>; 3]) -> (Vec3<f64>, Feature) {
    let (ab, ac) = (b - a, c - a);
    let ap = p - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Feature::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Feature::Corner(1));
    }
    let w = d1 * d4 - d3 * d2;
    if w <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a.add_scaled(ab, d1 / (d1 - d3)), Feature::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Feature::Corner(2));
    }
    let v = d5 * d2 - d1 * d6;
    if v <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a.add_scaled(ac, d2 / (d2 - d6)), Feature::Edge(2));
    }
    let u = d3 * d6 - d5 * d4;
    if u <= 0.0 && d4 >= d3 && d5 >= d6 {
        return (b.add_scaled(c - b, (d4 - d3) / ((d4 - d3) + (d5 - d6))), Feature::Edge(1));
    }
    let sum = u + v + w;
    (a.add_scaled(ab, v / sum).add_scaled(ac, w / sum), Feature::Face)
}
