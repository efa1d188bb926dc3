//! The replay of a stored match as it is shown: what was to be seen, step by step, by everybody or by one seat.

use super::answer_times::AnswerTimes;
use super::dialogue::watch;
use super::found::{StepFact, read_events};
use super::names::names_in;
use super::seat::{ReplayError, SeatLine, lines_from};
use super::setup::dialogue_setup;
use super::table::watch_match;
use super::wording::{Timing, Wording};
use crate::clock::time;
use crate::history::{self, STDERR, SessionRow};
use crate::store::types::{Direction, Entry, EntryId, SessionId, Side};
use crate::store::{MatchRow, Store, StoreError};
use crate::thinking::{Panicked, guarded};
use games::scene::{Names, News};
use games::{Cause, DialogueSetup, Kit, Picture, Places, Scene, Seat};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use utoipa::ToSchema;

/// The maximum number of steps that are shown of one match.
pub const STEPS_MAX: u32 = 20_000;

/// What was to be seen after an entry that changed it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Step {
    /// Its index, from 0.
    pub step: u32,
    /// The number of the turn, round, trick or deal in which it happened, from 1, whatever the game's own messages count
    /// from; 0 before the first. It never falls.
    pub turn: u32,
    /// How many of them are over.
    #[serde(skip)]
    pub over: u32,
    /// When the entry was stored; `None` before the first one.
    pub at: Option<Timestamp>,
    /// The seat whose entry it is, where known; `None` where several answered for it.
    pub seat: Option<u8>,
    /// The entry's number in the log.
    #[schema(value_type = Option<i64>)]
    pub entry: Option<EntryId>,
    /// The seat whose transcript has that entry, also where several answers led here.
    #[serde(skip)]
    pub written_by: Option<u8>,
    /// What happened last, in one sentence.
    pub title: String,
    /// Whether that is nothing that a spectator waits for, such as a turn without a capture.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// Whether its title is news by the game's own comparison of states, and no mere word for what was done.
    #[serde(skip)]
    pub news: bool,
    /// The seat that its title begins with, where it begins with one: not always the seat whose entry it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<u8>,
    /// The position, in the game's own schema, where states are wanted.
    #[schema(value_type = Option<Object>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// How long the seat took for the answer that led here, from the arrival of the question, in milliseconds, where that was
    /// measured of one alone: as in the deadline ledger, where that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<f64>,
    /// Whether an answer did not come, or not in time, since the step before; of the last step also after it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// The figures of the game's measures, by measure and seat, where any is another than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Vec<Vec<Option<i64>>>>,
    /// The facts that were found from here to the next step.
    pub facts: Vec<StepFact>,
    /// The entries that asked for the decisions that were taken since the step before.
    #[serde(skip)]
    pub decided: Vec<EntryId>,
    /// What users' programs wrote to standard error for these decisions, where that is wanted: shown to each bot's owner
    /// and to admins alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<StepStderr>,
    /// What changes in its picture, as a fragment of SVG, where pictures are wanted and the game has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

/// The beginning of what a user's program wrote to standard error for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StepStderr {
    /// The program's seat, where known.
    pub seat: Option<u8>,
    /// The session in which it played.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// The decision's number in the match, from 1.
    pub number: u64,
    /// Its first lines.
    pub text: String,
    /// Whether there is more of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// What a picture is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A window on a desk.
    Wide,
    /// A phone.
    Narrow,
}

/// What all pictures of a match have alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Still {
    /// Width of their view box, in its own units.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// What stays the same, as a fragment of SVG; may be empty.
    pub still: String,
}

impl Step {
    /// The number of the turn, from 1, to which all belongs that is decided in this position.
    #[must_use]
    pub const fn next_turn(&self) -> u32 {
        self.over.saturating_add(1)
    }

    /// Adds the picture, of players with these names. Returns what it has in common with those of the other steps.
    pub fn draw(&mut self, kit: &dyn Kit, names: &Names, shape: Shape) -> Option<Still> {
        let card = kit.card();
        let drawn = match shape {
            Shape::Wide => card.picture,
            Shape::Narrow => card.narrow.unwrap_or(card.picture),
        };
        let Picture {
            width,
            height,
            still,
            moving,
        } = drawn(self.state.as_ref()?, names)?;
        self.picture = Some(moving);
        Some(Still {
            width,
            height,
            still,
        })
    }
}

/// What is known of a replay besides its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Where the transcripts differ from what playing them again gives, in sentences: it may be wrong from there on.
    pub differences: Vec<String>,
    /// Whether the match goes on after the last step: there are more than [`STEPS_MAX`].
    pub cut: bool,
}

/// Whose view of a match is shown.
#[derive(Clone, Debug)]
pub enum View {
    /// Everything, from the transcripts of our own referee.
    Everything(Vec<SessionRow>),
    /// What one seat was sent.
    Seat(Box<SessionRow>),
}

impl View {
    /// The view of a seat; without one, everything if that may be shown (`all`) and these sessions are our
    /// referee's, else the only seat that they are of. `None`: there is no such view.
    #[must_use]
    pub fn new(sessions: &[SessionRow], seat: Option<u8>, all: bool) -> Option<Self> {
        let of_referee = |row: &&SessionRow| row.opened.side == Side::Referee;
        let referees: Vec<SessionRow> = sessions.iter().filter(of_referee).cloned().collect();
        if seat.is_none() && all && !referees.is_empty() {
            return Some(Self::Everything(referees));
        }
        if seat.is_none() && seats(sessions).len() > 1 {
            return None;
        }
        let wanted = |row: &&SessionRow| seat.is_none() || row.opened.seat == seat;
        let own = sessions.iter().rfind(wanted);
        let row = referees.iter().rfind(wanted).or(own)?;
        Some(Self::Seat(Box::new(row.clone())))
    }

    /// The session whose view it is, where it is one's.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Self::Everything(_) => None,
            Self::Seat(row) => Some(row.id),
        }
    }

    /// The seat whose view it is, where it is one's and known.
    #[must_use]
    pub fn seat(&self) -> Option<u8> {
        match self {
            Self::Everything(_) => None,
            Self::Seat(row) => row.opened.seat,
        }
    }
}

/// The seats that sessions are of, each once; `None` for sessions whose seat is not known.
#[must_use]
pub fn seats(sessions: &[SessionRow]) -> Vec<Option<u8>> {
    let mut seats: Vec<_> = sessions.iter().map(|row| row.opened.seat).collect();
    seats.sort_unstable();
    seats.dedup();
    seats
}

/// A stored match, read to be shown.
pub struct Footage {
    kit: &'static dyn Kit,
    names: Names,
    times: AnswerTimes,
    source: Source,
}

/// Where what is to be seen comes from.
enum Source {
    Table {
        setup: Value,
        entries: Vec<(Seat, Entry)>,
        facts: HashMap<EntryId, Vec<StepFact>>,
        growing: bool,
    },
    Seat {
        session: Box<SessionRow>,
        setup: DialogueSetup,
        entries: Vec<Entry>,
    },
}

/// Reads what a view of a match is made of. `open`: whether all of the match is public.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`]; [`StoreError::Unknown`] if no game has its name.
pub async fn footage(
    store: &Store,
    row: &MatchRow,
    view: View,
    open: bool,
) -> Result<Footage, StoreError> {
    let kit = store.reader().known_kit(&row.game)?;
    let own = match &view {
        View::Everything(_) => None,
        View::Seat(session) => Some(&**session),
    };
    let names = names_in(kit, row, own, open);
    let source = match view {
        View::Everything(sessions) => {
            let mut entries = Vec::new();
            for session in &sessions {
                let Some(seat) = session.opened.seat.map(Seat) else {
                    continue;
                };
                let own = history::whole_transcript(store.reader(), session)
                    .await?
                    .into_iter();
                entries.extend(own.map(|entry| (seat, entry)));
            }
            Source::Table {
                setup: row.setup.clone(),
                entries,
                facts: facts(store, row, &sessions).await?,
                // One that was given up may have been cut between its seats' transcripts.
                growing: row.ended_us.is_none() || row.cause == Some(Cause::Cancelled),
            }
        }
        View::Seat(session) => {
            // What was said is in the transcript: any bot folds it alike.
            let bot = kit.card().bots.first().map_or("", |card| card.name);
            Source::Seat {
                setup: dialogue_setup(store, kit, bot, 0, &session.opened.setup).await?,
                entries: history::whole_transcript(store.reader(), &session).await?,
                session,
            }
        }
    };
    let sessions = history::sessions_of(store.reader(), &row.id).await?;
    Ok(Footage {
        kit,
        names,
        times: AnswerTimes::read(store, &sessions).await?,
        source,
    })
}

/// What happened in a match, by the entry that it follows from.
async fn facts(
    store: &Store,
    row: &MatchRow,
    sessions: &[SessionRow],
) -> Result<HashMap<EntryId, Vec<StepFact>>, StoreError> {
    let mut found: HashMap<EntryId, Vec<StepFact>> = HashMap::new();
    for event in read_events(store, row, sessions, |fact| fact.kind != STDERR).await? {
        if let Some(entry) = event.first {
            found.entry(entry).or_default().push(event.shown);
        }
    }
    Ok(found)
}

impl Footage {
    /// The game.
    #[must_use]
    pub fn kit(&self) -> &'static dyn Kit {
        self.kit
    }

    /// What the players are called in its view.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Gives every step in order until `each` ends it, at most [`STEPS_MAX`].
    ///
    /// # Errors
    /// [`ReplayError`] if the game cannot replay it.
    pub fn steps(&self, each: impl FnMut(Step) -> ControlFlow<()>) -> Result<Remarks, ReplayError> {
        let mut steps = Steps {
            each,
            wording: Wording {
                kit: self.kit,
                names: &self.names,
                own: self.own_place(),
            },
            timing: Timing::new(self.times.clone()),
            figures: None,
            held: None,
            said: String::new(),
            count: 0,
        };
        let replayed = guarded(|| {
            let replayed = match &self.source {
                Source::Table { .. } => self.at_table(&mut steps),
                Source::Seat { .. } => self.at_seat(&mut steps),
            };
            if let Some(last) = &mut steps.held {
                last.late |= steps.timing.late;
                last.decided.append(&mut steps.timing.decided);
            }
            let _ = steps.give();
            replayed
        });
        let replayed = replayed.unwrap_or_else(|Panicked(why)| Err(ReplayError::Replaying(why)));
        let cut = steps.count > STEPS_MAX;
        replayed.map(|differences| Remarks { differences, cut })
    }

    /// The place in its states of the seat whose view it is, where it is one's.
    pub(super) fn own_place(&self) -> Option<usize> {
        let Source::Seat { session, .. } = &self.source else {
            return None;
        };
        match self.kit.card().places {
            Places::Named(_) => Some(0),
            Places::Numbered | Places::Unknown => session.opened.seat.map(usize::from),
        }
    }

    fn at_table(
        &self,
        steps: &mut Steps<'_, impl FnMut(Step) -> ControlFlow<()>>,
    ) -> Result<Vec<String>, ReplayError> {
        let Source::Table {
            setup,
            entries,
            facts,
            growing,
        } = &self.source
        else {
            return Ok(Vec::new());
        };
        let table = self.kit.reopen(setup)?;
        let seats: BTreeSet<Seat> = entries.iter().map(|(seat, _)| *seat).collect();
        let entries = entries.iter().map(|(seat, entry)| (*seat, entry)).collect();
        let wire = self.kit.card().wire;
        // Whose answers the table waited for before the entry, and whether it has begun to wait for more since an answer.
        let (mut awaited, mut asks): (Vec<Seat>, bool) = (Vec::new(), false);
        let replayed = watch_match(table, wire, entries, *growing, |table, after| {
            if let Some((seat, entry)) = after {
                steps.timing.passes(Some(seat.0), Side::Referee, entry);
                if entry.direction == Direction::In && awaited.contains(&seat) {
                    steps.timing.answers(seat.0, asks);
                    asks = false;
                }
            }
            let waits = seats.iter().copied().filter(|seat| table.waits(*seat));
            let waits: Vec<Seat> = waits.collect();
            asks |= waits.iter().any(|seat| !awaited.contains(seat));
            awaited = waits;
            let flow = steps.see(
                table.scene(),
                after.map(|(seat, entry)| (Some(seat.0), entry)),
            );
            let found = after.and_then(|(_, entry)| facts.get(&entry.id));
            steps.learn(found.into_iter().flatten().cloned());
            flow
        });
        Ok(replayed.differences)
    }

    fn at_seat(
        &self,
        steps: &mut Steps<'_, impl FnMut(Step) -> ControlFlow<()>>,
    ) -> Result<Vec<String>, ReplayError> {
        let Source::Seat {
            session,
            setup,
            entries,
        } = &self.source
        else {
            return Ok(Vec::new());
        };
        let mut dialogue = self.kit.dialogue(setup)?;
        let seat = session.opened.seat;
        let lines = lines_from(session.opened.side, self.kit, entries);
        let entry_of = |line: u64| {
            let line = lines.get(usize::try_from(line).ok()?)?;
            Some((seat, entries.get(line.at)?))
        };
        let all = lines.iter().map(SeatLine::line);
        let side = session.opened.side;
        let replayed = watch(&mut *dialogue, all, |dialogue, seen| {
            let after = entry_of(seen.line);
            if let Some((seat, entry)) = after {
                steps.timing.passes(seat, side, entry);
            }
            let flow = steps.see(dialogue.scene(), after);
            for (_, fact) in seen.facts {
                let fact = StepFact::new(seat, fact.clone(), &steps.wording);
                steps.learn([fact]);
            }
            flow
        });
        Ok(replayed.differences)
    }
}

/// Makes steps of scenes. The last one is held back until the next, for the facts found after it.
struct Steps<'a, F> {
    each: F,
    wording: Wording<'a>,
    timing: Timing,
    /// The figures of the last step that had any.
    figures: Option<Vec<Vec<Option<i64>>>>,
    held: Option<Step>,
    /// Its scene's own title.
    said: String,
    count: u32,
}

impl<F: FnMut(Step) -> ControlFlow<()>> Steps<'_, F> {
    /// A scene after an entry of a seat; one that shows nothing new is no step.
    fn see(
        &mut self,
        scene: Option<Scene>,
        after: Option<(Option<u8>, &Entry)>,
    ) -> ControlFlow<()> {
        let Some(scene) = scene else {
            return ControlFlow::Continue(());
        };
        let before = self.held.as_ref().and_then(|held| held.state.as_ref());
        let changed = before != Some(&scene.state);
        if !changed && self.said == scene.title {
            return ControlFlow::Continue(());
        }
        let News { title, quiet } = self.wording.news(before.filter(|_| changed), &scene);
        let Scene {
            turn: over, state, ..
        } = scene;
        self.said = scene.title;
        let over = self.held.as_ref().map_or(over, |held| held.over.max(over));
        // What ends a turn belongs to it.
        let turn = self
            .held
            .as_ref()
            .map_or(over, |held| held.next_turn().max(over));
        self.give()?;
        self.count += 1;
        if self.count > STEPS_MAX {
            return ControlFlow::Break(());
        }
        let figures = self.wording.figures(&state);
        let figures = figures.filter(|now| Some(now) != self.figures.as_ref());
        if figures.is_some() {
            self.figures.clone_from(&figures);
        }
        let (alone, names) = (self.timing.is_of_one(), self.wording.names);
        let seat = after.and_then(|(seat, _)| seat);
        self.held = Some(Step {
            took_ms: self.timing.took_ms.take().filter(|_| alone),
            late: std::mem::take(&mut self.timing.late),
            figures,
            step: self.count - 1,
            turn,
            over,
            at: after.map(|(_, entry)| time(entry.at_us)),
            seat: seat.filter(|_| alone),
            written_by: seat,
            entry: after.map(|(_, entry)| entry.id),
            news: !quiet && names.fill(&title) != names.fill(&self.said),
            subject: names.subject(&title),
            title: names.fill(&title),
            quiet,
            state: Some(state),
            facts: Vec::new(),
            decided: std::mem::take(&mut self.timing.decided),
            stderr: Vec::new(),
            picture: None,
        });
        ControlFlow::Continue(())
    }

    /// What has happened since.
    fn learn(&mut self, found: impl IntoIterator<Item = StepFact>) {
        let Some(held) = &mut self.held else { return };
        for new in found {
            new.add_to(&mut held.facts);
        }
    }

    fn give(&mut self) -> ControlFlow<()> {
        match self.held.take() {
            Some(step) => (self.each)(step),
            None => ControlFlow::Continue(()),
        }
    }
}
