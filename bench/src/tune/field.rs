//! What a game says of itself to be measured.

use crate::play::Side;
use games::Outcome;
use games::arena::{Acts, Finished};
use games::contest::{Advice, Contest};
use games::game::{Bot, Game, Seat};
use games::rng::Rng;
use std::time::Duration;

pub(crate) type Setup<F> = <<F as Field>::Game as Game>::Setup;
pub(crate) type View<F> = <<F as Field>::Game as Game>::View;
pub(crate) type Ask<F> = <<F as Field>::Game as Game>::Ask;
pub(crate) type Seated<G> = Box<dyn Bot<G>>;
/// A bot with numbers that were given on the command line, by its seed.
pub(crate) type Variant<G> = Box<dyn Fn(u64) -> Seated<G> + Sync>;

/// A game's own arguments.
pub(crate) trait Keys: clap::Args {
    /// What they describe.
    type Field: Field;
    /// What is measured, each by itself.
    fn fields(&self) -> anyhow::Result<Vec<Self::Field>>;
}

/// Matches of one game under some conditions.
pub(crate) trait Field: Sync {
    type Game: Contest;
    /// What a game's figures are called; the first is the share that ladders compare.
    const FIGURES: &'static [Figure];
    /// Nodes a decision unless they are given.
    const NODES: u64 = 1_000;

    /// The conditions.
    fn title(&self) -> String;
    /// How many bots, or teams of copies, make a table.
    fn members(&self) -> usize;
    /// Players of a team; they sit together.
    fn team(&self) -> usize {
        1
    }
    /// The maps' names.
    fn grounds(&self) -> Vec<String> {
        vec![String::new()]
    }
    /// What a match on this map starts from.
    fn setup(&self, ground: usize, seed: u64) -> anyhow::Result<Setup<Self>>;
    /// The bot of this name.
    fn bot(&self, name: &str, seed: u64) -> Option<Seated<Self::Game>> {
        Self::Game::bot(name, seed, Advice::Shipped)
    }
    /// Whether the bot of this name heeds what it hears.
    fn listens(&self, name: &str) -> bool {
        Self::Game::listens(name)
    }
    /// The seed of a bot's chance in a match of this seed.
    fn bot_seed(&self, seed: u64, seat: u64) -> u64 {
        seed.wrapping_mul(4).wrapping_add(seat)
    }
    /// Nodes and time of a decision, where they are not the same for all.
    fn budget(&self, view: &View<Self>, ask: &Ask<Self>, side: &Side) -> Option<(u64, Duration)> {
        let _ = (view, ask, side);
        None
    }
    /// Sees the acts of a step, in seat order, before they are played, and may change their order.
    fn arrive(&self, game: &Self::Game, acts: &mut Acts<Self::Game>, sides: &mut [Side]) {
        let _ = (game, acts, sides);
    }
    /// Each member's figures of a match, in the order of [`Field::FIGURES`].
    fn figures(&self, end: &Finished<Self::Game>, sides: &[Side]) -> Vec<Vec<f64>>;
    /// The bots of a ladder, the strongest last.
    fn bots(&self) -> Vec<&'static str> {
        Self::Game::BOTS.iter().map(|card| card.name).collect()
    }
    /// The rounds of a ladder of so many bots, with so many games each, numbered from `first`.
    fn rounds(&self, bots: usize, first: u64, games: u64) -> Vec<Round> {
        let (members, grounds) = (self.members(), self.grounds().len());
        let mut rng = Rng::new(first, 1);
        let (mut played, mut rounds) = (vec![0; bots], Vec::new());
        while played.iter().any(|played| *played < games) {
            let mut table: Vec<usize> = (0..bots).collect();
            rng.shuffle(&mut table);
            // Those behind come first.
            table.sort_by_key(|bot| played[*bot]);
            table.truncate(members);
            for bot in &table {
                played[*bot] += (members * grounds) as u64;
            }
            for ground in 0..grounds {
                rounds.push(Round {
                    seed: first + rounds.len() as u64,
                    table: table.clone(),
                    ground,
                    seats: (0..members).collect(),
                });
            }
        }
        rounds
    }
}

/// A block of a ladder.
pub(crate) struct Round {
    pub(crate) table: Vec<usize>,
    pub(crate) ground: usize,
    pub(crate) seed: u64,
    /// The seats that the table's first member takes.
    pub(crate) seats: Vec<usize>,
}

/// A figure of a game's result.
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
}

/// How a figure is shown.
pub(crate) enum Unit {
    /// A share, in per cent.
    Share,
    /// A mean with so many decimals.
    Mean(usize),
    /// The sum over all games.
    Total,
}

impl Figure {
    pub(crate) const fn new(name: &'static str, unit: Unit) -> Self {
        Self { name, unit }
    }
}

/// Each seat's share of the pairs with the other seats.
pub(crate) fn pairs(outcome: &Outcome) -> Vec<f64> {
    let mut won = vec![0.0; outcome.scores.len()];
    let others = won.len().saturating_sub(1).max(1) as f64;
    for duel in outcome.duels() {
        for (Seat(seat), share) in [(duel.first, duel.share), (duel.second, 1.0 - duel.share)] {
            won[usize::from(seat)] += share / others;
        }
    }
    won
}
