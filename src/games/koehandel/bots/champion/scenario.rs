//! One imagined position of a decision, and what each candidate comes to in it.

use super::belief::bid_showing;
use super::candidates::{Candidate, offers};
use super::playout::{Coin, play_on};
use super::position::Horizon;
use crate::bots::policy::Limits;
use crate::bots::styles::Style;
use crate::cards::{Animal, Compass, PLAYERS, Purse};
use crate::message::Goods;
use crate::rules::{Act, Ask, Koehandel};
use crate::view::View;

/// How many offers a challenged rival that thinks holds possible.
const OFFERS: usize = 4;

/// A scenario in progress.
#[derive(Clone)]
pub struct Scenario {
    /// The position.
    pub start: Koehandel,
    /// How each player plays.
    pub cast: [Style; PLAYERS],
    /// Each player's type, for what is learnt of positions.
    pub types: [usize; PLAYERS],
    /// Seed of all chance in it.
    pub seed: u64,
    /// Who, if challenged by what is tried, answers with what is best for it, whatever its type; later challenges are
    /// answered by type.
    pub thinks: [bool; PLAYERS],
    /// What was best, by what was shown.
    replies: Vec<(Shown, Purse)>,
    /// The values of the candidates tried so far.
    pub values: Vec<f64>,
}

/// What a challenged rival sees: who, which animal, how many cards.
type Shown = (usize, Animal, u8);

impl Scenario {
    /// The position, how each plays and their types.
    #[must_use]
    pub fn new(
        start: Koehandel,
        cast: [Style; PLAYERS],
        types: [usize; PLAYERS],
        seed: u64,
    ) -> Self {
        Self {
            start,
            cast,
            types,
            seed,
            thinks: [false; PLAYERS],
            replies: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Plays a candidate out; `view` and `ask` are those of the decision.
    pub fn try_out(&mut self, candidate: Candidate, view: &View, ask: &Ask, horizon: Horizon) {
        let mut game = self.start.clone();
        let mut memory = [Limits::NONE; PLAYERS];
        match candidate {
            Candidate::Act(act) => {
                game.play(Some(act), &mut ());
                self.reply(&mut game, act, horizon);
            }
            Candidate::Limit(limit) => memory[0] = Limits::fixed(view.deck_left, limit, 0),
        }
        let until = horizon.until(self.start.undrawn(), ask);
        play_on(&mut game, &self.cast, &mut memory, self.seed, until);
        self.values.push(horizon.value(&game, &self.types, 0));
    }

    /// If the act is a challenge of a rival that thinks, it answers with what is best for it.
    fn reply(&mut self, game: &mut Koehandel, act: Act, horizon: Horizon) {
        let (
            Act::Trade {
                opponent: Some(opponent),
                animal: Some(animal),
                ..
            },
            Some((rival, Ask::Counter { cards, .. })),
        ) = (act, game.asked())
        else {
            return;
        };
        if !self.thinks[rival] {
            return;
        }
        let shown = (rival, animal, cards);
        let known = self.replies.iter().find(|(of, _)| *of == shown);
        let reply = known.map(|(_, reply)| *reply).unwrap_or_else(|| {
            let counters = offers(game.seen_by(rival), Compass::from_seats(rival, 0));
            let reply = self.best_reply(opponent, shown, &counters, horizon);
            self.replies.push((shown, reply));
            reply
        });
        game.play(Some(Act::cards(reply)), &mut ());
    }

    /// The counter bid that is best for the rival on the average of what the challenger, by its policy, may have
    /// offered with n cards. The challenger's money is known to it, as a watchful rival nearly knows it.
    fn best_reply(
        &self,
        opponent: Compass,
        (rival, animal, cards): Shown,
        counters: &[Purse],
        horizon: Horizon,
    ) -> Purse {
        let moment = (animal.index() as u64) << 8 | u64::from(cards);
        let mut coin = Coin::at(self.seed, moment, PLAYERS + rival);
        let view = self.start.seen_by(0);
        let goods = Goods {
            animal,
            count: view.stake(opponent, animal),
            rival: opponent,
        };
        let offers =
            [(); OFFERS].map(|()| bid_showing(&self.cast[0], view, goods, cards, &mut coin));
        let value = |counter: Purse| -> f64 {
            let against = |offer: &Purse| {
                let mut game = self.start.clone();
                game.play(Some(Act::trade(opponent, animal, *offer)), &mut ());
                game.play(Some(Act::cards(counter)), &mut ());
                let mut memory = [Limits::NONE; PLAYERS];
                play_on(
                    &mut game,
                    &self.cast,
                    &mut memory,
                    self.seed,
                    Some(usize::MAX),
                );
                horizon.value(&game, &self.types, rival)
            };
            offers.iter().map(against).sum()
        };
        let valued = counters.iter().map(|counter| (value(*counter), *counter));
        let best = valued.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.map_or(Purse::EMPTY, |(_, counter)| counter)
    }
}

#[cfg(test)]
mod tests {
    use super::{Horizon, Scenario};
    use crate::bots::styles::Style;
    use crate::cards::{ANIMALS, Animal, Compass, Note, PLAYERS, Purse};
    use crate::options::{Options, TradePayment};
    use crate::rules::{Act, Ask, Hidden, Koehandel};
    use crate::view::View;

    /// Whether a filler that owns the fourth of the dearest animal, challenged with a bare zero, keeps it.
    fn keeps_it(thinks: bool, trade_payment: TradePayment) -> bool {
        let mut herds = [[0; ANIMALS]; PLAYERS];
        let dearest = Animal::all().last().unwrap();
        for animal in Animal::all() {
            herds[animal.index() % PLAYERS][animal.index()] = 4;
        }
        (herds[0][9], herds[1][9]) = (3, 1);
        let rich = Purse([1, 4, 1, 2, 1, 0]);
        let purses = [Purse::START, rich, Purse::START, Purse::START];
        let view = View::from_holdings(purses, herds, 4);
        let options = Options {
            trade_payment,
            ..Options::default()
        };
        let hidden = Hidden::default();
        let start = Koehandel::imagine(&view, &purses, &[], options, &Ask::Turn, &hidden).unwrap();
        let cast = [Style::Filler; PLAYERS];
        let mut scenario = Scenario::new(start, cast, [0; PLAYERS], 7);
        scenario.thinks = [thinks; PLAYERS];
        let mut game = scenario.start.clone();
        let act = Act::trade(Compass::W, dearest, Purse::single(Note::Zero));
        game.play(Some(act), &mut ());
        scenario.reply(&mut game, act, Horizon::Turn);
        if matches!(game.asked(), Some((1, Ask::Counter { .. }))) {
            game.play(Some(Act::PASS), &mut ());
        }
        game.herds()[1][9] > 0
    }

    #[test]
    fn a_rival_that_thinks_does_not_give_a_quartet_away() {
        for payment in [TradePayment::Winner, TradePayment::Exchange] {
            assert!(keeps_it(true, payment) && !keeps_it(false, payment));
        }
    }
}
