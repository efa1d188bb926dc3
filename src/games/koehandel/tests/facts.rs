//! Facts report what happened, as far as the seat can know.

use super::play::{Happened, play};
use crate::KIT;
use crate::cards::{Compass, PLAYERS, Purse};
use crate::facts::Facts;
use crate::fold::Fold;
use crate::message::Message;
use crate::options::Options;
use crate::rules::{Act, Ask};
use drover_game::game::Seat;
use drover_game::kit::Kit as _;
use drover_game::wire::Fact;
use serde_json::{Value, json};

#[derive(Default)]
pub(super) struct Witness {
    fold: Fold,
    pub(super) facts: Facts,
}

impl Witness {
    pub(super) fn receive(&mut self, message: &Message) {
        let before = *self.fold.view();
        self.fold.receive(message);
        self.facts.receive(message, &before, &self.fold);
    }

    pub(super) fn said(&mut self, ask: &Ask, act: &Act) {
        self.facts.said(ask, act);
        self.fold.said(act);
    }
}

fn count(facts: &[Fact], kind: &str) -> usize {
    facts.iter().filter(|fact| fact.kind == kind).count()
}

#[test]
fn every_settlement_is_a_fact_for_every_seat() {
    let (mut uncaught, mut refused) = (0, 0);
    for seed in 0..40 {
        let mut seats: [Witness; PLAYERS] = Default::default();
        let (mut bluffs, mut trades) = (Vec::new(), 0);
        // The price that stands, and the one before it.
        let mut prices = (0, 0);
        let (mut bids, mut second) = (Vec::new(), Vec::new());
        play(seed, 3, Options::default(), |happened| match happened {
            Happened::Sent(_, Message::Settled(_)) => {}
            Happened::Sent(seat, message) => {
                match message {
                    Message::Bluffed { by, hand } => {
                        bluffs.push((seat, by, hand));
                        bids.extend((by == Compass::S).then_some((seat, prices.0)));
                    }
                    Message::SecondBluff => {
                        second.push((seat, prices.0));
                        prices.0 = prices.1;
                    }
                    Message::Won(_) => trades += 1,
                    _ => {}
                }
                seats[seat.index()].receive(&message);
            }
            Happened::Said(_, seat, ask, act) => {
                let empty = match ask {
                    Ask::Turn => Act::Auction,
                    _ => Act::PASS,
                };
                if let (Ask::Bid { price, .. }, Some(Act::Amount(Some(bid)))) = (ask, act) {
                    prices = (bid.max(*price), *price);
                }
                if let Ask::PreEmpt { price, .. } = ask {
                    prices = (*price, *price);
                }
                seats[seat].said(ask, &act.unwrap_or(empty));
            }
        });
        for (seat, witness) in seats.iter_mut().enumerate() {
            let facts = witness.facts.take();
            assert_eq!(count(&facts, "auction"), 40);
            assert_eq!(count(&facts, "donkey"), 4);
            assert_eq!(count(&facts, "score"), 1);
            assert_eq!(count(&facts, "trade"), trades);
            let bluffers: Vec<(Compass, Purse)> = bluffs
                .iter()
                .filter(|(at, ..)| at.index() == seat)
                .map(|(_, by, hand)| (*by, *hand))
                .collect();
            let caught: Vec<_> = facts
                .iter()
                .filter_map(|fact| KIT.card().bluff(fact))
                .filter(|bluff| bluff.caught)
                .collect();
            assert_eq!(caught.len(), bluffers.len());
            for (bluff, (by, hand)) in caught.iter().zip(bluffers) {
                assert_eq!(bluff.by, by.letter().to_string());
                assert_eq!(bluff.held, Some(i64::from(hand.value())));
                assert!(
                    bluff.bid > i64::from(hand.value()),
                    "a bluff bids more than it holds"
                );
            }
            // The bluffer itself knows what it bid, and so does the referee that records its seat.
            let own = caught.iter().filter(|bluff| bluff.by == "S");
            let own: Vec<i64> = own.map(|bluff| bluff.bid).collect();
            let bid = bids.iter().filter(|(at, _)| at.index() == seat);
            assert_eq!(own, bid.map(|(_, bid)| i64::from(*bid)).collect::<Vec<_>>());
            // What was refused is that, and no bluff that nobody caught.
            let bids = second.iter().filter(|(at, _)| at.index() == seat);
            let bids: Vec<Value> = bids.map(|(_, bid)| (*bid).into()).collect();
            let mut again = Vec::new();
            let mut exposed = false;
            for fact in &facts {
                match fact.kind.as_str() {
                    "second_bluff" => {
                        again.push(fact.data["bid"].clone());
                        exposed = true;
                    }
                    "auction" => exposed = false,
                    "bluff" => assert!(!exposed || fact.data["by"] != "S", "{fact:?}"),
                    _ => {}
                }
            }
            assert_eq!(again, bids);
            refused += again.len();
            uncaught += facts
                .iter()
                .filter(|fact| fact.kind == "bluff" && fact.data["caught"] == Value::Bool(false))
                .count();
        }
    }
    assert!(refused > 0, "random play bluffs twice");
    assert!(uncaught > 0, "random play bluffs without being caught");
}

#[test]
fn places_become_seats_and_animals_stay_animals() {
    let fact = Fact::new(
        "auction",
        json!({"card": "E", "buyer": "S", "seller": "E", "paid_to": null, "price": 30}),
    );
    let seated = KIT.card().seated(fact, Seat(3));
    let buyer =
        json!({"card": "E", "buyer": "seat 3", "seller": "seat 2", "paid_to": null, "price": 30});
    assert_eq!(seated.data, buyer);
    let scores = Fact::new("score", json!({"scores": {"S": 1, "W": 2, "N": 3, "E": 4}}));
    let seated = KIT.card().seated(scores, Seat(2)).data;
    assert_eq!(
        seated["scores"],
        json!({"seat 2": 1, "seat 3": 2, "seat 0": 3, "seat 1": 4})
    );
}
