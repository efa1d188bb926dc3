//! Portable Game Notation, of which only the tags `White`, `Black`, `Result` and `Table` are read, and the result that
//! ends the moves where there is no tag `Result`. A game begins with a tag after moves, or with a tag that the game
//! before has already; names and values that are not UTF-8 are ISO 8859-1, PGN's own character set. Games with one `Table` share it; without the tag each is a table of its own.

use super::found::{Note, Notes, Problem, shown};
use super::reading::{Reading, Record};
use super::tokens::{Token, Tokens};
use crate::results::Score;
use std::collections::HashMap;

/// Results, and what they say of White: nothing, if the game is not over. The last two are ISO 8859-1.
const RESULTS: [(&[u8], Option<Score>); 9] = [
    (b"1-0", Some(Score::Win)),
    (b"0-1", Some(Score::Loss)),
    (b"1/2-1/2", Some(Score::Draw)),
    (b"*", None),
    (b"1/2", Some(Score::Draw)),
    ("½-½".as_bytes(), Some(Score::Draw)),
    ("½".as_bytes(), Some(Score::Draw)),
    (b"\xBD-\xBD", Some(Score::Draw)),
    (b"\xBD", Some(Score::Draw)),
];

/// One game.
#[derive(Default)]
struct Game {
    /// The line where it begins.
    line: usize,
    /// The values of its tags, by their names in lower case.
    tags: HashMap<Vec<u8>, Vec<u8>>,
    /// Whether a mistake in it is known.
    is_wrong: bool,
    has_moves: bool,
    /// The result that ends its moves, and whether more follow.
    end: Option<Option<Score>>,
    goes_on: bool,
}

/// Reads all games.
pub(super) fn read(reading: &mut Reading, bytes: &[u8]) {
    let mut tokens = Tokens::new(bytes);
    let mut game: Option<Game> = None;
    while let Some((line, token)) = tokens.next() {
        if let Token::Tag(name, Err(_)) = &token
            && !is_needed(name)
        {
            continue;
        }
        if let Some(over) = game.take_if(|game| game.is_over(&token))
            && !reading.add(over.line, over.record(&mut tokens.notes))
        {
            break;
        }
        let begun = || Game {
            line,
            ..Game::default()
        };
        let game = game.get_or_insert_with(begun);
        match token {
            Token::Tag(name, Ok(value)) => drop(game.tags.insert(key(name), value)),
            Token::Tag(name, Err(text)) => {
                game.tags.insert(key(name), Vec::new());
                game.is_wrong = true;
                reading.add(line, Err(Problem::Tag(text)));
            }
            Token::Word(word) => {
                game.has_moves = true;
                game.goes_on = game.end.is_some();
                game.end = game.end.or_else(|| result(word));
            }
        }
    }
    if let Some(over) = game {
        reading.add(over.line, over.record(&mut tokens.notes));
    }
    reading.found.notes = tokens.notes;
}

impl Game {
    /// Whether this token belongs to the next game.
    fn is_over(&self, token: &Token<'_>) -> bool {
        match token {
            Token::Tag(name, _) => self.has_moves || self.tags.contains_key(&key(name)),
            Token::Word(word) => self.goes_on && result(word).is_some(),
        }
    }

    fn record(self, notes: &mut Notes) -> Result<Record, Problem> {
        if self.is_wrong || self.tags.is_empty() && self.end.is_none() {
            return Ok(Record::default());
        }
        let mut tag = |name: &'static str| {
            let value = self.tags.get(&key(name.as_bytes()))?.trim_ascii();
            let utf8 = str::from_utf8(value).map(str::to_owned);
            Some(utf8.unwrap_or_else(|_| {
                notes.add(Note::Latin1, self.line);
                value.iter().copied().map(char::from).collect()
            }))
        };
        let mut player = |name| match tag(name) {
            Some(unknown) if unknown == "?" => Err(Problem::Unknown(name)),
            known => known.ok_or(Problem::NoTag(name)),
        };
        let players = vec![player("White")?, player("Black")?];
        let table = tag("Table").filter(|table| !["", "-", "?"].contains(&table.as_str()));
        let given = tag("Result").filter(|given| !given.is_empty());
        let score = match (given, self.end) {
            (Some(given), _) => {
                let score = result(given.as_bytes());
                score.ok_or_else(|| Problem::PgnResult(shown(&given)))?
            }
            (None, end) => end.ok_or(Problem::NoResult)?,
        };
        if self.end.is_some_and(|end| end != score) {
            notes.add(Note::OtherResult, self.line);
        }
        if score.is_none() {
            notes.add(Note::Unfinished, self.line);
        }
        Ok(Record {
            players,
            results: score.map(|score| (0, 1, score)).into_iter().collect(),
            table,
        })
    }
}

/// The name of a tag, whose case says nothing.
fn key(name: &[u8]) -> Vec<u8> {
    name.to_ascii_lowercase()
}

fn is_needed(name: &[u8]) -> bool {
    let needed: [&[u8]; 4] = [b"White", b"Black", b"Result", b"Table"];
    needed.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn result(word: &[u8]) -> Option<Option<Score>> {
    let known = RESULTS.iter().find(|(known, _)| *known == word);
    known.map(|(_, score)| *score)
}
