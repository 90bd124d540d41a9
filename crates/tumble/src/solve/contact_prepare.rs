//! From manifolds to wide constraints.
//!
//! Manifolds of one colour are packed into groups of [`LANES`], number beside number, so that a kernel solves a group with
//! every instruction. What does not change during the step is computed here, once.

use super::graph::{COLOURS, Graph, OVERFLOW};
use super::motion::{Motion, velocity_of};
use super::rolling::Rolling;
use crate::body::store::Bodies;
use crate::constraint::contact::{ContactManifold, Contacts, MAX_POINTS, NONE};
use crate::math::{Float, LANES, NO_ROW, Real, Sym3, Vec3};

/// One number for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Wide(pub [Real; LANES]);

impl Wide {
    pub const ZERO: Self = Self([0.0; LANES]);
}

type Wide3 = [Wide; 3];
const ZERO3: Wide3 = [Wide::ZERO; 3];

/// What the points of [`LANES`] manifolds share.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Group {
    /// Rows of the bodies; [`NO_ROW`] for those that nothing moves.
    pub body_a: [u32; LANES],
    pub body_b: [u32; LANES],
    /// Where the new velocities go: as above, and [`NO_ROW`] for kinematic bodies, which several manifolds of one colour
    /// may share.
    pub write_a: [u32; LANES],
    pub write_b: [u32; LANES],
    /// The manifolds, or [`NONE`].
    pub manifold: [u32; LANES],
    /// Its points are `points[first_point..][..point_count]`: one, or four and `blocks[block]`. Lanes with fewer have points
    /// that do nothing.
    pub first_point: u32,
    pub point_count: u32,
    pub block: u32,
    /// Some lane bounces.
    pub bounces: bool,
    /// Inverse masses along the axes of the world; 0 along locked ones.
    pub inv_mass_a: Wide3,
    pub inv_mass_b: Wide3,
    pub inv_inertia_a: [Wide; 6],
    pub inv_inertia_b: [Wide; 6],
    pub normal: Wide3,
    pub tangent: Wide3,
    /// Softness: bias rate, mass scale, impulse scale.
    pub softness: Wide3,
    pub static_friction: Wide,
    pub dynamic_friction: Wide,
    pub restitution: Wide,
    /// Lever arm of spinning friction.
    pub spinning: Wide,
    /// Where friction acts, from the centres of mass.
    pub anchor_a: Wide3,
    pub anchor_b: Wide3,
    /// Inverse of the 2x2 response along both tangents: 11, 12, 22.
    pub tangent_mass: Wide3,
    pub twist_mass: Wide,
    /// Surface velocity of B relative to A along both tangents.
    pub surface: [Wide; 2],
    pub tangent_impulse: [Wide; 2],
    pub twist_impulse: Wide,
}

/// One point of each of [`LANES`] manifolds.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct GroupPoint {
    /// r_A × n and r_B × n.
    pub arm_a: Wide3,
    pub arm_b: Wide3,
    pub separation: Wide,
    pub normal_mass: Wide,
    pub normal_impulse: Wide,
    /// The largest impulse of any sub-step: the point has really touched.
    pub peak_impulse: Wide,
    /// Velocity along the normal before the step; negative when approaching.
    pub approach: Wide,
    /// Distance from where friction acts.
    pub lever: Wide,
}

/// Inverses of the responses of the four points of [`LANES`] manifolds to each other: 11, 12, 13, 14, 22, 23, 24, 33, 34, 44.
///
/// The response of a flat contact with four points has rank 3, so a little of its diagonal is added: for the soft pass what the
/// softness asks for, for the relaxing pass [`FIRMNESS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Block {
    pub push: [Wide; 10],
    pub relax: [Wide; 10],
}

const EMPTY_BLOCK: Block = Block { push: [Wide::ZERO; 10], relax: [Wide::ZERO; 10] };

/// Share of the diagonal that is added in the relaxing pass.
const FIRMNESS: Real = 0.01;

const EMPTY_GROUP: Group = Group {
    body_a: [NO_ROW; LANES],
    body_b: [NO_ROW; LANES],
    write_a: [NO_ROW; LANES],
    write_b: [NO_ROW; LANES],
    manifold: [NONE; LANES],
    first_point: 0,
    point_count: 0,
    block: 0,
    bounces: false,
    inv_mass_a: ZERO3,
    inv_mass_b: ZERO3,
    inv_inertia_a: [Wide::ZERO; 6],
    inv_inertia_b: [Wide::ZERO; 6],
    normal: ZERO3,
    tangent: ZERO3,
    softness: ZERO3,
    static_friction: Wide::ZERO,
    dynamic_friction: Wide::ZERO,
    restitution: Wide::ZERO,
    spinning: Wide::ZERO,
    anchor_a: ZERO3,
    anchor_b: ZERO3,
    tangent_mass: ZERO3,
    twist_mass: Wide::ZERO,
    surface: [Wide::ZERO; 2],
    tangent_impulse: [Wide::ZERO; 2],
    twist_impulse: Wide::ZERO,
};

const EMPTY_POINT: GroupPoint = GroupPoint {
    arm_a: ZERO3,
    arm_b: ZERO3,
    // Far apart: an empty lane asks for nothing.
    separation: Wide([1e30; LANES]),
    normal_mass: Wide::ZERO,
    normal_impulse: Wide::ZERO,
    peak_impulse: Wide::ZERO,
    approach: Wide::ZERO,
    lever: Wide::ZERO,
};

/// All contact constraints of a step. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactConstraints {
    pub groups: Vec<Group>,
    pub points: Vec<GroupPoint>,
    pub blocks: Vec<Block>,
    /// Groups `ranges[c]..ranges[c + 1]` have colour c; the last are the overflow, one manifold each.
    pub ranges: Vec<u32>,
    pub rolling: Vec<Rolling>,
    /// Rolling constraints by colour, as `ranges`.
    pub rolling_ranges: Vec<u32>,
}

/// A soft constraint of frequency ω and damping ratio ζ over a step h (Catto, "Soft Constraints", 2011):
/// bias rate ω/(2ζ + hω), mass scale hω(2ζ + hω)/(1 + hω(2ζ + hω)), impulse scale 1/(1 + hω(2ζ + hω)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soft {
    pub bias_rate: Real,
    pub mass_scale: Real,
    pub impulse_scale: Real,
}

impl Soft {
    pub fn new(hertz: Real, damping_ratio: Real, h: Real) -> Self {
        let omega = 2.0 * Real::PI * hertz;
        let a1 = 2.0 * damping_ratio + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Self { bias_rate: omega / a1, mass_scale: a2 * a3, impulse_scale: a3 }
    }
}

/// How the contacts of a step are made.
pub(crate) struct Recipe<'a> {
    /// Between two movable bodies.
    pub soft: Soft,
    /// Against a body that nothing moves: stiffer, since it cannot give way.
    pub soft_fixed: Soft,
    pub warm_start: bool,
    pub h: Real,
    /// Velocity of surface B relative to surface A, in world axes, of a manifold with a moving surface.
    pub surface_velocity: &'a dyn Fn(u32) -> Vec3,
}

/// Packs all manifolds of the graph. One pass over the manifolds.
///
/// `inertia` holds the inverse inertia of awake bodies in world axes, `supports` counts their contact points.
pub(crate) fn prepare(
    out: &mut ContactConstraints,
    graph: &Graph,
    contacts: &Contacts,
    bodies: &Bodies,
    motions: &[Motion],
    inertia: &[Sym3],
    supports: &mut [u32],
    recipe: &Recipe<'_>,
) {
    out.groups.clear();
    out.points.clear();
    out.blocks.clear();
    out.ranges.clear();
    out.rolling.clear();
    out.rolling_ranges.clear();
    for (index, colour) in graph.colours.iter().enumerate() {
        out.ranges.push(out.groups.len() as u32);
        out.rolling_ranges.push(out.rolling.len() as u32);
        let width = if index == OVERFLOW { 1 } else { LANES };
        for chunk in colour.manifolds.chunks(width) {
            let first_point = out.points.len() as u32;
            let most = chunk.iter().map(|&m| contacts.manifolds[m as usize].point_count).max().unwrap_or(0);
            let count = if most <= 1 { most } else { MAX_POINTS as u32 };
            let mut group = EMPTY_GROUP;
            group.first_point = first_point;
            group.point_count = count;
            group.block = out.blocks.len() as u32;
            let mut block = EMPTY_BLOCK;
            out.points.resize(out.points.len() + count as usize, EMPTY_POINT);
            let points = &mut out.points[first_point as usize..];
            for (lane, &m) in chunk.iter().enumerate() {
                let side = Side { contacts, bodies, motions, inertia };
                if let Some(rolling) = fill(&mut group, &mut block, points, lane, m, &side, supports, recipe) {
                    out.rolling.push(Rolling { group: out.groups.len() as u32, lane: lane as u32, ..rolling });
                }
            }
            out.groups.push(group);
            if count > 1 {
                out.blocks.push(block);
            }
        }
    }
    debug_assert_eq!(out.ranges.len(), COLOURS + 1);
    out.ranges.push(out.groups.len() as u32);
    out.rolling_ranges.push(out.rolling.len() as u32);
}

struct Side<'a> {
    contacts: &'a Contacts,
    bodies: &'a Bodies,
    motions: &'a [Motion],
    inertia: &'a [Sym3],
}

/// A body of a constraint: its row, inverse mass, inverse inertia, velocity.
struct End {
    row: u32,
    inv_mass: Vec3,
    inv_inertia: Sym3,
    linear: Vec3,
    angular: Vec3,
}

impl Side<'_> {
    fn end(&self, slot: u32) -> End {
        let dense = self.bodies.dense_at(slot);
        if dense >= self.bodies.awake() {
            return End {
                row: NO_ROW,
                inv_mass: Vec3::ZERO,
                inv_inertia: Sym3::ZERO,
                linear: Vec3::ZERO,
                angular: Vec3::ZERO,
            };
        }
        let params = &self.bodies.params[dense];
        let (linear, angular) = velocity_of(&self.motions[dense]);
        End {
            row: dense as u32,
            inv_mass: params.locks().free_move() * params.inv_mass,
            inv_inertia: self.inertia[dense],
            linear,
            angular,
        }
    }
}

/// Response of the relative velocity at two anchors along `axis` to a unit impulse along it.
fn response(a: &End, b: &End, axis: Vec3, arm_a: Vec3, arm_b: Vec3) -> Real {
    axis.dot(axis.scale(a.inv_mass))
        + axis.dot(axis.scale(b.inv_mass))
        + a.inv_inertia.quadratic(arm_a)
        + b.inv_inertia.quadratic(arm_b)
}

fn invert(k: Real) -> Real {
    if k > 0.0 { 1.0 / k } else { 0.0 }
}

fn fill(
    group: &mut Group,
    block: &mut Block,
    points: &mut [GroupPoint],
    lane: usize,
    index: u32,
    side: &Side<'_>,
    supports: &mut [u32],
    recipe: &Recipe<'_>,
) -> Option<Rolling> {
    let manifold = &side.contacts.manifolds[index as usize];
    let contact = &side.contacts.all[manifold.contact as usize];
    let (a, b) = (side.end(contact.body_a), side.end(contact.body_b));
    let material = &manifold.material;
    let conveys = manifold.flags & ContactManifold::CONVEYS != 0;
    let surface = if conveys { (recipe.surface_velocity)(index) } else { Vec3::ZERO };
    let n = manifold.normal;
    for end in [&a, &b] {
        if let Some(s) = supports.get_mut(end.row as usize) {
            *s += manifold.point_count;
        }
    }

    let put3 = |w: &mut Wide3, v: Vec3| {
        for c in 0..3 {
            w[c].0[lane] = v[c];
        }
    };
    let put6 = |w: &mut [Wide; 6], s: &Sym3| {
        for (w, v) in w.iter_mut().zip([s.xx, s.yy, s.zz, s.xy, s.xz, s.yz]) {
            w.0[lane] = v;
        }
    };
    group.body_a[lane] = a.row;
    group.body_b[lane] = b.row;
    group.write_a[lane] = if a.inv_mass == Vec3::ZERO && a.inv_inertia == Sym3::ZERO { NO_ROW } else { a.row };
    group.write_b[lane] = if b.inv_mass == Vec3::ZERO && b.inv_inertia == Sym3::ZERO { NO_ROW } else { b.row };
    group.manifold[lane] = index;
    put3(&mut group.inv_mass_a, a.inv_mass);
    put3(&mut group.inv_mass_b, b.inv_mass);
    put6(&mut group.inv_inertia_a, &a.inv_inertia);
    put6(&mut group.inv_inertia_b, &b.inv_inertia);
    put3(&mut group.normal, n);

    let fixed = a.inv_mass == Vec3::ZERO || b.inv_mass == Vec3::ZERO;
    let soft = if material.hertz > 0.0 {
        Soft::new(material.hertz, material.damping_ratio, recipe.h)
    } else if fixed {
        recipe.soft_fixed
    } else {
        recipe.soft
    };
    put3(&mut group.softness, Vec3::new(soft.bias_rate, soft.mass_scale, soft.impulse_scale));

    let count = manifold.point_count as usize;
    let used = &manifold.points[..count.min(MAX_POINTS)];
    // Friction acts at the centre of pressure of the last step; in the middle where there was none.
    let total: Real = used.iter().map(|p| p.normal_impulse).sum();
    let weight = |p: &crate::constraint::contact::ContactPoint| {
        if total > 0.0 { p.normal_impulse / total } else { 1.0 / count as Real }
    };
    let (mut anchor_a, mut anchor_b) = (Vec3::ZERO, Vec3::ZERO);
    for p in used {
        anchor_a += p.anchor_a * weight(p);
        anchor_b += p.anchor_b * weight(p);
    }

    for (p, point) in used.iter().zip(points.iter_mut()) {
        let (arm_a, arm_b) = (p.anchor_a.cross(n), p.anchor_b.cross(n));
        put3(&mut point.arm_a, arm_a);
        put3(&mut point.arm_b, arm_b);
        point.separation.0[lane] = p.separation;
        point.normal_mass.0[lane] = invert(response(&a, &b, n, arm_a, arm_b));
        point.normal_impulse.0[lane] = if recipe.warm_start { p.normal_impulse } else { 0.0 };
        point.approach.0[lane] = n.dot(b.linear - a.linear) + b.angular.dot(arm_b) - a.angular.dot(arm_a);
        point.lever.0[lane] = (p.anchor_a - anchor_a).length();
    }

    if group.point_count > 1 {
        let mut k = [[0.0; MAX_POINTS]; MAX_POINTS];
        let along = n.dot(n.scale(a.inv_mass + b.inv_mass));
        for i in 0..used.len() {
            let (ai, bi) = (used[i].anchor_a.cross(n), used[i].anchor_b.cross(n));
            let (ia, ib) = (a.inv_inertia * ai, b.inv_inertia * bi);
            for j in i..used.len() {
                let (aj, bj) = (used[j].anchor_a.cross(n), used[j].anchor_b.cross(n));
                k[i][j] = along + ia.dot(aj) + ib.dot(bj);
            }
        }
        let compliance = soft.impulse_scale / soft.mass_scale;
        for (out, share) in [(&mut block.push, compliance), (&mut block.relax, FIRMNESS)] {
            for (w, v) in out.iter_mut().zip(inverse_with_share(&k, used.len(), share)) {
                w.0[lane] = v;
            }
        }
    }

    // The first tangent lies along the slip where there is any: friction then starts in the right direction.
    let slip = b.linear + b.angular.cross(anchor_b) - a.linear - a.angular.cross(anchor_a) + surface;
    let across = slip - n * slip.dot(n);
    let (t1, t2) = match across.length_squared() > slip.length_squared() * 1e-6 {
        true => {
            let t1 = across.normalize_or(Vec3::X);
            (t1, n.cross(t1))
        }
        false => n.tangents(),
    };
    put3(&mut group.tangent, t1);
    put3(&mut group.anchor_a, anchor_a);
    put3(&mut group.anchor_b, anchor_b);
    let (a1, a2) = (anchor_a.cross(t1), anchor_a.cross(t2));
    let (b1, b2) = (anchor_b.cross(t1), anchor_b.cross(t2));
    let k11 = response(&a, &b, t1, a1, b1);
    let k22 = response(&a, &b, t2, a2, b2);
    let k12 = t1.dot(t2.scale(a.inv_mass + b.inv_mass)) + a1.dot(a.inv_inertia * a2) + b1.dot(b.inv_inertia * b2);
    let det = k11 * k22 - k12 * k12;
    // Singular where a lock leaves one direction only; then the larger diagonal alone.
    let m = if det > Real::EPSILON * k11 * k22 {
        Vec3::new(k22, -k12, k11) / det
    } else {
        Vec3::new(invert(k11), 0.0, invert(k22))
    };
    put3(&mut group.tangent_mass, m);
    group.twist_mass.0[lane] = invert(a.inv_inertia.quadratic(n) + b.inv_inertia.quadratic(n));
    group.static_friction.0[lane] = material.static_friction;
    group.dynamic_friction.0[lane] = material.dynamic_friction;
    group.restitution.0[lane] = material.restitution;
    group.bounces |= material.restitution > 0.0;
    group.spinning.0[lane] = material.spinning_friction;
    group.surface[0].0[lane] = surface.dot(t1);
    group.surface[1].0[lane] = surface.dot(t2);
    if recipe.warm_start {
        group.tangent_impulse[0].0[lane] = manifold.friction_impulse.dot(t1);
        group.tangent_impulse[1].0[lane] = manifold.friction_impulse.dot(t2);
        group.twist_impulse.0[lane] = manifold.angular_impulse.dot(n);
    }

    if material.rolling_friction > 0.0 {
        let impulse = if recipe.warm_start { manifold.angular_impulse.across(n) } else { Vec3::ZERO };
        return Some(Rolling {
            body_a: a.row,
            body_b: b.row,
            manifold: index,
            normal: n,
            inv_inertia_a: a.inv_inertia,
            inv_inertia_b: b.inv_inertia,
            lever: material.rolling_friction,
            impulse,
            group: 0,
            lane: 0,
        });
    }
    None
}

/// The inverse of the leading n x n part of the symmetric matrix `k` (upper triangle) with `share` of its diagonal added, by
/// L D Lᵀ; rows and columns beyond n, and of points that nothing moves, are zero. Returned as the ten entries of the upper
/// triangle.
fn inverse_with_share(k: &[[Real; MAX_POINTS]; MAX_POINTS], n: usize, share: Real) -> [Real; 10] {
    const N: usize = MAX_POINTS;
    let mut l = [[0.0; N]; N];
    let (mut d, mut inv_d) = ([0.0; N], [0.0; N]);
    for j in 0..n {
        d[j] = k[j][j] * (1.0 + share);
        for m in 0..j {
            d[j] -= l[j][m] * l[j][m] * d[m];
        }
        inv_d[j] = if d[j] > 0.0 { 1.0 / d[j] } else { 0.0 };
        for i in j + 1..n {
            let mut v: Real = k[j][i];
            for m in 0..j {
                v -= l[i][m] * l[j][m] * d[m];
            }
            l[i][j] = v * inv_d[j];
        }
    }
    // Columns of the inverse: forward, scale, backward.
    let mut out = [0.0; 10];
    let mut at = 0;
    for c in 0..N {
        let mut x = [0.0; N];
        if c < n {
            x[c] = 1.0;
            for i in 0..n {
                for m in 0..i {
                    x[i] -= l[i][m] * x[m];
                }
            }
            for i in 0..n {
                x[i] *= inv_d[i];
            }
            for i in (0..n).rev() {
                for m in i + 1..n {
                    x[i] -= l[m][i] * x[m];
                }
            }
        }
        // The upper triangle, by rows: entry (r, c) of column c for r <= c stands in row r; symmetric, so take (c, r >= c).
        for v in &x[c..] {
            out[at] = *v;
            at += 1;
        }
    }
    out
}

/// Writes the impulses back to the manifolds: where the next step starts. One pass over the groups.
pub(crate) fn store(constraints: &ContactConstraints, contacts: &mut Contacts) {
    for group in &constraints.groups {
        let points = &constraints.points[group.first_point as usize..][..group.point_count as usize];
        for lane in 0..LANES {
            let index = group.manifold[lane];
            if index == NONE {
                continue;
            }
            let get = |w: &Wide3| Vec3::new(w[0].0[lane], w[1].0[lane], w[2].0[lane]);
            let (n, t1) = (get(&group.normal), get(&group.tangent));
            let t2 = n.cross(t1);
            let manifold = &mut contacts.manifolds[index as usize];
            manifold.friction_impulse = t1 * group.tangent_impulse[0].0[lane] + t2 * group.tangent_impulse[1].0[lane];
            manifold.angular_impulse = n * group.twist_impulse.0[lane];
            let count = manifold.point_count as usize;
            for (p, point) in manifold.points[..count].iter_mut().zip(points) {
                p.normal_impulse = point.normal_impulse.0[lane];
            }
        }
    }
    for r in &constraints.rolling {
        contacts.manifolds[r.manifold as usize].angular_impulse += r.impulse;
    }
}
