//! Lighthouses as a contest: what is its own.

use super::bots;
use super::dialect::engine::{self, REPLY_LINE_MAX};
use super::dialect::player as wire;
use super::facts::{self, Record};
use super::maps::Islands;
use super::options::{OPTIONS, Options, RefereeSetup};
use super::player::{GREET_WITHIN, Player, TURN_WITHIN};
use super::referee::Referee;
use super::rules::{Act, Ask, Chart, Event, Lighthouses, PLAYERS, Setup};
use super::scene;
use super::sentences;
use drover_game::card::{GameCard, Limits, Places, Scores, StdioWire, Wire};
use drover_game::contest::{Advice, Bout, Contest, Deal, Decision, Erased};
use drover_game::counts::Counted;
use drover_game::dialect::{Dialect, ReplyLine, Route, Seating};
use drover_game::game::{Bot, Illegal, Outcome, Seat, SetupError};
use drover_game::kit::DialogueSetup;
use drover_game::wire::{Dialogue, Table, WireError};
use std::sync::Arc;
use std::time::Duration;

/// A greeting of a player without a name.
const GREETING: &str = "{\"name\":\"drover\"}";

/// Lighthouses.
pub static KIT: Erased<Lighthouses> = Erased::NEW;

impl Contest for Lighthouses {
    type Options = Options;
    type Refereed = RefereeSetup;
    type Known = Option<(Arc<Chart>, Seat, usize)>;

    const CARD: &'static GameCard = &GameCard {
        name: "lighthouses",
        title: "Lighthouses",
        seats: PLAYERS,
        bots: bots::CARDS,
        options: OPTIONS,
        limits: Limits {
            answer: TURN_WITHIN,
            open: GREET_WITHIN,
            // The rest of the wire's 100 ms is for the way.
            budget: Duration::from_millis(60),
            // Games without a clock are to be over in seconds.
            play_budget: Duration::from_millis(2),
        },
        wire: Wire::Stdio,
        stdio: StdioWire {
            reply_line_max: REPLY_LINE_MAX,
            when_silent: Some(
                "--option pause_us=1000 is for programs that discard what follows a result at once, \
                 --option neutral=null for those that expect null as nobody's number, --option start_ms=15000 \
                 for slow starters",
            ),
            ..StdioWire::USUAL
        },
        dialect: &JsonLines,
        places: Places::Numbered,
        repeats: false,
        advised: false,
        scores: Scores::POINTS,
        value_unit: "points a round, the others' counted against its own",
        win_shares: Outcome::win_shares,
        duels: Outcome::duels,
        picture: scene::draw,
        narrow: None,
        news: scene::news,
        sentence: sentences::sentence,
        turns_on: sentences::turns_on,
        routine: |fact| matches!(&*fact.kind, "key" | "standing"),
        kinds: &[
            ("fall", "lighthouses lost"),
            ("link_lost", "links lost"),
            ("triangle_lost", "triangles lost"),
        ],
        sighting: facts::sighting,
        curves: Some(scene::CURVES),
        teams: None,
        history: None,
        maps: Some(&Islands),
        models: Some(&Counted::<Record>::NEW),
        reception: None,
        training: None,
    };
    const BOUT_NODES: u64 = 200;

    fn set_up(options: Options, deal: &Deal<'_>) -> Result<RefereeSetup, SetupError> {
        options.set_up(deal.seed, deal.seats())
    }

    fn position(refereed: &RefereeSetup) -> &Setup {
        &refereed.position
    }

    fn referee(refereed: RefereeSetup) -> Result<Box<dyn Table>, SetupError> {
        Ok(Box::new(Referee::new(refereed)?))
    }

    fn player(bot: Box<dyn Bot<Self>>, opened: &DialogueSetup) -> Box<dyn Dialogue> {
        Box::new(Player::new(bot, &format!("drover-{}", opened.bot)))
    }

    fn judge(decision: &Decision<'_, Self>, act: &Act) -> Result<(), Illegal> {
        match (decision.ask, decision.known) {
            (Ask::Turn, Some((chart, seat, players))) => decision
                .view
                .legal(chart, *seat, *players, *act)
                .map_err(Illegal::new),
            _ => Ok(()),
        }
    }

    fn listed(decision: &Decision<'_, Self>) -> Option<Vec<Act>> {
        match (decision.ask, decision.known) {
            (Ask::Turn, Some((chart, seat, players))) => {
                Some(decision.view.acts(chart, *seat, *players))
            }
            _ => Some(vec![Act::Pass]),
        }
    }

    fn learn(known: &mut Option<(Arc<Chart>, Seat, usize)>, event: &Event) {
        if let Event::Begins(chart, seat, players) = event {
            *known = Some((Arc::clone(chart), *seat, *players));
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

    fn act_of_reply(decision: &Decision<'_, Self>, _: &[u8], reply: &str) -> Result<Act, Illegal> {
        let known = decision.known.as_ref();
        let (chart, ..) = known.ok_or_else(|| Illegal::new("the game has not begun"))?;
        engine::act(chart, *decision.ask, reply.as_bytes())
    }
}

/// A JSON object a line is a message, and another one answers it.
struct JsonLines;

impl Dialect for JsonLines {
    /// The wire has no numbers: what holds the pipe gives them. The message with the player's number
    /// begins a game.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let seating = wire::seating(frame).map(|(seat, seats)| Seating {
            seat,
            seats,
            within: TURN_WITHIN,
        });
        Ok(Route::unnumbered(seating.is_some(), seating))
    }

    fn in_form(&self, message: &[u8], answer: &str) -> Result<(), Illegal> {
        engine::in_form(message, answer)
    }

    fn in_words(&self, _: &[u8], answer: &str) -> Option<String> {
        sentences::answered(answer)
    }

    fn default_answer(&self, frame: &str) -> &'static str {
        // What is asked for shows in the keys, also of a message that cannot be read.
        if frame.contains("\"player_num\"") {
            GREETING
        } else if frame.contains("\"view\"") || frame.contains("\"energy\"") {
            wire::PASS
        } else {
            ""
        }
    }

    fn reply_line(&self, _: bool, line: &[u8]) -> Result<ReplyLine, Illegal> {
        engine::reply_line(line)
    }
}
