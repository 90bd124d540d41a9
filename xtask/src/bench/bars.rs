//! The bars that the project has set itself, and where it stands.

use super::report::{against, comparisons, geomean};
use super::run::Row;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// On which side of a figure it is good to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What is measured.
    pub what: String,
    pub measured: f64,
    pub bound: Bound,
}

impl Bar {
    pub fn at_most(what: impl Into<String>, measured: f64, most: f64) -> Self {
        Self { what: what.into(), measured, bound: Bound::AtMost(most) }
    }

    pub fn at_least(what: impl Into<String>, measured: f64, least: f64) -> Self {
        Self { what: what.into(), measured, bound: Bound::AtLeast(least) }
    }

    /// What is not a number meets nothing.
    pub fn met(&self) -> bool {
        match self.bound {
            Bound::AtMost(most) => self.measured <= most,
            Bound::AtLeast(least) => self.measured >= least,
        }
    }

    pub fn json(&self) -> Value {
        let (side, figure) = match self.bound {
            Bound::AtMost(most) => ("at_most", most),
            Bound::AtLeast(least) => ("at_least", least),
        };
        json!({ "bar": self.what, "measured": self.measured, side: figure, "met": self.met() })
    }
}

/// For people.
pub fn text(bars: &[Bar]) -> String {
    let mut text = String::from("| bar | measured | wanted | |\n|---|---|---|---|\n");
    for bar in bars {
        let wanted = match bar.bound {
            Bound::AtMost(most) => format!("at most {most:.3}"),
            Bound::AtLeast(least) => format!("at least {least:.3}"),
        };
        let word = if bar.met() { "met" } else { "MISSED" };
        let _ = writeln!(text, "| {} | {:.3} | {wanted} | {word} |", bar.what, bar.measured);
    }
    text
}

/// Pyramids and piles, on which two threads are judged.
const THREADED: [&str; 4] = ["large-pyramid", "many-pyramids", "ball-pit", "convex-pile"];

/// The bars of what was measured; one that needs what is missing is left out.
pub fn of_rows(rows: &[Row]) -> Vec<Bar> {
    let mut bars = Vec::new();
    let all = comparisons(rows);
    let worst = all.iter().filter(|c| c.threads == 1 && !c.trees).filter_map(|c| Some((c, c.ratio?, c.fastest?)));
    if let Some((case, ratio, peer)) = worst.max_by(|a, b| a.1.total_cmp(&b.1)) {
        let what = format!("slowest case to its fastest peer: {} to {}", case.case, peer.engine);
        bars.push(Bar::at_most(what, ratio, 1.0));
    }
    bars.extend(geomean(&all, 1).map(|mean| Bar::at_most("geometric mean to the fastest peer", mean, 0.8)));
    bars.extend(against(rows, "rapier").map(|mean| Bar::at_most("geometric mean to Rapier by default", mean, 0.5)));
    let ms = |case: &str, engine: &str, threads: usize| find(rows, case, engine, threads).and_then(Row::best);
    let ratio = |case: &str, engine: &str| Some(ms(case, "tumble", 1)? / ms(case, engine, 1)?);
    bars.extend(ratio("joint-grid", "box3d").map(|r| Bar::at_most("joint grid to Box3D", r, 0.6)));
    for case in THREADED {
        bars.extend(threaded(rows, case));
    }
    if let Some(ratio) = ratio("humanoid", "mujoco") {
        bars.push(Bar::at_least("humanoid: steps per second to MuJoCo's", 1.0 / ratio, 1.5));
        let contacts = |engine| find(rows, "humanoid", engine, 1)?.runs.last()?.contacts;
        let differ = contacts("tumble").zip(contacts("mujoco")).map(|(own, other)| (own / other - 1.0).abs());
        bars.extend(differ.map(|d| Bar::at_most("humanoid: mean contact count, difference to MuJoCo's", d, 0.1)));
    }
    bars.extend(ratio("gentle-chain", "mujoco").map(|r| Bar::at_most("gentle chain to MuJoCo", r, 1.0)));
    bars.extend(drift(rows, "tumble").map(|d| Bar::at_most("gentle chain: drift of energy", d, 0.01)));
    bars
}

/// A row with a figure.
fn find<'a>(rows: &'a [Row], case: &str, engine: &str, threads: usize) -> Option<&'a Row> {
    rows.iter().find(|r| r.case == case && r.engine == engine && r.threads == threads && r.fault.is_none())
}

/// How much faster an engine is with two threads than with one; `None` where it fails the gate.
pub fn speed_up(rows: &[Row], case: &str, engine: &str, threads: usize) -> Option<f64> {
    let ms = |threads| find(rows, case, engine, threads).filter(|row| row.passes()).and_then(Row::best);
    Some(ms(1)? / ms(threads)?)
}

/// Two threads: as good as the best peer in the same run, and 1.7.
fn threaded(rows: &[Row], case: &str) -> Vec<Bar> {
    let Some(own) = speed_up(rows, case, "tumble", 2) else { return Vec::new() };
    let mut bars = vec![Bar::at_least(format!("{case}: speed-up by two threads"), own, 1.7)];
    let others = rows.iter().filter(|row| row.case == case && row.threads == 1 && row.engine != "tumble");
    let best = others.filter_map(|row| Some((row, speed_up(rows, case, &row.engine, 2)?)));
    if let Some((peer, best)) = best.max_by(|a, b| a.1.total_cmp(&b.1)) {
        bars.push(Bar::at_least(format!("{case}: speed-up by two threads beside {}", peer.engine), own, best));
    }
    bars
}

/// How far the energy of the gentle chain has gone up or down, as a share of what it releases from its start to hanging.
pub fn drift(rows: &[Row], engine: &str) -> Option<f64> {
    let row = find(rows, "gentle-chain", engine, 1)?;
    let checks = row.verdict["checks"].as_array()?;
    let shares = checks.iter().filter(|check| check["name"] == "gain" || check["name"] == "loss");
    shares.filter_map(|check| check["figure"].as_f64()).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::super::run::Run;
    use super::*;

    fn row(case: &str, engine: &str, threads: usize, ms: f64) -> Row {
        Row {
            case: case.into(),
            trees: case == "humanoid" || case == "gentle-chain",
            engine: engine.into(),
            threads,
            runs: vec![Run { times: vec![ms], contacts: Some(8.0), ..Run::default() }],
            verdict: json!({ "pass": true, "checks": [
                { "name": "gain", "figure": -0.002 }, { "name": "loss", "figure": 0.002 },
            ] }),
            fault: None,
        }
    }

    /// Every bar is there that can be judged, and says whether it is met.
    #[test]
    fn bars_are_judged() {
        let rows = [
            row("large-pyramid", "tumble", 1, 2.0),
            row("large-pyramid", "tumble", 2, 1.0),
            row("large-pyramid", "box3d", 1, 4.0),
            row("large-pyramid", "box3d", 2, 1.6),
            row("humanoid", "tumble", 1, 1.0),
            row("humanoid", "mujoco", 1, 1.4),
            row("gentle-chain", "tumble", 1, 3.0),
            row("gentle-chain", "mujoco", 1, 2.0),
        ];
        let bars = of_rows(&rows);
        let met = |what: &str| bars.iter().find(|bar| bar.what.starts_with(what)).map(|bar| (bar.measured, bar.met()));
        assert_eq!(met("slowest case"), Some((0.5, true)), "trees are judged by themselves");
        assert_eq!(met("geometric mean to the fastest"), Some((0.5, true)));
        assert_eq!(met("large-pyramid: speed-up by two threads"), Some((2.0, true)));
        assert_eq!(met("large-pyramid: speed-up by two threads beside box3d"), Some((2.0, false)));
        assert_eq!(met("humanoid: steps"), Some((1.4, false)));
        assert_eq!(met("humanoid: mean contact"), Some((0.0, true)));
        assert_eq!(met("gentle chain to MuJoCo"), Some((1.5, false)));
        assert_eq!(met("gentle chain: drift"), Some((0.002, true)));
        assert_eq!(met("joint grid"), None, "it was not measured");
    }

    /// What is not a number meets no bar.
    #[test]
    fn nothing_meets_no_bar() {
        assert!(!Bar::at_most("x", f64::NAN, 1.0).met() && !Bar::at_least("x", f64::NAN, 1.0).met());
    }
}
