//! `drover play --from ID:N`: plays a stored match on from one of its entries.

use super::common::{Common, notify};
use super::database::found;
use super::play_args::{PlayArgs, SEED, rule_options, with_timeout};
use super::played::Played;
use super::seat_arg::{SeatArg, shown};
use super::stopping::{STOPPED, on_signal};
use super::store_arg::store_flags;
use super::trouble::Failures;
use super::usage::{UsageError, refuse};
use super::users_bots;
use crate::clock::now_us;
use crate::config::Flags;
use crate::history;
use crate::history::GameRules;
use crate::link::program::{adopt_orphans, find};
use crate::referee::arbiter::{FromMatch, play_from};
use crate::referee::budget::ThinkBudget;
use crate::referee::{Pipes, Refereed, SeatSpec};
use crate::store::{EntryId, MatchRow, Side, Store};
use crate::tournament::{
    Conditions, Counted, FinishedMatch, Origin, PlannedMatch, PlayedMatch, Report, Tally,
    counted_seats,
};
use anyhow::Context as _;
use games::{Kit, Seat, Wire};
use serde_json::Value;
use std::process::ExitCode;
use std::time::Instant;

/// Plays it on, once, and prints how it ends.
pub(super) async fn run(
    common: &Common,
    mut args: PlayArgs,
    from: &str,
) -> anyhow::Result<ExitCode> {
    let (id, entry) = place(from)?;
    let flags = args.store.as_ref().map_or_else(Flags::new, store_flags);
    let config = common.load(&flags)?.config;
    let store = Store::open_readonly(config.store.location(), GameRules::all()).await?;
    let stored = Stored::read(&store, id, &args).await;
    store.close().await;
    let mut stored = stored?;
    let (kit, row) = (stored.kit, stored.row.clone());
    let within = args.budget.and_then(ThinkBudget::time);
    let seats = stored.seats.iter_mut().map(|spec| (kit, spec));
    args.users_bots = users_bots::seated(common, within, seats)?;
    let isolated = match stored.has_program() {
        true => args.isolation(),
        false => Ok(()),
    };
    let mut rules = args.programs(kit, isolated.is_ok())?;
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    let (budget, models) = (args.budget(kit), !args.no_models);
    let options = with_timeout(kit, rule_options(kit, &args.options)?, args.timeout)?;
    let changed = changed(&stored.row.setup, &options)?;
    let failures = Failures::default();
    let all_reported = failures.receive_reports(&mut rules.bots);
    let specs: Vec<String> = stored.seats.iter().map(ToString::to_string).collect();
    let teams = kit.card().teams_of(&stored.row.setup.to_string());
    let seed = args.seed.unwrap_or(SEED);
    let mut conditions = Conditions {
        game: kit.card().name.to_owned(),
        games_planned: 1,
        seed,
        budget,
        options,
        pool: false,
        rotated: false,
        models,
        wire: false,
        not_isolated: isolated.err(),
        machine: None,
        when_silent: kit.card().stdio.when_silent,
        from: None,
    };
    let (began, started_us) = (Instant::now(), now_us());
    let from = FromMatch {
        kit,
        setup: stored.row.setup,
        changed,
        entries: stored.entries,
        from: EntryId(entry),
        seats: stored.seats,
        seeds: stored.seeds,
        pipes: Pipes {
            budget,
            models,
            rules,
        },
    };
    let Some(ended) = play_from(from, &on_signal()).await? else {
        notify("the match was stopped before its end");
        return Ok(ExitCode::from(STOPPED));
    };
    conditions.from = Some(Origin {
        match_id: row.id,
        entry,
        cause: ended.outcome.cause,
    });
    let refereed = Refereed {
        started_us,
        seats: specs.clone(),
        ..ended
    };
    let played = PlayedMatch::new(0, 0, refereed);
    let counted = counted_seats(kit, teams.as_deref(), &played);
    let mut tally = Tally::new(specs.len());
    tally.add([&counted]);
    failures.ended(&finished(seed, counted, played));
    if specs.iter().any(|spec| spec.starts_with("bot:")) {
        all_reported.wait().await;
    }
    let report = Report::new(conditions, &specs, &tally, began.elapsed());
    Played::new(&report.with_failures(&failures.take()), args.output)?.print()
}

/// The match and the number of its entry that `--from` names.
fn place(from: &str) -> anyhow::Result<(&str, i64)> {
    let split = from.rsplit_once(':');
    let split = split.and_then(|(id, entry)| Some((id, entry.parse::<i64>().ok()?)));
    match split {
        Some(place) => Ok(place),
        None => refuse(format!(
            "--from {from}: it takes ID:N, a match and the number of an entry"
        )),
    }
}

/// The only match of this run.
fn finished(seed: u64, counted: Counted, played: PlayedMatch) -> FinishedMatch {
    let seats = played.seats.len();
    FinishedMatch {
        planned: PlannedMatch {
            number: 0,
            deck: 0,
            of_deck: 1,
            seed,
            numbers: seed,
            table: (0..seats).collect(),
            slot: None,
        },
        counted,
        played,
    }
}

/// The setup with these options instead of its own; `None` without any.
fn changed(setup: &Value, options: &Value) -> anyhow::Result<Option<Value>> {
    let Some(options) = options.as_object() else {
        return Ok(None);
    };
    let mut changed = setup.clone();
    for (name, value) in options {
        let mut places = Vec::new();
        called(&mut changed, name, &mut places);
        match places.as_mut_slice() {
            [place] => **place = value.clone(),
            _ => {
                return refuse(format!(
                    "--option {name}: with --from it cannot be changed: it belongs to how the match began"
                ));
            }
        }
    }
    Ok(Some(changed))
}

/// The values of this name in an object and in those that it holds.
fn called<'a>(value: &'a mut Value, name: &str, found: &mut Vec<&'a mut Value>) {
    for (key, value) in value.as_object_mut().into_iter().flatten() {
        match key == name {
            true => found.push(value),
            false => called(value, name, found),
        }
    }
}

/// What is stored of the match, and who plays it on.
struct Stored {
    kit: &'static dyn Kit,
    row: MatchRow,
    entries: Vec<(Seat, crate::store::types::Entry)>,
    seats: Vec<SeatSpec>,
    seeds: Vec<u64>,
}

impl Stored {
    fn has_program(&self) -> bool {
        let mut seats = self.seats.iter();
        seats.any(|spec| matches!(spec, SeatSpec::Program(_)))
    }

    async fn read(store: &Store, id: &str, args: &PlayArgs) -> anyhow::Result<Self> {
        let row = found(store, id).await?;
        let kit = store.reader().kit(&row.game);
        let kit = kit.with_context(|| format!("no game is called {}", row.game))?;
        if kit.card().wire == Wire::Hub {
            let game = kit.card().name;
            return refuse(format!(
                "--from: {game} players dial a hub, where a match has no moment between two lines; it can be \
                 replayed and explained, not played on"
            ));
        }
        if !row.ours {
            return refuse(format!(
                "--from: match {id} had a foreign referee: its state is not known"
            ));
        }
        let seats = seats(kit, &row, &args.seats)?;
        let mut entries = Vec::new();
        let mut seeds = vec![0; seats.len()];
        for session in history::sessions_of(store.reader(), id).await? {
            let opened = &session.opened;
            let Some(seat) = opened.seat.filter(|_| opened.side == Side::Referee) else {
                continue;
            };
            let stored = history::whole_transcript(store.reader(), &session).await?;
            if stored.is_empty() {
                continue;
            }
            if let Some(seed) = seeds.get_mut(usize::from(seat)) {
                *seed = opened.seed;
            }
            entries.extend(stored.into_iter().map(|entry| (Seat(seat), entry)));
        }
        Ok(Self {
            kit,
            row,
            entries,
            seats,
            seeds,
        })
    }
}

/// Who plays on: our bots that played, unless `--seat` names others.
fn seats(kit: &dyn Kit, row: &MatchRow, given: &[String]) -> anyhow::Result<Vec<SeatSpec>> {
    let mut named = Vec::new();
    for text in given {
        let split = text.split_once('=');
        let split = split.and_then(|(seat, spec)| Some((seat.parse::<SeatArg>().ok()?, spec)));
        let Some((seat, spec)) = split else {
            return refuse(format!(
                "--seat {text}: with --from it takes SEAT=SPEC, such as 2=cmd:./mybot"
            ));
        };
        let seat = seat.among(&row.id, row.seats.iter().map(|row| row.seat));
        let seat = seat.map_err(|why| UsageError(format!("--seat {text}: {why}")))?;
        named.push((seat, spec));
    }
    let seat = |row: &crate::store::SeatRow| {
        let other = named.iter().rfind(|(seat, _)| *seat == row.seat);
        let text = other.map_or(row.spec.as_str(), |(_, spec)| spec);
        let spec: SeatSpec = text.parse()?;
        match &spec {
            SeatSpec::Builtin(_) | SeatSpec::Bot(_) => {}
            SeatSpec::Program(program) if other.is_some() && kit.card().wire == Wire::Stdio => {
                find(program).map_err(|why| UsageError(format!("seat {spec}: {why}")))?;
            }
            _ => {
                let (seat, game) = (shown(row.seat), kit.card().name);
                return refuse(match other {
                    Some(_) => format!(
                        "--seat {seat}={text}: {game} is played on here by builtin:NAME, bot:NAME or, where players are programs, by cmd:PROGRAM"
                    ),
                    None => format!(
                        "seat {seat} was played by {text:?}; say who plays on: --seat {seat}=SPEC"
                    ),
                });
            }
        }
        Ok(spec)
    };
    row.seats.iter().map(seat).collect()
}
