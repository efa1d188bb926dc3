//! A match over text is the same match as one in process.

use crate::game::{Budget, Outcome, Seat};
use crate::kit::bot_seed;
use crate::kit::{DialogueSetup, Exchange, Nodes, PlaySetup, TableSetup};
use crate::koehandel::KIT;
use crate::koehandel::cards::PLAYERS;
use crate::wire::{Dialogue, Next, Reply, Table};
use serde_json::{Value, json};

/// Nodes per decision; bots that do not search ignore it.
const NODES: u64 = 20;

/// Drives a table against dialogues and records what crossed the wire.
pub fn over_text(
    table: &mut dyn Table,
    seats: &mut [Box<dyn Dialogue>],
) -> (Outcome, Vec<Exchange>) {
    let mut transcript = Vec::new();
    let mut calls = Vec::new();
    loop {
        table.calls(&mut calls);
        let mut answer = None;
        for call in calls.drain(..) {
            let player = &mut seats[call.seat.index()];
            let next = player.receive(call.text.as_bytes()).unwrap();
            let reply = match next {
                Next::Think {
                    fallback, limit, ..
                } => {
                    assert_eq!(call.answer_within, Some(limit));
                    let mut best = fallback;
                    player.think(Budget::nodes(NODES), &mut best);
                    player.said(&best);
                    answer = Some((call.seat, best.clone()));
                    Some(best)
                }
                Next::Send(text) => panic!("unasked {text}"),
                Next::Wait | Next::Over(_) => {
                    assert_eq!(call.answer_within, None, "{}", call.text);
                    None
                }
            };
            transcript.push(Exchange {
                seat: call.seat,
                call: call.text,
                reply,
                took: None,
            });
        }
        if let Some(outcome) = table.outcome() {
            return (outcome, transcript);
        }
        let (seat, text) = answer.expect("somebody is asked");
        table.answer(seat, Reply::Text(text.as_bytes()));
    }
}

fn dialogues(bots: &[String], seed: u64) -> Vec<Box<dyn Dialogue>> {
    use crate::kit::Kit as _;
    (0..PLAYERS)
        .map(|seat| {
            let setup = DialogueSetup {
                bot: bots[seat].clone(),
                seed: bot_seed(seed, Seat(seat as u8)),
                ..DialogueSetup::default()
            };
            KIT.dialogue(&setup).unwrap()
        })
        .collect()
}

#[test]
fn text_and_in_process_play_are_the_same_match() {
    use crate::kit::Kit as _;
    let names: Vec<&str> = KIT
        .bots()
        .iter()
        .filter(|card| !card.thinks)
        .map(|card| card.name)
        .collect();
    let options: [Value; 3] = [
        Value::Null,
        json!({"trade_payment": "exchange"}),
        json!({"second_bluff": "struck", "bluffer_rebids": false, "empty_offer": false}),
    ];
    for seed in 0..60u64 {
        let bots: Vec<String> = (0..PLAYERS)
            .map(|seat| names[(seed as usize * 7 + seat * 3) % names.len()].to_owned())
            .collect();
        let options = options[seed as usize % 3].clone();
        let mut setup = PlaySetup {
            bots: bots.clone(),
            seed,
            options: options.clone(),
            models: false,
            record: true,
        };
        let recorded = KIT.play(&setup, &Nodes(NODES)).unwrap();
        setup.record = false;
        let played = KIT.play(&setup, &Nodes(NODES)).unwrap();
        assert_eq!(played.outcome, recorded.outcome, "{bots:?} seed {seed}");
        let mut table = KIT
            .table(&TableSetup {
                seed,
                options,
                market: 1,
                ids: vec![1, 2, 3, 4],
            })
            .unwrap();
        let mut again = KIT.reopen(&table.setup()).unwrap();
        let (outcome, transcript) = over_text(&mut *table, &mut dialogues(&bots, seed));
        assert_eq!(outcome, recorded.outcome, "{bots:?} seed {seed}");
        assert_eq!(transcript, recorded.transcript, "{bots:?} seed {seed}");
        let reopened = over_text(&mut *again, &mut dialogues(&bots, seed));
        assert_eq!(reopened, (outcome, transcript), "reopened");
    }
}
