//! What shadows said: all of them summed up, and those of a match.

use super::layout::{Shell, shown};
use super::view::{evidence, micros, or_none, percent};
use super::visit::{Visit, asking};
use crate::api::lists::Rows as _;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::api::shadows::{self, ShadowFigures, ShadowShown, ShadowSum, Sums};
use askama::Template;
use axum::response::Response;

#[derive(Template)]
#[template(path = "pages/shadows.html")]
struct Page {
    shell: Shell,
    sums: Vec<SumRow>,
}

/// The figures of a row, in words.
pub(super) struct Figures {
    pub(super) decisions: u64,
    pub(super) agreed: u64,
    pub(super) differed: u64,
    pub(super) illegal: u64,
    pub(super) late: u64,
    pub(super) failed: u64,
    pub(super) skipped: u64,
    pub(super) bot_times: String,
    pub(super) shadow_times: String,
}

/// A shadow of a bot in all matches.
struct SumRow {
    game: String,
    bot: String,
    shadow: String,
    matches: u64,
    /// Sessions that it did not hear all of.
    parts: u64,
    /// The share of the decisions that it was asked for; empty: all.
    asked: String,
    agreed: String,
    figures: Figures,
}

/// A shadow in a match.
pub(super) struct ShadowRow {
    pub(super) session: i64,
    pub(super) seat: String,
    pub(super) bot: String,
    pub(super) shadow: String,
    pub(super) whole: bool,
    pub(super) figures: Figures,
    pub(super) faults: Vec<String>,
    pub(super) differences: Vec<DifferenceRow>,
}

/// Where a shadow differed.
pub(super) struct DifferenceRow {
    pub(super) entry: i64,
    pub(super) evidence: String,
    pub(super) sent: String,
    pub(super) said: String,
}

/// `GET /shadows`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params(&[Sums::FILTERS])?;
    let sums = shadows::sums(&visit, &params).await?.items;
    shown(&Page {
        shell: visit.shell("Shadows", "/bots"),
        sums: sums.into_iter().map(sum).collect(),
    })
}

/// The shadows of a match.
pub(super) async fn read(visit: &Visit, found: &MatchShown) -> Result<Vec<ShadowRow>, Problem> {
    let listed = shadows::of_match(visit, &found.id, &asking([], &[])?).await?;
    Ok(listed.items.into_iter().map(row).collect())
}

fn figures(shown: &ShadowFigures) -> Figures {
    let both = |p50: Option<f64>, p99: Option<f64>| {
        let time = |ms: f64| micros((ms * 1e3) as u64);
        let both = p50.zip(p99);
        both.map_or_else(String::new, |(p50, p99)| {
            format!("{}, {}", time(p50), time(p99))
        })
    };
    Figures {
        decisions: shown.decisions,
        agreed: shown.agreed,
        differed: shown.differed,
        illegal: shown.illegal,
        late: shown.late,
        failed: shown.failed,
        skipped: shown.skipped,
        bot_times: both(shown.bot_ms_p50, shown.bot_ms_p99),
        shadow_times: both(shown.shadow_ms_p50, shown.shadow_ms_p99),
    }
}

fn sum(shown: ShadowSum) -> SumRow {
    let (low, high) = (shown.agreed_share_low, shown.agreed_share_high);
    let agreed = shown.agreed_share.zip(low.zip(high));
    SumRow {
        figures: figures(&shown.figures),
        matches: shown.matches,
        parts: shown.sessions - shown.whole,
        asked: shown
            .asked_share
            .filter(|share| *share < 1.0)
            .map_or_else(String::new, percent),
        agreed: agreed.map_or_else(String::new, |(share, (low, high))| {
            format!("{} ({} to {})", percent(share), percent(low), percent(high))
        }),
        game: shown.game,
        bot: shown.bot,
        shadow: shown.shadow,
    }
}

fn row(shown: ShadowShown) -> ShadowRow {
    let session = shown.session.0;
    let differences = shown.report.differences.into_iter();
    let mut faults = shown.report.faults;
    faults.extend(
        shown
            .report
            .conduct
            .into_iter()
            .flat_map(|conduct| conduct.faults),
    );
    ShadowRow {
        session,
        seat: or_none(shown.seat),
        figures: figures(&shown.figures),
        bot: shown.bot,
        shadow: shown.shadow,
        whole: shown.whole,
        faults,
        differences: differences
            .map(|one| DifferenceRow {
                entry: one.entry.0,
                evidence: evidence(session, one.entry.0),
                sent: one.sent,
                said: one.said,
            })
            .collect(),
    }
}
