//! Measures Lighthouses' built-in players in process.
//!
//! `cargo run --release -p games --example beacon -- VERB [--key value]…`
//!
//! | verb | what it prints |
//! |---|---|
//! | `ladder` | the bots of `--bots` in random tables of `--players` different ones, every table on every map in all rotations of its seats: share of pairs won, points, refused acts, time a decision |
//! | `duel` | `--hero` against copies of `--rival`, in every seat, map by map, chunk by chunk |
//! | `solo` | points a round of `--hero` alone, by map |
//! | `speed` | time a decision and rounds a second of `--hero` against copies of itself, by map |
//! | `signatures` | each bot's signature |
//!
//! Keys: `--maps NAME,…`, built-in maps, files, `foreign` for those in the folder that `DROVER_FOREIGN_MAPS`
//! names, or `drawn:SEED[:WIDTHxHEIGHT[:LIGHTHOUSES]]` (default `all` built-in ones), `--players N`, `--rounds N`
//! (1200), `--games N` (a bot for `ladder`, in all for `duel`), `--nodes N` a decision (1000), `--threads N`,
//! `--first N` (the number of the first block: a duel that was cut is resumed with it), `--chunk N` (blocks
//! between two lines of a duel). Several rivals, `--rival a,b`, take the other seats in turn. Bots that draw no
//! chance play the same games again once every map was played in all rotations: more games tell nothing then.
//!
//! The bot `hunter` is the triangle hunter with habits changed by `--habits NAME=VALUE,…`, the bot
//! `variant` the champion with numbers changed by `--knobs NAME=VALUE,…`.
//!
//! A share of pairs is what part of the pairs with each other player of the table was won by points at
//! the end, draws half. Intervals are 95 %, from means over blocks: all rotations of one table on one map.

use games::arena::play_by;
use games::game::{Bot, Budget};
use games::ladder::signature;
use games::lighthouses::atlas::{MAPS, find};
use games::lighthouses::bots::champion::{CHAMPION, Knobs, champion_with};
use games::lighthouses::bots::triangle::{HABITS, Habits, hunter};
use games::lighthouses::bots::{CARDS, make};
use games::lighthouses::generate::{Style, generate};
use games::lighthouses::map::Map;
use games::lighthouses::rules::{Lighthouses, Setup};
use games::rng::Rng;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// Others' map files, in the folder that the environment names.
fn foreign() -> Result<Vec<PathBuf>, Failure> {
    let folder = std::env::var("DROVER_FOREIGN_MAPS")
        .map_err(|_| "DROVER_FOREIGN_MAPS must name the folder of the foreign maps")?;
    let entries = std::fs::read_dir(&folder).map_err(|why| format!("{folder}: {why}"))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "txt"));
    files.sort();
    Ok(files)
}

/// A map file with its name.
fn read_map(file: &Path) -> Result<(String, Map), Failure> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|why| format!("{shown}: {why}"))?;
    let map = Map::read(&text).map_err(|why| format!("{shown}: {why}"))?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    Ok((stem.into_owned(), map))
}

/// The map drawn by `SEED[:WIDTHxHEIGHT[:LIGHTHOUSES]]` for four players, the same again after half a
/// turn where the seed is even.
fn drawn(words: &str) -> Result<Map, Failure> {
    let mut words = words.split(':');
    let seed: u64 = words.next().unwrap_or_default().parse()?;
    let mut style = Style {
        symmetric: seed.is_multiple_of(2),
        ..Style::default()
    };
    if let Some(size) = words.next() {
        let (width, height) = size.split_once('x').ok_or("drawn:SEED:WIDTHxHEIGHT")?;
        style.width = Some(width.parse()?);
        style.height = Some(height.parse()?);
    }
    style.lighthouses = words.next().map(str::parse).transpose()?;
    Ok(generate(seed, &style)?)
}

struct Args(HashMap<String, String>);

impl Args {
    fn text(&self, key: &str, default: &str) -> String {
        self.0.get(key).cloned().unwrap_or_else(|| default.into())
    }

    fn list(&self, key: &str, default: &str) -> Vec<String> {
        let text = self.text(key, default);
        let words = text.split(',').filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    }

    fn number(&self, key: &str, default: u64) -> Result<u64, Failure> {
        Ok(self.text(key, &default.to_string()).parse()?)
    }

    /// The maps with their names.
    fn maps(&self) -> Result<Vec<(String, Map)>, Failure> {
        let mut maps = Vec::new();
        let known: Vec<&str> = MAPS.iter().map(|(name, _)| *name).collect();
        let all = known.join(",");
        let mut wanted = self.list("maps", &all);
        if wanted == ["all"] {
            wanted = known.iter().map(|name| (*name).to_owned()).collect();
        }
        for name in wanted {
            if let Some(map) = find(&name) {
                maps.push((name, map?));
                continue;
            }
            if name == "foreign" {
                for file in foreign()? {
                    maps.push(read_map(&file)?);
                }
                continue;
            }
            if let Some(words) = name.strip_prefix("drawn:") {
                maps.push((name.clone(), drawn(words)?));
                continue;
            }
            maps.push(read_map(Path::new(&name))?);
        }
        if maps.is_empty() {
            return Err("no maps".into());
        }
        Ok(maps)
    }

    fn habits(&self) -> Result<Habits, Failure> {
        let mut habits = HABITS;
        for habit in self.list("habits", "") {
            let (name, value) = habit.split_once('=').ok_or("--habits NAME=VALUE,…")?;
            if !habits.set(name, value.parse()?) {
                return Err(format!("there is no habit {name}").into());
            }
        }
        Ok(habits)
    }

    fn knobs(&self) -> Result<Knobs, Failure> {
        let mut knobs = CHAMPION;
        for knob in self.list("knobs", "") {
            let (name, value) = knob.split_once('=').ok_or("--knobs NAME=VALUE,…")?;
            if !knobs.set(name, value.parse()?) {
                return Err(format!("there is no knob {name}").into());
            }
        }
        Ok(knobs)
    }
}

type Maker<'a> = dyn Fn(&str, u64) -> Option<Box<dyn Bot<Lighthouses>>> + Sync + 'a;

/// Makes bots by name: the built-in ones, and those whose numbers are given on the command line.
fn maker(args: &Args) -> Result<Box<Maker<'static>>, Failure> {
    let (habits, knobs) = (args.habits()?, args.knobs()?);
    Ok(Box::new(move |name, seed| match name {
        "hunter" => Some(hunter(habits)),
        "variant" => Some(champion_with(seed, knobs)),
        _ => make(name, seed),
    }))
}

/// How often decisions took how long: eight buckets for each doubling of nanoseconds.
#[derive(Clone)]
struct Times {
    buckets: Vec<u64>,
    nanoseconds: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            buckets: vec![0; 400],
            nanoseconds: 0,
        }
    }
}

impl Times {
    fn note(&mut self, nanoseconds: u64) {
        let place = 8.0 * (nanoseconds.max(1) as f64).log2();
        if let Some(bucket) = self.buckets.get_mut(place as usize) {
            *bucket += 1;
        }
        self.nanoseconds += nanoseconds;
    }

    fn add(&mut self, other: &Times) {
        for (sum, count) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += count;
        }
        self.nanoseconds += other.nanoseconds;
    }

    fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    fn show(&self) -> String {
        let mean = self.nanoseconds as f64 / self.count().max(1) as f64 / 1000.0;
        let mut above = self.count() / 100;
        let slow = self.buckets.iter().rposition(|count| {
            let passed = above < *count;
            above = above.saturating_sub(*count);
            passed
        });
        let slow = 2f64.powf((slow.unwrap_or(0) as f64 + 1.0) / 8.0) / 1000.0;
        format!("{mean:7.1} µs a decision, 99 % within {slow:7.0}")
    }
}

/// What one player got out of a game.
#[derive(Clone, Default)]
struct Outcome {
    points: f64,
    /// Of all points of the game.
    share: f64,
    pairs: f64,
    rounds: f64,
    refused: u64,
    times: Times,
}

/// One game of these players, by seat.
fn play(
    maker: &Maker<'_>,
    names: &[&str],
    map: &Map,
    (rounds, nodes): (u32, u64),
    seed: u64,
) -> Result<Vec<Outcome>, String> {
    let bots = (0u64..).zip(names).map(|(seat, name)| {
        let bot = maker(name, seed.wrapping_mul(16).wrapping_add(seat));
        bot.ok_or(format!("there is no bot {name}"))
    });
    let mut bots: Vec<_> = bots.collect::<Result<_, _>>()?;
    let setup = Setup {
        map: map.clone(),
        players: names.len(),
        rounds,
    };
    let mut results = vec![Outcome::default(); names.len()];
    let end = play_by(&setup, &mut bots, |seat, bot, view, ask| {
        let begun = Instant::now();
        let act = bot.decide(view, ask, Budget::nodes(nodes));
        let took = begun.elapsed().as_nanos() as u64;
        results[seat.index()].times.note(took);
        act
    });
    let scores = end.game.scores();
    let points = scores.values();
    let all: i64 = points.iter().sum();
    for (seat, result) in results.iter_mut().enumerate() {
        result.points = points[seat] as f64;
        result.share = result.points / (all as f64).max(1.0);
        result.rounds = rounds.into();
        result.refused = end.refused.values()[seat].into();
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
    }
    Ok(results)
}

/// All rotations of a table on a map: the games of each of its members.
fn block(
    maker: &Maker<'_>,
    names: &[&str],
    map: &Map,
    (rounds, nodes): (u32, u64),
    seed: u64,
) -> Result<Vec<Vec<Outcome>>, String> {
    let count = names.len();
    let mut by_member = vec![Vec::new(); count];
    for shift in 0..count {
        let member = |seat: usize| (seat + shift) % count;
        let seated: Vec<&str> = (0..count).map(|seat| names[member(seat)]).collect();
        let results = play(maker, &seated, map, (rounds, nodes), seed)?;
        for (seat, result) in results.into_iter().enumerate() {
            by_member[member(seat)].push(result);
        }
    }
    Ok(by_member)
}

/// Sums over blocks.
#[derive(Clone, Default)]
struct Tally {
    blocks: f64,
    games: f64,
    points: f64,
    rounds: f64,
    shares: [f64; 2],
    pairs: [f64; 2],
    refused: u64,
    times: Times,
}

fn interval(sums: [f64; 2], blocks: f64) -> (f64, f64) {
    let mean = sums[0] / blocks.max(1.0);
    let variance = (sums[1] / blocks.max(1.0) - mean * mean).max(0.0);
    (mean, 1.96 * (variance / (blocks - 1.0).max(1.0)).sqrt())
}

impl Tally {
    fn add(&mut self, games: &[Outcome]) {
        let count = games.len().max(1) as f64;
        let mean = |of: fn(&Outcome) -> f64| games.iter().map(of).sum::<f64>() / count;
        let (shares, pairs) = (mean(|game| game.share), mean(|game| game.pairs));
        self.blocks += 1.0;
        self.games += games.len() as f64;
        self.shares[0] += shares;
        self.shares[1] += shares * shares;
        self.pairs[0] += pairs;
        self.pairs[1] += pairs * pairs;
        for game in games {
            self.points += game.points;
            self.rounds += game.rounds;
            self.refused += game.refused;
            self.times.add(&game.times);
        }
    }

    fn show(&self) -> String {
        let (pairs, pairs_error) = interval(self.pairs, self.blocks);
        format!(
            "{:5.0} games  {:5.1} ± {:4.1} % of pairs  {:8.0} points  {:6.1} a round  {} refused  {}",
            self.games,
            100.0 * pairs,
            100.0 * pairs_error,
            self.points / self.games.max(1.0),
            self.points / self.rounds.max(1.0),
            self.refused,
            self.times.show(),
        )
    }
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
                    let Ok(mut waiting) = waiting.lock() else {
                        return;
                    };
                    waiting.1.insert(number, result);
                    loop {
                        let number = waiting.0;
                        let Some(result) = waiting.1.remove(&number) else {
                            break;
                        };
                        (waiting.2)(number, result);
                        waiting.0 += 1;
                    }
                }
            });
        }
    });
}

fn length(args: &Args) -> Result<(u32, u64), Failure> {
    let rounds = u32::try_from(args.number("rounds", 1200)?)?;
    Ok((rounds, args.number("nodes", 1000)?))
}

fn duel(maker: &Maker<'_>, args: &Args) -> Result<(), Failure> {
    let hero = args.text("hero", "triangle");
    let rivals = args.list("rival", "ring");
    let players = args.number("players", 2)?.max(2) as usize;
    let maps = args.maps()?;
    let length = length(args)?;
    let mut names = vec![hero.as_str()];
    names.extend(rivals.iter().map(String::as_str).cycle().take(players - 1));
    let first = args.number("first", 0)?;
    let blocks = args.number("games", 40)?.div_ceil(players as u64);
    let chunk = args.number("chunk", 10)?.max(1);
    let threads = args.number("threads", 1)?;
    let begun = Instant::now();
    println!(
        "{hero} against {}, {players} players, {} rounds, {} nodes, blocks {first}..{}",
        rivals.join(" "),
        length.0,
        length.1,
        first + blocks
    );
    let on = |number: u64| &maps[((first + number) % maps.len() as u64) as usize];
    let work = |number| block(maker, &names, &on(number).1, length, first + number);
    let mut tally = Tally::default();
    let mut others = Tally::default();
    let mut by_map: HashMap<&str, Tally> = HashMap::new();
    each(threads, blocks, work, |number, results| match results {
        Err(why) => println!("block {}: {why}", first + number),
        Ok(results) => {
            for (member, results) in results.iter().enumerate() {
                let tally = if member == 0 { &mut tally } else { &mut others };
                tally.add(results);
            }
            by_map.entry(&on(number).0).or_default().add(&results[0]);
            if (number + 1) % chunk == 0 || number + 1 == blocks {
                let (share, error) = interval(tally.shares, tally.blocks);
                println!(
                    "..{:5}  {}  {:4.1} ± {:4.1} % of points  rivals {:6.1} a round, {} refused  {:5.0} s",
                    first + number + 1,
                    tally.show(),
                    100.0 * share,
                    100.0 * error,
                    others.points / others.rounds.max(1.0),
                    others.refused,
                    begun.elapsed().as_secs_f64()
                );
            }
        }
    });
    for (map, _) in &maps {
        if let Some(tally) = by_map.get(map.as_str()) {
            println!("  {map:12} {}", tally.show());
        }
    }
    Ok(())
}

fn ladder(maker: &Maker<'_>, args: &Args) -> Result<(), Failure> {
    let all: Vec<&str> = CARDS.iter().map(|card| card.name).collect();
    let bots = args.list("bots", &all.join(","));
    let players = args.number("players", 2)?.max(2) as usize;
    let maps = args.maps()?;
    let length = length(args)?;
    if bots.len() < players {
        return Err("a ladder needs as many bots as players".into());
    }
    let wanted = args.number("games", 40)?;
    let first = args.number("first", 0)?;
    let mut rng = Rng::new(first, 1);
    let mut tables: Vec<Vec<usize>> = Vec::new();
    let mut games = vec![0; bots.len()];
    while games.iter().any(|games| *games < wanted) {
        let mut order: Vec<usize> = (0..bots.len()).collect();
        rng.shuffle(&mut order);
        // Those behind come first.
        order.sort_by_key(|bot| games[*bot]);
        order.truncate(players);
        for bot in &order {
            games[*bot] += (players * maps.len()) as u64;
        }
        tables.push(order);
    }
    let count = maps.len() as u64;
    let table = |number: u64| &tables[(number / count) as usize];
    let work = |number: u64| {
        let names: Vec<&str> = table(number)
            .iter()
            .map(|bot| bots[*bot].as_str())
            .collect();
        let map = &maps[(number % count) as usize].1;
        block(maker, &names, map, length, first + number)
    };
    let mut tallies = vec![Tally::default(); bots.len()];
    let blocks = tables.len() as u64 * count;
    each(
        args.number("threads", 1)?,
        blocks,
        work,
        |number, results| match results {
            Err(why) => println!("block {}: {why}", first + number),
            Ok(results) => {
                for (bot, results) in table(number).iter().zip(&results) {
                    tallies[*bot].add(results);
                }
            }
        },
    );
    for (name, tally) in bots.iter().zip(&tallies) {
        println!("{name:10} {}", tally.show());
    }
    Ok(())
}

/// Games of the hero with itself alone, by map.
fn alone(maker: &Maker<'_>, args: &Args, players: usize) -> Result<(), Failure> {
    let hero = args.text("hero", "triangle");
    let names = vec![hero.as_str(); players];
    let length = length(args)?;
    for (name, map) in args.maps()? {
        let mut tally = Tally::default();
        let begun = Instant::now();
        for seed in 0..args.number("games", 1)? {
            let results = play(maker, &names, &map, length, seed)?;
            tally.add(&results);
        }
        let seconds = begun.elapsed().as_secs_f64();
        let rounds = tally.rounds / players as f64;
        println!(
            "{name:12} {}  {:7.0} rounds a second",
            tally.show(),
            rounds / seconds
        );
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
    let maker = maker(&args)?;
    match verb.as_str() {
        "ladder" => ladder(&maker, &args),
        "duel" => duel(&maker, &args),
        "solo" => alone(&maker, &args, 1),
        "speed" => alone(&maker, &args, args.number("players", 2)?.max(1) as usize),
        "signatures" => {
            for card in CARDS {
                let signature = signature::<Lighthouses>(card.name).unwrap_or(0);
                println!("{:12} {signature:#018x}", card.name);
            }
            Ok(())
        }
        _ => Err("beacon ladder|duel|solo|speed|signatures [--key value]…".into()),
    }
}
