//! Which part of a shape's surface faces a direction: the patches that contacts are clipped from.

use super::clip::{Disc, Patch, Segment};
use super::convex::ConvexRef;
use super::manifold::Feature;
use super::polytope::{Polytope, Small};
use crate::math::{Real, Vec3};

/// The ends of a cylinder, or the base and the apex of a cone: the rim's nearest point, or the line along the side.
const LOWER: Feature = Feature::vertex(0);
const UPPER: Feature = Feature::vertex(1);
const SIDE: Feature = Feature::edge(4);

/// A flat face of a shape.
pub(super) struct Flat {
    pub index: u32,
    pub normal: Vec3,
    pub offset: Real,
}

/// Calls `f` with the shape as a polytope, if it is one.
pub(super) fn with_polytope<T>(shape: &ConvexRef, f: impl FnOnce(&dyn Polytope) -> T) -> Option<T> {
    match shape {
        ConvexRef::Cuboid(s) => Some(f(&Small::cuboid(s))),
        ConvexRef::Rectangle(s) => Some(f(&Small::rectangle(s))),
        ConvexRef::Triangle(s) => Small::triangle(s).map(|s| f(&s)),
        ConvexRef::Hull(s) => Some(f(*s)),
        _ => None,
    }
}

/// The flat face whose normal is most along `d`.
pub(super) fn flat_face(shape: &ConvexRef, d: Vec3) -> Option<Flat> {
    match shape {
        ConvexRef::Cylinder(s) => {
            let (index, up) = if d.y < 0.0 { (1, -1.0) } else { (0, 1.0) };
            Some(Flat { index, normal: Vec3::new(0.0, up, 0.0), offset: s.half_height() })
        }
        ConvexRef::Cone(s) => Some(Flat { index: 0, normal: -Vec3::Y, offset: s.half_height() }),
        _ => with_polytope(shape, |p| {
            let face = p.face_along(d);
            Flat { index: face as u32, normal: p.normal(face), offset: p.offset(face) }
        }),
    }
}

/// A flat face as a patch.
pub(super) fn face_patch(shape: &ConvexRef, face: u32) -> Option<Patch> {
    match shape {
        ConvexRef::Cylinder(s) => Some(Patch::Disc(end(face == 0, s.half_height(), s.radius()))),
        ConvexRef::Cone(s) => {
            Some(Patch::Disc(Disc { face: Feature::face(0), ..end(false, s.half_height(), s.radius()) }))
        }
        _ => with_polytope(shape, |p| Patch::Polygon(p.polygon(face as usize, 0))),
    }
}

/// The end of a cylinder, or the base of a cone.
fn end(upper: bool, half_height: Real, radius: Real) -> Disc {
    let up = if upper { 1.0 } else { -1.0 };
    Disc {
        centre: Vec3::new(0.0, up * half_height, 0.0),
        normal: Vec3::new(0.0, up, 0.0),
        radius,
        fixed: Vec3::X,
        face: Feature::face(u32::from(!upper)),
        rim: if upper { 0 } else { 2 },
        nearest: if upper { UPPER } else { LOWER },
        first: if upper { 8 } else { 16 },
    }
}

/// The patch of the core that faces `d`: the face, line or point that would touch a plane coming from there first, with
/// what lies around it.
pub(super) fn facing_patch(shape: &ConvexRef, d: Vec3) -> Patch {
    let across = (d.x * d.x + d.z * d.z).sqrt();
    let out = if across > 0.0 { Vec3::new(d.x / across, 0.0, d.z / across) } else { Vec3::X };
    match shape {
        ConvexRef::Sphere(_) => Patch::Point(Vec3::ZERO, Feature::ROUND),
        ConvexRef::Capsule(s) => Patch::Segment(core_line(s.half_length())),
        ConvexRef::Cylinder(s) => {
            let (h, r) = (s.half_height(), s.radius());
            if d.y.abs() > across {
                Patch::Disc(end(d.y > 0.0, h, r))
            } else {
                Patch::Segment(side_line(out * r, h, out * r, h))
            }
        }
        ConvexRef::Cone(s) => {
            let (h, r) = (s.half_height(), s.radius());
            let side = (2.0 * h * across + r * d.y) / (4.0 * h * h + r * r).sqrt();
            // Seen edge on neither is of use: the rim itself touches.
            if -d.y >= side && -d.y > 0.5 {
                Patch::Disc(Disc { face: Feature::face(0), ..end(false, h, r) })
            } else if side > 0.5 {
                Patch::Segment(side_line(out * r, h, Vec3::ZERO, h))
            } else if 2.0 * h * d.y >= r * across {
                Patch::Point(Vec3::new(0.0, h, 0.0), UPPER)
            } else {
                Patch::Point(Vec3::new(out.x * r, -h, out.z * r), LOWER)
            }
        }
        ConvexRef::HalfSpace(s) => Patch::Point(s.normal() * s.offset(), Feature::face(0)),
        ConvexRef::Triangle(t) if t.area_vector() == Vec3::ZERO => Patch::Point(t.centre(), Feature::vertex(0)),
        _ => with_polytope(shape, |p| {
            let vertex = p.support(d);
            Patch::Polygon(p.polygon(p.face_at(vertex, d), vertex))
        })
        .unwrap_or(Patch::Point(shape.centre(), Feature::vertex(0))),
    }
}

/// The straight line of the core's surface at its farthest point along `d` that is most across `d`.
pub(super) fn line_patch(shape: &ConvexRef, d: Vec3) -> Option<Segment> {
    match shape {
        ConvexRef::Capsule(s) => Some(core_line(s.half_length())),
        ConvexRef::Cylinder(_) | ConvexRef::Cone(_) => match facing_patch(shape, d) {
            Patch::Segment(s) => Some(s),
            _ => None,
        },
        _ => with_polytope(shape, |p| p.edge_at(p.support(d), d)),
    }
}

pub(super) fn core_line(half_length: Real) -> Segment {
    let end = Vec3::new(0.0, half_length, 0.0);
    Segment { ends: [-end, end], vertices: [LOWER, UPPER], edge: Feature::edge(0) }
}

fn side_line(low: Vec3, low_height: Real, high: Vec3, high_height: Real) -> Segment {
    Segment {
        ends: [Vec3::new(low.x, -low_height, low.z), Vec3::new(high.x, high_height, high.z)],
        vertices: [LOWER, UPPER],
        edge: SIDE,
    }
}

/// 1 - cos of the angle within which a normal counts as that of a face.
pub(in crate::detect) const ON_FACE: Real = 1e-6;
/// Sine of the angle within which a normal counts as across an edge.
const ON_EDGE: Real = 1e-3;

/// The feature of the surface whose outward normals include the unit vector `d`.
pub(super) fn feature_facing(shape: &ConvexRef, d: Vec3) -> Feature {
    let across = (d.x * d.x + d.z * d.z).sqrt();
    match shape {
        ConvexRef::Sphere(_) => Feature::ROUND,
        ConvexRef::Capsule(_) => {
            if d.y.abs() < ON_EDGE {
                Feature::edge(0)
            } else if d.y < 0.0 {
                LOWER
            } else {
                UPPER
            }
        }
        ConvexRef::Cylinder(_) => {
            if d.y.abs() > 1.0 - ON_FACE {
                Feature::face(u32::from(d.y < 0.0))
            } else if d.y.abs() < ON_EDGE {
                SIDE
            } else if d.y < 0.0 {
                LOWER
            } else {
                UPPER
            }
        }
        ConvexRef::Cone(s) => {
            let (h, r) = (s.half_height(), s.radius());
            if -d.y > 1.0 - ON_FACE {
                Feature::face(0)
            } else if (2.0 * h * across + r * d.y) / (4.0 * h * h + r * r).sqrt() > 1.0 - ON_FACE {
                SIDE
            } else if 2.0 * h * d.y >= r * across {
                UPPER
            } else {
                LOWER
            }
        }
        ConvexRef::HalfSpace(_) => Feature::face(0),
        _ => with_polytope(shape, |p| {
            let face = p.face_along(d);
            if p.normal(face).dot(d) > 1.0 - ON_FACE {
                return Feature::face(face as u32);
            }
            let vertex = p.support(d);
            let edge = p.edge_at(vertex, d);
            let along = edge.ends[1] - edge.ends[0];
            if along.dot(d).abs() < ON_EDGE * along.length() { edge.edge } else { Feature::vertex(vertex as u32) }
        })
        .unwrap_or(Feature::vertex(0)),
    }
}
