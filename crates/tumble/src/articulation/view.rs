//! Articulations as the user sees them.

use super::desc::{Dof, Motor, check_numbers, check_quaternion};
use super::dynamics::{Load, Pass};
use super::flight::joint_forces;
use super::kind::LinkJoint;
use super::mass_matrix::MassMatrix;
use super::response::Impulse;
use super::store::{Articulation, NOBODY};
use super::tree::Tree;
use crate::error::{Error, Result};
use crate::id::{ArticulationId, BodyId};
use crate::integrate::Loads;
use crate::math::spatial::{Motion, Wrench};
use crate::math::{Kernel, Lane, Mat3, Point, Quad, Vec3};
use crate::world::State;

/// An impulse on a tree, before its links are placed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Push {
    /// On a link: at its centre of mass, and about it.
    Link(usize, Vec3<f64>, Vec3<f64>),
    /// Along a degree of freedom.
    Dof(usize, f64),
}

impl Push {
    pub fn at_centre(link: usize, linear: Vec3<f64>, angular: Vec3<f64>) -> Self {
        Self::Link(link, linear, angular)
    }
}

/// Δq̇ by impulses, where the pass has placed and factored the tree.
pub(crate) fn respond_to(tree: &Tree, pass: &Pass, pushes: &[Push]) -> Vec<f64> {
    let impulses: Vec<Impulse> = pushes
        .iter()
        .map(|push| match *push {
            Push::Link(link, linear, angular) => {
                let centre = pass.links[link].centre;
                Impulse::Link(link, Wrench::at(linear, centre.into()) + Wrench::turning(angular))
            }
            Push::Dof(k, j) => Impulse::Dof(k, j),
        })
        .collect();
    let (mut out, mut moved) = (vec![0.0; tree.dofs.len()], vec![Motion::ZERO; tree.links.len()]);
    pass.respond_moving(tree, &impulses, &mut out, &mut moved);
    out
}

/// Memory for calls that are made again and again.
///
/// ```
/// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, LinkDesc, Workspace}};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let mut desc = ArticulationDesc::new();
/// desc.add(LinkDesc::prismatic(BodyDesc::dynamic(), [0.0, 1.0, 0.0]));
/// let id = world.add_articulation(desc)?;
/// let (mut work, mut out) = (Workspace::default(), [0.0]);
/// world.articulation(id)?.forward_dynamics_into(&mut work, &mut out)?;
/// assert!((out[0] + 9.81).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pass: Pass,
    loads: Vec<Load>,
    offset: Vec<f64>,
    tau: Vec<f64>,
}

/// An articulation, to look at. Lists run over all links, in the order of their numbers.
///
/// ```
/// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, LinkDesc, LinkJoint}, math::{Sym3, Vec3}, shape::MassProperties};
/// # fn main() -> tumble::Result<()> {
/// // A pendulum: 2 kg at the end of a thin rod of 1 m, half a radian from hanging.
/// let mass = MassProperties { mass: 2.0, centre: Vec3::new(0.0, -1.0, 0.0), inertia: Sym3::ZERO };
/// let mut desc = ArticulationDesc::new().name("pendulum");
/// desc.add(LinkDesc::revolute(BodyDesc::dynamic().mass_properties(mass), [0.0, 0.0, 1.0]).position(&[0.5]));
/// let mut world = World::new();
/// let id = world.add_articulation(desc)?;
/// let pendulum = world.articulation(id)?;
/// assert_eq!((pendulum.id(), pendulum.name(), pendulum.links().count()), (id, Some("pendulum"), 1));
/// assert_eq!((pendulum.dofs(), pendulum.coordinates(), pendulum.joint(0)?.dofs()), (1, 1, 1));
/// assert_eq!((pendulum.position(), pendulum.velocity()), (&[0.5][..], &[0.0][..]));
/// // θ'' = -g/l sin θ, and the torque that would hold it.
/// let expected = -9.81 * 0.5_f64.sin();
/// assert!((pendulum.forward_dynamics()[0] - expected).abs() < 1e-6);
/// assert!((pendulum.inverse_dynamics(&[0.0])?[0] + 2.0 * expected).abs() < 1e-6);
/// assert!((pendulum.mass_matrix()[0] - 2.0).abs() < 1e-6);
/// assert!((pendulum.solve_mass_matrix(&[4.0])?[0] - 2.0).abs() < 1e-6);
/// assert_eq!((pendulum.coordinates_of(0)?, pendulum.dofs_of(0)?, pendulum.parent(0)?), (0..1, 0..1, None));
/// assert!(!pendulum.self_collision());
/// assert!((pendulum.centre_of_mass().x - 0.5_f64.sin()).abs() < 1e-6);
/// assert_eq!((pendulum.mass(), pendulum.kinetic_energy(), pendulum.momentum().length()), (2.0, 0.0, 0.0));
/// // How its end moves with the joint.
/// let tip = pendulum.centre_of_mass();
/// assert!((pendulum.jacobian(0, tip)?[0].linear.x - 0.5_f64.cos()).abs() < 1e-6);
/// assert!((pendulum.response(0, tip, 0, tip)?.x.x - 0.5 * 0.5_f64.cos().powi(2)).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct ArticulationRef<'a> {
    pub(crate) state: &'a State,
    pub(crate) id: ArticulationId,
    pub(crate) articulation: &'a Articulation,
}

impl<'a> ArticulationRef<'a> {
    fn tree(&self) -> &'a Tree {
        &self.articulation.tree
    }

    fn subject(&self) -> String {
        subject(self.articulation, self.id)
    }

    fn check_link(&self, link: usize) -> Result<()> {
        check_link(self.articulation, self.id, link)
    }

    /// Its id.
    pub fn id(&self) -> ArticulationId {
        self.id
    }

    /// Its name.
    pub fn name(&self) -> Option<&'a str> {
        self.articulation.name.as_deref()
    }

    /// The bodies that are its links.
    pub fn links(&self) -> impl Iterator<Item = BodyId> + 'a {
        let state = self.state;
        self.articulation.bodies.iter().filter_map(move |&slot| state.bodies.cold.id_at(slot))
    }

    /// The body of a link.
    pub fn link(&self, link: usize) -> Result<BodyId> {
        self.check_link(link)?;
        let slot = self.articulation.bodies[link];
        self.state.bodies.cold.id_at(slot).ok_or_else(|| self.id.missing())
    }

    /// The number of a link's parent; `None` for the world.
    pub fn parent(&self, link: usize) -> Result<Option<usize>> {
        self.check_link(link)?;
        Ok(self.tree().links[link].parent())
    }

    /// The joint of a link.
    pub fn joint(&self, link: usize) -> Result<LinkJoint> {
        self.check_link(link)?;
        Ok(self.tree().links[link].joint)
    }

    /// What acts along a degree of freedom of a link.
    pub fn dof(&self, link: usize, dof: usize) -> Result<Dof> {
        Ok(self.tree().dofs[dof_of(self.articulation, self.id, link, dof)?])
    }

    /// Degrees of freedom of all joints.
    pub fn dofs(&self) -> usize {
        self.tree().dofs.len()
    }

    /// Coordinates of all joints.
    pub fn coordinates(&self) -> usize {
        self.tree().q.len()
    }

    /// Where the coordinates of a link's joint are among all.
    pub fn coordinates_of(&self, link: usize) -> Result<core::ops::Range<usize>> {
        self.check_link(link)?;
        Ok(self.tree().links[link].coordinates())
    }

    /// Where the degrees of freedom of a link's joint are among all.
    pub fn dofs_of(&self, link: usize) -> Result<core::ops::Range<usize>> {
        self.check_link(link)?;
        Ok(self.tree().links[link].dofs())
    }

    /// The coordinates of all joints.
    pub fn position(&self) -> &'a [f64] {
        &self.tree().q
    }

    /// The velocities along all degrees of freedom.
    pub fn velocity(&self) -> &'a [f64] {
        &self.tree().qd
    }

    /// Links that are not parent and child collide.
    pub fn self_collision(&self) -> bool {
        self.articulation.self_collision
    }

    /// What acts on the links in the next step, as far as it is known before: with the forces of that step alone, without those of effects.
    fn gather_loads(&self, out: &mut Vec<Load>) {
        let (all, bodies) = (Loads { gravity: self.state.gravity, gyroscopic: true }, &self.state.bodies);
        self.articulation.gather_loads(bodies, &all, out);
        if bodies.once.is_empty() {
            return;
        }
        for (load, &slot) in out.iter_mut().zip(&self.articulation.bodies) {
            let once = bodies.once_on(slot);
            load.force += once.force.to_f64();
            load.torque += once.torque.to_f64();
        }
    }

    /// Accelerations along all degrees of freedom under gravity, the forces on links, and the forces, springs and dampers of the
    /// joints; without motors, limits, friction and contacts, and without force effects, which a step evaluates. Forces on links are those that stay and
    /// those that are applied for the next step. By the articulated-body algorithm, O(n).
    pub fn forward_dynamics(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.dofs()];
        self.forward(&mut Workspace::default(), &mut out);
        out
    }

    /// As [`ArticulationRef::forward_dynamics`], into memory that is used again.
    ///
    /// # Errors
    /// A list that has not one place for each degree of freedom.
    pub fn forward_dynamics_into(&self, work: &mut Workspace, out: &mut [f64]) -> Result<()> {
        if out.len() != self.dofs() {
            let expected = "one place for each degree of freedom";
            return Err(Error::value(self.subject(), "list of accelerations", expected, out.len()));
        }
        self.forward(work, out);
        Ok(())
    }

    fn forward(&self, work: &mut Workspace, out: &mut [f64]) {
        let tree = self.tree();
        let Workspace { pass, loads, offset, tau } = work;
        offset.resize(tree.dofs.len(), 0.0);
        tau.resize(tree.dofs.len(), 0.0);
        joint_forces(tree, &tree.q, &tree.qd, offset, tau);
        self.gather_loads(loads);
        self.state.isa.dispatch(Forward { tree, pass, loads, tau });
        for (out, column) in out.iter_mut().zip(&pass.columns) {
            *out = column.acceleration;
        }
    }

    /// The forces along all degrees of freedom that give them these accelerations, under gravity and the forces on links, as in
    /// [`ArticulationRef::forward_dynamics`]. By the recursive Newton-Euler algorithm, O(n).
    pub fn inverse_dynamics(&self, accelerations: &[f64]) -> Result<Vec<f64>> {
        let tree = self.tree();
        check_numbers(&self.subject(), "accelerations", accelerations, tree.dofs.len())?;
        let (mut tau, mut loads) = (vec![0.0; tree.dofs.len()], Vec::new());
        self.gather_loads(&mut loads);
        self.articulation.placed().inverse(tree, &loads, accelerations, &mut tau);
        Ok(tau)
    }

    /// The mass matrix, row by row: [`ArticulationRef::dofs`] squared numbers.
    pub fn mass_matrix(&self) -> Vec<f64> {
        MassMatrix::new(self.tree(), &self.articulation.placed()).to_dense()
    }

    /// x with H x = b, H being the mass matrix, by its sparse factors.
    pub fn solve_mass_matrix(&self, b: &[f64]) -> Result<Vec<f64>> {
        check_numbers(&self.subject(), "right side", b, self.dofs())?;
        let mut matrix = MassMatrix::new(self.tree(), &self.articulation.placed());
        matrix.factor();
        let mut x = b.to_vec();
        matrix.solve(&mut x);
        Ok(x)
    }

    fn check_point(&self, point: Point) -> Result<()> {
        if point.is_finite() {
            return Ok(());
        }
        Err(Error::value(self.subject(), "point", "finite", format_args!("{:?}", point.to_array())))
    }

    /// How a link moves with each degree of freedom: angular velocity, and the velocity of its point that is at `point` in the
    /// world, per unit velocity.
    pub fn jacobian(&self, link: usize, point: impl Into<Point>) -> Result<Vec<Motion<f64>>> {
        self.check_link(link)?;
        let point = point.into();
        self.check_point(point)?;
        let pass = self.articulation.placed();
        let p = point - pass.origin;
        let mut out = vec![Motion::ZERO; self.dofs()];
        for k in super::dynamics::path(self.tree(), link) {
            let axis = pass.axes[k].motion();
            out[k] = Motion::new(axis.angular, axis.velocity_at(p));
        }
        Ok(out)
    }

    /// K: the change of velocity of a point of link `b` per unit impulse at a point of link `a`, with the whole tree moving; each
    /// column answers an impulse along one axis.
    pub fn response(&self, a: usize, at: impl Into<Point>, b: usize, of: impl Into<Point>) -> Result<Mat3<f64>> {
        self.check_link(a)?;
        self.check_link(b)?;
        let (at, of) = (at.into(), of.into());
        self.check_point(at)?;
        self.check_point(of)?;
        Ok(self.articulation.response((a, at), (b, of)))
    }

    /// Mass of all links.
    pub fn mass(&self) -> f64 {
        self.tree().links.iter().map(|l| l.mass).sum()
    }

    /// Centre of mass of all links; the place of the first one's body where none has any.
    pub fn centre_of_mass(&self) -> Point {
        let pass = self.articulation.placed();
        let (mut sum, mut mass) = (Vec3::ZERO, 0.0);
        for (moving, link) in pass.links.iter().zip(&self.tree().links) {
            sum += Vec3::from(moving.centre) * link.mass;
            mass += link.mass;
        }
        match pass.links.first() {
            Some(first) if mass == 0.0 => pass.origin + Vec3::from(first.centre),
            _ => pass.origin + sum / mass,
        }
    }

    /// Kinetic energy of all links and of what turns with the motors.
    pub fn kinetic_energy(&self) -> f64 {
        self.articulation.placed().kinetic_energy::<Quad>(self.tree(), &self.tree().qd)
    }

    /// Potential energy of all links in gravity, relative to the origin of the world, and of the springs of their joints relative to where
    /// they rest. Motors are none.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, Dof, LinkDesc}};
    /// # fn main() -> tumble::Result<()> {
    /// let mut desc = ArticulationDesc::new();
    /// let spring = Dof { stiffness: 100.0, ..Dof::default() };
    /// let weight = BodyDesc::dynamic().mass(2.0);
    /// desc.add(LinkDesc::prismatic(weight, [0.0, 1.0, 0.0]).dof(0, spring).rest(&[1.0]).position(&[1.5]));
    /// let mut world = World::new();
    /// let id = world.add_articulation(desc)?;
    /// assert!((world.articulation(id)?.potential_energy() - (2.0 * 9.81 * 1.5 + 50.0 * 0.25)).abs() < 1e-5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn potential_energy(&self) -> f64 {
        let (tree, pass) = (self.tree(), self.articulation.placed());
        let (gravity, mut sum) = (self.state.gravity.to_f64(), self.articulation.spring_energy());
        for ((link, moving), &body) in tree.links.iter().zip(&pass.links).zip(&self.articulation.bodies) {
            let scale = self.state.bodies.params[self.state.bodies.dense_at(body)].gravity_scale;
            sum -= link.mass * f64::from(scale) * gravity.dot(Vec3::from(moving.centre) + pass.origin);
        }
        sum
    }

    /// Momentum of all links.
    pub fn momentum(&self) -> Vec3<f64> {
        self.articulation.placed().momentum::<Quad>(self.tree()).force
    }

    /// Angular momentum of all links about their common centre of mass.
    pub fn angular_momentum(&self) -> Vec3<f64> {
        let pass = self.articulation.placed();
        let momentum = pass.momentum::<Quad>(self.tree());
        momentum.torque - (self.centre_of_mass() - pass.origin).cross(momentum.force)
    }
}

fn subject(articulation: &Articulation, id: ArticulationId) -> String {
    articulation.name.as_ref().map_or_else(|| id.to_string(), |name| format!("articulation {name:?}"))
}

fn check_link(articulation: &Articulation, id: ArticulationId, link: usize) -> Result<()> {
    if link < articulation.bodies.len() {
        return Ok(());
    }
    let count = articulation.bodies.len();
    let subject = subject(articulation, id);
    Err(Error::value(subject, "link", "one that it has", format_args!("{link} of {count}")))
}

/// A degree of freedom of a link among all.
fn dof_of(articulation: &Articulation, id: ArticulationId, link: usize, dof: usize) -> Result<usize> {
    check_link(articulation, id, link)?;
    let dofs = articulation.tree.links[link].dofs();
    if dof < dofs.len() {
        return Ok(dofs.start + dof);
    }
    let subject = format!("link {link} of {}", subject(articulation, id));
    Err(Error::value(subject, "degree of freedom", "one that its joint has", format_args!("{dof} of {}", dofs.len())))
}

/// An articulation, to change. Every change is checked; a refused one changes nothing.
///
/// ```
/// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, Dof, LinkDesc, Motor}};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let mut desc = ArticulationDesc::new();
/// desc.add(LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 0.0, 1.0]));
/// let id = world.add_articulation(desc)?;
/// let mut arm = world.articulation_mut(id)?;
/// arm.set_position(&[0.5])?;
/// arm.set_velocity(&[1.0])?;
/// arm.apply_joint_impulse(0, 0, 0.1)?; // its inertia is 0.1 kg m²
/// assert!((arm.view().velocity()[0] - 2.0).abs() < 1e-6);
/// // A servo that leads it to a quarter turn.
/// arm.set_motor(0, 0, Motor::position(100.0, 10.0))?;
/// arm.set_target(0, &[1.5])?;
/// arm.set_force(0, 0, 0.5)?;
/// arm.set_dof(0, 0, Dof { armature: 0.01, ..arm.view().dof(0, 0)? })?;
/// arm.set_rest(0, &[0.0])?;
/// arm.set_name(Some("arm".to_owned()));
/// assert!(arm.set_position(&[f64::NAN]).is_err() && arm.set_motor(1, 0, Motor::OFF).is_err());
/// for _ in 0..120 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.articulation(id)?.position()[0] - 1.505).abs() < 1e-3); // and the force holds it off by τ/k
/// # Ok(())
/// # }
/// ```
pub struct ArticulationMut<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) id: ArticulationId,
}

impl ArticulationMut<'_> {
    /// The articulation, to look at.
    pub fn view(&self) -> ArticulationRef<'_> {
        let articulation = self.articulation();
        ArticulationRef { state: self.state, id: self.id, articulation }
    }

    fn articulation(&self) -> &Articulation {
        // The id was checked when this was made.
        self.state.articulations.all.at(self.id.index()).unwrap_or(&NOBODY)
    }

    fn subject(&self) -> String {
        subject(self.articulation(), self.id)
    }

    fn slot(&self) -> u32 {
        self.id.index()
    }

    /// Changes the tree without moving its links.
    fn edit(&mut self, change: impl FnOnce(&mut Tree)) {
        let slot = self.slot();
        if let Some(articulation) = self.state.articulations.all.at_mut(slot) {
            change(&mut articulation.tree);
        }
        if let Some(&body) = self.articulation().bodies.first() {
            self.state.wake(body);
        }
    }

    /// Puts all joints to these coordinates at once.
    pub fn set_position(&mut self, q: &[f64]) -> Result<()> {
        let (subject, tree) = (self.subject(), &self.articulation().tree);
        check_numbers(&subject, "position", q, tree.q.len())?;
        for link in &tree.links {
            check_quaternion(&subject, "position", link.kind, &q[link.coordinates()])?;
        }
        let slot = self.slot();
        self.state.change_tree(slot, |tree| {
            tree.q.copy_from_slice(q);
            for link in &tree.links {
                link.kind.normalize(&mut tree.q[link.coordinates()]);
            }
        })
    }

    /// Gives all degrees of freedom these velocities.
    pub fn set_velocity(&mut self, qd: &[f64]) -> Result<()> {
        check_numbers(&self.subject(), "velocity", qd, self.articulation().tree.qd.len())?;
        let slot = self.slot();
        self.state.set_tree_velocity(slot, qd.to_vec())
    }

    /// An impulse along a degree of freedom of a link's joint; the whole tree answers.
    pub fn apply_joint_impulse(&mut self, link: usize, dof: usize, impulse: f64) -> Result<()> {
        let k = dof_of(self.articulation(), self.id, link, dof)?;
        check_numbers(&self.subject(), "impulse", &[impulse], 1)?;
        let slot = self.slot();
        self.state.push_tree(slot, &[Push::Dof(k, impulse)])
    }

    /// The force or torque along a degree of freedom that stays until changed.
    pub fn set_force(&mut self, link: usize, dof: usize, force: f64) -> Result<()> {
        let dof_now = self.view().dof(link, dof)?;
        self.set_dof(link, dof, Dof { force, ..dof_now })
    }

    /// What drives a degree of freedom.
    pub fn set_motor(&mut self, link: usize, dof: usize, motor: Motor) -> Result<()> {
        let dof_now = self.view().dof(link, dof)?;
        self.set_dof(link, dof, Dof { motor, ..dof_now })
    }

    /// All that acts along a degree of freedom.
    ///
    /// # Errors
    /// Values out of range, and no armature where nothing else resists the joint.
    pub fn set_dof(&mut self, link: usize, dof: usize, to: Dof) -> Result<()> {
        let k = dof_of(self.articulation(), self.id, link, dof)?;
        to.validate(&self.subject(), self.articulation().tree.links[link].kind)?;
        let articulation = self.articulation();
        if to.armature < articulation.tree.dofs[k].armature {
            let (mut pass, mut tree) = (articulation.placed(), articulation.tree.clone());
            tree.dofs[k] = to;
            pass.factor::<Quad>(&tree, None);
            if let Some(link) = pass.unresisted(&tree) {
                return Err(self.state.refuse_unresisted(articulation.bodies[link]));
            }
        }
        if self.articulation().tree.dofs[k] != to {
            self.edit(|tree| tree.dofs[k] = to);
        }
        Ok(())
    }

    fn set_coordinates(
        &mut self,
        link: usize,
        what: &'static str,
        q: &[f64],
        of: impl Fn(&mut Tree) -> &mut Vec<f64>,
    ) -> Result<()> {
        check_link(self.articulation(), self.id, link)?;
        let (subject, of_link) = (self.subject(), &self.articulation().tree.links[link]);
        let (at, kind) = (of_link.coordinates(), of_link.kind);
        check_numbers(&subject, what, q, at.len())?;
        check_quaternion(&subject, what, kind, q)?;
        self.edit(|tree| of(tree)[at].copy_from_slice(q));
        Ok(())
    }

    /// The coordinates to which the motors of a link's joint lead.
    pub fn set_target(&mut self, link: usize, q: &[f64]) -> Result<()> {
        self.set_coordinates(link, "target", q, |tree| &mut tree.target)
    }

    /// The coordinates at which the springs of a link's joint are at rest.
    pub fn set_rest(&mut self, link: usize, q: &[f64]) -> Result<()> {
        self.set_coordinates(link, "rest", q, |tree| &mut tree.rest)
    }

    /// A name for people.
    pub fn set_name(&mut self, name: Option<String>) {
        let slot = self.slot();
        if let Some(articulation) = self.state.articulations.all.at_mut(slot) {
            articulation.name = name;
        }
    }
}

/// The forward dynamics of a tree, compiled for each set of instructions.
struct Forward<'a> {
    tree: &'a Tree,
    pass: &'a mut Pass,
    loads: &'a [Load],
    tau: &'a [f64],
}

impl Kernel for Forward<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { tree, pass, loads, tau } = self;
        pass.place_moving::<L::Packed>(tree, &tree.q, &tree.qd);
        pass.forward::<L::Packed>(tree, loads, |k| tau[k]);
    }
}
