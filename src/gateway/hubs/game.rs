//! One game on one connection, from the first word to the last.

use super::dial::{Dial, LastWords, Line, LineFault};
use crate::clock::now_us;
use crate::session::{Answer, BotAddress, Ended, Key, Opening, Origin, Refusal, Sessions};
use crate::store::types::{Direction, NewEntry};
use games::{Cause, Dialogue, DialogueSetup, Kit, Next, Seating};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a hub may take to say anything after it was asked to let us in.
const FIRST_WORD_WITHIN: Duration = Duration::from_secs(60);
/// How much longer than a turn a hub may be silent: it ends turns that last too long.
const SILENCE_BEYOND_TURN: Duration = Duration::from_secs(30);
/// Words of the time before a game that are kept, and bytes of each.
const BEFORE_MAX: usize = 64;
const WORD_BYTES_MAX: usize = 1_024;
/// Bytes that a hub may say in one game: far more than our longest one.
const GAME_BYTES_MAX: usize = 512 << 20;

/// Who plays where.
#[derive(Clone)]
pub(super) struct Seat {
    pub(super) kit: &'static dyn Kit,
    pub(super) bot: Arc<BotAddress>,
    pub(super) address: String,
    /// How it is dialled.
    pub(super) dial: Dial,
    /// What the opening words are made of.
    pub(super) words: Value,
    /// The connection's number, among all of them.
    pub(super) number: u64,
}

/// Why there was no game, or no more of it, as a sentence.
#[derive(Debug, thiserror::Error)]
pub(super) enum GameFault {
    #[error("{0}{1}")]
    Line(LineFault, LastWords),
    #[error("{0}")]
    TurnedAway(String),
    #[error("this daemon refuses it: {0}")]
    Refused(#[from] Refusal),
    #[error("it sent a start that cannot be played: {0}")]
    Start(games::WireError),
    #[error("the bot cannot be made: {0}")]
    Bot(#[from] games::SetupError),
}

impl From<LineFault> for GameFault {
    fn from(fault: LineFault) -> Self {
        Self::Line(fault, LastWords::default())
    }
}

impl GameFault {
    /// Its word in the closed list of causes.
    const fn cause(&self) -> Cause {
        match self {
            Self::Line(LineFault::Silent(_) | LineFault::WriteTimeout, _) => Cause::Stalled,
            Self::Line(LineFault::Garbage(_), _) | Self::Start(_) => Cause::ProtocolError,
            Self::Line(..) => Cause::Disconnect,
            Self::TurnedAway(_) | Self::Bot(_) => Cause::InitFailure,
            Self::Refused(_) => Cause::Cancelled,
        }
    }
}

/// A connection that was let in, up to its first frame of a game.
pub(super) struct Joined {
    line: Line,
    start: String,
    received: Instant,
    before: Vec<NewEntry>,
    seating: Option<Seating>,
}

impl Seat {
    /// Dials and asks to be let in. `connected` is called when the hub answers.
    pub(super) async fn join(
        &self,
        sessions: &Sessions,
        connected: impl FnOnce(),
    ) -> Result<Joining, GameFault> {
        sessions.admits()?;
        let mut talk = self.kit.dialogue(&DialogueSetup {
            bot: self
                .kit
                .card()
                .bots
                .first()
                .map_or("", |card| card.name)
                .to_owned(),
            opening: self.words.clone(),
            ..DialogueSetup::default()
        })?;
        let mut line = Line::dial(self.kit, &self.address, &self.dial).await?;
        connected();
        let mut before = Vec::new();
        if let Some(word) = talk.open() {
            say(&mut line, &mut *talk, &mut before, word).await?;
        }
        Ok(Joining { line, talk, before })
    }

    /// Plays a game to its end.
    pub(super) async fn play(&self, sessions: &Sessions, joined: Joined) -> Played {
        let key = Key {
            bot: Arc::clone(&self.bot),
            market: now_us().unsigned_abs(),
            id: self.number,
        };
        let mut answered = false;
        let ended = match self.turns(sessions, &key, joined, &mut answered).await {
            Ok(ended) => ended,
            Err(fault) => {
                let (cause, detail) = (fault.cause(), fault.to_string());
                sessions.end(&key, cause, detail.clone());
                Ended { cause, detail }
            }
        };
        Played { ended, answered }
    }

    async fn turns(
        &self,
        sessions: &Sessions,
        key: &Key,
        joined: Joined,
        answered: &mut bool,
    ) -> Result<Ended, GameFault> {
        let Joined {
            mut line,
            start,
            received,
            before,
            seating,
        } = joined;
        let turn = seating.map_or(self.kit.card().limits.answer, |seating| seating.within);
        let silence = turn.saturating_add(SILENCE_BEYOND_TURN);
        let opening = Opening {
            before,
            words: self.words.clone(),
            seating,
            line: line.local,
        };
        let mut said = start.len();
        let mut last = String::new();
        let mut answer = sessions
            .begin(key.clone(), opening, start, received)
            .await?;
        loop {
            *answered |= !answer.text.is_empty();
            if let Some(ended) = deliver(&mut line, answer).await? {
                return Ok(ended);
            }
            let frame = match line.frame(Some(silence)).await {
                Ok(frame) => frame,
                Err(fault) => {
                    let said = line.unfinished().or(&last);
                    return Err(GameFault::Line(fault, said.of_one_line()));
                }
            };
            let received = Instant::now();
            said = said.saturating_add(frame.len());
            if said > GAME_BYTES_MAX {
                let what = format!("more than {GAME_BYTES_MAX} bytes in one game");
                return Err(LineFault::Garbage(what).into());
            }
            last.clear();
            last.push_str(
                frame
                    .get(..WORD_BYTES_MAX.min(frame.len()))
                    .unwrap_or_default(),
            );
            answer = sessions
                .callback(Origin::default(), key.clone(), false, frame, received)
                .await?;
        }
    }
}

/// A game that was played.
pub(super) struct Played {
    pub(super) ended: Ended,
    /// Whether there was a turn, so that it was a game indeed.
    pub(super) answered: bool,
}

/// A connection that has asked to be let in.
pub(super) struct Joining {
    line: Line,
    talk: Box<dyn Dialogue>,
    before: Vec<NewEntry>,
}

impl Joining {
    /// Waits for a game, for as long as the hub lets us wait.
    pub(super) async fn wait(mut self, kit: &dyn Kit) -> Result<Joined, GameFault> {
        let mut within = Some(FIRST_WORD_WITHIN);
        let mut last = String::new();
        loop {
            let frame = match self.line.frame(within).await {
                Ok(frame) => frame,
                Err(fault) => {
                    let said = self.line.unfinished().or(&last);
                    return Err(GameFault::Line(fault, said));
                }
            };
            let received = Instant::now();
            let route = kit
                .card()
                .dialect
                .route(frame.as_bytes())
                .map_err(GameFault::Start)?;
            if route.begins {
                return Ok(Joined {
                    line: self.line,
                    start: frame,
                    received,
                    before: self.before,
                    seating: route.seating,
                });
            }
            let next = self.talk.receive(frame.as_bytes());
            note(&mut self.before, Direction::In, &frame);
            last = frame;
            match next {
                Ok(Next::Over(ending)) => return Err(GameFault::TurnedAway(ending.detail)),
                Ok(Next::Send(word)) => {
                    say(&mut self.line, &mut *self.talk, &mut self.before, word).await?;
                    within = Some(FIRST_WORD_WITHIN);
                }
                // In the queue: others may take days to come. The system watches the line.
                Ok(Next::Wait) => within = None,
                Ok(Next::Think { .. }) | Err(_) => {}
            }
        }
    }
}

async fn say(
    line: &mut Line,
    talk: &mut dyn Dialogue,
    before: &mut Vec<NewEntry>,
    word: String,
) -> Result<(), LineFault> {
    line.say(&word).await?;
    talk.said(&word);
    note(before, Direction::Out, &word);
    Ok(())
}

/// Hubs may let us wait again and again, and say what they like: only so much of it is kept.
fn note(before: &mut Vec<NewEntry>, direction: Direction, text: &str) {
    if before.len() < BEFORE_MAX {
        let kept = text
            .char_indices()
            .take_while(|(at, _)| *at < WORD_BYTES_MAX);
        before.push(NewEntry::new(
            now_us(),
            direction,
            kept.map(|(_, letter)| letter).collect::<String>(),
        ));
    }
}

/// Sends an answer; gives how the session ended, if it has.
async fn deliver(line: &mut Line, answer: Answer) -> Result<Option<Ended>, LineFault> {
    let Answer {
        text,
        sending,
        ended,
        ..
    } = answer;
    if !text.is_empty() && ended.is_none() {
        line.say(&String::from_utf8_lossy(&text)).await?;
    }
    if let Some(sending) = sending {
        sending.handed();
    }
    Ok(ended)
}

/// What the opening words are made of.
pub(super) fn words(name: &str, hub: &str) -> Value {
    json!({ "name": name, "hub": hub })
}
