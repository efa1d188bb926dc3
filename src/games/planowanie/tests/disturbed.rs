//! Commands that are repeated, late or lost: how they are distinguished, and what is answered.

use crate::KIT;
use drover_game::game::Budget;
use drover_game::kit::{DialogueSetup, Kit as _};
use drover_game::wire::{Dialogue, Fact, Next};

/// A game of two players and three deals of 2, 1 and 2 cards, of which we are player 0.
const GAME: [&str; 3] = [
    "set_deck 23456789TJQKA CDHS",
    "set_players 2 0",
    "set_game 3 2 0 1 1 2 0",
];
/// The first deal up to our first card.
const DEAL: [&str; 4] = [
    "set_cards 2 AS 2H",
    "time_left 5000",
    "gen_declare",
    "declare 0 1",
];

fn player(bot: &str) -> Box<dyn Dialogue> {
    KIT.dialogue(&DialogueSetup::new(bot, 3)).unwrap()
}

/// The answer to a command; it is legal in form.
fn say(player: &mut dyn Dialogue, command: &str) -> String {
    let said = match player.receive(command.as_bytes()).unwrap() {
        Next::Think { fallback, .. } => {
            let mut best = fallback;
            player.think(Budget::nodes(4), &mut best);
            best
        }
        Next::Send(said) => said,
        Next::Over(ending) => return ending.last_word,
        Next::Wait => return String::new(),
    };
    assert_eq!(KIT.card().in_form(command.as_bytes(), &said), Ok(()));
    player.said(&said);
    said
}

fn receive(player: &mut dyn Dialogue, commands: &[&str]) {
    for command in commands {
        say(player, command);
    }
}

fn unsound(player: &mut dyn Dialogue) -> Vec<String> {
    let facts: Vec<Fact> = player.facts();
    let unsound = facts.iter().filter(|fact| fact.kind == "unsound");
    unsound
        .map(|fact| format!("{}: {}", fact.data["what"], fact.data["why"]).replace('"', ""))
        .collect()
}

#[test]
fn what_comes_again_changes_nothing() {
    for bot in ["champion", "rules"] {
        let mut player = player(bot);
        receive(&mut *player, &GAME);
        receive(&mut *player, &DEAL);
        receive(&mut *player, &["declare 1 1", "play 0 AS"]);
        let before = player.view();
        receive(&mut *player, &GAME[..1]);
        receive(&mut *player, &GAME[2..]);
        for again in [
            "set_cards 2 AS 2H",
            "declare 1 1",
            "declare 0 1",
            "play 0 AS",
        ] {
            assert_eq!(say(&mut *player, again), "=\n", "{again}");
            assert_eq!(player.view(), before, "{again}");
        }
        receive(
            &mut *player,
            &["play 1 3S", "play 0 2H", "play 1 4H", "set_cards 1 5D"],
        );
        // From the previous deal.
        assert_eq!(say(&mut *player, "set_cards 2 AS 2H"), "=\n");
        assert_eq!(player.view()["hand"][0], "5D");
        assert_eq!(unsound(&mut *player), [""; 0]);
    }
}

#[test]
fn a_repeated_ask_gets_its_first_answer() {
    let mut player = player("champion");
    receive(&mut *player, &GAME);
    receive(&mut *player, &DEAL[..2]);
    let declared = say(&mut *player, "gen_declare");
    assert_eq!(say(&mut *player, "gen_declare"), declared);
    receive(&mut *player, &["declare 0 1", "declare 1 1"]);
    player.receive(b"7 gen_move").unwrap();
    player.said("=7 2H\n");
    assert_eq!(say(&mut *player, "gen_move"), "= 2H\n");
    assert_eq!(say(&mut *player, "9 gen_move"), "=9 2H\n");
}

#[test]
fn an_ask_is_answered_whatever_was_lost() {
    let all: Vec<&str> = GAME.iter().chain(&DEAL).copied().collect();
    for lost in 0..all.len() {
        for ask in ["gen_declare", "gen_move"] {
            let mut player = player("champion");
            for (at, command) in all.iter().enumerate() {
                if at != lost {
                    say(&mut *player, command);
                }
            }
            let said = say(&mut *player, ask);
            assert!(said.starts_with("= "), "{lost}: {said}");
        }
    }
}

#[test]
fn a_lost_card_is_seen_and_the_next_deal_is_played_whole() {
    let mut player = player("champion");
    receive(&mut *player, &GAME);
    receive(&mut *player, &DEAL);
    // Player 1's first card is lost: they led 3S, took the trick and lead again.
    receive(&mut *player, &["declare 1 1", "play 0 2H", "play 0 AS"]);
    assert_eq!(unsound(&mut *player), ["play: player 1 was to play"]);
    receive(&mut *player, &["play 1 4D", "set_cards 1 5D"]);
    assert_eq!(unsound(&mut *player), ["set_cards: deal 1 has not ended"]);
    let view = player.view();
    assert_eq!((&view["deal"], &view["hand"][0]), (&2.into(), &"5D".into()));
    receive(
        &mut *player,
        &["declare 0 0", "declare 1 1", "play 1 9C", "play 0 5D"],
    );
    assert_eq!(unsound(&mut *player), [""; 0]);
    assert_eq!(player.view()["deal"], 3);
    assert_eq!(player.view()["points"], serde_json::json!([1, 2]));
}

#[test]
fn while_a_trick_is_not_whole_the_suit_that_was_led_is_followed() {
    let mut player = player("champion");
    receive(
        &mut *player,
        &[
            "set_deck 23456789TJQKA CDHS",
            "set_players 3 0",
            "set_game 1 4 1",
        ],
    );
    receive(
        &mut *player,
        &[
            "set_cards 4 2C 3D 4D 5H",
            "declare 0 1",
            "declare 1 1",
            "declare 2 1",
        ],
    );
    // Player 2's second lead is lost; they lead the third trick as well.
    receive(
        &mut *player,
        &[
            "play 1 6H",
            "play 2 7H",
            "play 0 5H",
            "play 0 3D",
            "play 1 8S",
            "play 2 9D",
        ],
    );
    assert_eq!(unsound(&mut *player), ["play: player 2 was to play"]);
    assert_eq!(say(&mut *player, "gen_move"), "= 4D\n");
}

#[test]
fn a_legal_card_is_played_after_a_rival_seems_to_have_revoked() {
    let game = [
        "set_deck 23456 CD",
        "set_players 2 0",
        "set_game 1 5 0",
        "set_cards 5 2C 4C 2D 3D 4D",
        "declare 0 2",
        "declare 1 2",
        // All cards are dealt, so player 1 has the other clubs.
        "play 0 2D",
        "play 1 5C",
        "play 1 3C",
    ];
    for bot in ["pimc-50", "ismcts-1000", "champion"] {
        let mut player = player(bot);
        receive(&mut *player, &game);
        assert_eq!(unsound(&mut *player), [""; 0]);
        let Next::Think { fallback, .. } = player.receive(b"gen_move").unwrap() else {
            panic!("{bot} answers at once");
        };
        let mut best = fallback;
        player.think(Budget::nodes(2_000), &mut best);
        assert!(["= 2C\n", "= 4C\n"].contains(&&*best), "{bot}: {best}");
    }
}

#[test]
fn lost_declarations_are_assumed() {
    let mut player = player("champion");
    receive(&mut *player, &GAME);
    receive(&mut *player, &DEAL);
    assert_eq!(say(&mut *player, "gen_move").split(' ').count(), 2);
    let faults = unsound(&mut *player);
    assert_eq!(faults, ["declare: player 1's was not heard; 1 is assumed"]);
    assert_eq!(player.view()["declared"], serde_json::json!([1, 1]));
}

#[test]
fn what_cannot_be_is_not_folded() {
    let mut player = player("rules");
    receive(&mut *player, &GAME);
    receive(&mut *player, &DEAL);
    receive(&mut *player, &["declare 1 1"]);
    let before = player.view();
    for (command, why) in [
        ("play 1 AS", "play: that card is mine"),
        ("play 0 9D", "play: that is not my card"),
        ("play 0 XX", "play: there is no card XX"),
        ("play 7 3S", "play: there is no player 7"),
        (
            "declare 1 2",
            "declare: player 1 cannot declare 2 now, with 2 cards each",
        ),
        ("set_cards 3 2C 3C 4C", "set_cards: no deal has 3 cards"),
        ("set_cards 2 2C 2C", "set_cards: 2C stands twice"),
    ] {
        assert!(say(&mut *player, command).starts_with('?'), "{command}");
        assert_eq!(player.view(), before, "{command}");
        let faults = unsound(&mut *player).join("; ").replace('\\', "");
        assert_eq!(faults, why, "{command}");
    }
}

/// Whatever a command quotes and whatever its number, the reply is a line that an arbiter accepts.
#[test]
fn a_refusal_is_short_whatever_it_quotes() {
    let long = "\u{FFFD}".repeat(4_000);
    let digits = "7".repeat(4_000);
    let mut player = player("rules");
    receive(&mut *player, &GAME);
    for command in [
        format!("set_game 1 {long} 0"),
        format!("{long} 1"),
        format!("play 0 {long}"),
        format!("{digits} gen_move"),
        format!("{digits} {long}"),
    ] {
        let said = say(&mut *player, &command);
        assert!(
            said.starts_with('?') && said.len() < 1_024,
            "{}",
            said.len()
        );
    }
    let kept = unsound(&mut *player).concat();
    assert!(kept.len() < 5_000, "{}", kept.len());
}
