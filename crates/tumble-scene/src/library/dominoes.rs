//! Dominoes over stairs, through a tunnel, off a diving board and into a tower.

use super::props::{Things, body, cuboid, floor, pointing, tune};
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Said, Scene, Stage, Values};
use tumble::math::{Float, Point, Quat, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, Material, World};

/// Thickness, height and breadth of a domino, in metres: ten times those of the game.
pub const DOMINO: [f64; 3] = [0.08, 0.48, 0.24];
/// From one domino to the next.
const PITCH: f64 = 0.24;
/// How much a stair is higher than the one before.
const RISE: f64 = 0.05;
/// Thickness of the diving board, and from its end to the next domino.
const BOARD: f64 = 0.04;
const LEAP: f64 = 0.34;

pub fn scene() -> Scene {
    Scene::new("dominoes", build)
        .seed("001, D8")
        .description(
            "A hundred and fifty dominoes: through a tunnel, round a bend, up and down stairs, up to a diving board from which the \
             last falls onto the next row, and into a tower that falls onto the row behind it.",
        )
        .parameter(Parameter::new("push", 2.0).range(1.5, 4.0).unit("rad/s").help("How the first is pushed"))
        .parameter(Parameter::new("friction", 0.5).range(0.3, 0.8).help("Coefficient of friction"))
        .camera(Camera::new([4.0, 5.0, 7.0], [3.5, 0.0, -2.0]))
        .check("all-fall", "All dominoes fall; how many stand", "")
        .check("in-order", "Each row falls one after the other; how many fall before the one before them", "")
        .check("waiting", "None falls before its turn: those of the last row while the first one falls; how many", "")
        .check("tower", "The tower comes down; height of its highest domino", "m")
}

/// Where the next domino comes, and what it stands on.
struct Walk {
    at: Point,
    heading: f64,
    rows: Things,
    material: Material,
    shape: Shape,
}

impl Walk {
    fn ahead(&self) -> Point {
        Point::new(Float::cos(self.heading), 0.0, Float::sin(self.heading))
    }

    fn facing(&self) -> Quat {
        Quat::from_axis_angle(Vec3::Y, Real::from_f64(-self.heading))
    }

    /// Sets a domino here and goes on by one, turning by so much on the way.
    fn domino(&mut self, stage: &mut Stage, turn: f64, spin: Real) -> Result<BodyId> {
        let at = self.at + Point::Y * (0.5 * DOMINO[1]);
        let across = Point::Y.cross(self.ahead()) * f64::from(spin);
        let desc = BodyDesc::dynamic().name(format!("domino-{}", self.rows.ids.len())).position(at);
        // Pushed about its foot: the middle moves too.
        let push = self.ahead() * (0.5 * DOMINO[1] * f64::from(spin));
        let desc = desc.rotation(self.facing()).angular_velocity(across.to_real()).linear_velocity(push.to_real());
        let id = self.rows.add(stage, desc, self.shape.clone(), self.material.clone())?;
        self.heading += 0.5 * turn;
        self.at += self.ahead() * PITCH;
        self.heading += 0.5 * turn;
        Ok(id)
    }

    fn row(&mut self, stage: &mut Stage, count: u32, turn: f64) -> Result<()> {
        (0..count).try_for_each(|_| self.domino(stage, turn, 0.0).map(|_| ()))
    }

    /// A row on stairs that go up, or down.
    fn stairs(&mut self, stage: &mut Stage, count: u32, rise: f64) -> Result<()> {
        for _ in 0..count {
            self.at.y += rise;
            self.block(stage, self.at, PITCH, self.at.y)?;
            self.domino(stage, 0.0, 0.0)?;
        }
        Ok(())
    }

    /// A row on level ground of this height.
    fn level(&mut self, stage: &mut Stage, count: u32) -> Result<()> {
        for _ in 0..count {
            self.block(stage, self.at, PITCH, self.at.y)?;
            self.domino(stage, 0.0, 0.0)?;
        }
        Ok(())
    }

    /// A fixed block whose upper face is here, so long and so thick.
    fn block(&self, stage: &mut Stage, top: Point, long: f64, thick: f64) -> Result<()> {
        if thick < 1e-6 {
            return Ok(());
        }
        let shape = cuboid(stage, [long, thick, 2.0 * DOMINO[2]])?;
        let desc = BodyDesc::fixed().position(top - Point::Y * (0.5 * thick)).rotation(self.facing());
        body(stage, desc, shape, &self.material).map(|_| ())
    }
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let push = values.real("push")?;
    tune(stage, DOMINO[2])?;
    let material = Material::default().with_friction(values.real("friction")?).with_density(600.0);
    floor(stage, material.clone())?;
    let shape = cuboid(stage, DOMINO)?;
    let mut walk = Walk { at: Point::ZERO, heading: 0.0, rows: Things::default(), material: material.clone(), shape };
    walk.domino(stage, 0.0, push)?;
    walk.row(stage, 29, 0.0)?;
    // The tunnel is over the middle of the first row.
    for (name, y, z, edges) in [
        ("tunnel-left", 0.35, -0.25, [2.5, 0.7, 0.06]),
        ("tunnel-right", 0.35, 0.25, [2.5, 0.7, 0.06]),
        ("tunnel-roof", 0.73, 0.0, [2.5, 0.06, 0.56]),
    ] {
        let shape = cuboid(stage, edges)?;
        body(stage, BodyDesc::fixed().name(name).position([3.5, y, z]), shape, &material)?;
    }
    walk.row(stage, 16, -f64::PI / 16.0)?;
    walk.stairs(stage, 10, RISE)?;
    walk.level(stage, 6)?;
    walk.stairs(stage, 10, -RISE)?;
    walk.at.y = 0.0;
    walk.row(stage, 6, 0.0)?;
    walk.row(stage, 16, f64::PI / 16.0)?;
    walk.stairs(stage, 10, RISE)?;
    // The board juts out; the last domino stands at its very end.
    let base = walk.at;
    walk.row(stage, 6, 0.0)?;
    let end = 5.5 * PITCH + 0.5 * DOMINO[0];
    let middle = base + walk.ahead() * (end - 0.5 * PITCH - 0.5 * end);
    walk.block(stage, middle, end, BOARD)?;
    walk.at = base + walk.ahead() * (end - 0.5 * PITCH + LEAP) - Point::Y * base.y;
    walk.row(stage, 12, 0.0)?;
    let rows = walk.rows.ids.len();

    // The tower: storeys of two uprights with a flat one on top, the broad sides to the row.
    let mut tower = Things::default();
    for storey in 0..3 {
        let foot = walk.at + Point::Y * (f64::from(storey) * (DOMINO[1] + DOMINO[0]));
        let across = walk.ahead().cross(Point::Y);
        for side in [-1.0, 1.0] {
            let at = foot + across * (0.6 * DOMINO[2] * side) + Point::Y * (0.5 * DOMINO[1]);
            let desc = BodyDesc::dynamic().name(format!("tower-{}", tower.ids.len())).position(at);
            tower.add(stage, desc.rotation(walk.facing()), walk.shape.clone(), material.clone())?;
        }
        let at = foot + Point::Y * (DOMINO[1] + 0.5 * DOMINO[0]);
        let flat = walk.facing() * Quat::from_axis_angle(Vec3::Y, Real::from_f64(f64::PI / 2.0));
        let flat = flat * Quat::from_axis_angle(Vec3::Z, Real::from_f64(f64::PI / 2.0));
        let desc = BodyDesc::dynamic().name(format!("tower-{}", tower.ids.len())).position(at).rotation(flat);
        tower.add(stage, desc, walk.shape.clone(), material.clone())?;
    }
    walk.at += walk.ahead() * (2.0 * PITCH);
    walk.row(stage, 19, 0.0)?;
    stage.run_for(24.0);

    let all = walk.rows.clone();
    stage.check_at_end("all-fall", move |world| {
        Some(Reading::at_most(all.ids.iter().filter(|&&id| !fallen(world, id)).count() as f64, 0.0))
    });
    // One after the other in the rows; what falls off the board or from the tower may hit any of the first few.
    let all = walk.rows.ids.clone();
    let mut when = vec![f64::INFINITY; all.len()];
    stage.check_always("in-order", move |world| {
        for (time, &id) in when.iter_mut().zip(&all) {
            if *time == f64::INFINITY && fallen(world, id) {
                *time = world.time();
            }
        }
        let done = when.iter().all(|t| *t < f64::INFINITY);
        let early = (1..rows - 12).filter(|&i| when[i] < when[i - 1]).count();
        done.then(|| Reading::at_most(early as f64, 0.0))
    });
    let last: Vec<BodyId> = walk.rows.ids.iter().rev().take(19).copied().collect();
    stage.check_always("waiting", move |world| {
        let fell = last.iter().filter(|&&id| fallen(world, id)).count();
        (world.time() < 2.0).then(|| Reading::at_most(fell as f64, 0.0))
    });
    stage.check_said("tower", Said::at_most("y('tower-*')", 0.5).at_end());
    Ok(())
}

/// It leans by more than 30 degrees.
pub fn fallen(world: &World, domino: BodyId) -> bool {
    pointing(world, domino, Vec3::Y).y < 0.866
}
