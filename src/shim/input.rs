//! The arbiter's frames, from standard input.

use games::Kit;
use games::text::unmarked;
use std::io::{self, BufRead, Read as _};

/// The longest line of an arbiter, in bytes.
const LINE_MAX: u64 = 16 << 20;
/// The longest frame, in bytes.
const FRAME_MAX: usize = 32 << 20;

/// The next frame without the end of its last line; `None` at the end of the input.
///
/// # Errors
/// The system's error, or that a line or frame is too long.
pub(super) fn frame(input: &mut impl BufRead, kit: &dyn Kit) -> io::Result<Option<String>> {
    let too_long = || {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "the arbiter's message has no end",
        )
    };
    let mut frame = Vec::new();
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)?;
        if read == 0 {
            // A frame without its end does not count.
            return Ok(None);
        }
        if line.pop_if(|last| *last == b'\n').is_none() {
            // The end of the input, or a line beyond the limit.
            return if read as u64 == LINE_MAX {
                Err(too_long())
            } else {
                Ok(None)
            };
        }
        let line = unmarked(&line);
        let complete = kit.card().dialect.completes(line);
        frame.extend_from_slice(line);
        if complete {
            return Ok(Some(String::from_utf8_lossy(&frame).into_owned()));
        }
        frame.push(b'\n');
        if frame.len() > FRAME_MAX {
            return Err(too_long());
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_byte_order_mark_begins_no_line() {
        let kit = games::find("planowanie").unwrap();
        let mut input = "\u{feff}set_deck 7 A\n\u{feff}quit\n".as_bytes();
        let mut next = || super::frame(&mut input, kit).unwrap();
        assert_eq!(next().as_deref(), Some("set_deck 7 A"));
        assert_eq!(next().as_deref(), Some("quit"));
        assert_eq!(next(), None);
    }
}
