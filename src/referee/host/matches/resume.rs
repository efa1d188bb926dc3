//! Resumes matches interrupted by a stop of the daemon: the table and the in-process bots are rebuilt from
//! the match's setup, replay the transcripts, and go on from there.

use super::{Host, Play, places};
use crate::referee::host::callbacks::Links;
use crate::referee::host::match_info::MatchInfo;
use crate::referee::host::setup::{hosted, specs};
use crate::referee::host::started::StartError;
use crate::referee::record::log::{MatchLog, answered};
use crate::referee::record::{MatchRecord, RecordError, UnfinishedMatch, cancelled};
use crate::referee::seat::{FollowError, OwnAddress, SeatSpecError};
use crate::replay::replay_match;
use crate::store::types::{Entry, MatchRow};
use crate::thinking::{Panicked, guarded};
use games::{Match, Seats, SetupError};
use std::sync::Arc;
use std::time::Duration;

/// Why a match does not go on where its transcripts end.
#[derive(Debug, thiserror::Error)]
enum ResumeError {
    #[error(transparent)]
    Seat(#[from] SeatSpecError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Link(#[from] StartError),
    #[error(transparent)]
    Player(#[from] FollowError),
    #[error(transparent)]
    Panicked(#[from] Panicked),
    #[error("its transcripts do not fit the rules any more: {0}")]
    Differs(String),
}

impl Host {
    /// Resumes interrupted matches. One that cannot continue is closed as cancelled.
    ///
    /// # Errors
    /// [`RecordError`] if they cannot be read.
    pub async fn resume(self: &Arc<Self>) -> Result<usize, RecordError> {
        let mut resumed = 0;
        let (game, referee) = (self.kit.card().name, &self.settings.referee);
        for cut in self.recording.unfinished(game, referee).await? {
            let id = cut.row.id.clone();
            match self.resume_one(cut).await {
                Ok(()) => resumed += 1,
                Err(why) => tracing::warn!(match_id = id, %why, "a match cannot be resumed"),
            }
        }
        Ok(resumed)
    }

    async fn resume_one(self: &Arc<Self>, cut: UnfinishedMatch) -> Result<(), ResumeError> {
        let UnfinishedMatch {
            row,
            ids,
            seeds,
            past: entries,
            record,
        } = cut;
        let (match_, links) = match self.reopened(&row, &seeds, &entries, &record).await {
            Ok(reopened) => reopened,
            Err(why) => {
                let detail = format!("it could not be resumed after a restart: {why}");
                if let Err(error) = record.close(cancelled(detail)).await {
                    tracing::warn!(match_id = row.id, %error, "its end is not stored");
                }
                return Err(why);
            }
        };
        let info = MatchInfo {
            match_id: row.id.clone(),
            game: row.game.clone(),
            market: row.market,
            ids,
            seats: row.seats.iter().map(|seat| seat.spec.clone()).collect(),
            names: row.seats.iter().map(|seat| seat.name.clone()).collect(),
            started_us: row.started_us,
        };
        let hosted = hosted(info, MatchLog::of_past(&entries));
        self.registry.enter(Arc::clone(&hosted));
        let play = Play {
            match_,
            links,
            record,
            pause: Duration::ZERO,
            feed: None,
        };
        let _going_on = self.spawn(hosted, play).begin();
        Ok(())
    }

    /// The match's table and players, as they were where its transcripts end.
    async fn reopened(
        &self,
        row: &MatchRow,
        seeds: &[u64],
        entries: &Seats<Vec<Entry>>,
        record: &MatchRecord,
    ) -> Result<(Match, Links), ResumeError> {
        let own = self.settings.own.as_ref();
        let mut specs = specs(row)?;
        let launches = self.launches(&mut specs).await?;
        let table = self.kit.reopen(&row.setup)?;
        let again = specs.iter().map(|spec| OwnAddress::known_again(own, spec));
        let called = again.collect::<Result<Vec<_>, _>>()?;
        let mut links = self.links(&called, &launches, seeds, &[], None)?;
        for (link, (seat, entries)) in links.iter_mut().zip(entries.iter()) {
            if let Some(link) = link {
                link.begins(&row.id, record.session(seat));
                link.take_up(answered(entries))?;
            }
        }
        let all = entries.iter();
        let all = all.flat_map(|(seat, entries)| entries.iter().map(move |entry| (seat, entry)));
        let (all, wire) = (all.collect::<Vec<_>>(), self.kit.card().wire);
        let mut replayed = guarded(|| replay_match(table, wire, all, false))?;
        if !replayed.differences.is_empty() {
            return Err(ResumeError::Differs(replayed.differences.swap_remove(0)));
        }
        let places = places(&links);
        Ok((replayed.match_.among(places), links))
    }
}
