//! What the champion does where it is known what is right.

mod surprise;

use super::knobs::{CHAMPION, Knobs};
use super::player::begin;
use super::table::SHIPPED;
use crate::rules::{Act, Ask, Game, Planowanie, Setup, View};
use drover_game::game::{Game as _, Seat};
use drover_game::rng::Rng;

/// What a player sees with this hand, everybody having declared so and these cards having been played, the leader's
/// first. The leader is the first player.
pub(in crate::bots) fn seen(
    game: &Game,
    seat: u8,
    declared: &[u8],
    played: &str,
    hand: &str,
) -> View {
    let deck = game.deck();
    let read = |text: &str| deck.read(text).unwrap();
    let setup = Setup::seeded(game.clone(), 1);
    let mut view = Planowanie::begin(&setup).view(Seat(seat));
    for (seat, tricks) in (0..).zip(declared) {
        view.round.declare(Seat(seat), *tricks).unwrap();
    }
    for card in played.split_whitespace() {
        let seat = view.round.to_play().unwrap();
        view.round.play(deck, seat, read(card)).unwrap();
    }
    view.hand = hand.split_whitespace().map(read).collect();
    view
}

fn contest_deck(players: usize, cards: u8) -> Game {
    Game::with_deals("23456789TJQKA", "CDHS", players, &[(cards, 0)]).unwrap()
}

/// What the champion does after some thousand nodes, where the standing counts as much as this.
fn act(view: &View, ask: Ask, standing: f32) -> Act {
    let knobs = Knobs {
        standing,
        ..CHAMPION
    };
    let mut search = begin(view, ask, Rng::new(1, 1), knobs, &SHIPPED);
    while !search.settled(4_000) {
        search.step();
    }
    search.act().unwrap()
}

fn card(view: &View) -> String {
    match act(view, Ask::Play, CHAMPION.standing) {
        Act::Play(card) => view.game.deck().text(card),
        Act::Declare(_) => String::new(),
    }
}

#[test]
fn the_last_to_play_ducks_or_wins_as_it_needs() {
    let game = contest_deck(4, 2);
    for (declared, expected) in [(0, "3D"), (1, "QD")] {
        let view = seen(&game, 3, &[1, 1, 1, declared], "JD 5D 9D", "3D QD");
        assert_eq!(card(&view), expected, "declared {declared}");
    }
}

/// With this card the trick is won a little more often than not. But who declares 0 has a point in any case, so that a
/// lead of a point is kept.
#[test]
fn the_standing_changes_a_declaration() {
    let game = Game::with_deals("23456789TJQKA", "CD", 2, &[(1, 0)]).unwrap();
    let declared = |points: [i64; 2]| {
        let mut view = seen(&game, 1, &[], "", "3C");
        view.points = points.into_iter().collect();
        act(&view, Ask::Declare, 3.0)
    };
    assert_eq!(declared([100, 0]), Act::Declare(1), "all is lost");
    assert_eq!(declared([0, 1]), Act::Declare(0));
}
