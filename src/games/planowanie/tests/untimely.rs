//! `gen_move` at any moment of a game, asked or not: the answer is a card of the hand, of the led suit if the
//! hand has one.

use crate::KIT;
use drover_game::game::{Budget, Seat};
use drover_game::kit::{DialogueSetup, Kit as _, Nodes, PlaySetup};
use drover_game::wire::{Dialogue, Next};
use serde_json::json;

fn player() -> Box<dyn Dialogue> {
    KIT.dialogue(&DialogueSetup::new("rules", 1)).unwrap()
}

fn answered(player: &mut dyn Dialogue, command: &str) -> String {
    match player.receive(command.as_bytes()).unwrap() {
        Next::Think { mut fallback, .. } => {
            player.think(Budget::nodes(1), &mut fallback);
            fallback
        }
        Next::Send(said) => said,
        Next::Over(ending) => ending.last_word,
        Next::Wait => String::new(),
    }
}

/// The cards of a hand, and the trick on the table, as the commands so far show them.
#[derive(Default)]
struct Known {
    hand: Vec<String>,
    trick: Vec<String>,
    players: usize,
    own: String,
}

impl Known {
    fn receive(&mut self, command: &str) {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["set_players", players, own] => {
                self.players = players.parse().unwrap();
                own.clone_into(&mut self.own);
            }
            ["set_cards", _, ref cards @ ..] => {
                self.hand = cards.iter().map(|card| (*card).to_owned()).collect();
                self.trick.clear();
            }
            ["play", seat, card] => {
                if self.trick.len() == self.players {
                    self.trick.clear();
                }
                self.trick.push(card.to_owned());
                if seat == self.own {
                    self.hand.retain(|held| held != card);
                }
            }
            _ => {}
        }
    }

    /// Cards that may be answered.
    fn legal(&self) -> Vec<String> {
        let led = self
            .trick
            .first()
            .filter(|_| self.trick.len() < self.players);
        let suit = |card: &String| card.chars().last();
        let follows = |card: &&String| led.is_none_or(|led| suit(card) == suit(led));
        let following: Vec<String> = self.hand.iter().filter(follows).cloned().collect();
        if following.is_empty() {
            self.hand.clone()
        } else {
            following
        }
    }
}

#[test]
fn a_move_out_of_turn_is_a_legal_card_of_the_hand() {
    for players in 2..=4usize {
        let options = json!({ "deals": "4 0 3 1 1 0" });
        let bots = vec!["rules".to_owned(); players];
        let played = KIT
            .play(&PlaySetup::recorded(bots, 5, options), &Nodes(1))
            .unwrap();
        let own = played
            .transcript
            .iter()
            .filter(|exchanges| exchanges.seat == Seat(1));
        let exchanges: Vec<_> = own.collect();
        let mut known = Known::default();
        for end in 0..exchanges.len() {
            let mut player = player();
            for exchanges in &exchanges[..end] {
                answered(&mut *player, &exchanges.call);
                player.said(exchanges.reply.as_deref().unwrap_or_default());
            }
            if let Some(last) = end.checked_sub(1) {
                known.receive(&exchanges[last].call);
            }
            for number in ["", "17 "] {
                let said = answered(&mut *player, &format!("{number}gen_move"));
                let card = said.split_whitespace().last().unwrap();
                let legal = known.legal();
                assert!(
                    legal.is_empty() || legal.iter().any(|held| held == card),
                    "{card:?} of {legal:?} after {:?}",
                    exchanges[..end]
                        .iter()
                        .map(|exchanges| &exchanges.call)
                        .collect::<Vec<_>>()
                );
            }
        }
    }
}
