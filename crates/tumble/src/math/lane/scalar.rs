//! The lane of width 1: what every wider one must agree with to the bit.

use super::{Lane, Mask, Num, Real, row, sealed::Sealed};
use crate::math::Quad;

impl Sealed for Real {}

impl Lane for Real {
    const WIDTH: usize = 1;
    type Mask = bool;
    type Packed = Quad;

    #[inline(always)]
    fn load(values: &[Real]) -> Self {
        values[0]
    }

    #[inline(always)]
    fn store(self, values: &mut [Real]) {
        values[0] = self;
    }

    #[inline(always)]
    fn less(self, o: Self) -> bool {
        self < o
    }

    #[inline(always)]
    fn less_eq(self, o: Self) -> bool {
        self <= o
    }

    #[inline(always)]
    fn greater(self, o: Self) -> bool {
        self > o
    }

    #[inline(always)]
    fn greater_eq(self, o: Self) -> bool {
        self >= o
    }

    #[inline(always)]
    fn equal(self, o: Self) -> bool {
        self == o
    }

    #[inline(always)]
    fn not_equal(self, o: Self) -> bool {
        self != o
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Real::copysign(self, sign)
    }

    #[inline(always)]
    unsafe fn gather<const N: usize, const C: usize>(
        rows: *const [Real; N],
        count: usize,
        first: usize,
        indices: &[u32],
    ) -> [Self; C] {
        const { assert!(C.is_multiple_of(4)) };
        assert!(first + C <= N);
        let zeros = const { &[Real::ZERO; C] };
        // SAFETY: the caller vouches for the rows; `first + C` columns lie in each, and in the zeros.
        unsafe { row(rows, count, first, indices[0], zeros.as_ptr()).cast::<[Real; C]>().read() }
    }

    #[inline(always)]
    unsafe fn scatter<const N: usize, const C: usize>(
        columns: [Self; C],
        rows: *mut [Real; N],
        count: usize,
        first: usize,
        indices: &[u32],
    ) {
        const { assert!(C.is_multiple_of(4)) };
        assert!(first + C <= N);
        let index = indices[0] as usize;
        if index < count {
            // SAFETY: the caller vouches for the rows, of which `index` is one; `first + C` columns lie in it.
            unsafe { rows.add(index).cast::<Real>().add(first).cast::<[Real; C]>().write(columns) }
        }
    }
}

impl Mask for bool {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits & 1 != 0
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self
    }

    #[inline(always)]
    fn all(self) -> bool {
        self
    }
}
