//! Matches that are planned for certain players: the hub waits for those that dial, and plays without who does
//! not come.

use super::connection::Guest;
use super::game::Conduct;
use super::guests::{Gathered, Guests, Wait};
use super::lobby::Ticket;
use super::matches::{Sat, Sitter, Sitting, Who};
use super::server::{Entrance, FULL, GUESSES_USED_UP, HubServer};
use crate::histogram::Histogram;
use crate::link::Peer;
use crate::referee::record::RecordError;
use crate::referee::seat::seat_builtin::{BuiltinSeat, Builtins, OurBot};
use crate::referee::seat::seat_spec::{SeatSpec, SeatSpecError};
use crate::seldom;
use crate::store::types::Slot;
use games::{Blame, Learnt, Outcome, Participation, SetupError};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A match that is planned.
#[derive(Clone, Debug)]
pub struct Appointment {
    /// The players, by seat.
    pub places: Vec<Place>,
    /// Seeds all randomness.
    pub seed: u64,
    /// The number of its deck: of a hub's maps, this one is played.
    pub deck: u64,
    /// Rule options that differ from the hub's own.
    pub options: Value,
    /// How bots of ours play.
    pub builtins: Builtins,
    /// What these have learnt of their rivals, by seat; may be shorter.
    pub learnt: Vec<Learnt>,
    /// How long each player that dials is waited for: the time in which it neither waits nor plays. In one round
    /// of a tournament, at most three times this in all.
    pub within: Duration,
    /// Its place in a tournament, filled as its end is stored.
    pub slot: Option<Slot>,
}

/// A seat of a planned match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// A bot of ours, or `remote`: the invited player of this `name`.
    pub spec: SeatSpec,
    /// The name of the player.
    pub name: String,
}

/// A planned match that was played.
#[derive(Clone, Debug)]
pub struct Held {
    /// The match's id in the store.
    pub match_id: String,
    /// In microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// How it ended.
    pub outcome: Outcome,
    /// The players that were out of it before its end, and why.
    pub blames: Vec<Blame>,
    /// How long the players' decisions took, by seat.
    pub took: Vec<Histogram>,
    /// How often they were out of time, by seat.
    pub missed: Vec<u32>,
    /// How many of their lines were refused, by seat.
    pub refused: Vec<u32>,
    /// How each seat took part.
    pub participation: Vec<Option<Participation>>,
}

/// Why a planned match has no result, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppointmentError {
    /// Unknown players, bots or options, or a wrong number of seats.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A seat that this hub cannot fill.
    #[error(transparent)]
    Seat(#[from] SeatSpecError),
    /// It could not be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// It was given up; why.
    #[error("{0}")]
    GivenUp(String),
}

impl HubServer {
    /// Lets an invited player in to wait for its next match, if it is one.
    pub(super) fn admit(
        &self,
        guests: &mut Guests<Guest>,
        room: Option<&str>,
        (ticket, mut guest): (Ticket, Guest),
    ) -> Entrance {
        let (peer, now) = (Peer::of(guest.peer.ip()), Instant::now());
        if self.guesses.has_used_up(&peer, now) {
            return Entrance::Refused(GUESSES_USED_UP.to_owned());
        }
        let Some((entrant, token)) = guests.recognise(&guest.name, room) else {
            self.guesses.note(peer, now);
            if seldom::is_due("hub", "token") {
                // What it said may be nearly a token.
                let peer = guest.peer;
                tracing::info!(%peer, "a player is refused: its name is unknown or its token wrong");
            }
            return Entrance::Refused(self.reception.no_room());
        };
        let token = token.to_owned();
        guest.name = guests.name(entrant).to_owned();
        let out = guest.out.clone();
        let Some(waiting) = guests.join(entrant, (ticket, guest)) else {
            return Entrance::Refused(FULL.to_owned());
        };
        out.say_line(self.reception.wait(waiting));
        self.stirred.notify_waiters();
        Entrance::Queue(ticket, Some(token))
    }

    /// Waits for the players of a planned match, and plays it. Who does not come, leaves or is out of time
    /// loses by the rules; the match goes on. Dropping the future before it begins cancels it; one that has
    /// begun goes on to its end, or to that of the hub.
    ///
    /// # Errors
    /// [`AppointmentError`]: the match cannot be played or has no result.
    pub async fn hold(
        self: &Arc<Self>,
        mut appointment: Appointment,
    ) -> Result<Held, AppointmentError> {
        let entrants = self.wanted(&appointment.places)?;
        let mut bots = self.bots(&mut appointment).await?;
        let players = appointment.places.len();
        let map = self.settings.map_of(appointment.deck);
        let market = self.next_market.fetch_add(1, Ordering::Relaxed);
        let text = map.map(|(_, text)| text.as_str());
        let numbers = (market, appointment.seed);
        let table = self
            .settings
            .table(text, &appointment.options, players, numbers)?;
        let wanted: Vec<usize> = entrants.iter().copied().flatten().collect();
        let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await else {
            return Err(AppointmentError::GivenUp("the hub is closed".to_owned()));
        };
        let wait = Wait {
            since: Instant::now(),
            within: appointment.within,
            round: appointment.slot.as_ref().map_or(0, |slot| slot.round),
        };
        let (mut came, playing) = self.gathered(&wanted, wait).await?;
        let mut sitters = Vec::with_capacity(players);
        for (place, entrant) in appointment.places.into_iter().zip(entrants) {
            let who = match entrant {
                Some(_) => came.next().flatten().map_or(Who::Absent, Who::Guest),
                None => bots
                    .next()
                    .map_or(Who::Absent, |(bot, seed)| Who::Bot(bot, seed)),
            };
            let Place { spec, name } = place;
            sitters.push(Sitter { spec, name, who });
        }
        let sitting = Sitting {
            table,
            market,
            sitters,
            place: "appointment".to_owned(),
            slot: appointment.slot,
            map: map.map(|(name, _)| name.clone()),
        };
        let hub = Arc::clone(self);
        let match_ = self.games.spawn(async move {
            let sat = hub.sit(sitting).await;
            drop((permit, playing));
            sat
        });
        let sat = match_.await;
        let sat = sat.map_err(|error| AppointmentError::GivenUp(error.to_string()))??;
        held(sat)
    }

    /// The invited player of each seat that is left for one.
    fn wanted(&self, places: &[Place]) -> Result<Vec<Option<usize>>, AppointmentError> {
        let find = |place: &Place| match &place.spec {
            SeatSpec::Remote => {
                let guests = self.guests.as_ref();
                let found = guests.and_then(|guests| guests.lock().named(&place.name));
                let unknown = || SetupError(format!("{:?} is not invited to this hub", place.name));
                found.map(Some).ok_or_else(|| unknown().into())
            }
            _ => Ok(None),
        };
        places.iter().map(find).collect()
    }

    /// The bots of ours with their seeds, in order of seats; the place of a user's then says which version it is.
    async fn bots(
        &self,
        appointment: &mut Appointment,
    ) -> Result<impl Iterator<Item = (BuiltinSeat, u64)> + use<>, AppointmentError> {
        let kit = self.settings.kit;
        let mut bots = Vec::new();
        let builtins = &appointment.builtins;
        for (seat, place) in appointment.places.iter_mut().enumerate() {
            let seed = appointment.seed.wrapping_add(seat as u64);
            let learnt = appointment.learnt.get(seat);
            match &place.spec {
                SeatSpec::Remote => {}
                SeatSpec::Builtin(name) => {
                    place.spec.check(kit)?;
                    let bot = (OurBot::Named(name), seed);
                    bots.push((BuiltinSeat::new(kit, bot, builtins, learnt)?, seed));
                }
                SeatSpec::Bot(name) => {
                    let launch = builtins.programs.bots.look(&name.to_string()).await;
                    let found = SeatSpec::found(name, launch.as_deref(), kit)?;
                    if let Some(launch) = &launch {
                        let bot = (OurBot::Program(launch), seed);
                        bots.push((BuiltinSeat::new(kit, bot, builtins, learnt)?, seed));
                    }
                    place.spec = found;
                }
                other => {
                    return Err(SeatSpecError::DialsHub(other.to_string(), kit.card().name).into());
                }
            }
        }
        Ok(bots.into_iter())
    }

    /// The wanted players that come in time, in this order. They are free for other matches once `Playing` is
    /// dropped.
    async fn gathered(
        self: &Arc<Self>,
        wanted: &[usize],
        wait: Wait,
    ) -> Result<(impl Iterator<Item = Option<Guest>> + use<>, Playing), AppointmentError> {
        let closed = || AppointmentError::GivenUp("the hub is closing".to_owned());
        loop {
            let stirred = self.stirred.notified();
            let gathered = match &self.guests {
                Some(guests) => guests.lock().gather(wanted, wait, Instant::now()),
                None => Gathered::All(Vec::new()),
            };
            match gathered {
                Gathered::All(guests) => {
                    let came = wanted
                        .iter()
                        .zip(&guests)
                        .filter(|(_, guest)| guest.is_some());
                    let entrants = came.map(|(entrant, _)| *entrant).collect();
                    let hub = Arc::clone(self);
                    return Ok((guests.into_iter(), Playing { hub, entrants }));
                }
                Gathered::Until(until) => {
                    let due = async {
                        match until {
                            Some(until) => tokio::time::sleep_until(until.into()).await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        () = self.leave.cancelled() => return Err(closed()),
                        () = stirred => {}
                        () = due => {}
                    }
                }
            }
        }
    }
}

/// Invited players at a table.
struct Playing {
    hub: Arc<HubServer>,
    entrants: Vec<usize>,
}

impl Drop for Playing {
    fn drop(&mut self) {
        if let Some(guests) = &self.hub.guests {
            let (mut guests, now) = (guests.lock(), Instant::now());
            for entrant in &self.entrants {
                guests.played(*entrant, now);
            }
        }
        self.hub.stirred.notify_waiters();
    }
}

fn held(sat: Sat) -> Result<Held, AppointmentError> {
    let Some(outcome) = sat.played.outcome else {
        return Err(AppointmentError::GivenUp(sat.result.detail));
    };
    let conduct: Vec<Conduct> = sat.played.conduct;
    Ok(Held {
        match_id: sat.match_id,
        started_us: sat.started_us,
        outcome,
        blames: sat.played.faults,
        participation: sat.result.participation,
        missed: conduct.iter().map(|one| one.missed).collect(),
        refused: conduct.iter().map(|one| one.refused).collect(),
        took: conduct.into_iter().map(|one| one.took).collect(),
    })
}
