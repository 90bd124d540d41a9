//! How much of a shape is under a plane, and where its centroid is.
//!
//! Of a closed polyhedron, facet by facet: the part of each facet that is under the plane and a point o *on* the plane make a cone of signed
//! volume, and these cones fill the part of the solid under the plane. The cut itself needs no facet, since its cone from o is flat.
//!
//! ```text
//!   V = Σ (a - o)·((b - o) × (c - o))/6,     V s = Σ V_abc (o + a + b + c)/4
//! ```
//!
//! Of a ball of radius r in to the depth d: V = π d² (3r - d)/3, its centroid 3 (2r - d)²/(4 (3r - d)) below the centre.
//!
//! Cylinders, cones and capsules are taken as solids of revolution of 16 sides, their volumes scaled to the true one; the error of what is
//! under water is below 1 % of the volume.

use crate::math::{Float, Pose, Quat, Vec3};
use crate::shape::{Geometry, Shape};

type Vector = Vec3<f64>;

/// The surface as seen from the centre of mass of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Water {
    /// Up, of length 1.
    pub normal: Vector,
    /// How high the centre of mass is above it.
    pub height: f64,
}

impl Water {
    fn height_of(&self, p: Vector) -> f64 {
        self.height + self.normal.dot(p)
    }
}

/// What is under water, as seen from the centre of mass in world axes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Submerged {
    pub volume: f64,
    /// Volume times centroid.
    pub moment: Vector,
    /// Volume of the whole, wet and dry.
    pub whole: f64,
}

/// Sides of a solid of revolution: cosine and sine of the first quarter, by 22.5°.
const QUARTER: [(f64, f64); 4] = [
    (1.0, 0.0),
    (0.923_879_532_511_286_8, 0.382_683_432_365_089_8),
    (core::f64::consts::FRAC_1_SQRT_2, core::f64::consts::FRAC_1_SQRT_2),
    (0.382_683_432_365_089_8, 0.923_879_532_511_286_8),
];
const SIDES: usize = 4 * QUARTER.len();

fn direction(side: usize) -> (f64, f64) {
    let (c, s) = QUARTER[side % QUARTER.len()];
    match side / QUARTER.len() % 4 {
        0 => (c, s),
        1 => (-s, c),
        2 => (-c, -s),
        _ => (s, -c),
    }
}

/// Facets of one solid, placed on the body.
struct Facets<'a> {
    water: &'a Water,
    rotation: Quat<f64>,
    place: Vector,
    /// The apex of all cones; on the surface, or anywhere if nothing is cut.
    apex: Vector,
    /// The apex for the whole.
    middle: Vector,
    sum: Submerged,
}

impl Facets<'_> {
    fn world(&self, p: Vector) -> Vector {
        self.place + self.rotation.rotate(p)
    }

    /// A triangle of the surface, counter-clockwise seen from outside, in the frame of the shape.
    fn triangle(&mut self, a: Vector, b: Vector, c: Vector) {
        let corners = [self.world(a), self.world(b), self.world(c)];
        let [p, q, r] = corners.map(|p| p - self.middle);
        self.sum.whole += p.dot(q.cross(r)) / 6.0;
        let heights = corners.map(|p| self.water.height_of(p));
        // The part below: at most four corners.
        let mut below = [Vector::ZERO; 4];
        let mut count = 0;
        for i in 0..3 {
            let j = (i + 1) % 3;
            if heights[i] <= 0.0 {
                below[count] = corners[i];
                count += 1;
            }
            if (heights[i] < 0.0 && heights[j] > 0.0) || (heights[i] > 0.0 && heights[j] < 0.0) {
                below[count] = corners[i].lerp(corners[j], heights[i] / (heights[i] - heights[j]));
                count += 1;
            }
        }
        for k in 2..count {
            self.cone(below[0], below[k - 1], below[k]);
        }
    }

    fn cone(&mut self, a: Vector, b: Vector, c: Vector) {
        let o = self.apex;
        let volume = (a - o).dot((b - o).cross(c - o)) / 6.0;
        self.sum.volume += volume;
        self.sum.moment += (o + a + b + c) * (0.25 * volume);
    }

    /// A profile of (height, radius) from below upwards, turned about the y-axis.
    fn revolve(&mut self, profile: &[(f64, f64)]) {
        let point = |(y, r): (f64, f64), side: usize| {
            let (c, s) = direction(side);
            Vector::new(r * c, y, r * s)
        };
        for ends in profile.windows(2) {
            for side in 0..SIDES {
                let (a, b) = (point(ends[0], side), point(ends[0], side + 1));
                let (d, c) = (point(ends[1], side), point(ends[1], side + 1));
                self.triangle(a, d, c);
                self.triangle(a, c, b);
            }
        }
    }
}

impl Submerged {
    /// Adds a shape that is at `pose` in the frame of a body with this rotation; `offset` is its place there, from the centre of mass.
    pub fn add(&mut self, water: &Water, shape: &Shape, rotation: Quat<f64>, offset: Vector, pose: &Pose) {
        let place = rotation.rotate(offset);
        let turned = (rotation * pose.rotation.to_f64()).normalized();
        if let Shape::Compound(compound) = shape {
            for child in compound.children() {
                let offset = offset + pose.rotation.to_f64().rotate(child.pose.translation.to_f64());
                let local = Pose { translation: child.pose.translation, rotation: pose.rotation * child.pose.rotation };
                self.add(water, &child.shape, rotation, offset, &local);
            }
            return;
        }
        let height = water.height_of(place);
        let reach = shape.farthest_from(Vec3::ZERO).to_f64();
        let cut = height > -reach;
        let mut facets = Facets {
            water,
            rotation: turned,
            place,
            apex: if cut { place - water.normal * height } else { place },
            middle: place,
            sum: Self::default(),
        };
        let (pi, volume) = (f64::PI, |facets: &Facets<'_>| facets.sum.whole);
        let mut true_volume = None;
        match shape {
            Shape::Sphere(ball) => {
                facets.sum = Self::ball(water, place, height, ball.radius().to_f64());
            }
            Shape::Cuboid(brick) => {
                let h = brick.half_extents().to_f64();
                for axis in 0..3 {
                    for sign in [-1.0, 1.0] {
                        let corner = |u: f64, v: f64| {
                            let mut p = Vector::ZERO;
                            p[axis] = sign * h[axis];
                            p[(axis + 1) % 3] = sign * u * h[(axis + 1) % 3];
                            p[(axis + 2) % 3] = v * h[(axis + 2) % 3];
                            p
                        };
                        let (a, b) = (corner(-1.0, -1.0), corner(1.0, -1.0));
                        let (c, d) = (corner(1.0, 1.0), corner(-1.0, 1.0));
                        facets.triangle(a, b, c);
                        facets.triangle(a, c, d);
                    }
                }
            }
            Shape::Hull(hull) => {
                for face in 0..hull.faces().len() as u32 {
                    let at = |v: u32| hull.vertices()[v as usize].to_f64();
                    let mut corners = hull.face_vertices(face).map(at);
                    let (Some(a), Some(mut b)) = (corners.next(), corners.next()) else { continue };
                    for c in corners {
                        facets.triangle(a, b, c);
                        b = c;
                    }
                }
            }
            Shape::Mesh(mesh) if mesh.is_closed() => {
                for triangle in mesh.triangles() {
                    let [a, b, c] = triangle.map(|v| mesh.vertices()[v as usize].to_f64());
                    facets.triangle(a, b, c);
                }
            }
            Shape::Cylinder(drum) => {
                let (h, r) = (drum.half_height().to_f64(), drum.radius().to_f64());
                facets.revolve(&[(-h, 0.0), (-h, r), (h, r), (h, 0.0)]);
                true_volume = Some(2.0 * pi * r * r * h);
            }
            Shape::Cone(cone) => {
                let (h, r) = (cone.half_height().to_f64(), cone.radius().to_f64());
                facets.revolve(&[(-h, 0.0), (-h, r), (h, 0.0)]);
                true_volume = Some(2.0 * pi * r * r * h / 3.0);
            }
            Shape::Capsule(pill) => {
                let (h, r) = (pill.half_length().to_f64(), pill.radius().to_f64());
                let mut profile = [(0.0, 0.0); 10];
                for (i, (c, s)) in QUARTER.into_iter().chain([(0.0, 1.0)]).enumerate() {
                    profile[i] = (-h - r * c, r * s);
                    profile[9 - i] = (h + r * c, r * s);
                }
                facets.revolve(&profile);
                true_volume = Some(pi * r * r * (2.0 * h + 4.0 / 3.0 * r));
            }
            _ => return,
        }
        let scale = true_volume.map_or(1.0, |v| if volume(&facets) > 0.0 { v / volume(&facets) } else { 0.0 });
        self.volume += facets.sum.volume * scale;
        self.moment += facets.sum.moment * scale;
        self.whole += facets.sum.whole * scale;
    }

    fn ball(water: &Water, place: Vector, height: f64, r: f64) -> Self {
        let d = Float::clamp(r - height, 0.0, 2.0 * r);
        let volume = f64::PI * d * d * (3.0 * r - d) / 3.0;
        let left = 2.0 * r - d;
        let centroid = place - water.normal * (0.75 * left * left / (3.0 * r - d));
        Self { volume, moment: centroid * volume, whole: 4.0 / 3.0 * f64::PI * r * r * r }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Real;
    use crate::shape::{CompoundChild, MeshDesc};

    /// Everything below the plane by counting: a grid of points over the box of the shape.
    fn counted(shape: &Shape, pose: &Pose, water: &Water, n: usize) -> (f64, Vector) {
        let bounds = shape.bounds(&Pose::IDENTITY);
        let (low, size) = (bounds.min.to_f64(), (bounds.max - bounds.min).to_f64());
        let cell = size / n as f64;
        let (mut volume, mut moment) = (0.0, Vector::ZERO);
        for i in 0..n * n * n {
            let k = Vector::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64) + Vec3::all(0.5);
            let local = low + cell.scale(k);
            if shape.contains(local.to_real()) {
                let p = pose.translation.to_f64() + pose.rotation.to_f64().rotate(local);
                if water.height_of(p) <= 0.0 {
                    volume += cell.x * cell.y * cell.z;
                    moment += p * (cell.x * cell.y * cell.z);
                }
            }
        }
        (volume, moment)
    }

    /// Every solid shape, turned and placed anyhow, at several depths: volume and centroid against counted points.
    #[test]
    fn volume_and_centroid_agree_with_counting() {
        let corners: Vec<Vec3> = (0..8)
            .map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real) * 0.8 - Vec3::all(0.3))
            .collect();
        let tetrahedron = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let mesh = MeshDesc::new(tetrahedron, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
        let ball = Shape::sphere(0.4).unwrap();
        let two = vec![
            CompoundChild::new(ball.clone(), Pose::from_translation(Vec3::new(0.6, 0.1, 0.0))),
            CompoundChild::new(
                Shape::cuboid(0.2, 0.3, 0.1).unwrap(),
                Pose::from_translation(Vec3::new(-0.4, 0.0, 0.2)),
            ),
        ];
        let shapes = [
            ball,
            Shape::cuboid(0.5, 0.2, 0.3).unwrap(),
            Shape::hull(&corners).unwrap(),
            Shape::mesh(mesh).unwrap(),
            Shape::cylinder(0.4, 0.3).unwrap(),
            Shape::cone(0.4, 0.3).unwrap(),
            Shape::capsule(0.3, 0.2).unwrap(),
            Shape::compound(two).unwrap(),
        ];
        let normal = Vec3::new(0.2, 1.0, -0.3).try_normalize().unwrap();
        for shape in &shapes {
            let rotation = Quat::from_axis_angle(Vec3::new(0.3, -0.5, 0.8), 0.9);
            let pose = Pose { translation: Vec3::new(0.2, -0.1, 0.4), rotation };
            let whole = shape.mass_properties(1.0).unwrap().mass;
            for height in [-5.0, -0.3, -0.1, 0.0, 0.15, 0.4, 5.0] {
                let water = Water { normal, height };
                let mut wet = Submerged::default();
                let offset = pose.translation.to_f64();
                wet.add(&water, shape, Quat::IDENTITY, offset, &pose);
                let (volume, moment) = counted(shape, &pose, &water, 40);
                // The counting errs by about the surface times a tenth of a cell, the 16 sides by 1 %.
                let tolerance = 0.02 * whole;
                let what = format!("{shape:?} at {height}");
                assert!((wet.volume - volume).abs() < tolerance, "{what}: {} against {volume}", wet.volume);
                assert!((wet.moment - moment).length() < tolerance, "{what}: {:?} against {moment:?}", wet.moment);
                assert!((wet.whole / whole - 1.0).abs() < 1e-5, "{what}: {} of {whole}", wet.whole);
                let extreme = if height > 1.0 { 0.0 } else { whole };
                assert!(height.abs() < 1.0 || (wet.volume - extreme).abs() <= 1e-5 * whole, "{what}: {}", wet.volume);
            }
        }
    }
}
