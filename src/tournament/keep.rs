//! Stores matches that were played in process.

use super::match_player::PlayedMatch;
use crate::clock::now_us;
use crate::referee::{Draw, MatchRecord, Numbers, Recording, StartError, lines_of};
use crate::store::types::{Durability, MatchResult, NewMatch, NewSeat};
use crate::store::{Settings, Store};
use anyhow::Context as _;
use futures_util::stream::{self, TryStreamExt as _};
use games::{Blame, Fact, Kit, Seat, TableSetup, Wire};
use serde_json::{Value, json};
use std::path::Path;
use tokio::sync::mpsc;

/// The name under which matches of `play` are stored: no other referee resumes them.
pub const REFEREE: &str = "play";
/// Lines handed to the recording at once.
const LINES_AT_ONCE: usize = 64;
/// Matches whose transcripts are stored and folded at once.
const MATCHES_AT_ONCE: usize = 4;

/// Opens a database to store matches in.
///
/// # Errors
/// Why it cannot be opened.
pub async fn open_recording(path: &Path) -> anyhow::Result<Recording> {
    let store = Store::open(&Settings::at(path)).await?;
    Ok(Recording::new(store, Durability::Process))
}

/// Stores every match received until the sender is gone. They are opened and closed in this order, whatever
/// takes longer: numbers and models do not depend on it.
///
/// # Errors
/// For the first match that cannot be stored.
pub async fn keep(
    kit: &'static dyn Kit,
    options: Value,
    recording: Recording,
    played: mpsc::Receiver<PlayedMatch>,
) -> anyhow::Result<()> {
    let keeper = Keeper {
        kit,
        options,
        recording,
    };
    let last = keeper.recording.last_market(kit.game()).await?;
    let opened = stream::try_unfold(
        (keeper, played, last),
        |(keeper, mut played, last)| async move {
            let Some(next) = played.recv().await else {
                return Ok::<_, anyhow::Error>(None);
            };
            let record = keeper.open(&next, last + 1).await;
            let record = record.with_context(|| unstored(&next))?;
            Ok(Some(((next, record), (keeper, played, last + 1))))
        },
    );
    let filled = opened.map_ok(|(played, record)| async move {
        let filled = fill(kit, &played, record).await;
        filled.with_context(|| unstored(&played))
    });
    let filled = filled.try_buffered(MATCHES_AT_ONCE);
    let closed = filled.try_for_each(|(record, result)| async move {
        record.close(result).await?;
        Ok(())
    });
    closed.await
}

fn unstored(played: &PlayedMatch) -> String {
    format!("cannot store match {}", played.number + 1)
}

struct Keeper {
    kit: &'static dyn Kit,
    options: Value,
    recording: Recording,
}

impl Keeper {
    /// Opens a match; `number` is its number in its game unless its wire has random ones.
    async fn open(&self, played: &PlayedMatch, number: u64) -> anyhow::Result<MatchRecord> {
        let numbers = match self.kit.wire() {
            Wire::Callbacks => self.drawn(played).await?,
            _ => Numbers {
                market: number,
                ids: (1..=played.seats.len() as u64).collect(),
            },
        };
        let table = self.kit.table(&TableSetup {
            seed: played.seed,
            options: self.options.clone(),
            // The numbers that in-process matches carry in their calls.
            market: 1,
            ids: (1..=played.seats.len() as u64).collect(),
        })?;
        let row = NewMatch {
            id: ulid::Ulid::generate().to_string(),
            game: self.kit.game().to_owned(),
            referee: REFEREE.to_owned(),
            market: numbers.market,
            ours: true,
            started_us: played.started_us,
            setup: table.setup(),
            seats: (0u8..)
                .zip(&played.seats)
                .map(|(seat, spec)| NewSeat {
                    seat,
                    spec: spec.clone(),
                    name: None,
                })
                .collect(),
        };
        let record = self.recording.open(&row, &numbers.ids, &[]).await?;
        Ok(record.alone(played.times.clone()))
    }

    /// Numbers as our referee draws them, but from the match's seed: what a run stores is reproducible.
    async fn drawn(&self, played: &PlayedMatch) -> Result<Numbers, StartError> {
        let draw = Draw::of(Some(Draw::seed(played.seed, played.number)));
        let what = (self.kit.game(), played.seats.len());
        draw.free(&self.recording, what, |_| true).await
    }
}

/// Stores what was said in a match, and how it ended, up to its end itself.
async fn fill(
    kit: &dyn Kit,
    played: &PlayedMatch,
    mut record: MatchRecord,
) -> anyhow::Result<(MatchRecord, MatchResult)> {
    for lines in lines_of(&played.transcript, kit.wire(), played.started_us).chunks(LINES_AT_ONCE) {
        record.append(lines.to_vec()).await?;
    }
    for (seat, text) in (0u8..).zip(&played.stderr) {
        if !text.is_empty() {
            let fact = Fact::new("stderr", json!({ "text": text }));
            record.note(Seat(seat), fact).await?;
        }
    }
    let outcome = &played.outcome;
    // If a match went on to its end, no one's fault ended it.
    let ended_by = |blame: &&Blame| blame.cause == outcome.cause;
    let blamed = played.blames.iter().find(ended_by);
    let told = |blame: &Blame| {
        let Blame {
            seat,
            cause,
            detail,
        } = blame;
        format!("seat {}: {}: {detail}", seat.0, cause.word())
    };
    let result = MatchResult {
        at_us: now_us(),
        cause: outcome.cause,
        blame: blamed.map(|blame| blame.seat.0),
        detail: match played.blames.as_slice() {
            [one] if blamed.is_some() => one.detail.clone(),
            several => several.iter().map(told).collect::<Vec<_>>().join("; "),
        },
        scores: outcome.scores.values().to_vec(),
    };
    record.fold(result.cause).await?;
    Ok((record, result))
}
