//! Which files belong to the repository.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Hidden folders that hold the project's own files.
const HIDDEN_BUT_OURS: [&str; 3] = [".cargo", ".ci", ".github"];

/// All files below the current directory in the order of their names, except what tools make: build folders (Cargo marks
/// them with a tag), the built manual, the engines built for benchmarks, installed packages, and hidden folders of other tools.
///
/// The tree is walked rather than asked of git, so that an unpacked archive is checked like a clone.
pub fn all() -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(Path::new(""), &mut found)?;
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut entries = fs::read_dir(listed)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = folder.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() && !is_made_by_tools(&path) {
            walk(&path, found)?;
        } else if kind.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

fn is_made_by_tools(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let hidden = name.starts_with('.') && !HIDDEN_BUT_OURS.contains(&name.as_ref());
    let built = ["docs/book", "peers/target"].iter().any(|made| folder == Path::new(made));
    hidden || built || name == "node_modules" || folder.join("CACHEDIR.TAG").exists()
}
