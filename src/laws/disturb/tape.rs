//! One seat's side of a match that was played and recorded.

use drover_game::SetupError;
use drover_game::game::Seat;
use drover_game::kit::{DialogueSetup, Kit, Nodes, PlaySetup, bot_seed};
use drover_game::rng::Rng;
use serde_json::{Value, json};

/// Nodes a decision of bots that think, in matches that are recorded: the least there is.
const NODES: u64 = 1;
/// Every nth recorded match has a bot that thinks on every seat.
const THINKERS_EVERY: u32 = 4;
/// Rounds or turns of a recorded match, where a game has a choice: enough for what comes late in one.
const ROUNDS: u64 = 60;

/// What the seat received, and what it said to that.
#[derive(Clone, Debug)]
pub struct Line {
    /// The exact text.
    pub call: String,
    /// `None`: nobody waited for an answer.
    pub reply: Option<String>,
}

/// One seat's side of a recorded match.
pub struct Tape {
    /// The game.
    pub kit: &'static dyn Kit,
    /// Which seat.
    pub seat: Seat,
    /// The seed of everything in it.
    pub seed: u64,
    /// In order.
    pub lines: Vec<Line>,
}

impl Tape {
    /// Plays the match of this seed among bots drawn by it, and keeps one seat's side.
    ///
    /// # Errors
    /// [`SetupError`] if the game refuses the options below.
    pub fn record(kit: &'static dyn Kit, seed: u64) -> Result<Self, SetupError> {
        let mut rng = Rng::new(seed, 0);
        let (least, most) = (*kit.card().seats.start(), *kit.card().seats.end());
        // More make matches longer, not other.
        let seats = least.max(2) + rng.below((most.min(4) - least.max(2)) as u32 + 1) as usize;
        let thinkers = rng.below(THINKERS_EVERY) == 0;
        let bots: Vec<&str> = kit
            .card()
            .bots
            .iter()
            .filter(|bot| bot.thinks == thinkers)
            .map(|bot| bot.name)
            .collect();
        let drawn = |rng: &mut Rng| {
            let bot = bots.get(rng.below(bots.len() as u32) as usize);
            bot.copied().unwrap_or_default().to_owned()
        };
        let setup = PlaySetup::recorded(
            (0..seats).map(|_| drawn(&mut rng)).collect(),
            seed,
            options(kit),
        );
        let seat = Seat(rng.below(seats as u32) as u8);
        let played = kit.play(&setup, &Nodes(NODES))?;
        let own = played.transcript.into_iter();
        let lines = own.filter(|line| line.seat == seat).map(|line| Line {
            call: line.call,
            reply: line.reply,
        });
        Ok(Self {
            kit,
            seat,
            seed,
            lines: lines.collect(),
        })
    }

    /// What the dialogue of this bot on the seat starts from.
    #[must_use]
    pub fn setup(&self, bot: &str) -> DialogueSetup {
        DialogueSetup {
            bot: bot.to_owned(),
            seed: bot_seed(self.seed, self.seat),
            opening: json!({"name": "drover", "hub": ""}),
            ..DialogueSetup::default()
        }
    }
}

/// The options that make a game's matches short, among those that it has.
fn options(kit: &dyn Kit) -> Value {
    let short = [("rounds", json!(ROUNDS)), ("turnsLimit", json!(ROUNDS))];
    let has = |name: &str| kit.card().options.iter().any(|card| card.name == name);
    let own = short.into_iter().filter(|(name, _)| has(name));
    Value::Object(own.map(|(name, value)| (name.to_owned(), value)).collect())
}
