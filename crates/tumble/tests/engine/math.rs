//! Formulas 001-35..39, 002-01..13, 003-01..05: quaternions, frames, poses.

use tumble::math::{Quat, Vec3};

#[test]
fn quarter_turn_about_z_takes_x_to_y() {
    let q = Quat::from_axis_angle(Vec3::Z, core::f64::consts::FRAC_PI_2);
    assert!((q.rotate(Vec3::X) - Vec3::Y).length() < 1e-15);
}
