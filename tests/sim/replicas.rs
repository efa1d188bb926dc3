//! Up to a hundred replicas over a model of their database: processes that die and that are stopped, machines that are
//! suspended, lines that are cut, failovers, and clocks that are set. What was acknowledged is compared with what is
//! stored; a message without an answer is held against us where a replica and the database were there for long enough.
//!
//! `SIM_REPLICAS_SEED=17 cargo test --test sim replicas_keep -- --nocapture` repeats one seed with all that happens;
//! `SIM_REPLICAS_SEEDS=5000` runs more.

mod book;
mod database;
mod node;
mod players;
mod world;

use book::Book;
use node::Node;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use world::{Fault, Mistake, World};

/// Seeds of a usual run.
const SEEDS: u64 = 16;
/// Seeds within which each mistake must be found.
const SEEDS_OF_MISTAKES: u64 = 40;
/// How long what was sent in the storm may take to end.
const AFTERMATH: Duration = Duration::from_secs(30);

fn run(seed: u64, mistake: Option<Mistake>, traced: bool) -> Book {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let world = World::new(seed, mistake);
        world.book.lock().traced = traced;
        for node in 0..world.nodes.len() {
            Node::start(&world, node);
        }
        let players = 20 + world.below(20);
        let players: Vec<_> = (0..players)
            .map(|player| tokio::spawn(players::play(Arc::clone(&world), player)))
            .collect();
        let storm = tokio::spawn(world::storm(Arc::clone(&world)));
        for player in players {
            player.await.unwrap();
        }
        storm.await.unwrap();
        tokio::time::sleep(AFTERMATH).await;
        let mut book = std::mem::take(&mut *world.book.lock());
        book.compare(&world.tables.lock());
        book.runs(node::singletons());
        book
    })
}

#[test]
fn replicas_keep_the_promises() {
    if let Some(seed) = super::number("SIM_REPLICAS_SEED") {
        let book = run(seed, None, true);
        assert!(book.wrong.is_empty(), "seed {seed}: {:#?}", book.wrong);
        return;
    }
    let seeds = super::number("SIM_REPLICAS_SEEDS").unwrap_or(SEEDS);
    let began = std::time::Instant::now();
    let mut books = BTreeMap::new();
    let next = AtomicU64::new(1);
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            let mut own = Vec::new();
            loop {
                match next.fetch_add(1, Ordering::Relaxed) {
                    seed if seed <= seeds => own.push((seed, run(seed, None, false))),
                    _ => return own,
                }
            }
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            books.extend(thread.join().unwrap());
        }
    });
    summary(&books, began.elapsed());
    let wrong = books.iter().filter(|(_, book)| !book.wrong.is_empty());
    let wrong: Vec<_> = wrong.map(|(seed, book)| (seed, &book.wrong[0])).collect();
    assert!(
        wrong.is_empty(),
        "{} seeds: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(5)]
    );
}

fn summary(books: &BTreeMap<u64, Book>, took: Duration) {
    let sum = |part: fn(&Book) -> u64| books.values().map(part).sum::<u64>();
    println!(
        "{} seeds in {:.1} s: {} answers, {} to repeats, {} forwarded; {} appends fenced, {} unknown; {} messages \
         stale, {} without an answer, {} of them while the database was away; {} acts of what runs once, {} of them beyond its lease after a clock stood still",
        books.len(),
        took.as_secs_f64(),
        sum(|book| book.answers() as u64),
        sum(|book| book.repeats),
        sum(|book| book.forwards),
        sum(|book| book.fenced),
        sum(|book| book.unknown),
        sum(|book| book.stale),
        sum(|book| book.unanswered),
        sum(|book| book.unanswered_away),
        sum(|book| book.acts),
        sum(|book| book.acts_excused),
    );
    let mut struck: BTreeMap<Fault, u64> = BTreeMap::new();
    for (fault, times) in books.values().flat_map(|book| &book.struck) {
        *struck.entry(*fault).or_default() += times;
    }
    println!("faults: {struck:?}");
    times(
        "takeovers of sessions",
        books.values().flat_map(|book| &book.takeovers),
    );
    let singletons = books
        .values()
        .flat_map(|book| &book.takeovers_of_singletons);
    times("takeovers of what runs once", singletons);
}

fn times<'a>(what: &str, times: impl Iterator<Item = &'a Duration>) {
    let mut times: Vec<Duration> = times.copied().collect();
    times.sort_unstable();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize);
    println!(
        "{what}: {}, p50 {:?}, p99 {:?}, longest {:?}; a lease lasts 2 s",
        times.len(),
        at(0.5),
        at(0.99),
        times.last()
    );
}

#[test]
fn a_seed_of_replicas_repeats_its_run_exactly() {
    for seed in [2, 5] {
        let (first, second) = (run(seed, None, false), run(seed, None, false));
        assert_eq!(first.digest, second.digest, "seed {seed}");
    }
}

/// The checks find this mistake, and say this of it.
fn finds(mistake: Mistake, what: &str) {
    let mut seeds = 1..=SEEDS_OF_MISTAKES;
    let found = seeds.find(|seed| {
        let book = run(*seed, Some(mistake), false);
        book.wrong.iter().any(|why| why.contains(what))
    });
    println!("{mistake:?}: seed {found:?}");
    assert!(found.is_some(), "{mistake:?} is never found");
}

#[test]
fn mistakes_are_found() {
    finds(Mistake::NoFence, "has two entries at");
    finds(Mistake::NoGenerations, "is stored twice");
    finds(Mistake::AnswersUnstored, "and stored is");
    finds(Mistake::AnswersAnother, "was answered");
    finds(Mistake::ForwardsTwice, "was forwarded");
    finds(Mistake::WallClock, "though another owns it");
    finds(Mistake::ClaimsFromTheLiving, "though another owns it");
    finds(Mistake::ForgetsStops, "long after its deadline");
    finds(Mistake::WaitsForOwner, "was not answered, though");
}
