//! What a program received of its match, so that it can be sent again.

use games::neutral::Line;
use std::collections::HashMap;

/// Bytes of a match that are kept for another start.
const BYTES_MAX: usize = 64 << 20;

/// The lines of a match so far.
#[derive(Default)]
pub(super) struct Log {
    lines: Vec<Line>,
    bytes: usize,
    /// Whether it was too long to be kept; then nothing is.
    broken: bool,
    /// By number, where the line is that says what was answered to a decision.
    played: HashMap<u64, usize>,
}

impl Log {
    pub(super) fn add(&mut self, lines: Vec<Line>) {
        for line in lines {
            self.bytes = self.bytes.saturating_add(line.len());
            if self.bytes > BYTES_MAX {
                *self = Self {
                    broken: true,
                    bytes: self.bytes,
                    ..Self::default()
                };
                return;
            }
            if let Line::Played { number, .. } = &line {
                self.played.insert(*number, self.lines.len());
            }
            self.lines.push(line);
        }
    }

    /// Whether there was too much to send.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Whether anything was received.
    pub(super) fn is_begun(&self) -> bool {
        !self.lines.is_empty()
    }

    pub(super) fn from(&self, at: usize) -> &[Line] {
        self.lines.get(at..).unwrap_or_default()
    }

    pub(super) fn is_played(&self, number: u64) -> bool {
        self.played.contains_key(&number)
    }

    /// What was answered to a decision, as JSON.
    pub(super) fn played(&self, number: u64) -> Option<&str> {
        match self.lines.get(*self.played.get(&number)?)? {
            Line::Played { act, .. } => Some(act),
            Line::Plain(_) | Line::Ask { .. } | Line::Frame { .. } => None,
        }
    }
}
