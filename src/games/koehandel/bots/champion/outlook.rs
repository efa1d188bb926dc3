//! What a position between two turns is worth to each player, learnt from whole matches between players of the
//! learnt types: where a playout that is cut short ends.
//!
//! A small network gives each player a number from what it owns, how its animals are spread over the players and
//! the deck, and the cash; the four numbers become shares that sum to 1.

use crate::bots::policy::Standing;
use crate::bots::styles::KINDS;
use crate::cards::{Animal, PLAYERS};
use crate::options::TradePayment;
use crate::view::Herd;
use std::sync::LazyLock;

/// The learnt numbers as text, first those for matches in which the winner of a trade pays.
const TEXT: &str = include_str!("outlook.txt");
/// Ways in which the four cards of an animal can lie: own, others' by size, the rest in the deck.
const SPREADS: usize = 25;
/// Numbers that describe a player besides its animals; the last is always 1.
const PLAIN: usize = 22;
/// Types of players, the champion's own policy last.
const TYPES: usize = KINDS.len() + 1;
/// Numbers that describe a player.
const INPUTS: usize = 2 * SPREADS + PLAIN + TYPES;
/// Units of the network.
const UNITS: usize = 32;
/// The smallest coin: nobody counts as penniless.
const COIN: f32 = 10.0;
/// Weights are written in this fraction.
const UNIT: f32 = 1000.0;

/// A position in which a player's turn begins.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// Each player's animals.
    pub herds: &'a [Herd; PLAYERS],
    /// Each player's cash.
    pub cash: [u16; PLAYERS],
    /// Whose turn it is.
    pub turn: usize,
    /// Each player's type, by its number in [`KINDS`]; [`Position::OWN`] for the champion's own policy.
    pub types: [usize; PLAYERS],
}

/// What describes a player: the numbers that are not 0.
pub type Inputs = Vec<(u8, f32)>;

/// Which spread: by own cards and the others', the largest first.
const SPREAD_OF: [u8; 625] = {
    let mut table = [0; 625];
    let (mut next, mut own) = (0, 0);
    while own <= 4 {
        let mut a = 0;
        while own + a <= 4 {
            let mut b = 0;
            while b <= a && own + a + b <= 4 {
                let mut c = 0;
                while c <= b && own + a + b + c <= 4 {
                    table[own * 125 + a * 25 + b * 5 + c] = next;
                    next += 1;
                    c += 1;
                }
                b += 1;
            }
            a += 1;
        }
        own += 1;
    }
    assert!(next as usize == SPREADS);
    table
};

fn spread(herds: &[Herd; PLAYERS], player: usize, animal: usize) -> usize {
    let count = |step: usize| herds[(player + step) % PLAYERS][animal].min(4);
    let (mut a, mut b, mut c) = (count(1), count(2), count(3));
    if a < b {
        (a, b) = (b, a);
    }
    if b < c {
        (b, c) = (c, b);
    }
    if a < b {
        (a, b) = (b, a);
    }
    let key =
        usize::from(count(0)) * 125 + usize::from(a) * 25 + usize::from(b) * 5 + usize::from(c);
    SPREAD_OF.get(key).copied().unwrap_or(0).into()
}

impl Position<'_> {
    /// The type of the champion's own policy.
    pub const OWN: usize = TYPES - 1;

    /// What describes each player.
    #[must_use]
    pub fn inputs(&self) -> [Inputs; PLAYERS] {
        let standing = Standing::from_herds(self.herds);
        let score: [f32; PLAYERS] = std::array::from_fn(|player| {
            (standing.quartets(player) * standing.values(player)).sqrt()
        });
        // What a player stands to gain by animals of which it has one, two and three.
        let hope: [[f32; 3]; PLAYERS] = std::array::from_fn(|player| {
            let mut hope = [0.0; 3];
            for (animal, count) in Animal::all().zip(&self.herds[player]) {
                if let Some(hope) = hope.get_mut(usize::from(*count).wrapping_sub(1)) {
                    *hope += standing.rise(player, animal);
                }
            }
            hope.map(f32::sqrt)
        });
        let reach: [[f32; 3]; PLAYERS] =
            std::array::from_fn(|player| self.reach(&standing, player));
        let owned: u32 = self
            .herds
            .iter()
            .flatten()
            .map(|count| u32::from(*count))
            .sum();
        let deck = (40.0 - owned as f32).max(0.0) / 40.0;
        let total: f32 = self.cash.iter().map(|cash| f32::from(*cash)).sum();
        let donkeys: u8 = self
            .herds
            .iter()
            .map(|herd| herd[Animal::DONKEY.index()])
            .sum();
        std::array::from_fn(|player| {
            let others = |of: &dyn Fn(usize) -> f32| {
                (1..PLAYERS)
                    .map(|step| of((player + step) % PLAYERS))
                    .fold(0.0, f32::max)
            };
            let cash = f32::from(self.cash[player]);
            let offset = ((player + PLAYERS - self.turn) % PLAYERS) as f32 / 3.0;
            let first = f32::from(u8::from(player == self.turn)) / (1.0 + 40.0 * deck);
            let plain: [f32; PLAIN] = [
                score[player] / 100.0,
                standing.quartets(player) / 5.0,
                standing.values(player) / 2000.0,
                others(&|other| score[other]) / 100.0,
                hope[player][0] / 100.0,
                hope[player][1] / 100.0,
                hope[player][2] / 100.0,
                others(&|other| hope[other][1].max(hope[other][2])) / 100.0,
                cash / 1000.0,
                cash / total.max(1.0),
                others(&|other| f32::from(self.cash[other])) / 1000.0,
                deck,
                f32::from(donkeys) / 4.0,
                1.0 / (1.0 + 40.0 * deck),
                cash / total.max(1.0) * deck,
                offset / (1.0 + 40.0 * deck),
                reach[player][0] / 100.0,
                reach[player][1] / 100.0,
                reach[player][2] / 100.0,
                first * reach[player][1] / 100.0,
                first * reach[player][2] / 100.0,
                1.0,
            ];
            let mut spreads = [0.0; 2 * SPREADS];
            for animal in Animal::all() {
                let at = 2 * spread(self.herds, player, animal.index());
                spreads[at] += 0.3;
                spreads[at + 1] += f32::from(animal.value()) / 1000.0;
            }
            let kind = 2 * SPREADS + PLAIN + self.types[player].min(TYPES - 1);
            let numbers = (0..).zip(spreads.into_iter().chain(plain));
            let mut inputs: Inputs = numbers.filter(|(_, number)| *number != 0.0).collect();
            inputs.push((kind as u8, 1.0));
            inputs
        })
    }

    /// [What a player stands to gain](Standing::rise) by animals of which it has one, two and three, each weighed by its
    /// part of the cash of those who can win them: its own and the richest other owner's.
    fn reach(&self, standing: &Standing, player: usize) -> [f32; 3] {
        let own = f32::from(self.cash[player]) + COIN;
        let mut reach = [0.0; 3];
        for (animal, count) in Animal::all().zip(&self.herds[player]) {
            if let Some(reach) = reach.get_mut(usize::from(*count).wrapping_sub(1)) {
                let others = (0..PLAYERS)
                    .filter(|other| *other != player && self.herds[*other][animal.index()] > 0);
                let most = others.map(|other| self.cash[other]).max();
                let against = most.map_or(0.0, |cash| f32::from(cash) + COIN);
                *reach += standing.rise(player, animal) * own / (own + against);
            }
        }
        reach.map(f32::sqrt)
    }
}

/// The network's weights.
#[derive(Clone, Debug)]
pub struct Outlook {
    /// By input, those to each unit.
    pub first: Vec<[f32; UNITS]>,
    /// From each unit.
    pub last: [f32; UNITS],
}

impl Outlook {
    /// Weights drawn by `draw`, from -1 to 1.
    pub fn drawn(mut draw: impl FnMut() -> f32) -> Self {
        Self {
            first: (0..INPUTS)
                .map(|_| std::array::from_fn(|_| 0.3 * draw()))
                .collect(),
            last: std::array::from_fn(|_| 0.3 * draw()),
        }
    }

    /// What was learnt for one way to pay for trades, and for turns before or after the deck's end.
    #[must_use]
    pub fn shipped(payment: TradePayment, ended: bool) -> &'static Outlook {
        static SHIPPED: LazyLock<[Outlook; 4]> = LazyLock::new(|| {
            let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
            let mut numbers = lines
                .flat_map(str::split_whitespace)
                .map(|word| word.parse::<i32>().unwrap_or(0) as f32 / UNIT);
            [(); 4].map(|()| {
                let mut next = || numbers.next().unwrap_or(0.0);
                Outlook {
                    first: (0..INPUTS)
                        .map(|_| std::array::from_fn(|_| next()))
                        .collect(),
                    last: std::array::from_fn(|_| next()),
                }
            })
        });
        let [winner, winner_ended, exchange, exchange_ended] = &*SHIPPED;
        match (payment, ended) {
            (TradePayment::Winner, false) => winner,
            (TradePayment::Winner, true) => winner_ended,
            (TradePayment::Exchange, false) => exchange,
            (TradePayment::Exchange, true) => exchange_ended,
        }
    }

    /// The units' values for a player.
    #[must_use]
    pub fn units(&self, inputs: &Inputs) -> [f32; UNITS] {
        let mut units = [0.0; UNITS];
        for (at, number) in inputs {
            if let Some(row) = self.first.get(usize::from(*at)) {
                for (unit, weight) in units.iter_mut().zip(row) {
                    *unit += number * weight;
                }
            }
        }
        units.map(|unit| unit.max(0.0))
    }

    /// Each player's number from its units' values.
    #[must_use]
    pub fn number(&self, units: &[f32; UNITS]) -> f32 {
        units
            .iter()
            .zip(&self.last)
            .map(|(unit, weight)| unit * weight)
            .sum()
    }

    /// Each player's share.
    #[must_use]
    pub fn shares(&self, position: &Position<'_>) -> [f32; PLAYERS] {
        softmax(
            position
                .inputs()
                .map(|inputs| self.number(&self.units(&inputs))),
        )
    }
}

/// Shares by numbers.
#[must_use]
pub fn softmax(numbers: [f32; PLAYERS]) -> [f32; PLAYERS] {
    let most = numbers.into_iter().fold(f32::MIN, f32::max);
    let raw = numbers.map(|number| (number - most).exp());
    let sum: f32 = raw.iter().sum();
    raw.map(|share| share / sum)
}

#[cfg(test)]
mod tests {
    use super::{INPUTS, Outlook, Position, TEXT, UNITS};
    use crate::cards::{ANIMALS, PLAYERS};
    use crate::options::TradePayment;

    fn shares(herds: [[u8; ANIMALS]; PLAYERS], cash: [u16; PLAYERS], turn: usize) -> [f32; 4] {
        shares_paid(TradePayment::Winner, false, herds, cash, turn)
    }

    fn shares_paid(
        payment: TradePayment,
        ended: bool,
        herds: [[u8; ANIMALS]; PLAYERS],
        cash: [u16; PLAYERS],
        turn: usize,
    ) -> [f32; 4] {
        let position = Position {
            herds: &herds,
            cash,
            turn,
            types: [Position::OWN; PLAYERS],
        };
        Outlook::shipped(payment, ended).shares(&position)
    }

    #[test]
    fn the_text_has_a_number_for_every_weight() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        assert_eq!(words.len(), 4 * (INPUTS + 1) * UNITS);
        assert!(words.iter().all(|word| word.parse::<i32>().is_ok()));
    }

    #[test]
    fn who_owns_more_expects_more_wherever_it_sits() {
        let mut herds = [[0; ANIMALS]; PLAYERS];
        herds[1][9] = 3;
        herds[2][9] = 1;
        let even = shares(herds, [90; PLAYERS], 0);
        assert!((even.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(even[1] > even[2] && even[1] > even[0]);
        let rich = shares(herds, [190, 90, 90, 90], 0);
        assert!(rich[0] > even[0]);
        herds.rotate_right(1);
        let turned = shares(herds, [90; PLAYERS], 1);
        for seat in 0..PLAYERS {
            assert!((turned[(seat + 1) % PLAYERS] - even[seat]).abs() < 1e-5);
        }
    }
    #[test]
    fn after_the_deck_s_end_the_richer_of_two_equals_expects_more() {
        let mut herds = [[0; ANIMALS]; PLAYERS];
        (herds[0][9], herds[1][9]) = (2, 2);
        for animal in 0..9 {
            herds[animal % PLAYERS][animal] = 4;
        }
        for payment in [TradePayment::Winner, TradePayment::Exchange] {
            let shares = |cash| shares_paid(payment, true, herds, cash, 0);
            let (rich, poor) = (shares([900, 100, 500, 500]), shares([100, 900, 500, 500]));
            assert!(
                rich[0] > 0.6 && rich[0] > poor[0] + 0.2,
                "{rich:?} {poor:?}"
            );
            assert!(poor[1] > rich[1] + 0.2, "{rich:?} {poor:?}");
        }
    }
}
