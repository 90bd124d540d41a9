//! Tools that a machine may lack: installed where they can be, else named with the reason.

use crate::shell;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A component of the toolchain in use, such as `clippy`, which answers to `cargo SUBCOMMAND`.
pub fn component(name: &str, subcommand: &str) -> Result<(), String> {
    let probe = || shell::succeeds(shell::cargo().args([subcommand, "--version"]));
    ensure(name, probe, &format!("rustup component add {name}"))
}

/// The standard library for another target.
pub fn target(triple: &str) -> Result<(), String> {
    let probe = || {
        let output = Command::new("rustc").args(["--print", "target-libdir", "--target", triple]).output();
        output.is_ok_and(|o| o.status.success() && Path::new(String::from_utf8_lossy(&o.stdout).trim()).exists())
    };
    ensure(&format!("the target {triple}"), probe, &format!("rustup target add {triple}"))
}

/// A nightly toolchain with Miri.
pub fn miri() -> Result<(), String> {
    let nightly = || shell::succeeds(&mut shell::command("rustup run nightly rustc --version"));
    ensure("a nightly toolchain", nightly, "rustup toolchain install nightly --profile minimal")?;
    let miri = || shell::succeeds(&mut shell::command("rustup run nightly cargo miri --version"));
    ensure("Miri", miri, "rustup component add --toolchain nightly miri rust-src")
}

/// Node.js, which runs programs for wasm32.
pub fn node() -> Result<(), String> {
    let probe = || shell::succeeds(&mut shell::command("node --version"));
    ensure("Node.js", probe, "apt-get install --yes nodejs")
}

/// The emulator of programs for 64-bit ARM.
pub fn qemu_aarch64() -> Result<(), String> {
    let probe = || shell::succeeds(&mut shell::command("qemu-aarch64 -version"));
    ensure("qemu-aarch64", probe, "apt-get install --yes qemu-user")
}

/// CMake, which builds engines in C and C++.
pub fn cmake() -> Result<(), String> {
    let probe = || shell::succeeds(&mut shell::command("cmake --version"));
    ensure("CMake", probe, "apt-get install --yes cmake")
}

/// The C++ compiler of LLVM, which some engines insist on.
pub fn clang() -> Result<(), String> {
    let probe = || shell::succeeds(&mut shell::command("clang++ --version"));
    ensure("clang++", probe, "apt-get install --yes clang")
}

/// A library of the system, known to `pkg-config` under the name of its module.
pub fn library(package: &str, module: &str) -> Result<(), String> {
    let probe = || shell::succeeds(&mut shell::command(&format!("pkg-config --exists {module}")));
    ensure(package, probe, &format!("apt-get install --yes {package} pkg-config"))
}

/// Valgrind, which counts instructions.
pub fn valgrind() -> Result<(), String> {
    let probe = || shell::succeeds(&mut shell::command("valgrind --version"));
    ensure("Valgrind", probe, "apt-get install --yes valgrind")
}

/// Where Cargo puts what it builds.
pub fn target_directory() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from)
}

/// Probes, installs what is missing, and probes again.
fn ensure(name: &str, probe: impl Fn() -> bool, install: &str) -> Result<(), String> {
    if probe() {
        return Ok(());
    }
    println!("    {name} is missing: installing it");
    let mut outcome = shell::run(&mut shell::command(install));
    if outcome.is_err() && install.starts_with("apt-get ") {
        // A machine that was never asked does not know what there is, and an old list names what is gone.
        outcome =
            shell::run(&mut shell::command("apt-get update")).and_then(|()| shell::run(&mut shell::command(install)));
    }
    let reason = match outcome {
        Ok(()) if probe() => return Ok(()),
        Ok(()) => "it does not run after installing".to_owned(),
        Err(error) => error,
    };
    Err(format!("{name} is missing and could not be installed: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is there is not installed again.
    #[test]
    fn a_tool_that_is_there_is_left_alone() {
        assert_eq!(ensure("cargo", || true, "no-such-installer"), Ok(()));
    }

    /// What cannot be installed is named with the reason, so that a skipped check can say why.
    #[test]
    fn a_tool_that_cannot_be_installed_is_named() {
        let error = ensure("the gizmo", || false, "no-such-installer gizmo").unwrap_err();
        assert!(
            error.starts_with("the gizmo is missing and could not be installed: `no-such-installer gizmo`"),
            "{error}"
        );
    }
}
