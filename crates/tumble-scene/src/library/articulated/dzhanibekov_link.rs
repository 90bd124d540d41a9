//! Two links that spin as one about their middle axis, and turn over.

use super::super::props::tune;
use super::add;
use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::articulation::{ArticulationDesc, LinkDesc};
use tumble::math::{Num, Real, Vec3};
use tumble::shape::Shape;
use tumble::{ArticulationId, BodyDesc, World};

pub fn scene() -> Scene {
    Scene::new("dzhanibekov-link", build)
        .seed("000, 2.B")
        .description("A floating tree of two bars in the shape of a T spins about the axis of its middle moment of inertia, and turns over again and again.")
        .parameter(Parameter::new("spin", 6.0).range(2.0, 12.0).unit("rad/s").help("Spin at the start"))
        .camera(Camera::new([0.8, 0.6, 1.6], [0.0, 0.0, 0.0]))
        .conservative()
        .check("flips", "It turns over when Euler's equations say, to the end; largest error of the spin, as a share", "")
        .check("momentum", "Angular momentum is kept; largest change as a share", "")
        .check("energy", "Energy is kept; largest change as a share", "")
}

/// ω in principal axes, by Euler's equations: I₁ ω₁' = (I₂ - I₃) ω₂ ω₃ and so on, over h by Runge and Kutta's method.
fn advance(w: &mut [f64; 3], moments: [f64; 3], h: f64) {
    let [i, j, k] = moments;
    let slope = |w: [f64; 3]| [(j - k) / i * w[1] * w[2], (k - i) / j * w[2] * w[0], (i - j) / k * w[0] * w[1]];
    let moved = |w: [f64; 3], d: [f64; 3], h: f64| [0, 1, 2].map(|n| w[n] + h * d[n]);
    let a = slope(*w);
    let b = slope(moved(*w, a, 0.5 * h));
    let c = slope(moved(*w, b, 0.5 * h));
    let d = slope(moved(*w, c, h));
    for n in 0..3 {
        w[n] += h / 6.0 * (a[n] + 2.0 * b[n] + 2.0 * c[n] + d[n]);
    }
}

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let spin = values.get("spin")?;
    tune(stage, 0.2)?;
    stage.engine(|world| world.set_gravity(Vec3::ZERO))?;
    let bar = |x: f64, y: f64, z: f64| -> tumble::Result<BodyDesc> {
        Ok(BodyDesc::dynamic().collider(Shape::cuboid(x as Real, y as Real, z as Real)?).can_sleep(false))
    };
    let (across, stem) = stage.engine(|_| Ok((bar(0.3, 0.04, 0.04)?, bar(0.04, 0.15, 0.04)?)))?;
    let mut desc = ArticulationDesc::new().name("handle");
    // About its stem, y, the T is neither hardest nor easiest to turn. A touch of spin about the others tips it.
    let start = [1e-2 * spin, spin, 1e-2 * spin];
    let root = LinkDesc::free(across.name("bar")).velocity(&[0.0, 0.0, 0.0, start[0], start[1], start[2]]);
    let root = desc.add(root);
    desc.add(LinkDesc::fixed(stem.name("stem")).parent(root).at([0.0, -0.04, 0.0]).anchor([0.0, 0.15, 0.0]));
    let id = add(stage, desc)?;
    stage.run_for(15.0);

    // The T is symmetric, so that its principal axes are those of the bar. H of the root holds its inertia about its origin; the
    // common centre is away along y.
    let (h, mass, centre) = stage.engine(|world| {
        let tree = world.articulation(id)?;
        Ok((tree.mass_matrix(), tree.mass(), tree.centre_of_mass()))
    })?;
    let shift = mass * centre.y * centre.y;
    let moments = [h[3 * 6 + 3] - shift, h[4 * 6 + 4], h[5 * 6 + 5] - shift];
    let (mut omega, mut time) = (start, 0.0);
    stage.check_always("flips", move |world| {
        while time < world.time() - 1e-9 {
            let h = Num::min(1e-3, world.time() - time);
            advance(&mut omega, moments, h);
            time += h;
        }
        let root = world.body(world.articulation(id).ok()?.link(0).ok()?).ok()?;
        let spun = root.rotation().unrotate(root.angular_velocity()).to_f64();
        Some(Reading::at_most((spun.y - omega[1]).abs() / spin, 0.05))
    });
    let turned = |world: &World, id: ArticulationId| world.articulation(id).map(|t| t.angular_momentum()).ok();
    let before = turned(&stage.world, id).unwrap_or(Vec3::ZERO);
    stage.check_always("momentum", move |world| {
        Some(Reading::at_most((turned(world, id)? - before).length() / before.length(), 1e-3))
    });
    let kinetic = move |world: &World| world.articulation(id).map_or(f64::NAN, |t| t.kinetic_energy());
    let start = kinetic(&stage.world);
    stage.check_always("energy", move |world| Some(Reading::at_most((kinetic(world) / start - 1.0).abs(), 1e-3)));
    Ok(())
}
