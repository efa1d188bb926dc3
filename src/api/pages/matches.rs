//! Matches: all of them, by filters in the address.

use super::filters::{Field, fields, link};
use super::layout::{Shell, shown};
use super::view::{MatchLine, line, now};
use super::visit::Visit;
use crate::api::matches;
use crate::api::problem::Problem;
use askama::Template;
use axum::response::Response;

#[derive(Template)]
#[template(path = "pages/matches.html")]
struct Matches {
    shell: Shell,
    main: Vec<Field>,
    more: Vec<Field>,
    /// Whether one of those is set.
    open: bool,
    matches: Vec<MatchLine>,
    /// What is shown where there are no rows.
    none: &'static str,
    /// Whether this is not the newest page.
    later: bool,
    first: String,
    next: Option<String>,
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
    let listed = visit.expects(listed, &params).await?;
    let now = now();
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
    shown(&Matches {
        shell: Shell {
            follow,
            ..visit.shell("Matches", "/matches")
        },
        main: fields::<matches::Matches>(&visit, &["game", "bot", "opponent", "outcome"]),
        open: more.iter().any(|field| !field.value.is_empty()),
        more,
        matches: listed.items.iter().map(|found| line(found, now)).collect(),
        none: match listed.next {
            Some(_) => {
                "None of the matches examined is like this. Older ones may be: see the next page."
            }
            None => "No match is like this. With fewer filters there may be some.",
        },
        later,
        first: link(&visit, "cursor", ""),
        next: listed.next.map(|next| link(&visit, "cursor", &next)),
    })
}
