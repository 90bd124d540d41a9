//! A half-space against everything: the normal is always the plane's, and every point of the other shape that may touch
//! is a corner of it or one of the points that stand for a round rim.

use super::clip::{Disc, Patch};
use super::convex::ConvexRef;
use super::disc::Rim;
use super::manifold::{Feature, MAX_POINTS, Manifold, ManifoldPoint};
use super::patch::{facing_patch, feature_facing, with_polytope};
use crate::math::{Num, Pose, Real, Vec3};
use crate::shape::HalfSpace;

const FACE: Feature = Feature::face(0);

/// Candidates are chosen from in rounds of this many, so that hulls of any size fit.
const ROUND: usize = 32;

struct Above<'a> {
    normal: Vec3,
    offset: Real,
    margin: Real,
    out: &'a mut Manifold,
    len: usize,
    list: [ManifoldPoint; ROUND],
}

impl Above<'_> {
    #[inline]
    fn add(&mut self, p: Vec3, radius: Real, vertex: Feature) {
        let height = self.normal.dot(p) - self.offset;
        let separation = height - radius;
        if separation > self.margin {
            return;
        }
        if self.len == ROUND {
            self.choose();
        }
        let middle = p.add_scaled(self.normal, (height + radius) * -0.5);
        self.list[self.len] = ManifoldPoint::new(middle, separation, FACE, vertex);
        self.len += 1;
    }

    /// The best eight of what is there go on.
    fn choose(&mut self) {
        self.out.take_best(&self.list[..self.len], MAX_POINTS);
        self.len = self.out.points().len();
        self.list[..self.len].copy_from_slice(self.out.points());
    }
}

/// `plane` is A, `b` is B; a plane never touches another plane, nor can two of them be pushed apart.
pub(super) fn collide(plane: &HalfSpace, b: ConvexRef, b_in_a: &Pose, margin: Real, out: &mut Manifold) {
    out.clear();
    let n = plane.normal();
    let (rotation, t) = (b_in_a.rotation.to_mat3(), b_in_a.translation);
    out.normal = n;
    if let ConvexRef::Sphere(s) = b {
        let height = n.dot(t) - plane.offset();
        let separation = height - s.radius();
        if separation <= margin {
            let point = t.add_scaled(n, (height + s.radius()) * -0.5);
            out.set_single(n, point, separation, FACE, Feature::ROUND);
        }
        return;
    }
    let d = -rotation.transpose_mul(n);
    let list = [ManifoldPoint::default(); ROUND];
    let mut above = Above { normal: n, offset: plane.offset(), margin, out, len: 0, list };
    // Heights from B's own frame: the distance to the plane loses nothing to where B is.
    match b {
        ConvexRef::HalfSpace(_) => return,
        ConvexRef::Hull(hull) => {
            let shift = n.dot(t) - above.offset;
            for (i, &v) in hull.vertices().iter().enumerate() {
                if shift - d.dot(v) <= margin {
                    above.add(rotation * v + t, 0.0, Feature::vertex(i as u32));
                }
            }
        }
        ConvexRef::Cuboid(_) | ConvexRef::Rectangle(_) | ConvexRef::Triangle(_) => {
            with_polytope(&b, |p| {
                for i in 0..p.vertex_count() {
                    above.add(rotation * p.vertex(i) + t, 0.0, Feature::vertex(i as u32));
                }
            });
        }
        _ => match facing_patch(&b, d).moved(&rotation, t) {
            Patch::Point(p, vertex) => above.add(p, 0.0, vertex),
            Patch::Segment(s) => {
                for (end, t) in [0.0, 1.0].into_iter().enumerate() {
                    if let Some(radius) = s.below(n, b.radius(), t) {
                        above.add(s.ends[end], radius, s.vertices[end]);
                    }
                }
            }
            Patch::Disc(disc) => add_rim(&mut above, &disc, n),
            Patch::Polygon(_) => {}
        },
    }
    above.choose();
    if !out.is_empty() {
        (out.feature_a, out.feature_b) = (FACE, feature_facing(&b, d));
    }
}

fn add_rim(above: &mut Above, disc: &Disc, n: Vec3) {
    let rim = Rim::new(disc, n);
    for (p, vertex) in rim.points.into_iter().zip(rim.vertices) {
        above.add(p, 0.0, vertex);
    }
}

/// How far `b` is above the plane, with its lowest point: in A's frame.
pub(super) fn clearance(plane: &HalfSpace, b: &ConvexRef, b_in_a: &Pose) -> (Real, Vec3) {
    let n = plane.normal();
    let d = -b_in_a.rotation.unrotate(n);
    let lowest = b_in_a.transform_point(b.core_support(d.to_f64()).to_real());
    let height = n.dot(lowest) - plane.offset();
    (height - b.radius(), lowest.add_scaled(n, Num::min(-b.radius(), 0.0)))
}
