//! A second opinion on all pairs of shapes that Parry knows too, in `f64`.
//!
//! The judge is the first opinion, and where the two differ it decides: Parry's depth of deep overlaps is that of an expanding
//! polytope that stops early. What is guarded is that the engine and Parry say the same of shapes that are apart, and agree on who
//! touches whom; a mistake that engine and judge had in common would show here.

use super::judge::{Any, Dice, Judge};
use super::pairs::{Case, KINDS, allowed, case};
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{self, SharedShape};
use tumble::detect::narrow::{Manifold, PairCache, closest_points, collide};
use tumble::math::{Float, Pose, Real, Vec3};

fn vector(v: Vec3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn pose(p: &Pose) -> ParryPose {
    let (t, q) = (p.translation.to_f64(), p.rotation.to_f64());
    ParryPose::from_parts(vector(t), Rotation::from_xyzw(q.x, q.y, q.z, q.w).normalize())
}

/// The same shape, and where Parry's stands in ours. `None` for shapes that it does not have.
fn translated(any: &Any) -> Option<(SharedShape, ParryPose)> {
    let here = ParryPose::IDENTITY;
    let shape = match any {
        Any::Sphere(s) => SharedShape::ball(s.radius().to_f64()),
        Any::Capsule(s) => SharedShape::capsule_y(s.half_length().to_f64(), s.radius().to_f64()),
        Any::Cuboid(s) => {
            let h = s.half_extents().to_f64();
            SharedShape::cuboid(h.x, h.y, h.z)
        }
        Any::Cylinder(s) => SharedShape::cylinder(s.half_height().to_f64(), s.radius().to_f64()),
        Any::Cone(s) => SharedShape::cone(s.half_height().to_f64(), s.radius().to_f64()),
        Any::Hull(h) => {
            let points: Vec<Vector> = h.vertices().iter().map(|v| vector(v.to_f64())).collect();
            SharedShape::convex_hull(&points)?
        }
        Any::HalfSpace(p) => {
            let n = p.normal().to_f64().normalize_or(Vec3::Y);
            let at = ParryPose::from_translation(vector(n * p.offset().to_f64()));
            return Some((SharedShape::new(shape::HalfSpace::new(vector(n))), at));
        }
        Any::Triangle(t) => {
            let [a, b, c] = t.vertices.map(|v| vector(v.to_f64()));
            SharedShape::triangle(a, b, c)
        }
        Any::Rectangle(_) => return None,
    };
    Some((shape, here))
}

/// What Parry says of a pair: the distance, 0 for those that touch.
fn second_opinion(case: &Case) -> Option<f64> {
    let ((a, at_a), (b, at_b)) = (translated(&case.a)?, translated(&case.b)?);
    let (pose_a, pose_b) = (at_a, pose(&case.pose) * at_b);
    query::distance(&pose_a, &*a, &pose_b, &*b).ok().map(|found| found.distance)
}

#[test]
fn parry_agrees_on_all_pairs_that_it_knows() {
    let (mut asked, mut apart, mut overruled) = (0, 0, Vec::new());
    for kind_a in 0..KINDS {
        for kind_b in 0..KINDS {
            for seed in 0..40 {
                let mut dice = Dice::new(seed * 1009 + (kind_a * KINDS + kind_b) as u64);
                let case = case(&mut dice, kind_a, kind_b, 1.0);
                let Some(parry) = second_opinion(&case) else { continue };
                asked += 1;
                let ours = closest_points(case.a.borrow(), case.b.borrow(), &case.pose).separation.to_f64();
                let (mut manifold, mut cache) = (Manifold::default(), PairCache::default());
                let margin = Real::from_f64(0.05 * case.size);
                collide(case.a.borrow(), case.b.borrow(), &case.pose, margin, &mut cache, &mut manifold);
                let unclear = 1e-3 * case.size;
                apart += u32::from(parry > unclear);
                // Apart: the same distance, and a contact exactly where it is within the margin.
                let same = if parry > unclear {
                    let touches = !manifold.is_empty();
                    let near = parry < margin.to_f64();
                    let clear = (parry - margin.to_f64()).abs() > unclear;
                    (ours - parry).abs() <= 2.0 * allowed(case.size) && (touches == near || !clear)
                } else {
                    ours <= 2.0 * unclear && !manifold.is_empty()
                };
                if same {
                    continue;
                }
                let (truth, _) = Judge::new(&case.a, &case.b, &case.pose).separation();
                let tell = format!(
                    "{}-{} seed {seed}: ours {ours:e}, Parry {parry:e}, the judge {truth:e}",
                    case.a.name(),
                    case.b.name()
                );
                assert!((ours - truth).abs() <= allowed(case.size), "{tell}");
                overruled.push(tell);
            }
        }
    }
    println!("{asked} pairs, {apart} of them apart; Parry was overruled {} times", overruled.len());
    assert!(asked > 2000 && apart > 500, "{asked} asked, {apart} apart");
    // A second opinion that is overruled often is none.
    assert!(overruled.len() * 100 < asked, "{} of {asked}:\n{}", overruled.len(), overruled.join("\n"));
}

/// How deep two shapes overlap is the least shift that parts them: Parry's contacts say the same where they say it well, and where the two differ
/// the judge decides.
#[test]
fn parry_agrees_on_depths() {
    let (mut asked, mut overruled) = (0, Vec::new());
    for kind_a in 0..KINDS {
        for kind_b in 0..KINDS {
            for seed in 0..80 {
                let mut dice = Dice::new(seed * 2003 + (kind_a * KINDS + kind_b) as u64);
                let case = case(&mut dice, kind_a, kind_b, 1.0);
                let (Some((a, at_a)), Some((b, at_b))) = (translated(&case.a), translated(&case.b)) else { continue };
                // Parry's contacts with a half-space that comes second are not depths.
                if matches!(case.b, Any::HalfSpace(_)) {
                    continue;
                }
                let found = query::contact(&at_a, &*a, &(pose(&case.pose) * at_b), &*b, 0.0);
                let Ok(Some(contact)) = found else { continue };
                if contact.dist > -1e-3 * case.size {
                    continue;
                }
                asked += 1;
                let ours = closest_points(case.a.borrow(), case.b.borrow(), &case.pose).separation.to_f64();
                if (ours - contact.dist).abs() <= 2.0 * allowed(case.size) {
                    continue;
                }
                let (truth, _) = Judge::new(&case.a, &case.b, &case.pose).separation();
                let tell = format!(
                    "{}-{} seed {seed}: ours {ours:e}, Parry {:e}, the judge {truth:e}",
                    case.a.name(),
                    case.b.name(),
                    contact.dist
                );
                assert!((ours - truth).abs() <= allowed(case.size), "{tell}");
                overruled.push(tell);
            }
        }
    }
    println!("{asked} overlaps; Parry was overruled {} times", overruled.len());
    assert!(asked > 500, "{asked} asked");
    assert!(overruled.len() * 100 < asked, "{} of {asked}:\n{}", overruled.len(), overruled.join("\n"));
}
