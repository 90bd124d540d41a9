//! Tests that need to see inside the tree; what can be seen from outside is tested from outside.

use super::query::Slabs;
use super::{BoxCast, DynamicTree, LEAF, LeafId, MAX_HEIGHT, Node, Pair, Walkers, WideTree, area};
use crate::math::{Aabb, Float, Isa, Real, Vec3};
use proptest::prelude::*;
use proptest::sample::Index;

fn any_box(spread: f64, size: f64) -> impl Strategy<Value = Aabb> {
    let corner = (-spread..spread, -spread..spread, -spread..spread);
    let sides = (0.0..=size, 0.0..=size, 0.0..=size);
    (corner, sides).prop_map(|((x, y, z), (u, v, w))| {
        Aabb::new(Vec3::new(x, y, z).to_real(), Vec3::new(x + u, y + v, z + w).to_real())
    })
}

fn tree_of(boxes: &[Aabb]) -> DynamicTree {
    let mut tree = DynamicTree::new();
    for (i, b) in boxes.iter().enumerate() {
        tree.insert(*b, i as u32, 1);
    }
    tree
}

/// All slots in use, parents first.
fn slots(tree: &DynamicTree) -> Vec<u32> {
    let mut all = vec![0];
    let mut next = 0;
    while let Some(&slot) = all.get(next) {
        next += 1;
        let node = tree.node(slot);
        if !node.is_leaf() {
            all.extend([node.index() * 2, node.index() * 2 + 1]);
        }
    }
    all
}

/// Every inner box is exactly the union of its children's.
fn is_exact(tree: &DynamicTree) -> bool {
    slots(tree).into_iter().all(|slot| {
        let node = tree.node(slot);
        node.is_leaf() || node.aabb == tree.pairs[node.index() as usize].joined(0).aabb
    })
}

/// Two siblings fill a cache line, and what a walk does not read is not in it.
#[test]
fn nodes_are_compact() {
    assert_eq!(size_of::<Node>(), if cfg!(tumble_f64) { 56 } else { 32 });
    assert_eq!(size_of::<Pair>(), 2 * size_of::<Node>());
    if cfg!(not(tumble_f64)) {
        assert_eq!(align_of::<Pair>(), 64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 64 }))]

    /// 002-D4. The sibling found by branch and bound costs no more than any other, each computed by the formula
    /// C_H = SA(H ∪ L) + Σ ΔSA(ancestors); and C(T) grows by just that when the leaf is joined there (before rotations).
    /// Tolerance: sums of up to 60 areas in `f64`, in different orders.
    #[test]
    fn branch_and_bound_finds_the_exhaustive_minimum(
        boxes in prop::collection::vec(any_box(10.0, 4.0), 1..60),
        leaf in any_box(12.0, 4.0),
    ) {
        let mut tree = tree_of(&boxes);
        let cost_at = |slot: u32| {
            let mut cost = area(&tree.node(slot).aabb.union(&leaf));
            let mut above = slot;
            while above != 0 {
                above = tree.upper[(above >> 1) as usize];
                let node = tree.node(above);
                cost += area(&node.aabb.union(&leaf)) - area(&node.aabb);
            }
            cost
        };
        let exhaustive = slots(&tree).into_iter().map(cost_at).fold(f64::INFINITY, f64::min);
        let (sibling, cost) = tree.best_sibling(&leaf);
        let tolerance = 1e-12 * (tree.cost() + area(&leaf));
        prop_assert!((cost - exhaustive).abs() <= tolerance, "{} for {}", cost, exhaustive);
        prop_assert!((cost_at(sibling) - exhaustive).abs() <= tolerance);

        let before = tree.cost();
        let id = tree.take_leaf(0);
        let parent = tree.join(sibling, Node { aabb: leaf, link: LEAF | id.0, layers: 1 });
        if parent != 0 {
            tree.refit_upwards(tree.upper[(parent >> 1) as usize], false);
        }
        prop_assert_eq!(tree.validate(), Ok(()));
        prop_assert!((tree.cost() - before - cost).abs() <= tolerance);
    }

    /// A refit makes all boxes exact, and its rotations never make C(T) larger than that of the same tree without them.
    /// Tolerance: a rotation is chosen by areas rounded to `Real`.
    #[test]
    fn rotations_lower_the_cost(
        boxes in prop::collection::vec(any_box(10.0, 2.0), 2..80),
        moves in prop::collection::vec((any::<Index>(), any_box(10.0, 2.0)), 1..80),
    ) {
        let mut tree = tree_of(&boxes);
        tree.settle();
        for (index, aabb) in moves {
            tree.enlarge_leaf(LeafId(index.index(boxes.len()) as u32), aabb);
        }
        prop_assert_eq!(tree.validate(), Ok(()));
        let mut plain = tree.clone();
        for slot in slots(&plain).into_iter().rev() {
            let node = *plain.node(slot);
            if !node.is_leaf() {
                *plain.node_mut(slot) = plain.pairs[node.index() as usize].joined(node.index());
            }
        }
        tree.refit();
        prop_assert_eq!(tree.validate(), Ok(()));
        prop_assert!(is_exact(&tree) && is_exact(&plain));
        prop_assert!(tree.cost() <= plain.cost() * (1.0 + 16.0 * Real::EPSILON.to_f64()));
    }
}

/// An endless ray along an axis visits what lies on its line, and not all that lies beside it.
#[test]
fn endless_ray_misses_what_lies_beside_it() {
    let cube = |x: Real, y: Real| Aabb::new(Vec3::new(x, y, 0.0), Vec3::new(x + 1.0, y + 1.0, 1.0));
    let mut tree = DynamicTree::new();
    for (user, (x, y)) in (0..).zip([(5.0, 0.0), (5.0, 2.0), (5.0, -2.0), (-5.0, 0.0), (9.0, 0.0), (9.0, 1.0)]) {
        tree.insert(cube(x, y), user, 1);
    }
    let mut visited = Vec::new();
    let ray = BoxCast::ray(Vec3::all(0.5), Vec3::X, Real::INFINITY);
    tree.cast(&ray, 1, |user, _, max| {
        visited.push(user);
        max
    });
    assert_eq!(visited, [0, 4]);
    visited.clear();
    tree.cast_each(&[ray], 1, |_, user, max| {
        visited.push(user);
        max
    });
    assert_eq!(visited, [0, 4]);
}

/// Casts along few lines of a coarse grid, so that many only touch, and of any length; some run along an axis.
fn any_cast() -> impl Strategy<Value = BoxCast> {
    let whole = |range: core::ops::Range<i32>| range.prop_map(|i| Real::from_f64(f64::from(i)));
    let vector = move |range: core::ops::Range<i32>| {
        (whole(range.clone()), whole(range.clone()), whole(range)).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    };
    let length = prop_oneof![Just(Real::INFINITY), Just(0.0), (0.0..20.0).prop_map(Real::from_f64)];
    (vector(-8..9), vector(0..2), vector(-2..3), length).prop_map(|(corner, size, direction, max)| BoxCast {
        start: Aabb::new(corner, corner + size),
        direction,
        max,
    })
}

/// Boxes on the same grid, flat ones among them.
fn grid_box() -> impl Strategy<Value = Aabb> {
    any_box(8.0, 3.0).prop_map(|b| {
        let round = |v: Vec3| Vec3::new(v.x.round(), v.y.round(), v.z.round());
        Aabb::new(round(b.min), round(b.max))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 4096 }))]

    /// Two siblings at once are measured to the same bits as one by one.
    #[test]
    fn siblings_are_entered_as_single_boxes_are(a in grid_box(), b in grid_box(), cast in any_cast()) {
        let node = |aabb| Node { aabb, link: LEAF, layers: 1 };
        let slabs = Slabs::new(&cast);
        for (a, b) in [(a, b), (a, Aabb::EMPTY), (Aabb::EMPTY, b)] {
            let entries = slabs.entries(&Pair([node(a), node(b)]), cast.max);
            // Any NaN will do.
            let bits = |entry: Real| (!entry.is_nan()).then_some(entry.to_bits());
            prop_assert_eq!(entries.map(bits), [a, b].map(|b| bits(slabs.entry(&b, cast.max))));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 256 }))]

    /// Casts abreast visit what single casts do, also where a visit ends the search or shortens it.
    #[test]
    fn casts_abreast_are_single_casts(
        boxes in prop::collection::vec(grid_box(), 0..80),
        casts in prop::collection::vec(any_cast(), 0..12),
        shorter in prop_oneof![Just(1.0), Just(0.5), Just(-1.0)],
        mask in 1u32..4,
    ) {
        let mut tree = DynamicTree::new();
        for (i, b) in (0u32..).zip(&boxes) {
            tree.insert(*b, i, 1 + i % 3);
        }
        tree.insert(Aabb::new(Vec3::all(Real::NEG_INFINITY), Vec3::new(Real::INFINITY, -7.0, Real::INFINITY)), 1000, 1);
        tree.refit();
        // All that is met, where nothing is cut off; else something, if there is anything, and no more than was asked for.
        let shorten = |max: Real| if shorter < 0.0 { -1.0 } else { max * Real::from_f64(shorter) };
        let mut together = vec![Vec::new(); casts.len()];
        tree.cast_each(&casts, mask, |i, user, max| {
            together[i].push(user);
            shorten(max)
        });
        // The copy for very many casts meets the same, in every instruction set, but for what has no bounds and what it leaves out.
        let (mut wide, mut both) = (WideTree::with_room(tree.len()), WideTree::with_room(2 * tree.len()));
        tree.widen_into(&mut wide, |user| (user % 5 != 4).then_some(user));
        tree.widen_into(&mut both, |user| (user % 2 == 0).then_some(user));
        tree.widen_into(&mut both, |user| (user % 2 == 1).then_some(user));
        let mut walkers = Walkers::new();
        for isa in Isa::available() {
            let mut met = vec![Vec::new(); casts.len()];
            wide.cast_each(isa, &mut walkers, &casts, |_| {}, |i, user, max| {
                met[i].push(user);
                shorten(max)
            });
            // Two trees in one copy; nothing for limits that are none.
            let mut met_both = vec![Vec::new(); 2 * casts.len()];
            let none = [-1.0, Real::NAN].map(|max| casts.iter().map(move |cast| BoxCast { max, ..*cast }));
            let [negative, unknown] = none.map(Iterator::collect::<Vec<_>>);
            let mixed: Vec<BoxCast> = casts.iter().chain(if mask == 1 { &negative } else { &unknown }).copied().collect();
            both.cast_each(isa, &mut walkers, &mixed, |_| {}, |i, user, max| {
                met_both[i].push(user);
                max
            });
            for (i, mut met) in met_both.into_iter().enumerate() {
                let mut alone = Vec::new();
                tree.cast(&mixed[i], u32::MAX, |user, _, max| {
                    alone.extend((user != 1000).then_some(user));
                    max
                });
                alone.sort_unstable();
                met.sort_unstable();
                prop_assert_eq!(alone, met);
            }
            for (cast, mut met) in casts.iter().zip(met) {
                let mut alone = Vec::new();
                tree.cast(cast, u32::MAX, |user, _, max| {
                    let seen = user != 1000 && user % 5 != 4;
                    alone.extend(seen.then_some(user));
                    if seen { shorten(max) } else { max }
                });
                if shorter == 1.0 {
                    alone.sort_unstable();
                    met.sort_unstable();
                    prop_assert_eq!(alone, met);
                } else {
                    prop_assert_eq!(alone.is_empty(), met.is_empty());
                    prop_assert!(shorter > 0.0 || met.len() <= 1);
                }
            }
        }
        for (cast, mut together) in casts.iter().zip(together) {
            let mut alone = Vec::new();
            tree.cast(cast, mask, |user, _, max| {
                alone.push(user);
                shorten(max)
            });
            if shorter == 1.0 {
                alone.sort_unstable();
                together.sort_unstable();
                prop_assert_eq!(alone, together);
            } else {
                prop_assert_eq!(alone.is_empty(), together.is_empty());
                prop_assert!(shorter > 0.0 || together.len() <= 1);
            }
        }
    }
}

/// What [`operations_keep_the_invariants`] does.
#[derive(Clone, Debug)]
enum Operation {
    Insert(Aabb, u32),
    Extend(Vec<Aabb>),
    Remove(Index),
    Move(Index, Aabb),
    Enlarge(Index, Aabb),
    Touch(Index),
    Layers(Index, u32),
    Refit,
    Maintain,
    RebuildWorn,
    Rebuild,
    Settle,
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation::*;
    // Some boxes are flat, some unbounded, some huge.
    let some_box = || {
        prop_oneof![
            20 => any_box(10.0, 3.0),
            2 => any_box(10.0, 0.0),
            1 => Just(Aabb::EVERYTHING),
            1 => any_box(1e30, 1e30),
            1 => any_box(5.0, 5.0).prop_map(|b| Aabb::new(Vec3::new(Real::NEG_INFINITY, b.min.y, b.min.z), b.max)),
        ]
    };
    let index = any::<Index>;
    prop_oneof![
        8 => (some_box(), 0u32..4).prop_map(|(b, layers)| Insert(b, layers)),
        1 => prop::collection::vec(some_box(), 0..20).prop_map(Extend),
        4 => index().prop_map(Remove),
        3 => (index(), some_box()).prop_map(|(i, b)| Move(i, b)),
        6 => (index(), some_box()).prop_map(|(i, b)| Enlarge(i, b)),
        1 => index().prop_map(Touch),
        1 => (index(), 0u32..4).prop_map(|(i, layers)| Layers(i, layers)),
        1 => Just(Refit),
        1 => Just(Maintain),
        1 => Just(RebuildWorn),
        1 => Just(Rebuild),
        1 => Just(Settle),
    ]
}

/// A leaf as a plain list knows it.
struct Known {
    leaf: LeafId,
    aabb: Aabb,
    layers: u32,
    changed: bool,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 2 } else { 64 }))]

    /// 002-T6. After every operation the links, bounds, layers, heights and marks are right, the leaves are those of a plain
    /// list, and a query finds what going through the list finds, touching boxes included.
    #[test]
    fn operations_keep_the_invariants(operations in prop::collection::vec((operation(), any_box(10.0, 6.0)), 1..100)) {
        let mut tree = DynamicTree::new();
        let mut list: Vec<Known> = Vec::new();
        let mut ids = Vec::new();
        for (operation, probe) in operations {
            let pick = |index: Index| (!list.is_empty()).then(|| index.index(list.len()));
            match operation {
                Operation::Insert(aabb, layers) => {
                    list.push(Known { leaf: tree.insert(aabb, 0, layers), aabb, layers, changed: true });
                }
                Operation::Extend(boxes) => {
                    ids.clear();
                    tree.extend(boxes.iter().map(|b| (*b, 0, 1)), &mut ids);
                    let known = |(&leaf, aabb)| Known { leaf, aabb, layers: 1, changed: true };
                    list.extend(ids.iter().zip(boxes).map(known));
                }
                Operation::Remove(index) => {
                    if let Some(i) = pick(index) {
                        let leaf = list.swap_remove(i).leaf;
                        prop_assert!(tree.remove(leaf));
                        prop_assert!(!tree.remove(leaf) && !tree.contains(leaf) && tree.aabb(leaf).is_none());
                    }
                }
                Operation::Move(index, aabb) => {
                    if let Some(i) = pick(index) {
                        tree.move_leaf(list[i].leaf, aabb);
                        (list[i].aabb, list[i].changed) = (aabb, true);
                    }
                }
                Operation::Enlarge(index, aabb) => {
                    if let Some(i) = pick(index) {
                        tree.enlarge_leaf(list[i].leaf, aabb);
                        (list[i].aabb, list[i].changed) = (aabb, true);
                    }
                }
                Operation::Touch(index) => {
                    if let Some(i) = pick(index) {
                        tree.touch_leaf(list[i].leaf);
                        list[i].changed = true;
                    }
                }
                Operation::Layers(index, layers) => {
                    if let Some(i) = pick(index) {
                        tree.set_layers(list[i].leaf, layers);
                        list[i].layers = layers;
                    }
                }
                Operation::Refit => tree.refit(),
                Operation::Maintain => tree.maintain(),
                Operation::RebuildWorn => {
                    tree.rebuild_worn();
                    prop_assert_eq!(tree.worn, 0);
                }
                Operation::Rebuild => {
                    tree.rebuild();
                    prop_assert!(is_exact(&tree) && tree.worn == 0);
                }
                Operation::Settle => {
                    tree.settle();
                    list.iter_mut().for_each(|known| known.changed = false);
                }
            }
            prop_assert_eq!(tree.validate(), Ok(()));
            prop_assert_eq!(tree.len(), list.len());
            prop_assert_eq!(tree.changed(), list.iter().filter(|known| known.changed).count());
            for (i, known) in list.iter().enumerate() {
                prop_assert_eq!((tree.aabb(known.leaf), tree.layers(known.leaf)), (Some(known.aabb), Some(known.layers)));
                tree.leaves[known.leaf.0 as usize].user = i as u32;
            }
            let touching = list.first().map_or(probe, |known| Aabb::new(known.aabb.max, known.aabb.max));
            for (probe, mask) in [(probe, u32::MAX), (probe, 2), (touching, 1), (Aabb::EVERYTHING, 3)] {
                let mut found = Vec::new();
                tree.overlap(&probe, mask, |user| {
                    found.push(user);
                    true
                });
                found.sort_unstable();
                let hit = |known: &Known| known.aabb.overlaps(&probe) && known.layers & mask != 0;
                let expected: Vec<u32> = (0..list.len() as u32).filter(|&i| hit(&list[i as usize])).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}

/// Equal boxes tie in every cost; without a rule for ties they would make a list, not a tree.
#[test]
#[cfg_attr(miri, ignore = "thousands of boxes; small trees run the same code")]
fn equal_boxes_make_a_balanced_tree() {
    let cube = Aabb::new(Vec3::ZERO, Vec3::all(1.0));
    let mut tree = tree_of(&[cube; 10_000]);
    assert_eq!(tree.validate(), Ok(()));
    // 14 would be perfect; the rule compares heights only.
    assert!(tree.height() <= 20, "height {}", tree.height());
    tree.rebuild();
    assert_eq!(tree.validate(), Ok(()));
    assert_eq!(tree.height(), 14);
    let mut count = 0;
    tree.overlap(&cube, 1, |_| {
        count += 1;
        true
    });
    assert_eq!(count, 10_000);
}

/// Boxes that each contain all before them are best kept as a list, as far as areas go; the height stays bounded all the same.
#[test]
#[cfg_attr(miri, ignore = "thousands of boxes; small trees run the same code")]
fn nested_boxes_stay_within_the_height() {
    for grow in [1.0, 1.01] {
        let mut tree = DynamicTree::new();
        let mut size: Real = 1.0;
        for i in 0..3000 {
            tree.insert(Aabb::new(Vec3::ZERO, Vec3::all(size)), i, 1);
            size = size * grow + 0.01;
            assert!(tree.height() <= MAX_HEIGHT);
        }
        assert_eq!(tree.validate(), Ok(()));
    }
}

/// Random boxes, inserted or built: the height is within three times and twice the least possible, insertion loses no more than
/// a third against a build in C(T), and building twice gives the same bits.
#[test]
#[cfg_attr(miri, ignore = "thousands of boxes; small trees run the same code")]
fn random_trees_are_good() {
    let mut seed = 1u64;
    let mut next = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        Real::from_f64((seed >> 40) as f64 / (1u64 << 24) as f64)
    };
    let mut point = || Vec3::new(next(), next(), next());
    let boxes: Vec<Aabb> = (0..4096)
        .map(|_| {
            let corner = point() * 20.0;
            Aabb::new(corner, corner + point())
        })
        .collect();
    let mut tree = tree_of(&boxes);
    assert!(tree.height() <= 36, "height {}", tree.height());
    let inserted = tree.cost();
    tree.rebuild();
    assert!(tree.height() <= 24, "height {}", tree.height());
    assert!(inserted < 1.34 * tree.cost(), "{inserted} against {}", tree.cost());

    let mut again = tree.clone();
    again.rebuild();
    tree.rebuild();
    assert!(again.pairs == tree.pairs && again.upper == tree.upper && again.leaves == tree.leaves);
}

/// While everything drifts, [`DynamicTree::maintain`] keeps C(T) near that of a fresh build; without it, the tree decays.
#[test]
#[cfg_attr(miri, ignore = "thousands of boxes; small trees run the same code")]
fn maintenance_keeps_a_stirred_tree_good() {
    // Each leaf on a circle of its own about the middle, at its own speed: neighbours part for good.
    let place = |i: u32, step: u32| {
        let radius = f64::from(i % 40) * 0.5;
        let turn = f64::from(i) * 2.4 + f64::from(step * (1 + i % 7)) * 0.004;
        let corner = Vec3::new(radius * Float::cos(turn), f64::from(i / 40) * 0.8, radius * Float::sin(turn)).to_real();
        Aabb::new(corner, corner + Vec3::all(1.0))
    };
    let mut kept = DynamicTree::new();
    let mut ids = Vec::new();
    kept.extend((0..1000).map(|i| (place(i, 0), i, 1)), &mut ids);
    let mut decaying = kept.clone();
    let mut worst: f64 = 0.0;
    for step in 1..400 {
        for (i, id) in (0..).zip(&ids) {
            kept.enlarge_leaf(*id, place(i, step));
            decaying.enlarge_leaf(*id, place(i, step));
        }
        kept.maintain();
        kept.settle();
        if step % 20 == 0 {
            let mut fresh = kept.clone();
            fresh.rebuild();
            worst = worst.max(kept.cost() / fresh.cost());
        }
    }
    assert_eq!((kept.validate(), decaying.validate()), (Ok(()), Ok(())));
    assert!(worst < 1.25, "{worst}");
    assert!(decaying.cost() > 2.0 * kept.cost());
}
