//! Lanes as plain arrays, for targets without vector registers, and for testing any width anywhere.

use super::{Lane, Mask, Num, Real, sealed::Sealed};
use crate::math::Quad;
use core::array::from_fn;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign};

/// `W` numbers side by side.
#[derive(Clone, Copy, Debug)]
pub struct Portable<const W: usize>([Real; W]);

/// `W` truth values side by side.
#[derive(Clone, Copy, Debug)]
pub struct PortableMask<const W: usize>([bool; W]);

impl<const W: usize> Portable<W> {
    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(Real, Real) -> Real) -> Self {
        Self(from_fn(|i| f(self.0[i], o.0[i])))
    }

    #[inline(always)]
    fn compare(self, o: Self, f: impl Fn(Real, Real) -> bool) -> PortableMask<W> {
        PortableMask(from_fn(|i| f(self.0[i], o.0[i])))
    }
}

impl<const W: usize> Num for Portable<W> {
    const ZERO: Self = Self([0.0; W]);
    const ONE: Self = Self([1.0; W]);

    #[inline(always)]
    fn splat(value: Real) -> Self {
        Self([value; W])
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(Num::sqrt))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(Num::abs))
    }

    #[inline(always)]
    fn min(self, o: Self) -> Self {
        self.zip(o, Num::min)
    }

    #[inline(always)]
    fn max(self, o: Self) -> Self {
        self.zip(o, Num::max)
    }
}

impl<const W: usize> Sealed for Portable<W> {}

impl<const W: usize> Lane for Portable<W> {
    const WIDTH: usize = W;
    type Mask = PortableMask<W>;
    type Packed = Quad;

    #[inline(always)]
    fn load(values: &[Real]) -> Self {
        Self(from_fn(|i| values[..W][i]))
    }

    #[inline(always)]
    fn store(self, values: &mut [Real]) {
        values[..W].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn less(self, o: Self) -> PortableMask<W> {
        self.compare(o, |a, b| a < b)
    }

    #[inline(always)]
    fn less_eq(self, o: Self) -> PortableMask<W> {
        self.compare(o, |a, b| a <= b)
    }

    #[inline(always)]
    fn greater(self, o: Self) -> PortableMask<W> {
        self.compare(o, |a, b| a > b)
    }

    #[inline(always)]
    fn greater_eq(self, o: Self) -> PortableMask<W> {
        self.compare(o, |a, b| a >= b)
    }

    #[inline(always)]
    fn equal(self, o: Self) -> PortableMask<W> {
        self.compare(o, |a, b| a == b)
    }

    #[inline(always)]
    fn not_equal(self, o: Self) -> PortableMask<W> {
        self.compare(o, |a, b| a != b)
    }

    #[inline(always)]
    fn select(mask: PortableMask<W>, yes: Self, no: Self) -> Self {
        Self(from_fn(|i| if mask.0[i] { yes.0[i] } else { no.0[i] }))
    }

    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        self.zip(sign, Real::copysign)
    }

    #[inline(always)]
    unsafe fn gather<const N: usize, const C: usize>(
        rows: *const [Real; N],
        count: usize,
        first: usize,
        indices: &[u32],
    ) -> [Self; C] {
        let mut columns = [Self::ZERO; C];
        for lane in 0..W {
            // SAFETY: passed on from the caller.
            let row = unsafe { <Real as Lane>::gather::<N, C>(rows, count, first, &indices[..W][lane..]) };
            for c in 0..C {
                columns[c].0[lane] = row[c];
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
        for lane in 0..W {
            let row: [Real; C] = from_fn(|c| columns[c].0[lane]);
            // SAFETY: passed on from the caller.
            unsafe { <Real as Lane>::scatter::<N, C>(row, rows, count, first, &indices[..W][lane..]) }
        }
    }
}

impl<const W: usize> Mask for PortableMask<W> {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        Self(from_fn(|i| bits >> i & 1 != 0))
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        (0..W).fold(0, |bits, i| bits | u32::from(self.0[i]) << i)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        self.0.iter().all(|&b| b)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $op:tt) => {
        impl<const W: usize> $trait for Portable<W> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                self.zip(o, |a, b| a $op b)
            }
        }
        impl<const W: usize> $assign for Portable<W> {
            #[inline(always)]
            fn $assign_method(&mut self, o: Self) {
                *self = *self $op o;
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign, +);
operator!(Sub, sub, SubAssign, sub_assign, -);
operator!(Mul, mul, MulAssign, mul_assign, *);
operator!(Div, div, DivAssign, div_assign, /);

impl<const W: usize> Neg for Portable<W> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|a| -a))
    }
}

impl<const W: usize> BitAnd for PortableMask<W> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, o: Self) -> Self {
        Self(from_fn(|i| self.0[i] & o.0[i]))
    }
}

impl<const W: usize> BitOr for PortableMask<W> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, o: Self) -> Self {
        Self(from_fn(|i| self.0[i] | o.0[i]))
    }
}

impl<const W: usize> Not for PortableMask<W> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.map(|b| !b))
    }
}
