//! The verbs that every game has.

use crate::field::{Field, Keys};
use crate::play::{Pace, Record, block, each, play};
use crate::tally::Tally;
use anyhow::ensure;
use games::contest::Contest as _;
use games::ladder::signature;
use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::time::{Duration, Instant};

/// What is measured.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb<K: clap::Args, O: clap::Subcommand = Infallible> {
    /// Heroes against rivals in all rotations of the seats, by map and by seat.
    Duel(DuelArgs<K>),
    /// Bots in tables with each other.
    Ladder(LadderArgs<K>),
    /// A bot in all seats: figures and times by map. With one player, where a game has that: alone.
    SelfPlay(SelfPlayArgs<K>),
    /// Each bot's signature.
    Signatures,
    /// The game's own.
    #[command(flatten)]
    Own(O),
}

/// What all measurements share.
#[derive(Debug, clap::Args)]
pub(crate) struct Common<K: clap::Args> {
    #[command(flatten)]
    keys: K,
    /// Nodes a decision.
    #[arg(long)]
    nodes: Option<u64>,
    /// Milliseconds of processor time a decision, instead of nodes.
    #[arg(long, conflicts_with = "nodes")]
    ms: Option<u64>,
    /// Number of the first block: a measurement that was cut is resumed with it.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Blocks that are played at once.
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
}

impl<K: Keys> Common<K> {
    fn pace(&self) -> Pace {
        let nodes = self.nodes.unwrap_or(K::Field::NODES);
        match self.ms {
            None => Pace {
                nodes,
                within: Duration::MAX,
            },
            Some(ms) => Pace {
                nodes: u64::MAX,
                within: Duration::from_millis(ms),
            },
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct DuelArgs<K: clap::Args> {
    #[command(flatten)]
    common: Common<K>,
    /// Bots that are measured, each by itself; the strongest unless given.
    #[arg(long)]
    hero: Vec<String>,
    /// Whom they meet: bots that take the other seats in turn, no more of them than there are such seats. Given several
    /// times, each is met by itself.
    #[arg(long, required = true, value_name = "NAME[,NAME…]")]
    rival: Vec<String>,
    /// Games in all, rounded up to whole blocks; unless given, every map once.
    #[arg(long)]
    games: Option<u64>,
    /// Only these seats of the hero, from 1.
    #[arg(long, value_delimiter = ',')]
    seats: Vec<usize>,
    /// Blocks between two lines.
    #[arg(long, default_value = "10", value_parser = clap::value_parser!(u64).range(1..))]
    chunk: u64,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LadderArgs<K: clap::Args> {
    #[command(flatten)]
    common: Common<K>,
    /// Who plays; all unless given.
    #[arg(long, value_delimiter = ',')]
    bots: Vec<String>,
    /// Games of each bot at least, or of each table where every table is played.
    #[arg(long, default_value_t = 40)]
    games: u64,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SelfPlayArgs<K: clap::Args> {
    #[command(flatten)]
    common: Common<K>,
    /// Bots that are measured, each by itself; the strongest unless given.
    #[arg(long)]
    hero: Vec<String>,
    /// Games a map.
    #[arg(long, default_value_t = 1)]
    games: u64,
    /// Runs of each game; of each decision the least time counts.
    #[arg(long, default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,
}

impl<K: Keys, O: clap::Subcommand> Verb<K, O> {
    /// Measures; `own` does what is the game's own.
    pub(crate) fn run(&self, own: impl FnOnce(&O) -> anyhow::Result<()>) -> anyhow::Result<()> {
        match self {
            Self::Duel(args) => {
                for field in args.common.keys.fields()? {
                    for hero in heroes(&field, &args.hero) {
                        for rival in &args.rival {
                            duel(&field, args, hero, rival)?;
                        }
                    }
                }
            }
            Self::Ladder(args) => {
                for field in args.common.keys.fields()? {
                    ladder(&field, args)?;
                }
            }
            Self::SelfPlay(args) => {
                for field in args.common.keys.fields()? {
                    for hero in heroes(&field, &args.hero) {
                        self_play(&field, args, hero)?;
                    }
                }
            }
            Self::Signatures => {
                for card in <K::Field as Field>::Game::BOTS {
                    let signature = signature::<<K::Field as Field>::Game>(card.name);
                    println!("{:18} {:#018x}", card.name, signature.unwrap_or_default());
                }
            }
            Self::Own(verb) => own(verb)?,
        }
        Ok(())
    }
}

fn heroes<'a>(field: &impl Field, given: &'a [String]) -> Vec<&'a str> {
    match given {
        [] => field.bots().last().copied().into_iter().collect(),
        given => given.iter().map(String::as_str).collect(),
    }
}

/// The members of a table where bots meet others.
fn rivalling(field: &impl Field) -> anyhow::Result<usize> {
    let members = field.members();
    ensure!(members > 1, "a duel and a ladder need two or more players");
    Ok(members)
}

fn duel<K: Keys>(
    field: &K::Field,
    args: &DuelArgs<K>,
    hero: &str,
    rival: &str,
) -> anyhow::Result<()> {
    let figures = K::Field::FIGURES;
    let (common, members, grounds) = (&args.common, rivalling(field)?, field.grounds());
    let names = table(members, hero, rival)?;
    let seats = seats(members, &args.seats)?;
    let every = grounds.len() as u64;
    let blocks = args
        .games
        .map_or(every, |games| games.div_ceil(seats.len() as u64));
    let (pace, first, begun) = (common.pace(), common.first, Instant::now());
    println!(
        "{hero} against {rival}, {}, blocks {first}..{}",
        field.title(),
        first + blocks
    );
    let ground = |number: u64| ((first + number) % every) as usize;
    let work = |number| {
        block(
            field,
            pace,
            &names,
            (ground(number), first + number),
            &seats,
        )
    };
    let (mut whole, mut rivals) = (Tally::default(), Tally::default());
    let mut by_ground = vec![Tally::default(); grounds.len()];
    let mut by_seat = vec![Tally::default(); seats.len()];
    each(common.threads.into(), blocks, work, |number, games| {
        let own = games.iter().map(|members| &members[0]);
        whole.add(games.len(), own.clone());
        by_ground[ground(number)].add(games.len(), own);
        for (tally, game) in by_seat.iter_mut().zip(&games) {
            tally.add(1, game[..1].iter());
        }
        let others = games.iter().flat_map(|members| &members[1..]);
        rivals.add(games.len(), others);
        if (number + 1) % args.chunk == 0 || number + 1 == blocks {
            let seconds = begun.elapsed().as_secs_f64();
            println!(
                "..{:5}  {}  {seconds:.0} s",
                first + number + 1,
                whole.show(figures)
            );
        }
    })?;
    println!("  {:12} {}", "rivals", rivals.show(figures));
    if grounds.len() > 1 {
        let grounds = grounds.iter().zip(&mut by_ground);
        for (name, tally) in grounds.filter(|(_, tally)| tally.share().is_some()) {
            println!("  {name:12} {}", tally.show(figures));
        }
    }
    for (seat, tally) in seats.iter().zip(&mut by_seat) {
        println!("  seat {:<7} {}", seat + 1, tally.show(figures));
    }
    Ok(())
}

/// Who sits at a table, the hero first: rivals take the other seats in turn.
fn table<'a>(members: usize, hero: &'a str, rival: &'a str) -> anyhow::Result<Vec<&'a str>> {
    let rivals: Vec<&str> = rival.split(',').collect();
    let others = members.saturating_sub(1);
    ensure!(
        rivals.len() <= others.max(1),
        "--rival {rival} names {} rivals, and a table has {others} other seat{}: name no more than those",
        rivals.len(),
        if others == 1 { "" } else { "s" }
    );
    let others = rivals.into_iter().cycle().take(others);
    Ok(std::iter::once(hero).chain(others).collect())
}

/// The seats that the hero takes, from 0: those given, from 1, or all.
fn seats(members: usize, given: &[usize]) -> anyhow::Result<Vec<usize>> {
    for seat in given {
        ensure!(
            (1..=members).contains(seat),
            "--seats {seat}: there are seats 1 to {members}"
        );
    }
    let mut seats: Vec<usize> = (0..members).collect();
    seats.retain(|seat| given.is_empty() || given.contains(&(seat + 1)));
    Ok(seats)
}

fn ladder<K: Keys>(field: &K::Field, args: &LadderArgs<K>) -> anyhow::Result<()> {
    let (common, pace) = (&args.common, args.common.pace());
    let bots: Vec<&str> = match &args.bots[..] {
        [] => field.bots(),
        given => given.iter().map(String::as_str).collect(),
    };
    let members = rivalling(field)?;
    ensure!(bots.len() >= members, "a ladder needs {members} bots");
    let rounds = field.rounds(bots.len(), common.first, args.games);
    println!("ladder, {}, {} blocks", field.title(), rounds.len());
    let work = |number| {
        let round = &rounds[number as usize];
        let names: Vec<&str> = round.table.iter().map(|bot| bots[*bot]).collect();
        block(
            field,
            pace,
            &names,
            (round.ground, round.seed),
            &round.seats,
        )
    };
    let mut tallies = vec![Tally::default(); bots.len()];
    let mut meetings: HashMap<(usize, usize), Tally> = HashMap::new();
    each(
        common.threads.into(),
        rounds.len() as u64,
        work,
        |number, games| {
            let table = &rounds[number as usize].table;
            // A bot may sit at a table more than once.
            let there: BTreeSet<usize> = table.iter().copied().collect();
            for bot in &there {
                let sits = |member: &usize| table[*member] == *bot;
                let at: Vec<usize> = (0..table.len()).filter(sits).collect();
                let own = games
                    .iter()
                    .flat_map(|members| at.iter().map(move |member| &members[*member]));
                tallies[*bot].add(games.len(), own.clone());
                for other in there.iter().filter(|other| *other != bot) {
                    let met = meetings.entry((*bot, *other)).or_default();
                    met.add(games.len(), own.clone());
                }
            }
        },
    )?;
    for (name, tally) in bots.iter().zip(&mut tallies) {
        println!("{name:16} {}", tally.show(K::Field::FIGURES));
    }
    println!(
        "% {} of the row's bot in games with the column's",
        K::Field::FIGURES[0].name
    );
    let head = bots.iter().map(|name| format!("{:>10.9}", name));
    println!("{:16} {}", "", head.collect::<String>());
    for (bot, name) in bots.iter().enumerate() {
        let share = |other| meetings.get(&(bot, other)).and_then(Tally::share);
        let cell = |other| share(other).map_or("-".to_owned(), |share| format!("{share:.1}"));
        let cells = (0..bots.len()).map(|other| format!("{:>10}", cell(other)));
        println!("{name:16} {}", cells.collect::<String>());
    }
    Ok(())
}

fn self_play<K: Keys>(field: &K::Field, args: &SelfPlayArgs<K>, hero: &str) -> anyhow::Result<()> {
    let (common, figures, grounds) = (&args.common, K::Field::FIGURES, field.grounds());
    let (pace, first, repeat) = (common.pace(), common.first, args.repeat);
    let names = vec![hero; field.members()];
    let run = |(ground, seed)| -> anyhow::Result<Vec<Record>> {
        let setup = field.setup(ground, seed)?;
        let mut least = play(field, pace, &setup, &names, seed)?;
        for _ in 1..repeat {
            let again = play(field, pace, &setup, &names, seed)?;
            for (least, again) in least.iter_mut().zip(again) {
                for (least, time) in least.times.iter_mut().zip(again.times) {
                    *least = least.min(time);
                }
            }
        }
        Ok(least)
    };
    println!("{hero} with itself, {}", field.title());
    let mut whole = Tally::default();
    for (ground, name) in grounds.iter().enumerate() {
        let (begun, mut tally) = (Instant::now(), Tally::default());
        let work = |number| run((ground, first + number));
        each(common.threads.into(), args.games, work, |_, games| {
            tally.add(1, games.iter());
            whole.add(1, games.iter());
        })?;
        let runs = args.games * u64::from(args.repeat);
        let rate = runs as f64 / begun.elapsed().as_secs_f64();
        println!(
            "  {name:12} {}  {rate:.1} games a second",
            tally.show(figures)
        );
    }
    if grounds.len() > 1 {
        println!("  {:12} {}", "all", whole.show(figures));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{seats, table};

    #[test]
    fn rivals_take_the_other_seats_in_turn_and_none_is_left_out() {
        assert_eq!(table(4, "a", "b").unwrap(), ["a", "b", "b", "b"]);
        assert_eq!(table(4, "a", "b,c").unwrap(), ["a", "b", "c", "b"]);
        assert_eq!(table(2, "a", "b").unwrap(), ["a", "b"]);
        let refused = table(2, "a", "b,c").unwrap_err().to_string();
        assert_eq!(
            refused,
            "--rival b,c names 2 rivals, and a table has 1 other seat: name no more than those"
        );
    }

    #[test]
    fn seats_that_do_not_exist_are_named() {
        assert_eq!(seats(3, &[]).unwrap(), [0, 1, 2]);
        assert_eq!(seats(3, &[3, 1]).unwrap(), [0, 2]);
        for (given, wrong) in [(&[1, 9][..], 9), (&[0], 0)] {
            let refused = seats(3, given).unwrap_err().to_string();
            assert_eq!(refused, format!("--seats {wrong}: there are seats 1 to 3"));
        }
    }
}
