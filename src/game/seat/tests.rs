//! A scripted bot, a scripted program, and a clock that the tests move.

use super::{
    By, Due, Extent, Fallback, LastMessage, Order, OwnSeat, ProgramPart, ProgramReply, Quarantine,
    Reply, Search, Settings, Taken, Unanswered,
};
use crate::answer::MARGIN;
use crate::card::Limits;
use crate::game::{Budget, Cause, Illegal, Progress};
use crate::neutral::{Line, Post};
use crate::wire::{Dialogue, Ending, Fact, Frame, Next, WireError};
use serde_json::{Value, json};
use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// What a dialogue received, as words.
type Log = Arc<Mutex<Vec<String>>>;

/// A dialogue that does as its frames say: `wait`, `say X`, `over`, `boom`, or `ask LIMIT TARGET HOW` in milliseconds. It
/// answers `1` at first, and each slice of thinking makes that one more, unless `HOW` is `panic`.
#[derive(Default)]
struct Scripted {
    log: Log,
    post: Option<Post>,
    asked: u64,
    panics: bool,
    slices: u64,
}

impl Scripted {
    fn note(&self, what: impl Into<String>) {
        self.log.lock().unwrap().push(what.into());
    }
}

impl Dialogue for Scripted {
    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let text = std::str::from_utf8(frame).unwrap();
        let mut words = text.split(' ');
        Ok(match words.next().unwrap() {
            "wait" => Next::Wait,
            "say" => Next::Send(words.next().unwrap().to_owned()),
            "over" => Next::Over(Ending {
                last_word: "bye".to_owned(),
                ..Ending::new(Cause::Normal, "")
            }),
            "boom" => panic!("on a frame"),
            "ask" => {
                let mut time = || words.next()?.parse().ok().map(ms);
                let (limit, target) = (time().unwrap_or(ms(1_000)), time());
                self.panics = words.next() == Some("panic");
                self.slices = 0;
                self.note("facts");
                Next::Think {
                    limit,
                    target,
                    fallback: "1".to_owned(),
                }
            }
            _ => return Err(WireError::new("frame", "unknown")),
        })
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        assert!(!self.panics, "while thinking");
        if let Some(post) = &self.post {
            if post.due().is_none() {
                self.asked += 1;
                post.push(Line::ask(self.asked, &json!({ "ask": 0 })));
            }
            if let Some(act) = post.answered(self.asked) {
                let legal = act.as_str().ok_or_else(|| Illegal::new("no text"));
                post.judge(legal.map(drop));
                if let Some(text) = act.as_str() {
                    text.clone_into(best);
                    return Progress::Done;
                }
            }
        }
        if !(slice.stop)() {
            self.slices += 1;
            *best = (self.slices + 1).to_string();
        }
        Progress::More
    }

    fn said(&mut self, frame: &str) {
        assert_ne!(frame, "unsayable");
        if let Some(post) = &self.post {
            let (number, act) = (self.asked, "null".to_owned());
            post.push(Line::Played { number, act });
        }
        self.note(format!("said {frame}"));
    }

    fn facts(&mut self) -> Vec<Fact> {
        let mut log = self.log.lock().unwrap();
        let due = log.last().is_some_and(|last| last == "facts");
        log.pop_if(|last| last == "facts");
        let found = due.then(|| Fact::new("found", Value::Null));
        found.into_iter().collect()
    }
}

fn settings() -> Settings {
    Settings {
        limits: Limits::new(ms(1_000), ms(1_000)),
        margin: MARGIN,
        ceiling: ms(10_000),
        nodes: u64::MAX,
    }
}

fn seat() -> (OwnSeat, Log) {
    let scripted = Scripted::default();
    let log = Arc::clone(&scripted.log);
    let mut seat = OwnSeat::new(settings(), None);
    seat.wake(Box::new(scripted));
    (seat, log)
}

fn seat_of_program(native: bool) -> (OwnSeat, Log) {
    let mut part = ProgramPart::new(native, None);
    let post = Some(part.attend());
    let scripted = Scripted {
        post,
        ..Scripted::default()
    };
    let log = Arc::clone(&scripted.log);
    let mut seat = OwnSeat::new(settings(), Some(part));
    seat.wake(Box::new(scripted));
    (seat, log)
}

fn log(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

#[track_caller]
fn answer(due: Due) -> Reply {
    match due {
        Due::Answer(reply) => reply,
        due => panic!("{due:?}"),
    }
}

#[track_caller]
fn search(due: Due) -> Search {
    match due {
        Due::Think(Extent::Search(search)) => search,
        due => panic!("{due:?}"),
    }
}

/// The program is asked: until when, in milliseconds.
#[track_caller]
fn asked(seat: &mut OwnSeat, frame: &str) -> u128 {
    assert_eq!(seat.receive(frame, "?"), Due::Think(Extent::Ready));
    match seat.think(&|| ms(1)) {
        Due::Ask(question) => question.until.as_millis(),
        due => panic!("{due:?}"),
    }
}

fn facts(seat: &mut OwnSeat) -> Vec<String> {
    let facts = seat.facts().unwrap().into_iter();
    facts
        .map(|fact| {
            format!(
                "{} {}",
                fact.kind,
                fact.data["cause"].as_str().unwrap_or_default()
            )
        })
        .map(|fact| fact.trim_end().to_owned())
        .collect()
}

#[test]
fn what_needs_no_decision_is_said_at_once_and_only_what_waits_for_it_is_logged() {
    let (mut seat, received) = seat();
    for (frame, text, by, is_logged) in [
        ("wait", "", By::Wire, false),
        ("say hello", "hello", By::Wire, true),
        ("over", "bye", By::Wire, false),
    ] {
        let reply = answer(seat.receive(frame, "?"));
        assert_eq!((reply.text.as_str(), &reply.by), (text, &by), "{frame}");
        assert_eq!(reply.ending.is_some(), frame == "over");
        seat.said(&reply.text).unwrap();
        assert_eq!(log(&received).len(), usize::from(is_logged), "{frame}");
    }
    let strange = answer(seat.receive("strange", "?"));
    assert_eq!(strange.text, "?");
    assert!(matches!(
        strange.by,
        By::Default(Unanswered::NotUnderstood(_))
    ));
    let boom = answer(seat.receive("boom", "?"));
    assert_eq!(boom.by, By::Default(Unanswered::Panicked));
    assert!(boom.panic.is_some() && seat.is_absent());
    let absent = answer(seat.receive("ask", "?"));
    assert_eq!(absent.by, By::Default(Unanswered::Absent));
    seat.break_down();
    let broken = answer(seat.receive("ask", "?"));
    assert_eq!(broken.by, By::Default(Unanswered::Broken));
}

/// How many slices of a millisecond go into a decision that is begun `waited` milliseconds after its frame.
#[track_caller]
fn check_slices(frame: &str, settings: Settings, waited: u64, expected: u64) {
    let mut seat = OwnSeat::new(settings, None);
    seat.wake(Box::<Scripted>::default());
    search(seat.receive(frame, "?"));
    let now = Cell::new(waited);
    // Each slice looks at the clock twice: whether it may begin, and whether another one may.
    let looks = Cell::new(0_u64);
    let elapsed = || {
        looks.set(looks.get() + 1);
        now.set(waited + looks.get().saturating_sub(1) / 2);
        ms(now.get())
    };
    let reply = answer(seat.think(&elapsed));
    let slices: u64 = reply.text.parse().unwrap();
    assert_eq!(slices - 1, expected, "{frame} after {waited} ms");
}

#[test]
fn thinking_ends_with_the_first_of_its_bounds() {
    let at_most = |nodes, ceiling| Settings {
        nodes,
        ceiling: ms(ceiling),
        ..settings()
    };
    let time = u64::MAX;
    check_slices("ask 500", at_most(time, 10_000), 0, 375);
    check_slices("ask 500", at_most(time, 200), 0, 200);
    check_slices("ask 500 30", at_most(time, 200), 0, 30);
    check_slices("ask 500", at_most(7, 10_000), 0, 1);
    check_slices("ask 500", at_most(time, 10_000), 300, 75);
    // At least a share of the limit, and no more than there is.
    check_slices("ask 500", at_most(time, 10_000), 400, 25);
    check_slices("ask 500", at_most(time, 10_000), 490, 10);
    check_slices("ask 500", at_most(time, 10_000), 500, 0);
    // A clock over many decisions grants what is left of the target, and nothing on top.
    check_slices("ask 500 30", at_most(time, 10_000), 20, 10);
    check_slices("ask 1000 3", at_most(time, 10_000), 400, 0);
    check_slices("ask 4000 0", at_most(time, 10_000), 0, 0);
    // No more than the contest gives, whatever the wire says.
    check_slices("ask 9000", at_most(time, 10_000), 0, 750);
}

#[test]
fn a_decision_that_thinks_elsewhere_comes_back_or_is_answered_for() {
    let (mut seat, received) = seat();
    let bounds = search(seat.receive("ask 1000", "?"));
    assert_eq!((bounds.stop, bounds.deadline), (ms(750), ms(750)));
    let (dialogue, best) = seat.lend().unwrap();
    assert!(seat.lend().is_none() && seat.is_lent());
    let reply = answer(seat.take_back(dialogue, Some("8".to_owned()), ms(9)));
    assert_eq!((reply.text.as_str(), reply.by), ("8", By::Bot));
    assert_eq!((best.as_str(), reply.limit), ("1", Some(ms(1_000))));
    seat.said("8").unwrap();
    assert_eq!(
        (log(&received), facts(&mut seat)),
        (vec!["said 8".to_owned()], vec!["found".to_owned()])
    );

    // It comes back in time, and nobody has thought.
    search(seat.receive("ask 1000", "?"));
    let (dialogue, _) = seat.lend().unwrap();
    let reply = answer(seat.take_back(dialogue, None, ms(750)));
    assert_eq!(
        (reply.text.as_str(), reply.fallback()),
        ("1", Some(Fallback::Late))
    );
    seat.said("1").unwrap();
    assert_eq!(facts(&mut seat), ["found", "fallback late"]);
    log(&received);

    // It comes back after its answer was given: it receives it then.
    search(seat.receive("ask 1000", "?"));
    let (dialogue, _) = seat.lend().unwrap();
    let reply = answer(seat.overdue(Some("5".to_owned())));
    assert_eq!((reply.text.as_str(), reply.by), ("5", By::Bot));
    seat.said("5").unwrap();
    assert_eq!(log(&received), [""; 0]);
    seat.come_back(dialogue).unwrap();
    assert!(seat.is_awake());
    assert_eq!(log(&received), ["said 5"]);
}

#[test]
fn a_thought_that_never_comes_back_costs_the_bot_its_decisions() {
    let (mut seat, _) = seat();
    search(seat.receive("ask 1000", "?"));
    let lent = seat.lend().unwrap();
    let reply = answer(seat.overdue(None));
    assert_eq!(reply.fallback(), Some(Fallback::Late));
    seat.said(&reply.text).unwrap();
    assert_eq!(facts(&mut seat), ["found", "fallback late"]);
    seat.give_up(true);
    assert!(seat.is_absent() && !seat.is_lent());
    assert_eq!(seat.quarantine, Quarantine::Due);
    assert_eq!(facts(&mut seat), ["quarantined"]);
    seat.quarantine = Quarantine::Stored;
    seat.hung();
    assert_eq!(seat.quarantine, Quarantine::Stored, "it is known");
    // Folded again, it still receives everything.
    let received = Log::default();
    seat.wake(Box::new(Scripted {
        log: Arc::clone(&received),
        ..Scripted::default()
    }));
    drop(lent);
    let reply = answer(seat.receive("ask 1000", "?"));
    assert_eq!(
        (reply.text.as_str(), reply.fallback()),
        ("1", Some(Fallback::Quarantined))
    );
    seat.said("1").unwrap();
    assert_eq!(log(&received), ["said 1"]);
    assert_eq!(facts(&mut seat), ["found", "fallback quarantined"]);
}

#[test]
fn a_bot_that_panics_is_answered_for_and_lost() {
    for elsewhere in [false, true] {
        let (mut seat, _) = seat();
        search(seat.receive("ask 1000 500 panic", "?"));
        let reply = match elsewhere {
            false => answer(seat.think(&|| ms(0))),
            true => {
                drop(seat.lend());
                answer(seat.lose(None, Fallback::Panic))
            }
        };
        assert_eq!(
            (reply.text.as_str(), reply.fallback()),
            ("1", Some(Fallback::Panic))
        );
        assert_eq!(reply.panic.is_some(), !elsewhere);
        assert!(seat.is_absent());
        seat.said("1").unwrap();
        assert_eq!(facts(&mut seat), ["found", "fallback panic"]);
    }
    // What it had found before counts.
    let (mut seat, _) = seat();
    search(seat.receive("ask 1000", "?"));
    drop(seat.lend());
    let reply = answer(seat.lose(Some("3".to_owned()), Fallback::Panic));
    assert_eq!((reply.text.as_str(), reply.by), ("3", By::Bot));
    // A search next to somebody else's leaves the best answer as it was.
    let (mut seat, _) = self::seat();
    search(seat.receive("ask 1000", "?"));
    let looks = Cell::new(0);
    let stop = || looks.replace(looks.get() + 1) >= 6;
    seat.search(&stop).unwrap();
    assert_eq!(answer(seat.settle(ms(3))).text, "4");
    search(seat.receive("ask 1000 500 panic", "?"));
    assert!(seat.search(&|| false).is_err() && seat.is_absent());
    assert_eq!(answer(seat.settle(ms(3))).text, "1");
    let (mut seat, _) = self::seat();
    assert_eq!(answer(seat.receive("say unsayable", "?")).text, "unsayable");
    assert!(seat.said("unsayable").is_err() && seat.is_absent());
}

#[test]
fn an_answer_that_was_given_elsewhere_is_the_one_that_was_said() {
    let (mut seat, received) = seat();
    seat.hung();
    for frame in ["ask 1000", "say hello"] {
        let _ = seat.receive(frame, "?");
        seat.said_elsewhere("local").unwrap();
    }
    let _ = seat.receive("wait", "?");
    seat.said_elsewhere("").unwrap();
    assert_eq!(log(&received), ["said local", "said local"]);
    assert_eq!(
        facts(&mut seat),
        ["found", "quarantined"],
        "no fallback answered"
    );
}

#[test]
fn a_program_decides_if_it_answers_in_time_and_legally() {
    let (mut seat, received) = seat_of_program(false);
    assert_eq!(asked(&mut seat, "ask 1000"), 712);
    let lines = seat.program().unwrap().lines().unwrap();
    assert!(
        matches!(lines.as_slice(), [Line::Ask { number: 1, .. }]),
        "{lines:?}"
    );
    let due = seat.answered(ProgramReply::Act(json!("own")), ms(100));
    assert_eq!(due, Due::Think(Extent::Ready));
    let reply = answer(seat.think(&|| ms(101)));
    assert_eq!((reply.text.as_str(), &reply.by), ("own", &By::Program));
    assert_eq!(reply.taken, Some(Taken::Own));
    seat.said("own").unwrap();
    assert_eq!(
        (log(&received).len(), facts(&mut seat)),
        (1, vec!["found".to_owned()])
    );

    // Its fallback has what is left.
    let _ = asked(&mut seat, "ask 1000");
    let _ = seat.answered(ProgramReply::Act(json!(7)), ms(100));
    let bounds = search(seat.think(&|| ms(110)));
    assert_eq!(bounds.instead, Some(Fallback::ProgramIllegal));
    assert_eq!((bounds.stop, bounds.deadline), (ms(750), ms(750)));
    let refusal = seat.program().unwrap().refusal();
    assert_eq!(refusal, Some((2, "no text".to_owned())));
    assert_eq!(seat.program().unwrap().refusal(), None, "once");
    let reply = answer(seat.think(&|| ms(1_000)));
    assert_eq!(
        (reply.text.as_str(), reply.taken),
        ("1", Some(Taken::Refused))
    );
    assert_eq!(reply.fallback(), Some(Fallback::ProgramIllegal));
    seat.said("1").unwrap();
    assert_eq!(facts(&mut seat), ["found", "fallback program_illegal"]);
}

#[test]
fn the_only_legal_act_is_no_question() {
    let (mut seat, _) = seat_of_program(false);
    let _ = seat.receive("ask 1000 0", "?");
    let reply = answer(seat.think(&|| ms(1)));
    assert_eq!((reply.by, reply.taken), (By::Forced, Some(Taken::Forced)));
}

#[test]
fn a_program_that_is_late_or_gone_leaves_its_fallback_what_is_kept_for_it() {
    let (mut seat, _) = seat_of_program(false);
    let until = asked(&mut seat, "ask 1000");
    let bounds = search(seat.answered(ProgramReply::Late, ms(713)));
    assert_eq!((until, bounds.deadline), (712, ms(750)));
    assert!(bounds.stop > ms(735) && bounds.stop < ms(745), "{bounds:?}");
    // What it says now is too late: the fallback is already deciding.
    let due = seat.answered(ProgramReply::Act(json!("own")), ms(714));
    assert_eq!(search(due), bounds);
    let (dialogue, _) = seat.lend().unwrap();
    let reply = answer(seat.take_back(dialogue, Some("9".to_owned()), ms(740)));
    assert_eq!(
        (reply.fallback(), reply.taken),
        (Some(Fallback::ProgramLate), Some(Taken::Late))
    );
    seat.said("9").unwrap();
    assert_eq!(facts(&mut seat), ["found", "fallback program_late"]);

    let _ = asked(&mut seat, "ask 1000");
    let bounds = search(seat.answered(ProgramReply::Gone, ms(5)));
    assert_eq!((bounds.stop, bounds.deadline), (ms(750), ms(750)));
    let (_, _) = seat.lend().unwrap();
    let reply = answer(seat.overdue(None));
    assert_eq!(
        (reply.fallback(), reply.taken),
        (Some(Fallback::ProgramGone), Some(Taken::Gone))
    );
    seat.said("1").unwrap();
    // Its fallback may break down as well.
    seat.give_up(false);
    seat.wake(Box::<Scripted>::default());
    let _ = seat.receive("ask 1000 500 panic", "?");
    let reply = answer(seat.think(&|| ms(1)));
    assert_eq!(
        (reply.fallback(), reply.taken),
        (Some(Fallback::Panic), Some(Taken::Gone))
    );
}

#[test]
fn a_program_that_keeps_its_own_clock_is_trusted_until_it_is_late() {
    let (mut seat, _) = seat_of_program(true);
    assert_eq!(asked(&mut seat, "ask 1000 20"), 250);
    let _ = seat.answered(ProgramReply::Late, ms(250));
    seat.said("1").unwrap();
    assert_eq!(asked(&mut seat, "ask 1000 20"), 114);
}

#[test]
fn what_may_have_been_asked_before_is_asked_for_a_moment_once() {
    let (mut seat, _) = seat_of_program(false);
    seat.program().unwrap().asked_before();
    assert_eq!(asked(&mut seat, "ask 1000"), 100);
    seat.said("1").unwrap();
    assert_eq!(asked(&mut seat, "ask 1000"), 712);
}

#[test]
fn a_program_is_not_sent_again_what_a_fresh_dialogue_says_again() {
    let (mut seat, _) = seat_of_program(false);
    let _ = asked(&mut seat, "ask 1000");
    seat.said("1").unwrap();
    assert_eq!(seat.program().unwrap().lines().unwrap().len(), 2);
    let post = seat.program().unwrap().attend();
    post.push(Line::Plain("as before".to_owned()));
    post.push(Line::Plain("as before".to_owned()));
    post.push(Line::Plain("new".to_owned()));
    let lines = seat.program().unwrap().lines().unwrap();
    assert_eq!(lines, [Line::Plain("new".to_owned())]);
}

#[test]
fn a_program_that_is_started_again_is_sent_everything() {
    let (mut seat, _) = seat_of_program(false);
    let _ = asked(&mut seat, "ask 1000");
    let part = seat.program().unwrap();
    assert_eq!(part.lines().unwrap().len(), 1);
    part.start_again();
    let post = part.attend();
    post.push(Line::Plain("from the beginning".to_owned()));
    assert_eq!(part.lines().unwrap().len(), 1);
}

#[test]
fn a_decision_that_is_stopped_ends_though_its_time_has_no_end() {
    let (mut seat, _) = seat_of_program(true);
    let _ = asked(&mut seat, "ask 1000 20");
    let bounds = search(seat.answered(ProgramReply::Late, Duration::MAX));
    assert_eq!(bounds.deadline, Duration::MAX);
}

#[test]
fn a_program_may_be_given_less_than_the_wire_gives() {
    let mut part = ProgramPart::new(false, Some(ms(50)));
    let post = Some(part.attend());
    let mut seat = OwnSeat::new(settings(), Some(part));
    seat.wake(Box::new(Scripted {
        post,
        ..Scripted::default()
    }));
    assert_eq!(asked(&mut seat, "ask 1000"), 50);
    let bounds = search(seat.answered(ProgramReply::Late, ms(50)));
    assert!(bounds.stop > ms(70) && bounds.stop < ms(85), "{bounds:?}");
}

#[test]
fn a_numbered_message_is_the_next_one_a_repeated_one_or_too_early() {
    let last = LastMessage {
        text: "ask".to_owned(),
        answer: "1".to_owned(),
        mark: 3,
        number: 2,
    };
    let order = |number, text| LastMessage::order(Some(&last), number, text);
    assert_eq!(order(3, "ask"), Order::Next);
    assert_eq!(order(2, "ask"), Order::Known(Some(&last)));
    assert_eq!(order(2, "else"), Order::Known(None));
    assert_eq!(order(1, "ask"), Order::Known(None));
    assert_eq!(order(4, "ask"), Order::Gap(2));
    assert_eq!(LastMessage::order(None, 1, "ask"), Order::Next);
    assert_eq!(LastMessage::order(None, 2, "ask"), Order::Gap(0));
    assert_eq!(LastMessage::order(None, 0, "ask"), Order::Known(None));
}
