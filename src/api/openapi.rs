//! The description of the whole interface as an OpenAPI document.

use super::endpoint;
use super::routes;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use utoipa::ToSchema;

static TEXT: LazyLock<String> = LazyLock::new(|| format!("{:#}", document()));

/// An OpenAPI document.
#[derive(ToSchema)]
pub(super) struct Document {
    /// Its version of OpenAPI.
    #[allow(dead_code)]
    #[schema(example = "3.1.0")]
    openapi: String,
}

/// `GET /openapi.json`
pub(super) async fn show() -> Response {
    ([(CONTENT_TYPE, endpoint::JSON)], TEXT.as_str()).into_response()
}

/// The OpenAPI 3.1 document of the REST interface.
#[must_use]
pub fn document() -> Value {
    let (mut paths, mut schemas) = (Map::new(), BTreeMap::new());
    for routes in routes::all() {
        routes.describe(&mut paths, &mut schemas);
    }
    endpoint::problems(&mut schemas);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Drover",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Matches, sessions, transcripts, and what follows from them. Times are RFC 3339. Lists \
                are pages (`next` is the `cursor` of the next one); as ndjson or CSV, by suffix or `Accept`, they \
                are streamed whole unless `limit` is given. With `follow` some go on with what comes. Errors are problem documents (RFC 9457). What a seat \
                knows is shown to its owner alone while the match runs.",
            "license": { "name": env!("CARGO_PKG_LICENSE"), "identifier": env!("CARGO_PKG_LICENSE") },
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    });
    let schemas = document["components"]["schemas"].clone();
    exemplify(&mut document["paths"], &schemas);
    document
}

/// Gives every body in JSON an example, made of those of its fields.
fn exemplify(value: &mut Value, schemas: &Value) {
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
