//! The bars that the project has set itself, and where it stands.

use super::report::{against, comparisons, geomean};
use super::run::{Row, TUMBLE};
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
    /// What stands beside it and changes nothing.
    pub beside: Option<String>,
}

impl Bar {
    pub fn at_most(what: impl Into<String>, measured: f64, most: f64) -> Self {
        Self { what: what.into(), measured, bound: Bound::AtMost(most), beside: None }
    }

    pub fn at_least(what: impl Into<String>, measured: f64, least: f64) -> Self {
        Self { what: what.into(), measured, bound: Bound::AtLeast(least), beside: None }
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
        let beside = &self.beside;
        json!({ "bar": self.what, "measured": self.measured, side: figure, "met": self.met(), "beside": beside })
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
        let beside = bar.beside.as_ref().map_or_else(String::new, |beside| format!(" ({beside})"));
        let _ = writeln!(text, "| {} | {:.3}{beside} | {wanted} | {word} |", bar.what, bar.measured);
    }
    text
}

/// Pyramids and piles, on which two threads are judged. The wall is a pyramid too, but of few boxes: a step of it is over before a
/// second thread is worth waking.
const THREADED: [&str; 7] =
    ["large-pyramid", "many-pyramids", "falling-boxes", "ball-pit", "convex-pile", "junkyard", "washer"];

/// Two threads are judged on this case.
pub fn is_threaded(case: &str) -> bool {
    THREADED.contains(&case)
}

/// The bars of what was measured; one that needs what was not is left out, and one for which Tumble failed a gate is missed.
pub fn of_rows(rows: &[Row]) -> Vec<Bar> {
    let mut bars = Vec::new();
    let all = comparisons(rows);
    let compared = all.iter().filter(|c| c.threads == 1 && !c.trees);
    let worst = compared.filter_map(|c| Some((c, c.judged()?, c.fastest?)));
    // Not a number comes after every number.
    if let Some((case, ratio, peer)) = worst.max_by(|a, b| a.1.total_cmp(&b.1)) {
        let what = format!("slowest case to its fastest peer: {} to {}", case.case, peer.engine);
        bars.push(Bar::at_most(what, ratio, 1.0));
    }
    bars.extend(geomean(&all, 1).map(|mean| Bar::at_most("geometric mean to the fastest peer", mean, 0.8)));
    bars.extend(against(rows, "rapier").map(|mean| Bar::at_most("geometric mean to Rapier by default", mean, 0.5)));
    if let Some(peer) = find(rows, "joint-grid", "box3d", 1).filter(|row| row.passes()) {
        bars.extend(ratio(rows, peer).map(|r| Bar::at_most("joint grid to Box3D", r, 0.6)));
    }
    for case in THREADED {
        bars.extend(threaded(rows, case));
    }
    // No other engine runs trees, so MuJoCo is their measure even where it fails the gate, and the bar says so.
    for case in ["humanoid", "humanoid-swaying"] {
        let Some((peer, ratio)) = find(rows, case, "mujoco", 1).and_then(|row| Some((row, ratio(rows, row)?))) else {
            continue;
        };
        let aside = aside(peer);
        bars.push(Bar::at_least(format!("{case}: steps per second to MuJoCo's{aside}"), 1.0 / ratio, 1.5));
        let own = find(rows, case, TUMBLE, 1);
        let count = |row: &Row| row.runs.last()?.contacts;
        let differ = own.and_then(count).zip(count(peer)).map(|(own, other)| (own / other - 1.0).abs());
        let differ = if own.is_some_and(Row::passes) { differ } else { Some(f64::NAN) };
        let what = format!("{case}: mean contact count, difference to MuJoCo's{aside}");
        bars.extend(differ.map(|d| Bar::at_most(what, d, 0.1)));
    }
    if let Some((peer, ratio)) = find(rows, "gentle-chain", "mujoco", 1).and_then(|row| Some((row, ratio(rows, row)?)))
    {
        bars.push(Bar::at_most(format!("gentle chain to MuJoCo{}", aside(peer)), ratio, 1.0));
    }
    bars.extend(drift(rows, TUMBLE).map(|d| Bar::at_most("gentle chain: drift of energy at the end", d, 0.01)));
    bars
}

/// What a bar says of a peer that is its measure although it fails the gate.
fn aside(peer: &Row) -> &'static str {
    if peer.passes() { "" } else { ", which fails the gate" }
}

fn find<'a>(rows: &'a [Row], case: &str, engine: &str, threads: usize) -> Option<&'a Row> {
    rows.iter().find(|r| r.case == case && r.engine == engine && r.threads == threads)
}

/// Tumble's time over that of the peer in the same case; not a number where Tumble fails the gate.
fn ratio(rows: &[Row], peer: &Row) -> Option<f64> {
    Some(judged(find(rows, &peer.case, TUMBLE, peer.threads)?) / timed(peer)?)
}

/// The time of a row that has come to its end.
fn timed(row: &Row) -> Option<f64> {
    row.fault.is_none().then(|| row.best())?
}

/// The time of a row, and not a number where it fails the gate.
pub fn judged(row: &Row) -> f64 {
    row.best().filter(|_| row.passes()).unwrap_or(f64::NAN)
}

/// How much faster an engine is with so many threads than with one; not a number where it fails the gate with either.
pub fn speed_up(rows: &[Row], case: &str, engine: &str, threads: usize) -> Option<f64> {
    let ms = |threads| find(rows, case, engine, threads).map(judged);
    Some(ms(1)? / ms(threads)?)
}

/// Two threads: as good as the best peer in the same run, and 1.7.
fn threaded(rows: &[Row], case: &str) -> Vec<Bar> {
    let Some(own) = speed_up(rows, case, TUMBLE, 2) else { return Vec::new() };
    let gain = find(rows, case, TUMBLE, 1).and_then(|row| row.gain_abreast(2));
    let beside = gain.map(|gain| format!("two runs at once: {gain:.2}"));
    let mut bars = vec![Bar { beside, ..Bar::at_least(format!("{case}: speed-up by two threads"), own, 1.7) }];
    let others = rows.iter().filter(|row| row.case == case && row.threads == 1 && row.engine != TUMBLE);
    let best = others.filter_map(|row| Some((row, speed_up(rows, case, &row.engine, 2).filter(|s| !s.is_nan())?)));
    if let Some((peer, best)) = best.max_by(|a, b| a.1.total_cmp(&b.1)) {
        bars.push(Bar::at_least(format!("{case}: speed-up by two threads beside {}", peer.engine), own, best));
    }
    bars
}

/// How far the energy of the gentle chain is above or below that of its start in the end, as a share of what it releases from there
/// to hanging; not a number where either figure is missing or not finite.
pub fn drift(rows: &[Row], engine: &str) -> Option<f64> {
    let row = find(rows, "gentle-chain", engine, 1)?;
    let share = |name: &str| {
        let mut checks = row.verdict["checks"].as_array().into_iter().flatten();
        checks.find(|check| check["name"] == name).and_then(|check| check["figure"].as_f64()).unwrap_or(f64::NAN)
    };
    let (gain, loss) = (share("gain"), share("loss"));
    Some(if loss <= gain || gain.is_nan() { gain } else { loss })
}

#[cfg(test)]
mod tests {
    use super::super::run::Run;
    use super::*;

    fn row(case: &str, engine: &str, threads: usize, ms: f64) -> Row {
        Row {
            case: case.into(),
            trees: case.starts_with("humanoid") || case == "gentle-chain",
            engine: engine.into(),
            threads,
            runs: vec![Run { times: vec![ms], contacts: Some(8.0), ..Run::default() }],
            abreast: Vec::new(),
            verdict: json!({ "pass": true, "checks": [
                { "name": "gain", "figure": -0.002 }, { "name": "loss", "figure": 0.002 },
            ] }),
            fault: None,
        }
    }

    /// Every bar is there that can be judged, and says whether it is met.
    #[test]
    fn bars_are_judged() {
        let mut rows = [
            row("large-pyramid", "tumble", 1, 2.0),
            row("large-pyramid", "tumble", 2, 1.0),
            row("large-pyramid", "box3d", 1, 4.0),
            row("large-pyramid", "box3d", 2, 1.6),
            row("humanoid", "tumble", 1, 1.0),
            row("humanoid", "mujoco", 1, 1.4),
            row("humanoid-swaying", "tumble", 1, 1.0),
            row("humanoid-swaying", "mujoco", 1, 1.6),
            row("gentle-chain", "tumble", 1, 3.0),
            row("gentle-chain", "mujoco", 1, 2.0),
        ];
        rows[0].abreast = vec![(2, Run { times: vec![2.5], ..Run::default() })];
        let bars = of_rows(&rows);
        assert!(
            text(&bars).contains("speed-up by two threads | 2.000 (two runs at once: 1.60) | at least 1.700 | met")
        );
        let speed_up = bars.iter().find(|bar| bar.what == "large-pyramid: speed-up by two threads").map(Bar::json);
        assert_eq!(speed_up.map(|json| json["beside"].clone()), Some(json!("two runs at once: 1.60")));
        let met = |what: &str| bars.iter().find(|bar| bar.what.starts_with(what)).map(|bar| (bar.measured, bar.met()));
        assert_eq!(met("slowest case"), Some((0.5, true)), "trees are judged by themselves");
        assert_eq!(met("geometric mean to the fastest"), Some((0.5, true)));
        assert_eq!(met("large-pyramid: speed-up by two threads"), Some((2.0, true)));
        assert_eq!(met("large-pyramid: speed-up by two threads beside box3d"), Some((2.0, false)));
        assert_eq!(met("humanoid: steps"), Some((1.4, false)));
        assert_eq!(met("humanoid: mean contact"), Some((0.0, true)));
        assert_eq!(met("humanoid-swaying: steps"), Some((1.6, true)));
        assert_eq!(met("gentle chain to MuJoCo"), Some((1.5, false)));
        assert_eq!(met("gentle chain: drift"), Some((0.002, true)));
        assert_eq!(met("joint grid"), None, "it was not measured");
    }

    /// Whatever rests on a row of Tumble's that fails its gate is missed; a peer that fails is no measure but of its own case, where
    /// the bar says so.
    #[test]
    fn who_fails_the_gate_meets_no_bar() {
        let failing = |case: &str, engine: &str, threads, ms| Row {
            verdict: json!({ "pass": false, "checks": [
                { "name": "gain", "figure": "not finite" }, { "name": "loss", "figure": 0.002 },
            ] }),
            ..row(case, engine, threads, ms)
        };
        let missed = |rows: &[Row], what: &str| {
            let bars = of_rows(rows);
            let bar = bars.iter().find(|bar| bar.what.starts_with(what)).unwrap_or_else(|| panic!("no {what}"));
            assert!(bar.measured.is_nan() && !bar.met(), "{bar:?}");
        };
        let rows = [
            failing("joint-grid", "tumble", 1, 1.0),
            row("joint-grid", "box3d", 1, 4.0),
            row("joint-grid", "rapier", 1, 5.0),
            row("wall", "tumble", 1, 1.0),
            row("wall", "rapier", 1, 4.0),
            row("washer", "tumble", 1, 2.0),
            failing("washer", "tumble", 2, 1.0),
            row("washer", "box3d", 1, 2.0),
            row("washer", "box3d", 2, 1.0),
            failing("humanoid", "tumble", 1, 1.0),
            row("humanoid", "mujoco", 1, 4.0),
            failing("gentle-chain", "tumble", 1, 1.0),
            row("gentle-chain", "mujoco", 1, 4.0),
        ];
        for what in [
            "slowest case to its fastest peer: joint-grid",
            "geometric mean to the fastest peer",
            "geometric mean to Rapier",
            "joint grid",
            "washer: speed-up by two threads",
            "washer: speed-up by two threads beside box3d",
            "humanoid: steps",
            "humanoid: mean contact",
            "gentle chain to MuJoCo",
            "gentle chain: drift",
        ] {
            missed(&rows, what);
        }
        let rows = [
            row("joint-grid", "tumble", 1, 1.0),
            failing("joint-grid", "box3d", 1, 4.0),
            row("humanoid", "tumble", 1, 1.0),
            failing("humanoid", "mujoco", 1, 4.0),
            row("washer", "tumble", 1, 2.0),
            row("washer", "tumble", 2, 1.0),
            failing("washer", "box3d", 1, 9.0),
            row("washer", "box3d", 2, 1.0),
        ];
        let bars = of_rows(&rows);
        let named: Vec<(&str, f64)> = bars.iter().map(|bar| (bar.what.as_str(), bar.measured)).collect();
        assert_eq!(
            named,
            [
                ("washer: speed-up by two threads", 2.0),
                ("humanoid: steps per second to MuJoCo's, which fails the gate", 4.0),
                ("humanoid: mean contact count, difference to MuJoCo's, which fails the gate", 0.0),
            ]
        );
    }

    /// What is not a number meets no bar.
    #[test]
    fn nothing_meets_no_bar() {
        assert!(!Bar::at_most("x", f64::NAN, 1.0).met() && !Bar::at_least("x", f64::NAN, 1.0).met());
    }
}
