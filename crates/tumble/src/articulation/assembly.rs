//! Joints between bodies as joints of links, and back: the same frames, freedoms, limits and motors in both languages.
//!
//! A joint between bodies has x for its axis and leads from A to B. Where the parent is B, the joint is the same about the other
//! direction: turning A against B about -x is turning B against A about x, so that every coordinate keeps its value.

use super::desc::{Dof, Motor};
use super::kind::LinkJoint;
use super::restraint::Swing;
use crate::constraint::joint::store::Joint;
use crate::constraint::joint::{
    Ball, ConeTwist, Cylindrical, Fixed, Hinge, JointKind, Planar, Screw, Slider, Universal,
};
use crate::constraint::{self, Axis, Drive, Limit, Signal, Stiffness};
use crate::math::{Float, Num, Quat, Real, Vec3};

/// A joint as the joint of a link.
#[derive(Clone, Debug)]
pub(crate) struct Translated {
    pub joint: LinkJoint,
    pub dofs: Vec<Dof>,
    /// Where its motors lead, for each degree of freedom.
    pub targets: Vec<f64>,
    pub swing: Option<Swing>,
}

/// A joint as that of a link whose parent is A, or B where it is `reversed`; or why it cannot be.
pub(crate) fn to_link(joint: &Joint, reversed: bool) -> Result<Translated, &'static str> {
    if joint.stiffness != Stiffness::Method {
        return Err("it is soft");
    }
    if joint.break_force.is_finite() || joint.break_torque.is_finite() {
        return Err("it can break");
    }
    let axis = if reversed { -Vec3::X } else { Vec3::X };
    let with = |joint: LinkJoint, axes: &[&Axis]| -> Result<Translated, &'static str> {
        let dofs = axes.iter().map(|a| dof_of(a)).collect::<Result<Vec<_>, _>>()?;
        let (dofs, targets) = dofs.into_iter().unzip();
        Ok(Translated { joint, dofs, targets, swing: None })
    };
    let ball = |swing: Option<Swing>| Translated {
        joint: LinkJoint::Spherical,
        dofs: vec![Dof::default(); 3],
        targets: Vec::new(),
        swing,
    };
    match &*joint.kind {
        JointKind::Fixed(_) => with(LinkJoint::Fixed, &[]),
        JointKind::Hinge(hinge) => with(LinkJoint::Revolute { axis }, &[&hinge.turn]),
        JointKind::Slider(slider) => with(LinkJoint::Prismatic { axis }, &[&slider.slide]),
        JointKind::Cylindrical(c) => with(LinkJoint::Cylindrical { axis }, &[&c.turn, &c.slide]),
        JointKind::Screw(screw) => {
            with(LinkJoint::Helical { axis, lead: screw.pitch / (2.0 * Real::PI) }, &[&screw.turn])
        }
        JointKind::Universal(u) => match reversed {
            false => with(LinkJoint::Universal { first: Vec3::Y, second: Vec3::Z }, &[&u.bend[0], &u.bend[1]]),
            true => with(LinkJoint::Universal { first: -Vec3::Z, second: -Vec3::Y }, &[&u.bend[1], &u.bend[0]]),
        },
        JointKind::Planar(_) if reversed => Err("its plane is fixed to what would be the child"),
        JointKind::Planar(planar) => {
            // The tangents of x are -z and y.
            let mut made =
                with(LinkJoint::Planar { normal: Vec3::X }, &[&planar.slide[1], &planar.slide[0], &planar.turn])?;
            made.dofs[0] = negated(&made.dofs[0]);
            made.targets[0] = -made.targets[0];
            Ok(made)
        }
        JointKind::Ball(Ball { motor: None }) => Ok(ball(None)),
        JointKind::ConeTwist(ConeTwist { cone, cone_stiffness, cone_restitution, twist, motor: None }) => {
            if *cone_stiffness != Stiffness::Method || !(*cone > 0.0) {
                return Err("its cone is soft or closed");
            }
            let alike = twist.as_ref().is_none_or(|twist| twist.restitution == *cone_restitution);
            let twist = twist.as_ref().map(hard).transpose()?;
            let twist = twist.map(|[low, high]| if reversed { [-high, -low] } else { [low, high] });
            // All the way round is no limit.
            let twist = twist.filter(|&[low, high]| low > -f64::PI || high < f64::PI);
            // Half a turn is as far as a twist goes, and π in `f32` is a little more.
            let twist = twist.map(|range| range.map(|end| end.clamp(-f64::PI, f64::PI)));
            if twist.is_some() && !alike {
                return Err("its cone and its twist do not bounce alike");
            }
            let restitution = cone_restitution.to_f64();
            Ok(ball(Some(Swing { axis: Vec3::X, cone: Num::min(cone.to_f64(), f64::PI), twist, restitution })))
        }
        JointKind::Ball(_) | JointKind::ConeTwist(_) => Err("it has a motor for its orientation"),
        _ => Err("joints of its kind are not joints of links"),
    }
}

/// A range whose ends are as hard as the method makes them.
fn hard(limit: &Limit) -> Result<[f64; 2], &'static str> {
    if limit.stiffness != Stiffness::Method {
        return Err("its limit is soft");
    }
    Ok([limit.low.to_f64(), limit.high.to_f64()])
}

/// A freedom as a degree of freedom, and where its motor leads.
fn dof_of(axis: &Axis) -> Result<(Dof, f64), &'static str> {
    let restitution = axis.limit.as_ref().map_or(0.0, |limit| limit.restitution.to_f64());
    let mut dof = Dof { limits: axis.limit.as_ref().map(hard).transpose()?, restitution, ..Dof::default() };
    let Some(constraint::Motor { drive, max_force }) = &axis.motor else { return Ok((dof, 0.0)) };
    let most = if max_force.is_finite() { max_force.to_f64() } else { f64::INFINITY };
    match drive {
        Drive::Velocity(Signal::Constant(speed)) => {
            dof.motor = Motor::velocity(speed.to_f64(), most);
            Ok((dof, 0.0))
        }
        Drive::Position(Signal::Constant(to), Stiffness::Spring { stiffness, damping }) => {
            dof.motor = Motor::position(stiffness.to_f64(), damping.to_f64()).max_force(most);
            Ok((dof, to.to_f64()))
        }
        Drive::Velocity(_) | Drive::Position(Signal::Constant(_), _) => {
            Err("its motor is not a constant speed or a spring by its constants")
        }
        Drive::Position(..) => Err("its motor follows a signal"),
    }
}

/// The same along the other direction.
fn negated(dof: &Dof) -> Dof {
    let mut other = *dof;
    other.limits = dof.limits.map(|[low, high]| [-high, -low]);
    other.motor.speed = -dof.motor.speed;
    other.force = -dof.force;
    other
}

/// The joint of a link as a joint from its parent (A) to it (B), and what turns the frames of the link's joint to those of the
/// other; or why it cannot be. `at` are where springs rest and where motors lead.
pub(crate) fn from_link(
    joint: &LinkJoint,
    dofs: &[Dof],
    swing: Option<&Swing>,
    at: [&[f64]; 2],
) -> Result<Option<(JointKind, Quat)>, &'static str> {
    let axis = |k: usize| axis_of(&dofs[k], at[0][k], at[1][k]);
    let turn = |axis: Vec3| Quat::between(Vec3::X, axis.normalize_or(Vec3::X));
    Ok(Some(match *joint {
        LinkJoint::Free => {
            return if dofs.iter().all(idle) { Ok(None) } else { Err("forces act along its free joint") };
        }
        LinkJoint::Fixed => (Fixed.into(), Quat::IDENTITY),
        LinkJoint::Revolute { axis: a } => (Hinge { turn: axis(0)? }.into(), turn(a)),
        LinkJoint::Prismatic { axis: a } => (Slider { slide: axis(0)? }.into(), turn(a)),
        LinkJoint::Cylindrical { axis: a } => (Cylindrical { turn: axis(0)?, slide: axis(1)? }.into(), turn(a)),
        LinkJoint::Helical { axis: a, lead } => {
            (Screw { pitch: lead * 2.0 * Real::PI, turn: axis(0)? }.into(), turn(a))
        }
        LinkJoint::Universal { first, second } => {
            let (y, z) = (first.normalize_or(Vec3::Y), second.normalize_or(Vec3::Z));
            if y.dot(z).abs() > 1e-3 {
                return Err("the axes of its universal joint are not at right angles");
            }
            let rotation = Quat::from_mat3(&crate::math::Mat3::from_columns(y.cross(z), y, y.cross(z).cross(y)));
            (Universal { bend: [axis(0)?, axis(1)?] }.into(), rotation)
        }
        LinkJoint::Planar { normal } => {
            let x = normal.normalize_or(Vec3::X);
            let (y, z) = x.tangents();
            let slide = [axis(0)?, axis(1)?];
            (Planar { slide, turn: axis(2)? }.into(), Quat::from_mat3(&crate::math::Mat3::from_columns(x, y, z)))
        }
        LinkJoint::Spherical => {
            if !dofs.iter().all(idle) {
                return Err("forces, springs or motors act along its spherical joint");
            }
            match swing {
                None => (Ball::default().into(), Quat::IDENTITY),
                Some(s) => {
                    let mut cone = ConeTwist::new(Real::from_f64(s.cone), 0.0);
                    cone.cone_restitution = Real::from_f64(s.restitution);
                    cone.twist = s.twist.map(|range| bouncing(range, s.restitution));
                    (cone.into(), turn(s.axis))
                }
            }
        }
    }))
}

/// A range whose ends bounce.
fn bouncing([low, high]: [f64; 2], restitution: f64) -> Limit {
    Limit::new(Real::from_f64(low), Real::from_f64(high)).restitution(Real::from_f64(restitution))
}

/// Nothing acts along it.
fn idle(dof: &Dof) -> bool {
    *dof == Dof::default()
}

/// A degree of freedom as a freedom of a joint, with its spring at rest and its motor leading to these places.
fn axis_of(dof: &Dof, rest: f64, target: f64) -> Result<Axis, &'static str> {
    if dof.armature != 0.0 {
        return Err("its joint has armature");
    }
    if dof.force != 0.0 {
        return Err("a force acts along its joint");
    }
    let mut axis = Axis::FREE;
    if let Some(range) = dof.limits {
        axis = axis.limit(bouncing(range, dof.restitution));
    }
    let springs = dof.stiffness != 0.0 || dof.damping != 0.0;
    let spring = |k: f64, c: f64| Stiffness::spring(Real::from_f64(k), Real::from_f64(c));
    let motor = match (springs, dof.motor.is_on(), dof.friction > 0.0) {
        (false, false, false) => return Ok(axis),
        (true, false, false) => constraint::Motor::position(Real::from_f64(rest), spring(dof.stiffness, dof.damping)),
        (false, false, true) => constraint::Motor::friction(Real::from_f64(dof.friction)),
        (false, true, false) => {
            let Motor { stiffness, damping, speed, max_force } = dof.motor;
            let motor = if damping.is_infinite() {
                constraint::Motor::velocity(Real::from_f64(speed))
            } else if speed == 0.0 {
                constraint::Motor::position(Real::from_f64(target), spring(stiffness, damping))
            } else {
                return Err("the motor of its joint has both a place and a speed to reach");
            };
            if max_force.is_finite() { motor.max_force(Real::from_f64(max_force)) } else { motor }
        }
        _ => return Err("more than one of spring, friction and motor act along its joint"),
    };
    Ok(axis.motor(motor))
}
