//! Plays Koehandel: bids up to what an animal is worth to it, pays with little change, and auctions.

use crate::{Bot, Json, Turn};

/// Of four, by animal, A to J.
const VALUES: [f64; 10] = [10.0, 40.0, 90.0, 160.0, 250.0, 350.0, 500.0, 650.0, 800.0, 1000.0];
const COINS: [i64; 6] = [0, 10, 50, 100, 200, 500];

pub struct Koehandel;

impl Bot for Koehandel {
    fn decide(&mut self, turn: &mut Turn) -> String {
        let (ask, view, acts) = (turn.ask, turn.view, turn.acts);
        if ask.is("turn") {
            let auction = acts.items.iter().find(|act| act.is("auction"));
            return auction.unwrap_or(&acts[0]).to_string();
        }
        let about = &ask[0];
        match ask.keys[0].as_str() {
            "bid" => bid(acts, limit(&about["card"], view)),
            "pre_empt" => "{\"amount\":null}".to_owned(),
            "pay" => nearest(acts, 0.0),
            // A trade: what the animals are worth, or as near as the acts come.
            _ => nearest(acts, limit(&about["animal"], view) * about["count"].number()),
        }
    }
}

/// What a card is worth: more, the more of its kind are here, and never more than half of the money.
fn limit(card: &Json, view: &Json) -> f64 {
    let animal = "ABCDEFGHIJ".find(&card.text()).unwrap_or(0);
    let have = view["herds"][0][animal].number();
    (VALUES[animal] * (1.0 + have) * 0.3).min(worth(&view["purse"]) * 0.5)
}

fn worth(cards: &Json) -> f64 {
    let worths = cards.items.iter().zip(COINS).map(|(count, coin)| count.integer() * coin);
    worths.sum::<i64>() as f64
}

/// The lowest bid, if it is within the limit.
fn bid(acts: &Json, limit: f64) -> String {
    let amounts = acts.items.iter().map(|act| &act["amount"]);
    let lowest = amounts.filter(|amount| !amount.is_null()).map(Json::integer).min();
    match lowest.filter(|&amount| amount as f64 <= limit) {
        Some(amount) => format!("{{\"amount\":{}}}", amount),
        None => "{\"amount\":null}".to_owned(),
    }
}

/// The act with cards whose worth is nearest to this.
fn nearest(acts: &Json, goal: f64) -> String {
    let apart = |act: &Json| (worth(&act["cards"]["cards"]) - goal).abs();
    // Accepting has no cards.
    let offers = acts.items.iter().filter(|act| !act["cards"].is("missing"));
    let nearest = offers.min_by(|one, other| apart(one).total_cmp(&apart(other)));
    nearest.unwrap_or(&acts[0]).to_string()
}
