//! The hubs that we dial.

use super::layout::{Shell, shown};
use super::view::{When, figure, when};
use super::visit::Visit;
use crate::api::hubs::ToHubs;
use crate::api::lists::Rows as _;
use crate::api::problem::Problem;
use crate::api::query::Params;
use crate::clock::time;
use crate::gateway::hubs::{HubStatus, Phase};
use askama::Template;
use axum::response::Response;

#[derive(Template)]
#[template(path = "pages/hubs.html")]
struct Hubs {
    shell: Shell,
    hubs: Vec<Line>,
}

/// A connection.
pub(super) struct Line {
    pub(super) shown: HubStatus,
    pub(super) state: &'static str,
    /// The class of its state's mark.
    pub(super) mark: &'static str,
    pub(super) since: When,
    pub(super) next_retry: Option<When>,
    pub(super) error_at: Option<When>,
    pub(super) ended: String,
}

/// `GET /hubs`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    visit.takes(&[])?;
    let listed = ToHubs::page(&visit, &Params::default()).await?;
    shown(&Hubs {
        shell: Shell {
            every_s: Some(5),
            ..visit.shell("Hubs", "/hubs")
        },
        hubs: lines(listed.items),
    })
}

/// Connections as lines of a table.
pub(super) fn lines(hubs: Vec<HubStatus>) -> Vec<Line> {
    hubs.into_iter().map(line).collect()
}

fn line(hub: HubStatus) -> Line {
    let (state, mark) = match hub.phase {
        Phase::Waiting if hub.failures > 0 => ("waits after failures", "bad"),
        Phase::Waiting => ("waits", "warn"),
        Phase::Connecting => ("connects", "warn"),
        Phase::Queued => ("in the queue", "good"),
        Phase::Playing => ("plays", "good live"),
        Phase::Elsewhere => ("another replica", ""),
        Phase::Stopped => ("stopped", ""),
    };
    let ended = hub.ended.iter();
    let ended = ended
        .map(|(cause, count)| format!("{} {}", figure(*count as f64), cause.replace('_', " ")));
    Line {
        state,
        mark,
        since: when(time(hub.since_us)),
        next_retry: hub.next_retry_us.map(|at_us| when(time(at_us))),
        error_at: hub.last_error_us.map(|at_us| when(time(at_us))),
        ended: ended.collect::<Vec<_>>().join(", "),
        shown: hub,
    }
}
