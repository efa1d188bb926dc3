//! What shadows said: in a match, and summed up.

use super::known::unknown_bot;
use super::lists::Rows;
use super::matches::Seen;
use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::shapes::Listed;
use super::sight::WITHHELD;
use crate::histogram::Histogram;
use crate::session::ShadowReport;
use crate::store::{SessionId, ShadowCounts, ShadowTally, StoreError};
use games::stats::ClusteredMean;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Sessions that are summed up.
const SUMMED_MAX: u32 = 10_000;

/// What became of a shadow's decisions, and how long both took for them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ShadowFigures {
    /// Decisions that the shadow was asked for; those with one legal answer are not counted.
    pub decisions: u64,
    /// Its answer was what was sent.
    pub agreed: u64,
    /// It was legal, in time, and another one.
    pub differed: u64,
    /// It was not legal.
    pub illegal: u64,
    /// There was none in time.
    pub late: u64,
    /// The shadow crashed, hung or was not running.
    pub failed: u64,
    /// Decisions beside these that it was not asked for, because it was too far behind.
    pub skipped: u64,
    /// Half of the playing bot's answers took no longer, from the message to the answer, in milliseconds.
    pub bot_ms_p50: Option<f64>,
    /// The same of 99 in 100.
    pub bot_ms_p99: Option<f64>,
    /// Half of the shadow's answers took no longer, at the lowest priority.
    pub shadow_ms_p50: Option<f64>,
    /// The same of 99 in 100.
    pub shadow_ms_p99: Option<f64>,
}

/// What a shadow said in a session.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Shadow)]
pub(super) struct ShadowShown {
    /// The session that it heard.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// The seat, where known.
    pub seat: Option<u8>,
    /// The bot that played: a built-in one's name, or `bot:NAME@VERSION`.
    #[schema(example = "champion")]
    pub bot: String,
    /// The shadow, named alike.
    #[schema(example = "bot:mybot@2")]
    pub shadow: String,
    /// Whether it heard all of the session.
    pub whole: bool,
    /// What became of its decisions.
    #[serde(flatten)]
    pub figures: ShadowFigures,
    /// Where it differed, and how it failed.
    #[serde(flatten)]
    pub report: ShadowReport,
}

/// What a shadow said in matches that are over and public: of the newest 10,000 sessions that were asked for, without
/// pruned ones.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ShadowSum {
    /// The game.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The bot that played: a built-in one's name, or `bot:NAME@VERSION`.
    #[schema(example = "champion")]
    pub bot: String,
    /// The shadow, named alike.
    #[schema(example = "bot:mybot@2")]
    pub shadow: String,
    /// Matches in which it was asked for a decision.
    pub matches: u64,
    /// Sessions.
    pub sessions: u64,
    /// Sessions that the shadow heard all of.
    pub whole: u64,
    /// The share of the decisions that it was asked for: it is not where it is too far behind, so that the shares below
    /// say nothing of the rest.
    pub asked_share: Option<f64>,
    /// The share of the decisions in which it agreed; `null` without decisions.
    pub agreed_share: Option<f64>,
    /// The lower end of its 95 % interval; the decisions of a match are not independent of each other.
    pub agreed_share_low: Option<f64>,
    /// The upper end of its 95 % interval.
    pub agreed_share_high: Option<f64>,
    /// The share of the decisions in which its answer was not legal.
    pub illegal_share: Option<f64>,
    /// The share of the decisions in which it had no answer in time.
    pub late_share: Option<f64>,
    /// What became of its decisions.
    #[serde(flatten)]
    pub figures: ShadowFigures,
}

fn figures(counts: &ShadowCounts, bot: &Histogram, shadow: &Histogram) -> ShadowFigures {
    let ms = |times: &Histogram, share| Some(times.quantile(share)?.as_secs_f64() * 1e3);
    ShadowFigures {
        decisions: counts.asked(),
        agreed: counts.agreed,
        differed: counts.differed,
        illegal: counts.illegal,
        late: counts.late,
        failed: counts.failed,
        skipped: counts.skipped,
        bot_ms_p50: ms(bot, 0.5),
        bot_ms_p99: ms(bot, 0.99),
        shadow_ms_p50: ms(shadow, 0.5),
        shadow_ms_p99: ms(shadow, 0.99),
    }
}

/// The shadows of a match that have ended.
pub(super) struct OfMatch;

impl Rows for OfMatch {
    type Item = ShadowShown;
    const FILTERS: &'static [&'static str] = &["seat", "session"];
    const REFUSES: &'static [u16] = &[410];

    async fn page(
        reader: &Reader,
        params: &Params,
    ) -> Result<(Listed<ShadowShown>, bool), Problem> {
        let seen = Seen::read(reader, params.id(), params).await?.kept()?;
        Ok((list(reader, &seen, params).await?, false))
    }
}

/// The shadows of a match whose seats the caller sees.
pub(super) async fn of_match(
    reader: &Reader,
    id: &str,
    params: &Params,
) -> Result<Listed<ShadowShown>, Problem> {
    list(reader, &Seen::read(reader, id, params).await?, params).await
}

async fn list(
    reader: &Reader,
    seen: &Seen,
    params: &Params,
) -> Result<Listed<ShadowShown>, Problem> {
    let (store, at) = (&reader.state.store, params.page_or_whole()?);
    let sessions = &seen.contents.sessions;
    let ids: Vec<SessionId> = sessions.iter().map(|row| row.id).collect();
    let mut shown = Vec::new();
    for run in store.shadow_runs(&ids).await? {
        let session = sessions.iter().find(|row| row.id == run.session);
        let id = run.session.0;
        let corrupt = |why| StoreError::Corrupt(format!("the shadow of session {id}: {why}"));
        let tally = run.tally;
        shown.push(ShadowShown {
            session: run.session,
            seat: session.and_then(|row| row.opened.seat),
            figures: figures(&tally.counts, &tally.bot_times, &tally.shadow_times),
            bot: tally.bot,
            shadow: tally.shadow,
            whole: tally.whole,
            report: serde_json::from_value(run.report).map_err(corrupt)?,
        });
    }
    let mut listed = Listed::cut(shown, &at)?;
    listed.withheld = seen.withheld.then_some(WITHHELD);
    Ok(listed)
}

/// All shadows, summed up.
pub(super) struct Sums;

impl Rows for Sums {
    type Item = ShadowSum;
    const FILTERS: &'static [&'static str] = &["game", "bot", "shadow"];

    async fn page(reader: &Reader, params: &Params) -> Result<(Listed<ShadowSum>, bool), Problem> {
        Ok((sums(reader, params).await?, false))
    }
}

/// All shadows, or those that are asked for, by game, bot and shadow.
pub(super) async fn sums(reader: &Reader, params: &Params) -> Result<Listed<ShadowSum>, Problem> {
    let (game, at) = (params.game()?, params.page_or_whole()?);
    let (bot, shadow) = (params.bot_called("bot"), params.bot_called("shadow"));
    // What happened in a match is public when it is over for all.
    let over_us = match reader.sight.sees_all() {
        true => i64::MAX,
        false => reader.sight.open_us(),
    };
    let store = &reader.state.store;
    let asked = [game.as_deref(), bot.as_deref(), shadow.as_deref()];
    // Before they are read: they may be many.
    let turn = reader.state.turns.wait().await?;
    let found = store.shadow_tallies(asked, over_us, SUMMED_MAX).await?;
    for (name, value) in [("bot", &bot), ("shadow", &shadow)] {
        if let Some(value) = value.as_ref().filter(|_| found.is_empty())
            && let Some(unknown) = unknown_bot(store, (name, value)).await?
        {
            return Err(unknown.into());
        }
    }
    let shown = turn.spend(move || summed(found)).await?;
    Listed::cut(shown, &at)
}

fn summed(found: Vec<(String, ShadowTally)>) -> Vec<ShadowSum> {
    let mut sums: BTreeMap<(String, String, String), Sum> = BTreeMap::new();
    for (of, tally) in found {
        let key = (tally.game.clone(), tally.bot.clone(), tally.shadow.clone());
        sums.entry(key).or_default().add(of, &tally);
    }
    sums.into_iter().map(Sum::shown).collect()
}

/// A sum while it is made.
#[derive(Default)]
struct Sum {
    /// Agreed and asked, by match.
    matches: BTreeMap<String, (u64, u64)>,
    sessions: u64,
    whole: u64,
    counts: ShadowCounts,
    bot_times: Histogram,
    shadow_times: Histogram,
}

impl Sum {
    fn add(&mut self, of: String, tally: &ShadowTally) {
        if tally.counts.asked() > 0 {
            let (agreed, asked) = self.matches.entry(of).or_default();
            *agreed += tally.counts.agreed;
            *asked += tally.counts.asked();
        }
        self.sessions += 1;
        self.whole += u64::from(tally.whole);
        self.counts.add(&tally.counts);
        self.bot_times.merge(&tally.bot_times);
        self.shadow_times.merge(&tally.shadow_times);
    }

    fn shown(((game, bot, shadow), sum): ((String, String, String), Self)) -> ShadowSum {
        let mut agreed = ClusteredMean::default();
        for (agreed_here, asked) in sum.matches.values() {
            agreed.add(*agreed_here as f64, *asked as f64);
        }
        let asked = sum.counts.asked();
        let share = |count: u64| (asked > 0).then(|| count as f64 / asked as f64);
        let all = asked + sum.counts.skipped;
        let interval = (asked > 0).then(|| agreed.share_interval());
        ShadowSum {
            game,
            bot,
            shadow,
            matches: sum.matches.len() as u64,
            sessions: sum.sessions,
            whole: sum.whole,
            asked_share: (all > 0).then(|| asked as f64 / all as f64),
            agreed_share: share(sum.counts.agreed),
            agreed_share_low: interval.map(|(low, _)| low),
            agreed_share_high: interval.map(|(_, high)| high),
            illegal_share: share(sum.counts.illegal),
            late_share: share(sum.counts.late),
            figures: figures(&sum.counts, &sum.bot_times, &sum.shadow_times),
        }
    }
}
