//! Players written on bare TCP, each with its own manners.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// How a player answers each request.
#[derive(Clone)]
pub enum Manner {
    /// HTTP/1.1, `Content-Length`, the connection stays.
    KeepAlive,
    /// As before, with stray line ends after the body.
    StrayLines,
    /// A byte order mark begins the body.
    Marked,
    /// HTTP/1.0 without a length: the end of the connection ends the body.
    Http10,
    /// Chunks, then `Connection: close`.
    ChunkedClose,
    /// Promises to stay, and closes after every answer.
    Unfaithful,
    /// One byte at a time.
    Dribble,
    /// Another status, with a body that would be an answer.
    Status500,
    /// Says that it lives elsewhere.
    Moved(String),
    /// Not HTTP.
    Garbage,
    /// Promises more than it sends.
    Short,
    /// A body beyond every limit.
    Endless,
    /// Reads and never answers.
    Silent,
    /// Reads and closes, but answers every second time.
    CutsFirst,
    /// Reads and closes, always.
    Cuts,
    /// Answers once it is let: one permit an answer.
    Held(Arc<Semaphore>),
}

/// A player that says `?n=5` to everything.
pub struct Player {
    pub url: String,
    received: watch::Receiver<Vec<String>>,
    pub connections: Arc<Mutex<u32>>,
}

pub const BODY: &str = "?n=5";

impl Player {
    pub async fn start(manner: Manner) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), manner)
    }

    pub fn on(listener: TcpListener, manner: Manner) -> Self {
        let url = format!("http://{}/bot?key=1", listener.local_addr().unwrap());
        let (sender, received) = watch::channel(Vec::new());
        let sender = Arc::new(sender);
        let connections = Arc::new(Mutex::new(0));
        let count = Arc::clone(&connections);
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                *count.lock().unwrap() += 1;
                tokio::spawn(serve(socket, manner.clone(), Arc::clone(&sender)));
            }
        });
        Self {
            url,
            received,
            connections,
        }
    }

    /// The request targets received so far.
    pub fn received(&self) -> Vec<String> {
        self.received.borrow().clone()
    }

    /// Waits until it has received n requests.
    pub async fn has_received(&self, count: usize) {
        self.received
            .clone()
            .wait_for(|received| received.len() >= count)
            .await
            .unwrap();
    }
}

async fn serve(mut socket: TcpStream, manner: Manner, sender: Arc<watch::Sender<Vec<String>>>) {
    let mut buffer = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if socket.read_buf(&mut buffer).await.unwrap_or(0) == 0 {
                return;
            }
        };
        let head: Vec<u8> = buffer.drain(..end).collect();
        let head = String::from_utf8(head).unwrap();
        let target = head.split(' ').nth(1).unwrap().to_owned();
        sender.send_modify(|received| received.push(target));
        let nth = sender.borrow().len();
        if !answer(&mut socket, &manner, nth).await {
            return;
        }
    }
}

/// Whether the connection stays.
async fn answer(socket: &mut TcpStream, manner: &Manner, nth: usize) -> bool {
    let length = BODY.len();
    let plain = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{BODY}");
    let (text, stays) = match manner {
        Manner::KeepAlive => (plain, true),
        Manner::StrayLines => (plain + "\r\n\r\n", true),
        Manner::Marked => (
            plain.replace("Length: 4", "Length: 7").replace(BODY, "\u{feff}?n=5"),
            true,
        ),
        Manner::Http10 => (format!("HTTP/1.0 200 OK\r\n\r\n{BODY}\r\n"), false),
        Manner::ChunkedClose => (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n?n\r\n2\r\n=5\r\n0\r\n\r\n"
                .to_owned(),
            false,
        ),
        Manner::Unfaithful => (plain, false),
        Manner::Dribble => {
            for byte in plain.bytes() {
                socket.write_all(&[byte]).await.unwrap();
                tokio::task::yield_now().await;
            }
            (String::new(), true)
        }
        Manner::Status500 => (plain.replace("200 OK", "500 Oops"), true),
        Manner::Moved(to) => (
            format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"),
            true,
        ),
        Manner::Garbage => ("?n=5\n".to_owned(), false),
        Manner::Short => (plain.replace("Length: 4", "Length: 40"), false),
        Manner::Endless => (format!("HTTP/1.0 200 OK\r\n\r\n{}", "x".repeat(200_000)), false),
        Manner::Silent => return std::future::pending().await,
        Manner::CutsFirst if nth % 2 == 1 => (String::new(), false),
        Manner::CutsFirst => (plain, true),
        Manner::Cuts => (String::new(), false),
        Manner::Held(permits) => {
            permits.acquire().await.unwrap().forget();
            (plain, true)
        }
    };
    socket.write_all(text.as_bytes()).await.is_ok() && stays
}
