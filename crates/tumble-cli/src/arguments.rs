//! What can be said to the command.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// Runs scenes of rigid bodies and checks what happens in them.
///
/// Without a command, the first scene is run.
#[derive(Debug, Parser)]
#[command(name = "tumble", version, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "\
Examples:
  tumble scenes                            what there is to run
  tumble run free-fall                     a scene with all its defaults
  tumble run projectiles --set speed=40    the same scene, other parameters

Exit codes:
  0  every check passed
  1  a check failed or could not be decided, or the run broke off
  2  the command was not understood
  130  stopped by Ctrl-C before the end";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene, print what it cost and kept, and check what should happen in it
    Run(RunOptions),
    /// List the scenes, or describe one
    Scenes(SceneOptions),
    /// List the methods that a scene can be run with
    Methods(MethodOptions),
    /// Print a script that completes this command in a shell
    Completions(CompletionOptions),
}

#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  tumble run dzhanibekov-nut
  tumble run free-fall --seconds 1 --dt 1/240
  tumble run projectiles --set speed=40 --set bodies=30
  tumble run projectiles --method ballistic --json > run.json

`tumble scenes SCENE` lists the parameters of a scene; `tumble methods` the methods.
Ctrl-C ends the run with the summary so far.")]
pub struct RunOptions {
    /// The scene; `tumble scenes` lists them
    #[arg(value_name = "SCENE")]
    pub scene: String,
    /// Simulated seconds [default: as long as the scene has something to show]
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Time step in seconds, as a number or a fraction [default: 1/60]
    #[arg(long, value_name = "DT", value_parser = positive, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Method to simulate with [default: soft-step]
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Set a parameter of the scene; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tumble scenes                  names and descriptions
  tumble scenes projectiles      parameters and checks of one scene
  tumble scenes --json           everything, for programs")]
pub struct SceneOptions {
    /// Describe this scene alone, with its parameters and checks
    #[arg(value_name = "SCENE")]
    pub scene: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MethodOptions {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  source <(tumble completions bash)
  tumble completions fish > ~/.config/fish/completions/tumble.fish")]
pub struct CompletionOptions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// A positive number, such as `0.01` or `1/240`.
fn positive(text: &str) -> Result<f64, String> {
    let number = match text.split_once('/') {
        Some((above, below)) => number(above)? / number(below)?,
        None => number(text)?,
    };
    if number > 0.0 && number.is_finite() { Ok(number) } else { Err("must be positive and finite".to_owned()) }
}

fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("{:?} is not a number", text.trim()))
}

/// A name and a number; whether they suit the scene is for the scene to say.
fn assignment(text: &str) -> Result<(String, f64), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE, as in `--set speed=40`")?;
    Ok((key.trim().to_owned(), number(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// The definitions do not contradict each other.
    #[test]
    fn definitions_are_sound() {
        Arguments::command().debug_assert();
    }

    /// Times are positive numbers or fractions; anything else is refused.
    #[test]
    fn times_are_positive() {
        assert_eq!(positive("2.5"), Ok(2.5));
        assert_eq!(positive(" 1 / 240 "), Ok(1.0 / 240.0));
        for wrong in ["0", "-1", "NaN", "inf", "1/0", "0/0", "-1/60", "1/60/2", "", "/", "one", "1e999"] {
            assert!(positive(wrong).is_err(), "{wrong}");
        }
    }

    /// A value may be any number at this stage, a key any word.
    #[test]
    fn assignments_have_two_sides() {
        assert_eq!(assignment("speed=-4e2"), Ok(("speed".to_owned(), -400.0)));
        assert!(assignment("speed=NaN").is_ok_and(|(_, v)| v.is_nan()));
        for wrong in ["speed", "speed=", "speed=fast", "speed=1=2", ""] {
            assert!(assignment(wrong).is_err(), "{wrong}");
        }
    }
}
