//! What a shim relays, for sessions.

use crate::link::relay::{Bye, Hello, NumberedMessage};
use crate::session::{Answer, BotAddress, Key, Leaving, Local, Numbered, Refusal, Sessions};
use games::Wire;
use std::sync::Arc;
use tokio::time::Instant;

/// Longest word of a hello, in bytes.
const WORD_MAX: usize = 200;

/// Why a hello names no session.
#[derive(Debug, thiserror::Error)]
pub(super) enum HelloError {
    #[error("{0:?} is no game that is played over pipes")]
    Game(String),
    #[error("the arbiter's name must have 1 to {WORD_MAX} bytes")]
    Referee,
    #[error("{game} has no bot {bot:?}")]
    Bot { game: String, bot: String },
    #[error("the session's numbers are too large")]
    Numbers,
}

/// Which session a hello names.
pub(super) fn session_key(hello: &Hello) -> Result<Key, HelloError> {
    let Hello {
        game,
        bot,
        referee,
        market,
        id,
    } = hello;
    let kit = games::find(game).filter(|kit| kit.card().wire == Wire::Stdio);
    let Some(kit) = kit else {
        return Err(HelloError::Game(game.clone()));
    };
    if referee.is_empty() || referee.len() > WORD_MAX {
        return Err(HelloError::Referee);
    }
    let address = BotAddress::named(kit, bot, referee).ok_or_else(|| HelloError::Bot {
        game: game.clone(),
        bot: bot.clone(),
    })?;
    if i64::try_from(*market).is_err() || i64::try_from(*id).is_err() {
        return Err(HelloError::Numbers);
    }
    Ok(Key {
        bot: Arc::new(address),
        market: *market,
        id: *id,
    })
}

/// A shim has said that no more messages will come; the end is stored when this returns.
pub(super) async fn leave(sessions: &Sessions, key: &Key, bye: Bye) -> Result<(), Refusal> {
    let leaving = Leaving {
        messages: bye.n,
        detail: bye.why,
        hung_up: bye.hung_up,
    };
    sessions.leave(key, leaving).await
}

/// Gives a session what its shim has received.
pub(super) async fn number(
    sessions: &Sessions,
    key: Key,
    message: NumberedMessage,
    received: Instant,
) -> Result<Answer, Refusal> {
    let NumberedMessage {
        n,
        text,
        said,
        at_us,
    } = message;
    let local = said.map(|said| Local {
        said,
        at_us: at_us.unwrap_or_else(crate::clock::now_us),
    });
    let numbered = Numbered { number: n, local };
    sessions.numbered(key, numbered, text, received).await
}
