//! What the fuzz targets of the dialects call, and the gate over its corpus: plain functions that take
//! any bytes. A panic is a finding.
//!
//! An input that begins with `>` is a referee's: its frames are players' answers, in the order in which
//! players are waited for. Any other one is a player's: its frames are the messages to a dialogue. Frames stand
//! apart by the byte 1E.

use crate::game::{Budget, Progress};
use crate::kit::{DialogueSetup, Kit, TableSetup};
use crate::wire::{Next, Reply};
use serde_json::{Value, json};

/// Frames that are read of one input.
const FRAMES_MAX: usize = 16;
/// The byte between two frames.
pub const BETWEEN: u8 = 0x1E;
/// The first byte of a referee's input.
pub const ANSWERS: u8 = b'>';

/// Which session a first frame belongs to, in every game, and what is answered to one that cannot be read.
pub fn route(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for kit in crate::ALL {
        if let Ok(route) = kit.card().dialect.route(data) {
            let seating = route.seating;
            assert!(seating.is_none_or(|seating| seating.seat.0 < seating.seats));
        }
        let _ = kit.card().dialect.completes(data);
        let answer = kit.card().dialect.default_answer(&text);
        let legal = kit.card().in_form(data, answer);
        assert_eq!(legal, Ok(()), "{}: {answer:?}", kit.card().name);
    }
}

/// The dialect of a game.
pub fn dialect(kit: &dyn Kit, data: &[u8]) {
    match data.split_first() {
        Some((&ANSWERS, answers)) => table(kit, answers),
        _ => dialogue(kit, data),
    }
}

/// The weakest bot receives every frame; whatever it says is legal in form.
fn dialogue(kit: &dyn Kit, data: &[u8]) {
    let bot = kit.card().bots.iter().find(|bot| !bot.thinks);
    let setup = DialogueSetup {
        bot: bot.map_or("", |bot| bot.name).to_owned(),
        opening: json!({"name": "drover", "hub": ""}),
        ..DialogueSetup::default()
    };
    let Ok(mut dialogue) = kit.dialogue(&setup) else {
        return;
    };
    if let Some(word) = dialogue.open() {
        dialogue.said(&word);
    }
    for frame in data.split(|byte| *byte == BETWEEN).take(FRAMES_MAX) {
        let said = match dialogue.receive(frame) {
            Ok(Next::Think { fallback, .. }) => {
                let mut best = fallback;
                let slice = Budget::nodes(1);
                if dialogue.think(slice, &mut best) == Progress::More {
                    let _ = dialogue.think(Budget::nodes(2), &mut best);
                }
                best
            }
            Ok(Next::Send(said)) => said,
            Ok(Next::Wait | Next::Over(_)) | Err(_) => continue,
        };
        let legal = kit.card().in_form(frame, &said);
        assert_eq!(legal, Ok(()), "{}: {said:?}", kit.card().name);
        dialogue.said(&said);
        let _ = dialogue.facts();
    }
    let _ = (dialogue.view(), dialogue.lessons(), dialogue.hung_up());
    let _ = dialogue.scene();
}

/// The options of this game with which a match's end is within reach.
fn short(kit: &dyn Kit) -> Value {
    let mut options = json!({"deals": "1 0 2 1", "rounds": 4, "turnsLimit": 4});
    if let Some(options) = options.as_object_mut() {
        options.retain(|name, _| kit.card().options.iter().any(|card| card.name == name));
    }
    options
}

/// Every frame is the answer of the first seat that is waited for.
fn table(kit: &dyn Kit, data: &[u8]) {
    let seats = (*kit.card().seats.start()).max(2);
    let setup = TableSetup::numbered(1, short(kit), seats);
    let Ok(mut table) = kit.table(&setup) else {
        return;
    };
    let mut calls = Vec::new();
    table.calls(&mut calls);
    for answer in data.split(|byte| *byte == BETWEEN).take(FRAMES_MAX) {
        let mut seats = (0..seats as u8).map(crate::Seat);
        let Some(seat) = seats.find(|seat| table.waits(*seat)) else {
            break;
        };
        table.answer(seat, Reply::Text(answer));
        calls.clear();
        table.calls(&mut calls);
        let _ = (table.blames(), table.noted(seat));
    }
    let _ = table.outcome();
}
