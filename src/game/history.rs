//! What history makes of a game's facts.

use crate::game::Seat;
use crate::wire::Fact;
use serde::Serialize;
use serde_json::Value;

/// What history makes of a game's facts.
pub trait History: Sync {
    /// The fact as a bluff, if it is one, in the columns of the bluff history.
    fn bluff(&self, fact: &Fact) -> Option<Bluff>;
    /// A fact of this seat's transcript for those who see all seats: places become seats, as `seat 2`.
    fn seated(&self, fact: Fact, seat: Seat) -> Fact;

    /// The kinds of facts that [`Self::match_facts`] reads.
    fn kinds(&self) -> &'static [&'static str] {
        &[]
    }

    /// What happened in a match that is over, in its order and each once, from the facts of these kinds of those seats of
    /// which there are transcripts; each of them at most once.
    fn match_facts(&self, _seats: &[(Seat, Vec<Fact>)]) -> Vec<MatchFact> {
        Vec::new()
    }

    /// The fact without what an earlier version, which has stored this, did not note.
    fn as_noted(&self, fact: Fact, _stored: &Value) -> Fact {
        fact
    }
}

/// One line of the bluff history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bluff {
    /// Who bluffed: the place as the session's wire names it.
    pub by: String,
    /// The amount claimed.
    pub bid: i64,
    /// What the bluffer held, where it came to light.
    pub held: Option<i64>,
    /// Whether they were caught.
    pub caught: bool,
}

/// Something that happened in a match, as a row: what does not apply, or is not known, is `None`. Amounts are points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchFact {
    /// Its kind, a word of the game's.
    pub kind: &'static str,
    /// Its variant, a word of the game's.
    pub how: Option<&'static str>,
    /// Whose doing it is.
    pub by: Option<Seat>,
    /// Who is on the other side.
    pub with: Option<Seat>,
    /// Who owns what it is about in the end.
    pub winner: Option<Seat>,
    /// What it is about, by name.
    pub item: Option<&'static str>,
    /// How many of these.
    pub count: Option<i64>,
    /// What the game counts for it.
    pub value: Option<i64>,
    /// The price that was agreed on.
    pub price: Option<i64>,
    /// The next best offer.
    pub second: Option<i64>,
    /// What was offered or claimed.
    pub bid: Option<i64>,
    /// What there was behind that.
    pub held: Option<i64>,
    /// What was paid.
    pub paid: Option<i64>,
    /// What was paid, or offered in a bluff, in the wire's own letters.
    pub money: Option<String>,
    /// What was paid beyond the next best offer, or claimed beyond what there was.
    pub over: Option<i64>,
    /// Whether it came to light.
    pub caught: Option<bool>,
}
