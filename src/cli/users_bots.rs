//! Users' bots on the seats that a verb fills: `bot:NAME` becomes `bot:NAME@VERSION`, the version found at the start.

use super::common::Common;
use super::usage::UsageError;
use crate::config::{Config, Flags};
use crate::link::program::adopt_orphans;
use crate::programs::{Bots, Shelf};
use crate::referee::{SeatPrograms, SeatSpec};
use anyhow::Context as _;
use games::Kit;
use std::time::Duration;

/// How users' bots play there if some of these seats are theirs; a decision takes as long as the wire allows, and at most
/// `within`.
///
/// # Errors
/// [`UsageError`] for a bot that is not on the shelf, or does not play the game; the shelf cannot be read.
pub(super) fn seated<'a>(
    common: &Common,
    within: Option<Duration>,
    seats: impl Iterator<Item = (&'static dyn Kit, &'a mut SeatSpec)>,
) -> anyhow::Result<SeatPrograms> {
    let mut seats = seats
        .filter(|(_, spec)| matches!(spec, SeatSpec::Bot(_)))
        .peekable();
    if seats.peek().is_none() {
        return Ok(SeatPrograms::default());
    }
    let config = common.load(&Flags::new())?.config;
    let shelf = Shelf::of(&config);
    for (kit, spec) in seats {
        if let SeatSpec::Bot(name) = &*spec {
            let told = |why: String| {
                let folder = shelf.folder().display();
                UsageError(format!("seat {spec}: {why} (the shelf is {folder})"))
            };
            let launch = shelf.get(name).map_err(|why| told(why.to_string()))?;
            if !launch.plays(kit.game()) {
                let (game, games) = (kit.game(), launch.games.join(", "));
                let why = format!("it does not play {game}; its games are: {games}");
                return Err(told(why).into());
            }
            *spec = SeatSpec::found(name, Some(&launch), kit)?;
        }
    }
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    Ok(of(&config, within))
}

/// How users' bots play, whichever may be seated later.
///
/// # Errors
/// The configuration cannot be used.
pub(super) fn all(common: &Common, within: Option<Duration>) -> anyhow::Result<SeatPrograms> {
    Ok(of(&common.load(&Flags::new())?.config, within))
}

fn of(config: &Config, within: Option<Duration>) -> SeatPrograms {
    SeatPrograms {
        bots: Bots::of(config),
        within,
        ..SeatPrograms::default()
    }
}
