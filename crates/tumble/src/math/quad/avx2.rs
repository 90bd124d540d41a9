//! The register of AVX2: four doubles.

use super::{Fours, Packed, Quad, sealed::Sealed};
use core::arch::x86_64::*;
use core::ops::{Add, Mul, Sub};

/// Three numbers, and a fourth that may be anything.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Quad256(__m256d);

/// Calls into the instruction set.
macro_rules! isa {
    ($call:expr) => {
        // SAFETY: the type is reached through `Isa::dispatch` alone, as the vectors of the lane of AVX2, which has made sure that the
        // processor has the instructions. Loads and stores are of a `Quad`, which is as large and as aligned as the register.
        unsafe { $call }
    };
}

/// The numbers at these places, of which a place is given by two bits, the first one lowest.
macro_rules! permuted {
    ($v:expr, $a:literal $b:literal $c:literal) => {
        Self(isa!(_mm256_permute4x64_pd::<{ $a | $b << 2 | $c << 4 | 3 << 6 }>($v.0)))
    };
}

impl Sealed for Quad256 {}

impl Add for Quad256 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(isa!(_mm256_add_pd(self.0, o.0)))
    }
}

impl Sub for Quad256 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(isa!(_mm256_sub_pd(self.0, o.0)))
    }
}

impl Mul for Quad256 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self(isa!(_mm256_mul_pd(self.0, o.0)))
    }
}

impl Quad256 {
    /// The numbers of `o` where the bit of their place is set.
    #[inline(always)]
    fn blend<const FROM: i32>(self, o: Self) -> Self {
        Self(isa!(_mm256_blend_pd::<FROM>(self.0, o.0)))
    }

    /// (a + c, b + d) of both.
    #[inline(always)]
    fn pairs(self, o: Self) -> Self {
        let low = isa!(_mm256_permute2f128_pd::<0x20>(self.0, o.0));
        Self(isa!(_mm256_add_pd(low, _mm256_permute2f128_pd::<0x31>(self.0, o.0))))
    }

    /// The other sign where -0 is, the same where 0 is.
    #[inline(always)]
    fn signed(self, x: f64, y: f64, z: f64) -> Self {
        Self(isa!(_mm256_xor_pd(self.0, _mm256_setr_pd(x, y, z, 0.0))))
    }
}

impl Fours for Quad256 {
    #[inline(always)]
    fn load(q: &Quad) -> Self {
        Self(isa!(_mm256_load_pd(q.0.as_ptr())))
    }

    #[inline(always)]
    fn store(self, q: &mut Quad) {
        isa!(_mm256_store_pd(q.0.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self(isa!(_mm256_set1_pd(value)))
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        // (a + c, b + d)
        let pairs = isa!(_mm_add_pd(_mm256_castpd256_pd128(self.0), _mm256_extractf128_pd::<1>(self.0)));
        isa!(_mm_cvtsd_f64(_mm_add_sd(pairs, _mm_unpackhi_pd(pairs, pairs))))
    }

    #[inline(always)]
    fn sums([v, w, x, y]: [Self; 4]) -> Self {
        Self(isa!(_mm256_hadd_pd(v.pairs(x).0, w.pairs(y).0)))
    }
}

impl Packed for Quad256 {
    type Fours = Self;

    #[inline(always)]
    fn load(q: &Quad) -> Self {
        Self(isa!(_mm256_load_pd(q.0.as_ptr())))
    }

    #[inline(always)]
    fn store(self, q: &mut Quad) {
        isa!(_mm256_store_pd(q.0.as_mut_ptr(), self.0));
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self(isa!(_mm256_set1_pd(value)))
    }

    #[inline(always)]
    fn xs(self) -> Self {
        permuted!(self, 0 0 0)
    }

    #[inline(always)]
    fn ys(self) -> Self {
        permuted!(self, 1 1 1)
    }

    #[inline(always)]
    fn zs(self) -> Self {
        permuted!(self, 2 2 2)
    }

    #[inline(always)]
    fn yzx(self) -> Self {
        permuted!(self, 1 2 0)
    }

    #[inline(always)]
    fn xyy(self) -> Self {
        permuted!(self, 0 1 1)
    }

    #[inline(always)]
    fn yyz(self) -> Self {
        permuted!(self, 1 1 2)
    }

    #[inline(always)]
    fn xyx(self) -> Self {
        permuted!(self, 0 1 0)
    }

    #[inline(always)]
    fn yzz(self) -> Self {
        permuted!(self, 1 2 2)
    }

    #[inline(always)]
    fn symmetric(diagonal: Self, beside: Self) -> [Self; 3] {
        // Beside it stand (xy, yz, xz).
        let (x, y) = (permuted!(beside, 0 0 2), permuted!(beside, 0 0 1));
        let z = permuted!(beside, 2 1 2);
        [x.blend::<0b0001>(diagonal), y.blend::<0b0010>(diagonal), z.blend::<0b0100>(diagonal)]
    }

    #[inline(always)]
    fn with_diagonal([a, b, c]: [Self; 3], d: Self) -> [Self; 3] {
        [a.blend::<0b0001>(d), b.blend::<0b0010>(d), c.blend::<0b0100>(d)]
    }

    #[inline(always)]
    fn diagonal([a, b, c]: [Self; 3]) -> Self {
        a.blend::<0b0010>(b).blend::<0b0100>(c)
    }

    #[inline(always)]
    fn skew(self) -> [[Self; 3]; 2] {
        let (x, y, z) = (permuted!(self, 0 2 1), permuted!(self, 2 0 0), permuted!(self, 1 0 0));
        let zero = Self::zero();
        let (x, y, z) = (x.blend::<0b0001>(zero), y.blend::<0b0010>(zero), z.blend::<0b0100>(zero));
        [
            [x.signed(0.0, 0.0, -0.0), y.signed(-0.0, 0.0, 0.0), z.signed(0.0, -0.0, 0.0)],
            [x.signed(0.0, -0.0, 0.0), y.signed(0.0, 0.0, -0.0), z.signed(-0.0, 0.0, 0.0)],
        ]
    }

    #[inline(always)]
    fn dots(a: Self, b: Self, c: Self, d: Self) -> [f64; 2] {
        let (p, q) = ((a * b).0, (c * d).0);
        // (p_x, q_x, p_z, q_z), and (p_y, q_y).
        let (outer, inner) = (isa!(_mm256_unpacklo_pd(p, q)), isa!(_mm256_unpackhi_pd(p, q)));
        let (x, y) = (isa!(_mm256_castpd256_pd128(outer)), isa!(_mm256_castpd256_pd128(inner)));
        let z = isa!(_mm256_extractf128_pd::<1>(outer));
        let sum = isa!(_mm_add_pd(_mm_add_pd(x, y), z));
        [isa!(_mm_cvtsd_f64(sum)), isa!(_mm_cvtsd_f64(_mm_unpackhi_pd(sum, sum)))]
    }
}
