//! Verifies a store: every transcript is replayed and compared with what is stored.

use super::dialogue::{Line, replay};
use super::seat::fold_seat;
use super::setup::dialogue_setup;
use super::table::{DIFFERENCES_MAX, replay_match};
use crate::history::{self, EntryCounts, FactRow, SessionRow};
use crate::store::types::{Direction, Entry, EntryId, MatchRow, Side};
use crate::store::{Store, StoreError};
use crate::thinking::guarded;
use games::{Cause, DialogueSetup, Ending, Fact, Kit, Seat};
use serde::Serialize;
use std::collections::HashSet;

/// Facts about how an answer was produced, not about its content: no replay yields them again.
const ANSWERING_FACTS: [&str; 5] = ["fallback", "local", "quarantined", "refused", "stderr"];

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The session, if it concerns one.
    pub session: Option<i64>,
    /// What differs, as a sentence.
    pub what: String,
}

/// The result of one match.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// The match.
    pub match_id: String,
    /// The number of its sessions.
    pub sessions: u64,
    /// How many of them were pruned: of these only the rows are there.
    pub pruned: u64,
    /// The number of their entries.
    pub entries: u64,
    /// What is wrong with it.
    pub differences: Vec<Difference>,
}

/// The result of the whole store.
#[derive(Clone, Debug, Default, Serialize)]
pub struct VerifySummary {
    /// Matches checked.
    pub matches: u64,
    /// Their sessions.
    pub sessions: u64,
    /// How many of them were pruned.
    pub pruned: u64,
    /// Their entries.
    pub entries: u64,
    /// Differences found in them.
    pub differences: u64,
    /// What SQLite reports about the file, and orphaned rows; empty if all is well.
    pub integrity: Vec<String>,
}

impl VerifySummary {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn clean(&self) -> bool {
        self.differences == 0 && self.integrity.is_empty()
    }

    fn add(&mut self, checked: &Checked) {
        self.matches += 1;
        self.sessions += checked.sessions;
        self.pruned += checked.pruned;
        self.entries += checked.entries;
        self.differences += checked.differences.len() as u64;
    }
}

/// Verifies one match or all of them, reporting each as it goes; for all, also the file itself.
///
/// # Errors
/// [`StoreError::Read`] if the file cannot be read at all; [`StoreError::Unknown`] if there is no such
/// match.
pub async fn verify(
    store: &Store,
    only: Option<&str>,
    mut each: impl FnMut(&Checked),
) -> Result<VerifySummary, StoreError> {
    let mut summary = VerifySummary::default();
    if let Some(id) = only {
        let row = history::match_row(store.reader(), id).await?;
        let unknown = || StoreError::Unknown {
            what: "match",
            id: id.to_owned(),
        };
        let row = row.ok_or_else(unknown)?;
        let counts = history::entry_counts(store.reader(), Some(id)).await?;
        let checked = check(store, row, &counts).await?;
        summary.add(&checked);
        each(&checked);
        return Ok(summary);
    }
    summary.integrity = history::integrity(store.reader()).await;
    // Unreadable entries are found where they are missing.
    let counts = history::entry_counts(store.reader(), None)
        .await
        .unwrap_or_default();
    for id in history::match_ids(store.reader()).await? {
        let checked = match history::match_row(store.reader(), &id).await {
            Ok(Some(row)) => check(store, row, &counts).await,
            Ok(None) => Err(StoreError::Corrupt("its row is missing".into())),
            Err(error) => Err(error),
        };
        let checked = checked.unwrap_or_else(|error| Checked::unreadable(id, &error));
        summary.add(&checked);
        each(&checked);
    }
    Ok(summary)
}

/// A match as stored.
struct Stored {
    row: MatchRow,
    transcripts: Vec<Transcript>,
    facts: Vec<FactRow>,
}

/// A session with its transcript.
struct Transcript {
    session: SessionRow,
    /// What its dialogue starts from, if it is our bot's.
    setup: DialogueSetup,
    entries: Vec<Entry>,
    /// How many entries are in its range, whatever their links say.
    counted: Option<u64>,
}

async fn check(store: &Store, row: MatchRow, counts: &EntryCounts) -> Result<Checked, StoreError> {
    let kit = store.reader().kit(&row.game);
    let mut stored = Stored {
        facts: history::facts(store.reader(), &row.id).await?,
        transcripts: Vec::new(),
        row,
    };
    let mut checked = Checked {
        match_id: stored.row.id.clone(),
        sessions: 0,
        pruned: 0,
        entries: 0,
        differences: Vec::new(),
    };
    for session in history::sessions_of(store.reader(), &stored.row.id).await? {
        let counted = counts.entries(&session);
        let id = session.id.0;
        if session.pruned {
            checked.sessions += 1;
            checked.pruned += 1;
            continue;
        }
        match read(store, kit, session, counted).await {
            Ok(transcript) => {
                checked.sessions += 1;
                checked.entries += transcript.entries.len() as u64;
                stored.transcripts.push(transcript);
            }
            Err(StoreError::Corrupt(what)) => checked.add(Some(id), vec![what]),
            Err(error) => checked.add(Some(id), vec![error.to_string()]),
        }
    }
    let Some(kit) = kit else {
        let what = format!("no game is called {}", stored.row.game);
        checked.add(None, vec![what]);
        return Ok(checked);
    };
    let replaying = tokio::task::spawn_blocking(move || {
        checked.compare(&stored, kit);
        checked
    });
    replaying
        .await
        .map_err(|error| StoreError::Corrupt(format!("replaying failed: {error}")))
}

async fn read(
    store: &Store,
    kit: Option<&'static dyn Kit>,
    session: SessionRow,
    counted: Option<u64>,
) -> Result<Transcript, StoreError> {
    let opened = &session.opened;
    let setup = match kit.filter(|_| opened.side == Side::Player) {
        Some(kit) => dialogue_setup(store, kit, &opened.bot, opened.seed, &opened.setup).await?,
        None => DialogueSetup::default(),
    };
    Ok(Transcript {
        entries: history::whole_transcript(store.reader(), &session).await?,
        session,
        setup,
        counted,
    })
}

impl Checked {
    /// What is said of a match that cannot be read.
    fn unreadable(match_id: String, error: &StoreError) -> Self {
        let mut checked = Self {
            match_id,
            sessions: 0,
            pruned: 0,
            entries: 0,
            differences: Vec::new(),
        };
        checked.add(None, vec![error.to_string()]);
        checked
    }

    fn add(&mut self, session: Option<i64>, mut found: Vec<String>) {
        found.truncate(DIFFERENCES_MAX);
        let differences = found.into_iter().map(|what| Difference { session, what });
        self.differences.extend(differences);
    }

    /// Replays every session of the match and notes what differs.
    fn compare(&mut self, stored: &Stored, kit: &dyn Kit) {
        for transcript in &stored.transcripts {
            let mut found = transcript.links();
            match transcript.session.opened.side {
                Side::Player => {
                    let replayed = || transcript.compare(&stored.facts, kit);
                    found.append(&mut unless_panicked(replayed));
                }
                // Its facts are stored at its end.
                Side::Referee if transcript.session.ended_us.is_some() => {
                    found.append(&mut transcript.compare_folded(&stored.facts, kit));
                }
                Side::Referee => {}
            }
            self.add(Some(transcript.session.id.0), found);
        }
        if self.pruned == 0 && stored.of_referee().next().is_some() {
            let replayed = || stored.compare_table(kit);
            self.add(None, unless_panicked(replayed));
        }
    }
}

/// The findings of `replayed`; a game that panics on a transcript is a finding as well.
fn unless_panicked(replayed: impl FnOnce() -> Vec<String>) -> Vec<String> {
    guarded(replayed).unwrap_or_else(|panic| vec![format!("folding it panics: {}", panic.0)])
}

impl Transcript {
    fn links(&self) -> Vec<String> {
        let walked = self.entries.len() as u64;
        let mut found = Vec::new();
        if self.session.ended_us.is_some() && self.session.entries.unwrap_or(0) != walked {
            found.push(format!(
                "{:?} entries are stored, {walked} are linked",
                self.session.entries
            ));
        }
        if let Some(counted) = self.counted.filter(|counted| *counted != walked) {
            found.push(format!(
                "{counted} entries lie in its range, {walked} are linked"
            ));
        }
        found
    }

    /// Folds a seat of our own referee; reports where facts or the entries they stand by differ.
    fn compare_folded(&self, facts: &[FactRow], kit: &dyn Kit) -> Vec<String> {
        let (cause, score) = self.session.end();
        let found = match fold_seat(kit, &self.entries, cause, score) {
            Ok(found) => found.facts,
            Err(why) => return vec![why.to_string()],
        };
        let entries: Vec<EntryId> = found.iter().map(|found| found.entry).collect();
        let learnt: Vec<Fact> = found.into_iter().map(|found| found.fact).collect();
        let mine = || mine(&self.session, facts);
        let mut found = compare_facts(kit, &self.session, &learnt, mine());
        for (at, (fact, entry)) in mine().zip(entries).enumerate() {
            if fact.entry != Some(entry) {
                let stored = fact.entry.map(|entry| entry.0);
                found.push(format!(
                    "fact {at} is stored by entry {stored:?}, folding gives {}",
                    entry.0
                ));
            }
        }
        found
    }

    /// Replays a session of one of our own bots; reports where answers, facts, scores or cause differ.
    fn compare(&self, facts: &[FactRow], kit: &dyn Kit) -> Vec<String> {
        let session = &self.session;
        let mut dialogue = match kit.dialogue(&self.setup) {
            Ok(dialogue) => dialogue,
            Err(error) => return vec![format!("its dialogue cannot be opened: {error}")],
        };
        let mut replayed = replay(&mut *dialogue, self.entries.iter().map(Line::from));
        let mut ending = replayed.ending.take();
        let mut learnt: Vec<Fact> = replayed.facts.into_iter().map(|(_, fact)| fact).collect();
        if ending.is_none() && session.cause == Some(Cause::Normal) {
            // For wires where the transport's end is the only sign of it.
            ending = dialogue.hung_up();
            learnt.append(&mut dialogue.facts());
        }
        let mut found = replayed.differences;
        let stored = self.not_overruled(kit, &learnt, mine(session, facts));
        found.append(&mut compare_facts(
            kit,
            session,
            &learnt,
            stored.into_iter(),
        ));
        found.append(&mut compare_ending(session, ending.as_ref()));
        found
    }

    /// These facts without those of answers that an edge overruled: they have been shown, and no replay yields them.
    fn not_overruled<'a>(
        &self,
        kit: &dyn Kit,
        learnt: &[Fact],
        stored: impl Iterator<Item = &'a FactRow>,
    ) -> Vec<&'a FactRow> {
        let pairs = self.entries.iter().zip(self.entries.iter().skip(1));
        let overruled = pairs.filter(|(entry, next)| {
            entry.direction == Direction::Out && next.direction == Direction::Out
        });
        let overruled: HashSet<EntryId> = overruled.map(|(entry, _)| entry.id).collect();
        let mut learnt = learnt.iter().peekable();
        let kept = stored.filter(|fact| {
            let is_learnt = |next: &&Fact| is_same(kit, fact, next);
            let found = learnt.next_if(is_learnt).is_some();
            let is_overruled = fact.entry.is_some_and(|entry| overruled.contains(&entry));
            if !found && !is_overruled {
                learnt.next();
            }
            found || !is_overruled
        });
        kept.collect()
    }
}

/// The facts of a session that a replay yields again.
fn mine<'a>(session: &SessionRow, stored: &'a [FactRow]) -> impl Iterator<Item = &'a FactRow> {
    let id = session.id;
    let own = stored.iter().filter(move |fact| fact.session == id);
    own.filter(|fact| !ANSWERING_FACTS.contains(&fact.kind.as_str()))
}

/// Whether folding gives what is stored, perhaps by a version that noted less.
fn is_same(kit: &dyn Kit, stored: &FactRow, learnt: &Fact) -> bool {
    stored.kind == learnt.kind
        && (stored.data == learnt.data
            || stored.data == kit.card().as_noted(learnt.clone(), &stored.data).data)
}

fn compare_facts<'a>(
    kit: &dyn Kit,
    session: &SessionRow,
    learnt: &[Fact],
    stored: impl Iterator<Item = &'a FactRow>,
) -> Vec<String> {
    let mut found = Vec::new();
    let mine: Vec<&FactRow> = stored.collect();
    // A running session may have grown between the reading of its facts and of its entries.
    if mine.len() > learnt.len() || (session.ended_us.is_some() && mine.len() < learnt.len()) {
        found.push(format!(
            "{} facts are stored, folding gives {}",
            mine.len(),
            learnt.len()
        ));
    }
    for (at, (stored, learnt)) in mine.iter().zip(learnt).enumerate() {
        if !is_same(kit, stored, learnt) {
            found.push(format!(
                "fact {at}: {} {} is stored, folding gives {} {}",
                stored.kind, stored.data, learnt.kind, learnt.data
            ));
        }
    }
    found
}

fn compare_ending(session: &SessionRow, ending: Option<&Ending>) -> Vec<String> {
    if session.ended_us.is_none() {
        return Vec::new();
    }
    match (ending, session.cause) {
        (Some(ending), cause) if cause == Some(ending.cause) && ending.scores == session.scores => {
            Vec::new()
        }
        (Some(ending), cause) => vec![format!(
            "it is stored as ended by {cause:?} with scores {:?}, folding gives {:?} with {:?}",
            session.scores, ending.cause, ending.scores
        )],
        (None, Some(Cause::Normal)) => {
            vec!["it is stored as ended normally, and its transcript has no end".into()]
        }
        (None, _) => Vec::new(),
    }
}

impl Stored {
    fn of_referee(&self) -> impl Iterator<Item = &Transcript> {
        let ours = |transcript: &&Transcript| transcript.session.opened.side == Side::Referee;
        self.transcripts.iter().filter(ours)
    }

    /// Whether it was given up, as it has no place in the tournament whose entrants played it, whatever it came to.
    fn is_played_again(&self) -> bool {
        let row = &self.row;
        let of_tournament = row.seats.iter().any(|seat| seat.entrant.is_some());
        row.cause == Some(Cause::Cancelled) && of_tournament && row.tournament.is_none()
    }

    /// Replays a match of our own referee from its setup and the recorded replies.
    fn compare_table(&self, kit: &dyn Kit) -> Vec<String> {
        let table = match kit.reopen(&self.row.setup) {
            Ok(table) => table,
            Err(error) => return vec![format!("its table cannot be opened again: {error}")],
        };
        let mut found = Vec::new();
        let mut entries = Vec::new();
        for Transcript {
            session,
            entries: own,
            ..
        } in self.of_referee()
        {
            match session.opened.seat {
                Some(seat) => entries.extend(own.iter().map(|entry| (Seat(seat), entry))),
                None => found.push(format!("session {} has no seat", session.id.0)),
            }
        }
        let growing = self.row.ended_us.is_none();
        // One that was given up may have been cut between its seats' transcripts.
        let cut = growing || self.row.cause == Some(Cause::Cancelled);
        let replayed = replay_match(table, kit.card().wire, entries, cut);
        found.extend(replayed.differences);
        let row = &self.row;
        match replayed.match_.table().outcome() {
            Some(outcome) if !growing && !self.is_played_again() => {
                let scores = outcome.scores.values();
                if row.cause.map(Cause::by_rules) != Some(outcome.cause) || scores != row.scores {
                    found.push(format!(
                        "the match is stored as ended by {:?} with scores {:?}, playing it again gives {:?} with {scores:?}",
                        row.cause, row.scores, outcome.cause
                    ));
                }
            }
            None if row.cause.map(Cause::by_rules) == Some(Cause::Normal) => found.push(
                "the match is stored as ended normally, and playing it again does not end it"
                    .into(),
            ),
            _ => {}
        }
        found
    }
}
