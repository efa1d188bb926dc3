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
        let schemas = schemas_of::<T>();
        for field in &fields {
            lead(field, &schemas[&*T::name()], &schemas).map_err(|known| {
                let detail = format!("there is no field {field:?} here");
                Problem::parameter("fields", detail, known)
            })?;
        }
        Ok(Some(Self(fields)))
    }

    /// These fields of `T`; all of them, also those that it has from others, if none are named.
    pub(super) fn columns<T: ToSchema>(named: &[&str]) -> Self {
        if !named.is_empty() {
            return Self(named.iter().map(|name| (*name).to_owned()).collect());
        }
        let (schemas, mut found) = (schemas_of::<T>(), Vec::new());
        inside(&schemas[&*T::name()], &schemas, &mut found);
        Self(found.iter().map(|(name, _)| (*name).to_owned()).collect())
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

/// Follows a path from a schema; where it leads nowhere, the fields that there are at that place.
fn lead(path: &str, root: &Value, schemas: &Schemas) -> Result<(), Vec<String>> {
    let (mut at, mut before) = (vec![root], String::new());
    for name in path.split('.') {
        let mut fields = Vec::new();
        let mut is_open = false;
        for schema in at {
            is_open |= inside(schema, schemas, &mut fields);
        }
        let found = fields.iter().filter(|(known, _)| *known == name);
        at = found.map(|(_, schema)| *schema).collect();
        if at.is_empty() && is_open {
            return Ok(());
        }
        if at.is_empty() {
            let known = fields.into_iter();
            return Err(known.map(|(name, _)| format!("{before}{name}")).collect());
        }
        before.push_str(&format!("{name}."));
    }
    Ok(())
}

/// Adds what is one step further inside values of a schema; of lists, inside their items. Whether there may be others.
fn inside<'a>(schema: &'a Value, all: &'a Schemas, found: &mut Vec<(&'a str, &'a Value)>) -> bool {
    let place = schema["$ref"].as_str();
    let name = place.and_then(|place| place.rsplit('/').next());
    let parts = ["oneOf", "anyOf", "allOf"].map(|parts| schema[parts].as_array());
    let parts = parts
        .into_iter()
        .flatten()
        .flatten()
        .chain(schema.get("items"));
    let parts: Vec<&Value> = parts.chain(name.and_then(|name| all.get(name))).collect();
    let own = schema["properties"].as_object();
    let any = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        // What has no type may be anything.
        kind => kind == "object" || (kind.is_null() && parts.is_empty()),
    };
    let mut is_open = any && own.is_none_or(|own| own.is_empty());
    let own = own.into_iter().flatten();
    found.extend(own.map(|(name, schema)| (name.as_str(), schema)));
    for part in parts {
        is_open |= inside(part, all, found);
    }
    is_open
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
    use crate::history::FactRow;
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
            let offered = problem["allowed"].as_array().cloned().unwrap_or_default();
            assert_eq!(problem.is_null(), allowed.is_empty(), "{fields}: {problem}");
            for name in allowed {
                assert!(offered.contains(&json!(name)), "{fields}: {problem}");
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
