//! The engine on other machines than this one.

use super::report::Findings;
use crate::golden::{ARM64, RELEASE, Target, WASM};
use crate::{shell, tools};

const BARE_WASM: &str = "wasm32-unknown-unknown";

/// Builds both precisions for wasm32 without a host, where browsers run them, and compares whole simulations in Node.js.
pub fn wasm(findings: &mut Findings) {
    if findings.need(tools::target(BARE_WASM), "the build for wasm32") {
        // That it builds is the question; whole simulations run in the other build.
        let mut build = shell::command("cargo build --package tumble --package tumble-f64 --lib --target");
        build.arg(BARE_WASM);
        for package in ["tumble", "tumble-f64", "libm", "rayon", "rayon-core"] {
            build.arg("--config").arg(format!("profile.dev.package.{package}.opt-level=0"));
        }
        findings.run(&mut build);
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
