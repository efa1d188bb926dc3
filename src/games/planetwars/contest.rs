//! Planet Wars as a contest: what is its own.

use super::bots;
use super::dialect::google;
use super::dialect::judge::{self, Lines, REPLY_LINE_MAX};
use super::dialect::player as wire;
use super::facts::{self, Record};
use super::maps::Planets;
use super::options::{OPTIONS, Options, RefereeSetup};
use super::player::{Player, START_WITHIN, TURN_WITHIN};
use super::referee::Referee;
use super::rules::{Act, LOST, PLAYERS, PlanetWars, Setup, owners};
use super::scene;
use super::sentences;
use drover_game::card::{GameCard, Limits, Places, Scores, StdioWire, TeamFact, Teams, Wire};
use drover_game::contest::{Advice, Bout, Contest, Deal, Decision, Erased};
use drover_game::counts::Counted;
use drover_game::dialect::{Dialect, ReplyLine, Route, Seating};
use drover_game::game::{Bot, Illegal, Outcome, Seat, SetupError};
use drover_game::kit::{DialogueSetup, LineUp};
use drover_game::wire::{Dialogue, Table, WireError};
use serde::Deserialize;
use std::time::Duration;

/// Planet Wars in teams.
pub static KIT: Erased<PlanetWars> = Erased::NEW;

impl Contest for PlanetWars {
    type Options = Options;
    type Refereed = RefereeSetup;
    type Known = ();

    const CARD: &'static GameCard = &GameCard {
        name: "planetwars",
        title: "Planet Wars",
        seats: PLAYERS,
        bots: bots::CARDS,
        options: OPTIONS,
        limits: Limits {
            open: START_WITHIN,
            // The champion stops by nodes long before.
            ..Limits::new(TURN_WITHIN, Duration::from_millis(300))
        },
        wire: Wire::Stdio,
        stdio: StdioWire {
            reply_line_max: REPLY_LINE_MAX,
            time_option: Some("turn_ms"),
            ..StdioWire::USUAL
        },
        dialect: &States,
        places: Places::Numbered,
        repeats: false,
        advised: false,
        scores: Scores {
            unit: "ship",
            word: |score| (score == LOST).then_some("eliminated"),
        },
        value_unit: "ships in the end (at close quarters: the share of all ships, from -1 to 1)",
        win_shares: Outcome::win_shares,
        duels: Outcome::duels,
        picture: scene::draw,
        narrow: Some(scene::draw_narrow),
        news: scene::news,
        sentence: sentences::sentence,
        turns_on: sentences::turns_on,
        routine: |fact| {
            matches!(
                &*fact.kind,
                "fleet" | "launch" | "result" | "sent" | "standing" | "word"
            )
        },
        kinds: &[("sent", "fleets sent")],
        sighting: facts::sighting,
        curves: Some(scene::CURVES),
        teams: Some(Teams {
            of_setup: teams_of,
            numbers_of_setup: numbers_of,
            fact: TeamFact {
                kind: "team",
                table: "digest",
                player: "player",
                allies: "allies",
            },
        }),
        history: None,
        maps: Some(&Planets),
        models: Some(&Counted::<Record>::NEW),
        reception: None,
        training: None,
    };
    const BOUT_NODES: u64 = 2_000;

    fn set_up(options: Options, deal: &Deal<'_>) -> Result<RefereeSetup, SetupError> {
        options.set_up(deal.seed, deal.seats())
    }

    fn position(refereed: &RefereeSetup) -> &Setup {
        &refereed.position
    }

    fn referee(refereed: RefereeSetup) -> Result<Box<dyn Table>, SetupError> {
        Ok(Box::new(Referee::new(refereed)?))
    }

    fn player(bot: Box<dyn Bot<Self>>, _: &DialogueSetup) -> Box<dyn Dialogue> {
        Box::new(Player::new(bot))
    }

    fn judge(decision: &Decision<'_, Self>, act: &Act) -> Result<(), Illegal> {
        decision.view.judge(act)
    }

    fn bot(name: &str, seed: u64, _: Advice<'_>) -> Option<Box<dyn Bot<Self>>> {
        bots::make(name, seed)
    }

    fn bouts(name: &str) -> Option<Vec<Bout<'_, Self>>> {
        bots::bouts(name)
    }

    fn line_up(options: Options, entrants: usize) -> Result<LineUp, SetupError> {
        let owners = options.seat_owners(entrants)?;
        let teams = Some(options.teams(owners.len())?);
        Ok(LineUp { owners, teams })
    }

    fn act_of_reply(
        decision: &Decision<'_, Self>,
        frame: &[u8],
        reply: &str,
    ) -> Result<Act, Illegal> {
        match google::is_spoken(frame) {
            true => judge::read_reply(reply, |line| {
                google::line(line, Lines::Strict, &decision.view.planets)
            }),
            false => judge::read_reply(reply, |line| judge::line(line, Lines::Strict)),
        }
    }
}

/// A state is a message, and lines with orders answer it.
struct States;

impl Dialect for States {
    /// The wire has no numbers, and every state looks alike: what holds the pipe keeps games apart, one
    /// program playing one game.
    fn route(&self, frame: &[u8]) -> Result<Route, WireError> {
        let state = wire::read(frame)?;
        let players = owners(&state.planets);
        let seat = players.iter().position(|player| *player == state.you);
        let seating = seat.map(|seat| Seating {
            seat: Seat(seat as u8),
            seats: players.len() as u8,
            within: TURN_WITHIN,
        });
        Ok(Route::unnumbered(false, seating))
    }

    fn in_form(&self, message: &[u8], answer: &str) -> Result<(), Illegal> {
        if google::is_spoken(message) {
            return google::in_form(answer);
        }
        judge::in_form(answer)
    }

    fn in_words(&self, message: &[u8], answer: &str) -> Option<String> {
        match google::is_spoken(message) {
            true => Some(sentences::answered(&judge::act(&google::translated(
                answer,
            )))),
            false => Some(sentences::answered(&judge::act(answer))),
        }
    }

    fn default_answer(&self, frame: &str) -> &'static str {
        let last = frame.lines().next_back().unwrap_or_default();
        if google::is_spoken(last.as_bytes()) {
            google::END
        } else if wire::completes(last.as_bytes()) {
            wire::END
        } else {
            ""
        }
    }

    fn completes(&self, line: &[u8]) -> bool {
        wire::completes(line)
    }

    fn reply_line(&self, _: bool, line: &[u8]) -> Result<ReplyLine, Illegal> {
        Ok(match line.trim_ascii() {
            [] => ReplyLine::Blank,
            line if wire::completes(line) => ReplyLine::Last,
            _ => ReplyLine::More,
        })
    }
}

/// What a match's setup holds of its seats.
#[derive(Deserialize)]
struct SeatsKept {
    teams: Vec<u8>,
    players: Vec<u32>,
}

fn seats_kept(setup: &str) -> Option<SeatsKept> {
    #[derive(Deserialize)]
    struct Kept {
        position: SeatsKept,
    }
    let kept: Kept = serde_json::from_str(setup).ok()?;
    Some(kept.position)
}

/// Each seat's team, from the text of a match's setup.
fn teams_of(setup: &str) -> Option<Vec<u8>> {
    Some(seats_kept(setup)?.teams)
}

/// Each seat's number on the wire.
fn numbers_of(setup: &str) -> Option<Vec<u32>> {
    Some(seats_kept(setup)?.players)
}
