//! One seat of our own referee's match, folded as its player folds it: what the referee's transcript of the
//! seat shows.

use super::dialogue::{Line, Replayed, replay};
use crate::store::types::{Direction, Entry, EntryId, FactAt, Side};
use crate::thinking::{Panicked, guarded};
use games::{Cause, Dialogue, DialogueSetup, Kit, Lesson, RecordedReply, SetupError, Wire};
use std::io;
use std::time::Duration;

/// What the transcript of a seat shows.
#[derive(Clone, Debug, Default)]
pub struct FoldedSeat {
    /// Its facts, each with the entry that it follows from.
    pub facts: Vec<FactAt>,
    /// What it taught about each rival.
    pub lessons: Vec<Lesson>,
    /// The decisions that were asked for and answered, in order.
    pub decisions: Vec<SeatDecision>,
}

/// A decision of a seat's player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatDecision {
    /// The entry that asked for it.
    pub entry: EntryId,
    /// The entry that answered it.
    pub answer: EntryId,
    /// When it was answered, in microseconds since 1970-01-01 UTC.
    pub answered_us: i64,
    /// When it was asked for, in microseconds since 1970-01-01 UTC.
    pub asked_us: i64,
    /// From then to its answer.
    pub took: Duration,
    /// What the wire allowed.
    pub limit: Duration,
}

/// A line as the player receives or says it.
pub(super) struct SeatLine {
    pub(super) direction: Direction,
    pub(super) text: String,
    /// The index of its last entry in the referee's transcript.
    pub(super) at: usize,
}

impl SeatLine {
    /// It as a dialogue's line.
    pub(super) fn line(&self) -> Line<'_> {
        Line {
            direction: self.direction,
            text: &self.text,
        }
    }
}

/// Folds a seat's whole transcript, which ended with this cause and this score.
///
/// # Errors
/// [`ReplayError`] if the game cannot fold it.
pub fn fold_seat(
    kit: &dyn Kit,
    entries: &[Entry],
    cause: Option<Cause>,
    score: Option<i64>,
) -> Result<FoldedSeat, ReplayError> {
    let folded = guarded(|| try_fold(kit, entries, cause, score));
    folded.unwrap_or_else(|Panicked(why)| Err(ReplayError::Folding(why)))
}

/// The entries that asked for a seat's decisions, also for those that nobody took, in order: from its whole transcript of
/// this side.
///
/// # Errors
/// [`ReplayError`] if the game cannot fold it.
pub fn asking_entries(
    kit: &dyn Kit,
    side: Side,
    entries: &[Entry],
) -> Result<Vec<EntryId>, ReplayError> {
    let folded = guarded(|| {
        let mut dialogue = any_dialogue(kit)?;
        let lines = lines_from(side, kit, entries);
        let replayed = replay(&mut *dialogue, lines.iter().map(SeatLine::line));
        let asking = replayed.decisions.into_iter().filter_map(|(line, _)| {
            let line = lines.get(usize::try_from(line).ok()?)?;
            Some(entries.get(line.at)?.id)
        });
        Ok::<_, ReplayError>(asking.collect())
    });
    folded.unwrap_or_else(|Panicked(why)| Err(ReplayError::Folding(why)))
}

/// What was said is in the transcript: any bot folds it alike.
fn any_dialogue(kit: &dyn Kit) -> Result<Box<dyn Dialogue>, SetupError> {
    let bot = kit.card().bots.first().map_or("", |card| card.name);
    kit.dialogue(&DialogueSetup::new(bot, 0))
}

/// Why a game does not replay what is stored.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It has no such setup.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Folding a seat panicked.
    #[error("folding it panics: {0}")]
    Folding(String),
    /// Replaying panicked.
    #[error("replaying it panics: {0}")]
    Replaying(String),
    /// What is kept of it cannot be compressed.
    #[error(transparent)]
    Packing(#[from] io::Error),
}

fn try_fold(
    kit: &dyn Kit,
    entries: &[Entry],
    cause: Option<Cause>,
    score: Option<i64>,
) -> Result<FoldedSeat, ReplayError> {
    let mut dialogue = any_dialogue(kit)?;
    let lines = lines(kit, entries);
    let replayed = replay(&mut *dialogue, lines.iter().map(SeatLine::line));
    Ok(shown(
        kit,
        &mut *dialogue,
        entries,
        &lines,
        replayed,
        cause,
        score,
    ))
}

fn shown(
    kit: &dyn Kit,
    dialogue: &mut dyn Dialogue,
    entries: &[Entry],
    lines: &[SeatLine],
    replayed: Replayed,
    cause: Option<Cause>,
    score: Option<i64>,
) -> FoldedSeat {
    // Of several answers in a row, the last one counts.
    let answer = |line: usize| {
        let said = lines.iter().enumerate().skip(line + 1);
        let said = said.take_while(|(_, next)| next.direction == Direction::Out);
        said.last().map(|(_, next)| next.at)
    };
    let mut facts: Vec<_> = replayed
        .facts
        .into_iter()
        .filter_map(|(step, fact)| {
            let line = usize::try_from(step / 2).ok()?;
            let received = lines.get(line)?.at;
            let said = (step % 2 == 1).then(|| answer(line)).flatten();
            Some((said.unwrap_or(received), fact))
        })
        .collect();
    if replayed.ending.is_none() && cause.map(Cause::by_rules) == Some(Cause::Normal) {
        // For wires where the transport's end is the only sign of it.
        if let Some(score) = score {
            dialogue.scored(score);
        }
        let _ = dialogue.hung_up();
        let last = entries.len().saturating_sub(1);
        facts.extend(dialogue.facts().into_iter().map(|fact| (last, fact)));
    }
    let decisions = replayed.decisions.into_iter().filter_map(|(line, limit)| {
        let line = usize::try_from(line).ok()?;
        let (call, answer) = (
            entries.get(lines.get(line)?.at)?,
            entries.get(answer(line)?)?,
        );
        let took_us = answer.at_us.saturating_sub(call.at_us);
        Some(SeatDecision {
            entry: call.id,
            answer: answer.id,
            answered_us: answer.at_us,
            asked_us: call.at_us,
            took: Duration::from_micros(u64::try_from(took_us).unwrap_or_default()),
            limit,
        })
    });
    FoldedSeat {
        facts: facts
            .into_iter()
            .filter_map(|(at, fact)| {
                let entry = entries.get(at)?;
                Some(FactAt {
                    entry: entry.id,
                    at_us: entry.at_us,
                    bluff: kit.card().bluff(&fact),
                    fact,
                })
            })
            .collect(),
        lessons: dialogue.lessons(),
        decisions: decisions.collect(),
    }
}

/// What the player of a seat received and sent, from its transcript of this side.
pub(super) fn lines_from(side: Side, kit: &dyn Kit, entries: &[Entry]) -> Vec<SeatLine> {
    let own = |(at, entry): (usize, &Entry)| SeatLine {
        direction: entry.direction,
        text: entry.text.clone(),
        at,
    };
    match side {
        Side::Player => entries.iter().enumerate().map(own).collect(),
        Side::Referee => lines(kit, entries),
    }
}

/// The same from the referee's. A hub's player receives whole frames and answers each in one write; its referee receives
/// it line by line, and sends what it refuses in between.
fn lines(kit: &dyn Kit, entries: &[Entry]) -> Vec<SeatLine> {
    let hub = kit.card().wire == Wire::Hub;
    let completes = |text: &str| {
        let last = text.lines().last().unwrap_or_default();
        !hub || kit.card().dialect.completes(last.as_bytes())
    };
    let mut lines: Vec<SeatLine> = Vec::with_capacity(entries.len());
    let mut open: Option<SeatLine> = None;
    for (at, entry) in entries.iter().enumerate() {
        match (entry.direction, RecordedReply::decode(&entry.text)) {
            (Direction::Out, _) => {
                join(&mut open, Direction::In, &entry.text, at);
                if completes(&entry.text) {
                    lines.extend(open.take());
                }
            }
            (Direction::In, RecordedReply::Said(text)) => match lines.pop() {
                Some(said) if hub && said.direction == Direction::Out => {
                    let mut said = Some(said);
                    join(&mut said, Direction::Out, &text, at);
                    lines.extend(said);
                }
                before => {
                    lines.extend(before);
                    lines.push(SeatLine {
                        direction: Direction::Out,
                        text,
                        at,
                    });
                }
            },
            (Direction::In, _) => {}
        }
    }
    lines.extend(open);
    lines
}

/// Adds a further line to a frame, or begins one.
fn join(open: &mut Option<SeatLine>, direction: Direction, text: &str, at: usize) {
    match open {
        Some(line) => {
            line.text.push('\n');
            line.text.push_str(text);
            line.at = at;
        }
        None => {
            let text = text.to_owned();
            *open = Some(SeatLine {
                direction,
                text,
                at,
            });
        }
    }
}
