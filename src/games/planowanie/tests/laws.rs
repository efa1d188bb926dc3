//! The laws of every game, and what must hold in every position of this one.

use crate::cards::CardSet;
use crate::rules::{Game, Planowanie, Setup};
use drover_game::game::{Cause, Seat};
use drover_laws::{laws, play_randomly};

laws!(Planowanie, {"deals": "3 0 2 1"}, also: [scenes_are_whole, own_words_are_read_back]);

#[test]
fn random_games_keep_the_laws() {
    for seed in 0..200 {
        let odd = Game::with_deals("abcXYZ", "xyz", 2, &[(3, 1), (9, 0), (1, 1)]);
        for game in [Game::contest(), odd.unwrap()] {
            let setup = Setup::seeded(game, seed);
            let silence = if seed % 4 == 0 { 0.01 } else { 0.0 };
            let audit = |game: &Planowanie| {
                let deck = game.game().deck();
                let hands = (0..game.game().players() as u8).map(|seat| game.hand(Seat(seat)));
                let held: usize = hands.clone().map(CardSet::len).sum();
                let all = hands.fold(game.round().gone(), CardSet::or);
                let dealt = usize::from(game.round().cards()) * game.game().players();
                if !game.is_over() {
                    assert_eq!(
                        held + game.round().gone().len(),
                        dealt,
                        "cards are conserved"
                    );
                    assert_eq!(all.len(), dealt, "no card is in two places");
                }
                assert!(all.minus(deck.all()).is_empty());
            };
            let (outcome, _) = play_randomly::<Planowanie>(&setup, seed, silence, audit);
            let deals = setup.game().deals().iter();
            let tricks: i64 = deals.map(|deal| i64::from(deal.cards)).sum();
            let players = setup.game().players() as i64;
            if outcome.cause == Cause::Normal {
                let points: i64 = outcome.scores.values().iter().sum();
                assert!((tricks..=tricks * (1 + players)).contains(&points));
            } else {
                let scores = outcome.scores.values().iter();
                assert_eq!(scores.filter(|score| **score < 0).count(), 1);
            }
        }
    }
}

#[test]
fn disturbed_matches_recover() {
    drover_laws::disturb::check(&crate::KIT, 20);
}
