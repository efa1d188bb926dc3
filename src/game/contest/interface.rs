//! [`Contest`], what a game says of itself, typed.

use crate::arena::Acts;
use crate::game::{Bot, Budget, Duel, Game, Illegal, Outcome, Seat, Seats};
#[cfg(doc)]
use crate::kit::Kit;
use crate::kit::{
    Bluff, BotCard, DialogueSetup, Maps, Models, NO_REPLIES, OptionCard, Pace, Route, StdioWire,
    Train, Wire,
};
use crate::neutral::Spoken;
use crate::scene::Picture;
use crate::wire::{Dialogue, Fact, Frame, Reception, ReplyLine, Table, TeamFact, WireError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;
use std::ops::{Range, RangeInclusive};
use std::time::Duration;

/// The number of a match that is played without a wire.
pub const MATCH_NUMBER: u64 = 1;

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The wire's time limit for an answer.
    pub answer: Duration,
    /// The wire's time limit for the first answer of a match.
    pub open: Duration,
    /// How long a decision is thought about unless it is set otherwise.
    pub budget: Duration,
    /// The same in matches that are played here without a clock.
    pub play_budget: Duration,
}

impl Limits {
    /// Limits of a wire with so long for every answer, and the budget of decisions.
    #[must_use]
    pub const fn new(answer: Duration, budget: Duration) -> Self {
        Self {
            answer,
            open: answer,
            budget,
            play_budget: budget,
        }
    }
}

/// What a match is made for, beside its options.
#[derive(Clone, Copy, Debug)]
pub struct Deal<'a> {
    /// Seeds all chance of the match.
    pub seed: u64,
    /// The number of the match on the wire, where the wire carries one.
    pub market: u64,
    /// Each seat's number on the wire, where the wire carries one; else as many numbers as there are
    /// seats.
    pub ids: &'a [u64],
}

impl Deal<'_> {
    /// How many seats the match has.
    #[must_use]
    pub const fn seats(&self) -> usize {
        self.ids.len()
    }
}

/// What a bot may know beforehand.
#[derive(Clone, Copy, Debug)]
pub enum Advice<'a> {
    /// Nothing: models are not to be used.
    None,
    /// What the game ships.
    Shipped,
    /// Stored models, each under its key.
    Learnt {
        /// Models of rivals whom somebody could name: (rival's place, model).
        rivals: &'a [(String, Value)],
        /// Models of learnt types: (type, model).
        types: &'a [(String, Value)],
    },
}

/// One game: rules, wire, bots and options. All items without a default are what the smallest game writes.
pub trait Contest:
    Game<Act: Clone + Debug + Send + Spoken, Ask: Spoken, View: Spoken, Event: Spoken>
{
    /// The referee's options, one field a card of [`Contest::OPTIONS`].
    type Options: DeserializeOwned + Default;
    /// Everything that a match is refereed from, its options and chance included: what
    /// [`Table::setup`] gives.
    type Refereed: Serialize + DeserializeOwned;

    /// What is known beside a view for judging acts, from what was heard before.
    type Heard: Default + Clone + Send;

    /// The game's name.
    const NAME: &'static str;
    /// How many seats a match has.
    const SEATS: RangeInclusive<usize>;
    /// Built-in bots, weakest first.
    const BOTS: &'static [BotCard];
    /// Referee options.
    const OPTIONS: &'static [OptionCard];
    /// How long things may take.
    const LIMITS: Limits;
    /// How players and referee meet.
    const WIRE: Wire = Wire::Stdio;
    /// What programs on pipes are held to, where players are such programs.
    const STDIO: StdioWire = StdioWire::USUAL;
    /// Whether stored models advise the game's bots ([`Advice::Learnt`]).
    const ADVISED: bool = false;
    /// As [`Kit::repeats`].
    const REPEATS: bool = false;
    /// As [`Kit::team_fact`].
    const TEAM_FACT: Option<TeamFact> = None;
    /// Whether transcripts of matches without a wire take a player's side that hears them. Where none is
    /// needed, every call that asks is answered by [`Contest::written`].
    const HEARD_AGAIN: bool = true;
    /// As [`Kit::value_unit`].
    const VALUE_UNIT: &'static str;
    /// Nodes a decision in the matches that go into a signature, unless a match says otherwise
    /// ([`Bout::nodes`]).
    const BOUT_NODES: u64;

    /// What a match with these options is refereed from.
    ///
    /// # Errors
    /// A sentence that names the option that cannot be used.
    fn set_up(options: Self::Options, deal: &Deal<'_>) -> Result<Self::Refereed, String>;
    /// What its rules start from.
    fn position(refereed: &Self::Refereed) -> &Self::Setup;
    /// The referee's side of it.
    ///
    /// # Errors
    /// A sentence that says what does not fit, where it was not made by [`Contest::set_up`].
    fn referee(refereed: Self::Refereed) -> Result<Box<dyn Table>, String>;
    /// A bot's side of a conversation.
    fn player(bot: Box<dyn Bot<Self>>, opened: &DialogueSetup) -> Box<dyn Dialogue>;
    /// Which session a frame belongs to.
    ///
    /// # Errors
    /// [`WireError`] names the field that keeps the frame from being routed.
    fn route(frame: &[u8]) -> Result<Route, WireError>;
    /// As [`Kit::in_form`], of an answer that is not empty.
    ///
    /// # Errors
    /// A sentence that says what a reader would not take.
    fn in_form(message: &[u8], answer: &str) -> Result<(), String>;
    /// The built-in bot with this name, if there is one. `seed` is its own chance.
    fn bot(name: &str, seed: u64, advice: Advice<'_>) -> Option<Box<dyn Bot<Self>>>;
    /// The fixed matches whose acts are the signature of the bot with this name. They never change.
    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>>;

    /// Whether an act answers a decision as the rules want it, as far as that can be seen from the seat.
    ///
    /// # Errors
    /// [`Illegal`] says which rule forbids it.
    fn judge(
        heard: &Self::Heard,
        view: &Self::View,
        ask: &Self::Ask,
        act: &Self::Act,
    ) -> Result<(), Illegal>;
    /// The legal acts of a decision, or a sample where they are too many; `None` where acts are not listed.
    fn listed(heard: &Self::Heard, view: &Self::View, ask: &Self::Ask) -> Option<Vec<Self::Act>> {
        let _ = (heard, view, ask);
        None
    }
    /// Keeps what is needed to judge later acts.
    fn receive(heard: &mut Self::Heard, event: &Self::Event) {
        let _ = (heard, event);
    }

    /// An act as it goes into a signature.
    fn act_text(act: &Option<Self::Act>) -> String {
        act.as_ref()
            .map_or_else(String::new, |act| format!("{act:?}"))
    }
    /// A match's end as it goes into a signature.
    fn end_text(game: &Self) -> String {
        format!("{:?}", game.outcome())
    }
    /// Whether the bot with this name heeds what it is told; those that play from the view alone need not be
    /// told anything.
    fn listens(name: &str) -> bool {
        let _ = name;
        true
    }
    /// How long each seat may think in a whole match, where a clock runs over it.
    fn clock(refereed: &Self::Refereed) -> Duration {
        let _ = refereed;
        Duration::ZERO
    }
    /// How long a decision may take in matches without a wire, where a pace has a clock and the game takes who is
    /// late out of the match ([`Contest::forfeit`]).
    fn within(view: &Self::View) -> Option<Duration> {
        let _ = view;
        None
    }
    /// Whether one who is late ends the match for all, so that it has no scores.
    fn aborts(refereed: &Self::Refereed) -> bool {
        let _ = refereed;
        false
    }
    /// Takes a seat out of the match.
    fn forfeit(game: &mut Self, seat: Seat) {
        let _ = (game, seat);
    }
    /// Asks a bot at a pace that has begun; `left` is what is left of its [`Contest::clock`].
    fn decide(
        bot: &mut dyn Bot<Self>,
        view: &Self::View,
        ask: &Self::Ask,
        pace: &dyn Pace,
        left: &mut Duration,
    ) -> Self::Act {
        let _ = left;
        let budget = Budget {
            nodes: pace.nodes(),
            stop: &|| pace.stop(),
        };
        bot.decide(view, ask, budget)
    }
    /// Puts the acts of one step in the order in which they arrive in matches without a wire. They come in
    /// seat order.
    fn arrange(game: &Self, acts: &mut Acts<Self>) {
        let _ = (game, acts);
    }
    /// What is said for an act in a match without a wire, whose number is [`MATCH_NUMBER`]; `None`: what the
    /// player's side says. For games whose players have names of their own for what acts are about.
    fn written(act: &Self::Act) -> Option<Frame> {
        let _ = act;
        None
    }
    /// As [`Kit::seat_owners`].
    ///
    /// # Errors
    /// A sentence, if the options do not fit so many.
    fn seat_owners(options: Self::Options, entrants: usize) -> Result<Vec<usize>, String> {
        let _ = options;
        Ok((0..entrants).collect())
    }
    /// As [`Kit::seat_teams`].
    ///
    /// # Errors
    /// A sentence, if the options do not fit so many.
    fn seat_teams(options: Self::Options, seats: usize) -> Result<Option<Vec<u8>>, String> {
        let _ = (options, seats);
        Ok(None)
    }
    /// As [`Kit::teams`].
    fn teams(refereed: &str) -> Option<Vec<u8>> {
        let _ = refereed;
        None
    }
    /// As [`Kit::win_shares`].
    fn win_shares(outcome: &Outcome) -> Seats<f64> {
        outcome.win_shares()
    }
    /// As [`Kit::duels`].
    fn duels(outcome: &Outcome) -> Vec<Duel> {
        outcome.duels()
    }
    /// As [`Kit::default_answer`].
    fn default_answer(frame: &str) -> &'static str {
        let _ = frame;
        ""
    }
    /// As [`Kit::completes`].
    fn completes(line: &[u8]) -> bool {
        let _ = line;
        true
    }
    /// As [`Kit::reply_line`].
    ///
    /// # Errors
    /// A sentence: it is none that a reply has.
    fn reply_line(begun: bool, line: &[u8]) -> Result<ReplyLine, String> {
        let _ = (begun, line);
        Err(NO_REPLIES.to_owned())
    }
    /// The act of a program's whole reply to a frame that asks for this decision, in the game's own protocol. Read as
    /// leniently as any referee reads it: what is sent on is written again.
    ///
    /// # Errors
    /// A sentence: it is no act.
    fn act_of_reply(
        (heard, frame): (&Self::Heard, &[u8]),
        (view, ask): (&Self::View, &Self::Ask),
        reply: &str,
    ) -> Result<Self::Act, String> {
        let _ = (heard, frame, view, ask, reply);
        Err(NO_REPLIES.to_owned())
    }
    /// As [`Kit::place`].
    fn place(word: &str) -> Option<u8> {
        word.parse().ok()
    }
    /// As [`Kit::place_word`].
    fn place_word(clockwise: u8) -> Option<&'static str> {
        let _ = clockwise;
        None
    }
    /// As [`Kit::bluff`].
    fn bluff(fact: &Fact) -> Option<Bluff> {
        let _ = fact;
        None
    }
    /// As [`Kit::seated`].
    fn seated(fact: Fact, seat: Seat) -> Fact {
        let _ = seat;
        fact
    }
    /// As [`Kit::picture`].
    fn picture(state: &Value) -> Option<Picture> {
        let _ = state;
        None
    }
    /// The game's maps, if it is played on such.
    fn maps() -> Option<&'static dyn Maps> {
        None
    }
    /// What is learnt of rivals, if anything is.
    fn models() -> Option<&'static dyn Models> {
        None
    }
    /// How players are received who dial the referee themselves, if the game has that.
    fn reception() -> Option<&'static dyn Reception> {
        None
    }
    /// How the champion's data is learnt, if it ships any.
    fn training() -> Option<&'static dyn Train> {
        None
    }
}

/// One of the fixed matches that go into a signature.
pub struct Bout<'a, G: Game> {
    /// What it starts from.
    pub setup: G::Setup,
    /// Bots by seat, each with the seed of its chance.
    pub bots: Vec<(&'a str, u64)>,
    /// Seats whose acts are digested.
    pub own: Range<usize>,
    /// Nodes a decision, where [`Contest::BOUT_NODES`] are too few.
    pub nodes: Option<u64>,
    /// The order in which acts of one step arrive.
    pub arrange: fn(&G, &mut Acts<G>),
}

impl<'a, G: Game> Bout<'a, G> {
    /// A match among these bots, whose seeds count from `seed`, with acts in seat order.
    #[must_use]
    pub fn new(setup: G::Setup, names: &[&'a str], seed: u64, own: Range<usize>) -> Self {
        let bots = names.iter().zip(0..);
        Self {
            setup,
            bots: bots
                .map(|(name, seat)| (*name, seed.wrapping_add(seat)))
                .collect(),
            own,
            nodes: None,
            arrange: |_, _| {},
        }
    }
}
