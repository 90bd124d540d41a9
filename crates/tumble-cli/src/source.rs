//! Scenes by name and by file.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use tumble_scene::{Scene, file, library};

/// No two of these are one file: what is read would be lost, or what is written.
pub fn keep_apart<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in paths {
        // The place of a file that is not there yet is that of its folder.
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let there = path.canonicalize().ok();
        let place = there.or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)));
        let Some(place) = place.filter(|place| !place.exists() || place.is_file()) else { continue };
        if seen.contains(&place) {
            return Err(Failure::Usage(format!(
                "{} would be read or written twice; name another file",
                path.display()
            )));
        }
        seen.push(place);
    }
    Ok(())
}

/// The scene that a word means: a file where it looks like one or is one, else a scene of the library.
pub fn scene(word: &str) -> Result<Scene, Failure> {
    let path = Path::new(word);
    let is_file = word.contains(['/', '\\']) || path.extension().is_some() || path.exists();
    if is_file {
        return file::load(path).map_err(Failure::from_input);
    }
    library::find(word).map_err(|error| {
        let beside = format!("{word}.toml");
        match Path::new(&beside).is_file() {
            true => Failure::Usage(format!("there is no scene {word:?}; did you mean the file {beside}?")),
            false => Failure::from_input(error),
        }
    })
}
