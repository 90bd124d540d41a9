//! What can be wrong with a scene or with what is asked of it.

use crate::figure::Exact;
use crate::file::FileError;

/// The result of everything that takes input.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a scene cannot be found, set up or run.
///
/// ```
/// let error = tumble_scene::library::find("fre-fall").unwrap_err();
/// assert_eq!(error.to_string(), r#"there is no scene "fre-fall"; the nearest name is "free-fall""#);
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No scene has this name.
    #[error("there is no scene {name:?}; {advice}")]
    UnknownScene {
        /// What was asked for.
        name: String,
        /// The name that resembles it most, or which there are.
        advice: String,
    },
    /// The scene has no parameter of this name.
    #[error("scene {scene:?} has no parameter {name:?}; {advice}")]
    UnknownParameter {
        /// The scene.
        scene: String,
        /// What was asked for.
        name: String,
        /// The parameter that resembles it most, or which there are.
        advice: String,
    },
    /// A value is outside its range.
    #[error("scene {scene:?}: {name} must be {expected}, got {}", Exact(*.value))]
    Value {
        /// The scene.
        scene: String,
        /// The parameter, or `time step`.
        name: String,
        /// What would have been right.
        expected: String,
        /// What was given.
        value: f64,
    },
    /// The scene measures a check that it does not declare, or the reverse.
    #[error("scene {scene:?}: check {check:?} is {problem}")]
    Check {
        /// The scene.
        scene: String,
        /// The check.
        check: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A flat list cannot be read.
    #[error("flat list, word {word}: {problem}")]
    Flat {
        /// How many words were read.
        word: u64,
        /// What is wrong.
        problem: String,
    },
    /// A flat list has no word for something, or does not fit.
    #[error("a flat list cannot hold {what}")]
    NotFlat {
        /// What.
        what: String,
    },
    /// No case of the benchmarks has this name.
    #[error("there is no benchmark {name:?}; {advice}")]
    UnknownCase {
        /// What was asked for.
        name: String,
        /// The name that resembles it most, or which there are.
        advice: String,
    },
    /// A file cannot be read, or says something that cannot be.
    #[error("{0}")]
    File(FileError),
    /// A world holds something that no file can say.
    #[error("scene {scene:?} cannot be written: it has {problem}")]
    Unwritable {
        /// The scene.
        scene: String,
        /// What stands in the way.
        problem: String,
    },
    /// The engine refused something.
    #[error("scene {scene:?}: {source}")]
    Engine {
        /// The scene.
        scene: String,
        /// What the engine says.
        source: tumble::Error,
    },
}
