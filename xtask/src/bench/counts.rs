//! Instructions of the hot kernels, counted by callgrind: on a noisy machine a slow-down shows there and not in times.
//!
//! The counts are kept in `bench/counts.txt`. They depend on the compiler, so that they are compared only where it is the one
//! that they were counted with.

use crate::test::Findings;
use crate::{shell, tools};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TABLE: &str = "bench/counts.txt";

/// Callgrind knows no AVX-512; the widest set of the engine, AVX2, it knows. Each is counted, to show what lanes bring.
const SETS: [&str; 3] = ["avx2", "sse2", "scalar"];

/// How much more a kernel may take, as a share, before it counts as slower: room for inlining that turns out otherwise.
const TOLERANCE: f64 = 0.03;

/// A kernel in an instruction set, with its instructions.
#[derive(Clone, Debug, PartialEq)]
struct Count {
    kernel: String,
    set: String,
    instructions: u64,
}

/// The part of `cargo xtask test`.
pub fn check(findings: &mut Findings) {
    if !findings.need(ready(), "instruction counts") {
        return;
    }
    let committed = match fs::read_to_string(TABLE) {
        Ok(text) => text,
        Err(error) => return findings.fail(format!("{TABLE}: {error}")),
    };
    let (compiler, committed) = parse(&committed);
    if compiler != this_compiler() {
        let reason = format!("they were counted with {compiler}, this is {}", this_compiler());
        return findings.skip(format!("instruction counts not checked: {reason}"));
    }
    match count(&SETS[..1]) {
        Err(problem) => findings.fail(problem),
        Ok(found) => {
            findings.checked();
            for fault in slower(&committed, &found) {
                println!("    {fault}");
                findings.fail(fault);
            }
            findings.figure(format!("{} kernels", found.len()));
        }
    }
}

/// `cargo xtask bench --counts`.
pub fn measure(write: bool) -> Result<(), String> {
    ready()?;
    let found = count(&SETS)?;
    let (_, committed) = parse(&fs::read_to_string(TABLE).unwrap_or_default());
    let text = format(&found);
    print!("\n{text}");
    for fault in slower(&committed, &found) {
        println!("{fault}");
    }
    if write {
        fs::write(TABLE, text).map_err(|error| format!("{TABLE}: {error}"))?;
        println!("written: {TABLE}. Say in the commit why the counts have moved.");
    }
    Ok(())
}

fn ready() -> Result<(), String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err("they are counted on x86-64 Linux".to_owned());
    }
    #[cfg(target_arch = "x86_64")]
    if !std::is_x86_feature_detected!("avx2") {
        return Err("this processor has no AVX2".to_owned());
    }
    tools::valgrind()
}

/// In the profile of the tests and, by naming one of them, with the features of all that they depend on: so nothing else is compiled
/// for it.
fn program() -> PathBuf {
    tools::target_directory().join("debug").join("tumble-bench")
}

fn count(sets: &[&str]) -> Result<Vec<Count>, String> {
    shell::run(&mut shell::command("cargo build --workspace --bin tumble-bench --test engine"))?;
    let output = Command::new(program()).arg("kernels").output().map_err(|error| format!("tumble-bench: {error}"))?;
    let kernels = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() || kernels.is_empty() {
        return Err("tumble-bench names no kernels".to_owned());
    }
    let mut counts = Vec::new();
    for kernel in kernels.lines() {
        for set in sets {
            let instructions = instructions(&program(), kernel, set)?;
            println!("    {kernel:<18} {set:<7} {instructions:>12}");
            counts.push(Count { kernel: kernel.to_owned(), set: (*set).to_owned(), instructions });
        }
    }
    Ok(counts)
}

fn instructions(program: &Path, kernel: &str, set: &str) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*counted*"]);
    let output =
        command.arg(program).args(["count", kernel, set]).output().map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{kernel}, {set}: {}", said.lines().last().unwrap_or_default()));
    }
    collected(&said).ok_or_else(|| format!("{kernel}, {set}: callgrind counted nothing"))
}

/// Reads the line in which callgrind sums up.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.split_once("Collected :")?.1.trim().parse().ok().filter(|&count| count > 0)
}

fn this_compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

fn format(counts: &[Count]) -> String {
    let mut text = format!(
        "# Instructions of the hot kernels in the profile of the tests, by `cargo xtask bench --counts --write`.\n# {}\n",
        this_compiler()
    );
    for count in counts {
        text += &format!("{:<18} {:<7} {:>12}\n", count.kernel, count.set, count.instructions);
    }
    text
}

/// The compiler of the second comment, and the counts.
fn parse(text: &str) -> (String, Vec<Count>) {
    let mut comments = text.lines().filter_map(|line| line.strip_prefix("# "));
    let compiler = comments.nth(1).unwrap_or_default().to_owned();
    let one = |line: &str| {
        let mut words = line.split_whitespace();
        let (kernel, set, count) = (words.next()?, words.next()?, words.next()?);
        Some(Count { kernel: kernel.to_owned(), set: set.to_owned(), instructions: count.parse().ok()? })
    };
    (compiler, text.lines().filter(|line| !line.starts_with('#')).filter_map(one).collect())
}

/// What has become slower, is new or is gone.
fn slower(committed: &[Count], found: &[Count]) -> Vec<String> {
    let mut faults = Vec::new();
    for now in found {
        let before = committed.iter().find(|c| c.kernel == now.kernel && c.set == now.set);
        let Some(before) = before else {
            faults.push(format!("{}, {}: not in {TABLE}", now.kernel, now.set));
            continue;
        };
        let share = now.instructions as f64 / before.instructions as f64 - 1.0;
        if share > TOLERANCE {
            faults.push(format!(
                "{}, {}: {:.1} % more instructions than in {TABLE}",
                now.kernel,
                now.set,
                100.0 * share
            ));
        }
    }
    let gone = committed.iter().filter(|c| !found.iter().any(|f| f.kernel == c.kernel));
    faults.extend(gone.map(|c| format!("{}, {}: in {TABLE} and not counted", c.kernel, c.set)));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(box_contacts: u64) -> Vec<Count> {
        vec![Count { kernel: "box".into(), set: "avx2".into(), instructions: box_contacts }]
    }

    /// The table is read as it is written.
    #[test]
    fn the_table_is_read_back() {
        let (compiler, read) = parse(&format(&counts(123)));
        assert_eq!((compiler, read), (this_compiler(), counts(123)));
    }

    /// A slow-down beyond the tolerance is a fault; so is a kernel that nobody counted before or counts any more.
    #[test]
    fn slow_downs_show() {
        assert!(slower(&counts(1000), &counts(1020)).is_empty());
        assert!(slower(&counts(1000), &counts(500)).is_empty());
        assert_eq!(
            slower(&counts(1000), &counts(1100)),
            [format!("box, avx2: 10.0 % more instructions than in {TABLE}")]
        );
        assert_eq!((slower(&[], &counts(1)).len(), slower(&counts(1), &[]).len()), (1, 1));
    }

    /// The words are those of callgrind 3.19.
    #[test]
    fn the_sum_of_callgrind_is_found() {
        assert_eq!(collected("==1== Events    : Ir\n==1== Collected : 4711\n"), Some(4711));
        assert_eq!(collected("==1== Collected : 0"), None);
    }
}
