//! What a shim has answered by itself, kept beside the daemon's socket until the daemon has it. Locked
//! while its shim lives.

use crate::link::relay::{Bye, Heard, Hello, Request, line};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// How journals' file names end.
pub const JOURNAL_EXTENSION: &str = "journal";
/// Largest journal that is read, in bytes.
const JOURNAL_MAX: u64 = 256 << 20;

/// Whose a journal is: the shim's user's, and the group's where the folder is a group's (set-group-id),
/// since the daemon reads it.
const ALONE: u32 = 0o600;
const SHARED: u32 = 0o640;
const SET_GROUP: u32 = 0o2000;

/// A journal that is being written.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    synced: bool,
    /// Bytes of whole lines in it.
    length: u64,
    /// Lines that could not be written yet.
    unwritten: String,
}

impl Journal {
    /// Begins the journal of a session in this directory.
    pub(super) fn begin(directory: &Path, hello: &Hello, synced: bool) -> io::Result<Self> {
        let path = path_of(directory, hello);
        let shared = fs::metadata(directory)?.mode() & SET_GROUP != 0;
        let mode = if shared { SHARED } else { ALONE };
        let file = loop {
            let mut open = OpenOptions::new();
            let file = open.create(true).append(true).mode(mode).open(&path)?;
            file.lock()?;
            // The daemon may have taken it over and removed it just before it was locked.
            if file.metadata()?.nlink() > 0 {
                break file;
            }
        };
        let length = file.metadata()?.len();
        let mut journal = Self {
            path,
            file,
            synced,
            length,
            unwritten: String::new(),
        };
        if length == 0
            && let Err(error) = journal.write(&Request::Hello(hello.clone()))
        {
            // Unlocked it would be taken for an orphan's.
            let _ = fs::remove_file(&journal.path);
            return Err(error);
        }
        Ok(journal)
    }

    /// Adds what was said; it is kept when this returns. What could not be kept before goes first.
    pub(super) fn write(&mut self, request: &Request) -> io::Result<()> {
        self.write_all(std::slice::from_ref(request))
    }

    /// The same for several.
    pub(super) fn write_all(&mut self, requests: &[Request]) -> io::Result<()> {
        self.unwritten.extend(requests.iter().map(line));
        let written = self.file.write_all(self.unwritten.as_bytes());
        if let Err(error) = written {
            // Not half a line.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += self.unwritten.len() as u64;
        self.unwritten.clear();
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

/// Where the journal of this session is, or would be.
pub(super) fn path_of(directory: &Path, hello: &Hello) -> PathBuf {
    let Hello {
        game, market, id, ..
    } = hello;
    directory.join(format!("shim-{game}-{market}-{id}.{JOURNAL_EXTENSION}"))
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
    pub bye: Option<Bye>,
    /// The journal, locked.
    pub file: File,
}

/// Why a journal cannot be read.
#[derive(Debug)]
pub enum JournalError {
    /// What the system says: it may do another time.
    System(io::Error),
    /// It is no journal, in a sentence; locked.
    Broken(String, File),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Reads a journal; `None` while its shim lives, once it has been removed, or if nothing is in it yet.
///
/// # Errors
/// [`JournalError`].
pub fn read_journal(path: &Path) -> Result<Option<Told>, JournalError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    if file.try_lock().is_err() || file.metadata()?.nlink() == 0 {
        return Ok(None);
    }
    if file.metadata()?.len() > JOURNAL_MAX {
        let why = format!("it is larger than {JOURNAL_MAX} bytes");
        return Err(JournalError::Broken(why, file));
    }
    let mut text = Vec::new();
    (&file).take(JOURNAL_MAX).read_to_end(&mut text)?;
    // A line that was cut is not one.
    let Some(whole) = text.iter().rposition(|byte| *byte == b'\n') else {
        return Ok(None);
    };
    let lines = text
        .get(..whole)
        .unwrap_or_default()
        .split(|byte| *byte == b'\n');
    let mut requests = lines.map(serde_json::from_slice::<Request>);
    let Some(Ok(Request::Hello(hello))) = requests.next() else {
        return Err(JournalError::Broken("it has no head".to_owned(), file));
    };
    let mut told = Told {
        hello,
        heard: Vec::new(),
        bye: None,
        file,
    };
    // What follows a line that is none cannot be told in order.
    for request in requests.map_while(Result::ok) {
        match request {
            Request::Heard(heard) => told.heard.push(heard),
            Request::Bye(bye) => told.bye = Some(bye),
            Request::Hello(_) => {}
        }
    }
    Ok(Some(told))
}
