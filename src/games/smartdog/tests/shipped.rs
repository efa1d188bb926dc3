//! The rung `shipped` is the official JavaScript kit: on every view of its recorded games it gives the
//! commands that the kit gave, in the same order.

use super::recorded::check_and_watch;
use crate::game::Budget;
use crate::smartdog::bots::make;
use crate::smartdog::known::KnownMaps;
use crate::smartdog::rules::{Ask, Event};
use std::sync::Arc;

fn check(texts: &[&str], turns: usize) {
    let bot = || make("shipped", 1, &KnownMaps::none()).unwrap();
    let mut bots: Vec<_> = texts.iter().map(|_| bot()).collect();
    check_and_watch(texts, turns, &mut |place, view, sent| {
        let ask = Ask { turn: view.turn };
        bots[place].observe(&Event::Turn(Arc::new(view.clone())));
        let orders = bots[place].decide(view, &ask, Budget::nodes(1));
        assert_eq!(orders.as_slice(), sent, "turn {} of {place}", view.turn);
    });
}

#[test]
fn alone_with_two_sheep() {
    check(&[include_str!("../golden/SOLO-simple1-JsSolo.txt")], 200);
}

#[test]
fn alone_with_ten_sheep() {
    check(&[include_str!("../golden/SOLO-collector1-JsSolo.txt")], 200);
}

#[test]
fn two_with_a_dog_each() {
    let texts = [
        include_str!("../golden/DUET-simple1-JsBot1.txt"),
        include_str!("../golden/DUET-simple1-JsBot2.txt"),
    ];
    check(&texts, 200);
}

#[test]
fn two_who_fight() {
    let texts = [
        include_str!("../golden/DUET-keeper1-JsBot1.txt"),
        include_str!("../golden/DUET-keeper1-JsBot2.txt"),
    ];
    check(&texts, 100);
}
