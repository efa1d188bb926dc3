//! Copying a bot's folder, within limits.

use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// Files, folders and links of a bot at most.
pub const FILES_MAX: u64 = 20_000;
/// Bytes of its files at most.
pub const BYTES_MAX: u64 = 1 << 30;
/// Folders within each other at most.
const DEPTH_MAX: usize = 32;
/// Bytes copied at once.
const CHUNK: usize = 1 << 16;
/// What is left out: histories and what interpreters make again.
const LEFT_OUT: &[&str] = &[".git", ".hg", "__pycache__"];

/// Why a folder cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The system refuses to read or write something.
    #[error("{}: {why}", path.display())]
    Io {
        /// What is read or written.
        path: PathBuf,
        /// The system's reason.
        why: io::Error,
    },
    /// There is too much in it.
    #[error("{} holds more than {max} {what}: leave out what the bot does not need", path.display())]
    TooMuch {
        /// The folder.
        path: PathBuf,
        /// The limit.
        max: u64,
        /// What is counted.
        what: &'static str,
    },
    /// A link leads out of the folder, or nowhere.
    #[error("{} is a link to {}, which is outside the bot's folder or not there: copy the file instead", path.display(), to.display())]
    LinkOut {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        to: PathBuf,
    },
    /// Something is neither a file nor a folder nor a link.
    #[error("{} is neither a file nor a folder nor a link", path.display())]
    Special {
        /// What it is called.
        path: PathBuf,
    },
}

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Files, folders and links.
    pub files: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// The digest of all names and contents, in hexadecimal digits.
    pub digest: String,
}

/// Copies a folder's content to another, which exists and is empty.
///
/// # Errors
/// [`CopyError`]; what has been copied until then stays.
pub fn copy(from: &Path, to: &Path) -> Result<Copied, CopyError> {
    let mut copying = Copying {
        root: from,
        files: 0,
        bytes: 0,
        digest: Sha256::new(),
        links: Vec::new(),
    };
    copying.folder(from, to, 0)?;
    // Only now: a link's way may lead over others.
    let root = fs::canonicalize(to).map_err(at(to))?;
    for (source, target, link) in copying.links {
        let found = fs::canonicalize(target);
        if link.is_absolute() || !found.is_ok_and(|found| found.starts_with(&root)) {
            return Err(CopyError::LinkOut {
                path: source,
                to: link,
            });
        }
    }
    let digest = copying.digest.finalize();
    let digits = digest.iter().map(|byte| format!("{byte:02x}"));
    Ok(Copied {
        files: copying.files,
        bytes: copying.bytes,
        digest: digits.collect(),
    })
}

struct Copying<'a> {
    root: &'a Path,
    files: u64,
    bytes: u64,
    digest: Sha256,
    /// The links: where each was, where it is copied to, and what it says.
    links: Vec<(PathBuf, PathBuf, PathBuf)>,
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CopyError {
    let path = path.to_owned();
    |why| CopyError::Io { path, why }
}

impl Copying<'_> {
    fn folder(&mut self, from: &Path, to: &Path, depth: usize) -> Result<(), CopyError> {
        if depth > DEPTH_MAX {
            return Err(self.too_much(DEPTH_MAX as u64, "folders within each other"));
        }
        for name in self.names(from)? {
            let (source, target) = (from.join(&name), to.join(&name));
            let about = fs::symlink_metadata(&source).map_err(at(&source))?;
            let kind = about.file_type();
            if kind.is_dir() {
                self.note(b'd', &source, b"");
                fs::create_dir(&target).map_err(at(&target))?;
                self.folder(&source, &target, depth + 1)?;
            } else if kind.is_file() {
                let runs = about.permissions().mode() & 0o100 != 0;
                self.file(&source, &target, runs)?;
            } else if kind.is_symlink() {
                let link = fs::read_link(&source).map_err(at(&source))?;
                self.note(b'l', &source, link.as_os_str().as_bytes());
                symlink(&link, &target).map_err(at(&target))?;
                self.links.push((source, target, link));
            } else {
                return Err(CopyError::Special { path: source });
            }
        }
        Ok(())
    }

    /// What is in a folder, in the order of names.
    fn names(&mut self, folder: &Path) -> Result<Vec<OsString>, CopyError> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder).map_err(at(folder))? {
            let name = entry.map_err(at(folder))?.file_name();
            if LEFT_OUT.iter().any(|known| OsStr::new(known) == name) {
                continue;
            }
            self.files += 1;
            if self.files > FILES_MAX {
                return Err(self.too_much(FILES_MAX, "files, folders and links"));
            }
            names.push(name);
        }
        names.sort();
        Ok(names)
    }

    fn file(&mut self, from: &Path, to: &Path, runs: bool) -> Result<(), CopyError> {
        self.note(if runs { b'x' } else { b'f' }, from, b"");
        let mut source = File::open(from).map_err(at(from))?;
        let mut target = File::create_new(to).map_err(at(to))?;
        let mut chunk = vec![0; CHUNK];
        let mut length: u64 = 0;
        loop {
            let count = source.read(&mut chunk).map_err(at(from))?;
            let read = chunk.get(..count).unwrap_or_default();
            if read.is_empty() {
                break;
            }
            length += count as u64;
            self.bytes += count as u64;
            if self.bytes > BYTES_MAX {
                return Err(self.too_much(BYTES_MAX, "bytes"));
            }
            self.digest.update(read);
            io::Write::write_all(&mut target, read).map_err(at(to))?;
        }
        self.digest.update(length.to_le_bytes());
        let mode = if runs { 0o755 } else { 0o644 };
        let mode = fs::Permissions::from_mode(mode);
        target.set_permissions(mode).map_err(at(to))
    }

    /// Takes a name and what belongs to it into the digest.
    fn note(&mut self, kind: u8, path: &Path, content: &[u8]) {
        let name = path.strip_prefix(self.root).unwrap_or(path);
        for part in [name.as_os_str().as_bytes(), content] {
            self.digest.update([kind]);
            self.digest.update((part.len() as u64).to_le_bytes());
            self.digest.update(part);
        }
    }

    fn too_much(&self, max: u64, what: &'static str) -> CopyError {
        CopyError::TooMuch {
            path: self.root.to_owned(),
            max,
            what,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    fn folders() -> (tempfile::TempDir, tempfile::TempDir) {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(from.path().join("lib")).unwrap();
        fs::write(from.path().join("lib/run"), "#!/bin/sh\n").unwrap();
        let mode = fs::Permissions::from_mode(0o4777);
        fs::set_permissions(from.path().join("lib/run"), mode).unwrap();
        fs::write(from.path().join("data"), "17").unwrap();
        (from, to)
    }

    #[test]
    fn a_copy_has_everything_but_histories() {
        let (from, to) = folders();
        symlink("lib/run", from.path().join("go")).unwrap();
        symlink("../data", from.path().join("lib/back")).unwrap();
        fs::create_dir(from.path().join("__pycache__")).unwrap();
        fs::write(from.path().join("__pycache__/x"), "x").unwrap();
        let copied = copy(from.path(), to.path()).unwrap();
        assert_eq!((copied.files, copied.bytes), (5, 12));
        assert_eq!(fs::read(to.path().join("lib/back")).unwrap(), b"17");
        assert!(!to.path().join("__pycache__").exists());
        let mode = fs::metadata(to.path().join("go")).unwrap().permissions();
        assert_eq!(mode.mode() & 0o7777, 0o755);
        // A copy of the copy is the same bot; any change is another.
        let again = tempfile::tempdir().unwrap();
        assert_eq!(copy(to.path(), again.path()).unwrap(), copied);
        fs::write(to.path().join("data"), "18").unwrap();
        let again = tempfile::tempdir().unwrap();
        let other = copy(to.path(), again.path()).unwrap();
        assert_ne!(other.digest, copied.digest);
    }

    #[test]
    fn nothing_leads_out_of_it() {
        for (link, folder) in [
            ("/etc/passwd", ""),
            ("../secret", ""),
            ("../../secret", "lib"),
            ("lib/../../x", ""),
            ("not there", ""),
            ("link", ""),
            // Over another link, which stays inside.
            ("a/b/top/..", ""),
            ("a/b/top/../secret", ""),
        ] {
            let (from, to) = folders();
            fs::create_dir_all(from.path().join("a/b")).unwrap();
            symlink("../..", from.path().join("a/b/top")).unwrap();
            copy(from.path(), to.path()).unwrap();
            let to = tempfile::tempdir().unwrap();
            symlink(link, from.path().join(folder).join("link")).unwrap();
            let told = copy(from.path(), to.path()).unwrap_err().to_string();
            let expected = "which is outside the bot's folder";
            assert!(told.contains(expected), "{link}: {told}");
        }
    }

    #[test]
    fn only_files_folders_and_links_are_copied() {
        let (from, to) = folders();
        let _listener = UnixListener::bind(from.path().join("socket")).unwrap();
        let told = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(told.contains("is neither a file"), "{told}");
    }

    #[test]
    fn too_much_is_refused() {
        let (from, to) = folders();
        let file = File::create(from.path().join("big")).unwrap();
        file.set_len(BYTES_MAX).unwrap();
        let told = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(told.contains("more than 1073741824 bytes"), "{told}");
        let (from, to) = folders();
        let deep = "d/".repeat(DEPTH_MAX + 2);
        fs::create_dir_all(from.path().join(deep)).unwrap();
        let told = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(told.contains("folders within each other"), "{told}");
        let (from, to) = folders();
        for number in 0..FILES_MAX {
            File::create(from.path().join(number.to_string())).unwrap();
        }
        let told = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(told.contains("more than 20000 files"), "{told}");
    }
}
