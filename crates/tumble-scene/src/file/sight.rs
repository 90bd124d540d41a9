//! What a check can see of the world: the functions that its expression may call, and what patterns of names stand for.

use super::expression::{Expression, Meaning};
use super::read::freedoms;
use super::record::Scope;
use super::units::Units;
use crate::check::Gauge;
use crate::moment::Moment;
use crate::names::missing;
use crate::{Bound, Reading, Said, quality};
use std::sync::Arc;
use tumble::articulation::LinkJoint;
use tumble::math::{Float, Point, Vec3};
use tumble::{ArticulationId, BodyId, BodyKind, JointId, World};

/// Functions of the world that a check can call.
const FUNCTIONS: &[&str] = &[
    "x",
    "y",
    "z",
    "vx",
    "vy",
    "vz",
    "wx",
    "wy",
    "wz",
    "speed",
    "spin",
    "moved",
    "strayed",
    "tilt",
    "awake",
    "count",
    "value",
    "gap",
    "force",
    "coordinate",
    "rate",
    "outside",
    "energy",
    "kinetic",
    "depth",
    "contacts",
    "islands",
    "penetration",
];

/// What the functions find by name, looked up once.
#[derive(Default)]
pub struct Targets {
    bodies: Vec<(String, BodyId, Point, Vec3<f64>)>,
    joints: Vec<(String, JointId)>,
    /// Links by name, with their number in the tree.
    links: Vec<(String, ArticulationId, usize)>,
}

impl Targets {
    /// Everything in the world. A body without a name is called by its number, as `#3`.
    pub fn of(world: &World) -> Self {
        let body = |(number, id): (usize, BodyId)| {
            let body = world.body(id).ok()?;
            let name = body.name().map_or_else(|| format!("#{}", number + 1), str::to_owned);
            Some((name, id, body.position(), body.rotation().to_f64().rotate(Vec3::Y)))
        };
        let joint = |id| Some((world.joint(id).ok()?.name()?.to_owned(), id));
        Self {
            bodies: world.body_ids().filter(|id| *id != World::BODY).enumerate().filter_map(body).collect(),
            joints: world.joint_ids().filter_map(joint).collect(),
            links: links(world),
        }
    }
}

/// The world at a moment, in the units of the file.
struct Sight<'a> {
    scope: &'a Scope,
    world: &'a World,
    targets: &'a Targets,
    /// Of what a pattern names the smallest counts, not the largest.
    smallest: bool,
}

/// `*` stands for any letters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    let mut rest = rest;
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl Sight<'_> {
    /// Of two figures the one that counts; NaN is the worst.
    fn outer(&self, a: f64, b: f64) -> f64 {
        let farther = if self.smallest { b < a } else { b > a };
        if !a.is_nan() && (farther || b.is_nan()) { b } else { a }
    }

    /// The outermost of what is measured of the bodies that a pattern names.
    fn over_bodies(&self, pattern: &str, measure: impl Fn(BodyId, Point, Vec3<f64>) -> f64) -> Result<f64, String> {
        let all = self.targets.bodies.iter().filter(|(name, ..)| matches(pattern, name));
        let outermost = all.map(|(_, id, place, up)| measure(*id, *place, *up)).reduce(|a, b| self.outer(a, b));
        outermost.ok_or_else(|| missing("body", pattern, self.targets.bodies.iter().map(|b| b.0.as_str())))
    }

    fn over_joints(&self, pattern: &str, measure: impl Fn(JointId) -> f64) -> Result<f64, String> {
        let all = self.targets.joints.iter().filter(|(name, _)| matches(pattern, name));
        let outermost = all.map(|(_, id)| measure(*id)).reduce(|a, b| self.outer(a, b));
        outermost.ok_or_else(|| missing("joint", pattern, self.targets.joints.iter().map(|j| j.0.as_str())))
    }

    /// A coordinate or a velocity of the joints of the links that a pattern names, in the units and axes of the file.
    fn over_links(&self, pattern: &str, number: f64, velocity: bool) -> Result<f64, String> {
        let all = self.targets.links.iter().filter(|(name, ..)| matches(pattern, name));
        let mut outermost = None;
        for (name, id, link) in all {
            let figure = self.joint_number(*id, *link, number, velocity).ok_or_else(|| {
                format!("the joint of {name:?} has no number {} that could be asked for", crate::figure::Exact(number))
            })?;
            outermost = Some(outermost.map_or(figure, |other| self.outer(other, figure)));
        }
        outermost.ok_or_else(|| missing("link", pattern, self.targets.links.iter().map(|l| l.0.as_str())))
    }

    fn joint_number(&self, id: ArticulationId, link: usize, number: f64, velocity: bool) -> Option<f64> {
        // A tree that is gone has no figures; a number that no joint has is a mistake.
        let Ok(tree) = self.world.articulation(id) else { return Some(f64::NAN) };
        let (joint, k) = (tree.joint(link).ok()?, number as usize);
        if number < 0.0 || number.fract() != 0.0 {
            return None;
        }
        let range = if velocity { tree.dofs_of(link) } else { tree.coordinates_of(link) };
        let mut values = (if velocity { tree.velocity() } else { tree.position() }).get(range.ok()?)?.to_vec();
        if matches!(joint, LinkJoint::Spherical | LinkJoint::Free) {
            for vector in values.as_chunks_mut::<3>().0 {
                *vector = self.scope.up.back(*vector);
            }
        }
        let value = *values.get(k)?;
        // What is beyond the freedoms, and what a spherical joint has, are parts of a quaternion.
        let quaternion = !velocity && (joint == LinkJoint::Spherical || (joint == LinkJoint::Free && k >= 3));
        let unit =
            freedoms(&joint).get(k).filter(|_| !quaternion).map_or(1.0, |f| f.coordinate().in_si(&self.scope.units));
        Some(value / unit)
    }

    /// How many have their centre of mass outside of the box between two corners of the file; those that are gone count too.
    fn outside(&self, pattern: &str, low: [f64; 3], high: [f64; 3]) -> Result<f64, String> {
        let within = |id: BodyId| {
            let place =
                self.world.body(id).map_or([f64::NAN; 3], |b| self.scope.up.back(b.centre_of_mass().to_array()));
            let place = place.map(|p| p / self.scope.units.length);
            (0..3).all(|k| low[k] <= place[k] && place[k] <= high[k])
        };
        let mut named = self.targets.bodies.iter().filter(|(name, ..)| matches(pattern, name)).peekable();
        match named.peek() {
            Some(_) => Ok(named.filter(|(_, id, ..)| !within(*id)).count() as f64),
            None => self.over_bodies(pattern, |_, _, _| f64::NAN),
        }
    }

    /// A component of the velocity of the centre of mass, or of the angular velocity, along an axis of the file.
    fn component(&self, name: &str, function: &str) -> Result<f64, String> {
        let axis = if function.ends_with('x') {
            0
        } else if function.ends_with('y') {
            1
        } else {
            2
        };
        let turning = function.starts_with('w');
        let unit = if turning { self.scope.units.angle } else { self.scope.units.length };
        self.over_bodies(name, |id, _, _| {
            let velocity =
                self.world.body(id).map(|b| if turning { b.angular_velocity() } else { b.centre_velocity() });
            velocity.map_or(f64::NAN, |v| self.scope.up.back(v.to_f64().to_array())[axis] / unit)
        })
    }

    fn coordinate(&self, name: &str, axis: usize) -> Result<f64, String> {
        let length = self.scope.units.length;
        let up = self.scope.up;
        self.over_bodies(name, |id, _, _| {
            self.world.body(id).map_or(f64::NAN, |b| up.back(b.position().to_array())[axis] / length)
        })
    }
}

impl Meaning for Sight<'_> {
    fn name(&self, name: &str) -> Option<Result<f64, String>> {
        if name == "time" { Some(Ok(self.world.time())) } else { self.scope.name(name) }
    }

    fn names(&self) -> Vec<String> {
        self.scope.names().into_iter().chain(["time".to_owned()]).collect()
    }

    fn units(&self) -> Units {
        self.scope.units
    }

    fn functions(&self) -> &'static [&'static str] {
        FUNCTIONS
    }

    fn call(&self, function: &str, texts: &[String], numbers: &[f64]) -> Option<Result<f64, String>> {
        if !FUNCTIONS.contains(&function) {
            return None;
        }
        let world = self.world;
        let Units { length, mass, angle } = self.scope.units;
        let alone = ["energy", "kinetic", "depth", "contacts", "islands", "penetration"].contains(&function);
        if function == "outside" {
            return Some(match (texts, numbers) {
                ([name], &[x, y, z, far_x, far_y, far_z]) => self.outside(name, [x, y, z], [far_x, far_y, far_z]),
                _ => Err("outside takes a name and two corners: write outside('NAME', x, y, z, x, y, z)".to_owned()),
            });
        }
        if function == "gap" && texts.is_empty() && numbers.is_empty() {
            return Some(Ok(quality::gap(world) / length));
        }
        if ["coordinate", "rate"].contains(&function) {
            return Some(match (texts, numbers) {
                ([name], []) => self.over_links(name, 0.0, function == "rate"),
                ([name], [number]) => self.over_links(name, *number, function == "rate"),
                _ => {
                    Err(format!("{function} takes a link, and which number of its joint: write {function}('NAME', 0)"))
                }
            });
        }
        let name = match (texts, numbers, alone) {
            ([], [], true) => "",
            ([name], [], false) => name.as_str(),
            (_, _, true) => return Some(Err(format!("{function} takes nothing: write {function}()"))),
            _ => return Some(Err(format!("{function} takes a name: write {function}('NAME')"))),
        };
        let body = |id: BodyId| world.body(id);
        let across = |d: Vec3<f64>| (d.x * d.x + d.z * d.z).sqrt();
        Some(match function {
            "x" => self.coordinate(name, 0),
            "y" => self.coordinate(name, 1),
            "z" => self.coordinate(name, 2),
            "vx" | "vy" | "vz" | "wx" | "wy" | "wz" => self.component(name, function),
            "speed" => self.over_bodies(name, |id, _, _| {
                body(id).map_or(f64::NAN, |b| b.linear_velocity().to_f64().length() / length)
            }),
            "spin" => self.over_bodies(name, |id, _, _| {
                body(id).map_or(f64::NAN, |b| b.angular_velocity().to_f64().length() / angle)
            }),
            "moved" => self.over_bodies(name, |id, start, _| {
                body(id).map_or(f64::NAN, |b| (b.position() - start).length() / length)
            }),
            "strayed" => self
                .over_bodies(name, |id, start, _| body(id).map_or(f64::NAN, |b| across(b.position() - start) / length)),
            "tilt" => self.over_bodies(name, |id, _, up| {
                body(id).map_or(f64::NAN, |b| {
                    let now = b.rotation().to_f64().rotate(Vec3::Y);
                    libm::atan2(up.cross(now).length(), up.dot(now)) / angle
                })
            }),
            "awake" => {
                let named = self.targets.bodies.iter().filter(|(n, ..)| matches(name, n));
                let is_awake = |b: tumble::BodyRef<'_>| !b.is_asleep() && b.kind() == BodyKind::Dynamic;
                Ok(named.filter(|(_, id, ..)| body(*id).is_ok_and(is_awake)).count() as f64)
            }
            "count" => {
                Ok(self.targets.bodies.iter().filter(|(n, id, ..)| matches(name, n) && body(*id).is_ok()).count()
                    as f64)
            }
            "value" => self.over_joints(name, |id| {
                let joint = world.joint(id);
                let Ok(joint) = joint else { return f64::NAN };
                let unit = if joint.angles().is_some() { angle } else { length };
                joint.value().map_or(f64::NAN, |v| v.to_f64() / unit)
            }),
            "gap" => self.over_joints(name, |id| world.joint(id).map_or(0.0, |j| j.gap().to_f64() / length)),
            "force" => self
                .over_joints(name, |id| world.joint(id).map_or(0.0, |j| j.force().to_f64().length() / (mass * length))),
            "energy" => Ok(world.measure().energy()),
            "kinetic" => Ok(world.measure().kinetic),
            "depth" => Ok(quality::depth(world) / length),
            "contacts" => Ok(f64::from(world.profile().contacts)),
            "islands" => Ok(f64::from(world.profile().islands)),
            // Only `penetration` is left.
            _ => Ok(world.deepest_overlap().to_f64() / length),
        })
    }
}

/// A figure of the world and its bound, as an expression says it.
pub struct Measure {
    expression: Expression,
    scope: Scope,
    targets: Arc<Targets>,
    bound: Bound,
    /// A name in it stands for several, of which the largest or the smallest counts.
    several: bool,
}

impl Measure {
    /// The measure of a check, for the bodies that are there now. An error has its place in the expression.
    pub fn new(
        text: &str,
        bound: Bound,
        scope: &Scope,
        world: &World,
        targets: &Arc<Targets>,
    ) -> Result<Self, (usize, String)> {
        let several = text.split(['\'', '"']).skip(1).step_by(2).any(|name| name.contains('*'));
        let (expression, scope, targets) = (Expression::parse(text)?, scope.clone(), targets.clone());
        let measure = Self { expression, scope, targets, bound, several };
        // What cannot be found now is never found.
        measure.value(world, false)?;
        Ok(measure)
    }

    fn value(&self, world: &World, smallest: bool) -> Result<f64, (usize, String)> {
        self.expression.value(&Sight { scope: &self.scope, world, targets: &self.targets, smallest })
    }

    fn read(&self, world: &World) -> Reading {
        let figure = |smallest| self.value(world, smallest).unwrap_or(f64::NAN);
        let figure = if self.several { worse([figure(false), figure(true)], self.bound) } else { figure(false) };
        Reading { figure, bound: self.bound }
    }

    /// Looks when the check says.
    pub fn gauge(self, from: f64, until: f64, at_end: bool) -> Gauge {
        if at_end {
            return Gauge::AtEnd(Box::new(move |world| Some(self.read(world))));
        }
        let watch = move |world: &World| {
            let now = Moment::of(world);
            (now.has_come(from) && !now.has_passed(until)).then(|| self.read(world))
        };
        Gauge::Always(Box::new(watch), None)
    }
}

/// The measurements of checks that a scene says in words, which are in SI. An error names the check.
pub fn gauges(said: &[(String, Said)], world: &World) -> Result<Vec<Gauge>, (String, String)> {
    let scope = Scope::plain();
    let targets = Arc::new(if said.is_empty() { Targets::default() } else { Targets::of(world) });
    let gauge = |(name, said): &(String, Said)| {
        let Said { measure, bound, from, until, at_end } = said;
        let measure = Measure::new(measure, *bound, &scope, world, &targets);
        let measure = measure.map_err(|(at, words)| (name.clone(), format!("wrong at letter {at}: {words}")))?;
        Ok(measure.gauge(*from, *until, *at_end))
    };
    said.iter().map(gauge).collect()
}

/// The links that have names.
fn links(world: &World) -> Vec<(String, ArticulationId, usize)> {
    let mut links = Vec::new();
    for id in world.articulation_ids() {
        let Ok(tree) = world.articulation(id) else { continue };
        let name = |(link, body)| Some((world.body(body).ok()?.name()?.to_owned(), id, link));
        links.extend(tree.links().enumerate().filter_map(name));
    }
    links
}

/// Where a pattern names several, the figure that misses the bound, or comes nearer to it: with the largest of them, or with the smallest.
fn worse([a, b]: [f64; 2], bound: Bound) -> f64 {
    let beyond = |figure: f64| match bound {
        Bound::AtMost(high) => figure - high,
        Bound::AtLeast(low) => low - figure,
        Bound::Between(low, high) => (figure - high).max(low - figure),
    };
    if a.is_nan() || beyond(a) >= beyond(b) { a } else { b }
}
