//! What flat lists have no word for.

use super::Flat;
use tumble::articulation::ArticulationRef;
use tumble::constraint::Stiffness;
use tumble::math::{Real, Vec3};
use tumble::shape::{Shape, Sides};
use tumble::{BodyId, BodyRef, ColliderRef, JointKind, JointRef, Locks, MaterialRule, World};

/// How many things a sentence names before it only counts.
const NAMED: usize = 3;

/// What stops of joints and limits of links may have alike.
const BOUNCE: &str = "bounce at the stops";

/// A body as a user knows it: by name, else by its number in the list.
pub fn body_name(world: &World, id: BodyId) -> String {
    match world.body(id).ok().and_then(|body| body.name()) {
        Some(name) => format!("body {name:?}"),
        None => format!("body {}", world.body_ids().position(|other| other == id).unwrap_or_default()),
    }
}

/// A joint by name, else by the bodies that it ties.
pub fn joint_name(world: &World, joint: &JointRef<'_>) -> String {
    match joint.name() {
        Some(name) => format!("joint {name:?}"),
        None => {
            let of = |id| if id == World::BODY { "the world".to_owned() } else { body_name(world, id) };
            let [a, b] = joint.bodies().map(of);
            format!("the joint of {a} and {b}")
        }
    }
}

/// Properties, the first things that lose them, and how many there are.
#[derive(Default)]
struct Losses(Vec<(&'static str, Vec<String>, usize)>);

impl Losses {
    fn note(&mut self, lost: bool, property: &'static str, thing: impl FnOnce() -> String) {
        if !lost {
            return;
        }
        match self.0.iter_mut().find(|(name, ..)| *name == property) {
            Some((_, things, count)) => {
                *count += 1;
                // A name may take a search through all bodies.
                if things.len() < NAMED {
                    things.push(thing());
                }
            }
            None => self.0.push((property, vec![thing()], 1)),
        }
    }

    fn sentences(self) -> Vec<String> {
        let one = |(property, things, count): (&str, Vec<String>, usize)| {
            let more = match count.saturating_sub(things.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("a flat list has no word for the {property} of {}{more}", things.join(", "))
        };
        self.0.into_iter().map(one).collect()
    }
}

impl Flat {
    /// What [`Flat::of`] leaves out of the list of a world although it changes how things move there: one sentence for each
    /// property, which names who has it. A list of which nothing is said here is the whole world, but for its method and for
    /// what is remembered from step to step.
    ///
    /// ```
    /// use tumble::{BodyDesc, World};
    /// use tumble_scene::flat::Flat;
    /// let mut world = World::new();
    /// world.add_body(BodyDesc::dynamic().name("balloon").gravity_scale(-0.1))?;
    /// assert_eq!(Flat::losses(&world), [r#"a flat list has no word for the gravity scale of body "balloon""#]);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn losses(world: &World) -> Vec<String> {
        let mut losses = Losses::default();
        losses.note(world.method().materials != MaterialRule::default(), "rule for pairs of materials", || {
            "the method".to_owned()
        });
        losses.note(world.material_pairs().next().is_some(), "coefficients of special pairs", || {
            "the materials".to_owned()
        });
        losses.note(world.contact_hook().is_some(), "contact hook", || "the world".to_owned());
        for id in world.body_ids() {
            let Ok(body) = world.body(id) else { continue };
            body_losses(world, &body, &mut losses);
            for collider in body.colliders().filter_map(|id| world.collider(id).ok()) {
                collider_losses(world, &collider, &mut losses);
            }
        }
        for (a, b) in world.excluded_pairs() {
            let pair = || format!("{} and {}", body_name(world, a), body_name(world, b));
            losses.note(true, "exclusion from collision", pair);
        }
        for id in world.joint_ids() {
            let Ok(joint) = world.joint(id) else { continue };
            joint_losses(world, &joint, &mut losses);
        }
        for id in world.articulation_ids() {
            let Ok(tree) = world.articulation(id) else { continue };
            link_losses(world, &tree, &mut losses);
        }
        losses.sentences()
    }
}

fn body_losses(world: &World, body: &BodyRef<'_>, losses: &mut Losses) {
    let name = || body_name(world, body.id());
    let unlimited = (Real::INFINITY, Real::INFINITY);
    losses.note(body.gravity_scale() != 1.0, "gravity scale", name);
    losses.note(body.damping() != (0.0, 0.0), "damping", name);
    losses.note(body.locks() != Locks::NONE, "locks", name);
    losses.note(body.speed_limits() != unlimited, "speed limits", name);
    losses.note(body.force() != Vec3::ZERO || body.torque() != Vec3::ZERO, "constant force", name);
    losses.note(body.target().is_some(), "target", name);
    losses.note(body.is_bullet(), "flag as a bullet", name);
    losses.note(!body.can_sleep(), "ban on sleep", name);
    losses.note(!body.is_active(), "inactive state", name);
}

fn collider_losses(world: &World, collider: &ColliderRef<'_>, losses: &mut Losses) {
    let name = || body_name(world, collider.body());
    if let Ok(material) = world.material(collider.material(0)) {
        losses.note(material.surface_velocity != Vec3::ZERO, "surface velocity", name);
        losses.note(material.static_friction != material.dynamic_friction, "static friction", name);
        losses.note(material.tangential_restitution != 0.0, "tangential restitution", name);
        losses.note(material.rolling_friction != 0.0, "rolling friction", name);
        losses.note(material.spinning_friction != 0.0, "spinning friction", name);
        losses.note(material.softness.is_some(), "softness", name);
    }
    if let Shape::Mesh(mesh) = collider.shape() {
        let first = collider.material(0);
        let of_one = (0..mesh.triangle_count())
            .all(|t| mesh.get(t).is_none_or(|triangle| collider.material(triangle.material) == first));
        losses.note(!of_one, "further materials", name);
        losses.note(mesh.sides() == Sides::Two, "second side of the mesh", name);
    }
}

fn joint_losses(world: &World, joint: &JointRef<'_>, losses: &mut Losses) {
    let name = || joint_name(world, joint);
    losses.note(joint.stiffness() != Stiffness::Method, "softness", name);
    losses.note(joint.break_limits() != (Real::INFINITY, Real::INFINITY), "breaking load", name);
    if let JointKind::Hinge(hinge) = joint.kind()
        && let Some(limit) = hinge.turn.limit
    {
        losses.note(limit.restitution != 0.0, BOUNCE, name);
        losses.note(limit.stiffness != Stiffness::Method, "softness of the stops", name);
    }
}

fn link_losses(world: &World, tree: &ArticulationRef<'_>, losses: &mut Losses) {
    let of = tree.name().map_or_else(String::new, |name| format!(" of articulation {name:?}"));
    for (link, id) in tree.desc().links.iter().zip(tree.links()) {
        let bounces =
            link.dofs.iter().any(|d| d.restitution != 0.0) || link.swing.is_some_and(|s| s.restitution != 0.0);
        losses.note(bounces, BOUNCE, || format!("{}{of}", body_name(world, id)));
    }
}
