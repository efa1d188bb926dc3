//! What can happen to messages on their way, drawn by seed.

use super::tape::Tape;
use drover_game::rng::Rng;

/// Disturbances of one match at most.
const DISTURBANCES_MAX: u32 = 6;
/// Longest message that comes of a change, in bytes: that of the longest plain one, and some.
const BYTES_MAX: usize = 1 << 20;

/// Changes of one message at most.
const CHANGES_MAX: u32 = 4;
/// Bytes that a change copies at most.
const COPIED_MAX: u32 = 64;
/// What parsers meet seldom.
const RARE: &[&str] = &[
    "0",
    "-1",
    "-",
    "1",
    "255",
    "256",
    "65536",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e308",
    "NaN",
    "null",
    "[]",
    "{}",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\t",
    " ",
    "&",
    "=",
    "%",
    "%00",
    "\u{0}",
    "ü",
    "\u{1F411}",
];

/// A message as it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The exact bytes.
    pub text: Vec<u8>,
    /// The line of the tape that it is, if it is whole.
    pub line: usize,
    /// Whether the bytes are the line's.
    pub whole: bool,
}

/// All of a tape's messages in order.
#[must_use]
pub fn undisturbed(tape: &Tape) -> Vec<Received> {
    let received = |(line, said): (usize, &super::Line)| Received {
        text: said.call.clone().into_bytes(),
        line,
        whole: true,
    };
    tape.lines.iter().enumerate().map(received).collect()
}

/// A tape's messages with 1 to [`DISTURBANCES_MAX`] of them deleted, repeated at once or later, moved, cut
/// or changed.
#[must_use]
pub fn disturbed(tape: &Tape, rng: &mut Rng) -> Vec<Received> {
    let mut received = undisturbed(tape);
    for _ in 0..1 + rng.below(DISTURBANCES_MAX) {
        disturb(&mut received, rng);
    }
    received
}

fn disturb(received: &mut Vec<Received>, rng: &mut Rng) {
    if received.is_empty() {
        return;
    }
    // One in four early: the first messages matter the most.
    let early = if rng.below(4) == 0 { 6 } else { received.len() };
    let at = rng.below(early.min(received.len()) as u32) as usize;
    match rng.below(6) {
        0 => {
            received.remove(at);
        }
        1 => received.insert(at, received[at].clone()),
        2 => {
            let later = at + rng.below((received.len() - at) as u32 + 1) as usize;
            received.insert(later, received[at].clone());
        }
        3 => {
            let moved = received.remove(at);
            let to = rng.below(received.len() as u32 + 1) as usize;
            received.insert(to, moved);
        }
        4 => {
            let cut = &mut received[at];
            let length = rng.below(cut.text.len() as u32 + 1) as usize;
            cut.whole &= length == cut.text.len();
            cut.text.truncate(length);
        }
        _ => {
            let changed = &mut received[at];
            let before = changed.text.clone();
            for _ in 0..1 + rng.below(CHANGES_MAX) {
                mutate(&mut changed.text, rng);
            }
            changed.whole &= changed.text == before;
        }
    }
}

/// Changes some bytes: one in place, a digit to another, one away, one in, something rare, a part
/// doubled or taken away.
pub fn mutate(text: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(text.len() as u32 + 1) as usize;
    match rng.below(8) {
        0 => {
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
        1 | 2 => {
            let digits = (at..text.len()).chain(0..at);
            let digit = digits.take(1024).find(|at| text[*at].is_ascii_digit());
            if let Some(digit) = digit {
                text[digit] = b'0' + rng.below(10) as u8;
            }
        }
        3 => {
            if at < text.len() {
                text.remove(at);
            }
        }
        4 => text.insert(at, rng.below(256) as u8),
        5 => {
            let rare = RARE[rng.below(RARE.len() as u32) as usize];
            text.splice(at..at, rare.bytes());
        }
        6 => {
            let end = text.len().min(at + 1 + rng.below(COPIED_MAX) as usize);
            let part = text[at..end].to_vec();
            let to = rng.below(text.len() as u32 + 1) as usize;
            text.splice(to..to, part);
        }
        _ => {
            let end = text.len().min(at + 1 + rng.below(COPIED_MAX) as usize);
            text.drain(at..end);
        }
    }
    text.truncate(BYTES_MAX);
}
