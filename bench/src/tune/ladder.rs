//! Bots in tables with each other.

use crate::bots::Sheet;
use crate::field::{Conditions, Field};
use crate::line::line;
use anyhow::ensure;
use drover::tournament::Tally;
use drover::tournament::standings::{Named, PlayedGame, RankSettings, Standings};
use games::rng::Rng;

/// The stream of the first block's number that draws tables.
const TABLES: u64 = 1;

#[derive(Debug, clap::Args)]
pub(crate) struct LadderArgs {
    #[command(flatten)]
    conditions: Conditions,
    /// The bots; all that are built in unless given.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    bots: Vec<String>,
    /// Games of each bot at least.
    #[arg(long, default_value_t = 40, value_name = "N")]
    games: u64,
}

impl LadderArgs {
    pub(crate) fn run<C: Sheet>(&self) -> anyhow::Result<()> {
        let mut bots = self.bots.clone();
        if bots.is_empty() {
            bots.extend(C::CARD.bots.iter().map(|card| card.name.to_owned()));
        }
        let field = Field::<C>::new(&self.conditions, &bots)?;
        let sides = field.sides;
        ensure!(sides > 1, "a ladder needs two or more players");
        ensure!(bots.len() >= sides, "a ladder needs {sides} bots");
        let tables = self.tables(bots.len(), sides, field.grounds.len());
        println!("{}", field.title(tables.len()));
        let (mut tally, mut games) = (Tally::new(bots.len()), Vec::new());
        field.blocks(&tables, &mut |block, matches| {
            tally.add(matches.iter().map(|played| &played.counted));
            games.extend(matches.iter().map(|played| PlayedGame {
                number: block * sides as u64 + played.planned.number,
                round: 0,
                table: 0,
                seed: played.planned.seed,
                counted: played.counted.clone(),
            }));
        })?;
        let entrants = bots.iter().map(|bot| Named {
            name: bot.clone(),
            spec: bot.clone(),
            house: false,
        });
        let entrants: Vec<Named> = entrants.collect();
        let standings = Standings::new(&entrants, &games, &RankSettings::default());
        println!("{}\n{}", standings.table(None), standings.crosstable(None));
        for (bot, tally) in bots.iter().zip(&tally.entrants) {
            println!("{bot:16} {}", line(tally));
        }
        Ok(())
    }

    /// Random tables, each on every map; bots that have played less come first.
    fn tables(&self, bots: usize, sides: usize, grounds: usize) -> Vec<Vec<usize>> {
        let mut rng = Rng::new(self.conditions.first, TABLES);
        let (mut played, mut tables) = (vec![0; bots], Vec::new());
        while played.iter().any(|played| *played < self.games) {
            let mut table: Vec<usize> = (0..bots).collect();
            rng.shuffle(&mut table);
            table.sort_by_key(|bot| played[*bot]);
            table.truncate(sides);
            for bot in &table {
                played[*bot] += (sides * grounds) as u64;
            }
            tables.extend(std::iter::repeat_n(table, grounds));
        }
        tables
    }
}
