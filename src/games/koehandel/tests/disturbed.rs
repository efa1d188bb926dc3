//! Recorded matches with messages lost, repeated, late, cut and changed.

use crate::game::{Budget, Progress, Seat};
use crate::kit::{DialogueSetup, Kit as _, Nodes, PlaySetup};
use crate::koehandel::KIT;
use crate::koehandel::cards::{Animal, Compass};
use crate::koehandel::dialect::{Fields, read_answer};
use crate::koehandel::rules::{Act, Ask, Money};
use crate::rng::Rng;
use crate::wire::{Dialogue, Fact, Next};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What one seat received and answered in a match between these bots.
pub fn recorded(
    seed: u64,
    names: [&str; 4],
    options: Value,
    seat: u8,
) -> Vec<(String, Option<String>)> {
    let setup = PlaySetup {
        bots: names.map(str::to_owned).to_vec(),
        seed,
        options,
        models: false,
        record: true,
    };
    let played = KIT.play(&setup, &Nodes(4)).unwrap();
    played
        .transcript
        .into_iter()
        .filter(|heard| heard.seat == Seat(seat))
        .map(|heard| (heard.call, heard.reply))
        .collect()
}

/// A bot's side of the wire before the first message.
pub fn listener(bot: &str) -> Box<dyn Dialogue> {
    let setup = DialogueSetup {
        bot: bot.to_owned(),
        seed: 1,
        ..DialogueSetup::default()
    };
    KIT.dialogue(&setup).unwrap()
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

/// What happens to a message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Harm {
    Lost,
    Twice,
    Late,
    Swapped,
    Cut,
    Changed,
    Gap,
}

const HARMS: [Harm; 7] = [
    Harm::Lost,
    Harm::Twice,
    Harm::Late,
    Harm::Swapped,
    Harm::Cut,
    Harm::Changed,
    Harm::Gap,
];
/// How many messages in a row are lost.
const GAP: usize = 8;
/// A repeated message comes at most this many messages later.
const LATE_MAX: u32 = 60;
/// Nodes of one champion decision.
const NODES: u64 = 2;
/// The most slices of thinking in one decision.
const SLICES_MAX: usize = 64;

/// The same messages, one of them harmed; the first, which opens a session, stays.
fn harmed(
    heard: &[(String, Option<String>)],
    harm: Harm,
    rng: &mut Rng,
) -> Vec<(String, Option<String>)> {
    let mut all = heard.to_vec();
    let at = 1 + rng.below(all.len() as u32 - 2) as usize;
    match harm {
        Harm::Lost => {
            all.remove(at);
        }
        Harm::Gap => {
            let end = (at + GAP).min(all.len() - 1);
            all.drain(at..end);
        }
        Harm::Twice => {
            let again = all[at].clone();
            all.insert(at + 1, again);
        }
        Harm::Late => {
            let again = all[at].clone();
            let to = (at + 2 + rng.below(LATE_MAX) as usize).min(all.len() - 1);
            all.insert(to, again);
        }
        Harm::Swapped => all.swap(at, at + 1),
        Harm::Cut => {
            let text = &mut all[at].0;
            let keep = text.len() - rng.below(12).min(text.len() as u32) as usize;
            text.truncate(keep);
        }
        Harm::Changed => {
            let mut bytes = all[at].0.clone().into_bytes();
            let letters = b"ABCDEFGHIJSWNEQntfhTF0123456789-=&";
            let from = bytes.len().saturating_sub(30);
            let place = from + rng.below((bytes.len() - from) as u32) as usize;
            bytes[place] = letters[rng.below(letters.len() as u32) as usize];
            all[at].0 = String::from_utf8(bytes).unwrap();
        }
    }
    all
}

/// Animals, own purse and deck.
fn known(player: &dyn Dialogue) -> (Vec<Value>, Value, Value) {
    let view = player.view();
    let animals = ["S", "W", "N", "E"].map(|place| view["players"][place]["animals"].clone());
    (
        animals.to_vec(),
        view["purse"].clone(),
        view["deck_left"].clone(),
    )
}

/// Feeds in all messages. With `thinks` the bot decides every question, else the recorded answer is given.
/// Answers must be legal in form.
fn hear_all(bot: &str, heard: &[(String, Option<String>)], thinks: bool) -> Box<dyn Dialogue> {
    let mut player = listener(bot);
    for (call, reply) in heard {
        let said = match player.receive(call.as_bytes()) {
            Err(_) | Ok(Next::Wait | Next::Over(_)) => continue,
            Ok(Next::Send(said)) => said,
            Ok(Next::Think { fallback, .. }) if !thinks => reply.clone().unwrap_or(fallback),
            Ok(Next::Think { fallback, .. }) => {
                let mut best = fallback;
                let ended = (0..SLICES_MAX)
                    .any(|_| player.think(Budget::nodes(NODES), &mut best) == Progress::Done);
                assert!(ended, "a decision of {NODES} nodes goes on: {call}");
                best
            }
        };
        assert!(in_form(call, &said), "{call} is answered by {said:?}");
        player.said(&said);
    }
    player
}

/// Whether an answer can be read as an answer to this question.
fn in_form(call: &str, said: &str) -> bool {
    let fields = Fields::cut(call.as_bytes()).unwrap();
    let ask = match fields.kind() {
        "start" => Ask::Turn,
        "auction" => Ask::Bid {
            card: Animal::DONKEY,
            price: 0,
            leader: Compass::W,
            auctioneer: Compass::W,
        },
        "trade" | "collect" => Ask::Pay {
            payee: Compass::W,
            price: 0,
        },
        other => panic!("{other} asks nothing"),
    };
    match read_answer(&ask, said.as_bytes()) {
        Some(Act::Cards(money)) => money != Money::Garbage,
        Some(Act::Amount(amount)) => amount.is_some(),
        Some(Act::Trade {
            opponent,
            animal,
            offer,
        }) => opponent.is_some() && animal.is_some() && matches!(offer, Money::Cards(_)),
        Some(Act::Auction) => said == "?type=auction",
        None => said.is_empty(),
    }
}

/// Disturbs recorded matches, each in one way and for one seat; prints the share of seats that end up knowing
/// what they would have known undisturbed.
fn disturb(rounds: u64) -> BTreeMap<Harm, (u32, u32)> {
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
    let mut shares: BTreeMap<Harm, (u32, u32)> = BTreeMap::new();
    for round in 0..rounds {
        let mut rng = Rng::new(round, 21);
        let table = tables[rng.below(3) as usize];
        let options = options[rng.below(3) as usize].clone();
        let heard = recorded(round / 7, table, options, rng.below(4) as u8);
        let harm = HARMS[(round % 7) as usize];
        let messages = harmed(&heard, harm, &mut rng);
        let bot = bots[rng.below(bots.len() as u32) as usize];
        hear_all(bot, &messages, true);
        let whole = known(&*hear_all("filler", &heard, false));
        let same = known(&*hear_all("filler", &messages, false)) == whole;
        let share = shares.entry(harm).or_default();
        share.0 += u32::from(same);
        share.1 += 1;
    }
    for (harm, (same, all)) in &shares {
        println!("{harm:?}: {same} of {all} seats know the truth at the end");
    }
    shares
}

#[test]
fn disturbed_matches_do_not_disturb_the_seat_for_long() {
    let rounds = std::env::var("DISTURBED_MATCHES");
    let rounds = rounds.map_or(210, |rounds| rounds.parse().unwrap());
    let shares = disturb(rounds);
    for harm in [Harm::Twice, Harm::Late] {
        let (same, all) = shares[&harm];
        assert!(same * 100 >= all * 90, "{harm:?}: {same} of {all}");
    }
}
