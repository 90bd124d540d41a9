//! Closed triangle meshes for the tests, in `f64`.

use tumble::math::{Float, Real, Vec3};

pub type Triangles = (Vec<Vec3<f64>>, Vec<[u32; 3]>);

/// The box of half-extents `half` about the origin; corner k has the sign of bit i of k along axis i.
pub fn cuboid(half: Vec3<f64>) -> Triangles {
    let vertices = (0..8u32)
        .map(|k| {
            let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vec3::new(half.x * sign(0), half.y * sign(1), half.z * sign(2))
        })
        .collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (vertices, triangles)
}

/// A ball by longitude and latitude, all vertices on the sphere.
pub fn ball(radius: f64, slices: u32, stacks: u32) -> Triangles {
    let mut vertices = vec![Vec3::new(0.0, radius, 0.0)];
    for i in 1..stacks {
        let polar = f64::PI * f64::from(i) / f64::from(stacks);
        for j in 0..slices {
            let around = 2.0 * f64::PI * f64::from(j) / f64::from(slices);
            let ring = radius * Float::sin(polar);
            vertices.push(Vec3::new(ring * Float::sin(around), radius * Float::cos(polar), ring * Float::cos(around)));
        }
    }
    vertices.push(Vec3::new(0.0, -radius, 0.0));
    let bottom = vertices.len() as u32 - 1;
    let at = |ring: u32, j: u32| 1 + ring * slices + j % slices;
    let mut triangles = Vec::new();
    for j in 0..slices {
        triangles.push([0, at(0, j), at(0, j + 1)]);
        for ring in 0..stacks - 2 {
            triangles.push([at(ring, j), at(ring + 1, j), at(ring + 1, j + 1)]);
            triangles.push([at(ring, j), at(ring + 1, j + 1), at(ring, j + 1)]);
        }
        triangles.push([at(stacks - 2, j), bottom, at(stacks - 2, j + 1)]);
    }
    (vertices, triangles)
}

/// A ring about the y-axis: a circle of radius `tube` swept along one of radius `ring`.
pub fn torus(ring: f64, tube: f64, around: u32, across: u32) -> Triangles {
    let mut vertices = Vec::new();
    for i in 0..around {
        let a = 2.0 * f64::PI * f64::from(i) / f64::from(around);
        for j in 0..across {
            let b = 2.0 * f64::PI * f64::from(j) / f64::from(across);
            let r = ring + tube * Float::cos(b);
            vertices.push(Vec3::new(r * Float::sin(a), tube * Float::sin(b), r * Float::cos(a)));
        }
    }
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

/// Two meshes as one.
pub fn joined(a: &Triangles, b: &Triangles) -> Triangles {
    let offset = a.0.len() as u32;
    let mut both = a.clone();
    both.0.extend(&b.0);
    both.1.extend(b.1.iter().map(|t| t.map(|i| i + offset)));
    both
}

/// The same mesh seen from inside.
pub fn inverted((vertices, triangles): &Triangles) -> Triangles {
    (vertices.clone(), triangles.iter().map(|&[a, b, c]| [a, c, b]).collect())
}

/// The same mesh with its vertices moved.
pub fn moved((vertices, triangles): &Triangles, by: impl Fn(Vec3<f64>) -> Vec3<f64>) -> Triangles {
    (vertices.iter().map(|&v| by(v)).collect(), triangles.clone())
}

/// Rounded to the precision of the engine.
pub fn rounded((vertices, triangles): &Triangles) -> (Vec<Vec3<Real>>, Vec<[u32; 3]>) {
    (vertices.iter().map(|v| v.to_real()).collect(), triangles.clone())
}
