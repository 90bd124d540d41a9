//! Impacts: who hit whom, how fast.

use crate::constraint::contact::{ContactManifold, NONE};
use crate::event::Event;
use crate::math::{LANES, Num, Real};
use crate::solve::contact_constraint::ContactConstraints;
use crate::world::State;

/// The fastest point of a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    contact: u32,
    manifold: u32,
    point: u32,
    speed: Real,
    /// Along the normal, over the whole step.
    pub impulse: Real,
}

impl Hit {
    /// A point of a manifold that was met at this speed.
    pub fn new(state: &State, manifold: u32, point: u32, speed: Real, impulse: Real) -> Self {
        Self { contact: state.contacts.manifolds[manifold as usize].contact, manifold, point, speed, impulse }
    }

    pub fn is_at(&self, manifold: u32, point: u32) -> bool {
        (self.manifold, self.point) == (manifold, point)
    }
}

/// Points that pushed in the wide constraints, at contacts that report impacts.
pub(crate) fn find(state: &State, constraints: &ContactConstraints, hits: &mut Vec<Hit>) {
    hits.clear();
    for group in &constraints.groups {
        let Some(watch) = constraints.watches.get(group.watch as usize) else { continue };
        for lane in 0..LANES {
            let index = group.manifold[lane];
            if index == NONE || state.contacts.manifolds[index as usize].flags & ContactManifold::IMPACTS == 0 {
                continue;
            }
            for i in 0..state.contacts.manifolds[index as usize].used().len() {
                if watch.peak[i].0[lane] > 0.0 {
                    let (speed, impulse) = (-watch.approach[i].0[lane], watch.total[i].0[lane]);
                    hits.push(Hit::new(state, index, i as u32, speed, impulse));
                }
            }
        }
    }
}

/// Reports contacts that were solved with a push and whose surfaces approached, before the step, at least as fast as one of
/// the colliders asks to be told: each once, by its fastest point and the impulses of all, in the order of the colliders. To be called before
/// the bodies are moved.
///
/// A contact that is found before the surfaces meet is reported in the step in which they do: only then is it pushed.
pub(crate) fn report(state: &mut State, hits: &mut Vec<Hit>) {
    let colliders = |hit: &Hit| {
        let c = &state.contacts.all[hit.contact as usize];
        (c.collider_a, c.collider_b)
    };
    // Of equal speeds the first found counts: the sort is stable.
    hits.sort_by(|x, y| colliders(x).cmp(&colliders(y)).then(y.speed.total_cmp(&x.speed)));
    hits.dedup_by(|next, first| {
        let same = next.contact == first.contact;
        if same {
            first.impulse += next.impulse;
        }
        same
    });
    hits.retain(|hit| hit.speed >= state.impact_speed(hit.contact));
    for hit in hits.iter() {
        let c = state.contacts.all[hit.contact as usize];
        let manifold = &state.contacts.manifolds[hit.manifold as usize];
        let ids = (state.colliders.id_at(c.collider_a), state.colliders.id_at(c.collider_b));
        let (Some(a), Some(b)) = ids else { continue };
        let centre = state.bodies.pose[state.bodies.dense_at(c.body_a)].centre;
        let point = centre + manifold.points[hit.point as usize].anchor.to_f64();
        let normal = manifold.normal;
        state.pending.push(Event::Impact { a, b, point, normal, speed: hit.speed, impulse: hit.impulse });
    }
}

impl State {
    /// The slower of the speeds from which on the colliders of a contact report impacts.
    fn impact_speed(&self, contact: u32) -> Real {
        let c = &self.contacts.all[contact as usize];
        let of = |slot: u32| self.colliders.at(slot).map_or(Real::INFINITY, |c| c.impact_speed);
        Num::min(of(c.collider_a), of(c.collider_b))
    }
}
