//! The joints of a tree in its own coordinates: how many they have, where they put a link, and which motions they allow.
//!
//! A joint leads from a frame A, fixed to the parent, to a frame B, fixed to the link. Both have been turned so that the axis
//! of the joint, where it has one, is their z. With rotations R and places p in the axes of the world:
//!
//! | joint | q | B in A | columns of S |
//! |---|---|---|---|
//! | fixed | | as A | |
//! | revolute | θ | turned by θ about z | turning(z, p) |
//! | prismatic | d | moved by d along z | sliding(z) |
//! | helical | θ | turned by θ about z, moved by ℓ θ along it | turning(z, p) + ℓ sliding(z) |
//! | cylindrical | θ, d | turned about z, moved along it | turning(z, p), sliding(z) |
//! | universal | θ₁, θ₂ | turned about z, then about b | turning(z, p), turning(R₁ b, p) |
//! | planar | x, y, θ | moved along x and y of A, turned about z | sliding(x), sliding(y), turning(z, p) |
//! | spherical | quaternion | turned | turning about the axes of B |
//! | free | place, quaternion | moved and turned | sliding along the axes of A, turning about them |
//!
//! The velocity of the link is that of its parent and S q̇. Its acceleration has a part c = (d/dt S) q̇ that does not depend
//! on q̈: each column is carried along by all motions before it, so that c = Σ vₖ × Sₖ q̇ₖ with vₖ the velocity before column k.
//! Of a spherical joint all columns are carried by the whole motion, v_parent × S q̇; of a free one, whose axes stand still while
//! p moves, it is \[0; ṗ × ω\].

use super::packed::{FrameIn, Six, SixIn, UNIT};
use crate::error::{Error, Result};
use crate::math::{Float, Mat3, Num, Packed, Quat, Real, Vec3};
use serde::{Deserialize, Serialize};

/// The joint by which a link hangs on its parent, with its axes in the frame of the joint.
///
/// ```
/// use tumble::articulation::LinkJoint;
/// let hinge = LinkJoint::Revolute { axis: [0.0, 0.0, 1.0].into() };
/// assert_eq!((hinge.coordinates(), hinge.dofs()), (1, 1));
/// assert_eq!((LinkJoint::Spherical.coordinates(), LinkJoint::Spherical.dofs()), (4, 3));
/// assert!(LinkJoint::Prismatic { axis: [0.0; 3].into() }.validate("joint").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum LinkJoint {
    /// Holds the link where it is on its parent.
    Fixed,
    /// Turns about an axis. Coordinate: the angle.
    Revolute {
        /// The axis.
        axis: Vec3,
    },
    /// Slides along an axis. Coordinate: the distance.
    Prismatic {
        /// The axis.
        axis: Vec3,
    },
    /// Turns about an axis and slides along it in proportion. Coordinate: the angle.
    Helical {
        /// The axis.
        axis: Vec3,
        /// Metres along the axis for each radian.
        lead: Real,
    },
    /// Turns about an axis and slides along it. Coordinates: the angle, the distance.
    Cylindrical {
        /// The axis.
        axis: Vec3,
    },
    /// Turns about an axis of the parent, then about another, which turns with the first. Coordinates: both angles.
    Universal {
        /// The first axis.
        first: Vec3,
        /// The second axis, where the first angle is 0.
        second: Vec3,
    },
    /// Slides in a plane and turns about its normal. Coordinates: along two axes of the plane, the angle. The first of them is
    /// the first tangent of the normal (see [`Vec3::tangents`]).
    Planar {
        /// The normal of the plane.
        normal: Vec3,
    },
    /// Turns about a point. Coordinates: a unit quaternion x, y, z, w; velocity: the angular velocity in the frame of the link.
    Spherical,
    /// Moves as it likes; only for links without a parent. Coordinates: the place of the link's joint frame, and a unit quaternion
    /// x, y, z, w; velocity: of that place, then the angular velocity, both along the axes of the world's joint frame.
    Free,
}

impl LinkJoint {
    /// Numbers that say where the link is on its parent.
    pub fn coordinates(&self) -> usize {
        match self {
            Self::Spherical => 4,
            Self::Free => 7,
            _ => self.dofs(),
        }
    }

    /// Degrees of freedom: numbers that say how it moves.
    pub fn dofs(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } | Self::Helical { .. } => 1,
            Self::Cylindrical { .. } | Self::Universal { .. } => 2,
            Self::Planar { .. } | Self::Spherical => 3,
            Self::Free => 6,
        }
    }

    /// An error where an axis has no direction, or the axes of a universal joint are one.
    pub fn validate(&self, subject: &str) -> Result<()> {
        let unit = |property, axis: Vec3| -> Result<Vec3<f64>> {
            axis.to_f64().try_normalize().ok_or_else(|| {
                Error::value(subject, property, "finite and not zero", format_args!("{:?}", axis.to_array()))
            })
        };
        match *self {
            Self::Fixed | Self::Spherical | Self::Free => Ok(()),
            Self::Revolute { axis } | Self::Prismatic { axis } | Self::Cylindrical { axis } => {
                unit("axis", axis).map(drop)
            }
            Self::Helical { axis, lead } => {
                unit("axis", axis)?;
                if lead.is_finite() { Ok(()) } else { Err(Error::value(subject, "lead", "finite", lead)) }
            }
            Self::Planar { normal } => unit("normal", normal).map(drop),
            Self::Universal { first, second } => {
                let (a, b) = (unit("first axis", first)?, unit("second axis", second)?);
                // Axes within a thousandth of a radian of each other leave a direction that nothing moves in.
                if a.cross(b).length() < 1e-3 {
                    return Err(Error::refused(subject, "the axes of a universal joint must not be parallel"));
                }
                Ok(())
            }
        }
    }

    /// What turns z to the axis of the joint; the joint as the passes see it, with z for its axis.
    pub(super) fn canonical(&self) -> (Quat<f64>, Kind) {
        let turn = |axis: Vec3| Quat::between(Vec3::Z, axis.to_f64().normalize_or(Vec3::Z));
        match *self {
            Self::Fixed => (Quat::IDENTITY, Kind::Fixed),
            Self::Revolute { axis } => (turn(axis), Kind::Revolute),
            Self::Prismatic { axis } => (turn(axis), Kind::Prismatic),
            Self::Helical { axis, lead } => (turn(axis), Kind::Helical(lead.to_f64())),
            Self::Cylindrical { axis } => (turn(axis), Kind::Cylindrical),
            Self::Universal { first, second } => {
                let q = turn(first);
                (q, Kind::Universal(q.unrotate(second.to_f64().normalize_or(Vec3::X))))
            }
            Self::Planar { normal } => {
                let z = normal.to_f64().normalize_or(Vec3::Z);
                let (x, y) = z.tangents();
                (Quat::from_mat3(&Mat3::from_columns(x, y, z)), Kind::Planar)
            }
            Self::Spherical => (Quat::IDENTITY, Kind::Spherical),
            Self::Free => (Quat::IDENTITY, Kind::Free),
        }
    }
}

/// A joint with z for its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Fixed,
    Revolute,
    Prismatic,
    Helical(f64),
    Cylindrical,
    Universal(Vec3<f64>),
    Planar,
    Spherical,
    Free,
}

/// A frame: axes and origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub rotation: Mat3<f64>,
    pub origin: Vec3<f64>,
}

impl Place {
    /// A frame in this one, in the frame that this one is in.
    #[inline(always)]
    pub fn then(&self, inner: &Self) -> Self {
        Self { rotation: self.rotation * inner.rotation, origin: self.point(inner.origin) }
    }

    #[inline(always)]
    pub fn point(&self, p: Vec3<f64>) -> Vec3<f64> {
        self.origin + self.rotation * p
    }

    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, origin: -(rotation * self.origin) }
    }
}

/// R turned by `angle` about its own z.
#[inline(always)]
fn turned<P: Packed>([x, y, z]: [P; 3], angle: f64) -> [P; 3] {
    let (s, c) = libm::sincos(angle);
    [x.times(c) + y.times(s), y.times(c) - x.times(s), z]
}

/// The quaternion in four coordinates, made unit; no turn where they say nothing.
#[inline(always)]
pub(super) fn quaternion(q: &[f64]) -> Quat<f64> {
    let &[x, y, z, w, ..] = q else { return Quat::IDENTITY };
    let q = Quat::new(x, y, z, w);
    let square = q.dot(q);
    // Mostly it has been made unit already, or is nearly so: no care for what is huge or tiny.
    if (square - 1.0).abs() <= UNIT_ROUNDED {
        q
    } else if square > 0.5 && square < 2.0 {
        q.normalized()
    } else {
        q.try_normalize().unwrap_or(Quat::IDENTITY)
    }
}

/// By how much the square of a quaternion that has been made unit may differ from 1.
const UNIT_ROUNDED: f64 = 4.0 * f64::EPSILON;

impl Kind {
    /// Where B is, given A and the coordinates, and the columns of S about the origin of the frame that A is in.
    #[inline(always)]
    pub fn place<P: Packed>(self, a: FrameIn<P>, q: &[f64], s: &mut [Six]) -> FrameIn<P> {
        let [x, y, z] = a.rotation;
        // By far the most are hinges: they need not wait for a jump that depends on the kind.
        if let (Self::Revolute, &[angle], [s]) = (self, q, &mut *s) {
            SixIn::turning(z, a.origin).store(s);
            return FrameIn { rotation: turned(a.rotation, angle), origin: a.origin };
        }
        match (self, q, s) {
            (Self::Prismatic, &[d], [s]) => {
                SixIn::sliding(z).store(s);
                FrameIn { origin: a.origin + z.times(d), ..a }
            }
            (Self::Helical(lead), &[angle], [s]) => {
                (SixIn::turning(z, a.origin) + SixIn::sliding(z.times(lead))).store(s);
                FrameIn { rotation: turned(a.rotation, angle), origin: a.origin + z.times(lead * angle) }
            }
            (Self::Cylindrical, &[angle, d], [turn, slide]) => {
                SixIn::turning(z, a.origin).store(turn);
                SixIn::sliding(z).store(slide);
                FrameIn { rotation: turned(a.rotation, angle), origin: a.origin + z.times(d) }
            }
            (Self::Universal(b), &[first, second], [s1, s2]) => {
                let r = FrameIn { rotation: turned(a.rotation, first), origin: a.origin };
                SixIn::turning(z, a.origin).store(s1);
                SixIn::turning(r.turn(&b), a.origin).store(s2);
                let rotation = r.turned_by(&Quat::from_axis_angle(b, second).to_mat3());
                FrameIn { rotation, origin: a.origin }
            }
            (Self::Planar, &[along, across, angle], [sx, sy, turn]) => {
                let origin = a.origin + x.times(along) + y.times(across);
                SixIn::sliding(x).store(sx);
                SixIn::sliding(y).store(sy);
                SixIn::turning(z, origin).store(turn);
                FrameIn { rotation: turned(a.rotation, angle), origin }
            }
            (Self::Spherical, q, [sx, sy, sz]) => {
                let rotation = a.turned_by(&quaternion(q).to_mat3());
                SixIn::turning(rotation[0], a.origin).store(sx);
                SixIn::turning(rotation[1], a.origin).store(sy);
                SixIn::turning(rotation[2], a.origin).store(sz);
                FrameIn { rotation, origin: a.origin }
            }
            (Self::Free, &[px, py, pz, ref turn @ ..], [lx, ly, lz, ax, ay, az]) => {
                let origin = a.origin + x.times(px) + y.times(py) + z.times(pz);
                SixIn::sliding(x).store(lx);
                SixIn::sliding(y).store(ly);
                SixIn::sliding(z).store(lz);
                SixIn::turning(x, origin).store(ax);
                SixIn::turning(y, origin).store(ay);
                SixIn::turning(z, origin).store(az);
                FrameIn { rotation: a.turned_by(&quaternion(turn).to_mat3()), origin }
            }
            _ => a,
        }
    }

    /// The coordinates at which B is where it is, given A; where the joint cannot lead there, those of the nearest turn and the
    /// nearest place along its own axes.
    pub fn locate(self, a: &Place, b: &Place, out: &mut [f64]) {
        let turn = a.rotation.transpose() * b.rotation;
        let at = a.rotation.transpose() * (b.origin - a.origin);
        let about_z = || libm::atan2(turn.x.y - turn.y.x, turn.x.x + turn.y.y);
        let put_quaternion = |out: &mut [f64]| {
            let q = Quat::from_mat3(&turn).normalized();
            out.copy_from_slice(&[q.x, q.y, q.z, q.w]);
        };
        match (self, out) {
            (Self::Revolute, [q]) => *q = about_z(),
            (Self::Prismatic, [q]) => *q = at.z,
            (Self::Helical(lead), [q]) => {
                *q = about_z();
                if lead != 0.0 {
                    let tau = 2.0 * f64::PI;
                    *q += tau * libm::round((at.z / lead - *q) / tau);
                }
            }
            (Self::Cylindrical, [angle, d]) => (*angle, *d) = (about_z(), at.z),
            (Self::Universal(axis), [first, second]) => {
                // R_z(θ₁) leads the second axis to where it is.
                let there = turn * axis;
                *first = libm::atan2(axis.x * there.y - axis.y * there.x, axis.x * there.x + axis.y * there.y);
                let [x, y, z] = turned(UNIT, *first);
                let rest = Mat3::from_columns(x.into(), y.into(), z.into()).transpose() * turn;
                let q = Quat::from_mat3(&rest);
                *second = 2.0 * libm::atan2(Vec3::new(q.x, q.y, q.z).dot(axis), q.w);
                if *second > f64::PI {
                    *second -= 2.0 * f64::PI;
                } else if *second < -f64::PI {
                    *second += 2.0 * f64::PI;
                }
            }
            (Self::Planar, [x, y, angle]) => (*x, *y, *angle) = (at.x, at.y, about_z()),
            (Self::Spherical, out) => put_quaternion(out),
            (Self::Free, [x, y, z, rest @ ..]) => {
                (*x, *y, *z) = (at.x, at.y, at.z);
                put_quaternion(rest);
            }
            _ => {}
        }
    }

    /// The velocity of the link, and c, from that of its parent.
    #[inline(always)]
    pub fn velocity<P: Packed>(self, parent: SixIn<P>, s: &[Six], qd: &[f64]) -> (SixIn<P>, SixIn<P>) {
        match (self, s, qd) {
            (_, [s], &[qd]) => {
                let own = s.load().times(qd);
                (parent + own, parent.cross(own))
            }
            (Self::Spherical, s, qd) => {
                let own = sum(s, qd);
                (parent + own, parent.cross(own))
            }
            (Self::Free, [lx, ly, lz, turn @ ..], &[x, y, z, ref w @ ..]) => {
                let along = lx.load().times(x) + ly.load().times(y) + lz.load().times(z);
                let own: SixIn<P> = sum(turn, w);
                (parent + along + own, SixIn::sliding(along.linear.cross(own.angular)))
            }
            _ => {
                let (mut v, mut c) = (parent, SixIn::zero());
                for (s, &qd) in s.iter().zip(qd) {
                    let own = s.load().times(qd);
                    c = c + v.cross(own);
                    v = v + own;
                }
                (v, c)
            }
        }
    }

    /// q̇ of the coordinates from the velocities: themselves, and ½ q ω for quaternions.
    #[inline(always)]
    pub fn rate(self, q: &[f64], qd: &[f64], out: &mut [f64]) {
        match (self, q, qd, out) {
            (Self::Spherical, &[x, y, z, w], &[a, b, c], out) => {
                let rate = Quat::new(x, y, z, w) * Quat::new(0.5 * a, 0.5 * b, 0.5 * c, 0.0);
                out.copy_from_slice(&[rate.x, rate.y, rate.z, rate.w]);
            }
            (Self::Free, &[_, _, _, x, y, z, w], &[u, v, t, a, b, c], out) => {
                let rate = Quat::new(0.5 * a, 0.5 * b, 0.5 * c, 0.0) * Quat::new(x, y, z, w);
                out.copy_from_slice(&[u, v, t, rate.x, rate.y, rate.z, rate.w]);
            }
            (_, _, qd, out) => out.copy_from_slice(qd),
        }
    }

    /// The coordinate that is an angle which goes on beyond a turn. Of a screw it follows from how far it has slid.
    pub fn angle_mut(self, q: &mut [f64]) -> Option<&mut f64> {
        match self {
            Self::Revolute | Self::Cylindrical | Self::Helical(0.0) => q.first_mut(),
            Self::Planar => q.last_mut(),
            _ => None,
        }
    }

    /// The angle by which a joint has turned that can turn on and on.
    pub fn angle(self, q: &[f64]) -> Option<f64> {
        match self {
            Self::Revolute | Self::Cylindrical | Self::Helical(_) => q.first().copied(),
            Self::Planar => q.last().copied(),
            _ => None,
        }
    }

    /// Makes the quaternion among the coordinates unit again.
    #[inline(always)]
    pub fn normalize(self, q: &mut [f64]) {
        let at = match self {
            Self::Spherical => 0,
            Self::Free => 3,
            _ => return,
        };
        let unit = quaternion(&q[at..]);
        q[at..].copy_from_slice(&[unit.x, unit.y, unit.z, unit.w]);
    }

    /// Moves coordinates by `offset` times `share` along the degrees of freedom, about one axis where they turn: the whole of what
    /// [`Kind::offset`] answers, which is the shortest way, leads to its target.
    pub fn follow(self, q: &mut [f64], offset: &[f64], share: f64) {
        let turn = |v: &[f64]| Quat::from_rotation_vector(Vec3::new(v[0], v[1], v[2]) * share);
        match self {
            Self::Spherical => {
                let to = (quaternion(q) * turn(offset)).normalized();
                q.copy_from_slice(&[to.x, to.y, to.z, to.w]);
            }
            Self::Free => {
                for k in 0..3 {
                    q[k] += offset[k] * share;
                }
                let to = (turn(&offset[3..]) * quaternion(&q[3..])).normalized();
                q[3..].copy_from_slice(&[to.x, to.y, to.z, to.w]);
            }
            _ => {
                for (q, offset) in q.iter_mut().zip(offset) {
                    *q += offset * share;
                }
            }
        }
    }

    /// How far the coordinates are from `target`, along the degrees of freedom: what a spring or a motor sees.
    pub fn offset(self, q: &[f64], target: &[f64], out: &mut [f64]) {
        let between = |from: &[f64], to: &[f64]| quaternion(from).conjugate() * quaternion(to);
        match self {
            Self::Spherical => out.copy_from_slice(&between(q, target).to_rotation_vector().to_array()),
            Self::Free => {
                for k in 0..3 {
                    out[k] = target[k] - q[k];
                }
                let (from, to) = (quaternion(&q[3..]), quaternion(&target[3..]));
                out[3..].copy_from_slice(&(to * from.conjugate()).to_rotation_vector().to_array());
            }
            _ => {
                for (out, (q, target)) in out.iter_mut().zip(q.iter().zip(target)) {
                    *out = target - q;
                }
            }
        }
    }
}

impl Kind {
    /// Its degrees of freedom, the last three, turn the link about all axes at once.
    pub fn turns_about_all(self) -> bool {
        matches!(self, Self::Spherical | Self::Free)
    }

    /// What springs pull with beyond k x of each where they turn the link about all axes with unlike stiffness k; `left` are the last three numbers
    /// that [`Kind::offset`] answers.
    ///
    /// With r the turn that is left, as a rotation vector, springs hold ½ Σ kᵢ rᵢ². As the link turns by ω, ṙ = -J⁻¹ ω, so that what they give is
    ///
    /// ```text
    ///   J⁻ᵀ K r = K r ± ½ r × K r + β r × (r × K r)        β = (1 - θ/2 cot θ/2)/θ²,  θ = |r|
    /// ```
    ///
    /// with + in the axes of the link and - in those of the parent. K r alone would feed a link that is twisted: nothing holds the energy that its
    /// torques across each other give it.
    pub fn aside(self, left: [f64; 3], stiffness: [f64; 3]) -> Option<[f64; 3]> {
        let sign = match self {
            Self::Spherical => 0.5,
            Self::Free => -0.5,
            _ => return None,
        };
        if stiffness[0] == stiffness[1] && stiffness[1] == stiffness[2] {
            return None;
        }
        let (r, k) = (Vec3::from(left), Vec3::from(stiffness));
        let across = r.cross(r.scale(k));
        let square = r.length_squared();
        let beta = if square < 1e-2 {
            1.0 / 12.0 + square * (1.0 / 720.0 + square / 30240.0)
        } else {
            let half = 0.5 * Num::sqrt(square);
            (1.0 - half * Float::cos(half) / Float::sin(half)) / square
        };
        Some((across * sign + r.cross(across) * beta).to_array())
    }
}

#[inline(always)]
fn sum<P: Packed>(s: &[Six], qd: &[f64]) -> SixIn<P> {
    let mut own = SixIn::zero();
    for (s, &qd) in s.iter().zip(qd) {
        own = own + s.load().times(qd);
    }
    own
}
