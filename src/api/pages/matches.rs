//! Matches: all of them, by filters in the address.

use super::filters::{self, Field, Pager, fields};
use super::folded;
use super::layout::{Shell, shown};
use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches;
use crate::api::problem::Problem;
use askama::Template;
use axum::response::Response;
use games::text::counted;

#[derive(Template)]
#[template(path = "pages/matches.html")]
struct Matches {
    shell: Shell,
    main: Vec<Field>,
    more: Vec<Field>,
    /// Whether one of those is set.
    open: bool,
    /// The filters that are set, each with the page without it.
    chosen: Vec<(String, String)>,
    /// How many there are, in words, if all are on this page.
    count: Option<String>,
    matches: Vec<MatchLine>,
    /// What is shown where there are no rows; empty: which filters are set.
    none: &'static str,
    pager: Pager,
}

/// `GET /matches`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params::<matches::Matches>()?;
    let later = visit.value("cursor").is_some();
    let follow = match later {
        true => None,
        false => Some(visit.events().await),
    };
    let listed = matches::page(&visit, &params).await?;
    let listed = visit.expects(listed, &params.filters).await?;
    let more = fields::<matches::Matches>(
        &visit,
        &[
            "cause",
            "participation",
            "entrant",
            "tournament",
            "referee",
            "market",
            "side",
            "since",
            "until",
        ],
    );
    let main = fields::<matches::Matches>(&visit, &["game", "bot", "opponent", "outcome"]);
    let chosen = filters::chosen(&visit, main.iter().chain(&more));
    let whole = !later && listed.next.is_none() && !listed.items.is_empty();
    shown(&Matches {
        shell: Shell {
            follow,
            ..visit.shell("Matches", "/matches")
        },
        main,
        open: more.iter().any(|field| !field.value.is_empty()),
        more,
        count: whole.then(|| counted(listed.items.len(), "match")),
        matches: match chosen.is_empty() {
            true => folded::lines(&visit, &listed.items, listed.items.len()).await,
            // A caller who filters sees every match.
            false => {
                let (now, items) = (now(), listed.items.iter());
                items.map(|found| line(found, now)).collect()
            }
        },
        none: match listed.next {
            Some(_) => "None of the matches examined fits. Older ones may: see the next page.",
            None if !chosen.is_empty() => "",
            None => "No match is stored yet.",
        },
        chosen,
        pager: Pager::new(&visit, listed.next),
    })
}
