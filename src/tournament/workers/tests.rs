//! A run and a worker that share a database.

use super::{Engagement, Hired, Players, Terms, Worker, stored_cup, work};
use crate::history;
use crate::referee::{Refereed, SeatSpec, StartError, Stop};
use crate::tournament::player::{MatchPlayer, Plan, Playing};
use crate::tournament::schedule::PlannedMatch;
use crate::tournament::{
    Aim, Course, Ended, Extent, Matches, Play, TournamentFile, Watch, open_recording,
};
use futures_util::future::BoxFuture;
use games::{Cause, Outcome};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const FILE: &str = r#"
name = "Cup"
games = ["planowanie"]
seed = 3
budget = "7n"
decks = 2
seats = 4
[schedule]
format = "round-robin"
[[entrant]]
name = "A"
player = "builtin:rules"
[[entrant]]
name = "B"
run = ["./bot", "a word"]
folder = "bots"
memory_mib = 9
[[entrant]]
name = "C"
player = "builtin:random"
[[entrant]]
name = "D"
player = "bot:mine@2"
"#;

/// Wins for the first seat, but for one match, which it can never play.
struct Failing;

const HOPELESS: u64 = 3;

impl MatchPlayer for Failing {
    fn play<'a>(
        &'a self,
        _: &'a Plan,
        planned: &'a PlannedMatch,
        seats: Vec<SeatSpec>,
        _: &'a Stop,
    ) -> Playing<'a> {
        Box::pin(async move {
            if planned.number == HOPELESS {
                return Err(StartError::Stopping.into());
            }
            let outcome = Outcome {
                cause: Cause::Normal,
                scores: [9, 1, 1, 1].into_iter().collect(),
            };
            Ok(Some(Refereed {
                seats: seats.iter().map(ToString::to_string).collect(),
                ..Refereed::ended(outcome)
            }))
        })
    }
}

impl Players for Failing {
    fn hire(&self, engagement: Engagement) -> BoxFuture<'_, anyhow::Result<Hired>> {
        let hired = Hired {
            cup: engagement.cup,
            player: Arc::new(Self),
            end: Box::pin(std::future::ready(())),
        };
        Box::pin(std::future::ready(Ok(hired)))
    }
}

/// What a run said that it waits for.
#[derive(Default)]
struct Said(Vec<String>);

impl Watch for Said {
    fn waits(&mut self, why: &str) {
        self.0.push(why.to_owned());
    }
}

#[tokio::test]
async fn a_match_that_no_worker_comes_to_the_end_of_is_given_up_and_nobodys_fault() {
    let folder = tempfile::tempdir().unwrap();
    let file = TournamentFile::read(Path::new("cup.toml"), FILE).unwrap();
    let cup = file.cup("planowanie", Path::new("/here")).unwrap();
    let recording = open_recording(folder.path().join("drover.db"), Extent::Results);
    let recording = recording.await.unwrap();
    let store = recording.store().unwrap().clone();
    let mut course = Course::begin(cup, recording.clone(), Extent::Results)
        .await
        .unwrap();
    let row = history::tournament(store.reader(), course.id());
    let row = row.await.unwrap().unwrap();
    let stored = stored_cup(&row).unwrap();
    let cup = course.cup();
    assert_eq!(stored.entrants, cup.entrants);
    assert_eq!(
        (stored.budget, stored.seats, stored.decks, &stored.setup),
        (cup.budget, cup.seats, cup.decks, &cup.setup)
    );
    assert_eq!(stored.drawn("deck", 1), cup.drawn("deck", 1));

    let worker = Worker {
        store: store.clone(),
        players: Arc::new(Failing),
        name: "ann".to_owned(),
        concurrency: NonZeroUsize::new(2).unwrap(),
        cmd: true,
        until_idle: None,
    };
    let end = CancellationToken::new();
    let stops = end.clone();
    let worker = tokio::spawn(async move { work(&worker, &stops).await });
    let said = Arc::new(Mutex::new(Said::default()));
    let play = Play {
        matches: Matches::Workers(Terms {
            extent: Extent::Results,
            replays_max: 1,
            bots: BTreeMap::new(),
        }),
        stop: Arc::default(),
        target: &|_, _| Aim::Open(None),
        broken_lose: false,
        watcher: Arc::clone(&said) as _,
    };
    let ended = course.play(&play).await.unwrap();
    assert!(matches!(ended, Ended::Over(_)), "{ended:?}");
    end.cancel();
    assert_eq!(worker.await.unwrap(), 7);

    let all = history::tournament_matches(store.reader(), course.id(), 0..9);
    let all = all.await.unwrap();
    assert_eq!(all.len(), 8);
    for played in all {
        let hopeless = played.number == HOPELESS;
        let cause = if hopeless {
            Cause::Cancelled
        } else {
            Cause::Normal
        };
        assert_eq!((played.cause, played.blame), (cause, None), "{played:?}");
        let why = "5 workers began it, and none came to its end; the last one: ann: ";
        assert_eq!(played.detail.contains(why), hopeless, "{}", played.detail);
    }
    let said = said.lock().0.join("\n");
    assert!(said.contains("match 4 was given up"), "{said}");
    recording.close().await;
}
