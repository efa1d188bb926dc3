//! Every route with its description: each path is declared once, by `utoipa::path` at its handler or as a list in
//! `routes`, and here the OpenAPI document of all of them is completed with what they have in common.

use super::examples::{Schemas, exemplify, schemas_of};
use super::lists::{self, Rows};
use super::problem::Problem;
use super::response::{JSON, SSE};
use super::state::ApiState;
use axum::Router;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use utoipa::ToSchema as _;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Anybody.
    Anyone,
    /// Who may read: with a token, as soon as there is one.
    Reader,
    /// Who may do everything.
    Admin,
}

/// Some routes with one kind of access.
pub(super) struct Routes {
    access: Access,
    router: OpenApiRouter<ApiState>,
    schemas: Schemas,
}

impl Routes {
    /// No routes yet.
    pub(super) fn new(access: Access) -> Self {
        Self {
            access,
            router: OpenApiRouter::default(),
            schemas: Schemas::new(),
        }
    }

    /// Adds a route that `utoipa_axum::routes!` describes.
    pub(super) fn add(mut self, (schemas, paths, router): UtoipaMethodRouter<ApiState>) -> Self {
        let schemas = schemas.into_iter();
        merge(
            &mut self.schemas,
            schemas.map(|(name, schema)| (name, json!(schema))),
        );
        self.router = self.router.routes((Vec::new(), paths, router));
        self
    }

    /// Adds a list at this path under `/api/v1`: as JSON page by page, and all of it as ndjson and CSV.
    pub(super) fn list<L: Rows>(self, path: &str, about: &str) -> Self {
        let routes = lists::routes::<L>(&format!("/api/v1{path}"), about).into_iter();
        routes.fold(self, Self::add)
    }

    /// The routes alone.
    pub(super) fn router(self) -> Router<ApiState> {
        self.router.into()
    }
}

/// Adds schemas to others. Two types must not share a name.
fn merge(into: &mut Schemas, more: impl IntoIterator<Item = (String, Value)>) {
    for (name, schema) in more {
        let known = into.entry(name).or_insert_with(|| schema.clone());
        debug_assert_eq!(*known, schema, "of two types with one name");
    }
}

/// The OpenAPI 3.1 document of these routes.
pub(super) fn describe(all: impl IntoIterator<Item = Routes>) -> Value {
    let (mut paths, mut schemas) = (Map::new(), schemas_of::<Problem>());
    for routes in all {
        merge(&mut schemas, routes.schemas);
        let described = json!(routes.router.into_openapi().paths);
        for (path, mut item) in described.as_object().cloned().unwrap_or_default() {
            for (method, operation) in item.as_object_mut().into_iter().flatten() {
                complete(method, &path, routes.access, operation);
            }
            paths.insert(path, item);
        }
    }
    let mut paths = Value::Object(paths);
    let schemas = json!(schemas);
    exemplify(&mut paths, &schemas);
    json!({
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
    })
}

/// Completes an operation: its name, who may use it, the parameters in its path and its headers, and how it refuses.
/// That it may answer 304 says that its answers have tags.
fn complete(method: &str, path: &str, access: Access, operation: &mut Value) {
    let words = path.split(['/', '.', '{', '}']);
    let words = words.filter(|word| !["", "api", "v1"].contains(word));
    let words: Vec<&str> = words.collect();
    let about = ["summary", "description"].map(|part| operation.as_object_mut()?.remove(part));
    let about = about.iter().flatten().filter_map(Value::as_str);
    let about: Vec<&str> = about.collect();
    let about = about.join(" ").replace('\n', " ");
    let mut responses = operation["responses"].clone();
    let mut parameters = in_path(path);
    if let Value::Array(mut own) = operation["parameters"].take() {
        for parameter in &mut own {
            let about = parameter["description"].as_str().unwrap_or_default();
            parameter["description"] = json!(about.replace('\n', " "));
        }
        parameters.extend(own);
    }
    for status in refusals(path, access, operation) {
        responses[status.to_string()] = problem(status);
    }
    let tagged = responses.get("304").is_some();
    let tag = json!({ "ETag": {
        "description": "Of what no longer changes: sent back as `If-None-Match`, it saves the body.",
        "schema": { "type": "string" },
    } });
    if tagged {
        let about = "Tags of answers that the caller has: one that is still the same is a 304.";
        parameters.push(header("If-None-Match", about, "\"0123456789abcdef\""));
        responses["304"] = json!({ "description": "The caller has it already.", "headers": tag });
    }
    if responses.get("204").is_some() {
        let about = "As `after`; it counts before that.";
        parameters.push(header("Last-Event-ID", about, "2-0"));
        let about = "The caller has all of it, and it is over.";
        responses["204"] = json!({ "description": about });
    }
    let succeeded = responses.as_object_mut().into_iter().flatten();
    for (_, answer) in succeeded.filter(|(status, _)| ["200", "201", "202"].contains(&&***status)) {
        answer["description"] = json!(about);
        if tagged {
            answer["headers"] = tag.clone();
        }
        if let Some(stream) = answer["content"].get_mut(SSE) {
            stream["schema"] = event(stream["schema"].take());
        }
    }
    operation["operationId"] = json!(format!("{method}_{}", words.join("_")));
    operation["summary"] = json!(about);
    operation["tags"] = json!([words.first().copied().unwrap_or("drover")]);
    operation["parameters"] = json!(parameters);
    operation["responses"] = responses;
    if access != Access::Anyone {
        operation["security"] = json!([{ "token": [] }, {}]);
    }
}

/// The statuses with which an operation refuses: its own, and those that follow from its path, body and access.
fn refusals(path: &str, access: Access, operation: &Value) -> Vec<u16> {
    let mut statuses = vec![421, 500, 503, 504];
    if access != Access::Anyone {
        statuses.extend([400, 401]);
    }
    if access == Access::Admin {
        statuses.push(403);
    }
    if path.contains('{') {
        statuses.push(404);
    }
    if path.contains("{which}") {
        statuses.push(409);
    }
    if !operation["requestBody"].is_null() {
        statuses.extend([409, 413]);
    }
    let own = operation["responses"].as_object().into_iter().flatten();
    let own = own.filter_map(|(status, _)| status.parse::<u16>().ok());
    statuses.extend(own.filter(|status| *status >= 400));
    statuses
}

/// One of the events of a stream whose data is this.
fn event(data: Value) -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "description": "One of the events.",
        "required": ["event", "data"],
        "properties": { "event": text, "id": text, "data": {
            "type": "string", "contentMediaType": JSON, "contentSchema": data,
        } },
    })
}

/// The answer with this status: a problem document.
fn problem(status: u16) -> Value {
    let status = StatusCode::from_u16(status).unwrap_or_default();
    let schema = format!("#/components/schemas/{}", Problem::name());
    json!({
        "description": status.canonical_reason().unwrap_or_default(),
        "content": { "application/problem+json": { "schema": { "$ref": schema } } },
    })
}

fn header(name: &str, about: &str, example: &str) -> Value {
    json!({
        "name": name, "in": "header", "required": false, "description": about,
        "schema": { "type": "string" }, "example": example,
    })
}

/// What a path names. Most things are named by a word after the list that they are in.
fn in_path(path: &str) -> Vec<Value> {
    let words: Vec<&str> = path.split('/').collect();
    let named = words.windows(2).filter_map(|pair| {
        let name = pair[1].strip_prefix('{')?.split('}').next()?;
        let text = || json!({ "type": "string", "minLength": 1 });
        let number = json!({ "type": "integer", "format": "int64", "minimum": 0 });
        let seat = json!({ "type": "integer", "minimum": 0, "maximum": 255 });
        let games = games::ALL.iter().map(|kit| kit.card().name);
        let games = json!({ "type": "string", "enum": games.collect::<Vec<_>>() });
        let (about, schema, example) = match (pair[0], name) {
            ("sessions", _) => ("The session's number.", number, json!(1)),
            ("opponents", _) => ("The opponent's number.", number, json!(1)),
            ("seats", _) => ("The seat, from 0.", seat, json!(0)),
            ("tokens", _) => ("The token's name or number.", text(), json!("ann")),
            (_, "referee") => (
                "The referee: a name or an address.",
                text(),
                json!("contest"),
            ),
            (_, "market") => ("The referee's number of the match.", number, json!(12)),
            (_, "game") => ("The game.", games, json!("koehandel")),
            (_, "bot") => ("The bot's name.", text(), json!("champion")),
            _ => (
                "Its id, a ULID.",
                text(),
                json!("01K3ZQ4T5V6W7X8Y9Z0A1B2C3D"),
            ),
        };
        Some(json!({
            "name": name, "in": "path", "required": true, "description": about, "schema": schema,
            "example": example,
        }))
    });
    named.collect()
}
