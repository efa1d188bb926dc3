//! Deals of the hidden cards that agree with everything a player has seen.

use super::position::{Layout, Mask, Position, SEATS_MAX};
use crate::cards::CARDS_MAX;
use crate::rules::View;
use drover_game::rng::Rng;

/// The index for cards that were not dealt.
pub const ASIDE: usize = SEATS_MAX;
/// Hands and the cards that were not dealt.
pub const PLACES: usize = SEATS_MAX + 1;

/// What a player knows about the cards it has not seen.
#[derive(Clone)]
pub struct Unknown<M> {
    /// The player's own seat.
    pub seat: usize,
    /// Cards that it has not seen.
    pub unseen: M,
    /// Number of unseen cards by place: hands by seat (its own: none), then those not dealt.
    pub counts: [u8; PLACES],
    /// Unseen cards that cannot be in a place, by place.
    pub barred: [M; PLACES],
    /// Its own hand.
    pub hand: M,
    constrained: bool,
}

impl<M: Mask> Unknown<M> {
    /// What the player with this view knows: hand sizes, and who did not follow suit.
    #[must_use]
    pub fn new(layout: &Layout<M>, view: &View) -> Self {
        let round = &view.round;
        let seat = view.seat.index() & 3;
        let hand = M::from_set(view.hand);
        let unseen = layout.all & !hand & !M::from_set(round.gone());
        let mut counts = [0; PLACES];
        let mut barred = [M::NONE; PLACES];
        let players = round.players().clamp(1, SEATS_MAX);
        for (at, count) in counts.iter_mut().enumerate().take(players) {
            if at != seat {
                *count = round.cards();
            }
        }
        for play in round.played() {
            let count = &mut counts[play.seat.index() & 3];
            *count = count.saturating_sub(1);
        }
        for (by, led) in round.strays(view.game.deck()) {
            let barred = &mut barred[by.index() & 3];
            *barred = *barred | layout.suit(led);
        }
        let held: u32 = counts.iter().map(|count| u32::from(*count)).sum();
        counts[ASIDE] = unseen.count().saturating_sub(held) as u8;
        let constrained = barred.iter().any(|barred| !(*barred & unseen).is_none());
        Self {
            seat,
            unseen,
            counts,
            barred,
            hand,
            constrained,
        }
    }

    /// Draws hands that agree with it, the player's own included; uniformly as long as all players have
    /// followed suit, else close to uniformly. If no hands agree with it, because a player did not follow a suit
    /// that it must have had, hands of the right sizes.
    #[must_use]
    pub fn draw(&self, layout: &Layout<M>, rng: &mut Rng) -> [M; PLACES] {
        let mut hands = [M::NONE; PLACES];
        if !self.constrained || !self.draw_constrained(layout, rng, &mut hands) {
            hands = self.draw_free(rng);
        }
        hands[self.seat] = self.hand;
        hands
    }

    fn draw_free(&self, rng: &mut Rng) -> [M; PLACES] {
        let mut hands = [M::NONE; PLACES];
        let mut cards = [0u8; CARDS_MAX];
        let mut count = list(self.unseen, &mut cards);
        for (hand, wanted) in hands.iter_mut().zip(self.counts).take(ASIDE) {
            for _ in 0..wanted {
                let at = rng.below(count as u32) as usize;
                *hand = *hand | M::card(cards[at]);
                count = count.saturating_sub(1);
                cards[at] = cards[count];
            }
        }
        for card in &cards[..count] {
            hands[ASIDE] = hands[ASIDE] | M::card(*card);
        }
        hands
    }

    /// Cards go to places with room, those whose suits fit into the fewest places first. False if one fits nowhere.
    fn draw_constrained(&self, layout: &Layout<M>, rng: &mut Rng, hands: &mut [M; PLACES]) -> bool {
        let mut room = self.counts;
        for fits in 0..=PLACES {
            for suit in 0..layout.suit_count {
                let of_suit = self.unseen & layout.suit(suit);
                let open = |place: &usize| {
                    self.counts[*place] > 0 && (self.barred[*place] & of_suit).is_none()
                };
                if of_suit.is_none() || (0..PLACES).filter(open).count() != fits {
                    continue;
                }
                let mut cards = [0u8; CARDS_MAX];
                let count = list(of_suit, &mut cards);
                rng.shuffle(&mut cards[..count]);
                for card in &cards[..count] {
                    if !self.put(*card, rng, &mut room, hands) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Puts a card into a place; false if it fits nowhere.
    fn put(
        &self,
        card: u8,
        rng: &mut Rng,
        room: &mut [u8; PLACES],
        hands: &mut [M; PLACES],
    ) -> bool {
        let one = M::card(card);
        let open = |place: usize| (self.barred[place] & one).is_none();
        let free = room.iter().enumerate().filter(|(place, _)| open(*place));
        let total: u32 = free.map(|(_, free)| u32::from(*free)).sum();
        if total == 0 {
            return self.make_room(card, room, hands);
        }
        let mut pick = rng.below(total);
        for (place, free) in room.iter_mut().enumerate() {
            if !open(place) {
                continue;
            }
            if pick < u32::from(*free) {
                hands[place] = hands[place] | one;
                *free -= 1;
                return true;
            }
            pick -= u32::from(*free);
        }
        false
    }

    /// Puts a card where there is no room, moving others elsewhere along the shortest chain of places; false if none
    /// leads to room.
    fn make_room(&self, card: u8, room: &mut [u8; PLACES], hands: &mut [M; PLACES]) -> bool {
        let mut came_from = [(PLACES, 0u8); PLACES];
        let mut reached = [false; PLACES];
        let mut queue = Vec::with_capacity(PLACES);
        for place in 0..PLACES {
            if self.counts[place] > 0 && (self.barred[place] & M::card(card)).is_none() {
                reached[place] = true;
                came_from[place] = (PLACES, card);
                queue.push(place);
            }
        }
        let mut at = 0;
        while let Some(place) = queue.get(at).copied() {
            at += 1;
            if room[place] > 0 {
                let mut to = place;
                room[place] -= 1;
                while to < PLACES {
                    let (from, moved) = came_from[to];
                    hands[to] = hands[to] | M::card(moved);
                    if from < PLACES {
                        hands[from] = hands[from] & !M::card(moved);
                    }
                    to = from;
                }
                return true;
            }
            for next in 0..PLACES {
                let movable = hands[place] & !self.barred[next];
                if !reached[next] && self.counts[next] > 0 && !movable.is_none() {
                    reached[next] = true;
                    came_from[next] = (place, movable.lowest());
                    queue.push(next);
                }
            }
        }
        false
    }

    /// The position of this view with sampled hands.
    #[must_use]
    pub fn fill(&self, mut position: Position<M>, hands: &[M; PLACES]) -> Position<M> {
        position.hands.copy_from_slice(&hands[..SEATS_MAX]);
        position
    }
}

/// Writes a set's cards out, lowest first, and returns their number.
pub fn list<M: Mask>(set: M, cards: &mut [u8; CARDS_MAX]) -> usize {
    let mut rest = set;
    let mut count = 0;
    while let Some(card) = rest.pop() {
        if let Some(slot) = cards.get_mut(count) {
            *slot = card;
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::champion::{Belief, CHAMPION, SHIPPED, seen};
    use crate::rules::{Ask, Game, Planowanie, Setup};
    use drover_game::arena::play_by;
    use drover_game::game::Budget;
    use drover_game::ladder::seated;

    /// Own hand and hand sizes are right, nobody holds a suit they did not follow, and nothing is held twice.
    fn audit<M: Mask>(layout: &Layout<M>, view: &View, hands: &[M; PLACES]) {
        let players = view.round.players();
        let seat = view.seat.index();
        assert!(hands[seat] == M::from_set(view.hand));
        let all = hands.iter().fold(M::NONE, |all, hand| all | *hand);
        let count: u32 = hands.iter().map(|hand| hand.count()).sum();
        assert_eq!(all.count(), count, "no card is in two places");
        assert!(all == layout.all & !M::from_set(view.round.gone()));
        let mut left = [u32::from(view.round.cards()); 4];
        for trick in view.round.played().chunks(players) {
            let led = layout.suit_of(trick[0].card.0);
            for play in trick {
                let by = play.seat.index();
                left[by] -= 1;
                if layout.suit_of(play.card.0) != led && by != seat {
                    assert!((hands[by] & layout.suit(led)).is_none(), "a void is kept");
                }
            }
        }
        for at in 0..players {
            assert_eq!(hands[at].count(), left[at], "hands keep their sizes");
        }
    }

    fn worlds_agree<M: Mask>(game: &Game, seed: u64) {
        let layout = Layout::<M>::new(game.deck());
        let setup = Setup::seeded(game.clone(), seed);
        let mut rng = Rng::new(seed, 9);
        let names = vec!["random"; game.players()];
        let mut bots = seated::<Planowanie>(&names, seed * 4).unwrap();
        play_by(&setup, &mut bots, |_, bot, view, ask| {
            if *ask == Ask::Play {
                let unknown = Unknown::<M>::new(&layout, view);
                for _ in 0..3 {
                    audit(&layout, view, &unknown.draw(&layout, &mut rng));
                }
                let mut belief = Belief::new(&layout, &SHIPPED, view, &CHAMPION, &mut rng);
                if view.round.played().len() % 5 == 0 {
                    for _ in 0..3 {
                        audit(&layout, view, &belief.next(&layout, &SHIPPED, &mut rng));
                    }
                }
            }
            bot.decide(view, ask, Budget::nodes(0))
        });
    }

    #[test]
    fn worlds_agree_with_what_was_seen() {
        let three = Game::with_deals("abcdefghij", "xyz", 3, &[(3, 0), (7, 0), (10, 0)]).unwrap();
        for seed in 0..3 {
            worlds_agree::<u64>(&Game::contest(), seed);
            worlds_agree::<u64>(&three, seed);
            worlds_agree::<u128>(&three, seed);
        }
    }

    /// Two players have all cards, and the second one did not follow diamonds, of which it must have two.
    #[test]
    fn hands_keep_their_sizes_after_a_revoke() {
        let game = Game::with_deals("23456", "CD", 2, &[(5, 0)]).unwrap();
        let view = seen(&game, 0, &[2, 2], "2D 5C", "2C 4C 3D 4D");
        let unknown = Unknown::<u64>::new(&Layout::new(game.deck()), &view);
        let hands = unknown.draw(&Layout::new(game.deck()), &mut Rng::new(1, 1));
        assert_eq!(hands.map(u64::count), [4, 4, 0, 0, 0]);
    }
}
