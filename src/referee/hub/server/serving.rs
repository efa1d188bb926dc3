//! Accepting players.

use super::HubServer;
use crate::link::{Accepted, Acceptor};
use crate::referee::hub::connection::converse;
use std::io;
use std::sync::Arc;
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
        let matchmaker = tokio::spawn(Arc::clone(self).begin_when_due());
        loop {
            let accepted = tokio::select! {
                accepted = acceptor.next(&listener, |_| false) => accepted,
                () = stop.cancelled() => break,
            };
            let Accepted {
                stream,
                peer,
                stay,
                permit,
            } = accepted;
            let (hub, stop) = (Arc::clone(self), stop.clone());
            self.connections.spawn(async move {
                converse(hub, stream, peer, stay, stop).await;
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
}
