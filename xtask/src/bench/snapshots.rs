//! Saving and restoring worlds: what `tumble-bench snapshots` measures, judged.

use super::bars::{self, Bar};
use super::run::program;
use crate::shell;
use serde_json::Value;
use std::process::Command;

/// Milliseconds that saving 10,000 bodies may take, and restoring them.
const EACH_WAY: f64 = 5.0;

/// Measures, prints and judges. What came out is for the results.
pub fn measure() -> Result<Value, String> {
    shell::run(&mut shell::command("cargo build --release --package tumble-bench"))?;
    let mut lines = Vec::new();
    shell::run_reading(Command::new(program()).arg("snapshots"), |line| lines.push(line.to_owned()))?;
    let read = |line: &String| serde_json::from_str(line).map_err(|error| format!("tumble-bench: {line:?}: {error}"));
    let figures: Vec<Value> = lines.iter().map(read).collect::<Result<_, _>>()?;
    let bars: Vec<Bar> = figures.iter().flat_map(judge).collect();
    if bars.is_empty() {
        return Err("tumble-bench measured nothing that has a bar".to_owned());
    }
    println!("\n{}", bars::text(&bars));
    Ok(serde_json::json!({ "figures": figures, "bars": bars.iter().map(Bar::json).collect::<Vec<_>>() }))
}

/// A world that is not the same after it was restored meets nothing.
fn judge(figure: &Value) -> Vec<Bar> {
    let bar = |name: &str, way: &str| {
        let ms = if figure["same"] == true { figure[way].as_f64()? } else { f64::NAN };
        let (of, threads) = (figure["of"].as_str()?, figure["threads"].as_u64()?);
        Some(Bar::at_most(format!("{name} {of}, ms on {threads} threads"), ms, EACH_WAY))
    };
    [bar("saving", "snapshot_ms"), bar("restoring", "restore_ms")].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Each way has its bar, and a world that came back another misses both.
    #[test]
    fn both_ways_are_judged() {
        let mut figure = json!({ "of": "washer", "threads": 1, "snapshot_ms": 3.0, "restore_ms": 6.0, "same": true });
        let met = |figure: &Value| judge(figure).iter().map(Bar::met).collect::<Vec<_>>();
        assert_eq!(met(&figure), [true, false]);
        figure["same"] = false.into();
        assert_eq!(met(&figure), [false, false]);
        assert_eq!(judge(&json!({ "of": "washer" })), []);
    }
}
