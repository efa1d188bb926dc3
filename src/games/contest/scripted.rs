//! The wire's text of a match that was played without one: the referee asks, and the game's own player
//! side says what was decided.

use crate::contest::Contest;
use crate::game::{Bot, Budget, Game, Seat, Seats};
use crate::kit::{DialogueSetup, Exchange};
use crate::wire::{Call, Dialogue, Next, Reply, Table};
use std::time::Duration;

/// How long each answer takes: entries stand one microsecond apart.
const TICK: Duration = Duration::from_micros(1);

/// Decides what was decided before.
struct Scripted<G: Game> {
    acts: Vec<G::Act>,
    next: usize,
}

impl<G: Game<Act: Clone + Send>> Bot<G> for Scripted<G> {
    fn observe(&mut self, _: &G::Event) {}

    fn decide(&mut self, _: &G::View, _: &G::Ask, _: Budget<'_>) -> G::Act {
        // Whoever asks has looked whether there is another one.
        let at = self.next.min(self.acts.len() - 1);
        self.next += 1;
        self.acts[at].clone()
    }
}

/// A call that waits for a decision, with what is answered so far.
struct Asked {
    call: String,
    reply: String,
}

/// The transcript of a match of `table` in which the bots with these names did `acts`, in the order in
/// which they arrived.
pub(super) fn transcribed<C: Contest>(
    table: &mut dyn Table,
    names: &[String],
    acts: &[(Seat, C::Act)],
) -> Vec<Exchange> {
    let mut players: Seats<_> = Seats::from_fn(names.len(), |seat| {
        let own = acts.iter().filter(|(by, _)| *by == seat);
        let acts = own.map(|(_, act)| act.clone()).collect();
        let opened = DialogueSetup {
            bot: names[seat.index()].clone(),
            ..DialogueSetup::default()
        };
        C::player(Box::new(Scripted { acts, next: 0 }), &opened)
    });
    let mut waiting: Seats<Option<Asked>> = Seats::from_fn(names.len(), |_| None);
    let mut order = acts.iter().map(|(seat, _)| *seat);
    let (mut transcript, mut calls) = (Vec::new(), Vec::new());
    loop {
        table.calls(&mut calls);
        let told = !calls.is_empty();
        for call in calls.drain(..) {
            hear(table, &mut players, &mut waiting, call, &mut transcript);
        }
        if told {
            continue;
        }
        let Some(seat) = order.next() else {
            return transcript;
        };
        let Some(Asked { call, mut reply }) = waiting[seat].take() else {
            return transcript;
        };
        let _ = players[seat].think(Budget::nodes(u64::MAX), &mut reply);
        answer(
            table,
            players[seat].as_mut(),
            seat,
            call,
            reply,
            &mut transcript,
        );
    }
}

/// What needs no decision is answered at once.
fn hear(
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
        _ => transcript.push(Exchange::told(seat, text)),
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
        ..Exchange::told(seat, call)
    });
}
