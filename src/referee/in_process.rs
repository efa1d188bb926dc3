//! Matches among built-in bots in this process, without a wire and without copies of what a wire would carry.

use super::budget::{Stopwatch, ThinkBudget};
use super::feed::{Beginning, Feed};
use super::followed::Followed;
use super::record::DecisionTimes;
use super::refereed::Refereed;
use super::seat_spec::FILLER;
use super::stop::Stop;
use crate::clock::now_us;
use games::match_::{Conduct, out_of_time};
use games::{Histogram, Kit, Pace, PlaySetup, Seat, SetupError};

/// How built-in bots play in process.
#[derive(Clone, Copy, Debug)]
pub struct InProcess {
    /// The budget of each decision.
    pub budget: ThinkBudget,
    /// Whether bots may use opponent models.
    pub models: bool,
    /// Whether every decision is timed, and not only those of bots that search.
    pub timed: bool,
}

impl InProcess {
    /// Plays a match; `None` if `stop` cut it short. Blocks. Where the game takes out who is late, that is reported as on
    /// our hub. If it lasts, it goes to `feed` meanwhile.
    pub(super) fn play(
        self,
        kit: &dyn Kit,
        setup: &PlaySetup,
        feed: Option<Feed>,
        stop: &Stop,
    ) -> Result<Option<Refereed>, SetupError> {
        let thinks = |bot: &String| {
            let card = kit.card().bot(bot);
            self.timed || card.is_some_and(|card| card.thinks)
        };
        let measured = setup.bots.iter().map(thinks).collect();
        let started_us = now_us();
        let clock = Stopwatch::new(self.budget, measured, stop.flag());
        let named = |bot: &String| format!("builtin:{bot}");
        let seats: Vec<String> = setup.bots.iter().map(named).collect();
        let followed = feed.map(|feed| {
            let beginning = Beginning::new(started_us, seats.clone());
            Followed::new(&clock, feed, kit.card().wire, beginning)
        });
        let pace: &dyn Pace = match &followed {
            Some(followed) => followed,
            None => &clock,
        };
        let played = kit.play(setup, pace)?;
        if stop.is_set() {
            return Ok(None);
        }
        if let Some(followed) = followed {
            followed.finish(&played.transcript);
        }
        let times = clock.into_times();
        let late = played.late.iter();
        let blames: Vec<_> = late.map(|seat| out_of_time(*seat, "")).collect();
        let timed = (0u8..).map(Seat).zip(&times);
        let conduct = timed.map(|(seat, times)| {
            let refused = played.refused.get(seat).copied().unwrap_or_default();
            let missed = u32::from(played.late.contains(&seat));
            Conduct::of_times(Histogram::from_times(times), refused, missed)
        });
        let conduct: Vec<Conduct> = conduct.collect();
        let seated = (0u8..).map(Seat).zip(&conduct);
        let participation = seated.map(|(seat, conduct)| {
            let blame = blames.iter().find(|blame| blame.seat == seat);
            Some(conduct.participation(None, blame))
        });
        Ok(Some(Refereed {
            started_us,
            seats,
            participation: participation.collect(),
            blames,
            conduct,
            transcript: played.transcript,
            times: DecisionTimes::Measured(times),
            ..Refereed::ended(played.outcome)
        }))
    }
}

/// The name of the bot that plays on a seat.
pub(super) fn bot_of(spec: &super::SeatSpec) -> String {
    spec.builtin().unwrap_or(FILLER).to_owned()
}
