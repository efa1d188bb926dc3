//! Copying a bot's folder, within limits, whatever its owner does to it meanwhile: each file and folder is opened beneath the
//! folder that it was found in, and never by way of a link.

use crate::secrets::hexadecimal;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::ffi::OsStringExt as _;
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
    let mut copying = Copying::from_root(from);
    let folder = File::open(from).map_err(at(from))?;
    copying.folder(&folder, from, to, 0)?;
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
    Ok(Copied {
        files: copying.files,
        bytes: copying.bytes,
        digest: hexadecimal(&copying.digest.finalize()),
    })
}

/// Whether a folder holds more than a bot may. What cannot be read is left out.
pub(super) fn is_too_large(folder: &Path) -> bool {
    let (mut files, mut bytes, mut open) = (0, 0, vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(about) = entry.metadata() else {
                continue;
            };
            files += 1;
            bytes += about.len();
            if files > FILES_MAX || bytes > BYTES_MAX {
                return true;
            }
            if about.is_dir() {
                open.push(entry.path());
            }
        }
    }
    false
}

/// Lets the owner of a folder read and remove everything in it, whatever was done to it.
pub(super) fn unlock(folder: &Path) {
    let mode = fs::Permissions::from_mode(0o700);
    // What stays locked cannot be removed, which is reported then.
    let _ = fs::set_permissions(folder, mode);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unlock(&entry.path());
        }
    }
}

struct Copying<'a> {
    root: &'a Path,
    files: u64,
    bytes: u64,
    digest: Sha256,
    /// The links: where each was, where it is copied to, and what it says.
    links: Vec<(PathBuf, PathBuf, PathBuf)>,
}

fn is(about: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(about.st_mode) == kind
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> CopyError {
    let path = path.to_owned();
    |why| CopyError::Io { path, why }
}

/// How a file or folder is opened that a listing names: neither a link is followed nor a pipe waited for.
const AS_LISTED: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// Opens what a listing of a folder names.
fn open_listed(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    Ok(openat(folder, name, AS_LISTED, Mode::empty())?)
}

/// Opens a file of this folder, if it is one of its own.
pub(super) fn open_own(folder: &Path, name: &str) -> io::Result<File> {
    let file = match open_listed(File::open(folder)?, OsStr::new(name)) {
        Err(why) if why.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => None,
        opened => Some(File::from(opened?)),
    };
    let is_file = |file: &File| file.metadata().is_ok_and(|about| about.is_file());
    let none = || io::Error::other("it is no file of its own");
    file.filter(is_file).ok_or_else(none)
}

impl<'a> Copying<'a> {
    fn from_root(root: &'a Path) -> Self {
        Self {
            root,
            files: 0,
            bytes: 0,
            digest: Sha256::new(),
            links: Vec::new(),
        }
    }

    fn folder(
        &mut self,
        folder: impl AsFd,
        from: &Path,
        to: &Path,
        depth: usize,
    ) -> Result<(), CopyError> {
        if depth > DEPTH_MAX {
            return Err(self.too_much(DEPTH_MAX as u64, "folders within each other"));
        }
        for name in self.names(&folder, from)? {
            self.listed(&folder, &name, &from.join(&name), &to.join(&name), depth)?;
        }
        Ok(())
    }

    /// Copies what a listing of this folder names.
    fn listed(
        &mut self,
        folder: impl AsFd,
        name: &OsStr,
        source: &Path,
        target: &Path,
        depth: usize,
    ) -> Result<(), CopyError> {
        let refused = |why: Errno| at(source)(why.into());
        let about = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(refused)?;
        if is(&about, FileType::Symlink) {
            let link = readlinkat(&folder, name, Vec::new()).map_err(refused)?;
            let link = PathBuf::from(OsString::from_vec(link.into_bytes()));
            self.note(b'l', source, link.as_os_str().as_bytes());
            symlink(&link, target).map_err(at(target))?;
            self.links
                .push((source.to_owned(), target.to_owned(), link));
            return Ok(());
        }
        let opened = match open_listed(&folder, name) {
            // A socket.
            Err(why) if why.raw_os_error() == Some(Errno::NXIO.raw_os_error()) => None,
            opened => Some(opened.map_err(at(source))?),
        };
        // What it is now: it may be another than was looked at.
        let about = opened.map(|opened| Ok((fstat(&opened)?, opened)));
        match about.transpose().map_err(refused)? {
            Some((about, folder)) if is(&about, FileType::Directory) => {
                self.note(b'd', source, b"");
                fs::create_dir(target).map_err(at(target))?;
                self.folder(folder, source, target, depth + 1)
            }
            Some((about, file)) if is(&about, FileType::RegularFile) => {
                let runs = about.st_mode & 0o100 != 0;
                self.file(File::from(file), source, target, runs)
            }
            _ => Err(CopyError::Special {
                path: source.to_owned(),
            }),
        }
    }

    /// What is in a folder, in the order of names.
    fn names(&mut self, folder: impl AsFd, path: &Path) -> Result<Vec<OsString>, CopyError> {
        let refused = |why: Errno| at(path)(why.into());
        let mut names = Vec::new();
        for entry in Dir::read_from(folder).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let name = entry.file_name().to_bytes();
            let left_out = LEFT_OUT.iter().any(|known| known.as_bytes() == name);
            if left_out || [&b"."[..], b".."].contains(&name) {
                continue;
            }
            self.files += 1;
            if self.files > FILES_MAX {
                return Err(self.too_much(FILES_MAX, "files, folders and links"));
            }
            names.push(OsString::from_vec(name.to_owned()));
        }
        names.sort();
        Ok(names)
    }

    fn file(
        &mut self,
        mut source: File,
        from: &Path,
        to: &Path,
        runs: bool,
    ) -> Result<(), CopyError> {
        // What is too long already is not copied in part.
        let expected = source.metadata().map_err(at(from))?.len();
        if self.bytes.saturating_add(expected) > BYTES_MAX {
            return Err(self.too_much(BYTES_MAX, "bytes"));
        }
        self.note(if runs { b'x' } else { b'f' }, from, b"");
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
            let reported = copy(from.path(), to.path()).unwrap_err().to_string();
            let expected = "which is outside the bot's folder";
            assert!(reported.contains(expected), "{link}: {reported}");
        }
    }

    #[test]
    fn only_files_folders_and_links_are_copied() {
        let (from, to) = folders();
        let _listener = UnixListener::bind(from.path().join("socket")).unwrap();
        let reported = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(reported.contains("is neither a file"), "{reported}");
    }

    #[test]
    fn what_changes_while_it_is_copied_leads_nowhere() {
        let secret = tempfile::tempdir().unwrap();
        fs::create_dir(secret.path().join("lib")).unwrap();
        fs::write(secret.path().join("lib/run"), "secret").unwrap();
        let (from, to) = folders();
        let path = |name: &str| (from.path().join(name), to.path().join(name));
        let root = File::open(from.path()).unwrap();
        let lib = open_listed(&root, OsStr::new("lib")).unwrap();
        // Both have been listed: one is replaced before it is opened, one after that.
        let mut copying = Copying::from_root(from.path());
        let listed = copying.names(&root, from.path()).unwrap();
        assert_eq!(listed, ["data", "lib"]);
        fs::rename(from.path().join("lib"), from.path().join("gone")).unwrap();
        fs::remove_file(from.path().join("data")).unwrap();
        symlink(secret.path().join("lib"), from.path().join("lib")).unwrap();
        symlink(secret.path().join("lib/run"), from.path().join("data")).unwrap();
        for name in listed {
            let why = open_listed(&root, &name).unwrap_err();
            let expected = [Errno::LOOP, Errno::NOTDIR].map(|errno| Some(errno.raw_os_error()));
            assert!(expected.contains(&why.raw_os_error()), "{why}");
        }
        let (source, target) = path("lib");
        fs::create_dir(&target).unwrap();
        copying.folder(lib, &source, &target, 1).unwrap();
        assert_eq!(fs::read(target.join("run")).unwrap(), b"#!/bin/sh\n");
        assert!(open_own(from.path(), "data").is_err());
        assert!(open_own(from.path(), "gone").is_err());
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let (from, to) = folders();
        let pipe = from.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, Mode::RUSR).unwrap();
        let reported = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(reported.contains("is neither a file"), "{reported}");
        assert!(open_own(from.path(), "pipe").is_err());
    }

    #[test]
    fn too_much_is_refused() {
        let (from, to) = folders();
        let file = File::create(from.path().join("big")).unwrap();
        file.set_len(BYTES_MAX).unwrap();
        let reported = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(
            reported.contains("more than 1073741824 bytes"),
            "{reported}"
        );
        let (from, to) = folders();
        let deep = "d/".repeat(DEPTH_MAX + 2);
        fs::create_dir_all(from.path().join(deep)).unwrap();
        let reported = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(reported.contains("folders within each other"), "{reported}");
        let (from, to) = folders();
        for number in 0..FILES_MAX {
            File::create(from.path().join(number.to_string())).unwrap();
        }
        let reported = copy(from.path(), to.path()).unwrap_err().to_string();
        assert!(reported.contains("more than 20000 files"), "{reported}");
    }
}
