//! Terrain: a grid of heights.

mod record;

use super::adjacency::{Adjacency, EdgeKind, classify};
use super::height_ranges::HeightRanges;
use super::mesh::Triangle;
use super::query::Line;
use super::triangle::{line_through, nearest_point};
use super::{Geometry, MassProperties, Projection, Ray, RayHit, not_negative, positive};
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Num, Pose, Real, Vec3};
use core::ops::Range;

/// What a height field is made from.
///
/// ```
/// use tumble::shape::HeightFieldDesc;
/// // A ramp of 2 x 3 cells over 20 m in x and 30 m in z, with a hole in one corner.
/// let heights = vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0];
/// let mut holes = vec![false; 6];
/// holes[0] = true;
/// let ramp = HeightFieldDesc::new(4, 3, 20.0, 30.0, heights).holes(holes).build()?;
/// assert_eq!(ramp.triangle_count(), 12);
/// assert!(ramp.get(0).is_none());
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::shape::HeightFieldDesc;
/// let desc = HeightFieldDesc::new(2, 3, 2.0, 1.0, vec![0.0; 6]).materials(vec![0, 1]).flat_angle(0.02);
/// assert_eq!(desc.build()?.get(2).unwrap().material, 1); // the second cell
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeightFieldDesc {
    /// How many heights along z; at least 2.
    pub rows: u32,
    /// How many heights along x; at least 2.
    pub columns: u32,
    /// Length along x; the field is centred at the origin.
    pub size_x: Real,
    /// Length along z.
    pub size_z: Real,
    /// The heights (y), row after row. All must be finite: holes are given apart.
    pub heights: Vec<Real>,
    /// For every cell, row after row of one less in number, whether it is a hole; or empty: no holes.
    pub holes: Vec<bool>,
    /// For every cell a slot of the collider's list of materials; or empty: all in slot 0.
    pub materials: Vec<u16>,
    /// As [`MeshDesc::flat_angle`](super::MeshDesc::flat_angle).
    pub flat_angle: Real,
}

impl HeightFieldDesc {
    /// Without holes, of one material.
    pub fn new(rows: u32, columns: u32, size_x: Real, size_z: Real, heights: Vec<Real>) -> Self {
        let (holes, materials) = (Vec::new(), Vec::new());
        Self { rows, columns, size_x, size_z, heights, holes, materials, flat_angle: 0.005 }
    }

    /// Sets [`HeightFieldDesc::holes`].
    #[must_use]
    pub fn holes(mut self, holes: Vec<bool>) -> Self {
        self.holes = holes;
        self
    }

    /// Sets [`HeightFieldDesc::materials`].
    #[must_use]
    pub fn materials(mut self, materials: Vec<u16>) -> Self {
        self.materials = materials;
        self
    }

    /// Sets [`HeightFieldDesc::flat_angle`].
    #[must_use]
    pub fn flat_angle(mut self, angle: Real) -> Self {
        self.flat_angle = angle;
        self
    }

    /// The height field, or the first thing that is wrong with it.
    pub fn build(self) -> Result<HeightField> {
        HeightField::new(self)
    }
}

/// A surface over the xz-plane, y up, met from above only: a ball that is below it falls on.
///
/// Row r, column c of the heights is a vertex; four neighbours make a cell, and each cell is two triangles, split along the
/// diagonal from its corner of smallest x and z:
///
/// ```text
///   (r, c) ────── (r, c+1)  → x      triangle 0: (r, c), (r+1, c), (r+1, c+1)
///     │  \    1     │                triangle 1: (r, c), (r+1, c+1), (r, c+1)
///     │     \       │
///     │  0     \    │                number of a triangle: 2 (r (columns - 1) + c) + 0 or 1
///   (r+1, c) ─── (r+1, c+1)
///     ↓ z
/// ```
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, HeightFieldDesc, Ray}};
/// let plain = HeightFieldDesc::new(2, 2, 10.0, 10.0, vec![1.0; 4]).build()?;
/// let hit = plain.cast_ray(&Ray::new(Vec3::new(2.0, 5.0, 3.0), -Vec3::Y), 10.0);
/// assert_eq!(hit.map(|h| (h.t, h.normal)), Some((4.0, Vec3::Y)));
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::{Aabb, Vec3}, shape::{HeightField, HeightFieldDesc}};
/// let field = HeightField::new(HeightFieldDesc::new(3, 2, 1.0, 2.0, vec![0.0; 6]).flat_angle(0.01))?;
/// assert_eq!((field.rows(), field.columns(), field.heights().len()), (3, 2, 6));
/// assert_eq!(field.triangle_count(), 4); // two in each of the two cells
/// assert_eq!(field.get(0).unwrap().normal, Vec3::Y);
/// assert_eq!(field.triangles_in(&Aabb::EVERYTHING).count(), 4);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// Where the columns are, and the rows: strictly ascending.
    xs: Vec<Real>,
    zs: Vec<Real>,
    heights: Vec<Real>,
    holes: Vec<bool>,
    materials: Vec<u16>,
    flat_sine: Real,
    ranges: HeightRanges,
}

impl HeightField {
    /// The height field, or the first thing that is wrong with it: fewer than 2 rows or columns, a list of the wrong length, a
    /// height that is not finite, a size that is not positive, nothing but holes.
    pub fn new(desc: HeightFieldDesc) -> Result<Self> {
        let HeightFieldDesc { rows, columns, size_x, size_z, heights, holes, materials, flat_angle } = desc;
        for (property, count) in [("rows", rows), ("columns", columns)] {
            if count < 2 {
                return Err(Error::value("height field", property, "at least 2", count));
            }
        }
        let (vertices, cells) = (u64::from(rows) * u64::from(columns), u64::from(rows - 1) * u64::from(columns - 1));
        if cells > u64::from(u32::MAX / 2) {
            return Err(Error::value("height field", "number of cells", "below 2³¹", cells));
        }
        if heights.len() as u64 != vertices {
            return Err(Error::geometry(
                "height field",
                format_args!("{rows} rows of {columns} need {vertices} heights, got {}", heights.len()),
            ));
        }
        for (what, count) in [("holes", holes.len()), ("materials", materials.len())] {
            if count != 0 && count as u64 != cells {
                return Err(Error::geometry(
                    "height field",
                    format_args!("has {cells} cells, but {what} for {count} of them"),
                ));
            }
        }
        // The same range as for vertices of meshes.
        let usable = |h: &Real| h.to_f64().abs() <= f64::from(f32::MAX);
        if let Some(i) = heights.iter().position(|h| !usable(h)) {
            let (row, column) = (i / columns as usize, i % columns as usize);
            return Err(Error::geometry(
                "height field",
                format_args!("the height at row {row}, column {column} is not finite: {:?}", heights[i]),
            ));
        }
        if holes.iter().all(|&hole| hole) && !holes.is_empty() {
            return Err(Error::geometry("height field", "has no cell that is not a hole"));
        }
        let xs = grid_lines("size x", size_x, columns)?;
        let zs = grid_lines("size z", size_z, rows)?;
        let flat_angle = not_negative("height field", "flat angle", flat_angle)?;
        let flat_sine = Float::sin(Num::min(flat_angle, Real::PI * 0.5));
        let ranges = height_ranges(&heights, &holes, rows as usize, columns as usize);
        Ok(Self { xs, zs, heights, holes, materials, flat_sine, ranges })
    }

    /// How many heights there are along z.
    pub fn rows(&self) -> u32 {
        self.zs.len() as u32
    }

    /// How many heights there are along x.
    pub fn columns(&self) -> u32 {
        self.xs.len() as u32
    }

    /// The heights, row after row.
    pub fn heights(&self) -> &[Real] {
        &self.heights
    }

    /// A description of the same heights, holes and materials.
    ///
    /// ```
    /// use tumble::shape::HeightFieldDesc;
    /// let desc = HeightFieldDesc::new(2, 3, 2.0, 1.0, vec![0.0, 1.0, 0.5, 0.25, 0.0, 1.5]).materials(vec![0, 1]);
    /// assert_eq!(desc.clone().build()?.desc(), desc);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn desc(&self) -> HeightFieldDesc {
        let size = |lines: &[Real]| match (lines.first(), lines.last()) {
            (Some(&first), Some(&last)) => last - first,
            _ => 0.0,
        };
        let desc =
            HeightFieldDesc::new(self.rows(), self.columns(), size(&self.xs), size(&self.zs), self.heights.clone());
        // The angle is kept as its sine; the usual one is given back to the bit.
        let usual = desc.flat_angle;
        let flat_angle = if self.flat_sine == Float::sin(usual) { usual } else { Float::asin(self.flat_sine) };
        desc.holes(self.holes.clone()).materials(self.materials.clone()).flat_angle(flat_angle)
    }

    /// Twice the number of cells, holes included.
    pub fn triangle_count(&self) -> u32 {
        2 * (self.rows() - 1) * (self.columns() - 1)
    }

    /// A triangle by its number; `None` in holes.
    pub fn get(&self, triangle: u32) -> Option<Triangle> {
        (triangle < self.triangle_count() && !self.is_hole(triangle / 2)).then(|| Triangle {
            corners: self.triangle(triangle),
            normal: self.normal(triangle),
            adjacency: self.adjacency(triangle),
            material: self.material(triangle),
        })
    }

    /// The triangles whose boxes overlap `bounds`.
    pub fn triangles_in(&self, bounds: &Aabb) -> impl Iterator<Item = u32> + '_ {
        let bounds = *bounds;
        let (c0, c1) = lines_between(&self.xs, bounds.min.x, bounds.max.x);
        let (r0, r1) = lines_between(&self.zs, bounds.min.z, bounds.max.z);
        let columns = self.xs.len() as u32 - 1;
        (r0..r1)
            .flat_map(move |row| (c0..c1).map(move |column| row * columns + column))
            .filter(move |&cell| {
                let (low, high) = self.cell_range(cell);
                !self.is_hole(cell) && low <= bounds.max.y && high >= bounds.min.y
            })
            .flat_map(|cell| [2 * cell, 2 * cell + 1])
            .filter(move |&t| Aabb::of_points(self.triangle(t)).overlaps(&bounds))
    }

    /// The corners of a triangle, whose number must be below [`HeightField::triangle_count`].
    #[inline]
    pub(crate) fn triangle(&self, triangle: u32) -> [Vec3; 3] {
        let (row, column) = self.place(triangle / 2);
        let (a, c) = (self.vertex(row, column), self.vertex(row + 1, column + 1));
        if triangle & 1 == 0 { [a, self.vertex(row + 1, column), c] } else { [a, c, self.vertex(row, column + 1)] }
    }

    /// The unit normal of a triangle, whose number must be below [`HeightField::triangle_count`].
    pub(crate) fn normal(&self, triangle: u32) -> Vec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a).normalize_or(Vec3::Y).to_real()
    }

    /// What lies across the edges of a triangle, whose number must be below [`HeightField::triangle_count`]. The outer
    /// border and the borders of holes are boundaries.
    pub(crate) fn adjacency(&self, triangle: u32) -> Adjacency {
        let (row, column) = self.place(triangle / 2);
        let (rows, columns) = (self.zs.len() - 1, self.xs.len() - 1);
        let step = columns as u32;
        let cell = triangle / 2;
        let across = if triangle & 1 == 0 {
            [
                (column > 0).then(|| 2 * (cell - 1) + 1),
                (row + 1 < rows).then(|| 2 * (cell + step) + 1),
                Some(triangle + 1),
            ]
        } else {
            [Some(triangle - 1), (column + 1 < columns).then(|| 2 * (cell + 1)), (row > 0).then(|| 2 * (cell - step))]
        };
        let corners = self.triangle(triangle);
        let normal = self.normal(triangle);
        let mut adjacency = Adjacency::ALONE;
        for (edge, neighbour) in across.into_iter().enumerate() {
            if let Some(other) = neighbour.filter(|t| !self.is_hole(t / 2)) {
                let along = corners[(edge + 1) % 3] - corners[edge];
                let kind: EdgeKind = classify(normal, self.normal(other), along, self.flat_sine);
                adjacency.set(edge, other, kind);
            }
        }
        adjacency
    }

    /// The material slot of a triangle; 0 where the field has no list.
    #[inline]
    pub(crate) fn material(&self, triangle: u32) -> u16 {
        self.materials.get(triangle as usize / 2).copied().unwrap_or(0)
    }

    fn is_hole(&self, cell: u32) -> bool {
        self.holes.get(cell as usize).copied().unwrap_or(false)
    }

    /// Row and column of a cell.
    fn place(&self, cell: u32) -> (usize, usize) {
        let columns = self.xs.len() as u32 - 1;
        ((cell / columns) as usize, (cell % columns) as usize)
    }

    fn vertex(&self, row: usize, column: usize) -> Vec3 {
        Vec3::new(self.xs[column], self.heights[row * self.xs.len() + column], self.zs[row])
    }

    fn corners(&self, triangle: u32) -> [Vec3<f64>; 3] {
        self.triangle(triangle).map(|v| v.to_f64())
    }

    /// Lowest and highest corner of a cell.
    fn cell_range(&self, cell: u32) -> (Real, Real) {
        let (row, column) = self.place(cell);
        let at = row * self.xs.len() + column;
        let next = at + self.xs.len();
        let [a, b, c, d] = [self.heights[at], self.heights[at + 1], self.heights[next], self.heights[next + 1]];
        (Num::min(Num::min(a, b), Num::min(c, d)), Num::max(Num::max(a, b), Num::max(c, d)))
    }

    /// The box around everything but the heights of holes.
    pub(crate) fn local_bounds(&self) -> Aabb {
        let (low, high) = self.ranges.whole();
        let (columns, rows) = (self.xs.len(), self.zs.len());
        Aabb::new(Vec3::new(self.xs[0], low, self.zs[0]), Vec3::new(self.xs[columns - 1], high, self.zs[rows - 1]))
    }

    /// The search for the triangle of the least value, as [`Bvh::minimize`](super::Bvh::minimize).
    pub(crate) fn minimize(
        &self,
        mut limit: f64,
        bound: impl Fn(Vec3<f64>, Vec3<f64>) -> Option<f64>,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        let columns_of_cells = self.xs.len() - 1;
        let reach = |rows: Range<usize>, columns: Range<usize>, low: Real, high: Real| {
            let low = Vec3::new(self.xs[columns.start], low, self.zs[rows.start]);
            let high = Vec3::new(self.xs[columns.end], high, self.zs[rows.end]);
            bound(low.to_f64(), high.to_f64())
        };
        let of_block = |rows, columns, low, high| reach(rows, columns, low, high).unwrap_or(f64::INFINITY);
        self.ranges.nearest_blocks(of_block, |rows, columns| {
            for row in rows {
                for column in columns.clone() {
                    let cell = (row * columns_of_cells + column) as u32;
                    let (low, high) = self.cell_range(cell);
                    let bound = reach(row..row + 1, column..column + 1, low, high);
                    if bound.is_none_or(|b| b > limit) || self.is_hole(cell) {
                        continue;
                    }
                    limit = visit(2 * cell, limit);
                    limit = visit(2 * cell + 1, limit);
                }
            }
            limit
        });
    }

    /// The nearest hit of a line in one cell.
    fn hit_in_cell(&self, cell: u32, origin: Vec3<f64>, direction: Vec3<f64>) -> Option<(f64, u32)> {
        let hit =
            |t: u32| line_through(origin, direction, self.corners(t)).filter(|(_, front)| *front).map(|(d, _)| (d, t));
        match (hit(2 * cell), hit(2 * cell + 1)) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        }
    }
}

/// The ranges of height over a grid of `rows` by `columns` vertices.
fn height_ranges(heights: &[Real], holes: &[bool], rows: usize, columns: usize) -> HeightRanges {
    HeightRanges::new(rows - 1, columns - 1, |row, column| {
        let cell = row * (columns - 1) + column;
        (!holes.get(cell).copied().unwrap_or(false)).then(|| {
            let at = row * columns + column;
            let next = at + columns;
            [heights[at], heights[at + 1], heights[next], heights[next + 1]]
        })
    })
}

/// Where the lines of the grid are, or an error where the cells would be too small to tell apart.
fn grid_lines(property: &'static str, size: Real, count: u32) -> Result<Vec<Real>> {
    let size = positive("height field", property, size)?.to_f64();
    if size > f64::from(f32::MAX) {
        return Err(Error::value("height field", property, "within the range of f32", size));
    }
    let cells = f64::from(count - 1);
    // Symmetric to the bit: (2k - cells) changes its sign exactly.
    let line = |k: u32| Real::from_f64((2.0 * f64::from(k) - cells) / cells * (0.5 * size));
    let lines: Vec<Real> = (0..count).map(line).collect();
    if lines.windows(2).any(|w| w[0] >= w[1]) {
        return Err(Error::value("height field", property, "large enough to tell its grid lines apart", size));
    }
    Ok(lines)
}

/// The cells of ascending grid lines that touch the interval: from the first to before the last.
fn lines_between(lines: &[Real], low: Real, high: Real) -> (u32, u32) {
    let cells = lines.len() - 1;
    // Cell k lies between lines k and k + 1.
    let first = lines[1..].partition_point(|&line| line < low);
    let end = lines[..cells].partition_point(|&line| line <= high);
    (first as u32, end as u32)
}

/// The cell in which a coordinate lies, the nearest one for coordinates outside.
fn cell_at(lines: &[Real], v: f64) -> usize {
    let cells = lines.len() - 1;
    let (first, last) = (lines[0].to_f64(), lines[cells].to_f64());
    // Casts saturate, and take NaN to 0.
    let mut k = (((v - first) / (last - first) * cells as f64) as usize).min(cells - 1);
    // Rounded lines may lie a little beside the even ones.
    while k > 0 && v < lines[k].to_f64() {
        k -= 1;
    }
    while k + 1 < cells && v > lines[k + 1].to_f64() {
        k += 1;
    }
    k
}

impl Geometry for HeightField {
    /// The turned box around the field; exact where the pose turns by quarters.
    fn bounds(&self, pose: &Pose) -> Aabb {
        let local = self.local_bounds();
        let (low, high) = (local.min.to_f64(), local.max.to_f64());
        let rotation = pose.rotation.to_f64();
        let centre = pose.translation.to_f64() + rotation.rotate((low + high) * 0.5);
        let half = rotation.to_mat3().abs() * ((high - low) * 0.5);
        Aabb::new((centre - half).to_real(), (centre + half).to_real())
    }

    /// There is no inside.
    fn inner_sphere(&self) -> (Vec3, Real) {
        (Vec3::ZERO, 0.0)
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        let p = point.to_f64();
        let mut square = 0.0f64;
        for cell in (0..self.triangle_count() / 2).filter(|&cell| !self.is_hole(cell)) {
            let (row, column) = self.place(cell);
            for (r, c) in [(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)] {
                square = Num::max((self.vertex(r, c).to_f64() - p).length_squared(), square);
            }
        }
        Real::from_f64(square.sqrt())
    }

    /// Only from above.
    ///
    /// The field is crossed strip by strip along the axis on which the ray passes more cells, so that it touches few cells of
    /// each strip. Which ones is decided with room for rounding: a ray along a border looks at the cells on both
    /// sides, so nothing slips through there.
    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        let line = Line::new(ray, max)?;
        let bounds = self.local_bounds();
        let (low, high) = (bounds.min.to_f64(), bounds.max.to_f64());
        let (o, d) = (line.origin, line.direction);
        if !o.is_finite() || max.is_nan() {
            return None;
        }
        let pad = (high - low).max(low.abs()).max(high.abs()).max(o.abs()).max_component() * 1e-13;

        // The part of the ray inside the box of the field.
        let (mut enter, mut leave) = (0.0f64, line.reach());
        for i in 0..3 {
            let (a, b) = (low[i] - pad - o[i], high[i] + pad - o[i]);
            if d[i] == 0.0 {
                if a > 0.0 || b < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (a / d[i], b / d[i]);
            enter = Num::max(Num::min(a, b), enter);
            leave = Num::min(Num::max(a, b), leave);
        }
        if enter > leave {
            return None;
        }

        let cell_size = |lines: &[Real], low: f64, high: f64| (high - low) / (lines.len() - 1) as f64;
        let along_x = d.x.abs() * cell_size(&self.zs, low.z, high.z) >= d.z.abs() * cell_size(&self.xs, low.x, high.x);
        let (main, side, strips, cells) = if along_x { (0, 2, &self.xs, &self.zs) } else { (2, 0, &self.zs, &self.xs) };
        let columns = self.xs.len() - 1;
        let between = |lines: &[Real], a: f64, b: f64| {
            let (a, b) = if a < b { (a, b) } else { (b, a) };
            let (from, to) = (cell_at(lines, a - pad), cell_at(lines, b + pad));
            (from.min(to), from.max(to))
        };

        // From where the line passes the middle, the corners are no farther than the field is large.
        let shift = d.dot((low + high) * 0.5 - o);
        let origin = line.at(shift);
        let (first, last) = between(strips, o[main] + d[main] * enter, o[main] + d[main] * leave);
        for k in 0..=last - first {
            let strip = if d[main] < 0.0 { last - k } else { first + k };
            let (mut a, mut b) = (enter, leave);
            if d[main] != 0.0 {
                let (p, q) =
                    ((strips[strip].to_f64() - o[main]) / d[main], (strips[strip + 1].to_f64() - o[main]) / d[main]);
                a = Num::max(Num::min(p, q), a);
                b = Num::min(Num::max(p, q), b);
            }
            let (from, to) = between(cells, o[side] + d[side] * a, o[side] + d[side] * b);
            let (y0, y1) = (o.y + d.y * a, o.y + d.y * b);
            let heights = (Num::min(y0, y1) - pad, Num::max(y0, y1) + pad);
            let mut nearest: Option<(f64, u32)> = None;
            for cell in from..=to {
                let (row, column) = if along_x { (cell, strip) } else { (strip, cell) };
                let cell = (row * columns + column) as u32;
                let (bottom, top) = self.cell_range(cell);
                let passes = heights.0 > top.to_f64() || heights.1 < bottom.to_f64();
                let hit = if passes || self.is_hole(cell) { None } else { self.hit_in_cell(cell, origin, d) };
                if let Some((distance, t)) = hit
                    && shift + distance >= 0.0
                    && nearest.is_none_or(|(n, _)| distance < n)
                {
                    nearest = Some((distance, t));
                }
            }
            if let Some((distance, t)) = nearest {
                return line.hit(shift + distance, self.normal(t).to_f64(), t);
            }
        }
        None
    }

    /// The distance is positive on either side.
    fn closest_point(&self, point: Vec3) -> Projection {
        let p = point.to_f64();
        let mut best = (f64::INFINITY, Vec3::ZERO, 0u32);
        let mut found = false;
        let distance_to = |rows: Range<usize>, columns: Range<usize>, low: Real, high: Real| {
            let low = Vec3::new(self.xs[columns.start], low, self.zs[rows.start]).to_f64();
            let high = Vec3::new(self.xs[columns.end], high, self.zs[rows.end]).to_f64();
            (low - p).max(p - high).max(Vec3::ZERO).length_squared()
        };
        self.ranges.nearest_blocks(distance_to, |rows, columns| {
            for row in rows {
                for column in columns.clone() {
                    let cell = (row * (self.xs.len() - 1) + column) as u32;
                    let (low, high) = self.cell_range(cell);
                    let beyond = found && distance_to(row..row + 1, column..column + 1, low, high) > best.0;
                    if beyond || self.is_hole(cell) {
                        continue;
                    }
                    for t in [2 * cell, 2 * cell + 1] {
                        let (q, _) = nearest_point(p, self.corners(t));
                        let square = (p - q).length_squared();
                        if !found || square < best.0 || (square == best.0 && t < best.2) {
                            found = true;
                            best = (square, q, t);
                        }
                    }
                }
            }
            best.0
        });
        let (_, q, triangle) = best;
        let offset = p - q;
        Projection {
            point: q.to_real(),
            normal: offset.normalize_or(self.normal(triangle).to_f64()).to_real(),
            distance: Real::from_f64(offset.length()),
            part: triangle,
        }
    }

    fn contains(&self, _point: Vec3) -> bool {
        false
    }

    fn mass_properties(&self, _density: f64) -> Result<MassProperties> {
        Err(Error::refused("height field", "has no volume, so no mass: use it on a fixed body"))
    }
}
