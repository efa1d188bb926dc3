//! Recorded matches, disturbed: what [`drover_laws::disturb`] does, under more options and by more bots; and
//! messages that come again, which hardly ever leave a trace.

use crate::KIT;
use drover_game::game::Seat;
use drover_game::kit::{DialogueSetup, Kit as _, Nodes, PlaySetup};
use drover_game::rng::Rng;
use drover_game::wire::{Dialogue, Fact};
use drover_laws::disturb::{Line, Received, Said, Tape, Trial, disturbed, undisturbed};
use serde_json::{Value, json};

/// What one seat received and answered in a match between these bots.
pub fn recorded(
    seed: u64,
    names: [&str; 4],
    options: Value,
    seat: u8,
) -> Vec<(String, Option<String>)> {
    let setup = PlaySetup::recorded(names.map(str::to_owned).to_vec(), seed, options);
    let played = KIT.play(&setup, &Nodes(4)).unwrap();
    played
        .transcript
        .into_iter()
        .filter(|received| received.seat == Seat(seat))
        .map(|received| (received.call, received.reply))
        .collect()
}

/// A bot's side of the wire before the first message.
pub fn listener(bot: &str, seed: u64) -> Box<dyn Dialogue> {
    KIT.dialogue(&DialogueSetup::new(bot, seed)).unwrap()
}

/// The flags raised, as text.
pub fn flags(facts: &[Fact]) -> Vec<String> {
    facts
        .iter()
        .filter(|fact| matches!(fact.kind.as_str(), "unsound" | "rebuilt"))
        .map(|fact| match fact.data["what"].as_str() {
            Some(what) => format!("{}: {what}: {}", fact.kind, fact.data["why"]),
            None => format!("{}: {}", fact.kind, fact.data["why"].as_str().unwrap()),
        })
        .collect()
}

/// Disturbed matches of each kind.
const ROUNDS: u64 = 20;
/// A repeated message comes at most this many messages later.
const LATE_MAX: u32 = 60;

/// Animals, own purse and deck.
fn known(view: &Value) -> Value {
    let animals = ["S", "W", "N", "E"].map(|place| &view["players"][place]["animals"]);
    json!([animals, view["purse"], view["deck_left"]])
}

/// Receives a match, a message of it a second time at most `later` messages after the first, and says whether
/// the seat knows in the end what is so. A bot that thinks receives the same match disturbed in any way, and
/// always answers in form.
fn knows_after_repeat(round: u64, later: u32) -> bool {
    let tables = [
        ["champion", "guide", "trader", "tuned"],
        ["evolved", "face", "filler", "guide"],
        ["guide", "random", "trader", "setbuilder"],
    ];
    let options = [
        Value::Null,
        json!({"trade_payment": "exchange"}),
        json!({"lost_row": "winner"}),
    ];
    let bots = ["champion", "evolved", "guide", "random", "face"];
    let mut rng = Rng::new(round, 20 + u64::from(later));
    let table = tables[rng.below(3) as usize];
    let options = options[rng.below(3) as usize].clone();
    let seat = rng.below(4) as u8;
    let lines = recorded(round / 2, table, options, seat).into_iter();
    let tape = Tape {
        kit: &KIT,
        seat: Seat(seat),
        seed: round,
        lines: lines.map(|(call, reply)| Line { call, reply }).collect(),
    };
    let mut received = undisturbed(&tape);
    // The first message, which opens a session, stays alone.
    let at = 1 + rng.below(received.len() as u32 - 2) as usize;
    let to = at + 1 + rng.below(later) as usize;
    received.insert(to.min(received.len() - 1), received[at].clone());
    let run = |bot: &str, received: &[Received], said| {
        let trial = Trial::run(&tape, bot, received, said);
        let faults = (&trial.panic, trial.hangs, &trial.differs);
        assert_eq!(faults, (&None, 0, &None), "{bot}, round {round}");
        assert_eq!(trial.illegal, [""; 0], "{bot}, round {round}");
        trial
    };
    let bot = bots[rng.below(bots.len() as u32) as usize];
    run(bot, &disturbed(&tape, &mut rng), Said::Own);
    let whole = Trial::plain(&tape, "filler", Said::Recorded);
    known(&run("filler", &received, Said::Recorded).view) == known(&whole.view)
}

#[test]
fn disturbed_matches_do_not_disturb_the_seat_for_long() {
    for later in [1, LATE_MAX] {
        let know = (0..ROUNDS).filter(|round| knows_after_repeat(*round, later));
        let know = know.count() as u64;
        assert!(know * 100 >= ROUNDS * 90, "{later}: {know} of {ROUNDS}");
    }
}
