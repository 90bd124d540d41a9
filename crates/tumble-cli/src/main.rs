//! The `tumble` command.
#![forbid(unsafe_code)]

mod arguments;
mod completions;
mod convert;
mod failure;
mod info;
mod interrupt;
mod lists;
mod mesh;
mod output;
mod progress;
mod replay;
mod report;
mod run;
mod source;
mod validate;

use arguments::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Wrong usage ends here, with exit code 2.
    let arguments = Arguments::parse();
    match carry_out(arguments) {
        Ok(code) => code,
        Err(failure) => {
            output::tell(&format!("error: {failure}"));
            failure.exit_code()
        }
    }
}

fn carry_out(arguments: Arguments) -> Result<ExitCode, Failure> {
    match arguments.command {
        Some(Command::Run(options)) => run::run(&options),
        Some(Command::Scenes(options)) => lists::scenes(&options),
        Some(Command::Methods(options)) => lists::methods(&options),
        Some(Command::Replay(options)) => replay::replay(&options),
        Some(Command::Info(options)) => info::info(&options),
        Some(Command::Validate(options)) => validate::validate(&options),
        Some(Command::Convert(options)) => convert::convert(&options),
        Some(Command::Mesh(options)) => mesh::mesh(&options),
        Some(Command::Completions(options)) => completions::print(&options),
        None => run::first_scene(),
    }
}
