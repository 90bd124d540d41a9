//! The edges of a hull, each once, with all that a search for separating axes asks of them.

use super::hull::{HalfEdge, HullFace};
use crate::math::{Real, Vec3};

/// An edge. Seen from outside it runs counter-clockwise about the left face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rib {
    pub tail: Vec3,
    pub head: Vec3,
    /// Normals of the two faces.
    pub left: Vec3,
    pub right: Vec3,
    /// The first of its half-edges.
    pub number: u32,
}

/// All edges in the order of their numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ribs {
    all: Vec<Rib>,
    /// The numbers of the two faces of each, beside the edges: most are looked at no further.
    faces: Vec<[u32; 2]>,
}

impl Ribs {
    /// Half-edges without a twin belong to a hull that is not sound; they are left out.
    pub(super) fn new(vertices: &[Vec3], faces: &[HullFace], edges: &[HalfEdge]) -> Self {
        let mut ribs = Self { all: Vec::with_capacity(edges.len() / 2), faces: Vec::with_capacity(edges.len() / 2) };
        for (number, half) in edges.iter().enumerate() {
            let Some(twin) = edges.get(half.twin as usize).filter(|_| half.twin as usize > number) else { continue };
            ribs.all.push(Rib {
                tail: vertices[half.origin as usize],
                head: vertices[twin.origin as usize],
                left: faces[half.face as usize].normal,
                right: faces[twin.face as usize].normal,
                number: number as u32,
            });
            ribs.faces.push([half.face, twin.face]);
        }
        ribs
    }

    #[inline(always)]
    pub fn all(&self) -> &[Rib] {
        &self.all
    }

    /// Which of the edges has this number.
    pub fn with_number(&self, number: u32) -> Option<usize> {
        self.all.binary_search_by_key(&number, |rib| rib.number).ok()
    }

    /// Fills `picked` with edges from `next` on, at one of whose faces `high` has more than its first bar, and at one `wide` no less than its
    /// second, and returns how many. Both are told by face, for at least all of them.
    ///
    /// Which edges these are no processor can guess: so there is no branch on it.
    #[inline(always)]
    pub fn pick<const N: usize>(
        &self,
        next: &mut usize,
        (high, above): (&[Real; KEPT], Real),
        (wide, least): (&[Real; KEPT], Real),
        picked: &mut [u32; N],
    ) -> usize {
        let mut len = 0;
        while *next < self.faces.len() && len < N {
            let end = self.faces.len().min(*next + (N - len));
            for i in *next..end {
                let [left, right] = self.faces[i].map(|face| face as usize % KEPT);
                let reaches =
                    ((high[left] > above) | (high[right] > above)) & ((wide[left] >= least) | (wide[right] >= least));
                picked[len % N] = i as u32;
                len += usize::from(reaches);
            }
            *next = end;
        }
        len
    }
}

/// Faces that [`Ribs::pick`] can tell apart.
pub(crate) const KEPT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Cuboid;

    // Against a plain loop over the half-edges, in batches of every size.
    #[test]
    fn picks_the_edges_of_high_faces() {
        let hull = Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).unwrap().to_hull();
        let (mut high, mut wide) = ([0.0; KEPT], [0.0; KEPT]);
        for seed in 0..200_u32 {
            for i in 0..KEPT as u32 {
                high[i as usize] = (seed.wrapping_mul(7).wrapping_add(i * 13) % 5) as Real;
                wide[i as usize] = (seed.wrapping_mul(11).wrapping_add(i * 29) % 4) as Real;
            }
            let expected: Vec<u32> = (0..hull.edges().len())
                .filter(|&i| hull.edges()[i].twin as usize > i)
                .filter(|&i| {
                    let faces = [i, hull.edges()[i].twin as usize].map(|e| hull.edges()[e].face as usize);
                    faces.iter().any(|&f| high[f] > 2.0) && faces.iter().any(|&f| wide[f] >= 2.0)
                })
                .map(|i| i as u32)
                .collect();
            let (mut found, mut next, mut picked) = (Vec::new(), 0, [0; 3]);
            loop {
                let len = hull.ribs().pick(&mut next, (&high, 2.0), (&wide, 2.0), &mut picked);
                if len == 0 {
                    break;
                }
                found.extend(picked[..len].iter().map(|&i| hull.ribs().all()[i as usize].number));
            }
            assert_eq!(found, expected);
        }
    }
}
