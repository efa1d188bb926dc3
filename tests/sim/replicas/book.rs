//! What was sent, answered and done, and whether it was right.

use super::database::Tables;
use super::world::{Fault, Message, World};
use drover::cluster::{Epoch, Resource};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// A message must be answered within this.
pub const LIMIT: Duration = Duration::from_secs(5);
/// So long before that the answer must leave.
pub const MARGIN: Duration = Duration::from_millis(250);
/// What a replica that can work may need for an answer: a lease that lasts (2 s), a look, a fold, thinking and an append.
const NEEDED: Duration = Duration::from_millis(2_600);
/// After the database or a replica is back, leases begin.
const RECOVERY: Duration = Duration::from_millis(400);
/// After a suspension its lease seems to last: a replica may act until its first renewal is answered, or it ends.
const SUSPENSION: Duration = Duration::from_secs(2);

/// One call of a machine with a message.
#[derive(Clone, Copy)]
pub struct Attempt {
    pub node: usize,
    pub from: Instant,
    pub until: Option<Instant>,
}

#[derive(Default)]
pub struct Book {
    pub wrong: Vec<String>,
    pub traced: bool,
    pub digest: u64,
    pub struck: BTreeMap<Fault, u64>,
    answers: BTreeMap<Message, u64>,
    pub attempts: BTreeMap<Message, Vec<Attempt>>,
    pub unanswered: u64,
    /// Those of them during which the database was away.
    pub unanswered_away: u64,
    pub repeats: u64,
    pub forwards: u64,
    /// Appends that another's entry has refused, and of which it is not known whether they happened.
    pub fenced: u64,
    pub unknown: u64,
    /// Messages that came after later ones.
    pub stale: u64,
    /// When the database was away, with what its clock excuses.
    pub away: Vec<(Instant, Instant)>,
    actors: BTreeMap<Resource, usize>,
    acted: BTreeMap<Resource, Instant>,
    pub acts: u64,
    pub acts_excused: u64,
    /// From when a replica that could work had the message of a session whose writer could not, until its answer was
    /// stored, while the database was there.
    pub takeovers: Vec<Duration>,

    /// From when the one that ran it could not work, until another one did, likewise.
    pub takeovers_of_singletons: Vec<Duration>,
}

impl Book {
    pub fn struck(&mut self, fault: Fault) {
        *self.struck.entry(fault).or_default() += 1;
    }

    pub fn is_wrong(&mut self, why: String) {
        if self.traced {
            println!("WRONG {why}");
        }
        self.wrong.push(why);
    }

    pub fn log(&mut self, at: Duration, what: &str) {
        for byte in what.bytes().chain(at.as_micros().to_le_bytes()) {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if self.traced {
            println!("{:>9.3} {what}", at.as_secs_f64());
        }
    }

    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// An answer has come.
    pub fn answered(&mut self, message: Message, answer: u64) {
        match self.answers.insert(message, answer) {
            Some(before) if before != answer => {
                self.is_wrong(format!(
                    "{message:?} was answered {before:x} and {answer:x}"
                ));
            }
            Some(_) => self.repeats += 1,
            None => {}
        }
    }

    /// A message without an entry has come after later ones: `delayed` by a clock that stood still, or else answered
    /// and sent again in a later match.
    pub fn stale(&mut self, message: Message, delayed: bool) {
        self.stale += 1;
        if !delayed && !self.answers.contains_key(&message) {
            self.is_wrong(format!("{message:?} was handled long after its deadline"));
        }
    }

    /// Whether each of these runs somewhere, now that nothing strikes any more.
    pub fn runs(&mut self, resources: impl Iterator<Item = Resource>) {
        const WITHIN: Duration = Duration::from_secs(1);
        for resource in resources {
            let acted = self.acted.get(&resource);
            if acted.is_none_or(|at| at.elapsed() > WITHIN) {
                self.is_wrong(format!("{resource} runs nowhere"));
            }
        }
    }

    /// Whether the log holds what was answered, and everything once.
    pub fn compare(&mut self, tables: &Tables) {
        let mut stored: BTreeMap<Message, u64> = BTreeMap::new();
        let mut wrong = Vec::new();
        for of_player in tables.of_player.values() {
            let mut last = None;
            for at in of_player {
                for (seq, entry) in tables.sessions[*at].entries.iter().enumerate() {
                    if entry.seq != seq {
                        wrong.push(format!("session {at} has two entries at {}", entry.seq));
                    }
                    if last.is_some_and(|last| last > entry.message) {
                        wrong.push(format!("{:?} stands after {last:?}", entry.message));
                    }
                    last = Some(entry.message);
                    if stored.insert(entry.message, entry.answer).is_some() {
                        wrong.push(format!("{:?} is stored twice", entry.message));
                    }
                }
            }
        }
        for (message, answer) in &self.answers {
            if stored.get(message) != Some(answer) {
                let kept = stored.get(message);
                wrong.push(format!(
                    "{message:?} was answered {answer:x}, and stored is {kept:x?}"
                ));
            }
        }
        wrong.into_iter().for_each(|why| self.is_wrong(why));
    }
}

/// Whether a span meets one of these.
fn meets(spans: &[(Instant, Instant)], from: Instant, until: Instant) -> bool {
    let mut spans = spans.iter();
    spans.any(|(begin, end)| *begin < until && from < *end + RECOVERY)
}

impl World {
    /// A call is over.
    pub fn ended(&self, message: Message, at: usize) {
        if let Some(attempts) = self.book.lock().attempts.get_mut(&message) {
            attempts[at].until = Some(Instant::now());
        }
    }

    /// A message has got no answer in time: whether that is our fault.
    pub fn unanswered(&self, message: Message, sent: Instant) {
        let mut book = self.book.lock();
        book.unanswered += 1;
        let last = sent + LIMIT - MARGIN - NEEDED;
        let mut from = sent;
        while from <= last {
            if let Some(node) = self.could_answer(&book, message, from) {
                let since = from - self.began;
                book.is_wrong(format!(
                    "{message:?} was not answered, though node {node} had it and could work from {since:?} on"
                ));
                return;
            }
            from += Duration::from_millis(50);
        }
        if meets(&book.away, sent, sent + LIMIT) {
            book.unanswered_away += 1;
        }
    }

    /// The node that had the message and could work, with the database, for as long as an answer needs, while no owner of
    /// the session was struck: what strikes an owner later than that begins the wait for its lease again.
    fn could_answer(&self, book: &Book, message: Message, from: Instant) -> Option<usize> {
        let until = from + NEEDED;
        if meets(&book.away, from, until) {
            return None;
        }
        let tables = self.tables.lock();
        let history = tables.history.get(&message.resource());
        for (at, (since, node)) in history.into_iter().flatten().enumerate() {
            let next = history.and_then(|history| Some(history.get(at + 1)?.0));
            let owned = *since < until && next.is_none_or(|next| next > from);
            let unwell = &self.nodes[*node].state.lock().unwell;
            if owned
                && unwell
                    .iter()
                    .any(|(begin, _)| from <= *begin && *begin < until)
            {
                return None;
            }
        }
        let attempts = book.attempts.get(&message)?;
        let mut had = attempts.iter().filter(|attempt| {
            attempt.from <= from && attempt.until.is_none_or(|ended| ended >= until)
        });
        let well = |attempt: &&Attempt| {
            let state = self.nodes[attempt.node].state.lock();
            !meets(&state.unwell, from, until)
        };
        had.find(well).map(|attempt| attempt.node)
    }

    /// A replica refuses a message because the database is away: whether it is.
    pub fn refused(&self, message: Message, node: usize) {
        const PATIENCE: Duration = Duration::from_millis(2_500);
        let now = Instant::now();
        let from = now - PATIENCE.min(self.began.elapsed());
        let mut book = self.book.lock();
        let excused = meets(&book.away, from, now)
            || meets(&self.nodes[node].state.lock().unwell, from, now)
            || self.began.elapsed() < PATIENCE;
        if !excused {
            book.is_wrong(format!("node {node} refused {message:?} without a reason"));
        }
    }

    /// A node has stored a message of a session whose last entry another one has written.
    pub fn took_over(&self, message: Message, node: usize, before: usize) {
        if before == node || before == usize::MAX {
            return;
        }
        let since = self.nodes[before].state.lock().unwell_since();
        let mut book = self.book.lock();
        let well = |attempt: &&Attempt| {
            let state = self.nodes[attempt.node].state.lock();
            !meets(&state.unwell, attempt.from, Instant::now())
        };
        let sent = book
            .attempts
            .get(&message)
            .and_then(|all| all.iter().find(well));
        if let (Some(since), Some(sent)) = (since, sent) {
            let from = since.max(sent.from);
            if !meets(&book.away, from, Instant::now()) {
                book.takeovers.push(from.elapsed());
            }
        }
    }

    /// What runs once in the cluster has an effect.
    pub fn acts(&self, node: usize, life: &str, resource: &Resource, epoch: Epoch) {
        let rightful = self.tables.lock().owner(resource) == Some((life, epoch));
        let now = Instant::now();
        let resumed = self.nodes[node].state.lock().resumed;
        let resumed = resumed.is_some_and(|at| at.elapsed() < SUSPENSION);
        let mut book = self.book.lock();
        book.acts += 1;
        let skewed = book
            .away
            .iter()
            .any(|(from, until)| *from <= now && now < *until + RECOVERY);
        match rightful {
            true => {}
            false if resumed || skewed => return book.acts_excused += 1,
            false => book.is_wrong(format!("{resource} runs at {life} though another owns it")),
        }
        book.acted.insert(resource.clone(), now);
        let before = book.actors.insert(resource.clone(), node);
        let before = before.filter(|before| *before != node);
        let since = before.and_then(|before| self.nodes[before].state.lock().unwell_since());
        // It could have been taken over since the new one can work.
        let well = self.nodes[node].state.lock().well_since(now);
        let from = since.map(|since| well.map_or(since, |well| well.max(since)));
        if let Some(from) = from.filter(|from| !meets(&book.away, *from, now)) {
            book.takeovers_of_singletons.push(from.elapsed());
        }
    }
}
