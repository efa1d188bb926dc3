//! The world around the daemon: its chances, its faults, and which life of the daemon runs.

use crate::book::Book;
use crate::called::Daemon;
use crate::disk::{Disk, Shared};
use games::rng::Rng;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    SlowRead,
    SlowWrite,
    SlowSync,
    FailedSync,
    FullDisk,
    Kill,
    KillAtEffect,
    LostMessage,
    LostAnswer,
    RepeatedMessage,
    CutLine,
    StalledLine,
    SlowThinking,
    Stranger,
    KilledShim,
    BrokenStream,
}

use Fault::{
    BrokenStream, CutLine, FailedSync, FullDisk, Kill, KillAtEffect, KilledShim, LostAnswer,
    LostMessage, RepeatedMessage, SlowRead, SlowSync, SlowThinking, SlowWrite, StalledLine,
    Stranger,
};

/// How often each strikes at most where it can: drawn per seed below this.
const RATES: [(Fault, f64); 16] = [
    (SlowRead, 0.02),
    (SlowWrite, 0.02),
    (SlowSync, 0.02),
    (FailedSync, 0.003),
    (FullDisk, 0.3),
    (Kill, 0.3),
    (KillAtEffect, 0.004),
    (LostMessage, 0.01),
    (LostAnswer, 0.02),
    (RepeatedMessage, 0.05),
    (CutLine, 0.03),
    (StalledLine, 0.01),
    (SlowThinking, 0.02),
    (Stranger, 1.0),
    (KilledShim, 0.03),
    (BrokenStream, 0.01),
];

/// How long faults strike.
const STORM: Duration = Duration::from_secs(60);
/// How long the disk stays full now and then after that: longer than sessions live without a message.
const LONG_FULL: Duration = Duration::from_secs(1_000);
/// How long after a fault its consequences may last.
const AFTERMATH: Duration = Duration::from_secs(12);

/// One seed's world.
pub struct World {
    pub rng: Mutex<Rng>,
    rates: BTreeMap<Fault, f64>,
    pub disk: Shared,
    pub book: Mutex<Book>,
    /// Whether hubs are played on, and how many games over shims and matches of each referee there are.
    pub hubs: bool,
    pub shims: u32,
    pub matches: u32,
    life: AtomicU64,
    died: Notify,
    began: Instant,
    disturbed: Mutex<Option<Instant>>,
    daemon: Mutex<Option<Arc<Daemon>>>,
    /// Where the shims' journals are.
    pub folder: PathBuf,
    pub struck: Mutex<BTreeMap<Fault, u64>>,
    effects: AtomicU64,
    ports: AtomicU16,
}

impl World {
    pub fn new(seed: u64, folder: &Path) -> Arc<Self> {
        let mut rng = Rng::new(seed, 1);
        let calm = rng.chance(0.15);
        let mut rates = BTreeMap::new();
        for (fault, most) in RATES {
            let rate = rng.unit().powi(2) * most;
            if rng.chance(0.5) && (!calm || fault == Stranger) {
                rates.insert(fault, rate);
            }
        }
        Arc::new(Self {
            hubs: rng.chance(0.25),
            shims: rng.below(3),
            matches: rng.below(3),
            rng: Mutex::new(rng),
            rates,
            disk: Mutex::new(Disk::default()),
            book: Mutex::new(Book::default()),
            life: AtomicU64::new(0),
            died: Notify::new(),
            began: Instant::now(),
            disturbed: Mutex::new(None),
            daemon: Mutex::new(None),
            folder: folder.to_owned(),
            struck: Mutex::default(),
            effects: AtomicU64::new(0),
            ports: AtomicU16::new(1_024),
        })
    }

    /// Whether a fault strikes here and now.
    pub fn strikes(&self, fault: Fault) -> bool {
        let rate = self.rates.get(&fault).copied().unwrap_or(0.0);
        let strikes = rate > 0.0 && !self.is_calm() && self.rng.lock().chance(rate);
        if strikes {
            self.note(fault);
        }
        strikes
    }

    fn note(&self, fault: Fault) {
        *self.struck.lock().entry(fault).or_default() += 1;
        if !matches!(fault, Stranger | RepeatedMessage) {
            self.disturbed();
        }
        self.log(&format!("{fault:?}"));
    }

    /// Notes something that may excuse what follows.
    pub fn disturbed(&self) {
        *self.disturbed.lock() = Some(Instant::now());
    }

    /// Whether no fault strikes any more.
    pub fn is_calm(&self) -> bool {
        self.began.elapsed() > STORM
    }

    /// Waits until no fault strikes any more.
    pub async fn until_calm(&self) {
        tokio::time::sleep_until(self.began + STORM + Duration::from_millis(1)).await;
    }

    /// A number for our end of a connection.
    pub fn port(&self) -> u16 {
        self.ports.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether nothing has gone wrong for so long that nothing is excused.
    pub fn is_undisturbed(&self) -> bool {
        let disturbed = *self.disturbed.lock();
        disturbed.is_none_or(|at| at.elapsed() > AFTERMATH)
    }

    pub fn log(&self, what: &str) {
        let at = self.began.elapsed();
        self.book.lock().log(at, what);
    }

    /// A wait: mostly a moment, and long where this fault strikes.
    pub async fn pause(&self, fault: Fault) {
        let most_us = match self.strikes(fault) {
            true => 7_000_000,
            false => 2_000,
        };
        let wait_us = self.rng.lock().below(most_us);
        tokio::time::sleep(Duration::from_micros(wait_us.into())).await;
    }

    pub fn life(&self) -> u64 {
        self.life.load(Ordering::Relaxed)
    }

    /// Something of this life takes effect, unless it is over or ends just here.
    pub fn effect(&self, life: u64) -> bool {
        self.effects.fetch_add(1, Ordering::Relaxed);
        if self.life() == life && self.strikes(KillAtEffect) {
            self.kill();
        }
        self.life() == life
    }

    /// Kills the daemon.
    pub fn kill(&self) {
        self.life.fetch_add(1, Ordering::Relaxed);
        *self.daemon.lock() = None;
        let kept = self.rng.lock().below(1_000_001);
        self.disk.lock().crash(kept);
        self.disturbed();
        self.log("killed");
        self.died.notify_waiters();
    }

    /// Waits for the end of a life.
    pub async fn death(&self, life: u64) {
        loop {
            let died = self.died.notified();
            if self.life() != life {
                return;
            }
            died.await;
        }
    }

    pub fn daemon(&self) -> Option<Arc<Daemon>> {
        self.daemon.lock().clone()
    }

    /// The daemon of this life can be called now.
    pub fn listens(&self, daemon: Daemon) -> Arc<Daemon> {
        let daemon = Arc::new(daemon);
        if daemon.life == self.life() {
            *self.daemon.lock() = Some(Arc::clone(&daemon));
        }
        daemon
    }
}

/// Kills and fills up, now and then.
pub async fn misfortune(world: Arc<World>) {
    while !world.is_calm() {
        let wait_ms = 500 + world.rng.lock().below(4_000);
        tokio::time::sleep(Duration::from_millis(wait_ms.into())).await;
        if world.strikes(Kill) {
            world.kill();
        }
        if world.strikes(FullDisk) {
            let lasts_ms = u64::from(world.rng.lock().below(6_000));
            let until = Instant::now() + Duration::from_millis(lasts_ms);
            world.disk.lock().full_until = Some(until);
        }
    }
    if world.rates.contains_key(&FullDisk) && world.rng.lock().chance(0.2) {
        world.note(FullDisk);
        let (before, live) = {
            let mut disk = world.disk.lock();
            disk.full_until = Some(Instant::now() + LONG_FULL);
            (disk.refused, disk.image.live().len())
        };
        tokio::time::sleep(LONG_FULL).await;
        let refused = world.disk.lock().refused - before;
        // What waits is tried again once a second at most.
        if refused > LONG_FULL.as_secs() * (live as u64 + 10) {
            let why = format!("{refused} requests of {live} sessions while the disk was full");
            world.book.lock().is_wrong(why);
        }
    }
    world.disk.lock().full_until = None;
}
