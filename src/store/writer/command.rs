//! The writer's commands.

use super::naming::SeatName;
use super::packing::Packing;
use super::programs::{NoteChange, ProgramRun};
use super::prune::Prune;
use super::reply::Reply;
use super::tokens::TokenChange;
use super::tournaments::TournamentChange;
use crate::store::sql::{Query, Row};
use crate::store::types::{
    Append, LiveSession, MatchResult, MatchRow, NewSession, Receipt, SessionId,
};
use tokio::sync::{mpsc, oneshot};

/// The maximum number of commands in one transaction.
pub(super) const BATCH_MAX: usize = 1024;
/// How often the writer lets others go first before a commit.
const GATHER_ROUNDS_MAX: usize = 4;

/// A match to be opened.
#[derive(Debug)]
pub(in crate::store) struct OpenMatch {
    pub(in crate::store) row: MatchRow,
    /// Each seat's number on the wire, if the match is to be found by it.
    pub(in crate::store) players: Vec<u64>,
    /// Sessions of it that are opened with it.
    pub(in crate::store) sessions: Vec<(SessionId, NewSession)>,
}

/// A change that is a transaction of its own.
#[derive(Debug)]
pub enum Change {
    /// Of a token of the REST interface.
    Token(TokenChange),
    /// Of a tournament.
    Tournament(TournamentChange),
    /// A user program has ended its match.
    Program(Box<ProgramRun>),
    /// A user program's note was kept, or given to it.
    Note(Box<NoteChange>),
}

#[derive(Debug)]
pub(in crate::store) enum Command {
    Append(Append, Reply<Receipt>),
    OpenMatch(Box<OpenMatch>, Reply<()>),
    CloseMatch(String, Box<MatchResult>, Reply<()>),
    NameSeat(SeatName, Reply<()>),
    /// Answered with the number of the row that was changed, if there is such a row.
    Change(Change, Reply<Option<i64>>),
    /// Moves ended sessions out of the log.
    Pack(Packing, Reply<()>),
    /// Answered with how many matches are gone.
    Prune(Prune, Reply<u64>),
    /// A game's new dictionary; answered with its number.
    Dictionary(String, Vec<u8>, Reply<i64>),
    /// Shrinks the file; answered with the bytes given back.
    GiveBack(Reply<u64>),
    /// Goes on with a live session as it is stored.
    TakeUp(Box<LiveSession>, Reply<()>),
    Close(oneshot::Sender<()>),
    /// Runs a statement that is a transaction of its own and need not be synced; answered with its rows.
    Run(Query, Reply<Vec<Row>>),
    /// Runs a statement on the writer's connection: tests use it to damage a store or fill its disk.
    #[cfg(test)]
    Alter(String, oneshot::Sender<Option<i64>>),
}

/// Lets others that are ready to add something do so first: one commit then serves them all. Continues while
/// that brings more; never waits for anyone.
pub(super) fn gather(commands: &mut Vec<Command>, queue: &mut mpsc::Receiver<Command>) {
    for _ in 0..GATHER_ROUNDS_MAX {
        std::thread::yield_now();
        let before = commands.len();
        while commands.len() < BATCH_MAX
            && let Ok(command) = queue.try_recv()
        {
            commands.push(command);
        }
        if commands.len() == before {
            return;
        }
    }
}
