//! Mass, centre of mass and inertia.

use crate::error::{Error, Result};
use crate::math::{Pose, Quat, Sym3, Vec3};
use serde::{Deserialize, Serialize};

/// How far a given inertia may break the laws of inertia, as a share of its largest moment, and still count as rounded:
/// room for tensors that were computed in `f32` or written down with six digits.
const ROUNDING: f64 = 1e-5;

/// How heavy something is, where its centre is, and how hard it is to turn. Always `f64`.
///
/// The inertia is taken about the centre of mass, in the axes of the frame in which the centre is given; it carries the
/// *negated* products of inertia off its diagonal (003-10).
///
/// ```
/// use tumble::{math::Vec3, shape::MassProperties};
/// // A dumb-bell: two balls of 3 kg, taken as points, 2 m apart.
/// let dumbbell = MassProperties::point_masses([(3.0, Vec3::new(4.0, 0.0, 0.0)), (3.0, Vec3::new(6.0, 0.0, 0.0))])?;
/// assert_eq!(dumbbell.mass, 6.0);
/// assert_eq!(dumbbell.centre.x, 5.0);
/// assert_eq!((dumbbell.inertia.xx, dumbbell.inertia.yy), (0.0, 6.0));
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::{Pose, Quat, Vec3}, shape::{Geometry, MassProperties, Shape}};
/// # fn main() -> tumble::Result<()> {
/// let plank = Shape::cuboid(2.0, 0.1, 0.5)?.mass_properties(600.0)?;
/// // The moments about the axes of symmetry, the largest last, however the plank is turned and shifted.
/// let placed = plank.rotated(Quat::from_axis_angle(Vec3::Z, 0.3)).translated(Vec3::new(5.0, 0.0, 0.0));
/// let (moments, axes) = placed.principal_axes();
/// assert!(moments.x <= moments.y && moments.y <= moments.z && axes.is_unit());
/// assert!((moments.z - plank.inertia.zz).abs() < 1e-9 * moments.z || (moments.z - plank.inertia.yy).abs() < 1e-9 * moments.z);
/// // About another point it is harder to turn.
/// assert!(placed.inertia_about(Vec3::ZERO).yy > placed.inertia.yy + 24.0 * placed.mass);
/// let halves = [-1.0, 1.0].map(|x| plank.transformed(&Pose::from_translation(Vec3::new(x, 0.0, 0.0))));
/// let both = MassProperties::sum(halves);
/// assert!((both.mass - 2.0 * plank.mass).abs() < 1e-9 && both.centre.length() < 1e-12);
/// assert_eq!(both.scaled_to_mass(1.0)?.mass, 1.0);
/// assert!(both.validate().is_ok());
/// assert_eq!(MassProperties::point(2.0, Vec3::Y).centre, Vec3::Y);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct MassProperties {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass.
    pub centre: Vec3<f64>,
    /// Inertia about the centre of mass, in kg m².
    pub inertia: Sym3<f64>,
}

impl MassProperties {
    /// Nothing; neutral in sums.
    pub const ZERO: Self = Self { mass: 0.0, centre: Vec3::ZERO, inertia: Sym3::ZERO };

    /// All of its numbers in a row.
    pub(crate) fn to_numbers(self) -> [f64; 10] {
        let Self { mass, centre, inertia: i } = self;
        [mass, centre.x, centre.y, centre.z, i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]
    }

    /// The same to the bit.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.to_numbers().map(f64::to_bits) == other.to_numbers().map(f64::to_bits)
    }

    /// From its numbers in a row.
    pub(crate) fn from_numbers([mass, x, y, z, xx, yy, zz, xy, xz, yz]: [f64; 10]) -> Self {
        Self { mass, centre: Vec3::new(x, y, z), inertia: Sym3 { xx, yy, zz, xy, xz, yz } }
    }

    /// A mass at a point.
    pub const fn point(mass: f64, point: Vec3<f64>) -> Self {
        Self { mass, centre: point, inertia: Sym3::ZERO }
    }

    /// A cloud of masses: I_ij = Σ m_k (|r_k|² δ_ij - x_i x_j), r_k from the common centre (002-18).
    ///
    /// An error for a mass that is negative or not finite, and for a point that is not finite.
    pub fn point_masses(points: impl IntoIterator<Item = (f64, Vec3<f64>)>) -> Result<Self> {
        let mut sum = Self::ZERO;
        for (k, (mass, point)) in points.into_iter().enumerate() {
            if !(mass >= 0.0 && mass.is_finite()) {
                return Err(Error::value(format_args!("point mass {k}"), "mass", "finite and not negative", mass));
            }
            if !point.is_finite() {
                return Err(Error::value(format_args!("point mass {k}"), "position", "finite", format!("{point:?}")));
            }
            sum = sum.combined(&Self::point(mass, point));
        }
        Ok(sum)
    }

    /// Several bodies as one (003-14). The masses must not be negative.
    ///
    /// ```
    /// use tumble::{math::Vec3, shape::MassProperties};
    /// let ball = MassProperties::point(2.0, Vec3::ZERO);
    /// let pair = MassProperties::sum([ball.translated(Vec3::Y), ball.translated(-Vec3::Y)]);
    /// assert_eq!(pair.inertia.xx, 4.0);
    /// ```
    pub fn sum(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::ZERO, |sum, part| sum.combined(&part))
    }

    /// Two bodies as one.
    ///
    /// With the vector d from one centre to the other and the reduced mass µ = m_a m_b / (m_a + m_b), the two transfers
    /// to the common centre (003-11) are together µ (|d|² 1 - d dᵀ). Only the difference of the centres enters, so
    /// bodies far from the origin lose nothing, which the transfer to the origin and back would.
    fn combined(&self, other: &Self) -> Self {
        let inertia = self.inertia + other.inertia;
        if other.mass == 0.0 {
            return Self { inertia, ..*self };
        }
        if self.mass == 0.0 {
            return Self { inertia, ..*other };
        }
        let mass = self.mass + other.mass;
        let share = other.mass / mass;
        let between = other.centre - self.centre;
        Self {
            mass,
            centre: self.centre.add_scaled(between, share),
            inertia: inertia + Sym3::point_mass(between) * (self.mass * share),
        }
    }

    /// The same body, shifted.
    #[must_use]
    pub fn translated(&self, by: Vec3<f64>) -> Self {
        Self { centre: self.centre + by, ..*self }
    }

    /// The same body, turned about the origin: I → R I Rᵀ (003-12). The quaternion need not have length 1.
    #[must_use]
    pub fn rotated(&self, by: Quat<f64>) -> Self {
        let by = by.try_normalize().unwrap_or(Quat::IDENTITY);
        Self { mass: self.mass, centre: by.rotate(self.centre), inertia: self.inertia.rotated(&by.to_mat3()) }
    }

    /// The same body, placed: turned about the origin, then shifted.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        self.rotated(pose.rotation.to_f64()).translated(pose.translation.to_f64())
    }

    /// The same distribution of another total mass. An error where there is no mass to scale, or the new one is not
    /// positive and finite.
    pub fn scaled_to_mass(&self, mass: f64) -> Result<Self> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(Error::value("mass properties", "mass", "positive and finite", mass));
        }
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return Err(Error::value("mass properties", "mass before scaling", "positive and finite", self.mass));
        }
        Ok(Self { mass, centre: self.centre, inertia: self.inertia * (mass / self.mass) })
    }

    /// The inertia about another point: I + m (|d|² 1 - d dᵀ), d from the centre to the point (003-11).
    pub fn inertia_about(&self, point: Vec3<f64>) -> Sym3<f64> {
        self.inertia + Sym3::point_mass(point - self.centre) * self.mass
    }

    /// The principal moments in ascending order, and the orientation of the principal axes: the tensor is
    /// R diag(moments) Rᵀ (001-39, 003-13). Where moments are equal the axes are any that fit.
    pub fn principal_axes(&self) -> (Vec3<f64>, Quat<f64>) {
        let (moments, axes) = self.inertia.eigen();
        let q = Quat::from_mat3(&axes);
        (moments, if q.w < 0.0 { -q } else { q })
    }

    /// These properties, or an error where they overflow or vanish in double precision.
    pub(crate) fn checked(self, shape: &'static str) -> Result<Self> {
        if self.mass > 0.0 && self.mass.is_finite() && self.centre.is_finite() && self.inertia.is_finite() {
            Ok(self)
        } else {
            Err(Error::value(shape, "mass", "positive and finite", self.mass))
        }
    }

    /// Whether a rigid body can have these properties: everything finite, the mass not negative, no principal moment
    /// negative, none larger than the sum of the other two; the last two up to the rounding of a tensor that was given with
    /// six digits.
    ///
    /// ```
    /// use tumble::{math::{Sym3, Vec3}, shape::MassProperties};
    /// let impossible = MassProperties {
    ///     mass: 1.0,
    ///     centre: Vec3::ZERO,
    ///     inertia: Sym3::diagonal(Vec3::new(1.0, 1.0, 3.0)),
    /// };
    /// assert!(impossible.validate().unwrap_err().to_string().contains("sum of the other two"));
    /// ```
    pub fn validate(&self) -> Result<()> {
        let error = |property, expected, value: String| Err(Error::value("mass properties", property, expected, value));
        if !(self.mass >= 0.0 && self.mass.is_finite()) {
            return error("mass", "finite and not negative", self.mass.to_string());
        }
        if !self.centre.is_finite() {
            return error("centre", "finite", format!("{:?}", self.centre));
        }
        if !self.inertia.is_finite() {
            return error("inertia", "finite", format!("{:?}", self.inertia));
        }
        if self.is_plainly_solid() {
            return Ok(());
        }
        let (moments, _) = self.principal_axes();
        let tolerance = ROUNDING * moments.abs().max_component();
        if moments.x < -tolerance {
            return error("inertia", "positive semi-definite", format!("principal moments {:?}", moments.to_array()));
        }
        if moments.z - (moments.x + moments.y) > tolerance {
            return error(
                "inertia",
                "such that no principal moment exceeds the sum of the other two",
                format!("principal moments {:?}", moments.to_array()),
            );
        }
        Ok(())
    }

    /// C = ∫ r rᵀ dm = ½ tr(J) 1 - J is positive definite beyond doubt, as its leading minors say, and so J = tr(C) 1 - C is that of a body. Most
    /// bodies are found sound so without their principal axes; not those that are flat, nor any whose minors leave the range of numbers.
    fn is_plainly_solid(&self) -> bool {
        let Sym3 { xx, yy, zz, xy, xz, yz } = self.inertia;
        let half = 0.5 * (xx + yy + zz);
        let (a, b, c) = (half - xx, half - yy, half - zz);
        let second = a * b - xy * xy;
        let third = c * second - a * yz * yz - b * xz * xz - 2.0 * xy * xz * yz;
        let doubt = |power: f64| SURE * power;
        half > 0.0 && a > doubt(half) && second > doubt(half * half) && third > doubt(half * half * half)
    }
}

/// How much of what they are made of minors must be, at least, to be positive whatever they were rounded by.
const SURE: f64 = 1e-9;

/// The density, or an error where it is not one.
pub(crate) fn checked_density(shape: &'static str, density: f64) -> Result<f64> {
    if density > 0.0 && density.is_finite() {
        Ok(density)
    } else {
        Err(Error::value(shape, "density", "positive and finite", density))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bodies of random points, the flat and the thin among them, and tensors of no body: whoever is found solid by minors has the
    /// principal moments of a body; and it is found of all that are not flat, or the short way would be none.
    #[test]
    fn minors_find_no_body_that_is_none() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let (mut found, mut refused) = (0, 0);
        for round in 0..4000 {
            let thin = 10.0_f64.powi(-(round % 8));
            let inertia = if round % 2 == 0 {
                let points: Vec<_> = (0..12).map(|_| (1.0, Vec3::new(random(), random(), thin * random()))).collect();
                let mass = MassProperties::point_masses(points).unwrap();
                assert!(mass.is_plainly_solid() || thin < 1e-3, "{mass:?}");
                mass.inertia
            } else {
                let [xx, yy, zz] = [(); 3].map(|()| random() + 0.25);
                Sym3 { xx, yy, zz, xy: random(), xz: random(), yz: random() }
            };
            for scale in [1.0, 1e-30, 1e30, 1e150, 0.0, f64::NAN] {
                let mass = MassProperties { mass: 1.0, centre: Vec3::ZERO, inertia: inertia * scale };
                if mass.is_plainly_solid() {
                    let (moments, _) = mass.principal_axes();
                    assert!(moments.x > 0.0 && moments.z < moments.x + moments.y, "{mass:?}");
                    found += 1;
                } else {
                    refused += 1;
                }
            }
        }
        let none = Sym3 { xx: -1.0, yy: 1.0, zz: -2.0 - 1.6e-9, xy: 0.0, xz: 0.0, yz: 0.0 };
        assert!(!MassProperties { mass: 1.0, centre: Vec3::ZERO, inertia: none }.is_plainly_solid());
        assert!(found > 2000 && refused > 2000, "{found} {refused}");
    }
}
