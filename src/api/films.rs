//! Matches that were folded lately, for those who look at their replays.

use super::problem::Problem;
use crate::history;
use crate::replay::{Film, View, seat_names};
use crate::store::{EntryId, MatchRow, SessionId, Store, StoreError};
use games::scene::Names;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The most that are kept, and the most bytes of all of them but the newest.
pub(super) const FILMS_MAX: usize = 32;
const BYTES_MAX: usize = 64 << 20;

type Kept = (Shown, Arc<OnceCell<Arc<Film>>>);

/// Matches that were folded lately, the last one asked for first. All clones are one.
#[derive(Clone, Debug, Default)]
pub struct Films(Arc<Mutex<Vec<Kept>>>);

/// What a film shows: a view, and how far its transcripts go.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    match_id: String,
    /// `None`: everything.
    session: Option<SessionId>,
    /// A seat may be given another name at any time.
    names: Names,
    running: bool,
    /// Whether all of the match is public, and with it who has which number.
    open: bool,
    /// Each session's last entry, and whether it was pruned.
    upto: Vec<(SessionId, Option<EntryId>, bool)>,
}

impl Shown {
    async fn read(
        store: &Store,
        row: &MatchRow,
        view: &View,
        open: bool,
    ) -> Result<Self, StoreError> {
        let sessions = match view {
            View::Everything(sessions) => &sessions[..],
            View::Seat(session) => std::slice::from_ref(&**session),
        };
        let mut upto = Vec::with_capacity(sessions.len());
        for session in sessions {
            let head = history::head(store.reader(), session).await?;
            let entry = head.map(|(entry, _)| entry);
            upto.push((session.id, entry, session.pruned));
        }
        Ok(Self {
            match_id: row.id.clone(),
            session: view.session(),
            names: seat_names(&row.seats),
            running: row.ended_us.is_none(),
            open,
            upto,
        })
    }

    fn is_later_of(&self, other: &Self) -> bool {
        (&self.match_id, self.session) == (&other.match_id, other.session) && self != other
    }
}

impl Films {
    /// The film of a view of a match; `fold` makes it, once for all who ask for it meanwhile.
    pub(super) async fn film(
        &self,
        store: &Store,
        row: &MatchRow,
        view: &View,
        open: bool,
        fold: impl AsyncFnOnce() -> Result<Film, Problem>,
    ) -> Result<Arc<Film>, Problem> {
        let shown = Shown::read(store, row, view, open).await?;
        let place = self.place(shown);
        let film = place
            .get_or_try_init(async || fold().await.map(Arc::new))
            .await?;
        let film = Arc::clone(film);
        self.trim();
        Ok(film)
    }

    /// How many are kept.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// Where this film is or will be, which is now the last one asked for.
    fn place(&self, shown: Shown) -> Arc<OnceCell<Arc<Film>>> {
        let mut kept = self.0.lock();
        let known = kept.iter().position(|(known, _)| *known == shown);
        let place = known.map_or_else(Arc::default, |at| kept.remove(at).1);
        kept.retain(|(known, _)| !shown.is_later_of(known));
        kept.insert(0, (shown, Arc::clone(&place)));
        kept.truncate(FILMS_MAX);
        place
    }

    /// Gives up those that were not asked for longest.
    fn trim(&self) {
        let mut kept = self.0.lock();
        let mut bytes = 0;
        let first = kept.iter().position(|(_, place)| {
            let own = place.get().map_or(0, |film| film.bytes());
            bytes += own;
            own < bytes && bytes > BYTES_MAX
        });
        if let Some(first) = first {
            kept.truncate(first);
        }
    }
}
