//! Rows: what constraints write and methods solve.
//!
//! A row speaks of one number C, a function of the poses of two bodies A and B, whose rate of change is linear in their
//! velocities (003-47, 003-48):
//!
//! ```text
//!   Ċ = J u = a_l·v_A + a_a·ω_A + b_l·v_B + b_a·ω_B          J = [a_l, a_a, b_l, b_a]
//! ```
//!
//! The impulse λ along the row changes the velocities by M⁻¹ Jᵀ λ. What must hold depends on the bound:
//!
//! | bound | holds | impulse |
//! |---|---|---|
//! | [`Bound::Equal`] | C = 0 | any |
//! | [`Bound::Push`] | C >= 0 | λ >= 0, and 0 where C > 0 |
//! | [`Bound::Force`] | C = 0, as far as the force reaches | \|λ\| <= f h over a step h |
//! | [`Bound::Friction`] | Ċ = target, as far as friction reaches | \|λ\| <= μ λ of another row |
//!
//! With a `target` the velocity is to be Ċ = target when C is 0, not 0: a motor. With a [`Stiffness`] other than the method's, C is
//! pulled to 0 by a damped spring. How C gets to 0 otherwise (Baumgarte, soft constraints, projection) is the method's business.

use crate::body::Softness;
use crate::error::{Error, Result};
use crate::math::{Num, Real, Sym3, Vec3};
use serde::{Deserialize, Serialize};

/// J: what stands before the velocities of the two bodies in the rate of a row.
///
/// ```
/// use tumble::{constraint::Jacobian, math::Vec3};
/// // How fast a point of B half a metre above its centre goes away from A along x: v_x of B, less half of its turn about z.
/// let apart = Jacobian::between(Vec3::X, Vec3::ZERO, Vec3::Y * 0.5);
/// let rate = |j: &Jacobian| j.velocity(Vec3::ZERO, Vec3::ZERO, Vec3::X * 3.0, Vec3::Z * 2.0);
/// assert_eq!((rate(&apart), rate(&apart.reversed())), (2.0, -2.0));
/// assert!(apart.is_finite() && Jacobian::turning(Vec3::Y).linear_b == Vec3::ZERO);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Jacobian {
    /// Before v_A.
    pub linear_a: Vec3,
    /// Before ω_A.
    pub angular_a: Vec3,
    /// Before v_B.
    pub linear_b: Vec3,
    /// Before ω_B.
    pub angular_b: Vec3,
}

impl Jacobian {
    /// All zeros.
    pub const ZERO: Self =
        Self { linear_a: Vec3::ZERO, angular_a: Vec3::ZERO, linear_b: Vec3::ZERO, angular_b: Vec3::ZERO };

    /// Motion of a point of B away from a point of A along `axis`; the arms lead from the centres of mass to where the two
    /// are taken hold of. An axis that is fixed to A turns with it: then the arm of A leads to the point of *B*.
    ///
    /// C = n·(p_B - p_A), J = [-n, -(r_A × n), n, r_B × n]
    #[inline]
    pub fn between(axis: Vec3, arm_a: Vec3, arm_b: Vec3) -> Self {
        Self { linear_a: -axis, angular_a: -arm_a.cross(axis), linear_b: axis, angular_b: arm_b.cross(axis) }
    }

    /// Turning of B relative to A about `axis`: J = [0, -n, 0, n].
    #[inline]
    pub fn turning(axis: Vec3) -> Self {
        Self { linear_a: Vec3::ZERO, angular_a: -axis, linear_b: Vec3::ZERO, angular_b: axis }
    }

    /// J u
    #[inline]
    pub fn velocity(&self, linear_a: Vec3, angular_a: Vec3, linear_b: Vec3, angular_b: Vec3) -> Real {
        self.linear_a.dot(linear_a)
            + self.angular_a.dot(angular_a)
            + self.linear_b.dot(linear_b)
            + self.angular_b.dot(angular_b)
    }

    /// J₁ M⁻¹ J₂ᵀ over one body: the response of the velocity along this half of a row to a unit impulse along the other.
    #[inline]
    pub fn response(linear: [Vec3; 2], angular: [Vec3; 2], inv_mass: Vec3, inv_inertia: &Sym3) -> Real {
        linear[0].dot(linear[1].scale(inv_mass)) + angular[0].dot(*inv_inertia * angular[1])
    }

    /// The other way round: C grows where it shrank.
    #[inline]
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            linear_a: -self.linear_a,
            angular_a: -self.angular_a,
            linear_b: -self.linear_b,
            angular_b: -self.angular_b,
        }
    }

    /// All components are finite.
    pub fn is_finite(&self) -> bool {
        self.linear_a.is_finite()
            && self.angular_a.is_finite()
            && self.linear_b.is_finite()
            && self.angular_b.is_finite()
    }
}

/// Which impulses a row may have.
///
/// ```
/// use tumble::constraint::{Bound, Jacobian, Row};
/// use tumble::math::Vec3;
/// let floor = Row { impulse: 4.0, ..Row::push(Jacobian::between(Vec3::Y, Vec3::ZERO, Vec3::ZERO), 0.0) };
/// assert_eq!((floor.bound, floor.limits(0.5, &[]).0), (Bound::Push, 0.0));
/// // At most half of what the row before it bears.
/// let bound = Bound::Friction { of: 0, coefficient: 0.5 };
/// let grip = Row { bound, ..Row::motor(Jacobian::between(Vec3::X, Vec3::ZERO, Vec3::ZERO), 0.0, 0.0) };
/// assert_eq!(grip.limits(0.5, &[floor]), (-2.0, 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Any: C = 0.
    Equal,
    /// λ >= 0: C >= 0.
    Push,
    /// |λ| <= f h: a force of at most f newtons (or a torque in newton metres) over a step of h seconds. It may be infinite:
    /// unlike [`Bound::Equal`], it is a motor and no part of what the joint holds together.
    Force(Real),
    /// |λ| <= μ λ of the row with this number in the same constraint, which must come before it.
    Friction {
        /// The number of the row, counted from the first of the constraint.
        of: u32,
        /// μ
        coefficient: Real,
    },
}

/// How hard a row is.
///
/// ```
/// use tumble::constraint::Stiffness;
/// assert_eq!(Stiffness::Method.constants(2.0), None);
/// assert_eq!(Stiffness::spring(100.0, 5.0).constants(2.0), Some((100.0, 5.0)));
/// // One swing per second, whatever the mass: k = m (2π)².
/// let (k, _) = Stiffness::tuned(1.0, 0.5).constants(2.0).unwrap();
/// assert!((k - 78.957).abs() < 0.01);
/// assert!(Stiffness::spring(-1.0, 0.0).validate("spring").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Stiffness {
    /// As hard as the method makes it.
    #[default]
    Method,
    /// A damped spring by frequency and damping ratio: k = m (2πf)², c = 2 m ζ (2πf), with m the mass that the row moves while
    /// the rest of its constraint holds. The response is the same whatever the masses are.
    Tuned(Softness),
    /// A damped spring by its constants.
    Spring {
        /// k in N/m, or N m/rad.
        stiffness: Real,
        /// c in N s/m, or N m s/rad.
        damping: Real,
    },
}

impl Stiffness {
    /// A damped spring by frequency and damping ratio.
    pub fn tuned(hertz: Real, damping_ratio: Real) -> Self {
        Self::Tuned(Softness { hertz, damping_ratio })
    }

    /// A damped spring by its constants.
    pub fn spring(stiffness: Real, damping: Real) -> Self {
        Self::Spring { stiffness, damping }
    }

    /// An error where a value is out of range.
    pub fn validate(&self, subject: &str) -> Result<()> {
        match *self {
            Self::Method => Ok(()),
            Self::Tuned(softness) => softness.validate(subject),
            Self::Spring { stiffness, damping } => {
                let sound = |v: Real| v >= 0.0 && v.is_finite();
                if !sound(stiffness) {
                    return Err(Error::value(subject, "spring stiffness", "not negative and finite", stiffness));
                }
                if !sound(damping) {
                    return Err(Error::value(subject, "spring damping", "not negative and finite", damping));
                }
                Ok(())
            }
        }
    }

    /// k and c of the spring on a row that moves the mass m; `None` for as hard as the method makes it.
    pub fn constants(&self, mass: Real) -> Option<(Real, Real)> {
        match *self {
            Self::Method => None,
            Self::Tuned(s) => {
                let omega = 2.0 * <Real as crate::math::Float>::PI * s.hertz;
                Some((mass * omega * omega, 2.0 * mass * s.damping_ratio * omega))
            }
            Self::Spring { stiffness, damping } => Some((stiffness, damping)),
        }
    }
}

/// One row; see the head of this module.
///
/// ```
/// use tumble::constraint::{Bound, Jacobian, Row, Stiffness};
/// use tumble::math::Vec3;
/// // Brings two bodies to the same height as a spring does, with at most 20 N.
/// let height = Jacobian::between(Vec3::Y, Vec3::ZERO, Vec3::ZERO);
/// let row = Row::equal(height, 0.1).stiff(Stiffness::tuned(2.0, 1.0)).bounded(20.0);
/// assert_eq!((row.error, row.bound), (0.1, Bound::Force(20.0)));
/// assert_eq!(row.limits(0.5, &[]), (-10.0, 10.0));
/// assert!(Row::IDLE.is_idle() && !row.is_idle());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// J
    pub jacobian: Jacobian,
    /// C
    pub error: Real,
    /// The rate that is wanted of C, besides what brings C itself to 0.
    pub target: Real,
    /// Which impulses it may have.
    pub bound: Bound,
    /// How hard it is.
    pub stiffness: Stiffness,
    /// Share of the approach speed with which a row of bound [`Bound::Push`] bounces back.
    pub restitution: Real,
    /// λ: where the next solve starts. Constraints leave it alone; it belongs to the method.
    pub impulse: Real,
}

impl Row {
    /// Asks for nothing.
    pub const IDLE: Self = Self {
        jacobian: Jacobian::ZERO,
        error: 0.0,
        target: 0.0,
        bound: Bound::Equal,
        stiffness: Stiffness::Method,
        restitution: 0.0,
        impulse: 0.0,
    };

    /// C = 0
    #[inline]
    pub fn equal(jacobian: Jacobian, error: Real) -> Self {
        Self { jacobian, error, ..Self::IDLE }
    }

    /// C >= 0
    #[inline]
    pub fn push(jacobian: Jacobian, error: Real) -> Self {
        Self { jacobian, error, bound: Bound::Push, ..Self::IDLE }
    }

    /// Ċ = speed, with at most this force.
    #[inline]
    pub fn motor(jacobian: Jacobian, speed: Real, max_force: Real) -> Self {
        Self { jacobian, target: speed, ..Self::IDLE }.bounded(max_force)
    }

    /// This row with at most this force.
    #[inline]
    #[must_use]
    pub fn bounded(mut self, max_force: Real) -> Self {
        self.bound = Bound::Force(max_force);
        self
    }

    /// This row with this stiffness.
    #[inline]
    #[must_use]
    pub fn stiff(mut self, stiffness: Stiffness) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// It asks for nothing.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.jacobian == Jacobian::ZERO
    }

    /// The smallest and the largest impulse over a step of `h`, given the rows of its constraint.
    pub fn limits(&self, h: Real, rows: &[Self]) -> (Real, Real) {
        match self.bound {
            Bound::Equal => (-Real::MAX, Real::MAX),
            Bound::Push => (0.0, Real::MAX),
            Bound::Force(f) => (-f * h, f * h),
            Bound::Friction { of, coefficient } => {
                let most = coefficient * rows.get(of as usize).map_or(0.0, |r| Num::max(r.impulse, 0.0));
                (-most, most)
            }
        }
    }
}

/// The rows of constraints, in memory that is used again.
///
/// ```
/// use tumble::constraint::{Jacobian, Row, Rows};
/// use tumble::math::Vec3;
/// let mut rows = Rows::default();
/// for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
///     rows.push(Row::equal(Jacobian::turning(axis), 0.0));
/// }
/// rows.as_mut_slice()[0].target = 2.0;
/// rows.truncate(2);
/// assert_eq!((rows.len(), rows.as_slice()[0].target), (2, 2.0));
/// rows.clear();
/// assert!(rows.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Rows(Vec<Row>);

impl Rows {
    /// Rows that one constraint may have.
    pub const MAX: usize = 24;

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, row: Row) {
        self.0.push(row);
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all rows but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// Forgets all rows and keeps their memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The rows in the order in which they were added.
    pub fn as_slice(&self) -> &[Row] {
        &self.0
    }

    /// The rows, to change.
    pub fn as_mut_slice(&mut self) -> &mut [Row] {
        &mut self.0
    }
}
