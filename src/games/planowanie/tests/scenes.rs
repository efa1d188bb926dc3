//! Scenes show what their viewer may know, all of it and no more.

use crate::rules::Planowanie;
use crate::scene::State;
use drover_game::contest::{Contest as _, Erased, TICK};
use drover_game::game::Seat;
use drover_game::kit::{DialogueSetup, Kit as _, Nodes, PlaySetup, TableSetup};
use drover_game::scene::Names;
use drover_game::wire::{Dialogue, Next, Reply};
use serde_json::json;
use std::collections::BTreeSet;

const PLAYERS: usize = 4;

fn state(scene: Option<drover_game::Scene>) -> Option<State> {
    scene.map(|scene| State::read(&scene.state).expect("a state"))
}

/// Receives and says a line as it was recorded.
fn follow(player: &mut dyn Dialogue, call: &str, reply: &str) {
    let next = player.receive(call.as_bytes()).expect("a line");
    if !matches!(next, Next::Over(_)) {
        player.said(reply);
    }
}

#[test]
fn a_player_sees_its_own_cards_and_what_is_revealed() {
    let door = Erased::<Planowanie>::NEW;
    let options = json!({"deals": "1 0 5 1 13 2"});
    let bots = vec!["rules".to_owned(); PLAYERS];
    let setup = PlaySetup::recorded(bots, 7, options.clone());
    let played = door.play(&setup, &Nodes(1)).expect("a game");
    let setup = TableSetup::numbered(7, options, PLAYERS);
    let mut table = door.table(&setup).expect("a table");
    let player = |_| {
        door.dialogue(&DialogueSetup::new("random", 1))
            .expect("a player")
    };
    let mut players: Vec<_> = (0..PLAYERS).map(player).collect();
    let (mut compared, mut secret, mut cards) = (0, 0, 0_u32);
    let mut titles: Vec<String> = Vec::new();
    for exchange in &played.transcript {
        let mut calls = Vec::new();
        table.calls(&mut calls);
        assert_eq!(calls.first().map(|call| &call.text), Some(&exchange.call));
        let seat = exchange.seat.index();
        let all = state(table.scene()).expect("a scene");
        follow(
            &mut *players[seat],
            &exchange.call,
            exchange.reply.as_deref().unwrap_or_default(),
        );
        // Before it answers, a player that is asked has received everything.
        if exchange.call == "gen_move" || exchange.call == "gen_declare" {
            let own = state(players[seat].scene()).expect("a scene");
            compared += 1;
            assert_eq!(own.own, Some(seat as u8));
            assert_eq!(
                (own.deal, &own.trick, own.to_play),
                (all.deal, &all.trick, all.to_play)
            );
            for (other, (shown, open)) in own.players.iter().zip(&all.players).enumerate() {
                let hand = (other == seat).then(|| open.hand.clone()).flatten();
                assert_eq!(shown.hand, hand, "the hand of {other}");
                assert_eq!(
                    (shown.held, shown.taken, shown.points),
                    (open.held, open.taken, open.points)
                );
                if exchange.call == "gen_declare" {
                    assert_eq!(shown.declared, None, "declarations are revealed together");
                    secret += usize::from(open.declared.is_some());
                } else {
                    assert_eq!(shown.declared, open.declared);
                }
            }
        }
        table.spent(exchange.seat, TICK);
        table.answer(
            exchange.seat,
            Reply::Text(exchange.reply.as_deref().unwrap_or_default().as_bytes()),
        );
        let scene = table.scene().expect("a scene");
        cards += u32::from(exchange.call == "gen_move");
        if titles.last() != Some(&scene.title) {
            titles.push(scene.title.clone());
        }
        let taken = cards / PLAYERS as u32;
        assert_eq!(scene.turn, taken, "tricks are counted when they are taken");
        whole_deck(&state(Some(scene)).expect("a scene"));
    }
    // Where deals begin and end is in words: the table deals the next one at once.
    let number = |deal: usize| {
        titles
            .iter()
            .filter(|title| title.ends_with(&format!(" in deal {deal}")))
            .count()
    };
    assert!((1..=3).all(|deal| number(deal) == PLAYERS), "{titles:?}");
    let ended = |title: &&String| title.ends_with(" takes the trick and the deal is over");
    assert_eq!(titles.iter().filter(ended).count(), 2, "{titles:?}");
    assert_eq!((compared, secret), (3 * PLAYERS + 19 * PLAYERS, 3 * 6));
    let end = state(table.scene()).expect("a scene");
    let points = end.players.iter().map(|shown| shown.points);
    assert!(end.over && points.eq(played.outcome.scores.values().iter().copied()));
    for (seat, player) in players.iter().enumerate() {
        let own = state(player.scene()).expect("a scene");
        assert!(own.over, "seat {seat}");
        assert_eq!(own.before, end.before);
    }
    assert_eq!(table.outcome(), Some(played.outcome));
}

/// Every card that was dealt is held once, on the table or in a trick that was taken.
fn whole_deck(state: &State) {
    let held = state
        .players
        .iter()
        .flat_map(|shown| shown.hand.iter().flatten());
    let table = state.trick.iter().map(|played| &played.card);
    let seen: Vec<&String> = held.chain(table).collect();
    let distinct: BTreeSet<_> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "{state:?}");
    let taken: usize = state
        .players
        .iter()
        .map(|shown| usize::from(shown.taken))
        .sum();
    let dealt = usize::from(state.cards) * state.players.len();
    assert_eq!(seen.len() + taken * state.players.len(), dealt, "{state:?}");
}

#[test]
fn a_fault_is_seen() {
    let door = Erased::<Planowanie>::NEW;
    let setup = TableSetup::numbered(1, json!({"deals": "1 0"}), 2);
    let mut table = door.table(&setup).expect("a table");
    table.calls(&mut Vec::new());
    table.answer(Seat(0), Reply::Failed);
    let scene = table.scene().expect("a scene");
    let title = Names::default().fill(&scene.title);
    assert_eq!(title, "Seat 1 has lost the game by a fault");
    assert_eq!(state(Some(scene)).expect("a state").loser, Some(0));
}

#[test]
fn a_picture_is_drawn_as_it_ever_was() {
    let text = include_str!("../golden/scene.json");
    let state: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let narrow = Planowanie::CARD.narrow.expect("one for phones");
    let drawn = [narrow, Planowanie::CARD.picture].map(|draw| {
        let picture = draw(&state, &Names::default()).expect("a picture");
        (picture.width, picture.height, picture.document(""))
    });
    let [(.., narrow), (width, height, wide)] = drawn;
    assert_eq!(narrow, include_str!("../golden/scene_narrow.svg"));
    assert_eq!(wide, include_str!("../golden/scene.svg"));
    // In a window it has the same cards, and a window's shape.
    let cards = |picture: &str| picture.matches("\"s-face\"").count();
    assert_eq!((cards(&narrow), cards(&wide)), (8, 8));
    assert!(4 * height < 3 * width, "{width} x {height}");
}
