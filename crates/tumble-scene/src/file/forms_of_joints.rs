//! The forms of joints and force effects: what all have, and what each kind has besides.

use super::form::{ANGLE, FORCE, Form, Kind, LENGTH, PLAIN, POINT, TORQUE, field};
use super::forms::{REPEAT, TUNED};
use super::units::Dimension;

/// What every joint has; the kinds add fields of their own.
pub static JOINT: Form = Form {
    title: "a joint",
    help: "What holds two bodies together. Further fields depend on its kind.",
    fields: &[
        field("kind", Kind::Choice(JOINTS), "What it holds, and what it leaves free"),
        field(
            "bodies",
            Kind::Several(2, &Kind::Text),
            "The bodies A and B by name; \"world\" stands for the world itself",
        ),
        field("name", Kind::Text, "Its name"),
        field("anchor", POINT, "Where it is, in the world (in a group: in the group)"),
        field("anchor_a", POINT, "Where it is, in A's frame"),
        field("anchor_b", POINT, "Where it is, in B's frame"),
        field("axis", Kind::Direction, "Its axis, in the world (in a group: in the group)"),
        field("axis_a", Kind::Direction, "Its axis, in A's frame"),
        field("axis_b", Kind::Direction, "Its axis, in B's frame"),
        field("frame_a", Kind::Table(&FRAME), "Its whole frame, in A's frame"),
        field("frame_b", Kind::Table(&FRAME), "Its whole frame, in B's frame"),
        field("stiffness", Kind::Table(&STIFFNESS), "How hard it holds; as hard as the method can by default"),
        field("break_force", FORCE, "Mean force over a step at which it breaks"),
        field("break_torque", TORQUE, "Mean torque over a step at which it breaks"),
        field("collide", Kind::Flag, "The two bodies can touch each other"),
        field("active", Kind::Flag, "An inactive joint holds nothing"),
        field("debug", Kind::Flag, "It appears in the debug geometry"),
        field("user_data", Kind::Whole, "Anything that a program wants to find again"),
    ],
    also: &[&REPEAT],
};

pub const JOINTS: &[&str] = &[
    "ball",
    "hinge",
    "slider",
    "fixed",
    "distance",
    "universal",
    "cone-twist",
    "cylindrical",
    "planar",
    "parallel",
    "six-axis",
    "gear",
    "rack",
    "screw",
    "pulley",
    "wheel",
    "path",
    "drag",
    "glue",
];

/// The forms of all kinds of something, each with its word and with the fields of all.
macro_rules! kinds {
    ($list:ident, $also:expr, $($name:ident, $word:literal, $title:literal, $help:literal, [$($field:expr),* $(,)?];)*) => {
        $(static $name: Form = Form { title: $title, help: $help, fields: &[$($field),*], also: $also };)*
        /// Every kind with the form of its tables.
        pub static $list: &[(&str, &Form)] = &[$(($word, &$name)),*];
    };
}

const LIMIT_KIND: Kind = Kind::Either(&[Kind::Several(2, &PLAIN), Kind::Table(&LIMIT)]);
const AXIS_KIND: Kind = Kind::Table(&AXIS);
const FREEDOM_KIND: Kind = Kind::Either(&[Kind::Choice(FREEDOMS), Kind::Table(&AXIS)]);
pub const FREEDOMS: &[&str] = &["locked", "free"];

pub(super) use kinds;

kinds! { JOINT_KINDS, &[&JOINT, &REPEAT],
    BALL, "ball", "a ball joint", "One point in common.", [
        field("motor", Kind::Table(&ORIENTATION), "Pulls B to an orientation, or resists turning"),
    ];
    HINGE, "hinge", "a hinge", "Turns about its axis.", [
        field("limit", LIMIT_KIND, "How far it turns"),
        field("motor", Kind::Table(&MOTOR), "What drives it"),
    ];
    SLIDER, "slider", "a slider", "Slides along its axis.", [
        field("limit", LIMIT_KIND, "How far it slides"),
        field("motor", Kind::Table(&MOTOR), "What drives it"),
    ];
    FIXED, "fixed", "a fixed joint", "Does not move at all.", [];
    DISTANCE, "distance", "a distance joint", "Rod (`length`), rope (`limit = [0, l]`) or spring (`motor = { position = l, .. }`).", [
        field("length", LENGTH, "Kept exactly"),
        field("limit", LIMIT_KIND, "How far apart the points may be"),
        field("motor", Kind::Table(&MOTOR), "What drives the distance"),
    ];
    UNIVERSAL, "universal", "a universal joint", "Two crossed axes.", [
        field("bend", Kind::Several(2, &AXIS_KIND), "Limits and motors of the two bends"),
    ];
    CONE_TWIST, "cone-twist", "a cone-twist joint", "A ball joint with limits.", [
        field("cone", ANGLE, "Half of the opening angle"),
        field("cone_stiffness", Kind::Table(&STIFFNESS), "How hard the rim is"),
        field("cone_restitution", PLAIN, "How it bounces from the rim"),
        field("twist", LIMIT_KIND, "Range of the twist"),
        field("motor", Kind::Table(&ORIENTATION), "Pulls B to an orientation, or resists turning"),
    ];
    CYLINDRICAL, "cylindrical", "a cylindrical joint", "Slides along its axis and turns about it.", [
        field("slide", AXIS_KIND, "Limit and motor of sliding"),
        field("turn", AXIS_KIND, "Limit and motor of turning"),
    ];
    PLANAR, "planar", "a planar joint", "Moves in the plane across its axis.", [
        field("slide", Kind::Several(2, &AXIS_KIND), "Limits and motors of sliding"),
        field("turn", AXIS_KIND, "Limit and motor of turning"),
    ];
    PARALLEL, "parallel", "a parallel joint", "Keeps its axis parallel.", [];
    SIX_AXIS, "six-axis", "a six-axis joint", "Each of the six motions as told; locked by default.", [
        field("slide", Kind::Several(3, &FREEDOM_KIND), "Sliding along x, y, z of A"),
        field("turn", Kind::Several(3, &FREEDOM_KIND), "Turning about x of A, the line of nodes, z of B"),
    ];
    GEAR, "gear", "a gear", "Two turns in a ratio.", [field("ratio", PLAIN, "Turns of A per turn of B")];
    RACK, "rack", "a rack", "A turn of A and a slide of B in a ratio.", [
        field("travel", Kind::Number(Dimension::TRAVEL), "Length per angle"),
    ];
    SCREW, "screw", "a screw", "Turns about its axis and moves along it.", [
        field("pitch", LENGTH, "Travel per turn"),
        field("limit", LIMIT_KIND, "How far it turns"),
        field("motor", Kind::Table(&MOTOR), "What drives it"),
    ];
    PULLEY, "pulley", "a pulley", "A rope over two wheels.", [
        field("wheels", Kind::Several(2, &POINT), "Where the rope leaves the wheels, in the world"),
        field("length", LENGTH, "Rope on A's side plus `ratio` times that on B's"),
        field("ratio", PLAIN, "1 by default"),
        field("slack", Kind::Flag, "It only pulls; true by default"),
    ];
    WHEEL, "wheel", "a wheel", "Wheel B on chassis A, with suspension and steering.", [
        field("suspension", AXIS_KIND, "Spring (a position motor) and stops of the strut"),
        field("spin", Kind::Table(&MOTOR), "Drives or brakes the wheel"),
        field("steer", SIGNAL_KIND, "Steering angle"),
    ];
    PATH, "path", "a path joint", "B along a curve that is fixed to A.", [
        field("points", Kind::List(&POINT), "Points of the curve, in A's frame of the joint"),
        field("closed", Kind::Flag, "The last point leads to the first"),
        field("follow", Kind::Flag, "B turns with the curve"),
        field("motor", Kind::Table(&MOTOR), "Drives it along"),
    ];
    DRAG, "drag", "a drag joint", "A soft pull to a point, as by a mouse.", [
        field("pull", Kind::Table(&STIFFNESS), "The spring; 5 Hz, critically damped by default"),
        field("max_force", FORCE, "Greatest force along each axis"),
    ];
    GLUE, "glue", "a glue joint", "Three ball joints at the corners of a triangle.", [
        field("points", Kind::Several(3, &POINT), "The corners"),
    ];
}

pub static FRAME: Form = Form {
    title: "a frame",
    help: "A place and three axes; x is the axis of the joint.",
    fields: &[field("at", POINT, "Its origin"), field("rotation", Kind::Rotation, "How it is turned")],
    also: &[],
};

pub static STIFFNESS: Form = Form {
    title: "a stiffness",
    help: "A damped spring, by `hertz` and `damping_ratio` or by `spring` and `damping`.",
    fields: &[
        field("spring", PLAIN, "k in N/m, or N m/rad where it acts on turning"),
        field("damping", PLAIN, "c in N s/m, or N m s/rad where it acts on turning"),
    ],
    also: &[&TUNED],
};

pub static AXIS: Form = Form {
    title: "a freedom of a joint",
    help: "How far it goes, and what drives it.",
    fields: &[field("limit", LIMIT_KIND, "How far it goes"), field("motor", Kind::Table(&MOTOR), "What drives it")],
    also: &[],
};

pub static LIMIT: Form = Form {
    title: "a limit",
    help: "How far a freedom goes, in lengths for sliding and angles for turning.",
    fields: &[
        field("low", PLAIN, "Least value; none by default"),
        field("high", PLAIN, "Greatest value; none by default"),
        field("restitution", PLAIN, "Share of the speed with which it bounces back"),
        field("stiffness", Kind::Table(&STIFFNESS), "How hard the stops are"),
    ],
    also: &[],
};

const SIGNAL_KIND: Kind = Kind::Either(&[PLAIN, Kind::Table(&SIGNAL)]);

pub static MOTOR: Form = Form {
    title: "a motor",
    help: "Aims at a velocity or, by a damped spring, at a position; or only resists.",
    fields: &[
        field("velocity", SIGNAL_KIND, "The speed to hold: a number, or a function of time"),
        field("position", SIGNAL_KIND, "The position to pull to: a number, or a function of time"),
        field("friction", PLAIN, "Resists with at most this force or torque"),
        field("max_force", PLAIN, "Greatest force or torque; infinite by default"),
    ],
    also: &[&STIFFNESS, &TUNED],
};

pub static ORIENTATION: Form = Form {
    title: "a motor of a ball joint",
    help: "Pulls B to an orientation as seen from A; without a target it only resists turning.",
    fields: &[
        field("target", Kind::Rotation, "The orientation"),
        field("max_torque", TORQUE, "Greatest torque about each axis; infinite by default"),
        field("about", Kind::Direction, "The target turns further about this axis of A's frame"),
        field("angle", SIGNAL_KIND, "By how much: a number, or a function of time"),
    ],
    also: &[&STIFFNESS, &TUNED],
};

pub static SIGNAL: Form = Form {
    title: "a function of time",
    help: "Exactly one of these.",
    fields: &[
        field("ramp", Kind::Table(&RAMP), "From one value to another"),
        field("sine", Kind::Table(&SINE), "mean + amplitude sin(2π (hertz t + phase))"),
        field("table", Kind::List(&Kind::Several(2, &PLAIN)), "Straight between points [time, value]"),
    ],
    also: &[],
};

pub static RAMP: Form = Form {
    title: "a ramp",
    help: "One value before, another after, straight in between.",
    fields: &[
        field("from", PLAIN, "The value before; 0 by default"),
        field("to", PLAIN, "The value after"),
        field("start", PLAIN, "When it begins, in seconds; 0 by default"),
        field("duration", PLAIN, "How long it takes, in seconds"),
    ],
    also: &[],
};

pub static SINE: Form = Form {
    title: "a sine",
    help: "mean + amplitude sin(2π (hertz t + phase)).",
    fields: &[
        field("mean", PLAIN, "The middle; 0 by default"),
        field("amplitude", PLAIN, "How far it swings"),
        field("hertz", PLAIN, "Swings per second"),
        field("phase", PLAIN, "Where in a swing it begins, in swings; 0 by default"),
    ],
    also: &[],
};

/// What every force effect has; the kinds add fields of their own.
pub static EFFECT: Form = Form {
    title: "a force effect",
    help: "Forces on a set of bodies. Further fields depend on its kind.",
    fields: &[
        field("kind", Kind::Choice(EFFECTS), "What it does"),
        field("name", Kind::Text, "Its name"),
        field("bodies", Kind::List(&Kind::Text), "The bodies it acts on; all by default"),
        field("except", Kind::List(&Kind::Text), "All bodies but these"),
        field("start", PLAIN, "Seconds from which on it acts"),
        field("end", PLAIN, "Seconds until which it acts"),
        field("remove_at_end", Kind::Flag, "It is gone at its end"),
        field("active", Kind::Flag, "An inactive effect does nothing"),
        field("user_data", Kind::Whole, "Anything that a program wants to find again"),
    ],
    also: &[&REPEAT],
};

pub const EFFECTS: &[&str] = &["uniform", "drag", "spring", "explosion", "buoyancy", "attraction", "gravitation"];

kinds! { EFFECT_KINDS, &[&EFFECT, &REPEAT],
    UNIFORM, "uniform", "a uniform effect", "The same acceleration everywhere.", [
        field("acceleration", Kind::Vector(Dimension::LENGTH), "The acceleration"),
    ];
    DRAG_EFFECT, "drag", "a drag", "Air or water that slows down, and wind.", [
        field("linear", Kind::Number(Dimension::SPRING), "Force per speed"),
        field("quadratic", Kind::Number(Dimension::QUADRATIC), "Force per speed squared"),
        field("angular_linear", TORQUE, "Torque per angular speed"),
        field("angular_quadratic", TORQUE, "Torque per angular speed squared"),
        field("wind", Kind::Vector(Dimension::LENGTH), "Velocity of the air"),
    ];
    SPRING, "spring", "a spring", "A damped spring between two bodies.", [
        field("length", LENGTH, "Its length at rest"),
        field("spring", Kind::Number(Dimension::SPRING), "k in N/m"),
        field("damping", Kind::Number(Dimension::SPRING), "c in N s/m"),
        field("anchor_a", POINT, "Where it is fastened, in the first body's frame"),
        field("anchor_b", POINT, "Where it is fastened, in the second body's frame"),
    ];
    EXPLOSION, "explosion", "an explosion", "A push away from a point.", [
        field("centre", POINT, "The point, in the world"),
        field("strength", FORCE, "Force at the centre"),
        field("falloff", Kind::Choice(FALLOFFS), "How it weakens; not at all by default"),
        field("radius", LENGTH, "Distance of the falloff"),
    ];
    BUOYANCY, "buoyancy", "a buoyancy", "Water below a plane.", [
        field("normal", Kind::Direction, "Out of the water; up by default"),
        field("level", LENGTH, "Distance of the surface from the origin (in a group: of the group) along the normal"),
        field("density", Kind::Number(Dimension::DENSITY), "Density of the water"),
        field("linear", Kind::Number(Dimension::SPRING), "Force per speed"),
        field("quadratic", Kind::Number(Dimension::QUADRATIC), "Force per speed squared"),
        field("angular_linear", TORQUE, "Torque per angular speed"),
        field("angular_quadratic", TORQUE, "Torque per angular speed squared"),
        field("wind", Kind::Vector(Dimension::LENGTH), "Velocity of the water"),
    ];
    ATTRACTION, "attraction", "an attraction", "A pull towards a point.", [
        field("centre", POINT, "The point, in the world"),
        field("strength", Kind::Number(Dimension::ATTRACTION), "G M in m³/s²"),
        field("softening", LENGTH, "Distance below which it does not grow"),
    ];
    GRAVITATION, "gravitation", "a gravitation", "Bodies that attract each other.", [
        field("constant", Kind::Number(Dimension::GRAVITATION), "G in m³/(kg s²)"),
        field("softening", LENGTH, "Distance below which it does not grow"),
    ];
}

pub const FALLOFFS: &[&str] = &["none", "linear", "inverse-square"];
