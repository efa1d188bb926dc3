//! How the matches of a run are opened in its database.

use crate::referee::{Draw, MatchRecord, Numbers, Recording, StartError};
use crate::replay::builtin_seeds;
use crate::store::types::{MatchRow, SeatRow, Slot};
use games::{Kit, TableSetup, Wire};
use serde_json::Value;

/// The name under which matches of `play` are stored: no other referee resumes them.
pub const REFEREE: &str = "play";

/// The name under which matches of a tournament are stored where several processes store them: each of them closes only its
/// own tournament's.
#[must_use]
pub fn referee_of(tournament: &str) -> String {
    format!("{REFEREE}/{tournament}")
}

/// Whether several processes may store matches there.
pub(super) fn is_shared(recording: &Recording) -> bool {
    let store = recording.store();
    store.is_some_and(|store| store.location().file().is_none())
}

/// What all matches of a run are opened with.
pub(super) struct Opening {
    pub(super) kit: &'static dyn Kit,
    pub(super) options: Value,
    pub(super) recording: Recording,
}

/// A match to be opened.
pub(super) struct NewMatch<'a> {
    /// Its number in the run, from 0.
    pub(super) number: u64,
    /// The seed of its deck.
    pub(super) seed: u64,
    pub(super) match_id: String,
    /// In microseconds since 1970-01-01 UTC.
    pub(super) started_us: i64,
    /// The seats' specs.
    pub(super) seats: &'a [String],
    /// Those that it had on the wire, if it had any: its calls carry them.
    pub(super) numbers: Option<&'a Numbers>,
    /// Its place in a tournament.
    pub(super) slot: Option<&'a Slot>,
}

impl Opening {
    /// Opens a match; its number is the game's next one, unless its wire has random ones.
    pub(super) async fn open(&self, new: NewMatch<'_>) -> anyhow::Result<MatchRecord> {
        let players = new.seats.len();
        let shared = new
            .slot
            .filter(|slot| slot.claim.is_some() || is_shared(&self.recording));
        let ids = || (1..=players as u64).collect();
        let numbers = match self.kit.card().wire {
            Wire::Callbacks => self.drawn(&new).await?,
            // Others count as well.
            _ if shared.is_some() => Numbers {
                ids: ids(),
                ..self.drawn(&new).await?
            },
            _ => Numbers {
                market: self.recording.next_market(self.kit.card().name).await?,
                ids: ids(),
            },
        };
        let plain = TableSetup::numbered(new.seed, self.options.clone(), players);
        let table = self.kit.table(&match new.numbers {
            Some(Numbers { market, ids }) => TableSetup {
                market: *market,
                ids: ids.clone(),
                ..plain
            },
            None => plain,
        })?;
        let seat = |(seat, spec): (u8, &String)| SeatRow {
            seat,
            spec: spec.clone(),
            ..SeatRow::default()
        };
        let mut row = MatchRow {
            id: new.match_id,
            game: self.kit.card().name.to_owned(),
            referee: match shared {
                Some(slot) => referee_of(&slot.tournament),
                None => REFEREE.to_owned(),
            },
            market: numbers.market,
            ours: true,
            started_us: new.started_us,
            setup: table.setup(),
            seats: (0u8..).zip(new.seats).map(seat).collect(),
            ..MatchRow::default()
        };
        if let Some(slot) = new.slot {
            slot.seat(&mut row);
        }
        let record = self.recording.open(&row, &numbers.ids, &[]).await?;
        Ok(record.seeded(&builtin_seeds(new.seed, new.seats)))
    }

    /// The numbers that it had on the wire, unless they are in use here; otherwise others, from the match's seed: what a run
    /// stores is reproducible.
    async fn drawn(&self, new: &NewMatch<'_>) -> Result<Numbers, StartError> {
        let game = self.kit.card().name;
        if let Some(own) = new.numbers
            && !self.recording.used(game, own.market, &own.ids).await?
        {
            return Ok(own.clone());
        }
        let draw = Draw::new(Some(Draw::seed(new.seed, new.number)));
        let seats = new.seats.len();
        draw.free(&self.recording, game, seats, |_| true).await
    }
}
