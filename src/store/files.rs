//! The files around the database: its folder and the lock that keeps other processes out.

use super::error::StoreError;
use rustix::fs::{Access, access};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Holds the database for this process; released when dropped or when the process ends.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "an open file holds the lock")] File);

/// `name` with `suffix` added to the file's name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
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

/// The temporary file that becomes the new file `to`.
pub(super) fn part_of(to: &Path) -> Result<PathBuf, StoreError> {
    let failed = |why| StoreError::Backup {
        path: to.to_path_buf(),
        why,
    };
    if to.exists() {
        return Err(failed("it exists already; name a new file".into()));
    }
    let part = beside(to, ".part");
    for suffix in ["", "-wal", "-shm"] {
        let old = beside(&part, suffix);
        if old.exists() {
            std::fs::remove_file(&old).map_err(|error| failed(error.to_string()))?;
        }
    }
    Ok(part)
}

/// Makes the complete temporary file `part` durable and names it `to`.
pub(super) async fn finish(part: PathBuf, to: &Path) -> Result<(), StoreError> {
    let synced = tokio::task::spawn_blocking({
        let to = to.to_path_buf();
        move || {
            File::open(&part)?
                .sync_all()
                .and_then(|()| std::fs::rename(&part, &to))
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

/// Creates the database's folder if it is missing.
pub(super) fn make_folder(path: &Path) -> Result<(), StoreError> {
    let folder = folder_of(path);
    std::fs::create_dir_all(folder).map_err(|source| {
        let there = folder.ancestors().find(|ancestor| ancestor.exists());
        let foreign = there.and_then(foreign);
        foreign.unwrap_or_else(|| StoreError::Folder {
            folder: folder.to_path_buf(),
            source,
        })
    })
}

/// Refuses a database or folder that somebody else owns and keeps from us.
pub(super) fn check_owner(path: &Path) -> Result<(), StoreError> {
    let files = [".lock", "", "-wal", "-shm"].map(|suffix| beside(path, suffix));
    let mut all = std::iter::once(folder_of(path)).chain(files.iter().map(PathBuf::as_path));
    all.find_map(foreign).map_or(Ok(()), Err)
}

/// Why this file or folder cannot be written, if it is that somebody else owns it.
fn foreign(path: &Path) -> Option<StoreError> {
    if access(path, Access::READ_OK | Access::WRITE_OK) != Err(Errno::ACCESS) {
        return None;
    }
    let owner = std::fs::metadata(path).ok()?.uid();
    let user = rustix::process::geteuid().as_raw();
    (owner != user).then(|| StoreError::Foreign {
        path: path.to_path_buf(),
        owner,
        user,
    })
}

/// Takes the lock file beside the database, which also shows that the folder can be written to.
pub(super) fn lock(path: &Path) -> Result<Lock, StoreError> {
    let cannot = |source| StoreError::Folder {
        folder: folder_of(path).to_path_buf(),
        source,
    };
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(beside(path, ".lock"))
        .map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(StoreError::InUse {
                path: path.to_path_buf(),
                holder: holder(&mut file),
            });
        }
        Err(TryLockError::Error(source)) => return Err(cannot(source)),
    }
    file.set_len(0)
        .and_then(|()| file.seek(SeekFrom::Start(0)))
        .and_then(|_| write!(file, "{}", Holder::ours()))
        .map_err(cannot)?;
    Ok(Lock(file))
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
fn holder(file: &mut File) -> String {
    const LEN_MAX: u64 = 512;
    let mut text = String::new();
    if file.take(LEN_MAX).read_to_string(&mut text).is_err() {
        return String::new();
    }
    let mut lines = text.lines();
    let Some(pid) = lines.next().filter(|pid| pid.parse::<u32>().is_ok()) else {
        return String::new();
    };
    let plain = |line: &&str| !line.is_empty() && !line.contains(char::is_control);
    let (host, since) = (lines.next().filter(plain), lines.next().filter(plain));
    // Earlier versions recorded their number alone.
    let (Some(host), Some(since)) = (host, since) else {
        return format!(" (process {pid})");
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
    use std::io::{Seek as _, Write as _};

    fn told(text: &str) -> String {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.rewind().unwrap();
        holder(&mut file)
    }

    #[test]
    fn the_holder_of_a_lock_is_named_with_its_host_and_time() {
        let since = "2026-01-02T03:04:05Z";
        assert_eq!(
            told(&format!("1\nbox\n{since}\n")),
            format!(
                " (process 1 of host box, since {since}, in another container or on another machine)"
            )
        );
        let host = Holder::ours().host;
        assert_eq!(
            told(&format!("4000000000\n{host}\n{since}\n")),
            format!(" (process 4000000000 of host {host}, since {since})")
        );
        assert_eq!(told("77"), " (process 77)", "an earlier version's");
        assert_eq!(told("what\nbox\n"), "");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drover.db");
        let _first = lock(&path).unwrap();
        let refusal = lock(&path).unwrap_err().to_string();
        let ours = format!("(process {} of host {host}, since 2", std::process::id());
        assert!(refusal.contains(&ours), "{refusal}");
    }
}
