//! The end of sessions and matches: their rows, results, lessons and models, all in the transaction
//! that holds the last entries.

use super::batch::{Batch, Work};
use super::learning::{Merge, TYPE_FIT_MIN, merged};
use super::refusal::Refusal;
use super::server;
use super::statements::{
    CHANGES, CLAIMED_MATCHES, CLOSING_MATCHES, CLOSING_SESSIONS, Database, ENDED_MATCHES,
    ENDED_SESSIONS, LESSONS, MODELS, PARTICIPATIONS, RESULTS, Rows, TOURNAMENT_MATCHES,
};
use crate::store::rules::Rules;
use crate::store::sql::Row;
use crate::store::types::{Append, Close, MatchResult};
use games::{Cause, Lesson};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The rows of all endings of one batch.
#[derive(Debug)]
pub(super) struct Endings {
    pub(super) sessions: Rows,
    pub(super) matches: Rows,
    pub(super) results: Rows,
    pub(super) participations: Rows,
    pub(super) slots: Rows,
    pub(super) lessons: Rows,
    pub(super) models: Rows,
    /// Matches that were to be ended and cannot be.
    pub(super) refused: HashMap<String, Refusal>,
    /// That sessions and matches end.
    pub(super) changes: Rows,
}

/// What is stored about a session that ends.
struct Ending<'a> {
    session: i64,
    close: &'a Close,
    match_id: String,
    game: String,
    seat: Option<u8>,
    seats: usize,
    names: Vec<(u8, String)>,
    /// Whether the session's own report may end the match.
    ends_match: bool,
}

/// Gathers the endings of a batch whose other rows are already in the open transaction.
pub(super) async fn gather(
    database: &mut Database,
    batch: &Batch,
    rules: &dyn Rules,
) -> Result<Endings, sqlx::Error> {
    let mut endings = Endings {
        sessions: session_rows(batch),
        matches: Rows::new(&ENDED_MATCHES),
        results: Rows::new(&RESULTS),
        participations: Rows::new(&PARTICIPATIONS),
        slots: Rows::new(&TOURNAMENT_MATCHES),
        lessons: Rows::new(&LESSONS),
        models: Rows::new(&MODELS),
        refused: HashMap::new(),
        changes: Rows::new(&CHANGES),
    };
    if fills_places(batch) {
        server::end_in_turn(&mut database.connection).await?;
    }
    let mut ended = HashSet::new();
    close_matches(database, batch, rules, &mut endings, &mut ended).await?;
    let mut closings = read_sessions(database, batch).await?;
    // Those that can report the result go first.
    closings.sort_by_key(|ending| ending.seat.is_none());
    let mut merges = Vec::new();
    for ending in &closings {
        if ending.ends_match && ended.insert(ending.match_id.as_str().to_owned()) {
            let (result, wins) = ending.result();
            // The teams of matches with foreign referees are unknown.
            let shares = rules.win_shares(&ending.game, "", &result);
            end_match(&mut endings, &ending.match_id, &result, &shares);
            for (seat, share) in wins.iter().enumerate() {
                endings.results.push([
                    (&ending.match_id).into(),
                    (seat as i64).into(),
                    None::<i64>.into(),
                    (*share).into(),
                ]);
            }
        }
        for lesson in &ending.close.lessons {
            ending.learn(lesson, rules, &mut endings.lessons, &mut merges);
        }
    }
    endings.models = merged(database, &merges, rules).await?;
    for ending in &closings {
        let session = Some(ending.session).into();
        endings.changes.push([(&ending.match_id).into(), session]);
    }
    for id in &ended {
        endings.changes.push([id.into(), None::<i64>.into()]);
    }
    Ok(endings)
}

/// Whether a match ends in its place in a tournament, whose matches are counted.
fn fills_places(batch: &Batch) -> bool {
    let mut works = batch.works.iter();
    works.any(|work| matches!(work, Work::Close { result, .. } if result.slot.is_some()))
}

fn closes(batch: &Batch) -> impl Iterator<Item = (&Append, Option<i64>, &Close)> {
    batch.works.iter().filter_map(|work| match work {
        Work::Append { append, last, .. } => {
            append.close.as_deref().map(|close| (append, *last, close))
        }
        _ => None,
    })
}

async fn close_matches(
    database: &mut Database,
    batch: &Batch,
    rules: &dyn Rules,
    endings: &mut Endings,
    ended: &mut HashSet<String>,
) -> Result<(), sqlx::Error> {
    let mut ids = Rows::new(&CLOSING_MATCHES);
    for work in &batch.works {
        if let Work::Close { id, .. } = work {
            ids.push([id.into()]);
        }
    }
    let mut known: HashMap<String, (Option<i64>, String, String)> = HashMap::new();
    for row in &ids.fetch(database).await? {
        let stored = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        known.insert(row.try_get(0)?, stored);
    }
    let is_open = |id: &String| known.get(id).is_some_and(|(ended, ..)| ended.is_none());
    let claimed = take_claimed(database, batch, is_open).await?;
    for work in &batch.works {
        let Work::Close { id, result, .. } = work else {
            continue;
        };
        let stands = result.slot.as_ref().is_none_or(|slot| {
            slot.claim.is_none() || claimed.contains(&(slot.tournament.to_string(), slot.number))
        });
        match known.get(id) {
            None => drop(endings.refused.insert(id.clone(), Refusal::Unknown)),
            Some(_) if !stands => drop(endings.refused.insert(id.clone(), Refusal::Lapsed)),
            Some((None, game, setup)) if ended.insert(id.clone()) => {
                let shares = rules.win_shares(game, setup, result);
                end_match(endings, id, result, &shares);
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Takes those of the open matches out of the queue that end by a claim, where that is the last one: their tournaments and
/// numbers.
async fn take_claimed(
    database: &mut Database,
    batch: &Batch,
    is_open: impl Fn(&String) -> bool,
) -> Result<HashSet<(String, u64)>, sqlx::Error> {
    let mut claims = Rows::new(&CLAIMED_MATCHES);
    for work in &batch.works {
        if let Work::Close { id, result, .. } = work
            && is_open(id)
            && let Some(slot) = &result.slot
            && let Some(claim) = slot.claim
        {
            let (tournament, number) = (slot.tournament.as_ref(), slot.number as i64);
            claims.push([tournament.into(), number.into(), claim.into()]);
        }
    }
    let taken = claims.fetch(database).await?;
    let taken = taken
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get::<i64>(1)? as u64)));
    taken.collect()
}

/// `shares`: each seat's share of the win.
fn end_match(endings: &mut Endings, id: &str, result: &MatchResult, shares: &[f64]) {
    let scores = Value::from_iter(result.scores.iter().copied()).to_string();
    let (cause, detail) = (result.cause.word(), &result.detail);
    endings.matches.push([
        id.into(),
        result.at_us.into(),
        cause.into(),
        result.blame.into(),
        detail.into(),
        scores.into(),
    ]);
    if let Some(slot) = &result.slot {
        endings.slots.push([
            slot.tournament.as_ref().into(),
            (slot.number as i64).into(),
            slot.round.into(),
            slot.table.into(),
            id.into(),
            (slot.seed as i64).into(),
            json!(result.notes).to_string().into(),
        ]);
    }
    participations(id, result, &mut endings.participations);
    for ((seat, score), share) in (0u8..).zip(&result.scores).zip(shares) {
        endings
            .results
            .push([id.into(), seat.into(), (*score).into(), (*share).into()]);
    }
}

/// How the seats took part, as far as that is known.
fn participations(id: &str, result: &MatchResult, rows: &mut Rows) {
    for (seat, part) in (0u8..).zip(&result.participation) {
        if let Some(part) = part {
            rows.push([
                id.into(),
                seat.into(),
                part.how.word().into(),
                part.turn.into(),
                (&part.detail).into(),
                part.decisions.into(),
                part.fallback.into(),
            ]);
        }
    }
}

async fn read_sessions<'a>(
    database: &mut Database,
    batch: &'a Batch,
) -> Result<Vec<Ending<'a>>, sqlx::Error> {
    let closing: HashMap<i64, &Close> = closes(batch)
        .map(|(append, _, close)| (append.session.0, close))
        .collect();
    let mut ids = Rows::new(&CLOSING_SESSIONS);
    for id in closing.keys() {
        ids.push([(*id).into()]);
    }
    let rows = ids.fetch(database).await?;
    let mut endings = Vec::with_capacity(rows.len());
    for row in &rows {
        if let Some(close) = closing.get(&row.try_get(0)?) {
            endings.push(read_session(row, close)?);
        }
    }
    Ok(endings)
}

fn read_session<'a>(row: &Row, close: &'a Close) -> Result<Ending<'a>, sqlx::Error> {
    let player = row.try_get::<&str>(3)? == "player";
    let ours: bool = row.try_get(5)?;
    let ended: Option<i64> = row.try_get(6)?;
    let cause: Option<&str> = row.try_get(7)?;
    let seated = row.try_get::<Option<i64>>(4)?.is_some();
    let scored = row
        .try_get::<Option<&str>>(10)?
        .is_some_and(|scores| scores != "[]");
    // Another of our sessions may have abandoned the match before this one received its end, or may not have
    // known which seats its scores were for.
    let open = ended.is_none()
        || cause == Some(Cause::Unterminated.word())
        || seated && !scored && !close.scores.is_empty();
    Ok(Ending {
        session: row.try_get(0)?,
        close,
        match_id: row.try_get(1)?,
        game: row.try_get(2)?,
        seat: row
            .try_get::<Option<i64>>(4)?
            .and_then(|seat| u8::try_from(seat).ok()),
        seats: row.try_get::<i64>(8)? as usize,
        names: serde_json::from_str(row.try_get(9)?)
            .map_err(|error| sqlx::Error::Decode(error.into()))?,
        ends_match: player && !ours && open,
    })
}

impl Ending<'_> {
    /// The match's result as this session received it, and shares of the win where scores were not given:
    /// rotated from the session's own order of seats to the match's; none if its seat is unknown.
    fn result(&self) -> (MatchResult, Vec<f64>) {
        let (mut scores, mut wins) = match self.seat {
            Some(_) => (self.close.scores.clone(), self.close.wins.clone()),
            None => (Vec::new(), Vec::new()),
        };
        turn(&mut scores, self.seat);
        turn(&mut wins, self.seat);
        let result = MatchResult {
            detail: self.close.detail.clone(),
            ..MatchResult::new(self.close.at_us, self.close.cause, scores)
        };
        (result, wins)
    }

    /// The match's seat for the place that the session's wire calls `rival`.
    fn seat_of(&self, rival: &str, rules: &dyn Rules) -> Option<u8> {
        let place = rules.place(&self.game, rival)?;
        let seats = u8::try_from(self.seats).ok().filter(|seats| *seats > 0)?;
        Some((self.seat? % seats + place % seats) % seats)
    }

    fn learn<'b>(
        &'b self,
        lesson: &'b Lesson,
        rules: &dyn Rules,
        lessons: &mut Rows,
        merges: &mut Vec<Merge<'b>>,
    ) {
        let seat = self.seat_of(&lesson.rival, rules);
        let name = self
            .names
            .iter()
            .find(|(at, _)| Some(*at) == seat)
            .map(|(_, name)| name);
        let mut merge = |kind, name: &str| {
            merges.push(Merge {
                key: (self.game.clone(), kind, name.to_owned()),
                evidence: &lesson.evidence,
                match_id: &self.match_id,
                at_us: self.close.at_us,
            });
        };
        if let Some(name) = name {
            merge("named", name);
        }
        if let Some((kind, fit)) = &lesson.kind
            && *fit >= TYPE_FIT_MIN
        {
            merge("type", kind);
        }
        let kind = lesson.kind.as_ref();
        lessons.push([
            self.session.into(),
            (&self.match_id).into(),
            (&self.game).into(),
            (&lesson.rival).into(),
            seat.into(),
            kind.map(|(kind, _)| kind).into(),
            kind.map(|(_, fit)| *fit).into(),
            lesson.evidence.to_string().into(),
            name.into(),
        ]);
    }
}

/// Rotates values that begin with the own seat to begin with the first.
fn turn<T>(values: &mut [T], seat: Option<u8>) {
    if let (Some(seat), count @ 1..) = (seat, values.len()) {
        values.rotate_right(usize::from(seat) % count);
    }
}

/// The rows that end the batch's sessions.
fn session_rows(batch: &Batch) -> Rows {
    let mut rows = Rows::new(&ENDED_SESSIONS);
    for (append, last, close) in closes(batch) {
        let scores = Value::from_iter(close.scores.iter().copied()).to_string();
        let count = append.seq as i64 + append.entries.len() as i64;
        rows.push([
            append.session.0.into(),
            close.at_us.into(),
            close.cause.word().into(),
            (&close.detail).into(),
            scores.into(),
            last.into(),
            count.into(),
        ]);
    }
    rows
}
