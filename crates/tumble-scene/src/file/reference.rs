//! The reference of the format, as a page of the manual.

use super::form::{Form, Kind};
use super::forms::{SCENE, kinds_of};
use std::fmt::Write;

/// Every table and every key, in Markdown; made from what the reader goes by.
///
/// ```
/// assert!(tumble_scene::file::reference().contains("| `half_space` |"));
/// ```
pub fn reference() -> String {
    let mut out = "# Scene files: every key\n\nThis page is written by `file::reference`, from the tables that the reader itself goes by. \
                   How files are written is told in [Scene files](scene-files.md).\n"
        .to_owned();
    let mut forms: Vec<&'static Form> = vec![&SCENE];
    let mut next = 0;
    while let Some(form) = forms.get(next).copied() {
        next += 1;
        section(form, &mut out, &mut forms);
    }
    out
}

fn section(form: &'static Form, out: &mut String, forms: &mut Vec<&'static Form>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "\n## {}\n\n{}\n", title(form), form.help);
    if form.fields.is_empty() && form.also.is_empty() {
        return;
    }
    let _ = writeln!(out, "| key | value | meaning |\n|---|---|---|");
    for field in form.fields {
        let _ =
            writeln!(out, "| `{}` | {} | {} |", field.name, said(field.kind, forms), field.help.replace('|', "\\|"));
    }
    for other in form.also {
        if !forms.iter().any(|f| std::ptr::eq(*f, *other)) {
            forms.push(other);
        }
        let _ = writeln!(out, "| | | and what stands under [{}](#{}) |", title(other), anchor(other));
    }
    let (key, kinds) = kinds_of(form).unwrap_or(("", &[]));
    for (word, kind) in kinds {
        let _ = writeln!(out, "\n**`{key} = \"{word}\"`** {}", kind.help);
        if !kind.fields.is_empty() {
            let _ = writeln!(out, "\n| key | value | meaning |\n|---|---|---|");
        }
        for field in kind.fields {
            let _ = writeln!(out, "| `{}` | {} | {} |", field.name, said(field.kind, forms), field.help);
        }
    }
}

fn title(form: &Form) -> String {
    let words: Vec<&str> = form.title.split(' ').filter(|w| !["a", "an", "the"].contains(w)).collect();
    let mut title = words.join(" ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

fn anchor(form: &Form) -> String {
    title(form).to_lowercase().replace(' ', "-")
}

fn said(kind: Kind, forms: &mut Vec<&'static Form>) -> String {
    let mut link = |form: &'static Form| {
        if !forms.iter().any(|f| std::ptr::eq(*f, form)) {
            forms.push(form);
        }
        format!("[{}](#{})", title(form).to_lowercase(), anchor(form))
    };
    match kind {
        Kind::Flag => "true or false".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::Number(_) => "number".to_owned(),
        Kind::Whole => "whole number".to_owned(),
        Kind::Condition => "condition".to_owned(),
        Kind::Vector(_) => "[x, y, z]".to_owned(),
        Kind::Direction => "axis or [x, y, z]".to_owned(),
        Kind::Rotation => "rotation".to_owned(),
        Kind::Choice(words) => words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", "),
        Kind::List(of) => format!("list of: {}", said(*of, forms)),
        Kind::Several(count, of) => format!("{count} of: {}", said(*of, forms)),
        Kind::Table(form) => link(form),
        Kind::Named(form) => format!("by name: {}", link(form)),
        Kind::Values => "by name: number".to_owned(),
        Kind::Either(kinds) => kinds.iter().map(|k| said(*k, forms)).collect::<Vec<_>>().join(" or "),
        Kind::Method => "slots of the method".to_owned(),
    }
}
