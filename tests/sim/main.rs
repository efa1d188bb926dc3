//! The simulator: sessions and referees on a seeded clock, over a model of the store and lines that lose, repeat, delay
//! and cut. Each seed draws its own faults, and the promises are checked: nothing acknowledged is lost, an answer once
//! given never changes, what was announced stands, strangers change nothing, and every match finishes.
//!
//! [`replicas`] does the same for several replicas over one database.
//!
//! `SIM_SEED=17 cargo test --test sim` repeats one seed exactly, with all that happens; `SIM_SEEDS=10000` runs more.

#![allow(clippy::unwrap_used)]

mod book;
mod called;
mod disk;
mod hubs;
mod image;
mod replicas;
mod shims;
mod world;

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use world::{Fault, World};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Seeds of a usual run.
const SEEDS: u64 = 60;
/// How long the matches of a seed may take on its own clock.
const WITHIN: Duration = Duration::from_secs(3 * 3_600);
/// Processor time of all tests of this process within which a seed must end, for each core up to eight, however busy the
/// machine is: thinking without a bound never ends.
const WATCHED: Duration = Duration::from_secs(90);
/// When every run begins, in microseconds since 1970-01-01 UTC.
const BEGAN_US: i64 = 1_800_000_000_000_000;

/// What came of a seed.
struct Outcome {
    wrong: Vec<String>,
    digest: u64,
    lines: u64,
    answers: u64,
    repeats: u64,
    defaults: u64,
    lives: u64,
    took: Duration,
    struck: BTreeMap<Fault, u64>,
}

fn run(seed: u64, traced: bool) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let runtime = Arc::new(runtime);
    let folder = tempfile::tempdir().unwrap();
    let inside = runtime.enter();
    drover::simulated::begin(seed, BEGAN_US);
    let world = World::new(seed, folder.path());
    world.book.lock().traced = traced;
    let began = tokio::time::Instant::now();
    let rest = play(&world);
    let games = shims::play(&runtime, &world, folder.path());
    runtime.block_on(rest);
    let disk = world.disk.lock();
    shims::compare(&world, &games, &disk.durable);
    hubs::compare(&world, &disk.durable);
    let mut book = std::mem::take(&mut *world.book.lock());
    book.compare(&disk.durable);
    book.compare_senders(&disk.durable);
    let struck = world.struck.lock().clone();
    let outcome = Outcome {
        wrong: book.wrong,
        digest: book.digest,
        lines: book.lines,
        answers: book.answers,
        repeats: book.repeats,
        defaults: book.defaults,
        lives: world.life() + 1,
        took: began.elapsed(),
        struck,
    };
    drop(disk);
    drop(inside);
    drop(runtime);
    drover::simulated::end();
    outcome
}

/// Starts everything; the future waits for it.
fn play(world: &Arc<World>) -> impl Future<Output = ()> {
    let world = Arc::clone(world);
    let living = tokio::spawn(called::lives(Arc::clone(&world)));
    let misfortune = tokio::spawn(world::misfortune(Arc::clone(&world)));
    let strangers = tokio::spawn(called::strangers(Arc::clone(&world)));
    let own = tokio::spawn(called::own_matches(Arc::clone(&world)));
    let far = tokio::spawn(called::far_matches(Arc::clone(&world)));
    async move {
        let all = async {
            own.await.unwrap();
            far.await.unwrap();
            misfortune.await.unwrap();
            strangers.await.unwrap();
        };
        if tokio::time::timeout(WITHIN, all).await.is_err() {
            let why = "not every match has finished";
            world.book.lock().is_wrong(why.to_owned());
        }
        // What is left alone ends by itself.
        tokio::time::sleep(called::IDLE + Duration::from_secs(60)).await;
        let live = world.disk.lock().durable.live();
        for session in live {
            let why = format!("session {} never ends: {:?}", session.id.0, session.opened);
            world.book.lock().is_wrong(why);
        }
        living.abort();
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn every_seed_keeps_the_promises() {
    if let Some(seed) = number("SIM_SEED") {
        tracing_subscriber::fmt()
            .without_time()
            .with_ansi(false)
            .with_test_writer()
            .init();
        let outcome = run(seed, true);
        println!(
            "seed {seed}: digest {:016x}, {} events, {:?} simulated, {:?}",
            outcome.digest, outcome.lines, outcome.took, outcome.struck
        );
        assert!(
            outcome.wrong.is_empty(),
            "seed {seed}: {:#?}",
            outcome.wrong
        );
        return;
    }
    let seeds = number("SIM_SEEDS").unwrap_or(SEEDS);
    let began = Instant::now();
    let all = all(seeds);
    summary(&all, began.elapsed());
    let wrong = all.iter().filter(|(_, outcome)| !outcome.wrong.is_empty());
    let wrong: Vec<_> = wrong
        .map(|(seed, outcome)| (seed, &outcome.wrong))
        .collect();
    assert!(
        wrong.is_empty(),
        "repeat one with SIM_SEED=N cargo test --test sim: {:#?}",
        &wrong[..wrong.len().min(5)]
    );
}

/// Processor time that this process has used.
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap()
}

/// Runs all seeds, on as many threads as there are cores.
fn all(seeds: u64) -> BTreeMap<u64, Outcome> {
    let next = AtomicU64::new(1);
    let outcomes = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let watched = WATCHED * threads.min(8) as u32;
    let running: Vec<Mutex<Option<(u64, Duration)>>> =
        (0..threads).map(|_| Mutex::default()).collect();
    std::thread::scope(|scope| {
        let work = |at: usize| {
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed);
                if seed > seeds {
                    *running[at].lock() = None;
                    return;
                }
                *running[at].lock() = Some((seed, computed()));
                let outcome = catch_unwind(AssertUnwindSafe(|| run(seed, false)));
                let outcome = outcome.unwrap_or_else(|_| panic!("seed {seed} panicked"));
                outcomes.lock().insert(seed, outcome);
            }
        };
        let threads: Vec<_> = (0..threads)
            .map(|at| scope.spawn(move || work(at)))
            .collect();
        while threads.iter().any(|thread| !thread.is_finished()) {
            std::thread::park_timeout(Duration::from_millis(20));
            for running in &running {
                let hung = running
                    .lock()
                    .filter(|(_, since)| computed().saturating_sub(*since) > watched);
                if let Some((seed, _)) = hung {
                    println!("seed {seed}: something computes for {watched:?} without an end");
                    std::process::exit(1);
                }
            }
        }
    });
    outcomes.into_inner()
}

fn summary(all: &BTreeMap<u64, Outcome>, took: Duration) {
    let sum = |part: fn(&Outcome) -> u64| all.values().map(part).sum::<u64>();
    println!(
        "{} seeds in {:.1} s: {} answers, {} of them to repeats, {} defaults unstored, {} lives, {:.1} hours simulated",
        all.len(),
        took.as_secs_f64(),
        sum(|one| one.answers),
        sum(|one| one.repeats),
        sum(|one| one.defaults),
        sum(|one| one.lives),
        sum(|one| one.took.as_secs()) as f64 / 3_600.0,
    );
    let mut struck: BTreeMap<Fault, u64> = BTreeMap::new();
    for (fault, times) in all.values().flat_map(|one| &one.struck) {
        *struck.entry(*fault).or_default() += times;
    }
    println!("faults: {struck:?}");
}

#[test]
fn a_seed_repeats_its_run_exactly() {
    for seed in [3, 17] {
        let (first, second) = (run(seed, false), run(seed, false));
        assert_eq!(
            (first.digest, first.lines),
            (second.digest, second.lines),
            "seed {seed}"
        );
    }
}
