//! Running other programs, in the open.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitStatus, Stdio};

/// The Cargo that runs this program. What a second build could reuse costs an eighth of the first, and here the first
/// counts; said in one place, because what one command has built another reuses only if both say it.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.env("CARGO_INCREMENTAL", "0");
    command
}

/// A program with its arguments, split at spaces.
pub fn command(line: &str) -> Command {
    let mut words = line.split_whitespace();
    let mut command = match words.next() {
        Some("cargo") | None => cargo(),
        Some(program) => Command::new(program),
    };
    command.args(words);
    command
}

/// The command as a person would type it, with the variables that were set for it.
pub fn display(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut words: Vec<String> = variables.map(|(n, v)| format!("{}={}", n.display(), quoted(v))).collect();
    let program = std::path::Path::new(command.get_program());
    words.push(program.file_stem().unwrap_or_default().to_string_lossy().into_owned());
    words.extend(command.get_args().map(quoted));
    words.join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.contains(char::is_whitespace) { format!("\"{word}\"") } else { word.into_owned() }
}

/// Shows the command, then runs it with its output passed through. The error says how it ended.
pub fn run(command: &mut Command) -> Result<(), String> {
    announce(command);
    let status = command.status();
    finish(command, status)
}

/// As [`run`], and hands every line of standard output to `read` after it was passed through.
pub fn run_reading(command: &mut Command, mut read: impl FnMut(&str)) -> Result<(), String> {
    announce(command);
    let status = (|| {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        if let Some(output) = child.stdout.take() {
            pass_through(BufReader::new(output), io::stdout(), &mut read)?;
        }
        child.wait()
    })();
    finish(command, status)
}

/// The command ends with success. Its output is not shown.
pub fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn announce(command: &Command) {
    println!("    $ {}", display(command));
}

fn finish(command: &Command, status: io::Result<ExitStatus>) -> Result<(), String> {
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` ended with {status}", display(command))),
        Err(error) => Err(format!("`{}` could not be run: {error}", display(command))),
    }
}

fn pass_through(mut from: impl BufRead, mut to: impl Write, read: &mut impl FnMut(&str)) -> io::Result<()> {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        read(String::from_utf8_lossy(&line).trim_end());
        line.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A summary names commands so that they can be typed again.
    #[test]
    fn commands_are_shown_as_typed() {
        let mut doc = command("cargo doc --no-deps");
        doc.env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(display(&doc), "CARGO_INCREMENTAL=0 RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps");
    }

    /// Output reaches the reader as it was, whether or not it is text or ends with a line break.
    #[test]
    fn output_is_passed_through_unchanged() {
        let given = b"one\r\ntwo \xff\nthree";
        let (mut shown, mut lines) = (Vec::new(), Vec::new());
        pass_through(&given[..], &mut shown, &mut |line: &str| lines.push(line.to_owned())).unwrap();
        assert_eq!(shown, given);
        assert_eq!(lines, ["one", "two \u{fffd}", "three"]);
    }

    /// A program that is not there is a failure with its name, not a crash.
    #[test]
    fn a_missing_program_is_an_error() {
        let error = run(&mut command("no-such-program-anywhere --flag")).unwrap_err();
        assert!(error.starts_with("`no-such-program-anywhere --flag` could not be run"), "{error}");
    }
}
