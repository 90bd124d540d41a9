//! A lane over one vector register, written once for all instruction sets.

/// Makes the type `$lane` with its mask `$mask` from a module `spell` in scope, in which an instruction set spells
///
/// - `Register` and `MaskRegister`, and how many numbers they hold: `WIDTH`;
/// - `add sub mul div neg sqrt abs min max copysign splat load store`;
/// - `Packed`: three doubles in a register, [`Quad`](crate::math::Quad) where there is none for them;
/// - `less less_eq greater greater_eq equal not_equal select`;
/// - `and or not any all bits from_bits` of masks;
/// - `BLOCK`, `transpose`, `load_rows`, `store_rows`: the square of columns and rows that is transposed at once. Register `j`
///   of a block holds `BLOCK` columns of row `j` and, where the register has room for two, of row `j + BLOCK` behind them.
///
/// Its functions are called with the set's instructions enabled: see the last paragraph of [`Lane`](super::Lane).
macro_rules! vector_lane {
    ($lane:ident, $mask:ident) => {
        use super::{Lane, Mask, Num, Real, row, sealed::Sealed};
        use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign};

        #[doc = concat!("A register of `", stringify!($lane), "`.")]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $lane(spell::Register);

        #[doc = concat!("One truth value per lane of [`", stringify!($lane), "`].")]
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $mask(spell::MaskRegister);

        /// Calls into the instruction set.
        macro_rules! isa {
            ($call:expr) => {
                // SAFETY: the type is private to the module and is reached through `Isa::dispatch` (or a test that asks
                // first) alone, which has made sure that the processor has the instructions. Loads and stores stay in
                // slices whose length was checked, or in rows that the caller vouches for.
                unsafe { $call }
            };
        }

        impl $lane {
            /// The numbers as an array.
            #[inline(always)]
            fn to_array(self) -> [Real; spell::WIDTH] {
                // SAFETY: the register holds exactly these numbers, and every bit pattern is a number.
                unsafe { core::mem::transmute(self) }
            }

            #[inline(always)]
            const fn from_array(values: [Real; spell::WIDTH]) -> Self {
                // SAFETY: as above.
                unsafe { core::mem::transmute(values) }
            }
        }

        impl core::fmt::Debug for $lane {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.to_array().fmt(f)
            }
        }

        impl core::fmt::Debug for $mask {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{:#b}", self.bits())
            }
        }

        impl Num for $lane {
            const ZERO: Self = Self::from_array([0.0; spell::WIDTH]);
            const ONE: Self = Self::from_array([1.0; spell::WIDTH]);

            #[inline(always)]
            fn splat(value: Real) -> Self {
                Self(isa!(spell::splat(value)))
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(isa!(spell::sqrt(self.0)))
            }

            #[inline(always)]
            fn abs(self) -> Self {
                Self(isa!(spell::abs(self.0)))
            }

            #[inline(always)]
            fn min(self, o: Self) -> Self {
                Self(isa!(spell::min(self.0, o.0)))
            }

            #[inline(always)]
            fn max(self, o: Self) -> Self {
                Self(isa!(spell::max(self.0, o.0)))
            }
        }

        impl Sealed for $lane {}

        impl Lane for $lane {
            const WIDTH: usize = spell::WIDTH;
            type Mask = $mask;
            type Packed = spell::Packed;

            #[inline(always)]
            fn load(values: &[Real]) -> Self {
                Self(isa!(spell::load(values[..spell::WIDTH].as_ptr())))
            }

            #[inline(always)]
            fn store(self, values: &mut [Real]) {
                isa!(spell::store(values[..spell::WIDTH].as_mut_ptr(), self.0));
            }

            #[inline(always)]
            fn less(self, o: Self) -> $mask {
                $mask(isa!(spell::less(self.0, o.0)))
            }

            #[inline(always)]
            fn less_eq(self, o: Self) -> $mask {
                $mask(isa!(spell::less_eq(self.0, o.0)))
            }

            #[inline(always)]
            fn greater(self, o: Self) -> $mask {
                $mask(isa!(spell::greater(self.0, o.0)))
            }

            #[inline(always)]
            fn greater_eq(self, o: Self) -> $mask {
                $mask(isa!(spell::greater_eq(self.0, o.0)))
            }

            #[inline(always)]
            fn equal(self, o: Self) -> $mask {
                $mask(isa!(spell::equal(self.0, o.0)))
            }

            #[inline(always)]
            fn not_equal(self, o: Self) -> $mask {
                $mask(isa!(spell::not_equal(self.0, o.0)))
            }

            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                Self(isa!(spell::select(mask.0, yes.0, no.0)))
            }

            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                Self(isa!(spell::copysign(self.0, sign.0)))
            }

            #[inline(always)]
            unsafe fn gather<const N: usize, const C: usize>(
                rows: *const [Real; N],
                count: usize,
                first: usize,
                indices: &[u32],
            ) -> [Self; C] {
                const { assert!(C.is_multiple_of(4) && 4 % spell::BLOCK == 0) };
                assert!(first + C <= N);
                let indices = &indices[..spell::WIDTH];
                let zeros = const { &[Real::ZERO; C] };
                let mut from = [zeros.as_ptr(); spell::WIDTH];
                for lane in 0..spell::WIDTH {
                    from[lane] = row(rows, count, first, indices[lane], zeros.as_ptr());
                }
                let mut columns = [Self::ZERO; C];
                for block in 0..C / spell::BLOCK {
                    let c = block * spell::BLOCK;
                    let mut square = [Self::ZERO.0; spell::BLOCK];
                    for j in 0..spell::BLOCK {
                        square[j] = isa!(spell::load_rows(&from, j, c));
                    }
                    let square = isa!(spell::transpose(square));
                    for j in 0..spell::BLOCK {
                        columns[c + j] = Self(square[j]);
                    }
                }
                columns
            }

            #[inline(always)]
            unsafe fn scatter<const N: usize, const C: usize>(
                columns: [Self; C],
                rows: *mut [Real; N],
                count: usize,
                first: usize,
                indices: &[u32],
            ) {
                const { assert!(C.is_multiple_of(4) && 4 % spell::BLOCK == 0) };
                assert!(first + C <= N);
                let indices = &indices[..spell::WIDTH];
                // What is written to a row that does not exist lands here: cheaper than a branch per lane that is guessed
                // wrong. Hidden from the optimiser, which would otherwise see dead stores and put the branches back.
                let mut sink = core::mem::MaybeUninit::<[Real; C]>::uninit();
                let null = core::hint::black_box(sink.as_mut_ptr()).cast::<Real>();
                let mut to = [null; spell::WIDTH];
                for lane in 0..spell::WIDTH {
                    to[lane] = row(rows, count, first, indices[lane], null).cast_mut();
                }
                for block in 0..C / spell::BLOCK {
                    let c = block * spell::BLOCK;
                    let mut square = [Self::ZERO.0; spell::BLOCK];
                    for j in 0..spell::BLOCK {
                        square[j] = columns[c + j].0;
                    }
                    let square = isa!(spell::transpose(square));
                    for j in 0..spell::BLOCK {
                        isa!(spell::store_rows(&to, j, c, square[j]));
                    }
                }
            }
        }

        impl Mask for $mask {
            #[inline(always)]
            fn from_bits(bits: u32) -> Self {
                Self(isa!(spell::from_bits(bits)))
            }

            #[inline(always)]
            fn bits(self) -> u32 {
                isa!(spell::bits(self.0))
            }

            #[inline(always)]
            fn any(self) -> bool {
                isa!(spell::any(self.0))
            }

            #[inline(always)]
            fn all(self) -> bool {
                isa!(spell::all(self.0))
            }
        }

        macro_rules! operator {
            ($trait:ident, $method:ident, $assign:ident, $assign_method:ident) => {
                impl $trait for $lane {
                    type Output = Self;
                    #[inline(always)]
                    fn $method(self, o: Self) -> Self {
                        Self(isa!(spell::$method(self.0, o.0)))
                    }
                }
                impl $assign for $lane {
                    #[inline(always)]
                    fn $assign_method(&mut self, o: Self) {
                        *self = $trait::$method(*self, o);
                    }
                }
            };
        }

        operator!(Add, add, AddAssign, add_assign);
        operator!(Sub, sub, SubAssign, sub_assign);
        operator!(Mul, mul, MulAssign, mul_assign);
        operator!(Div, div, DivAssign, div_assign);

        impl Neg for $lane {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(isa!(spell::neg(self.0)))
            }
        }

        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, o: Self) -> Self {
                Self(isa!(spell::and(self.0, o.0)))
            }
        }

        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, o: Self) -> Self {
                Self(isa!(spell::or(self.0, o.0)))
            }
        }

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(isa!(spell::not(self.0)))
            }
        }
    };
}
pub(super) use vector_lane;
