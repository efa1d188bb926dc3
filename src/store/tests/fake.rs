//! Ways to fill a store with the toy game.

use crate::cluster::{LeaseSettings, Replica};
use crate::config::Location;
use crate::history::GameRules;
use crate::store::{
    Append, Close, Direction, Durability, EntryId, MatchRow, NewEntrant, NewEntry, NewSession,
    Receipt, SeatRow, SessionId, Settings, Side, Slot, Store, StoredRound, TournamentRow,
};
use crate::toy;
use games::{Cause, Fact, Lesson, TableSetup};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Where the database of a folder is, if it is a file.
pub(crate) fn database_file(folder: &Path) -> PathBuf {
    folder.join("data/drover.db")
}

pub(crate) fn settings(folder: &Path) -> Settings {
    Settings {
        packs: false,
        ..Settings::at(database(folder), GameRules::found_by(toy::find))
    }
}

/// A folder's database: a file in it, or one of its own at the server that `DROVER_TEST_SERVER` names
/// (`postgres://USER@HOST:PORT`), which is made if it is missing.
fn database(folder: &Path) -> Location {
    let Ok(server) = std::env::var("DROVER_TEST_SERVER") else {
        return database_file(folder).into();
    };
    let name = folder.file_name().unwrap().to_string_lossy();
    let name: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    let (url, create) = (
        format!("{server}/t{name}"),
        format!("CREATE DATABASE t{name}"),
    );
    // In a thread of its own: the test's runtime is at work.
    let make = async move {
        let mut connection = PgConnection::connect(&format!("{server}/postgres"))
            .await
            .unwrap();
        let made = sqlx::raw_sql(AssertSqlSafe(create))
            .execute(&mut connection)
            .await;
        const IS_THERE: &str = "42P04";
        if let Err(error) = made {
            let code = error.as_database_error().and_then(|error| error.code());
            assert_eq!(code.as_deref(), Some(IS_THERE), "{error}");
        }
        connection.close().await.unwrap();
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    std::thread::spawn(move || runtime.block_on(make))
        .join()
        .unwrap();
    Location::read(&url).unwrap()
}

/// The file of a store that has one.
pub(crate) fn file_of(store: &Store) -> PathBuf {
    store.location().file().expect("a file").to_owned()
}

pub(crate) async fn open(folder: &Path) -> Store {
    Store::open(&settings(folder)).await.unwrap()
}

/// A store in a folder of its own.
pub(crate) async fn opened() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    (folder, store)
}

/// The same with a session of match 1 that was asked once.
pub(crate) async fn asked() -> (TempDir, Store, Pen) {
    let (folder, store) = opened().await;
    let mut pen = Pen::player(&store, 1);
    pen.write(&store, vec![received("ask")]).await;
    (folder, store, pen)
}

/// A replica with a lease of a server's database, and what ends its renewal.
pub(crate) async fn leased(
    store: &Store,
    id: &str,
    address: &str,
) -> (Arc<Replica>, CancellationToken) {
    let leases = Arc::new(store.leases(id, address).unwrap());
    let began = std::time::Instant::now();
    let clock = Arc::new(move || began.elapsed());
    let replica = Replica::new(leases, LeaseSettings::default(), clock);
    let renewing = CancellationToken::new();
    tokio::spawn({
        let (replica, stop) = (Arc::clone(&replica), renewing.clone());
        async move { replica.renew_until(&stop).await }
    });
    while !replica.is_ready() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    (replica, renewing)
}

/// A match's row: four seats, the first ours. Ids rise with `number`.
pub(crate) fn new_match(number: u64, ours: bool) -> MatchRow {
    let seat = |seat| SeatRow {
        seat,
        ..SeatRow::default()
    };
    MatchRow {
        id: match_id(number),
        game: "toy".into(),
        referee: "contest".into(),
        market: number,
        ours,
        started_us: 1_000_000 * number as i64,
        setup: if ours { duel(number) } else { Value::Null },
        seats: (0..if ours { 2 } else { 4 }).map(seat).collect(),
        ..MatchRow::default()
    }
}

/// What a match of two seats starts from that names a number in turn, the first one first, twice each.
fn duel(number: u64) -> Value {
    let setup = TableSetup {
        market: number,
        ..TableSetup::numbered(0, json!({ "rounds": 4 }), 2)
    };
    toy::kit().table(&setup).unwrap().setup()
}

/// What the referee of that match sends in a turn.
pub(crate) fn call(number: u64, turn: i64) -> String {
    let id = 1 + turn % 2;
    format!("?market={number}&id={id}&type=ask&round={turn}")
}

/// The row of a match of our referee `r`, with four seats.
pub(crate) fn named_match(id: &str, market: u64, name: impl Fn(u8) -> Option<String>) -> MatchRow {
    let seats = (0..4).map(|seat| SeatRow {
        seat,
        name: name(seat),
        ..SeatRow::default()
    });
    MatchRow {
        id: id.into(),
        referee: "r".into(),
        seats: seats.collect(),
        ..new_match(market, true)
    }
}

pub(crate) fn match_id(number: u64) -> String {
    format!("01AAAAAAAAAAAAAAAA{number:08}")
}

pub(crate) fn new_session(number: u64, side: Side, seat: u8) -> NewSession {
    NewSession {
        match_id: match_id(number),
        side,
        game: "toy".into(),
        bot: "champion".into(),
        referee: "contest".into(),
        market: number,
        player: 3,
        seat: Some(seat),
        seed: u64::MAX,
        setup: json!({ "models": true }),
        durability: Durability::Power,
    }
}

pub(crate) fn received(text: &str) -> NewEntry {
    NewEntry {
        at_us: 5,
        direction: Direction::In,
        text: text.into(),
    }
}

pub(crate) fn said(text: &str) -> NewEntry {
    NewEntry {
        at_us: 6,
        direction: Direction::Out,
        text: text.into(),
    }
}

/// One session being written.
pub(crate) struct Pen {
    pub(crate) id: SessionId,
    pub(crate) previous: Option<EntryId>,
    pub(crate) seq: u64,
    open: Option<Box<NewSession>>,
    match_: Option<Box<MatchRow>>,
}

impl Pen {
    pub(crate) fn new(store: &Store, match_: Option<MatchRow>, session: NewSession) -> Self {
        let (open, match_) = (Some(Box::new(session)), match_.map(Box::new));
        Self {
            id: store.next_session(),
            previous: None,
            seq: 0,
            open,
            match_,
        }
    }

    /// A player's session on seat 0 of a match with a foreign referee.
    pub(crate) fn player(store: &Store, number: u64) -> Self {
        Self::new(
            store,
            Some(new_match(number, false)),
            new_session(number, Side::Player, 0),
        )
    }

    pub(crate) fn append(&mut self, entries: Vec<NewEntry>) -> Append {
        let (session, previous, seq) = (self.id, self.previous, self.seq);
        Append {
            open: self.open.take(),
            match_: self.match_.take(),
            entries,
            ..Append::after(session, previous, seq)
        }
    }

    pub(crate) async fn send(&mut self, store: &Store, append: Append) -> Receipt {
        let count = append.entries.len() as u64;
        let receipt = store.append(append).await.unwrap();
        self.previous = receipt.last;
        self.seq += count;
        receipt
    }

    pub(crate) async fn write(&mut self, store: &Store, entries: Vec<NewEntry>) -> Receipt {
        let append = self.append(entries);
        self.send(store, append).await
    }

    /// Receives a bluff by `what`, with its fact.
    pub(crate) async fn bluff(&mut self, store: &Store, what: &str) {
        let mut append = self.append(vec![received(&format!("bluff {what}"))]);
        let (by, bid) = what.split_once(' ').unwrap();
        let bid: i64 = bid.parse().unwrap();
        let fact = Fact::new("bluff", json!({ "by": by, "bid": bid }));
        let columns = toy::kit().card().bluff(&fact);
        append.facts.push((fact, columns));
        self.send(store, append).await;
    }

    /// Receives the end, with a lesson about W.
    pub(crate) async fn end(&mut self, store: &Store, scores: Vec<i64>, bluffs: i64) {
        let text: Vec<String> = scores.iter().map(i64::to_string).collect();
        let mut append = self.append(vec![received(&format!("end {}", text.join(",")))]);
        append.close = Some(Box::new(Close {
            scores,
            lessons: vec![Lesson {
                rival: "W".into(),
                kind: Some(("bluffer".into(), 0.9)),
                evidence: json!({ "bluffs": bluffs }),
            }],
            ..Close::new(9, Cause::Normal)
        }));
        self.send(store, append).await;
    }
}

/// The id of a tournament.
pub(crate) const TOURNAMENT: &str = "01TOURNAMENT00000000000001";
/// A tournament of three, the last a house bot.
pub(crate) fn new_tournament(id: &str) -> TournamentRow {
    let entrant = |name: &str| NewEntrant {
        name: name.into(),
        spec: "builtin:champion".into(),
        house: name == "cleo",
    };
    TournamentRow {
        id: id.into(),
        name: "spring".into(),
        game: "toy".into(),
        setup: json!({ "rounds": 2 }),
        started_us: 5,
        entrants: ["anna", "ben", "cleo"].map(entrant).into(),
        ..TournamentRow::default()
    }
}

pub(crate) fn round(round: u32) -> StoredRound {
    StoredRound {
        round,
        decision: json!({ "tables": [[0, 1]], "why": "random" }),
        decided_us: 6,
    }
}

/// A place of that tournament.
pub(crate) fn slot(round: u32, number: u64) -> Slot {
    Slot {
        tournament: TOURNAMENT.into(),
        round,
        table: 3,
        number,
        seed: 1 << 60,
        entrants: ["ben", "anna"].map(Arc::from).into(),
        claim: None,
    }
}
