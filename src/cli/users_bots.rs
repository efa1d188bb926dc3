//! Users' bots on the seats that a verb fills: `bot:NAME` becomes `bot:NAME@VERSION`, the version found at the start.

use super::common::Common;
use super::usage::UsageError;
use crate::config::{Config, Flags};
use crate::link::program::adopt_orphans;
use crate::programs::{BotName, Bots, Launch, Shelf};
use crate::referee::{SeatPrograms, SeatSpec};
use crate::tournament::{Carried, CarriedBot, Cup};
use anyhow::Context as _;
use games::{Kit, Wire};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

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
    seated_from(common, None, within, seats)
}

/// The same, where the bots were `carried` here from those.
fn seated_from<'a>(
    common: &Common,
    carried: Option<&Carried>,
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
    let shelf = Shelf::from_config(&config);
    let get = |name: &BotName| match carried {
        Some(carried) => carried.get(name),
        None => shelf.get(name),
    };
    for (kit, spec) in seats {
        if let SeatSpec::Bot(name) = &*spec {
            let with_name = |why: String| {
                let folder = shelf.folder().display();
                UsageError(format!("seat {spec}: {why} (the shelf is {folder})"))
            };
            let launch = get(name).map_err(|why| with_name(why.to_string()))?;
            if !launch.plays(kit.card().name) {
                let (game, games) = (kit.card().name, launch.games.join(", "));
                let why = format!("it does not play {game}; its games are: {games}");
                return Err(with_name(why).into());
            }
            *spec = SeatSpec::found(name, Some(&launch), kit)?;
        }
    }
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    let mut programs = seat_programs(&config, within);
    if let Some(carried) = carried {
        programs.bots = programs.bots.on(carried.clone());
    }
    Ok(programs)
}

/// Finds the users' bots among a tournament's entrants, in the versions that its `stored` setup names.
///
/// # Errors
/// As [`seated`].
pub(super) fn enter(common: &Common, cup: &mut Cup, stored: Option<&Value>) -> anyhow::Result<()> {
    enter_from(common, None, cup, stored)
}

/// The same, where the bots were `carried` here from those.
///
/// # Errors
/// As [`seated`].
pub(super) fn enter_from(
    common: &Common,
    carried: Option<&Carried>,
    cup: &mut Cup,
    stored: Option<&Value>,
) -> anyhow::Result<()> {
    let (kit, within) = (cup.kit, cup.users_bots.within);
    let seats = cup.meant(stored).map(|spec| (kit, spec));
    cup.users_bots = seated_from(common, carried, within, seats)?;
    cup.users_bots.within = within;
    cup.users_bots.ranked = true;
    if kit.card().wire == Wire::Stdio {
        // One of them is asked at a time.
        cup.users_bots.bots = cup.users_bots.bots.clone().resting();
    }
    Ok(())
}

/// The shelf of this configuration, whose builds end when this token is cancelled.
///
/// # Errors
/// The configuration cannot be used.
pub(super) fn shelf(common: &Common, stop: &CancellationToken) -> anyhow::Result<Shelf> {
    let shelf = Shelf::from_config(&common.load(&Flags::new())?.config);
    Ok(shelf.building_until(stop.clone()))
}

/// The users' bots among a tournament's entrants as workers are to find them, by `bot:NAME@VERSION`.
///
/// # Errors
/// The shelf cannot be read.
pub(super) fn carried(shelf: &Shelf, cup: &Cup) -> anyhow::Result<BTreeMap<String, CarriedBot>> {
    if !cup.has_users_bots() {
        return Ok(BTreeMap::new());
    }
    let kept = shelf.all().context("the shelf cannot be read")?;
    let kept = kept.into_iter().map(|kept| {
        let name = format!("bot:{}@{}", kept.name, kept.version.version);
        let bot = CarriedBot {
            digest: kept.version.digest,
            builds: kept.manifest.is_ok_and(|manifest| manifest.build.is_some()),
        };
        (name, bot)
    });
    let played = |name: &String| {
        let mut entrants = cup.entrants.iter();
        entrants.any(|entrant| entrant.spec.to_string() == *name)
    };
    Ok(kept.filter(|(name, _)| played(name)).collect())
}

/// A user's bot, and the shelf that it is on.
pub(super) struct OnShelf {
    pub(super) launch: Launch,
    pub(super) bots: Bots,
    /// Where that shelf is, if it is for this bot alone.
    pub(super) place: Option<TempDir>,
}

/// The bot that is meant by `text`: `bot:NAME` and `bot:NAME@VERSION` from the shelf, or a bot's folder, which is kept as
/// it would be added: copied, built, confined. Messages begin with what it is `named`.
///
/// # Errors
/// [`UsageError`] if there is none, or it cannot be added; that it was stopped.
pub(super) fn find(
    named: &str,
    text: &str,
    config: &Config,
    stop: &CancellationToken,
) -> anyhow::Result<OnShelf> {
    let (shelf, launch, place) = match text.strip_prefix("bot:") {
        Some(name) => {
            let name: BotName = name
                .parse()
                .map_err(|why| UsageError(format!("{named}: {why}")))?;
            let shelf = Shelf::from_config(config);
            let refused = |why| {
                let folder = shelf.folder().display();
                UsageError(format!("{named}: {why} (the shelf is {folder})"))
            };
            let launch = shelf.get(&name).map_err(refused)?;
            (shelf, launch, None)
        }
        None => {
            let place = tempfile::tempdir().context("cannot make a folder to keep it in")?;
            let shelf = Shelf::from_config(config).at(place.path());
            let shelf = shelf.building_until(stop.clone());
            let added = added(&shelf, Path::new(text));
            if stop.is_cancelled() {
                anyhow::bail!("stopped before it began");
            }
            let launch = added.map_err(|why| UsageError(format!("{named}: {why:#}")))?;
            (shelf, launch, Some(place))
        }
    };
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    let bots = Bots::from_config(config).on(shelf);
    Ok(OnShelf {
        launch,
        bots,
        place,
    })
}

fn added(shelf: &Shelf, folder: &Path) -> anyhow::Result<Launch> {
    let (manifest, _) = shelf.add(folder)?;
    Ok(shelf.get(&BotName {
        name: manifest.name,
        version: None,
    })?)
}

/// How users' bots play, whichever may be seated later.
///
/// # Errors
/// The configuration cannot be used.
pub(super) fn all(common: &Common, within: Option<Duration>) -> anyhow::Result<SeatPrograms> {
    Ok(seat_programs(&common.load(&Flags::new())?.config, within))
}

fn seat_programs(config: &Config, within: Option<Duration>) -> SeatPrograms {
    SeatPrograms {
        bots: Bots::from_config(config),
        within,
        ..SeatPrograms::default()
    }
}
