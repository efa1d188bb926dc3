//! The conduct of a program in a match.

use crate::history;
use crate::store::types::SessionId;
use crate::store::{Note, ProgramRun, Storage};
use games::Participation;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// Faults that are reported in sentences; of more, only their number is kept.
const FAULTS_MAX: usize = 16;

/// The conduct of a program in a match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conduct {
    /// How often it was started.
    pub starts: u32,
    /// Decisions that it answered in time.
    pub answered: u64,
    /// Decisions that it did not answer in time.
    pub late: u64,
    /// Answers that were not taken.
    pub refused: u64,
    /// Answers that came after their time.
    pub stale: u64,
    /// After it was started again: earlier answers that it gave again ...
    pub repeated: u64,
    /// ... and those that it changed.
    pub changed: u64,
    /// How often it failed.
    pub failed: u64,
    /// How it failed, in sentences, the first ones.
    pub faults: Vec<String>,
    /// How it took part, and how many of its decisions its fallback took; `null` until it has ended.
    pub participation: Option<Participation>,
    /// What it noted last.
    #[serde(skip)]
    pub note: Option<Value>,
    /// The end of its standard error.
    #[serde(skip)]
    pub stderr: String,
}

impl Conduct {
    /// Stores it as that of a session's program. What it noted is kept for the program of this name, without its
    /// version, in this game; without these it is not. The match does not depend on it: a failure is logged.
    pub async fn keep(
        self,
        store: &dyn Storage,
        session: SessionId,
        notes_of: Option<(&str, &str)>,
    ) {
        let (report, participation) = (json!(self), self.participation.clone());
        let note = notes_of.zip(self.note).map(|((bot, game), note)| Note {
            bot: bot.to_owned(),
            game: game.to_owned(),
            note,
        });
        let run = ProgramRun {
            session,
            report,
            participation,
            note,
            stderr: self.stderr,
        };
        if let Err(error) = history::program_ran(store, run).await {
            let session = session.0;
            tracing::warn!(session, %error, "how a program fared could not be stored");
        }
    }

    pub(super) fn fails(&mut self, why: String) {
        self.failed += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(why);
        }
    }
}

/// What a program wrote to standard error in a match, by several processes perhaps.
#[derive(Default)]
pub(super) struct Stderr(String);

impl Stderr {
    /// Adds what one process wrote: the end of n bytes.
    pub(super) fn add(&mut self, end: &[u8], total: u64) {
        let lost = total.saturating_sub(end.len() as u64);
        if lost > 0 {
            let note = format!("[{lost} bytes before this were not kept]\n");
            self.0.push_str(&note);
        }
        self.0.push_str(&String::from_utf8_lossy(end));
    }

    /// The end of it, of n bytes at most.
    pub(super) fn end(mut self, most: usize) -> String {
        let from = self.0.len().saturating_sub(most.max(1));
        self.0.drain(..self.0.ceil_char_boundary(from));
        self.0
    }
}
