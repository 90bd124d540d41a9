//! Worlds as files.

mod articulation;
mod exact;
mod joint;
mod method;
mod shape;
mod value;

use super::text::{Item, Node};
use super::units::{Units, Up};
use crate::error::{Error, Result};
use crate::moment::Moment;
use crate::{Bound, Camera, Cue, Run, Scene};
use std::collections::BTreeMap;
use std::fmt::Write;
use tumble::math::{Real, Vec3};
use tumble::{
    ArticulationId, BodyDesc, BodyId, BodyKind, BodyRef, ColliderDesc, Layers, Locks, MassSource, Material, MaterialId,
    MaterialSource, World,
};
use value::{Inline, list, number, numbers, point, quoted, real, text, vector};

/// The world of a run as a scene file, in metres with y up. What can be changed about the scene is decided: every body stands there as
/// it is now. The checks of a scene that came from a file stay, and of the library those that are said in words: see [`left_out`].
///
/// What is still to be done to the world at set times stays too. The file begins at 0 s, so all times of a running world are counted from now:
/// of cues, effects, functions of time and checks. Effects that are over stay inactive, and checks whose time is over are left out.
///
/// The file says what a user can say, so a world before its first step comes back to the bit, and one that is running comes back
/// without its memory of contacts.
///
/// ```
/// # fn main() -> tumble_scene::Result<()> {
/// use tumble_scene::{file, library};
/// let scene = library::find("box-stack")?;
/// let run = scene.setup().set("boxes", 3.0)?.start()?;
/// let text = file::write(&scene, &run)?;
/// let again = file::parse(text, "box-stack.toml", ".")?.setup().start()?;
/// assert_eq!(again.world().hash(), run.world().hash());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// What only code can say: custom joints and force effects, contact hooks.
pub fn write(scene: &Scene, run: &Run) -> Result<String> {
    let heading = Heading {
        name: &scene.name,
        description: &scene.description,
        seed: &scene.seed,
        seconds: run.seconds(),
        dt: run.dt(),
        camera: scene.camera,
    };
    let mut out = heading.lines(run.world());
    let now = Moment::of(run.world());
    checks(scene, run, now, &mut out);
    let mut out = finish(out, &heading, run.world())?;
    let refused = |problem: String| Error::Unwritable { scene: scene.name.to_string(), problem };
    cues(run, now, &mut out).map_err(refused)?;
    if scene.document().is_none() {
        said_checks(scene, run, now, &mut out);
    }
    Ok(out)
}

/// Any world as a scene file, with this name and time step. Times are counted from now, as by [`write()`].
///
/// ```
/// use tumble::{BodyDesc, World, shape::Shape};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::new();
/// world.add_body(BodyDesc::dynamic().name("ball").collider(Shape::sphere(0.5)?))?;
/// let text = tumble_scene::file::write_world("one-ball", &world, 1.0 / 60.0)?;
/// assert!(text.contains("sphere = 0.5"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As of [`write()`].
pub fn write_world(name: &str, world: &World, dt: f64) -> Result<String> {
    let heading = Heading { name, description: "", seed: "", seconds: 10.0, dt, camera: Camera::default() };
    finish(heading.lines(world), &heading, world)
}

/// What stands at the head of a file.
struct Heading<'a> {
    name: &'a str,
    description: &'a str,
    seed: &'a str,
    seconds: f64,
    dt: f64,
    camera: Camera,
}

impl Heading<'_> {
    fn lines(&self, world: &World) -> String {
        let mut table = Inline::default();
        table.set("format", super::FORMAT.to_string()).set("name", text(self.name));
        for (key, words) in [("description", self.description), ("seed", self.seed)] {
            if !words.is_empty() {
                table.set(key, text(words));
            }
        }
        table.set("seconds", number(self.seconds)).set("dt", number(self.dt));
        table.flag("same_names", uses(world).values().any(|count| *count > 1), false);
        let things = world.body_count() + world.joint_count() + world.effect_count() + world.excluded_pairs().count();
        // With room for articulations and their couplings.
        let most = (2 * things as u64).min(super::read::MOST_THINGS);
        if most > super::read::USUAL_THINGS {
            table.set("most", most.to_string());
        }
        let gravity = world.gravity();
        if gravity != Vec3::new(0.0, -9.81, 0.0) {
            table.set("gravity", vector(gravity));
        }
        table.lines()
    }
}

/// The file, in the order in which the world was built as far as it is known: it is part of what a world is.
fn finish(mut out: String, heading: &Heading<'_>, world: &World) -> Result<String> {
    let refused = |problem: String| Error::Unwritable { scene: heading.name.to_owned(), problem };
    if world.contact_hook().is_some() {
        return Err(refused("a contact hook, which is code".to_owned()));
    }
    let Camera { eye, target, field_of_view } = heading.camera;
    let (eye, target, view) = (numbers(eye), numbers(target), number(field_of_view));
    let _ = writeln!(out, "\n[camera]\neye = {eye}\ntarget = {target}\nfield_of_view = {view}\n");
    out += &method::method(world.method());
    let materials = materials(world, &mut out);

    let mut shapes = shape::Shapes::default();
    let mut bodies = String::new();
    let names = names(world);
    let name = |id: BodyId| names.get(&id).cloned().unwrap_or_else(|| quoted("world"));
    let mut joints = Vec::new();
    for id in world.joint_ids() {
        let Ok(view) = world.joint(id) else { continue };
        let lines = joint::joint(&view.desc(), view.local_frames(), world.time(), name).map_err(refused)?;
        joints.push((format!("[[joint]]\n{lines}\n"), view.made_before()));
    }
    let mut joints = joints.into_iter().peekable();
    let mut trees = trees(world);
    for id in world.body_ids().filter(|id| *id != World::BODY) {
        let Ok(view) = world.body(id) else { continue };
        let mut last = id;
        match trees.get_mut(&id) {
            // With its first link the whole of it was said.
            Some(None) => continue,
            Some(tree) => {
                if let Some((tree, end)) = tree.take() {
                    bodies +=
                        &articulation::articulation(world, tree, name, &materials, &mut shapes).map_err(refused)?;
                    last = end;
                }
            }
            None => {
                bodies += "[[body]]\n";
                bodies += &body(&view, &materials, &mut shapes).map_err(refused)?;
                bodies.push('\n');
            }
        }
        // What was made before the body that comes next.
        while let Some((text, _)) = joints.next_if(|(_, before)| (1..=last.index() + 1).contains(before)) {
            bodies += &text;
        }
    }
    out += &shapes.text;
    out += &bodies;
    for (a, b) in world.excluded_pairs() {
        let _ = writeln!(out, "[[exclude]]\nbodies = {}\n", list([name(a), name(b)]));
    }
    out.extend(joints.map(|(text, _)| text));
    for id in world.effect_ids() {
        let Ok(view) = world.effect(id) else { continue };
        if let Some(lines) = joint::effect(&view.desc(), world.time(), name).map_err(refused)? {
            let _ = writeln!(out, "[[effect]]\n{lines}");
        }
    }
    Ok(out)
}

/// For every link nothing, but for the first link of each articulation that, and its last link.
fn trees(world: &World) -> BTreeMap<BodyId, Option<(ArticulationId, BodyId)>> {
    let mut trees = BTreeMap::new();
    for id in world.articulation_ids() {
        let links: Vec<BodyId> = world.articulation(id).map(|tree| tree.links().collect()).unwrap_or_default();
        trees.extend(links.iter().map(|link| (*link, None)));
        if let (Some(first), Some(last)) = (links.iter().min(), links.iter().max()) {
            trees.insert(*first, Some((id, *last)));
        }
    }
    trees
}

/// All bodies in the order in which they stand in the file, which is that of their numbers: a whole tree, link by link, where its first slot is.
fn order(world: &World) -> Vec<BodyId> {
    let trees = trees(world);
    let mut order = Vec::with_capacity(world.body_count());
    for id in world.body_ids().filter(|id| *id != World::BODY) {
        match trees.get(&id) {
            Some(Some((tree, _))) => order.extend(world.articulation(*tree).iter().flat_map(|tree| tree.links())),
            Some(None) => {}
            None => order.push(id),
        }
    }
    order
}

/// How bodies are referred to: by name where it is unique, else by number.
fn names(world: &World) -> BTreeMap<BodyId, String> {
    let ids = order(world);
    let uses = uses(world);
    let refer = |(index, id): (usize, &BodyId)| {
        let name = world.body(*id).ok().and_then(|b| b.name());
        let said = match name {
            Some(name) if uses.get(name) == Some(&1) && is_plain(name) => text(name),
            _ => format!("\"#{}\"", index + 1),
        };
        (*id, said)
    };
    ids.iter().enumerate().map(refer).collect()
}

/// How many bodies have each name.
fn uses(world: &World) -> BTreeMap<&str, u32> {
    let mut uses: BTreeMap<&str, u32> = BTreeMap::new();
    for id in world.body_ids() {
        if let Ok(Some(name)) = world.body(id).map(|b| b.name()) {
            *uses.entry(name).or_default() += 1;
        }
    }
    uses
}

/// A name that a file can give.
fn is_plain(name: &str) -> bool {
    !name.starts_with('#') && name != "world"
}

/// The shared materials, and what they are called in the file.
fn materials(world: &World, out: &mut String) -> BTreeMap<MaterialId, String> {
    let mut names: BTreeMap<MaterialId, String> = BTreeMap::new();
    for (id, material) in world.shared_materials() {
        if id == World::MATERIAL {
            names.insert(id, "default".to_owned());
            if *material != Material::default() {
                let _ = writeln!(out, "[material.default]\n{}", material_table(material, None).lines());
            }
            continue;
        }
        let wanted = material.name.clone().unwrap_or_default();
        let free = !wanted.is_empty() && wanted != "default" && !names.values().any(|n| *n == wanted);
        let name = if free { wanted } else { format!("material-{}", names.len()) };
        let _ = writeln!(out, "[material.{}]\n{}", quoted(&name), material_table(material, Some(&name)).lines());
        names.insert(id, name);
    }
    for ((a, b), pair) in world.material_pairs() {
        let of = |id: MaterialId| quoted(names.get(&id).map_or("default", String::as_str));
        let mut table = Inline::default();
        table.set("materials", list([of(a), of(b)]));
        table.set("static_friction", real(pair.static_friction)).set("dynamic_friction", real(pair.dynamic_friction));
        table.set("restitution", real(pair.restitution));
        table.set("tangential_restitution", real(pair.tangential_restitution));
        table.set("rolling_friction", real(pair.rolling_friction));
        table.set("spinning_friction", real(pair.spinning_friction));
        let _ = writeln!(out, "[[pair]]\n{}", table.lines());
    }
    names
}

/// A material, which by itself is called `usual`.
fn material_table(material: &Material, usual: Option<&str>) -> Inline {
    let default = Material::default();
    let mut table = Inline::default();
    if material.name.as_deref() != usual {
        table.set("name", text(material.name.as_deref().unwrap_or_default()));
    }
    table.real("density", material.density, default.density);
    table.real("static_friction", material.static_friction, default.static_friction);
    table.real("dynamic_friction", material.dynamic_friction, default.dynamic_friction);
    table.real("restitution", material.restitution, default.restitution);
    table.real("tangential_restitution", material.tangential_restitution, 0.0);
    table.real("rolling_friction", material.rolling_friction, 0.0);
    table.real("spinning_friction", material.spinning_friction, 0.0);
    table.vector("surface_velocity", material.surface_velocity);
    if let Some(softness) = material.softness {
        let mut inner = Inline::default();
        inner.set("hertz", real(softness.hertz)).set("damping_ratio", real(softness.damping_ratio));
        table.set("softness", inner.table());
    }
    table
}

fn body(
    view: &BodyRef<'_>,
    materials: &BTreeMap<MaterialId, String>,
    shapes: &mut shape::Shapes,
) -> Result<String, String> {
    let mut desc = view.desc();
    desc.pose.translation = exact::position(view);
    desc.linear_velocity = exact::velocity(view);
    let desc = &desc;
    let mut table = Inline::default();
    name(desc, &mut table)?;
    match desc.kind {
        BodyKind::Dynamic => {}
        BodyKind::Fixed => drop(table.set("kind", quoted("fixed"))),
        BodyKind::Kinematic => drop(table.set("kind", quoted("kinematic"))),
    }
    if desc.pose.translation.to_array().map(f64::to_bits) != [0; 3] {
        table.set("at", point(desc.pose.translation));
    }
    shape::add_rotation(desc.pose.rotation, &mut table);
    table.vector("velocity", desc.linear_velocity).vector("angular_velocity", desc.angular_velocity);
    if desc.locks != Locks::NONE {
        let all = [
            (Locks::MOVE_X, "move-x"),
            (Locks::MOVE_Y, "move-y"),
            (Locks::MOVE_Z, "move-z"),
            (Locks::TURN_X, "turn-x"),
            (Locks::TURN_Y, "turn-y"),
            (Locks::TURN_Z, "turn-z"),
        ];
        table.set("locks", list(all.iter().filter(|(l, _)| desc.locks.contains(*l)).map(|(_, name)| quoted(name))));
    }
    substance(desc, materials, shapes, &mut table)?;
    Ok(table.lines())
}

/// The name of a body or link.
fn name(desc: &BodyDesc, table: &mut Inline) -> Result<(), String> {
    let Some(name) = &desc.name else { return Ok(()) };
    if !is_plain(name) {
        return Err(format!("a body called {name:?}, which has a meaning in files"));
    }
    table.set("name", text(name));
    Ok(())
}

/// What bodies and links have in common.
fn substance(
    desc: &BodyDesc,
    materials: &BTreeMap<MaterialId, String>,
    shapes: &mut shape::Shapes,
    table: &mut Inline,
) -> Result<(), String> {
    let usual = BodyDesc::default();
    match &desc.mass {
        MassSource::Colliders => {}
        MassSource::Total(mass) => drop(table.set("mass", real(*mass))),
        MassSource::Explicit(mass) => {
            let i = mass.inertia;
            let mut inner = Inline::default();
            inner.set("mass", number(mass.mass)).set("centre", point(mass.centre));
            inner.set("inertia", numbers([i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]));
            table.set("mass_properties", inner.table());
        }
        MassSource::Shape(shape, pose, density) => {
            let mut inner = Inline::default();
            let (key, value) = shapes.entry(shape)?;
            inner.set(key, value).set("density", real(*density));
            shape::add_pose(pose, &mut inner);
            table.set("mass_shape", inner.table());
        }
    }
    table.real("linear_damping", desc.linear_damping, 0.0).real("angular_damping", desc.angular_damping, 0.0);
    table.real("gravity_scale", desc.gravity_scale, 1.0);
    table.real("max_speed", desc.max_linear_speed, Real::INFINITY);
    table.real("max_angular_speed", desc.max_angular_speed, Real::INFINITY);
    table.vector("force", desc.force).vector("torque", desc.torque);
    table.flag("active", desc.active, usual.active).flag("debug", desc.debug, usual.debug);
    table.flag("can_sleep", desc.can_sleep, usual.can_sleep).flag("bullet", desc.bullet, usual.bullet);
    table.user_data(desc.user_data);
    match desc.colliders.as_slice() {
        [] => {}
        [only] if only.pose == tumble::math::Pose::IDENTITY && only.user_data == 0 => {
            collider(only, materials, shapes, table)?;
        }
        several => {
            let mut lines = String::new();
            for one in several {
                let mut inner = Inline::default();
                collider(one, materials, shapes, &mut inner)?;
                inner.vector("at", one.pose.translation);
                shape::add_rotation(one.pose.rotation, &mut inner);
                inner.user_data(one.user_data);
                let _ = writeln!(lines, "    {},", inner.table());
            }
            table.set("colliders", format!("[\n{lines}]"));
        }
    }
    Ok(())
}

fn collider(
    desc: &ColliderDesc,
    materials: &BTreeMap<MaterialId, String>,
    shapes: &mut shape::Shapes,
    table: &mut Inline,
) -> Result<(), String> {
    let (key, value) = shapes.entry(&desc.shape)?;
    table.set(key, value);
    let said = |source: &MaterialSource| match source {
        MaterialSource::Shared(id) => text(materials.get(id).map_or("default", String::as_str)),
        MaterialSource::Own(material) => {
            let inner = material_table(material, None);
            if inner.is_empty() { "{}".to_owned() } else { inner.table() }
        }
    };
    match desc.materials.as_slice() {
        [] => {}
        [MaterialSource::Shared(id)] if *id == World::MATERIAL => {}
        [one] => drop(table.set("material", said(one))),
        several => drop(table.set("materials", list(several.iter().map(said)))),
    }
    if let Some(density) = desc.density {
        table.set("density", real(density));
    }
    let usual = Layers::default();
    if desc.layers != usual {
        let mut inner = Inline::default();
        inner.set("member", desc.layers.member.to_string()).set("meets", desc.layers.meets.to_string());
        table.set("layers", inner.table());
    }
    table.flag("sensor", desc.sensor, false).flag("collides", desc.collides, true);
    table.flag("hooked", desc.hooked, false).flag("contact_events", desc.contact_events, true);
    table.real("impact_speed", desc.impact_speed, Real::INFINITY);
    Ok(())
}

/// What is still to be done to the world, in seconds from now.
fn cues(run: &Run, now: Moment, out: &mut String) -> Result<(), String> {
    let world = run.world();
    let bodies = names(world);
    let mut uses: BTreeMap<&str, u32> = BTreeMap::new();
    for name in world.joint_ids().filter_map(|id| world.joint(id).ok()?.name()) {
        *uses.entry(name).or_default() += 1;
    }
    for &(at, cue) in run.cues() {
        let joint = |id| match world.joint(id).ok().and_then(|joint| joint.name()) {
            Some(name) if uses.get(name) == Some(&1) => Ok(text(name)),
            _ => Err("a cue for a joint that has no name of its own".to_owned()),
        };
        let (key, name) = match cue {
            Cue::Activate(id) => ("activate", joint(id)?),
            Cue::Release(id) => ("release", joint(id)?),
            Cue::Remove(id) => match bodies.get(&id) {
                Some(name) => ("remove", name.clone()),
                None => continue,
            },
        };
        // One that is due may be late by a rounding.
        let _ = writeln!(out, "[[cue]]\nat = {}\n{key} = [{name}]\n", number((at - now.seconds).max(0.0)));
    }
    Ok(())
}

/// The checks of a file, word for word but for their times, with the numbers that they name. They are in the units of that file, so one with
/// others than those that are written loses them.
fn checks(scene: &Scene, run: &Run, now: Moment, out: &mut String) {
    let Some(document) = scene.document() else { return };
    if scene.checks.is_empty() {
        return;
    }
    let Some((units, up, lines)) = super::read::as_written(document, run.values(), now) else { return };
    if units != Units::SI || up != Up::Y {
        out.push_str("# The checks of the scene are left out: they are in other units than this file.\n");
        return;
    }
    let mut table = Inline::default();
    for (parameter, value) in run.values().iter() {
        table.set(&parameter.name, number(value));
    }
    if !table.is_empty() {
        let _ = writeln!(out, "parameters = {}", table.table());
    }
    *out += &lines;
}

/// The checks of a scene of the library, as far as they are said in words.
fn said_checks(scene: &Scene, run: &Run, now: Moment, out: &mut String) {
    for claim in &scene.checks {
        let Some((_, said)) = run.said().iter().find(|(name, _)| *name == claim.name) else { continue };
        if now.has_passed(said.until) {
            *out += &over(&claim.name);
            continue;
        }
        let mut table = Inline::default();
        table.set("name", quoted(&claim.name)).set("statement", quoted(&claim.statement));
        if !claim.unit.is_empty() {
            table.set("unit", quoted(&claim.unit));
        }
        table.set("measure", quoted(&from_now(&said.measure, now)));
        match said.bound {
            Bound::AtMost(high) => table.set("at_most", number(high)),
            Bound::AtLeast(low) => table.set("at_least", number(low)),
            Bound::Between(low, high) => table.set("at_least", number(low)).set("at_most", number(high)),
        };
        table.number("from", said.from - now.seconds, f64::NEG_INFINITY);
        table.number("until", said.until - now.seconds, f64::INFINITY);
        table.flag("at_end", said.at_end, false);
        let _ = writeln!(out, "[[check]]\n{}", table.lines());
    }
}

/// The line that stands for a check which has nothing more to look at.
pub fn over(check: &str) -> String {
    format!("# The check {} is left out: its time is over.\n", quoted(check))
}

/// The measure of a check in a file that begins now: `time` goes on counting from where it was.
pub fn from_now(measure: &str, now: Moment) -> String {
    if now.seconds == 0.0 {
        return measure.to_owned();
    }
    let (mut out, mut quote, mut rest) = (String::new(), None, measure);
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end.max(first.len_utf8()));
        match quote {
            None if ['\'', '"'].contains(&first) => quote = Some(first),
            Some(open) if open == first => quote = None,
            _ => {}
        }
        match word {
            "time" if quote.is_none() => out += &format!("(time + {})", number(now.seconds)),
            word => out += word,
        }
        rest = after;
    }
    out
}

/// What [`write()`] leaves out of a scene because it is code: the names of its checks, and whether something drives it.
///
/// ```
/// # fn main() -> tumble_scene::Result<()> {
/// use tumble_scene::{file, library};
/// let scene = library::find("pyramid")?;
/// assert!(file::left_out(&scene, &scene.setup().start()?).is_empty());
/// # Ok(())
/// # }
/// ```
pub fn left_out(scene: &Scene, run: &Run) -> Vec<String> {
    let mut left = Vec::new();
    if scene.document().is_none() {
        let said = |name: &str| run.said().iter().any(|(other, _)| other == name);
        let checks: Vec<String> =
            scene.checks.iter().filter(|c| !said(&c.name)).map(|c| format!("{:?}", c.name)).collect();
        match checks.as_slice() {
            [] => {}
            [one] => left.push(format!("the check {one}")),
            several => left.push(format!("the checks {}", several.join(", "))),
        }
    }
    if run.is_driven() {
        left.push("what drives it while it runs".to_owned());
    }
    left
}

/// A value of a file as it stands there.
pub fn said(node: &Node) -> String {
    match &node.item {
        Item::Flag(flag) => flag.to_string(),
        Item::Number(value) => number(*value),
        Item::Text(text) => quoted(text),
        Item::List(nodes) => list(nodes.iter().map(said)),
        Item::Table(entries) => {
            let mut table = Inline::default();
            for entry in entries {
                table.set(&quoted(&entry.key), said(&entry.node));
            }
            if table.is_empty() { "{}".to_owned() } else { table.table() }
        }
    }
}
