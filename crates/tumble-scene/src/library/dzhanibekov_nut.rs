//! The Dzhanibekov nut: a body that spins about its intermediate axis turns over, again and again.

use crate::error::Result;
use crate::{Camera, Parameter, Reading, Scene, Stage, Values};
use tumble::math::{Float, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, ColliderDesc, World};

pub fn scene() -> Scene {
    Scene::new("dzhanibekov-nut", build)
        .seed("beyond the seeds (003-06 with the gyroscopic torque)")
        .description(
            "A wing nut floats without weight and spins about the axis of its thread, the intermediate one of its three \
             principal axes. Every few seconds it turns over.",
        )
        .parameter(Parameter::new("spin", 6.0).range(0.1, 60.0).unit("rad/s").help("Speed of the spin"))
        .parameter(
            Parameter::new("offset", 0.01).range(0.005, 0.3).unit("rad").help("Angle between the spin and the axis"),
        )
        .camera(Camera::new([0.05, 0.06, 0.22], [0.0, 0.0, 0.0]).field_of_view(35.0))
        .conservative()
        .check("flip-period", "It turns over when the elliptic integral says; largest relative error", "")
        .check("angular-momentum", "The angular momentum keeps size and direction; largest change as a share", "")
        .check("energy", "The energy stays; largest change as a share", "")
}

/// Steel.
const DENSITY: f64 = 7850.0;
/// Half the height and the radius of the hub, which lies about the y-axis.
const HUB: (f64, f64) = (0.006, 0.010);
/// Half-extents of a wing, and where its centre is: at ±x, above the hub's middle.
const WING: [f64; 3] = [0.010, 0.009, 0.0015];
const WING_AT: [f64; 2] = [0.020, 0.009];

fn build(stage: &mut Stage, values: &Values) -> Result<()> {
    let (spin, offset) = (values.get("spin")?, values.get("offset")?);
    // Towards the axis of least inertia, so that the motion starts where the spin is farthest along the middle axis.
    let omega = Vec3::new(Float::sin(offset), Float::cos(offset), 0.0) * spin;
    let nut = stage.engine(|world| {
        world.set_gravity(Vec3::ZERO)?;
        let real = Real::from_f64;
        let part = |shape: Shape| ColliderDesc::new(shape).density(real(DENSITY));
        let wing = Shape::cuboid(real(WING[0]), real(WING[1]), real(WING[2]))?;
        let [x, y] = WING_AT.map(real);
        world.add_body(
            BodyDesc::dynamic()
                .name("nut")
                // However slowly it spins, it is not at rest.
                .can_sleep(false)
                .collider(part(Shape::cylinder(real(HUB.0), real(HUB.1))?))
                .collider(part(wing.clone()).at([x, y, 0.0]))
                .collider(part(wing).at([-x, y, 0.0]))
                .angular_velocity(omega.to_real()),
        )
    })?;

    let half_turn = half_period(moments(), omega);
    stage.run_for(4.6 * half_turn);

    // The spin along the body's y-axis goes as the elliptic sine, from its largest value on: it changes sign after 1/2,
    // 3/2, 5/2 ... of the time between flips.
    let (mut flips, mut last) = (0.0, (0.0, f64::NAN));
    stage.check_always("flip-period", move |world| {
        let Ok(body) = world.body(nut) else { return Some(Reading::at_most(f64::NAN, 0.02)) };
        let now = (world.time(), body.rotation().unrotate(body.angular_velocity()).y.to_f64());
        let (before, expected) = (last, (flips + 0.5) * half_turn);
        last = now;
        if before.1 * now.1 < 0.0 {
            // Where the straight line between the two values passes zero.
            let time = now.0 - (now.0 - before.0) * now.1 / (now.1 - before.1);
            flips += 1.0;
            return Some(Reading::at_most((time / expected - 1.0).abs(), 0.02));
        }
        // A flip that does not come counts by how late it is by now.
        (now.0 > expected).then(|| Reading::at_most(now.0 / expected - 1.0, 0.02))
    });
    stage.check_always(
        "angular-momentum",
        kept(nut, 1e-4, |world, nut| world.body(nut).map_or(Vec3::all(f64::NAN), |body| body.angular_momentum())),
    );
    stage.check_always(
        "energy",
        kept(nut, 1e-3, |world, nut| Vec3::X * world.body(nut).map_or(f64::NAN, |body| body.kinetic_energy())),
    );
    Ok(())
}

/// A reading of how far something has strayed from its first value, as a share of it.
fn kept(
    body: BodyId,
    allowed: f64,
    measure: impl Fn(&World, BodyId) -> Vec3<f64>,
) -> impl FnMut(&World) -> Option<Reading> {
    let mut start = None;
    move |world| {
        let now = measure(world, body);
        let start = *start.get_or_insert(now);
        Some(Reading::at_most((now - start).length() / start.length(), allowed))
    }
}

/// The principal moments about x, y, z, from the formulas for cylinder and box and the theorem of parallel axes, not from
/// the engine: the flips thus depend on its mass properties being right. By symmetry x, y, z are principal axes.
fn moments() -> [f64; 3] {
    let (h, r) = HUB;
    let hub = f64::PI * r * r * 2.0 * h * DENSITY;
    let across = hub * (3.0 * r * r + 4.0 * h * h) / 12.0;
    let [a, b, c] = WING;
    let wings = 2.0 * 8.0 * a * b * c * DENSITY;
    let [x, y] = WING_AT;
    // The wings' centre is a distance y above the hub's: reduced mass times y² for both together.
    let lift = hub * wings / (hub + wings) * y * y;
    [
        across + wings * (b * b + c * c) / 3.0 + lift,
        hub * r * r / 2.0 + wings * ((a * a + c * c) / 3.0 + x * x),
        across + wings * ((a * a + b * b) / 3.0 + x * x) + lift,
    ]
}

/// The time between flips of a body with the moments I₁ < I₂ < I₃ that turns with ω: half the period of ω in the body,
/// 2 K(k)/λ (Landau and Lifshitz, Mechanics, §37). The roles of the axes 1 and 3 change with the sign of L² - 2 E I₂.
fn half_period([i1, i2, i3]: [f64; 3], omega: Vec3<f64>) -> f64 {
    let l = omega.scale(Vec3::new(i1, i2, i3));
    let (l2, e2) = (l.length_squared(), omega.dot(l));
    let (inner, outer) = ((i3 - i2) * (l2 - e2 * i1), (i2 - i1) * (e2 * i3 - l2));
    let (larger, smaller) = if l2 > e2 * i2 { (inner, outer) } else { (outer, inner) };
    2.0 * elliptic_k2(smaller / larger) / (larger / (i1 * i2 * i3)).sqrt()
}

/// The complete elliptic integral of the first kind of k², by the arithmetic-geometric mean.
pub fn elliptic_k2(k2: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k2).sqrt());
    // Converges quadratically; six rounds are enough for all k² < 1 - 1e-12.
    for _ in 0..8 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    f64::PI / (2.0 * a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K(0) = π/2, K(1/√2) = Γ(1/4)²/(4√π), K(k) → ln(4/k') near 1.
    #[test]
    fn elliptic_integral_has_its_known_values() {
        assert!((elliptic_k2(0.0) - f64::PI / 2.0).abs() < 1e-15);
        assert!((elliptic_k2(0.5) - 1.854_074_677_301_372).abs() < 1e-14);
        let k2 = 1.0 - 1e-8;
        assert!((elliptic_k2(k2) - (4.0_f64 / 1e-4).ln()).abs() < 1e-7);
    }

    /// The thread is the intermediate axis; far enough from the others that the scene does not hang on a rounding.
    #[test]
    fn thread_is_the_intermediate_axis() {
        let [x, y, z] = moments();
        assert!(1.1 * x < y && 1.1 * y < z, "{:?}", moments());
    }
}
