//! The lines that players send: `join`, `do`, `end`.

use crate::rules::{Command, Direction, DogId, Orders};
use drover_game::game::Illegal;
use std::fmt::Write as _;

/// The last word of a turn.
pub const END: &str = "end";

/// One line of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// `join NAME [HUB]`
    Join {
        /// May be empty.
        name: &'a str,
        /// As written.
        hub: Option<&'a str>,
    },
    /// `do ID move DIRECTION`
    Move {
        /// The dog's number as written.
        dog: &'a str,
        /// `None`: no such direction.
        direction: Option<Direction>,
        /// As written.
        word: &'a str,
    },
    /// `do ID bark`
    Bark {
        /// The dog's number as written.
        dog: &'a str,
    },
    /// `do` with another action.
    Do {
        /// The action; `undefined` if missing.
        what: &'a str,
    },
    /// `end`
    End,
    /// Anything else.
    Other {
        /// The first word.
        word: &'a str,
        /// The rest.
        argument: &'a str,
    },
}

/// Reads a player's line. Words may be separated by any number of blanks.
#[must_use]
pub fn receive(line: &str) -> Line<'_> {
    let line = line.trim();
    let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let argument = argument.trim();
    let mut words = argument.split_whitespace();
    let other = Line::Other { word, argument };
    let received = match word {
        "join" => Line::Join {
            name: words.next().unwrap_or_default(),
            hub: words.next(),
        },
        "end" => Line::End,
        "do" => match (words.next(), words.next()) {
            (Some(dog), Some("move")) => {
                let word = words.next().unwrap_or("undefined");
                let direction = Direction::from_word(word);
                Line::Move {
                    dog,
                    direction,
                    word,
                }
            }
            (Some(dog), Some("bark")) => Line::Bark { dog },
            (_, what) => {
                return Line::Do {
                    what: what.unwrap_or("undefined"),
                };
            }
        },
        _ => return other,
    };
    // The official server dies of an extra word, except after a `join`, where it does not read it.
    if words.next().is_some() && word != "join" {
        return other;
    }
    received
}

/// A turn's orders as sent, `end` included. `number`: dogs on the wire. Orders for dogs without a number are
/// left out, and all of a dog's but its first move and first bark.
#[must_use]
pub fn orders(orders: &Orders, number: impl Fn(DogId) -> Option<u64>) -> String {
    let mut text = String::new();
    let mut done = Orders::new();
    for command in orders {
        let (Command::Move(id, _) | Command::Bark(id)) = *command;
        let again = done.iter().any(|other| same_kind(command, other));
        let Some(number) = number(id).filter(|_| !again) else {
            continue;
        };
        done.push(*command);
        // Writing to a string cannot fail.
        let _ = match *command {
            Command::Move(_, direction) => writeln!(text, "do {number} move {}", direction.word()),
            Command::Bark(_) => writeln!(text, "do {number} bark"),
        };
    }
    text.push_str(END);
    text
}

fn same_kind(one: &Command, other: &Command) -> bool {
    match (one, other) {
        (Command::Move(one, _), Command::Move(other, _))
        | (Command::Bark(one), Command::Bark(other)) => one == other,
        _ => false,
    }
}

/// Whether an answer is legal in form, whatever the rules say.
///
/// # Errors
/// [`Illegal`] says what a reader would not take.
pub fn in_form(answer: &str) -> Result<(), Illegal> {
    let mut lines = answer.lines().map(receive).peekable();
    while let Some(line) = lines.next() {
        let last = lines.peek().is_none();
        let legal = match line {
            Line::Join { .. } => last,
            Line::End => last,
            Line::Move { dog, direction, .. } => {
                !last && dog.parse::<u64>().is_ok() && direction.is_some()
            }
            Line::Bark { dog } => !last && dog.parse::<u64>().is_ok(),
            Line::Do { .. } | Line::Other { .. } => false,
        };
        if !legal {
            let why = format!("{line:?} is no order, or does not end a turn");
            return Err(Illegal(why));
        }
    }
    Ok(())
}
