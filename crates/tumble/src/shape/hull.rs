//! Convex polyhedra.

mod record;

use super::hull_climb::Climb;
use super::hull_fans::Fans;
use super::hull_merge::Polygons;
use super::hull_ribs::Ribs;
use super::hull_scan::{Planes, Scan};
use super::mass::checked_density;
use super::query::{Clip, Line};
use super::{Convex, Geometry, MassProperties, Projection, Ray, RayHit};
use crate::error::Result;
use crate::math::{Aabb, Float, Mat3, Num, Pose, Real, Sym3, Vec3};

/// A face of a [`Hull`]: a convex polygon.
///
/// ```
/// use tumble::{math::Vec3, shape::Cuboid};
/// let cube = Cuboid::new(Vec3::all(1.0))?.to_hull();
/// for face in cube.faces() {
///     assert_eq!((face.offset, face.edge_count), (1.0, 4));
///     let first = cube.edges()[face.first_edge as usize];
///     assert_eq!(face.normal.dot(cube.vertices()[first.origin as usize]), 1.0);
/// }
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullFace {
    /// Unit normal, outward.
    pub normal: Vec3,
    /// normal·p for points p of the plane. No vertex of the hull lies above it, but for rounding.
    pub offset: Real,
    /// The first of its half-edges.
    pub first_edge: u32,
    /// How many they are. They follow each other in the list, counter-clockwise seen from outside.
    pub edge_count: u32,
}

/// One side of an edge of a [`Hull`], as seen from the face to its left.
///
/// ```
/// use tumble::{math::Vec3, shape::Cuboid};
/// let cube = Cuboid::new(Vec3::all(1.0))?.to_hull();
/// let edges = cube.edges();
/// for (i, edge) in edges.iter().enumerate() {
///     assert_eq!(edges[edge.twin as usize].twin as usize, i);
///     assert_eq!(edges[edge.twin as usize].origin, edges[edge.next as usize].origin); // where it ends
///     assert_eq!(edges[edge.next as usize].face, edge.face);
/// }
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfEdge {
    /// The vertex where it starts.
    pub origin: u32,
    /// The other side of the edge, which runs the other way.
    pub twin: u32,
    /// The face to which it belongs.
    pub face: u32,
    /// The half-edge that follows around the face.
    pub next: u32,
}

/// A convex polyhedron: the hull of a cloud of points, made by [`Hull::new`].
///
/// Its boundary is a half-edge structure. Every face has at least three edges, every edge two faces, every vertex at least
/// three edges; around a vertex one walks by `edges[edges[e].twin].next`.
///
/// ```
/// use tumble::{math::Vec3, shape::Hull};
/// let tetrahedron = Hull::new(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])?;
/// assert_eq!(tetrahedron.faces().len(), 4);
/// assert_eq!(tetrahedron.neighbours(0).collect::<Vec<_>>().len(), 3);
/// # Ok::<(), tumble::Error>(())
/// ```
///
/// ```
/// use tumble::{math::Vec3, shape::Hull};
/// let corners: Vec<Vec3> = (0..8).map(|i| Vec3::new((i & 1) as _, (i >> 1 & 1) as _, (i >> 2) as _)).collect();
/// let cube = Hull::new(&corners)?;
/// assert_eq!((cube.faces().len(), cube.edge_count(), cube.edges().len()), (6, 12, 24));
/// assert!((cube.volume() - 1.0).abs() < 1e-12 && (cube.centroid() - Vec3::all(0.5)).length() < 1e-6);
/// assert!((cube.reach() - Vec3::all(0.5).length()).abs() < 1e-6); // of the farthest vertex from the centroid
/// // Around a face, and around a vertex.
/// let top = (0..6).find(|&f| cube.faces()[f as usize].normal == Vec3::Y).unwrap();
/// assert!(cube.face_vertices(top).all(|v| cube.vertices()[v as usize].y == 1.0));
/// assert!(cube.face_edges(top).iter().all(|edge| edge.face == top));
/// let corner = cube.support_vertex(Vec3::new(1.0, 2.0, 3.0));
/// assert_eq!(cube.vertices()[corner as usize], Vec3::all(1.0));
/// assert_eq!(cube.neighbours(corner).count(), 3);
/// assert_eq!(cube.edges()[cube.vertex_edges()[corner as usize] as usize].origin, corner);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<Vec3>,
    faces: Vec<HullFace>,
    edges: Vec<HalfEdge>,
    vertex_edges: Vec<u32>,
    fans: Fans,
    /// At density 1.
    mass: MassProperties,
    inner: (Vec3, Real),
    reach: Real,
    /// Least cosine of half the angle between the normals of two faces that share an edge.
    sharpest: Real,
    scan: Scan,
    planes: Planes,
    ribs: Ribs,
    climb: Option<Climb>,
}

impl Hull {
    /// The corners.
    #[inline(always)]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// The faces.
    #[inline(always)]
    pub fn faces(&self) -> &[HullFace] {
        &self.faces
    }

    /// The half-edges, two for every edge.
    #[inline(always)]
    pub fn edges(&self) -> &[HalfEdge] {
        &self.edges
    }

    /// One half-edge that starts at each vertex.
    #[inline(always)]
    pub fn vertex_edges(&self) -> &[u32] {
        &self.vertex_edges
    }

    /// The least cosine of half the angle between the normals of two faces that share an edge.
    #[inline(always)]
    pub(crate) fn sharpest(&self) -> Real {
        self.sharpest
    }

    /// The edges, each once.
    #[inline(always)]
    pub(crate) fn ribs(&self) -> &Ribs {
        &self.ribs
    }

    /// The number of the face whose normal is most along `direction`.
    #[inline]
    pub(crate) fn face_along(&self, direction: Vec3) -> u32 {
        self.planes.along(direction)
    }

    /// The faces around a vertex, clockwise seen from outside.
    #[inline(always)]
    pub(crate) fn faces_at(&self, vertex: usize) -> &[u32] {
        self.fans.at(vertex)
    }

    /// Writes how high the point is over the planes of the faces, as many as fit.
    #[inline(always)]
    pub(crate) fn heights(&self, point: Vec3, out: &mut [Real]) {
        self.planes.heights(point, out);
    }

    /// How many edges there are; half of the half-edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len() / 2
    }

    /// Centre of the volume.
    pub fn centroid(&self) -> Vec3 {
        self.mass.centre.to_real()
    }

    /// Distance of the farthest vertex from the centroid.
    #[inline(always)]
    pub fn reach(&self) -> Real {
        self.reach
    }

    /// The volume in m³.
    pub fn volume(&self) -> f64 {
        self.mass.mass
    }

    /// The half-edges of a face, counter-clockwise seen from outside; none for a face that does not exist.
    pub fn face_edges(&self, face: u32) -> &[HalfEdge] {
        self.faces.get(face as usize).map_or(&[], |f| self.edges_of(f))
    }

    /// The vertices of a face by number, counter-clockwise seen from outside; none for a face that does not exist.
    pub fn face_vertices(&self, face: u32) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.face_edges(face).iter().map(|e| e.origin)
    }

    /// The vertices at the other ends of a vertex's edges, clockwise seen from outside; none for one that does not exist.
    pub fn neighbours(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.vertex_edges.get(vertex as usize).copied();
        let mut at = first;
        core::iter::from_fn(move || {
            let twin = self.edges[self.edges[at? as usize].twin as usize];
            at = Some(twin.next).filter(|&e| Some(e) != first);
            Some(twin.origin)
        })
    }

    /// The number of a vertex that is farthest along `direction` (any length).
    #[inline(always)]
    pub fn support_vertex(&self, direction: Vec3) -> u32 {
        // Brought to order 1 where need be, so that products with the vertices neither overflow nor vanish.
        let size = direction.abs().max_component();
        let fine = (size > 1e-8) & (size < 1e8);
        let direction = if fine || size == 0.0 { direction } else { direction / size };
        match &self.climb {
            Some(climb) => climb.highest(&self.vertices, direction),
            None => self.scan.highest(direction),
        }
    }

    fn edges_of(&self, face: &HullFace) -> &[HalfEdge] {
        &self.edges[face.first_edge as usize..(face.first_edge + face.edge_count) as usize]
    }

    /// Height of a point over the plane of a face.
    fn height(face: &HullFace, p: Vec3<f64>) -> f64 {
        face.normal.to_f64().dot(p) - face.offset.to_f64()
    }

    /// The hull with these vertices and faces. Whether they make one is for [`Hull::is_sound`] to say.
    pub(super) fn from_faces(vertices: Vec<Vec3>, polygons: &Polygons) -> Self {
        Self::from_planes(vertices, polygons.iter().map(|(corners, n)| (corners, n.normalize_or(Vec3::Y).to_real())))
    }

    /// The same from loops of vertices, counter-clockwise, with unit normals that are to stay as they are.
    fn from_planes<'a>(vertices: Vec<Vec3>, loops: impl Iterator<Item = (&'a [u32], Vec3)> + Clone) -> Self {
        let mut faces = Vec::with_capacity(loops.size_hint().0);
        let mut edges = Vec::with_capacity(loops.clone().map(|l| l.0.len()).sum());
        let mut vertex_edges = vec![NONE; vertices.len()];
        for (face, (corners, normal)) in loops.clone().enumerate() {
            let first = edges.len() as u32;
            let count = corners.len() as u32;
            for (i, &origin) in corners.iter().enumerate() {
                let edge = first + i as u32;
                if vertex_edges[origin as usize] == NONE {
                    vertex_edges[origin as usize] = edge;
                }
                let next = if i + 1 < corners.len() { edge + 1 } else { first };
                edges.push(HalfEdge { origin, twin: NONE, face: face as u32, next });
            }
            // The highest corner decides, so that with the rounded normal, too, no corner is above.
            let heights = corners.iter().map(|&v| normal.to_f64().dot(vertices[v as usize].to_f64()));
            let offset = Real::from_f64(heights.fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a }));
            faces.push(HullFace { normal, offset, first_edge: first, edge_count: count });
        }
        pair_twins(&mut edges, vertices.len());
        let mass = integrate(&vertices, loops.map(|l| l.0));
        let inner = inscribed_ball(&faces, mass.centre);
        let reach = vertices.iter().fold(0.0, |r, v| Num::max(r, (v.to_f64() - mass.centre).length()));
        let reach = Real::from_f64(reach);
        let scan = Scan::new(&vertices);
        let planes = Planes::new(&faces);
        let ribs = Ribs::new(&vertices, &faces, &edges);
        let fans = Fans::new(&vertex_edges, &edges);
        // A half-edge without its twin belongs to a hull that is not sound, and will be refused.
        let sharpest = edges.iter().filter_map(|half| Some((half.face, edges.get(half.twin as usize)?.face)));
        let sharpest = sharpest.fold(1.0, |least, (left, right)| {
            let sum = faces[left as usize].normal + faces[right as usize].normal;
            Num::min(sum.length() * 0.5, least)
        });
        Self {
            vertices,
            faces,
            edges,
            vertex_edges,
            fans,
            mass,
            inner,
            reach,
            sharpest,
            scan,
            planes,
            ribs,
            climb: None,
        }
    }

    /// The half-edges make a closed surface without handles: every edge has two sides, the faces around each vertex make
    /// one fan of at least three, and V - E + F = 2.
    pub(super) fn is_sound(&self) -> bool {
        if self.faces.iter().any(|f| f.edge_count < 3) || self.edges.iter().any(|e| e.twin == NONE) {
            return false;
        }
        let mut degrees = vec![0_usize; self.vertices.len()];
        for edge in &self.edges {
            degrees[edge.origin as usize] += 1;
        }
        for (vertex, &degree) in degrees.iter().enumerate() {
            if degree < 3 || self.neighbours(vertex as u32).take(degree + 1).count() != degree {
                return false;
            }
        }
        self.vertices.len() + self.faces.len() == self.edge_count() + 2
    }

    /// This hull with a way to climb to the highest vertex.
    pub(super) fn with_climb(self, climb: Option<Climb>) -> Self {
        Self { climb, ..self }
    }
}

impl Geometry for Hull {
    fn bounds(&self, pose: &Pose) -> Aabb {
        let rows = pose.rotation.to_mat3().transpose();
        let mut bounds = Aabb::EMPTY;
        if self.climb.is_some() {
            let highest = |direction: Vec3| self.support(direction).dot(direction);
            bounds.max = Vec3::new(highest(rows.x), highest(rows.y), highest(rows.z));
            bounds.min = -Vec3::new(highest(-rows.x), highest(-rows.y), highest(-rows.z));
        } else {
            bounds = self.scan.bounds([rows.x, rows.y, rows.z]);
        }
        Aabb::new(bounds.min + pose.translation, bounds.max + pose.translation)
    }

    /// At least half of the largest, and in practice nearly all of it.
    fn inner_sphere(&self) -> (Vec3, Real) {
        self.inner
    }

    fn farthest_from(&self, point: Vec3) -> Real {
        let p = point.to_f64();
        let mut square = 0.0;
        for v in &self.vertices {
            let s = (v.to_f64() - p).length_squared();
            if s > square {
                square = s;
            }
        }
        Real::from_f64(square.sqrt())
    }

    fn cast_ray(&self, ray: &Ray, max: Real) -> Option<RayHit> {
        if self.contains(ray.origin) {
            return RayHit::inside(max);
        }
        let line = Line::new(ray, max)?;
        let mut clip = Clip::new();
        for (i, face) in self.faces.iter().enumerate() {
            if !clip.below(&line, face.normal.to_f64(), face.offset.to_f64(), i as u32) {
                return None;
            }
        }
        line.hit(clip.near, clip.normal, clip.part)
    }

    /// Inside, the nearest face is the one of least depth. Outside, it is the nearest of all; the distance from a face's
    /// plane is a lower bound that spares most of them. (To look only at faces that the point is above would be enough
    /// but for rounding: beside a face, hardly above its plane, a point may be hardly below the plane of the face it is
    /// next to.)
    fn closest_point(&self, point: Vec3) -> Projection {
        let p = point.to_f64();
        let (mut top, mut height) = (0, f64::NEG_INFINITY);
        for (i, face) in self.faces.iter().enumerate() {
            let h = Self::height(face, p);
            if h > height {
                (top, height) = (i, h);
            }
        }
        let on_plane = |face: usize, height: f64| {
            let normal = self.faces[face].normal;
            Projection {
                point: p.add_scaled(normal.to_f64(), -height).to_real(),
                normal,
                distance: Real::from_f64(height),
                part: face as u32,
            }
        };
        if height <= 0.0 {
            return on_plane(top, height);
        }
        let mut nearest = self.closest_on_face(top, p);
        // The hull is nowhere nearer than the highest of its planes.
        if nearest.point.is_none() {
            return on_plane(top, height);
        }
        let mut best = top;
        for (i, face) in self.faces.iter().enumerate() {
            let h = Self::height(face, p);
            if h.abs() < nearest.distance && i != top {
                let candidate = self.closest_on_face(i, p);
                if candidate.distance < nearest.distance {
                    (nearest, best) = (candidate, i);
                }
            }
        }
        match nearest.point {
            // A height below zero here is rounding.
            None => Projection {
                distance: Real::from_f64(nearest.distance),
                ..on_plane(best, Self::height(&self.faces[best], p))
            },
            Some(q) => Projection {
                point: q.to_real(),
                normal: (p - q).normalize_or(self.faces[best].normal.to_f64()).to_real(),
                distance: Real::from_f64(nearest.distance),
                part: best as u32,
            },
        }
    }

    fn contains(&self, point: Vec3) -> bool {
        let p = point.to_f64();
        self.faces.iter().all(|face| Self::height(face, p) <= 0.0)
    }

    fn mass_properties(&self, density: f64) -> Result<MassProperties> {
        let density = checked_density("hull", density)?;
        let MassProperties { mass, centre, inertia } = self.mass;
        MassProperties { mass: mass * density, centre, inertia: inertia * density }.checked("hull")
    }
}

impl Convex for Hull {
    fn support(&self, direction: Vec3) -> Vec3 {
        self.vertices[self.support_vertex(direction) as usize]
    }
}

/// The nearest point of a face.
struct OnFace {
    distance: f64,
    /// On the outline; `None` for the foot of the perpendicular.
    point: Option<Vec3<f64>>,
}

impl Hull {
    fn closest_on_face(&self, face: usize, p: Vec3<f64>) -> OnFace {
        let face = &self.faces[face];
        let normal = face.normal.to_f64();
        let edges = self.edges_of(face);
        let at = |i: usize| self.vertices[edges[i % edges.len()].origin as usize].to_f64();
        let mut over = true;
        let (mut square, mut nearest) = (f64::INFINITY, None);
        for i in 0..edges.len() {
            let (a, b) = (at(i), at(i + 1));
            let along = b - a;
            // Of a convex outline only edges that face the point can hold the nearest point.
            if normal.cross(along).dot(p - a) >= 0.0 {
                continue;
            }
            over = false;
            let t = Float::clamp((p - a).dot(along) / along.length_squared(), 0.0, 1.0);
            let q = a.add_scaled(along, t);
            let s = (p - q).length_squared();
            if s < square {
                (square, nearest) = (s, Some(q));
            }
        }
        if over {
            OnFace { distance: Self::height(face, p).abs(), point: None }
        } else {
            OnFace { distance: square.sqrt(), point: nearest }
        }
    }
}

/// No half-edge.
const NONE: u32 = u32::MAX;

/// Finds the other side of every half-edge; those without exactly one keep none.
fn pair_twins(edges: &mut [HalfEdge], vertex_count: usize) {
    // Both sides of an edge, and few others, share the lower of its two vertices: sorted by that in linear time, the
    // rest of the sorting is in small pieces.
    let ends = |edges: &[HalfEdge], i: usize| {
        let (a, b) = (edges[i].origin, edges[edges[i].next as usize].origin);
        if a < b { (a, b) } else { (b, a) }
    };
    let mut first = vec![0_usize; vertex_count + 1];
    for i in 0..edges.len() {
        first[ends(edges, i).0 as usize + 1] += 1;
    }
    for v in 0..vertex_count {
        first[v + 1] += first[v];
    }
    let mut end = first.clone();
    let mut sides = vec![(0, 0); edges.len()];
    for i in 0..edges.len() {
        let (low, high) = ends(edges, i);
        sides[end[low as usize]] = (high, i as u32);
        end[low as usize] += 1;
    }
    for v in 0..vertex_count {
        let sides = &mut sides[first[v]..first[v + 1]];
        sides.sort_unstable();
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            if let &[(_, a), (_, b)] = group
                && edges[a as usize].origin != edges[b as usize].origin
            {
                edges[a as usize].twin = b;
                edges[b as usize].twin = a;
            }
        }
    }
}

/// Volume, centre and inertia at density 1.
///
/// The solid is the sum of the tetrahedra between its first vertex and the triangles of its boundary. For one with edges
/// a, b, c from that vertex, with s = a + b + c and volume v = a·(b × c)/6: ∫x = v s/4 and
/// ∫x xᵀ = v/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ). Lengths are counted in sizes of the hull, so that no power of them overflows
/// before the volume does.
fn integrate<'a>(vertices: &[Vec3], loops: impl Iterator<Item = &'a [u32]>) -> MassProperties {
    let Some(base) = vertices.first().map(|v| v.to_f64()) else {
        return MassProperties { mass: 0.0, centre: Vec3::ZERO, inertia: Sym3::ZERO };
    };
    let mut size = 0.0;
    for v in vertices {
        let s = (v.to_f64() - base).abs().max_component();
        if s > size {
            size = s;
        }
    }
    let at = |v: u32| (vertices[v as usize].to_f64() - base) / size;
    let mut volume = 0.0;
    let mut first = Vec3::ZERO;
    // |x|² 1 - x xᵀ summed over the four vectors of the second formula.
    let mut second = Sym3::<f64>::ZERO;
    for corners in loops {
        for pair in corners.windows(2).skip(1) {
            let (a, b, c) = (at(corners[0]), at(pair[0]), at(pair[1]));
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (v / 4.0);
            let sum = Sym3::point_mass(a) + Sym3::point_mass(b) + Sym3::point_mass(c) + Sym3::point_mass(s);
            second = second + sum * (v / 20.0);
        }
    }
    let centre = first / volume;
    let inertia = second - Sym3::point_mass(centre) * volume;
    let cube = size * size * size;
    MassProperties { mass: volume * cube, centre: base + centre * size, inertia: inertia * cube * (size * size) }
}

/// A large ball inside.
///
/// The centroid of a solid has from each of its planes at least a quarter of the solid's width across that plane
/// (Bonnesen and Fenchel, "Theorie der konvexen Körper", 1934, §34), and no ball inside is wider than the solid; so the ball
/// about the centroid has at least half of the largest radius. From there a few steps of an interior-point method come
/// close to the largest: Newton's method on -t r - Σ log s_i over centre c and radius r, where s_i = o_i - n_i·c - r is the
/// gap between ball and face i, with growing t. The best centre on the way counts.
fn inscribed_ball(faces: &[HullFace], centroid: Vec3<f64>) -> (Vec3, Real) {
    let room = |p: Vec3<f64>| {
        let mut least = f64::INFINITY;
        for face in faces {
            let depth = -Hull::height(face, p);
            if depth < least {
                least = depth;
            }
        }
        least
    };
    let unit = room(centroid);
    if unit <= 0.0 || !unit.is_finite() {
        return (centroid.to_real(), 0.0);
    }
    // Lengths from here on in units of the first ball's radius.
    let gaps = |c: Vec3<f64>, r: f64| {
        faces.iter().map(move |f| {
            let n = f.normal.to_f64();
            (n, -Hull::height(f, centroid) / unit - n.dot(c) - r)
        })
    };
    let (mut c, mut r) = (Vec3::ZERO, 0.5);
    let (mut centre, mut radius) = (centroid, unit);
    let mut t = faces.len() as f64;
    // Enough for the largest radius to three digits; hulls of very many faces are mostly round, and few will do.
    let steps = if faces.len() < 2048 { 12 } else { 4 };
    for _ in 0..steps {
        let (mut gradient_c, mut gradient_r) = (Vec3::ZERO, -t);
        let (mut h_cc, mut h_cr, mut h_rr) = (Sym3::<f64>::ZERO, Vec3::ZERO, 0.0);
        for (n, s) in gaps(c, r) {
            let w = 1.0 / s;
            gradient_c += n * w;
            gradient_r += w;
            h_cc = h_cc + Sym3::from_mat3(&Mat3::outer(n, n)) * (w * w);
            h_cr += n * (w * w);
            h_rr += w * w;
        }
        // The radius eliminated from the 4x4 system.
        let schur = h_cc - Sym3::from_mat3(&Mat3::outer(h_cr, h_cr)) * (1.0 / h_rr);
        let Some(inverse) = schur.try_inverse() else { break };
        let step_c = -(inverse * (gradient_c - h_cr * (gradient_r / h_rr)));
        let step_r = -(gradient_r + h_cr.dot(step_c)) / h_rr;
        // At most nine tenths of the way to the first face.
        let mut part = 1.0;
        for (n, s) in gaps(c, r) {
            let shrink = n.dot(step_c) + step_r;
            if shrink * part > 0.9 * s {
                part = 0.9 * s / shrink;
            }
        }
        c += step_c * part;
        r += step_r * part;
        let p = centroid.add_scaled(c, unit);
        let depth = room(p);
        if depth > radius {
            (radius, centre) = (depth, p);
        }
        t *= 4.0;
    }
    (centre.to_real(), Real::from_f64(radius))
}
