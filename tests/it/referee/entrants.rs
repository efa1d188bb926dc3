//! A round among entrants that are called by their URLs.

use super::players::{Manner, Player};
use super::{IMPATIENT, url};
use crate::app::{clean, folder};
use drover::history::GameRules;
use drover::history::{self, Filter, PageAt};
use drover::referee::{Host, HostSettings, Ports, Recording};
use drover::store::{Durability, Settings, Slot, Store};
use drover::tournament::{FinishedMatch, Plan, PlannedMatch, Referees, Schedule, run};
use games::Cause;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// All matches of two decks among four entrants.
const GAMES: u64 = 8;
/// Failures in a row after which a player is a filler.
const FAILURES: usize = 10;

/// Matches as those of a tournament, n a round.
fn in_rounds(
    schedule: &Schedule,
    of_round: u64,
) -> impl Iterator<Item = PlannedMatch> + Send + use<> {
    schedule.matches().map(move |planned| PlannedMatch {
        slot: Some(Slot {
            tournament: "".into(),
            round: (planned.number / of_round) as u32,
            table: 0,
            number: planned.number,
            seed: planned.seed,
            entrants: Vec::new(),
            claim: None,
        }),
        ..planned
    })
}

/// The number of a player in a request to it.
fn player_of(target: &str) -> (String, String) {
    let value = |key: &str| {
        let (_, rest) = target.split_once(&format!("{key}=")).unwrap();
        rest.split('&').next().unwrap().to_owned()
    };
    (value("market"), value("&id"))
}

#[test]
fn entrants_of_one_url_stay_apart_and_a_dead_one_holds_up_one_match_only() {
    let (folder, runtime) = (folder(), Runtime::new().unwrap());
    let (store, twins, other, dead) = runtime.block_on(async {
        let settings = Settings::at(folder.path().join("round.db"), GameRules::all());
        let store = Store::open(&settings).await.unwrap();
        let twins = Player::start(Manner::KeepAlive).await;
        let other = Player::start(Manner::Http10).await;
        (store, twins, other, Player::start(Manner::Cuts).await)
    });
    let kit = games::find("koehandel").unwrap();
    let settings = HostSettings {
        http: IMPATIENT,
        ..HostSettings::default()
    };
    let recording = Recording::new(store.clone(), Durability::Process);
    let host = Host::new(kit, settings, recording);
    let ports = Ports::Callbacks(Arc::clone(&host));
    let player = Arc::new(Referees::remembering(ports, HashMap::new()));
    let entrants = [
        ("left", &twins),
        ("right", &twins),
        ("other", &other),
        ("dead", &dead),
    ];
    let plan = Plan {
        kit,
        entrants: entrants.iter().map(|(_, at)| url(&at.url)).collect(),
        names: entrants
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect(),
        knowledge: None,
        options: serde_json::Value::Null,
        concurrency: NonZeroUsize::MIN,
        record: false,
    };
    let schedule = Schedule {
        entrants: 4,
        seats: 4,
        pool: false,
        rotate: true,
        games: GAMES,
        seed: 3,
    };
    let mut finished = Vec::new();
    let matches = in_rounds(&schedule, GAMES / 2);
    let mut each = |one: FinishedMatch| finished.push(one);
    let ran = run(plan.into(), matches, player, Arc::default(), &mut each);
    runtime.block_on(ran).unwrap();
    assert_eq!(finished.len() as u64, GAMES);
    // The one that is called in vain has not played.
    for one in &finished {
        let blames = one.played.blames.iter().map(|blame| blame.cause);
        assert_eq!(one.counted.outcome.cause, Cause::NotPlayed);
        assert_eq!(blames.collect::<Vec<_>>(), [Cause::NotPlayed]);
    }

    // One that did not answer in a match is left out of the round, and has one try in the next.
    assert_eq!(dead.received().len(), FAILURES + 1);
    // Two seats of every match are called at one URL, by numbers of their own.
    let called: HashSet<_> = twins
        .received()
        .iter()
        .map(|target| player_of(target))
        .collect();
    let mut seats: BTreeMap<String, usize> = BTreeMap::new();
    called
        .into_iter()
        .for_each(|(market, _)| *seats.entry(market).or_default() += 1);
    assert_eq!(seats.len() as u64, GAMES);
    assert!(seats.values().all(|seats| *seats == 2), "{seats:?}");

    let at = PageAt::first(100);
    let rows = runtime
        .block_on(history::matches(store.reader(), &Filter::default(), &at))
        .unwrap()
        .items;
    // Newest first; each is stored with its players' names where they sat.
    for (row, one) in rows.iter().rev().zip(&finished) {
        let names: Vec<_> = row
            .seats
            .iter()
            .map(|seat| seat.name.as_deref().unwrap())
            .collect();
        let sat: Vec<_> = one.counted.table.iter().map(|at| entrants[*at].0).collect();
        assert_eq!(names, sat);
        assert_eq!(row.scores, one.counted.outcome.scores.values());
    }
    runtime.block_on(async {
        host.stop().await;
        clean(&store).await;
        store.close().await;
    });
}

#[test]
fn an_entrant_that_answers_again_has_all_its_tries() {
    // It answers every second time.
    let runtime = Runtime::new().unwrap();
    let comes = runtime.block_on(Player::start(Manner::CutsFirst));
    let kit = games::find("koehandel").unwrap();
    let settings = HostSettings {
        http: IMPATIENT,
        ..HostSettings::default()
    };
    let ports = Ports::Callbacks(Host::new(kit, settings, Recording::none()));
    // In a round before.
    let silent = HashMap::from([(0, 7)]);
    let player = Arc::new(Referees::remembering(ports, silent));
    let mut entrants = vec!["builtin:filler".parse().unwrap(); 4];
    entrants[0] = url(&comes.url);
    let plan = Plan {
        kit,
        entrants,
        names: Vec::new(),
        knowledge: None,
        options: serde_json::Value::Null,
        concurrency: NonZeroUsize::MIN,
        record: false,
    };
    let schedule = Schedule {
        entrants: 4,
        seats: 4,
        pool: false,
        rotate: false,
        games: 2,
        seed: 3,
    };
    let mut received = Vec::new();
    let mut each = |_| received.push(comes.received().len());
    let matches = in_rounds(&schedule, 1);
    let ran = run(plan.into(), matches, player, Arc::default(), &mut each);
    runtime.block_on(ran).unwrap();
    // Taken for dead it has one try, which it misses; that of the next match it uses, and all is forgiven.
    assert_eq!(received[0], 1);
    assert!(received[1] > 1 + FAILURES, "{received:?}");
}
