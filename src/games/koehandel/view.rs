//! What one player may know: its own hand, what is open to all, and bounds on what is hidden.

use super::cards::{ANIMALS, Animal, Compass, DECK, Note, PLAYERS, Purse};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many cards of each animal one player owns, by animal.
pub type Herd = [u8; ANIMALS];

/// Cards of one animal.
const QUARTET: u8 = 4;

/// The least and the most that a player's hidden cash can be, in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// The least.
    pub low: u16,
    /// The most.
    pub high: u16,
}

impl Bounds {
    /// An exactly known value.
    #[must_use]
    pub const fn exact(value: u16) -> Self {
        Self {
            low: value,
            high: value,
        }
    }

    /// Whether the value is known exactly.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.low == self.high
    }
}

/// Money that moved between two players, as one viewer saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The viewer took part or was shown the cards: these.
    Seen(Purse),
    /// A number of cards with a known least value.
    Hidden {
        /// How many cards.
        cards: u8,
        /// Their least value in points: the price of an auction, 0 in a trade.
        least: u16,
    },
}

/// What a player knows at one moment. All arrays are by [`Compass`]: the viewer first, then clockwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// The viewer's own money.
    pub purse: Purse,
    /// All players' animals: always open.
    pub herds: [Herd; PLAYERS],
    /// How many money cards each player holds: always open.
    pub cards: [u8; PLAYERS],
    /// Bounds on each player's cash; the viewer's own is exact.
    pub cash: [Bounds; PLAYERS],
    /// A point estimate of each player's cash within the bounds; rivals' estimates add up to
    /// [`View::rivals_cash`].
    pub guess: [u16; PLAYERS],
    /// Animals not yet settled: 40 less those sold or given away.
    pub deck_left: u8,
    /// Donkeys turned up so far.
    pub donkeys: u8,
    /// Who was exposed as bluffing on the card now up.
    pub exposed: [bool; PLAYERS],
    /// Who may start no more trades, as far as the viewer can prove.
    pub barred: [bool; PLAYERS],
    /// For each rival: whether it could have started a trade ever since the viewer's last turn ...
    open: [bool; PLAYERS],
    /// ... and whether it took part in one.
    traded: [bool; PLAYERS],
    /// Whether the viewer has had a turn after the deck's end.
    end_turn: bool,
}

impl View {
    /// Before the first turn: each player holds the same known hand.
    #[must_use]
    pub fn start() -> Self {
        Self::from_holdings([Purse::START; PLAYERS], [[0; ANIMALS]; PLAYERS], 0)
    }

    /// At the start of a constructed position in which the value of each hand is known.
    #[must_use]
    pub fn from_holdings(purses: [Purse; PLAYERS], herds: [Herd; PLAYERS], donkeys: u8) -> Self {
        let settled = herds
            .iter()
            .flatten()
            .fold(0, |sum: u8, count| sum.saturating_add(*count));
        Self {
            purse: purses[0],
            herds,
            cards: purses.map(Purse::cards),
            cash: purses.map(|purse| Bounds::exact(purse.value())),
            guess: purses.map(Purse::value),
            deck_left: (DECK as u8).saturating_sub(settled),
            donkeys,
            exposed: [false; PLAYERS],
            barred: [false; PLAYERS],
            open: [false; PLAYERS],
            traded: [false; PLAYERS],
            end_turn: false,
        }
    }

    /// What all players have been given so far, in points: all money at the table.
    #[must_use]
    pub fn table_cash(&self) -> u16 {
        Purse::issued(self.donkeys).value()
    }

    /// The three rivals' cash in total: always known exactly.
    #[must_use]
    pub fn rivals_cash(&self) -> u16 {
        self.table_cash().saturating_sub(self.purse.value())
    }

    /// How many of `animal` the player at `place` owns.
    #[must_use]
    pub fn owns(&self, place: Compass, animal: Animal) -> u8 {
        self.herds[place.index()][animal.index()]
    }

    /// Whether the deck is empty, so that only trades are left.
    #[must_use]
    pub fn deck_empty(&self) -> bool {
        self.deck_left == 0
    }

    /// Cards that a trade between the viewer and `rival` over `animal` moves: 0 if none is allowed.
    #[must_use]
    pub fn stake(&self, rival: Compass, animal: Animal) -> u8 {
        stake(self.owns(Compass::S, animal), self.owns(rival, animal))
    }

    /// Whether the player at `place` holds an animal that another player also holds.
    #[must_use]
    pub fn can_trade(&self, place: Compass) -> bool {
        can_trade(&self.herds, place.index())
    }

    pub(super) fn donkey(&mut self, note: Note) {
        if usize::from(self.donkeys) >= Note::DONKEYS.len() {
            return;
        }
        self.donkeys += 1;
        let value = note.value();
        for place in 0..PLAYERS {
            self.cards[place] = self.cards[place].saturating_add(1);
            self.cash[place].low = self.cash[place].low.saturating_add(value);
            self.cash[place].high = self.cash[place].high.saturating_add(value);
            self.guess[place] = self.guess[place].saturating_add(value);
        }
        self.purse = self.purse.plus(Purse::single(note)).capped();
    }

    /// How many cards of `animal` are settled, regardless of the owner.
    #[must_use]
    pub fn out(&self, animal: Animal) -> u8 {
        self.herds.iter().map(|herd| herd[animal.index()]).sum()
    }

    /// Settles a card from the deck: it goes to `owner`. A fifth card of an animal does not exist: herds and
    /// deck together are always the whole deck.
    pub(super) fn settle_card(&mut self, card: Animal, owner: Compass) {
        if self.out(card) < QUARTET && self.deck_left > 0 {
            self.herds[owner.index()][card.index()] += 1;
            self.deck_left -= 1;
        }
        self.exposed = [false; PLAYERS];
    }

    /// Moves animals in a trade: no more than the giver has.
    pub(super) fn move_animals(&mut self, animal: Animal, count: u8, from: Compass, to: Compass) {
        let gone = count.min(self.owns(from, animal));
        self.herds[from.index()][animal.index()] -= gone;
        self.herds[to.index()][animal.index()] += gone;
    }

    /// Settles a trade, money included.
    pub(super) fn traded(&mut self, a: Compass, b: Compass) {
        self.traded[a.index()] = true;
        self.traded[b.index()] = true;
        for rival in Compass::RIVALS {
            self.open[rival.index()] &= self.may_start(rival);
        }
    }

    /// The viewer's own turn begins: players skipped since its last turn are barred (README.md A19).
    pub(super) fn turn(&mut self) {
        if !self.deck_empty() {
            return;
        }
        for rival in Compass::RIVALS.map(Compass::index) {
            if self.end_turn && self.open[rival] && !self.traded[rival] {
                self.barred[rival] = true;
            }
        }
        for rival in Compass::RIVALS {
            self.open[rival.index()] = self.may_start(rival);
        }
        self.traded = [false; PLAYERS];
        self.end_turn = true;
    }

    fn may_start(&self, place: Compass) -> bool {
        self.cards[place.index()] > 0 && self.can_trade(place)
    }

    pub(super) fn bluffed(&mut self, by: Compass, hand: Purse) {
        self.exposed[by.index()] = true;
        self.cash[by.index()] = Bounds::exact(hand.value());
        self.guess[by.index()] = hand.value();
        self.settle_bounds();
    }

    /// Moves money from one player to another.
    pub(super) fn pay(&mut self, from: Compass, to: Compass, flow: Flow) {
        let (from, to) = (from.index(), to.index());
        let (cards, low, high, guess) = match flow {
            Flow::Seen(purse) => {
                let purse = purse.capped();
                let value = purse.value();
                if from == Compass::S.index() {
                    self.purse = self.purse.less(purse);
                } else if to == Compass::S.index() {
                    self.purse = self.purse.plus(purse).capped();
                }
                (purse.cards(), value, value, value)
            }
            Flow::Hidden { cards, least } => {
                let held = self.cash[from];
                let all = self.cards[from] == cards;
                let low = if all { least.max(held.low) } else { least };
                let high = held.high.min(u16::from(cards).saturating_mul(500)).max(low);
                let share = if least > 0 || self.cards[from] == 0 {
                    least
                } else {
                    (u32::from(self.guess[from]) * u32::from(cards) / u32::from(self.cards[from]))
                        as u16
                };
                (cards, low, high, share.clamp(low, high))
            }
        };
        self.cards[from] = self.cards[from].saturating_sub(cards);
        self.cards[to] = self.cards[to].saturating_add(cards);
        let payer = &mut self.cash[from];
        payer.low = payer.low.max(low).saturating_sub(high);
        payer.high = payer.high.max(low) - low;
        let payee = &mut self.cash[to];
        payee.low = payee.low.saturating_add(low);
        payee.high = payee.high.saturating_add(high);
        self.guess[from] = self.guess[from].saturating_sub(guess);
        self.guess[to] = self.guess[to].saturating_add(guess);
        self.settle_bounds();
    }

    /// Like [`View::pay`] without bounds: only estimates move, for playouts.
    pub(super) fn pay_blind(&mut self, from: Compass, to: Compass, flow: Flow) {
        let (from, to) = (from.index(), to.index());
        let (cards, guess) = match flow {
            Flow::Seen(purse) => {
                if from == Compass::S.index() {
                    self.purse = self.purse.less(purse);
                } else {
                    self.purse = self.purse.plus(purse);
                }
                (purse.cards(), purse.value())
            }
            Flow::Hidden { cards, least } if least > 0 || self.cards[from] == 0 => (cards, least),
            Flow::Hidden { cards, .. } => {
                let share =
                    u32::from(self.guess[from]) * u32::from(cards) / u32::from(self.cards[from]);
                (cards, share as u16)
            }
        };
        self.cards[from] = self.cards[from].saturating_sub(cards);
        self.cards[to] = self.cards[to].saturating_add(cards);
        self.guess[from] = self.guess[from].saturating_sub(guess);
        self.guess[to] = self.guess[to].saturating_add(guess);
    }

    /// Tightens the bounds: nobody holds more than their cards can be worth, and the three rivals' cash adds
    /// up to what is known.
    pub(super) fn settle_bounds(&mut self) {
        let own = self.purse.value();
        self.cash[0] = Bounds::exact(own);
        self.guess[0] = own;
        let total = self.rivals_cash();
        for rival in 1..PLAYERS {
            let most = most_in(self.cards[rival], self.donkeys);
            self.cash[rival].high = self.cash[rival].high.min(most);
            self.cash[rival].low = self.cash[rival].low.min(self.cash[rival].high);
        }
        let lows: u16 = self.cash[1..].iter().map(|bounds| bounds.low).sum();
        let highs: u16 = self.cash[1..].iter().map(|bounds| bounds.high).sum();
        for rival in 1..PLAYERS {
            let Bounds { low, high } = self.cash[rival];
            let floor = total.saturating_sub(highs - high);
            let ceiling = total.saturating_sub(lows - low);
            let high = high.min(ceiling).max(floor);
            let low = low.max(floor).min(high);
            self.cash[rival] = Bounds { low, high };
        }
        self.settle_guess(total);
    }

    fn settle_guess(&mut self, total: u16) {
        for rival in 1..PLAYERS {
            let Bounds { low, high } = self.cash[rival];
            self.guess[rival] = self.guess[rival].clamp(low, high.max(low));
        }
        let sum: u16 = self.guess[1..].iter().sum();
        let (mut missing, grow) = if sum < total {
            (total - sum, true)
        } else {
            (sum - total, false)
        };
        let room = |view: &View, rival: usize| {
            let Bounds { low, high } = view.cash[rival];
            let guess = view.guess[rival];
            if grow {
                high.saturating_sub(guess)
            } else {
                guess.saturating_sub(low)
            }
        };
        let rooms: [u16; PLAYERS] =
            std::array::from_fn(|place| if place == 0 { 0 } else { room(self, place) });
        let all: u32 = rooms.iter().map(|room| u32::from(*room)).sum();
        if missing == 0 || all == 0 {
            return;
        }
        let whole = missing;
        for (guess, room) in self.guess.iter_mut().zip(rooms) {
            let share = (u32::from(whole) * u32::from(room)).div_ceil(all) as u16;
            let step = share.min(room).min(missing);
            missing -= step;
            *guess = if grow { *guess + step } else { *guess - step };
        }
    }

    /// What the player at `seat` would know if all money were open, as in `purses`.
    pub(crate) fn imagined(&self, seat: usize, purses: &[Purse; PLAYERS]) -> View {
        let turned = |at: usize| (seat + at) % PLAYERS;
        let mut view = View::from_holdings(
            std::array::from_fn(|at| purses[turned(at)]),
            std::array::from_fn(|at| self.herds[turned(at)]),
            self.donkeys,
        );
        for place in Compass::ALL.map(Compass::index) {
            view.barred[place] = self.barred[turned(place)];
            view.exposed[place] = self.exposed[turned(place)];
        }
        if seat == 0 {
            view.guess = self.guess;
        }
        view.deck_left = self.deck_left;
        view
    }
}
/// Most cards that there are, of all kinds.
const CARDS_MAX: usize = Purse::ALL.cards() as usize;

/// The most that cards can be worth, by donkeys turned up and by their number: bounds are settled after every
/// payment.
const MOST_IN: [[u16; CARDS_MAX + 1]; 5] = {
    let mut most = [[0; CARDS_MAX + 1]; 5];
    let mut donkeys = 0;
    while donkeys < most.len() {
        let issued = Purse::issued(donkeys as u8);
        let (mut cards, mut kind, mut left) = (0, Note::ALL.len(), 0);
        while cards < CARDS_MAX && (left > 0 || kind > 0) {
            if left == 0 {
                kind -= 1;
                left = issued.count(Note::ALL[kind]);
                continue;
            }
            most[donkeys][cards + 1] = most[donkeys][cards] + Note::ALL[kind].value();
            (cards, left) = (cards + 1, left - 1);
        }
        // There are no more: they are worth nothing more.
        while cards < CARDS_MAX {
            most[donkeys][cards + 1] = most[donkeys][cards];
            cards += 1;
        }
        donkeys += 1;
    }
    most
};

/// The most that `cards` cards can be worth after `donkeys` donkeys, regardless of who holds the rest.
fn most_in(cards: u8, donkeys: u8) -> u16 {
    let most = &MOST_IN[usize::from(donkeys).min(MOST_IN.len() - 1)];
    most[usize::from(cards).min(CARDS_MAX)]
}

/// Cards that a trade between owners of `mine` and `theirs` moves: 2 if both hold exactly two, 0 if one holds
/// none or all four, else 1.
#[must_use]
pub const fn stake(mine: u8, theirs: u8) -> u8 {
    match (mine, theirs) {
        (0 | 4.., _) | (_, 0 | 4..) => 0,
        (2, 2) => 2,
        _ => 1,
    }
}

/// Whether `player` holds an animal that another player also holds.
#[must_use]
pub fn can_trade(herds: &[Herd; PLAYERS], player: usize) -> bool {
    (0..ANIMALS).any(|animal| {
        let own = herds[player][animal];
        let all: u8 = herds.iter().map(|herd| herd[animal]).sum();
        own > 0 && all > own
    })
}
