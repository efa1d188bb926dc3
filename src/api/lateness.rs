//! How often decisions were late, and why: the deadline ledger, summed up by game, bot, match and reason.

use super::known;
use super::ledger::ms;
use super::lists::Rows;
use super::problem::Problem;
use super::query::{LIMIT_MAX, Params, allowed};
use super::reader::Reader;
use super::shapes::{Listed, Paged, time};
use crate::clock;
use crate::history::{self, Filter, GameWord, LedgerLine, PageAt, Standing};
use crate::store::SessionId;
use games::neutral::BUILT_IN;
use games::stats::quantile;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// How many of the newest decisions of all matches are summed up.
const NEWEST: u32 = 10_000;
/// How many of the newest decisions of what is filtered are summed up ...
const CHOSEN_MAX: u32 = 100_000;
/// ... and from how many pages of sessions at most.
const READS_MAX: usize = 40;
/// What decisions are grouped by besides their game.
const GROUPS: [&str; 3] = ["bot", "match", "reason"];

/// Decisions of one game, bot, match or reason, as far as these were asked for.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct LedgerSummary {
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The bot; `null` unless decisions are grouped by it.
    #[schema(example = "champion")]
    pub bot: Option<String>,
    /// The match; `null` unless decisions are grouped by it.
    #[serde(rename = "match")]
    #[schema(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub match_id: Option<String>,
    /// Why they were late or a fallback's, in the words of a match's ledger; `null` for those that were neither, and unless
    /// decisions are grouped by it.
    #[schema(example = "program_late")]
    pub reason: Option<String>,
    /// How many decisions these are.
    pub decisions: usize,
    /// The time of the oldest of these.
    pub since: Timestamp,
    /// How many were late: their answers left after the wire's limit, or a program or bot gave none in time.
    pub late: usize,
    /// Fallbacks' answers.
    pub fallbacks: usize,
    /// Milliseconds until the answer left: half of the decisions took no longer.
    pub sent_ms_p50: f64,
    /// The same for 99 in 100.
    pub sent_ms_p99: f64,
    /// The longest.
    pub sent_ms_max: f64,
    /// The smallest share of its limit that a decision left unused, from 0 to 1; negative if it was late.
    pub spare_min: f64,
    /// Whether there may be older decisions, which are not counted.
    pub more: bool,
}

/// The columns of the table, in order.
pub(super) const COLUMNS: &[&str] = &[
    "game",
    "bot",
    "match",
    "reason",
    "decisions",
    "late",
    "fallbacks",
    "since",
    "sent_ms_p50",
    "sent_ms_p99",
    "sent_ms_max",
    "spare_min",
    "more",
];

/// Which decisions are summed up, and by what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct LedgerFilter {
    /// What decisions are grouped by besides their game: `bot`, `match`, `reason`, or several of these with commas between.
    #[param(example = "bot,reason")]
    pub by: Option<String>,
    /// Only this game.
    #[param(inline, value_type = Option<GameWord>, example = "koehandel")]
    pub game: Option<String>,
    /// Only this bot's; a user's is bot:NAME@VERSION, or bot:NAME for all its versions.
    #[param(example = "champion")]
    pub bot: Option<String>,
    /// Only in matches against this opponent.
    #[param(example = "alice")]
    pub opponent: Option<String>,
    /// How the match ended for the one who decided.
    #[param(inline, example = "lost")]
    pub outcome: Option<Standing>,
    /// Only in this match.
    #[serde(rename = "match")]
    #[param(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub match_id: Option<String>,
    /// Only in matches of this tournament that have ended.
    #[param(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub tournament: Option<String>,
    /// Only in sessions that began at this time or later.
    #[serde(rename = "since", deserialize_with = "clock::read")]
    #[param(value_type = Option<jiff::Timestamp>, example = "2026-01-31T12:00:00Z")]
    pub since_us: Option<i64>,
    /// Only in sessions that began before this time.
    #[serde(rename = "until", deserialize_with = "clock::read")]
    #[param(value_type = Option<jiff::Timestamp>, example = "2126-01-31T12:00:00Z")]
    pub until_us: Option<i64>,
}

impl LedgerFilter {
    fn grouping(&self) -> Result<Grouping, Problem> {
        let mut grouping = Grouping::default();
        for word in self.by.iter().flat_map(|by| by.split(',')) {
            match word.trim() {
                "bot" => grouping.bot = true,
                "match" => grouping.match_id = true,
                "reason" => grouping.reason = true,
                other => {
                    let detail = format!("by is {other:?}; it takes {}", GROUPS.join(", "));
                    return Err(Problem::parameter("by", detail, GROUPS));
                }
            }
        }
        Ok(grouping)
    }

    /// Whether it asks for no more than a game, of which everybody may know how fast it is answered.
    fn is_plain(&self) -> bool {
        let plain = Self {
            game: self.game.clone(),
            ..Self::default()
        };
        *self == plain
    }

    fn filter(&self) -> Filter {
        let chosen = self.clone();
        Filter {
            game: chosen.game,
            bot: chosen.bot,
            opponent: chosen.opponent,
            outcome: chosen.outcome,
            match_id: chosen.match_id,
            tournament: chosen.tournament,
            since_us: chosen.since_us,
            until_us: chosen.until_us,
            ..Filter::default()
        }
    }
}

/// Summaries by game, and by what else is asked for.
pub(super) struct Summaries;

impl Rows for Summaries {
    type Item = LedgerSummary;
    type Filters = LedgerFilter;
    const COLUMNS: &'static [&'static str] = COLUMNS;

    async fn page(reader: &Reader, params: &Params<LedgerFilter>) -> Paged<LedgerSummary> {
        let (at, chosen) = (params.page_or_whole()?, &params.filters);
        if chosen.is_plain() {
            let wanted =
                |sum: &LedgerSummary| chosen.game.as_ref().is_none_or(|game| *game == sum.game);
            let games = newest(reader, NEWEST).await?.into_iter();
            return Listed::cut(games.filter(wanted), &at);
        }
        let sums = chosen_sums(reader, params, chosen.grouping()?).await?;
        let mut listed = Listed::cut(sums, &at)?;
        listed.withheld = reader.sight.withheld();
        Ok(listed)
    }
}

/// A summary for each game of which there are decisions among the newest.
pub(super) async fn newest(reader: &Reader, count: u32) -> Result<Vec<LedgerSummary>, Problem> {
    let mut sums = Sums::default();
    let lines = history::ledger_newest(reader.state.store.reader(), count).await?;
    let more = lines.len() >= count as usize;
    for line in &lines {
        sums.add(line, Key::new(line, line.bot.as_str(), Grouping::default()));
    }
    Ok(sums.shown(more))
}

/// The newest decisions in sessions that the caller sees and that the filters choose.
async fn chosen_sums(
    reader: &Reader,
    params: &Params<LedgerFilter>,
    grouping: Grouping,
) -> Result<Vec<LedgerSummary>, Problem> {
    let filter = allowed(&params.filters.filter(), &reader.sight)?;
    let _turn = reader.turns().wait().await?;
    let (store, sight) = (&reader.state.store, &reader.sight);
    let (mut sums, mut left, mut met) = (Sums::default(), CHOSEN_MAX, false);
    let mut at = PageAt::first(LIMIT_MAX);
    for _ in 0..READS_MAX {
        let page = history::sessions(store.reader(), &filter, &at).await?;
        met |= !page.items.is_empty() || page.next.is_some();
        let seen = page.items.iter().filter(|row| sight.sees(&row.secrecy));
        let seen: Vec<SessionId> = seen.map(|row| row.id).collect();
        let lines = history::ledger_newest_of(store.reader(), &seen, left).await?;
        for line in &lines {
            let bot = sight.spec(&line.bot, line.called.as_deref());
            sums.add(line, Key::new(line, bot, grouping));
        }
        left = left.saturating_sub(u32::try_from(lines.len()).unwrap_or(u32::MAX));
        at.after = page.next;
        if left == 0 || at.after.is_none() {
            break;
        }
    }
    if !met && let Some(unknown) = known::unknown(store, &filter).await? {
        return Err(unknown.into());
    }
    Ok(sums.shown(left == 0 || at.after.is_some()))
}

/// By what decisions are grouped besides their game.
#[derive(Clone, Copy, Default)]
struct Grouping {
    bot: bool,
    match_id: bool,
    reason: bool,
}

/// A group of decisions.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    game: String,
    bot: Option<String>,
    match_id: Option<String>,
    reason: Option<String>,
}

impl Key {
    /// The group of this line, whose bot is shown so.
    fn new(line: &LedgerLine, bot: &str, grouping: Grouping) -> Self {
        let bot = bot.strip_prefix(BUILT_IN).unwrap_or(bot);
        let reason = line.reason().filter(|_| grouping.reason);
        Self {
            game: line.game.clone(),
            bot: grouping.bot.then(|| bot.to_owned()),
            match_id: grouping.match_id.then(|| line.match_id.clone()),
            reason: reason.map(str::to_owned),
        }
    }
}

/// What is summed up of a group.
struct Sum {
    since_us: i64,
    late: usize,
    fallbacks: usize,
    sent_ms: Vec<f64>,
    spare_min: f64,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            since_us: i64::MAX,
            late: 0,
            fallbacks: 0,
            sent_ms: Vec::new(),
            spare_min: 1.0,
        }
    }
}

/// All groups.
#[derive(Default)]
struct Sums(BTreeMap<Key, Sum>);

impl Sums {
    fn add(&mut self, line: &LedgerLine, key: Key) {
        let (sum, row) = (self.0.entry(key).or_default(), line.row);
        let spare = 1.0 - f64::from(row.sent_us) / f64::from(row.limit_us.max(1));
        sum.since_us = sum.since_us.min(row.at_us);
        sum.late += usize::from(line.is_late());
        sum.fallbacks += usize::from(row.fallback);
        sum.sent_ms.push(ms(row.sent_us));
        sum.spare_min = sum.spare_min.min(spare);
    }

    fn shown(self, more: bool) -> Vec<LedgerSummary> {
        let shown = self.0.into_iter().map(|(key, mut sum)| {
            sum.sent_ms.sort_unstable_by(f64::total_cmp);
            let share = |share| quantile(&sum.sent_ms, share).unwrap_or_default();
            LedgerSummary {
                game: key.game,
                bot: key.bot,
                match_id: key.match_id,
                reason: key.reason,
                decisions: sum.sent_ms.len(),
                since: time(sum.since_us),
                late: sum.late,
                fallbacks: sum.fallbacks,
                sent_ms_p50: share(0.5),
                sent_ms_p99: share(0.99),
                sent_ms_max: sum.sent_ms.last().copied().unwrap_or_default(),
                spare_min: sum.spare_min,
                more,
            }
        });
        shown.collect()
    }
}
