//! Merges lessons from matches into the stored opponent models.

use super::statements::{Database, MODELS, Rows, STORED_MODELS};
use crate::store::rows;
use crate::store::rules::Rules;
use crate::store::sql::{Connection, query};
use serde_json::Value;
use std::collections::BTreeMap;

/// A match updates a learnt type only if the type fits the rival at least this well.
pub(crate) const TYPE_FIT_MIN: f64 = 0.5;

/// Which model: game, kind (`named` or `type`), name.
type Key = (String, &'static str, String);

/// Evidence to be merged, in order.
#[derive(Debug)]
pub(super) struct Merge<'a> {
    pub(super) key: Key,
    pub(super) evidence: &'a Value,
    pub(super) match_id: &'a str,
    pub(super) at_us: i64,
}

#[derive(Default)]
struct Model {
    model: Option<Value>,
    version: i64,
    match_id: String,
    at_us: i64,
}

/// Loads the models concerned, merges, and returns their new rows for `opponent_models`.
pub(super) async fn merged(
    database: &mut Database,
    merges: &[Merge<'_>],
    rules: &dyn Rules,
) -> Result<Rows, sqlx::Error> {
    if merges.is_empty() {
        return Ok(Rows::new(&MODELS));
    }
    alone(&mut database.connection).await?;
    let mut rows = Rows::new(&MODELS);
    let mut models = load(database, merges).await?;
    for merge in merges {
        let before = models.get(&merge.key).and_then(|it| it.model.as_ref());
        let Some(merged) = rules.merged(&merge.key.0, before, merge.evidence) else {
            continue;
        };
        let model = models.entry(merge.key.clone()).or_default();
        model.model = Some(merged);
        model.version += 1;
        model.at_us = merge.at_us;
        merge.match_id.clone_into(&mut model.match_id);
    }
    for ((game, kind, name), model) in &models {
        if let Some(value) = &model.model {
            rows.push([
                game.into(),
                (*kind).into(),
                name.into(),
                value.to_string().into(),
                model.version.into(),
                model.at_us.into(),
                (&model.match_id).into(),
            ]);
        }
    }
    Ok(rows)
}

/// Models are read and written by one replica of a server's database at a time, until its transaction ends.
pub(super) async fn alone(connection: &mut Connection) -> Result<(), sqlx::Error> {
    if connection.is_postgres() {
        let lock = query("SELECT pg_advisory_xact_lock(x'44524d4f444c' :: BIGINT)");
        lock.execute(connection).await?;
    }
    Ok(())
}

async fn load(
    database: &mut Database,
    merges: &[Merge<'_>],
) -> Result<BTreeMap<Key, Model>, sqlx::Error> {
    let mut keys = Rows::new(&STORED_MODELS);
    for Merge { key, .. } in merges {
        keys.push([(&key.0).into(), key.1.into(), (&key.2).into()]);
    }
    let mut models = BTreeMap::new();
    for row in &keys.fetch(database).await? {
        let kind = if row.try_get::<&str>(1)? == "named" {
            "named"
        } else {
            "type"
        };
        let model = row.try_get::<Option<&str>>(3)?.map(rows::json);
        let model = model
            .transpose()
            .map_err(|error| sqlx::Error::Decode(error.to_string().into()))?;
        let key = (row.try_get(0)?, kind, row.try_get(2)?);
        let version = row.try_get(4)?;
        models.insert(
            key,
            Model {
                model,
                version,
                ..Model::default()
            },
        );
    }
    Ok(models)
}
