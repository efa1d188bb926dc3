//! The answers that a shim gave on its own, kept next to the daemon's socket until the daemon has them. Locked
//! while its shim is alive.

use crate::link::relay::{Bye, Hello, NumberedMessage, Request, line};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::Builder;

/// The extension of journals' file names.
pub const JOURNAL_EXTENSION: &str = "journal";
/// The largest journal read, in bytes.
const JOURNAL_MAX: u64 = 256 << 20;

/// The stack of the thread that syncs.
const STACK: usize = 64 << 10;

/// Who may access a journal: the shim's user, and the group if the folder belongs to a group (set-group-id),
/// since the daemon reads it.
const ALONE: u32 = 0o600;
const SHARED: u32 = 0o640;
const SET_GROUP: u32 = 0o2000;

/// A journal that is being written.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Has what was written synced, on a thread of its own; `None`: only at the end, if anything must be.
    syncing: Option<SyncSender<()>>,
    synced: bool,
    /// Bytes of complete lines in it.
    length: u64,
    /// Lines that could not be written yet.
    unwritten: String,
}

impl Journal {
    /// Begins a session's journal in this directory.
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
            syncing: if synced { syncing(&file) } else { None },
            file,
            synced,
            length,
            unwritten: String::new(),
        };
        if length == 0
            && let Err(error) = journal.write(&Request::Hello(hello.clone()))
        {
            // Unlocked, it would be taken for an orphan's.
            let _ = fs::remove_file(&journal.path);
            return Err(error);
        }
        Ok(journal)
    }

    /// Adds a request: it survives this process when this returns, and soon a power cut, for which no game's clock
    /// waits. What could not be stored before goes first.
    pub(super) fn write(&mut self, request: &Request) -> io::Result<()> {
        self.write_all(std::slice::from_ref(request))
    }

    /// The same for several.
    pub(super) fn write_all(&mut self, requests: &[Request]) -> io::Result<()> {
        self.unwritten.extend(requests.iter().map(line));
        let written = self.file.write_all(self.unwritten.as_bytes());
        if let Err(error) = written {
            // No partial line may remain.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += self.unwritten.len() as u64;
        self.unwritten.clear();
        if let Some(syncing) = &self.syncing {
            // If one is wanted already, it is still to begin.
            let _ = syncing.try_send(());
        }
        Ok(())
    }

    /// Has everything in it survive a power cut, if anything must.
    pub(super) fn sync(&self) -> io::Result<()> {
        match self.synced {
            true => self.file.sync_data(),
            false => Ok(()),
        }
    }

    /// Removes the journal: the daemon has everything in it.
    pub(super) fn remove(self) {
        // If it remains, it is delivered again, and nothing in it is processed twice.
        let _ = fs::remove_file(&self.path);
    }
}

/// A thread that syncs this file on request; `None`: there can be none.
fn syncing(file: &File) -> Option<SyncSender<()>> {
    let file = file.try_clone().ok()?;
    let (sender, wanted) = sync_channel(1);
    let sync = move || {
        for () in wanted {
            // If this fails, so will the last one, which is reported.
            let _ = file.sync_data();
        }
    };
    let thread = Builder::new().name("journal".to_owned()).stack_size(STACK);
    thread.spawn(sync).ok().map(|_| sender)
}

/// The path of this session's journal, existing or not.
pub(super) fn path_of(directory: &Path, hello: &Hello) -> PathBuf {
    let Hello {
        game, market, id, ..
    } = hello;
    directory.join(format!("shim-{game}-{market}-{id}.{JOURNAL_EXTENSION}"))
}

/// The folder of a socket, which also holds its journals.
#[must_use]
pub fn folder_of(socket: &Path) -> &Path {
    match socket.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// A journal whose shim is gone.
#[derive(Debug)]
pub struct Journaled {
    /// The session of these messages.
    pub hello: Hello,
    /// The messages with their answers, in order.
    pub messages: Vec<NumberedMessage>,
    /// The shim's farewell, if it had time for one.
    pub bye: Option<Bye>,
    /// The journal, locked.
    pub file: File,
}

/// Why a journal cannot be read.
#[derive(Debug)]
pub enum JournalError {
    /// A system error, which may not recur.
    System(io::Error),
    /// Not a valid journal, and why, as a sentence; locked.
    Broken(String, File),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Reads a journal; `None` while its shim is alive, once it has been removed, or if it is still empty.
///
/// # Errors
/// [`JournalError`].
pub fn read_journal(path: &Path) -> Result<Option<Journaled>, JournalError> {
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
    // A truncated line does not count.
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
    let mut journaled = Journaled {
        hello,
        messages: Vec::new(),
        bye: None,
        file,
    };
    // What follows an invalid line cannot be placed in order.
    for request in requests.map_while(Result::ok) {
        match request {
            Request::Message(message) => journaled.messages.push(message),
            Request::Bye(bye) => journaled.bye = Some(bye),
            Request::Hello(_) => {}
        }
    }
    Ok(Some(journaled))
}
