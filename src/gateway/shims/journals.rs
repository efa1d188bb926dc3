//! Journals of shims that have gone: what they sent is folded into their sessions.

use super::relayed::{leave, number, session_key};
use crate::link::relay::Bye;
use crate::session::{Refusal, Sessions};
use crate::shim::{JOURNAL_EXTENSION, JournalError, Journaled, folder_of, read_journal};
use crate::simulated;
use futures_util::{StreamExt as _, stream};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinError;
use tokio::time::Instant;

/// The name for a journal that cannot be folded in.
const REFUSED_EXTENSION: &str = "refused";
/// The most journals examined in one round.
const JOURNALS_MAX: usize = 1_000;
/// Journals that are folded at once: they share commits.
const AT_ONCE_MAX: usize = 16;
/// Bytes of journals that are in memory at once: one more than that is folded by itself.
const BYTES_AT_ONCE_MAX: u32 = 64 << 20;

/// Looks for journals next to the socket periodically, forever.
pub async fn collect(socket: PathBuf, sessions: Sessions, every: Duration) {
    let mut ticks = tokio::time::interval(every);
    let room = Semaphore::new(BYTES_AT_ONCE_MAX as usize);
    loop {
        ticks.tick().await;
        let journals = stream::iter(journals(folder_of(&socket)));
        let folding = journals.for_each_concurrent(AT_ONCE_MAX, async |path| {
            let bytes = std::fs::metadata(&path).map_or(0, |about| about.len());
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(BYTES_AT_ONCE_MAX);
            // It is never closed.
            let _room = room.acquire_many(bytes).await;
            if let Err(why) = fold(&path, &sessions).await {
                tracing::warn!(journal = %path.display(), %why, "a shim's journal cannot be taken over");
            }
        });
        folding.await;
    }
}

fn journals(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let files = files
        .flatten()
        .filter(|file| file.file_type().is_ok_and(|kind| kind.is_file()));
    let paths = files.map(|file| file.path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == JOURNAL_EXTENSION))
        .take(JOURNALS_MAX)
        .collect()
}

/// Why a journal stays.
#[derive(Debug, thiserror::Error)]
enum FoldError {
    #[error(transparent)]
    Task(#[from] JoinError),
    #[error(transparent)]
    System(#[from] io::Error),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{0}")]
    Broken(String),
}

async fn fold(path: &Path, sessions: &Sessions) -> Result<(), FoldError> {
    let file = path.to_owned();
    let read = simulated::apart(move || read_journal(&file)).await;
    // Kept locked until the end, so that no other process starts writing to it meanwhile.
    let (_journal, fault) = match read? {
        // Its shim lives, or has handed everything over meanwhile.
        Ok(None) => return Ok(()),
        Ok(Some(journaled)) => take_over(journaled, sessions).await,
        Err(JournalError::Broken(why, file)) => (file, Some(Fault::Never(why))),
        Err(JournalError::System(why)) => return Err(why.into()),
    };
    match fault {
        None => Ok(std::fs::remove_file(path)?),
        // It will be examined again.
        Some(Fault::Later(refusal)) => Err(refusal.into()),
        Some(Fault::Never(why)) => {
            std::fs::rename(path, path.with_extension(REFUSED_EXTENSION))?;
            Err(FoldError::Broken(why))
        }
    }
}

enum Fault {
    Later(Refusal),
    Never(String),
}

async fn take_over(journaled: Journaled, sessions: &Sessions) -> (File, Option<Fault>) {
    let Journaled {
        hello,
        messages,
        bye,
        file,
    } = journaled;
    let key = match session_key(&hello) {
        Ok(key) => key,
        Err(why) => return (file, Some(Fault::Never(why.to_string()))),
    };
    let count = messages.len();
    let mut fault = None;
    for message in messages {
        match number(sessions, key.clone(), message, Instant::now()).await {
            Ok(_) => {}
            Err(refusal @ (Refusal::Gap(_) | Refusal::Over)) => {
                fault = Some(Fault::Never(refusal.to_string()));
                break;
            }
            Err(refusal) => return (file, Some(Fault::Later(refusal))),
        }
    }
    let gone = || Bye {
        n: None,
        why: "the shim has gone".to_owned(),
        hung_up: false,
    };
    // The journal has it as long as the store has not.
    if let Err(refusal) = leave(sessions, &key, bye.unwrap_or_else(gone)).await {
        return (file, Some(Fault::Later(refusal)));
    }
    tracing::info!(
        game = hello.game,
        bot = hello.bot,
        messages = count,
        "what a shim played by itself is taken over"
    );
    (file, fault)
}
