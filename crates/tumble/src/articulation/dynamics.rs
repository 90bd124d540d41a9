//! Forward dynamics: the articulated-body algorithm, O(n).
//!
//! After Featherstone, *Rigid Body Dynamics Algorithms* (2008), chapter 7, with two changes that suit trees of many kinds of joints.
//!
//! Everything refers to one point O near the tree and to the axes of the world, so that nothing has to be led from frame to frame:
//! what a child hands to its parent is added as it is. And a joint of several degrees of freedom is taken one column at a time,
//! as if bodies without mass lay between them; that is the block factorisation of Sᵀ Iᴬ S row by row, and needs no small
//! matrices. With h the parent, v velocities, c the part of the acceleration that q̈ does not change (see `kind`), f the loads:
//!
//! ```text
//!   outwards   v = v_h + S q̇,  c                         p = v ×* I v - f,  Iᴬ = I
//!   inwards    for each column, the last first:
//!                U = Iᴬ S    D = S·U + armature            u = τ - S·p
//!                Iᴬ ← Iᴬ - U Uᵀ / D                        p ← p + U u / D
//!              Iᴬ_h += Iᴬ                                  p_h += p + Iᴬ c
//!   outwards   a = a_h + c;  for each column, the first first:
//!                q̈ = (u - U·a) / D                         a ← a + S q̈
//! ```
//!
//! U and D depend on q alone. They stay, and with them the response to any impulse is one pass inwards over the links on the
//! way to the world and one outwards: see `response`.
//!
//! All of it is in double precision in both crates: a chain of a hundred links has a mass matrix of condition 10⁸, and one
//! tree is too narrow a problem for wide registers, so that single precision would cost accuracy and win no time.
//!
//! The passes are inlined into what calls them, so that a kernel (see [`Isa::dispatch`](crate::math::Isa::dispatch)) compiles them for its
//! set of instructions.

use super::kind::Place;
use super::tree::Tree;
use crate::constraint::contact::NONE;
use crate::math::spatial::{ArticulatedInertia, Motion, SpatialInertia, Wrench};
use crate::math::{Sym3, Vec3};

/// What acts on a link from outside: a force at its centre of mass, and a torque, in the axes of the world.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Load {
    pub force: Vec3<f64>,
    pub torque: Vec3<f64>,
    /// Force per velocity of the centre, against it; torque per angular velocity, as shares of mass and inertia.
    pub linear_damping: f64,
    pub angular_damping: f64,
}

/// A link in the course of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    /// The frame of the link, in the axes of the world, about O.
    pub place: Place,
    pub velocity: Motion<f64>,
    /// c
    pub drift: Motion<f64>,
    /// The centre of mass, about O, and the inertia about it, in the axes of the world.
    pub centre: Vec3<f64>,
    pub inertia: Sym3<f64>,
    /// Iᴬ and p.
    pub articulated: ArticulatedInertia<f64>,
    pub bias: Wrench<f64>,
    pub acceleration: Motion<f64>,
}

const STILL: Moving = Moving {
    place: Place::IDENTITY,
    velocity: Motion::ZERO,
    drift: Motion::ZERO,
    centre: Vec3::ZERO,
    inertia: Sym3::ZERO,
    articulated: ArticulatedInertia::ZERO,
    bias: Wrench::ZERO,
    acceleration: Motion::ZERO,
};

/// A degree of freedom in the course of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// U
    pub force: Wrench<f64>,
    /// 1/D; 0 where nothing is moved.
    pub inverse: f64,
    /// u
    pub drive: f64,
    /// q̈
    pub acceleration: f64,
}

const IDLE: Column = Column { force: Wrench::ZERO, inverse: 0.0, drive: 0.0, acceleration: 0.0 };

/// The memory of a pass over one tree; used again for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pass {
    /// O
    pub origin: Vec3<f64>,
    pub links: Vec<Moving>,
    /// S of each degree of freedom, about O.
    pub axes: Vec<Motion<f64>>,
    pub columns: Vec<Column>,
}

impl Pass {
    /// Outwards: where the links of a tree are, and the columns of their joints.
    #[inline(always)]
    pub fn place(&mut self, tree: &Tree, q: &[f64]) {
        self.resize(tree);
        self.origin = origin(tree, q);
        for (i, link) in tree.links.iter().enumerate() {
            let a = match link.parent() {
                Some(parent) => link.hang(&self.links[parent].place),
                None => Place { origin: link.joint_place.origin - self.origin, ..link.joint_place },
            };
            let place = link.kind.place(a, &q[link.coordinates()], &mut self.axes[link.dofs()]);
            let moving = &mut self.links[i];
            moving.place = place;
            moving.centre = place.point(link.centre);
            moving.inertia = link.inertia.rotated(&place.rotation);
        }
    }

    /// [`Pass::place`] and [`Pass::set_moving`] in one.
    #[inline(always)]
    pub fn place_moving(&mut self, tree: &Tree, q: &[f64], qd: &[f64]) {
        self.resize(tree);
        self.origin = origin(tree, q);
        for (i, link) in tree.links.iter().enumerate() {
            let (a, parent) = match link.parent() {
                Some(parent) => {
                    let parent = &self.links[parent];
                    (link.hang(&parent.place), parent.velocity)
                }
                None => (Place { origin: link.joint_place.origin - self.origin, ..link.joint_place }, Motion::ZERO),
            };
            let dofs = link.dofs();
            let axes = &mut self.axes[dofs.clone()];
            let place = link.kind.place(a, &q[link.coordinates()], axes);
            let (velocity, drift) = link.kind.velocity(parent, axes, &qd[dofs]);
            let moving = &mut self.links[i];
            moving.place = place;
            moving.centre = place.point(link.centre);
            moving.inertia = link.inertia.rotated(&place.rotation);
            (moving.velocity, moving.drift) = (velocity, drift);
        }
    }

    #[inline(always)]
    fn resize(&mut self, tree: &Tree) {
        self.links.resize(tree.links.len(), STILL);
        self.axes.resize(tree.dofs.len(), Motion::ZERO);
        self.columns.resize(tree.dofs.len(), IDLE);
    }

    /// Outwards: how the links move. After [`Pass::place`].
    #[inline(always)]
    pub fn set_moving(&mut self, tree: &Tree, qd: &[f64]) {
        for (i, link) in tree.links.iter().enumerate() {
            let parent = link.parent().map_or(Motion::ZERO, |p| self.links[p].velocity);
            let dofs = link.dofs();
            let (velocity, drift) = link.kind.velocity(parent, &self.axes[dofs.clone()], &qd[dofs]);
            (self.links[i].velocity, self.links[i].drift) = (velocity, drift);
        }
    }

    /// Inwards: Iᴬ, U and D, with `extra` added to the armature of each degree of freedom. After [`Pass::place`].
    #[inline(always)]
    pub fn factor(&mut self, tree: &Tree, extra: Option<&[f64]>) {
        for (moving, link) in self.links.iter_mut().zip(&tree.links) {
            moving.articulated = articulated(link.mass, moving.centre, moving.inertia);
        }
        for (i, link) in tree.links.iter().enumerate().rev() {
            let mut inertia = self.links[i].articulated;
            for k in link.dofs().rev() {
                let armature = tree.dofs[k].armature + extra.map_or(0.0, |e| e[k]);
                inertia = self.columns[k].eliminate(self.axes[k], inertia, armature);
            }
            if let Some(parent) = link.parent() {
                self.links[i].articulated = inertia;
                self.links[parent].articulated += inertia;
            }
        }
    }

    /// p of all links from their velocities, if they move, and their loads, if there are any.
    #[inline(always)]
    pub fn set_bias(&mut self, tree: &Tree, loads: Option<&[Load]>, moves: bool) {
        for (i, (moving, link)) in self.links.iter_mut().zip(&tree.links).enumerate() {
            let mut bias = if moves { moving.gyration(link.mass) } else { Wrench::ZERO };
            if let Some(load) = loads.and_then(|l| l.get(i)) {
                bias -= moving.load(link.mass, load);
            }
            moving.bias = bias;
        }
    }

    /// Inwards, then outwards: q̈ and the accelerations of the links, from U, D, p and the forces τ along the degrees of freedom. With
    /// `moves`, c counts.
    #[inline(always)]
    pub fn accelerate(&mut self, tree: &Tree, tau: impl Fn(usize) -> f64, moves: bool) {
        for (i, link) in tree.links.iter().enumerate().rev() {
            let moving = &self.links[i];
            let mut bias = moving.bias;
            for k in link.dofs().rev() {
                let column = &mut self.columns[k];
                column.drive = tau(k) - self.axes[k].dot(bias);
                bias += column.force * (column.drive * column.inverse);
            }
            if let Some(parent) = link.parent() {
                if moves {
                    bias += moving.articulated * moving.drift;
                }
                self.links[parent].bias += bias;
            }
        }
        for (i, link) in tree.links.iter().enumerate() {
            let mut a = link.parent().map_or(Motion::ZERO, |p| self.links[p].acceleration);
            if moves {
                a += self.links[i].drift;
            }
            for (column, &axis) in self.columns[link.dofs()].iter_mut().zip(&self.axes[link.dofs()]) {
                column.acceleration = (column.drive - a.dot(column.force)) * column.inverse;
                a += axis * column.acceleration;
            }
            self.links[i].acceleration = a;
        }
    }

    /// All of the algorithm after the first pass outwards: q̈ and the accelerations of the links, by the loads on them, if there are any,
    /// and the forces τ. As [`Pass::set_bias`], [`Pass::factor`] and [`Pass::accelerate`] one after the other, and quicker: each link is
    /// met once on the way in.
    #[inline(always)]
    pub fn forward(&mut self, tree: &Tree, loads: &[Load], tau: impl Fn(usize) -> f64) {
        let Self { links, axes, columns, .. } = self;
        for (i, link) in tree.links.iter().enumerate().rev() {
            let moving = &links[i];
            let mut inertia = articulated(link.mass, moving.centre, moving.inertia);
            let mut bias = moving.bias_of(link.mass, loads.get(i));
            if link.last_child != NONE {
                inertia += moving.articulated;
                bias += moving.bias;
            }
            let drift = moving.drift;
            for k in link.dofs().rev() {
                let (column, axis) = (&mut columns[k], axes[k]);
                inertia = column.eliminate(axis, inertia, tree.dofs[k].armature);
                column.drive = tau(k) - axis.dot(bias);
                bias += column.force * (column.drive * column.inverse);
            }
            if let Some(parent) = link.parent() {
                bias += inertia * drift;
                let (first, parent) = (tree.links[parent].last_child == i as u32, &mut links[parent]);
                if first {
                    (parent.articulated, parent.bias) = (inertia, bias);
                } else {
                    parent.articulated += inertia;
                    parent.bias += bias;
                }
            }
        }
        for (i, link) in tree.links.iter().enumerate() {
            let mut a = link.parent().map_or(Motion::ZERO, |p| links[p].acceleration) + links[i].drift;
            for (column, &axis) in columns[link.dofs()].iter_mut().zip(&axes[link.dofs()]) {
                column.acceleration = (column.drive - a.dot(column.force)) * column.inverse;
                a += axis * column.acceleration;
            }
            links[i].acceleration = a;
        }
    }

    /// The link of a degree of freedom that moves, and moves nothing that resists. After [`Pass::factor`] without springs and dampers.
    pub fn unresisted(&self, tree: &Tree) -> Option<usize> {
        let loose = self.columns.iter().position(|c| !(c.inverse > 0.0 && c.inverse.is_finite()));
        loose.map(|k| tree.dof_link[k] as usize)
    }

    /// ½ Σ v·I v over the links, and over what turns with the motors.
    #[inline(always)]
    pub fn kinetic_energy(&self, tree: &Tree, qd: &[f64]) -> f64 {
        let mut twice = 0.0;
        for (moving, link) in self.links.iter().zip(&tree.links) {
            let w = moving.velocity.angular;
            twice += moving.velocity.velocity_at(moving.centre).length_squared() * link.mass;
            twice += moving.inertia.quadratic(w);
        }
        for (dof, qd) in tree.dofs.iter().zip(qd) {
            twice += dof.armature * qd * qd;
        }
        0.5 * twice
    }

    /// Momentum, and angular momentum about O.
    #[inline(always)]
    pub fn momentum(&self, tree: &Tree) -> Wrench<f64> {
        let mut sum = Wrench::ZERO;
        for (moving, link) in self.links.iter().zip(&tree.links) {
            sum += moving.momentum(link.mass);
        }
        sum
    }

    /// The power of loads, and of forces along the degrees of freedom.
    #[inline(always)]
    pub fn power(&self, tree: &Tree, loads: &[Load], qd: &[f64], tau: impl Fn(usize) -> f64) -> f64 {
        let mut power = 0.0;
        for ((moving, link), load) in self.links.iter().zip(&tree.links).zip(loads) {
            power += moving.load(link.mass, load).dot(moving.velocity);
        }
        for (k, qd) in qd.iter().enumerate() {
            power += tau(k) * qd;
        }
        power
    }

    /// The spatial inertia of a link about O.
    pub fn inertia(&self, tree: &Tree, i: usize) -> SpatialInertia<f64> {
        let moving = &self.links[i];
        SpatialInertia::about_centre(tree.links[i].mass, moving.centre, moving.inertia)
    }
}

impl Moving {
    /// I v about O.
    #[inline(always)]
    pub fn momentum(&self, mass: f64) -> Wrench<f64> {
        let p = self.velocity.velocity_at(self.centre) * mass;
        Wrench { torque: self.inertia * self.velocity.angular + self.centre.cross(p), force: p }
    }

    /// v ×* I v
    #[inline(always)]
    pub fn gyration(&self, mass: f64) -> Wrench<f64> {
        self.velocity.cross_wrench(self.momentum(mass))
    }

    /// v ×* I v - f about O. Of a rigid body that is ω × p at its centre c and ω × I_c ω about it, p = m v_c.
    #[inline(always)]
    fn bias_of(&self, mass: f64, load: Option<&Load>) -> Wrench<f64> {
        let w = self.velocity.angular;
        let p = self.velocity.velocity_at(self.centre) * mass;
        let l = self.inertia * w;
        let (mut force, mut torque) = (w.cross(p), w.cross(l));
        if let Some(load) = load {
            force -= load.force;
            torque -= load.torque;
            if load.linear_damping != 0.0 {
                force += p * load.linear_damping;
            }
            if load.angular_damping != 0.0 {
                torque += l * load.angular_damping;
            }
        }
        Wrench { torque: torque + self.centre.cross(force), force }
    }

    /// A load as a wrench about O.
    #[inline(always)]
    pub fn load(&self, mass: f64, load: &Load) -> Wrench<f64> {
        let (mut force, mut torque) = (load.force, load.torque);
        if load.linear_damping != 0.0 {
            force -= self.velocity.velocity_at(self.centre) * (mass * load.linear_damping);
        }
        if load.angular_damping != 0.0 {
            torque -= self.inertia * self.velocity.angular * load.angular_damping;
        }
        Wrench { torque: torque + self.centre.cross(force), force }
    }
}

impl Column {
    /// U and D of this column; what is left of the inertia beyond it for what is before it.
    #[inline(always)]
    fn eliminate(
        &mut self,
        axis: Motion<f64>,
        inertia: ArticulatedInertia<f64>,
        armature: f64,
    ) -> ArticulatedInertia<f64> {
        let force = inertia * axis;
        let d = axis.dot(force) + armature;
        // Rounding can leave something where there is nothing; a motion that moves nothing is none.
        let size = axis.angular.length_squared() * inertia.angular.trace()
            + axis.linear.length_squared() * inertia.linear.trace();
        self.inverse = if d > size * NEGLIGIBLE { 1.0 / d } else { 0.0 };
        self.force = force;
        inertia.reduced(force, self.inverse)
    }
}

/// The share of an inertia below which what is left of it is rounding.
const NEGLIGIBLE: f64 = 1e-14;

/// \[\[I_O, m c×\], \[(m c×)ᵀ, m 1\]\] about O.
#[inline(always)]
fn articulated(mass: f64, centre: Vec3<f64>, inertia: Sym3<f64>) -> ArticulatedInertia<f64> {
    ArticulatedInertia::from(SpatialInertia::about_centre(mass, centre, inertia))
}

/// O: where the first link is, so that numbers stay small wherever in the world the tree is.
#[inline(always)]
fn origin(tree: &Tree, q: &[f64]) -> Vec3<f64> {
    let Some(root) = tree.links.first() else { return Vec3::ZERO };
    let place = root.joint_place;
    match (root.kind, &q[root.coordinates()]) {
        (super::kind::Kind::Free, &[x, y, z, ..]) => place.point(Vec3::new(x, y, z)),
        _ => place.origin,
    }
}

/// The degrees of freedom on the way from a link to the world, the nearest first.
#[inline(always)]
pub(crate) fn path(tree: &Tree, link: usize) -> Path<'_> {
    let mut at = link as u32;
    while let Some(l) = tree.links.get(at as usize) {
        if let Some(last) = l.dofs().last() {
            return Path { tree, next: last as u32 };
        }
        at = l.parent;
    }
    Path { tree, next: NONE }
}

/// See [`path`].
pub(crate) struct Path<'a> {
    tree: &'a Tree,
    next: u32,
}

impl Iterator for Path<'_> {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        let k = self.next;
        let &above = self.tree.dof_parent.get(k as usize)?;
        self.next = above;
        Some(k as usize)
    }
}
