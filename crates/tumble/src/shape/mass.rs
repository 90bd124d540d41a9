//! How heavy a shape is, and how hard to turn.

use crate::error::{Error, Result};
use crate::math::{Sym3, Vec3};

/// Mass, centre of mass and inertia, in double precision.
///
/// ```
/// use tumble::shape::{Geometry, Shape};
/// let ball = Shape::sphere(1.0)?.mass_properties(1000.0)?;
/// assert!((ball.mass - 4188.79).abs() < 0.01);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass in the shape's frame.
    pub centre: Vec3<f64>,
    /// Inertia about the centre of mass, in the shape's axes.
    pub inertia: Sym3<f64>,
}

impl MassProperties {
    /// These properties, or an error where they overflow or vanish in double precision.
    pub(crate) fn checked(self, shape: &'static str) -> Result<Self> {
        if self.mass > 0.0 && self.mass.is_finite() && self.centre.is_finite() && self.inertia.is_finite() {
            Ok(self)
        } else {
            Err(Error::value(shape, "mass", "positive and finite", self.mass))
        }
    }
}

/// The density, or an error where it is not one.
pub(crate) fn checked_density(shape: &'static str, density: f64) -> Result<f64> {
    if density > 0.0 && density.is_finite() {
        Ok(density)
    } else {
        Err(Error::value(shape, "density", "positive and finite", density))
    }
}
