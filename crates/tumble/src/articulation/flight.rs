//! The motion of a tree under smooth forces: Runge-Kutta of fourth order, in steps as fine as its energy asks for.
//!
//! The true motion changes the kinetic energy T by the work W of all forces, and by nothing else. W is integrated along with q and
//! q̇, so that T - W says how far a step has gone astray, at no more cost than a sum over the links: a chain that lashes
//! out is followed in short steps, and one that swings gently in one step of the whole time. With the energy kept, nothing
//! can blow up; that is where explicit steps of a fixed length fail, whatever their order.
//!
//! ```text
//!   repeat until the time is used up, with h = span / 2ˡ:
//!     k₁ .. k₄: (q̇, q̈, power) at the four stages                4 passes over the tree, and 3 placings
//!     error = |ΔT - ΔW|
//!     error > share of T allowed for h, and l < finest:          l ← l + 1, once more
//!     error small enough for twice the step:                      l ← l - 1
//! ```
//!
//! T is taken without the motion of the whole, where the tree floats: a ragdoll in a fast train must not be followed less well.

use super::dynamics::{Load, Pass};
use super::keep::Drive;
use super::tree::Tree;
use crate::math::{Isa, Kernel, Lane, Packed};

/// The error of energy that is allowed over a span, as a share of the kinetic energy. 3600 spans, all erring to one side, would
/// change it by less than a thousandth. Angular momentum errs about as much.
const TOLERANCE: f64 = 2e-7;

/// Where the step is halved so often, it is taken as it is.
const FINEST: u32 = 8;

/// What drives the flight.
pub(crate) struct Forces<'a> {
    /// On each link; empty for none.
    pub loads: &'a [Load],
    /// Springs, dampers and forces along the degrees of freedom act.
    pub joints: bool,
    /// The loads are weight and nothing else, and nothing holds the tree: it keeps its spin, and what its momentum gains is known.
    pub falls: bool,
}

/// The stages of a step, and the state that they start from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stages {
    q: Vec<f64>,
    qd: Vec<f64>,
    /// Slopes: of q and of q̇, of four stages.
    dq: [Vec<f64>; 4],
    dqd: [Vec<f64>; 4],
    tau: Vec<f64>,
    offset: Vec<f64>,
    /// What the flight of a tree that floats must come to.
    drives: Vec<Drive>,
}

impl Stages {
    fn resize(&mut self, tree: &Tree) {
        self.q.resize(tree.q.len(), 0.0);
        self.qd.resize(tree.qd.len(), 0.0);
        for k in 0..4 {
            self.dq[k].resize(tree.q.len(), 0.0);
            self.dqd[k].resize(tree.qd.len(), 0.0);
        }
        self.tau.resize(tree.dofs.len(), 0.0);
        self.offset.resize(tree.dofs.len(), 0.0);
    }
}

/// Moves the tree over `span` seconds. Afterwards the pass has the links where they are then, and their velocities. The answer is the
/// largest error of a step, as a share of what was allowed for it; infinite where the span was cut.
pub(crate) fn fly(
    isa: Isa,
    tree: &mut Tree,
    pass: &mut Pass,
    stages: &mut Stages,
    forces: &Forces<'_>,
    span: f64,
) -> f64 {
    isa.dispatch(Flight { tree, pass, stages, forces, span })
}

struct Flight<'a> {
    tree: &'a mut Tree,
    pass: &'a mut Pass,
    stages: &'a mut Stages,
    forces: &'a Forces<'a>,
    span: f64,
}

impl Kernel for Flight<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        follow::<L::Packed>(self.tree, self.pass, self.stages, self.forces, self.span)
    }
}

#[inline(always)]
fn follow<P: Packed>(tree: &mut Tree, pass: &mut Pass, stages: &mut Stages, forces: &Forces<'_>, span: f64) -> f64 {
    stages.resize(tree);
    let (mut q, mut qd) = (core::mem::take(&mut tree.q), core::mem::take(&mut tree.qd));
    pass.place_moving::<P>(tree, &q, &qd);
    stages.drives.clear();
    // Forces between links move nothing as a whole, and loads stay as they are over the span: the momentum is known, if not the spin.
    let known = forces.falls || forces.joints && forces.loads.iter().all(|load| load.linear_damping == 0.0);
    if known && tree.floats() {
        pass.note_drives::<P>(tree, &mut stages.drives);
        pass.drive_on::<P>(tree, forces.loads, span, &mut stages.drives);
    }
    let mut energy = pass.kinetic_energy::<P>(tree, &qd);
    let floats = tree.floats();
    // What the loads alone could do to a tree at rest within the span: the least energy that errors are measured by.
    let stir = stirred(tree, forces.loads, span);

    let whole = 1u32 << FINEST;
    let (mut done, mut level) = (0, tree.pace.min(FINEST));
    let mut worst = 0.0;
    while done < whole {
        let mut power = slope::<P>(tree, pass, stages, forces, &q, &qd, 0);
        let first = power;
        let (mut error, mut after);
        let scale =
            (relative_energy::<P>(tree, pass, energy, floats) + stir) * TOLERANCE + energy * f64::EPSILON * 64.0;
        loop {
            let h = span / f64::from(1u32 << level);
            let mut work = first;
            for (stage, (step, weight)) in [(0.5, 2.0), (0.5, 2.0), (1.0, 1.0)].into_iter().enumerate() {
                advance(stages, &q, &qd, &[(stage, step * h)]);
                let (sq, sqd) = (core::mem::take(&mut stages.q), core::mem::take(&mut stages.qd));
                pass.place_moving::<P>(tree, &sq, &sqd);
                power = slope::<P>(tree, pass, stages, forces, &sq, &sqd, stage + 1);
                (stages.q, stages.qd) = (sq, sqd);
                work += weight * power;
            }
            let sixth = h / 6.0;
            advance(stages, &q, &qd, &[(0, sixth), (1, 2.0 * sixth), (2, 2.0 * sixth), (3, sixth)]);
            for link in &tree.links {
                link.kind.normalize(&mut stages.q[link.coordinates()]);
            }
            pass.place_moving::<P>(tree, &stages.q, &stages.qd);
            after = pass.kinetic_energy::<P>(tree, &stages.qd);
            // The allowance grows with the step, so that errors add up to the same whatever the cuts.
            let missed = (after - energy - sixth * work).abs();
            // What neither moves nor is moved misses nothing.
            error = if missed == 0.0 { 0.0 } else { missed / (scale / f64::from(1u32 << level)) };
            if error <= 1.0 || level == FINEST {
                break;
            }
            level += 1;
        }
        core::mem::swap(&mut q, &mut stages.q);
        core::mem::swap(&mut qd, &mut stages.qd);
        energy = after;
        worst = if level > 0 { f64::INFINITY } else { error };
        done += whole >> level;
        // The error grows with the fifth power of the step, the allowance with the first: 2⁴, with room to spare.
        if error < 1.0 / 40.0 && level > 0 && done % (whole >> (level - 1)) == 0 {
            level -= 1;
        }
    }
    tree.pace = level;
    (tree.q, tree.qd) = (q, qd);
    // A step of finite length misses both by a little, which adds up: the more, the farther the links have slid apart.
    if !stages.drives.is_empty() {
        if forces.falls {
            pass.steer::<P>(tree, &stages.drives);
        } else {
            pass.steer_momentum::<P>(tree, &stages.drives);
        }
        pass.set_moving::<P>(tree, &tree.qd);
    }
    worst
}

/// q and q̇ of the stages ← those at the start, and slopes times steps.
#[inline(always)]
fn advance(stages: &mut Stages, q: &[f64], qd: &[f64], parts: &[(usize, f64)]) {
    let Stages { q: sq, qd: sqd, dq, dqd, .. } = stages;
    for (k, out) in sq.iter_mut().enumerate() {
        *out = q[k] + parts.iter().map(|&(s, h)| dq[s][k] * h).sum::<f64>();
    }
    for (k, out) in sqd.iter_mut().enumerate() {
        *out = qd[k] + parts.iter().map(|&(s, h)| dqd[s][k] * h).sum::<f64>();
    }
}

/// The slopes where the pass has placed the links; the answer is the power of all forces.
#[inline(always)]
fn slope<P: Packed>(
    tree: &Tree,
    pass: &mut Pass,
    stages: &mut Stages,
    forces: &Forces<'_>,
    q: &[f64],
    qd: &[f64],
    stage: usize,
) -> f64 {
    for link in &tree.links {
        let (qs, vs) = (link.coordinates(), link.dofs());
        link.kind.rate(&q[qs.clone()], &qd[vs], &mut stages.dq[stage][qs]);
    }
    let tau = &mut stages.tau;
    if forces.joints {
        joint_forces(tree, q, qd, &mut stages.offset, tau);
    } else {
        tau.fill(0.0);
    }
    pass.forward::<P>(tree, forces.loads, |k| tau[k]);
    for (out, column) in stages.dqd[stage].iter_mut().zip(&pass.columns) {
        *out = column.acceleration;
    }
    pass.power::<P>(tree, forces.loads, qd, |k| tau[k])
}

/// Springs, dampers and the forces of the user along the degrees of freedom.
#[inline(always)]
pub(crate) fn joint_forces(tree: &Tree, q: &[f64], qd: &[f64], offset: &mut [f64], tau: &mut [f64]) {
    for link in &tree.links {
        let (qs, vs) = (link.coordinates(), link.dofs());
        if tree.dofs[vs.clone()].iter().any(|d| d.stiffness != 0.0) {
            link.kind.offset(&q[qs.clone()], &tree.rest[qs], &mut offset[vs]);
        }
    }
    for (k, dof) in tree.dofs.iter().enumerate() {
        let spring = if dof.stiffness != 0.0 { dof.stiffness * offset[k] } else { 0.0 };
        tau[k] = dof.force + spring - dof.damping * qd[k];
    }
    for link in tree.links.iter().filter(|link| link.kind.turns_about_all()) {
        let vs = link.dofs().end - 3..link.dofs().end;
        let stiffness = core::array::from_fn(|i| tree.dofs[vs.start + i].stiffness);
        if stiffness == [0.0; 3] {
            continue;
        }
        let left = core::array::from_fn(|i| offset[vs.start + i]);
        for (tau, aside) in tau[vs].iter_mut().zip(link.kind.aside(left, stiffness).into_iter().flatten()) {
            *tau += aside;
        }
    }
}

/// The kinetic energy that the forces on the links alone would give them in a span.
#[inline(always)]
pub(super) fn stirred(tree: &Tree, loads: &[Load], span: f64) -> f64 {
    let mut twice = 0.0;
    for (link, load) in tree.links.iter().zip(loads) {
        if link.mass > 0.0 {
            twice += load.force.length_squared() / link.mass;
        }
    }
    0.5 * twice * span * span
}

/// The kinetic energy, without that of the motion of the whole where the tree floats.
#[inline(always)]
fn relative_energy<P: Packed>(tree: &Tree, pass: &Pass, energy: f64, floats: bool) -> f64 {
    if !floats {
        return energy;
    }
    let mass: f64 = tree.links.iter().map(|l| l.mass).sum();
    if !(mass > 0.0) {
        return energy;
    }
    let whole = 0.5 * pass.momentum::<P>(tree).force.length_squared() / mass;
    // A single body that only flies has none of its own.
    let rest = energy - whole;
    if rest > 0.0 { rest } else { 0.0 }
}
