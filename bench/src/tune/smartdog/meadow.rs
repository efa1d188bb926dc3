//! Smart-dog's conditions and figures.

use super::strangers::stranger;
use crate::args::{Setting, apply, maps, shipped};
use crate::field::{self, Field, Figure, Seated, Unit, Variant};
use crate::play::Side;
use games::arena::{Acts, Finished};
use games::contest::{Advice, Contest as _};
use games::smartdog::atlas::MAPS;
use games::smartdog::bots::arrange;
use games::smartdog::bots::champion::{CHAMPION, Herder};
use games::smartdog::generate::{Style, generate};
use games::smartdog::known::KnownMaps;
use games::smartdog::map::Map;
use games::smartdog::options::Options;
use games::smartdog::rules::{Players, Setup, SmartDog};

/// What bots know beforehand.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Known {
    None,
    Atlas,
}

/// What smart-dog is measured by.
#[derive(Debug, clap::Args)]
pub(crate) struct Keys {
    /// Shipped maps, all of them with `own`; `FIRST..END` for maps drawn by these seeds; files, folders.
    #[arg(long, value_delimiter = ',', default_value = "own")]
    maps: Vec<String>,
    /// Players of a match, each number by itself.
    #[arg(long, value_delimiter = ',', default_value = "2")]
    players: Vec<u8>,
    /// Seed of the bots' chance.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which maps bots may recognise.
    #[arg(long, value_enum, default_value = "atlas")]
    known: Known,
    /// Numbers of the bot `variant`: the champion's, changed by NAME=VALUE.
    #[arg(long, value_delimiter = ',')]
    knobs: Vec<Setting>,
}

pub(crate) struct Meadow {
    maps: Vec<(String, Map)>,
    players: Players,
    seed: u64,
    known: Known,
    variant: Variant<SmartDog>,
}

fn known(name: &str) -> anyhow::Result<Vec<(String, Map)>> {
    let Some((first, end)) = name.split_once("..") else {
        return shipped(&MAPS, (name, "own"), Map::read);
    };
    let seeds = first.parse::<u64>()?..end.parse()?;
    let drawn = seeds.map(|seed| (format!("seed {seed}"), generate(seed, &Style::default())));
    Ok(drawn.collect())
}

impl Keys {
    /// The champion with some numbers of its own.
    fn variant(&self) -> anyhow::Result<Variant<SmartDog>> {
        let mut knobs = CHAMPION;
        apply(&self.knobs, |name, value| {
            let (reach, weights) = (&mut knobs.reach, &mut knobs.weights);
            match name {
                "depth" => reach.depth = value as usize,
                "trail" => reach.trail = value,
                "replies" => reach.replies = value > 0.0,
                "draft" => reach.draft = value > 0.0,
                "horizon" => reach.horizon = value as u32,
                "turns" => reach.turns = value > 0.0,
                "finals" => reach.finals = value as usize,
                "models" => {
                    let known = CHAMPION.models;
                    knobs.models = &known[..known.len().min(value as usize)];
                }
                name => return weights.set(name, value),
            }
            true
        })?;
        let known = match self.known {
            Known::None => KnownMaps::none(),
            Known::Atlas => KnownMaps::of_atlas(),
        };
        Ok(Box::new(move |_| Box::new(Herder::new(knobs, &known))))
    }
}

impl field::Keys for Keys {
    type Field = Meadow;

    fn fields(&self) -> anyhow::Result<Vec<Meadow>> {
        let field = |players: &u8| {
            Ok(Meadow {
                maps: maps(&self.maps, known, Map::read)?,
                players: Players::try_from(*players).map_err(anyhow::Error::msg)?,
                seed: self.seed,
                known: self.known,
                variant: self.variant()?,
            })
        };
        self.players.iter().map(field).collect()
    }
}

impl Field for Meadow {
    type Game = SmartDog;
    const FIGURES: &'static [Figure] = &[
        Figure::new("of wins", Unit::Share),
        Figure::new("score", Unit::Mean(2)),
        Figure::new("best rival", Unit::Mean(2)),
        Figure::new("penned of", Unit::Total),
        Figure::new("sheep", Unit::Total),
        Figure::new("with all penned", Unit::Total),
        Figure::new("lost of the most penned", Unit::Mean(2)),
    ];
    const NODES: u64 = 3_000;

    fn title(&self) -> String {
        format!("{} players, {} maps", self.members(), self.maps.len())
    }

    fn members(&self) -> usize {
        self.players.count()
    }

    fn grounds(&self) -> Vec<String> {
        self.maps.iter().map(|(name, _)| name.clone()).collect()
    }

    fn setup(&self, ground: usize, _: u64) -> anyhow::Result<Setup> {
        Ok(Setup {
            map: self.maps[ground].1.clone(),
            players: self.players,
            options: Options::default(),
        })
    }

    fn bot(&self, name: &str, seed: u64) -> Option<Seated<SmartDog>> {
        let advice = match self.known {
            Known::None => Advice::None,
            Known::Atlas => Advice::Shipped,
        };
        match name {
            "variant" => Some((self.variant)(seed)),
            name => stranger(name).or_else(|| SmartDog::bot(name, seed, advice)),
        }
    }

    fn bot_seed(&self, _: u64, seat: u64) -> u64 {
        self.seed.wrapping_mul(4).wrapping_add(seat)
    }

    /// Commands of turn N work in seat order, beginning with seat (N − 1) mod players. The most sheep that ever stood
    /// in a pen are noted.
    fn arrive(&self, game: &SmartDog, acts: &mut Acts<SmartDog>, sides: &mut [Side]) {
        for (side, penned) in sides.iter_mut().zip(game.penned().values()) {
            side.notes[0] = side.notes[0].max(f64::from(*penned));
        }
        arrange(game, acts);
    }

    /// A win is the official one.
    fn figures(&self, end: &Finished<SmartDog>, sides: &[Side]) -> Vec<Vec<f64>> {
        let (game, scores) = (&end.game, end.game.scores());
        let sheep = game.ground().sheep_of_tile() as f64;
        let figures = scores.iter().zip(sides).map(|((seat, score), side)| {
            let rivals = scores.iter().filter(|(other, _)| *other != seat);
            let best = rivals.map(|(_, score)| *score).reduce(f64::max);
            let penned = f64::from(game.penned()[seat]);
            let won = f64::from(u8::from(game.winner() == Some(seat)));
            let all = f64::from(u8::from(penned >= sheep));
            let lost = (side.notes[0] - penned).max(0.0);
            vec![
                won,
                *score,
                best.unwrap_or_default(),
                penned,
                sheep,
                all,
                lost,
            ]
        });
        figures.collect()
    }
}
