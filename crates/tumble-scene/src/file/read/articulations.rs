//! Articulations of a file.

use super::super::forms::{ARTICULATION, LINK};
use super::super::forms_of_joints::FRAME;
use super::super::forms_of_links::{COUPLING, DOF, LINK_JOINTS, LINK_KINDS, SWING};
use super::super::record::{Record, Scope, wrong};
use super::super::text::{Fault, Item, Node, Read};
use super::super::units::{Dimension, Up};
use super::Assembly;
use super::bodies::taken;
use super::repeat::tables;
use crate::names::instead;
use tumble::BodyDesc;
use tumble::articulation::{ArticulationDesc, Coupling, Dof, LinkDesc, LinkJoint, Motor, Swing};
use tumble::math::{Quat, Vec3};

/// Whether a freedom is a way or an angle, and what that makes of what acts along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    Slide,
    Turn,
}

impl Freedom {
    pub fn coordinate(self) -> Dimension {
        match self {
            Self::Slide => Dimension::LENGTH,
            Self::Turn => Dimension::ANGLE,
        }
    }

    fn force(self) -> Dimension {
        match self {
            Self::Slide => Dimension::FORCE,
            Self::Turn => Dimension::TORQUE,
        }
    }

    /// Of springs and dampers, per metre or radian whatever the unit of angles is.
    fn spring(self) -> Dimension {
        match self {
            Self::Slide => Dimension::SPRING,
            Self::Turn => Dimension::TORQUE,
        }
    }

    fn inertia(self) -> Dimension {
        match self {
            Self::Slide => Dimension::MASS,
            Self::Turn => Dimension::TORQUE,
        }
    }
}

/// The freedoms of a joint, in the order of its velocities.
pub fn freedoms(joint: &LinkJoint) -> &'static [Freedom] {
    use Freedom::{Slide, Turn};
    match joint {
        LinkJoint::Fixed => &[],
        LinkJoint::Revolute { .. } | LinkJoint::Helical { .. } => &[Turn],
        LinkJoint::Prismatic { .. } => &[Slide],
        LinkJoint::Cylindrical { .. } => &[Turn, Slide],
        LinkJoint::Universal { .. } => &[Turn, Turn],
        LinkJoint::Planar { .. } => &[Slide, Slide, Turn],
        LinkJoint::Spherical => &[Turn, Turn, Turn],
        LinkJoint::Free => &[Slide, Slide, Slide, Turn, Turn, Turn],
    }
}

/// The links of an articulation that is being read.
#[derive(Default)]
struct Links {
    descs: Vec<LinkDesc>,
    /// Where each stands in the file.
    places: Vec<usize>,
    /// Number of the first among the bodies of the file.
    first: usize,
}

impl Links {
    /// A link by name, or by the number of its body.
    fn find(&self, node: &Node, scope: &Scope) -> Read<usize> {
        let name = scope.text(node)?;
        let number = name.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
        let found = match number {
            Some(number) => number.checked_sub(self.first).filter(|link| *link < self.descs.len()),
            None => self.descs.iter().position(|link| link.body.name.as_deref() == Some(&name)),
        };
        found.ok_or_else(|| {
            let names = self.descs.iter().filter_map(|link| link.body.name.as_deref());
            let advice = if self.descs.is_empty() {
                "the first link of a tree hangs on the world, and has no parent".to_owned()
            } else {
                instead(&name, names)
            };
            Fault::new(node.at, format!("there is no link {name:?} before this one; {advice}"))
        })
    }
}

impl Assembly<'_> {
    pub fn add_articulation(&mut self, node: &Node) -> Read<()> {
        let scope = self.scope.clone();
        let record = Record::open(node, &ARTICULATION, &scope)?;
        let mut desc = ArticulationDesc::new().self_collision(record.flag("self_collision")?.unwrap_or(false));
        desc.name = record.text("name")?;

        let mut links = Links { first: self.bodies.len(), ..Links::default() };
        for table in tables(node, "link")? {
            self.repeated(table, &mut |assembly| {
                assembly.count(table.at)?;
                let link = assembly.link(table, &links)?;
                links.descs.push(link);
                links.places.push(table.at);
                Ok(())
            })?;
        }
        if links.descs.is_empty() {
            return Err(Fault::new(node.at, "an articulation needs links; write [[articulation.link]] below it"));
        }
        for table in tables(node, "coupling")? {
            self.repeated(table, &mut |assembly| {
                assembly.count(table.at)?;
                desc.couple(coupling(table, &links, &assembly.scope)?);
                Ok(())
            })?;
        }

        let Links { descs, places, first } = links;
        let names: Vec<Option<String>> = descs.iter().map(|link| link.body.name.clone()).collect();
        desc.links = descs;
        let id = self.world.add_articulation(desc).map_err(|error| {
            let at = blamed(&error, &names, first).and_then(|link| places.get(link)).copied();
            Fault::new(at.unwrap_or(node.at), error.to_string())
        })?;
        let bodies: Vec<_> = self.world.articulation(id).map(|tree| tree.links().collect()).unwrap_or_default();
        for ((body, name), at) in bodies.into_iter().zip(names).zip(places) {
            self.enter(body, name.as_deref(), at);
        }
        Ok(())
    }

    fn link(&mut self, node: &Node, links: &Links) -> Read<LinkDesc> {
        let scope = self.scope.clone();
        let Some(kind) = node.get("joint") else {
            return Err(Fault::new(node.at, "a link needs a joint, as in joint = \"revolute\""));
        };
        let word = scope.choice(&kind.node, LINK_JOINTS)?;
        let form = LINK_KINDS.iter().find(|(name, _)| *name == word).map_or(&LINK, |(_, form)| *form);
        let record = Record::open(node, form, &scope)?;

        let body = self.substance(&record, BodyDesc::dynamic())?;
        self.enter_name(body.name.as_deref(), node.at)?;
        if let Some(name) = &body.name
            && let Some(other) = links.descs.iter().position(|link| link.body.name.as_ref() == Some(name))
            && !self.same_names
        {
            return Err(taken(name, node.at, links.places.get(other).copied().unwrap_or(node.at)));
        }
        let joint = joint(word, &record)?;
        let mut link = LinkDesc::new(body, joint);
        link.parent = record.get("parent").map(|parent| links.find(parent, &scope)).transpose()?;
        let (at, rotation) = (record.vector("at")?.unwrap_or(Vec3::ZERO), record.rotation("rotation")?);
        let rotation = rotation.unwrap_or(Quat::IDENTITY);
        // Where there is no parent, it is the world or the group that is hung on.
        let (at, rotation) = match link.parent {
            Some(_) => (at, rotation),
            None => (self.placing.point(at), self.placing.turn(rotation)),
        };
        (link.frame_on_parent.translation, link.frame_on_parent.rotation) = (at, rotation);
        link.frame_on_link.translation = record.vector("anchor")?.unwrap_or(Vec3::ZERO);
        link.frame_on_link.rotation = record.rotation("anchor_rotation")?.unwrap_or(Quat::IDENTITY);
        link.massless = record.flag("massless")?.unwrap_or(false);
        if let Some(given) = record.get("dof") {
            link.dofs = dofs(given, &scope, &joint)?;
        }
        if word == "spherical" {
            link.swing = record.record("swing")?.map(|given| swing(&given)).transpose()?;
        }
        for (name, slot) in [("position", &mut link.position), ("rest", &mut link.rest), ("target", &mut link.target)] {
            if let Some(given) = record.get(name) {
                *slot = coordinates(given, &scope, &joint)?;
            }
        }
        if let Some(given) = record.get("velocity") {
            link.velocity = velocities(given, &scope, &joint)?;
        }
        Ok(link)
    }
}

/// The link that an error of the engine is about: by its number, that of its body, or its name.
fn blamed(error: &tumble::Error, names: &[Option<String>], first: usize) -> Option<usize> {
    let (tumble::Error::Value { subject, .. } | tumble::Error::Refused { subject, .. }) = error else { return None };
    let number = |prefix: &str, end: char| subject.strip_prefix(prefix)?.split(end).next()?.parse::<usize>().ok();
    let named = |name: &Option<String>| name.as_ref().is_some_and(|name| subject.contains(&format!("{name:?}")));
    let of_body = || number("body ", 'v')?.checked_sub(first);
    number("link ", ' ').or_else(|| names.iter().position(named)).or_else(of_body)
}

fn joint(word: &str, record: &Record<'_>) -> Read<LinkJoint> {
    let axis = || Ok(record.scope.direction(record.needed("axis")?)?.to_real());
    Ok(match word {
        "revolute" => LinkJoint::Revolute { axis: axis()? },
        "prismatic" => LinkJoint::Prismatic { axis: axis()? },
        "helical" => {
            LinkJoint::Helical { axis: axis()?, lead: record.scope.real(record.needed("lead")?, Dimension::TRAVEL)? }
        }
        "cylindrical" => LinkJoint::Cylindrical { axis: axis()? },
        "universal" => {
            let node = record.needed("axes")?;
            let [first, second] = record.scope.list(node)? else {
                return Err(Fault::new(node.at, "a universal joint has two axes, as in axes = [\"x\", \"z\"]"));
            };
            let [first, second] = [record.scope.direction(first)?.to_real(), record.scope.direction(second)?.to_real()];
            LinkJoint::Universal { first, second }
        }
        "planar" => LinkJoint::Planar { normal: axis()? },
        "spherical" => LinkJoint::Spherical,
        "free" => LinkJoint::Free,
        // Only `fixed` is left.
        _ => LinkJoint::Fixed,
    })
}

/// What acts along the freedoms: one table for all, or one for each.
fn dofs(node: &Node, scope: &Scope, joint: &LinkJoint) -> Read<Vec<Dof>> {
    let freedoms = freedoms(joint);
    let mut dofs = match &node.item {
        Item::List(nodes) => {
            if nodes.len() != freedoms.len() {
                let message = format!("the joint has {} freedoms, got {} tables", freedoms.len(), nodes.len());
                return Err(Fault::new(node.at, message));
            }
            nodes.iter().zip(freedoms).map(|(node, freedom)| dof(node, scope, *freedom)).collect::<Read<Vec<_>>>()?
        }
        _ => freedoms.iter().map(|freedom| dof(node, scope, *freedom)).collect::<Read<Vec<_>>>()?,
    };
    // Where the freedoms are those of space, they are along the axes of the file.
    if scope.up == Up::Z && matches!(joint, LinkJoint::Spherical | LinkJoint::Free) {
        for [_, y, z] in dofs.as_chunks_mut::<3>().0 {
            std::mem::swap(y, z);
            (z.force, z.motor.speed) = (-z.force, -z.motor.speed);
        }
    }
    Ok(dofs)
}

fn dof(node: &Node, scope: &Scope, freedom: Freedom) -> Read<Dof> {
    let record = Record::open(node, &DOF, scope)?;
    let value = |record: &Record<'_>, name: &str, dimension: Dimension| match record.get(name) {
        Some(node) => scope.quantity(node, dimension).map(Some),
        None => Ok(None),
    };
    let or_zero = |name: &str, dimension: Dimension| Ok(value(&record, name, dimension)?.unwrap_or(0.0));
    let mut dof = Dof {
        armature: or_zero("armature", freedom.inertia())?,
        damping: or_zero("damping", freedom.spring())?,
        stiffness: or_zero("spring", freedom.spring())?,
        friction: or_zero("friction", freedom.force())?,
        limits: record.get("limit").map(|node| scope.several(node, freedom.coordinate())).transpose()?,
        restitution: or_zero("restitution", Dimension::NONE)?,
        motor: Motor::OFF,
        force: or_zero("force", freedom.force())?,
    };
    if let Some(given) = record.record("motor")? {
        let spring = value(&given, "spring", freedom.spring())?;
        // Without a spring it is a speed that is held, as hard as can be.
        let hard = if spring.is_some() { 0.0 } else { f64::INFINITY };
        dof.motor = Motor {
            stiffness: spring.unwrap_or(0.0),
            damping: value(&given, "damping", freedom.spring())?.unwrap_or(hard),
            speed: value(&given, "velocity", freedom.coordinate())?.unwrap_or(0.0),
            max_force: value(&given, "max_force", freedom.force())?.unwrap_or(f64::INFINITY),
        };
    }
    Ok(dof)
}

fn swing(record: &Record<'_>) -> Read<Swing> {
    let scope = record.scope;
    debug_assert!(std::ptr::eq(record.form, &SWING));
    Ok(Swing {
        axis: scope.direction(record.needed("axis")?)?.to_real(),
        cone: scope.quantity(record.needed("cone")?, Dimension::ANGLE)?,
        twist: record.get("twist").map(|node| scope.several(node, Dimension::ANGLE)).transpose()?,
        restitution: record.get("restitution").map_or(Ok(0.0), |node| scope.quantity(node, Dimension::NONE))?,
    })
}

/// Numbers, as many as the freedoms; one may stand alone.
fn numbers(node: &Node, scope: &Scope, freedoms: &[Freedom]) -> Read<Vec<f64>> {
    let nodes = match &node.item {
        Item::List(nodes) => nodes.as_slice(),
        Item::Number(_) | Item::Text(_) => std::slice::from_ref(node),
        other => return Err(wrong(node, "a number, or a list of them", other)),
    };
    if nodes.len() != freedoms.len() {
        let message = format!("the joint takes {}, got {}", count(freedoms.len()), nodes.len());
        return Err(Fault::new(node.at, message));
    }
    nodes.iter().zip(freedoms).map(|(node, freedom)| scope.quantity(node, freedom.coordinate())).collect()
}

fn count(numbers: usize) -> String {
    match numbers {
        0 => "no numbers".to_owned(),
        1 => "1 number".to_owned(),
        n => format!("{n} numbers"),
    }
}

/// Coordinates of a joint: what says where the link is on its parent.
fn coordinates(node: &Node, scope: &Scope, joint: &LinkJoint) -> Read<Vec<f64>> {
    let turned = |node: &Node| scope.turn::<f64>(node).map(<[f64; 4]>::from);
    match joint {
        LinkJoint::Spherical => turned(node).map(|q| q.to_vec()),
        LinkJoint::Free => {
            let (place, turn) = match &node.item {
                Item::Table(_) => {
                    let record = Record::open(node, &FRAME, scope)?;
                    let turn = record.get("rotation").map(turned).transpose()?;
                    (record.vector("at")?.unwrap_or(Vec3::ZERO), turn.unwrap_or([0.0, 0.0, 0.0, 1.0]))
                }
                Item::List(nodes) if nodes.len() == 7 => {
                    let (place, turn) = nodes.split_at(3);
                    let part = |nodes: &[Node]| Node { at: node.at, item: Item::List(nodes.to_vec()) };
                    (scope.vector(&part(place), Dimension::LENGTH)?, turned(&part(turn))?)
                }
                other => return Err(wrong(node, "{ at = .., rotation = .. }, or seven numbers,", other)),
            };
            Ok(place.to_array().into_iter().chain(turn).collect())
        }
        _ => numbers(node, scope, freedoms(joint)),
    }
}

fn velocities(node: &Node, scope: &Scope, joint: &LinkJoint) -> Read<Vec<f64>> {
    let mut values = numbers(node, scope, freedoms(joint))?;
    if matches!(joint, LinkJoint::Spherical | LinkJoint::Free) {
        for vector in values.as_chunks_mut::<3>().0 {
            *vector = scope.up.vector(*vector);
        }
    }
    Ok(values)
}

fn coupling(node: &Node, links: &Links, scope: &Scope) -> Read<Coupling> {
    let record = Record::open(node, &COUPLING, scope)?;
    let side = |link: &str, dof: &str| -> Read<((usize, usize), f64)> {
        let given = record.needed(link)?;
        let (link, number) = (links.find(given, scope)?, record.whole(dof)?.unwrap_or(0));
        let freedoms = links.descs.get(link).map_or(&[][..], |link| freedoms(&link.joint));
        let Some(freedom) = usize::try_from(number).ok().and_then(|n| freedoms.get(n)) else {
            let message = format!("the link has {} freedoms, and none of the number {number}", freedoms.len());
            return Err(Fault::new(given.at, message));
        };
        Ok(((link, number as usize), freedom.coordinate().in_si(&scope.units)))
    };
    let ((a, unit_a), (b, unit_b)) = (side("a", "dof_a")?, side("b", "dof_b")?);
    let ratio = scope.number(record.needed("ratio")?)? * (unit_b / unit_a);
    let offset = record.get("offset").map_or(Ok(0.0), |node| scope.number(node))? * unit_b;
    Ok(Coupling::new(a, b, ratio).offset(offset))
}
