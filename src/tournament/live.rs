//! Matches of a run that is watched: stored while they are played.

use super::opening::{NewMatch, Opening, is_shared};
use super::schedule::PlannedMatch;
use crate::referee::{
    Beginning, DecisionTimes, Fed, Feed, MatchError, MatchRecord, Numbers, OpenRecord, Recording,
    Refereed, cancelled,
};
use crate::store::types::Slot;
use anyhow::Context as _;
use games::Kit;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The maximum number of lines stored at once.
const BATCH_MAX: usize = 64;
/// Why a match that was stored while it was played has no end: it was stopped, or something failed, which the run reports.
const STOPPED: &str = "the run was stopped before it ended";
const FAILED: &str = "it could not be played to its end";

/// Stores matches while they are played, so that who looks at the database sees them.
pub struct Live {
    recording: Recording,
}

/// A match that is being stored.
struct Writing {
    opening: Opening,
    number: u64,
    seed: u64,
    slot: Option<Slot>,
}

/// A match that is stored so far.
struct Written {
    match_id: String,
    record: MatchRecord,
}

/// A match that is played, and stored meanwhile.
pub(super) struct Following {
    number: u64,
    writing: JoinHandle<anyhow::Result<Option<Written>>>,
    cut: CancellationToken,
}

impl Live {
    /// Stores matches there.
    #[must_use]
    pub fn new(recording: Recording) -> Self {
        Self { recording }
    }

    /// Follows a match that begins; what it says goes into the feed. `None` for one that nobody would close after a kill.
    pub(super) fn follow(
        &self,
        kit: &'static dyn Kit,
        options: &Value,
        planned: &PlannedMatch,
    ) -> Option<(Feed, Following)> {
        if planned.slot.is_none() && is_shared(&self.recording) {
            return None;
        }
        let (feed, fed) = Feed::open();
        let cut = CancellationToken::new();
        let writing = Writing {
            opening: Opening {
                kit,
                options: options.clone(),
                recording: self.recording.clone(),
            },
            number: planned.number,
            seed: planned.seed,
            slot: planned.slot.clone(),
        };
        let following = Following {
            number: planned.number,
            writing: tokio::spawn(writing.write(fed, cut.clone())),
            cut,
        };
        Some((feed, following))
    }
}

impl Writing {
    /// Stores what is received of the match, until it is over or cut short; nothing of one that never began.
    async fn write(
        self,
        mut fed: UnboundedReceiver<Fed>,
        cut: CancellationToken,
    ) -> anyhow::Result<Option<Written>> {
        let mut written: Option<Written> = None;
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let received = tokio::select! {
                biased;
                () = cut.cancelled() => 0,
                received = fed.recv_many(&mut batch, BATCH_MAX) => received,
            };
            if received == 0 {
                return Ok(written);
            }
            let mut lines = Vec::with_capacity(received);
            for fed in batch.drain(..) {
                match fed {
                    Fed::Begins(beginning) => written = Some(self.open(beginning).await?),
                    Fed::Line(line) => lines.push(line),
                }
            }
            if let Some(written) = &mut written {
                written.record.append(lines).await?;
            }
        }
    }

    async fn open(&self, beginning: Beginning) -> anyhow::Result<Written> {
        let Beginning {
            match_id,
            started_us,
            seats,
            market,
            ids,
        } = beginning;
        let numbers = market.map(|market| Numbers { market, ids });
        let new = NewMatch {
            number: self.number,
            seed: self.seed,
            match_id: match_id.clone(),
            started_us,
            seats: &seats,
            numbers: numbers.as_ref(),
            slot: self.slot.as_ref(),
        };
        let record = self.opening.open(new).await?;
        Ok(Written {
            match_id,
            // How long its decisions took is known at its end.
            record: record.alone(DecisionTimes::Stamped),
        })
    }
}

impl Following {
    /// The match has ended so: its record goes with it. One that was cut short is closed.
    ///
    /// # Errors
    /// Why it was not played or is not stored.
    pub(super) async fn end(
        self,
        played: Result<Option<Refereed>, MatchError>,
    ) -> Result<Option<Refereed>, MatchError> {
        let refereed = match played {
            Ok(Some(refereed)) => refereed,
            Ok(None) => {
                self.cut_short(STOPPED).await;
                return Ok(None);
            }
            Err(error) => {
                self.cut_short(FAILED).await;
                return Err(error);
            }
        };
        let written = self.writing.await.context("it was given up");
        let written = written.and_then(|written| written).map_err(|error| {
            let number = self.number + 1;
            MatchError::Unrecorded(format!("cannot store match {number}: {error:#}"))
        })?;
        Ok(Some(match written {
            Some(Written { match_id, record }) => Refereed {
                match_id: Some(match_id),
                record: Some(OpenRecord::new(record)),
                ..refereed
            },
            None => refereed,
        }))
    }

    async fn cut_short(self, why: &str) {
        self.cut.cancel();
        let closed = match self.writing.await {
            Ok(Ok(Some(Written { record, .. }))) => {
                let record = record.without_lessons();
                let closed = record.close(cancelled(why.to_owned())).await;
                closed.map_err(anyhow::Error::from)
            }
            Ok(Ok(None)) => Ok(()),
            Ok(Err(error)) => Err(error),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = closed {
            let number = self.number + 1;
            tracing::warn!(number, %error, "a match that was cut short is left to the next run");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Following, Opening, STOPPED, Writing, Written};
    use crate::history;
    use crate::referee::budget::ThinkBudget;
    use crate::referee::{
        Beginning, Fed, InProcess, MatchSpec, Ports, Stop, cancelled, lines_of, play,
    };
    use crate::tournament::{Extent, open_recording};
    use games::Cause;
    use serde_json::json;
    use tokio::sync::mpsc::unbounded_channel;
    use tokio_util::sync::CancellationToken;

    /// Plays a match, and stores it up to its end as one that is followed.
    async fn followed(opening: Opening) -> (String, Following) {
        let (kit, seats) = (opening.kit, vec!["builtin:random".parse().unwrap(); 4]);
        let spec = MatchSpec {
            record: true,
            ..MatchSpec::new(kit, seats, 1, opening.options.clone())
        };
        let ports = Ports::Process(InProcess {
            budget: ThinkBudget::Nodes(1),
            models: false,
            timed: false,
        });
        let played = play(spec, &ports, &Stop::default()).await.unwrap().unwrap();
        let (feed, fed) = unbounded_channel();
        let beginning = Beginning {
            match_id: ulid::Ulid::generate().to_string(),
            started_us: played.started_us,
            seats: played.seats,
            market: None,
            ids: Vec::new(),
        };
        let id = beginning.match_id.clone();
        feed.send(Fed::Begins(beginning)).unwrap();
        for line in lines_of(&played.transcript, kit.card().wire, played.started_us) {
            feed.send(Fed::Line(line)).unwrap();
        }
        drop(feed);
        let writing = Writing {
            opening,
            number: 0,
            seed: 1,
            slot: None,
        };
        let cut = CancellationToken::new();
        let written = writing.write(fed, cut.clone()).await;
        let following = Following {
            number: 0,
            writing: tokio::spawn(std::future::ready(written)),
            cut,
        };
        (id, following)
    }

    #[tokio::test]
    async fn a_match_that_was_cut_short_teaches_nothing() {
        for is_cut in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("drover.db");
            let recording = open_recording(&path, Extent::Full).await.unwrap();
            let opening = Opening {
                kit: games::find("planowanie").unwrap(),
                options: json!({ "deals": "13 0 4 1" }),
                recording: recording.clone(),
            };
            let (id, following) = followed(opening).await;
            if is_cut {
                assert!(following.end(Ok(None)).await.unwrap().is_none());
            } else {
                // With the same transcripts and the same end it does.
                let written = following.writing.await.unwrap().unwrap();
                let Written { record, .. } = written.unwrap();
                record.close(cancelled(STOPPED.to_owned())).await.unwrap();
            }
            let reader = recording.store().unwrap().reader();
            let row = history::match_row(reader, &id).await.unwrap().unwrap();
            assert_eq!(row.cause, Some(Cause::Cancelled));
            assert_eq!(row.detail, STOPPED);
            let taught = history::teachings_since(reader, 0).await.unwrap();
            assert_eq!(taught.is_empty(), is_cut, "{taught:?}");
            recording.close().await;
        }
    }
}
