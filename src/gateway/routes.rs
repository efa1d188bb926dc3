//! Which bot a path means.

use super::options::CallbackOptions;
use super::referees::Referees;
use crate::programs::Bots;
use crate::secrets;
use crate::session::BotAddress;
use games::{Kit, Wire};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

/// Longest request target, in bytes; no game's message comes close.
pub(super) const TARGET_BYTES_MAX: usize = 8 * 1024;

/// The games whose referees call us, and how they are reached.
#[derive(Clone)]
pub(super) struct Routes {
    games: Vec<&'static dyn Kit>,
    default_bot: String,
    prefix: String,
    referees: Referees,
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
                .filter(|kit| kit.card().wire == Wire::Callbacks)
                .collect(),
            default_bot: options.default_bot.clone(),
            prefix: options.secret_path.trim_matches('/').to_owned(),
            referees: Referees::new(options.own_referee.clone(), options.referees.clone()),
        }
    }

    /// The bot at `path`. Its referee is the caller's address, which no path can name, or a configured one
    /// that the caller may name. `known`: the address that `caller` really has, if that can be known; names
    /// that are bound to addresses need it.
    pub(super) fn bot(
        &self,
        path: &str,
        caller: IpAddr,
        known: Option<IpAddr>,
    ) -> Result<Arc<BotAddress>, NoRoute> {
        let path = plain(path)?;
        let path = self.open(&path)?;
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        let kit = match segments.next() {
            None => self.games.first().copied(),
            Some(game) => self
                .games
                .iter()
                .copied()
                .find(|kit| kit.card().name == game),
        };
        let kit = kit.ok_or_else(|| self.no_game())?;
        let bot = segments.next().unwrap_or(&self.default_bot);
        let named = segments.next();
        if segments.next().is_some() {
            return Err(NoRoute(format!(
                "nothing is here: a bot's path is /{}/BOT or /{0}/BOT/REFEREE",
                kit.card().name
            )));
        }
        let referee = match named {
            None => caller.to_canonical().to_string(),
            Some(named) => self
                .referees
                .named(named, known)
                .ok_or_else(|| unnamed(kit))?
                .to_owned(),
        };
        BotAddress::named(kit, bot, &referee)
            .map(Arc::new)
            .ok_or_else(|| no_bot(kit))
    }

    /// Whether the bot that is meant where a path names none is there.
    pub(super) fn check_default(&self, bots: &Bots) -> Result<(), NoRoute> {
        let Some(kit) = self.games.first().copied() else {
            return Err(self.no_game());
        };
        BotAddress::configured(kit, &self.default_bot, "", bots)
            .map(drop)
            .ok_or_else(|| no_bot(kit))
    }

    /// The path after the secret segment. A caller that does not know the secret learns nothing.
    fn open<'a>(&self, path: &'a str) -> Result<&'a str, NoRoute> {
        let path = path.trim_start_matches('/');
        if self.prefix.is_empty() {
            return Ok(path);
        }
        match path.split_at_checked(self.prefix.len()) {
            Some((given, rest))
                if secrets::same(given, &self.prefix)
                    && (rest.is_empty() || rest.starts_with('/')) =>
            {
                Ok(rest)
            }
            _ => Err(NoRoute("nothing is here".to_owned())),
        }
    }

    fn no_game(&self) -> NoRoute {
        let games: Vec<_> = self
            .games
            .iter()
            .map(|kit| format!("/{}", kit.card().name))
            .collect();
        NoRoute(format!("no such game here; there is: {}", games.join(", ")))
    }
}

/// The path with its percent signs decoded: clients write `bot%3Amybot` as well.
fn plain(path: &str) -> Result<Cow<'_, str>, NoRoute> {
    if !path.contains('%') {
        return Ok(Cow::Borrowed(path));
    }
    let decoded = path.split('/').map(|segment| {
        let segment = percent_decode_str(segment).decode_utf8().ok();
        // It names one thing: a slash in it would name two.
        segment.filter(|segment| !segment.contains('/'))
    });
    let decoded: Option<Vec<_>> = decoded.collect();
    let decoded = decoded.ok_or_else(|| NoRoute("nothing is here".to_owned()))?;
    Ok(Cow::Owned(decoded.join("/")))
}

pub(super) fn no_bot(kit: &dyn Kit) -> NoRoute {
    let bots: Vec<_> = kit.card().bots.iter().map(|card| card.name).collect();
    NoRoute(format!(
        "no such bot of {}; there is: {}",
        kit.card().name,
        bots.join(", ")
    ))
}

/// The same text whatever is wrong with it: a stranger does not learn which names exist.
fn unnamed(kit: &dyn Kit) -> NoRoute {
    NoRoute(format!(
        "the path names a referee that does not count here; the operator of this service can list it in the \
         configuration under [[callbacks.referee]] with its addresses or a secret, and it then calls \
         /{0}/BOT/NAME or /{0}/BOT/NAME:SECRET; without a name, as /{0}/BOT, the caller's address is its name",
        kit.card().name
    ))
}
