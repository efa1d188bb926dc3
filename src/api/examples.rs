//! The schemas of types, and values that they allow as examples.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Schemas by their names.
pub(super) type Schemas = BTreeMap<String, Value>;

/// The schema of a type, and all that it refers to.
pub(super) fn schemas_of<T: ToSchema>() -> Schemas {
    let mut found = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut found);
    let found = found.into_iter();
    found.map(|(name, schema)| (name, json!(schema))).collect()
}

/// Gives every body in JSON an example, made of those of its fields.
pub(super) fn exemplify(value: &mut Value, schemas: &Value) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Object(kinds)) = fields.get_mut("content") {
                let of_json = kinds.iter_mut().filter(|(kind, _)| kind.ends_with("json"));
                for (_, body) in of_json {
                    body["example"] = example(&body["schema"], schemas);
                }
            }
            fields
                .values_mut()
                .for_each(|value| exemplify(value, schemas));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| exemplify(item, schemas)),
        _ => {}
    }
}

/// A value that a schema allows.
fn example(schema: &Value, schemas: &Value) -> Value {
    if let Some(example) = schema.get("example") {
        return example.clone();
    }
    if let Some(place) = schema["$ref"].as_str() {
        let name = place.rsplit('/').next().unwrap_or_default();
        return example(&schemas[name], schemas);
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.first().cloned().unwrap_or_default();
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let parts = parts.iter().map(|part| example(part, schemas));
        let fields = parts.filter_map(|part| part.as_object().cloned());
        return Value::Object(fields.flatten().collect());
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[choice].as_array() {
            let named = choices.iter().find(|choice| choice["type"] != "null");
            return named.map_or(Value::Null, |choice| example(choice, schemas));
        }
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) if kinds.contains(&"null".into()) => return Value::Null,
        kind => kind.as_str().unwrap_or_default(),
    };
    match kind {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            let shown = fields.filter(|(name, _)| *name != "withheld");
            let shown = shown.map(|(name, field)| (name.clone(), example(field, schemas)));
            Value::Object(shown.collect())
        }
        "array" => json!([example(&schema["items"], schemas)]),
        "integer" => json!(1),
        "number" => json!(0.5),
        "boolean" => json!(true),
        "string" if schema["format"] == "date-time" => json!("2026-01-31T12:00:00Z"),
        "string" => json!(""),
        _ => Value::Null,
    }
}

/// A value of a type, as an example.
pub(super) fn example_of<T: ToSchema>() -> Value {
    let schemas = schemas_of::<T>();
    example(&schemas[&*T::name()], &json!(schemas))
}
