//! That everything public is shown in an example that compiles.
//!
//! The examples themselves are doctests and run with the suite, in both precisions. Here it is checked that none is missing: a
//! type, a trait or a function has an example of its own, and a method has one or is called in one, so that a getter need not
//! repeat what the example of its type shows. What is public is asked of rustdoc, which knows it through all re-exports.

use super::report::Findings;
use crate::{shell, tools};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Modules and methods whose examples are still to be written.
const NOT_YET: [&str; 0] = [];

/// Has rustdoc describe the engine's public items, and looks for those without an example.
pub fn check(findings: &mut Findings) {
    let folder = tools::target_directory().join("examples");
    let mut describe =
        shell::command("cargo rustdoc --package tumble --lib -- -Z unstable-options --output-format json");
    // The description as JSON is not stable; this lets the toolchain at hand write it. Apart from the other builds, which would
    // be made anew for it.
    describe.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", &folder);
    if let Err(error) = shell::run(&mut describe) {
        return findings.skip(format!("whether all public items have examples not checked: {error}"));
    }
    let text = match fs::read_to_string(folder.join("doc/tumble.json")) {
        Ok(text) => text,
        Err(error) => return findings.skip(format!("whether all public items have examples not checked: {error}")),
    };
    let Some(items) = serde_json::from_str(&text).ok().and_then(|json| Items::read(&json)) else {
        return findings.skip("whether all public items have examples not checked: rustdoc writes another format");
    };
    findings.checked();
    for gap in NOT_YET {
        findings.skip(format!("examples of `{gap}` not counted: still to be written"));
    }
    for fault in items.faults() {
        println!("    {fault}");
        findings.fail(fault);
    }
    findings.figure(format!("{} public items shown in examples", items.found.len()));
}

/// A public item.
struct Item {
    path: String,
    place: String,
    is_method: bool,
    example: String,
}

/// The public items of a crate.
#[derive(Default)]
struct Items {
    found: Vec<Item>,
    /// By number, since an item may be reached by several paths.
    seen: BTreeSet<String>,
}

impl Items {
    /// `None` where the description is not of the form that is known here.
    fn read(json: &Value) -> Option<Self> {
        let mut items = Self::default();
        items.visit(json.get("index")?, json.get("root")?, "")?;
        (!items.found.is_empty()).then_some(items)
    }

    fn visit(&mut self, index: &Value, id: &Value, path: &str) -> Option<()> {
        // Items of other crates are not described.
        let Some(item) = index.get(id.to_string()) else { return Some(()) };
        let (kind, inner) = item.get("inner")?.as_object()?.iter().next()?;
        if kind == "use" {
            return self.visit(index, inner.get("id")?, path);
        }
        if is_hidden(item) || !self.seen.insert(id.to_string()) {
            return Some(());
        }
        let name = item.get("name")?.as_str().unwrap_or_default();
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") };
        match kind.as_str() {
            "module" => {
                for child in inner.get("items")?.as_array()? {
                    self.visit(index, child, &path)?;
                }
            }
            "function" | "macro" => self.add(item, path, false),
            "trait" => {
                self.add(item, path.clone(), false);
                self.methods(index, inner.get("items")?, &path, false)?;
            }
            "struct" | "enum" | "union" => {
                self.add(item, path.clone(), false);
                for id in inner.get("impls")?.as_array()? {
                    let Some(block) = index.get(id.to_string()).and_then(|i| i.get("inner")?.get("impl")) else {
                        continue;
                    };
                    if block.get("trait")?.is_null() {
                        self.methods(index, block.get("items")?, &path, true)?;
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    /// The methods among these items; of a type those that are public.
    fn methods(&mut self, index: &Value, ids: &Value, path: &str, of_type: bool) -> Option<()> {
        for item in ids.as_array()?.iter().filter_map(|id| index.get(id.to_string())) {
            let is_method = item.get("inner")?.get("function").is_some();
            let is_public = !of_type || item.get("visibility")?.as_str() == Some("public");
            if is_method && is_public && !is_hidden(item) {
                self.add(item, format!("{path}::{}", item.get("name")?.as_str()?), true);
            }
        }
        Some(())
    }

    fn add(&mut self, item: &Value, path: String, is_method: bool) {
        let docs = item.get("docs").and_then(Value::as_str).unwrap_or_default();
        let span = item.get("span");
        let file = span.and_then(|s| s.get("filename")?.as_str()).unwrap_or_default();
        let line = span.and_then(|s| s.get("begin")?.get(0)?.as_u64()).unwrap_or(0);
        self.found.push(Item { path, place: format!("{file}:{line}"), is_method, example: code_of(docs) });
    }

    fn faults(&self) -> Vec<String> {
        let examples: String = self.found.iter().map(|item| item.example.as_str()).collect();
        let shown = |item: &Item| {
            let name = item.path.rsplit("::").next().unwrap_or_default();
            !item.example.is_empty() || (item.is_method && is_called(name, &examples))
        };
        let counted = |item: &Item| {
            let path = item.path.split_once("::").map_or("", |(_, path)| path);
            !NOT_YET
                .iter()
                .any(|no| path.strip_prefix(no).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")))
        };
        let missing = self.found.iter().filter(|item| counted(item) && !shown(item));
        missing.map(|item| format!("{}: `{}` is shown in no example", item.place, item.path)).collect()
    }
}

fn is_hidden(item: &Value) -> bool {
    item.get("attrs").is_some_and(|attributes| attributes.to_string().contains("doc(hidden)"))
}

/// The code of all examples that are compiled.
fn code_of(docs: &str) -> String {
    let (mut code, mut fence) = (String::new(), None);
    for line in docs.lines() {
        let opens = line.trim_start().strip_prefix("```");
        match (fence, opens) {
            (None, Some(language)) => fence = Some(!["text", "ignore"].iter().any(|no| language.contains(no))),
            (Some(_), Some(_)) => fence = None,
            (Some(true), None) => code += &format!("{line}\n"),
            _ => {}
        }
    }
    code
}

/// The function is called, or written as part of a trait.
fn is_called(name: &str, code: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let after = after.strip_prefix("::<").map_or(after, |rest| rest.split_once('>').map_or(rest, |(_, rest)| rest));
        let named = before.ends_with('.') || before.ends_with("::");
        (named && after.starts_with('(')) || (before.ends_with("fn ") && after.starts_with(['(', '<']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Only what is compiled counts, also after a drawing.
    #[test]
    fn examples_are_found_in_documentation() {
        assert_eq!(code_of("Words.\n```text\n a b\n```\n\n```\nlet a = 1;\n```\n"), "let a = 1;\n");
        assert_eq!(code_of("```ignore\nlet a;\n```\n```rust\nf();\n```"), "f();\n");
    }

    /// A name that is only mentioned, or part of another, is not called.
    #[test]
    fn calls_are_told_from_mentions() {
        for code in ["body.mass()", "Shape::mass(1)", "x.mass::<f64>(2)", "fn mass(&self)", "fn mass<T>(t: T)"] {
            assert!(is_called("mass", code), "{code}");
        }
        for code in ["body.mass_of()", "body.mass", "biomass()", "mass(2)", "body.heavy_mass()"] {
            assert!(!is_called("mass", code), "{code}");
        }
    }

    /// Items without an example are found through modules, re-exports and blocks of methods; getters may be shown by others.
    #[test]
    fn items_without_examples_are_named() {
        let item = |name: &str, docs: &str, inner: Value| {
            json!({ "name": name, "docs": docs, "visibility": "public", "attrs": [], "inner": inner,
                    "span": { "filename": "a.rs", "begin": [7, 0] } })
        };
        let index = json!({
            "0": item("crate", "", json!({ "module": { "items": [1, 2] } })),
            "1": item("", "", json!({ "use": { "id": 3 } })),
            "2": item("go", "", json!({ "function": {} })),
            "3": item("Thing", "```\nt.size();\n```", json!({ "struct": { "impls": [4] } })),
            "4": item("", "", json!({ "impl": { "trait": null, "items": [5, 6] } })),
            "5": item("size", "", json!({ "function": {} })),
            "6": item("weight", "", json!({ "function": {} })),
        });
        let items = Items::read(&json!({ "root": 0, "index": index })).unwrap();
        let expected = ["a.rs:7: `crate::Thing::weight`", "a.rs:7: `crate::go`"];
        assert_eq!(items.faults(), expected.map(|fault| format!("{fault} is shown in no example")));
        assert!(Items::read(&json!({ "index": {} })).is_none());
    }
}
