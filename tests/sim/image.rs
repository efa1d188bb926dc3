//! What is on the model's disk: a fold over the operations that were written.

use drover::store::{
    Append, Direction, Entry, EntryId, LiveSession, MatchResult, MatchRow, NewSession, Note,
    Secrecy, SessionId, SessionRow, StoreError,
};
use games::{Cause, Fact};
use serde_json::Value;
use std::collections::BTreeMap;

/// A change of what is stored.
pub enum Op {
    Append(Append),
    Open {
        row: MatchRow,
        players: Vec<u64>,
        sessions: Vec<(SessionId, NewSession)>,
    },
    Close(String, MatchResult),
    Name(String, u8, Option<String>),
    Void(Vec<i64>),
    Note(Note),
    Given(SessionId, Value),
    Nothing,
}

/// What came of it.
pub enum Done {
    Appended(Option<EntryId>),
    Other,
}

/// A session.
#[derive(Clone)]
pub struct Kept {
    pub opened: NewSession,
    pub opened_us: i64,
    pub entries: Vec<Entry>,
    pub facts: Vec<Fact>,
    /// When and why it ended, and the scores.
    pub ended: Option<(i64, Cause, Vec<i64>)>,
    /// The shares of the win that it received where it received no scores.
    pub wins: Vec<f64>,
}

impl Kept {
    pub fn head(&self) -> Option<(EntryId, u64)> {
        let last = self.entries.last()?;
        Some((last.id, self.entries.len() as u64))
    }
}

/// All that is stored.
#[derive(Clone, Default)]
pub struct Image {
    pub sessions: BTreeMap<i64, Kept>,
    /// With the players' numbers.
    pub matches: BTreeMap<String, (MatchRow, Vec<u64>)>,
    pub notes: BTreeMap<(String, String), Value>,
    pub given: BTreeMap<i64, Value>,
    last_entry: i64,
}

impl Image {
    pub fn last_session(&self) -> i64 {
        self.sessions.keys().last().copied().unwrap_or(0)
    }

    pub fn session(&self, id: SessionId) -> Option<&Kept> {
        self.sessions.get(&id.0)
    }

    pub fn ours<'a>(
        &'a self,
        game: &'a str,
    ) -> impl DoubleEndedIterator<Item = &'a (MatchRow, Vec<u64>)> {
        let all = self.matches.values();
        all.filter(move |(row, _)| row.ours && row.game == game)
    }

    pub fn live(&self) -> Vec<LiveSession> {
        let live = self
            .sessions
            .iter()
            .filter(|(_, kept)| kept.ended.is_none());
        let live = live.map(|(id, kept)| LiveSession {
            id: SessionId(*id),
            opened: kept.opened.clone(),
            head: kept.head().map(|(last, _)| last),
            seq: kept.entries.len() as u64,
            last_us: kept
                .entries
                .iter()
                .map(|entry| entry.at_us)
                .max()
                .unwrap_or(kept.opened_us),
        });
        live.collect()
    }

    pub fn rows(&self, of: impl Fn(&Kept) -> bool) -> Vec<SessionRow> {
        let found = self.sessions.iter().filter(|(_, kept)| of(kept));
        found.map(|(id, kept)| row(*id, kept)).collect()
    }

    pub fn transcript(&self, id: SessionId, head: EntryId) -> Result<Vec<Entry>, StoreError> {
        let entries = self.session(id).map_or(&[][..], |kept| &kept.entries);
        match entries.iter().position(|entry| entry.id == head) {
            Some(end) => Ok(entries[..=end].to_vec()),
            None => Err(StoreError::Corrupt(format!(
                "no entry {} in {}",
                head.0, id.0
            ))),
        }
    }

    /// Makes a change, or refuses it as the writer does.
    pub fn apply(&mut self, op: &Op) -> Result<Done, StoreError> {
        match op {
            Op::Append(append) => return self.append(append).map(Done::Appended),
            Op::Open {
                row,
                players,
                sessions,
            } => {
                self.open_match(row, players);
                for (id, opened) in sessions {
                    self.open_session(id.0, opened, row.started_us);
                }
            }
            Op::Close(id, result) => self.close(id, result)?,
            Op::Name(id, seat, name) => {
                let found = self.matches.get_mut(id);
                let mut seats = found.into_iter().flat_map(|(row, _)| &mut row.seats);
                if let Some(row) = seats.find(|row| row.seat == *seat) {
                    row.name.clone_from(name);
                }
            }
            Op::Void(sessions) => {
                for id in sessions {
                    let of = self
                        .sessions
                        .get(id)
                        .map(|kept| kept.opened.match_id.clone());
                    if let Some(of) = of {
                        self.void(&of);
                    }
                }
            }
            Op::Note(note) => {
                let key = (note.bot.clone(), note.game.clone());
                self.notes.insert(key, note.note.clone());
            }
            Op::Given(session, note) => {
                self.given.insert(session.0, note.clone());
            }
            Op::Nothing => {}
        }
        Ok(Done::Other)
    }

    fn void(&mut self, match_id: &str) {
        let merely_begun = |kept: &Kept| {
            let cause = kept.ended.as_ref().map(|(_, cause, _)| *cause);
            cause == Some(Cause::Unterminated) && kept.entries.len() <= 2
        };
        let mut here = self.sessions.values();
        if here.all(|kept| kept.opened.match_id != match_id || merely_begun(kept)) {
            self.sessions
                .retain(|_, kept| kept.opened.match_id != match_id);
            self.matches.remove(match_id);
        }
    }

    fn open_match(&mut self, row: &MatchRow, players: &[u64]) {
        let new = || (row.clone(), players.to_vec());
        self.matches.entry(row.id.clone()).or_insert_with(new);
    }

    fn open_session(&mut self, id: i64, opened: &NewSession, opened_us: i64) {
        let kept = Kept {
            opened: opened.clone(),
            opened_us,
            entries: Vec::new(),
            facts: Vec::new(),
            ended: None,
            wins: Vec::new(),
        };
        self.sessions.insert(id, kept);
    }

    fn append(&mut self, append: &Append) -> Result<Option<EntryId>, StoreError> {
        let id = append.session.0;
        let wrong = |why: &str| StoreError::OutOfOrder {
            session: id,
            why: why.to_owned(),
        };
        if let Some(opened) = append.open.as_deref() {
            if self.sessions.contains_key(&id) || append.previous.is_some() || append.seq != 0 {
                return Err(wrong("it was opened before"));
            }
            if let Some(row) = append.match_.as_deref() {
                self.open_match(row, &[]);
            }
            let first_us = append.entries.first().map_or(0, |entry| entry.at_us);
            self.open_session(id, opened, first_us);
        }
        let Some(kept) = self.sessions.get_mut(&id) else {
            return Err(wrong("it was never opened"));
        };
        if kept.ended.is_some() {
            return Err(wrong("it has ended"));
        }
        let head = kept.entries.last().map(|entry| entry.id);
        if head != append.previous || kept.entries.len() as u64 != append.seq {
            return Err(wrong("this does not follow its last entry"));
        }
        for entry in &append.entries {
            self.last_entry += 1;
            kept.entries.push(Entry {
                id: EntryId(self.last_entry),
                seq: kept.entries.len() as u64,
                at_us: entry.at_us,
                direction: entry.direction,
                text: entry.text.clone(),
            });
        }
        kept.facts
            .extend(append.facts.iter().map(|(fact, _)| fact.clone()));
        if let Some(close) = append.close.as_deref() {
            kept.ended = Some((close.at_us, close.cause, close.scores.clone()));
            kept.wins.clone_from(&close.wins);
        }
        Ok(kept.entries.last().map(|entry| entry.id))
    }

    fn close(&mut self, id: &str, result: &MatchResult) -> Result<(), StoreError> {
        let unknown = || StoreError::Unknown {
            what: "match",
            id: id.to_owned(),
        };
        let (row, _) = self.matches.get_mut(id).ok_or_else(unknown)?;
        // The first end stands.
        if row.ended_us.is_none() {
            row.ended_us = Some(result.at_us);
            row.cause = Some(result.cause);
            row.scores.clone_from(&result.scores);
            row.detail.clone_from(&result.detail);
        }
        Ok(())
    }
}

fn row(id: i64, kept: &Kept) -> SessionRow {
    let ended = kept.ended.as_ref();
    let head = kept.head().filter(|_| ended.is_some());
    SessionRow {
        id: SessionId(id),
        opened: kept.opened.clone(),
        opened_us: kept.opened_us,
        last_entry: head.map(|(last, _)| last),
        entries: ended.map(|_| kept.entries.len() as u64),
        ended_us: ended.map(|(at_us, _, _)| *at_us),
        cause: ended.map(|(_, cause, _)| *cause),
        detail: String::new(),
        scores: ended.map_or_else(Vec::new, |(_, _, scores)| scores.clone()),
        pruned: false,
        secrecy: Secrecy {
            side: kept.opened.side,
            bot: kept.opened.bot.clone(),
            entrant: None,
            over_us: None,
        },
    }
}

/// What was answered to the entry at this place.
pub fn answer(entries: &[Entry], place: usize) -> &str {
    let next = entries.get(place + 1);
    let said = next.filter(|next| next.direction == Direction::Out);
    said.map_or("", |said| &said.text)
}
