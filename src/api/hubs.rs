//! Connections to hubs that we dial.

use super::lists::Rows;
use super::query::{ByGame, Params};
use super::reader::Reader;
use super::shapes::{Listed, Paged};
use crate::gateway::hubs::HubStatus;

/// All connections, or those of one game.
pub(super) struct ToHubs;

impl Rows for ToHubs {
    type Item = HubStatus;
    type Filters = ByGame;

    async fn page(reader: &Reader, params: &Params<ByGame>) -> Paged<HubStatus> {
        reader.sight.needs_token()?;
        let hubs = reader.state.hubs.list().into_iter();
        let hubs = hubs.filter(|hub| params.filters.has(&hub.game));
        Listed::cut(hubs, &params.page_or_all()?)
    }
}
