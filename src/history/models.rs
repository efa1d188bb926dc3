//! Reading opponent models.

use super::records::{OpponentKind, Page, PageAt, StoredModel, Teaching};
use super::secrecy;
use crate::store::rows;
use crate::store::sql::{Builder, Row, query, query_as};
use crate::store::{Reader, StoreError};
use serde_json::Value;

/// The maximum number of models that advise one session.
const MODELS_MAX: i64 = 1000;

/// The numbers of the current versions of the models of all learnt types of a game, of these opponents, and of
/// `others` more that are known by name, those learnt from last.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn models_now(
    reader: &Reader,
    game: &str,
    names: &[&str],
    others: u32,
) -> Result<Vec<i64>, StoreError> {
    Ok(query_as(
        "SELECT v.id FROM opponent_models m JOIN model_versions v USING (game, kind, name, version)
         WHERE m.game = $1 AND (m.kind = 'type' OR m.name IN (SELECT value FROM json_each($2))
             OR m.name IN (SELECT o.name FROM opponent_models o WHERE o.game = $1 AND o.kind = 'named'
                 ORDER BY o.updated_us DESC, o.name LIMIT $3))
         ORDER BY m.kind, m.name LIMIT $4",
    )
    .bind(game.to_owned())
    .bind(Value::from(names).to_string())
    .bind(others)
    .bind(MODELS_MAX)
    .fetch_all(reader.folders())
    .await?)
}

/// Models in these versions, by name.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn model_versions(
    reader: &Reader,
    numbers: &[i64],
) -> Result<Vec<StoredModel>, StoreError> {
    let rows = query(
        "SELECT * FROM model_versions WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY name",
    )
    .bind(Value::from(numbers).to_string())
    .fetch_all(reader.folders())
    .await?;
    rows.iter().map(model).collect()
}

/// The model with this number.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn model_by_id(reader: &Reader, id: i64) -> Result<Option<StoredModel>, StoreError> {
    let row = query("SELECT * FROM opponent_models WHERE id = $1")
        .bind(id)
        .fetch_optional(reader.pool())
        .await?;
    row.as_ref().map(model).transpose()
}

/// Versions of a model, newest first. Its cursor is a version. With `public_us` only those before the first one
/// that was learnt in a match that was not over for everyone by then, in microseconds since 1970-01-01 UTC.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`], [`StoreError::Unknown`] for a bad cursor.
pub async fn model_history(
    reader: &Reader,
    of: &StoredModel,
    public_us: Option<i64>,
    at: &PageAt,
) -> Result<Page<StoredModel>, StoreError> {
    let mut query = Builder::new("SELECT * FROM model_versions v WHERE ");
    named(&mut query, "v", of);
    query.push(" AND v.version < ");
    query.push_bind(super::pages::number_before(at)?);
    if let Some(public_us) = public_us {
        query.push(
            " AND v.version < coalesce((SELECT min(h.version) FROM model_versions h
              LEFT JOIN matches m ON m.id = h.last_match WHERE ",
        );
        named(&mut query, "h", of);
        query.push(format_args!(" AND NOT coalesce(({}) <= ", secrecy::OVER));
        query
            .push_bind(public_us)
            .push(", false)), 9223372036854775807)");
    }
    query.push(" ORDER BY v.version DESC LIMIT ");
    query.push_bind(i64::from(at.limit) + 1);
    let rows = query.build().fetch_all(reader.pool()).await?;
    let models = rows.iter().map(model).collect::<Result<Vec<_>, _>>()?;
    Ok(super::pages::cut(models, at, |model| {
        model.version.to_string()
    }))
}

/// Models in the order in which they were first learnt, newest first.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn models(
    reader: &Reader,
    game: Option<&str>,
    kind: Option<OpponentKind>,
    at: &PageAt,
) -> Result<Page<StoredModel>, StoreError> {
    let before = super::pages::number_before(at)?;
    let rows = query(
        "SELECT * FROM opponent_models WHERE id < $1 AND game = coalesce($2, game)
         AND kind = coalesce($3, kind) ORDER BY id DESC LIMIT $4",
    )
    .bind(before)
    .bind(game.map(str::to_owned))
    .bind(kind.map(OpponentKind::word))
    .bind(i64::from(at.limit) + 1)
    .fetch_all(reader.pool())
    .await?;
    let models = rows.iter().map(model).collect::<Result<Vec<_>, _>>()?;
    Ok(super::pages::cut(models, at, |model| model.id.to_string()))
}

/// What was learnt in matches that were still running at a moment (microseconds since 1970-01-01 UTC) or
/// ended after it: what a model holds of it is not yet public.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn teachings_since(reader: &Reader, over_us: i64) -> Result<Vec<Teaching>, StoreError> {
    let mut query = Builder::new("SELECT l.game, l.merged_into, l.kind, s.side, s.bot, ");
    query.push(secrecy::ENTRANT).push(", ").push(secrecy::OVER);
    query.push(
        " FROM lessons l JOIN sessions s ON s.id = l.session JOIN matches m ON m.id = l.match_id
         WHERE l.match_id IN (SELECT r.id FROM matches r WHERE r.ended_us IS NULL
             UNION SELECT o.match_id FROM sessions o WHERE o.ended_us IS NULL
             UNION SELECT r.id FROM matches r WHERE r.ended_us > ",
    );
    query.push_bind(over_us).push(")");
    let rows = query.build().fetch_all(reader.pool()).await?;
    let mut teachings = Vec::with_capacity(rows.len());
    for row in &rows {
        teachings.push(Teaching {
            game: row.try_get(0)?,
            name: row.try_get(1)?,
            kind: row.try_get(2)?,
            secrecy: secrecy::read(row, 3, 4, 5)?,
        });
    }
    Ok(teachings)
}

/// The condition that a version is one of this model.
fn named(query: &mut Builder, table: &str, of: &StoredModel) {
    let columns = [
        ("game", of.game.as_str()),
        ("kind", of.kind.word()),
        ("name", of.name.as_str()),
    ];
    for (place, (column, value)) in columns.into_iter().enumerate() {
        let and = if place == 0 { "" } else { " AND " };
        query.push(format_args!("{and}{table}.{column} = "));
        query.push_bind(value.to_owned());
    }
}

fn model(row: &Row) -> Result<StoredModel, StoreError> {
    Ok(StoredModel {
        id: row.try_get("id")?,
        game: row.try_get("game")?,
        kind: match row.try_get("kind")? {
            "named" => OpponentKind::Named,
            _ => OpponentKind::Type,
        },
        name: row.try_get("name")?,
        model: rows::json(row.try_get("model")?)?,
        version: row.try_get("version")?,
        updated_us: row.try_get("updated_us")?,
        last_match: row.try_get("last_match")?,
    })
}
