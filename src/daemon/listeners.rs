//! Listening sockets: our own, or inherited by systemd's socket activation.

use listenfd::ListenFd;
use socket2::{Domain, Protocol, SockRef, Socket, Type};
use std::io;
use std::net::{SocketAddr, TcpListener};

/// Connections that may wait to be accepted: a thousand referees may connect at once.
const BACKLOG: i32 = 4_096;
/// The maximum number of inherited sockets examined.
const INHERITED_MAX: usize = 16;
/// The purpose of each socket, if the unit does not name them.
const ORDER: [&str; 4] = ["callbacks", "api", "referee", "hub"];

/// Why there is no socket to listen on.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address cannot be bound.
    #[error(
        "cannot listen on {address} for {name}: {why}; choose another address (`{}.listen`)",
        section(name)
    )]
    Bind {
        /// Its purpose.
        name: &'static str,
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        why: io::Error,
    },
    /// An inherited descriptor is unusable.
    #[error("inherited descriptor {number} ({name}) is not a listening TCP socket: {why}")]
    Inherited {
        /// Its index, from 0.
        number: usize,
        /// Its intended purpose.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// An unknown name.
    #[error(
        "inherited descriptor {number} is named {name:?}; FileDescriptorName= must be callbacks, api, referee or hub"
    )]
    Name {
        /// Its index, from 0.
        number: usize,
        /// The name given.
        name: String,
    },
}

/// Sockets that this process was started with.
#[derive(Debug, Default)]
pub struct Inherited(Vec<(String, TcpListener)>);

impl Inherited {
    /// Takes what `LISTEN_FDS` announces. Call once, before any other descriptor is opened.
    ///
    /// # Errors
    /// [`ListenError`] if a descriptor is not a listening TCP socket or has an unknown name.
    pub fn take() -> Result<Self, ListenError> {
        let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut passed = ListenFd::from_env();
        let mut taken = Vec::new();
        for number in 0..passed.len().min(INHERITED_MAX) {
            let name = name_of(&names, number)?;
            let refused = |why: String| ListenError::Inherited {
                number,
                name: name.clone(),
                why,
            };
            let listener = passed
                .take_tcp_listener(number)
                .map_err(|error| refused(error.to_string()))?;
            let Some(listener) = listener else { continue };
            match SockRef::from(&listener).is_listener() {
                Ok(true) => taken.push((name, listener)),
                Ok(false) => return Err(refused("it does not listen".to_owned())),
                Err(error) => return Err(refused(error.to_string())),
            }
        }
        Ok(Self(taken))
    }

    /// The socket with this name, inherited or bound to `address`.
    ///
    /// # Errors
    /// [`ListenError::Bind`] if the address cannot be bound.
    pub fn listener(
        &mut self,
        name: &'static str,
        address: SocketAddr,
    ) -> Result<tokio::net::TcpListener, ListenError> {
        let own = || bind(address);
        let listener = match self.0.iter().position(|(known, _)| known == name) {
            Some(place) => Ok(self.0.swap_remove(place).1),
            None => own(),
        };
        let ready = listener.and_then(|listener| {
            listener.set_nonblocking(true)?;
            tokio::net::TcpListener::from_std(listener)
        });
        ready.map_err(|why| ListenError::Bind { name, address, why })
    }

    /// Whether a socket with this name was inherited.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }
}

/// The configuration's section of this listener.
fn section(name: &str) -> &str {
    match name {
        "referee" => "referee.koehandel",
        "hub" => "referee.smartdog",
        name => name,
    }
}

/// The name of the socket at this index. Where the unit gives none, systemd says `unknown` or the unit's
/// name: then the order counts.
fn name_of(names: &str, number: usize) -> Result<String, ListenError> {
    let given = names.split(':').nth(number).unwrap_or_default();
    let unnamed = given.is_empty() || given == "unknown" || given.contains(".socket");
    let name = if unnamed {
        ORDER.get(number).copied().unwrap_or(given)
    } else {
        given
    };
    if ORDER.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(ListenError::Name {
            number,
            name: name.to_owned(),
        })
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn names_or_else_the_order() {
        assert_eq!(name_of("", 0).unwrap(), "callbacks");
        assert_eq!(name_of("unknown:unknown", 1).unwrap(), "api");
        assert_eq!(name_of("api:callbacks", 0).unwrap(), "api");
        assert_eq!(name_of("drover.socket", 0).unwrap(), "callbacks");
        assert!(name_of("telnet", 0).is_err());
        assert!(name_of("", 4).is_err());
    }
}
