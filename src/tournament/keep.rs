//! Stores matches that were played in process.

use super::match_player::PlayedMatch;
use crate::clock::now_us;
use crate::referee::{Draw, Numbers, Recording, StartError, lines_of};
use crate::store::types::{Durability, MatchResult, NewMatch, NewSeat};
use crate::store::{Settings, Store};
use anyhow::Context as _;
use games::{Blame, Fact, Kit, Seat, TableSetup, Wire};
use serde_json::{Value, json};
use std::path::Path;
use tokio::sync::mpsc;

/// The name under which matches of `play` are stored: no other referee resumes them.
pub const REFEREE: &str = "play";
/// Lines handed to the recording at once.
const LINES_AT_ONCE: usize = 64;

/// Opens a database to store matches in.
///
/// # Errors
/// Why it cannot be opened.
pub async fn open_recording(path: &Path) -> anyhow::Result<Recording> {
    let store = Store::open(&Settings::at(path)).await?;
    Ok(Recording::new(store, Durability::Process))
}

/// Stores every match received until the sender is gone.
///
/// # Errors
/// For the first match that cannot be stored.
pub async fn keep(
    kit: &'static dyn Kit,
    options: Value,
    recording: Recording,
    mut played: mpsc::Receiver<PlayedMatch>,
) -> anyhow::Result<()> {
    let mut last = recording.last_market(kit.game()).await?;
    while let Some(played) = played.recv().await {
        last += 1;
        let numbers = match kit.wire() {
            Wire::Callbacks => drawn(kit, &recording, &played).await?,
            _ => Numbers {
                market: last,
                ids: (1..=played.seats.len() as u64).collect(),
            },
        };
        one(kit, &options, &recording, &played, numbers)
            .await
            .with_context(|| format!("cannot store match {}", played.number + 1))?;
    }
    Ok(())
}

/// Numbers as our referee draws them, but from the match's seed: what a run stores is reproducible.
async fn drawn(
    kit: &dyn Kit,
    recording: &Recording,
    played: &PlayedMatch,
) -> Result<Numbers, StartError> {
    let draw = Draw::of(Some(Draw::seed(played.seed, played.number)));
    let what = (kit.game(), played.seats.len());
    draw.free(recording, what, |_| true).await
}

async fn one(
    kit: &dyn Kit,
    options: &Value,
    recording: &Recording,
    played: &PlayedMatch,
    numbers: Numbers,
) -> anyhow::Result<()> {
    let seats = played.seats.len() as u64;
    let ids: Vec<u64> = (1..=seats).collect();
    let table = kit.table(&TableSetup {
        seed: played.seed,
        options: options.clone(),
        // The numbers that in-process matches carry in their calls.
        market: 1,
        ids,
    })?;
    let row = NewMatch {
        id: ulid::Ulid::generate().to_string(),
        game: kit.game().to_owned(),
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
    let record = recording.open(&row, &numbers.ids, &[]).await?;
    let mut record = record.alone(played.times.clone());
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
    Ok(record.close(result).await?)
}
