//! Opponents, and what was learnt about one of them, with how sure it is.

use super::chart::{self, Span};
use super::filters::{Field, fields, link, query};
use super::layout::{Shell, shown};
use super::view::{self, When, figure, when};
use super::visit::{Visit, asking};
use crate::api::bluffs::{self, BluffShown};
use crate::api::opponents::{self, OpponentShown};
use crate::api::params::PAGE;
use crate::api::problem::Problem;
use crate::store::OpponentKind;
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use serde_json::{Map, Value};

/// How deep figures are looked for in a model.
const DEPTH_MAX: usize = 4;
/// The most figures of a model on its page.
const FIGURES_MAX: usize = 200;

#[derive(Template)]
#[template(path = "pages/opponents.html")]
struct Opponents {
    shell: Shell,
    filters: Vec<Field>,
    rows: Vec<Row>,
    later: bool,
    first: String,
    next: Option<String>,
}

/// An opponent in the list.
struct Row {
    shown: OpponentShown,
    updated: Option<When>,
}

#[derive(Template)]
#[template(path = "pages/opponent.html")]
struct Opponent {
    shell: Shell,
    row: Row,
    named: bool,
    /// The query of its matches.
    matches: String,
    /// Figures with their intervals.
    figures: Vec<Figure>,
    /// The rest of what is known.
    others: Vec<(String, String)>,
    bluffs: Vec<Bluff>,
}

/// A figure that was learnt.
struct Figure {
    name: String,
    value: String,
    range: String,
    evidence: String,
    span: Span,
}

/// A bluff.
struct Bluff {
    shown: BluffShown,
    at: When,
}

/// `GET /opponents`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params(&[opponents::FILTERS, PAGE])?;
    let listed = opponents::page(&visit, &params).await?;
    shown(&Opponents {
        shell: visit.shell("Opponents", "/opponents"),
        filters: fields(&visit, &["game", "kind"]),
        rows: listed.items.into_iter().map(row).collect(),
        later: visit.value("cursor").is_some(),
        first: link(&visit, "cursor", ""),
        next: listed.next.map(|next| link(&visit, "cursor", &next)),
    })
}

/// `GET /opponents/{id}`
pub(super) async fn one(Path(id): Path<String>, visit: Visit) -> Result<Response, Problem> {
    visit.params(&[])?;
    let found = opponents::find(&visit, &id).await?;
    let opponent = found.opponent;
    let named = matches!(opponent.kind, OpponentKind::Named);
    let bluffs = match named {
        true => {
            let own = [
                ("game", &*opponent.game),
                ("opponent", &*opponent.name),
                ("limit", "20"),
            ];
            bluffs::page(&visit, &asking(own, &[bluffs::FILTERS, PAGE])?)
                .await?
                .items
        }
        false => Vec::new(),
    };
    let (mut figures, mut others) = (Vec::new(), Vec::new());
    if let Some(Value::Object(model)) = &found.model {
        read(model, "", 0, &mut figures, &mut others);
    }
    let bluffs = bluffs.into_iter().map(|shown| Bluff {
        at: when(shown.at),
        shown,
    });
    shown(&Opponent {
        shell: visit.shell(
            format!("{} of {}", opponent.name, opponent.game),
            "/opponents",
        ),
        matches: query([("game", &*opponent.game), ("opponent", &*opponent.name)]),
        row: row(opponent),
        named,
        figures,
        others,
        bluffs: bluffs.collect(),
    })
}

fn row(shown: OpponentShown) -> Row {
    Row {
        updated: shown.updated.map(when),
        shown,
    }
}

/// Finds the figures with an interval among what is known; the rest as it is.
fn read(
    fields: &Map<String, Value>,
    path: &str,
    depth: usize,
    figures: &mut Vec<Figure>,
    others: &mut Vec<(String, String)>,
) {
    for (name, value) in fields {
        let name = format!("{path}{}", name.replace('_', " "));
        let inner = value.as_object();
        if let Some(figure) = inner.and_then(|inner| learnt(&name, inner)) {
            if figures.len() < FIGURES_MAX {
                figures.push(figure);
            }
        } else if let Some(inner) =
            inner.filter(|inner| depth < DEPTH_MAX && inner.values().any(Value::is_object))
        {
            read(inner, &format!("{name}: "), depth + 1, figures, others);
        } else if others.len() < FIGURES_MAX {
            others.push((name, view::value(value)));
        }
    }
}

/// A figure with its interval and evidence, if this is one.
fn learnt(name: &str, fields: &Map<String, Value>) -> Option<Figure> {
    let number = |name: &str| fields.get(name).and_then(Value::as_f64);
    let (low, high) = (number("low")?, number("high")?);
    let value = number("mean").or(number("share")).or(number("value"));
    let most = if high <= 1.0 { 1.0 } else { high.max(1.5) };
    Some(Figure {
        name: name.to_owned(),
        value: value.map_or_else(|| "–".to_owned(), figure),
        range: format!("{} to {}", figure(low), figure(high)),
        evidence: number("evidence").map_or_else(String::new, figure),
        span: chart::span(low / most, value.map(|value| value / most), high / most),
    })
}
