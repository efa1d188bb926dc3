//! The files around the database: its folder, and the locks that keep other processes out.
//!
//! The lock on the **file** keeps out those who have it by another name: a hard link, a link in another folder, a
//! mount, or after `mv`. The lock on its **name** (`NAME.lock`) keeps out those who put another file in its place:
//! SQLite's log lies next to the name.

use super::error::StoreError;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::fs::{Access, XattrFlags, access, fgetxattr, fsetxattr};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who may read and write what lies next to the database: transcripts, hidden hands, digests of tokens.
pub(super) const PRIVATE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;
const OTHERS: u32 = 0o077;
/// What is said of a device or a folder.
const NO_FILE: &str = "it is no regular file";
/// Symbolic links followed one after the other.
const LINKS_MAX: usize = 40;
/// The byte that is locked, on the page that SQLite keeps free for locks, behind the 512 bytes that it uses itself.
const LOCK_BYTE: libc::off_t = 0x4000_0200;
/// The attribute in which the holder of the file records itself.
const HOLDER: &str = "user.drover.holder";
const HOLDER_LEN_MAX: usize = 512;

/// Holds the database for this process until the last clone is dropped or the process ends. Must outlive every
/// connection of this process: closing any descriptor of the file gives up SQLite's own locks on it.
#[derive(Clone, Debug)]
pub(super) struct Lock(
    #[expect(dead_code, reason = "open files hold the locks")] Arc<(File, File)>,
);

/// `name` with `suffix` added to the file's name.
pub(super) fn companion(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// The folder that the database is in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The temporary file that becomes the new file `to`: empty, and nobody else's.
pub(super) fn part_of(to: &Path) -> Result<PathBuf, StoreError> {
    let failed = |why| StoreError::Backup {
        path: to.to_path_buf(),
        why,
    };
    if to.exists() {
        return Err(failed("it exists already; name a new file".into()));
    }
    let part = companion(to, ".part");
    for suffix in ["", "-wal", "-shm"] {
        let old = companion(&part, suffix);
        if old.exists() {
            fs::remove_file(&old).map_err(|error| failed(error.to_string()))?;
        }
    }
    private()
        .create_new(true)
        .open(&part)
        .map_err(|error| failed(error.to_string()))?;
    Ok(part)
}

/// Makes the complete temporary file `part` durable and names it `to`.
pub(super) async fn finish(part: PathBuf, to: &Path) -> Result<(), StoreError> {
    let synced = tokio::task::spawn_blocking({
        let to = to.to_path_buf();
        move || {
            File::open(&part)?
                .sync_all()
                .and_then(|()| fs::rename(&part, &to))
        }
    });
    let why = match synced.await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    Err(StoreError::Backup {
        path: to.to_path_buf(),
        why,
    })
}

/// A private file for reading and writing.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(PRIVATE);
    options
}

/// The database's one path: its log lies next to the file itself, whichever links lead there, also to a file that is
/// yet to be made.
pub(super) fn canonical(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        let Ok(to) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(to);
    }
    match (folder_of(&path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Creates the database's folder if it is missing.
pub(super) fn make_folder(path: &Path) -> Result<(), StoreError> {
    let folder = folder_of(path);
    let made = DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_FOLDER)
        .create(folder);
    made.map_err(|source| {
        let open = |folder: &&Path| access(*folder, Access::EXEC_OK).is_ok();
        let there = folder.ancestors().find(|ancestor| ancestor.exists());
        let closed = closed(folder);
        let folder = folder.to_path_buf();
        match (source.kind(), there.filter(open)) {
            (io::ErrorKind::PermissionDenied, Some(_)) => StoreError::NoFolder {
                folder,
                user: user(),
            },
            _ => closed.unwrap_or(StoreError::Folder { folder, source }),
        }
    })
}

/// Refuses a database or folder that somebody else owns and keeps from us.
pub(super) fn check_owner(path: &Path) -> Result<(), StoreError> {
    let files = [".lock", "", "-wal", "-shm"].map(|suffix| companion(path, suffix));
    let mut all = std::iter::once(folder_of(path)).chain(files.iter().map(PathBuf::as_path));
    all.find_map(|file| foreign(file, Access::READ_OK | Access::WRITE_OK))
        .map_or(Ok(()), Err)
}

/// Refuses to read a database that somebody else keeps from us, and one with several names.
pub(super) fn check_readable(path: &Path) -> Result<(), StoreError> {
    if let Some(foreign) = foreign(path, Access::READ_OK) {
        return Err(foreign);
    }
    let missing = StoreError::Missing {
        location: path.display().to_string(),
    };
    match fs::metadata(path) {
        Ok(file) if file.is_file() => one_name(path, &file),
        Ok(_) => Err(StoreError::NotADatabase {
            path: path.to_path_buf(),
            why: NO_FILE.into(),
        }),
        // It may be there.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(closed(folder_of(path)).unwrap_or(missing))
        }
        Err(_) => Err(missing),
    }
}

/// The first folder on the way to this one that somebody else keeps us from entering.
fn closed(folder: &Path) -> Option<StoreError> {
    let there = folder.ancestors().find(|ancestor| ancestor.exists())?;
    foreign(there, Access::EXEC_OK)
}

/// Each name of a file would have a log of its own: what is written by one of them is not seen by another.
fn one_name(path: &Path, file: &fs::Metadata) -> Result<(), StoreError> {
    match file.nlink() {
        0 | 1 => Ok(()),
        names => Err(StoreError::Names {
            path: path.to_path_buf(),
            names,
        }),
    }
}

/// Why this file or folder cannot be used, if it is that somebody else owns it.
fn foreign(path: &Path, wanted: Access) -> Option<StoreError> {
    if access(path, wanted) != Err(Errno::ACCESS) {
        return None;
    }
    let (owner, user) = (fs::metadata(path).ok()?.uid(), user());
    (owner != user).then(|| StoreError::Foreign {
        path: path.to_path_buf(),
        owner,
        user,
    })
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Takes the database at this canonical path, and creates it if it is missing. To be called before anything else of
/// this process opens it.
pub(super) fn lock(path: &Path) -> Result<Lock, StoreError> {
    let cannot = |source| StoreError::Folder {
        folder: folder_of(path).to_path_buf(),
        source,
    };
    let in_use = |holder| StoreError::InUse {
        path: path.to_path_buf(),
        holder,
    };
    // Before it is opened: opening some devices does something, and this process must not own one.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(StoreError::NotADatabase {
            path: path.to_path_buf(),
            why: NO_FILE.into(),
        });
    }
    let mut options = private();
    let options = options.create(true).truncate(false);
    let mut name = options.open(companion(path, ".lock")).map_err(cannot)?;
    match name.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(holder(&mut name))),
        Err(TryLockError::Error(source)) => return Err(cannot(source)),
    }
    let unusable = |why: String| StoreError::Open {
        path: path.to_path_buf(),
        why,
    };
    let file = options
        .open(path)
        .map_err(|why| unusable(why.to_string()))?;
    match lock_file(&file) {
        Ok(()) => {}
        Err(Errno::AGAIN | Errno::ACCESS) => {
            let mut card = [0; HOLDER_LEN_MAX];
            let length = fgetxattr(&file, HOLDER, &mut card).unwrap_or(0);
            let card = card.get(..length).unwrap_or_default();
            return Err(in_use(holder(&mut &*card)));
        }
        Err(why) => return Err(unusable(format!("it cannot be locked: {why}"))),
    }
    let found = file.metadata().map_err(cannot)?;
    one_name(path, &found)?;
    let card = Holder::ours().to_string();
    name.set_len(0)
        .and_then(|()| name.seek(SeekFrom::Start(0)))
        .and_then(|_| name.write_all(card.as_bytes()))
        .map_err(cannot)?;
    // Some file systems have no attributes: the refusal of another name then names no holder.
    let _ = fsetxattr(&file, HOLDER, card.as_bytes(), XattrFlags::empty());
    for suffix in ["", "-wal", "-shm", ".lock"] {
        tighten(&companion(path, suffix));
    }
    Ok(Lock(Arc::new((name, file))))
}

/// Locks the file itself, not for this process but for this open file. (Some network file systems would hold a lock
/// by `flock` against SQLite's own.)
fn lock_file(file: &File) -> Result<(), Errno> {
    let byte = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: LOCK_BYTE,
        l_len: 1,
        l_pid: 0,
    };
    match fcntl(file, FcntlArg::F_OFD_SETLK(&byte)) {
        Ok(_) => Ok(()),
        Err(why) => Err(Errno::from_raw_os_error(why as i32)),
    }
}

/// Closes a file to others, such as a backup that was copied to the database's place.
fn tighten(path: &Path) {
    let Ok(found) = fs::metadata(path) else {
        return;
    };
    let mode = found.mode();
    if mode & OTHERS == 0 || found.uid() != user() {
        return;
    }
    match fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS & 0o777)) {
        Ok(()) => tracing::info!(file = %path.display(), "only its owner can read it from now on"),
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "other users of this machine may read it");
        }
    }
}

/// Who holds the lock, as it stands in the file: process number, host and time, each on a line.
struct Holder {
    pid: String,
    host: String,
    since: String,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pid, host, since } = self;
        write!(out, "{pid}\n{host}\n{since}\n")
    }
}

impl Holder {
    fn ours() -> Self {
        let since = jiff::Timestamp::from_microsecond(crate::clock::now_us());
        let since = since.map(|at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        Self {
            pid: std::process::id().to_string(),
            host: rustix::system::uname().nodename().to_string_lossy().into(),
            since: since.unwrap_or_default(),
        }
    }
}

/// The holder of the lock, as it recorded itself.
fn holder(card: &mut impl Read) -> String {
    let mut text = String::new();
    if card
        .take(HOLDER_LEN_MAX as u64)
        .read_to_string(&mut text)
        .is_err()
    {
        return String::new();
    }
    let mut lines = text.lines();
    let pid = lines.next().filter(|pid| pid.parse::<u32>().is_ok());
    let plain = |line: &&str| !line.is_empty() && !line.contains(char::is_control);
    let (host, since) = (lines.next().filter(plain), lines.next().filter(plain));
    let (Some(pid), Some(host), Some(since)) = (pid, host, since) else {
        return String::new();
    };
    let us = Holder::ours();
    // Each container has a name of its own, and counts its processes from 1.
    let elsewhere = match us.host != host || us.pid == pid {
        true => ", in another container or on another machine",
        false => "",
    };
    format!(" (process {pid} of host {host}, since {since}{elsewhere})")
}

#[cfg(test)]
mod tests {
    use super::{Holder, holder, lock};

    fn named(text: &str) -> String {
        holder(&mut text.as_bytes())
    }

    #[test]
    fn the_holder_of_a_lock_is_named_with_its_host_and_time() {
        let since = "2026-01-02T03:04:05Z";
        assert_eq!(
            named(&format!("1\nbox\n{since}\n")),
            format!(
                " (process 1 of host box, since {since}, in another container or on another machine)"
            )
        );
        let host = Holder::ours().host;
        assert_eq!(
            named(&format!("4000000000\n{host}\n{since}\n")),
            format!(" (process 4000000000 of host {host}, since {since})")
        );
        for cut in ["", "77", "77\nbox\n", "what\nbox\n2026\n"] {
            assert_eq!(named(cut), "", "{cut:?}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drover.db");
        let _first = lock(&path).unwrap();
        let refusal = lock(&path).unwrap_err().to_string();
        let ours = format!("(process {} of host {host}, since 2", std::process::id());
        assert!(refusal.contains(&ours), "{refusal}");
    }
}
