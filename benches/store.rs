//! Durable appends a second at several numbers of callers, and how soon a large store is ready.
//!
//! `cargo bench --bench store` measures all; a word picks some, such as `-- power/256` or `-- start`.

use drover::history::GameRules;
use drover::store::{
    Append, Direction, Durability, EntryId, MatchRow, NewEntry, NewSession, SeatRow, SessionId,
    Settings, Side, Store,
};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long one rate is measured.
const MEASURED: Duration = Duration::from_secs(3);
/// Live sessions of the store whose start is measured.
const LIVE: u64 = 10_000;
/// Its entries.
const ENTRIES: u64 = 1_000_000;
/// Entries that each of its sessions adds at a time.
const ENTRIES_AT_A_TIME: u64 = 50;
/// How often the start is measured.
const STARTS: usize = 9;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let is_wanted =
        |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    for durability in [Durability::Power, Durability::Process] {
        for callers in [64, 256, 1024] {
            let name = format!("{}/{callers}", durability.word());
            if is_wanted(&name) {
                println!("{name}: {}", runtime.block_on(rate(durability, callers)));
            }
        }
    }
    if is_wanted("start") {
        println!("start: {}", runtime.block_on(start()));
    }
}

/// Callers that each append a message and its answer and wait for the commit, again and again.
async fn rate(durability: Durability, callers: u64) -> String {
    let folder = folder();
    let store = Store::open(&Settings::at(
        folder.path().join("drover.db"),
        GameRules::all(),
    ))
    .await
    .expect("a new store");
    let begun = Instant::now();
    let tasks = (0..callers).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut pen = Pen::new(&store, number, durability);
            let mut slowest = Duration::ZERO;
            while begun.elapsed() < MEASURED {
                let asked = Instant::now();
                pen.append(&store, 1).await;
                slowest = slowest.max(asked.elapsed());
            }
            slowest
        })
    });
    let slowest = futures_util::future::join_all(tasks).await;
    let took = begun.elapsed().as_secs_f64();
    let slowest = slowest
        .into_iter()
        .map(|task| task.expect("a caller"))
        .max()
        .unwrap_or_default();
    let health = store.health();
    store.close().await;
    format!(
        "{:.0} appends/s, {:.1} appends a commit, {:.0} µs to write a commit, slowest append {} ms",
        health.appends as f64 / took,
        health.appends as f64 / health.commits as f64,
        health.committing_us as f64 / health.commits as f64,
        slowest.as_millis()
    )
}

/// From opening a large store, stopped without a word, to its first durable append.
async fn start() -> String {
    let folder = folder();
    let settings = Settings::at(folder.path().join("drover.db"), GameRules::all());
    let store = Store::open(&settings).await.expect("a new store");
    let mut pens: Vec<Pen> = (0..LIVE)
        .map(|number| Pen::new(&store, number, Durability::Process))
        .collect();
    for _ in 0..ENTRIES / LIVE / ENTRIES_AT_A_TIME {
        let appends = pens
            .iter_mut()
            .map(|pen| pen.append(&store, ENTRIES_AT_A_TIME / 2));
        futures_util::future::join_all(appends).await;
    }
    // A copy made while the store is open is what `kill -9` leaves behind.
    let mut figures = Vec::new();
    for number in 0..STARTS {
        let settings = Settings::at(
            folder.path().join(format!("copy{number}/drover.db")),
            GameRules::all(),
        );
        copy(&store, settings.location.file().expect("a file"));
        let begun = Instant::now();
        let opened = Store::open(&settings).await.expect("the copy opens");
        let live = opened.live().await.expect("its live sessions");
        let ready = begun.elapsed();
        assert_eq!(live.len() as u64, LIVE);
        assert_eq!(live.iter().map(|session| session.seq).sum::<u64>(), ENTRIES);
        let last = live.last().expect("a live session");
        let mut pen = Pen {
            id: last.id,
            previous: last.head,
            seq: last.seq,
            open: None,
        };
        pen.append(&opened, 1).await;
        figures.push((begun.elapsed(), ready));
        opened.close().await;
    }
    figures.sort_unstable();
    let (first, ready) = figures.get(STARTS / 2).copied().unwrap_or_default();
    let slowest = figures.last().copied().unwrap_or_default().0;
    store.close().await;
    format!(
        "{LIVE} live sessions, {ENTRIES} entries: read in {} ms, first durable append in {} ms (medians), slowest {} ms",
        ready.as_millis(),
        first.as_millis(),
        slowest.as_millis()
    )
}

fn copy(store: &Store, to: &Path) {
    let folder = to.parent().expect("a folder");
    std::fs::create_dir_all(folder).expect("a new folder");
    for suffix in ["", "-wal"] {
        let name = format!("{}{suffix}", store.location());
        std::fs::copy(name, format!("{}{suffix}", to.display())).expect("a copied file");
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// One session being written.
struct Pen {
    id: SessionId,
    previous: Option<EntryId>,
    seq: u64,
    open: Option<(Box<MatchRow>, Box<NewSession>)>,
}

impl Pen {
    fn new(store: &Store, number: u64, durability: Durability) -> Self {
        let seat = |seat| SeatRow {
            seat,
            ..SeatRow::default()
        };
        let new_match = MatchRow {
            id: format!("01AAAAAAAAAAAAAAAA{number:08}"),
            game: "koehandel".into(),
            referee: "contest".into(),
            market: number,
            started_us: 1,
            seats: (0..4).map(seat).collect(),
            ..MatchRow::default()
        };
        let session = NewSession {
            match_id: new_match.id.clone(),
            side: Side::Player,
            game: "koehandel".into(),
            bot: "champion".into(),
            referee: "contest".into(),
            market: number,
            player: 1,
            seat: Some(0),
            seed: number,
            setup: Value::Null,
            durability,
        };
        let open = Some((Box::new(new_match), Box::new(session)));
        Self {
            id: store.next_session(),
            previous: None,
            seq: 0,
            open,
        }
    }

    /// Appends n messages, each with its answer.
    async fn append(&mut self, store: &Store, messages: u64) {
        let entry = |direction, text: &str| NewEntry {
            at_us: 1_700_000_000_000_000,
            direction,
            text: text.into(),
        };
        let mut entries = Vec::new();
        for _ in 0..messages {
            entries.push(entry(
                Direction::In,
                "market=12&id=3&type=6&card=P&player=W&price=120&auctioneer=N&history=W",
            ));
            entries.push(entry(Direction::Out, "?money=tttf"));
        }
        let count = entries.len() as u64;
        let (match_, open) = self.open.take().unzip();
        let append = Append {
            session: self.id,
            previous: self.previous,
            seq: self.seq,
            follows: None,
            open,
            match_,
            entries,
            facts: Vec::new(),
            close: None,
        };
        self.previous = store.append(append).await.expect("an append").last;
        self.seq += count;
    }
}
