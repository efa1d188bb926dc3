//! Sparse answers: only the fields that were asked for.

use super::examples::{Schemas, schemas_of};
use super::problem::Problem;
use super::query::Sparse;
use serde_json::Value;
use utoipa::ToSchema;

/// The most fields that may be asked for.
const FIELDS_MAX: usize = 64;

/// The fields asked for, such as `id` or `seats.name`.
#[derive(Clone, Debug)]
pub(super) struct Fields(Vec<String>);

impl Fields {
    /// Those that were asked for, if any were; each is a path to a field of `T`.
    pub(super) fn asked<T: ToSchema>(sparse: &Sparse) -> Result<Option<Self>, Problem> {
        let Some(text) = &sparse.fields else {
            return Ok(None);
        };
        let fields = text.split(',').map(|field| field.trim().to_owned());
        let fields: Vec<String> = fields.collect();
        let count = fields.len();
        if count > FIELDS_MAX {
            let detail = format!("fields names {count}; at most {FIELDS_MAX} can be asked for");
            return Err(Problem::parameter("fields", detail, [""; 0]));
        }
        let shape = Shape::of::<T>();
        for field in &fields {
            shape.lead(field).map_err(|known| {
                let detail = format!("there is no field {field:?} here");
                Problem::parameter("fields", detail, known)
            })?;
        }
        Ok(Some(Self(fields)))
    }

    /// All fields of `T`, also those that it has from others.
    pub(super) fn all<T: ToSchema>() -> Self {
        let shape = Shape::of::<T>();
        let inner = shape.inner([&shape.root]);
        Self(
            inner
                .fields
                .into_iter()
                .map(|(name, _)| name.to_owned())
                .collect(),
        )
    }

    /// The headings of a table of them.
    pub(super) fn headings(&self) -> &[String] {
        &self.0
    }

    /// Only these fields of a value.
    pub(super) fn pick(&self, value: Value) -> Value {
        let paths: Vec<Vec<&str>> = self
            .0
            .iter()
            .map(|field| field.split('.').collect())
            .collect();
        let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
        pick(value, &paths)
    }

    /// The value's cells in a table.
    pub(super) fn cells<'a>(&'a self, value: &'a Value) -> impl Iterator<Item = String> + 'a {
        self.0
            .iter()
            .map(|field| match reach(value, field.split('.')) {
                Value::Null => String::new(),
                Value::String(text) => text,
                other => other.to_string(),
            })
    }
}

/// What a type's values look like: its schema, and those that it refers to.
struct Shape {
    root: Value,
    schemas: Schemas,
}

/// What is one step further inside a value.
#[derive(Default)]
struct Inner<'a> {
    fields: Vec<(&'a str, &'a Value)>,
    /// Whether there may be others.
    open: bool,
}

impl Shape {
    fn of<T: ToSchema>() -> Self {
        let mut schemas = schemas_of::<T>();
        let root = schemas.remove(&*T::name()).unwrap_or_default();
        Self { root, schemas }
    }

    /// Follows a path from the root; where it leads nowhere, the fields that there are at that place.
    fn lead(&self, path: &str) -> Result<(), Vec<String>> {
        let (mut at, mut before) = (vec![&self.root], String::new());
        for name in path.split('.') {
            let inner = self.inner(at);
            let found = inner.fields.iter().filter(|(known, _)| *known == name);
            at = found.map(|(_, schema)| *schema).collect();
            if at.is_empty() && inner.open {
                return Ok(());
            }
            if at.is_empty() {
                let known = inner.fields.into_iter();
                return Err(known.map(|(name, _)| format!("{before}{name}")).collect());
            }
            before.push_str(&format!("{name}."));
        }
        Ok(())
    }

    /// What is inside values of any of these schemas; of lists, inside their items.
    fn inner<'a>(&'a self, schemas: impl IntoIterator<Item = &'a Value>) -> Inner<'a> {
        let mut inner = Inner::default();
        for schema in schemas {
            self.add(schema, &mut inner);
        }
        inner
    }

    fn add<'a>(&'a self, schema: &'a Value, inner: &mut Inner<'a>) {
        let name = schema["$ref"]
            .as_str()
            .and_then(|place| place.rsplit('/').next());
        let referred = name.and_then(|name| self.schemas.get(name));
        let parts = ["oneOf", "anyOf", "allOf"].map(|parts| schema[parts].as_array());
        let parts = parts.into_iter().flatten().flatten();
        let parts: Vec<&Value> = parts.chain(schema.get("items")).chain(referred).collect();
        let fields = schema["properties"].as_object();
        let kind = &schema["type"];
        let any = match kind {
            Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
            // What has no type may be anything.
            kind => kind == "object" || (kind.is_null() && parts.is_empty()),
        };
        inner.open |= any && fields.is_none_or(|fields| fields.is_empty());
        let fields = fields.into_iter().flatten();
        inner
            .fields
            .extend(fields.map(|(name, schema)| (name.as_str(), schema)));
        parts.into_iter().for_each(|part| self.add(part, inner));
    }
}

/// Of an object the fields to which the paths lead, of a list the same of each item.
fn pick(value: Value, paths: &[&[&str]]) -> Value {
    if paths.iter().any(|path| path.is_empty()) {
        return value;
    }
    match value {
        Value::Array(items) => items.into_iter().map(|item| pick(item, paths)).collect(),
        Value::Object(fields) => {
            let picked = fields.into_iter().filter_map(|(name, value)| {
                let inner = paths.iter().filter_map(|path| path.split_first());
                let inner = inner.filter(|(first, _)| **first == name);
                let inner: Vec<&[&str]> = inner.map(|(_, rest)| rest).collect();
                (!inner.is_empty()).then(|| (name, pick(value, &inner)))
            });
            Value::Object(picked.collect())
        }
        other => other,
    }
}

/// What is at the end of a path; of a list what is there in each item.
fn reach<'a>(value: &Value, mut path: impl Iterator<Item = &'a str> + Clone) -> Value {
    match value {
        Value::Array(items) if path.clone().next().is_some() => {
            items.iter().map(|item| reach(item, path.clone())).collect()
        }
        _ => match path.next() {
            Some(name) => reach(value.get(name).unwrap_or(&Value::Null), path),
            None => value.clone(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, Problem, Sparse};
    use crate::api::matches::MatchShown;
    use crate::store::FactRow;
    use serde_json::{Value, json};
    use utoipa::ToSchema;

    fn read<T: ToSchema>(fields: &str) -> Result<Option<Fields>, Problem> {
        let fields = Some(fields.to_owned());
        Fields::asked::<T>(&Sparse { fields })
    }

    #[test]
    fn a_path_that_leads_nowhere_is_refused_with_those_that_there_are() {
        fn check<T: ToSchema>(fields: &str, allowed: &[&str]) {
            let problem = match read::<T>(fields) {
                Ok(_) => Value::Null,
                Err(problem) => serde_json::to_value(problem).unwrap(),
            };
            let told = problem["allowed"].as_array().cloned().unwrap_or_default();
            assert_eq!(problem.is_null(), allowed.is_empty(), "{fields}: {problem}");
            for name in allowed {
                assert!(told.contains(&json!(name)), "{fields}: {problem}");
            }
        }
        check::<MatchShown>("id,seats.name,tournament.round,sessions.team.player", &[]);
        // What has no fixed form has no wrong fields.
        check::<MatchShown>("setup.position.map", &[]);
        check::<FactRow>("data.by,kind", &[]);
        check::<MatchShown>("seats.bogus", &["seats.name", "seats.win_share"]);
        check::<MatchShown>("id,tournament.bogus.round", &["tournament.round"]);
        check::<MatchShown>("sessions.team.bogus", &["sessions.team.session"]);
        check::<MatchShown>("bogus", &["id", "seats"]);
        check::<MatchShown>("", &["id"]);
        assert!(
            read::<MatchShown>("id.bogus").is_err(),
            "a text has no fields"
        );
    }

    #[test]
    fn fields_are_picked_and_laid_in_cells() {
        let fields = Fields(
            ["id", "seats.name", "place.round"]
                .map(str::to_owned)
                .to_vec(),
        );
        let value = json!({
            "id": 7, "game": "x", "seats": [{ "name": "ann", "seat": 0 }, { "name": null }], "place": null,
        });
        let cells: Vec<String> = fields.cells(&value).collect();
        assert_eq!(cells, ["7", r#"["ann",null]"#, ""]);
        let picked =
            json!({ "id": 7, "seats": [{ "name": "ann" }, { "name": null }], "place": null });
        assert_eq!(fields.pick(value), picked);
    }
}
