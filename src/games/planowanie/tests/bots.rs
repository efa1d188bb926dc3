//! Laws of every built-in player.

use crate::bots::champion::entries::write_entries;
use crate::bots::champion::table::{SHIPPED_TEXT, Table, write_spreads};
use crate::bots::{CARDS, SelfPlay, make};
use crate::rules::{Ask, Game, Planowanie, Setup, View};
use drover_game::arena::play_by;
use drover_game::game::{Bot, Budget, Cause, Game as _};
use drover_game::ladder::seated;
use drover_game::models::{Train as _, Training};
use drover_game::rng::Rng;

fn games() -> Vec<Game> {
    let wide: String = ('a'..='z').chain('A'..='F').collect();
    let mut games = vec![Game::contest()];
    for (values, suits, players, deals) in [
        ("abcXYZ", "xyz", 2, &[(3_u8, 1_u8), (9, 1), (1, 1)][..]),
        ("7", "abcdefghijklmnop", 4, &[(1, 1), (4, 0)]),
        ("abcdefghijkl", "T", 3, &[(4, 1), (2, 2)]),
        (&wide, "wxyz", 4, &[(2, 2), (5, 1), (32, 0)]),
        (&wide, "wxyz", 2, &[(1, 1), (11, 1)]),
        ("789TJQKA", "CDHS", 3, &[(10, 1), (5, 2)]),
    ] {
        games.push(Game::with_deals(values, suits, players, deals).unwrap());
    }
    games
}

#[test]
fn every_act_is_legal_with_any_budget() {
    let mut rng = Rng::new(3, 0);
    for (number, game) in (0u64..).zip(games()) {
        for card in CARDS {
            let heavy = matches!(card.name, "pimc-50" | "ismcts-1000");
            let setup = Setup::seeded(game.clone(), number);
            let names = vec![card.name; game.players()];
            let mut bots = seated::<Planowanie>(&names, number * 4).unwrap();
            let end = play_by(&setup, &mut bots, |_, bot, view, ask| {
                let nodes = u64::from(rng.below(12));
                let patience = if heavy { rng.below(12) } else { rng.below(400) };
                let asked = std::cell::Cell::new(0);
                let stop = || {
                    asked.set(asked.get() + 1);
                    asked.get() > patience
                };
                bot.decide(view, ask, Budget { nodes, stop: &stop })
            });
            let refused = end.refused.values();
            assert!(refused.iter().all(|acts| *acts == 0), "{}", card.name);
            assert_eq!(end.game.outcome().unwrap().cause, Cause::Normal);
        }
    }
}

fn mid_game(name: &str, deal: usize) -> (View, Ask) {
    let setup = Setup::seeded(Game::contest(), 9);
    let mut found = None;
    let mut bots = seated::<Planowanie>(&[name; 4], 8).unwrap();
    play_by(&setup, &mut bots, |_, bot, view, ask| {
        if view.deal == deal && *ask == Ask::Play && view.round.tricks_done() == 1 {
            found.get_or_insert((view.clone(), *ask));
        }
        bot.decide(view, ask, Budget::nodes(1))
    });
    found.unwrap()
}

#[test]
fn slices_make_the_same_decision_as_one_piece() {
    for deal in [4, 9] {
        let (view, ask) = mid_game("rules", deal);
        for name in ["ismcts-1000", "champion"] {
            let whole = make(name, 5)
                .unwrap()
                .decide(&view, &ask, Budget::nodes(900));
            let mut bot = make(name, 5).unwrap();
            let mut sliced = None;
            for _ in 0..200 {
                let asked = std::cell::Cell::new(0);
                let stop = || {
                    asked.set(asked.get() + 1);
                    asked.get() > 37
                };
                let slice = Budget {
                    nodes: 900,
                    stop: &stop,
                };
                sliced = Some(bot.ponder(&view, &ask, slice).0);
            }
            assert_eq!(sliced, Some(whole), "{name}");
            let again = bot.decide(&view, &ask, Budget::nodes(900));
            assert_eq!(again, whole, "{name} repeats itself");
        }
    }
}

#[test]
fn training_repeats_itself() {
    let training = Training { games: 12, seed: 4 };
    let mut received = 0;
    let text = SelfPlay.train(&training, &mut |done| received = done);
    assert_eq!(received, 12);
    assert_eq!(text, SelfPlay.train(&training, &mut |_| {}));
    assert_ne!(
        text,
        SelfPlay.train(
            &Training {
                seed: 5,
                ..training
            },
            &mut |_| {}
        )
    );
    let table = Table::read(&text).unwrap();
    let mut again = String::new();
    write_spreads(table.bids.spreads(), &mut again);
    let [bids, policy] = [table.bids.entries(), table.policy.entries()];
    write_entries(&[bids, policy, &table.net.entries()].concat(), &mut again);
    assert!(policy.iter().any(|entry| *entry != 0), "it has learnt");
    assert!(text.ends_with(&again));
}

#[test]
fn the_shipped_table_can_be_read() {
    assert!(Table::read(SHIPPED_TEXT).is_some());
    assert!(Table::read("").is_none());
    assert!(Table::read("1 2 3\n##").is_none());
}

/// A bot's play must not depend on whether it was sent the events.
#[test]
fn a_player_made_in_the_middle_goes_on_alike() {
    let (view, ask) = mid_game("rules", 6);
    let mut old: Box<dyn Bot<Planowanie>> = make("champion", 7).unwrap();
    old.decide(&mid_game("rules", 3).0, &ask, Budget::nodes(50));
    let mut new = make("champion", 7).unwrap();
    let budget = Budget::nodes(300);
    assert_eq!(
        old.decide(&view, &ask, budget),
        new.decide(&view, &ask, budget)
    );
}
