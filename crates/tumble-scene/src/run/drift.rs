//! How well a run keeps what should be kept.

use serde::Serialize;
use tumble::math::{Float, Vec3};
use tumble::{BodyKind, Measures, World};

/// How far a quantity strayed from what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Drift {
    /// At the end; for a vector the length of the difference.
    pub end: f64,
    /// The farthest at any step.
    pub worst: f64,
    /// The farthest, as a share of what is moving: of the largest kinetic energy of the run, and of the largest momentum or
    /// angular momentum that the bodies had if each is counted by its size. Zero where nothing moved.
    pub share: f64,
}

impl Drift {
    fn enter(&mut self, stray: f64, scale: f64) {
        self.end = stray;
        if stray.abs() > self.worst || stray.is_nan() {
            self.worst = stray.abs();
        }
        self.share = if scale > 0.0 { self.worst / scale } else { 0.0 };
    }
}

/// Worlds of twice as many bodies are booked after every other step, and so on.
const FREE_BODIES: u64 = 500;
/// No more steps than this go by unbooked.
const LARGEST_STRIDE: u64 = 32;

/// The accounts of energy and momentum of a world.
///
/// Gravity and the forces that users set give the bodies F t and, about the origin, (c × F + τ) t in the time t. The
/// trapezoidal rule books this without error for bodies in flight: the part of c across a constant F moves steadily.
/// Contacts with fixed bodies, joints to them and damping are not booked, and show as drift.
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
    /// The largest so far: kinetic energy, sum of the sizes of momentum and of angular momentum.
    scale: [f64; 3],
    energy: Drift,
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
            scale: [0.0; 3],
            energy: Drift::default(),
            momentum: Drift::default(),
            angular_momentum: Drift::default(),
        };
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

        let [kinetic, momentum, angular] = self.scale;
        self.energy.enter(now.energy() - self.start.energy(), kinetic);
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
            if body.kind() != BodyKind::Dynamic || !body.is_active() {
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
        (force, torque)
    }

    pub fn energy(&self) -> Drift {
        self.energy
    }

    pub fn momentum(&self) -> Drift {
        self.momentum
    }

    pub fn angular_momentum(&self) -> Drift {
        self.angular_momentum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble::BodyDesc;
    use tumble::math::Real;

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

    /// What gravity and users do to momentum is booked. Nothing is left of it but rounding (60 steps of at most 6e-8
    /// each), and of the angular momentum no more than an integrator of first order misses the path by: dt/2 in 1 s.
    #[test]
    fn booked_forces_leave_no_drift() {
        let ledger = run(&mut world());
        assert!(ledger.momentum().share < 5e-6, "{:?}", ledger.momentum());
        assert!(ledger.angular_momentum().share < 1.0 / 120.0, "{:?}", ledger.angular_momentum());
    }

    /// A large world is booked after every few steps, and a summary may come between two entries; the sums are the same.
    #[test]
    fn entries_may_be_far_apart() {
        let mut world = world();
        let mut rare = Ledger::open(&world);
        let often = run(&mut world);
        rare.enter(&world);
        rare.enter(&world);
        assert!((rare.momentum().end - often.momentum().end).abs() < 1e-9);
        assert!((rare.energy().end - often.energy().end).abs() < 1e-9);
        assert!(rare.angular_momentum().share < 1.0 / 120.0);
    }

    /// What nobody booked shows, beyond what an integrator errs by: damping that takes a fifth of every speed per second.
    #[test]
    fn losses_show_as_drift() {
        let mut world = world();
        let ids: Vec<_> = world.body_ids().collect();
        for id in ids {
            world.body_mut(id).unwrap().set_damping(0.2, 0.2).unwrap();
        }
        let ledger = run(&mut world);
        for drift in [ledger.momentum(), ledger.angular_momentum()] {
            assert!(drift.share > 1.0 / 60.0 && drift.worst >= drift.end && drift.end > 0.0, "{drift:?}");
        }
    }

    /// A world that blows up says so.
    #[test]
    fn nan_shows() {
        let mut drift = Drift::default();
        drift.enter(f64::NAN, 1.0);
        assert!(drift.worst.is_nan());
    }
}
