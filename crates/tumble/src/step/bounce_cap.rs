//! What bounces comes out of a step with no more energy than it went in with.
//!
//! Within a step contacts keep the inertia of its start, although the bodies turn: a blow that keeps the energy by that measure wins or
//! loses as much as the inertia has turned meanwhile. What a blow throws onto another contact, which only stops it, has been counted
//! twice. And the turn that [`adrift`](super::adrift) gives back takes no heed of energy. All that is little, but where materials lose nothing
//! it adds up for as long as something bounces. So after a step with impacts, in each group of bodies that touch and that nothing drives, with the energies T₀ and T₁
//! before and after the step and the work W of the loads:
//!
//! ```text
//!   T₁ > T₀ + W:     v ← V + Ω × x + f (v - V - Ω × x),    ω ← Ω + f (ω - Ω),    f² = (T₀ + W - T_r)/(T₁ - T_r)
//! ```
//!
//! V, Ω and T_r are the motion and the energy of the group as one rigid body about its centre of mass, with all of its momentum, which so stays as it is;
//! where something fixed holds it they are 0. Bodies part, slide and spin against each other f times as fast: what stuck sticks, and what
//! parted parts. One pass over the contacts where something may bounce; where something has, a second one, and five over the bodies.

use super::adrift::{Moments, counts, inertia_of};
use super::finish::Before;
use crate::body::store::{Bodies, Params, Velocity};
use crate::constraint::contact::NONE;
use crate::integrate::Loads;
use crate::math::spatial::Wrench;
use crate::math::{Float, NO_ROW, Num, Point, Real, Sym3, UnionFind, Vec3};
use crate::solve::contact_constraint::{ContactConstraints, Oddity};

/// What is known of a body, and of its group where it stands for it.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    /// The body itself was struck.
    hit: bool,
    struck: bool,
    held: bool,
    /// Something may add energy that is not counted here: a motor, a belt, a spring, a body that moves as it is told to.
    driven: bool,
    /// It cannot move as it would: its momentum is not its own.
    locked: bool,
    /// One more than the place of the sum of its group; 0 before it has one.
    sum: u32,
}

/// A group of bodies that touch each other.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Of what nothing holds: its velocity before the step. Energies are told as seen from there, so that what all have in common, however fast, does not
    /// drown what they have among each other.
    frame: Vec3<f64>,
    /// T₀ + W
    allowed: f64,
    /// T₁
    kinetic: f64,
    /// Of what nothing holds: the place of a body, and mass, moments and inertia about it.
    origin: Option<Point>,
    mass: f64,
    moments: Moments,
    inertia: Sym3<f64>,
    cut: Option<Cut>,
}

/// A contact: its bodies by place among the awake ones, [`NO_ROW`] for what nothing moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub bodies: [u32; 2],
    /// It bounced or was struck in this step.
    pub struck: bool,
    /// It may add energy by itself.
    pub drives: bool,
}

/// What is to be done to the velocities of a group.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// f
    share: f64,
    centre: Point,
    /// V and Ω
    linear: Vec3<f64>,
    angular: Vec3<f64>,
}

/// A body of a group, and what it was before the step.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// By place among the awake bodies.
    body: u32,
    sum: u32,
    held: bool,
    hit: bool,
    before: Before,
}

/// The groups of a step in which something was struck. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct BounceCap {
    groups: UnionFind,
    members: Vec<Member>,
    sums: Vec<Sum>,
    parts: Vec<Part>,
}

impl BounceCap {
    /// Nothing was struck.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.sums.clear();
    }

    /// Notes who may have won energy, before the bodies are moved. `driven` are bodies on which joints or trees act.
    pub fn note(
        &mut self,
        bodies: &Bodies,
        touches: impl Iterator<Item = Touch>,
        solved: &[u32],
        driven: impl Iterator<Item = u32>,
    ) {
        let Self { groups, members, sums, parts } = self;
        groups.reset(bodies.awake());
        members.clear();
        members.resize(bodies.awake(), Member::default());
        for Touch { bodies: [a, b], struck, drives } in touches {
            let held = (a == NO_ROW) != (b == NO_ROW);
            for body in [a, b] {
                if let Some(member) = members.get_mut(body as usize) {
                    member.struck |= struck;
                    member.held |= held;
                    member.driven |= drives;
                }
            }
            if a != NO_ROW && b != NO_ROW {
                groups.join(a, b);
            }
        }
        let links = (0..bodies.awake() as u32).filter(|&i| bodies.params[i as usize].has(Params::LINK));
        for i in driven.chain(links) {
            if let Some(member) = members.get_mut(i as usize) {
                member.driven = true;
            }
        }
        for i in 0..bodies.awake() as u32 {
            members[i as usize].hit = members[i as usize].struck;
            let (first, member) = (groups.find(i) as usize, members[i as usize]);
            members[first].driven |= member.driven;
            members[first].locked |= !counts(&bodies.params[i as usize]);
            members[first].struck |= member.struck;
            members[first].held |= member.held;
        }
        for &i in solved {
            let hit = members[i as usize].hit;
            let member = &mut members[groups.find(i) as usize];
            let counted = member.struck && !member.driven && (member.held || !member.locked);
            if !counted || bodies.params[i as usize].has(Params::KINEMATIC) {
                continue;
            }
            if member.sum == 0 {
                sums.push(Sum::default());
                member.sum = sums.len() as u32;
            }
            let before = Before { pose: bodies.pose[i as usize], velocity: bodies.velocity[i as usize] };
            let sum = &mut sums[member.sum as usize - 1];
            if !member.held {
                let mass = 1.0 / bodies.params[i as usize].inv_mass.to_f64();
                sum.mass += mass;
                sum.frame += before.velocity.linear.to_f64() * mass;
            }
            parts.push(Part { body: i, sum: member.sum - 1, held: member.held, hit, before });
        }
        for sum in sums.iter_mut().filter(|s| s.mass > 0.0) {
            sum.frame /= sum.mass;
        }
    }

    /// Takes back what was won, after the bodies have been moved. In methods that let `loads_first` act, impacts give back what these gave.
    pub fn settle(&mut self, bodies: &mut Bodies, loads: &Loads, loads_first: bool, dt: Real) {
        let Self { sums, parts, .. } = self;
        for &Part { body, sum, held, hit, ref before } in &*parts {
            let (i, sum) = (body as usize, &mut sums[sum as usize]);
            let (params, after) = (&bodies.params[i], Before { pose: bodies.pose[i], velocity: bodies.velocity[i] });
            let load = load_of(params, bodies.load_on(i), loads);
            let path = if loads_first {
                Path::LoadsFirst
            } else if hit {
                Path::Made
            } else {
                Path::Any
            };
            let won = work([before, &after], sum.frame, params, load, path, dt);
            sum.allowed += kinetic(before, sum.frame, params) + won;
            sum.kinetic += kinetic(&after, sum.frame, params);
            if !held {
                sum.add(&after, params);
            }
        }
        // What is no number is left to those who look for that.
        for sum in sums.iter_mut().filter(|s| s.kinetic > s.allowed && s.kinetic.is_finite()) {
            sum.cut = Some(sum.cut());
        }
        for part in &*parts {
            let Some(cut) = &sums[part.sum as usize].cut else { continue };
            let pose = &bodies.pose[part.body as usize];
            let Velocity { linear, angular } = &mut bodies.velocity[part.body as usize];
            let back = 1.0 - cut.share;
            let common = cut.linear + cut.angular.cross(pose.centre - cut.centre);
            *linear -= ((linear.to_f64() - common) * back).to_real();
            *angular -= ((angular.to_f64() - cut.angular) * back).to_real();
        }
    }
}

impl Sum {
    /// Adds a body to the moments.
    fn add(&mut self, body: &Before, params: &Params) {
        let origin = *self.origin.get_or_insert(body.pose.centre);
        let (x, mass) = (body.pose.centre - origin, 1.0 / params.inv_mass.to_f64());
        let inertia = inertia_of(&body.pose, params);
        let v = body.velocity.linear.to_f64() - self.frame;
        self.moments.add(x, mass, v, inertia * body.velocity.angular.to_f64());
        self.inertia = self.inertia + inertia + Sym3::point_mass(x) * mass;
    }

    fn cut(&self) -> Cut {
        let (mut linear, mut angular, mut centre, mut rigid) = (Vec3::ZERO, Vec3::ZERO, Point::ZERO, 0.0);
        if let Some(origin) = self.origin {
            let arm = self.moments.first / self.mass;
            linear = self.moments.linear / self.mass;
            let momentum = self.moments.about_centre(self.mass);
            let inertia = self.inertia - Sym3::point_mass(arm) * self.mass;
            angular = inertia.try_inverse().map_or(Vec3::ZERO, |inverse| inverse * momentum);
            centre = origin + arm;
            rigid = 0.5 * (linear.dot(self.moments.linear) + angular.dot(momentum));
        }
        let share = Num::sqrt(Num::max(self.allowed - rigid, 0.0) / (self.kinetic - rigid));
        Cut { share: if share < 1.0 { share } else { 1.0 }, centre, linear: self.frame + linear, angular }
    }
}

impl ContactConstraints {
    /// Something was struck in this step.
    pub fn any_struck(&self) -> bool {
        self.bounces && self.watches.iter().any(|w| w.struck.0 != [0.0; _])
    }

    /// All contacts.
    pub fn touches(&self) -> impl Iterator<Item = Touch> + '_ {
        self.groups.iter().flat_map(|group| {
            let (watch, oddity) = (self.watches.get(group.watch as usize), self.oddities.get(group.oddity as usize));
            let written = [group.written(0), group.written(1)];
            let used = (0..group.manifold.len()).filter(|&lane| group.manifold[lane] != NONE);
            used.map(move |lane| {
                let bodies = [written[0][lane], written[1][lane]];
                let kinematic = [group.body_a[lane], group.body_b[lane]] != bodies;
                let belt = |o: &Oddity| o.surface.iter().any(|s| s.0[lane] != 0.0);
                let spring = |o: &Oddity| o.firm_depth.0[lane] < 0.0;
                Touch {
                    bodies,
                    struck: watch.is_some_and(|w| w.struck.0[lane] > 0.0),
                    drives: kinematic || oddity.is_some_and(|o| belt(o) || spring(o)),
                }
            })
        })
    }
}

/// m v²/2 + ω·I ω/2, as seen from a frame that moves; axes about which it cannot turn count nothing.
fn kinetic(body: &Before, frame: Vec3<f64>, params: &Params) -> f64 {
    let part = |speed: f64, inverse: Real| if inverse > 0.0 { 0.5 * speed * speed / inverse.to_f64() } else { 0.0 };
    let omega = (body.pose.rotation * params.axes).unrotate(body.velocity.angular).to_f64();
    let (v, u) = ((body.velocity.linear.to_f64() - frame).length(), params.inv_inertia);
    part(v, params.inv_mass) + part(omega.x, u.x) + part(omega.y, u.y) + part(omega.z, u.z)
}

/// Force and torque on a body, with its weight.
fn load_of(params: &Params, load: Wrench, loads: &Loads) -> Wrench<f64> {
    let mass = if params.inv_mass > 0.0 { 1.0 / params.inv_mass.to_f64() } else { 0.0 };
    let weight = (loads.gravity * params.gravity_scale).to_f64() * mass;
    Wrench { force: weight + load.force.to_f64(), torque: load.torque.to_f64() }
}

/// Which way of a body loads work along.
enum Path {
    /// That which it made: of a body that was struck, whose impact has taken it where it is.
    Made,
    /// That, or the one that its velocities tell, whichever gives more: part of the way that a body made that was not struck may be what pushed it out of overlap, which velocities do
    /// not have to pay for.
    Any,
    /// Either, or that with the velocity that all of the load gives before the impact.
    LoadsFirst,
}

/// What the loads of a body have done in a step, as seen from a frame that moves.
fn work(
    [before, after]: [&Before; 2],
    frame: Vec3<f64>,
    params: &Params,
    load: Wrench<f64>,
    path: Path,
    dt: Real,
) -> f64 {
    let (force, dt) = (load.force, dt.to_f64());
    let mean = |v: Vec3, w: Vec3| (v + w).to_f64() * (0.5 * dt);
    let way = mean(before.velocity.linear, after.velocity.linear);
    let turn = mean(before.velocity.angular, after.velocity.angular);
    let made = force.dot(after.pose.centre - before.pose.centre);
    let faster = force * (0.5 * dt * params.inv_mass.to_f64());
    let first = force.dot(before.velocity.linear.to_f64() + faster) * dt;
    let most = match path {
        Path::Made => made,
        Path::Any => Num::max(made, force.dot(way)),
        Path::LoadsFirst => Num::max(Num::max(made, force.dot(way)), first),
    } - force.dot(frame) * dt;
    most + load.torque.dot(turn)
}
