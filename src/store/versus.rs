//! Who did what to whom: results, bluffs and times of our bots against each rival.

use super::bots::OWN;
use super::error::StoreError;
use super::handle::Store;
use super::history::ONCE;
use super::listing::{Candidates, Found, List};
use super::records::{Filter, Score, Times, Trend, Versus, VersusBluffs};
use super::secrecy::OVER;
use games::stats::{ClusteredMean, quantile};
use games::{Cause, Kit, Outcome};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row as _};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The newest matches whose results are counted.
pub(super) const MATCHES_MAX: usize = 4096;
/// The newest of these whose bluffs and times are counted.
const DETAILED_MAX: usize = 128;
/// Rivals told of.
const RIVALS_MAX: usize = 250;
/// Matches that say whether something changes.
const TREND_MIN: usize = 8;

/// Each seat of ours with each other seat, of matches `?1` (JSON) that have ended.
const MEETINGS: &str = "
    WITH own AS MATERIALIZED ({own})
    SELECT o.match_id, o.place, o.bot, t.seat, t.spec, t.name, t.entrant
    FROM own o CROSS JOIN matches m ON m.id = o.match_id
    JOIN seats t ON t.match_id = o.match_id AND t.seat <> o.place
    WHERE m.ended_us IS NOT NULL AND o.place >= 0
        AND (?2 IS NULL OR o.bot = ?2) AND (?3 IS NULL OR t.name = ?3)
        AND (?4 IS NULL OR t.spec = 'builtin:' || ?4)
    ORDER BY o.match_id DESC, o.place, t.seat";

/// How each seat of these matches did.
const ENDED: &str = "
    SELECT m.id, m.cause, m.blame, {over}, t.seat, r.score, r.win_share
    FROM json_each(?) w CROSS JOIN matches m ON m.id = w.value
    JOIN seats t ON t.match_id = m.id LEFT JOIN results r ON r.match_id = m.id AND r.seat = t.seat
    WHERE m.ended_us IS NOT NULL ORDER BY m.id DESC, t.seat";

/// Whose record against whom.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A bot of ours, against each rival.
    Bot(&'a str),
    /// A named opponent, against each bot of ours.
    Opponent(&'a str),
    /// A learnt type, against each bot of ours: the built-in bot that has its name.
    Type(&'a str),
}

/// A match that has ended.
struct Ended {
    id: String,
    cause: String,
    blame: Option<u8>,
    /// `None` while any of our sessions goes on.
    over_us: Option<i64>,
    /// By seat: score and share of the win, where known.
    results: Vec<(Option<i64>, Option<f64>)>,
    /// By seat: the team, where there are teams.
    teams: Option<Vec<u8>>,
    /// By two seats: the first one's share, where that counts.
    duels: HashMap<(u8, u8), f64>,
}

/// A seat of ours and another one in a match.
struct Meeting<'a> {
    at: &'a Ended,
    own: u8,
    rival: u8,
    with: String,
}

impl Ended {
    /// What counts between each two seats: what the game says, where all scores are known; else who has the greater
    /// share of the win. Allies have no results against each other.
    fn count(&mut self, kit: Option<&dyn Kit>) {
        let scores: Option<Vec<i64>> = self.results.iter().map(|(score, _)| *score).collect();
        let cause = Cause::from_word(&self.cause);
        if let (Some(kit), Some(scores), Some(cause)) = (kit, scores, cause) {
            let scores = scores.into_iter().collect();
            for duel in kit.duels(&Outcome { cause, scores }) {
                let (first, second) = (duel.first.0, duel.second.0);
                self.duels.insert((first, second), duel.share);
                self.duels.insert((second, first), 1.0 - duel.share);
            }
        } else {
            let shares = (0_u8..).zip(&self.results);
            let known = shares.filter_map(|(seat, (_, share))| Some((seat, (*share)?)));
            let known: Vec<(u8, f64)> = known.collect();
            for (first, one) in &known {
                for (second, other) in &known {
                    // Two that have lost may have lost to each other too.
                    let share = match one.total_cmp(other) {
                        Ordering::Less => 0.0,
                        Ordering::Greater => 1.0,
                        Ordering::Equal if *one > 0.0 && cause == Some(Cause::Normal) => 0.5,
                        Ordering::Equal => continue,
                    };
                    if first != second {
                        self.duels.insert((*first, *second), share);
                    }
                }
            }
        }
        if let Some(teams) = &self.teams {
            let team = |seat: u8| teams.get(usize::from(seat));
            self.duels
                .retain(|(one, other), _| team(*one) != team(*other));
        }
    }

    /// Whether what happened in it may be told.
    fn is_open(&self, open_us: i64) -> bool {
        self.over_us.is_some_and(|over_us| over_us <= open_us)
    }

    fn are_allies(&self, one: u8, other: u8) -> bool {
        let team = |seat: u8| self.teams.as_ref()?.get(usize::from(seat));
        team(one).is_some() && team(one) == team(other)
    }
}

impl Meeting<'_> {
    /// Our share of a win between the two.
    fn share(&self) -> Option<f64> {
        self.at.duels.get(&(self.own, self.rival)).copied()
    }

    /// How many seats clockwise from ours the rival sits.
    fn place(&self) -> u8 {
        let seats = self.at.results.len().max(1) as u8;
        (self.rival + seats - self.own % seats) % seats
    }
}

impl Store {
    /// The record of a bot or an opponent in a game against the 250 most often met, these first: of its newest 4096
    /// matches, with bluffs and times of the newest 128 of those that were over by `open_us` (microseconds since
    /// 1970-01-01 UTC).
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn versus(
        &self,
        game: &str,
        subject: Subject<'_>,
        open_us: i64,
    ) -> Result<Vec<Versus>, StoreError> {
        let (bot, opponent, kind) = match subject {
            Subject::Bot(name) => (Some(name.to_owned()), None, None),
            Subject::Opponent(name) => (None, Some(name.to_owned()), None),
            Subject::Type(name) => (None, None, Some(name.to_owned())),
        };
        let filter = Filter {
            game: Some(game.to_owned()),
            bot: bot.clone().or_else(|| kind.clone()),
            opponent: opponent.clone(),
            ..Filter::default()
        };
        let found = self.newest(&filter).await?;
        let ended = self.ended(&found, game).await?;
        let by_id: HashMap<&str, &Ended> = ended.iter().map(|one| (one.id.as_str(), one)).collect();
        let rows = sqlx::query(AssertSqlSafe(MEETINGS.replace("{own}", OWN)))
            .bind(found.json())
            .bind(bot)
            .bind(opponent)
            .bind(kind)
            .fetch_all(self.readers())
            .await?;
        let mut met: BTreeMap<String, Vec<Meeting<'_>>> = BTreeMap::new();
        for row in &rows {
            if let Some(meeting) = meeting(row, subject, &by_id)? {
                met.entry(meeting.with.clone()).or_default().push(meeting);
            }
        }
        let mut met: Vec<(String, Vec<Meeting<'_>>)> = met.into_iter().collect();
        met.sort_by_key(|(_, meetings)| std::cmp::Reverse(meetings.len()));
        met.truncate(RIVALS_MAX);
        let all = met.iter().flat_map(|(_, meetings)| meetings);
        let open = all.filter(|meeting| meeting.at.is_open(open_us));
        let newest: BTreeSet<&str> = open.map(|meeting| meeting.at.id.as_str()).collect();
        let newest: BTreeSet<&str> = newest.into_iter().rev().take(DETAILED_MAX).collect();
        let wanted = Value::from_iter(newest.iter().copied());
        let details = self.details(&wanted.to_string()).await?;
        let versus = |(with, meetings): (String, Vec<Meeting<'_>>)| {
            let (own, rival) = (
                details.of(&meetings, |meeting| meeting.own),
                details.of(&meetings, |meeting| meeting.rival),
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
                more: !found.last,
            }
        };
        Ok(met.into_iter().map(versus).collect())
    }

    /// The newest matches of a filter whose results are counted.
    pub(super) async fn newest(&self, filter: &Filter) -> Result<Found, StoreError> {
        let lists = self.has_lists();
        let candidates = Candidates::new(List::Matches, filter, lists, self.readers()).await?;
        candidates.below(None, MATCHES_MAX, self.readers()).await
    }

    /// How these matches of a game ended, newest first.
    async fn ended(&self, found: &Found, game: &str) -> Result<Vec<Ended>, StoreError> {
        let rows = sqlx::query(AssertSqlSafe(ENDED.replace("{over}", OVER)))
            .bind(found.json())
            .fetch_all(self.readers())
            .await?;
        let kit = self.kit(game);
        let mut teams = self.teams(found, kit).await?;
        let mut all: Vec<Ended> = Vec::new();
        for row in &rows {
            let id: String = row.try_get(0)?;
            if all.last().is_none_or(|last| last.id != id) {
                all.push(Ended {
                    cause: row.try_get(1)?,
                    blame: row.try_get(2)?,
                    over_us: row.try_get(3)?,
                    results: Vec::new(),
                    teams: teams.remove(&id),
                    duels: HashMap::new(),
                    id,
                });
            }
            if let Some(last) = all.last_mut() {
                last.results.push((row.try_get(5)?, row.try_get(6)?));
            }
        }
        all.iter_mut().for_each(|ended| ended.count(kit));
        Ok(all)
    }

    /// The teams of these matches, in a game that has teams.
    async fn teams(
        &self,
        found: &Found,
        kit: Option<&dyn Kit>,
    ) -> Result<HashMap<String, Vec<u8>>, StoreError> {
        let Some(kit) = kit.filter(|kit| kit.team_fact().is_some()) else {
            return Ok(HashMap::new());
        };
        let rows: Vec<(String, String)> = sqlx::query_as(
            "SELECT m.id, m.setup FROM json_each(?) w CROSS JOIN matches m ON m.id = w.value
             WHERE m.setup IS NOT NULL",
        )
        .bind(found.json())
        .fetch_all(self.readers())
        .await?;
        let teams = rows.into_iter();
        Ok(teams
            .filter_map(|(id, setup)| Some((id, kit.teams(&setup)?)))
            .collect())
    }

    /// What the seats of these matches (a JSON list) bluffed, and how long they decided.
    async fn details(&self, matches: &str) -> Result<Details, StoreError> {
        let mut details = Details::default();
        let bluffs = format!(
            "SELECT s.match_id, (s.seat + b.place) % (SELECT count(*) FROM seats n WHERE n.match_id = s.match_id),
                 b.bid, b.held, b.caught
             FROM json_each(?) w CROSS JOIN sessions s ON s.match_id = w.value
             CROSS JOIN bluffs b ON b.session = s.id WHERE s.seat + b.place IS NOT NULL AND {ONCE}"
        );
        let rows: Vec<(String, u8, i64, Option<i64>, bool)> = sqlx::query_as(AssertSqlSafe(bluffs))
            .bind(matches.to_owned())
            .fetch_all(self.readers())
            .await?;
        for (id, seat, bid, held, caught) in rows {
            let bluffs = details.bluffs.entry((id, seat)).or_default();
            bluffs.push((bid, held, caught));
        }
        let rows: Vec<(String, u8, i64, i64, bool)> = sqlx::query_as(
            "SELECT s.match_id, s.seat, l.sent_us, l.limit_us, l.fallback
             FROM json_each(?) w CROSS JOIN sessions s ON s.match_id = w.value
             CROSS JOIN ledger l ON l.session = s.id WHERE s.seat IS NOT NULL",
        )
        .bind(matches.to_owned())
        .fetch_all(self.readers())
        .await?;
        for (id, seat, took, limit, fallback) in rows {
            let times = details.times.entry((id, seat)).or_default();
            times.push((took, limit, fallback));
        }
        Ok(details)
    }
}

/// A seat of a match.
type SeatOf = (String, u8);

/// Of seats: bluffs as bid, held and caught; decisions as time, limit and fallback.
#[derive(Default)]
struct Details {
    bluffs: HashMap<SeatOf, Vec<(i64, Option<i64>, bool)>>,
    times: HashMap<SeatOf, Vec<(i64, i64, bool)>>,
}

impl Details {
    fn of(&self, meetings: &[Meeting<'_>], seat: fn(&Meeting<'_>) -> u8) -> (VersusBluffs, Times) {
        let seats = meetings.iter();
        let seats: BTreeSet<SeatOf> = seats
            .map(|meeting| (meeting.at.id.clone(), seat(meeting)))
            .collect();
        let bluffs = seats.iter().filter_map(|at| self.bluffs.get(at)).flatten();
        let times = seats.iter().filter_map(|at| self.times.get(at)).flatten();
        (
            bluffed(&bluffs.collect::<Vec<_>>()),
            took(times.copied().collect()),
        )
    }
}

fn bluffed(bluffs: &[&(i64, Option<i64>, bool)]) -> VersusBluffs {
    let mean = |amounts: Vec<i64>| {
        let sum: i64 = amounts.iter().sum();
        (!amounts.is_empty()).then(|| sum as f64 / amounts.len() as f64)
    };
    let over = |(bid, held, _): &&(i64, Option<i64>, bool)| held.map(|held| bid - held);
    VersusBluffs {
        count: bluffs.len() as u64,
        caught: bluffs.iter().filter(|(.., caught)| *caught).count() as u64,
        bid: mean(bluffs.iter().map(|(bid, ..)| *bid).collect()),
        held: mean(bluffs.iter().filter_map(|(_, held, _)| *held).collect()),
        over: mean(bluffs.iter().filter_map(over).collect()),
    }
}

fn took(mut decisions: Vec<(i64, i64, bool)>) -> Times {
    decisions.sort_unstable();
    let took: Vec<f64> = decisions
        .iter()
        .map(|(took_us, ..)| *took_us as f64 / 1e3)
        .collect();
    let count = |is: fn(&&(i64, i64, bool)) -> bool| decisions.iter().filter(is).count() as u64;
    Times {
        decisions: decisions.len() as u64,
        fallbacks: count(|(_, _, fallback)| *fallback),
        late: count(|(took, limit, _)| took > limit),
        sent_ms_p50: quantile(&took, 0.5),
        sent_ms_p99: quantile(&took, 0.99),
        sent_ms_max: took.last().copied(),
    }
}

/// Our seats and others as this one row has them; `None` for allies, and for what is told by the rival's row.
fn meeting<'a>(
    row: &SqliteRow,
    subject: Subject<'_>,
    ended: &HashMap<&str, &'a Ended>,
) -> Result<Option<Meeting<'a>>, StoreError> {
    let (id, bot): (&str, String) = (row.try_get(0)?, row.try_get(2)?);
    let (own, rival): (u8, u8) = (row.try_get(1)?, row.try_get(3)?);
    let (spec, name): (String, Option<String>) = (row.try_get(4)?, row.try_get(5)?);
    let met = row.try_get::<Option<String>, _>(6)?.or(name);
    let met = met.unwrap_or_else(|| {
        let spec = spec.strip_prefix("builtin:").unwrap_or(&spec);
        spec.to_owned()
    });
    let Some(at) = ended.get(id).filter(|at| !at.are_allies(own, rival)) else {
        return Ok(None);
    };
    if met == bot && own > rival {
        return Ok(None);
    }
    let with = match subject {
        Subject::Bot(_) => met,
        Subject::Opponent(_) | Subject::Type(_) => bot,
    };
    Ok(Some(Meeting {
        at,
        own,
        rival,
        with,
    }))
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
    let count = |is: fn(f64) -> bool| shares.iter().filter(|share| is(**share)).count() as u64;
    let mean = mean(&meetings);
    let (pair_score_low, pair_score_high) = mean.share_interval();
    Score {
        games: shares.len() as u64,
        won: count(|share| share > 0.75),
        tied: count(|share| (0.25..=0.75).contains(&share)),
        lost: count(|share| share < 0.25),
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

/// The newer half of the matches beside the older one, with the interval of a difference between two shares whose
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

#[cfg(test)]
mod tests {
    use super::Ended;
    use games::Cause;
    use std::collections::HashMap;

    fn ended(game: &str, cause: Cause, results: Vec<(Option<i64>, Option<f64>)>) -> Ended {
        let teams = (game == "planetwars").then(|| vec![1, 1, 2, 2]);
        let mut ended = Ended {
            id: "1".into(),
            cause: cause.word().into(),
            blame: None,
            over_us: Some(1),
            results,
            teams,
            duels: HashMap::new(),
        };
        ended.count(games::find(game));
        ended
    }

    fn scores(scores: &[i64]) -> Vec<(Option<i64>, Option<f64>)> {
        scores.iter().map(|score| (Some(*score), None)).collect()
    }

    fn wins(shares: &[f64]) -> Vec<(Option<i64>, Option<f64>)> {
        shares.iter().map(|share| (None, Some(*share))).collect()
    }

    #[test]
    fn what_counts_between_two_is_what_the_game_says() {
        let duel = |ended: &Ended, pair| ended.duels.get(&pair).copied();
        let all = ended("planowanie", Cause::Normal, scores(&[5, 5, 2]));
        assert_eq!(
            (duel(&all, (0, 1)), duel(&all, (2, 1))),
            (Some(0.5), Some(0.0))
        );
        // Of a game that ended by a fault, only the results of who is at fault.
        let fault = ended("planowanie", Cause::TimeForfeit, scores(&[-1, 5, 2]));
        assert_eq!(
            (duel(&fault, (1, 0)), duel(&fault, (1, 2))),
            (Some(1.0), None)
        );
        let teams = ended("planetwars", Cause::Normal, scores(&[9, 9, 3, 3]));
        assert_eq!(
            (duel(&teams, (0, 1)), duel(&teams, (0, 3))),
            (None, Some(1.0))
        );
        assert!(teams.are_allies(2, 3) && !teams.are_allies(1, 2) && !all.are_allies(0, 1));
        // Where only the winner is told, two losers may have lost to each other too.
        let told = ended("smartdog", Cause::Normal, wins(&[0.5, 0.0, 0.5, 0.0]));
        assert_eq!(
            (duel(&told, (0, 2)), duel(&told, (1, 2))),
            (Some(0.5), Some(0.0))
        );
        assert_eq!(duel(&told, (1, 3)), None);
        let given_up = ended("smartdog", Cause::Disconnect, wins(&[0.5, 0.0, 0.5]));
        assert_eq!(
            (duel(&given_up, (0, 2)), duel(&given_up, (0, 1))),
            (None, Some(1.0))
        );
    }
}
