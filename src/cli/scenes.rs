//! `drover match export --html` and `--svg`: a stored match to be looked at.

use super::output::whole_time;
use super::seat_arg::shown;
use crate::history;
use crate::replay::{Footage, Remarks, Shape, Step, Still, View, seat_names, seats};
use crate::store::{MatchRow, SeatRow, Store};
use crate::tournament::Deal;
use anyhow::{Context as _, anyhow, bail};
use askama::Template;
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use games::scene::{Names, STYLE};
use games::{Picture, Scores};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;

const NOTHING: &str = "nothing of this match is to be seen";

/// Reads what everybody could see, or what one seat received.
pub(super) async fn footage(
    store: &Store,
    row: &MatchRow,
    seat: Option<u8>,
) -> anyhow::Result<Footage> {
    let sessions = history::sessions_of(store.reader(), &row.id).await?;
    let view = View::new(&sessions, seat, true).with_context(|| {
        let known = seats(&sessions).into_iter().flatten();
        let known: Vec<String> = known.map(|seat| shown(seat).to_string()).collect();
        format!("give one of its seats with --seat: {}", known.join(", "))
    })?;
    Ok(crate::replay::footage(store, row, view, true).await?)
}

/// A page that needs nothing else.
#[derive(Template)]
#[template(path = "export.html")]
struct Exported<'a> {
    title: String,
    /// When it was played, and how it ended.
    about: String,
    id: &'a str,
    /// What its deck followed from, in sentences.
    deal: Vec<String>,
    seats: Vec<Seated>,
    styles: [&'static str; 3],
    player: &'static str,
    /// Where its steps stand.
    data: &'static str,
}

/// Who sat on a seat, and how they fared.
struct Seated {
    seat: u8,
    colour: &'static str,
    name: String,
    result: String,
}

impl Exported<'_> {
    fn from_row(row: &MatchRow) -> Exported<'_> {
        let names = seat_names(&row.seats);
        let scores = games::scores(&row.game);
        let seats = row.seats.iter().map(|row| Seated::new(row, &names, scores));
        let seats: Vec<Seated> = seats.collect();
        let names: Vec<&str> = seats.iter().map(|seat| seat.name.as_str()).collect();
        let begun = whole_time(row.started_us);
        let end = match row.cause {
            Some(cause) => format!("{} {}", cause.word().replace('_', " "), row.detail),
            None => "it runs".to_owned(),
        };
        Exported {
            title: format!("{}: {}", row.game, names.join(", ")),
            about: format!("Played {begun}; end: {}.", end.trim().trim_end_matches('.')),
            id: &row.id,
            deal: Vec::new(),
            styles: [
                STYLE,
                include_str!("../api/pages/assets/export.css"),
                include_str!("../api/pages/assets/player.css"),
            ],
            player: concat!(
                include_str!("../api/pages/assets/charts.js"),
                include_str!("../api/pages/assets/player.js")
            ),
            seats,
            data: DATA,
        }
    }
}

impl Seated {
    fn new(row: &SeatRow, names: &Names, scores: Scores) -> Self {
        let score = row.score.map(|score| format!(", {}", scores.full(score)));
        let outcome = match row.win_share {
            Some(1.0) => ", won",
            Some(share) if share > 0.0 => ", shares the win",
            _ => "",
        };
        Self {
            seat: row.seat,
            colour: names.colour(row.seat.into()),
            name: names.name(row.seat.into()),
            result: score.unwrap_or_default() + outcome,
        }
    }
}

/// Where the steps stand in the page.
const DATA: &str = "@steps@";

/// Writes a page that needs nothing else: every step with its picture, and the player.
pub(super) fn html(
    out: &mut impl Write,
    row: &MatchRow,
    deal: Option<&Deal>,
    footage: &Footage,
) -> anyhow::Result<()> {
    let page = Exported {
        deal: deal.map(Deal::notes).unwrap_or_default(),
        ..Exported::from_row(row)
    };
    let page = page.render()?;
    let (before, after) = page
        .rsplit_once(DATA)
        .context("the page has no place for it")?;
    out.write_all(before.as_bytes())?;
    let text = EncoderWriter::new(&mut *out, &STANDARD);
    let mut packed = GzEncoder::new(text, Compression::default());
    steps(&mut packed, footage)?;
    packed.finish()?.finish()?;
    Ok(out.write_all(after.as_bytes())?)
}

/// Every step with its picture, as JSON.
fn steps(out: &mut impl Write, footage: &Footage) -> anyhow::Result<()> {
    write!(out, "{{\"items\":[")?;
    let mut written = Err(anyhow!(NOTHING));
    let mut still: Option<Still> = None;
    let mut kinds = BTreeMap::new();
    let card = footage.kit().card();
    let remarks = footage.steps(|mut step| {
        still = step
            .draw(footage.kit(), footage.names(), Shape::Wide)
            .or(still.take());
        step.state = None;
        let facts = step.facts.iter();
        kinds.extend(facts.map(|one| (one.fact.kind.clone(), card.kind(&one.fact.kind))));
        written = item(out, &step).map_err(Into::into);
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    let Remarks { differences, cut } = remarks?;
    written?;
    let (turn, measures) = card
        .curves
        .map_or(("", &[][..]), |curves| (curves.turn, curves.names));
    let rest = json!({
        "picture": still, "turn": turn, "measures": measures, "kinds": kinds,
        "differences": differences, "cut": cut, "next": null,
    });
    let rest = rest.to_string();
    let rest = rest.strip_prefix('{').unwrap_or_default();
    Ok(write!(out, "],{rest}")?)
}

fn item(out: &mut impl Write, step: &Step) -> io::Result<()> {
    let comma = if step.step == 0 { "" } else { ",\n" };
    write!(out, "{comma}{}", serde_json::to_string(step)?)
}

/// Writes the picture of the first step of a turn, or of the last one before it.
pub(super) fn svg(out: &mut impl Write, footage: &Footage, turn: u32) -> anyhow::Result<()> {
    let (mut shown, mut reached): (Option<Step>, bool) = (None, false);
    let read = footage.steps(|step| {
        if step.turn > turn && shown.is_some() {
            reached = true;
            return ControlFlow::Break(());
        }
        reached = step.turn >= turn;
        shown = Some(step);
        match reached {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    read?;
    let mut step = shown.context(NOTHING)?;
    if !reached {
        bail!("there is no turn {turn}: the last one is {}", step.turn);
    }
    let Some(Still {
        width,
        height,
        still,
    }) = step.draw(footage.kit(), footage.names(), Shape::Wide)
    else {
        bail!("{} has no pictures", footage.kit().card().name);
    };
    let moving = step.picture.unwrap_or_default();
    let picture = Picture {
        width,
        height,
        still,
        moving,
    };
    out.write_all(picture.document(STYLE).as_bytes())?;
    Ok(())
}
