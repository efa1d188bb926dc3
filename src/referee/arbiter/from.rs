//! A stored match played on from one of its calls: everything before is as it was. Players receive it again, and what
//! they would say to it now does not count.

use super::game::{Game, apart};
use super::play::Pipes;
use super::players::{Pipe, PlayError, Player, end};
use crate::referee::refereed::Refereed;
use crate::referee::seat::FollowError;
use crate::referee::seat_spec::SeatSpec;
use crate::replay::{RecordedReply, lead_match, replay_match};
use crate::store::types::{Direction, Entry, EntryId};
use crate::thinking::guarded;
use games::{Call, Kit, Match, Seat, Table};
use serde_json::Value;
use std::fmt::Display;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long a program may take for each answer that does not count.
const AGAIN_WITHIN: Duration = Duration::from_secs(30);
/// The most lines of such an answer.
const LINES_MAX: usize = 100_000;

/// A match to be played on.
pub struct FromMatch {
    /// The game; its players are programs, or our bots.
    pub kit: &'static dyn Kit,
    /// The full setup that the match was opened with.
    pub setup: Value,
    /// The same with other options, by which it is played on; `None`: as it was.
    pub changed: Option<Value>,
    /// The transcripts of all seats, as the referee has them.
    pub entries: Vec<(Seat, Entry)>,
    /// The call to play on from.
    pub from: EntryId,
    /// Who plays on, by seat: programs and built-in bots.
    pub seats: Vec<SeatSpec>,
    /// Seeds of the built-in bots, by seat.
    pub seeds: Vec<u64>,
    /// How they play.
    pub pipes: Pipes,
}

/// Why a match cannot be played on, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum FromError {
    /// No such entry.
    #[error(
        "entry {entry} is not in the transcripts of the match's seats, whose entries are {first} to {last}"
    )]
    NoEntry {
        /// The entry.
        entry: i64,
        /// The first one.
        first: i64,
        /// The last one.
        last: i64,
    },
    /// The entry is an answer.
    #[error("entry {0} is an answer; name the entry of the call that it answers, or a later one")]
    Answer(i64),
    /// The transcripts do not fit the rules.
    #[error("the match cannot be led to that entry: {0}")]
    Unfit(String),
    /// It would not be where it is by the other options.
    #[error(
        "the options cannot be changed in the middle of it: it would have gone another way before"
    )]
    Otherwise,
    /// A player did not follow.
    #[error("the player of seat {seat} did not follow what was said before: {why}")]
    Lost {
        /// The seat, from 1.
        seat: u16,
        /// What it did.
        why: FollowError,
    },
    /// The players cannot be seated.
    #[error(transparent)]
    Play(#[from] PlayError),
}

/// Plays it to its end; `None` if it was stopped.
///
/// # Errors
/// [`FromError`].
pub async fn play_from(
    from: FromMatch,
    stop: &CancellationToken,
) -> Result<Option<Refereed>, FromError> {
    let (match_, players) = apart(move || from.led()).await?;
    let game = Game {
        match_,
        players,
        record: false,
        machine: None,
        feed: None,
        watch: None,
    };
    Ok(game.play(stop).await)
}

impl FromMatch {
    /// The match where it goes on, and its players, who have followed it there. Blocks.
    fn led(&self) -> Result<(Match, Vec<Player>), FromError> {
        let past = self.past()?;
        let reopened = self.kit.reopen(&self.setup);
        let table = reopened.map_err(|error| FromError::Unfit(error.to_string()))?;
        let mut match_ = self.lead(table, past.clone())?;
        let open = match_.pending().filter(|(_, sent)| *sent);
        let unanswered: Vec<Seat> = open.map(|(call, _)| call.seat).collect();
        if let Some(changed) = &self.changed {
            match_ = self.lead_changed(changed, past.clone(), &match_)?;
        }
        let mut players = Vec::with_capacity(self.seats.len());
        if let Err(error) = self.seat_all(&mut players, &past, &unanswered) {
            end(&mut players);
            return Err(error);
        }
        Ok((match_, players))
    }

    /// What was said before the entry, in the order in which the table received it.
    fn past(&self) -> Result<Vec<(Seat, &Entry)>, FromError> {
        let entries = self.entries.iter();
        let mut all: Vec<(Seat, &Entry)> = entries.map(|(seat, entry)| (*seat, entry)).collect();
        all.sort_unstable_by_key(|(_, entry)| (entry.at_us, entry.id));
        let at = all.iter().position(|(_, entry)| entry.id == self.from);
        let ids = || all.iter().map(|(_, entry)| entry.id.0);
        let at = at.ok_or_else(|| FromError::NoEntry {
            entry: self.from.0,
            first: ids().min().unwrap_or_default(),
            last: ids().max().unwrap_or_default(),
        })?;
        let (_, entry) = all[at];
        if entry.direction == Direction::In {
            return Err(FromError::Answer(self.from.0));
        }
        all.truncate(at);
        Ok(all)
    }

    /// Leads the match there.
    fn lead(&self, table: Box<dyn Table>, past: Vec<(Seat, &Entry)>) -> Result<Match, FromError> {
        let wire = self.kit.card().wire;
        let replayed = guarded(|| replay_match(table, wire, past, true));
        let replayed = replayed.map_err(|panic| FromError::Unfit(panic.to_string()))?;
        match replayed.differences.into_iter().next() {
            Some(difference) => Err(FromError::Unfit(difference)),
            None => Ok(replayed.match_),
        }
    }

    /// Leads a match with other options there: it must be as far as the one without, and ask the same seats.
    fn lead_changed(
        &self,
        changed: &Value,
        past: Vec<(Seat, &Entry)>,
        as_it_was: &Match,
    ) -> Result<Match, FromError> {
        let unfit = |why: &dyn Display| FromError::Unfit(why.to_string());
        let table = self.kit.reopen(changed).map_err(|error| unfit(&error))?;
        let led = guarded(|| lead_match(table, self.kit.card().wire, past));
        let led = led.map_err(|panic| unfit(&panic))?.match_;
        let asked = |(call, _): (&Call, bool)| (call.seat, call.decides);
        let same = led.pending().map(asked).eq(as_it_was.pending().map(asked));
        match same && led.table().outcome().is_none() {
            true => Ok(led),
            false => Err(FromError::Otherwise),
        }
    }

    /// Seats the players and sends each what its seat has received.
    fn seat_all(
        &self,
        players: &mut Vec<Player>,
        past: &[(Seat, &Entry)],
        unanswered: &[Seat],
    ) -> Result<(), FromError> {
        for (seat, spec) in (0u8..).map(Seat).zip(&self.seats) {
            let seed = self.seeds.get(seat.index()).copied().unwrap_or_default();
            let kit = self.kit;
            let player = self.pipes.seat(kit, spec, seed)?;
            players.push(player);
            let own = past.iter().filter(|(of, _)| *of == seat);
            let mut own: Vec<&Entry> = own.map(|(_, entry)| *entry).collect();
            if unanswered.contains(&seat) {
                own.pop();
            }
            let followed = match players.last_mut() {
                Some(Player::Program(pipes)) => follow(kit, pipes, &own),
                Some(Player::Builtin(bot)) => {
                    let own: Vec<Entry> = own.into_iter().cloned().collect();
                    bot.follow(&own)
                }
                _ => Ok(()),
            };
            followed.map_err(|why| FromError::Lost {
                seat: u16::from(seat.0) + 1,
                why,
            })?;
        }
        Ok(())
    }
}

/// Sends a program what its seat has received, and takes an answer of its own wherever there was one.
fn follow(kit: &dyn Kit, pipes: &mut Pipe, past: &[&Entry]) -> Result<(), FollowError> {
    let mut past = past.iter().peekable();
    while let Some(call) = past.next() {
        if call.direction == Direction::In {
            continue;
        }
        let answer = past.next_if(|next| next.direction == Direction::In);
        let answer = answer.map(|answer| RecordedReply::decode(&answer.text));
        let Some(program) = &mut pipes.program else {
            let why = pipes.failure.as_deref();
            let why = why.unwrap_or("it did not start").to_owned();
            return Err(FollowError::NotStarted(why));
        };
        let deadline = Instant::now() + AGAIN_WITHIN;
        let said = program.say(&call.text, deadline);
        said.map_err(FollowError::Deaf)?;
        let quiet = matches!(answer, None | Some(RecordedReply::Early(_)));
        let mut said = String::new();
        for lines in 0..LINES_MAX {
            let speaks = !said.trim().is_empty();
            if quiet || speaks && kit.card().in_form(call.text.as_bytes(), &said).is_ok() {
                break;
            }
            let line = program.line(deadline);
            let line = line.map_err(|fault| FollowError::NoAnswer {
                call: call.text.clone(),
                fault,
                said: said.clone(),
            })?;
            if lines > 0 {
                said.push('\n');
            }
            said.push_str(&String::from_utf8_lossy(&line));
        }
    }
    Ok(())
}
