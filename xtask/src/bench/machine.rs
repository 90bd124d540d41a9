//! What the measurements were made on.

use std::fs;
use std::process::Command;

/// A machine and a moment.
pub struct Machine {
    /// The name of its processor.
    pub cpu: String,
    /// Processors that the system shows.
    pub cores: usize,
    /// The day, as YYYY-MM-DD.
    pub date: String,
    /// The compilers.
    pub compilers: Vec<String>,
    /// How busy it was at the end, as the mean number of running programs over the last minute; 0 where the system does not tell.
    pub load: f64,
}

impl Machine {
    /// A name for its folder.
    pub fn slug(&self) -> String {
        let mut slug = String::new();
        for c in self.cpu.to_lowercase().replace("(r)", "").replace("(tm)", "").chars() {
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else if !slug.ends_with('-') && !slug.is_empty() {
                slug.push('-');
            }
        }
        format!("{}-{}-cores", slug.trim_end_matches('-'), self.cores)
    }
}

/// This machine, now.
pub fn describe() -> Machine {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':').map(|(_, name)| name.trim()));
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    Machine {
        cpu: cpu.unwrap_or("unknown processor").to_owned(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        date: first_line("date -u +%F"),
        compilers: ["rustc --version", "c++ --version"].map(first_line).to_vec(),
        load: load.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0.0),
    }
}

fn first_line(command: &str) -> String {
    let mut words = command.split_whitespace();
    let output = words.next().and_then(|program| Command::new(program).args(words).output().ok());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folders have plain names.
    #[test]
    fn slugs_are_plain() {
        let machine = Machine {
            cpu: "Intel(R) Xeon(R)  CPU @ 2.10GHz".to_owned(),
            cores: 2,
            date: String::new(),
            compilers: Vec::new(),
            load: 0.0,
        };
        assert_eq!(machine.slug(), "intel-xeon-cpu-2-10ghz-2-cores");
    }
}
