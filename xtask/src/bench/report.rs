//! The results as a table, as JSON, and in the README.

use super::bars::{self, Bar};
use super::machine::Machine;
use super::run::{Row, TUMBLE};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

/// How Tumble compares with the fastest engine that passes the gate.
pub struct Comparison<'a> {
    pub case: &'a str,
    pub trees: bool,
    pub threads: usize,
    /// The fastest other engine that passes.
    pub fastest: Option<&'a Row>,
    /// Time of Tumble over time of that one; `None` where either is missing or Tumble fails the gate.
    pub ratio: Option<f64>,
    /// The same by the time on processors, with the peer that takes least of it: says more on a machine that others use too.
    pub processor_ratio: Option<f64>,
    /// Tumble was measured and fails the gate.
    pub failed: bool,
}

impl Comparison<'_> {
    /// The ratio as a bar sees it: not a number where a peer passes the gate that Tumble fails.
    pub fn judged(&self) -> Option<f64> {
        if self.failed && self.fastest.is_some() { Some(f64::NAN) } else { self.ratio }
    }
}

/// A comparison for every case and count of threads, in their order.
pub fn comparisons(rows: &[Row]) -> Vec<Comparison<'_>> {
    let mut keys: Vec<(&str, usize)> = Vec::new();
    for row in rows {
        if !keys.contains(&(&row.case, row.threads)) {
            keys.push((&row.case, row.threads));
        }
    }
    keys.sort_by_key(|key| key.1);
    let compare = |(case, threads)| {
        let of_key = || rows.iter().filter(move |row| row.case == case && row.threads == threads);
        let tumble = of_key().find(|row| row.engine == TUMBLE);
        let others = of_key().filter(|row| row.engine != TUMBLE && row.passes() && row.best().is_some());
        let fastest = others.min_by(|a, b| a.best().unwrap_or(0.0).total_cmp(&b.best().unwrap_or(0.0)));
        let own = tumble.filter(|row| row.passes()).and_then(Row::best);
        let ratio = own.zip(fastest.and_then(Row::best)).map(|(own, other)| own / other);
        let others = of_key().filter(|row| row.engine != TUMBLE && row.passes()).filter_map(processor);
        let least = others.min_by(f64::total_cmp);
        let own = tumble.filter(|row| row.passes()).and_then(processor);
        let processor_ratio = own.zip(least).map(|(own, other)| own / other);
        let trees = of_key().any(|row| row.trees);
        let failed = tumble.is_some_and(|row| !row.passes());
        Comparison { case, trees, threads, fastest, ratio, processor_ratio, failed }
    };
    keys.into_iter().map(compare).collect()
}

/// The time on processors, where the driver has told it.
fn processor(row: &Row) -> Option<f64> {
    row.processor().filter(|&ms| ms > 0.0)
}

/// The geometric mean of all ratios with so many threads; not a number where Tumble fails a gate that a peer passes. Trees are judged by
/// themselves.
pub fn geomean(comparisons: &[Comparison<'_>], threads: usize) -> Option<f64> {
    geometric_mean(comparisons.iter().filter(|c| c.threads == threads && !c.trees).filter_map(Comparison::judged))
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = ratios.fold((0.0, 0), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// Tumble's time over that of one engine, whether or not that one passes, as the geometric mean over all cases on one thread; not a
/// number where Tumble fails the gate of one.
pub fn against(rows: &[Row], engine: &str) -> Option<f64> {
    let on_one = || rows.iter().filter(|row| row.threads == 1 && !row.trees);
    let ratio = |other: &Row| {
        let own = on_one().find(|row| row.engine == TUMBLE && row.case == other.case)?;
        let ms = other.best().filter(|_| other.fault.is_none())?;
        Some(bars::judged(own) / ms)
    };
    geometric_mean(on_one().filter(|row| row.engine == engine).filter_map(ratio))
}

fn engines(rows: &[Row]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.engine.as_str()) {
            names.push(&row.engine);
        }
    }
    names
}

/// What stands in a cell: milliseconds, with a mark where the gate was failed.
fn cell(row: Option<&Row>) -> String {
    match row {
        Some(row) => match (row.best(), row.passes(), &row.fault) {
            (Some(ms), true, None) => digits(ms),
            (Some(ms), false, None) => format!("{}\u{2020}", digits(ms)),
            _ => "-".to_owned(),
        },
        None => "-".to_owned(),
    }
}

fn digits(ms: f64) -> String {
    let places = if ms < 1.0 {
        3
    } else if ms < 10.0 {
        2
    } else {
        1
    };
    format!("{ms:.places$}")
}

/// The table in Markdown, with the notes that belong to it.
pub fn table(rows: &[Row], missing: &[(String, String)], machine: &Machine) -> String {
    let (names, comparisons) = (engines(rows), comparisons(rows));
    let mut text = format!(
        "{}, {} cores, {}, load {:.1}. Milliseconds per step, the mean over all steps of the best round; \u{2020} fails the gate of \
         the case.\n\n",
        machine.cpu, machine.cores, machine.date, machine.load
    );
    let _ = writeln!(text, "| case | threads | {} | to the fastest peer | by processor time |", names.join(" | "));
    let _ = writeln!(text, "|---|---|{}---|---|", "---|".repeat(names.len()));
    for c in &comparisons {
        let cells = names.iter().map(|name| {
            cell(rows.iter().find(|row| row.engine == *name && row.case == c.case && row.threads == c.threads))
        });
        let cells: Vec<String> = cells.collect();
        let ratio = match (c.ratio, c.fastest) {
            (Some(ratio), Some(fastest)) => format!("{ratio:.2} ({})", fastest.engine),
            _ => "-".to_owned(),
        };
        let by_processor = c.processor_ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        let _ = writeln!(text, "| {} | {} | {} | {ratio} | {by_processor} |", c.case, c.threads, cells.join(" | "));
    }
    for threads in thread_counts(&comparisons) {
        if let Some(mean) = geomean(&comparisons, threads) {
            let _ = writeln!(text, "\nGeometric mean to the fastest peer, threads {threads}: {}", mean_text(mean));
        }
    }
    if let Some(mean) = against(rows, "rapier") {
        let _ = writeln!(text, "\nGeometric mean to Rapier with default features, one thread: {}", mean_text(mean));
    }
    let _ = writeln!(text, "\n{}\n{}\n{}\n{}", speed_ups(rows), quality(rows), trees(rows), stages(rows));
    for row in rows.iter().filter(|row| row.fault.is_some()) {
        let _ = writeln!(text, "- {}, {}: {}", row.case, row.engine, row.fault.as_deref().unwrap_or_default());
    }
    for (name, reason) in missing {
        let _ = writeln!(text, "- {name} is missing: {reason}");
    }
    text
}

/// A mean for people, who are told why there is none.
fn mean_text(mean: f64) -> String {
    if mean.is_nan() { "none, Tumble fails a gate".to_owned() } else { format!("{mean:.2}") }
}

fn thread_counts(comparisons: &[Comparison<'_>]) -> Vec<usize> {
    let mut counts: Vec<usize> = comparisons.iter().map(|c| c.threads).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// What each engine came to on one thread: deepest overlap, widest gap, largest way, change of energy.
fn quality(rows: &[Row]) -> String {
    let mut text = String::from(
        "| case | engine | ms | processor ms | overlap mm | gap mm | moved m | energy J | gate |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let figure = |value: &Value| value.as_f64().map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
    for row in rows.iter().filter(|row| row.threads == 1 && row.fault.is_none()) {
        let q = &row.verdict["quality"];
        let failed: Vec<&str> = row.verdict["checks"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|check| check["pass"] == false)
            .filter_map(|check| check["name"].as_str())
            .collect();
        let gate = if row.passes() { "passes".to_owned() } else { format!("fails: {}", failed.join(", ")) };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {gate} |",
            row.case,
            row.engine,
            row.best().map(digits).unwrap_or_default(),
            row.processor().map(digits).unwrap_or_default(),
            figure(&q["depth_mm"]),
            figure(&q["gap_mm"]),
            figure(&q["moved_m"]),
            figure(&q["energy_change_j"]),
        );
    }
    text
}

/// How much faster each engine is with more threads than one, where it passes the gate with both.
fn speed_ups(rows: &[Row]) -> String {
    let names = engines(rows);
    let mut text = String::new();
    for c in comparisons(rows).iter().filter(|c| c.threads > 1) {
        if text.is_empty() {
            let _ = writeln!(
                text,
                "| speed-up | threads | {} | as many runs at once |\n|---|---|{}---|",
                names.join(" | "),
                "---|".repeat(names.len())
            );
        }
        let cell = |name: &&str| {
            let times = bars::speed_up(rows, c.case, name, c.threads).filter(|times| !times.is_nan());
            times.map_or_else(|| "-".to_owned(), |times| format!("{times:.2}"))
        };
        let cells: Vec<String> = names.iter().map(cell).collect();
        let own = rows.iter().find(|row| row.engine == TUMBLE && row.case == c.case && row.threads == 1);
        let abreast = own.and_then(|row| row.gain_abreast(c.threads));
        let abreast = abreast.map_or_else(|| "-".to_owned(), |times| format!("{times:.2}"));
        let _ = writeln!(text, "| {} | {} | {} | {abreast} |", c.case, c.threads, cells.join(" | "));
    }
    text
}

/// What is compared of trees beside their times.
fn trees(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.trees && row.threads == 1 && row.fault.is_none()) {
        if text.is_empty() {
            text.push_str(
                "| trees | engine | ms | points of contact | drift of energy at the end |\n|---|---|---|---|---|\n",
            );
        }
        let contacts = row.runs.last().and_then(|run| run.contacts);
        let contacts = contacts.map_or_else(|| "-".to_owned(), |count| format!("{count:.2}"));
        let drift = bars::drift(rows, &row.engine).filter(|_| row.case == "gentle-chain");
        let drift = drift.map_or_else(|| "-".to_owned(), |share| format!("{:.4} %", 100.0 * share));
        let ms = row.best().map_or_else(|| "-".to_owned(), |ms| format!("{ms:.4}"));
        let _ = writeln!(text, "| {} | {} | {ms} | {contacts} | {drift} |", row.case, row.engine);
    }
    text
}

/// Where the time of Tumble's steps goes, on one thread.
fn stages(rows: &[Row]) -> String {
    const NAMES: [&str; 7] = ["broad", "narrow", "prepare", "solve", "finish", "sleep", "validate"];
    let mut text = format!("| Tumble, ms | {} |\n|---|{}\n", NAMES.join(" | "), "---|".repeat(NAMES.len()));
    for row in rows.iter().filter(|row| row.threads == 1) {
        let Some(run) = row.runs.first().filter(|run| run.stages.is_object()) else { continue };
        let cells = NAMES.map(|name| run.stages[name].as_f64().map_or_else(|| "-".to_owned(), digits));
        let _ = writeln!(text, "| {} | {} |", row.case, cells.join(" | "));
    }
    text
}

/// Everything, for programs.
pub fn json(rows: &[Row], missing: &[(String, String)], machine: &Machine, bars: &[Bar]) -> Value {
    let comparisons = comparisons(rows);
    let mut means = BTreeMap::new();
    for threads in thread_counts(&comparisons) {
        means.insert(threads.to_string(), geomean(&comparisons, threads));
    }
    let row = |row: &Row| {
        let run = row.runs.first();
        json!({
            "case": row.case,
            "engine": row.engine,
            "threads": row.threads,
            "version": run.map(|run| &run.version),
            "settings": run.map(|run| &run.settings),
            "best_ms": row.best(),
            "median_ms": row.median(),
            "processor_ms": row.processor(),
            "rounds": row.runs.len(),
            "abreast": row.abreast.iter().map(|(count, run)| json!({ "runs": count, "ms": run.mean() })).collect::<Vec<_>>(),
            "steps": run.map(|run| run.times.len()),
            "memory_bytes": run.map(|run| run.memory),
            "stages_ms": run.map(|run| &run.stages),
            "contacts": run.and_then(|run| run.contacts),
            "hits": run.and_then(|run| run.hits),
            "same_after_restore": run.and_then(|run| run.same),
            "passes": row.passes(),
            "verdict": row.verdict,
            "fault": row.fault,
        })
    };
    let ratios: Vec<Value> = comparisons
        .iter()
        .map(|c| {
            json!({
                "case": c.case,
                "threads": c.threads,
                "fastest_peer": c.fastest.map(|row| &row.engine),
                "ratio": c.ratio,
                "processor_ratio": c.processor_ratio,
            })
        })
        .collect();
    json!({
        "cpu": machine.cpu,
        "cores": machine.cores,
        "date": machine.date,
        "compilers": machine.compilers,
        "load": machine.load,
        "geomean_to_fastest_peer": means.get("1"),
        "geomean_to_fastest_peer_by_threads": means,
        "geomean_to_rapier_default": against(rows, "rapier"),
        "bars": bars.iter().map(Bar::json).collect::<Vec<_>>(),
        "ratios": ratios,
        "missing": missing.iter().map(|(name, reason)| json!({ "engine": name, "reason": reason })).collect::<Vec<_>>(),
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}

const BEGIN: &str = "<!-- benchmarks: written by `cargo xtask bench --peers --write` -->";
const END: &str = "<!-- /benchmarks -->";

/// Puts the comparison between the marks in the README: one thread, every case, losses and all.
pub fn into_readme(rows: &[Row], missing: &[(String, String)], machine: &Machine) -> Result<(), String> {
    let readme = fs::read_to_string("README.md").map_err(|error| format!("README.md: {error}"))?;
    let text = replaced(&readme, &short(rows, missing, machine)).ok_or("README.md has no marks for the benchmarks")?;
    fs::write("README.md", text).map_err(|error| format!("README.md: {error}"))?;
    println!("written: README.md");
    Ok(())
}

fn replaced(readme: &str, table: &str) -> Option<String> {
    let (before, rest) = readme.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}{END}{after}"))
}

fn short(rows: &[Row], missing: &[(String, String)], machine: &Machine) -> String {
    let (names, all) = (engines(rows), comparisons(rows));
    let mut text = format!(
        "Milliseconds per step on one thread of {} ({}), every engine with its own defaults and without sleep; \u{2020} fails the \
         [gate](docs/src/benchmarks.md) of the case.\n\n",
        machine.cpu, machine.date
    );
    let _ = writeln!(text, "| case | {} | Tumble to the fastest peer |", names.join(" | "));
    let _ = writeln!(text, "|---|{}---|", "---|".repeat(names.len()));
    for c in all.iter().filter(|c| c.threads == 1) {
        let cells: Vec<String> = names
            .iter()
            .map(|name| cell(rows.iter().find(|row| row.engine == *name && row.case == c.case && row.threads == 1)))
            .collect();
        let ratio = c.ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"));
        let _ = writeln!(text, "| {} | {} | {ratio} |", c.case, cells.join(" | "));
    }
    if let Some(mean) = geomean(&all, 1) {
        let _ = writeln!(
            text,
            "\nGeometric mean to the fastest peer that passes: **{}** (below 1 is faster).",
            mean_text(mean)
        );
    }
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|(name, _)| name.as_str()).collect();
        let _ = writeln!(text, "Not built on that machine: {}.", names.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::run::Run;
    use super::*;

    fn row(engine: &str, ms: f64, passes: bool) -> Row {
        Row {
            case: "wall".into(),
            trees: false,
            engine: engine.into(),
            threads: 1,
            runs: vec![Run { times: vec![ms], ..Run::default() }],
            abreast: Vec::new(),
            verdict: json!({ "pass": passes }),
            fault: None,
        }
    }

    /// Fast and wrong is not fast: an engine that fails the gate is no measure, and Tumble has no ratio where it fails.
    #[test]
    fn only_engines_that_pass_count() {
        let rows = [row("tumble", 2.0, true), row("a", 1.0, false), row("b", 4.0, true)];
        let found = comparisons(&rows);
        assert_eq!((found[0].fastest.unwrap().engine.as_str(), found[0].ratio), ("b", Some(0.5)));
        assert!((geomean(&found, 1).unwrap() - 0.5).abs() < 1e-12);
        assert!((against(&rows, "a").unwrap() - 2.0).abs() < 1e-12);
        let rows = [row("tumble", 2.0, false), row("b", 4.0, true)];
        assert_eq!(comparisons(&rows)[0].ratio, None);
        assert!(geomean(&comparisons(&rows), 1).unwrap().is_nan() && against(&rows, "b").unwrap().is_nan());
        assert_eq!(mean_text(f64::NAN), "none, Tumble fails a gate");
    }

    /// By processor time the peer counts that takes least of it, whoever is done first; a driver that does not tell it is left out.
    #[test]
    fn processor_times_have_a_ratio_of_their_own() {
        let with = |engine: &str, ms: f64, processor_ms: f64| {
            let mut row = row(engine, ms, true);
            row.runs[0].processor_ms = processor_ms;
            row
        };
        let rows = [with("tumble", 9.0, 2.0), with("a", 3.0, 8.0), with("b", 5.0, 4.0), with("c", 6.0, 0.0)];
        let found = &comparisons(&rows)[0];
        assert_eq!((found.ratio, found.processor_ratio), (Some(3.0), Some(0.5)));
    }

    /// The JSON holds what readers of it rely on.
    #[test]
    fn json_is_complete() {
        let machine = super::super::machine::describe();
        let rows = [row("tumble", 2.0, true), row("b", 4.0, true)];
        let value = json(&rows, &[("c".into(), "no compiler".into())], &machine, &bars::of_rows(&rows));
        assert!((value["geomean_to_fastest_peer"].as_f64().unwrap() - 0.5).abs() < 1e-12);
        assert_eq!((value["rows"].as_array().unwrap().len(), &value["missing"][0]["engine"]), (2, &json!("c")));
        assert!(value["cpu"].is_string() && value["date"].is_string());
        assert_eq!(value["bars"][0]["met"], true);
        let runs = |ms| Run { times: vec![ms], ..Run::default() };
        let two = Row { threads: 2, abreast: Vec::new(), ..row("tumble", 1.25, true) };
        let rows = [Row { abreast: vec![(2, runs(2.5))], ..row("tumble", 2.0, true) }, two];
        assert!(speed_ups(&rows).contains("| wall | 2 | 1.60 | 1.60 |"), "{}", speed_ups(&rows));
        assert_eq!(json(&rows, &[], &machine, &[])["rows"][0]["abreast"], json!([{ "runs": 2, "ms": 2.5 }]));
    }

    /// Only what is between the marks is replaced.
    #[test]
    fn the_readme_keeps_the_rest() {
        let readme = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(replaced(&readme, "new\n").unwrap(), format!("a\n{BEGIN}\nnew\n{END}\nb\n"));
        assert_eq!(replaced("no marks", "new"), None);
    }
}
