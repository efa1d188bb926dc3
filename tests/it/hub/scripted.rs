//! A hub of somebody else's: says what a test wants, and keeps what it receives.

use crate::app::PATIENCE;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

pub const START: &str = "start \"you\":1,\"rows\":1,\"cols\":4,\"players\":1,\"x1\":0,\"x2\":3,\"y1\":0,\"y2\":0,\"waitForTurn\":2000,\"dogVisibilityR\":4,\"maxSheepsCount\":1,\"iniSheepsCount\":0\nlandscape \"1...\"\n";
pub const TURN: &str = "state  \"turn\":1\nobj  \"id\":7,\"type\":\"Dog\",\"x\":3,\"y\":0,\"owner\":1,\"action\":\"move\"\nturn\n";
pub const WON: &str = "finished \"youWin\":true,\"winner\":1\n";

pub struct Hub {
    listener: TcpListener,
    pub address: SocketAddr,
}

impl Hub {
    pub fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        Self { listener, address }
    }

    /// The next player who dials.
    pub fn guest(&self) -> Guest {
        let (stream, _) = self.listener.accept().unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let read = BufReader::new(stream.try_clone().unwrap());
        Guest { read, stream }
    }
}

pub struct Guest {
    read: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Guest {
    pub fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).unwrap();
    }

    /// Begins a game and plays its first turn.
    pub fn plays(&mut self) {
        self.say(START);
        self.say(TURN);
        assert!(self.piece().ends_with("end\n"));
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.read.read_line(&mut line).unwrap();
        line
    }

    /// What one read gives: a turn's orders come in one piece.
    pub fn piece(&mut self) -> String {
        let piece = self.read.fill_buf().unwrap();
        let text = String::from_utf8(piece.to_vec()).unwrap();
        let count = piece.len();
        self.read.consume(count);
        text
    }

    /// Whether nothing comes for a while.
    pub fn is_silent(&mut self) -> bool {
        let while_ = std::time::Duration::from_millis(300);
        self.stream.set_read_timeout(Some(while_)).unwrap();
        let silent = self.read.fill_buf().is_err();
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        silent
    }
}
