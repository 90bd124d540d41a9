//! The wide lane of x86-64: 256 bits, AVX2.

super::register::vector_lane!(Avx2, Avx2Mask);

/// How AVX2 spells the operations of a lane.
///
/// The functions carry the feature, as the intrinsics do, and so are inlined into code that has it, never before.
mod spell {
    use super::super::Real;
    pub use crate::math::quad::avx2::Quad256 as Packed;
    use core::arch::x86_64::*;

    #[cfg(not(tumble_f64))]
    pub use core::arch::x86_64::{
        __m256 as Register, __m256 as MaskRegister, _mm_loadu_ps as load_half, _mm_storeu_ps as store_half,
        _mm256_add_ps as add, _mm256_and_ps as and, _mm256_andnot_ps as and_not, _mm256_blendv_ps as blend,
        _mm256_castps128_ps256 as widen, _mm256_castps256_ps128 as low, _mm256_castsi256_ps as from_integers,
        _mm256_cmp_ps as compare, _mm256_div_ps as div, _mm256_extractf128_ps as half,
        _mm256_insertf128_ps as with_half, _mm256_loadu_ps as load, _mm256_max_ps as max, _mm256_min_ps as min,
        _mm256_movemask_ps as movemask, _mm256_mul_ps as mul, _mm256_or_ps as or, _mm256_set1_ps as splat,
        _mm256_sqrt_ps as sqrt, _mm256_storeu_ps as store, _mm256_sub_ps as sub, _mm256_xor_ps as xor,
    };
    #[cfg(tumble_f64)]
    pub use core::arch::x86_64::{
        __m256d as Register, __m256d as MaskRegister, _mm_loadu_pd as load_half, _mm_storeu_pd as store_half,
        _mm256_add_pd as add, _mm256_and_pd as and, _mm256_andnot_pd as and_not, _mm256_blendv_pd as blend,
        _mm256_castpd128_pd256 as widen, _mm256_castpd256_pd128 as low, _mm256_castsi256_pd as from_integers,
        _mm256_cmp_pd as compare, _mm256_div_pd as div, _mm256_extractf128_pd as half,
        _mm256_insertf128_pd as with_half, _mm256_loadu_pd as load, _mm256_max_pd as max, _mm256_min_pd as min,
        _mm256_movemask_pd as movemask, _mm256_mul_pd as mul, _mm256_or_pd as or, _mm256_set1_pd as splat,
        _mm256_sqrt_pd as sqrt, _mm256_storeu_pd as store, _mm256_sub_pd as sub, _mm256_xor_pd as xor,
    };

    pub const WIDTH: usize = size_of::<Register>() / size_of::<Real>();
    /// The shuffles of AVX work in halves of the register; a half holds one row of a block.
    pub const BLOCK: usize = WIDTH / 2;
    const ALL: u32 = (1 << WIDTH) - 1;

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn neg(a: Register) -> Register {
        xor(a, splat(-0.0))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn abs(a: Register) -> Register {
        and_not(splat(-0.0), a)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn copysign(a: Register, sign: Register) -> Register {
        or(abs(a), and(splat(-0.0), sign))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn less(a: Register, b: Register) -> MaskRegister {
        compare::<_CMP_LT_OQ>(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn less_eq(a: Register, b: Register) -> MaskRegister {
        compare::<_CMP_LE_OQ>(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn greater(a: Register, b: Register) -> MaskRegister {
        compare::<_CMP_GT_OQ>(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn greater_eq(a: Register, b: Register) -> MaskRegister {
        compare::<_CMP_GE_OQ>(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn equal(a: Register, b: Register) -> MaskRegister {
        compare::<_CMP_EQ_OQ>(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn not_equal(a: Register, b: Register) -> MaskRegister {
        compare::<_CMP_NEQ_UQ>(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn select(mask: MaskRegister, yes: Register, no: Register) -> Register {
        blend(no, yes, mask)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn not(mask: MaskRegister) -> MaskRegister {
        xor(mask, from_integers(_mm256_set1_epi32(-1)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn bits(mask: MaskRegister) -> u32 {
        movemask(mask) as u32
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn any(mask: MaskRegister) -> bool {
        bits(mask) != 0
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn all(mask: MaskRegister) -> bool {
        bits(mask) == ALL
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn from_bits(bits: u32) -> MaskRegister {
        #[cfg(not(tumble_f64))]
        let weights = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        // Both halves of a 64-bit lane ask for the same bit.
        #[cfg(tumble_f64)]
        let weights = _mm256_setr_epi32(1, 1, 2, 2, 4, 4, 8, 8);
        let set = _mm256_and_si256(_mm256_set1_epi32(bits as i32), weights);
        from_integers(_mm256_cmpeq_epi32(set, weights))
    }

    /// # Safety
    /// The pointers must be valid for reads of `BLOCK` numbers from `column` on.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn load_rows(rows: &[*const Real; WIDTH], j: usize, column: usize) -> Register {
        // SAFETY: passed on from the caller.
        let (front, back) = unsafe { (load_half(rows[j].add(column)), load_half(rows[j + BLOCK].add(column))) };
        with_half::<1>(widen(front), back)
    }

    /// # Safety
    /// The pointers must be valid for writes of `BLOCK` numbers from `column` on.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn store_rows(rows: &[*mut Real; WIDTH], j: usize, column: usize, values: Register) {
        // SAFETY: passed on from the caller.
        unsafe {
            store_half(rows[j].add(column), low(values));
            store_half(rows[j + BLOCK].add(column), half::<1>(values));
        }
    }

    /// Transposes the blocks in the front and in the back halves.
    #[cfg(not(tumble_f64))]
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn transpose([a, b, c, d]: [Register; BLOCK]) -> [Register; BLOCK] {
        let (ab01, ab23) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let (cd01, cd23) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        const FRONT: i32 = 0b01_00_01_00;
        const BACK: i32 = 0b11_10_11_10;
        [
            _mm256_shuffle_ps::<FRONT>(ab01, cd01),
            _mm256_shuffle_ps::<BACK>(ab01, cd01),
            _mm256_shuffle_ps::<FRONT>(ab23, cd23),
            _mm256_shuffle_ps::<BACK>(ab23, cd23),
        ]
    }

    /// Transposes the blocks in the front and in the back halves.
    #[cfg(tumble_f64)]
    #[inline]
    #[target_feature(enable = "avx2")]
    pub fn transpose([a, b]: [Register; BLOCK]) -> [Register; BLOCK] {
        [_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)]
    }
}
