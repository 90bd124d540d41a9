//! From bodies and joints to an articulation, and back. The bodies stay what they are: their ids, colliders and names.

use super::{State, World};
use crate::articulation::assembly::{self, Translated};
use crate::articulation::dynamics::Pass;
use crate::articulation::kind::Place;
use crate::articulation::packed::{Frame, FrameIn, Six, sym3};
use crate::articulation::store::Articulation;
use crate::articulation::tree::Tree;
use crate::articulation::{ArticulationDesc, LinkDesc};
use crate::body::store::Params;
use crate::body::{BodyDesc, BodyKind};
use crate::constraint::joint::JointDesc;
use crate::error::{Error, Result};
use crate::id::{ArticulationId, BodyId, JointId};
use crate::math::spatial::Wrench;
use crate::math::{Quad, Quat, Vec3, WorldPose};

/// What [`World::articulate`] has made of an assembly.
///
/// ```
/// use tumble::{BodyDesc, JointDesc, World};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let arm = world.add_body(BodyDesc::dynamic().position([0.5, 0.0, 0.0]))?;
/// world.add_joint(JointDesc::hinge(World::BODY, arm).anchor([0.0, 0.0, 0.0]).axis([0.0, 0.0, 1.0]))?;
/// let made = world.articulate(arm)?;
/// assert!(made.closures.is_empty() && made.kept.is_empty());
/// assert_eq!(world.articulation(made.id)?.links().collect::<Vec<_>>(), [arm]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// The articulation.
    pub id: ArticulationId,
    /// Joints that close loops: they stay, and are solved with the tree.
    pub closures: Vec<JointId>,
    /// Joints that stay because no link can have them, and why.
    pub kept: Vec<(JointId, String)>,
}

/// A link to be made of a body.
struct Plan {
    body: u32,
    /// Which of the plans is its parent.
    parent: Option<usize>,
    /// The joint that it is made of, and whether it leads from the link to the parent.
    joint: Option<(u32, bool)>,
    made: Option<Translated>,
}

impl World {
    /// Turns a body and all that joints tie it to, directly or over others, into an articulation with that body as its root: one
    /// that hangs on the world where a joint ties it to a fixed body, or else floats. Joints become those of links; their limits
    /// and motors stay, and gaps close. Of each loop one joint stays as it is. Where all its bodies that no joint ties are excluded from touching
    /// each other, it has no self-collision, and the exclusions are gone: [`World::dissolve`] makes them again. A fixed body that a joint kept
    /// the root from touching is excluded from touching it.
    ///
    /// ```
    /// use tumble::{BodyDesc, JointDesc, World, shape::Shape};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let mut last = World::BODY;
    /// let mut bodies = Vec::new();
    /// for i in 0..5 {
    ///     let rod = BodyDesc::dynamic().position([0.25 + 0.5 * i as f64, 0.0, 0.0]).collider(Shape::cuboid(0.2, 0.05, 0.05)?);
    ///     let rod = world.add_body(rod)?;
    ///     world.add_joint(JointDesc::hinge(last, rod).anchor([0.5 * i as f64, 0.0, 0.0]).axis([0.0, 0.0, 1.0]))?;
    ///     bodies.push(rod);
    ///     last = rod;
    /// }
    /// let made = world.articulate(bodies[0])?;
    /// assert_eq!((world.joint_count(), world.articulation(made.id)?.dofs()), (0, 5));
    /// // And back.
    /// let joints = world.dissolve(made.id)?;
    /// assert_eq!((joints.len(), world.articulation_count(), world.body_count()), (5, 0, 5));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A root that is not a dynamic body, or is a link already; bodies with locked axes or speed limits; an assembly whose joints can move without
    /// moving any mass. On an error nothing is changed.
    pub fn articulate(&mut self, root: BodyId) -> Result<Assembled> {
        self.whole()?;
        let cold = self.state.bodies.cold.get(root)?;
        let slot = root.index();
        if cold.kind != BodyKind::Dynamic || !cold.active {
            return Err(Error::refused(self.state.subject(slot), "the root of an articulation must be a dynamic body"));
        }
        if self.state.articulations.link_of(slot).is_some() {
            return Err(Error::refused(self.state.subject(slot), "it is a link already"));
        }
        let (plans, closures, kept) = self.state.plan_assembly(slot);
        for plan in &plans {
            let params = &self.state.bodies.params[self.state.bodies.dense_at(plan.body)];
            if !params.locks().is_none() {
                return Err(Error::refused(self.state.subject(plan.body), "a link cannot have locked axes"));
            }
            if params.max_linear_speed.is_finite() || params.max_angular_speed.is_finite() {
                return Err(Error::refused(self.state.subject(plan.body), "a link cannot have speed limits"));
            }
        }
        let bodies: Vec<u32> = plans.iter().map(|p| p.body).collect();
        let tree = self.state.plan_tree(&plans)?;
        let mut articulation = Articulation { tree, bodies: bodies.clone(), self_collision: true, name: None };
        let apart = self.state.pairs_apart(&articulation);
        // Bodies that never touch each other, such as dissolving a tree without self-collision leaves, are such a tree again.
        let excluded = !apart.is_empty() && apart.iter().all(|pair| self.state.exclusions.contains(pair));
        articulation.self_collision = !excluded;
        let pass = articulation.placed();
        let sound = |i: usize| {
            let (pose, velocity) = articulation.body_state(&pass, i);
            pose.is_finite() && velocity.is_finite()
        };
        if !(0..bodies.len()).all(sound) {
            return Err(Error::refused("new articulation", "its links are outside the range of numbers"));
        }
        let ids = |slots: &[u32]| slots.iter().filter_map(|&s| self.state.joints.all.id_at(s)).collect::<Vec<_>>();
        let closures = ids(&closures);
        let reasons = kept.iter().map(|(_, why)| (*why).to_owned());
        let kept = ids(&kept.iter().map(|k| k.0).collect::<Vec<_>>()).into_iter().zip(reasons).collect();
        // What the joint of the root held apart stays apart: the tree stands on the world, not on that body.
        let ground =
            plans[0].joint.and_then(|(joint, _)| self.state.joints.all.at(joint)).filter(|joint| !joint.collide);
        let ground = ground.map(|joint| joint.other(slot));
        let ground = ground.filter(|&body| self.state.bodies.cold.at(body).is_some_and(|c| !c.colliders.is_empty()));
        let used = ids(&plans.iter().filter_map(|p| Some(p.joint?.0)).collect::<Vec<_>>());

        let state = &mut self.state;
        if excluded {
            for pair in &apart {
                state.exclusions.remove(pair);
            }
        }
        state.exclusions.extend(ground.map(|body| (body.min(slot), body.max(slot))));
        for plan in &plans {
            state.wake(plan.body);
            // Contacts end while their bodies are free, and are found anew as those of links.
            state.rebuild_proxies(plan.body);
        }
        for joint in used {
            state.remove_joint(joint);
        }
        for &body in &bodies {
            state.rebuild_proxies(body);
        }
        let id = state.articulations.all.insert(articulation);
        state.articulations.index(id.index(), true);
        state.begin_articulation(id.index())?;
        for &body in &bodies {
            state.settle_joints(body);
            state.wake(body);
        }
        Ok(Assembled { id, closures, kept })
    }

    /// Turns an articulation into free bodies and joints between them, which are returned in the order of the links. Bodies and
    /// loop closures stay as they are. Where its links did not collide with each other, the bodies are [excluded](World::set_pair_excluded)
    /// from each other, by pairs.
    ///
    /// ```
    /// use tumble::{BodyDesc, World, articulation::{ArticulationDesc, Dof, LinkDesc}};
    /// # fn main() -> tumble::Result<()> {
    /// let mut world = World::new();
    /// let mut desc = ArticulationDesc::new();
    /// let limited = Dof::default().limits(-1.0, 1.0);
    /// desc.add(LinkDesc::revolute(BodyDesc::dynamic(), [0.0, 0.0, 1.0]).anchor([0.0, 1.0, 0.0]).dof(0, limited));
    /// let id = world.add_articulation(desc)?;
    /// let bob = world.articulation(id)?.link(0)?;
    /// let hinge = world.dissolve(id)?[0];
    /// assert_eq!((world.joint(hinge)?.bodies()[1], world.body(bob)?.link()), (bob, None));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Links without mass, couplings, and what acts along a joint that joints between bodies do not know, such as armature: each is
    /// named. On an error nothing is changed.
    pub fn dissolve(&mut self, id: ArticulationId) -> Result<Vec<JointId>> {
        self.whole()?;
        let articulation = self.state.articulations.all.get(id)?;
        let tree = &articulation.tree;
        if !tree.couplings.is_empty() {
            return Err(Error::refused(
                id.to_string(),
                "it has couplings, which no joint between bodies can take over",
            ));
        }
        let bodies = articulation.bodies.clone();
        let mut descs = Vec::new();
        for (i, link) in tree.links.iter().enumerate() {
            let refuse = |why: &str| Error::refused(self.state.subject(bodies[i]), why);
            if link.massless {
                return Err(refuse("it has no mass, and a body must have"));
            }
            // Springs and motors of joints with as many coordinates as degrees of freedom.
            let of = |list: &[f64]| -> Vec<f64> { list[link.coordinates()].to_vec() };
            let (rest, target) = (of(&tree.rest), of(&tree.target));
            let made = assembly::from_link(&link.joint, &tree.dofs[link.dofs()], link.swing.as_ref(), [&rest, &target]);
            let Some((kind, turn)) = made.map_err(refuse)? else { continue };
            let parent = match link.parent() {
                Some(p) => self.state.bodies.cold.id_at(bodies[p]).ok_or_else(|| id.missing())?,
                None => World::BODY,
            };
            let body = self.state.bodies.cold.id_at(bodies[i]).ok_or_else(|| id.missing())?;
            let [a, b] = [&link.frames[0], &link.frames[1]];
            let axes = |f: &WorldPose| (f.rotation * turn).try_normalize().unwrap_or(Quat::IDENTITY);
            let desc =
                JointDesc::new(parent, body, kind).frame_a(a.translation, axes(a)).frame_b(b.translation, axes(b));
            desc.validate()?;
            descs.push((desc, link.kind.angle(&tree.q[link.coordinates()])));
        }
        let apart = if articulation.self_collision { Vec::new() } else { self.state.pairs_apart(articulation) };
        let state = &mut self.state;
        for &body in &bodies {
            state.wake(body);
            state.rebuild_proxies(body);
        }
        state.exclusions.extend(apart);
        state.articulations.index(id.index(), false);
        state.articulations.all.remove(id);
        for &body in &bodies {
            let dense = state.bodies.dense_at(body);
            state.bodies.params[dense].set(Params::LINK, false);
            state.refresh_mass(body)?;
            // The tree no longer holds the island together.
            state.islands.unlink(body, bodies[0]);
            state.settle_joints(body);
        }
        let mut joints = Vec::with_capacity(descs.len());
        for (desc, angle) in descs {
            let id = self.add_joint(desc)?;
            if let Some((joint, angle)) = self.state.joints.all.at_mut(id.index()).zip(angle) {
                // Turns go on being counted.
                joint.memory[0] = angle;
            }
            joints.push(id);
        }
        Ok(joints)
    }
}

/// The links, the joints that close loops, and those that stay for a reason.
type Assembly = (Vec<Plan>, Vec<u32>, Vec<(u32, &'static str)>);

impl State {
    /// Pairs of the links' bodies that touch or not as self-collision says, as they are kept among the exclusions.
    fn pairs_apart(&self, articulation: &Articulation) -> Vec<(u32, u32)> {
        let tree = &articulation.tree;
        let joined = |a: usize, b: usize| tree.links[b].parent() == Some(a) || tree.links[a].parent() == Some(b);
        let pairs = (0..tree.links.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let apart = pairs.filter(|&(a, b)| !joined(a, b));
        apart
            .map(|(a, b)| (articulation.bodies[a], articulation.bodies[b]))
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect()
    }

    /// Breadth first from the root over the joints in the order of their slots.
    fn plan_assembly(&self, root: u32) -> Assembly {
        let mut plans = vec![Plan { body: root, parent: None, joint: None, made: None }];
        let (mut closures, mut kept): (Vec<u32>, Vec<(u32, &'static str)>) = (Vec::new(), Vec::new());
        let mut seen = std::collections::BTreeSet::new();
        let mut next = 0;
        while next < plans.len() {
            let body = plans[next].body;
            for &slot in self.joints.of_body(body) {
                let Some(joint) = self.joints.all.at(slot).filter(|j| self.joint_holds(j)) else { continue };
                if !seen.insert(slot) {
                    continue;
                }
                let other = joint.other(body);
                let dynamic = self.bodies.cold.at(other).is_some_and(|c| c.kind == BodyKind::Dynamic);
                if dynamic {
                    // Seen from the body, the other would be the child.
                    let reversed = joint.bodies[1] == body;
                    if self.articulations.link_of(other).is_some() {
                        kept.push((slot, "it leads to a link of another articulation"));
                        continue;
                    }
                    match assembly::to_link(joint, reversed) {
                        Err(why) => kept.push((slot, why)),
                        Ok(_) if plans.iter().any(|p| p.body == other) => closures.push(slot),
                        Ok(_) if joint.collide => kept.push((slot, "its bodies touch, and parent and child do not")),
                        Ok(made) => plans.push(Plan {
                            body: other,
                            parent: Some(next),
                            joint: Some((slot, reversed)),
                            made: Some(made),
                        }),
                    }
                    continue;
                }
                let fixed = self.bodies.cold.at(other).is_some_and(|c| c.kind == BodyKind::Fixed);
                // Seen from what is fixed, the root is the child.
                let reversed = joint.bodies[0] == body;
                match assembly::to_link(joint, reversed) {
                    _ if !fixed => kept.push((slot, "it leads to a body that moves as it is told")),
                    Err(why) => kept.push((slot, why)),
                    Ok(made) if next == 0 && plans[0].joint.is_none() => {
                        plans[0].joint = Some((slot, reversed));
                        plans[0].made = Some(made);
                    }
                    Ok(_) => closures.push(slot),
                }
            }
            next += 1;
        }
        (plans, closures, kept)
    }

    /// The tree of the plans, where the bodies are and as they move.
    fn plan_tree(&self, plans: &[Plan]) -> Result<Tree> {
        let mut desc = ArticulationDesc::new();
        for plan in plans {
            let joint = plan.joint.and_then(|(slot, reversed)| Some((self.joints.all.at(slot)?, reversed)));
            let mut link = match (&plan.made, joint) {
                (Some(made), Some((joint, reversed))) => {
                    let [mut on_parent, mut on_link] = joint.frames;
                    if reversed {
                        core::mem::swap(&mut on_parent, &mut on_link);
                    }
                    if plan.parent.is_none() {
                        let dense = self.bodies.dense_at(joint.other(plan.body));
                        let frame = self.bodies.frame(dense);
                        on_parent = WorldPose {
                            translation: frame.translation + frame.rotation.to_f64().rotate(on_parent.translation),
                            rotation: frame.rotation * on_parent.rotation,
                        };
                    }
                    let mut link = LinkDesc::new(BodyDesc::dynamic(), made.joint).frames(on_parent, on_link);
                    link.dofs.clone_from(&made.dofs);
                    link.target.clone_from(&made.targets);
                    link.swing = made.swing;
                    link
                }
                _ => LinkDesc::free(BodyDesc::dynamic()),
            };
            link.parent = plan.parent;
            desc.add(link);
        }
        desc.validate()?;
        let mut tree = Tree::new(&desc);
        for (i, plan) in plans.iter().enumerate() {
            let Some(cold) = self.bodies.cold.at(plan.body) else { continue };
            tree.links[i].set_mass(&cold.mass);
        }
        self.locate_links(&mut tree, plans);
        self.project_velocities(&mut tree, plans)?;
        Ok(tree)
    }

    /// Coordinates at which the links are where their bodies are, root first.
    fn locate_links(&self, tree: &mut Tree, plans: &[Plan]) {
        let mut places: Vec<Place> = Vec::new();
        for (i, plan) in plans.iter().enumerate() {
            let link = &tree.links[i];
            let frame = self.bodies.frame(self.bodies.dense_at(plan.body));
            let body = Place { rotation: frame.rotation.to_f64().to_mat3(), origin: frame.translation };
            let b = body.then(&link.body_place.inverse());
            let a = match link.parent() {
                Some(p) => places[p].then(&link.joint_place),
                None => link.joint_place,
            };
            let (qs, kind) = (link.coordinates(), link.kind);
            kind.locate(&a, &b, &mut tree.q[qs.clone()]);
            // Angles are counted over many turns.
            if let Some(joint) = plan.joint.and_then(|(slot, _)| self.joints.all.at(slot)) {
                let counted = joint.memory[0];
                let tau = 2.0 * core::f64::consts::PI;
                if let Some(angle) = kind.angle_mut(&mut tree.q[qs.clone()])
                    && counted.is_finite()
                {
                    *angle += tau * libm::round((counted - *angle) / tau);
                }
            }
            kind.normalize(&mut tree.q[qs.clone()]);
            let (mut axes, mut place) = ([Six::ZERO; 6], Frame::IDENTITY);
            kind.place(FrameIn::<Quad>::of(&a), &tree.q[qs], &mut axes[..kind.dofs()]).store(&mut place);
            places.push(place.unpacked());
        }
    }

    /// The velocities along the degrees of freedom that keep the momenta of the bodies as far as the joints let them: M q̇ = Σ Sᵀ I v.
    fn project_velocities(&self, tree: &mut Tree, plans: &[Plan]) -> Result<()> {
        let mut pass = Pass::default();
        pass.place::<Quad>(tree, &tree.q);
        pass.factor::<Quad>(tree, None);
        if let Some(link) = pass.unresisted(tree) {
            return Err(self.refuse_unresisted(plans[link].body));
        }
        for (i, plan) in plans.iter().enumerate() {
            let velocity = &self.bodies.velocity[self.bodies.dense_at(plan.body)];
            let link = &tree.links[i];
            let moving = &mut pass.links[i];
            let p = velocity.linear.to_f64() * link.mass;
            let l = sym3(&moving.inertia) * velocity.angular.to_f64() + Vec3::from(moving.centre).cross(p);
            moving.bias = (-Wrench { torque: l, force: p }).into();
        }
        pass.accelerate::<Quad>(tree, |_| 0.0, false);
        for (qd, column) in tree.qd.iter_mut().zip(&pass.columns) {
            *qd = column.acceleration;
        }
        Ok(())
    }
}
