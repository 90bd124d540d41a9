//! All articulations of a world, and which bodies are their links.

use super::dynamics::{Load, Pass};
use super::tree::Tree;
use crate::body::store::{Bodies, CentrePose, Velocity};
use crate::constraint::contact::NONE;
use crate::id::{ArticulationTag, Slots};
use crate::integrate::Loads;
use crate::math::{Mat3, Point, Quad, Quat, Vec3};

/// A tree, and the bodies that are its links.
#[derive(Clone, Debug, Default)]
pub(crate) struct Articulation {
    pub tree: Tree,
    /// Slots of the bodies, by number of the link.
    pub bodies: Vec<u32>,
    pub self_collision: bool,
    pub name: Option<String>,
}

/// Without links.
pub(crate) static NOBODY: Articulation =
    Articulation { tree: Tree::empty(), bodies: Vec::new(), self_collision: false, name: None };

impl Articulation {
    /// What acts on the links from outside: weight, forces of the user and of effects, and damping.
    pub fn gather_loads(&self, bodies: &Bodies, loads: &Loads, out: &mut Vec<Load>) {
        out.clear();
        for (link, &slot) in self.tree.links.iter().zip(&self.bodies) {
            let dense = bodies.dense_at(slot);
            let (params, load) = (&bodies.params[dense], bodies.load_on(dense));
            let weight = loads.gravity.to_f64() * (link.mass * f64::from(params.gravity_scale));
            out.push(Load {
                force: weight + load.force.to_f64(),
                torque: load.torque.to_f64(),
                linear_damping: f64::from(params.linear_damping),
                angular_damping: f64::from(params.angular_damping),
            });
        }
    }

    /// Where a body is and how it moves, by what the pass says of its link.
    #[inline(always)]
    pub fn body_state(&self, pass: &Pass, link: usize) -> (CentrePose, Velocity) {
        let (moving, of) = (&pass.links[link], &self.tree.links[link]);
        let rotation = (Quat::from_mat3(&moving.place.unpacked().rotation) * of.body_rotation).to_real().normalized();
        let (centre, moves) = (Vec3::from(moving.centre), moving.velocity.motion());
        let velocity = Velocity { linear: moves.velocity_at(centre).to_real(), angular: moves.angular.to_real() };
        (CentrePose { centre: centre + pass.origin, rotation }, velocity)
    }

    /// ½ k x² of the springs of all joints.
    pub fn spring_energy(&self) -> f64 {
        let (tree, mut sum, mut offset) = (&self.tree, 0.0, [0.0; 6]);
        for link in &tree.links {
            let (q, offset) = (link.coordinates(), &mut offset[..link.kind.dofs()]);
            link.kind.offset(&tree.q[q.clone()], &tree.rest[q], offset);
            for (dof, offset) in tree.dofs[link.dofs()].iter().zip(offset) {
                sum += 0.5 * dof.stiffness * *offset * *offset;
            }
        }
        sum
    }

    /// ½ a q̇² of what turns with the motors, which is no part of any body.
    pub fn armature_energy(&self) -> f64 {
        self.tree.dofs.iter().zip(&self.tree.qd).map(|(dof, qd)| 0.5 * dof.armature * qd * qd).sum()
    }

    /// The tree where it is and as it moves.
    pub fn placed(&self) -> Pass {
        let mut pass = Pass::default();
        pass.place::<Quad>(&self.tree, &self.tree.q);
        pass.set_moving::<Quad>(&self.tree, &self.tree.qd);
        pass
    }

    /// K: the change of velocity of a point of link b, per unit impulse at a point of link a.
    pub fn response(&self, (a, at): (usize, Point), (b, of): (usize, Point)) -> Mat3<f64> {
        let mut pass = self.placed();
        pass.factor::<Quad>(&self.tree, None);
        let [x, y, z] = pass.response(&self.tree, (a, at - pass.origin), (b, of - pass.origin));
        Mat3::from_columns(x, y, z)
    }

    /// Two links never touch: because none of this tree do, or with nothing but massless links between them.
    pub fn exempt(&self, a: usize, b: usize) -> bool {
        let (upper, lower) = (a.min(b), a.max(b));
        let mut above = self.tree.links[lower].parent();
        while let Some(p) = above.filter(|&p| p > upper && self.tree.links[p].massless) {
            above = self.tree.links[p].parent();
        }
        !self.self_collision || above == Some(upper)
    }
}

/// Where trees were: their coordinates, by slot of the articulation. Kept between steps for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    /// Slot, and where its coordinates end in `q`; they begin where those before end.
    ends: Vec<(u32, usize)>,
    q: Vec<f64>,
}

impl Starts {
    pub fn clear(&mut self) {
        self.ends.clear();
        self.q.clear();
    }

    /// Takes note of a tree; slots come in ascending order.
    pub fn note(&mut self, slot: u32, q: &[f64]) {
        self.q.extend_from_slice(q);
        self.ends.push((slot, self.q.len()));
    }

    pub fn of(&self, slot: u32) -> Option<&[f64]> {
        let k = self.ends.binary_search_by_key(&slot, |&(s, _)| s).ok()?;
        let first = k.checked_sub(1).map_or(0, |before| self.ends[before].1);
        self.q.get(first..self.ends[k].1)
    }
}

/// Articulations by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Articulations {
    pub all: Slots<Articulation, ArticulationTag>,
    /// Slot of the articulation and number of the link, by body slot; follows from the rest.
    pub(super) links: Vec<[u32; 2]>,
}

impl Articulations {
    /// The articulation of a body, and which link it is.
    #[inline(always)]
    pub fn link_of(&self, body: u32) -> Option<(u32, usize)> {
        match self.links.get(body as usize) {
            Some(&[slot, link]) if slot != NONE => Some((slot, link as usize)),
            _ => None,
        }
    }

    /// Says which bodies the links of an articulation are, or are no longer.
    pub fn index(&mut self, slot: u32, here: bool) {
        let Some(articulation) = self.all.at(slot) else { return };
        for (link, &body) in articulation.bodies.iter().enumerate() {
            if self.links.len() <= body as usize {
                self.links.resize(body as usize + 1, [NONE; 2]);
            }
            self.links[body as usize] = if here { [slot, link as u32] } else { [NONE; 2] };
        }
    }

    /// The bodies that hang on this one, or on which it hangs.
    pub fn neighbours(&self, body: u32) -> impl Iterator<Item = u32> + '_ {
        let found = self.link_of(body).and_then(|(slot, link)| Some((self.all.at(slot)?, link)));
        found.into_iter().flat_map(|(articulation, link)| {
            let next_to = move |(i, l): (usize, &super::tree::Link)| {
                l.parent() == Some(link) || articulation.tree.links[link].parent() == Some(i)
            };
            let links = articulation.tree.links.iter().enumerate();
            // Roots stand side by side: one tree, whatever it stands on.
            let root = articulation.tree.links[link].parent == NONE;
            links
                .filter(move |&(i, l)| next_to((i, l)) || (root && i != link && l.parent == NONE))
                .map(|(i, _)| articulation.bodies[i])
        })
    }

    /// Impulses are kept per solve: of a sub-step or of a step.
    pub fn scale_impulses(&mut self, ratio: f64) {
        for slot in 0..self.all.capacity() as u32 {
            let memory = self.all.at_mut(slot).map(|a| &mut a.tree.memory);
            for impulse in memory.into_iter().flatten() {
                *impulse *= ratio;
            }
        }
    }

    /// Everything is gone; ids from before stay stale.
    pub fn clear(&mut self) {
        self.all.clear();
        self.links.clear();
    }
}
