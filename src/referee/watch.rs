//! The seam between many matches being played and whoever shows or keeps them.

use games::{Blame, Exchange, Outcome};

/// One match, for whoever keeps it.
#[derive(Clone, Debug)]
pub struct KeptMatch {
    /// Its number, from 0.
    pub number: u64,
    /// The seed of its deck.
    pub seed: u64,
    /// When it began, in microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// Specs by absolute seat.
    pub seats: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// What the referee sent and heard.
    pub transcript: Vec<Exchange>,
    /// Whose fault ended it, or his own part in it, and how it showed.
    pub blames: Vec<Blame>,
    /// The end of each program's standard error, by seat; may be empty.
    pub stderr: Vec<String>,
}

/// Who watches many matches being played.
pub trait Watch: Send {
    /// So many matches are done.
    fn done(&mut self, games: u64);
    /// A match to be kept, if the plan records. They come in any order.
    fn played(&mut self, played: KeptMatch);
}

impl KeptMatch {
    /// As text: a line of seats, a line of scores, a line for each whose fault ended it or his part in it,
    /// then one line a call: seat, call and reply, separated by tabs.
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
