//! The referees of many players: each sends one message after the other to a replica that chance picks, sends it again
//! elsewhere while it has no answer, and goes on without one at its deadline.

use super::book::{Attempt, LIMIT, MARGIN};
use super::node::{Called, Envelope, call};
use super::world::{Fault, Message, World};
use drover::cluster::Refusal;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout_at};

/// A message without an answer is sent again after this.
const AGAIN: Duration = Duration::from_secs(1);
/// After a refusal it is sent elsewhere.
const ELSEWHERE: Duration = Duration::from_millis(20);
/// Messages of a match.
const MESSAGES: u32 = 12;

/// Plays one match after the other until the storm is over, and one more.
pub async fn play(world: Arc<World>, player: u32) {
    let mut last = false;
    for match_ in 0.. {
        for number in 0..MESSAGES {
            let message = Message {
                player,
                match_,
                number,
            };
            let rest_ms = match world.chance(0.02) {
                true => 8_000,
                false => 600,
            };
            sleep(Duration::from_millis(world.below(rest_ms).into())).await;
            ask(&world, message).await;
        }
        if last {
            return;
        }
        last = world.is_calm();
    }
}

async fn ask(world: &Arc<World>, message: Message) {
    let sent = Instant::now();
    let (report, mut reports) = mpsc::unbounded_channel();
    let mut tried = None;
    while sent.elapsed() < LIMIT {
        let nodes = world.nodes.len();
        // Not where it was sent before.
        let node = match tried {
            Some(tried) => (tried + 1 + world.below(nodes as u32 - 1) as usize) % nodes,
            None => world.below(nodes as u32) as usize,
        };
        tried = Some(node);
        let within = (LIMIT - MARGIN).saturating_sub(sent.elapsed());
        attempt(world, message, node, within, &report);
        let again = (sent + LIMIT).min(Instant::now() + AGAIN);
        match timeout_at(again, reports.recv()).await {
            Ok(Some(true)) => return repeat(world, message).await,
            Ok(_) => sleep(ELSEWHERE).await,
            Err(_) => {}
        }
    }
    world.log(&format!("{message:?} without an answer"));
    world.unanswered(message, sent);
}

/// Sends a message again that was answered.
async fn repeat(world: &Arc<World>, message: Message) {
    if world.strikes(Fault::Repeated) {
        let node = world.below(world.nodes.len() as u32) as usize;
        let (report, mut answered) = mpsc::unbounded_channel();
        attempt(world, message, node, LIMIT - MARGIN, &report);
        // It may not be answered before the next one is sent, and then comes too late.
        drop(timeout_at(Instant::now() + AGAIN, answered.recv()).await);
    }
}

/// Calls a machine, whether somebody still waits or not, and reports whether an answer came.
fn attempt(
    world: &Arc<World>,
    message: Message,
    node: usize,
    within: Duration,
    report: &mpsc::UnboundedSender<bool>,
) {
    let sent = Instant::now();
    let at = {
        let mut book = world.book.lock();
        let attempts = book.attempts.entry(message).or_default();
        attempts.push(Attempt {
            node,
            from: sent,
            until: None,
        });
        attempts.len() - 1
    };
    let (world, report) = (Arc::clone(world), report.clone());
    tokio::spawn(async move {
        world.wire().await;
        let envelope = Envelope {
            message,
            within,
            forwarded: false,
            hops: 0,
            sent,
            delayed: false,
        };
        let outcome = match call(&world, node, envelope) {
            Called::Refused => Err(None),
            Called::Silent => {
                world.ended(message, at);
                return;
            }
            Called::Taken(answer) => match answer.await {
                Ok(Ok(Some(answer))) => Ok(answer),
                Ok(Ok(None)) => Err(None),
                Ok(Err(refusal)) => Err(Some(refusal)),
                Err(_) => Err(None),
            },
        };
        world.log(&format!("{message:?} at {node}: {outcome:x?}"));
        world.ended(message, at);
        match outcome {
            Ok(answer) => world.book.lock().answered(message, answer),
            Err(Some(Refusal::Away)) => world.refused(message, node),
            Err(_) => {}
        }
        // The message may have been given up.
        let _ = report.send(outcome.is_ok());
    });
}
