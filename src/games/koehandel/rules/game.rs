//! The state of a match, whose turn it is, and how it ends.

mod auction;
pub(super) mod imagine;
mod scene;
mod trade;

use super::act::{Act, Ask, Money, is_in_order};
use super::setup::Setup;
use super::state::{Auction, Trade};
use crate::cards::{ANIMALS, Animal, Compass, DECK, MONEY_MAX, Note, PLAYERS, Purse};
use crate::message::Message;
use crate::options::Options;
use crate::view::{Flow, Herd, View, can_trade};
use drover_game::game::{Cause, Game, Illegal, Listener, Outcome, Seat, Seats};

/// Sends a message to a player. Playouts receive nothing, so messages are built only on demand.
pub(super) fn send(
    listener: &mut impl Listener<Message>,
    seat: usize,
    message: impl FnOnce() -> Message,
) {
    listener.receive(Seat(seat as u8), message);
}

/// What the match is waiting for.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    Turn,
    Bid { bidder: usize },
    PreEmpt,
    Pay { payer: usize, payee: usize },
    Counter,
    RebidChallenger,
    RebidTarget,
    Over(Cause),
}

/// One match of Koehandel.
#[derive(Clone, Debug)]
pub struct Koehandel {
    pub(super) options: Options,
    pub(super) deck: [Animal; DECK],
    pub(super) deck_size: u8,
    pub(super) drawn: u8,
    pub(super) donkeys: u8,
    pub(super) purses: [Purse; PLAYERS],
    pub(super) herds: [Herd; PLAYERS],
    pub(super) barred: [bool; PLAYERS],
    pub(super) turn: usize,
    pub(super) phase: Phase,
    pub(super) auction: Auction,
    pub(super) trade: Trade,
    pub(super) views: [View; PLAYERS],
    pub(super) end_turns: u16,
    pub(super) end_turns_without_set: u16,
    /// Imagined for a playout: views keep estimates of cash, but no bounds.
    pub(super) blind: bool,
}

impl Koehandel {
    /// Who is asked what, or `None` when the match is over. Koehandel asks one player at a time.
    #[must_use]
    pub fn asked(&self) -> Option<(usize, Ask)> {
        let player = self.player_asked()?;
        let ask = match self.phase {
            Phase::Turn => Ask::Turn,
            Phase::Bid { bidder } => Ask::bid(self.auction.seen_by(bidder)),
            Phase::PreEmpt => Ask::pre_empt(self.auction.seen_by(player)),
            Phase::Pay { payer, payee } => Ask::Pay {
                payee: Compass::from_seats(payer, payee),
                price: self.auction.price,
            },
            Phase::Counter => {
                let (_, goods, cards) = self.trade.asked(false);
                Ask::counter(goods, cards)
            }
            Phase::RebidChallenger | Phase::RebidTarget => {
                let challenger = matches!(self.phase, Phase::RebidChallenger);
                let (_, goods, cards) = self.trade.asked(challenger);
                Ask::rebid(goods, cards, challenger)
            }
            Phase::Over(_) => return None,
        };
        Some((player, ask))
    }

    /// Who is asked, or `None` when the match is over.
    fn player_asked(&self) -> Option<usize> {
        match self.phase {
            Phase::Turn => Some(self.turn),
            Phase::Bid { bidder } => Some(bidder),
            Phase::PreEmpt => Some(self.auction.auctioneer),
            Phase::Pay { payer, .. } => Some(payer),
            Phase::RebidChallenger => Some(self.trade.challenger),
            Phase::Counter | Phase::RebidTarget => Some(self.trade.target),
            Phase::Over(_) => None,
        }
    }

    /// Plays the answer of the player who is asked. `None` and acts of the wrong kind count as an
    /// empty reply. Does nothing when the match is over.
    pub fn play(&mut self, act: Option<Act>, listener: &mut impl Listener<Message>) {
        let amount = match act {
            Some(Act::Amount(Some(amount))) if amount <= MONEY_MAX => amount,
            _ => 0,
        };
        let money = match act {
            Some(Act::Cards(money)) => money,
            _ => Money::Missing,
        };
        match self.phase {
            Phase::Turn => self.take_turn(act, listener),
            Phase::Bid { bidder } => self.bid(bidder, amount, listener),
            Phase::PreEmpt => self.pre_empt(amount, listener),
            Phase::Pay { payer, payee } => self.pay_price(payer, payee, money, listener),
            Phase::Counter => self.counter(money, listener),
            Phase::RebidChallenger => self.rebid_challenger(money, listener),
            Phase::RebidTarget => self.rebid_target(money, listener),
            Phase::Over(_) => {}
        }
    }

    /// What `seat` may know now.
    #[must_use]
    pub fn seen_by(&self, seat: usize) -> &View {
        &self.views[seat]
    }

    /// All players' hidden money, for the referee, tests, and searchers that imagined it themselves.
    #[must_use]
    pub fn purses(&self) -> &[Purse; PLAYERS] {
        &self.purses
    }

    /// All players' animals, by seat.
    #[must_use]
    pub fn herds(&self) -> &[Herd; PLAYERS] {
        &self.herds
    }

    /// How many animals have not been turned up yet.
    #[must_use]
    pub fn undrawn(&self) -> usize {
        usize::from(self.deck_size - self.drawn)
    }

    /// The options in force.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Which seats may start no more trades.
    #[must_use]
    pub fn barred(&self) -> [bool; PLAYERS] {
        self.barred
    }

    /// Points of each seat: quartets times the sum of their values.
    #[must_use]
    pub fn scores(&self) -> [i64; PLAYERS] {
        self.herds.map(|herd| score(&herd))
    }

    /// A position before seat 0's turn.
    pub(super) fn before_turn(
        options: Options,
        cards: &[Animal],
        purses: [Purse; PLAYERS],
        herds: [Herd; PLAYERS],
        donkeys: u8,
        views: [View; PLAYERS],
    ) -> Self {
        let mut deck = [Animal::DONKEY; DECK];
        for (place, card) in deck.iter_mut().zip(cards) {
            *place = *card;
        }
        Self {
            options,
            deck,
            deck_size: cards.len().min(DECK) as u8,
            drawn: 0,
            donkeys,
            purses,
            herds,
            barred: [false; PLAYERS],
            turn: 0,
            phase: Phase::Turn,
            auction: Auction::default(),
            trade: Trade::default(),
            views,
            end_turns: 0,
            end_turns_without_set: 0,
            blind: false,
        }
    }

    fn take_turn(&mut self, act: Option<Act>, listener: &mut impl Listener<Message>) {
        let player = self.turn;
        let challenge = match act {
            Some(Act::Trade {
                opponent,
                animal,
                offer,
            }) => Some(self.challenge(player, opponent, animal, offer)),
            _ => None,
        };
        match challenge {
            Some(Ok(trade)) => self.open_trade(trade, listener),
            fault => {
                if let Some(Err(fault)) = fault {
                    send(listener, player, || Message::Fault(fault));
                }
                if self.undrawn() > 0 {
                    let card = self.draw(listener);
                    self.open_auction(card, player, listener);
                } else {
                    self.barred[player] = true;
                    self.views[player].barred[0] = true;
                    self.next_turn(listener);
                }
            }
        }
    }

    /// Turns up the next animal; a donkey pays everybody before the bidding (A20).
    fn draw(&mut self, listener: &mut impl Listener<Message>) -> Animal {
        let card = self.deck[usize::from(self.drawn)];
        self.drawn += 1;
        if card == Animal::DONKEY {
            let note = Note::DONKEYS[usize::from(self.donkeys) % Note::DONKEYS.len()];
            self.donkeys += 1;
            for seat in 0..PLAYERS {
                self.purses[seat] = self.purses[seat].plus(Purse::single(note));
                self.views[seat].donkey(note);
                send(listener, seat, || Message::Donkey(note));
                for other in Compass::RIVALS {
                    send(listener, seat, || Message::DonkeyOther(other, note));
                }
            }
        }
        card
    }

    /// The next player who may act has its turn, or the match ends.
    pub(super) fn next_turn(&mut self, listener: &mut impl Listener<Message>) {
        if self.undrawn() == 0 {
            self.end_turns += 1;
            self.end_turns_without_set += 1;
            let cut = self.end_turns > self.options.end_turns_max
                || self.end_turns_without_set > self.options.end_turns_without_set_max;
            if cut {
                return self.end(Cause::Stalled, listener);
            }
        }
        let next = (1..=PLAYERS)
            .map(|step| (self.turn + step) % PLAYERS)
            .find(|player| self.undrawn() > 0 || self.may_start_trade(*player));
        match next {
            Some(player) => self.ask_turn(player, listener),
            None => self.end(Cause::Normal, listener),
        }
    }

    fn ask_turn(&mut self, player: usize, listener: &mut impl Listener<Message>) {
        self.turn = player;
        self.phase = Phase::Turn;
        self.views[player].turn();
        send(listener, player, || Message::Start);
    }

    /// Whether `player` may be asked to start a trade (A19; without empty offers it needs a card).
    fn may_start_trade(&self, player: usize) -> bool {
        let can_offer = self.options.empty_offer || self.purses[player].cards() > 0;
        !self.barred[player] && can_offer && can_trade(&self.herds, player)
    }

    fn end(&mut self, cause: Cause, listener: &mut impl Listener<Message>) {
        self.phase = Phase::Over(cause);
        let scores = self.scores();
        for seat in 0..PLAYERS {
            let seen = std::array::from_fn(|place| scores[(seat + place) % PLAYERS]);
            send(listener, seat, || Message::End(seen));
        }
    }

    /// Gives a card from the deck to its owner, visible to all.
    pub(super) fn settle_card(&mut self, card: Animal, owner: usize) {
        let owned = &mut self.herds[owner][card.index()];
        *owned = owned.saturating_add(1).min(4);
        for seat in 0..PLAYERS {
            self.views[seat].settle_card(card, Compass::from_seats(seat, owner));
        }
    }

    /// Moves animals in a trade. Completed quartets postpone the cut of an endless end (A22).
    pub(super) fn move_animals(&mut self, animal: Animal, count: u8, from: usize, to: usize) {
        // In imagined positions, which rest on what foreign referees report, a giver may own fewer.
        let gone = count.min(self.herds[from][animal.index()]);
        self.herds[from][animal.index()] -= gone;
        self.herds[to][animal.index()] += gone;
        if self.herds[to][animal.index()] == 4 {
            self.end_turns_without_set = 0;
        }
        for seat in 0..PLAYERS {
            let (from, to) = (
                Compass::from_seats(seat, from),
                Compass::from_seats(seat, to),
            );
            self.views[seat].move_animals(animal, count, from, to);
        }
    }

    /// Moves money: the two parties see the cards, the others only how many.
    pub(super) fn move_money(&mut self, paid: Purse, least: u16, from: usize, to: usize) {
        self.purses[from] = self.purses[from].less(paid);
        self.purses[to] = self.purses[to].plus(paid);
        for seat in 0..PLAYERS {
            let flow = if seat == from || seat == to {
                Flow::Seen(paid)
            } else {
                Flow::Hidden {
                    cards: paid.cards(),
                    least,
                }
            };
            let (from, to) = (
                Compass::from_seats(seat, from),
                Compass::from_seats(seat, to),
            );
            if self.blind {
                self.views[seat].pay_blind(from, to, flow);
            } else {
                self.views[seat].pay(from, to, flow);
            }
        }
    }
}

/// Points of one herd: quartets times the sum of their values.
#[must_use]
pub fn score(herd: &Herd) -> i64 {
    let mut quartets = 0;
    let mut values = 0;
    for animal in Animal::all() {
        if herd[animal.index()] == 4 {
            quartets += 1;
            values += i64::from(animal.value());
        }
    }
    quartets * values
}

impl Game for Koehandel {
    type Setup = Setup;
    type Ask = Ask;
    type Act = Act;
    type View = View;
    type Event = Message;

    /// The first position; everybody but the empty seats of nobody receives [`Message::Begin`] and the
    /// player on turn [`Message::Start`].
    fn open(setup: &Setup, listener: &mut impl Listener<Message>) -> Self {
        let rotate = |seat: usize| {
            View::from_holdings(
                std::array::from_fn(|at| setup.purses[(seat + at) % PLAYERS]),
                std::array::from_fn(|at| setup.herds[(seat + at) % PLAYERS]),
                setup.donkeys,
            )
        };
        let views = std::array::from_fn(rotate);
        let Setup {
            options,
            purses,
            herds,
            donkeys,
            ..
        } = *setup;
        let mut game = Self::before_turn(options, &setup.deck, purses, herds, donkeys, views);
        // The first turn comes after the one before it.
        game.turn = (usize::from(setup.first) + PLAYERS - 1) % PLAYERS;
        for seat in 0..PLAYERS {
            send(listener, seat, || Message::Begin);
        }
        game.next_turn(listener);
        game
    }

    fn to_move(&self) -> Seats<bool> {
        let asked = self.player_asked();
        Seats::from_fn(PLAYERS, |seat| asked == Some(seat.index()))
    }

    fn ask(&self, seat: Seat) -> Option<Ask> {
        self.asked()
            .filter(|(asked, _)| *asked == seat.index())
            .map(|(_, ask)| ask)
    }

    fn asks(&self, mut ask: impl FnMut(Seat, &Ask)) {
        if let Some((seat, asked)) = &self.asked() {
            ask(Seat(*seat as u8), asked);
        }
    }

    fn view(&self, seat: Seat) -> View {
        *self.seen_by(seat.index() % PLAYERS)
    }

    fn look<T>(&self, seat: Seat, look: impl FnOnce(&View) -> T) -> T {
        look(self.seen_by(seat.index() % PLAYERS))
    }

    fn acts(&self, seat: Seat, out: &mut Vec<Act>) {
        let Some(ask) = self.ask(seat) else { return };
        super::act::legal(
            self.seen_by(seat.index()),
            &ask,
            self.options.empty_offer,
            out,
        );
    }

    fn check(&self, seat: Seat, act: &Act) -> Result<(), Illegal> {
        let Some(ask) = self.ask(seat) else {
            return Err(Illegal(format!(
                "seat {} is not asked for anything",
                seat.0
            )));
        };
        super::act::check(
            self.seen_by(seat.index()),
            &ask,
            self.options.empty_offer,
            act,
        )
    }

    fn step(&mut self, acts: &[(Seat, Option<Act>)], listener: &mut impl Listener<Message>) {
        for (seat, act) in acts {
            if self.player_asked() == Some(seat.index()) {
                self.play(*act, listener);
            }
        }
    }

    fn refuses(view: &View, ask: &Ask, act: &Act) -> bool {
        !is_in_order(view, ask, act)
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.phase {
            Phase::Over(cause) => Some(Outcome {
                cause,
                scores: self.scores().into_iter().collect(),
            }),
            _ => None,
        }
    }
}

const _: () = assert!(ANIMALS * 4 == DECK);
