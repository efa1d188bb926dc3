//! The port of programs on pipes and bots in this process.

use super::players::{Pipe, Player, program_of};
use super::watch::Watch;
use crate::clock::Steady;
use crate::link::program::LineFault;
use crate::referee::drive::{DriveError, Port};
use crate::referee::feed::Charged;
use crate::referee::seat::SeatReply;
use games::match_::{Content, Effect, Failure, Message, Recorded};
use games::{Exchange, Match, Seat};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::Instant;
use tokio::time::{Sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// How many times to yield the CPU before sleeping until an answer.
const YIELDS: u32 = 8;
/// The maximum number of reads of what a player sent before its deadline.
const LOOKS_MAX: u32 = 64;

/// Programs on pipes and bots in this process.
pub(super) struct Pipes<'a> {
    players: Vec<Player>,
    record: bool,
    transcript: Vec<Exchange>,
    /// Where the match is passed on, if somebody watches all of it.
    feed: Option<Charged>,
    /// Who follows one seat.
    watch: Option<Watch<'a>>,
    stop: CancellationToken,
    /// The programs that are waited for now.
    waited: Vec<Seat>,
    /// Set to a moment that is not after the next one. To set it again for every wait would wake the runtime.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<'a> Pipes<'a> {
    pub(super) fn new(
        players: Vec<Player>,
        record: bool,
        feed: Option<Charged>,
        watch: Option<Watch<'a>>,
        stop: CancellationToken,
    ) -> Self {
        Self {
            players,
            record,
            transcript: Vec::new(),
            feed,
            watch,
            stop,
            waited: Vec::new(),
            alarm: None,
        }
    }

    /// The players, and what was sent and received, if recorded.
    pub(super) fn into_parts(self) -> (Vec<Player>, Vec<Exchange>) {
        (self.players, self.transcript)
    }

    fn program(&mut self, seat: Seat) -> Option<&mut Pipe> {
        program_of(&mut self.players, seat)
    }

    fn watch(&mut self, seat: Seat) -> Option<&mut Watch<'a>> {
        self.watch.as_mut().filter(|watch| watch.seat == seat)
    }

    fn record(&mut self, line: Recorded) {
        if let Some(feed) = &mut self.feed {
            feed.record(&line);
        }
        let seat = line.seat;
        match line.content {
            Content::Call(text) => {
                if let Some(watch) = self.watch(seat) {
                    watch.called(&text);
                }
                if self.record {
                    self.transcript.push(Exchange::sent(seat, text));
                }
            }
            Content::Reply(replied) => {
                let text = replied.reply.encode();
                if let Some(watch) = self.watch(seat) {
                    watch.answered(&text);
                }
                let mut asked = self.transcript.iter_mut().rev();
                if let Some(asked) = asked.find(|asked| asked.seat == seat) {
                    (asked.reply, asked.took) = (Some(text), Some(replied.took));
                }
            }
        }
    }

    async fn send(&mut self, message: Message, match_: &mut Match, clock: &Steady) {
        let seat = message.seat;
        match self.players.get_mut(seat.index()) {
            Some(Player::Program(pipe)) => {
                if message.quiet
                    && let Some(early) = pipe.early()
                {
                    match_.early(seat, &early, clock.now_us());
                } else if let Err(fault) = pipe.send_frame(&message.text) {
                    // Half a line may have been written: it can no longer be sent anything.
                    pipe.end();
                    if message.wanted {
                        pipe.saw(&fault);
                        match_.failed(seat, failure(fault), clock.now_us());
                    }
                }
            }
            Some(Player::Builtin(_)) => self.ask_bot(message, match_, clock).await,
            None => {}
        }
    }

    /// Has a bot of this process answer.
    async fn ask_bot(&mut self, message: Message, match_: &mut Match, clock: &Steady) {
        let (seat, wanted) = (message.seat, message.wanted);
        let Some(Player::Builtin(bot)) = self.players.get_mut(seat.index()) else {
            return;
        };
        match bot.answer(&message.text).await {
            SeatReply::Said { text, .. } if wanted => {
                if let Some(watch) = self.watch(seat) {
                    text.lines().for_each(|line| watch.line(line));
                }
                match_.answered(seat, &text, None, clock.now_us());
            }
            SeatReply::Late | SeatReply::Failed(_) if wanted => {
                match_.failed(seat, failure(LineFault::Gone), clock.now_us());
            }
            SeatReply::Said { .. } | SeatReply::Late | SeatReply::Failed(_) => {}
        }
    }

    /// Passes on all lines that have been read of players that are waited for; whether there was anything.
    fn take_lines(&mut self, match_: &mut Match, clock: &Steady) -> bool {
        let mut any = false;
        for seat in (0..self.players.len() as u8).map(Seat) {
            while match_.asks(seat) {
                let Some(pipe) = program_of(&mut self.players, seat) else {
                    break;
                };
                match pipe.line() {
                    Ok(Some(line)) => {
                        if let Some(watch) = self.watch(seat) {
                            watch.line(&String::from_utf8_lossy(&line));
                        }
                        match_.line(seat, &line, clock.now_us());
                    }
                    Ok(None) => break,
                    Err(fault) => {
                        pipe.saw(&fault);
                        match_.failed(seat, failure(fault), clock.now_us());
                    }
                }
                any = true;
            }
        }
        any
    }

    /// The programs that are waited for.
    fn asked<'p>(&'p mut self, match_: &'p Match) -> impl Iterator<Item = (Seat, &'p mut Pipe)> {
        let seats = (0u8..).map(Seat).zip(&mut self.players);
        seats.filter_map(|(seat, player)| match player {
            Player::Program(pipe) if match_.asks(seat) => Some((seat, &mut **pipe)),
            _ => None,
        })
    }

    /// Reads what is available, once; whether there was anything.
    fn read(&mut self, match_: &Match) -> bool {
        let mut any = false;
        for (_, pipe) in self.asked(match_) {
            if pipe.program.as_mut().is_some_and(|it| it.read() > 0) {
                pipe.answered_at_once();
                any = true;
            }
        }
        any
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut polled = Poll::Pending;
        for seat in &self.waited {
            if let Some(pipe) = program_of(&mut self.players, *seat)
                && pipe.poll(context).is_ready()
            {
                polled = Poll::Ready(());
            }
        }
        polled
    }

    /// An alarm that goes off at this moment at the latest, and perhaps before.
    fn alarm(&mut self, until: Option<Instant>) -> Pin<Box<Sleep>> {
        let until = until.unwrap_or_else(Instant::now);
        match self.alarm.take() {
            None => Box::pin(sleep_until(until)),
            Some(mut alarm) => {
                if alarm.is_elapsed() || alarm.deadline() > until {
                    alarm.as_mut().reset(until);
                }
                alarm
            }
        }
    }

    /// A moment has come: what came before it may have waited for us.
    fn time(&mut self, match_: &mut Match, clock: &Steady) {
        for (_, pipe) in self.asked(match_) {
            if let Some(program) = &mut pipe.program {
                let mut reads = 0..LOOKS_MAX;
                while program.read() > 0 && reads.next().is_some() {}
            }
        }
        self.take_lines(match_, clock);
        let asked: Vec<Seat> = self.asked(match_).map(|(seat, _)| seat).collect();
        match_.time(clock.now_us());
        for seat in asked {
            if !match_.asks(seat)
                && let Some(pipe) = self.program(seat)
            {
                pipe.saw(&LineFault::Late);
            }
        }
    }
}

fn failure(fault: LineFault) -> Failure {
    match fault {
        LineFault::Late => Failure::Late,
        LineFault::TooLong(beginning) => Failure::TooLong(beginning),
        LineFault::Gone | LineFault::Deaf => Failure::Gone(String::new()),
    }
}

impl Port for Pipes<'_> {
    async fn carry_out(
        &mut self,
        effect: Effect,
        match_: &mut Match,
        clock: &Steady,
    ) -> Result<(), DriveError> {
        match effect {
            Effect::Record(line) => self.record(line),
            Effect::Send(message) => self.send(message, match_, clock).await,
            Effect::Rest { seat, answered } => {
                if let Some(pipe) = self.program(seat) {
                    pipe.rest(answered);
                }
            }
            Effect::End { seat, why } => {
                if let Some(pipe) = self.program(seat) {
                    pipe.seen = pipe.seen.or(why);
                    pipe.end();
                }
            }
            Effect::Hold { .. } => {}
        }
        Ok(())
    }

    async fn next(
        &mut self,
        until: Option<Instant>,
        match_: &mut Match,
        clock: &Steady,
    ) -> Result<(), DriveError> {
        // Players that always answer at once must not keep others from this thread.
        tokio::task::consume_budget().await;
        if self.stop.is_cancelled() {
            return Err(DriveError::Stopped);
        }
        let taken = self.take_lines(match_, clock);
        // Players that never stop writing are late all the same, and keep nobody's clock from running out.
        if until.is_some_and(|until| until <= Instant::now()) {
            self.time(match_, clock);
            return Ok(());
        }
        if taken {
            return Ok(());
        }
        // A player that answers at once is read without sleeping first.
        for _ in 0..YIELDS {
            if self.read(match_) {
                self.take_lines(match_, clock);
                return Ok(());
            }
            std::thread::yield_now();
        }
        let stop = self.stop.clone();
        let mut waited = std::mem::take(&mut self.waited);
        waited.clear();
        waited.extend(self.asked(match_).map(|(seat, _)| seat));
        self.waited = waited;
        let mut alarm = self.alarm(until);
        let mut fired = false;
        tokio::select! {
            biased;
            () = stop.cancelled() => return Err(DriveError::Stopped),
            () = poll_fn(|context| self.poll(context)) => {
                self.take_lines(match_, clock);
            }
            () = &mut alarm, if until.is_some() => fired = true,
        }
        self.alarm = Some(alarm);
        if fired {
            self.time(match_, clock);
        }
        Ok(())
    }
}
