//! One player's connection: at the reception, in a queue, at a table.

use super::guest::{Guest, Inlet, Outbox, PlayerLine, Seated};
use super::lobby::Ticket;
use super::server::{Entrance, HubServer};
use super::token;
use crate::link::{AnyLine, Stay};
use bytes::Bytes;
use futures_util::StreamExt as _;
use games::{Arrival, Frame};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;

/// The longest line of a player, in bytes; a join with a long name is the longest.
const LINE_BYTES_MAX: usize = 1_024;
/// How long a write may take.
const WRITE_STALL_MAX: Duration = Duration::from_secs(30);
/// How long a connection may stay that neither plays nor waits.
const IDLE_MAX: Duration = Duration::from_secs(300);
/// The same while connections are scarce.
const IDLE_SHORT: Duration = Duration::from_secs(10);
/// How often that is checked.
const LOOK: Duration = Duration::from_secs(1);
/// How long to wait for the other end to close after our last message, so that it is not lost.
const LINGER: Duration = Duration::from_secs(2);

/// Refusals after which a connection to a hub for the invited is closed.
const REFUSALS_MAX: u32 = 8;

/// Where a player is.
enum State {
    Reception,
    Queue(Ticket, oneshot::Receiver<Seated>),
    Table(Seated),
}

/// What a player says.
type Lines<R> = FramedRead<R, AnyLine>;

/// Serves one connection to its end.
pub(super) async fn converse<R, W>(
    hub: Arc<HubServer>,
    read: R,
    write: W,
    peer: SocketAddr,
    stay: Stay,
    stop: CancellationToken,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (out, inlet) = Outbox::new();
    let writing = tokio::spawn(write_out(write, inlet));
    let mut lines = FramedRead::new(read, AnyLine::new(LINE_BYTES_MAX));
    let mut visitor = Visitor {
        hub,
        peer,
        out,
        stay,
        state: State::Reception,
        refusals: 0,
        token: None,
    };
    let linger = visitor.serve(&mut lines, &stop).await;
    visitor.leave().await;
    // The writer ends when all senders are gone.
    if writing.await.is_ok() {
        let _ = tokio::time::timeout(linger, async {
            while let Some(Ok(_)) = lines.next().await {}
        })
        .await;
    }
}

/// Writes until all senders are gone, or a write stalls; once the connection is to end, only what is already
/// queued.
async fn write_out<W: AsyncWrite + Unpin>(mut write: W, mut inlet: Inlet) {
    while let Some(text) = inlet.next().await {
        let written = tokio::time::timeout(WRITE_STALL_MAX, write.write_all(text.as_bytes()));
        if !matches!(written.await, Ok(Ok(()))) {
            inlet.cut();
            return;
        }
        inlet.arrived(text.len());
    }
    // The other end may be gone.
    let _ = write.shutdown().await;
}

struct Visitor {
    hub: Arc<HubServer>,
    peer: SocketAddr,
    out: Outbox,
    stay: Stay,
    state: State,
    /// How often it was not let in.
    refusals: u32,
    /// What it was recognised by: no transcript has it.
    token: Option<String>,
}

impl Visitor {
    /// Serves it until its connection is to end; how long to wait then until it closes: a player that never joined gets no
    /// last message.
    async fn serve<R: AsyncRead + Unpin>(
        &mut self,
        lines: &mut Lines<R>,
        stop: &CancellationToken,
    ) -> Duration {
        let (end, away) = (self.out.end(), self.stay.away());
        let (came, mut look) = (Instant::now(), IDLE_SHORT);
        loop {
            let at_reception = matches!(self.state, State::Reception);
            tokio::select! {
                biased;
                () = end.cancelled() => return LINGER,
                seated = self.moves() => match seated {
                    Some(seated) => self.state = State::Table(seated),
                    // The match is over, or the queue was closed.
                    None => return LINGER,
                },
                line = lines.next() => match line {
                    Some(Ok(line)) => self.take(&line).await,
                    Some(Err(error)) => {
                        self.say(format!("error {error}"));
                        tracing::debug!(peer = %self.peer, %error, "cannot read a player's line");
                        return LINGER;
                    }
                    None => return LINGER,
                },
                () = tokio::time::sleep_until(came + look), if at_reception => {
                    if look >= IDLE_MAX || self.stay.is_short() {
                        return Duration::ZERO;
                    }
                    look += LOOK;
                }
                // Another player needs the slot more; players that wait or play keep theirs.
                () = away.cancelled(), if at_reception => return Duration::ZERO,
                // The lobby closes its queues itself; a party that has left its queue goes on to its table.
                () = stop.cancelled(), if at_reception => return LINGER,
            }
        }
    }

    /// Waits for a change made elsewhere: to a table, or out.
    async fn moves(&mut self) -> Option<Seated> {
        match &mut self.state {
            State::Reception => std::future::pending().await,
            State::Queue(_, seated) => seated.await.ok(),
            State::Table(seated) => {
                seated.inbox.closed().await;
                None
            }
        }
    }

    async fn take(&mut self, line: &Bytes) {
        let at = Instant::now();
        if let State::Table(Seated { seat, inbox }) = &self.state {
            let line = String::from_utf8_lossy(line).into_owned();
            let line = match &self.token {
                Some(token) => token::without(line, token),
                None => line,
            };
            let line = Some(line);
            // The match may just have ended.
            let _ = inbox
                .send(PlayerLine {
                    seat: *seat,
                    line,
                    at,
                })
                .await;
            return;
        }
        match self.hub.reception().receive(line) {
            Arrival::Answer(answer) => self.say(answer),
            Arrival::Join { .. } if matches!(self.state, State::Queue(..)) => {
                self.say("error You are waiting already".to_owned());
            }
            Arrival::Join { name, room } => {
                let (seated, place) = oneshot::channel();
                let guest = Guest {
                    name,
                    peer: self.peer,
                    out: self.out.clone(),
                    seated,
                };
                match self.hub.join(room.as_deref(), guest) {
                    Entrance::Queue(ticket, token) => {
                        self.stay.settle();
                        self.token = token;
                        self.state = State::Queue(ticket, place);
                    }
                    Entrance::Refused(answer) => {
                        self.say(answer);
                        self.refusals += 1;
                        if self.hub.guests.is_some() && self.refusals >= REFUSALS_MAX {
                            self.out.close();
                        }
                    }
                }
            }
        }
    }

    fn say(&self, text: Frame) {
        self.out.say_line(Some(text));
    }

    async fn leave(self) {
        let seated = match self.state {
            State::Reception => None,
            State::Queue(ticket, mut seated) => {
                self.hub.leave(ticket);
                // The player may have been given a seat just now.
                seated.close();
                seated.try_recv().ok()
            }
            State::Table(seated) => Some(seated),
        };
        if let Some(Seated { seat, inbox }) = seated {
            let (line, at) = (None, Instant::now());
            // After the match, no one receives it.
            let _ = inbox.send(PlayerLine { seat, line, at }).await;
        }
    }
}
