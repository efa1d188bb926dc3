//! Planet Wars as a contest: what is its own.

use super::bots;
use super::dialect::google;
use super::dialect::judge::{self, Lines, REPLY_LINE_MAX};
use super::dialect::player as wire;
use super::facts::Record;
use super::maps::Planets;
use super::options::{OPTIONS, Options, RefereeSetup};
use super::player::{Player, START_WITHIN, TURN_WITHIN};
use super::referee::Referee;
use super::rules::{Act, Ask, PLAYERS, PlanetWars, Setup, View, owners};
use super::scene;
use drover_game::contest::Bout;
use drover_game::contest::{Advice, Contest, Deal, Door, Limits};
use drover_game::counts::Counted;
use drover_game::game::{Bot, Illegal, Seat};
use drover_game::kit::{
    BotCard, DialogueSetup, Maps, Models, OptionCard, Route, Seating, StdioWire,
};
use drover_game::scene::Picture;
use drover_game::wire::{Dialogue, ReplyLine, Table, TeamFact, WireError};
use serde::Deserialize;
use serde_json::Value;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Planet Wars in teams.
pub static KIT: Door<PlanetWars> = Door::NEW;

impl Contest for PlanetWars {
    type Options = Options;
    type Refereed = RefereeSetup;

    type Heard = ();

    const NAME: &'static str = "planetwars";
    const SEATS: RangeInclusive<usize> = PLAYERS;
    const BOTS: &'static [BotCard] = bots::CARDS;
    const OPTIONS: &'static [OptionCard] = OPTIONS;
    const LIMITS: Limits = Limits {
        open: START_WITHIN,
        // The champion stops by nodes long before.
        ..Limits::new(TURN_WITHIN, Duration::from_millis(300))
    };
    const STDIO: StdioWire = StdioWire {
        reply_line_max: REPLY_LINE_MAX,
        time_option: Some("turn_ms"),
        ..StdioWire::USUAL
    };
    const TEAM_FACT: Option<TeamFact> = Some(TeamFact {
        kind: "team",
        table: "digest",
        player: "player",
        allies: "allies",
    });
    const VALUE_UNIT: &'static str =
        "ships in the end (at close quarters: the share of all ships, from -1 to 1)";
    const BOUT_NODES: u64 = 2_000;

    fn set_up(options: Options, deal: &Deal<'_>) -> Result<RefereeSetup, String> {
        options.set_up(deal.seed, deal.seats())
    }

    fn position(refereed: &RefereeSetup) -> &Setup {
        &refereed.position
    }

    fn referee(refereed: RefereeSetup) -> Result<Box<dyn Table>, String> {
        Ok(Box::new(Referee::new(refereed)?))
    }

    fn player(bot: Box<dyn Bot<Self>>, _: &DialogueSetup) -> Box<dyn Dialogue> {
        Box::new(Player::new(bot))
    }

    /// The wire has no numbers, and every state looks alike: whoever holds the pipe tells games apart, one
    /// program playing one game.
    fn route(frame: &[u8]) -> Result<Route, WireError> {
        let state = wire::read(frame)?;
        let players = owners(&state.planets);
        let seat = players.iter().position(|player| *player == state.you);
        let seating = seat.map(|seat| Seating {
            seat: Seat(seat as u8),
            seats: players.len() as u8,
            within: TURN_WITHIN,
        });
        Ok(Route {
            market: 0,
            id: 0,
            begins: false,
            seating,
        })
    }

    fn in_form(message: &[u8], answer: &str) -> Result<(), String> {
        if google::is_spoken(message) {
            return google::in_form(answer);
        }
        judge::in_form(answer)
    }

    fn judge(_: &(), view: &View, _: &Ask, act: &Act) -> Result<(), Illegal> {
        view.judge(act)
    }

    fn bot(name: &str, seed: u64, _: Advice<'_>) -> Option<Box<dyn Bot<Self>>> {
        bots::make(name, seed)
    }

    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>> {
        bots::bouts(name)
    }

    fn seat_owners(options: Options, entrants: usize) -> Result<Vec<usize>, String> {
        options.seat_owners(entrants)
    }

    fn seat_teams(options: Options, seats: usize) -> Result<Option<Vec<u8>>, String> {
        options.teams(seats).map(Some)
    }

    fn teams(refereed: &str) -> Option<Vec<u8>> {
        #[derive(Deserialize)]
        struct Kept {
            position: Position,
        }
        #[derive(Deserialize)]
        struct Position {
            teams: Vec<u8>,
        }
        let kept: Kept = serde_json::from_str(refereed).ok()?;
        Some(kept.position.teams)
    }

    fn default_answer(frame: &str) -> &'static str {
        let last = frame.lines().next_back().unwrap_or_default();
        if google::is_spoken(last.as_bytes()) {
            google::END
        } else if wire::completes(last.as_bytes()) {
            wire::END
        } else {
            ""
        }
    }

    fn completes(line: &[u8]) -> bool {
        wire::completes(line)
    }

    fn reply_line(_: bool, line: &[u8]) -> Result<ReplyLine, String> {
        Ok(match line.trim_ascii() {
            [] => ReplyLine::Blank,
            line if wire::completes(line) => ReplyLine::Last,
            _ => ReplyLine::More,
        })
    }

    fn act_of_reply(
        (_, frame): (&(), &[u8]),
        (view, _): (&View, &Ask),
        reply: &str,
    ) -> Result<Act, String> {
        match google::is_spoken(frame) {
            true => judge::act_of(reply, |line| {
                google::line(line, Lines::Strict, &view.planets)
            }),
            false => judge::act_of(reply, |line| judge::line(line, Lines::Strict)),
        }
    }

    fn maps() -> Option<&'static dyn Maps> {
        Some(&Planets)
    }

    fn picture(state: &Value) -> Option<Picture> {
        scene::draw(state)
    }

    fn models() -> Option<&'static dyn Models> {
        Some(&Counted::<Record>::NEW)
    }
}
