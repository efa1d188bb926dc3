//! Lighthouses as a contest: what is its own.

use super::bots;
use super::dialect::engine::{self, REPLY_LINE_MAX};
use super::dialect::player as wire;
use super::facts::Record;
use super::maps::Islands;
use super::options::{OPTIONS, Options, RefereeSetup};
use super::player::{GREET_WITHIN, Player, TURN_WITHIN};
use super::referee::Referee;
use super::rules::{Act, Ask, Chart, Event, Lighthouses, PLAYERS, Setup, View};
use super::scene;
use drover_game::contest::Bout;
use drover_game::contest::{Advice, Contest, Deal, Door, Limits};
use drover_game::counts::Counted;
use drover_game::game::{Bot, Illegal, Seat};
use drover_game::kit::{
    BotCard, DialogueSetup, Maps, Models, OptionCard, Route, Seating, StdioWire,
};
use drover_game::scene::Picture;
use drover_game::wire::{Dialogue, ReplyLine, Table, WireError};
use serde_json::Value;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// A greeting of a player without a name.
const GREETING: &str = "{\"name\":\"drover\"}";

/// Lighthouses.
pub static KIT: Door<Lighthouses> = Door::NEW;

impl Contest for Lighthouses {
    type Options = Options;
    type Refereed = RefereeSetup;

    type Heard = Option<(Arc<Chart>, Seat, usize)>;

    const NAME: &'static str = "lighthouses";
    const SEATS: RangeInclusive<usize> = PLAYERS;
    const BOTS: &'static [BotCard] = bots::CARDS;
    const OPTIONS: &'static [OptionCard] = OPTIONS;
    const LIMITS: Limits = Limits {
        answer: TURN_WITHIN,
        open: GREET_WITHIN,
        // The rest of the wire's 100 ms is for the way.
        budget: Duration::from_millis(60),
        // Games without a clock are to be over in seconds.
        play_budget: Duration::from_millis(2),
    };
    const STDIO: StdioWire = StdioWire {
        reply_line_max: REPLY_LINE_MAX,
        when_silent: Some(
            "--option pause_us=1000 is for programs that discard what follows a result at once, \
             --option neutral=null for those that expect null as nobody's number, --option start_ms=15000 \
             for slow starters",
        ),
        ..StdioWire::USUAL
    };
    const VALUE_UNIT: &'static str = "points a round, the others' counted against its own";
    const BOUT_NODES: u64 = 200;

    fn set_up(options: Options, deal: &Deal<'_>) -> Result<RefereeSetup, String> {
        options.set_up(deal.seed, deal.seats())
    }

    fn position(refereed: &RefereeSetup) -> &Setup {
        &refereed.position
    }

    fn referee(refereed: RefereeSetup) -> Result<Box<dyn Table>, String> {
        Ok(Box::new(Referee::new(refereed)?))
    }

    fn player(bot: Box<dyn Bot<Self>>, opened: &DialogueSetup) -> Box<dyn Dialogue> {
        Box::new(Player::new(bot, &format!("drover-{}", opened.bot)))
    }

    /// The wire has no numbers: whoever holds the pipe gives them. The message with the player's number
    /// begins a game.
    fn route(frame: &[u8]) -> Result<Route, WireError> {
        let seating = wire::seating(frame).map(|(seat, seats)| Seating {
            seat,
            seats,
            within: TURN_WITHIN,
        });
        Ok(Route {
            market: 0,
            id: 0,
            begins: seating.is_some(),
            seating,
        })
    }

    fn in_form(message: &[u8], answer: &str) -> Result<(), String> {
        engine::in_form(message, answer)
    }

    fn judge(
        heard: &Option<(Arc<Chart>, Seat, usize)>,
        view: &View,
        ask: &Ask,
        act: &Act,
    ) -> Result<(), Illegal> {
        match (ask, heard) {
            (Ask::Turn, Some((chart, seat, players))) => view
                .legal(chart, *seat, *players, *act)
                .map_err(|why| Illegal(why.to_string())),
            _ => Ok(()),
        }
    }

    fn listed(
        heard: &Option<(Arc<Chart>, Seat, usize)>,
        view: &View,
        ask: &Ask,
    ) -> Option<Vec<Act>> {
        match (ask, heard) {
            (Ask::Turn, Some((chart, seat, players))) => Some(view.acts(chart, *seat, *players)),
            _ => Some(vec![Act::Pass]),
        }
    }

    fn receive(heard: &mut Option<(Arc<Chart>, Seat, usize)>, event: &Event) {
        if let Event::Begins(chart, seat, players) = event {
            *heard = Some((Arc::clone(chart), *seat, *players));
        }
    }

    fn bot(name: &str, seed: u64, _: Advice<'_>) -> Option<Box<dyn Bot<Self>>> {
        bots::make(name, seed)
    }

    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>> {
        bots::bouts(name)
    }

    fn end_text(game: &Self) -> String {
        format!("{:?}", game.scores())
    }

    fn default_answer(frame: &str) -> &'static str {
        // What is asked for shows in the keys, also of a message that cannot be read.
        if frame.contains("\"player_num\"") {
            GREETING
        } else if frame.contains("\"view\"") || frame.contains("\"energy\"") {
            wire::PASS
        } else {
            ""
        }
    }

    fn reply_line(_: bool, line: &[u8]) -> Result<ReplyLine, String> {
        engine::reply_line(line)
    }

    fn act_of_reply(
        (heard, _): (&Self::Heard, &[u8]),
        (_, ask): (&View, &Ask),
        reply: &str,
    ) -> Result<Act, String> {
        let (chart, ..) = heard.as_ref().ok_or("the game has not begun")?;
        engine::act(chart, *ask, reply.as_bytes())
    }

    fn maps() -> Option<&'static dyn Maps> {
        Some(&Islands)
    }

    fn picture(state: &Value) -> Option<Picture> {
        scene::draw(state)
    }

    fn models() -> Option<&'static dyn Models> {
        Some(&Counted::<Record>::NEW)
    }
}
