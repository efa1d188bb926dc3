//! The final score in a player's facts is the match's.

use crate::KIT;
use drover_game::game::Seat;
use drover_game::kit::{DialogueSetup, Exchange, Kit as _, Nodes, PlaySetup};
use drover_game::wire::Fact;
use serde_json::json;

/// What a seat's player has learnt from a match.
fn facts(transcript: &[Exchange], seat: Seat) -> Vec<Fact> {
    let mut player = KIT.dialogue(&DialogueSetup::new("stand", 0)).unwrap();
    let mut facts = Vec::new();
    for received in transcript.iter().filter(|received| received.seat == seat) {
        player.receive(received.call.as_bytes()).unwrap();
        if let Some(reply) = &received.reply {
            player.said(reply);
        }
        facts.append(&mut player.facts());
    }
    facts
}

#[test]
fn a_final_score_is_sent_where_it_can_be_known_and_is_the_matchs() {
    let (mut seats, mut known) = (0, 0);
    for seed in 0..60 {
        for bots in [
            &["shipped"][..],
            &["random"],
            &["shipped", "random"],
            &["shipped", "stand", "shipped"],
        ] {
            let bots: Vec<String> = bots.iter().map(|bot| (*bot).to_owned()).collect();
            let players = bots.len();
            let options = json!({ "turnsLimit": 10 + 7 * (seed % 9), "sheepStandBy": seed % 4 });
            let setup = PlaySetup::recorded(bots, seed, options);
            let played = KIT.play(&setup, &Nodes(20)).unwrap();
            for seat in (0..players as u8).map(Seat) {
                seats += 1;
                let facts = facts(&played.transcript, seat);
                let mut last = facts.iter().filter(|fact| fact.data["final"] == true);
                let Some(last) = last.next_back() else {
                    continue;
                };
                let points = last.data["points"].as_f64().unwrap();
                let score = played.outcome.scores[seat];
                assert_eq!((points * 100.0).round() as i64, score, "{seed} {seat:?}");
                known += 1;
            }
        }
    }
    assert!(known > 20, "{known} of {seats}");
}
