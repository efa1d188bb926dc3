//! What only Koehandel has.

use super::climb::climb;
use super::farm::{Farm, Pay};
use super::learn::{School, learn};
use crate::field::Field as _;
use crate::play::Record;
use crate::tally::Tally;
use anyhow::Context as _;
use games::arena::play_by;
use games::game::{Budget, Game as _};
use games::koehandel::bots::champion::playout::play_out;
use games::koehandel::bots::policy::Limits;
use games::koehandel::bots::styles::{KINDS, kind_named};
use games::koehandel::rules::{Act, Ask, Hidden, Koehandel, Setup};
use games::koehandel::view::View;
use std::time::Instant;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Own {
    /// Climbs from the evolved player's numbers in random company: one or two changed at a time, kept where the
    /// same deals are won more often.
    Climb {
        #[command(flatten)]
        study: Study,
        /// Changes that are tried.
        #[arg(long, default_value_t = 120)]
        steps: u64,
        /// Seed of the changes.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Learns what positions are worth from whole matches between players of the learnt types.
    Learn {
        #[command(flatten)]
        study: Study,
        #[command(flatten)]
        school: School,
    },
    /// Playouts a second from the first turn, and whether they win as real matches do.
    Playouts(Study),
    /// Asks and turns a match of four of the same, to compare with other implementations.
    Sizes(Study),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Study {
    /// Who plays.
    #[arg(long, value_delimiter = ',')]
    bots: Vec<String>,
    /// Matches of a comparison, playouts, or matches of each bot.
    #[arg(long)]
    games: Option<u64>,
    /// Who pays in a trade.
    #[arg(long, value_enum, default_value = "both")]
    pay: Pay,
}

const COMPANY: &str =
    "face,guide,tuned,tuned,evolved,evolved,evolved,tuned-cash,guide-cash,trader,setbuilder";

impl Study {
    /// Does it under each way to pay, with these bots and so many games unless others were given.
    fn each(
        &self,
        (bots, games): (&str, u64),
        mut work: impl FnMut(Farm, &[String], u64) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut names = self.bots.clone();
        if names.is_empty() {
            names = bots.split(',').map(str::to_owned).collect();
        }
        let games = self.games.unwrap_or(games).max(1);
        let pays = self.pay.each().iter();
        pays.copied()
            .map(Farm::new)
            .try_for_each(|farm| work(farm, &names, games))
    }
}

impl Own {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Climb { study, steps, seed } => study
                .each((COMPANY, 3_000), |farm, bots, games| {
                    climb(farm, bots, games, *steps, *seed)
                }),
            Self::Learn { study, school } => {
                study.each(("", 60_000), |farm, _, games| learn(&farm, games, *school))
            }
            Self::Playouts(study) => {
                study.each(("setbuilder,guide,tuned,evolved", 20_000), playouts)
            }
            Self::Sizes(study) => {
                study.each(("filler,random,trader,face,guide,tuned", 1_000), sizes)
            }
        }
    }
}

fn playouts(farm: Farm, names: &[String], games: u64) -> anyhow::Result<()> {
    let style = |name: &String| kind_named(name).map(|at| KINDS[at].style);
    let styles = names.iter().map(style).collect::<Option<Vec<_>>>();
    let styles = styles.context("there is no such type")?;
    let mut tallies = vec![Tally::default(); styles.len()];
    let started = Instant::now();
    for game in 0..games {
        let setup = Setup::deal(game, farm.options());
        let at: [usize; 4] = std::array::from_fn(|seat| (seat + game as usize) % styles.len());
        let (purses, deck) = (&setup.purses, &setup.deck);
        let start = View::start();
        let (options, hidden) = (farm.options(), Hidden::default());
        let position = Koehandel::imagine(&start, purses, deck, options, &Ask::Turn, &hidden);
        let mut position = position.context("a whole deck adds up")?;
        let seated = at.map(|at| styles[at]);
        play_out(&mut position, &seated, &mut [Limits::NONE; 4], game);
        let outcome = position.outcome().context("a match must end")?;
        let shares = outcome.win_shares();
        let records = shares.iter().map(|(seat, share)| Record {
            figures: vec![*share, outcome.scores[seat] as f64],
            times: Vec::new(),
        });
        let records: Vec<Record> = records.collect();
        for (style, tally) in tallies.iter_mut().enumerate() {
            let seats = at.iter().zip(&records);
            let own = seats.filter_map(|(at, record)| (*at == style).then_some(record));
            tally.add(1, own);
        }
    }
    let rate = games as f64 / started.elapsed().as_secs_f64();
    println!("{:?}: {rate:.0} playouts a second", farm.pay);
    for (name, tally) in names.iter().zip(&mut tallies) {
        println!("  {name:12} {}", tally.show(Farm::FIGURES));
    }
    Ok(())
}

fn sizes(farm: Farm, names: &[String], games: u64) -> anyhow::Result<()> {
    names.iter().try_for_each(|name| size(&farm, name, games))
}

fn size(farm: &Farm, name: &str, games: u64) -> anyhow::Result<()> {
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
