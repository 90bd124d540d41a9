//! Spatial (6-D) algebra: motions, wrenches and inertias of rigid and articulated bodies.
//!
//! After Featherstone, *Rigid Body Dynamics Algorithms* (2008), chapter 2: angular parts come first, everything refers to the
//! origin O of one frame, and motions and wrenches are different things that only meet in power.
//!
//! | symbol | is | type |
//! |---|---|---|
//! | v = \[ω; v_O\] | velocity: of rotation, and of the body-fixed point that passes O | [`Motion`] |
//! | f = \[n_O; f\] | wrench, momentum: moment about O, and force | [`Wrench`] |
//! | v·f = ω·n + v·f | power | [`Motion::dot`] |
//! | v ×, v ×* | rates of change of motions and wrenches that move along with v | [`Motion::cross`], [`Motion::cross_wrench`] |
//! | I = \[\[I_O, h×\], \[-h×, m 1\]\] | inertia: m, h = m c, I_O about O | [`SpatialInertia`] |
//! | Iᴬ = \[\[I, H\], \[Hᵀ, M\]\] | what a body seems to weigh with all that hangs on its joints | [`ArticulatedInertia`] |
//! | X | change of frame | [`Transform`] |
//!
//! 001-37 stacks wrenches as \[force; torque\], so that one matrix serves both kinds; here the types keep them apart. Its spatial
//! transpose is [`Motion::dot`], and a joint's axis is the [`Motion`] that it allows: the angular part of a revolute joint,
//! the linear part of a prismatic one (table 3.2 there has them the other way round).
//!
//! The algebra is generic over [`Num`], so that eight trees can be computed side by side in lanes.

use super::dense::{Matrix, solve_semidefinite_weighted};
use super::{Float, Mat3, Num, Pose, Real, Sym3, Vec3};
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A velocity, an acceleration, or the axis of a joint: \[ω; v_O\].
///
/// ```
/// use tumble::math::{Vec3, spatial::Motion};
/// // Turning about a vertical axis through (1, 0, 0): that point stands still.
/// let m = Motion::turning(Vec3::new(0.0, 2.0, 0.0), Vec3::X);
/// assert_eq!(m.velocity_at(Vec3::X), Vec3::ZERO);
/// assert_eq!(m.velocity_at(Vec3::ZERO), Vec3::new(0.0, 0.0, 2.0));
/// ```
///
/// ```
/// use tumble::math::{Vec3, spatial::{Motion, Wrench}};
/// let spin = Motion::turning(Vec3::new(0.0, 2.0, 0.0), Vec3::ZERO);
/// let push = Wrench::at(Vec3::X, Vec3::Z);
/// // Moving along with the spin changes a wrench as it changes a motion: their power stays as it is.
/// let power = spin.cross(spin).dot(push) + spin.dot(spin.cross_wrench(push));
/// assert_eq!(power, 0.0);
/// // On a circle at constant speed: ω² r inwards.
/// assert_eq!(Motion::ZERO.acceleration_at(spin, Vec3::X), Vec3::new(-4.0, 0.0, 0.0));
/// assert!(spin.is_finite() && push.is_finite());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Motion<T = Real> {
    /// Of rotation.
    pub angular: Vec3<T>,
    /// Of the body-fixed point that passes the origin.
    pub linear: Vec3<T>,
}

/// A force with its moment, or a momentum: \[n_O; f\].
///
/// ```
/// use tumble::math::{Vec3, spatial::Wrench};
/// let w = Wrench::at(Vec3::new(0.0, 3.0, 0.0), Vec3::new(2.0, 0.0, 0.0));
/// assert_eq!(w.torque, Vec3::new(0.0, 0.0, 6.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Wrench<T = Real> {
    /// Moment about the origin.
    pub torque: Vec3<T>,
    /// Force.
    pub force: Vec3<T>,
}

macro_rules! six_vector {
    ($name:ident, $angular:ident, $linear:ident) => {
        impl<T: Num> $name<T> {
            /// All zeros.
            pub const ZERO: Self = Self { $angular: Vec3::ZERO, $linear: Vec3::ZERO };

            /// The vector of these two parts.
            #[inline(always)]
            pub const fn new($angular: Vec3<T>, $linear: Vec3<T>) -> Self {
                Self { $angular, $linear }
            }

            /// The six components, angular ones first.
            #[inline(always)]
            pub fn to_array(self) -> [T; 6] {
                let (a, l) = (self.$angular, self.$linear);
                [a.x, a.y, a.z, l.x, l.y, l.z]
            }
        }

        impl<T> From<[T; 6]> for $name<T> {
            #[inline(always)]
            fn from([ax, ay, az, lx, ly, lz]: [T; 6]) -> Self {
                Self { $angular: Vec3 { x: ax, y: ay, z: az }, $linear: Vec3 { x: lx, y: ly, z: lz } }
            }
        }

        impl<T: Float> $name<T> {
            /// All components are finite.
            pub fn is_finite(self) -> bool {
                self.$angular.is_finite() && self.$linear.is_finite()
            }
        }

        impl<T: Num> Add for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self { $angular: self.$angular + o.$angular, $linear: self.$linear + o.$linear }
            }
        }

        impl<T: Num> Sub for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                Self { $angular: self.$angular - o.$angular, $linear: self.$linear - o.$linear }
            }
        }

        impl<T: Num> Neg for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self { $angular: -self.$angular, $linear: -self.$linear }
            }
        }

        impl<T: Num> Mul<T> for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, t: T) -> Self {
                Self { $angular: self.$angular * t, $linear: self.$linear * t }
            }
        }

        impl<T: Num> AddAssign for $name<T> {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }

        impl<T: Num> SubAssign for $name<T> {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
    };
}

six_vector!(Motion, angular, linear);
six_vector!(Wrench, torque, force);

impl<T: Num> Motion<T> {
    /// Rotation with angular velocity `omega` about an axis through `point`: \[ω; p × ω\].
    #[inline(always)]
    pub fn turning(omega: Vec3<T>, point: Vec3<T>) -> Self {
        Self { angular: omega, linear: point.cross(omega) }
    }

    /// Translation alone.
    #[inline(always)]
    pub fn sliding(velocity: Vec3<T>) -> Self {
        Self { angular: Vec3::ZERO, linear: velocity }
    }

    /// The power of a wrench on this motion: ω·n + v·f.
    #[inline(always)]
    pub fn dot(self, w: Wrench<T>) -> T {
        self.angular.dot(w.torque) + self.linear.dot(w.force)
    }

    /// v × m = \[ω × m_ω; ω × m_v + v × m_ω\]: the rate at which m changes by moving along with v.
    #[inline(always)]
    pub fn cross(self, m: Self) -> Self {
        Self {
            angular: self.angular.cross(m.angular),
            linear: self.angular.cross(m.linear) + self.linear.cross(m.angular),
        }
    }

    /// v ×* f = \[ω × n + v × f; ω × f\]: the same for a wrench. (v ×*) = -(v ×)ᵀ, so that power changes by neither.
    #[inline(always)]
    pub fn cross_wrench(self, w: Wrench<T>) -> Wrench<T> {
        Wrench { torque: self.angular.cross(w.torque) + self.linear.cross(w.force), force: self.angular.cross(w.force) }
    }

    /// The velocity of the body-fixed point at p: v + ω × p (003-03).
    #[inline(always)]
    pub fn velocity_at(self, p: Vec3<T>) -> Vec3<T> {
        self.linear + self.angular.cross(p)
    }

    /// The acceleration of the body-fixed point at p, where `self` is the body's spatial acceleration and `velocity` its
    /// velocity: a + α × p + ω × (v + ω × p).
    ///
    /// The linear part of a spatial acceleration is the rate of v at a place, through which other points of the body pass; the
    /// last term brings it to a point of the body. With ω, α, and a point's own a and r it is 003-03.
    #[inline(always)]
    pub fn acceleration_at(self, velocity: Self, p: Vec3<T>) -> Vec3<T> {
        self.velocity_at(p) + velocity.angular.cross(velocity.velocity_at(p))
    }
}

impl<T: Num> Wrench<T> {
    /// A force that acts at a point: \[p × f; f\].
    #[inline(always)]
    pub fn at(force: Vec3<T>, point: Vec3<T>) -> Self {
        Self { torque: point.cross(force), force }
    }

    /// A torque alone.
    #[inline(always)]
    pub fn turning(torque: Vec3<T>) -> Self {
        Self { torque, force: Vec3::ZERO }
    }

    /// The power on a motion; the same as [`Motion::dot`].
    #[inline(always)]
    pub fn dot(self, m: Motion<T>) -> T {
        m.dot(self)
    }
}

/// Where a frame B lies in a frame A, and so how to take things of B to A: R turns B's coordinates to A's, p is B's origin in A.
///
/// [`Pose`] with its rotation as a matrix, which pays where many things go through one transform.
///
/// ```
/// use tumble::math::{Vec3, spatial::{Motion, Transform}};
/// let x = Transform::from_translation(Vec3::new(1.0, 0.0, 0.0));
/// // A turn about B's origin moves A's.
/// let m = x.transform_motion(Motion::new(Vec3::Z, Vec3::ZERO));
/// assert_eq!(m.linear, Vec3::new(0.0, -1.0, 0.0));
/// ```
///
/// ```
/// use tumble::math::{Sym3, Vec3, spatial::{ArticulatedInertia, Motion, SpatialInertia, Transform, Wrench}};
/// let x = Transform::from_translation(Vec3::new(1.0, 2.0, 3.0));
/// let (v, f) = (Motion::turning(Vec3::Y, Vec3::X), Wrench::at(Vec3::Z, Vec3::ZERO));
/// assert_eq!(x.inverse_transform_motion(x.transform_motion(v)), v);
/// assert_eq!(x.inverse_transform_wrench(x.transform_wrench(f)), f);
/// // Power does not depend on the frame, nor does energy.
/// assert_eq!(x.transform_motion(v).dot(x.transform_wrench(f)), v.dot(f));
/// let ball = SpatialInertia::about_centre(2.0, Vec3::ZERO, Sym3::diagonal(Vec3::all(0.5)));
/// let moved = x.transform_inertia(ball);
/// assert_eq!(moved.centre(), Some(Vec3::new(1.0, 2.0, 3.0)));
/// assert_eq!(moved.kinetic_energy(x.transform_motion(v)), ball.kinetic_energy(v));
/// let articulated = x.transform_articulated(ArticulatedInertia::from(ball));
/// assert_eq!(articulated, ArticulatedInertia::from(moved));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Transform<T = Real> {
    /// R, from B's coordinates to A's.
    pub rotation: Mat3<T>,
    /// p, the origin of B in A.
    pub translation: Vec3<T>,
}

impl<T: Num> Default for Transform<T> {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<Pose> for Transform<Real> {
    fn from(pose: Pose) -> Self {
        Self { rotation: pose.rotation.to_mat3(), translation: pose.translation }
    }
}

impl<T: Num> Transform<T> {
    /// The same frame.
    pub const IDENTITY: Self = Self { rotation: Mat3::IDENTITY, translation: Vec3::ZERO };

    /// The transform of this rotation and translation.
    #[inline(always)]
    pub const fn new(rotation: Mat3<T>, translation: Vec3<T>) -> Self {
        Self { rotation, translation }
    }

    /// Shifted, not turned.
    #[inline(always)]
    pub const fn from_translation(translation: Vec3<T>) -> Self {
        Self { rotation: Mat3::IDENTITY, translation }
    }

    /// From A to B.
    #[inline(always)]
    pub fn inverse(&self) -> Self {
        Self { rotation: self.rotation.transpose(), translation: -self.rotation.transpose_mul(self.translation) }
    }

    /// R x + p
    #[inline(always)]
    pub fn transform_point(&self, x: Vec3<T>) -> Vec3<T> {
        self.rotation * x + self.translation
    }

    /// B to A: \[R ω; R v + p × R ω\].
    #[inline(always)]
    pub fn transform_motion(&self, m: Motion<T>) -> Motion<T> {
        let angular = self.rotation * m.angular;
        Motion { angular, linear: self.rotation * m.linear + self.translation.cross(angular) }
    }

    /// A to B: \[Rᵀ ω; Rᵀ (v - p × ω)\].
    #[inline(always)]
    pub fn inverse_transform_motion(&self, m: Motion<T>) -> Motion<T> {
        Motion {
            angular: self.rotation.transpose_mul(m.angular),
            linear: self.rotation.transpose_mul(m.linear - self.translation.cross(m.angular)),
        }
    }

    /// B to A: \[R n + p × R f; R f\].
    #[inline(always)]
    pub fn transform_wrench(&self, w: Wrench<T>) -> Wrench<T> {
        let force = self.rotation * w.force;
        Wrench { torque: self.rotation * w.torque + self.translation.cross(force), force }
    }

    /// A to B: \[Rᵀ (n - p × f); Rᵀ f\].
    #[inline(always)]
    pub fn inverse_transform_wrench(&self, w: Wrench<T>) -> Wrench<T> {
        Wrench {
            torque: self.rotation.transpose_mul(w.torque - self.translation.cross(w.force)),
            force: self.rotation.transpose_mul(w.force),
        }
    }

    /// B to A. With h turned to R h: m, h + m p, and R I Rᵀ + 2 (h·p) 1 - h pᵀ - p hᵀ + m (|p|² 1 - p pᵀ), which is the parallel axis
    /// theorem twice, from B's origin to the centre of mass and on to A's.
    #[inline(always)]
    pub fn transform_inertia(&self, i: SpatialInertia<T>) -> SpatialInertia<T> {
        let (h, p) = (self.rotation * i.moment, self.translation);
        let turned = i.inertia.rotated(&self.rotation);
        // The inertia of two unit point masses and their mixed terms: S(h + p) - S(h) - S(p) with S(r) = |r|² 1 - r rᵀ.
        let (hx, hy, hz) = (h.x * p.x, h.y * p.y, h.z * p.z);
        let mixed = Sym3 {
            xx: (hy + hz) + (hy + hz),
            yy: (hx + hz) + (hx + hz),
            zz: (hx + hy) + (hx + hy),
            xy: -(h.x * p.y + h.y * p.x),
            xz: -(h.x * p.z + h.z * p.x),
            yz: -(h.y * p.z + h.z * p.y),
        };
        SpatialInertia { mass: i.mass, moment: h + p * i.mass, inertia: turned + mixed + Sym3::point_mass(p) * i.mass }
    }

    /// B to A: the congruence X* Iᴬ X⁻¹. With I, H, M turned to R I Rᵀ, R H Rᵀ, R M Rᵀ, and P = p×:
    ///
    /// M' = M,  H' = H + P M,  I' = I + K + Kᵀ  with  K = P (H + ½ P M)ᵀ,
    ///
    /// which is Featherstone's I - H P + P Hᵀ - P M P in a form that is symmetric to the bit.
    #[inline(always)]
    pub fn transform_articulated(&self, a: ArticulatedInertia<T>) -> ArticulatedInertia<T> {
        let r = &self.rotation;
        let (angular, linear) = (a.angular.rotated(r), a.linear.rotated(r));
        let coupling = *r * a.coupling * r.transpose();
        let shift = cross_columns(self.translation, &linear.to_mat3());
        let k = cross_columns(self.translation, &(coupling + shift * T::splat(0.5)).transpose());
        let sum = Sym3 {
            xx: k.x.x + k.x.x,
            yy: k.y.y + k.y.y,
            zz: k.z.z + k.z.z,
            xy: k.x.y + k.y.x,
            xz: k.x.z + k.z.x,
            yz: k.y.z + k.z.y,
        };
        ArticulatedInertia { angular: angular + sum, coupling: coupling + shift, linear }
    }
}

/// p× M
#[inline(always)]
fn cross_columns<T: Num>(p: Vec3<T>, m: &Mat3<T>) -> Mat3<T> {
    Mat3::from_columns(p.cross(m.x), p.cross(m.y), p.cross(m.z))
}

impl<T: Num> Mul for Transform<T> {
    type Output = Self;
    /// C to A from B to A (`self`) and C to B.
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { rotation: self.rotation * o.rotation, translation: self.transform_point(o.translation) }
    }
}

/// The inertia of a rigid body about the origin of a frame: m, h = m c, and I_O.
///
/// ```
/// use tumble::math::{Sym3, Vec3, spatial::{Motion, SpatialInertia}};
/// let ball = SpatialInertia::about_centre(2.0, Vec3::X, Sym3::diagonal(Vec3::all(0.5)));
/// // Turning about the origin: ½ (I + m r²) ω².
/// assert_eq!(ball.kinetic_energy(Motion::turning(Vec3::Z, Vec3::ZERO)), 0.5 * (0.5 + 2.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct SpatialInertia<T = Real> {
    /// m
    pub mass: T,
    /// h = m c, the first moment.
    pub moment: Vec3<T>,
    /// I_O, the tensor about the origin, not about the centre of mass.
    pub inertia: Sym3<T>,
}

impl<T: Num> SpatialInertia<T> {
    /// No mass at all.
    pub const ZERO: Self = Self { mass: T::ZERO, moment: Vec3::ZERO, inertia: Sym3::ZERO };

    /// From mass, centre of mass and the tensor about that centre: I_O = I_c + m (|c|² 1 - c cᵀ).
    #[inline(always)]
    pub fn about_centre(mass: T, centre: Vec3<T>, inertia: Sym3<T>) -> Self {
        Self { mass, moment: centre * mass, inertia: inertia + Sym3::point_mass(centre) * mass }
    }

    /// ½ v·(I v)
    #[inline(always)]
    pub fn kinetic_energy(self, v: Motion<T>) -> T {
        v.dot(self * v) * T::splat(0.5)
    }

    /// v ×* (I v): what inertia asks for at constant body velocity, the gyroscopic torque among it. The equation of motion is
    /// f = I a + v ×* I v.
    ///
    /// ```
    /// use tumble::math::{Sym3, Vec3, spatial::{Motion, SpatialInertia}};
    /// let plate = SpatialInertia::about_centre(1.0, Vec3::ZERO, Sym3::diagonal(Vec3::new(1.0, 2.0, 3.0)));
    /// let spin = Motion::turning(Vec3::new(1.0, 1.0, 0.0), Vec3::ZERO);
    /// assert_eq!(plate.bias(spin).torque, Vec3::new(0.0, 0.0, 1.0)); // ω × I ω
    /// ```
    #[inline(always)]
    pub fn bias(self, v: Motion<T>) -> Wrench<T> {
        v.cross_wrench(self * v)
    }
}

impl<T: Float> SpatialInertia<T> {
    /// The centre of mass, or `None` where there is no mass.
    pub fn centre(self) -> Option<Vec3<T>> {
        (self.mass > T::ZERO).then(|| self.moment / self.mass).filter(|c| c.is_finite())
    }
}

impl<T: Num> Mul<Motion<T>> for SpatialInertia<T> {
    type Output = Wrench<T>;
    /// Momentum: \[I ω + h × v; m v - h × ω\].
    #[inline(always)]
    fn mul(self, v: Motion<T>) -> Wrench<T> {
        Wrench {
            torque: self.inertia * v.angular + self.moment.cross(v.linear),
            force: v.linear * self.mass - self.moment.cross(v.angular),
        }
    }
}

impl<T: Num> Add for SpatialInertia<T> {
    type Output = Self;
    /// Of both bodies stuck together.
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { mass: self.mass + o.mass, moment: self.moment + o.moment, inertia: self.inertia + o.inertia }
    }
}

/// The inertia that a body seems to have with all that hangs on it by joints: \[\[I, H\], \[Hᵀ, M\]\], symmetric and positive
/// semi-definite, but with a mass M that may differ by direction.
///
/// ```
/// use tumble::math::{Sym3, Vec3, spatial::{ArticulatedInertia, Motion, SpatialInertia}};
/// // A ball on a slide along x: pushed along x, the parent feels nothing of it.
/// let ball = ArticulatedInertia::from(SpatialInertia::about_centre(2.0, Vec3::ZERO, Sym3::ZERO));
/// let rest = ball.without(Motion::sliding(Vec3::X)).unwrap();
/// assert_eq!((rest * Motion::sliding(Vec3::X)).force, Vec3::ZERO);
/// assert_eq!((rest * Motion::sliding(Vec3::Y)).force, Vec3::new(0.0, 2.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ArticulatedInertia<T = Real> {
    /// I: torque per angular acceleration.
    pub angular: Sym3<T>,
    /// H: torque per linear acceleration; its transpose is force per angular acceleration.
    pub coupling: Mat3<T>,
    /// M: force per linear acceleration.
    pub linear: Sym3<T>,
}

impl<T: Num> From<SpatialInertia<T>> for ArticulatedInertia<T> {
    #[inline(always)]
    fn from(i: SpatialInertia<T>) -> Self {
        Self { angular: i.inertia, coupling: Mat3::skew(i.moment), linear: Sym3::diagonal(Vec3::all(i.mass)) }
    }
}

impl<T: Num> ArticulatedInertia<T> {
    /// No inertia at all.
    pub const ZERO: Self = Self { angular: Sym3::ZERO, coupling: Mat3::ZERO, linear: Sym3::ZERO };

    /// Iᴬ - u uᵀ / d: what is left when a joint of axis s gives way, u = Iᴬ s, d = s·u (+ the joint's own inertia);
    /// `inverse` is 1 / d. A joint of several degrees of freedom is eliminated one after the other, each with the u of what
    /// the one before has left.
    ///
    /// ```
    /// use tumble::math::{Sym3, Vec3, spatial::{ArticulatedInertia, Motion, SpatialInertia}};
    /// let body = SpatialInertia::about_centre(2.0, Vec3::ZERO, Sym3::diagonal(Vec3::all(1.0)));
    /// let whole = ArticulatedInertia::from(body);
    /// let slider = Motion::new(Vec3::ZERO, Vec3::X);
    /// let u = whole * slider;
    /// let left = whole.reduced(u, 1.0 / slider.dot(u));
    /// // Along the slide the body weighs nothing any more, across it as before.
    /// assert_eq!((left.to_rows()[3][3], left.to_rows()[4][4]), (0.0, 2.0));
    /// ```
    #[inline(always)]
    pub fn reduced(self, u: Wrench<T>, inverse: T) -> Self {
        let (n, f) = (u.torque * inverse, u.force * inverse);
        Self {
            angular: self.angular - symmetric_outer(u.torque, n),
            coupling: self.coupling - Mat3::outer(u.torque, f),
            linear: self.linear - symmetric_outer(u.force, f),
        }
    }
}

/// a bᵀ for b along a.
#[inline(always)]
fn symmetric_outer<T: Num>(a: Vec3<T>, b: Vec3<T>) -> Sym3<T> {
    Sym3 { xx: a.x * b.x, yy: a.y * b.y, zz: a.z * b.z, xy: a.x * b.y, xz: a.x * b.z, yz: a.y * b.z }
}

impl<T: Float> ArticulatedInertia<T> {
    /// What is left when a joint of axis `s` gives way freely; `None` where nothing resists along it, so that a force would
    /// give it an infinite acceleration.
    pub fn without(self, s: Motion<T>) -> Option<Self> {
        let u = self * s;
        let inverse = T::ONE / s.dot(u);
        (inverse > T::ZERO && inverse.is_finite()).then(|| self.reduced(u, inverse))
    }

    /// The entries by rows, angular ones first.
    pub fn to_rows(self) -> Matrix<T, 6, 6> {
        let mut rows = [[T::ZERO; 6]; 6];
        let (i, h, m) = (self.angular.to_rows(), self.coupling.transpose(), self.linear.to_rows());
        let h = [h.x.to_array(), h.y.to_array(), h.z.to_array()];
        for r in 0..3 {
            for c in 0..3 {
                rows[r][c] = i[r][c];
                rows[r][3 + c] = h[r][c];
                rows[3 + c][r] = h[r][c];
                rows[3 + r][3 + c] = m[r][c];
            }
        }
        rows
    }

    /// The acceleration a with Iᴬ a = w. Directions in which nothing resists get none: of all that leave the least error the
    /// smallest, angular and linear parts measured by what resists them, so that the answer is the same in any unit of length
    /// and any orientation of the axes.
    pub fn solve(self, w: Wrench<T>) -> Motion<T> {
        let weight = |s: Sym3<T>| {
            let size = s.trace().sqrt();
            if size > T::ZERO && size.is_finite() { size } else { T::ONE }
        };
        let (a, l) = (weight(self.angular), weight(self.linear));
        solve_semidefinite_weighted(&self.to_rows(), w.to_array(), [a, a, a, l, l, l]).into()
    }
}

impl<T: Num> Mul<Motion<T>> for ArticulatedInertia<T> {
    type Output = Wrench<T>;
    /// \[I ω + H v; Hᵀ ω + M v\]
    #[inline(always)]
    fn mul(self, v: Motion<T>) -> Wrench<T> {
        Wrench {
            torque: self.angular * v.angular + self.coupling * v.linear,
            force: self.coupling.transpose_mul(v.angular) + self.linear * v.linear,
        }
    }
}

impl<T: Num> Add for ArticulatedInertia<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { angular: self.angular + o.angular, coupling: self.coupling + o.coupling, linear: self.linear + o.linear }
    }
}

impl<T: Num> AddAssign for ArticulatedInertia<T> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
