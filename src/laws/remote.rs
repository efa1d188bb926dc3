//! The law of the neutral protocol: a program that answers as a built-in bot does plays as that bot, knowing
//! nothing but its lines.

use super::{NODES, Schema, Terms, play};
use drover_game::contest::{Advice, Contest, Erased};
use drover_game::game::{Bot, Budget, Seats};
use drover_game::kit::{DialogueSetup, Kit as _, Nodes, bot_seed};
use drover_game::neutral::{self, Line, Post, Said, ToProgram, written};
use drover_game::wire::{Dialogue, Next};
use serde_json::Value;
use std::fmt::Debug;
use std::time::Duration;

/// What a program is given for a decision.
const WITHIN: Duration = Duration::from_millis(250);

/// A program that plays as a built-in bot and says everything as JSON.
struct Echo<C: Contest> {
    bot: Box<dyn Bot<C>>,
    received_line: Schema,
    said: Schema,
    played: Vec<(u64, Option<Value>)>,
}

type Received<C> = ToProgram<
    <C as drover_game::Game>::View,
    <C as drover_game::Game>::Ask,
    <C as drover_game::Game>::Act,
    <C as drover_game::Game>::Event,
>;

impl<C: Contest> Echo<C>
where
    C::View: PartialEq + Debug,
    C::Ask: PartialEq + Debug,
    C::Act: PartialEq,
    C::Event: PartialEq + Debug,
{
    fn new(name: &str, seed: u64) -> Self {
        let schema = Erased::<C>::NEW.schema();
        Self {
            bot: C::bot(name, seed, Advice::None).expect("a bot"),
            received_line: Schema::new(&schema["to_program"]),
            said: Schema::new(&schema["from_program"]),
            played: Vec::new(),
        }
    }

    /// Receives a line, and answers if it is asked.
    fn receive(&mut self, line: &Line) -> Option<(u64, Value)> {
        let text = line.text(Some(WITHIN));
        assert!(!text.contains('\n'));
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let fault = self.received_line.fault(&value);
        assert_eq!(fault, None, "{text}");
        let received_line: Received<C> = serde_json::from_str(&text).expect("a line");
        let again: Received<C> =
            serde_json::from_str(&written(&received_line)).expect("the same line");
        assert_eq!(received_line, again);
        match received_line {
            ToProgram::Seen { event } => self.bot.observe(&event),
            ToProgram::Ask(asked) => {
                assert_eq!((asked.deadline_ms, asked.past), (250, false));
                let budget = Budget::nodes(NODES);
                let act = self.bot.ponder(&asked.view, &asked.ask, budget).0;
                let number = asked.number;
                let line = written(&Said::Act { number, act });
                let value: Value = serde_json::from_str(&line).expect("JSON");
                assert_eq!(self.said.fault(&value), None, "{line}");
                let Ok(Said::Act { number, act }) = neutral::read(line.as_bytes()) else {
                    panic!("{line} is not read");
                };
                return Some((number, act));
            }
            ToProgram::Played { number, act } => {
                let act = act.map(|act| serde_json::to_value(act).expect("JSON"));
                self.played.push((number, act));
            }
            other => panic!("a match says nothing like {other:?}"),
        }
        None
    }
}

/// A bot that is asked over JSON plays as the same bot that is asked at once, and is sent what it played; and who
/// only reads the transcript receives the same lines.
pub fn a_remote_bot_plays_alike<C: Contest>(terms: &Terms<'_>)
where
    C::View: PartialEq + Debug,
    C::Ask: PartialEq + Debug,
    C::Act: PartialEq,
    C::Event: PartialEq + Debug,
{
    let door = Erased::<C>::NEW;
    for card in C::CARD.bots {
        let careless = terms.careless.contains(&card.name);
        let played = play::<C>(&[card.name], 1, &terms.options, &Nodes(NODES));
        let mut seats = Seats::from_fn(played.refused.len(), |seat| {
            let seed = bot_seed(1, seat);
            let direct = DialogueSetup::new(card.name, seed);
            let remote = || {
                let post = Post::default();
                let setup = DialogueSetup {
                    fallback: C::CARD.bots[0].name.to_owned(),
                    post: Some(post.clone()),
                    ..DialogueSetup::new(card.name, seed)
                };
                (door.dialogue(&setup).expect("a player"), post)
            };
            let direct = door.dialogue(&direct).expect("a player");
            (
                direct,
                remote(),
                remote(),
                Echo::<C>::new(card.name, seed),
                Vec::new(),
            )
        });
        let mut answers = 0;
        for exchange in &played.transcript {
            let (direct, (remote, post), (again, _), echo, lines) = &mut seats[exchange.seat];
            let call = exchange.call.as_bytes();
            let next = direct.receive(call);
            assert_eq!(next, remote.receive(call), "{}", card.name);
            assert_eq!(next, again.receive(call), "{}", card.name);
            let due = match next.expect("a message") {
                Next::Think { fallback, .. } => {
                    let (mut best, mut given) = (fallback.clone(), fallback);
                    let _ = direct.think(Budget::nodes(NODES), &mut best);
                    let _ = remote.think(Budget::SPENT, &mut given);
                    let received_line = post.take().expect("lines");
                    let mut answer = None;
                    for line in &received_line {
                        assert!(answer.is_none(), "a decision is asked for last");
                        answer = echo.receive(line);
                    }
                    lines.extend(received_line);
                    let (number, act) = answer.expect("a decision");
                    post.answer(number, act);
                    let _ = remote.think(Budget::SPENT, &mut given);
                    let verdict = post.verdict().expect("a verdict");
                    assert!(verdict.is_ok() || careless, "{}: {verdict:?}", card.name);
                    if verdict.is_ok() {
                        assert_eq!(best, given, "{} to {}", card.name, exchange.call);
                        answers += 1;
                    }
                    true
                }
                Next::Send(_) => true,
                Next::Wait | Next::Over(_) => false,
            };
            if due {
                let reply = exchange.reply.as_deref().unwrap_or_default();
                for player in [direct, remote, again] {
                    player.said(reply);
                }
            }
            let (direct, (remote, _), (again, _), ..) = &seats[exchange.seat];
            assert_eq!(direct.view(), remote.view(), "{}", card.name);
            assert_eq!(direct.view(), again.view(), "{}", card.name);
        }
        assert!(answers > 0, "{} was never asked", card.name);
        for (_, (_, post), (_, sent_again), echo, lines) in seats.values_mut() {
            let rest = post.take().expect("lines");
            rest.iter().for_each(|line| drop(echo.receive(line)));
            lines.extend(rest);
            assert_eq!(sent_again.take().expect("lines"), *lines, "{}", card.name);
            let numbers = echo.played.iter().map(|(number, _)| *number);
            assert!(numbers.eq(1..=echo.played.len() as u64), "{}", card.name);
            assert!(echo.played.iter().all(|(_, act)| act.is_some()));
        }
    }
}

/// An answer that is no act, or none that the rules allow, is refused with a reason, and the fallback acts; one to
/// another decision is not looked at.
pub fn wrong_answers_are_refused<C: Contest>(terms: &Terms<'_>) {
    let (door, fallback) = (Erased::<C>::NEW, C::CARD.bots[0].name);
    let played = play::<C>(&[fallback], 1, &terms.options, &Nodes(NODES));
    let first = played.transcript[0].seat;
    let (post, seed) = (Post::default(), bot_seed(1, first));
    let setup = DialogueSetup {
        fallback: fallback.to_owned(),
        post: Some(post.clone()),
        ..DialogueSetup::new("bot:stranger@1", seed)
    };
    let mut player: Box<dyn Dialogue> = door.dialogue(&setup).expect("a player");
    let own = played.transcript.iter().filter(|line| line.seat == first);
    let mut number = 0;
    for exchange in own {
        let next = player.receive(exchange.call.as_bytes()).expect("a message");
        match next {
            Next::Think { fallback, .. } => {
                number += 1;
                let mut best = fallback;
                let _ = player.think(Budget::SPENT, &mut best);
                let ready = best.clone();
                for wrong in [
                    serde_json::json!({"no": "act"}),
                    Value::Null,
                    serde_json::json!([u64::MAX, -1, 1e300]),
                ] {
                    post.answer(number, wrong);
                    let _ = player.think(Budget::SPENT, &mut best);
                    let why = post.verdict().expect("a verdict").expect_err("no act");
                    assert!(why.0.starts_with("it is no act: "), "{why}");
                    assert_eq!(door.card().in_form(exchange.call.as_bytes(), &best), Ok(()));
                }
                post.answer(number + 1, Value::Null);
                let _ = player.think(Budget::SPENT, &mut best);
                assert_eq!(post.verdict(), None, "an answer to another decision");
                player.said(&ready);
            }
            Next::Send(said) => player.said(&said),
            Next::Wait | Next::Over(_) => {}
        }
    }
    assert!(number > 0, "it was never asked");
}
