//! The frozen deal generator, and setups as JSON.

use crate::cards::Deck;
use crate::rules::{Game, Setup, deal};

/// Computed by an independent implementation of the generator (README.md, section 4); must never change.
#[test]
fn vectors() {
    let vectors = include_str!("../golden/deal_vectors.tsv");
    let mut count = 0;
    for line in vectors.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [values, suits, players, cards, seed, number, hands] = fields[..] else {
            panic!("{line:?}")
        };
        let deck = Deck::new(values, suits).unwrap();
        let dealt = deal(
            &deck,
            players.parse().unwrap(),
            cards.parse().unwrap(),
            seed.parse().unwrap(),
            number.parse().unwrap(),
        );
        let text: Vec<String> = dealt
            .iter()
            .map(|hand| {
                hand.iter()
                    .map(|card| deck.text(*card))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert_eq!(text.join("|"), hands, "{line}");
        count += 1;
    }
    assert!(count >= 20);
}

#[test]
fn a_setup_comes_back_from_its_json() {
    let setup = Setup::seeded(Game::contest(), 7);
    let json = serde_json::to_value(&setup).unwrap();
    assert_eq!(
        serde_json::from_value::<Setup>(json.clone()).unwrap(),
        setup
    );
    let mut wrong = json;
    wrong["deals"][0]["hands"][0][0] = "9X".into();
    let why = serde_json::from_value::<Setup>(wrong)
        .unwrap_err()
        .to_string();
    assert!(why.contains("deal 1: there is no card \"9X\""), "{why}");
}
