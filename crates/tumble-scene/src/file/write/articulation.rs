//! Articulations as text.

use super::value::{Inline, list, number, numbers, point, quat, quoted, real, text, vector};
use super::{exact, shape};
use std::collections::BTreeMap;
use std::fmt::Write;
use tumble::articulation::{Coupling, Dof, LinkDesc, LinkJoint, Motor};
use tumble::math::{Quat, Real, WorldPose};
use tumble::{ArticulationId, BodyId, MaterialId, World};

/// The table of an articulation with those of its links, which are called as `name` says.
pub fn articulation(
    world: &World,
    id: ArticulationId,
    name: impl Fn(BodyId) -> String,
    materials: &BTreeMap<MaterialId, String>,
    shapes: &mut shape::Shapes,
) -> Result<String, String> {
    let Ok(view) = world.articulation(id) else { return Ok(String::new()) };
    let desc = view.desc();
    let bodies: Vec<BodyId> = view.links().collect();
    let called = |link: usize| bodies.get(link).map_or_else(String::new, |id| name(*id));
    let mut table = Inline::default();
    if let Some(name) = &desc.name {
        table.set("name", text(name));
    }
    table.flag("self_collision", desc.self_collision, false);
    let mut out = format!("[[articulation]]\n{}\n", table.lines());
    for link in &desc.links {
        let mut table = Inline::default();
        super::name(&link.body, &mut table)?;
        joint(&link.joint, &mut table);
        if let Some(parent) = link.parent {
            table.set("parent", called(parent));
        }
        hang(link, &mut table);
        super::substance(&link.body, materials, shapes, &mut table)?;
        let _ = writeln!(out, "[[articulation.link]]\n{}", table.lines());
    }
    for coupling in &desc.couplings {
        let _ = writeln!(out, "[[articulation.coupling]]\n{}", coupled(coupling, called).lines());
    }
    Ok(out)
}

fn joint(joint: &LinkJoint, table: &mut Inline) {
    let word = match joint {
        LinkJoint::Fixed => "fixed",
        LinkJoint::Revolute { .. } => "revolute",
        LinkJoint::Prismatic { .. } => "prismatic",
        LinkJoint::Helical { .. } => "helical",
        LinkJoint::Cylindrical { .. } => "cylindrical",
        LinkJoint::Universal { .. } => "universal",
        LinkJoint::Planar { .. } => "planar",
        LinkJoint::Spherical => "spherical",
        LinkJoint::Free => "free",
    };
    table.set("joint", quoted(word));
    match *joint {
        LinkJoint::Fixed | LinkJoint::Spherical | LinkJoint::Free => {}
        LinkJoint::Revolute { axis } | LinkJoint::Prismatic { axis } | LinkJoint::Cylindrical { axis } => {
            table.set("axis", vector(axis));
        }
        LinkJoint::Planar { normal } => drop(table.set("axis", vector(normal))),
        LinkJoint::Helical { axis, lead } => drop(table.set("axis", vector(axis)).set("lead", real(lead))),
        LinkJoint::Universal { first, second } => drop(table.set("axes", list([first, second].map(vector)))),
    }
}

/// Where and how a link hangs.
fn hang(link: &LinkDesc, table: &mut Inline) {
    let frames = [("at", "rotation", &link.frame_on_parent), ("anchor", "anchor_rotation", &link.frame_on_link)];
    for (at, rotation, WorldPose { translation, rotation: q }) in frames {
        if translation.to_array().map(f64::to_bits) != [0; 3] {
            table.set(at, point(*translation));
        }
        // The tree keeps them as they were given, so that nothing is to be sought.
        let bits = |q: Quat| <[Real; 4]>::from(q).map(Real::to_bits);
        if bits(*q) != bits(Quat::IDENTITY) {
            table.set(rotation, quat(*q));
        }
    }
    table.flag("massless", link.massless, false);
    let said: Vec<String> = link.dofs.iter().map(|d| dof(d).table()).collect();
    match said.as_slice() {
        all if all.iter().all(|d| d == "{}") => {}
        [only] => drop(table.set("dof", only.clone())),
        _ => drop(table.set("dof", list(said))),
    }
    if let Some(swing) = &link.swing {
        let mut inner = Inline::default();
        inner.set("axis", vector(swing.axis)).set("cone", number(swing.cone));
        if let Some(twist) = swing.twist {
            inner.set("twist", list(twist.map(number)));
        }
        inner.number("restitution", swing.restitution, 0.0);
        table.set("swing", inner.table());
    }
    let position = started(link);
    let neutral: &[f64] = match link.joint {
        LinkJoint::Spherical => &[0.0, 0.0, 0.0, 1.0],
        LinkJoint::Free => &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        _ => &[0.0; 6],
    };
    let lists = [
        ("position", &position, neutral),
        ("velocity", &link.velocity, &[0.0; 6]),
        ("rest", &link.rest, neutral),
        ("target", &link.target, neutral),
    ];
    for (key, values, neutral) in lists {
        let bits = |v: &f64| v.to_bits();
        if !values.iter().map(bits).eq(neutral.iter().take(values.len()).map(bits)) {
            match values.as_slice() {
                [only] => table.set(key, number(*only)),
                several => table.set(key, list(several.iter().map(|v| number(*v)))),
            };
        }
    }
}

/// Coordinates that normalised are those of the link.
fn started(link: &LinkDesc) -> Vec<f64> {
    let mut q = link.position.clone();
    let at = match link.joint {
        LinkJoint::Spherical => 0,
        LinkJoint::Free => 3,
        _ => return q,
    };
    if let Some([x, y, z, w]) = q.get_mut(at..).and_then(|turn| turn.first_chunk_mut()) {
        [*x, *y, *z, *w] = exact::turn(Quat::new(*x, *y, *z, *w)).into();
    }
    q
}

fn dof(dof: &Dof) -> Inline {
    let Dof { armature, damping, stiffness, friction, limits, restitution, motor, force } = *dof;
    let mut table = Inline::default();
    if let Some(limits) = limits {
        table.set("limit", numbers(limits));
    }
    table.number("restitution", restitution, 0.0);
    table.number("spring", stiffness, 0.0).number("damping", damping, 0.0).number("friction", friction, 0.0);
    table.number("armature", armature, 0.0).number("force", force, 0.0);
    if motor != Motor::OFF {
        let Motor { stiffness, damping, speed, max_force } = motor;
        let mut inner = Inline::default();
        let held = stiffness == 0.0 && damping == f64::INFINITY;
        if held {
            inner.set("velocity", number(speed));
        } else {
            inner.set("spring", number(stiffness)).number("damping", damping, 0.0).number("velocity", speed, 0.0);
        }
        inner.number("max_force", max_force, f64::INFINITY);
        table.set("motor", inner.table());
    }
    table
}

fn coupled(coupling: &Coupling, called: impl Fn(usize) -> String) -> Inline {
    let Coupling { a, b, ratio, offset } = *coupling;
    let mut table = Inline::default();
    table.set("a", called(a.0)).set("b", called(b.0));
    for (key, dof) in [("dof_a", a.1), ("dof_b", b.1)] {
        if dof != 0 {
            table.set(key, dof.to_string());
        }
    }
    table.set("ratio", number(ratio)).number("offset", offset, 0.0);
    table
}
