//! One shim.

use super::relayed::{leave, number, session_key};
use crate::link::relay::{Bye, Hello, LINE_MAX, NumberedMessage, Request, Response, Welcome, line};
use crate::session::{Key, Refusal, Sessions};
use futures_util::StreamExt as _;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::Instant;
use tokio_util::codec::{FramedRead, LinesCodec};

/// Why whatever comes before a hello is refused.
const HELLO_FIRST: &str = "a hello comes first";
/// Why a goodbye is refused that cannot be checked.
const UNCOUNTED: &str = "a bye says how many messages came before it";

/// Answers a shim on this connection until it hangs up.
pub async fn attend<R, W>(sessions: Sessions, reading: R, writing: W)
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    Connection::new(sessions).run(reading, writing).await;
}

/// A shim's session; none before its hello.
struct Connection {
    sessions: Sessions,
    key: Option<Key>,
}

impl Connection {
    fn new(sessions: Sessions) -> Self {
        Self {
            sessions,
            key: None,
        }
    }

    /// Answers until the shim hangs up. It may return: its session continues.
    async fn run<R, W>(mut self, reading: R, mut writing: W)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let mut lines = FramedRead::new(reading, LinesCodec::new_with_max_length(LINE_MAX));
        while let Some(text) = lines.next().await {
            let received = Instant::now();
            let request = match text {
                Ok(text) => serde_json::from_str(&text).map_err(|why| why.to_string()),
                Err(why) => Err(why.to_string()),
            };
            let response = match request {
                Ok(Request::Hello(hello)) => Ok(self.hello(&hello)),
                Ok(Request::Message(message)) => self.answer(message, received).await,
                Ok(Request::Bye(bye)) => self.bye(bye).await,
                Err(why) => Ok(Response::Refused(why)),
            };
            let response = match response {
                Ok(response) => response,
                // Nothing can be stored any more: the shim continues by itself.
                Err(Refusal::Draining) => return,
                Err(Refusal::Gap(count)) => Response::Have(count),
                Err(refusal) => Response::Refused(refusal.to_string()),
            };
            if writing.write_all(line(&response).as_bytes()).await.is_err() {
                return;
            }
        }
    }

    fn hello(&mut self, hello: &Hello) -> Response {
        match session_key(hello) {
            Ok(key) => {
                let synced = self.sessions.survives_power_cuts(key.bot.kit().card().name);
                self.key = Some(key);
                Response::Welcome(Welcome { synced })
            }
            Err(why) => Response::Refused(why.to_string()),
        }
    }

    /// The answer to a shim's last word.
    async fn bye(&self, bye: Bye) -> Result<Response, Refusal> {
        let Some(key) = &self.key else {
            return Ok(Response::Refused(HELLO_FIRST.to_owned()));
        };
        let Some(n) = bye.n else {
            return Ok(Response::Refused(UNCOUNTED.to_owned()));
        };
        leave(&self.sessions, key, bye).await?;
        Ok(Response::Ended(n))
    }

    async fn answer(
        &self,
        message: NumberedMessage,
        received: Instant,
    ) -> Result<Response, Refusal> {
        let Some(key) = self.key.clone() else {
            return Ok(Response::Refused(HELLO_FIRST.to_owned()));
        };
        let n = message.n;
        let answer = number(&self.sessions, key, message, received).await?;
        let text = String::from_utf8_lossy(&answer.text).into_owned();
        if let Some(sending) = answer.sending {
            sending.handed();
        }
        Ok(match answer.stored {
            true => Response::Say { n, text },
            false => Response::Ack { n, text },
        })
    }
}
