//! Scenes by name and by file.

use crate::failure::Failure;
use std::path::Path;
use tumble_scene::{Scene, file, library};

/// The scene that a word means: a file where it looks like one or is one, else a scene of the library.
pub fn scene(word: &str) -> Result<Scene, Failure> {
    let path = Path::new(word);
    let is_file = word.contains(['/', '\\']) || path.extension().is_some() || path.exists();
    if is_file { file::load(path) } else { library::find(word) }.map_err(Failure::from_input)
}
