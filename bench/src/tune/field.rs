//! Plays blocks: all rotations of one deal on one map.

use crate::bots::{Chair, Named, Seated, Sheet};
use crate::maps::{Ground, grounds};
use anyhow::Context as _;
use drover::cli::play_args::rule_options;
use drover::referee::{Refereed, SeatSpec};
use drover::tournament::{
    FinishedMatch, MatchError, MatchPlayer, Plan, PlannedMatch, Playing, Stop, run,
};
use games::Histogram;
use games::arena::{self, Acts, Arena};
use games::contest::{Advice, Deal, MATCH_NUMBER};
use games::game::{Bot, Seat, Seats};
use games::kit::Pace;
use games::match_::Conduct;
use games::{SetupError, options};
use nix::time::{ClockId, clock_gettime};
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// What all measurements share.
#[derive(Debug, clap::Args)]
pub(crate) struct Conditions {
    /// Bots of a table; each plays a whole team where the option `teams` is set.
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    /// A rule option, such as rounds=300; may be given more than once.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Maps: names, `all` that come with the game, words of the option `map` such as `drawn`, files, folders,
    /// `FIRST..END` for those drawn by these seeds, or `drawn:SEED[:WIDTHxHEIGHT[:NUMBER]]`, symmetric where the seed is
    /// even. Planet Wars has `close` (homes of 2 to 6 ships one to four turns apart) and `shrinking` (negative growth) too.
    #[arg(long, value_delimiter = ',')]
    maps: Vec<String>,
    /// Bots know nothing of rivals or maps beforehand.
    #[arg(long)]
    no_models: bool,
    /// Nodes a decision.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// The limit is the clock of the whole match (planowanie's option time_ms), of which each node takes n
    /// microseconds.
    #[arg(long, conflicts_with = "nodes", value_name = "US")]
    node_us: Option<u64>,
    /// Number of the first block: a measurement that was cut is resumed with it.
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) first: u64,
    /// Matches that are played at once.
    #[arg(long, default_value = "1", value_name = "N")]
    threads: NonZeroUsize,
}

/// Matches of one game under some conditions.
pub(crate) struct Field<C: Sheet> {
    plan: Arc<Plan>,
    bots: Vec<Named>,
    /// Where matches are played, in turn.
    pub(crate) grounds: Vec<Ground>,
    /// Bots of a table.
    pub(crate) sides: usize,
    advice: Advice<'static>,
    /// Nodes of a decision.
    nodes: u64,
    /// What a node takes of a match's own clock, where that is the limit.
    node: Option<Duration>,
    first: u64,
    game: PhantomData<fn() -> C>,
}

impl<C: Sheet> Field<C> {
    /// Matches among these bots.
    pub(crate) fn new(given: &Conditions, bots: &[String]) -> anyhow::Result<Arc<Self>> {
        let kit = games::find(C::CARD.name).context("the game is gone")?;
        let named = bots.iter().map(|bot| bot.parse());
        Ok(Arc::new(Self {
            plan: Arc::new(Plan {
                kit,
                entrants: vec![SeatSpec::filler(); bots.len()],
                names: Vec::new(),
                knowledge: None,
                options: rule_options(kit, &given.options)?,
                concurrency: given.threads,
                record: false,
            }),
            bots: named.collect::<anyhow::Result<_>>()?,
            grounds: grounds::<C>(&given.maps)?,
            sides: given.players.unwrap_or(C::PLAYERS),
            advice: match given.no_models {
                true => Advice::None,
                false => Advice::Shipped,
            },
            nodes: match given.node_us {
                Some(_) => u64::MAX,
                None => given.nodes.unwrap_or(C::NODES),
            },
            node: given.node_us.map(Duration::from_micros),
            first: given.first,
            game: PhantomData,
        }))
    }

    /// The conditions in a few words.
    pub(crate) fn title(&self, blocks: usize) -> String {
        let (game, sides, options) = (C::CARD.name, self.sides, &self.plan.options);
        let (first, end) = (self.first, self.first + blocks as u64);
        format!("{game}, {sides} at a table, options {options}, blocks {first}..{end}")
    }

    /// What a block is played on.
    pub(crate) fn ground(&self, block: u64) -> usize {
        (block % self.grounds.len() as u64) as usize
    }

    /// Plays a block for each of these tables of bots, by index: each bot takes each place, in the same circle. Hands over
    /// each block with its number once all of it is played.
    pub(crate) fn blocks(
        self: &Arc<Self>,
        tables: &[Vec<usize>],
        each: &mut (dyn FnMut(u64, &[FinishedMatch]) + Send),
    ) -> anyhow::Result<()> {
        let tables: Vec<Vec<usize>> = tables.to_vec();
        let blocks = tables.into_iter().zip(self.first..);
        let matches = blocks.flat_map(|(table, block)| {
            (0..table.len()).map(move |turn| {
                let mut table = table.clone();
                table.rotate_right(turn);
                PlannedMatch {
                    number: turn as u64,
                    deck: block,
                    of_deck: table.len(),
                    seed: C::FIRST_SEED + block,
                    numbers: MATCH_NUMBER,
                    table,
                    slot: None,
                }
            })
        });
        let mut open: BTreeMap<u64, Vec<FinishedMatch>> = BTreeMap::new();
        let mut add = |finished: FinishedMatch| {
            let (block, whole) = (finished.planned.deck, finished.planned.of_deck);
            let played = open.entry(block).or_default();
            played.push(finished);
            if played.len() == whole {
                played.sort_by_key(|finished| finished.planned.number);
                each(block, played);
                open.remove(&block);
            }
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .build()?;
        let (plan, player) = (Arc::clone(&self.plan), Arc::clone(self));
        runtime.block_on(run(plan, matches, player, Arc::default(), &mut add))?;
        Ok(())
    }

    fn refereed(
        &self,
        options: &Value,
        block: u64,
        seats: usize,
    ) -> Result<C::Refereed, SetupError> {
        let ground = &self.grounds[self.ground(block)];
        let seed = C::FIRST_SEED + block;
        let mut given = options.as_object().cloned().unwrap_or_default();
        if let Some(map) = &ground.map {
            let map = C::draw(map, seed, seats).unwrap_or_else(|| map.clone());
            given.insert("map".to_owned(), map.into());
        }
        let ids: Vec<u64> = (1..).take(seats).collect();
        let (market, ids) = (MATCH_NUMBER, &ids[..]);
        let options = options::read(C::CARD.options, &given.into())?;
        C::set_up(options, &Deal { seed, market, ids })
    }

    /// Everybody's bot for a match of this seed.
    fn seated(
        &self,
        names: &[&Named],
        setup: &C::Setup,
        seed: u64,
    ) -> anyhow::Result<Vec<Seated<C>>> {
        let bot = |(seat, named): (u64, &&Named)| {
            named.seat(&Chair {
                seed: C::bot_seed(seed, seat),
                setup,
                advice: self.advice,
            })
        };
        (0..).zip(names).map(bot).collect()
    }
}

impl<C: Sheet> MatchPlayer for Field<C> {
    fn play<'a>(
        &'a self,
        plan: &'a Plan,
        planned: &'a PlannedMatch,
        seats: Vec<SeatSpec>,
        _: &'a Stop,
    ) -> Playing<'a> {
        Box::pin(async move { self.one(plan, planned, seats.len()).map(Some) })
    }

    fn blocks(&self) -> bool {
        true
    }
}

impl<C: Sheet> Field<C> {
    fn one(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        seats: usize,
    ) -> Result<Refereed, MatchError> {
        let refereed = self.refereed(&plan.options, planned.deck, seats)?;
        let (setup, clock) = (C::position(&refereed), C::clock(&refereed));
        if self.node.is_some() && clock.is_zero() {
            return Err(SetupError(format!("{} has no clock", C::CARD.name)).into());
        }
        let line_up = plan.kit.line_up(&plan.options, planned.table.len())?;
        let sides = line_up
            .owners
            .iter()
            .map(|side| &self.bots[planned.table[*side]]);
        let names: Vec<&Named> = sides.collect();
        let seated = self.seated(&names, setup, planned.seed);
        let mut bots = seated.map_err(|why| SetupError(format!("{why:#}")))?;
        let mut watch = Watch {
            names: &names,
            decision: Decision {
                nodes: self.nodes,
                node: self.node,
                used: Cell::default(),
            },
            left: Seats::from_fn(seats, |_| clock),
            took: vec![Histogram::default(); seats],
        };
        let end = arena::play(setup, &mut bots, &mut watch);
        let outcome = end.game.outcome();
        let outcome = outcome.ok_or_else(|| SetupError("a match has no end".to_owned()))?;
        let refused = end.refused.values().iter();
        let conduct = watch.took.into_iter().zip(refused);
        let conduct = conduct.map(|(took, refused)| Conduct::of_times(took, *refused, 0));
        Ok(Refereed {
            conduct: conduct.collect(),
            ..Refereed::ended(outcome)
        })
    }
}

/// The decision that is being made.
struct Decision {
    nodes: u64,
    node: Option<Duration>,
    /// How often it asked whether to stop: bots that search do so once a node.
    used: Cell<u32>,
}

impl Pace for Decision {
    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn begin(&self, _: Seat) {}

    fn stop(&self) -> bool {
        self.used.set(self.used.get() + 1);
        false
    }

    fn elapsed(&self) -> Option<Duration> {
        Some(self.node? * self.used.get())
    }

    fn end(&self) {}
}

/// Processor time of this thread, which other work on the machine does not change.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID);
    time.expect("every thread has a clock").into()
}

/// Asks the bots of one match.
struct Watch<'a> {
    names: &'a [&'a Named],
    decision: Decision,
    /// What is left of each seat's clock.
    left: Seats<Duration>,
    /// What each seat's decisions took.
    took: Vec<Histogram>,
}

impl<C: Sheet> Arena<C> for Watch<'_> {
    fn decide(&mut self, seat: Seat, bot: &mut dyn Bot<C>, view: &C::View, ask: &C::Ask) -> C::Act {
        self.decision.used.set(0);
        let begun = processor_time();
        let act = C::decide(bot, view, ask, &self.decision, &mut self.left[seat]);
        self.took[seat.index()].add(processor_time().saturating_sub(begun));
        act
    }

    fn listens(&self, seat: Seat) -> bool {
        let name = &self.names[seat.index()].name;
        let built_in = C::CARD.bots.iter().any(|card| card.name == name);
        !built_in || C::listens(name)
    }

    fn arrive(&mut self, game: &mut C, acts: &mut Acts<C>) {
        C::arrange(game, acts);
    }
}

#[cfg(test)]
mod tests {
    use super::{Conditions, Field};
    use clap::{Args as _, Command, FromArgMatches as _};
    use games::lighthouses::rules::Lighthouses;
    use games::{Nodes, PlaySetup};
    use serde_json::json;

    /// The first bot's scores in a block of three, wherever it sits.
    fn scores(bot: &str) -> Vec<i64> {
        let words = "tune --players 3 --maps plain --option rounds=60".split(' ');
        let given = Conditions::augment_args(Command::new("tune")).get_matches_from(words);
        let given = Conditions::from_arg_matches(&given).unwrap();
        let bots = [bot, "ring", "passer"].map(str::to_owned);
        let field = Field::<Lighthouses>::new(&given, &bots).unwrap();
        let mut scores = Vec::new();
        let mut each = |block, matches: &[super::FinishedMatch]| {
            assert_eq!(block, 0);
            for played in matches {
                let table = &played.counted.table;
                let at = |bot| table.iter().position(|other| *other == bot).unwrap();
                let score = played.counted.outcome.scores.values();
                assert_eq!(
                    (score[at(2)], at(1), at(2)),
                    (0, (at(0) + 1) % 3, (at(0) + 2) % 3)
                );
                scores.push(score[at(0)]);
            }
        };
        field.blocks(&[vec![0, 1, 2]], &mut each).unwrap();
        scores
    }

    #[test]
    fn a_block_is_the_game_s_own_matches_with_each_bot_on_each_seat() {
        let options = json!({ "map": "plain", "rounds": 60 });
        let played = (0..3).map(|turn| {
            let mut bots = ["triangle", "ring", "passer"].map(str::to_owned).to_vec();
            bots.rotate_right(turn);
            let setup = PlaySetup::recorded(bots, 0, options.clone());
            let kit = games::find("lighthouses").unwrap();
            kit.play(&setup, &Nodes(1_000))
                .unwrap()
                .outcome
                .scores
                .values()[turn]
        });
        assert_eq!(scores("triangle"), played.collect::<Vec<_>>());
        assert_ne!(scores("triangle"), scores("triangle:patience_many=5"));
    }
}
