//! Portable Game Notation, of which only the tags `White`, `Black`, `Result` and `Table` are read. Games with one
//! `Table` share it; without the tag each is a table of its own.

use super::read::{InputError, Problem, Reading};
use crate::results::Score;

/// The tags of one game.
#[derive(Default)]
struct Game {
    /// The line of its first tag.
    line: usize,
    white: Option<String>,
    black: Option<String>,
    result: Option<String>,
    table: Option<String>,
    /// Whether its moves have begun.
    moves: bool,
}

/// Reads all games.
pub(super) fn read(reading: &mut Reading, text: &str) -> Result<(), InputError> {
    let mut game: Option<Game> = None;
    let mut in_comment = false;
    for (line, text) in (1..).zip(text.lines()) {
        let at = |problem| InputError { line, problem };
        let text = text.trim();
        if !in_comment && text.starts_with('[') {
            let (name, value) = tag(text).ok_or_else(|| at(Problem::Tag(text.to_owned())))?;
            let begins = |game: &Game| game.moves || (name == "White" && game.white.is_some());
            if let Some(over) = game.take_if(|game| begins(game)) {
                finish(reading, over)?;
            }
            let game = game.get_or_insert_with(|| Game {
                line,
                ..Game::default()
            });
            match name {
                "White" => game.white = Some(value),
                "Black" => game.black = Some(value),
                "Result" => game.result = Some(value),
                "Table" => game.table = Some(value),
                _ => {}
            }
        } else if !text.is_empty() && !text.starts_with('%') {
            in_comment = comment_after(text, in_comment);
            if let Some(game) = &mut game {
                game.moves = true;
            }
        }
    }
    game.map_or(Ok(()), |over| finish(reading, over))
}

/// Name and value of a tag.
fn tag(text: &str) -> Option<(&str, String)> {
    let inside = text.strip_prefix('[')?.trim_start();
    let (name, rest) = inside.split_once(char::is_whitespace)?;
    let mut letters = rest.trim_start().strip_prefix('"')?.chars();
    let mut value = String::new();
    loop {
        match letters.next()? {
            '"' => break,
            '\\' => value.push(letters.next()?),
            letter => value.push(letter),
        }
    }
    letters
        .as_str()
        .trim_start()
        .starts_with(']')
        .then_some((name, value))
}

/// Whether a `{` comment is open after a line of moves.
fn comment_after(line: &str, mut open: bool) -> bool {
    for letter in line.chars() {
        match letter {
            '{' => open = true,
            '}' => open = false,
            ';' if !open => break,
            _ => {}
        }
    }
    open
}

fn finish(reading: &mut Reading, game: Game) -> Result<(), InputError> {
    let line = game.line;
    add(reading, game).map_err(|problem| InputError { line, problem })
}

fn add(reading: &mut Reading, game: Game) -> Result<(), Problem> {
    let pair = (
        reading.player(&game.white.ok_or(Problem::NoTag("White"))?)?,
        reading.player(&game.black.ok_or(Problem::NoTag("Black"))?)?,
    );
    let result = game.result.ok_or(Problem::NoTag("Result"))?;
    let score = match result.as_str() {
        "1-0" => Score::Win,
        "0-1" => Score::Loss,
        "1/2-1/2" => Score::Draw,
        "*" => return Ok(()),
        _ => return Err(Problem::PgnResult(result)),
    };
    let table = reading.table(game.table.as_deref());
    reading.add(pair, score, table)
}
