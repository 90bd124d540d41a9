//! Names that were meant.

/// The candidate that differs from `name` in the fewest letters added, left out, changed or swapped; the first of several.
///
/// ```
/// use tumble_scene::names::nearest;
/// assert_eq!(nearest("fre-fall", ["box-stack", "free-fall"]), Some("free-fall"));
/// assert_eq!(nearest("anything", []), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    candidates.into_iter().min_by_key(|candidate| strsim::osa_distance(&name, candidate))
}
