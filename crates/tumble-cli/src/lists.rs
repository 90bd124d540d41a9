//! What there is: scenes and methods.

use crate::arguments::{MethodOptions, SceneOptions};
use crate::failure::Failure;
use crate::{output, source};
use serde_json::Value;
use std::process::ExitCode;
use tumble::Method;
use tumble::method::Ability;
use tumble_scene::{Parameter, Scene, library};

/// Columns of the terminal that running text fills.
const WIDTH: usize = 100;

/// Lists the scenes, or describes one.
pub fn scenes(options: &SceneOptions) -> Result<ExitCode, Failure> {
    match &options.scene {
        Some(name) => {
            let scene = source::scene(name)?;
            if options.json { output::print_json(&scene)? } else { output::print(&description(&scene))? }
        }
        None => {
            let scenes = library::scenes();
            if options.json { output::print_json(&scenes)? } else { output::print(&list(&scenes))? }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(scenes: &[Scene]) -> String {
    let mut text = String::new();
    for scene in scenes {
        text += &format!("{}\n{}\n", scene.name, wrapped(&scene.description, 4));
    }
    text + "`tumble scenes SCENE` lists the parameters and checks of one, `tumble run SCENE` runs it.\n"
}

pub fn description(scene: &Scene) -> String {
    let mut text = format!("{}\n", scene.name);
    if !scene.description.is_empty() {
        text += &format!("{}\n", wrapped(&scene.description, 4));
    }
    if !scene.seed.is_empty() {
        text += &format!("    From: {}\n", scene.seed);
    }
    let width = |names: &mut dyn Iterator<Item = usize>| names.max().unwrap_or(0);
    text += "\nParameters (--set KEY=VALUE)\n";
    let column = width(&mut scene.parameters.iter().map(|p| p.name.len()));
    for p in &scene.parameters {
        text += &format!("    {:column$}  {} ({})\n", p.name, p.help, range(p));
    }
    text += "\nChecks\n";
    let column = width(&mut scene.checks.iter().map(|c| c.name.len()));
    for check in &scene.checks {
        text += &format!("    {:column$}  {}\n", check.name, check.statement);
    }
    text
}

fn range(p: &Parameter) -> String {
    let unit = if p.unit.is_empty() { String::new() } else { format!(" {}", p.unit) };
    let whole = if p.whole { ", whole" } else { "" };
    // A parameter of a file need not have a range.
    let low = if p.min > f64::MIN { format!("; from {}", p.min) } else { String::new() };
    let high = if p.max < f64::MAX {
        format!("{} to {}", if low.is_empty() { ";" } else { "" }, p.max)
    } else {
        String::new()
    };
    format!("{}{unit}{low}{high}{whole}", p.default)
}

/// The words in lines that begin with so many blanks.
fn wrapped(words: &str, indent: usize) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in words.split_whitespace() {
        let length = word.chars().count();
        if column == 0 || column + 1 + length > WIDTH {
            let line_break = if column == 0 { "" } else { "\n" };
            text += &format!("{line_break}{:indent$}{word}", "");
            column = indent + length;
        } else {
            text += &format!(" {word}");
            column += 1 + length;
        }
    }
    text
}

/// Lists the methods with all their choices, and what each can and cannot do.
pub fn methods(options: &MethodOptions) -> Result<ExitCode, Failure> {
    let methods = Method::presets();
    if options.json {
        output::print_json(&methods)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = String::new();
    for method in &methods {
        // By way of text, in which numbers have the digits of their own precision.
        let slots: Value = serde_json::to_string(method)
            .and_then(|text| serde_json::from_str(&text))
            .map_err(|error| Failure::Broken(format!("cannot list the method {}: {error}", method.name)))?;
        text += &format!("{}{}\n", method.name, if *method == Method::default() { " (the default)" } else { "" });
        for (slot, choice) in slots.as_object().into_iter().flatten().filter(|(slot, _)| *slot != "name") {
            text += &format!("    {slot:<12}{}\n", wrapped(&words(choice), 16).trim_start());
        }
        for (verb, wanted) in [("can", true), ("cannot", false)] {
            let all: Vec<&str> = Ability::ALL.iter().filter(|&&a| method.can(a) == wanted).map(|a| a.name()).collect();
            let list = if all.is_empty() { "nothing".to_owned() } else { all.join(", ") };
            text += &format!("    {verb:<12}{}\n", wrapped(&list, 16).trim_start());
        }
    }
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A choice with its parameters as plain words: `soft-step (substeps 4, ...)`.
fn words(choice: &Value) -> String {
    match choice {
        Value::String(name) => name.clone(),
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::Array(all) if all.is_empty() => "none".to_owned(),
        Value::Array(all) => all.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let parts = fields.iter().map(|(name, value)| match value {
                Value::Object(_) => format!("{name} ({})", words(value)),
                _ => format!("{name} {}", words(value)),
            });
            parts.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No line is longer than the width, no word is lost.
    #[test]
    fn text_is_wrapped_at_words() {
        let words = "one two three four five six seven eight nine ten ".repeat(9);
        let text = wrapped(&words, 4);
        assert!(text.lines().all(|line| line.starts_with("    ") && line.len() <= WIDTH));
        assert!(text.lines().count() > 3);
        assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words.split_whitespace().collect::<Vec<_>>());
    }
}
