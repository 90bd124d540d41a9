//! Triangles of a hull that lie in one plane, joined to polygons.
//!
//! A face starts from a *seed* triangle, the largest that is left, and takes in all connected triangles of the same side
//! whose corners lie within the tolerance of the seed's plane. That plane stays the plane of the face: it touches the hull,
//! so no vertex lies above any face, however many triangles were joined; the vertices of a face lie in its plane or less
//! than the tolerance below it.
//!
//! Near an edge between two faces that meet at a small angle a triangle may be within the tolerance of both planes. So that
//! it goes to the face to which it belongs, triangles are joined with a small tolerance first, and then what was joined as
//! a whole, with larger ones.
//!
//! Corners where only two faces are left are no vertices: they are dropped, as long as they lie within the tolerance of
//! the straight edge that replaces them. A face whose outline cannot be made into a convex polygon in this way is dissolved
//! again into what it was joined from. Since the triangles alone are a valid hull, the result is valid always; on clean input
//! (planar faces with rounding errors) nothing is dissolved.

use super::quickhull::{Facet, segment_distance_squared};
use crate::math::Vec3;
use core::ops::Range;

const NONE: u32 = u32::MAX;

/// The faces of a hull: loops of points counter-clockwise seen from outside, and outward normals of any length.
#[derive(Default)]
pub(super) struct Polygons {
    points: Vec<u32>,
    /// Where the loop of each face ends.
    ends: Vec<usize>,
    normals: Vec<Vec3<f64>>,
}

impl Polygons {
    /// One more face.
    pub(super) fn push(&mut self, points: &[u32], normal: Vec3<f64>) {
        self.points.extend_from_slice(points);
        self.ends.push(self.points.len());
        self.normals.push(normal);
    }
    /// The points of all faces one after the other.
    pub(super) fn points(&self) -> &[u32] {
        &self.points
    }

    /// Each point replaced by its number.
    pub(super) fn renumber(&mut self, number: &[u32]) {
        for p in &mut self.points {
            *p = number[*p as usize];
        }
    }

    /// Face by face.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], Vec3<f64>)> + Clone {
        let mut start = 0;
        self.ends.iter().zip(&self.normals).map(move |(&end, &normal)| {
            let points = &self.points[start..end];
            start = end;
            (points, normal)
        })
    }
}

/// The facets as polygons, the one with the largest seed first.
pub(super) fn merge_coplanar(points: &[Vec3<f64>], facets: &[Facet], tolerance: f64) -> Polygons {
    let mut merge = Merge::new(points, facets, tolerance);
    // Every round but the last dissolves a region of several triangles, so that there is a last.
    loop {
        let outlines = merge.outlines();
        let (polygons, faulty) = merge.polygons(&outlines);
        if faulty.is_empty() {
            return polygons;
        }
        for region in faulty {
            merge.dissolve(region);
        }
    }
}

/// The facets as they are.
pub(super) fn triangles(facets: &[Facet]) -> Polygons {
    let mut polygons = Polygons::default();
    for facet in facets {
        polygons.push(&facet.points, facet.normal);
    }
    polygons
}

/// One corner of an outline: the point, and the facet beyond the edge that starts there.
type Corner = (u32, u32);

/// The outlines of all regions.
struct Outlines {
    corners: Vec<Corner>,
    /// The corners of each region; none for one that was dissolved.
    ranges: Vec<Range<usize>>,
    /// How many outlines go through each point.
    degrees: Vec<u32>,
}

/// The tolerances of the rounds in which triangles are joined, in parts of the full one: what rounding in `f64` leaves of
/// a plane, what rounding in `f32` leaves, and the rest.
const ROUNDS: [f64; 3] = [1.0 / 1024.0, 1.0 / 8.0, 1.0];

struct Merge<'a> {
    points: &'a [Vec3<f64>],
    facets: &'a [Facet],
    tolerance: f64,
    /// The region of each facet.
    region: Vec<u32>,
    /// The facets, ordered by region, and within it by its parts.
    members: Vec<u32>,
    regions: Vec<Region>,
    /// The regions of the facets before each round: the parts of those after it.
    parts: Vec<Vec<u32>>,
    /// Facets that make an angle with all their neighbours: most of those of a round body. They are left alone.
    single: Vec<bool>,
}

/// Facets that are to be one face.
#[derive(Clone, Default)]
struct Region {
    /// Place in `Merge::members`, the seed first; empty after it was dissolved.
    members: Range<usize>,
    /// The round that it comes from, 0 before the first: its parts are the regions of the round before.
    rounds: usize,
}

impl<'a> Merge<'a> {
    fn new(points: &'a [Vec3<f64>], facets: &'a [Facet], tolerance: f64) -> Self {
        let count = facets.len() as u32;
        // The bits of positive numbers are in the order of the numbers.
        let descending = |f: u32| !facets[f as usize].double_area.to_bits();
        let mut seeds: Vec<(u64, u32)> = (0..count).map(|f| (descending(f), f)).collect();
        seeds.sort_unstable();
        let members: Vec<u32> = seeds.into_iter().map(|seed| seed.1).collect();
        let mut region = vec![NONE; facets.len()];
        for (r, &f) in (0..).zip(&members) {
            region[f as usize] = r;
        }
        let regions = (0..facets.len()).map(|i| Region { members: i..i + 1, rounds: 0 }).collect();
        let single = single_facets(points, facets, tolerance);
        let mut merge = Self { points, facets, tolerance, region, members, regions, parts: Vec::new(), single };
        for part in ROUNDS {
            merge.join(part * tolerance);
        }
        merge
    }

    /// Joins regions whose facets lie within the tolerance of the plane of the one with the largest seed.
    fn join(&mut self, tolerance: f64) {
        let rounds = self.parts.len() + 1;
        let mut members = Vec::with_capacity(self.members.len());
        let mut regions = Vec::with_capacity(self.regions.len());
        // The new region of each old one.
        let mut joined = vec![NONE; self.regions.len()];
        let mut queue = Vec::new();
        for first in 0..self.regions.len() {
            if joined[first] != NONE {
                continue;
            }
            let id = regions.len() as u32;
            let start = members.len();
            let seed = self.members[self.regions[first].members.start];
            if self.single[seed as usize] {
                joined[first] = id;
                members.push(seed);
                regions.push(Region { members: start..start + 1, rounds });
                continue;
            }
            let plane = &self.facets[seed as usize];
            let base = self.points[plane.points[0] as usize];
            let depth = tolerance * plane.double_area;
            let in_plane = |p: u32| plane.normal.dot(self.points[p as usize] - base).abs() <= depth;
            // Towards a sharp rim even triangles of the other side come close to the plane. Without them the triangles of
            // a region cover its outline's inside once, so that points which vanish inside the outline are covered too.
            let fits = |f: &u32| {
                let facet = &self.facets[*f as usize];
                facet.normal.dot(plane.normal) > 0.0 && facet.points.into_iter().all(in_plane)
            };
            joined[first] = id;
            queue.clear();
            queue.push(first);
            let mut next = 0;
            while let Some(&part) = queue.get(next) {
                next += 1;
                let facets = &self.members[self.regions[part].members.clone()];
                members.extend_from_slice(facets);
                for g in facets.iter().flat_map(|&f| self.facets[f as usize].neighbours) {
                    let part = self.region[g as usize] as usize;
                    if self.single[g as usize] || joined[part] != NONE {
                        continue;
                    }
                    if self.members[self.regions[part].members.clone()].iter().all(fits) {
                        joined[part] = id;
                        queue.push(part);
                    }
                }
            }
            regions.push(Region { members: start..members.len(), rounds });
        }
        let region = self.region.iter().map(|&part| joined[part as usize]).collect();
        self.parts.push(core::mem::replace(&mut self.region, region));
        (self.members, self.regions) = (members, regions);
    }

    /// Makes every part of the region a region of its own.
    fn dissolve(&mut self, region: u32) {
        let Region { members, rounds } = core::mem::take(&mut self.regions[region as usize]);
        let Some(parts) = rounds.checked_sub(1).and_then(|r| self.parts.get(r)) else { return };
        let mut start = members.start;
        for i in members.clone() {
            let f = self.members[i] as usize;
            self.region[f] = self.regions.len() as u32;
            let is_last = i + 1 == members.end || parts[self.members[i + 1] as usize] != parts[f];
            if is_last {
                self.regions.push(Region { members: start..i + 1, rounds: rounds - 1 });
                start = i + 1;
            }
        }
    }

    /// The outline of each region as one loop. Regions with several loops, or with one that touches itself, are dissolved.
    fn outlines(&mut self) -> Outlines {
        let mut corners = Vec::with_capacity(3 * self.facets.len());
        let mut ranges = Vec::with_capacity(self.regions.len());
        let mut degrees = vec![0; self.points.len()];
        // For each point of the outline at hand, the end of the edge that starts there and the facet beyond.
        let mut leaving = vec![(NONE, NONE); self.points.len()];
        let mut starts = Vec::new();
        let mut region = 0;
        while let Some(range) = self.regions.get(region).map(|r| r.members.clone()) {
            starts.clear();
            let mut simple = true;
            let first_corner = corners.len();
            for &f in &self.members[range] {
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
            if let (true, Some(&first)) = (simple, starts.iter().min()) {
                let mut at = first;
                loop {
                    let (end, beyond) = leaving[at as usize];
                    corners.push((at, beyond));
                    at = end;
                    if at == first || corners.len() - first_corner == starts.len() {
                        break;
                    }
                }
            }
            for &start in &starts {
                leaving[start as usize] = (NONE, NONE);
            }
            if corners.len() - first_corner < starts.len() {
                corners.truncate(first_corner);
                self.dissolve(region as u32);
            }
            for &(point, _) in &corners[first_corner..] {
                degrees[point as usize] += 1;
            }
            ranges.push(first_corner..corners.len());
            region += 1;
        }
        Outlines { corners, ranges, degrees }
    }

    /// The outlines reduced to points where at least three faces meet, and the regions that stand in the way of that.
    fn polygons(&self, outlines: &Outlines) -> (Polygons, Vec<u32>) {
        let mut polygons = Polygons::default();
        let mut faulty = Vec::new();
        let mut kept = Vec::new();
        for (Region { members, .. }, corners) in self.regions.iter().zip(&outlines.ranges) {
            let Some(&seed) = self.members[members.clone()].first() else { continue };
            let normal = self.facets[seed as usize].normal;
            let outline = &outlines.corners[corners.clone()];
            kept.clear();
            kept.extend(outline.iter().map(|c| c.0).filter(|&p| outlines.degrees[p as usize] >= 3));
            if self.is_sound(outline, &kept, normal) {
                polygons.push(&kept, normal);
            } else if members.len() > 1 {
                faulty.push(self.region[seed as usize]);
            } else {
                // A single triangle is sound but for what its neighbours have swallowed.
                let beyond = outline.iter().map(|c| self.region[c.1 as usize]);
                faulty.extend(beyond.filter(|&r| self.regions[r as usize].members.len() > 1));
            }
        }
        faulty.sort_unstable();
        faulty.dedup();
        (polygons, faulty)
    }

    /// What is kept of the outline is a convex polygon seen along the normal, and what is dropped lies within the tolerance
    /// of its edges.
    fn is_sound(&self, outline: &[Corner], kept: &[u32], normal: Vec3<f64>) -> bool {
        let n = kept.len();
        if n < 3 {
            return false;
        }
        // A triangle as it was.
        if outline.len() == 3 {
            return true;
        }
        let at = |p: u32| self.points[p as usize];
        for i in 0..n {
            let (a, b, c) = (at(kept[i]), at(kept[(i + 1) % n]), at(kept[(i + 2) % n]));
            if normal.dot((b - a).cross(c - b)) < 0.0 {
                return false;
            }
        }
        let tolerance = self.tolerance;
        // Dropped points between kept[edge] and the next. Those before the first that is kept belong to the last edge.
        let mut edge = n - 1;
        let mut seen = 0;
        outline.iter().all(|&(p, _)| {
            if kept.get(seen) == Some(&p) {
                (edge, seen) = (seen, seen + 1);
                return true;
            }
            segment_distance_squared(at(p), at(kept[edge]), at(kept[(edge + 1) % n])) <= tolerance * tolerance
        })
    }
}

/// Whether neither any neighbour's far corner lies within the tolerance of a facet's plane, nor the other way round.
fn single_facets(points: &[Vec3<f64>], facets: &[Facet], tolerance: f64) -> Vec<bool> {
    let mut single = vec![true; facets.len()];
    for (f, facet) in facets.iter().enumerate() {
        let base = points[facet.points[0] as usize];
        let depth = tolerance * facet.double_area;
        for (edge, &g) in facet.neighbours.iter().enumerate() {
            let on_edge = [facet.points[edge], facet.points[(edge + 1) % 3]];
            let far = facets[g as usize].points.into_iter().filter(|p| !on_edge.contains(p));
            if far.into_iter().any(|p| facet.normal.dot(points[p as usize] - base).abs() <= depth) {
                single[f] = false;
                single[g as usize] = false;
            }
        }
    }
    single
}
