//! How a hub receives players: `join`, `wait`, and what it does not take.

use super::dialect::{self, Line, receive};
use drover_game::wire::{Arrival, Frame, Reception};

/// Letters of a name that are kept.
const NAME_MAX: usize = 64;

/// The hub's reception.
pub struct Hub;

impl Reception for Hub {
    /// The hub's name is taken with or without the sign before it, in capitals or not.
    fn receive(&self, line: &[u8]) -> Arrival {
        let text = String::from_utf8_lossy(line);
        let (word, argument) = match receive(&text) {
            Line::Join { name, hub } => {
                let room = hub.map(|hub| hub.trim_start_matches('#').to_lowercase());
                return Arrival::Join {
                    name: name
                        .chars()
                        .filter(|letter| !letter.is_control())
                        .take(NAME_MAX)
                        .collect(),
                    room: room.filter(|room| !room.is_empty()),
                };
            }
            _ => {
                let text = text.trim();
                text.split_once(char::is_whitespace).unwrap_or((text, ""))
            }
        };
        let argument = argument.trim();
        Arrival::Answer(dialect::error(&format!(
            "Unknown command: {word}({argument})"
        )))
    }

    fn wait(&self, queued: usize) -> Option<Frame> {
        Some(dialect::wait(queued))
    }

    fn no_room(&self) -> Frame {
        dialect::error("No such hub")
    }

    fn given_up(&self) -> Frame {
        dialect::gone()
    }
}
