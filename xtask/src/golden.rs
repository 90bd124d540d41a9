//! `cargo xtask golden`: the committed hashes of whole simulations, here and on other targets.
//!
//! The program in `golden` compares by itself. Here it is built for a target and run there, natively or in what stands for
//! that machine.

use crate::{shell, tools};
use std::fs;
use std::process::{Command, ExitCode};

/// The table, which belongs to the source.
const TABLE: &str = "golden/hashes.txt";

/// A kind of machine on which the hashes can be compared.
pub struct Target {
    /// For people.
    pub name: &'static str,
    /// For the compiler; `None` for this machine.
    triple: Option<&'static str>,
    /// Flags for the compiler.
    flags: &'static str,
    release: bool,
    /// What runs the program, in front of its path.
    runner: &'static [&'static str],
    /// Makes sure that the runner is there.
    tool: fn() -> Result<(), String>,
}

/// This machine, with debug assertions.
pub const NATIVE: Target =
    Target { name: "this machine", triple: None, flags: "", release: false, runner: &[], tool: || Ok(()) };

/// This machine, as users build the engine.
pub const RELEASE: Target = Target { name: "this machine in release mode", release: true, ..NATIVE };

/// WebAssembly with vectors, as browsers run it.
pub const WASM: Target = Target {
    name: "wasm32 in Node.js",
    triple: Some("wasm32-wasip1"),
    flags: "-C target-feature=+simd128",
    release: false,
    runner: &["node", "--no-warnings", "golden/node.mjs"],
    tool: tools::node,
};

/// 64-bit ARM in user-mode emulation. The target links without a system of its own, so that no other compiler is needed.
pub const ARM64: Target = Target {
    name: "arm64, emulated",
    triple: Some("aarch64-unknown-linux-musl"),
    flags: "-C linker=rust-lld -C link-self-contained=yes",
    release: false,
    runner: &["qemu-aarch64"],
    tool: tools::qemu_aarch64,
};

impl Target {
    /// The target and its runner are there, installed if need be; or why not.
    pub fn ready(&self) -> Result<(), String> {
        self.triple.map_or(Ok(()), tools::target)?;
        (self.tool)()
    }

    /// Builds the program for the target, and compares there.
    pub fn compare(&self) -> Result<(), String> {
        shell::run(&mut self.build())?;
        shell::run(&mut self.program(&[]))
    }

    fn build(&self) -> Command {
        let mut build = shell::command("cargo build --package tumble-golden");
        if self.release {
            build.arg("--release");
        }
        if let Some(triple) = self.triple {
            build.args(["--target", triple]);
            build.env(format!("CARGO_TARGET_{}_RUSTFLAGS", triple.to_uppercase().replace('-', "_")), self.flags);
        }
        build
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut path = tools::target_directory();
        path.extend(self.triple);
        path.push(if self.release { "release" } else { "debug" });
        path.push("tumble-golden");
        let is_wasm = self.triple.is_some_and(|triple| triple.starts_with("wasm"));
        path.set_extension(if is_wasm { "wasm" } else { std::env::consts::EXE_EXTENSION });
        let mut command = match self.runner {
            [runner, rest @ ..] => {
                let mut command = Command::new(runner);
                command.args(rest).arg(path);
                command
            }
            [] => Command::new(path),
        };
        command.args(arguments);
        command
    }
}

/// How to call it.
pub fn help() -> &'static str {
    "  golden             compare the hashes of whole simulations, here and on wasm32 and arm64\n\
     \x20   --write          write them anew; a commit that does says why the bits have moved\n"
}

/// Runs the chore with the words after its name.
pub fn run(options: &[&str]) -> Result<ExitCode, String> {
    match options {
        [] => Ok(compare()),
        ["--write"] => Ok(finish(write())),
        [other, ..] => Err(format!("`{other}` is no option of `golden`")),
    }
}

fn compare() -> ExitCode {
    let mut failed = false;
    for target in [NATIVE, RELEASE, WASM, ARM64] {
        println!("==> {}", target.name);
        match target.ready() {
            Err(reason) => println!("    not checked: {reason}"),
            Ok(()) => {
                if let Err(error) = target.compare() {
                    println!("    FAILED: {error}");
                    failed = true;
                }
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn write() -> Result<(), String> {
    shell::run(&mut NATIVE.build())?;
    let output =
        NATIVE.program(&["--print"]).output().map_err(|error| format!("the program cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let old = fs::read(TABLE).unwrap_or_default();
    if old == output.stdout {
        println!("{TABLE}: nothing has moved");
        return Ok(());
    }
    fs::write(TABLE, &output.stdout).map_err(|error| format!("{TABLE} cannot be written: {error}"))?;
    println!("{TABLE}: written anew. Say in the commit why the bits have moved.");
    Ok(())
}

fn finish(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flags reach the compiler under the name that Cargo reads for the target, and not the build of this program.
    #[test]
    fn flags_are_for_their_target_alone() {
        let shown = shell::display(&WASM.build());
        assert!(shown.contains("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS=\"-C target-feature=+simd128\" cargo build"));
        assert!(!shell::display(&NATIVE.build()).contains("RUSTFLAGS"));
    }

    /// What runs the program comes before it, and the program is where Cargo puts it.
    #[test]
    fn programs_are_found_where_cargo_puts_them() {
        let shown = shell::display(&WASM.program(&["--print"]));
        assert!(shown.starts_with("node --no-warnings golden/node.mjs "), "{shown}");
        assert!(shown.ends_with("tumble-golden.wasm --print"), "{shown}");
        assert!(ARM64.program(&[]).get_args().any(|a| a.to_string_lossy().contains("musl/debug/tumble-golden")));
    }

    /// A slip of the pen does not write anything.
    #[test]
    fn unknown_words_are_refused() {
        assert!(run(&["--wirte"]).is_err());
    }
}
