//! Whether a tree is under way, however slowly: what its own motors, springs, forces and weight drive along its degrees of freedom.

use super::desc::Dof;
use super::dynamics::{Load, Pass};
use super::kind::Kind;
use super::store::Articulation;
use crate::constraint::contact::NONE;
use crate::math::{Num, Quad};

/// The share of its speed below which a motor is held up, and the share of what drives a joint below which its damper bears none of it.
const SHARE: f64 = 0.01;

/// Radians or metres per second below which a damper has brought its joint to rest.
const CREEP: f64 = 2e-4;

/// What looking takes. Kept for its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub loads: Vec<Load>,
    pass: Pass,
    still: Vec<f64>,
    weight: Vec<f64>,
}

impl Articulation {
    /// Something goes on driving it, though it has been slow for so long: a motor has the joint turning as it is told, or, where the tree stands,
    /// a damper bears what drives its joint. The forces on its links are in `look`. What swings out, and what is held up by limits, contacts or friction, is on its way nowhere.
    pub fn is_driven(&self, look: &mut Look, time: f64) -> bool {
        let tree = &self.tree;
        let obeys = |(dof, qd): (&Dof, &f64)| {
            let speed = dof.motor.speed;
            dof.motor.is_on() && qd * speed > SHARE * speed * speed
        };
        if tree.dofs.iter().zip(&tree.qd).any(obeys) {
            return true;
        }
        let creeps = |(dof, qd): (&Dof, &f64)| brake(dof) > 0.0 && qd.abs() > CREEP;
        let stands = tree.links.iter().any(|l| l.parent == NONE && l.kind != Kind::Free);
        if !stands || !tree.dofs.iter().zip(&tree.qd).any(creeps) {
            return false;
        }
        let Look { loads, pass, still, weight } = look;
        for list in [&mut *still, &mut *weight] {
            list.clear();
            list.resize(tree.dofs.len(), 0.0);
        }
        pass.place::<Quad>(tree, &tree.q);
        pass.set_moving::<Quad>(tree, still);
        pass.inverse(tree, loads, still, weight);
        pass.factor::<Quad>(tree, None);
        tree.links.iter().any(|link| {
            let (qs, n) = (link.coordinates(), link.kind.dofs());
            let (mut way, mut motor_way) = ([0.0; 6], [0.0; 6]);
            link.kind.offset(&tree.q[qs.clone()], &tree.rest[qs.clone()], &mut way[..n]);
            link.kind.offset(&tree.q[qs.clone()], &tree.target[qs], &mut motor_way[..n]);
            link.dofs().zip(way.into_iter().zip(motor_way)).any(|(k, (way, motor_way))| {
                let (dof, qd) = (&tree.dofs[k], tree.qd[k]);
                let motor = match dof.motor.is_on() {
                    true => Num::min(dof.motor.stiffness * motor_way.abs(), dof.motor.max_force),
                    false => 0.0,
                };
                let drive = weight[k].abs() + dof.force.abs() + dof.stiffness * way.abs() + motor;
                // Strong enough to have stopped by now what nothing drives.
                let strong = brake(dof) * time * pass.columns[k].inverse > 1.0;
                creeps((dof, &qd)) && strong && brake(dof) * qd.abs() > SHARE * drive
            })
        })
    }
}

/// Force per velocity of the dampers along a degree of freedom. A motor that holds a speed is none.
fn brake(dof: &Dof) -> f64 {
    dof.damping + if dof.motor.is_on() && dof.motor.damping.is_finite() { dof.motor.damping } else { 0.0 }
}
