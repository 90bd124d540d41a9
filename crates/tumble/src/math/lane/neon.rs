//! The lane of arm64: 128 bits, NEON.

super::register::vector_lane!(Neon, NeonMask);

/// How NEON spells the operations of a lane. Every arm64 processor has it.
mod spell {
    use super::super::Real;
    pub use crate::math::quad::Quad as Packed;
    use core::arch::aarch64::*;

    #[cfg(not(tumble_f64))]
    pub use core::arch::aarch64::{
        float32x4_t as Register, uint32x4_t as MaskRegister, vabsq_f32 as abs, vaddq_f32 as add, vandq_u32 as and,
        vbslq_f32 as select, vceqq_f32 as equal, vcgeq_f32 as greater_eq, vcgtq_f32 as greater, vcleq_f32 as less_eq,
        vcltq_f32 as less, vdivq_f32 as div, vdupq_n_f32 as splat, vdupq_n_u32 as splat_bits, vld1q_f32 as load,
        vmulq_f32 as mul, vmvnq_u32 as not, vnegq_f32 as neg, vorrq_u32 as or, vsqrtq_f32 as sqrt, vst1q_f32 as store,
        vsubq_f32 as sub, vtstq_u32 as shares_bits,
    };
    #[cfg(tumble_f64)]
    pub use core::arch::aarch64::{
        float64x2_t as Register, uint64x2_t as MaskRegister, vabsq_f64 as abs, vaddq_f64 as add, vandq_u64 as and,
        vbslq_f64 as select, vceqq_f64 as equal, vcgeq_f64 as greater_eq, vcgtq_f64 as greater, vcleq_f64 as less_eq,
        vcltq_f64 as less, vdivq_f64 as div, vdupq_n_f64 as splat, vdupq_n_u64 as splat_bits, vld1q_f64 as load,
        vmulq_f64 as mul, vnegq_f64 as neg, vorrq_u64 as or, vsqrtq_f64 as sqrt, vst1q_f64 as store, vsubq_f64 as sub,
        vtstq_u64 as shares_bits,
    };

    pub const WIDTH: usize = size_of::<Register>() / size_of::<Real>();
    pub const BLOCK: usize = WIDTH;
    const ALL: u32 = (1 << WIDTH) - 1;

    // NEON's own minimum and maximum propagate NaN and order signed zeros, which no other unit does.
    #[inline]
    #[target_feature(enable = "neon")]
    pub fn min(a: Register, b: Register) -> Register {
        select(less(a, b), a, b)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn max(a: Register, b: Register) -> Register {
        select(greater(a, b), a, b)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn copysign(a: Register, sign: Register) -> Register {
        select(sign_bit(), sign, a)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn not_equal(a: Register, b: Register) -> MaskRegister {
        not(equal(a, b))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn any(mask: MaskRegister) -> bool {
        bits(mask) != 0
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn all(mask: MaskRegister) -> bool {
        bits(mask) == ALL
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn from_bits(bits: u32) -> MaskRegister {
        shares_bits(splat_bits(bits.into()), weights())
    }

    /// # Safety
    /// The pointers must be valid for reads of `WIDTH` numbers from `column` on.
    #[inline]
    #[target_feature(enable = "neon")]
    pub unsafe fn load_rows(rows: &[*const Real; WIDTH], j: usize, column: usize) -> Register {
        // SAFETY: passed on from the caller.
        unsafe { load(rows[j].add(column)) }
    }

    /// # Safety
    /// The pointers must be valid for writes of `WIDTH` numbers from `column` on.
    #[inline]
    #[target_feature(enable = "neon")]
    pub unsafe fn store_rows(rows: &[*mut Real; WIDTH], j: usize, column: usize, values: Register) {
        // SAFETY: passed on from the caller.
        unsafe { store(rows[j].add(column), values) }
    }

    #[cfg(not(tumble_f64))]
    mod by_precision {
        use super::*;

        #[inline]
        #[target_feature(enable = "neon")]
        pub fn sign_bit() -> MaskRegister {
            splat_bits(1 << 31)
        }

        /// Bit `i` in lane `i`.
        #[inline]
        #[target_feature(enable = "neon")]
        pub fn weights() -> MaskRegister {
            // SAFETY: the array has as many numbers as the register.
            unsafe { vld1q_u32([1, 2, 4, 8].as_ptr()) }
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub fn bits(mask: MaskRegister) -> u32 {
            vaddvq_u32(and(mask, weights()))
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub fn transpose([a, b, c, d]: [Register; BLOCK]) -> [Register; BLOCK] {
            let (ac01, ac23) = (vzip1q_f32(a, c), vzip2q_f32(a, c));
            let (bd01, bd23) = (vzip1q_f32(b, d), vzip2q_f32(b, d));
            [vzip1q_f32(ac01, bd01), vzip2q_f32(ac01, bd01), vzip1q_f32(ac23, bd23), vzip2q_f32(ac23, bd23)]
        }
    }

    #[cfg(tumble_f64)]
    mod by_precision {
        use super::*;

        #[inline]
        #[target_feature(enable = "neon")]
        pub fn sign_bit() -> MaskRegister {
            splat_bits(1 << 63)
        }

        /// Bit `i` in lane `i`.
        #[inline]
        #[target_feature(enable = "neon")]
        pub fn weights() -> MaskRegister {
            // SAFETY: the array has as many numbers as the register.
            unsafe { vld1q_u64([1, 2].as_ptr()) }
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub fn not(mask: MaskRegister) -> MaskRegister {
            veorq_u64(mask, splat_bits(u64::MAX))
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub fn bits(mask: MaskRegister) -> u32 {
            vaddvq_u64(and(mask, weights())) as u32
        }

        #[inline]
        #[target_feature(enable = "neon")]
        pub fn transpose([a, b]: [Register; BLOCK]) -> [Register; BLOCK] {
            [vzip1q_f64(a, b), vzip2q_f64(a, b)]
        }
    }

    pub use by_precision::*;
}
