//! The constraint graph in snapshots: the manifolds know their places in it.

use super::{COLOURS, Graph, OVERFLOW};
use crate::constraint::contact::{Contacts, NONE};

impl Graph {
    /// The graph in which every manifold has the place that it says it has. `None` where two say the same, one says an
    /// impossible one, or two of one colour share a body. `node` is the body as the graph sees it: `NONE` where nothing
    /// moves it.
    pub fn of(contacts: &Contacts, node: impl Fn(u32) -> u32) -> Option<Self> {
        let mut counts = [0; COLOURS + 1];
        for m in &contacts.manifolds {
            if m.colour != NONE {
                *counts.get_mut(m.colour as usize)? += 1;
            }
        }
        let mut graph = Self::new();
        for (colour, count) in graph.colours.iter_mut().zip(counts) {
            colour.manifolds = vec![NONE; count];
        }
        for (index, m) in contacts.manifolds.iter().enumerate() {
            if m.colour == NONE {
                continue;
            }
            let colour = &mut graph.colours[m.colour as usize];
            let place = colour.manifolds.get_mut(m.colour_index as usize)?;
            if core::mem::replace(place, index as u32) != NONE {
                return None;
            }
            if m.colour as usize != OVERFLOW {
                let contact = contacts.all.get(m.contact as usize)?;
                for body in [node(contact.body_a), node(contact.body_b)] {
                    if body != NONE {
                        if colour.uses(body) {
                            return None;
                        }
                        colour.mark(body);
                    }
                }
            }
        }
        Some(graph)
    }
}
