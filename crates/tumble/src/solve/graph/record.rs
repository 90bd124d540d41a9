//! The constraint graph in snapshots: the manifolds and joints know their places in it.

use super::{COLOURS, Colour, Graph, OVERFLOW};
use crate::constraint::contact::{NONE, Placing};
use crate::constraint::joint::Tie;

impl Graph {
    /// The graph in which every manifold and joint has the place that it says it has. `None` where two say the same, one says
    /// an impossible one, or two of one colour share a body. The bodies of the manifolds have been checked; `node` is the body as the graph sees it: `NONE` where nothing
    /// moves it.
    pub fn of(manifolds: &[Placing], joints: &[Tie], node: impl Fn(u32) -> u32) -> Option<Self> {
        let mut graph = Self::new();
        let mut counts = [0; COLOURS + 1];
        let coloured = || manifolds.iter().enumerate().filter(|(_, m)| m.colour != NONE);
        for (_, m) in coloured() {
            *counts.get_mut(m.colour as usize)? += 1;
        }
        let mut joint_counts = [0; COLOURS + 1];
        let acting = || joints.iter().filter(|joint| joint.colour != NONE);
        for joint in acting() {
            *joint_counts.get_mut(joint.colour as usize)? += 1;
        }
        for (colour, (manifolds, joints)) in graph.colours.iter_mut().zip(counts.into_iter().zip(joint_counts)) {
            colour.manifolds = vec![NONE; manifolds];
            colour.joints = vec![NONE; joints];
        }
        for (index, m) in coloured() {
            let colour = &mut graph.colours[m.colour as usize];
            place(&mut colour.manifolds, m.colour_index, index as u32)?;
            claim(colour, m.colour, m.bodies.map(&node))?;
        }
        for joint in acting() {
            let colour = &mut graph.colours[joint.colour as usize];
            place(&mut colour.joints, joint.colour_index, joint.slot)?;
            claim(colour, joint.colour, joint.bodies.map(&node))?;
        }
        Some(graph)
    }
}

/// Puts something into a place that nothing else has.
fn place(list: &mut [u32], at: u32, what: u32) -> Option<()> {
    let place = list.get_mut(at as usize)?;
    (core::mem::replace(place, what) == NONE).then_some(())
}

/// Marks bodies that nothing else of the colour uses.
fn claim(colour: &mut Colour, index: u32, bodies: [u32; 2]) -> Option<()> {
    if index as usize == OVERFLOW {
        return Some(());
    }
    for body in bodies {
        if body != NONE {
            if colour.uses(body) {
                return None;
            }
            colour.mark(body);
        }
    }
    Some(())
}
