//! The script of a check: what one seat of a recorded match receives, and what it answered.

use crate::programs::Launch;
use games::card::Limits;
use games::neutral::TooMuch;
use games::seat::{OwnSeat, ProgramPart, Settings};
use games::{DialogueSetup, Exchange, Kit, Nodes, PlaySetup, Seat, SetupError, WireError};
use std::time::Duration;

/// Decisions of a script at most.
const DECISIONS_MAX: usize = 40;
/// Nodes of a decision of those who play it.
const NODES: u64 = 200;
/// The seed of the match.
const SEED: u64 = 7;
/// The rung of the ladder whose bot plays it, counted from 0: one that does everything that the game has.
const RUNG: usize = 2;

/// The script of a game.
pub(super) struct Script<'a> {
    pub(super) kit: &'a dyn Kit,
    pub(super) exchanges: Vec<Exchange>,
    /// How long the contest gives for an answer, and for the first one.
    pub(super) limits: Limits,
    /// What sessions leave of a limit for the way back.
    pub(super) margin: Duration,
    fallback: String,
    /// Whether it is played in the game's own protocol.
    native: bool,
}

impl<'a> Script<'a> {
    pub(super) fn new(
        kit: &'a dyn Kit,
        launch: &Launch,
        margin: Duration,
    ) -> Result<Self, ScriptError> {
        let bots = kit.card().bots;
        let bot = bots.get(RUNG).or(bots.first());
        let bot = bot.map_or("", |card| card.name).to_owned();
        let setup = PlaySetup::recorded(
            vec![bot; *kit.card().seats.start()],
            SEED,
            serde_json::Value::Null,
        );
        let played = kit.play(&setup, &Nodes(NODES))?;
        let own = played
            .transcript
            .into_iter()
            .filter(|line| line.seat == Seat(0));
        let mut decisions = 0;
        let within = own.take_while(|line| {
            decisions += usize::from(line.reply.is_some());
            decisions <= DECISIONS_MAX
        });
        Ok(Self {
            kit,
            exchanges: within.collect(),
            limits: kit.card().limits,
            margin,
            fallback: launch.fallback.clone(),
            native: launch.is_native(),
        })
    }

    /// A seat that receives the script, and for which its program decides.
    pub(super) fn seat(&self) -> Result<OwnSeat, ScriptError> {
        let mut part = ProgramPart::new(self.native, None);
        let setup = DialogueSetup {
            fallback: self.fallback.clone(),
            post: Some(part.attend()),
            ..DialogueSetup::new("bot:checked", SEED)
        };
        let mut dialogue = self.kit.dialogue(&setup)?;
        if let Some(word) = dialogue.open() {
            dialogue.said(&word);
        }
        let settings = Settings {
            limits: self.limits,
            margin: self.margin,
            ..Settings::nodes(0)
        };
        let mut seat = OwnSeat::new(settings, Some(part));
        seat.wake(dialogue);
        Ok(seat)
    }
}

/// Why a game's script cannot be played, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It cannot be made.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It is not of the game's wire.
    #[error("the script is broken: {0}")]
    Broken(#[from] WireError),
    /// It has more lines than a program is sent.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
}
