//! The forms of articulations: trees of links, each a body on a joint.

use super::form::{ANGLE, Form, Kind, PLAIN, POINT, field};
use super::forms::{REPEAT, SHAPE, SUBSTANCE, SURFACE};
use super::forms_of_joints::{FRAME, kinds};
use super::units::Dimension;

pub static ARTICULATION: Form = Form {
    title: "an articulation",
    help: "A tree of links on joints that cannot come apart.",
    fields: &[
        field("name", Kind::Text, "Its name"),
        field("self_collision", Kind::Flag, "Links that are not parent and child collide; off by default"),
        field("link", Kind::List(&Kind::Table(&LINK)), "Its links, parents before children"),
        field("coupling", Kind::List(&Kind::Table(&COUPLING)), "What ties two freedoms together, as gears do"),
    ],
    also: &[&REPEAT],
};

const COORDINATES: Kind = Kind::Either(&[PLAIN, Kind::List(&PLAIN), Kind::Rotation, Kind::Table(&FRAME)]);

/// What every link has; the kinds of joints add fields of their own.
pub static LINK: Form = Form {
    title: "a link",
    help: "A body, and the joint by which it hangs on its parent. Further fields depend on its joint.",
    fields: &[
        field("joint", Kind::Choice(LINK_JOINTS), "How it moves on its parent"),
        field("parent", Kind::Text, "The link that it hangs on, which stands before it; none for the world"),
        field("at", POINT, "Where the joint is on the parent; without one in the world (in a group: in the group)"),
        field("rotation", Kind::Rotation, "How the joint is turned there"),
        field("anchor", POINT, "Where the joint is on the link"),
        field("anchor_rotation", Kind::Rotation, "How the joint is turned on the link"),
        field("massless", Kind::Flag, "It has no mass of its own: a part of a joint rather than a body"),
        field(
            "dof",
            Kind::Either(&[Kind::Table(&DOF), Kind::List(&Kind::Table(&DOF))]),
            "What acts along its freedoms: a table for all alike, or one for each",
        ),
        field(
            "position",
            COORDINATES,
            "Where it begins, in coordinates of its joint: a number, a list, a rotation, or place and rotation of a free link",
        ),
        field("velocity", Kind::Either(&[PLAIN, Kind::List(&PLAIN)]), "How it moves then, along its freedoms"),
        field("rest", COORDINATES, "Coordinates at which its springs are at rest"),
        field("target", COORDINATES, "Coordinates to which its motors lead"),
    ],
    also: &[&SUBSTANCE, &SURFACE, &SHAPE, &REPEAT],
};

pub const LINK_JOINTS: &[&str] =
    &["fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free"];

kinds! { LINK_KINDS, &[&LINK, &SUBSTANCE, &SURFACE, &SHAPE, &REPEAT],
    FIXED_LINK, "fixed", "a fixed link", "Does not move on its parent.", [];
    REVOLUTE, "revolute", "a revolute link", "Turns about an axis. Coordinate: the angle.", [
        field("axis", Kind::Direction, "The axis, in the frame of the joint"),
    ];
    PRISMATIC, "prismatic", "a prismatic link", "Slides along an axis. Coordinate: the distance.", [
        field("axis", Kind::Direction, "The axis, in the frame of the joint"),
    ];
    HELICAL, "helical", "a helical link", "Turns about an axis and slides along it in proportion. Coordinate: the angle.", [
        field("axis", Kind::Direction, "The axis, in the frame of the joint"),
        field("lead", Kind::Number(Dimension::TRAVEL), "Length along the axis per angle"),
    ];
    CYLINDRICAL_LINK, "cylindrical", "a cylindrical link", "Turns about an axis and slides along it. Coordinates: angle, distance.", [
        field("axis", Kind::Direction, "The axis, in the frame of the joint"),
    ];
    UNIVERSAL_LINK, "universal", "a universal link", "Turns about an axis of the parent, then about another. Coordinates: both angles.", [
        field("axes", Kind::Several(2, &Kind::Direction), "The two axes, in the frame of the joint; the second turns with the first"),
    ];
    PLANAR_LINK, "planar", "a planar link", "Slides in a plane and turns about its normal. Coordinates: two distances, the angle.", [
        field("axis", Kind::Direction, "The normal of the plane, in the frame of the joint"),
    ];
    SPHERICAL, "spherical", "a spherical link", "Turns about a point. Coordinates: a rotation; velocity: [x, y, z] in the frame of the link.", [
        field("swing", Kind::Table(&SWING), "How far it turns"),
    ];
    FREE, "free", "a free link", "Nothing holds it; only without a parent. Coordinates: place and rotation, as { at, rotation } or seven numbers; velocity: six.", [];
}

pub static DOF: Form = Form {
    title: "a freedom of a link",
    help: "What acts along a freedom of a joint: forces and lengths where it slides, torques and angles where it turns.",
    fields: &[
        field("limit", Kind::Several(2, &PLAIN), "Least and greatest coordinate"),
        field("restitution", PLAIN, "Share of the speed with which it bounces back from its limits"),
        field("spring", PLAIN, "k in N/m or N m/rad, back to the rest of the joint"),
        field("damping", PLAIN, "c in N s/m or N m s/rad, against the velocity"),
        field("friction", PLAIN, "Dry friction: the force or torque that must be overcome"),
        field("armature", PLAIN, "Mass or inertia of what moves with the motor, as gears"),
        field("force", PLAIN, "A force or torque that stays"),
        field("motor", Kind::Table(&LINK_MOTOR), "What drives it"),
    ],
    also: &[],
};

pub static LINK_MOTOR: Form = Form {
    title: "a motor of a link",
    help: "Holds a `velocity` as hard as `max_force` allows or as softly as `damping` says; with `spring` it leads to the `target` of the link.",
    fields: &[
        field("velocity", PLAIN, "The speed to hold; 0 by default"),
        field("spring", PLAIN, "k in N/m or N m/rad, to the target"),
        field("damping", PLAIN, "c in N s/m or N m s/rad; infinite without a spring, 0 with one"),
        field("max_force", PLAIN, "Greatest force or torque; infinite by default"),
    ],
    also: &[],
};

pub static SWING: Form = Form {
    title: "a swing",
    help: "An axis of the link stays in a cone about the same axis of its parent, and the twist about it in a range.",
    fields: &[
        field("axis", Kind::Direction, "The axis, in the frame of the joint"),
        field("cone", ANGLE, "Half of the opening angle"),
        field("twist", Kind::Several(2, &ANGLE), "Least and greatest twist; any by default"),
        field("restitution", PLAIN, "Share of the speed with which it bounces back from them"),
    ],
    also: &[],
};

pub static COUPLING: Form = Form {
    title: "a coupling",
    help: "Ties two freedoms of a tree together: b = ratio × a + offset.",
    fields: &[
        field("a", Kind::Text, "A link"),
        field("b", Kind::Text, "The link that follows it"),
        field("dof_a", Kind::Whole, "Which freedom of a, from 0; 0 by default"),
        field("dof_b", Kind::Whole, "Which freedom of b, from 0; 0 by default"),
        field("ratio", PLAIN, "How much b moves for each unit of a"),
        field("offset", PLAIN, "Where b is while a is at 0; 0 by default"),
    ],
    also: &[&REPEAT],
};
