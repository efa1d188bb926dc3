//! Both sides of the wire against recordings from the official server.

use super::lines::listener;
use super::recorded::{RECORDED, found, lines};
use crate::KIT;
use crate::dialect;
use crate::options::Key;
use crate::referee::{OnFault, Referee, RefereeSetup};
use crate::rules::{Event, Setup, SmartDog};
use drover_game::game::{Cause, Seat};
use drover_game::wire::{Dialogue as _, Next, Reply, Table as _};
use drover_game::{Kit as _, TableSetup};
use std::collections::BTreeMap;

/// Recorded dog numbers and ours, one for one.
#[derive(Default)]
struct Numbers {
    ours: BTreeMap<String, String>,
    theirs: BTreeMap<String, String>,
}

impl Numbers {
    /// Whether two lines differ at most in a dog's number, and always in the same way.
    fn same(&mut self, ours: &str, theirs: &str) -> bool {
        match (dog_number(ours), dog_number(theirs)) {
            (None, None) => ours == theirs,
            (Some((one, rest)), Some((other, their_rest))) => {
                let known = self.ours.entry(other.clone()).or_insert(one.clone());
                let back = self.theirs.entry(one.clone()).or_insert(other.clone());
                rest == their_rest && *known == one && *back == other
            }
            _ => false,
        }
    }

    /// A recorded command with our dog number.
    fn ours(&self, line: &str) -> String {
        match dog_number(line) {
            Some((number, rest)) if self.ours.contains_key(&number) => {
                rest.replace('N', &self.ours[&number])
            }
            _ => line.to_owned(),
        }
    }
}

/// The number of the dog in a line, and the line with `N` in its place.
fn dog_number(line: &str) -> Option<(String, String)> {
    let start = ["obj  \"id\":", "warning ", "do "]
        .into_iter()
        .find(|start| line.starts_with(start))?;
    let rest = &line[start.len()..];
    let end = rest.find(|letter: char| !letter.is_ascii_digit())?;
    (end > 0).then(|| (rest[..end].to_owned(), format!("{start}N{}", &rest[end..])))
}

#[test]
fn our_hub_says_what_the_official_one_said() {
    for (texts, _) in RECORDED {
        let mut position = found(texts);
        // The recorded options are plain numbers, as of a map that has them in its header.
        for key in Key::ALL {
            let value = i64::from(position.options.get(key));
            position.map = position.map.with(key, value).unwrap();
        }
        let mut table = Referee::new(RefereeSetup {
            position,
            on_fault: OnFault::Abort,
            first_dog: 5,
        });
        let mut numbers = Numbers::default();
        let mut said: Vec<(f64, usize, String)> = Vec::new();
        let mut expected = Vec::new();
        for (seat, text) in texts.iter().enumerate() {
            let (sent, received): (Vec<_>, Vec<_>) =
                lines(text).into_iter().partition(|(_, sent, _)| *sent);
            said.extend(sent.into_iter().map(|(ms, _, line)| (ms, seat, line)));
            let received = received.into_iter().map(|(_, _, line)| line);
            let received: Vec<String> = received.filter(|line| !line.starts_with("wait")).collect();
            expected.push(received.into_iter());
        }
        said.retain(|(_, _, line)| !line.starts_with("join"));
        said.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut compared = 0;
        let mut compare = |table: &mut Referee, numbers: &mut Numbers| {
            let mut calls = Vec::new();
            table.calls(&mut calls);
            for call in calls {
                for ours in call.text.lines() {
                    let theirs = expected[call.seat.index()].next().unwrap_or_default();
                    assert!(numbers.same(ours, &theirs), "{ours}\nis not\n{theirs}");
                    compared += 1;
                }
            }
        };
        compare(&mut table, &mut numbers);
        for (_, seat, line) in said {
            let line = numbers.ours(&line);
            table.answer(Seat(seat as u8), Reply::Text(line.as_bytes()));
            compare(&mut table, &mut numbers);
        }
        assert!(
            table
                .outcome()
                .is_some_and(|end| end.cause == Cause::Normal)
        );
        assert!(compared > 400, "{compared} lines");
        for mut rest in expected {
            assert_eq!(rest.next(), None, "the official hub said more");
        }
    }
}

/// The `start` line of seat 2 on a map with this header.
fn start_line(header: &str) -> String {
    let map = format!("{header}\n@*\n-.\n");
    let options = serde_json::json!({ "map": map });
    let table = KIT.table(&TableSetup::numbered(1, options, 2)).unwrap();
    let mut calls = Vec::new();
    KIT.reopen(&table.setup()).unwrap().calls(&mut calls);
    let text = calls.swap_remove(1).text;
    text.lines().next().unwrap().to_owned()
}

/// The recording with quoted options is the rules page's: `waitForTurn` and `turnsLimit` are numbers there.
#[test]
fn options_that_a_map_lacks_are_sent_as_the_official_defaults() {
    let seat = r#"start "you":2,"rows":2,"cols":4,"players":2,"x1":2,"x2":3,"y1":0,"y2":1,"#;
    let end = r#","maxSheepsCount":1,"iniSheepsCount":0"#;
    let defaults = r#""waitForTurn":300000,"dogVisibilityR":"4","dogBarkingR":"4","sheepStandBy":"4","sheepScaryTurns":"1","turnsLimit":100,"dogScaryTurns":"4""#;
    assert_eq!(start_line(""), format!("{seat}{defaults}{end}"));
    let some = r#""waitForTurn":300000,"dogVisibilityR":6,"dogBarkingR":"4","sheepStandBy":"4","sheepScaryTurns":1,"turnsLimit":7,"dogScaryTurns":"4","wind":3"#;
    let header = r#"{"dogVisibilityR":6,"sheepScaryTurns":1,"turnsLimit":7,"wind":3}"#;
    assert_eq!(start_line(header), format!("{seat}{some}{end}"));
}

#[test]
fn our_client_sees_what_the_official_hub_showed() {
    for (texts, _) in RECORDED {
        let setup = found(texts);
        for (seat, text) in texts.iter().enumerate() {
            client_sees(&setup, Seat(seat as u8), text);
        }
    }
}

/// The client's reading of the hub's lines, written again, gives the same lines.
fn client_sees(setup: &Setup, seat: Seat, text: &str) {
    let (mut player, received) = listener();
    let game = SmartDog::begin(setup);
    let mut frame = String::new();
    let mut sent = Vec::new();
    let mut turns = 0;
    let mut ending = None;
    for (_, is_sent, line) in lines(text) {
        if is_sent {
            sent.push(line);
            continue;
        }
        if line.starts_with("state") && !sent.is_empty() {
            player.said(&sent.join("\n"));
        }
        frame.push_str(&line);
        frame.push('\n');
        if !KIT.card().dialect.completes(line.as_bytes()) {
            continue;
        }
        let next = player.receive(frame.as_bytes()).unwrap();
        if let Next::Think { fallback, .. } = &next {
            assert_eq!(fallback, "end");
            turns += 1;
            let events = received.lock().unwrap();
            let Some(Event::Turn(view)) = events.last() else {
                panic!("no view in {events:?}");
            };
            assert_eq!((view.seat, view.turn), (seat, turns));
            assert_eq!(*view.ground, **game.ground(), "the ground is known exactly");
            let again = dialect::state(view, |id| player.number(id).unwrap());
            let state = frame.find("state").unwrap();
            assert_eq!(format!("{again}\n"), frame[state..]);
            sent.clear();
        }
        if let Next::Over(over) = next {
            ending = Some(over);
        }
        frame.clear();
    }
    assert_eq!(
        u32::try_from(lines(text).iter().filter(|line| line.2 == "turn").count()),
        Ok(turns)
    );
    let ending = ending.unwrap();
    assert_eq!(
        (ending.cause, ending.detail.as_str()),
        (Cause::Normal, "player 1 won")
    );
}
