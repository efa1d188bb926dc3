//! The port of players that have dialled: their lines come in as they arrive, texts go out in one write each.

use super::guest::{Outbox, PlayerLine};
use crate::clock::Steady;
use crate::referee::drive::{DriveError, Port, wait_until};
use crate::referee::record::{RecordLine, Writer};
use games::match_::Effect;
use games::{Match, Seat};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Players' lines that may wait for the match; further ones wait in their connections.
pub(super) const INBOX_MAX: usize = 256;

/// What one player is sent.
pub(super) struct Player {
    pub(super) out: Outbox,
    /// What goes out next.
    texts: String,
    /// What reports the end: held back until that is stored.
    last_words: String,
}

impl Player {
    pub(super) fn new(out: Outbox) -> Self {
        Self {
            out,
            texts: String::new(),
            last_words: String::new(),
        }
    }

    fn write(&mut self) {
        if !self.texts.is_empty() {
            self.out.say(std::mem::take(&mut self.texts));
        }
    }

    /// Sends what reports the end.
    pub(super) fn say_last_words(&mut self) {
        self.out.say(std::mem::take(&mut self.last_words));
    }
}

/// Players that have dialled.
pub(super) struct Dialled {
    players: Vec<Player>,
    inbox: mpsc::Receiver<PlayerLine>,
    lines: mpsc::Sender<RecordLine>,
    broken: CancellationToken,
    stop: CancellationToken,
}

impl Dialled {
    pub(super) fn new(
        players: Vec<Player>,
        inbox: mpsc::Receiver<PlayerLine>,
        writer: &Writer,
        stop: CancellationToken,
    ) -> Self {
        Self {
            players,
            inbox,
            lines: writer.lines(),
            broken: writer.broken().clone(),
            stop,
        }
    }

    /// The players, once all that was to be recorded is on its way.
    pub(super) fn players(self) -> Vec<Player> {
        self.players
    }

    fn player(&mut self, seat: Seat) -> Option<&mut Player> {
        self.players.get_mut(seat.index())
    }
}

fn take(line: PlayerLine, match_: &mut Match, clock: &Steady) {
    let at_us = clock.at_us(line.at);
    match line.line {
        Some(text) => match_.line(line.seat, text.as_bytes(), at_us),
        None => match_.gone(line.seat, at_us),
    }
}

impl Port for Dialled {
    async fn carry_out(
        &mut self,
        effect: Effect,
        _: &mut Match,
        _: &Steady,
    ) -> Result<(), DriveError> {
        match effect {
            // Without its writer the match is abandoned.
            Effect::Record(line) => drop(self.lines.send(line.into()).await),
            Effect::Send(message) => {
                if let Some(player) = self.player(message.seat) {
                    player.texts.push_str(&message.text);
                    player.texts.push('\n');
                }
            }
            Effect::Hold { seat, text } => {
                if let Some(player) = self.player(seat) {
                    player.last_words.push_str(&text);
                    player.last_words.push('\n');
                }
            }
            Effect::End { seat, .. } => {
                if let Some(player) = self.player(seat) {
                    player.write();
                    player.out.close();
                }
            }
            Effect::Rest { .. } => {}
        }
        Ok(())
    }

    fn pause(&mut self) {
        self.players.iter_mut().for_each(Player::write);
    }

    async fn next(
        &mut self,
        until: Option<Instant>,
        match_: &mut Match,
        clock: &Steady,
    ) -> Result<(), DriveError> {
        tokio::select! {
            biased;
            () = self.broken.cancelled() => return Err(DriveError::Unrecorded),
            line = self.inbox.recv() => match line {
                Some(line) => take(line, match_, clock),
                None => match_.all_gone(clock.now_us()),
            },
            // What was read before counts, even if processed only now.
            () = wait_until(until) => match self.inbox.try_recv() {
                Ok(line) => take(line, match_, clock),
                Err(_) => match_.time(clock.now_us()),
            },
            () = self.stop.cancelled() => return Err(DriveError::Stopped),
        }
        Ok(())
    }
}
