//! The last tricks with all hands known, solved exactly: each player maximises its own gain and, among
//! equals, minimises that of the others.

use crate::planowanie::bots::position::{Layout, Mask, Position, SEATS_MAX};

/// The points of others that one own point outweighs.
const OWN: i32 = 1024;

/// Plays the rest of a deal out exactly. The cost grows like the product of all hands' choices.
pub fn play_exactly<M: Mask>(layout: &Layout<M>, position: &mut Position<M>) {
    let end = best_end(layout, *position);
    *position = end;
}

fn best_end<M: Mask>(layout: &Layout<M>, position: Position<M>) -> Position<M> {
    if position.is_over() {
        return position;
    }
    let seat = usize::from(position.turn);
    let mut rest = position.distinct(layout);
    let mut best: Option<(i32, Position<M>)> = None;
    while let Some(card) = rest.pop() {
        let mut next = position;
        next.play(layout, card);
        let end = best_end(layout, next);
        let value = value_of(&end, seat);
        if best.is_none_or(|(most, _)| value > most) {
            best = Some((value, end));
        }
    }
    best.map_or(position, |(_, end)| end)
}

fn value_of<M: Mask>(end: &Position<M>, seat: usize) -> i32 {
    let players = usize::from(end.players).min(SEATS_MAX);
    let all: i32 = (0..players).map(|seat| end.points(seat)).sum();
    (OWN + 1) * end.points(seat) - all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Seat;
    use crate::planowanie::cards::{Card, Deck};
    use crate::planowanie::rules::Round;
    use crate::rng::Rng;

    /// Every line by the rules' own deal, without any shortcut.
    fn brute(deck: &Deck, round: &Round, hands: [u64; 4]) -> Vec<i64> {
        let Some(seat) = round.to_play() else {
            return round.points().values().to_vec();
        };
        let hand = crate::planowanie::cards::CardSet(u128::from(hands[seat.index()]));
        let mut best: Option<(i64, Vec<i64>)> = None;
        for card in deck.playable(hand, round.led(deck)).iter() {
            let (mut next, mut left) = (round.clone(), hands);
            next.play(deck, seat, card).unwrap();
            left[seat.index()] &= !(1 << card.0);
            let end = brute(deck, &next, left);
            let value = 1025 * end[seat.index()] - end.iter().sum::<i64>();
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                best = Some((value, end));
            }
        }
        best.unwrap().1
    }

    #[test]
    fn exact_endgames_equal_brute_force() {
        let mut rng = Rng::new(5, 0);
        for number in 0..300u64 {
            let deck = Deck::contest();
            let layout = Layout::<u64>::new(&deck);
            let players = 2 + number as usize % 3;
            let cards = 1 + (number % 3) as u8;
            let mut all: Vec<Card> = deck.all().iter().collect();
            if number % 2 == 0 {
                // Adjacent cards, so that many are as good as each other.
                all.retain(|card| deck.value_of(*card) < 4);
            }
            rng.shuffle(&mut all);
            let leader = Seat(rng.below(players as u32) as u8);
            let mut round = Round::new(players, cards, leader);
            let mut position = Position::fresh(players, cards, leader);
            for seat in 0..players {
                let declared = rng.below(u32::from(cards) + 1) as u8;
                round.declare(Seat(seat as u8), declared).unwrap();
                position.need[seat] = declared as i8;
                for _ in 0..cards {
                    position.hands[seat] |= u64::card(all.pop().unwrap().0);
                }
            }
            let expected = brute(&deck, &round, position.hands);
            play_exactly(&layout, &mut position);
            let points: Vec<i64> = (0..players)
                .map(|seat| i64::from(position.points(seat)))
                .collect();
            assert_eq!(points, expected);
        }
    }
}
