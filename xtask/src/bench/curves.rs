//! Curves: step time against the number of bodies, step time against quality, and memory.

use super::bars::Bar;
use super::chart;
use super::run::{self, Case, Engine, Row, program};
use std::fmt::Write as _;
use std::process::Command;

/// Numbers of bodies for every engine.
const SIZES: [u32; 6] = [100, 200, 500, 1_000, 2_000, 5_000];
/// Numbers of bodies for Tumble's exponent.
const LARGE: [u32; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];
/// Steps per size: the boxes fall, meet and pile up.
const STEPS: u64 = 120;
/// Sub-steps of which the curve of quality is made.
const SUB_STEPS: [u32; 6] = [1, 2, 4, 6, 8, 12];
/// The largest exponent that the project allows itself.
const EXPONENT: f64 = 1.15;
/// Bytes per box in a pile, contacts included, that the project allows itself.
const BYTES: f64 = 1536.0;

/// All curves.
pub struct Curves {
    /// Engine, boxes, milliseconds per step, and whether the state is sound.
    scaling: Vec<(String, u32, f64, bool)>,
    /// Tumble's times over the large sizes, and the exponent fitted to them where all are there and sound.
    large: Vec<(f64, f64, bool)>,
    exponent: Option<f64>,
    /// Case, sub-steps, milliseconds per step, overlap in mm, gap in mm.
    quality: Vec<(String, u32, f64, f64, f64)>,
    /// Engine, bytes per box.
    memory: Vec<(String, f64)>,
}

/// Measures all of them on one thread.
pub fn measure(engines: &[Engine], rounds: u32) -> Result<Curves, String> {
    println!("\n==> step time against the number of boxes");
    let mut scaling = Vec::new();
    let mut memory = Vec::new();
    for size in SIZES {
        let rows = run::all(engines, &[Case::sized("falling-boxes", "boxes", size, STEPS)], &[1], rounds)?;
        for row in &rows {
            if let Some(ms) = row.best() {
                scaling.push((row.engine.clone(), size, ms, sound(row)));
            }
            if size == SIZES[SIZES.len() - 1] && sound(row) {
                memory.extend(bytes_per_box(row, size));
            }
        }
    }
    let tumble = [Engine::tumble()];
    let mut large = Vec::new();
    for size in LARGE {
        let rows = run::all(&tumble, &[Case::sized("falling-boxes", "boxes", size, STEPS)], &[1], rounds.min(2))?;
        large.extend(rows.first().and_then(|row| Some((f64::from(size), row.best()?, sound(row)))));
    }
    println!("\n==> step time against quality");
    let mut quality = Vec::new();
    for case in Case::all(&["wall".to_owned(), "large-pyramid".to_owned(), "joint-grid".to_owned()], None)? {
        let list = case.list()?;
        for sub_steps in SUB_STEPS {
            let states = run::folder().join("quality.states");
            let mut command = Command::new(program());
            command.arg("drive").arg(&list).args(["steps", "200", "1"]).arg(&states).arg(sub_steps.to_string());
            let output = command.output().map_err(|error| error.to_string())?;
            let run = run::Run::parse(&String::from_utf8_lossy(&output.stdout));
            let judged = Command::new(program()).arg("judge").arg(&case.name).arg(&list).arg(&states).output();
            let judged = judged.map_err(|error| error.to_string())?;
            let verdict: serde_json::Value = serde_json::from_slice(&judged.stdout).unwrap_or_default();
            let figure = |name: &str| verdict["quality"][name].as_f64().unwrap_or(f64::NAN);
            quality.push((case.name.clone(), sub_steps, run.mean(), figure("depth_mm"), figure("gap_mm")));
        }
    }
    Ok(Curves { scaling, exponent: exponent(&large), large, quality, memory })
}

/// No box is thrown away, has fallen through the floor or is nowhere. How deep boxes lie in each other, which the case of the same
/// name asks too, is not asked: when the steps are over, those of a large heap still rain onto the others at up to 20 m/s.
fn sound(row: &Row) -> bool {
    let mut checks = row.verdict["checks"].as_array().into_iter().flatten();
    row.fault.is_none() && checks.any(|check| check["name"] == "near" && check["pass"] == true)
}

/// The exponent over the large sizes; none where one is missing or not sound.
fn exponent(large: &[(f64, f64, bool)]) -> Option<f64> {
    let all = LARGE.iter().all(|size| large.iter().any(|(boxes, _, sound)| *boxes == f64::from(*size) && *sound));
    let points: Vec<(f64, f64)> = large.iter().map(|(boxes, ms, _)| (*boxes, *ms)).collect();
    if all { slope(&points) } else { None }
}

fn bytes_per_box(row: &Row, boxes: u32) -> Option<(String, f64)> {
    let bytes = row.runs.iter().map(|run| run.memory).reduce(f64::min)?;
    Some((row.engine.clone(), bytes / f64::from(boxes)))
}

/// The slope of the line of least squares through the logarithms.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (mut sx, mut sy, mut sxx, mut sxy) = (0.0, 0.0, 0.0, 0.0);
    for (x, y) in points.iter().map(|(x, y)| (x.ln(), y.ln())) {
        (sx, sy, sxx, sxy) = (sx + x, sy + y, sxx + x * x, sxy + x * y);
    }
    let below = n * sxx - sx * sx;
    (points.len() > 1 && below > 0.0).then(|| (n * sxy - sx * sy) / below)
}

impl Curves {
    /// What is judged of them.
    pub fn bars(&self) -> Vec<Bar> {
        let exponent = self.exponent.unwrap_or(f64::NAN);
        let exponent = Bar::at_most("exponent of step time over 1,000 to 100,000 boxes", exponent, EXPONENT);
        let own = self.memory.iter().find(|(engine, _)| engine == run::TUMBLE);
        let bytes = own.map_or(f64::NAN, |(_, bytes)| *bytes);
        let memory = Bar::at_most("bytes per box in a pile, contacts included", bytes, BYTES);
        vec![exponent, memory]
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "Milliseconds per step against the number of boxes; \u{2020} has thrown boxes away or lost them:\n\n",
        );
        let _ = writeln!(text, "| engine | {} |", SIZES.map(|n| n.to_string()).join(" | "));
        let _ = writeln!(text, "|---|{}", "---|".repeat(SIZES.len()));
        for (name, _) in self.lines() {
            let cell = |size: u32| {
                let found = self.scaling.iter().find(|(engine, boxes, ..)| *engine == name && *boxes == size);
                found.map_or("-".to_owned(), |(_, _, ms, passes)| {
                    format!("{ms:.3}{}", if *passes { "" } else { "\u{2020}" })
                })
            };
            let _ = writeln!(text, "| {name} | {} |", SIZES.map(cell).join(" | "));
        }
        for (boxes, ms, passes) in &self.large {
            let mark = if *passes { "" } else { "\u{2020}" };
            let _ = writeln!(text, "tumble, {boxes:>7} boxes: {ms:.3} ms{mark}");
        }
        if let Some(exponent) = self.exponent {
            let _ = writeln!(text, "fitted exponent {exponent:.3}");
        }
        let _ = writeln!(
            text,
            "\nTime against quality:\n\n| case | sub-steps | ms | overlap mm | gap mm |\n|---|---|---|---|---|"
        );
        for (case, sub_steps, ms, depth, gap) in &self.quality {
            let _ = writeln!(text, "| {case} | {sub_steps} | {ms:.3} | {depth:.3} | {gap:.3} |");
        }
        let _ = writeln!(text, "\nBytes per box in a pile, contacts included:");
        for (name, bytes) in &self.memory {
            let _ = writeln!(text, "{name:<12} {bytes:>8.0}");
        }
        text
    }

    fn lines(&self) -> Vec<(String, Vec<(f64, f64)>)> {
        let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        for (name, size, ms, _) in &self.scaling {
            let point = (f64::from(*size), *ms);
            match lines.iter_mut().find(|(line, _)| line == name) {
                Some((_, points)) => points.push(point),
                None => lines.push((name.clone(), vec![point])),
            }
        }
        lines
    }

    pub fn scaling_csv(&self) -> String {
        let mut text = String::from("engine,boxes,ms_per_step,passes\n");
        for (name, size, ms, passes) in &self.scaling {
            let _ = writeln!(text, "{name},{size},{ms:.6},{passes}");
        }
        for (size, ms, passes) in self.large.iter().filter(|(size, ..)| *size > f64::from(SIZES[SIZES.len() - 1])) {
            let _ = writeln!(text, "tumble,{size},{ms:.6},{passes}");
        }
        text
    }

    pub fn scaling_chart(&self) -> String {
        chart::curves("falling boxes, one thread", "boxes", "ms per step", &self.lines())
    }

    pub fn quality_csv(&self) -> String {
        let mut text = String::from("case,sub_steps,ms_per_step,overlap_mm,gap_mm\n");
        for (case, sub_steps, ms, depth, gap) in &self.quality {
            let _ = writeln!(text, "{case},{sub_steps},{ms:.6},{depth:.6},{gap:.6}");
        }
        text
    }

    pub fn memory_csv(&self) -> String {
        let mut text = String::from("engine,bytes_per_box\n");
        for (name, bytes) in &self.memory {
            let _ = writeln!(text, "{name},{bytes:.0}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fit finds the exponent of a power law.
    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let points: Vec<(f64, f64)> = [1e3, 3e3, 1e4, 1e5].iter().map(|&n: &f64| (n, 0.01 * n.powf(1.2))).collect();
        assert!((slope(&points).unwrap() - 1.2).abs() < 1e-9);
        assert_eq!(slope(&points[..1]), None);
    }

    /// A size that is missing, or in which boxes are lost, leaves no exponent; bars without a figure are missed.
    #[test]
    fn there_is_no_exponent_of_a_part() {
        let mut large: Vec<(f64, f64, bool)> = LARGE.map(|n| (f64::from(n), 0.01 * f64::from(n), true)).to_vec();
        assert!((exponent(&large).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!(exponent(&large[..4]), None);
        large[4].2 = false;
        let curves = Curves { scaling: vec![], exponent: exponent(&large), large, quality: vec![], memory: vec![] };
        assert!(curves.bars().len() == 2 && curves.bars().iter().all(|bar| !bar.met()), "{:?}", curves.bars());
    }
}
