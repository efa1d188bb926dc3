//! The port of players that are called: one call of each at a time.

use crate::clock::Steady;
use crate::referee::drive::{DriveError, Port, wait_until};
use crate::referee::feed::Feed;
use crate::referee::record::log::{LogLine, MatchLog, shown};
use crate::referee::record::{RecordLine, Writer};
use crate::referee::seat::seat_link::{SeatLink, SeatReply};
use futures_util::StreamExt as _;
use futures_util::future::{BoxFuture, join_all};
use futures_util::stream::FuturesUnordered;
use games::match_::{Content, Effect, Failure, Message, Recorded, Replied};
use games::{Match, RecordedReply, Seat};
use std::sync::Arc;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The seats' players: a link, or none (a filler).
pub(in crate::referee) type Links = Vec<Option<Box<dyn SeatLink>>>;

/// A call that has ended, with the link that made it.
struct Ended {
    seat: Seat,
    link: Box<dyn SeatLink>,
    reply: SeatReply,
}

/// Players that are called.
pub(super) struct Callbacks {
    /// Without those that are calling.
    links: Links,
    calls: FuturesUnordered<BoxFuture<'static, Ended>>,
    log: Arc<MatchLog>,
    /// Where the match is passed on, if somebody watches.
    feed: Option<Feed>,
    lines: mpsc::Sender<RecordLine>,
    /// How many lines are stored.
    stored: watch::Receiver<u64>,
    broken: CancellationToken,
    stop: CancellationToken,
    /// The first answer of each seat that counted as none, as the log shows it.
    none: Vec<Option<String>>,
}

impl Callbacks {
    pub(super) fn new(
        links: Links,
        log: Arc<MatchLog>,
        feed: Option<Feed>,
        writer: &Writer,
        stop: CancellationToken,
    ) -> Self {
        Self {
            none: links.iter().map(|_| None).collect(),
            links,
            calls: FuturesUnordered::new(),
            log,
            feed,
            lines: writer.lines(),
            stored: writer.stored(),
            broken: writer.broken().clone(),
            stop,
        }
    }

    /// The match is over: waits until all players have left. The first answer of each that counted as none.
    pub(super) async fn leave(mut self) -> Vec<Option<String>> {
        let links = self.links.iter_mut().flatten();
        join_all(links.map(|link| link.leave())).await;
        self.none
    }

    fn call(&mut self, message: Message) {
        let Message {
            seat,
            text,
            within,
            wanted,
            ..
        } = message;
        let link = self.links.get_mut(seat.index()).and_then(Option::take);
        let Some(mut link) = link else { return };
        self.calls.push(Box::pin(async move {
            let reply = link.call(&text, within, wanted).await;
            Ended { seat, link, reply }
        }));
    }

    /// Shows a reply in the log, before it is stored.
    fn show(&mut self, seat: Seat, replied: &Replied) {
        let Some(call) = &replied.call else { return };
        let reply = shown(&replied.reply, replied.note.as_deref());
        let none = !matches!(replied.reply, RecordedReply::Said(_)) || replied.note.is_some();
        if let Some(first) = self.none.get_mut(seat.index())
            && none
            && replied.wanted
        {
            first.get_or_insert_with(|| reply.clone());
        }
        self.log.push(
            seat,
            LogLine {
                at_us: call.at_us,
                query: call.text.clone(),
                reply,
                took_us: i64::try_from(replied.took.as_micros()).unwrap_or(i64::MAX),
            },
        );
    }

    fn ended(&mut self, ended: Ended, match_: &mut Match, now_us: i64) {
        let Ended { seat, link, reply } = ended;
        if let Some(own) = self.links.get_mut(seat.index()) {
            *own = Some(link);
        }
        match reply {
            SeatReply::Said { text, note } => match_.answered(seat, &text, note, now_us),
            SeatReply::Late => match_.failed(seat, Failure::Late, now_us),
            SeatReply::Failed(why) => match_.failed(seat, Failure::Gone(why), now_us),
        }
    }
}

impl Port for Callbacks {
    async fn carry_out(
        &mut self,
        effect: Effect,
        _: &mut Match,
        _: &Steady,
    ) -> Result<(), DriveError> {
        match effect {
            Effect::Record(line) => {
                if let Recorded {
                    seat,
                    content: Content::Reply(replied),
                    ..
                } = &line
                {
                    self.show(*seat, replied);
                }
                let line = RecordLine::from(line);
                if let Some(feed) = &self.feed {
                    feed.line(line.clone());
                }
                let sent = self.lines.send(line).await;
                sent.map_err(|_| DriveError::Unrecorded)?;
            }
            Effect::Send(message) => self.call(message),
            Effect::End { seat, .. } => {
                tracing::info!(
                    seat = seat.0,
                    "player is treated as a filler from now on, after too many failures in a row"
                );
            }
            Effect::Hold { .. } | Effect::Rest { .. } => {}
        }
        Ok(())
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
            () = self.stop.cancelled() => return Err(DriveError::Stopped),
            stored = self.stored.changed() => {
                stored.map_err(|_| DriveError::Unrecorded)?;
                let lines = *self.stored.borrow_and_update();
                match_.stored(lines, clock.now_us());
            }
            Some(ended) = self.calls.next(), if !self.calls.is_empty() => {
                self.ended(ended, match_, clock.now_us());
            }
            () = wait_until(until) => match_.time(clock.now_us()),
        }
        Ok(())
    }
}
