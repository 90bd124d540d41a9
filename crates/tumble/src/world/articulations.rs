//! Articulations of a world.

use super::{State, World};
use crate::articulation::dynamics::Pass;
use crate::articulation::store::Articulation;
use crate::articulation::tree::{Link, Tree};
use crate::articulation::{ArticulationDesc, ArticulationMut, ArticulationRef};
use crate::body::desc::MassSource;
use crate::body::store::{Params, Velocity};
use crate::error::{Error, Result};
use crate::id::{ArticulationId, BodyId};
use crate::math::{Quad, Real, Vec3};
use crate::shape::MassProperties;

impl World {
    /// Adds a tree of links, each of them a body, where the coordinates of their joints put them.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, LinkDesc}, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let mut chain = ArticulationDesc::new();
    /// for i in 0..10 {
    ///     let rod = BodyDesc::dynamic().collider(Shape::capsule(0.2, 0.05)?);
    ///     let link = LinkDesc::spherical(rod).anchor([0.0, 0.25, 0.0]);
    ///     chain.add(if i == 0 { link.at([0.0, 6.0, 0.0]) } else { link.parent(i - 1).at([0.0, -0.25, 0.0]) });
    /// }
    /// let id = world.add_articulation(chain)?;
    /// for _ in 0..60 {
    ///     world.step(1.0 / 60.0)?;
    /// }
    /// let tip = world.articulation(id)?.link(9)?;
    /// assert!((world.body(tip)?.position().y - 1.25).abs() < 1e-6); // hangs as it hung
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Values out of range, parents that come after their children, and links that nothing with a mass holds.
    pub fn add_articulation(&mut self, desc: ArticulationDesc) -> Result<ArticulationId> {
        self.whole()?;
        desc.validate()?;
        for (i, link) in desc.links.iter().enumerate() {
            link.body.validate()?;
            for collider in &link.body.colliders {
                self.state.check_materials(&link.subject(i), collider)?;
            }
        }
        let tree = Tree::new(&desc);
        let mut bodies: Vec<BodyId> = Vec::new();
        for link in &desc.links {
            let mut body = link.body.clone();
            body.locks = crate::body::Locks::NONE;
            (body.max_linear_speed, body.max_angular_speed) = (Real::INFINITY, Real::INFINITY);
            (body.linear_velocity, body.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
            bodies.push(self.state.insert_body(body));
        }
        let slots = bodies.iter().map(|b| b.index()).collect();
        let articulation = Articulation { tree, bodies: slots, self_collision: desc.self_collision, name: desc.name };
        let id = self.state.articulations.all.insert(articulation);
        self.state.articulations.index(id.index(), true);
        if let Err(error) = self.state.begin_articulation(id.index()) {
            self.state.articulations.index(id.index(), false);
            for body in bodies.into_iter().rev() {
                self.state.drop_body(body);
            }
            self.state.articulations.all.remove(id);
            return Err(error);
        }
        for body in bodies {
            self.state.rebuild_proxies(body.index());
            self.state.enter_sets(body);
        }
        Ok(id)
    }

    /// Removes an articulation with all its links.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, LinkDesc}};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let mut desc = ArticulationDesc::new().name("door");
    /// desc.add(LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 1.0, 0.0]));
    /// let id = world.add_articulation(desc)?;
    /// assert_eq!((world.articulation_count(), world.find_articulation("door")), (1, Some(id)));
    /// assert!(world.articulation_ids().eq([id]));
    /// let link = world.articulation(id)?.link(0)?;
    /// assert!(world.remove_body(link).is_err()); // only with the rest of it
    /// world.remove_articulation(id)?;
    /// assert!(world.articulation(id).is_err() && world.body(link).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn remove_articulation(&mut self, id: ArticulationId) -> Result<()> {
        self.whole()?;
        self.state.articulations.all.get(id)?;
        self.state.remove_articulation(id.index(), false);
        Ok(())
    }

    /// An articulation, to look at.
    pub fn articulation(&self, id: ArticulationId) -> Result<ArticulationRef<'_>> {
        self.whole()?;
        Ok(ArticulationRef { state: &self.state, id, articulation: self.state.articulations.all.get(id)? })
    }

    /// An articulation, to change. Changes wake it.
    pub fn articulation_mut(&mut self, id: ArticulationId) -> Result<ArticulationMut<'_>> {
        self.whole()?;
        self.state.articulations.all.get(id)?;
        Ok(ArticulationMut { state: &mut self.state, id })
    }

    /// The ids of all articulations, in the order of their slots.
    pub fn articulation_ids(&self) -> impl Iterator<Item = ArticulationId> + '_ {
        self.state.articulations.all.iter().map(|(id, _)| id)
    }

    /// Number of articulations.
    pub fn articulation_count(&self) -> usize {
        self.state.articulations.all.len()
    }

    /// The first articulation of this name, in the order of the slots.
    pub fn find_articulation(&self, name: &str) -> Option<ArticulationId> {
        self.state.articulations.all.iter().find(|(_, a)| a.name.as_deref() == Some(name)).map(|(id, _)| id)
    }
}

impl State {
    /// The bodies are in the store: gives them their masses, places and velocities.
    pub(super) fn begin_articulation(&mut self, slot: u32) -> Result<()> {
        let count = self.articulations.all.at(slot).map_or(0, |a| a.bodies.len());
        for link in 0..count {
            let Some(articulation) = self.articulations.all.at(slot) else { break };
            let (body, massless) = (articulation.bodies[link], articulation.tree.links[link].massless);
            let dense = self.bodies.dense_at(body);
            self.bodies.params[dense].set(Params::LINK, true);
            if let Some(cold) = self.bodies.cold.at_mut(body).filter(|_| massless) {
                cold.set_mass_source(MassSource::Explicit(MassProperties::ZERO));
            }
            self.begin_mass(body)?;
        }
        let Some(articulation) = self.articulations.all.at(slot) else { return Ok(()) };
        let tree = &articulation.tree;
        let mut pass = articulation.placed();
        pass.factor::<Quad>(tree, None);
        if let Some(link) = pass.unresisted(tree) {
            return Err(self.refuse_unresisted(articulation.bodies[link]));
        }
        if (0..count).any(|i| {
            let (pose, velocity) = articulation.body_state(&pass, i);
            !(pose.is_finite() && velocity.is_finite())
        }) {
            return Err(Error::refused("new articulation", "its links are outside the range of numbers"));
        }
        self.place_links(slot);
        for link in 0..count {
            let Some(body) = self.articulations.all.at(slot).map(|a| a.bodies[link]) else { break };
            self.settle(body);
            self.link_tree(body);
        }
        Ok(())
    }

    /// The error for a link whose joint moves without moving any mass.
    pub(crate) fn refuse_unresisted(&self, body: u32) -> Error {
        Error::refused(
            self.subject(body),
            "its joint can move, but nothing beyond it has a mass that resists; give it or a link on it mass, or armature",
        )
    }

    /// The islands of a link and of its neighbours in the tree are one.
    pub fn link_tree(&mut self, body: u32) {
        let neighbours: Vec<u32> = self.articulations.neighbours(body).collect();
        for other in neighbours {
            self.islands.link(body, other);
        }
    }

    /// Puts the bodies of an articulation where its coordinates say.
    pub fn place_links(&mut self, slot: u32) {
        let Some(articulation) = self.articulations.all.at(slot) else { return };
        let pass = articulation.placed();
        let states: Vec<_> =
            articulation.bodies.iter().enumerate().map(|(i, &b)| (b, articulation.body_state(&pass, i))).collect();
        for (body, (pose, velocity)) in states {
            let dense = self.bodies.dense_at(body);
            self.bodies.pose[dense] = pose;
            self.bodies.velocity[dense] = velocity;
            self.bodies.rest[dense].carry = Vec3::ZERO;
            self.move_proxies(body, Vec3::ZERO, false);
        }
    }

    /// The mass of a link's body has changed: the tree takes it over, and its links stay where they are.
    pub fn link_mass_changed(&mut self, body: u32) {
        let Some((slot, link)) = self.articulations.link_of(body) else { return };
        let Some(mass) = self.bodies.cold.at(body).map(|c| *c.mass) else { return };
        if let Some(articulation) = self.articulations.all.at_mut(slot) {
            weigh(&mut articulation.tree.links[link], &mass);
        }
    }

    /// An error where some joint of a link's tree, which something resists now, could move without moving any mass if the link had this one.
    pub(super) fn check_resisted(&self, body: u32, mass: &MassProperties) -> Result<()> {
        let Some((slot, link)) = self.articulations.link_of(body) else { return Ok(()) };
        let Some(articulation) = self.articulations.all.at(slot) else { return Ok(()) };
        let loose = |tree: &Tree| {
            let mut pass = Pass::default();
            pass.place::<Quad>(tree, &tree.q);
            pass.factor::<Quad>(tree, None);
            pass.unresisted(tree)
        };
        let mut tree = articulation.tree.clone();
        weigh(&mut tree.links[link], mass);
        match loose(&tree) {
            Some(link) if loose(&articulation.tree).is_none() => Err(self.refuse_unresisted(articulation.bodies[link])),
            _ => Ok(()),
        }
    }

    /// The tree of a link stands still.
    pub fn stop_tree(&mut self, body: u32) {
        let Some((slot, _)) = self.articulations.link_of(body) else { return };
        if let Some(articulation) = self.articulations.all.at_mut(slot) {
            articulation.tree.qd.fill(0.0);
        }
    }

    /// The bodies of the tree that a body is a link of; itself alone where it is none.
    pub fn with_tree(&self, body: u32) -> Vec<u32> {
        let tree = self.articulations.link_of(body).and_then(|(slot, _)| self.articulations.all.at(slot));
        tree.map_or_else(|| vec![body], |a| a.bodies.clone())
    }

    /// Removes an articulation with its bodies.
    pub fn remove_articulation(&mut self, slot: u32, by_validator: bool) {
        let Some(id) = self.articulations.all.id_at(slot) else { return };
        self.articulations.index(slot, false);
        let bodies = self.articulations.all.remove(id).map(|a| a.bodies).unwrap_or_default();
        for body in bodies.into_iter().rev() {
            if let Some(id) = self.bodies.cold.id_at(body) {
                self.remove_body(id, by_validator);
            }
        }
    }

    /// Changes the velocities of a tree by impulses, and those of its bodies with it. On an error nothing is changed.
    pub(crate) fn push_tree(&mut self, slot: u32, impulses: &[crate::articulation::Push]) -> Result<()> {
        let Some(articulation) = self.articulations.all.at(slot) else { return Ok(()) };
        let mut pass = articulation.placed();
        pass.factor::<Quad>(&articulation.tree, None);
        let change = crate::articulation::respond_to(&articulation.tree, &pass, impulses);
        let new: Vec<f64> = articulation.tree.qd.iter().zip(&change).map(|(v, d)| v + d).collect();
        self.set_tree_velocity(slot, new)
    }

    /// New velocities of a tree, where they leave all links with numbers.
    pub(crate) fn set_tree_velocity(&mut self, slot: u32, qd: Vec<f64>) -> Result<()> {
        self.change_tree(slot, |tree| tree.qd = qd)
    }

    /// Changes coordinates or velocities of a tree, where they leave all links with numbers, and moves its bodies.
    pub(crate) fn change_tree(&mut self, slot: u32, change: impl FnOnce(&mut Tree)) -> Result<()> {
        let Some(articulation) = self.articulations.all.at_mut(slot) else { return Ok(()) };
        let (q, qd) = (articulation.tree.q.clone(), articulation.tree.qd.clone());
        change(&mut articulation.tree);
        let pass = articulation.placed();
        let finite = |i: usize| {
            let (pose, velocity): (_, Velocity) = articulation.body_state(&pass, i);
            pose.is_finite() && velocity.is_finite()
        };
        if !(0..articulation.bodies.len()).all(finite) {
            (articulation.tree.q, articulation.tree.qd) = (q, qd);
            return Err(Error::refused("articulation", "its links would leave the range of numbers"));
        }
        let first = articulation.bodies.first().copied();
        self.place_links(slot);
        if let Some(body) = first {
            self.wake(body);
        }
        Ok(())
    }

    /// A removed link takes its tree along.
    pub(super) fn tree_goes_with(&mut self, id: BodyId, by_validator: bool) -> bool {
        match self.articulations.link_of(id.index()) {
            Some((slot, _)) => {
                self.remove_articulation(slot, by_validator);
                true
            }
            None => false,
        }
    }
}

/// Gives a link the mass of its body.
fn weigh(link: &mut Link, mass: &MassProperties) {
    link.massless = mass.mass == 0.0;
    link.set_mass(mass);
}
