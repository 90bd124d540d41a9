//! The broad phase from outside: pairs and queries against going through all boxes (002-T6).

use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::{BTreeMap, BTreeSet};
use tumble::detect::broad::{BoxCast, BroadPhase, DynamicTree, ProxyDesc, ProxyId, ProxyKind, ProxyPair};
use tumble::math::{Aabb, Float, Real, Vec3};

fn cube(x: f64, y: f64, z: f64, edge: f64) -> Aabb {
    Aabb::new(Vec3::new(x, y, z).to_real(), Vec3::new(x + edge, y + edge, z + edge).to_real())
}

fn desc(aabb: Aabb, kind: ProxyKind, user: u32) -> ProxyDesc {
    ProxyDesc { aabb, kind, user, layers: 1, margin: 0.125 }
}

/// Boxes that share a corner, an edge or a face make a pair; boxes one grid step apart do not.
#[test]
fn touching_counts() {
    let eps = f64::from(Real::EPSILON as f32);
    for (x, y, z) in [(1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0), (-1.0, 0.5, -1.0)] {
        for (gap, count) in [(0.0, 1), (4.0 * eps, 0)] {
            let mut broad = BroadPhase::new();
            let flush = |aabb, user| ProxyDesc { margin: 0.0, ..desc(aabb, ProxyKind::Moving, user) };
            broad.create_proxy(&flush(cube(0.0, 0.0, 0.0, 1.0), 0));
            broad.create_proxy(&flush(cube(x * (1.0 + gap), y, z, 1.0), 1));
            let mut pairs = Vec::new();
            broad.update_pairs(&|_, _| true, &mut pairs);
            assert_eq!(pairs.len(), count, "{x} {y} {z} {gap}");
        }
    }
}

/// A random scene whose proxies come, go, drift, jump, rest, and change in kind, with everything that may be asked of it
/// answered by going through all proxies.
struct Scene {
    broad: BroadPhase,
    live: BTreeMap<ProxyId, (Aabb, ProxyKind, u32)>,
    known: BTreeSet<ProxyPair>,
    /// Users that differ by one of these do not collide.
    forbidden: BTreeSet<u32>,
    next_user: u32,
}

/// What happens to a scene between two searches.
#[derive(Clone, Debug)]
enum Change {
    Create(Aabb, ProxyKind),
    CreateMany(Vec<(Aabb, ProxyKind)>),
    Destroy(Index),
    Drift(Index, Vec3),
    Stir(Vec3),
    Jump(Index, Aabb),
    Kind(Index),
    Filter(u32),
}

fn any_aabb() -> impl Strategy<Value = Aabb> {
    prop_oneof![
        30 => (-6.0..6.0, -6.0..6.0, -6.0..6.0, 0.0..2.0).prop_map(|(x, y, z, edge)| cube(x, y, z, edge)),
        1 => Just(Aabb::EVERYTHING),
        1 => (-6.0..6.0f64).prop_map(|y| Aabb { max: Vec3::new(Real::INFINITY, Real::from_f64(y), Real::INFINITY), ..Aabb::EVERYTHING }),
        1 => Just(cube(-1e30, -1e30, -1e30, 1e30)),
    ]
}

fn any_kind() -> impl Strategy<Value = ProxyKind> {
    prop_oneof![1 => Just(ProxyKind::Fixed), 3 => Just(ProxyKind::Moving)]
}

fn any_change() -> impl Strategy<Value = Change> {
    let step = || (-0.4..0.4, -0.4..0.4, -0.4..0.4).prop_map(|(x, y, z)| Vec3::new(x, y, z).to_real());
    prop_oneof![
        6 => (any_aabb(), any_kind()).prop_map(|(b, k)| Change::Create(b, k)),
        1 => prop::collection::vec((any_aabb(), any_kind()), 0..30).prop_map(Change::CreateMany),
        3 => any::<Index>().prop_map(Change::Destroy),
        8 => (any::<Index>(), step()).prop_map(|(i, d)| Change::Drift(i, d)),
        2 => step().prop_map(Change::Stir),
        2 => (any::<Index>(), any_aabb()).prop_map(|(i, b)| Change::Jump(i, b)),
        2 => any::<Index>().prop_map(Change::Kind),
        1 => (0u32..4).prop_map(Change::Filter),
    ]
}

impl Scene {
    fn new() -> Self {
        let forbidden = BTreeSet::new();
        Self { broad: BroadPhase::new(), live: BTreeMap::new(), known: BTreeSet::new(), forbidden, next_user: 0 }
    }

    fn pick(&self, index: &Index) -> Option<ProxyId> {
        (!self.live.is_empty()).then(|| *self.live.keys().nth(index.index(self.live.len())).unwrap())
    }

    fn move_to(&mut self, id: ProxyId, aabb: Aabb, displacement: Vec3) {
        let before = self.broad.fat_aabb(id).unwrap();
        let must = self.broad.must_move(id, &aabb, displacement);
        let moved = self.broad.move_proxy(id, &aabb, displacement);
        assert_eq!(must, moved);
        let fat = self.broad.fat_aabb(id).unwrap();
        assert!(fat.contains(&aabb), "{fat:?} does not contain {aabb:?}");
        assert!(moved || fat == before);
        self.live.get_mut(&id).unwrap().0 = aabb;
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Create(aabb, kind) => {
                let id = self.broad.create_proxy(&desc(*aabb, *kind, self.next_user));
                self.live.insert(id, (*aabb, *kind, self.next_user));
                self.next_user += 1;
            }
            Change::CreateMany(boxes) => {
                let descs: Vec<_> = (self.next_user..).zip(boxes).map(|(user, (b, k))| desc(*b, *k, user)).collect();
                self.next_user += descs.len() as u32;
                let mut ids = Vec::new();
                self.broad.create_proxies(&descs, &mut ids);
                self.live.extend(ids.iter().zip(&descs).map(|(id, d)| (*id, (d.aabb, d.kind, d.user))));
            }
            Change::Destroy(index) => {
                if let Some(id) = self.pick(index) {
                    assert!(self.broad.destroy_proxy(id) && !self.broad.destroy_proxy(id));
                    self.live.remove(&id);
                    self.known.retain(|pair| pair.a != id && pair.b != id);
                }
            }
            Change::Drift(index, step) => {
                if let Some(id) = self.pick(index) {
                    let (aabb, ..) = self.live[&id];
                    self.move_to(id, Aabb::new(aabb.min + *step, aabb.max + *step), *step * 2.0);
                }
            }
            Change::Stir(step) => {
                for (id, (aabb, kind, user)) in self.live.clone() {
                    if kind == ProxyKind::Moving {
                        let step = if user % 2 == 0 { *step } else { -*step };
                        self.move_to(id, Aabb::new(aabb.min + step, aabb.max + step), Vec3::ZERO);
                    }
                }
            }
            Change::Jump(index, aabb) => {
                if let Some(id) = self.pick(index) {
                    self.move_to(id, *aabb, Vec3::ZERO);
                }
            }
            Change::Kind(index) => {
                if let Some(id) = self.pick(index) {
                    let entry = self.live.get_mut(&id).unwrap();
                    entry.1 = if entry.1 == ProxyKind::Fixed { ProxyKind::Moving } else { ProxyKind::Fixed };
                    self.broad.set_kind(id, entry.1);
                }
            }
            Change::Filter(difference) => {
                if !self.forbidden.remove(difference) {
                    self.forbidden.insert(*difference);
                }
                for &id in self.live.keys() {
                    self.broad.touch_proxy(id);
                }
            }
        }
    }

    fn allowed(&self, a: u32, b: u32) -> bool {
        !self.forbidden.contains(&(a.abs_diff(b) - 1))
    }

    /// All pairs that should be known, by going through all of them.
    fn expected(&self) -> BTreeSet<ProxyPair> {
        let mut pairs = BTreeSet::new();
        for (&a, &(box_a, kind_a, user_a)) in &self.live {
            for (&b, &(box_b, kind_b, user_b)) in self.live.range(a..).skip(1) {
                let fat = self.broad.fat_aabb(a).unwrap().overlaps(&self.broad.fat_aabb(b).unwrap());
                // What the margins are for: no overlap of the colliders' own boxes is missed.
                assert!(fat || !box_a.overlaps(&box_b));
                let moving = kind_a == ProxyKind::Moving || kind_b == ProxyKind::Moving;
                if fat && moving && self.allowed(user_a, user_b) {
                    pairs.insert(ProxyPair::new(a, b));
                }
            }
        }
        pairs
    }

    /// Does what an owner does in a step: ends pairs, then searches for new ones, in `threads` parts of any order.
    fn step(&mut self, threads: usize) -> Vec<ProxyPair> {
        let expected = self.expected();
        for pair in self.known.difference(&expected) {
            assert!(self.broad.remove_pair(*pair));
        }
        self.known.retain(|pair| expected.contains(pair));
        let forbidden = self.forbidden.clone();
        let filter = move |a: u32, b: u32| !forbidden.contains(&(a.abs_diff(b) - 1));
        let mut new = Vec::new();
        if threads == 1 {
            self.broad.update_pairs(&filter, &mut new);
        } else {
            let search = self.broad.search_pairs();
            let parts = search.parts();
            let mut lists = vec![Vec::new(); threads];
            std::thread::scope(|scope| {
                for (i, list) in lists.iter_mut().enumerate() {
                    let (search, filter) = (&search, &filter);
                    scope.spawn(move || search.collect(parts * i / threads..parts * (i + 1) / threads, filter, list));
                }
            });
            new.extend(lists.into_iter().rev().flatten());
            search.finish(&mut new);
        }
        let fresh: Vec<ProxyPair> = expected.difference(&self.known).copied().collect();
        assert_eq!(new, fresh, "new pairs, sorted");
        self.known = expected;
        assert_eq!(self.broad.pair_count(), self.known.len());
        assert!(self.known.iter().all(|pair| self.broad.is_known(*pair)));
        assert!(self.broad.is_settled());
        assert_eq!(self.broad.validate(), Ok(()));
        new
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// 002-T6. Over many steps with all kinds of changes, the pairs are those of going through all boxes, each is reported once
    /// and in order, and it does not matter how many threads search nor that a copy goes on instead.
    #[test]
    fn pairs_are_those_of_brute_force(
        crowd in prop::collection::vec((any_aabb(), any_kind()), 0..60),
        steps in prop::collection::vec(prop::collection::vec(any_change(), 0..8), 1..25),
    ) {
        let mut scene = Scene::new();
        scene.apply(&Change::CreateMany(crowd));
        for (i, changes) in steps.iter().enumerate() {
            for change in changes {
                scene.apply(change);
            }
            let copy = scene.broad.clone();
            let new = scene.step(1 + i % 3);
            let (mut other, forbidden) = (copy, scene.forbidden.clone());
            let mut again = Vec::new();
            other.update_pairs(&|a, b| !forbidden.contains(&(a.abs_diff(b) - 1)), &mut again);
            // The copy was taken before the owner ended pairs; those that ended are not among the new ones.
            prop_assert_eq!(&new, &again);
        }
    }
}

/// Large enough that the search is divided into parts, and dense and sparse by turns.
#[test]
fn a_large_crowd_is_searched_in_parts() {
    let mut scene = Scene::new();
    let place = |i: u32| cube(f64::from(i % 12) * 0.9, f64::from(i / 12 % 12) * 0.9, f64::from(i / 144) * 0.9, 0.75);
    let kind = |i: u32| if i.is_multiple_of(5) { ProxyKind::Fixed } else { ProxyKind::Moving };
    scene.apply(&Change::CreateMany((0..1440).map(|i| (place(i), kind(i))).collect()));
    scene.apply(&Change::Create(Aabb::EVERYTHING, ProxyKind::Fixed));
    assert!(scene.broad.search_pairs().parts() > 256);
    scene.step(3);
    let ids: Vec<ProxyId> = scene.live.keys().copied().collect();
    for round in 1..6u32 {
        for (i, &id) in ids.iter().enumerate().filter(|(i, _)| (*i as u32).is_multiple_of(1 << (2 * (round % 3)))) {
            let (aabb, ..) = scene.live[&id];
            let step = Vec3::new(0.3, 0.2 * f64::from(i as u32 % 3), -0.1).to_real();
            scene.move_to(id, Aabb::new(aabb.min + step, aabb.max + step), Vec3::ZERO);
        }
        scene.step(1 + round as usize % 3);
    }
}

/// What stays inside its fat box, or sleeps, costs nothing: there is nothing to search.
#[test]
fn rest_is_free() {
    let mut broad = BroadPhase::new();
    let ids: Vec<_> =
        (0..100).map(|i| broad.create_proxy(&desc(cube(f64::from(i), 0.0, 0.0, 1.0), ProxyKind::Moving, i))).collect();
    let mut pairs = Vec::new();
    broad.update_pairs(&|_, _| true, &mut pairs);
    // The margin of 1/8 makes neighbours overlap, and the ones after the next not.
    assert_eq!(pairs.len(), 99);
    for (i, id) in ids.iter().enumerate() {
        assert!(!broad.move_proxy(*id, &cube(i as f64 + 0.12, 0.1, -0.12, 1.0), Vec3::ZERO));
    }
    assert!(broad.is_settled());
    assert_eq!(broad.search_pairs().parts(), 0);
    broad.update_pairs(&|_, _| panic!("nobody moved"), &mut pairs);
    assert!(pairs.is_empty());
}

/// A fat box reaches ahead of a fast collider, and shrinks again when the collider has come to rest.
#[test]
fn fat_boxes_follow_the_speed() {
    let mut broad = BroadPhase::new();
    let id = broad.create_proxy(&desc(cube(0.0, 0.0, 0.0, 1.0), ProxyKind::Moving, 0));
    let ahead = Vec3::new(8.0, -4.0, 0.0).to_real();
    assert!(broad.move_proxy(id, &cube(1.0, 0.0, 0.0, 1.0), ahead));
    let fat = Aabb::new(Vec3::new(0.875, -4.125, -0.125).to_real(), Vec3::new(10.125, 1.125, 1.125).to_real());
    assert_eq!(broad.fat_aabb(id), Some(fat));
    assert!(!broad.move_proxy(id, &cube(5.0, -2.0, 0.0, 1.0), ahead), "still on its way");
    assert!(broad.move_proxy(id, &cube(5.0, -2.0, 0.0, 1.0), Vec3::ZERO), "stopped");
    assert_eq!(broad.fat_aabb(id), Some(cube(4.875, -2.125, -0.125, 1.25)));
    assert!(!broad.move_proxy(id, &cube(5.0, -2.0, 0.0, 1.0), Vec3::ZERO));
}

/// An id that names nothing changes nothing and answers nothing; the id of a destroyed proxy is used again, and its old pairs do
/// not hide the new ones.
#[test]
fn ids_are_checked_and_used_again() {
    let mut broad = BroadPhase::new();
    let a = broad.create_proxy(&desc(cube(0.0, 0.0, 0.0, 1.0), ProxyKind::Moving, 0));
    let b = broad.create_proxy(&desc(cube(0.5, 0.0, 0.0, 1.0), ProxyKind::Moving, 1));
    let mut pairs = Vec::new();
    broad.update_pairs(&|_, _| true, &mut pairs);
    assert_eq!(pairs, [ProxyPair::new(b, a)]);
    assert!(broad.destroy_proxy(b));
    assert_eq!((broad.pair_count(), broad.fat_overlap(a, b)), (0, false));
    broad.touch_proxy(b);
    broad.set_kind(b, ProxyKind::Fixed);
    broad.set_layers(b, 7);
    assert!(!broad.move_proxy(b, &cube(0.0, 0.0, 0.0, 9.0), Vec3::ZERO) && !broad.remove_pair(ProxyPair::new(a, b)));
    assert_eq!((broad.user(b), broad.kind(b), broad.layers(b), broad.fat_aabb(b)), (None, None, None, None));
    assert_eq!(BroadPhase::new().user(a), None, "an id of another broad phase");
    assert_eq!(broad.create_proxy(&desc(cube(0.5, 0.0, 0.0, 1.0), ProxyKind::Moving, 2)), b);
    broad.update_pairs(&|_, _| true, &mut pairs);
    assert_eq!(pairs, [ProxyPair::new(a, b)]);
    assert_eq!(broad.validate(), Ok(()));
}

/// A pair that the filter refused is offered again after a touch, and only then while nothing moves.
#[test]
fn touched_proxies_are_tested_again() {
    let mut broad = BroadPhase::new();
    let a = broad.create_proxy(&desc(cube(0.0, 0.0, 0.0, 1.0), ProxyKind::Fixed, 0));
    let b = broad.create_proxy(&desc(cube(0.5, 0.0, 0.0, 1.0), ProxyKind::Moving, 1));
    let mut pairs = Vec::new();
    broad.update_pairs(&|_, _| false, &mut pairs);
    broad.update_pairs(&|_, _| true, &mut pairs);
    assert!(pairs.is_empty());
    broad.touch_proxy(a);
    broad.update_pairs(&|_, _| true, &mut pairs);
    assert_eq!(pairs, [ProxyPair::new(a, b)]);
    broad.touch_proxy(b);
    broad.update_pairs(&|_, _| true, &mut pairs);
    assert!(pairs.is_empty(), "known already");
}

/// Corners on a grid of small whole numbers: every question has an exact answer in whole numbers.
fn grid_boxes() -> impl Strategy<Value = Vec<([i64; 3], [i64; 3])>> {
    prop::collection::vec(([-9i64..9, -9i64..9, -9i64..9], [0i64..4, 0i64..4, 0i64..4]), 0..80)
}

fn grid_aabb(&(corner, sides): &([i64; 3], [i64; 3])) -> Aabb {
    let v = |a: [i64; 3]| Vec3::new(a[0] as f64, a[1] as f64, a[2] as f64).to_real();
    Aabb::new(v(corner), v([corner[0] + sides[0], corner[1] + sides[1], corner[2] + sides[2]]))
}

fn grid_scene(boxes: &[([i64; 3], [i64; 3])]) -> (BroadPhase, Vec<Aabb>) {
    let mut broad = BroadPhase::new();
    let aabbs: Vec<Aabb> = boxes.iter().map(grid_aabb).collect();
    for (i, aabb) in (0..).zip(&aabbs) {
        let kind = if i % 2 == 0 { ProxyKind::Fixed } else { ProxyKind::Moving };
        broad.create_proxy(&ProxyDesc { aabb: *aabb, kind, user: i, layers: 1 << (i % 3), margin: 0.0 });
    }
    (broad, aabbs)
}

/// When a box with sides `size` at `start` that moves by `d` per unit of time meets another: the first t in [0, max] as a fraction,
/// by comparing fractions in whole numbers.
fn exact_entry(
    start: [i64; 3],
    size: [i64; 3],
    d: [i64; 3],
    max: i64,
    corner: [i64; 3],
    sides: [i64; 3],
) -> Option<(i64, i64)> {
    let less = |a: (i64, i64), b: (i64, i64)| a.0 * b.1 < b.0 * a.1;
    let (mut near, mut far) = ((0, 1), (max, 1));
    for i in 0..3 {
        let (low, high) = (corner[i] - start[i] - size[i], corner[i] + sides[i] - start[i]);
        if d[i] == 0 {
            if low > 0 || high < 0 {
                return None;
            }
            continue;
        }
        let (enter, leave) = if d[i] > 0 { ((low, d[i]), (high, d[i])) } else { ((-high, -d[i]), (-low, -d[i])) };
        if less(near, enter) {
            near = enter;
        }
        if less(leave, far) {
            far = leave;
        }
    }
    (!less(far, near)).then_some(near)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Overlap queries: exactly the boxes that overlap or touch in the layers asked for, and no more after `false`.
    #[test]
    fn overlap_is_that_of_brute_force(boxes in grid_boxes(), probe in ([-9i64..9, -9i64..9, -9i64..9], [0i64..6, 0i64..6, 0i64..6]), mask in 0u32..8) {
        let (broad, aabbs) = grid_scene(&boxes);
        let probe = grid_aabb(&probe);
        let mut found = BTreeSet::new();
        prop_assert!(broad.overlap(&probe, mask, |id| found.insert(broad.user(id).unwrap())));
        let hit = |i: &u32| aabbs[*i as usize].overlaps(&probe) && (1 << (i % 3)) & mask != 0;
        prop_assert_eq!(&found, &(0..boxes.len() as u32).filter(hit).collect());
        let mut calls = 0;
        let ended = broad.overlap(&probe, mask, |_| { calls += 1; calls < 2 });
        prop_assert_eq!((calls, ended), (found.len().min(2), found.len() < 2));
    }

    /// Casts of points and of boxes, along the axes too, from inside, along faces and through corners: exactly the boxes met, each
    /// with its time of entry (within rounding); and shortening the cast at each hit ends at the first.
    #[test]
    fn casts_are_those_of_brute_force(
        boxes in grid_boxes(),
        start in [-10i64..10, -10i64..10, -10i64..10],
        size in prop_oneof![Just([0i64; 3]), [0i64..3, 0i64..3, 0i64..3]],
        direction in [-3i64..4, -3i64..4, -3i64..4],
        max in 0i64..12,
        mask in prop_oneof![Just(7u32), 0u32..8],
    ) {
        let (broad, _) = grid_scene(&boxes);
        let v = |a: [i64; 3]| Vec3::new(a[0] as f64, a[1] as f64, a[2] as f64).to_real();
        let cast = BoxCast { start: grid_aabb(&(start, size)), direction: v(direction), max: max as Real };
        let exact: BTreeMap<u32, Real> = (0u32..)
            .zip(&boxes)
            .filter(|(i, _)| (1 << (i % 3)) & mask != 0)
            .filter_map(|(i, &(corner, sides))| {
                let (n, d) = exact_entry(start, size, direction, max, corner, sides)?;
                Some((i, n as Real / d as Real))
            })
            .collect();
        let mut found = BTreeMap::new();
        broad.cast(&cast, mask, |id, entry, max| {
            found.insert(broad.user(id).unwrap(), entry);
            max
        });
        prop_assert_eq!(found.keys().collect::<Vec<_>>(), exact.keys().collect::<Vec<_>>());
        for (user, entry) in &found {
            prop_assert!((entry - exact[user]).abs() <= 8.0 * Real::EPSILON * (1.0 + exact[user]));
        }
        let first = exact.values().copied().fold(cast.max, Real::min);
        let last = broad.cast(&cast, mask, |_, entry, _| entry);
        prop_assert!((last - first).abs() <= 8.0 * Real::EPSILON * (1.0 + first));
        let mut calls = 0;
        let stopped = broad.cast(&cast, mask, |_, _, _| { calls += 1; -1.0 });
        prop_assert_eq!((calls, stopped < 0.0), (exact.len().min(1), !exact.is_empty()));
    }

    /// A ray that only just touches a box, at a corner, is not lost to rounding: reciprocals of whole numbers are not exact.
    #[test]
    fn rays_through_corners_hit(
        corner in [-90i64..90, -90i64..90, -90i64..90],
        sides in [0i64..4, 0i64..4, 0i64..4],
        d in [-99i64..99, -99i64..99, -99i64..99],
        k in 1i64..9,
    ) {
        let start = [0, 1, 2].map(|i| corner[i] - k * d[i]);
        let (broad, _) = grid_scene(&[(corner, sides)]);
        let v = |a: [i64; 3]| Vec3::new(a[0] as f64, a[1] as f64, a[2] as f64).to_real();
        for max in [k, 2 * k] {
            let mut found = 0;
            broad.cast(&BoxCast::ray(v(start), v(d), max as Real), 1, |_, _, max| {
                found += 1;
                max
            });
            prop_assert_eq!(found, 1);
        }
    }

    /// The closest box and all boxes within a distance, from points and from boxes; squares of small whole numbers are exact.
    #[test]
    fn closest_is_that_of_brute_force(
        boxes in grid_boxes(),
        from in ([-12i64..12, -12i64..12, -12i64..12], prop_oneof![Just([0i64; 3]), [0i64..3, 0i64..3, 0i64..3]]),
        max in prop_oneof![Just(Real::INFINITY), (0u32..40).prop_map(|d| (d * d) as Real)],
    ) {
        let (broad, _) = grid_scene(&boxes);
        let gap = |&(corner, sides): &([i64; 3], [i64; 3])| -> i64 {
            (0..3).map(|i| (corner[i] - from.0[i] - from.1[i]).max(from.0[i] - corner[i] - sides[i]).max(0).pow(2)).sum()
        };
        let exact: BTreeMap<u32, Real> =
            (0..).zip(boxes.iter().map(|b| gap(b) as Real)).filter(|(_, d)| *d <= max).collect();
        let mut found = BTreeMap::new();
        broad.closest(&grid_aabb(&from), max, u32::MAX, |id, d, max| {
            found.insert(broad.user(id).unwrap(), d);
            max
        });
        prop_assert_eq!(&found, &exact);
        let nearest = broad.closest(&grid_aabb(&from), max, u32::MAX, |_, d, _| d);
        prop_assert_eq!(nearest, exact.values().copied().fold(max, Real::min));
    }
}

/// Half-spaces have infinite boxes, and a user may put a box at 1e30 or at the largest number there is: all are found, by all
/// queries and as pairs, and the ordinary ones beside them are not disturbed.
#[test]
fn infinite_and_huge_boxes_work() {
    let mut tree = DynamicTree::new();
    let ground = Aabb { max: Vec3::new(Real::INFINITY, 0.0, Real::INFINITY), ..Aabb::EVERYTHING };
    let largest = Aabb::new(Vec3::all(-Real::MAX), Vec3::all(Real::MAX));
    let far = Aabb::new(Vec3::all(1e30), Vec3::all(1.5e30));
    let ids = [ground, Aabb::EVERYTHING, largest, far].map(|b| tree.insert(b, u32::MAX, 1));
    for i in 0..500u32 {
        tree.insert(cube(f64::from(i % 25), f64::from(i / 25), 0.0, 0.5), i, 1);
    }
    assert_eq!(tree.validate(), Ok(()));
    assert!(tree.height() < 30);
    let found = |tree: &DynamicTree, probe: Aabb| {
        let (mut ordinary, mut others) = (Vec::new(), 0);
        tree.overlap(&probe, 1, |user| {
            if user < u32::MAX {
                ordinary.push(user)
            } else {
                others += 1
            }
            true
        });
        (ordinary, others)
    };
    let check = |tree: &DynamicTree| {
        assert_eq!(found(tree, cube(3.1, 2.1, 0.1, 0.1)), (vec![53], 2));
        assert_eq!(found(tree, cube(3.1, -9.0, 0.1, 0.1)), (vec![], 3));
        assert_eq!(found(tree, cube(1.2e30, 1.2e30, 1.2e30, 0.0)), (vec![], 3));
        assert_eq!(found(tree, Aabb::EVERYTHING), (found(tree, Aabb::EVERYTHING).0, 4));
        assert_eq!(found(tree, Aabb::EVERYTHING).0.len(), 500);
        let mut met = Vec::new();
        let down = BoxCast::ray(Vec3::new(3.25, 5.9, 0.25).to_real(), Vec3::new(0.0, -1.0, 0.0), Real::INFINITY);
        tree.cast(&down, 1, |user, entry, max| {
            met.push((user, entry));
            max
        });
        met.retain(|(user, _)| *user < u32::MAX);
        met.sort_by_key(|(user, _)| *user);
        assert_eq!(met.iter().map(|(user, _)| *user).collect::<Vec<_>>(), [3, 28, 53, 78, 103, 128]);
        let above = Aabb::new(Vec3::new(3.0, 100.0, 0.0), Vec3::new(3.0, 100.0, 0.0));
        let mut distances = Vec::new();
        tree.closest(&above, Real::INFINITY, 1, |user, d, max| {
            if user == u32::MAX {
                distances.push(d);
            }
            max
        });
        distances.sort_by(Real::total_cmp);
        // Inside two, 100 above the ground, and farther from the last than the square can say in f32.
        assert_eq!(distances[..3], [0.0, 0.0, 1e4]);
        assert!(distances.len() == 4 && distances[3] > 1e30);
    };
    check(&tree);
    tree.rebuild();
    assert_eq!(tree.validate(), Ok(()));
    check(&tree);

    // From unbounded to bounded and back.
    tree.enlarge_leaf(ids[0], cube(0.0, 0.0, 0.0, 30.0));
    tree.maintain();
    assert_eq!((found(&tree, cube(28.0, 28.0, 28.0, 1.0)).1, tree.validate()), (3, Ok(())));
    tree.enlarge_leaf(ids[0], ground);
    tree.maintain();
    assert_eq!(tree.validate(), Ok(()));
    check(&tree);
    for id in ids {
        assert!(tree.remove(id));
    }
    assert_eq!((tree.len(), tree.validate()), (500, Ok(())));
}

/// Ten thousand boxes in one place: no depth without bound, no pair lost, and moving them all away ends well.
#[test]
fn equal_boxes_are_no_trouble() {
    let mut broad = BroadPhase::new();
    let here = cube(0.0, 0.0, 0.0, 1.0);
    let ids: Vec<_> = (0..10_000).map(|i| broad.create_proxy(&desc(here, ProxyKind::Moving, i))).collect();
    let mut pairs = Vec::new();
    // Only users that differ by 5000 collide: 5000 of 50 million pairs.
    broad.update_pairs(&|a, b| a.abs_diff(b) == 5000, &mut pairs);
    assert_eq!(pairs.len(), 5000);
    assert!(broad.tree(ProxyKind::Moving).height() <= 20);
    for (i, id) in ids.iter().enumerate() {
        broad.move_proxy(*id, &cube(2.0 * (i % 100) as f64, 2.0 * (i / 100) as f64, 0.0, 1.0), Vec3::ZERO);
    }
    for pair in &pairs {
        assert!(!broad.fat_overlap(pair.a, pair.b) && broad.remove_pair(*pair));
    }
    broad.update_pairs(&|_, _| true, &mut pairs);
    assert!(pairs.is_empty());
    assert_eq!((broad.pair_count(), broad.validate()), (0, Ok(())));
}

/// Queries take `&self`; several threads at once get what one gets.
#[test]
fn queries_run_on_several_threads() {
    let mut broad = BroadPhase::new();
    for i in 0..2000u32 {
        let aabb = cube(f64::from(i % 20), f64::from(i / 20 % 10), f64::from(i / 200), 0.5);
        broad.create_proxy(&desc(aabb, if i % 3 == 0 { ProxyKind::Moving } else { ProxyKind::Fixed }, i));
    }
    let query = |i: u32| {
        let mut order = Vec::new();
        let ray = BoxCast::ray(
            Vec3::new(-1.0, f64::from(i % 10) + 0.2, f64::from(i / 10) + 0.2).to_real(),
            Vec3::new(1.0, 0.01, 0.02).to_real(),
            100.0,
        );
        broad.cast(&ray, u32::MAX, |id, _, max| {
            order.push(id);
            max
        });
        order
    };
    let alone: Vec<_> = (0..100).map(query).collect();
    assert!(alone.iter().all(|order| order.len() >= 10));
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..100).map(query).collect::<Vec<_>>())).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}
