//! What can be said to the command.

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

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
  tumble run door.toml --record door.rec   a scene of your own, recorded
  tumble replay door.rec                   the same again, compared bit by bit
  tumble convert box-stack stack.toml      a scene of the library as a file to edit

Exit codes:
  0  all went well: every check passed, the replay gave the same bits, the file is valid
  1  a check failed or could not be decided, the replay parted, or the work broke off
  2  it cannot be done as told: a wrong word, scene or parameter, or a file that cannot be read or is not valid
  130  stopped by Ctrl-C before the end; files are whole up to there";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene, print what it cost and kept, and check what should happen in it
    Run(RunOptions),
    /// List the scenes, or describe one
    Scenes(SceneOptions),
    /// List the methods that a scene can be run with, and what each can and cannot do
    Methods(MethodOptions),
    /// Make the steps of a recording again and compare
    Replay(ReplayOptions),
    /// Say what is in a file: a scene or a recording
    Info(InfoOptions),
    /// Check scene files, and say what is wrong and where
    Validate(ValidateOptions),
    /// Write a scene, or the world of a recording, as a file
    Convert(ConvertOptions),
    /// Say what a mesh file holds, and what it becomes: mass, hull, convex parts
    Mesh(MeshOptions),
    /// Print a script that completes this command in a shell
    Completions(CompletionOptions),
}

#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  tumble run dzhanibekov-nut
  tumble run door.toml --set boxes=9
  tumble run free-fall --seconds 1 --dt 1/240
  tumble run projectiles --method ballistic --json > run.json
  tumble run box-stack --threads 2 --record stack.rec --csv stack.csv

`tumble scenes SCENE` lists the parameters of a scene; `tumble methods` the methods.
Ctrl-C ends the run with the summary so far; what is recorded is whole.")]
pub struct RunOptions {
    /// The scene: a name that `tumble scenes` lists, or a file
    #[arg(value_name = "SCENE|FILE")]
    pub scene: String,
    /// Simulated seconds [default: as long as the scene has something to show]
    #[arg(long, value_name = "S", value_parser = positive, allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Time step in seconds, as a number or a fraction [default: as the scene says, or 1/60]
    #[arg(long, value_name = "DT", value_parser = positive, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Method to simulate with [default: as the scene says, or soft-step]
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Threads for each step; the number changes no bit [default: 1]
    #[arg(long, value_name = "N", value_parser = up_to_1024, allow_negative_numbers = true)]
    pub threads: Option<u32>,
    /// Set a parameter of the scene; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
    /// Record the run, to be replayed
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Write where every body is after every step, as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
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
  tumble scenes door.toml        the same of a file
  tumble scenes --json           everything, for programs")]
pub struct SceneOptions {
    /// Describe this scene alone, with its parameters and checks
    #[arg(value_name = "SCENE|FILE")]
    pub scene: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tumble methods
  tumble methods --json                  every slot of each method, for programs
  tumble run free-fall --method ballistic

The default is soft-step. A scene file says `method = \"simultaneous\"`, or a table of what differs.")]
pub struct MethodOptions {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tumble run box-stack --record stack.rec && tumble replay stack.rec
  tumble replay stack.rec --json

Exit code 1 says that the world was another one after some step; the first such step is named.")]
pub struct ReplayOptions {
    /// The recording
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print the outcome as JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tumble info door.toml
  tumble info stack.rec --json")]
pub struct InfoOptions {
    /// A scene file or a recording
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tumble validate door.toml
  tumble validate scenes/*.toml --json
  tumble validate --schema > scene.schema.json      for editors that complete by it

Exit code 2 says that some file is not valid or cannot be read; every mistake that can be
told by itself is named with line and column, in the order of the file.")]
pub struct ValidateOptions {
    /// Scene files
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    pub files: Vec<PathBuf>,
    /// Print the JSON Schema of scene files
    #[arg(long)]
    pub schema: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tumble convert box-stack stack.toml                 a scene of the library, every body as it stands
  tumble convert box-stack tall.toml --set boxes=30
  tumble convert stack.rec later.toml --step 120      the world of a recording after 120 steps
  tumble convert box-stack stack.flat                 a plain list for the driver of another engine
  tumble convert conveyor belt.flat --json            what was written and what was left out, for programs

The ending of OUT says what is written: .toml is a scene file, .flat a flat list of bodies and joints.
A warning names whatever OUT has no word for, and whose it is.")]
pub struct ConvertOptions {
    /// A scene of the library, a scene file or a recording
    #[arg(value_name = "IN")]
    pub from: String,
    /// The file to write
    #[arg(value_name = "OUT")]
    pub to: PathBuf,
    /// Set a parameter of the scene; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
    /// Of a recording: the world after so many steps [default: its beginning]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub step: Option<u64>,
    /// Print what was written as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tumble mesh bunny.obj
  tumble mesh gear.stl --scale 0.001 --density 7850      drawn in millimetres, of steel
  tumble mesh chair.glb --parts 32 --tolerance 0.02 --json

OBJ, STL, PLY, glTF and GLB files are read. A scene file uses one as
  mesh = { file = \"bunny.obj\", as = \"parts\" }")]
pub struct MeshOptions {
    /// The mesh
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Density in kg/m³
    #[arg(long, value_name = "D", value_parser = positive, default_value = "1000", allow_negative_numbers = true)]
    pub density: f64,
    /// Multiplies the coordinates
    #[arg(long, value_name = "S", value_parser = positive, default_value = "1", allow_negative_numbers = true)]
    pub scale: f64,
    /// No more convex parts than this
    #[arg(long, value_name = "N", default_value = "16", value_parser = up_to_1024, allow_negative_numbers = true)]
    pub parts: u32,
    /// Volume that convex parts may have too much, as a share
    #[arg(long, value_name = "T", value_parser = positive, default_value = "0.05", allow_negative_numbers = true)]
    pub tolerance: f64,
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

/// So many threads or parts.
fn up_to_1024(text: &str) -> Result<u32, String> {
    let count = text.trim().parse().ok().filter(|count| (1..=1024).contains(count));
    count.ok_or_else(|| "must be a whole number from 1 to 1024".to_owned())
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
