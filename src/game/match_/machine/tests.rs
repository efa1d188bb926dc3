//! The machine at tables that follow a script.

use super::replay::Difference;
use super::*;
use crate::card::Wire;
use crate::game::{Cause, Seats};
use crate::match_::effect::Content;
use crate::match_::rules::LINES_MAX;
use crate::participation::Part;
use crate::wire::{Noted, Reply};
use serde_json::Value;
use std::sync::{Arc, Mutex};

const WITHIN: Duration = Duration::from_micros(100);

/// A table that makes one round of calls after the other, and is over after the last one. The part of who is late, lost
/// or early ends.
#[derive(Default)]
struct Script {
    rounds: VecDeque<Vec<Call>>,
    waits: Vec<Seat>,
    /// Lines of one answer.
    lines: usize,
    said: usize,
    lock_step: bool,
    blames: Vec<Blame>,
    received: Arc<Mutex<Vec<String>>>,
    spent: Arc<Mutex<Duration>>,
}

impl Table for Script {
    fn calls(&mut self, out: &mut Vec<Call>) {
        if self.waits.is_empty()
            && let Some(round) = self.rounds.pop_front()
        {
            let asked = round.iter().filter(|call| call.answer_within.is_some());
            self.waits = asked.map(|call| call.seat).collect();
            self.said = 0;
            out.extend(round);
        }
    }

    fn answer(&mut self, seat: Seat, reply: Reply<'_>) {
        let what = match reply {
            Reply::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Reply::Late => "LATE".to_owned(),
            Reply::Failed => "FAILED".to_owned(),
            Reply::Early(text) => format!("EARLY {}", String::from_utf8_lossy(text)),
        };
        self.received
            .lock()
            .unwrap()
            .push(format!("{seat:?} {what}"));
        let cause = match reply {
            Reply::Text(_) => None,
            Reply::Late => Some(Cause::TimeForfeit),
            Reply::Failed => Some(Cause::Crash),
            Reply::Early(_) => Some(Cause::ProtocolError),
        };
        self.said += 1;
        let fault = cause.is_some();
        self.blames.extend(cause.map(|cause| Blame {
            seat,
            cause,
            detail: "it failed".to_owned(),
        }));
        if fault || self.said >= self.lines {
            self.waits.retain(|other| *other != seat);
        }
    }

    fn waits(&self, seat: Seat) -> bool {
        self.waits.contains(&seat)
    }

    fn spent(&mut self, _: Seat, time: Duration) {
        *self.spent.lock().unwrap() += time;
    }

    fn lock_step(&self) -> bool {
        self.lock_step
    }

    fn blames(&self) -> Vec<Blame> {
        self.blames.clone()
    }

    fn noted(&self, _: Seat) -> Noted {
        Noted::default()
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.waits.is_empty() && self.rounds.is_empty()).then(|| Outcome {
            cause: Cause::Normal,
            scores: Seats::from_fn(2, |_| 0),
        })
    }

    fn setup(&self) -> Value {
        Value::Null
    }
}

fn ask(seat: u8, text: &str) -> Call {
    Call::ask(Seat(seat), text.to_owned(), WITHIN)
}

fn note(seat: u8, text: &str) -> Call {
    Call {
        answer_within: None,
        decides: false,
        ..ask(seat, text)
    }
}

/// A match, what its table has received, and what it wanted done.
struct Played {
    match_: Match,
    received: Arc<Mutex<Vec<String>>>,
    spent: Arc<Mutex<Duration>>,
    recorded: u64,
}

impl Played {
    fn new(script: Script, rules: Rules, attendance: &[Attendance]) -> Self {
        let (received, spent) = (Arc::clone(&script.received), Arc::clone(&script.spent));
        let place = |(at, attendance): (usize, &Attendance)| Place {
            name: ["ann", "ben", "cleo"][at].to_owned(),
            ..Place::new(*attendance)
        };
        let places = attendance.iter().enumerate().map(place);
        Self {
            match_: Match::new(Box::new(script), rules).among(places.collect()),
            received,
            spent,
            recorded: 0,
        }
    }

    /// Takes all effects, all at this moment.
    fn effects(&mut self, now_us: i64) -> Vec<String> {
        let mut effects = Vec::new();
        while let Some(effect) = self.match_.next(now_us) {
            effects.push(match effect {
                Effect::Record(line) => {
                    self.recorded += 1;
                    match line.content {
                        Content::Call(text) => format!("{} > {text}", line.seat.0),
                        Content::Reply(reply) => {
                            format!("{} < {}", line.seat.0, reply.reply.encode())
                        }
                    }
                }
                Effect::Send(message) => format!("send {} {}", message.seat.0, message.text),
                Effect::Hold { seat, text } => format!("hold {} {text}", seat.0),
                Effect::Rest { seat, .. } => format!("rest {}", seat.0),
                Effect::End { seat, .. } => format!("end {}", seat.0),
            });
        }
        effects
    }

    fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }
}

fn rounds(rounds: Vec<Vec<Call>>) -> Script {
    Script {
        rounds: rounds.into(),
        lines: 1,
        ..Script::default()
    }
}

const HUB: Rules = Rules::of_wire(Wire::Hub);
const CALLBACKS: Rules = Rules::of_wire(Wire::Callbacks);
const PIPES: Rules = Rules::of_wire(Wire::Stdio);
const TWO: [Attendance; 2] = [Attendance::Outside; 2];

fn at_hub(script: Vec<Vec<Call>>) -> Played {
    let mut played = Played::new(rounds(script), HUB, &TWO);
    played.match_.start(1_000);
    played
}

#[test]
fn a_line_of_the_last_microsecond_is_in_time_and_one_later_is_not() {
    for (at_us, expected) in [(1_100, "Seat(0) move"), (1_101, "Seat(0) LATE")] {
        let mut played = at_hub(vec![vec![ask(0, "a"), ask(1, "b")]]);
        played.effects(1_000);
        assert_eq!(played.match_.wakes_us(), Some(1_100));
        // Both are processed long after.
        played.match_.line(Seat(0), b"move", at_us);
        assert_eq!(played.received(), [expected]);
        let blames = played.match_.blames();
        let late = at_us > 1_100;
        assert_eq!(blames.len(), usize::from(late));
        if late {
            assert_eq!(blames[0].detail, "player 1 (ann) was out of time");
            assert_eq!(blames[0].cause, Cause::TimeForfeit);
        }
    }
}

#[test]
fn what_was_read_in_time_counts_though_the_time_is_over_when_it_is_processed() {
    let mut played = at_hub(vec![vec![ask(0, "a"), ask(1, "b")]]);
    played.effects(1_000);
    played.match_.line(Seat(1), b"move", 1_090);
    // The clock goes off only after what was read has come in.
    played.match_.time(5_000);
    assert_eq!(played.received(), ["Seat(1) move", "Seat(0) LATE"]);
    played.effects(5_000);
    let over = played.match_.over().unwrap().unwrap();
    assert_eq!(over.cause, Cause::Normal);
    let conduct = played.match_.conduct();
    assert_eq!((conduct[0].missed, conduct[1].missed), (1, 0));
    assert_eq!(conduct[1].took.count(), 1);
}

#[test]
fn the_clock_starts_when_a_message_is_taken_to_be_sent() {
    let mut played = at_hub(vec![vec![ask(0, "a")]]);
    // Recording took as long as a whole turn.
    played.effects(1_100);
    played.match_.line(Seat(0), b"move", 1_200);
    assert_eq!(played.received(), ["Seat(0) move"]);
}

#[test]
fn two_thousand_lines_of_one_turn_are_played_and_one_more_is_not() {
    let script = Script {
        lines: usize::MAX,
        ..rounds(vec![vec![ask(0, "a"), ask(1, "b")]])
    };
    let mut played = Played::new(script, HUB, &TWO);
    played.match_.start(1_000);
    played.effects(1_000);
    for _ in 0..LINES_MAX {
        played.match_.line(Seat(0), b"go", 1_001);
    }
    assert_eq!(played.received().len(), LINES_MAX);
    assert!(played.match_.blames().is_empty());
    played.match_.line(Seat(0), b"go", 1_001);
    assert_eq!(played.received().last().unwrap(), "Seat(0) FAILED");
    let detail = &played.match_.blames()[0].detail;
    assert_eq!(detail, "player 1 (ann) said too much in one turn");
    // All of them are one entry; nothing that comes later counts.
    let effects = played.effects(1_001);
    assert_eq!(effects.len(), 3, "{effects:?}");
    assert_eq!(effects[0].matches("go").count(), LINES_MAX);
    assert_eq!(effects[1..], ["0 < \u{1}failed", "end 0"]);
    played.match_.line(Seat(0), b"go", 1_001);
    assert_eq!(played.received().len(), LINES_MAX + 1);
}

#[test]
fn a_seat_that_nobody_came_for_is_out_from_the_beginning() {
    let script = rounds(vec![vec![ask(0, "a"), ask(1, "b")], vec![ask(1, "c")]]);
    let attendance = [Attendance::Absent, Attendance::Outside];
    let mut played = Played::new(script, HUB, &attendance);
    played.match_.start(1_000);
    assert_eq!(
        played.effects(1_000),
        [
            "0 > a",
            "1 > b",
            "send 0 a",
            "send 1 b",
            "0 < \u{1}failed",
            "end 0"
        ]
    );
    assert_eq!(
        played.match_.blames()[0].detail,
        "player 1 (ann) did not come"
    );
    // Its time does not end again.
    played.match_.line(Seat(1), b"move", 1_001);
    played.match_.time(2_000);
    assert_eq!(played.match_.conduct()[0].missed, 0);
}

#[test]
fn when_all_are_gone_each_has_left_and_the_match_is_over() {
    let mut played = at_hub(vec![vec![ask(0, "a"), ask(1, "b")]]);
    played.effects(1_000);
    played.match_.all_gone(1_050);
    played.effects(1_050);
    let details: Vec<String> = played
        .match_
        .blames()
        .into_iter()
        .map(|blame| blame.detail)
        .collect();
    assert_eq!(details, ["player 1 (ann) left", "player 2 (ben) left"]);
    assert!(matches!(played.match_.over(), Some(Ok(_))));
}

#[test]
fn the_last_messages_are_held_and_all_before_is_recorded() {
    let mut played = at_hub(vec![
        vec![ask(0, "a")],
        vec![note(0, "won"), note(1, "lost")],
    ]);
    played.effects(1_000);
    played.match_.line(Seat(0), b"move", 1_001);
    assert_eq!(
        played.effects(1_001),
        [
            "0 < move",
            "0 > won",
            "1 > lost",
            "hold 0 won",
            "hold 1 lost"
        ]
    );
    assert!(matches!(played.match_.over(), Some(Ok(_))));
    // A line in the same moment is too late for everything.
    played.match_.line(Seat(1), b"move", 1_001);
    played.match_.finish();
}

#[test]
fn consecutive_lines_of_one_player_are_one_entry_and_stamps_rise() {
    let script = Script {
        lines: usize::MAX,
        ..rounds(vec![vec![ask(0, "a"), ask(1, "b")]])
    };
    let mut played = Played::new(script, HUB, &TWO);
    played.match_.start(1_000);
    while played.match_.next(1_000).is_some() {}
    for (seat, line) in [(0, "x"), (0, "y"), (1, "z"), (0, ""), (0, "w")] {
        played.match_.line(Seat(seat), line.as_bytes(), 1_000);
    }
    played.match_.finish();
    let mut lines = Vec::new();
    while let Some(Effect::Record(line)) = played.match_.next(1_000) {
        let Content::Reply(reply) = line.content else {
            panic!("no call");
        };
        lines.push((line.at_us, line.seat.0, reply.reply.encode()));
    }
    let texts: Vec<_> = lines
        .iter()
        .map(|(_, seat, text)| (*seat, &**text))
        .collect();
    assert_eq!(texts, [(0, "x\ny"), (1, "z"), (0, ""), (0, "w")]);
    assert!(lines.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn output_before_the_call_is_a_fault_in_lock_step() {
    let script = Script {
        lock_step: true,
        ..rounds(vec![vec![ask(0, "a")]])
    };
    let mut played = Played::new(script, PIPES, &TWO);
    played.match_.start(1_000);
    let mut quiet = false;
    while let Some(effect) = played.match_.next(1_000) {
        if let Effect::Send(message) = effect {
            quiet = message.quiet;
        }
    }
    assert!(quiet);
    played.match_.early(Seat(0), b"= \xff0", 1_000);
    assert_eq!(played.received(), ["Seat(0) EARLY = ?0"]);
    assert_eq!(played.effects(1_001), ["0 < \u{1}early = ?0", "end 0"]);
}

#[test]
fn a_reply_of_several_lines_is_one_entry_and_all_of_its_time_is_charged() {
    let script = Script {
        lines: 2,
        ..rounds(vec![vec![ask(0, "a")], vec![ask(0, "b")]])
    };
    let mut played = Played::new(script, PIPES, &TWO);
    played.match_.start(1_000);
    played.effects(1_000);
    played.match_.line(Seat(0), b"x", 1_010);
    // What is there when the time is over is in time.
    played.match_.line(Seat(0), b"y", 1_200);
    assert_eq!(played.effects(1_300), ["0 < x\ny", "0 > b", "send 0 b"]);
    assert_eq!(*played.spent.lock().unwrap(), Duration::from_micros(200));
    played.match_.time(1_399);
    assert!(played.match_.asks(Seat(0)));
    played.match_.time(1_400);
    assert_eq!(played.received().last().unwrap(), "Seat(0) LATE");
    assert_eq!(played.match_.vain(), [(1_300, 1_400)]);
    let conduct = &played.match_.conduct()[0];
    assert_eq!((conduct.fell, conduct.took.count()), (Some(2), 2));
    let blame = &played.match_.blames()[0];
    assert_eq!(conduct.participation(None, Some(blame)).how, Part::Silent);
}

#[test]
fn messages_that_ask_nothing_go_first_and_bots_of_this_process_before_programs() {
    let script = rounds(vec![vec![ask(0, "a"), ask(1, "b"), note(0, "c")]]);
    let attendance = [Attendance::Outside, Attendance::Inside];
    let mut played = Played::new(script, PIPES, &attendance);
    played.match_.start(1_000);
    let mut effects = played.effects(1_000);
    effects.retain(|effect| effect.starts_with("send"));
    assert_eq!(effects, ["send 0 c", "send 1 b", "send 0 a"]);
}

fn durable(script: Script) -> Played {
    let rules = Rules {
        durable: true,
        failures_max: 2,
        ..CALLBACKS
    };
    let mut played = Played::new(script, rules, &TWO);
    played.match_.start(1_000);
    played
}

#[test]
fn nothing_goes_out_and_no_answer_counts_before_it_is_stored() {
    let mut played = durable(rounds(vec![
        vec![ask(0, "a"), ask(1, "b")],
        vec![note(0, "c")],
    ]));
    assert_eq!(played.effects(1_000), ["0 > a", "1 > b"]);
    played.match_.stored(1, 1_001);
    assert_eq!(played.effects(1_001), ["send 0 a"]);
    played.match_.answered(Seat(0), "move", None, 1_002);
    // The disk is full: everything waits, for the answer of a player, and for the call of another one.
    assert_eq!(played.effects(1_002), ["0 < move"]);
    assert!(played.received().is_empty() && played.match_.over().is_none());
    played.match_.stored(2, 9_000);
    assert_eq!(played.effects(9_000), ["send 1 b"]);
    played.match_.stored(3, 9_001);
    assert_eq!(played.received(), ["Seat(0) move"]);
    played.match_.answered(Seat(1), "other", None, 9_002);
    played.effects(9_002);
    played.match_.stored(4, 9_003);
    // The end is not reached before the last message is delivered.
    assert_eq!(played.effects(9_003), ["0 > c"]);
    assert!(played.match_.over().is_none());
    played.match_.stored(5, 9_004);
    assert_eq!(played.effects(9_004), ["send 0 c"]);
    played.match_.answered(Seat(0), "", None, 9_005);
    assert_eq!(played.effects(9_005), ["0 < "]);
    assert!(matches!(played.match_.over(), Some(Ok(_))));
}

#[test]
fn a_player_that_fails_too_often_is_called_no_more() {
    let turns = vec![ask(0, "a")];
    let mut played = Played::new(
        rounds(vec![turns.clone(), turns.clone(), turns.clone(), turns]),
        Rules {
            failures_max: 2,
            ..CALLBACKS
        },
        &TWO,
    );
    played.match_.start(1_000);
    played.effects(1_000);
    played.match_.failed(Seat(0), Failure::Late, 1_001);
    assert_eq!(
        played.effects(1_001),
        ["0 < \u{1}late", "0 > a", "send 0 a"]
    );
    let gone = Failure::Gone("refused".to_owned());
    played.match_.failed(Seat(0), gone, 1_002);
    assert!(played.match_.is_dead(Seat(0)));
    let effects = played.effects(1_002).join(", ");
    let dead = "0 < \u{1}failed, 0 > a, 0 < \u{1}failed";
    assert!(effects.ends_with(dead), "{effects}");
    assert_eq!(played.received().len(), 4);
    let part = played.match_.conduct()[0].participation_called();
    assert_eq!((part.how, part.turn), (Part::Silent, Some(1)));
    assert_eq!((part.decisions, part.fallback), (Some(4), Some(4)));
    assert!(played.match_.conduct()[0].is_silent());
}

#[test]
fn a_match_goes_on_where_its_transcripts_end() {
    let script = || rounds(vec![vec![ask(0, "a"), ask(1, "b")], vec![ask(0, "c")]]);
    let mut match_ = Match::new(Box::new(script()), CALLBACKS);
    match_.follow();
    assert!(match_.is_due(Seat(1)));
    assert_eq!(match_.stored_call(Seat(0), "a", 10), Ok(()));
    match_.stored_reply(Seat(0), "\u{1}late", 20);
    let other = match_.stored_call(Seat(1), "x", 30);
    assert_eq!(other, Err(Difference::Other("b".to_owned())));
    assert_eq!(
        match_.stored_call(Seat(1), "b", 30),
        Err(Difference::NotDue)
    );
    let mut match_ = match_.among(vec![Place::default(), Place::default()]);
    // The open call is sent again, and not recorded again; stamps rise though the clock was turned back.
    match_.start(5);
    let sent = |match_: &mut Match| {
        let mut sent = Vec::new();
        while let Some(effect) = match_.next(6) {
            if let Effect::Record(line) = &effect {
                assert!(line.at_us > 30);
            }
            sent.push(matches!(effect, Effect::Send(_)));
        }
        sent
    };
    assert_eq!(sent(&mut match_), [true]);
    match_.answered(Seat(1), "move", None, 7);
    assert_eq!(sent(&mut match_), [false, false, true]);
}

#[test]
fn a_match_that_waits_for_nothing_is_stuck() {
    let script = Script {
        waits: vec![Seat(0)],
        ..Script::default()
    };
    let mut played = Played::new(script, PIPES, &TWO);
    played.match_.start(1_000);
    assert_eq!(played.match_.over(), Some(Err(Stuck::Stalled)));
    let mut played = Played::new(rounds(vec![vec![ask(7, "a")]]), PIPES, &TWO);
    played.match_.start(1_000);
    assert_eq!(played.match_.over(), Some(Err(Stuck::NoSeat(7))));
}
