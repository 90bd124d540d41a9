//! Checks and repairs at the end of a step (003-105): one pass over the awake bodies each.

use crate::body::store::{Velocity, limited};
use crate::event::Event;
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
                for i in 0..state.bodies.awake() {
                    let v = state.bodies.velocity[i];
                    let new = Velocity { linear: limited(v.linear, linear), angular: limited(v.angular, angular) };
                    if new != v {
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
