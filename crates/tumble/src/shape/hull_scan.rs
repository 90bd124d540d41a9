//! The vertices and planes of a hull in columns, to be looked at several at a time.

use super::HullFace;
use crate::math::{Aabb, Num, Real, Vec3};

/// Vertices looked at together: the compiler keeps them in vector registers of whatever width the target has.
const WIDTH: usize = 8;

/// The coordinates of all vertices in columns. The columns are filled up to a whole number of groups with copies of the
/// first vertex, which never win against the first itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scan {
    groups: Vec<[[Real; WIDTH]; 3]>,
}

impl Scan {
    pub(super) fn new(vertices: &[Vec3]) -> Self {
        let mut groups = Vec::with_capacity(vertices.len().div_ceil(WIDTH));
        for chunk in vertices.chunks(WIDTH) {
            let mut group = [[0.0; WIDTH]; 3];
            for lane in 0..WIDTH {
                let v = *chunk.get(lane).unwrap_or(&vertices[0]);
                (group[0][lane], group[1][lane], group[2][lane]) = (v.x, v.y, v.z);
            }
            groups.push(group);
        }
        Self { groups }
    }

    /// The box around the vertices along three axes.
    #[inline(always)]
    pub(super) fn bounds(&self, axes: [Vec3; 3]) -> Aabb {
        let (mut low, mut high) = ([[Real::INFINITY; WIDTH]; 3], [[Real::NEG_INFINITY; WIDTH]; 3]);
        for group in &self.groups {
            for (axis, d) in axes.iter().enumerate() {
                for lane in 0..WIDTH {
                    let height = group[0][lane] * d.x + group[1][lane] * d.y + group[2][lane] * d.z;
                    low[axis][lane] = Num::min(height, low[axis][lane]);
                    high[axis][lane] = Num::max(height, high[axis][lane]);
                }
            }
        }
        let mut width = WIDTH / 2;
        while width > 0 {
            for axis in 0..3 {
                for lane in 0..width {
                    low[axis][lane] = Num::min(low[axis][lane + width], low[axis][lane]);
                    high[axis][lane] = Num::max(high[axis][lane + width], high[axis][lane]);
                }
            }
            width /= 2;
        }
        Aabb::new(Vec3::from(low.map(|column| column[0])), Vec3::from(high.map(|column| column[0])))
    }

    /// The number of the vertex farthest along `direction`; the first of several.
    #[inline(always)]
    pub(super) fn highest(&self, direction: Vec3) -> u32 {
        highest(&self.groups, direction)
    }
}

/// The lowest number with the largest x·d_x + y·d_y + z·d_z; 0 where no height is a number.
///
/// Twice over all of them: for the height, then for who has it. To remember on the way who was highest costs more than to look again, and
/// there is no branch on heights, which nobody could foresee.
#[inline(always)]
fn highest<const COLUMNS: usize>(groups: &[[[Real; WIDTH]; COLUMNS]], d: Vec3) -> u32 {
    let height = |group: &[[Real; WIDTH]; COLUMNS], lane: usize| {
        group[0][lane] * d.x + group[1][lane] * d.y + group[2][lane] * d.z
    };
    let higher = |a: Real, b: Real| if a > b { a } else { b };
    let mut most = [Real::NEG_INFINITY; WIDTH];
    for group in groups {
        for lane in 0..WIDTH {
            most[lane] = higher(height(group, lane), most[lane]);
        }
    }
    let mut width = WIDTH / 2;
    while width > 0 {
        for lane in 0..width {
            most[lane] = higher(most[lane], most[lane + width]);
        }
        width /= 2;
    }
    for (at, some) in groups.chunks(u64::BITS as usize / WIDTH).enumerate() {
        let mut found = 0_u64;
        for (i, group) in some.iter().enumerate() {
            let mut bits = 0;
            for lane in 0..WIDTH {
                bits |= u32::from(height(group, lane) == most[0]) << lane;
            }
            found |= u64::from(bits) << (i * WIDTH);
        }
        if found != 0 {
            return at as u32 * u64::BITS + found.trailing_zeros();
        }
    }
    0
}

/// The planes of all faces in columns: normals and offsets.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Planes {
    groups: Vec<[[Real; WIDTH]; 4]>,
}

impl Planes {
    pub(super) fn new(faces: &[HullFace]) -> Self {
        let mut groups = vec![[[0.0; WIDTH]; 4]; faces.len().div_ceil(WIDTH)];
        // Filled up with copies of the first, as the vertices are.
        for i in 0..groups.len() * WIDTH {
            let face = faces.get(i).unwrap_or(&faces[0]);
            let [x, y, z, offset] = &mut groups[i / WIDTH];
            let lane = i % WIDTH;
            (x[lane], y[lane], z[lane]) = (face.normal.x, face.normal.y, face.normal.z);
            offset[lane] = face.offset;
        }
        Self { groups }
    }

    /// The number of the face whose normal is most along `direction`; the first of several.
    #[inline]
    pub(super) fn along(&self, direction: Vec3) -> u32 {
        highest(&self.groups, direction)
    }

    /// n·p - offset of the planes, as many as fit into `out`.
    #[inline(always)]
    pub(super) fn heights(&self, p: Vec3, out: &mut [Real]) {
        for (out, [x, y, z, offset]) in out.chunks_exact_mut(WIDTH).zip(&self.groups) {
            for lane in 0..WIDTH {
                out[lane] = x[lane] * p.x + y[lane] * p.y + z[lane] * p.z - offset[lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_those_of_the_planes() {
        let face = |i: u32| HullFace {
            normal: Vec3::new(i as Real, 1.0, -2.0),
            offset: i as Real * 0.5,
            first_edge: 0,
            edge_count: 3,
        };
        let faces: Vec<HullFace> = (0..11).map(face).collect();
        let p = Vec3::new(0.5, 3.0, 0.25);
        let mut heights = [0.0; 16];
        Planes::new(&faces).heights(p, &mut heights);
        for (h, f) in heights.into_iter().zip(&faces) {
            assert_eq!(h, f.normal.dot(p) - f.offset);
        }
        assert_eq!(Planes::new(&faces).along(Vec3::X), 10);
        assert_eq!(Planes::new(&faces).along(Vec3::Y), 0, "the first of equals");
    }

    // Against the plain loop, for every number of vertices around the width, ties included.
    #[test]
    fn agrees_with_a_plain_loop() {
        for count in 1..90 {
            let vertices: Vec<Vec3> = (0..count)
                .map(|i| Vec3::new(((i * 7) % 5) as Real, ((i * 3) % 4) as Real, ((i * 11) % 6) as Real))
                .collect();
            let scan = Scan::new(&vertices);
            for i in 0..64 {
                let d = Vec3::new((i % 4) as Real - 1.5, (i / 4 % 4) as Real - 2.0, (i / 16) as Real - 1.0);
                let mut best = 0;
                for (k, v) in vertices.iter().enumerate() {
                    if v.dot(d) > vertices[best].dot(d) {
                        best = k;
                    }
                }
                assert_eq!(scan.highest(d) as usize, best);
            }
            assert_eq!(scan.highest(Vec3::all(Real::NAN)), 0);
        }
    }
}
