//! The wire's text of a match that was played without one: the referee asks, and the game's own player
//! side says what was decided.

use super::interface::Contest;
use crate::game::{Bot, Budget, Game, Seat, Seats};
use crate::kit::{DialogueSetup, Exchange};
use crate::wire::{Call, Dialogue, Frame, LATE, Next, Progress, Reply, Table, WireError};
use std::time::Duration;

/// How long each answer takes: entries stand one microsecond apart.
pub const TICK: Duration = Duration::from_micros(1);

/// Decides what was decided before.
#[derive(Clone)]
struct Scripted<G: Game> {
    acts: Vec<G::Act>,
    next: usize,
}

impl<G: Game<Act: Clone + Send>> Bot<G> for Scripted<G> {
    fn decide(&mut self, _: &G::View, _: &G::Ask, _: Budget<'_>) -> G::Act {
        // The caller has looked whether there is another one.
        let at = self.next.min(self.acts.len() - 1);
        self.next += 1;
        self.acts[at].clone()
    }
}

/// Asked by whatever it receives, for games whose answers are written without a player's side.
struct Deaf;

impl Dialogue for Deaf {
    fn receive(&mut self, _: &[u8]) -> Result<Next, WireError> {
        Ok(Next::Think {
            limit: Duration::ZERO,
            target: None,
            fallback: Frame::new(),
        })
    }

    fn think(&mut self, _: Budget<'_>, _: &mut Frame) -> Progress {
        Progress::Done
    }

    fn said(&mut self, _: &str) {}
}

/// A call that waits for a decision, with what is answered so far.
struct Asked {
    call: String,
    reply: String,
}

/// The transcript of a match of `table` in which the bots with these names did `acts`, in the order in
/// which they arrived; `None` for one that came too late.
pub(super) fn transcribed<C: Contest>(
    table: &mut dyn Table,
    names: &[String],
    acts: &[(Seat, Option<C::Act>)],
) -> Vec<Exchange> {
    let mut players = Seats::from_fn(names.len(), |seat| -> Box<dyn Dialogue> {
        if C::ONLY_DECISIONS {
            return Box::new(Deaf);
        }
        let own = acts.iter().filter(|(by, _)| *by == seat);
        let acts = own.filter_map(|(_, act)| act.clone()).collect();
        let opened = DialogueSetup::new(names[seat.index()].clone(), 0);
        C::player(Box::new(Scripted { acts, next: 0 }), &opened)
    });
    let mut waiting: Seats<Option<Asked>> = Seats::from_fn(names.len(), |_| None);
    let mut order = acts.iter();
    let (mut transcript, mut calls) = (Vec::new(), Vec::new());
    loop {
        table.calls(&mut calls);
        let called = !calls.is_empty();
        for call in calls.drain(..) {
            receive(table, &mut players, &mut waiting, call, &mut transcript);
        }
        if called {
            continue;
        }
        let Some((seat, act)) = order.next() else {
            return transcript;
        };
        let Some(Asked { call, mut reply }) = waiting[*seat].take() else {
            return transcript;
        };
        let Some(act) = act else {
            table.answer(*seat, Reply::Late);
            transcript.push(Exchange {
                reply: Some(LATE.to_owned()),
                ..Exchange::sent(*seat, call)
            });
            continue;
        };
        let player = players[*seat].as_mut();
        match C::written(act) {
            Some(written) => reply = written,
            None => drop(player.think(Budget::nodes(u64::MAX), &mut reply)),
        }
        answer(table, player, *seat, call, reply, &mut transcript);
    }
}

/// What needs no decision is answered at once.
fn receive(
    table: &mut dyn Table,
    players: &mut Seats<Box<dyn Dialogue>>,
    waiting: &mut Seats<Option<Asked>>,
    call: Call,
    transcript: &mut Vec<Exchange>,
) {
    let Call { seat, text, .. } = call;
    let next = players[seat].receive(text.as_bytes());
    match (call.answer_within, next) {
        (Some(_), Ok(Next::Think { fallback, .. })) => {
            let (call, reply) = (text, fallback);
            waiting[seat] = Some(Asked { call, reply });
        }
        (Some(_), Ok(Next::Send(reply))) => {
            answer(table, players[seat].as_mut(), seat, text, reply, transcript);
        }
        (Some(_), Ok(Next::Over(ending))) if !ending.last_word.is_empty() => {
            let reply = ending.last_word;
            answer(table, players[seat].as_mut(), seat, text, reply, transcript);
        }
        _ => transcript.push(Exchange::sent(seat, text)),
    }
}

fn answer(
    table: &mut dyn Table,
    player: &mut dyn Dialogue,
    seat: Seat,
    call: String,
    reply: String,
    transcript: &mut Vec<Exchange>,
) {
    player.said(&reply);
    table.spent(seat, TICK);
    table.answer(seat, Reply::Text(reply.as_bytes()));
    transcript.push(Exchange {
        reply: Some(reply),
        ..Exchange::sent(seat, call)
    });
}
