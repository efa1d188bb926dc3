//! The matches of a hub: players sit down, play, and receive the end once it is stored.

use super::HubServer;
use crate::clock::{Steady, now_us};
use crate::programs::Account;
use crate::referee::drive::{DriveError, drive};
use crate::referee::host::match_info::MatchInfo;
use crate::referee::host::setup::{drawn_seed, ids};
use crate::referee::hub::bot::attend;
use crate::referee::hub::dialled::{Dialled, INBOX_MAX, Player};
use crate::referee::hub::guest::{Guest, Outbox, PlayerLine, Seated as GivenSeat};
use crate::referee::hub::lobby::Party;
use crate::referee::record::{
    DecisionTimes, MatchRecord, Patience, RecordError, Writer, cancelled,
};
use crate::referee::seat::seat_builtin::BuiltinSeat;
use crate::referee::seat::seat_link::{SeatLink as _, SeatRecord};
use crate::referee::seat::seat_spec::SeatSpec;
use crate::simulated;
use crate::store::types::{MatchResult, MatchRow, SeatNotes, Slot};
use games::match_::{Attendance, Conduct, Place, Rules};
use games::seat::Taken;
use games::{Blame, Cause, Match, Outcome, Seat, Table, Wire, judge};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a match may wait until it can be recorded before it is given up: players would give up the hub.
const RECORDED_WITHIN: Duration = Duration::from_secs(5);
/// What players receive whose match cannot even begin to be recorded.
const UNRECORDED: &str = "error The match cannot be recorded at present, try again later";

/// A match whose players are known.
pub(super) struct Sitting {
    pub(super) table: Box<dyn Table>,
    pub(super) market: u64,
    /// By seat.
    pub(super) sitters: Vec<Sitter>,
    /// What the log calls it: its room, or what it was planned for.
    pub(super) place: String,
    /// The map, if it is one of the hub's.
    pub(super) map: Option<String>,
    /// Its place in a tournament.
    pub(super) slot: Option<Slot>,
}

/// Who has a seat.
pub(super) struct Sitter {
    pub(super) spec: SeatSpec,
    /// May be empty.
    pub(super) name: String,
    pub(super) who: Who,
}

/// How it plays.
pub(super) enum Who {
    Guest(Guest),
    /// With its seed.
    Bot(BuiltinSeat, u64),
    /// It did not come, and is out of the match from the beginning.
    Absent,
}

/// How a match was played.
pub(super) struct Played {
    /// Or why it was abandoned.
    result: Result<MatchResult, DriveError>,
    /// What the result is made of.
    pub(super) outcome: Option<Outcome>,
    /// The players that were out of the match before its end, in this order.
    pub(super) faults: Vec<Blame>,
    /// By seat.
    pub(super) conduct: Vec<Conduct>,
}

/// What is stored of a match before it begins.
struct Opening {
    info: MatchInfo,
    row: MatchRow,
    /// Those of the bots in this process, by seat.
    seeds: Vec<u64>,
}

/// What players are seated with.
struct Seating<'a> {
    row: Arc<MatchRow>,
    writer: &'a Writer,
    /// Where the outcome of each seat's program is stored.
    sessions: Vec<Option<SeatRecord>>,
}

/// Players that have their seats; lists are by seat but for the last two.
struct Seated {
    port: Dialled,
    places: Vec<Place>,
    accounts: Vec<Option<Account>>,
    peers: Vec<SocketAddr>,
    /// What to wait for until all programs have noted what is kept of them.
    noting: Vec<JoinHandle<()>>,
}

/// A match as it went.
pub(super) struct Sat {
    pub(super) match_id: String,
    /// In microseconds since 1970-01-01 UTC.
    pub(super) started_us: i64,
    /// As the game ended.
    pub(super) played: Played,
    /// As it is stored.
    pub(super) result: MatchResult,
}

impl HubServer {
    pub(super) async fn play(self: &Arc<Self>, party: Party<Guest>) {
        let settings = &self.settings;
        let players = party.guests.len();
        let market = self.next_market.fetch_add(1, Ordering::Relaxed);
        let map = settings.map_of(party.before);
        let text = map.map(|(_, text)| text.as_str());
        // A hub without maps uses the game's own, chosen by the seed.
        let seed = if map.is_some() {
            drawn_seed()
        } else {
            party.before
        };
        let table = match settings.table(text, &Value::Null, players, market, seed) {
            Ok(table) => table,
            Err(error) => {
                tracing::error!(%error, room = party.room.name, "a match cannot begin");
                return;
            }
        };
        let sitter = |guest: Guest| Sitter {
            spec: SeatSpec::Remote,
            name: guest.name.clone(),
            who: Who::Guest(guest),
        };
        let sitting = Sitting {
            table,
            market,
            sitters: party.guests.into_iter().map(sitter).collect(),
            place: party.room.name,
            map: map.map(|(name, _)| name.clone()),
            slot: None,
        };
        // Its players know why.
        let _ = self.sit(sitting).await;
    }

    /// Plays a match to its end.
    ///
    /// # Errors
    /// [`RecordError`] if it cannot even begin to be recorded.
    pub(super) async fn sit(self: &Arc<Self>, sitting: Sitting) -> Result<Sat, RecordError> {
        let opening = self.opening(&sitting);
        let match_id = opening.row.id.clone();
        let opened = self.open_record(opening, sitting.slot.is_some()).await;
        let (Opening { info, row, .. }, record) =
            opened.inspect_err(|error| refuse(&sitting.sitters, &match_id, error))?;
        let seats = (0u8..).map(Seat).take(sitting.sitters.len());
        let sessions = seats.map(|seat| record.session(seat)).collect();
        tracing::info!(
            match_id = info.match_id,
            room = sitting.place,
            map = sitting.map,
            players = ?info.names,
            "a match begins"
        );
        let started_us = info.started_us;
        let writer = Writer::start(record, patience(&self.stop, RECORDED_WITHIN));
        let slot = sitting.slot;
        let seating = Seating {
            row: Arc::new(row),
            writer: &writer,
            sessions,
        };
        let mut seated = self.seat_all(sitting.sitters, seating);
        let mut match_ = Match::new(sitting.table, Rules::of_wire(Wire::Hub)).among(seated.places);
        let outcome = drive(&mut match_, &mut seated.port, &Steady::new()).await;
        let mut played = Played::new(&match_, outcome);
        played.judge(slot, &seated.accounts);
        let taken = seated.accounts.iter().map(|account| {
            let account = account.as_ref();
            account.map(Account::taken).unwrap_or_default()
        });
        let taken = taken.collect();
        // All that was to be recorded is on its way.
        let mut players = seated.port.players();
        let result = self.end(&mut played, writer, taken, &mut players).await;
        // The next match begins with what they have noted.
        futures_util::future::join_all(seated.noting).await;
        tracing::info!(
            match_id,
            cause = result.cause.word(),
            scores = ?result.scores,
            detail = result.detail,
            "a match ended"
        );
        if let Some(notify) = &self.settings.on_line {
            seated.peers.into_iter().for_each(|peer| notify(peer, None));
        }
        Ok(Sat {
            match_id,
            started_us,
            played,
            result,
        })
    }

    /// Gives all players their seats.
    fn seat_all(&self, sitters: Vec<Sitter>, mut seating: Seating<'_>) -> Seated {
        let (said, inbox) = mpsc::channel(INBOX_MAX);
        let mut players = Vec::with_capacity(sitters.len());
        let (mut places, mut accounts) = (Vec::new(), Vec::new());
        let (mut peers, mut noting) = (Vec::new(), Vec::new());
        for (seat, sitter) in (0u8..).map(Seat).zip(sitters) {
            if let Who::Guest(guest) = &sitter.who {
                let match_id = &seating.row.id;
                tracing::debug!(match_id, seat = seat.0, peer = %guest.peer, "seated");
                if let Some(notify) = &self.settings.on_line {
                    notify(guest.peer, Some((Arc::clone(&seating.row), seat)));
                }
                peers.push(guest.peer);
            }
            accounts.push(sitter.account());
            places.push(sitter.place());
            let session = seating.sessions.get_mut(seat.index());
            let session = session.and_then(Option::take);
            let (out, notes) = self.seat(&seating.row.id, seat, session, sitter, &said);
            players.push(Player::new(out));
            noting.extend(notes);
        }
        Seated {
            port: Dialled::new(players, inbox, seating.writer, self.stop.clone()),
            places,
            accounts,
            peers,
            noting,
        }
    }

    /// Begins to record a match.
    async fn open_record(
        &self,
        opening: Opening,
        of_tournament: bool,
    ) -> Result<(Opening, MatchRecord), RecordError> {
        let Opening { info, row, seeds } = &opening;
        let mut record = self.recording.open(row, &info.ids, seeds).await?;
        if of_tournament {
            // As all matches of a tournament.
            record = record.alone(DecisionTimes::Stamped);
        }
        Ok((opening, record))
    }

    fn opening(&self, sitting: &Sitting) -> Opening {
        let sitters = sitting.sitters.iter();
        let info = MatchInfo {
            match_id: simulated::ulid().to_string(),
            game: self.settings.kit.card().name.to_owned(),
            market: sitting.market,
            ids: ids(sitting.market, sitters.len()),
            seats: sitters
                .clone()
                .map(|sitter| sitter.spec.to_string())
                .collect(),
            names: sitters
                .clone()
                .map(|sitter| Some(sitter.name.clone()).filter(|name| !name.is_empty()))
                .collect(),
            started_us: now_us(),
        };
        let mut row = info.row(&self.settings.referee, sitting.table.setup());
        if let Some(slot) = &sitting.slot {
            slot.seat(&mut row);
        }
        let seed = |sitter: &Sitter| match &sitter.who {
            Who::Bot(_, seed) => *seed,
            Who::Guest(_) | Who::Absent => 0,
        };
        let seeds = sitters.map(seed).collect();
        Opening { info, row, seeds }
    }

    /// Gives a player its seat; one that is not there any more is gone. Also what to wait for until a program has noted
    /// what is kept of it.
    fn seat(
        &self,
        match_id: &str,
        seat: Seat,
        session: Option<SeatRecord>,
        sitter: Sitter,
        said: &mpsc::Sender<PlayerLine>,
    ) -> (Outbox, Option<JoinHandle<()>>) {
        let gone = || {
            let (line, at) = (None, Instant::now());
            // The inbox has room for every player.
            let _ = said.try_send(PlayerLine { seat, line, at });
        };
        match sitter.who {
            Who::Guest(guest) => {
                let inbox = said.clone();
                if guest.seated.send(GivenSeat { seat, inbox }).is_err() {
                    gone();
                }
                (guest.out, None)
            }
            Who::Bot(mut bot, _) => {
                bot.begins(match_id, session);
                let (out, inlet) = Outbox::new();
                let (kit, notes) = (self.settings.kit, bot.keeps_notes());
                let attending = attend(kit, seat, bot, inlet, said.clone());
                let attending = self.games.spawn(attending);
                (out, notes.then_some(attending))
            }
            Who::Absent => (Outbox::new().0, None),
        }
    }

    /// Sends the players the end once it is stored. If it cannot be, the match is given up.
    async fn end(
        self: &Arc<Self>,
        played: &mut Played,
        writer: Writer,
        taken: Vec<Vec<Taken>>,
        players: &mut [Player],
    ) -> MatchResult {
        let (mut record, flushed) = writer.flush().await;
        record.took(taken);
        let played_to = std::mem::replace(&mut played.result, Err(DriveError::Stopped));
        let ended = match (played_to, flushed) {
            (Ok(result), Ok(())) => match self.store_end(&mut record, &result).await {
                Ok(()) => Ok(result),
                Err(error) => Err(error.to_string()),
            },
            (_, Err(error)) => Err(error.to_string()),
            (Err(DriveError::Stopped), Ok(())) => Err("the hub was stopped".to_owned()),
            (Err(error), Ok(())) => Err(error.to_string()),
        };
        let result = match ended {
            Ok(result) => {
                players.iter_mut().for_each(Player::say_last_words);
                result
            }
            Err(why) => {
                played.outcome = None;
                let given_up = self.reception.given_up() + "\n";
                let players = players.iter();
                players.for_each(|player| player.out.say(given_up.clone()));
                let result = cancelled(why);
                self.games
                    .spawn(Arc::clone(self).close_later(record, result.clone()));
                result
            }
        };
        players.iter().for_each(|player| player.out.close());
        result
    }

    /// Stores the end that the rules came to; `Err` says why nothing of it is stored.
    async fn store_end(
        &self,
        record: &mut MatchRecord,
        end: &MatchResult,
    ) -> Result<(), RecordError> {
        let mut stored = patience(&self.stop, RECORDED_WITHIN)
            .close(record, end)
            .await;
        if stored.is_err() && record.has_end() {
            // It can have no other end any more.
            stored = patience(&self.stop, Duration::MAX).close(record, end).await;
        }
        stored
    }

    /// Closes a match that was given up, as soon as that can be stored; the next start does it otherwise.
    async fn close_later(self: Arc<Self>, mut record: MatchRecord, result: MatchResult) {
        let patience = patience(&self.leave, Duration::MAX);
        if let Err(error) = patience.close(&mut record, &result).await {
            tracing::warn!(%error, "a match that was given up is closed by the next start");
        }
    }
}

impl Sitter {
    fn place(&self) -> Place {
        let attendance = match &self.who {
            Who::Guest(_) | Who::Bot(..) => Attendance::Outside,
            Who::Absent => Attendance::Absent,
        };
        Place {
            name: self.name.clone(),
            ..Place::new(attendance)
        }
    }

    /// The account of the user's program that plays, if one does.
    fn account(&self) -> Option<Account> {
        match &self.who {
            Who::Bot(bot, _) => bot.account(),
            Who::Guest(_) | Who::Absent => None,
        }
    }
}

impl Played {
    fn new(match_: &Match, outcome: Result<Outcome, DriveError>) -> Self {
        let faults = match_.blames();
        let details: Vec<&str> = faults.iter().map(|fault| &*fault.detail).collect();
        let result = |outcome: &Outcome| MatchResult {
            blame: faults.first().map(|fault| fault.seat.0),
            detail: details.join("; "),
            ..MatchResult::new(now_us(), outcome.cause, outcome.scores.values().to_vec())
        };
        Self {
            result: outcome.as_ref().map(result).map_err(Clone::clone),
            outcome: outcome.ok(),
            faults,
            conduct: match_.conduct(),
        }
    }

    /// Notes how each seat took part; in a tournament, those lose whose decisions were not their own.
    fn judge(&mut self, slot: Option<Slot>, accounts: &[Option<Account>]) {
        let Ok(result) = &mut self.result else {
            return;
        };
        let seats = (0u8..).map(Seat).zip(accounts).zip(&self.conduct);
        let seats = seats.map(|((seat, account), conduct)| {
            let account = account.as_ref().map(Account::participation);
            let fault = self.faults.iter().find(|fault| fault.seat == seat);
            Some(conduct.participation(account, fault))
        });
        result.participation = seats.collect();
        if let Some(slot) = &slot {
            let place = |entrant| slot.entrants.iter().position(|other| other == entrant);
            let owners: Vec<usize> = slot.entrants.iter().filter_map(place).collect();
            let (cause, faults) = (&mut result.cause, &mut self.faults);
            judge(cause, faults, &owners, &result.participation);
            let not = |fault: &&Blame| fault.cause == Cause::NotPlayed;
            if let (Cause::NotPlayed, Some(first)) = (result.cause, self.faults.iter().find(not)) {
                result.blame = Some(first.seat.0);
                let details = self.faults.iter().map(|fault| fault.detail.as_str());
                result.detail = details.collect::<Vec<_>>().join("; ");
            }
            if let Some(outcome) = &mut self.outcome {
                outcome.cause = result.cause;
            }
        }
        result.notes = notes(&self.faults, &self.conduct);
        result.slot = slot.map(Box::new);
    }
}

/// What a tournament keeps of each seat besides its score.
fn notes(faults: &[Blame], conduct: &[Conduct]) -> Vec<SeatNotes> {
    let seats = (0u8..).map(Seat).zip(conduct);
    let note = |(seat, conduct): (Seat, &Conduct)| {
        let fault = faults.iter().find(|fault| fault.seat == seat);
        SeatNotes {
            fault: fault.map(|fault| fault.cause),
            refused: conduct.refused,
            missed: conduct.missed,
            took: conduct.took.pairs().to_vec(),
        }
    };
    seats.map(note).collect()
}

fn patience(leave: &CancellationToken, within: Duration) -> Patience {
    let leave = leave.clone();
    Patience { leave, within }
}

/// Sends the players of a match away that cannot be recorded.
fn refuse(sitters: &[Sitter], match_id: &str, error: &RecordError) {
    tracing::warn!(match_id, %error, "a match does not begin");
    for sitter in sitters {
        if let Who::Guest(guest) = &sitter.who {
            guest.out.say_line(Some(UNRECORDED.to_owned()));
            guest.out.close();
        }
    }
}
