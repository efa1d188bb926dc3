//! Which hidden hands are likely: a random walk over worlds that agree with what was seen, biased towards
//! those whose hands fit their declarations and the cards played so far.

use super::bids::{self, Occasion};
use super::knobs::Knobs;
use super::policy::Context;
use super::table::Table;
use crate::bots::position::{Layout, Mask, Position, SEATS_MAX};
use crate::bots::worlds::{ASIDE, PLACES, Unknown, list};
use crate::cards::CARDS_MAX;
use crate::rules::View;
use drover_game::rng::Rng;

/// Exchanges before the first world is used.
const WARMING: u32 = 300;
/// The least probability given to a card by the player that played it.
const CARELESS: f32 = 0.03;

/// A card that another player chose from more than one.
struct Shown<M> {
    /// The table when it was played, without hands.
    before: Position<M>,
    card: u8,
    /// What the player has shown from then on, including this card.
    since: M,
}

/// The walk.
pub struct Belief<M> {
    unknown: Unknown<M>,
    occasion: Occasion,
    declared: [Option<u8>; SEATS_MAX],
    turns: [usize; SEATS_MAX],
    /// What each player has played in this deal.
    shown: [M; SEATS_MAX],
    history: Vec<(usize, Shown<M>)>,
    /// Unseen cards, and where each one is.
    cards: Vec<u8>,
    places: Vec<u8>,
    hands: [M; PLACES],
    /// How well each hand fits its declaration, as a log-likelihood.
    fits: [f32; SEATS_MAX],
    /// How well each hand fits the cards played from it, as a log-likelihood.
    plays: [f32; SEATS_MAX],
    /// -½ over the square of the spread of declarations around their mean.
    narrowness: f32,
    reading: f32,
    exchanges: u32,
    /// Whether exchanges of two cards may not lead to all worlds.
    turns_three: bool,
    warm: bool,
}

impl<M: Mask> Belief<M> {
    /// The belief of a player with this view; declarations count once all are revealed.
    #[must_use]
    pub fn new(
        layout: &Layout<M>,
        table: &Table,
        view: &View,
        knobs: &Knobs,
        rng: &mut Rng,
    ) -> Self {
        let round = &view.round;
        let unknown = Unknown::new(layout, view);
        let players = round.players().clamp(1, SEATS_MAX);
        let occasion = Occasion::new(layout, players as u8, round.cards());
        let planned = view.game.deals().get(view.deal);
        let leader = planned.map_or(0, |deal| deal.leader.index());
        let turns = std::array::from_fn(|seat| bids::turn(seat, leader, players));
        let mut declared = [None; SEATS_MAX];
        if round.all_declared() {
            for (seat, tricks) in round.declared().iter() {
                declared[seat.index() & 3] = *tricks;
            }
        }
        let mut shown = [M::NONE; SEATS_MAX];
        for play in round.played() {
            let of = &mut shown[play.seat.index() & 3];
            *of = *of | M::card(play.card.0);
        }
        let barred = unknown
            .barred
            .iter()
            .filter(|barred| !(**barred & unknown.unseen).is_none());
        let turns_three = unknown.counts[ASIDE] == 0 && barred.count() > 2;
        let spread = table.bids.spread(occasion).max(knobs.spread_least);
        let mut belief = Self {
            history: history(layout, view, leader, unknown.seat),
            unknown,
            occasion,
            declared,
            turns,
            shown,
            cards: Vec::new(),
            places: Vec::new(),
            hands: [M::NONE; PLACES],
            fits: [0.0; SEATS_MAX],
            plays: [0.0; SEATS_MAX],
            narrowness: -0.5 / (spread * spread),
            reading: knobs.reading,
            exchanges: knobs.exchanges,
            turns_three,
            warm: false,
        };
        belief.begin(layout, table, rng);
        belief
    }

    fn begin(&mut self, layout: &Layout<M>, table: &Table, rng: &mut Rng) {
        self.hands = self.unknown.draw(layout, rng);
        for place in 0..PLACES {
            if place == self.unknown.seat {
                continue;
            }
            let mut cards = [0; CARDS_MAX];
            let count = list(self.hands[place], &mut cards);
            self.cards.extend_from_slice(&cards[..count]);
            self.places.extend(std::iter::repeat_n(place as u8, count));
        }
        for seat in 0..SEATS_MAX {
            self.fits[seat] = self.fit(layout, table, seat, self.hands[seat]);
        }
    }

    /// How well a hand fits the seat's declaration.
    fn fit(&self, layout: &Layout<M>, table: &Table, seat: usize, hand: M) -> f32 {
        let Some(declared) = self.declared[seat] else {
            return 0.0;
        };
        if seat == self.unknown.seat {
            return 0.0;
        }
        let dealt = hand | self.shown[seat];
        let turn = self.turns[seat];
        let mean = table.bids.mean(layout, self.occasion, turn, dealt);
        let excess = f32::from(declared) - mean;
        self.narrowness * excess * excess
    }

    /// How well a hand fits the cards that the seat has played.
    fn play(&self, layout: &Layout<M>, table: &Table, seat: usize, hand: M) -> f32 {
        if self.reading <= 0.0 {
            return 0.0;
        }
        let mut sum = 0.0;
        for (by, shown) in &self.history {
            if *by != seat {
                continue;
            }
            let mut position = shown.before;
            position.hands[seat] = hand | shown.since;
            sum += chance(layout, table, &position, shown.card).ln();
        }
        sum * self.reading
    }

    /// Continues the walk and returns the hands, the player's own included.
    pub fn next(&mut self, layout: &Layout<M>, table: &Table, rng: &mut Rng) -> [M; PLACES] {
        if self.cards.len() > 1 {
            if !self.warm {
                self.warm = true;
                self.walk(layout, table, rng, WARMING);
                for seat in 0..SEATS_MAX {
                    self.plays[seat] = self.play(layout, table, seat, self.hands[seat]);
                }
                for _ in 0..40 {
                    self.stride(layout, table, rng);
                }
            }
            self.stride(layout, table, rng);
        }
        self.hands
    }

    /// A batch of exchanges, undone as a whole if they fit the cards played worse.
    fn stride(&mut self, layout: &Layout<M>, table: &Table, rng: &mut Rng) {
        if self.reading <= 0.0 || self.history.is_empty() {
            self.walk(layout, table, rng, self.exchanges);
            return;
        }
        let before = (self.hands, self.fits);
        let mut places = [0u8; CARDS_MAX];
        let count = self.places.len().min(CARDS_MAX);
        places[..count].copy_from_slice(&self.places[..count]);
        self.walk(layout, table, rng, self.exchanges);
        let mut plays = self.plays;
        for (seat, play) in plays.iter_mut().enumerate() {
            if self.hands[seat] != before.0[seat] {
                *play = self.play(layout, table, seat, self.hands[seat]);
            }
        }
        let gain: f32 = plays.iter().sum::<f32>() - self.plays.iter().sum::<f32>();
        if gain >= 0.0 || rng.unit() < f64::from(gain.exp()) {
            self.plays = plays;
        } else {
            (self.hands, self.fits) = before;
            self.places.copy_from_slice(&places[..count]);
        }
    }

    /// Exchanges cards n times. Where every card is in a hand, and each of three hands lacks a suit, exchanges of
    /// two cards do not lead to all worlds; those of three do.
    fn walk(&mut self, layout: &Layout<M>, table: &Table, rng: &mut Rng, exchanges: u32) {
        let count = self.cards.len() as u32;
        for number in 0..exchanges {
            let mut any = || rng.below(count) as usize;
            let (one, other) = (any(), any());
            if self.turns_three && number % 2 == 1 {
                let third = any();
                self.exchange(layout, table, rng, [one, other, third]);
            } else {
                self.exchange(layout, table, rng, [one, other]);
            }
        }
    }

    /// Each of these cards, by their numbers, goes where the next one is, unless the hands would fit their
    /// declarations worse.
    fn exchange<const N: usize>(
        &mut self,
        layout: &Layout<M>,
        table: &Table,
        rng: &mut Rng,
        cards: [usize; N],
    ) {
        let card = |at: usize| M::card(self.cards[cards[at]]);
        let place = |at: usize| usize::from(self.places[cards[at]]);
        let mut hands = [M::NONE; N];
        for at in 0..N {
            let next = (at + 1) % N;
            let meets = (at + 1..N).any(|other| place(other) == place(at));
            if meets || !(self.unknown.barred[place(next)] & card(at)).is_none() {
                return;
            }
            hands[next] = (self.hands[place(next)] & !card(next)) | card(at);
        }
        let places: [usize; N] = std::array::from_fn(place);
        let fits: [f32; N] = std::array::from_fn(|at| match places[at] {
            ASIDE => 0.0,
            seat => self.fit(layout, table, seat, hands[at]),
        });
        let before = places.map(|place| self.fits.get(place).copied().unwrap_or(0.0));
        let gain = fits.iter().sum::<f32>() - before.iter().sum::<f32>();
        if gain < 0.0 && rng.unit() >= f64::from(gain.exp()) {
            return;
        }
        for at in 0..N {
            self.hands[places[at]] = hands[at];
            self.places[cards[at]] = places[(at + 1) % N] as u8;
            if let Some(fit) = self.fits.get_mut(places[at]) {
                *fit = fits[at];
            }
        }
    }
}

/// The probability that the policy plays this card, or one just as good.
fn chance<M: Mask>(layout: &Layout<M>, table: &Table, position: &Position<M>, card: u8) -> f32 {
    let choice = position.distinct(layout);
    if choice.count() < 2 {
        return 1.0;
    }
    // The lowest of equal cards represents them.
    let alike = choice & (layout.below(card) | M::card(card));
    let context = Context::new(layout, position);
    let (mut total, mut own) = (0.0f32, 0.0f32);
    let policy = &table.policy;
    policy.each_worth(layout, &context, choice, |other, worth| {
        let weight = table.policy.weight(worth);
        total += weight;
        if !(alike & M::card(other)).is_none() {
            own = weight;
        }
    });
    CARELESS + (1.0 - CARELESS) * own / total.max(f32::MIN_POSITIVE)
}

/// The cards that others have played in this deal, with the table before each.
fn history<M: Mask>(
    layout: &Layout<M>,
    view: &View,
    leader: usize,
    own: usize,
) -> Vec<(usize, Shown<M>)> {
    let round = &view.round;
    let mut position = Position::fresh(
        round.players(),
        round.cards(),
        drover_game::game::Seat(leader as u8),
    );
    for (seat, declared) in round.declared().iter() {
        position.need[seat.index() & 3] = declared.unwrap_or(0) as i8;
    }
    let mut history: Vec<(usize, Shown<M>)> = Vec::new();
    for play in round.played() {
        let by = play.seat.index() & 3;
        let one = M::card(play.card.0);
        for (_, earlier) in history.iter_mut().filter(|(seat, _)| *seat == by) {
            earlier.since = earlier.since | one;
        }
        position.turn = by as u8;
        if by != own {
            let shown = Shown {
                before: position,
                card: play.card.0,
                since: one,
            };
            history.push((by, shown));
        }
        position.play(layout, play.card.0);
    }
    // A player does not choose its last card.
    history.retain(|(_, shown)| shown.before.left > 1);
    history
}

#[cfg(test)]
mod tests {
    use super::super::knobs::CHAMPION;
    use super::super::table::SHIPPED;
    use super::super::tests::seen;
    use super::*;
    use crate::rules::Game;
    use std::collections::HashSet;

    /// The other three have two cards each, two of every suit, and each of them lacks another suit. Declarations are
    /// believed little, so that no world is too unlikely to be met.
    #[test]
    fn the_walk_leads_to_all_worlds() {
        let game = Game::with_deals("abcdefgh", "xyz", 4, &[(6, 0)]).unwrap();
        let tricks = "hx ay ax bx hy by az cy hz bz cz dy gx dz cx dx";
        let view = seen(&game, 0, &[1; 4], tricks, "ey ez");
        let (layout, mut rng) = (Layout::<u64>::new(game.deck()), Rng::new(1, 1));
        let knobs = Knobs {
            spread_least: 2.0,
            ..CHAMPION
        };
        let mut belief = Belief::new(&layout, &SHIPPED, &view, &knobs, &mut rng);
        let worlds = (0..2_000).map(|_| belief.next(&layout, &SHIPPED, &mut rng));
        assert_eq!(worlds.collect::<HashSet<_>>().len(), 10);
    }
}
