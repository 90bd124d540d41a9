//! Height fields in snapshots.

use super::{HeightField, height_ranges};
use crate::error::Result;
use crate::math::{Float, Real};
use crate::record::stream::{Sink, Source, save_pods};

impl HeightField {
    pub(crate) fn save(&self, out: &mut impl Sink) {
        // The ranges follow from the heights and the holes.
        let Self { xs, zs, heights, holes, materials, flat_sine, ranges: _ } = self;
        save_pods(out, xs);
        save_pods(out, zs);
        save_pods(out, heights);
        out.u32(holes.len() as u32);
        for &hole in holes {
            out.bool(hole);
        }
        save_pods(out, materials);
        out.real(*flat_sine);
    }

    pub(crate) fn load(source: &mut Source<'_>) -> Result<Self> {
        let (xs, zs): (Vec<Real>, Vec<Real>) = (source.pods()?, source.pods()?);
        let heights: Vec<Real> = source.pods()?;
        let mut holes = Vec::new();
        for _ in 0..source.count(1)? {
            holes.push(source.bool()?);
        }
        let materials: Vec<u16> = source.pods()?;
        let flat_sine = source.real()?;

        let usable = |v: &Real| v.to_f64().abs() <= f64::from(f32::MAX);
        let is_grid =
            |lines: &[Real]| lines.len() >= 2 && lines.iter().all(usable) && lines.windows(2).all(|w| w[0] < w[1]);
        if !is_grid(&xs) || !is_grid(&zs) {
            return Err(source.corrupt("the grid of a height field"));
        }
        let (vertices, cells) = (xs.len() as u64 * zs.len() as u64, (xs.len() as u64 - 1) * (zs.len() as u64 - 1));
        let fits = |count: usize| count == 0 || count as u64 == cells;
        if cells > u64::from(u32::MAX / 2)
            || heights.len() as u64 != vertices
            || !heights.iter().all(usable)
            || !fits(holes.len())
            || !fits(materials.len())
            || (!holes.is_empty() && holes.iter().all(|&hole| hole))
            || !flat_sine.is_finite()
        {
            return Err(source.corrupt("a height field"));
        }
        let ranges = height_ranges(&heights, &holes, zs.len(), xs.len());
        Ok(Self { xs, zs, heights, holes, materials, flat_sine, ranges })
    }
}
