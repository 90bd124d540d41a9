//! Unsafe code under Miri, which finds undefined behaviour that tests alone do not show.

use super::report::Findings;
use super::suite;
use crate::{files, shell, tools};
use std::fs;
use std::path::Path;

/// Where the only crate that may hold unsafe code has its source.
const SOURCE: &str = "crates/tumble/src";

/// Whole steps that are small enough for it: kernels without tests of their own run in them.
const STEPS: &str = "step::small::";

/// Where instructions are used that not every CPU of its family has, and what turns them on; Miri needs no CPU for them.
const LANES: [&str; 2] = ["math::lane::", "math::quad::"];
const WIDE: &str = "-C target-feature=+avx2";

/// Runs the unit tests of all modules that hold unsafe code, and small whole steps: these, and the lanes, also with eight lanes side by side. The
/// modules are found by reading the source, so that a new one is not forgotten.
pub fn check(findings: &mut Findings) {
    let modules = match modules_with_unsafe_code() {
        Ok(modules) => modules,
        Err(error) => return findings.fail(format!("cannot read {SOURCE}: {error}")),
    };
    if modules.is_empty() {
        findings.checked();
        return findings.figure("no unsafe code");
    }
    if !findings.need(tools::miri(), "undefined behaviour in unsafe code") {
        return;
    }
    let filters: Vec<&str> = modules.iter().map(String::as_str).chain([STEPS]).collect();
    run(&filters, None, findings);
    if cfg!(target_arch = "x86_64") {
        run(&[LANES.as_slice(), &[STEPS]].concat(), Some(WIDE), findings);
    }
}

fn run(filters: &[&str], instructions: Option<&str>, findings: &mut Findings) {
    let mut command =
        shell::command("rustup run nightly cargo miri test --package tumble --package tumble-f64 --lib --");
    // Property tests look for a file of earlier failures, which Miri forbids unless told otherwise. The thread pool's own queues keep the
    // rules of tree borrows, not those of stacked borrows, and its threads live to the end of the process.
    let flags = "-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-ignore-leaks";
    command.args(filters).env("MIRIFLAGS", flags);
    if let Some(instructions) = instructions {
        command.env("RUSTFLAGS", instructions);
    }
    suite::run(&mut command, findings);
}

fn modules_with_unsafe_code() -> std::io::Result<Vec<String>> {
    let mut modules = Vec::new();
    for file in files::all()? {
        let Ok(path) = file.strip_prefix(SOURCE) else { continue };
        if path.extension().is_some_and(|e| e == "rs") && holds_unsafe_code(&fs::read_to_string(&file)?) {
            modules.push(module_of(path));
        }
    }
    Ok(modules)
}

/// The path by which the test harness names a module's tests; all tests for the root of the crate.
fn module_of(path: &Path) -> String {
    let path = path.with_extension("");
    let names: Vec<_> = path.iter().map(|n| n.to_string_lossy()).filter(|n| n != "mod" && n != "lib").collect();
    names.iter().map(|name| format!("{name}::")).collect()
}

fn holds_unsafe_code(source: &str) -> bool {
    let openings = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern", "unsafe("];
    let code = source.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    code.into_iter().any(|line| openings.iter().any(|opening| line.contains(opening)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filters given to Miri are the names that the harness uses.
    #[test]
    fn modules_are_named_as_the_harness_names_them() {
        assert_eq!(module_of(Path::new("math/vec3.rs")), "math::vec3::");
        assert_eq!(module_of(Path::new("math/wide/mod.rs")), "math::wide::");
        assert_eq!(module_of(Path::new("lib.rs")), "");
    }

    /// Words about unsafe code are not unsafe code.
    #[test]
    fn comments_are_not_code() {
        assert!(holds_unsafe_code("    let x = unsafe { f() };"));
        assert!(holds_unsafe_code("// SAFETY: all bits are valid.\nunsafe impl Pod for A {}"));
        assert!(!holds_unsafe_code("//! Needs no unsafe { } at all.\n#![forbid(unsafe_code)]"));
    }
}
