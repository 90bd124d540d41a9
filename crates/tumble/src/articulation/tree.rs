//! A tree of links: its structure, its masses and its state, in flat arrays with parents before children.

use super::desc::{ArticulationDesc, Dof, LinkDesc};
use super::glide::Glide;
use super::kind::{Kind, LinkJoint, Place};
use super::packed::FrameIn;
use super::restraint::{Coupling, Swing};
use crate::constraint::contact::NONE;
use crate::math::{Mat3, Packed, Quat, Sym3, Vec3, WorldPose};
use crate::shape::MassProperties;

/// A link on its joint. Its frame here is frame B of the joint (see `kind`), in which the axis of the joint is z.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// The number of its parent, or `NONE` for the world.
    pub parent: u32,
    /// The link on the way to the world that hangs on nothing else; itself where it does.
    pub root: u32,
    /// The child with the highest number, or `NONE`: the first that a pass inwards meets.
    pub last_child: u32,
    /// Its degrees of freedom and coordinates: where they begin, and how many they are.
    pub first_dof: u32,
    pub first_q: u32,
    dof_count: u32,
    q_count: u32,
    pub joint: LinkJoint,
    pub kind: Kind,
    /// Frame A of the joint in the frame of the parent, or in the world.
    pub joint_place: Place,
    /// It is not turned.
    pub aligned: bool,
    /// The frame of the body in the link's.
    pub body_place: Place,
    /// The rotation of the same.
    pub body_rotation: Quat<f64>,
    /// Mass properties in the link's frame.
    pub mass: f64,
    pub centre: Vec3<f64>,
    /// About the centre.
    pub inertia: Sym3<f64>,
    pub massless: bool,
    /// Limits of a spherical joint.
    pub swing: Option<Swing>,
    /// The frames as they were given.
    pub frames: [WorldPose; 2],
}

impl Link {
    #[inline(always)]
    pub fn dofs(&self) -> core::ops::Range<usize> {
        let first = self.first_dof as usize;
        first..first + self.dof_count as usize
    }

    #[inline(always)]
    pub fn coordinates(&self) -> core::ops::Range<usize> {
        let first = self.first_q as usize;
        first..first + self.q_count as usize
    }

    /// Frame A of the joint, given the frame of the parent.
    #[inline(always)]
    pub fn hang<P: Packed>(&self, parent: &FrameIn<P>) -> FrameIn<P> {
        let place = &self.joint_place;
        let rotation = if self.aligned { parent.rotation } else { parent.turned_by(&place.rotation) };
        FrameIn { rotation, origin: parent.point(&place.origin) }
    }

    /// The parent, if it is a link.
    #[inline(always)]
    pub fn parent(&self) -> Option<usize> {
        (self.parent != NONE).then_some(self.parent as usize)
    }

    /// Takes over what the body weighs, in the body's frame. A body without mass is balanced about the origin of its frame, which is where
    /// forces and rows take hold of it.
    pub fn set_mass(&mut self, mass: &MassProperties) {
        if self.massless {
            (self.mass, self.centre, self.inertia) = (0.0, self.body_place.origin, Sym3::ZERO);
            return;
        }
        self.mass = mass.mass;
        self.centre = self.body_place.point(mass.centre);
        self.inertia = mass.inertia.rotated(&self.body_place.rotation);
    }
}

impl Kind {
    #[inline(always)]
    pub fn dofs(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Prismatic | Self::Helical(_) => 1,
            Self::Cylindrical | Self::Universal(_) => 2,
            Self::Planar | Self::Spherical => 3,
            Self::Free => 6,
        }
    }

    /// Some of its degrees of freedom shift the link along its parent. What is free has no parent.
    pub fn slides(self) -> bool {
        matches!(self, Self::Prismatic | Self::Helical(_) | Self::Cylindrical | Self::Planar)
    }

    /// The degree of freedom with this number among its own turns the link.
    pub fn turns(self, dof: usize) -> bool {
        match self {
            Self::Fixed | Self::Prismatic => false,
            Self::Revolute | Self::Helical(_) | Self::Universal(_) | Self::Spherical => true,
            Self::Cylindrical => dof == 0,
            Self::Planar => dof == 2,
            Self::Free => dof >= 3,
        }
    }

    #[inline(always)]
    pub fn coordinates(self) -> usize {
        match self {
            Self::Spherical => 4,
            Self::Free => 7,
            _ => self.dofs(),
        }
    }
}

/// The links, what acts along their degrees of freedom, and where they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub links: Vec<Link>,
    pub dofs: Vec<Dof>,
    /// The degree of freedom before each on the way to the world, or `NONE`.
    pub dof_parent: Vec<u32>,
    /// The link that each belongs to.
    pub dof_link: Vec<u32>,
    /// Coordinates and velocities.
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    /// Coordinates at which springs are at rest, and to which motors lead.
    pub rest: Vec<f64>,
    pub target: Vec<f64>,
    pub couplings: Vec<Coupling>,
    /// Impulses of limits, friction, motors and couplings in the last step; see `stops`.
    pub memory: Vec<f64>,
    /// How finely time was last cut: log₂ of the parts of a step; see `flight`.
    pub pace: u32,
    pub glide: Glide,
}

impl Tree {
    /// The tree of a description that has been checked, still without masses.
    pub fn new(desc: &ArticulationDesc) -> Self {
        let mut tree = Self::empty();
        for link in &desc.links {
            tree.add(link);
        }
        tree.couplings.clone_from(&desc.couplings);
        tree.forget_impulses();
        tree
    }

    /// q ← q + h u
    #[inline(always)]
    pub fn advance(&mut self, u: &[f64], h: f64) {
        for link in &self.links {
            let (qs, vs, kind) = (link.coordinates(), link.dofs(), link.kind);
            if qs.len() == vs.len() {
                for (q, u) in self.q[qs].iter_mut().zip(&u[vs]) {
                    *q += h * u;
                }
                continue;
            }
            // A quaternion is among them.
            let mut rate = [0.0; 7];
            kind.rate(&self.q[qs.clone()], &u[vs], &mut rate[..qs.len()]);
            for (q, r) in self.q[qs.clone()].iter_mut().zip(rate) {
                *q += h * r;
            }
            kind.normalize(&mut self.q[qs]);
        }
    }

    /// Without links.
    pub const fn empty() -> Self {
        Self {
            links: Vec::new(),
            dofs: Vec::new(),
            dof_parent: Vec::new(),
            dof_link: Vec::new(),
            q: Vec::new(),
            qd: Vec::new(),
            rest: Vec::new(),
            target: Vec::new(),
            couplings: Vec::new(),
            memory: Vec::new(),
            pace: 0,
            glide: Glide {
                refused: false,
                accelerations: Vec::new(),
                energy: 0.0,
                key: 0,
                q: Vec::new(),
                qd: Vec::new(),
            },
        }
    }

    fn add(&mut self, desc: &LinkDesc) {
        let parent = desc.parent.map_or(NONE, |p| p as u32);
        self.add_link(parent, desc.joint, [desc.frame_on_parent, desc.frame_on_link], desc.massless, &desc.dofs);
        if let Some(link) = self.links.last_mut() {
            link.swing = desc.swing;
        }
        let coordinates = |given: &[f64]| -> Vec<f64> {
            if given.is_empty() { neutral(&desc.joint).to_vec() } else { given.to_vec() }
        };
        let last = self.links.len() - 1;
        let (qs, vs) = (self.links[last].coordinates(), self.links[last].dofs());
        self.q[qs.clone()].copy_from_slice(&coordinates(&desc.position));
        self.rest[qs.clone()].copy_from_slice(&coordinates(&desc.rest));
        self.target[qs.clone()].copy_from_slice(&coordinates(&desc.target));
        if !desc.velocity.is_empty() {
            self.qd[vs].copy_from_slice(&desc.velocity);
        }
        self.links[last].kind.normalize(&mut self.q[qs]);
    }

    /// Adds a link at its neutral place.
    pub fn add_link(&mut self, parent: u32, joint: LinkJoint, frames: [WorldPose; 2], massless: bool, dofs: &[Dof]) {
        let (turn, kind) = joint.canonical();
        let place = |frame: &WorldPose| -> (Place, Quat<f64>) {
            let rotation = frame.rotation.to_f64().try_normalize().unwrap_or(Quat::IDENTITY) * turn;
            (Place { rotation: rotation.to_mat3(), origin: frame.translation }, rotation)
        };
        let ((on_parent, _), (on_link, rotation)) = (place(&frames[0]), place(&frames[1]));
        let joint_place = match self.links.get(parent as usize) {
            Some(p) => p.body_place.then(&on_parent),
            None => on_parent,
        };
        let (first_dof, first_q) = (self.dofs.len() as u32, self.q.len() as u32);
        // The nearest degree of freedom towards the world.
        let mut above = parent;
        let mut before = NONE;
        while let Some(link) = self.links.get(above as usize) {
            if let Some(last) = link.dofs().last() {
                before = last as u32;
                break;
            }
            above = link.parent;
        }
        for k in 0..kind.dofs() as u32 {
            self.dof_parent.push(if k == 0 { before } else { first_dof + k - 1 });
            self.dof_link.push(self.links.len() as u32);
        }
        self.dofs.extend_from_slice(dofs);
        self.q.extend_from_slice(neutral(&joint));
        self.rest.extend_from_slice(neutral(&joint));
        self.target.extend_from_slice(neutral(&joint));
        self.qd.resize(self.dofs.len(), 0.0);
        let number = self.links.len() as u32;
        if let Some(p) = self.links.get_mut(parent as usize) {
            p.last_child = number;
        }
        let root = self.links.get(parent as usize).map_or(number, |p| p.root);
        self.links.push(Link {
            parent,
            root,
            last_child: NONE,
            first_dof,
            first_q,
            dof_count: kind.dofs() as u32,
            q_count: kind.coordinates() as u32,
            joint,
            kind,
            joint_place,
            aligned: joint_place.rotation == Mat3::IDENTITY,
            body_place: on_link.inverse(),
            body_rotation: rotation.conjugate(),
            mass: 0.0,
            centre: Vec3::ZERO,
            inertia: Sym3::ZERO,
            massless,
            swing: None,
            frames,
        });
    }

    /// No spring, damper or motor acts along its degrees of freedom, but for motors that are rows.
    pub fn is_slack(&self) -> bool {
        self.dofs.iter().all(|d| {
            let draws = d.motor.is_on() && d.motor.damping.is_finite();
            (d.stiffness == 0.0) & (d.damping == 0.0) & !draws
        })
    }

    /// The root can move as it likes, so that nothing outside holds the tree.
    #[inline(always)]
    pub fn floats(&self) -> bool {
        self.links.iter().all(|l| l.parent != NONE || l.kind == Kind::Free)
    }
}

/// Coordinates of a joint that has not moved.
fn neutral(joint: &LinkJoint) -> &'static [f64] {
    const ZEROS: [f64; 3] = [0.0; 3];
    match joint {
        LinkJoint::Spherical => &[0.0, 0.0, 0.0, 1.0],
        LinkJoint::Free => &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        _ => &ZEROS[..joint.dofs()],
    }
}
