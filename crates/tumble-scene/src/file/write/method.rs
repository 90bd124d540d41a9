//! Methods as text: what the engine says of them.

use super::value::{list, number, quoted};
use serde_json::Value;
use std::fmt::Write;
use tumble::Method;
use tumble::math::{Float, Real};

/// The table of a method; nothing but its name where it is a preset.
pub fn method(method: &Method) -> String {
    if Method::named(&method.name).is_ok_and(|preset| preset == *method) {
        return format!("[method]\npreset = {}\n\n", quoted(&method.name));
    }
    let Ok(Value::Object(slots)) = serde_json::to_value(method) else { return String::new() };
    let preset = Method::named(&method.name).ok();
    let base = preset.clone().unwrap_or_default();
    let Ok(Value::Object(usual)) = serde_json::to_value(&base) else { return String::new() };
    let mut out = "[method]\n".to_owned();
    if preset.is_some() {
        let _ = writeln!(out, "preset = {}", quoted(&method.name));
    }
    for (slot, value) in &slots {
        if usual.get(slot) != Some(value) {
            let _ = writeln!(out, "{slot} = {}", said(value));
        }
    }
    out.push('\n');
    out
}

fn said(value: &Value) -> String {
    match value {
        // No slot of a method can be left empty.
        Value::Null => String::new(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(n) => n.as_u64().map_or_else(|| short(n.as_f64().unwrap_or(0.0)), |whole| whole.to_string()),
        Value::String(text) => quoted(text),
        Value::Array(values) => list(values.iter().map(said)),
        Value::Object(map) => {
            let parts: Vec<String> = map.iter().map(|(key, value)| format!("{key} = {}", said(value))).collect();
            format!("{{ {} }}", parts.join(", "))
        }
    }
}

/// With the digits of the engine's precision where they say the same number: 0.1 and not 0.10000000149011612.
fn short(value: f64) -> String {
    let real = Real::from_f64(value);
    if real.to_f64() != value {
        return number(value);
    }
    let text = super::value::real(real);
    // What the engine keeps in `f64` must not change either; numbers of a few digits are meant as they stand.
    if text.len() <= 10 { text } else { number(value) }
}
