//! The players at an arbiter's table: programs on pipes or built-in bots.

use crate::link::program::{
    Cgroup, Confinement, Ended, Guard, LineFault, Machine, Marker, Program, ProgramLimits,
    ProgramOptions, ProgramSpec, StartError,
};
use crate::programs::Launch;
use crate::referee::seat::SeatPrograms;
use crate::referee::seat::budget::ThinkBudget;
use crate::referee::seat::seat_builtin::{Builtin, OurBot};
use crate::referee::seat::seat_spec::{SeatSpec, SeatSpecError};
use games::{DialogueSetup, Kit, SetupError, StdioWire};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Bytes that a program may leave unread beyond its pipe's capacity.
const UNSAID_MAX: usize = 16 << 20;
/// Characters shown of what a program sent without ending the line.
const UNENDED_SHOWN: usize = 64;
/// Bytes kept of a program's standard error.
const STDERR_KEPT: usize = 64 << 10;

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
            Confinement::of(program, &folder, &[], &[])
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
}

/// A player.
pub(super) enum Player {
    Program(Box<Pipes>),
    Builtin(Builtin),
}

/// A program, as long as its pipes work.
pub(super) struct Pipes {
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
    pub(super) has_answered: bool,
    farewell: Option<&'static str>,
    stderr: (Vec<u8>, u64),
    /// The marker of processes that it may have left behind, once it has ended.
    pub(super) marker: Option<Marker>,
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
            return Ok(Self::Program(Box::new(Pipes::start(kit, &options, rules)?)));
        }
        let setup = DialogueSetup {
            models,
            ..DialogueSetup::of("", seed)
        };
        let playing = (budget, &rules.bots);
        let launch;
        let bot = match spec {
            SeatSpec::Bot(name) => {
                let found = rules.bots.bots.find(&name.to_string());
                SeatSpec::found(name, found.as_deref(), kit)?;
                if let Some(native) = found.as_deref().filter(|found| found.is_native()) {
                    let options = rules.native(kit, native);
                    return Ok(Self::Program(Box::new(Pipes::start(kit, &options, rules)?)));
                }
                launch = found;
                launch.as_ref().map(OurBot::Program)
            }
            other => other.builtin().map(OurBot::Named),
        };
        let bot = bot.unwrap_or(OurBot::Named(""));
        let mut seated = Builtin::new(kit, bot, setup, playing)?;
        seated.recall();
        Ok(Self::Builtin(seated))
    }
}

fn wire(kit: &dyn Kit) -> &'static StdioWire {
    &kit.card().stdio
}

impl Pipes {
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
        let said = program.unheard();
        (!said.trim_ascii().is_empty()).then(|| said.trim_ascii().to_vec())
    }

    /// Notes what it did instead of answering.
    pub(super) fn saw(&mut self, fault: &LineFault) {
        let seen = match fault {
            LineFault::Gone => "it closed its output and ran on",
            LineFault::Deaf => "it closed its input and ran on",
            LineFault::Late | LineFault::TooLong(_) => {
                let said = self.program.as_ref().map_or(&[][..], Program::unheard);
                let said = String::from_utf8_lossy(said.trim_ascii());
                let shown: String = said.chars().take(UNENDED_SHOWN).collect();
                let ended = shown.is_empty() || *fault != LineFault::Late;
                self.unended = (!ended).then(|| format!("{shown:?} has no end of line"));
                return;
            }
        };
        self.seen.get_or_insert(seen);
    }

    /// Sends it a frame, as much as its pipe accepts at once; the rest follows by [`Pipes::tell_rest`].
    /// Returns whether all was sent.
    pub(super) fn tell(&mut self, frame: &str) -> Result<bool, LineFault> {
        self.unsaid.extend_from_slice(frame.as_bytes());
        self.unsaid.push(b'\n');
        if self.fair
            && let Some(program) = &self.program
        {
            program.resume();
        }
        self.tell_rest()
    }

    /// Sends it more of what its pipe did not accept. Returns whether that was all.
    pub(super) fn tell_rest(&mut self) -> Result<bool, LineFault> {
        let program = self.program.as_mut().ok_or(LineFault::Gone)?;
        program.push(&mut self.unsaid)?;
        if self.unsaid.len() > UNSAID_MAX {
            return Err(LineFault::Late);
        }
        Ok(self.unsaid.is_empty())
    }

    /// Stops it until the next message, if it has started.
    pub(super) fn rest(&self) {
        if let Some(program) = self
            .program
            .as_ref()
            .filter(|_| self.fair && self.has_answered)
        {
            program.pause();
        }
    }

    /// Tells it that it is no longer needed.
    pub(super) fn dismiss(&mut self) {
        if let Some(program) = &mut self.program {
            if self.fair {
                program.resume();
            }
            program.dismiss(self.farewell);
        }
    }

    /// Ends it, if it has not ended, on a separate thread: the others' clocks run meanwhile.
    pub(super) fn end(&mut self) {
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
    pub(super) fn stderr(&self) -> String {
        let (kept, total) = &self.stderr;
        let text = String::from_utf8_lossy(kept);
        match total.saturating_sub(kept.len() as u64) {
            0 => text.into_owned(),
            lost => format!("[{lost} bytes before this were not kept]\n{text}"),
        }
    }
}
