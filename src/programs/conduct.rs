//! The conduct of a program in a match.

use crate::history;
use crate::link::program::Ended;
use crate::store::types::SessionId;
use crate::store::{Note, ProgramRun, Storage};
use games::Participation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// Faults that are reported in sentences; of more, only their number is kept.
const FAULTS_MAX: usize = 16;

/// A part of a standard error: what was written from the end of the part before to that of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StderrPart {
    /// The decision's number in the match, from 1.
    pub number: u64,
    /// Where the part ends in the text, in bytes.
    pub end: usize,
}

/// The conduct of a program in a match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conduct {
    /// How often it was started.
    pub starts: u32,
    /// Decisions that it answered in time.
    pub answered: u64,
    /// Decisions that it did not answer in time.
    pub late: u64,
    /// Answers that were not taken.
    pub refused: u64,
    /// Answers that came after their time.
    pub stale: u64,
    /// After it was started again: earlier answers that it gave again ...
    pub repeated: u64,
    /// ... and those that it changed.
    pub changed: u64,
    /// How often it failed.
    pub failed: u64,
    /// How it failed, in sentences, the first ones.
    pub faults: Vec<String>,
    /// How it took part, and how many of its decisions its fallback took; `null` until it has ended.
    pub participation: Option<Participation>,
    /// Which decisions the parts of its standard error belong to, in their order; what stands after the last one was
    /// written later. Each process has at most 4,096 parts, the last ones; what it wrote before them is in the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr_parts: Vec<StderrPart>,
    /// What it noted last.
    #[serde(skip)]
    pub note: Option<Value>,
    /// The end of its standard error.
    #[serde(skip)]
    pub stderr: String,
}

impl Conduct {
    /// Stores it as that of a session's program. What it noted is kept for the program of this name, without its
    /// version, in this game; without these it is not. The match does not depend on it: a failure is logged.
    pub async fn keep(
        self,
        store: &dyn Storage,
        session: SessionId,
        notes_of: Option<(&str, &str)>,
    ) {
        let (report, participation) = (json!(self), self.participation.clone());
        let note = notes_of.zip(self.note).map(|((bot, game), note)| Note {
            bot: bot.to_owned(),
            game: game.to_owned(),
            note,
        });
        let run = ProgramRun {
            session,
            report,
            participation,
            note,
            stderr: self.stderr,
        };
        if let Err(error) = history::program_ran(store, run).await {
            let session = session.0;
            tracing::warn!(session, %error, "how a program fared could not be stored");
        }
    }

    pub(super) fn fails(&mut self, why: String) {
        self.failed += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(why);
        }
    }
}

/// What a program wrote to standard error in a match, by several processes perhaps.
#[derive(Default)]
pub(super) struct Stderr {
    text: String,
    parts: Vec<StderrPart>,
}

impl Stderr {
    /// Adds what one process wrote, of which the end is there. What it wrote last belongs to the decision that it was
    /// being `asked` for when it ended; without one, to the next part, if there is any.
    pub(super) fn add(&mut self, ended: &Ended, asked: Option<u64>) {
        let mut rest = ended.stderr.as_slice();
        let lost = ended.stderr_total.saturating_sub(rest.len() as u64);
        if lost > 0 {
            let note = format!("[{lost} bytes before this were not kept]\n");
            self.text.push_str(&note);
        }
        let mut past = lost;
        for mark in ended.stderr_marks.iter().filter(|mark| mark.total > lost) {
            let length = usize::try_from(mark.total.saturating_sub(past)).unwrap_or(usize::MAX);
            let (part, after) = rest.split_at(length.min(rest.len()));
            (rest, past) = (after, mark.total);
            self.write(part, Some(mark.number));
        }
        self.write(rest, asked.filter(|_| !rest.is_empty()));
    }

    /// Adds these bytes, with which the part of this decision ends.
    fn write(&mut self, bytes: &[u8], number: Option<u64>) {
        // A database may store the one character that it cannot hold as another, longer one.
        let text = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
        self.text.push_str(&text);
        let (Some(number), end) = (number, self.text.len()) else {
            return;
        };
        match self.parts.last_mut() {
            Some(last) if last.number == number => last.end = end,
            _ => self.parts.push(StderrPart { number, end }),
        }
    }

    /// The end of it, of n bytes at most, with its parts.
    pub(super) fn end(mut self, most: usize) -> (String, Vec<StderrPart>) {
        let from = self.text.len().saturating_sub(most.max(1));
        let from = self.text.ceil_char_boundary(from);
        self.text.drain(..from);
        let left = self.parts.into_iter().filter(|part| part.end > from);
        let parts = left.map(|part| StderrPart {
            end: part.end - from,
            ..part
        });
        (self.text, parts.collect())
    }
}

/// The parts of a standard error that are not empty: each with its decision's number; what belongs to none has none.
#[must_use]
pub fn stderr_parts<'a>(text: &'a str, parts: &[StderrPart]) -> Vec<(Option<u64>, &'a str)> {
    let (mut all, mut from) = (Vec::with_capacity(parts.len() + 1), 0);
    for part in parts {
        // Nothing is lost where that is within a letter, or past the end.
        let end = text.floor_char_boundary(part.end).max(from);
        all.extend(text.get(from..end).map(|own| (Some(part.number), own)));
        from = end;
    }
    all.extend(text.get(from..).map(|rest| (None, rest)));
    all.retain(|(_, own)| !own.trim().is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::{Ended, Stderr, StderrPart, stderr_parts};
    use crate::link::program::StderrMark;

    fn ended(text: &[u8], lost: u64, marks: &[(u64, u64)]) -> Ended {
        let marks = marks.iter();
        Ended {
            marker: None,
            status: None,
            by_itself: true,
            out_of_memory: false,
            stderr: text.to_vec(),
            stderr_total: lost + text.len() as u64,
            stderr_marks: marks
                .map(|(number, total)| StderrMark {
                    number: *number,
                    total: *total,
                })
                .collect(),
        }
    }

    #[test]
    fn what_was_written_is_parted_by_decisions_also_where_its_beginning_is_lost() {
        let mut stderr = Stderr::default();
        // Bytes that are no letter take more room as text.
        stderr.add(&ended(b"start\n\xff1\nend\n", 0, &[(1, 9)]), None);
        let marks = [(1, 4), (2, 12), (3, 14)];
        stderr.add(&ended(b"2\n3\nafter\n", 10, &marks), None);
        let (text, parts) = stderr.end(1_000);
        let expected = [
            (Some(1), "start\n\u{fffd}1\n"),
            (Some(2), "end\n[10 bytes before this were not kept]\n2\n"),
            (Some(3), "3\n"),
            (None, "after\n"),
        ];
        assert_eq!(stderr_parts(&text, &parts), expected);
        assert!(stderr_parts("", &[]).is_empty());
        assert_eq!(stderr_parts("whole", &[]), [(None, "whole")]);
    }

    #[test]
    fn what_a_process_wrote_last_belongs_to_the_decision_in_which_it_ended() {
        let mut stderr = Stderr::default();
        stderr.add(&ended(b"1\noops\n", 0, &[(1, 2)]), Some(2));
        // The next one ends in the same decision, and one that wrote nothing since then has no further part.
        stderr.add(&ended(b"oops\n", 0, &[]), Some(2));
        stderr.add(&ended(b"again\n", 0, &[(2, 6)]), Some(3));
        stderr.add(&ended(b"late\n", 0, &[]), None);
        let (text, parts) = stderr.end(1_000);
        let expected = [
            (Some(1), "1\n"),
            (Some(2), "oops\noops\nagain\n"),
            (None, "late\n"),
        ];
        assert_eq!(stderr_parts(&text, &parts), expected);
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn a_character_that_is_replaced_moves_no_end_and_an_end_within_a_letter_loses_nothing() {
        let mut stderr = Stderr::default();
        stderr.add(&ended(b"a\0b\nnext\n", 0, &[(1, 4)]), None);
        let (text, parts) = stderr.end(1_000);
        let expected = [(Some(1), "a\u{fffd}b\n"), (None, "next\n")];
        assert_eq!(stderr_parts(&text, &parts), expected);
        let own = |number, end| StderrPart { number, end };
        // One is in the letter's midst, one before another, and one after all.
        let parts = [own(1, 2), own(2, 4), own(3, 3), own(4, 99)];
        let expected = [(Some(1), "a"), (Some(2), "\u{e4}b"), (Some(4), "c")];
        assert_eq!(stderr_parts("a\u{e4}bc", &parts), expected);
    }

    #[test]
    fn of_a_long_text_the_last_parts_are_kept() {
        let mut stderr = Stderr::default();
        let marks = [(1, 5), (2, 10), (3, 15)];
        stderr.add(&ended(b"1111\n2222\n3333\n", 0, &marks), None);
        let (text, parts) = stderr.end(8);
        let own = |number, end| StderrPart { number, end };
        assert_eq!(
            (text.as_str(), parts),
            ("22\n3333\n", vec![own(2, 3), own(3, 8)])
        );
    }
}
