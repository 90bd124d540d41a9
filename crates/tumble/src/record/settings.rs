//! Clock and method in snapshots.
//!
//! Every record is taken apart by name, so that a field or a choice that is added does not compile until it is saved here.

use super::stream::{Sink, Source};
use crate::body::{MaterialRule, Mix};
use crate::clock::{Clock, Pace};
use crate::error::Result;
use crate::method::{
    Broad, Correction, Explicit, FrictionModel, Integrate, JointSolve, Lcp, Method, Narrow, Simultaneous, Sleep,
    SleepCriterion, SoftStep, Solver, Step, Switches, Tolerances, Validator,
};

impl Clock {
    pub(super) fn save(&self, out: &mut impl Sink) {
        let Self { pace, max_per_call, speed } = self;
        match pace {
            Pace::Fixed(dt) => {
                out.u8(0);
                out.f64(*dt);
            }
            Pace::Variable { min, max } => {
                out.u8(1);
                out.f64(*min);
                out.f64(*max);
            }
        }
        out.f64(*max_per_call);
        out.f64(*speed);
    }

    pub(super) fn load(source: &mut Source<'_>) -> Result<Self> {
        let pace = match source.u8()? {
            0 => Pace::Fixed(source.f64()?),
            1 => Pace::Variable { min: source.f64()?, max: source.f64()? },
            _ => return Err(source.corrupt("the clock")),
        };
        let clock = Self { pace, max_per_call: source.f64()?, speed: source.f64()? };
        clock.validate()?;
        Ok(clock)
    }
}

impl Method {
    pub(super) fn save(&self, out: &mut impl Sink) {
        let Self { name, step, integrate, broad, narrow, friction, materials, sleep, validators, tolerances, switches } =
            self;
        out.str(name);
        match step {
            Step::SoftStep(soft) => {
                let SoftStep {
                    substeps,
                    contact_stiffness,
                    contact_damping,
                    joint_stiffness,
                    joint_damping,
                    joint_solve,
                } = soft;
                out.u8(0);
                out.u32(*substeps);
                for v in [contact_stiffness, contact_damping, joint_stiffness, joint_damping] {
                    out.real(*v);
                }
                out.u8(match joint_solve {
                    JointSolve::Auto => 0,
                    JointSolve::Sweeps => 1,
                    JointSolve::Whole => 2,
                });
            }
            Step::Explicit(Explicit { solve, correction }) => {
                out.u8(1);
                match solve {
                    Solver::None => out.u8(0),
                    Solver::Simultaneous(Simultaneous { lcp: Lcp::ProjectedGaussSeidel { iterations, tolerance } }) => {
                        out.u8(1);
                        out.u32(*iterations);
                        out.real(*tolerance);
                    }
                }
                match correction {
                    Correction::None => out.u8(0),
                    Correction::Baumgarte { share } => {
                        out.u8(1);
                        out.real(*share);
                    }
                    Correction::SplitImpulse { share } => {
                        out.u8(2);
                        out.real(*share);
                    }
                }
            }
        }
        out.u8(match integrate {
            Integrate::SemiImplicitEuler => 0,
            Integrate::ExplicitEuler => 1,
        });
        out.u8(match broad {
            Broad::Trees => 0,
            Broad::AllPairs => 1,
        });
        out.u8(match narrow {
            Narrow::Auto => 0,
            Narrow::Gjk => 1,
        });
        out.u8(match friction {
            FrictionModel::Manifold => 0,
            FrictionModel::Point => 1,
        });
        let MaterialRule { friction, restitution } = materials;
        out.u8(mix_number(*friction));
        out.u8(mix_number(*restitution));
        let Sleep { criterion, time, unsupported_factor } = sleep;
        out.u8(match criterion {
            SleepCriterion::Displacement => 0,
            SleepCriterion::Velocity => 1,
            SleepCriterion::Energy => 2,
        });
        out.real(*time);
        out.real(*unsupported_factor);
        out.u32(validators.len() as u32);
        for validator in validators {
            match validator {
                Validator::WorldBounds { min, max } => {
                    out.u8(0);
                    for v in min.iter().chain(max) {
                        out.f64(*v);
                    }
                }
                Validator::MaxSpeed { linear, angular } => {
                    out.u8(1);
                    out.real(*linear);
                    out.real(*angular);
                }
            }
        }
        let Tolerances { length, slop, detection, box_margin, restitution_speed, push_speed, sleep_speed } = tolerances;
        for v in [length, slop, detection, box_margin, restitution_speed, push_speed, sleep_speed] {
            out.real(*v);
        }
        let Switches { warm_start, sleep, islands, recycling, reduction, continuous, gyroscopic } = switches;
        for v in [warm_start, sleep, islands, recycling, reduction, continuous, gyroscopic] {
            out.bool(*v);
        }
    }

    pub(super) fn load(source: &mut Source<'_>) -> Result<Self> {
        let method = Self {
            name: source.str()?.to_owned(),
            step: match source.u8()? {
                0 => Step::SoftStep(SoftStep {
                    substeps: source.u32()?,
                    contact_stiffness: source.real()?,
                    contact_damping: source.real()?,
                    joint_stiffness: source.real()?,
                    joint_damping: source.real()?,
                    joint_solve: match source.u8()? {
                        0 => JointSolve::Auto,
                        1 => JointSolve::Sweeps,
                        2 => JointSolve::Whole,
                        _ => return Err(source.corrupt("the method")),
                    },
                }),
                1 => Step::Explicit(load_explicit(source)?),
                _ => return Err(source.corrupt("the method")),
            },
            integrate: match source.u8()? {
                0 => Integrate::SemiImplicitEuler,
                1 => Integrate::ExplicitEuler,
                _ => return Err(source.corrupt("the method")),
            },
            broad: match source.u8()? {
                0 => Broad::Trees,
                1 => Broad::AllPairs,
                _ => return Err(source.corrupt("the method")),
            },
            narrow: match source.u8()? {
                0 => Narrow::Auto,
                1 => Narrow::Gjk,
                _ => return Err(source.corrupt("the method")),
            },
            friction: match source.u8()? {
                0 => FrictionModel::Manifold,
                1 => FrictionModel::Point,
                _ => return Err(source.corrupt("the method")),
            },
            materials: MaterialRule { friction: load_mix(source)?, restitution: load_mix(source)? },
            sleep: Sleep {
                criterion: match source.u8()? {
                    0 => SleepCriterion::Displacement,
                    1 => SleepCriterion::Velocity,
                    2 => SleepCriterion::Energy,
                    _ => return Err(source.corrupt("the method")),
                },
                time: source.real()?,
                unsupported_factor: source.real()?,
            },
            validators: {
                let mut validators = Vec::new();
                for _ in 0..source.count(1)? {
                    validators.push(load_validator(source)?);
                }
                validators
            },
            tolerances: Tolerances {
                length: source.real()?,
                slop: source.real()?,
                detection: source.real()?,
                box_margin: source.real()?,
                restitution_speed: source.real()?,
                push_speed: source.real()?,
                sleep_speed: source.real()?,
            },
            switches: Switches {
                warm_start: source.bool()?,
                sleep: source.bool()?,
                islands: source.bool()?,
                recycling: source.bool()?,
                reduction: source.bool()?,
                continuous: source.bool()?,
                gyroscopic: source.bool()?,
            },
        };
        method.validate()?;
        Ok(method)
    }
}

fn load_explicit(source: &mut Source<'_>) -> Result<Explicit> {
    Ok(Explicit {
        solve: match source.u8()? {
            0 => Solver::None,
            1 => Solver::Simultaneous(Simultaneous {
                lcp: Lcp::ProjectedGaussSeidel { iterations: source.u32()?, tolerance: source.real()? },
            }),
            _ => return Err(source.corrupt("the solver")),
        },
        correction: match source.u8()? {
            0 => Correction::None,
            1 => Correction::Baumgarte { share: source.real()? },
            2 => Correction::SplitImpulse { share: source.real()? },
            _ => return Err(source.corrupt("the correction")),
        },
    })
}

fn mix_number(mix: Mix) -> u8 {
    match mix {
        Mix::Min => 0,
        Mix::Max => 1,
        Mix::Average => 2,
        Mix::Product => 3,
        Mix::GeometricMean => 4,
    }
}

fn load_mix(source: &mut Source<'_>) -> Result<Mix> {
    Ok(match source.u8()? {
        0 => Mix::Min,
        1 => Mix::Max,
        2 => Mix::Average,
        3 => Mix::Product,
        4 => Mix::GeometricMean,
        _ => return Err(source.corrupt("the material rule")),
    })
}

fn load_validator(source: &mut Source<'_>) -> Result<Validator> {
    Ok(match source.u8()? {
        0 => Validator::WorldBounds {
            min: [source.f64()?, source.f64()?, source.f64()?],
            max: [source.f64()?, source.f64()?, source.f64()?],
        },
        1 => Validator::MaxSpeed { linear: source.real()?, angular: source.real()? },
        _ => return Err(source.corrupt("a validator")),
    })
}
