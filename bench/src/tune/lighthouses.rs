//! Lighthouses.

use crate::args::{Setting, apply, maps, shipped};
use crate::field::{self, Field, Figure, Seated, Unit, Variant, pairs};
use crate::play::Side;
use anyhow::Context as _;
use games::arena::Finished;
use games::game::Game as _;
use games::lighthouses::atlas::MAPS;
use games::lighthouses::bots::champion::{CHAMPION, champion_with};
use games::lighthouses::bots::make;
use games::lighthouses::bots::strangers::stranger;
use games::lighthouses::bots::triangle::{HABITS, hunter};
use games::lighthouses::generate::{Style, generate};
use games::lighthouses::map::Map;
use games::lighthouses::rules::{Lighthouses, PLAYERS, Setup};

/// What Lighthouses is measured by.
#[derive(Debug, clap::Args)]
pub(crate) struct Keys {
    /// Shipped maps, files, folders, `foreign` for those in the folder that DROVER_FOREIGN_MAPS names, or
    /// `drawn:SEED[:WIDTHxHEIGHT[:LIGHTHOUSES]]`; `all` shipped ones.
    #[arg(long, value_delimiter = ',', default_value = "all")]
    maps: Vec<String>,
    /// Players of a game; a duel and a ladder need two or more.
    #[arg(long, default_value_t = 2, value_parser = players)]
    players: usize,
    /// Rounds of a game.
    #[arg(long, default_value_t = 1_200)]
    rounds: u32,
    /// Habits of the bot `hunter`: the triangle hunter's, changed by NAME=VALUE.
    #[arg(long, value_delimiter = ',')]
    habits: Vec<Setting>,
    /// Numbers of the bot `variant`: the champion's, changed by NAME=VALUE.
    #[arg(long, value_delimiter = ',')]
    knobs: Vec<Setting>,
}

fn players(text: &str) -> Result<usize, String> {
    let players = text.parse().map_err(|why| format!("{why}"))?;
    let (least, most) = (PLAYERS.start(), PLAYERS.end());
    let fits = PLAYERS.contains(&players).then_some(players);
    fits.ok_or_else(|| format!("a game has {least} to {most} players"))
}

pub(crate) struct Islands {
    maps: Vec<(String, Map)>,
    players: usize,
    rounds: u32,
    hunter: Variant<Lighthouses>,
    variant: Variant<Lighthouses>,
}

/// The map drawn by `SEED[:WIDTHxHEIGHT[:LIGHTHOUSES]]` for four players, the same again after half a
/// turn where the seed is even.
fn drawn(words: &str) -> anyhow::Result<Map> {
    let mut words = words.split(':');
    let seed: u64 = words.next().unwrap_or_default().parse()?;
    let mut style = Style {
        symmetric: seed.is_multiple_of(2),
        ..Style::default()
    };
    if let Some(size) = words.next() {
        let (width, height) = size.split_once('x').context("drawn:SEED:WIDTHxHEIGHT")?;
        style.width = Some(width.parse()?);
        style.height = Some(height.parse()?);
    }
    style.lighthouses = words.next().map(str::parse).transpose()?;
    generate(seed, &style).map_err(anyhow::Error::msg)
}

fn known(name: &str) -> anyhow::Result<Vec<(String, Map)>> {
    match name.strip_prefix("drawn:") {
        Some(words) => Ok(vec![(name.to_owned(), drawn(words)?)]),
        None => shipped(&MAPS, (name, "all"), Map::read),
    }
}

impl field::Keys for Keys {
    type Field = Islands;

    fn fields(&self) -> anyhow::Result<Vec<Islands>> {
        let (mut habits, mut knobs) = (HABITS, CHAMPION);
        apply(&self.habits, |name, value| habits.set(name, value))?;
        apply(&self.knobs, |name, value| knobs.set(name, value))?;
        Ok(vec![Islands {
            maps: maps(&self.maps, known, Map::read)?,
            players: self.players,
            rounds: self.rounds,
            hunter: Box::new(move |_| hunter(habits)),
            variant: Box::new(move |seed| champion_with(seed, knobs)),
        }])
    }
}

impl Field for Islands {
    type Game = Lighthouses;
    const FIGURES: &'static [Figure] = &[
        Figure::new("of pairs", Unit::Share),
        Figure::new("points", Unit::Mean(0)),
        Figure::new("a round", Unit::Mean(1)),
        Figure::new("of points", Unit::Share),
        Figure::new("refused", Unit::Total),
    ];

    fn title(&self) -> String {
        format!("{} players, {} rounds", self.players, self.rounds)
    }

    fn members(&self) -> usize {
        self.players
    }

    fn grounds(&self) -> Vec<String> {
        self.maps.iter().map(|(name, _)| name.clone()).collect()
    }

    fn setup(&self, ground: usize, _: u64) -> anyhow::Result<Setup> {
        let setup = Setup {
            map: self.maps[ground].1.clone(),
            players: self.players,
            rounds: self.rounds,
        };
        setup.check().map_err(anyhow::Error::msg)?;
        Ok(setup)
    }

    fn bot(&self, name: &str, seed: u64) -> Option<Seated<Lighthouses>> {
        match name {
            "hunter" => Some((self.hunter)(seed)),
            "variant" => Some((self.variant)(seed)),
            _ => stranger(name, seed).or_else(|| make(name, seed)),
        }
    }

    fn bot_seed(&self, seed: u64, seat: u64) -> u64 {
        seed.wrapping_mul(16).wrapping_add(seat)
    }

    fn figures(&self, end: &Finished<Lighthouses>, _: &[Side]) -> Vec<Vec<f64>> {
        let (scores, rounds) = (end.game.scores(), f64::from(self.rounds));
        let all = (scores.values().iter().sum::<i64>() as f64).max(1.0);
        let pairs = end.game.outcome().map(|outcome| pairs(&outcome));
        let shares = pairs.into_iter().flatten();
        let figures = scores.iter().zip(shares).map(|((seat, points), pairs)| {
            let points = *points as f64;
            let refused = end.refused[seat].into();
            vec![pairs, points, points / rounds, points / all, refused]
        });
        figures.collect()
    }
}
