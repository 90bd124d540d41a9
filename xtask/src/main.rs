//! The project's own chores: `cargo xtask`.
#![forbid(unsafe_code)]

mod bench;
mod files;
mod golden;
mod shell;
mod test;
mod tools;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if let Err(error) = std::env::set_current_dir(&root) {
        eprintln!("xtask: cannot enter {}: {error}", root.display());
        return ExitCode::FAILURE;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [] | ["help" | "--help" | "-h"] => {
            print!("{}", help());
            ExitCode::SUCCESS
        }
        ["test", "--help" | "-h"] => {
            print!("{}", test::help());
            ExitCode::SUCCESS
        }
        ["test", options @ ..] => match test::Options::parse(options) {
            Ok(options) => test::run(&options),
            Err(problem) => refuse(&problem, &test::help()),
        },
        ["bench", options @ ..] => match bench::run(options) {
            Ok(code) => code,
            Err(problem) => refuse(&problem, &help()),
        },
        ["golden", options @ ..] => match golden::run(options) {
            Ok(code) => code,
            Err(problem) => refuse(&problem, &help()),
        },
        [other, ..] => refuse(&format!("no chore is called `{other}`"), &help()),
    }
}

fn refuse(problem: &str, help: &str) -> ExitCode {
    eprintln!("xtask: {problem}\n\n{help}");
    ExitCode::from(2)
}

fn help() -> String {
    format!(
        "The project's own chores.\n\nUsage: cargo xtask CHORE [OPTIONS]\n\n{}{}{}",
        bench::help(),
        golden::help(),
        test::help()
    )
}
