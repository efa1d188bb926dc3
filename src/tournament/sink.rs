//! The interface between running matches and whatever shows or stores them.

use super::match_player::PlayedMatch;
use super::runner::FinishedMatch;

/// Receives what many matches produce.
pub trait MatchSink: Send {
    /// A match has ended, before it is passed on.
    fn ended(&mut self, _finished: &FinishedMatch) {}
    /// This many matches are done.
    fn done(&mut self, _games: u64) {}
    /// A match to be stored, if the plan records. Matches arrive in any order.
    fn played(&mut self, _played: PlayedMatch) {}
}

/// Stores and shows nothing.
impl MatchSink for () {}

impl PlayedMatch {
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
