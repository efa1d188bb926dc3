//! What a shim has answered by itself, kept beside the daemon's socket until the daemon has it. Locked
//! while its shim lives.

use crate::link::relay::{Heard, Hello, Request, line};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
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
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        file.lock()?;
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

/// A journal whose shim has gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Whose messages these are.
    pub hello: Hello,
    /// The messages with their answers, in order.
    pub heard: Vec<Heard>,
    /// What the shim said at last, if it had the time.
    pub bye: Option<String>,
}

/// Reads a journal; `None` while its shim lives, or if it has no head.
///
/// # Errors
/// What the system says.
pub fn read_journal(path: &Path) -> io::Result<Option<Told>> {
    let file = File::open(path)?;
    if file.try_lock_shared().is_err() {
        return Ok(None);
    }
    let mut text = String::new();
    (&file).take(JOURNAL_MAX).read_to_string(&mut text)?;
    // A line that was cut is not one.
    let mut requests = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map_while(|line| serde_json::from_str::<Request>(line).ok());
    let Some(Request::Hello(hello)) = requests.next() else {
        return Ok(None);
    };
    let mut told = Told {
        hello,
        heard: Vec::new(),
        bye: None,
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
