//! Resumes matches interrupted by a stop of the daemon: the table and the in-process bots are rebuilt from
//! the match's setup, replay the transcripts, and go on from there.

use super::drive::{Links, Past};
use super::match_info::MatchInfo;
use super::matches::{Host, Play};
use super::setup::{cancelled, hosted, specs};
use crate::referee::record::log::{MatchLog, answered};
use crate::referee::record::{MatchRecord, RecordError, UnfinishedMatch};
use crate::referee::seat::OwnAddress;
use crate::replay::{RecordedReply, replay_table};
use crate::store::types::{Direction, Entry, MatchRow};
use crate::thinking::guarded;
use games::{Seats, Table};
use std::sync::Arc;
use std::time::Duration;

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
                Err(why) => tracing::warn!(match_id = id, why, "a match cannot be resumed"),
            }
        }
        Ok(resumed)
    }

    async fn resume_one(self: &Arc<Self>, cut: UnfinishedMatch) -> Result<(), String> {
        let UnfinishedMatch {
            row,
            ids,
            seeds,
            past: entries,
            record,
        } = cut;
        let (table, links, past) = match self.reopened(&row, &seeds, &entries, &record).await {
            Ok(reopened) => reopened,
            Err(why) => {
                let detail = format!("it could not be resumed after a restart: {why}");
                return match record.close(cancelled(detail)).await {
                    Ok(()) => Err(why),
                    Err(error) => Err(format!("{why}; {error}")),
                };
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
            table,
            links,
            past,
            record,
            pause: Duration::ZERO,
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
    ) -> Result<(Box<dyn Table>, Links, Past), String> {
        let own = self.settings.own.as_ref();
        let mut specs = specs(row)?;
        let launches = self.launches(&mut specs).await;
        let launches = launches.map_err(|error| error.to_string())?;
        let mut table = self
            .kit
            .reopen(&row.setup)
            .map_err(|error| error.to_string())?;
        let again = specs.iter().map(|spec| OwnAddress::known_again(own, spec));
        let called = again.collect::<Result<Vec<_>, _>>();
        let called = called.map_err(|error| error.to_string())?;
        let links = self.links((&called, &launches), (seeds, &[]), None);
        let mut links = links.map_err(|error| error.to_string())?;
        for (link, (seat, entries)) in links.iter_mut().zip(entries.iter()) {
            if let Some(link) = link {
                link.begins(&row.id, record.session(seat));
                link.take_up(answered(entries))?;
            }
        }
        let all = entries.iter();
        let all = all.flat_map(|(seat, entries)| entries.iter().map(move |entry| (seat, entry)));
        let (all, wire) = (all.collect::<Vec<_>>(), self.kit.card().wire);
        let last_us = all.iter().map(|(_, entry)| entry.at_us).max();
        let replayed = guarded(|| replay_table(&mut *table, wire, all, false));
        let replayed = replayed.map_err(|panic| panic.to_string())?;
        if let Some(difference) = replayed.differences.first() {
            return Err(format!(
                "its transcripts do not fit the rules any more: {difference}"
            ));
        }
        let past = Past {
            pending: replayed.pending,
            failures: entries.values().iter().map(|of| failures(of)).collect(),
            last_us: last_us.unwrap_or_default(),
        };
        Ok((table, links, past))
    }
}

/// How many failures in a row a seat had at the end.
fn failures(entries: &[Entry]) -> u16 {
    let replies = entries.iter().rev();
    let replies = replies.filter(|entry| entry.direction == Direction::In);
    let failed =
        replies.take_while(|entry| RecordedReply::decode(&entry.text).alive() == Some(false));
    u16::try_from(failed.count()).unwrap_or(u16::MAX)
}
