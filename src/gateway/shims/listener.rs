//! The socket.

use super::connection::attend;
use super::journals;
use crate::config::Shim;
use crate::link::AcceptFaults;
use crate::session::Sessions;
use nix::unistd::Group;
use rustix::fs::Mode;
use rustix::process::umask;
use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, lchown};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The most bytes in a socket's path: the system's own limit.
const PATH_MAX: usize = 107;
/// The permissions that a socket is bound without: nobody but its owner may use it before the rest is set.
const PRIVATE: Mode = Mode::from_raw_mode(0o177);
/// The permissions with which everybody may use it.
const EVERYBODY: u32 = 0o666;
/// How often to look for journals.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Why the socket cannot be opened, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The path is too long for the system.
    #[error(
        "shim.socket {0:?} is longer than {PATH_MAX} bytes, which is the system's bound: choose a shorter path, or \"\" to do without shims"
    )]
    TooLong(PathBuf),
    /// Something else is at that path.
    #[error("{0:?} is there and is no socket: choose another shim.socket")]
    NoSocket(PathBuf),
    /// Another process listens there.
    #[error("another daemon listens on {0:?}: choose another shim.socket")]
    Taken(PathBuf),
    /// There is no such group.
    #[error("shim.socket_group: there is no group {0:?} on this machine")]
    NoGroup(String),
    /// The socket cannot be given to its group.
    #[error(
        "cannot give {path:?} to shim.socket_group {group:?}: {why}{}",
        membership(why)
    )]
    Group {
        /// The socket.
        path: PathBuf,
        /// The group.
        group: String,
        /// The reason.
        why: std::io::Error,
    },
    /// The system's error.
    #[error("cannot listen on shim.socket {path:?}: {why}")]
    System {
        /// The socket.
        path: PathBuf,
        /// The reason.
        why: std::io::Error,
    },
}

/// Who may use the socket, and so play as any bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its permissions.
    pub mode: u32,
    /// The name or number of its group; `None`: the default.
    pub group: Option<String>,
}

impl From<&Shim> for Access {
    fn from(shim: &Shim) -> Self {
        Self {
            mode: shim.socket_mode,
            group: shim.socket_group.clone(),
        }
    }
}

/// What may help, if it was not permitted.
fn membership(why: &std::io::Error) -> &'static str {
    match why.kind() {
        ErrorKind::PermissionDenied => "; the daemon's user must be a member of it",
        _ => "",
    }
}

impl Access {
    fn group_id(&self) -> Result<Option<u32>, SocketError> {
        let Some(name) = &self.group else {
            return Ok(None);
        };
        let named = || Group::from_name(name).ok().flatten();
        let id = name.parse().ok().or_else(|| Some(named()?.gid.as_raw()));
        id.map(Some)
            .ok_or_else(|| SocketError::NoGroup(name.clone()))
    }

    /// Grants access: sets the group first, so that no other group has its rights meanwhile.
    fn open(&self, path: &Path, group: Option<u32>) -> Result<(), SocketError> {
        if let Some(name) = self.group.as_ref().filter(|_| group.is_some()) {
            lchown(path, None, group).map_err(|why| SocketError::Group {
                path: path.to_owned(),
                group: name.clone(),
                why,
            })?;
        }
        let permissions = Permissions::from_mode(self.mode);
        std::fs::set_permissions(path, permissions).map_err(|why| SocketError::System {
            path: path.to_owned(),
            why,
        })
    }
}

/// Opens the socket, for this user only until its access is set. One left behind by a killed daemon is
/// replaced.
///
/// # Errors
/// [`SocketError`].
pub async fn open_socket(path: &Path, access: &Access) -> Result<UnixListener, SocketError> {
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
    let group = access.group_id()?;
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
    let listener = bind_private(path).map_err(system)?;
    if let Err(error) = access.open(path, group) {
        // One that the wrong ones could use, or the right ones could not.
        let _ = std::fs::remove_file(path);
        return Err(error);
    }
    if access.mode == EVERYBODY {
        tracing::warn!(socket = %path.display(), "everybody on this machine may play as our bots");
    }
    Ok(listener)
}

/// A socket that only its owner can use from the first moment on. Anything else this process creates in that
/// moment is private as well.
fn bind_private(path: &Path) -> std::io::Result<UnixListener> {
    let usual = umask(PRIVATE);
    let listener = UnixListener::bind(path);
    umask(usual);
    listener
}

/// Accepts shims until `stop`, up to a limit at once; those connected then are left to return to the next
/// start. Without a listener the socket is retried repeatedly: the process that holds it may go away.
pub async fn serve(
    listener: Option<UnixListener>,
    path: PathBuf,
    access: Access,
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
            opened = open_socket(&path, &access).await.ok();
        };
        held.store(true, Ordering::Relaxed);
        accept(&listener, connections_max, &sessions).await;
    };
    tokio::select! {
        biased;
        () = accepting => {}
        () = collecting => {}
        () = stop.cancelled() => {}
    }
    if held.load(Ordering::Relaxed) {
        // No client may find a socket on which nobody listens.
        let _ = std::fs::remove_file(&path);
    }
}

async fn accept(listener: &UnixListener, connections_max: usize, sessions: &Sessions) {
    let places = Arc::new(Semaphore::new(connections_max));
    let faults = AcceptFaults::new("shim");
    let tasks = TaskTracker::new();
    loop {
        // The semaphore is never closed.
        let place = Arc::clone(&places).acquire_owned().await;
        match listener.accept().await {
            Ok((mut stream, _)) => {
                let sessions = sessions.clone();
                tasks.spawn(async move {
                    let _place = place;
                    let (reading, writing) = stream.split();
                    attend(sessions, reading, writing).await;
                });
            }
            Err(error) => faults.pause(&error).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, SocketError, bind_private, open_socket};
    use crate::config::Config;
    use rustix::fs::Mode;
    use rustix::process::{getegid, geteuid, umask};
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[tokio::test]
    async fn a_socket_is_private_until_its_access_is_set() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let usual = umask(Mode::empty());
        let bound = bind_private(&path);
        umask(usual);
        assert_eq!(mode(&path), 0o600, "whatever the mask");
        drop(bound.unwrap());
        let shared = Access {
            mode: 0o660,
            group: Some(getegid().as_raw().to_string()),
        };
        let listener = open_socket(&path, &shared).await.unwrap();
        assert_eq!(mode(&path), 0o660);
        assert_eq!(std::fs::metadata(&path).unwrap().gid(), getegid().as_raw());
        drop(listener);
        let alone = open_socket(&path, &Access::from(&Config::default().shim))
            .await
            .unwrap();
        assert_eq!(mode(&path), 0o600, "the next start decides again");
        drop(alone);
    }

    #[tokio::test]
    async fn a_group_that_cannot_be_given_is_reported_and_no_socket_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let of = |group: &str| Access {
            mode: 0o660,
            group: Some(group.to_owned()),
        };
        let error = open_socket(&path, &of("nobody-knows")).await.unwrap_err();
        assert!(
            error.to_string().contains("no group \"nobody-knows\""),
            "{error}"
        );
        assert!(!path.exists());
        if geteuid().is_root() {
            let listener = open_socket(&path, &of("12345")).await.unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().gid(), 12_345);
            drop(listener);
        } else {
            let error = open_socket(&path, &of("0")).await.unwrap_err();
            assert!(matches!(error, SocketError::Group { .. }), "{error}");
            assert!(!path.exists());
        }
    }
}
