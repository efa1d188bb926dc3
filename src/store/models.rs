//! Reading opponent models.

use super::error::StoreError;
use super::handle::Store;
use super::records::{OpponentKind, Page, PageAt, StoredModel};
use super::rows;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

/// Learnt types of one game that are read at most.
const TYPES_MAX: i64 = 1000;

impl Store {
    /// The model of a named opponent or a learnt type.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn model(
        &self,
        game: &str,
        kind: OpponentKind,
        name: &str,
    ) -> Result<Option<StoredModel>, StoreError> {
        let row =
            sqlx::query("SELECT * FROM opponent_models WHERE game = ? AND kind = ? AND name = ?")
                .bind(game.to_owned())
                .bind(kind.word())
                .bind(name.to_owned())
                .fetch_optional(self.folders())
                .await?;
        row.as_ref().map(model).transpose()
    }

    /// The models of all learnt types of a game: (type, model), as [`games::DialogueSetup::types`] has them.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn type_models(&self, game: &str) -> Result<Vec<(String, Value)>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM opponent_models WHERE game = ? AND kind = 'type' ORDER BY name LIMIT ?",
        )
        .bind(game.to_owned())
        .bind(TYPES_MAX)
        .fetch_all(self.folders())
        .await?;
        let models = rows
            .iter()
            .map(|row| model(row).map(|model| (model.name, model.model)));
        models.collect()
    }

    /// The model with this number.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn model_by_id(&self, id: i64) -> Result<Option<StoredModel>, StoreError> {
        let row = sqlx::query("SELECT * FROM opponent_models WHERE id = ?")
            .bind(id)
            .fetch_optional(self.readers())
            .await?;
        row.as_ref().map(model).transpose()
    }

    /// Models in the order in which they were first learnt, newest first.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn models(
        &self,
        game: Option<&str>,
        kind: Option<OpponentKind>,
        at: &PageAt,
    ) -> Result<Page<StoredModel>, StoreError> {
        let before = super::pages::number_before(at)?;
        let rows = sqlx::query(
            "SELECT * FROM opponent_models WHERE id < ? AND game = coalesce(?, game)
             AND kind = coalesce(?, kind) ORDER BY id DESC LIMIT ?",
        )
        .bind(before)
        .bind(game.map(str::to_owned))
        .bind(kind.map(OpponentKind::word))
        .bind(i64::from(at.limit) + 1)
        .fetch_all(self.readers())
        .await?;
        let models = rows.iter().map(model).collect::<Result<Vec<_>, _>>()?;
        Ok(super::pages::cut(models, at, |model| model.id.to_string()))
    }
}

fn model(row: &SqliteRow) -> Result<StoredModel, StoreError> {
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
