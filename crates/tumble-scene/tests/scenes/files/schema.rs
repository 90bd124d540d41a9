//! The schema is made of the same forms as the reader; here it is held against real files.

use super::{ARTICULATED, DOOR, EVERYTHING, fault, parse};
use serde_json::Value;
use tumble_scene::{file, library};

/// As much of JSON Schema as the schema uses: the first thing that is wrong, or nothing.
fn judge(value: &Value, schema: &Value, root: &Value) -> Option<String> {
    let wrong = |what: &str| Some(format!("{value}: {what}"));
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        return judge(value, root.pointer(pointer).unwrap_or_else(|| panic!("{name}")), root);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let faults: Vec<String> = choices.iter().map_while(|choice| judge(value, choice, root)).collect();
        return (faults.len() == choices.len()).then(|| faults.join(" | "));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return wrong("none of the words");
    }
    if let Some(constant) = schema.get("const")
        && constant != value
    {
        return wrong("another word");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let is = match value {
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Null => "null",
    };
    if !types.is_empty() && !types.contains(&is) {
        return wrong("another type");
    }
    if let Value::Array(values) = value {
        let count = |name: &str, otherwise: u64| schema[name].as_u64().unwrap_or(otherwise);
        if (values.len() as u64) < count("minItems", 0) || values.len() as u64 > count("maxItems", u64::MAX) {
            return wrong("too few or too many");
        }
        return values.iter().find_map(|v| judge(v, &schema["items"], root));
    }
    let Value::Object(map) = value else { return None };
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(name) {
            return wrong(&format!("{name} is missing"));
        }
    }
    map.iter().find_map(|(key, inner)| match (schema["properties"].get(key), &schema["additionalProperties"]) {
        (Some(property), _) => judge(inner, property, root),
        (None, Value::Bool(false)) => Some(format!("unknown key {key}")),
        (None, other) => judge(inner, other, root),
    })
}

fn as_json(text: &str) -> Value {
    file::as_json(text).unwrap()
}

/// The examples, and every scene of the library as a file, are valid by the schema.
#[test]
fn files_are_valid() {
    let schema = file::schema();
    let mut texts = vec![DOOR.to_owned()];
    for scene in library::scenes() {
        texts.push(file::write(&scene, &scene.setup().start().unwrap()).unwrap());
    }
    for text in [EVERYTHING, ARTICULATED] {
        let scene = parse(text);
        texts.push(file::write(&scene, &scene.setup().start().unwrap()).unwrap());
        texts.push(text.to_owned());
    }
    for text in texts {
        assert_eq!(judge(&as_json(&text), &schema, &schema), None);
    }
}

/// What the reader refuses for its keys and types, the schema refuses too.
#[test]
fn both_refuse_the_same() {
    let schema = file::schema();
    let wrong = [
        "bodi = 1",
        "[[body]]\nboxx = [1, 1, 1]",
        "[[body]]\nbox = [1, 1]",
        "[[body]]\nsphere = true",
        "[[body]]\nkind = 'fixt'",
        "[[joint]]\nkind = 'hinge'\nbodies = ['world', 'b']\npitch = 1",
        "[[effect]]\nkind = 'drag'\nlength = 1",
        "[[body]]\nsphere = 1\nmaterial = { fricton = 1 }",
        "[[articulation]]\nlink = [{ joint = 'revolute', axis = 'z', lead = 1 }]",
        "[[articulation]]\nlink = [{ joint = 'revolute', axis = 'z', dof = { limits = [0, 1] } }]",
        "[[articulation]]\nlinks = [{ joint = 'fixed' }]",
        "[camera]\nfov = 3",
        "[method]\nstepp = 1",
        "[[check]]\nname = 'a'\nmesure = '1'",
    ];
    for text in wrong {
        assert_ne!(fault(text), "nothing", "{text}");
        assert!(judge(&as_json(text), &schema, &schema).is_some(), "{text}");
    }
}

/// The published schema and the reference in the manual are those of this version; `TUMBLE_WRITE=1` writes them anew.
#[test]
fn published_pages_are_up_to_date() {
    let schema = serde_json::to_string_pretty(&file::schema()).unwrap() + "\n";
    for (page, text) in [("scene.schema.json", schema), ("scene-reference.md", file::reference())] {
        let path = format!("{}/../../docs/src/{page}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("TUMBLE_WRITE").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "run the test with TUMBLE_WRITE=1 to write {page}");
    }
}
