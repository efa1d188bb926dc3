//! The dashboard: whether everything runs, what is being played, and what went wrong lately.

use super::folded;
use super::hubs::{Line as HubLine, lines as hub_lines};
use super::layout::{Shell, shown};
use super::view::{MatchLine, answer_time, bytes, line, millis, now, small_percent, title};
use super::visit::Visit;
use crate::api::hubs::ToHubs;
use crate::api::lateness::LedgerSummary;
use crate::api::lists::Rows as _;
use crate::api::matches::{self, MatchShown};
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::api::{health, lateness};
use crate::history::{self, Filter};
use crate::metrics as names;
use askama::Template;
use axum::response::Response;
use std::collections::BTreeMap;

/// The most matches in each of its lists.
const ROWS_MAX: usize = 12;
/// The most matches that are counted.
const COUNTED_MAX: usize = 250;
/// The newest decisions that are summed up: a page that is open asks for them often.
const DECISIONS_MAX: u32 = 2_000;
/// How far back it counts, in seconds.
const LATELY_S: i64 = 3_600;
/// What a decision goes through, as metrics and people call it.
const STEPS: [(&str, &str); 4] = [
    ("queued", "waiting"),
    ("thought", "thinking"),
    ("committed", "storing"),
    ("sent", "sending"),
];

#[derive(Template)]
#[template(path = "pages/dashboard.html")]
struct Dashboard {
    shell: Shell,
    state: Result<Vec<String>, Problem>,
    figures: Vec<Figure>,
    live: Vec<MatchLine>,
    ended: Vec<MatchLine>,
    failed: Vec<MatchLine>,
    games: Vec<Game>,
    steps: Vec<Step>,
    hubs: Vec<HubLine>,
}

/// A figure with its name.
struct Figure {
    name: &'static str,
    value: String,
    about: String,
    /// Whether it is to be looked at.
    marked: bool,
}

/// The newest decisions of a game.
struct Game {
    name: String,
    decisions: usize,
    median: String,
    most: String,
    longest: String,
    /// The greatest share of its limit that any took.
    used: String,
    /// Whether that is much.
    scarce: bool,
    fallbacks: usize,
    late: usize,
}

/// A step of decisions since the daemon started.
struct Step {
    name: &'static str,
    median: String,
    most: String,
    mean: String,
}

/// `GET /dashboard`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    visit.takes(&[])?;
    visit.sight.needs_token()?;
    let follow = Some(visit.events().await);
    let now = now();
    let since = now - jiff::SignedDuration::from_secs(LATELY_S);
    let live = Filter {
        live: Some(true),
        ..Filter::default()
    };
    let live = Params::first(live, COUNTED_MAX as u32);
    let live = matches::page(&visit, &live).await?.items;
    let store = &visit.state.store;
    let lately = history::matches_ended(store.reader(), since.as_microsecond(), COUNTED_MAX as u32);
    let lately = lately.await?.into_iter();
    let lately: Vec<MatchShown> = lately
        .map(|row| matches::shown(&visit.sight, row))
        .collect();
    let failed = lately.iter().filter(|found| found.ended_by_fault());
    let failed: Vec<&MatchShown> = failed.collect();
    let games = lateness::newest(&visit, DECISIONS_MAX).await?;
    let samples = Samples((visit.state.metrics)());
    let shown_lines = |found: &[&MatchShown]| {
        let lines = found.iter().take(ROWS_MAX).map(|found| line(found, now));
        lines.collect::<Vec<_>>()
    };
    shown(&Dashboard {
        shell: Shell {
            follow,
            every_s: Some(10),
            ..visit.shell("Dashboard", "/dashboard")
        },
        state: health::readiness(&visit.state),
        figures: figures(&samples, live.len(), lately.len(), failed.len()),
        live: shown_lines(&live.iter().collect::<Vec<_>>()),
        ended: folded::lines(&visit, &lately, ROWS_MAX).await,
        failed: shown_lines(&failed),
        games: games.into_iter().map(game).collect(),
        steps: STEPS
            .into_iter()
            .filter_map(|(step, name)| samples.step(step, name))
            .collect(),
        hubs: hub_lines(ToHubs::page(&visit, &Params::default()).await?.items),
    })
}

/// The share of its limit from which on a decision is marked.
const SCARCE: f64 = 0.8;

fn game(sum: LedgerSummary) -> Game {
    let used = 1.0 - sum.spare_min;
    Game {
        decisions: sum.decisions,
        median: answer_time(sum.sent_ms_p50),
        most: answer_time(sum.sent_ms_p99),
        longest: answer_time(sum.sent_ms_max),
        used: small_percent(used),
        scarce: used >= SCARCE,
        fallbacks: sum.fallbacks,
        late: sum.late,
        name: title(&sum.game).to_owned(),
    }
}

fn figures(samples: &Samples, live: usize, ended: usize, failed: usize) -> Vec<Figure> {
    let counted = |count: usize| match count {
        COUNTED_MAX.. => format!("{COUNTED_MAX}+"),
        count => count.to_string(),
    };
    let figure = |name, value: String, about: &str| Figure {
        name,
        value,
        about: about.to_owned(),
        marked: false,
    };
    let fault = |figure: Figure, count: f64| Figure {
        marked: count > 0.0,
        ..figure
    };
    let sum = |name| samples.sum(name);
    let whole = |name| format!("{:.0}", sum(name));
    let faulty = format!("in the last hour, {} by a fault", counted(failed));
    // Sessions' decisions: those of seats that our referee alone plays are in the ledger only.
    let started = "sent to referees since Drover started";
    vec![
        figure("Live matches", counted(live), ""),
        figure("Our bots", whole(names::SESSIONS_LIVE), "that play now"),
        fault(figure("Ended", counted(ended), &faulty), failed as f64),
        figure("Answers", whole(names::DECISIONS), started),
        fault(
            figure("By the fallback", whole(names::FALLBACKS), started),
            sum(names::FALLBACKS),
        ),
        figure("Memory", bytes(sum(names::PROCESS_RESIDENT)), ""),
        figure("Database", bytes(sum(names::STORE_BYTES)), ""),
        figure("Disk free", bytes(sum(names::DISK_FREE)), ""),
    ]
}

/// The process's metrics, as Prometheus reads them.
struct Samples(String);

impl Samples {
    /// The samples of this name: labels and value.
    fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        self.0.lines().filter_map(move |line| {
            let (labels, value) = line.strip_prefix(name)?.rsplit_once(' ')?;
            let own = labels.is_empty() || labels.starts_with('{');
            own.then_some((labels, value.parse().ok()?))
        })
    }

    fn sum(&self, name: &str) -> f64 {
        // Nothing sums up to a negative zero.
        self.named(name).map(|(_, value)| value).sum::<f64>() + 0.0
    }

    /// What a step of decisions took; `None` if there were none.
    fn step(&self, step: &str, name: &'static str) -> Option<Step> {
        let label = format!("step=\"{step}\"");
        let own = |suffix: &str| {
            let family = format!("{}{suffix}", names::LEDGER);
            let samples = self
                .named(&family)
                .filter(|(labels, _)| labels.contains(&label));
            let samples = samples.map(|(labels, value)| (labels.to_owned(), value));
            samples.collect::<BTreeMap<_, _>>()
        };
        let count = own("_count").into_values().sum::<f64>();
        let sum = own("_sum").into_values().sum::<f64>();
        let mut buckets: Vec<(f64, f64)> = own("_bucket")
            .into_iter()
            .filter_map(|(labels, count)| {
                let (_, bound) = labels.split_once("le=\"")?;
                Some((bound.split_once('"')?.0.parse().ok()?, count))
            })
            .collect();
        buckets.sort_by(|one, other| one.0.total_cmp(&other.0));
        let within = |share: f64| {
            let bucket = buckets.iter().find(|(_, up_to)| *up_to >= share * count);
            match bucket {
                Some((bound, _)) if bound.is_finite() => format!("≤ {}", millis(bound * 1e3)),
                _ => "more".to_owned(),
            }
        };
        (count > 0.0).then(|| Step {
            name,
            median: within(0.5),
            most: within(0.99),
            mean: answer_time(sum / count * 1e3),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Samples;

    #[test]
    fn steps_are_read_from_the_histograms_of_metrics() {
        let text = "drover_ledger_seconds_bucket{step=\"sent\",le=\"0.001\"} 60\n\
            drover_ledger_seconds_bucket{step=\"sent\",le=\"0.0025\"} 99\n\
            drover_ledger_seconds_bucket{step=\"sent\",le=\"+Inf\"} 100\n\
            drover_ledger_seconds_sum{step=\"sent\"} 0.2\n\
            drover_ledger_seconds_count{step=\"sent\"} 100\n\
            drover_fallbacks_total{cause=\"time\"} 2\ndrover_fallbacks_total{cause=\"panic\"} 3\n\
            drover_fallbacks_total_other 9\n";
        let samples = Samples(text.to_owned());
        let step = samples.step("sent", "sending").unwrap();
        assert_eq!(
            (&*step.median, &*step.most, &*step.mean),
            ("≤ 1.0 ms", "≤ 2.5 ms", "2.0 ms")
        );
        assert!(samples.step("queued", "waiting").is_none());
        let short = "drover_ledger_seconds_sum{step=\"queued\"} 0.000004\n\
            drover_ledger_seconds_count{step=\"queued\"} 2\n";
        let step = Samples(short.to_owned()).step("queued", "waiting");
        assert_eq!(step.unwrap().mean, "< 5 µs");
        assert_eq!(samples.sum("drover_fallbacks_total"), 5.0);
        assert_eq!(format!("{:.0}", samples.sum("drover_nothing")), "0");
    }
}
