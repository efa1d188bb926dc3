//! Messages and answers in step, without a program.

use super::*;
use crate::programs::Protocol;

fn steps(game: &str) -> Steps {
    let launch = Launch {
        protocol: Protocol::Native,
        ..Launch::default()
    };
    Steps::for_launch(&launch, game).unwrap()
}

fn frame(text: &str) -> Line {
    let (text, answered) = (text.to_owned(), true);
    Line::Frame { text, answered }
}

fn ask(number: u64) -> Line {
    let rest = String::new();
    Line::Ask { number, rest }
}

/// The whole answers in these lines, each with its decision.
fn answers(steps: &mut Steps, lines: &str) -> Result<Vec<(Option<u64>, bool, String)>, ReplyError> {
    let mut whole = Vec::new();
    for line in lines.split('\n') {
        if let Some(answered) = steps.reply(line.as_bytes())? {
            whole.push((answered.number, answered.asked, answered.text));
        }
    }
    Ok(whole)
}

#[test]
fn a_program_of_the_neutral_protocol_or_of_no_game_owes_nothing() {
    assert!(Steps::for_launch(&Launch::default(), "planowanie").is_none());
    let launch = Launch {
        protocol: Protocol::Native,
        ..Launch::default()
    };
    assert!(Steps::for_launch(&launch, "chess").is_none());
}

#[test]
fn answers_belong_to_messages_in_their_order() {
    let mut steps = steps("planowanie");
    assert_eq!(steps.text_of(&frame("time_left 5")), Some("time_left 5"));
    assert_eq!(steps.text_of(&frame("gen_move")), Some("gen_move"));
    assert_eq!(steps.text_of(&ask(1)), None);
    steps.asks(1);
    let owes = steps.owes_before(1).unwrap();
    assert_eq!(
        owes,
        "messages before it without an answer: 1, first \"time_left 5\""
    );
    let whole = answers(&mut steps, "\n= \nas you like\n\n\n= AS").unwrap();
    assert_eq!(whole, [(None, false, "= \nas you like\n".to_owned())]);
    assert!(!steps.is_even());
    assert_eq!(steps.owes_before(1), None);
    let whole = answers(&mut steps, "").unwrap();
    assert_eq!(whole, [(Some(1), true, "= AS\n".to_owned())]);
    assert!(steps.is_even());
    // What nobody waits for any more is distinguished from what nobody ever waited for.
    steps.text_of(&frame("gen_move"));
    steps.text_of(&ask(2));
    let whole = answers(&mut steps, "= 2C\n").unwrap();
    assert_eq!(whole, [(Some(2), false, "= 2C\n".to_owned())]);
}

#[test]
fn what_is_out_of_step_is_a_fault() {
    let mut early = steps("planowanie");
    assert_eq!(answers(&mut early, "\n\n"), Ok(Vec::new()), "blank lines");
    let why = answers(&mut early, "= AS").unwrap_err();
    assert_eq!(why, ReplyError::Unasked("= AS".to_owned()));
    for (game, said, expected) in [
        (
            "planowanie",
            "hello",
            "its reply \"hello\" begins with neither = nor ?",
        ),
        (
            "lighthouses",
            "hello",
            "its line \"hello\" is no JSON object",
        ),
        ("lighthouses", "17", "its line \"17\" is no JSON object"),
    ] {
        let mut steps = steps(game);
        steps.text_of(&frame("first"));
        assert_eq!(answers(&mut steps, said).unwrap_err().to_string(), expected);
    }
}

#[test]
fn an_answer_has_an_end() {
    for (game, line) in [("planetwars", "F 1 2 3"), ("planowanie", "")] {
        let mut steps = steps(game);
        steps.text_of(&frame("first"));
        for _ in 0..REPLY_LINES_MAX {
            assert!(matches!(steps.reply(line.as_bytes()), Ok(None)), "{game}");
        }
        let Err(why) = steps.reply(line.as_bytes()) else {
            panic!("{game} goes on");
        };
        assert_eq!(
            why.to_string(),
            "it sent more than 10000 lines for one answer"
        );
    }
}

#[test]
fn what_needs_no_answer_owes_none() {
    let mut steps = steps("lighthouses");
    let (text, answered) = ("{\"success\": true}".to_owned(), false);
    let line = Line::Frame { text, answered };
    assert_eq!(steps.text_of(&line), Some("{\"success\": true}"));
    assert!(steps.is_even());
    assert_eq!(steps.farewell(), None);
    assert_eq!(super::tests::steps("planowanie").farewell(), Some("quit"));
}
