//! Plays disturbed matches and prints what came of them.
//!
//! `cargo run --release -p drover-games --example disturb -- [--game G] [--matches 10000] [--bot champion] [--seed 0]`
//!
//! A match is one seat's side of a recorded match, disturbed and heard by a fresh dialogue that thinks with
//! the fewest nodes. Each recorded match is disturbed 50 times. A seat has recovered if it knows in the end
//! what it would know had nothing been disturbed. A match that takes longer than 60 s is a hang.
//! `--corpus DIR` writes seeds for the fuzz targets instead.

use drover_laws::disturb::{Said, Tape, Trial, disturbed};
use games::fuzzing::ANSWERS;
use games::rng::Rng;
use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Disturbed matches of one recorded one.
const EACH: u64 = 50;
/// Longest time of a match.
const WATCH: Duration = Duration::from_secs(60);
/// Messages of a seed of the fuzz targets.
const SEED_FRAMES: usize = 14;
/// Kinds of faults that are printed in full.
const SHOWN_MAX: usize = 8;

type Failure = Box<dyn std::error::Error>;

#[derive(Default)]
struct Tally {
    matches: u64,
    disturbances: u64,
    asks: u64,
    illegal: u64,
    hangs: u64,
    panics: u64,
    differing: u64,
    recovered: u64,
    unsound: u64,
    false_alarms: u64,
    shown: BTreeMap<String, String>,
}

impl Tally {
    fn show(&mut self, kind: &str, whole: String) {
        let kind: String = kind.chars().take(60).collect();
        if self.shown.len() < SHOWN_MAX {
            self.shown.entry(kind).or_insert(whole);
        }
    }

    fn add(&mut self, done: Done) {
        if done.plain {
            self.false_alarms += done.trial.unsound;
            return;
        }
        self.matches += 1;
        self.disturbances += u64::from(done.disturbances);
        self.asks += done.trial.asks;
        self.illegal += done.trial.illegal.len() as u64;
        self.hangs += done.trial.hangs;
        self.panics += u64::from(done.trial.panic.is_some());
        self.differing += u64::from(done.trial.differs.is_some());
        self.recovered += u64::from(done.recovered);
        self.unsound += u64::from(done.trial.unsound > 0);
        let at = format!("tape {} stream {}", done.tape, done.stream);
        if done.trial.hangs > 0 {
            self.show("hang", at.clone());
        }
        let trial = &done.trial;
        let faults = trial.panic.iter().chain(&trial.illegal);
        for fault in faults.chain(&trial.differs) {
            let end: String = fault.chars().rev().take(40).collect();
            self.show(&end, format!("{at}: {fault}"));
        }
    }
}

struct Done {
    tape: u64,
    stream: u64,
    /// Whether nothing was disturbed.
    plain: bool,
    disturbances: u32,
    recovered: bool,
    trial: Trial,
}

fn arguments() -> Result<HashMap<String, String>, Failure> {
    let mut given = HashMap::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let key = word.strip_prefix("--").ok_or("keys begin with --")?;
        let value = words.next().ok_or("a key has a value")?;
        given.insert(key.to_owned(), value);
    }
    Ok(given)
}

/// Plays on a thread of its own, so that one that never ends is seen.
fn play(kit: &'static dyn games::Kit, bot: String, seed: u64, matches: u64) -> Receiver<Done> {
    let (sender, receiver) = sync_channel(64);
    std::thread::spawn(move || {
        for tape_seed in 0..matches.div_ceil(EACH) {
            let Ok(tape) = Tape::record(kit, seed.wrapping_add(tape_seed)) else {
                return;
            };
            let plain = Trial::plain(&tape, &bot, Said::Recorded);
            let one = |stream, disturbances, trial: Trial, is_plain| Done {
                tape: tape.seed,
                stream,
                plain: is_plain,
                disturbances,
                recovered: trial.recovered(&plain),
                trial,
            };
            if sender.send(one(0, 0, plain.clone(), true)).is_err() {
                return;
            }
            for stream in 1..=EACH.min(matches - tape_seed * EACH) {
                let mut rng = Rng::new(tape.seed, stream);
                let (heard, count) = disturbed(&tape, &mut rng);
                let said = if rng.chance(0.5) {
                    Said::Own
                } else {
                    Said::Recorded
                };
                let trial = Trial::run(&tape, &bot, &heard, said);
                if sender.send(one(stream, count, trial, false)).is_err() {
                    return;
                }
            }
        }
    });
    receiver
}

/// Writes seeds for the fuzz targets: what seats of recorded matches heard, and what they answered.
fn corpus(folder: &str) -> Result<(), Failure> {
    let join = |first: &[u8], frames: &[&str]| {
        let mut bytes = first.to_vec();
        bytes.extend(frames.join("\u{1E}").bytes());
        bytes
    };
    for (number, kit) in games::ALL.iter().enumerate() {
        let to = std::path::Path::new(folder).join(kit.game());
        std::fs::create_dir_all(&to)?;
        for seed in 0..2 {
            let tape = Tape::record(*kit, seed)?;
            let lines = tape.lines.iter().take(SEED_FRAMES);
            let calls: Vec<&str> = lines.clone().map(|line| &*line.call).collect();
            let said: Vec<&str> = lines.flat_map(|line| line.reply.as_deref()).collect();
            std::fs::write(to.join(format!("heard{seed}")), join(b"", &calls))?;
            std::fs::write(to.join(format!("said{seed}")), join(&[ANSWERS], &said))?;
            let lines = tape.lines.iter().take(SEED_FRAMES);
            let marked = lines.flat_map(|line| {
                let reply = line.reply.clone();
                std::iter::once(format!("<{}", line.call)).chain(reply)
            });
            let marked: Vec<String> = marked.collect();
            let marked: Vec<&str> = marked.iter().map(String::as_str).collect();
            let first = format!("T{number}");
            let blobs = std::path::Path::new(folder).join("blobs");
            std::fs::create_dir_all(&blobs)?;
            let bytes = join(first.as_bytes(), &marked);
            std::fs::write(blobs.join(format!("{}{seed}", kit.game())), bytes)?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let given = arguments()?;
    if let Some(folder) = given.get("corpus") {
        return corpus(folder);
    }
    let text = |key: &str, default: &str| given.get(key).map_or(default, String::as_str).to_owned();
    let matches: u64 = text("matches", "10000").parse()?;
    let seed: u64 = text("seed", "0").parse()?;
    let game = text("game", "");
    // A panic is counted, not printed.
    std::panic::set_hook(Box::new(|_| {}));
    println!(
        "game matches disturbances asks illegal hangs panics differing recovered unsound false_alarms seconds"
    );
    let mut clean = true;
    for kit in games::ALL
        .iter()
        .filter(|kit| game.is_empty() || kit.game() == game)
    {
        let (start, mut tally) = (Instant::now(), Tally::default());
        let results = play(*kit, text("bot", "champion"), seed, matches);
        loop {
            match results.recv_timeout(WATCH) {
                Ok(done) => tally.add(done),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    tally.hangs += 1;
                    tally.show("stuck", format!("after match {}", tally.matches));
                    break;
                }
            }
        }
        let share = 100.0 * tally.recovered as f64 / tally.matches.max(1) as f64;
        println!(
            "{} {} {} {} {} {} {} {} {share:.1}% {} {} {:.0}",
            kit.game(),
            tally.matches,
            tally.disturbances,
            tally.asks,
            tally.illegal,
            tally.hangs,
            tally.panics,
            tally.differing,
            tally.unsound,
            tally.false_alarms,
            start.elapsed().as_secs_f64(),
        );
        for shown in tally.shown.values() {
            println!("  {}", shown.chars().take(600).collect::<String>());
        }
        let faults = tally.illegal + tally.hangs + tally.panics + tally.differing;
        clean &= faults + tally.false_alarms == 0;
    }
    if clean {
        Ok(())
    } else {
        Err("some matches went wrong".into())
    }
}
