//! The rung `shipped` is the official JavaScript kit: on every view of its recorded games it gives the
//! commands that the kit gave, in the same order.

use super::recorded::{RECORDED, check};
use crate::bots::make;
use crate::known::KnownMaps;
use crate::rules::{Ask, Event};
use drover_game::game::Budget;
use std::sync::Arc;

#[test]
fn it_commands_as_the_recorded_kit() {
    for (texts, turns) in RECORDED {
        let bot = || make("shipped", 1, &KnownMaps::none()).unwrap();
        let mut bots: Vec<_> = texts.iter().map(|_| bot()).collect();
        check(texts, turns, &mut |place, view, sent| {
            let ask = Ask { turn: view.turn };
            bots[place].observe(&Event::Turn(Arc::new(view.clone())));
            let orders = bots[place].decide(view, &ask, Budget::nodes(1));
            assert_eq!(orders.as_slice(), sent, "turn {} of {place}", view.turn);
        });
    }
}
