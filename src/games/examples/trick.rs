//! Measures Planowanie's built-in players in process.
//!
//! `cargo run --release -p games --example trick -- VERB [--key value]…`
//!
//! | verb | what it prints |
//! |---|---|
//! | `ladder` | every bot of `--bots` in random tables of four, all four rotations of every deal: points a game, declarations met, share of pairs won |
//! | `duel` | `--hero` against three of `--rival`, all four rotations of every deal, chunk by chunk |
//! | `speed` | nodes a second of `--hero` by deal size |
//! | `signatures` | each bot's signature |
//! | `train` | a newly learnt table (`--games N --seed S`) |
//!
//! Keys: `--games N` (a bot for `ladder`, in all for `duel`), `--first-deal N` (the seed of the first
//! deal; a duel that was cut is resumed with it), `--threads N`, and what players that think get:
//! `--nodes N` a decision (default 1000), `--game-nodes N` or `--seconds S` for a whole game, spread
//! by `clock::allot`. With `--game-nodes` a node stands for 4 µs, and nodes not used are kept for
//! later decisions. `--chunk N` prints every N deals.
//!
//! The bots `variant` and `other` are the champion with numbers changed by `--knobs NAME=VALUE,…` and
//! `--other-knobs`, and with the tables in `--table FILE` and `--other-table`.
//!
//! A share of pairs is what part of the pairs with each other player of the table was won by points at
//! the end, draws half. Intervals are 95 %, from means over the four rotations of a deal.

use games::arena::{self, Acts, Arena};
use games::game::{Bot, Budget, Seat};
use games::kit::{Train as _, Training};
use games::ladder::{seated, signature};
use games::planowanie::bots::champion::table::{SHIPPED, Table};
use games::planowanie::bots::champion::{CHAMPION, Knobs, thinking};
use games::planowanie::bots::{CARDS, SelfPlay, make};
use games::planowanie::clock::allot;
use games::planowanie::rules::{Act, Ask, Game, Planowanie, Setup, View};
use games::rng::Rng;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// What a node stands for when a game's nodes are spread like time.
const NODE: Duration = Duration::from_micros(4);

struct Args(HashMap<String, String>);

impl Args {
    fn text(&self, key: &str, default: &str) -> String {
        self.0.get(key).cloned().unwrap_or_else(|| default.into())
    }

    fn list(&self, key: &str, default: &str) -> Vec<String> {
        let text = self.text(key, default);
        text.split(',').map(str::to_owned).collect()
    }

    fn number(&self, key: &str, default: u64) -> Result<u64, Failure> {
        Ok(self.text(key, &default.to_string()).parse()?)
    }
}

/// What a player that thinks may spend.
#[derive(Clone, Copy)]
enum Purse {
    Decision(u64),
    GameNodes(u64),
    GameTime(Duration),
}

impl Purse {
    fn of(args: &Args) -> Result<Self, Failure> {
        if let Some(nodes) = args.0.get("game-nodes") {
            return Ok(Purse::GameNodes(nodes.parse()?));
        }
        if let Some(seconds) = args.0.get("seconds") {
            return Ok(Purse::GameTime(Duration::from_secs_f64(seconds.parse()?)));
        }
        Ok(Purse::Decision(args.number("nodes", 1000)?))
    }
}

/// What a player has spent of it in one game.
#[derive(Clone, Default)]
struct Spent {
    nodes: u64,
    time: Duration,
}

impl Spent {
    fn decide(
        &mut self,
        purse: Purse,
        bot: &mut dyn Bot<Planowanie>,
        view: &View,
        ask: &Ask,
    ) -> Act {
        let used = Cell::new(0u64);
        let begun = Instant::now();
        let mut within = Duration::MAX;
        let nodes = match purse {
            Purse::Decision(nodes) => nodes,
            Purse::GameNodes(nodes) => {
                let left = NODE.mul_f64(nodes.saturating_sub(self.nodes) as f64);
                (allot(left, view, *ask).as_secs_f64() / NODE.as_secs_f64()) as u64
            }
            Purse::GameTime(time) => {
                within = allot(time.saturating_sub(self.time), view, *ask);
                u64::MAX
            }
        };
        let stop = || {
            // A player asks once a node whether it has to stop.
            used.set(used.get() + 1);
            within < Duration::MAX && begun.elapsed() >= within
        };
        let act = bot.decide(view, ask, Budget { nodes, stop: &stop });
        self.nodes += used.get();
        self.time += begun.elapsed();
        act
    }
}

/// What one player got out of a game.
#[derive(Clone, Default)]
struct Outcome {
    points: f64,
    pairs: f64,
    met: f64,
    over: f64,
    deals: f64,
    spent: Spent,
}

/// Sums over the blocks of four rotations.
#[derive(Clone, Default)]
struct Tally {
    blocks: f64,
    games: f64,
    points: [f64; 2],
    pairs: [f64; 2],
    met: f64,
    over: f64,
    deals: f64,
    nodes: f64,
    seconds: f64,
}

fn interval(sums: [f64; 2], blocks: f64) -> (f64, f64) {
    let mean = sums[0] / blocks.max(1.0);
    let variance = (sums[1] / blocks.max(1.0) - mean * mean).max(0.0);
    (mean, 1.96 * (variance / (blocks - 1.0).max(1.0)).sqrt())
}

impl Tally {
    fn add(&mut self, games: &[Outcome]) {
        let count = games.len() as f64;
        let mean = |of: fn(&Outcome) -> f64| games.iter().map(of).sum::<f64>() / count;
        let (points, pairs) = (mean(|game| game.points), mean(|game| game.pairs));
        self.blocks += 1.0;
        self.games += count;
        self.points[0] += points;
        self.points[1] += points * points;
        self.pairs[0] += pairs;
        self.pairs[1] += pairs * pairs;
        for game in games {
            self.met += game.met;
            self.over += game.over;
            self.deals += game.deals;
            self.nodes += game.spent.nodes as f64;
            self.seconds += game.spent.time.as_secs_f64();
        }
    }

    fn show(&self) -> String {
        let (points, points_error) = interval(self.points, self.blocks);
        let (pairs, pairs_error) = interval(self.pairs, self.blocks);
        format!(
            "{:5.0} games  {points:6.2} ± {points_error:4.2} points  {:4.1} % met, {:4.1} over  {:5.1} ± {:4.1} % of pairs  {:8.0} nodes {:7.3} s a game",
            self.games,
            100.0 * self.met / self.deals.max(1.0),
            100.0 * self.over / self.deals.max(1.0),
            100.0 * pairs,
            100.0 * pairs_error,
            self.nodes / self.games.max(1.0),
            self.seconds / self.games.max(1.0),
        )
    }
}

/// Notes at a deal's last card who met his declaration.
fn note_met(game: &Planowanie, acts: &[(Seat, Option<Act>)], results: &mut [Outcome]) {
    let mut round = game.round().clone();
    let last = usize::from(round.cards()) * round.players();
    let [(seat, Some(Act::Play(card)))] = acts else {
        return;
    };
    if round.played().len() + 1 < last || round.play(game.game().deck(), *seat, *card).is_err() {
        return;
    }
    for (seat, result) in (0u8..).map(Seat).zip(results) {
        let declared = round.declared().get(seat).copied().flatten();
        let taken = round.taken().get(seat).copied();
        result.met += f64::from(u8::from(declared == taken));
        result.over += f64::from(u8::from(declared < taken));
    }
}

/// Notes what players spend and whether they meet their declarations.
struct Measured<'a> {
    purses: &'a [Purse],
    spent: Vec<Spent>,
    results: Vec<Outcome>,
}

impl Arena<Planowanie> for Measured<'_> {
    fn decide(&mut self, seat: Seat, bot: &mut dyn Bot<Planowanie>, view: &View, ask: &Ask) -> Act {
        let at = seat.index();
        self.spent[at].decide(self.purses[at], bot, view, ask)
    }

    fn arrive(&mut self, game: &Planowanie, acts: &mut Acts<Planowanie>) {
        note_met(game, acts, &mut self.results);
    }
}

type Maker<'a> = dyn Fn(&str, u64) -> Option<Box<dyn Bot<Planowanie>>> + Sync + 'a;

/// One game of these players, by seat; `purses` by seat.
fn play(
    maker: &Maker<'_>,
    names: &[&str],
    purses: &[Purse],
    seed: u64,
) -> Result<Vec<Outcome>, Failure> {
    let bots: Option<Vec<_>> = (0u64..)
        .zip(names)
        .map(|(seat, name)| maker(name, seed.wrapping_mul(4).wrapping_add(seat)))
        .collect();
    let mut bots = bots.ok_or("no such bot")?;
    let setup = Setup::seeded(Game::contest(), seed);
    let mut measured = Measured {
        purses,
        spent: vec![Spent::default(); names.len()],
        results: vec![Outcome::default(); names.len()],
    };
    let game = arena::play(&setup, &mut bots, &mut measured).game;
    let Measured {
        spent, mut results, ..
    } = measured;
    let points = game.points().values();
    for (seat, result) in results.iter_mut().enumerate() {
        result.points = points[seat] as f64;
        for (other, theirs) in points.iter().enumerate() {
            if other != seat {
                let won = match points[seat].cmp(theirs) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                };
                result.pairs += won / (points.len() - 1) as f64;
            }
        }
        result.deals = setup.game().deals().len() as f64;
        result.spent = spent[seat].clone();
    }
    Ok(results)
}

/// Runs `work` for every number up to `count` on some threads, and hands the results over in order,
/// as soon as they are there.
fn each<T: Send>(
    threads: u64,
    count: u64,
    work: impl Fn(u64) -> T + Sync,
    mut take: impl FnMut(u64, T) + Send,
) {
    let next = AtomicU64::new(0);
    let waiting = Mutex::new((0u64, HashMap::new(), &mut take));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = work(number);
                    let Ok(mut guard) = waiting.lock() else {
                        return;
                    };
                    let (due, kept, take) = &mut *guard;
                    kept.insert(number, result);
                    while let Some(result) = kept.remove(due) {
                        take(*due, result);
                        *due += 1;
                    }
                }
            });
        }
    });
}

/// All four rotations of one deal; the results by player, not by seat.
fn block(
    maker: &Maker<'_>,
    names: &[&str; 4],
    purses: &[Purse; 4],
    seed: u64,
) -> Result<Vec<Vec<Outcome>>, Failure> {
    let mut by_player = vec![Vec::new(); 4];
    for rotation in 0..4 {
        let member = |seat: usize| (seat + rotation) % 4;
        let seated: Vec<&str> = (0..4).map(|seat| names[member(seat)]).collect();
        let paid: Vec<Purse> = (0..4).map(|seat| purses[member(seat)]).collect();
        let results = play(maker, &seated, &paid, seed)?;
        for (seat, result) in results.into_iter().enumerate() {
            by_player[member(seat)].push(result);
        }
    }
    Ok(by_player)
}

fn duel(maker: &Maker<'_>, args: &Args) -> Result<(), Failure> {
    let hero = args.text("hero", "champion");
    let rivals = args.list("rival", "ismcts-1000");
    let rival = |at: usize| rivals[at % rivals.len()].clone();
    let names = [hero.clone(), rival(0), rival(1), rival(2)];
    let names = [0, 1, 2, 3].map(|at: usize| names[at].as_str());
    let purse = Purse::of(args)?;
    let purses = [purse; 4];
    let first = args.number("first-deal", 0)?;
    let blocks = args.number("games", 400)?.div_ceil(4);
    let chunk = args.number("chunk", 10)?.max(1);
    let threads = args.number("threads", 1)?;
    let begun = Instant::now();
    println!(
        "{hero} against {}, deals {first}..{}",
        rivals.join(" "),
        first + blocks
    );
    let mut tally = Tally::default();
    let work =
        |number| block(maker, &names, &purses, first + number).map_err(|why| why.to_string());
    each(threads, blocks, work, |number, results| match results {
        Err(why) => println!("deal {}: {why}", first + number),
        Ok(results) => {
            tally.add(&results[0]);
            if (number + 1) % chunk == 0 || number + 1 == blocks {
                let hours = begun.elapsed().as_secs_f64() * threads as f64 / 3600.0;
                println!(
                    "..{:5}  {}  {:5.0} s, {hours:.3} core-hours",
                    first + number + 1,
                    tally.show(),
                    begun.elapsed().as_secs_f64()
                );
            }
        }
    });
    Ok(())
}

fn ladder(maker: &Maker<'_>, args: &Args) -> Result<(), Failure> {
    let all: Vec<&str> = CARDS.iter().map(|card| card.name).collect();
    let bots = args.list("bots", &all.join(","));
    let wanted = args.number("games", 240)?;
    let purses = [Purse::of(args)?; 4];
    let first = args.number("first-deal", 0)?;
    let mut rng = Rng::new(first, 1);
    let mut tables: Vec<Vec<usize>> = Vec::new();
    let mut games = vec![0u64; bots.len()];
    while games.iter().any(|games| *games < wanted) {
        let mut order: Vec<usize> = (0..bots.len()).collect();
        rng.shuffle(&mut order);
        // Those behind come first.
        order.sort_by_key(|bot| games[*bot]);
        order.truncate(4);
        if order.len() < 4 {
            return Err("a ladder needs four bots".into());
        }
        for bot in &order {
            games[*bot] += 4;
        }
        tables.push(order);
    }
    let mut tallies = vec![Tally::default(); bots.len()];
    let work = |number: u64| {
        let table = &tables[number as usize];
        let names = [0, 1, 2, 3].map(|at: usize| bots[table[at]].as_str());
        block(maker, &names, &purses, first + number).map_err(|why| why.to_string())
    };
    let threads = args.number("threads", 1)?;
    each(
        threads,
        tables.len() as u64,
        work,
        |number, results| match results {
            Err(why) => println!("deal {}: {why}", first + number),
            Ok(results) => {
                for (member, results) in results.iter().enumerate() {
                    tallies[tables[number as usize][member]].add(results);
                }
            }
        },
    );
    for (name, tally) in bots.iter().zip(&tallies) {
        println!("{name:12} {}", tally.show());
    }
    Ok(())
}

fn speed(maker: &Maker<'_>, args: &Args) -> Result<(), Failure> {
    let hero = args.text("hero", "champion");
    let time = Duration::from_millis(args.number("ms", 200)?);
    for deal in 0..13usize {
        for asked in [Ask::Declare, Ask::Play] {
            let (mut nodes, mut seconds) = (0u64, 0.0);
            for seed in 0..3 {
                let setup = Setup::seeded(Game::contest(), seed);
                let mut done = false;
                let mut bots = seated::<Planowanie>(&["rules"; 4], 0).ok_or("no rules")?;
                arena::play_by(&setup, &mut bots, |_, bot, view, ask| {
                    if view.deal == deal && *ask == asked && !done {
                        done = true;
                        let used = Cell::new(0u64);
                        let begun = Instant::now();
                        let stop = || {
                            used.set(used.get() + 1);
                            begun.elapsed() >= time
                        };
                        let budget = Budget {
                            nodes: u64::MAX,
                            stop: &stop,
                        };
                        if let Some(mut hero) = maker(&hero, seed) {
                            hero.decide(view, ask, budget);
                        }
                        nodes += used.get();
                        seconds += begun.elapsed().as_secs_f64();
                    }
                    bot.decide(view, ask, Budget::nodes(0))
                });
            }
            println!(
                "{:2} cards, {asked:?}: {:9.0} nodes a second, {nodes} nodes",
                deal + 1,
                nodes as f64 / f64::max(seconds, 1e-9)
            );
        }
    }
    Ok(())
}

fn report(done: u64) {
    if done.is_multiple_of(10_000) {
        eprintln!("{done} deals");
    }
}

/// The champions `variant` and `other` with numbers changed by `--knobs NAME=VALUE,…` and
/// `--other-knobs`, and tables from `--table FILE` and `--other-table`.
fn variants(args: &Args) -> Result<HashMap<&'static str, (Knobs, &'static Table)>, Failure> {
    let mut variants = HashMap::new();
    for (name, key, table) in [
        ("variant", "knobs", "table"),
        ("other", "other-knobs", "other-table"),
    ] {
        let mut knobs = CHAMPION;
        for knob in args.list(key, "") {
            let Some((knob, value)) = knob.split_once('=') else {
                continue;
            };
            if !knobs.set(knob, value.parse()?) {
                return Err(format!("there is no knob {knob}").into());
            }
        }
        let learnt: &'static Table = match args.0.get(table) {
            None => &SHIPPED,
            Some(path) => {
                let read = Table::read(&std::fs::read_to_string(path)?);
                Box::leak(Box::new(read.ok_or("this is no table")?))
            }
        };
        variants.insert(name, (knobs, learnt));
    }
    Ok(variants)
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
    let variants = variants(&args)?;
    let maker = |name: &str, seed: u64| match variants.get(name) {
        Some((knobs, table)) => Some(thinking(seed, *knobs, table)),
        None => make(name, seed),
    };
    match verb.as_str() {
        "ladder" => ladder(&maker, &args),
        "duel" => duel(&maker, &args),
        "speed" => speed(&maker, &args),
        "train" => {
            let training = Training {
                games: args.number("games", 100_000)?,
                seed: args.number("seed", 1)?,
            };
            print!("{}", SelfPlay.train(&training, &mut |done| report(done)));
            Ok(())
        }
        "signatures" => {
            for card in CARDS {
                let signature = signature::<Planowanie>(card.name).unwrap_or(0);
                println!("{:12} {signature:#018x}", card.name);
            }
            Ok(())
        }
        _ => Err("trick ladder|duel|speed|signatures|train [--key value]…".into()),
    }
}
