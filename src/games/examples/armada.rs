//! Measures the built-in players of Planet Wars in process.
//!
//! `cargo run --release -p games --example armada -- VERB [--key value]…`
//!
//! | verb | what it prints |
//! |---|---|
//! | `ladder` | teams of the bots of `--bots`, every pair of them (or every `--sides K`) against each other: share of wins, rounds, ships, time a decision |
//! | `duel` | teams of `--hero` against teams of `--rival`, chunk by chunk |
//! | `speed` | time a decision of `--hero` with `--players N` (20) in two teams, the least of `--repeat N` (3) runs of the same game |
//! | `ring` | drills of the ring's words: strangers taken in, turns until a team is complete, by size and lag |
//! | `signatures` | each bot's signature |
//!
//! Keys: `--size N` players of a team (1), `--maps contest|google|both|foreign|FILE,…` (both; `foreign` are those
//! in the folder that `DROVER_FOREIGN_MAPS` names, and only those with as many homes as there are players),
//! `--games N` (a pairing for `ladder`, in all for `duel`, teams for `ring`), `--first N` (the number of the first
//! block: what was cut is resumed with it), `--chunk N` blocks between two lines of a duel, `--rounds N` (200),
//! `--nodes N` a decision (2000), `--planets N` of drawn maps.
//!
//! A block is one map and one seating, by the number of the block: players' numbers are shuffled over the
//! places of the teams, and the teams play it in all rotations, two teams with the sides swapped. A win is the
//! largest team's total at the end, draws are shared. Intervals are 95 %, from means over blocks.

use games::arena::play_by;
use games::game::{Bot, Budget, Seat};
use games::ladder::{seated, signature};
use games::planetwars::bots::drill::{Drill, drill};
use games::planetwars::bots::{CARDS, make};
use games::planetwars::generate::{Look, Style, generate};
use games::planetwars::map;
use games::planetwars::rules::{NEUTRAL, Planet, PlanetWars, PlayerId, Ruleset, Setup};
use games::rng::Rng;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

/// Streams of a block's seed that shuffle the players.
const SEATING_STREAM: u64 = 6 << 32;

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
        let text = self.text(key, &default.to_string());
        let number = text.parse();
        Ok(number.map_err(|why| format!("--{key} {text}: {why}"))?)
    }
}

/// Where maps come from.
enum Source {
    Drawn(Look),
    Read(Vec<Planet>),
}

/// What is played in every block.
struct Plan {
    sources: Vec<Source>,
    sides: usize,
    size: usize,
    planets: Option<usize>,
    rounds: u32,
    nodes: u64,
}

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

fn read_map(file: &Path) -> Result<Vec<Planet>, Failure> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|why| format!("{shown}: {why}"))?;
    Ok(map::read(&text).map_err(|why| format!("{shown}: {why}"))?)
}

/// The players who have a home, by number.
fn owners(planets: &[Planet]) -> Vec<PlayerId> {
    let owners = planets.iter().map(|planet| planet.owner);
    let mut owners: Vec<PlayerId> = owners.filter(|owner| *owner != NEUTRAL).collect();
    owners.sort_unstable();
    owners.dedup();
    owners
}

impl Plan {
    fn of(args: &Args, sides: usize, size: usize) -> Result<Self, Failure> {
        let mut sources = Vec::new();
        for name in args.list("maps", "both") {
            match name.as_str() {
                "contest" => sources.push(Source::Drawn(Look::Contest)),
                "google" => sources.push(Source::Drawn(Look::Google)),
                "both" => {
                    sources.push(Source::Drawn(Look::Contest));
                    sources.push(Source::Drawn(Look::Google));
                }
                "foreign" => {
                    for file in foreign()? {
                        let planets = read_map(&file)?;
                        if owners(&planets).len() == sides * size {
                            sources.push(Source::Read(planets));
                        }
                    }
                }
                file => sources.push(Source::Read(read_map(Path::new(file))?)),
            }
        }
        if sources.is_empty() {
            return Err("no map has as many homes as there are players".into());
        }
        let planets = args.number("planets", 0)? as usize;
        Ok(Self {
            sources,
            sides,
            size,
            planets: (planets > 0).then_some(planets),
            rounds: u32::try_from(args.number("rounds", 200)?)?,
            nodes: args.number("nodes", 2_000)?,
        })
    }

    /// Map and seating of a block: two blocks of drawn maps that follow each other are of different looks.
    fn setup(&self, block: u64) -> Result<Setup, String> {
        let count = self.sides * self.size;
        let source = (block % self.sources.len() as u64) as usize;
        let planets = match &self.sources[source] {
            Source::Read(planets) => planets.clone(),
            Source::Drawn(look) => {
                let style = Style {
                    look: *look,
                    players: count,
                    planets: self.planets,
                    side: None,
                };
                generate(block, &style)?
            }
        };
        let mut players = owners(&planets);
        if players.len() != count {
            return Err(format!("{} homes for {count} players", players.len()));
        }
        Rng::new(block, SEATING_STREAM).shuffle(&mut players);
        Ok(Setup {
            planets,
            players,
            teams: (0..count).map(|seat| (seat / self.size) as u8).collect(),
            ruleset: Ruleset {
                rounds: self.rounds,
                ..Ruleset::TEAM
            },
        })
    }
}

/// How often decisions took how long: eight buckets for each doubling of nanoseconds.
#[derive(Clone)]
struct Times {
    buckets: Vec<u64>,
    most: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            buckets: vec![0; 400],
            most: 0,
        }
    }
}

impl Times {
    fn note(&mut self, nanoseconds: u64) {
        let place = 8.0 * (nanoseconds.max(1) as f64).log2();
        if let Some(bucket) = self.buckets.get_mut(place as usize) {
            *bucket += 1;
        }
        self.most = self.most.max(nanoseconds);
    }

    fn add(&mut self, other: &Times) {
        for (sum, count) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += count;
        }
        self.most = self.most.max(other.most);
    }

    /// Microseconds within which this share of decisions was made.
    fn within(&self, share: f64) -> f64 {
        let all: u64 = self.buckets.iter().sum();
        let mut above = ((1.0 - share) * all as f64) as u64;
        let slow = self.buckets.iter().rposition(|count| {
            let passed = above < *count;
            above = above.saturating_sub(*count);
            passed
        });
        2f64.powf((slow.unwrap_or(0) as f64 + 1.0) / 8.0) / 1000.0
    }

    fn show(&self) -> String {
        format!(
            "µs a decision: p50 {:6.1}, p99 {:6.1}",
            self.within(0.5),
            self.within(0.99)
        )
    }
}

/// What one team got out of a game.
#[derive(Clone, Default)]
struct Played {
    share: f64,
    ships: f64,
    rounds: f64,
    offenders: usize,
    times: Times,
}

/// One game of these teams, by side.
fn play(plan: &Plan, setup: &Setup, names: &[&str], seed: u64) -> Result<Vec<Played>, String> {
    let mut bots: Vec<Box<dyn Bot<_>>> = Vec::new();
    for (seat, team) in (0u64..).zip(&setup.teams) {
        let name = names[usize::from(*team)];
        let bot = make(name, seed.wrapping_mul(128).wrapping_add(seat));
        bots.push(bot.ok_or(format!("there is no bot {name}"))?);
    }
    let mut results = vec![Played::default(); names.len()];
    let side = |seat: Seat| usize::from(setup.teams[seat.index()]);
    let game = play_by(setup, &mut bots, |seat, bot, view, ask| {
        let begun = Instant::now();
        let act = bot.decide(view, ask, Budget::nodes(plan.nodes));
        let took = begun.elapsed().as_nanos() as u64;
        results[side(seat)].times.note(took);
        act
    })
    .game;
    let totals: Vec<i64> = (0..names.len() as u8)
        .map(|team| game.total(team))
        .collect();
    let best = totals.iter().max().copied().unwrap_or_default();
    let winners = totals.iter().filter(|total| **total == best).count();
    for (team, result) in results.iter_mut().enumerate() {
        if totals[team] == best {
            result.share = 1.0 / winners as f64;
        }
        result.ships = totals[team] as f64;
        result.rounds = f64::from(game.turn());
        let seats = (0..setup.players.len() as u8).map(Seat);
        let dropped = seats.filter(|seat| side(*seat) == team && game.is_dropped(*seat));
        result.offenders = dropped.count();
    }
    Ok(results)
}

/// All rotations of the teams over one map and seating: the games of each team.
fn block(plan: &Plan, names: &[&str], number: u64) -> Result<Vec<Vec<Played>>, String> {
    let setup = plan.setup(number)?;
    let count = names.len();
    let mut by_team = vec![Vec::new(); count];
    for shift in 0..count {
        let team = |side: usize| (side + shift) % count;
        let seated: Vec<&str> = (0..count).map(|side| names[team(side)]).collect();
        for (side, result) in play(plan, &setup, &seated, number)?.into_iter().enumerate() {
            by_team[team(side)].push(result);
        }
    }
    Ok(by_team)
}

/// Sums over blocks.
#[derive(Clone, Default)]
struct Tally {
    blocks: f64,
    games: f64,
    shares: [f64; 2],
    ships: f64,
    rounds: f64,
    offenders: usize,
    times: Times,
}

fn interval(sums: [f64; 2], blocks: f64) -> (f64, f64) {
    let mean = sums[0] / blocks.max(1.0);
    let variance = (sums[1] / blocks.max(1.0) - mean * mean).max(0.0);
    (mean, 1.96 * (variance / (blocks - 1.0).max(1.0)).sqrt())
}

impl Tally {
    fn add(&mut self, games: &[Played]) {
        let count = games.len().max(1) as f64;
        let share = games.iter().map(|game| game.share).sum::<f64>() / count;
        self.blocks += 1.0;
        self.games += games.len() as f64;
        self.shares[0] += share;
        self.shares[1] += share * share;
        for game in games {
            self.ships += game.ships;
            self.rounds += game.rounds;
            self.offenders += game.offenders;
            self.times.add(&game.times);
        }
    }

    fn show(&self) -> String {
        let (share, error) = interval(self.shares, self.blocks);
        let games = self.games.max(1.0);
        format!(
            "{:5.0} games  {:5.1} ± {:4.1} %  {:5.1} rounds  {:8.1} ships  {} offenders  {}",
            self.games,
            100.0 * share,
            100.0 * error,
            self.rounds / games,
            self.ships / games,
            self.offenders,
            self.times.show(),
        )
    }
}

fn duel(args: &Args) -> Result<(), Failure> {
    let size = args.number("size", 1)?.max(1) as usize;
    let plan = Plan::of(args, 2, size)?;
    let (hero, rival) = (
        args.text("hero", "frontier-team"),
        args.text("rival", "rage-team"),
    );
    let names = [hero.as_str(), rival.as_str()];
    let first = args.number("first", 0)?;
    let blocks = args.number("games", 40)?.div_ceil(2);
    let chunk = args.number("chunk", 10)?.max(1);
    println!(
        "{hero} against {rival}, {size} a team, {} rounds, {} nodes, blocks {first}..{}",
        plan.rounds,
        plan.nodes,
        first + blocks
    );
    let begun = Instant::now();
    let mut tallies = [Tally::default(), Tally::default()];
    for number in 0..blocks {
        let results = block(&plan, &names, first + number)?;
        for (tally, games) in tallies.iter_mut().zip(&results) {
            tally.add(games);
        }
        if (number + 1) % chunk == 0 || number + 1 == blocks {
            let seconds = begun.elapsed().as_secs_f64();
            let next = first + number + 1;
            println!("..{next:5}  {}  {seconds:4.0} s", tallies[0].show());
        }
    }
    println!("rival    {}", tallies[1].show());
    Ok(())
}

/// Every choice of so many of the first `count` numbers.
fn choices(count: usize, taken: usize) -> Vec<Vec<usize>> {
    if taken == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for last in taken.saturating_sub(1)..count {
        for mut choice in choices(last, taken - 1) {
            choice.push(last);
            all.push(choice);
        }
    }
    all
}

fn ladder(args: &Args) -> Result<(), Failure> {
    let size = args.number("size", 1)?.max(1) as usize;
    let sides = args.number("sides", 2)?.max(2) as usize;
    let of_size = |card: &&games::BotCard| card.name.ends_with("-team") == (size > 1);
    let usual: Vec<&str> = CARDS.iter().filter(of_size).map(|card| card.name).collect();
    let bots = args.list("bots", &usual.join(","));
    let plan = Plan::of(args, sides, size)?;
    let first = args.number("first", 0)?;
    let blocks = args.number("games", 40)?.div_ceil(sides as u64);
    let mut tallies = vec![Tally::default(); bots.len()];
    let mut pairs: HashMap<(usize, usize), Tally> = HashMap::new();
    for table in choices(bots.len(), sides) {
        let names: Vec<&str> = table.iter().map(|bot| bots[*bot].as_str()).collect();
        for number in first..first + blocks {
            let results = block(&plan, &names, number)?;
            for (bot, games) in table.iter().zip(&results) {
                tallies[*bot].add(games);
                for other in table.iter().filter(|other| *other != bot) {
                    pairs.entry((*bot, *other)).or_default().add(games);
                }
            }
        }
    }
    println!(
        "{sides} teams of {size}, {} rounds, blocks {first}..{}",
        plan.rounds,
        first + blocks
    );
    for (name, tally) in bots.iter().zip(&tallies) {
        println!("{name:16} {}", tally.show());
    }
    println!("share of wins of the row's bot in games with the column's, %");
    let short: Vec<String> = bots
        .iter()
        .map(|name| name.chars().take(9).collect())
        .collect();
    println!(
        "{:16} {}",
        "",
        short
            .iter()
            .map(|name| format!("{name:>10}"))
            .collect::<String>()
    );
    for (bot, name) in bots.iter().enumerate() {
        let cell = |other| match pairs.get(&(bot, other)) {
            Some(tally) => format!("{:>10.1}", 100.0 * interval(tally.shares, tally.blocks).0),
            None => format!("{:>10}", "-"),
        };
        println!(
            "{name:16} {}",
            (0..bots.len()).map(cell).collect::<String>()
        );
    }
    Ok(())
}

/// The time of every decision of the hero, the least of several runs of the same games.
fn speed(args: &Args) -> Result<(), Failure> {
    let hero = args.text("hero", "frontier-team");
    let size = (args.number("players", 20)? / 2).max(1) as usize;
    let plan = Plan::of(args, 2, size)?;
    let first = args.number("first", 0)?;
    let mut times = Times::default();
    let mut rounds = 0;
    for number in first..first + args.number("games", 4)? {
        let setup = plan.setup(number)?;
        let mut least: Vec<u64> = Vec::new();
        for _ in 0..args.number("repeat", 3)?.max(1) {
            let mut decisions = 0;
            let names = vec![hero.as_str(); 2 * size];
            let bots = seated::<PlanetWars>(&names, number.wrapping_mul(128));
            let mut bots = bots.ok_or(format!("there is no bot {hero}"))?;
            let game = play_by(&setup, &mut bots, |_, bot, view, ask| {
                let begun = Instant::now();
                let act = bot.decide(view, ask, Budget::nodes(plan.nodes));
                let took = begun.elapsed().as_nanos() as u64;
                match least.get_mut(decisions) {
                    Some(least) => *least = took.min(*least),
                    None => least.push(took),
                }
                decisions += 1;
                act
            })
            .game;
            rounds = game.turn();
        }
        for took in least {
            times.note(took);
        }
    }
    println!(
        "{hero}, {} players: {}, most {:6.1}; {rounds} rounds in the last game",
        2 * size,
        times.show(),
        times.most as f64 / 1000.0
    );
    Ok(())
}

/// Drills by size and lag, with and without failing members and garbage that looks true.
fn ring(args: &Args) -> Result<(), Failure> {
    let teams = args.number("games", 10_000)?;
    let first = args.number("first", 0)?;
    let mut strangers = 0;
    // By lag, whether there are many players, and size: teams, sum and most of the turns.
    let mut clean: HashMap<(u32, bool, usize), (u64, u64, u32)> = HashMap::new();
    let mut failing: HashMap<(u32, bool), (u64, u64, u64)> = HashMap::new();
    // A proof before its time, with garbage of any bits and with what looks like true words.
    let (mut early, mut missed) = ([0; 2], 0);
    for seed in first..first + teams {
        let mut rng = Rng::new(seed, SEATING_STREAM);
        let plan = Drill {
            seed,
            lag: rng.below(3),
            size: 1 + rng.below(10) as usize,
            many: rng.chance(0.25),
            crash: rng.chance(0.4),
            plausible: rng.chance(0.3),
        };
        let drilled = drill(&plan);
        strangers += drilled.false_members;
        early[usize::from(plan.plausible)] += u64::from(drilled.false_proofs > 0);
        if plan.crash {
            let sums = failing.entry((plan.lag, plan.many)).or_default();
            sums.0 += 1;
            sums.1 += u64::from(drilled.settled.unwrap_or_default());
            sums.2 += drilled.missing as u64;
            continue;
        }
        missed += drilled.missing;
        if !plan.plausible {
            let turn = drilled.complete.unwrap_or(u32::MAX);
            let sums = clean.entry((plan.lag, plan.many, plan.size)).or_default();
            *sums = (sums.0 + 1, sums.1 + u64::from(turn), sums.2.max(turn));
        }
    }
    println!(
        "{teams} teams from seed {first}: {strangers} strangers taken for mates, {missed} mates missed \
         where nobody failed, {} teams with a proof before its time, {} where garbage looked true",
        early[0], early[1]
    );
    println!("turn at which all knew their whole team, mean (most):");
    for many in [false, true] {
        for lag in 0..3 {
            let cell = |size: usize| match clean.get(&(lag, many, size)) {
                Some((count, sum, most)) => {
                    format!("{:>5.1} ({most:2})", *sum as f64 / *count as f64)
                }
                None => format!("{:>10}", "-"),
            };
            let cells: Vec<String> = (1..=10).map(cell).collect();
            let players = if many { "over 24" } else { "to 20" };
            println!("{players:8} lag {lag}  {}", cells.join(" "));
        }
    }
    println!(
        "a member fails: lag, over 24 players, teams, mean turn at which all had settled, mates \
         unknown at the end to all members of a team together"
    );
    let mut failing: Vec<_> = failing.into_iter().collect();
    failing.sort_unstable();
    for ((lag, many), (count, settled, missing)) in failing {
        let mean = |sum: u64| sum as f64 / count as f64;
        println!(
            "{lag} {many:5} {count:5} {:5.1} {:5.1}",
            mean(settled),
            mean(missing)
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
    match verb.as_str() {
        "ladder" => ladder(&args),
        "duel" => duel(&args),
        "speed" => speed(&args),
        "ring" => ring(&args),
        "signatures" => {
            for card in CARDS {
                let signature = signature::<PlanetWars>(card.name).unwrap_or(0);
                println!("{:18} {signature:#018x}", card.name);
            }
            Ok(())
        }
        _ => Err("armada ladder|duel|speed|ring|signatures [--key value]…".into()),
    }
}
