//! Descriptions from which bodies and colliders are made.

use super::{BodyKind, Layers, Locks, Material};
use crate::World;
use crate::error::{Error, Result};
use crate::id::MaterialId;
use crate::math::{Point, Pose, Quat, Real, Vec3, WorldPose};
use crate::shape::{MassProperties, Shape};

/// Where a body's mass, centre and inertia come from.
///
/// ```
/// use tumble::{BodyDesc, MassSource, World, math::{Pose, Vec3}, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let id = world.add_body(BodyDesc::dynamic().collider(Shape::cuboid(0.5, 0.5, 0.5)?))?;
/// world.body_mut(id)?.set_mass(MassSource::Total(20.0))?;
/// assert_eq!(world.body(id)?.mass(), 20.0);
/// let low = Pose::from_translation(Vec3::new(0.0, -0.4, 0.0));
/// world.body_mut(id)?.set_mass(MassSource::Shape(Shape::sphere(0.1)?, low, 7850.0))?;
/// assert!((world.body(id)?.centre_of_mass().y + 0.4).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub enum MassSource {
    /// From the colliders and their densities. A dynamic body whose colliders have no mass counts as a ball of 1 kg and
    /// 1 m across until they have.
    #[default]
    Colliders,
    /// From the colliders, scaled to this mass.
    Total(Real),
    /// As given, in the body's frame. It does not turn about an axis whose moment is zero.
    Explicit(MassProperties),
    /// From another shape, placed in the body's frame, at this density: the mass shape may differ from what collides.
    Shape(Shape, Pose, Real),
}

/// A body to be made.
///
/// ```
/// use tumble::{BodyDesc, World, shape::Shape};
/// let mut world = World::new();
/// let crate_ = BodyDesc::dynamic()
///     .name("crate-7")
///     .position([0.0, 5.0, 0.0])
///     .collider(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
/// let id = world.add_body(crate_).unwrap();
/// assert_eq!(world.body(id).unwrap().mass(), 1000.0);
/// ```
///
/// ```
/// use tumble::{BodyDesc, Locks, MassSource, World, math::{Quat, Vec3}, shape::{Geometry, MassProperties, Shape}};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// // A lift, told how to move.
/// world.add_body(BodyDesc::kinematic().linear_velocity([0.0, 0.5, 0.0]).collider(Shape::cuboid(1.0, 0.1, 1.0)?))?;
/// // A puck that slides in a plane, loses a tenth of its speed per second, and is never faster than 50 m/s.
/// let puck = BodyDesc::dynamic()
///     .turned([0.0, 1.0, 0.0], 0.3)
///     .locks(Locks::planar_y())
///     .damping(0.1, 0.1)
///     .gravity_scale(0.0)
///     .speed_limits(50.0, 100.0)
///     .mass(0.17)
///     .bullet(true)
///     .can_sleep(false)
///     .user_data(42)
///     .collider(Shape::cylinder(0.0127, 0.038)?);
/// let id = world.add_body(puck)?;
/// assert!((world.body(id)?.mass() - 0.17).abs() < 1e-6);
/// // Mass as a drawing gives it, in the frame of the body.
/// let drawing = MassProperties { mass: 3.0, ..Shape::sphere(0.2)?.mass_properties(1.0)? };
/// let turned = Quat::from_axis_angle(Vec3::X, 0.1);
/// let part = BodyDesc::dynamic().rotation(turned).angular_velocity([0.0, 0.0, 5.0]).mass_properties(drawing);
/// assert_eq!(part.mass, MassSource::Explicit(drawing));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDesc {
    /// How it moves.
    pub kind: BodyKind,
    /// Where its frame is.
    pub pose: WorldPose,
    /// Velocity of the origin of its frame; zero for a fixed body.
    pub linear_velocity: Vec3,
    /// Angular velocity in world space, rad/s; zero for a fixed body.
    pub angular_velocity: Vec3,
    /// Share of linear velocity lost per second, in the small: dv/dt = -damping v.
    pub linear_damping: Real,
    /// Share of angular velocity lost per second, in the small.
    pub angular_damping: Real,
    /// Multiplies gravity.
    pub gravity_scale: Real,
    /// Motions it must not make.
    pub locks: Locks,
    /// Its centre of mass never moves faster than this; infinite for no limit.
    pub max_linear_speed: Real,
    /// It never turns faster than this; infinite for no limit.
    pub max_angular_speed: Real,
    /// A force at the centre of mass that stays until changed. A body that is not dynamic keeps it, and feels it once it is.
    pub force: Vec3,
    /// A torque that stays until changed. A body that is not dynamic keeps it, and feels it once it is.
    pub torque: Vec3,
    /// Where its mass comes from.
    pub mass: MassSource,
    /// Its first colliders; more can be added later.
    pub colliders: Vec<ColliderDesc>,
    /// A name for people; need not be unique.
    pub name: Option<String>,
    /// Anything the user wants to find again.
    pub user_data: u64,
    /// An inactive body neither moves nor touches anything.
    pub active: bool,
    /// The body appears in the debug geometry.
    pub debug: bool,
    /// The body may fall asleep.
    pub can_sleep: bool,
    /// Continuous detection also against other dynamic bodies.
    pub bullet: bool,
}

impl Default for BodyDesc {
    fn default() -> Self {
        Self {
            kind: BodyKind::Dynamic,
            pose: WorldPose::IDENTITY,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            linear_damping: 0.0,
            angular_damping: 0.0,
            gravity_scale: 1.0,
            locks: Locks::NONE,
            max_linear_speed: Real::INFINITY,
            max_angular_speed: Real::INFINITY,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            mass: MassSource::Colliders,
            colliders: Vec::new(),
            name: None,
            user_data: 0,
            active: true,
            debug: true,
            can_sleep: true,
            bullet: false,
        }
    }
}

impl BodyDesc {
    /// A body moved by forces, contacts and joints.
    pub fn dynamic() -> Self {
        Self::default()
    }

    /// A body that never moves.
    pub fn fixed() -> Self {
        Self { kind: BodyKind::Fixed, ..Self::default() }
    }

    /// A body that moves as it is told.
    pub fn kinematic() -> Self {
        Self { kind: BodyKind::Kinematic, ..Self::default() }
    }

    /// Where the origin of its frame is.
    pub fn position(mut self, position: impl Into<Point>) -> Self {
        self.pose.translation = position.into();
        self
    }

    /// How its frame is turned.
    pub fn rotation(mut self, rotation: Quat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// Turned by `angle` radians about `axis`. An axis that is zero or not finite makes no rotation, and the body is refused when it is added.
    pub fn turned(self, axis: impl Into<Vec3>, angle: Real) -> Self {
        let axis = axis.into();
        let nothing = Quat::new(Real::NAN, Real::NAN, Real::NAN, Real::NAN);
        self.rotation(if axis.try_normalize().is_some() { Quat::from_axis_angle(axis, angle) } else { nothing })
    }

    /// Velocity of the origin of its frame.
    pub fn linear_velocity(mut self, v: impl Into<Vec3>) -> Self {
        self.linear_velocity = v.into();
        self
    }

    /// Angular velocity in world space, rad/s.
    pub fn angular_velocity(mut self, v: impl Into<Vec3>) -> Self {
        self.angular_velocity = v.into();
        self
    }

    /// Linear and angular damping, per second.
    pub fn damping(mut self, linear: Real, angular: Real) -> Self {
        self.linear_damping = linear;
        self.angular_damping = angular;
        self
    }

    /// Multiplies gravity.
    pub fn gravity_scale(mut self, scale: Real) -> Self {
        self.gravity_scale = scale;
        self
    }

    /// Motions it must not make.
    pub fn locks(mut self, locks: Locks) -> Self {
        self.locks = locks;
        self
    }

    /// Speed limits: m/s and rad/s.
    pub fn speed_limits(mut self, linear: Real, angular: Real) -> Self {
        self.max_linear_speed = linear;
        self.max_angular_speed = angular;
        self
    }

    /// Its mass; the inertia is that of the colliders, scaled.
    pub fn mass(mut self, mass: Real) -> Self {
        self.mass = MassSource::Total(mass);
        self
    }

    /// Mass, centre and inertia in the body's frame.
    pub fn mass_properties(mut self, mass: MassProperties) -> Self {
        self.mass = MassSource::Explicit(mass);
        self
    }

    /// Another collider on the body.
    pub fn collider(mut self, collider: impl Into<ColliderDesc>) -> Self {
        self.colliders.push(collider.into());
        self
    }

    /// A name for people.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Anything the user wants to find again.
    pub fn user_data(mut self, data: u64) -> Self {
        self.user_data = data;
        self
    }

    /// Continuous detection also against other dynamic bodies.
    pub fn bullet(mut self, bullet: bool) -> Self {
        self.bullet = bullet;
        self
    }

    /// Whether it may fall asleep.
    pub fn can_sleep(mut self, can_sleep: bool) -> Self {
        self.can_sleep = can_sleep;
        self
    }

    pub(crate) fn subject(&self) -> String {
        match &self.name {
            Some(name) => format!("body {name:?}"),
            None => "new body".to_owned(),
        }
    }

    pub(crate) fn validate(&self) -> Result<()> {
        let subject = self.subject();
        let finite = |property: &'static str, v: Vec3| {
            if v.is_finite() {
                Ok(())
            } else {
                Err(Error::value(&subject, property, "finite", format_args!("{:?}", v.to_array())))
            }
        };
        if !self.pose.translation.is_finite() {
            return Err(Error::value(
                &subject,
                "position",
                "finite",
                format_args!("{:?}", self.pose.translation.to_array()),
            ));
        }
        check_rotation(&subject, self.pose.rotation)?;
        finite("linear velocity", self.linear_velocity)?;
        finite("angular velocity", self.angular_velocity)?;
        if self.kind == BodyKind::Fixed {
            for (property, v) in
                [("linear velocity", self.linear_velocity), ("angular velocity", self.angular_velocity)]
            {
                if v != Vec3::ZERO {
                    let value = format_args!("{:?}; make it kinematic", v.to_array()).to_string();
                    return Err(Error::value(&subject, property, "zero for a fixed body", value));
                }
            }
        }
        finite("force", self.force)?;
        finite("torque", self.torque)?;
        check_not_negative(&subject, "linear damping", self.linear_damping)?;
        check_not_negative(&subject, "angular damping", self.angular_damping)?;
        if !self.gravity_scale.is_finite() {
            return Err(Error::value(&subject, "gravity scale", "finite", self.gravity_scale));
        }
        check_limit(&subject, "largest linear speed", self.max_linear_speed)?;
        check_limit(&subject, "largest angular speed", self.max_angular_speed)?;
        check_mass_source(&subject, &self.mass)?;
        for collider in &self.colliders {
            collider.validate(&subject)?;
        }
        Ok(())
    }
}

pub(crate) fn check_mass_source(subject: &str, source: &MassSource) -> Result<()> {
    match source {
        MassSource::Colliders => Ok(()),
        MassSource::Total(mass) => check_positive(subject, "mass", *mass),
        MassSource::Explicit(properties) => properties.validate().map_err(|e| Error::refused(subject, e)),
        MassSource::Shape(_, pose, density) => {
            check_pose(subject, "pose of the mass shape", pose)?;
            check_positive(subject, "density of the mass shape", *density)
        }
    }
}

pub(crate) fn check_positive(subject: &str, property: &'static str, v: Real) -> Result<()> {
    if v > 0.0 && v.is_finite() { Ok(()) } else { Err(Error::value(subject, property, "positive and finite", v)) }
}

pub(crate) fn check_not_negative(subject: &str, property: &'static str, v: Real) -> Result<()> {
    if v >= 0.0 && v.is_finite() { Ok(()) } else { Err(Error::value(subject, property, "finite and not negative", v)) }
}

/// Limits may be infinite, but not zero, negative or NaN.
pub(crate) fn check_limit(subject: &str, property: &'static str, v: Real) -> Result<()> {
    if v > 0.0 { Ok(()) } else { Err(Error::value(subject, property, "positive", v)) }
}

/// A rotation is taken as given to a per mille and normalised; anything farther off is refused.
pub(crate) fn check_rotation(subject: &str, q: Quat) -> Result<()> {
    let n = q.dot(q);
    if (0.998..=1.002).contains(&n) {
        Ok(())
    } else {
        Err(Error::value(subject, "rotation", "a unit quaternion", format_args!("{:?}", [q.x, q.y, q.z, q.w])))
    }
}

pub(crate) fn check_pose(subject: &str, property: &'static str, pose: &Pose) -> Result<()> {
    if !pose.translation.is_finite() {
        return Err(Error::value(subject, property, "finite", format_args!("{:?}", pose.translation.to_array())));
    }
    check_rotation(subject, pose.rotation)
}

/// A material of the world, or one of the collider's own.
///
/// ```
/// use tumble::{ColliderDesc, Material, World, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// let mut world = World::new();
/// let ice = world.add_material(Material::named("ice")?)?;
/// let floe = ColliderDesc::new(Shape::cuboid(2.0, 0.2, 2.0)?).material(ice); // shared
/// let ball = ColliderDesc::new(Shape::sphere(0.1)?).material(Material::named("rubber")?); // its own
/// # let _ = (floe, ball);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum MaterialSource {
    /// Shared: changing it changes all who use it.
    Shared(MaterialId),
    /// The collider's own.
    Own(Material),
}

impl Default for MaterialSource {
    /// The built-in material of the world.
    fn default() -> Self {
        Self::Shared(World::MATERIAL)
    }
}

impl From<MaterialId> for MaterialSource {
    fn from(id: MaterialId) -> Self {
        Self::Shared(id)
    }
}

impl From<Material> for MaterialSource {
    fn from(material: Material) -> Self {
        Self::Own(material)
    }
}

/// A shape to be placed on a body.
///
/// ```
/// use tumble::{ColliderDesc, Material, shape::Shape};
/// let tyre = ColliderDesc::new(Shape::cylinder(0.1, 0.35).unwrap())
///     .material(Material::named("rubber").unwrap())
///     .at([0.8, -0.2, 1.4]);
/// # let _ = tyre;
/// ```
///
/// ```
/// use tumble::{ColliderDesc, Layers, Material, MaterialSource, math::{Pose, Quat, Vec3}, shape::Shape};
/// # fn main() -> tumble::Result<()> {
/// // A bouncy bumper that reports hits of 2 m/s and more, but not every touch.
/// let bumper = ColliderDesc::new(Shape::capsule(0.5, 0.1)?)
///     .at([0.0, 0.2, 0.0])
///     .rotation(Quat::from_axis_angle(Vec3::Z, 1.57))
///     .friction(0.9)
///     .restitution(0.8)
///     .density(300.0)
///     .contact_events(false)
///     .impact_speed(2.0)
///     .hooked(true)
///     .user_data(7);
/// assert!(matches!(&bumper.materials[0], MaterialSource::Own(m) if m.restitution == 0.8));
/// // A sensor in a layer of its own.
/// let gate = ColliderDesc::new(Shape::cuboid(1.0, 2.0, 0.1)?)
///     .pose(Pose::from_translation(Vec3::Y))
///     .sensor(true)
///     .layers(Layers { member: 0b100, meets: 0b001 });
/// // Materials by slot, for meshes and compounds that name them.
/// let terrain = gate.clone().materials(vec![Material::named("ice")?.into(), Material::named("stone")?.into()]);
/// assert_eq!(terrain.materials.len(), 2);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderDesc {
    /// Its shape.
    pub shape: Shape,
    /// Where the shape is in the body's frame.
    pub pose: Pose,
    /// Materials by slot. Slot 0 is the whole collider's; further ones serve meshes, height fields and compounds that
    /// name slots per triangle, cell or child (a slot that is not listed counts as slot 0).
    pub materials: Vec<MaterialSource>,
    /// Overrides the material's density.
    pub density: Option<Real>,
    /// Layers it belongs to and meets.
    pub layers: Layers,
    /// A sensor reports what overlaps it and stops nothing.
    pub sensor: bool,
    /// Collision on or off; off, it only gives mass.
    pub collides: bool,
    /// Contacts of this collider are shown to the world's contact hook.
    pub hooked: bool,
    /// Contacts of this collider that began or ended are reported as events.
    pub contact_events: bool,
    /// Impacts whose normal speed is at least this are reported as events; infinite for none.
    pub impact_speed: Real,
    /// Anything the user wants to find again.
    pub user_data: u64,
}

impl ColliderDesc {
    /// The shape at the body's origin, of the built-in material of the world.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            pose: Pose::IDENTITY,
            materials: vec![MaterialSource::default()],
            density: None,
            layers: Layers::default(),
            sensor: false,
            collides: true,
            hooked: false,
            contact_events: true,
            impact_speed: Real::INFINITY,
            user_data: 0,
        }
    }

    /// Where the shape's origin is in the body's frame.
    pub fn at(mut self, translation: impl Into<Vec3>) -> Self {
        self.pose.translation = translation.into();
        self
    }

    /// How the shape is turned in the body's frame.
    pub fn rotation(mut self, rotation: Quat) -> Self {
        self.pose.rotation = rotation;
        self
    }

    /// Where the shape is in the body's frame.
    pub fn pose(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// What it is made of.
    pub fn material(mut self, material: impl Into<MaterialSource>) -> Self {
        self.materials = vec![material.into()];
        self
    }

    /// Materials by slot.
    pub fn materials(mut self, materials: Vec<MaterialSource>) -> Self {
        self.materials = materials;
        self
    }

    /// Static and dynamic friction of the collider's own material; where it has none, it gets one that is
    /// [`Material::default`] but for this.
    pub fn friction(self, friction: Real) -> Self {
        self.edit_own(|m| m.with_friction(friction))
    }

    /// Restitution of the collider's own material; where it has none, it gets one that is [`Material::default`] but for
    /// this.
    pub fn restitution(self, restitution: Real) -> Self {
        self.edit_own(|m| m.with_restitution(restitution))
    }

    /// Density, overriding the material's.
    pub fn density(mut self, density: Real) -> Self {
        self.density = Some(density);
        self
    }

    /// Layers it belongs to and meets.
    pub fn layers(mut self, layers: Layers) -> Self {
        self.layers = layers;
        self
    }

    /// A sensor reports what overlaps it and stops nothing.
    pub fn sensor(mut self, sensor: bool) -> Self {
        self.sensor = sensor;
        self
    }

    /// Shows its contacts to the world's contact hook.
    pub fn hooked(mut self, hooked: bool) -> Self {
        self.hooked = hooked;
        self
    }

    /// Whether contacts of this collider that began or ended are reported as events. A contact is reported if either of
    /// its colliders wants it.
    pub fn contact_events(mut self, events: bool) -> Self {
        self.contact_events = events;
        self
    }

    /// Reports impacts whose normal speed is at least this as events.
    pub fn impact_speed(mut self, speed: Real) -> Self {
        self.impact_speed = speed;
        self
    }

    /// Anything the user wants to find again.
    pub fn user_data(mut self, data: u64) -> Self {
        self.user_data = data;
        self
    }

    /// A shared material in slot 0 gives way: what it is made of is known to the world only, and others use it too.
    fn edit_own(mut self, edit: impl FnOnce(Material) -> Material) -> Self {
        let own = match self.materials.first_mut() {
            Some(MaterialSource::Own(m)) => core::mem::take(m),
            _ => Material::default(),
        };
        let edited = MaterialSource::Own(edit(own));
        match self.materials.first_mut() {
            Some(slot) => *slot = edited,
            None => self.materials.push(edited),
        }
        self
    }

    pub(crate) fn validate(&self, subject: &str) -> Result<()> {
        check_pose(subject, "collider's position", &self.pose)?;
        if let Some(density) = self.density {
            check_not_negative(subject, "density", density)?;
        }
        if self.impact_speed.is_nan() || self.impact_speed < 0.0 {
            return Err(Error::value(subject, "impact speed", "not negative", self.impact_speed));
        }
        for material in &self.materials {
            if let MaterialSource::Own(m) = material {
                m.validate().map_err(|e| Error::refused(subject, e))?;
            }
        }
        Ok(())
    }
}

impl From<Shape> for ColliderDesc {
    fn from(shape: Shape) -> Self {
        Self::new(shape)
    }
}
