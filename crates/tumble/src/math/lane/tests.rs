//! Every lane against the scalar form, bit by bit.

use super::portable::Portable;
use super::{Isa, Kernel, LANES, Lane, Mask, NO_ROW, Real, Vec3};
use crate::math::{Mat3, Quat, Sym3};
use proptest::prelude::*;

#[cfg(not(tumble_f64))]
type Bits = u32;
#[cfg(tumble_f64)]
type Bits = u64;

/// The bits, with every NaN made the same: its sign and payload are the processor's business.
fn bits(x: Real) -> Bits {
    if x.is_nan() { Real::NAN.to_bits() } else { x.to_bits() }
}

/// Runs a kernel in every form this machine has, and in arrays of every width; all must give what the scalar form gives.
fn agree<K: Kernel + Clone>(kernel: &K) -> K::Output
where
    K::Output: PartialEq + core::fmt::Debug,
{
    let scalar = kernel.clone().run::<Real>();
    for isa in Isa::available() {
        assert_eq!(scalar, isa.dispatch(kernel.clone()), "{isa:?}");
    }
    assert_eq!(scalar, kernel.clone().run::<Portable<2>>());
    assert_eq!(scalar, kernel.clone().run::<Portable<LANES>>());
    scalar
}

/// The bits of all results of every operation on `a[i]`, `b[i]`; the lengths are multiples of `LANES`.
#[derive(Clone)]
struct EveryOperation<'a> {
    a: &'a [Real],
    b: &'a [Real],
}

impl Kernel for EveryOperation<'_> {
    type Output = Vec<(&'static str, Vec<Bits>)>;

    #[inline(always)]
    fn run<L: Lane>(self) -> Self::Output {
        let mut numbers: [(&str, Vec<Bits>); 13] = core::array::from_fn(|_| ("", Vec::new()));
        let mut truths: [(&str, Vec<Bits>); 9] = core::array::from_fn(|_| ("", Vec::new()));
        for i in (0..self.a.len()).step_by(L::WIDTH) {
            let (a, b) = (L::load(&self.a[i..]), L::load(&self.b[i..]));
            let mut sum = a;
            sum += b;
            sum *= a;
            sum -= b;
            sum /= a;
            let results = [
                ("add", a + b),
                ("sub", a - b),
                ("mul", a * b),
                ("div", a / b),
                ("neg", -a),
                ("sqrt", a.sqrt()),
                ("abs", a.abs()),
                ("min", a.min(b)),
                ("max", a.max(b)),
                ("copysign", Lane::copysign(a, b)),
                ("limit", a.limit(-b.abs(), b.abs())),
                ("select", L::select(a.less(b), a, b)),
                ("assign", sum),
            ];
            for (all, (name, value)) in numbers.iter_mut().zip(results) {
                let mut values = [0.0; LANES];
                value.store(&mut values);
                all.0 = name;
                all.1.extend(values[..L::WIDTH].iter().copied().map(bits));
            }
            let (x, y) = (a.less(b), a.equal(b));
            let masks = [
                ("less", a.less(b)),
                ("less_eq", a.less_eq(b)),
                ("greater", a.greater(b)),
                ("greater_eq", a.greater_eq(b)),
                ("equal", a.equal(b)),
                ("not_equal", a.not_equal(b)),
                ("and", a.less_eq(b) & a.greater_eq(b)),
                ("or", x | y),
                ("not", !x),
            ];
            for (all, (name, mask)) in truths.iter_mut().zip(masks) {
                let bits = mask.bits();
                assert_eq!(mask.any(), bits != 0);
                assert_eq!(mask.all(), bits == (1 << L::WIDTH) - 1);
                assert_eq!(L::Mask::from_bits(bits).bits(), bits);
                all.0 = name;
                all.1.extend((0..L::WIDTH).map(|lane| Bits::from(bits >> lane & 1)));
            }
        }
        numbers.into_iter().chain(truths).collect()
    }
}

/// All pairs of the numbers at which instruction sets are known to differ, or might.
#[test]
fn every_operation_on_special_numbers() {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        3.0,
        0.1,
        Real::MIN_POSITIVE,
        -Real::MIN_POSITIVE / 3.0,
        Real::from_bits(1),
        Real::MAX,
        Real::MIN,
        Real::INFINITY,
        Real::NEG_INFINITY,
        Real::NAN,
        1.0 + Real::EPSILON,
        1.0 - Real::EPSILON / 2.0,
    ];
    let pairs: Vec<(Real, Real)> = special.iter().flat_map(|&a| special.iter().map(move |&b| (a, b))).collect();
    let (a, b): (Vec<Real>, Vec<Real>) = pairs.into_iter().unzip();
    let results = agree(&EveryOperation { a: &a, b: &b });
    let of = |name: &str| &results.iter().find(|r| r.0 == name).expect("an operation of this name").1;
    for i in 0..a.len() {
        // The documented meaning, stated again in plain numbers.
        assert_eq!(of("min")[i], bits(if a[i] < b[i] { a[i] } else { b[i] }));
        assert_eq!(of("max")[i], bits(if a[i] > b[i] { a[i] } else { b[i] }));
        assert_eq!(of("sqrt")[i], bits(a[i].sqrt()));
        assert_eq!(of("div")[i], bits(a[i] / b[i]));
        assert_eq!(of("not_equal")[i], Bits::from(a[i] != b[i]));
    }
}

fn any_bits() -> impl Strategy<Value = Vec<Real>> {
    prop::collection::vec(any::<Bits>().prop_map(Real::from_bits), 2 * LANES)
}

/// Part of a contact solver's inner loop: rows gathered, a soft constraint solved, rows scattered. It is here for the
/// mix: `Vec3`, `Quat`, `Mat3` and `Sym3` of lanes, division, square root, limits and null rows together.
#[derive(Clone)]
struct Contact<'a> {
    bodies: &'a [[Real; 16]],
    pairs: &'a [([u32; LANES], [u32; LANES])],
    normal: Vec3,
    softness: Real,
}

impl Kernel for Contact<'_> {
    type Output = Vec<[Bits; 16]>;

    #[inline(always)]
    fn run<L: Lane>(self) -> Self::Output {
        let mut bodies = self.bodies.to_vec();
        let normal = Vec3::<L>::broadcast(self.normal);
        for (a, b) in self.pairs {
            for i in (0..LANES).step_by(L::WIDTH) {
                let mut body_a = L::load_columns::<16, 8>(&bodies, 0, &a[i..]);
                let body_b = L::load_transposed(&bodies, &b[i..]);
                let v = Vec3::new(body_a[0], body_a[1], body_a[2]) - Vec3::new(body_b[0], body_b[1], body_b[2]);
                let w = Vec3::new(body_a[4], body_a[5], body_a[6]) - Vec3::new(body_b[4], body_b[5], body_b[6]);
                let q = Quat::new(body_b[8], body_b[9], body_b[10], body_b[11] + L::splat(2.0)).normalized();
                let r = q.rotate(Vec3::new(body_b[12], body_b[13], body_b[14]));
                let inertia = Sym3::rotated_diagonal(&q.to_mat3(), Vec3::all(L::splat(0.5)));
                let rn = r.cross(normal);
                let k = L::ONE + inertia.quadratic(rn) + L::splat(self.softness);
                let speed = (v + w.cross(r)).dot(normal);
                let impulse = (-speed / k).limit(L::ZERO, L::splat(4.0));
                let friction = Vec3::select(speed.less(L::ZERO), v - normal * speed, Vec3::ZERO);
                let turn = (Mat3::skew(r) * normal - rn) + inertia * rn * impulse;
                for (c, x) in [normal.x, normal.y, normal.z].into_iter().enumerate() {
                    body_a[c] += x * impulse - [friction.x, friction.y, friction.z][c] * L::splat(0.1);
                    body_a[4 + c] += [turn.x, turn.y, turn.z][c];
                }
                L::store_columns::<16, 8>(body_a, &mut bodies, 0, &a[i..]);
            }
        }
        bodies.into_iter().map(|row| row.map(bits)).collect()
    }
}

/// Columns `FIRST .. FIRST + C` of rows of `N` are fetched, negated and put back to other rows.
#[derive(Clone)]
struct Exchange<'a, const N: usize, const C: usize> {
    rows: &'a [[Real; N]],
    first: usize,
    from: &'a [u32],
    to: &'a [u32],
}

impl<const N: usize, const C: usize> Kernel for Exchange<'_, N, C> {
    type Output = Vec<[Bits; N]>;

    #[inline(always)]
    fn run<L: Lane>(self) -> Self::Output {
        let mut rows = self.rows.to_vec();
        for i in (0..self.from.len()).step_by(L::WIDTH) {
            let mut columns = L::load_columns::<N, C>(self.rows, self.first, &self.from[i..]);
            for column in &mut columns {
                *column = -*column;
            }
            L::store_columns::<N, C>(columns, &mut rows, self.first, &self.to[i..]);
        }
        rows.into_iter().map(|row| row.map(bits)).collect()
    }
}

/// What [`Exchange`] must do, in plain loops.
fn exchanged<const N: usize, const C: usize>(e: &Exchange<'_, N, C>) -> Vec<[Bits; N]> {
    let mut rows = e.rows.to_vec();
    for (&from, &to) in e.from.iter().zip(e.to) {
        let values = e.rows.get(from as usize).copied().unwrap_or([0.0; N]);
        if let Some(row) = rows.get_mut(to as usize) {
            for c in e.first..e.first + C {
                row[c] = -values[c];
            }
        }
    }
    rows.into_iter().map(|row| row.map(bits)).collect()
}

const ROWS: usize = 24;

fn rows<const N: usize>() -> impl Strategy<Value = Vec<[Real; N]>> {
    prop::collection::vec(prop::array::uniform(-100.0..100.0 as Real), ROWS)
}

/// Indices in any order without repetition, with some rows that do not exist.
fn distinct(count: usize) -> impl Strategy<Value = Vec<u32>> {
    (Just((0..ROWS as u32).collect::<Vec<_>>()).prop_shuffle(), prop::collection::vec(0..4_u8, count)).prop_map(
        move |(mut order, null)| {
            order.truncate(count);
            for (index, null) in order.iter_mut().zip(null) {
                match null {
                    0 => *index = NO_ROW,
                    1 => *index += ROWS as u32,
                    _ => {}
                }
            }
            order
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 256 }))]

    /// Any bits at all, denormals and NaN among them.
    #[test]
    fn every_operation_on_random_bits(a in any_bits(), b in any_bits()) {
        agree(&EveryOperation { a: &a, b: &b });
    }

    /// The transposes of every shape that the solver uses, null rows read as zeros and dropped when written, nothing else touched.
    #[test]
    fn rows_by_lanes(r4 in rows::<4>(), r8 in rows::<8>(), r12 in rows::<12>(), r16 in rows::<16>(),
                     from in distinct(2 * LANES), to in distinct(2 * LANES)) {
        let (from, to) = (&from, &to);
        let e = Exchange::<4, 4> { rows: &r4, first: 0, from, to };
        prop_assert_eq!(agree(&e), exchanged(&e));
        let e = Exchange::<8, 8> { rows: &r8, first: 0, from, to };
        prop_assert_eq!(agree(&e), exchanged(&e));
        let e = Exchange::<12, 8> { rows: &r12, first: 4, from, to };
        prop_assert_eq!(agree(&e), exchanged(&e));
        let e = Exchange::<16, 16> { rows: &r16, first: 0, from, to };
        prop_assert_eq!(agree(&e), exchanged(&e));
        let e = Exchange::<16, 4> { rows: &r16, first: 11, from, to };
        prop_assert_eq!(agree(&e), exchanged(&e));
    }

    /// A whole kernel on random bodies. No body occurs twice in a block, as a solver's colours see to.
    #[test]
    fn a_contact_kernel(bodies in rows::<16>(), first in distinct(2 * LANES), second in distinct(2 * LANES),
                        softness in 0.0..1.0 as Real) {
        let block = |v: &[u32]| (core::array::from_fn(|i| v[i]), core::array::from_fn(|i| v[LANES + i]));
        let pairs = [block(&first), block(&second)];
        let normal = Vec3::new(0.6, 0.8, 0.0);
        let after = agree(&Contact { bodies: &bodies, pairs: &pairs, normal, softness });
        for (i, (before, after)) in bodies.iter().zip(after).enumerate() {
            let pushed = pairs.iter().any(|(a, _)| a.contains(&(i as u32)));
            prop_assert!(pushed || before.map(bits) == after);
        }
    }
}

/// Too few numbers or indices must be refused, never read past. (WebAssembly has no unwinding to catch.)
#[test]
#[cfg(panic = "unwind")]
#[cfg_attr(miri, ignore = "minutes of unwinding, and no unsafe code is reached")]
fn short_slices_are_refused() {
    #[derive(Clone)]
    struct Short(u8);
    impl Kernel for Short {
        type Output = ();
        #[inline(always)]
        fn run<L: Lane>(self) {
            let (mut values, indices) = (vec![0.0; L::WIDTH - 1], vec![0; L::WIDTH - 1]);
            let mut rows = [[0.0; 8]; 4];
            match self.0 {
                0 => drop(L::load(&values)),
                1 => L::ZERO.store(&mut values),
                2 => drop(L::load_transposed(&rows, &indices)),
                3 => L::store_transposed([L::ZERO; 8], &mut rows, &indices),
                4 => drop(L::load_columns::<8, 4>(&rows, 5, &[0; LANES])),
                _ => L::store_columns::<8, 4>([L::ZERO; 4], &mut rows, 5, &[0; LANES]),
            }
        }
    }
    for isa in Isa::available() {
        for case in 0..6 {
            assert!(std::panic::catch_unwind(|| isa.dispatch(Short(case))).is_err(), "{isa:?}, case {case}");
        }
    }
}

#[test]
fn names_and_widths() {
    let all = Isa::available();
    assert_eq!(all.first(), Some(&Isa::SCALAR));
    assert_eq!(all.last(), Some(&Isa::detect()));
    for isa in all {
        assert_eq!(Isa::named(isa.name()).expect("an available set"), isa);
        assert_eq!(LANES % isa.width(), 0);
    }
    assert_eq!(
        Isa::named("abacus").expect_err("no such set").to_string(),
        "instruction set: name must be one that this machine has, got abacus"
    );
}

#[test]
fn single_lanes() {
    #[derive(Clone)]
    struct Pick;
    impl Kernel for Pick {
        type Output = ();
        #[inline(always)]
        fn run<L: Lane>(self) {
            let values: [Real; LANES] = core::array::from_fn(|i| i as Real);
            let v = Vec3::new(L::load(&values), L::splat(7.0), L::ONE);
            for i in 0..L::WIDTH {
                assert_eq!(v.lane(i), Vec3::new(i as Real, 7.0, 1.0));
            }
            let q = Quat::<L>::broadcast(Quat::new(1.0, 2.0, 3.0, 4.0));
            assert_eq!(q.lane(L::WIDTH - 1), Quat::new(1.0, 2.0, 3.0, 4.0));
            assert!(format!("{:?}", v.y).contains("7.0"));
            assert!(!format!("{:?}", v.y.less(v.z)).is_empty());
        }
    }
    agree(&Pick);
}
