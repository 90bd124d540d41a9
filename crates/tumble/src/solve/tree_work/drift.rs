//! The motion of a tree without forces over a sub-step, and what it keeps.

use super::{EVEN, Working};
use crate::articulation::dynamics::Pass;
use crate::articulation::flight::{Forces, Stages, fly};
use crate::articulation::tree::Tree;
use crate::math::{Kernel, Lane, Num, Packed, Quad, Vec3};

/// θ² m/m_light below which a drift of one stage will do, θ being the turn of a link in a sub-step and m what it carries; see
/// [`Working::is_worn`].
const SLOW_TURN: f64 = 0.01;

/// θ³ m/m_light below which a drift of two stages will do, in trees that are [`EVEN`].
const BRISK_TURN: f64 = 0.02;

/// The turn of all joints together in a sub-step, in radians, below which a tree is as good as still: what comes of its turning is of
/// that share of its velocities, less than 2 % in a minute.
const STILL: f64 = 1e-6;

/// The share of the velocities by which the energy after a drift is put right, and that after a whole step: with a bounce in it, a tree
/// that turns fast is a good part off.
const MOST_BY_DRIFT: f64 = 0.01;
const MOST_BY_STEP: f64 = 0.5;

impl Working {
    /// Notes the momentum that only loads change, if there is such.
    pub(super) fn note_drives(&mut self, touched: bool) {
        let tree = &self.articulation.tree;
        if !touched && tree.floats() {
            self.pass.set_moving::<Quad>(tree, &tree.qd);
            self.pass.note_drives::<Quad>(tree, &mut self.drives);
        }
    }

    /// Gives a tree that floats, and that nothing touches, the momentum that it has; see [`Working::drives`].
    pub(super) fn steer(&mut self) {
        let Self { articulation, pass, drives, .. } = self;
        if !drives.is_empty() {
            pass.steer::<Quad>(&mut articulation.tree, drives);
            pass.set_moving::<Quad>(&articulation.tree, &articulation.tree.qd);
        }
    }

    /// The links where the tree is now, as they move now.
    pub fn catch_up(&mut self) {
        self.isa.dispatch(CatchUp(self));
    }

    /// Moves over h without forces, at constant kinetic energy and, where it floats, momentum. Afterwards [`Working::catch_up`] says where the
    /// links are and how they move.
    pub fn drift(&mut self, stages: &mut Stages, h: f64) {
        let limited = self.springs.is_limited();
        if limited {
            self.springs.depart(&self.articulation.tree.qd);
        }
        self.drift_on(stages, h);
        if limited {
            self.springs.arrive(&self.articulation.tree.qd);
        }
    }

    fn drift_on(&mut self, stages: &mut Stages, h: f64) {
        if self.isa.dispatch(Drift { working: self, h }) {
            return;
        }
        let Self { articulation, pass, .. } = self;
        fly(self.isa, &mut articulation.tree, pass, stages, &Forces { loads: &[], joints: false, falls: false }, h);
        // The flight has its own factors.
        self.factored = false;
        self.isa.dispatch(Land(self));
    }

    /// The same in one stage; `false` where the tree turns too fast for that, so that it has still to fly, and to land.
    #[inline(always)]
    fn drift_slowly<P: Packed>(&mut self, h: f64) -> bool {
        let Self { articulation, pass, .. } = self;
        let tree = &mut articulation.tree;
        let slides = self.slides && slides(tree);
        // What all joints together turn, which no link can exceed.
        let speed: f64 = tree.qd.iter().zip(&self.turns).map(|(v, turns)| v.abs() * turns).sum();
        let turn = h * speed;
        if turn < STILL && !slides {
            let qd = core::mem::take(&mut tree.qd);
            tree.advance(&qd, h);
            tree.qd = qd;
            self.worn += turn * Num::sqrt(self.spread);
            self.behind = true;
            return true;
        }
        self.behind = false;
        // As seen by one who rides along, to the end of the drift.
        tree.ride_along(h, &mut self.ride);
        pass.set_moving::<P>(tree, &tree.qd);
        // The largest ω² m/m_light, and the square of the largest ω³ m/m_light.
        let (mut turn, mut brisk) = (0.0, 0.0);
        for (moving, carried) in pass.links.iter().zip(&self.carried) {
            let speed = Vec3::from(moving.velocity.angular).length_squared();
            turn = Num::max(turn, speed * carried);
            brisk = Num::max(brisk, speed * speed * speed * carried * carried);
        }
        pass.note_kept::<P>(tree, &mut self.kept);
        self.worn += if slides { f64::INFINITY } else { h * Num::sqrt(turn) };
        let slow = h * h * turn <= SLOW_TURN;
        let brisk = self.spread <= EVEN && h * h * h * Num::sqrt(brisk) <= BRISK_TURN;
        if !slow && !brisk {
            return false;
        }
        if !slow {
            self.drift_briskly::<P>(h);
            return true;
        }
        // Midway between the velocities before and after, to second order in the turn. With what is to be kept, p was found.
        pass.accelerate::<P>(tree, |_| 0.0, true);
        advance(tree, pass, h);
        self.land::<P>(false);
        true
    }

    /// The same in two stages: over all of h with the slopes of the middle, to which those of the start lead.
    #[inline(always)]
    fn drift_briskly<P: Packed>(&mut self, h: f64) {
        let Self { articulation, pass, departed: [q, qd], .. } = self;
        let tree = &mut articulation.tree;
        q.clone_from(&tree.q);
        qd.clone_from(&tree.qd);
        if self.factored && self.extra.iter().all(|&e| e == 0.0) {
            // The way to the middle need not be as exact as that over the whole.
            pass.accelerate::<P>(tree, |_| 0.0, true);
        } else {
            pass.forward::<P>(tree, &[], |_| 0.0);
        }
        let mut middle = core::mem::take(&mut tree.qd);
        tree.advance(&middle, 0.5 * h);
        for (v, column) in middle.iter_mut().zip(&pass.columns) {
            *v += 0.5 * h * column.acceleration;
        }
        pass.place_moving::<P>(tree, &tree.q, &middle);
        pass.forward::<P>(tree, &[], |_| 0.0);
        for link in &tree.links {
            let (qs, mut rate) = (link.coordinates(), [0.0; 7]);
            link.kind.rate(&tree.q[qs.clone()], &middle[link.dofs()], &mut rate[..qs.len()]);
            for ((to, from), rate) in tree.q[qs.clone()].iter_mut().zip(&q[qs.clone()]).zip(rate) {
                *to = from + h * rate;
            }
            link.kind.normalize(&mut tree.q[qs]);
        }
        for ((to, from), column) in middle.iter_mut().zip(&*qd).zip(&pass.columns) {
            *to = from + h * column.acceleration;
        }
        tree.qd = middle;
        // The factors are those of the middle.
        self.factored = false;
        self.land::<P>(false);
    }

    /// Gets off what it rode along with, and puts right what a drift keeps. `placed`: its links are where it is.
    #[inline(always)]
    fn land<P: Packed>(&mut self, placed: bool) {
        let Self { articulation, pass, .. } = self;
        let tree = &mut articulation.tree;
        // What it keeps is the same for one who rides along, and more exact; but what its loads have given it is known of one who stands.
        let stands = !self.drives.is_empty();
        if stands {
            tree.ride_on(&self.ride);
        }
        if placed {
            pass.set_moving::<P>(tree, &tree.qd);
        } else {
            pass.place_moving::<P>(tree, &tree.q, &tree.qd);
        }
        pass.keep::<P>(tree, &self.kept, &self.drives, MOST_BY_DRIFT);
        if !stands {
            tree.ride_on(&self.ride);
        }
    }

    /// Notes the energy and the momentum that the tree is to have after a step that is one solve: with velocities changed by `change`,
    /// where it is before the drift.
    pub fn note_after(&mut self, change: &[f64]) {
        let Self { articulation, pass, kept_after, ride, .. } = self;
        let tree = &mut articulation.tree;
        ride.clone_from(&tree.qd);
        for (qd, change) in tree.qd.iter_mut().zip(change) {
            *qd += change;
        }
        pass.set_moving::<Quad>(tree, &tree.qd);
        pass.note_kept::<Quad>(tree, kept_after);
        tree.qd.copy_from_slice(ride);
    }

    /// Notes the blow that changes velocities by `change` where the tree is: M̃ Δq̇, the impulses along its degrees of freedom.
    pub fn note_blow(&mut self, change: &[f64]) {
        let Self { articulation, pass, tau, offset, extra, .. } = self;
        let tree = &articulation.tree;
        offset.fill(0.0);
        pass.set_moving::<Quad>(tree, offset);
        pass.inverse(tree, &[], change, tau);
        for ((impulse, extra), change) in tau.iter_mut().zip(&*extra).zip(change) {
            *impulse += extra * change;
        }
    }

    /// Strikes a blow of impulses along its degrees of freedom, such as [`Working::note_blow`] has noted, where the tree is now. The same velocities along joints that have turned
    /// meanwhile would not leave at rest what the impulses do: of a light arm that swings fast they would make many times the energy.
    pub fn strike(&mut self) {
        let Self { articulation, pass, tau, extra, .. } = self;
        let tree = &mut articulation.tree;
        pass.factor::<Quad>(tree, Some(extra));
        pass.set_bias::<Quad>(tree, None, false);
        pass.accelerate::<Quad>(tree, |k| tau[k], false);
        for (qd, column) in tree.qd.iter_mut().zip(&pass.columns) {
            *qd += column.acceleration;
        }
    }

    /// Gives the tree the energy and the momentum that [`Working::note_after`] has noted. Impulses that were solved for where it was, and
    /// coordinates that were put right, would change both a little, and those of bounces always to the same side.
    pub fn keep_after(&mut self) {
        let Self { articulation, pass, kept_after, .. } = self;
        let tree = &mut articulation.tree;
        pass.set_moving::<Quad>(tree, &tree.qd);
        pass.keep::<Quad>(tree, kept_after, &[], MOST_BY_STEP);
        pass.set_moving::<Quad>(tree, &tree.qd);
    }
}

/// q ← q + h (q̇ + ½ h q̈), q̇ ← q̇ + h q̈.
#[inline(always)]
fn advance(tree: &mut Tree, pass: &Pass, h: f64) {
    for (qd, column) in tree.qd.iter_mut().zip(&pass.columns) {
        *qd += 0.5 * h * column.acceleration;
    }
    let qd = core::mem::take(&mut tree.qd);
    tree.advance(&qd, h);
    tree.qd = qd;
    for (qd, column) in tree.qd.iter_mut().zip(&pass.columns) {
        *qd += 0.5 * h * column.acceleration;
    }
}

/// A joint that slides moves.
#[inline(always)]
fn slides(tree: &Tree) -> bool {
    tree.links.iter().any(|l| l.kind.slides() && tree.qd[l.dofs()].iter().any(|&v| v != 0.0))
}

/// What is done to a tree at once, compiled for each set of instructions.
struct Drift<'a> {
    working: &'a mut Working,
    h: f64,
}

impl Kernel for Drift<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<L: Lane>(self) -> bool {
        self.working.drift_slowly::<L::Packed>(self.h)
    }
}

struct CatchUp<'a>(&'a mut Working);

impl Kernel for CatchUp<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Working { articulation, pass, behind, .. } = self.0;
        let tree = &articulation.tree;
        if core::mem::take(behind) {
            pass.place_moving::<L::Packed>(tree, &tree.q, &tree.qd);
        } else {
            pass.set_moving::<L::Packed>(tree, &tree.qd);
        }
    }
}

struct Land<'a>(&'a mut Working);

impl Kernel for Land<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.0.land::<L::Packed>(true);
    }
}
