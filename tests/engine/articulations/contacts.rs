//! Links among free bodies: contacts, sleep, events, snapshots.

use super::{DT, G, both, chain, energy, floor, of_library, rod, run, sleepless, support};
use crate::support::{named, real, scene};
use tumble::articulation::{ArticulationDesc, Dof, LinkDesc, Motor};
use tumble::math::{Float, Num, Real, Vec3};
use tumble::shape::Shape;
use tumble::{BodyDesc, BodyId, Event, Method, World};

/// A chain of ball joints dropped on the floor comes to rest on it, sinks no deeper than the slop allows, and falls asleep.
#[test]
fn chain_falls_on_the_floor_and_sleeps() {
    let mut world = World::new();
    floor(&mut world);
    let mut desc = ArticulationDesc::new().self_collision(true);
    for i in 0..8 {
        let dof = Dof { damping: 0.02, ..Dof::default() };
        let link = if i == 0 {
            LinkDesc::free(rod()).position(&[0.0, 2.0, 0.0, 0.6, 0.0, 0.0, 0.8])
        } else {
            let mut link = LinkDesc::spherical(rod()).parent(i - 1).at([0.0, -0.25, 0.0]).anchor([0.0, 0.25, 0.0]);
            link.dofs = vec![dof; 3];
            link
        };
        desc.add(link);
    }
    let id = world.add_articulation(desc).unwrap();
    let mut lowest = f64::MAX;
    let mut slept = false;
    for _ in 0..1500 {
        world.step(DT).unwrap();
        for body in world.articulation(id).unwrap().links().collect::<Vec<_>>() {
            for collider in world.body(body).unwrap().colliders() {
                lowest = lowest.min(f64::from(world.collider(collider).unwrap().bounds().min.y));
            }
        }
        if world.awake_count() == 0 {
            slept = true;
            break;
        }
    }
    assert!(lowest > -0.03, "{lowest}");
    world.audit().unwrap();
    assert!(slept, "still awake: {:?}", world.articulation(id).unwrap().velocity());
    let tip = world.articulation(id).unwrap().link(7).unwrap();
    world.body_mut(tip).unwrap().apply_impulse([0.0, 2.0, 0.0]).unwrap();
    assert_eq!(world.awake_count(), 8, "a tree wakes as a whole");
    assert!(world.articulation(id).unwrap().velocity().iter().any(|v| *v != 0.0));
}

/// Links of a tree meet each other only where that is asked for, and a link never its parent: a chain of three whose last link is folded back onto the
/// first, by each method.
#[test]
fn links_meet_each_other_where_asked() {
    let folded = both().into_iter().flat_map(|world| [(world.clone(), true), (world, false)]);
    for (mut world, collides) in folded {
        world.set_gravity(Vec3::ZERO).unwrap();
        let mut desc = chain(3, 2.0, 0.0).self_collision(collides);
        // The second link lies across, the third comes back up towards the first.
        for (i, angle) in [(1, 1.4), (2, 1.4)] {
            desc.links[i].position = vec![angle];
        }
        let id = world.add_articulation(desc).unwrap();
        let links: Vec<BodyId> = world.articulation(id).unwrap().links().collect();
        world.articulation_mut(id).unwrap().set_velocity(&[0.0, 0.0, 2.0]).unwrap();
        let mut met = [false; 3];
        for _ in 0..90 {
            world.step(DT).unwrap();
            for contact in world.contacts().filter(|contact| contact.points().next().is_some()) {
                let pair = contact.bodies();
                for (met, (a, b)) in met.iter_mut().zip([(0, 1), (1, 2), (0, 2)]) {
                    *met |= pair.contains(&links[a]) && pair.contains(&links[b]);
                }
            }
        }
        let name = &world.method().name;
        assert_eq!(met, [false, false, collides], "{name}, self-collision {collides}");
    }
}

/// A loaded link at its limit rests on a free box (000-40): limit and contact are one system, and all of it stands still, by the
/// default method and by simultaneous impulses.
#[test]
fn loaded_link_at_its_limit_rests_on_a_box() {
    for mut world in of_library("limit-and-box", &[("load", 20.0)]) {
        loaded_link(&mut world);
    }
}

/// The arm lies level on a limit; a box of 20 kg lies on its end, and below the end another box just touches it.
fn loaded_link(world: &mut World) {
    let id = world.find_articulation("arm").unwrap();
    let [above, below, floor] = ["above", "below", "floor"].map(|name| world.find_body(name).unwrap());
    run(world, 5.0);
    let name = world.method().name.clone();
    let link = world.articulation(id).unwrap().link(0).unwrap();
    // Of the load and of the arm about the hinge.
    let moment = (20.0 * 0.8 + 2.0 * 0.5) * G;
    for step in 0..60 {
        world.step(DT).unwrap();
        let tree = world.articulation(id).unwrap();
        let (angle, rate) = (tree.position()[0], tree.velocity()[0]);
        assert!(angle.abs() < 2e-3 && rate.abs() < 1e-3, "{name}, step {step}: {angle} rad at {rate} rad/s");
        for (body, height) in [(above, 1.15), (below, 0.475)] {
            let body = world.body(body).unwrap();
            assert!((body.position().y - height).abs() < 0.01, "{name}: {:?}", body.position());
            assert!(body.linear_velocity().length() < 1e-3 && (body.position().x - 0.8).abs() < 0.01, "{name}");
        }
        // The body of the link moves as its joint does, and in no other way.
        let arm = world.body(link).unwrap();
        let expected = Vec3::new(0.0, 0.5 * rate * Float::cos(angle), 0.0);
        assert!((arm.centre_velocity().to_f64() - expected).length() < 1e-3 * rate.abs() + 1e-6, "{name}");
        // The load presses on the arm with its weight, the arm on the prop, and the prop on the floor with its own weight more. What the prop
        // does not bear of the moment about the hinge is left to the limit, which can only push.
        let [load, prop, ground] = [(above, link), (link, below), (below, floor)].map(|(a, b)| support(world, a, b));
        if step == 59 {
            println!("{name}: load {load:.2?}, prop {prop:.2?}, ground {ground:.2?} (N, N m)");
        }
        assert!((load[0] / (20.0 * G) - 1.0).abs() < 0.01, "{name}, step {step}: {load:?}");
        assert!(((ground[0] - prop[0]) / (5.0 * G) - 1.0).abs() < 0.02, "{name}, step {step}: {ground:?} on {prop:?}");
        assert!(prop[0] >= 0.0 && prop[1] < moment * 1.01, "{name}, step {step}: {prop:?}");
    }
    // Without the limit the prop bears the whole moment.
    world.articulation_mut(id).unwrap().set_dof(0, 0, Dof::default()).unwrap();
    run(world, 3.0);
    let [force, borne] = support(world, link, below);
    println!("{name}: without the limit the prop bears {force:.2} N and {borne:.2} N m of {moment:.2} N m");
    assert!((borne / moment - 1.0).abs() < 0.01, "{name}: {borne} N m of {moment} N m");
}

/// A heavy box on the end of a hinged plank without a limit, the other end on a prop: the prop bears the share of the lever.
#[test]
fn plank_shares_its_load_between_hinge_and_prop() {
    let mut world = sleepless();
    floor(&mut world);
    let plank = BodyDesc::dynamic().collider(Shape::cuboid(0.5, 0.05, 0.2).unwrap()).mass(4.0);
    let mut desc = ArticulationDesc::new();
    desc.add(LinkDesc::revolute(plank, [0.0, 0.0, 1.0]).at([0.0, 1.05, 0.0]).anchor([-0.5, 0.0, 0.0]));
    let id = world.add_articulation(desc).unwrap();
    let prop = BodyDesc::dynamic().position([0.9, 0.5, 0.0]).collider(Shape::cuboid(0.1, 0.5, 0.1).unwrap()).mass(1.0);
    let prop = world.add_body(prop).unwrap();
    run(&mut world, 3.0);
    assert!(world.articulation(id).unwrap().position()[0].abs() < 0.01);
    let prop = world.body(prop).unwrap();
    assert!(prop.linear_velocity().length() < 1e-2 && (prop.position().y - 0.5).abs() < 0.01);
}

/// A free ball hits a hanging rod: momentum about the hinge is conserved, and restitution is what was asked for.
#[test]
fn ball_bounces_off_a_hanging_rod() {
    let mut world = sleepless();
    world.set_gravity(Vec3::ZERO).unwrap();
    let mut desc = ArticulationDesc::new();
    let elastic = |s: Shape| tumble::ColliderDesc::new(s).restitution(0.8).friction(0.0);
    let bar = BodyDesc::dynamic().collider(elastic(Shape::cuboid(0.05, 0.5, 0.05).unwrap())).mass(3.0);
    desc.add(LinkDesc::revolute(bar, [0.0, 0.0, 1.0]).anchor([0.0, 0.5, 0.0]));
    let id = world.add_articulation(desc).unwrap();
    let ball = BodyDesc::dynamic().position([-1.0, -0.8, 0.0]).linear_velocity([2.0, 0.0, 0.0]).mass(1.0);
    let ball = world.add_body(ball.collider(elastic(Shape::sphere(0.1).unwrap()))).unwrap();
    let inertia = world.articulation(id).unwrap().mass_matrix()[0];
    run(&mut world, 1.0);
    let (v, w) =
        (f64::from(world.body(ball).unwrap().linear_velocity().x), world.articulation(id).unwrap().velocity()[0]);
    // m v r + I ω = m v₀ r, and (ω r - v) = e v₀.
    let r = 0.8;
    let expected = (1.0 + 0.8) * 2.0 * r / (r * r + inertia);
    assert!((w - expected).abs() < 0.03 * expected, "{w} for {expected}");
    assert!((v * r + inertia * w - 2.0 * r).abs() < 0.02 * 2.0 * r, "{}", v * r + inertia * w);
}

/// A box stands on a table that a motor raises: the box goes along, and its weight is felt by the motor.
#[test]
fn lift_raises_a_box() {
    let mut world = sleepless();
    let mut desc = ArticulationDesc::new();
    let table = BodyDesc::dynamic().collider(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).mass(5.0);
    desc.add(LinkDesc::prismatic(table, [0.0, 1.0, 0.0]).dof(0, Dof::default().motor(Motor::velocity(0.5, 1e5))));
    let id = world.add_articulation(desc).unwrap();
    let box_ = BodyDesc::dynamic().position([0.0, 0.3, 0.0]).collider(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).mass(50.0);
    let box_ = world.add_body(box_).unwrap();
    run(&mut world, 2.0);
    let height = world.articulation(id).unwrap().position()[0];
    assert!((height - 1.0).abs() < 0.02, "{height}");
    let box_ = world.body(box_).unwrap();
    assert!(
        (box_.position().y - height - 0.3).abs() < 0.01 && (box_.linear_velocity().y.abs() - real(0.5)).abs() < 0.02
    );
}

/// Swinging rods hit boxes and each other for a while: nothing gains energy, events are told, every bit is the same again after
/// a restore and on two threads.
#[test]
fn links_hit_bodies_without_gain_and_to_the_bit() {
    let mut world = sleepless();
    floor(&mut world);
    let a = world.add_articulation(chain(6, 3.2, 1.5)).unwrap();
    let b = world.add_articulation(chain(4, 2.9, 0.7)).unwrap();
    for i in 0..4 {
        let position = [-0.8 - 0.1 * f64::from(i), 0.5 + f64::from(i), 0.0];
        world.add_body(BodyDesc::dynamic().position(position).collider(Shape::cuboid(0.4, 0.4, 0.4).unwrap())).unwrap();
    }
    let total = |world: &World| {
        let free: f64 = world.body_ids().filter(|&id| world.body(id).unwrap().link().is_none()).fold(0.0, |sum, id| {
            let body = world.body(id).unwrap();
            sum + body.kinetic_energy() + body.mass() * G * body.centre_of_mass().y
        });
        free + energy(world, a) + energy(world, b)
    };
    let start = total(&world);
    let saved = world.snapshot().unwrap();
    let mut began = 0;
    let mut most = f64::MIN;
    for _ in 0..240 {
        world.step(DT).unwrap();
        most = most.max(total(&world));
        world.audit().unwrap();
        began += world.events().iter().filter(|e| matches!(e, Event::ContactBegan { .. })).count();
    }
    assert!(began > 3, "{began}");
    assert!(most < start + 0.002 * start.abs(), "{most} from {start}");
    let hash = world.hash();
    let mut again = World::from_snapshot(&saved).unwrap();
    again.set_threads(2).unwrap();
    for _ in 0..120 {
        again.step(DT).unwrap();
    }
    let mut again = World::from_snapshot(&again.snapshot().unwrap()).unwrap();
    for _ in 0..120 {
        again.step(DT).unwrap();
    }
    assert_eq!(again.hash(), hash);
}

/// Chains on a free root fall on the floor, flail and come to lie on it. They have 7 to 33 degrees of freedom: less than, just as many as and more
/// than the numbers that rows are padded to. What rows err by takes energy out, and no step adds any but what pushes apart what overlaps: steps that begin with a
/// link more than 8 mm deep in the floor are such.
#[test]
fn falling_chains_of_any_size_gain_no_energy() {
    const DEEP: Real = 0.008;
    for (links, spin) in [2, 3, 4, 10, 11, 12, 18, 19, 20, 26, 27, 28]
        .into_iter()
        .flat_map(|n| [2.0, 2.1, 2.2, 2.3].map(|spin| (n, spin)))
    {
        let mut world = sleepless();
        floor(&mut world);
        let mut desc = ArticulationDesc::new();
        for i in 0..links {
            let axis = if i % 2 == 0 { Vec3::X } else { Vec3::Z };
            let mut link = LinkDesc::revolute(rod(), axis).anchor([0.0, 0.25, 0.0]).at([0.0, -0.25, 0.0]);
            link.dofs[0].damping = 0.02;
            desc.add(match i {
                0 => LinkDesc::free(rod())
                    .position(&[0.0, 1.5, 0.0, 0.6, 0.0, 0.0, 0.8])
                    .velocity(&[1.0, 0.0, 0.0, spin, 3.0, 0.0]),
                _ => link.parent(i - 1),
            });
        }
        let id = world.add_articulation(desc).unwrap();
        assert_eq!(world.articulation(id).unwrap().dofs(), 5 + links);
        let start = energy(&world, id);
        let (mut last, mut most, mut pushed, mut touched) = (start, 0.0, 0.0, 0);
        for _ in 0..600 {
            world.step(DT).unwrap();
            let points = || world.contacts().flat_map(|contact| contact.points());
            touched += usize::from(points().next().is_some());
            // As they were found at the start of the step.
            let depth = points().fold(0.0, |depth, point| Num::max(depth, -point.separation));
            let (now, of) = (energy(&world, id), if depth > DEEP { &mut pushed } else { &mut most });
            *of = f64::max(*of, (now - last) / start);
            last = now;
        }
        let tree = world.articulation(id).unwrap();
        let fastest = tree.velocity().iter().fold(0.0, |most, v| f64::max(most, v.abs()));
        let height = tree.centre_of_mass().y;
        let what = format!("{links} links at {spin} rad/s");
        println!(
            "{what}: gains at most {most:.1e} in a step, {pushed:.1e} pushed out, ends at {height:.3} m, {fastest:.1e} /s"
        );
        assert!(touched > 300, "{what}: {touched} steps with contacts");
        assert!(most < 1e-4, "{what}: {most}");
        // Twice what the worst of these chains gets, from a link 39 mm deep. All of a chain thrown up at the speed of pushing out would be 0.3.
        assert!(pushed < 1e-2, "{what}: {pushed}");
        // At other spins a short one may be left to roll.
        assert!(height > 0.04 && height < 0.15 && (fastest < 0.1 || spin != 2.0), "{what}: {height} m, {fastest} /s");
    }
}

/// A ball of 5 t on a chain of links of 10 kg, drawn aside by 60 degrees, breaks through a wall of bricks, at time steps that
/// fit nothing: no brick gets faster than a blow without loss would make it, and the energy of all never grows. Where rows relax
/// by the response that the tree had before it moved on, the slack chain throws the ball, and the ball the bricks, to any speed.
#[test]
fn wrecking_ball_throws_no_brick_faster_than_it_can_at_any_step() {
    // From 60 degrees the ball falls by half the length of its chain.
    let fall = 0.5 * 6.8;
    let (released, ball_speed) = (5_120.0 * G * fall, (2.0 * G * fall).sqrt());
    for dt in [1.0 / 30.0, 0.0251, 0.0203, 0.0172, 0.015, 0.0124, 0.0104, 0.0068] {
        let mut world = scene("demolition-chain", &[("angle", 60.0)], Method::default());
        let bricks = named(&world, "brick-", 44);
        let id = world.find_articulation("chain").unwrap();
        let total = |world: &World| {
            bricks.iter().fold(energy(world, id), |sum, &brick| {
                let brick = world.body(brick).unwrap();
                sum + brick.kinetic_energy() + brick.mass() * G * brick.centre_of_mass().y
            })
        };
        let mut last = total(&world);
        let mut broken = false;
        for step in 0..(2.6 / dt) as usize {
            world.step(real(dt)).unwrap();
            let now = total(&world);
            // What overlaps is pushed apart, which lifts a brick by a few millimetres.
            assert!(now < last + 0.005 * released, "dt {dt}, step {step}: {last} J, then {now} J");
            last = now;
            for &brick in &bricks {
                let speed = f64::from(world.body(brick).unwrap().linear_velocity().length());
                assert!(speed < 2.0 * ball_speed, "dt {dt}, step {step}: a brick at {speed} m/s");
                broken |= speed > 0.5 * ball_speed;
            }
        }
        assert!(broken, "dt {dt}: the ball has missed the wall");
    }
}

/// A table that is a tree is held on a slope by static friction at all of its feet together, by each method; pushed, it slides with dynamic friction.
#[test]
fn static_friction_holds_a_table_of_links() {
    let rough = tumble::Material { static_friction: 0.6, dynamic_friction: 0.3, ..tumble::Material::default() };
    let degrees: f64 = 24.0;
    let (sin, cos) = (Float::sin(degrees.to_radians()), Float::cos(degrees.to_radians()));
    for mut world in both() {
        world.set_gravity(Vec3::new(real(G * sin), real(-G * cos), 0.0)).unwrap();
        let ground = tumble::ColliderDesc::new(Shape::half_space(Vec3::Y, 0.0).unwrap()).material(rough.clone());
        world.add_body(BodyDesc::fixed().collider(ground)).unwrap();
        let mut top = BodyDesc::dynamic().mass(2.0);
        for (x, z) in [(-0.4, -0.3), (0.4, -0.3), (0.4, 0.3), (-0.4, 0.3)] {
            let foot = tumble::ColliderDesc::new(Shape::cuboid(real(0.05), real(0.1), real(0.05)).unwrap());
            top = top.collider(foot.material(rough.clone()).at(Vec3::new(real(x), 0.0, real(z))));
        }
        let mut desc = ArticulationDesc::new();
        desc.add(LinkDesc::free(top).position(&[0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 1.0]));
        let id = world.add_articulation(desc).unwrap();
        let link = world.articulation(id).unwrap().link(0).unwrap();
        let place = |world: &World| world.body(link).unwrap().position();
        run(&mut world, 10.0);
        let name = world.method().name.clone();
        println!("{name}: a table of links creeps {:.2e} m", place(&world).x);
        assert!(place(&world).x.abs() < 1e-3, "{name}: {}", place(&world).x);
        world.articulation_mut(id).unwrap().set_velocity(&[0.5, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        run(&mut world, 0.25);
        let speed = |world: &World| f64::from(world.body(link).unwrap().linear_velocity().x);
        let before = speed(&world);
        run(&mut world, 1.0);
        let (a, expected) = (speed(&world) - before, G * (sin - 0.3 * cos));
        assert!((a / expected - 1.0).abs() < 0.02, "{name}: {a} against {expected}");
    }
}
