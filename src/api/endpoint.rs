//! Routes that describe themselves: what a path takes and answers is said once, beside its handler.

use super::described;
use super::events::{Close, LAST_EVENT};
use super::lists::{self, Rows};
use super::problem::Problem;
use super::state::ApiState;
use axum::Router;
use axum::handler::Handler;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::routing::{MethodFilter, MethodRouter, get, on};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use utoipa::ToSchema;

pub(super) const JSON: &str = "application/json";
pub(super) const NDJSON: &str = "application/x-ndjson";
/// A stream of events.
pub(super) const SSE: &str = "text/event-stream";
pub(super) const CSV: &str = "text/csv; charset=utf-8";

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

/// Schemas by their names.
type Schemas = BTreeMap<String, Value>;

/// What a route takes and answers.
pub(super) struct Doc {
    about: &'static str,
    names: Vec<&'static str>,
    status: StatusCode,
    /// The answer's content types with their schemas.
    answers: Vec<(&'static str, Value)>,
    body: Option<Value>,
    /// Statuses of its own with which it refuses.
    refusals: &'static [u16],
    /// Whether it may answer that the caller has it already.
    tagged: bool,
    schemas: Schemas,
}

impl Doc {
    /// A route that answers with one thing.
    pub(super) fn thing<T: ToSchema>(about: &'static str) -> Self {
        let mut doc = Self::text(about, JSON);
        doc.answers = vec![(JSON, refer::<T>(&mut doc.schemas))];
        doc
    }

    /// A route that answers with a stream of events.
    pub(super) fn events(about: &'static str) -> Self {
        let mut doc = Self::text(about, SSE).takes(&[&["after", LAST_EVENT]]);
        let text = json!({ "type": "string" });
        let event = json!({
            "type": "object",
            "description": "One of the events.",
            "required": ["event", "data"],
            "properties": { "event": text, "id": text, "data": {
                "type": "string", "contentMediaType": JSON, "contentSchema": { "oneOf": [] },
            } },
        });
        doc.answers = vec![(SSE, event)];
        doc.tells::<Close>()
    }

    /// The data of some of the events is this.
    pub(super) fn tells<T: ToSchema>(mut self) -> Self {
        let data = refer::<T>(&mut self.schemas);
        for (_, event) in &mut self.answers {
            let kinds = &mut event["properties"]["data"]["contentSchema"]["oneOf"];
            kinds
                .as_array_mut()
                .into_iter()
                .for_each(|kinds| kinds.push(data.clone()));
        }
        self
    }

    /// A route that answers with a text.
    pub(super) fn text(about: &'static str, content_type: &'static str) -> Self {
        Self {
            about,
            names: Vec::new(),
            status: StatusCode::OK,
            answers: vec![(content_type, json!({ "type": "string" }))],
            body: None,
            refusals: &[],
            tagged: false,
            schemas: Schemas::new(),
        }
    }

    /// A route that answers with a list in these formats.
    fn list<L: Rows>(about: &'static str, formats: &[&'static str]) -> Self {
        let mut doc = Self::text(about, JSON);
        let row = refer::<L::Item>(&mut doc.schemas);
        let answer = |format: &&'static str| match *format {
            JSON => (JSON, listed(&row)),
            format => (format, json!({ "type": "string" })),
        };
        doc.answers = formats.iter().map(answer).collect();
        doc.tagged = L::TAGGED;
        doc.refusals = match L::FOLLOW {
            Some(_) => &[410],
            None => L::REFUSES,
        };
        doc.takes(&lists::names::<L>())
    }

    /// It takes these query parameters.
    pub(super) fn takes(mut self, names: &[&[&'static str]]) -> Self {
        self.names.extend(names.iter().copied().flatten());
        self
    }

    /// It takes this body.
    pub(super) fn body<T: ToSchema>(mut self) -> Self {
        self.body = Some(refer::<T>(&mut self.schemas));
        self
    }

    /// It answers with another status than 200.
    pub(super) fn status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// It refuses with these statuses, besides those of all routes.
    pub(super) fn refuses(self, refusals: &'static [u16]) -> Self {
        Self { refusals, ..self }
    }

    /// Its answers may have tags.
    pub(super) fn tagged(self) -> Self {
        let tagged = true;
        Self { tagged, ..self }
    }

    /// As an operation of an OpenAPI document.
    fn operation(&self, method: &str, path: &str, access: Access) -> Value {
        let words = path
            .split(['/', '.', '{', '}'])
            .filter(|word| !word.is_empty());
        let words: Vec<&str> = words.filter(|word| !["api", "v1"].contains(word)).collect();
        let mut operation = json!({
            "operationId": format!("{method}_{}", words.join("_")),
            "summary": self.about,
            "tags": [words.first().copied().unwrap_or("drover")],
            "parameters": described::parameters(path, &self.names, self.tagged),
            "responses": self.responses(path, access),
        });
        if let Some(schema) = &self.body {
            operation["requestBody"] =
                json!({ "required": true, "content": { JSON: { "schema": schema } } });
        }
        if access != Access::Anyone {
            operation["security"] = json!([{ "token": [] }, {}]);
        }
        operation
    }

    fn responses(&self, path: &str, access: Access) -> Value {
        let content: Map<String, Value> = self
            .answers
            .iter()
            .map(|(kind, schema)| ((*kind).to_owned(), json!({ "schema": schema })))
            .collect();
        let mut responses = Map::new();
        let status = self.status.as_u16().to_string();
        let mut told = json!({ "description": self.about, "content": content });
        if self.tagged {
            let tag = json!({ "ETag": {
                "description": "Of what no longer changes: sent back as `If-None-Match`, it saves the body.",
                "schema": { "type": "string" },
            } });
            told["headers"] = tag.clone();
            let known = json!({ "description": "The caller has it already.", "headers": tag });
            responses.insert("304".into(), known);
        }
        responses.insert(status, told);
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
        if self.body.is_some() {
            statuses.extend([409, 413]);
        }
        if path.contains("{which}") {
            statuses.push(409);
        }
        statuses.extend(self.refusals);
        if self.answers.iter().any(|(kind, _)| *kind == SSE) {
            let known = json!({ "description": "The caller has all of it, and it is over." });
            responses.insert("204".into(), known);
        }
        for status in statuses {
            responses.insert(status.to_string(), problem(status));
        }
        Value::Object(responses)
    }
}

/// The answer with this status: a problem document.
fn problem(status: u16) -> Value {
    let status = StatusCode::from_u16(status).unwrap_or_default();
    let reason = status.canonical_reason().unwrap_or_default();
    json!({
        "description": reason,
        "content": { "application/problem+json": { "schema": reference(&Problem::name()) } },
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// A reference to the type's schema, which is noted with all that it refers to.
fn refer<T: ToSchema>(schemas: &mut Schemas) -> Value {
    let mut found = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut found);
    for (name, schema) in found {
        schemas.insert(name, json!(schema));
    }
    reference(&T::name())
}

/// The schema of a list of such rows.
fn listed(row: &Value) -> Value {
    json!({
        "type": "object",
        "description": "A list, or one page of it.",
        "required": ["items", "next"],
        "properties": {
            "items": { "type": "array", "items": row, "description": "The rows." },
            "next": {
                "type": ["string", "null"],
                "description": "The `cursor` of the next page; null on the last one.",
            },
            "withheld": {
                "type": "string",
                "description": "Why this list may be incomplete for this caller.",
            },
        },
    })
}

/// All methods of one path.
#[derive(Default)]
struct Route {
    router: MethodRouter<ApiState>,
    allow: String,
    operations: Map<String, Value>,
}

/// Some routes with one kind of access.
pub(super) struct Routes {
    prefix: &'static str,
    access: Access,
    paths: BTreeMap<String, Route>,
    schemas: Schemas,
}

impl Routes {
    /// No routes yet. Their paths will begin with `prefix`.
    pub(super) fn new(prefix: &'static str, access: Access) -> Self {
        Self {
            prefix,
            access,
            paths: BTreeMap::new(),
            schemas: Schemas::new(),
        }
    }

    /// `GET`, and with it `HEAD`.
    pub(super) fn get<H, T>(self, path: &str, handler: H, doc: Doc) -> Self
    where
        H: Handler<T, ApiState>,
        T: 'static,
    {
        self.add(("GET, HEAD", path), get(handler), doc)
    }

    /// A method that changes something.
    pub(super) fn change<H, T>(self, method: Method, path: &str, handler: H, doc: Doc) -> Self
    where
        H: Handler<T, ApiState>,
        T: 'static,
    {
        let filter = MethodFilter::try_from(method.clone());
        let filter = filter.expect("a method of HTTP's own");
        self.add((method.as_str(), path), on(filter, handler), doc)
    }

    /// A list, as JSON page by page, and all of it as ndjson and CSV.
    pub(super) fn list<L: Rows>(self, path: &str, about: &'static str) -> Self {
        let doc = |formats: &[&'static str]| Doc::list::<L>(about, formats);
        self.get(path, lists::as_accepted::<L>, doc(&[JSON, NDJSON, CSV]))
            .get(
                &format!("{path}.ndjson"),
                lists::ndjson::<L>,
                doc(&[NDJSON]),
            )
            .get(&format!("{path}.csv"), lists::csv::<L>, doc(&[CSV]))
    }

    fn add(
        mut self,
        (allow, path): (&str, &str),
        router: MethodRouter<ApiState>,
        doc: Doc,
    ) -> Self {
        let path = format!("{}{path}", self.prefix);
        let method = allow.split(',').next().unwrap_or(allow).to_lowercase();
        let operation = doc.operation(&method, &path, self.access);
        let route = self.paths.entry(path).or_default();
        route.router = std::mem::take(&mut route.router).merge(router);
        route.allow = [&route.allow, allow].map(str::to_owned).join(", ");
        route.operations.insert(method, operation);
        merge(&mut self.schemas, doc.schemas);
        self
    }

    /// The routes, each with an answer to `OPTIONS`.
    pub(super) fn router(self) -> Router<ApiState> {
        let mut router = Router::new();
        for (path, route) in self.paths {
            let allow = format!("{}, OPTIONS", route.allow.trim_start_matches(", "));
            let told = move || async move {
                let allow = HeaderValue::try_from(allow).map(|allow| [(header::ALLOW, allow)]);
                (StatusCode::NO_CONTENT, allow.ok(), ())
            };
            router = router.route(&path, route.router.options(told));
        }
        router
    }

    /// Adds the routes to the paths and schemas of a document.
    pub(super) fn describe(self, paths: &mut Map<String, Value>, schemas: &mut Schemas) {
        merge(schemas, self.schemas);
        let described = self.paths.into_iter();
        paths.extend(described.map(|(path, route)| (path, Value::Object(route.operations))));
    }
}

/// Adds schemas to others. Two types must not share a name.
fn merge(into: &mut Schemas, more: Schemas) {
    for (name, schema) in more {
        let known = into.entry(name).or_insert_with(|| schema.clone());
        debug_assert_eq!(*known, schema, "of two types with one name");
    }
}

/// The schema of problem documents.
pub(super) fn problems(schemas: &mut Schemas) {
    refer::<Problem>(schemas);
}
