//! Shell completion.

use crate::arguments::{Arguments, CompletionOptions};
use crate::failure::Failure;
use crate::output;
use clap::CommandFactory;
use clap::builder::PossibleValuesParser;
use std::process::ExitCode;
use tumble::Method;
use tumble_scene::library;

/// Prints the script. It also completes the names of scenes and methods, which the command itself takes as words, so that
/// it can answer a wrong one with its own error.
pub fn print(options: &CompletionOptions) -> Result<ExitCode, Failure> {
    let scenes = || PossibleValuesParser::new(library::scenes().into_iter().map(|scene| scene.name.into_owned()));
    let methods = PossibleValuesParser::new(Method::presets().into_iter().map(|method| method.name));
    let mut command = Arguments::command()
        .mut_subcommand("run", |run| {
            run.mut_arg("scene", |arg| arg.value_parser(scenes())).mut_arg("method", |arg| arg.value_parser(methods))
        })
        .mut_subcommand("scenes", |list| list.mut_arg("scene", |arg| arg.value_parser(scenes())));
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut command, "tumble", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
