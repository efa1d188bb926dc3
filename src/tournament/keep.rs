//! Stores matches that were played in process.

use super::opening::{NewMatch, Opening, REFEREE, is_shared};
use super::played_match::PlayedMatch;
use crate::config::Location;
use crate::history::GameRules;
use crate::history::STDERR;
use crate::referee::{MatchRecord, RecordError, Recording, lines_of, result_of};
use crate::store::types::{Durability, MatchResult, SeatNotes, Slot};
use crate::store::{Settings, Store};
use anyhow::Context as _;
use futures_util::stream::{self, TryStreamExt as _};
use games::{Fact, Kit, Seat};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Why a match that was running or being stored has no end.
pub(super) const KILLED: &str = "the run was killed before it ended";
/// Lines handed to the recording at once.
const LINES_AT_ONCE: usize = 64;
/// Matches whose transcripts are stored and folded at once.
const MATCHES_AT_ONCE: usize = 4;

/// How much of each match is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// Its transcripts and what they show, too.
    #[default]
    Full,
    /// Its row, seats and results: such a match cannot be replayed or verified.
    Results,
}

/// A match to be stored.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The match.
    pub played: PlayedMatch,
    /// Its place in a tournament, filled by the transaction that ends the match.
    pub slot: Option<Slot>,
    /// Whether it fills that place: not if another one was played in its stead.
    pub fills: bool,
}

impl From<PlayedMatch> for Kept {
    fn from(played: PlayedMatch) -> Self {
        Self {
            played,
            slot: None,
            fills: false,
        }
    }
}

/// Opens a database to store matches in, and closes those that a run before was killed in; a server's may be other runs'.
///
/// # Errors
/// Why it cannot be opened.
pub async fn open_recording(
    location: impl Into<Location>,
    extent: Extent,
) -> anyhow::Result<Recording> {
    let settings = Settings {
        durability: Durability::Process,
        ..Settings::at(location, GameRules::all())
    };
    let store = Store::open(&settings).await?;
    let full = Recording::new(store.clone(), Durability::Process);
    if !is_shared(&full) {
        // The run before may have stored transcripts.
        close_orphans(&full, REFEREE).await?;
    }
    Ok(recording(&store, extent))
}

/// Stores so much of each match.
pub(super) fn recording(store: &Store, extent: Extent) -> Recording {
    match extent {
        Extent::Full => Recording::new(store.clone(), Durability::Process),
        Extent::Results => Recording::of_results(store.clone()),
    }
}

/// Closes the matches that this referee has left open: nobody else will.
pub(super) async fn close_orphans(recording: &Recording, referee: &str) -> anyhow::Result<()> {
    for kit in games::ALL {
        let closed = recording.close_unfinished(*kit, referee, KILLED).await;
        closed.with_context(|| format!("matches of {} cannot be closed", kit.card().name))?;
    }
    Ok(())
}

/// Stores every match received until the sender is gone. They are opened, unless they were while they were played, and closed
/// in this order, whatever takes longer: numbers and models do not depend on it.
///
/// # Errors
/// For the first match that cannot be stored.
pub async fn keep(
    kit: &'static dyn Kit,
    options: Value,
    recording: Recording,
    played: mpsc::Receiver<Kept>,
) -> anyhow::Result<()> {
    let opening = Opening {
        kit,
        options,
        recording,
    };
    let opened = stream::try_unfold((opening, played), |(opening, mut played)| async move {
        let Some(mut next) = played.recv().await else {
            return Ok::<_, anyhow::Error>(None);
        };
        let record = recorded(&opening, &mut next).await;
        let record = record.with_context(|| unstored(&next.played))?;
        Ok(Some(((next, record), (opening, played))))
    });
    let filled = opened.map_ok(|(kept, record)| async move {
        let filled = fill(kit, &kept, record).await;
        filled.with_context(|| unstored(&kept.played))
    });
    let filled = filled.try_buffered(MATCHES_AT_ONCE);
    let closed = filled.try_for_each(|(record, result)| async move {
        match record.close(result).await {
            Err(error @ (RecordError::Lapsed(_) | RecordError::Elsewhere)) => {
                tracing::warn!(%error, "a match was played in vain");
                Ok(())
            }
            closed => Ok(closed?),
        }
    });
    closed.await
}

fn unstored(played: &PlayedMatch) -> String {
    format!("cannot store match {}", played.number + 1)
}

/// The match's record: the one that it was stored in while it was played, or a new one.
async fn recorded(opening: &Opening, kept: &mut Kept) -> anyhow::Result<MatchRecord> {
    let Kept { played, slot, .. } = kept;
    let record = match played.record.take().and_then(|record| record.take()) {
        Some(record) => {
            // It is stored.
            played.transcript.clear();
            record
        }
        None => {
            let drawn = || ulid::Ulid::generate().to_string();
            let new = NewMatch {
                number: played.number,
                seed: played.seed,
                match_id: played.match_id.clone().unwrap_or_else(drawn),
                started_us: played.started_us,
                seats: &played.seats,
                numbers: played.numbers.as_ref(),
                slot: slot.as_ref(),
            };
            opening.open(new).await?
        }
    };
    Ok(record.alone(played.times.clone()))
}

/// Stores what was said in a match, and how it ended, up to its end itself.
async fn fill(
    kit: &dyn Kit,
    Kept {
        played,
        slot,
        fills,
    }: &Kept,
    mut record: MatchRecord,
) -> anyhow::Result<(MatchRecord, MatchResult)> {
    for lines in
        lines_of(&played.transcript, kit.card().wire, played.started_us).chunks(LINES_AT_ONCE)
    {
        record.append(lines.to_vec()).await?;
    }
    for (seat, left) in (0u8..).map(Seat).zip(&played.left) {
        if let (Some(conduct), Some((store, session))) = (&left.conduct, record.session(seat)) {
            let conduct = conduct.clone();
            conduct.keep(&*store, session, None).await;
        } else if !left.stderr.is_empty() {
            let fact = Fact::new(STDERR, json!({ "text": left.stderr }));
            record.note(seat, fact).await?;
        }
    }
    record.took(played.left.iter().map(|left| left.taken.clone()));
    let mut result = MatchResult {
        slot: slot.clone().filter(|_| *fills).map(Box::new),
        notes: notes(played),
        participation: played.participation.clone(),
        ..result_of(&played.outcome, &played.blames)
    };
    if !played.again.is_empty() {
        if !result.detail.is_empty() {
            result.detail.push_str("; ");
        }
        result.detail.push_str(&played.again);
    }
    record.fold(&result).await?;
    Ok((record, result))
}

/// What a tournament keeps of each seat next to its score.
fn notes(played: &PlayedMatch) -> Vec<SeatNotes> {
    let count = |counts: &[u32], seat: usize| counts.get(seat).copied().unwrap_or_default();
    let note = |seat: usize| {
        let mut blames = played.blames.iter();
        SeatNotes {
            fault: blames
                .find(|blame| blame.seat.index() == seat)
                .map(|blame| blame.cause),
            refused: count(&played.refused, seat),
            missed: count(&played.missed, seat),
            took: played
                .took
                .get(seat)
                .map(|took| took.pairs().to_vec())
                .unwrap_or_default(),
        }
    };
    (0..played.seats.len()).map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{self, PageAt};
    use crate::referee::budget::ThinkBudget;
    use crate::referee::{InProcess, Ports};
    use crate::tournament::{MatchPlayer as _, Plan, PlannedMatch, PlayedMatch, Referees, Stop};
    use games::Cause;
    use std::num::NonZeroUsize;

    #[tokio::test]
    async fn a_match_without_its_place_in_its_tournament_is_cancelled_after_a_kill() {
        let kit = games::find("planowanie").unwrap();
        let random = "builtin:random".parse().unwrap();
        let plan = Plan {
            kit,
            entrants: vec![random; 4],
            names: Vec::new(),
            knowledge: None,
            options: json!({ "deals": "13 0 4 1" }),
            concurrency: NonZeroUsize::MIN,
            record: true,
        };
        let slot = Slot {
            tournament: "01TOURNAMENT00000000000001".into(),
            round: 0,
            table: 0,
            number: 0,
            seed: 1,
            entrants: ["a", "b", "c", "d"].map(Into::into).into(),
            claim: None,
        };
        for (slot, cause) in [(Some(slot), Cause::Cancelled), (None, Cause::Normal)] {
            let planned = PlannedMatch {
                number: 0,
                deck: 0,
                of_deck: 1,
                seed: 1,
                numbers: 1,
                table: vec![0, 1, 2, 3],
                slot: slot.clone(),
            };
            let player = Referees::new(Ports::Process(InProcess {
                budget: ThinkBudget::Nodes(1),
                models: false,
                timed: false,
            }));
            let stop = Stop::default();
            let played = player.play(&plan, &planned, plan.entrants.clone(), &stop);
            let played = PlayedMatch::new(0, 1, played.await.unwrap().unwrap());
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("drover.db");
            let recording = open_recording(&path, Extent::Full).await.unwrap();
            let opening = Opening {
                kit,
                options: plan.options.clone(),
                recording: recording.clone(),
            };
            let mut kept = Kept {
                played,
                slot,
                fills: true,
            };
            let record = recorded(&opening, &mut kept).await.unwrap();
            let (record, result) = fill(kit, &kept, record).await.unwrap();
            // All that was said is stored; the run is killed before the end is.
            assert_eq!(result.cause, Cause::Normal);
            drop((record, opening));
            recording.close().await;
            let recording = open_recording(&path, Extent::Full).await.unwrap();
            let store = recording.store().unwrap();
            let all =
                history::matches(store.reader(), &Default::default(), &PageAt::first(2)).await;
            let row = all.unwrap().items.remove(0);
            assert_eq!(row.cause, Some(cause));
            assert_eq!(row.scores.is_empty(), cause == Cause::Cancelled);
            let verified = crate::replay::verify(store, None, |_| ()).await.unwrap();
            assert!(
                verified.clean(),
                "a match that is played again differs from nothing"
            );
            recording.close().await;
        }
    }
}
