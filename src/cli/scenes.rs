//! `drover match export --html` and `--svg`: a stored match to be looked at.

use crate::replay::{Footage, Step, Still, View, seats};
use crate::store::{MatchRow, Store};
use anyhow::{Context as _, anyhow, bail};
use games::Picture;
use games::scene::STYLE;
use serde_json::json;
use std::io::{self, Write};
use std::ops::ControlFlow;

const PLAYER_STYLE: &str = concat!(
    include_str!("../api/pages/assets/export.css"),
    include_str!("../api/pages/assets/player.css"),
);
const PLAYER: &str = include_str!("../api/pages/assets/player.js");

const NOTHING: &str = "nothing of this match is to be seen";

/// Reads what everybody could see, or what one seat was told.
pub(super) async fn footage(
    store: &Store,
    row: &MatchRow,
    seat: Option<u8>,
) -> anyhow::Result<Footage> {
    let sessions = store.sessions_of(&row.id).await?;
    let view = View::of(&sessions, seat, true).with_context(|| {
        let known = seats(&sessions).into_iter().flatten();
        let known: Vec<String> = known.map(|seat| seat.to_string()).collect();
        format!("give one of its seats with --seat: {}", known.join(", "))
    })?;
    Ok(store.footage(row, view).await?)
}

/// Writes a page that needs nothing else: every step with its picture, and the player.
pub(super) fn html(out: &mut impl Write, row: &MatchRow, footage: &Footage) -> anyhow::Result<()> {
    let name = format!("{} {}", row.game, row.id);
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}</title>\n<style>\n{STYLE}{PLAYER_STYLE}</style>\n</head>\n<body>\n\
         <main>\n<h1>{name}</h1>\n<div id=\"replay\"></div>\n\
         <noscript>The replay is shown by a script in this page.</noscript>\n</main>\n\
         <script type=\"application/json\" id=\"replay-data\">{{\"items\":["
    )?;
    let mut written = Err(anyhow!(NOTHING));
    let mut still: Option<Still> = None;
    let differences = footage.steps(|mut step| {
        still = step.draw(footage.kit()).or(still.take());
        written = item(out, &step).map_err(Into::into);
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    });
    let differences = differences.map_err(|why| anyhow!("{why}"))?;
    written?;
    let rest = json!({ "picture": still, "differences": differences, "next": null });
    let rest = data(&rest)?;
    let rest = rest.strip_prefix('{').unwrap_or_default();
    write!(
        out,
        "],{rest}</script>\n<script>\n{PLAYER}</script>\n</body>\n</html>\n"
    )?;
    Ok(())
}

fn item(out: &mut impl Write, step: &Step) -> io::Result<()> {
    let comma = if step.step == 0 { "" } else { ",\n" };
    write!(out, "{comma}{}", data(step)?)
}

/// JSON that may stand inside a script element.
fn data(value: &impl serde::Serialize) -> io::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

/// Writes the picture of the first step of a turn, or of the last one before it.
pub(super) fn svg(out: &mut impl Write, footage: &Footage, turn: u32) -> anyhow::Result<()> {
    let mut shown: Option<Step> = None;
    let read = footage.steps(|step| {
        if step.turn > turn && shown.is_some() {
            return ControlFlow::Break(());
        }
        let found = step.turn >= turn;
        shown = Some(step);
        match found {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    read.map_err(|why| anyhow!("{why}"))?;
    let mut step = shown.context(NOTHING)?;
    let Some(Still {
        width,
        height,
        still,
    }) = step.draw(footage.kit())
    else {
        bail!("{} has no pictures", footage.kit().game());
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
