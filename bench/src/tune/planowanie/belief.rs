//! How well the champion's belief knows where the cards are.

use super::{Tricks, Variants};
use crate::field::Field as _;
use anyhow::Context as _;
use games::arena::play_by;
use games::game::{Budget, Seat};
use games::planowanie::bots::champion::surprise;
use games::planowanie::cards::CardSet;
use games::planowanie::rules::{Act, Ask, Planowanie, View};
use games::rng::Rng;
use games::stats::ClusteredMean;

/// Nodes of the champions' decisions: what they do is not measured.
const NODES: u64 = 150;
/// One in so many of the hero's choices of a card is looked at.
const EVERY: usize = 5;

/// One choice of a card, and what nobody may see.
struct Look {
    view: View,
    hands: [CardSet; 4],
}

/// Whom the hero meets, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct Belief {
    /// Whom the hero meets.
    #[arg(long, default_value = "ismcts-1000")]
    rival: String,
    #[arg(long, default_value_t = 24)]
    games: u64,
    /// Number of the first game.
    #[arg(long, default_value_t = 0)]
    first: u64,
    #[command(flatten)]
    variants: Variants,
}

impl Belief {
    /// The log loss of `variant`, and how much more it is than that of `other`.
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let field = self.variants.field(None, None)?;
        let beliefs = self.variants.beliefs()?;
        let (mut loss, mut more) = (ClusteredMean::default(), ClusteredMean::default());
        for game in self.first..self.first + self.games {
            let (mut sums, mut weights) = ([0.0; 2], 0.0);
            for (number, look) in (0..).zip(self.looks(&field, game)?.iter().step_by(EVERY)) {
                let weight = f64::from(look.view.round.cards());
                weights += weight;
                for (sum, (knobs, table)) in sums.iter_mut().zip(&beliefs) {
                    let rng = Rng::new(game, number);
                    *sum += weight * surprise(&look.view, &look.hands, knobs, table, rng);
                }
            }
            loss.add(sums[0], weights);
            more.add(sums[0] - sums[1], weights);
        }
        let error = |mean: &ClusteredMean| mean.margin95().unwrap_or(f64::INFINITY);
        println!(
            "{} games: {:.4} ± {:.4} nats a card, {:+.4} ± {:.4} more than the other",
            self.games,
            loss.value(),
            error(&loss),
            more.value(),
            error(&more)
        );
        Ok(())
    }

    /// The hero's choices in one game, each with all hands.
    fn looks(&self, field: &Tricks, game: u64) -> anyhow::Result<Vec<Look>> {
        let own = Seat((game % 4) as u8);
        let bots = (0..4u8).map(|seat| {
            let name = if Seat(seat) == own {
                "champion"
            } else {
                &self.rival
            };
            let bot = field.bot(name, game * 4 + u64::from(seat));
            bot.with_context(|| format!("there is no bot {name:?}"))
        });
        let mut bots = bots.collect::<anyhow::Result<Vec<_>>>()?;
        let thinks_on = self.rival == "champion";
        let (mut dealt, mut looks) = ([CardSet::default(); 4], Vec::new());
        play_by::<Planowanie>(&field.setup(0, game)?, &mut bots, |seat, bot, view, ask| {
            if *ask == Ask::Declare {
                dealt[seat.index() & 3] = view.hand;
            }
            let nodes = if seat == own || thinks_on {
                NODES
            } else {
                u64::MAX
            };
            let act = bot.decide(view, ask, Budget::nodes(nodes));
            let deck = view.game.deck();
            let choice = deck.playable(view.hand, view.round.led(deck));
            if seat == own && matches!(act, Act::Play(_)) && choice.len() > 1 {
                let gone = view.round.gone();
                let hands = dealt.map(|hand| CardSet(hand.0 & !gone.0));
                let view = view.clone();
                looks.push(Look { view, hands });
            }
            act
        });
        Ok(looks)
    }
}
