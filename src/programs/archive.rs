//! A bot's folder as one file, in which it travels from machine to machine: tar, compressed by zstd.

use super::copy::{BYTES_MAX, FILES_MAX};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;

/// Bytes of an archive at most, compressed.
pub const PACKED_MAX: u64 = 256 << 20;
/// What each file needs in an archive at most besides its content: its header, a long name, and what fills its last block.
const HEADER_MAX: u64 = 8 << 10;

/// Packs a folder. Of its files' modes it keeps whether they can be run.
///
/// # Errors
/// Something cannot be read or written; it becomes larger than [`PACKED_MAX`].
pub(super) fn pack(folder: &Path, to: impl Write) -> io::Result<()> {
    let limited = Limited {
        to,
        left: PACKED_MAX,
    };
    let mut archive = tar::Builder::new(zstd::Encoder::new(limited, 0)?);
    archive.mode(tar::HeaderMode::Deterministic);
    archive.follow_symlinks(false);
    archive.append_dir_all("", folder)?;
    archive.into_inner()?.finish()?.to.flush()
}

/// Unpacks a folder into one that is there and empty, and writes nowhere else.
///
/// # Errors
/// It is no such archive, or leads out of its folder; it holds too much; something cannot be written. What was unpacked
/// until then stays.
pub(super) fn unpack(mut packed: impl Read + Seek, to: &Path) -> io::Result<()> {
    measured(&mut packed)?;
    packed.rewind()?;
    let mut archive = opened(packed)?;
    for entry in archive.entries()? {
        let mut entry = entry?;
        if !entry.unpack_in(to).map_err(explained)? {
            let path = entry.path()?.display().to_string();
            let why = format!("the archive names {path:?}, which is outside the bot's folder");
            return Err(io::Error::new(ErrorKind::InvalidData, why));
        }
    }
    Ok(())
}

/// The archive, of which no more is read than the largest bot needs.
fn opened<'a>(packed: impl Read + 'a) -> io::Result<tar::Archive<impl Read + 'a>> {
    let whole = zstd::Decoder::new(packed)?.take(BYTES_MAX + FILES_MAX * HEADER_MAX);
    let mut archive = tar::Archive::new(whole);
    archive.set_preserve_mtime(false);
    archive.set_overwrite(false);
    Ok(archive)
}

/// Refuses an archive with too many entries, or with names for which the library would take much memory.
fn measured(packed: impl Read) -> io::Result<()> {
    // A long name and a long link are entries before that of their file.
    let entries_max = 3 * FILES_MAX;
    for (number, entry) in (0..).zip(opened(packed)?.entries()?.raw(true)) {
        let entry = entry?;
        let kind = entry.header().entry_type();
        let is_content =
            kind.is_file() || kind.is_dir() || kind.is_symlink() || kind.is_hard_link();
        if number > entries_max || !is_content && entry.size() > HEADER_MAX {
            return Err(io::Error::from(ErrorKind::FileTooLarge));
        }
    }
    Ok(())
}

/// The library names the file, and its source the reason.
fn explained(error: io::Error) -> io::Error {
    let source = error.get_ref().and_then(|error| error.source());
    match source.map(ToString::to_string) {
        Some(why) => io::Error::new(error.kind(), format!("{error}: {why}")),
        None => error,
    }
}

/// Takes `left` more bytes.
struct Limited<W> {
    to: W,
    left: u64,
}

impl<W: Write> Write for Limited<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        let left = self.left.checked_sub(written as u64);
        self.left = left.ok_or_else(|| {
            let why = format!("it takes more than {PACKED_MAX} bytes, compressed");
            io::Error::new(ErrorKind::FileTooLarge, why)
        })?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::super::copy::copy;
    use super::*;
    use std::fs;
    use std::io::Cursor;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn a_folder_comes_out_as_it_was() {
        let (from, to, again) = (
            tempfile::tempdir().unwrap(),
            tempfile::tempdir().unwrap(),
            tempfile::tempdir().unwrap(),
        );
        let deep = "a-long-name-of-a-folder/".repeat(12);
        fs::create_dir_all(from.path().join(&deep)).unwrap();
        fs::write(from.path().join(&deep).join("run"), "#!/bin/sh\n").unwrap();
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(from.path().join(&deep).join("run"), mode).unwrap();
        symlink(format!("{deep}run"), from.path().join("go")).unwrap();
        fs::create_dir(from.path().join("empty")).unwrap();
        fs::write(from.path().join("data"), [7; 100_000]).unwrap();
        let copied = copy(from.path(), again.path()).unwrap();
        let mut packed = Vec::new();
        pack(from.path(), &mut packed).unwrap();
        unpack(Cursor::new(&packed), to.path()).unwrap();
        let other = tempfile::tempdir().unwrap();
        assert_eq!(copy(to.path(), other.path()).unwrap(), copied);
        // Cut off, it is no archive.
        let to = tempfile::tempdir().unwrap();
        let half = &packed[..packed.len() / 2];
        assert!(unpack(Cursor::new(half), to.path()).is_err());
    }

    #[test]
    fn an_archive_writes_nowhere_else() {
        let machine = tempfile::tempdir().unwrap();
        let to = machine.path().join("bot");
        for (kind, name, link, expected) in [
            (
                tar::EntryType::Regular,
                "../out",
                "",
                "names \"../out\", which is outside",
            ),
            (
                tar::EntryType::Link,
                "own",
                "../secret",
                "outside of destination path",
            ),
        ] {
            fs::create_dir_all(&to).unwrap();
            fs::write(machine.path().join("secret"), "").unwrap();
            let mut archive = tar::Builder::new(Vec::new());
            let mut header = tar::Header::new_gnu();
            // The library's own setter refuses such names.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
            header.set_entry_type(kind);
            header.set_size(0);
            header.set_cksum();
            archive.append(&header, io::empty()).unwrap();
            let packed = zstd::encode_all(&*archive.into_inner().unwrap(), 0).unwrap();
            let why = unpack(Cursor::new(packed), &to).unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
            assert!(!machine.path().join("out").exists());
            fs::remove_dir_all(&to).unwrap();
        }
    }

    #[test]
    fn a_small_archive_unpacks_to_nothing_large() {
        let to = tempfile::tempdir().unwrap();
        let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), 0).unwrap());
        for _ in 0..=3 * FILES_MAX + 1 {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(tar::EntryType::Directory);
            header.set_size(0);
            archive.append_data(&mut header, "d", io::empty()).unwrap();
        }
        let packed = archive.into_inner().unwrap().finish().unwrap();
        let why = unpack(Cursor::new(packed), to.path()).unwrap_err();
        assert_eq!(why.kind(), ErrorKind::FileTooLarge);
        let mut limited = Limited {
            to: io::sink(),
            left: 10,
        };
        assert!(limited.write_all(&[0; 10]).is_ok());
        assert!(limited.write_all(&[0]).is_err());
    }
}
