//! Where two colliders touch: from shapes, through their parts, to contact manifolds.
//!
//! Convex shapes have one part. A mesh, height field or compound has many; those near the other shape are visited, and
//! manifolds whose normals agree are merged, so that a box on a floor of many triangles stands on four points and not on
//! four per triangle.

use super::narrow::{
    ConvexRef, Feature, FeatureKind, Gap, MAX_POINTS, Manifold, ManifoldPoint, PairCache, Triangle, collide_by, reduce,
    reduce_by,
};
use super::seams::Surface;
use crate::constraint::contact::SOLVED_POINTS;
use crate::math::{Aabb, Num, Pose, Real, Vec3};
use crate::method::Narrow;
use crate::shape::{Geometry, Shape, Sides};

/// Normals closer than this (about 2.5°) belong to one manifold.
const SAME_NORMAL: Real = 0.999;

/// Points that are nearer than this share of the margin count as bearing: as near as contacts at rest are.
const BEARS: Real = 0.05;

/// By which factor what a point spans counts that does not bear, among points that do.
const HANGING: Real = 0.125;

/// The share of its radius up to which the core of what is round counts as in a triangle.
const SUNK: Real = 1e-3;

/// Manifolds of one pair; more are merged into the last.
const MAX_PATCHES: usize = 32;

/// Points of one patch before those are kept that carry it best.
const MAX_CANDIDATES: usize = 48;

/// Points with a common normal, in A's frame, found on one or several parts.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub normal: Vec3,
    pub points: Vec<ManifoldPoint>,
    /// How well the part carries it whose normal it has.
    weight: Real,
    /// Material slots of the parts: A in the low half, B in the high half.
    pub material_slots: u32,
    /// Several parts have added to it.
    merged: bool,
    /// All points are over faces of A; see [`ContactManifold::FLAT`](crate::constraint::contact::ContactManifold::FLAT).
    pub flat: bool,
}

impl Patch {
    /// Keeps so many points that carry it best.
    ///
    /// Parts of one normal need not lie in one plane: a slab that juts out over a slight crest hangs over the ground behind it. Points there span more than
    /// those on the crest, which bear it; without these it would rock to and fro.
    fn keep_best(&mut self, count: usize, margin: Real) {
        let mut best = [ManifoldPoint::default(); MAX_POINTS];
        let count = if self.merged {
            let weight = |p: &ManifoldPoint| if p.separation > BEARS * margin { HANGING } else { 1.0 };
            reduce_by(&self.points, self.normal, count, weight, &mut best)
        } else {
            reduce(&self.points, self.normal, count, &mut best)
        };
        self.points.clear();
        self.points.extend_from_slice(&best[..count]);
    }
}

/// What the search for manifolds needs besides the shapes. Kept for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    pub patches: Vec<Patch>,
    used: usize,
    /// Patches from here on were found at the place of an impact ahead.
    pub ahead: usize,
    /// Which routines answer.
    pub narrow: Narrow,
    manifold: Manifold,
    /// Points farther apart than this are none.
    margin: Real,
    /// How far apart a pair is in which the last search found nothing: of convex shapes along a direction, see [`Manifold::apart`]; of a convex one and one of many
    /// parts all round, where the search went [beyond](Reach::beyond) what touches.
    pub apart: Gap,
}

impl Workspace {
    /// The patches found by the last search.
    pub fn found(&self) -> &[Patch] {
        &self.patches[..self.used]
    }

    /// Forgets what was found.
    pub fn clear(&mut self) {
        self.used = 0;
        self.ahead = usize::MAX;
        self.apart = Gap::default();
    }

    /// The first patch of the search under way.
    fn first(&self) -> usize {
        if self.ahead == usize::MAX { 0 } else { self.ahead }
    }

    /// Adds the points of the manifold in `self.manifold`, found on the given part, to those that have nearly the same normal: which is that of the part that carries best.
    fn add(&mut self, part: u32, material_slots: u32) {
        if self.manifold.is_empty() {
            return;
        }
        let normal = self.manifold.normal;
        let weight = self.manifold.points().iter().map(|p| Num::max(BEARS * self.margin - p.separation, 0.0)).sum();
        let same = |p: &Patch| p.material_slots == material_slots && p.normal.dot(normal) > SAME_NORMAL;
        let first = self.first();
        let found = self.patches[first..self.used].iter().position(same);
        let mut flat = self.manifold.feature_a.kind() == FeatureKind::Face;
        let index = match found {
            Some(i) => first + i,
            None if self.used >= first + MAX_PATCHES => {
                flat = false;
                self.used - 1
            }
            None => {
                if self.patches.len() == self.used {
                    let points = Vec::with_capacity(MAX_CANDIDATES);
                    self.patches.push(Patch { normal, points, weight, material_slots, merged: false, flat });
                }
                let patch = &mut self.patches[self.used];
                (patch.normal, patch.weight) = (normal, weight);
                (patch.material_slots, patch.merged, patch.flat) = (material_slots, false, flat);
                patch.points.clear();
                self.used += 1;
                self.used - 1
            }
        };
        let patch = &mut self.patches[index];
        patch.merged |= found.is_some();
        patch.flat &= flat;
        // Parts that only are near must not say which way those push that carry.
        if found.is_some() && weight > patch.weight {
            (patch.normal, patch.weight) = (normal, weight);
        }
        for p in self.manifold.points() {
            if patch.points.len() == MAX_CANDIDATES {
                // Parts are met in any order: those on which a large body stands may come last.
                patch.keep_best(MAX_POINTS, self.margin);
            }
            // The part is worked into the id, so that the same corner on two triangles is two features.
            patch.points.push(ManifoldPoint { id: p.id ^ part.wrapping_mul(0x9e37_79b9), ..*p });
        }
    }

    fn reduce(&mut self) {
        let first = self.first();
        for patch in &mut self.patches[first..self.used] {
            if patch.points.len() > SOLVED_POINTS {
                patch.keep_best(SOLVED_POINTS, self.margin);
            }
        }
    }
}

/// How far around shapes is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// What is nearer touches.
    pub margin: Real,
    /// How much farther parts are looked at, so that a pair of which nothing touches is known to be apart by more: see [`Workspace::apart`].
    pub beyond: Real,
}

impl Reach {
    /// No farther than what touches.
    pub fn within(margin: Real) -> Self {
        Self { margin, beyond: 0.0 }
    }
}

/// Finds where `a` and `b`, placed at `b_in_a`, are closer than the margin. The patches are in A's frame.
///
/// The cache serves pairs of convex shapes; parts of others are looked at afresh. With `reduce`, of a patch with more points than a
/// manifold holds those are kept that carry it best.
pub(crate) fn find(
    work: &mut Workspace,
    a: &Shape,
    b: &Shape,
    b_in_a: &Pose,
    reach: Reach,
    reduce: bool,
    cache: &mut PairCache,
) {
    work.clear();
    gather(work, a, b, b_in_a, reach, cache);
    if reduce {
        work.reduce();
    }
}

/// Adds what [`find`] would find if the shapes were where they are going to be, marked as such.
pub(crate) fn find_ahead(work: &mut Workspace, a: &Shape, b: &Shape, b_in_a: &Pose, margin: Real, reduce: bool) {
    work.ahead = work.used;
    gather(work, a, b, b_in_a, Reach::within(margin), &mut PairCache::default());
    if reduce {
        work.reduce();
    }
}

fn gather(work: &mut Workspace, a: &Shape, b: &Shape, b_in_a: &Pose, reach: Reach, cache: &mut PairCache) {
    let margin = reach.margin;
    work.margin = margin;
    match (ConvexRef::new(a), ConvexRef::new(b)) {
        (Some(ca), Some(cb)) => {
            collide_by(work.narrow, ca, cb, b_in_a, margin, cache, &mut work.manifold);
            work.apart = work.manifold.apart();
            work.add(0, 0);
        }
        (None, Some(cb)) => {
            let mut around = Around::new(cb, *b_in_a, reach);
            visit(work, a, &around.near(), &mut |work, part| {
                if !around.leaves(part) {
                    meet(work, part, &around.whole, margin);
                    work.add(part.index, u32::from(part.slot));
                }
            });
            work.apart = around.gap(false);
        }
        (Some(ca), None) => {
            let mut around = Around::new(ca, b_in_a.inverse(), reach);
            visit(work, b, &around.near(), &mut |work, part| {
                if !around.leaves(part) {
                    meet(work, &Part::whole(ca, Pose::IDENTITY), &part.placed(b_in_a), margin);
                    work.add(part.index.rotate_left(16), u32::from(part.slot) << 16);
                }
            });
            work.apart = around.gap(true);
        }
        (None, None) => {
            // Parts of B near A, then parts of A near each of them.
            let near = a.bounds(&b_in_a.inverse()).expanded(margin);
            visit(work, b, &near, &mut |work, part_b| {
                let part_b = part_b.placed(b_in_a);
                let near = bounds(part_b.shape, &part_b.pose).expanded(margin);
                visit(work, a, &near, &mut |work, part_a| {
                    meet(work, part_a, &part_b, margin);
                    let slots = u32::from(part_a.slot) | u32::from(part_b.slot) << 16;
                    work.add(part_a.index ^ part_b.index.rotate_left(16), slots);
                });
            });
        }
    }
}

/// A convex part of a shape.
#[derive(Clone, Copy)]
struct Part<'a> {
    shape: ConvexRef<'a>,
    pose: Pose,
    /// Its number in the shape, and its material slot.
    index: u32,
    slot: u16,
    /// The surface that it is a triangle of, and its number there.
    of: Option<(Surface<'a>, u32)>,
}

impl<'a> Part<'a> {
    /// A shape that is convex itself.
    fn whole(shape: ConvexRef<'a>, pose: Pose) -> Self {
        Self { shape, pose, index: 0, slot: 0, of: None }
    }

    /// The part in the frame in which its shape is placed so.
    fn placed(&self, shape: &Pose) -> Self {
        Self { pose: *shape * self.pose, ..*self }
    }

    /// A contact with a body towards `n`, in its own frame, is that of an edge or corner that its surface has not.
    fn is_seam(&self, feature: Feature, n: Vec3, apart: bool) -> bool {
        self.of.is_some_and(|(surface, index)| surface.is_seam(index, feature, n, apart))
    }
}

/// What is around a convex shape among the parts of another, in the frame of that one.
struct Around<'a> {
    whole: Part<'a>,
    bounds: Aabb,
    reach: Reach,
    /// No part that has been looked at is nearer.
    least: Real,
}

impl<'a> Around<'a> {
    fn new(shape: ConvexRef<'a>, pose: Pose, reach: Reach) -> Self {
        Self {
            whole: Part::whole(shape, pose),
            bounds: bounds(shape, &pose),
            reach,
            least: reach.margin + reach.beyond,
        }
    }

    /// What is outside of it is farther away than all that is asked for.
    fn near(&self) -> Aabb {
        self.bounds.expanded(self.reach.margin + self.reach.beyond)
    }

    /// The part is farther away than what touches, as its box or the plane of a triangle tells. Nothing is asked where nobody looks beyond.
    fn leaves(&mut self, part: &Part<'_>) -> bool {
        if self.reach.beyond == 0.0 {
            return false;
        }
        let mut apart = bounds(part.shape, &part.pose).distance_to(&self.bounds);
        if let ConvexRef::Triangle(triangle) = part.shape
            && apart <= self.reach.margin
            && self.bounds.is_finite()
        {
            apart = Num::max(triangle.height_of(self.whole.shape, &(part.pose.inverse() * self.whole.pose)), apart);
        }
        let leaves = apart > self.reach.margin;
        self.least = if leaves { Num::min(apart, self.least) } else { 0.0 };
        leaves
    }

    /// How far all parts are away, if none may touch.
    fn gap(&self, of_b: bool) -> Gap {
        if self.reach.beyond > 0.0 { Gap::all_round(self.least, of_b) } else { Gap::default() }
    }
}

/// Where two parts touch that are placed in the frame of A, in that frame.
fn meet(work: &mut Workspace, a: &Part<'_>, b: &Part<'_>, margin: Real) {
    let relative = if a.pose == Pose::IDENTITY { b.pose } else { a.pose.inverse() * b.pose };
    let manifold = &mut work.manifold;
    collide_by(work.narrow, a.shape, b.shape, &relative, margin, &mut PairCache::default(), manifold);
    if let Some(deepest) = manifold.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation)) {
        let (of_a, of_b) = deepest.features();
        // What is round takes its normal from its core, however deep its surface is.
        let (n, round) = (manifold.normal, a.shape.radius() + b.shape.radius());
        let apart = deepest.separation + (1.0 - SUNK) * round > 0.0;
        if a.is_seam(of_a, n, apart) || b.is_seam(of_b, -relative.rotation.unrotate(n), apart) {
            manifold.clear();
        }
    }
    to_frame(manifold, &a.pose);
}

type Visitor<'v> = &'v mut dyn FnMut(&mut Workspace, &Part<'_>);

/// Calls back with every convex part of the shape that may reach into `near`, placed in the shape's frame.
fn visit(work: &mut Workspace, shape: &Shape, near: &Aabb, found: Visitor<'_>) {
    match shape {
        Shape::Mesh(mesh) => mesh.each_triangle_in(near, |i| {
            let part = Triangle::part_of(mesh, i);
            let (shape, of) = (ConvexRef::Triangle(&part), Some((Surface::Mesh(mesh), i)));
            found(work, &Part { shape, pose: Pose::IDENTITY, index: i, slot: mesh.material(i), of });
            true
        }),
        Shape::HeightField(field) => {
            for i in field.triangles_in(near) {
                let Some(t) = field.get(i) else { continue };
                let part = Triangle::of_mesh(&t, Sides::One);
                let (shape, of) = (ConvexRef::Triangle(&part), Some((Surface::Field(field), i)));
                found(work, &Part { shape, pose: Pose::IDENTITY, index: i, slot: t.material, of });
            }
        }
        Shape::Compound(compound) => {
            for i in compound.children_in(near) {
                let child = &compound.children()[i as usize];
                let near = near.transformed(&child.pose.inverse());
                // A mesh as a child has parts of its own.
                visit(work, &child.shape, &near, &mut |work, part| {
                    let slot = if part.slot == 0 { child.material } else { part.slot };
                    found(work, &Part { index: i ^ part.index.rotate_left(8), slot, ..part.placed(&child.pose) });
                });
            }
        }
        _ => {
            if let Some(convex) = ConvexRef::new(shape) {
                found(work, &Part::whole(convex, Pose::IDENTITY));
            }
        }
    }
}

/// The box around a part placed at `pose`.
pub(super) fn bounds(part: ConvexRef<'_>, pose: &Pose) -> Aabb {
    match part {
        ConvexRef::Sphere(s) => s.bounds(pose),
        ConvexRef::Capsule(s) => s.bounds(pose),
        ConvexRef::Cuboid(s) => s.bounds(pose),
        ConvexRef::Cylinder(s) => s.bounds(pose),
        ConvexRef::Cone(s) => s.bounds(pose),
        ConvexRef::Hull(s) => s.bounds(pose),
        ConvexRef::HalfSpace(s) => s.bounds(pose),
        ConvexRef::Rectangle(s) => s.bounds(pose),
        ConvexRef::Triangle(t) => Aabb::of_points(t.vertices.map(|v| pose.transform_point(v))),
    }
}

/// Moves a manifold from the frame of a part to the frame of the shape.
fn to_frame(manifold: &mut Manifold, pose: &Pose) {
    if *pose == Pose::IDENTITY {
        return;
    }
    manifold.normal = pose.rotation.rotate(manifold.normal);
    for p in manifold.points_mut() {
        p.point = pose.transform_point(p.point);
    }
}
