//! Which routine answers for which pair.

use super::cache::PairCache;
use super::contact::Touch;
use super::convex::ConvexRef;
use super::faceted::Faceted;
use super::manifold::Manifold;
use super::polytope::Small;
use super::{box_box, capsule_triangle, curved, plane, round};
use crate::math::{Isa, Kernel, Lane, Pose, Real};
use crate::method::Narrow;
use crate::shape::{Hull, Sphere};

/// Where `a` and `b` touch or are nearer to each other than `margin`, in A's frame; `b_in_a` is B's pose there.
///
/// Points whose separation is more than `margin` are left out; a manifold without points means that the shapes are
/// farther apart. `cache` belongs to the pair and makes the next query cheaper and its choice of features steady. Two
/// half-spaces never touch. Poses that are not finite, or not rotations, give no points or meaningless ones, but nothing
/// worse.
///
/// ```
/// use tumble::detect::narrow::{collide, ConvexRef, Manifold, PairCache};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::Cuboid;
/// let cube = Cuboid::new(Vec3::all(0.5))?;
/// let (a, b) = (ConvexRef::Cuboid(&cube), ConvexRef::Cuboid(&cube));
/// let (mut cache, mut manifold) = (PairCache::default(), Manifold::default());
/// collide(a, b, &Pose::from_translation(Vec3::new(0.25, 1.0, 0.0)), 0.01, &mut cache, &mut manifold);
/// assert_eq!(manifold.normal, Vec3::Y);
/// assert_eq!(manifold.points().len(), 4);
/// # Ok::<(), tumble::Error>(())
/// ```
pub fn collide(a: ConvexRef, b: ConvexRef, b_in_a: &Pose, margin: Real, cache: &mut PairCache, out: &mut Manifold) {
    use ConvexRef as C;
    match (a, b) {
        (C::Cuboid(p), C::Cuboid(q)) => box_box::collide(p, q, b_in_a, margin, cache, out),
        (C::Sphere(p), C::Sphere(q)) => round::sphere_sphere(p, q, b_in_a, margin, out),
        (C::HalfSpace(p), _) => plane::collide(p, b, b_in_a, margin, out),
        (_, C::HalfSpace(q)) => {
            let a_in_b = b_in_a.inverse();
            plane::collide(q, a, &a_in_b, margin, out);
            out.swap(&a_in_b);
        }
        (C::Sphere(p), _) => {
            let a_in_b = b_in_a.inverse();
            with_sphere(b, p, &a_in_b, margin, cache, out);
            out.swap(&a_in_b);
        }
        (_, C::Sphere(q)) => with_sphere(a, q, b_in_a, margin, cache, out),
        (C::Capsule(p), C::Capsule(q)) => round::capsule_capsule(p, q, b_in_a, margin, out),
        (C::Triangle(p), C::Capsule(q)) => {
            if !capsule_triangle::collide(p, q, b_in_a, margin, out) {
                general(a, b, b_in_a, margin, cache, out);
            }
        }
        (C::Capsule(p), C::Triangle(q)) => {
            let a_in_b = b_in_a.inverse();
            if capsule_triangle::collide(q, p, &a_in_b, margin, out) {
                out.swap(&a_in_b);
            } else {
                general(a, b, b_in_a, margin, cache, out);
            }
        }
        _ => general(a, b, b_in_a, margin, cache, out),
    }
}

/// The same by the routines that a method names.
///
/// ```
/// use tumble::detect::narrow::{ConvexRef, Manifold, PairCache, collide_by};
/// use tumble::math::{Pose, Vec3};
/// use tumble::method::Narrow;
/// use tumble::shape::Cuboid;
/// let cube = Cuboid::new(Vec3::all(0.5))?;
/// let (a, b) = (ConvexRef::Cuboid(&cube), ConvexRef::Cuboid(&cube));
/// let (mut cache, mut manifold) = (PairCache::default(), Manifold::default());
/// let above = Pose::from_translation(Vec3::new(0.25, 0.99, 0.0));
/// collide_by(Narrow::Gjk, a, b, &above, 0.01, &mut cache, &mut manifold);
/// assert!((manifold.separation() - -0.01).abs() < 1e-5);
/// # Ok::<(), tumble::Error>(())
/// ```
pub fn collide_by(
    narrow: Narrow,
    a: ConvexRef,
    b: ConvexRef,
    b_in_a: &Pose,
    margin: Real,
    cache: &mut PairCache,
    out: &mut Manifold,
) {
    let unbounded = |shape: &ConvexRef| matches!(shape, ConvexRef::HalfSpace(_));
    if narrow == Narrow::Auto || unbounded(&a) || unbounded(&b) {
        return collide(a, b, b_in_a, margin, cache, out);
    }
    if passes(&a, &b, b_in_a, margin) {
        out.clear();
        return;
    }
    curved::collide(a, b, b_in_a, margin, cache, out);
    mend_seams(a, b, b_in_a, margin, cache, out);
}

/// Any two bounded shapes.
fn general(a: ConvexRef, b: ConvexRef, b_in_a: &Pose, margin: Real, cache: &mut PairCache, out: &mut Manifold) {
    if passes(&a, &b, b_in_a, margin) {
        out.clear();
        return;
    }
    if !faceted(a, b, b_in_a, margin, cache, out) {
        curved::collide(a, b, b_in_a, margin, cache, out);
    }
    mend_seams(a, b, b_in_a, margin, cache, out);
}

fn with_sphere(a: ConvexRef, b: &Sphere, b_in_a: &Pose, margin: Real, cache: &mut PairCache, out: &mut Manifold) {
    match a {
        ConvexRef::Capsule(p) => round::capsule_sphere(p, b, b_in_a, margin, out),
        _ => round::shape_sphere(a, b, b_in_a, margin, out),
    }
    mend_seams(a, ConvexRef::Sphere(b), b_in_a, margin, cache, out);
}

/// Answers for two polytopes; `false` for any other pair.
fn faceted(a: ConvexRef, b: ConvexRef, b_in_a: &Pose, margin: Real, cache: &mut PairCache, out: &mut Manifold) -> bool {
    let shapes = (a, b);
    match (a, b) {
        (ConvexRef::Hull(p), ConvexRef::Hull(q)) => {
            // All of the search is arithmetic on columns of vertices and planes: worth the widest registers.
            Isa::detect().dispatch(HullPair { pair: Faceted { shapes, a: p, b: q }, b_in_a, margin, cache, out });
            true
        }
        (ConvexRef::Hull(p), _) => small(&b).is_some_and(|q| {
            Faceted { shapes, a: p, b: &q }.collide(b_in_a, margin, cache, out);
            true
        }),
        (_, ConvexRef::Hull(q)) => small(&a).is_some_and(|p| {
            Faceted { shapes, a: &p, b: q }.collide(b_in_a, margin, cache, out);
            true
        }),
        _ if !flat_sided(&a) || !flat_sided(&b) => false,
        _ => match (small(&a), small(&b)) {
            (Some(p), Some(q)) => {
                Faceted { shapes, a: &p, b: &q }.collide(b_in_a, margin, cache, out);
                true
            }
            _ => false,
        },
    }
}

/// Two hulls, compiled for every instruction set. What it computes is written for single numbers: the set changes how many of them the compiler
/// takes at a time.
struct HullPair<'a> {
    pair: Faceted<'a, Hull, Hull>,
    b_in_a: &'a Pose,
    margin: Real,
    cache: &'a mut PairCache,
    out: &'a mut Manifold,
}

impl Kernel for HullPair<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.pair.collide(self.b_in_a, self.margin, self.cache, self.out);
    }
}

fn flat_sided(shape: &ConvexRef) -> bool {
    matches!(shape, ConvexRef::Cuboid(_) | ConvexRef::Rectangle(_) | ConvexRef::Triangle(_))
}

/// A triangle without area is none of these: it is left to the general algorithm, which needs no faces.
fn small(shape: &ConvexRef) -> Option<Small> {
    match shape {
        ConvexRef::Cuboid(s) => Some(Small::cuboid(s)),
        ConvexRef::Rectangle(s) => Some(Small::rectangle(s)),
        ConvexRef::Triangle(s) => Small::triangle(s),
        _ => None,
    }
}

/// One of the shapes is a triangle, and the other is farther from its plane than `margin` or, where the triangle has one side
/// only, has its middle behind it.
fn passes(a: &ConvexRef, b: &ConvexRef, b_in_a: &Pose, margin: Real) -> bool {
    let (triangle, other, seen) = match (a, b) {
        (ConvexRef::Triangle(t), _) => (t, b, *b_in_a),
        (_, ConvexRef::Triangle(t)) => (t, a, b_in_a.inverse()),
        _ => return false,
    };
    let area = triangle.area_vector();
    let above = area.dot(seen.transform_point(other.centre()) - triangle.vertices[0]);
    if above < 0.0 && !triangle.two_sided {
        return true;
    }
    let Some(front) = area.try_normalize() else { return false };
    let out = if above < 0.0 { -front } else { front };
    let lowest = seen.transform_point(other.core_support(-seen.rotation.unrotate(out).to_f64()).to_real());
    out.dot(lowest - triangle.vertices[0]) - other.radius() > margin
}

fn mend_seams(a: ConvexRef, b: ConvexRef, b_in_a: &Pose, margin: Real, cache: &mut PairCache, out: &mut Manifold) {
    let inner = |s: &ConvexRef| matches!(s, ConvexRef::Triangle(t) if t.inner_edges != 0 || !t.two_sided);
    if inner(&a) || inner(&b) {
        Touch::new(a, b, b_in_a, margin).without_inner_edges(cache, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Quat, Vec3};
    use crate::shape::Cuboid;

    // Two hulls that tumble past each other, each instruction set with its own memory of the pair: apart, on faces and on edges, all bits are
    // those of the scalar form.
    #[test]
    fn hulls_meet_alike_on_every_instruction_set() {
        let block = Cuboid::new(Vec3::new(1.0, 0.7, 0.4)).unwrap().to_hull();
        let points: Vec<Vec3> = (0..14_i32)
            .map(|i| Vec3::new((i * 7 % 13 - 6) as Real, (i * 5 % 11 - 5) as Real, (i * 3 % 7 - 3) as Real) * 0.15)
            .collect();
        let stone = Hull::new(&points).unwrap();
        let sets = Isa::available();
        let mut caches = vec![PairCache::default(); sets.len()];
        let (mut met, mut apart) = (0, 0);
        for i in 0..400 {
            let t = i as Real * 0.05;
            let rotation = Quat::from_rotation_vector(Vec3::new(t, 0.7 * t, -0.3 * t));
            let b_in_a = Pose::new(Vec3::new(1.2 - 0.5 * (0.3 * t), 0.9 * (1.0 - 0.05 * t), 0.1 * t), rotation);
            let mut first = None;
            for (isa, cache) in sets.iter().zip(&mut caches) {
                let mut out = Manifold::default();
                let shapes = (ConvexRef::Hull(&block), ConvexRef::Hull(&stone));
                let pair = Faceted { shapes, a: &block, b: &stone };
                isa.dispatch(HullPair { pair, b_in_a: &b_in_a, margin: 0.05, cache, out: &mut out });
                let said = format!("{out:?} {cache:?}");
                let reference = first.get_or_insert_with(|| said.clone());
                assert_eq!(*reference, said, "{isa:?} at {t}");
                met += usize::from(!out.is_empty());
                apart += usize::from(out.is_empty());
            }
        }
        assert!(met > 50 && apart > 50, "{met} {apart}");
    }
}
