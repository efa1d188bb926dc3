//! Koehandel as a contest: what is its own.

use super::bots;
use super::cards::PLAYERS;
use super::dialect::{self, ANSWER_WITHIN, Fields, write_answer};
use super::facts;
use super::models::{self, Models as Known, Who};
use super::options::{END_TURNS_MAX, OPTIONS, Options};
use super::player::Player;
use super::referee::{Referee, RefereeSetup};
use super::rules::{Act, Ask, Koehandel, Setup, in_order, listed};
use super::scene;
use super::view::View;
use drover_game::contest::Bout;
use drover_game::contest::{Advice, Contest, Deal, Door, Limits};
use drover_game::game::{Bot, Illegal, Seat};
use drover_game::kit::{Bluff, BotCard, DialogueSetup, Models, OptionCard, Route, Wire};
use drover_game::scene::Picture;
use drover_game::wire::{Dialogue, Fact, Frame, Table, WireError};
use serde_json::Value;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Koehandel.
pub static KIT: Door<Koehandel> = Door::NEW;

impl Contest for Koehandel {
    type Options = Options;
    type Refereed = RefereeSetup;

    type Heard = ();

    const NAME: &'static str = "koehandel";
    const SEATS: RangeInclusive<usize> = PLAYERS..=PLAYERS;
    const BOTS: &'static [BotCard] = bots::CARDS;
    const OPTIONS: &'static [OptionCard] = OPTIONS;
    const LIMITS: Limits = Limits::new(ANSWER_WITHIN, Duration::from_millis(200));
    const WIRE: Wire = Wire::Callbacks;
    const ADVISED: bool = true;
    /// Between two messages to a player something has happened, and each message tells it in full: a
    /// question is followed by the news of what was answered, a bid by a higher one or the sale, and
    /// whatever returns later (the same card's auction, the same challenge) comes after other news.
    const REPEATS: bool = true;
    const HEARD_AGAIN: bool = false;
    const VALUE_UNIT: &'static str = "half the share of the win, half the share of all points";
    const BOUT_NODES: u64 = 60;

    fn set_up(options: Options, deal: &Deal<'_>) -> Result<RefereeSetup, String> {
        if let Some(seat) = options
            .first_seat
            .filter(|seat| usize::from(*seat) >= PLAYERS)
        {
            return Err(format!(
                "first_seat {seat} does not exist; seats are 0 to 3"
            ));
        }
        if options.end_turns_max.max(options.end_turns_without_set_max) > END_TURNS_MAX {
            return Err(format!(
                "end_turns_max and end_turns_without_set_max are at most {END_TURNS_MAX}"
            ));
        }
        let wrong = |_| format!("{PLAYERS} players are seated, not {}", deal.seats());
        Ok(RefereeSetup {
            position: Setup::deal(deal.seed, options),
            market: deal.market,
            ids: deal.ids.try_into().map_err(wrong)?,
        })
    }

    fn position(refereed: &RefereeSetup) -> &Setup {
        &refereed.position
    }

    fn referee(refereed: RefereeSetup) -> Result<Box<dyn Table>, String> {
        Ok(Box::new(Referee::new(refereed)?))
    }

    fn player(bot: Box<dyn Bot<Self>>, setup: &DialogueSetup) -> Box<dyn Dialogue> {
        let who = setup.models.then(|| {
            let (rivals, types) = (&[][..], &setup.types[..]);
            let models = Known::from_advice(Advice::Learnt { rivals, types });
            Box::new(Who::new(models, &setup.known, &setup.named))
        });
        Box::new(Player::new(bot, who))
    }

    fn route(frame: &[u8]) -> Result<Route, WireError> {
        let fields = Fields::cut(frame)?;
        Ok(Route {
            market: fields.market()?,
            id: fields.id()?,
            begins: fields.kind() == "information" && fields.message() == "begin",
            seating: None,
        })
    }

    fn in_form(message: &[u8], answer: &str) -> Result<(), String> {
        dialect::in_form(message, answer)
    }

    fn judge(_: &(), view: &View, ask: &Ask, act: &Act) -> Result<(), Illegal> {
        in_order(view, ask, act)
    }

    fn listed(_: &(), view: &View, ask: &Ask) -> Option<Vec<Act>> {
        Some(listed(view, ask))
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

    fn place(word: &str) -> Option<u8> {
        match word {
            "S" => Some(0),
            "W" => Some(1),
            "N" => Some(2),
            "E" => Some(3),
            number => number.parse().ok(),
        }
    }

    fn place_word(clockwise: u8) -> Option<&'static str> {
        ["S", "W", "N", "E"].get(usize::from(clockwise)).copied()
    }

    fn bluff(fact: &Fact) -> Option<Bluff> {
        facts::bluff(fact)
    }

    fn seated(fact: Fact, seat: Seat) -> Fact {
        facts::seated(fact, seat)
    }

    fn picture(state: &Value) -> Option<Picture> {
        scene::draw(state)
    }

    fn models() -> Option<&'static dyn Models> {
        Some(&Rivals)
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
}
