//! How well a run keeps what should be kept.

use serde::Serialize;
use tumble::articulation::LinkJoint;
use tumble::math::{Float, Vec3};
use tumble::{BodyId, BodyKind, Measures, World};

/// How far a momentum strayed from what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Drift {
    /// Length of the difference at the end.
    pub end: f64,
    /// The longest at any time.
    pub worst: f64,
    /// The longest, as a share of the largest momentum that the bodies had if each is counted by its size. Zero where
    /// nothing moved.
    pub share: f64,
}

/// How the energy, kinetic and potential, changed. Contacts and damping lose energy; nothing but a force that somebody set
/// and a kinematic body may bring any.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct EnergyDrift {
    /// From the start to the end; negative for a loss.
    pub end: f64,
    /// How far it was above its start at the most.
    pub gain: f64,
    /// How far it was below.
    pub loss: f64,
    /// The larger of the two, as a share of what was turned over: the largest kinetic energy and the range of the
    /// potential one together. Zero where nothing moved.
    pub share: f64,
}

impl EnergyDrift {
    /// The gain alone, as a share of what was turned over.
    pub fn gain_share(&self) -> f64 {
        let largest = if self.gain < self.loss { self.loss } else { self.gain };
        share(self.gain * self.share, largest)
    }
}

impl Drift {
    fn enter(&mut self, stray: f64, scale: f64) {
        self.end = stray;
        if stray.abs() > self.worst || stray.is_nan() {
            self.worst = stray.abs();
        }
        self.share = share(self.worst, scale);
    }
}

impl EnergyDrift {
    fn enter(&mut self, change: f64, scale: f64) {
        self.end = change;
        if change > self.gain || change.is_nan() {
            self.gain = change;
        }
        if -change > self.loss || change.is_nan() {
            self.loss = -change;
        }
        self.share = share(if self.gain < self.loss { self.loss } else { self.gain }, scale);
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 || part.is_nan() { part / whole } else { 0.0 }
}

/// Worlds of twice as many bodies are booked after every other step, and so on.
const FREE_BODIES: u64 = 500;
/// No more steps than this go by unbooked.
const LARGEST_STRIDE: u64 = 32;

/// The accounts of energy and momentum of a world.
///
/// Gravity and the forces that users set give the bodies F t and, about the origin, (c × F + τ) t in the time t. The
/// trapezoidal rule books this without error for bodies in flight: the part of c across a constant F moves steadily.
/// Damping is not booked, and shows as drift. Where bodies that are not dynamic can be touched or hold something by a joint, and
/// where force effects act, momentum comes and goes that nobody can book: its accounts are not closed then.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    start: Measures,
    /// When the last entry was made.
    time: f64,
    steps: u64,
    force: Vec3<f64>,
    torque: Vec3<f64>,
    impulse: Vec3<f64>,
    angular_impulse: Vec3<f64>,
    /// Nothing but booked forces can have changed the momentum.
    closed: bool,
    /// The largest so far: kinetic energy, sum of the sizes of momentum and of angular momentum.
    scale: [f64; 3],
    /// The smallest and the largest potential energy so far.
    potential: (f64, f64),
    energy: EnergyDrift,
    momentum: Drift,
    angular_momentum: Drift,
}

impl Ledger {
    pub fn open(world: &World) -> Self {
        let mut ledger = Self {
            start: world.measure(),
            time: world.time(),
            steps: world.steps(),
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            impulse: Vec3::ZERO,
            angular_impulse: Vec3::ZERO,
            closed: true,
            scale: [0.0; 3],
            potential: (0.0, 0.0),
            energy: EnergyDrift::default(),
            momentum: Drift::default(),
            angular_momentum: Drift::default(),
        };
        ledger.potential = (ledger.start.potential, ledger.start.potential);
        let (force, torque) = ledger.survey(world);
        (ledger.force, ledger.torque) = (force, torque);
        ledger
    }

    /// Follows the world, with an entry after every step, or in large worlds after every few: the books must not cost
    /// more than the steps.
    pub fn follow(&mut self, world: &World) {
        let stride = (world.body_count() as u64 / FREE_BODIES).clamp(1, LARGEST_STRIDE);
        if world.steps() >= self.steps + stride {
            self.enter(world);
        }
    }

    /// Books what has happened since the last entry.
    pub fn enter(&mut self, world: &World) {
        let dt = world.time() - self.time;
        if world.steps() == self.steps {
            return;
        }
        (self.time, self.steps) = (world.time(), world.steps());
        let now = world.measure();
        let (force, torque) = self.survey(world);
        self.impulse += (self.force + force) * (dt / 2.0);
        self.angular_impulse += (self.torque + torque) * (dt / 2.0);
        (self.force, self.torque) = (force, torque);

        let (low, high) = self.potential;
        self.potential = (low.min(now.potential), high.max(now.potential));
        let [kinetic, momentum, angular] = self.scale;
        self.energy.enter(now.energy() - self.start.energy(), kinetic + self.potential.1 - self.potential.0);
        let stray = now.momentum - self.start.momentum - self.impulse;
        self.momentum.enter(stray.length(), momentum);
        let stray = now.angular_momentum - self.start.angular_momentum - self.angular_impulse;
        self.angular_momentum.enter(stray.length(), angular);
    }

    /// Force and torque about the origin on all bodies together; widens the scales.
    fn survey(&mut self, world: &World) -> (Vec3<f64>, Vec3<f64>) {
        let gravity = world.gravity().to_f64();
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        let mut sums = [0.0; 3];
        for id in world.body_ids() {
            let Ok(body) = world.body(id) else { continue };
            if !body.is_active() {
                continue;
            }
            if body.kind() != BodyKind::Dynamic {
                self.closed &= body.colliders().next().is_none();
                continue;
            }
            let (centre, p) = (body.centre_of_mass(), body.momentum());
            let f = gravity * (body.mass() * body.gravity_scale().to_f64()) + body.force().to_f64();
            force += f;
            torque += centre.cross(f) + body.torque().to_f64();
            sums[0] += body.kinetic_energy();
            sums[1] += p.length();
            sums[2] += centre.cross(p).length() + body.angular_momentum().length();
        }
        for (scale, sum) in self.scale.iter_mut().zip(sums) {
            *scale = scale.max(sum);
        }
        self.closed = self.closed && !is_held(world);
        (force, torque)
    }

    pub fn energy(&self) -> EnergyDrift {
        self.energy
    }

    pub fn momentum(&self) -> Option<Drift> {
        self.closed.then_some(self.momentum)
    }

    pub fn angular_momentum(&self) -> Option<Drift> {
        self.closed.then_some(self.angular_momentum)
    }
}

/// The world, a body that is not dynamic or a force effect acts on the others without a touch.
fn is_held(world: &World) -> bool {
    let outer = |id: BodyId| !world.body(id).is_ok_and(|b| b.kind() == BodyKind::Dynamic);
    let by_joint =
        |id| world.joint(id).is_ok_and(|j| j.is_active() && !j.is_broken() && j.bodies().into_iter().any(outer));
    let rooted = |id| {
        world.articulation(id).is_ok_and(|tree| {
            let root = |i: usize| tree.parent(i).is_ok_and(|parent| parent.is_none());
            let free = |i: usize| tree.joint(i).is_ok_and(|joint| joint == LinkJoint::Free);
            (0..tree.links().count()).any(|i| root(i) && !free(i))
        })
    };
    world.effect_count() > 0 || world.joint_ids().any(by_joint) || world.articulation_ids().any(rooted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble::articulation::{ArticulationDesc, LinkDesc};
    use tumble::force::Uniform;
    use tumble::math::Real;
    use tumble::shape::Shape;
    use tumble::{BodyDesc, EffectDesc, JointDesc};

    /// Two bodies in gravity, one of them pushed and twisted by the user, far from each other and off the origin.
    fn world() -> World {
        let mut world = World::new();
        let mut thrown = BodyDesc::dynamic().position([3.0, 1.0, -2.0]).linear_velocity([2.0, 4.0, -1.0]);
        thrown.force = [0.5, 0.0, 1.0].into();
        thrown.torque = [0.0, 0.02, 0.0].into();
        world.add_body(thrown).unwrap();
        world.add_body(BodyDesc::dynamic().position([-7.0, 0.0, 1.0]).gravity_scale(0.5)).unwrap();
        world
    }

    fn run(world: &mut World) -> Ledger {
        let dt: Real = 1.0 / 60.0;
        let mut ledger = Ledger::open(world);
        for _ in 0..60 {
            world.step(dt).unwrap();
            ledger.enter(world);
        }
        ledger
    }

    /// What gravity and users do to momentum is booked. Nothing is left but rounding: 60 steps of at most 6e-8 each.
    #[test]
    fn booked_forces_leave_no_drift() {
        let ledger = run(&mut world());
        for drift in [ledger.momentum().unwrap(), ledger.angular_momentum().unwrap()] {
            assert!(drift.share < 4e-6, "{drift:?}");
        }
    }

    /// A large world is booked after every few steps, and a summary may come between two entries; the sums
    /// are right all the same.
    #[test]
    fn entries_may_be_far_apart() {
        let mut world = world();
        let mut rare = Ledger::open(&world);
        let often = run(&mut world);
        rare.enter(&world);
        rare.enter(&world);
        for drift in [rare.momentum().unwrap(), rare.angular_momentum().unwrap()] {
            assert!(drift.share < 4e-6, "{drift:?}");
        }
        assert!((rare.energy().end - often.energy().end).abs() < 1e-9);
    }

    /// What nobody booked shows: damping that takes a fifth of every speed per second.
    #[test]
    fn losses_show_as_drift() {
        let mut world = World::new();
        let thrown = BodyDesc::dynamic().position([3.0, 1.0, 0.0]).linear_velocity([2.0, 4.0, -1.0]).damping(0.2, 0.2);
        world.add_body(thrown).unwrap();
        let ledger = run(&mut world);
        for drift in [ledger.momentum().unwrap(), ledger.angular_momentum().unwrap()] {
            assert!(drift.share > 0.05 && drift.worst >= drift.end && drift.end > 0.0, "{drift:?}");
        }
        let energy = ledger.energy();
        assert!(energy.loss > 1.0 && energy.gain == 0.0 && energy.end == -energy.loss, "{energy:?}");
        assert!(energy.share > 0.05 && energy.share < 1.0, "{energy:?}");
    }

    /// A floor takes momentum that is in no book; its drift would be a number without meaning. A fixed body that nothing can
    /// touch takes none.
    #[test]
    fn floors_open_the_books() {
        let mut world = world();
        world.add_body(BodyDesc::fixed()).unwrap();
        assert!(run(&mut world).momentum().is_some());
        let floor = Shape::half_space(Vec3::Y, -100.0).unwrap();
        world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
        let ledger = run(&mut world);
        assert_eq!((ledger.momentum(), ledger.angular_momentum()), (None, None));
        assert!(ledger.energy().share > 0.0);
    }

    /// So do joints to the world, trees that stand on it, and force effects; a joint between bodies and a tree in flight do not.
    #[test]
    fn what_holds_opens_the_books() {
        let books = |change: &dyn Fn(&mut World)| {
            let mut world = world();
            change(&mut world);
            Ledger::open(&world).momentum().is_some()
        };
        let first = |world: &World, n: usize| world.body_ids().nth(n).unwrap();
        let tie = |world: &mut World, a: BodyId| {
            let b = first(world, 1);
            world.add_joint(JointDesc::ball(a, b)).unwrap();
        };
        let tree = |world: &mut World, joint: LinkJoint| {
            let mut desc = ArticulationDesc::new();
            desc.add(LinkDesc::new(BodyDesc::dynamic().mass(1.0), joint));
            world.add_articulation(desc).unwrap();
        };
        assert!(books(&|world| tie(world, first(world, 0))) && books(&|world| tree(world, LinkJoint::Free)));
        assert!(!books(&|world| tie(world, World::BODY)));
        assert!(!books(&|world| tree(world, LinkJoint::Spherical)));
        assert!(!books(&|world| {
            world.add_effect(EffectDesc::new(Uniform::new([1.0, 0.0, 0.0]))).unwrap();
        }));
    }

    /// A world that blows up says so.
    #[test]
    fn nan_shows() {
        let (mut drift, mut energy) = (Drift::default(), EnergyDrift::default());
        for value in [f64::NAN, 1.0] {
            drift.enter(value, 1.0);
            energy.enter(value, 1.0);
        }
        assert!(drift.worst.is_nan() && drift.share.is_nan());
        assert!(energy.gain.is_nan() && energy.loss.is_nan() && energy.share.is_nan());
    }
}
