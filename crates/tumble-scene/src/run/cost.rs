//! What steps cost: mean and 99th percentile by stage, in a fixed amount of memory.

use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use tumble::{Profile, Stage};

/// What something takes per step, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cost {
    /// The mean.
    pub mean_ms: f64,
    /// 99 of 100 steps take no longer (to 1 %).
    pub p99_ms: f64,
}

/// What a stage takes per step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StageCost {
    /// The stage.
    pub stage: &'static str,
    /// What it takes.
    #[serde(flatten)]
    pub cost: Cost,
}

/// How many there were of something.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize)]
pub struct Count {
    /// Mean over the steps.
    pub mean: f64,
    /// Most in a step.
    pub max: u32,
}

/// The costs of all steps so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    step: Histogram,
    stages: [Histogram; Stage::ALL.len()],
    counts: [(u64, u32); COUNTS.len()],
}

type Counter = fn(&Profile) -> u32;

/// What is counted in a profile.
const COUNTS: [(&str, Counter); 6] = [
    ("awake_bodies", |p| p.awake_bodies),
    ("pairs", |p| p.pairs),
    ("contacts", |p| p.contacts),
    ("points", |p| p.points),
    ("recycled", |p| p.recycled),
    ("islands", |p| p.islands),
];

impl Costs {
    pub fn add(&mut self, profile: &Profile) {
        self.step.add(profile.total);
        for (histogram, (_, time)) in self.stages.iter_mut().zip(profile.stages()) {
            histogram.add(time);
        }
        for ((sum, max), (_, count)) in self.counts.iter_mut().zip(COUNTS) {
            let count = count(profile);
            *sum += u64::from(count);
            *max = (*max).max(count);
        }
    }

    pub fn seconds(&self) -> f64 {
        self.step.sum.as_secs_f64()
    }

    pub fn step(&self) -> Cost {
        self.step.cost()
    }

    pub fn stages(&self) -> Vec<StageCost> {
        let named = Stage::ALL.into_iter().zip(&self.stages);
        named.map(|(stage, histogram)| StageCost { stage: stage.name(), cost: histogram.cost() }).collect()
    }

    pub fn counts(&self) -> BTreeMap<&'static str, Count> {
        let steps = self.step.samples.max(1) as f64;
        let each = COUNTS.into_iter().zip(self.counts);
        each.map(|((name, _), (sum, max))| (name, Count { mean: sum as f64 / steps, max })).collect()
    }
}

/// Bits of a number of nanoseconds that are kept, the leading one not counted.
const BITS: u32 = 6;
/// Buckets per power of two.
const PER_OCTAVE: usize = 1 << BITS;

/// Counts of durations in buckets whose width is 1/64 of their size, so that a percentile of any number of samples errs by
/// less than 1 %.
#[derive(Clone, Debug)]
struct Histogram {
    buckets: Vec<u32>,
    samples: u64,
    sum: Duration,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: vec![0; (64 - BITS as usize + 1) * PER_OCTAVE], samples: 0, sum: Duration::ZERO }
    }
}

/// The bucket of a number: itself where it is small, else its exponent and leading bits.
fn bucket(nanos: u64) -> usize {
    if nanos < PER_OCTAVE as u64 {
        return nanos as usize;
    }
    let exponent = nanos.ilog2() - BITS;
    (exponent as usize + 1) * PER_OCTAVE + (nanos >> exponent) as usize % PER_OCTAVE
}

/// The middle of a bucket.
fn middle(bucket: usize) -> f64 {
    if bucket < PER_OCTAVE {
        return bucket as f64;
    }
    let (exponent, leading) = (bucket / PER_OCTAVE - 1, PER_OCTAVE + bucket % PER_OCTAVE);
    let width = (1_u64 << exponent) as f64;
    leading as f64 * width + (width - 1.0) / 2.0
}

impl Histogram {
    fn add(&mut self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.buckets[bucket(nanos)] += 1;
        self.samples += 1;
        self.sum += time;
    }

    fn cost(&self) -> Cost {
        let mean = self.sum.as_secs_f64() / self.samples.max(1) as f64;
        Cost { mean_ms: mean * 1e3, p99_ms: self.percentile(0.99) * 1e-6 }
    }

    /// In nanoseconds.
    fn percentile(&self, share: f64) -> f64 {
        let rank = (self.samples as f64 * share).ceil() as u64;
        let mut below = 0;
        for (i, &count) in self.buckets.iter().enumerate() {
            below += u64::from(count);
            if below >= rank && count > 0 {
                return middle(i);
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every duration has a bucket, buckets ascend with the duration, and the middle is within 1 % of all that is in it.
    #[test]
    fn buckets_cover_all_durations() {
        let mut last = 0;
        for shift in 0..64 {
            for nanos in [1_u64 << shift, (1 << shift) + (1 << shift) / 3, (1 << shift) - 1 + (1 << shift)] {
                let b = bucket(nanos);
                assert!(b >= last && b < Histogram::default().buckets.len(), "{nanos}");
                last = b;
                let error = (middle(b) / nanos as f64 - 1.0).abs();
                assert!(error < 0.01, "{nanos} ns stand as {} ns", middle(b));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// The percentile is that of the sorted samples, to the width of a bucket; the mean is exact.
        #[test]
        fn percentile_is_that_of_the_sorted_samples(mut nanos in prop::collection::vec(0_u64..50_000_000, 1..400)) {
            let mut histogram = Histogram::default();
            for &n in &nanos {
                histogram.add(Duration::from_nanos(n));
            }
            nanos.sort_unstable();
            let exact = nanos[(nanos.len() as f64 * 0.99).ceil() as usize - 1] as f64;
            prop_assert!((histogram.percentile(0.99) - exact).abs() <= 0.01 * exact);
            let mean = nanos.iter().sum::<u64>() as f64 / nanos.len() as f64;
            prop_assert!((histogram.cost().mean_ms * 1e6 - mean).abs() <= 1e-6 * mean);
        }
    }

    /// Nothing measured is nothing spent.
    #[test]
    fn empty_histogram_costs_nothing() {
        assert_eq!(Histogram::default().cost(), Cost { mean_ms: 0.0, p99_ms: 0.0 });
    }
}
