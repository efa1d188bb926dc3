//! Heroes against rivals.

use crate::bots::Sheet;
use crate::field::{Conditions, Field};
use crate::line::line;
use anyhow::ensure;
use drover::tournament::Tally;
use std::time::Instant;

/// Blocks between two lines that say how it goes.
const LINES_APART: u64 = 10;

#[derive(Debug, clap::Args)]
pub(crate) struct DuelArgs {
    #[command(flatten)]
    conditions: Conditions,
    /// Bots that are measured, each by itself.
    #[arg(long, default_value = "champion", value_name = "NAME")]
    hero: Vec<String>,
    /// The bots that take the other seats in turn, no more of them than there are such seats. Given several times, each
    /// is met by itself. None where the hero is alone.
    #[arg(long, default_value = "", value_name = "NAME[,NAME…]")]
    rival: Vec<String>,
    /// Games in all, rounded up to whole blocks; unless given, every map once.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
}

impl DuelArgs {
    pub(crate) fn run<C: Sheet>(&self) -> anyhow::Result<()> {
        for hero in &self.hero {
            for rivals in &self.rival {
                self.duel::<C>(hero, rivals)?;
            }
        }
        Ok(())
    }

    fn duel<C: Sheet>(&self, hero: &str, rivals: &str) -> anyhow::Result<()> {
        let mut bots = vec![hero.to_owned()];
        let rivals = rivals.split(',').filter(|name| !name.is_empty());
        bots.extend(rivals.map(str::to_owned));
        let field = Field::<C>::new(&self.conditions, &bots)?;
        let (sides, grounds, rivals) = (field.sides, field.grounds.len(), bots.len() - 1);
        ensure!(
            rivals < sides && (rivals > 0 || sides == 1),
            "{rivals} rivals for {} other seats: name one or more, and no more than those",
            sides - 1
        );
        let others = (1..bots.len()).cycle().take(sides - 1);
        let table: Vec<usize> = std::iter::once(0).chain(others).collect();
        let blocks = self.games.map(|games| games.div_ceil(sides as u64));
        let tables = vec![table; blocks.map_or(grounds, |count| count as usize)];
        let met = bots[1..].join(",");
        println!("{hero} against {met}: {}", field.title(tables.len()));
        let mut whole = Tally::new(bots.len());
        let mut by_ground = vec![whole.clone(); grounds];
        let mut by_seat = vec![whole.clone(); sides];
        let begun = Instant::now();
        field.blocks(&tables, &mut |block, matches| {
            let counted = matches.iter().map(|played| &played.counted);
            whole.add(counted.clone());
            by_ground[field.ground(block)].add(counted.clone());
            for (tally, counted) in by_seat.iter_mut().zip(counted) {
                tally.add([counted]);
            }
            if (whole.games / sides as u64).is_multiple_of(LINES_APART) {
                let seconds = begun.elapsed().as_secs_f64();
                println!("  {seconds:8.0} s    {}", line(&whole.entrants[0]));
            }
        })?;
        for (bot, tally) in bots.iter().zip(&whole.entrants) {
            println!("{bot:16} {}", line(tally));
        }
        let met = field.grounds.iter().zip(&by_ground);
        for (ground, tally) in met.filter(|(_, tally)| grounds > 1 && tally.games > 0) {
            println!("  {:14} {}", ground.name, line(&tally.entrants[0]));
        }
        for (seat, tally) in (1..).zip(&by_seat) {
            println!("  seat {seat:<9} {}", line(&tally.entrants[0]));
        }
        Ok(())
    }
}
