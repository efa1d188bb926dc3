//! Koehandel as a contest: what is its own.

use super::bots;
use super::cards::PLAYERS;
use super::dialect::{self, ANSWER_WITHIN, Fields, write_answer};
use super::facts;
use super::models::{self, Models as Known, Who};
use super::options::{END_TURNS_MAX, OPTIONS, Options};
use super::player::Player;
use super::referee::{Referee, RefereeSetup};
use super::rules::{Act, Koehandel, Setup, in_order, listed};
use super::scene;
use super::sentences;
use drover_game::card::{GameCard, Limits, Places, Scores, StdioWire, Wire};
use drover_game::contest::{Advice, Bout, Contest, Deal, Decision, Erased};
use drover_game::dialect::{Dialect, Route};
use drover_game::game::{Bot, Illegal, Outcome, SetupError};
use drover_game::kit::DialogueSetup;
use drover_game::models::Models;
use drover_game::wire::{Dialogue, Frame, Table, WireError};
use serde_json::Value;
use std::time::Duration;

/// Koehandel.
pub static KIT: Erased<Koehandel> = Erased::NEW;

impl Contest for Koehandel {
    type Options = Options;
    type Refereed = RefereeSetup;

    type Known = ();

    const CARD: &'static GameCard = &GameCard {
        name: "koehandel",
        title: "Koehandel",
        seats: PLAYERS..=PLAYERS,
        bots: bots::CARDS,
        options: OPTIONS,
        limits: Limits::new(ANSWER_WITHIN, Duration::from_millis(200)),
        wire: Wire::Callbacks,
        stdio: StdioWire::USUAL,
        dialect: &Callbacks,
        places: Places::Named(&["S", "W", "N", "E"]),
        // Between two messages to a player something has happened, and each message says it in full: a
        // question is followed by the news of what was answered, a bid by a higher one or the sale, and
        // whatever returns later (the same card's auction, the same challenge) comes after other news.
        repeats: true,
        advised: true,
        scores: Scores::POINTS,
        value_unit: "half the share of the win, half the share of all points",
        win_shares: Outcome::win_shares,
        duels: Outcome::duels,
        picture: scene::draw,
        narrow: Some(scene::draw_narrow),
        news: scene::news,
        sentence: sentences::sentence,
        turns_on: sentences::turns_on,
        routine: sentences::is_routine,
        kinds: &[
            ("fault", "rules broken"),
            ("rebuilt", "counted again"),
            ("refused", "answers refused"),
            ("start", "beginning"),
            ("who", "types of players"),
        ],
        sighting: facts::sighting,
        curves: Some(scene::CURVES),
        teams: None,
        history: Some(&facts::Shown),
        maps: None,
        models: Some(&Rivals),
        reception: None,
        training: None,
    };
    const BOUT_NODES: u64 = 60;
    const ONLY_DECISIONS: bool = true;

    fn set_up(options: Options, deal: &Deal<'_>) -> Result<RefereeSetup, SetupError> {
        if let Some(seat) = options
            .first_seat
            .filter(|seat| usize::from(*seat) >= PLAYERS)
        {
            return Err(SetupError(format!(
                "first_seat {seat} does not exist; seats are 0 to 3"
            )));
        }
        if options.end_turns_max.max(options.end_turns_without_set_max) > END_TURNS_MAX {
            return Err(SetupError(format!(
                "end_turns_max and end_turns_without_set_max are at most {END_TURNS_MAX}"
            )));
        }
        let wrong = |_| {
            SetupError(format!(
                "{PLAYERS} players are seated, not {}",
                deal.seats()
            ))
        };
        Ok(RefereeSetup {
            position: Setup::deal(deal.seed, options),
            market: deal.market,
            ids: deal.ids.try_into().map_err(wrong)?,
        })
    }

    fn position(refereed: &RefereeSetup) -> &Setup {
        &refereed.position
    }

    fn referee(refereed: RefereeSetup) -> Result<Box<dyn Table>, SetupError> {
        let referee = Referee::new(refereed).map_err(SetupError::new)?;
        Ok(Box::new(referee))
    }

    fn player(bot: Box<dyn Bot<Self>>, setup: &DialogueSetup) -> Box<dyn Dialogue> {
        let who = setup.models.then(|| {
            let (rivals, types) = (&[][..], &setup.types[..]);
            let models = Known::from_advice(Advice::Learnt { rivals, types });
            Box::new(Who::new(models, &setup.known, &setup.named))
        });
        Box::new(Player::new(bot, who))
    }

    fn judge(decision: &Decision<'_, Self>, act: &Act) -> Result<(), Illegal> {
        in_order(decision.view, decision.ask, act)
    }

    fn listed(decision: &Decision<'_, Self>) -> Option<Vec<Act>> {
        Some(listed(decision.view, decision.ask))
    }

    fn bot(name: &str, seed: u64, advice: Advice<'_>) -> Option<Box<dyn Bot<Self>>> {
        bots::make(name, seed, &Known::from_advice(advice))
    }

    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>> {
        Some(bots::bouts(name))
    }

    fn written(act: &Act) -> Option<Frame> {
        Some(write_answer(act))
    }

    fn listens(name: &str) -> bool {
        bots::listens(name)
    }
}

/// A query is a message, and the body that answers it.
struct Callbacks;

impl Dialect for Callbacks {
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let fields = Fields::cut(frame)?;
        Ok(Route {
            market: fields.market()?,
            id: fields.id()?,
            begins: fields.kind() == "information" && fields.message() == "begin",
            seating: None,
        })
    }

    fn in_form(&self, message: &[u8], answer: &str) -> Result<(), Illegal> {
        dialect::in_form(message, answer)
    }

    fn in_words(&self, message: &[u8], answer: &str) -> Option<String> {
        sentences::answered(message, answer)
    }

    fn default_answer(&self, _: &str) -> &'static str {
        ""
    }
}

/// What is counted of rivals.
struct Rivals;

impl Models for Rivals {
    fn merge(&self, model: Option<&Value>, evidence: &Value) -> Value {
        models::merge(model, evidence)
    }

    fn show(&self, model: &Value) -> Value {
        models::show(model)
    }

    fn notes(&self) -> &'static [(&'static str, &'static str)] {
        models::NOTES
    }

    fn foremost(&self) -> &'static [(&'static str, &'static str)] {
        models::FOREMOST
    }
}
