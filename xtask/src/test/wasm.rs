//! The engine on wasm32, where browsers run it.

use super::report::Findings;
use crate::{shell, tools};

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds both precisions for wasm32.
pub fn check(findings: &mut Findings) {
    if findings.need(tools::target(TARGET), "the build for wasm32") {
        findings.run(shell::command("cargo build --package tumble --package tumble-f64 --lib --target").arg(TARGET));
    }
}
