//! What may hold a body that moves: all that is fixed; of what moves kinematic bodies, bullets and links without mass, and anything that holds
//! a bullet.

use crate::body::collider::NO_PROXY;
use crate::body::store::Params;
use crate::detect::broad::{DynamicTree, LeafId, ProxyId, ProxyKind};
use crate::world::State;

/// Colliders up to which the moving obstacles get a tree of their own.
const FEW: usize = 64;

/// The moving obstacles of a step. Kept between steps for its memory.
///
/// In a drum full of boxes the tree of what moves holds the drum and all the boxes, and every look into it meets many boxes that hold
/// nobody; where the obstacles are few they have a tree of their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Obstacles {
    few: DynamicTree,
    leaves: Vec<LeafId>,
    /// There are too many for that.
    many: bool,
}

impl Obstacles {
    /// Finds them. One pass over the bodies, unless nearly all of them are fixed.
    pub fn find(&mut self, state: &State) {
        for leaf in self.leaves.drain(..) {
            self.few.remove(leaf);
        }
        let bodies = &state.bodies;
        self.many = bodies.len() > FEW + 4 * state.broad.tree(ProxyKind::Moving).len();
        if self.many {
            return;
        }
        let holds =
            |p: &Params| p.has(Params::KINEMATIC | Params::BULLET) || (p.has(Params::LINK) && p.inv_mass == 0.0);
        for (dense, _) in bodies.params.iter().enumerate().filter(|(_, params)| holds(params)) {
            let Some(cold) = bodies.cold.at(bodies.slot[dense]) else { continue };
            for &slot in &cold.colliders {
                let Some(collider) = state.colliders.at(slot).filter(|c| !c.sensor && c.proxy != NO_PROXY) else {
                    continue;
                };
                let Some(aabb) = state.broad.fat_aabb(ProxyId(collider.proxy)) else { continue };
                if self.leaves.len() == FEW {
                    self.many = true;
                    return;
                }
                self.leaves.push(self.few.insert(aabb, collider.proxy, u32::MAX));
            }
        }
    }

    /// There are none, but for bullets.
    pub fn are_none(&self, state: &State) -> bool {
        !self.many && self.leaves.is_empty() && state.broad.tree(ProxyKind::Fixed).is_empty()
    }

    /// The trees in which a body, by its dense index, finds what may hold it, by proxies.
    pub fn trees<'s>(&'s self, state: &'s State, body: usize) -> [&'s DynamicTree; 2] {
        let all = self.many || state.bodies.params[body].has(Params::BULLET);
        let moving = if all { state.broad.tree(ProxyKind::Moving) } else { &self.few };
        [state.broad.tree(ProxyKind::Fixed), moving]
    }
}
