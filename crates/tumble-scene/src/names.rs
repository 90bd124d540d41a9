//! Names that were meant.

/// The candidate that differs from `name` in the fewest letters added, left out, changed or swapped; the first of several. None
/// where nothing resembles it: where more than about a third of its letters differ, or all.
///
/// ```
/// use tumble_scene::names::nearest;
/// assert_eq!(nearest("fre-fall", ["box-stack", "free-fall"]), Some("free-fall"));
/// assert_eq!(nearest("anything", ["box-stack", "free-fall"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let letters = name.chars().count();
    let distance = |candidate: &&str| strsim::osa_distance(&name, &candidate.to_lowercase());
    // What is wanted begins with what was said: a word that was not finished.
    let begun = |candidate: &str| letters >= 3 && candidate.to_lowercase().starts_with(&name);
    let near = candidates.into_iter().map(|c| (if begun(c) { 1 } else { distance(&c) }, c)).min_by_key(|(d, _)| *d);
    let alike = |(distance, candidate): &(usize, &str)| {
        *distance <= letters.div_ceil(3) && *distance < letters.max(candidate.chars().count())
    };
    near.filter(alike).map(|(_, candidate)| candidate)
}

/// What to say of a name that nothing has: the nearest of those that there are, or a few of them, or that there are none.
///
/// ```
/// use tumble_scene::names::missing;
/// assert_eq!(missing("body", "dor", ["door", "floor"]), "there is no body \"dor\"; the nearest name is \"door\"");
/// assert_eq!(missing("body", "x", ["door", "floor"]), "there is no body \"x\"; there are \"door\", \"floor\"");
/// assert_eq!(missing("body", "x", []), "there is no body \"x\"; none has a name");
/// ```
pub fn missing<'a>(kind: &str, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    format!("there is no {kind} {name:?}; {}", instead(name, candidates))
}

/// The second half of such a sentence.
pub fn instead<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 6;
    let all: Vec<&str> = candidates.into_iter().collect();
    if let Some(near) = nearest(name, all.iter().copied()) {
        return format!("the nearest name is {near:?}");
    }
    let shown: Vec<String> = all.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    match all.len() {
        0 => "none has a name".to_owned(),
        count if count > SHOWN => format!("there are {} and {} more", shown.join(", "), count - SHOWN),
        _ => format!("there are {}", shown.join(", ")),
    }
}
