//! Golden hashes: worlds whose outcome is known to the last bit, in both precisions.
//!
//! The same program runs natively, on wasm32 and on arm64 (`cargo xtask golden`), and in every instruction set that it
//! finds there, and on several threads; all must come to the hashes that are committed in `hashes.txt`. It needs nothing but a standard output.
//!
//! ```text
//! tumble-golden                  compare with the committed hashes, in every instruction set and on several threads
//! tumble-golden --print          the table of hashes as it is now
//! tumble-golden --trace WORLD    a hash after every step, to find the first that differs between two machines
//! ```
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]
// The worlds are compiled once for each precision.
#![allow(clippy::duplicate_mod, clippy::unnecessary_cast, clippy::useless_conversion)]

mod digest;
mod double;
mod library;
mod single;
mod table;

use std::process::ExitCode;
use table::Table;

/// The table of hashes that belongs to this version of the source.
const COMMITTED: &str = include_str!("../hashes.txt");

/// Whether worlds are run in the widest instruction set of this machine alone, or in every way that must not matter.
#[derive(Clone, Copy, PartialEq)]
pub enum Ways {
    /// The widest set, on one thread.
    One,
    /// Every set, and several threads.
    All,
}

/// What goes wrong in either precision, or in the library of scenes.
type Fault = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        [] => compare(),
        ["--print"] => table(Ways::One).map(|table| print!("{table}")),
        ["--trace", world] => trace(world),
        _ => Err("usage: tumble-golden [--print | --trace WORLD]".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::FAILURE
        }
    }
}

fn table(ways: Ways) -> Result<Table, Fault> {
    let mut table = Table::default();
    single::run::all(ways, &mut table)?;
    double::run::all(ways, &mut table)?;
    library::all(ways, &mut table)?;
    Ok(table)
}

fn compare() -> Result<(), Fault> {
    let found = table(Ways::All)?;
    let faults = Table::parse(COMMITTED)?.against(&found);
    if faults.is_empty() {
        println!("{} hashes as committed; ways: {}", found.len(), found.ways());
        return Ok(());
    }
    let meant = "If this is meant, run `cargo xtask golden --write`, and say in the commit why the bits have moved.";
    Err(format!("{}\n{meant}", faults.join("\n")).into())
}

fn trace(world: &str) -> Result<(), Fault> {
    if single::run::trace(world)? && double::run::trace(world)? {
        return Ok(());
    }
    Err(format!("no world is called `{world}`").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of whole simulations are those that were committed, in every instruction set of this machine. Other
    /// machines and other profiles: `cargo xtask golden`.
    #[test]
    fn hashes_are_as_committed() {
        if let Err(fault) = compare() {
            panic!("{fault}");
        }
    }
}
