//! The seam between many matches being played and whoever shows or keeps them.

use games::{Heard, Outcome};

/// One match, for whoever keeps it.
#[derive(Clone, Debug)]
pub struct KeptMatch {
    /// Its number, from 0.
    pub number: u64,
    /// The seed of its deck.
    pub seed: u64,
    /// Specs by absolute seat.
    pub seats: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// What the referee sent and heard.
    pub transcript: Vec<Heard>,
}

/// Who watches many matches being played.
pub trait Watch: Send {
    /// So many matches are done.
    fn done(&mut self, games: u64);
    /// A match to be kept, if the plan records. They come in any order.
    fn played(&mut self, played: KeptMatch);
}

impl KeptMatch {
    /// As text: a line of seats, a line of scores, then one line a call: seat, call and reply,
    /// separated by tabs.
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
