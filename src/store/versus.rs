//! Who did what to whom: results, bluffs and times of our bots against each rival.

use super::error::StoreError;
use super::handle::Store;
use super::history::ONCE;
use super::listing::{Candidates, Found, List};
use super::narrow::{SEAT_SHARE, SESSION_SHARE};
use super::records::{Filter, Score, Times, Trend, Versus, VersusBluffs};
use super::secrecy::OVER;
use games::stats::{ClusteredMean, Moments, Z95, quantile};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row as _};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The newest matches whose results are counted.
const MATCHES_MAX: usize = 4096;
/// The newest of these whose bluffs and times are counted.
const DETAILED_MAX: usize = 128;
/// Rivals told of.
const RIVALS_MAX: usize = 250;
/// Matches that say whether something changes.
const TREND_MIN: usize = 8;

/// Each seat of ours with each other seat, of matches `?1` (JSON) that have ended.
const MEETINGS: &str = "
    WITH wanted AS MATERIALIZED (SELECT value AS id FROM json_each(?1)),
    own AS MATERIALIZED (
        SELECT x.match_id, x.seat, replace(x.bot, 'builtin:', '') AS bot
        FROM wanted w CROSS JOIN sessions x ON x.match_id = w.id
        WHERE x.seat IS NOT NULL AND (x.side = 'player' OR x.bot GLOB 'builtin:*')
        UNION SELECT x.match_id, x.seat, replace(x.spec, 'builtin:', '')
        FROM wanted w CROSS JOIN seats x ON x.match_id = w.id WHERE x.spec GLOB 'builtin:*')
    SELECT o.match_id, o.seat, o.bot, t.seat, t.spec, t.name, t.entrant, m.cause, m.blame,
        r.score, r.win_share, q.score, q.win_share,
        (SELECT count(*) FROM seats n WHERE n.match_id = o.match_id), {over}
    FROM own o CROSS JOIN matches m ON m.id = o.match_id
    JOIN seats t ON t.match_id = o.match_id AND t.seat <> o.seat
    LEFT JOIN results r ON r.match_id = o.match_id AND r.seat = o.seat
    LEFT JOIN results q ON q.match_id = o.match_id AND q.seat = t.seat
    WHERE m.ended_us IS NOT NULL AND (?2 IS NULL OR o.bot = ?2) AND (?3 IS NULL OR t.name = ?3)
        AND (?4 IS NULL OR t.spec = 'builtin:' || ?4)
    ORDER BY o.match_id DESC, o.seat, t.seat";

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

/// A bot's results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BotRecord {
    /// Matches won outright.
    pub won: u64,
    /// Matches won together with others.
    pub tied: u64,
    /// Matches that somebody else won.
    pub lost: u64,
    /// Shares of wins: 1/k for one of k winners.
    pub share: Moments,
}

/// A seat of ours and another one in a match.
struct Meeting {
    match_id: String,
    own: u8,
    rival: u8,
    seats: u8,
    with: String,
    cause: String,
    blame: Option<u8>,
    /// Our share of a win between the two.
    share: Option<f64>,
    over_us: i64,
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
        let rows = sqlx::query(AssertSqlSafe(MEETINGS.replace("{over}", OVER)))
            .bind(found.json())
            .bind(bot)
            .bind(opponent)
            .bind(kind)
            .fetch_all(self.readers())
            .await?;
        let mut met: BTreeMap<String, Vec<Meeting>> = BTreeMap::new();
        for row in &rows {
            let meeting = meeting(row, subject)?;
            met.entry(meeting.with.clone()).or_default().push(meeting);
        }
        let mut met: Vec<(String, Vec<Meeting>)> = met.into_iter().collect();
        met.sort_by_key(|(_, meetings)| std::cmp::Reverse(meetings.len()));
        met.truncate(RIVALS_MAX);
        let open = met.iter().flat_map(|(_, meetings)| meetings);
        let open = open.filter(|meeting| meeting.over_us <= open_us);
        let newest: BTreeSet<&str> = open.map(|meeting| meeting.match_id.as_str()).collect();
        let newest = Value::from_iter(newest.into_iter().rev().take(DETAILED_MAX));
        let details = self.details(&newest.to_string()).await?;
        let versus = |(with, meetings): (String, Vec<Meeting>)| {
            let (own, rival) = (
                details.of(&meetings, |meeting| meeting.own),
                details.of(&meetings, |meeting| meeting.rival),
            );
            Versus {
                rival: with,
                all: score(&meetings),
                seats: by(&meetings, |meeting| meeting.own),
                places: by(&meetings, |meeting| {
                    (meeting.rival + meeting.seats - meeting.own) % meeting.seats.max(1)
                }),
                trend: trend(&meetings),
                causes: causes(&meetings),
                blamed: blamed(&meetings, |meeting| meeting.own),
                rival_blamed: blamed(&meetings, |meeting| meeting.rival),
                own_bluffs: own.0,
                rival_bluffs: rival.0,
                own_times: own.1,
                rival_times: rival.1,
                more: !found.last,
            }
        };
        Ok(met.into_iter().map(versus).collect())
    }

    /// A bot's results in those of its newest 4096 matches that were over for everyone by then (microseconds since
    /// 1970-01-01 UTC), once for each seat.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn bot_record(
        &self,
        game: &str,
        bot: &str,
        over_by_us: i64,
    ) -> Result<BotRecord, StoreError> {
        let filter = Filter {
            game: Some(game.to_owned()),
            bot: Some(bot.to_owned()),
            ..Filter::default()
        };
        let query = format!(
            "SELECT count(*), total(w), total(w * w), total(w = 1), total(w > 0 AND w < 1) FROM (
                 SELECT x.match_id, coalesce(x.seat, -x.id) AS seat, {SESSION_SHARE} AS w
                 FROM json_each(?1) c CROSS JOIN sessions x ON x.match_id = c.value
                 CROSS JOIN matches m ON m.id = x.match_id
                 WHERE x.bot IN (?2, 'builtin:' || ?2) AND ({OVER}) <= ?3
                 UNION SELECT x.match_id, x.seat, {SEAT_SHARE}
                 FROM json_each(?1) c CROSS JOIN seats x ON x.match_id = c.value
                 CROSS JOIN matches m ON m.id = x.match_id
                 WHERE x.spec = 'builtin:' || ?2 AND ({OVER}) <= ?3)
             WHERE w IS NOT NULL"
        );
        let row = sqlx::query(AssertSqlSafe(query))
            .bind(self.newest(&filter).await?.json())
            .bind(bot.to_owned())
            .bind(over_by_us)
            .fetch_one(self.readers())
            .await?;
        let count = row.try_get::<i64, _>(0)? as u64;
        let won = row.try_get::<f64, _>(3)? as u64;
        let tied = row.try_get::<f64, _>(4)? as u64;
        Ok(BotRecord {
            won,
            tied,
            lost: count.saturating_sub(won + tied),
            share: Moments {
                count: count as f64,
                sum: row.try_get(1)?,
                squares: row.try_get(2)?,
            },
        })
    }

    /// The newest matches that may fit.
    async fn newest(&self, filter: &Filter) -> Result<Found, StoreError> {
        let lists = self.has_lists();
        let candidates = Candidates::new(List::Matches, filter, lists, self.readers()).await?;
        candidates.below(None, MATCHES_MAX, self.readers()).await
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
    fn of(&self, meetings: &[Meeting], seat: fn(&Meeting) -> u8) -> (VersusBluffs, Times) {
        let seats = meetings.iter();
        let seats: BTreeSet<SeatOf> = seats
            .map(|meeting| (meeting.match_id.clone(), seat(meeting)))
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
    let took: Vec<i64> = decisions.iter().map(|(took, ..)| *took).collect();
    let count = |is: fn(&&(i64, i64, bool)) -> bool| decisions.iter().filter(is).count() as u64;
    Times {
        decisions: decisions.len() as u64,
        fallbacks: count(|(_, _, fallback)| *fallback),
        late: count(|(took, limit, _)| took > limit),
        p50_us: quantile(&took, 0.5),
        p99_us: quantile(&took, 0.99),
        most_us: took.last().copied(),
    }
}

fn meeting(row: &SqliteRow, subject: Subject<'_>) -> Result<Meeting, StoreError> {
    let bot: String = row.try_get(2)?;
    let (spec, name): (String, Option<String>) = (row.try_get(4)?, row.try_get(5)?);
    let rival = row
        .try_get::<Option<String>, _>(6)?
        .or(name)
        .unwrap_or_else(|| {
            let spec = spec.strip_prefix("builtin:").unwrap_or(&spec);
            spec.to_owned()
        });
    let share = match (
        row.try_get::<Option<i64>, _>(9)?,
        row.try_get::<Option<i64>, _>(11)?,
    ) {
        (Some(own), Some(rival)) => {
            Some(f64::midpoint(1.0, f64::from((own - rival).signum() as i32)))
        }
        _ => {
            let shares: (Option<f64>, Option<f64>) = (row.try_get(10)?, row.try_get(12)?);
            shares
                .0
                .zip(shares.1)
                .map(|(own, rival)| match own.total_cmp(&rival) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 1.0,
                })
        }
    };
    Ok(Meeting {
        match_id: row.try_get(0)?,
        own: row.try_get(1)?,
        rival: row.try_get(3)?,
        seats: row.try_get(13)?,
        with: match subject {
            Subject::Bot(_) => rival,
            Subject::Opponent(_) | Subject::Type(_) => bot,
        },
        cause: row.try_get(7)?,
        blame: row.try_get(8)?,
        share,
        // `None` while any of our sessions goes on.
        over_us: row.try_get::<Option<i64>, _>(14)?.unwrap_or(i64::MAX),
    })
}

/// Meetings of one match are not independent of each other.
fn mean<'a>(meetings: impl Iterator<Item = &'a Meeting>) -> ClusteredMean {
    let mut matches: HashMap<&str, (f64, f64)> = HashMap::new();
    let mut order = Vec::new();
    for meeting in meetings {
        if let Some(share) = meeting.share {
            let sums = matches.entry(&meeting.match_id).or_insert_with(|| {
                order.push(&meeting.match_id);
                (0.0, 0.0)
            });
            *sums = (sums.0 + share, sums.1 + 1.0);
        }
    }
    let mut mean = ClusteredMean::default();
    for id in order {
        if let Some((sum, count)) = matches.get(id.as_str()) {
            mean.add(*sum, *count);
        }
    }
    mean
}

fn score<'a>(meetings: impl IntoIterator<Item = &'a Meeting, IntoIter: Clone>) -> Score {
    let meetings = meetings.into_iter();
    let count = |least: f64, most: f64| {
        let shares = meetings.clone().filter_map(|meeting| meeting.share);
        shares
            .filter(|share| (least..=most).contains(share))
            .count() as u64
    };
    let mean = mean(meetings.clone());
    let (low, high) = mean.share_interval();
    Score {
        games: count(0.0, 1.0),
        won: count(0.75, 1.0),
        tied: count(0.25, 0.75),
        lost: count(0.0, 0.25),
        share: mean.value(),
        low,
        high,
    }
}

/// The score for each number that `key` gives.
fn by(meetings: &[Meeting], key: impl Fn(&Meeting) -> u8) -> BTreeMap<u8, Score> {
    let mut keys: Vec<u8> = meetings.iter().map(&key).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |at: u8| {
        let some: Vec<&Meeting> = meetings
            .iter()
            .filter(|meeting| key(meeting) == at)
            .collect();
        (at, score(some))
    };
    keys.into_iter().map(of).collect()
}

/// The newer half of the meetings beside the older one.
fn trend(meetings: &[Meeting]) -> Option<Trend> {
    let (newer, older) = meetings.split_at(meetings.len() / 2);
    if newer.len() < TREND_MIN / 2 {
        return None;
    }
    let (new, old) = (mean(newer.iter()), mean(older.iter()));
    let change = new.value() - old.value();
    let margin = Z95 * new.error()?.hypot(old.error()?);
    Some(Trend {
        older: score(older),
        newer: score(newer),
        change,
        low: change - margin,
        high: change + margin,
    })
}

fn causes(meetings: &[Meeting]) -> BTreeMap<String, u64> {
    let mut causes = BTreeMap::new();
    for meeting in meetings {
        *causes.entry(meeting.cause.clone()).or_default() += 1;
    }
    causes
}

fn blamed(meetings: &[Meeting], seat: impl Fn(&Meeting) -> u8) -> u64 {
    let at_fault = meetings
        .iter()
        .filter(|meeting| meeting.blame == Some(seat(meeting)));
    at_fault.count() as u64
}
