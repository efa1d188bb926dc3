//! `drover play --from ID:N`: plays a stored match on from one of its entries.

use super::common::Common;
use super::matches::found;
use super::play::on_signal;
use super::play_args::{Output, PlayArgs};
use super::usage::refuse;
use super::users_bots;
use crate::config::Flags;
use crate::link::program::{adopt_orphans, find};
use crate::referee::SeatSpec;
use crate::referee::arbiter::{Ended, FromMatch, play_from};
use crate::referee::budget::ThinkBudget;
use crate::sheet;
use crate::store::{EntryId, MatchRow, Side, Store};
use anyhow::Context as _;
use games::{Kit, Seat, Seats, Wire};
use serde_json::json;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Plays it on, once, and prints how it ends.
pub(super) async fn run(common: &Common, mut args: PlayArgs, from: &str) -> anyhow::Result<()> {
    let split = from.rsplit_once(':');
    let split = split.and_then(|(id, entry)| Some((id, entry.parse::<i64>().ok()?)));
    let Some((id, entry)) = split else {
        return refuse(format!(
            "--from {from}: it takes ID:N, a match and the number of an entry"
        ));
    };
    let config = common.load(&Flags::new())?.config;
    let store = Store::open_readonly(&config.store.path).await?;
    let stored = Stored::read(&store, id, &args).await;
    store.close().await;
    let mut stored = stored?;
    let (kit, row) = (stored.kit, stored.row.clone());
    let within = args.budget.and_then(ThinkBudget::time);
    let seats = stored.seats.iter_mut().map(|spec| (kit, spec));
    args.users_bots = users_bots::seated(common, within, seats)?;
    let rules = args.programs(kit, args.isolation().is_ok())?;
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    let abort = Arc::new(AtomicBool::new(false));
    let (stop, flag) = (on_signal(), Arc::clone(&abort));
    tokio::spawn(async move {
        stop.cancelled().await;
        flag.store(true, Ordering::Relaxed);
    });
    let (budget, models) = (args.budget(kit), !args.no_models);
    let specs: Vec<String> = stored.seats.iter().map(ToString::to_string).collect();
    let teams = kit.teams(&stored.setup.to_string());
    let playing = tokio::task::spawn_blocking(move || {
        let from = FromMatch {
            kit,
            setup: &stored.setup,
            entries: &stored.entries,
            from: EntryId(entry),
            seats: &stored.seats,
            seeds: &stored.seeds,
            budget,
            models,
            rules: &rules,
        };
        play_from(&from, &abort)
    });
    let ended = playing.await.context("playing failed")??;
    let ended = ended.context("it was stopped before its end")?;
    let shares = kit.win_shares_in(teams.as_deref(), &ended.outcome);
    let text = shown(args.output, (kit, &row, entry), &specs, (&ended, &shares))?;
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// What is stored of the match, and who plays it on.
struct Stored {
    kit: &'static dyn Kit,
    row: MatchRow,
    setup: serde_json::Value,
    entries: Vec<(Seat, crate::store::types::Entry)>,
    seats: Vec<SeatSpec>,
    seeds: Vec<u64>,
}

impl Stored {
    async fn read(store: &Store, id: &str, args: &PlayArgs) -> anyhow::Result<Self> {
        let row = found(store, id).await?;
        let kit = store.kit(&row.game);
        let kit = kit.with_context(|| format!("no game is called {}", row.game))?;
        if kit.wire() == Wire::Hub {
            let game = kit.game();
            return refuse(format!(
                "--from: {game} players dial a hub, where a match has no moment between two lines; it can be \
                 replayed and explained, not played on"
            ));
        }
        let opened = store.opened_match(id).await?.filter(|_| row.ours);
        let Some(opened) = opened else {
            return refuse(format!(
                "--from: match {id} had a foreign referee: its state is not known"
            ));
        };
        let seats = seats(kit, &row, &args.seats)?;
        let mut entries = Vec::new();
        let mut seeds = vec![0; seats.len()];
        for session in store.sessions_of(id).await? {
            let seat = session
                .opened
                .seat
                .filter(|_| session.opened.side == Side::Referee);
            let (Some(seat), Some((head, _))) = (seat, store.head(&session).await?) else {
                continue;
            };
            if let Some(seed) = seeds.get_mut(usize::from(seat)) {
                *seed = session.opened.seed;
            }
            let told = store.transcript(session.id, head).await?;
            entries.extend(told.into_iter().map(|entry| (Seat(seat), entry)));
        }
        Ok(Self {
            kit,
            setup: opened.setup,
            row,
            entries,
            seats,
            seeds,
        })
    }
}

/// Who plays on: the bots of ours that played, unless `--seat` names others.
fn seats(kit: &dyn Kit, row: &MatchRow, given: &[String]) -> anyhow::Result<Vec<SeatSpec>> {
    let mut named = Vec::new();
    for text in given {
        let split = text.split_once('=');
        let split = split.and_then(|(seat, spec)| Some((seat.parse::<u8>().ok()?, spec)));
        let Some((seat, spec)) = split else {
            return refuse(format!(
                "--seat {text}: with --from it takes SEAT=SPEC, such as 2=cmd:./mybot"
            ));
        };
        if !row.seats.iter().any(|row| row.seat == seat) {
            return refuse(format!(
                "--seat {text}: the match has {} seats",
                row.seats.len()
            ));
        }
        named.push((seat, spec));
    }
    let seat = |row: &crate::store::SeatRow| {
        let other = named.iter().rfind(|(seat, _)| *seat == row.seat);
        let text = other.map_or(row.spec.as_str(), |(_, spec)| spec);
        let spec: SeatSpec = text.parse()?;
        match &spec {
            SeatSpec::Builtin(_) | SeatSpec::Bot(_) => {}
            SeatSpec::Program(program) if other.is_some() && kit.wire() == Wire::Stdio => {
                find(program)?;
            }
            _ => {
                let (seat, game) = (row.seat, kit.game());
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

fn shown(
    output: Output,
    (kit, row, entry): (&dyn Kit, &MatchRow, i64),
    specs: &[String],
    (ended, shares): (&Ended, &Seats<f64>),
) -> anyhow::Result<String> {
    let seats = specs.iter().zip(ended.outcome.scores.values());
    let seats = seats.zip(shares.values()).zip(0u8..);
    let fault = |seat: u8| ended.blames.iter().find(|blame| blame.seat == Seat(seat));
    let cause = ended.outcome.cause.word();
    if output == Output::Json {
        let seats = seats.map(|(((spec, score), share), seat)| {
            let fault =
                fault(seat).map(|blame| json!({"cause": blame.cause, "detail": blame.detail}));
            json!({"seat": seat, "spec": spec, "score": score, "win_share": share, "fault": fault})
        });
        let seats: Vec<_> = seats.collect();
        let whole = json!({"match": row.id, "from": entry, "cause": cause, "seats": seats});
        return Ok(serde_json::to_string_pretty(&whole)? + "\n");
    }
    let rows = seats.map(|(((spec, score), share), seat)| {
        let fault = fault(seat).map_or_else(String::new, |blame| blame.detail.clone());
        vec![
            seat.to_string(),
            spec.clone(),
            score.to_string(),
            format!("{share:.2}"),
            fault,
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let headings = ["seat", "spec", "score", "win_share", "fault"];
    if output == Output::Csv {
        return Ok(sheet::csv(&headings, &rows)?);
    }
    let head = format!("{} {} from entry {entry}: {cause}\n", kit.game(), row.id);
    Ok(head + &sheet::columns(&headings, &rows, &[]))
}
