//! Lines and points that any viewer can draw.

use super::World;
use crate::body::BodyKind;
use crate::math::{Float, Num, Point, Real, Vec3, WorldPose};
use crate::shape::Shape;
use crate::{ContactRef, JointRef};

/// A line with a colour (red, green, blue, opacity).
///
/// ```
/// use tumble::{DebugLine, math::Point};
/// let red = DebugLine { from: Point::ZERO, to: Point::X, colour: [255, 0, 0, 255] };
/// assert_eq!((red.to - red.from).length(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugLine {
    /// One end.
    pub from: Point,
    /// The other end.
    pub to: Point,
    /// Red, green, blue, opacity.
    pub colour: [u8; 4],
}

/// A point with a colour (red, green, blue, opacity).
///
/// ```
/// use tumble::{DebugPoint, math::Point};
/// let white = DebugPoint { at: Point::Y, colour: [255; 4] };
/// assert_eq!(white.at.y, 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugPoint {
    /// Where.
    pub at: Point,
    /// Red, green, blue, opacity.
    pub colour: [u8; 4],
}

/// What to draw.
///
/// ```
/// use tumble::{BodyDesc, DebugLayers, World};
/// let mut world = World::new();
/// world.add_body(BodyDesc::dynamic().linear_velocity([1.0, 0.0, 0.0])).unwrap();
/// let only_velocities = DebugLayers { shapes: false, frames: false, velocities: true, ..DebugLayers::default() };
/// assert_eq!(world.debug_geometry(only_velocities).lines.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugLayers {
    /// Outlines of shapes.
    pub shapes: bool,
    /// Boxes around colliders.
    pub bounds: bool,
    /// Axes of body frames, and centres of mass.
    pub frames: bool,
    /// Velocities of centres of mass, one second long.
    pub velocities: bool,
    /// User forces, a metre for ten newtons per kilogram.
    pub forces: bool,
    /// Joints: from the centres of mass to the frames, and the gap between them.
    pub joints: bool,
    /// Contacts: their points, and from each the normal, longer by a metre for every m/s that the push gives the heavier body in a step.
    pub contacts: bool,
}

impl Default for DebugLayers {
    fn default() -> Self {
        Self {
            shapes: true,
            bounds: false,
            frames: true,
            velocities: false,
            forces: false,
            joints: true,
            contacts: false,
        }
    }
}

impl DebugLayers {
    /// Everything.
    pub const ALL: Self =
        Self { shapes: true, bounds: true, frames: true, velocities: true, forces: true, joints: true, contacts: true };
}

/// Lines and points.
///
/// ```
/// use tumble::{BodyDesc, DebugLayers, World, shape::Shape};
/// let mut world = World::new();
/// world.add_body(BodyDesc::dynamic().collider(Shape::sphere(0.5).unwrap())).unwrap();
/// let picture = world.debug_geometry(DebugLayers::default());
/// for line in &picture.lines {
///     // draw(line.from, line.to, line.colour)
///     assert!((line.to - line.from).length() < 1.0);
/// }
/// assert_eq!(picture.points.len(), 1); // the centre of mass
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DebugGeometry {
    /// Lines.
    pub lines: Vec<DebugLine>,
    /// Points.
    pub points: Vec<DebugPoint>,
}

const FIXED: [u8; 4] = [110, 140, 220, 255];
const KINEMATIC: [u8; 4] = [220, 160, 60, 255];
const AWAKE: [u8; 4] = [90, 200, 110, 255];
const ASLEEP: [u8; 4] = [130, 130, 130, 255];
const SENSOR: [u8; 4] = [200, 90, 200, 255];
const BOUNDS: [u8; 4] = [200, 200, 80, 160];
const CENTRE: [u8; 4] = [255, 255, 255, 255];
const VELOCITY: [u8; 4] = [80, 220, 220, 255];
const FORCE: [u8; 4] = [230, 70, 70, 255];
const JOINT: [u8; 4] = [240, 190, 60, 255];
const JOINT_OFF: [u8; 4] = [120, 110, 90, 255];
const GAP: [u8; 4] = [255, 40, 40, 255];
const TOUCH: [u8; 4] = [255, 120, 30, 255];
const PUSH: [u8; 4] = [255, 210, 120, 255];
const AXES: [[u8; 4]; 3] = [[220, 60, 60, 255], [60, 200, 60, 255], [70, 90, 230, 255]];

/// Length of a contact's normal where nothing pushes, in metres.
const NORMAL: f64 = 0.05;

/// Segments of a full circle in an outline.
const CIRCLE: usize = 24;

impl World {
    /// What the engine sees, as lines and points. Bodies whose debug flag is off are left out.
    ///
    /// ```
    /// # use tumble::{BodyDesc, World, shape::Shape};
    /// # let mut world = World::new();
    /// world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(1.0, 1.0, 1.0).unwrap())).unwrap();
    /// let picture = world.debug_geometry(tumble::DebugLayers::default());
    /// assert_eq!(picture.lines.len(), 12 + 3); // the edges of the box and the axes of its frame
    /// ```
    pub fn debug_geometry(&self, layers: DebugLayers) -> DebugGeometry {
        let mut out = DebugGeometry::default();
        for id in self.body_ids() {
            let Ok(body) = self.body(id) else { continue };
            if !body.is_debug() {
                continue;
            }
            let body_colour = match body.kind() {
                BodyKind::Fixed => FIXED,
                BodyKind::Kinematic => KINEMATIC,
                BodyKind::Dynamic if body.is_asleep() || !body.is_active() => ASLEEP,
                BodyKind::Dynamic => AWAKE,
            };
            for collider in body.colliders().filter_map(|c| self.collider(c).ok()) {
                if layers.shapes {
                    let colour = if collider.is_sensor() { SENSOR } else { body_colour };
                    out.shape(collider.shape(), &collider.pose(), colour);
                }
                let bounds = collider.bounds();
                if layers.bounds && bounds.is_finite() {
                    out.cuboid(&WorldPose::from_translation(bounds.centre()), bounds.half_extents(), BOUNDS);
                }
            }
            let centre = body.centre_of_mass();
            if layers.frames {
                let frame = body.pose();
                for (axis, colour) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().zip(AXES) {
                    out.line(frame.translation, frame.transform_point(axis * 0.25), colour);
                }
                out.points.push(DebugPoint { at: centre, colour: CENTRE });
            }
            if layers.velocities && body.centre_velocity() != Vec3::ZERO {
                out.line(centre, centre + body.centre_velocity().to_f64(), VELOCITY);
            }
            if layers.forces && body.kind() == BodyKind::Dynamic && body.force() != Vec3::ZERO {
                out.line(centre, centre + body.force().to_f64() * (0.1 / body.mass()), FORCE);
            }
        }
        if layers.joints {
            for joint in self.joint_ids().filter_map(|id| self.joint(id).ok()).filter(JointRef::is_debug) {
                out.joint(&joint);
            }
        }
        if layers.contacts {
            for contact in self.contacts() {
                self.draw_contact(&contact, &mut out);
            }
        }
        out
    }

    /// Points of a contact whose bodies are both drawn, with normals as long as the push.
    fn draw_contact(&self, contact: &ContactRef<'_>, out: &mut DebugGeometry) {
        let bodies = contact.bodies().map(|id| self.body(id).ok());
        if bodies.iter().flatten().any(|b| !b.is_debug()) {
            return;
        }
        let dynamic = bodies.iter().flatten().filter(|b| b.kind() == BodyKind::Dynamic);
        let heavier = dynamic.fold(0.0, |heavier, b| Num::max(b.mass(), heavier));
        for point in contact.points() {
            out.points.push(DebugPoint { at: point.position, colour: TOUCH });
            let push = if heavier > 0.0 { point.impulse.to_f64() / heavier } else { 0.0 };
            out.line(point.position, point.position + point.normal.to_f64() * (NORMAL + push), PUSH);
        }
    }
}

impl DebugGeometry {
    /// From the centre of each body that is not the world to the frame on it, the axis, and the gap between the frames.
    fn joint(&mut self, joint: &JointRef<'_>) {
        let colour = if joint.is_active() { JOINT } else { JOINT_OFF };
        let frames = joint.frames();
        for (body, frame) in joint.bodies().into_iter().zip([&frames.a, &frames.b]) {
            if body != World::BODY {
                self.line(frame.position - frame.arm.to_f64(), frame.position, colour);
            }
        }
        let b = &frames.b;
        self.line(b.position, b.position + (b.axes().x * 0.2).to_f64(), AXES[0]);
        self.line(frames.a.position, b.position, GAP);
        self.points.push(DebugPoint { at: b.position, colour });
    }

    fn line(&mut self, from: Point, to: Point, colour: [u8; 4]) {
        self.lines.push(DebugLine { from, to, colour });
    }

    fn cuboid(&mut self, pose: &WorldPose, half: Vec3, colour: [u8; 4]) {
        let corner = |i: usize| {
            let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
            pose.transform_point(Vec3::new(half.x * sign(1), half.y * sign(2), half.z * sign(4)))
        };
        for i in 0..8 {
            for bit in [1, 2, 4] {
                if i & bit == 0 {
                    self.line(corner(i), corner(i | bit), colour);
                }
            }
        }
    }

    fn triangle(&mut self, triangle: Option<crate::shape::Triangle>, pose: &WorldPose, colour: [u8; 4]) {
        let Some(t) = triangle else { return };
        for i in 0..3 {
            self.line(pose.transform_point(t.corners[i]), pose.transform_point(t.corners[(i + 1) % 3]), colour);
        }
    }

    /// An arc about `axis` (0, 1, 2) through `centre`, from `start` over `turn` radians.
    fn arc(&mut self, pose: &WorldPose, centre: Vec3, axis: usize, radius: Real, span: (Real, Real), colour: [u8; 4]) {
        let (start, turn) = span;
        let steps = ((turn / (2.0 * Real::PI) * CIRCLE as Real).ceil() as usize).max(1);
        let at = |i: usize| {
            let angle = start + turn * i as Real / steps as Real;
            let mut p = centre;
            p[(axis + 1) % 3] += radius * Float::cos(angle);
            p[(axis + 2) % 3] += radius * Float::sin(angle);
            pose.transform_point(p)
        };
        for i in 0..steps {
            self.line(at(i), at(i + 1), colour);
        }
    }

    fn circle(&mut self, pose: &WorldPose, centre: Vec3, axis: usize, radius: Real, colour: [u8; 4]) {
        self.arc(pose, centre, axis, radius, (0.0, 2.0 * Real::PI), colour);
    }

    fn shape(&mut self, shape: &Shape, pose: &WorldPose, colour: [u8; 4]) {
        let local = |p: Vec3| pose.transform_point(p);
        match shape {
            Shape::Sphere(s) => {
                for axis in 0..3 {
                    self.circle(pose, Vec3::ZERO, axis, s.radius(), colour);
                }
            }
            Shape::Cuboid(c) => self.cuboid(pose, c.half_extents(), colour),
            Shape::Capsule(c) => {
                let (h, r) = (c.half_length(), c.radius());
                for y in [-h, h] {
                    self.circle(pose, Vec3::new(0.0, y, 0.0), 1, r, colour);
                }
                for (x, z) in [(r, 0.0), (-r, 0.0), (0.0, r), (0.0, -r)] {
                    self.line(local(Vec3::new(x, -h, z)), local(Vec3::new(x, h, z)), colour);
                }
                // The half circles of the ends: about x from +y to -y, about z from +x to -x.
                self.arc(pose, Vec3::new(0.0, h, 0.0), 0, r, (-Real::PI / 2.0, Real::PI), colour);
                self.arc(pose, Vec3::new(0.0, h, 0.0), 2, r, (0.0, Real::PI), colour);
                self.arc(pose, Vec3::new(0.0, -h, 0.0), 0, r, (Real::PI / 2.0, Real::PI), colour);
                self.arc(pose, Vec3::new(0.0, -h, 0.0), 2, r, (Real::PI, Real::PI), colour);
            }
            Shape::Cylinder(c) => {
                let (h, r) = (c.half_height(), c.radius());
                for y in [-h, h] {
                    self.circle(pose, Vec3::new(0.0, y, 0.0), 1, r, colour);
                }
                for (x, z) in [(r, 0.0), (-r, 0.0), (0.0, r), (0.0, -r)] {
                    self.line(local(Vec3::new(x, -h, z)), local(Vec3::new(x, h, z)), colour);
                }
            }
            Shape::Cone(c) => {
                let (h, r) = (c.half_height(), c.radius());
                self.circle(pose, Vec3::new(0.0, -h, 0.0), 1, r, colour);
                for (x, z) in [(r, 0.0), (-r, 0.0), (0.0, r), (0.0, -r)] {
                    self.line(local(Vec3::new(x, -h, z)), local(Vec3::new(0.0, h, 0.0)), colour);
                }
            }
            Shape::Hull(hull) => {
                let (vertices, edges) = (hull.vertices(), hull.edges());
                for edge in edges.iter().filter(|e| e.origin < edges[e.twin as usize].origin) {
                    let end = edges[edge.twin as usize].origin;
                    self.line(local(vertices[edge.origin as usize]), local(vertices[end as usize]), colour);
                }
            }
            Shape::HalfSpace(p) => {
                let (x, y) = p.normal().tangents();
                let centre = p.normal() * p.offset();
                for i in -5..=5 {
                    let t = i as Real;
                    self.line(local(centre + x * t - y * 5.0), local(centre + x * t + y * 5.0), colour);
                    self.line(local(centre + y * t - x * 5.0), local(centre + y * t + x * 5.0), colour);
                }
            }
            Shape::Rectangle(r) => {
                let (x, z) = (r.half_x(), r.half_z());
                let corners = [(x, z), (-x, z), (-x, -z), (x, -z)].map(|(x, z)| local(Vec3::new(x, 0.0, z)));
                for i in 0..4 {
                    self.line(corners[i], corners[(i + 1) % 4], colour);
                }
            }
            Shape::Mesh(mesh) => {
                for i in 0..mesh.triangle_count() {
                    self.triangle(mesh.get(i), pose, colour);
                }
            }
            Shape::HeightField(field) => {
                for i in 0..field.triangle_count() {
                    self.triangle(field.get(i), pose, colour);
                }
            }
            Shape::Compound(compound) => {
                for child in compound.children() {
                    self.shape(&child.shape, &(*pose * child.pose), colour);
                }
            }
        }
    }
}
