//! Matches over HTTP, through the host.

use super::match_player::{MatchError, MatchPlayer, Plan, Playing};
use super::played_match::PlayedMatch;
use super::schedule::PlannedMatch;
use super::sides::Sides;
use super::stop::Stop;
use crate::referee::record::log::LogLine;
use crate::referee::{Host, MatchRequest, Numbers, SeatSpec};
use games::match_::Conduct;
use games::{Exchange, Seat};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Plays over HTTP. The host must have room for all matches at once; it stores interrupted ones, and is
/// stopped by its owner.
pub struct Hosted {
    /// The host that plays them.
    pub host: Arc<Host>,
    /// In a tournament, entrants that answered nothing in their last match, with its round; empty at first. They are
    /// not called for the rest of the round and have one try in their first match of the next, so that a dead entrant
    /// holds up one match of all. `None`: each match is on its own.
    pub silent: Option<Mutex<HashMap<usize, u32>>>,
}

impl MatchPlayer for Hosted {
    fn play<'a>(
        &'a self,
        plan: &'a Plan,
        planned: &'a PlannedMatch,
        seats: &'a [SeatSpec],
        stop: &'a Stop,
    ) -> Playing<'a> {
        Box::pin(async {
            tokio::select! {
                played = self.one(plan, planned, seats) => played.map(Some),
                () = stop.cancelled() => Ok(None),
            }
        })
    }
}

impl Hosted {
    async fn one(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        seats: &[SeatSpec],
    ) -> Result<PlayedMatch, MatchError> {
        let PlannedMatch { number, seed, .. } = *planned;
        let line_up: Vec<usize> = Sides::new(plan.kit, &plan.options, &planned.table)?
            .entrants()
            .collect();
        let silent = self.silent.as_ref().map(|silent| silent.lock().clone());
        let silent = silent.unwrap_or_default();
        let round = planned.slot.as_ref().map_or(0, |slot| slot.round);
        let tries = |one: &usize| silent.get(one).map(|last| u16::from(*last != round));
        let request = MatchRequest {
            seats: seats.to_vec(),
            seed: Some(seed),
            numbers: Some(planned.numbers),
            options: plan.options.clone(),
            names: plan.seat_names(planned)?,
            learnt: plan.learnt(planned)?,
            tries: line_up.iter().map(tries).collect(),
            pause: Duration::ZERO,
            reach: None,
        };
        let hosted = self.host.start(request).await?.begin().wait().await;
        let end = hosted.end.get();
        let Some(outcome) = end.and_then(|end| end.outcome.clone()) else {
            return Err(MatchError::NoResult {
                match_number: hosted.info.market,
                why: end.map_or("it was cut", |end| &end.detail).to_owned(),
            });
        };
        if let Some(why) = end.and_then(|end| end.unrecorded.clone()) {
            return Err(MatchError::Unrecorded(why));
        }
        let lines: Vec<Vec<LogLine>> = (0..seats.len())
            .map(|seat| hosted.log.lines(Seat(seat as u8)))
            .collect();
        let conduct = end.map(|end| &end.conduct[..]).unwrap_or_default();
        if let Some(silent) = &self.silent {
            note_silent(&mut silent.lock(), round, &line_up, conduct);
        }
        Ok(PlayedMatch {
            match_id: Some(hosted.info.match_id.clone()),
            started_us: hosted.info.started_us,
            seats: hosted.info.seats.clone(),
            missed: conduct.iter().map(|seat| seat.missed).collect(),
            took: conduct.iter().map(|seat| seat.took.clone()).collect(),
            left: end.map(|end| end.left.clone()).unwrap_or_default(),
            transcript: transcript(lines),
            numbers: Some(Numbers {
                market: hosted.info.market,
                ids: hosted.info.ids.clone(),
            }),
            participation: end.map(|end| end.participation.clone()).unwrap_or_default(),
            refused: conduct.iter().map(|seat| seat.refused).collect(),
            ..PlayedMatch::ended(number, seed, outcome)
        })
    }
}

/// Keeps who answered nothing that was asked in a match of this round, and who did.
fn note_silent(
    silent: &mut HashMap<usize, u32>,
    round: u32,
    line_up: &[usize],
    conduct: &[Conduct],
) {
    for (entrant, conduct) in line_up.iter().zip(conduct) {
        if conduct.is_silent() {
            silent.insert(*entrant, round);
        } else {
            silent.remove(entrant);
        }
    }
}

/// All seats' lines in the order in which they were sent.
fn transcript(lines: Vec<Vec<LogLine>>) -> Vec<Exchange> {
    let seats = (0u8..).map(Seat).zip(lines);
    let mut all: Vec<(i64, Exchange)> = seats
        .flat_map(|(seat, lines)| lines.into_iter().map(move |line| (seat, line)))
        .map(|(seat, line)| {
            let heard = Exchange {
                seat,
                call: line.query,
                reply: Some(line.reply),
                took: None,
            };
            (line.at_us, heard)
        })
        .collect();
    all.sort_by_key(|(at_us, _)| *at_us);
    all.into_iter().map(|(_, heard)| heard).collect()
}
