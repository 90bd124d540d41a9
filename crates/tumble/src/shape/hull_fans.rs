//! The faces around the vertices of a hull, as lists: a walk from half-edge to half-edge waits for memory at every step.

use super::hull::HalfEdge;

/// For each vertex its faces, clockwise seen from outside, from that of its first half-edge on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fans {
    /// Where the faces of each vertex start; one more at the end.
    first: Vec<u32>,
    faces: Vec<u32>,
}

impl Fans {
    /// Of half-edges that may not make a hull: where one leads nowhere, or not back, the list ends.
    pub(super) fn new(vertex_edges: &[u32], edges: &[HalfEdge]) -> Self {
        let mut fans =
            Self { first: Vec::with_capacity(vertex_edges.len() + 1), faces: Vec::with_capacity(edges.len()) };
        for &start in vertex_edges {
            fans.first.push(fans.faces.len() as u32);
            let mut at = start;
            // All together have as many faces as there are half-edges.
            while fans.faces.len() < edges.len() {
                let Some(edge) = edges.get(at as usize) else { break };
                fans.faces.push(edge.face);
                let Some(twin) = edges.get(edge.twin as usize) else { break };
                at = twin.next;
                if at == start {
                    break;
                }
            }
        }
        fans.first.push(fans.faces.len() as u32);
        fans
    }

    #[inline(always)]
    pub(super) fn at(&self, vertex: usize) -> &[u32] {
        &self.faces[self.first[vertex] as usize..self.first[vertex + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use crate::math::Vec3;
    use crate::shape::Cuboid;

    // Every face stands in the lists of its corners and in no other, each beside the next across an edge of the vertex.
    #[test]
    fn faces_stand_around_their_corners() {
        let hull = Cuboid::new(Vec3::new(1.0, 2.0, 3.0)).unwrap().to_hull();
        for vertex in 0..hull.vertices().len() {
            let fan = hull.faces_at(vertex);
            let mut sorted = fan.to_vec();
            sorted.sort_unstable();
            let mine: Vec<u32> =
                (0..6).filter(|&f| hull.face_edges(f).iter().any(|e| e.origin as usize == vertex)).collect();
            assert_eq!(sorted, mine);
            for (i, &face) in fan.iter().enumerate() {
                let next = fan[(i + 1) % fan.len()];
                let leaves = hull.face_edges(face).iter().find(|e| e.origin as usize == vertex).unwrap();
                assert_eq!(hull.edges()[leaves.twin as usize].face, next);
            }
        }
    }
}
