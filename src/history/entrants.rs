//! Which of its tournament's entrants play a match.

use super::matches::match_row;
use crate::store::sql::Builder;
use crate::store::types::{MatchRow, NewEntrant};
use crate::store::{Reader, StoreError, rows};

/// The most tournaments that a running match is looked for in, newest first.
const RUNNING_MAX: i64 = 32;

/// One match, its seats with the numbers of their entrants, from 0 in the order in which they were given. One that runs has
/// no place yet: then all of its entrants are those of a tournament of the same game that runs, too.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn match_numbered(reader: &Reader, id: &str) -> Result<Option<MatchRow>, StoreError> {
    let Some(mut row) = match_row(reader, id).await? else {
        return Ok(None);
    };
    if row.seats.iter().all(|seat| seat.entrant.is_none()) {
        return Ok(Some(row));
    }
    let mut query = Builder::new("SELECT t.entrants FROM tournaments t WHERE ");
    match &row.tournament {
        Some(place) => query.push("t.id = ").push_bind(place.id.clone()),
        None => query
            .push("t.ended_us IS NULL AND t.game = ")
            .push_bind(row.game.clone()),
    };
    query.push(" ORDER BY t.id DESC LIMIT ");
    query.push_bind(RUNNING_MAX);
    for found in query.build().fetch_all(reader.pool()).await? {
        let entrants: Vec<NewEntrant> = rows::json(found.try_get(0)?)?;
        let number = |name: &String| entrants.iter().position(|one| one.name == *name);
        let mut known = row.seats.iter().filter_map(|seat| seat.entrant.as_ref());
        if known.all(|name| number(name).is_some()) {
            for seat in &mut row.seats {
                seat.number = seat.entrant.as_ref().and_then(number);
            }
            break;
        }
    }
    Ok(Some(row))
}
