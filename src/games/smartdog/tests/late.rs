//! The wire's time limit in matches without a wire.

use crate::KIT;
use drover_game::game::{Cause, Seat};
use drover_game::kit::{Kit as _, Pace, PlaySetup, Played, TableSetup};
use drover_game::wire::{LATE, Reply};
use serde_json::{Value, json};
use std::cell::Cell;
use std::time::Duration;

/// One seat's decisions take their time from the turn `from` on.
struct Slow {
    seat: Seat,
    from: u32,
    takes: Duration,
    turns: Cell<u32>,
    thinks: Cell<bool>,
    clock: Cell<Duration>,
}

impl Pace for Slow {
    fn nodes(&self) -> u64 {
        1
    }
    fn begin(&self, seat: Seat) {
        if seat == self.seat {
            self.turns.set(self.turns.get() + 1);
        }
        self.thinks
            .set(seat == self.seat && self.turns.get() >= self.from);
    }
    fn stop(&self) -> bool {
        false
    }
    fn now(&self) -> Option<Duration> {
        let now = self.clock.get();
        if self.thinks.get() {
            self.clock.set(now + self.takes);
        }
        Some(now)
    }
    fn end(&self) {}
}

/// A match in which the second seat takes n milliseconds from the third turn on.
fn played(takes_ms: u64, options: &Value) -> Played {
    let bots = vec!["shipped".to_owned(); 3];
    let setup = PlaySetup::recorded(bots, 4, options.clone());
    let slow = Slow {
        seat: Seat(1),
        from: 3,
        takes: Duration::from_millis(takes_ms),
        turns: Cell::new(0),
        thinks: Cell::new(false),
        clock: Cell::new(Duration::ZERO),
    };
    KIT.play(&setup, &slow).unwrap()
}

/// The same match as our hub receives it.
fn refereed(played: &Played, options: &Value) -> Option<(Cause, Vec<i64>)> {
    let setup = TableSetup::numbered(4, options.clone(), 3);
    let mut table = KIT.table(&setup).unwrap();
    let mut calls = Vec::new();
    for received in &played.transcript {
        table.calls(&mut calls);
        match received.reply.as_deref() {
            Some(LATE) => table.answer(received.seat, Reply::Late),
            Some(text) => table.answer(received.seat, Reply::Text(text.as_bytes())),
            None => {}
        }
    }
    let outcome = table.outcome()?;
    Some((outcome.cause, outcome.scores.values().to_vec()))
}

#[test]
fn who_takes_longer_than_the_wire_allows_is_out_as_our_hub_says() {
    for (on_fault, takes_ms, late) in [
        ("forfeit", 1_000, false),
        ("forfeit", 1_001, true),
        ("abort", 1_000, false),
        ("abort", 1_001, true),
    ] {
        let options = json!({
            "map": "guards", "turnsLimit": 6, "waitForTurn": 1_000, "on_fault": on_fault
        });
        let played = played(takes_ms, &options);
        let (cause, scores) = refereed(&played, &options).unwrap();
        let what = format!("{on_fault} {takes_ms}");
        assert_eq!(played.outcome.cause, cause, "{what}");
        assert_eq!(played.outcome.scores.values(), scores, "{what}");
        let asked = |seat: u8| {
            let own = played
                .transcript
                .iter()
                .filter(|received| received.seat == Seat(seat));
            own.filter(|received| received.reply.is_some()).count()
        };
        let turns = [0, 1, 2].map(asked);
        match (late, on_fault) {
            (false, _) => {
                assert_eq!((cause, turns), (Cause::Normal, [6; 3]), "{what}");
                assert!(played.late.is_empty(), "{what}");
            }
            (true, "forfeit") => {
                assert_eq!((cause, turns), (Cause::TimeForfeit, [6, 3, 6]), "{what}");
                assert_eq!((&played.late[..], scores[1]), (&[Seat(1)][..], -1_000));
                assert!(scores[0] > -1_000 && scores[2] > -1_000, "{scores:?}");
            }
            (true, _) => {
                assert_eq!((cause, turns), (Cause::TimeForfeit, [3; 3]), "{what}");
                assert_eq!((&played.late[..], &scores[..]), (&[Seat(1)][..], &[][..]));
            }
        }
    }
}
