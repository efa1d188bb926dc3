//! `drover db migrate|backup|verify`.

use super::common::Common;
use crate::config::Flags;
use crate::daemon::store_settings;
use crate::store::Store;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Migrate the database's schema to this version (also done at every start).
    Migrate,
    /// Write a complete copy; the daemon may keep running.
    Backup {
        /// The new file.
        to: PathBuf,
    },
    /// Replay every transcript and compare with what is stored: exit code 1 if anything differs.
    Verify,
}

pub(super) async fn run(common: &Common, verb: &Verb) -> anyhow::Result<ExitCode> {
    let config = common.load(&Flags::new())?.config;
    let mut out = std::io::stdout().lock();
    match verb {
        Verb::Migrate => {
            Store::open(&store_settings(&config)).await?.close().await;
            writeln!(out, "{} is up to date", config.store.path.display())?;
        }
        Verb::Backup { to } => {
            let store = Store::open_readonly(&config.store.path).await?;
            store.backup(to).await?;
            store.close().await;
            writeln!(out, "wrote {}", to.display())?;
        }
        Verb::Verify => return verify(&config.store.path, None, &mut out).await,
    }
    Ok(ExitCode::SUCCESS)
}

/// Verifies one match or all of them and prints what differs.
pub(super) async fn verify(
    path: &std::path::Path,
    only: Option<&str>,
    out: &mut impl std::io::Write,
) -> anyhow::Result<ExitCode> {
    let store = Store::open_readonly(path).await?;
    let mut lines = Vec::new();
    let summary = store
        .verify(only, |checked| {
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
    for line in lines.iter().chain(&summary.integrity) {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "{} matches, {} sessions, {} entries: {}",
        summary.matches,
        summary.sessions,
        summary.entries,
        match summary.differences + summary.integrity.len() as u64 {
            0 => "all in order".to_owned(),
            count => format!("{count} differences"),
        }
    )?;
    Ok(if summary.clean() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
