//! Sparse answers: only the fields that were asked for.

use super::problem::Problem;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayItems, Ref, Schema, SchemaType, Type};

/// The most fields that may be asked for.
const FIELDS_MAX: usize = 64;

/// The fields asked for, such as `id` or `seats.name`.
#[derive(Clone, Debug)]
pub(super) struct Fields(Vec<String>);

impl Fields {
    /// Reads `a,b.c`, in which each path leads to a field of `T`.
    pub(super) fn read<T: ToSchema>(text: &str) -> Result<Self, Problem> {
        let fields: Vec<String> = text
            .split(',')
            .map(|field| field.trim().to_owned())
            .collect();
        if fields.len() > FIELDS_MAX {
            let detail = format!(
                "fields names {}; at most {FIELDS_MAX} can be asked for",
                fields.len()
            );
            return Err(Problem::parameter("fields", detail, [""; 0]));
        }
        let shape = Shape::of::<T>();
        for field in &fields {
            shape.lead(field).map_err(|known| {
                let detail = format!("there is no field {field:?} here");
                Problem::parameter("fields", detail, known)
            })?;
        }
        Ok(Self(fields))
    }

    /// All fields of `T`.
    pub(super) fn all<T: ToSchema>() -> Self {
        Self(names::<T>())
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

/// The names of a type's fields, also of those that it has from others.
fn names<T: ToSchema>() -> Vec<String> {
    let shape = Shape::of::<T>();
    let inner = shape.inner([&T::schema()]);
    inner.fields.into_iter().map(|(name, _)| name).collect()
}

/// What a type's values look like, by the schemas that it is made of.
struct Shape(Vec<(String, RefOr<Schema>)>);

/// What is one step further inside a value.
#[derive(Default)]
struct Inner {
    fields: Vec<(String, RefOr<Schema>)>,
    /// Whether there may be others.
    open: bool,
}

impl Shape {
    /// That of `T`, first of all.
    fn of<T: ToSchema>() -> Self {
        let mut known = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut known);
        Self(known)
    }

    /// Follows a path from the first schema; where it leads nowhere, the fields that there are at that place.
    fn lead(&self, path: &str) -> Result<(), Vec<String>> {
        let mut at: Vec<RefOr<Schema>> = self.0.iter().take(1).map(|(_, of)| of.clone()).collect();
        let mut before = String::new();
        for name in path.split('.') {
            let inner = self.inner(&at);
            at = inner
                .fields
                .iter()
                .filter(|(known, _)| known == name)
                .map(|(_, of)| of.clone())
                .collect();
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
    fn inner<'a>(&'a self, schemas: impl IntoIterator<Item = &'a RefOr<Schema>>) -> Inner {
        let mut inner = Inner::default();
        for schema in schemas {
            self.add(schema, &mut inner);
        }
        inner
    }

    fn add(&self, schema: &RefOr<Schema>, inner: &mut Inner) {
        let schema = match schema {
            RefOr::Ref(Ref { ref_location, .. }) => {
                let name = ref_location.rsplit('/').next();
                let mut known = self.0.iter();
                if let Some((_, schema)) = known.find(|(known, _)| Some(known.as_str()) == name) {
                    self.add(schema, inner);
                }
                return;
            }
            RefOr::T(schema) => schema,
        };
        match schema {
            Schema::Object(object) => {
                let any = match &object.schema_type {
                    SchemaType::Type(one) => *one == Type::Object,
                    SchemaType::Array(some) => some.contains(&Type::Object),
                    SchemaType::AnyValue => true,
                };
                inner.open |= any && object.properties.is_empty();
                let fields = object.properties.iter();
                inner
                    .fields
                    .extend(fields.map(|(name, of)| (name.clone(), of.clone())));
            }
            Schema::Array(list) => {
                if let ArrayItems::RefOrSchema(items) = &list.items {
                    self.add(items, inner);
                }
            }
            Schema::OneOf(some) => some.items.iter().for_each(|one| self.add(one, inner)),
            Schema::AllOf(some) => some.items.iter().for_each(|one| self.add(one, inner)),
            Schema::AnyOf(some) => some.items.iter().for_each(|one| self.add(one, inner)),
            _ => {}
        }
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
    use super::Fields;
    use crate::api::matches::MatchShown;
    use crate::store::FactRow;
    use serde_json::{Value, json};
    use utoipa::ToSchema;

    #[test]
    fn a_path_that_leads_nowhere_is_refused_with_those_that_there_are() {
        fn check<T: ToSchema>(fields: &str, allowed: &[&str]) {
            let problem = match Fields::read::<T>(fields) {
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
            Fields::read::<MatchShown>("id.bogus").is_err(),
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
