//! What a game is, what a bot is, and the few types that every game shares.

use crate::reasons::Reasons;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::fmt::Display;
use std::ops::{Index, IndexMut};

/// One player's place in a match, counted from 0 in the order of the match's seat list.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Default,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Seat(pub u8);

impl Seat {
    /// The seat's place in arrays by seat.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One value a seat. Indexed by [`Seat`] only, so that no other number slips in.
///
/// ```
/// use drover_game::{Seat, Seats};
///
/// let mut points = Seats::from_fn(3, |_| 0);
/// points[Seat(1)] += 5;
/// assert_eq!(points.values(), [0, 5, 0]);
/// assert_eq!(points.get(Seat(3)), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Default, JsonSchema)]
#[serde(transparent)]
pub struct Seats<T>(SmallVec<[T; 4]>);

impl<T> Seats<T> {
    /// One value for each of `count` seats.
    pub fn from_fn(count: usize, mut value: impl FnMut(Seat) -> T) -> Self {
        Self((0..count).map(|seat| value(Seat(seat as u8))).collect())
    }

    /// How many seats there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no seat at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a seat, or `None` for a seat that this match does not have.
    #[must_use]
    pub fn get(&self, seat: Seat) -> Option<&T> {
        self.0.get(seat.index())
    }

    /// Seats with their values, in seat order.
    pub fn iter(&self) -> impl Iterator<Item = (Seat, &T)> {
        self.0
            .iter()
            .enumerate()
            .map(|(seat, value)| (Seat(seat as u8), value))
    }

    /// The values alone, in seat order, to be changed.
    #[must_use]
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.0
    }

    /// The values alone, in seat order.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.0
    }
}

impl<T> FromIterator<T> for Seats<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T> Index<Seat> for Seats<T> {
    type Output = T;
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for Seats<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

/// Why a match ended: the closed list that is stored and shown everywhere.
///
/// ```
/// use drover_game::Cause;
///
/// assert_eq!(Cause::TimeForfeit.word(), "time_forfeit");
/// assert_eq!(Cause::from_word("crash"), Some(Cause::Crash));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Played to its end by the rules.
    Normal,
    /// A seat ran out of time.
    TimeForfeit,
    /// A seat answered what the rules forbid.
    IllegalMove,
    /// A seat's program died.
    Crash,
    /// A seat's program did not start.
    InitFailure,
    /// A seat spoke outside its dialect.
    ProtocolError,
    /// A seat's connection was lost.
    Disconnect,
    /// The match made no more progress and was cut by a bound.
    Stalled,
    /// A seat's fallback decided in its place: its result is not its own.
    NotPlayed,
    /// Ended by decision with the standing of the moment.
    Adjudication,
    /// Ended by an operator.
    Cancelled,
    /// The other side never said that it ended.
    Unterminated,
}

impl Cause {
    /// Every cause, in the order of the list in the documentation.
    pub const ALL: [Cause; 12] = [
        Cause::Normal,
        Cause::TimeForfeit,
        Cause::IllegalMove,
        Cause::Crash,
        Cause::InitFailure,
        Cause::ProtocolError,
        Cause::Disconnect,
        Cause::Stalled,
        Cause::NotPlayed,
        Cause::Adjudication,
        Cause::Cancelled,
        Cause::Unterminated,
    ];

    /// The word stored and shown, such as `time_forfeit`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Cause::Normal => "normal",
            Cause::TimeForfeit => "time_forfeit",
            Cause::IllegalMove => "illegal_move",
            Cause::Crash => "crash",
            Cause::InitFailure => "init_failure",
            Cause::ProtocolError => "protocol_error",
            Cause::Disconnect => "disconnect",
            Cause::Stalled => "stalled",
            Cause::NotPlayed => "not_played",
            Cause::Adjudication => "adjudication",
            Cause::Cancelled => "cancelled",
            Cause::Unterminated => "unterminated",
        }
    }

    /// How the rules ended it: what counts as not played was played to its end.
    #[must_use]
    pub const fn by_rules(self) -> Self {
        match self {
            Cause::NotPlayed => Cause::Normal,
            other => other,
        }
    }

    /// The cause with this [`word`](Self::word).
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.word() == word)
    }
}

/// How a match stands at its end.
///
/// ```
/// use drover_game::{Cause, Outcome};
///
/// let outcome = Outcome {
///     cause: Cause::Normal,
///     scores: [7, 3, 7].into_iter().collect(),
/// };
/// assert_eq!(outcome.win_shares().values(), [0.5, 0.0, 0.5]);
/// assert_eq!(outcome.duels().len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Why it ended.
    pub cause: Cause,
    /// The game's own points, by seat.
    pub scores: Seats<i64>,
}

/// One result between two seats of a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duel {
    /// The one.
    pub first: Seat,
    /// The other.
    pub second: Seat,
    /// The first one's share: 1 won, 0.5 drawn, 0 lost.
    pub share: f64,
}

impl Duel {
    /// The results of a match of this many seats that was given up for all by the fault of some, so that it has no
    /// scores: each of these lost to every other seat, and nothing else counts.
    #[must_use]
    pub fn of_given_up(seats: usize, at_fault: impl Fn(Seat) -> bool) -> Vec<Self> {
        let all = || (0..seats).map(|seat| Seat(seat as u8));
        let pairs = all().flat_map(|first| {
            let later = all().filter(move |second| *second > first);
            later.map(move |second| (first, second))
        });
        let duel = |(first, second)| {
            let lost = (at_fault(first), at_fault(second));
            (lost.0 != lost.1).then_some(Self {
                first,
                second,
                share: if lost.0 { 0.0 } else { 1.0 },
            })
        };
        pairs.filter_map(duel).collect()
    }
}

impl Outcome {
    /// The result of every pair of seats by their scores.
    #[must_use]
    pub fn duels(&self) -> Vec<Duel> {
        let mut duels = Vec::new();
        for (first, score) in self.scores.iter() {
            for (second, other) in self.scores.iter().filter(|(second, _)| *second > first) {
                duels.push(Duel {
                    first,
                    second,
                    share: match score.cmp(other) {
                        std::cmp::Ordering::Less => 0.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Greater => 1.0,
                    },
                });
            }
        }
        duels
    }

    /// The same with these seats below all others.
    #[must_use]
    pub fn placing_last(&self, is_last: impl Fn(Seat) -> bool) -> Self {
        let others = self.scores.iter().filter(|(seat, _)| !is_last(*seat));
        let below = others.map(|(_, score)| score.saturating_sub(1)).min();
        let placed = |(seat, score): (Seat, &i64)| match below {
            Some(below) if is_last(seat) => below.min(*score),
            _ => *score,
        };
        Self {
            cause: self.cause,
            scores: self.scores.iter().map(placed).collect(),
        }
    }

    /// The same with one seat a team, which has the score of its first player. `teams` by seat. A match that was
    /// given up for all has no scores in either form.
    #[must_use]
    pub fn of_teams(&self, teams: &[usize]) -> Self {
        if self.scores.is_empty() {
            return self.clone();
        }
        let count = teams.iter().max().map_or(0, |last| last + 1);
        let first = |team: usize| teams.iter().position(|other| *other == team);
        let score = |seat: usize| self.scores.values().get(seat).copied();
        let scores = (0..count).map(|team| first(team).and_then(score).unwrap_or_default());
        Self {
            cause: self.cause,
            scores: scores.collect(),
        }
    }

    /// Each seat's share of the win: 1 for the only best score, 1/k for k equal best ones, else 0.
    #[must_use]
    pub fn win_shares(&self) -> Seats<f64> {
        let best = self.scores.values().iter().max().copied();
        let winners = self
            .scores
            .values()
            .iter()
            .filter(|score| Some(**score) == best)
            .count();
        self.scores
            .values()
            .iter()
            .map(|score| {
                if Some(*score) == best {
                    1.0 / winners as f64
                } else {
                    0.0
                }
            })
            .collect()
    }
}

/// Why an act may not be played or an answer is none, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Illegal(pub String);

/// Why no match or map is made of a name, an option or a position, as a sentence that says what could be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

impl Illegal {
    /// This reason.
    #[must_use]
    pub fn new(why: impl Display) -> Self {
        Self(why.to_string())
    }
}

impl SetupError {
    /// This reason.
    #[must_use]
    pub fn new(why: impl Display) -> Self {
        Self(why.to_string())
    }
}

/// Receives what seats are sent while a game is played.
pub trait Listener<E> {
    /// `seat` is sent this. `event` is only made where somebody listens.
    fn receive(&mut self, seat: Seat, event: impl FnOnce() -> E);
    /// The rules refused an act of `seat`.
    fn refuse(&mut self, seat: Seat) {
        let _ = seat;
    }
}

/// Nobody listens.
impl<E> Listener<E> for () {
    fn receive(&mut self, _: Seat, _: impl FnOnce() -> E) {}
}

/// Everything is kept, in order.
impl<E> Listener<E> for Vec<(Seat, E)> {
    fn receive(&mut self, seat: Seat, event: impl FnOnce() -> E) {
        self.push((seat, event()));
    }
}

/// The rules of one game. Deterministic: all chance comes from the setup's seed.
pub trait Game: Clone + Send + 'static {
    /// What a match starts from: seed and options, or a constructed position.
    type Setup;
    /// The decision a seat is asked for.
    type Ask;
    /// What a seat answers.
    type Act;
    /// What a seat may know.
    type View;
    /// Something that a seat receives.
    type Event;

    /// The position at the start of a match; `listener` gets what seats are sent before the first decision.
    fn open(setup: &Self::Setup, listener: &mut impl Listener<Self::Event>) -> Self;
    /// The same with nobody listening.
    #[must_use]
    fn start(setup: &Self::Setup) -> Self {
        Self::open(setup, &mut ())
    }
    /// What `seat` is asked in order to get ready before the first decision, in games that allow time for
    /// that, and what it knows then. The answer has no effect.
    fn prepare(&self, seat: Seat) -> Option<(Self::View, Self::Ask)> {
        let _ = seat;
        None
    }
    /// Who has to act: one seat, several at once, or none when the match is over.
    fn to_move(&self) -> Seats<bool>;
    /// The decision that `seat` is asked for now, if any.
    fn ask(&self, seat: Seat) -> Option<Self::Ask>;
    /// Shows everything that is asked now, in seat order, by reference: many small asks are slow to move.
    fn asks(&self, mut ask: impl FnMut(Seat, &Self::Ask)) {
        for (seat, _) in self.to_move().iter() {
            if let Some(asked) = self.ask(seat) {
                ask(seat, &asked);
            }
        }
    }
    /// What `seat` may know now.
    fn view(&self, seat: Seat) -> Self::View;
    /// Looks at what `seat` may know now. For games that hold views ready, so that none is copied.
    fn look<T>(&self, seat: Seat, look: impl FnOnce(&Self::View) -> T) -> T {
        look(&self.view(seat))
    }
    /// Every legal act of `seat`, or a legal sample where they are too many to list.
    fn acts(&self, seat: Seat, out: &mut Vec<Self::Act>);
    /// Whether `seat` may play `act` now.
    ///
    /// # Errors
    /// [`Illegal`] says which rule forbids it.
    fn check(&self, seat: Seat, act: &Self::Act) -> Result<(), Illegal>;
    /// Whether an act that was just decided on will be refused, for games that can say so at once from what
    /// the bot saw. Others refuse in [`Game::step`].
    fn refuses(view: &Self::View, ask: &Self::Ask, act: &Self::Act) -> bool {
        let _ = (view, ask, act);
        false
    }
    /// Plays the acts in the order they arrived. `None`: nothing legal came in time.
    /// `listener` gets what each seat is sent, in order, and whose act is refused.
    fn step(
        &mut self,
        acts: &[(Seat, Option<Self::Act>)],
        listener: &mut impl Listener<Self::Event>,
    );
    /// The result, once the match is over.
    fn outcome(&self) -> Option<Outcome>;
}

/// How long to think, without a clock: the caller, who has one, hands in the stop.
///
/// ```
/// use drover_game::Budget;
///
/// let budget = Budget::nodes(500);
/// assert_eq!(budget.nodes, 500);
/// assert!(!(budget.stop)());
/// ```
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// At most this many nodes; what a node is, each bot's description says.
    pub nodes: u64,
    /// True once thinking must end. Cheap enough to ask every few microseconds.
    pub stop: &'a dyn Fn() -> bool,
}

impl Budget<'_> {
    /// Nothing is thought: what is ready is wanted.
    pub const SPENT: Budget<'static> = Budget {
        nodes: 0,
        stop: &|| true,
    };

    /// A budget counted in nodes alone: the same on every machine.
    #[must_use]
    pub fn nodes(nodes: u64) -> Budget<'static> {
        Budget {
            nodes,
            stop: &|| false,
        }
    }
}

/// Whether more thinking can still improve an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Think on to improve it.
    More,
    /// It stands.
    Done,
}

/// A bot that can be copied as it stands: its copy thinks without changing it.
pub trait Fork<G: Game> {
    /// The copy.
    fn fork(&self) -> Box<dyn Bot<G>>;
}

impl<G: Game, B: Bot<G> + Clone + 'static> Fork<G> for B {
    fn fork(&self) -> Box<dyn Bot<G>> {
        Box::new(self.clone())
    }
}

impl<G: Game> Clone for Box<dyn Bot<G>> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}

/// A decision maker of one game.
///
/// A bot for games in which one act is always legal:
///
/// ```
/// use drover_game::{Bot, Budget, Game};
///
/// #[derive(Clone)]
/// struct Always<A>(A);
///
/// impl<A: Clone + Send + 'static, G: Game<Act = A>> Bot<G> for Always<A> {
///     fn decide(&mut self, _: &G::View, _: &G::Ask, _: Budget<'_>) -> A {
///         self.0.clone()
///     }
/// }
/// ```
pub trait Bot<G: Game>: Fork<G> + Send {
    /// Receives what its seat receives, in order. Unless a bot says otherwise, its views are all that it needs.
    fn observe(&mut self, event: &G::Event) {
        let _ = event;
    }
    /// Decides. Must return a legal act at once when the budget is already spent.
    fn decide(&mut self, view: &G::View, ask: &G::Ask, budget: Budget<'_>) -> G::Act;
    /// Thinks for one slice about the same decision as in the slice before, if nothing was received in
    /// between, and gives the best act so far: legal from the first slice on. `slice.nodes` counts
    /// over the whole decision. What does not search decides at once.
    fn ponder(&mut self, view: &G::View, ask: &G::Ask, slice: Budget<'_>) -> (G::Act, Progress) {
        (self.decide(view, ask, slice), Progress::Done)
    }
    /// Receives what was answered to a decision, be it its own act or another one; `None`: nothing that is an
    /// act. Unless a bot says otherwise, it learns that from what it receives.
    fn answered(&mut self, view: &G::View, ask: &G::Ask, act: Option<&G::Act>) {
        let _ = (view, ask, act);
    }
    /// Decides as [`Bot::ponder`] does in one slice, and says why. Asked of a copy ([`Fork`]), which is not
    /// used again. Unless a bot says otherwise, it compares nothing; one that plays by rules ([`crate::by_rule`])
    /// names the rule that decided.
    fn reasons(&mut self, view: &G::View, ask: &G::Ask, budget: Budget<'_>) -> Reasons<G::Act> {
        Reasons::from_act(self.ponder(view, ask, budget).0)
    }
}
