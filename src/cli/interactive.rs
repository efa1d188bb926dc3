//! `drover play GAME --interactive cmd:…`: talks to a program by hand. Lines are sent to it as they are;
//! lines that begin with a colon are commands of the tester itself.

use super::output::spaced;
use super::play_args::{PlayArgs, rule_options};
use super::usage::{UsageError, refuse};
use crate::link::program::{ProgramLimits, ProgramOptions, adopt_orphans};
use crate::referee::SeatSpec;
use crate::referee::arbiter::{InteractiveGame, InteractiveProgram, Spoken};
use anyhow::Context as _;
use games::{Kit, Outcome, Seat, StdioWire, Wire};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::io::{BufRead as _, IsTerminal as _, Write as _};

/// How much of the program's standard error is shown at the end.
const STDERR_KEPT: usize = 8 << 10;
/// The default bot on the other seats.
const RIVAL: &str = "rules";
/// The default number of players, in games that allow it.
const PLAYERS: usize = 4;

const HELP: &str = "\
A line is sent to the program as it is, and its reply shown with the time it took; a message of several \
lines is sent when it is whole. Lines for the tester:
  :game             play a whole game, showing all that the program hears and says
  :set NAME=VALUE   a rule option for :game, such as values=789TJQKA, suits=SH, deals=\"1 0 2 1\"; \
without VALUE: the default
  :players N        how many play in :game
  :seat K           the program's seat in :game, from 0
  :rivals A,B,…     the built-in bots on the other seats; a single one sits on all of them
  :seed S           the seed of the next :game; it then rises by one a game
  :show             what is set
  :help             this
  :quit             end the program by its own word, and the tester (so does the end of the input)";

/// The settings for whole games.
struct Table {
    players: usize,
    seat: usize,
    rivals: Vec<String>,
    seed: u64,
    options: Map<String, Value>,
}

/// Runs the tester until the input ends.
///
/// # Errors
/// [`UsageError`] for a game without programs or a seat that does not exist; a program that does not start.
pub(super) fn run(kit: &'static dyn Kit, args: &PlayArgs, spec: &str) -> anyhow::Result<()> {
    if kit.wire() != Wire::Stdio {
        return refuse(format!(
            "--interactive: {} players are no programs on pipes",
            kit.game()
        ));
    }
    let spec: SeatSpec = spec
        .parse()
        .map_err(|error| UsageError(format!("{error}")))?;
    let SeatSpec::Program(words) = spec else {
        return refuse(format!("--interactive {spec}: write cmd:PROGRAM ARGS"));
    };
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    let rules = args.programs(kit)?;
    let mut program = InteractiveProgram::start(
        kit,
        &ProgramOptions {
            words,
            line_max: kit.stdio().unwrap_or(&StdioWire::USUAL).reply_line_max,
            stderr_kept: STDERR_KEPT,
            limits: ProgramLimits {
                memory: rules.memory,
                cpu_seconds: rules.cpu_seconds,
                cgroup: rules.cgroup,
            },
        },
    )?;
    let options = rule_options(kit, &args.options)?;
    let mut table = Table {
        players: args
            .players
            .unwrap_or(PLAYERS.clamp(*kit.seats().start(), *kit.seats().end())),
        seat: 0,
        rivals: vec![rival(kit)],
        seed: args.seed,
        options: options.as_object().cloned().unwrap_or_default(),
    };
    if let Some(ms) = args.timeout.map(|timeout| timeout.as_millis() as u64)
        && let Some(name) = kit.stdio().and_then(|wire| wire.time_option)
    {
        table.options.insert(name.to_owned(), ms.into());
    }
    let talks = std::io::stdin().is_terminal();
    if talks {
        say(format_args!(
            "{} is started; :help lists what can be done",
            kit.game()
        ));
    }
    let mut lines = std::io::stdin().lock().lines();
    let mut message = String::new();
    loop {
        if talks {
            let mut out = std::io::stdout();
            write!(out, "{}", if message.is_empty() { "? " } else { "… " })?;
            out.flush()?;
        }
        let Some(line) = lines.next().transpose()? else {
            break;
        };
        let there = match line.trim().strip_prefix(':') {
            Some("quit") => break,
            Some(command) => match table.obey(kit, args, &mut program, command) {
                Ok(there) => there,
                Err(why) => {
                    say(format_args!("  {why}"));
                    true
                }
            },
            None if line.trim().is_empty() => true,
            None => {
                message.push_str(line.trim_end());
                if kit.completes(line.as_bytes()) {
                    program.send(&std::mem::take(&mut message), &mut show)
                } else {
                    message.push('\n');
                    true
                }
            }
        };
        if !there {
            break;
        }
    }
    let ended = program.end(&mut show);
    say(format_args!("  the program ended: {}", ended.manner()));
    if !ended.stderr.is_empty() {
        say(format_args!(
            "  its standard error, {} bytes in all, ended:",
            ended.stderr_total
        ));
        say(String::from_utf8_lossy(&ended.stderr).trim_end());
    }
    Ok(())
}

fn rival(kit: &dyn Kit) -> String {
    let cards = kit.bots();
    let usual = cards.iter().find(|card| card.name == RIVAL);
    usual
        .or(cards.first())
        .map_or_else(String::new, |card| card.name.to_owned())
}

/// A line for whoever tests; that nobody reads it is no failure.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn show(spoken: Spoken) {
    match spoken {
        Spoken::To(text) => say(format_args!("> {text}")),
        Spoken::By(text, _) if text.trim().is_empty() => {}
        Spoken::By(text, took) => say(format_args!(
            "< {text}    ({:.1} ms)",
            took.as_secs_f64() * 1e3
        )),
        Spoken::Note(text) => say(format_args!("  {text}")),
    }
}

impl Table {
    /// Runs a tester command. Returns whether the program is still there.
    fn obey(
        &mut self,
        kit: &'static dyn Kit,
        args: &PlayArgs,
        program: &mut InteractiveProgram,
        command: &str,
    ) -> Result<bool, String> {
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let rest = rest.trim();
        let number = |what: &str| {
            rest.parse::<u64>()
                .map_err(|_| format!(":{what} needs a number, not {rest:?}"))
        };
        match word {
            "help" => say(HELP),
            "show" => say(format_args!("  {}", self.shown())),
            "seed" => self.seed = number(word)?,
            "seat" => self.seat = number(word)? as usize,
            "players" => {
                let players = number(word)? as usize;
                if !kit.seats().contains(&players) {
                    return Err(format!("{} has {:?} players", kit.game(), kit.seats()));
                }
                self.players = players;
            }
            "rivals" => self.rivals = rest.split(',').map(|name| name.trim().to_owned()).collect(),
            "set" => self.set(kit, rest)?,
            "game" => return self.game(kit, args, program),
            _ => return Err(format!("there is no :{word}; :help lists what there is")),
        }
        Ok(true)
    }

    fn set(&mut self, kit: &dyn Kit, text: &str) -> Result<(), String> {
        let text = match text.split_once('=') {
            Some((name, value)) => format!("{}={}", name.trim(), value.trim().trim_matches('"')),
            None => format!("{text}="),
        };
        let given =
            rule_options(kit, std::slice::from_ref(&text)).map_err(|why| why.to_string())?;
        for (name, value) in given.as_object().into_iter().flatten() {
            if value.as_str() == Some("") {
                self.options.remove(name);
            } else {
                self.options.insert(name.clone(), value.clone());
            }
        }
        Ok(())
    }

    fn shown(&self) -> String {
        format!(
            "players {}, seat {}, rivals {}, seed {}, options {}",
            self.players,
            self.seat,
            self.rivals.join(","),
            self.seed,
            Value::Object(self.options.clone())
        )
    }

    fn game(
        &mut self,
        kit: &'static dyn Kit,
        args: &PlayArgs,
        program: &mut InteractiveProgram,
    ) -> Result<bool, String> {
        if self.seat >= self.players {
            return Err(format!(
                "seat {} does not exist among {} players",
                self.seat, self.players
            ));
        }
        let others = self.players - 1;
        let rivals = self.rivals.iter().cycle().take(others).cloned().collect();
        let game = InteractiveGame {
            seat: Seat(self.seat as u8),
            rivals,
            seed: self.seed,
            options: match self.options.is_empty() {
                true => Value::Null,
                false => Value::Object(self.options.clone()),
            },
            budget: args.budget(kit),
        };
        let (outcome, there) = program
            .game(&game, &mut show)
            .map_err(|why| why.to_string())?;
        self.seed += 1;
        match outcome {
            Some(Outcome { cause, scores }) => {
                let (cause, scores) = (cause.word(), spaced(scores.values()));
                say(format_args!("  the game ended: {cause}, scores {scores}"));
            }
            None => say("  the game stalled"),
        }
        Ok(there)
    }
}
