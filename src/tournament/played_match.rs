//! A match that reached its end.

use crate::history::TournamentMatch;
use crate::referee::seat::Left;
use crate::referee::{DecisionTimes, Numbers, OpenRecord, Refereed};
use games::match_::Conduct;
use games::{Blame, Exchange, Histogram, Outcome, Participation, Seat, judge};

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
    /// Its record, if it was stored while it was played.
    pub record: Option<OpenRecord>,
    /// Those in whose place it was played: they count for nothing.
    pub replaced: Vec<Self>,
}

impl PlayedMatch {
    /// The match of this number and seed, as its referee led it. The only place where one is made.
    #[must_use]
    pub fn new(number: u64, seed: u64, refereed: Refereed) -> Self {
        let conduct = refereed.conduct;
        Self {
            number,
            match_id: refereed.match_id,
            seed,
            started_us: refereed.started_us,
            seats: refereed.seats,
            outcome: refereed.outcome,
            transcript: refereed.transcript,
            blames: refereed.blames,
            left: refereed.left,
            refused: conduct.iter().map(|seat| seat.refused).collect(),
            missed: conduct.iter().map(|seat| seat.missed).collect(),
            took: conduct.into_iter().map(|seat| seat.took).collect(),
            times: refereed.times,
            numbers: refereed.numbers,
            participation: refereed.participation,
            again: String::new(),
            record: refereed.record,
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
        for exchange in &self.transcript {
            let reply = exchange.reply.as_deref().unwrap_or_default();
            text.push_str(&format!(
                "{}\t{}\t{}\n",
                exchange.seat.0,
                exchange.call,
                reply.escape_debug()
            ));
        }
        text
    }
}

impl From<TournamentMatch> for PlayedMatch {
    /// What is stored of it, whatever the extent: it counts as it did when it was played.
    fn from(stored: TournamentMatch) -> Self {
        let notes = (0u8..).map(Seat).zip(stored.notes);
        let (mut blames, mut conduct) = (Vec::new(), Vec::new());
        for (seat, note) in notes {
            blames.extend(note.fault.map(|cause| Blame {
                seat,
                cause,
                detail: String::new(),
            }));
            let took = Histogram::of_pairs(&note.took);
            conduct.push(Conduct::of_times(took, note.refused, note.missed));
        }
        let outcome = Outcome {
            cause: stored.cause,
            scores: stored.scores.into_iter().collect(),
        };
        let refereed = Refereed {
            started_us: stored.started_us,
            blames,
            conduct,
            times: DecisionTimes::Measured(Vec::new()),
            participation: stored.participation,
            ..Refereed::ended(outcome)
        };
        Self::new(stored.number, stored.seed, refereed)
    }
}
