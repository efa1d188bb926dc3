//! Matches planned for entrants that dial our hub with a token.

use super::player::Player;
use super::server::{Hub, settings};
use crate::app::{
    PATIENCE, block_on, clean, dial_from, drover, folder, free_address, ok, refused, until,
};
use drover::gateway::CallbackOptions;
use drover::gateway::hubs::Hubs;
use drover::history::GameRules;
use drover::history::{self, Filter, PageAt};
use drover::referee::budget::ThinkBudget;
use drover::referee::hub::{HubServer, HubSettings, Invited};
use drover::referee::seat_builtin::Builtins;
use drover::referee::{HubPorts, Ports, Recording};
use drover::session::SessionOptions;
use drover::store::{Durability, MatchRow, Settings, Store};
use drover::tournament::{
    FinishedMatch, MatchError, MatchPlayer as _, Plan, PlannedMatch, Referees, Schedule, Stop, run,
};
use games::{Cause, Seat};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Far longer than any test waits.
const LONG: Duration = Duration::from_secs(3_600);
const ENTRANTS: [(&str, &str); 3] = [
    ("ann", "anns-Token-1"),
    ("bob", "bobs-token-2"),
    ("cid", "cids-token-3"),
];

fn invited(names: &[(&str, &str)]) -> Vec<Invited> {
    let one = |(name, token): &(&str, &str)| Invited {
        name: (*name).to_owned(),
        token: token.parse().unwrap(),
    };
    names.iter().map(one).collect()
}

fn hub_settings() -> HubSettings {
    HubSettings {
        invited: invited(&ENTRANTS),
        ..settings(json!({"map": "guards", "turnsLimit": 3}))
    }
}

/// A hub for the entrants, which records in this folder.
fn hub(folder: &Path) -> (Hub, Store) {
    let runtime = Runtime::new().unwrap();
    let settings = Settings::at(folder.join("drover.db"), GameRules::all());
    let store = runtime.block_on(Store::open(&settings)).unwrap();
    let recording = Recording::new(store.clone(), Durability::Process);
    (Hub::on(runtime, hub_settings(), recording), store)
}

fn plan(seats: &[(&str, &str)], concurrency: usize) -> Arc<Plan> {
    Arc::new(Plan {
        kit: games::find("smartdog").unwrap(),
        entrants: seats
            .iter()
            .map(|(_, spec)| spec.parse().unwrap())
            .collect(),
        names: seats.iter().map(|(name, _)| (*name).to_owned()).collect(),
        knowledge: None,
        options: json!(null),
        concurrency: NonZeroUsize::new(concurrency).unwrap(),
        record: true,
    })
}

fn dialled(hub: &Hub, within: Duration) -> Arc<Referees> {
    Arc::new(Referees::new(Ports::Hub(HubPorts {
        hub: Arc::clone(&hub.server),
        builtins: Builtins {
            budget: ThinkBudget::Nodes(1),
            models: false,
            permits: Arc::new(Semaphore::new(2)),
            programs: Default::default(),
        },
        within,
    })))
}

/// This many matches of all the plan's entrants, who change seats.
fn matches(plan: &Plan, games: u64) -> impl Iterator<Item = PlannedMatch> + Send + use<> {
    let seats = plan.entrants.len();
    let schedule = Schedule {
        entrants: seats,
        seats,
        pool: false,
        rotate: true,
        games,
        seed: 5,
    };
    schedule.matches()
}

/// Plays them, in order of their numbers.
fn played(
    hub: &Hub,
    plan: &Arc<Plan>,
    player: &Arc<Referees>,
    planned: impl Iterator<Item = PlannedMatch> + Send + 'static,
) -> Result<Vec<FinishedMatch>, MatchError> {
    let mut finished = Vec::new();
    let (plan, player) = (Arc::clone(plan), Arc::clone(player));
    let mut each = |one| finished.push(one);
    hub.runtime
        .block_on(run(plan, planned, player, Arc::default(), &mut each))?;
    finished.sort_by_key(|one: &FinishedMatch| one.planned.number);
    Ok(finished)
}

/// An entrant that dials for one game after another until the hub is gone, as clients of this contest do.
fn comes_again<'scope>(
    scope: &'scope Scope<'scope, '_>,
    hub: SocketAddr,
    (name, token): (&'static str, &'static str),
) -> ScopedJoinHandle<'scope, usize> {
    scope.spawn(move || {
        let mut games = 0;
        while let Ok(mut stream) = TcpStream::connect(hub) {
            let join = format!("join {name} {token}\n");
            if stream.write_all(join.as_bytes()).is_err() {
                break;
            }
            let mut player = Player::on(stream);
            let answer = player.line().unwrap_or_default();
            assert!(["wait ", "error Nobody is let in at present", ""].contains(&&*answer));
            while let Some(line) = player.line() {
                match &*line {
                    // A client that does not know what it said before is no danger to its token.
                    "turn" => player.say(&format!("{join}end\n")),
                    line => games += usize::from(line.starts_with("finished")),
                }
            }
        }
        games
    })
}

fn rows(hub: &Hub, store: &Store) -> Vec<MatchRow> {
    let at = PageAt::first(100);
    let page = hub
        .runtime
        .block_on(history::matches(store.reader(), &Filter::default(), &at));
    page.unwrap().items
}

/// Every text that is stored of the matches' seats.
fn transcripts(hub: &Hub, store: &Store) -> String {
    let recording = Recording::new(store.clone(), Durability::Process);
    let mut all = String::new();
    for row in rows(hub, store) {
        for seat in 0..row.seats.len() {
            let seat = Seat(seat as u8);
            let entries = recording.transcript("smartdog", row.market, seat);
            let entries = hub.runtime.block_on(entries).unwrap().unwrap();
            entries
                .iter()
                .for_each(|entry| all += &(entry.text.clone() + "\n"));
        }
    }
    all
}

fn scores(finished: &[FinishedMatch]) -> Vec<(Cause, Vec<i64>)> {
    let one = |one: &FinishedMatch| {
        let outcome = &one.counted.outcome;
        (outcome.cause, outcome.scores.values().to_vec())
    };
    finished.iter().map(one).collect()
}

#[test]
fn only_the_invited_come_in_in_either_form() {
    let hub = Hub::on(Runtime::new().unwrap(), hub_settings(), Recording::none());
    let mut player = Player::dial(hub.address);
    for refused in [
        "join ann",
        "join ann duet",
        "join ann bobs-token-2",
        "join eve anns-token-1",
        "join ann:bobs-token-2 duet",
    ] {
        player.say(&format!("{refused}\n"));
        assert_eq!(
            player.line().as_deref(),
            Some("error No such hub"),
            "{refused}"
        );
    }
    assert_eq!(hub.server.waiting(), 0);
    // The same connection may try again, as it does with the other spelling of a hub's name.
    player.say("join ann #ANNS-token-1\n");
    assert_eq!(player.line().as_deref(), Some("wait "));
    let mut other = Player::join(hub.address, "bob:bobs-token-2", "duet");
    assert_eq!(other.line().as_deref(), Some("wait "));
    hub.waiting(2);
    drop(player);
    hub.waiting(1);
    hub.drain(PATIENCE);
    assert_eq!(other.line(), None);
}

#[test]
fn who_tries_tokens_is_slowed_down_and_nobody_else() {
    const TRIES: usize = 200;
    let hub = Hub::on(Runtime::new().unwrap(), hub_settings(), Recording::none());
    let dial = || Player::on(dial_from([127, 0, 0, 2], hub.address));
    let (mut looked_at, mut connections, mut tried) = (0, 0, 0);
    while tried < TRIES {
        let mut player = dial();
        connections += 1;
        loop {
            player.say(&format!("join ann wrong-token-{tried}\n"));
            let Some(answer) = player.line() else { break };
            tried += 1;
            looked_at += usize::from(answer == "error No such hub");
        }
    }
    // More than two dozen take minutes.
    assert!(
        (20..25).contains(&looked_at),
        "{looked_at} of {tried} were looked at"
    );
    assert!(connections >= TRIES / 10, "a connection ends after some");
    // Not even the right one opens now, from there; from elsewhere it does.
    let mut late = dial();
    late.say("join ann anns-token-1\n");
    let answer = late.line().unwrap();
    assert!(
        answer.starts_with("error Too many wrong tokens"),
        "{answer}"
    );
    let mut ann = Player::join(hub.address, "ann", "anns-token-1");
    assert_eq!(ann.line().as_deref(), Some("wait "));
    hub.waiting(1);
    hub.drain(PATIENCE);
}

#[test]
fn entrants_of_one_name_or_token_are_refused() {
    let error = |names: &[(&str, &str)]| {
        let settings = HubSettings {
            invited: invited(names),
            ..hub_settings()
        };
        let opened = block_on(HubServer::open(settings, Recording::none()));
        opened.err().unwrap().to_string()
    };
    let twice = error(&[ENTRANTS[0], ("ann", "another-token")]);
    assert_eq!(twice, "entrant \"ann\" is given twice");
    let shared = error(&[ENTRANTS[0], ("bob", "ANNS-TOKEN-1")]);
    assert!(
        shared.contains("\"ann\" and \"bob\" have the same token"),
        "{shared}"
    );
}

#[test]
fn entrants_that_dial_for_every_game_play_all_their_matches_and_no_token_is_kept() {
    let folder = folder();
    let (hub, store) = hub(folder.path());
    let plan = plan(
        &[("ann", "remote"), ("bob", "remote"), ("cid", "remote")],
        3,
    );
    let player = dialled(&hub, LONG);
    let finished = std::thread::scope(|scope| {
        let clients = ENTRANTS.map(|entrant| comes_again(scope, hub.address, entrant));
        let finished = played(&hub, &plan, &player, matches(&plan, 6)).unwrap();
        hub.drain(PATIENCE);
        for client in clients {
            assert_eq!(client.join().unwrap(), 6);
        }
        finished
    });
    assert_eq!(scores(&finished), vec![(Cause::Normal, vec![0, 0, 0]); 6]);
    // Each decision was timed: three turns.
    assert!(
        finished
            .iter()
            .all(|one| one.counted.took.iter().all(|took| took.count() == 3))
    );
    let rows = rows(&hub, &store);
    assert_eq!(rows.len(), 6);
    for row in &rows {
        let mut names: Vec<_> = row
            .seats
            .iter()
            .filter_map(|seat| seat.name.clone())
            .collect();
        names.sort();
        assert_eq!(names, ["ann", "bob", "cid"]);
        assert!(row.seats.iter().all(|seat| seat.spec == "remote"));
    }
    let kept = transcripts(&hub, &store);
    assert!(kept.contains("join ann ***") && kept.contains("You are playing already"));
    assert!(!kept.to_lowercase().contains("-token-"));
    hub.runtime.block_on(clean(&store));
    hub.runtime.block_on(store.close());
}

#[test]
fn who_does_not_come_loses_and_is_not_waited_for_again() {
    let folder = folder();
    let (hub, store) = hub(folder.path());
    let plan = plan(
        &[
            ("ann", "remote"),
            ("bob", "remote"),
            ("dog", "builtin:stand"),
        ],
        1,
    );
    let short = dialled(&hub, Duration::from_millis(200));
    let (finished, later) = std::thread::scope(|scope| {
        let clients = [ENTRANTS[0]].map(|entrant| comes_again(scope, hub.address, entrant));
        hub.waiting(1);
        let first = played(&hub, &plan, &short, matches(&plan, 3).take(1)).unwrap();
        // An hour's wait for each would be noticed.
        let long = dialled(&hub, LONG);
        let later = played(&hub, &plan, &long, matches(&plan, 3).skip(1)).unwrap();
        hub.drain(PATIENCE);
        clients
            .into_iter()
            .for_each(|client| assert_eq!(client.join().unwrap(), 3));
        (first, later)
    });
    let mut lost = vec![0; 3];
    lost[1] = -1_000;
    assert_eq!(scores(&finished), [(Cause::Disconnect, lost)]);
    assert_eq!(finished[0].counted.faults, [(Seat(1), Cause::Disconnect)]);
    assert_eq!(later.len(), 2);
    for one in &later {
        let bob = one
            .planned
            .table
            .iter()
            .position(|entrant| *entrant == 1)
            .unwrap();
        assert_eq!(one.counted.faults, [(Seat(bob as u8), Cause::Disconnect)]);
        assert_eq!(one.counted.outcome.scores.values()[bob], -1_000);
    }
    let row = &rows(&hub, &store)[2];
    assert_eq!(
        (row.detail.as_str(), row.blame),
        ("player 2 (bob) did not come", Some(1))
    );
    assert_eq!(row.seats[2].name.as_deref(), Some("dog"));
    assert_eq!(row.seats[2].spec, "builtin:stand");
    hub.runtime.block_on(clean(&store));
    hub.runtime.block_on(store.close());
}

#[test]
fn who_leaves_in_the_middle_loses_that_match_only() {
    let folder = folder();
    let (hub, store) = hub(folder.path());
    let plan = plan(&[("ann", "remote"), ("dog", "builtin:shipped")], 1);
    let player = dialled(&hub, LONG);
    let finished = std::thread::scope(|scope| {
        let address = hub.address;
        let leaves = scope.spawn(move || {
            let mut first = Player::join(address, "ann", "anns-token-1");
            first.until("turn");
            drop(first);
            let mut second = Player::join(address, "ann", "anns-token-1");
            assert_eq!(second.line().as_deref(), Some("wait "));
            second.play_out()
        });
        let finished = played(&hub, &plan, &player, matches(&plan, 2)).unwrap();
        assert!(leaves.join().unwrap().starts_with("finished"));
        finished
    });
    let causes: Vec<Cause> = scores(&finished).iter().map(|(cause, _)| *cause).collect();
    assert_eq!(causes, [Cause::Disconnect, Cause::Normal]);
    assert_eq!(finished[0].counted.faults, [(Seat(0), Cause::Disconnect)]);
    assert_eq!(finished[0].counted.outcome.scores.values()[0], -1_000);
    assert_eq!(finished[1].counted.faults, []);
    assert_eq!(rows(&hub, &store)[1].detail, "player 1 (ann) left");
    hub.runtime.block_on(clean(&store));
    hub.runtime.block_on(store.close());
}

#[test]
fn a_stop_ends_the_wait_and_what_cannot_be_played_says_why() {
    let hub = Hub::on(Runtime::new().unwrap(), hub_settings(), Recording::none());
    let player = dialled(&hub, LONG);
    let waits = plan(&[("ann", "remote"), ("bob", "remote")], 1);
    let stop = Stop::default();
    let planned = matches(&waits, 1).next().unwrap();
    let playing = player.play(&waits, &planned, waits.entrants.clone(), &stop);
    let stopped = hub
        .runtime
        .block_on(async { tokio::join!(playing, async { stop.set() }) });
    assert!(stopped.0.unwrap().is_none());
    let refusal = |seats: &[(&str, &str)]| {
        let plan = plan(seats, 1);
        let error = played(&hub, &plan, &player, matches(&plan, 1)).err();
        error.unwrap().to_string()
    };
    let unknown = refusal(&[("eve", "remote"), ("dog", "builtin:stand")]);
    assert_eq!(unknown, "match 0: \"eve\" is not invited to this hub");
    let bot = refusal(&[("ann", "remote"), ("dog", "builtin:cat")]);
    assert!(bot.contains("no built-in bot \"cat\""), "{bot}");
    let program = refusal(&[("ann", "remote"), ("dog", "cmd:./dog")]);
    assert!(program.contains("players dial a hub"), "{program}");
    let closed = std::thread::scope(|scope| {
        let playing = scope.spawn(|| played(&hub, &waits, &player, matches(&waits, 1)));
        hub.drain(PATIENCE);
        playing.join().unwrap().err().unwrap().to_string()
    });
    assert_eq!(closed, "match 0: the hub is closing");
}

#[test]
fn a_tournament_of_entrants_that_dial_is_stored_with_its_places() {
    let (folder, address) = (folder(), free_address());
    let cup = format!(
        "name = \"cup\"\ngames = [\"smartdog\"]\nlisten = \"{address}\"\nbudget = \"1n\"\n\
         [schedule]\nformat = \"round-robin\"\nlaps = 1\n\
         [game.smartdog]\nseats = 2\noptions = {{ map = \"guards\", turnsLimit = 3 }}\n\
         [[entrant]]\nname = \"ann\"\nplayer = \"remote\"\ntoken = \"{}\"\n\
         [[entrant]]\nname = \"bob\"\nplayer = \"remote\"\ntoken = \"{}\"\n\
         [[entrant]]\nname = \"dog\"\nplayer = \"builtin:stand\"\n",
        ENTRANTS[0].1, ENTRANTS[1].1
    );
    std::fs::write(folder.path().join("cup.toml"), cup).unwrap();
    let tournament = |arguments: &[&str]| {
        let mut command = drover();
        command.current_dir(folder.path()).arg("tournament");
        command.args(arguments);
        command
    };
    let playing = tournament(&["run", "cup.toml"])
        .stdout(Stdio::piped())
        .spawn();
    let playing = playing.unwrap();
    until(|| TcpStream::connect(address).is_ok());
    std::thread::scope(|scope| {
        let clients = [ENTRANTS[0], ENTRANTS[1]].map(|one| comes_again(scope, address, one));
        let said = ok(playing.wait_with_output().unwrap());
        assert!(said.contains("over: all rounds are played"), "{said}");
        clients
            .into_iter()
            .for_each(|client| assert_eq!(client.join().unwrap(), 4));
    });
    // As they were played: each pair on both sides of its table.
    let lines = ok(tournament(&["export", "--output", "lines"])
        .output()
        .unwrap());
    assert_eq!(lines.lines().count(), 6, "{lines}");
    for name in ["\"ann\"", "\"bob\"", "\"dog\""] {
        let its = lines.lines().filter(|line| line.contains(name));
        assert_eq!(its.count(), 4, "{lines}");
    }
    let export = ok(tournament(&["export"]).output().unwrap());
    let standings: Value = serde_json::from_str(&export).unwrap();
    for one in standings["entrants"].as_array().unwrap() {
        // Those that dial join again in every turn.
        let refused = one["refused"].as_u64().unwrap();
        assert_eq!(refused > 0, one["name"] != "dog", "{one}");
    }
    let all = export + &lines;
    assert!(!all.to_lowercase().contains("-token-"), "{all}");
}

#[test]
fn a_match_given_up_for_all_is_lost_by_who_did_not_come_and_counts_for_nobody_else() {
    let (folder, address) = (folder(), free_address());
    let cup = format!(
        "name = \"cup\"\ngames = [\"smartdog\"]\nlisten = \"{address}\"\nbudget = \"1n\"\nwithin = \"1s\"\n\
         [schedule]\nformat = \"round-robin\"\nlaps = 1\n\
         [game.smartdog]\nseats = 3\noptions = {{ map = \"guards\", turnsLimit = 3, on_fault = \"abort\" }}\n\
         [[entrant]]\nname = \"ann\"\nplayer = \"remote\"\ntoken = \"{}\"\n\
         [[entrant]]\nname = \"dog\"\nplayer = \"builtin:stand\"\n\
         [[entrant]]\nname = \"cat\"\nplayer = \"builtin:stand\"\n",
        ENTRANTS[0].1
    );
    std::fs::write(folder.path().join("cup.toml"), cup).unwrap();
    let tournament = |arguments: &[&str]| {
        let mut command = drover();
        command.current_dir(folder.path()).arg("tournament");
        ok(command.args(arguments).output().unwrap())
    };
    tournament(&["run", "cup.toml"]);
    let check = || {
        let export: Value = serde_json::from_str(&tournament(&["export"])).unwrap();
        let records = |name: &str| {
            let entrants = export["entrants"].as_array().unwrap();
            let one = entrants.iter().find(|one| one["name"] == name).unwrap();
            [&one["won"], &one["drawn"], &one["lost"]].map(|count| count.as_u64().unwrap())
        };
        assert_eq!(
            ["ann", "dog", "cat"].map(records),
            [[0, 0, 6], [3, 0, 0], [3, 0, 0]]
        );
    };
    check();
    // Read back from the database, too.
    tournament(&["resume", "cup.toml"]);
    check();
    let lines = tournament(&["export", "--output", "lines"]);
    std::fs::write(folder.path().join("lines"), lines).unwrap();
    let mut rate = drover();
    let rate = rate
        .current_dir(folder.path())
        .args(["rate", "lines", "--output", "json"]);
    let rated: Value = serde_json::from_str(&ok(rate.output().unwrap())).unwrap();
    let games: Vec<_> = rated["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["games"])
        .collect();
    assert_eq!(games, [3, 3, 6], "{rated}");
}

#[test]
fn a_port_that_is_taken_is_reported_before_anything_is_played_or_stored() {
    let (folder, taken) = (folder(), TcpListener::bind("127.0.0.1:0").unwrap());
    let address = taken.local_addr().unwrap();
    let cup = format!(
        "name = \"cup\"\ngames = [\"planowanie\", \"smartdog\"]\nlisten = \"{address}\"\nbudget = \"1n\"\n\
         [schedule]\nformat = \"round-robin\"\n\
         [[entrant]]\nname = \"ann\"\nplayer = {{ smartdog = \"remote\" }}\ntoken = \"{}\"\n\
         [[entrant]]\nname = \"dog\"\nplayer = \"builtin:random\"\n\
         [[entrant]]\nname = \"cat\"\nplayer = \"builtin:random\"\n",
        ENTRANTS[0].1
    );
    std::fs::write(folder.path().join("cup.toml"), cup).unwrap();
    let tournament = |arguments: &[&str]| {
        let mut command = drover();
        command.current_dir(folder.path()).arg("tournament");
        command.args(arguments).output().unwrap()
    };
    let said = refused(tournament(&["run", "cup.toml"]), 1);
    assert!(
        said.contains(&format!("listen: {address} cannot be listened on")),
        "{said}"
    );
    let list = ok(tournament(&["list"]));
    assert_eq!(list.lines().count(), 1, "{list}");
}

#[test]
fn our_own_connections_to_hubs_play_as_an_entrant() {
    let folder = folder();
    let hub = Hub::on(Runtime::new().unwrap(), hub_settings(), Recording::none());
    let stop = CancellationToken::new();
    let settings = Settings::at(folder.path().join("drover.db"), GameRules::all());
    let (site, hubs) = hub.runtime.block_on(async {
        let (sessions, callbacks) = (SessionOptions::default(), CallbackOptions::default());
        let site = drover::daemon::Site::start(&settings, sessions, callbacks, None);
        let site = site.await.unwrap();
        let plan = drover::config::Hub {
            game: "smartdog".to_owned(),
            address: hub.address.to_string(),
            hub: "#anns-token-1".to_owned(),
            name: "ann".to_owned(),
            bot: "random".to_owned(),
            seats: 1,
        };
        let hubs = Hubs::start(&[plan], &site.sessions, &stop);
        (site, hubs)
    });
    let plan = plan(&[("ann", "remote"), ("dog", "builtin:random")], 1);
    let finished = played(&hub, &plan, &dialled(&hub, LONG), matches(&plan, 3)).unwrap();
    assert!(finished.iter().all(|one| one.counted.faults.is_empty()));
    until(|| hubs.list()[0].games == 3);
    stop.cancel();
    hub.runtime.block_on(async {
        hubs.ended().await;
        site.sessions.close().await;
        site.stop().await.unwrap();
    });
}
