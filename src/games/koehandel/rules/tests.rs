//! Laws of the rules under random play.

use super::{Koehandel, Setup};
use crate::cards::{ANIMALS, Compass, PLAYERS, Purse};
use crate::options::Options;
use crate::tests::play::all_options;
use crate::view::Bounds;
use drover_game::game::{Game, Seat};
use drover_laws::play_randomly;

/// Money and cards are conserved and no view is wrong about anything.
fn audit(game: &Koehandel) {
    let money: Purse = game
        .purses()
        .iter()
        .fold(Purse::EMPTY, |sum, purse| sum.plus(*purse));
    let view = game.seen_by(0);
    assert_eq!(money.value(), view.table_cash());
    for animal in 0..ANIMALS {
        assert!(game.herds().iter().map(|herd| herd[animal]).sum::<u8>() <= 4);
    }
    for seat in 0..PLAYERS {
        let view = game.view(Seat(seat as u8));
        assert_eq!(view.purse, game.purses()[seat]);
        let mut guesses = 0;
        for place in Compass::ALL {
            let subject = place.seat(seat);
            let cash = game.purses()[subject].value();
            let Bounds { low, high } = view.cash[place.index()];
            assert!(
                low <= cash && cash <= high,
                "{place:?} of {seat}: {cash} not in {low}..={high}"
            );
            assert_eq!(view.cards[place.index()], game.purses()[subject].cards());
            assert_eq!(view.herds[place.index()], game.herds()[subject]);
            assert!(
                !view.barred[place.index()] || game.barred()[subject],
                "barred wrongly"
            );
            if place != Compass::S {
                guesses += view.guess[place.index()];
            }
        }
        assert_eq!(guesses, view.rivals_cash(), "guesses of {view:?}");
    }
}

#[test]
fn laws_hold_under_every_option() {
    for (number, options) in all_options().into_iter().enumerate() {
        for seed in 0..40 {
            let setup = Setup::deal(seed * 100 + number as u64, options);
            setup.check().unwrap();
            let silence = if seed % 2 == 0 { 0.0 } else { 0.2 };
            play_randomly::<Koehandel>(&setup, seed, silence, audit);
        }
    }
}

/// The deal of a seed is frozen: stored matches and shared deals depend on it.
#[test]
fn deals_are_frozen() {
    let setup = Setup::deal(7, Options::default());
    let deck: String = setup.deck.iter().map(|animal| animal.letter()).collect();
    assert_eq!(
        (deck.as_str(), setup.first),
        ("CCEHBCGIFIFJAGBFHDJHIABBEGGEJFEDDCHAJIDA", 0)
    );
}
