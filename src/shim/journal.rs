//! What a shim has answered by itself, kept beside the daemon's socket until the daemon has it. Locked
//! while its shim lives.

use crate::link::relay::{Heard, Hello, Request, line};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// How journals' file names end.
pub const JOURNAL_EXTENSION: &str = "journal";
/// Largest journal that is read, in bytes.
const JOURNAL_MAX: u64 = 256 << 20;

/// A journal that is being written.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    synced: bool,
}

impl Journal {
    /// Begins the journal of a session in this directory.
    pub(super) fn begin(directory: &Path, hello: &Hello, synced: bool) -> io::Result<Self> {
        let Hello {
            game, market, id, ..
        } = hello;
        let path = directory.join(format!("shim-{game}-{market}-{id}.{JOURNAL_EXTENSION}"));
        let file = loop {
            let mut open = OpenOptions::new();
            let file = open.create(true).append(true).mode(0o600).open(&path)?;
            file.lock()?;
            // The daemon may have taken it over and removed it just before it was locked.
            if file.metadata()?.nlink() > 0 {
                break file;
            }
        };
        let mut journal = Self { path, file, synced };
        if journal.file.metadata()?.len() == 0 {
            journal.write(&Request::Hello(hello.clone()))?;
        }
        Ok(journal)
    }

    /// Adds what was said; it is kept when this returns.
    pub(super) fn write(&mut self, request: &Request) -> io::Result<()> {
        self.file.write_all(line(request).as_bytes())?;
        if self.synced {
            self.file.sync_data()
        } else {
            Ok(())
        }
    }

    /// The daemon has it all.
    pub(super) fn remove(self) {
        // One that stays is delivered again, and nothing of it is heard twice.
        let _ = fs::remove_file(&self.path);
    }
}

/// The folder of a socket, in which its journals are.
#[must_use]
pub fn folder_of(socket: &Path) -> &Path {
    match socket.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A journal whose shim has gone.
#[derive(Debug)]
pub struct Told {
    /// Whose messages these are.
    pub hello: Hello,
    /// The messages with their answers, in order.
    pub heard: Vec<Heard>,
    /// What the shim said at last, if it had the time.
    pub bye: Option<String>,
    /// The journal, locked.
    pub file: File,
}

/// Reads a journal; `None` while its shim lives, or once it has been removed.
///
/// # Errors
/// What the system says, or that the file is no journal.
pub fn read_journal(path: &Path) -> io::Result<Option<Told>> {
    let broken = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    if file.try_lock().is_err() || file.metadata()?.nlink() == 0 {
        return Ok(None);
    }
    if file.metadata()?.len() > JOURNAL_MAX {
        return Err(broken(format!("it is larger than {JOURNAL_MAX} bytes")));
    }
    let mut text = Vec::new();
    (&file).take(JOURNAL_MAX).read_to_end(&mut text)?;
    // A line that was cut is not one.
    let whole = text.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let mut requests = Vec::new();
    for (number, line) in (1..).zip(
        text.get(..whole)
            .unwrap_or_default()
            .split(|byte| *byte == b'\n'),
    ) {
        let read = serde_json::from_slice::<Request>(line);
        requests.push(read.map_err(|why| broken(format!("line {number}: {why}")))?);
    }
    let mut requests = requests.into_iter();
    let Some(Request::Hello(hello)) = requests.next() else {
        return Err(broken("it has no head".to_owned()));
    };
    let mut told = Told {
        hello,
        heard: Vec::new(),
        bye: None,
        file,
    };
    for request in requests {
        match request {
            Request::Heard(heard) => told.heard.push(heard),
            Request::Bye(why) => told.bye = Some(why),
            Request::Hello(_) => {}
        }
    }
    Ok(Some(told))
}
