//! What motion without forces keeps: kinetic energy, and of what floats momentum and spin, which is angular momentum about the centre of
//! mass.
//!
//! A step of finite length misses all three by a little, and always to the same side. They are put right afterwards, by root: links
//! on different roots have nothing in common. Of what stands on a root that something holds, all velocities are scaled. What floats moves
//! as a rigid whole with the velocity V that its momentum and spin p give its inertia I, and within itself, without either, by the
//! rest; the energies of both add up:
//!
//! ```text
//!   V = I⁻¹ p        T = ½ V·p + T_inner        s² = (T₀ - ½ V₀·p₀) / T_inner
//!   V ← V₀           inner velocities ← s · inner velocities
//! ```
//!
//! Spin, and not angular momentum about a fixed point: where the centre of mass comes to lie is not exact either, and of a tree that
//! falls fast the least shift would be a spin.

use super::desc::Dof;
use super::dynamics::{Load, Moving, Pass};
use super::kind::Kind;
use super::packed::SixIn;
use super::tree::{Link, Tree};
use crate::constraint::contact::NONE;
use crate::math::spatial::{Motion, SpatialInertia, Wrench};
use crate::math::{Num, Packed, Sym3, Vec3};

/// The share of the energy below which what links do among themselves is rounding.
const NEGLIGIBLE: f64 = 1e-9;

/// Of the links on one root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    energy: f64,
    drive: Drive,
}

/// Momentum, and spin about the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Drive {
    momentum: Vec3<f64>,
    spin: Vec3<f64>,
}

/// The links on a root as one rigid body.
struct Whole {
    mass: f64,
    centre: Vec3<f64>,
    inverse: Sym3<f64>,
}

impl Whole {
    /// V, about O.
    fn motion(&self, drive: &Drive) -> Motion<f64> {
        let angular = self.inverse * drive.spin;
        Motion { angular, linear: drive.momentum / self.mass - angular.cross(self.centre) }
    }

    /// ½ V·p
    fn energy(&self, drive: &Drive) -> f64 {
        0.5 * (drive.momentum.length_squared() / self.mass + self.inverse.quadratic(drive.spin))
    }
}

impl Pass {
    /// Notes what is to be kept, root by root, and p of all links as [`Pass::set_bias`] does without loads: both take the momentum of each link.
    #[inline(always)]
    pub fn note_kept<P: Packed>(&mut self, tree: &Tree, out: &mut Vec<Kept>) {
        out.clear();
        // No closure: it would not be compiled for the instructions of the kernel.
        for root in roots(tree) {
            let mut sums = Sums::<P>::zero();
            for (moving, link) in self.links.iter_mut().zip(&tree.links).filter(|(_, link)| link.root == root as u32) {
                let momentum = sums.add(moving, link);
                moving.velocity.load().cross_wrench(momentum).store(&mut moving.bias);
            }
            out.push(sums.kept(tree, root));
        }
    }

    /// Puts energy, momentum and spin right, or gives what floats the `drives` that are known of it. No more than the share `most` of the inner
    /// velocities is put right. The links must have been placed and set moving; afterwards the pass does not move as the tree does.
    #[inline(always)]
    pub fn keep<P: Packed>(&self, tree: &mut Tree, before: &[Kept], drives: &[Drive], most: f64) {
        for (i, before) in before.iter().enumerate() {
            let Some(root) = roots(tree).nth(i) else { return };
            let (now, whole) = self.kept_whole::<P>(tree, root);
            let outer = |drive: &Drive| whole.as_ref().map_or(0.0, |whole| whole.energy(drive));
            let (inner_before, inner) = (before.energy - outer(&before.drive), now.energy - outer(&now.drive));
            let scale = if inner > NEGLIGIBLE * now.energy && inner_before > 0.0 && inner_before.is_finite() {
                Num::sqrt(inner_before / inner).clamp(1.0 - most, 1.0 + most)
            } else {
                1.0
            };
            for (qd, &link) in tree.qd.iter_mut().zip(&tree.dof_link) {
                if tree.links[link as usize].root == root as u32 {
                    *qd *= scale;
                }
            }
            if let Some(whole) = &whole {
                // The root has been scaled with the rest; the rigid motion of all is as it was.
                let to = drives.get(i).unwrap_or(&before.drive);
                self.change_root(tree, root, whole.motion(to) - whole.motion(&now.drive) * scale);
            }
        }
    }

    /// Gives what floats momentum and spin that are known of it, root by root, and leaves what its links do among themselves as it is.
    pub fn steer<P: Packed>(&self, tree: &mut Tree, drives: &[Drive]) {
        self.steer_to::<P>(tree, drives, |_, known| known);
    }

    /// The same where momentum alone is known: spin stays as it is.
    pub fn steer_momentum<P: Packed>(&self, tree: &mut Tree, drives: &[Drive]) {
        self.steer_to::<P>(tree, drives, |now, known| Drive { momentum: known.momentum, ..now });
    }

    fn steer_to<P: Packed>(&self, tree: &mut Tree, drives: &[Drive], to: impl Fn(Drive, Drive) -> Drive) {
        for (i, &known) in drives.iter().enumerate() {
            let Some(root) = roots(tree).nth(i) else { return };
            if let (Kept { drive: now, .. }, Some(whole)) = self.kept_whole::<P>(tree, root) {
                self.change_root(tree, root, whole.motion(&to(now, known)) - whole.motion(&now));
            }
        }
    }

    /// Momentum and spin root by root, where nothing but loads on links can change them: no root is held, and nothing acts along it. Otherwise
    /// nothing at all.
    pub fn note_drives<P: Packed>(&self, tree: &Tree, out: &mut Vec<Drive>) {
        out.clear();
        let adrift = |root: usize| {
            let link = &tree.links[root];
            link.kind == Kind::Free && tree.dofs[link.dofs()].iter().all(|dof| *dof == Dof::default())
        };
        if roots(tree).all(adrift) {
            out.extend(roots(tree).map(|root| self.kept::<P>(tree, root).drive));
        }
    }

    /// What loads over `h` add to momentum and spin, as [`Pass::set_bias`] takes them.
    #[inline(always)]
    pub fn drive_on<P: Packed>(&self, tree: &Tree, loads: &[Load], h: f64, drives: &mut [Drive]) {
        for (drive, root) in drives.iter_mut().zip(roots(tree)) {
            let (mut sum, mut moment, mut mass) = (SixIn::<P>::zero(), P::zero(), 0.0);
            for ((moving, link), load) in self.links.iter().zip(&tree.links).zip(loads) {
                if link.root == root as u32 {
                    sum = sum + moving.wrench_of(load, link.mass);
                    moment = moment + P::load(&moving.centre).times(link.mass);
                    mass += link.mass;
                }
            }
            let Wrench { torque, force } = sum.wrench();
            drive.momentum += force * h;
            drive.spin += (torque - centre(moment, mass).cross(force)) * h;
        }
    }

    /// Adds a rigid motion of all links on a free root to the velocities of the root.
    #[inline(always)]
    fn change_root(&self, tree: &mut Tree, root: usize, change: Motion<f64>) {
        let (shift, dofs) = (change.velocity_at(self.links[root].place.origin.into()), tree.links[root].dofs());
        for (k, (qd, axis)) in tree.qd[dofs.clone()].iter_mut().zip(&self.axes[dofs]).enumerate() {
            let axis = axis.motion();
            *qd += if k < 3 { axis.linear.dot(shift) } else { axis.angular.dot(change.angular) };
        }
    }

    #[inline(always)]
    fn kept<P: Packed>(&self, tree: &Tree, root: usize) -> Kept {
        let mut sums = Sums::<P>::zero();
        for (moving, link) in self.links.iter().zip(&tree.links).filter(|(_, link)| link.root == root as u32) {
            sums.add(moving, link);
        }
        sums.kept(tree, root)
    }

    /// The same, and the links on the root as one body: none where the root is held, or where what turns with a motor of the root is none of the links.
    #[inline(always)]
    fn kept_whole<P: Packed>(&self, tree: &Tree, root: usize) -> (Kept, Option<Whole>) {
        let link = &tree.links[root];
        if link.kind != Kind::Free || tree.dofs[link.dofs()].iter().any(|dof| dof.armature != 0.0) {
            return (self.kept::<P>(tree, root), None);
        }
        let (mut sums, mut inertia) = (Sums::<P>::zero(), [P::zero(); 3]);
        for (moving, link) in self.links.iter().zip(&tree.links).filter(|(_, link)| link.root == root as u32) {
            sums.add(moving, link);
            let [x, y, z] = moving.tensor_about_origin::<P>(link.mass);
            inertia = [inertia[0] + x, inertia[1] + y, inertia[2] + z];
        }
        (sums.kept(tree, root), sums.whole(inertia))
    }
}

/// Of the links on a root, about O: twice the kinetic energy, momentum, and mass times place.
struct Sums<P> {
    twice: f64,
    momentum: SixIn<P>,
    moment: P,
    mass: f64,
}

impl<P: Packed> Sums<P> {
    #[inline(always)]
    fn zero() -> Self {
        Self { twice: 0.0, momentum: SixIn::zero(), moment: P::zero(), mass: 0.0 }
    }

    /// Adds a link; the answer is its momentum.
    #[inline(always)]
    fn add(&mut self, moving: &Moving, link: &Link) -> SixIn<P> {
        let of_link = moving.momentum(link.mass);
        self.twice += moving.velocity.load().dot(of_link);
        self.momentum = self.momentum + of_link;
        self.moment = self.moment + P::load(&moving.centre).times(link.mass);
        self.mass += link.mass;
        of_link
    }

    #[inline(always)]
    fn kept(&self, tree: &Tree, root: usize) -> Kept {
        let mut twice = self.twice;
        for ((dof, qd), &link) in tree.dofs.iter().zip(&tree.qd).zip(&tree.dof_link) {
            if dof.armature != 0.0 && tree.links[link as usize].root == root as u32 {
                twice += dof.armature * qd * qd;
            }
        }
        let all = self.momentum.wrench();
        let drive = Drive { momentum: all.force, spin: all.torque - centre(self.moment, self.mass).cross(all.force) };
        Kept { energy: 0.5 * twice, drive }
    }

    /// As one body, of this inertia about O by columns. None of what has no mass or does not resist being turned.
    #[inline(always)]
    fn whole(&self, inertia: [P; 3]) -> Option<Whole> {
        let whole = SpatialInertia { mass: self.mass, moment: self.moment.vec3(), inertia: by_columns(inertia) };
        let centre = whole.centre()?;
        let inverse = (whole.inertia - Sym3::point_mass(centre) * whole.mass).try_inverse()?;
        Some(Whole { mass: whole.mass, centre, inverse })
    }
}

/// A symmetric matrix by its entries, from columns.
#[inline(always)]
fn by_columns<P: Packed>([x, y, z]: [P; 3]) -> Sym3<f64> {
    let [x, y, z] = [x.vec3(), y.vec3(), z.vec3()];
    Sym3 { xx: x.x, xy: x.y, xz: x.z, yy: y.y, yz: y.z, zz: z.z }
}

impl Tree {
    /// Moves free roots over `h` by their velocity, and lets them stand. Without forces, what happens is the same for one who rides along with
    /// the root; and factors that are a little worn make accelerations of any speed that they should know nothing of.
    pub fn ride_along(&mut self, h: f64, velocities: &mut Vec<f64>) {
        velocities.clear();
        for link in self.links.iter().filter(|link| link.kind == Kind::Free) {
            let (q, qd) = (link.first_q as usize, link.first_dof as usize);
            for k in 0..3 {
                let velocity = core::mem::take(&mut self.qd[qd + k]);
                self.q[q + k] += h * velocity;
                velocities.push(velocity);
            }
        }
    }

    /// Gives free roots back the velocities that [`Tree::ride_along`] took.
    pub fn ride_on(&mut self, velocities: &[f64]) {
        let free = self.links.iter().filter(|link| link.kind == Kind::Free);
        for (link, velocity) in free.zip(velocities.as_chunks::<3>().0) {
            for (k, velocity) in velocity.iter().enumerate() {
                self.qd[link.first_dof as usize + k] += velocity;
            }
        }
    }
}

/// The centre of mass, about O; what has no mass has it there.
#[inline(always)]
fn centre<P: Packed>(moment: P, mass: f64) -> Vec3<f64> {
    if mass > 0.0 { moment.vec3() / mass } else { Vec3::ZERO }
}

/// The links that hang on nothing but the world.
fn roots(tree: &Tree) -> impl Iterator<Item = usize> + '_ {
    (0..tree.links.len()).filter(|&i| tree.links[i].parent == NONE)
}

#[cfg(test)]
mod tests {
    use crate::articulation::dynamics::{Load, Pass};
    use crate::articulation::tests::Random;
    use crate::math::{Quad, Vec3};

    /// What floats without any mass gains what forces on it give, about a centre that is a place.
    #[test]
    fn loads_drive_a_tree_without_mass() {
        let mut tree = Random(7).tree(2, true);
        tree.dofs.iter_mut().for_each(|dof| *dof = Default::default());
        tree.links.iter_mut().for_each(|link| link.mass = 0.0);
        let (mut pass, mut drives) = (Pass::default(), Vec::new());
        pass.place_moving::<Quad>(&tree, &tree.q, &tree.qd);
        pass.note_drives::<Quad>(&tree, &mut drives);
        let before = drives[0];
        let load = Load { force: Vec3::X, ..Load::default() };
        pass.drive_on::<Quad>(&tree, &[load; 2], 0.5, &mut drives);
        assert_eq!(drives[0].momentum - before.momentum, Vec3::X);
        assert!(drives[0].spin.is_finite(), "{drives:?}");
    }
}
