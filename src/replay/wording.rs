//! What a step says besides its scene: facts in sentences, the game's figures by seat, and how long answers took.

use super::answer_times::{AnswerTime, AnswerTimes};
use crate::store::types::{Direction, Entry, EntryId, Side};
use games::scene::{Names, News};
use games::{Fact, Kit, RecordedReply, Scene};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What a view needs to put its match into words and figures.
#[derive(Clone, Copy)]
pub(super) struct Wording<'a> {
    pub(super) kit: &'static dyn Kit,
    pub(super) names: &'a Names,
    /// The place of the seat whose view it is; `None`: everything is shown.
    pub(super) own: Option<usize>,
}

impl Wording<'_> {
    /// A fact that this seat notes, in a sentence to be filled in.
    pub(super) fn sentence(&self, fact: &Fact, seat: Option<u8>) -> String {
        let own = self.own.or_else(|| seat.map(usize::from));
        self.kit.card().said(fact, own)
    }

    /// What a scene says after the state before it, if any, to be filled in.
    pub(super) fn news(&self, before: Option<&Value>, scene: &Scene) -> News {
        let news = before.and_then(|before| (self.kit.card().news)(before, scene));
        news.unwrap_or_else(|| News::loud(&*scene.title))
    }

    /// Whether the match turns on it.
    pub(super) fn turns_on(&self, fact: &Fact) -> bool {
        (self.kit.card().turns_on)(fact)
    }

    /// The figures of a state by measure and seat.
    pub(super) fn figures(&self, state: &Value) -> Option<Vec<Vec<Option<i64>>>> {
        let curves = self.kit.card().curves?;
        let by_place = (curves.figures)(state, self.names)?;
        let by_seat = by_place.into_iter().map(|figures| {
            let mut seats = vec![None; figures.len()];
            for (place, figure) in figures.into_iter().enumerate() {
                if let Some(seat) = seats.get_mut(self.names.seat(place)) {
                    *seat = figure;
                }
            }
            seats
        });
        Some(by_seat.collect())
    }
}

/// How long answers took, entry by entry.
#[derive(Debug, Default)]
pub(super) struct Timing {
    /// What the ledger has: it counts more than the transcript's own times.
    times: AnswerTimes,
    /// When each seat was sent its last message, and the entry.
    asked: BTreeMap<Option<u8>, (i64, EntryId)>,
    /// The entries that asked for what was answered since the last step.
    pub(super) decided: Vec<EntryId>,
    /// Of the last answer, until somebody takes it.
    pub(super) took_ms: Option<f64>,
    /// Whether an answer since then did not come in time.
    pub(super) late: bool,
    /// The seats whose answers were waited for, and came, since the last step.
    answered: BTreeSet<u8>,
}

impl Timing {
    /// Nothing has passed yet.
    pub(super) fn new(times: AnswerTimes) -> Self {
        Self {
            times,
            ..Self::default()
        }
    }

    /// An entry of a seat's transcript on this side.
    pub(super) fn passes(&mut self, seat: Option<u8>, side: Side, entry: &Entry) {
        let answers = (entry.direction == Direction::In) == (side == Side::Referee);
        if !answers {
            self.asked.insert(seat, (entry.at_us, entry.id));
            self.took_ms = None;
            return;
        }
        let reply = RecordedReply::decode(&entry.text);
        self.late |= matches!(reply, RecordedReply::Late | RecordedReply::Failed(_));
        let asked = self.asked.get(&seat).copied();
        if let Some((_, asked)) = asked
            && !self.decided.contains(&asked)
        {
            self.decided.push(asked);
        }
        let took = asked.map(|(asked_us, asked)| {
            let took_us = entry.at_us.saturating_sub(asked_us);
            let own = |seat| self.times.waited_for(seat, asked_us, entry.at_us);
            let own = seat.filter(|_| side == Side::Referee).and_then(own);
            own.or_else(|| self.times.asked_by(asked))
                .unwrap_or(AnswerTime {
                    took_ms: took_us as f64 / 1e3,
                    thought_ms: None,
                })
        });
        self.took_ms = took
            .filter(AnswerTime::is_measured)
            .map(|took| took.took_ms);
    }

    /// An answer of a seat that was waited for; with `is_first` the answers before it were to an earlier question.
    pub(super) fn answers(&mut self, seat: u8, is_first: bool) {
        if is_first {
            self.answered.clear();
        }
        self.answered.insert(seat);
    }

    /// Whether a step that is made now follows from the answer of one seat at most.
    pub(super) fn is_of_one(&mut self) -> bool {
        std::mem::take(&mut self.answered).len() < 2
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer_times::{AnswerTimes, tests::line};
    use super::Timing;
    use crate::store::types::{Direction, Entry, EntryId, Side};

    #[test]
    fn an_answer_took_as_long_as_its_seat_was_waited_for() {
        let entry = |at_us, direction, text: &str| Entry {
            id: EntryId(at_us),
            seq: 0,
            at_us,
            direction,
            text: text.to_owned(),
        };
        let mut timing = Timing::default();
        timing.passes(Some(0), Side::Referee, &entry(100, Direction::Out, "ask"));
        timing.passes(Some(1), Side::Referee, &entry(200, Direction::Out, "ask"));
        timing.passes(Some(0), Side::Referee, &entry(2_600, Direction::In, "7"));
        assert_eq!((timing.took_ms.take(), timing.late), (Some(2.5), false));
        // Where the seat's own session has a time of it, that counts.
        let own = AnswerTimes::new([line(Side::Player, 0, 9, 150, 700)]);
        let mut owned = Timing::new(own);
        owned.passes(Some(0), Side::Referee, &entry(100, Direction::Out, "ask"));
        owned.passes(Some(0), Side::Referee, &entry(2_600, Direction::In, "7"));
        assert_eq!(owned.took_ms, Some(0.7));
        timing.passes(
            Some(1),
            Side::Referee,
            &entry(9_200, Direction::In, "\u{1}late"),
        );
        assert_eq!((timing.took_ms, timing.late), (Some(9.0), true));
        // Further answers of seats in turns are to the same questions.
        timing.passes(Some(0), Side::Referee, &entry(9_300, Direction::In, "8"));
        timing.passes(Some(1), Side::Referee, &entry(9_400, Direction::In, "8"));
        assert_eq!(timing.decided, [EntryId(100), EntryId(200)]);
        // A step after the answers of several is no one's.
        timing.answers(0, true);
        timing.answers(1, false);
        assert!(!timing.is_of_one());
        // An answer that showed nothing has no part in the step after the next one.
        timing.answers(0, true);
        timing.answers(1, true);
        assert!(timing.is_of_one());
        // Our bot's side of a seat is the other way round, and what takes no time was not measured.
        let mut timing = Timing::default();
        timing.passes(None, Side::Player, &entry(100, Direction::In, "ask"));
        timing.passes(None, Side::Player, &entry(101, Direction::Out, "7"));
        assert_eq!((timing.took_ms, timing.late), (None, false));
    }
}
