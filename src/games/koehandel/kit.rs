//! The game's door.

use super::bots;
use super::cards::PLAYERS;
use super::dialect::{ANSWER_WITHIN, Fields, write, write_answer};
use super::guard::{fallback, is_in_order};
use super::message::Message;
use super::models::{self, Models};
use super::options::Options;
use super::player::Player;
use super::referee::Referee;
use super::rules::{Ear, Koehandel, Setup};
use crate::game::{Bot, Budget, Game, Seat, Seats};
use crate::kit::{
    Bluff, BotCard, DialogueSetup, Exchange, Kit, OptionCard, Pace, PlaySetup, Played, Route,
    SetupError, TableSetup, bot_seed,
};
use crate::wire::{Dialogue, Fact, Table, WireError};
use serde_json::Value;
use std::time::Duration;

/// Market and ids in transcripts of matches that have no wire.
const MARKET: u64 = 1;

/// Koehandel.
pub static KIT: KoehandelKit = KoehandelKit;

/// Koehandel's [`Kit`].
pub struct KoehandelKit;

const OPTIONS: &[OptionCard] = &[
    OptionCard::new(
        "trade_payment",
        "\"winner\"",
        "Who pays after a trade: winner (the original's rows) or exchange (the boxed game). A1",
    ),
    OptionCard::new(
        "bluffer_rebids",
        "true",
        "Whether a player found bluffing may bid again for the same card. A2",
    ),
    OptionCard::new(
        "second_bluff",
        "\"refused\"",
        "A second unpayable bid on one card: refused at once, or struck when it cannot be paid. A3",
    ),
    OptionCard::new(
        "empty_offer",
        "true",
        "Whether a trade may be offered with no card at all. A10",
    ),
    OptionCard::new(
        "lost_row",
        "\"loser\"",
        "Whom the row with a minus names after a trade: loser or winner. I5",
    ),
    OptionCard::new(
        "first_seat",
        "null",
        "Who starts, 0 to 3; null draws by seed. A6",
    ),
    OptionCard::new(
        "end_turns_max",
        "400",
        "Turns after the deck's end before the match is cut. A22",
    ),
    OptionCard::new(
        "end_turns_without_set_max",
        "60",
        "Such turns in a row without a completed quartet. A22",
    ),
    OptionCard::new(
        "failures_max",
        "10",
        "Connection failures or time-outs in a row after which a player is a filler. A23",
    ),
];

/// Most turns that an operator may let the end of a match last: it must end some day (A22).
const END_TURNS_MAX: u16 = 10_000;

fn read_options(options: &Value) -> Result<Options, SetupError> {
    if options.is_null() {
        return Ok(Options::default());
    }
    let read: Options = serde_json::from_value(options.clone())
        .map_err(|why| SetupError(format!("koehandel options: {why}")))?;
    if let Some(seat) = read.first_seat.filter(|seat| usize::from(*seat) >= PLAYERS) {
        return Err(SetupError(format!(
            "koehandel options: first_seat {seat} does not exist; seats are 0 to 3"
        )));
    }
    if read.end_turns_max.max(read.end_turns_without_set_max) > END_TURNS_MAX {
        return Err(SetupError(format!(
            "koehandel options: end_turns_max and end_turns_without_set_max are at most {END_TURNS_MAX}"
        )));
    }
    Ok(read)
}

fn make_bot(name: &str, seed: u64, models: &Models) -> Result<Box<dyn Bot<Koehandel>>, SetupError> {
    bots::make(name, seed, models).ok_or_else(|| {
        let names: Vec<&str> = bots::CARDS.iter().map(|card| card.name).collect();
        SetupError(format!(
            "koehandel has no bot {name:?}; it has {}",
            names.join(", ")
        ))
    })
}

impl crate::Models for KoehandelKit {
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        models::merge(model, evidence)
    }

    fn show(&self, model: &Value) -> Value {
        models::show(model)
    }
}

impl Kit for KoehandelKit {
    fn game(&self) -> &'static str {
        "koehandel"
    }

    fn seats(&self) -> std::ops::RangeInclusive<usize> {
        PLAYERS..=PLAYERS
    }

    fn bots(&self) -> &'static [BotCard] {
        bots::CARDS
    }

    fn options(&self) -> &'static [OptionCard] {
        OPTIONS
    }

    fn answer_within(&self) -> Duration {
        ANSWER_WITHIN
    }

    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let fields = Fields::cut(frame)?;
        Ok(Route {
            market: fields.market()?,
            id: fields.id()?,
            begins: fields.kind() == "information" && fields.message() == "begin",
            seating: None,
        })
    }

    fn dialogue(&self, setup: &DialogueSetup) -> Result<Box<dyn Dialogue>, SetupError> {
        let bot = make_bot(&setup.bot, setup.seed, &Models::of(setup))?;
        Ok(Box::new(Player::new(bot)))
    }

    fn table(&self, setup: &TableSetup) -> Result<Box<dyn Table>, SetupError> {
        let options = read_options(&setup.options)?;
        let ids: [u64; PLAYERS] = setup.ids.as_slice().try_into().map_err(|_| {
            SetupError(format!(
                "koehandel seats {PLAYERS} players, but {} ids were given",
                setup.ids.len()
            ))
        })?;
        let position = Setup::deal(setup.seed, options);
        Ok(Box::new(Referee::new(position, setup.market, ids)?))
    }

    fn reopen(&self, setup: &Value) -> Result<Box<dyn Table>, SetupError> {
        Ok(Box::new(Referee::reopen(setup)?))
    }

    fn play(&self, setup: &PlaySetup, pace: &dyn Pace) -> Result<Played, SetupError> {
        let options = read_options(&setup.options)?;
        if setup.bots.len() != PLAYERS {
            return Err(SetupError(format!(
                "koehandel seats {PLAYERS} players, but {} bots were named",
                setup.bots.len()
            )));
        }
        let models = if setup.models {
            Models::none()
        } else {
            Models::off()
        };
        let mut players = Vec::with_capacity(PLAYERS);
        for (seat, name) in setup.bots.iter().enumerate() {
            let seed = bot_seed(setup.seed, Seat(seat as u8));
            players.push(make_bot(name, seed, &models)?);
        }
        let listens = std::array::from_fn(|seat| {
            setup.bots.get(seat).is_some_and(|name| bots::listens(name))
        });
        let ears = Ears {
            listens,
            records: setup.record,
            heard: Vec::new(),
        };
        Ok(run(&Setup::deal(setup.seed, options), players, ears, pace))
    }

    fn models(&self) -> Option<&'static dyn crate::Models> {
        Some(&KoehandelKit)
    }

    /// The cross's letters clockwise, or numbers.
    fn place(&self, word: &str) -> Option<u8> {
        let letter = ["S", "W", "N", "E"].iter().position(|at| *at == word);
        letter.map_or_else(|| word.parse().ok(), |at| Some(at as u8))
    }

    /// Between two messages to a player something has happened, and each message tells it in full: a
    /// question is followed by the news of what was answered, a bid by a higher one or the sale, and
    /// whatever returns later (the same card's auction, the same challenge) comes after other news.
    fn repeats(&self) -> bool {
        true
    }

    fn bluff(&self, fact: &Fact) -> Option<Bluff> {
        super::facts::bluff(fact)
    }
}

/// Who is told what he hears: bots that play from the view alone need not be, unless it is recorded.
struct Ears {
    listens: [bool; PLAYERS],
    records: bool,
    heard: Vec<(Seat, Message)>,
}

impl Ear for Ears {
    fn hear(&mut self, seat: usize, message: impl FnOnce() -> Message) {
        if self.records || self.listens[seat] {
            self.heard.push((Seat(seat as u8), message()));
        }
    }
}

fn run(
    setup: &Setup,
    mut bots: Vec<Box<dyn Bot<Koehandel>>>,
    mut ears: Ears,
    pace: &dyn Pace,
) -> Played {
    let mut game = Koehandel::begin(setup, &mut ears);
    let mut refused: Seats<u32> = Seats::from_fn(PLAYERS, |_| 0);
    let mut transcript = Vec::new();
    let mut asks = 0;
    let stop = || pace.stop();
    loop {
        for (seat, message) in ears.heard.drain(..) {
            if ears.listens[seat.index()] {
                bots[seat.index()].observe(&message);
            }
            if ears.records
                && let Some(call) = write(MARKET, u64::from(seat.0) + 1, &message)
            {
                transcript.push(Exchange {
                    seat,
                    call,
                    reply: None,
                    took: None,
                });
            }
        }
        let Some((at, ask)) = game.asked() else { break };
        asks += 1;
        let (seat, view) = (Seat(at as u8), game.seen_by(at));
        pace.begin(seat);
        let budget = Budget {
            nodes: pace.nodes(),
            stop: &stop,
        };
        let mut act = bots[at].decide(view, &ask, budget);
        pace.end();
        if !is_in_order(view, &ask, &act) {
            refused[seat] += 1;
            act = fallback(view, &ask);
        }
        if let Some(asked) = transcript.iter_mut().rfind(|heard| heard.seat == seat) {
            asked.reply = Some(write_answer(&act));
        }
        game.play(Some(act), &mut ears);
    }
    Played {
        outcome: game.outcome().unwrap_or_else(|| crate::game::Outcome {
            cause: crate::game::Cause::Stalled,
            scores: game.scores().into_iter().collect(),
        }),
        asks,
        refused,
        transcript,
    }
}
