//! K: how points of bodies answer impulses, on trees, between them and beside them.

use super::{chain, random_tree, rod, sleepless};
use crate::support::{Random, eps, lopsided, real};
use tumble::math::{Mat3, Point, Vec3, symmetric_eigen};
use tumble::{ArticulationId, BodyDesc, BodyId, Locks, World};

/// Two random trees in motion, and bodies of every kind that answer in another way.
struct Crowd {
    world: World,
    trees: [ArticulationId; 2],
    /// Bodies that are no links.
    others: Vec<BodyId>,
}

impl Crowd {
    fn new(random: &mut Random, links: usize) -> Self {
        let mut world = sleepless();
        let trees = [false, true].map(|floats| {
            let id = world.add_articulation(random_tree(random, links, floats)).unwrap();
            let mut rates = || random.between(-1.0, 1.0);
            let velocity: Vec<f64> = (0..world.articulation(id).unwrap().dofs()).map(|_| rates()).collect();
            world.articulation_mut(id).unwrap().set_velocity(&velocity).unwrap();
            id
        });
        let spin = |body: BodyDesc| body.linear_velocity([1.0, -0.5, 0.25]).angular_velocity([0.5, 2.0, -1.0]);
        let others = [
            spin(lopsided().position([3.0, 0.0, 0.0])),
            spin(lopsided().position([0.0, 3.0, 0.0])).locks(Locks::MOVE_X | Locks::TURN_Y),
            BodyDesc { active: false, ..spin(lopsided().position([0.0, 0.0, 3.0])) },
            spin(BodyDesc::kinematic().position([3.0, 3.0, 0.0])),
            BodyDesc::fixed().position([3.0, 0.0, 3.0]),
        ];
        let others = others.map(|body| world.add_body(body).unwrap()).into_iter().chain([World::BODY]).collect();
        Self { world, trees, others }
    }

    fn link(&self, tree: usize, random: &mut Random) -> BodyId {
        let links: Vec<BodyId> = self.world.articulation(self.trees[tree]).unwrap().links().collect();
        links[random.below(links.len())]
    }

    /// A point near a body.
    fn near(&self, body: BodyId, random: &mut Random) -> Point {
        self.world.body(body).unwrap().position() + random.vector(0.5).to_f64()
    }
}

/// K between several points at once is symmetric, and no impulses at them take energy out of what stands still: all its eigenvalues
/// are positive or rounding. On trees of all kinds of joints with three points each, and with a point of a free body for the last.
#[test]
fn responses_are_symmetric_and_positive() {
    let mut random = Random(23);
    let (mut skew, mut least) = (0.0_f64, 0.0_f64);
    for case in 0..120 {
        let crowd = Crowd::new(&mut random, 2 + case % 14);
        let tree = case % 2;
        let mut points: Vec<(BodyId, Point)> = (0..3)
            .map(|_| {
                let link = crowd.link(tree, &mut random);
                (link, crowd.near(link, &mut random))
            })
            .collect();
        if case % 3 == 0 {
            points[2] = (crowd.others[0], crowd.near(crowd.others[0], &mut random));
        }
        let mut k = [[0.0; 9]; 9];
        for (i, &(b, of)) in points.iter().enumerate() {
            for (j, &(a, at)) in points.iter().enumerate() {
                let block = crowd.world.response(a, at, b, of).unwrap();
                for (column, values) in [block.x, block.y, block.z].into_iter().enumerate() {
                    for row in 0..3 {
                        k[3 * i + row][3 * j + column] = values[row];
                    }
                }
            }
        }
        let size = (0..9).map(|i| k[i][i]).fold(0.0, f64::max);
        for i in 0..9 {
            for j in 0..i {
                skew = skew.max((k[i][j] - k[j][i]).abs() / size);
                k[i][j] = k[j][i];
            }
        }
        let (values, _) = symmetric_eigen(k);
        least = least.min(values.into_iter().fold(0.0, f64::min) / size);
        // Three points of one tree move in no more ways than it has freedoms.
        let dofs = crowd.world.articulation(crowd.trees[tree]).unwrap().dofs();
        let ways = values.iter().filter(|&&v| v > 1e-10 * size).count();
        assert!(case % 3 == 0 || ways <= dofs, "case {case}: {ways} ways with {dofs} freedoms");
    }
    println!("skew {skew:.1e}, least eigenvalue {least:.1e} of the largest entry");
    // Trees are in double precision in both crates, and the masses of free bodies are symmetric as they are.
    assert!(skew < 1e-12 && least > -1e-12, "skew {skew:e}, least {least:e}");
}

/// K is the difference of two full passes: the velocity of every body with an impulse at a point of another, less that without.
#[test]
fn responses_are_what_impulses_do() {
    let mut random = Random(29);
    let mut worst = 0.0_f64;
    for case in 0..24 {
        let crowd = Crowd::new(&mut random, 2 + case % 7);
        let mut bodies = crowd.others.clone();
        for tree in [0, 0, 0, 1, 1] {
            bodies.push(crowd.link(tree, &mut random));
        }
        for &a in &bodies {
            let at = crowd.near(a, &mut random);
            let places: Vec<Point> = bodies.iter().map(|&b| crowd.near(b, &mut random)).collect();
            let velocity = |world: &World, i: usize| world.body(bodies[i]).unwrap().velocity_at(places[i]).to_f64();
            for (axis, n) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                let mut struck = crowd.world.clone();
                let felt = struck.body_mut(a).and_then(|mut body| body.apply_impulse_at(n, at));
                for (i, &b) in bodies.iter().enumerate() {
                    let k = crowd.world.response(a, at, b, places[i]).unwrap();
                    if felt.is_err() {
                        assert_eq!(k, Mat3::ZERO, "{a} cannot be pushed");
                    }
                    let (before, after) = (velocity(&crowd.world, i), velocity(&struck, i));
                    let size = 1.0 + before.length() + after.length();
                    worst = worst.max((after - before - [k.x, k.y, k.z][axis]).length() / size);
                }
            }
        }
    }
    println!("off by {worst:.1e}");
    // Velocities and levers are rounded to the precision of the world.
    assert!(worst < 64.0 * eps(), "{worst:e}");
}

/// What is not there and what is no number is refused by name.
#[test]
fn responses_refuse_what_is_not_there() {
    let mut world = World::new();
    let id = world.add_articulation(chain(2, 0.0, 0.0)).unwrap();
    let link = world.articulation(id).unwrap().link(1).unwrap();
    let gone = world.add_body(rod()).unwrap();
    world.remove_body(gone).unwrap();
    let o = [0.0; 3];
    let missing = world.body(gone).err();
    assert!(missing.is_some());
    assert_eq!(world.response(gone, o, link, o).err(), missing);
    assert_eq!(world.response(link, o, gone, o).err(), missing);
    for bad in [f64::NAN, f64::INFINITY] {
        for (at, of) in [([bad, 0.0, 0.0], o), (o, [0.0, bad, 0.0])] {
            let error = world.response(link, at, link, of).unwrap_err().to_string();
            assert!(error.contains("point") && error.contains("finite"), "{error}");
        }
    }
    world.remove_articulation(id).unwrap();
    assert!(world.response(link, o, link, o).is_err());
}

/// An impulse on a link moves the whole tree as its response says, and a pair of opposite ones leaves it as it was.
#[test]
fn impulse_moves_the_whole_tree() {
    let mut world = World::new();
    let id = world.add_articulation(chain(5, 0.0, 0.3)).unwrap();
    let tree = world.articulation(id).unwrap();
    let tip = tree.link(4).unwrap();
    let point = world.body(tip).unwrap().to_world([0.0, real(-0.25), 0.0]);
    let k = tree.response(4, point, 4, point).unwrap();
    let before = world.body(tip).unwrap().velocity_at(point).to_f64();
    world.body_mut(tip).unwrap().apply_impulse_at([2.0, 0.0, 0.0], point).unwrap();
    let change = world.body(tip).unwrap().velocity_at(point).to_f64() - before;
    assert!((change - k.x * 2.0).length() < 1e3 * eps(), "{change:?}, {:?}", k.x * 2.0);
    assert!(world.articulation(id).unwrap().velocity()[0] != 0.0, "the root answers too");
    world.body_mut(tip).unwrap().apply_impulse_at([-2.0, 0.0, 0.0], point).unwrap();
    assert!(world.articulation(id).unwrap().velocity().iter().all(|v| v.abs() < 1e4 * eps()));
}
