//! `drover db migrate|prune|backup|copy|verify|salvage`.

use super::common::{Common, notify};
use super::progress::Meter;
use super::remote::{Reached, Remote, Target};
use super::store_arg::StoreArg;
use crate::clock::now_us;
use crate::config::{Config, Location};
use crate::history::GameRules;
use crate::history::{self, Pruned};
use crate::store;
use crate::store::{MatchRow, Settings, Store, StoreError};
use anyhow::Context as _;
use games::text::counted;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    store: StoreArg,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Migrate the database to this version: its schema (also done at every start); and pack sessions that have ended
    /// (also while a daemon runs). May be stopped and begun again.
    #[command(visible_alias = "pack")]
    Migrate,
    /// Give up what old matches hold besides their results: transcripts, facts and ledger. Goes through the daemon
    /// if it is running. The space is used again; `drover db migrate` gives it back to the disk.
    Prune {
        /// Only matches that ended longer ago than this, such as 30d.
        #[arg(long, value_parser = humantime::parse_duration)]
        older_than: Duration,
        /// Only say how much that is.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        remote: Remote,
    },
    /// Write a complete copy; the daemon may keep running.
    Backup {
        /// The new file.
        to: PathBuf,
    },
    /// Copy a database to another one, which must be new: a file to a server (postgres://USER:PASSWORD@HOST/DATABASE)
    /// or back. Both are verified. A daemon may use the first one, but what it adds meanwhile is not copied.
    Copy {
        /// The database that there is: a file, or a server's address.
        from: String,
        /// The new one.
        to: String,
    },
    /// Replay every transcript and compare with what is stored: exit code 1 if anything differs. Of a damaged
    /// file, list what is whole.
    Verify,
    /// Save everything that can be read of a damaged database into a new one: exit code 1 if some cannot.
    Salvage {
        /// The new file.
        out: PathBuf,
    },
}

pub(super) async fn run(common: &Common, args: &Args) -> anyhow::Result<ExitCode> {
    let config = common.load(&args.store.flags())?.config;
    let mut out = std::io::stdout().lock();
    match &args.verb {
        Verb::Migrate => migrate_existing(&config, &mut out).await?,
        Verb::Prune {
            older_than,
            dry_run,
            remote,
        } => {
            let pruned = match remote.target(common, &args.store).await? {
                Target::Here(store) => prune(store, *older_than, *dry_run).await?,
                Target::There(daemon) => ask_to_prune(&daemon, *older_than, *dry_run)?,
            };
            let Pruned {
                sessions, entries, ..
            } = pruned;
            let would = match (*dry_run, sessions) {
                (true, _) => "would be",
                (false, 1) => "was",
                (false, _) => "were",
            };
            writeln!(
                out,
                "{} with {} {would} pruned",
                counted(sessions, "session"),
                counted(entries, "entry")
            )?;
        }
        Verb::Backup { to } => {
            let store = Store::open_readonly(
                file(&config, "back it up with pg_dump or pg_basebackup")?,
                GameRules::all(),
            )
            .await?;
            store::backup(store.reader(), to).await?;
            store.close().await;
            writeln!(out, "wrote {}", to.display())?;
        }
        Verb::Copy { from, to } => return copy(from, to, &mut out).await,
        Verb::Salvage { out: to } => {
            let from = file(&config, "its own tools restore it")?;
            return salvage(&from, to, &mut out).await;
        }
        Verb::Verify => return verify(config.store.location(), None, &mut out).await,
    }
    Ok(ExitCode::SUCCESS)
}

/// Migrates a database that is there: a mistyped name makes none.
async fn migrate_existing(config: &Config, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    let location = config.store.location();
    if location.file().is_some_and(|file| !file.exists()) {
        let location = location.to_string();
        return Err(StoreError::Missing { location }.into());
    }
    let settings = Settings {
        packs: false,
        ..Settings::configured(&config.store, GameRules::all())
    };
    let store = Store::open(&settings).await?;
    let migrated = migrate(&store, out).await;
    store.close().await;
    migrated?;
    Ok(writeln!(out, "{location} is up to date")?)
}

/// The database's file; an error that says what to do `instead`, if it has none.
fn file(config: &Config, instead: &'static str) -> Result<PathBuf, StoreError> {
    match config.store.location() {
        Location::File(path) => Ok(path),
        Location::Server(server) => Err(StoreError::NotAFile {
            server: server.to_string(),
            instead,
        }),
    }
}

async fn copy(from: &str, to: &str, out: &mut impl std::io::Write) -> anyhow::Result<ExitCode> {
    let location = |text: &str| {
        Location::read(text).context({
            // It may hold a password.
            "the database is neither a file nor postgres://USER:PASSWORD@HOST:PORT/DATABASE"
        })
    };
    let (from, to) = (location(from)?, location(to)?);
    let mut rows = 0;
    let copied = store::copy(&from, &to, GameRules::all(), |table, count| {
        rows += count;
        notify(&format!("{table}: {}", counted(count, "row")));
    });
    copied.await?;
    writeln!(out, "{} copied from {from} to {to}", counted(rows, "row"))?;
    let mut code = ExitCode::SUCCESS;
    for location in [from, to] {
        write!(out, "{location}: ")?;
        let verified = verify(location, None, out).await?;
        if verified != ExitCode::SUCCESS {
            code = verified;
        }
    }
    Ok(code)
}

async fn prune(store: Store, older_than: Duration, dry_run: bool) -> anyhow::Result<Pruned> {
    let age_us = i64::try_from(older_than.as_micros()).unwrap_or(i64::MAX);
    let before_us = now_us().saturating_sub(age_us);
    let pruned = match dry_run {
        true => history::prunable(store.reader(), before_us).await,
        false => history::prune(&store, before_us, Duration::MAX).await,
    };
    store.close().await;
    Ok(pruned?)
}

/// The daemon holds the database: it prunes for some seconds at a time.
fn ask_to_prune(daemon: &Reached, older_than: Duration, dry_run: bool) -> anyhow::Result<Pruned> {
    let wanted = json!({ "older_than_s": older_than.as_secs(), "dry_run": dry_run }).to_string();
    let mut all = Pruned::default();
    loop {
        let answer = daemon.ask("POST", "/api/v1/prune", &wanted)?;
        let answer: Value = serde_json::from_str(&answer)?;
        all.sessions += answer["sessions"].as_u64().unwrap_or_default();
        all.entries += answer["entries"].as_u64().unwrap_or_default();
        if answer["more"] != json!(true) {
            return Ok(all);
        }
        notify(&counted(all.sessions, "session"));
    }
}

async fn salvage(
    from: &Path,
    to: &Path,
    out: &mut impl std::io::Write,
) -> anyhow::Result<ExitCode> {
    let salvaged = crate::store::salvage(from, to).await?;
    for (table, rows) in &salvaged.tables {
        writeln!(out, "{table}: {} saved", counted(*rows, "row"))?;
    }
    for line in &salvaged.lost {
        writeln!(out, "{line}")?;
    }
    let without = match salvaged.lost.is_empty() {
        true => "",
        false => ", without what is lost",
    };
    writeln!(out, "wrote {}{without}", to.display())?;
    Ok(if salvaged.lost.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Packs what is not packed and shrinks the file, showing progress on standard error.
async fn migrate(store: &Store, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    let due = store::unpacked(store.reader()).await?;
    let mut meter = Meter::new(due, "session");
    let packs = store::pack(store, |packs| meter.show(packs.packed + packs.left));
    let packs = packs.await?;
    meter.finish();
    if packs.packed > 0 {
        writeln!(out, "{} packed", counted(packs.packed, "session"))?;
    }
    if packs.left > 0 {
        writeln!(
            out,
            "not whole or not to be packed, and left as they are: {}; see `drover db verify`",
            counted(packs.left, "session")
        )?;
    }
    match store.give_back().await {
        Ok(0) => {}
        Ok(bytes) => writeln!(out, "{} given back to the disk", counted(bytes, "byte"))?,
        Err(error) => writeln!(
            out,
            "the file was not shrunk, its free pages are reused: {error}"
        )?,
    }
    Ok(())
}

/// Verifies one match or all of them and prints what differs.
pub(super) async fn verify(
    location: Location,
    only: Option<&str>,
    out: &mut impl std::io::Write,
) -> anyhow::Result<ExitCode> {
    let store = Store::open_readonly(location, GameRules::all()).await?;
    let (mut lines, mut whole) = (Vec::new(), Vec::new());
    let summary = crate::replay::verify(&store, only, |checked| {
        if checked.differences.is_empty() {
            whole.push(format!("match {}: whole", checked.match_id));
        }
        for difference in &checked.differences {
            let session = difference
                .session
                .map(|id| format!(", session {id}"))
                .unwrap_or_default();
            lines.push(format!(
                "match {}{session}: {}",
                checked.match_id, difference.what
            ));
        }
    })
    .await?;
    store.close().await;
    if summary.integrity.is_empty() {
        whole.clear();
    }
    for line in whole.iter().chain(&lines).chain(&summary.integrity) {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "{}, {}{}, {}: {}",
        counted(summary.matches, "match"),
        counted(summary.sessions, "session"),
        match summary.pruned {
            0 => String::new(),
            pruned => format!(" ({pruned} of them pruned)"),
        },
        counted(summary.entries, "entry"),
        match summary.differences + summary.integrity.len() as u64 {
            0 => "all in order".to_owned(),
            count => counted(count, "difference"),
        }
    )?;
    Ok(if summary.clean() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

pub(super) async fn found(store: &Store, id: &str) -> anyhow::Result<MatchRow> {
    history::match_numbered(store.reader(), id)
        .await?
        .with_context(|| {
            format!("there is no match {id}; `drover match list` shows those that exist")
        })
}
