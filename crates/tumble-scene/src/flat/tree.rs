//! Articulations in flat lists.

use super::text::{Row, Words};
use super::world::{engine, place, pose, refused};
use super::{Flat, Pose};
use crate::error::Result;
use core::fmt;
use std::collections::BTreeMap;
use tumble::articulation::{ArticulationDesc, Coupling, Dof, LinkDesc, LinkJoint, Motor, Swing};
use tumble::body::MassSource;
use tumble::math::{Float, Real, Vec3};
use tumble::{BodyDesc, BodyId, World};

/// An articulation: a tree of links, whose bodies stand in the list of bodies.
///
/// ```
/// use tumble_scene::{flat::Flat, library};
/// # fn main() -> tumble_scene::Result<()> {
/// let flat = Flat::of(library::find("crane")?.setup().start()?.world())?;
/// assert_eq!((flat.trees.len(), flat.trees[0].links[2].parent), (1, Some(1)));
/// assert!(flat.to_string().starts_with("tumble-flat 2\n"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tree {
    /// Links that are not parent and child collide.
    pub self_collision: bool,
    /// The links, parents before children.
    pub links: Vec<Link>,
    /// What ties degrees of freedom together.
    pub couplings: Vec<Coupling>,
}

/// A link of a tree.
///
/// ```
/// let tree = tumble_scene::flat::Tree::default();
/// assert!(tree.links.iter().all(|link| !link.massless));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Index of its body.
    pub body: u32,
    /// Number of its parent in the tree; `None` for the world.
    pub parent: Option<u32>,
    /// It has no mass of its own.
    pub massless: bool,
    /// The joint by which it hangs.
    pub joint: LinkJoint,
    /// Where the joint is on the parent, or in the world, and on the link.
    pub frames: [Pose; 2],
    /// Coordinates of the joint.
    pub position: Vec<f64>,
    /// Velocities along its degrees of freedom.
    pub velocity: Vec<f64>,
    /// Coordinates at which its springs are at rest.
    pub rest: Vec<f64>,
    /// Coordinates to which its motors lead.
    pub target: Vec<f64>,
    /// What acts along each degree of freedom.
    pub dofs: Vec<Dof>,
    /// How far a spherical joint turns.
    pub swing: Option<Swing>,
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let collide = u8::from(self.self_collision);
        writeln!(f, "tree {collide} {} {}", self.links.len(), self.couplings.len())?;
        for link in &self.links {
            let parent = link.parent.map_or(-1, i64::from);
            write!(f, "link {} {parent} {}", link.body, u8::from(link.massless))?;
            let axis = |v: Vec3| v.to_f64().to_array();
            match link.joint {
                LinkJoint::Fixed => write!(f, " fixed")?,
                LinkJoint::Revolute { axis: a } => write!(f, " revolute{}", Row(&axis(a)))?,
                LinkJoint::Prismatic { axis: a } => write!(f, " prismatic{}", Row(&axis(a)))?,
                LinkJoint::Helical { axis: a, lead } => write!(f, " helical{} {}", Row(&axis(a)), lead.to_f64())?,
                LinkJoint::Cylindrical { axis: a } => write!(f, " cylindrical{}", Row(&axis(a)))?,
                LinkJoint::Universal { first, second } => {
                    write!(f, " universal{}{}", Row(&axis(first)), Row(&axis(second)))?;
                }
                LinkJoint::Planar { normal } => write!(f, " planar{}", Row(&axis(normal)))?,
                LinkJoint::Spherical => write!(f, " spherical")?,
                LinkJoint::Free => write!(f, " free")?,
            }
            writeln!(f, "{}{}", Row(&link.frames[0]), Row(&link.frames[1]))?;
            let lists = [&link.position, &link.velocity, &link.rest, &link.target];
            lists.iter().try_for_each(|list| write!(f, "{}", Row(list)))?;
            writeln!(f)?;
            for d in &link.dofs {
                let [low, high] = d.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                let Motor { stiffness, damping, speed, max_force } = d.motor;
                let numbers = [low, high, d.stiffness, d.damping, d.friction, d.armature, d.force];
                writeln!(f, "dof{}{}", Row(&numbers), Row(&[stiffness, damping, speed, max_force]))?;
            }
            match &link.swing {
                None => writeln!(f, "swing 0")?,
                Some(Swing { axis: a, cone, twist, .. }) => {
                    let twist = twist.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                    writeln!(f, "swing 1{} {cone}{}", Row(&axis(*a)), Row(&twist))?;
                }
            }
        }
        for Coupling { a, b, ratio, offset } in &self.couplings {
            writeln!(f, "couple {} {} {} {} {ratio} {offset}", a.0, a.1, b.0, b.1)?;
        }
        Ok(())
    }
}

impl Words<'_> {
    fn axis(&mut self) -> Result<Vec3> {
        Ok(Vec3::from(self.numbers::<3>()?).to_real())
    }

    fn flag(&mut self) -> Result<bool> {
        match self.index()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.fault(format!("expected 0 or 1, found {other}"))),
        }
    }

    /// An interval; one without ends is none at all.
    fn range(&mut self) -> Result<Option<[f64; 2]>> {
        let range = self.any_numbers()?;
        Ok(Some(range).filter(|r| *r != [f64::NEG_INFINITY, f64::INFINITY]))
    }

    pub fn tree(&mut self) -> Result<Tree> {
        self.expect("tree")?;
        let (self_collision, links, couplings) = (self.flag()?, self.count()?, self.count()?);
        let links = self.many(links, Self::link)?;
        let couplings = self.many(couplings, |w| {
            w.expect("couple")?;
            let mut pair = || Ok((w.index()? as usize, w.index()? as usize));
            let (a, b) = (pair()?, pair()?);
            Ok(Coupling { a, b, ratio: w.number()?, offset: w.number()? })
        })?;
        Ok(Tree { self_collision, links, couplings })
    }

    fn link(&mut self) -> Result<Link> {
        self.expect("link")?;
        let body = self.index()?;
        let parent = self.read::<i64>("an index")?;
        let massless = self.flag()?;
        let joint = match self.word()? {
            "fixed" => LinkJoint::Fixed,
            "revolute" => LinkJoint::Revolute { axis: self.axis()? },
            "prismatic" => LinkJoint::Prismatic { axis: self.axis()? },
            "helical" => LinkJoint::Helical { axis: self.axis()?, lead: Real::from_f64(self.number()?) },
            "cylindrical" => LinkJoint::Cylindrical { axis: self.axis()? },
            "universal" => LinkJoint::Universal { first: self.axis()?, second: self.axis()? },
            "planar" => LinkJoint::Planar { normal: self.axis()? },
            "spherical" => LinkJoint::Spherical,
            "free" => LinkJoint::Free,
            other => return Err(self.fault(format!("expected a joint of a link, found {other:?}"))),
        };
        let frames = [self.numbers()?, self.numbers()?];
        let (nq, nv) = (joint.coordinates(), joint.dofs());
        let mut list = |count: usize| self.many(count, Self::number);
        let (position, velocity, rest, target) = (list(nq)?, list(nv)?, list(nq)?, list(nq)?);
        let dofs = self.many(nv, Self::dof)?;
        self.expect("swing")?;
        let swing = match self.flag()? {
            true => Some(Swing { axis: self.axis()?, cone: self.number()?, twist: self.range()?, restitution: 0.0 }),
            false => None,
        };
        let parent = u32::try_from(parent).ok();
        Ok(Link { body, parent, massless, joint, frames, position, velocity, rest, target, dofs, swing })
    }

    fn dof(&mut self) -> Result<Dof> {
        self.expect("dof")?;
        let limits = self.range()?;
        let [stiffness, damping, friction, armature, force] = self.numbers()?;
        let [k, c, speed, max_force] = self.any_numbers()?;
        let motor = Motor { stiffness: k, damping: c, speed, max_force };
        Ok(Dof { armature, damping, stiffness, friction, limits, restitution: 0.0, motor, force })
    }
}

impl Flat {
    /// Adds the articulations of a world, whose bodies have these indices.
    pub(super) fn add_trees(&mut self, world: &World, indices: &BTreeMap<BodyId, u32>) -> Result<()> {
        for id in world.articulation_ids() {
            let view = world.articulation(id).map_err(engine)?;
            let ArticulationDesc { links, couplings, self_collision, .. } = view.desc();
            let link = |(desc, id): (LinkDesc, BodyId)| Link {
                body: indices.get(&id).copied().unwrap_or(u32::MAX),
                parent: desc.parent.map(|p| p as u32),
                massless: desc.massless,
                joint: desc.joint,
                frames: [desc.frame_on_parent, desc.frame_on_link].map(|f| pose(f.translation, f.rotation)),
                position: desc.position,
                velocity: desc.velocity,
                rest: desc.rest,
                target: desc.target,
                // That limits bounce is left out, as with other joints.
                dofs: desc.dofs.into_iter().map(|dof| Dof { restitution: 0.0, ..dof }).collect(),
                swing: desc.swing.map(|swing| Swing { restitution: 0.0, ..swing }),
            };
            let links = links.into_iter().zip(view.links()).map(link).collect();
            self.trees.push(Tree { self_collision, links, couplings });
        }
        Ok(())
    }

    /// The tree of every body that is a link.
    pub(super) fn tree_of(&self) -> BTreeMap<u32, usize> {
        let links = |(tree, of): (usize, &Tree)| of.links.iter().map(move |l| (l.body, tree)).collect::<Vec<_>>();
        self.trees.iter().enumerate().flat_map(links).collect()
    }

    /// Every link has a body of its own.
    pub(super) fn trees_are_sound(&self) -> bool {
        let links: usize = self.trees.iter().map(|tree| tree.links.len()).sum();
        let known = self.tree_of();
        known.len() == links && known.keys().all(|b| (*b as usize) < self.bodies.len())
    }
}

impl Tree {
    /// Adds it to a world; the bodies are described by `body`. The answer are those of its links, with their indices.
    pub(super) fn build(
        &self,
        world: &mut World,
        body: impl Fn(u32) -> Result<BodyDesc>,
    ) -> Result<Vec<(u32, BodyId)>> {
        let mut desc = ArticulationDesc::new().self_collision(self.self_collision);
        for link in &self.links {
            let mut body = body(link.body)?;
            body.pose = Default::default();
            if link.massless {
                body.mass = MassSource::Colliders;
            }
            desc.add(LinkDesc {
                body,
                massless: link.massless,
                parent: link.parent.map(|p| p as usize),
                joint: link.joint,
                frame_on_parent: place(&link.frames[0]),
                frame_on_link: place(&link.frames[1]),
                dofs: link.dofs.clone(),
                swing: link.swing,
                position: link.position.clone(),
                velocity: link.velocity.clone(),
                rest: link.rest.clone(),
                target: link.target.clone(),
            });
        }
        desc.couplings.clone_from(&self.couplings);
        let id = world.add_articulation(desc).map_err(engine)?;
        let bodies: Vec<BodyId> = world.articulation(id).map_err(engine)?.links().collect();
        match bodies.len() == self.links.len() {
            true => Ok(self.links.iter().map(|link| link.body).zip(bodies).collect()),
            false => Err(refused("a link that has gone")),
        }
    }
}
