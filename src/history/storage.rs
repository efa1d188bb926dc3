//! The database as [`Storage`]: its writer, and what is read here.

use crate::history;
use crate::store::{
    Append, Change, Entry, EntryId, LedgerRow, LiveSession, MatchResult, MatchRow, NewSession,
    Newest, Prune, Receipt, SessionId, SessionKey, SessionRow, Storage, Store, Stored, StoredModel,
};
use futures_util::future::BoxFuture;
use games::Kit;
use serde_json::Value;

impl Storage for Store {
    fn database(&self) -> Option<&Store> {
        Some(self)
    }

    fn kit(&self, game: &str) -> Option<&'static dyn Kit> {
        self.reader().kit(game)
    }

    fn next_session(&self) -> SessionId {
        Store::next_session(self)
    }

    fn append(&self, append: Append) -> Stored<'_, Receipt> {
        Box::pin(Store::append(self, append))
    }

    fn note_ledger(&self, row: LedgerRow) {
        Store::note_ledger(self, row);
    }

    fn open_hosted(
        &self,
        new: MatchRow,
        players: Vec<u64>,
        sessions: Vec<(SessionId, NewSession)>,
    ) -> Stored<'_, ()> {
        Box::pin(Store::open_hosted(self, new, players, sessions))
    }

    fn close_match(&self, id: &str, result: MatchResult) -> Stored<'_, ()> {
        let id = id.to_owned();
        Box::pin(async move { Store::close_match(self, &id, result).await })
    }

    fn rename_seat<'a>(
        &'a self,
        match_id: &'a str,
        seat: u8,
        name: Option<&'a str>,
    ) -> Stored<'a, ()> {
        Box::pin(Store::rename_seat(self, match_id, seat, name))
    }

    fn change(&self, change: Change) -> Stored<'_, Option<i64>> {
        Box::pin(Store::change(self, change))
    }

    fn prune(&self, prune: Prune) -> Stored<'_, u64> {
        Box::pin(Store::prune(self, prune))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.clone().close())
    }

    fn live(&self) -> Stored<'_, Vec<LiveSession>> {
        Box::pin(Store::live(self))
    }

    fn newest<'a>(&'a self, key: &'a SessionKey) -> Stored<'a, Newest> {
        Box::pin(history::newest(self.reader(), key))
    }

    fn take_up(&self, found: LiveSession) -> Stored<'_, ()> {
        Box::pin(Store::take_up(self, found))
    }

    fn ended_since(&self, since_us: i64) -> Stored<'_, Vec<SessionRow>> {
        Box::pin(history::ended_since(self.reader(), since_us))
    }

    fn sessions_of<'a>(&'a self, match_id: &'a str) -> Stored<'a, Vec<SessionRow>> {
        Box::pin(history::sessions_of(self.reader(), match_id))
    }

    fn head<'a>(&'a self, session: &'a SessionRow) -> Stored<'a, Option<(EntryId, u64)>> {
        Box::pin(history::head(self.reader(), session))
    }

    fn transcript(&self, session: SessionId, head: EntryId) -> Stored<'_, Vec<Entry>> {
        Box::pin(history::transcript(self.reader(), session, head))
    }

    fn has_fact<'a>(&'a self, session: SessionId, kind: &'a str) -> Stored<'a, bool> {
        Box::pin(history::has_fact(self.reader(), session, kind))
    }

    fn unfinished<'a>(&'a self, game: &'a str, referee: &'a str) -> Stored<'a, Vec<MatchRow>> {
        Box::pin(history::unfinished(self.reader(), game, referee))
    }

    fn match_row<'a>(&'a self, id: &'a str) -> Stored<'a, Option<MatchRow>> {
        Box::pin(history::match_row(self.reader(), id))
    }

    fn match_of_market<'a>(&'a self, game: &'a str, market: u64) -> Stored<'a, Option<String>> {
        Box::pin(history::match_of_market(self.reader(), game, market))
    }

    fn last_market<'a>(&'a self, game: &'a str) -> Stored<'a, u64> {
        Box::pin(history::last_market(self.reader(), game))
    }

    fn numbers_used<'a>(
        &'a self,
        game: &'a str,
        market: u64,
        players: &'a [u64],
    ) -> Stored<'a, bool> {
        Box::pin(history::numbers_used(self.reader(), game, market, players))
    }

    fn seat_of_player<'a>(&'a self, game: &'a str, player: u64) -> Stored<'a, Option<(u64, u8)>> {
        Box::pin(history::seat_of_player(self.reader(), game, player))
    }

    fn players_of<'a>(&'a self, match_id: &'a str) -> Stored<'a, Vec<u64>> {
        Box::pin(history::players_of(self.reader(), match_id))
    }

    fn note<'a>(&'a self, bot: &'a str, game: &'a str) -> Stored<'a, Option<Value>> {
        Box::pin(history::note(self.reader(), bot, game))
    }

    fn note_given(&self, session: SessionId) -> Stored<'_, Option<Value>> {
        Box::pin(super::programs::note_given(self.reader(), session))
    }

    fn models_now<'a>(
        &'a self,
        game: &'a str,
        names: &'a [&'a str],
        others: u32,
    ) -> Stored<'a, Vec<i64>> {
        Box::pin(history::models_now(self.reader(), game, names, others))
    }

    fn model_versions<'a>(&'a self, numbers: &'a [i64]) -> Stored<'a, Vec<StoredModel>> {
        Box::pin(history::model_versions(self.reader(), numbers))
    }
}
