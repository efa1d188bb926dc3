//! A user's program on a seat of our own tables: it decides in the place of a bot's dialogue, whose own bot is its
//! fallback. Its process, its notes, and to whom its behaviour is reported.

use super::seat_link::SeatRecord;
use crate::programs::{Account, Bots, Conduct, Driver, Launch, Leaving, Opening};
use crate::store::{Note, Storage};
use games::neutral::PREFIX;
use games::seat::{ProgramPart, Taken};
use games::{DialogueSetup, Ending, Kit};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// How users' programs play on seats of our own tables.
#[derive(Clone, Debug, Default)]
pub struct SeatPrograms {
    /// Where they are found, and how they are run.
    pub bots: Bots,
    /// How long one of their decisions may take at most; `None`: as long as the wire allows.
    pub within: Option<Duration>,
    /// To whom the outcome of each is reported.
    pub on_end: Option<OnEnd>,
    /// Whether what they note is kept where their matches are stored, and given to them in later ones.
    pub notes: bool,
    /// Where that is for an arbiter's matches, which are stored when they have ended.
    pub notebook: Option<Notebook>,
    /// Whether results count only for those who earned them: a program that names no fallback has its game's plainest player.
    pub ranked: bool,
}

/// Keeps notes of users' programs.
#[derive(Clone)]
pub struct Notebook {
    /// Where.
    pub store: Arc<dyn Storage>,
}

impl fmt::Debug for Notebook {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Notebook")
    }
}

/// Receives the outcome of a program, once it has ended, on a thread that may block.
#[derive(Clone)]
pub struct OnEnd(pub Arc<dyn Fn(SeatConduct) + Send + Sync>);

impl fmt::Debug for OnEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("OnEnd")
    }
}

/// The outcome of a program on a seat.
#[derive(Clone, Debug, Default)]
pub struct SeatConduct {
    /// Its spec.
    pub bot: String,
    /// Decisions that it was asked for.
    pub asked: u64,
    /// Those of them that it took; its fallback took the others.
    pub taken: u64,
    /// How it behaved.
    pub conduct: Conduct,
}

/// What a seat's program left behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Left {
    /// The end of its standard error; may be empty.
    pub stderr: String,
    /// How a user's bot behaved.
    pub conduct: Option<Conduct>,
    /// Who took each of its decisions, in their order.
    pub taken: Vec<Taken>,
    /// Whether it once let its time pass without an answer.
    pub late: bool,
    /// Answers over HTTP that counted as none, if there were any.
    pub discarded: Option<Discarded>,
}

/// Answers that counted as none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discarded {
    /// The first of them, as a sentence.
    pub first: String,
    /// Whether all were that the match waited for.
    pub all: bool,
}

impl From<&Account> for Left {
    /// Of a user's bot that has ended.
    fn from(account: &Account) -> Self {
        let conduct = account.conduct();
        let stderr = conduct.as_ref().map(|conduct| conduct.stderr.clone());
        Self {
            stderr: stderr.unwrap_or_default(),
            conduct,
            taken: account.taken(),
            ..Self::default()
        }
    }
}

/// A program that has a seat.
pub(super) struct SeatProgram {
    kit: &'static dyn Kit,
    pub(super) driver: Driver,
    leaving: Option<Leaving>,
    on_end: Option<OnEnd>,
    notes: bool,
    notebook: Option<Notebook>,
}

impl SeatProgram {
    /// This program, which is not started yet; and its part in the seat.
    pub(super) fn new(
        kit: &'static dyn Kit,
        launch: &Arc<Launch>,
        setup: &mut DialogueSetup,
        programs: &SeatPrograms,
    ) -> (Self, ProgramPart) {
        let spec = format!("{PREFIX}{}@{}", launch.name, launch.version);
        setup.bot.clone_from(&spec);
        setup.fallback = launch.fallback_in(kit, programs.ranked).to_owned();
        let mut driver = Driver::new(programs.bots.clone(), spec, Some(Arc::clone(launch)));
        let mut part = driver.part(programs.within);
        setup.post = Some(part.attend());
        *driver.opening() = Some(Opening::new(kit, "", false, Value::Null, setup));
        let program = Self {
            kit,
            driver,
            leaving: None,
            on_end: programs.on_end.clone(),
            notes: programs.notes,
            notebook: programs.notebook.clone().filter(|_| programs.notes),
        };
        (program, part)
    }

    /// Gives it, before it is started, the note that its match begins with: this session's, or the last one.
    pub(super) async fn recall(&mut self, session: Option<&SeatRecord>) {
        let Some(opening) = self.driver.opening() else {
            return;
        };
        let (game, began) = (opening.game, opening.start.again);
        let note = match (session.filter(|_| self.notes), &self.notebook) {
            (Some((store, session)), _) => {
                self.driver.recall(game, began, &**store, *session).await
            }
            (None, Some(notebook)) => {
                let name = self.driver.name();
                match notebook.store.note(name, game).await {
                    Ok(note) => note.unwrap_or_default(),
                    Err(error) => {
                        tracing::warn!(bot = name, %error, "a program's note could not be read");
                        return;
                    }
                }
            }
            (None, None) => return,
        };
        if let Some(opening) = self.driver.opening() {
            opening.start.note = note;
        }
    }

    /// Whether what it notes is kept.
    pub(super) const fn keeps_notes(&self) -> bool {
        self.notes
    }

    /// The match's id in history, before it begins.
    pub(super) fn begins(&mut self, match_id: &str) {
        if let Some(opening) = self.driver.opening() {
            match_id.clone_into(&mut opening.start.id);
        }
    }

    /// The match began before: the program receives all of it again.
    pub(super) fn goes_on(&mut self) {
        if let Some(opening) = self.driver.opening() {
            opening.start.again = true;
        }
    }

    /// Sends the program the rest and how the match ended, if that is known, and ends it.
    pub(super) fn dismiss(&mut self, part: Option<&mut ProgramPart>, ending: Option<Ending>) {
        if self.leaving.is_none() {
            if let Some(ending) = ending {
                self.driver.ends(&ending);
            }
            self.leaving = self.driver.leave(part);
        }
    }

    /// Waits until it has ended, once it was dismissed, and keeps how it behaved with its session, or at least what it noted.
    pub(super) async fn leave(&mut self, session: Option<&SeatRecord>) {
        let Some(leaving) = self.leaving.take() else {
            return;
        };
        let conduct = leaving.conduct().await;
        if let Some(on_end) = self.on_end.take() {
            on_end.0(self.seen(conduct.clone()));
        }
        let of = (self.driver.name(), self.kit.card().name);
        match (session, &self.notebook) {
            (Some((store, session)), _) => {
                let notes_of = self.notes.then_some(of);
                conduct.keep(&**store, *session, notes_of).await;
            }
            (None, Some(notebook)) => {
                let note = conduct.note.map(|note| Note {
                    bot: of.0.to_owned(),
                    game: of.1.to_owned(),
                    note,
                });
                let Some(note) = note else { return };
                if let Err(error) = notebook.store.keep_note(note).await {
                    tracing::warn!(%error, "what a program noted could not be stored");
                }
            }
            (None, None) => {}
        }
    }

    fn seen(&self, conduct: Conduct) -> SeatConduct {
        let part = self.driver.account().participation();
        let count = |count: Option<u32>| u64::from(count.unwrap_or_default());
        SeatConduct {
            bot: self.driver.spec().to_owned(),
            asked: count(part.decisions),
            taken: count(part.decisions) - count(part.fallback),
            conduct,
        }
    }
}

/// Where nobody waits for its end, a task does if somebody is notified.
impl Drop for SeatProgram {
    fn drop(&mut self) {
        let Some(on_end) = self.on_end.take() else {
            return;
        };
        self.dismiss(None, None);
        let (leaving, seen) = (self.leaving.take(), self.seen(Conduct::default()));
        // Without a runtime the process is ending.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let conduct = match leaving {
                    Some(leaving) => leaving.conduct().await,
                    None => Conduct::default(),
                };
                on_end.0(SeatConduct { conduct, ..seen });
            });
        }
    }
}
