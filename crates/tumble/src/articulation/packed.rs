//! Spatial algebra (see [`spatial`](crate::math::spatial)) with vectors in registers, for passes over a tree: the same formulas, the same
//! order of sums and so the same bits, in fewer instructions where there are registers for them.
//!
//! What lies in memory has a name of its own: [`Six`] for a motion or a wrench, [`Frame`] for a place, [`Heavy`] for an articulated
//! inertia. `load` takes it to registers, and what is there is `In<P>`.

use super::kind::Place;
use crate::math::spatial::{Motion, Wrench};
use crate::math::{Mat3, Packed, Quad, Sym3, Vec3};
use core::ops::{Add, Sub};

/// A motion or a wrench in memory, the angular part first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Six {
    pub angular: Quad,
    pub linear: Quad,
}

/// The same in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SixIn<P> {
    pub angular: P,
    pub linear: P,
}

impl Six {
    pub const ZERO: Self = Self { angular: Quad::ZERO, linear: Quad::ZERO };

    #[inline(always)]
    pub fn load<P: Packed>(&self) -> SixIn<P> {
        SixIn { angular: P::load(&self.angular), linear: P::load(&self.linear) }
    }

    #[inline(always)]
    pub fn motion(&self) -> Motion<f64> {
        Motion { angular: self.angular.into(), linear: self.linear.into() }
    }

    #[inline(always)]
    pub fn wrench(&self) -> Wrench<f64> {
        Wrench { torque: self.angular.into(), force: self.linear.into() }
    }
}

impl From<Motion<f64>> for Six {
    #[inline(always)]
    fn from(m: Motion<f64>) -> Self {
        Self { angular: m.angular.into(), linear: m.linear.into() }
    }
}

impl From<Wrench<f64>> for Six {
    #[inline(always)]
    fn from(w: Wrench<f64>) -> Self {
        Self { angular: w.torque.into(), linear: w.force.into() }
    }
}

impl<P: Packed> Add for SixIn<P> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { angular: self.angular + o.angular, linear: self.linear + o.linear }
    }
}

impl<P: Packed> Sub for SixIn<P> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { angular: self.angular - o.angular, linear: self.linear - o.linear }
    }
}

impl<P: Packed> SixIn<P> {
    #[inline(always)]
    pub fn zero() -> Self {
        Self { angular: P::zero(), linear: P::zero() }
    }

    /// See [`Motion::turning`].
    #[inline(always)]
    pub fn turning(omega: P, point: P) -> Self {
        Self { angular: omega, linear: point.cross(omega) }
    }

    #[inline(always)]
    pub fn sliding(velocity: P) -> Self {
        Self { angular: P::zero(), linear: velocity }
    }

    #[inline(always)]
    pub fn store(self, to: &mut Six) {
        self.angular.store(&mut to.angular);
        self.linear.store(&mut to.linear);
    }

    #[inline(always)]
    pub fn wrench(self) -> Wrench<f64> {
        Wrench { torque: self.angular.vec3(), force: self.linear.vec3() }
    }

    #[inline(always)]
    pub fn times(self, value: f64) -> Self {
        let value = P::splat(value);
        Self { angular: self.angular * value, linear: self.linear * value }
    }

    /// The power of a wrench on a motion.
    #[inline(always)]
    pub fn dot(self, o: Self) -> f64 {
        let [angular, linear] = P::dots(self.angular, o.angular, self.linear, o.linear);
        angular + linear
    }

    /// Of motions: see [`Motion::cross`].
    #[inline(always)]
    pub fn cross(self, m: Self) -> Self {
        Self {
            angular: self.angular.cross(m.angular),
            linear: self.angular.cross(m.linear) + self.linear.cross(m.angular),
        }
    }

    /// Of a motion and a wrench: see [`Motion::cross_wrench`].
    #[inline(always)]
    pub fn cross_wrench(self, w: Self) -> Self {
        Self {
            angular: self.angular.cross(w.angular) + self.linear.cross(w.linear),
            linear: self.angular.cross(w.linear),
        }
    }

    /// Of a motion: see [`Motion::velocity_at`].
    #[inline(always)]
    pub fn velocity_at(self, p: P) -> P {
        self.linear + self.angular.cross(p)
    }
}

/// A place in memory: axes by columns, and origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub rotation: [Quad; 3],
    pub origin: Quad,
}

/// The same in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameIn<P> {
    pub rotation: [P; 3],
    pub origin: P,
}

/// The matrix 1 by columns.
pub(super) const UNIT: [Quad; 3] = [Quad([1.0, 0.0, 0.0, 0.0]), Quad([0.0, 1.0, 0.0, 0.0]), Quad([0.0, 0.0, 1.0, 0.0])];

impl Frame {
    pub const IDENTITY: Self = Self { rotation: UNIT, origin: Quad::ZERO };

    #[inline(always)]
    pub fn load<P: Packed>(&self) -> FrameIn<P> {
        let [x, y, z] = &self.rotation;
        FrameIn { rotation: [P::load(x), P::load(y), P::load(z)], origin: P::load(&self.origin) }
    }

    #[inline(always)]
    pub fn unpacked(&self) -> Place {
        let [x, y, z] = self.rotation;
        Place { rotation: Mat3::from_columns(x.into(), y.into(), z.into()), origin: self.origin.into() }
    }
}

impl<P: Packed> FrameIn<P> {
    #[inline(always)]
    pub fn of(place: &Place) -> Self {
        let r = &place.rotation;
        Self { rotation: [P::of(r.x), P::of(r.y), P::of(r.z)], origin: P::of(place.origin) }
    }

    #[inline(always)]
    pub fn store(self, to: &mut Frame) {
        let [x, y, z] = self.rotation;
        x.store(&mut to.rotation[0]);
        y.store(&mut to.rotation[1]);
        z.store(&mut to.rotation[2]);
        self.origin.store(&mut to.origin);
    }

    /// R v
    #[inline(always)]
    pub fn turn(&self, v: &Vec3<f64>) -> P {
        self.rotation[0].times(v.x) + self.rotation[1].times(v.y) + self.rotation[2].times(v.z)
    }

    #[inline(always)]
    pub fn point(&self, p: &Vec3<f64>) -> P {
        self.origin + self.turn(p)
    }

    /// R M by columns.
    #[inline(always)]
    pub fn turned_by(&self, m: &Mat3<f64>) -> [P; 3] {
        [self.turn(&m.x), self.turn(&m.y), self.turn(&m.z)]
    }
}

/// An articulated inertia in memory, by columns: torque and force per angular acceleration, torque and force per linear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heavy {
    angular: [Six; 3],
    linear: [Six; 3],
}

/// The same in registers: \[\[I, H\], \[Hᵀ, M\]\], each block by columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeavyIn<P> {
    /// I
    pub angular: [P; 3],
    /// H
    pub coupling: [P; 3],
    /// Hᵀ
    pub transposed: [P; 3],
    /// M
    pub linear: [P; 3],
}

impl Heavy {
    pub const ZERO: Self = Self { angular: [Six::ZERO; 3], linear: [Six::ZERO; 3] };

    #[inline(always)]
    pub fn load<P: Packed>(&self) -> HeavyIn<P> {
        let ([a, b, c], [d, e, f]) = (&self.angular, &self.linear);
        HeavyIn {
            angular: [P::load(&a.angular), P::load(&b.angular), P::load(&c.angular)],
            transposed: [P::load(&a.linear), P::load(&b.linear), P::load(&c.linear)],
            coupling: [P::load(&d.angular), P::load(&e.angular), P::load(&f.angular)],
            linear: [P::load(&d.linear), P::load(&e.linear), P::load(&f.linear)],
        }
    }
}

/// The sum of matrices by columns.
#[inline(always)]
fn add<P: Packed>(a: [P; 3], b: [P; 3]) -> [P; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The difference of matrices by columns.
#[inline(always)]
fn sub<P: Packed>(a: [P; 3], b: [P; 3]) -> [P; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a bᵀ for b along a, by columns, with the same products on both sides of the diagonal.
#[inline(always)]
fn symmetric_outer<P: Packed>(a: P, b: P) -> [P; 3] {
    [a.xs() * b, a.xyy() * b.yyz(), a * b.zs()]
}

impl<P: Packed> HeavyIn<P> {
    /// Of a rigid body, by its inertia about its centre: \[\[I + m (|c|² 1 - c cᵀ), m c×\], \[(m c×)ᵀ, m 1\]\].
    #[inline(always)]
    pub fn of_rigid(mass: f64, centre: P, inertia: [P; 3]) -> Self {
        let [coupling, transposed] = centre.times(mass).skew();
        let [x, y, z] = UNIT;
        Self {
            angular: about_origin(mass, centre, inertia),
            coupling,
            transposed,
            linear: [P::load(&x).times(mass), P::load(&y).times(mass), P::load(&z).times(mass)],
        }
    }

    #[inline(always)]
    pub fn store(self, to: &mut Heavy) {
        for (k, to) in to.angular.iter_mut().enumerate() {
            SixIn { angular: self.angular[k], linear: self.transposed[k] }.store(to);
        }
        for (k, to) in to.linear.iter_mut().enumerate() {
            SixIn { angular: self.coupling[k], linear: self.linear[k] }.store(to);
        }
    }

    #[inline(always)]
    pub fn plus(self, o: Self) -> Self {
        Self {
            angular: add(self.angular, o.angular),
            coupling: add(self.coupling, o.coupling),
            transposed: add(self.transposed, o.transposed),
            linear: add(self.linear, o.linear),
        }
    }

    /// \[I ω + H v; Hᵀ ω + M v\] of a motion in memory.
    #[inline(always)]
    pub fn times(&self, v: &Six) -> SixIn<P> {
        SixIn {
            angular: P::matrix_times(self.angular, &v.angular) + P::matrix_times(self.coupling, &v.linear),
            linear: P::matrix_times(self.transposed, &v.angular) + P::matrix_times(self.linear, &v.linear),
        }
    }

    /// Iᴬ - u uᵀ / d; see [`ArticulatedInertia::reduced`](crate::math::spatial::ArticulatedInertia::reduced).
    #[inline(always)]
    pub fn reduced(self, u: SixIn<P>, inverse: f64) -> Self {
        let SixIn { angular: n, linear: f } = u.times(inverse);
        let (t, force) = (u.angular, u.linear);
        Self {
            angular: sub(self.angular, symmetric_outer(t, n)),
            coupling: sub(self.coupling, [t * f.xs(), t * f.ys(), t * f.zs()]),
            transposed: sub(self.transposed, [t.xs() * f, t.ys() * f, t.zs() * f]),
            linear: sub(self.linear, symmetric_outer(force, f)),
        }
    }

    /// |ω|² tr I + |v|² tr M of a motion: what the inertia along it is a share of.
    #[inline(always)]
    pub fn size(&self, v: SixIn<P>) -> f64 {
        let one = P::splat(1.0);
        let [angular, linear] = P::dots(v.angular, v.angular, v.linear, v.linear);
        let [i, m] = P::dots(P::diagonal(self.angular), one, P::diagonal(self.linear), one);
        angular * i + linear * m
    }
}

/// I + m (|c|² 1 - c cᵀ), by columns.
#[inline(always)]
pub(super) fn about_origin<P: Packed>(mass: f64, c: P, inertia: [P; 3]) -> [P; 3] {
    let squares = c * c;
    // y² + z², z² + x², x² + y²
    let diagonal = squares.yzx() + squares.yzx().yzx();
    // Taken away, so that the diagonal is added and the rest is not.
    let less = P::with_diagonal([c * c.xs(), c * c.ys(), c * c.zs()], P::zero() - diagonal);
    let m = P::splat(mass);
    [inertia[0] - less[0] * m, inertia[1] - less[1] * m, inertia[2] - less[2] * m]
}

/// A symmetric matrix by its entries, from columns.
#[inline(always)]
pub(crate) fn sym3([x, y, z]: &[Quad; 3]) -> Sym3<f64> {
    Sym3 { xx: x.0[0], xy: x.0[1], xz: x.0[2], yy: y.0[1], yz: y.0[2], zz: z.0[2] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::spatial::{ArticulatedInertia, SpatialInertia};
    use crate::math::{Isa, Kernel, Lane};
    use proptest::prelude::*;

    /// Of two rigid bodies on one joint: U, what is left of their inertia, how a motion and a wrench change along a motion, and a power.
    struct Joined {
        bodies: [(f64, Vec3<f64>, Sym3<f64>); 2],
        motions: [Motion<f64>; 2],
        inverse: f64,
    }

    impl Kernel for Joined {
        type Output = (ArticulatedInertia<f64>, [Motion<f64>; 5], [Wrench<f64>; 3], [f64; 2]);
        #[inline(always)]
        fn run<L: Lane>(self) -> Self::Output {
            let body = |k: usize| {
                let (mass, centre, s) = self.bodies[k];
                let m = s.to_mat3();
                HeavyIn::<L::Packed>::of_rigid(
                    mass,
                    Packed::of(centre),
                    [Packed::of(m.x), Packed::of(m.y), Packed::of(m.z)],
                )
            };
            let (axis, other) = (Six::from(self.motions[0]), Six::from(self.motions[1]));
            let mut kept = Heavy::ZERO;
            body(0).plus(body(1)).store(&mut kept);
            let sum = kept.load::<L::Packed>();
            let u = sum.times(&axis);
            sum.reduced(u, self.inverse).store(&mut kept);
            let left = kept.load::<L::Packed>();
            let (mut crossed, mut added) = (Six::ZERO, Six::ZERO);
            axis.load::<L::Packed>().cross(other.load()).store(&mut crossed);
            (axis.load::<L::Packed>() + other.load().times(self.inverse)).store(&mut added);
            // A frame, though of no rotation: two points in it, and the matrix on another.
            let place = Place { rotation: self.bodies[0].2.to_mat3(), origin: self.bodies[0].1 };
            let (frame, mut kept_frame) = (FrameIn::<L::Packed>::of(&place), Frame::IDENTITY);
            frame.store(&mut kept_frame);
            let frame = kept_frame.load::<L::Packed>();
            let [point, turned] = [frame.point(&self.bodies[1].1), frame.turn(&self.bodies[1].1)];
            let [x, y, z] = frame.turned_by(&self.bodies[1].2.to_mat3());
            let velocity = axis.load::<L::Packed>().velocity_at(point);
            let framed =
                |angular: L::Packed, linear: L::Packed| Motion { angular: angular.vec3(), linear: linear.vec3() };
            let frames = [framed(x, y), framed(z, turned), framed(point, velocity)];
            let full = |m: [L::Packed; 3]| Mat3::from_columns(m[0].vec3(), m[1].vec3(), m[2].vec3());
            // Both halves of what is symmetric are the same to the bit.
            let [angular, linear] = [full(left.angular), full(left.linear)];
            assert_eq!((angular, linear), (angular.transpose(), linear.transpose()));
            assert_eq!(full(left.transposed), full(left.coupling).transpose());
            let left = ArticulatedInertia {
                angular: Sym3::from_mat3(&angular),
                coupling: full(left.coupling),
                linear: Sym3::from_mat3(&linear),
            };
            let wrenches = [u, u - sum.times(&other), axis.load().cross_wrench(u)];
            let [a, b, c] = wrenches;
            let numbers = [axis.load().dot(u), sum.size(axis.load())];
            let [x, y, z] = frames;
            (left, [crossed.motion(), added.motion(), x, y, z], [a.wrench(), b.wrench(), c.wrench()], numbers)
        }
    }

    /// The same in the algebra of `spatial`.
    fn expected(of: &Joined) -> <Joined as Kernel>::Output {
        let body = |k: usize| {
            let (mass, centre, inertia) = of.bodies[k];
            ArticulatedInertia::from(SpatialInertia::about_centre(mass, centre, inertia))
        };
        let ([axis, other], sum) = (of.motions, body(0) + body(1));
        let u = sum * axis;
        let size =
            axis.angular.length_squared() * sum.angular.trace() + axis.linear.length_squared() * sum.linear.trace();
        let wrenches = [u, u - sum * other, axis.cross_wrench(u)];
        let (place, [_, (_, p, s)]) = (Place { rotation: of.bodies[0].2.to_mat3(), origin: of.bodies[0].1 }, of.bodies);
        let (point, turned) = (place.point(p), place.rotation * s.to_mat3());
        let frames = [
            Motion { angular: turned.x, linear: turned.y },
            Motion { angular: turned.z, linear: place.rotation * p },
            Motion { angular: point, linear: axis.velocity_at(point) },
        ];
        let [x, y, z] = frames;
        let motions = [axis.cross(other), axis + other * of.inverse, x, y, z];
        (sum.reduced(u, of.inverse), motions, wrenches, [axis.dot(u), size])
    }

    proptest! {
        /// In registers the algebra is what it is elsewhere, to the bit, with every set of instructions.
        #[test]
        fn registers_change_no_bit(n in prop::array::uniform32(-10.0_f64..10.0), inverse in 0.0_f64..5.0) {
            let v = |i: usize| Vec3::new(n[i], n[i + 1], n[i + 2]);
            let body = |i: usize| {
                let s = Sym3 { xx: n[i + 4], yy: n[i + 5], zz: n[i + 6], xy: n[i + 7], xz: n[i + 8], yz: n[i + 9] };
                (n[i].abs(), v(i + 1), s)
            };
            let motion = |i: usize| Motion { angular: v(i), linear: v(i + 3) };
            let joined = || Joined { bodies: [body(0), body(10)], motions: [motion(20), motion(26)], inverse };
            let wanted = expected(&joined());
            for isa in Isa::available() {
                let found = isa.dispatch(joined());
                prop_assert_eq!(&found, &wanted, "{:?}", isa);
                // Signs of zeros, too.
                prop_assert_eq!(format!("{found:?}"), format!("{wanted:?}"), "{:?}", isa);
            }
        }
    }
}
