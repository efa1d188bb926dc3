//! Plays Planowanie: declares its high cards, takes tricks until it has as many, and then throws its high cards away.

use crate::{Bot, Json, Turn};

pub struct Planowanie;

impl Bot for Planowanie {
    fn decide(&mut self, turn: &mut Turn) -> String {
        let values = turn.view["game"]["deck"]["values"].text().len() as i64;
        let players = turn.view["game"]["players"].integer();
        if turn.ask.is("declare") {
            declare(turn.view, turn.acts, values, players)
        } else {
            format!("{{\"play\":{}}}", play(turn.view, turn.acts, values, players))
        }
    }
}

fn integers(list: &Json) -> Vec<i64> {
    list.items.iter().map(Json::integer).collect()
}

fn declare(view: &Json, acts: &Json, values: i64, players: i64) -> String {
    // The chance that a card takes a trick, as a guess: trumps often do.
    let chance = |card: i64| {
        let height = (card % values + 1) as f64 / values as f64;
        height.powf(if card < values { 0.5 } else { 2.0 * players as f64 })
    };
    let tricks: f64 = integers(&view["hand"]).into_iter().map(chance).sum();
    let apart = |act: &Json| (act["declare"].number() - tricks).abs();
    let nearest = acts.items.iter().min_by(|one, other| apart(one).total_cmp(&apart(other)));
    nearest.unwrap_or(&acts[0]).to_string()
}

fn play(view: &Json, acts: &Json, values: i64, players: i64) -> i64 {
    let trick = integers(&view["round"]["trick"]);
    // The highest takes the trick: the first suit is trump, then comes the suit of the first card.
    let rank = |card: &i64| {
        let suit = card / values;
        let led = trick.first().map_or(false, |first| suit == first / values);
        card % values + values * if suit == 0 { 2 } else { i64::from(led) }
    };
    let highest = trick.iter().map(rank).max().unwrap_or(-1);
    let mut cards: Vec<i64> = acts.items.iter().map(|act| act["play"].integer()).collect();
    cards.sort_by_key(rank);
    let (takes, loses): (Vec<i64>, Vec<i64>) = cards.iter().partition(|card| rank(card) > highest);
    let seat = view["seat"].integer() as usize;
    let own = |key: &str| view["round"][key][seat].integer();
    let is_last = trick.len() as i64 == players - 1;
    let chosen = match own("taken") >= own("declared") {
        true => loses.last(),
        false if is_last => takes.first(),
        false => takes.last(),
    };
    *chosen.unwrap_or(&cards[0])
}
