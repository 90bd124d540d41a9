//! A joint of one's own: a bead that keeps its distance from an axis, written outside the engine.
//!
//! The recipe: write what is to be zero as a function C of the two frames, differentiate it by time, and read off what stands
//! before the velocities. Here, with x the axis of A's frame and d from A to B,
//!
//! ```text
//!   ρ = |d - x (x·d)|          distance of B from the axis
//!   C = ρ - R                  u = (d - x (x·d)) / ρ
//!   Ċ = u·(v_B + ω_B × r_B - v_A - ω_A × (r_A + d))
//! ```
//!
//! (The axis turns with A, so that its arm leads to B.) The engine does the rest: sub-steps, warm starts, limits, snapshots.

use std::sync::Arc;
use tumble::constraint::{Constraint, Frames, Jacobian, Row, Rows};
use tumble::math::{Real, Vec3};
use tumble::{BodyDesc, JointDesc, World, shape::Shape};

/// Keeps B at a distance from the x axis of A.
#[derive(Debug)]
struct OnTube {
    radius: Real,
}

impl Constraint for OnTube {
    fn name(&self) -> &str {
        "on-tube"
    }

    fn rows(&self, frames: &Frames, out: &mut Rows) {
        let (x, d) = (frames.a.axes().x, frames.gap());
        let across = d.across(x);
        // On the axis itself every direction leads outwards.
        let u = across.normalize_or(frames.a.axes().y);
        let jacobian = Jacobian::between(u, frames.a.arm + d, frames.b.arm);
        out.push(Row::equal(jacobian, u.dot(across) - self.radius));
    }

    fn save(&self) -> Vec<u8> {
        self.radius.to_le_bytes().to_vec()
    }

    fn load(&self, bytes: &[u8]) -> Option<Arc<dyn Constraint>> {
        let radius = Real::from_le_bytes(bytes.try_into().ok()?);
        Some(Arc::new(Self { radius }))
    }
}

fn main() -> tumble::Result<()> {
    let mut world = World::new();
    let bead = BodyDesc::dynamic().position([0.0, 1.0, 0.1]).collider(Shape::sphere(0.05)?);
    let bead = world.add_body(bead.linear_velocity([1.0, 0.0, 0.0]))?;
    let tube = Arc::new(OnTube { radius: 1.0 });
    world.add_joint(JointDesc::custom(World::BODY, bead, tube.clone()).anchor_a([0.0; 3]).anchor_b([0.0; 3]))?;
    for second in 1..=5 {
        for _ in 0..60 {
            world.step(1.0 / 60.0)?;
        }
        let p = world.body(bead)?.position();
        let distance = (p.y * p.y + p.z * p.z).sqrt();
        println!("{second} s: {:6.3} m along the tube, {distance:.4} m from its axis", p.x);
    }

    // A world with such joints is restored where their kind is known.
    let saved = world.snapshot()?;
    let mut copy = World::new();
    assert!(copy.restore(&saved).is_err());
    copy.register_constraint(tube);
    copy.restore(&saved)?;
    assert_eq!(copy.hash(), world.hash());

    let p = world.body(bead)?.position();
    let distance = Vec3::new(0.0, p.y, p.z).length();
    assert!((distance - 1.0).abs() < 0.01, "the bead left the tube: {distance}");
    Ok(())
}

#[test]
fn bead_stays_on_its_tube() -> tumble::Result<()> {
    main()
}
