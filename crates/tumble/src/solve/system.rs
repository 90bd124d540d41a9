//! All constraints of a step as one system: a mixed linear complementarity problem at velocity level.
//!
//! With the velocities u* that the bodies would have without constraints, the rows J and the impulses λ (003-83):
//!
//! ```text
//!   u = u* + M⁻¹ Jᵀ λ
//!   w = J u + γ λ - d                                  γ: compliance of a row, d: the rate that is wanted of it
//!   lo <= λ <= hi,   w = 0 where lo < λ < hi,   w >= 0 where λ = lo,   w <= 0 where λ = hi
//! ```
//!
//! Put in, w = A λ + b with A = J M⁻¹ Jᵀ + Γ and b = J u* - d. The matrix A is never formed: a solver that works row by row needs
//! its diagonal and, for what stands beside it, the velocities. The bounds of friction follow the impulses of other rows. Rows
//! of isotropic friction are bounded together: a [`Cone`].

use super::joint_block::{entry, response_given};
use super::tree_system::{AnswerWork, Spread, TreeParties};
use super::tree_work::TreeWork;
use crate::body::store::Velocity;
use crate::constraint::{Bound, Jacobian, Row, Rows, Stiffness};
use crate::math::{Num, Real, Sym3, Vec3};

/// What an impulse meets in a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mass {
    /// Along the axes of the world; 0 along locked ones.
    pub inv_mass: Vec3,
    pub inv_inertia: Sym3,
}

impl Mass {
    /// Of a body that nothing moves.
    pub const INFINITE: Self = Self { inv_mass: Vec3::ZERO, inv_inertia: Sym3::ZERO };
}

/// Between what an impulse may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    /// Fixed bounds.
    Between(Real, Real),
    /// |λ| <= μ times the impulse of another row.
    Friction { normal: u32, coefficient: Real },
    /// This row and those that follow it lie in a cone, by its number.
    Cone(u32),
}

/// One row of the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemRow {
    pub bodies: [u32; 2],
    /// J
    pub jacobian: Jacobian,
    /// M⁻¹ Jᵀ over its bodies.
    pub response: Jacobian,
    /// Where M⁻¹ Jᵀ over all that moves stands in [`System::spread`], first and count; nothing there where its bodies are all.
    pub spread: [u32; 2],
    /// 1/(J M⁻¹ Jᵀ + γ); 0 where nothing can be moved. Such a row has no impulse.
    pub inv_diagonal: Real,
    /// From an impulse to the change of the rate as a speed: the diagonal, times a length where the row turns.
    pub measure: Real,
    /// γ
    pub compliance: Real,
    /// d
    pub target: Real,
    pub limit: Limit,
    /// λ
    pub impulse: Real,
}

/// Coulomb's law for one to three rows together: |λ| <= μ N, with N the sum of the impulses of some rows.
///
/// Within the bound of the static coefficient the surfaces stick; beyond it they slip, and the impulse lies on that of the
/// dynamic coefficient.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cone {
    /// How many rows.
    pub rows: u32,
    /// The rows that press: the first, and how many.
    pub normals: [u32; 2],
    pub static_friction: Real,
    pub dynamic_friction: Real,
    /// The inverse of the part of A that belongs to the rows; what would stop all slip is -mass w.
    pub mass: Sym3,
    /// A step against the slip that cannot overshoot: not more than 1 over the largest eigenvalue of the part.
    pub step: Real,
}

/// What the stages after the first solve need to know of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// C at the start of the step.
    pub error: Real,
    /// C that is left alone.
    pub slop: Real,
    /// J u⁻: the rate before the step.
    pub approach: Real,
    /// J u*: the rate that the forces of the step alone would give it.
    pub free_rate: Real,
    /// e; 0 where the row does not bounce.
    pub restitution: Real,
    pub correct: Correct,
}

/// How the error of a row is to be taken out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Correct {
    /// Not by position: the row is a spring, a motor, friction.
    Not,
    /// C = 0
    Equal,
    /// C >= -slop
    Push,
}

/// What the rows of a step are made by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// The step.
    pub h: Real,
    /// Share of the error that velocities take out in a step: Baumgarte's. 0 where positions are corrected otherwise.
    pub share: Real,
    /// Overlap is taken out no faster than this.
    pub push_speed: Real,
    /// What has come apart is brought together no faster than this.
    pub hold_speed: Real,
    /// The length by which turning is compared with moving.
    pub length: Real,
    pub warm_start: bool,
}

/// The bodies as the system sees them: one more than there are awake, for all that nothing moves; then what trees add.
#[derive(Clone, Copy)]
pub(crate) struct Parties<'a> {
    pub masses: &'a [Mass],
    /// u⁻: before the step.
    pub before: &'a [Velocity],
    /// u*: with the forces of the step, and without constraints.
    pub free: &'a [Velocity],
    /// The trees of which some of them are links.
    pub trees: Option<(&'a TreeParties, &'a TreeWork)>,
}

/// The rows of a step, in the order in which they are solved.
#[derive(Clone, Debug, Default)]
pub(crate) struct System {
    pub rows: Vec<SystemRow>,
    /// Beside each row.
    pub demands: Vec<Demand>,
    pub cones: Vec<Cone>,
    /// M⁻¹ Jᵀ of rows on trees, one after the other.
    pub spread: Vec<Spread>,
    answers: AnswerWork,
}

impl SystemRow {
    /// J u
    #[inline(always)]
    pub fn velocity(&self, u: &[Velocity]) -> Real {
        let (a, b) = (&u[self.bodies[0] as usize], &u[self.bodies[1] as usize]);
        self.jacobian.velocity(a.linear, a.angular, b.linear, b.angular)
    }

    /// u ← u + M⁻¹ Jᵀ λ
    #[inline(always)]
    pub fn apply(&self, impulse: Real, u: &mut [Velocity], spread: &[Spread]) {
        let [first, count] = self.spread;
        if count > 0 {
            for s in &spread[first as usize..][..count as usize] {
                let moved = &mut u[s.party as usize];
                moved.linear += s.linear * impulse;
                moved.angular += s.angular * impulse;
            }
            return;
        }
        let a = &mut u[self.bodies[0] as usize];
        a.linear += self.response.linear_a * impulse;
        a.angular += self.response.angular_a * impulse;
        let b = &mut u[self.bodies[1] as usize];
        b.linear += self.response.linear_b * impulse;
        b.angular += self.response.angular_b * impulse;
    }

    /// 1/(J M⁻¹ Jᵀ), whatever the compliance.
    pub fn hard_inv_diagonal(&self) -> Real {
        invert(self.coupling(self))
    }

    /// J₁ M⁻¹ J₂ᵀ of two rows between the same bodies.
    fn coupling(&self, other: &Self) -> Real {
        let (j, r) = (&self.jacobian, &other.response);
        j.velocity(r.linear_a, r.angular_a, r.linear_b, r.angular_b)
    }
}

/// M⁻¹ Jᵀ
fn response(j: &Jacobian, a: &Mass, b: &Mass) -> Jacobian {
    Jacobian {
        linear_a: j.linear_a.scale(a.inv_mass),
        angular_a: a.inv_inertia * j.angular_a,
        linear_b: j.linear_b.scale(b.inv_mass),
        angular_b: b.inv_inertia * j.angular_b,
    }
}

fn invert(k: Real) -> Real {
    // Not for what is too large to be turned round either, nor for NaN.
    if k > 0.0 && k < Real::INFINITY { 1.0 / k } else { 0.0 }
}

impl System {
    pub fn clear(&mut self) {
        self.rows.clear();
        self.demands.clear();
        self.cones.clear();
        self.spread.clear();
    }

    /// M⁻¹ Jᵀ of a row on a tree.
    pub fn spread_of(&self, row: &SystemRow) -> &[Spread] {
        let [first, count] = row.spread;
        &self.spread[first as usize..][..count as usize]
    }

    /// Adds the rows of a constraint between two bodies. Of each contact point or limit, `slop` of overlap is left alone.
    pub fn add(&mut self, rows: &[Row], bodies: [u32; 2], slop: Real, parties: &Parties<'_>, recipe: &Recipe) {
        let first = self.rows.len() as u32;
        for row in rows {
            let made = self.row(&row.jacobian, bodies, parties, recipe);
            self.rows.push(made);
        }
        for (i, row) in rows.iter().enumerate() {
            let mut made = self.rows[first as usize + i];
            let mass = match row.stiffness {
                Stiffness::Tuned(_) => invert(self.response_given(first as usize, rows, i)),
                _ => made.inv_diagonal,
            };
            let rule = rule(row, mass, slop, recipe);
            made.target = rule.target;
            made.compliance = rule.compliance;
            if rule.compliance > 0.0 && made.inv_diagonal > 0.0 {
                made.inv_diagonal = invert(1.0 / made.inv_diagonal + rule.compliance);
            }
            made.limit = match row.bound {
                Bound::Equal => Limit::Between(-Real::MAX, Real::MAX),
                Bound::Push => Limit::Between(0.0, Real::MAX),
                Bound::Force(f) => Limit::Between(-f * recipe.h, f * recipe.h),
                // Of a row that the constraint does not have: there is nothing to rub on.
                Bound::Friction { of, .. } if of as usize >= rows.len() => Limit::Between(0.0, 0.0),
                Bound::Friction { of, coefficient } => Limit::Friction { normal: first + of, coefficient },
            };
            if rule.idle || !made.target.is_finite() {
                made.inv_diagonal = 0.0;
            }
            if recipe.warm_start && made.inv_diagonal > 0.0 {
                made.impulse = row.impulse;
            }
            self.rows[first as usize + i] = made;
            self.demands.push(Demand {
                error: row.error,
                slop,
                approach: made.velocity(parties.before),
                free_rate: made.velocity(parties.free),
                restitution: if row.bound == Bound::Push { row.restitution } else { 0.0 },
                correct: rule.correct,
            });
        }
    }

    /// The response of a row of a constraint to its own impulse while what the constraint holds fast does hold.
    fn response_given(&self, first: usize, rows: &[Row], i: usize) -> Real {
        let made = &self.rows[first..][..rows.len()];
        let holds = |k: usize| {
            k != i
                && rows[k].bound == Bound::Equal
                && rows[k].stiffness == Stiffness::Method
                && made[k].inv_diagonal > 0.0
        };
        let mut held = [0; Rows::MAX];
        let mut count = 0;
        for k in (0..rows.len().min(Rows::MAX)).filter(|&k| holds(k)) {
            held[count] = k;
            count += 1;
        }
        if count == 0 || i >= Rows::MAX {
            return made[i].coupling(&made[i]);
        }
        let mut k = [0.0; Rows::MAX * (Rows::MAX + 1) / 2];
        for p in 0..made.len().min(Rows::MAX) {
            for q in 0..=p {
                k[entry(p, q)] = made[p].coupling(&made[q]);
            }
        }
        response_given::<{ Rows::MAX }>(&k, i, &held[..count])
    }

    /// Adds rows of isotropic friction: each a Jacobian, the rate that is wanted, and the impulse to start from.
    pub fn add_cone(
        &mut self,
        rows: &[(Jacobian, Real, Real)],
        normals: [u32; 2],
        coefficients: [Real; 2],
        bodies: [u32; 2],
        parties: &Parties<'_>,
        recipe: &Recipe,
    ) {
        let first = self.rows.len();
        for &(jacobian, target, impulse) in rows {
            let mut made = self.row(&jacobian, bodies, parties, recipe);
            made.target = target;
            made.limit = Limit::Cone(self.cones.len() as u32);
            if recipe.warm_start && made.inv_diagonal > 0.0 {
                made.impulse = impulse;
            }
            self.rows.push(made);
            self.demands.push(Demand {
                error: 0.0,
                slop: 0.0,
                approach: made.velocity(parties.before),
                free_rate: made.velocity(parties.free),
                restitution: 0.0,
                correct: Correct::Not,
            });
        }
        let (mass, step) = part(&self.rows[first..]);
        let [static_friction, dynamic_friction] = coefficients;
        self.cones.push(Cone { rows: rows.len() as u32, normals, static_friction, dynamic_friction, mass, step });
    }

    /// A row without bounds.
    fn row(&mut self, jacobian: &Jacobian, bodies: [u32; 2], parties: &Parties<'_>, recipe: &Recipe) -> SystemRow {
        let [a, b] = bodies.map(|i| &parties.masses[i as usize]);
        let mut row = SystemRow {
            bodies,
            jacobian: *jacobian,
            response: response(jacobian, a, b),
            spread: [0; 2],
            inv_diagonal: 0.0,
            measure: 0.0,
            compliance: 0.0,
            target: 0.0,
            limit: Limit::Between(0.0, 0.0),
            impulse: 0.0,
        };
        let mut diagonal = row.coupling(&row);
        if let Some((of_trees, trees)) = parties.trees.filter(|t| t.0.concerns(t.1, bodies)) {
            let first = self.spread.len() as u32;
            let answer = of_trees.respond(trees, jacobian, bodies, parties.masses, &mut self.answers, &mut self.spread);
            (row.response, diagonal) = (answer.response, answer.diagonal);
            row.spread = [first, self.spread.len() as u32 - first];
        }
        row.inv_diagonal = invert(diagonal);
        let turns = jacobian.linear_a == Vec3::ZERO && jacobian.linear_b == Vec3::ZERO;
        row.measure = if turns { diagonal * recipe.length } else { diagonal };
        row
    }

    /// u ← u + M⁻¹ Jᵀ λ for all rows: the velocities that go with the impulses. One pass over the rows.
    pub fn apply_impulses(&self, u: &mut [Velocity]) {
        for row in &self.rows {
            if row.impulse != 0.0 {
                row.apply(row.impulse, u, &self.spread);
            }
        }
    }

    /// N of a cone.
    #[inline(always)]
    pub fn pressing(&self, normals: [u32; 2]) -> Real {
        let [first, count] = normals;
        let mut sum = 0.0;
        for row in &self.rows[first as usize..][..count as usize] {
            sum += Num::max(row.impulse, 0.0);
        }
        sum
    }
}

/// What is asked of a row at velocity level.
struct Rule {
    target: Real,
    compliance: Real,
    correct: Correct,
    idle: bool,
}

/// The share of its error that a motor as hard as the method gets rid of in a step.
const MOTOR_SHARE: Real = 0.2;

/// For a row with the error C, the target ċ and the bound:
///
/// ```text
///   C > 0 and it can only push       J u >= ċ - C/h                          may close, not pass
///   the same by a spring             J u + λ/(h (c + h k)) >= ċ - C/h        gives way by what lies behind C = 0
///   a spring k, c                    J u + λ/(h (c + h k)) = ċ - k C/(c + h k)   implicit over the step
///   as hard as the method            J u = ċ - β C/h
///   the same, of a bounded force     J u = ċ - 0.2 C/h                       a motor; its share is MOTOR_SHARE
/// ```
fn rule(row: &Row, mass: Real, slop: Real, recipe: &Recipe) -> Rule {
    let (h, push) = (recipe.h, row.bound == Bound::Push);
    let mut rule = Rule { target: row.target, compliance: 0.0, correct: Correct::Not, idle: row.is_idle() };
    let spring = row.stiffness.constants(mass).map(|(k, c)| (k, c + h * k));
    if let Some((_, firmness)) = spring {
        rule.idle |= !(firmness > 0.0);
        rule.compliance = invert(h * firmness);
    }
    if push && row.error > 0.0 {
        rule.target -= row.error / h;
        rule.correct = if spring.is_some() { Correct::Not } else { Correct::Push };
        return rule;
    }
    let error = if push { Num::min(row.error + slop, 0.0) } else { row.error };
    let limit = if push { recipe.push_speed } else { recipe.hold_speed };
    let out = |rate: Real| (-error * rate).clamp(-limit, limit);
    if let Some((k, firmness)) = spring {
        // A spring pulls as hard as it does; but what overlaps is not shot apart.
        rule.target += if push { out(k / firmness) } else { -error * (k / firmness) };
        return rule;
    }
    match row.bound {
        Bound::Equal | Bound::Push => {
            rule.correct = if push { Correct::Push } else { Correct::Equal };
            rule.target += out(recipe.share / h);
        }
        // A motor that holds a speed has no error to get rid of; one that is to go to a place does so by its force, whatever corrects joints.
        Bound::Force(_) => rule.target += out(MOTOR_SHARE / h),
        Bound::Friction { .. } => {}
    }
    rule
}

/// The inverse of the part of A that up to three rows have with each other, and a safe step.
fn part(rows: &[SystemRow]) -> (Sym3, Real) {
    let at = |i: usize, j: usize| match (rows.get(i), rows.get(j)) {
        (Some(a), Some(b)) => a.coupling(b),
        _ => 0.0,
    };
    let mut k = Sym3 { xx: at(0, 0), yy: at(1, 1), zz: at(2, 2), xy: at(0, 1), xz: at(0, 2), yz: at(1, 2) };
    let largest = Num::max(
        k.xx + Num::abs(k.xy) + Num::abs(k.xz),
        Num::max(k.yy + Num::abs(k.xy) + Num::abs(k.yz), k.zz + Num::abs(k.xz) + Num::abs(k.yz)),
    );
    // Rows that are not there, and directions in which a lock lets nothing move, are stiff by themselves.
    let least = largest * Real::EPSILON * 16.0;
    for d in [&mut k.xx, &mut k.yy, &mut k.zz] {
        *d += if *d > least { least } else { largest };
    }
    match k.try_inverse() {
        Some(mass) if mass.is_finite() && largest > 0.0 => (mass, invert(largest)),
        _ => (Sym3::ZERO, 0.0),
    }
}
