//! Sparse answers: only the fields that were asked for.

use super::problem::Problem;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Ref, Schema};

/// The most fields that may be asked for.
const FIELDS_MAX: usize = 64;

/// The fields asked for, such as `id` or `seats.name`.
#[derive(Clone, Debug)]
pub(super) struct Fields(Vec<String>);

impl Fields {
    /// Reads `a,b.c`, in which each path begins with a field of `T`.
    pub(super) fn read<T: ToSchema>(text: &str) -> Result<Self, Problem> {
        let names = names::<T>();
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
        let unknown = |field: &&String| {
            let first = field.split('.').next().unwrap_or_default();
            !names.iter().any(|name| name == first)
        };
        match fields.iter().find(unknown) {
            Some(field) => {
                let detail = format!("there is no field {field:?} here");
                Err(Problem::parameter("fields", detail, names))
            }
            None => Ok(Self(fields)),
        }
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
    let mut known = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut known);
    let mut found = Vec::new();
    of_schema(&T::schema(), &known, &mut found);
    found
}

fn of_schema(schema: &RefOr<Schema>, known: &[(String, RefOr<Schema>)], found: &mut Vec<String>) {
    match schema {
        RefOr::Ref(Ref { ref_location, .. }) => {
            let name = ref_location.rsplit('/').next();
            let schema = known.iter().find(|(known, _)| Some(known.as_str()) == name);
            if let Some((_, schema)) = schema {
                of_schema(schema, known, found);
            }
        }
        RefOr::T(Schema::Object(object)) => found.extend(object.properties.keys().cloned()),
        RefOr::T(Schema::AllOf(all)) => {
            for schema in &all.items {
                of_schema(schema, known, found);
            }
        }
        RefOr::T(_) => {}
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
    use serde_json::json;

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
