//! The engine on other machines than this one.

use super::report::Findings;
use crate::golden::{ARM64, RELEASE, Target, WASM};
use crate::{shell, tools};

const BARE_WASM: &str = "wasm32-unknown-unknown";

/// Checks both precisions for wasm32 without a host, where browsers run them, and compares whole simulations in Node.js.
pub fn wasm(findings: &mut Findings) {
    if findings.need(tools::target(BARE_WASM), "the source for wasm32") {
        // That the source is right for it is the question; code is generated from it in the build with a host, which then runs.
        findings.run(shell::command("cargo check --package tumble --package tumble-f64 --lib --target").arg(BARE_WASM));
    }
    compare(findings, &WASM);
}

/// Compares whole simulations on arm64 and in release mode. With debug assertions on this machine they are a test of the
/// suite.
pub fn others(findings: &mut Findings) {
    compare(findings, &RELEASE);
    compare(findings, &ARM64);
}

fn compare(findings: &mut Findings, target: &Target) {
    if findings.need(target.ready(), &format!("the hashes of whole simulations ({})", target.name)) {
        match target.compare() {
            Ok(()) => findings.checked(),
            Err(error) => findings.fail(format!("golden hashes, {}: {error}", target.name)),
        }
    }
}
