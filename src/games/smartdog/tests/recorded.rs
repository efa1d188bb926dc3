//! Games recorded at the official server, replayed line by line. Their maps are not available: each is
//! reconstructed from what its players saw.

use crate::map::{Header, Map, Square};
use crate::options::{Key, Options};
use crate::rules::{
    Command, Direction, DogAction, DogId, Players, Seen, Setup, SheepAction, SmartDog, Spot, View,
};
use drover_game::game::Seat;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Cells of a tile.
type Cells = BTreeSet<(usize, usize)>;

/// One turn of one player: what it received, what it sent and when.
#[derive(Default)]
struct Turn {
    seen: Vec<String>,
    commands: Vec<(f64, String)>,
    warnings: Vec<String>,
}

struct Recording {
    start: Value,
    landscape: Vec<String>,
    turns: Vec<Turn>,
    winner: Option<u64>,
}

/// The lines of one transcript with their times; `true` for those sent by the player.
pub(super) fn lines(text: &str) -> Vec<(f64, bool, String)> {
    let mut pending = [String::new(), String::new()];
    let mut lines = Vec::new();
    for record in text.lines() {
        let mut parts = record.trim_start().splitn(3, ' ');
        let (Some(ms), Some(side), Some(bytes)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        if side != "<" && side != ">" {
            continue;
        }
        let sent = side == ">";
        let Some(bytes) = bytes.strip_prefix("b'").and_then(|b| b.strip_suffix('\'')) else {
            continue;
        };
        let buffer = &mut pending[usize::from(sent)];
        buffer.push_str(&bytes.replace("\\n", "\n"));
        while let Some((line, rest)) = buffer.split_once('\n') {
            lines.push((ms.parse().unwrap(), sent, line.to_owned()));
            *buffer = rest.to_owned();
        }
    }
    lines
}

fn json(text: &str) -> Value {
    serde_json::from_str(&format!("{{{text}}}")).unwrap()
}

fn read(text: &str) -> Recording {
    let mut recording = Recording {
        start: Value::Null,
        landscape: Vec::new(),
        turns: Vec::new(),
        winner: None,
    };
    for (ms, sent, line) in lines(text) {
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match (sent, word) {
            (true, "do") => {
                let turn = recording.turns.last_mut().unwrap();
                turn.commands.push((ms, rest.to_owned()));
            }
            (false, "start") => recording.start = json(rest),
            (false, "landscape") => {
                recording.landscape = serde_json::from_str(&format!("[{rest}]")).unwrap();
            }
            (false, "state") => recording.turns.push(Turn::default()),
            (false, "obj") => recording
                .turns
                .last_mut()
                .unwrap()
                .seen
                .push(rest.trim().to_owned()),
            (false, "warning") => {
                let turn = recording.turns.last_mut().unwrap();
                turn.warnings.push(rest.to_owned());
            }
            (false, "finished") => recording.winner = json(rest)["winner"].as_u64(),
            _ => {}
        }
    }
    recording
}

impl Recording {
    fn number(&self, key: &str) -> usize {
        self.start[key].as_u64().unwrap() as usize
    }

    fn seat(&self) -> Seat {
        Seat(self.number("you") as u8 - 1)
    }

    fn tile(&self) -> Vec<Vec<Square>> {
        let (x1, x2) = (self.number("x1"), self.number("x2"));
        let row = |row: &String| row[x1..=x2].chars().map(land).collect();
        self.landscape[self.number("y1")..=self.number("y2")]
            .iter()
            .map(row)
            .collect()
    }

    /// Where an object stands on the own tile, if it does.
    fn cell(&self, seen: &Value) -> Option<(usize, usize)> {
        let along = |key: &str, first: &str, last: &str| {
            let place = seen[key].as_u64()? as usize;
            let tile = self.number(first)..=self.number(last);
            tile.contains(&place).then(|| place - tile.start())
        };
        along("x", "x1", "x2").zip(along("y", "y1", "y2"))
    }

    /// Where sheep and own dogs stood on the own tile before anything could have moved.
    fn first_sights(&self) -> (Cells, Cells) {
        let (mut dogs, mut sheep) = (Cells::new(), Cells::new());
        let calm = self.number("sheepStandBy") + 1;
        for (at, turn) in self.turns.iter().enumerate().take(calm) {
            if turn.seen.iter().any(|line| line.contains("voice")) {
                break;
            }
            for seen in turn.seen.iter().map(|line| json(line)) {
                let inside = self.cell(&seen);
                match (inside, seen["type"].as_str()) {
                    (Some(cell), Some("Sheep")) => drop(sheep.insert(cell)),
                    (Some(cell), Some("Dog")) if at == 0 => drop(dogs.insert(cell)),
                    _ => {}
                }
            }
            if turn
                .commands
                .iter()
                .any(|(_, command)| command.ends_with("bark"))
            {
                break;
            }
        }
        (dogs, sheep)
    }
}

const fn land(letter: char) -> Square {
    match letter {
        '#' => Square::Wall,
        '^' => Square::Tree,
        '.' => Square::Grass,
        _ => Square::Pen,
    }
}

/// Every choice of `count` of the items, in order.
fn choices<T: Copy>(items: &[T], count: usize) -> Vec<Vec<T>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (at, first) in items.iter().enumerate() {
        for mut rest in choices(&items[at + 1..], count - 1) {
            rest.push(*first);
            found.push(rest);
        }
    }
    found
}

/// Every map consistent with the first sights.
fn candidates(recordings: &[Recording]) -> Vec<Map> {
    let mut tile = recordings[0].tile();
    let mut seen = Cells::new();
    for recording in recordings {
        let (dogs, sheep) = recording.first_sights();
        dogs.iter().for_each(|(x, y)| tile[*y][*x] = Square::Dog);
        seen.extend(sheep);
    }
    let put = |tile: &mut Vec<Vec<Square>>, (x, y): (usize, usize)| {
        tile[y][x] = match tile[y][x] {
            Square::Pen => Square::PennedSheep,
            _ => Square::Sheep,
        };
    };
    seen.iter().for_each(|cell| put(&mut tile, *cell));
    let all = recordings[0].number("maxSheepsCount");
    let penned = recordings[0].number("iniSheepsCount");
    let ground = if penned == all {
        Square::Pen
    } else {
        Square::Grass
    };
    let mut unseen = Vec::new();
    for (y, row) in tile.iter().enumerate() {
        unseen.extend((0..row.len()).filter(|x| row[*x] == ground).map(|x| (x, y)));
    }
    let of = |cells: Vec<(usize, usize)>| {
        let mut tile = tile.clone();
        cells.iter().for_each(|cell| put(&mut tile, *cell));
        let map = Map::new(Header::default(), &tile).unwrap();
        (map.count(|square| square == Square::PennedSheep) == penned).then_some(map)
    };
    let missing = all - seen.len();
    choices(&unseen, missing)
        .into_iter()
        .filter_map(of)
        .collect()
}

/// An `obj` line without the dog's number, and that number's owner.
fn written(seen: Seen) -> (Option<DogId>, String) {
    match seen {
        Seen::Voice(Spot { x, y }) => (None, format!(r#""voice":"barking","x":{x},"y":{y}"#)),
        Seen::Dog(dog) => {
            let action = match dog.action {
                DogAction::Move => "move",
                DogAction::Panic => "panic",
                DogAction::Indignant => "indignant",
            };
            let voice = if dog.voice {
                r#","voice":"barking""#
            } else {
                ""
            };
            let (Spot { x, y }, owner) = (dog.spot, dog.owner.0 + 1);
            let line = format!(
                r#""type":"Dog","x":{x},"y":{y},"owner":{owner},"action":"{action}"{voice}"#
            );
            (Some(dog.id), line)
        }
        Seen::Sheep(sheep) => {
            let action = match sheep.action {
                SheepAction::StandBy => "standBy",
                SheepAction::Move => "move",
                SheepAction::Panic => "panic",
            };
            let (Spot { x, y }, direction) = (sheep.spot, sheep.direction.word());
            let line = format!(
                r#""type":"Sheep","x":{x},"y":{y},"action":"{action}","direction":"{direction}""#
            );
            (None, line)
        }
    }
}

/// Wire numbers of dogs, learnt from the lines.
#[derive(Default)]
struct Numbers(BTreeMap<DogId, String>);

impl Numbers {
    /// Whether a recorded line says the same as `seen`.
    fn matches(&mut self, seen: Seen, line: &str) -> bool {
        match written(seen) {
            (None, text) => text == line,
            (Some(id), text) => {
                let cut = line
                    .strip_prefix("\"id\":")
                    .and_then(|rest| rest.split_once(','));
                let Some((number, rest)) = cut else {
                    return false;
                };
                rest == text && self.0.entry(id).or_insert_with(|| number.to_owned()) == number
            }
        }
    }

    fn act(&self, command: &str) -> Command {
        let words: Vec<&str> = command.split(' ').collect();
        let named = self.0.iter().find(|(_, number)| **number == words[0]);
        let dog = named.map_or(DogId(u16::MAX), |(id, _)| *id);
        match words[1..] {
            ["bark"] => Command::Bark(dog),
            ["move", word] => Command::Move(dog, Direction::from_word(word).unwrap()),
            _ => panic!("{command} is not a command"),
        }
    }
}

/// Receives each turn's view of each recording, by its place, and its player's commands.
type Watch<'a> = &'a mut dyn FnMut(usize, &View, &[Command]);

/// Plays the recorded commands and compares all lines.
fn replay(setup: &Setup, recordings: &[Recording], watch: Watch<'_>) -> Result<(), String> {
    let mut game = SmartDog::begin(setup);
    let mut numbers = Numbers::default();
    for at in 0..recordings[0].turns.len() {
        let mut commands = Vec::new();
        for (place, recording) in recordings.iter().enumerate() {
            let turn = &recording.turns[at];
            let view = game.seen_by(recording.seat());
            let same = view.seen.len() == turn.seen.len()
                && view
                    .seen
                    .iter()
                    .zip(&turn.seen)
                    .all(|(seen, line)| numbers.matches(*seen, line));
            if !same {
                let own: Vec<String> = view.seen.iter().map(|seen| written(*seen).1).collect();
                return Err(format!(
                    "turn {}:\n{own:#?}\nis not\n{:#?}",
                    at + 1,
                    turn.seen
                ));
            }
            let own = turn.commands.iter();
            let sent: Vec<Command> = own.clone().map(|(_, text)| numbers.act(text)).collect();
            watch(place, &view, &sent);
            commands.extend(own.map(|(ms, command)| (*ms, recording.seat(), command)));
        }
        commands.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut warnings = vec![Vec::new(); recordings.len()];
        for (_, seat, command) in commands {
            if let Err(why) = game.play(seat, numbers.act(command)) {
                let number = command.split(' ').next().unwrap();
                warnings[seat.index()].push(format!("{number} {why}"));
            }
        }
        for recording in recordings {
            let ours = &warnings[recording.seat().index()];
            let theirs = &recording.turns[at].warnings;
            if ours != theirs {
                return Err(format!("turn {}: {ours:?} is not {theirs:?}", at + 1));
            }
            game.end(recording.seat()).unwrap();
        }
    }
    let winner = game.winner().map(|seat| u64::from(seat.0) + 1);
    if !game.is_over() || winner != recordings[0].winner {
        return Err(format!("{winner:?} wins, not {:?}", recordings[0].winner));
    }
    Ok(())
}

pub(super) fn check(texts: &[&str], turns: usize, watch: Watch<'_>) {
    let recordings: Vec<Recording> = texts.iter().map(|text| read(text)).collect();
    assert!(
        recordings
            .iter()
            .all(|recording| recording.turns.len() == turns)
    );
    replay(&found(texts), &recordings, watch).unwrap();
}

/// The match that was recorded.
pub(super) fn found(texts: &[&str]) -> Setup {
    let recordings: Vec<Recording> = texts.iter().map(|text| read(text)).collect();
    let options = Key::ALL
        .into_iter()
        .fold(Options::default(), |options, key| {
            options
                .with(key, recordings[0].number(key.name()) as i64)
                .unwrap()
        });
    let mut furthest = String::new();
    let mut tried = 0;
    for map in candidates(&recordings) {
        let setup = Setup {
            map,
            players: Players::try_from(texts.len() as u8).unwrap(),
            options,
        };
        tried += 1;
        match replay(&setup, &recordings, &mut |_, _, _| {}) {
            Ok(()) => return setup,
            Err(why) => furthest = why,
        }
    }
    panic!("none of {tried} maps gives the recording; the last one failed in {furthest}");
}

/// What was recorded of each player, and how many turns that was: a dog and two sheep, a dog and ten, two
/// players with a dog each, two players who fight.
pub(super) const RECORDED: [(&[&str], usize); 4] = [
    (&[include_str!("../golden/SOLO-simple1-JsSolo.txt")], 200),
    (&[include_str!("../golden/SOLO-collector1-JsSolo.txt")], 200),
    (
        &[
            include_str!("../golden/DUET-simple1-JsBot1.txt"),
            include_str!("../golden/DUET-simple1-JsBot2.txt"),
        ],
        200,
    ),
    (
        &[
            include_str!("../golden/DUET-keeper1-JsBot1.txt"),
            include_str!("../golden/DUET-keeper1-JsBot2.txt"),
        ],
        100,
    ),
];

#[test]
fn the_recorded_games_are_replayed_line_by_line() {
    for (texts, turns) in RECORDED {
        check(texts, turns, &mut |_, _, _| {});
    }
}
