//! The constraint graph: manifolds and joints sorted into colours, so that no two of one colour share a movable body.
//!
//! All constraints of a colour can be solved at the same time, in lanes and on threads, with the same outcome as one after
//! the other. A manifold keeps its colour while it touches, a joint while it acts; a new one takes the first colour in which both
//! its bodies are free, beginning at one that its bodies decide. What finds no colour overflows, and is solved one by one.
//!
//! ```text
//!   colour 0   bodies in use  1 1 0 1 1 1 ...     one bit per body
//!              manifolds      m7 m2 m9 ...
//!              joints         j4 j1 ...
//!   colour 1   ...
//!   overflow   m5 ...
//! ```

mod record;

use crate::constraint::contact::{ContactManifold, Contacts, NONE};
use crate::constraint::joint::store::Joints;

/// Colours. A body in the middle of a pile has up to 12 to 20 neighbours.
pub(crate) const COLOURS: usize = 24;

/// Colours among which a constraint between two movable bodies looks for a free one from a place of its own on.
///
/// Colours are solved in order. If all took the first free one, a row of boxes laid from left to right would have all its left
/// supports solved before its right ones, and the error of one pass, alike everywhere, would make the whole pile lean.
const MIXED: usize = 4;

/// A number of two bodies, in either order.
fn mixed(a: u32, b: u32) -> u64 {
    let mut x = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
    x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ x >> 32
}

/// Constraints that share a body with others of every colour.
pub(crate) const OVERFLOW: usize = COLOURS;

/// Constraints by colour.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    /// `COLOURS` of them, and the overflow.
    pub colours: Vec<Colour>,
}

/// Constraints of one colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colour {
    /// One bit per body slot.
    bodies: Vec<u64>,
    pub manifolds: Vec<u32>,
    /// Slots of joints.
    pub joints: Vec<u32>,
}

impl Colour {
    fn uses(&self, body: u32) -> bool {
        self.bodies.get(body as usize / 64).is_some_and(|w| w >> (body % 64) & 1 != 0)
    }

    /// The slots of the bodies whose bits are set.
    pub fn bodies_in_use(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.bodies.len() as u32 * 64).filter(|&b| self.uses(b))
    }

    fn mark(&mut self, body: u32) {
        let word = body as usize / 64;
        if self.bodies.len() <= word {
            self.bodies.resize(word + 1, 0);
        }
        self.bodies[word] |= 1 << (body % 64);
    }

    fn unmark(&mut self, body: u32) {
        if let Some(w) = self.bodies.get_mut(body as usize / 64) {
            *w &= !(1 << (body % 64));
        }
    }
}

impl Graph {
    pub fn new() -> Self {
        Self { colours: vec![Colour::default(); COLOURS + 1] }
    }

    /// A colour in which both bodies are free, and from now on are not. Bodies that nothing moves are `NONE`: any number of
    /// constraints may share them.
    fn take(&mut self, body_a: u32, body_b: u32) -> usize {
        // Constraints with one movable body fill the colours from the other end: they conflict with less, and the colours
        // that piles fight for stay free.
        let free = |c: &Colour| (body_a == NONE || !c.uses(body_a)) && (body_b == NONE || !c.uses(body_b));
        let colour = if body_a == NONE || body_b == NONE {
            self.colours[..COLOURS].iter().rposition(free)
        } else {
            let start = mixed(body_a, body_b) as usize % MIXED;
            (start..MIXED).chain(0..start).chain(MIXED..COLOURS).find(|&c| free(&self.colours[c]))
        };
        let index = colour.unwrap_or(OVERFLOW);
        if index != OVERFLOW {
            for body in [body_a, body_b] {
                if body != NONE {
                    self.colours[index].mark(body);
                }
            }
        }
        index
    }

    /// Both bodies are free again in a colour.
    fn give_back(&mut self, index: usize, body_a: u32, body_b: u32) {
        if index != OVERFLOW {
            for body in [body_a, body_b] {
                if body != NONE {
                    self.colours[index].unmark(body);
                }
            }
        }
    }

    /// Gives a manifold between two bodies a colour.
    pub fn add(&mut self, contacts: &mut Contacts, manifold: u32, body_a: u32, body_b: u32) {
        let index = self.take(body_a, body_b);
        let list = &mut self.colours[index].manifolds;
        let m = &mut contacts.manifolds[manifold as usize];
        debug_assert_eq!(m.colour, ContactManifold::NO_COLOUR);
        m.colour = index as u8;
        m.colour_index = list.len() as u32;
        list.push(manifold);
    }

    /// Takes a manifold out of its colour.
    pub fn remove(&mut self, contacts: &mut Contacts, manifold: u32, body_a: u32, body_b: u32) {
        let m = &mut contacts.manifolds[manifold as usize];
        if m.colour == ContactManifold::NO_COLOUR {
            return;
        }
        let (index, at) = (m.colour as usize, m.colour_index as usize);
        m.colour = ContactManifold::NO_COLOUR;
        self.give_back(index, body_a, body_b);
        let list = &mut self.colours[index].manifolds;
        list.swap_remove(at);
        if let Some(&moved) = list.get(at) {
            contacts.manifolds[moved as usize].colour_index = at as u32;
        }
    }

    /// Gives a joint between two bodies a colour.
    pub fn add_joint(&mut self, joints: &mut Joints, slot: u32, body_a: u32, body_b: u32) {
        let Some(joint) = joints.all.at_mut(slot) else { return };
        debug_assert_eq!(joint.colour, NONE);
        let index = self.take(body_a, body_b);
        let list = &mut self.colours[index].joints;
        joint.colour = index as u32;
        joint.colour_index = list.len() as u32;
        list.push(slot);
    }

    /// Takes a joint out of its colour.
    pub fn remove_joint(&mut self, joints: &mut Joints, slot: u32, body_a: u32, body_b: u32) {
        let Some(joint) = joints.all.at_mut(slot).filter(|j| j.colour != NONE) else { return };
        let (index, at) = (joint.colour as usize, joint.colour_index as usize);
        joint.colour = NONE;
        joint.colour_index = 0;
        self.give_back(index, body_a, body_b);
        let list = &mut self.colours[index].joints;
        list.swap_remove(at);
        if let Some(joint) = list.get(at).and_then(|&moved| joints.all.at_mut(moved)) {
            joint.colour_index = at as u32;
        }
    }
}
