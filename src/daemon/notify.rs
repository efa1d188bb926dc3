//! Tells systemd how the daemon stands (`sd_notify`), when it was started with `Type=notify`.

use std::ffi::OsString;
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// Where the service manager listens, if it does.
#[derive(Debug)]
pub(super) struct Notify(Option<OsString>);

impl Notify {
    /// From this process's environment.
    pub(super) fn from_env() -> Self {
        Self(std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()))
    }

    /// Sends one state, such as `READY=1`. A manager that does not hear it only knows less.
    pub(super) fn tell(&self, state: &str) {
        let Some(name) = &self.0 else { return };
        if let Err(error) = send(name, state) {
            tracing::debug!(%error, state, "the service manager cannot be told");
        }
    }

    /// How often the service manager wants a sign of life: half of its limit.
    pub(super) fn watchdog(&self) -> Option<Duration> {
        self.0.as_ref()?;
        let ours = std::env::var("WATCHDOG_PID")
            .ok()
            .is_none_or(|pid| pid == std::process::id().to_string());
        let limit_us: u64 = std::env::var("WATCHDOG_USEC").ok()?.parse().ok()?;
        (ours && limit_us > 1).then(|| Duration::from_micros(limit_us / 2))
    }
}

fn send(name: &OsString, state: &str) -> io::Result<()> {
    let socket = UnixDatagram::unbound()?;
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(hidden) => SocketAddr::from_abstract_name(hidden)?,
        None => SocketAddr::from_pathname(name)?,
    };
    socket.send_to_addr(state.as_bytes(), &address).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::send;
    use std::ffi::OsString;
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};

    fn heard(socket: &UnixDatagram) -> String {
        let mut buffer = [0; 64];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    }

    #[test]
    fn reaches_both_kinds_of_sockets() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let named = UnixDatagram::bind(&path).unwrap();
        send(&path.into_os_string(), "READY=1").unwrap();
        assert_eq!(heard(&named), "READY=1");

        let hidden = format!("drover-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&hidden).unwrap();
        let abstract_one = UnixDatagram::bind_addr(&address).unwrap();
        send(&OsString::from(format!("@{hidden}")), "STOPPING=1").unwrap();
        assert_eq!(heard(&abstract_one), "STOPPING=1");
    }
}
