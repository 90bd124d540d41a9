//! From a cloud of points to a hull: checks, the exact grid, and the errors that say what is wrong with the points.

use super::hull::Hull;
use super::hull_climb::{Climb, FEWEST_TO_CLIMB};
use super::hull_merge::{Polygons, merge_coplanar, triangles};
use super::quickhull::{Facet, GRID_BITS, Quickhull};
use crate::error::{Error, Result};
use crate::math::Vec3;

/// Points nearer than this to the hull, in sizes of the cloud, are not kept, and faces flatter than this are one.
///
/// It is about ten times what rounding to `f32` does to the corners of a turned box, and the same in both crates:
/// geometry mostly comes from files in `f32`, and hulls should not differ between the crates.
pub(super) const TOLERANCE: f64 = 1.0 / (1 << 20) as f64;

/// More points than this could overflow the 32-bit indices of half-edges.
const MOST_POINTS: usize = 1 << 28;

impl Hull {
    /// The convex hull of the points.
    ///
    /// Points inside, points within about 10⁻⁶ of the cloud's size of the hull, and duplicates are dropped; triangles in
    /// one plane are joined. No vertex lies above the plane of a face, and those of the face less than 10⁻⁶ of the size
    /// below it; the planes are computed to 10⁻¹² of the size. Vertices keep the order of the points, and their bits. The
    /// result does not depend on where the cloud lies, nor (up to powers of two) on its size, and is the same on every
    /// machine.
    ///
    /// ```
    /// use tumble::{math::Vec3, shape::Hull};
    /// let corners: Vec<_> = (0..8).map(|i| Vec3::new((i & 1) as _, (i >> 1 & 1) as _, (i >> 2) as _)).collect();
    /// let hull = Hull::new(&corners)?;
    /// assert_eq!((hull.vertices().len(), hull.faces().len(), hull.edge_count()), (8, 6, 12));
    ///
    /// let flat = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::X + Vec3::Z];
    /// assert_eq!(Hull::new(&flat).unwrap_err().to_string(), "hull: all 4 points lie in one plane");
    /// # Ok::<(), tumble::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than four different points, points on one line or in one plane, coordinates that are not finite.
    pub fn new(points: &[Vec3]) -> Result<Self> {
        let (grid, tolerance) = to_grid(points)?;
        let simplex = find_simplex(&grid, tolerance).map_err(|flaw| flaw.describe(points))?;
        let impossible = || Error::geometry("hull", format_args!("of {} points could not be built", points.len()));
        let facets = Quickhull::build(&grid, simplex, tolerance).ok_or_else(impossible)?;
        let (mut hull, mut used) = assemble(points, merge_coplanar(&grid, &facets, tolerance));
        if !hull.is_sound() {
            (hull, used) = assemble(points, triangles(&facets));
        }
        if !hull.is_sound() {
            return Err(impossible());
        }
        let climb = climb(&hull, &used, &grid, &facets);
        Ok(hull.with_climb(climb))
    }
}

/// The points as whole numbers from 0 to 2⁴⁰, and the tolerance in the same unit.
///
/// The smallest corner of the bounding box becomes 0: a shift of the cloud that is exact in the points changes nothing.
/// The scale is a power of two, so that it is exact.
fn to_grid(points: &[Vec3]) -> Result<(Vec<Vec3<f64>>, f64)> {
    if points.len() < 4 {
        return Err(Error::geometry("hull", format_args!("needs at least 4 points, got {}", points.len())));
    }
    if points.len() > MOST_POINTS {
        return Err(Error::geometry("hull", format_args!("has at most {MOST_POINTS} points, got {}", points.len())));
    }
    if let Some(i) = points.iter().position(|p| !p.is_finite()) {
        let Vec3 { x, y, z } = points[i];
        return Err(Error::geometry("hull", format_args!("point {i} is not finite: ({x}, {y}, {z})")));
    }
    let first = points[0].to_f64();
    let (low, high) = points.iter().fold((first, first), |(low, high), p| (low.min(p.to_f64()), high.max(p.to_f64())));
    let size = (high - low).max_component();
    // 2 to the power of this is the first power of two not below the size.
    let exponent = ceil_log2(size);
    if !(-960..=960).contains(&exponent) {
        return Err(if size == 0.0 {
            Flaw::Point.describe(points)
        } else {
            Error::geometry(
                "hull",
                format_args!("the size of the points must be between 1e-288 and 1e288, got {size:e}"),
            )
        });
    }
    let scale = power_of_two(GRID_BITS - exponent);
    // Not negative, so that truncation after adding a half rounds.
    let round = |x: f64| (x * scale + 0.5) as i64 as f64;
    let grid = points
        .iter()
        .map(|p| {
            let v = p.to_f64() - low;
            Vec3::new(round(v.x), round(v.y), round(v.z))
        })
        .collect();
    Ok((grid, size * scale * TOLERANCE))
}

/// The least e with 2^e >= x, for normal positive x; far below any useful exponent for others.
fn ceil_log2(x: f64) -> i32 {
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    if bits & ((1 << 52) - 1) == 0 { exponent } else { exponent + 1 }
}

/// 2^e for exponents of normal numbers.
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((e + 1023) as u64) << 52)
}

/// Why points span no volume.
enum Flaw {
    Point,
    Line,
    Plane,
}

impl Flaw {
    fn describe(&self, points: &[Vec3]) -> Error {
        let mut distinct: Vec<[u64; 3]> = points
            .iter()
            // Adding zero makes one of the two zeros.
            .map(|p| (p.to_f64() + Vec3::ZERO).to_array().map(f64::to_bits))
            .collect();
        distinct.sort_unstable();
        distinct.dedup();
        let (count, different) = (points.len(), distinct.len());
        let place = match self {
            Self::Point => "at one place",
            Self::Line => "on one line",
            Self::Plane => "in one plane",
        };
        if different < 4 {
            Error::geometry("hull", format_args!("needs 4 different points, got {different}: all {count} lie {place}"))
        } else {
            Error::geometry("hull", format_args!("all {count} points lie {place}"))
        }
    }
}

/// Four points far apart: two of the extremes along the axes, the point farthest from their line, and the one farthest from
/// the plane of those three.
fn find_simplex(points: &[Vec3<f64>], tolerance: f64) -> Result<[u32; 4], Flaw> {
    let mut extremes = [0_usize; 6];
    for (i, p) in points.iter().enumerate() {
        for axis in 0..3 {
            if p[axis] < points[extremes[2 * axis]][axis] {
                extremes[2 * axis] = i;
            }
            if p[axis] > points[extremes[2 * axis + 1]][axis] {
                extremes[2 * axis + 1] = i;
            }
        }
    }
    let (mut a, mut b, mut widest) = (0, 0, 0.0);
    for (k, &i) in extremes.iter().enumerate() {
        for &j in &extremes[k + 1..] {
            let square = (points[i] - points[j]).length_squared();
            if square > widest {
                (a, b, widest) = (i, j, square);
            }
        }
    }
    if widest <= tolerance * tolerance {
        return Err(Flaw::Point);
    }
    let along = (points[b] - points[a]) / widest.sqrt();
    let (c, distance) = farthest(points, |p| (p - points[a]).cross(along).length());
    if distance <= tolerance {
        return Err(Flaw::Line);
    }
    let normal = (points[b] - points[a]).cross(points[c] - points[a]);
    let normal = normal / normal.length();
    let (d, distance) = farthest(points, |p| normal.dot(p - points[a]).abs());
    if distance <= tolerance {
        return Err(Flaw::Plane);
    }
    Ok([a, b, c, d].map(|i| i as u32))
}

/// The first of the points with the largest measure.
fn farthest(points: &[Vec3<f64>], measure: impl Fn(Vec3<f64>) -> f64) -> (usize, f64) {
    let mut best = (0, 0.0);
    for (i, &p) in points.iter().enumerate() {
        let m = measure(p);
        if m > best.1 {
            best = (i, m);
        }
    }
    best
}

/// The polygons as a hull of the points they use, and the numbers of those points.
fn assemble(points: &[Vec3], mut polygons: Polygons) -> (Hull, Vec<u32>) {
    let mut is_used = vec![false; points.len()];
    for &p in polygons.points() {
        is_used[p as usize] = true;
    }
    let used: Vec<u32> = (0..points.len() as u32).filter(|&p| is_used[p as usize]).collect();
    let vertices = used.iter().map(|&p| points[p as usize]).collect();
    polygons.renumber(&renumbering(points.len(), &used));
    (Hull::from_faces(vertices, &polygons), used)
}

/// For each point its place in `used`.
fn renumbering(count: usize, used: &[u32]) -> Vec<u32> {
    let mut number = vec![u32::MAX; count];
    for (i, &p) in used.iter().enumerate() {
        number[p as usize] = i as u32;
    }
    number
}

/// The edges for climbing, for hulls that are large enough: those of the facets if all their points became vertices, else
/// those of the exact hull of the vertices.
fn climb(hull: &Hull, used: &[u32], grid: &[Vec3<f64>], facets: &[Facet]) -> Option<Climb> {
    if used.len() < FEWEST_TO_CLIMB {
        return None;
    }
    let number = renumbering(grid.len(), used);
    let all_used = facets.iter().flat_map(|f| f.points).all(|p| number[p as usize] != u32::MAX);
    if all_used {
        let triangles = facets.iter().map(|f| f.points.map(|p| number[p as usize]));
        return Some(Climb::new(hull.vertices(), triangles));
    }
    let vertices: Vec<_> = used.iter().map(|&p| grid[p as usize]).collect();
    let simplex = find_simplex(&vertices, 0.0).ok()?;
    let facets = Quickhull::build(&vertices, simplex, 0.0)?;
    Some(Climb::new(hull.vertices(), facets.iter().map(|f| f.points)))
}
