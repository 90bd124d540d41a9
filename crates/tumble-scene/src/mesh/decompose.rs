//! Convex decomposition by planes across the axes.
//!
//! A solid is cut by planes x = c, y = c or z = c into boxes' worth of solid, each of which is replaced by its hull. What lies in a box is
//! known exactly: the extreme points of solid ∩ box are corners of the surface, cut at the faces of the box, and those corners of the box
//! that lie inside. Hulls of parts of disjoint boxes are disjoint, so the volume error is the sum of their volumes against that of the
//! solid, without any estimate.
//!
//! ```text
//!   worst ← the part whose hull exceeds its solid most; stop when the sum of all excess is within the tolerance
//!   cut it where the hulls of both sides together are smallest, among planes at equal distances along each axis
//! ```
//!
//! Where to cut is judged by samples on a grid, which costs little and needs no exactness: a poor choice makes one more part, not a
//! wrong one. All sums run in one order, so that the parts are the same to the bit every time.

use super::TriangleMesh;
use crate::figure::Figure;
use tumble::math::{Float, Pose, Real, Vec3};
use tumble::shape::{CompoundChild, Geometry, Hull, Shape};
use tumble::{Error, Result};

/// How fine a decomposition is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartsOptions {
    /// No more parts than this.
    pub most: u32,
    /// Volume that the hulls may have too much, as a share of the solid's.
    pub tolerance: f64,
    /// Samples along the longest side, by which cuts are chosen.
    pub resolution: u32,
}

impl Default for PartsOptions {
    fn default() -> Self {
        Self { most: 16, tolerance: 0.05, resolution: 24 }
    }
}

/// A solid as convex parts.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Their hulls, which do not overlap.
    pub hulls: Vec<Hull>,
    /// Volume of the solid.
    pub volume: f64,
    /// Volume that the hulls have too much, as a share of the solid's.
    pub volume_error: f64,
}

impl Parts {
    /// A sentence where the volume error is more than what was allowed: so many parts are too few.
    pub fn coarse(&self, options: &PartsOptions) -> Option<String> {
        let percent = |share: f64| Figure(100.0 * share).to_string();
        (self.volume_error > options.tolerance).then(|| {
            format!(
                "{} convex parts have {} % too much volume, and {} % is the tolerance; allow more parts or a larger tolerance",
                self.hulls.len(),
                percent(self.volume_error),
                percent(options.tolerance)
            )
        })
    }

    /// The parts as one shape.
    pub fn shape(&self) -> Result<Shape> {
        let child = |hull: &Hull| CompoundChild::new(Shape::Hull(hull.clone().into()), Pose::IDENTITY);
        match self.hulls.as_slice() {
            [only] => Ok(Shape::Hull(only.clone().into())),
            several => Shape::compound(several.iter().map(child).collect()),
        }
    }
}

/// Planes that are tried along each axis at first.
const PLANES: i32 = 7;

/// A box of the solid, with the samples in it.
struct Cell {
    low: Vec3<f64>,
    high: Vec3<f64>,
    /// Samples inside the solid, as positions on the grid.
    samples: Vec<[i32; 3]>,
    hull: Option<Hull>,
}

struct Grid {
    origin: Vec3<f64>,
    step: f64,
}

impl Grid {
    fn place(&self, sample: &[i32; 3]) -> Vec3<f64> {
        let at = |k: usize| (f64::from(sample[k]) + 0.5) * self.step;
        self.origin + Vec3::new(at(0), at(1), at(2))
    }
}

impl Cell {
    fn volume(&self, grid: &Grid) -> f64 {
        self.samples.len() as f64 * grid.step * grid.step * grid.step
    }

    /// By how much the hull is larger than the solid in the cell.
    fn excess(&self, grid: &Grid) -> f64 {
        let excess = self.hull.as_ref().map_or(0.0, Hull::volume) - self.volume(grid);
        if excess > 0.0 { excess } else { 0.0 }
    }
}

pub fn decompose(mesh: &TriangleMesh, options: &PartsOptions) -> Result<Parts> {
    mesh.is_closed()?;
    let volume = mesh.mass_properties(1.0)?.mass;
    let solid = mesh.surface()?;
    let [low, high] = mesh.bounds();
    let size = high - low;
    let longest = size.x.max(size.y).max(size.z);
    let resolution = options.resolution.clamp(4, 128);
    let grid = Grid { origin: low, step: longest / f64::from(resolution) };
    // Cells a little larger than the mesh, so that nothing of its surface is on their faces.
    let margin = Vec3::all(0.01 * grid.step);
    let mut whole = Cell { low: low - margin, high: high + margin, samples: samples(&solid, &grid, size), hull: None };
    whole.hull = hull_of(mesh, &solid, &whole);
    if whole.hull.is_none() {
        return Err(Error::Refused { subject: "mesh".to_owned(), problem: "it has no volume".to_owned() });
    }

    let mut cells = vec![whole];
    let most = options.most.clamp(1, 1024) as usize;
    while cells.len() < most {
        let total: f64 = cells.iter().filter_map(|c| c.hull.as_ref()).map(Hull::volume).sum();
        if total - volume <= options.tolerance * volume {
            break;
        }
        // The first of several that are equally bad.
        let excess = cells.iter().map(|c| c.excess(&grid));
        let worst = excess.enumerate().fold((0, -1.0), |best, (i, e)| if e > best.1 { (i, e) } else { best });
        let Some((axis, at)) = best_cut(&cells[worst.0], &grid) else { break };
        let cell = cells.swap_remove(worst.0);
        let [left, right] = cut(&cell, axis, at, &grid).map(|mut half| {
            half.hull = hull_of(mesh, &solid, &half);
            half
        });
        cells.push(left);
        cells.push(right);
        cells.retain(|c| c.hull.is_some());
    }
    // From one corner of space to the other, whatever the order of the cuts was.
    cells.sort_by(|a, b| a.low.to_array().partial_cmp(&b.low.to_array()).unwrap_or(core::cmp::Ordering::Equal));
    let hulls: Vec<Hull> = cells.into_iter().filter_map(|c| c.hull).collect();
    let total: f64 = hulls.iter().map(Hull::volume).sum();
    Ok(Parts { hulls, volume, volume_error: (total - volume) / volume })
}

/// The points of the grid that lie inside the solid.
fn samples(solid: &Shape, grid: &Grid, size: Vec3<f64>) -> Vec<[i32; 3]> {
    let count = |length: f64| (length / grid.step).ceil().clamp(1.0, 128.0) as i32;
    let mut samples = Vec::new();
    for i in 0..count(size.x) {
        for j in 0..count(size.y) {
            for k in 0..count(size.z) {
                let sample = [i, j, k];
                if solid.contains(grid.place(&sample).to_real()) {
                    samples.push(sample);
                }
            }
        }
    }
    samples
}

fn with(v: Vec3<f64>, axis: usize, value: f64) -> Vec3<f64> {
    let mut array = v.to_array();
    array[axis] = value;
    Vec3::from(array)
}

/// The two sides of a cell, their hulls still to be found.
fn cut(cell: &Cell, axis: usize, at: f64, grid: &Grid) -> [Cell; 2] {
    let (left, right): (Vec<_>, Vec<_>) = cell.samples.iter().partition(|s| grid.place(s).to_array()[axis] < at);
    [
        Cell { low: cell.low, high: with(cell.high, axis, at), samples: left, hull: None },
        Cell { low: with(cell.low, axis, at), high: cell.high, samples: right, hull: None },
    ]
}

/// Where the hulls of the samples of both sides together are smallest; `None` where there is too little to cut. Planes at wide distances
/// are tried first along each axis, and then all between the neighbours of the best one.
fn best_cut(cell: &Cell, grid: &Grid) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64, f64)> = None;
    for axis in 0..3 {
        let low = cell.samples.iter().map(|s| s[axis]).min()?;
        let high = cell.samples.iter().map(|s| s[axis]).max()?;
        // Planes lie between samples: the one before sample i at i, so those from low + 1 to high part anything.
        let place = |index: i32| grid.origin.to_array()[axis] + f64::from(index) * grid.step;
        let cost = |index: i32| {
            let [left, right] = cut(cell, axis, place(index), grid);
            sampled_volume(&left, grid) + sampled_volume(&right, grid)
        };
        let stride = ((high - low) / PLANES).max(1);
        let smallest = |indices: &mut dyn Iterator<Item = i32>| {
            let costs = indices.map(|index| (index, cost(index)));
            costs.fold(None, |best: Option<(i32, f64)>, c| if best.is_none_or(|b| c.1 < b.1) { Some(c) } else { best })
        };
        let coarse = smallest(&mut (low + 1..=high).step_by(stride as usize));
        let Some((near, _)) = coarse else { continue };
        let (from, to) = ((near - stride + 1).max(low + 1), (near + stride - 1).min(high));
        let Some((index, cost)) = smallest(&mut (from..=to)) else { continue };
        if best.is_none_or(|b| cost < b.2) {
            best = Some((axis, place(index), cost));
        }
    }
    best.map(|(axis, at, _)| (axis, at))
}

/// Volume of the hull of the samples, each a small cube: only the ends of every row along x matter.
fn sampled_volume(cell: &Cell, grid: &Grid) -> f64 {
    let mut ends: std::collections::BTreeMap<(i32, i32), (i32, i32)> = std::collections::BTreeMap::new();
    for &[x, y, z] in &cell.samples {
        let row = ends.entry((y, z)).or_insert((x, x));
        *row = (row.0.min(x), row.1.max(x));
    }
    let mut points: Vec<Vec3> = Vec::with_capacity(8 * ends.len());
    for ((y, z), (first, last)) in ends {
        for (dy, dz) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            for x in [first, last + 1] {
                let corner = [x, y + dy, z + dz].map(|v| f64::from(v) * grid.step);
                points.push(Vec3::from(corner).to_real());
            }
        }
    }
    Hull::new(&points).map_or(0.0, |hull| hull.volume())
}

/// The hull of what the mesh has in a cell; `None` where that is flat or nothing.
fn hull_of(mesh: &TriangleMesh, solid: &Shape, cell: &Cell) -> Option<Hull> {
    let (low, high) = (cell.low.to_array(), cell.high.to_array());
    let mut points: Vec<Vec3> = Vec::new();
    for triangle in &mesh.triangles {
        let corners = triangle.map(|i| mesh.vertices[i as usize].to_array());
        let outside = |k: usize| corners.iter().all(|c| c[k] < low[k]) || corners.iter().all(|c| c[k] > high[k]);
        if (0..3).any(outside) {
            continue;
        }
        let mut polygon = corners.to_vec();
        for k in 0..3 {
            polygon = clip(&polygon, k, low[k], 1.0);
            polygon = clip(&polygon, k, high[k], -1.0);
        }
        // What only touches a face of the cell from outside is of the neighbour. Where the solid is on this side, faces that lead
        // away from it have the same corners.
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-7 * (cell.high - cell.low).length();
        let on_face =
            |k: usize| polygon.iter().all(|p| near(p[k], low[k])) || polygon.iter().all(|p| near(p[k], high[k]));
        if !(0..3).any(on_face) {
            points.extend(polygon.iter().map(|p| Vec3::from(*p).to_real()));
        }
    }
    for i in 0..8 {
        let corner = [0, 1, 2].map(|k| if i >> k & 1 == 1 { high[k] } else { low[k] });
        let corner: Vec3<Real> = Vec3::from(corner).to_real();
        // On the surface it would be a corner of the surface.
        let depth = -solid.closest_point(corner).distance.to_f64();
        if depth > 1e-6 * (cell.high - cell.low).length() {
            points.push(corner);
        }
    }
    points.sort_by(|a, b| a.to_array().partial_cmp(&b.to_array()).unwrap_or(core::cmp::Ordering::Equal));
    points.dedup();
    let hull = Hull::new(&points).ok()?;
    let size = (cell.high - cell.low).length();
    // Slivers between a plane and a face beside it carry nothing.
    (hull.volume() > 1e-9 * size * size * size).then_some(hull)
}

/// The part of a polygon on one side of a plane across an axis (Sutherland and Hodgman 1974).
fn clip(polygon: &[[f64; 3]], axis: usize, at: f64, side: f64) -> Vec<[f64; 3]> {
    let mut out = Vec::with_capacity(polygon.len() + 1);
    for (i, p) in polygon.iter().enumerate() {
        let q = &polygon[(i + 1) % polygon.len()];
        let (d, e) = (side * (p[axis] - at), side * (q[axis] - at));
        if d >= 0.0 {
            out.push(*p);
        }
        if (d > 0.0 && e < 0.0) || (d < 0.0 && e > 0.0) {
            let t = d / (d - e);
            let mut cross: [f64; 3] = std::array::from_fn(|k| p[k] + t * (q[k] - p[k]));
            cross[axis] = at;
            out.push(cross);
        }
    }
    out
}
