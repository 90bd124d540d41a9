//! From manifolds to rows, and the impulses back.
//!
//! For each point with normal n and tangents t₁, t₂ (003-54, 003-58), and once for each manifold:
//!
//! ```text
//!   friction     J = [-t, -(r_A × t), t, r_B × t]     |(λ₁, λ₂)| <= μ λ_n             at every point, or
//!                                                     |(λ₁, λ₂, τ/ℓ)| <= μ Σ λ_n     once, with the twist τ about n
//!   spinning     J = [0, -n, 0, n]                    |τ| <= c_s Σ λ_n
//!   rolling      J = [0, -t, 0, t]                    |(h₁, h₂)| <= c_r Σ λ_n
//!   normal       J = [-n, -(r_A × n), n, r_B × n]     λ_n >= 0
//! ```
//!
//! The normal rows stand last: what is solved last holds best, and overlap is worse than slip.

use super::system::{Parties, Recipe, System};
use crate::body::{Softness, store::Bodies};
use crate::constraint::contact::{
    Contact, ContactManifold, ContactPoint, Contacts, NONE, SOLVED_POINTS, SurfacePair, Tangents,
};
use crate::constraint::{Jacobian, Row, Stiffness};
use crate::math::{Real, Vec3};
use crate::method::FrictionModel;
use crate::world::State;

/// Where the rows of a manifold stand in the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub manifold: u32,
    /// Rows of friction: two for each point, or three for all.
    pub friction: u32,
    /// The row of spinning friction, or `NONE`.
    spinning: u32,
    /// The first of two rows of rolling friction, or `NONE`.
    rolling: u32,
    /// One for each point.
    pub normals: u32,
    pub points: u32,
    /// The first tangent at each point, or that of the manifold; the second is n × t₁.
    tangents: [Vec3; SOLVED_POINTS],
    /// ℓ of the manifold's friction.
    lever: Real,
}

impl Site {
    /// The rows along both tangents at a point.
    pub fn slip_rows(&self, point: u32, model: FrictionModel) -> core::ops::Range<u32> {
        let first = match model {
            FrictionModel::Point => self.friction + 2 * point,
            FrictionModel::Manifold => self.friction,
        };
        first..first + 2
    }
}

/// Adds the rows of all manifolds that touch, in the order of the awake contacts, and counts the points of awake bodies. One
/// pass over the manifolds.
pub(crate) fn gather(
    system: &mut System,
    sites: &mut Vec<Site>,
    supports: &mut [u32],
    state: &State,
    parties: &Parties<'_>,
    recipe: &Recipe,
) {
    sites.clear();
    let tolerances = &state.method.tolerances;
    let slop = tolerances.slop * tolerances.length;
    let creep = state.gravity_strength() * recipe.h;
    for &index in &state.contacts.awake {
        let contact = &state.contacts.all[index as usize];
        if !contact.has(Contact::TOUCHING) || contact.has(Contact::SENSOR) {
            continue;
        }
        let bodies = [contact.body_a, contact.body_b].map(|slot| party(&state.bodies, slot));
        let mut m = contact.manifolds;
        while m != NONE {
            let manifold = &state.contacts.manifolds[m as usize];
            for body in bodies {
                if let Some(s) = supports.get_mut(body as usize) {
                    *s += u32::from(manifold.point_count);
                }
            }
            let gathering = Gathering {
                parties,
                recipe,
                bodies,
                manifold,
                material: state.contacts.surface_pair(m),
                surface: state.contacts.surface_velocity(m),
                tangents: state.contacts.tangents_of(m),
                slop,
                creep,
            };
            sites.push(Site { manifold: m, ..gathering.add(system, state.method.friction) });
            m = manifold.next;
        }
    }
}

/// A body as a party of the system.
pub(crate) fn party(bodies: &Bodies, slot: u32) -> u32 {
    bodies.dense_at(slot).min(bodies.awake()) as u32
}

struct Gathering<'a> {
    parties: &'a Parties<'a>,
    recipe: &'a Recipe,
    bodies: [u32; 2],
    manifold: &'a ContactManifold,
    material: SurfacePair,
    /// Velocity of surface B relative to surface A.
    surface: Vec3,
    tangents: Tangents,
    slop: Real,
    /// Slip of a contact that does not slide yet: no more than what gravity gives in a step.
    creep: Real,
}

impl Gathering<'_> {
    fn add(&self, system: &mut System, model: FrictionModel) -> Site {
        let (manifold, material) = (self.manifold, &self.material);
        let n = manifold.normal;
        let points = manifold.used();
        let coefficients = self.coefficients();
        let (spins, rolls) = (material.spinning_friction > 0.0, material.rolling_friction > 0.0);
        let friction = system.rows.len() as u32;
        let slipping = match model {
            FrictionModel::Point => 2 * points.len() as u32,
            FrictionModel::Manifold => 3,
        };
        let spinning = friction + slipping;
        let rolling = spinning + u32::from(spins);
        let normals = rolling + if rolls { 2 } else { 0 };
        let all = [normals, points.len() as u32];
        let mut site = Site {
            manifold: NONE,
            friction,
            spinning: if spins { spinning } else { NONE },
            rolling: if rolls { rolling } else { NONE },
            normals,
            points: points.len() as u32,
            tangents: [Vec3::ZERO; SOLVED_POINTS],
            lever: 0.0,
        };

        match model {
            FrictionModel::Point => {
                for (i, (p, &kept)) in points.iter().zip(&self.tangents).enumerate() {
                    let impulse = tangent_impulse(kept, n);
                    let rows = self.slip(p.anchor, manifold.anchor_b(p), impulse, &mut site.tangents[i]);
                    system.add_cone(
                        &rows,
                        [normals + i as u32, 1],
                        coefficients,
                        self.bodies,
                        self.parties,
                        self.recipe,
                    );
                }
            }
            FrictionModel::Manifold => {
                let (anchor, lever) = centre_of_pressure(points);
                let [r1, r2] =
                    self.slip(anchor, anchor - manifold.lever, manifold.friction_impulse, &mut site.tangents[0]);
                // The row speaks of ℓ ω_n, so that its impulse is τ/ℓ and all three share one bound.
                let twist = if lever > 0.0 { manifold.angular_impulse.dot(n) / lever } else { 0.0 };
                let rows = [r1, r2, (Jacobian::turning(n * lever), 0.0, twist)];
                site.lever = lever;
                system.add_cone(&rows, all, coefficients, self.bodies, self.parties, self.recipe);
            }
        }
        if spins {
            // What twist the friction of the manifold has not taken.
            let start = if site.lever > 0.0 { 0.0 } else { manifold.angular_impulse.dot(n) };
            let rows = [(Jacobian::turning(n), 0.0, start)];
            let c = material.spinning_friction;
            system.add_cone(&rows, all, [c, c], self.bodies, self.parties, self.recipe);
        }
        if rolls {
            let (t1, t2) = n.tangents();
            let h = manifold.angular_impulse;
            let rows = [(Jacobian::turning(t1), 0.0, h.dot(t1)), (Jacobian::turning(t2), 0.0, h.dot(t2))];
            let c = material.rolling_friction;
            system.add_cone(&rows, all, [c, c], self.bodies, self.parties, self.recipe);
        }
        debug_assert_eq!(system.rows.len(), normals as usize);
        let stiffness = match material.hertz > 0.0 {
            true => Stiffness::Tuned(Softness { hertz: material.hertz, damping_ratio: material.damping_ratio }),
            false => Stiffness::Method,
        };
        for p in points {
            let jacobian = Jacobian::between(n, p.anchor, manifold.anchor_b(p));
            let row = Row {
                restitution: material.restitution,
                impulse: p.normal_impulse,
                ..Row::push(jacobian, p.separation).stiff(stiffness)
            };
            system.add(&[row], self.bodies, self.slop, self.parties, self.recipe);
        }
        site
    }

    /// The static and the dynamic coefficient. A body that rests on several contacts is held by all of them together: what the first that is solved cannot
    /// bear alone is no reason to slide, and ends at the static limit until the others bear their parts.
    fn coefficients(&self) -> [Real; 2] {
        let (manifold, material) = (self.manifold, &self.material);
        let [a, b] = self.bodies.map(|i| &self.parties.before[i as usize]);
        let rests = manifold.creeps(a, b, self.surface, self.creep);
        [material.static_friction, if rests { material.static_friction } else { material.dynamic_friction }]
    }

    /// The two rows of friction at a place: the first tangent lies along the slip where there is any, so that friction starts in
    /// the right direction.
    fn slip(&self, arm_a: Vec3, arm_b: Vec3, impulse: Vec3, tangent: &mut Vec3) -> [(Jacobian, Real, Real); 2] {
        let (n, surface) = (self.manifold.normal, self.surface);
        let [a, b] = self.bodies.map(|i| &self.parties.free[i as usize]);
        let slip = b.at(arm_b) - a.at(arm_a) + surface;
        let across = slip.across(n);
        let t1 = if across.length_squared() > slip.length_squared() * 1e-6 {
            across.normalize_or(n.tangents().0)
        } else {
            n.tangents().0
        };
        *tangent = t1;
        [t1, n.cross(t1)].map(|t| (Jacobian::between(t, arm_a, arm_b), -surface.dot(t), impulse.dot(t)))
    }
}

/// The friction impulse that a point keeps, along the tangents that belong to the normal.
fn tangent_impulse(kept: [Real; 2], n: Vec3) -> Vec3 {
    let (t1, t2) = n.tangents();
    t1 * kept[0] + t2 * kept[1]
}

/// Where the points of a manifold press, by their last impulses, from the centre of mass of A; in the middle where they did not. And
/// the mean distance of the points from there.
fn centre_of_pressure(points: &[ContactPoint]) -> (Vec3, Real) {
    let total: Real = points.iter().map(|p| p.normal_impulse).sum();
    let weight = |p: &ContactPoint| if total > 0.0 { p.normal_impulse / total } else { 1.0 / points.len() as Real };
    let mut centre = Vec3::ZERO;
    for p in points {
        centre += p.anchor * weight(p);
    }
    let lever = points.iter().map(|p| (p.anchor - centre).length() * weight(p)).sum();
    (centre, lever)
}

/// Writes the impulses back to the manifolds: where the next step starts. One pass over the manifolds.
///
/// Whatever friction acts on, the manifold is told the sum: a method that takes it as a whole can go on from there.
pub(crate) fn store(system: &System, sites: &[Site], model: FrictionModel, contacts: &mut Contacts) {
    let impulse = |row: u32| system.rows[row as usize].impulse;
    if model == FrictionModel::Point && !sites.is_empty() {
        contacts.use_tangents();
    }
    for site in sites {
        let mut tangents = contacts.tangents_of(site.manifold);
        let manifold = &mut contacts.manifolds[site.manifold as usize];
        let n = manifold.normal;
        let (t1, t2) = n.tangents();
        let mut turning = Vec3::ZERO;
        let mut sum = Vec3::ZERO;
        for (i, p) in manifold.points[..site.points as usize].iter_mut().enumerate() {
            p.normal_impulse = impulse(site.normals + i as u32);
            if model == FrictionModel::Point {
                let row = site.friction + 2 * i as u32;
                let f = site.tangents[i] * impulse(row) + n.cross(site.tangents[i]) * impulse(row + 1);
                tangents[i] = [f.dot(t1), f.dot(t2)];
                sum += f;
            }
        }
        if model == FrictionModel::Manifold {
            let t = site.tangents[0];
            sum = t * impulse(site.friction) + n.cross(t) * impulse(site.friction + 1);
            turning = n * (site.lever * impulse(site.friction + 2));
        }
        if site.spinning != NONE {
            turning += n * impulse(site.spinning);
        }
        if site.rolling != NONE {
            turning += t1 * impulse(site.rolling) + t2 * impulse(site.rolling + 1);
        }
        manifold.friction_impulse = sum;
        manifold.angular_impulse = turning;
        contacts.set_tangents(site.manifold, tangents);
    }
}
