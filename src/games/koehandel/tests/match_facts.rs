//! What happened in a match is there once, whichever seats show it.

use super::facts::Witness;
use super::play::{Happened, play};
use crate::KIT;
use crate::cards::PLAYERS;
use crate::message::Message;
use crate::options::Options;
use crate::rules::{Act, Ask};
use drover_game::game::Seat;
use drover_game::history::MatchFact;
use drover_game::kit::Kit as _;
use drover_game::sighting::{Observed, happened};
use drover_game::wire::Fact;
use serde_json::{Value, json};

/// An auction as the rules played it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sold {
    buyer: usize,
    second: i64,
    /// Whether somebody was exposed in it, so that the bidding began again.
    exposed: bool,
}

/// Follows the bidding.
#[derive(Default)]
struct Clerk {
    highest: [i64; PLAYERS],
    exposed: bool,
    bought_off: Option<i64>,
    open: bool,
    sold: Vec<Option<Sold>>,
    trades: usize,
}

impl Clerk {
    fn said(&mut self, seat: usize, ask: &Ask, act: Option<Act>) {
        match (ask, act) {
            (Ask::Bid { price, .. }, act) => {
                if !self.open {
                    (self.open, self.exposed) = (true, false);
                }
                if *price == 0 {
                    (self.highest, self.bought_off) = ([0; PLAYERS], None);
                }
                if let Some(Act::Amount(Some(bid))) = act
                    && bid > *price
                {
                    self.highest[seat] = bid.into();
                }
            }
            (Ask::PreEmpt { price, .. }, Some(Act::Amount(Some(amount)))) if amount >= *price => {
                self.bought_off = Some((*price).into());
            }
            _ => {}
        }
    }

    fn sent(&mut self, seat: Seat, message: &Message) {
        match message {
            Message::Bluffed { .. } | Message::SecondBluff => {
                (self.exposed, self.bought_off) = (true, None);
            }
            Message::Bought(bought) if self.open => {
                let buyer = bought.buyer.seat(seat.index());
                let others = self.highest.iter().enumerate();
                let others = others.filter(|(other, _)| *other != buyer);
                let second = others.map(|(_, bid)| *bid).max().unwrap_or(0);
                self.sold.push(Some(Sold {
                    buyer,
                    second: self.bought_off.unwrap_or(second),
                    exposed: self.exposed,
                }));
                self.open = false;
            }
            Message::Free { .. } if self.open => {
                self.sold.push(None);
                self.open = false;
            }
            Message::Won(_) => self.trades += 1,
            _ => {}
        }
    }
}

/// A match of this seed: the facts of its seats, and how the rules played it.
fn played(seed: u64) -> (Vec<(Seat, Vec<Fact>)>, Clerk) {
    let mut seats: [Witness; PLAYERS] = Default::default();
    let mut clerk = Clerk::default();
    play(seed, 3, Options::default(), |happened| match happened {
        Happened::Sent(_, Message::Settled(_)) => {}
        Happened::Sent(seat, message) => {
            clerk.sent(seat, &message);
            seats[seat.index()].receive(&message);
        }
        Happened::Said(_, seat, ask, act) => {
            clerk.said(seat, ask, act);
            let empty = match ask {
                Ask::Turn => Act::Auction,
                _ => Act::PASS,
            };
            seats[seat].said(ask, &act.unwrap_or(empty));
        }
    });
    let seats = seats.iter_mut().enumerate();
    let seats = seats.map(|(seat, witness)| (Seat(seat as u8), witness.facts.take()));
    (seats.collect(), clerk)
}

fn of_kind(facts: &[MatchFact], kind: &str) -> Vec<MatchFact> {
    let facts = facts.iter().filter(|fact| fact.kind == kind);
    facts.cloned().collect()
}

#[test]
fn each_settlement_is_there_once_with_the_next_best_bid() {
    let (mut compared, mut bought_off) = (0, 0);
    for seed in 0..30 {
        let (seats, clerk) = played(seed);
        let facts = KIT.card().match_facts(&seats);
        let (auctions, trades) = (of_kind(&facts, "auction"), of_kind(&facts, "trade"));
        assert_eq!((auctions.len(), trades.len()), (40, clerk.trades));
        assert_eq!(clerk.sold.len(), 40);
        for (auction, sold) in auctions.iter().zip(&clerk.sold) {
            let Some(sold) = sold else {
                assert_eq!((auction.how, auction.over), (Some("free"), None));
                continue;
            };
            assert_eq!(auction.by, Some(Seat(sold.buyer as u8)), "{auction:?}");
            let (paid, second) = (auction.paid.unwrap(), auction.second.unwrap());
            assert_eq!(auction.over, Some(paid - second), "{auction:?}");
            assert!(paid >= auction.price.unwrap(), "{auction:?}");
            if !sold.exposed {
                assert_eq!(second, sold.second, "{seed}: {auction:?}");
                compared += 1;
                bought_off += usize::from(auction.how == Some("pre_empted"));
            }
        }
        // One seat alone shows as many, and what it does not know is not made up.
        let alone = KIT.card().match_facts(&seats[..1]);
        let alone = of_kind(&alone, "auction");
        assert_eq!(alone.len(), 40);
        for (alone, whole) in alone.iter().zip(&auctions) {
            assert_eq!((alone.by, alone.item), (whole.by, whole.item));
            assert!(alone.how.is_none() || alone.how == whole.how);
            assert!(alone.paid.is_none() || alone.paid == whole.paid);
            assert!(alone.second.is_none() || alone.second == whole.second);
        }
        let bluffs = of_kind(&facts, "bluff");
        let in_auctions = bluffs.iter().filter(|bluff| bluff.how == Some("auction"));
        for bluff in in_auctions {
            let (bid, held) = (bluff.bid.unwrap(), bluff.held.unwrap());
            assert!(bid > held && bluff.over == Some(bid - held), "{bluff:?}");
        }
    }
    assert!(compared > 300 && bought_off > 10, "{compared} {bought_off}");
}

fn trade(own_bids: &[&str], [challenger, winner, loser]: [&str; 3]) -> Fact {
    Fact::new(
        "trade",
        json!({
            "animal": "I", "count": 2, "challenger": challenger, "winner": winner, "loser": loser,
            "winner_paid": {"cards": 1, "money": null}, "own_bids": own_bids,
        }),
    )
}

#[test]
fn an_offer_of_worthless_cards_is_a_bluff_that_is_caught_if_it_loses() {
    let check = |bids: [&[&str]; 2], winner, expected: &[(u8, bool)]| {
        let places = |own, other| match winner {
            0 => ["S", own, other],
            _ => ["S", other, own],
        };
        let first = trade(bids[0], places("S", "W"));
        let [_, won, lost] = places("E", "S");
        let second = trade(bids[1], ["E", won, lost]);
        let seats = [(Seat(0), vec![first]), (Seat(1), vec![second])];
        let facts = KIT.card().match_facts(&seats);
        let bluffs = of_kind(&facts, "bluff");
        let found: Vec<(u8, bool)> = bluffs
            .iter()
            .map(|bluff| (bluff.by.unwrap().0, bluff.caught.unwrap()))
            .collect();
        assert_eq!(found, expected, "{facts:?}");
        assert!(bluffs.iter().all(|bluff| bluff.item == Some("cow")));
        facts.last().unwrap().clone()
    };
    let traded = check([&["nn"], &["t"]], 1, &[(0, true)]);
    assert_eq!(
        (traded.bid, traded.second, traded.over),
        (Some(0), Some(10), Some(10))
    );
    assert_eq!((traded.by, traded.winner), (Some(Seat(0)), Some(Seat(1))));
    // Who accepts has offered nothing, and no cards at all are no bluff.
    let traded = check([&["n"], &[]], 0, &[(0, false)]);
    assert_eq!(traded.over, Some(0));
    check([&["h"], &[]], 0, &[]);
    check([&["h"], &["nn"]], 0, &[(1, true)]);
    // After a tie the new offers count.
    check([&["n", "t"], &["n", "f"]], 1, &[]);
}

#[test]
fn an_event_that_four_seats_note_stands_once_with_what_was_paid() {
    for seed in 0..10 {
        let (seats, clerk) = played(seed);
        let observed = seats.iter().flat_map(|(seat, facts)| {
            facts.iter().map(move |fact| Observed {
                seat: Some(*seat),
                fact: KIT.card().seated(fact.clone(), *seat),
            })
        });
        let observed: Vec<Observed> = observed.collect();
        let found = happened(&observed, true, KIT.card().sighting);
        let of = |kind: &'static str| found.iter().filter(move |one| one.fact.kind == kind);
        let facts = KIT.card().match_facts(&seats);
        let bluffs = of_kind(&facts, "bluff").into_iter();
        let bluffs = bluffs.filter(|bluff| bluff.how == Some("auction")).count();
        let counts = ["auction", "trade", "donkey", "bluff"].map(|kind| of(kind).count());
        assert_eq!(counts, [40, clerk.trades, 4, bluffs], "{seed}");
        for auction in of("auction") {
            let (data, seats) = (&auction.fact.data, &auction.seats);
            assert_eq!(seats.len(), 4, "{data}");
            assert!(data["free"] == true || data["paid"].is_string(), "{data}");
        }
        for trade in of("trade") {
            let data = &trade.fact.data;
            let paid = &data["winner_paid"];
            assert!(paid["cards"] == 0 || paid["money"].is_string(), "{data}");
            assert!(data.get("own_bids").is_none(), "{data}");
        }
    }
}

#[test]
fn facts_of_earlier_versions_have_no_bids() {
    let (seats, _) = played(1);
    let mut stored = seats.clone();
    for (_, facts) in &mut stored {
        for fact in facts.iter_mut() {
            if let Value::Object(data) = &mut fact.data {
                data.remove("bids");
            }
        }
    }
    let facts = KIT.card().match_facts(&stored);
    let sold = facts.iter().filter(|fact| fact.how == Some("sold"));
    assert!(sold.clone().count() > 0);
    assert!(
        sold.into_iter()
            .all(|fact| fact.second.is_none() && fact.over.is_none())
    );
    for ((_, new), (_, old)) in seats.iter().zip(&stored) {
        for (new, old) in new.iter().zip(old) {
            let noted = KIT.card().as_noted(new.clone(), &old.data);
            assert_eq!(&noted, old, "what was stored is what folding gives");
            assert_eq!(&KIT.card().as_noted(new.clone(), &new.data), new);
        }
    }
}
