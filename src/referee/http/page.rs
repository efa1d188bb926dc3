//! The start page for people, like the original's `market.html`: a form that builds the connect query, and
//! the matches with their logs. No scripts, nothing from other sites.

use crate::history::public_spec;
use crate::referee::host::Host;
use crate::referee::host::match_info::{HostedMatch, MatchEnd};
use askama::Template;
use games::Kit;
use std::sync::Arc;

/// The maximum number of matches listed.
const MATCHES_SHOWN_MAX: usize = 100;

#[derive(Template)]
#[template(path = "referee.html")]
struct StartPage {
    kit: &'static dyn Kit,
    seats: usize,
    matches: Vec<Arc<HostedMatch>>,
}

/// The page with the current matches.
///
/// # Errors
/// Never: it is written to memory.
pub(in crate::referee) fn page(host: &Host) -> askama::Result<String> {
    let mut matches = host.matches();
    matches.truncate(MATCHES_SHOWN_MAX);
    let page = StartPage {
        kit: host.kit(),
        seats: host.seats(),
        matches,
    };
    page.render()
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
    let scores = scores.map(ToString::to_string);
    let scores = scores.chain(std::iter::repeat_with(|| "no score".to_owned()));
    let players = names(hosted).zip(scores).zip(&hosted.info.ids);
    players.map(|((name, score), id)| (name, score, *id))
}
