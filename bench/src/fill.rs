//! `bench fill`: a database with very many short matches, written by bulk inserts.
//!
//! Real matches are played and stored first. Every copy of one has numbers, names, times and a place of its own,
//! and its transcript packed for itself, so that `drover db verify` finds all in order.

use crate::process;
use anyhow::{Context as _, ensure};
use drover::history::{self, Filter, GameRules, PageAt};
use drover::store::{BulkPacker, Direction, Entry, EntryId, MatchRow, SessionId, Settings, Store};
use games::rng::Rng;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, SqliteConnection};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct FillArgs {
    /// How many matches.
    #[arg(long, default_value_t = 1_000_000)]
    matches: u64,
    /// Seeds which match is copied and what is its own.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder of the new database, as `drover serve --data` takes it.
    folder: PathBuf,
}

/// The project's smallest game: two players with a card each.
const GAME: &str = "planowanie";
const RULES: [&str; 3] = ["deals=1 0", "values=A", "suits=CD"];
/// Who plays; the last one fails.
const POOL: &str = "builtin:random,builtin:greedy,builtin:champion,cmd:false";
/// Matches that are copied.
const TEMPLATES: u64 = 200;
/// Copies written in one transaction.
const AT_ONCE: u64 = 5_000;
/// The time between two matches.
const EVERY_US: i64 = 20_000_000;
/// When the first begins: 2025-01-01.
const FIRST_US: i64 = 1_735_689_600_000_000;
/// Opponents with names; the first of them is named in a third of all matches.
const NAMES: u64 = 1_000;
const REFEREES: u64 = 8;
/// Tournaments, and how many of the first matches each has.
const TOURNAMENTS: u64 = 10;
const OF_TOURNAMENT: u64 = 1_000;
/// The tables of their rounds: of four entrants, each meets each.
const ROUNDS: [[[usize; 2]; 2]; 3] = [[[0, 1], [2, 3]], [[0, 2], [1, 3]], [[0, 3], [1, 2]]];

/// A match that is copied.
struct Template {
    id: String,
    sessions: Vec<Session>,
    /// Its numbers of sessions and entries begin after these.
    session: i64,
    entry: i64,
    entries: i64,
    /// Whether its first seat's bot can be ours in a foreign match.
    foreign: bool,
    started_us: i64,
}

struct Session {
    id: i64,
    entries: Vec<Entry>,
}

/// How the rows of a copy are made of those of its template. `c` is the copy: its own values by name.
const COPIES: [(&str, &str); 8] = [
    (
        "matches (id, game, referee, market, ours, started_us, setup, ended_us, cause, blame, detail, scores)",
        "SELECT c.id, t.game, c.referee, c.market, c.ours, c.at, iif(c.ours, t.setup, 'null'),
                c.at + t.ended_us - t.started_us, t.cause, iif(c.ours, t.blame, NULL), t.detail, t.scores
         FROM copies c JOIN tpl.matches t ON t.id = c.template",
    ),
    (
        "seats (match_id, seat, spec, name, player, entrant)",
        "SELECT c.id, t.seat, iif(c.ours, t.spec, ''), iif(t.seat = 1, c.name, NULL), NULL,
                iif(c.place IS NULL, NULL, 'entrant ' || (c.place ->> 'entrants' ->> t.seat))
         FROM copies c JOIN tpl.seats t ON t.match_id = c.template",
    ),
    (
        "results (match_id, seat, score, win_share)",
        "SELECT c.id, t.seat, t.score, t.win_share FROM copies c JOIN tpl.results t ON t.match_id = c.template",
    ),
    (
        "sessions (id, match_id, side, game, bot, referee, market, player, seat, seed, setup, durability, opened_us,
                   first_entry, last_entry, entries, ended_us, cause, detail, scores, packed)",
        "SELECT t.id + c.session, c.id, iif(c.ours, t.side, 'player'), t.game,
                iif(c.ours, t.bot, replace(t.bot, 'builtin:', '')), c.referee, c.market, t.player, t.seat, t.seed,
                iif(c.ours, t.setup, '{}'), t.durability, c.at, t.first_entry + c.entry, t.last_entry + c.entry,
                t.entries, c.at + t.ended_us - t.opened_us, t.cause, t.detail, t.scores, 1
         FROM copies c JOIN tpl.sessions t ON t.match_id = c.template WHERE c.ours OR t.seat = 0",
    ),
    (
        "facts (session, entry, kind, data)",
        "SELECT t.session + c.session, t.entry + c.entry, t.kind, t.data
         FROM copies c JOIN tpl.sessions s ON s.match_id = c.template JOIN tpl.facts t ON t.session = s.id
         WHERE c.ours OR s.seat = 0",
    ),
    (
        "lessons (session, match_id, game, rival, seat, kind, weight, evidence, merged_into)",
        "SELECT t.session + c.session, c.id, t.game, t.rival, t.seat, t.kind, t.weight, t.evidence, NULL
         FROM copies c JOIN tpl.lessons t ON t.match_id = c.template JOIN tpl.sessions s ON s.id = t.session
         WHERE c.ours OR s.seat = 0",
    ),
    (
        "tournament_matches (tournament, number, round, table_no, match_id, seed, notes)",
        "SELECT c.place ->> 'tournament', c.place ->> 'number', c.place ->> 'round', c.place ->> 'table', c.id,
                c.place ->> 'number', '[]' FROM copies c WHERE c.place IS NOT NULL",
    ),
    (
        "packed (session, last_entry, entries, bytes, dictionary, content)",
        "SELECT j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, NULL,
                unhex(j.value ->> 4) FROM json_each(?) j",
    ),
];

pub(crate) async fn run(args: FillArgs) -> anyhow::Result<()> {
    let begun = Instant::now();
    let path = args.folder.join("drover.db");
    ensure!(!path.exists(), "{} exists", path.display());
    let folder = crate::site::Folder::new(&std::env::temp_dir())?;
    let played = folder.path().join("played.db");
    let templates = templates(&played).await?;
    Store::open(&Settings::at(&path, GameRules::all()))
        .await?
        .close()
        .await;
    let mut connection = SqliteConnectOptions::new()
        .filename(&path)
        .pragma("synchronous", "OFF")
        .pragma("journal_mode", "OFF")
        .pragma("cache_size", "-262144")
        .pragma("foreign_keys", "OFF")
        .disable_statement_logging()
        .connect()
        .await?;
    sqlx::query("ATTACH ? AS tpl")
        .bind(played.to_string_lossy().into_owned())
        .execute(&mut connection)
        .await?;
    tournaments(&mut connection, args.matches).await?;
    let mut copier = Copier {
        rng: Rng::new(args.seed, 0),
        packer: BulkPacker::new(&[])?,
        templates,
        tournaments: tournaments_of(args.matches),
        session: 0,
        entry: 0,
    };
    for first in (0..args.matches).step_by(AT_ONCE as usize) {
        let count = AT_ONCE.min(args.matches - first);
        copier.copy(&mut connection, first..first + count).await?;
    }
    sqlx::query("PRAGMA journal_mode = WAL")
        .execute(&mut connection)
        .await?;
    drop(connection);
    let bytes = std::fs::metadata(&path)?.len();
    println!(
        "{} matches of {GAME} in {:.1} s: {bytes} bytes, {} a match",
        args.matches,
        begun.elapsed().as_secs_f64(),
        bytes / args.matches.max(1),
    );
    Ok(())
}

/// Plays the matches that are copied.
async fn templates(path: &Path) -> anyhow::Result<Vec<Template>> {
    let games = TEMPLATES.to_string();
    let store = path.to_str().context("the folder's name is no text")?;
    let mut words = vec!["play", GAME, "--pool", POOL, "--players", "2"];
    words.extend(["--budget", "10n", "--games", &games, "--store", store]);
    words.extend(RULES.iter().flat_map(|rule| ["--option", rule]));
    let command = process::drover(&words)?;
    let (program, words) = command.split_first().context("no program")?;
    let played = tokio::process::Command::new(program)
        .args(words)
        .output()
        .await?;
    // 1: in some matches a program took no decision.
    ensure!(
        matches!(played.status.code(), Some(0 | 1)),
        "the matches to be copied cannot be played: {}",
        String::from_utf8_lossy(&played.stderr)
    );
    let store = Store::open_readonly(path, GameRules::all()).await?;
    let mut templates = Vec::new();
    for row in matches(&store).await? {
        let (mut sessions, mut foreign) = (Vec::new(), false);
        for session in history::sessions_of(store.reader(), &row.id).await? {
            let builtin = session.opened.bot.starts_with("builtin:");
            foreign |= builtin && session.opened.seat == Some(0);
            let head = history::head(store.reader(), &session).await?;
            let (last, _) = head.context("a session is empty")?;
            sessions.push(Session {
                id: session.id.0,
                entries: history::transcript(store.reader(), session.id, last).await?,
            });
        }
        let ids = || {
            sessions
                .iter()
                .flat_map(|session| &session.entries)
                .map(|entry| entry.id.0)
        };
        let (first, last) = (ids().min().context("no entries")?, ids().max().unwrap_or(0));
        templates.push(Template {
            id: row.id,
            session: sessions.iter().map(|session| session.id).min().unwrap_or(1) - 1,
            entry: first - 1,
            entries: last + 1 - first,
            foreign,
            started_us: row.started_us,
            sessions,
        });
    }
    store.close().await;
    Ok(templates)
}

async fn tournaments(connection: &mut SqliteConnection, matches: u64) -> anyhow::Result<()> {
    let entrants: Vec<Value> = (0..4)
        .map(|at| json!({"name": format!("entrant {at}"), "spec": "remote", "house": false}))
        .collect();
    for number in 0..tournaments_of(matches) {
        let id = tournament(number);
        sqlx::query(
            "INSERT INTO tournaments (id, name, game, setup, entrants, started_us, ended_us, ended_why)
             VALUES (?, 'filled', ?, ?, ?, ?, ?, 'all rounds were played')",
        )
        .bind(id.clone())
        .bind(GAME)
        .bind(json!({"schedule": "round-robin", "seats": 2, "decks": 1, "budget": "10n"}).to_string())
        .bind(Value::from(entrants.clone()).to_string())
        .bind(FIRST_US)
        .bind(FIRST_US)
        .execute(&mut *connection)
        .await?;
        for (number, tables) in (0_i64..).zip(ROUNDS) {
            let decision =
                json!({"number": number, "tables": tables, "byes": [], "why": "each meets each"});
            sqlx::query(
                "INSERT INTO tournament_rounds (tournament, round, decision, decided_us) VALUES (?, ?, ?, ?)",
            )
            .bind(id.clone())
            .bind(number)
            .bind(decision.to_string())
            .bind(FIRST_US)
            .execute(&mut *connection)
            .await?;
        }
    }
    Ok(())
}

/// How many tournaments this many matches have.
fn tournaments_of(matches: u64) -> u64 {
    TOURNAMENTS.min(matches / OF_TOURNAMENT)
}

/// The place of one of the first matches.
fn place(number: u64) -> Value {
    let at = number % OF_TOURNAMENT;
    let (round, table) = (at * ROUNDS.len() as u64 / OF_TOURNAMENT, at % 2);
    let mut entrants = ROUNDS[round as usize][table as usize];
    // Every second match of a table has the seats changed.
    entrants.rotate_left((at / 2 % 2) as usize);
    json!({
        "tournament": tournament(number / OF_TOURNAMENT),
        "number": at,
        "round": round,
        "table": table,
        "entrants": entrants,
    })
}

/// A tournament's id.
fn tournament(number: u64) -> String {
    ulid(FIRST_US, u128::from(number))
}

/// A match's or tournament's id: 26 letters of Crockford's base 32, the first ten the milliseconds.
fn ulid(at_us: i64, rest: u128) -> String {
    let number = (at_us as u128 / 1000) << 80 | rest & ((1 << 80) - 1);
    let letter = |place: u32| {
        const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        char::from(LETTERS[(number >> (5 * place) & 31) as usize])
    };
    (0..26).rev().map(letter).collect()
}

struct Copier {
    rng: Rng,
    packer: BulkPacker,
    templates: Vec<Template>,
    tournaments: u64,
    /// The last numbers given.
    session: i64,
    entry: i64,
}

impl Copier {
    async fn copy(
        &mut self,
        connection: &mut SqliteConnection,
        numbers: std::ops::Range<u64>,
    ) -> anyhow::Result<()> {
        let (mut copies, mut packed) = (Vec::new(), Vec::new());
        for number in numbers {
            copies.push(self.one(number, &mut packed)?);
        }
        let copies = Value::from(copies).to_string();
        let mut columns = String::new();
        for (at, name) in [
            "template", "id", "at", "ours", "referee", "market", "name", "place", "session",
            "entry",
        ]
        .into_iter()
        .enumerate()
        {
            write!(
                columns,
                "{}value ->> {at} AS {name}",
                if at > 0 { ", " } else { "" }
            )?;
        }
        sqlx::query("BEGIN").execute(&mut *connection).await?;
        sqlx::query("DROP TABLE IF EXISTS temp.copies")
            .execute(&mut *connection)
            .await?;
        sqlx::query(AssertSqlSafe(format!(
            "CREATE TEMP TABLE copies AS SELECT {columns} FROM json_each(?)"
        )))
        .bind(copies)
        .execute(&mut *connection)
        .await?;
        let packed = Value::from(packed).to_string();
        for (into, select) in COPIES {
            let insert = format!("INSERT INTO main.{into} {select}");
            let mut query = sqlx::query(AssertSqlSafe(insert));
            if select.contains('?') {
                query = query.bind(packed.clone());
            }
            query.execute(&mut *connection).await.context(into)?;
        }
        sqlx::query("COMMIT").execute(&mut *connection).await?;
        Ok(())
    }

    /// A copy's own values; its transcripts go to `packed`.
    fn one(&mut self, number: u64, packed: &mut Vec<Value>) -> anyhow::Result<Value> {
        let template = &self.templates[self.rng.below(self.templates.len() as u32) as usize];
        let place = (number < self.tournaments * OF_TOURNAMENT).then(|| place(number));
        let ours = place.is_some() || !template.foreign || self.rng.below(2) == 0;
        let at = FIRST_US + EVERY_US * number as i64;
        let name = match self.rng.below(3) {
            0 => Some(0),
            1 => Some(self.rng.below(NAMES as u32)),
            _ => None,
        };
        let (session, entry) = (self.session - template.session, self.entry - template.entry);
        for one in template
            .sessions
            .iter()
            .take(if ours { usize::MAX } else { 1 })
        {
            let mut entries = one.entries.clone();
            for line in &mut entries {
                line.id = EntryId(line.id.0 + entry);
                line.at_us += at - template.started_us;
                if !ours {
                    line.direction = match line.direction {
                        Direction::In => Direction::Out,
                        Direction::Out => Direction::In,
                    };
                }
            }
            let packed_one = self.packer.pack(&entries)?;
            let (bytes, content) = packed_one.context("a transcript is too long")?;
            let last = entries[entries.len() - 1].id.0;
            let mut hex = String::with_capacity(2 * content.len());
            for byte in content {
                write!(hex, "{byte:02x}")?;
            }
            packed.push(json!([
                SessionId(one.id + session),
                last,
                entries.len(),
                bytes,
                hex
            ]));
        }
        self.session += template.sessions.len() as i64;
        self.entry += template.entries;
        Ok(json!([
            template.id,
            ulid(at, u128::from(self.rng.bits())),
            at,
            ours,
            format!("referee-{}", self.rng.below(REFEREES as u32)),
            self.rng.bits() >> 11,
            name.map(|name| format!("player-{name:03}")),
            place,
            session,
            entry,
        ]))
    }
}

/// Matches read at a time.
const PAGE: u32 = 200;

/// All matches.
async fn matches(store: &Store) -> anyhow::Result<Vec<MatchRow>> {
    let mut rows = Vec::new();
    let mut at = PageAt::first(PAGE);
    loop {
        let page = history::matches(store.reader(), &Filter::default(), &at).await?;
        rows.extend(page.items);
        at.after = page.next;
        if at.after.is_none() {
            return Ok(rows);
        }
    }
}
