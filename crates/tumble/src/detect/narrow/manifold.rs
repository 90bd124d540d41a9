//! Where two shapes touch: up to eight points that share one normal.

use crate::math::{Num, Pose, Real, Vec3};

/// A part of a shape's surface: one of its vertices, edges or faces, or a smooth part that has no number.
///
/// Vertices, edges and faces are numbered as the shape itself numbers them (a triangle's edge i runs from vertex i to
/// vertex i + 1). The points of a round rim that stand for it in a manifold count as vertices.
///
/// ```
/// use tumble::detect::narrow::{Feature, FeatureKind};
/// let corner = Feature::vertex(7);
/// assert_eq!((corner.kind(), corner.index()), (FeatureKind::Vertex, 7));
/// assert_ne!(Feature::edge(7), Feature::face(7));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Feature(u16);

/// What a [`Feature`] is.
///
/// ```
/// use tumble::detect::narrow::{Feature, FeatureKind};
/// assert_eq!(Feature::ROUND.kind(), FeatureKind::Round);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureKind {
    /// A corner, or a point of a rim.
    Vertex,
    /// A straight line of the surface: an edge, or the line along which a cylinder's side touches.
    Edge,
    /// A flat part.
    Face,
    /// A smooth part: the surface of a ball, the side of a cylinder.
    Round,
}

impl Feature {
    /// The surface of a shape that has neither corners nor edges.
    pub const ROUND: Self = Self(3 << 14);
    const INDEX: u16 = (1 << 14) - 1;

    /// Vertex number `index`. Numbers above 16383 share ids.
    #[inline(always)]
    pub const fn vertex(index: u32) -> Self {
        Self(index as u16 & Self::INDEX)
    }

    /// Edge number `index`.
    #[inline(always)]
    pub const fn edge(index: u32) -> Self {
        Self((index as u16 & Self::INDEX) | 1 << 14)
    }

    /// Face number `index`.
    #[inline(always)]
    pub const fn face(index: u32) -> Self {
        Self((index as u16 & Self::INDEX) | 2 << 14)
    }

    /// What kind of part it is.
    #[inline(always)]
    pub const fn kind(self) -> FeatureKind {
        match self.0 >> 14 {
            0 => FeatureKind::Vertex,
            1 => FeatureKind::Edge,
            2 => FeatureKind::Face,
            _ => FeatureKind::Round,
        }
    }

    /// Which one of its kind.
    #[inline(always)]
    pub const fn index(self) -> u32 {
        (self.0 & Self::INDEX) as u32
    }
}

/// One point of a [`Manifold`].
///
/// ```
/// use tumble::detect::narrow::{Feature, ManifoldPoint};
/// use tumble::math::Vec3;
/// let point = ManifoldPoint::new(Vec3::ZERO, -0.01, Feature::vertex(2), Feature::face(5));
/// assert_eq!(point.features(), (Feature::vertex(2), Feature::face(5)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct ManifoldPoint {
    /// Midway between the two surfaces, in A's frame.
    pub point: Vec3,
    /// How far the surfaces are apart here along the normal; negative where they overlap.
    pub separation: Real,
    /// The parts of the two shapes that meet here: the [`Feature`] of A in the low half, that of B in the high half.
    /// The same from step to step while the same parts meet, whichever shape served as reference.
    pub id: u32,
}

impl ManifoldPoint {
    /// The point where feature `a` of A meets feature `b` of B.
    #[inline(always)]
    pub const fn new(point: Vec3, separation: Real, a: Feature, b: Feature) -> Self {
        Self { point, separation, id: a.0 as u32 | (b.0 as u32) << 16 }
    }

    /// The parts of A and of B that meet here.
    #[inline(always)]
    pub const fn features(&self) -> (Feature, Feature) {
        (Feature(self.id as u16), Feature((self.id >> 16) as u16))
    }
}

/// Most points that a manifold holds.
pub const MAX_POINTS: usize = 8;

/// How far two shapes are apart along a direction that is fixed to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Gap {
    pub distance: Real,
    /// Unit vector to the other shape, in the frame of the one that it is fixed to. Zero: the distance is that of the nearest points, whichever way.
    pub along: Vec3,
    /// It is fixed to B.
    pub of_b: bool,
}

impl Gap {
    /// Along a direction that is fixed to A.
    pub fn of_a(distance: Real, along: Vec3) -> Self {
        Self { distance, along, of_b: false }
    }

    /// Whichever way.
    pub fn all_round(distance: Real, of_b: bool) -> Self {
        Self { distance, along: Vec3::ZERO, of_b }
    }
}

/// How two convex shapes touch, in A's frame. Empty where they are farther apart than the margin asked for.
///
/// ```
/// use tumble::detect::narrow::{collide, ConvexRef, Manifold, PairCache};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::Sphere;
/// let ball = Sphere::new(1.0)?;
/// let mut manifold = Manifold::default();
/// let b_in_a = Pose::from_translation(Vec3::new(1.5, 0.0, 0.0));
/// collide(ConvexRef::Sphere(&ball), ConvexRef::Sphere(&ball), &b_in_a, 0.0, &mut PairCache::default(), &mut manifold);
/// assert_eq!(manifold.normal, Vec3::X);
/// assert_eq!(manifold.points()[0].separation, -0.5);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::detect::narrow::{Feature, Manifold, ManifoldPoint};
/// use tumble::math::Vec3;
/// let mut manifold = Manifold::default();
/// manifold.normal = Vec3::Y;
/// for (i, (x, z)) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.5, 0.5)].into_iter().enumerate() {
///     let corner = Feature::vertex(i as u32);
///     manifold.push(ManifoldPoint::new(Vec3::new(x, 0.0, z), -0.02, corner, Feature::face(0)));
/// }
/// manifold.points_mut()[2].separation = -0.03;
/// assert_eq!(manifold.separation(), -0.03);
/// manifold.reduce(4); // the point in the middle carries nothing that the corners do not
/// assert!(manifold.points().iter().all(|p| p.point.x != 0.5));
/// manifold.clear();
/// assert!(manifold.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Manifold {
    /// Unit vector from A to B.
    pub normal: Vec3,
    /// The part of A that the normal belongs to. A triangle of a mesh whose inner edge or corner stands here must not
    /// push sideways: see [`FeatureKind`].
    pub feature_a: Feature,
    /// The part of B that the normal belongs to.
    pub feature_b: Feature,
    /// See [`Self::apart`].
    pub(super) apart: Gap,
    count: u8,
    points: [ManifoldPoint; MAX_POINTS],
}

impl Manifold {
    /// The points.
    #[inline(always)]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..usize::from(self.count)]
    }

    /// The points, to be changed in place.
    #[inline(always)]
    pub fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..usize::from(self.count)]
    }

    /// There are no points: the shapes are farther apart than the margin.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Forgets all points.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.count = 0;
        self.apart = Gap::default();
    }

    /// Where there are no points: how far the shapes are apart along a direction that the cache remembers, so that the next search ends there
    /// as long as it parts them by more than the margin. Nothing where that is not known.
    #[inline(always)]
    pub(crate) fn apart(&self) -> Gap {
        if self.count == 0 { self.apart } else { Gap::default() }
    }

    /// Adds a point; does nothing where eight are there already.
    #[inline(always)]
    pub fn push(&mut self, point: ManifoldPoint) {
        if let Some(slot) = self.points.get_mut(usize::from(self.count)) {
            *slot = point;
            self.count += 1;
        }
    }

    /// The smallest separation, or infinity for an empty manifold.
    #[inline]
    pub fn separation(&self) -> Real {
        self.points().iter().fold(Real::INFINITY, |s, p| Num::min(s, p.separation))
    }

    /// A manifold of one point.
    #[inline(always)]
    pub(super) fn set_single(&mut self, normal: Vec3, point: Vec3, separation: Real, a: Feature, b: Feature) {
        self.normal = normal;
        self.feature_a = a;
        self.feature_b = b;
        self.points[0] = ManifoldPoint::new(point, separation, a, b);
        self.count = 1;
    }

    /// The same contact as seen from the other shape: A and B exchanged, in the frame of the new A.
    pub(super) fn swap(&mut self, new_a_in_old: &Pose) {
        self.normal = -new_a_in_old.rotation.unrotate(self.normal);
        core::mem::swap(&mut self.feature_a, &mut self.feature_b);
        for p in self.points_mut() {
            p.point = new_a_in_old.inverse_transform_point(p.point);
            p.id = p.id.rotate_left(16);
        }
    }

    /// Keeps at most `max` points, those that carry the load: see [`reduce`].
    pub fn reduce(&mut self, max: usize) {
        let all = self.points;
        let count = usize::from(self.count);
        if max < count {
            self.take_best(&all[..count], max);
        }
    }

    /// Fills the manifold with the best of the candidates, at most `max`. The normal must be set.
    pub(super) fn take_best(&mut self, candidates: &[ManifoldPoint], max: usize) {
        self.count = reduce(candidates, self.normal, max, &mut self.points) as u8;
    }
}

/// Most candidates that [`reduce`] looks at.
const MAX_CANDIDATES: usize = 64;

/// Chooses at most `max` of the candidates (at most 8) so that support is kept: the deepest point, the point farthest
/// from it across the normal, and then again and again the point that adds the largest area to what is spanned so far.
/// The chosen points keep the order of the candidates; their number is returned. Points that add nothing are left out
/// only when there are more than `max`.
///
/// ```
/// use tumble::detect::narrow::{Feature, MAX_POINTS, ManifoldPoint, reduce};
/// use tumble::math::{Real, Vec3};
/// let along = |i: u32| ManifoldPoint::new(Vec3::X * i as Real, 0.0, Feature::vertex(i), Feature::face(0));
/// let row: Vec<ManifoldPoint> = (0..5).map(along).collect();
/// let mut out = [ManifoldPoint::default(); MAX_POINTS];
/// assert_eq!(reduce(&row, Vec3::Y, 2, &mut out), 2);
/// assert_eq!((out[0].point.x, out[1].point.x), (0.0, 4.0)); // the ends
/// ```
pub fn reduce(candidates: &[ManifoldPoint], normal: Vec3, max: usize, out: &mut [ManifoldPoint; MAX_POINTS]) -> usize {
    reduce_by(candidates, normal, max, |_| 1.0, out)
}

/// [`reduce`] where what a candidate adds counts by its `weight`.
#[inline(always)]
pub(crate) fn reduce_by(
    candidates: &[ManifoldPoint],
    normal: Vec3,
    max: usize,
    weight: impl Fn(&ManifoldPoint) -> Real,
    out: &mut [ManifoldPoint; MAX_POINTS],
) -> usize {
    let candidates = &candidates[..candidates.len().min(MAX_CANDIDATES)];
    let max = max.min(MAX_POINTS);
    let mut chosen: u64 = 0;
    if candidates.len() <= max {
        chosen = u64::MAX;
    } else if max > 0 {
        let (u, v) = normal.tangents();
        let mut places = [(0.0, 0.0); MAX_CANDIDATES];
        for (place, p) in places.iter_mut().zip(candidates) {
            *place = (p.point.dot(u), p.point.dot(v));
        }
        let mut ring = Ring { len: 0, places: [(0.0, 0.0); MAX_POINTS] };
        let deepest = deepest(candidates);
        ring.insert(0, places[deepest]);
        chosen |= 1 << deepest;
        while ring.len < max {
            let mut best = (0.0, usize::MAX, 0);
            for (i, place) in places[..candidates.len()].iter().enumerate() {
                if chosen >> i & 1 == 0 {
                    let (gain, at) = ring.gain(*place);
                    let gain = gain * weight(&candidates[i]);
                    // A later candidate must be clearly better, so that rounding does not change the choice from step
                    // to step.
                    if gain > best.0 * FIRM {
                        best = (gain, i, at);
                    }
                }
            }
            if best.1 == usize::MAX {
                break;
            }
            ring.insert(best.2, places[best.1]);
            chosen |= 1 << best.1;
        }
    }
    let mut count = 0;
    for (i, p) in candidates.iter().enumerate() {
        if chosen >> i & 1 == 1 {
            out[count] = *p;
            count += 1;
        }
    }
    count
}

/// By which factor a later candidate has to beat an earlier one.
const FIRM: Real = 1.001;

fn deepest(points: &[ManifoldPoint]) -> usize {
    let mut best = 0;
    for i in 1..points.len() {
        if points[i].separation < points[best].separation {
            best = i;
        }
    }
    best
}

/// The chosen points as a convex polygon in the plane across the normal, counter-clockwise.
struct Ring {
    len: usize,
    places: [(Real, Real); MAX_POINTS],
}

impl Ring {
    /// What the point adds, and where in the ring it belongs: a squared length while there is one point, then an area.
    #[inline(always)]
    fn gain(&self, p: (Real, Real)) -> (Real, usize) {
        let mut a = self.places[self.len - 1];
        if self.len == 1 {
            let (x, y) = (p.0 - a.0, p.1 - a.1);
            return (x * x + y * y, 1);
        }
        let mut best = (0.0, 0);
        for (i, &b) in self.places[..self.len].iter().enumerate() {
            // Positive outside of the edge from a to b. With two points both sides are outside of one of the two edges.
            let area = (p.0 - a.0) * (b.1 - a.1) - (p.1 - a.1) * (b.0 - a.0);
            if area > best.0 {
                best = (area, i);
            }
            a = b;
        }
        best
    }

    fn insert(&mut self, at: usize, p: (Real, Real)) {
        self.places.copy_within(at..self.len, at + 1);
        self.places[at] = p;
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: Real, z: Real, separation: Real) -> ManifoldPoint {
        ManifoldPoint::new(Vec3::new(x, 0.0, z), separation, Feature::vertex(0), Feature::face(0))
    }

    #[test]
    fn features_keep_kind_and_index() {
        for (f, kind) in [
            (Feature::vertex(7), FeatureKind::Vertex),
            (Feature::edge(16383), FeatureKind::Edge),
            (Feature::face(0), FeatureKind::Face),
        ] {
            assert_eq!(f.kind(), kind);
        }
        assert_eq!(Feature::edge(16383).index(), 16383);
        assert_eq!(Feature::ROUND.kind(), FeatureKind::Round);
        let p = ManifoldPoint::new(Vec3::ZERO, 0.0, Feature::edge(3), Feature::face(5));
        assert_eq!(p.features(), (Feature::edge(3), Feature::face(5)));
    }

    // Guards the promise that reduction keeps the deepest point and the corners that carry the load.
    #[test]
    fn reduction_keeps_deepest_and_corners() {
        let mut m = Manifold { normal: Vec3::Y, ..Default::default() };
        for p in [
            point(1.0, 1.0, 0.0),
            point(0.1, 0.0, -0.3),
            point(1.0, -1.0, 0.0),
            point(0.9, 0.0, 0.0),
            point(-1.0, -1.0, 0.0),
            point(-1.0, 1.0, 0.0),
        ] {
            m.push(p);
        }
        m.reduce(5);
        assert_eq!(m.points().len(), 5);
        assert_eq!(m.separation(), -0.3);
        assert_eq!(m.points().iter().filter(|p| p.point.x.abs() == 1.0).count(), 4);
        m.reduce(2);
        assert_eq!(m.separation(), -0.3);
        m.reduce(0);
        assert!(m.is_empty());
    }

    // Sixteen points on a circle: eight remain and no gap is wider than it need be by more than a factor of two.
    #[test]
    fn reduction_spreads_over_a_circle() {
        let circle: Vec<_> = (0..16)
            .map(|i| {
                let a = i as Real * (core::f64::consts::PI as Real / 8.0);
                point(crate::math::Float::cos(a), crate::math::Float::sin(a), 0.0)
            })
            .collect();
        let mut m = Manifold { normal: Vec3::Y, ..Default::default() };
        m.take_best(&circle, 8);
        assert_eq!(m.points().len(), 8);
        for (i, p) in m.points().iter().enumerate() {
            let q = m.points()[(i + 1) % 8].point;
            assert!((p.point - q).length() < 0.8, "gap {}", (p.point - q).length());
        }
    }
}
