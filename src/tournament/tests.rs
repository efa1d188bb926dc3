//! What tournaments store, and what is read of it again.

use super::{
    Aim, Course, Ended, Extent, Kept, MatchPlayer, Matches, Plan, PlannedMatch, Play, PlayedMatch,
    Playing, Referees, Schedule, Stop, TournamentFile, Watch, counted, keep, open_recording, start,
};
use crate::history::{self, ALL_ROUNDS, PageAt, TournamentMatch};
use crate::link::program::{Load, Machine};
use crate::referee::arbiter::ProgramRules;
use crate::referee::budget::ThinkBudget;
use crate::referee::seat_builtin::Builtins;
use crate::referee::{Draw, Host, HostSettings, InProcess, Pipes, Ports, Recording, SeatSpec};
use crate::store::{NewEntrant, Slot, Store, StoredRound, TournamentRow};
use games::{Cause, Seat};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::{Semaphore, mpsc};

const ID: &str = "01TOURNAMENT00000000000001";
const NAMES: [&str; 4] = ["anna", "ben", "cleo", "dora"];

/// A database with a tournament of one round.
async fn begun(folder: &TempDir, game: &str, extent: Extent) -> (Recording, Store) {
    let (recording, store) = opened(&path(folder), extent).await;
    let entrant = |name: &str| NewEntrant {
        name: name.into(),
        spec: "builtin:random".into(),
        house: false,
    };
    let new = TournamentRow {
        id: ID.into(),
        name: "spring".into(),
        game: game.into(),
        started_us: 1,
        entrants: NAMES.map(entrant).into(),
        ..TournamentRow::default()
    };
    history::create_tournament(&store, new).await.unwrap();
    let round = StoredRound {
        round: 1,
        decision: json!({}),
        decided_us: 2,
    };
    history::add_round(&store, ID, round).await.unwrap();
    (recording, store)
}

fn path(folder: &TempDir) -> std::path::PathBuf {
    folder.path().join("drover.db")
}

async fn opened(path: &Path, extent: Extent) -> (Recording, Store) {
    let recording = open_recording(path, extent).await.unwrap();
    let store = recording.store().unwrap().clone();
    (recording, store)
}

fn plan(game: &str, bots: [&str; 4], extent: Extent) -> Plan {
    let spec = |bot| format!("builtin:{bot}").parse().unwrap();
    Plan {
        names: Vec::new(),
        knowledge: None,
        kit: games::find(game).unwrap(),
        entrants: bots.map(spec).into(),
        options: match game {
            "planowanie" => json!({ "deals": "13 0 4 1" }),
            _ => Value::Null,
        },
        concurrency: NonZeroUsize::new(2).unwrap(),
        record: extent == Extent::Full,
    }
}

/// One round of four at one table, over two decks, with all rotations.
fn planned() -> Vec<PlannedMatch> {
    let schedule = Schedule {
        entrants: 4,
        seats: 4,
        pool: false,
        rotate: true,
        games: 8,
        seed: 9,
    };
    let place = |planned: PlannedMatch| PlannedMatch {
        slot: Some(Slot {
            tournament: ID.into(),
            round: 1,
            table: 0,
            number: planned.number,
            seed: planned.seed,
            entrants: planned.table.iter().map(|at| NAMES[*at].into()).collect(),
            claim: None,
        }),
        ..planned
    };
    schedule.matches().map(place).collect()
}

const BUDGET: ThinkBudget = ThinkBudget::Nodes(1);

/// Plays what is planned and stores it; returns how it counted, by number.
async fn played(
    plan: Plan,
    planned: Vec<PlannedMatch>,
    recording: &Recording,
) -> Vec<super::Counted> {
    played_by(BUDGET, plan, planned, recording).await
}

/// The same with this budget.
async fn played_by(
    budget: ThinkBudget,
    plan: Plan,
    planned: Vec<PlannedMatch>,
    recording: &Recording,
) -> Vec<super::Counted> {
    played_with(in_process(budget), plan, planned, recording).await
}

/// Built-in bots in process.
fn in_process(budget: ThinkBudget) -> Referees {
    Referees::new(Ports::Process(InProcess {
        budget,
        models: false,
        timed: false,
    }))
}

/// The same by this player.
async fn played_with(
    player: impl MatchPlayer + 'static,
    plan: Plan,
    planned: Vec<PlannedMatch>,
    recording: &Recording,
) -> Vec<super::Counted> {
    let (sender, receiver) = mpsc::channel(2);
    let keeping = keep(plan.kit, plan.options.clone(), recording.clone(), receiver);
    let playing = async move {
        let mut all = Vec::new();
        let (plan, player) = (Arc::new(plan), Arc::new(player));
        let mut running = start(plan, planned.into_iter(), player, Arc::default());
        while let Some(finished) = running.next().await {
            let slot = finished.planned.slot;
            all.push((finished.planned.number, finished.counted));
            let mut played = finished.played;
            for before in std::mem::take(&mut played.replaced) {
                sender.send(before.into()).await.unwrap();
            }
            let kept = Kept {
                played,
                slot,
                fills: true,
            };
            sender.send(kept).await.unwrap();
        }
        running.end().await.unwrap();
        all
    };
    let (kept, mut played) = tokio::join!(keeping, playing);
    kept.unwrap();
    played.sort_by_key(|(number, _)| *number);
    played.into_iter().map(|(_, counted)| counted).collect()
}

async fn sessions(store: &Store, of: &[TournamentMatch]) -> usize {
    let mut count = 0;
    for played in of {
        count += history::sessions_of(store.reader(), &played.match_id)
            .await
            .unwrap()
            .len();
    }
    count
}

async fn is_whole(store: &Store) -> bool {
    let mut differences = Vec::new();
    let verified = crate::replay::verify(store, None, |checked| {
        differences.extend(checked.differences.clone());
    });
    let whole = verified.await.unwrap().clean();
    assert!(whole, "{differences:?}");
    whole
}

#[tokio::test]
async fn what_is_stored_counts_as_what_was_played_in_full_and_as_results_alone() {
    for (extent, sessions_kept) in [(Extent::Full, 8 * 4), (Extent::Results, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let (recording, store) = begun(&folder, "planowanie", extent).await;
        let bots = ["random", "greedy", "rules", "random"];
        let plan = || plan("planowanie", bots, extent);
        let counts = played(plan(), planned(), &recording).await;
        let stored = stored_matches(&store).await;
        assert_eq!(stored.len(), 8);
        assert_eq!(sessions(&store, &stored).await, sessions_kept);
        let Plan { kit, options, .. } = plan();
        for ((stored, expected), planned) in stored.iter().zip(&counts).zip(planned()) {
            let slot = planned.slot.unwrap();
            let entrants: Vec<&str> = slot.entrants.iter().map(AsRef::as_ref).collect();
            assert_eq!(stored.entrants, entrants);
            assert_eq!((stored.number, stored.seed), (slot.number, slot.seed));
            let again = PlayedMatch::from(stored.clone());
            let again = counted(kit, &options, &planned.table, &again).unwrap();
            assert_eq!(&again, expected);
            let row = history::match_row(store.reader(), &stored.match_id)
                .await
                .unwrap()
                .unwrap();
            let bot = format!("builtin:{}", bots[planned.table[1]]);
            assert_eq!(row.seats[1].spec, bot);
        }
        assert!(counts.iter().any(|counted| counted.took[0].count() > 0));
        assert!(is_whole(&store).await);
        recording.close().await;
    }
}

#[tokio::test]
async fn what_was_open_when_a_run_ended_is_closed_without_a_place_and_played_again() {
    for extent in [Extent::Full, Extent::Results] {
        let folder = tempfile::tempdir().unwrap();
        let (recording, store) = begun(&folder, "planowanie", extent).await;
        let bots = ["random"; 4];
        let plan = || plan("planowanie", bots, extent);
        let first = planned().into_iter().take(5).collect();
        played(plan(), first, &recording).await;
        // As a run leaves it that is killed between a match's beginning and end.
        let stored = stored_matches(&store).await;
        let row = history::match_row(store.reader(), &stored[0].match_id)
            .await
            .unwrap();
        let mut row = row.unwrap();
        row.id = ulid::Ulid::generate().to_string();
        let orphan = row.id.clone();
        recording
            .open(&row, &[21, 22, 23, 24], &[1, 2, 3, 4])
            .await
            .unwrap();
        recording.close().await;
        drop(store);

        // Whatever this run stores.
        let other = match extent {
            Extent::Full => Extent::Results,
            Extent::Results => Extent::Full,
        };
        let (recording, store) = opened(&path(&folder), other).await;
        assert_eq!(store.live().await.unwrap(), []);
        let row = history::match_row(store.reader(), &orphan)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((row.cause, row.tournament), (Some(Cause::Cancelled), None));
        let numbers = async || {
            let stored = stored_matches(&store).await;
            stored
                .iter()
                .map(|played| played.number)
                .collect::<Vec<_>>()
        };
        let before = numbers().await;
        assert_eq!(before, [0, 1, 2, 3, 4]);
        let mut rest = planned();
        rest.retain(|planned| !before.contains(&planned.number));
        played(plan(), rest, &recording).await;
        assert_eq!(numbers().await, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(is_whole(&store).await);
        recording.close().await;
    }
}

#[tokio::test]
async fn a_place_that_is_filled_stops_a_run_that_would_fill_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let (recording, store) = begun(&folder, "planowanie", Extent::Results).await;
    let plan = plan("planowanie", ["random"; 4], Extent::Results);
    let (kit, options) = (plan.kit, plan.options.clone());
    played(plan, planned().into_iter().take(1).collect(), &recording).await;
    let stored = stored_matches(&store).await;
    let (sender, receiver) = mpsc::channel(1);
    let mut again = PlayedMatch::from(stored[0].clone());
    again.seats = vec!["builtin:random".to_owned(); 4];
    let slot = planned().remove(0).slot;
    let kept = Kept {
        played: again,
        slot,
        fills: true,
    };
    sender.send(kept).await.unwrap();
    drop(sender);
    let refused = keep(kit, options, recording.clone(), receiver).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("UNIQUE"), "{refused}");
    assert_eq!(stored_matches(&store).await, stored);
    recording.close().await;
}

#[tokio::test]
async fn a_built_in_bot_out_of_time_loses_as_on_our_hub() {
    for on_fault in ["forfeit", "abort"] {
        let folder = tempfile::tempdir().unwrap();
        let (recording, store) = begun(&folder, "smartdog", Extent::Full).await;
        let bots = ["champion", "stand", "stand", "stand"];
        let plan = Plan {
            options: json!({
                "map": "meadow", "turnsLimit": 60, "waitForTurn": 1, "on_fault": on_fault
            }),
            ..plan("smartdog", bots, Extent::Full)
        };
        // A search of this many nodes takes far longer than a millisecond.
        let long = ThinkBudget::Nodes(100_000);
        let first = planned().into_iter().take(1).collect();
        let counted = played_by(long, plan, first, &recording).await.remove(0);
        assert_eq!(counted.outcome.cause, Cause::TimeForfeit, "{on_fault}");
        assert_eq!(counted.faults[0], (Seat(0), Cause::TimeForfeit));
        assert_eq!(counted.missed[0], 1);
        let lost = counted.duels.iter().filter(|duel| duel.first == Seat(0));
        assert!(lost.clone().count() > 0 && lost.clone().all(|duel| duel.share < 1.0));
        let stored = stored_matches(&store).await.remove(0);
        assert_eq!((stored.cause, stored.blame), (Cause::TimeForfeit, Some(0)));
        assert!(
            stored.detail.contains("player 1 was out of time"),
            "{stored:?}"
        );
        assert_eq!(stored.scores.is_empty(), on_fault == "abort");
        assert!(is_whole(&store).await);
        recording.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_of_a_host_are_kept_with_their_places() {
    for (extent, sessions_kept) in [(Extent::Full, 4), (Extent::Results, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let (recording, store) = begun(&folder, "koehandel", extent).await;
        let plan = plan("koehandel", ["random"; 4], extent);
        let settings = HostSettings {
            builtins: Some(Builtins {
                budget: BUDGET,
                models: false,
                permits: Arc::new(Semaphore::new(2)),
                programs: Default::default(),
            }),
            ..HostSettings::default()
        };
        let host = Host::new(plan.kit, settings, Recording::none());
        let player = Referees::new(Ports::Callbacks(Arc::clone(&host)));
        let planned = planned().remove(3);
        let expected = planned.slot.clone().unwrap();
        let counts = played_with(player, plan, vec![planned], &recording).await;
        let stored = stored_matches(&store).await;
        let [one] = &stored[..] else {
            panic!("{stored:?}")
        };
        assert_eq!((one.number, one.seed), (expected.number, expected.seed));
        assert_eq!(one.entrants, ["ben", "cleo", "dora", "anna"]);
        assert_eq!(one.scores, counts[0].outcome.scores.values());
        let again = PlayedMatch::from(one.clone());
        assert_eq!(
            (&again.missed, &again.refused, &again.took),
            (&counts[0].missed, &counts[0].refused, &counts[0].took)
        );
        assert!(again.took[0].count() > 0);
        assert_eq!(sessions(&store, &stored).await, sessions_kept);
        assert!(is_whole(&store).await);
        host.stop().await;
        recording.close().await;
    }
}

const CUP: &str = r#"
name = "cup"
games = ["koehandel"]
decks = 2
budget = "1n"
keep = "results"
schedule = { format = "round-robin", laps = 2 }
entrant = [
    { name = "anna", player = "builtin:random" },
    { name = "ben", player = "builtin:random" },
    { name = "cleo", player = "builtin:random" },
    { name = "dora", player = "builtin:random" },
]
"#;

async fn stored_matches(store: &Store) -> Vec<TournamentMatch> {
    let matches = history::tournament_matches(store.reader(), ID, ALL_ROUNDS);
    matches.await.unwrap()
}

/// Plays in process, noting what; stops the run before the match with this place in it.
struct Noting {
    asked: Arc<Mutex<Vec<PlannedMatch>>>,
    stops_at: usize,
}

impl MatchPlayer for Noting {
    fn play<'a>(
        &'a self,
        plan: &'a Plan,
        planned: &'a PlannedMatch,
        seats: Vec<SeatSpec>,
        stop: &'a Stop,
    ) -> Playing<'a> {
        if self.asked.lock().len() == self.stops_at {
            stop.set();
            return Box::pin(std::future::ready(Ok(None)));
        }
        self.asked.lock().push(planned.clone());
        Box::pin(async move {
            let player = in_process(BUDGET);
            player.play(plan, planned, seats, stop).await
        })
    }
}

struct Nobody;

impl Watch for Nobody {}

/// Plays a tournament of this file, stopped once after a number of matches and resumed from the same file; what was played, in
/// order, and its commitment, before and after the stop.
async fn noted(file: &str, stops_at: usize) -> (Vec<PlannedMatch>, [String; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let recording = open_recording(&path(&folder), Extent::Results)
        .await
        .unwrap();
    let file = TournamentFile::read(Path::new("cup.toml"), file).unwrap();
    let cup = || file.cup("koehandel", folder.path()).unwrap();
    let asked = Arc::default();
    let go_on = async |course: &mut Course, stops_at| {
        let play = Play {
            matches: Matches::Here(
                Arc::new(Noting {
                    asked: Arc::clone(&asked),
                    stops_at,
                }),
                NonZeroUsize::MIN,
            ),
            stop: Arc::default(),
            target: &|_, _| Aim::Open(None),
            broken_lose: false,
            watcher: Arc::new(Mutex::new(Nobody)),
        };
        course.play(&play).await.unwrap()
    };
    let commitment = |course: &Course| course.cup().secret.commitment(course.id());
    let mut course = Course::begin(cup(), recording.clone(), Extent::Results)
        .await
        .unwrap();
    let before = commitment(&course);
    assert_eq!(go_on(&mut course, stops_at).await, Ended::Stopped);
    let store = recording.store().unwrap();
    let found = history::tournament(store.reader(), course.id())
        .await
        .unwrap()
        .unwrap();
    let resumed = Course::resume(found, cup(), recording.clone(), Extent::Results).await;
    let mut course = resumed.unwrap();
    let ended = go_on(&mut course, usize::MAX).await;
    assert!(matches!(ended, Ended::Over(_)), "{ended:?}");
    let after = commitment(&course);
    recording.close().await;
    drop(course);
    (
        Arc::into_inner(asked).unwrap().into_inner(),
        [before, after],
    )
}

#[tokio::test]
async fn a_round_plays_all_first_rotations_before_the_second_ones() {
    let (played, _) = noted(CUP, 11).await;
    let order =
        |played: &[PlannedMatch]| -> Vec<u64> { played.iter().map(|one| one.number).collect() };
    // Two decks of four rotations a round, one after the other in number; stopped in the second round, it goes on there.
    assert_eq!(order(&played[..8]), [0, 4, 1, 5, 2, 6, 3, 7]);
    assert_eq!(order(&played[8..]), [8, 12, 9, 13, 10, 14, 11, 15]);
    for pair in played[..8].windows(2) {
        assert_ne!(pair[0].seed, pair[1].seed, "the same deck twice in a row");
    }
}

#[tokio::test]
async fn all_chance_follows_from_a_secret_that_nothing_on_the_wire_leads_to() {
    let chance = |played: &[PlannedMatch]| -> Vec<(u64, u64)> {
        let mut all: Vec<_> = played.iter().collect();
        all.sort_by_key(|one| one.number);
        all.iter().map(|one| (one.seed, one.numbers)).collect()
    };
    let (drawn, [before, after]) = noted(CUP, 3).await;
    assert_eq!(before, after, "a resumed run has the same secret");
    let decks: HashSet<u64> = drawn.iter().map(|one| one.seed).collect();
    assert_eq!(
        decks.len(),
        4,
        "each deck has one seed, before a stop and after it"
    );
    let (other, [of_other, _]) = noted(CUP, 3).await;
    assert_ne!(chance(&drawn), chance(&other));
    assert_ne!(before, of_other);
    // A seed takes its place.
    let seeded = CUP.replace("decks = 2", "decks = 2\nseed = 20261127");
    let (one, _) = noted(&seeded, 3).await;
    let (again, _) = noted(&seeded, 9).await;
    assert_eq!(chance(&one), chance(&again));
    // What was drawn from seeds before: dates were found from the numbers on the wire in a moment.
    for (seed, numbers) in chance(&one) {
        let former = |deck: u64| games::rng::Rng::new(20_261_127, (1 << 50) + deck).bits() >> 11;
        assert!((0..4).all(|deck| former(deck) != seed));
        assert!((0..16).all(|number| Draw::seed(seed, number) != numbers));
    }
}

/// Passes, but is silent the first time that it is started.
const LATE_ONCE: &str = r#"read -r l; if [ -e late ]; then echo '{"name":"late"}'; else touch late; sleep 100; fi
while read -r l; do case "$l" in *'"energy"'*) echo '{"command":"pass"}';; esac; done"#;

#[tokio::test]
async fn a_match_that_the_machine_disturbed_is_played_again_once_and_kept_as_well() {
    for (others, matches) in [(0.5, 2), (0.0, 1)] {
        let folder = tempfile::tempdir().unwrap();
        let (recording, store) = begun(&folder, "lighthouses", Extent::Full).await;
        std::fs::write(folder.path().join("late.sh"), LATE_ONCE).unwrap();
        let program = crate::link::program::ProgramSpec {
            words: ["sh", "late.sh"].map(str::to_owned).into(),
            folder: Some(folder.path().into()),
            ..Default::default()
        };
        let mut plan = plan("lighthouses", ["drifter"; 4], Extent::Full);
        plan.entrants = vec![
            SeatSpec::Program(program),
            "builtin:drifter".parse().unwrap(),
        ];
        plan.options =
            json!({ "rounds": 5, "start_ms": 1_000, "soft_ms": 5_000, "hard_ms": 10_000 });
        let machine = Machine::pretending(Load {
            others,
            own: 1.0 - others,
            ..Load::default()
        });
        let player = Referees::new(Ports::Pipes(Pipes {
            budget: BUDGET,
            models: false,
            rules: ProgramRules {
                machine: Some(machine.clone()),
                replays_max: 1,
                ..ProgramRules::default()
            },
        }));
        let slot = Slot {
            tournament: ID.into(),
            round: 1,
            table: 0,
            number: 0,
            seed: 7,
            entrants: NAMES[..2].iter().map(|name| (*name).into()).collect(),
            claim: None,
        };
        let planned = PlannedMatch {
            number: 0,
            deck: 0,
            of_deck: 1,
            seed: 7,
            numbers: 0,
            table: vec![0, 1],
            slot: Some(slot),
        };
        let counts = played_with(player, plan, vec![planned], &recording).await;
        assert_eq!(machine.report().replayed, matches - 1);
        // Programs that take the machine themselves excuse nobody.
        assert_eq!(counts[0].faults.is_empty(), matches == 2, "{:?}", counts[0]);
        let of_tournament = stored_matches(&store).await;
        assert_eq!(of_tournament.len(), 1);
        let all = history::matches(store.reader(), &Default::default(), &PageAt::first(9))
            .await
            .unwrap();
        assert_eq!(all.items.len() as u64, matches);
        if matches == 2 {
            let id = &of_tournament[0].match_id;
            let other = all.items.iter().find(|row| row.id != *id).unwrap();
            assert_eq!(other.tournament, None);
            let why = "played again, and counts for nothing: others took 50 % of the machine";
            assert!(other.detail.contains(why), "{}", other.detail);
            let here = format!("played in place of {}, which", other.id);
            assert!(
                of_tournament[0].detail.contains(&here),
                "{:?}",
                of_tournament[0]
            );
        }
        recording.close().await;
    }
}
