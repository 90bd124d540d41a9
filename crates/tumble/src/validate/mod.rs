//! Checks and repairs at the end of a step (003-105): one pass over the awake bodies each, and for speeds one over the trees.

use crate::body::store::{Params, Velocity, limited};
use crate::event::Event;
use crate::math::{Float, Num, Real};
use crate::method::Validator;
use crate::world::State;

/// Runs the validators of the method in order.
pub(crate) fn validate(state: &mut State) {
    for validator in state.method.validators.clone() {
        match validator {
            Validator::WorldBounds { min, max } => {
                let outside: Vec<u32> = (0..state.bodies.awake())
                    .filter(|&i| {
                        let c = state.bodies.pose[i].centre.to_array();
                        (0..3).any(|k| c[k] < min[k] || c[k] > max[k])
                    })
                    .map(|i| state.bodies.slot[i])
                    .collect();
                for slot in outside {
                    if let Some(id) = state.bodies.cold.id_at(slot) {
                        state.remove_body(id, true);
                    }
                }
            }
            Validator::MaxSpeed { linear, angular } => {
                slow_trees(state, linear, angular);
                for i in 0..state.bodies.awake() {
                    let v = state.bodies.velocity[i];
                    let new = Velocity { linear: limited(v.linear, linear), angular: limited(v.angular, angular) };
                    // A link is as fast as its tree, and what the user moves as fast as it was told to be.
                    if new != v && !state.bodies.params[i].has(Params::LINK | Params::KINEMATIC) {
                        state.bodies.velocity[i] = new;
                        if let Some(body) = state.bodies.cold.id_at(state.bodies.slot[i]) {
                            state.events.push(Event::SpeedLimited { body });
                        }
                    }
                }
            }
        }
    }
}

/// Slows down, as a whole, the trees of which some link is too fast: links move as their trees do.
fn slow_trees(state: &mut State, linear: Real, angular: Real) {
    for slot in 0..state.articulations.all.capacity() as u32 {
        let Some(articulation) = state.articulations.all.at_mut(slot) else { continue };
        if !articulation.bodies.first().is_some_and(|&body| state.bodies.is_awake(body)) {
            continue;
        }
        let links = articulation.bodies.iter().map(|&body| state.bodies.dense_at(body));
        let share = |speed: Real, most: Real| if speed > most { most / speed } else { 1.0 };
        let of_link = |v: &Velocity| Num::min(share(v.linear.length(), linear), share(v.angular.length(), angular));
        let left = links.fold(1.0, |least, dense| Num::min(least, of_link(&state.bodies.velocity[dense])));
        if left < 1.0 {
            articulation.tree.qd.iter_mut().for_each(|v| *v *= left.to_f64());
            for &body in &articulation.bodies {
                let dense = state.bodies.dense_at(body);
                let v = &mut state.bodies.velocity[dense];
                let told = of_link(v) < 1.0;
                *v = Velocity { linear: v.linear * left, angular: v.angular * left };
                if let Some(body) = state.bodies.cold.id_at(state.bodies.slot[dense]).filter(|_| told) {
                    state.events.push(Event::SpeedLimited { body });
                }
            }
        }
    }
}
