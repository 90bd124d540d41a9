//! Boxes.

use super::hull_merge::Polygons;
use super::mass::checked_density;
use super::query::{Clip, Line};
use super::{Convex, Geometry, Hull, MassProperties, Projection, Ray, RayHit, positive};
use crate::error::Result;
use crate::math::{Aabb, Float, Pose, Real, Sym3, Vec3};

/// A box about the origin with edges along the axes.
///
/// Its faces are numbered +x, -x, +y, -y, +z, -z from 0 to 5.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, Cuboid}};
/// let crate_ = Cuboid::new(Vec3::new(1.0, 0.5, 2.0))?;
/// assert_eq!(crate_.mass_properties(1.0)?.mass, 8.0);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::Vec3, shape::Cuboid};
/// let brick = Cuboid::new(Vec3::new(1.0, 0.5, 2.0))?;
/// assert_eq!(brick.half_extents().z, 2.0);
/// assert_eq!((brick.to_hull().faces().len(), brick.to_hull().vertices().len()), (6, 8));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    half: Vec3,
}

impl Cuboid {
    /// The box of these half-extents.
    pub fn new(half: Vec3) -> Result<Self> {
        Ok(Self {
            half: Vec3::new(
                positive("cuboid", "half extent x", half.x)?,
                positive("cuboid", "half extent y", half.y)?,
                positive("cuboid", "half extent z", half.z)?,
            ),
        })
    }

    /// Half of the edge lengths.
    #[inline(always)]
    pub fn half_extents(&self) -> Vec3 {
        self.half
    }

    /// The same solid as a hull, with the same numbers of faces. Vertex i has a negative x where bit 0 of i is clear, y
    /// where bit 1, z where bit 2.
    pub fn to_hull(self) -> Hull {
        let sign = |i: u32, bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
        let corner = |i| self.half.scale(Vec3::new(sign(i, 1), sign(i, 2), sign(i, 4)));
        let mut faces = Polygons::default();
        faces.push(&[1, 3, 7, 5], Vec3::X);
        faces.push(&[0, 4, 6, 2], -Vec3::X);
        faces.push(&[2, 6, 7, 3], Vec3::Y);
        faces.push(&[0, 1, 5, 4], -Vec3::Y);
        faces.push(&[4, 5, 7, 6], Vec3::Z);
        faces.push(&[0, 2, 3, 1], -Vec3::Z);
        Hull::from_faces((0..8).map(corner).collect(), &faces)
    }
}

impl Geometry for Cuboid {
    #[inline(always)]
    fn bounds(&self, pose: &Pose) -> Aabb {
        let half = pose.rotation.to_mat3().abs() * self.half;
        Aabb::new(pose.translation - half, pose.translation + half)
    }

    fn inner_sphere(&self) -> (Vec3, Real) {
        (Vec3::ZERO, self.half.min_component())
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        Real::from_f64((point.to_f64().abs() + self.half.to_f64()).length())
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        if self.contains(ray.origin) {
            return RayHit::inside(max);
        }
        let line = Line::new(ray, max)?;
        let mut clip = Clip::new();
        if !clip.within_axes(&line, self.half.to_f64()) {
            return None;
        }
        line.hit(clip.near, clip.normal, clip.part)
    }

    fn closest_point(&self, point: Vec3) -> Projection {
        let (p, half) = (point.to_f64(), self.half.to_f64());
        let outside = p.abs() - half;
        // Inside, the nearest face is that of the largest (least negative) component; outside, the part is the face of
        // the largest excess.
        let axis = if outside.x >= outside.y && outside.x >= outside.z {
            0
        } else if outside.y >= outside.z {
            1
        } else {
            2
        };
        let sign = if p[axis] < 0.0 { -1.0 } else { 1.0 };
        let part = 2 * axis as u32 + u32::from(sign < 0.0);
        let mut face = Vec3::ZERO;
        face[axis] = sign;
        if outside[axis] <= 0.0 {
            let mut on_face = p;
            on_face[axis] = sign * half[axis];
            let distance = Real::from_f64(outside[axis]);
            return Projection { point: on_face.to_real(), normal: face.to_real(), distance, part };
        }
        let nearest = p.max(-half).min(half);
        let offset = p - nearest;
        Projection {
            point: nearest.to_real(),
            normal: offset.normalize_or(face).to_real(),
            distance: Real::from_f64(offset.length()),
            part,
        }
    }

    fn contains(&self, point: Vec3) -> bool {
        let p = point.abs();
        p.x <= self.half.x && p.y <= self.half.y && p.z <= self.half.z
    }

    /// I_x = m/3 (h_y² + h_z²) with half-extents h, and so on in turn.
    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        let density = checked_density("cuboid", density)?;
        let h = self.half.to_f64();
        let mass = density * (8.0 * h.x * h.y * h.z);
        let (x, y, z) = (h.x * h.x, h.y * h.y, h.z * h.z);
        let inertia = Sym3::diagonal(Vec3::new(y + z, x + z, x + y) * (mass / 3.0));
        MassProperties { mass, centre: Vec3::ZERO, inertia }.checked("cuboid")
    }
}

impl Convex for Cuboid {
    #[inline]
    fn support(&self, direction: Vec3) -> Vec3 {
        Vec3::new(
            self.half.x.copysign(direction.x),
            self.half.y.copysign(direction.y),
            self.half.z.copysign(direction.z),
        )
    }
}
