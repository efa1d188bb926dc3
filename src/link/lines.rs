//! Lines over TCP: read with any line end, within a limit.

use bytes::{Buf as _, Bytes, BytesMut};
use games::text::unmarked;
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_util::codec::Decoder;

/// Silence after which the system probes whether the other end is still there.
const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(60);
/// Pause between two probes.
const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(15);
/// Unanswered probes after which the connection is dead.
const KEEP_ALIVE_TRIES: u32 = 4;

/// How long written data may stay unacknowledged.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_MAX: Duration = Duration::from_secs(120);

/// Why there are no more lines.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// More bytes without a line end than a line may have.
    #[error("a line of more than {0} bytes")]
    TooLong(usize),
    /// The connection broke.
    #[error(transparent)]
    Broken(#[from] io::Error),
}

/// Cuts bytes into lines that end with a line feed, a carriage return, or both in this order, and takes a byte order
/// mark off their beginning. A last line without an end is none: it may be incomplete.
#[derive(Clone, Copy, Debug)]
pub struct AnyLine {
    bytes_max: usize,
    /// How much of the buffer contains no line end.
    searched: usize,
    after_return: bool,
}

impl AnyLine {
    /// Lines of at most this many bytes.
    #[must_use]
    pub const fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            searched: 0,
            after_return: false,
        }
    }
}

impl Decoder for AnyLine {
    type Item = Bytes;
    type Error = LineError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, LineError> {
        if self.after_return
            && let Some(first) = buffer.first().copied()
        {
            self.after_return = false;
            // Only the first one belongs to the line before, however the bytes arrive.
            buffer.advance(usize::from(first == b'\n'));
        }
        let mut fresh = buffer.iter().skip(self.searched);
        let end = fresh
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .map(|at| self.searched + at);
        match end {
            Some(end) if end > self.bytes_max => Err(LineError::TooLong(self.bytes_max)),
            Some(end) => {
                let line = buffer.split_to(end).freeze();
                let line = line.slice_ref(unmarked(&line));
                self.after_return = buffer.first() == Some(&b'\r');
                buffer.advance(1);
                self.searched = 0;
                Ok(Some(line))
            }
            None if buffer.len() > self.bytes_max => Err(LineError::TooLong(self.bytes_max)),
            None => {
                self.searched = buffer.len();
                Ok(None)
            }
        }
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, LineError> {
        // What is left in the buffer then can still be looked at.
        self.decode(buffer)
    }
}

/// Lets the system detect within about two minutes when the other end is silently gone, and sends written
/// data at once. Best effort: without it the loss is noticed later.
pub fn keep_alive(stream: &TcpStream) {
    let questions = TcpKeepalive::new()
        .with_time(KEEP_ALIVE_AFTER)
        .with_interval(KEEP_ALIVE_EVERY)
        .with_retries(KEEP_ALIVE_TRIES);
    let socket = SockRef::from(stream);
    let _ = socket.set_tcp_keepalive(&questions);
    // The same for unacknowledged data, during which the system sends no probes.
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED_MAX));
    let _ = stream.set_nodelay(true);
}

#[cfg(test)]
mod tests {
    use super::{AnyLine, LineError};
    use bytes::BytesMut;
    use tokio_util::codec::Decoder as _;

    /// Every line of these pieces, as they arrive.
    fn lines(pieces: &[&str]) -> Vec<String> {
        let (mut decoder, mut buffer) = (AnyLine::new(8), BytesMut::new());
        let mut found = Vec::new();
        for piece in pieces {
            buffer.extend_from_slice(piece.as_bytes());
            while let Some(line) = decoder.decode(&mut buffer).unwrap() {
                found.push(String::from_utf8(line.to_vec()).unwrap());
            }
        }
        assert!(decoder.decode_eof(&mut buffer).unwrap().is_none());
        found
    }

    #[test]
    fn any_line_end() {
        assert_eq!(lines(&["a\nb\r\nc\rd\n"]), ["a", "b", "c", "d"]);
        assert_eq!(lines(&["a\r", "\nb\r", "c\n"]), ["a", "b", "c"]);
        assert_eq!(lines(&["\n\n", "\r\r\n"]), ["", "", "", ""]);
        assert_eq!(lines(&["a\r", "\n", "\nb\n"]), ["a", "", "b"]);
        assert_eq!(lines(&["ab", "c", "d\n", "cut"]), ["abcd"]);
        assert_eq!(
            lines(&["\u{feff}a\n", "\u{feff}\r\nb\u{feff}\n"]),
            ["a", "", "b\u{feff}"]
        );
    }

    #[test]
    fn lines_have_a_limit() {
        for text in ["123456789", "123456789\n"] {
            let (mut decoder, mut buffer) = (AnyLine::new(8), BytesMut::from(text));
            let error = decoder.decode(&mut buffer).unwrap_err();
            assert!(matches!(error, LineError::TooLong(8)));
        }
        assert_eq!(lines(&["12345678\n"]), ["12345678"]);
    }
}
