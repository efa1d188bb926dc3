//! Who did what to whom: results, bluffs and times of our bots against each rival.

use super::contents::{AT_LEAST, ONCE};
use super::ledger::{self, SeatOf, Took, took_by_seat};
use super::listing::{MATCHES, found};
use super::meetings::{Ended, Meeting, Subject, ended, meetings};
use super::pages::Found;
use super::records::{Filter, PageAt, Score, Standing, Times, Trend, Versus, VersusBluffs};
use crate::store::sql::query_as;
use crate::store::{Reader, StoreError};
use games::stats::ClusteredMean;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The newest matches whose results are counted.
pub(super) const MATCHES_MAX: usize = 4096;
/// The newest that are examined for these, where a bot or opponent plays other games, too.
const EXAMINED_MAX: usize = 5 * MATCHES_MAX;
/// The newest of these whose bluffs and times are counted.
const DETAILED_MAX: usize = 128;
/// Rivals that are reported.
const RIVALS_MAX: usize = 250;
/// Matches that say whether something changes.
const TREND_MIN: usize = 8;

/// The record of a bot or an opponent in a game against the 250 most often met, these first: of its newest 4096
/// matches, with bluffs and times of the newest 128 of those that were over by `open_us` (microseconds since
/// 1970-01-01 UTC).
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn versus(
    reader: &Reader,
    game: &str,
    subject: Subject<'_>,
    open_us: i64,
    called: &(dyn Fn(&str) -> String + Sync),
) -> Result<Vec<Versus>, StoreError> {
    let (bot, opponent) = match subject {
        Subject::Bot(name) | Subject::Type(name) => (Some(name), None),
        Subject::Opponent(name) => (None, Some(name)),
    };
    let filter = Filter {
        game: Some(game.to_owned()),
        bot: bot.map(str::to_owned),
        opponent: opponent.map(str::to_owned),
        ..Filter::default()
    };
    let found = newest(reader, &filter).await?;
    let ended = ended(reader, &found).await?;
    let mut met: BTreeMap<String, Vec<Meeting<'_>>> = BTreeMap::new();
    for meeting in meetings(reader, &found, subject, &ended).await? {
        met.entry(called(&meeting.with)).or_default().push(meeting);
    }
    let mut met: Vec<(String, Vec<Meeting<'_>>)> = met.into_iter().collect();
    met.sort_by_key(|(_, meetings)| std::cmp::Reverse(meetings.len()));
    met.truncate(RIVALS_MAX);
    let all = met.iter().flat_map(|(_, meetings)| meetings);
    let open = all.filter(|meeting| meeting.at.is_open(open_us));
    let newest: BTreeSet<&str> = open.map(|meeting| meeting.at.id.as_str()).collect();
    let newest: BTreeSet<&str> = newest.into_iter().rev().take(DETAILED_MAX).collect();
    let wanted = Value::from_iter(newest.iter().copied());
    let details = details(reader, &wanted.to_string()).await?;
    let versus = |(with, meetings): (String, Vec<Meeting<'_>>)| {
        let (own, rival) = (
            details.totals(&meetings, |meeting| meeting.own),
            details.totals(&meetings, |meeting| meeting.rival),
        );
        let matches = matches(&meetings);
        let count =
            |is: &dyn Fn(&Ended) -> bool| matches.iter().filter(|one| is(one)).count() as u64;
        Versus {
            rival: with,
            matches: matches.len() as u64,
            all: score(&meetings),
            win_share: win_share(&meetings),
            seats: by(&meetings, |meeting| meeting.own),
            places: by(&meetings, |meeting| meeting.place()),
            trend: trend(&meetings),
            causes: causes(&matches),
            blamed: blamed(&meetings, |meeting| meeting.own),
            rival_blamed: blamed(&meetings, |meeting| meeting.rival),
            detailed: count(&|one| newest.contains(one.id.as_str())),
            hidden: count(&|one| !one.is_open(open_us)),
            own_bluffs: own.0,
            rival_bluffs: rival.0,
            own_times: own.1,
            rival_times: rival.1,
            more: found.next.is_some(),
        }
    };
    Ok(met.into_iter().map(versus).collect())
}

/// The newest matches of a filter whose results are counted.
pub(super) async fn newest(reader: &Reader, filter: &Filter) -> Result<Found, StoreError> {
    let at = PageAt::first(MATCHES_MAX as u32);
    found(reader, &MATCHES, filter, &at, EXAMINED_MAX).await
}

/// What the seats of these matches (a JSON list) bluffed, and how long they decided.
async fn details(reader: &Reader, matches: &str) -> Result<Details, StoreError> {
    let mut details = Details::default();
    let bluffs = format!(
        "SELECT s.match_id, (s.seat + b.place) % (SELECT count(*) FROM seats n WHERE n.match_id = s.match_id),
             iif({AT_LEAST}, NULL, b.bid), b.held, b.caught
         FROM json_each($1) w CROSS JOIN sessions s ON s.match_id = w.value
         CROSS JOIN bluffs b ON b.session = s.id WHERE s.seat + b.place IS NOT NULL AND {ONCE}"
    );
    let rows: Vec<BluffOfSeat> = query_as(bluffs)
        .bind(matches.to_owned())
        .fetch_all(reader.pool())
        .await?;
    for (id, seat, bid, held, caught) in rows {
        let bluffs = details.bluffs.entry((id, seat)).or_default();
        bluffs.push((bid, held, caught));
    }
    details.times = took_by_seat(reader, matches).await?;
    Ok(details)
}

/// A bluff: what was bid and held, and whether it was caught.
type BluffOf = (Option<i64>, Option<i64>, bool);
/// The same with its seat.
type BluffOfSeat = (String, u8, Option<i64>, Option<i64>, bool);

/// Of seats: bluffs as bid, held and caught; decisions.
#[derive(Default)]
struct Details {
    bluffs: HashMap<SeatOf, Vec<BluffOf>>,
    times: HashMap<SeatOf, Vec<Took>>,
}

impl Details {
    fn totals(
        &self,
        meetings: &[Meeting<'_>],
        seat: fn(&Meeting<'_>) -> u8,
    ) -> (VersusBluffs, Times) {
        let seats = meetings.iter();
        let seats: BTreeSet<SeatOf> = seats
            .map(|meeting| (meeting.at.id.clone(), seat(meeting)))
            .collect();
        let bluffs = seats.iter().filter_map(|at| self.bluffs.get(at)).flatten();
        let times = seats.iter().filter_map(|at| self.times.get(at)).flatten();
        (
            bluffed(&bluffs.collect::<Vec<_>>()),
            ledger::times(times.copied().collect()),
        )
    }
}

fn bluffed(bluffs: &[&BluffOf]) -> VersusBluffs {
    let mean = |amounts: Vec<i64>| {
        let sum: i64 = amounts.iter().sum();
        (!amounts.is_empty()).then(|| sum as f64 / amounts.len() as f64)
    };
    let over = |(bid, held, _): &&BluffOf| Some((*bid)? - (*held)?);
    VersusBluffs {
        count: bluffs.len() as u64,
        caught: bluffs.iter().filter(|(.., caught)| *caught).count() as u64,
        bid: mean(bluffs.iter().filter_map(|(bid, ..)| *bid).collect()),
        held: mean(bluffs.iter().filter_map(|(_, held, _)| *held).collect()),
        over: mean(bluffs.iter().filter_map(over).collect()),
    }
}

/// The matches of these meetings, each once, newest first.
fn matches<'a>(meetings: &[Meeting<'a>]) -> Vec<&'a Ended> {
    let mut matches: Vec<&Ended> = meetings.iter().map(|meeting| meeting.at).collect();
    matches.dedup_by_key(|ended| &ended.id);
    matches
}

/// Meetings of one match are not independent of each other. They come match by match.
fn mean(meetings: &[&Meeting<'_>]) -> ClusteredMean {
    let mut mean = ClusteredMean::default();
    for one in meetings.chunk_by(|one, other| one.at.id == other.at.id) {
        let shares = one.iter().filter_map(|meeting| meeting.share());
        let (sum, count) =
            shares.fold((0.0, 0.0), |(sum, count), share| (sum + share, count + 1.0));
        mean.add(sum, count);
    }
    mean
}

fn score<'a, 'b: 'a>(meetings: impl IntoIterator<Item = &'a Meeting<'b>>) -> Score {
    let meetings: Vec<&Meeting<'_>> = meetings.into_iter().collect();
    let shares: Vec<f64> = meetings
        .iter()
        .filter_map(|meeting| meeting.share())
        .collect();
    let count = |of: Standing| {
        let such = shares
            .iter()
            .filter(|share| Standing::of_share(**share) == of);
        such.count() as u64
    };
    let mean = mean(&meetings);
    let (pair_score_low, pair_score_high) = mean.share_interval();
    Score {
        games: shares.len() as u64,
        won: count(Standing::Won),
        tied: count(Standing::Tied),
        lost: count(Standing::Lost),
        pair_score: mean.value(),
        pair_score_low,
        pair_score_high,
    }
}

/// The mean share of the win of our seats, each once.
fn win_share(meetings: &[Meeting<'_>]) -> Option<f64> {
    let mut seats: Vec<(&Ended, u8)> = meetings
        .iter()
        .map(|meeting| (meeting.at, meeting.own))
        .collect();
    seats.dedup_by_key(|(ended, own)| (&ended.id, *own));
    let shares = seats
        .iter()
        .filter_map(|(ended, own)| ended.results.get(usize::from(*own))?.1);
    let shares: Vec<f64> = shares.collect();
    (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
}

/// The score for each number that `key` gives.
fn by(meetings: &[Meeting<'_>], key: impl Fn(&Meeting<'_>) -> u8) -> BTreeMap<u8, Score> {
    let keys: BTreeSet<u8> = meetings.iter().map(&key).collect();
    let of = |at: u8| {
        let some = meetings.iter().filter(|meeting| key(meeting) == at);
        (at, score(some))
    };
    keys.into_iter().map(of).collect()
}

/// The newer half of the matches next to the older one, with the interval of a difference between two shares whose
/// own intervals are known (Newcombe's).
fn trend(meetings: &[Meeting<'_>]) -> Option<Trend> {
    let counted: Vec<&Meeting<'_>> = meetings
        .iter()
        .filter(|meeting| meeting.share().is_some())
        .collect();
    let matches: Vec<&[&Meeting<'_>]> = counted
        .chunk_by(|one, other| one.at.id == other.at.id)
        .collect();
    if matches.len() < TREND_MIN {
        return None;
    }
    let (newer, older) = matches.split_at(matches.len() / 2);
    let score = |half: &[&[&Meeting<'_>]]| score(half.iter().copied().flatten().copied());
    let (newer, older) = (score(newer), score(older));
    let ends = |of: &Score| {
        let (at, low, high) = (of.pair_score, of.pair_score_low, of.pair_score_high);
        (at - low, high - at)
    };
    let (newer_ends, older_ends) = (ends(&newer), ends(&older));
    let change = newer.pair_score - older.pair_score;
    let (down, up) = (
        newer_ends.0.hypot(older_ends.1),
        newer_ends.1.hypot(older_ends.0),
    );
    Some(Trend {
        change,
        low: (change - down).max(-1.0),
        high: (change + up).min(1.0),
        older,
        newer,
    })
}

fn causes(matches: &[&Ended]) -> BTreeMap<String, u64> {
    let mut causes = BTreeMap::new();
    for ended in matches {
        *causes.entry(ended.cause.clone()).or_default() += 1;
    }
    causes
}

/// In how many matches the end was the fault of one of these seats.
fn blamed(meetings: &[Meeting<'_>], seat: impl Fn(&Meeting<'_>) -> u8) -> u64 {
    let at_fault = meetings
        .iter()
        .filter(|meeting| meeting.at.blame == Some(seat(meeting)));
    let at_fault: BTreeSet<&str> = at_fault.map(|meeting| meeting.at.id.as_str()).collect();
    at_fault.len() as u64
}
