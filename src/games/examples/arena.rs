//! The tuning arena: measures built-in Koehandel players against each other in process.
//!
//! ```text
//! arena pool  [--pool a,b,c,…] [--games N] [--seed S] [--nodes N] [--pay winner|exchange|both]
//! arena cells --hero NAME [--rivals a,b,…] …      one hero against three copies of each rival
//! arena speed [--pool …]                          matches a second with everybody in turn
//! arena signatures                                the numbers for the registry
//! ```
//! `pool` draws random tables of four different names; `cells` rotates the hero through all seats
//! of each deal. Every share is given with its 95 % interval.

#![allow(clippy::print_stdout, reason = "a tool for a terminal")]

use games::koehandel::bots::champion::playout::play_out;
use games::koehandel::bots::evolved::{EXCHANGE, WINNER};
use games::koehandel::bots::policy::{Limits, Player, Profile};
use games::koehandel::bots::styles::{KINDS, Style, kind_named};
use games::koehandel::bots::{CARDS, listens, make};
use games::koehandel::models::Models;
use games::koehandel::options::{Options, TradePayment};
use games::koehandel::rules::{Act, Ask, Koehandel, Moment, Setup};
use games::koehandel::view::View;
use games::ladder::signature;
use games::rng::Rng;
use games::{Bot, Budget, Game, Outcome, Seat};
use std::collections::HashMap;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

struct Args(HashMap<String, String>);

impl Args {
    fn text(&self, key: &str, default: &str) -> String {
        self.0.get(key).cloned().unwrap_or_else(|| default.into())
    }

    fn number(&self, key: &str, default: u64) -> Result<u64, Failure> {
        Ok(self.0.get(key).map_or(Ok(default), |text| text.parse())?)
    }

    fn list(&self, key: &str, default: &str) -> Vec<String> {
        self.text(key, default)
            .split(',')
            .map(String::from)
            .collect()
    }

    fn payments(&self) -> Vec<TradePayment> {
        match self.text("pay", "both").as_str() {
            "winner" => vec![TradePayment::Winner],
            "exchange" => vec![TradePayment::Exchange],
            _ => vec![TradePayment::Winner, TradePayment::Exchange],
        }
    }
}

/// Wins and points of one name.
#[derive(Clone, Copy, Default)]
struct Tally {
    games: f64,
    wins: f64,
    squares: f64,
    points: f64,
}

impl Tally {
    fn add(&mut self, share: f64, points: i64) {
        self.games += 1.0;
        self.wins += share;
        self.squares += share * share;
        self.points += points as f64;
    }

    fn show(&self) -> String {
        let mean = self.wins / self.games;
        let deviation = ((self.squares / self.games - mean * mean) / self.games).sqrt();
        format!(
            "{:5.1} % ± {:4.1}  mean {:6.0}  games {}",
            100.0 * mean,
            196.0 * deviation,
            self.points / self.games,
            self.games
        )
    }
}

/// Players beside the ladder: variants of its rungs that nobody trained against.
fn variant(name: &str) -> Option<Profile> {
    let tuned = Profile {
        bid: 0.7,
        reserve: 0.1,
        pre_empt: 0.1,
        jump: false,
        ..Profile::GUIDE
    };
    Some(match name {
        "guide-cash" => Profile {
            cash_cap: Some(1.0),
            ..Profile::GUIDE
        },
        "guide-minraise" => Profile {
            jump: false,
            ..Profile::GUIDE
        },
        "tuned-cash" => Profile {
            cash_cap: Some(1.0),
            ..tuned
        },
        "all-in" => Profile {
            offer: (9.0, 9.0),
            counter: (9.0, 9.0),
            bid: 0.9,
            ..tuned
        },
        "hoarder" => Profile {
            bid: 0.15,
            reserve: 0.6,
            ..tuned
        },
        "wild" => Profile {
            bid: 2.0,
            noise: 0.6,
            reserve: 0.0,
            jump: true,
            pre_empt: 1.0,
            denial: 0.2,
            bluff: 0.4,
            offer: (0.0, 1.2),
            counter: (0.0, 1.2),
            ..tuned
        },
        "denier" => Profile {
            denial: 1.5,
            trade_denial: 1.5,
            bid: 0.5,
            ..tuned
        },
        "softy" => Profile {
            counter: (0.0, 0.0),
            bid: 0.85,
            reserve: 0.05,
            ..tuned
        },
        _ => return None,
    })
}

/// Bids far above its cash every third card, else plays as the guide: drives prices, is often caught.
struct Bluffer {
    inner: Player,
    rng: Rng,
    bluffs: Option<(u8, bool)>,
}

impl Bot<Koehandel> for Bluffer {
    fn decide(&mut self, view: &View, ask: &Ask, budget: Budget<'_>) -> Act {
        if let Ask::Bid { price, .. } = ask {
            let fresh = self.bluffs.is_none_or(|(at, _)| at != view.deck_left);
            if fresh {
                self.bluffs = Some((view.deck_left, self.rng.chance(0.33)));
            }
            let most = view.purse.value() * 2 + 100;
            if matches!(self.bluffs, Some((_, true))) && *price + 10 < most && !view.exposed[0] {
                return Act::bid(price + 10);
            }
        }
        self.inner.decide(view, ask, budget)
    }
}

type Bots = Vec<Box<dyn Bot<Koehandel>>>;

fn bots(names: [&str; 4], seed: u64, models: &Models) -> Result<Bots, Failure> {
    let mut bots: Bots = Vec::new();
    for (seat, name) in names.iter().enumerate() {
        let seed = seed.wrapping_mul(4) + seat as u64;
        bots.push(match variant(name) {
            Some(profile) => Box::new(Player::new(profile, Rng::new(seed, 9))),
            None if *name == "bluffer" => Box::new(Bluffer {
                inner: Player::new(Profile::GUIDE, Rng::new(seed, 9)),
                rng: Rng::new(seed, 10),
                bluffs: None,
            }),
            None => make(name, seed, models).ok_or(format!("there is no bot {name:?}"))?,
        });
    }
    Ok(bots)
}

/// Asks bots by a closure, and tells only those who listen.
struct Table<F> {
    listens: [bool; 4],
    decide: F,
}

impl<F> games::arena::Arena<Koehandel> for Table<F>
where
    F: FnMut(usize, &mut dyn Bot<Koehandel>, &View, &Ask) -> Act,
{
    fn decide(&mut self, seat: Seat, bot: &mut dyn Bot<Koehandel>, view: &View, ask: &Ask) -> Act {
        (self.decide)(seat.index(), bot, view, ask)
    }

    fn listens(&self, seat: Seat) -> bool {
        self.listens[seat.index()]
    }
}

/// Plays one match among these bots.
fn play(
    setup: &Setup,
    mut bots: Bots,
    listens: [bool; 4],
    decide: impl FnMut(usize, &mut dyn Bot<Koehandel>, &View, &Ask) -> Act,
) -> Result<Outcome, Failure> {
    let mut table = Table { listens, decide };
    let end = games::arena::play(setup, &mut bots, &mut table);
    Ok(end.game.outcome().ok_or("a match must end")?)
}

/// Processor time of this thread: what a budget means while other work shares the machine.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let used = text
        .split_whitespace()
        .next()
        .and_then(|text| text.parse().ok());
    used.unwrap_or(0)
}

struct Arena {
    /// Processor milliseconds a decision; 0: only nodes count.
    ms: u64,
    /// Decisions that thought, and their processor time.
    thought: std::cell::Cell<(u64, u64)>,
    nodes: u64,
    seed: u64,
    models: Models,
}

impl Arena {
    fn play(&self, names: [&str; 4], deal: u64, pay: TradePayment) -> Result<Outcome, Failure> {
        let options = Options {
            trade_payment: pay,
            ..Options::default()
        };
        let setup = Setup::deal(deal, options);
        let bots = bots(names, deal ^ 0xA5A5, &self.models)?;
        play(&setup, bots, names.map(listens), |seat, bot, view, ask| {
            if self.ms == 0
                || !CARDS
                    .iter()
                    .any(|card| card.name == names[seat] && card.thinks)
            {
                return bot.decide(view, ask, Budget::nodes(self.nodes));
            }
            let begun = cpu_ns();
            let within = self.ms * 1_000_000;
            let budget = Budget {
                nodes: u64::MAX,
                stop: &|| cpu_ns() - begun > within,
            };
            let act = bot.decide(view, ask, budget);
            let (count, sum) = self.thought.get();
            self.thought.set((count + 1, sum + cpu_ns() - begun));
            act
        })
    }
}

fn pool(arena: &Arena, args: &Args) -> Result<(), Failure> {
    let names = args.list("pool", "random,setbuilder,trader,face,guide,tuned,evolved");
    let games = args.number("games", 12_000)?;
    for pay in args.payments() {
        let mut tallies = vec![Tally::default(); names.len()];
        let mut rng = Rng::new(arena.seed, 77);
        let started = Instant::now();
        for game in 0..games {
            let mut order: Vec<usize> = (0..names.len()).collect();
            rng.shuffle(&mut order);
            let table: [usize; 4] = order
                .get(..4)
                .ok_or("the pool needs four names")?
                .try_into()?;
            let outcome = arena.play(table.map(|at| names[at].as_str()), arena.seed + game, pay)?;
            let shares = outcome.win_shares();
            for (seat, share) in shares.iter() {
                tallies[table[seat.index()]].add(*share, outcome.scores[seat]);
            }
        }
        println!(
            "pool under {pay:?}: {games} matches in {:.1?}",
            started.elapsed()
        );
        for (name, tally) in names.iter().zip(&tallies) {
            println!("  {name:12} {}", tally.show());
        }
    }
    Ok(())
}

fn cells(arena: &Arena, args: &Args) -> Result<(), Failure> {
    let hero = args.text("hero", "evolved");
    let games = args.number("games", 2_000)?;
    for pay in args.payments() {
        for rival in args.list("rivals", "guide,tuned,evolved,setbuilder,face") {
            let mut tally = Tally::default();
            let started = Instant::now();
            for game in 0..games {
                let own = (game % 4) as usize;
                let mut names = [rival.as_str(); 4];
                names[own] = &hero;
                let outcome = arena.play(names, arena.seed + game / 4, pay)?;
                let shares = outcome.win_shares();
                tally.add(shares.values()[own], outcome.scores.values()[own]);
            }
            let (decisions, ns) = arena.thought.take();
            println!(
                "{hero} v 3 {rival:10} {pay:?}: {}  in {:.1?}; {:.1} ms a decision, {:.0} a match",
                tally.show(),
                started.elapsed(),
                ns as f64 / 1e6 / decisions.max(1) as f64,
                decisions as f64 / games as f64
            );
        }
    }
    Ok(())
}

fn speed(arena: &Arena, args: &Args) -> Result<(), Failure> {
    let names = args.list("pool", "trader,guide,tuned,evolved");
    let games = args.number("games", 20_000)?;
    for pay in args.payments() {
        let started = Instant::now();
        for game in 0..games {
            let names: [&str; 4] =
                std::array::from_fn(|seat| names[(seat + game as usize) % names.len()].as_str());
            arena.play(names, game, pay)?;
        }
        let rate = games as f64 / started.elapsed().as_secs_f64();
        println!("{pay:?}: {rate:.0} matches a second");
    }
    Ok(())
}

/// The win share of a profile in random company from the pool.
fn fitness(
    hero: &Profile,
    pool: &[String],
    seed: u64,
    games: u64,
    pay: TradePayment,
) -> Result<f64, Failure> {
    let options = Options {
        trade_payment: pay,
        ..Options::default()
    };
    let mut wins = 0.0;
    for game in 0..games {
        let mut rng = Rng::new(seed + game, 5);
        let own = (game % 4) as usize;
        let mut listening = [false; 4];
        let mut bots: Bots = Vec::new();
        for (seat, listening) in listening.iter_mut().enumerate() {
            let name = pool[rng.below(pool.len() as u32) as usize].as_str();
            let bot_seed = (seed + game) * 4 + seat as u64;
            bots.push(match variant(name) {
                _ if seat == own => Box::new(Player::new(*hero, Rng::new(bot_seed, 9))),
                Some(profile) => Box::new(Player::new(profile, Rng::new(bot_seed, 9))),
                None => make(name, bot_seed, &Models::none()).ok_or("name")?,
            });
            *listening = seat != own && listens(name);
        }
        let setup = Setup::deal(seed + game, options);
        let outcome = play(&setup, bots, listening, |_, bot, view, ask| {
            bot.decide(view, ask, Budget::nodes(1))
        })?;
        wins += outcome.win_shares().values()[own];
    }
    Ok(wins / games as f64)
}

/// Climbs from the evolved player's numbers: one or two changed at a time, kept if the same deals are
/// won more often and fresh deals agree.
fn climb(arena: &Arena, args: &Args) -> Result<(), Failure> {
    let pool = args.list(
        "pool",
        "face,guide,tuned,tuned,evolved,evolved,evolved,tuned-cash,guide-cash,trader,setbuilder",
    );
    let games = args.number("games", 3_000)?;
    let steps = args.number("steps", 120)?;
    for pay in args.payments() {
        let mut best = match pay {
            TradePayment::Winner => WINNER,
            TradePayment::Exchange => EXCHANGE,
        };
        let mut rng = Rng::new(arena.seed, 3);
        println!(
            "{pay:?} from {:.4}",
            fitness(&best, &pool, 1_000_000, 3 * games, pay)?
        );
        for step in 0..steps {
            let mut next = best;
            for _ in 0..1 + rng.below(2) {
                let change = |value: &mut f32, rng: &mut Rng, least: f32| {
                    *value = (*value * (1.0 + 0.5 * (rng.unit() as f32 - 0.5))
                        + 0.1 * (rng.unit() as f32 - 0.5))
                        .max(least);
                };
                match rng.below(11) {
                    0 => change(&mut next.bid, &mut rng, 0.1),
                    1 => change(&mut next.denial, &mut rng, 0.0),
                    2 => change(&mut next.trade_denial, &mut rng, 0.0),
                    3 => change(&mut next.reserve, &mut rng, 0.0),
                    4 => change(&mut next.pre_empt, &mut rng, 0.0),
                    5 => change(&mut next.offer.0, &mut rng, 0.0),
                    6 => change(&mut next.offer.1, &mut rng, 0.1),
                    7 => change(&mut next.counter.0, &mut rng, 0.0),
                    8 => change(&mut next.counter.1, &mut rng, 0.1),
                    9 => {
                        let mut cap = next.cash_cap.unwrap_or(2.0);
                        change(&mut cap, &mut rng, 0.2);
                        next.cash_cap = Some(cap);
                    }
                    _ => next.noise = if next.noise > 0.0 { 0.0 } else { 0.1 },
                }
            }
            next.reserve = next.reserve.min(0.6);
            next.offer.1 = next.offer.1.max(next.offer.0);
            next.counter.1 = next.counter.1.max(next.counter.0);
            let seed = 10_000_000 * (step + 1);
            let (old, new) = (
                fitness(&best, &pool, seed, games, pay)?,
                fitness(&next, &pool, seed, games, pay)?,
            );
            if new > old + 0.004 {
                best = next;
                println!("  step {step}: {old:.4} -> {new:.4} {best:?}");
            }
        }
        println!(
            "{pay:?} to {:.4} {best:?}",
            fitness(&best, &pool, 1_000_000, 3 * games, pay)?
        );
    }
    Ok(())
}

/// Playouts a second from the first turn, and whether they win as real matches do.
fn playouts(args: &Args) -> Result<(), Failure> {
    let games = args.number("games", 20_000)?;
    let names = args.list("pool", "setbuilder,guide,tuned,evolved");
    for pay in args.payments() {
        let options = Options {
            trade_payment: pay,
            ..Options::default()
        };
        let style = |name: &String| kind_named(name).map(|at| KINDS[at].style);
        let styles: Vec<Style> = names.iter().filter_map(style).collect();
        let mut tallies = vec![Tally::default(); styles.len()];
        let started = Instant::now();
        for game in 0..games {
            let setup = Setup::deal(game, options);
            let at: [usize; 4] = std::array::from_fn(|seat| (seat + game as usize) % styles.len());
            let mut position = Koehandel::imagine(
                &View::start(),
                &setup.purses,
                &setup.deck,
                options,
                &Moment::Turn,
            )
            .ok_or("a whole deck adds up")?;
            play_out(
                &mut position,
                &at.map(|at| styles[at]),
                &mut [Limits::NONE; 4],
                game,
            );
            let outcome = position.outcome().ok_or("a match must end")?;
            for (seat, share) in outcome.win_shares().iter() {
                tallies[at[seat.index()]].add(*share, outcome.scores[seat]);
            }
        }
        let rate = games as f64 / started.elapsed().as_secs_f64();
        println!("{pay:?}: {rate:.0} playouts a second");
        for (name, tally) in names.iter().zip(&tallies) {
            println!("  {name:12} {}", tally.show());
        }
    }
    Ok(())
}

/// Asks and turns a match of four of the same, to compare with other implementations.
fn sizes(args: &Args) -> Result<(), Failure> {
    let games = args.number("games", 1_000)?;
    for pay in args.payments() {
        for name in args.list("pool", "filler,random,trader,face,guide,tuned") {
            let (mut asks, mut turns, mut trades, mut ties, mut pre) =
                (0u64, 0u64, 0u64, 0u64, 0u64);
            let mut scores: Vec<i64> = Vec::new();
            for game in 0..games {
                let options = Options {
                    trade_payment: pay,
                    ..Options::default()
                };
                let setup = Setup::deal(game, options);
                let names = [name.as_str(); 4];
                let bots = bots(names, game, &Models::none())?;
                let end = play(&setup, bots, names.map(listens), |_, bot, view, ask| {
                    let act = bot.decide(view, ask, Budget::nodes(1));
                    asks += 1;
                    match ask {
                        Ask::Turn => turns += 1,
                        Ask::Counter { .. } => trades += 1,
                        Ask::Rebid {
                            challenger: true, ..
                        } => ties += 1,
                        Ask::PreEmpt { .. } if act != Act::PASS => pre += 1,
                        _ => {}
                    }
                    act
                })?;
                scores.extend(end.scores.values());
            }
            scores.sort_unstable();
            let each = |count: u64| count as f64 / games as f64;
            let at = |part: usize| scores[(scores.len() - 1) * part / 100];
            println!(
                "{pay:?} 4 {name:10} asks {:.0} turns {:.0} trades {:.1} ties {:.1} bought {:.1} scores p10/50/90/max {}/{}/{}/{}",
                each(asks),
                each(turns),
                each(trades),
                each(ties),
                each(pre),
                at(10),
                at(50),
                at(90),
                at(100)
            );
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let verb = words.next().unwrap_or_default();
    let mut args = HashMap::new();
    while let Some(key) = words.next() {
        let value = words.next().ok_or(format!("{key} needs a value"))?;
        args.insert(key.trim_start_matches("--").to_string(), value);
    }
    let args = Args(args);
    let arena = Arena {
        nodes: args.number("nodes", 1_000)?,
        ms: args.number("ms", 0)?,
        thought: std::cell::Cell::default(),
        seed: args.number("seed", 1)?,
        models: if args.text("models", "on") == "off" {
            Models::off()
        } else {
            Models::none()
        },
    };
    match verb.as_str() {
        "pool" => pool(&arena, &args),
        "cells" => cells(&arena, &args),
        "speed" => speed(&arena, &args),
        "climb" => climb(&arena, &args),
        "playouts" => playouts(&args),
        "sizes" => sizes(&args),
        "signatures" => {
            for card in CARDS {
                println!(
                    "{:12} {:#018x}",
                    card.name,
                    signature::<Koehandel>(card.name).unwrap_or(0)
                );
            }
            Ok(())
        }
        _ => Err("arena pool|cells|speed|signatures [--key value]…".into()),
    }
}
