//! Flat lists as text.

use super::{Body, Collider, Flat, Freedom, Joint, Motion, Pose, Shape};
use crate::error::{Error, Result};
use core::fmt;
use core::str::SplitAsciiWhitespace;

/// The most entries of a list for which room is made before they are seen: a wrong count must not take all memory.
const TRUSTED: usize = 1 << 16;

impl fmt::Display for Flat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "tumble-flat {}\ngravity{}\nlength {}\nshapes {}",
            if self.trees.is_empty() { 1 } else { 2 },
            Row(&self.gravity),
            self.length,
            self.shapes.len()
        )?;
        for shape in &self.shapes {
            match shape {
                Shape::Plane(normal, offset) => writeln!(f, "plane{} {offset}", Row(normal))?,
                Shape::Ball(radius) => writeln!(f, "ball {radius}")?,
                Shape::Box(half) => writeln!(f, "box{}", Row(half))?,
                Shape::Capsule(half, radius) => writeln!(f, "capsule {half} {radius}")?,
                Shape::Hull(corners) => {
                    writeln!(f, "hull {}", corners.len())?;
                    corners.iter().try_for_each(|p| writeln!(f, "{}", Row(p)))?;
                }
                Shape::Mesh(corners, triangles) => {
                    writeln!(f, "mesh {} {}", corners.len(), triangles.len())?;
                    corners.iter().try_for_each(|p| writeln!(f, "{}", Row(p)))?;
                    triangles.iter().try_for_each(|[i, j, k]| writeln!(f, "{i} {j} {k}"))?;
                }
            }
        }
        writeln!(f, "bodies {}", self.bodies.len())?;
        for body in &self.bodies {
            match &body.motion {
                Motion::Fixed => write!(f, "fixed{}", Row(&body.pose))?,
                Motion::Kinematic { velocity } => write!(f, "kinematic{}{}", Row(&body.pose), Row(velocity))?,
                Motion::Dynamic { velocity, mass, centre, inertia } => {
                    write!(f, "dynamic{}{} {mass}{}{}", Row(&body.pose), Row(velocity), Row(centre), Row(inertia))?;
                }
            }
            writeln!(f, " {}", body.colliders.len())?;
            for c in &body.colliders {
                writeln!(f, "{}{} {} {}", c.shape, Row(&c.pose), c.friction, c.restitution)?;
            }
        }
        writeln!(f, "joints {}", self.joints.len())?;
        for joint in &self.joints {
            let word = match joint.freedom {
                Freedom::Ball => "ball",
                Freedom::Hinge(..) => "hinge",
                Freedom::Fixed => "fixed",
            };
            let [a, b] = joint.bodies.map(|body| body.map_or(-1, i64::from));
            write!(f, "{word} {a} {b}{}{}", Row(&joint.frames[0]), Row(&joint.frames[1]))?;
            if let Freedom::Hinge(low, high) = joint.freedom {
                write!(f, " {low} {high}")?;
            }
            writeln!(f)?;
        }
        if !self.trees.is_empty() {
            writeln!(f, "trees {}", self.trees.len())?;
            self.trees.iter().try_for_each(|tree| write!(f, "{tree}"))?;
        }
        writeln!(f, "rays {}", self.rays.len())?;
        self.rays.iter().try_for_each(|ray| writeln!(f, "{}", Row(ray)))?;
        writeln!(f, "end")
    }
}

/// Numbers, each after a space. Rust writes them so that they are read back to the last bit.
pub struct Row<'a>(pub &'a [f64]);

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|number| write!(f, " {number}"))
    }
}

impl Flat {
    /// Reads a list. An error says which word is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let mut words = Words::new(text);
        words.expect("tumble-flat")?;
        let version: u32 = words.read("a version")?;
        if !(1..=2).contains(&version) {
            return Err(words.fault(format!("this is version {version}; this program reads 1 and 2")));
        }
        words.expect("gravity")?;
        let gravity = words.numbers()?;
        words.expect("length")?;
        let length = words.number()?;
        let shapes = words.list("shapes", Words::shape)?;
        let bodies = words.list("bodies", Words::body)?;
        let joints = words.list("joints", Words::joint)?;
        let trees = if version == 2 { words.list("trees", Words::tree)? } else { Vec::new() };
        let rays = words.list("rays", Words::numbers)?;
        words.expect("end")?;
        let flat = Self { gravity, length, shapes, bodies, joints, trees, rays };
        let shape_is_there = |c: &Collider| (c.shape as usize) < flat.shapes.len();
        if !flat.bodies.iter().flat_map(|b| &b.colliders).all(shape_is_there) {
            return Err(words.fault("a collider has a shape that is not in the list"));
        }
        let body_is_there = |b: &u32| (*b as usize) < flat.bodies.len();
        if !flat.joints.iter().flat_map(|j| j.bodies).flatten().all(|b| body_is_there(&b)) {
            return Err(words.fault("a joint has a body that is not in the list"));
        }
        if !flat.trees_are_sound() {
            return Err(words.fault("a link has a body that is not in the list, or that another link has"));
        }
        Ok(flat)
    }
}

/// Reads the list of states that an engine has come to: 13 numbers for each body.
///
/// ```
/// let states = tumble_scene::flat::states("0 1 0 0 0 0 1 0 -2 0 0 0 0\n").unwrap();
/// assert_eq!((states.len(), states[0][1], states[0][8]), (1, 1.0, -2.0));
/// assert!(tumble_scene::flat::states("0 1 0").is_err());
/// ```
pub fn states(text: &str) -> Result<Vec<[f64; 13]>> {
    let mut words = Words::new(text);
    let mut states = Vec::new();
    while words.rest.clone().next().is_some() {
        states.push(words.any_numbers()?);
    }
    Ok(states)
}

/// The words of a list, in turn.
pub struct Words<'a> {
    rest: SplitAsciiWhitespace<'a>,
    /// How many were read.
    read: u64,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text.split_ascii_whitespace(), read: 0 }
    }

    pub fn fault(&self, problem: impl Into<String>) -> Error {
        Error::Flat { word: self.read, problem: problem.into() }
    }

    pub fn word(&mut self) -> Result<&'a str> {
        self.read += 1;
        self.rest.next().ok_or_else(|| self.fault("the list ends too soon"))
    }

    pub fn expect(&mut self, wanted: &str) -> Result<()> {
        let found = self.word()?;
        if found == wanted { Ok(()) } else { Err(self.fault(format!("expected {wanted:?}, found {found:?}"))) }
    }

    pub fn read<T: core::str::FromStr>(&mut self, kind: &str) -> Result<T> {
        let found = self.word()?;
        found.parse().map_err(|_| self.fault(format!("expected {kind}, found {found:?}")))
    }

    /// A number that may be infinite or no number at all.
    fn any_number(&mut self) -> Result<f64> {
        self.read("a number")
    }

    pub fn number(&mut self) -> Result<f64> {
        let number = self.any_number()?;
        if number.is_finite() {
            Ok(number)
        } else {
            Err(self.fault(format!("expected a finite number, found {number}")))
        }
    }

    pub fn any_numbers<const N: usize>(&mut self) -> Result<[f64; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.any_number()?;
        }
        Ok(numbers)
    }

    pub fn numbers<const N: usize>(&mut self) -> Result<[f64; N]> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    pub fn count(&mut self) -> Result<usize> {
        self.read::<u32>("a count").map(|count| count as usize)
    }

    pub fn index(&mut self) -> Result<u32> {
        self.read("an index")
    }

    pub fn many<T>(&mut self, count: usize, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut list = Vec::with_capacity(count.min(TRUSTED));
        for _ in 0..count {
            list.push(one(self)?);
        }
        Ok(list)
    }

    fn list<T>(&mut self, name: &str, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect(name)?;
        let count = self.count()?;
        self.many(count, one)
    }

    fn shape(&mut self) -> Result<Shape> {
        Ok(match self.word()? {
            "plane" => Shape::Plane(self.numbers()?, self.number()?),
            "ball" => Shape::Ball(self.number()?),
            "box" => Shape::Box(self.numbers()?),
            "capsule" => Shape::Capsule(self.number()?, self.number()?),
            "hull" => {
                let corners = self.count()?;
                Shape::Hull(self.many(corners, Self::numbers)?)
            }
            "mesh" => {
                let (corners, triangles) = (self.count()?, self.count()?);
                let corners = self.many(corners, Self::numbers)?;
                Shape::Mesh(corners, self.many(triangles, |w| Ok([w.index()?, w.index()?, w.index()?]))?)
            }
            other => return Err(self.fault(format!("expected a shape, found {other:?}"))),
        })
    }

    fn body(&mut self) -> Result<Body> {
        let word = self.word()?;
        let pose: Pose = self.numbers()?;
        let motion = match word {
            "fixed" => Motion::Fixed,
            "kinematic" => Motion::Kinematic { velocity: self.numbers()? },
            "dynamic" => Motion::Dynamic {
                velocity: self.numbers()?,
                mass: self.number()?,
                centre: self.numbers()?,
                inertia: self.numbers()?,
            },
            other => return Err(self.fault(format!("expected a kind of body, found {other:?}"))),
        };
        let colliders = self.count()?;
        let colliders = self.many(colliders, |w| {
            Ok(Collider { shape: w.index()?, pose: w.numbers()?, friction: w.number()?, restitution: w.number()? })
        })?;
        Ok(Body { motion, pose, colliders })
    }

    fn joint(&mut self) -> Result<Joint> {
        let word = self.word()?;
        let body = |w: &mut Self| w.read::<i64>("an index").map(|i| u32::try_from(i).ok());
        let bodies = [body(self)?, body(self)?];
        let frames = [self.numbers()?, self.numbers()?];
        let freedom = match word {
            "ball" => Freedom::Ball,
            "hinge" => Freedom::Hinge(self.any_number()?, self.any_number()?),
            "fixed" => Freedom::Fixed,
            other => return Err(self.fault(format!("expected a kind of joint, found {other:?}"))),
        };
        Ok(Joint { freedom, bodies, frames })
    }
}
