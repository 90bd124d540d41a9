//! A judge that knows nothing of the engine's algorithms: the separation of two convex shapes is the largest value of
//! σ(n) = min n·b - max n·a over all unit vectors n, found by sampling and local search in `f64` on support functions written
//! here. For polytopes all face normals and all products of edges are sampled too, for round shapes their axes.

use tumble::detect::narrow::{ConvexRef, Triangle};
use tumble::math::{Float, Mat3, Num, Pose, Quat, Real, Vec3};
use tumble::shape::{Capsule, Cone, Cuboid, Cylinder, Geometry, HalfSpace, Hull, Rectangle, Sphere};

pub type V = Vec3<f64>;

/// A shape of the engine, owned.
#[derive(Clone, Debug)]
pub enum Any {
    Sphere(Sphere),
    Capsule(Capsule),
    Cuboid(Cuboid),
    Cylinder(Cylinder),
    Cone(Cone),
    Hull(Box<Hull>),
    HalfSpace(HalfSpace),
    Rectangle(Rectangle),
    Triangle(Triangle),
}

impl Any {
    pub fn borrow(&self) -> ConvexRef<'_> {
        match self {
            Self::Sphere(s) => ConvexRef::Sphere(s),
            Self::Capsule(s) => ConvexRef::Capsule(s),
            Self::Cuboid(s) => ConvexRef::Cuboid(s),
            Self::Cylinder(s) => ConvexRef::Cylinder(s),
            Self::Cone(s) => ConvexRef::Cone(s),
            Self::Hull(s) => ConvexRef::Hull(s),
            Self::HalfSpace(s) => ConvexRef::HalfSpace(s),
            Self::Rectangle(s) => ConvexRef::Rectangle(s),
            Self::Triangle(s) => ConvexRef::Triangle(s),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "sphere",
            Self::Capsule(_) => "capsule",
            Self::Cuboid(_) => "cuboid",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Hull(_) => "hull",
            Self::HalfSpace(_) => "half-space",
            Self::Rectangle(_) => "rectangle",
            Self::Triangle(_) => "triangle",
        }
    }

    /// Corners, for polytopes.
    fn corners(&self) -> Vec<V> {
        match self {
            Self::Cuboid(s) => {
                let h = s.half_extents().to_f64();
                let sign = |bit: usize, i: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                (0..8).map(|i| Vec3::new(h.x * sign(0, i), h.y * sign(1, i), h.z * sign(2, i))).collect()
            }
            Self::Hull(s) => s.vertices().iter().map(|v| v.to_f64()).collect(),
            Self::Rectangle(s) => {
                let (x, z) = (s.half_x().to_f64(), s.half_z().to_f64());
                vec![Vec3::new(x, 0.0, z), Vec3::new(-x, 0.0, z), Vec3::new(x, 0.0, -z), Vec3::new(-x, 0.0, -z)]
            }
            Self::Triangle(t) => t.vertices.iter().map(|v| v.to_f64()).collect(),
            _ => vec![],
        }
    }

    /// A point of the shape that is farthest along n.
    pub fn farthest(&self, n: V) -> V {
        let across = (n.x * n.x + n.z * n.z).sqrt();
        let out = if across > 0.0 { Vec3::new(n.x / across, 0.0, n.z / across) } else { V::ZERO };
        let up = |h: Real| Vec3::new(0.0, h.to_f64().copysign(n.y), 0.0);
        match self {
            Self::Sphere(s) => n.normalize_or(V::X) * s.radius().to_f64(),
            Self::Capsule(s) => up(s.half_length()) + n.normalize_or(V::X) * s.radius().to_f64(),
            Self::Cylinder(s) => up(s.half_height()) + out * s.radius().to_f64(),
            Self::Cone(s) => {
                let apex = Vec3::new(0.0, s.half_height().to_f64(), 0.0);
                let rim = out * s.radius().to_f64() - apex;
                if apex.dot(n) >= rim.dot(n) { apex } else { rim }
            }
            Self::HalfSpace(s) => s.normal().to_f64() * s.offset().to_f64(),
            _ => {
                let corners = self.corners();
                corners.iter().fold(corners[0], |m, p| if p.dot(n) > m.dot(n) { *p } else { m })
            }
        }
    }

    /// max n·p.
    pub fn extent(&self, n: V) -> f64 {
        self.farthest(n).dot(n)
    }

    /// Radius of a ball around the origin of the shape that holds it.
    pub fn size(&self) -> f64 {
        match self {
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Triangle(t) => t.vertices.iter().fold(0.0, |m, p| Num::max(p.to_f64().length(), m)),
            Self::Sphere(s) => s.farthest_from(Vec3::ZERO).to_f64(),
            Self::Capsule(s) => s.farthest_from(Vec3::ZERO).to_f64(),
            Self::Cuboid(s) => s.farthest_from(Vec3::ZERO).to_f64(),
            Self::Cylinder(s) => s.farthest_from(Vec3::ZERO).to_f64(),
            Self::Cone(s) => s.farthest_from(Vec3::ZERO).to_f64(),
            Self::Hull(s) => s.farthest_from(Vec3::ZERO).to_f64(),
            Self::Rectangle(s) => s.farthest_from(Vec3::ZERO).to_f64(),
        }
    }

    /// Directions that are good candidates: normals of faces, and directions of edges or axes for products.
    fn directions(&self) -> (Vec<V>, Vec<V>) {
        let axes = vec![V::X, V::Y, V::Z];
        match self {
            Self::Cuboid(_) => (axes.clone(), axes),
            Self::Rectangle(_) => (vec![V::Y], vec![V::X, V::Z]),
            Self::Triangle(t) => {
                let [a, b, c] = t.vertices.map(|v| v.to_f64());
                (vec![(b - a).cross(c - a)], vec![b - a, c - b, a - c])
            }
            Self::Hull(h) => {
                let normals = h.faces().iter().map(|f| f.normal.to_f64()).collect();
                let at = |e: u32| h.vertices()[h.edges()[e as usize].origin as usize].to_f64();
                let edges = (0..h.edges().len() as u32)
                    .filter(|e| h.edges()[*e as usize].twin > *e)
                    .map(|e| at(h.edges()[e as usize].twin) - at(e))
                    .collect();
                (normals, edges)
            }
            _ => (vec![V::Y], vec![V::Y]),
        }
    }

    /// Distance of a point from the surface, positive outside.
    pub fn distance_of(&self, p: Vec3) -> f64 {
        let found = match self {
            Self::Sphere(s) => s.closest_point(p),
            Self::Capsule(s) => s.closest_point(p),
            Self::Cuboid(s) => s.closest_point(p),
            Self::Cylinder(s) => s.closest_point(p),
            Self::Cone(s) => s.closest_point(p),
            Self::Hull(s) => s.closest_point(p),
            Self::HalfSpace(s) => s.closest_point(p),
            Self::Rectangle(s) => s.closest_point(p),
            Self::Triangle(t) => return triangle_distance(t, p.to_f64()),
        };
        found.distance.to_f64()
    }
}

/// Distance from a triangle by sampling its edges and its plane: only for points that should be on it.
fn triangle_distance(t: &Triangle, p: V) -> f64 {
    let [a, b, c] = t.vertices.map(|v| v.to_f64());
    let n = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(u, v)| n.cross(*v - *u).dot(p - *u) >= 0.0);
    if inside {
        return (n.dot(p - a) / n.length()).abs();
    }
    [(a, b), (b, c), (c, a)].iter().fold(f64::INFINITY, |m, (u, v)| {
        let s = Float::clamp((p - *u).dot(*v - *u) / (*v - *u).length_squared(), 0.0, 1.0);
        Num::min((p - u.lerp(*v, s)).length(), m)
    })
}

/// Two shapes in A's frame, exactly as the engine is given them.
pub struct Judge<'a> {
    pub a: &'a Any,
    pub b: &'a Any,
    pub rotation: Mat3<f64>,
    pub translation: V,
}

impl<'a> Judge<'a> {
    pub fn new(a: &'a Any, b: &'a Any, pose: &Pose) -> Self {
        let rotation = pose.rotation.to_f64().normalized().to_mat3();
        Self { a, b, rotation, translation: pose.translation.to_f64() }
    }

    /// min n·b - max n·a with its gradient, for n of any length.
    fn slope(&self, n: V) -> (f64, V) {
        let b = self.rotation * self.b.farthest(-self.rotation.transpose_mul(n)) + self.translation;
        let gap = b - self.a.farthest(n);
        (gap.dot(n), gap)
    }

    /// The separation along a unit vector from A to B.
    pub fn along(&self, n: V) -> f64 {
        self.slope(n).0
    }

    /// The separation, with its normal.
    pub fn separation(&self) -> (f64, V) {
        if let Any::HalfSpace(plane) = self.a {
            let n = plane.normal().to_f64().normalize_or(V::Y);
            let lowest = n.dot(self.translation) - self.b.extent(-self.rotation.transpose_mul(n));
            return (lowest - plane.offset().to_f64(), n);
        }
        if let Any::HalfSpace(plane) = self.b {
            let local = plane.normal().to_f64().normalize_or(V::Y);
            let n = self.rotation * local;
            let lowest = -n.dot(self.translation) - self.a.extent(-n);
            return (lowest - plane.offset().to_f64(), -n);
        }
        let mut starts: Vec<(f64, V)> = Vec::new();
        let mut consider = |n: V| {
            if let Some(n) = n.try_normalize() {
                for n in [n, -n] {
                    starts.push((self.slope(n).0, n));
                }
            }
        };
        let (normals_a, edges_a) = self.a.directions();
        let (normals_b, edges_b) = self.b.directions();
        for n in &normals_a {
            consider(*n);
        }
        for n in &normals_b {
            consider(self.rotation * *n);
        }
        for e in &edges_a {
            for f in &edges_b {
                consider(e.cross(self.rotation * *f));
            }
        }
        // A spiral over the sphere.
        for i in 0..300 {
            let y = 1.0 - (i as f64 + 0.5) / 150.0;
            let (r, a) = ((1.0 - y * y).sqrt(), i as f64 * 2.399_963_229_728_653);
            consider(Vec3::new(r * Float::cos(a), y, r * Float::sin(a)));
        }
        starts.sort_by(|x, y| y.0.total_cmp(&x.0));
        let mut best = starts[0];
        let mut tried: Vec<V> = Vec::new();
        for (_, n) in starts {
            if tried.len() == 5 {
                break;
            }
            if tried.iter().any(|m| m.dot(n) > 0.97) {
                continue;
            }
            tried.push(n);
            let found = self.climb(n);
            if found.0 > best.0 {
                best = found;
            }
        }
        best
    }

    /// Local search by the ellipsoid method on the plane that touches the sphere of directions at the best n so far: with
    /// m = n + x u + y v the value is σ(m) / |m|. Ridges, where pattern searches stall, do not hinder it.
    fn climb(&self, start: V) -> (f64, V) {
        let mut best = (self.slope(start).0, start);
        for radius in [0.3, 0.03, 1e-3, 1e-5] {
            let n = best.1;
            let (u, v) = n.tangents();
            let mut c = [0.0, 0.0];
            let mut p = [radius * radius, 0.0, radius * radius];
            for _ in 0..90 {
                let m = n + u * c[0] + v * c[1];
                let length = m.length();
                let (value, gap) = self.slope(m);
                if value / length > best.0 {
                    best = (value / length, m / length);
                }
                let along = gap - m * (value / (length * length));
                let g = [along.dot(u), along.dot(v)];
                let pg = [p[0] * g[0] + p[1] * g[1], p[1] * g[0] + p[2] * g[1]];
                let norm = (g[0] * pg[0] + g[1] * pg[1]).sqrt();
                if !(norm > 1e-300) {
                    break;
                }
                let q = [pg[0] / norm, pg[1] / norm];
                c = [c[0] + q[0] / 3.0, c[1] + q[1] / 3.0];
                let f = 4.0 / 3.0;
                p = [
                    f * (p[0] - 2.0 / 3.0 * q[0] * q[0]),
                    f * (p[1] - 2.0 / 3.0 * q[0] * q[1]),
                    f * (p[2] - 2.0 / 3.0 * q[1] * q[1]),
                ];
            }
        }
        best
    }
}

/// A small generator of random numbers, the same on every machine.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn pick(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    pub fn direction(&mut self) -> V {
        loop {
            let v = Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            let l = v.length();
            if l > 0.1 && l < 1.0 {
                return v / l;
            }
        }
    }

    pub fn real(&mut self, low: f64, high: f64) -> Real {
        Real::from_f64(self.range(low, high))
    }

    /// Any orientation, or one with parallel axes, or one nearly so.
    pub fn rotation(&mut self) -> Quat {
        let quarter = core::f64::consts::FRAC_PI_2;
        let square = |d: &mut Self| {
            let axis = [V::X, V::Y, V::Z][d.pick(3)];
            Quat::from_axis_angle(axis, quarter * d.pick(4) as f64)
        };
        let q = match self.pick(4) {
            0 => square(self) * square(self),
            1 => {
                let axis = self.direction();
                let little = [1e-7, 1e-5, 1e-4, 1e-3, 1e-2][self.pick(5)];
                Quat::from_axis_angle(axis, little * self.range(-1.0, 1.0)) * (square(self) * square(self))
            }
            2 => {
                let axis = [V::X, V::Y, V::Z][self.pick(3)];
                Quat::from_axis_angle(axis, self.range(-3.2, 3.2)) * square(self)
            }
            _ => Quat::from_axis_angle(self.direction(), self.range(-3.2, 3.2)),
        };
        q.normalized().to_real()
    }

    /// One of the nine kinds with random sizes of about `scale`; flat and slender ones among them.
    pub fn shape(&mut self, kind: usize, scale: f64) -> Any {
        let length = |d: &mut Self| {
            let slender = if d.pick(6) == 0 { 0.05 } else { 1.0 };
            d.real(0.3, 1.0) * Real::from_f64(scale * slender)
        };
        match kind {
            0 => Any::Sphere(Sphere::new(length(self)).unwrap()),
            1 => Any::Capsule(Capsule::new(length(self), length(self)).unwrap()),
            2 => Any::Cuboid(Cuboid::new(Vec3::new(length(self), length(self), length(self))).unwrap()),
            3 => Any::Cylinder(Cylinder::new(length(self), length(self)).unwrap()),
            4 => Any::Cone(Cone::new(length(self), length(self)).unwrap()),
            5 => Any::Hull(Box::new(self.hull(scale))),
            6 => Any::Rectangle(Rectangle::new(length(self), length(self)).unwrap()),
            7 => {
                let corner = |d: &mut Self| (d.direction() * (scale * d.range(0.5, 1.0))).to_real();
                Any::Triangle(Triangle::new([corner(self), corner(self), corner(self)]))
            }
            _ => {
                let normal = self.direction().to_real();
                Any::HalfSpace(HalfSpace::new(normal, self.real(-1.0, 1.0) * Real::from_f64(scale)).unwrap())
            }
        }
    }

    pub fn hull(&mut self, scale: f64) -> Hull {
        let count = 5 + self.pick(28);
        let points: Vec<Vec3> =
            (0..count).map(|_| (self.direction() * (scale * self.range(0.6, 1.0))).to_real()).collect();
        Hull::new(&points).unwrap()
    }
}
