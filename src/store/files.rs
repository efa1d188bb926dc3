//! The files around the database: its folder and the lock that keeps other processes out.

use super::error::StoreError;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
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
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => return Ok(()),
    };
    std::fs::create_dir_all(folder).map_err(|source| StoreError::Folder {
        folder: folder.to_path_buf(),
        source,
    })
}

/// Takes the lock file beside the database, which also shows that the folder can be written to.
pub(super) fn lock(path: &Path) -> Result<Lock, StoreError> {
    let folder = || match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    let cannot = |source| StoreError::Folder {
        folder: folder(),
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
        .and_then(|_| write!(file, "{}", std::process::id()))
        .map_err(cannot)?;
    Ok(Lock(file))
}

/// The holder of the lock, as it recorded itself.
fn holder(file: &mut File) -> String {
    const PID_LEN_MAX: u64 = 20;
    let mut pid = String::new();
    match file.take(PID_LEN_MAX).read_to_string(&mut pid) {
        Ok(_) if pid.parse::<u32>().is_ok() => format!(" (process {pid})"),
        _ => String::new(),
    }
}
