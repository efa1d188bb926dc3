//! Accepting players.

use super::HubServer;
use crate::link::{Accepted, Acceptor, Peer, keep_alive};
use crate::referee::hub::connection::converse;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

impl HubServer {
    /// Accepts players until `stop`; running matches then play on: see [`HubServer::drain`].
    ///
    /// # Errors
    /// Only if the listener itself is unusable.
    pub async fn serve(
        self: &Arc<Self>,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> io::Result<()> {
        listener.local_addr()?;
        let mut acceptor = Acceptor::new("hub", Arc::clone(&self.shares));
        let matchmaker = tokio::spawn(Arc::clone(self).matchmake());
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                accepted = acceptor.next(&listener, |_| false) => accepted,
            };
            let Accepted {
                stream,
                peer,
                stay,
                permit,
            } = accepted;
            let (hub, stop) = (Arc::clone(self), stop.clone());
            self.connections.spawn(async move {
                keep_alive(&stream);
                let (read, write) = stream.into_split();
                converse(hub, read, write, peer, stay, stop).await;
                drop(permit);
            });
        }
        matchmaker.abort();
        self.lobby().close();
        if let Some(guests) = &self.guests {
            guests.lock().close();
        }
        drop(listener);
        Ok(())
    }

    /// Serves one player that has come without a listener, to the end of its connection. Somebody has to
    /// [`HubServer::matchmake`].
    pub async fn receive<R, W>(
        self: &Arc<Self>,
        read: R,
        write: W,
        peer: SocketAddr,
        stop: CancellationToken,
    ) where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        if let Some(stay) = self.shares.admit(Peer::new(peer.ip()), true) {
            converse(Arc::clone(self), read, write, peer, stay, stop).await;
        }
    }
}
