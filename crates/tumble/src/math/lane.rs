//! Lanes: one number, or several side by side in a vector register, under one name.
//!
//! A kernel is written once over `L: Lane` and compiled for each instruction set; [`Isa::dispatch`] runs the widest one
//! that the machine has. All forms compute the same bits: every operation here is one IEEE 754 operation per lane,
//! correctly rounded (no reciprocal or square-root estimates, nothing fused, no flush to zero), and there is no sum across
//! lanes, whose order would depend on the width. Only the sign and payload of a NaN may differ between processors.

// The baseline only where a target has no vectors that we know; the measure of every width in the tests.
#[allow(dead_code)]
mod portable;
#[allow(unused_macros, unused_imports)]
mod register;
mod scalar;

// Whether an intrinsic is safe to call depends on what the target has anyway; the lanes' one implementation always asks.
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)]
mod avx2;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
#[allow(unused_unsafe)]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unused_unsafe)]
mod simd128;
#[cfg(target_arch = "x86_64")]
#[allow(unused_unsafe)]
mod sse2;

#[cfg(test)]
mod tests;

use super::{Num, Packed, Quat, Real, Vec3};
use crate::error::{Error, Result};
use core::fmt::{self, Debug};
use core::hint::select_unpredictable;
use core::ops::{BitAnd, BitOr, Not};

core::cfg_select! {
    target_arch = "x86_64" => {
        pub(crate) use sse2::Sse2 as Baseline;
        const BASELINE: &str = "sse2";
    }
    all(target_arch = "aarch64", target_feature = "neon") => {
        pub(crate) use neon::Neon as Baseline;
        const BASELINE: &str = "neon";
    }
    all(target_arch = "wasm32", target_feature = "simd128") => {
        pub(crate) use simd128::Simd128 as Baseline;
        const BASELINE: &str = "simd128";
    }
    _ => {
        pub(crate) type Baseline = portable::Portable<{ LANES / 2 }>;
        const BASELINE: &str = "array";
    }
}

/// The widest lane of any instruction set. Every [`Lane::WIDTH`] divides it, so data kept in blocks of this many numbers is
/// laid out alike on every machine.
#[cfg(not(tumble_f64))]
pub const LANES: usize = 8;
/// The widest lane of any instruction set. Every [`Lane::WIDTH`] divides it, so data kept in blocks of this many numbers is
/// laid out alike on every machine.
#[cfg(tumble_f64)]
pub const LANES: usize = 4;

/// The row index that stands for no row: it reads zeros, and what is written to it is dropped.
pub const NO_ROW: u32 = u32::MAX;

/// A [`Real`], or several in a vector register that take part in every operation together.
///
/// Functions that handle lanes must be `#[inline(always)]`, or they are compiled for the baseline and pass registers through
/// memory: correct, but slow. Closures and `array::map` over lanes fall under this too; write loops.
///
/// The trait is sealed: a wide type may only be reached through [`Isa::dispatch`], which knows that the processor has it.
///
/// ```
/// use tumble::math::{LANES, Lane, Mask, NO_ROW, Num, Real};
///
/// /// x limited to 0..1, with the sign of x; zero where x is NaN. Works on any lane.
/// fn soften<L: Lane>(x: L) -> L {
///     let size = L::select(x.equal(x), x.abs(), L::ZERO);
///     size.limit(L::ZERO, L::ONE).copysign(x)
/// }
/// // A plain number is a lane of width 1.
/// assert_eq!((Real::WIDTH, soften::<Real>(-3.0), soften::<Real>(0.25)), (1, -1.0, 0.25));
/// assert_eq!(<Real as Lane>::lane(4.0, 0), 4.0);
///
/// /// How many of four comparisons hold, lane by lane.
/// fn compare<L: Lane>(a: L, b: L) -> u32 {
///     let masks = [a.less(b), a.less_eq(b), a.greater(b) | a.greater_eq(b), a.not_equal(b)];
///     masks.iter().filter(|mask| mask.any()).count() as u32
/// }
/// assert_eq!(compare::<Real>(1.0, 2.0), 3);
///
/// // Rows of an array to columns of lanes, and back. Rows that do not exist read zeros.
/// let mut rows = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]];
/// let [a, b, ..]: [Real; 4] = Lane::load_transposed(&rows, &[1]);
/// assert_eq!((a, b), (5.0, 6.0));
/// assert_eq!(<Real as Lane>::load_columns::<4, 4>(&rows, 0, &[NO_ROW]), [0.0; 4]);
/// <Real as Lane>::store_transposed([9.0; 4], &mut rows, &[0]);
/// <Real as Lane>::store_columns::<4, 4>([0.0; 4], &mut rows, 0, &[1]);
/// assert_eq!(rows, [[9.0; 4], [0.0; 4]]);
/// // For solvers whose threads share the array:
/// // SAFETY: the array is alive, and nobody else reads or writes it.
/// let first: [Real; 4] = unsafe { Lane::gather(rows.as_ptr(), rows.len(), 0, &[0]) };
/// // SAFETY: as above.
/// unsafe { <Real as Lane>::scatter(first, rows.as_mut_ptr(), rows.len(), 0, &[1]) };
/// assert_eq!(rows[1], [9.0; 4]);
/// ```
pub trait Lane: Num + sealed::Sealed {
    /// How many numbers stand side by side.
    const WIDTH: usize;
    /// One truth value per number.
    type Mask: Mask;
    /// A vector of three doubles, as this instruction set does it.
    type Packed: Packed;

    /// The first [`Lane::WIDTH`] numbers of the slice.
    ///
    /// # Panics
    /// If the slice is shorter.
    fn load(values: &[Real]) -> Self;

    /// Writes to the first [`Lane::WIDTH`] numbers of the slice.
    ///
    /// # Panics
    /// If the slice is shorter.
    fn store(self, values: &mut [Real]);

    /// `self < o`
    fn less(self, o: Self) -> Self::Mask;
    /// `self <= o`
    fn less_eq(self, o: Self) -> Self::Mask;
    /// `self > o`
    fn greater(self, o: Self) -> Self::Mask;
    /// `self >= o`
    fn greater_eq(self, o: Self) -> Self::Mask;
    /// `self == o`
    fn equal(self, o: Self) -> Self::Mask;
    /// `self != o`: true where either is NaN.
    fn not_equal(self, o: Self) -> Self::Mask;

    /// `yes` where the mask is set, `no` elsewhere; neither is changed in any bit.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Magnitude of `self`, sign of `sign`.
    fn copysign(self, sign: Self) -> Self;

    /// Columns `first .. first + C` of the rows named by the first [`Lane::WIDTH`] indices: column by column, one row per
    /// lane. [`NO_ROW`], like any index that is not below `count`, reads zeros. `C` must be a multiple of 4.
    ///
    /// This is the form for solvers whose threads work on different rows of one array;
    /// [`Lane::load_columns`] is the form for everybody else.
    ///
    /// # Safety
    /// `rows` must be valid for reads of `count` rows, and no other thread may write the columns read here meanwhile.
    ///
    /// # Panics
    /// If there are fewer than [`Lane::WIDTH`] indices, or `first + C > N`.
    unsafe fn gather<const N: usize, const C: usize>(
        rows: *const [Real; N],
        count: usize,
        first: usize,
        indices: &[u32],
    ) -> [Self; C];

    /// Writes columns `first .. first + C` of the rows named by the first [`Lane::WIDTH`] indices: the inverse of
    /// [`Lane::gather`]. [`NO_ROW`], like any index that is not below `count`, is skipped. Indices must differ from each other for the
    /// outcome not to depend on the width; rows are written in the order of the lanes.
    ///
    /// # Safety
    /// `rows` must be valid for writes of `count` rows, and no other thread may read or write the columns written here
    /// meanwhile.
    ///
    /// # Panics
    /// If there are fewer than [`Lane::WIDTH`] indices, or `first + C > N`.
    unsafe fn scatter<const N: usize, const C: usize>(
        columns: [Self; C],
        rows: *mut [Real; N],
        count: usize,
        first: usize,
        indices: &[u32],
    );

    /// Limits to [`low`, `high`]; NaN becomes `low`.
    #[inline(always)]
    fn limit(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }

    /// The number in lane `i`. For tests and rare paths: it goes through memory.
    ///
    /// # Panics
    /// If `i` is not below [`Lane::WIDTH`].
    #[inline(always)]
    fn lane(self, i: usize) -> Real {
        let mut values = [0.0; LANES];
        self.store(&mut values);
        values[..Self::WIDTH][i]
    }

    /// All columns of the rows named by the first [`Lane::WIDTH`] indices: arrays of structures to structures of arrays. See
    /// [`Lane::gather`].
    ///
    /// # Panics
    /// If there are fewer than [`Lane::WIDTH`] indices.
    #[inline(always)]
    fn load_transposed<const N: usize>(rows: &[[Real; N]], indices: &[u32]) -> [Self; N] {
        Self::load_columns::<N, N>(rows, 0, indices)
    }

    /// Writes all columns of the rows named by the first [`Lane::WIDTH`] indices. See [`Lane::scatter`].
    ///
    /// # Panics
    /// If there are fewer than [`Lane::WIDTH`] indices.
    #[inline(always)]
    fn store_transposed<const N: usize>(columns: [Self; N], rows: &mut [[Real; N]], indices: &[u32]) {
        Self::store_columns::<N, N>(columns, rows, 0, indices);
    }

    /// Columns `first .. first + C` of the rows named by the first [`Lane::WIDTH`] indices. See [`Lane::gather`].
    ///
    /// # Panics
    /// If there are fewer than [`Lane::WIDTH`] indices, or `first + C > N`.
    #[inline(always)]
    fn load_columns<const N: usize, const C: usize>(rows: &[[Real; N]], first: usize, indices: &[u32]) -> [Self; C] {
        // SAFETY: the slice is valid for reads of all its rows, and the shared borrow keeps writers out.
        unsafe { Self::gather::<N, C>(rows.as_ptr(), rows.len(), first, indices) }
    }

    /// Writes columns `first .. first + C` of the rows named by the first [`Lane::WIDTH`] indices. See [`Lane::scatter`].
    ///
    /// # Panics
    /// If there are fewer than [`Lane::WIDTH`] indices, or `first + C > N`.
    #[inline(always)]
    fn store_columns<const N: usize, const C: usize>(
        columns: [Self; C],
        rows: &mut [[Real; N]],
        first: usize,
        indices: &[u32],
    ) {
        // SAFETY: the slice is valid for writes of all its rows, and the unique borrow keeps everybody else out.
        unsafe { Self::scatter::<N, C>(columns, rows.as_mut_ptr(), rows.len(), first, indices) }
    }
}

/// One truth value per lane. `&`, `|` and `!` work lane by lane.
///
/// ```
/// use tumble::math::{Lane, Mask, Real};
/// let mask = <Real as Lane>::less(1.0, 2.0);
/// assert!(mask.any() && mask.all() && mask.bits() == 1);
/// assert!(!(mask & !mask).any() && (mask | !mask).all());
/// assert_eq!(<<Real as Lane>::Mask as Mask>::from_bits(0).bits(), 0);
/// ```
pub trait Mask: Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Lane `i` is set where bit `i` is.
    fn from_bits(bits: u32) -> Self;
    /// Bit `i` is set where lane `i` is.
    fn bits(self) -> u32;
    /// Some lane is set.
    fn any(self) -> bool;
    /// Every lane is set.
    fn all(self) -> bool;
}

/// A computation written once over [`Lane`] and compiled for every instruction set.
///
/// `run`, and every function in it that handles lanes, must be `#[inline(always)]`; see [`Lane`].
///
/// ```
/// use tumble::math::{Isa, Kernel, LANES, Lane, Real};
///
/// /// y = a x + y over blocks of lanes.
/// struct Axpy<'a> { a: Real, x: &'a [[Real; LANES]], y: &'a mut [[Real; LANES]] }
///
/// impl Kernel for Axpy<'_> {
///     type Output = ();
///     #[inline(always)]
///     fn run<L: Lane>(self) {
///         let a = L::splat(self.a);
///         for (x, y) in self.x.iter().zip(self.y) {
///             for i in (0..LANES).step_by(L::WIDTH) {
///                 (a * L::load(&x[i..]) + L::load(&y[i..])).store(&mut y[i..]);
///             }
///         }
///     }
/// }
///
/// let mut y = [[1.0; LANES]];
/// Isa::detect().dispatch(Axpy { a: 2.0, x: &[[3.0; LANES]], y: &mut y });
/// assert_eq!(y, [[7.0; LANES]]);
/// ```
pub trait Kernel {
    /// What comes out.
    type Output;
    /// The computation, with `L` as the lane.
    fn run<L: Lane>(self) -> Self::Output;
}

/// An instruction set that this machine has: which of its compiled forms a kernel runs in.
///
/// A value of this type is the proof that the processor has the set, so one can only be had from the functions here.
/// The choice changes speed alone, never a bit of the outcome.
///
/// ```
/// use tumble::math::Isa;
/// let best = Isa::detect();
/// assert!(Isa::available().contains(&best));
/// assert_eq!(Isa::named("scalar").unwrap(), Isa::SCALAR);
/// assert!(Isa::named("abacus").is_err());
/// ```
///
/// ```
/// use tumble::math::Isa;
/// for isa in Isa::available() {
///     println!("{} has {} lanes", isa.name(), isa.width());
/// }
/// assert_eq!(Isa::avx2().is_some(), Isa::named("avx2").is_ok());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Isa(Set);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Set {
    Scalar,
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Isa {
    /// One number at a time.
    pub const SCALAR: Self = Self(Set::Scalar);
    /// The vectors that every machine of this architecture has: SSE2, NEON, wasm's simd128; plain arrays elsewhere.
    pub const BASELINE: Self = Self(Set::Baseline);

    /// AVX2, where this machine has it.
    pub fn avx2() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            return Some(Self(Set::Avx2));
        }
        None
    }

    /// The widest set that this machine has.
    pub fn detect() -> Self {
        Self::avx2().unwrap_or(Self::BASELINE)
    }

    /// Every set that this machine has, narrowest first.
    pub fn available() -> Vec<Self> {
        [Self::SCALAR, Self::BASELINE].into_iter().chain(Self::avx2()).collect()
    }

    /// The set of this name, or an error where this machine has none such.
    pub fn named(name: &str) -> Result<Self> {
        Self::available()
            .into_iter()
            .find(|isa| isa.name() == name)
            .ok_or_else(|| Error::value("instruction set", "name", "one that this machine has", name))
    }

    /// `scalar`, `sse2`, `avx2`, `neon`, `simd128` or `array`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar => "scalar",
            Set::Baseline => BASELINE,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
        }
    }

    /// How many numbers a lane of this set holds.
    pub fn width(self) -> usize {
        match self.0 {
            Set::Scalar => Real::WIDTH,
            Set::Baseline => Baseline::WIDTH,
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => avx2::Avx2::WIDTH,
        }
    }

    /// Runs the kernel in this set's form.
    #[inline]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Set::Scalar => kernel.run::<Real>(),
            Set::Baseline => kernel.run::<Baseline>(),
            // SAFETY: `Set::Avx2` is made in `Isa::avx2` alone, where the processor was asked.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { run_avx2(kernel) },
        }
    }
}

/// The widest set that this machine has: [`Isa::detect`].
impl Default for Isa {
    fn default() -> Self {
        Self::detect()
    }
}

impl Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Everything that is inlined into this function is compiled for AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<avx2::Avx2>()
}

impl<L: Lane> Vec3<L> {
    /// The same vector in every lane.
    ///
    /// ```
    /// use tumble::math::{Lane, Mask, Real, Vec3};
    /// fn upward<L: Lane>(v: Vec3<L>) -> Vec3<L> {
    ///     Vec3::select(v.y.less(L::ZERO), -v, v)
    /// }
    /// let v = upward(Vec3::<Real>::broadcast(Vec3::new(1.0, -2.0, 3.0)));
    /// assert_eq!(v.lane(0), Vec3::new(-1.0, 2.0, -3.0));
    /// ```
    #[inline(always)]
    pub fn broadcast(v: Vec3<Real>) -> Self {
        Self::new(L::splat(v.x), L::splat(v.y), L::splat(v.z))
    }

    /// `yes` where the mask is set, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self::new(L::select(mask, yes.x, no.x), L::select(mask, yes.y, no.y), L::select(mask, yes.z, no.z))
    }

    /// The vector in lane `i`. For tests and rare paths.
    ///
    /// # Panics
    /// If `i` is not below [`Lane::WIDTH`].
    #[inline(always)]
    pub fn lane(self, i: usize) -> Vec3<Real> {
        Vec3::new(self.x.lane(i), self.y.lane(i), self.z.lane(i))
    }
}

impl<L: Lane> Quat<L> {
    /// The same quaternion in every lane.
    ///
    /// ```
    /// use tumble::math::{Quat, Real};
    /// let q = Quat::<Real>::broadcast(Quat::IDENTITY);
    /// assert_eq!(q.lane(0), Quat::IDENTITY);
    /// ```
    #[inline(always)]
    pub fn broadcast(q: Quat<Real>) -> Self {
        Self::new(L::splat(q.x), L::splat(q.y), L::splat(q.z), L::splat(q.w))
    }

    /// The quaternion in lane `i`. For tests and rare paths.
    ///
    /// # Panics
    /// If `i` is not below [`Lane::WIDTH`].
    #[inline(always)]
    pub fn lane(self, i: usize) -> Quat<Real> {
        Quat::new(self.x.lane(i), self.y.lane(i), self.z.lane(i), self.w.lane(i))
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Where a row's column `first` is, or `null` for a row that does not exist.
#[inline(always)]
fn row<const N: usize>(
    rows: *const [Real; N],
    count: usize,
    first: usize,
    index: u32,
    null: *const Real,
) -> *const Real {
    let index = index as usize;
    // Which bodies are fixed follows no pattern: a conditional move costs less than a branch that is guessed wrong.
    select_unpredictable(index < count, rows.wrapping_add(index).cast::<Real>().wrapping_add(first), null)
}
