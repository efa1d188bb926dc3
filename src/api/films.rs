//! Matches that were folded lately, for those who look at their replays.

use super::problem::Problem;
use crate::history;
use crate::replay::{Film, View, seat_names};
use crate::store::{EntryId, MatchRow, SessionId, Store, StoreError};
use games::scene::Names;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The most that are kept, and the most bytes of all of them but the newest.
pub(super) const FILMS_MAX: usize = 32;
const BYTES_MAX: usize = 64 << 20;

type Kept = (Shown, Arc<Place>);

/// The numbers of a session's decisions, from 1, by the entries that asked for them.
pub(super) type Numbers = HashMap<EntryId, u64>;
type NumbersPlace = Arc<OnceCell<Arc<Numbers>>>;

/// Where a film is or will be, and what was found out about it for those who look at it.
#[derive(Debug, Default)]
struct Place {
    film: OnceCell<Arc<Film>>,
    numbers: Mutex<HashMap<SessionId, NumbersPlace>>,
}

impl Place {
    /// Its approximate size in memory, in bytes.
    fn bytes(&self) -> usize {
        let film = self.film.get().map_or(0, |film| film.bytes());
        let numbers = self.numbers.lock();
        let known = numbers.values().filter_map(|numbers| numbers.get());
        let count: usize = known.map(|numbers| numbers.len()).sum();
        film + count * size_of::<(EntryId, u64)>()
    }
}

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
    /// The last row of the ledger: times of answers may follow the entries by a second.
    decision: i64,
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
            decision: history::last_decision(store.reader(), &row.id).await?,
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
            .film
            .get_or_try_init(async || fold().await.map(Arc::new))
            .await?;
        let film = Arc::clone(film);
        self.trim();
        Ok(film)
    }

    /// The numbers of a session's decisions; `fold` finds them, once as long as the film that shows them is kept.
    pub(super) async fn numbers(
        &self,
        film: &Arc<Film>,
        session: SessionId,
        fold: impl AsyncFnOnce() -> Result<Numbers, Problem>,
    ) -> Result<Arc<Numbers>, Problem> {
        let place = self.numbers_of(film, session);
        let numbers = place
            .get_or_try_init(async || fold().await.map(Arc::new))
            .await?;
        let numbers = Arc::clone(numbers);
        self.trim();
        Ok(numbers)
    }

    /// Where they are or will be: nowhere that lasts, if the film is no longer kept.
    fn numbers_of(&self, film: &Arc<Film>, session: SessionId) -> NumbersPlace {
        let kept = self.0.lock();
        let is_its = |place: &Place| place.film.get().is_some_and(|own| Arc::ptr_eq(own, film));
        let place = kept.iter().find(|(_, place)| is_its(place));
        place.map_or_else(Arc::default, |(_, place)| {
            Arc::clone(place.numbers.lock().entry(session).or_default())
        })
    }

    /// How many are kept.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// Where this film is or will be, which is now the last one asked for.
    fn place(&self, shown: Shown) -> Arc<Place> {
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
            let own = place.bytes();
            bytes += own;
            own < bytes && bytes > BYTES_MAX
        });
        if let Some(first) = first {
            kept.truncate(first);
        }
    }
}
