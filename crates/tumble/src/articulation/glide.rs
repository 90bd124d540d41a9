//! The motion of a tree that swings gently under its weight: one evaluation of its dynamics for a step, where `flight` takes four.
//!
//! ```text
//!   q₁ = q₀ + h (q̇₀ + ½ h q̈₀)
//!   q̈₁ = q̈(q₁, q̇₀ + h q̈₀)                   one pass over the tree
//!   q̇₁ = s (q̇₀ + ½ h (q̈₀ + q̈₁))              s² = (E + Σ F·c₁) / T
//! ```
//!
//! That is velocity Verlet, which is of second order and turns round with time; what it misses of the energy E = T - Σ F·c is seen
//! exactly, since constant forces F at the centres c do a work that does not depend on the way, and put right by s. Where more than a
//! small share is missed, or the joints turn far in a step, the tree is left to `flight`.
//!
//! q̈₁ is q̈₀ of the next step, and E stays as it is: both are part of the state of a tree, as long as nothing else changes it.
//!
//! It is for trees that are held, on joints that turn by angles, with nothing along them: what floats has momentum to keep as well.

use super::desc::Dof;
use super::dynamics::{Load, Pass};
use super::flight::stirred;
use super::kind::Kind;
use super::tree::Tree;
use crate::math::{Isa, Kernel, Lane, Num, Packed, Vec3};

/// Degrees of freedom from which on a tree glides. Shorter ones are cheap in flight, and what is compared with its equations, as pendulums are, is to have
/// the order of it.
const LEAST: usize = 8;

/// Radians by which a joint may turn in a step.
const FAR: f64 = 0.15;

/// The share of the kinetic energy, with what the loads would give a tree at rest, that a step may miss.
const MISSED: f64 = 4e-4;

/// The error of a flight, as a share of what it allows itself, below which a tree may glide again.
const READY: f64 = 0.5;

/// How a tree has glided, for the next step to go on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Glide {
    /// The last try failed, and flights have not been gentle since.
    pub refused: bool,
    /// q̈ and E at the end of the last step. Empty where it did not glide.
    pub accelerations: Vec<f64>,
    pub energy: f64,
    /// What the loads and the masses were; see [`key`].
    pub key: u64,
    /// Coordinates and velocities as they were left.
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
}

impl Glide {
    /// Nothing has touched the tree since it glided.
    pub fn holds(&self, q: &[f64], qd: &[f64]) -> bool {
        !self.accelerations.is_empty() && self.q == q && self.qd == qd
    }

    /// Takes note that the tree has flown instead.
    pub fn flown(&mut self, error: f64) {
        self.accelerations.clear();
        self.refused = !(error < READY);
    }
}

/// Moves a tree over `h` seconds, if it may glide: otherwise the answer is false, and it is where it was. Afterwards the pass has its links
/// where they are then, and their velocities.
pub(crate) fn glide(isa: Isa, tree: &mut Tree, pass: &mut Pass, loads: &[Load], h: f64) -> bool {
    if tree.glide.refused || tree.pace > 0 || !may_glide(tree, loads, h) {
        return false;
    }
    isa.dispatch(Step { tree, pass, loads, h })
}

/// Its joints are many and turn, by little, and nothing but constant forces acts on it.
fn may_glide(tree: &Tree, loads: &[Load], h: f64) -> bool {
    let turns = |kind: Kind| matches!(kind, Kind::Fixed | Kind::Revolute | Kind::Universal(_));
    // Mostly all of it holds: not a jump for each.
    let plain = |dof: &Dof| (dof.stiffness == 0.0) & (dof.damping == 0.0) & (dof.force == 0.0);
    let none = |v: Vec3<f64>| (v.x == 0.0) & (v.y == 0.0) & (v.z == 0.0);
    let constant = |l: &Load| (l.linear_damping == 0.0) & (l.angular_damping == 0.0) & none(l.torque);
    tree.qd.len() >= LEAST
        && tree.qd.iter().all(|v| (v * h).abs() < FAR)
        && tree.links.iter().all(|l| turns(l.kind))
        && tree.dofs.iter().all(plain)
        && loads.iter().all(constant)
}

struct Step<'a> {
    tree: &'a mut Tree,
    pass: &'a mut Pass,
    loads: &'a [Load],
    h: f64,
}

impl Kernel for Step<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<L: Lane>(self) -> bool {
        step::<L::Packed>(self.tree, self.pass, self.loads, self.h)
    }
}

#[inline(always)]
fn step<P: Packed>(tree: &mut Tree, pass: &mut Pass, loads: &[Load], h: f64) -> bool {
    let mut glide = core::mem::take(&mut tree.glide);
    let (mut q, mut qd) = (core::mem::take(&mut glide.q), core::mem::take(&mut glide.qd));
    let key = key(tree, loads);
    if glide.accelerations.is_empty() || glide.key != key || q != tree.q || qd != tree.qd {
        pass.place_moving::<P>(tree, &tree.q, &tree.qd);
        pass.forward::<P>(tree, loads, |_| 0.0);
        glide.energy = pass.kinetic_energy::<P>(tree, &tree.qd) - fall(pass, loads);
        glide.accelerations.clear();
        glide.accelerations.extend(pass.columns.iter().map(|c| c.acceleration));
        glide.key = key;
        q.clone_from(&tree.q);
        qd.clone_from(&tree.qd);
    }
    for (k, a) in glide.accelerations.iter().enumerate() {
        q[k] += h * (qd[k] + 0.5 * h * a);
        qd[k] += h * a;
    }
    pass.place_moving::<P>(tree, &q, &qd);
    let now = 0.5 * pass.go_forward::<P>(tree, loads, 0.5 * h, &mut glide.accelerations, &mut qd);
    let wanted = glide.energy + fall(pass, loads);
    let gentle = (now - wanted).abs() <= MISSED * (now + stirred(tree, loads, h)) && now > 0.0 && wanted > 0.0;
    if gentle {
        let scale = Num::sqrt(wanted / now);
        qd.iter_mut().for_each(|v| *v *= scale);
        // From the velocities along the joints, so that the links move as these say to the last bit.
        pass.move_links::<P>(tree, &qd);
        tree.q.copy_from_slice(&q);
        tree.qd.copy_from_slice(&qd);
    }
    (glide.q, glide.qd) = (q, qd);
    tree.glide = glide;
    gentle
}

/// Σ F·c about O, which stands still.
#[inline(always)]
fn fall(pass: &Pass, loads: &[Load]) -> f64 {
    pass.links.iter().zip(loads).fold(0.0, |sum, (moving, load)| sum + load.force.dot(moving.centre.into()))
}

/// A number that stands for the loads and for what they act on.
#[inline(always)]
fn key(tree: &Tree, loads: &[Load]) -> u64 {
    let mut sums = [0xcbf2_9ce4_8422_2325_u64; 4];
    let mut mix = |values: [f64; 4]| {
        for (sum, v) in sums.iter_mut().zip(values) {
            *sum = (*sum ^ v.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    };
    for (link, load) in tree.links.iter().zip(loads) {
        let (f, c, i) = (load.force, link.centre, link.inertia);
        mix([f.x, f.y, f.z, link.mass]);
        mix([c.x, c.y, c.z, i.xx]);
        mix([i.yy, i.zz, i.xy, i.xz]);
        mix([i.yz, 0.0, 0.0, 0.0]);
    }
    for dof in tree.dofs.chunks(4) {
        mix(core::array::from_fn(|k| dof.get(k).map_or(0.0, |d| d.armature)));
    }
    sums[0] ^ sums[1].rotate_left(16) ^ sums[2].rotate_left(32) ^ sums[3].rotate_left(48)
}

impl Pass {
    /// Outwards: the velocities of the links alone.
    #[inline(always)]
    fn move_links<P: Packed>(&mut self, tree: &Tree, qd: &[f64]) {
        for (i, link) in tree.links.iter().enumerate() {
            let mut v = self.of_parent::<P>(link, |moving| &moving.velocity);
            for k in link.dofs() {
                v = v + self.axes[k].load().times(qd[k]);
            }
            v.store(&mut self.links[i].velocity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Glide;
    use crate::articulation::{ArticulationDesc, Dof, LinkDesc};
    use crate::body::MassSource;
    use crate::math::{Sym3, Vec3};
    use crate::shape::MassProperties;
    use crate::{ArticulationId, BodyDesc, Method, World};

    const DT: crate::math::Real = 1.0 / 60.0;

    /// A rod of 1 kg with unlike moments and products of inertia.
    fn rod(xz: f64, yz: f64) -> MassProperties {
        MassProperties {
            mass: 1.0,
            centre: Vec3::ZERO,
            inertia: Sym3 { xx: 0.05, yy: 0.04, zz: 0.06, xy: 0.0, xz, yz },
        }
    }

    /// Rods on hinges across each other that swing a little, after half a second.
    fn swinging() -> (World, ArticulationId) {
        let mut method = Method::default();
        method.switches.sleep = false;
        let mut world = World::with_method(method).unwrap();
        let mut desc = ArticulationDesc::new();
        let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
        for (i, axis) in axes.into_iter().cycle().take(super::LEAST).enumerate() {
            let body = BodyDesc::dynamic().mass_properties(rod(0.01, 0.0));
            let link = LinkDesc::revolute(body, axis).anchor([0.0, 0.25, 0.1]).position(&[0.1]);
            desc.add(if i == 0 { link.at([0.0, 3.0, 0.0]) } else { link.parent(i - 1).at([0.0, -0.25, 0.0]) });
        }
        let id = world.add_articulation(desc).unwrap();
        (0..30).for_each(|_| world.step(DT).unwrap());
        (world, id)
    }

    fn glide_of(world: &mut World, id: ArticulationId) -> &mut Glide {
        &mut world.state.articulations.all.at_mut(id.index()).unwrap().tree.glide
    }

    /// Whatever the accelerations depend on: if it changes in mid-swing, the step after is that of a tree that remembers nothing.
    #[test]
    fn what_changes_a_tree_is_noticed() {
        let (mut world, id) = swinging();
        assert!(!glide_of(&mut world, id).accelerations.is_empty(), "it does not glide");
        world.step(DT).unwrap();
        assert!(!glide_of(&mut world, id).accelerations.is_empty() && !glide_of(&mut world, id).refused);
        type Change = fn(&mut World, ArticulationId);
        let set_mass = |world: &mut World, id, mass: MassProperties| {
            let link = world.articulation(id).unwrap().link(1).unwrap();
            world.body_mut(link).unwrap().set_mass(MassSource::Explicit(mass)).unwrap();
        };
        let changes: [(&str, Box<dyn Fn(&mut World, ArticulationId)>); 6] = [
            ("mass", Box::new(|w, id| set_mass(w, id, MassProperties { mass: 1.5, ..rod(0.01, 0.0) }))),
            ("centre", Box::new(|w, id| set_mass(w, id, MassProperties { centre: Vec3::X * 0.05, ..rod(0.01, 0.0) }))),
            ("products of inertia", Box::new(|w, id| set_mass(w, id, rod(0.0, 0.005)))),
            ("armature", {
                let change: Change = |w, id| {
                    w.articulation_mut(id).unwrap().set_dof(1, 0, Dof { armature: 0.1, ..Dof::default() }).unwrap()
                };
                Box::new(change)
            }),
            ("gravity", Box::new(|w, _| w.set_gravity([0.0, -3.0, 0.0]).unwrap())),
            ("velocity", Box::new(|w, id| w.articulation_mut(id).unwrap().set_velocity(&[0.1; super::LEAST]).unwrap())),
        ];
        for (name, change) in changes {
            let [mut knows, mut forgets, mut unchanged] = [world.clone(), world.clone(), world.clone()];
            *glide_of(&mut forgets, id) = Glide::default();
            change(&mut knows, id);
            change(&mut forgets, id);
            let [knows, forgets, unchanged] = [&mut knows, &mut forgets, &mut unchanged].map(|w| {
                w.step(DT).unwrap();
                w.articulation(id).unwrap().velocity().to_vec()
            });
            assert_eq!(knows, forgets, "{name}");
            assert_ne!(knows, unchanged, "{name}");
        }
    }
}
