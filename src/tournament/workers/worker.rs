//! A worker, and what it needs of those who know how matches are played here.

use super::task::Terms;
use crate::programs::{BotName, Launch, Programs, Shelf, ShelfError};
use crate::referee::Recording;
use crate::store::Store;
use crate::tournament::cup::Cup;
use crate::tournament::player::MatchPlayer;
use futures_util::future::BoxFuture;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// A match that was claimed so often without coming to its end is not given to workers any more.
pub(super) const ATTEMPTS_MAX: u32 = 5;

/// Plays planned matches of a database's tournaments.
pub struct Worker {
    /// The database.
    pub store: Store,
    /// What plays their matches.
    pub players: Arc<dyn Players>,
    /// Its name, for people.
    pub name: String,
    /// Matches at once.
    pub concurrency: NonZeroUsize,
    /// Whether it runs others' commands.
    pub cmd: bool,
    /// Ends it once there was nothing to do for so long.
    pub until_idle: Option<Duration>,
}

/// Users' bots, each on the shelf where it was found.
#[derive(Clone, Debug, Default)]
pub struct Carried(pub(super) BTreeMap<BotName, Shelf>);

impl Carried {
    /// A bot, ready to be started.
    ///
    /// # Errors
    /// As [`Shelf::get`].
    pub fn get(&self, name: &BotName) -> Result<Launch, ShelfError> {
        match self.0.get(name) {
            Some(shelf) => shelf.get(name),
            None => Err(ShelfError::Unknown {
                asked: name.clone(),
                known: "the run of the tournament offers no such one".to_owned(),
            }),
        }
    }
}

impl Programs for Carried {
    fn find(&self, name: &str, version: Option<&str>) -> Option<Launch> {
        let asked = BotName {
            name: name.to_owned(),
            version: version.map(str::to_owned),
        };
        self.0.get(&asked)?.find(name, version)
    }
}

/// Knows how a tournament's matches are played on this machine.
pub trait Players: Send + Sync {
    /// What plays them; fails if they cannot be played here.
    fn hire(&self, engagement: Engagement) -> BoxFuture<'_, anyhow::Result<Hired>>;
}

/// Which matches are to be played, and how.
pub struct Engagement {
    /// The tournament, as its row has it.
    pub cup: Cup,
    /// What of its run's settings workers go by.
    pub terms: Terms,
    /// Its id.
    pub tournament: String,
    /// Where they are stored that store themselves.
    pub recording: Recording,
    /// Matches at once.
    pub concurrency: NonZeroUsize,
}

/// What plays a tournament's matches.
pub struct Hired {
    /// The tournament, its users' bots found.
    pub cup: Cup,
    /// Plays a match.
    pub player: Arc<dyn MatchPlayer>,
    /// Ends what runs during the matches, after the last one.
    pub end: BoxFuture<'static, ()>,
}
