//! Connections to hubs that we dial.

use super::lists::Rows;
use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::shapes::Listed;
use crate::gateway::hubs::HubStatus;

/// The list of connections.
pub(super) struct ToHubs;

impl Rows for ToHubs {
    type Item = HubStatus;
    const FILTERS: &'static [&'static str] = &["game"];

    async fn page(reader: &Reader, params: &Params) -> Result<(Listed<HubStatus>, bool), Problem> {
        Ok((page(reader, params)?, false))
    }
}

/// All connections, or those of one game.
pub(super) fn page(reader: &Reader, params: &Params) -> Result<Listed<HubStatus>, Problem> {
    let wanted = params.game()?;
    let hubs = reader.state.hubs.list().into_iter();
    let hubs = hubs.filter(|hub| wanted.as_deref().is_none_or(|game| game == hub.game));
    Listed::cut(hubs, &params.page_or_all()?)
}
