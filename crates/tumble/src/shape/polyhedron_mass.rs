//! Mass properties of closed triangle meshes, exact to rounding.

use super::mass::checked_density;
use super::mesh_edges::{check_triangles, edges, sorted_sides};
use super::{MassProperties, mesh_edges::Side};
use crate::error::{Error, Result};
use crate::math::{Float, Sym3, UnionFind, Vec3};
use crate::record::stream::{Sink, Source};

/// Whether the triangles bound a solid: every edge is shared by exactly two triangles that run along it in opposite
/// directions, the triangles face outwards (counter-clockwise seen from outside), and the volume is not zero. Several
/// separate parts are allowed, and cavities: parts that face inwards and lie within another part.
///
/// Vertices count as the same where their indices are equal; [`MeshDesc`](super::MeshDesc) joins those that only have the
/// same position.
///
/// The error names the first triangle or edge that is wrong.
///
/// ```
/// use tumble::{math::Vec3, shape::check_closed};
/// let corners: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// assert!(check_closed(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).is_ok());
/// let open = check_closed(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2]]);
/// assert_eq!(open.unwrap_err().to_string(), "mesh: edge 1-2 of triangle 0 has no neighbour");
/// ```
pub fn check_closed<T: Float>(vertices: &[Vec3<T>], triangles: &[[u32; 3]]) -> Result<()> {
    measure("mesh", vertices, triangles).map(drop)
}

impl MassProperties {
    /// The solid inside a closed triangle mesh, of uniform density (003-15, 001-50). The mesh must pass [`check_closed`].
    ///
    /// ```
    /// use tumble::{math::Vec3, shape::MassProperties};
    /// let corners: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    /// let tetrahedron = MassProperties::of_polyhedron(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], 6.0)?;
    /// assert!((tetrahedron.mass - 1.0).abs() < 1e-15);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn of_polyhedron<T: Float>(vertices: &[Vec3<T>], triangles: &[[u32; 3]], density: f64) -> Result<Self> {
        let density = checked_density("mesh", density)?;
        measure("mesh", vertices, triangles)?.at_density(density).checked("mesh")
    }
}

/// The solid of density 1 inside a closed mesh, or what is wrong with the mesh.
pub(crate) fn measure<T: Float>(shape: &'static str, vertices: &[Vec3<T>], triangles: &[[u32; 3]]) -> Result<Solid> {
    check_triangles(shape, vertices, triangles)?;
    let sides = sorted_sides(triangles);
    check_edges(shape, triangles, &sides)?;
    Solid::new(shape, vertices, triangles, &sides)
}

/// Every edge has two sides of opposite direction, or the fault with the first triangle.
fn check_edges(shape: &'static str, triangles: &[[u32; 3]], sides: &[Side]) -> Result<()> {
    let faulty = |edge: &&[Side]| !matches!(edge, [a, b] if a.ascends(triangles) != b.ascends(triangles));
    let Some(edge) = edges(sides).filter(faulty).min_by_key(|edge| (edge[0].triangle(), edge[0].corner())) else {
        return Ok(());
    };
    let (low, high) = edge[0].vertices();
    let first = edge[0].triangle();
    Err(match edge {
        [_] => Error::geometry(shape, format_args!("edge {low}-{high} of triangle {first} has no neighbour")),
        [_, second] => Error::geometry(
            shape,
            format_args!(
                "triangles {first} and {} run the same way along edge {low}-{high}: one of them is inverted",
                second.triangle()
            ),
        ),
        _ => Error::geometry(
            shape,
            format_args!("edge {low}-{high} of triangle {first} is shared by {} triangles, not by 2", edge.len()),
        ),
    })
}

/// The integrals of 1, x and x xᵀ over a solid, in units of its size and about its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solid {
    /// Metres to a unit.
    size: f64,
    /// The centre of mass.
    centre: Vec3<f64>,
    volume: f64,
    /// ∫ x xᵀ dV about the centre.
    second: Sym3<f64>,
}

impl Solid {
    /// Sums over the tetrahedra that the triangles a, b, c span with a common apex o. With a, b, c from o, s = a + b + c
    /// and the sixfold volume w = a·((b - a) × (c - a)),
    ///
    /// ∫ 1 = w/6,  ∫ x = w/24 s,  ∫ x xᵀ = w/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ)
    ///
    /// (Tonon 2004; the same polynomials as Mirtich 1996). Tetrahedra on the far side of o are negative and cancel, so o
    /// must be near: the mesh is shifted to the middle of its box, however far off that is, and divided by its size; a
    /// second pass runs about the centre of mass, where the transfer I' = I'' - m (…) has nothing left to cancel.
    fn new<T: Float>(
        shape: &'static str,
        vertices: &[Vec3<T>],
        triangles: &[[u32; 3]],
        sides: &[Side],
    ) -> Result<Self> {
        let (mut low, mut high) = (Vec3::all(f64::INFINITY), Vec3::all(f64::NEG_INFINITY));
        for v in triangles.iter().flatten().map(|&i| vertices[i as usize].to_f64()) {
            (low, high) = (low.min(v), high.max(v));
        }
        let middle = low + (high - low) * 0.5;
        let size = ((high - low) * 0.5).max_component();
        if size <= 0.0 {
            return Err(Error::geometry(shape, "encloses no volume: all its vertices are one point"));
        }
        let corners = |t: &[u32; 3]| t.map(|i| (vertices[i as usize].to_f64() - middle) / size);

        // What the volume could be off by: vertices rounded to their type move every face by epsilon, and each triple
        // product is rounded.
        let (mut volume, mut noise, mut first) = (0.0, 0.0, Vec3::ZERO);
        for triangle in triangles {
            let [a, b, c] = corners(triangle);
            let (p, q) = (b - a, c - a);
            let across = p.cross(q);
            let w = a.dot(across);
            volume += w / 6.0;
            first += (a + b + c) * (w / 24.0);
            noise += T::EPSILON.to_f64() * across.length() * 0.5;
            noise += 4.0 * f64::EPSILON * (a.length() * p.length() * q.length()) / 6.0;
        }
        check_parts(shape, triangles, sides, noise, corners)?;
        if volume <= noise {
            return Err(Error::geometry(
                shape,
                format_args!(
                    "encloses no volume: {:e} m³, which is within rounding of zero",
                    volume * (size * size * size)
                ),
            ));
        }

        let offset = first / volume;
        let mut second = Sym3::ZERO;
        let mut rest = Vec3::ZERO;
        let outer = |v: Vec3<f64>| Sym3 {
            xx: v.x * v.x,
            yy: v.y * v.y,
            zz: v.z * v.z,
            xy: v.x * v.y,
            xz: v.x * v.z,
            yz: v.y * v.z,
        };
        for triangle in triangles {
            let [a, b, c] = corners(triangle).map(|v| v - offset);
            let w = a.dot((b - a).cross(c - a));
            let s = a + b + c;
            rest += s * (w / 24.0);
            second = second + (outer(a) + outer(b) + outer(c) + outer(s)) * (w / 120.0);
        }
        let rest = rest / volume;
        Ok(Self { size, centre: middle + (offset + rest) * size, volume, second: second - outer(rest) * volume })
    }

    pub(crate) fn save(&self, out: &mut impl Sink) {
        let Self { size, centre, volume, second: s } = self;
        for v in [*size, centre.x, centre.y, centre.z, *volume, s.xx, s.yy, s.zz, s.xy, s.xz, s.yz] {
            out.f64(v);
        }
    }

    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let mut v = [0.0; 11];
        for x in &mut v {
            *x = source.f64()?;
        }
        let [size, x, y, z, volume, xx, yy, zz, xy, xz, yz] = v;
        if !(v.iter().all(|x| x.is_finite()) && size > 0.0 && volume > 0.0) {
            return Err(source.corrupt("the volume of a mesh"));
        }
        Ok(Self { size, centre: Vec3::new(x, y, z), volume, second: Sym3 { xx, yy, zz, xy, xz, yz } })
    }

    /// Its mass properties: I = ρ (tr(S) 1 - S) with S = ∫ x xᵀ.
    pub(crate) fn at_density(&self, density: f64) -> MassProperties {
        let s = self.second;
        let cube = self.size * self.size * self.size;
        let inertia = Sym3 { xx: s.yy + s.zz, yy: s.xx + s.zz, zz: s.xx + s.yy, xy: -s.xy, xz: -s.xz, yz: -s.yz };
        MassProperties {
            mass: density * self.volume * cube,
            centre: self.centre,
            inertia: inertia * (density * cube * self.size * self.size),
        }
    }
}

/// Each connected part faces outwards, or lies within one that does; or the first that is inside out.
fn check_parts(
    shape: &'static str,
    triangles: &[[u32; 3]],
    sides: &[Side],
    noise: f64,
    corners: impl Fn(&[u32; 3]) -> [Vec3<f64>; 3],
) -> Result<()> {
    struct Part {
        first: usize,
        volume: f64,
        low: Vec3<f64>,
        high: Vec3<f64>,
    }
    let mut joined = UnionFind::default();
    joined.reset(triangles.len());
    for edge in edges(sides) {
        joined.join(edge[0].triangle(), edge[edge.len() - 1].triangle());
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of_root = vec![u32::MAX; triangles.len()];
    for (t, triangle) in triangles.iter().enumerate() {
        let r = joined.find(t as u32) as usize;
        if part_of_root[r] == u32::MAX {
            part_of_root[r] = parts.len() as u32;
            parts.push(Part {
                first: t,
                volume: 0.0,
                low: Vec3::all(f64::INFINITY),
                high: Vec3::all(f64::NEG_INFINITY),
            });
        }
        let part = &mut parts[part_of_root[r] as usize];
        let [a, b, c] = corners(triangle);
        part.volume += a.dot((b - a).cross(c - a)) / 6.0;
        part.low = part.low.min(a).min(b).min(c);
        part.high = part.high.max(a).max(b).max(c);
    }
    let within =
        |inner: &Part, outer: &Part| (0..3).all(|i| outer.low[i] <= inner.low[i] && inner.high[i] <= outer.high[i]);
    for part in parts.iter().filter(|p| p.volume < -noise) {
        if !parts.iter().any(|p| p.volume > noise && within(part, p)) {
            return Err(Error::geometry(
                shape,
                format_args!(
                    "is inside out at triangle {} and what hangs on it: triangles must run counter-clockwise seen from outside",
                    part.first
                ),
            ));
        }
    }
    Ok(())
}
