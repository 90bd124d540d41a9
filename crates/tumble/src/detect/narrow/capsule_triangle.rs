//! A capsule against a triangle: closed forms for all but a core that crosses the triangle.
//!
//! Let m be the normal of the side on which the capsule's centre lies, h₀ and h₁ the heights of the ends of its core over the plane.
//! - No point of the core is nearer to the triangle than the lower end is to the plane; nor nearer than the core is to the plane
//!   through an edge along m; nor, since the two stand across each other, than the root of the sum of both squares. Any of these, less the radius,
//!   above the margin: nothing.
//! - If the lower end is above the plane and over the triangle, that bound is met: the face is touched, by the ends of the part of the core over it.
//! - Else the nearest points lie on the core and an edge, or one of them is the other end over the face: the least of five distances.
//!
//! Heights and borders are in working precision, distances to edges in double: nearly parallel lines leave no digits to single precision.

use super::clip::{Segment, between};
use super::contact::{Found, NEAR_FACE, SLACK, Touch, is_inner, tolerance};
use super::convex::{ConvexRef, Triangle};
use super::manifold::{Feature, Manifold, ManifoldPoint};
use super::patch::{ON_FACE, core_line, feature_facing};
use super::round::nearest_on_segments;
use crate::math::{Float, Num, Pose, Real, Vec3};
use crate::shape::Capsule;

/// Distance of core and triangle relative to their size under which the direction from one to the other is rounding.
const TOUCH: f64 = 1e-10;

/// The triangle as the capsule sees it.
struct Face<'a> {
    triangle: &'a Triangle,
    /// Out of the side on which the capsule is.
    normal: Vec3,
    index: u32,
}

/// The part of the core over the face.
#[derive(Clone, Copy)]
struct Part {
    t: [Real; 2],
    /// The edges that cut it off.
    by: [Option<u32>; 2],
}

/// The points over a face, and the least separation of all, those beyond the margin included.
struct Over {
    points: [ManifoldPoint; 2],
    count: usize,
    least: Real,
}

/// Where the core and the triangle are nearest to each other.
struct Nearest {
    on_triangle: Vec3<f64>,
    on_core: Vec3<f64>,
    squared: f64,
    /// The edge of the triangle, where it lies on one, and whether it lies between its ends.
    edge: Option<(u32, bool)>,
    /// The corner at which it ends, where it does.
    corner: u32,
}

/// Where triangle A and capsule B touch. `false` where the core crosses the triangle or the triangle has no area: nothing is
/// said then.
pub(super) fn collide(a: &Triangle, b: &Capsule, b_in_a: &Pose, margin: Real, out: &mut Manifold) -> bool {
    out.clear();
    let Some(front) = a.area_vector().try_normalize() else { return false };
    let centre = b_in_a.translation;
    let above = front.dot(centre - a.vertices[0]);
    if above < 0.0 && !a.two_sided {
        return true;
    }
    let face = Face { triangle: a, normal: if above < 0.0 { -front } else { front }, index: u32::from(above < 0.0) };
    let along = b_in_a.rotation.rotate(Vec3::new(0.0, b.half_length(), 0.0));
    let core = Segment { ends: [centre - along, centre + along], ..core_line(b.half_length()) };
    let heights = [face.height(core.ends[0]), face.height(core.ends[1])];
    let low = Num::min(heights[0], heights[1]);
    let reach = b.radius() + margin;
    if low > reach {
        return true;
    }
    let size = ConvexRef::Triangle(a).extent();
    let tolerance = tolerance(size, b.half_length() + b.radius(), centre);
    let Some((part, near)) = face.part_over(&core, low, reach, SLACK * tolerance, size) else { return true };
    let over = part.map(|part| face.over(&core, heights, &part, b.radius(), margin));
    let lower = usize::from(heights[1] < heights[0]);
    let touch = Num::max(TOUCH, Real::EPSILON.to_f64()) * (size + b.half_length()).to_f64();
    if let (Some(part), Some(over)) = (&part, &over)
        && low.to_f64() > touch
        && height_at(heights, part.t[lower]) - low <= tolerance
    {
        face.write(over, b, b_in_a, out);
        return true;
    }
    let Some(nearest) = face.nearest(&core, heights, near) else { return false };
    if nearest.squared > (reach * reach).to_f64() * (1.0 + 8.0 * Real::EPSILON.to_f64()) {
        return true;
    }
    let distance = nearest.squared.sqrt();
    if distance <= touch {
        return false;
    }
    let separation = Real::from_f64(distance - b.radius().to_f64());
    let normal = ((nearest.on_core - nearest.on_triangle) * (1.0 / distance)).to_real();
    let facing = face.normal.dot(normal);
    if separation > margin || (facing < 0.0 && !a.two_sided) {
        return true;
    }
    if facing < 0.0 {
        // Around an edge of a two-sided triangle, to its other side.
        return false;
    }
    if facing > NEAR_FACE
        && let Some(over) = &over
        && over.count > 0
        && (over.least - separation).abs() <= tolerance
    {
        face.write(over, b, b_in_a, out);
        return true;
    }
    let found = Found { normal, separation, a: nearest.on_triangle.to_real(), b: nearest.on_core.to_real() };
    if !face.beside(&found, &nearest, b, b_in_a, &core, margin, out) {
        let point = (found.a + found.b.add_scaled(normal, -b.radius())) * 0.5;
        let on_capsule = feature_facing(&ConvexRef::Capsule(b), -b_in_a.rotation.unrotate(normal));
        out.set_single(normal, point, separation, nearest.feature(facing, face.index), on_capsule);
    }
    face.without_inner_edges(over.as_ref(), facing, b, b_in_a, out);
    true
}

/// How far a core of this half-length about the y-axis of B is from a triangle, and the unit vector from the triangle to it; `None`
/// where they touch or the triangle has no area.
pub(super) fn distance(a: &Triangle, half_length: Real, b_in_a: &Pose) -> Option<(f64, Vec3<f64>)> {
    let normal = a.area_vector().try_normalize()?;
    let along = b_in_a.rotation.rotate(Vec3::new(0.0, half_length, 0.0));
    let centre = b_in_a.translation;
    let core = Segment { ends: [centre - along, centre + along], ..core_line(half_length) };
    let face = Face { triangle: a, normal, index: 0 };
    let heights = [face.height(core.ends[0]), face.height(core.ends[1])];
    let nearest = face.nearest(&core, heights, [true; 3])?;
    let size = (ConvexRef::Triangle(a).extent() + half_length + (centre - a.vertices[0]).length()).to_f64();
    let distance = nearest.squared.sqrt();
    let clear = distance > Real::EPSILON.to_f64() * 16.0 * size;
    clear.then(|| (distance, (nearest.on_core - nearest.on_triangle) * (1.0 / distance)))
}

fn height_at(heights: [Real; 2], t: Real) -> Real {
    if t == 1.0 { heights[1] } else { heights[0] + (heights[1] - heights[0]) * t }
}

impl Face<'_> {
    #[inline(always)]
    fn height(&self, p: Vec3) -> Real {
        self.normal.dot(p - self.triangle.vertices[0])
    }

    #[inline(always)]
    fn edge(&self, i: usize) -> (Vec3, Vec3) {
        let v = &self.triangle.vertices;
        (v[i], v[if i == 2 { 0 } else { i + 1 }])
    }

    /// Across edge i, out of the triangle, as long as the edge.
    #[inline(always)]
    fn outward(&self, i: usize) -> Vec3 {
        let (p, q) = self.edge(i);
        let out = (q - p).cross(self.normal);
        if self.index == 0 { out } else { -out }
    }

    /// The part of the core over the face, whose borders are moved out by `slack`, and which edges may be within `reach` of the core, whose lower end is
    /// at the height `low`. `None` where it is farther than that, up and out of an edge together. The triangle has this `size`.
    fn part_over(
        &self,
        core: &Segment,
        low: Real,
        reach: Real,
        slack: Real,
        size: Real,
    ) -> Option<(Option<Part>, [bool; 3])> {
        // What is this far from the corners knows heights and distances to edges to so much.
        let rounding = 16.0 * Real::EPSILON * (size + (core.ends[0] - self.triangle.vertices[0]).abs().max_component());
        let height = Num::max(low - slack - rounding, 0.0);
        // How far out of an edge is too far, squared.
        let too_far = reach * reach - height * height + (rounding + 64.0 * Real::EPSILON * reach) * reach;
        let mut part = Part { t: [0.0, 1.0], by: [None, None] };
        let mut aside = false;
        let mut near = [true; 3];
        for i in 0..3 {
            let (p, _) = self.edge(i);
            let outward = self.outward(i);
            let length = outward.length();
            let s = outward.dot(core.ends[0] - p) - slack * length;
            let e = outward.dot(core.ends[1] - p) - slack * length;
            near[i] = Num::max(s, e) >= -(reach + slack + slack) * length;
            if s > 0.0 && e > 0.0 {
                let out = Num::min(s, e);
                if out * out > too_far * (length * length) {
                    return None;
                }
                aside = true;
            } else if s > 0.0 && s / (s - e) > part.t[0] {
                part.t[0] = s / (s - e);
                part.by[0] = Some(i as u32);
            } else if e > 0.0 && s / (s - e) < part.t[1] {
                part.t[1] = s / (s - e);
                part.by[1] = Some(i as u32);
            }
        }
        Some(((!aside && part.t[0] <= part.t[1]).then_some(part), near))
    }

    /// The points of the surface under the ends of a part of the core.
    fn over(&self, core: &Segment, heights: [Real; 2], part: &Part, radius: Real, margin: Real) -> Over {
        let mut over = Over { points: [ManifoldPoint::default(); 2], count: 0, least: Real::INFINITY };
        for end in 0..if part.t[1] > part.t[0] { 2 } else { 1 } {
            let Some(around) = core.below(self.normal, radius, part.t[end]) else { continue };
            let height = height_at(heights, part.t[end]);
            let separation = height - around;
            over.least = Num::min(separation, over.least);
            if separation > margin {
                continue;
            }
            let (of_face, of_core) = match part.by[end] {
                Some(edge) => (Feature::edge(edge), core.edge),
                None => (Feature::face(self.index), core.vertices[end]),
            };
            let p = between(core.ends[0], core.ends[1], part.t[end]);
            let middle = p.add_scaled(self.normal, (height + around) * -0.5);
            over.points[over.count] = ManifoldPoint::new(middle, separation, of_face, of_core);
            over.count += 1;
        }
        over
    }

    fn write(&self, over: &Over, b: &Capsule, b_in_a: &Pose, out: &mut Manifold) {
        out.clear();
        out.normal = self.normal;
        out.feature_a = Feature::face(self.index);
        out.feature_b = feature_facing(&ConvexRef::Capsule(b), -b_in_a.rotation.unrotate(self.normal));
        over.points[..over.count].iter().for_each(|p| out.push(*p));
    }

    /// The nearest points of core and triangle, of whose edges those marked are looked at; `None` where the core crosses the triangle.
    fn nearest(&self, core: &Segment, heights: [Real; 2], near: [bool; 3]) -> Option<Nearest> {
        let m = self.normal.to_f64();
        let ends = [core.ends[0].to_f64(), core.ends[1].to_f64()];
        let v = &self.triangle.vertices;
        let corners = [v[0].to_f64(), v[1].to_f64(), v[2].to_f64()];
        let turn = if self.index == 0 { 1.0 } else { -1.0 };
        let holds = |x: Vec3<f64>| {
            (0..3).all(|i| {
                let p = corners[i];
                let q = corners[if i == 2 { 0 } else { i + 1 }];
                (q - p).cross(m).dot(x - p) * turn <= 0.0
            })
        };
        let (h0, h1) = (heights[0].to_f64(), heights[1].to_f64());
        if (h0 <= 0.0) != (h1 <= 0.0) || (h0 == 0.0 && h1 == 0.0) {
            let t = if h0 == h1 { 0.0 } else { h0 / (h0 - h1) };
            if holds(ends[0] + (ends[1] - ends[0]) * t) {
                return None;
            }
        }
        let none = Vec3::ZERO;
        let mut best = Nearest { on_triangle: none, on_core: none, squared: f64::INFINITY, edge: None, corner: 0 };
        for (x, h) in [(ends[0], h0), (ends[1], h1)] {
            if h * h < best.squared && holds(x) {
                best = Nearest { on_triangle: x - m * h, on_core: x, squared: h * h, edge: None, corner: 0 };
            }
        }
        let middle = (ends[0] + ends[1]) * 0.5;
        let half = (ends[1] - ends[0]) * 0.5;
        for i in 0..3 {
            if !near[i] {
                continue;
            }
            let (p, q) = (corners[i], corners[if i == 2 { 0 } else { i + 1 }]);
            let (centre, reach) = ((p + q) * 0.5, (q - p) * 0.5);
            let (on_edge, on_core) = nearest_on_segments(reach, middle - centre, half);
            let squared = (on_core - on_edge).length_squared();
            if squared < best.squared {
                // On the ends of an edge the corner is what is touched.
                let at = on_edge.dot(reach) / reach.dot(reach);
                let corner = if at > 0.0 { (i + 1) % 3 } else { i };
                let inside = at.abs() < 1.0 - 1e-9;
                best = Nearest {
                    on_triangle: centre + on_edge,
                    on_core: centre + on_core,
                    squared,
                    edge: Some((i as u32, inside)),
                    corner: corner as u32,
                };
            }
        }
        Some(best)
    }

    /// Two points where the core lies along the nearest edge.
    #[allow(clippy::too_many_arguments)]
    fn beside(
        &self,
        found: &Found,
        nearest: &Nearest,
        b: &Capsule,
        b_in_a: &Pose,
        core: &Segment,
        margin: Real,
        out: &mut Manifold,
    ) -> bool {
        let Some((edge, _)) = nearest.edge else { return false };
        let (p, q) = self.edge(edge as usize);
        let (along, other) = (q - p, core.ends[1] - core.ends[0]);
        // As steep as side by side allows, or steeper: most are not parallel.
        if along.cross(other).length_squared() > 1e-3 * along.length_squared() * other.length_squared() {
            return false;
        }
        let line = Segment {
            ends: [p, q],
            vertices: [Feature::vertex(edge), Feature::vertex((edge + 1) % 3)],
            edge: Feature::edge(edge),
        };
        let touch = Touch::new(ConvexRef::Triangle(self.triangle), ConvexRef::Capsule(b), b_in_a, margin);
        touch.side_by_side(found, &line, core, out)
    }

    /// What touches an inner edge or corner touches the face, or nothing.
    fn without_inner_edges(&self, over: Option<&Over>, facing: Real, b: &Capsule, b_in_a: &Pose, out: &mut Manifold) {
        if self.triangle.inner_edges == 0 || facing > 1.0 - ON_FACE {
            return;
        }
        let deepest = out.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation));
        if deepest.is_some_and(|p| is_inner(self.triangle, self.index == 1, p.features().0)) {
            match over {
                Some(over) => self.write(over, b, b_in_a, out),
                None => out.clear(),
            }
        }
    }
}

impl Nearest {
    fn feature(&self, facing: Real, face: u32) -> Feature {
        match self.edge {
            _ if facing > 1.0 - ON_FACE => Feature::face(face),
            None => Feature::face(face),
            Some((edge, true)) => Feature::edge(edge),
            Some((_, false)) => Feature::vertex(self.corner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::narrow::closest_points;
    use crate::math::Quat;
    use proptest::prelude::*;

    fn vec3(range: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-range..range).prop_map(|v| Vec3::from(v).to_real())
    }

    fn pose() -> impl Strategy<Value = Pose> {
        (vec3(1.5), vec3(3.0))
            .prop_map(|(at, turn)| Pose { translation: at, rotation: Quat::from_rotation_vector(turn) })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1500))]
        /// Where the closed form answers, it finds the distance that the search for it finds, on whichever side the capsule is, and
        /// whichever of the two is asked first; and points only where they are within the margin.
        #[test]
        fn agrees_with_the_search(
            corners in prop::array::uniform3(vec3(1.0)),
            (half, radius) in (0.0..0.6, 0.05..0.3),
            at in pose(),
            margin in 0.0..0.3,
        ) {
            let triangle = Triangle::new(corners);
            let capsule = Capsule::new(Real::from_f64(half), Real::from_f64(radius)).unwrap();
            let (a, b) = (ConvexRef::Triangle(&triangle), ConvexRef::Capsule(&capsule));
            let (margin, mut found) = (Real::from_f64(margin), Manifold::default());
            // Slivers have no normal to speak of.
            prop_assume!(triangle.area_vector().length() > 0.05);
            prop_assume!(collide(&triangle, &capsule, &at, margin, &mut found));
            let judge = closest_points(a, b, &at);
            let least = found.separation();
            let room = 1e-4 * (half + 1.0) as Real;
            if judge.separation > margin + room {
                prop_assert!(found.is_empty(), "{least} at {}", judge.separation);
            } else if judge.separation < margin - room {
                prop_assert!((least - judge.separation).abs() <= room, "{least}, not {}", judge.separation);
                // A face may stand in for an edge close by it; the direction is right to what that costs.
                prop_assert!(found.normal.dot(judge.normal) > 0.9);
            }
            prop_assert!(found.points().iter().all(|p| p.separation <= margin));
            let (core, n) = distance(&triangle, capsule.half_length(), &at).unwrap();
            prop_assert!((core - (judge.separation + capsule.radius()).to_f64()).abs() <= room.to_f64());
            prop_assert!(n.to_real().dot(judge.normal) > 0.999 || core < 1e-3);
            let (mut cache, mut swapped) = (Default::default(), Manifold::default());
            super::super::collide(b, a, &at.inverse(), margin, &mut cache, &mut swapped);
            prop_assert_eq!(swapped.points().len(), found.points().len());
            if !found.is_empty() {
                prop_assert!((swapped.separation() - least).abs() <= room);
            }
        }
    }

    /// Behind a one-sided triangle there is nothing; an inner edge pushes along the face or not at all.
    #[test]
    fn sides_and_seams() {
        let corners = [Vec3::ZERO, Vec3::Z, Vec3::X];
        let capsule = Capsule::new(0.2, 0.1).unwrap();
        let lying = Quat::from_rotation_vector(Vec3::new(0.5 * Real::PI, 0.0, 0.0));
        let place = |x: Real, y: Real| Pose { translation: Vec3::new(x, y, 0.3), rotation: lying };
        let mut found = Manifold::default();
        for (two_sided, inner_edges, x, y, points) in [
            (false, 0, 0.3, 0.1, 2),
            (false, 0, 0.3, -0.1, 0),
            (true, 0, 0.3, -0.1, 2),
            // Beside edge 0, which runs along z: of its own it pushes aside, as an inner one it is not there.
            (false, 0, -0.05, 0.05, 2),
            (false, 0b111, -0.05, 0.05, 0),
        ] {
            let triangle = Triangle { vertices: corners, two_sided, inner_edges };
            assert!(collide(&triangle, &capsule, &place(x, y), 0.02, &mut found));
            assert_eq!(found.points().len(), points, "{two_sided} {inner_edges} {x} {y}: {found:?}");
            if points > 0 && x > 0.0 {
                assert!((found.normal - Vec3::Y * y.signum()).length() < 1e-6);
            }
        }
    }
}
