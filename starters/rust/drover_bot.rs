//! The conversation with Drover: JSON, one object a line. docs/bot-protocol.md describes it.
#![allow(dead_code)]

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::ops::Index;

// bot.toml names the games that are built in.
#[cfg(koehandel)]
mod koehandel;
#[cfg(lighthouses)]
mod lighthouses;
#[cfg(planetwars)]
mod planetwars;
#[cfg(planowanie)]
mod planowanie;
#[cfg(smartdog)]
mod smartdog;

fn bot_of(game: &str) -> Box<dyn Bot> {
    match game {
        #[cfg(koehandel)]
        "koehandel" => Box::new(koehandel::Koehandel),
        #[cfg(lighthouses)]
        "lighthouses" => Box::new(lighthouses::Lighthouses::default()),
        #[cfg(planetwars)]
        "planetwars" => Box::new(planetwars::PlanetWars),
        #[cfg(planowanie)]
        "planowanie" => Box::new(planowanie::Planowanie),
        #[cfg(smartdog)]
        "smartdog" => Box::new(smartdog::SmartDog),
        _ => panic!("there is no bot for {} here", game),
    }
}

/// What plays a game. A program that is restarted in a match is sent all events and acts again, but not asked again:
/// what a bot keeps, it keeps in `seen` and `played`.
pub trait Bot {
    fn begin(&mut self, _match: &Json) {}
    fn seen(&mut self, _event: &Json) {}
    fn played(&mut self, _act: &Json) {}
    /// An act, as JSON.
    fn decide(&mut self, turn: &mut Turn) -> String;
    fn end(&mut self, _result: &Json) {}
}

/// A decision that is due.
pub struct Turn<'a> {
    pub ask: &'a Json,
    pub view: &'a Json,
    pub acts: &'a Json,
    /// Seeded by the decision, so that one that is made once more is the same.
    pub random: Random,
}

/// Random numbers, by splitmix64.
pub struct Random(u64);

impl Random {
    /// A number below this one.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// Bytes of a line, and values within values, at most.
const LINE_MAX: u64 = 64 << 20;
const DEPTH_MAX: usize = 64;

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut bot: Option<Box<dyn Bot>> = None;
    let mut line = String::new();
    while input.by_ref().take(LINE_MAX).read_line(&mut line)? > 0 {
        let message = Json::read(&line).unwrap_or_else(|| panic!("no JSON: {}", line));
        match &mut bot {
            _ if message["type"].is("hello") => {
                bot = Some(bot_of(&message["game"].text()));
                say("{\"type\":\"ready\",\"protocol\":1}")?;
            }
            Some(bot) => receive(&mut **bot, &message)?,
            None => {}
        }
        line.clear();
    }
    Ok(())
}

fn receive(bot: &mut dyn Bot, line: &Json) -> io::Result<()> {
    match line["type"].text().as_str() {
        "match" => bot.begin(line),
        "seen" => bot.seen(&line["event"]),
        "played" => bot.played(&line["act"]),
        "ask" if line["past"].raw == "false" => {
            let number = &line["number"];
            let act = bot.decide(&mut Turn {
                ask: &line["ask"],
                view: &line["view"],
                acts: &line["acts"],
                random: Random(number.integer() as u64),
            });
            say(&format!("{{\"type\":\"act\",\"number\":{},\"act\":{}}}", number, act))?;
        }
        "refused" => eprintln!("refused: {}", line["why"].text()),
        "end" => bot.end(line),
        _ => {}
    }
    Ok(())
}

/// Sends a line. It must leave at once.
fn say(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", line)?;
    out.flush()
}

/// Keeps something, any JSON, for the next match: it is the `note` of that match.
pub fn note(about: &str) -> io::Result<()> {
    say(&format!("{{\"type\":\"note\",\"note\":{}}}", about))
}

/// A JSON value, as it is written.
#[derive(Default)]
pub struct Json {
    pub raw: String,
    /// Those of an object's values.
    pub keys: Vec<String>,
    /// The values of an array or an object.
    pub items: Vec<Json>,
}

static NULL: Json = Json {
    raw: String::new(),
    keys: Vec::new(),
    items: Vec::new(),
};

impl Json {
    pub fn read(line: &str) -> Option<Json> {
        let mut reader = Reader { line, at: 0 };
        let value = reader.value(0)?;
        match reader.peek() {
            None => Some(value),
            Some(_) => None,
        }
    }

    pub fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known == key)
    }

    pub fn is_null(&self) -> bool {
        self.raw.is_empty() || self.raw == "null"
    }

    /// Whether it is this word; words of the protocol have nothing escaped.
    pub fn is(&self, word: &str) -> bool {
        self.raw.len() == word.len() + 2 && self.raw.starts_with('"') && self.raw[1..].starts_with(word)
    }

    pub fn integer(&self) -> i64 {
        self.raw.parse().unwrap_or_else(|_| panic!("no whole number: {}", self.raw))
    }

    pub fn number(&self) -> f64 {
        self.raw.parse().unwrap_or_else(|_| panic!("no number: {}", self.raw))
    }

    pub fn text(&self) -> String {
        // Characters beyond 16 bits are escaped as two halves.
        let mut text: Vec<u16> = Vec::new();
        let inner = self.raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let mut letters = inner.unwrap_or_default().encode_utf16();
        let letter_of = |unit: Option<u16>| unit.and_then(|unit| char::from_u32(u32::from(unit)));
        while let Some(unit) = letters.next() {
            if unit != u16::from(b'\\') {
                text.push(unit);
                continue;
            }
            let escaped = letters.next();
            text.push(match letter_of(escaped) {
                Some('b') => 8,
                Some('f') => 12,
                Some('n') => 10,
                Some('r') => 13,
                Some('t') => 9,
                Some('u') => {
                    let digits = letters.by_ref().take(4);
                    let digits = digits.filter_map(|digit| letter_of(Some(digit))?.to_digit(16));
                    digits.fold(0, |code, digit| code << 4 | digit as u16)
                }
                _ => escaped.unwrap_or_default(),
            });
        }
        String::from_utf16_lossy(&text)
    }
}

impl Index<&str> for Json {
    type Output = Json;

    /// The value of a key; null if there is none.
    fn index(&self, key: &str) -> &Json {
        let at = self.keys.iter().position(|known| known == key);
        at.map_or(&NULL, |at| &self.items[at])
    }
}

impl Index<usize> for Json {
    type Output = Json;

    fn index(&self, at: usize) -> &Json {
        &self.items[at]
    }
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.raw)
    }
}

struct Reader<'a> {
    line: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// The next letter that is no space.
    fn peek(&mut self) -> Option<u8> {
        while self.letter()?.is_ascii_whitespace() {
            self.at += 1;
        }
        self.letter()
    }

    fn letter(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn expect(&mut self, letter: u8) -> Option<()> {
        let is_there = self.peek()? == letter;
        self.at += 1;
        is_there.then(|| ())
    }

    /// The value that begins here; `None` if there is none.
    fn value(&mut self, depth: usize) -> Option<Json> {
        let mut read = Json::default();
        let first = self.peek()?;
        let begin = self.at;
        match first {
            _ if depth > DEPTH_MAX => return None,
            b'{' | b'[' => {
                self.at += 1;
                // ] and } come two after [ and {.
                while self.peek()? != first + 2 {
                    if !read.items.is_empty() {
                        self.expect(b',')?;
                    }
                    if first == b'{' {
                        read.keys.push(self.value(depth + 1)?.text());
                        self.expect(b':')?;
                    }
                    read.items.push(self.value(depth + 1)?);
                }
                self.at += 1;
            }
            b'"' => {
                self.at += 1;
                while self.letter()? != b'"' {
                    self.at += if self.letter()? == b'\\' { 2 } else { 1 };
                }
                self.at += 1;
            }
            // A number, true, false or null.
            _ => {
                let ends = |letter: u8| b",:]}\" \t\r\n".contains(&letter);
                while self.letter().map_or(false, |letter| !ends(letter)) {
                    self.at += 1;
                }
            }
        }
        read.raw = self.line.get(begin..self.at)?.to_owned();
        (self.at > begin).then(|| read)
    }
}
