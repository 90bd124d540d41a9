//! Flat lists: a world as plain text that the driver of another engine reads in a page of code.
//!
//! Every number and word is separated from the next by white space; line breaks are for people. Units are those of the engine
//! (SI, radians, y up), quaternions are x y z w, indices count from 0, and a pose is a position and a quaternion: 7 numbers.
//!
//! ```text
//! tumble-flat 1                       the name of the format and its version: 2 where there are trees
//! gravity  x y z
//! length   l                          the size of a typical body, for tolerances
//! shapes   n                          then n shapes, each one of:
//!   plane   nx ny nz offset           all points p with n·p <= offset
//!   ball    radius
//!   box     hx hy hz                  half extents
//!   capsule half-length radius        along y, round ends not counted in the half length
//!   hull    n  x y z ...              n corners
//!   mesh    n m  x y z ...  i j k ... n corners, m triangles, counter-clockwise seen from outside
//! bodies   n                          then n bodies, each one of:
//!   fixed     pose                c   c colliders follow
//!   kinematic pose velocity       c   velocity: linear x y z of the origin, angular x y z in the world; kept for ever
//!   dynamic   pose velocity mass  c   velocity: linear x y z of the centre of mass; mass: kg, centre of mass x y z in the
//!                                     frame of the body, inertia about it xx yy zz xy xz yz in the axes of that frame
//!     shape pose friction restitution a collider: which shape, where on the body
//! joints   n                          then n joints: bodies A and B (-1: the world), the pose of the joint in each, limits
//!   ball   a b pose pose              the origins of the poses stay together
//!   hinge  a b pose pose low high     and their x axes; the turn of B about x as seen from A stays between two angles, `-inf`
//!                                     and `inf` where it has no end
//!   fixed  a b pose pose              and all axes
//! trees    n                          only in version 2; then n articulations, each
//!   tree s n c                        s: 1 if links other than parent and child collide, 0 if not; n links, c couplings follow
//!   link b p m joint pose pose        a link: index of its body (mass 0 if m is 1), number of its parent in the tree or -1 for
//!                                     the world, pose of the joint on the parent and on the link; the joint is one of
//!                                     fixed, revolute x y z, prismatic x y z, helical x y z lead (m/rad), cylindrical x y z,
//!                                     universal x y z x y z, planar x y z, spherical, free
//!     q... v... q... q...             coordinates and velocities, then where springs rest and where motors lead to; as many as the
//!                                     joint has, in the order of [`LinkJoint`](tumble::articulation::LinkJoint)
//!     dof  low high k c f a t  k c v m   for each freedom: limits, spring, damper, dry friction, armature, force; then
//!                                     the motor: spring to the target, damper to the velocity v, which `inf` holds, greatest force
//!     swing 0                         or swing 1  x y z cone low high, the limits of a spherical joint
//!   couple a i b j ratio offset       freedom j of link b is ratio times freedom i of link a, and offset
//! rays     n                          then n rays, each from x y z by x y z
//! end
//! ```
//!
//! Bodies that a joint connects do not collide. Of two colliders the friction is the geometric mean and the restitution the
//! larger one; scenes for comparison give all colliders the same, so that every engine's rule comes to the same.
//!
//! Everything else that a world can have is refused or left out: force effects, sensors, layers, motors and other kinds of shapes and
//! joints are refused, since without them it is another world; surface velocities, scales of gravity, damping, locks, speed limits,
//! softness, bounces of stops, loads at which joints break and the like are left out, and [`Flat::losses`] names them.
//!
//! What came out is a list too: 13 numbers for each body in the same order: its pose, the velocity of its centre of mass, its angular
//! velocity ([`states`]).

mod coordinates;
mod loss;
mod text;
mod tree;
mod world;

pub use text::states;
pub use tree::{Link, Tree};

/// A position and a quaternion.
pub type Pose = [f64; 7];

/// A world in plain numbers.
///
/// ```
/// use tumble_scene::{flat::Flat, library};
/// # fn main() -> tumble_scene::Result<()> {
/// let run = library::find("pyramid")?.setup().set("base", 3.0)?.start()?;
/// let flat = Flat::of(run.world())?;
/// assert_eq!((flat.bodies.len(), flat.shapes.len()), (7, 2));
/// let text = flat.to_string();
/// assert!(text.starts_with("tumble-flat 1\ngravity 0 -9.8"));
/// assert_eq!(Flat::parse(&text)?, flat);
/// let mut twin = flat.build()?;
/// twin.step(1.0 / 60.0).unwrap();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Flat {
    /// Acceleration of gravity.
    pub gravity: [f64; 3],
    /// The size of a typical body.
    pub length: f64,
    /// Every shape once.
    pub shapes: Vec<Shape>,
    /// The bodies, in the order of their ids.
    pub bodies: Vec<Body>,
    /// The joints, in the order of their ids.
    pub joints: Vec<Joint>,
    /// The articulations, in the order of their ids.
    pub trees: Vec<Tree>,
    /// Rays to cast, each a start and a way.
    pub rays: Vec<[f64; 6]>,
}

/// A shape.
///
/// ```
/// use tumble_scene::flat::Shape;
/// assert_ne!(Shape::Ball(0.5), Shape::Box([0.5; 3]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Everything below a plane: its normal and offset.
    Plane([f64; 3], f64),
    /// Radius.
    Ball(f64),
    /// Half extents.
    Box([f64; 3]),
    /// Half length and radius.
    Capsule(f64, f64),
    /// Corners.
    Hull(Vec<[f64; 3]>),
    /// Corners and triangles.
    Mesh(Vec<[f64; 3]>, Vec<[u32; 3]>),
}

/// How a body moves.
///
/// ```
/// use tumble_scene::flat::Motion;
/// let turning = Motion::Kinematic { velocity: [0.0, 0.0, 0.0, 0.0, 1.0, 0.0] };
/// assert_ne!(turning, Motion::Fixed);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// At a velocity, linear and angular.
    Kinematic {
        /// Of the origin of its frame.
        velocity: [f64; 6],
    },
    /// As forces have it.
    Dynamic {
        /// Of its centre of mass.
        velocity: [f64; 6],
        /// In kg.
        mass: f64,
        /// Centre of mass.
        centre: [f64; 3],
        /// Inertia about the centre of mass: xx, yy, zz, xy, xz, yz.
        inertia: [f64; 6],
    },
}

/// A body.
///
/// ```
/// use tumble_scene::flat::{Body, Motion};
/// let post = Body { motion: Motion::Fixed, pose: [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0], colliders: Vec::new() };
/// assert!(post.colliders.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// How it moves.
    pub motion: Motion,
    /// Where it is.
    pub pose: Pose,
    /// What it is made of.
    pub colliders: Vec<Collider>,
}

/// A collider.
///
/// ```
/// use tumble_scene::flat::Collider;
/// let pose = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
/// let rough = Collider { shape: 0, pose, friction: 0.9, restitution: 0.0 };
/// assert!(rough.friction > 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// Index of its shape.
    pub shape: u32,
    /// Where it is on the body.
    pub pose: Pose,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

/// What a joint leaves free.
///
/// ```
/// use tumble_scene::flat::Freedom;
/// assert_ne!(Freedom::Hinge(-1.0, 1.0), Freedom::Ball);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Freedom {
    /// All turns.
    Ball,
    /// Turns about x between two angles.
    Hinge(f64, f64),
    /// Nothing.
    Fixed,
}

/// A joint.
///
/// ```
/// use tumble_scene::flat::{Freedom, Joint};
/// let pose = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
/// let nail = Joint { freedom: Freedom::Fixed, bodies: [None, Some(0)], frames: [pose; 2] };
/// assert_eq!(nail.bodies[0], None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// What it leaves free.
    pub freedom: Freedom,
    /// Indices of its bodies; `None` for the world.
    pub bodies: [Option<u32>; 2],
    /// Where it is on each.
    pub frames: [Pose; 2],
}
