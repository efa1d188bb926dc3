//! The law of games' own protocols: what a player's side writes is read back as its act from the same words.

use super::{NODES, Terms, play};
use drover_game::contest::{Contest, Erased};
use drover_game::dialect::ReplyLine;
use drover_game::kit::{DialogueSetup, Kit as _, Nodes, bot_seed};
use drover_game::neutral::{Line, Post};
use drover_game::wire::{Dialogue, Next};
use drover_game::{Budget, Seats};
use serde_json::Value;

/// The lines of a reply, one after the other: only the last one ends it.
fn is_whole<C: Contest>(reply: &str) {
    let mut begun = false;
    let mut lines = reply.split('\n').peekable();
    while let Some(line) = lines.next() {
        let kind = C::CARD.dialect.reply_line(begun, line.as_bytes());
        let kind = kind.unwrap_or_else(|why| panic!("{why}: {reply:?}"));
        let expected = match lines.peek() {
            Some(_) => ReplyLine::More,
            None => ReplyLine::Last,
        };
        assert_eq!(kind, expected, "{line:?} of {reply:?}");
        begun = true;
    }
}

/// A program that says what a bot's own side says plays as that bot, receives every message as it stands and nothing
/// else, and learns in advance which ones it answers.
pub fn own_words_are_read_back<C: Contest>(terms: &Terms<'_>) {
    let door = Erased::<C>::NEW;
    for card in C::CARD.bots {
        let careless = terms.careless.contains(&card.name);
        let played = play::<C>(&[card.name], 1, &terms.options, &Nodes(NODES));
        let mut seats = Seats::from_fn(played.refused.len(), |seat| {
            let post = Post::native();
            let setup = DialogueSetup {
                fallback: C::CARD.bots[0].name.to_owned(),
                post: Some(post.clone()),
                // Greetings carry it.
                ..DialogueSetup::new(card.name, bot_seed(1, seat))
            };
            (door.dialogue(&setup).expect("a player"), post)
        });
        let mut answers = 0;
        for exchange in &played.transcript {
            let (player, post) = &mut seats[exchange.seat];
            let player: &mut dyn Dialogue = &mut **player;
            let next = player.receive(exchange.call.as_bytes()).expect("a message");
            let reply = exchange.reply.as_deref().unwrap_or_default();
            let (text, answered) = (exchange.call.clone(), !reply.is_empty());
            let mut lines = vec![Line::Frame { text, answered }];
            match next {
                Next::Think { fallback, .. } => {
                    let mut best = fallback;
                    let _ = player.think(Budget::SPENT, &mut best);
                    let number = post.due().expect("a decision");
                    let rest = String::new();
                    lines.push(Line::Ask { number, rest });
                    is_whole::<C>(reply);
                    post.answer(number, Value::from("no reply"));
                    let _ = player.think(Budget::SPENT, &mut best);
                    post.verdict().expect("a verdict").expect_err("no act");
                    post.answer(number, Value::from(reply));
                    let _ = player.think(Budget::SPENT, &mut best);
                    let verdict = post.verdict().expect("a verdict");
                    assert!(verdict.is_ok() || careless, "{}: {verdict:?}", card.name);
                    if verdict.is_ok() {
                        assert_eq!(best, reply, "{} to {}", card.name, exchange.call);
                        answers += 1;
                    }
                    assert_eq!(post.take().expect("lines"), lines);
                    player.said(reply);
                    let played = post.take().expect("lines");
                    assert!(matches!(&*played, [Line::Played { .. }]), "{played:?}");
                }
                next => {
                    assert_eq!(post.take().expect("lines"), lines);
                    if matches!(next, Next::Send(_)) {
                        player.said(reply);
                    }
                }
            }
        }
        assert!(answers > 0, "{} was never asked", card.name);
    }
}
