//! The database of tournaments.

use crate::cli::store_arg::StoreParser;
use crate::cli::usage::refuse;
use crate::config::Location;
use crate::history::GameRules;
use crate::history::{self, PageAt};
use crate::store::{Store, TournamentRow};
use crate::tournament::{Course, Cup, Drawn};
use clap::Args;
use serde_json::Value;
use std::path::Path;

/// The newest tournaments that are looked at.
const TOURNAMENTS_MAX: u32 = 10_000;

const DEFAULT: &str = "tournament.db";

/// Where tournaments are stored.
#[derive(Clone, Debug, Args)]
pub(super) struct Database {
    /// The tournaments' database: a file, or a server's address (postgres://USER:PASSWORD@HOST/DATABASE).
    #[arg(long, alias = "database", value_name = "PATH|URL", default_value = DEFAULT, value_parser = StoreParser)]
    store: Location,
}

impl Database {
    /// Where the database is.
    pub(super) fn location(&self) -> Location {
        self.store.clone()
    }

    /// As it is named in a command line, with a blank before it; nothing if that is not needed.
    pub(super) fn named(&self) -> String {
        match self.store == Location::from(DEFAULT) {
            true => String::new(),
            false => format!(" --store {}", shell_words::quote(&self.store.to_string())),
        }
    }

    /// A database may be new, its folder not: a slip of the pen makes no folders.
    pub(super) fn check_folder(&self) -> anyhow::Result<()> {
        let file = self.store.file();
        if let Some("full" | "results") = file.and_then(Path::to_str) {
            return refuse(
                "--store names the database; how much is kept of each match is --keep full or --keep results",
            );
        }
        let folder = file.and_then(Path::parent);
        match folder.filter(|folder| *folder != Path::new("") && !folder.is_dir()) {
            None => Ok(()),
            Some(folder) => refuse(format!(
                "--store {}: there is no folder {}",
                self.store,
                folder.display()
            )),
        }
    }

    pub(super) async fn open(&self) -> anyhow::Result<Store> {
        let location = self.location();
        if location.file().is_some_and(|file| !file.exists()) {
            return refuse(format!(
                "there is no database at {location}: name the tournament's with --store"
            ));
        }
        Ok(Store::open_readonly(location, GameRules::all()).await?)
    }
}

/// The commitment to what all chance of a tournament follows from, and that itself once it is over.
pub(super) fn drawn_from(id: &str, setup: &Value, over: bool) -> String {
    let Some(drawn) = Drawn::new(id, setup, over) else {
        return String::new();
    };
    let commitment = format!("commitment: {}\n", drawn.commitment);
    match drawn.secret {
        Some(secret) => format!("{commitment}secret: {secret}\n"),
        None => commitment,
    }
}

/// All tournaments of a database, newest first.
pub(super) async fn tournaments(store: &Store) -> anyhow::Result<Vec<TournamentRow>> {
    Ok(
        history::tournaments(store.reader(), None, &PageAt::first(TOURNAMENTS_MAX))
            .await?
            .items,
    )
}

/// The stored tournament, of those with this file's names, newest first, that is played on as this one: begun with this
/// file, and not over if there is such.
pub(super) fn left<'a>(stored: &'a [TournamentRow], cup: &Cup) -> Option<&'a TournamentRow> {
    let of_game = || {
        stored
            .iter()
            .filter(|found| found.game == cup.kit.card().name)
    };
    let fitting = || of_game().filter(|found| Course::fits(found, cup));
    let open = fitting().find(|found| found.ended_us.is_none());
    open.or(fitting().next()).or(of_game().next())
}
