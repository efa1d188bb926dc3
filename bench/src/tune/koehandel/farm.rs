//! How Koehandel is measured.

use super::strangers::{player, searches, stranger};
use crate::field::{self, Field, Figure, Round, Seated, Unit};
use crate::play::Side;
use games::arena::Finished;
use games::contest::{Advice, Contest as _};
use games::game::Game as _;
use games::koehandel::bots::policy::Profile;
use games::koehandel::options::{Options, TradePayment};
use games::koehandel::rules::{Koehandel, Setup};
use games::rng::Rng;

/// What sets bots' chance apart from the deal's.
pub(super) const BOTS_APART: u64 = 0xA5A5;
/// The bot with [`Farm::profile`].
pub(super) const CLIMBER: &str = "climber";
/// The stream that draws tables.
const TABLES: u64 = 77;

/// Who pays in a trade.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Pay {
    Winner,
    Exchange,
    Both,
}

impl Pay {
    pub(super) fn each(self) -> &'static [TradePayment] {
        match self {
            Self::Winner => &[TradePayment::Winner],
            Self::Exchange => &[TradePayment::Exchange],
            Self::Both => &[TradePayment::Winner, TradePayment::Exchange],
        }
    }
}

/// What Koehandel is measured by.
#[derive(Debug, clap::Args)]
pub(crate) struct Keys {
    /// Who pays in a trade.
    #[arg(long, value_enum, default_value = "both")]
    pay: Pay,
    /// Seed of the first deal.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Whether the champion has models of types; without them it takes every rival for `tuned`.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    models: bool,
}

pub(crate) struct Farm {
    pub(super) pay: TradePayment,
    pub(super) seed: u64,
    pub(super) models: bool,
    /// The policy of [`CLIMBER`].
    pub(super) profile: Profile,
}

impl Farm {
    /// Matches under one way to pay.
    pub(super) const fn new(pay: TradePayment) -> Self {
        Self {
            pay,
            seed: 0,
            models: true,
            profile: Profile::GUIDE,
        }
    }

    pub(super) fn options(&self) -> Options {
        Options {
            trade_payment: self.pay,
            ..Options::default()
        }
    }
}

impl field::Keys for Keys {
    type Field = Farm;

    fn fields(&self) -> anyhow::Result<Vec<Farm>> {
        let farm = |pay: &TradePayment| Farm {
            seed: self.seed,
            models: self.models,
            ..Farm::new(*pay)
        };
        Ok(self.pay.each().iter().map(farm).collect())
    }
}

impl Field for Farm {
    type Game = Koehandel;
    const FIGURES: &'static [Figure] = &[
        Figure::new("of wins", Unit::Share),
        Figure::new("points", Unit::Mean(0)),
    ];

    fn title(&self) -> String {
        format!("{:?}, deals from {}", self.pay, self.seed)
    }

    fn members(&self) -> usize {
        4
    }

    fn setup(&self, _: usize, seed: u64) -> anyhow::Result<Setup> {
        Ok(Setup::deal(self.seed + seed, self.options()))
    }

    fn bot(&self, name: &str, seed: u64) -> Option<Seated<Koehandel>> {
        let advice = match self.models {
            true => Advice::Shipped,
            false => Advice::None,
        };
        match name {
            CLIMBER => Some(Box::new(player(self.profile, seed))),
            name => stranger(name, seed).or_else(|| Koehandel::bot(name, seed, advice)),
        }
    }

    fn listens(&self, name: &str) -> bool {
        searches(name) || Koehandel::listens(name)
    }

    fn bot_seed(&self, seed: u64, seat: u64) -> u64 {
        ((self.seed + seed) ^ BOTS_APART).wrapping_mul(4) + seat
    }

    fn figures(&self, end: &Finished<Koehandel>, _: &[Side]) -> Vec<Vec<f64>> {
        let outcome = end.game.outcome();
        outcome.map_or_else(Vec::new, |outcome| {
            let (shares, scores) = (outcome.win_shares(), outcome.scores.values());
            let figures = shares.values().iter().zip(scores);
            figures
                .map(|(share, score)| vec![*share, *score as f64])
                .collect()
        })
    }

    /// Every game has a table and a deal of its own.
    fn rounds(&self, bots: usize, first: u64, games: u64) -> Vec<Round> {
        let mut rng = Rng::new(self.seed + first, TABLES);
        let round = |seed| {
            let mut table: Vec<usize> = (0..bots).collect();
            rng.shuffle(&mut table);
            table.truncate(4);
            Round {
                table,
                ground: 0,
                seed,
                seats: vec![0],
            }
        };
        (first..first + games).map(round).collect()
    }
}
