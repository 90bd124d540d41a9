//! Lowest and highest points of blocks of a height field, coarser and coarser.

use crate::math::{Num, Real};
use core::ops::Range;

/// Cells along the side of the finest blocks. Smaller ones would take more room than the heights save.
const BLOCK: usize = 4;
/// Levels at most: the finest has fewer than 2³¹ blocks along a side.
const LEVELS: usize = 32;

/// A pyramid of ranges of height: blocks of 4 x 4 cells at its foot, four blocks to one above, one block at the top.
///
/// Blocks of nothing but holes have the empty range (∞, -∞).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HeightRanges {
    rows: usize,
    columns: usize,
    levels: Vec<Level>,
}

#[derive(Clone, Debug, PartialEq)]
struct Level {
    rows: usize,
    columns: usize,
    ranges: Vec<[Real; 2]>,
}

impl Level {
    fn empty(rows: usize, columns: usize) -> Self {
        Self { rows, columns, ranges: vec![[Real::INFINITY, Real::NEG_INFINITY]; rows * columns] }
    }

    fn extend(&mut self, row: usize, column: usize, [low, high]: [Real; 2]) {
        let range = &mut self.ranges[row * self.columns + column];
        range[0] = Num::min(low, range[0]);
        range[1] = Num::max(high, range[1]);
    }

    fn range(&self, row: usize, column: usize) -> [Real; 2] {
        self.ranges[row * self.columns + column]
    }
}

impl HeightRanges {
    /// The pyramid over a grid of cells; `corners` gives the heights of the corners of a cell, `None` for a hole.
    pub(crate) fn new(rows: usize, columns: usize, corners: impl Fn(usize, usize) -> Option<[Real; 4]>) -> Self {
        let mut level = Level::empty(rows.div_ceil(BLOCK), columns.div_ceil(BLOCK));
        for row in 0..rows {
            for column in 0..columns {
                for height in corners(row, column).into_iter().flatten() {
                    level.extend(row / BLOCK, column / BLOCK, [height; 2]);
                }
            }
        }
        let mut levels = vec![level];
        while let Some(finer) = levels.last().filter(|l| l.ranges.len() > 1) {
            let mut coarser = Level::empty(finer.rows.div_ceil(2), finer.columns.div_ceil(2));
            for row in 0..finer.rows {
                for column in 0..finer.columns {
                    coarser.extend(row / 2, column / 2, finer.range(row, column));
                }
            }
            levels.push(coarser);
        }
        Self { rows, columns, levels }
    }

    /// Lowest and highest height of all.
    pub(crate) fn whole(&self) -> (Real, Real) {
        let [low, high] = self.levels[self.levels.len() - 1].range(0, 0);
        (low, high)
    }

    /// Visits the finest blocks, near ones first. `bound` gives a lower bound of the distance (of any monotonic measure) to what
    /// lies in a range of rows and columns of cells between two heights; `visit` answers the least distance found so far.
    pub(crate) fn nearest_blocks(
        &self,
        bound: impl Fn(Range<usize>, Range<usize>, Real, Real) -> f64,
        mut visit: impl FnMut(Range<usize>, Range<usize>) -> f64,
    ) {
        let cells = |level: usize, row: usize, column: usize| {
            let side = BLOCK << level;
            (row * side..((row + 1) * side).min(self.rows), column * side..((column + 1) * side).min(self.columns))
        };
        let mut best = f64::INFINITY;
        // Three siblings wait on each level below the top while the fourth is searched.
        let mut stack = [(0usize, 0usize, 0usize, 0.0f64); 3 * LEVELS + 1];
        stack[0] = (self.levels.len() - 1, 0, 0, 0.0);
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (level, row, column, distance) = stack[waiting];
            if distance > best {
                continue;
            }
            if level == 0 {
                let (rows, columns) = cells(0, row, column);
                best = visit(rows, columns);
                continue;
            }
            let finer = &self.levels[level - 1];
            let start = waiting;
            for (r, c) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (r, c) = (2 * row + r, 2 * column + c);
                if r >= finer.rows || c >= finer.columns {
                    continue;
                }
                let [low, high] = finer.range(r, c);
                if low > high {
                    continue;
                }
                let (rows, columns) = cells(level - 1, r, c);
                let distance = bound(rows, columns, low, high);
                // Insertion keeps the nearest on top.
                let mut at = waiting;
                while at > start && stack[at - 1].3 < distance {
                    stack[at] = stack[at - 1];
                    at -= 1;
                }
                stack[at] = (level - 1, r, c, distance);
                waiting += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Every level covers every cell, for sizes that are no powers of two, and holes do not count.
    #[test]
    fn ranges_hold_what_is_below_them() {
        for (rows, columns) in [(1, 1), (4, 5), (17, 3), (33, 64)] {
            let height = |r: usize, c: usize| (r * 7 + c * 13) as Real;
            let hole = |r: usize, c: usize| (r, c) == (rows - 1, columns - 1) && rows > 1;
            let ranges = HeightRanges::new(rows, columns, |r, c| {
                (!hole(r, c)).then(|| [height(r, c), height(r, c), height(r, c), height(r, c)])
            });
            let all: Vec<Real> = (0..rows)
                .flat_map(|r| (0..columns).map(move |c| (r, c)))
                .filter(|&(r, c)| !hole(r, c))
                .map(|(r, c)| height(r, c))
                .collect();
            let high = all.iter().fold(0.0, |a: Real, b| a.max(*b));
            assert_eq!(ranges.whole(), (0.0, high));
            let mut visited = 0;
            ranges.nearest_blocks(
                |_, _, _, _| 0.0,
                |rows, columns| {
                    visited += rows.len() * columns.len();
                    f64::INFINITY
                },
            );
            assert_eq!(visited, rows * columns);
        }
    }
}
