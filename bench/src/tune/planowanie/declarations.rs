//! How far a bot's declarations are from the champion's model of declarations.

use super::Variants;
use crate::field::Field as _;
use anyhow::Context as _;
use games::arena::play_by;
use games::game::Budget;
use games::planowanie::bots::champion::{DEAL_SIZES, excess};
use games::planowanie::rules::{Act, Ask, Planowanie};
use games::stats::{ClusteredMean, Moments};

/// Who declares, among three of its kind.
#[derive(Debug, clap::Args)]
pub(crate) struct Declarations {
    #[arg(long, default_value = "mcbid-200")]
    hero: String,
    #[arg(long, default_value_t = 200)]
    games: u64,
    /// Number of the first game.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Nodes a decision of a bot that thinks on.
    #[arg(long, default_value_t = 400)]
    nodes: u64,
    #[command(flatten)]
    variants: Variants,
}

impl Declarations {
    /// By size of deal, by how many tricks declarations exceed the mean of `variant`'s model.
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let field = self.variants.field(None, None)?;
        let [(_, table), _] = self.variants.beliefs()?;
        let mut sizes = [Moments::default(); DEAL_SIZES];
        // The four of a game declare over the same deals.
        let mut means: Vec<ClusteredMean> = vec![ClusteredMean::default(); DEAL_SIZES];
        for game in self.first..self.first + self.games {
            let bots = (0..4).map(|seat| field.bot(&self.hero, game * 4 + seat));
            let bots: Option<Vec<_>> = bots.collect();
            let mut bots = bots.with_context(|| format!("there is no bot {:?}", self.hero))?;
            let mut sums = [(0.0, 0.0); DEAL_SIZES];
            play_by::<Planowanie>(&field.setup(0, game)?, &mut bots, |_, bot, view, ask| {
                // How cards are played does not matter here.
                let nodes = if *ask == Ask::Declare { self.nodes } else { 1 };
                let act = bot.decide(view, ask, Budget::nodes(nodes));
                if let Act::Declare(tricks) = act {
                    let (size, excess) = excess(view, tricks, table);
                    sizes[size].add(excess.into());
                    sums[size].0 += f64::from(excess);
                    sums[size].1 += 1.0;
                }
                act
            });
            let sums = means
                .iter_mut()
                .zip(sums)
                .filter(|(_, (_, weight))| *weight > 0.0);
            for (mean, (sum, weight)) in sums {
                mean.add(sum, weight);
            }
        }
        println!("cards  declarations   mean          spread around it");
        for (cards, (excess, mean)) in (1..).zip(sizes.iter().zip(&means)) {
            // One game tells nothing of how far others stray, nor do some that are alike.
            let margin = mean
                .margin95()
                .map_or_else(String::new, |half| format!("± {half:4.2}"));
            let mean = mean.value();
            let spread = excess.error() * (excess.count - 1.0).max(0.0).sqrt();
            println!(
                "{cards:5} {:13} {mean:+6.2} {margin:6} {spread:10.2}",
                excess.count
            );
        }
        Ok(())
    }
}
