//! The two sides of a conversation, without sockets or clocks: [`Dialogue`] is a bot's side,
//! [`Table`] the referee's. HTTP, TCP, stdio, in-process play and tests drive the same objects.

use crate::explain::Explanation;
use crate::game::{Budget, Cause, Outcome, Seat};
use crate::scene::Scene;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use utoipa::ToSchema;

pub use crate::game::Progress;

/// One whole message as text, exactly as it goes over the wire, without the transport's framing.
pub type Frame = String;

/// What a transcript has instead of an answer that did not come in time. No wire's text begins with this character.
pub const LATE: &str = "\u{1}late";

/// What is wrong with a frame from outside: what, where and why, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct WireError {
    /// The field or line it is about.
    pub field: &'static str,
    /// Why it cannot be accepted and what would be.
    pub why: String,
}

impl WireError {
    /// What is wrong with this field.
    #[must_use]
    pub fn new(field: &'static str, why: impl Into<String>) -> Self {
        let why = why.into();
        Self { field, why }
    }
}

/// What a dialogue wants after a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Nothing to say. (Over HTTP every callback is answered: this one with an empty body.)
    Wait,
    /// Say this; no thinking needed.
    Send(Frame),
    /// A decision is due: call [`Dialogue::think`] until it is done, or `target` is over, or `limit` has
    /// nearly passed ([`crate::answer`]).
    Think {
        /// The wire's own limit, from receipt to answer.
        limit: Duration,
        /// How long the decision should take where a clock runs over many of them: zero if only one answer is
        /// legal; `None`: as long as the limit allows.
        target: Option<Duration>,
        /// A legal answer that is ready now.
        fallback: Frame,
    },
    /// The match is over.
    Over(Ending),
}

/// How a session ended, as its own wire reported it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    /// Why.
    pub cause: Cause,
    /// The particulars that the wire gave, in a sentence; empty where there are none.
    pub detail: String,
    /// Scores in the dialogue's own order of seats (own seat first), when the wire gives them.
    pub scores: Vec<i64>,
    /// Shares of the win in the same order, when the wire gives them and no scores.
    pub wins: Vec<f64>,
    /// What is still answered; empty: nothing.
    pub last_word: Frame,
}

impl Ending {
    /// An end of which no more is known.
    #[must_use]
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self {
            cause,
            detail: detail.into(),
            scores: Vec::new(),
            wins: Vec::new(),
            last_word: Frame::new(),
        }
    }
}

/// Something learnt from a transcript and kept for history.
///
/// ```
/// use drover_game::Fact;
/// use serde_json::json;
///
/// let fact = Fact::new("sale", json!({ "animal": "A", "price": 60 }));
/// assert_eq!(fact.data["price"], 60);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = LearntFact)]
pub struct Fact {
    /// A short word of the game's own closed list, such as `bluff` or `trade`.
    pub kind: String,
    /// The particulars.
    pub data: Value,
}

impl Fact {
    /// A fact of this kind.
    #[must_use]
    pub fn new(kind: impl Into<String>, data: Value) -> Self {
        let kind = kind.into();
        Self { kind, data }
    }
}

/// What one match taught about one rival: merged into stored models by [`crate::Models::merge`].
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// Which rival: the game's own word for the place, such as `W`.
    pub rival: String,
    /// The learnt type that fits best and how probable it is, if the match was long enough to say.
    pub kind: Option<(String, f64)>,
    /// Counts in the game's own schema.
    pub evidence: Value,
}

/// One seat's side of one conversation. A pure fold: the same frames in and out give the same state.
///
/// A bot plays a match that [`Table`] referees; empty answers pass for the other seats:
///
/// ```
/// use drover_game::answer::think;
/// use drover_game::{Budget, DialogueSetup, Next, Reply, Seat, TableSetup};
/// use serde_json::Value;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let kit = games::find("koehandel").expect("a game of this name");
/// let mut table = kit.table(&TableSetup::numbered(7, Value::Null, 4))?;
/// let mut player = kit.dialogue(&DialogueSetup::new("random", 1))?;
/// let mut calls = Vec::new();
/// while table.outcome().is_none() {
///     table.calls(&mut calls);
///     for call in calls.drain(..) {
///         let mut answer = String::new();
///         if call.seat == Seat(0) {
///             match player.receive(call.text.as_bytes())? {
///                 Next::Wait => {}
///                 Next::Send(text) => {
///                     player.said(&text);
///                     answer = text;
///                 }
///                 Next::Think { fallback, .. } => {
///                     answer = fallback;
///                     think(player.as_mut(), Budget::nodes(100), &mut answer);
///                     player.said(&answer);
///                 }
///                 Next::Over(ending) => answer = ending.last_word,
///             }
///         }
///         if call.answer_within.is_some() {
///             table.answer(call.seat, Reply::Text(answer.as_bytes()));
///         }
///     }
/// }
/// # Ok(())
/// # }
/// ```
pub trait Dialogue: Send {
    /// What to say first, unasked.
    fn open(&mut self) -> Option<Frame> {
        None
    }
    /// Takes one frame in.
    ///
    /// # Errors
    /// [`WireError`] if the frame is not of this dialect; the dialogue is then unchanged.
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError>;
    /// Thinks for one slice. `best` holds a legal answer from the start and only improves.
    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress;
    /// After a [`Next::Think`] and before [`Dialogue::said`]: thinks about the decision with this budget and
    /// says why it would decide so. Changes nothing: a copy of the bot thinks. `None` where no decision is due,
    /// or where there is none to explain.
    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        let _ = budget;
        None
    }
    /// The referee's count of our points at the end, where it is known although the wire does not give it: comes
    /// before [`Dialogue::hung_up`].
    fn scored(&mut self, points: i64) {
        let _ = points;
    }
    /// How the match ended if the other side hangs up now, where a wire has no other word for the end.
    fn hung_up(&mut self) -> Option<Ending> {
        None
    }
    /// Somebody says who sits at a place, in the game's own word, and what is known of it as
    /// [`crate::Models::merge`] gives it; from then on nobody of that name sits elsewhere. Where a name is of no use,
    /// nothing happens.
    fn named(&mut self, rival: &str, name: &str, model: Option<&Value>) {
        let _ = (rival, name, model);
    }
    /// Takes note of what was really said, be it the answer found, the fallback, or a logged answer
    /// on recovery. Must be called once after every `Think`, and after every `Send`.
    fn said(&mut self, frame: &str);
    /// Facts found since the last call.
    fn facts(&mut self) -> Vec<Fact> {
        Vec::new()
    }
    /// What this match has taught so far about each rival.
    fn lessons(&self) -> Vec<Lesson> {
        Vec::new()
    }
    /// What the seat knows now, for its owner's eyes.
    fn view(&self) -> Value {
        Value::Null
    }
    /// What is to be seen of the match from the seat, never more than it may know; `None`: nothing yet, or a
    /// game that shows no scenes.
    fn scene(&self) -> Option<Scene> {
        None
    }
}

/// One frame from the referee to a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who receives it.
    pub seat: Seat,
    /// The exact text.
    pub text: Frame,
    /// `Some`: the match waits for this seat's answer, at most so long.
    pub answer_within: Option<Duration>,
    /// Time to be let pass before it is sent, for readers that throw away what follows at once.
    pub pause: Duration,
    /// Whether the answer is a decision, and no mere acknowledgement or greeting.
    pub decides: bool,
}

impl Call {
    /// What a seat is sent, without an answer to wait for.
    #[must_use]
    pub const fn send(seat: Seat, text: Frame) -> Self {
        Self {
            seat,
            text,
            answer_within: None,
            pause: Duration::ZERO,
            decides: false,
        }
    }

    /// What a seat is asked to decide, with so much time for the answer.
    #[must_use]
    pub const fn ask(seat: Seat, text: Frame, within: Duration) -> Self {
        Self {
            seat,
            text,
            answer_within: Some(within),
            pause: Duration::ZERO,
            decides: true,
        }
    }
}

/// What came of a call that wanted an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// The answer's exact bytes.
    Text(&'a [u8]),
    /// Nothing in time.
    Late,
    /// The connection or program failed.
    Failed,
    /// Output that came before the call, on a wire in lock step; the call was not sent.
    Early(&'a [u8]),
}

/// Whose fault ended a match, or only its own part in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blame {
    /// Who.
    pub seat: Seat,
    /// What it counts as.
    pub cause: Cause,
    /// What it did, in a sentence.
    pub detail: String,
}

/// What a referee has noted of a seat that played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Noted {
    /// Answers that the rules refused.
    pub refused: u32,
    /// Answers that came late or not at all.
    pub late: u32,
}

/// The referee's side of one match.
///
/// Four players who never answer end a match, too:
///
/// ```
/// use drover_game::{Reply, TableSetup};
/// use serde_json::Value;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let kit = games::find("koehandel").expect("a game of this name");
/// let mut table = kit.table(&TableSetup::numbered(7, Value::Null, 4))?;
/// let mut calls = Vec::new();
/// while table.outcome().is_none() {
///     table.calls(&mut calls);
///     for call in calls.drain(..) {
///         if call.answer_within.is_some() {
///             table.answer(call.seat, Reply::Late);
///         }
///     }
/// }
/// assert_eq!(table.outcome().expect("an end").scores.len(), 4);
/// # Ok(())
/// # }
/// ```
pub trait Table: Send {
    /// Moves what is to be sent now to `out`, for each seat in the order in which it must receive it.
    fn calls(&mut self, out: &mut Vec<Call>);
    /// Takes a seat's answer to its open call, or a part of it where a dialect lets a seat answer line
    /// by line. An answer nobody waits for is ignored.
    fn answer(&mut self, seat: Seat, reply: Reply<'_>);
    /// Whether the match still waits for this seat's answer, or for more of it.
    /// A call that [`Table::calls`] has yet to give waits for nothing.
    fn waits(&self, seat: Seat) -> bool;
    /// Receives, before the answer, how much time a seat has taken for it; for games whose clock runs
    /// over more than one answer. Time is passed in: the table's driver owns the clock.
    fn spent(&mut self, seat: Seat, time: Duration) {
        let _ = (seat, time);
    }
    /// Whether output that comes before a call is a fault, blank lines apart.
    fn lock_step(&self) -> bool {
        false
    }
    /// Whose fault ended the match, or only its own part in it, in the order of seats. These are not spoken
    /// to any more.
    fn blames(&self) -> Vec<Blame> {
        Vec::new()
    }
    /// What a seat has done that is no such fault.
    fn noted(&self, seat: Seat) -> Noted {
        let _ = seat;
        Noted::default()
    }
    /// The result, once the match is over.
    fn outcome(&self) -> Option<Outcome>;
    /// Everything that is to be seen of the match, hidden hands included: for after its end, and for
    /// organisers. In the schema of [`Dialogue::scene`].
    fn scene(&self) -> Option<Scene> {
        None
    }
    /// Everything this match started from, enough to replay it on any later version.
    fn setup(&self) -> Value;
}

/// How a referee receives players who dial it themselves, before they sit at a table.
pub trait Reception: Send + Sync {
    /// What a line means from somebody who sits nowhere yet.
    fn receive(&self, line: &[u8]) -> Arrival;
    /// What a player receives who has to wait, with the number in the queue, itself included; `None`:
    /// nothing.
    fn wait(&self, queued: usize) -> Option<Frame>;
    /// What a player receives that asked for a room that does not exist. It may ask for another.
    fn no_room(&self) -> Frame;
    /// What a player receives whose match is given up.
    fn given_up(&self) -> Frame;
}

/// A line at the [`Reception`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Somebody wants to play.
    Join {
        /// Its name as it gives it; may be empty.
        name: String,
        /// The room it asks for, in lower case; `None`: the usual one.
        room: Option<String>,
    },
    /// Something else, which gets this answer.
    Answer(Frame),
}
