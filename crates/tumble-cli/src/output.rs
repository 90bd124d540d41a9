//! Standard output and standard error.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{ErrorKind, Write};

/// Prints a text as a whole. A reader that has heard enough (`tumble scenes | head -1`) is no failure.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Broken(format!("cannot write the output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a line on the standard error. Where nobody listens, nothing is lost.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// What is allowed, and hardly meant.
pub fn warn(words: &[String]) {
    words.iter().for_each(|words| tell(&format!("warning: {words}")));
}

/// So many of something: `1 body`, `2 bodies`.
pub fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Prints something as JSON.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Failure::Broken(format!("cannot write the output as JSON: {error}")))?;
    print(&(text + "\n"))
}
