//! [`Contest`], what a game implements, typed.

use crate::arena::Acts;
use crate::card::GameCard;
use crate::dialect::NO_REPLIES;
use crate::game::{Bot, Budget, Game, Illegal, Seat, SetupError};
use crate::kit::{DialogueSetup, LineUp, Pace};
use crate::neutral::Spoken;
use crate::wire::{Dialogue, Frame, Table};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

/// The number of a match that is played without a wire.
pub const MATCH_NUMBER: u64 = 1;

/// What a match is made from, besides its options.
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

/// A decision as its seat sees it.
pub struct Decision<'a, C: Contest> {
    /// What was kept of earlier events.
    pub known: &'a C::Known,
    /// What the seat may know.
    pub view: &'a C::View,
    /// What is asked.
    pub ask: &'a C::Ask,
}

/// One game: rules, wire, bots and options. All items without a default are what the smallest game writes.
pub trait Contest:
    Game<Act: Clone + Debug + Send + Spoken, Ask: Spoken, View: Spoken, Event: Spoken>
{
    /// The referee's options, one field a card of [`GameCard::options`].
    type Options: DeserializeOwned + Default;
    /// Everything that a match is refereed from, its options and chance included: what
    /// [`Table::setup`] gives.
    type Refereed: Serialize + DeserializeOwned;
    /// What must be known besides a view for judging acts, kept from earlier events.
    type Known: Default + Clone + Send;

    /// Everything about the game that is data.
    const CARD: &'static GameCard;
    /// Nodes a decision in the matches that go into a signature, unless a match says otherwise
    /// ([`Bout::nodes`]).
    const BOUT_NODES: u64;
    /// Whether every answer on the wire is a decision, which [`Contest::written`] writes. Transcripts of matches
    /// without a wire are then written without players.
    const ONLY_DECISIONS: bool = false;

    /// What a match with these options is refereed from.
    ///
    /// # Errors
    /// [`SetupError`] names the option that cannot be used.
    fn set_up(options: Self::Options, deal: &Deal<'_>) -> Result<Self::Refereed, SetupError>;
    /// What its rules start from.
    fn position(refereed: &Self::Refereed) -> &Self::Setup;
    /// The referee's side of it.
    ///
    /// # Errors
    /// [`SetupError`] says what does not fit, where it was not made by [`Contest::set_up`].
    fn referee(refereed: Self::Refereed) -> Result<Box<dyn Table>, SetupError>;
    /// A bot's side of a conversation.
    fn player(bot: Box<dyn Bot<Self>>, opened: &DialogueSetup) -> Box<dyn Dialogue>;
    /// The built-in bot with this name, if there is one. `seed` is its own chance.
    fn bot(name: &str, seed: u64, advice: Advice<'_>) -> Option<Box<dyn Bot<Self>>>;
    /// The fixed matches whose acts are the signature of the bot with this name. They never change.
    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>>;
    /// Whether an act answers a decision as the rules want it, as far as that can be seen from the seat.
    ///
    /// # Errors
    /// [`Illegal`] says which rule forbids it.
    fn judge(decision: &Decision<'_, Self>, act: &Self::Act) -> Result<(), Illegal>;

    /// The legal acts of a decision, or a sample where they are too many; `None` where acts are not listed.
    fn listed(decision: &Decision<'_, Self>) -> Option<Vec<Self::Act>> {
        let _ = decision;
        None
    }
    /// Keeps what is needed to judge later acts.
    fn learn(known: &mut Self::Known, event: &Self::Event) {
        let _ = (known, event);
    }
    /// The act of a program's whole reply to a frame that asks for this decision, in the game's own protocol. Read as
    /// leniently as any referee reads it: what is sent on is written again.
    ///
    /// # Errors
    /// A sentence: it is no act, or the game is not played by programs on pipes.
    fn act_of_reply(
        decision: &Decision<'_, Self>,
        frame: &[u8],
        reply: &str,
    ) -> Result<Self::Act, Illegal> {
        let _ = (decision, frame, reply);
        Err(Illegal(NO_REPLIES.to_owned()))
    }
    /// Who plays where in a match of this many entrants: each on a seat of their own, unless a game has teams.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit this many.
    fn line_up(options: Self::Options, entrants: usize) -> Result<LineUp, SetupError> {
        let _ = options;
        Ok(LineUp::single(entrants))
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
    /// Whether the bot with this name uses events; those that play from the view alone need not be sent any.
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
    /// The answer for an act in a match without a wire, whose number is [`MATCH_NUMBER`]; `None`: the player's side
    /// writes it. For games whose players have names of their own for what acts are about.
    fn written(act: &Self::Act) -> Option<Frame> {
        let _ = act;
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
