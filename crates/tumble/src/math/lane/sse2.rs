//! The lane of x86-64's baseline: 128 bits, SSE2.

super::register::vector_lane!(Sse2, Sse2Mask);

/// How SSE2 spells the operations of a lane. Every x86-64 processor has it.
mod spell {
    use super::super::Real;
    pub use crate::math::quad::Quad as Packed;
    use core::arch::x86_64::*;

    #[cfg(not(tumble_f64))]
    pub use core::arch::x86_64::{
        __m128 as Register, __m128 as MaskRegister, _mm_add_ps as add, _mm_and_ps as and, _mm_andnot_ps as and_not,
        _mm_cmpeq_ps as equal, _mm_cmpge_ps as greater_eq, _mm_cmpgt_ps as greater, _mm_cmple_ps as less_eq,
        _mm_cmplt_ps as less, _mm_cmpneq_ps as not_equal, _mm_div_ps as div, _mm_loadu_ps as load, _mm_max_ps as max,
        _mm_min_ps as min, _mm_movemask_ps as movemask, _mm_mul_ps as mul, _mm_or_ps as or, _mm_set1_ps as splat,
        _mm_sqrt_ps as sqrt, _mm_storeu_ps as store, _mm_sub_ps as sub, _mm_xor_ps as xor,
    };
    #[cfg(tumble_f64)]
    pub use core::arch::x86_64::{
        __m128d as Register, __m128d as MaskRegister, _mm_add_pd as add, _mm_and_pd as and, _mm_andnot_pd as and_not,
        _mm_cmpeq_pd as equal, _mm_cmpge_pd as greater_eq, _mm_cmpgt_pd as greater, _mm_cmple_pd as less_eq,
        _mm_cmplt_pd as less, _mm_cmpneq_pd as not_equal, _mm_div_pd as div, _mm_loadu_pd as load, _mm_max_pd as max,
        _mm_min_pd as min, _mm_movemask_pd as movemask, _mm_mul_pd as mul, _mm_or_pd as or, _mm_set1_pd as splat,
        _mm_sqrt_pd as sqrt, _mm_storeu_pd as store, _mm_sub_pd as sub, _mm_xor_pd as xor,
    };

    pub const WIDTH: usize = size_of::<Register>() / size_of::<Real>();
    pub const BLOCK: usize = WIDTH;
    const ALL: u32 = (1 << WIDTH) - 1;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn neg(a: Register) -> Register {
        xor(a, splat(-0.0))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn abs(a: Register) -> Register {
        and_not(splat(-0.0), a)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn copysign(a: Register, sign: Register) -> Register {
        or(abs(a), and(splat(-0.0), sign))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn select(mask: MaskRegister, yes: Register, no: Register) -> Register {
        or(and(mask, yes), and_not(mask, no))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn not(mask: MaskRegister) -> MaskRegister {
        and_not(mask, from_bits(ALL))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn bits(mask: MaskRegister) -> u32 {
        movemask(mask) as u32
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn any(mask: MaskRegister) -> bool {
        bits(mask) != 0
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn all(mask: MaskRegister) -> bool {
        bits(mask) == ALL
    }

    /// # Safety
    /// The pointers must be valid for reads of `WIDTH` numbers from `column` on.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub unsafe fn load_rows(rows: &[*const Real; WIDTH], j: usize, column: usize) -> Register {
        // SAFETY: passed on from the caller.
        unsafe { load(rows[j].add(column)) }
    }

    /// # Safety
    /// The pointers must be valid for writes of `WIDTH` numbers from `column` on.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub unsafe fn store_rows(rows: &[*mut Real; WIDTH], j: usize, column: usize, values: Register) {
        // SAFETY: passed on from the caller.
        unsafe { store(rows[j].add(column), values) }
    }

    #[cfg(not(tumble_f64))]
    mod by_precision {
        use super::*;

        #[inline]
        #[target_feature(enable = "sse2")]
        pub fn from_bits(bits: u32) -> MaskRegister {
            let weights = _mm_setr_epi32(1, 2, 4, 8);
            let set = _mm_and_si128(_mm_set1_epi32(bits as i32), weights);
            _mm_castsi128_ps(_mm_cmpeq_epi32(set, weights))
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        pub fn transpose([a, b, c, d]: [Register; BLOCK]) -> [Register; BLOCK] {
            let (ab01, ab23) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
            let (cd01, cd23) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
            [_mm_movelh_ps(ab01, cd01), _mm_movehl_ps(cd01, ab01), _mm_movelh_ps(ab23, cd23), _mm_movehl_ps(cd23, ab23)]
        }
    }

    #[cfg(tumble_f64)]
    mod by_precision {
        use super::*;

        #[inline]
        #[target_feature(enable = "sse2")]
        pub fn from_bits(bits: u32) -> MaskRegister {
            // Each half of a 64-bit lane is compared by itself: SSE2 has no comparison of 64-bit integers.
            let weights = _mm_setr_epi32(1, 1, 2, 2);
            let set = _mm_and_si128(_mm_set1_epi32(bits as i32), weights);
            _mm_castsi128_pd(_mm_cmpeq_epi32(set, weights))
        }

        #[inline]
        #[target_feature(enable = "sse2")]
        pub fn transpose([a, b]: [Register; BLOCK]) -> [Register; BLOCK] {
            [_mm_unpacklo_pd(a, b), _mm_unpackhi_pd(a, b)]
        }
    }

    pub use by_precision::{from_bits, transpose};
}
