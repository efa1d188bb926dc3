//! Smart-dog as a contest: what is its own.

use super::bots;
use super::cartographer;
use super::dialect::{self, Message};
use super::facts;
use super::known::KnownMaps;
use super::maps::Tiles;
use super::match_options::{MatchOptions, OPTIONS};
use super::options::Key;
use super::player::Player;
use super::reception::Hub;
use super::referee::{OnFault, Referee, RefereeSetup};
use super::rules::{DogId, Orders, Players, Setup, SmartDog, View};
use super::scene;
use super::sentences;
use drover_game::arena::Acts;
use drover_game::card::{GameCard, Limits, Places, Scores, StdioWire, Wire};
use drover_game::contest::{Advice, Bout, Contest, Deal, Decision, Erased, MATCH_NUMBER};
use drover_game::dialect::{Dialect, Route, Seating};
use drover_game::game::{Bot, Illegal, Outcome, Seat, Seats, SetupError};
use drover_game::kit::DialogueSetup;
use drover_game::models::{Modelled, Models};
use drover_game::scene::{Names, Picture};
use drover_game::wire::{Dialogue, Frame, Table, WireError};
use serde_json::Value;
use std::time::Duration;

/// The time for a turn unless a hub gives another, and the most that is taken.
const ANSWER_WITHIN: Duration = Duration::from_millis(300_000);
/// Matches after which numbers of dogs come again.
const MATCHES_APART: u64 = 5_000_000;
/// Dogs of the largest match.
const DOGS_APART: u64 = 400;
/// The score of a player who has forfeited, as outcomes have it; only above it can one win.
const FORFEIT_HUNDREDTHS: i64 = -1_000;
/// The name under which a player joins who was given none.
const USUAL_NAME: &str = "drover";

/// Smart-dog.
pub static KIT: Erased<SmartDog> = Erased::NEW;

impl Contest for SmartDog {
    type Options = MatchOptions;
    type Refereed = RefereeSetup;
    type Known = ();

    const CARD: &'static GameCard = &GameCard {
        name: "smartdog",
        title: "smart-dog",
        seats: 1..=Players::ALL.len(),
        bots: bots::CARDS,
        options: OPTIONS,
        limits: Limits::new(ANSWER_WITHIN, Duration::from_millis(50)),
        wire: Wire::Hub,
        stdio: StdioWire::USUAL,
        dialect: &HubLines,
        // Players go by their numbers on the wire.
        places: Places::Unknown,
        repeats: false,
        advised: true,
        scores: Scores {
            word: |score| (score == FORFEIT_HUNDREDTHS).then_some("forfeited"),
            ..Scores::POINTS
        },
        value_unit: "sheep penned in the end",
        win_shares,
        duels: Outcome::duels,
        picture: scene::draw,
        narrow: Some(scene::draw_narrow),
        news: scene::news,
        sentence: sentences::sentence,
        turns_on: sentences::turns_on,
        // The news has sheep, points and panic.
        routine: |fact| {
            matches!(
                &*fact.kind,
                "bark" | "disabled" | "own_bark" | "score" | "sheep_lost" | "sheep_won" | "warning"
            )
        },
        kinds: &[
            ("disabled", "dogs disabled"),
            ("sheep_lost", "sheep lost"),
            ("sheep_won", "sheep penned"),
            ("start", "beginning"),
            ("warning", "commands refused"),
        ],
        sighting: facts::sighting,
        curves: Some(scene::CURVES),
        teams: None,
        history: None,
        maps: Some(&Tiles),
        models: Some(&MapModels),
        reception: Some(&Hub),
        training: None,
    };
    const BOUT_NODES: u64 = 500;

    fn set_up(options: MatchOptions, deal: &Deal<'_>) -> Result<RefereeSetup, SetupError> {
        Ok(RefereeSetup {
            position: options.position(deal.seed, deal.seats())?,
            on_fault: options.on_fault()?,
            first_dog: first_dog(deal.market),
        })
    }

    fn position(refereed: &RefereeSetup) -> &Setup {
        &refereed.position
    }

    fn referee(refereed: RefereeSetup) -> Result<Box<dyn Table>, SetupError> {
        Ok(Box::new(Referee::new(refereed)))
    }

    fn player(bot: Box<dyn Bot<Self>>, opened: &DialogueSetup) -> Box<dyn Dialogue> {
        let word = |key: &str| opened.opening.get(key).and_then(Value::as_str);
        let name = word("name").unwrap_or(USUAL_NAME);
        let hub = word("hub").unwrap_or_default();
        Box::new(Player::new(bot, name, hub))
    }

    fn judge(decision: &Decision<'_, Self>, orders: &Orders) -> Result<(), Illegal> {
        decision.view.judge(orders)
    }

    fn bot(name: &str, seed: u64, advice: Advice<'_>) -> Option<Box<dyn Bot<Self>>> {
        let known = match advice {
            Advice::None => KnownMaps::none(),
            Advice::Shipped => KnownMaps::of_atlas(),
            Advice::Learnt { types, .. } => KnownMaps::of_models(types),
        };
        bots::make(name, seed, &known)
    }

    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>> {
        bots::bouts(name)
    }

    fn act_text(act: &Option<Orders>) -> String {
        format!("{act:?}")
    }

    fn within(view: &View) -> Option<Duration> {
        let ms = view.ground.options().get(Key::WaitForTurn);
        Some(Duration::from_millis(u64::from(ms)))
    }

    fn aborts(refereed: &RefereeSetup) -> bool {
        refereed.on_fault == OnFault::Abort
    }

    fn forfeit(game: &mut Self, seat: Seat) {
        game.forfeit(seat);
    }

    /// Another seat is first every turn.
    fn arrange(game: &Self, acts: &mut Acts<Self>) {
        acts.rotate_left(game.turn() as usize % acts.len().max(1));
    }

    /// Players number dogs as they see them, the hub by its own count.
    fn written(orders: &Orders) -> Option<Frame> {
        let number = |dog: DogId| Some(first_dog(MATCH_NUMBER) + u64::from(dog.0));
        Some(dialect::orders(orders, number))
    }
}

/// Lines are messages; those that end a turn answer it.
struct HubLines;

impl Dialect for HubLines {
    /// The wire has no numbers: what holds the connection gives them.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let text = String::from_utf8_lossy(frame);
        let mut seating = None;
        for line in text.lines() {
            let read =
                dialect::read(line).map_err(|why| WireError::new("start", why.to_string()))?;
            if let Message::Start(start) = read {
                let within = start.announced.options.get(Key::WaitForTurn);
                seating = Some(Seating {
                    seat: start.announced.seat,
                    seats: u8::from(start.announced.players),
                    within: Duration::from_millis(u64::from(within)),
                });
            }
        }
        Ok(Route::unnumbered(seating.is_some(), seating))
    }

    fn in_form(&self, _: &[u8], answer: &str) -> Result<(), Illegal> {
        dialect::in_form(answer)
    }

    fn in_words(&self, _: &[u8], answer: &str) -> Option<String> {
        sentences::answered(answer)
    }

    fn default_answer(&self, frame: &str) -> &'static str {
        let asks = frame.lines().any(|line| line.trim() == dialect::TURN);
        if asks { dialect::END } else { "" }
    }

    fn completes(&self, line: &[u8]) -> bool {
        dialect::completes(&String::from_utf8_lossy(line))
    }
}

/// The official winner takes all: the first seat among equal best scores, nobody without more than
/// -10 points.
fn win_shares(outcome: &Outcome) -> Seats<f64> {
    let mut best = (None, FORFEIT_HUNDREDTHS);
    for (seat, score) in outcome.scores.iter() {
        if *score > best.1 {
            best = (Some(seat), *score);
        }
    }
    let share = |(seat, _): (Seat, &i64)| f64::from(u8::from(best.0 == Some(seat)));
    outcome.scores.iter().map(share).collect()
}

/// Models are of maps.
struct MapModels;

impl Models for MapModels {
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        cartographer::merge(model, evidence)
    }

    fn show(&self, model: &Value) -> Value {
        model.clone()
    }

    fn modelled(&self) -> Modelled {
        Modelled::Maps
    }

    fn words(&self, shown: &Value) -> Vec<(&'static str, String)> {
        cartographer::words(shown)
    }

    fn picture(&self, shown: &Value) -> Option<Picture> {
        let setup = Setup::on_map(cartographer::found(shown)?, Players::Two);
        let mut state = scene::State::whole(&SmartDog::begin(&setup), 1);
        for player in &mut state.players {
            (player.penned, player.points) = (None, None);
        }
        // Its letters are large enough on a phone, too.
        scene::draw_narrow(
            &serde_json::to_value(state).ok()?,
            &Names::by_seat(&[None; 2]),
        )
    }
}

/// The number of a match's first dog: no two matches near each other share one, and all fit 32 bits.
const fn first_dog(market: u64) -> u64 {
    1 + market % MATCHES_APART * DOGS_APART
}
