//! Several shapes as one.

mod record;

use super::mass::checked_density;
use super::{Bvh, Geometry, MassProperties, Projection, Ray, RayHit, Shape};
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Num, Pose, Real, Vec3};

/// A part of a compound.
///
/// ```
/// use tumble::{math::{Pose, Vec3}, shape::{CompoundChild, Shape}};
/// let head = CompoundChild::new(Shape::sphere(0.1)?, Pose::from_translation(Vec3::Y)).material(1).density(7800.0);
/// assert_eq!((head.material, head.density), (1, Some(7800.0)));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CompoundChild {
    /// What it is.
    pub shape: Shape,
    /// Where it is in the compound.
    pub pose: Pose,
    /// Slot of the collider's list of materials.
    pub material: u16,
    /// Its density in kg/m³, or that of the whole: on a body, the collider's own density, else that of the material in its
    /// slot. A part of density 0 has no mass.
    pub density: Option<f64>,
}

impl CompoundChild {
    /// A part in material slot 0 that has the density of the whole.
    pub fn new(shape: Shape, pose: Pose) -> Self {
        Self { shape, pose, material: 0, density: None }
    }

    /// Sets [`CompoundChild::material`].
    #[must_use]
    pub fn material(mut self, material: u16) -> Self {
        self.material = material;
        self
    }

    /// Sets [`CompoundChild::density`].
    #[must_use]
    pub fn density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }
}

/// The union of several shapes, searched through a tree. Parts of rays and projections are numbers of children.
///
/// Compounds inside compounds are taken apart: their children take their place, keep their own material slots, and have the
/// density of the child that held them unless they have their own.
///
/// Where children overlap, mass counts twice; and the distance of a point inside is that to the surface of the child in
/// which it lies deepest, which may be covered by another child.
///
/// ```
/// use tumble::{math::{Pose, Vec3}, shape::{CompoundChild, Geometry, Shape}};
/// let head = CompoundChild::new(Shape::cuboid(0.3, 0.1, 0.1)?, Pose::IDENTITY).density(7800.0);
/// let handle = CompoundChild::new(Shape::cylinder(0.4, 0.02)?, Pose::from_translation(Vec3::new(0.0, -0.5, 0.0)));
/// let hammer = Shape::compound(vec![head, handle])?;
/// assert!((hammer.mass_properties(700.0)?.mass - 187.9).abs() < 0.1);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::{Aabb, Pose, Vec3}, shape::{Compound, CompoundChild, Shape}};
/// let at = |x| Ok(CompoundChild::new(Shape::sphere(0.5)?, Pose::from_translation(Vec3::new(x, 0.0, 0.0))));
/// let row = Compound::new([0.0, 10.0, 20.0].into_iter().map(at).collect::<tumble::Result<_>>()?)?;
/// assert_eq!((row.children().len(), row.bvh().len()), (3, 3));
/// let here = Aabb::new(Vec3::new(9.0, -1.0, -1.0), Vec3::new(11.0, 1.0, 1.0));
/// assert!(row.children_in(&here).any(|child| child == 1));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Compound {
    children: Vec<CompoundChild>,
    bvh: Bvh,
}

impl Compound {
    /// The union of these shapes. An error where there are none, and for a pose or density that makes no sense.
    pub fn new(children: Vec<CompoundChild>) -> Result<Self> {
        let mut flat = Vec::with_capacity(children.len());
        for (k, child) in children.into_iter().enumerate() {
            let subject = || format!("compound child {k}");
            if !child.pose.translation.is_finite() {
                return Err(Error::value(subject(), "position", "finite", format!("{:?}", child.pose.translation)));
            }
            let Some(rotation) = child.pose.rotation.try_normalize() else {
                return Err(Error::value(
                    subject(),
                    "rotation",
                    "a finite quaternion other than zero",
                    format!("{:?}", child.pose.rotation),
                ));
            };
            if let Some(density) = child.density
                && !(density >= 0.0 && density.is_finite())
            {
                return Err(Error::value(subject(), "density", "finite and not negative", density));
            }
            let pose = Pose::new(child.pose.translation, rotation);
            match &child.shape {
                Shape::Compound(inner) => flat.extend(inner.children.iter().map(|c| CompoundChild {
                    shape: c.shape.clone(),
                    pose: pose * c.pose,
                    material: c.material,
                    density: c.density.or(child.density),
                })),
                _ => flat.push(CompoundChild { pose, ..child }),
            }
        }
        if flat.is_empty() {
            return Err(Error::geometry("compound", "has no children"));
        }
        let boxes: Vec<Aabb> = flat.iter().map(|c| padded(c.shape.bounds(&c.pose))).collect();
        Ok(Self { bvh: Bvh::new(&boxes)?, children: flat })
    }

    /// The parts, none of them a compound.
    pub fn children(&self) -> &[CompoundChild] {
        &self.children
    }

    /// The tree over the children.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// The children whose boxes overlap `bounds`, and some near them.
    pub fn children_in(&self, bounds: &Aabb) -> impl Iterator<Item = u32> + '_ {
        self.bvh.candidates(bounds)
    }
}

/// The box with room for the rounding of the bounds of a turned shape; infinite sides stay infinite.
fn padded(b: Aabb) -> Aabb {
    let finite = |c: &Real| if c.is_finite() { c.abs() } else { 0.0 };
    let size = b.min.to_array().iter().chain(&b.max.to_array()).map(finite).fold(0.0, |a, b| Num::max(b, a));
    b.expanded(size * (4.0 * Real::EPSILON))
}

impl Geometry for Compound {
    fn bounds(&self, pose: &Pose) -> Aabb {
        self.children.iter().fold(Aabb::EMPTY, |b, c| b.union(&c.shape.bounds(&(*pose * c.pose))))
    }

    /// That of the child with the largest.
    fn inner_sphere(&self) -> (Vec3, Real) {
        let mut best = (Vec3::ZERO, 0.0);
        for c in &self.children {
            let (centre, radius) = c.shape.inner_sphere();
            if radius > best.1 {
                best = (c.pose.transform_point(centre), radius);
            }
        }
        best
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        let distance = |c: &CompoundChild| c.shape.farthest_from(c.pose.inverse_transform_point(point));
        self.children.iter().map(distance).fold(0.0, |a, b| Num::max(b, a))
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        self.bvh.along_ray(ray.origin.to_f64(), ray.direction.to_f64(), max.to_f64(), |k, limit| {
            let child = &self.children[k as usize];
            let reach = best.map_or(max, |hit| hit.t);
            let Some(hit) = child.shape.cast_ray(&ray.relative_to(&child.pose), reach) else { return limit };
            if best.is_none_or(|b| hit.t < b.t || k < b.part) {
                best = Some(RayHit { t: hit.t, normal: child.pose.rotation.rotate(hit.normal), part: k });
            }
            hit.t.to_f64()
        });
        best
    }

    fn closest_point(&self, point: Vec3) -> Projection {
        let p = point.to_f64();
        let mut best: Option<Projection> = None;
        // The signed distance to a box is below that to anything inside it, also where the point is within.
        let bound = |low: Vec3<f64>, high: Vec3<f64>| {
            let out = (low - p).max(p - high);
            Some(if out.max_component() <= 0.0 { out.max_component() } else { out.max(Vec3::ZERO).length() })
        };
        self.bvh.minimize(f64::INFINITY, bound, |k, limit| {
            let child = &self.children[k as usize];
            let local = child.shape.closest_point(child.pose.inverse_transform_point(point));
            if best.is_some_and(|b| local.distance > b.distance || (local.distance == b.distance && b.part < k)) {
                return limit;
            }
            best = Some(Projection {
                point: child.pose.transform_point(local.point),
                normal: child.pose.rotation.rotate(local.normal),
                distance: local.distance,
                part: k,
            });
            local.distance.to_f64()
        });
        // There is a first child, and the search without a limit visits one at least; NaN finds nothing.
        best.unwrap_or(Projection { point, normal: Vec3::Y, distance: Real::NAN, part: 0 })
    }

    fn contains(&self, point: Vec3) -> bool {
        let at = Aabb::new(point, point);
        self.bvh.candidates(&at).any(|k| {
            let child = &self.children[k as usize];
            child.shape.contains(child.pose.inverse_transform_point(point))
        })
    }

    /// Each child at its own density or at this one, turned, shifted and summed (003-14). Overlaps count twice. Half-spaces,
    /// rectangles and height fields have no mass and add none; an error where nothing else is there, and for children
    /// that should have mass but cannot, such as open meshes.
    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        let density = checked_density("compound", density)?;
        let mut parts = Vec::with_capacity(self.children.len());
        for (k, child) in self.children.iter().enumerate() {
            let density = child.density.unwrap_or(density);
            let massless = matches!(child.shape, Shape::HalfSpace(_) | Shape::Rectangle(_) | Shape::HeightField(_));
            if massless || density == 0.0 {
                continue;
            }
            let part = child
                .shape
                .mass_properties(density)
                .map_err(|error| Error::refused(format_args!("compound child {k}"), error))?;
            parts.push(part.transformed(&child.pose));
        }
        if parts.is_empty() {
            return Err(Error::refused("compound", "none of its children has mass"));
        }
        MassProperties::sum(parts).checked("compound")
    }
}
