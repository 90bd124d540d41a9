//! Joints of a file.

use super::super::forms::JOINT;
use super::super::forms_of_joints::{FREEDOMS, JOINT_KINDS, JOINTS, LIMIT, RAMP, SIGNAL, SINE};
use super::super::record::{Record, wrong};
use super::super::text::{Fault, Item, Node, Read};
use super::super::units::Dimension;
use super::Assembly;
use tumble::constraint::joint::{
    Ball, ConeTwist, Cylindrical, Distance, Drag, Fixed, Freedom, Gear, Glue, Hinge, Orientation, Parallel, Path,
    Planar, Pulley, Rack, Screw, SixAxis, Slider, Universal, Wheel,
};
use tumble::constraint::{Axis, Drive, Limit, Motor, Signal, Stiffness};
use tumble::math::{Float, Quat, Real, Vec3};
use tumble::{JointDesc, JointKind};

const SLIDE: Dimension = Dimension::LENGTH;
const TURN: Dimension = Dimension::ANGLE;

impl Assembly<'_> {
    pub fn add_joint(&mut self, node: &Node) -> Read<()> {
        let scope = self.scope.clone();
        let Some(kind) = node.get("kind") else {
            return Err(Fault::new(node.at, "a joint needs a kind, as in kind = \"hinge\""));
        };
        let word = scope.choice(&kind.node, JOINTS)?;
        let form = JOINT_KINDS.iter().find(|(name, _)| *name == word).map_or(&JOINT, |(_, form)| *form);
        let record = Record::open(node, form, &scope)?;

        let bodies = record.needed("bodies")?;
        let [a, b] = self.two_bodies(bodies)?;
        if a == b {
            return Err(Fault::new(bodies.at, "a joint ties two bodies, and these are one"));
        }
        self.warn_of_degrees(node);
        let mut desc = JointDesc::new(a, b, self.joint_kind(word, &record)?);
        if let Some(anchor) = record.vector("anchor")? {
            desc = desc.anchor(self.placing.point(anchor));
        }
        if let Some(anchor) = record.vector("anchor_a")? {
            desc = desc.anchor_a(anchor);
        }
        if let Some(anchor) = record.vector("anchor_b")? {
            desc = desc.anchor_b(anchor);
        }
        let real = |v: Vec3<f64>| -> Vec3 { v.to_real() };
        if let Some(axis) = record.direction("axis")? {
            desc = desc.axis(real(self.placing.direction(axis)));
        }
        if let Some(axis) = record.direction("axis_a")? {
            desc = desc.axis_a(real(axis));
        }
        if let Some(axis) = record.direction("axis_b")? {
            desc = desc.axis_b(real(axis));
        }
        for (name, first) in [("frame_a", true), ("frame_b", false)] {
            if let Some(frame) = record.record(name)? {
                let at = frame.vector("at")?.unwrap_or(Vec3::ZERO);
                let rotation = frame.rotation("rotation")?.unwrap_or(Quat::IDENTITY);
                desc = if first { desc.frame_a(at, rotation) } else { desc.frame_b(at, rotation) };
            }
        }
        if let Some(given) = record.record("stiffness")? {
            // These two hold nothing but how their bodies are turned.
            let held = if ["parallel", "gear"].contains(&word) { TURN } else { SLIDE };
            desc.stiffness = stiffness(&given, held)?;
        }
        desc.break_force = record.real("break_force")?.unwrap_or(desc.break_force);
        desc.break_torque = record.real("break_torque")?.unwrap_or(desc.break_torque);
        desc.collide = record.flag("collide")?.unwrap_or(desc.collide);
        desc.active = record.flag("active")?.unwrap_or(desc.active);
        desc.debug = record.flag("debug")?.unwrap_or(desc.debug);
        desc.user_data = record.user_data()?.unwrap_or(0);
        desc.name = record.text("name")?;
        self.engine(node.at, |world| world.add_joint(desc)).map(drop)
    }

    /// A stop of a hinge beyond several turns is a number of degrees, more likely than not.
    fn warn_of_degrees(&mut self, node: &Node) {
        let Some(entry) = node.get("limit").filter(|_| self.scope.units.angle == 1.0) else { return };
        let hinge = matches!(node.get("kind").map(|e| &e.node.item), Some(Item::Text(word)) if word == "hinge");
        let Item::List(ends) = &entry.node.item else { return };
        let plain = |end: &Node| match end.item {
            Item::Number(value) if value.is_finite() && value.abs() > 4.0 * core::f64::consts::PI => Some(value),
            _ => None,
        };
        if let Some(value) = ends.iter().find_map(plain).filter(|_| hinge) {
            let value = crate::figure::Exact(value);
            let message =
                format!("a stop at {value} radians is several turns away; degrees are written \"{value} deg\"");
            self.warn(entry.at, message);
        }
    }

    fn joint_kind(&self, word: &str, record: &Record<'_>) -> Read<JointKind> {
        Ok(match word {
            "ball" => Ball { motor: orientation(record)? }.into(),
            "hinge" => Hinge { turn: axis(record, TURN)? }.into(),
            "slider" => Slider { slide: axis(record, SLIDE)? }.into(),
            "fixed" => Fixed.into(),
            "distance" => {
                let joint = Distance { length: record.real("length")?, stretch: axis(record, SLIDE)? };
                if joint == Distance::default() {
                    let message = "a distance joint needs a length (rod), a limit (rope) or a motor (spring)";
                    return Err(Fault::new(record.at, message));
                }
                joint.into()
            }
            "universal" => Universal { bend: axes(record, "bend", TURN)? }.into(),
            "cone-twist" => {
                let cone = record.scope.real(record.needed("cone")?, TURN)?;
                let mut joint = ConeTwist { twist: None, ..ConeTwist::new(cone, 0.0) };
                if let Some(given) = record.record("cone_stiffness")? {
                    joint.cone_stiffness = stiffness(&given, TURN)?;
                }
                joint.cone_restitution = record.real("cone_restitution")?.unwrap_or(0.0);
                joint.twist = record.get("twist").map(|node| limit(node, record, TURN)).transpose()?;
                joint.motor = orientation(record)?;
                joint.into()
            }
            "cylindrical" => {
                Cylindrical { slide: named_axis(record, "slide", SLIDE)?, turn: named_axis(record, "turn", TURN)? }
                    .into()
            }
            "planar" => Planar { slide: axes(record, "slide", SLIDE)?, turn: named_axis(record, "turn", TURN)? }.into(),
            "parallel" => Parallel.into(),
            "six-axis" => {
                SixAxis { slide: freedoms(record, "slide", SLIDE)?, turn: freedoms(record, "turn", TURN)? }.into()
            }
            "gear" => Gear { ratio: record.scope.real(record.needed("ratio")?, Dimension::NONE)? }.into(),
            "rack" => Rack { travel: record.scope.real(record.needed("travel")?, Dimension::TRAVEL)? }.into(),
            "screw" => {
                Screw { pitch: record.scope.real(record.needed("pitch")?, SLIDE)?, turn: axis(record, TURN)? }.into()
            }
            "pulley" => {
                let wheels = record.needed("wheels")?;
                let [a, b] = record.scope.list(wheels)? else {
                    return Err(Fault::new(wheels.at, "a pulley has two wheels"));
                };
                let place = |node: &Node| Ok(self.placing.point(record.scope.vector(node, SLIDE)?));
                Pulley {
                    wheels: [place(a)?, place(b)?],
                    length: record.scope.real(record.needed("length")?, SLIDE)?,
                    ratio: record.real("ratio")?.unwrap_or(1.0),
                    slack: record.flag("slack")?.unwrap_or(true),
                }
                .into()
            }
            "wheel" => Wheel {
                suspension: named_axis(record, "suspension", SLIDE)?,
                spin: record.record("spin")?.map(|given| motor(&given, TURN)).transpose()?,
                steer: record.get("steer").map(|node| signal(node, record, TURN)).transpose()?.unwrap_or_default(),
            }
            .into(),
            "path" => Path {
                points: self.points(record.needed("points")?)?.into(),
                closed: record.flag("closed")?.unwrap_or(false),
                follow: record.flag("follow")?.unwrap_or(false),
                motor: record.record("motor")?.map(|given| motor(&given, SLIDE)).transpose()?,
            }
            .into(),
            "drag" => {
                let mut joint = Drag::new(record.scope.real(record.needed("max_force")?, Dimension::FORCE)?);
                if let Some(given) = record.record("pull")? {
                    joint.stiffness = stiffness(&given, SLIDE)?;
                }
                joint.into()
            }
            // Only `glue` is left.
            _ => {
                let node = record.needed("points")?;
                let points: Result<[Vec3; 3], _> = self.points(node)?.try_into();
                Glue { points: points.map_err(|_| Fault::new(node.at, "glue has three points"))? }.into()
            }
        })
    }
}

/// `limit` and `motor` of a table.
fn axis(record: &Record<'_>, dimension: Dimension) -> Read<Axis> {
    Ok(Axis {
        limit: record.get("limit").map(|node| limit(node, record, dimension)).transpose()?,
        motor: record.record("motor")?.map(|given| motor(&given, dimension)).transpose()?,
    })
}

fn axis_of(node: &Node, record: &Record<'_>, dimension: Dimension) -> Read<Axis> {
    axis(&Record::open(node, &super::super::forms_of_joints::AXIS, record.scope)?, dimension)
}

fn named_axis(record: &Record<'_>, name: &str, dimension: Dimension) -> Read<Axis> {
    record.get(name).map_or(Ok(Axis::FREE), |node| axis_of(node, record, dimension))
}

fn axes(record: &Record<'_>, name: &str, dimension: Dimension) -> Read<[Axis; 2]> {
    let Some(node) = record.get(name) else { return Ok([Axis::FREE, Axis::FREE]) };
    match record.scope.list(node)? {
        [a, b] => Ok([axis_of(a, record, dimension)?, axis_of(b, record, dimension)?]),
        _ => Err(Fault::new(node.at, format!("{name:?} is a list of two tables"))),
    }
}

fn freedoms(record: &Record<'_>, name: &str, dimension: Dimension) -> Read<[Freedom; 3]> {
    let Some(node) = record.get(name) else { return Ok([Freedom::Locked, Freedom::Locked, Freedom::Locked]) };
    let freedom = |node: &Node| match &node.item {
        Item::Text(_) if record.scope.choice(node, FREEDOMS)? == "locked" => Ok(Freedom::Locked),
        Item::Text(_) => Ok(Freedom::FREE),
        _ => axis_of(node, record, dimension).map(Freedom::Free),
    };
    match record.scope.list(node)? {
        [a, b, c] => Ok([freedom(a)?, freedom(b)?, freedom(c)?]),
        _ => Err(Fault::new(node.at, format!("{name:?} is a list of three: \"locked\", \"free\" or a table"))),
    }
}

fn limit(node: &Node, record: &Record<'_>, dimension: Dimension) -> Read<Limit> {
    if let Item::List(_) = node.item {
        let [low, high]: [f64; 2] = record.scope.several(node, dimension)?;
        return Ok(Limit::new(Real::from_f64(low), Real::from_f64(high)));
    }
    let given = Record::open(node, &LIMIT, record.scope)?;
    let end = |name: &str, otherwise: Real| match given.get(name) {
        Some(node) => given.scope.real(node, dimension),
        None => Ok(otherwise),
    };
    let mut limit = Limit::new(end("low", -Real::INFINITY)?, end("high", Real::INFINITY)?);
    limit.restitution = given.real("restitution")?.unwrap_or(0.0);
    if let Some(given) = given.record("stiffness")? {
        limit.stiffness = stiffness(&given, dimension)?;
    }
    Ok(limit)
}

/// A damped spring of a freedom of this dimension, in whichever of two ways a table says it; as hard as the method can where it says nothing.
fn stiffness(record: &Record<'_>, dimension: Dimension) -> Read<Stiffness> {
    let (hertz, ratio) = (record.real("hertz")?, record.real("damping_ratio")?);
    // Of turning per radian, whatever the unit of angles is.
    let unit = match dimension {
        SLIDE => Dimension::SPRING,
        _ => Dimension::TORQUE,
    };
    let value = |name: &str| record.get(name).map(|node| record.scope.real(node, unit)).transpose();
    let (spring, damping) = (value("spring")?, value("damping")?);
    match (hertz, spring) {
        (Some(_), Some(_)) => {
            Err(Fault::new(record.at, "give either `hertz` and `damping_ratio` or `spring` and `damping`"))
        }
        (Some(hertz), None) if damping.is_none() => Ok(Stiffness::tuned(hertz, ratio.unwrap_or(1.0))),
        (None, Some(spring)) if ratio.is_none() => Ok(Stiffness::spring(spring, damping.unwrap_or(0.0))),
        (None, None) if ratio.is_none() && damping.is_none() => Ok(Stiffness::Method),
        _ => Err(Fault::new(record.at, "`damping_ratio` goes with `hertz`, and `damping` with `spring`")),
    }
}

fn motor(record: &Record<'_>, dimension: Dimension) -> Read<Motor> {
    let force = match dimension {
        SLIDE => Dimension::FORCE,
        _ => Dimension::TORQUE,
    };
    let mut most = Real::INFINITY;
    if let Some(node) = record.get("max_force") {
        most = record.scope.real(node, force)?;
    }
    let aims: Vec<_> =
        record.entries.iter().filter(|e| ["velocity", "position", "friction"].contains(&e.key.as_str())).collect();
    let [aim] = aims.as_slice() else {
        return Err(Fault::new(record.at, "a motor has exactly one of `velocity`, `position` and `friction`"));
    };
    let spring = stiffness(record, dimension)?;
    if aim.key != "position" && spring != Stiffness::Method {
        return Err(Fault::new(record.at, "only a motor with a `position` has a spring"));
    }
    Ok(match aim.key.as_str() {
        "velocity" => Motor { drive: Drive::Velocity(signal(&aim.node, record, dimension)?), max_force: most },
        "position" => Motor { drive: Drive::Position(signal(&aim.node, record, dimension)?, spring), max_force: most },
        _ => Motor::friction(record.scope.real(&aim.node, force)?),
    })
}

fn orientation(record: &Record<'_>) -> Read<Option<Orientation>> {
    let Some(given) = record.record("motor")? else { return Ok(None) };
    let motor = Orientation {
        target: given.rotation("target")?,
        stiffness: stiffness(&given, TURN)?,
        ..Orientation::friction(given.real("max_torque")?.unwrap_or(Real::INFINITY))
    };
    if let (None, Some(node)) = (&motor.target, given.get("about").or(given.get("angle"))) {
        return Err(Fault::new(node.at, "a motor without a `target` has nothing that turns"));
    }
    let about = given.direction("about")?.map_or(motor.about, |v| v.to_real());
    let angle = given.get("angle").map(|node| signal(node, &given, TURN)).transpose()?.unwrap_or_default();
    Ok(Some(motor.turning(about, angle)))
}

/// A number, or a function of time.
fn signal(node: &Node, record: &Record<'_>, dimension: Dimension) -> Read<Signal> {
    let scope = record.scope;
    if !matches!(node.item, Item::Table(_)) {
        return scope.real(node, dimension).map(Signal::Constant);
    }
    let given = Record::open(node, &SIGNAL, scope)?;
    let [entry] = given.entries else {
        return Err(Fault::new(node.at, "a function of time is exactly one of `ramp`, `sine` and `table`"));
    };
    let form = match entry.key.as_str() {
        "ramp" => &RAMP,
        "sine" => &SINE,
        _ => {
            let mut points = Vec::new();
            for node in scope.list(&entry.node)? {
                let [time, value] = scope.list(node)? else {
                    return Err(wrong(node, "a point [time, value]", &node.item));
                };
                points.push((scope.number(time)?, scope.real(value, dimension)?));
            }
            return Ok(Signal::table(points));
        }
    };
    let values = Record::open(&entry.node, form, scope)?;
    let value = |name: &str| values.get(name).map_or(Ok(0.0), |node| scope.real(node, dimension));
    let time = |name: &str| values.get(name).map_or(Ok(0.0), |node| scope.number(node));
    if entry.key == "ramp" {
        values.needed("to")?;
        values.needed("duration")?;
        let (from, to) = (value("from")?, value("to")?);
        return Ok(Signal::Ramp { from, to, start: time("start")?, duration: time("duration")? });
    }
    values.needed("amplitude")?;
    values.needed("hertz")?;
    let (mean, amplitude) = (value("mean")?, value("amplitude")?);
    Ok(Signal::Sine { mean, amplitude, hertz: time("hertz")?, phase: time("phase")? })
}
