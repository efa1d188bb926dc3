//! The pool under load.

use super::shared::{LOST, REPLACEMENTS_MAX};
use super::{Job, Pending, Pool, PoolOptions};
use games::{Budget, Dialogue, Fact, Frame, Next, Progress, WireError};
use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A bot that thinks like this.
struct Thinker<F>(F);

impl<F: FnMut(Budget<'_>, &mut Frame) -> Progress + Send> Dialogue for Thinker<F> {
    fn receive(&mut self, _: &[u8]) -> Result<Next, WireError> {
        Ok(Next::Wait)
    }
    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        (self.0)(slice, best)
    }
    fn said(&mut self, _: &str) {}
    fn facts(&mut self) -> Vec<Fact> {
        Vec::new()
    }
    fn view(&self) -> Value {
        Value::Null
    }
}

/// Thinks for as long as it may.
fn deep(slice: Budget<'_>, best: &mut Frame) -> Progress {
    while !(slice.stop)() {
        std::hint::spin_loop();
    }
    best.push('+');
    Progress::More
}

fn pool() -> Pool {
    Pool::start(&PoolOptions {
        threads: 1,
        ..PoolOptions::default()
    })
    .unwrap()
}

fn job(received: Instant, ceiling: Duration) -> Job {
    Job {
        dialogue: Box::new(Thinker(deep)),
        fallback: "f".to_owned(),
        ceiling,
        nodes: u64::MAX,
        received,
        deadline: received + Duration::from_secs(4),
    }
}

#[tokio::test]
async fn a_job_alone_gets_its_ceiling() {
    let ceiling = Duration::from_millis(60);
    let pool = pool();
    let thought = pool
        .submit(job(Instant::now(), ceiling))
        .thought()
        .await
        .unwrap();
    assert!(
        thought.used >= ceiling / 2 && thought.used < ceiling * 3,
        "{:?}",
        thought.used
    );
    assert_eq!(pool.jobs(), 0);
}

#[tokio::test]
async fn two_hundred_jobs_at_once_all_think_and_end_near_the_ceiling() {
    let pool = pool();
    let begun = Instant::now();
    let ceiling = Duration::from_millis(200);
    let pending: Vec<_> = (0..200).map(|_| pool.submit(job(begun, ceiling))).collect();
    for mut pending in pending {
        assert!(
            pending.thought().await.unwrap().thought,
            "each gets at least one slice"
        );
    }
    // One after the other at the full ceiling they would need 40 s.
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
}

type Turns = Arc<Mutex<Vec<u64>>>;

/// A bot that records when it runs; the first waits until all the others are there.
fn turn(number: u64, turns: Turns, go: Arc<AtomicBool>) -> Box<dyn Dialogue> {
    Box::new(Thinker(move |_: Budget<'_>, _: &mut Frame| {
        while !go.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        turns.lock().push(number);
        Progress::Done
    }))
}

#[tokio::test]
async fn the_more_urgent_goes_first() {
    const JOBS: u64 = 50;
    let pool = pool();
    let now = Instant::now();
    let (turns, go) = (Turns::default(), Arc::default());
    let submit = |number: u64| {
        let (turns, go) = (Arc::clone(&turns), Arc::clone(&go));
        let ceiling = Duration::from_millis(100 + number);
        pool.submit(Job {
            dialogue: turn(number, turns, go),
            ..job(now, ceiling)
        })
    };
    // The most urgent of all comes first and keeps the only thread until the others have come, the
    // least urgent of them first.
    let mut pending = vec![submit(0)];
    pending.extend((1..JOBS).rev().map(submit));
    go.store(true, Ordering::Release);
    for mut pending in pending {
        assert!(pending.thought().await.is_some());
    }
    assert_eq!(*turns.lock(), Vec::from_iter(0..JOBS));
}

/// Keeps its thread until released, regardless of time.
fn hanging(go: &Arc<AtomicBool>) -> Job {
    let (turns, go) = (Turns::default(), Arc::clone(go));
    Job {
        dialogue: turn(0, turns, go),
        ..job(Instant::now(), Duration::from_millis(1))
    }
}

#[tokio::test]
async fn threads_that_bots_keep_are_missed_once_none_can_be_started_in_their_place() {
    let (pool, go) = (pool(), Arc::default());
    let mut kept = Vec::new();
    for number in 0..=REPLACEMENTS_MAX {
        let later = Instant::now() + 2 * LOST;
        assert_eq!(
            pool.threads_free_at(later),
            1,
            "{number} of them are replaced"
        );
        kept.push(pool.submit(hanging(&go)));
        let begun = Instant::now();
        let thinks = || pool.threads_free_at(Instant::now() + 2 * LOST) == 0;
        while !thinks() {
            assert!(begun.elapsed() < Duration::from_secs(20));
            tokio::task::yield_now().await;
        }
        while number < REPLACEMENTS_MAX && thinks() {
            assert!(begun.elapsed() < Duration::from_secs(20));
            pool.replace_stuck();
            tokio::task::yield_now().await;
        }
    }
    pool.replace_stuck();
    let later = Instant::now() + 2 * LOST;
    assert_eq!(pool.threads_free_at(later), 0);
    assert!(kept.iter_mut().all(Pending::is_out));
    go.store(true, Ordering::Release);
    for mut pending in kept {
        assert!(pending.thought().await.is_some());
    }
    assert_eq!(pool.threads_free(), 1);
    pool.close();
    assert_eq!(pool.threads_free(), 0);
}

#[tokio::test]
async fn a_job_that_is_being_thought_about_at_the_close_is_dropped() {
    let pool = pool();
    let mut pending = pool.submit(job(Instant::now(), Duration::from_secs(3)));
    while pending.best().is_none() {
        tokio::task::yield_now().await;
    }
    pool.close();
    assert!(pending.thought().await.is_none());
    assert_eq!(pool.jobs(), 0);
}

#[tokio::test]
async fn a_cancelled_job_comes_back_at_once() {
    let pool = pool();
    let now = Instant::now();
    let mut pending = pool.submit(job(now, Duration::from_secs(3)));
    pending.cancel();
    assert!(pending.thought().await.unwrap().dialogue.is_some());
    assert!(
        now.elapsed() < Duration::from_secs(2),
        "{:?}",
        now.elapsed()
    );
}

#[test]
fn thinking_threads_can_step_back() {
    let nices = || -> Vec<i64> {
        let tasks = std::fs::read_dir("/proc/self/task").unwrap();
        let stat = |task: std::io::Result<std::fs::DirEntry>| {
            let text = std::fs::read_to_string(task.ok()?.path().join("stat")).ok()?;
            let (name, rest) = text.rsplit_once(')')?;
            // The 19th field of the line, the 17th after the name.
            name.contains("(think-")
                .then(|| rest.split_whitespace().nth(16)?.parse().ok())?
        };
        tasks.filter_map(stat).collect()
    };
    let pool = Pool::start(&PoolOptions {
        threads: 3,
        idle_priority: true,
        ..PoolOptions::default()
    });
    let begun = std::time::Instant::now();
    while nices().iter().filter(|nice| **nice == 19).count() < 3 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", nices());
        std::thread::yield_now();
    }
    drop(pool);
}
