//! The champion itself: base policy, memory, and the current search.

mod reasons;

use super::base::base;
use super::candidates::{Candidate, candidates};
use super::memory::Memory;
use super::outlook::Position;
use super::playout::Coin;
use super::position::{Guess, Horizon, unseen};
use super::reading::Reading;
use super::scenario::Scenario;
use crate::bots::policy::{Chance, Limits, Profile};
use crate::bots::styles::{KINDS, Style};
use crate::cards::{Compass, Note, PLAYERS, Purse};
use crate::message::Message;
use crate::models::Models;
use crate::options::{Options, TradePayment};
use crate::rules::{Act, Ask, Koehandel, Money};
use crate::view::View;
use drover_game::game::{Bot, Budget};
use drover_game::reasons::Reasons;
use drover_game::rng::Rng;
use drover_game::search::{Race, Verdict};
use drover_game::wire::Progress;

/// What it does, in one sentence.
pub const DESCRIPTION: &str = "Searches: deals the hidden money by all it received, plays on by the real rules to the next turn with each rival as the type it seems to be or, challenged, as one that may search, judges the rest by what it learnt from whole matches, and leaves its own policy only for a gain beyond doubt. A node is one playout.";

/// Standard errors by which a candidate must beat the base policy.
const DOUBT: f64 = 1.5;
/// Scenarios before the worse half of the candidates is first dropped.
const FIRST_CHECKPOINT: u64 = 8;
/// The most scenarios for one decision.
const SCENARIOS_MAX: u64 = 4_096;
/// How often a rival whose type in a scenario [may search](crate::bots::styles::Kind::may_search) answers a
/// challenge with what is best for it.
const THINKS: f64 = 0.5;
/// The type assumed for every rival when models are off.
const GENERIC: &str = "tuned";

/// A policy by the way trades are paid for.
pub type Base = fn(TradePayment) -> &'static Profile;

/// A search in progress.
#[derive(Clone)]
pub(super) struct Search {
    view: View,
    ask: Ask,
    /// What is compared, the base policy's first.
    pub(super) candidates: Vec<Candidate>,
    pub(super) race: Race,
    seed: u64,
    /// By rival, W first: how likely each type is.
    pub(super) weights: [Vec<f32>; 3],
    pub(super) nodes: u64,
    settled: bool,
    scene: Option<Box<Scenario>>,
}

/// Rung 9.
#[derive(Clone)]
pub struct Champion {
    pub(super) memory: Memory,
    rng: Rng,
    base_limits: Limits,
    /// The limit chosen for the card now up.
    limit: Option<(u8, u16)>,
    search: Option<Box<Search>>,
    models: bool,
    /// The policy that it leaves only for a gain, and plays itself by in its playouts.
    base: Base,
    /// The type assumed for every rival when models are off.
    generic: &'static str,
    horizon: Horizon,
}

impl Champion {
    /// A champion with its own random numbers.
    #[must_use]
    pub fn new(mut rng: Rng, models: &Models) -> Self {
        let mut memory = Memory::new(rng.bits());
        for (reading, rival) in memory.readings.iter_mut().zip(Compass::RIVALS) {
            if let Some(weights) = models.weights(rival) {
                reading.prefer(&weights);
            }
        }
        Self {
            memory,
            rng,
            base_limits: Limits::NONE,
            limit: None,
            search: None,
            models: models.enabled,
            base,
            generic: GENERIC,
            horizon: Horizon::Turn,
        }
    }

    /// A searcher that leaves this policy for what whole-match playouts say, and takes every rival for one type, by
    /// its name, whatever they do.
    #[must_use]
    pub fn searcher(rng: Rng, base: Base, rivals: &'static str) -> Self {
        Self {
            base,
            generic: rivals,
            ..Self::new(rng, &Models::off()).with(Horizon::Match)
        }
    }

    /// With playouts that go so far.
    #[must_use]
    pub fn with(self, horizon: Horizon) -> Self {
        Self { horizon, ..self }
    }

    fn open(&mut self, view: &View, ask: &Ask) -> Search {
        self.memory.agree(view);
        let base = (self.base)(self.memory.rule.payment());
        let act = base.act(view, ask, &mut self.base_limits, &mut self.rng);
        let limit = self.base_limits.bid();
        let act = never_empty(view, act);
        let all = candidates(view, ask, act, limit);
        let weights = std::array::from_fn(|at| {
            if self.models {
                self.memory.readings[at].weights()
            } else {
                KINDS
                    .iter()
                    .map(|kind| f32::from(u8::from(kind.name == self.generic)))
                    .collect()
            }
        });
        Search {
            view: *view,
            ask: *ask,
            race: Race::new(all.len(), FIRST_CHECKPOINT, SCENARIOS_MAX, DOUBT),
            settled: all.len() < 2,
            candidates: all,
            seed: self.rng.bits(),
            weights,
            nodes: 0,
            scene: None,
        }
    }

    /// Imagines the next scenario; `None` if what is known does not add up to a position.
    fn scene(&self, search: &Search) -> Option<Scenario> {
        let mut coin = Coin::at(search.seed, search.race.scenarios(), 0);
        let deal = self.memory.belief.draw(&mut coin);
        let trade_payment = if coin.chance(self.memory.rule.exchange()) {
            TradePayment::Exchange
        } else {
            TradePayment::Winner
        };
        let mut cast = [Style::Profile(*(self.base)(trade_payment)); PLAYERS];
        let mut types = [Position::OWN; PLAYERS];
        let rivals = cast.iter_mut().zip(&mut types).skip(1);
        for ((style, number), weights) in rivals.zip(&search.weights) {
            *number = Reading::draw(weights, &mut coin) % KINDS.len();
            *style = KINDS[*number].style;
        }
        let (deck, count) = unseen(&search.view, &search.ask, &mut coin);
        let options = Options {
            trade_payment,
            ..Options::default()
        };
        let guess = Guess {
            view: &search.view,
            deal: &deal,
            cast: &cast,
        };
        let ask = &search.ask;
        let hidden = guess.hidden(ask, self.memory.sale.as_ref(), &mut coin);
        let (view, money) = (&search.view, &deal);
        let start = Koehandel::imagine(view, money, &deck[..count], options, ask, &hidden)?;
        let mut scene = Scenario::new(start, cast, types, coin.bits());
        for (thinks, number) in scene.thinks.iter_mut().zip(types) {
            let kind = KINDS.get(number).filter(|_| self.horizon == Horizon::Turn);
            *thinks = kind.is_some_and(|kind| kind.may_search && coin.chance(THINKS));
        }
        Some(scene)
    }

    /// Plays out the next candidate in the current scenario; every candidate still in the race is tried in
    /// each scenario. Without a position to play from, the base policy's answer stands.
    fn play_one(&self, search: &mut Search) {
        let scene = search.scene.take();
        let Some(mut scene) = scene.or_else(|| self.scene(search).map(Box::new)) else {
            search.settled = true;
            return;
        };
        let alive = search.race.alive();
        let candidate = alive
            .get(scene.values.len())
            .and_then(|at| search.candidates.get(*at));
        if let Some(candidate) = candidate {
            scene.try_out(*candidate, &search.view, &search.ask, self.horizon);
        }
        // Counted whatever the result, so that every search spends its budget.
        search.nodes += 1;
        if scene.values.len() >= alive.len() {
            search.settled = search.race.add(&scene.values) == Verdict::Settled;
        } else {
            search.scene = Some(scene);
        }
    }

    /// The limit up to which it bids on, chosen earlier for the card now up.
    pub(super) fn settled_limit(&self, view: &View, ask: &Ask) -> Option<u16> {
        let (deck_left, limit) = self.limit?;
        let sale = self.memory.sale.as_ref();
        let bid = sale.is_some_and(|sale| !sale.own.is_empty());
        let stands = self.search.is_none() && deck_left == view.deck_left && bid;
        (stands && matches!(ask, Ask::Bid { .. })).then_some(limit)
    }

    /// The search for a decision, as far as the budget goes.
    pub(super) fn searched(&mut self, view: &View, ask: &Ask, slice: Budget<'_>) -> Box<Search> {
        let mut search = match self.search.take() {
            Some(search) if search.view == *view && search.ask == *ask => search,
            _ => Box::new(self.open(view, ask)),
        };
        while !search.settled && search.nodes < slice.nodes && !(slice.stop)() {
            self.play_one(&mut search);
        }
        search
    }

    pub(super) fn answer(&mut self, view: &View, ask: &Ask, candidate: Candidate) -> Act {
        match (candidate, ask) {
            (Candidate::Act(act), _) => act,
            (Candidate::Limit(limit), Ask::Bid { price, .. }) => {
                self.limit = Some((view.deck_left, limit));
                bid(limit, *price)
            }
            (Candidate::Limit(_), _) => Act::PASS,
        }
    }
}

/// A challenge with a bare zero if there is one: a referee may refuse the empty hand (A10).
fn never_empty(view: &View, act: Act) -> Act {
    match act {
        Act::Trade {
            opponent,
            animal,
            offer: Money::Cards(Purse::EMPTY),
        } if view.purse.count(Note::Zero) > 0 => Act::Trade {
            opponent,
            animal,
            offer: Money::Cards(Purse::single(Note::Zero)),
        },
        act => act,
    }
}

/// The least raise within a limit.
fn bid(limit: u16, price: u16) -> Act {
    if price.saturating_add(10) <= limit {
        Act::bid(price.saturating_add(10))
    } else {
        Act::PASS
    }
}

impl Bot<Koehandel> for Champion {
    fn observe(&mut self, message: &Message) {
        self.search = None;
        match message {
            Message::Expected { rival, weights } => {
                let readings = &mut self.memory.readings;
                if let Some(reading) = readings.get_mut(rival.index().wrapping_sub(1)) {
                    reading.prefer(weights);
                }
            }
            message => self.memory.receive(message),
        }
    }

    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Act {
        self.ponder(view, ask, budget).0
    }

    fn ponder(&mut self, view: &View, ask: &Ask, slice: Budget<'_>) -> (Act, Progress) {
        if let Some(limit) = self.settled_limit(view, ask) {
            return (
                self.answer(view, ask, Candidate::Limit(limit)),
                Progress::Done,
            );
        }
        let search = self.searched(view, ask, slice);
        let choice = search.candidates.get(search.race.choice()).copied();
        let done = search.settled || search.nodes >= slice.nodes;
        let act = choice.map_or(Act::PASS, |choice| self.answer(view, ask, choice));
        if done {
            return (act, Progress::Done);
        }
        self.search = Some(search);
        (act, Progress::More)
    }

    fn reasons(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Reasons<Act> {
        self.reason(view, ask, budget)
    }
}
