//! Shapes with flat faces: what separating axes and clipping need of them.

use super::clip::{MAX_CORNERS, Polygon, Segment};
use super::convex::Triangle;
use super::manifold::Feature;
use super::sat::{BATCH, Heights, Seen, Side};
use crate::math::{Num, Real, Vec3};
use crate::shape::{Cuboid, Geometry, Hull, KEPT, Rectangle, Rib};

/// An edge with the normals of the two faces that it borders. Seen from outside it runs counter-clockwise about the left
/// face, so that tail → head is along left × right.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub tail: Vec3,
    pub head: Vec3,
    pub left: Vec3,
    pub right: Vec3,
}

/// A convex polytope in its own frame. Flat ones have two faces with opposite normals.
pub(super) trait Polytope {
    fn vertex_count(&self) -> usize;
    fn vertex(&self, i: usize) -> Vec3;
    fn face_count(&self) -> usize;
    fn normal(&self, face: usize) -> Vec3;
    fn offset(&self, face: usize) -> Real;
    /// Writes how high the point is over the faces, as many as fit; what is left over means nothing.
    fn heights(&self, point: Vec3, out: &mut [Real]);
    /// How many numbers edges have; not every number need be an edge.
    fn edge_numbers(&self) -> usize;
    fn edge(&self, i: usize) -> Option<Edge>;
    /// Fills `found` with edges, from the one that `next` stands for on, some normal of which may see the ball, and some the point, higher
    /// than `bar` over the edge, and returns how many; 0 when there are no more. `over` tells how high they are over a face.
    /// See [`reaches`]. What is found is for [`Self::side`] to read.
    fn edges_reaching(&self, next: &mut usize, over: &Heights<'_, Self>, bar: Seen, found: &mut [u32; BATCH]) -> usize
    where
        Self: Sized;
    /// An edge that [`Self::edges_reaching`] found.
    fn side(&self, found: u32) -> Side;
    /// The vertex farthest along `d`.
    fn support(&self, d: Vec3) -> usize;
    /// Centre and radius of a ball inside.
    fn inner_ball(&self) -> (Vec3, Real);
    /// Of the faces at the vertex (which is the support along `d`), the one that faces `d` most.
    fn face_at(&self, vertex: usize, d: Vec3) -> usize;
    /// Of the edges at the vertex, the one most across `d`.
    fn edge_at(&self, vertex: usize, d: Vec3) -> Segment;
    /// The face as a polygon that has `vertex` as one of its corners, if the face has.
    fn polygon(&self, face: usize, vertex: usize) -> Polygon {
        let mut polygon = Polygon::new(Vec3::ZERO, Feature::ROUND);
        self.polygon_into(face, vertex, &mut polygon);
        polygon
    }
    /// The same, written over another.
    fn polygon_into(&self, face: usize, vertex: usize, polygon: &mut Polygon);
    /// The half of directions in which the shape can touch, by a normal: a one-sided triangle only its front.
    fn front(&self) -> Option<Vec3> {
        None
    }

    /// The face whose normal is most along `d`.
    fn face_along(&self, d: Vec3) -> usize {
        let mut best = 0;
        let mut most = self.normal(0).dot(d);
        for i in 1..self.face_count() {
            let along = self.normal(i).dot(d);
            if along > most {
                (best, most) = (i, along);
            }
        }
        best
    }
}

/// Whether some unit normal n on the arc of an edge may have n·(c - p) > `bar`, with p on the edge. `higher` is the larger of
/// the heights of c over the two faces, which are n·(c - p) at the ends of the arc.
///
/// Let q be the part of c - p across the edge. If q lies on the arc, the most is |q|; the nearer end of the arc is then no
/// farther from it than half the angle between the normals, and sees it at |q| `half_cosine` or higher. If it does not, the
/// most is at an end. In neither case is the most above zero if both ends see c below zero.
#[inline(always)]
fn reaches(higher: Real, half_cosine: Real, bar: Real) -> bool {
    higher >= reach(half_cosine, bar)
}

/// What `higher` must reach.
#[inline(always)]
fn reach(half_cosine: Real, bar: Real) -> Real {
    if bar > 0.0 { bar * half_cosine } else { bar }
}

/// How vertices, edges and faces belong together.
struct Topology {
    /// Corners of each face, counter-clockwise, each with the edge to the next.
    faces: &'static [&'static [(u8, u8)]],
    /// Tail, head, left face, right face.
    edges: &'static [[u8; 4]],
}

/// Vertex i of a box has its positive coordinates where i has bits: x = 1, y = 2, z = 4. Faces as the shape numbers them.
static CUBOID: Topology = Topology {
    faces: &[
        &[(1, 0), (3, 1), (7, 2), (5, 3)],
        &[(0, 4), (4, 5), (6, 6), (2, 7)],
        &[(2, 6), (6, 8), (7, 1), (3, 9)],
        &[(0, 10), (1, 3), (5, 11), (4, 4)],
        &[(4, 11), (5, 2), (7, 8), (6, 5)],
        &[(0, 7), (2, 9), (3, 0), (1, 10)],
    ],
    edges: &[
        [1, 3, 0, 5],
        [3, 7, 0, 2],
        [7, 5, 0, 4],
        [5, 1, 0, 3],
        [0, 4, 1, 3],
        [4, 6, 1, 4],
        [6, 2, 1, 2],
        [2, 0, 1, 5],
        [6, 7, 2, 4],
        [3, 2, 2, 5],
        [0, 1, 3, 5],
        [5, 4, 3, 4],
    ],
};

/// Vertex bits: x = 1, z = 2.
static RECTANGLE: Topology = Topology {
    faces: &[&[(0, 0), (2, 1), (3, 2), (1, 3)], &[(0, 3), (1, 2), (3, 1), (2, 0)]],
    edges: &[[0, 2, 0, 1], [2, 3, 0, 1], [3, 1, 0, 1], [1, 0, 0, 1]],
};

static TRIANGLE: Topology = Topology {
    faces: &[&[(0, 0), (1, 1), (2, 2)], &[(0, 2), (2, 1), (1, 0)]],
    edges: &[[0, 1, 0, 1], [1, 2, 0, 1], [2, 0, 0, 1]],
};

/// A box, rectangle or triangle as a polytope.
pub(super) struct Small {
    topology: &'static Topology,
    vertex_count: usize,
    face_count: usize,
    vertices: [Vec3; 8],
    normals: [Vec3; 6],
    offsets: [Real; 6],
    inner: (Vec3, Real),
    /// Cosine of half the angle between the normals on either side of an edge.
    half_cosine: Real,
}

impl Small {
    pub fn cuboid(shape: &Cuboid) -> Self {
        let h = shape.half_extents();
        let mut vertices = [h; 8];
        for (i, v) in vertices.iter_mut().enumerate() {
            if i & 1 == 0 {
                v.x = -h.x;
            }
            if i & 2 == 0 {
                v.y = -h.y;
            }
            if i & 4 == 0 {
                v.z = -h.z;
            }
        }
        Self {
            topology: &CUBOID,
            vertex_count: 8,
            face_count: 6,
            vertices,
            normals: [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z],
            offsets: [h.x, h.x, h.y, h.y, h.z, h.z],
            inner: (Vec3::ZERO, h.min_component()),
            half_cosine: core::f64::consts::FRAC_1_SQRT_2 as Real,
        }
    }

    pub fn rectangle(shape: &Rectangle) -> Self {
        let (x, z) = (shape.half_x(), shape.half_z());
        let corners = [Vec3::new(-x, 0.0, -z), Vec3::new(x, 0.0, -z), Vec3::new(-x, 0.0, z), Vec3::new(x, 0.0, z)];
        Self::flat(&RECTANGLE, &corners, Vec3::Y, 2)
    }

    /// `None` for a triangle without area.
    pub fn triangle(shape: &Triangle) -> Option<Self> {
        let normal = shape.area_vector().try_normalize()?;
        Some(Self::flat(&TRIANGLE, &shape.vertices, normal, if shape.two_sided { 2 } else { 1 }))
    }

    fn flat(topology: &'static Topology, corners: &[Vec3], normal: Vec3, face_count: usize) -> Self {
        let mut vertices = [Vec3::ZERO; 8];
        vertices[..corners.len()].copy_from_slice(corners);
        let centre = corners.iter().fold(Vec3::ZERO, |s, v| s + *v) / corners.len() as Real;
        let offset = normal.dot(centre);
        let mut small = Self {
            topology,
            vertex_count: corners.len(),
            face_count,
            vertices,
            normals: [Vec3::ZERO; 6],
            offsets: [0.0; 6],
            inner: (centre, 0.0),
            half_cosine: 0.0,
        };
        (small.normals[0], small.normals[1]) = (normal, -normal);
        (small.offsets[0], small.offsets[1]) = (offset, -offset);
        small
    }

    #[inline(always)]
    fn edge_number(&self, i: usize) -> Edge {
        let [tail, head, left, right] = self.topology.edges[i].map(usize::from);
        let (tail, head) = (self.vertices[tail & 7], self.vertices[head & 7]);
        Edge { tail, head, left: self.normals[left], right: self.normals[right] }
    }
}

impl Polytope for Small {
    #[inline(always)]
    fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    #[inline(always)]
    fn vertex(&self, i: usize) -> Vec3 {
        self.vertices[i & 7]
    }

    #[inline(always)]
    fn face_count(&self) -> usize {
        self.face_count
    }

    #[inline(always)]
    fn normal(&self, face: usize) -> Vec3 {
        self.normals[face]
    }

    #[inline(always)]
    fn offset(&self, face: usize) -> Real {
        self.offsets[face]
    }

    #[inline(always)]
    fn heights(&self, point: Vec3, out: &mut [Real]) {
        for (i, out) in out.iter_mut().enumerate().take(self.face_count) {
            *out = self.normals[i].dot(point) - self.offsets[i];
        }
    }

    #[inline(always)]
    fn edge_numbers(&self) -> usize {
        self.topology.edges.len()
    }

    #[inline(always)]
    fn edge(&self, i: usize) -> Option<Edge> {
        Some(self.edge_number(i))
    }

    fn edges_reaching(&self, next: &mut usize, over: &Heights<'_, Self>, bar: Seen, found: &mut [u32; BATCH]) -> usize {
        let mut len = 0;
        for i in *next..self.topology.edges.len() {
            let [.., left, right] = self.topology.edges[i].map(usize::from);
            // A face that a one-sided polytope lacks is the back of the one that it has.
            let seen = |face: usize| {
                let Seen { ball, point } = over.of(if face < self.face_count { face } else { 0 });
                if face < self.face_count { (ball, point) } else { (-ball, -point) }
            };
            let (l, r) = (seen(left), seen(right));
            if reaches(Num::max(l.0, r.0), self.half_cosine, bar.ball)
                && reaches(Num::max(l.1, r.1), self.half_cosine, bar.point)
            {
                found[len] = i as u32;
                len += 1;
            }
        }
        *next = self.topology.edges.len();
        len
    }

    #[inline(always)]
    fn side(&self, found: u32) -> Side {
        Side::new(self.edge_number(found as usize), found as usize)
    }

    #[inline]
    fn support(&self, d: Vec3) -> usize {
        let mut best = 0;
        let mut most = self.vertices[0].dot(d);
        for i in 1..self.vertex_count {
            let along = self.vertices[i].dot(d);
            if along > most {
                (best, most) = (i, along);
            }
        }
        best
    }

    fn inner_ball(&self) -> (Vec3, Real) {
        self.inner
    }

    /// The face that faces `d` most holds the vertex that is farthest along `d`.
    #[inline]
    fn face_at(&self, _vertex: usize, d: Vec3) -> usize {
        self.face_along(d)
    }

    fn edge_at(&self, vertex: usize, d: Vec3) -> Segment {
        let mut best = (Real::INFINITY, 0);
        for (i, [tail, head, ..]) in self.topology.edges.iter().map(|e| e.map(usize::from)).enumerate() {
            if tail == vertex || head == vertex {
                let along = self.vertices[head & 7] - self.vertices[tail & 7];
                let slope = along.dot(d).abs() / Num::max(along.length(), Real::MIN_POSITIVE);
                if slope < best.0 {
                    best = (slope, i);
                }
            }
        }
        let [tail, head, ..] = self.topology.edges[best.1];
        Segment {
            ends: [self.vertex(tail.into()), self.vertex(head.into())],
            vertices: [Feature::vertex(tail.into()), Feature::vertex(head.into())],
            edge: Feature::edge(best.1 as u32),
        }
    }

    fn polygon_into(&self, face: usize, _vertex: usize, polygon: &mut Polygon) {
        polygon.start(self.normals[face], Feature::face(face as u32));
        for &(vertex, edge) in self.topology.faces[face] {
            let point = self.vertices[usize::from(vertex) & 7];
            polygon.push(point, Feature::vertex(vertex.into()), Feature::edge(edge.into()));
        }
    }

    fn front(&self) -> Option<Vec3> {
        (self.face_count == 1).then_some(self.normals[0])
    }
}

impl Polytope for Hull {
    #[inline(always)]
    fn vertex_count(&self) -> usize {
        self.vertices().len()
    }

    #[inline(always)]
    fn vertex(&self, i: usize) -> Vec3 {
        self.vertices()[i]
    }

    #[inline(always)]
    fn face_count(&self) -> usize {
        self.faces().len()
    }

    #[inline(always)]
    fn normal(&self, face: usize) -> Vec3 {
        self.faces()[face].normal
    }

    #[inline(always)]
    fn offset(&self, face: usize) -> Real {
        self.faces()[face].offset
    }

    #[inline(always)]
    fn heights(&self, point: Vec3, out: &mut [Real]) {
        Hull::heights(self, point, out);
    }

    /// An edge goes by the number of the first of its half-edges.
    #[inline(always)]
    fn edge_numbers(&self) -> usize {
        self.edges().len()
    }

    #[inline(always)]
    fn edge(&self, i: usize) -> Option<Edge> {
        let half = self.edges()[i];
        (half.twin > i as u32).then(|| {
            let twin = self.edges()[half.twin as usize];
            Edge {
                tail: self.vertex(half.origin as usize),
                head: self.vertex(twin.origin as usize),
                left: self.normal(half.face as usize),
                right: self.normal(twin.face as usize),
            }
        })
    }

    #[inline(always)]
    fn edges_reaching(&self, next: &mut usize, over: &Heights<'_, Self>, bar: Seen, found: &mut [u32; BATCH]) -> usize {
        let (edges, faces, ribs) = (self.edges(), self.faces(), self.ribs());
        if faces.len() <= KEPT {
            let (above, least) = (reach(self.sharpest(), bar.point), reach(self.sharpest(), bar.ball));
            return ribs.pick(next, (over.of_point(), above), (over.of_ball(), least), found);
        }
        let mut len = 0;
        // From the faces that are high enough for some edge of theirs; `next` is a half-edge.
        let first = edges.get(*next).map_or(faces.len(), |half| half.face as usize);
        // The point is the pickier of the two, and the cosine of the sharpest edge will do for all: a root for each would cost more than
        // it spares.
        let least = reach(self.sharpest(), bar.point);
        let mut from = first;
        while let Some(face) = over.next_high(from, least) {
            from = face + 1;
            let (own, of_face) = (over.of(face), &faces[face]);
            let end = (of_face.first_edge + of_face.edge_count) as usize;
            for i in (*next).max(of_face.first_edge as usize)..end {
                let half = edges[i];
                let twin = edges[half.twin as usize];
                let other = over.of(twin.face as usize);
                // The lower number does it for both.
                if other.point > least && (twin.face as usize) < face {
                    continue;
                }
                if !reaches(Num::max(own.ball, other.ball), self.sharpest(), bar.ball) {
                    continue;
                }
                if len == BATCH {
                    *next = i;
                    return len;
                }
                if let Some(rib) = ribs.with_number(half.twin.min(i as u32)) {
                    found[len] = rib as u32;
                    len += 1;
                }
            }
        }
        *next = edges.len();
        len
    }

    #[inline(always)]
    fn side(&self, found: u32) -> Side {
        let Rib { tail, head, left, right, number } = self.ribs().all()[found as usize];
        Side::new(Edge { tail, head, left, right }, number as usize)
    }

    #[inline(always)]
    fn support(&self, d: Vec3) -> usize {
        self.support_vertex(d) as usize
    }

    fn inner_ball(&self) -> (Vec3, Real) {
        self.inner_sphere()
    }

    #[inline(always)]
    fn face_along(&self, d: Vec3) -> usize {
        Hull::face_along(self, d) as usize
    }

    fn face_at(&self, vertex: usize, d: Vec3) -> usize {
        let mut best = (Real::NEG_INFINITY, 0);
        for &face in self.faces_at(vertex) {
            let along = self.normal(face as usize).dot(d);
            if along > best.0 {
                best = (along, face as usize);
            }
        }
        best.1
    }

    fn edge_at(&self, vertex: usize, d: Vec3) -> Segment {
        let mut best = (Real::INFINITY, 0);
        each_edge_at(self, vertex, |edge| {
            let head = self.edges()[self.edges()[edge].twin as usize].origin as usize;
            let along = self.vertex(head) - self.vertex(vertex);
            let slope = along.dot(d).abs() / Num::max(along.length(), Real::MIN_POSITIVE);
            if slope < best.0 {
                best = (slope, edge);
            }
        });
        // The same edge gives the same segment from either of its ends.
        let first = best.1.min(self.edges()[best.1].twin as usize);
        let half = self.edges()[first];
        let (tail, head) = (half.origin, self.edges()[half.twin as usize].origin);
        Segment {
            ends: [self.vertex(tail as usize), self.vertex(head as usize)],
            vertices: [Feature::vertex(tail), Feature::vertex(head)],
            edge: Feature::edge(first as u32),
        }
    }

    fn polygon_into(&self, face: usize, vertex: usize, polygon: &mut Polygon) {
        let first = self.faces()[face].first_edge;
        let edges = self.face_edges(face as u32);
        let start = edges.iter().position(|e| e.origin as usize == vertex).unwrap_or(0);
        polygon.start(self.normal(face), Feature::face(face as u32));
        for i in thinned(edges.len()) {
            let i = if start + i < edges.len() { start + i } else { start + i - edges.len() };
            let half = edges[i];
            let edge = half.twin.min(first + i as u32);
            polygon.push(self.vertex(half.origin as usize), Feature::vertex(half.origin), Feature::edge(edge));
        }
    }
}

/// Calls `visit` with every half-edge that starts at the vertex.
fn each_edge_at(hull: &Hull, vertex: usize, mut visit: impl FnMut(usize)) {
    let edges = hull.edges();
    let first = hull.vertex_edges()[vertex] as usize;
    let mut at = first;
    // A vertex has fewer edges than the hull has half-edges: the bound can only be met by a damaged hull.
    for _ in 0..edges.len() {
        visit(at);
        at = edges[edges[at].twin as usize].next as usize;
        if at == first {
            break;
        }
    }
}

/// Which of `count` corners are kept of a face that has more than a polygon can hold: at even steps from the first.
pub(super) fn thinned(count: usize) -> impl Iterator<Item = usize> {
    let kept = count.min(MAX_CORNERS);
    // Nearly always all of them: no division then.
    (0..kept).map(move |i| if count == kept { i } else { i * count / kept })
}

#[cfg(test)]
mod tests {
    use super::*;

    // The tables: every face has its corners on its plane, runs counter-clockwise, and every edge has its faces on the
    // proper sides.
    #[test]
    fn tables_are_consistent() {
        let cuboid = Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        let rectangle = Rectangle::new(1.0, 2.0).unwrap();
        let triangle = Triangle::new([Vec3::X, Vec3::Y, Vec3::Z]);
        for small in [Small::cuboid(&cuboid), Small::rectangle(&rectangle), Small::triangle(&triangle).unwrap()] {
            for face in 0..small.face_count() {
                let polygon = small.polygon(face, 0);
                for i in 0..polygon.len {
                    let [p, q, r] = [i, i + 1, i + 2].map(|k| polygon.points[k % polygon.len]);
                    assert!((small.normal(face).dot(p) - small.offset(face)).abs() < 1e-6);
                    assert!((q - p).cross(r - q).dot(small.normal(face)) > 0.0);
                    let edge = small.edge(polygon.edges[i].index() as usize).unwrap();
                    assert!((edge.tail, edge.head) == (p, q) || (edge.tail, edge.head) == (q, p));
                }
            }
            for i in 0..small.edge_numbers() {
                let e = small.edge(i).unwrap();
                let along = e.head - e.tail;
                assert!(along.dot(e.left).abs() < 1e-6 && along.dot(e.right).abs() < 1e-6);
                // For flat shapes left × right vanishes.
                assert!(e.left.cross(e.right).dot(along) > 0.0 || e.left == -e.right);
                let outward = along.cross(e.left);
                assert!(outward.dot(e.tail - small.inner_ball().0) > 0.0, "left face on the left");
            }
        }
    }

    #[test]
    fn thinning_keeps_the_first() {
        assert_eq!(thinned(3).collect::<Vec<_>>(), [0, 1, 2]);
        let many: Vec<_> = thinned(100).collect();
        assert_eq!((many.len(), many[0]), (MAX_CORNERS, 0));
        assert!(many.windows(2).all(|w| w[0] < w[1]));
    }
}
