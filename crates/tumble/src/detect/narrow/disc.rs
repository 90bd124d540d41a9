//! Flat round faces over other flat faces.
//!
//! A disc has no corners; eight points of its rim stand for it. The first is the point of the rim nearest to the other
//! face, so that a disc that rocks or rolls on its rim touches in the very point where it should; the others follow at
//! steps of 45 degrees. Only a disc that lies flat, where no point of the rim is nearer than the others, has points that
//! are fixed to it. Borders are exact: polygons are cut by the circle itself, not by an octagon.

use super::clip::{Cut, Disc, Fence, Gather, Patch, Polygon, Segment, between, height_over};
use super::manifold::Feature;
use crate::math::{Num, Real, Vec3};

/// cos and sin of the steps of 45 degrees.
const STEPS: [(Real, Real); 8] = {
    const D: Real = core::f64::consts::FRAC_1_SQRT_2 as Real;
    [(1.0, 0.0), (D, D), (0.0, 1.0), (-D, D), (-1.0, 0.0), (-D, -D), (0.0, -1.0), (D, -D)]
};

/// Tilt against the other face, in radians, under which a disc counts as flat. The points fixed to it then miss the
/// lowest one by at most tilt · radius · (1 - cos 22.5°), 4e-5 of the radius.
const FLAT: Real = 5e-4;

/// Cosine of the tilt up to which two discs count as parallel where their rims cross.
const ROUND: Real = 0.9998;

/// Eight points of a rim.
pub(super) struct Rim {
    pub points: [Vec3; 8],
    pub vertices: [Feature; 8],
}

impl Rim {
    /// The points of the rim as a face with normal `other` meets it.
    pub fn new(disc: &Disc, other: Vec3) -> Self {
        let slope = -other.across(disc.normal);
        let tilt = slope.length();
        let (u, first) =
            if tilt > FLAT { (slope * (1.0 / tilt), disc.nearest) } else { (disc.fixed, Feature::vertex(disc.first)) };
        let v = disc.normal.cross(u);
        let mut rim = Self { points: [Vec3::ZERO; 8], vertices: [first; 8] };
        for (k, (cos, sin)) in STEPS.into_iter().enumerate() {
            rim.points[k] = disc.centre + (u * cos + v * sin) * disc.radius;
            if k > 0 {
                rim.vertices[k] = Feature::vertex(disc.first + k as u32);
            }
        }
        rim
    }
}

/// Places in the plane of a disc, in units of its radius.
struct Plane {
    centre: Vec3,
    normal: Vec3,
    u: Vec3,
    v: Vec3,
    along: Vec3,
    slope: Real,
}

impl Plane {
    /// Points come into the plane of the disc along `m`.
    fn new(disc: &Disc, m: Vec3) -> Self {
        let scale = 1.0 / disc.radius;
        let v = disc.normal.cross(disc.fixed);
        let slope = m.dot(disc.normal);
        Self { centre: disc.centre, normal: disc.normal, u: disc.fixed * scale, v: v * scale, along: m, slope }
    }

    fn place(&self, p: Vec3) -> (Real, Real) {
        let onto = p.add_scaled(self.along, self.normal.dot(self.centre - p) / self.slope) - self.centre;
        (onto.dot(self.u), onto.dot(self.v))
    }
}

/// The parameters between which p + t (q - p) is inside of the circle of radius `r`, not limited to [0, 1].
fn inside_circle(p: (Real, Real), q: (Real, Real), r: Real) -> Option<(Real, Real)> {
    let d = (q.0 - p.0, q.1 - p.1);
    let a = d.0 * d.0 + d.1 * d.1;
    if a == 0.0 {
        let inside = p.0 * p.0 + p.1 * p.1 <= r * r;
        return inside.then_some((0.0, 1.0));
    }
    // The foot of the perpendicular from the centre: more exact than the discriminant for long lines.
    let foot = -(p.0 * d.0 + p.1 * d.1) / a;
    let off = (p.0 + d.0 * foot, p.1 + d.1 * foot);
    let rest = r * r - (off.0 * off.0 + off.1 * off.1);
    (rest >= 0.0).then(|| {
        let half = (rest / a).sqrt();
        (foot - half, foot + half)
    })
}

/// The disc is incident, the polygon the reference.
pub(super) fn over_polygon(gather: &mut Gather, reference: &Polygon, disc: &Disc) {
    let plane = Plane::new(disc, gather.normal);
    let onto_disc = |p: Vec3| p.add_scaled(plane.along, plane.normal.dot(plane.centre - p) / plane.slope);
    let rim = Rim::new(disc, reference.normal);
    let fence = Fence::new(reference, gather.slack);
    for (p, vertex) in rim.points.into_iter().zip(rim.vertices) {
        if fence.holds(p) {
            gather.add(p, reference.face, vertex);
        }
    }
    let reach = 1.0 + gather.slack / disc.radius;
    each_corner_and_crossing(reference, disc, &plane, reach, |p, of_polygon, of_disc| {
        gather.add(onto_disc(p), of_polygon, of_disc);
    });
}

/// The disc is the reference.
pub(super) fn under(gather: &mut Gather, reference: &Disc, incident: &Patch) {
    let plane = Plane::new(reference, gather.normal);
    let reach = 1.0 + gather.slack / reference.radius;
    match incident {
        Patch::Point(p, vertex) => {
            let (x, y) = plane.place(*p);
            if x * x + y * y <= reach * reach {
                gather.add(*p, reference.face, *vertex);
            }
        }
        Patch::Segment(s) => under_segment(gather, reference, &plane, reach, s),
        Patch::Polygon(polygon) => {
            each_corner_and_crossing(polygon, reference, &plane, reach, |p, of_polygon, of_disc| {
                gather.add(p, of_disc, of_polygon);
            });
            let rim = Rim::new(reference, polygon.normal);
            let fence = Fence::new(polygon, 0.0);
            for (p, vertex) in rim.points.into_iter().zip(rim.vertices) {
                // The border of the incident polygon runs along its own normal; for the small tilts at which a face
                // meets a disc over an area the difference is of second order.
                if let Some(height) = height_over(polygon, p, gather.normal)
                    && fence.holds(p.add_scaled(gather.normal, height))
                {
                    gather.add(p.add_scaled(gather.normal, height), vertex, polygon.face);
                }
            }
        }
        Patch::Disc(other) => under_disc(gather, reference, &plane, reach, other),
    }
}

fn under_segment(gather: &mut Gather, reference: &Disc, plane: &Plane, reach: Real, s: &Segment) {
    let (p, q) = (plane.place(s.ends[0]), plane.place(s.ends[1]));
    let Some((from, to)) = inside_circle(p, q, reach) else {
        return;
    };
    if from > 1.0 || to < 0.0 {
        return;
    }
    let cut = Cut {
        t: [Num::max(from, 0.0), Num::min(to, 1.0)],
        by: [(from > 0.0).then_some(reference.rim(false)), (to < 1.0).then_some(reference.rim(true))],
    };
    gather.add_cut(&cut, reference.face, s);
}

/// Both faces are discs, nearly parallel: points of either rim over the other disc, and where the rims cross.
fn under_disc(gather: &mut Gather, reference: &Disc, plane: &Plane, reach: Real, other: &Disc) {
    let rim = Rim::new(other, reference.normal);
    let mut inside = 0;
    for (p, vertex) in rim.points.into_iter().zip(rim.vertices) {
        let (x, y) = plane.place(p);
        if x * x + y * y <= reach * reach {
            inside += 1;
            gather.add(p, reference.face, vertex);
        }
    }
    if inside == rim.points.len() {
        return;
    }
    let over = Plane::new(other, gather.normal);
    let onto_other = |p: Vec3| p.add_scaled(over.along, over.normal.dot(over.centre - p) / over.slope);
    let rim = Rim::new(reference, other.normal);
    for (p, vertex) in rim.points.into_iter().zip(rim.vertices) {
        let (x, y) = over.place(p);
        if x * x + y * y <= 1.0 {
            gather.add(onto_other(p), vertex, other.face);
        }
    }
    // A tilted rim is seen as an ellipse; where it is more than rounding away from a circle, its eight points must do.
    if over.slope.abs() < ROUND {
        return;
    }
    // Circles |x| = 1 and |x - c| = r cross on the line x·c = (1 + |c|² - r²) / 2.
    let (cx, cy) = plane.place(other.centre);
    let (d2, r) = (cx * cx + cy * cy, other.radius / reference.radius);
    if d2 == 0.0 {
        return;
    }
    let along = (1.0 + d2 - r * r) / (2.0 * d2);
    let rest = 1.0 / d2 - along * along;
    if rest > 0.0 {
        let across = rest.sqrt();
        let v = reference.normal.cross(reference.fixed);
        for (side, leaving) in [(across, false), (-across, true)] {
            let (x, y) = (cx * along - cy * side, cy * along + cx * side);
            let p = reference.centre + (reference.fixed * x + v * y) * reference.radius;
            gather.add(onto_other(p), reference.rim(leaving), other.rim(leaving));
        }
    }
}

/// Calls `found(point of the polygon, its feature, that of the disc)` for the polygon's corners inside of the circle and
/// the points where its edges cross the circle.
fn each_corner_and_crossing(
    polygon: &Polygon,
    disc: &Disc,
    plane: &Plane,
    reach: Real,
    mut found: impl FnMut(Vec3, Feature, Feature),
) {
    for i in 0..polygon.len {
        let j = if i + 1 == polygon.len { 0 } else { i + 1 };
        let (p, q) = (polygon.points[i], polygon.points[j]);
        let (a, b) = (plane.place(p), plane.place(q));
        if a.0 * a.0 + a.1 * a.1 <= reach * reach {
            found(p, polygon.vertices[i], disc.face);
        }
        if let Some((from, to)) = inside_circle(a, b, reach) {
            for (t, leaving) in [(from, false), (to, true)] {
                if t > 0.0 && t < 1.0 {
                    found(between(p, q, t), polygon.edges[i], disc.rim(leaving));
                }
            }
        }
    }
}
