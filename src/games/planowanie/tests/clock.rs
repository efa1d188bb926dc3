//! The law of the clock: shares of a whole game never sum to more than there is.

use crate::clock::allot;
use crate::rules::{Ask, Game, Planowanie, Setup};
use drover_game::arena::play_by;
use drover_game::game::{Budget, Seat};
use drover_game::ladder::seated;
use std::time::Duration;

#[test]
fn shares_sum_to_no_more_than_what_is_left() {
    for total_ms in [0, 1, 100, 1_000, 5_000, 20_000, 180_000, 900_000] {
        let total = Duration::from_millis(total_ms);
        let setup = Setup::seeded(Game::contest(), total_ms);
        let mut left = [total; 4];
        let mut largest = Duration::ZERO;
        let mut bots = seated::<Planowanie>(&["rules"; 4], 0).unwrap();
        play_by(&setup, &mut bots, |_, bot, view, ask| {
            let seat = view.seat.index();
            let share = allot(left[seat], view, *ask);
            let deck = view.game.deck();
            let playable = deck.playable(view.hand, view.round.led(deck));
            if *ask == Ask::Play && playable.len() == 1 {
                assert_eq!(share, Duration::ZERO, "nothing is to be decided");
            } else if total_ms > 0 {
                assert!(share > Duration::ZERO);
            }
            assert!(share <= left[seat]);
            largest = largest.max(share);
            left[seat] -= share;
            bot.decide(view, ask, Budget::nodes(0))
        });
        for left in left {
            let kept = left.as_secs_f64() / total.as_secs_f64().max(1e-9);
            assert!(
                total_ms < 2 || (0.01..0.5).contains(&kept),
                "{kept} of {total:?}"
            );
        }
        assert!(largest <= total / 10);
    }
}

#[test]
fn a_last_deal_gets_most_of_what_is_left() {
    let setup = Setup::seeded(Game::contest(), 1);
    let left = Duration::from_secs(60);
    let mut first = None;
    let mut bots = seated::<Planowanie>(&["rules"; 4], 0).unwrap();
    play_by(&setup, &mut bots, |_, bot, view, ask| {
        if view.deal == 12 && view.seat == Seat(0) && *ask == Ask::Declare {
            first = Some(allot(left, view, *ask));
        }
        bot.decide(view, ask, Budget::nodes(0))
    });
    let first = first.unwrap();
    assert!(
        (Duration::from_secs(5)..Duration::from_secs(15)).contains(&first),
        "{first:?}"
    );
}
