//! The deadline ledger: how long each decision took, and what it was allowed.

use super::contents::{Seen, Wanted};
use super::lists::Rows;
use super::problem::Problem;
use super::query::{ByGame, Params};
use super::reader::Reader;
use super::shapes::{Listed, Paged, time};
use crate::history::{self, LedgerLine};
use crate::store::{EntryId, SessionId};
use games::stats::quantile;
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// How many of the newest decisions are summed up.
const NEWEST: u32 = 10_000;

/// One decision's times, in milliseconds from the receipt of what asked for it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Decision)]
pub(super) struct DecisionShown {
    /// Its number in the ledger.
    pub id: i64,
    /// The session.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// The entry that asked.
    #[schema(value_type = i64)]
    pub entry: EntryId,
    /// When that was received.
    pub at: Timestamp,
    /// The wait for the session ended.
    #[schema(example = 0.05)]
    pub queued_ms: f64,
    /// Thinking ended.
    #[schema(example = 41.2)]
    pub thought_ms: f64,
    /// The answer was committed. A sync of the log, where there is one, counts towards what follows.
    #[schema(example = 43.0)]
    pub committed_ms: f64,
    /// The answer was handed to the transport.
    #[schema(example = 43.1)]
    pub sent_ms: f64,
    /// What the wire allowed.
    #[schema(example = 5000.0)]
    pub limit_ms: f64,
    /// Whether the game's default answer was sent, because the bot gave none in time.
    pub fallback: bool,
}

/// The newest 10,000 decisions of a game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct LedgerSummary {
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// Decisions among the newest.
    pub decisions: usize,
    /// The time of the oldest of these.
    pub since: Timestamp,
    /// Answers that left after the wire's limit.
    pub late: usize,
    /// Default answers, because the bot gave none in time.
    pub fallbacks: usize,
    /// Milliseconds until the answer left: half of the decisions took no longer.
    pub sent_ms_p50: f64,
    /// The same for 99 in 100.
    pub sent_ms_p99: f64,
    /// The longest.
    pub sent_ms_max: f64,
    /// The smallest share of its limit that a decision left unused, from 0 to 1; negative if it was late.
    pub spare_min: f64,
}

/// A match's decisions, oldest first.
pub(super) struct Ledger;

impl Rows for Ledger {
    type Item = DecisionShown;
    type Filters = Wanted;
    const FILTERS: &'static [&'static str] = &["seat", "session"];
    const TAGGED: bool = true;
    const REFUSES: &'static [u16] = &[410];

    async fn page(reader: &Reader, params: &Params<Wanted>) -> Paged<DecisionShown> {
        let (seen, at) = (Seen::read(reader, params).await?, params.page_or_all()?);
        let sessions = seen.contents.sessions.iter().map(|row| row.id);
        let sessions: Vec<SessionId> = sessions.collect();
        let lines = history::ledger_page(reader.state.store.reader(), &sessions, &at).await?;
        Ok(seen.listed(reader, lines, shown))
    }
}

/// A summary for each game of which there are decisions among the newest.
pub(super) struct Summaries;

impl Rows for Summaries {
    type Item = LedgerSummary;
    type Filters = ByGame;

    async fn page(reader: &Reader, params: &Params<ByGame>) -> Paged<LedgerSummary> {
        let at = params.page_or_all()?;
        let games = newest(reader, NEWEST).await?.into_iter();
        let games = games.filter(|sum| params.filters.has(&sum.game));
        Listed::cut(games, &at)
    }
}

/// A summary for each game of which there are decisions among the newest.
pub(super) async fn newest(reader: &Reader, count: u32) -> Result<Vec<LedgerSummary>, Problem> {
    let mut by_game: BTreeMap<String, Vec<LedgerLine>> = BTreeMap::new();
    for line in history::ledger_newest(reader.state.store.reader(), count).await? {
        by_game.entry(line.game.clone()).or_default().push(line);
    }
    let games = by_game.into_iter();
    Ok(games.map(|(game, lines)| summed(game, &lines)).collect())
}

fn summed(game: String, lines: &[LedgerLine]) -> LedgerSummary {
    let mut sent: Vec<f64> = lines.iter().map(|line| ms(line.row.sent_us)).collect();
    sent.sort_unstable_by(f64::total_cmp);
    let spare = lines.iter().map(|line| {
        let limit = f64::from(line.row.limit_us.max(1));
        1.0 - f64::from(line.row.sent_us) / limit
    });
    let late = lines
        .iter()
        .filter(|line| line.row.sent_us > line.row.limit_us);
    let fallbacks = lines.iter().filter(|line| line.row.fallback);
    let since_us = lines.iter().map(|line| line.row.at_us).min();
    LedgerSummary {
        game,
        decisions: lines.len(),
        since: time(since_us.unwrap_or_default()),
        late: late.count(),
        fallbacks: fallbacks.count(),
        sent_ms_p50: quantile(&sent, 0.5).unwrap_or_default(),
        sent_ms_p99: quantile(&sent, 0.99).unwrap_or_default(),
        sent_ms_max: sent.last().copied().unwrap_or_default(),
        spare_min: spare.fold(1.0, f64::min),
    }
}

fn ms(us: u32) -> f64 {
    f64::from(us) / 1000.0
}

fn shown(line: LedgerLine) -> DecisionShown {
    let row = line.row;
    DecisionShown {
        id: line.id,
        session: row.session,
        entry: row.entry,
        at: time(row.at_us),
        queued_ms: ms(row.queued_us),
        thought_ms: ms(row.thought_us),
        committed_ms: ms(row.committed_us),
        sent_ms: ms(row.sent_us),
        limit_ms: ms(row.limit_us),
        fallback: row.fallback,
    }
}
