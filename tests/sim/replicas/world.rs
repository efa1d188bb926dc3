//! The world around the replicas: chances, faults, and what is known of them.

use super::book::Book;
use super::database::Tables;
use super::node::Node;
use drover::cluster::{Kind, Resource};
use games::rng::Rng;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long faults strike.
pub const STORM: Duration = Duration::from_secs(40);
/// Where the database's clock and all others begin, so that none goes below zero.
pub const BASE: Duration = Duration::from_secs(1_000_000);

/// A message of a referee: the same when it is sent again, and unlike all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Message {
    pub player: u32,
    pub match_: u32,
    pub number: u32,
}

impl Message {
    pub fn resource(self) -> Resource {
        Resource::new(Kind::Session, self.player.to_string())
    }
}

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A process dies, and is started again.
    Crash,
    /// A process is stopped, and goes on.
    Stop,
    /// A machine is suspended with all of its clocks, and goes on.
    Suspend,
    /// A replica is cut off from the database.
    CutOff,
    /// Some replicas do not reach the others.
    Split,
    /// Another machine becomes the database.
    Failover,
    /// The same, and its clock differs by seconds.
    SkewedFailover,
    /// A machine's wall clock is set.
    WallClock,
    /// A process is asked to stop, hands over, and is started again. Not a fault: nothing is excused.
    Drain,
    SlowCommit,
    SlowThinking,
    /// The answer to a renewal is long on its way.
    SlowRenewal,
    /// A message is sent again though it is answered.
    Repeated,
}

use Fault::*;

/// What strikes by itself, how often a second at most.
const BLOWS: [(Fault, f64); 9] = [
    (Crash, 0.3),
    (Stop, 0.4),
    (Suspend, 0.2),
    (CutOff, 0.3),
    (Split, 0.2),
    (Failover, 0.1),
    (SkewedFailover, 0.05),
    (WallClock, 0.3),
    (Drain, 0.3),
];
/// What strikes where it can, how likely at most.
const RATES: [(Fault, f64); 4] = [
    (SlowCommit, 0.05),
    (SlowThinking, 0.1),
    (SlowRenewal, 0.3),
    (Repeated, 0.3),
];

/// What is done wrong on purpose, to see that it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The log takes two entries at one place.
    NoFence,
    /// A player's session may be opened by two.
    NoGenerations,
    /// An answer leaves though its append failed.
    AnswersUnstored,
    /// An append that meets another's entry is answered as it was computed.
    AnswersAnother,
    /// What is forwarded does not say so.
    ForwardsTwice,
    /// Leases are judged by the wall clock.
    WallClock,
    /// An owner whose lease lasts is taken to be dead.
    ClaimsFromTheLiving,
    /// What is read after a stop is taken for new.
    ForgetsStops,
    /// An owner that cannot be reached is waited for.
    WaitsForOwner,
}

/// One seed's world.
pub struct World {
    pub rng: Mutex<Rng>,
    pub mistake: Option<Mistake>,
    rates: BTreeMap<Fault, f64>,
    pub tables: Mutex<Tables>,
    pub nodes: Vec<Node>,
    pub book: Mutex<Book>,
    pub began: Instant,
    /// Past and present failovers: from, until; and what their clocks add up to, in milliseconds.
    pub away: Mutex<Vec<(Instant, Instant)>>,
    skew_ms: Mutex<i64>,
    /// Until when the replicas of each side do not reach those of the other one.
    split: Mutex<Option<(Instant, Vec<bool>)>>,
    failovers: AtomicU64,
    numbers: AtomicU64,
}

impl World {
    pub fn new(seed: u64, mistake: Option<Mistake>) -> Arc<Self> {
        let mut rng = Rng::new(seed, 45);
        let nodes = [3, 3, 5, 10, 30, 100][rng.below(6) as usize];
        let mut rates = BTreeMap::new();
        for (fault, most) in BLOWS.into_iter().chain(RATES) {
            let rate = rng.unit() * most;
            if rng.chance(0.6) {
                rates.insert(fault, rate);
            }
        }
        Arc::new(Self {
            rng: Mutex::new(rng),
            mistake,
            rates,
            tables: Mutex::default(),
            nodes: (0..nodes).map(|_| Node::default()).collect(),
            book: Mutex::default(),
            began: Instant::now(),
            away: Mutex::default(),
            skew_ms: Mutex::default(),
            split: Mutex::default(),
            failovers: AtomicU64::new(0),
            numbers: AtomicU64::new(0),
        })
    }

    pub fn is_calm(&self) -> bool {
        self.began.elapsed() > STORM
    }

    pub fn below(&self, bound: u32) -> u32 {
        self.rng.lock().below(bound)
    }

    pub fn chance(&self, chance: f64) -> bool {
        self.rng.lock().chance(chance)
    }

    /// Whether a fault strikes here and now.
    pub fn strikes(&self, fault: Fault) -> bool {
        let rate = self.rates.get(&fault).copied().unwrap_or(0.0);
        let strikes = !self.is_calm() && self.chance(rate);
        if strikes {
            self.book.lock().struck(fault);
        }
        strikes
    }

    pub async fn pause_us(&self, most_us: u32) {
        let wait_us = self.below(most_us);
        sleep(Duration::from_micros(wait_us.into())).await;
    }

    /// The way from one machine to another.
    pub async fn wire(&self) {
        self.pause_us(2_000).await;
    }

    /// A fresh number.
    pub fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    pub fn log(&self, what: &str) {
        let at = self.began.elapsed();
        self.book.lock().log(at, what);
    }

    pub fn is_away(&self) -> bool {
        let away = self.away.lock();
        away.iter().any(|(_, until)| *until > Instant::now())
    }

    pub fn failovers(&self) -> u64 {
        self.failovers.load(Ordering::Relaxed)
    }

    pub fn database_now(&self) -> Duration {
        let skew_ms = *self.skew_ms.lock();
        let skew = Duration::from_millis(skew_ms.unsigned_abs());
        let now = BASE + self.began.elapsed();
        if skew_ms < 0 { now - skew } else { now + skew }
    }

    pub fn is_cut(&self, node: usize) -> bool {
        let cut = self.nodes[node].state.lock().cut_until;
        cut.is_some_and(|until| until > Instant::now())
    }

    /// Whether two replicas do not reach each other.
    pub fn are_apart(&self, one: usize, other: usize) -> bool {
        let split = self.split.lock();
        let split = split.as_ref();
        split.is_some_and(|(until, sides)| *until > Instant::now() && sides[one] != sides[other])
    }

    /// A node, preferably one that owns something.
    fn victim(&self) -> usize {
        let any = self.below(self.nodes.len() as u32) as usize;
        if self.chance(0.3) {
            return any;
        }
        let tables = self.tables.lock();
        let owners: Vec<usize> = tables
            .history
            .values()
            .filter_map(|all| Some(all.last()?.1))
            .collect();
        match owners.len() {
            0 => any,
            many => owners[self.rng.lock().below(many as u32) as usize],
        }
    }

    fn span(&self, from_ms: u32, to_ms: u32) -> Duration {
        Duration::from_millis((from_ms + self.below(to_ms - from_ms)).into())
    }

    fn fail_over(&self, skew_ms: i64) {
        let lasts = self.span(300, 6_000);
        let now = Instant::now();
        // Leases may last longer, or seem to have lapsed, by as much.
        let until = now + lasts;
        let excused = until + Duration::from_millis(2 * skew_ms.unsigned_abs());
        *self.skew_ms.lock() += skew_ms;
        self.failovers.fetch_add(1, Ordering::Relaxed);
        self.away.lock().push((now, until));
        self.book.lock().away.push((now, excused));
    }
}

/// Strikes until the storm is over.
pub async fn storm(world: Arc<World>) {
    const EVERY: Duration = Duration::from_millis(100);
    while !world.is_calm() {
        sleep(EVERY).await;
        for (fault, _) in BLOWS {
            let rate = world.rates.get(&fault).copied().unwrap_or(0.0);
            if world.chance(rate * EVERY.as_secs_f64()) {
                strike(&world, fault);
            }
        }
    }
}

fn strike(world: &Arc<World>, fault: Fault) {
    if matches!(fault, Failover | SkewedFailover) && world.is_away() {
        return;
    }
    world.book.lock().struck(fault);
    let victim = world.victim();
    world.log(&format!("{fault:?} {victim}"));
    match fault {
        Crash => Node::crash(world, victim, world.span(500, 8_000)),
        Stop => Node::stop(world, victim, world.span(100, 15_000), false),
        Suspend => Node::stop(world, victim, world.span(100, 15_000), true),
        CutOff => Node::cut_off(world, victim, world.span(500, 10_000)),
        Split => {
            let sides = world.nodes.iter().map(|_| world.chance(0.5)).collect();
            let until = Instant::now() + world.span(500, 10_000);
            *world.split.lock() = Some((until, sides));
        }
        Failover => world.fail_over(i64::from(world.below(100)) - 50),
        SkewedFailover => world.fail_over(i64::from(world.below(10_000)) - 5_000),
        WallClock => {
            let hours = i64::from(world.below(5)) - 2;
            world.nodes[victim].state.lock().wall_hours += hours;
        }
        Drain => Node::drain(world, victim),
        SlowCommit | SlowThinking | SlowRenewal | Repeated => {}
    }
}
