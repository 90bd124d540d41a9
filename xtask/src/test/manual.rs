//! The manual and the other pages: that chapters exist, links lead somewhere, and all code in them is tested.
//!
//! The code itself is compiled and run as doctests of the crate in `docs`, which includes every page; so no tool besides
//! Cargo is needed. Here it is checked that no page and no block of code escapes that.

use super::report::Findings;
use crate::files;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

const BOOK: &str = "docs/src";
const SUMMARY: &str = "docs/src/SUMMARY.md";
/// The crate that includes the pages as documentation, with paths relative to its folder.
const SNIPPETS: &str = "docs/snippets.rs";

/// Reads all pages and checks them against each other.
pub fn check(findings: &mut Findings) {
    findings.checked();
    match faults() {
        Ok((pages, faults)) => {
            for fault in faults {
                println!("    {fault}");
                findings.fail(fault);
            }
            findings.figure(format!("{pages} pages"));
        }
        Err(error) => findings.fail(format!("cannot read the pages: {error}")),
    }
}

fn faults() -> io::Result<(usize, Vec<String>)> {
    let files: BTreeSet<PathBuf> = files::all()?.into_iter().collect();
    let mut pages = BTreeMap::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
        pages.insert(file.clone(), Page::read(&fs::read_to_string(file)?));
    }
    let mut faults = chapter_faults(&pages, &fs::read_to_string(SNIPPETS)?);
    for (path, page) in &pages {
        faults.extend(page.block_faults(path));
        faults.extend(link_faults(path, page, &pages, &files));
    }
    Ok((pages.len(), faults))
}

/// What matters of a Markdown file.
#[derive(Debug, Default, PartialEq)]
struct Page {
    /// Where links and images point, with the line.
    links: Vec<(usize, String)>,
    /// The anchors of the headings.
    anchors: BTreeSet<String>,
    /// The words after the fence of each block of code, with the line.
    blocks: Vec<(usize, String)>,
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut heading: Option<String> = None;
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            let line = 1 + text[..range.start].matches('\n').count();
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push((line, dest_url.into_string()));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    let words = match kind {
                        CodeBlockKind::Fenced(words) => words.into_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    page.blocks.push((line, words));
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(t) | Event::Code(t) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&t);
                    }
                }
                Event::End(TagEnd::Heading(_)) => page.add_anchor(&heading.take().unwrap_or_default()),
                _ => {}
            }
        }
        page
    }

    /// The anchor that mdBook gives a heading; the second of a name gets a number.
    fn add_anchor(&mut self, heading: &str) {
        let kept = heading.trim().chars().filter_map(|c| match c {
            c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
            c if c.is_whitespace() => Some('-'),
            _ => None,
        });
        let anchor: String = kept.collect();
        let mut unique = anchor.clone();
        let mut n = 0;
        while !self.anchors.insert(unique.clone()) {
            n += 1;
            unique = format!("{anchor}-{n}");
        }
    }

    /// rustdoc takes a block without a language for Rust, mdBook does not; and a block marked `ignore` is never compiled.
    fn block_faults(&self, path: &Path) -> Vec<String> {
        let fault = |(line, words): &(usize, String)| {
            let mut words = words.split([',', ' ']).map(str::trim);
            let problem = match words.next() {
                None | Some("") => "a block of code names no language",
                Some("rust") if words.any(|word| word.starts_with("ignore")) => "a block of Rust is not compiled",
                _ => return None,
            };
            Some(format!("{}:{line}: {problem}", shown(path)))
        };
        self.blocks.iter().filter_map(fault).collect()
    }
}

/// Every page of the book is a chapter, once, and is included in the tests.
fn chapter_faults(pages: &BTreeMap<PathBuf, Page>, snippets: &str) -> Vec<String> {
    let Some(summary) = pages.get(Path::new(SUMMARY)) else { return vec![format!("{SUMMARY} is missing")] };
    let mut faults = Vec::new();
    let mut chapters = BTreeSet::new();
    for (line, link) in &summary.links {
        if !chapters.insert(Path::new(BOOK).join(link)) {
            faults.push(format!("{SUMMARY}:{line}: {link} is listed twice"));
        }
    }
    for path in pages.keys().filter(|path| path.starts_with(BOOK) && *path != Path::new(SUMMARY)) {
        if !chapters.contains(path) {
            faults.push(format!("{} is not listed in {SUMMARY}", shown(path)));
        }
        let included = path.strip_prefix("docs").unwrap_or(path);
        if !snippets.contains(&format!("include_str!(\"{}\")", shown(included))) {
            faults.push(format!("{} is not included in {SNIPPETS}: its code is not tested", shown(path)));
        }
    }
    faults
}

/// Links to files and headings that are not there, and links that leave the book, which would be dead in its pages.
fn link_faults(path: &Path, page: &Page, pages: &BTreeMap<PathBuf, Page>, files: &BTreeSet<PathBuf>) -> Vec<String> {
    let mut faults = Vec::new();
    for (line, link) in &page.links {
        if link.contains("://") || link.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let target = if file.is_empty() { path.to_owned() } else { resolved(path, file) };
        let is_there = files.contains(&target) || files.iter().any(|f| f.starts_with(&target));
        let problem = if !is_there {
            "leads nowhere"
        } else if path.starts_with(BOOK) && !target.starts_with(BOOK) {
            "leaves the book"
        } else if !anchor.is_empty() && pages.get(&target).is_some_and(|page| !page.anchors.contains(anchor)) {
            "names no heading of that page"
        } else {
            continue;
        };
        faults.push(format!("{}:{line}: the link `{link}` {problem}", shown(path)));
    }
    faults
}

/// The file that a relative link on a page means.
fn resolved(page: &Path, link: &str) -> PathBuf {
    let mut target = page.parent().map(Path::to_owned).unwrap_or_default();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => _ = target.pop(),
            Component::CurDir => {}
            part => target.push(part),
        }
    }
    target
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNIPPETS_OF_TEST: &str = "#[doc = include_str!(\"src/a.md\")] #[doc = include_str!(\"src/b.md\")]";

    /// The faults of a book with these pages.
    fn faults_of(pages: &[(&str, &str)]) -> Vec<String> {
        let pages: BTreeMap<PathBuf, Page> = pages.iter().map(|(p, text)| (p.into(), Page::read(text))).collect();
        let files = pages.keys().cloned().collect();
        let mut faults = chapter_faults(&pages, SNIPPETS_OF_TEST);
        for (path, page) in &pages {
            faults.extend(page.block_faults(path));
            faults.extend(link_faults(path, page, &pages, &files));
        }
        faults
    }

    const LIST: (&str, &str) = (SUMMARY, "# Summary\n- [A](a.md)\n- [B](b.md)\n");

    /// Links within a page, to a heading of another, to a folder and to the net; code that only looks like a link.
    #[test]
    fn a_sound_book_has_no_faults() {
        let a = "# One `two` & three!\n[up](#one-two--three) [b](b.md#again-1) `[x](y)`\n```rust\n[1](2);\n```\n";
        let b = "## Again\n## Again\n[net](https://example.org)\n";
        let readme = "[manual](docs/src) [a](docs/src/a.md)";
        assert_eq!(faults_of(&[LIST, ("docs/src/a.md", a), ("docs/src/b.md", b), ("README.md", readme)]), [""; 0]);
    }

    /// Each kind of fault, with its place.
    #[test]
    fn every_fault_is_found() {
        let a = "# A\n[gone](gone.md) [out](../../README.md) [head](b.md#none)\n";
        let b = "```\nlet x;\n```\n\n```rust,ignore\n```\n";
        let found = faults_of(&[
            (SUMMARY, "[A](a.md) [A](a.md) [B](b.md)"),
            ("docs/src/a.md", a),
            ("docs/src/b.md", b),
            ("docs/src/c.md", ""),
            ("README.md", ""),
        ]);
        let expected = [
            "docs/src/SUMMARY.md:1: a.md is listed twice",
            "docs/src/c.md is not listed in docs/src/SUMMARY.md",
            "docs/src/c.md is not included in docs/snippets.rs: its code is not tested",
            "docs/src/a.md:2: the link `gone.md` leads nowhere",
            "docs/src/a.md:2: the link `../../README.md` leaves the book",
            "docs/src/a.md:2: the link `b.md#none` names no heading of that page",
            "docs/src/b.md:1: a block of code names no language",
            "docs/src/b.md:5: a block of Rust is not compiled",
        ];
        assert_eq!(found, expected);
    }

    /// A chapter that is listed but not written.
    #[test]
    fn a_missing_chapter_is_found() {
        let found = faults_of(&[LIST, ("docs/src/a.md", "")]);
        assert_eq!(found, ["docs/src/SUMMARY.md:3: the link `b.md` leads nowhere"]);
    }
}
