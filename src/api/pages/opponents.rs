//! Opponents, and what was learnt about one of them, with how sure it is.

use super::filters::{self, Field, Pager, fields, link, query};
use super::layout::{Shell, shown};
use super::versus::{self, Rival};
use super::view::{self, INTERVAL_MIN, TOO_FEW, When, figure, percent, when};
use super::visit::Visit;
use crate::api::bluffs;
use crate::api::history::History;
use crate::api::lists::Rows as _;
use crate::api::opponents::{self, OpponentShown, models};
use crate::api::problem::Problem;
use crate::api::query::{LIMIT_MAX, Nothing, Params};
use crate::chart::{self, Curve, Point, Span};
use crate::clock::time;
use crate::history::{BluffRow, Filter, OpponentKind};
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::scene::{Picture, player};
use games::text::counted;
use games::{Modelled, Models};
use serde_json::{Map, Value};

/// How deep figures are looked for in a model.
const DEPTH_MAX: usize = 4;
/// The most figures of a model on its page.
const FIGURES_MAX: usize = 200;
/// How many of them the list shows.
const SUMMARY_MAX: usize = 3;
/// How many of the last bluffs are listed.
const BLUFFS_MAX: u32 = 20;
/// How many digits of a map's name are shown.
const DIGITS_MAX: usize = 8;

#[derive(Template)]
#[template(path = "pages/opponents.html")]
struct Opponents {
    shell: Shell,
    filters: Vec<Field>,
    /// Those that are set, each with the page without it.
    chosen: Vec<(String, String)>,
    /// Each with what is known, in short.
    rows: Vec<(Row, String)>,
    /// Those that are of maps.
    maps: Vec<(Row, String)>,
    pager: Pager,
}

/// An opponent in the list, or a map.
struct Row {
    shown: OpponentShown,
    /// What people call it.
    label: String,
    is_map: bool,
    updated: Option<When>,
    /// Why its model is not shown, if so.
    withheld: Option<&'static str>,
}

impl Row {
    /// What people call its game.
    fn title(&self) -> &str {
        view::title(&self.shown.game)
    }
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
    /// What some of them count.
    notes: Vec<(String, &'static str)>,
    /// The rest of what is known.
    others: Vec<(String, String)>,
    /// The map, if it is one that can be drawn.
    picture: Option<Picture>,
    /// How many lessons taught it, in words; empty while that is withheld.
    taught: String,
    bluffs: Vec<Bluff>,
    /// Our bots that met it.
    rivals: Vec<Rival>,
    /// How a figure changed from match to match.
    history: Option<Course>,
}

/// How a figure changed.
struct Course {
    name: String,
    /// Its curve, if it was learnt in several matches.
    picture: Option<String>,
    /// What was known after each match, newest first.
    steps: Vec<Lesson>,
    more: bool,
}

/// What was known after a match.
struct Lesson {
    version: i64,
    match_id: String,
    at: When,
    value: String,
    range: String,
    evidence: String,
}

/// A figure that was learnt.
struct Figure {
    name: String,
    /// To how it changed.
    link: String,
    chosen: bool,
    /// Its estimate and the ends of its interval, and how much it was seen.
    numbers: (Option<f64>, f64, f64, f64),
    value: String,
    range: String,
    /// How often it was seen, of how many cases where it is a share that was counted.
    evidence: String,
    /// Where it was seen often enough.
    span: Option<Span>,
    /// Whether it is a share, shown in per cent.
    is_share: bool,
    /// Whether it is a share that was counted.
    is_counted: bool,
}

/// A bluff.
struct Bluff {
    shown: BluffRow,
    at: When,
}

/// `GET /opponents`
pub(super) async fn page(visit: Visit) -> Result<Response, Problem> {
    let params = visit.params::<opponents::Opponents>()?;
    let listed = opponents::known(&visit, &params).await?;
    let all = listed.items.into_iter().map(|found| {
        let known = ModelShown::read(found.model.as_ref(), models(&visit, &found.opponent.game));
        (row(&visit, found.opponent), known.summary())
    });
    let (maps, rows) = all.partition(|(row, _)| row.is_map);
    let filters = fields::<opponents::Opponents>(&visit, &["game", "kind"]);
    shown(&Opponents {
        shell: visit.shell("Opponents", "/opponents"),
        chosen: filters::chosen(&visit, &filters),
        filters,
        rows,
        maps,
        pager: Pager::new(&visit, listed.next),
    })
}

/// `GET /opponents/{id}`
pub(super) async fn one(Path(id): Path<String>, visit: Visit) -> Result<Response, Problem> {
    visit.takes(&["figure"])?;
    let found = opponents::find(&visit, &id).await?;
    let opponent = found.opponent;
    let named = matches!(opponent.kind, OpponentKind::Named);
    let models = models(&visit, &opponent.game);
    let mut known = ModelShown::read(found.model.as_ref(), models);
    let history = history(&visit, &id, &known.figures).await?;
    let (mut rivals, mut bluffs) = (Vec::new(), Vec::new());
    if named {
        rivals = versus::of_opponent(&visit, &opponent.game, &opponent.name).await?;
        bluffs = bluffs_of(&visit, &opponent).await?;
    }
    let all = &known.figures;
    let scales: Vec<f64> = all.iter().map(|one| scale(all, one)).collect();
    for (figure, most) in known.figures.iter_mut().zip(scales) {
        let (value, low, high, _) = figure.numbers;
        let span = || chart::span(low / most, value.map(|value| value / most), high / most);
        figure.span = figure.span.is_some().then(span);
        let shown = history.as_ref();
        figure.chosen = shown.is_some_and(|shown| shown.name == figure.name);
        figure.link = format!("{}#history", link(&visit, "figure", &figure.name));
    }
    shown(&Opponent {
        shell: visit.shell(
            format!("{} of {}", opponent.name, view::title(&opponent.game)),
            "/opponents",
        ),
        matches: query([("game", &*opponent.game), ("opponent", &*opponent.name)]),
        rivals,
        history,
        taught: opponent
            .version
            .map_or_else(String::new, |lessons| counted(lessons, "lesson")),
        row: row(&visit, opponent),
        named,
        figures: known.figures,
        notes: known.notes,
        others: known.others,
        picture: picture(&visit, models, found.model).await?,
        bluffs,
    })
}

/// The map, drawn as boards are: once it is its turn.
async fn picture(
    visit: &Visit,
    models: Option<&'static dyn Models>,
    model: Option<Value>,
) -> Result<Option<Picture>, Problem> {
    let maps = models.filter(|models| models.modelled() == Modelled::Maps);
    let (Some(maps), Some(model)) = (maps, model) else {
        return Ok(None);
    };
    let turn = visit.turns().wait().await?;
    turn.spend(move || maps.picture(&model)).await
}

/// Its last bluffs.
async fn bluffs_of(visit: &Visit, opponent: &OpponentShown) -> Result<Vec<Bluff>, Problem> {
    let own = Filter {
        game: Some(opponent.game.clone()),
        opponent: Some(opponent.name.clone()),
        ..Filter::default()
    };
    let found = bluffs::page(visit, &Params::first(own, BLUFFS_MAX)).await?;
    let bluffs = found.items.into_iter().map(|shown| Bluff {
        at: when(time(shown.at_us)),
        shown,
    });
    Ok(bluffs.collect())
}

/// What is known, in its parts.
#[derive(Default)]
struct ModelShown {
    figures: Vec<Figure>,
    /// What some of them count.
    notes: Vec<(String, &'static str)>,
    others: Vec<(String, String)>,
    /// The figures that the list shows, each with its verb.
    foremost: &'static [(&'static str, &'static str)],
}

impl ModelShown {
    /// A shown model; `None` while it is withheld.
    fn read(model: Option<&Value>, models: Option<&dyn Models>) -> Self {
        let mut known = Self::default();
        if let Some(Value::Object(fields)) = model {
            read(fields, "", 0, &mut known.figures, &mut known.others);
        }
        // How many lessons there were stands above, and how it is stored is left out.
        let own = |(name, _): &(String, String)| !["version", "lessons"].contains(&&**name);
        known.others.retain(own);
        if let (Some(model), Some(models)) = (model, models) {
            known.foremost = models.foremost();
            let words = models.words(model);
            if !words.is_empty() {
                let words = words.into_iter();
                known.others = words.map(|(name, text)| (name.to_owned(), text)).collect();
            }
            let notes = models.notes().iter();
            let notes = notes.map(|(name, note)| (name.replace('_', " "), *note));
            let is_shown = |name: &str| known.figures.iter().any(|figure| figure.name == name);
            known.notes = notes.filter(|(name, _)| is_shown(name)).collect();
        }
        known
    }

    /// Its foremost figures, or else the first ones, of which something was seen, and of how many cases; without figures
    /// what is said first.
    fn summary(&self) -> String {
        let seen = self.figures.iter().filter(|figure| figure.numbers.3 > 0.0);
        let text = |name: &str, figure: &Figure| match (figure.is_counted, figure.span.is_some()) {
            (true, true) => format!("{name} {} ({})", figure.value, figure.evidence),
            (true, false) => format!("{name} {}", figure.evidence),
            (false, _) => format!("{name} {} (of {})", figure.value, figure.evidence),
        };
        let foremost = self.foremost.iter().filter_map(|(name, verb)| {
            let name = name.replace('_', " ");
            let figure = seen.clone().find(|figure| figure.name == name)?;
            Some(text(verb, figure))
        });
        let first = seen.clone().map(|figure| text(&figure.name, figure));
        let mut seen: Vec<String> = foremost.collect();
        if seen.is_empty() {
            seen = first.take(SUMMARY_MAX).collect();
        }
        let said = || self.others.first().map(|(_, text)| text.clone());
        match seen.is_empty() && self.figures.is_empty() {
            true => said().unwrap_or_default(),
            false => seen.join(", "),
        }
    }
}

fn row(visit: &Visit, shown: OpponentShown) -> Row {
    let models = models(visit, &shown.game);
    let is_map = models.is_some_and(|models| models.modelled() == Modelled::Maps);
    Row {
        label: match shown.name.strip_prefix("map-").filter(|_| is_map) {
            Some(digits) => format!("Map {}", digits.get(..DIGITS_MAX).unwrap_or(digits)),
            None => shown.name.clone(),
        },
        is_map,
        updated: shown.updated.map(when),
        withheld: shown.withheld.map(|_| view::WITHHELD),
        shown,
    }
}

/// Up to where a figure may lie: shares up to 1, amounts up to the greatest of their kind.
fn scale(all: &[Figure], of: &Figure) -> f64 {
    let kind = |figure: &Figure| figure.name.split(": ").next().map(str::to_owned);
    let same = all.iter().filter(|other| kind(other) == kind(of));
    same.map(|other| other.numbers.2).fold(1.0, f64::max)
}

/// How the figure asked for changed, or else the one that was seen most.
async fn history(visit: &Visit, id: &str, figures: &[Figure]) -> Result<Option<Course>, Problem> {
    let most = |one: &&Figure, other: &&Figure| one.numbers.3.total_cmp(&other.numbers.3);
    let seen = figures.iter().max_by(most).map(|figure| &*figure.name);
    let Some(name) = visit.value("figure").or(seen) else {
        return Ok(None);
    };
    let params = Params {
        of: vec![id.to_owned()],
        ..Params::first(Nothing::default(), LIMIT_MAX)
    };
    let listed = History::page(visit, &params).await?;
    let (mut steps, mut points, mut unit) = (Vec::new(), Vec::new(), "");
    for learnt in &listed.items {
        let mut all = Vec::new();
        if let Value::Object(model) = &learnt.model {
            read(model, "", 0, &mut all, &mut Vec::new());
        }
        let Some(figure) = all.into_iter().find(|figure| figure.name == name) else {
            continue;
        };
        let (value, low, high, _) = figure.numbers;
        let factor = if figure.is_share { 100.0 } else { 1.0 };
        unit = if figure.is_share { ", in %" } else { "" };
        if figure.span.is_some() {
            points.push(Point {
                x: learnt.version as f64,
                y: factor * value.unwrap_or(f64::midpoint(low, high)),
                low: factor * low,
                high: factor * high,
            });
        }
        steps.push(Lesson {
            version: learnt.version,
            match_id: learnt.match_id.clone(),
            at: when(learnt.at),
            value: figure.value,
            range: figure.range,
            evidence: figure.evidence,
        });
    }
    points.reverse();
    let curve = Curve {
        name: name.to_owned(),
        colour: player(0),
        points,
    };
    let title = format!("{name} after each lesson{unit}");
    let several = curve.points.len() > 1;
    let picture = chart::curves(&title, ["", "lesson"], None, &[curve]).filter(|_| several);
    Ok((!steps.is_empty()).then(|| Course {
        name: name.to_owned(),
        picture,
        steps,
        more: listed.next.is_some(),
    }))
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

/// A figure with its interval and evidence, if this is one. A share that was counted is what was counted, not the estimate
/// that bots use, which is not 0 where it never was; it has no interval where it was seen too rarely.
fn learnt(name: &str, fields: &Map<String, Value>) -> Option<Figure> {
    let number = |name: &str| fields.get(name).and_then(Value::as_f64);
    let (low, high) = (number("low")?, number("high")?);
    let estimate = number("mean").or(number("share")).or(number("value"));
    let evidence = number("evidence").or(number("count"));
    let counted = number("seen").zip(evidence);
    let is_rare = counted.is_some_and(|(_, of)| of < INTERVAL_MIN as f64);
    let value = match counted {
        Some((seen, of)) => (!is_rare).then(|| seen / of),
        None => estimate,
    };
    // Of what was seen always or never, or is rarely believed, the interval of the estimate may not hold what was counted.
    let (low, high) = value.map_or((low, high), |value| (low.min(value), high.max(value)));
    let is_share = ["seen", "share"]
        .iter()
        .any(|key| fields.contains_key(*key));
    let shown = if is_share { percent } else { figure };
    Some(Figure {
        name: name.to_owned(),
        link: String::new(),
        chosen: false,
        numbers: (value, low, high, evidence.unwrap_or_default()),
        value: value.map_or_else(|| "–".to_owned(), shown),
        range: match (is_rare, is_share) {
            (true, _) => TOO_FEW.to_owned(),
            (_, true) => view::range(low, high),
            (_, false) => format!("{} to {}", figure(low), figure(high)),
        },
        evidence: match (counted, evidence) {
            (Some((seen, of)), _) => format!("{} of {}", figure(seen), figure(of)),
            (None, evidence) => evidence.map_or_else(String::new, figure),
        },
        span: (!is_rare).then(|| chart::span(low, value, high)),
        is_share,
        is_counted: counted.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_shows_what_is_foremost_and_was_seen_or_else_what_is_first() {
        let rate = |evidence: u32| json!({"mean": 0.5, "low": 0, "high": 1, "evidence": evidence});
        let models = games::find("koehandel").unwrap().card().models;
        let summary = |fields: Value| ModelShown::read(Some(&fields), models).summary();
        let mut known = json!({"a_rate": rate(9), "bid_rate": rate(0), "bluff_rate": rate(36)});
        assert_eq!(summary(known.clone()), "bluffs 0.5 (of 36)");
        known["bluff_rate"] = rate(0);
        assert_eq!(summary(known), "a rate 0.5 (of 9)");
    }

    #[test]
    fn a_rate_is_what_was_counted_once_that_is_enough() {
        let shown = |seen: Value, of: u32| {
            let rate = json!({"mean": 0.2, "low": 0.05, "high": 0.5, "seen": seen, "evidence": of});
            learnt("rate", rate.as_object().unwrap()).unwrap()
        };
        let [rare, counted, always, unknown] = [
            (json!(0), 3),
            (json!(6), 40),
            (json!(10), 10),
            (Value::Null, 3),
        ]
        .map(|(seen, of)| shown(seen, of));
        assert_eq!(
            [&rare.value, &rare.range, &rare.evidence],
            ["–", TOO_FEW, "0 of 3"]
        );
        assert_eq!(
            [&counted.value, &counted.range, &counted.evidence],
            ["15.0\u{a0}%", "5.0–50.0\u{a0}%", "6 of 40"]
        );
        assert_eq!(
            [&always.value, &always.range],
            ["100.0\u{a0}%", "5.0–100.0\u{a0}%"]
        );
        assert_eq!([&unknown.value, &unknown.evidence], ["20.0\u{a0}%", "3"]);
        assert!(rare.span.is_none() && counted.span.is_some());
        let known = json!({"bid_rate": {"mean": 0.2, "low": 0.05, "high": 0.5, "seen": 6, "evidence": 40},
            "counter_rate": {"mean": 0.2, "low": 0, "high": 0.5, "seen": 0, "evidence": 3}});
        let models = games::find("koehandel").unwrap().card().models;
        assert_eq!(
            ModelShown::read(Some(&known), models).summary(),
            "bids 15.0\u{a0}% (6 of 40), counters 0 of 3"
        );
    }
}
