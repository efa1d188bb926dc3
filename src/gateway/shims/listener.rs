//! The socket.

use super::connection::Connection;
use super::journals;
use crate::link::AcceptFaults;
use crate::session::Sessions;
use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Bytes of a socket's path at most: the system's own bound.
const PATH_MAX: usize = 107;
/// How often journals are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Why the socket cannot be opened, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The path is too long for the system.
    #[error(
        "shim.socket {0:?} is longer than {PATH_MAX} bytes, which is the system's bound: choose a shorter path, or \"\" to do without shims"
    )]
    TooLong(PathBuf),
    /// Something else is there.
    #[error("{0:?} is there and is no socket: choose another shim.socket")]
    NoSocket(PathBuf),
    /// Somebody listens there.
    #[error("another daemon listens on {0:?}: choose another shim.socket")]
    Taken(PathBuf),
    /// What the system says.
    #[error("cannot listen on shim.socket {path:?}: {why}")]
    System {
        /// The socket.
        path: PathBuf,
        /// Why not.
        why: std::io::Error,
    },
}

/// Opens the socket, for this user alone. One that a killed daemon left behind is replaced.
///
/// # Errors
/// [`SocketError`].
pub async fn open_socket(path: &Path) -> Result<UnixListener, SocketError> {
    if path.as_os_str().as_bytes().len() > PATH_MAX {
        return Err(SocketError::TooLong(path.to_owned()));
    }
    let system = |why| SocketError::System {
        path: path.to_owned(),
        why,
    };
    let taken = std::fs::symlink_metadata(path);
    if taken.is_ok_and(|file| !file.file_type().is_socket()) {
        return Err(SocketError::NoSocket(path.to_owned()));
    }
    match UnixStream::connect(path).await {
        Ok(_) => return Err(SocketError::Taken(path.to_owned())),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path).map_err(system)?;
        }
        Err(_) => {}
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(system)?;
    }
    let listener = UnixListener::bind(path).map_err(system)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(system)?;
    Ok(listener)
}

/// Takes shims until `stop`, so many at once; those that are there are then left to come back to the next start. Without a
/// listener the socket is tried again and again: whoever holds it may go.
pub async fn serve(
    listener: Option<UnixListener>,
    path: PathBuf,
    connections_max: usize,
    sessions: Sessions,
    stop: CancellationToken,
) {
    let held = AtomicBool::new(false);
    let collecting = journals::collect(path.clone(), sessions.clone(), LOOK_EVERY);
    let accepting = async {
        let mut opened = listener;
        let listener = loop {
            match opened.take() {
                Some(listener) => break listener,
                None => tokio::time::sleep(LOOK_EVERY).await,
            }
            opened = open_socket(&path).await.ok();
        };
        held.store(true, Ordering::Relaxed);
        accept(&listener, connections_max, &sessions).await;
    };
    tokio::select! {
        () = accepting => {}
        () = collecting => {}
        () = stop.cancelled() => {}
    }
    if held.load(Ordering::Relaxed) {
        // Nobody may find a socket on which nobody listens.
        let _ = std::fs::remove_file(&path);
    }
}

async fn accept(listener: &UnixListener, connections_max: usize, sessions: &Sessions) {
    let places = Arc::new(Semaphore::new(connections_max));
    let mut faults = AcceptFaults::new("shim");
    let tasks = TaskTracker::new();
    loop {
        // The semaphore is never closed.
        let place = Arc::clone(&places).acquire_owned().await;
        match listener.accept().await {
            Ok((stream, _)) => {
                let connection = Connection::new(sessions.clone());
                tasks.spawn(async move {
                    let _place = place;
                    connection.run(stream).await;
                });
            }
            Err(error) => faults.pause(&error).await,
        }
    }
}
