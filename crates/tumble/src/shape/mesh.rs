//! Triangle meshes.

mod record;

use super::adjacency::{Adjacency, adjacency, inner_edges};
use super::bvh::WideTree;
use super::mass::checked_density;
use super::mesh_edges::check_triangles;
use super::mesh_weld::weld;
use super::polyhedron_mass::{Solid, measure};
use super::query::Line;
use super::triangle::{Feature, line_through, nearest_point};
use super::{Bvh, Geometry, MassProperties, Projection, Ray, RayHit, not_negative};
use crate::error::{Error, Result};
use crate::math::{Aabb, Float, Num, Pose, Real, Vec3};

/// Which sides of the triangles of a mesh things meet.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, MeshDesc, Ray, Sides}};
/// let triangle = MeshDesc::new(vec![Vec3::ZERO, Vec3::Z, Vec3::X], vec![[0, 1, 2]]); // the front looks up
/// let from_below = Ray::new(Vec3::new(0.2, -1.0, 0.2), Vec3::Y);
/// assert!(triangle.clone().build()?.cast_ray(&from_below, 9.0).is_none());
/// assert!(triangle.sides(Sides::Two).build()?.cast_ray(&from_below, 9.0).is_some());
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sides {
    /// The front, from where the corners of a triangle run counter-clockwise. A closed mesh is then a solid.
    #[default]
    One,
    /// Both: a shell without an inside.
    Two,
}

/// What a mesh is made from.
///
/// ```
/// use tumble::{math::Vec3, shape::{MeshDesc, Sides}};
/// let square = vec![Vec3::ZERO, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::X];
/// let mesh = MeshDesc::new(square, vec![[0, 1, 2], [0, 2, 3]]).sides(Sides::Two).materials(vec![0, 1]).build()?;
/// assert_eq!(mesh.triangle_count(), 2);
/// assert_eq!(mesh.get(0).map(|t| t.normal), Some(Vec3::Y));
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::Vec3, shape::MeshDesc};
/// // Two loose triangles whose corners lie within a millimetre of each other become neighbours.
/// let corners = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0005], [0.0, 0.0, 1.0005], [1.0, 0.1, 1.0]];
/// let soup = MeshDesc::new(corners.map(Vec3::from).to_vec(), vec![[0, 1, 2], [3, 4, 5]]);
/// assert_eq!(soup.clone().build()?.get(0).unwrap().adjacency.neighbour(1), None);
/// let welded = soup.weld_distance(0.001).flat_angle(0.2).build()?;
/// assert_eq!(welded.get(0).unwrap().adjacency.neighbour(1), Some(1));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MeshDesc {
    /// Positions.
    pub vertices: Vec<Vec3>,
    /// Three vertices each, counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Which sides things meet.
    pub sides: Sides,
    /// For every triangle a slot of the collider's list of materials; or empty: all in slot 0.
    pub materials: Vec<u16>,
    /// Vertices this close together count as one where neighbours are sought, so that a soup of loose triangles has
    /// neighbours too. 0, the default, joins vertices at exactly the same position. A triangle that shrinks to a
    /// line under it is refused.
    pub weld_distance: Real,
    /// Two triangles whose normals differ by no more than this many radians meet in a flat edge. 0.005 (0.3 degrees) by
    /// default: well above the rounding of vertices, well below any edge that a body could feel.
    pub flat_angle: Real,
}

impl Default for MeshDesc {
    fn default() -> Self {
        Self {
            vertices: Vec::new(),
            triangles: Vec::new(),
            sides: Sides::One,
            materials: Vec::new(),
            weld_distance: 0.0,
            flat_angle: 0.005,
        }
    }
}

impl MeshDesc {
    /// One-sided, of one material.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        Self { vertices, triangles, ..Self::default() }
    }

    /// Sets [`MeshDesc::sides`].
    #[must_use]
    pub fn sides(mut self, sides: Sides) -> Self {
        self.sides = sides;
        self
    }

    /// Sets [`MeshDesc::materials`].
    #[must_use]
    pub fn materials(mut self, materials: Vec<u16>) -> Self {
        self.materials = materials;
        self
    }

    /// Sets [`MeshDesc::weld_distance`].
    #[must_use]
    pub fn weld_distance(mut self, distance: Real) -> Self {
        self.weld_distance = distance;
        self
    }

    /// Sets [`MeshDesc::flat_angle`].
    #[must_use]
    pub fn flat_angle(mut self, angle: Real) -> Self {
        self.flat_angle = angle;
        self
    }

    /// The mesh, or the first thing that is wrong with it.
    pub fn build(self) -> Result<Mesh> {
        Mesh::new(self)
    }
}

/// One triangle of a mesh or height field.
///
/// ```
/// use tumble::{math::Vec3, shape::MeshDesc};
/// let square = vec![Vec3::ZERO, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::X];
/// let mesh = MeshDesc::new(square, vec![[0, 1, 2], [0, 2, 3]]).build()?;
/// let triangle = mesh.get(1).unwrap();
/// assert_eq!((triangle.corners[2], triangle.normal, triangle.material), (Vec3::X, Vec3::Y, 0));
/// assert_eq!(triangle.adjacency.neighbour(0), Some(0));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Its corners, counter-clockwise seen from the front.
    pub corners: [Vec3; 3],
    /// Unit vector out of the front.
    pub normal: Vec3,
    /// What lies across its edges.
    pub adjacency: Adjacency,
    /// Slot of the collider's list of materials.
    pub material: u16,
}

/// A surface of triangles, searched through a tree.
///
/// A closed one-sided mesh is a solid: distances inside are negative, and it contains points; any other mesh is only a
/// surface, to which distances are positive on either side. Mass takes a closed mesh.
///
/// ```
/// use tumble::{math::Vec3, shape::{Geometry, MeshDesc, Ray}};
/// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let tetrahedron = MeshDesc::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).build()?;
/// assert!(tetrahedron.contains(Vec3::all(0.1)));
/// let hit = tetrahedron.cast_ray(&Ray::new(Vec3::new(0.2, 0.2, -1.0), Vec3::Z), 10.0);
/// assert_eq!(hit.map(|h| h.t), Some(1.0));
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::{Aabb, Vec3}, shape::{Mesh, MeshDesc, Sides}};
/// // A tetrahedron: closed, and one-sided, so a solid.
/// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// let mesh = Mesh::new(MeshDesc::new(corners, faces))?;
/// assert!(mesh.is_closed() && mesh.is_solid() && mesh.sides() == Sides::One);
/// assert_eq!((mesh.vertices().len(), mesh.triangles().len(), mesh.triangle_count()), (4, 4, 4));
/// assert!(mesh.bvh().bounds().contains(&Aabb::new(Vec3::ZERO, Vec3::all(1.0))));
/// let around_tip = Aabb::new(Vec3::new(0.9, -0.1, -0.1), Vec3::new(1.1, 0.1, 0.1));
/// assert!(mesh.triangles_in(&around_tip).all(|t| mesh.get(t).is_some()));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    normals: Vec<Vec3>,
    adjacency: Vec<Adjacency>,
    materials: Vec<u16>,
    sides: Sides,
    bvh: Bvh,
    wide: WideTree,
    /// For each triangle the edges that are no edges of the surface, see [`inner_edges`].
    inner_edges: Vec<u8>,
    /// Its volume integrals, or why it has none.
    volume: Result<Solid>,
    /// For a solid the normals of the vertices, weighted by the angles of the faces; else empty.
    vertex_normals: Vec<Vec3>,
    inner_sphere: (Vec3, Real),
}

impl Mesh {
    /// The mesh, or the first thing that is wrong with it: no triangles, an index out of range, a coordinate that is
    /// not finite, a triangle without area, a list of materials of another length.
    pub fn new(desc: MeshDesc) -> Result<Self> {
        let MeshDesc { vertices, triangles, sides, materials, weld_distance, flat_angle } = desc;
        check_triangles("mesh", &vertices, &triangles)?;
        let weld_distance = not_negative("mesh", "weld distance", weld_distance)?;
        let flat_angle = not_negative("mesh", "flat angle", flat_angle)?;
        if !materials.is_empty() && materials.len() != triangles.len() {
            return Err(Error::geometry(
                "mesh",
                format_args!("has {} triangles, but materials for {}", triangles.len(), materials.len()),
            ));
        }
        let normals = normals(&vertices, &triangles)?;
        let first = weld(&vertices, weld_distance);
        let welded: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|i| first[i as usize])).collect();
        if let Some(t) = welded.iter().position(|[a, b, c]| a == b || b == c || c == a) {
            return Err(Error::geometry(
                "mesh",
                format_args!("triangle {t} shrinks to a line under the weld distance"),
            ));
        }
        let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::of_points(t.map(|i| vertices[i as usize]))).collect();
        let flat_sine = Float::sin(Num::min(flat_angle, Real::PI * 0.5));
        let bvh = Bvh::new(&boxes)?;
        let adjacency = adjacency(&vertices, &welded, &normals, flat_sine);
        let mut mesh = Self {
            wide: WideTree::new(&bvh, |t| boxes[t as usize]),
            inner_edges: adjacency.iter().map(inner_edges).collect(),
            adjacency,
            volume: measure("mesh", &vertices, &welded),
            bvh,
            vertices,
            triangles,
            normals,
            materials,
            sides,
            vertex_normals: Vec::new(),
            inner_sphere: (Vec3::ZERO, 0.0),
        };
        if mesh.is_solid() {
            mesh.vertex_normals = mesh.angle_weighted_normals(&welded, &first);
            mesh.inner_sphere = mesh.find_inner_sphere();
        }
        Ok(mesh)
    }

    /// How many triangles there are; they are numbered from 0 as they were given.
    pub fn triangle_count(&self) -> u32 {
        self.triangles.len() as u32
    }

    /// A triangle by its number.
    pub fn get(&self, triangle: u32) -> Option<Triangle> {
        (triangle < self.triangle_count()).then(|| Triangle {
            corners: self.triangle(triangle),
            normal: self.normal(triangle),
            adjacency: *self.adjacency(triangle),
            material: self.material(triangle),
        })
    }

    /// The positions that the triangles refer to.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The vertices of the triangles, counter-clockwise seen from the front.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Which sides things meet.
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// The tree over the triangles.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// The triangles whose boxes overlap `bounds`.
    pub fn triangles_in(&self, bounds: &Aabb) -> impl Iterator<Item = u32> + '_ {
        let bounds = *bounds;
        self.bvh.candidates(&bounds).filter(move |&t| Aabb::of_points(self.triangle(t)).overlaps(&bounds))
    }

    /// Visits the triangles whose boxes overlap `bounds`, in the order of [`Mesh::triangles_in`], until `visit` says false.
    #[inline]
    pub(crate) fn each_triangle_in(&self, bounds: &Aabb, mut visit: impl FnMut(u32) -> bool) {
        // The boxes of the tree stand on coarse grids.
        self.wide.each_overlap(bounds, |t| !Aabb::of_points(self.triangle(t)).overlaps(bounds) || visit(t));
    }

    /// The edges of a triangle that are no edges of the surface, see [`inner_edges`]. Its number must be below
    /// [`Mesh::triangle_count`].
    #[inline(always)]
    pub(crate) fn inner_edges(&self, triangle: u32) -> u8 {
        self.inner_edges[triangle as usize]
    }

    /// The mesh bounds a volume: see [`check_closed`](super::check_closed).
    pub fn is_closed(&self) -> bool {
        self.volume.is_ok()
    }

    /// The mesh is closed and one-sided.
    pub fn is_solid(&self) -> bool {
        self.is_closed() && self.sides == Sides::One
    }

    /// The corners of a triangle, whose number must be below [`Mesh::triangle_count`].
    #[inline(always)]
    pub(crate) fn triangle(&self, triangle: u32) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|i| self.vertices[i as usize])
    }

    /// A description of the same triangles. What was welded and which edges counted as flat went into its neighbourhoods and
    /// is not kept: both distances are the defaults.
    ///
    /// ```
    /// use tumble::{math::Vec3, shape::MeshDesc};
    /// let desc = MeshDesc::new(vec![Vec3::ZERO, Vec3::Z, Vec3::X], vec![[0, 1, 2]]);
    /// assert_eq!(desc.clone().build()?.desc(), desc);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn desc(&self) -> MeshDesc {
        let (vertices, triangles) = (self.vertices.clone(), self.triangles.clone());
        MeshDesc::new(vertices, triangles).sides(self.sides).materials(self.materials.clone())
    }

    /// The unit normal of a triangle, whose number must be below [`Mesh::triangle_count`].
    #[inline(always)]
    pub(crate) fn normal(&self, triangle: u32) -> Vec3 {
        self.normals[triangle as usize]
    }

    /// The surroundings of a triangle, whose number must be below [`Mesh::triangle_count`].
    #[inline(always)]
    pub(crate) fn adjacency(&self, triangle: u32) -> &Adjacency {
        &self.adjacency[triangle as usize]
    }

    /// The material slot of a triangle; 0 where the mesh has no list.
    #[inline(always)]
    pub(crate) fn material(&self, triangle: u32) -> u16 {
        self.materials.get(triangle as usize).copied().unwrap_or(0)
    }

    fn corners(&self, triangle: u32) -> [Vec3<f64>; 3] {
        self.triangle(triangle).map(|v| v.to_f64())
    }

    /// Normals of the vertices, each face weighted by its angle at the vertex. With them the sign of (p - q)·n tells inside
    /// from outside wherever the nearest point q is a vertex, which the normal of one of the faces does not
    /// (Bærentzen and Aanæs 2005).
    fn angle_weighted_normals(&self, welded: &[[u32; 3]], first: &[u32]) -> Vec<Vec3> {
        let mut sums = vec![Vec3::<f64>::ZERO; self.vertices.len()];
        for (t, triangle) in welded.iter().enumerate() {
            let corners = self.corners(t as u32);
            for k in 0..3 {
                let (p, q) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
                let angle = Float::atan2(p.cross(q).length(), p.dot(q));
                let sum = &mut sums[triangle[k] as usize];
                *sum = sum.add_scaled(self.normals[t].to_f64(), angle);
            }
        }
        first.iter().map(|&i| sums[i as usize].normalize_or(Vec3::Y).to_real()).collect()
    }

    /// Outward normal at a feature of a triangle of a solid; where there are several faces, one that tells inside from outside.
    fn pseudo_normal(&self, triangle: u32, feature: Feature) -> Vec3<f64> {
        let normal = self.normal(triangle).to_f64();
        match feature {
            Feature::Face => normal,
            Feature::Edge(k) => match self.adjacency(triangle).neighbour(k) {
                Some(other) => normal + self.normal(other).to_f64(),
                None => normal,
            },
            Feature::Corner(k) => {
                let vertex = self.triangles[triangle as usize][k];
                self.vertex_normals.get(vertex as usize).map_or(normal, |n| n.to_f64())
            }
        }
    }

    /// The nearest point of the surface, its triangle, and where on it; of several the one on the triangle of the
    /// lowest number.
    fn nearest(&self, p: Vec3<f64>) -> (Vec3<f64>, u32, Feature) {
        let mut best = (self.corners(0)[0], 0, Feature::Corner(0));
        let mut found = false;
        self.bvh.around_point(p, f64::INFINITY, |t, limit| {
            let (q, feature) = nearest_point(p, self.corners(t));
            let square = (p - q).length_squared();
            if !found || square < limit || (square == limit && t < best.1) {
                found = true;
                best = (q, t, feature);
                return square;
            }
            limit
        });
        best
    }

    fn signed_distance(&self, p: Vec3<f64>) -> f64 {
        let (q, triangle, feature) = self.nearest(p);
        let offset = p - q;
        if self.is_solid() && offset.dot(self.pseudo_normal(triangle, feature)) < 0.0 {
            -offset.length()
        } else {
            offset.length()
        }
    }

    /// The first triangle that the ray meets, as if it did not start inside.
    pub(crate) fn cast_ray_from_outside(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        let line = Line::new(ray, max)?;
        // From where the line passes the middle of the mesh, the corners are no farther than the mesh is large.
        let bounds = self.bvh.bounds();
        let middle = (bounds.min.to_f64() + bounds.max.to_f64()) * 0.5;
        let shift = line.direction.dot(middle - line.origin);
        let origin = line.at(shift);
        let mut hit: Option<(u32, bool)> = None;
        let mut nearest = f64::INFINITY;
        let mut meet = |t: u32, limit: f64| {
            let Some((distance, front)) = line_through(origin, line.direction, self.corners(t)) else { return limit };
            let distance = shift + distance;
            if distance < 0.0 || distance > limit || !(front || self.sides == Sides::Two) {
                return limit;
            }
            if hit.is_none_or(|(first, _)| distance < nearest || t < first) {
                hit = Some((t, front));
                nearest = distance;
            }
            distance
        };
        let (from, to) = (ray.origin, ray.origin + ray.direction * max);
        if (to - from).abs().max_component() <= SHORT * (bounds.max - bounds.min).max_component() {
            // Few boxes overlap that of the ray: to look at them needs no order. Room for the rounding of both ends.
            let size = from.abs().max(to.abs()).max_component() + (bounds.max - bounds.min).max_component();
            let near = Aabb::of_points([from, to]).expanded(16.0 * Real::EPSILON * size);
            let mut limit = line.reach();
            self.wide.each_overlap(&near, |t| {
                limit = meet(t, limit);
                true
            });
        } else {
            self.bvh.along_ray(line.origin, line.direction, line.reach(), meet);
        }
        let (triangle, front) = hit?;
        let normal = self.normal(triangle).to_f64();
        line.hit(nearest, if front { normal } else { -normal }, triangle)
    }

    /// A ball inside a solid: the deepest of the centre of mass and a coarse grid of points, moved along the axes as long
    /// as that takes it deeper.
    fn find_inner_sphere(&self) -> (Vec3, Real) {
        const GRID: usize = 4;
        const HALVINGS: usize = 10;
        let bounds = self.bvh.bounds();
        let (low, high) = (bounds.min.to_f64(), bounds.max.to_f64());
        let mut step = (high - low) * (1.0 / GRID as f64);
        let mut centre = self.volume.as_ref().map_or(low, |solid| solid.at_density(1.0).centre);
        let mut depth = -self.signed_distance(centre);
        let mut consider = |p: Vec3<f64>, centre: &mut Vec3<f64>| {
            let d = -self.signed_distance(p);
            let deeper = d > depth;
            if deeper {
                (depth, *centre) = (d, p);
            }
            deeper
        };
        for cell in 0..GRID * GRID * GRID {
            let at = [cell % GRID, cell / GRID % GRID, cell / (GRID * GRID)].map(|k| k as f64 + 0.5);
            consider(low + step.scale(Vec3::from(at)), &mut centre);
        }
        for _ in 0..HALVINGS {
            step *= 0.5;
            for axis in 0..3 {
                let mut along = Vec3::ZERO;
                along[axis] = step[axis];
                let _ = consider(centre + along, &mut centre) || consider(centre - along, &mut centre);
            }
        }
        // Rounding moves the centre and the surface by up to an epsilon of their coordinates each.
        let rounding = Real::EPSILON.to_f64() * (low.abs().max(high.abs())).length();
        (centre.to_real(), Real::from_f64(Num::max(depth - rounding, 0.0)))
    }
}

/// Rays up to this part of the size of a mesh are short.
const SHORT: Real = 0.01;

/// Unit normals, or the first triangle whose height is lost in the rounding of its longest edge.
fn normals(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Vec<Vec3>> {
    let mut normals = Vec::with_capacity(triangles.len());
    for (t, triangle) in triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|i| vertices[i as usize].to_f64());
        let across = (b - a).cross(c - a);
        let longest = Vec3::new((b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared());
        let normal = across.try_normalize().filter(|n| {
            // The length by the unit vector: squares of tiny areas would vanish.
            across.dot(*n) > Real::EPSILON.to_f64() * longest.max_component()
        });
        let Some(normal) = normal else {
            let [i, j, k] = triangle;
            return Err(Error::geometry("mesh", format_args!("triangle {t} (vertices {i}, {j}, {k}) has no area")));
        };
        normals.push(normal.to_real());
    }
    Ok(normals)
}

impl Geometry for Mesh {
    /// Exact: along each axis the tree is searched for the outermost vertex.
    fn bounds(&self, pose: &Pose) -> Aabb {
        let rows = pose.rotation.to_mat3().to_f64().transpose();
        let mut bounds = Aabb::EMPTY;
        for axis in 0..3 {
            let row = [rows.x, rows.y, rows.z][axis];
            let outermost = |direction: Vec3<f64>| {
                let mut reach = f64::NEG_INFINITY;
                let bound = |low: Vec3<f64>, high: Vec3<f64>| {
                    Some(-(low.scale(direction).max(high.scale(direction))).dot(Vec3::all(1.0)))
                };
                self.bvh.minimize(f64::INFINITY, bound, |t, _| {
                    for v in self.corners(t) {
                        reach = Num::max(v.dot(direction), reach);
                    }
                    -reach
                });
                Real::from_f64(reach)
            };
            bounds.min[axis] = pose.translation[axis] - outermost(-row);
            bounds.max[axis] = pose.translation[axis] + outermost(row);
        }
        bounds
    }

    /// Found by a search from a grid of points, not the largest; radius 0 unless the mesh is solid.
    fn inner_sphere(&self) -> (Vec3, Real) {
        self.inner_sphere
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        let p = point.to_f64();
        let mut square = 0.0f64;
        let bound = |low: Vec3<f64>, high: Vec3<f64>| Some(-(high - p).abs().max((low - p).abs()).length_squared());
        self.bvh.minimize(f64::INFINITY, bound, |t, _| {
            for v in self.corners(t) {
                square = Num::max((v - p).length_squared(), square);
            }
            -square
        });
        Real::from_f64(square.sqrt())
    }

    /// Rays meet one-sided meshes only from the front. A ray that starts inside a solid hits at 0.
    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        if self.is_solid() && self.contains(ray.origin) {
            return RayHit::inside(max);
        }
        self.cast_ray_from_outside(ray, max)
    }

    fn closest_point(&self, point: Vec3) -> Projection {
        let p = point.to_f64();
        let (q, triangle, feature) = self.nearest(p);
        let outward = self.pseudo_normal(triangle, feature);
        let offset = p - q;
        let inside = self.is_solid() && offset.dot(outward) < 0.0;
        let away = if inside { -offset } else { offset };
        let normal = away.try_normalize().or(outward.try_normalize()).unwrap_or(self.normal(triangle).to_f64());
        let distance = if inside { -offset.length() } else { offset.length() };
        Projection { point: q.to_real(), normal: normal.to_real(), distance: Real::from_f64(distance), part: triangle }
    }

    /// Only solids contain points.
    fn contains(&self, point: Vec3) -> bool {
        self.is_solid() && self.bvh.bounds().contains_point(point) && self.signed_distance(point.to_f64()) <= 0.0
    }

    /// The solid inside a closed mesh, one- or two-sided. An error for other meshes, which names the first open edge.
    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        let density = checked_density("mesh", density)?;
        match &self.volume {
            Ok(solid) => solid.at_density(density).checked("mesh"),
            Err(error) => Err(error.clone()),
        }
    }
}
