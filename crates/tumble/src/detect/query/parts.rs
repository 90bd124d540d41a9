//! The convex parts of any shape, searched by branch and bound.
//!
//! Convex shapes have one part. A mesh or height field has a part for each triangle, a compound has those of its children.
//! A [`Probe`] says how much a box could matter at best; parts in boxes that cannot matter any more are never looked at.

use crate::detect::manifolds::bounds;
use crate::detect::narrow::{ConvexRef, Triangle};
use crate::math::{Aabb, Float, Num, Point, Pose, Real, Vec3, WorldPose};
use crate::shape::{Geometry, Mesh, Shape, Sides};

/// A convex part of a shape.
#[derive(Clone, Copy)]
pub(in crate::detect) struct Part<'a> {
    pub convex: ConvexRef<'a>,
    /// In the frame of the shape.
    pub pose: Pose,
    /// The triangle of a mesh, the child of a compound; else 0.
    pub index: u32,
}

impl Part<'_> {
    /// A point of the part, in the frame of the shape.
    pub fn point(&self) -> Vec3 {
        self.pose.transform_point(self.convex.centre())
    }
}

/// What is sought, as a bound for boxes in the frame of a shape.
pub(in crate::detect) trait Probe {
    /// The least value that something inside the box can have; `None` where nothing in it matters.
    fn bound(&self, low: Vec3<f64>, high: Vec3<f64>) -> Option<f64>;

    /// A box outside of which nothing has a value up to `limit`, where it tells about as much as the bound does.
    fn near(&self, _limit: f64) -> Option<Aabb> {
        None
    }

    /// The same as seen from a frame placed at `pose`.
    fn seen_from(&self, pose: &Pose) -> Self;
}

/// What is near a box: the value is the squared distance, 0 for what may overlap.
#[derive(Clone, Copy)]
pub(in crate::detect) struct Near(Aabb);

impl Near {
    pub fn new(bounds: Aabb) -> Self {
        Self(roomy(bounds))
    }
}

impl Probe for Near {
    fn bound(&self, low: Vec3<f64>, high: Vec3<f64>) -> Option<f64> {
        let gap = (low - self.0.max.to_f64()).max(self.0.min.to_f64() - high).max(Vec3::ZERO);
        Some(gap.length_squared())
    }

    fn seen_from(&self, pose: &Pose) -> Self {
        Self::new(self.0.transformed(&pose.inverse()))
    }
}

/// What a moving box meets: the value is how far it has come, in lengths of `along`.
#[derive(Clone, Copy)]
pub(in crate::detect) struct Sweeping {
    start: Aabb,
    along: Vec3,
    /// Reciprocals of the components of `along`.
    inverse: Vec3<f64>,
}

impl Sweeping {
    pub fn new(start: Aabb, along: Vec3) -> Self {
        let per = |c: Real| 1.0 / c.to_f64();
        Self { start: roomy(start), along, inverse: Vec3::new(per(along.x), per(along.y), per(along.z)) }
    }
}

impl Probe for Sweeping {
    fn bound(&self, low: Vec3<f64>, high: Vec3<f64>) -> Option<f64> {
        let (mut near, mut far) = (0.0, f64::INFINITY);
        for i in 0..3 {
            // The boxes overlap on this axis while t·d is between these two.
            let (a, b) = (low[i] - self.start.max[i].to_f64(), high[i] - self.start.min[i].to_f64());
            let d = self.inverse[i];
            if !d.is_finite() {
                if a > 0.0 || b < 0.0 {
                    return None;
                }
                continue;
            }
            let (enter, leave) = if d > 0.0 { (a * d, b * d) } else { (b * d, a * d) };
            near = Num::max(enter, near);
            far = Num::min(leave, far);
        }
        (near <= far).then_some(near)
    }

    fn near(&self, limit: f64) -> Option<Aabb> {
        let way = self.along * Real::from_f64(limit);
        let short = way.abs().max_component() <= (self.start.max - self.start.min).max_component();
        let end = || Aabb::new(self.start.min + way, self.start.max + way);
        short.then(|| roomy(self.start.union(&end())))
    }

    fn seen_from(&self, pose: &Pose) -> Self {
        Self::new(self.start.transformed(&pose.inverse()), pose.rotation.unrotate(self.along))
    }
}

/// The box with room for the rounding of whatever it was computed from; infinite sides stay infinite.
pub(super) fn roomy(b: Aabb) -> Aabb {
    let finite = |c: &Real| if c.is_finite() { c.abs() } else { 0.0 };
    let size = b.min.to_array().iter().chain(&b.max.to_array()).map(finite).fold(0.0, |a, b| Num::max(b, a));
    b.expanded(size * (16.0 * Real::EPSILON))
}

/// Visits the parts of a shape whose boxes have a bound of at most `limit`, low bounds first as far as the trees know.
/// `visit` answers the limit from then on; a negative one ends the search. Returns the last limit.
pub(in crate::detect) fn search<P: Probe>(
    shape: &Shape,
    probe: &P,
    limit: f64,
    visit: &mut dyn FnMut(&Part<'_>, f64) -> f64,
) -> f64 {
    let mut last = limit;
    if limit < 0.0 {
        return limit;
    }
    let bound = |low: Vec3<f64>, high: Vec3<f64>| probe.bound(low, high);
    let matters = |corners: [Vec3; 3], limit: f64| {
        let b = Aabb::of_points(corners);
        probe.bound(b.min.to_f64(), b.max.to_f64()).is_some_and(|least| least <= limit)
    };
    let mut triangle = |index: u32, t: Option<crate::shape::Triangle>, sides: Sides, limit: f64| {
        let Some(t) = t else { return limit };
        let triangle = Triangle::of_mesh(&t, sides);
        visit(&Part { convex: ConvexRef::Triangle(&triangle), pose: Pose::IDENTITY, index }, limit)
    };
    match shape {
        Shape::Mesh(mesh) => {
            if let Some(near) = probe.near(limit) {
                mesh.each_triangle_in(&near, |t| {
                    if matters(mesh.triangle(t), last) {
                        let part = Triangle::part_of(mesh, t);
                        last =
                            visit(&Part { convex: ConvexRef::Triangle(&part), pose: Pose::IDENTITY, index: t }, last);
                    }
                    last >= 0.0
                });
                return last;
            }
            mesh.bvh().minimize(limit, bound, |t, limit| {
                if matters(mesh.triangle(t), limit) {
                    last = triangle(t, mesh.get(t), mesh.sides(), limit);
                    return last;
                }
                limit
            });
        }
        Shape::HeightField(field) => field.minimize(limit, bound, |t, limit| {
            if matters(field.triangle(t), limit) {
                last = triangle(t, field.get(t), Sides::One, limit);
                return last;
            }
            limit
        }),
        Shape::Compound(compound) => compound.bvh().minimize(limit, bound, |k, limit| {
            let child = &compound.children()[k as usize];
            last = search(&child.shape, &probe.seen_from(&child.pose), limit, &mut |part, limit| {
                visit(&Part { convex: part.convex, pose: child.pose * part.pose, index: k }, limit)
            });
            last
        }),
        _ => {
            if let Some(convex) = ConvexRef::new(shape) {
                last = visit(&Part { convex, pose: Pose::IDENTITY, index: 0 }, limit);
            }
        }
    }
    last
}

/// Visits pairs of parts of two shapes whose boxes are within √`limit` of each other, with the pose of the part of `b`
/// as seen from the part of `a`. `visit` answers the squared distance of interest from then on; a negative one ends the search.
pub(super) fn search_pairs(
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    limit: f64,
    visit: &mut dyn FnMut(&Part<'_>, &Part<'_>, &Pose, f64) -> f64,
) -> f64 {
    let a_in_b = b_in_a.inverse();
    search(a, &Near::new(b.bounds(b_in_a)), limit, &mut |part_a, limit| {
        let placed = a_in_b * part_a.pose;
        search(b, &Near::new(bounds(part_a.convex, &placed)), limit, &mut |part_b, limit| {
            visit(part_a, part_b, &(placed.inverse() * part_b.pose), limit)
        })
    })
}

/// Calls for every solid mesh that the shape is or has, with its pose and its index as a part, until `visit` says true.
fn any_solid_mesh(shape: &Shape, visit: &mut dyn FnMut(&Mesh, &Pose, u32) -> bool) -> bool {
    match shape {
        Shape::Mesh(mesh) => mesh.is_solid() && visit(mesh, &Pose::IDENTITY, 0),
        Shape::Compound(compound) => compound
            .children()
            .iter()
            .zip(0..)
            .any(|(child, k)| any_solid_mesh(&child.shape, &mut |mesh, _, _| visit(mesh, &child.pose, k))),
        _ => false,
    }
}

/// Which part of `a` holds a part of `b` in its inside, if it is a solid mesh: its surface alone would not tell. Also a point
/// of that part of `b`, in A's frame. Surfaces that cross are not looked for.
pub(super) fn swallows(a: &Shape, b: &Shape, b_in_a: &Pose) -> Option<(u32, Vec3)> {
    let mut found = None;
    any_solid_mesh(a, &mut |mesh, pose, index| {
        let b_in_mesh = pose.inverse() * *b_in_a;
        let near = Near::new(mesh.bvh().bounds().transformed(&b_in_mesh.inverse()));
        search(b, &near, 0.0, &mut |part, limit| {
            let p = b_in_mesh.transform_point(part.point());
            if !mesh.contains(p) {
                return limit;
            }
            found = Some((index, pose.transform_point(p)));
            -1.0
        });
        found.is_some()
    });
    found
}

/// A ball in the world that holds a placed shape: known at once for any shape, so not the smallest. Infinite for
/// unbounded shapes.
#[derive(Clone, Copy)]
pub(super) struct Ball {
    pub centre: Point,
    pub radius: f64,
}

impl Ball {
    pub fn of(shape: &Shape, pose: &WorldPose) -> Self {
        let around = |b: Aabb| (b.centre(), (b.max.to_f64() - b.min.to_f64()).length() * 0.5);
        let (centre, radius) = match shape {
            Shape::Mesh(mesh) => around(mesh.bvh().bounds()),
            Shape::HeightField(field) => around(field.local_bounds()),
            Shape::Compound(compound) => around(compound.bvh().bounds()),
            // The extent may be half of what is needed.
            _ => ConvexRef::new(shape).map_or((Vec3::ZERO, f64::INFINITY), |c| (c.centre(), 2.0 * c.extent().to_f64())),
        };
        let rounding = 16.0 * Real::EPSILON.to_f64();
        Self {
            centre: pose.translation + pose.rotation.to_f64().rotate(centre.to_f64()),
            radius: radius * (1.0 + rounding) + centre.to_f64().length() * rounding,
        }
    }
}
