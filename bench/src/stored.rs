//! What a store holds, read whole, and whether it is in order.

use crate::process::Daemon;
use anyhow::Context as _;
use drover::cli::notify;
use drover::history::GameRules;
use drover::history::{self, Filter, PageAt, SessionRow};
use drover::store::{Direction, Entry, MatchRow, Store};
use games::Cause;
use std::time::{Duration, Instant};

/// Whether the rules ended a match: weak bots may stall one until they do.
pub(crate) fn is_by_rules(row: &MatchRow) -> bool {
    matches!(row.cause, Some(Cause::Normal | Cause::Stalled))
}

/// Matches read at a time.
const PAGE: u32 = 200;

/// How long the last matches may take.
const REST_MAX: Duration = Duration::from_secs(600);

/// How a reply begins that is none: the note that there was no answer.
const NO_ANSWER: char = '\u{1}';

/// All matches.
pub(crate) async fn matches(store: &Store) -> anyhow::Result<Vec<MatchRow>> {
    let mut rows = Vec::new();
    let mut at = PageAt::first(PAGE);
    loop {
        let page = history::matches(store.reader(), &Filter::default(), &at).await?;
        rows.extend(page.items);
        at.after = page.next;
        if at.after.is_none() {
            return Ok(rows);
        }
    }
}

/// All matches of a daemon, once they have ended.
pub(crate) async fn ended(daemon: &Daemon) -> anyhow::Result<Vec<MatchRow>> {
    let deadline = Instant::now() + REST_MAX;
    loop {
        let store = Store::open_readonly(daemon.data.join("drover.db"), GameRules::all()).await?;
        let matches = matches(&store).await?;
        store.close().await;
        if matches.iter().all(|row| row.ended_us.is_some()) {
            return Ok(matches);
        }
        let left = deadline.checked_duration_since(Instant::now());
        left.context("matches are still running")?;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// All sessions, each with its transcript.
pub(crate) async fn sessions(store: &Store) -> anyhow::Result<Vec<(SessionRow, Vec<Entry>)>> {
    let mut all = Vec::new();
    for row in matches(store).await? {
        for session in history::sessions_of(store.reader(), &row.id).await? {
            let entries = match history::head(store.reader(), &session).await? {
                Some((head, _)) => history::transcript(store.reader(), session.id, head).await?,
                None => Vec::new(),
            };
            all.push((session, entries));
        }
    }
    Ok(all)
}

/// What a player was sent, and what it answered (`None`: no whole answer came).
pub(crate) type Exchanges = Vec<(String, Option<String>)>;

/// A transcript as exchanges; `asking` is the direction of what was sent to the player. Of several answers the
/// last is the one that was given.
pub(crate) fn exchanges(entries: Vec<Entry>, asking: Direction) -> Exchanges {
    let mut all = Exchanges::new();
    for entry in entries {
        match all.last_mut() {
            _ if entry.direction == asking => all.push((entry.text, None)),
            Some(last) if !entry.text.starts_with(NO_ANSWER) => last.1 = Some(entry.text),
            _ => {}
        }
    }
    all
}

/// How many facts of this kind were learnt.
pub(crate) async fn facts(store: &Store, kind: &str) -> anyhow::Result<usize> {
    let mut count = 0;
    for row in matches(store).await? {
        let facts = history::facts(store.reader(), &row.id).await?;
        count += facts.iter().filter(|fact| fact.kind == kind).count();
    }
    Ok(count)
}

/// What `db verify` finds wrong; each difference is printed to standard error.
pub(crate) async fn differences(store: &Store) -> anyhow::Result<u64> {
    let summary = drover::replay::verify(store, None, |checked| {
        for difference in &checked.differences {
            notify(&format!("{}: {}", checked.match_id, difference.what));
        }
    });
    let summary = summary.await?;
    Ok(summary.differences + summary.integrity.len() as u64)
}
