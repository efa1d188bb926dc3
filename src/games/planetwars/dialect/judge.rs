//! The judge's side: states as text, and a player's reply line by line.

use crate::rules::{Act, Launch, PlanetId, PlayerId};
use drover_game::game::{Cause, Illegal};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The most bytes in one line of a player.
pub const REPLY_LINE_MAX: usize = 1_024;
/// The most lines in one reply.
pub const REPLY_LINES_MAX: usize = 10_000;

/// How to treat lines that no rule covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Lines {
    /// The player is dropped.
    #[default]
    Strict,
    /// They are ignored.
    Lenient,
}

/// The meaning of a player's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// Nothing.
    Blank,
    /// A fleet leaves.
    Launch(Launch),
    /// Growth is bought.
    Upgrade(PlanetId),
    /// A word to the next player in the ring.
    Message(u32),
    /// The reply is complete.
    End,
}

/// An offence that costs a player the game: its cause, and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offence {
    /// Its cause.
    pub cause: Cause,
    /// What the player did.
    pub why: String,
}

impl Offence {
    fn protocol(why: String) -> Self {
        Self {
            cause: Cause::ProtocolError,
            why,
        }
    }
}

/// A state, given its planets' lines.
#[must_use]
pub fn state(planets: &str, message: Option<u32>, you: PlayerId) -> String {
    let mut out = String::with_capacity(planets.len() + 32);
    out.push_str(planets);
    if let Some(message) = message {
        let _ = writeln!(out, "M {message}");
    }
    let _ = write!(out, "Y {you}\n.");
    out
}

/// Reads a line of a reply. `shown` is its beginning, for errors.
///
/// # Errors
/// [`Offence`].
pub fn line(bytes: &[u8], lines: Lines) -> Result<Line, Offence> {
    let text = String::from_utf8_lossy(bytes);
    if text.len() > REPLY_LINE_MAX {
        let why = format!("a line longer than {REPLY_LINE_MAX} bytes");
        return Err(Offence::protocol(why));
    }
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    match words.as_slice() {
        [] => Ok(Line::Blank),
        ["."] => Ok(Line::End),
        ["F", from, to, ships] => Ok(Line::Launch(Launch {
            from: planet(from)?,
            to: planet(to)?,
            ships: whole(ships)?,
        })),
        ["B", at] => Ok(Line::Upgrade(planet(at)?)),
        ["M", word] => {
            let number = whole(word)?;
            // A signed 32-bit number is read as the unsigned one with the same bits.
            let signed = i32::try_from(number).map(|number| number as u32);
            let message = u32::try_from(number)
                .or(signed)
                .map_err(|_| Offence::protocol(format!("M {number}: a word has 32 bits")))?;
            Ok(Line::Message(message))
        }
        _ if lines == Lines::Lenient => Ok(Line::Blank),
        _ => {
            let shown: String = text.trim().chars().take(60).collect();
            Err(Offence::protocol(format!(
                "{shown:?} is neither F from to ships, B planet, M word nor ."
            )))
        }
    }
}

impl Line {
    /// Adds what it means to an act; whether the reply is complete.
    pub fn put(self, act: &mut Act) -> bool {
        match self {
            Self::Launch(launch) => act.launches.push(launch),
            Self::Upgrade(planet) => act.upgrades.push(planet),
            Self::Message(word) => act.message = Some(word),
            Self::Blank => {}
            Self::End => return true,
        }
        false
    }
}

/// The act of a whole reply whose lines are read so.
///
/// # Errors
/// [`Illegal`]: one of them is none that a reply has, or it has no end.
pub fn read_reply(
    reply: &str,
    read: impl Fn(&[u8]) -> Result<Line, Offence>,
) -> Result<Act, Illegal> {
    let mut act = Act::default();
    for text in reply.lines().take(REPLY_LINES_MAX) {
        let line = read(text.as_bytes()).map_err(|offence| Illegal(offence.why))?;
        if line.put(&mut act) {
            return Ok(act);
        }
    }
    Err(Illegal::new("the reply has no end"))
}

/// The act of a reply of our own; what no rule covers is left out.
#[must_use]
pub fn act(reply: &str) -> Act {
    let mut act = Act::default();
    for text in reply.lines().take(REPLY_LINES_MAX) {
        if let Ok(line) = line(text.as_bytes(), Lines::Lenient) {
            line.put(&mut act);
        }
    }
    act
}

fn whole(word: &str) -> Result<i64, Offence> {
    let shown: String = word.chars().take(40).collect();
    word.parse()
        .map_err(|_| Offence::protocol(format!("{shown:?} is no whole number")))
}

fn planet(word: &str) -> Result<PlanetId, Offence> {
    let number = whole(word)?;
    PlanetId::try_from(number).map_err(|_| Offence {
        cause: Cause::IllegalMove,
        why: format!("there is no planet {number}"),
    })
}

/// Whether an answer is legal in form, whatever the rules say.
///
/// # Errors
/// [`Illegal`] says what a reader would not take.
pub fn in_form(answer: &str) -> Result<(), Illegal> {
    let mut ended = false;
    for text in answer.lines() {
        if ended {
            return Err(Illegal(format!("{text:?} after the end")));
        }
        let said = line(text.as_bytes(), Lines::Strict).map_err(|offence| Illegal(offence.why))?;
        ended = said == Line::End;
    }
    ended
        .then_some(())
        .ok_or_else(|| Illegal::new("it has no end"))
}
