//! A built-in bot at a hub's table, in this process: it receives its lines and answers as one that dialled.

use super::guest::{Inlet, PlayerLine};
use crate::referee::seat::seat_builtin::BuiltinSeat;
use crate::referee::seat::seat_link::{SeatLink as _, SeatReply};
use games::{Kit, Seat};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Plays until the match is over; a bot that breaks down leaves.
pub(super) async fn attend(
    kit: &'static dyn Kit,
    seat: Seat,
    mut bot: BuiltinSeat,
    inlet: Inlet,
    inbox: mpsc::Sender<PlayerLine>,
) {
    answer(kit, seat, &mut bot, inlet, inbox).await;
    bot.leave().await;
}

async fn answer(
    kit: &'static dyn Kit,
    seat: Seat,
    bot: &mut BuiltinSeat,
    mut inlet: Inlet,
    inbox: mpsc::Sender<PlayerLine>,
) {
    let mut frame = String::new();
    while let Some(text) = inlet.next().await {
        inlet.arrived(text.len());
        for line in text.lines() {
            if !frame.is_empty() {
                frame.push('\n');
            }
            frame.push_str(line);
            if !kit.card().dialect.completes(line.as_bytes()) {
                continue;
            }
            let received = std::mem::take(&mut frame);
            // The bot knows its own limit.
            let reply = bot.call(&received, Duration::MAX, true).await;
            let said = match &reply {
                SeatReply::Said { text, .. } => text.lines().map(|line| Some(line.to_owned())),
                SeatReply::Late | SeatReply::Failed(_) => {
                    tracing::warn!(seat = seat.0, ?reply, "a built-in bot leaves its match");
                    let (line, at) = (None, Instant::now());
                    let _ = inbox.send(PlayerLine { seat, line, at }).await;
                    return;
                }
            };
            for line in said {
                let at = Instant::now();
                if inbox.send(PlayerLine { seat, line, at }).await.is_err() {
                    return;
                }
            }
        }
    }
}
