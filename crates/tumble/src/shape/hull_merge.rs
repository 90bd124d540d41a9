//! Triangles of a hull that lie in one plane, joined to polygons.
//!
//! A face starts from a *seed* triangle, the largest that is left, and takes in all connected triangles whose corners lie
//! within the tolerance of the seed's plane. That plane stays the plane of the face: it touches the hull, so no vertex
//! lies above any face, however many triangles were joined; the vertices of a face lie in its plane or less than the
//! tolerance below it.
//!
//! Corners where only two faces are left are no vertices: they are dropped, as long as they lie within the tolerance of
//! the straight edge that replaces them. A face whose outline cannot be made into a convex polygon in this way is dissolved
//! into its triangles again. Since the triangles alone are a valid hull, the result is valid always; on clean input (planar
//! faces with rounding errors) nothing is dissolved.

use super::quickhull::{Facet, segment_distance_squared};
use crate::math::Vec3;

const NONE: u32 = u32::MAX;

/// A face of the hull.
pub(super) struct Polygon {
    /// Points, counter-clockwise seen from outside, starting with the smallest index.
    pub(super) points: Vec<u32>,
    /// Outward, of any length.
    pub(super) normal: Vec3<f64>,
}

/// The facets as polygons, the one with the largest seed first.
pub(super) fn merge_coplanar(points: &[Vec3<f64>], facets: &[Facet], tolerance: f64) -> Vec<Polygon> {
    let mut merge = Merge::new(points, facets, tolerance);
    // Every round but the last dissolves a region of several triangles, so that there is a last.
    loop {
        let outlines = merge.outlines();
        let degrees = merge.degrees(&outlines);
        let (polygons, faulty) = merge.polygons(&outlines, &degrees);
        if faulty.is_empty() {
            return polygons;
        }
        for region in faulty {
            merge.dissolve(region);
        }
    }
}

/// The facets as they are.
pub(super) fn triangles(facets: &[Facet]) -> Vec<Polygon> {
    facets.iter().map(|f| Polygon { points: from_smallest(f.points.to_vec()), normal: f.normal }).collect()
}

/// One corner of an outline: the point, and the facet beyond the edge that starts there.
type Corner = (u32, u32);

struct Merge<'a> {
    points: &'a [Vec3<f64>],
    facets: &'a [Facet],
    tolerance: f64,
    /// The region of each facet.
    region: Vec<u32>,
    /// The facets of each region, its seed first; empty after it was dissolved.
    members: Vec<Vec<u32>>,
}

impl<'a> Merge<'a> {
    fn new(points: &'a [Vec3<f64>], facets: &'a [Facet], tolerance: f64) -> Self {
        let mut merge = Self { points, facets, tolerance, region: vec![NONE; facets.len()], members: Vec::new() };
        let mut seeds: Vec<u32> = (0..facets.len() as u32).collect();
        let area = |&f: &u32| facets[f as usize].double_area;
        seeds.sort_by(|a, b| area(b).total_cmp(&area(a)).then(a.cmp(b)));
        for seed in seeds {
            if merge.region[seed as usize] == NONE {
                merge.grow(seed);
            }
        }
        merge
    }

    fn grow(&mut self, seed: u32) {
        let id = self.members.len() as u32;
        let plane = &self.facets[seed as usize];
        let base = self.points[plane.points[0] as usize];
        let depth = self.tolerance * plane.double_area;
        let fits = |p: u32| plane.normal.dot(self.points[p as usize] - base).abs() <= depth;
        let mut members = vec![seed];
        self.region[seed as usize] = id;
        let mut next = 0;
        while let Some(&f) = members.get(next) {
            next += 1;
            for g in self.facets[f as usize].neighbours {
                if self.region[g as usize] == NONE && self.facets[g as usize].points.into_iter().all(fits) {
                    self.region[g as usize] = id;
                    members.push(g);
                }
            }
        }
        self.members.push(members);
    }

    fn dissolve(&mut self, region: u32) {
        for facet in core::mem::take(&mut self.members[region as usize]) {
            self.region[facet as usize] = self.members.len() as u32;
            self.members.push(vec![facet]);
        }
    }

    /// The outline of each region as one loop. Regions with several loops, or with one that touches itself, are dissolved.
    fn outlines(&mut self) -> Vec<Vec<Corner>> {
        let mut outlines = Vec::with_capacity(self.members.len());
        // For each point of the outline at hand, the end of the edge that starts there and the facet beyond.
        let mut leaving = vec![(NONE, NONE); self.points.len()];
        let mut region = 0;
        while region < self.members.len() {
            let mut starts = Vec::new();
            let mut simple = true;
            for &f in &self.members[region] {
                let facet = &self.facets[f as usize];
                for edge in 0..3 {
                    let beyond = facet.neighbours[edge];
                    if self.region[beyond as usize] != region as u32 {
                        let start = facet.points[edge];
                        let end = facet.points[(edge + 1) % 3];
                        simple &= core::mem::replace(&mut leaving[start as usize], (end, beyond)).0 == NONE;
                        starts.push(start);
                    }
                }
            }
            let mut outline = Vec::with_capacity(starts.len());
            if let (true, Some(&first)) = (simple, starts.iter().min()) {
                let mut at = first;
                while outline.len() < starts.len() {
                    let (end, beyond) = leaving[at as usize];
                    outline.push((at, beyond));
                    at = end;
                    if at == first {
                        break;
                    }
                }
            }
            for &start in &starts {
                leaving[start as usize] = (NONE, NONE);
            }
            if outline.len() < starts.len() {
                self.dissolve(region as u32);
                outline.clear();
            }
            outlines.push(outline);
            region += 1;
        }
        outlines
    }

    /// How many faces meet at each point.
    fn degrees(&self, outlines: &[Vec<Corner>]) -> Vec<u32> {
        let mut degrees = vec![0; self.points.len()];
        for &(point, _) in outlines.iter().flatten() {
            degrees[point as usize] += 1;
        }
        degrees
    }

    /// The outlines reduced to points where at least three faces meet, and the regions that stand in the way of that.
    fn polygons(&self, outlines: &[Vec<Corner>], degrees: &[u32]) -> (Vec<Polygon>, Vec<u32>) {
        let mut polygons = Vec::with_capacity(outlines.len());
        let mut faulty = Vec::new();
        for (region, outline) in outlines.iter().enumerate() {
            let Some(&seed) = self.members[region].first() else { continue };
            let normal = self.facets[seed as usize].normal;
            let kept: Vec<u32> = outline.iter().map(|c| c.0).filter(|&p| degrees[p as usize] >= 3).collect();
            if self.is_sound(outline, &kept, degrees, normal) {
                polygons.push(Polygon { points: from_smallest(kept), normal });
            } else if self.members[region].len() > 1 {
                faulty.push(region as u32);
            } else {
                // A single triangle is sound but for what its neighbours have swallowed.
                let beyond = outline.iter().map(|c| self.region[c.1 as usize]);
                faulty.extend(beyond.filter(|&r| self.members[r as usize].len() > 1));
            }
        }
        faulty.sort_unstable();
        faulty.dedup();
        (polygons, faulty)
    }

    /// What is kept of the outline is a convex polygon, and what is dropped lies on its edges; both within the tolerance.
    fn is_sound(&self, outline: &[Corner], kept: &[u32], degrees: &[u32], normal: Vec3<f64>) -> bool {
        let n = kept.len();
        if n < 3 {
            return false;
        }
        let at = |p: u32| self.points[p as usize];
        let tolerance = self.tolerance;
        let unit = normal / normal.length();
        for i in 0..n {
            let (a, b, c) = (at(kept[i]), at(kept[(i + 1) % n]), at(kept[(i + 2) % n]));
            // How far b stands out from the straight line from a to c.
            let chord = c - a;
            if unit.dot((b - a).cross(chord)) < -tolerance * chord.length() {
                return false;
            }
        }
        if outline.len() == n {
            return true;
        }
        let Some(first) = outline.iter().position(|c| degrees[c.0 as usize] >= 3) else { return false };
        let mut edge = 0;
        for i in 1..outline.len() {
            let (p, _) = outline[(first + i) % outline.len()];
            if degrees[p as usize] >= 3 {
                edge += 1;
            } else if segment_distance_squared(at(p), at(kept[edge]), at(kept[(edge + 1) % n])) > tolerance * tolerance
            {
                return false;
            }
        }
        true
    }
}

fn from_smallest(mut points: Vec<u32>) -> Vec<u32> {
    let first = points.iter().enumerate().min_by_key(|p| p.1).map_or(0, |p| p.0);
    points.rotate_left(first);
    points
}
