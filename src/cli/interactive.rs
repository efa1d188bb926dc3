//! `drover play GAME --interactive SPEC`: talks to a program by hand, `cmd:…` in its game's words, `bot:…` in JSON lines.
//! Lines are sent to it as they are; lines that begin with a colon are commands of the tester itself.

use super::output::spaced;
use super::play_args::{PlayArgs, SEED, rule_options};
use super::usage::{UsageError, refuse};
use crate::link::program::{Ended, ProgramOptions, adopt_orphans};
use crate::plain::plain;
use crate::referee::arbiter::{InteractiveProgram, ProgramRules, Spoken, watch_game};
use crate::referee::{MatchSpec, Pipes, SeatSpec};
use anyhow::Context as _;
use games::{Kit, Outcome, Seat, Wire};
use serde_json::{Map, Value};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use tokio::runtime::Handle;

/// How much of the program's standard error is shown at the end.
const STDERR_KEPT: usize = 8 << 10;
/// The default bot on the other seats.
const RIVAL: &str = "rules";
/// The default number of players, in games that allow it.
const PLAYERS: usize = 4;

const HELP: &str = "\
A line is sent to the program as it is, and its reply shown with the time it took; a message of several \
lines is sent when it is whole. Lines for the tester:
  :restart          end the program and start it again
  :game             play a whole game with a process of its own, showing all that it receives and says, \
tricks and points
  :set NAME=VALUE   a rule option for :game, such as values=789TJQKA, suits=SH, deals=\"1 0 2 1\"; \
without VALUE: the default
  :players N        how many play in :game
  :seat K           the program's seat in :game, from 1
  :rivals A,B,…     who plays on the other seats, built-in bots by name, cmd:PROGRAM ARGS or bot:NAME; a single one \
plays on all of them
  :seed S           the seed of the next :game; it then rises by one a game
  :log FILE         write all that is shown to a file too; without FILE: no longer
  :show             what is set
  :help             this
  :quit             end the program by its own word, and the tester (so does the end of the input)";

/// The tester.
struct Tester<'a> {
    kit: &'static dyn Kit,
    args: &'a PlayArgs,
    spec: SeatSpec,
    rules: ProgramRules,
    /// The program that lines are sent to, while it is there.
    program: Option<InteractiveProgram>,
    players: usize,
    seat: usize,
    rivals: Vec<SeatSpec>,
    seed: u64,
    options: Map<String, Value>,
    screen: Screen,
}

/// Where all goes that is shown.
#[derive(Default)]
struct Screen {
    log: Option<File>,
}

impl Screen {
    fn line(&mut self, text: &str) {
        say(text);
        self.note(text);
    }

    /// Writes a line to the log only.
    fn note(&mut self, text: &str) {
        if let Some(log) = &mut self.log
            && let Err(why) = writeln!(log, "{text}")
        {
            self.log = None;
            say(format_args!(
                "  the log file cannot be written any more: {why}"
            ));
        }
    }

    fn spoken(&mut self, spoken: Spoken) {
        match spoken {
            Spoken::To(text) => self.line(&format!("> {text}")),
            Spoken::By(text, _) if text.trim().is_empty() => {}
            Spoken::By(text, took) => {
                self.line(&format!("< {text}    ({:.1} ms)", took.as_secs_f64() * 1e3));
            }
            Spoken::Note(text) => self.line(&format!("  {text}")),
        }
    }

    fn ended(&mut self, ended: &Ended) {
        self.line(&format!("  the program ended: {}", ended.manner()));
        if !ended.stderr.is_empty() {
            let bytes = ended.stderr_total;
            self.line(&format!(
                "  its standard error, {bytes} bytes in all, ended:"
            ));
            self.line(String::from_utf8_lossy(&ended.stderr).trim_end());
        }
    }
}

/// Runs the tester until the input ends.
///
/// # Errors
/// [`UsageError`] for a game without programs or a seat that does not exist; a program that does not start.
pub(super) fn run(kit: &'static dyn Kit, args: &PlayArgs, spec: &str) -> anyhow::Result<()> {
    if kit.card().wire != Wire::Stdio {
        return refuse(format!(
            "--interactive: {} players are no programs on pipes",
            kit.card().name
        ));
    }
    let spec: SeatSpec = spec
        .parse()
        .map_err(|error| UsageError(format!("{error}")))?;
    if !matches!(spec, SeatSpec::Program(_) | SeatSpec::Bot(_)) {
        return refuse(format!(
            "--interactive {spec}: write cmd:PROGRAM ARGS or bot:NAME"
        ));
    }
    adopt_orphans().context("programs' orphans cannot be adopted")?;
    let options = rule_options(kit, &args.options)?;
    let mut tester = Tester {
        kit,
        args,
        spec,
        rules: args.programs(kit, args.isolation().is_ok())?,
        program: None,
        players: args
            .players
            .unwrap_or(PLAYERS.clamp(*kit.card().seats.start(), *kit.card().seats.end())),
        seat: 0,
        rivals: vec![rival(kit)],
        seed: args.seed.unwrap_or(SEED),
        options: options.as_object().cloned().unwrap_or_default(),
        screen: Screen::default(),
    };
    if let Some(ms) = args.timeout.map(|timeout| timeout.as_millis() as u64)
        && let Some(name) = kit.card().stdio.time_option
    {
        tester.options.insert(name.to_owned(), ms.into());
    }
    tester.start()?;
    tester.talk()?;
    tester.end();
    Ok(())
}

/// A line for the tester; that nobody reads it is no failure.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{}", plain(&line.to_string()));
}

fn rival(kit: &dyn Kit) -> SeatSpec {
    let cards = kit.card().bots;
    let usual = cards.iter().find(|card| card.name == RIVAL);
    let name = usual.or(cards.first()).map_or("", |card| card.name);
    SeatSpec::Builtin(name.to_owned())
}

impl Tester<'_> {
    fn start(&mut self) -> anyhow::Result<()> {
        let (rules, screen) = (&self.rules, &mut self.screen);
        if let SeatSpec::Bot(name) = &self.spec {
            let bots = &rules.bots.bots;
            let launch = bots.find(&name.to_string());
            SeatSpec::found(name, launch.as_deref(), self.kit)?;
            self.program = match launch {
                Some(launch) if launch.is_native() => {
                    let options = rules.native(self.kit, &launch);
                    Some(InteractiveProgram::start(self.kit, &options)?)
                }
                Some(launch) if launch.url.is_some() => {
                    let (name, game) = (&launch.name, self.kit.card().name);
                    return refuse(format!(
                        "bot:{name} is called at a URL, and there is no program to talk to; post lines to it with \
                         curl --data-binary @FILE, or let it play: drover practice {game} --bot bot:{name}"
                    ));
                }
                Some(launch) => {
                    let options = bots.options(&launch);
                    let mut show_spoken = |spoken| screen.spoken(spoken);
                    Some(InteractiveProgram::start_bot(
                        self.kit,
                        &options,
                        &mut show_spoken,
                    )?)
                }
                None => None,
            };
        }
        let SeatSpec::Program(program) = &self.spec else {
            return Ok(());
        };
        let options = ProgramOptions {
            program: program.clone(),
            line_max: self.kit.card().stdio.reply_line_max,
            stderr_kept: STDERR_KEPT,
            limits: rules.limits(program),
            guard: rules.guard,
        };
        self.program = Some(InteractiveProgram::start(self.kit, &options)?);
        Ok(())
    }

    /// Ends the program, if it is there, and shows how.
    fn end(&mut self) {
        let screen = &mut self.screen;
        if let Some(program) = self.program.take() {
            let ended = program.end(&mut |spoken| screen.spoken(spoken));
            screen.ended(&ended);
        }
    }

    /// Follows the input to its end.
    fn talk(&mut self) -> anyhow::Result<()> {
        let talks = std::io::stdin().is_terminal();
        if talks {
            let game = self.kit.card().name;
            say(format_args!(
                "{game} is started; :help lists what can be done"
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
                return Ok(());
            };
            match line.trim().strip_prefix(':') {
                Some("quit") => return Ok(()),
                Some(command) => {
                    self.screen.note(line.trim());
                    if let Err(why) = self.obey(command) {
                        self.screen.line(&format!("  {why}"));
                    }
                }
                None if line.trim().is_empty() => {}
                None => {
                    message.push_str(line.trim_end());
                    let program = self.program.as_ref();
                    let whole = match program {
                        Some(program) => program.completes(&line),
                        None => self.kit.card().dialect.completes(line.as_bytes()),
                    };
                    if whole {
                        self.send(&std::mem::take(&mut message));
                    } else {
                        message.push('\n');
                    }
                }
            }
        }
    }

    fn send(&mut self, message: &str) {
        let screen = &mut self.screen;
        let there = match &mut self.program {
            Some(program) => program.send(message, &mut |spoken| screen.spoken(spoken)),
            None => return screen.line("  no program is running; :restart starts it"),
        };
        if !there {
            self.end();
        }
    }

    /// Runs a tester command.
    fn obey(&mut self, command: &str) -> Result<(), String> {
        let kit = self.kit;
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let rest = rest.trim();
        let number = |what: &str| {
            rest.parse::<u64>()
                .map_err(|_| format!(":{what} needs a number, not {rest:?}"))
        };
        match word {
            "help" => say(HELP),
            "show" => {
                let shown = format!("  {}", self.shown());
                self.screen.line(&shown);
            }
            "seed" => self.seed = number(word)?,
            "seat" => match number(word)? as usize {
                0 => return Err("seats are numbers from 1".to_owned()),
                seat => self.seat = seat - 1,
            },
            "players" => {
                let players = number(word)? as usize;
                if !kit.card().seats.contains(&players) {
                    return Err(format!(
                        "{} has {:?} players",
                        kit.card().name,
                        kit.card().seats
                    ));
                }
                self.players = players;
            }
            "rivals" => self.rivals = rivals(kit, rest)?,
            "set" => self.set(rest)?,
            "game" => return self.game(),
            "restart" => {
                self.end();
                self.start().map_err(|why| why.to_string())?;
                self.screen.line("  the program is started again");
            }
            "log" if rest.is_empty() => self.screen.log = None,
            "log" => {
                let log = File::create(rest).map_err(|why| format!(":log {rest}: {why}"))?;
                self.screen.log = Some(log);
            }
            _ => return Err(format!("there is no :{word}; :help lists what there is")),
        }
        Ok(())
    }

    fn set(&mut self, text: &str) -> Result<(), String> {
        let text = match text.split_once('=') {
            Some((name, value)) => format!("{}={}", name.trim(), value.trim().trim_matches('"')),
            None => format!("{text}="),
        };
        let given =
            rule_options(self.kit, std::slice::from_ref(&text)).map_err(|why| why.to_string())?;
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
        let rivals: Vec<String> = self.rivals.iter().map(shown_rival).collect();
        format!(
            "players {}, seat {}, rivals {}, seed {}, options {}",
            self.players,
            self.seat + 1,
            rivals.join(","),
            self.seed,
            Value::Object(self.options.clone())
        )
    }

    /// Plays a whole game, with processes of its own.
    fn game(&mut self) -> Result<(), String> {
        if self.seat >= self.players {
            return Err(format!(
                "seat {} does not exist among {} players",
                self.seat + 1,
                self.players
            ));
        }
        let mut seats: Vec<&SeatSpec> = self.rivals.iter().cycle().take(self.players - 1).collect();
        seats.insert(self.seat, &self.spec);
        let options = match self.options.is_empty() {
            true => Value::Null,
            false => Value::Object(self.options.clone()),
        };
        let seats = seats.into_iter().cloned().collect();
        let spec = MatchSpec::new(self.kit, seats, self.seed, options);
        let pipes = Pipes {
            budget: self.args.budget(self.kit),
            models: false,
            rules: self.rules.clone(),
        };
        let screen = &mut self.screen;
        let mut follow = |spoken| screen.spoken(spoken);
        let game = watch_game(spec, pipes, Seat(self.seat as u8), &mut follow);
        let ended = Handle::current()
            .block_on(game)
            .map_err(|why| why.to_string())?;
        self.seed += 1;
        let left = ended.as_ref().and_then(|ended| ended.left.get(self.seat));
        let stderr = left.map(|left| &left.stderr);
        if let Some(text) = stderr.filter(|text| !text.is_empty()) {
            let end = text.floor_char_boundary(text.len().saturating_sub(STDERR_KEPT));
            self.screen.line("  its standard error ended:");
            self.screen
                .line(text.get(end..).unwrap_or_default().trim_end());
        }
        if let Some(Outcome { cause, scores }) = ended.map(|ended| ended.outcome) {
            let (cause, scores) = (cause.word(), spaced(scores.values()));
            let text = format!("  the game ended: {cause}, scores {scores}");
            self.screen.line(&text);
        }
        Ok(())
    }
}

fn shown_rival(spec: &SeatSpec) -> String {
    spec.builtin().map_or(spec.to_string(), str::to_owned)
}

/// Rivals by name, or as seats are written.
fn rivals(kit: &dyn Kit, text: &str) -> Result<Vec<SeatSpec>, String> {
    let one = |text: &str| {
        let spec = match text.contains(':') {
            true => text.parse()?,
            false => SeatSpec::Builtin(text.to_owned()),
        };
        spec.check(kit).map(|()| spec)
    };
    let all = text.split(',').map(|text| one(text.trim()));
    all.collect::<Result<_, _>>().map_err(|why| why.to_string())
}
