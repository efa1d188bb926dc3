//! The course of a tournament: round after round is decided, stored, played and counted, until it is over.

use super::chance::SECRET;
use super::cup::Cup;
use super::cup::Models;
use super::cup::VERSIONS;
use super::entrant::Entrant;
use super::file::FOLDERS;
use super::keep::{Extent, close_orphans};
use super::knowledge::Knowledge;
use super::opening::{is_shared, referee_of};
use super::player::MatchPlayer;
use super::round::Here;
use super::schedule::{PlannedMatch, SEED_BITS};
use super::sides::Sides;
use super::standings::{PlayedGame, Standings, results};
use super::stored::{NOT_ISOLATED, Remarks, StoredTournament, standings_of};
use super::watch::Watcher;
use super::workers::{Awaited, Terms};
use crate::clock::now_us;
use crate::history;
use crate::referee::{Recording, Stop};
use crate::store::Store;
use crate::store::types::{NewEntrant, Slot, StoredRound, TournamentRow};
use anyhow::Context as _;
use games::Cause;
use ratings::schedule::{Format, Past, Round};
use ratings::{Settings, fit};
use serde_json::Value;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// What of a setup may differ when a tournament is resumed: nothing that was played depends on it.
const FREE: [&str; 5] = [SECRET, "until", "minutes_max", "precision", "rank_by"];

/// Whether a tournament has played enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aim {
    /// It has: why, in words.
    Reached(String),
    /// It has not; what is open, in words, if there is something to say.
    Open(Option<String>),
}

/// What ends a tournament before all rounds are played. Asked after every round.
pub type Target<'a> = &'a (dyn Fn(&Cup, &[PlayedGame]) -> Aim + Send + Sync);

/// What follows the rounds so far.
enum Decided {
    Next(Round),
    /// Nothing: why, in words.
    Over(String),
}

/// How a run of a tournament ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It is over, and why.
    Over(String),
    /// It was stopped; it can be resumed.
    Stopped,
}

/// Where matches are played.
pub enum Matches {
    /// In this process: what plays them, and how many at once.
    Here(Arc<dyn MatchPlayer>, NonZeroUsize),
    /// By workers of the database, on these terms.
    Workers(Terms),
}

/// How matches are played.
pub struct Play<'a> {
    /// Where they are played.
    pub matches: Matches,
    /// Ends it where it is.
    pub stop: Arc<Stop>,
    /// Ends it early.
    pub target: Target<'a>,
    /// Whether it goes on where in every match of a round a program could not be started.
    pub broken_lose: bool,
    /// Follows it.
    pub watcher: Watcher,
}

/// A tournament in the database.
pub struct Course {
    cup: Cup,
    id: Arc<str>,
    store: Store,
    recording: Recording,
    /// Whether transcripts are stored.
    records: bool,
    rounds: Vec<Round>,
    /// By number.
    games: Vec<PlayedGame>,
    ended: Option<String>,
    /// In microseconds since 1970-01-01 UTC.
    started_us: i64,
    /// Why programs were not isolated from each other, in some of its rounds at least.
    not_isolated: Option<String>,
    /// What built-in bots have learnt in the rounds that are over, if they learn.
    knowledge: Option<Arc<Knowledge>>,
}

impl Course {
    /// Whether a stored tournament was begun with what this one is to be played by.
    #[must_use]
    pub fn fits(found: &TournamentRow, cup: &Cup) -> bool {
        difference(&fixed(&found.setup), &fixed(&cup.setup)).is_none()
    }

    /// Begins a tournament.
    ///
    /// # Errors
    /// If it cannot be stored.
    pub async fn begin(cup: Cup, recording: Recording, extent: Extent) -> anyhow::Result<Self> {
        let store = stored_in(&recording)?;
        let id = ulid::Ulid::generate().to_string();
        let entrants = cup.entrants.iter().map(|entrant| NewEntrant {
            name: entrant.name.clone(),
            spec: entrant.spec.to_string(),
            house: entrant.house,
        });
        let started_us = now_us();
        let new = TournamentRow {
            id: id.clone(),
            name: cup.name.clone(),
            game: cup.kit.card().name.to_owned(),
            setup: cup.setup.clone(),
            started_us,
            entrants: entrants.collect(),
            ..TournamentRow::default()
        };
        let stored = history::create_tournament(&store, new).await;
        stored.context("the tournament cannot be stored")?;
        Ok(Self {
            not_isolated: cup.not_isolated.clone(),
            knowledge: None,
            started_us,
            cup,
            id: id.into(),
            store,
            recording,
            records: extent == Extent::Full,
            rounds: Vec::new(),
            games: Vec::new(),
            ended: None,
        })
    }

    /// Takes up a stored tournament where it was left.
    ///
    /// # Errors
    /// If it cannot be read or written, or was begun from another file.
    pub async fn resume(
        found: TournamentRow,
        mut cup: Cup,
        recording: Recording,
        extent: Extent,
    ) -> anyhow::Result<Self> {
        let store = stored_in(&recording)?;
        let stored = StoredTournament::read(&store, found).await?;
        let went_on = cup.go_on(&stored.row.setup);
        went_on.with_context(|| format!("tournament {}", stored.row.id))?;
        if let Some(what) = difference(&fixed(&stored.row.setup), &fixed(&cup.setup)) {
            let id = &stored.row.id;
            anyhow::bail!(
                "tournament {id} was begun with another {what}: resume it with the file that it was begun with"
            );
        }
        if stored.row.setup != cup.setup {
            let changed =
                history::change_tournament_setup(&store, &stored.row.id, cup.setup.clone());
            changed.await.context("the tournament cannot be stored")?;
        }
        Ok(Self {
            not_isolated: stored.not_isolated.or_else(|| cup.not_isolated.clone()),
            knowledge: None,
            started_us: stored.row.started_us,
            ended: stored.row.ended_us.map(|_| stored.row.ended_why),
            cup,
            id: stored.row.id.into(),
            store,
            recording,
            records: extent == Extent::Full,
            rounds: stored.rounds,
            games: stored.games,
        })
    }

    /// The standings so far.
    ///
    /// # Errors
    /// If its file ranks by what is not known.
    pub fn standings(&self) -> anyhow::Result<Standings> {
        let remarks = Remarks {
            not_isolated: self.not_isolated.as_deref(),
            over: self.ended(),
        };
        standings_of(&self.cup.setup, remarks, &self.cup.named(), &self.games)
    }

    /// When it began, in microseconds since 1970-01-01 UTC.
    #[must_use]
    pub fn started_us(&self) -> i64 {
        self.started_us
    }

    /// Its number in the database.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What is played.
    #[must_use]
    pub fn cup(&self) -> &Cup {
        &self.cup
    }

    /// The matches that have ended, by number.
    #[must_use]
    pub fn games(&self) -> &[PlayedGame] {
        &self.games
    }

    /// Why it is over, if it is.
    #[must_use]
    pub fn ended(&self) -> Option<&str> {
        self.ended.as_deref()
    }

    /// Plays on to the end, or until it is stopped. Every match that ended is stored when this returns.
    ///
    /// # Errors
    /// The first of playing or storing.
    pub async fn play(&mut self, play: &Play<'_>) -> anyhow::Result<Ended> {
        if let Some(why) = &self.ended {
            return Ok(Ended::Over(why.clone()));
        }
        if let Matches::Here(..) = play.matches
            && is_shared(&self.recording)
        {
            close_orphans(&self.recording, &referee_of(&self.id)).await?;
        }
        // What the rounds so far taught is added again as they are gone through.
        self.knowledge = (self.cup.models == Models::Learn).then(Arc::default);
        for at in 0.. {
            if at == self.rounds.len() {
                match self.decide(play)? {
                    Decided::Next(round) => self.add(round).await?,
                    Decided::Over(why) => {
                        let ended =
                            history::end_tournament(&self.store, &self.id, now_us(), why.clone());
                        ended
                            .await
                            .context("the tournament's end cannot be stored")?;
                        self.ended = Some(why.clone());
                        return Ok(Ended::Over(why));
                    }
                }
            }
            let before = self.games.len();
            if !self.play_round(at, play).await? {
                break;
            }
            if !play.broken_lose && self.games.len() > before {
                self.check_programs(at)?;
            }
            self.learn(at).await?;
        }
        Ok(Ended::Stopped)
    }

    /// The next round, or why there is none. All matches so far are stored: what is decided rests on them.
    fn decide(&self, play: &Play<'_>) -> anyhow::Result<Decided> {
        let aim = match self.rounds.is_empty() {
            true => Aim::Open(None),
            false => (play.target)(&self.cup, &self.games),
        };
        if let Aim::Reached(why) = aim {
            return Ok(Decided::Over(why));
        }
        // Only groups are made by ratings: others need not wait for them.
        let rated = match self.cup.format {
            Format::Groups { .. } => &self.games[..],
            _ => &[],
        };
        let (results, points) = (results(&self.cup.named(), rated)?, self.points());
        let fit = fit(&results, &Settings::default()).ok();
        let past = Past {
            rounds: &self.rounds,
            points: &points,
            results: &results,
            fit: fit.as_ref(),
        };
        let next = self.cup.format.next(&self.cup.field(), &past);
        let all = "all rounds are played".to_owned();
        Ok(match (next, aim) {
            (Some(round), _) => Decided::Next(round),
            (None, Aim::Open(Some(open))) => Decided::Over(format!("{all}; {open}")),
            (None, _) => Decided::Over(all),
        })
    }

    /// Stores a round's decision.
    async fn add(&mut self, round: Round) -> anyhow::Result<()> {
        let mut decision = serde_json::to_value(&round)?;
        if let (Some(why), Some(decision)) = (&self.cup.not_isolated, decision.as_object_mut()) {
            decision.insert(NOT_ISOLATED.to_owned(), why.as_str().into());
        }
        let stored = StoredRound {
            round: round.number,
            decision,
            decided_us: now_us(),
        };
        let added = history::add_round(&self.store, &self.id, stored).await;
        added.context("a round cannot be stored")?;
        self.rounds.push(round);
        Ok(())
    }

    /// The points that each place of each table has won, by round.
    fn points(&self) -> Vec<Vec<Vec<f64>>> {
        let tables = |round: &Round| {
            let tables = round.tables.iter();
            tables.map(|table| vec![0.0; table.len()]).collect()
        };
        let mut points: Vec<Vec<Vec<f64>>> = self.rounds.iter().map(tables).collect();
        for game in &self.games {
            let (round, at) = (game.round as usize, game.table as usize);
            let table = self
                .rounds
                .get(round)
                .and_then(|round| round.tables.get(at));
            let won = points.get_mut(round).and_then(|tables| tables.get_mut(at));
            let Some((table, won)) = table.zip(won) else {
                continue;
            };
            for (first, second, score) in game.pairs() {
                let shares = [(first, score.share()), (second, score.turned().share())];
                for (entrant, share) in shares {
                    let place = table.iter().position(|other| *other == entrant);
                    if let Some(sum) = place.and_then(|place| won.get_mut(place)) {
                        *sum += share;
                    }
                }
            }
        }
        points
    }

    /// Plays what is not played of a round; whether all of it is now.
    async fn play_round(&mut self, at: usize, play: &Play<'_>) -> anyhow::Result<bool> {
        let done: HashSet<u64> = self.games.iter().map(|game| game.number).collect();
        let mut left = self.planned(at)?;
        left.retain(|planned| !done.contains(&planned.number));
        if left.is_empty() {
            return Ok(true);
        }
        if let Some(round) = self.rounds.get(at) {
            play.watcher.lock().round(round, left.len());
        }
        let expected = left.len();
        let games = match &play.matches {
            Matches::Here(player, concurrency) => {
                let (knowledge, records) = (self.knowledge.clone(), self.records);
                let here = Here {
                    plan: Arc::new(self.cup.plan(knowledge, *concurrency, records)),
                    player,
                    recording: self.recording.clone(),
                    stop: &play.stop,
                    watcher: &play.watcher,
                };
                here.play(left).await?
            }
            Matches::Workers(terms) => {
                let awaited = Awaited {
                    cup: &self.cup,
                    store: &self.store,
                    recording: &self.recording,
                    tournament: &self.id,
                    round: at as u32,
                    terms: terms.clone(),
                    stop: &play.stop,
                    watcher: &play.watcher,
                };
                awaited.play(left).await?
            }
        };
        let whole = games.len() == expected;
        self.games.extend(games);
        self.games.sort_by_key(|game| game.number);
        Ok(whole)
    }

    /// Programs that could be started before and now cannot in any match are more likely to be missing on this machine
    /// than to be at fault: the rounds to come are not lost for that.
    fn check_programs(&self, at: usize) -> anyhow::Result<()> {
        let mut of_round = self.games.iter().filter(|game| game.round as usize == at);
        let mut broken = HashSet::new();
        let all = of_round.all(|game| {
            let counted = &game.counted;
            let faults = counted.faults.iter();
            let failed = faults.filter(|(_, cause)| *cause == Cause::InitFailure);
            let failed: Vec<_> = failed
                .filter_map(|(seat, _)| counted.table.get(seat.index()))
                .collect();
            broken.extend(failed.iter().copied().copied());
            !failed.is_empty()
        });
        if !all {
            return Ok(());
        }
        let named = |(at, entrant): (usize, &Entrant)| {
            broken.contains(&at).then(|| format!("{:?}", entrant.name))
        };
        let names: Vec<_> = self
            .cup
            .entrants
            .iter()
            .enumerate()
            .filter_map(named)
            .collect();
        anyhow::bail!(
            "round {}: in every match a program could not be started, of {}: fix that before you go on, or let such \
             programs lose with --broken-lose",
            at + 1,
            names.join(", ")
        )
    }

    /// Learns from a round that is over, if bots learn: from what is stored of it, so that a resumed run comes to
    /// know the same.
    async fn learn(&mut self, at: usize) -> anyhow::Result<()> {
        let Some(knowledge) = &mut self.knowledge else {
            return Ok(());
        };
        let lessons = history::tournament_lessons(self.store.reader(), &self.id, at as u32).await;
        let lessons = lessons.context("what a round taught cannot be read")?;
        Arc::make_mut(knowledge).add(self.cup.kit, lessons);
        Ok(())
    }

    /// The matches of a round, in the order in which they are played: all first rotations, then all second ones, so that
    /// what an entrant remembers of a deck is as old as can be.
    fn planned(&self, at: usize) -> anyhow::Result<Vec<PlannedMatch>> {
        let (cup, decks) = (&self.cup, u64::from(self.cup.decks));
        let names: Vec<Arc<str>> = cup
            .named()
            .into_iter()
            .map(|named| named.name.into())
            .collect();
        let before = self.rounds.iter().take(at).flat_map(|round| &round.tables);
        let mut number: u64 = before
            .map(|table| cup.rotations(table) as u64 * decks)
            .sum();
        let mut all = Vec::new();
        let tables = self.rounds.get(at).map_or(&[][..], |round| &round.tables);
        for (table, entrants) in (0u32..).zip(tables) {
            for deck in (0..decks).map(|deck| at as u64 * decks + deck) {
                let seed = cup.drawn("deck", deck) >> (u64::BITS - SEED_BITS);
                let (of_deck, mut seated) = (cup.rotations(entrants), entrants.clone());
                for rotation in 0..of_deck {
                    let sides = Sides::new(cup.kit, &cup.options, &seated)?;
                    let slot = Slot {
                        tournament: Arc::clone(&self.id),
                        round: at as u32,
                        table,
                        number,
                        seed,
                        entrants: sides
                            .entrants()
                            .filter_map(|entrant| names.get(entrant).cloned())
                            .collect(),
                        claim: None,
                    };
                    let planned = PlannedMatch {
                        number,
                        deck,
                        of_deck,
                        seed,
                        numbers: cup.drawn("numbers", number),
                        table: seated.clone(),
                        slot: Some(slot),
                    };
                    all.push((rotation, planned));
                    seated.rotate_right(1);
                    number += 1;
                }
            }
        }
        all.sort_by_key(|(rotation, planned): &(usize, PlannedMatch)| (*rotation, planned.number));
        Ok(all.into_iter().map(|(_, planned)| planned).collect())
    }
}

fn stored_in(recording: &Recording) -> anyhow::Result<Store> {
    let store = recording.store().cloned();
    store.context("a tournament needs a database")
}

/// What of a setup is the same for all of a tournament.
fn fixed(setup: &Value) -> Value {
    let mut fixed = setup.clone();
    if let Some(fixed) = fixed.as_object_mut() {
        fixed.retain(|key, _| !FREE.contains(&key.as_str()));
    }
    fixed
}

/// What differs first, in words.
fn difference(stored: &Value, given: &Value) -> Option<String> {
    let (of_stored, of_given) = (stored.as_object()?, given.as_object()?);
    let mut keys = of_stored.keys().chain(of_given.keys());
    let key = keys.find(|key| of_stored.get(*key) != of_given.get(*key))?;
    let (stored, given) = (&stored[key], &given[key]);
    let of_entrant = match key.as_str() {
        VERSIONS => difference(stored, given).map(|name| ("version".to_owned(), name)),
        FOLDERS => difference(stored, given).map(|name| ("folder".to_owned(), name)),
        "entrant" => {
            let mut pairs = stored
                .as_array()
                .into_iter()
                .flatten()
                .zip(given.as_array().into_iter().flatten());
            let found = pairs.find_map(|(stored, given)| Some((difference(stored, given)?, given)));
            found.map(|(what, given)| (what, given["name"].as_str().unwrap_or_default().to_owned()))
        }
        _ => None,
    };
    Some(match of_entrant {
        Some((what, name)) => format!("{what} of entrant {name:?}"),
        None => key.clone(),
    })
}
