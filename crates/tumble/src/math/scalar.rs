//! The numbers everything is made of.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// The precision in which bodies are solved: `f32` in `tumble`, `f64` in `tumble-f64`.
#[cfg(not(tumble_f64))]
pub type Real = f32;
/// The precision in which bodies are solved: `f32` in `tumble`, `f64` in `tumble-f64`.
#[cfg(tumble_f64)]
pub type Real = f64;

/// What vectors and matrices need of their components: a plain number or a lane of them.
///
/// `min` and `max` return the *second* operand when the comparison is false (equal, signed zeros, NaN), which is what
/// the vector units do; so a lane and a scalar agree to the bit.
///
/// ```
/// use tumble::math::{Num, Vec3};
/// assert_eq!(Num::sqrt(9.0), 3.0);
/// assert_eq!((Num::abs(-2.0), Num::min(1.0, 2.0), Num::max(1.0, 2.0)), (2.0, 1.0, 2.0));
/// // The second operand, not the number, where one is NaN.
/// assert!(Num::max(1.0, f64::NAN).is_nan() && Num::max(f64::NAN, 1.0) == 1.0);
/// assert_eq!(Vec3::all(<f64 as Num>::splat(2.0)), Vec3::new(2.0, 2.0, 2.0));
/// ```
pub trait Num:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// The same value in every lane, rounded to the component's precision.
    fn splat(value: Real) -> Self;
    /// Correctly rounded square root.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// `if self < other { self } else { other }`
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`
    fn max(self, other: Self) -> Self;
}

/// A plain floating-point number, `f32` or `f64`, with functions whose results are the same bits on every machine.
///
/// ```
/// use tumble::math::Float;
/// assert_eq!(Float::sin(0.5_f64), 0.479_425_538_604_203);
/// ```
///
/// ```
/// use tumble::math::Float;
/// // On a plain number, `x.sin()` is the method of `std`. In code that must have the same bits everywhere, write these.
/// assert!((Float::sin(0.3_f64).powi(2) + Float::cos(0.3_f64).powi(2) - 1.0).abs() < 1e-15);
/// assert!((Float::tan(Float::atan2(1.0_f64, 2.0)) - 0.5).abs() < 1e-15);
/// assert_eq!((Float::asin(7.0_f64), Float::acos(7.0_f64)), (f64::PI / 2.0, 0.0)); // clamped
/// assert!((Float::exp(Float::ln(3.0_f64)) - Float::powf(9.0_f64, 0.5)).abs() < 1e-15);
/// assert_eq!((Float::floor(2.5_f64), Float::ceil(2.5_f64)), (2.0, 3.0));
/// assert_eq!((Float::copysign(2.0_f64, -0.0), Float::clamp(5.0_f64, 0.0, 1.0)), (-2.0, 1.0));
/// // For code that is generic over the precision.
/// fn double<T: Float>(x: T) -> T {
///     T::from_f64(x.to_f64() * 2.0)
/// }
/// assert!(double(2.0_f32) == 4.0 && Float::is_finite(double(1e300)));
/// ```
pub trait Float: Num + PartialOrd + PartialEq + Default + 'static {
    /// 1/2
    const HALF: Self;
    /// 2
    const TWO: Self;
    /// Distance from 1 to the next number.
    const EPSILON: Self;
    /// Largest finite number.
    const MAX: Self;
    /// The circle constant.
    const PI: Self;
    /// Rounds from double precision.
    fn from_f64(value: f64) -> Self;
    /// Widens to double precision.
    fn to_f64(self) -> f64;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// Sine of an angle in radians.
    fn sin(self) -> Self;
    /// Cosine of an angle in radians.
    fn cos(self) -> Self;
    /// Tangent of an angle in radians.
    fn tan(self) -> Self;
    /// Arc sine; the argument is clamped to [-1, 1].
    fn asin(self) -> Self;
    /// Arc cosine; the argument is clamped to [-1, 1].
    fn acos(self) -> Self;
    /// Angle of the point (`x`, `self`).
    fn atan2(self, x: Self) -> Self;
    /// e to this power.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// This number to the given power.
    fn powf(self, exponent: Self) -> Self;
    /// Largest whole number not above.
    fn floor(self) -> Self;
    /// Smallest whole number not below.
    fn ceil(self) -> Self;
    /// Magnitude of `self`, sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// Limits to [`low`, `high`].
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
}

macro_rules! float {
    ($t:ty, $sin:ident, $cos:ident, $tan:ident, $asin:ident, $acos:ident, $atan2:ident, $exp:ident, $ln:ident, $pow:ident,
     $floor:ident, $ceil:ident) => {
        impl Num for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn splat(value: Real) -> Self {
                value as $t
            }
            // The hardware square root is correctly rounded on every target, unlike any other function of `std`.
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
        }

        impl Float for $t {
            const HALF: Self = 0.5;
            const TWO: Self = 2.0;
            const EPSILON: Self = <$t>::EPSILON;
            const MAX: Self = <$t>::MAX;
            const PI: Self = core::f64::consts::PI as $t;
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }
            fn sin(self) -> Self {
                libm::$sin(self)
            }
            fn cos(self) -> Self {
                libm::$cos(self)
            }
            fn tan(self) -> Self {
                libm::$tan(self)
            }
            fn asin(self) -> Self {
                libm::$asin(Float::clamp(self, -1.0, 1.0))
            }
            fn acos(self) -> Self {
                libm::$acos(Float::clamp(self, -1.0, 1.0))
            }
            fn atan2(self, x: Self) -> Self {
                libm::$atan2(self, x)
            }
            fn exp(self) -> Self {
                libm::$exp(self)
            }
            fn ln(self) -> Self {
                libm::$ln(self)
            }
            fn powf(self, exponent: Self) -> Self {
                libm::$pow(self, exponent)
            }
            #[inline]
            fn floor(self) -> Self {
                libm::$floor(self)
            }
            #[inline]
            fn ceil(self) -> Self {
                libm::$ceil(self)
            }
            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                <$t>::copysign(self, sign)
            }
        }
    };
}

float!(f32, sinf, cosf, tanf, asinf, acosf, atan2f, expf, logf, powf, floorf, ceilf);
float!(f64, sin, cos, tan, asin, acos, atan2, exp, log, pow, floor, ceil);
