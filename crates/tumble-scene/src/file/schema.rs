//! The format as a JSON Schema, for editors.
//!
//! It is made from the forms that the reader itself goes by. What it cannot say (that a shape is one of several keys, that an
//! expression makes sense) only the reader knows.

use super::form::{Form, Kind};
use super::forms::{PARAMETER, SCENE, TURN, kinds_of};
use serde_json::{Map, Value, json};
use tumble::Method;

/// The JSON Schema (draft 2020-12) of scene files.
///
/// ```
/// let schema = tumble_scene::file::schema();
/// assert!(schema["properties"]["body"]["items"]["$ref"].as_str().is_some());
/// ```
pub fn schema() -> Value {
    let mut definitions = Map::new();
    let mut root = object(&SCENE, &mut definitions);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("Tumble scene");
    root["$defs"] = Value::Object(definitions);
    root
}

/// A name under which a form is defined: its title without the article, with dashes.
fn key(form: &Form) -> String {
    let words = form.title.split(' ').filter(|word| !["a", "an", "the"].contains(word));
    words.collect::<Vec<_>>().join("-")
}

fn object(form: &'static Form, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for field in form.all() {
        let mut value = kind(field.kind, definitions);
        value["description"] = json!(field.help);
        properties.insert(field.name.to_owned(), value);
    }
    json!({ "type": "object", "description": form.help, "properties": properties, "additionalProperties": false })
}

/// A reference to the definition of a form, which is made where it is not there yet.
fn reference(form: &'static Form, definitions: &mut Map<String, Value>) -> Value {
    let name = key(form);
    if !definitions.contains_key(&name) {
        // Forms contain each other; whoever comes here again must find something.
        definitions.insert(name.clone(), Value::Null);
        let value = match kinds_of(form) {
            None => object(form, definitions),
            Some((key, kinds)) => {
                let mut choices = Vec::new();
                for (word, form) in kinds {
                    let mut choice = object(form, definitions);
                    choice["properties"][key] = json!({ "const": word });
                    choice["required"] = json!([key]);
                    choices.push(choice);
                }
                json!({ "description": form.help, "anyOf": choices })
            }
        };
        definitions.insert(name.clone(), value);
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn kind(kind: Kind, definitions: &mut Map<String, Value>) -> Value {
    let number = || json!({ "type": ["number", "string"] });
    let numbers = |count: usize| json!({ "type": "array", "items": { "type": ["number", "string"] }, "minItems": count, "maxItems": count });
    match kind {
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text => json!({ "type": "string" }),
        Kind::Number(_) | Kind::Whole | Kind::Condition => number(),
        Kind::Vector(_) => numbers(3),
        Kind::Direction => json!({ "anyOf": [{ "enum": ["x", "y", "z", "-x", "-y", "-z"] }, numbers(3)] }),
        Kind::Rotation => {
            let turn = reference(&TURN, definitions);
            json!({ "anyOf": [turn, { "type": "array", "items": turn }, numbers(4)] })
        }
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::List(of) => json!({ "type": "array", "items": self::kind(*of, definitions) }),
        Kind::Several(count, of) => {
            let items = self::kind(*of, definitions);
            json!({ "type": "array", "items": items, "minItems": count, "maxItems": count })
        }
        Kind::Table(form) => reference(form, definitions),
        Kind::Named(form) => {
            let table = reference(form, definitions);
            let of = if std::ptr::eq(form, &PARAMETER) { json!({ "anyOf": [number(), table] }) } else { table };
            json!({ "type": "object", "additionalProperties": of })
        }
        Kind::Values => {
            json!({ "type": "object", "additionalProperties": { "anyOf": [number(), numbers(2)] } })
        }
        Kind::Either(kinds) => {
            let choices: Vec<Value> = kinds.iter().map(|k| self::kind(*k, definitions)).collect();
            json!({ "anyOf": choices })
        }
        Kind::Method => {
            let mut slots = Map::new();
            slots.insert(
                "preset".to_owned(),
                json!({ "enum": Method::presets().iter().map(|m| &m.name).collect::<Vec<_>>() }),
            );
            if let Ok(Value::Object(method)) = serde_json::to_value(Method::default()) {
                slots.extend(method.into_iter().map(|(slot, _)| (slot, json!({}))));
            }
            json!({ "type": "object", "properties": slots, "additionalProperties": false })
        }
    }
}

/// The text of a scene file as JSON, in the form that the schema describes: nothing is evaluated.
///
/// ```
/// let json = tumble_scene::file::as_json("[[body]]\nsphere = '2 * r'")?;
/// assert_eq!(json["body"][0]["sphere"], "2 * r");
/// # Ok::<(), tumble_scene::Error>(())
/// ```
pub fn as_json(text: &str) -> crate::Result<Value> {
    let source = super::text::Source::new(text.to_owned(), "text", ".");
    match source.parse() {
        Ok(root) => Ok(plain(&root)),
        Err(fault) => Err(crate::Error::File(source.locate(fault))),
    }
}

fn plain(node: &super::text::Node) -> Value {
    use super::text::Item;
    match &node.item {
        Item::Flag(flag) => json!(flag),
        Item::Number(value) => json!(value),
        Item::Text(text) => json!(text),
        Item::List(nodes) => nodes.iter().map(plain).collect(),
        Item::Table(entries) => entries.iter().map(|e| (e.key.clone(), plain(&e.node))).collect(),
    }
}
