//! A crate falls on a floor and comes to rest. Run it with `cargo run --release --example hello -p tumble`.

use tumble::math::Vec3;
use tumble::shape::Shape;
use tumble::{BodyDesc, World};

fn main() -> tumble::Result<()> {
    let mut world = World::new();
    world.add_body(BodyDesc::fixed().name("floor").collider(Shape::half_space(Vec3::Y, 0.0)?))?;
    let falling = BodyDesc::dynamic().name("crate").position([0.0, 5.0, 0.0]).turned([1.0, 0.3, 0.2], 0.6);
    let id = world.add_body(falling.collider(Shape::cuboid(0.5, 0.5, 0.5)?))?;

    while !world.body(id)?.is_asleep() && world.time() < 20.0 {
        world.step(1.0 / 60.0)?;
        if world.steps().is_multiple_of(30) {
            let p = world.body(id)?.position();
            println!("{:4.1} s  x {:6.3}  y {:6.3}  z {:6.3}", world.time(), p.x, p.y, p.z);
        }
    }
    println!("asleep after {:.1} s", world.time());
    Ok(())
}

#[test]
fn runs_to_its_end() -> tumble::Result<()> {
    main()
}
