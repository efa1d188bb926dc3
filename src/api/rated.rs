//! Who is rated how: by the newest tournament of each game.

use super::lists::Rows;
use super::query::{ByGame, Params};
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use super::tournaments;
use crate::history::{self, PageAt};
use ratings::Rated;
use serde::Serialize;
use utoipa::ToSchema;

/// Why a game has no ratings here.
const UNREADABLE: &str =
    "the newest tournament of a game cannot be read in full; its standings say why";

/// An entrant's rating by the newest tournament of a game.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Rating)]
pub(super) struct RatingShown {
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The tournament.
    pub tournament: String,
    /// The entrant with its rating.
    #[serde(flatten)]
    pub rated: Rated,
}

/// Ratings game by game, each in the order of its standings.
pub(super) struct NewestRatings;

impl Rows for NewestRatings {
    type Item = RatingShown;
    type Filters = ByGame;

    async fn page(reader: &Reader, params: &Params<ByGame>) -> Paged<RatingShown> {
        let at = params.page_or_all()?;
        let kits = games::ALL.iter().map(|kit| kit.card().name);
        let (mut items, mut withheld) = (Vec::new(), None);
        for game in kits.filter(|game| params.filters.has(game)) {
            let store = &reader.state.store;
            let newest =
                history::tournaments(store.reader(), Some(game), &PageAt::first(1)).await?;
            for row in newest.items {
                let computed = match tournaments::computed(reader, &row.id).await {
                    Err(problem) if problem.is_unreadable() => {
                        withheld = Some(UNREADABLE);
                        continue;
                    }
                    computed => computed?,
                };
                let rated = computed.standings.entrants.iter();
                let rated = rated.filter_map(|entrant| entrant.rating.clone());
                items.extend(rated.map(|rated| RatingShown {
                    game: game.to_owned(),
                    tournament: row.id.clone(),
                    rated,
                }));
            }
        }
        let listed = Listed::cut(items, &at)?;
        Ok(Listed { withheld, ..listed })
    }
}
