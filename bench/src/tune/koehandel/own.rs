//! What only Koehandel has.

use super::climb::climb;
use super::farm::{Farm, Pay};
use crate::field::Field as _;
use crate::play::Record;
use crate::tally::Tally;
use anyhow::{Context as _, ensure};
use games::arena::play_by;
use games::game::{Budget, Game as _};
use games::koehandel::bots::champion::playout::play_out;
use games::koehandel::bots::policy::Limits;
use games::koehandel::bots::styles::{KINDS, kind_named};
use games::koehandel::rules::{Act, Ask, Koehandel, Moment, Setup};
use games::koehandel::view::View;
use std::time::Instant;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Own {
    /// Climbs from the evolved player's numbers: one or two changed at a time, kept where the same deals are won
    /// more often.
    Climb {
        /// Random company.
        #[arg(
            long,
            value_delimiter = ',',
            default_value = "face,guide,tuned,tuned,evolved,evolved,evolved,tuned-cash,guide-cash,trader,setbuilder"
        )]
        bots: Vec<String>,
        /// Matches a comparison.
        #[arg(long, default_value_t = 3_000)]
        games: u64,
        /// Changes that are tried.
        #[arg(long, default_value_t = 120)]
        steps: u64,
        /// Seed of the changes.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Who pays in a trade.
        #[arg(long, value_enum, default_value = "both")]
        pay: Pay,
    },
    /// Playouts a second from the first turn, and whether they win as real matches do.
    Playouts {
        /// Types of players.
        #[arg(
            long,
            value_delimiter = ',',
            default_value = "setbuilder,guide,tuned,evolved"
        )]
        bots: Vec<String>,
        /// Playouts.
        #[arg(long, default_value_t = 20_000)]
        games: u64,
        /// Who pays in a trade.
        #[arg(long, value_enum, default_value = "both")]
        pay: Pay,
    },
    /// Asks and turns a match of four of the same, to compare with other implementations.
    Sizes {
        /// Who plays, each with itself.
        #[arg(
            long,
            value_delimiter = ',',
            default_value = "filler,random,trader,face,guide,tuned"
        )]
        bots: Vec<String>,
        /// Matches of each.
        #[arg(long, default_value_t = 1_000)]
        games: u64,
        /// Who pays in a trade.
        #[arg(long, value_enum, default_value = "both")]
        pay: Pay,
    },
}

impl Own {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let (Self::Climb { pay, .. } | Self::Playouts { pay, .. } | Self::Sizes { pay, .. }) = self;
        for pay in pay.each() {
            let farm = Farm::new(*pay);
            match self {
                Self::Climb {
                    bots,
                    games,
                    steps,
                    seed,
                    ..
                } => climb(farm, bots, *games, *steps, *seed)?,
                Self::Playouts { bots, games, .. } => playouts(&farm, bots, *games)?,
                Self::Sizes { bots, games, .. } => {
                    for name in bots {
                        sizes(&farm, name, *games)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn playouts(farm: &Farm, names: &[String], games: u64) -> anyhow::Result<()> {
    let style = |name: &String| kind_named(name).map(|at| KINDS[at].style);
    let styles = names.iter().map(style).collect::<Option<Vec<_>>>();
    let styles = styles.context("there is no such type")?;
    ensure!(!styles.is_empty(), "nobody plays");
    let mut tallies = vec![Tally::default(); styles.len()];
    let started = Instant::now();
    for game in 0..games {
        let setup = Setup::deal(game, farm.options());
        let at: [usize; 4] = std::array::from_fn(|seat| (seat + game as usize) % styles.len());
        let (purses, deck) = (&setup.purses, &setup.deck);
        let start = View::start();
        let position = Koehandel::imagine(&start, purses, deck, farm.options(), &Moment::Turn);
        let mut position = position.context("a whole deck adds up")?;
        let seated = at.map(|at| styles[at]);
        play_out(&mut position, &seated, &mut [Limits::NONE; 4], game);
        let outcome = position.outcome().context("a match must end")?;
        for (seat, share) in outcome.win_shares().iter() {
            let record = Record {
                figures: vec![*share, outcome.scores[seat] as f64],
                times: Vec::new(),
            };
            tallies[at[seat.index()]].add(std::iter::once(&record));
        }
    }
    let rate = games as f64 / started.elapsed().as_secs_f64();
    println!("{:?}: {rate:.0} playouts a second", farm.pay);
    for (name, tally) in names.iter().zip(&mut tallies) {
        println!("  {name:12} {}", tally.show(Farm::FIGURES));
    }
    Ok(())
}

fn sizes(farm: &Farm, name: &str, games: u64) -> anyhow::Result<()> {
    ensure!(games > 0, "a mean needs games");
    let (mut asks, mut turns, mut trades, mut ties, mut bought) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut scores: Vec<i64> = Vec::new();
    for game in 0..games {
        let bots = (0..4).map(|seat| farm.bot(name, game * 4 + seat)).collect();
        let bots: Option<Vec<_>> = bots;
        let mut bots = bots.with_context(|| format!("there is no bot {name:?}"))?;
        let setup = Setup::deal(game, farm.options());
        let end = play_by(&setup, &mut bots, |_, bot, view, ask| {
            let act = bot.decide(view, ask, Budget::nodes(1));
            asks += 1;
            match ask {
                Ask::Turn => turns += 1,
                Ask::Counter { .. } => trades += 1,
                Ask::Rebid {
                    challenger: true, ..
                } => ties += 1,
                Ask::PreEmpt { .. } if act != Act::PASS => bought += 1,
                _ => {}
            }
            act
        });
        let outcome = end.game.outcome().context("a match must end")?;
        scores.extend(outcome.scores.values());
    }
    scores.sort_unstable();
    let [asks, turns, trades, ties, bought] =
        [asks, turns, trades, ties, bought].map(|count| count as f64 / games as f64);
    let [low, half, high, most] =
        [10, 50, 90, 100].map(|part: usize| scores[(scores.len() - 1) * part / 100]);
    println!(
        "{:?} 4 {name:10} asks {asks:.0} turns {turns:.0} trades {trades:.1} ties {ties:.1} \
         bought {bought:.1} scores p10/50/90/max {low}/{half}/{high}/{most}",
        farm.pay
    );
    Ok(())
}
