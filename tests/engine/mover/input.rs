//! Bad values, saving, repeating.

use super::*;
use tumble::Error;

#[test]
fn refuses_bad_values() {
    let bad = [Real::NAN, Real::INFINITY, -1.0];
    for value in bad {
        let d = MoverDesc::default;
        let descs = [
            MoverDesc { skin: value, ..d() },
            MoverDesc { up: Vec3::new(value * 0.0, 0.0, 0.0), ..d() },
            MoverDesc { climb_angle: value, ..d() },
            MoverDesc { slide_angle: value, ..d() },
            MoverDesc { step_height: value, ..d() },
            MoverDesc { step_width: value, ..d() },
            MoverDesc { snap: value, ..d() },
            MoverDesc { mass: value, ..d() },
        ];
        for desc in descs {
            assert!(matches!(Mover::new(desc.clone(), [0.0; 3]), Err(Error::Value { .. })), "{desc:?}");
        }
    }
    assert!(Mover::new(MoverDesc { push_force: Real::INFINITY, ..MoverDesc::default() }, [0.0; 3]).is_ok());
    assert!(Mover::new(MoverDesc::default(), [0.0, f64::NAN, 0.0]).is_err());

    let mut world = World::new();
    let ball = world.add_body(BodyDesc::dynamic().collider(Shape::sphere(1.0).unwrap())).unwrap();
    assert!(matches!(Mover::with_body(MoverDesc::default(), &world, ball), Err(Error::Refused { .. })));
    let mut mover = Mover::new(MoverDesc::default(), [0.0; 3]).unwrap();
    let dt = real(DT);
    let plane = Shape::half_space(Vec3::Y, 0.0).unwrap();
    assert!(mover.advance(&mut world, &plane, [0.0; 3], dt).is_err());
    for value in [Real::NAN, Real::INFINITY, Real::MAX] {
        assert!(mover.advance(&mut world, &person(), [value, 0.0, 0.0], dt).is_err());
    }
    for value in [0.0, -1.0, Real::NAN, Real::INFINITY] {
        assert!(mover.advance(&mut world, &person(), [0.0; 3], value).is_err());
    }
    assert_eq!(mover.position(), Point::ZERO);
    // Far is not bad.
    assert!(mover.advance(&mut world, &person(), [1e9, 0.0, 0.0], dt).is_ok());
    assert!(mover.position().is_finite());
}

// A mover stored beside a snapshot goes on as if nothing had happened, to the bit.
#[test]
fn goes_on_from_a_snapshot() {
    let mut world = World::new();
    floor(&mut world);
    let platform = BodyDesc::kinematic().position([0.0, 0.2, 0.0]).angular_velocity([0.0, 0.5, 0.0]);
    world.add_body(platform.collider(Shape::cuboid(2.0, 0.2, 2.0).unwrap())).unwrap();
    world
        .add_body(BodyDesc::dynamic().position([3.0, 0.5, 0.0]).collider(Shape::cuboid(0.3, 0.3, 0.3).unwrap()))
        .unwrap();
    let mut walker = Walker::new(world, [-3.0, HALF + SKIN, 0.3]);
    walker.steps(60, [1.5, 0.0, 0.0]);

    let (snapshot, text) = (walker.world.snapshot().unwrap(), serde_json::to_string(&walker.mover).unwrap());
    let mut other = World::new();
    other.restore(&snapshot).unwrap();
    let mut again = Walker::new(other, [0.0; 3]);
    // Text may lose the last bit of a double; a copy is exact.
    let read: Mover = serde_json::from_str(&text).unwrap();
    assert!((read.position() - walker.at()).length() < 1e-12 && read.is_grounded() == walker.mover.is_grounded());
    again.mover = walker.mover.clone();
    again.rising = walker.rising;
    for _ in 0..120 {
        walker.step([1.5, 0.0, 0.0]);
        again.step([1.5, 0.0, 0.0]);
    }
    assert_eq!(walker.mover.pose(), again.mover.pose());
    assert_eq!(walker.world.hash(), again.world.hash());
}
