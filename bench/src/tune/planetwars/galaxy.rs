//! Planet Wars: a member of a table is a team of copies.

use super::{close, strangers};
use crate::args::maps;
use crate::field::{self, Field, Figure, Round, Seated, Unit};
use crate::play::Side;
use anyhow::ensure;
use games::arena::Finished;
use games::game::Seat;
use games::planetwars::bots::drill::{Drill, drill};
use games::planetwars::bots::{CARDS, make};
use games::planetwars::generate::{Look, Style, generate};
use games::planetwars::map;
use games::planetwars::rules::{NEUTRAL, Planet, PlanetWars, PlayerId, Ruleset, Setup};
use games::rng::Rng;
use std::collections::HashMap;

/// Streams of a block's seed that shuffle the players.
const SEATING_STREAM: u64 = 6 << 32;

/// What Planet Wars is measured by: players' numbers are shuffled over the places of the teams, by block.
#[derive(Debug, clap::Args)]
pub(crate) struct Keys {
    /// Maps drawn by the block's seed in the look of the `contest`, of `google`'s or of `both` in turn, `close`
    /// (homes of 2 to 6 ships one to four turns apart) or `shrinking` (negative growth); files, folders, or `foreign` for those in the folder that DROVER_FOREIGN_MAPS names. Of map files only those count that
    /// have as many homes as there are players.
    #[arg(long, value_delimiter = ',', default_value = "both")]
    maps: Vec<String>,
    /// Players of a team.
    #[arg(long, default_value_t = 1)]
    size: usize,
    /// Teams of a game.
    #[arg(long, default_value_t = 2)]
    sides: usize,
    /// Rounds of a game.
    #[arg(long, default_value_t = 200)]
    rounds: u32,
    /// Planets of drawn maps.
    #[arg(long)]
    planets: Option<usize>,
    /// The set of rules: those of the `team` contest, of `mz2015` or of `google2010`.
    #[arg(long, default_value = "team", value_parser = ["team", "mz2015", "google2010"])]
    rules: String,
    /// Players are shown all fleets in flight.
    #[arg(long)]
    fleets: bool,
}

/// Where maps come from.
enum Source {
    Drawn(Look),
    Close,
    Shrinking,
    Read(Vec<Planet>),
}

pub(crate) struct Galaxy {
    sources: Vec<(String, Source)>,
    sides: usize,
    size: usize,
    planets: Option<usize>,
    ruleset: Ruleset,
}

/// The players who have a home, by number.
fn owners(planets: &[Planet]) -> Vec<PlayerId> {
    let owners = planets.iter().map(|planet| planet.owner);
    let mut owners: Vec<PlayerId> = owners.filter(|owner| *owner != NEUTRAL).collect();
    owners.sort_unstable();
    owners.dedup();
    owners
}

fn drawn(name: &str) -> anyhow::Result<Vec<(String, Source)>> {
    match name {
        "close" => return Ok(vec![(name.to_owned(), Source::Close)]),
        "shrinking" => return Ok(vec![(name.to_owned(), Source::Shrinking)]),
        _ => {}
    }
    let looks = [("contest", Look::Contest), ("google", Look::Google)];
    let wanted = looks
        .iter()
        .filter(|(look, _)| [look, "both"].contains(&name));
    Ok(wanted
        .map(|(name, look)| ((*name).to_owned(), Source::Drawn(*look)))
        .collect())
}

impl field::Keys for Keys {
    type Field = Galaxy;

    fn fields(&self) -> anyhow::Result<Vec<Galaxy>> {
        let mut sources = maps(&self.maps, drawn, |text| map::read(text).map(Source::Read))?;
        sources.retain(|(_, source)| match source {
            Source::Drawn(_) | Source::Close => true,
            Source::Shrinking => self.sides * self.size == 2,
            Source::Read(planets) => owners(planets).len() == self.sides * self.size,
        });
        ensure!(
            !sources.is_empty(),
            "no map has as many homes as there are players"
        );
        Ok(vec![Galaxy {
            sources,
            sides: self.sides,
            size: self.size,
            planets: self.planets,
            ruleset: Ruleset {
                rounds: self.rounds,
                shows_fleets: self.fleets,
                ..match self.rules.as_str() {
                    "mz2015" => Ruleset::MZ2015,
                    "google2010" => Ruleset::GOOGLE2010,
                    _ => Ruleset::TEAM,
                }
            },
        }])
    }
}

/// Every choice of so many of the first `count` numbers.
fn choices(count: usize, taken: usize) -> Vec<Vec<usize>> {
    if taken == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for last in taken.saturating_sub(1)..count {
        for mut choice in choices(last, taken - 1) {
            choice.push(last);
            all.push(choice);
        }
    }
    all
}

impl Field for Galaxy {
    type Game = PlanetWars;
    const FIGURES: &'static [Figure] = &[
        Figure::new("of wins", Unit::Share),
        Figure::new("rounds", Unit::Mean(1)),
        Figure::new("ships", Unit::Mean(1)),
        Figure::new("offenders", Unit::Total),
    ];
    const NODES: u64 = 2_000;

    fn title(&self) -> String {
        format!(
            "{} teams of {}, {} rounds",
            self.sides, self.size, self.ruleset.rounds
        )
    }

    fn members(&self) -> usize {
        self.sides
    }

    fn team(&self) -> usize {
        self.size
    }

    fn grounds(&self) -> Vec<String> {
        self.sources.iter().map(|(name, _)| name.clone()).collect()
    }

    fn setup(&self, ground: usize, seed: u64) -> anyhow::Result<Setup> {
        let count = self.sides * self.size;
        let planets = match &self.sources[ground].1 {
            Source::Read(planets) => planets.clone(),
            Source::Close if count > 2 => close::crowd(seed, count),
            Source::Close => close::near(seed),
            Source::Shrinking => close::shrinking(seed),
            Source::Drawn(look) => {
                let style = Style {
                    look: *look,
                    players: count,
                    planets: self.planets,
                    side: None,
                };
                generate(seed, &style).map_err(anyhow::Error::msg)?
            }
        };
        let mut players = owners(&planets);
        ensure!(
            players.len() == count,
            "{} homes for {count} players",
            players.len()
        );
        Rng::new(seed, SEATING_STREAM).shuffle(&mut players);
        Ok(Setup {
            planets,
            players,
            teams: (0..count).map(|seat| (seat / self.size) as u8).collect(),
            ruleset: self.ruleset,
        })
    }

    fn bot(&self, name: &str, seed: u64) -> Option<Seated<PlanetWars>> {
        make(name, seed).or_else(|| strangers::stranger(name, seed, self.ruleset, self.size))
    }

    fn bot_seed(&self, seed: u64, seat: u64) -> u64 {
        seed.wrapping_mul(128).wrapping_add(seat)
    }

    /// A win is the largest team's total at the end, draws are shared.
    fn figures(&self, end: &Finished<PlanetWars>, _: &[Side]) -> Vec<Vec<f64>> {
        let totals: Vec<i64> = (0..self.sides as u8)
            .map(|team| end.game.total(team))
            .collect();
        let best = totals.iter().max().copied().unwrap_or_default();
        let winners = totals.iter().filter(|total| **total == best).count();
        let figures = totals.iter().enumerate().map(|(team, total)| {
            let share = if *total == best {
                1.0 / winners as f64
            } else {
                0.0
            };
            let seats = (team * self.size..(team + 1) * self.size).map(|seat| Seat(seat as u8));
            let offenders = seats.filter(|seat| end.game.is_dropped(*seat)).count();
            let rounds = f64::from(end.game.turn());
            vec![share, rounds, *total as f64, offenders as f64]
        });
        figures.collect()
    }

    fn bots(&self) -> Vec<&'static str> {
        let names = CARDS.iter().map(|card| card.name);
        names
            .filter(|name| name.ends_with("-team") == (self.size > 1))
            .collect()
    }

    /// Every table of different bots plays the same blocks.
    fn rounds(&self, bots: usize, first: u64, games: u64) -> Vec<Round> {
        let blocks = first..first + games.div_ceil(self.sides as u64);
        let tables = choices(bots, self.sides).into_iter();
        let rounds = tables.flat_map(|table| {
            blocks.clone().map(move |seed| Round {
                table: table.clone(),
                ground: (seed % self.sources.len() as u64) as usize,
                seed,
                seats: (0..self.sides).collect(),
            })
        });
        rounds.collect()
    }
}

/// What only Planet Wars has.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Own {
    /// Drills of the ring's words: strangers taken in, turns until a team is complete, by size and lag.
    Ring {
        /// Number of the first team.
        #[arg(long, default_value_t = 0)]
        first: u64,
        /// Teams.
        #[arg(long, default_value_t = 10_000)]
        games: u64,
    },
}

impl Own {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let Self::Ring { first, games } = *self;
        ring(first, games);
        Ok(())
    }
}

/// Drills by size and lag, with and without failing members and garbage that looks true.
fn ring(first: u64, teams: u64) {
    let mut strangers = 0;
    // By lag, whether there are many players, and size: teams, sum and most of the turns.
    let mut clean: HashMap<(u32, bool, usize), (u64, u64, u32)> = HashMap::new();
    let mut failing: HashMap<(u32, bool), (u64, u64, u64)> = HashMap::new();
    // A proof before its time, with garbage of any bits and with what looks like true words.
    let (mut early, mut missed) = ([0; 2], 0);
    for seed in first..first + teams {
        let mut rng = Rng::new(seed, SEATING_STREAM);
        let plan = Drill {
            seed,
            lag: rng.below(3),
            size: 1 + rng.below(10) as usize,
            many: rng.chance(0.25),
            crash: rng.chance(0.4),
            plausible: rng.chance(0.3),
        };
        let drilled = drill(&plan);
        strangers += drilled.false_members;
        early[usize::from(plan.plausible)] += u64::from(drilled.false_proofs > 0);
        if plan.crash {
            let sums = failing.entry((plan.lag, plan.many)).or_default();
            sums.0 += 1;
            sums.1 += u64::from(drilled.settled.unwrap_or_default());
            sums.2 += drilled.missing as u64;
            continue;
        }
        missed += drilled.missing;
        if !plan.plausible {
            let turn = drilled.complete.unwrap_or(u32::MAX);
            let sums = clean.entry((plan.lag, plan.many, plan.size)).or_default();
            *sums = (sums.0 + 1, sums.1 + u64::from(turn), sums.2.max(turn));
        }
    }
    println!(
        "{teams} teams from seed {first}: {strangers} strangers taken for mates, {missed} mates missed \
         where nobody failed, {} teams with a proof before its time, {} where garbage looked true",
        early[0], early[1]
    );
    println!("turn at which all knew their whole team, mean (most):");
    for many in [false, true] {
        for lag in 0..3 {
            let cell = |size: usize| match clean.get(&(lag, many, size)) {
                Some((count, sum, most)) => {
                    format!("{:>5.1} ({most:2})", *sum as f64 / *count as f64)
                }
                None => format!("{:>10}", "-"),
            };
            let cells: Vec<String> = (1..=10).map(cell).collect();
            let players = if many { "over 24" } else { "to 20" };
            println!("{players:8} lag {lag}  {}", cells.join(" "));
        }
    }
    println!(
        "a member fails: lag, over 24 players, teams, mean turn at which all had settled, mates \
         unknown at the end to all members of a team together"
    );
    let mut failing: Vec<_> = failing.into_iter().collect();
    failing.sort_unstable();
    for ((lag, many), (count, settled, missing)) in failing {
        let mean = |sum: u64| sum as f64 / count as f64;
        println!(
            "{lag} {many:5} {count:5} {:5.1} {:5.1}",
            mean(settled),
            mean(missing)
        );
    }
}
