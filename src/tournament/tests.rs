//! What tournaments store, and what is read of it again.

use super::{
    Extent, Hosted, InProcess, Kept, MatchPlayer, Plan, PlannedMatch, PlayedMatch, Schedule, Stop,
    counted, keep, open_recording, run,
};
use crate::referee::budget::ThinkBudget;
use crate::referee::seat_builtin::Builtins;
use crate::referee::{Host, HostSettings, Recording};
use crate::store::{
    ALL_ROUNDS, NewEntrant, NewTournament, Slot, Store, StoredRound, TournamentMatch,
};
use games::{Cause, Seat};
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::Handle;
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
    let new = NewTournament {
        id: ID.into(),
        name: "spring".into(),
        game: game.into(),
        seed: 1,
        setup: Value::Null,
        started_us: 1,
        entrants: NAMES.map(entrant).into(),
    };
    store.create_tournament(new).await.unwrap();
    let round = StoredRound {
        round: 1,
        decision: json!({}),
        decided_us: 2,
    };
    store.add_round(ID, round).await.unwrap();
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
    let player = InProcess {
        budget,
        models: false,
    };
    played_with(player, plan, planned, recording).await
}

/// The same by this player.
async fn played_with(
    player: impl MatchPlayer + Send + 'static,
    plan: Plan,
    planned: Vec<PlannedMatch>,
    recording: &Recording,
) -> Vec<super::Counted> {
    let (sender, receiver) = mpsc::channel(2);
    let keeping = keep(plan.kit, plan.options.clone(), recording.clone(), receiver);
    let playing = tokio::task::spawn_blocking(move || {
        let mut all = Vec::new();
        run(
            &plan,
            planned.into_iter(),
            &player,
            &Stop::default(),
            &mut |finished| {
                let slot = finished.planned.slot;
                all.push((finished.planned.number, finished.counted));
                let played = finished.played;
                sender.blocking_send(Kept { played, slot }).unwrap();
            },
        )
        .unwrap();
        all
    });
    let (kept, played) = tokio::join!(keeping, playing);
    kept.unwrap();
    let mut played = played.unwrap();
    played.sort_by_key(|(number, _)| *number);
    played.into_iter().map(|(_, counted)| counted).collect()
}

async fn sessions(store: &Store, of: &[TournamentMatch]) -> usize {
    let mut count = 0;
    for played in of {
        count += store.sessions_of(&played.match_id).await.unwrap().len();
    }
    count
}

async fn is_whole(store: &Store) -> bool {
    let mut differences = Vec::new();
    let verified = store.verify(None, |checked| {
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
        let stored = store.tournament_matches(ID, ALL_ROUNDS).await.unwrap();
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
            let row = store.match_row(&stored.match_id).await.unwrap().unwrap();
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
        let stored = store.tournament_matches(ID, ALL_ROUNDS).await.unwrap();
        let opened_before = store
            .opened_match(&stored[0].match_id)
            .await
            .unwrap()
            .unwrap();
        let mut row = opened_before;
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
        let row = store.match_row(&orphan).await.unwrap().unwrap();
        assert_eq!((row.cause, row.tournament), (Some(Cause::Cancelled), None));
        let numbers = async || {
            let stored = store.tournament_matches(ID, ALL_ROUNDS).await.unwrap();
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
    let stored = store.tournament_matches(ID, ALL_ROUNDS).await.unwrap();
    let (sender, receiver) = mpsc::channel(1);
    let mut again = PlayedMatch::from(stored[0].clone());
    again.seats = vec!["builtin:random".to_owned(); 4];
    let slot = planned().remove(0).slot;
    let kept = Kept {
        played: again,
        slot,
    };
    sender.send(kept).await.unwrap();
    drop(sender);
    let refused = keep(kit, options, recording.clone(), receiver).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("UNIQUE"), "{refused}");
    assert_eq!(
        store.tournament_matches(ID, ALL_ROUNDS).await.unwrap(),
        stored
    );
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
        // A search of so many nodes takes far longer than a millisecond.
        let long = ThinkBudget::Nodes(100_000);
        let first = planned().into_iter().take(1).collect();
        let counted = played_by(long, plan, first, &recording).await.remove(0);
        assert_eq!(counted.outcome.cause, Cause::TimeForfeit, "{on_fault}");
        assert_eq!(counted.faults[0], (Seat(0), Cause::TimeForfeit));
        assert_eq!(counted.missed[0], 1);
        let lost = counted.duels.iter().filter(|duel| duel.first == Seat(0));
        assert!(lost.clone().count() > 0 && lost.clone().all(|duel| duel.share < 1.0));
        let stored = store
            .tournament_matches(ID, ALL_ROUNDS)
            .await
            .unwrap()
            .remove(0);
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
        let player = Hosted {
            silent: None,
            host: Arc::clone(&host),
            runtime: Handle::current(),
        };
        let planned = planned().remove(3);
        let expected = planned.slot.clone().unwrap();
        let counts = played_with(player, plan, vec![planned], &recording).await;
        let stored = store.tournament_matches(ID, ALL_ROUNDS).await.unwrap();
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
