//! One round's matches, played by workers: puts them into the queue and waits for their results.

use super::pace::Pace;
use super::task::{Terms, queued};
use super::worker::ATTEMPTS_MAX;
use crate::history;
use crate::referee::{Recording, Refereed, Stop};
use crate::store::{Claimed, Queue, Store, StoreError, Waiting, Wanted};
use crate::tournament::cup::Cup;
use crate::tournament::keep::{Kept, close_orphans, keep};
use crate::tournament::opening::referee_of;
use crate::tournament::played_match::PlayedMatch;
use crate::tournament::schedule::PlannedMatch;
use crate::tournament::standings::PlayedGame;
use crate::tournament::stored::played_game;
use crate::tournament::watch::Watcher;
use anyhow::Context as _;
use games::text::counted;
use games::{Cause, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// For how long nobody may play anything until that is reported.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long this run has to store a match that was given up.
const GIVING_UP: Duration = Duration::from_secs(60);

/// What a round that others play needs.
pub(in crate::tournament) struct Awaited<'a> {
    pub(in crate::tournament) cup: &'a Cup,
    pub(in crate::tournament) store: &'a Store,
    pub(in crate::tournament) recording: &'a Recording,
    pub(in crate::tournament) tournament: &'a str,
    pub(in crate::tournament) round: u32,
    pub(in crate::tournament) terms: Terms,
    pub(in crate::tournament) stop: &'a Stop,
    pub(in crate::tournament) watcher: &'a Watcher,
}

impl Awaited<'_> {
    /// Has these matches played; those that ended before `stop`, which takes out of the queue what nobody plays yet.
    pub(in crate::tournament) async fn play(
        self,
        planned: Vec<PlannedMatch>,
    ) -> anyhow::Result<Vec<PlayedGame>> {
        let queue = Queue::new(self.store.clone());
        let all = planned.iter().cloned();
        let all: Vec<_> = all
            .map(|one| queued(self.cup, one, self.terms.clone()))
            .collect();
        let put = queue.plan(self.tournament, self.round, &all).await;
        put.context("a round cannot be put into the queue")?;
        let mut open: BTreeMap<u64, PlannedMatch> =
            planned.into_iter().map(|one| (one.number, one)).collect();
        let (mut games, mut pace, mut idle) = (Vec::new(), Pace::new(), Idle::default());
        while !open.is_empty() && !self.stop.is_set() {
            match self.look(&open).await {
                Ok((ended, waiting)) => {
                    if !ended.is_empty() {
                        pace = Pace::new();
                    }
                    for game in ended {
                        open.remove(&game.number);
                        self.watcher.lock().ended(&game);
                        games.push(game);
                    }
                    if let Err(error) = self.give_up(&open, &waiting).await {
                        self.away(error)?;
                    }
                    if let Some(why) = idle.seen(&waiting) {
                        self.watcher.lock().waits(&why);
                    }
                }
                Err(error) => self.away(error)?,
            }
            tokio::select! {
                () = self.stop.cancelled() => {}
                () = tokio::time::sleep(pace.wait()) => {}
            }
        }
        match open.is_empty() {
            // What a worker that was killed has left open is nobody's now.
            true => close_orphans(self.recording, &referee_of(self.tournament)).await?,
            false => queue.withdraw(self.tournament, false).await?,
        }
        Ok(games)
    }

    /// The matches that have ended since, and what is in the queue.
    async fn look(
        &self,
        open: &BTreeMap<u64, PlannedMatch>,
    ) -> anyhow::Result<(Vec<PlayedGame>, Vec<Waiting>)> {
        let waiting = Queue::new(self.store.clone())
            .waiting(self.tournament)
            .await?;
        let queued: BTreeSet<u64> = waiting.iter().map(|one| one.number).collect();
        // Whatever has left the queue by now has a result by now.
        let left = open.keys().filter(|number| !queued.contains(number));
        let left: Vec<u64> = left.copied().collect();
        if left.is_empty() {
            return Ok((Vec::new(), waiting));
        }
        let reader = self.store.reader();
        let ended = history::tournament_matches_numbered(reader, self.tournament, &left).await?;
        if ended.len() < left.len() {
            anyhow::bail!(
                "round {}: its matches were taken out of the queue by another run of tournament {}: see whether one goes \
                 on, and resume it otherwise",
                self.round + 1,
                self.tournament
            );
        }
        let named = self.cup.named();
        let (kit, options) = (self.cup.kit, &self.cup.options);
        let ended = ended
            .into_iter()
            .map(|stored| played_game(kit, options, &named, stored));
        Ok((ended.collect::<anyhow::Result<_>>()?, waiting))
    }

    /// A database that is away is waited for; any other error is given back.
    fn away(&self, error: anyhow::Error) -> anyhow::Result<()> {
        match error.downcast_ref() {
            Some(StoreError::Read(_) | StoreError::Unwritable(_)) => {
                let why = format!("waiting for the database: {error:#}");
                self.watcher.lock().waits(&why);
                Ok(())
            }
            _ => Err(error),
        }
    }

    /// Ends what no worker has come to the end of, as nobody's fault.
    async fn give_up(
        &self,
        open: &BTreeMap<u64, PlannedMatch>,
        waiting: &[Waiting],
    ) -> anyhow::Result<()> {
        let hopeless = |one: &&Waiting| one.attempts >= ATTEMPTS_MAX && !one.is_claimed;
        let most = waiting.iter().filter(hopeless).count();
        if most == 0 {
            return Ok(());
        }
        let wanted = Wanted {
            tournament: self.tournament,
            round: self.round,
            worker: "the run itself",
            cmd: true,
            attempts: ATTEMPTS_MAX..u32::MAX,
            most,
            lease: GIVING_UP,
        };
        let claimed = Queue::new(self.store.clone()).claim(&wanted).await?;
        let (sender, kept) = mpsc::channel(claimed.len().max(1));
        for claimed in claimed {
            if let Some(planned) = open.get(&claimed.held.number) {
                let given_up = self.given_up(planned, &claimed);
                self.watcher.lock().waits(&format!(
                    "match {} {}",
                    planned.number + 1,
                    given_up.played.again
                ));
                // There is room for all.
                let _ = sender.try_send(given_up);
            }
        }
        drop(sender);
        let (kit, options) = (self.cup.kit, self.cup.options.clone());
        keep(kit, options, self.recording.clone(), kept).await
    }

    fn given_up(&self, planned: &PlannedMatch, claimed: &Claimed) -> Kept {
        let mut slot = planned.slot.clone();
        if let Some(slot) = &mut slot {
            slot.claim = Some(claimed.held.claim);
        }
        let entrant = |name: &std::sync::Arc<str>| {
            let entrants = self.cup.entrants.iter();
            let found = entrants.clone().find(|entrant| *entrant.name == **name);
            found.map_or(String::new(), |entrant| entrant.spec.to_string())
        };
        let names = slot.iter().flat_map(|slot| &slot.entrants);
        let refereed = Refereed {
            seats: names.map(entrant).collect(),
            ..Refereed::ended(Outcome {
                cause: Cause::Cancelled,
                scores: std::iter::empty::<i64>().collect(),
            })
        };
        let mut played = PlayedMatch::new(planned.number, planned.seed, refereed);
        let last = claimed.failure.as_ref();
        let last = last.map_or(String::new(), |why| format!("; the last one: {why}"));
        played.again = format!(
            "was given up, and is nobody's fault: {} workers began it, and none came to its end{last}",
            claimed.attempts
        );
        Kept {
            played,
            slot,
            fills: true,
        }
    }
}

/// Since when nobody plays anything, and whether that was reported.
#[derive(Default)]
struct Idle {
    since: Option<Instant>,
    reported: bool,
}

impl Idle {
    /// What is to be reported, if it is.
    fn seen(&mut self, waiting: &[Waiting]) -> Option<String> {
        if waiting.is_empty() || waiting.iter().any(|one| one.is_claimed) {
            *self = Self::default();
            return None;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.reported || since.elapsed() < PATIENCE {
            return None;
        }
        self.reported = true;
        let (all, cmd) = (
            waiting.len(),
            waiting.iter().filter(|one| one.needs_cmd).count(),
        );
        let needs = match cmd {
            0 => String::new(),
            _ => format!(", and {cmd} of them for one with --allow-cmd"),
        };
        Some(format!(
            "waiting for a worker (drover worker): {}{needs}",
            counted(all, "match")
        ))
    }
}
