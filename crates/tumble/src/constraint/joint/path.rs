//! Path: a point of B runs along a curve that is fixed to A.
//!
//! The curve is a Catmull-Rom spline through the given points (cubic Hermite segments whose tangent at a point is half of the
//! chord between its neighbours). With c the point of the curve nearest to B, t its unit tangent, and n, b across it:
//!
//! ```text
//!   C = (n·(p_B - c), b·(p_B - c))     2 rows; c slides along with B, and n·ċ = 0, so that Ċ is that of a fixed c
//!   C = R_A' φ                         3 rows, where the body is to keep its direction along the curve
//!   t·v                                the freedom: motor and brake; stops at the ends of an open curve
//! ```
//!
//! K, whose inverse is the effective mass (κ and τ: see `parts`): κ(s; r_A + d, r_B) along n, b and t; I_A⁻¹ + I_B⁻¹ where B follows the curve.

use super::super::{Constraint, Frames, Jacobian, Limit, Motor, Row, Rows};
use super::parts;
use crate::error::Error;
use crate::math::{Float, Mat3, Num, Quat, Real, Vec3};
use std::sync::Arc;

/// A curve through points in the frame of A.
///
/// ```
/// use tumble::constraint::{Motor, joint::Path};
/// use tumble::{BodyDesc, JointDesc, World, math::Vec3, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let bead = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(0.1)?))?;
/// let points = [Vec3::ZERO, Vec3::new(1.0, 0.5, 0.0), Vec3::new(2.0, 0.0, 0.0)];
/// let wire = Path { motor: Some(Motor::velocity(1.0)), ..Path::through(points, false) };
/// let wire = world.add_joint(JointDesc::path(World::BODY, bead, wire).anchor_a([0.0; 3]).anchor_b([0.0; 3]))?;
/// for _ in 0..60 {
///     world.step(1.0 / 60.0)?;
/// }
/// // It is up the wire by now, nearly at the second point.
/// assert!(world.joint(wire)?.value().unwrap() > 0.7);
/// assert!(world.body(bead)?.position().y > 0.3);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// At least two points, or three of a closed curve; no two neighbours in the same place.
    pub points: Arc<[Vec3]>,
    /// The last point leads to the first.
    pub closed: bool,
    /// The x axis of B follows the tangent, its y axis stays as near as it can to y of A.
    pub follow: bool,
    /// Drives along the curve; only velocity motors, in m/s.
    pub motor: Option<Motor>,
}

/// Refinements of the nearest point per evaluation; each about doubles its digits.
const REFINEMENTS: u32 = 6;

impl Path {
    /// A smooth curve through these points.
    pub fn through(points: impl IntoIterator<Item = Vec3>, closed: bool) -> Self {
        Self { points: points.into_iter().collect(), closed, follow: false, motor: None }
    }

    fn segments(&self) -> usize {
        if self.closed { self.points.len() } else { self.points.len().saturating_sub(1) }
    }

    /// A point of the list; beyond the ends of an open curve the ends are mirrored.
    fn knot(&self, i: isize) -> Vec3 {
        let n = self.points.len() as isize;
        let at = |i: isize| self.points.get(i as usize).copied().unwrap_or(Vec3::ZERO);
        if self.closed {
            at(i.rem_euclid(n.max(1)))
        } else if i < 0 {
            at(0) * 2.0 - at(1)
        } else if i >= n {
            at(n - 1) * 2.0 - at(n - 2)
        } else {
            at(i)
        }
    }

    /// Point, first and second derivative at parameter u: the whole part is the segment, the rest the place in it.
    fn curve(&self, u: f64) -> [Vec3; 3] {
        let last = self.segments() as f64;
        let segment = Float::floor(if u >= last && !self.closed { last - 1.0 } else { u });
        let t = Real::from_f64(u - segment);
        let i = segment as isize;
        // A parameter beyond all numbers has some segment as well.
        let beyond = |by: isize| self.knot(i.saturating_add(by));
        let (p0, p1) = (self.knot(i), beyond(1));
        let (m0, m1) = ((p1 - beyond(-1)) * 0.5, (beyond(2) - p0) * 0.5);
        let (t2, t3) = (t * t, t * t * t);
        let h = |a: Real, b: Real, c: Real, d: Real| p0 * a + m0 * b + p1 * c + m1 * d;
        [
            h(2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t, 3.0 * t2 - 2.0 * t3, t3 - t2),
            h(6.0 * t2 - 6.0 * t, 3.0 * t2 - 4.0 * t + 1.0, 6.0 * t - 6.0 * t2, 3.0 * t2 - 2.0 * t),
            h(12.0 * t - 6.0, 6.0 * t - 4.0, 6.0 - 12.0 * t, 6.0 * t - 2.0),
        ]
    }

    /// The parameter of the point of the curve nearest to `p`, sought from `u` by Newton's method on (c(u) - p)·c'(u) = 0,
    /// where the second derivative may not turn the step round.
    fn nearest(&self, p: Vec3, mut u: f64) -> f64 {
        let last = self.segments() as f64;
        for _ in 0..REFINEMENTS {
            let [c, d, dd] = self.curve(u);
            let off = c - p;
            let speed = d.length_squared();
            let curvature = speed + off.dot(dd);
            let slope = if curvature > 0.25 * speed { curvature } else { speed };
            if !(slope > 0.0) {
                break;
            }
            let step = off.dot(d) / slope;
            u -= Float::clamp(step, -0.5, 0.5).to_f64();
            u = if self.closed { u - last * Float::floor(u / last) } else { Float::clamp(u, 0.0, last) };
        }
        u
    }

    /// The parameter of the nearest of all points: where a joint begins.
    fn nearest_of_all(&self, p: Vec3) -> f64 {
        let distance = |u: f64| (self.curve(u)[0] - p).length_squared();
        let mut best = 0.0;
        for i in 0..=self.segments() * 4 {
            let u = i as f64 * 0.25;
            if distance(u) < distance(best) {
                best = u;
            }
        }
        self.nearest(p, best)
    }

    /// Where B is on the curve: parameter, point of the curve in the axes of the world from the origin of A, unit tangent.
    fn place(&self, frames: &Frames) -> (f64, Vec3, Vec3) {
        let local = frames.a.rotation.unrotate(frames.gap());
        // The second number of the memory says whether the first has been found yet.
        let u = if frames.memory[1] > 0.0 { self.nearest(local, frames.memory[0]) } else { self.nearest_of_all(local) };
        let [c, d, _] = self.curve(u);
        let tangent = frames.a.rotation.rotate(d.normalize_or(Vec3::X));
        (u, frames.a.rotation.rotate(c), tangent)
    }

    /// A point of the curve, in the frame of A.
    #[cfg(test)]
    pub(super) fn on_curve(&self, u: f64) -> Vec3 {
        self.curve(u)[0]
    }

    /// The parameter of the point of the curve at which B is.
    pub(super) fn parameter(&self, frames: &Frames) -> f64 {
        self.place(frames).0
    }

    pub(super) fn validate(&self, subject: &str) -> crate::Result<()> {
        let least = if self.closed { 3 } else { 2 };
        if self.points.len() < least {
            return Err(Error::value(subject, "points of the path", "enough for a curve", self.points.len()));
        }
        if let Some(p) = self.points.iter().find(|p| !p.is_finite()) {
            return Err(Error::value(subject, "point of the path", "finite", format_args!("{:?}", p.to_array())));
        }
        let same = |i: isize| (self.knot(i + 1) - self.knot(i)).try_normalize().is_none();
        if (0..self.segments() as isize).any(same) {
            return Err(Error::refused(subject, "two neighbouring points of the path are in the same place"));
        }
        match &self.motor {
            Some(Motor { drive: super::super::Drive::Position(..), .. }) => {
                Err(Error::refused(subject, "the motor of a path drives its speed, not its position"))
            }
            Some(motor) => motor.validate(subject),
            None => Ok(()),
        }
    }
}

impl Constraint for Path {
    fn name(&self) -> &str {
        "path"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let (u, c, tangent) = self.place(frames);
        let off = frames.gap() - c;
        let (n, b) = tangent.tangents();
        for t in [n, b] {
            out.push(Row::equal(parts::along(frames, t), t.dot(off)));
        }
        if self.follow {
            let x = tangent;
            let y = frames.a.axes().y.across(x).normalize_or(n);
            let wanted = Quat::from_mat3(&Mat3::from_columns(x, y, x.cross(y)));
            let error = (frames.b.rotation * wanted.conjugate()).to_rotation_vector();
            // The tangent turns as B moves on: ω = t × κ times the speed along it, κ the curvature vector c''⊥/|c'|².
            let [_, d, dd] = self.curve(u);
            let bend = frames.a.rotation.rotate(dd * (1.0 / Num::max(d.length_squared(), Real::MIN_POSITIVE)));
            let turning = x.cross(bend) * x.dot(frames.b.velocity() - frames.a.velocity());
            for (i, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                out.push(Row { target: turning[i], ..Row::equal(Jacobian::turning(axis), error[i]) });
            }
        }
        let jacobian = parts::along(frames, tangent);
        if !self.closed {
            // Distance to the ends along the tangent there; inside the curve it is far enough away.
            let last = self.segments() as f64;
            let beyond = tangent.dot(off);
            let speed = self.curve(u)[1].length();
            let (low, high) = (Real::from_f64(u) * speed + beyond, Real::from_f64(last - u) * speed - beyond);
            Limit::new(0.0, low + high).rows(jacobian, low, out);
        }
        if let Some(motor) = &self.motor {
            motor.rows(jacobian, 0.0, frames.time, out);
        }
    }

    fn remember(&self, frames: &Frames) -> [f64; 4] {
        [self.place(frames).0, 1.0, 0.0, 0.0]
    }
}
