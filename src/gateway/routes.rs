//! Which bot a path means.

use super::options::CallbackOptions;
use crate::session::Place;
use games::{Kit, Wire};
use std::sync::Arc;

/// Longest request target, in bytes; no game's message comes near.
pub(super) const TARGET_BYTES_MAX: usize = 8 * 1024;
/// Longest name of a referee in a path, in bytes.
const REFEREE_BYTES_MAX: usize = 64;

/// The games whose referees call us, and how they are reached.
#[derive(Clone)]
pub(super) struct Routes {
    games: Vec<&'static dyn Kit>,
    default_bot: String,
    prefix: String,
}

/// Why a path leads nowhere, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoRoute(String);

impl Routes {
    pub(super) fn new(games: &[&'static dyn Kit], options: &CallbackOptions) -> Self {
        Self {
            games: games
                .iter()
                .copied()
                .filter(|kit| kit.wire() == Wire::Callbacks)
                .collect(),
            default_bot: options.default_bot.clone(),
            prefix: options.secret_path.trim_matches('/').to_owned(),
        }
    }

    /// The bot at `path`, called by `peer` unless the path names its referee.
    pub(super) fn place(&self, path: &str, peer: &str) -> Result<Arc<Place>, NoRoute> {
        let path = self.open(path)?;
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        let kit = match segments.next() {
            None => self.games.first().copied(),
            Some(game) => self.games.iter().copied().find(|kit| kit.game() == game),
        };
        let kit = kit.ok_or_else(|| self.no_game())?;
        let bot = segments.next().unwrap_or(&self.default_bot);
        let referee = segments.next().unwrap_or(peer);
        if segments.next().is_some() {
            return Err(NoRoute(format!(
                "nothing is here: a bot's path is /{}/BOT or /{0}/BOT/REFEREE",
                kit.game()
            )));
        }
        if referee.len() > REFEREE_BYTES_MAX || !referee.bytes().all(plain) {
            return Err(NoRoute(format!(
                "a referee's name in the path has at most {REFEREE_BYTES_MAX} letters, digits, dots, colons, dashes and underscores"
            )));
        }
        Place::new(kit, bot, referee)
            .map(Arc::new)
            .ok_or_else(|| no_bot(kit))
    }

    /// The path behind the secret one. Who does not know it learns nothing.
    fn open<'a>(&self, path: &'a str) -> Result<&'a str, NoRoute> {
        let path = path.trim_start_matches('/');
        if self.prefix.is_empty() {
            return Ok(path);
        }
        match path.strip_prefix(self.prefix.as_str()) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Ok(rest),
            _ => Err(NoRoute("nothing is here".to_owned())),
        }
    }

    fn no_game(&self) -> NoRoute {
        let games: Vec<_> = self
            .games
            .iter()
            .map(|kit| format!("/{}", kit.game()))
            .collect();
        NoRoute(format!("no such game here; there is: {}", games.join(", ")))
    }
}

fn no_bot(kit: &dyn Kit) -> NoRoute {
    let bots: Vec<_> = kit.bots().iter().map(|card| card.name).collect();
    NoRoute(format!(
        "no such bot of {}; there is: {}",
        kit.game(),
        bots.join(", ")
    ))
}

fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b':' | b'-' | b'_' | b'[' | b']')
}
