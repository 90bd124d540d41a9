//! The lane of WebAssembly: 128 bits, where the module is compiled with `simd128`.

super::register::vector_lane!(Simd128, Simd128Mask);

/// How WebAssembly spells the operations of a lane.
mod spell {
    use super::super::Real;
    pub use crate::math::quad::Quad as Packed;
    use core::arch::wasm32::*;

    #[cfg(not(tumble_f64))]
    pub use core::arch::wasm32::{
        f32x4_abs as abs, f32x4_add as add, f32x4_div as div, f32x4_eq as equal, f32x4_ge as greater_eq,
        f32x4_gt as greater, f32x4_le as less_eq, f32x4_lt as less, f32x4_mul as mul, f32x4_ne as not_equal,
        f32x4_neg as neg, f32x4_pmax, f32x4_pmin, f32x4_splat as splat, f32x4_sqrt as sqrt, f32x4_sub as sub,
    };
    #[cfg(tumble_f64)]
    pub use core::arch::wasm32::{
        f64x2_abs as abs, f64x2_add as add, f64x2_div as div, f64x2_eq as equal, f64x2_ge as greater_eq,
        f64x2_gt as greater, f64x2_le as less_eq, f64x2_lt as less, f64x2_mul as mul, f64x2_ne as not_equal,
        f64x2_neg as neg, f64x2_pmax, f64x2_pmin, f64x2_splat as splat, f64x2_sqrt as sqrt, f64x2_sub as sub,
    };
    pub use core::arch::wasm32::{
        v128 as Register, v128 as MaskRegister, v128_and as and, v128_not as not, v128_or as or,
    };

    pub const WIDTH: usize = size_of::<Register>() / size_of::<Real>();
    pub const BLOCK: usize = WIDTH;

    #[inline(always)]
    pub fn copysign(a: Register, sign: Register) -> Register {
        v128_bitselect(sign, a, splat(-0.0))
    }

    #[inline(always)]
    pub fn select(mask: MaskRegister, yes: Register, no: Register) -> Register {
        v128_bitselect(yes, no, mask)
    }

    #[inline(always)]
    pub fn any(mask: MaskRegister) -> bool {
        v128_any_true(mask)
    }

    /// # Safety
    /// The pointer must be valid for reads of `WIDTH` numbers.
    #[inline(always)]
    pub unsafe fn load(from: *const Real) -> Register {
        // SAFETY: passed on from the caller.
        unsafe { v128_load(from.cast()) }
    }

    /// # Safety
    /// The pointer must be valid for writes of `WIDTH` numbers.
    #[inline(always)]
    pub unsafe fn store(to: *mut Real, values: Register) {
        // SAFETY: passed on from the caller.
        unsafe { v128_store(to.cast(), values) }
    }

    /// # Safety
    /// The pointers must be valid for reads of `WIDTH` numbers from `column` on.
    #[inline(always)]
    pub unsafe fn load_rows(rows: &[*const Real; WIDTH], j: usize, column: usize) -> Register {
        // SAFETY: passed on from the caller.
        unsafe { load(rows[j].add(column)) }
    }

    /// # Safety
    /// The pointers must be valid for writes of `WIDTH` numbers from `column` on.
    #[inline(always)]
    pub unsafe fn store_rows(rows: &[*mut Real; WIDTH], j: usize, column: usize, values: Register) {
        // SAFETY: passed on from the caller.
        unsafe { store(rows[j].add(column), values) }
    }

    #[cfg(not(tumble_f64))]
    mod by_precision {
        use super::*;

        // `pmin(a, b)` is `if b < a { b } else { a }`: with the operands exchanged it is ours.
        #[inline(always)]
        pub fn min(a: Register, b: Register) -> Register {
            f32x4_pmin(b, a)
        }

        #[inline(always)]
        pub fn max(a: Register, b: Register) -> Register {
            f32x4_pmax(b, a)
        }

        #[inline(always)]
        pub fn all(mask: MaskRegister) -> bool {
            i32x4_all_true(mask)
        }

        #[inline(always)]
        pub fn bits(mask: MaskRegister) -> u32 {
            i32x4_bitmask(mask).into()
        }

        #[inline(always)]
        pub fn from_bits(bits: u32) -> MaskRegister {
            const WEIGHTS: Register = i32x4(1, 2, 4, 8);
            i32x4_eq(v128_and(u32x4_splat(bits), WEIGHTS), WEIGHTS)
        }

        #[inline(always)]
        pub fn transpose([a, b, c, d]: [Register; BLOCK]) -> [Register; BLOCK] {
            let (ab01, ab23) = (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
            let (cd01, cd23) = (i32x4_shuffle::<0, 4, 1, 5>(c, d), i32x4_shuffle::<2, 6, 3, 7>(c, d));
            [
                i32x4_shuffle::<0, 1, 4, 5>(ab01, cd01),
                i32x4_shuffle::<2, 3, 6, 7>(ab01, cd01),
                i32x4_shuffle::<0, 1, 4, 5>(ab23, cd23),
                i32x4_shuffle::<2, 3, 6, 7>(ab23, cd23),
            ]
        }
    }

    #[cfg(tumble_f64)]
    mod by_precision {
        use super::*;

        // `pmin(a, b)` is `if b < a { b } else { a }`: with the operands exchanged it is ours.
        #[inline(always)]
        pub fn min(a: Register, b: Register) -> Register {
            f64x2_pmin(b, a)
        }

        #[inline(always)]
        pub fn max(a: Register, b: Register) -> Register {
            f64x2_pmax(b, a)
        }

        #[inline(always)]
        pub fn all(mask: MaskRegister) -> bool {
            i64x2_all_true(mask)
        }

        #[inline(always)]
        pub fn bits(mask: MaskRegister) -> u32 {
            i64x2_bitmask(mask).into()
        }

        #[inline(always)]
        pub fn from_bits(bits: u32) -> MaskRegister {
            const WEIGHTS: Register = i64x2(1, 2);
            i64x2_eq(v128_and(u64x2_splat(bits.into()), WEIGHTS), WEIGHTS)
        }

        #[inline(always)]
        pub fn transpose([a, b]: [Register; BLOCK]) -> [Register; BLOCK] {
            [i64x2_shuffle::<0, 2>(a, b), i64x2_shuffle::<1, 3>(a, b)]
        }
    }

    pub use by_precision::*;
}
