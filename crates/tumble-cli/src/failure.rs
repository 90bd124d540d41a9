//! Why the command could not do what it was told, and with which code it ends.

use std::fmt;
use std::process::ExitCode;
use tumble_scene::library;

/// A sentence for the user, and whether it was the words of the command or the work that went wrong.
#[derive(Debug)]
pub enum Failure {
    /// The command cannot be carried out as it was given.
    Usage(String),
    /// It broke off on the way.
    Broken(String),
}

/// The exit code of a command that cannot be carried out: a wrong word, scene, parameter or file.
pub const WRONG_INPUT: u8 = 2;

impl Failure {
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(WRONG_INPUT),
            Self::Broken(_) => ExitCode::FAILURE,
        }
    }

    /// What the scenes say about input, with what to do.
    pub fn from_input(error: tumble_scene::Error) -> Self {
        use tumble_scene::Error::{File, UnknownParameter, UnknownScene, Value};
        let advice = match &error {
            UnknownScene { .. } => "; `tumble scenes` lists them all, and a file is named by its path".to_owned(),
            UnknownParameter { scene, .. } | Value { scene, .. } if library::find(scene).is_ok() => {
                format!("; see `tumble scenes {scene}`")
            }
            File(error) if !error.others.is_empty() => {
                format!("; `tumble validate {}` names {} more", error.file, error.others.len())
            }
            _ => String::new(),
        };
        Self::Usage(format!("{error}{advice}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(words) | Self::Broken(words) => f.write_str(words),
        }
    }
}
