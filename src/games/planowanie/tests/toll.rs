//! Commands that cost time of their own leave less to think: a slow line or machine loses no game.

use crate::KIT;
use drover_game::Kit as _;
use drover_game::game::Seat;
use drover_game::kit::{DialogueSetup, TableSetup};
use drover_game::wire::{Call, Next, Reply};
use serde_json::json;
use std::time::Duration;

/// Plays a game in which every decision takes its whole target and every command `toll` besides; what
/// is left of `time` at the end for the first seat, or `None` if that lost the game.
fn left_after(time: Duration, toll: Duration) -> Option<Duration> {
    let options = json!({ "time_ms": time.as_millis() as u64 });
    let setup = TableSetup::numbered(5, options, 4);
    let mut table = KIT.table(&setup).unwrap();
    let bot = DialogueSetup::new("rules", 0);
    let mut players: Vec<_> = (0..4).map(|_| KIT.dialogue(&bot).unwrap()).collect();
    let mut left = time;
    let mut calls = Vec::new();
    while table.outcome().is_none() {
        table.calls(&mut calls);
        let Call { seat, text, .. } = calls.pop().unwrap();
        let player = &mut players[seat.index()];
        let (reply, target) = match player.receive(text.as_bytes()).unwrap() {
            Next::Send(reply) => (reply, Duration::ZERO),
            Next::Over(ending) => (ending.last_word, Duration::ZERO),
            Next::Think {
                target,
                mut fallback,
                ..
            } => {
                player.think(drover_game::game::Budget::nodes(1), &mut fallback);
                (fallback, target.unwrap())
            }
            Next::Wait => panic!("{text}"),
        };
        player.said(&reply);
        if seat == Seat(0) {
            left = left.saturating_sub(target + toll);
            table.spent(seat, target + toll);
        }
        table.answer(seat, Reply::Text(reply.as_bytes()));
    }
    table.blames().is_empty().then_some(left)
}

#[test]
fn no_game_is_lost_by_slow_commands() {
    // A contest game is 640 commands.
    for (seconds, toll_us) in [
        (180, 0),
        (180, 20_000),
        (20, 500),
        (20, 8_000),
        (8, 5_000),
        (8, 9_000),
    ] {
        let time = Duration::from_secs(seconds);
        let left = left_after(time, Duration::from_micros(toll_us));
        assert!(left.is_some(), "{seconds} s, {toll_us} us a command");
    }
}

#[test]
fn quick_commands_leave_the_time_to_think() {
    let left = left_after(Duration::from_secs(180), Duration::from_micros(100)).unwrap();
    assert!(left < Duration::from_secs(12), "{left:?}");
}
