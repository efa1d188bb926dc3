//! The original's two worked examples, replayed from constructed positions.

use crate::cards::{Compass, PLAYERS};
use crate::dialect::{Fields, read, read_answer};
use crate::fold::{Fold, Verdict};
use crate::options::LostRow;
use crate::referee::{Referee, RefereeSetup};
use crate::rules::Setup;
use crate::view::View;
use drover_game::game::Seat;
use drover_game::wire::{Reply, Table};

const MARKET: u64 = 12;
const IDS: [u64; PLAYERS] = [31, 32, 33, 34];

struct Row {
    seat: Seat,
    query: String,
    reply: Option<String>,
}

fn parse(text: &str) -> (Setup, Vec<Row>) {
    let mut setup = None;
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (head, rest) = line.split_once(' ').expect("seat and query");
        if head == "position" {
            setup = Some(serde_json::from_str(rest).unwrap());
            continue;
        }
        let place = Compass::from_letter(head.chars().next().unwrap()).expect("a seat");
        let (query, reply) = match rest.split_once("<-") {
            Some((query, reply)) => (query.trim(), Some(reply.trim().to_owned())),
            None => (rest, None),
        };
        rows.push(Row {
            seat: Seat(place.index() as u8),
            query: query.to_owned(),
            reply,
        });
    }
    (setup.expect("a position"), rows)
}

/// Replays a transcript against the referee, row by row in the exact order of the example, and folds what
/// every seat receives along the way.
fn replay(text: &str) {
    let (setup, rows) = parse(text);
    assert_eq!(
        setup.options.lost_row,
        LostRow::Winner,
        "I5 (b) is the example's reading"
    );
    let mut folds: Vec<Fold> = (0..PLAYERS)
        .map(|seat| {
            Fold::from_view(View::from_holdings(
                std::array::from_fn(|at| setup.purses[(seat + at) % PLAYERS]),
                std::array::from_fn(|at| setup.herds[(seat + at) % PLAYERS]),
                setup.donkeys,
            ))
        })
        .collect();
    let refereed = RefereeSetup {
        position: setup,
        market: MARKET,
        ids: IDS,
    };
    let mut table = Referee::new(refereed).unwrap();
    let mut calls = Vec::new();
    table.calls(&mut calls);
    for (seat, call) in calls.drain(..PLAYERS).enumerate() {
        let begin = format!(
            "market={MARKET}&id={}&type=information&message=begin",
            IDS[seat]
        );
        assert_eq!((call.seat.index(), call.text), (seat, begin));
    }
    let mut waiting = std::collections::VecDeque::from(calls);
    for row in &rows {
        if waiting.is_empty() {
            let mut calls = Vec::new();
            table.calls(&mut calls);
            waiting.extend(calls);
        }
        let call = waiting.pop_front().expect("the example goes on");
        let text = format!("market={MARKET}&id={}&{}", IDS[row.seat.index()], row.query);
        assert_eq!((call.seat, &call.text), (row.seat, &text));
        assert_eq!(call.answer_within.is_some(), row.reply.is_some(), "{text}");
        let fold = &mut folds[row.seat.index()];
        let message = read(&Fields::cut(text.as_bytes()).unwrap(), fold).unwrap();
        let message = message.expect("a known row");
        assert_eq!(fold.judge(&message, false), Verdict::Fits, "{text}");
        fold.receive(&message);
        assert_eq!(fold.ask().is_some(), row.reply.is_some(), "{text}");
        if let Some(reply) = &row.reply {
            let ask = fold.ask().unwrap();
            assert_eq!(table.game().asked(), Some((row.seat.index(), ask)));
            if let Some(act) = read_answer(&ask, reply.as_bytes()) {
                fold.said(&act);
            }
            table.answer(row.seat, Reply::Text(reply.as_bytes()));
        }
    }
    let rest: Vec<&str> = waiting
        .iter()
        .filter_map(|call| call.text.splitn(3, '&').nth(2))
        .collect();
    assert_eq!(rest, ["type=start"], "nothing but the next turn follows");
    let received: Vec<usize> = rows.iter().map(|row| row.seat.index()).collect();
    assert!(
        (0..PLAYERS).all(|seat| received.contains(&seat)),
        "all four seats receive messages"
    );
    // The next turn makes the last settlement final for all seats.
    for (seat, fold) in folds.iter_mut().enumerate() {
        fold.receive(&crate::message::Message::SecondBluff);
        let (mut seen, known) = (*table.game().seen_by(seat), *fold.view());
        assert!(fold.is_certain());
        seen.barred = known.barred;
        assert_eq!(known.purse, seen.purse);
        assert_eq!(known.herds, seen.herds, "seat {seat}");
        assert_eq!(
            (known.cards, known.cash),
            (seen.cards, seen.cash),
            "seat {seat}"
        );
    }
}

#[test]
fn worked_example_of_an_auction() {
    replay(include_str!("../golden/auction.txt"));
}

#[test]
fn worked_example_of_a_trade() {
    replay(include_str!("../golden/trade.txt"));
}
