//! Where a scene is looked at from.

use serde::Serialize;

/// A viewpoint. The picture is upright: y is up in it as far as the direction of view allows.
///
/// ```
/// use tumble_scene::Camera;
/// let camera = Camera::new([0.0, 2.0, 10.0], [0.0, 1.0, 0.0]).field_of_view(35.0);
/// assert_eq!(camera.field_of_view, 35.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Camera {
    /// Where the eye is, in metres.
    pub eye: [f64; 3],
    /// What it looks at.
    pub target: [f64; 3],
    /// Angle from the lower to the upper edge of the picture, in degrees.
    pub field_of_view: f64,
}

impl Camera {
    /// From `eye` towards `target`, 45° high.
    pub const fn new(eye: [f64; 3], target: [f64; 3]) -> Self {
        Self { eye, target, field_of_view: 45.0 }
    }

    /// Angle from the lower to the upper edge of the picture, in degrees.
    #[must_use]
    pub const fn field_of_view(mut self, degrees: f64) -> Self {
        self.field_of_view = degrees;
        self
    }
}

impl Default for Camera {
    fn default() -> Self {
        Self::new([8.0, 5.0, 12.0], [0.0, 1.0, 0.0])
    }
}
