//! One game: the table's calls go out, lines come back, and all time is charged to whoever used it.

use super::course::Course;
use super::players::Player;
use super::watch::{Spoken, Watch};
use crate::link::program::{LineFault, Machine, Program, ready};
use crate::referee::seat::Left;
use crate::replay::RecordedReply;
use games::Histogram;
use games::{Blame, Call, Cause, Exchange, Noted, Outcome, Participation, Reply, Seat, Table};
use rustix::event::PollFlags;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often to check for an abort while waiting.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How many times to yield the CPU before sleeping until an answer.
const YIELDS: u32 = 8;
/// The maximum number of calls of one game, far above its own bounds.
const CALLS_MAX: usize = 20_000_000;
/// The maximum number of reads of what a player sent before its deadline.
const LOOKS_MAX: u32 = 64;
/// The largest reply, in bytes.
const REPLY_MAX: usize = 16 << 20;

/// A game that reached its end.
pub struct Ended {
    /// The outcome.
    pub outcome: Outcome,
    /// The players at fault, how, and how it showed.
    pub blames: Vec<Blame>,
    /// What else the table noted, by seat.
    pub noted: Vec<Noted>,
    /// What was sent and received, if recorded.
    pub transcript: Vec<Exchange>,
    /// Times of decisions from call to answer, by seat.
    pub took: Vec<Histogram>,
    /// Why the machine made a program late that was blamed for it, if it did.
    pub excuse: Option<String>,
    /// What each seat's program left behind.
    pub left: Vec<Left>,
    /// How each seat took part.
    pub participation: Vec<Option<Participation>>,
}

impl Ended {
    /// The same with what its programs left behind when they had ended.
    pub(super) fn with(mut self, left: Vec<Left>) -> Self {
        for (own, left) in self.left.iter_mut().zip(left) {
            *own = Left {
                late: own.late,
                ..left
            };
        }
        self
    }
}

/// A call waiting for an answer.
struct Open {
    seat: Seat,
    /// Whether the whole call has been written to the player's pipe.
    told: bool,
    /// When sending began.
    since: Instant,
    within: Duration,
    /// Whether the answer is a decision.
    decides: bool,
    /// How much of the time since then has been charged at the table, in whole microseconds.
    charged: Duration,
    said: Vec<u8>,
    lines: usize,
    /// Whether its pipe has been read after the deadline.
    looked: bool,
    /// Whether there was no answer in time.
    late: bool,
    /// Its index in the transcript.
    entry: usize,
}

/// A running game.
pub(super) struct Game<'a, 'w> {
    pub(super) table: &'a mut dyn Table,
    pub(super) players: &'a mut [Player],
    pub(super) abort: &'a AtomicBool,
    /// Whether the transcript is kept.
    record: bool,
    calls: usize,
    /// Calls that are due before the table makes any.
    first: Vec<Call>,
    open: Vec<Open>,
    /// Whether several are asked for decisions at once.
    together: bool,
    machine: Option<&'a Machine>,
    /// From when to when a program was waited for in vain that lost for it.
    late: Vec<(Instant, Instant)>,
    transcript: Vec<Exchange>,
    took: Vec<Histogram>,
    courses: Vec<Course>,
    /// Who follows one seat.
    watch: Option<Watch<'w>>,
}

impl<'a, 'w> Game<'a, 'w> {
    pub(super) fn new(
        table: &'a mut dyn Table,
        players: &'a mut [Player],
        abort: &'a AtomicBool,
        record: bool,
        watch: Option<Watch<'w>>,
    ) -> Self {
        Self {
            record,
            calls: 0,
            first: Vec::new(),
            took: players.iter().map(|_| Histogram::default()).collect(),
            courses: players.iter().map(|_| Course::default()).collect(),
            table,
            players,
            abort,
            open: Vec::new(),
            together: false,
            machine: None,
            late: Vec::new(),
            transcript: Vec::new(),
            watch,
        }
    }

    /// The same on a machine that is watched.
    pub(super) fn on(self, machine: Option<&'a Machine>) -> Self {
        Self { machine, ..self }
    }

    /// The same with calls that the table has made already.
    pub(super) fn first(self, first: Vec<Call>) -> Self {
        Self { first, ..self }
    }

    /// Plays it to its end; `None` if it was aborted.
    pub(super) fn play(mut self) -> Option<Ended> {
        let mut calls = std::mem::take(&mut self.first);
        loop {
            self.table.calls(&mut calls);
            // Bots in this process first: programs' clocks do not run while these think. Messages that need
            // no answer go out before anyone thinks.
            calls.sort_by_key(|call: &Call| {
                let builtin = matches!(self.player(call.seat), Some(Player::Builtin(_)));
                (call.answer_within.is_some(), !builtin)
            });
            let asked = calls.iter().filter(|call| call.decides).count();
            // All think at the same time: none is stopped.
            self.together |= asked > 1;
            let called = !calls.is_empty();
            for call in calls.drain(..) {
                self.call(call);
            }
            if let Some(outcome) = self.table.outcome() {
                return Some(self.ended(outcome));
            }
            if !called && self.open.is_empty() || self.calls > CALLS_MAX {
                let scores = self.players.iter().map(|_| 0).collect();
                let cause = Cause::Stalled;
                return Some(self.ended(Outcome { cause, scores }));
            }
            if self.abort.load(Ordering::Relaxed) {
                return None;
            }
            self.listen();
        }
    }

    fn ended(self, outcome: Outcome) -> Ended {
        let mut blames = self.table.blames();
        let seats = (0u8..).map(Seat).zip(&mut *self.players).zip(&self.courses);
        let participation = seats.map(|((seat, player), course)| {
            let blame = blames.iter().find(|blame| blame.seat == seat);
            Some(course.participation(player, blame))
        });
        let participation = participation.collect();
        for blame in &mut blames {
            if let Some(Player::Program(pipes)) = self.players.get_mut(blame.seat.index()) {
                pipes.settle();
            }
            let Some(Player::Program(pipes)) = self.players.get(blame.seat.index()) else {
                continue;
            };
            let more = match blame.cause {
                Cause::Crash => pipes.failure.as_deref(),
                // What a program is started from is its owner's: see `play::end`.
                Cause::InitFailure if !pipes.started => Some("it could not be started"),
                Cause::InitFailure => pipes.unended.as_deref().or(pipes.failure.as_deref()),
                Cause::TimeForfeit => pipes.unended.as_deref(),
                _ => None,
            };
            if let Some(more) = more {
                blame.detail.push_str(": ");
                blame.detail.push_str(more);
            }
        }
        let seats = (0..self.players.len() as u8).map(Seat);
        let left = self.courses.iter().map(|course| Left::late(course.late));
        let excuse = self.machine.and_then(|machine| {
            let mut late = self.late.iter();
            late.find_map(|(since, until)| machine.between(*since, *until).excuse())
        });
        Ended {
            outcome,
            blames,
            noted: seats.map(|seat| self.table.noted(seat)).collect(),
            transcript: self.transcript,
            took: self.took,
            excuse,
            left: left.collect(),
            participation,
        }
    }

    fn player(&mut self, seat: Seat) -> Option<&mut Player> {
        self.players.get_mut(seat.index())
    }

    fn call(&mut self, call: Call) {
        let Call {
            seat,
            text,
            answer_within,
            pause,
            decides,
        } = call;
        let wanted = answer_within.is_some();
        if matches!(self.player(seat), Some(Player::Program(_))) {
            rest(pause);
        }
        let mut open = Open {
            seat,
            told: false,
            since: Instant::now(),
            within: answer_within.unwrap_or_default(),
            decides,
            charged: Duration::ZERO,
            said: Vec::new(),
            lines: 0,
            looked: false,
            late: false,
            entry: self.transcript.len(),
        };
        self.calls += 1;
        if self.record {
            self.transcript.push(Exchange {
                seat,
                call: text.clone(),
                reply: None,
                took: None,
            });
        }
        if let Some(watch) = self.watch.as_mut().filter(|watch| watch.seat == seat) {
            watch.called(&text);
        }
        if wanted
            && self.table.lock_step()
            && let Some(Player::Program(pipes)) = self.player(seat)
            && let Some(early) = pipes.early()
        {
            let early = plain(&early);
            self.note(open, &RecordedReply::Early(early));
            self.end_if_blamed(seat, None, true);
            return;
        }
        let together = self.together;
        match self.player(seat) {
            Some(Player::Program(pipes)) => match pipes.tell(&text) {
                Ok(told) if wanted => {
                    open.told = told;
                    self.open.push(open);
                }
                Ok(told) => {
                    if told && !together {
                        pipes.rest();
                    }
                }
                Err(fault) => {
                    // Half a line may have been written: it can no longer be sent anything.
                    self.end(seat);
                    if wanted {
                        self.fault(open, &fault);
                    }
                }
            },
            Some(Player::Builtin(builtin)) => {
                let answer = builtin.answer(&text);
                self.charge(&mut open);
                match answer {
                    Some(answer) if wanted => {
                        if let Some(watch) = self.watch.as_mut().filter(|watch| watch.seat == seat)
                        {
                            let lines = answer.lines().map(str::to_owned);
                            lines.for_each(|line| (watch.hear)(Spoken::By(line, open.charged)));
                        }
                        open.said = answer.into_bytes();
                        self.table.answer(seat, Reply::Text(&open.said));
                        self.close(open);
                    }
                    None if wanted => self.fault(open, &LineFault::Gone),
                    Some(_) | None => {}
                }
            }
            None => {}
        }
    }

    /// Charges the further time of a call at the table.
    fn charge(&mut self, open: &mut Open) {
        let whole = Duration::from_micros(open.since.elapsed().as_micros() as u64);
        let fresh = whole.saturating_sub(open.charged);
        open.charged += fresh;
        self.table.spent(open.seat, fresh);
    }

    /// Records an answer.
    fn close(&mut self, open: Open) {
        if let Some(watch) = &mut self.watch
            && watch.seat == open.seat
        {
            watch.answered(&String::from_utf8_lossy(&open.said));
        }
        if let Some(times) = self.took.get_mut(open.seat.index())
            && open.decides
        {
            times.add(open.charged);
        }
        if let Some(course) = self.courses.get_mut(open.seat.index()) {
            course.closed(open.decides, open.late);
        }
        if let Some(heard) = self.transcript.get_mut(open.entry) {
            heard.reply = Some(String::from_utf8_lossy(&open.said).into_owned());
            heard.took = Some(open.charged);
        }
        if let Some(Player::Program(pipes)) = self.players.get_mut(open.seat.index()) {
            pipes.has_answered = true;
            if !self.together {
                pipes.rest();
            }
        }
    }

    /// A call without a complete answer.
    fn fault(&mut self, mut open: Open, fault: &LineFault) {
        self.charge(&mut open);
        let seat = open.seat;
        let late = (*fault == LineFault::Late).then_some(open.since);
        if let Some(Player::Program(pipes)) = self.player(seat) {
            pipes.saw(fault);
        }
        self.note_fault(open, fault);
        if *fault != LineFault::Late {
            self.end(seat);
        }
        self.end_if_blamed(seat, late, false);
    }

    /// Ends a player that gets no further messages: its silence must not cost others time. If it was late for what it was
    /// asked then, the machine may have made it so; `answered`: it has said something all the same.
    fn end_if_blamed(&mut self, seat: Seat, late: Option<Instant>, answered: bool) {
        let blames = self.table.blames();
        let Some(blame) = blames.iter().find(|blame| blame.seat == seat) else {
            return;
        };
        let of_time = match blame.cause {
            Cause::TimeForfeit => true,
            Cause::InitFailure => !answered,
            _ => false,
        };
        if let Some(since) = late.filter(|_| of_time) {
            self.late.push((since, Instant::now()));
        }
        if let Some(course) = self.courses.get_mut(seat.index()) {
            course.falls();
        }
        self.end(seat);
    }

    fn end(&mut self, seat: Seat) {
        if let Some(Player::Program(pipes)) = self.player(seat) {
            pipes.end();
        }
    }

    fn note_fault(&mut self, mut open: Open, fault: &LineFault) {
        match fault {
            LineFault::TooLong(beginning) => {
                let bytes = beginning.len();
                let mut beginning = plain(beginning);
                // It stays too long, even where invalid bytes were replaced.
                beginning.extend(std::iter::repeat_n(
                    '?',
                    bytes.saturating_sub(beginning.len()),
                ));
                if open.lines > 0 {
                    open.said.push(b'\n');
                }
                open.said.extend_from_slice(beginning.as_bytes());
                self.table
                    .answer(open.seat, Reply::Text(beginning.as_bytes()));
                self.close(open);
            }
            LineFault::Late => {
                open.late = true;
                self.note(open, &RecordedReply::Late);
            }
            LineFault::Gone | LineFault::Deaf => {
                self.note(open, &RecordedReply::Failed(String::new()));
            }
        }
    }

    /// A call whose answer is none.
    fn note(&mut self, mut open: Open, kept: &RecordedReply) {
        self.table.answer(open.seat, kept.reply());
        open.said = kept.encode().into_bytes();
        self.close(open);
    }

    /// Reads the next input from any player that is waited for.
    fn listen(&mut self) {
        self.tell_rest();
        let mut at = 0;
        let mut progress = false;
        while at < self.open.len() {
            progress |= self.hear(&mut at);
        }
        if progress || self.open.is_empty() {
            return;
        }
        // A player that answers at once is read without sleeping first.
        for _ in 0..YIELDS {
            if self.read() {
                return;
            }
            std::thread::yield_now();
        }
        let now = Instant::now();
        let due = self.open.iter().map(|open| open.since + open.within).min();
        let until = due.unwrap_or(now).min(now + LOOK_EVERY);
        let mut waited = Vec::with_capacity(3 * self.open.len());
        for open in &self.open {
            if let Some(Player::Program(pipes)) = self.players.get(open.seat.index())
                && let Some(program) = &pipes.program
            {
                waited.push((program.output(), PollFlags::IN));
                let input = program.input().filter(|_| !open.told);
                waited.extend(input.map(|input| (input, PollFlags::OUT)));
                waited.extend(program.exit().map(|exit| (exit, PollFlags::IN)));
            }
        }
        // If waiting fails, reading reports the error.
        if ready(&waited, until).unwrap_or(true) && !self.read() {
            self.notice_exits();
        }
    }

    /// Sends players the rest of what their pipes did not accept.
    fn tell_rest(&mut self) {
        let mut at = 0;
        while let Some(open) = self.open.get_mut(at) {
            let player = self.players.get_mut(open.seat.index());
            let told = match player {
                Some(Player::Program(pipes)) if !open.told => pipes.tell_rest(),
                _ => Ok(false),
            };
            match told {
                Ok(told) => open.told |= told,
                Err(fault) => {
                    let open = self.open.remove(at);
                    self.fault(open, &fault);
                    continue;
                }
            }
            at += 1;
        }
    }

    /// Checks which players have exited silently.
    fn notice_exits(&mut self) {
        for open in &self.open {
            if let Some(program) = program(self.players, open.seat) {
                program.notice_exit();
            }
        }
    }

    /// Reads what is available. Returns whether there was anything.
    fn read(&mut self) -> bool {
        let mut any = false;
        for open in &self.open {
            any |= program(self.players, open.seat).is_some_and(|program| program.read() > 0);
        }
        any
    }

    /// Reads all that is available for the call at this index, for the last time.
    fn look(&mut self, at: usize) {
        let Some(open) = self.open.get_mut(at) else {
            return;
        };
        open.looked = true;
        if let Some(program) = program(self.players, open.seat) {
            let mut reads = 0..LOOKS_MAX;
            while program.read() > 0 && reads.next().is_some() {}
        }
    }

    /// Takes one line for the call at this index, and advances the index past a call that keeps waiting.
    /// Returns whether anything happened.
    fn hear(&mut self, at: &mut usize) -> bool {
        let Some(open) = self.open.get(*at) else {
            return false;
        };
        let (seat, due, looked) = (open.seat, open.since + open.within, open.looked);
        let heard = match program(self.players, seat) {
            Some(program) => program.heard(),
            None => Err(LineFault::Gone),
        };
        let line = match heard {
            Ok(Some(line)) => line,
            Ok(None) if Instant::now() < due => {
                *at += 1;
                return false;
            }
            Ok(None) if !looked => {
                // Input that came in time may have waited for us.
                self.look(*at);
                return true;
            }
            failed => {
                let fault = failed.err().unwrap_or(LineFault::Late);
                let open = self.open.remove(*at);
                self.fault(open, &fault);
                return true;
            }
        };
        let mut open = self.open.remove(*at);
        self.charge(&mut open);
        if open.lines > 0 {
            open.said.push(b'\n');
        }
        open.lines += 1;
        let line = plain(&line);
        if let Some(watch) = self.watch.as_mut().filter(|watch| watch.seat == seat) {
            (watch.hear)(Spoken::By(line.clone(), open.since.elapsed()));
        }
        if open.said.len() + line.len() > REPLY_MAX {
            if let Some(Player::Program(pipes)) = self.player(seat) {
                pipes.seen = Some("its reply is longer than 16 MiB");
            }
            self.fault(open, &LineFault::Gone);
            return true;
        }
        open.said.extend_from_slice(line.as_bytes());
        self.table.answer(seat, Reply::Text(line.as_bytes()));
        if self.table.waits(seat) {
            self.open.insert(*at, open);
        } else {
            let since = open.since;
            self.close(open);
            self.end_if_blamed(seat, Some(since), true);
        }
        true
    }
}

/// The running program on this seat, if one plays there.
fn program(players: &mut [Player], seat: Seat) -> Option<&mut Program> {
    match players.get_mut(seat.index()) {
        Some(Player::Program(pipes)) => pipes.program.as_mut(),
        _ => None,
    }
}

/// Sleeps for this long.
fn rest(pause: Duration) {
    let until = Instant::now() + pause;
    while !pause.is_zero() && Instant::now() < until {
        std::thread::park_timeout(until.saturating_duration_since(Instant::now()));
    }
}

/// A line as it is both recorded and processed, so that the two are equal: invalid bytes, and the character
/// that marks a missing answer, become question marks.
fn plain(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    if text.contains('\u{1}') {
        text = text.replace('\u{1}', "?");
    }
    text
}
