//! What a game is to the rest of Drover: [`Contest`], typed, and the [`Door`] that makes a [`Kit`] of it.
//!
//! A contest says what is its own: rules, wire, bots, options. Playing in process, transcripts, signatures,
//! reading options and reopening matches are written once, here and in [`crate::arena`],
//! [`ladder`] and [`crate::options`].

mod forwarding;
pub mod ladder;
mod remote;
mod scripted;

use self::forwarding::Forwarding;
use self::ladder::Bout;
use self::remote::Remote;
pub use self::scripted::TICK;
use self::scripted::transcribed;
use crate::arena::{self, Acts, Arena};
use crate::game::{Bot, Budget, Cause, Duel, Game, Illegal, Outcome, Seat, Seats};
use crate::kit::{
    Bluff, BotCard, DialogueSetup, Kit, Learnt, Maps, Models, NO_REPLIES, OptionCard, Pace,
    PlaySetup, Played, Route, SetupError, StdioWire, TableSetup, Train, Wire, bot_seed,
};
use crate::neutral::{self, Spoken};
use crate::options;
use crate::scene::Picture;
use crate::wire::{Dialogue, Fact, Frame, Reception, ReplyLine, Table, TeamFact, WireError};
use serde::de::DeserializeOwned;
use serde::{Deserialize as _, Serialize};
use serde_json::Value;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
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
    fn hear(heard: &mut Self::Heard, event: &Self::Event) {
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
    /// leniently as any referee reads it: what is sent on is written anew.
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

/// The [`Kit`] of a contest.
pub struct Door<C>(PhantomData<fn() -> C>);

impl<C: Contest> Door<C> {
    /// The door.
    pub const NEW: Self = Self(PhantomData);

    fn options(given: &Value) -> Result<C::Options, SetupError> {
        options::read(C::OPTIONS, given).map_err(Self::wrong("options"))
    }

    fn refereed(options: &Value, deal: &Deal<'_>) -> Result<C::Refereed, SetupError> {
        C::set_up(Self::options(options)?, deal).map_err(Self::wrong("options"))
    }

    fn wrong(what: &'static str) -> impl Fn(String) -> SetupError {
        move |why| SetupError(format!("{} {what}: {why}", C::NAME))
    }
}

/// Asks bots at a pace, and keeps what they did if that is wanted.
struct Paced<'a, C: Contest> {
    bots: &'a [String],
    pace: &'a dyn Pace,
    left: Seats<Duration>,
    /// `None` for an act that came too late.
    acts: Option<Vec<(Seat, Option<C::Act>)>>,
    /// As [`Contest::aborts`].
    aborts: bool,
    /// Who was late in this step.
    late: Vec<Seat>,
    /// Who was late before, in this order.
    expelled: Vec<Seat>,
}

impl<C: Contest> Arena<C> for Paced<'_, C> {
    fn decide(&mut self, seat: Seat, bot: &mut dyn Bot<C>, view: &C::View, ask: &C::Ask) -> C::Act {
        self.pace.begin(seat);
        let within = C::within(view);
        let since = within.and_then(|_| self.pace.now());
        let act = C::decide(bot, view, ask, self.pace, &mut self.left[seat]);
        let took = since.and_then(|since| Some(self.pace.now()?.saturating_sub(since)));
        if took.zip(within).is_some_and(|(took, within)| took > within) {
            self.late.push(seat);
        }
        self.pace.end();
        act
    }

    fn listens(&self, seat: Seat) -> bool {
        let bot = self.bots.get(seat.index());
        bot.is_none_or(|name| C::listens(name))
    }

    fn prepared(&mut self, seat: Seat, act: C::Act) {
        if let Some(kept) = &mut self.acts {
            kept.push((seat, Some(act)));
        }
    }

    /// Who is late is out once all others have acted.
    fn arrive(&mut self, game: &mut C, acts: &mut Acts<C>) {
        C::arrange(game, acts);
        let mut late = std::mem::take(&mut self.late);
        for (_, act) in acts.iter_mut().filter(|(seat, _)| late.contains(seat)) {
            *act = None;
        }
        let mut out = late.clone();
        if self.aborts && !late.is_empty() {
            late.truncate(1);
            out = acts.iter().map(|(seat, _)| *seat).collect();
        }
        if let Some(kept) = &mut self.acts {
            let in_time = acts.iter().filter(|(_, act)| act.is_some());
            kept.extend(in_time.cloned());
            kept.extend(late.iter().map(|seat| (*seat, None)));
        }
        out.into_iter().for_each(|seat| C::forfeit(game, seat));
        self.expelled.append(&mut late);
    }
}

/// Methods that give what the contest says.
macro_rules! forward {
    ($($name:ident($($argument:ident: $type:ty),*) -> $given:ty = $said:expr;)+) => {
        $(fn $name(&self, $($argument: $type),*) -> $given {
            $said
        })+
    };
}

impl<C: Contest> Kit for Door<C> {
    forward! {
        game() -> &'static str = C::NAME;
        seats() -> RangeInclusive<usize> = C::SEATS;
        bots() -> &'static [BotCard] = C::BOTS;
        options() -> &'static [OptionCard] = C::OPTIONS;
        answer_within() -> Duration = C::LIMITS.answer;
        open_within() -> Duration = C::LIMITS.open;
        advised() -> bool = C::ADVISED;
        value_unit() -> &'static str = C::VALUE_UNIT;
        usual_budget() -> Duration = C::LIMITS.budget;
        play_budget() -> Duration = C::LIMITS.play_budget;
        route(frame: &[u8]) -> Result<Route, WireError> = C::route(frame);
        bluff(fact: &Fact) -> Option<Bluff> = C::bluff(fact);
        seated(fact: Fact, seat: Seat) -> Fact = C::seated(fact, seat);
        picture(state: &Value) -> Option<Picture> = C::picture(state);
        repeats() -> bool = C::REPEATS;
        default_answer(frame: &str) -> &'static str = C::default_answer(frame);
        completes(line: &[u8]) -> bool = C::completes(line);
        reply_line(begun: bool, line: &[u8]) -> Result<ReplyLine, String> = C::reply_line(begun, line);
        win_shares(outcome: &Outcome) -> Seats<f64> = C::win_shares(outcome);
        teams(setup: &str) -> Option<Vec<u8>> = C::teams(setup);
        team_fact() -> Option<TeamFact> = C::TEAM_FACT;
        duels(outcome: &Outcome) -> Vec<Duel> = C::duels(outcome);
        wire() -> Wire = C::WIRE;
        stdio() -> Option<&'static StdioWire> = (C::WIRE == Wire::Stdio).then_some(&C::STDIO);
        models() -> Option<&'static dyn Models> = C::models();
        training() -> Option<&'static dyn Train> = C::training();
        maps() -> Option<&'static dyn Maps> = C::maps();
        reception() -> Option<&'static dyn Reception> = C::reception();
        place(word: &str) -> Option<u8> = C::place(word);
        place_word(clockwise: u8) -> Option<&'static str> = C::place_word(clockwise);
    }

    fn seat_owners(&self, options: &Value, entrants: usize) -> Result<Vec<usize>, SetupError> {
        C::seat_owners(Self::options(options)?, entrants).map_err(Self::wrong("options"))
    }

    fn seat_teams(&self, options: &Value, seats: usize) -> Result<Option<Vec<u8>>, SetupError> {
        C::seat_teams(Self::options(options)?, seats).map_err(Self::wrong("options"))
    }

    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        let (rivals, types) = (&setup.rivals, &setup.types);
        let advice = match setup.models {
            true => Advice::Learnt { rivals, types },
            false => Advice::None,
        };
        let name = match &*setup.fallback {
            "" => &setup.bot,
            fallback => fallback,
        };
        let bot = ladder::make::<C>(name, setup.seed, advice)?;
        Ok(match &setup.post {
            Some(post) => {
                let player = C::player(Box::new(Remote::new(bot, post.clone())), setup);
                match post.is_native() {
                    true => Box::new(Forwarding::new(player, post.clone())),
                    false => player,
                }
            }
            None => C::player(bot, setup),
        })
    }

    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        let deal = Deal {
            seed: setup.seed,
            market: setup.market,
            ids: &setup.ids,
        };
        let refereed = Self::refereed(&setup.options, &deal)?;
        C::referee(refereed).map_err(Self::wrong("options"))
    }

    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError> {
        let read = C::Refereed::deserialize(setup);
        let refereed = read.map_err(|why| Self::wrong("setup")(why.to_string()))?;
        C::referee(refereed).map_err(Self::wrong("setup"))
    }

    fn play(&self, setup: &PlaySetup, pace: &dyn Pace) -> Result<Played, SetupError> {
        let seats = setup.bots.len();
        let ids: Vec<u64> = (1..).take(seats).collect();
        let deal = Deal {
            seed: setup.seed,
            market: MATCH_NUMBER,
            ids: &ids,
        };
        let refereed = Self::refereed(&setup.options, &deal)?;
        let mut bots = Vec::with_capacity(seats);
        for (seat, name) in (0..).map(Seat).zip(&setup.bots) {
            let advice = match (setup.models, setup.learnt.get(seat.index())) {
                (false, _) => Advice::None,
                (true, None) => Advice::Shipped,
                (true, Some(Learnt { rivals, types })) => Advice::Learnt { rivals, types },
            };
            bots.push(ladder::make(name, bot_seed(setup.seed, seat), advice)?);
        }
        let clock = C::clock(&refereed);
        let mut paced: Paced<'_, C> = Paced {
            bots: &setup.bots,
            pace,
            left: Seats::from_fn(seats, |_| clock),
            acts: setup.record.then(Vec::new),
            aborts: C::aborts(&refereed),
            late: Vec::new(),
            expelled: Vec::new(),
        };
        let end = arena::play(C::position(&refereed), &mut bots, &mut paced);
        let Paced {
            acts,
            aborts,
            expelled,
            ..
        } = paced;
        let stalled = || Outcome {
            cause: Cause::Stalled,
            scores: Seats::from_fn(seats, |_| 0),
        };
        let transcript = match acts {
            None => Vec::new(),
            Some(acts) => {
                let mut table = C::referee(refereed).map_err(Self::wrong("options"))?;
                transcribed::<C>(table.as_mut(), &setup.bots, &acts)
            }
        };
        let mut outcome = end.game.outcome().unwrap_or_else(stalled);
        if !expelled.is_empty() {
            outcome.cause = Cause::TimeForfeit;
            if aborts {
                outcome.scores = Seats::default();
            }
        }
        Ok(Played {
            outcome,
            late: expelled,
            asks: end.asks,
            refused: end.refused,
            transcript,
        })
    }

    fn schema(&self) -> Value {
        neutral::schemas::<C::View, C::Ask, C::Act, C::Event>()
    }

    fn in_form(&self, message: &[u8], answer: &str) -> Result<(), String> {
        match answer {
            "" => Ok(()),
            answer => C::in_form(message, answer),
        }
    }
}
