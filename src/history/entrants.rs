//! Which of their tournaments' entrants play matches.

use crate::store::sql::{Builder, Row};
use crate::store::types::{MatchRow, NewEntrant};
use crate::store::{Reader, StoreError, rows};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// The most tournaments of running matches that are looked at, newest first.
const RUNNING_MAX: i64 = 32;

/// The entrants of a tournament, each with its number.
struct Entrants {
    tournament: String,
    game: String,
    runs: bool,
    numbers: HashMap<String, usize>,
}

impl Entrants {
    /// Whether a match belongs to it. One that runs has no place yet: then all of its entrants are those of a tournament
    /// of the same game that runs, too.
    fn holds(&self, row: &MatchRow) -> bool {
        match &row.tournament {
            Some(place) => place.id == self.tournament,
            None => {
                let mut known = row.seats.iter().filter_map(|seat| seat.entrant.as_ref());
                self.runs
                    && self.game == row.game
                    && known.all(|name| self.numbers.contains_key(name))
            }
        }
    }
}

/// Enters the number of each seat's entrant, from 0 in the order in which they were given.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub(super) async fn number(reader: &Reader, matches: &mut [MatchRow]) -> Result<(), StoreError> {
    let of_tournaments = |row: &&mut MatchRow| row.seats.iter().any(|seat| seat.entrant.is_some());
    let mut matches: Vec<&mut MatchRow> = matches.iter_mut().filter(of_tournaments).collect();
    if matches.is_empty() {
        return Ok(());
    }
    let tournaments = tournaments(reader, &matches).await?;
    for row in &mut matches {
        let Some(one) = tournaments.iter().find(|one| one.holds(row)) else {
            continue;
        };
        for seat in &mut row.seats {
            let name = seat.entrant.as_ref();
            seat.number = name.and_then(|name| one.numbers.get(name).copied());
        }
    }
    Ok(())
}

/// The tournaments of these matches.
async fn tournaments(
    reader: &Reader,
    matches: &[&mut MatchRow],
) -> Result<Vec<Entrants>, StoreError> {
    let placed = matches.iter().filter_map(|row| row.tournament.as_ref());
    let ids: BTreeSet<&str> = placed.map(|place| place.id.as_str()).collect();
    let live = matches.iter().filter(|row| row.tournament.is_none());
    let games: BTreeSet<&str> = live.map(|row| row.game.as_str()).collect();
    let list = |words: BTreeSet<&str>| Value::from_iter(words).to_string();
    let mut query = Builder::new(
        "SELECT t.id, t.game, t.ended_us, t.entrants FROM tournaments t
         WHERE t.id IN (SELECT value FROM json_each(",
    );
    query.push_bind(list(ids));
    query.push(")) OR t.id IN (SELECT r.id FROM tournaments r WHERE r.ended_us IS NULL AND r.game IN (SELECT value FROM json_each(");
    query
        .push_bind(list(games))
        .push(")) ORDER BY r.id DESC LIMIT ");
    query.push_bind(RUNNING_MAX).push(") ORDER BY t.id DESC");
    let found = query.build().fetch_all(reader.pool()).await?;
    let one = |row: &Row| {
        let entrants: Vec<NewEntrant> = rows::json(row.try_get(3)?)?;
        let numbers = entrants.into_iter().enumerate();
        Ok(Entrants {
            tournament: row.try_get(0)?,
            game: row.try_get(1)?,
            runs: row.try_get::<Option<i64>>(2)?.is_none(),
            numbers: numbers.map(|(number, one)| (one.name, number)).collect(),
        })
    };
    found.iter().map(one).collect()
}
