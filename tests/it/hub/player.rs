//! A player of somebody else's: plain lines over TCP.

use crate::app::PATIENCE;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};

pub struct Player {
    read: BufReader<TcpStream>,
    write: TcpStream,
}

impl Player {
    pub fn dial(hub: SocketAddr) -> Self {
        Self::on(TcpStream::connect(hub).unwrap())
    }

    pub fn on(write: TcpStream) -> Self {
        write.set_read_timeout(Some(PATIENCE)).unwrap();
        let read = BufReader::new(write.try_clone().unwrap());
        Self { read, write }
    }

    /// A player who has asked for a room.
    pub fn join(hub: SocketAddr, name: &str, room: &str) -> Self {
        let mut player = Self::dial(hub);
        player.say(&format!("join {name} {room}\n"));
        player
    }

    pub fn say(&mut self, bytes: &str) {
        self.write.write_all(bytes.as_bytes()).unwrap();
    }

    /// The next line without its end; `None` after the last one.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.read.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("no line: {error}"),
        }
    }

    /// Lines up to one that begins so, which comes last.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self
                .line()
                .unwrap_or_else(|| panic!("no {start} after {lines:#?}"));
            let found = line.starts_with(start);
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Ends every turn until the match is over; gives the last line.
    pub fn play_out(&mut self) -> String {
        loop {
            let line = self.line().expect("the match has an end");
            if line == "turn" {
                self.say("end\n");
            } else if line.starts_with("finished") {
                assert_eq!(self.line(), None, "the hub closes after the last word");
                return line;
            }
        }
    }
}
