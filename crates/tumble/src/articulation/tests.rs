//! The passes against each other, and against laws that know nothing of them.

use super::desc::{ArticulationDesc, LinkDesc};
use super::dynamics::{Load, Pass};
use super::flight::{Forces, Stages, fly};
use super::kind::{Kind, LinkJoint};
use super::mass_matrix::MassMatrix;
use super::reach::{FOUR, Reach, lead_in};
use super::response::Impulse;
use super::tree::{Link, Tree};
use crate::body::BodyDesc;
use crate::math::spatial::{Motion, Wrench};
use crate::math::{Fours, Isa, Kernel, Lane, Mat3, Packed, Quad, Quat, Sym3, Vec3, WorldPose};
use crate::shape::MassProperties;

/// A plain generator of numbers: the trees are the same everywhere.
pub(super) struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// In [-1, 1].
    pub fn number(&mut self) -> f64 {
        self.bits() as f64 / f64::from(1u32 << 30) - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.number(), self.number(), self.number())
    }

    pub fn rotation(&mut self) -> Quat {
        Quat::new(self.number(), self.number(), self.number(), self.number()).normalized().to_real()
    }

    fn frame(&mut self) -> WorldPose {
        WorldPose::new(self.vector() * 0.5, self.rotation())
    }

    pub fn mass(&mut self) -> MassProperties {
        let moments = Vec3::new(0.2, 0.3, 0.4) + Vec3::all(0.1) * self.number().abs();
        let inertia = Sym3::diagonal(moments * 0.1).rotated(&self.rotation().to_f64().to_mat3());
        MassProperties { mass: 1.0 + self.number().abs(), centre: self.vector() * 0.3, inertia }
    }

    /// A tree with all kinds of joints, moving; with its masses.
    pub fn tree(&mut self, links: usize, floating: bool) -> Tree {
        let mut desc = ArticulationDesc::new();
        for i in 0..links {
            let axis: Vec3 = (self.vector() + Vec3::Z * 2.0).to_real();
            let second = axis.cross(Vec3::X) + axis * 0.2;
            let joint = match self.below(9) {
                0 | 1 => LinkJoint::Revolute { axis },
                2 => LinkJoint::Prismatic { axis },
                3 => LinkJoint::Helical { axis, lead: 0.3 },
                4 => LinkJoint::Universal { first: axis, second },
                5 => LinkJoint::Spherical,
                6 => LinkJoint::Cylindrical { axis },
                7 => LinkJoint::Planar { normal: axis },
                _ => LinkJoint::Fixed,
            };
            let joint = if i == 0 && floating { LinkJoint::Free } else { joint };
            let mut link = LinkDesc::new(BodyDesc::dynamic(), joint).frames(self.frame(), self.frame());
            if i > 0 {
                // Mostly chains, some branches.
                link = link.parent(if self.below(3) == 0 { self.below(i) } else { i - 1 });
            }
            for dof in &mut link.dofs {
                dof.armature = 0.05 * self.number().abs();
            }
            link.position = (0..joint.coordinates()).map(|_| self.number()).collect();
            link.velocity = (0..joint.dofs()).map(|_| 2.0 * self.number()).collect();
            desc.add(link);
        }
        assert!(desc.validate().is_ok());
        let mut tree = Tree::new(&desc);
        for link in &mut tree.links {
            link.set_mass(&self.mass());
        }
        tree
    }

    fn loads(&mut self, tree: &Tree) -> Vec<Load> {
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        tree.links
            .iter()
            .map(|l| Load { force: gravity * l.mass + self.vector(), torque: self.vector(), ..Load::default() })
            .collect()
    }
}

fn placed(tree: &Tree) -> Pass {
    let mut pass = Pass::default();
    pass.place::<Quad>(tree, &tree.q);
    pass.set_moving::<Quad>(tree, &tree.qd);
    pass
}

/// All passes over a tree: accelerations by both ways, then energy, power and momentum.
struct AllPasses<'a> {
    tree: &'a Tree,
    loads: &'a [Load],
    tau: &'a [f64],
}

impl Kernel for AllPasses<'_> {
    type Output = Vec<u64>;
    #[inline(always)]
    fn run<L: Lane>(self) -> Vec<u64> {
        let Self { tree, loads, tau } = self;
        let (mut pass, mut out) = (Pass::default(), Vec::new());
        pass.place_moving::<L::Packed>(tree, &tree.q, &tree.qd);
        pass.forward::<L::Packed>(tree, loads, |k| tau[k]);
        out.extend(pass.columns.iter().map(|c| c.acceleration));
        pass.place::<L::Packed>(tree, &tree.q);
        pass.set_moving::<L::Packed>(tree, &tree.qd);
        pass.set_bias::<L::Packed>(tree, Some(loads), true);
        pass.factor::<L::Packed>(tree, Some(tau));
        pass.accelerate::<L::Packed>(tree, |k| tau[k], true);
        out.extend(pass.columns.iter().flat_map(|c| [c.acceleration, c.inverse, c.drive]));
        for moving in &pass.links {
            let (place, velocity) = (moving.place.unpacked(), moving.velocity.motion());
            let [x, y, z] = [place.rotation.x, place.rotation.y, place.rotation.z].map(Vec3::to_array);
            out.extend([x, y, z, place.origin.to_array()].concat());
            out.extend(velocity.to_array());
            out.extend(moving.acceleration.motion().to_array());
        }
        out.push(pass.kinetic_energy::<L::Packed>(tree, &tree.qd));
        out.push(pass.power::<L::Packed>(tree, loads, &tree.qd, |k| tau[k]));
        out.extend(pass.momentum::<L::Packed>(tree).to_array());
        let mut kept = Vec::new();
        pass.note_kept::<L::Packed>(tree, &mut kept);
        let mut changed = tree.clone();
        changed.qd.iter_mut().for_each(|v| *v *= 1.01);
        pass.set_moving::<L::Packed>(&changed, &changed.qd);
        pass.keep::<L::Packed>(&mut changed, &kept, &[], 0.1);
        out.extend(changed.qd);
        out.into_iter().map(f64::to_bits).collect()
    }
}

/// Passes over trees of all kinds of joints give the same bits with every set of instructions.
#[test]
fn instructions_change_no_bit_of_a_tree() {
    let mut random = Random(23);
    for case in 0..60 {
        let tree = random.tree(1 + case % 24, case % 2 == 0);
        let mut loads = random.loads(&tree);
        for load in loads.iter_mut().step_by(2) {
            (load.linear_damping, load.angular_damping) = (0.3, 0.2);
        }
        let tau: Vec<f64> = tree.dofs.iter().map(|_| random.number().abs()).collect();
        let all = || AllPasses { tree: &tree, loads: &loads, tau: &tau };
        let plain = Isa::SCALAR.dispatch(all());
        for isa in Isa::available() {
            assert_eq!(isa.dispatch(all()), plain, "case {case}, {isa:?}");
        }
    }
}

/// The largest difference as a share of the largest number.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let size = a.iter().chain(b).fold(1e-300, |m: f64, x| if x.abs() > m { x.abs() } else { m });
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| if (x - y).abs() > m { (x - y).abs() } else { m }) / size
}

/// Forward dynamics by the articulated bodies, then inverse dynamics by Newton and Euler: the forces come back. And H q̈ + C = τ
/// with the mass matrix of the composite bodies and its factors. The tolerance is the rounding of double precision times the
/// condition of trees of this size.
#[test]
fn three_algorithms_agree() {
    let mut random = Random(7);
    for case in 0..60 {
        let count = 1 + case % 24;
        let tree = random.tree(count, case % 2 == 0);
        let loads = random.loads(&tree);
        let n = tree.dofs.len();
        let tau: Vec<f64> = (0..n).map(|_| random.number()).collect();
        let mut pass = placed(&tree);
        pass.set_bias::<Quad>(&tree, Some(&loads), true);
        pass.factor::<Quad>(&tree, None);
        pass.accelerate::<Quad>(&tree, |k| tau[k], true);
        let qdd: Vec<f64> = pass.columns.iter().map(|c| c.acceleration).collect();
        let mut back = vec![0.0; n];
        pass.inverse(&tree, &loads, &qdd, &mut back);
        let size = qdd.iter().fold(1.0, |m: f64, x| if x.abs() > m { x.abs() } else { m });
        assert!(difference(&tau, &back) < 1e-11 * size, "case {case}: {}", difference(&tau, &back));

        let mut bias = vec![0.0; n];
        pass.inverse(&tree, &loads, &vec![0.0; n], &mut bias);
        let mut h = MassMatrix::new(&tree, &pass);
        let dense = h.to_dense();
        for i in 0..n {
            let row: f64 = (0..n).map(|j| dense[i * n + j] * qdd[j]).sum();
            assert!((row + bias[i] - tau[i]).abs() < 1e-10 * size, "case {case}");
        }
        h.factor();
        let mut x: Vec<f64> = (0..n).map(|k| tau[k] - bias[k]).collect();
        h.solve(&mut x);
        assert!(difference(&x, &qdd) < 1e-9, "case {case}: {}", difference(&x, &qdd));
    }
}

/// ½ q̇ᵀ H q̇ is the kinetic energy of the links, and of armatures.
#[test]
fn mass_matrix_holds_the_energy() {
    let mut random = Random(11);
    for case in 0..30 {
        let tree = random.tree(2 + case % 12, case % 2 == 0);
        let pass = placed(&tree);
        let n = tree.dofs.len();
        let h = MassMatrix::new(&tree, &pass).to_dense();
        let mut twice = 0.0;
        for i in 0..n {
            for j in 0..n {
                twice += tree.qd[i] * h[i * n + j] * tree.qd[j];
            }
        }
        let energy = pass.kinetic_energy::<Quad>(&tree, &tree.qd);
        assert!((0.5 * twice - energy).abs() < 1e-12 * energy);
    }
}

/// The velocities of links are the rates of their places: against differences of two placings.
#[test]
fn velocities_are_rates_of_places() {
    let mut random = Random(13);
    for case in 0..30 {
        let tree = random.tree(2 + case % 8, case % 2 == 0);
        let pass = placed(&tree);
        let at = |h: f64| {
            let mut q = tree.q.clone();
            for link in &tree.links {
                let mut rate = vec![0.0; link.kind.coordinates()];
                link.kind.rate(&q[link.coordinates()], &tree.qd[link.dofs()], &mut rate);
                for (q, r) in q[link.coordinates()].iter_mut().zip(rate) {
                    *q += h * r;
                }
            }
            let mut moved = Pass::default();
            moved.place::<Quad>(&tree, &q);
            moved
        };
        let h = 1e-6;
        let (before, after) = (at(-h), at(h));
        for (i, moving) in pass.links.iter().enumerate() {
            let shift = |p: &Pass| Vec3::from(p.links[i].centre) + p.origin;
            let rate = (shift(&after) - shift(&before)) / (2.0 * h);
            let (velocity, place) = (moving.velocity.motion(), moving.place.unpacked());
            let v = velocity.velocity_at(moving.centre.into());
            assert!((rate - v).length() < 1e-7 * (1.0 + v.length()), "case {case}, link {i}");
            let spin =
                (after.links[i].place.unpacked().rotation - before.links[i].place.unpacked().rotation) * (0.5 / h);
            let expected = Mat3::skew(velocity.angular) * place.rotation;
            let off = spin - expected;
            let size = off.x.length() + off.y.length() + off.z.length();
            assert!(size < 1e-6 * (1.0 + velocity.angular.length()), "case {case}, link {i}");
        }
    }
}

/// An impulse changes velocities by as much as two full passes differ by, with and without it as a force (000-36); and K between
/// any two points is the transpose of K the other way round, and positive.
#[test]
fn impulses_equal_the_difference_of_two_passes() {
    let mut random = Random(17);
    for case in 0..40 {
        let tree = random.tree(2 + case % 16, case % 2 == 0);
        let n = tree.dofs.len();
        if n == 0 {
            continue;
        }
        let loads = random.loads(&tree);
        let mut pass = placed(&tree);
        pass.factor::<Quad>(&tree, None);
        let (link, dof) = (random.below(tree.links.len()), random.below(n));
        let (force, point, push) = (random.vector(), random.vector(), random.number());
        let wrench = Wrench::at(force, point);
        let (mut by_impulse, mut moved) = (vec![0.0; n], vec![Motion::ZERO; tree.links.len()]);
        let impulses = [Impulse::Link(link, wrench), Impulse::Dof(dof, push)];
        pass.respond_moving(&tree, &impulses, &mut by_impulse, &mut moved);
        // In quasi-velocities it is the pass inwards alone, and back it is the same; half of z² is the energy.
        pass.hold_factors();
        let mut g = vec![0.0; n];
        for impulse in impulses {
            pass.lead_in(&tree, impulse, |k, u| g[k] += u * pass.columns[k].root);
        }
        let (mut back, mut z, mut room) = (vec![0.0; n], vec![0.0; n], Vec::new());
        pass.add_quasi_velocities::<Quad>(&tree, &g, &mut back, &mut room);
        pass.quasi_velocities::<Quad>(&tree, &by_impulse, &mut z, &mut room);
        let size = by_impulse.iter().fold(1.0, |m: f64, x| m + x.abs());
        let scale = g.iter().fold(1.0, |m: f64, x| m + x.abs());
        for k in 0..n {
            assert!((back[k] - by_impulse[k]).abs() <= 1e-10 * size, "case {case}, {k}: {back:?} for {by_impulse:?}");
            assert!((z[k] - g[k]).abs() <= 1e-9 * scale, "case {case}, {k}: {z:?} for {g:?}");
        }
        pass.set_moving::<Quad>(&tree, &by_impulse);
        let energy = pass.kinetic_energy::<Quad>(&tree, &by_impulse);
        let half = 0.5 * g.iter().map(|g| g * g).sum::<f64>();
        assert!((energy - half).abs() <= 1e-9 * (energy + half), "case {case}: {energy}, {half}");
        // By the rows of all links it is the same, and none of those beyond the way are there.
        let mut alone = vec![0.0; n];
        pass.lead_in(&tree, impulses[0], |k, u| alone[k] += u * pass.columns[k].root);
        for (k, (found, wanted)) in by_reach(&tree, &pass, link, wrench).iter().zip(&alone).enumerate() {
            assert!((found - wanted).abs() <= 1e-10 * (scale + wanted.abs()), "case {case}, {k}: {found}, {wanted}");
        }
        let velocities = tree.qd.clone();
        pass.set_moving::<Quad>(&tree, &velocities);
        let mut run = |on: f64| -> Vec<f64> {
            pass.set_bias::<Quad>(&tree, Some(&loads), true);
            pass.links[link].bias = (pass.links[link].bias.wrench() - wrench * on).into();
            pass.accelerate::<Quad>(&tree, |k| if k == dof { push * on } else { 0.0 }, true);
            pass.columns.iter().map(|c| c.acceleration).collect()
        };
        let (with, without) = (run(1.0), run(0.0));
        let by_passes: Vec<f64> = with.iter().zip(&without).map(|(a, b)| a - b).collect();
        let size = without.iter().fold(1.0, |m: f64, x| if x.abs() > m { x.abs() } else { m });
        let error = by_impulse.iter().zip(&by_passes).fold(0.0, |m: f64, (a, b)| m + (a - b).abs());
        assert!(error < 1e-10 * size, "case {case}: {error}");

        let (a, b) = ((link, random.vector()), (random.below(tree.links.len()), random.vector()));
        let (ab, ba) = (pass.response(&tree, a, b), pass.response(&tree, b, a));
        let own = pass.response(&tree, a, a);
        let size = own.iter().map(|c| c.length()).sum::<f64>() + 1e-12;
        for i in 0..3 {
            for j in 0..3 {
                assert!((ab[i][j] - ba[j][i]).abs() < 1e-10 * (1.0 + size), "case {case}: K_ab = K_baᵀ");
            }
        }
        let v = random.vector();
        let kv = own[0] * v.x + own[1] * v.y + own[2] * v.z;
        assert!(v.dot(kv) > -1e-10 * size, "case {case}: K is positive");
    }
}

/// A kick in quasi-velocities is h M⁻¹ τ of the passes, whatever the loads; and what weight alone acts on and nothing holds it moves as a whole.
#[test]
fn kicks_in_quasi_velocities_are_those_of_the_passes() {
    let mut random = Random(41);
    for case in 0..60 {
        let floating = case % 2 == 0;
        let mut tree = random.tree(1 + case % 16, floating);
        let (n, h) = (tree.dofs.len(), 0.25);
        if floating {
            tree.dofs[..6].iter_mut().for_each(|dof| dof.armature = 0.0);
        }
        let mut pass = placed(&tree);
        pass.factor::<Quad>(&tree, None);
        pass.hold_factors();
        let (loads, weight) = (random.loads(&tree), random.vector());
        let tau: Vec<f64> = (0..n).map(|_| random.number()).collect();
        pass.set_bias::<Quad>(&tree, Some(&loads), false);
        pass.accelerate::<Quad>(&tree, |k| tau[k], false);
        let wanted: Vec<f64> = pass.columns.iter().map(|c| h * c.acceleration).collect();
        let (mut z, mut found, mut room) = (vec![0.0; n], vec![0.0; n], Vec::new());
        pass.push_loads::<Quad>(&tree, &loads, |k| tau[k], h, &mut z);
        pass.add_quasi_velocities::<Quad>(&tree, &z, &mut found, &mut room);
        let size = wanted.iter().fold(1.0, |m: f64, x| m + x.abs());
        for k in 0..n {
            assert!((found[k] - wanted[k]).abs() <= 1e-9 * size, "case {case}, {k}: {found:?} for {wanted:?}");
        }
        if floating {
            let heavy = |link: &Link| Load { force: weight * link.mass, ..Load::default() };
            let loads: Vec<Load> = tree.links.iter().map(heavy).collect();
            let (mut by_loads, mut whole) = (vec![0.0; n], vec![0.0; n]);
            pass.push_loads::<Quad>(&tree, &loads, |_| 0.0, h, &mut by_loads);
            pass.push_whole(&tree, weight * h, &mut whole);
            let size = by_loads.iter().fold(1.0, |m: f64, x| m + x.abs());
            for k in 0..n {
                assert!((by_loads[k] - whole[k]).abs() <= 1e-9 * size, "case {case}, {k}: {by_loads:?}, {whole:?}");
            }
        }
    }
}

/// G of a wrench on a link, by the rows that are found for all links.
fn by_reach(tree: &Tree, pass: &Pass, link: usize, Wrench { torque, force }: Wrench<f64>) -> Vec<f64> {
    let mut reach = Reach::default();
    // What stands before another tree is not mistaken for it.
    for _ in 0..2 {
        reach.add(tree);
    }
    reach.want(1, link as u32);
    reach.arrange(tree, 1);
    reach.find::<<Quad as Packed>::Fours>(tree, pass, 1);
    let w = [torque.x, torque.y, torque.z, force.x, force.y, force.z].map(Fours::splat);
    let mut g = vec![0.0; tree.dofs.len().next_multiple_of(FOUR)];
    let (fours, rows) = (reach.fours(1, link as u32), reach.rows(1, link as u32));
    assert!(fours.is_sorted_by(|a, b| a < b), "{fours:?}");
    for (&four, a) in fours.iter().zip(rows) {
        let mut of_four = Quad::ZERO;
        lead_in::<<Quad as Packed>::Fours>(a, &w).store(&mut of_four);
        g[FOUR * four as usize..][..FOUR].copy_from_slice(&of_four.0);
    }
    assert!(g[tree.dofs.len()..].iter().all(|&g| g == 0.0));
    g
}

/// A floating tree without loads keeps its momentum and energy; with gravity, momentum grows by m g t. All kinds of joints, 10 s.
#[test]
fn flight_keeps_momentum_and_energy() {
    let mut random = Random(19);
    for case in 0..4 {
        let mut tree = random.tree(8, true);
        for dof in &mut tree.dofs {
            // The spin of a motor is no part of the momentum of the links.
            dof.armature = 0.0;
        }
        let gravity = if case % 2 == 0 { Vec3::ZERO } else { Vec3::new(0.0, -9.81, 0.0) };
        let loads: Vec<Load> = tree.links.iter().map(|l| Load { force: gravity * l.mass, ..Load::default() }).collect();
        let mass: f64 = tree.links.iter().map(|l| l.mass).sum();
        let mut pass = placed(&tree);
        // Angular momentum about the centre of mass, which gravity does not change.
        let spin = |pass: &Pass, tree: &Tree| {
            let p = pass.momentum::<Quad>(tree);
            let centre = pass
                .links
                .iter()
                .zip(&tree.links)
                .fold(Vec3::ZERO, |s, (m, l)| s + Vec3::from(m.centre) * (l.mass / mass));
            (p.force, p.torque - centre.cross(p.force))
        };
        let ((p0, l0), e0) = (spin(&pass, &tree), pass.kinetic_energy::<Quad>(&tree, &tree.qd));
        let mut stages = Stages::default();
        let steps = 600;
        for _ in 0..steps {
            fly(
                crate::math::Isa::detect(),
                &mut tree,
                &mut pass,
                &mut stages,
                &Forces { loads: &loads, joints: false, falls: false },
                1.0 / 60.0,
            );
        }
        let (p1, l1) = spin(&pass, &tree);
        let fallen = gravity * (mass * f64::from(steps) / 60.0);
        let scale = p0.length() + l0.length();
        assert!((p1 - p0 - fallen).length() < 1e-4 * scale, "case {case}: {:?}", (p1 - p0 - fallen).length() / scale);
        assert!((l1 - l0).length() < 1e-4 * scale, "case {case}: {:?}", (l1 - l0).length() / scale);
        if gravity == Vec3::ZERO {
            let e1 = pass.kinetic_energy::<Quad>(&tree, &tree.qd);
            // 600 spans with an allowance of 2e-7 each.
            assert!((e1 - e0).abs() < 1.3e-4 * e0, "case {case}: {}", (e1 - e0) / e0);
        }
    }
}

/// A chain of rods of half a metre, from the horizontal or at this angle from hanging.
fn chain(links: usize, angle: f64) -> (Tree, Vec<Load>) {
    let mut desc = ArticulationDesc::new();
    for i in 0..links {
        let mut link = LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 0.0, 1.0]).anchor([0.0, 0.25, 0.0]);
        if i > 0 {
            link = link.parent(i - 1).at([0.0, -0.25, 0.0]);
        } else {
            link = link.position(&[angle]);
        }
        desc.add(link);
    }
    let mut tree = Tree::new(&desc);
    let inertia = Sym3::diagonal(Vec3::new(1.0 / 48.0, 1e-3, 1.0 / 48.0));
    for link in &mut tree.links {
        link.set_mass(&MassProperties { mass: 1.0, centre: Vec3::ZERO, inertia });
    }
    let loads = vec![Load { force: Vec3::new(0.0, -9.81, 0.0), ..Load::default() }; links];
    (tree, loads)
}

/// What neither moves nor is moved flies in one piece: it misses nothing, whatever that is measured by.
#[test]
fn trees_at_rest_without_weight_are_not_cut() {
    let (mut tree, _) = chain(5, 0.3);
    let (mut pass, mut stages) = (Pass::default(), Stages::default());
    let before = tree.q.clone();
    let forces = Forces { loads: &[], joints: true, falls: false };
    let error = fly(crate::math::Isa::SCALAR, &mut tree, &mut pass, &mut stages, &forces, 1.0 / 60.0);
    assert_eq!((error, tree.pace, tree.q), (0.0, 0, before));
}

/// Potential energy of links of 1 kg.
fn height(pass: &Pass) -> f64 {
    pass.links.iter().map(|m| 9.81 * (m.centre.0[1] + pass.origin.y)).sum()
}

/// The whip: chains let go at the horizontal keep their energy, as a share of what they release from there to hanging.
#[test]
fn whip_keeps_its_energy() {
    for (links, seconds) in [(32, 6), (100, 2)] {
        let (mut tree, loads) = chain(links, core::f64::consts::FRAC_PI_2);
        let (mut pass, mut stages) = (placed(&tree), Stages::default());
        let released = 9.81 * 0.25 * (links * links) as f64;
        let start = height(&pass);
        let (mut gain, mut loss) = (0.0_f64, 0.0_f64);
        for _ in 0..seconds * 60 {
            fly(
                crate::math::Isa::detect(),
                &mut tree,
                &mut pass,
                &mut stages,
                &Forces { loads: &loads, joints: true, falls: false },
                1.0 / 60.0,
            );
            let change = (height(&pass) + pass.kinetic_energy::<Quad>(&tree, &tree.qd) - start) / released;
            if change > gain {
                gain = change;
            }
            if -change > loss {
                loss = -change;
            }
        }
        assert!(gain < 1e-3 && loss < 1e-2, "{links} links: gain {gain:.2e}, loss {loss:.2e}");
    }
}

/// A point of 1e4 kg on a chain of 9 links of 1 kg swings as a pendulum of their length: period within 1 %.
#[test]
fn heavy_end_swings_as_a_pendulum() {
    let links = 10;
    let (mut tree, mut loads) = chain(links, 0.05);
    let end = tree.links.len() - 1;
    let ball = MassProperties { mass: 1e4, centre: Vec3::ZERO, inertia: Sym3::diagonal(Vec3::all(10.0)) };
    tree.links[end].set_mass(&ball);
    loads[end].force = Vec3::new(0.0, -9.81e4, 0.0);
    let length = 0.5 * (links - 1) as f64 + 0.25;
    let period = 2.0 * core::f64::consts::PI * (length / 9.81_f64).sqrt();
    let (mut pass, mut stages) = (placed(&tree), Stages::default());
    let (mut crossings, mut last) = (Vec::new(), 0.0);
    for step in 1..=1200 {
        fly(
            crate::math::Isa::detect(),
            &mut tree,
            &mut pass,
            &mut stages,
            &Forces { loads: &loads, joints: true, falls: false },
            1.0 / 60.0,
        );
        let x = pass.links[end].centre.0[0];
        if last < 0.0 && x >= 0.0 {
            crossings.push((f64::from(step) - x / (x - last)) / 60.0);
        }
        last = x;
    }
    assert!(crossings.len() >= 3);
    let measured = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((measured / period - 1.0).abs() < 0.01, "{measured} for {period}");
}

/// Measures for people: `cargo test -p tumble --release --lib articulation::tests::whip_figures -- --ignored --nocapture`.
#[test]
#[ignore = "long: a minute of the whip, printed"]
fn whip_figures() {
    for (links, angle, seconds) in [(32, 90.0_f64, 60), (100, 90.0, 60), (32, 20.0, 60)] {
        let (mut tree, loads) = chain(links, angle.to_radians());
        let (mut pass, mut stages) = (placed(&tree), Stages::default());
        let released = 9.81 * 0.25 * (links * links) as f64 * (1.0 - libm::cos(angle.to_radians()));
        let start = height(&pass);
        let (mut gain, mut loss, mut finest) = (0.0_f64, 0.0_f64, 0);
        let clock = std::time::Instant::now();
        for _ in 0..seconds * 60 {
            fly(
                crate::math::Isa::detect(),
                &mut tree,
                &mut pass,
                &mut stages,
                &Forces { loads: &loads, joints: true, falls: false },
                1.0 / 60.0,
            );
            let change = (height(&pass) + pass.kinetic_energy::<Quad>(&tree, &tree.qd) - start) / released;
            gain = if change > gain { change } else { gain };
            loss = if -change > loss { -change } else { loss };
            finest = finest.max(tree.pace);
        }
        let cost = clock.elapsed().as_secs_f64() / f64::from(seconds * 60) * 1e6;
        println!(
            "{links} links from {angle}°: gain {gain:.2e}, loss {loss:.2e}, finest 2^-{finest}, {cost:.0} µs/step"
        );
        let n = 10_000;
        let clock = std::time::Instant::now();
        for _ in 0..n {
            pass.place::<Quad>(&tree, &tree.q);
            pass.set_moving::<Quad>(&tree, &tree.qd);
            pass.set_bias::<Quad>(&tree, Some(&loads), true);
            pass.factor::<Quad>(&tree, None);
            pass.accelerate::<Quad>(&tree, |_| 0.0, true);
        }
        let ns = clock.elapsed().as_secs_f64() / f64::from(n) / links as f64 * 1e9;
        println!("forward dynamics: {ns:.0} ns per degree of freedom");
    }
}

/// Coordinates that follow an offset get to its target, in one piece or in two, about one axis.
#[test]
fn coordinates_follow_offsets() {
    let turned = |axis: Vec3<f64>, angle: f64| {
        let q = Quat::from_axis_angle(axis.normalize_or(Vec3::X), angle);
        [q.x, q.y, q.z, q.w]
    };
    let (a, b) = (turned(Vec3::new(1.0, 2.0, -0.5), 0.4), turned(Vec3::new(-0.3, 1.0, 0.8), 2.6));
    let free = |at: [f64; 3], q: [f64; 4]| [&at[..], &q[..]].concat();
    for (kind, from, to) in [
        (Kind::Revolute, vec![0.3], vec![9.0]),
        (Kind::Spherical, a.to_vec(), b.to_vec()),
        (Kind::Free, free([1.0, 2.0, 3.0], b), free([-1.0, 0.5, 3.5], a)),
    ] {
        let mut offset = vec![0.0; kind.dofs()];
        kind.offset(&from, &to, &mut offset);
        for shares in [&[1.0][..], &[0.5, 0.5], &[0.2, 0.7, 0.1]] {
            let mut q = from.clone();
            shares.iter().for_each(|&share| kind.follow(&mut q, &offset, share));
            let same = q.iter().zip(&to).all(|(q, to)| (q - to).abs() < 1e-12);
            // Of a quaternion the sign means nothing.
            let turned = |q: &[f64]| q[q.len() - 4..].iter().map(|x| -x).collect::<Vec<_>>();
            let opposite = kind != Kind::Revolute && {
                let place = &q[..q.len() - 4];
                place.iter().zip(&to).all(|(q, to)| (q - to).abs() < 1e-12)
                    && turned(&q).iter().zip(&to[to.len() - 4..]).all(|(q, to)| (q - to).abs() < 1e-12)
            };
            assert!(same || opposite, "{kind:?}, {shares:?}: {q:?} for {to:?}");
        }
    }
}
