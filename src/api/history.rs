//! How a model of an opponent came to be: what was known after each match.

use super::lists::Rows;
use super::opponents;
use super::query::{Nothing, Params};
use super::reader::Reader;
use super::shapes::{Listed, Paged, time};
use super::sight::WITHHELD;
use crate::history::{self, StoredModel};
use games::Models;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What was known of an opponent after a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Learnt)]
pub(super) struct LearntShown {
    /// The model's version, which every match raises.
    pub version: i64,
    /// The match in which this was learnt.
    #[serde(rename = "match")]
    pub match_id: String,
    /// When.
    pub at: Timestamp,
    /// What is known since, in the game's own terms: figures with their intervals and evidence.
    #[schema(value_type = Object)]
    pub model: Value,
}

/// Versions of an opponent's model, newest first. Where the newest ones were learnt in matches that are not public,
/// the list begins before these.
pub(super) struct History;

impl Rows for History {
    type Item = LearntShown;
    type Filters = Nothing;

    async fn page(reader: &Reader, params: &Params<Nothing>) -> Paged<LearntShown> {
        let at = params.page()?;
        let (stored, models) = opponents::stored(reader, params.id()).await?;
        let store = &reader.state.store;
        let seen = opponents::seen(reader, &stored).await?;
        let public_us = (!seen).then(|| reader.sight.open_us());
        let versions = history::model_history(store.reader(), &stored, public_us, &at).await?;
        let mut listed = Listed::page(versions, |version| shown(models, version));
        listed.withheld = (!seen).then_some(WITHHELD);
        Ok(listed)
    }
}

fn shown(models: Option<&dyn Models>, version: StoredModel) -> LearntShown {
    LearntShown {
        version: version.version,
        match_id: version.last_match,
        at: time(version.updated_us),
        model: models.map_or(Value::Null, |models| models.show(&version.model)),
    }
}
