//! The players at an arbiter's table: programs on pipes or built-in bots.

use crate::link::program::{
    Cgroup, Confinement, Ended, Guard, LineFault, Machine, Marker, Program, ProgramLimits,
    ProgramOptions, ProgramSpec, StartError, Waking, sweep,
};
use crate::programs::Launch;
use crate::referee::seat::SeatLink as _;
use crate::referee::seat::budget::ThinkBudget;
use crate::referee::seat::seat_builtin::{BuiltinSeat, OurBot, Seating};
use crate::referee::seat::seat_spec::{SeatSpec, SeatSpecError};
use crate::referee::seat::{Left, SeatPrograms};
use games::{Kit, Seat, SetupError, StdioWire};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread::JoinHandle;

/// Bytes that a program may leave unread beyond its pipe's capacity.
const UNSAID_MAX: usize = 16 << 20;
/// Characters shown of what a program sent without ending the line.
const UNENDED_SHOWN: usize = 64;
/// Bytes kept of a program's standard error.
const STDERR_KEPT: usize = 64 << 10;

/// After this many answers at once in a row, the runtime does not watch a program until it has to wait for it again.
const AT_ONCE: u8 = 4;

/// How programs are run.
#[derive(Clone, Debug, Default)]
pub struct ProgramRules {
    /// Memory in bytes, if limited.
    pub memory: Option<u64>,
    /// CPU time per game in seconds, if limited.
    pub cpu_seconds: Option<u64>,
    /// Where programs get their own cgroups.
    pub cgroup: Option<Arc<Cgroup>>,
    /// Processes and threads of a program at once, if limited.
    pub processes: Option<u32>,
    /// Whether programs read the system's and their own files alone, write to a scratch folder and have no network.
    pub confined: bool,
    /// Whether a program is stopped while it is not asked, where one is asked at a time.
    pub fair: bool,
    /// What the machine is watched by, if lateness may be its doing.
    pub machine: Option<Machine>,
    /// How often a match is played again at most since the machine made a program late.
    pub replays_max: u32,
    /// Whether a match goes on without a program that can never be started: it fails its player then, not the run.
    pub goes_on: bool,
    /// Users' programs, which have their own rules.
    pub bots: SeatPrograms,
    /// How they are guarded; `None`: not at all, for executables that are no Drover.
    pub guard: Option<Guard>,
}

impl ProgramRules {
    /// How this program is started.
    #[must_use]
    pub fn options(&self, kit: &dyn Kit, program: &ProgramSpec) -> ProgramOptions {
        ProgramOptions {
            program: program.clone(),
            line_max: wire(kit).reply_line_max,
            stderr_kept: STDERR_KEPT,
            limits: self.limits(program),
            guard: self.guard,
        }
    }

    /// The same of a user's bot that speaks its game's own protocol: by its own rules.
    #[must_use]
    pub fn native(&self, kit: &dyn Kit, launch: &Launch) -> ProgramOptions {
        let options = self.bots.bots.options(launch);
        let line_max = wire(kit).reply_line_max;
        ProgramOptions {
            line_max,
            ..options
        }
    }

    /// What this program may use.
    #[must_use]
    pub fn limits(&self, program: &ProgramSpec) -> ProgramLimits {
        let here = || std::env::current_dir().unwrap_or_default();
        let confined = self.confined.then(|| {
            let folder = program.folder.clone().unwrap_or_else(here);
            Confinement::new(program, &folder, &[], &[])
        });
        ProgramLimits {
            memory: program.memory.or(self.memory),
            cpu_seconds: program.cpu_seconds.or(self.cpu_seconds),
            cgroup: self.cgroup.clone(),
            processes: self.processes,
            confinement: confined,
            together: false,
            nice: 0,
        }
    }
}

/// Why a match with programs cannot be played, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// Unknown bots or options, or a wrong number of seats.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A user's program that is not there.
    #[error(transparent)]
    Seat(#[from] SeatSpecError),
    /// A program that will never start.
    #[error(transparent)]
    Program(#[from] StartError),
    /// The system has nothing left to wait for programs with.
    #[error("a match cannot wait for its programs: {0}")]
    Thread(std::io::Error),
}

/// A player.
pub(super) enum Player {
    Program(Box<Pipe>),
    Builtin(Box<BuiltinSeat>),
}

/// A program, as long as its pipes work.
pub(super) struct Pipe {
    /// Dropped before the program closes anything.
    waking: Option<Waking>,
    /// How often it has answered since the runtime had to wait for it.
    at_once: u8,
    pub(super) program: Option<Program>,
    /// Whether it could be started.
    pub(super) started: bool,
    /// Bytes that its pipe has not accepted yet.
    unsaid: Vec<u8>,
    /// Why they no longer work, or how it ended.
    pub(super) failure: Option<String>,
    /// What it did that ended its part, as far as its pipes show.
    pub(super) seen: Option<&'static str>,
    /// What it sent of a line that it did not end in time, as a sentence.
    pub(super) unended: Option<String>,
    pub(super) fair: bool,
    /// Whether it has answered: until then it starts, and is not stopped.
    has_answered: bool,
    farewell: Option<&'static str>,
    stderr: (Vec<u8>, u64),
    /// The marker of processes that it may have left behind, once it has ended.
    marker: Option<Marker>,
    /// The thread that ends it.
    ending: Option<JoinHandle<Ended>>,
}

impl Player {
    /// Seats a player. A program that the system is too busy to start is a player that cannot answer.
    pub(super) fn seat(
        kit: &'static dyn Kit,
        spec: &SeatSpec,
        seed: u64,
        budget: ThinkBudget,
        models: bool,
        rules: &ProgramRules,
    ) -> Result<Self, PlayError> {
        if let SeatSpec::Program(program) = spec {
            let options = rules.options(kit, program);
            return Ok(Self::Program(Box::new(Pipe::start(kit, &options, rules)?)));
        }
        let launch;
        let bot = match spec {
            SeatSpec::Bot(name) => {
                let found = rules.bots.bots.find(&name.to_string());
                SeatSpec::found(name, found.as_deref(), kit)?;
                if let Some(native) = found.as_deref().filter(|found| found.is_native()) {
                    let options = rules.native(kit, native);
                    return Ok(Self::Program(Box::new(Pipe::start(kit, &options, rules)?)));
                }
                launch = found;
                launch.as_ref().map(OurBot::Program)
            }
            other => other.builtin().map(OurBot::Named),
        };
        let bot = bot.unwrap_or(OurBot::Named(""));
        let seating = Seating {
            bot,
            seed,
            learnt: None,
            budget,
            models,
            programs: &rules.bots,
            permits: None,
        };
        Ok(Self::Builtin(Box::new(BuiltinSeat::new(kit, seating)?)))
    }
}

fn wire(kit: &dyn Kit) -> &'static StdioWire {
    &kit.card().stdio
}

impl Pipe {
    pub(super) fn start(
        kit: &dyn Kit,
        options: &ProgramOptions,
        rules: &ProgramRules,
    ) -> Result<Self, StartError> {
        let wire = wire(kit);
        let started = Program::start(options);
        let (program, failure) = match started {
            Ok(program) => (Some(program), None),
            Err(why) if why.lasts() && !rules.goes_on => return Err(why),
            Err(why) => (None, Some(why.to_string())),
        };
        Ok(Self {
            waking: None,
            at_once: 0,
            started: program.is_some(),
            program,
            unsaid: Vec::new(),
            failure,
            seen: None,
            unended: None,
            fair: rules.fair,
            has_answered: false,
            farewell: wire.farewell,
            stderr: (Vec::new(), 0),
            marker: None,
            ending: None,
        })
    }

    /// What it has said before it was asked.
    pub(super) fn early(&mut self) -> Option<Vec<u8>> {
        let program = self.program.as_mut()?;
        program.read();
        let said = program.unended();
        (!said.trim_ascii().is_empty()).then(|| said.trim_ascii().to_vec())
    }

    /// Notes what it did instead of answering.
    pub(super) fn saw(&mut self, fault: &LineFault) {
        let seen = match fault {
            LineFault::Gone => "it closed its output and ran on",
            LineFault::Deaf => "it closed its input and ran on",
            LineFault::Late | LineFault::TooLong(_) => {
                let said = self.program.as_ref().map_or(&[][..], Program::unended);
                let said = String::from_utf8_lossy(said.trim_ascii());
                let shown: String = said.chars().take(UNENDED_SHOWN).collect();
                let ended = shown.is_empty() || *fault != LineFault::Late;
                self.unended = (!ended).then(|| format!("{shown:?} has no end of line"));
                return;
            }
        };
        self.seen.get_or_insert(seen);
    }

    /// Sends it a frame, as much as its pipe accepts at once; the rest follows by [`Pipe::line`].
    pub(super) fn send_frame(&mut self, frame: &str) -> Result<(), LineFault> {
        self.unsaid.extend_from_slice(frame.as_bytes());
        self.unsaid.push(b'\n');
        if self.fair
            && let Some(program) = &self.program
        {
            program.resume();
        }
        self.send_rest()
    }

    /// Sends it more of what its pipe did not accept.
    fn send_rest(&mut self) -> Result<(), LineFault> {
        let program = self.program.as_mut().ok_or(LineFault::Gone)?;
        program.push(&mut self.unsaid)?;
        if self.unsaid.len() > UNSAID_MAX {
            return Err(LineFault::Late);
        }
        Ok(())
    }

    /// A line that has been read, once everything is sent to it.
    pub(super) fn line(&mut self) -> Result<Option<Vec<u8>>, LineFault> {
        if !self.unsaid.is_empty() {
            self.send_rest()?;
        }
        self.program.as_mut().ok_or(LineFault::Gone)?.next_line()
    }

    /// It has answered at once: while it does so, each answer would wake the runtime for nothing.
    pub(super) fn answered_at_once(&mut self) {
        self.at_once = self.at_once.saturating_add(1);
        if self.at_once >= AT_ONCE {
            self.waking = None;
        }
    }

    /// Ready once it has said or accepted something, or is gone.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(program) = &mut self.program else {
            return Poll::Ready(());
        };
        self.at_once = 0;
        let waking = match self.waking.take() {
            Some(waking) => Ok(waking),
            None => Waking::new(program),
        };
        let polled = waking.and_then(|mut waking| {
            let polled = waking.poll(program, &mut self.unsaid, context);
            self.waking = Some(waking);
            match polled {
                Poll::Ready(ready) => ready.map(Poll::Ready),
                Poll::Pending => Ok(Poll::Pending),
            }
        });
        polled.unwrap_or_else(|_| {
            self.end();
            Poll::Ready(())
        })
    }

    /// Stops it until the next message, if it has started. `answered`: it has, at the latest now.
    pub(super) fn rest(&mut self, answered: bool) {
        self.has_answered |= answered;
        let rests = self.fair && self.has_answered && self.unsaid.is_empty();
        if let Some(program) = self.program.as_ref().filter(|_| rests) {
            program.pause();
        }
    }

    /// Notifies it that it is no longer needed.
    fn dismiss(&mut self) {
        self.waking = None;
        if let Some(program) = &mut self.program {
            if self.fair {
                program.resume();
            }
            program.dismiss(self.farewell);
        }
    }

    /// Ends it, if it has not ended, on a separate thread: the others' clocks run meanwhile.
    pub(super) fn end(&mut self) {
        self.waking = None;
        let Some(program) = self.program.take() else {
            return;
        };
        if self.fair {
            program.resume();
        }
        // Without a thread it is killed here and now, and how it ended is unknown.
        let ending = std::thread::Builder::new().name("ending".to_owned());
        self.ending = ending.spawn(move || program.end()).ok();
    }

    /// Waits for its end, if it is being ended.
    pub(super) fn settle(&mut self) {
        let Some(Ok(ended)) = self.ending.take().map(JoinHandle::join) else {
            return;
        };
        self.failure = Some(match self.seen {
            Some(seen) if !ended.by_itself => seen.to_owned(),
            _ => ended.manner(),
        });
        let Ended {
            marker,
            stderr,
            stderr_total,
            ..
        } = ended;
        self.marker = marker;
        self.stderr = (stderr, stderr_total);
    }

    /// The end of its standard error, noting what is missing.
    fn stderr(&self) -> String {
        let (kept, total) = &self.stderr;
        let text = String::from_utf8_lossy(kept);
        match total.saturating_sub(kept.len() as u64) {
            0 => text.into_owned(),
            lost => format!("[{lost} bytes before this were not kept]\n{text}"),
        }
    }
}

/// The program on this seat, if one plays there.
pub(super) fn program_of(players: &mut [Player], seat: Seat) -> Option<&mut Pipe> {
    match players.get_mut(seat.index()) {
        Some(Player::Program(pipe)) => Some(pipe),
        _ => None,
    }
}

/// Waits until the programs of users' bots, which were ended ([`end`]), have left; notes what they left behind.
pub(super) async fn leave(players: &mut [Player], left: &mut [Left]) {
    for (player, left) in players.iter_mut().zip(left) {
        let Player::Builtin(bot) = player else {
            continue;
        };
        bot.leave().await;
        if let Some(account) = bot.account() {
            *left = Left {
                late: left.late,
                ..Left::from(&account)
            };
        }
    }
}

/// Ends all programs, so that nothing of them runs on; returns what each left behind, but for bots ([`leave`]). Blocks.
pub(super) fn end(players: &mut [Player]) -> Vec<Left> {
    // All are notified first, so that they end at the same time.
    for player in &mut *players {
        match player {
            Player::Program(pipe) => pipe.dismiss(),
            Player::Builtin(bot) => bot.hang_up(),
        }
    }
    for player in &mut *players {
        if let Player::Program(pipe) = player {
            pipe.end();
        }
    }
    let mut markers = Vec::new();
    let ended = players.iter_mut().map(|player| match player {
        Player::Program(pipe) => {
            pipe.settle();
            markers.extend(pipe.marker.take());
            let stderr = match &pipe.failure {
                Some(failure) if !pipe.started => failure.clone(),
                _ => pipe.stderr(),
            };
            Left {
                stderr,
                ..Left::default()
            }
        }
        Player::Builtin(_) => Left::default(),
    });
    let left = ended.collect();
    if !markers.is_empty() {
        sweep(&markers);
    }
    left
}
