//! Materials: rules for pairs, special pairs, and who owns what: 003-36..38.

use crate::support::{dump, real};
use tumble::math::{Pose, Real, Vec3};
use tumble::shape::{CompoundChild, MeshDesc, Shape};
use tumble::{
    BodyDesc, ColliderDesc, Error, Material, MaterialRule, MaterialSource, Method, Mix, PairCoefficients, Softness,
    World, library_pair,
};

fn material(static_friction: Real, dynamic_friction: Real, restitution: Real) -> Material {
    Material { static_friction, dynamic_friction, restitution, ..Material::default() }
}

/// The table of rules: each mixes two coefficients as its name says, in either order.
#[test]
fn rules_by_table() {
    let table = [
        (Mix::Min, 0.25, 1.0, 0.25),
        (Mix::Max, 0.25, 1.0, 1.0),
        (Mix::Average, 0.25, 1.0, 0.625),
        (Mix::Product, 0.25, 1.0, 0.25),
        (Mix::GeometricMean, 0.25, 1.0, 0.5),
        (Mix::Min, 0.0, 0.5, 0.0),
        (Mix::Max, 0.0, 0.5, 0.5),
        (Mix::Average, 0.0, 0.5, 0.25),
        (Mix::Product, 0.5, 0.5, 0.25),
        (Mix::GeometricMean, 0.0, 0.5, 0.0),
        (Mix::GeometricMean, 0.5, 0.5, 0.5),
    ];
    for (mix, a, b, expected) in table {
        assert_eq!((mix.apply(a, b), mix.apply(b, a)), (expected, expected), "{mix:?} of {a} and {b}");
    }
}

/// The rule is a slot of the method: swapping the method changes what a pair gets, and nothing else.
#[test]
fn rule_of_the_method_makes_the_pair() {
    let mut world = World::new();
    let a = world.add_material(material(0.25, 0.16, 0.5)).unwrap();
    let b = world.add_material(material(1.0, 0.64, 0.2)).unwrap();
    let get = |world: &World| {
        let p = world.pair_coefficients(a, b).unwrap();
        assert_eq!(p, world.pair_coefficients(b, a).unwrap());
        (p.static_friction, p.dynamic_friction, p.restitution)
    };
    assert_eq!(get(&world), (0.5, 0.32, 0.5), "by default geometric mean and maximum");
    let table = [
        (Mix::Max, Mix::Min, (1.0, 0.64, 0.2)),
        (Mix::Min, Mix::Max, (0.25, 0.16, 0.5)),
        (Mix::Average, Mix::Average, (0.625, 0.5 * (0.16 + 0.64), 0.5 * (0.5 + 0.2))),
        (Mix::Product, Mix::Product, (0.25, 0.16 * 0.64, 0.1)),
    ];
    for (friction, restitution, expected) in table {
        let method = Method { materials: MaterialRule { friction, restitution }, ..Method::default() };
        world.set_method(method).unwrap();
        assert_eq!(get(&world), expected, "{friction:?}, {restitution:?}");
    }
}

/// A rule never makes the dynamic friction of a pair larger than the static one, nor leaves the ranges of a material.
#[test]
fn rules_keep_coefficients_in_range() {
    let all = [Mix::Min, Mix::Max, Mix::Average, Mix::Product, Mix::GeometricMean];
    let mut materials: Vec<Material> = Material::names().map(|n| Material::named(n).unwrap()).collect();
    materials.push(Material { tangential_restitution: -1.0, rolling_friction: 0.1, ..material(2.0, 1.5, 1.0) });
    materials.push(Material { tangential_restitution: 1.0, spinning_friction: 0.2, ..material(0.0, 0.0, 0.0) });
    for friction in all {
        for restitution in all {
            let rule = MaterialRule { friction, restitution };
            for a in &materials {
                for b in &materials {
                    let p = rule.combine(a, b);
                    assert!(p.dynamic_friction <= p.static_friction && p.dynamic_friction >= 0.0, "{rule:?}: {p:?}");
                    assert!((0.0..=1.0).contains(&p.restitution), "{rule:?}: {p:?}");
                    assert!((-1.0..=1.0).contains(&p.tangential_restitution), "{rule:?}: {p:?}");
                    assert!(p.rolling_friction >= 0.0 && p.spinning_friction >= 0.0);
                    assert_eq!(p, rule.combine(b, a), "a pair has no order");
                }
            }
        }
    }
}

/// Special pairs take precedence over every rule, in either order, until they are taken back; a pair may be of one material
/// with itself.
#[test]
fn special_pairs() {
    let mut world = World::new();
    let wood = world.add_material(Material::named("wood").unwrap()).unwrap();
    let steel = world.add_material(Material::named("steel").unwrap()).unwrap();
    let by_rule = world.pair_coefficients(wood, steel).unwrap();
    let special = library_pair("wood", "steel").unwrap();
    assert_ne!(by_rule, special);
    world.set_material_pair(steel, wood, Some(special)).unwrap();
    let rule = MaterialRule { friction: Mix::Max, restitution: Mix::Min };
    world.set_method(Method { materials: rule, ..Method::default() }).unwrap();
    assert_eq!(world.pair_coefficients(wood, steel).unwrap(), special);
    assert_eq!(world.pair_coefficients(steel, wood).unwrap(), special);
    assert_eq!(world.pair_coefficients(wood, wood).unwrap().static_friction, 0.5, "other pairs go by the rule");

    let own_kind = PairCoefficients { static_friction: 0.9, ..special };
    world.set_material_pair(wood, wood, Some(own_kind)).unwrap();
    assert_eq!(world.pair_coefficients(wood, wood).unwrap(), own_kind);
    assert_eq!(world.pair_coefficients(wood, steel).unwrap(), special);

    world.set_material_pair(wood, steel, None).unwrap();
    assert_eq!(world.pair_coefficients(steel, wood).unwrap().static_friction, 0.7, "by the rule in force");
    world.set_material_pair(wood, steel, None).unwrap();
    assert!(library_pair("wood", "cheese").is_none());
}

/// A special pair goes with its material: a new one in the same slot does not inherit it.
#[test]
fn special_pairs_go_with_their_material() {
    let mut world = World::new();
    let a = world.add_material(Material::named("wood").unwrap()).unwrap();
    let b = world.add_material(Material::named("steel").unwrap()).unwrap();
    world.set_material_pair(a, b, library_pair("wood", "steel")).unwrap();
    world.remove_material(b).unwrap();
    let c = world.add_material(Material::named("steel").unwrap()).unwrap();
    assert_eq!(c.index(), b.index(), "the slot is used again");
    let rule = world.method().materials;
    let by_rule = rule.combine(world.material(a).unwrap(), world.material(c).unwrap());
    assert_eq!(world.pair_coefficients(a, c).unwrap(), by_rule);
    assert!(world.pair_coefficients(a, b).is_err(), "the id is stale");
}

/// A collider's own material lives and dies with it; a shared one outlives it and cannot be removed while it is in use.
#[test]
fn own_and_shared_materials() {
    let mut world = World::new();
    let ball = || ColliderDesc::new(Shape::sphere(0.5).unwrap());
    let shared = world.add_material(Material::named("ice").unwrap()).unwrap();
    let body =
        world.add_body(BodyDesc::dynamic().collider(ball().friction(0.9)).collider(ball().material(shared))).unwrap();
    let [own, other] = world.body(body).unwrap().colliders().collect::<Vec<_>>()[..] else { panic!() };
    let own_material = world.collider(own).unwrap().material(0);
    assert_eq!(world.material(own_material).unwrap().static_friction, 0.9);
    assert_eq!(world.collider(other).unwrap().material(0), shared);
    assert_eq!(world.collider(other).unwrap().material(5), shared, "slots that are not listed count as slot 0");

    let error = world.remove_material(shared).unwrap_err();
    assert_eq!(error.to_string(), format!("{shared}: it is in use by {other}"));
    let error = world.remove_material(own_material).unwrap_err();
    assert_eq!(error.to_string(), format!("{own_material}: it is in use by {own}"));
    let error = world.remove_material(World::MATERIAL).unwrap_err();
    assert_eq!(error.to_string(), "material 0v0: the built-in material cannot be removed");
    assert!(world.material(shared).is_ok() && world.material(own_material).is_ok());

    // One collider's own material is not for others: it would vanish under them.
    let refused = format!("{own_material}: it belongs to one collider; use World::add_material to share it");
    let before = dump(&world, &[shared]);
    assert_eq!(world.add_collider(body, ball().material(own_material)).unwrap_err().to_string(), refused);
    assert_eq!(world.set_collider_material(other, own_material).unwrap_err().to_string(), refused);
    assert_eq!(world.set_collider_material(own, own_material).unwrap_err().to_string(), refused);
    let desc = BodyDesc::dynamic().collider(ball().material(own_material));
    assert_eq!(world.add_body(desc).unwrap_err().to_string(), refused);
    assert_eq!(dump(&world, &[shared]), before);

    world.set_material_pair(own_material, shared, library_pair("rubber", "ice")).unwrap();
    world.remove_collider(own).unwrap();
    assert!(matches!(world.material(own_material), Err(Error::Missing(_))), "it went with its collider");
    world.remove_body(body).unwrap();
    world.remove_material(shared).unwrap();
    assert!(matches!(world.material(shared), Err(Error::Missing(_))));
    assert!(matches!(world.remove_material(shared), Err(Error::Missing(_))));
}

/// Replacing a material frees an own one and lets go of a shared one; several slots are owned one by one.
#[test]
fn replaced_materials() {
    let mut world = World::new();
    let shared = world.add_material(Material::named("rubber").unwrap()).unwrap();
    let slots: Vec<MaterialSource> =
        vec![material(0.1, 0.1, 0.0).into(), shared.into(), material(0.3, 0.3, 0.0).into()];
    let desc = ColliderDesc::new(Shape::sphere(0.5).unwrap()).materials(slots);
    let body = world.add_body(BodyDesc::dynamic().collider(desc)).unwrap();
    let c = world.body(body).unwrap().colliders().next().unwrap();
    let ids: Vec<_> = (0..3).map(|slot| world.collider(c).unwrap().material(slot)).collect();
    assert_eq!(ids[1], shared);
    world.set_collider_material(c, shared).unwrap();
    assert!(world.material(ids[0]).is_err() && world.material(ids[2]).is_ok());
    world.set_collider_material(c, material(0.7, 0.7, 0.0)).unwrap();
    let new = world.collider(c).unwrap().material(0);
    assert_eq!(world.material(new).unwrap().static_friction, 0.7);
    assert!(world.remove_material(shared).is_err(), "slot 1 still uses it");
    world.remove_body(body).unwrap();
    assert!(world.material(new).is_err() && world.material(ids[2]).is_err());
    world.remove_material(shared).unwrap();
}

/// Every slot can be exchanged, and acts from the next step on: of a compound that lies on two runners, and of a floor of two kinds of triangles,
/// the part whose slot is made rough stops what slides over it. What is refused changes nothing.
#[test]
fn every_slot_can_be_exchanged() {
    let (smooth, rough) = (material(0.0, 0.0, 0.0), material(1.0, 1.0, 0.0));
    let corner = |x: f64, z: f64| Vec3::new(x, 0.0, z).to_real();
    let vertices =
        [(-9.0, -9.0), (-9.0, 9.0), (0.0, -9.0), (0.0, 9.0), (9.0, -9.0), (9.0, 9.0)].map(|(x, z)| corner(x, z));
    let triangles = vec![[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]];
    let mesh = MeshDesc::new(vertices.to_vec(), triangles).materials(vec![0, 0, 1, 1]);
    let runner = |x: Real, slot: u16| {
        let at = Pose::from_translation(Vec3::new(x, 0.1, 0.0));
        CompoundChild::new(Shape::cuboid(0.1, 0.1, 0.5).unwrap(), at).material(slot)
    };
    let slots = || -> Vec<MaterialSource> { vec![smooth.clone().into(), smooth.clone().into()] };
    let mut world = World::new();
    world
        .set_method(Method {
            materials: MaterialRule { friction: Mix::Max, ..MaterialRule::default() },
            ..Method::default()
        })
        .unwrap();
    let floor = ColliderDesc::new(Shape::mesh(mesh).unwrap()).materials(slots());
    let floor = world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
    let sled = |x: f64| {
        let shape = Shape::compound(vec![runner(-0.5, 0), runner(0.5, 1)]).unwrap();
        BodyDesc::dynamic().position([x, 0.0, -5.0]).collider(ColliderDesc::new(shape).materials(slots()))
    };
    let sleds = [-3.0, 3.0].map(|x| world.add_body(sled(x).linear_velocity([0.0, 0.0, 2.0]).can_sleep(false)).unwrap());
    let collider = |world: &World, body| world.body(body).unwrap().colliders().next().unwrap();
    let speeds = |world: &mut World| {
        for _ in 0..20 {
            world.step(real(1.0 / 60.0)).unwrap();
        }
        sleds.map(|id| f64::from(world.body(id).unwrap().linear_velocity().z))
    };
    let [a, b] = speeds(&mut world);
    assert!((a - 2.0).abs() < 1e-3 && (b - 2.0).abs() < 1e-3, "smooth on smooth: {a}, {b}");

    // Slot 1 of the floor lies under the second sled only.
    let mut halved = world.clone();
    let ground = collider(&halved, floor);
    let old = halved.collider(ground).unwrap().material(1);
    halved.set_collider_material_at(ground, 1, rough.clone()).unwrap();
    assert!(halved.material(old).is_err(), "its own material is gone");
    let [a, b] = speeds(&mut halved);
    assert!((a - 2.0).abs() < 1e-3 && b < 0.1, "rough under the second: {a}, {b}");
    halved.set_collider_materials(ground, vec![smooth.clone().into()]).unwrap();
    assert_eq!(halved.collider(ground).unwrap().material(1), halved.collider(ground).unwrap().material(0));

    // Slot 1 of the first sled is its right runner, which turns it to the right.
    let own = collider(&world, sleds[0]);
    let before = dump(&world, &[]);
    let refused = [
        world.set_collider_material_at(own, 2, rough.clone()),
        world.set_collider_material_at(own, 1, material(-1.0, 0.0, 0.0)),
        world.set_collider_materials(own, vec![rough.clone().into(), material(-1.0, 0.0, 0.0).into()]),
        world.set_collider_materials(own, vec![MaterialSource::default(); 65]),
        // A body of no mass: refused when all is already in place.
        world.set_collider_materials(own, vec![Material { density: Real::MIN_POSITIVE, ..rough.clone() }.into(); 2]),
    ];
    for (i, result) in refused.into_iter().enumerate() {
        assert!(result.is_err(), "{i}");
    }
    assert_eq!(dump(&world, &[]), before);
    world.set_collider_material_at(own, 1, rough).unwrap();
    speeds(&mut world);
    let spin = world.body(sleds[0]).unwrap().rotation().to_rotation_vector().y;
    assert!(spin > 0.05, "{spin}");
    world.audit().unwrap();
}

/// Colliders that name no material follow the built-in one, whenever it was edited; one that names any does not, though it
/// be the same.
#[test]
fn built_in_material() {
    let mut world = World::new();
    let ball = || ColliderDesc::new(Shape::sphere(0.5).unwrap());
    let early = world.add_body(BodyDesc::dynamic().collider(ball())).unwrap();
    let named = world.add_body(BodyDesc::dynamic().collider(ball().material(Material::default()))).unwrap();
    world.set_material(World::MATERIAL, material(0.1, 0.05, 0.9)).unwrap();
    let late = world.add_body(BodyDesc::dynamic().collider(ball())).unwrap();
    let friction = |id| {
        let c = world.body(id).unwrap().colliders().next().unwrap();
        world.material(world.collider(c).unwrap().material(0)).unwrap().static_friction
    };
    assert_eq!((friction(early), friction(late), friction(named)), (0.1, 0.1, 0.5));
}

/// Builders edit a collider's own material; where it would be a shared one, it gets one of its own and the shared one stays
/// as it is.
#[test]
fn builders_never_touch_shared_materials() {
    let mut world = World::new();
    let ice = world.add_material(Material::named("ice").unwrap()).unwrap();
    let ball = || ColliderDesc::new(Shape::sphere(0.5).unwrap());
    let body = world
        .add_body(
            BodyDesc::dynamic()
                .collider(ball().material(ice).restitution(0.75))
                .collider(ball().material(Material::named("wood").unwrap()).friction(0.25).restitution(0.75)),
        )
        .unwrap();
    let get: Vec<Material> = world
        .body(body)
        .unwrap()
        .colliders()
        .map(|c| world.material(world.collider(c).unwrap().material(0)).unwrap().clone())
        .collect();
    assert_eq!(get[0], Material { restitution: 0.75, ..Material::default() });
    let wood = Material::named("wood").unwrap();
    assert_eq!(get[1], Material { static_friction: 0.25, dynamic_friction: 0.25, restitution: 0.75, ..wood });
    assert_eq!(*world.material(ice).unwrap(), Material::named("ice").unwrap());
}

/// A change of density that one of the bodies cannot take changes none of them.
#[test]
fn refused_density_changes_no_body() {
    let mut world = World::new();
    let foam = world.add_material(Material { density: 1.0, ..Material::default() }).unwrap();
    let add = |world: &mut World, radius: Real| {
        let c = ColliderDesc::new(Shape::sphere(radius).unwrap()).at([0.1, 0.2, 0.3]).material(foam);
        world.add_body(BodyDesc::dynamic().collider(c).linear_velocity([1.0, 2.0, 3.0])).unwrap()
    };
    for radius in [1.0, 1e-3, 2.0] {
        add(&mut world, radius);
    }
    let before = dump(&world, &[foam]);
    // The smallest ball would weigh less than the smallest number.
    let tiny = Material { density: Real::MIN_POSITIVE, ..Material::default() };
    let error = world.set_material(foam, tiny).unwrap_err();
    assert!(matches!(error, Error::Value { property: "mass", .. }), "{error}");
    assert_eq!(dump(&world, &[foam]), before);
}

/// A soft material is a spring and damper of its own: it sinks by g/ω², swings with its frequency and decays with its damping ratio, whatever the
/// number of sub-steps.
#[test]
fn soft_materials_are_springs() {
    use tumble::method::{SoftStep, Step};
    for substeps in [4, 16] {
        for (hertz, damping_ratio) in [(2.0, 0.1), (1.0, 0.3)] {
            let step = Step::SoftStep(SoftStep { substeps, ..SoftStep::default() });
            let mut method = Method { step, ..Method::soft_step() };
            method.switches.sleep = false;
            let mut world = World::with_method(method).unwrap();
            let soft = Material { softness: Some(Softness { hertz, damping_ratio }), ..Material::default() };
            let floor = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).material(soft);
            world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
            let ball = BodyDesc::dynamic().position([0.0, 0.5, 0.0]).collider(Shape::sphere(0.5).unwrap());
            let id = world.add_body(ball).unwrap();
            let height = |world: &World| world.body(id).unwrap().position().y;
            let omega = 2.0 * std::f64::consts::PI * f64::from(hertz);
            // The moments at which it turns round, and how far from its rest.
            let rest = 0.5 - 9.81 / (omega * omega) - 0.001;
            let (mut turns, mut last) = (Vec::new(), [height(&world); 2]);
            for i in 0..360 {
                world.step(1.0 / 60.0).unwrap();
                let now = height(&world);
                if (now - last[1]) * (last[1] - last[0]) < 0.0 {
                    turns.push((f64::from(i) / 60.0, (last[1] - rest).abs()));
                }
                last = [last[1], now];
            }
            let sunk = height(&world);
            let damped = omega * (1.0 - f64::from(damping_ratio).powi(2)).sqrt();
            let half = std::f64::consts::PI / damped;
            let count = 3;
            let period = (turns[count].0 - turns[0].0) / count as f64;
            let decay = (turns[count].1 / turns[0].1).powf(1.0 / count as f64);
            let exact = (-f64::from(damping_ratio) * omega * half).exp();
            println!(
                "{substeps} sub-steps, {hertz} Hz: half period {period:.4} ({half:.4}), decay {decay:.3} ({exact:.3}), {sunk:.4} ({rest:.4})"
            );
            // The turns are read off at whole steps; implicit springs lose a share of h ω more.
            assert!((period / half - 1.0).abs() < 0.06, "{period} against {half}");
            assert!((decay - exact).abs() < 0.08, "{decay} against {exact}");
            assert!((sunk - rest).abs() < 0.02 * (0.5 - rest) + 0.002, "{sunk} against {rest}");
        }
    }
}

/// Coefficients beyond all measure, as for friction without limit, stay numbers.
#[test]
fn absurd_coefficients_hold() {
    let absurd = Material {
        static_friction: Real::MAX,
        dynamic_friction: Real::MAX,
        softness: Some(Softness { hertz: 1e30, damping_ratio: 1e30 }),
        ..Material::default()
    };
    for mix in [Mix::Product, Mix::GeometricMean, Mix::Average, Mix::Max] {
        let method = Method { materials: MaterialRule { friction: mix, restitution: Mix::Max }, ..Method::soft_step() };
        let mut world = World::with_method(method).unwrap();
        let floor = ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).material(absurd.clone());
        world.add_body(BodyDesc::fixed().collider(floor)).unwrap();
        let cube = ColliderDesc::new(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).material(absurd.clone());
        let id = world.add_body(BodyDesc::dynamic().position([0.0, 0.6, 0.0]).collider(cube)).unwrap();
        for _ in 0..60 {
            world.step(1.0 / 60.0).unwrap();
        }
        let body = world.body(id).unwrap();
        assert!(body.is_active() && (body.position().y - 0.5).abs() < 0.01, "{mix:?}: {:?}", body.position());
    }
}
