//! A match that reached its end.

use crate::histogram::Histogram;
use crate::history::TournamentMatch;
use crate::referee::seat::Left;
use crate::referee::{DecisionTimes, Numbers};
use games::{Blame, Exchange, Outcome, Participation, Seat, judge};

/// A match that reached its end; lists are by seat.
#[derive(Clone, Debug)]
pub struct PlayedMatch {
    /// Its number, from 0.
    pub number: u64,
    /// Under which id it is stored, if it is; `None`: drawn when it is.
    pub match_id: Option<String>,
    /// The seed of its deck.
    pub seed: u64,
    /// When it began, in microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// The seats' specs.
    pub seats: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// What the referee sent and received, if the plan records.
    pub transcript: Vec<Exchange>,
    /// The players at fault for its end or for their own part in it, and how it showed.
    pub blames: Vec<Blame>,
    /// What each seat's program left behind; may be empty.
    pub left: Vec<Left>,
    /// Acts that the rules rejected; may be empty.
    pub refused: Vec<u32>,
    /// Answers that were late or missing; may be empty.
    pub missed: Vec<u32>,
    /// Decision times, where measured.
    pub took: Vec<Histogram>,
    /// The same of each decision.
    pub times: DecisionTimes,
    /// Its numbers on the wire, if it had one: its calls carry them.
    pub numbers: Option<Numbers>,
    /// How each seat took part, where that is known; may be empty.
    pub participation: Vec<Option<Participation>>,
    /// What there is to say if the machine had it played again, or in another one's place; may be empty.
    pub again: String,
    /// Those in whose place it was played: they count for nothing.
    pub replaced: Vec<Self>,
}

impl PlayedMatch {
    /// The match of this number and seed, of which nothing but its end is known.
    #[must_use]
    pub fn ended(number: u64, seed: u64, outcome: Outcome) -> Self {
        Self {
            number,
            match_id: None,
            seed,
            started_us: 0,
            seats: Vec::new(),
            outcome,
            transcript: Vec::new(),
            blames: Vec::new(),
            left: Vec::new(),
            refused: Vec::new(),
            missed: Vec::new(),
            took: Vec::new(),
            times: DecisionTimes::Stamped,
            numbers: None,
            participation: Vec::new(),
            again: String::new(),
            replaced: Vec::new(),
        }
    }

    /// Those lose whose decisions were not their own. `owners` says by seat whose it is.
    pub(super) fn judge(&mut self, owners: &[usize]) {
        let (cause, blames) = (&mut self.outcome.cause, &mut self.blames);
        judge(cause, blames, owners, &self.participation);
    }

    /// As text: a line of seats, a line of scores, a line for each player at fault for its end or for their
    /// own part in it, then one line per call: seat, call and reply, separated by tabs.
    #[must_use]
    pub fn text(&self) -> String {
        let scores: Vec<String> = self
            .outcome
            .scores
            .values()
            .iter()
            .map(i64::to_string)
            .collect();
        let mut text = format!(
            "match {} seed {} {}\nseats\t{}\nscores\t{}\n",
            self.number,
            self.seed,
            self.outcome.cause.word(),
            self.seats.join("\t"),
            scores.join("\t"),
        );
        for blame in &self.blames {
            let (seat, cause) = (blame.seat.0, blame.cause.word());
            let detail = blame.detail.escape_debug();
            text.push_str(&format!("blame\t{seat}\t{cause}\t{detail}\n"));
        }
        for heard in &self.transcript {
            let reply = heard.reply.as_deref().unwrap_or_default();
            text.push_str(&format!(
                "{}\t{}\t{}\n",
                heard.seat.0,
                heard.call,
                reply.escape_debug()
            ));
        }
        text
    }
}

impl From<TournamentMatch> for PlayedMatch {
    /// What is stored of it, whatever the extent: it counts as it did when it was played.
    fn from(stored: TournamentMatch) -> Self {
        let notes = &stored.notes;
        let faults = (0u8..).map(Seat).zip(notes);
        let blames = faults.filter_map(|(seat, note)| {
            Some(Blame {
                seat,
                cause: note.fault?,
                detail: String::new(),
            })
        });
        let outcome = Outcome {
            cause: stored.cause,
            scores: stored.scores.into_iter().collect(),
        };
        Self {
            started_us: stored.started_us,
            blames: blames.collect(),
            refused: notes.iter().map(|note| note.refused).collect(),
            missed: notes.iter().map(|note| note.missed).collect(),
            took: notes
                .iter()
                .map(|note| Histogram::of_pairs(&note.took))
                .collect(),
            times: DecisionTimes::Measured(Vec::new()),
            participation: stored.participation,
            ..Self::ended(stored.number, stored.seed, outcome)
        }
    }
}
