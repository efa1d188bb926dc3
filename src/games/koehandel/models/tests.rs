//! What is learnt from whole matches.

use super::{Evidence, Models, Observer, merge, show};
use crate::contest::Advice;
use crate::game::{Bot, Budget, Game, Seat};
use crate::koehandel::bots::{listens, make};
use crate::koehandel::cards::{Compass, PLAYERS};
use crate::koehandel::message::Message;
use crate::koehandel::options::{Options, TradePayment};
use crate::koehandel::rules::{Koehandel, Setup};
use crate::wire::Lesson;
use serde_json::{Value, json};

/// What the first seat's observer reports after a match among these.
fn watch(names: [&str; PLAYERS], seed: u64, trade_payment: TradePayment) -> Vec<Lesson> {
    let models = Models::none();
    let mut bots: Vec<Box<dyn Bot<Koehandel>>> = names
        .iter()
        .enumerate()
        .map(|(seat, name)| make(name, seed * 4 + seat as u64, &models).unwrap())
        .collect();
    let options = Options {
        trade_payment,
        ..Options::default()
    };
    let mut heard: Vec<(Seat, Message)> = Vec::new();
    let mut game = Koehandel::open(&Setup::deal(seed, options), &mut heard);
    let mut observer = Observer::default();
    loop {
        for (seat, message) in heard.drain(..) {
            if listens(names[seat.index()]) {
                bots[seat.index()].observe(&message);
            }
            if seat == Seat(0) {
                observer.hear(&message, game.seen_by(0));
            }
        }
        let Some((seat, ask)) = game.asked() else {
            return observer.lessons();
        };
        let act = bots[seat].decide(game.seen_by(seat), &ask, Budget::nodes(1));
        game.play(Some(act), &mut heard);
    }
}

#[test]
fn types_are_told_apart_within_a_match() {
    for payment in [TradePayment::Winner, TradePayment::Exchange] {
        let names = ["tuned", "guide", "face", "setbuilder"];
        let mut right = 0;
        for seed in 0..20 {
            for (lesson, name) in watch(names, seed, payment).iter().zip(&names[1..]) {
                right += u32::from(lesson.kind.as_ref().unwrap().0 == *name);
            }
        }
        assert!(right >= 48, "{right} of 60 under {payment:?}");
    }
}

#[test]
fn a_filler_is_seen_to_be_one_and_evidence_adds_up() {
    let mut model: Option<Value> = None;
    for seed in 0..5 {
        let lessons = watch(
            ["tuned", "guide", "filler", "face"],
            seed,
            TradePayment::Winner,
        );
        let filler = &lessons[1];
        assert_eq!(filler.kind.as_ref().unwrap().0, "filler");
        model = Some(merge(model.as_ref(), &filler.evidence));
    }
    let model = model.unwrap();
    let read = Evidence::read(&model).unwrap();
    assert!((read.matches - 5.0).abs() < 1e-9);
    assert!(
        read.bids.yes == 0.0 && read.bids.no > 50.0,
        "{:?}",
        read.bids
    );
    let shown = show(&model);
    assert_eq!(shown["filler"]["likely"], json!(true));
    assert!(
        shown["bid_rate"]["high"].as_f64().unwrap() < 0.06,
        "{shown}"
    );
}

#[test]
fn the_ladder_pays_exactly_and_never_bluffs() {
    let mut model = Value::Null;
    for seed in 0..5 {
        for lesson in watch(
            ["guide", "tuned", "face", "guide"],
            seed,
            TradePayment::Exchange,
        ) {
            model = merge(Some(&model), &lesson.evidence);
        }
    }
    let read = Evidence::read(&model).unwrap();
    assert_eq!(read.exposures.yes, 0.0);
    assert!(
        read.bluffs.yes == 0.0 && read.bluffs.no > 100.0,
        "{:?}",
        read.bluffs
    );
    assert!(
        read.exact_payments.no <= 0.02 * read.exact_payments.yes,
        "{:?}",
        read.exact_payments
    );
    assert!(read.exact_payments.yes > 100.0);
    assert!(read.offers.values().map(|offers| offers.count).sum::<f64>() > 10.0);
}

#[test]
fn a_known_rival_is_expected_to_be_what_it_was() {
    let mut model = Value::Null;
    for seed in 0..5 {
        let lessons = watch(
            ["tuned", "guide", "face", "trader"],
            seed,
            TradePayment::Winner,
        );
        model = merge(Some(&model), &lessons[0].evidence);
    }
    let models = Models::of(Advice::Learnt {
        rivals: &[("N".into(), model), ("Q".into(), json!(7))],
        types: &[],
    });
    assert!(models.weights(Compass::W).is_none());
    let weights = models.weights(Compass::N).unwrap();
    let guide = crate::koehandel::bots::styles::kind_named("guide").unwrap();
    assert!(
        weights
            .iter()
            .enumerate()
            .all(|(at, weight)| at == guide || *weight < weights[guide])
    );
}

#[test]
fn foreign_values_are_no_models() {
    for value in [
        json!(null),
        json!(3),
        json!({"version": 99}),
        json!({"version": 1, "bids": "x"}),
    ] {
        assert!(Evidence::read(&value).is_none(), "{value}");
        let merged = merge(Some(&value), &value);
        assert_eq!(Evidence::read(&merged).unwrap().matches, 0.0);
        assert!(show(&value).is_object());
    }
}
