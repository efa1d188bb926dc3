//! The champion at tables of four.

use crate::bots::make;
use crate::known::KnownMaps;
use crate::map::Map;
use crate::options::{Key, Options};
use crate::rules::{Players, Setup, SmartDog};
use drover_game::arena::play_by;
use drover_game::game::{Budget, Seat};

/// One dog, two sheep in the open.
const MEADOW: &str =
    "..........\n.---......\n.---...*..\n..........\n....@.*...\n..........\n..........";

#[test]
fn it_wins_from_every_seat_against_rivals_that_stand() {
    let options = [
        (Key::TurnsLimit, 60),
        (Key::DogVisibilityR, 6),
        (Key::DogBarkingR, 2),
    ];
    let options = (options.into_iter()).fold(Options::default(), |options, (key, value)| {
        options.with(key, value).unwrap()
    });
    let setup = Setup {
        map: Map::read(MEADOW).unwrap(),
        players: Players::Four,
        options,
    };
    for seat in (0..4).map(Seat) {
        let name = |other| if other == seat { "champion" } else { "stand" };
        let bot = |other| make(name(other), 1, &KnownMaps::none()).unwrap();
        let mut bots: Vec<_> = (0..4).map(Seat).map(bot).collect();
        let end = play_by::<SmartDog>(&setup, &mut bots, |_, bot, view, ask| {
            bot.decide(view, ask, Budget::nodes(200))
        });
        assert!(end.refused.values().iter().all(|refused| *refused == 0));
        assert_eq!(end.game.winner(), Some(seat), "{:?}", end.game.penned());
        assert!(end.game.penned()[seat] >= 2, "{:?}", end.game.penned());
    }
}
