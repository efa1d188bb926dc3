//! [`Storage`]: what sessions, referees and their seats need of a store. [`Store`] is one, over SQLite; the simulator
//! has another in memory, which loses what was not synced.

use super::error::StoreError;
use super::handle::Store;
use super::types::{
    Append, Entry, EntryId, LedgerRow, LiveSession, MatchResult, MatchRow, NewSession, Newest,
    Receipt, SessionId, SessionKey, SessionRow, StoredModel,
};
use super::writer::{Change, Note, NoteChange, Prune};
use futures_util::future::BoxFuture;
use games::Kit;
use serde_json::Value;
use std::sync::Arc;

/// What comes of a request to a store.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Sessions may be pruned in one transaction up to this number.
const DISCARDED_AT_ONCE: usize = 128;

/// A store as sessions and referees use it. What is written is durable when the future returns `Ok`; each method's
/// errors are those of the function of the same name of [`Store`] or `history`.
pub trait Storage: Send + Sync {
    /// The database, for what only `history` reads; `None`: there is none.
    fn database(&self) -> Option<&Store>;
    /// Whether it is a server's, which may be away while everything here is well.
    fn is_remote(&self) -> bool {
        let location = self.database().map(Store::location);
        location.is_some_and(|location| location.file().is_none())
    }
    /// The game with this name.
    fn kit(&self, game: &str) -> Option<&'static dyn Kit>;
    /// A number for a new session ([`Store::next_session`]).
    fn next_session(&self) -> SessionId;
    /// Adds to a session ([`Store::append`]).
    fn append(&self, append: Append) -> Stored<'_, Receipt>;
    /// Records one decision's timings; never waits.
    fn note_ledger(&self, row: LedgerRow);
    /// Writes a match's row ([`Store::open_hosted`]).
    fn open_hosted(
        &self,
        new: MatchRow,
        players: Vec<u64>,
        sessions: Vec<(SessionId, NewSession)>,
    ) -> Stored<'_, ()>;
    /// Ends a match ([`Store::close_match`]).
    fn close_match(&self, id: &str, result: MatchResult) -> Stored<'_, ()>;
    /// Names a seat, or takes its name away ([`Store::name_seat`]).
    fn rename_seat<'a>(
        &'a self,
        match_id: &'a str,
        seat: u8,
        name: Option<&'a str>,
    ) -> Stored<'a, ()>;
    /// Makes a change that is a transaction of its own ([`Store::change`]).
    fn change(&self, change: Change) -> Stored<'_, Option<i64>>;
    /// Gives up what old or void matches hold ([`Store::prune`]).
    fn prune(&self, prune: Prune) -> Stored<'_, u64>;
    /// Closes the store for all that share it ([`Store::close`]).
    fn close(&self) -> BoxFuture<'_, ()>;

    /// Sessions that have not ended ([`Store::live`]).
    fn live(&self) -> Stored<'_, Vec<LiveSession>>;
    /// What a server has of a key.
    fn newest<'a>(&'a self, key: &'a SessionKey) -> Stored<'a, Newest>;
    /// Goes on with a session that another writer may have written to ([`Store::take_up`]).
    fn take_up(&self, found: LiveSession) -> Stored<'_, ()>;
    /// Sessions that ended since a moment (microseconds since 1970-01-01 UTC), in the order in which they began.
    fn ended_since(&self, since_us: i64) -> Stored<'_, Vec<SessionRow>>;
    /// All sessions of a match, in the order in which they began.
    fn sessions_of<'a>(&'a self, match_id: &'a str) -> Stored<'a, Vec<SessionRow>>;
    /// A session's last entry and its number of entries.
    fn head<'a>(&'a self, session: &'a SessionRow) -> Stored<'a, Option<(EntryId, u64)>>;
    /// A session's transcript up to `head`, oldest first.
    fn transcript(&self, session: SessionId, head: EntryId) -> Stored<'_, Vec<Entry>>;
    /// Whether a session has a fact of this kind.
    fn has_fact<'a>(&'a self, session: SessionId, kind: &'a str) -> Stored<'a, bool>;

    /// Unfinished matches of our own referee with this name, oldest first.
    fn unfinished<'a>(&'a self, game: &'a str, referee: &'a str) -> Stored<'a, Vec<MatchRow>>;
    /// One match.
    fn match_row<'a>(&'a self, id: &'a str) -> Stored<'a, Option<MatchRow>>;
    /// Our own referee's match with this number on the wire.
    fn match_of_market<'a>(&'a self, game: &'a str, market: u64) -> Stored<'a, Option<String>>;
    /// The highest number of our own referee's matches of a game; 0 if there is none.
    fn last_market<'a>(&'a self, game: &'a str) -> Stored<'a, u64>;
    /// Whether the number of one of our matches of a game, or of one of its players, was used before.
    fn numbers_used<'a>(
        &'a self,
        game: &'a str,
        market: u64,
        players: &'a [u64],
    ) -> Stored<'a, bool>;
    /// The market and seat of the player with this number in one of our games.
    fn seat_of_player<'a>(&'a self, game: &'a str, player: u64) -> Stored<'a, Option<(u64, u8)>>;
    /// The numbers of the players of our own referee's match, by seat.
    fn players_of<'a>(&'a self, match_id: &'a str) -> Stored<'a, Vec<u64>>;

    /// What a program noted last in a match of this game.
    fn note<'a>(&'a self, bot: &'a str, game: &'a str) -> Stored<'a, Option<Value>>;
    /// The note that a session's program was given.
    fn note_given(&self, session: SessionId) -> Stored<'_, Option<Value>>;
    /// The numbers of the models that advise a session now.
    fn models_now<'a>(
        &'a self,
        game: &'a str,
        names: &'a [&'a str],
        others: u32,
    ) -> Stored<'a, Vec<i64>>;
    /// Models in these versions, by name.
    fn model_versions<'a>(&'a self, numbers: &'a [i64]) -> Stored<'a, Vec<StoredModel>>;
}

impl dyn Storage + '_ {
    /// Keeps what a program noted, in the place of what it noted before.
    ///
    /// # Errors
    /// As [`Store::change`].
    pub async fn keep_note(&self, note: Note) -> Result<(), StoreError> {
        let change = Change::Note(Box::new(NoteChange::Kept(note)));
        self.change(change).await.map(drop)
    }

    /// The note with which a session's program begins, which is given to it again if its match is sent again: the last one
    /// kept, or, where the match `began` before, the one that it was given then.
    ///
    /// # Errors
    /// As [`Store::change`].
    pub async fn give_note(
        &self,
        session: SessionId,
        bot: &str,
        game: &str,
        began: bool,
    ) -> Result<Option<Value>, StoreError> {
        if began {
            return self.note_given(session).await;
        }
        let note = self.note(bot, game).await?;
        if let Some(note) = note.clone() {
            let change = Change::Note(Box::new(NoteChange::Given(session, note)));
            self.change(change).await?;
        }
        Ok(note)
    }

    /// Removes the matches of these ended sessions, if only first messages were received in them; how many these
    /// were.
    ///
    /// # Errors
    /// As [`Store::prune`].
    pub async fn discard(&self, sessions: &[i64]) -> Result<u64, StoreError> {
        let mut gone = 0;
        for some in sessions.chunks(DISCARDED_AT_ONCE) {
            let step = tokio::time::Instant::now();
            gone += self.prune(Prune::Void(some.to_vec())).await?;
            // Others write meanwhile.
            tokio::time::sleep(step.elapsed()).await;
        }
        Ok(gone)
    }
}

impl From<Store> for Arc<dyn Storage> {
    fn from(store: Store) -> Self {
        Arc::new(store)
    }
}
