//! Planowanie.

mod belief;
mod declarations;

use crate::args::{Setting, apply};
use crate::field::{self, Field, Figure, Seated, Unit, Variant, pairs};
use crate::play::Side;
use anyhow::Context as _;
use games::arena::{Acts, Finished, play_by};
use games::game::{Budget, Game as _, Seat};
use games::kit::{Train as _, Training};
use games::ladder::seated;
use games::planowanie::bots::champion::table::{SHIPPED, Table};
use games::planowanie::bots::champion::{CHAMPION, Knobs, thinking};
use games::planowanie::bots::{SelfPlay, make};
use games::planowanie::clock::allot;
use games::planowanie::rules::{Act, Ask, Game, Planowanie, Setup, View};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a node stands for when a game's nodes are spread like time.
const NODE: Duration = Duration::from_micros(4);

/// What Planowanie is measured by.
#[derive(Debug, clap::Args)]
pub(crate) struct Keys {
    /// Nodes of a whole game, spread over its decisions like time: a node stands for 4 µs, and nodes that are not
    /// used are kept for later decisions.
    #[arg(long, conflicts_with_all = ["seconds", "nodes", "ms"])]
    game_nodes: Option<u64>,
    /// Seconds of a whole game.
    #[arg(long, conflicts_with_all = ["nodes", "ms"])]
    seconds: Option<f64>,
    #[command(flatten)]
    variants: Variants,
}

/// Champions with numbers and tables of their own.
#[derive(Debug, clap::Args)]
pub(crate) struct Variants {
    /// Numbers of the bot `variant`: the champion's, changed by NAME=VALUE.
    #[arg(long, value_delimiter = ',')]
    knobs: Vec<Setting>,
    /// Numbers of the bot `other`.
    #[arg(long, value_delimiter = ',')]
    other_knobs: Vec<Setting>,
    /// File with the table of the bot `variant`.
    #[arg(long)]
    table: Option<PathBuf>,
    /// File with the table of the bot `other`.
    #[arg(long)]
    other_table: Option<PathBuf>,
}

pub(crate) struct Tricks {
    game_nodes: Option<u64>,
    time: Option<Duration>,
    variant: Variant<Planowanie>,
    other: Variant<Planowanie>,
}

/// Numbers and a table of the champion's.
fn parameters(
    settings: &[Setting],
    table: Option<&Path>,
) -> anyhow::Result<(Knobs, &'static Table)> {
    let mut knobs = CHAMPION;
    apply(settings, |name, value| knobs.set(name, value as f32))?;
    let learnt: &'static Table = match table {
        None => &SHIPPED,
        Some(path) => {
            let shown = || path.display().to_string();
            let text = std::fs::read_to_string(path).with_context(shown)?;
            let table = Table::read(&text).with_context(|| format!("{} is no table", shown()))?;
            Box::leak(Box::new(table))
        }
    };
    Ok((knobs, learnt))
}

/// The champion with numbers and a table of its own.
fn variant(settings: &[Setting], table: Option<&Path>) -> anyhow::Result<Variant<Planowanie>> {
    let (knobs, table) = parameters(settings, table)?;
    Ok(Box::new(move |seed| thinking(seed, knobs, table)))
}

impl field::Keys for Keys {
    type Field = Tricks;

    fn fields(&self) -> anyhow::Result<Vec<Tricks>> {
        let time = self.seconds.map(Duration::try_from_secs_f64).transpose()?;
        Ok(vec![self.variants.field(self.game_nodes, time)?])
    }
}

impl Variants {
    /// What `variant` and `other` believe by.
    fn beliefs(&self) -> anyhow::Result<[(Knobs, &'static Table); 2]> {
        Ok([
            parameters(&self.knobs, self.table.as_deref())?,
            parameters(&self.other_knobs, self.other_table.as_deref())?,
        ])
    }

    fn field(&self, game_nodes: Option<u64>, time: Option<Duration>) -> anyhow::Result<Tricks> {
        Ok(Tricks {
            game_nodes,
            time,
            variant: variant(&self.knobs, self.table.as_deref())?,
            other: variant(&self.other_knobs, self.other_table.as_deref())?,
        })
    }
}

impl Field for Tricks {
    type Game = Planowanie;
    const FIGURES: &'static [Figure] = &[
        Figure::new("of pairs", Unit::Share),
        Figure::new("points", Unit::Mean(2)),
        Figure::new("met", Unit::Share),
        Figure::new("over", Unit::Share),
        Figure::new("nodes", Unit::Mean(0)),
        Figure::new("s a game", Unit::Mean(3)),
    ];

    fn title(&self) -> String {
        "4 players".to_owned()
    }

    fn members(&self) -> usize {
        4
    }

    fn setup(&self, _: usize, seed: u64) -> anyhow::Result<Setup> {
        Ok(Setup::seeded(Game::contest(), seed))
    }

    fn bot(&self, name: &str, seed: u64) -> Option<Seated<Planowanie>> {
        match name {
            "variant" => Some((self.variant)(seed)),
            "other" => Some((self.other)(seed)),
            _ => make(name, seed),
        }
    }

    fn budget(&self, view: &View, ask: &Ask, side: &Side) -> Option<(u64, Duration)> {
        if let Some(nodes) = self.game_nodes {
            let left = NODE.mul_f64(nodes.saturating_sub(side.nodes) as f64);
            let share = allot(left, view, *ask).as_secs_f64() / NODE.as_secs_f64();
            return Some((share as u64, Duration::MAX));
        }
        let left = self.time?.saturating_sub(side.time);
        Some((u64::MAX, allot(left, view, *ask)))
    }

    /// Notes at a deal's last card who took as many tricks as declared, and who more.
    fn arrive(&self, game: &Planowanie, acts: &mut Acts<Planowanie>, sides: &mut [Side]) {
        let mut round = game.round().clone();
        let last = usize::from(round.cards()) * round.players();
        let [(seat, Some(Act::Play(card)))] = acts else {
            return;
        };
        let deck = game.game().deck();
        if round.played().len() + 1 < last || round.play(deck, *seat, *card).is_err() {
            return;
        }
        for (seat, side) in (0..).map(Seat).zip(sides) {
            let declared = round.declared().get(seat).copied().flatten();
            let taken = round.taken().get(seat).copied();
            side.notes[0] += f64::from(u8::from(declared == taken));
            side.notes[1] += f64::from(u8::from(declared < taken));
        }
    }

    fn figures(&self, end: &Finished<Planowanie>, sides: &[Side]) -> Vec<Vec<f64>> {
        let deals = end.game.game().deals().len() as f64;
        let pairs = end.game.outcome().map(|outcome| pairs(&outcome));
        let shares = pairs.into_iter().flatten().zip(end.game.points().values());
        let figures = shares.zip(sides).map(|((pairs, points), side)| {
            let [met, over] = side.notes.map(|note| note / deals);
            let seconds = side.time.as_secs_f64();
            vec![pairs, *points as f64, met, over, side.nodes as f64, seconds]
        });
        figures.collect()
    }
}

/// What only Planowanie has.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Own {
    /// Nodes a second by size of deal.
    Rate {
        /// Who thinks.
        #[arg(long, default_value = "champion")]
        hero: String,
        /// Milliseconds of each of three decisions.
        #[arg(long, default_value_t = 200)]
        ms: u64,
        #[command(flatten)]
        variants: Variants,
    },
    /// How well the belief of `variant` knows where the cards are, compared with that of `other`.
    Belief(belief::Belief),
    /// By how many tricks declarations of a bot exceed the mean of `variant`'s model, by size of deal.
    Declarations(declarations::Declarations),
    /// Writes a table that the champion learns, as `drover train` does, to standard output.
    Train {
        /// Deals with itself.
        #[arg(long, default_value_t = 1_000_000)]
        games: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

impl Own {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let (hero, ms, variants) = match self {
            Self::Belief(belief) => return belief.run(),
            Self::Declarations(declarations) => return declarations.run(),
            Self::Rate { hero, ms, variants } => (hero, ms, variants),
            Self::Train { games, seed } => {
                let (games, seed) = (*games, *seed);
                print!("{}", SelfPlay.train(&Training { games, seed }, &mut |_| {}));
                return Ok(());
            }
        };
        let field = variants.field(None, None)?;
        for deal in 0..Game::contest().deals().len() {
            for asked in [Ask::Declare, Ask::Play] {
                rate(&field, hero, Duration::from_millis(*ms), deal, asked)?;
            }
        }
        Ok(())
    }
}

/// The hero's first decision of this kind in a deal of games among others, three times.
fn rate(field: &Tricks, hero: &str, time: Duration, deal: usize, asked: Ask) -> anyhow::Result<()> {
    let (used, mut seconds) = (Cell::new(0), 0.0);
    for seed in 0..3 {
        let mut bots = seated::<Planowanie>(&["rules"; 4], 0).context("there are no rules")?;
        let thinking = field.bot(hero, seed);
        let mut thinking = Some(thinking.with_context(|| format!("there is no bot {hero:?}"))?);
        play_by(&field.setup(0, seed)?, &mut bots, |_, bot, view, ask| {
            if view.deal == deal
                && *ask == asked
                && let Some(mut hero) = thinking.take()
            {
                let begun = Instant::now();
                let stop = || {
                    used.set(used.get() + 1);
                    begun.elapsed() >= time
                };
                let (nodes, stop) = (u64::MAX, &stop);
                hero.decide(view, ask, Budget { nodes, stop });
                seconds += begun.elapsed().as_secs_f64();
            }
            bot.decide(view, ask, Budget::nodes(0))
        });
    }
    let (cards, nodes) = (deal + 1, used.get());
    let rate = f64::from(nodes) / f64::max(seconds, 1e-9);
    println!("{cards:2} cards, {asked:?}: {rate:9.0} nodes a second, {nodes} nodes");
    Ok(())
}
