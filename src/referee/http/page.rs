//! The start page for people, like the original's `market.html`: a form that builds the connect query, and
//! the matches with their logs. No scripts, nothing from other sites.

use crate::history::public_spec;
use crate::referee::host::Host;
use crate::referee::host::match_info::{HostedMatch, MatchEnd};
use crate::style::STYLE;
use askama::Template;
use games::{Cause, Kit};
use std::sync::Arc;

/// The maximum number of matches listed.
const MATCHES_SHOWN_MAX: usize = 100;

#[derive(Template)]
#[template(path = "referee.html")]
struct StartPage {
    /// The stylesheet of the daemon's pages: this one is served by another listener.
    style: &'static str,
    /// Where those are.
    pages: Option<String>,
    kit: &'static dyn Kit,
    seats: usize,
    matches: Vec<Arc<HostedMatch>>,
}

/// The page with the current matches. `pages`: where the daemon's own are.
///
/// # Errors
/// Never: it is written to memory.
pub(in crate::referee) fn page(host: &Host, pages: Option<String>) -> askama::Result<String> {
    let mut matches = host.matches();
    matches.truncate(MATCHES_SHOWN_MAX);
    let page = StartPage {
        style: STYLE,
        pages,
        kit: host.kit(),
        seats: host.seats(),
        matches,
    };
    page.render()
}

/// An option's name in plain words.
fn label(name: &str) -> String {
    let mut words = name.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// Why a match ended, in words.
fn ended(cause: &Cause) -> String {
    match cause {
        Cause::Normal => "played to its end".to_owned(),
        cause => cause.word().replace('_', " "),
    }
}

/// The players' names, or how they play: where they are called is nobody else's business.
fn names(hosted: &HostedMatch) -> impl Iterator<Item = &str> {
    let info = &hosted.info;
    let named = info.names.iter().zip(&info.seats);
    named.map(|(name, spec)| name.as_deref().unwrap_or(public_spec(spec)))
}

/// The names with scores and numbers.
fn scored<'a>(
    hosted: &'a HostedMatch,
    end: &'a MatchEnd,
) -> impl Iterator<Item = (&'a str, String, u64)> {
    let scores = end
        .outcome
        .iter()
        .flat_map(|outcome| outcome.scores.values());
    let worded = games::scores(&hosted.info.game);
    let scores = scores.map(move |score| worded.full(*score));
    let scores = scores.chain(std::iter::repeat_with(|| "no score".to_owned()));
    let players = names(hosted).zip(scores).zip(&hosted.info.ids);
    players.map(|((name, score), id)| (name, score, *id))
}
