//! Shapes one by one: mass, support, rays, nearest points, bounds; against closed forms, quadrature, sampling and
//! bisection on `contains`, which is itself checked by the volume it encloses.

use crate::random::Random;
use tumble::math::{Float, Pose, Real, Vec3};
use tumble::shape::{Cuboid, Geometry, MassProperties, Ray, Shape};

/// What one rounding to `Real` may do to a length of 1, with room for the few that a query does.
const ROUNDING: f64 = 8.0 * Real::EPSILON as f64;

/// The same for a shape: the planes of hulls are computed on a grid of 2⁻⁴⁰ of their size, which is coarser than `f64`.
fn rounding(shape: &Shape) -> f64 {
    if matches!(shape, Shape::Hull(_)) { ROUNDING + 4e-12 } else { ROUNDING }
}

/// A cloud whose hull has more vertices than are searched one by one.
fn cloud(count: usize, seed: u64) -> Vec<Vec3> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.direction().scale(Vec3::new(1.0, 0.7, 0.5)).to_real()).collect()
}

/// Convex solids of size about 1, slender and flat ones among them.
fn solids() -> Vec<(&'static str, Shape)> {
    let slab = Cuboid::new(Vec3::new(0.9, 0.05, 0.4)).unwrap();
    vec![
        ("sphere", Shape::sphere(0.75).unwrap()),
        ("cuboid", Shape::cuboid(0.5, 0.8, 0.3).unwrap()),
        ("slab", Shape::Cuboid(slab)),
        ("capsule", Shape::capsule(0.6, 0.4).unwrap()),
        ("ball-like capsule", Shape::capsule(0.0, 0.4).unwrap()),
        ("cylinder", Shape::cylinder(0.7, 0.4).unwrap()),
        ("coin", Shape::cylinder(0.05, 0.9).unwrap()),
        ("cone", Shape::cone(0.7, 0.5).unwrap()),
        ("flat cone", Shape::cone(0.1, 0.9).unwrap()),
        ("needle", Shape::cone(1.0, 0.05).unwrap()),
        ("hull", Shape::hull(&cloud(20, 1)).unwrap()),
        ("large hull", Shape::hull(&cloud(400, 2)).unwrap()),
        ("slab as hull", Shape::Hull(std::sync::Arc::new(slab.to_hull()))),
    ]
}

/// Where the ray from an inner point leaves the solid, by bisection on `contains`.
fn boundary(shape: &Shape, inner: Vec3, direction: Vec3<f64>) -> Vec3 {
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let inside = shape.contains((inner.to_f64() + direction * middle).to_real());
        *(if inside { &mut low } else { &mut high }) = middle;
    }
    (inner.to_f64() + direction * low).to_real()
}

fn surface(shape: &Shape, count: usize) -> Vec<Vec3> {
    let mut random = Random::new(77);
    let (inner, _) = shape.inner_sphere();
    (0..count).map(|_| boundary(shape, inner, random.direction())).collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// Volume, centre and moments of a solid of revolution about y from its radius at each height, by Simpson's rule between
/// the given heights (exact where the square of the radius is a polynomial of degree 1: cylinder and cone need degree 4 at
/// most with enough pieces).
fn revolution(heights: &[f64], radius: impl Fn(f64) -> f64, density: f64) -> MassProperties {
    let pi = f64::PI;
    let integrate = |f: &dyn Fn(f64) -> f64| -> f64 {
        let mut sum = 0.0;
        for piece in heights.windows(2) {
            const N: usize = 2000;
            let step = (piece[1] - piece[0]) / N as f64;
            for i in 0..N {
                let a = piece[0] + step * i as f64;
                sum += step / 6.0 * (f(a) + 4.0 * f(a + 0.5 * step) + f(a + step));
            }
        }
        sum
    };
    let area = |y: f64| pi * radius(y) * radius(y);
    let volume = integrate(&area);
    let centre = integrate(&|y| y * area(y)) / volume;
    let along = integrate(&|y| 0.5 * area(y) * radius(y) * radius(y));
    let across = integrate(&|y| area(y) * (0.25 * radius(y) * radius(y) + (y - centre) * (y - centre)));
    MassProperties {
        mass: volume * density,
        centre: Vec3::new(0.0, centre, 0.0),
        inertia: tumble::math::Sym3::diagonal(Vec3::new(across, along, across) * density),
    }
}

fn assert_same_mass(name: &str, a: &MassProperties, b: &MassProperties, tolerance: f64) {
    assert!(close(a.mass / b.mass, 1.0, tolerance), "{name}: mass {} and {}", a.mass, b.mass);
    let size = (b.inertia.trace() / b.mass).sqrt();
    assert!((a.centre - b.centre).length() <= tolerance * size, "{name}: centre {:?} and {:?}", a.centre, b.centre);
    let difference = a.inertia - b.inertia;
    let worst = [difference.xx, difference.yy, difference.zz, difference.xy, difference.xz, difference.yz]
        .into_iter()
        .fold(0.0, |m: f64, d| m.max(d.abs()));
    assert!(worst <= tolerance * b.inertia.trace(), "{name}: inertia {:?} and {:?}", a.inertia, b.inertia);
}

/// Closed forms against quadrature of the profile; 1e-6 is the bar, quadrature is good for 1e-9.
#[test]
fn mass_of_solids_of_revolution() {
    let density = 2.5;
    for (h, r) in [(0.7, 0.4), (0.05, 1.5), (20.0, 0.1), (0.001, 0.002)] {
        let (h, r): (Real, Real) = (h, r);
        let (hh, rr) = (h.to_f64(), r.to_f64());
        let check = |name: &str, shape: Shape, heights: &[f64], profile: &dyn Fn(f64) -> f64| {
            let mass = shape.mass_properties(density).unwrap();
            assert_same_mass(name, &mass, &revolution(heights, profile, density), 1e-6);
        };
        check("cylinder", Shape::cylinder(h, r).unwrap(), &[-hh, hh], &|_| rr);
        check("cone", Shape::cone(h, r).unwrap(), &[-hh, hh], &|y| rr * (hh - y) / (2.0 * hh));
        let round = |past: f64| (rr * rr - past * past).max(0.0).sqrt();
        check("sphere", Shape::sphere(r).unwrap(), &[-rr, rr], &|y| round(y));
        let heights = [-hh - rr, -hh, hh, hh + rr];
        check("capsule", Shape::capsule(h, r).unwrap(), &heights, &|y| round((y.abs() - hh).max(0.0)));
    }
}

/// All solids against a grid of samples of `contains`; this also shows that `contains` is right. With 80 samples per axis
/// about one in thirty lies in a cell that the surface cuts, and their errors cancel to less than 1 %.
#[test]
fn mass_against_sampling() {
    const N: usize = 80;
    for (name, shape) in solids() {
        let bounds = shape.bounds(&Pose::IDENTITY);
        let (low, size) = (bounds.min.to_f64(), (bounds.max - bounds.min).to_f64());
        let cell = size.x * size.y * size.z / (N * N * N) as f64;
        let step = |i: usize| (i as f64 + 0.5) / N as f64;
        let (mut count, mut first, mut second) = (0.0, Vec3::<f64>::ZERO, tumble::math::Sym3::<f64>::ZERO);
        for i in 0..N {
            for j in 0..N {
                for k in 0..N {
                    let p = low + size.scale(Vec3::new(step(i), step(j), step(k)));
                    if shape.contains(p.to_real()) {
                        count += 1.0;
                        first += p;
                        second = second + tumble::math::Sym3::point_mass(p);
                    }
                }
            }
        }
        let centre = first / count;
        let inertia = second - tumble::math::Sym3::point_mass(centre) * count;
        let sampled = MassProperties { mass: count * cell, centre, inertia: inertia * cell };
        let exact = shape.mass_properties(1.0).unwrap();
        assert_same_mass(name, &exact, &sampled, 0.01);
    }
}

#[test]
fn mass_of_a_box() {
    let mass = Shape::cuboid(1.0, 2.0, 3.0).unwrap().mass_properties(0.5).unwrap();
    assert_eq!(mass.mass, 24.0);
    // m/12 (b² + c²) with the full edges 2, 4, 6.
    assert_eq!([mass.inertia.xx, mass.inertia.yy, mass.inertia.zz], [104.0, 80.0, 40.0]);
}

/// The support point belongs to the solid, and no sample of the surface lies farther along.
#[test]
fn support_is_the_farthest_point() {
    let mut random = Random::new(3);
    for (name, shape) in solids() {
        let convex = shape.as_convex().unwrap();
        let samples = surface(&shape, 2000);
        for i in 0..200 {
            // Axes and planes of symmetry as well as directions of no distinction, of any length.
            let mut d = random.direction();
            if i % 4 == 0 {
                d[random.below(3)] = 0.0;
            }
            if i < 6 {
                d = Vec3::ZERO;
                d[i / 2] = if i % 2 == 0 { 1.0 } else { -1.0 };
            }
            let d = d * [1e-20, 1.0, 1e20][i % 3];
            let s = convex.support(d.to_real());
            let off = shape.closest_point(s).distance.to_f64();
            assert!(off.abs() <= rounding(&shape), "{name}: support {s:?} along {d:?} is {off} off the surface");
            let unit = d / d.abs().max_component();
            let best = s.to_f64().dot(unit);
            for q in &samples {
                assert!(q.to_f64().dot(unit) <= best + ROUNDING, "{name}: {q:?} beats {s:?} along {d:?}");
            }
        }
        assert!(convex.support(Vec3::ZERO).is_finite(), "{name}: support of the zero direction");
    }
}

/// The ray meets the solid where marching and bisection on `contains` do.
#[test]
fn rays_against_bisection() {
    let mut random = Random::new(5);
    for (name, shape) in solids() {
        let (mut hits, mut misses) = (0, 0);
        for i in 0..1500 {
            let length = [0.1, 1.0, 7.0][i % 3];
            let from = random.direction() * random.between(0.0, 4.0);
            let bounds = shape.bounds(&Pose::IDENTITY);
            let mut to = bounds.centre().to_f64() + bounds.half_extents().to_f64().scale(random.in_cube()) * 1.1;
            if i % 5 == 0 {
                // Parallel to an axis, so to faces and axes of symmetry.
                let axis = random.below(3);
                let keep = to[axis];
                to = from;
                to[axis] = keep;
            }
            let direction = (to - from) / (to - from).length() * length;
            let ray = Ray::new(from.to_real(), direction.to_real());
            let inside = |t: f64| shape.contains((ray.origin.to_f64() + ray.direction.to_f64() * t).to_real());
            let hit = shape.cast_ray(&ray, Real::MAX);
            if inside(0.0) {
                let hit = hit.unwrap();
                assert_eq!((hit.t, hit.normal), (0.0, Vec3::ZERO), "{name}: a ray from inside");
                continue;
            }
            const STEPS: usize = 400;
            let reach = 6.0 / length;
            let first = (1..=STEPS).map(|k| reach * k as f64 / STEPS as f64).find(|&t| inside(t));
            match (hit, first) {
                (None, None) => misses += 1,
                (None, Some(t)) => {
                    // A sample inside by rounding alone may be missed.
                    let p = (ray.origin.to_f64() + ray.direction.to_f64() * t).to_real();
                    let depth = shape.closest_point(p).distance;
                    assert!(depth.to_f64() > -rounding(&shape), "{name}: {ray:?} misses, but is {depth} deep at {t}");
                }
                (Some(hit), first) => {
                    hits += 1;
                    let p = ray.at(hit.t);
                    let off = shape.closest_point(p).distance.to_f64();
                    assert!(off.abs() <= 4.0 * rounding(&shape), "{name}: {ray:?} meets nothing at {p:?}: {off} off");
                    assert!((hit.normal.to_f64().length() - 1.0).abs() < ROUNDING, "{name}: normal {:?}", hit.normal);
                    assert!(hit.normal.dot(ray.direction) <= 0.0, "{name}: {ray:?} leaves by {:?}", hit.normal);
                    // Thinner than a step of the march where that found nothing.
                    let Some(first) = first else { continue };
                    let (mut low, mut high) = (first - reach / STEPS as f64, first);
                    for _ in 0..60 {
                        let middle = 0.5 * (low + high);
                        *(if inside(middle) { &mut high } else { &mut low }) = middle;
                    }
                    let climb = -hit.normal.dot(ray.direction).to_f64() / length;
                    // Where the ray grazes the surface, an error across it is a larger one along it.
                    let tolerance = 6.0 * rounding(&shape) / (climb + ROUNDING.sqrt());
                    let error = (hit.t.to_f64() - high) * length;
                    assert!(error < tolerance, "{name}: {ray:?} at {} instead of {high}", hit.t);
                    // The march may have stepped over an earlier entry through a thin part.
                    assert!(error > -tolerance || hit.t.to_f64() < low, "{name}: {ray:?} at {}, not {high}", hit.t);
                }
            }
        }
        assert!(hits > 200 && misses > 20, "{name}: {hits} hits and {misses} misses test nothing");
    }
}

/// A ray from a thousand sizes away loses no more than the rounding of its own origin.
#[test]
fn rays_from_afar() {
    let mut random = Random::new(8);
    for (name, shape) in solids() {
        let (inner, radius) = shape.inner_sphere();
        for _ in 0..100 {
            let origin = (random.direction() * 1000.0).to_real();
            let ray = Ray::new(origin, inner - origin);
            let hit = shape.cast_ray(&ray, 1.0);
            assert!(hit.is_some(), "{name}: {ray:?} through the middle misses");
            let p = ray.origin.to_f64() + ray.direction.to_f64() * hit.unwrap().t.to_f64();
            let off = shape.closest_point(p.to_real()).distance.to_f64();
            assert!(off.abs() < 1000.0 * ROUNDING, "{name}: {off} off, inner radius {radius}");
        }
    }
}

#[test]
fn rays_that_are_none_or_stop_short() {
    for (name, shape) in solids() {
        let (inner, _) = shape.inner_sphere();
        let outside = Vec3::new(3.0, 1.0, 2.0);
        assert_eq!(shape.cast_ray(&Ray::new(outside, Vec3::ZERO), 1.0), None, "{name}: zero direction outside");
        let hit = shape.cast_ray(&Ray::new(inner, Vec3::ZERO), 1.0).unwrap();
        assert_eq!((hit.t, hit.normal), (0.0, Vec3::ZERO), "{name}: zero direction inside");
        let nan = Vec3::new(Real::NAN, 0.0, 0.0);
        assert_eq!(shape.cast_ray(&Ray::new(outside, nan), 1.0), None, "{name}: NaN direction");
        assert_eq!(shape.cast_ray(&Ray::new(nan, Vec3::X), 1.0), None, "{name}: NaN origin");

        let ray = Ray::new(outside, inner - outside);
        let t = shape.cast_ray(&ray, 1.0).unwrap().t;
        assert!(shape.cast_ray(&ray, t).is_some(), "{name}: reaches as far as asked");
        assert_eq!(shape.cast_ray(&ray, t * 0.999), None, "{name}: stops short");
        assert_eq!(shape.cast_ray(&ray, -1.0), None, "{name}: negative reach");
        assert_eq!(shape.cast_ray(&Ray::new(inner, Vec3::X), -1.0), None, "{name}: negative reach inside");
        let away = Ray::new(outside, outside - inner);
        assert_eq!(shape.cast_ray(&away, Real::MAX), None, "{name}: behind the origin");
    }
}

/// Rays along faces and axes, on the surface itself.
#[test]
fn rays_along_surfaces() {
    let cylinder = Shape::cylinder(1.0, 0.5).unwrap();
    let cone = Shape::cone(1.0, 1.0).unwrap();
    let capsule = Shape::capsule(1.0, 0.5).unwrap();
    let cuboid = Shape::cuboid(1.0, 1.0, 1.0).unwrap();
    let down = |x: Real, z: Real| Ray::new(Vec3::new(x, 3.0, z), -Vec3::Y);
    // Along the axis.
    for (shape, t) in [(&cylinder, 2.0), (&cone, 2.0), (&capsule, 1.5), (&cuboid, 2.0)] {
        let hit = shape.cast_ray(&down(0.0, 0.0), 10.0).unwrap();
        assert_eq!((hit.t, hit.normal), (t, Vec3::Y), "{shape:?}");
        let mut up = down(0.0, 0.0);
        (up.origin, up.direction) = (-up.origin, -up.direction);
        assert_eq!(shape.cast_ray(&up, 10.0).unwrap().normal, -Vec3::Y, "{shape:?}");
    }
    // Down the side: the closed solid is touched.
    assert_eq!(cylinder.cast_ray(&down(0.5, 0.0), 10.0).unwrap().t, 2.0);
    assert_eq!(cuboid.cast_ray(&down(1.0, 1.0), 10.0).unwrap().t, 2.0);
    assert_eq!(cylinder.cast_ray(&down(0.51, 0.0), 10.0), None);
    assert_eq!(cuboid.cast_ray(&down(1.01, 0.0), 10.0), None);
    // Parallel to the cone's side (from (0, 1) to (1, -1)), inside and outside of it.
    let slant = Vec3::new(1.0, -2.0, 0.0);
    let hit = cone.cast_ray(&Ray::new(Vec3::new(-1.5, 2.0, 0.0), slant), 10.0).unwrap();
    assert!((hit.t - 1.0).abs() < 1e-6 && hit.normal.x < 0.0, "{hit:?}");
    assert_eq!(cone.cast_ray(&Ray::new(Vec3::new(0.0, 1.1, 0.0), slant), 10.0), None);
    // In the plane that touches the cone along its side, beside that line.
    assert_eq!(cone.cast_ray(&Ray::new(Vec3::new(0.0, 1.0, 0.1), slant), 10.0), None);
    // Through the mirrored cone above the apex only.
    assert_eq!(cone.cast_ray(&Ray::new(Vec3::new(-3.0, 1.5, 0.0), Vec3::X), 10.0), None);
}

/// Distance, foot and normal of the nearest point are consistent, and no sample of the surface is nearer.
#[test]
fn closest_points() {
    let mut random = Random::new(11);
    for (name, shape) in solids() {
        let samples = surface(&shape, 3000);
        for i in 0..400 {
            let mut p = random.direction() * random.between(0.0, if i % 2 == 0 { 1.0 } else { 5.0 });
            if i % 3 == 0 {
                p[random.below(3)] = 0.0;
            }
            if i % 7 == 0 {
                p[random.below(3)] = 0.0;
            }
            let p = p.to_real();
            let found = shape.closest_point(p);
            let (point, normal, distance) = (found.point.to_f64(), found.normal.to_f64(), found.distance.to_f64());
            let apart = (p.to_f64() - point).length();
            let tolerance = rounding(&shape) * (1.0 + apart);
            assert!((apart - distance.abs()).abs() <= tolerance, "{name}: {p:?}: {found:?} at {apart}");
            assert!((normal.length() - 1.0).abs() <= ROUNDING, "{name}: {p:?}: {found:?}");
            let inside = shape.contains(p);
            assert!(if inside { distance <= 0.0 } else { distance >= 0.0 }, "{name}: {p:?} {inside}: {found:?}");
            let along = p.to_f64() - normal * distance;
            assert!((along - point).length() <= 2.0 * tolerance, "{name}: {p:?}: normal of {found:?}");
            let off = shape.closest_point(found.point).distance.to_f64();
            assert!(off.abs() <= 2.0 * tolerance, "{name}: {p:?}: {found:?} is {off} off the surface");
            // The solid lies behind the plane through the foot; so nothing of it is nearer.
            if distance > 0.0 {
                let ahead = shape.as_convex().unwrap().support(found.normal).to_f64().dot(normal);
                assert!(ahead <= point.dot(normal) + 4.0 * tolerance, "{name}: {p:?}: {found:?}, but {ahead} ahead");
            }
            for q in &samples {
                let d = (q.to_f64() - p.to_f64()).length();
                assert!(d >= distance.abs() - tolerance, "{name}: {q:?} is nearer to {p:?} than {found:?}");
            }
        }
    }
}

/// Points of symmetry have many nearest points; any will do, but there must be one.
#[test]
fn closest_points_from_the_centre_and_the_corners() {
    for (name, shape) in solids() {
        let (inner, radius) = shape.inner_sphere();
        for p in [Vec3::ZERO, inner, Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.0, -0.6, 0.0), Vec3::new(0.0, 5.0, 0.0)] {
            let found = shape.closest_point(p);
            let apart = (found.point - p).length();
            assert!((apart - found.distance.abs()).abs() < 1e-5, "{name}: {p:?}: {found:?}");
            assert!((found.normal.length() - 1.0).abs() < 1e-5, "{name}: {p:?}: {found:?}");
        }
        let depth = -shape.closest_point(inner).distance;
        assert!((depth - radius).abs() < 1e-6, "{name}: inner ball of {radius} at depth {depth}");
        // On the surface, corners and edges among the points.
        for d in [Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, Vec3::all(1.0), Vec3::new(1.0, -1.0, 0.0)] {
            let s = shape.as_convex().unwrap().support(d);
            let found = shape.closest_point(s);
            assert!(found.distance.to_f64().abs() <= rounding(&shape), "{name}: {s:?}: {found:?}");
            assert!((found.normal.length() - 1.0).abs() < 1e-5, "{name}: {s:?}: {found:?}");
        }
    }
    // Where the solid has a flat or a straight flank, the answer is known.
    let capsule = Shape::capsule(1.0, 0.5).unwrap();
    assert_eq!(capsule.closest_point(Vec3::new(0.0, 0.4, 0.0)).distance, -0.5);
    let cylinder = Shape::cylinder(1.0, 0.5).unwrap();
    assert_eq!(cylinder.closest_point(Vec3::new(0.0, 0.75, 0.0)).normal, Vec3::Y);
    assert_eq!(cylinder.closest_point(Vec3::new(0.0, 0.25, 0.0)).distance, -0.5);
}

/// Bounds hold the solid and touch it on all six sides, in any pose.
#[test]
fn bounds_are_tight() {
    let mut random = Random::new(13);
    let mut all = solids();
    all.push(("rectangle", Shape::rectangle(0.7, 0.2).unwrap()));
    for (name, shape) in all {
        let convex = shape.as_convex().unwrap();
        for i in 0..100 {
            let rotation = if i == 0 { Pose::IDENTITY.rotation } else { random.rotation().to_real() };
            let pose = Pose::new((random.in_cube() * 3.0).to_real(), rotation);
            let bounds = shape.bounds(&pose);
            for axis in 0..3 {
                let mut d = Vec3::ZERO;
                d[axis] = 1.0;
                let reach = |d: Vec3| {
                    let local = pose.rotation.unrotate(d);
                    (pose.transform_point(convex.support(local))[axis]).to_f64()
                };
                let (low, high) = (reach(-d), reach(d));
                assert!((bounds.min[axis].to_f64() - low).abs() < 8.0 * ROUNDING, "{name}: {bounds:?} {low}");
                assert!((bounds.max[axis].to_f64() - high).abs() < 8.0 * ROUNDING, "{name}: {bounds:?} {high}");
            }
        }
    }
}

/// The inner ball lies inside, and the farthest point is not beaten, nor beyond the surface.
#[test]
fn inner_balls_and_farthest_points() {
    let mut random = Random::new(17);
    for (name, shape) in solids() {
        let mut samples = surface(&shape, 10_000);
        // Tips are small targets for rays from the middle.
        samples.extend((0..10_000).map(|_| shape.as_convex().unwrap().support(random.direction().to_real())));
        let (centre, radius) = shape.inner_sphere();
        assert!(radius > 0.0, "{name}");
        for q in &samples {
            let d = (q.to_f64() - centre.to_f64()).length();
            assert!(d >= radius.to_f64() - ROUNDING, "{name}: the inner ball sticks out at {q:?}");
        }
        for _ in 0..20 {
            let p = (random.direction() * random.between(0.0, 3.0)).to_real();
            let farthest = shape.farthest_from(p).to_f64();
            let sampled = samples.iter().map(|q| (q.to_f64() - p.to_f64()).length()).fold(0.0, f64::max);
            assert!(sampled <= farthest + 8.0 * ROUNDING, "{name}: {sampled} from {p:?}, not {farthest}");
            // 10,000 directions leave gaps of about 0.02.
            assert!(sampled >= 0.99 * farthest, "{name}: {farthest} from {p:?}, but samples reach {sampled}");
        }
    }
}

/// Known largest inscribed balls.
#[test]
fn inner_balls_of_primitives() {
    let radius = |shape: Shape| shape.inner_sphere().1;
    assert_eq!(radius(Shape::cuboid(0.5, 0.25, 1.0).unwrap()), 0.25);
    assert_eq!(radius(Shape::cylinder(0.5, 0.75).unwrap()), 0.5);
    assert_eq!(radius(Shape::capsule(0.5, 0.75).unwrap()), 0.75);
    // Height 4, radius 3, slant 5: r h / (r + l) = 12/8.
    assert_eq!(radius(Shape::cone(2.0, 3.0).unwrap()), 1.5);
}

/// Sizes by powers of two give the same bits, scaled: no query has a guard in metres.
#[test]
fn queries_scale() {
    let mut random = Random::new(19);
    for scale in [1.0 / 1024.0, 128.0] {
        let scale: Real = scale;
        let pairs = [
            (Shape::sphere(0.7), Shape::sphere(0.7 * scale)),
            (Shape::cuboid(0.7, 0.2, 0.5), Shape::cuboid(0.7 * scale, 0.2 * scale, 0.5 * scale)),
            (Shape::capsule(0.7, 0.3), Shape::capsule(0.7 * scale, 0.3 * scale)),
            (Shape::cylinder(0.7, 0.3), Shape::cylinder(0.7 * scale, 0.3 * scale)),
            (Shape::cone(0.7, 0.3), Shape::cone(0.7 * scale, 0.3 * scale)),
            (Shape::rectangle(0.7, 0.3), Shape::rectangle(0.7 * scale, 0.3 * scale)),
            (Shape::hull(&cloud(50, 3)), Shape::hull(&cloud(50, 3).iter().map(|&p| p * scale).collect::<Vec<_>>())),
        ];
        for (a, b) in pairs {
            let (a, b) = (a.unwrap(), b.unwrap());
            for _ in 0..50 {
                let p = (random.in_ball() * 2.0).to_real();
                let (x, y) = (a.closest_point(p), b.closest_point(p * scale));
                assert_eq!((x.distance * scale, x.point * scale, x.normal), (y.distance, y.point, y.normal), "{a:?}");
                let ray = Ray::new(p, random.direction().to_real());
                let scaled = Ray::new(p * scale, ray.direction * scale);
                assert_eq!(a.cast_ray(&ray, 10.0), b.cast_ray(&scaled, 10.0), "{a:?}");
            }
        }
    }
}

/// Coordinates whose squares overflow `f32` have distances all the same.
#[test]
fn queries_from_very_far() {
    for (name, shape) in solids() {
        let p = Vec3::new(3e30, 0.0, 4e30);
        let found = shape.closest_point(p);
        assert!((found.distance / 5e30 - 1.0).abs() < 1e-5, "{name}: {found:?}");
        assert!(found.normal.is_finite() && found.point.is_finite(), "{name}: {found:?}");
        assert!((shape.farthest_from(p) / 5e30 - 1.0).abs() < 1e-5, "{name}");
        // Even `f64` cannot aim from there; but a hit must make sense.
        if let Some(hit) = shape.cast_ray(&Ray::new(Vec3::new(0.0, 1e30, 0.0), Vec3::new(0.0, -1e30, 0.0)), 2.0) {
            assert!((hit.t - 1.0).abs() < 1e-5 && hit.normal.is_finite(), "{name}: {hit:?}");
        }
        assert!(!shape.contains(p), "{name}");
    }
}

#[test]
fn half_space() {
    // The normal is brought to length 1, the offset is a distance.
    let shape = Shape::half_space(Vec3::new(0.0, 2.0, 0.0), 1.0).unwrap();
    assert!(shape.contains(Vec3::new(5.0, 1.0, -3.0)) && !shape.contains(Vec3::new(0.0, 1.1, 0.0)));
    assert_eq!(shape.closest_point(Vec3::new(2.0, -4.0, 3.0)).distance, -5.0);
    assert_eq!(shape.closest_point(Vec3::new(2.0, -4.0, 3.0)).point, Vec3::new(2.0, 1.0, 3.0));
    let down = Ray::new(Vec3::new(0.0, 3.0, 0.0), Vec3::new(1.0, -2.0, 0.0));
    let hit = shape.cast_ray(&down, 5.0).unwrap();
    assert_eq!((hit.t, hit.normal), (1.0, Vec3::Y));
    assert_eq!(shape.cast_ray(&Ray::new(down.origin, Vec3::X), 5.0), None, "parallel");
    assert_eq!(shape.cast_ray(&Ray::new(Vec3::ZERO, Vec3::Y), 5.0).unwrap().t, 0.0, "from inside");
    assert_eq!(shape.farthest_from(Vec3::ZERO), Real::INFINITY);
    assert_eq!(shape.inner_sphere(), (Vec3::Y, Real::INFINITY), "balls of every size fit");
    assert_eq!(shape.bounds(&Pose::from_translation(Vec3::Y)).max.y, 2.0);
    assert_eq!(shape.bounds(&Pose::IDENTITY).min.y, Real::NEG_INFINITY);
    let turned = Pose::new(Vec3::ZERO, Random::new(1).rotation().to_real());
    assert_eq!(shape.bounds(&turned), tumble::math::Aabb::EVERYTHING);
    let error = shape.mass_properties(1.0).unwrap_err().to_string();
    assert!(error.contains("half-space") && error.contains("volume"), "{error}");
}

#[test]
fn rectangle() {
    let shape = Shape::rectangle(1.0, 0.5).unwrap();
    assert_eq!(shape.inner_sphere(), (Vec3::ZERO, 0.0), "it holds nothing");
    for (p, distance, normal) in [
        (Vec3::new(0.3, 2.0, 0.1), 2.0, Vec3::Y),
        (Vec3::new(0.3, -2.0, 0.1), 2.0, -Vec3::Y),
        (Vec3::new(4.0, 4.0, 0.0), 5.0, Vec3::new(0.6, 0.8, 0.0)),
        (Vec3::new(0.5, 0.0, 0.0), 0.0, Vec3::Y),
        (Vec3::new(0.0, 0.0, -1.5), 1.0, -Vec3::Z),
    ] {
        let found = shape.closest_point(p);
        assert!((found.distance - distance).abs() < 1e-6 && (found.normal - normal).length() < 1e-6, "{found:?}");
        assert!(!shape.contains(p));
    }
    for side in [1.0, -1.0] {
        let ray = Ray::new(Vec3::new(0.5, 2.0 * side, 0.0), Vec3::new(0.0, -side, 0.0));
        let hit = shape.cast_ray(&ray, 5.0).unwrap();
        assert_eq!((hit.t, hit.normal), (2.0, Vec3::new(0.0, side, 0.0)));
        assert_eq!(shape.cast_ray(&ray, 1.9), None);
    }
    let beside = Ray::new(Vec3::new(1.1, 2.0, 0.0), -Vec3::Y);
    assert_eq!(shape.cast_ray(&beside, 5.0), None);
    assert_eq!(shape.cast_ray(&Ray::new(Vec3::new(-3.0, 0.0, 0.0), Vec3::X), 9.0), None, "edge on");
    let error = shape.mass_properties(1.0).unwrap_err().to_string();
    assert!(error.contains("rectangle") && error.contains("volume"), "{error}");
}

/// Every constructor names the property and the value that was wrong.
#[test]
fn bad_sizes_are_refused() {
    type Make = fn(Real) -> tumble::Result<Shape>;
    let makers: [(&str, Make); 13] = [
        ("sphere: radius", Shape::sphere),
        ("cuboid: half extent x", |v| Shape::cuboid(v, 1.0, 1.0)),
        ("cuboid: half extent y", |v| Shape::cuboid(1.0, v, 1.0)),
        ("cuboid: half extent z", |v| Shape::cuboid(1.0, 1.0, v)),
        ("capsule: half length", |v| Shape::capsule(v, 1.0)),
        ("capsule: radius", |v| Shape::capsule(1.0, v)),
        ("cylinder: half height", |v| Shape::cylinder(v, 1.0)),
        ("cylinder: radius", |v| Shape::cylinder(1.0, v)),
        ("cone: half height", |v| Shape::cone(v, 1.0)),
        ("cone: radius", |v| Shape::cone(1.0, v)),
        ("rectangle: half extent x", |v| Shape::rectangle(v, 1.0)),
        ("rectangle: half extent z", |v| Shape::rectangle(1.0, v)),
        ("half-space: offset", |v| Shape::half_space(Vec3::Y, if v == -1.0 || v == 0.0 { Real::NAN } else { v })),
    ];
    for (what, make) in makers {
        for bad in [-1.0, 0.0, Real::NAN, Real::INFINITY] {
            if what == "capsule: half length" && bad == 0.0 {
                continue;
            }
            let error = make(bad).unwrap_err().to_string();
            assert!(error.starts_with(what), "{error}");
        }
    }
    for normal in [Vec3::ZERO, Vec3::new(Real::NAN, 0.0, 1.0), Vec3::new(0.0, Real::INFINITY, 0.0)] {
        let error = Shape::half_space(normal, 0.0).unwrap_err().to_string();
        assert!(error.starts_with("half-space: normal"), "{error}");
    }
    for (name, shape) in solids() {
        for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = shape.mass_properties(density).unwrap_err().to_string();
            assert!(error.contains("density"), "{name}: {error}");
        }
        assert!(shape.mass_properties(f64::MAX).is_err() || shape.mass_properties(f64::MAX).unwrap().mass.is_finite());
    }
}
