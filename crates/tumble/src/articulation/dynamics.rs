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
//! All of it is in double precision in both crates: a chain of a hundred links has a mass matrix of condition 10⁸. One tree is too
//! narrow a problem for lanes, but a vector of three fits into a register of four doubles: see `packed`.
//!
//! The passes are inlined into what calls them, so that a kernel (see [`Isa::dispatch`](crate::math::Isa::dispatch)) compiles them for its
//! set of instructions.

use super::kind::Place;
use super::packed::{Frame, FrameIn, Heavy, HeavyIn, Six, SixIn, about_origin, sym3};
use super::tree::{Link, Tree};
use crate::constraint::contact::NONE;
use crate::math::spatial::{SpatialInertia, Wrench};
use crate::math::{Isa, Kernel, Lane, Packed, Quad, Vec3};

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
    pub place: Frame,
    pub velocity: Six,
    /// c
    pub drift: Six,
    /// The centre of mass, about O, and the inertia about it by columns, in the axes of the world.
    pub centre: Quad,
    pub inertia: [Quad; 3],
    /// Iᴬ and p.
    pub articulated: Heavy,
    pub bias: Six,
    pub acceleration: Six,
}

const STILL: Moving = Moving {
    place: Frame::IDENTITY,
    velocity: Six::ZERO,
    drift: Six::ZERO,
    centre: Quad::ZERO,
    inertia: [Quad::ZERO; 3],
    articulated: Heavy::ZERO,
    bias: Six::ZERO,
    acceleration: Six::ZERO,
};

/// A degree of freedom in the course of a pass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// U
    pub force: Six,
    /// 1/D; 0 where nothing is moved.
    pub inverse: f64,
    /// D^-½, where [`Pass::hold_factors`] was last called.
    pub root: f64,
    /// u
    pub drive: f64,
    /// q̈
    pub acceleration: f64,
}

const IDLE: Column = Column { force: Six::ZERO, inverse: 0.0, root: 0.0, drive: 0.0, acceleration: 0.0 };

/// The memory of a pass over one tree; used again for the next.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pass {
    /// O
    pub origin: Vec3<f64>,
    pub links: Vec<Moving>,
    /// S of each degree of freedom, about O.
    pub axes: Vec<Six>,
    pub columns: Vec<Column>,
    /// S as it was when [`Pass::hold_factors`] was last called.
    pub held: Vec<Six>,
    /// Room for what is left of wrenches on their way inwards.
    pub(super) left: Vec<Six>,
}

impl Pass {
    /// Outwards: where the links of a tree are, and the columns of their joints.
    #[inline(always)]
    pub fn place<P: Packed>(&mut self, tree: &Tree, q: &[f64]) {
        self.resize(tree);
        self.origin = origin(tree, q);
        for (i, link) in tree.links.iter().enumerate() {
            let a = self.frame_on_parent::<P>(link);
            let place = link.kind.place(a, &q[link.coordinates()], &mut self.axes[link.dofs()]);
            self.links[i].put(place, link);
        }
    }

    /// [`Pass::place`] in a set of instructions.
    pub fn place_by(&mut self, isa: Isa, tree: &Tree, q: &[f64]) {
        isa.dispatch(Placing { pass: self, tree, q });
    }

    /// [`Pass::place`] and [`Pass::set_moving`] in one.
    #[inline(always)]
    pub fn place_moving<P: Packed>(&mut self, tree: &Tree, q: &[f64], qd: &[f64]) {
        self.resize(tree);
        self.origin = origin(tree, q);
        let (origin, links, axes) = (self.origin, &mut self.links[..tree.links.len()], &mut self.axes[..]);
        for (i, link) in tree.links.iter().enumerate() {
            let (a, parent) = match link.parent() {
                Some(parent) => (link.hang::<P>(&links[parent].place.load()), links[parent].velocity.load::<P>()),
                None => (on_world::<P>(link, origin), SixIn::zero()),
            };
            let dofs = link.dofs();
            let axes = &mut axes[dofs.clone()];
            let place = link.kind.place(a, &q[link.coordinates()], axes);
            let (velocity, drift) = link.kind.velocity(parent, axes, &qd[dofs]);
            let moving = &mut links[i];
            moving.put(place, link);
            velocity.store(&mut moving.velocity);
            drift.store(&mut moving.drift);
        }
    }

    /// Frame A of the joint of a link.
    #[inline(always)]
    fn frame_on_parent<P: Packed>(&self, link: &Link) -> FrameIn<P> {
        match link.parent() {
            Some(parent) => link.hang(&self.links[parent].place.load()),
            None => on_world(link, self.origin),
        }
    }

    /// What the parent of a link has; nothing where that is the world.
    #[inline(always)]
    pub(super) fn of_parent<P: Packed>(&self, link: &Link, what: impl Fn(&Moving) -> &Six) -> SixIn<P> {
        match link.parent() {
            Some(parent) => what(&self.links[parent]).load(),
            None => SixIn::zero(),
        }
    }

    #[inline(always)]
    fn resize(&mut self, tree: &Tree) {
        self.links.resize(tree.links.len(), STILL);
        self.axes.resize(tree.dofs.len(), Six::ZERO);
        self.columns.resize(tree.dofs.len(), IDLE);
    }

    /// Outwards: how the links move. After [`Pass::place`].
    #[inline(always)]
    pub fn set_moving<P: Packed>(&mut self, tree: &Tree, qd: &[f64]) {
        for (i, link) in tree.links.iter().enumerate() {
            let parent = self.of_parent::<P>(link, |moving| &moving.velocity);
            let dofs = link.dofs();
            let (velocity, drift) = link.kind.velocity(parent, &self.axes[dofs.clone()], &qd[dofs]);
            velocity.store(&mut self.links[i].velocity);
            drift.store(&mut self.links[i].drift);
        }
    }

    /// Inwards: Iᴬ, U and D, with `extra` added to the armature of each degree of freedom. After [`Pass::place`].
    #[inline(always)]
    pub fn factor<P: Packed>(&mut self, tree: &Tree, extra: Option<&[f64]>) {
        for (i, link) in tree.links.iter().enumerate().rev() {
            let moving = &self.links[i];
            let mut inertia = if link.last_child == NONE { moving.rigid::<P>(link) } else { moving.articulated.load() };
            for k in link.dofs().rev() {
                let armature = tree.dofs[k].armature + extra.map_or(0.0, |e| e[k]);
                (inertia, _) = self.columns[k].eliminate(&self.axes[k], inertia, armature);
            }
            if let Some(parent) = link.parent() {
                inertia.store(&mut self.links[i].articulated);
                let (of, moving) = (&tree.links[parent], &mut self.links[parent]);
                let before = if of.last_child == i as u32 { moving.rigid(of) } else { moving.articulated.load() };
                before.plus(inertia).store(&mut moving.articulated);
            }
        }
    }

    /// p of all links from their velocities, if they move, and their loads, if there are any.
    #[inline(always)]
    pub fn set_bias<P: Packed>(&mut self, tree: &Tree, loads: Option<&[Load]>, moves: bool) {
        for (i, (moving, link)) in self.links.iter_mut().zip(&tree.links).enumerate() {
            let mut bias = if moves { moving.gyration::<P>(link.mass) } else { SixIn::zero() };
            if let Some(load) = loads.and_then(|l| l.get(i)) {
                bias = bias - moving.wrench_of(load, link.mass);
            }
            bias.store(&mut moving.bias);
        }
    }

    /// Inwards, then outwards: q̈ and the accelerations of the links, from U, D, p and the forces τ along the degrees of freedom. With
    /// `moves`, c counts.
    #[inline(always)]
    pub fn accelerate<P: Packed>(&mut self, tree: &Tree, tau: impl Fn(usize) -> f64, moves: bool) {
        for (i, link) in tree.links.iter().enumerate().rev() {
            let moving = &self.links[i];
            let mut bias = moving.bias.load::<P>();
            for k in link.dofs().rev() {
                let column = &mut self.columns[k];
                column.drive = tau(k) - self.axes[k].load().dot(bias);
                bias = bias + column.force.load().times(column.drive * column.inverse);
            }
            if let Some(parent) = link.parent() {
                if moves {
                    bias = bias + moving.articulated.load().times(&moving.drift);
                }
                let parent = &mut self.links[parent];
                (parent.bias.load() + bias).store(&mut parent.bias);
            }
        }
        self.answer::<P>(tree, moves);
    }

    /// Outwards: q̈ and the accelerations of the links from U, D and u.
    #[inline(always)]
    fn answer<P: Packed>(&mut self, tree: &Tree, moves: bool) {
        for (i, link) in tree.links.iter().enumerate() {
            let mut a = self.of_parent::<P>(link, |moving| &moving.acceleration);
            if moves {
                a = a + self.links[i].drift.load();
            }
            for (column, axis) in self.columns[link.dofs()].iter_mut().zip(&self.axes[link.dofs()]) {
                column.acceleration = (column.drive - a.dot(column.force.load())) * column.inverse;
                a = a + axis.load().times(column.acceleration);
            }
            a.store(&mut self.links[i].acceleration);
        }
    }

    /// All of the algorithm after the first pass outwards: q̈ and the accelerations of the links, by the loads on them, if there are any,
    /// and the forces τ. As [`Pass::set_bias`], [`Pass::factor`] and [`Pass::accelerate`] one after the other, and quicker: each link is
    /// met once on the way in.
    #[inline(always)]
    pub fn forward<P: Packed>(&mut self, tree: &Tree, loads: &[Load], tau: impl Fn(usize) -> f64) {
        self.inwards::<P>(tree, loads, tau);
        self.answer::<P>(tree, true);
    }

    /// The pass inwards of [`Pass::forward`]: U, D and u.
    #[inline(always)]
    fn inwards<P: Packed>(&mut self, tree: &Tree, loads: &[Load], tau: impl Fn(usize) -> f64) {
        // As long as the lists of the tree, so that one check holds for all of them.
        let links = &mut self.links[..tree.links.len()];
        let (axes, columns) = (&self.axes[..tree.dofs.len()], &mut self.columns[..tree.dofs.len()]);
        for (i, link) in tree.links.iter().enumerate().rev() {
            let moving = &links[i];
            let mut inertia = moving.rigid::<P>(link);
            let mut bias = moving.bias_of(link.mass, loads.get(i));
            if link.last_child != NONE {
                inertia = inertia.plus(moving.articulated.load());
                bias = bias + moving.bias.load();
            }
            for k in link.dofs().rev() {
                let (column, axis) = (&mut columns[k], &axes[k]);
                let force;
                (inertia, force) = column.eliminate(axis, inertia, tree.dofs[k].armature);
                column.drive = tau(k) - axis.load().dot(bias);
                bias = bias + force.times(column.drive * column.inverse);
            }
            if let Some(parent) = link.parent() {
                bias = bias + inertia.times(&moving.drift);
                let (first, parent) = (tree.links[parent].last_child == i as u32, &mut links[parent]);
                if !first {
                    inertia = parent.articulated.load().plus(inertia);
                    bias = parent.bias.load() + bias;
                }
                inertia.store(&mut parent.articulated);
                bias.store(&mut parent.bias);
            }
        }
    }

    /// [`Pass::forward`] for trees on which nothing acts along their degrees of freedom, and then q̇ ← q̇ + h (q̈ - p) with p ← q̈: the links move as these
    /// velocities say. The answer is twice the kinetic energy. As [`Pass::answer`], `move_links` of `glide` and [`Pass::kinetic_energy`] one after the
    /// other, and quicker: each link is met once on the way out.
    #[inline(always)]
    pub fn go_forward<P: Packed>(&mut self, tree: &Tree, loads: &[Load], h: f64, p: &mut [f64], qd: &mut [f64]) -> f64 {
        self.inwards::<P>(tree, loads, |_| 0.0);
        let n = tree.dofs.len();
        let links = &mut self.links[..tree.links.len()];
        let (axes, columns) = (&self.axes[..n], &mut self.columns[..n]);
        let (p, qd) = (&mut p[..n], &mut qd[..n]);
        let mut twice = 0.0;
        for (i, link) in tree.links.iter().enumerate() {
            let (mut a, mut v) = match link.parent() {
                Some(parent) => (links[parent].acceleration.load::<P>(), links[parent].velocity.load::<P>()),
                None => (SixIn::zero(), SixIn::zero()),
            };
            let moving = &mut links[i];
            a = a + moving.drift.load();
            for k in link.dofs() {
                let (column, axis) = (&mut columns[k], axes[k].load());
                column.acceleration = (column.drive - a.dot(column.force.load())) * column.inverse;
                a = a + axis.times(column.acceleration);
                qd[k] += h * (column.acceleration - p[k]);
                p[k] = column.acceleration;
                v = v + axis.times(qd[k]);
            }
            a.store(&mut moving.acceleration);
            v.store(&mut moving.velocity);
            let [along, about] = moving.squares::<P>();
            twice += along * link.mass;
            twice += about;
        }
        for (dof, qd) in tree.dofs.iter().zip(qd) {
            twice += dof.armature * *qd * *qd;
        }
        twice
    }

    /// The link of a degree of freedom that moves, and moves nothing that resists. After [`Pass::factor`] without springs and dampers.
    pub fn unresisted(&self, tree: &Tree) -> Option<usize> {
        let loose = self.columns.iter().position(|c| !(c.inverse > 0.0 && c.inverse.is_finite()));
        loose.map(|k| tree.dof_link[k] as usize)
    }

    /// ½ Σ v·I v over the links, and over what turns with the motors.
    #[inline(always)]
    pub fn kinetic_energy<P: Packed>(&self, tree: &Tree, qd: &[f64]) -> f64 {
        let mut twice = 0.0;
        for (moving, link) in self.links.iter().zip(&tree.links) {
            let [along, about] = moving.squares::<P>();
            twice += along * link.mass;
            twice += about;
        }
        for (dof, qd) in tree.dofs.iter().zip(qd) {
            twice += dof.armature * qd * qd;
        }
        0.5 * twice
    }

    /// Momentum, and angular momentum about O.
    #[inline(always)]
    pub fn momentum<P: Packed>(&self, tree: &Tree) -> Wrench<f64> {
        let mut sum = SixIn::zero();
        for (moving, link) in self.links.iter().zip(&tree.links) {
            sum = sum + moving.momentum::<P>(link.mass);
        }
        sum.wrench()
    }

    /// The power of loads, and of forces along the degrees of freedom.
    #[inline(always)]
    pub fn power<P: Packed>(&self, tree: &Tree, loads: &[Load], qd: &[f64], tau: impl Fn(usize) -> f64) -> f64 {
        let mut power = 0.0;
        for ((moving, link), load) in self.links.iter().zip(&tree.links).zip(loads) {
            power += moving.velocity.load::<P>().dot(moving.wrench_of(load, link.mass));
        }
        for (k, qd) in qd.iter().enumerate() {
            power += tau(k) * qd;
        }
        power
    }

    /// The spatial inertia of a link about O.
    pub fn inertia(&self, tree: &Tree, i: usize) -> SpatialInertia<f64> {
        let moving = &self.links[i];
        SpatialInertia::about_centre(tree.links[i].mass, moving.centre.into(), sym3(&moving.inertia))
    }
}

struct Placing<'a> {
    pass: &'a mut Pass,
    tree: &'a Tree,
    q: &'a [f64],
}

impl Kernel for Placing<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        self.pass.place::<L::Packed>(self.tree, self.q);
    }
}

impl Moving {
    /// Notes where the link is.
    #[inline(always)]
    fn put<P: Packed>(&mut self, place: FrameIn<P>, link: &Link) {
        place.store(&mut self.place);
        place.point(&link.centre).store(&mut self.centre);
        let [x, y, z] = P::rotated(&link.inertia, place.rotation);
        x.store(&mut self.inertia[0]);
        y.store(&mut self.inertia[1]);
        z.store(&mut self.inertia[2]);
    }

    /// I about the centre, by columns.
    #[inline(always)]
    fn tensor<P: Packed>(&self) -> [P; 3] {
        let [x, y, z] = &self.inertia;
        [P::load(x), P::load(y), P::load(z)]
    }

    /// I ω about the centre.
    #[inline(always)]
    fn spin<P: Packed>(&self) -> P {
        P::matrix_times(self.tensor(), &self.velocity.angular)
    }

    /// v² of the centre, and ω·I ω about it.
    #[inline(always)]
    fn squares<P: Packed>(&self) -> [f64; 2] {
        let velocity = self.velocity.load::<P>();
        let (v, w) = (velocity.velocity_at(P::load(&self.centre)), velocity.angular);
        P::dots(v, v, w, self.spin())
    }

    /// The inertia of the link alone, about O.
    #[inline(always)]
    fn rigid<P: Packed>(&self, link: &Link) -> HeavyIn<P> {
        HeavyIn::of_rigid(link.mass, P::load(&self.centre), self.tensor())
    }

    /// I about O, by columns.
    #[inline(always)]
    pub fn tensor_about_origin<P: Packed>(&self, mass: f64) -> [P; 3] {
        about_origin(mass, P::load(&self.centre), self.tensor())
    }

    /// I v about O.
    #[inline(always)]
    pub fn momentum<P: Packed>(&self, mass: f64) -> SixIn<P> {
        let centre = P::load(&self.centre);
        let p = self.velocity.load().velocity_at(centre).times(mass);
        SixIn { angular: self.spin::<P>() + centre.cross(p), linear: p }
    }

    /// v ×* I v
    #[inline(always)]
    fn gyration<P: Packed>(&self, mass: f64) -> SixIn<P> {
        self.velocity.load().cross_wrench(self.momentum(mass))
    }

    /// v ×* I v - f about O. Of a rigid body that is ω × p at its centre c and ω × I_c ω about it, p = m v_c.
    #[inline(always)]
    fn bias_of<P: Packed>(&self, mass: f64, load: Option<&Load>) -> SixIn<P> {
        let (velocity, centre) = (self.velocity.load::<P>(), P::load(&self.centre));
        let w = velocity.angular;
        let p = velocity.velocity_at(centre).times(mass);
        let l: P = self.spin();
        let (mut force, mut torque) = (w.cross(p), w.cross(l));
        if let Some(load) = load {
            force = force - P::of(load.force);
            torque = torque - P::of(load.torque);
            if load.linear_damping != 0.0 {
                force = force + p.times(load.linear_damping);
            }
            if load.angular_damping != 0.0 {
                torque = torque + l.times(load.angular_damping);
            }
        }
        SixIn { angular: torque + centre.cross(force), linear: force }
    }

    /// A load as a wrench about O.
    #[inline(always)]
    pub fn wrench_of<P: Packed>(&self, load: &Load, mass: f64) -> SixIn<P> {
        let centre = P::load(&self.centre);
        let (mut force, mut torque) = (P::of(load.force), P::of(load.torque));
        if load.linear_damping != 0.0 {
            force = force - self.velocity.load().velocity_at(centre).times(mass * load.linear_damping);
        }
        if load.angular_damping != 0.0 {
            torque = torque - self.spin::<P>().times(load.angular_damping);
        }
        SixIn { angular: torque + centre.cross(force), linear: force }
    }
}

impl Column {
    /// U and D of this column; what is left of the inertia beyond it for what is before it, and U.
    #[inline(always)]
    fn eliminate<P: Packed>(&mut self, axis: &Six, inertia: HeavyIn<P>, armature: f64) -> (HeavyIn<P>, SixIn<P>) {
        let force = inertia.times(axis);
        let along = axis.load();
        let d = along.dot(force) + armature;
        // Rounding can leave something where there is nothing; a motion that moves nothing is none.
        self.inverse = if d > inertia.size(along) * NEGLIGIBLE { 1.0 / d } else { 0.0 };
        force.store(&mut self.force);
        (inertia.reduced(force, self.inverse), force)
    }
}

/// Frame A of the joint of a link on the world, about O.
#[inline(always)]
fn on_world<P: Packed>(link: &Link, o: Vec3<f64>) -> FrameIn<P> {
    let place = &link.joint_place;
    FrameIn::of(&Place { origin: place.origin - o, ..*place })
}

/// The share of an inertia below which what is left of it is rounding.
const NEGLIGIBLE: f64 = 1e-14;

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
