//! An independent scorer: it reads transcripts with a parser of its own, does not use the rules' types, and
//! recomputes who owns which animals and money, and every score.

use crate::KIT;
use drover_game::kit::{Exchange, Kit as _, Nodes, PlaySetup};
use serde_json::json;
use std::collections::HashMap;

/// How many matches are scored again.
const MATCHES: u64 = 1_000;
const VALUES: [i64; 10] = [10, 40, 90, 160, 250, 350, 500, 650, 800, 1000];

fn worth(letters: &str) -> i64 {
    letters
        .chars()
        .map(|letter| match letter {
            'n' => 0,
            't' => 10,
            'f' => 50,
            'h' => 100,
            'T' => 200,
            'F' => 500,
            other => panic!("{other} is not money"),
        })
        .sum()
}

#[derive(Default)]
struct Account {
    animals: HashMap<char, i64>,
    money: HashMap<char, i64>,
    /// The last message ended a trade's goods, so that a collect belongs to a trade.
    trading: bool,
    /// Row 9 came: the reply is what is paid, unless the server says otherwise.
    owes: Option<(i64, String)>,
    end: Option<String>,
}

impl Account {
    fn money(&mut self, letters: &str, sign: i64) {
        for letter in letters.chars() {
            let count = self.money.entry(letter).or_default();
            *count += sign;
            assert!(*count >= 0, "more {letter} paid than held");
        }
    }

    fn animals(&mut self, letters: &str, sign: i64) {
        for letter in letters.chars() {
            let count = self.animals.entry(letter).or_default();
            *count += sign;
            assert!((0..=4).contains(count), "{count} of {letter}");
        }
    }

    fn pay_debt(&mut self, by_server: Option<&str>) {
        let Some((price, reply)) = self.owes.take() else {
            return;
        };
        let paid = by_server.unwrap_or(&reply);
        assert!(worth(paid) >= price, "{paid} for {price}");
        let paid = paid.to_owned();
        self.money(&paid, -1);
    }

    fn score(&self) -> i64 {
        let sets: Vec<i64> = ('A'..='J')
            .zip(VALUES)
            .filter(|(letter, _)| self.animals.get(letter) == Some(&4))
            .map(|(_, value)| value)
            .collect();
        sets.len() as i64 * sets.iter().sum::<i64>()
    }

    fn receive(&mut self, received: &Exchange) {
        let fields: HashMap<&str, &str> = received
            .call
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .collect();
        let get = |name: &str| fields.get(name).copied().unwrap_or_default();
        let reply = received.reply.as_deref().unwrap_or_default();
        let (goods, money, from) = (get("goods"), get("money"), get("opponent"));
        self.pay_debt(
            Some(money.trim_start_matches('-')).filter(|_| get("message") == "paid_by_server"),
        );
        let was_trading = std::mem::take(&mut self.trading);
        match get("type") {
            "receive" if !goods.is_empty() => {
                self.animals(goods, 1);
                self.trading = !from.is_empty();
            }
            "collect" if !goods.is_empty() => {
                self.animals(goods, -1);
                self.trading = true;
            }
            "receive" => {
                self.money(money, 1);
                self.trading = was_trading && !from.is_empty();
            }
            "collect" if was_trading => {
                self.money(money, -1);
                self.trading = true;
            }
            "collect" => {
                let reply = reply.trim_start_matches("?money=").to_owned();
                self.owes = Some((worth(money), reply));
            }
            "information" if get("message") == "begin" => self.money("nnttttf", 1),
            "information" if get("message") == "bluffed" && from.is_empty() => {
                let mut hand = self.money.clone();
                for letter in money.chars() {
                    *hand.entry(letter).or_default() -= 1;
                }
                assert!(
                    hand.values().all(|left| *left == 0),
                    "shown {money}, held {:?}",
                    self.money
                );
            }
            "end" => self.end = Some(get("message").to_owned()),
            _ => {}
        }
    }
}

#[test]
fn every_outcome_is_recomputed_from_its_transcript() {
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                for seed in (worker..MATCHES).step_by(workers as usize) {
                    score_again(seed);
                }
            });
        }
    });
}

fn score_again(seed: u64) {
    let names: Vec<&str> = KIT
        .card()
        .bots
        .iter()
        .filter(|card| !card.thinks)
        .map(|card| card.name)
        .collect();
    let mix = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let bots: Vec<String> = (0..4)
        .map(|seat| names[(mix >> (8 * seat + 16)) as usize % names.len()].to_owned())
        .collect();
    let payment = ["winner", "exchange"][usize::from(!seed.is_multiple_of(2))];
    let options = json!({ "trade_payment": payment });
    let setup = PlaySetup::recorded(bots.clone(), seed, options);
    let played = KIT.play(&setup, &Nodes(1)).unwrap();
    assert!(
        played.refused.values().iter().all(|refused| *refused == 0),
        "{bots:?} seed {seed}: {:?}",
        played.refused
    );
    let mut accounts: [Account; 4] = Default::default();
    for received in &played.transcript {
        accounts[received.seat.index()].receive(received);
    }
    let scores: Vec<i64> = accounts.iter().map(Account::score).collect();
    assert_eq!(
        played.outcome.scores.values(),
        scores,
        "{bots:?} seed {seed}"
    );
    for letter in 'A'..='J' {
        let owned: i64 = accounts
            .iter()
            .filter_map(|account| account.animals.get(&letter))
            .sum();
        assert_eq!(owned, 4, "all {letter} are owned");
    }
    let money: i64 = accounts
        .iter()
        .flat_map(|account| &account.money)
        .map(|(letter, count)| worth(&letter.to_string()) * count)
        .sum();
    assert_eq!(money, 3_760, "money is conserved");
    for (seat, account) in accounts.iter().enumerate() {
        let expected: String = "SWNE"
            .chars()
            .enumerate()
            .map(|(place, letter)| format!("{letter}{}", scores[(seat + place) % 4]))
            .collect();
        assert_eq!(account.end.as_deref(), Some(expected.as_str()));
    }
}
