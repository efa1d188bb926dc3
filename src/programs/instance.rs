//! A user's program in one match: a thread talks to it, and nobody waits for it longer than asked. A program that
//! fails is started again and sent its match once more.

use super::account::Account;
use super::bots::Bots;
use super::conduct::Conduct;
use super::launch::Launch;
use super::opening::Opening;
use super::runner::Runner;
use games::neutral::{End, Line};
use games::seat::ProgramReply;
use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Messages that may wait for the thread: while a program starts, its match goes on.
const WAITING_MAX: usize = 4_096;
/// How often a program that starts is looked at.
const LOOKED_EVERY: Duration = Duration::from_millis(10);
/// The thread's stack.
const STACK: usize = 512 << 10;

/// What the thread is asked for.
pub(super) enum Message {
    Lines(Vec<Line>),
    Ask(u64, Instant, Box<dyn FnOnce(ProgramReply) + Send>),
    Refuse(u64, String),
    End(Option<End>, oneshot::Sender<Conduct>),
    /// Its turn to start has come.
    Turn,
}

/// A program in a match. If it is dropped, the program ends.
pub struct Instance {
    messages: Arc<SyncSender<Message>>,
    noted: Arc<Mutex<Option<Value>>>,
}

impl Instance {
    /// Starts a program. That it cannot be started shows when it is asked.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub fn start(bots: &Bots, launch: Arc<Launch>, opening: Opening) -> std::io::Result<Self> {
        let (messages, inbox) = sync_channel(WAITING_MAX);
        let (bots, messages) = (bots.clone(), Arc::new(messages));
        let thread = Arc::downgrade(&messages);
        // Where too much waits to be sent, what comes next starts it.
        let wake = move || {
            drop(
                thread
                    .upgrade()
                    .map(|thread| thread.try_send(Message::Turn)),
            )
        };
        let noted = Arc::default();
        let notes = Arc::clone(&noted);
        let work = move || {
            let mut runner = Runner::new(&bots, launch, opening, wake);
            runner.noted = notes;
            run(runner, &inbox);
        };
        std::thread::Builder::new()
            .name("bot".to_owned())
            .stack_size(STACK)
            .spawn(work)?;
        Ok(Self { messages, noted })
    }

    /// What it has noted last, once.
    #[must_use]
    pub fn noted(&self) -> Option<Value> {
        self.noted.lock().take()
    }

    /// Sends it more of its match. Nothing may be left out: if it cannot be sent, the program is not asked any more.
    #[must_use]
    pub fn send_lines(&self, lines: Vec<Line>) -> bool {
        lines.is_empty() || self.send(Message::Lines(lines))
    }

    /// Waits for its answer to the decision with this number, which it was sent, but no longer than to the deadline.
    pub async fn ask(&self, number: u64, deadline: Instant) -> ProgramReply {
        let (reply, replied) = oneshot::channel();
        // The caller may no longer wait.
        let reply = Box::new(|said| drop(reply.send(said)));
        if !self.send(Message::Ask(number, deadline, reply)) {
            return ProgramReply::Gone;
        }
        match tokio::time::timeout_at(deadline.into(), replied).await {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) => ProgramReply::Gone,
            Err(_) => ProgramReply::Late,
        }
    }

    /// Notifies it that its answer was not taken.
    pub fn refuse(&self, number: u64, why: String) {
        // A program that cannot be sent messages is not asked again either.
        let _ = self.send(Message::Refuse(number, why));
    }

    /// Reports to it how the match ended, waits a moment for a last note, and ends it.
    pub fn end(self, end: Option<End>, account: Account) -> Leaving {
        let (reply, replied) = oneshot::channel();
        let _ = self.send(Message::End(end, reply));
        let conduct = Some(replied);
        Leaving { conduct, account }
    }

    fn send(&self, message: Message) -> bool {
        match self.messages.try_send(message) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }
}

/// A program that ends.
#[must_use = "its conduct is not known otherwise"]
pub struct Leaving {
    conduct: Option<oneshot::Receiver<Conduct>>,
    account: Account,
}

impl Leaving {
    /// One that never ran, though it was asked.
    pub(super) const fn unstarted(account: Account) -> Self {
        let conduct = None;
        Self { conduct, account }
    }

    /// How it behaved, once it has ended.
    pub async fn conduct(self) -> Conduct {
        let conduct = match self.conduct {
            Some(conduct) => conduct.await.unwrap_or_default(),
            None => Conduct::default(),
        };
        self.account.ended(conduct)
    }
}

/// Starts a program, waits until it is ready, at most `within`, and ends it. Returns why it cannot play, as a sentence;
/// that it is slow is no such reason. Blocks.
#[must_use]
pub fn try_out(
    bots: &Bots,
    launch: Arc<Launch>,
    opening: Opening,
    within: Duration,
) -> Option<String> {
    Runner::new(bots, launch, opening, || ()).try_out(Instant::now() + within)
}

fn run(mut runner: Runner, inbox: &Receiver<Message>) {
    while let Some(message) = next(&mut runner, inbox) {
        match message {
            Message::Turn => runner.look(),
            Message::Lines(lines) => runner.send_lines(lines),
            Message::Ask(number, deadline, reply) => reply(runner.ask(number, deadline)),
            Message::Refuse(number, why) => runner.refuse(Some(number), why),
            Message::End(end, reply) => {
                drop(reply.send(runner.end(end)));
                return;
            }
        }
    }
    let _ = runner.end(None);
}

/// What the thread is asked for next. Meanwhile it learns when a program that starts is ready: others wait for that.
fn next(runner: &mut Runner, inbox: &Receiver<Message>) -> Option<Message> {
    while runner.is_starting() {
        match inbox.recv_timeout(LOOKED_EVERY) {
            Ok(message) => return Some(message),
            Err(RecvTimeoutError::Timeout) => runner.look(),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    inbox.recv().ok()
}
