//! Everything that a scene file can say: the forms of its tables.

use super::form::{ANGLE, Form, Kind, LENGTH, PLAIN, POINT, TORQUE, field};
use super::units::{ANGLES, Dimension, LENGTHS, MASSES};

/// The file as a whole.
pub static SCENE: Form = Form {
    title: "a scene",
    help: "A world, what can be changed about it, how it is looked at, and what should happen in it.",
    fields: &[
        field("format", Kind::Whole, "Version of the format; 1"),
        field("name", Kind::Text, "Its name, in kebab-case; by default that of the file"),
        field("description", Kind::Text, "What there is to see, in a sentence or two"),
        field("seed", Kind::Text, "Where it comes from"),
        field("units", Kind::Table(&UNITS), "In which units plain numbers are; metres, kilograms, radians by default"),
        field("up", Kind::Choice(&["y", "z"]), "Which axis points up; y by default"),
        field("parameters", Kind::Named(&PARAMETER), "Numbers that `--set` changes: a default, or a table"),
        field("let", Kind::Values, "Names for values, from parameters and from each other"),
        field("same_names", Kind::Flag, "Bodies may share a name; they are referred to by number then"),
        field(
            "most",
            Kind::Whole,
            "More tables made, in all turns of repeats, than this are a slip; 100 000 by default, 2 000 000 at most",
        ),
        field("gravity", Kind::Vector(Dimension::LENGTH), "Acceleration of gravity; 9.81 m/s² downwards by default"),
        field("seconds", PLAIN, "For how long there is something to see; 10 by default"),
        field("dt", PLAIN, "Time step in seconds; 1/60 by default"),
        field("method", Kind::Either(&[Kind::Text, Kind::Method]), "How it is simulated: a preset, or its slots"),
        field("camera", Kind::Table(&CAMERA), "Where to look at it from"),
        field("material", Kind::Named(&MATERIAL), "Materials by name; `default` is that of colliders that name none"),
        field("pair", Kind::List(&Kind::Table(&PAIR)), "Coefficients of two materials against each other"),
        field("shape", Kind::Named(&SHAPE), "Shapes by name"),
        field("cue", Kind::List(&Kind::Table(&CUE)), "What is done to the world while it runs"),
        field("check", Kind::List(&Kind::Table(&CHECK)), "What should happen"),
    ],
    also: &[&CONTENT],
};

/// What a scene and a group have in common.
pub static CONTENT: Form = Form {
    title: "the contents",
    help: "Bodies and what acts between them.",
    fields: &[
        field("body", Kind::List(&Kind::Table(&BODY)), "Bodies"),
        field("articulation", Kind::List(&Kind::Table(&ARTICULATION)), "Trees of links"),
        field("joint", Kind::List(&Kind::Table(&JOINT)), "Joints"),
        field("effect", Kind::List(&Kind::Table(&EFFECT)), "Force effects"),
        field("exclude", Kind::List(&Kind::Table(&EXCLUDE)), "Pairs of bodies that never touch"),
        field("group", Kind::List(&Kind::Table(&GROUP)), "Groups, which are placed and repeated as a whole"),
    ],
    also: &[],
};

pub static GROUP: Form = Form {
    title: "a group",
    help: "Bodies and what acts between them, placed and repeated as a whole.",
    fields: &[
        field("at", POINT, "Where the group's origin is"),
        field("rotation", Kind::Rotation, "How the group is turned about its origin"),
    ],
    also: &[&CONTENT, &REPEAT],
};

pub static REPEAT: Form = Form {
    title: "a repeated table",
    help: "A table that stands for many.",
    fields: &[
        field(
            "repeat",
            Kind::Values,
            "Names that count: `{ i = 5 }` is 0 to 4, `{ i = [1, 5] }` is 1 to 5; later ones inside earlier ones",
        ),
        field("when", Kind::Condition, "Left out where this is false"),
    ],
    also: &[],
};

pub static UNITS: Form = Form {
    title: "the units",
    help: "The units of plain numbers.",
    fields: &[
        field("length", Kind::Choice(LENGTHS), "Unit of lengths"),
        field("mass", Kind::Choice(MASSES), "Unit of masses"),
        field("angle", Kind::Choice(ANGLES), "Unit of angles"),
    ],
    also: &[],
};

pub static PARAMETER: Form = Form {
    title: "a parameter",
    help: "A number that `--set` changes.",
    fields: &[
        field("default", PLAIN, "Its value where none is given"),
        field("min", PLAIN, "Smallest value"),
        field("max", PLAIN, "Largest value"),
        field("whole", Kind::Flag, "Only whole numbers"),
        field("unit", Kind::Text, "Its unit, for people"),
        field("help", Kind::Text, "What it changes"),
    ],
    also: &[],
};

pub static CAMERA: Form = Form {
    title: "the camera",
    help: "A viewpoint.",
    fields: &[
        field("eye", POINT, "Where the eye is"),
        field("target", POINT, "What it looks at"),
        field("field_of_view", PLAIN, "Height of the picture in degrees; 45 by default"),
    ],
    also: &[],
};

pub static MATERIAL: Form = Form {
    title: "a material",
    help: "What a surface does, and how dense the thing is.",
    fields: &[
        field("like", Kind::Text, "Begins as this material, of the file or of the engine's library"),
        field("name", Kind::Text, "A name for people; by default that under which it stands"),
        field("density", Kind::Number(Dimension::DENSITY), "kg/m³"),
        field("friction", PLAIN, "Static and dynamic friction at once"),
        field("static_friction", PLAIN, "Coefficient before slip begins"),
        field("dynamic_friction", PLAIN, "Coefficient during slip"),
        field("restitution", PLAIN, "Share of the speed with which it bounces, 0 to 1"),
        field("tangential_restitution", PLAIN, "Share of slip that an impact turns round, -1 to 1"),
        field("rolling_friction", LENGTH, "Lever arm of the resistance to rolling"),
        field("spinning_friction", LENGTH, "Lever arm of the resistance to spinning about the normal"),
        field("surface_velocity", Kind::Vector(Dimension::LENGTH), "Velocity of the surface, as of a conveyor"),
        field("softness", Kind::Table(&TUNED), "How soft contacts are"),
    ],
    also: &[],
};

pub static TUNED: Form = Form {
    title: "a softness",
    help: "A damped spring by frequency and damping ratio.",
    fields: &[field("hertz", PLAIN, "Frequency"), field("damping_ratio", PLAIN, "1 is critical; 1 by default")],
    also: &[],
};

pub static PAIR: Form = Form {
    title: "a pair of materials",
    help: "Coefficients of two materials against each other, instead of those that the rule gives.",
    fields: &[
        field("materials", Kind::Several(2, &Kind::Text), "The two"),
        field("friction", PLAIN, "Static and dynamic friction at once"),
        field("static_friction", PLAIN, "Coefficient before slip begins"),
        field("dynamic_friction", PLAIN, "Coefficient during slip"),
        field("restitution", PLAIN, "Share of the speed with which they bounce"),
        field("tangential_restitution", PLAIN, "Share of slip that an impact turns round"),
        field("rolling_friction", LENGTH, "Lever arm of the resistance to rolling"),
        field("spinning_friction", LENGTH, "Lever arm of the resistance to spinning"),
    ],
    also: &[],
};

pub static SHAPE: Form = Form {
    title: "a shape",
    help: "Exactly one of these.",
    fields: &[
        field("box", POINT, "Lengths along x, y, z"),
        field("sphere", LENGTH, "Radius"),
        field("capsule", Kind::Table(&ROUND), "Round ends; `length` of its axis without them"),
        field("cylinder", Kind::Table(&ROUND), "Flat ends; along the axis that is up"),
        field("cone", Kind::Table(&ROUND), "Its point up, the middle of its height at the origin"),
        field(
            "half_space",
            Kind::Either(&[Kind::Direction, Kind::Table(&HALF_SPACE)]),
            "Everything below a plane; the outward normal, or a table",
        ),
        field("rectangle", Kind::Several(2, &LENGTH), "A thin, two-sided level rectangle: its lengths"),
        field("hull", Kind::List(&POINT), "The convex hull of points"),
        field("mesh", Kind::Table(&MESH), "Triangles"),
        field("height_field", Kind::Table(&HEIGHT_FIELD), "A grid of heights"),
        field("compound", Kind::List(&Kind::Table(&CHILD)), "Several shapes as one"),
        field("shape", Kind::Text, "A shape of the file by name"),
    ],
    also: &[],
};

pub static ROUND: Form = Form {
    title: "a round shape",
    help: "A solid of revolution.",
    fields: &[
        field("length", LENGTH, "From end to end (of a capsule: of its axis, without the round ends)"),
        field("radius", LENGTH, "Radius"),
    ],
    also: &[],
};

pub static HALF_SPACE: Form = Form {
    title: "a half-space",
    help: "Everything below a plane.",
    fields: &[
        field("normal", Kind::Direction, "Points out of it; up by default"),
        field("offset", LENGTH, "Distance of the plane from the origin along the normal"),
    ],
    also: &[],
};

pub static MESH: Form = Form {
    title: "a mesh",
    help: "Triangles, from a file or written here.",
    fields: &[
        field("file", Kind::Text, "An OBJ, STL, PLY, glTF or GLB file, found from the folder of the scene file"),
        field(
            "as",
            Kind::Choice(&["hull", "parts", "surface"]),
            "What it becomes: its convex hull (by default), convex parts, or the surface as it is",
        ),
        field("scale", PLAIN, "Multiplies the coordinates of the file; 1 by default"),
        field("most_parts", Kind::Whole, "No more convex parts than this; 16 by default"),
        field("tolerance", PLAIN, "Volume that convex parts may have too much, as a share; 0.05 by default"),
        field("vertices", Kind::List(&POINT), "Corners"),
        field(
            "triangles",
            Kind::List(&Kind::Several(3, &Kind::Whole)),
            "Three corners each, counter-clockwise from the front",
        ),
        field("sides", Kind::Choice(&["one", "two"]), "Which sides things meet; one by default"),
        field("materials", Kind::List(&Kind::Whole), "For every triangle a slot of the collider's materials"),
        field("weld_distance", LENGTH, "Corners this close count as one where neighbours are sought"),
        field("flat_angle", ANGLE, "Edges flatter than this are not felt"),
    ],
    also: &[],
};

pub static HEIGHT_FIELD: Form = Form {
    title: "a height field",
    help: "A grid of heights about the origin.",
    fields: &[
        field("rows", Kind::Whole, "Heights along z (with z up: along -y)"),
        field("columns", Kind::Whole, "Heights along x"),
        field("size", Kind::Several(2, &LENGTH), "Lengths along the columns and the rows"),
        field("heights", Kind::List(&LENGTH), "The heights, row after row"),
        field("holes", Kind::List(&Kind::Flag), "For every cell whether it is a hole"),
        field("materials", Kind::List(&Kind::Whole), "For every cell a slot of the collider's materials"),
        field("flat_angle", ANGLE, "Edges flatter than this are not felt"),
    ],
    also: &[],
};

pub static CHILD: Form = Form {
    title: "a part of a compound",
    help: "A shape and where it is.",
    fields: &[
        field("at", POINT, "Where it is"),
        field("rotation", Kind::Rotation, "How it is turned"),
        field("slot", Kind::Whole, "Slot of the collider's materials"),
        field("density", Kind::Number(Dimension::DENSITY), "Its own density"),
    ],
    also: &[&SHAPE],
};

pub static BODY: Form = Form {
    title: "a body",
    help: "A body. A shape may stand in it directly, with what else a collider has; several stand in `colliders`.",
    fields: &[
        field("kind", Kind::Choice(&["dynamic", "fixed", "kinematic"]), "How it moves; dynamic by default"),
        field("at", POINT, "Where the origin of its frame is"),
        field("rotation", Kind::Rotation, "How its frame is turned"),
        field("velocity", Kind::Vector(Dimension::LENGTH), "Velocity of the origin of its frame, per second"),
        field("angular_velocity", Kind::Vector(Dimension::ANGLE), "Angular velocity, per second"),
        field("locks", Kind::List(&Kind::Choice(LOCKS)), "Motions it must not make"),
    ],
    also: &[&SUBSTANCE, &SURFACE, &SHAPE, &REPEAT],
};

/// What bodies and links have in common.
pub static SUBSTANCE: Form = Form {
    title: "the substance",
    help: "What bodies and links have in common.",
    fields: &[
        field("name", Kind::Text, "Its name, which no other body has"),
        field("mass", Kind::Number(Dimension::MASS), "Its mass; by default from shapes and densities"),
        field("mass_properties", Kind::Table(&MASS_PROPERTIES), "Mass, centre and inertia as given"),
        field("mass_shape", Kind::Table(&MASS_SHAPE), "Mass from another shape than that which collides"),
        field("linear_damping", PLAIN, "Share of the velocity lost per second"),
        field("angular_damping", PLAIN, "Share of the angular velocity lost per second"),
        field("gravity_scale", PLAIN, "Multiplies gravity"),
        field("max_speed", LENGTH, "It is never faster"),
        field("max_angular_speed", ANGLE, "It never turns faster"),
        field("force", Kind::Vector(Dimension::FORCE), "A force that stays"),
        field("torque", Kind::Vector(Dimension::TORQUE), "A torque that stays"),
        field("active", Kind::Flag, "An inactive body neither moves nor touches anything"),
        field("debug", Kind::Flag, "It appears in the debug geometry"),
        field("can_sleep", Kind::Flag, "It may fall asleep"),
        field("bullet", Kind::Flag, "Continuous detection also against other dynamic bodies"),
        field("user_data", Kind::Whole, "Anything that a program wants to find again"),
        field(
            "colliders",
            Kind::List(&Kind::Table(&COLLIDER)),
            "Its colliders, where there are several or one off the origin",
        ),
    ],
    also: &[],
};

pub const LOCKS: &[&str] = &["move-x", "move-y", "move-z", "turn-x", "turn-y", "turn-z", "move", "turn"];

/// What a collider is besides its shape and place.
pub static SURFACE: Form = Form {
    title: "the surface of a collider",
    help: "What a collider is besides its shape and place.",
    fields: &[
        field("material", Kind::Either(&[Kind::Text, Kind::Table(&MATERIAL)]), "A material by name, or one of its own"),
        field(
            "materials",
            Kind::List(&Kind::Either(&[Kind::Text, Kind::Table(&MATERIAL)])),
            "Materials by slot, for meshes, height fields and compounds",
        ),
        field("friction", PLAIN, "Friction of a material of its own"),
        field("restitution", PLAIN, "Restitution of a material of its own"),
        field("density", Kind::Number(Dimension::DENSITY), "Density instead of the material's"),
        field("layers", Kind::Table(&LAYERS), "Whom it meets"),
        field("sensor", Kind::Flag, "It reports what overlaps it and stops nothing"),
        field("collides", Kind::Flag, "Off, it only gives mass"),
        field("hooked", Kind::Flag, "Its contacts are shown to the contact hook"),
        field("contact_events", Kind::Flag, "Contacts that begin and end are reported"),
        field("impact_speed", LENGTH, "Impacts this fast are reported"),
    ],
    also: &[],
};

pub static COLLIDER: Form = Form {
    title: "a collider",
    help: "A shape on a body.",
    fields: &[
        field("at", POINT, "Where the shape is in the body's frame"),
        field("rotation", Kind::Rotation, "How it is turned there"),
        field("user_data", Kind::Whole, "Anything that a program wants to find again"),
    ],
    also: &[&SURFACE, &SHAPE],
};

pub static LAYERS: Form = Form {
    title: "the layers of a collider",
    help: "Bits: two colliders meet where each is a member of a layer that the other meets.",
    fields: &[
        field("member", Kind::Whole, "Layers it belongs to, as bits; 1 by default"),
        field("meets", Kind::Whole, "Layers it meets, as bits; all by default"),
    ],
    also: &[],
};

pub static MASS_PROPERTIES: Form = Form {
    title: "mass properties",
    help: "Mass, centre and inertia in the body's frame.",
    fields: &[
        field("mass", Kind::Number(Dimension::MASS), "Mass"),
        field("centre", POINT, "Centre of mass"),
        field("inertia", Kind::List(&TORQUE), "About the centre: xx, yy, zz and, where they are not zero, xy, xz, yz"),
    ],
    also: &[],
};

pub static MASS_SHAPE: Form = Form {
    title: "a mass shape",
    help: "A shape that gives mass and meets nothing.",
    fields: &[
        field("at", POINT, "Where it is in the body's frame"),
        field("rotation", Kind::Rotation, "How it is turned there"),
        field("density", Kind::Number(Dimension::DENSITY), "Its density"),
    ],
    also: &[&SHAPE],
};

pub static TURN: Form = Form {
    title: "a rotation",
    help: "About an axis by an angle.",
    fields: &[
        field("axis", Kind::Direction, "The axis"),
        field("angle", ANGLE, "The angle, counter-clockwise seen against the axis"),
    ],
    also: &[],
};

pub static EXCLUDE: Form = Form {
    title: "an excluded pair",
    help: "Two bodies that never touch.",
    fields: &[field("bodies", Kind::Several(2, &Kind::Text), "The two")],
    also: &[&REPEAT],
};

pub static CUE: Form = Form {
    title: "a cue",
    help: "What is done to the world at a set time.",
    fields: &[
        field("at", PLAIN, "When, in seconds: before the first step that begins then or later"),
        field("activate", Kind::List(&Kind::Text), "Joints, by name, that begin to hold"),
        field("release", Kind::List(&Kind::Text), "Joints, by name, that let go"),
        field("remove", Kind::List(&Kind::Text), "Bodies that are taken away"),
    ],
    also: &[],
};

pub static CHECK: Form = Form {
    title: "a check",
    help: "What should happen, with a number that a broken engine misses.",
    fields: &[
        field("name", Kind::Text, "Its name, in kebab-case"),
        field("statement", Kind::Text, "What should happen, and what the figure means"),
        field("unit", Kind::Text, "Unit of the figure, for people"),
        field("measure", Kind::Text, "The figure, as an expression over the world"),
        field("at_most", PLAIN, "The figure is not above this"),
        field("at_least", PLAIN, "The figure is not below this"),
        field("from", PLAIN, "Seconds from which on it counts"),
        field("until", PLAIN, "Seconds until which it counts"),
        field("at_end", Kind::Flag, "Only the end of the run counts"),
    ],
    also: &[],
};

pub use super::forms_of_joints::{EFFECT, JOINT};
pub use super::forms_of_links::{ARTICULATION, LINK};

/// The key that chooses among the kinds of a form, and their forms; nothing where there is one kind only.
pub fn kinds_of(form: &Form) -> Option<(&'static str, &'static [(&'static str, &'static Form)])> {
    if std::ptr::eq(form, &JOINT) {
        Some(("kind", super::forms_of_joints::JOINT_KINDS))
    } else if std::ptr::eq(form, &EFFECT) {
        Some(("kind", super::forms_of_joints::EFFECT_KINDS))
    } else if std::ptr::eq(form, &LINK) {
        Some(("joint", super::forms_of_links::LINK_KINDS))
    } else {
        None
    }
}
