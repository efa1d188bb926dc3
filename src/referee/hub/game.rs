//! One match of a hub: lines in as they arrive, calls out; handles players out of time or gone.

use super::connection::Outbox;
use crate::clock::{Stamps, now_us};
use crate::histogram::Histogram;
use crate::referee::record::{Queued, RecordLine};
use crate::replay::RecordedReply;
use crate::store::types::{Direction, MatchResult, NewEntry};
use games::{Blame, Call, Cause, Outcome, Seat, Table};
use std::time::Instant;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The maximum number of lines of one player between two calls to it: far more than it has dogs.
pub(super) const LINES_MAX: usize = 2_000;
/// Players' lines that may wait for the match; further ones wait in their connections.
pub(super) const INBOX_MAX: usize = 256;

/// A message from a player.
#[derive(Debug)]
pub(super) struct PlayerLine {
    pub(super) seat: Seat,
    /// A line, or `None`: the player is gone.
    pub(super) line: Option<String>,
    /// When it was read.
    pub(super) at: Instant,
}

/// One player's place at the table.
pub(super) struct PlayerState {
    pub(super) name: String,
    pub(super) out: Outbox,
    /// Whether it has come at all.
    came: bool,
    deadline: Option<Instant>,
    /// Since when its decision is waited for.
    asked: Option<Instant>,
    /// When its last line was read.
    heard: Option<Instant>,
    conduct: Conduct,
    lines: usize,
    /// Whether the player is out of the match.
    out_of_it: bool,
}

/// How one player kept its time.
#[derive(Clone, Debug, Default)]
pub(super) struct Conduct {
    /// How long its decisions took.
    pub(super) took: Histogram,
    /// How often it was out of time.
    pub(super) missed: u32,
    /// How many of its lines were refused.
    pub(super) refused: u32,
    /// The decision at which it was out of the match; from 1.
    pub(super) fell: Option<u32>,
}

impl PlayerState {
    pub(super) fn new(name: String, out: Outbox, came: bool) -> Self {
        Self {
            name,
            out,
            came,
            deadline: None,
            asked: None,
            heard: None,
            conduct: Conduct::default(),
            lines: 0,
            out_of_it: false,
        }
    }

    /// What it was asked is decided: with its last line, where others are waited for still.
    fn decided(&mut self) {
        if let (Some(asked), Some(heard)) = (self.asked.take(), self.heard) {
            let took = heard.saturating_duration_since(asked);
            self.conduct.took.add(took);
        }
    }
}

/// One match.
pub(super) struct Game {
    pub(super) table: Box<dyn Table>,
    pub(super) places: Vec<PlayerState>,
    pub(super) inbox: mpsc::Receiver<PlayerLine>,
    pub(super) journal: Journal,
    faults: Vec<Blame>,
    /// What tells each player the end: held back until that is stored.
    last_words: Vec<String>,
}

/// How a match was played.
pub(super) struct Played {
    /// `None`: it was abandoned.
    pub(super) result: Option<MatchResult>,
    /// What the result is made of.
    pub(super) outcome: Option<Outcome>,
    /// The players that were out of the match before its end, in this order.
    pub(super) faults: Vec<Blame>,
    /// By seat.
    pub(super) conduct: Vec<Conduct>,
    /// What each player is still to be told, by seat, if the result is stored.
    pub(super) last_words: Vec<String>,
}

impl Game {
    pub(super) fn new(
        table: Box<dyn Table>,
        places: Vec<PlayerState>,
        inbox: mpsc::Receiver<PlayerLine>,
        lines: mpsc::Sender<Queued>,
    ) -> Self {
        Self {
            last_words: vec![String::new(); places.len()],
            table,
            places,
            inbox,
            journal: Journal {
                lines,
                stamps: Stamps::default(),
                open: None,
            },
            faults: Vec::new(),
        }
    }

    /// Plays to the end, unless it is abandoned at `stop` or once its record is `broken`.
    pub(super) async fn play(
        mut self,
        (stop, broken): (&CancellationToken, &CancellationToken),
    ) -> Played {
        let outcome = loop {
            self.call().await;
            if let Some(outcome) = self.table.outcome() {
                break Some(outcome);
            }
            let deadline = self.places.iter().filter_map(|place| place.deadline).min();
            let overdue = async {
                match deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = broken.cancelled() => break None,
                heard = self.inbox.recv() => match heard {
                    Some(heard) => self.hear(heard).await,
                    None => self.all_gone().await,
                },
                () = overdue => self.too_late().await,
                () = stop.cancelled() => break None,
            }
        };
        self.journal.flush().await;
        let details: Vec<&str> = self.faults.iter().map(|fault| &*fault.detail).collect();
        let result = outcome.as_ref().map(|outcome| MatchResult {
            blame: self.faults.first().map(|fault| fault.seat.0),
            detail: details.join("; "),
            ..MatchResult::of(now_us(), outcome.cause, outcome.scores.values().to_vec())
        });
        let seats = (0u8..).map(Seat).zip(self.places);
        let conduct = seats.map(|(seat, place)| Conduct {
            refused: self.table.noted(seat).refused,
            ..place.conduct
        });
        Played {
            result,
            outcome,
            faults: self.faults,
            conduct: conduct.collect(),
            last_words: self.last_words,
        }
    }

    /// Sends the pending calls, one write per player; those that tell the end are held back.
    async fn call(&mut self) {
        let mut calls = Vec::new();
        self.table.calls(&mut calls);
        let mut texts: Vec<String> = vec![String::new(); self.places.len()];
        let mut asked = Vec::new();
        for Call {
            seat,
            text,
            answer_within,
            ..
        } in calls
        {
            self.journal.calls(seat, &text).await;
            if let Some(said) = texts.get_mut(seat.index()) {
                said.push_str(&text);
                said.push('\n');
            }
            asked.extend(answer_within.map(|within| (seat, within)));
        }
        if self.table.outcome().is_some() {
            for (held, text) in self.last_words.iter_mut().zip(texts) {
                held.push_str(&text);
            }
            return;
        }
        // Recording may have taken its time, which is no player's.
        let now = Instant::now();
        for (seat, within) in asked {
            if let Some(place) = self.places.get_mut(seat.index()) {
                place.decided();
                place.deadline = Some(now + within);
                place.asked = Some(now);
                place.lines = 0;
            }
        }
        for (place, text) in self.places.iter_mut().zip(texts) {
            if !text.is_empty() {
                place.out.say(text);
            }
        }
        self.settle();
    }

    /// Clears the deadlines of players that are no longer waited for.
    fn settle(&mut self) {
        for (seat, place) in (0u8..).map(Seat).zip(&mut self.places) {
            if !self.table.waits(seat) {
                place.deadline = None;
                place.decided();
            }
        }
    }

    async fn hear(&mut self, heard: PlayerLine) {
        let PlayerLine { seat, line, at } = heard;
        let place = self.places.get_mut(seat.index());
        let Some(place) = place.filter(|place| !place.out_of_it) else {
            return;
        };
        let Some(line) = line else {
            let what = if place.came { "left" } else { "did not come" };
            self.fault(seat, RecordedReply::Failed(String::new()), what)
                .await;
            return;
        };
        place.heard = Some(at);
        // In a stored reply, this character marks a missing answer.
        let line = line.replace('\u{1}', "\u{fffd}");
        place.lines += 1;
        if place.lines > LINES_MAX {
            let what = "said too much in one turn";
            self.fault(seat, RecordedReply::Failed(String::new()), what)
                .await;
        } else if place.deadline.is_some_and(|deadline| deadline < at) {
            self.out_of_time(seat).await;
        } else {
            self.journal.hears(seat, &line).await;
            self.table.answer(seat, games::Reply::Text(line.as_bytes()));
            self.settle();
        }
    }

    /// A player's time is up. What was read before counts, even if processed only now.
    async fn too_late(&mut self) {
        if let Ok(heard) = self.inbox.try_recv() {
            self.hear(heard).await;
            return;
        }
        let now = Instant::now();
        let late: Vec<Seat> = (0u8..)
            .map(Seat)
            .zip(&self.places)
            .filter(|(_, place)| place.deadline.is_some_and(|deadline| deadline <= now))
            .map(|(seat, _)| seat)
            .collect();
        for seat in late {
            self.out_of_time(seat).await;
        }
    }

    async fn out_of_time(&mut self, seat: Seat) {
        self.fault(seat, RecordedReply::Late, "was out of time")
            .await;
    }

    async fn all_gone(&mut self) {
        for seat in (0..self.places.len()).map(|seat| Seat(seat as u8)) {
            self.fault(seat, RecordedReply::Failed(String::new()), "left")
                .await;
        }
    }

    /// A player is out of the match; its connection ends once it has been notified.
    async fn fault(&mut self, seat: Seat, kept: RecordedReply, what: &str) {
        let Some(place) = self.places.get_mut(seat.index()) else {
            return;
        };
        if place.out_of_it || self.table.outcome().is_some() {
            return;
        }
        place.out_of_it = true;
        place.asked = None;
        let name = &place.name;
        let late = matches!(kept, RecordedReply::Late);
        place.conduct.missed += u32::from(late);
        let turn = place.conduct.took.count() + 1;
        place.conduct.fell = Some(u32::try_from(turn).unwrap_or(u32::MAX));
        self.faults.push(Blame {
            seat,
            cause: match late {
                true => Cause::TimeForfeit,
                false => Cause::Disconnect,
            },
            detail: format!("player {} ({name}) {what}", seat.0 + 1),
        });
        self.journal.fails(seat, &kept).await;
        self.table.answer(seat, kept.reply());
        self.call().await;
        let over = self.table.outcome().is_some();
        if let Some(place) = self.places.get_mut(seat.index()) {
            place.deadline = None;
            if !over {
                place.out.close();
            }
        }
    }
}

/// The messages from and to the match's seats, in the order in which the table knows them.
pub(super) struct Journal {
    lines: mpsc::Sender<Queued>,
    stamps: Stamps,
    /// Consecutive lines of one player.
    open: Option<(Seat, NewEntry)>,
}

impl Journal {
    async fn calls(&mut self, seat: Seat, text: &str) {
        self.flush().await;
        let entry = self.entry(Direction::Out, text);
        self.keep(seat, entry).await;
    }

    /// An empty line is recorded alone; among others it would be lost.
    async fn hears(&mut self, seat: Seat, line: &str) {
        match &mut self.open {
            Some((speaker, entry)) if *speaker == seat && !line.is_empty() => {
                entry.text.push('\n');
                entry.text.push_str(line);
            }
            _ => {
                self.flush().await;
                self.open = Some((seat, self.entry(Direction::In, line)));
                if line.is_empty() {
                    self.flush().await;
                }
            }
        }
    }

    async fn fails(&mut self, seat: Seat, kept: &RecordedReply) {
        self.flush().await;
        let entry = self.entry(Direction::In, &kept.encode());
        self.keep(seat, entry).await;
    }

    pub(super) async fn flush(&mut self) {
        if let Some((seat, entry)) = self.open.take() {
            self.keep(seat, entry).await;
        }
    }

    fn entry(&self, direction: Direction, text: &str) -> NewEntry {
        NewEntry {
            at_us: self.stamps.next(),
            direction,
            text: text.to_owned(),
        }
    }

    async fn keep(&self, seat: Seat, entry: NewEntry) {
        let line = RecordLine { seat, entry };
        // Without its writer the match is abandoned.
        let _ = self.lines.send(Queued { line, kept: None }).await;
    }
}
