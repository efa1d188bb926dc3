//! A game's door: everything that the daemon may ask of a game, without knowing which one it is.

use crate::game::{Duel, Outcome, Seat, Seats};
use crate::neutral::Post;
use crate::rng::Rng;
use crate::scene::Picture;
use crate::wire::{Dialogue, Fact, Reception, ReplyLine, Table, TeamFact, WireError};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

pub use crate::wire::StdioWire;

/// One built-in bot, as it is listed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BotCard {
    /// The name in `builtin:NAME`.
    pub name: &'static str,
    /// Its rung on the game's ladder, weakest 1.
    pub rung: u8,
    /// Raised whenever its play changes.
    pub version: u32,
    /// One sentence on how it plays and, for searchers, what a node is.
    pub description: &'static str,
    /// A number that changes only when its play changes: a digest of fixed seeded matches.
    pub signature: u64,
    /// Whether it uses a thinking budget.
    pub thinks: bool,
}

/// The first version of a bot that does not think.
pub const fn card(
    rung: u8,
    name: &'static str,
    description: &'static str,
    signature: u64,
) -> BotCard {
    BotCard {
        name,
        rung,
        version: 1,
        description,
        signature,
        thinks: false,
    }
}

/// The first version of a bot that uses a thinking budget.
pub const fn thinker(
    rung: u8,
    name: &'static str,
    description: &'static str,
    signature: u64,
) -> BotCard {
    BotCard {
        thinks: true,
        ..card(rung, name, description, signature)
    }
}

/// One referee option, as it is listed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OptionCard {
    /// The key in the options object.
    pub name: &'static str,
    /// Its default, as JSON text.
    pub default: &'static str,
    /// What it decides, and the ruling it belongs to.
    pub description: &'static str,
}

impl OptionCard {
    /// An option with its default as JSON text.
    #[must_use]
    pub const fn new(name: &'static str, default: &'static str, description: &'static str) -> Self {
        Self {
            name,
            default,
            description,
        }
    }
}

/// A name or option that a game does not know, as a sentence that says what exists.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

/// How players and referee meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// The referee calls each player over HTTP.
    Callbacks,
    /// Players dial the referee over TCP and keep the line. The connection is the player: a session
    /// ends with it.
    Hub,
    /// The referee starts each player as a program and speaks with it over stdin and stdout.
    Stdio,
}

/// How much self-play is learnt from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Training {
    /// How many games.
    pub games: u64,
    /// Seeds all chance.
    pub seed: u64,
}

/// What kind of map to draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapStyle {
    /// Whether both sides are alike.
    pub symmetric: bool,
    /// Numbers by the names in [`Maps::sizes`]; what is absent is left to the seed.
    pub sizes: Vec<(String, usize)>,
}

impl MapStyle {
    /// The number of this name.
    #[must_use]
    pub fn size(&self, name: &str) -> Option<usize> {
        let mut sizes = self.sizes.iter();
        sizes.find_map(|(known, size)| (known == name).then_some(*size))
    }
}

/// A number that a map can be drawn by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapSize {
    /// Its name.
    pub name: &'static str,
    /// What it counts, and what holds where it is not given.
    pub description: &'static str,
}

impl MapSize {
    /// A number with what it counts.
    #[must_use]
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, description }
    }
}

/// The maps of a game that is played on maps.
pub trait Maps: Sync {
    /// The maps that come with the game: name and text, by name.
    fn shipped(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
    /// What maps can be drawn by.
    fn sizes(&self) -> &'static [MapSize];
    /// The map of a seed and style as text; the same for ever.
    ///
    /// # Errors
    /// [`SetupError`] names what cannot be drawn.
    fn draw(&self, seed: u64, style: &MapStyle) -> Result<String, SetupError>;
    /// Whether a text is a map of the game.
    ///
    /// # Errors
    /// [`SetupError`] says what is wrong where.
    fn check(&self, text: &str) -> Result<(), SetupError>;
}

/// Models of rivals, or of whatever else is learnt match by match.
pub trait Models: Sync {
    /// Adds one match's evidence ([`crate::Lesson::evidence`]) to a stored model.
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value;
    /// A model made readable: each figure with its evidence count and 90 % credible interval.
    fn show(&self, model: &Value) -> Value;
    /// What figures count, in a sentence each, where their names do not say it: by the names that
    /// [`show`](Self::show) gives them.
    fn notes(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

/// How what a champion ships as data is learnt.
pub trait Train: Sync {
    /// Learns by self-play and gives the data's text; `done` is told how many games are played.
    fn train(&self, training: &Training, done: &mut dyn FnMut(u64)) -> String;
}

/// Which session a first frame belongs to, read without a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The referee's number of the match; 0 where the wire has none.
    pub market: u64,
    /// The referee's number of the player; 0 where the wire has none.
    pub id: u64,
    /// Whether the frame opens a new match for this key.
    pub begins: bool,
    /// What the frame tells its reader of its own seat, where the wire has that.
    pub seating: Option<Seating>,
}

/// A seat, as the wire gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// The reader's own.
    pub seat: Seat,
    /// How many there are.
    pub seats: u8,
    /// How long every player has for an answer.
    pub within: Duration,
}

/// What a bot's side of a conversation starts from.
#[derive(Clone, Debug, Default)]
pub struct DialogueSetup {
    /// The built-in bot's name.
    pub bot: String,
    /// Seeds the bot's own chance.
    pub seed: u64,
    /// Models of rivals whom the operator or our own referee could name: (rival's place, model).
    pub rivals: Vec<(String, Value)>,
    /// Models of learnt types: (type, model).
    pub types: Vec<(String, Value)>,
    /// Rivals whose names are known: (rival's place, name).
    pub named: Vec<(String, String)>,
    /// Models of known opponents, any of whom may sit where nobody is named: (name, model).
    pub known: Vec<(String, Value)>,
    /// Whether the bot may use models at all.
    pub models: bool,
    /// The built-in bot that answers where [`DialogueSetup::bot`] is a user's program; empty: it is built in.
    pub fallback: String,
    /// Where such a program's lines go; `None`: nobody tells it anything.
    pub post: Option<Post>,
    /// What the opening words say where the wire has any, in the game's own words: for smart-dog
    /// `{"name": …, "hub": …}`.
    pub opening: Value,
}

/// What was learnt in earlier matches of those who play in this one: advice for one bot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learnt {
    /// As in [`DialogueSetup::rivals`].
    pub rivals: Vec<(String, Value)>,
    /// As in [`DialogueSetup::types`].
    pub types: Vec<(String, Value)>,
}

impl DialogueSetup {
    /// A bot with its seed and nothing else.
    #[must_use]
    pub fn of(bot: impl Into<String>, seed: u64) -> Self {
        Self {
            bot: bot.into(),
            seed,
            ..Self::default()
        }
    }
}

/// What a referee's side starts from.
#[derive(Clone, Debug, Default)]
pub struct TableSetup {
    /// Seeds all chance of the match.
    pub seed: u64,
    /// The referee options that differ from the defaults, as one JSON object (or null).
    pub options: Value,
    /// The number of the match on the wire, where the wire carries one.
    pub market: u64,
    /// Each seat's number on the wire, where the wire carries one; else as many numbers as there are
    /// seats.
    pub ids: Vec<u64>,
}

impl TableSetup {
    /// Match 1 of players with the numbers from 1 up, one a seat.
    #[must_use]
    pub fn numbered(seed: u64, options: Value, seats: usize) -> Self {
        Self {
            seed,
            options,
            market: 1,
            ids: (1..=seats as u64).collect(),
        }
    }
}

/// A match to be played in process, without a wire.
#[derive(Clone, Debug, Default)]
pub struct PlaySetup {
    /// Built-in bots by seat.
    pub bots: Vec<String>,
    /// Seeds the deal and, with the seat as stream, each bot.
    pub seed: u64,
    /// As in [`TableSetup::options`].
    pub options: Value,
    /// Whether bots may use opponent models.
    pub models: bool,
    /// What bots have learnt, by seat; those beyond its end know what the game ships.
    pub learnt: Vec<Learnt>,
    /// Whether to keep the wire transcript and the facts (slower).
    pub record: bool,
}

impl PlaySetup {
    /// A match without opponent models whose transcript and facts are kept.
    #[must_use]
    pub const fn recorded(bots: Vec<String>, seed: u64, options: Value) -> Self {
        Self {
            bots,
            seed,
            options,
            models: false,
            learnt: Vec::new(),
            record: true,
        }
    }
}

/// How long bots may think in an in-process match. Time is passed in: level 5 owns the clock.
pub trait Pace {
    /// Nodes a decision.
    fn nodes(&self) -> u64;
    /// A decision of `seat` begins.
    fn begin(&self, seat: Seat);
    /// Whether the decision that began last must end.
    fn stop(&self) -> bool;
    /// How long the decision that began last has taken so far, where somebody looks at a clock.
    fn elapsed(&self) -> Option<Duration> {
        None
    }
    /// What a clock shows, where somebody keeps the time that the wire allows.
    fn now(&self) -> Option<Duration> {
        None
    }
    /// The decision that began last is made.
    fn end(&self);
}

/// Streams of a match's seed from which its bots are seeded begin here.
const BOT_STREAM: u64 = 1;

/// The seed of the bot on `seat` in a match with this seed.
#[must_use]
pub fn bot_seed(seed: u64, seat: Seat) -> u64 {
    Rng::new(seed, BOT_STREAM + u64::from(seat.0)).bits()
}

/// A pace of so many nodes a decision and no clock.
#[derive(Clone, Copy, Debug)]
pub struct Nodes(pub u64);

impl Pace for Nodes {
    fn nodes(&self) -> u64 {
        self.0
    }
    fn begin(&self, _: Seat) {}
    fn stop(&self) -> bool {
        false
    }
    fn end(&self) {}
}

/// One line of a match's transcript as the referee saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// Whose line.
    pub seat: Seat,
    /// Sent to the seat.
    pub call: String,
    /// What came back; `None` where nobody waited for an answer or none came.
    pub reply: Option<String>,
    /// How long that took, where somebody looked at a clock.
    pub took: Option<Duration>,
}

impl Exchange {
    /// What a seat was told, without an answer.
    #[must_use]
    pub const fn told(seat: Seat, call: String) -> Self {
        Self {
            seat,
            call,
            reply: None,
            took: None,
        }
    }
}

/// An in-process match, played.
#[derive(Clone, Debug)]
pub struct Played {
    /// How it ended.
    pub outcome: Outcome,
    /// How many acts were asked for.
    pub asks: u32,
    /// How many acts the rules refused, by seat: 0 for a bot in good order.
    pub refused: Seats<u32>,
    /// Who took longer for a decision than the wire allows, and is out of the match since, in this order; where a
    /// pace has a clock ([`Pace::now`]) and the game takes out who is late.
    pub late: Vec<Seat>,
    /// The wire transcript, if it was wanted.
    pub transcript: Vec<Exchange>,
}

/// Why a line is none of a reply where nothing is known of such.
pub const NO_REPLIES: &str = "the game is not played by programs that speak a protocol of its own";

/// The door to one game.
pub trait Kit: Sync + Send {
    /// The game's name: `koehandel`, …
    fn game(&self) -> &'static str;
    /// Which of those who enter plays on each seat of a match with these options. Unless a game has
    /// teams, each plays on one.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit so many.
    fn seat_owners(&self, options: &Value, entrants: usize) -> Result<Vec<usize>, SetupError> {
        let _ = options;
        Ok((0..entrants).collect())
    }
    /// Each seat's team in a match of so many seats with these options, in games that have teams.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit so many.
    fn seat_teams(&self, options: &Value, seats: usize) -> Result<Option<Vec<u8>>, SetupError> {
        let _ = (options, seats);
        Ok(None)
    }
    /// How many seats a match has.
    fn seats(&self) -> std::ops::RangeInclusive<usize>;
    /// Built-in bots, weakest first.
    fn bots(&self) -> &'static [BotCard];
    /// Referee options.
    fn options(&self) -> &'static [OptionCard];
    /// The wire's time limit for an answer.
    fn answer_within(&self) -> Duration;
    /// The wire's time limit for the first answer of a match, where that is another one.
    fn open_within(&self) -> Duration {
        self.answer_within()
    }
    /// Whether stored models of opponents or maps advise the game's bots.
    fn advised(&self) -> bool {
        true
    }
    /// What values of candidates are in ([`crate::Candidate::value`]).
    fn value_unit(&self) -> &'static str;
    /// How long a decision is thought about unless it is set otherwise.
    fn usual_budget(&self) -> Duration {
        Duration::from_millis(200)
    }
    /// How long a decision is thought about in matches that are played here without a clock, unless it is
    /// set otherwise.
    fn play_budget(&self) -> Duration {
        self.usual_budget()
    }
    /// Which session a frame belongs to.
    ///
    /// # Errors
    /// [`WireError`] names the field that keeps the frame from being routed.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError>;
    /// Whether an answer to a message is legal in form: whether the referee's own reader takes it, whatever
    /// the rules say. An empty one is legal where the message does not ask, or the wire has it.
    ///
    /// # Errors
    /// A sentence that says what a reader would not take.
    fn in_form(&self, message: &[u8], answer: &str) -> Result<(), String> {
        let _ = (message, answer);
        Ok(())
    }
    /// A bot's side of a conversation.
    ///
    /// # Errors
    /// [`SetupError`] for an unknown bot, naming those that exist.
    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError>;
    /// The referee's side of a match.
    ///
    /// # Errors
    /// [`SetupError`] for unknown or ill-typed options or a wrong number of ids.
    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError>;
    /// The referee's side from the full setup that [`Table::setup`] gave.
    ///
    /// # Errors
    /// [`SetupError`] if it is not such a setup.
    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError>;
    /// Plays one match in process at full speed.
    ///
    /// # Errors
    /// [`SetupError`] for unknown bots or options or a wrong number of seats.
    fn play(&self, setup: &PlaySetup, pace: &dyn Pace) -> Result<Played, SetupError>;
    /// The JSON Schemas of what is said to users' programs and of what they say ([`crate::neutral`]).
    fn schema(&self) -> Value {
        Value::Null
    }
    /// Which facts are bluffs, in the columns of the bluff history.
    fn bluff(&self, fact: &Fact) -> Option<Bluff> {
        let _ = fact;
        None
    }
    /// Whether a message that equals the one before it, to the same player of the same match, can
    /// only be that one sent again. Where it can, an equal message is answered from the log and
    /// never heard twice, whatever became of the first answer.
    fn repeats(&self) -> bool {
        false
    }
    /// What is answered to a frame when nothing better is known; empty: nothing.
    fn default_answer(&self, frame: &str) -> &'static str {
        let _ = frame;
        ""
    }
    /// Whether a line ends a frame, where the transport carries lines.
    fn completes(&self, line: &[u8]) -> bool {
        let _ = line;
        true
    }
    /// Each seat's share of the win: 1 for the only winner. Unless a game says otherwise, the best score
    /// wins, and equal best ones share.
    fn win_shares(&self, outcome: &Outcome) -> Seats<f64> {
        outcome.win_shares()
    }
    /// Each seat's team, from the text of the setup that [`Table::setup`] gave, in games that have teams.
    fn teams(&self, setup: &str) -> Option<Vec<u8>> {
        let _ = setup;
        None
    }
    /// Which fact tells a session's team, in games whose players learn in play who their allies are.
    fn team_fact(&self) -> Option<TeamFact> {
        None
    }
    /// The results of a match between each two of its seats that count for ratings.
    fn duels(&self, outcome: &Outcome) -> Vec<Duel> {
        outcome.duels()
    }
    /// How players and referee meet.
    fn wire(&self) -> Wire {
        Wire::Callbacks
    }
    /// What programs on pipes are held to, where players are such programs.
    fn stdio(&self) -> Option<&'static StdioWire> {
        None
    }
    /// What this line is of a program's reply in the game's own protocol; `begun`: some of the reply came before it.
    ///
    /// # Errors
    /// A sentence: it is none that a reply has, or the game has no such programs.
    fn reply_line(&self, begun: bool, line: &[u8]) -> Result<ReplyLine, String> {
        let _ = (begun, line);
        Err(NO_REPLIES.to_owned())
    }
    /// What is learnt of rivals, if anything is.
    fn models(&self) -> Option<&'static dyn Models> {
        None
    }
    /// How the champion's data is learnt, if it ships any.
    fn training(&self) -> Option<&'static dyn Train> {
        None
    }
    /// The game's maps, if it is played on such.
    fn maps(&self) -> Option<&'static dyn Maps> {
        None
    }
    /// How players are received who dial the referee themselves, if the game has that.
    fn reception(&self) -> Option<&'static dyn Reception> {
        None
    }
    /// A picture of a state ([`Scene::state`]), which may come from anywhere; `None`: it is no state of the game.
    ///
    /// [`Scene::state`]: crate::Scene::state
    fn picture(&self, state: &Value) -> Option<Picture> {
        let _ = state;
        None
    }
    /// How many seats clockwise from a session's own the place is that its wire calls `word`
    /// ([`crate::Lesson::rival`], [`Bluff::by`]). Unless a game says otherwise: plain numbers.
    fn place(&self, word: &str) -> Option<u8> {
        word.parse().ok()
    }
    /// A fact that this seat's transcript tells, for those who see all seats: places become seats, as `seat 2`.
    fn seated(&self, fact: Fact, seat: Seat) -> Fact {
        let _ = seat;
        fact
    }
    /// What a session's wire calls the place so many seats clockwise from its own, in games whose bots are
    /// told beforehand who sits there ([`DialogueSetup::rivals`]).
    fn place_word(&self, clockwise: u8) -> Option<&'static str> {
        let _ = clockwise;
        None
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
