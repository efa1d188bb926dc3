//! Sessions that other replicas may go on with: what is remembered of one counts in the epoch in which it was read.

use super::bot_address::Key;
use super::core::SessionState;
use super::mailbox::Session;
use super::message::Refusal;
use super::program::Program;
use super::registry::Registry;
use crate::cluster::Epoch;
use crate::link::Peer;
use crate::store::rows::without_version;
use crate::store::types::{LiveSession, NewestSession, SessionKey};
use std::sync::Arc;

/// By what it is found in the store.
fn stored(key: &Key) -> SessionKey {
    SessionKey {
        game: key.bot.kit().card().name,
        referee: key.bot.referee().into(),
        market: key.market,
        player: key.id,
        called: without_version(key.bot.name()).into(),
    }
}

/// Reads the session again, unless what is remembered of it is of this epoch; then with the match that is live under its
/// market.
///
/// # Errors
/// [`Refusal::Unstored`]: the store cannot be read at present.
pub(super) async fn refresh(
    registry: &Arc<Registry>,
    session: &Session,
    core: &mut Option<Box<SessionState>>,
    epoch: Epoch,
) -> Result<Option<String>, Refusal> {
    if session.epoch() == Some(epoch) {
        return Ok(None);
    }
    let_go(registry, session, core);
    let store = &registry.dependencies.store;
    let read = async {
        let newest = store.newest(&stored(&session.key)).await?;
        if let Some(NewestSession::Live(found)) = &newest.session {
            store.take_up((**found).clone()).await?;
        }
        Ok::<_, crate::store::StoreError>(newest)
    };
    let newest = read.await.map_err(|error| {
        tracing::debug!(%error, "a session could not be read");
        Refusal::Unstored
    })?;
    *core = newest.session.map(|found| match found {
        NewestSession::Live(found) => live(registry, &session.key, *found),
        NewestSession::Ended(row) => Box::new(SessionState::over(*row)),
    });
    session.hold(Some(epoch));
    Ok(newest.match_id)
}

/// A live session, as it is stored.
pub(super) fn live(registry: &Registry, key: &Key, found: LiveSession) -> Box<SessionState> {
    let opened = &found.opened;
    registry.groups().join_known(key, &opened.match_id);
    // Who began it is known where its address is the referee's name; else it is nobody's share.
    let peer = key.bot.referee().parse().ok().map(Peer::new);
    let permit = registry.shares.take_again(peer).ok();
    let program = Program::for_session(&registry.dependencies, opened, None);
    let own = registry.own_seat(key.bot.kit(), program.as_deref());
    let mut core = Box::new(SessionState::found(found, permit, own));
    core.program = program;
    let stranger = peer.filter(|_| core.fresh);
    core.begun = stranger.and_then(|peer| registry.begun.take_again(Some(peer)).ok());
    registry.meters.live.increment(1.0);
    core
}

/// Gives up what is remembered of a session, which goes on elsewhere, or here once it is read again.
pub(super) fn let_go(registry: &Registry, session: &Session, core: &mut Option<Box<SessionState>>) {
    session.unhand();
    session.hold(None);
    let Some(mut core) = core.take().filter(|core| !core.ended) else {
        return;
    };
    core.give_up();
    if let Some(program) = core.program.take() {
        program.abandon(&registry.tracker, core.own.program());
    }
    registry.groups().leave(&session.key, &core.match_id);
    registry.meters.live.decrement(1.0);
}

/// Whether nobody else can own the session now.
pub(super) fn owns(registry: &Registry, session: &Session) -> bool {
    match (&registry.dependencies.replica, session.epoch()) {
        (Some(replica), Some(epoch)) => replica.holds(&session.key.resource(), epoch),
        _ => true,
    }
}
