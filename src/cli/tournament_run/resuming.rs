//! Which stored tournaments go on.

use super::{Run, seat_users_bots};
use crate::cli::common::Common;
use crate::cli::tournament_database::{left, tournaments};
use crate::cli::usage::refuse;
use crate::store::TournamentRow;
use crate::tournament::{Course, Cup};
use anyhow::Context as _;

impl Run<'_> {
    /// What is stored of the tournaments that go on; those that have ended are left out of `cups`.
    pub(super) async fn resumed(
        &self,
        common: &Common,
        cups: &mut Vec<Cup>,
        id: Option<String>,
    ) -> anyhow::Result<Vec<TournamentRow>> {
        let stored = self.stored(cups, id.as_deref()).await?;
        seat_users_bots(common, cups, &stored)?;
        if id.is_some() {
            cups.retain(|cup| left(&stored, cup).is_some());
        }
        // What was begun otherwise is refused for that.
        let goes_on = |cup: &&Cup| {
            left(&stored, cup)
                .is_none_or(|found| found.ended_us.is_none() && Course::fits(found, cup))
        };
        let open: Vec<Cup> = cups.iter().filter(goes_on).cloned().collect();
        self.args.try_programs(&open).await?;
        Ok(stored)
    }

    /// Before a run begins: refuses what is finished or was left, unless it is wanted again.
    pub(super) async fn check_begun(&self, cups: &[Cup]) -> anyhow::Result<()> {
        if self.args.again {
            return Ok(());
        }
        let stored = self.stored_of(cups).await?;
        let (file, at) = (self.args.quoted(), self.args.database.named());
        let newest = |cup: &Cup| {
            let fits = |found: &&TournamentRow| {
                found.game == cup.kit.card().name && Course::fits(found, cup)
            };
            stored.iter().find(fits)
        };
        let is_over = |cup: &Cup| newest(cup).is_some_and(|found| found.ended_us.is_some());
        for cup in cups {
            let Some(found) = newest(cup) else {
                continue;
            };
            let (name, game, id) = (&found.name, cup.kit.card().name, &found.id);
            if found.ended_us.is_none() {
                return refuse(format!(
                    "{name}, {game}: tournament {id} of this file is unfinished: drover tournament resume {file}{at} goes \
                     on with it; --again begins another one"
                ));
            }
            let others = match cups.iter().all(is_over) {
                true => String::new(),
                false => format!("; drover tournament resume {file}{at} plays the other games"),
            };
            return refuse(format!(
                "{name}, {game}: it is finished: drover tournament standings {id}{at}; --again plays it once more{others}"
            ));
        }
        Ok(())
    }

    /// What is stored under the names of this file's tournaments, newest first.
    async fn stored(&self, cups: &[Cup], id: Option<&str>) -> anyhow::Result<Vec<TournamentRow>> {
        let mut stored = self.stored_of(cups).await?;
        if stored.is_empty() {
            let (file, database) = (self.args.file.display(), self.args.database.location());
            let (quoted, at) = (self.args.quoted(), self.args.database.named());
            return refuse(format!(
                "{database} has no tournament of {file}: there is nothing to resume; drover tournament run {quoted}{at} \
                 begins it"
            ));
        }
        if let Some(id) = id {
            stored.retain(|found| found.id.starts_with(&id.to_uppercase()));
            if stored.is_empty() {
                let file = self.args.file.display();
                return refuse(format!(
                    "--id {id}: no tournament of {file} has such a number"
                ));
            }
        }
        Ok(stored)
    }

    /// The same, also if there is none.
    async fn stored_of(&self, cups: &[Cup]) -> anyhow::Result<Vec<TournamentRow>> {
        let store = self.recording.store();
        let mut stored = tournaments(store.context("a tournament needs a database")?).await?;
        let of = |cup: &Cup, found: &TournamentRow| {
            found.name == cup.name && found.game == cup.kit.card().name
        };
        stored.retain(|found| cups.iter().any(|cup| of(cup, found)));
        Ok(stored)
    }
}
