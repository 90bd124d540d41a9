//! A vector of three doubles in one register.
//!
//! A problem that is too narrow for [lanes](super::Lane), as one tree of links is, still has vectors of three: a [`Quad`] keeps one with a fourth
//! number to spare, so that it is read, worked on and written as a whole. A pass over a tree is written once over `P: Packed`
//! and compiled for each set of instructions, as kernels are; [`Lane::Packed`](super::Lane::Packed) says what a set has.
//!
//! All forms compute the same bits as [`Vec3<f64>`](Vec3) does: each operation is one of IEEE 754 for each number, and sums across a vector are
//! taken in the order of x, y, z. The fourth number is never part of an answer.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;

use super::{Sym3, Vec3};
use core::fmt::Debug;
use core::ops::{Add, Mul, Sub};

/// A vector of three in memory, with a fourth number to spare. It is also its own [`Packed`] form, where there is no register for it.
#[derive(Clone, Copy, Debug, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(32))]
pub struct Quad(pub [f64; 4]);

impl Quad {
    /// All zeros.
    pub const ZERO: Self = Self([0.0; 4]);
}

impl From<Vec3<f64>> for Quad {
    #[inline(always)]
    fn from(v: Vec3<f64>) -> Self {
        Self([v.x, v.y, v.z, 0.0])
    }
}

impl From<Quad> for Vec3<f64> {
    #[inline(always)]
    fn from(q: Quad) -> Self {
        let [x, y, z, _] = q.0;
        Self { x, y, z }
    }
}

/// Four numbers side by side, each for itself: what a [`Packed`] vector of three is when its fourth number counts too.
pub trait Fours: Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + sealed::Sealed {
    /// From memory.
    fn load(q: &Quad) -> Self;
    /// To memory.
    fn store(self, q: &mut Quad);
    /// The same number everywhere.
    fn splat(value: f64) -> Self;
    /// (a + c) + (b + d)
    fn sum(self) -> f64;
    /// The sum of each.
    fn sums(of: [Self; 4]) -> Self;
}

/// Three numbers in a register, as an instruction set does them.
pub trait Packed: Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + sealed::Sealed {
    /// The same register with all of its four numbers.
    type Fours: Fours;

    /// From memory.
    fn load(q: &Quad) -> Self;
    /// To memory.
    fn store(self, q: &mut Quad);
    /// The same number everywhere.
    fn splat(value: f64) -> Self;
    /// Its x everywhere.
    fn xs(self) -> Self;
    /// Its y everywhere.
    fn ys(self) -> Self;
    /// Its z everywhere.
    fn zs(self) -> Self;
    /// (y, z, x)
    fn yzx(self) -> Self;
    /// (x, y, y)
    fn xyy(self) -> Self;
    /// (y, y, z)
    fn yyz(self) -> Self;
    /// (x, y, x)
    fn xyx(self) -> Self;
    /// (y, z, z)
    fn yzz(self) -> Self;
    /// The columns of the symmetric matrix with the diagonal (xx, yy, zz) and, beside it, (xy, yz, xz).
    fn symmetric(diagonal: Self, beside: Self) -> [Self; 3];
    /// Its columns with the diagonal replaced: x of the first, y of the second, z of the third.
    fn with_diagonal(columns: [Self; 3], diagonal: Self) -> [Self; 3];
    /// Of columns: (x of the first, y of the second, z of the third).
    fn diagonal(columns: [Self; 3]) -> Self;
    /// v× by columns, and its transpose, which is -(v×).
    fn skew(self) -> [[Self; 3]; 2];
    /// a·b and c·d.
    fn dots(a: Self, b: Self, c: Self, d: Self) -> [f64; 2];

    /// Of three numbers.
    #[inline(always)]
    fn of(v: Vec3<f64>) -> Self {
        Self::load(&Quad::from(v))
    }

    /// All zeros.
    #[inline(always)]
    fn zero() -> Self {
        Self::splat(0.0)
    }

    /// As three numbers.
    #[inline(always)]
    fn vec3(self) -> Vec3<f64> {
        let mut q = Quad::ZERO;
        self.store(&mut q);
        q.into()
    }

    /// The vector product, right-handed.
    #[inline(always)]
    fn cross(self, o: Self) -> Self {
        (self * o.yzx() - self.yzx() * o).yzx()
    }

    /// The product with a number.
    #[inline(always)]
    fn times(self, value: f64) -> Self {
        self * Self::splat(value)
    }

    /// M v of a matrix by columns, v in memory: (M₁ x + M₂ y) + M₃ z.
    #[inline(always)]
    fn matrix_times(m: [Self; 3], v: &Quad) -> Self {
        let [x, y, z, _] = v.0;
        m[0].times(x) + m[1].times(y) + m[2].times(z)
    }

    /// R S Rᵀ by columns, R by columns; the same to the bit as [`Sym3::rotated`].
    #[inline(always)]
    fn rotated(s: &Sym3<f64>, r: [Self; 3]) -> [Self; 3] {
        // The rows of S Rᵀ.
        let x = r[0].times(s.xx) + r[1].times(s.xy) + r[2].times(s.xz);
        let y = r[0].times(s.xy) + r[1].times(s.yy) + r[2].times(s.yz);
        let z = r[0].times(s.xz) + r[1].times(s.yz) + r[2].times(s.zz);
        let diagonal = r[0] * x + r[1] * y + r[2] * z;
        let beside = r[0].xyx() * x.yzz() + r[1].xyx() * y.yzz() + r[2].xyx() * z.yzz();
        Self::symmetric(diagonal, beside)
    }
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for Quad {}

macro_rules! each {
    ($trait:ident, $fn:ident, $op:tt) => {
        impl $trait for Quad {
            type Output = Self;
            #[inline(always)]
            fn $fn(self, o: Self) -> Self {
                let (a, b) = (self.0, o.0);
                Self([a[0] $op b[0], a[1] $op b[1], a[2] $op b[2], 0.0])
            }
        }
    };
}
each!(Add, add, +);
each!(Sub, sub, -);
each!(Mul, mul, *);

/// Four numbers where there is no register for them.
#[derive(Clone, Copy, Debug)]
pub struct Portable([f64; 4]);

impl sealed::Sealed for Portable {}

macro_rules! each_of_four {
    ($trait:ident, $fn:ident, $op:tt) => {
        impl $trait for Portable {
            type Output = Self;
            #[inline(always)]
            fn $fn(self, o: Self) -> Self {
                Self(core::array::from_fn(|k| self.0[k] $op o.0[k]))
            }
        }
    };
}
each_of_four!(Add, add, +);
each_of_four!(Sub, sub, -);
each_of_four!(Mul, mul, *);

impl Fours for Portable {
    #[inline(always)]
    fn load(q: &Quad) -> Self {
        Self(q.0)
    }

    #[inline(always)]
    fn store(self, q: &mut Quad) {
        q.0 = self.0;
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self([value; 4])
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + c) + (b + d)
    }

    #[inline(always)]
    fn sums(of: [Self; 4]) -> Self {
        Self(of.map(Self::sum))
    }
}

impl Quad {
    #[inline(always)]
    const fn new(x: f64, y: f64, z: f64) -> Self {
        Self([x, y, z, 0.0])
    }
}

impl Packed for Quad {
    type Fours = Portable;

    #[inline(always)]
    fn load(q: &Quad) -> Self {
        *q
    }

    #[inline(always)]
    fn store(self, q: &mut Quad) {
        *q = self;
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        Self::new(value, value, value)
    }

    #[inline(always)]
    fn xs(self) -> Self {
        Self::splat(self.0[0])
    }

    #[inline(always)]
    fn ys(self) -> Self {
        Self::splat(self.0[1])
    }

    #[inline(always)]
    fn zs(self) -> Self {
        Self::splat(self.0[2])
    }

    #[inline(always)]
    fn yzx(self) -> Self {
        let [x, y, z, _] = self.0;
        Self::new(y, z, x)
    }

    #[inline(always)]
    fn xyy(self) -> Self {
        let [x, y, ..] = self.0;
        Self::new(x, y, y)
    }

    #[inline(always)]
    fn yyz(self) -> Self {
        let [_, y, z, _] = self.0;
        Self::new(y, y, z)
    }

    #[inline(always)]
    fn xyx(self) -> Self {
        let [x, y, ..] = self.0;
        Self::new(x, y, x)
    }

    #[inline(always)]
    fn yzz(self) -> Self {
        let [_, y, z, _] = self.0;
        Self::new(y, z, z)
    }

    #[inline(always)]
    fn symmetric(diagonal: Self, beside: Self) -> [Self; 3] {
        let ([xx, yy, zz, _], [xy, yz, xz, _]) = (diagonal.0, beside.0);
        [Self::new(xx, xy, xz), Self::new(xy, yy, yz), Self::new(xz, yz, zz)]
    }

    #[inline(always)]
    fn with_diagonal([a, b, c]: [Self; 3], d: Self) -> [Self; 3] {
        [Self::new(d.0[0], a.0[1], a.0[2]), Self::new(b.0[0], d.0[1], b.0[2]), Self::new(c.0[0], c.0[1], d.0[2])]
    }

    #[inline(always)]
    fn diagonal([a, b, c]: [Self; 3]) -> Self {
        Self::new(a.0[0], b.0[1], c.0[2])
    }

    #[inline(always)]
    fn skew(self) -> [[Self; 3]; 2] {
        let [x, y, z, _] = self.0;
        [
            [Self::new(0.0, z, -y), Self::new(-z, 0.0, x), Self::new(y, -x, 0.0)],
            [Self::new(0.0, -z, y), Self::new(z, 0.0, -x), Self::new(-y, x, 0.0)],
        ]
    }

    #[inline(always)]
    fn dots(a: Self, b: Self, c: Self, d: Self) -> [f64; 2] {
        let (p, q) = ((a * b).0, (c * d).0);
        [p[0] + p[1] + p[2], q[0] + q[1] + q[2]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Isa, Kernel, Lane, Mat3};
    use proptest::prelude::*;

    /// All that a register answers about two vectors, a tensor and a rotation.
    struct Everything(Vec3<f64>, Vec3<f64>, Sym3<f64>, Mat3<f64>);

    impl Kernel for Everything {
        type Output = Vec<Vec3<f64>>;
        #[inline(always)]
        fn run<L: Lane>(self) -> Self::Output {
            let Self(u, v, s, m) = self;
            // What is in the fourth place must never be seen.
            let of = |v: Vec3<f64>| Quad([v.x, v.y, v.z, f64::NAN]);
            let (a, b) = (L::Packed::load(&of(u)), L::Packed::load(&of(v)));
            let columns = [L::Packed::load(&of(m.x)), L::Packed::load(&of(m.y)), L::Packed::load(&of(m.z))];
            let [one, other] = L::Packed::dots(a, b, b, b);
            let [skew, transposed] = a.skew();
            let mut all = vec![a + b, a - b, a * b, a.xs(), a.ys(), a.zs(), a.yzx(), a.xyy(), a.yyz(), a.xyx()];
            all.extend([a.yzz(), a.cross(b), a.times(3.0), L::Packed::matrix_times(columns, &of(v))]);
            all.extend(L::Packed::symmetric(a, b));
            all.extend(L::Packed::with_diagonal(columns, a));
            all.extend(skew);
            all.extend(transposed);
            all.extend(L::Packed::rotated(&s, columns));
            let mut out = vec![Vec3::new(one, other, 0.0), L::Packed::diagonal(columns).vec3()];
            for packed in all {
                out.push(packed.vec3());
            }
            out
        }
    }

    /// The same, written with vectors and matrices.
    fn expected(Everything(u, v, s, m): Everything) -> Vec<Vec3<f64>> {
        let each = Vec3::new;
        let columns = |m: Mat3<f64>| [m.x, m.y, m.z];
        let (all, d) = (Vec3::all, u);
        let mut out = vec![each(u.dot(v), v.dot(v), 0.0), each(m.x.x, m.y.y, m.z.z)];
        out.extend([u + v, u - v, u.scale(v), all(u.x), all(u.y), all(u.z)]);
        out.extend([each(u.y, u.z, u.x), each(u.x, u.y, u.y), each(u.y, u.y, u.z), each(u.x, u.y, u.x)]);
        out.extend([each(u.y, u.z, u.z), u.cross(v), u * 3.0, m * v]);
        let symmetric = Sym3 { xx: u.x, yy: u.y, zz: u.z, xy: v.x, yz: v.y, xz: v.z };
        out.extend(columns(symmetric.to_mat3()));
        out.extend([each(d.x, m.x.y, m.x.z), each(m.y.x, d.y, m.y.z), each(m.z.x, m.z.y, d.z)]);
        out.extend(columns(Mat3::skew(u)));
        out.extend(columns(Mat3::skew(u).transpose()));
        out.extend(columns(s.rotated(&m).to_mat3()));
        out
    }

    /// Two fours through every operation.
    struct EachOfFour([f64; 4], [f64; 4]);

    impl Kernel for EachOfFour {
        type Output = ([[f64; 4]; 5], f64);
        #[inline(always)]
        fn run<L: Lane>(self) -> Self::Output {
            fn both<F: Fours>(a: [f64; 4], b: [f64; 4]) -> ([[f64; 4]; 5], f64) {
                let (x, y, mut out) = (F::load(&Quad(a)), F::load(&Quad(b)), Quad::ZERO);
                let all = [x + y, x - y, x * y, F::splat(a[3]), F::sums([x, y, x - y, x * y])].map(|of| {
                    of.store(&mut out);
                    out.0
                });
                (all, x.sum())
            }
            both::<<L::Packed as Packed>::Fours>(self.0, self.1)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 256 }, ..ProptestConfig::default() })]

        /// Every form computes what `Vec3`, `Mat3` and `Sym3` do, to the bit.
        #[test]
        fn packed_is_as_written(n in prop::array::uniform21(-1e3_f64..1e3)) {
            let v = |i: usize| Vec3::new(n[i], n[i + 1], n[i + 2]);
            let s = Sym3 { xx: n[6], yy: n[7], zz: n[8], xy: n[9], xz: n[10], yz: n[11] };
            let everything = || Everything(v(0), v(3), s, Mat3::from_columns(v(12), v(15), v(18)));
            let bits = |all: Vec<Vec3<f64>>| all.into_iter().map(|v| v.to_array().map(f64::to_bits)).collect::<Vec<_>>();
            let wanted = bits(expected(everything()));
            for isa in Isa::available() {
                prop_assert_eq!(&bits(isa.dispatch(everything())), &wanted, "{:?}", isa);
            }
        }

        /// So is what all four numbers take part in.
        #[test]
        fn fours_are_as_written(a in prop::array::uniform4(-1e3_f64..1e3), b in prop::array::uniform4(-1e3_f64..1e3)) {
            let each = |f: fn(f64, f64) -> f64| -> [f64; 4] { core::array::from_fn(|k| f(a[k], b[k])) };
            let sum = |v: [f64; 4]| (v[0] + v[2]) + (v[1] + v[3]);
            let [plus, minus, times] = [each(|a, b| a + b), each(|a, b| a - b), each(|a, b| a * b)];
            let all = [plus, minus, times, [a[3]; 4], [a, b, minus, times].map(sum)];
            for isa in Isa::available() {
                prop_assert_eq!(isa.dispatch(EachOfFour(a, b)), (all, sum(a)), "{:?}", isa);
            }
        }
    }
}
