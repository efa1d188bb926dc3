//! Taking up matches that a stop of the daemon cut: the table is opened again from its setup, hears
//! the stored answers in their order, and goes on from there.

use super::match_info::{HostedMatch, MatchInfo};
use super::matches::{Host, Play};
use super::setup::{cancelled, specs};
use crate::referee::record::log::MatchLog;
use crate::referee::record::past::Past;
use crate::referee::record::{RecordError, UnfinishedMatch};
use crate::referee::seat::OwnAddress;
use crate::referee::seat::seat_spec::SeatSpec;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

impl Host {
    /// Takes up the matches that a stop cut. One that cannot go on is closed as cancelled.
    ///
    /// # Errors
    /// [`RecordError`] if they cannot be read.
    pub async fn resume(self: &Arc<Self>) -> Result<usize, RecordError> {
        let mut resumed = 0;
        let (game, referee) = (self.kit.game(), &self.settings.referee);
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
            past,
            record,
        } = cut;
        let opened = self
            .kit
            .reopen(&row.setup)
            .map_err(|error| error.to_string());
        let opened = opened.and_then(|table| {
            let specs = specs(&row)?;
            if let Some(lost) = specs.iter().find(|spec| in_process(spec)) {
                return Err(format!("what {lost} knew of it has gone with its process"));
            }
            let own = self.settings.own.as_ref();
            let again = specs.iter().map(|spec| OwnAddress::known_again(own, spec));
            let called = again.collect::<Result<Vec<_>, _>>();
            let called = called.map_err(|error| error.to_string())?;
            let links = self
                .links(&called, 0, None)
                .map_err(|error| error.to_string())?;
            Ok((table, links))
        });
        let (table, links) = match opened {
            Ok(opened) => opened,
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
        let log = Arc::new(MatchLog::of_past(&past));
        let hosted = Arc::new(HostedMatch {
            info,
            log,
            end: OnceLock::new(),
        });
        self.registry.enter(Arc::clone(&hosted));
        let past = Past::new(&past);
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
}

/// A bot without a wire remembers its match in memory only.
fn in_process(spec: &SeatSpec) -> bool {
    matches!(spec, SeatSpec::Builtin(_)) && !spec.is_filler()
}
