//! Finding the vertices that are the same point.

use crate::math::{Float, Real, Vec3};
use std::collections::HashMap;

/// For every vertex the first one at the same position; with a tolerance above 0, the first one kept that lies within it.
pub(crate) fn weld(vertices: &[Vec3], tolerance: Real) -> Vec<u32> {
    if tolerance > 0.0 { weld_near(vertices, tolerance.to_f64()) } else { weld_equal(vertices) }
}

fn weld_equal(vertices: &[Vec3]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    // Adding zero makes -0 the same as 0, also for the total order.
    let key = |i: u32| vertices[i as usize] + Vec3::ZERO;
    order.sort_unstable_by(|&i, &j| {
        let (a, b) = (key(i), key(j));
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)).then(i.cmp(&j))
    });
    let mut first = vec![0; vertices.len()];
    for same in order.chunk_by(|&i, &j| key(i) == key(j)) {
        for &i in same {
            first[i as usize] = same[0];
        }
    }
    first
}

/// Greedy in the order of the vertices, so the result depends on nothing else. Kept vertices are filed under the cell of a
/// grid twice as wide as the tolerance; what lies within the tolerance of a point is in eight cells.
fn weld_near(vertices: &[Vec3], tolerance: f64) -> Vec<u32> {
    // Looked up by key, never iterated.
    let mut kept: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let cell = |c: f64| Float::floor(c / (2.0 * tolerance)) as i64;
    let mut first = Vec::with_capacity(vertices.len());
    for (i, v) in vertices.iter().map(|v| v.to_f64()).enumerate() {
        // A little more than the tolerance, for the rounding of the sums and quotients.
        let reach = tolerance * (1.0 + 1e-9);
        let low = v.to_array().map(|c| cell(c - reach));
        let high = v.to_array().map(|c| cell(c + reach));
        let mut found: Option<u32> = None;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    for &k in kept.get(&[x, y, z]).map_or(&[][..], Vec::as_slice) {
                        let near = (vertices[k as usize].to_f64() - v).length() <= tolerance;
                        if near && found.is_none_or(|f| k < f) {
                            found = Some(k);
                        }
                    }
                }
            }
        }
        first.push(found.unwrap_or(i as u32));
        if found.is_none() {
            kept.entry(v.to_array().map(cell)).or_default().push(i as u32);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn signed_zeros_are_one_point() {
        let vertices = [Vec3::X, Vec3::new(0.0, -0.0, 0.0), Vec3::X, Vec3::new(-0.0, 0.0, 0.0)];
        assert_eq!(weld(&vertices, 0.0), [0, 1, 0, 1]);
    }

    proptest! {
        // The grid finds what a comparison of all pairs finds.
        #[test]
        fn grid_agrees_with_brute_force(
            cells in prop::collection::vec(prop::array::uniform3(-6i32..6), 1..60),
            tolerance in prop::sample::select(vec![0.0, 0.05, 0.1, 0.25, 3.0]),
        ) {
            let vertices: Vec<Vec3> = cells.iter().map(|c| Vec3::from(c.map(|k| k as Real * 0.1))).collect();
            let mut kept: Vec<u32> = Vec::new();
            let expected: Vec<u32> = (0..vertices.len() as u32).map(|i| {
                let v = vertices[i as usize].to_f64();
                let near = |k: u32| (vertices[k as usize].to_f64() - v).length() <= tolerance.to_f64();
                match kept.iter().copied().find(|&k| near(k)) {
                    Some(k) => k,
                    None => { kept.push(i); i }
                }
            }).collect();
            prop_assert_eq!(weld(&vertices, tolerance), expected);
        }
    }
}
