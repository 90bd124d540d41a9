//! The convex hull of points as triangles, with exact decisions.
//!
//! Quickhull (Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996): start from a tetrahedron;
//! each facet keeps the points that lie above it; take the highest point of some facet, the *eye*; remove all facets that
//! the eye sees; close the gap with triangles from its rim, the *horizon*, to the eye; hand the points of the removed
//! facets to the new ones; go on until no facet has points left.
//!
//! What makes the usual implementations fail is rounding: facets that the eye sees by one computation and not by another
//! leave a horizon that is no single loop. Here the points are first rounded to a grid of 2⁴⁰ steps per size of the cloud.
//! On it the side of a plane on which a point lies is a determinant of whole numbers below 2¹²⁷: floating point decides
//! where its error bound allows, 128-bit integers where not. So the hull is *exactly* convex on the grid, whatever the
//! input, and no repair of topology is needed.
//!
//! An eye in the plane of a facet does not see it. So a horizon edge always bounds a facet that has the eye strictly above,
//! the eye is never in line with it, and no triangle has zero area; and a point that extends a flat face of many triangles
//! adds a few instead of replacing them all. The price is that points may stay as vertices which later turn out to lie
//! inside a face or an edge; joining the triangles of a face drops them.

use crate::math::{Float, Vec3};
use std::collections::VecDeque;

/// No facet, no point.
const NONE: u32 = u32::MAX;

/// Coordinates on the grid are whole numbers from 0 to 2 to this power.
pub(super) const GRID_BITS: i32 = 40;

/// One triangle of the hull.
#[derive(Clone, Debug)]
pub(super) struct Facet {
    /// Points, counter-clockwise seen from outside.
    pub(super) points: [u32; 3],
    /// The facets across the edges that start at the points.
    pub(super) neighbours: [u32; 3],
    /// Outward, of length twice the area.
    pub(super) normal: Vec3<f64>,
    /// Length of the normal.
    pub(super) double_area: f64,
    /// Where the computed determinant is larger, its sign is certain.
    doubt: f64,
    /// First of the points above the facet, chained by `Quickhull::chain`.
    above: u32,
    /// The highest of them.
    highest: u32,
    height: f64,
    alive: bool,
    seen: bool,
}

/// A hull in the making.
pub(super) struct Quickhull<'a> {
    points: &'a [Vec3<f64>],
    tolerance: f64,
    facets: Vec<Facet>,
    /// Slots of removed facets.
    free: Vec<u32>,
    /// The next point above the same facet.
    chain: Vec<u32>,
    /// The new facet whose first point this is; valid for the points of the current horizon.
    leaving: Vec<u32>,
}

impl<'a> Quickhull<'a> {
    /// The hull of `points`, which lie on the grid, as facets that refer to each other; every point lies within
    /// `tolerance` of the hull, or in it.
    ///
    /// `simplex` names four points that do not lie in one plane. `None` is never returned for such points; it stands for
    /// a horizon that is not one loop, which exact decisions exclude.
    pub(super) fn build(points: &'a [Vec3<f64>], simplex: [u32; 4], tolerance: f64) -> Option<Vec<Facet>> {
        let mut hull = Self {
            points,
            tolerance,
            facets: Vec::new(),
            free: Vec::new(),
            chain: vec![NONE; points.len()],
            leaving: vec![NONE; points.len()],
        };
        hull.start(simplex)?;
        hull.grow()?;
        Some(hull.into_facets())
    }

    fn start(&mut self, [a, b, c, d]: [u32; 4]) -> Option<()> {
        let probe = self.facet([a, b, c], [NONE; 3]);
        let side = self.side(&probe, d);
        if side == 0.0 {
            return None;
        }
        let (b, c) = if side > 0.0 { (c, b) } else { (b, c) };
        for (points, neighbours) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            let facet = self.facet(points, neighbours);
            self.facets.push(facet);
        }
        let all = [0, 1, 2, 3];
        for p in 0..self.points.len() as u32 {
            if ![a, b, c, d].contains(&p) {
                self.assign(p, &all);
            }
        }
        Some(())
    }

    fn grow(&mut self) -> Option<()> {
        let mut queue: VecDeque<u32> = (0..self.facets.len() as u32).collect();
        let (mut visible, mut horizon, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(start) = queue.pop_front() {
            let facet = &self.facets[start as usize];
            if !facet.alive || facet.above == NONE {
                continue;
            }
            let eye = facet.highest;
            self.find_horizon(start, eye, &mut visible, &mut horizon);
            self.close(eye, &horizon, &mut fresh)?;
            for &v in &visible {
                let facet = &mut self.facets[v as usize];
                facet.alive = false;
                let mut p = core::mem::replace(&mut facet.above, NONE);
                while p != NONE {
                    let next = self.chain[p as usize];
                    if p != eye {
                        self.assign(p, &fresh);
                    }
                    p = next;
                }
            }
            self.free.extend_from_slice(&visible);
            queue.extend(fresh.iter().copied().filter(|&f| self.facets[f as usize].above != NONE));
        }
        Some(())
    }

    /// All facets that the eye sees, and the edges (facet, index) behind which it sees nothing.
    fn find_horizon(&mut self, start: u32, eye: u32, visible: &mut Vec<u32>, horizon: &mut Vec<(u32, u32)>) {
        visible.clear();
        horizon.clear();
        visible.push(start);
        self.facets[start as usize].seen = true;
        let mut next = 0;
        while let Some(&f) = visible.get(next) {
            next += 1;
            for edge in 0..3 {
                let g = self.facets[f as usize].neighbours[edge];
                let behind = &self.facets[g as usize];
                if behind.seen {
                    continue;
                }
                if self.side(behind, eye) > 0.0 {
                    self.facets[g as usize].seen = true;
                    visible.push(g);
                } else {
                    horizon.push((f, edge as u32));
                }
            }
        }
    }

    /// Joins the horizon to the eye. `None` if the horizon is not one loop.
    fn close(&mut self, eye: u32, horizon: &[(u32, u32)], fresh: &mut Vec<u32>) -> Option<()> {
        fresh.clear();
        for &(f, edge) in horizon {
            let old = &self.facets[f as usize];
            let (a, b) = (old.points[edge as usize], old.points[(edge as usize + 1) % 3]);
            let outer = old.neighbours[edge as usize];
            let facet = self.facet([a, b, eye], [outer, NONE, NONE]);
            let slot = match self.free.pop() {
                Some(slot) => {
                    self.facets[slot as usize] = facet;
                    slot
                }
                None => {
                    self.facets.push(facet);
                    self.facets.len() as u32 - 1
                }
            };
            let back = self.facets[outer as usize].points.iter().position(|&p| p == b)?;
            self.facets[outer as usize].neighbours[back] = slot;
            if core::mem::replace(&mut self.leaving[a as usize], slot) != NONE {
                return None;
            }
            fresh.push(slot);
        }
        for &f in fresh.iter() {
            let b = self.facets[f as usize].points[1];
            let next = self.leaving[b as usize];
            self.facets.get_mut(next as usize)?.neighbours[2] = f;
            self.facets[f as usize].neighbours[1] = next;
        }
        for &f in fresh.iter() {
            let a = self.facets[f as usize].points[0];
            self.leaving[a as usize] = NONE;
        }
        Some(())
    }

    /// Gives the point to one of the facets, unless it lies inside the hull or within the tolerance of it.
    ///
    /// Heights over planes are not enough to tell: beside the sharp edge of a lens a point may be far from the hull and
    /// yet hardly above any facet.
    fn assign(&mut self, p: u32, facets: &[u32]) {
        let (mut best, mut best_height) = (NONE, 0.0);
        let mut nearest = f64::INFINITY;
        for &f in facets {
            let facet = &self.facets[f as usize];
            let side = self.side(facet, p);
            if side <= 0.0 {
                continue;
            }
            let height = side / facet.double_area;
            if height > self.tolerance {
                (best, best_height, nearest) = (f, height, f64::INFINITY);
                break;
            }
            if height > best_height || best == NONE {
                (best, best_height) = (f, height);
            }
            let distance = self.distance_squared(facet, height, p);
            if distance < nearest {
                nearest = distance;
            }
        }
        if best == NONE || nearest <= self.tolerance * self.tolerance {
            return;
        }
        let facet = &mut self.facets[best as usize];
        if facet.above == NONE || best_height > facet.height {
            (facet.highest, facet.height) = (p, best_height);
        }
        self.chain[p as usize] = facet.above;
        facet.above = p;
    }

    /// Squared distance from a point at this height over the plane to the triangle.
    fn distance_squared(&self, facet: &Facet, height: f64, p: u32) -> f64 {
        let p = self.points[p as usize];
        let corners = facet.points.map(|i| self.points[i as usize]);
        let mut over = true;
        let mut nearest = f64::INFINITY;
        for i in 0..3 {
            let (a, b) = (corners[i], corners[(i + 1) % 3]);
            over &= facet.normal.cross(b - a).dot(p - a) >= 0.0;
            let distance = segment_distance_squared(p, a, b);
            if distance < nearest {
                nearest = distance;
            }
        }
        if over { height * height } else { nearest }
    }

    fn facet(&self, points: [u32; 3], neighbours: [u32; 3]) -> Facet {
        let [a, b, c] = points.map(|i| self.points[i as usize]);
        let (u, v) = (b - a, c - a);
        let mut normal = u.cross(v);
        // Differences of grid points are exact. With unit roundoff ε and m the sum of the magnitudes of the six products
        // in the normal, the normal's components are wrong by less than 2 ε m together; the determinant, a sum of three
        // products with differences of at most 2⁴⁰, by less than 2⁴⁰ (2 + 4) ε m. Eight instead of six covers the rounding
        // of the bound itself.
        let (p, q) = (u.abs(), v.abs());
        let m = p.y * q.z + p.z * q.y + p.z * q.x + p.x * q.z + p.x * q.y + p.y * q.x;
        let doubt = 8.0 * (0.5 * f64::EPSILON) * m * (1_u64 << GRID_BITS) as f64;
        // The normal of a sliver is a small difference of large products. Exact where more than 12 bits would be lost, it
        // is as good as the grid for every triangle.
        if normal.length_squared() < (m / 4096.0) * (m / 4096.0) {
            normal = Vec3::from(exact_cross(u, v).map(|c| c as f64));
        }
        Facet {
            points,
            neighbours,
            normal,
            double_area: normal.length(),
            doubt,
            above: NONE,
            highest: NONE,
            height: 0.0,
            alive: true,
            seen: false,
        }
    }

    /// Positive where the point lies above the facet's plane, zero in it, negative below; six times the volume of the
    /// tetrahedron between them. The sign is exact.
    fn side(&self, facet: &Facet, p: u32) -> f64 {
        let determinant = facet.normal.dot(self.points[p as usize] - self.points[facet.points[0] as usize]);
        if determinant > facet.doubt || determinant < -facet.doubt {
            return determinant;
        }
        self.exact_side(facet, p)
    }

    #[cold]
    fn exact_side(&self, facet: &Facet, p: u32) -> f64 {
        // Differences are at most 2⁴⁰, so the sum of six products of three stays below 2¹²³.
        let [a, b, c] = facet.points.map(|i| self.points[i as usize]);
        let n = exact_cross(b - a, c - a);
        let w = whole(self.points[p as usize] - a);
        (n[0] * w[0] + n[1] * w[1] + n[2] * w[2]) as f64
    }

    /// The facets that are left, renumbered without gaps.
    fn into_facets(self) -> Vec<Facet> {
        let mut number = vec![NONE; self.facets.len()];
        let mut count = 0;
        for (i, facet) in self.facets.iter().enumerate() {
            if facet.alive {
                number[i] = count;
                count += 1;
            }
        }
        let mut facets: Vec<Facet> = self.facets.into_iter().filter(|f| f.alive).collect();
        for facet in &mut facets {
            facet.neighbours = facet.neighbours.map(|n| number[n as usize]);
        }
        facets
    }
}

fn whole(v: Vec3<f64>) -> [i128; 3] {
    v.to_array().map(|c| i128::from(c as i64))
}

/// u × v for vectors of whole numbers.
fn exact_cross(u: Vec3<f64>, v: Vec3<f64>) -> [i128; 3] {
    let (u, v) = (whole(u), whole(v));
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

/// Squared distance from `p` to the segment from `a` to `b`.
pub(super) fn segment_distance_squared(p: Vec3<f64>, a: Vec3<f64>, b: Vec3<f64>) -> f64 {
    let along = b - a;
    let square = along.length_squared();
    let t = if square > 0.0 { (p - a).dot(along) / square } else { 0.0 };
    let t = Float::clamp(t, 0.0, 1.0);
    (p - a).add_scaled(along, -t).length_squared()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The floating-point filter never contradicts whole numbers, on triangles and points down to the step of the grid
    /// where it must give way to them; and it decides what is clear.
    #[test]
    fn sides_are_exact() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 20) % below
        };
        let (mut filtered, mut exact) = (0, 0);
        for i in 0..20_000 {
            let size = 1_u64 << (8 + i % 33);
            // Nearly in the plane x + y + z = size, or anywhere.
            let mut points: Vec<Vec3<f64>> = (0..4)
                .map(|_| {
                    let (x, y) = (random(size / 2), random(size / 2));
                    let z = if i % 2 == 0 { size - x - y + random(3) } else { random(size) };
                    Vec3::new(x as f64, y as f64, z as f64)
                })
                .collect();
            if i % 3 == 0 {
                // A sliver: the third point next to the line of the first two.
                points[2] = Vec3::from(points[0].lerp(points[1], 0.25).to_array().map(f64::floor));
            }
            let hull = Quickhull {
                points: &points,
                tolerance: 0.0,
                facets: Vec::new(),
                free: Vec::new(),
                chain: Vec::new(),
                leaving: Vec::new(),
            };
            let facet = hull.facet([0, 1, 2], [NONE; 3]);
            let (side, truth) = (hull.side(&facet, 3), hull.exact_side(&facet, 3));
            assert_eq!(side.partial_cmp(&0.0), truth.partial_cmp(&0.0), "{points:?}");
            if truth.abs() > facet.doubt { filtered += 1 } else { exact += 1 }
        }
        assert!(filtered > 200 && exact > 200, "{filtered} by the filter, {exact} exactly");
    }
}
