//! Springs, dampers and motors along the degrees of freedom of a tree, as a kick takes them.
//!
//! They act as they will at the end of the sub-step, with the velocity q̇' that they lead to, x being the way to where they are at rest:
//!
//! ```text
//!   τ' = f + k (x - h q̇') - c q̇' = f + k x - b q̇'            b = c + h k
//!   M (q̇' - q̇) = h τ'      so that      (M + h b) (q̇' - q̇) = h (f + k x - b q̇)
//! ```
//!
//! A motor that would have to pull with more than its largest force F pulls with ±F instead, and its b is not in M + h b. What it would have to pull with depends
//! on what the rows do: a blow on a link is met by h b of its motor, however weak that is. So it is asked again after every pass over the rows. Then all impulses
//! of the sub-step stay as they are, and only what motors give is other than before: with forces τ₁ and b₁ before and τ₂ and b₂ afterwards, and P = Jᵀλ the
//! impulses of the rows,
//!
//! ```text
//!   (M + h b₁) (q̇₁ - q̇) = h τ₁ + P       (M + h b₂) (q̇₂ - q̇) = h τ₂ + P       so that       (M + h b₂) (q̇₂ - q̇₁) = h (τ₂'(q̇₁) - τ₁'(q̇₁))
//! ```
//!
//! Where springs turn a link about all axes with unlike stiffness, what they pull with beyond k x (see `Kind::aside`) is part of f. That is taken where the
//! tree is, so that of what is too stiff to be followed in such steps only as much as they can follow.

use crate::articulation::dynamics::Column;
use crate::articulation::tree::{Link, Tree};
use crate::math::Num;

/// A damped spring along a degree of freedom.
#[derive(Clone, Copy, Debug, Default)]
struct Spring {
    /// f
    force: f64,
    /// k and b
    stiffness: f64,
    lag: f64,
}

impl Spring {
    fn new(force: f64, stiffness: f64, damping: f64, h: f64) -> Self {
        Self { force, stiffness, lag: damping + h * stiffness }
    }

    /// f + k x - b q̇
    #[inline(always)]
    fn pull(&self, x: f64, qd: f64) -> f64 {
        self.force + self.stiffness * x - self.lag * qd
    }
}

/// All that draws along one degree of freedom.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    joint: Spring,
    motor: Spring,
    /// The largest force of the motor, and -1, 0, 1: it pulls with all of it.
    most: f64,
    saturated: f64,
    /// The ways to where the spring of the joint and that of the motor are at rest.
    way: f64,
    motor_way: f64,
    /// What the drift has added to the velocity since the kick: motors have no part in it.
    coasted: f64,
}

impl Drawn {
    /// The force that the motor would have to give for this velocity.
    #[inline(always)]
    fn wanted(&self, qd: f64) -> f64 {
        self.motor.pull(self.motor_way, qd)
    }

    /// The force that it gives.
    #[inline(always)]
    fn given(&self, qd: f64) -> f64 {
        if self.saturated == 0.0 { self.wanted(qd) } else { self.saturated * self.most }
    }

    /// b of the joint, and of the motor unless it pulls with all it has.
    #[inline(always)]
    fn lag(&self) -> f64 {
        if self.saturated == 0.0 { self.joint.lag + self.motor.lag } else { self.joint.lag }
    }

    /// k of the motor, or of a softer one that pulls over the way with its largest force.
    fn stiffness_at_most(&self) -> f64 {
        Num::min(self.motor.stiffness, self.most / self.motor_way.abs())
    }

    /// -1, 0, 1: it would have to pull with more than it can.
    #[inline(always)]
    fn exceeded(&self, qd: f64) -> f64 {
        let wanted = self.wanted(qd);
        if wanted > self.most {
            1.0
        } else if wanted < -self.most {
            -1.0
        } else {
            0.0
        }
    }
}

/// Those of a whole tree. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Springs {
    all: Vec<Drawn>,
    /// Links on joints with springs, and with motors that are springs.
    sprung: Vec<u32>,
    driven: Vec<u32>,
    /// Some motor has a largest force.
    limited: bool,
    /// Links on joints that turn about all axes with springs or motors of unlike stiffness, and how lightly each turns at the start of the step: the largest 1/D.
    unlike: Vec<(u32, f64)>,
    /// That is still to be found.
    unweighed: bool,
}

impl Springs {
    pub fn clear(&mut self) {
        self.all.clear();
        self.limited = false;
    }

    /// Those of the tree in a step with sub-steps of h, if they are not known yet.
    pub fn gather(&mut self, tree: &Tree, h: f64) {
        if !self.all.is_empty() {
            return;
        }
        self.sprung.clear();
        self.driven.clear();
        self.all.extend(tree.dofs.iter().map(|dof| {
            let motor = &dof.motor;
            // A motor that holds a speed by force is a row.
            let draws = motor.is_on() && motor.damping.is_finite();
            Drawn {
                joint: Spring::new(dof.force, dof.stiffness, dof.damping, h),
                motor: if draws {
                    Spring::new(motor.damping * motor.speed, motor.stiffness, motor.damping, h)
                } else {
                    Spring::default()
                },
                most: if draws { motor.max_force } else { f64::INFINITY },
                saturated: 0.0,
                way: 0.0,
                motor_way: 0.0,
                coasted: 0.0,
            }
        }));
        for (i, link) in tree.links.iter().enumerate() {
            let of_link = &self.all[link.dofs()];
            if of_link.iter().any(|d| d.joint.stiffness != 0.0) {
                self.sprung.push(i as u32);
            }
            if of_link.iter().any(|d| d.motor.stiffness != 0.0) {
                self.driven.push(i as u32);
            }
        }
        self.limited = self.all.iter().any(|d| d.most.is_finite());
        self.unlike.clear();
        for (i, link) in tree.links.iter().enumerate().filter(|(_, link)| link.kind.turns_about_all()) {
            let [a, b, c] = turning(&self.all, link);
            let differ = |of: fn(&Drawn) -> f64| of(a) != of(b) || of(b) != of(c);
            if differ(|d| d.joint.stiffness) || differ(|d| d.motor.stiffness) {
                self.unlike.push((i as u32, 0.0));
            }
        }
        self.unweighed = !self.unlike.is_empty();
    }

    /// [`Springs::weigh`] is to be called before [`Springs::lean`].
    pub fn is_unweighed(&self) -> bool {
        self.unweighed
    }

    /// Finds how lightly links with springs of unlike stiffness turn. `columns` are those of M.
    pub fn weigh(&mut self, tree: &Tree, columns: &[Column]) {
        for (link, light) in &mut self.unlike {
            let last = tree.links[*link as usize].dofs().end;
            *light = columns[last - 3..last].iter().fold(0.0, |most, column| Num::max(most, column.inverse));
        }
        self.unweighed = false;
    }

    /// Finds what springs of unlike stiffness pull with beyond k x. After [`Springs::reach`].
    pub fn lean(&mut self, tree: &Tree, h: f64) {
        for &(link, light) in &self.unlike {
            let link = &tree.links[link as usize];
            let first = link.dofs().end - 3;
            let drawn = turning(&self.all, link);
            let [joint, motor]: [[f64; 3]; 2] = [
                (drawn.map(|d| d.way), drawn.map(|d| d.joint.stiffness)),
                (drawn.map(|d| d.motor_way), drawn.map(Drawn::stiffness_at_most)),
            ]
            .map(|(way, stiffness)| {
                let stiffest = stiffness.iter().fold(0.0, |most, &k| Num::max(most, k));
                let followed = 1.0 / (1.0 + h * h * stiffest * light);
                link.kind.aside(way, stiffness).map_or([0.0; 3], |aside| aside.map(|a| a * followed))
            });
            let springs = drawn.iter().filter(|d| d.motor.stiffness != 0.0);
            let most = springs.fold(0.0, |most, d| Num::max(most, d.most));
            for (i, k) in (first..first + 3).enumerate() {
                let (dof, drawn) = (&tree.dofs[k], &mut self.all[k]);
                drawn.joint.force = dof.force + joint[i];
                if drawn.motor.lag != 0.0 {
                    drawn.motor.force = dof.motor.damping * dof.motor.speed + motor[i];
                } else if dof.motor.max_force > 0.0 {
                    // About an axis without a motor the others pull, and no harder than they can.
                    drawn.joint.force += motor[i].clamp(-most, most);
                }
            }
        }
    }

    /// Finds the ways from where the tree is.
    #[inline(always)]
    pub fn reach(&mut self, tree: &Tree) {
        let Self { all, sprung, driven, .. } = self;
        let mut reach = |links: &[u32], to: &[f64], set: fn(&mut Drawn, f64)| {
            for &link in links {
                let link = &tree.links[link as usize];
                let (qs, vs) = (link.coordinates(), link.dofs());
                let mut ways = [0.0; 6];
                link.kind.offset(&tree.q[qs.clone()], &to[qs], &mut ways[..vs.len()]);
                all[vs].iter_mut().zip(ways).for_each(|(drawn, way)| set(drawn, way));
            }
        };
        reach(sprung, &tree.rest, |drawn, way| drawn.way = way);
        reach(driven, &tree.target, |drawn, way| drawn.motor_way = way);
    }

    /// τ, and h b into `extra`. Whether `extra` has changed.
    #[inline(always)]
    pub fn draw(&self, qd: &[f64], h: f64, tau: &mut [f64], extra: &mut [f64]) -> bool {
        let mut changed = false;
        for ((drawn, &qd), (tau, extra)) in self.all.iter().zip(qd).zip(tau.iter_mut().zip(extra)) {
            let lag = drawn.lag();
            *tau = drawn.joint.pull(drawn.way, qd) + drawn.given(qd);
            changed |= *extra != h * lag;
            *extra = h * lag;
        }
        changed
    }

    /// Tells motors that have reached their largest force from the others, by the accelerations that they lead to. Whether there are others than
    /// before.
    #[inline(always)]
    pub fn saturate(&mut self, qd: &[f64], columns: &[Column], h: f64) -> bool {
        let mut changed = false;
        if !self.limited {
            return changed;
        }
        for ((drawn, &qd), column) in self.all.iter_mut().zip(qd).zip(columns) {
            let now = drawn.exceeded(qd + h * column.acceleration);
            // From one side to the other in one round: it is between them.
            let now = if now * drawn.saturated < 0.0 { 0.0 } else { now };
            changed |= now != drawn.saturated;
            drawn.saturated = now;
            drawn.coasted = 0.0;
        }
        changed
    }

    /// Some motor has a largest force.
    pub fn is_limited(&self) -> bool {
        self.limited
    }

    /// The tree is about to move on by itself, and [`Springs::arrive`] says that it has.
    pub fn depart(&mut self, qd: &[f64]) {
        self.all.iter_mut().zip(qd).for_each(|(drawn, qd)| drawn.coasted -= qd);
    }

    pub fn arrive(&mut self, qd: &[f64]) {
        self.all.iter_mut().zip(qd).for_each(|(drawn, qd)| drawn.coasted += qd);
    }

    /// The same by the velocities that rows have led to: motors that have reached their largest force, and with `release` those that have not any more. If there are
    /// others than before, the impulses that they give beyond what they gave are in `tau`, and h b in `extra`.
    pub fn yield_to(&mut self, qd: &[f64], h: f64, release: bool, tau: &mut [f64], extra: &mut [f64]) -> bool {
        let mut changed = false;
        for ((drawn, &qd), tau) in self.all.iter_mut().zip(qd).zip(&mut *tau) {
            let qd = qd - drawn.coasted;
            let (now, given) = (drawn.exceeded(qd), drawn.given(qd));
            // As in `saturate`.
            let now = if release && now * drawn.saturated < 0.0 { 0.0 } else { now };
            if now != drawn.saturated && (release || now != 0.0) {
                drawn.saturated = now;
                changed = true;
            }
            *tau = h * (drawn.given(qd) - given);
        }
        if changed {
            self.all.iter().zip(extra).for_each(|(drawn, extra)| *extra = h * drawn.lag());
        }
        changed
    }
}

/// What draws about the axes of a joint that turns about all of them.
fn turning<'a>(all: &'a [Drawn], link: &Link) -> [&'a Drawn; 3] {
    let first = link.dofs().end - 3;
    core::array::from_fn(|i| &all[first + i])
}
