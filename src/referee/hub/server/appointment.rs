//! Matches that are planned for certain players: the hub waits for those that dial, and plays without who does
//! not come.

use super::matches::{Sat, Sitter, Sitting, Who};
use super::{Entrance, FULL, GUESSES_USED_UP, HubServer};
use crate::link::Peer;
use crate::referee::hub::guest::Guest;
use crate::referee::hub::guests::{Gathered, Guests, Wait};
use crate::referee::hub::lobby::Ticket;
use crate::referee::record::RecordError;
use crate::referee::refereed::Refereed;
use crate::referee::seat::seat_builtin::{BuiltinSeat, Builtins, OurBot};
use crate::referee::seat::seat_spec::{SeatSpec, SeatSpecError};
use crate::referee::spec::MatchSpec;
use crate::seldom;
use games::SetupError;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

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
        ticket: Ticket,
        mut guest: Guest,
    ) -> Entrance {
        let (peer, now) = (Peer::new(guest.peer.ip()), Instant::now());
        if self.guesses.has_used_up(&peer, now.into_std()) {
            return Entrance::Refused(GUESSES_USED_UP.to_owned());
        }
        let Some((entrant, token)) = guests.recognise(&guest.name, room) else {
            self.guesses.note(peer, now.into_std());
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
        let Some(waiting) = guests.join(entrant, ticket, guest) else {
            return Entrance::Refused(FULL.to_owned());
        };
        out.say_line(self.reception.wait(waiting));
        self.stirred.notify_waiters();
        Entrance::Queue(ticket, Some(token))
    }

    /// Waits for the players of a planned match, each for `within`: the time in which it neither waits nor plays; in one round
    /// of a tournament at most three times this in all. Then plays it. A player that does not come, leaves or is
    /// out of time loses by the rules; the match goes on. Dropping the future before it begins cancels it; one that has
    /// begun goes on to its end, or to that of the hub.
    ///
    /// # Errors
    /// [`AppointmentError`]: the match cannot be played or has no result.
    pub async fn hold(
        self: &Arc<Self>,
        mut spec: MatchSpec,
        builtins: &Builtins,
        within: Duration,
    ) -> Result<Refereed, AppointmentError> {
        let players = spec.seats.len();
        spec.names.resize(players, None);
        let entrants = self.wanted(&spec)?;
        let mut bots = self.bots(&mut spec, builtins).await?;
        let map = self.settings.map_of(spec.deck);
        let market = self.next_market.fetch_add(1, Ordering::Relaxed);
        let text = map.map(|(_, text)| text.as_str());
        let settings = &self.settings;
        let table = settings.table(text, &spec.options, players, market, spec.seed)?;
        let wanted: Vec<usize> = entrants.iter().copied().flatten().collect();
        let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await else {
            return Err(AppointmentError::GivenUp("the hub is closed".to_owned()));
        };
        let wait = Wait {
            since: Instant::now(),
            within,
            round: spec.slot.as_ref().map_or(0, |slot| slot.round),
        };
        let (mut came, playing) = self.gathered(&wanted, wait).await?;
        let mut sitters = Vec::with_capacity(players);
        let named = spec.seats.into_iter().zip(spec.names);
        for ((spec, name), entrant) in named.zip(entrants) {
            let who = match entrant {
                Some(_) => came.next().flatten().map_or(Who::Absent, Who::Guest),
                None => bots
                    .next()
                    .map_or(Who::Absent, |(bot, seed)| Who::Bot(bot, seed)),
            };
            let name = name.unwrap_or_default();
            sitters.push(Sitter { spec, name, who });
        }
        let sitting = Sitting {
            table,
            market,
            sitters,
            place: "appointment".to_owned(),
            slot: spec.slot,
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
    fn wanted(&self, spec: &MatchSpec) -> Result<Vec<Option<usize>>, AppointmentError> {
        let find = |(seat, name): (&SeatSpec, &Option<String>)| match seat {
            SeatSpec::Remote => {
                let name = name.as_deref().unwrap_or_default();
                let guests = self.guests.as_ref();
                let found = guests.and_then(|guests| guests.lock().named(name));
                let unknown = || SetupError(format!("{name:?} is not invited to this hub"));
                found.map(Some).ok_or_else(|| unknown().into())
            }
            _ => Ok(None),
        };
        spec.seats.iter().zip(&spec.names).map(find).collect()
    }

    /// The built-in bots and users' bots with their seeds, in order of seats; the seat of a user's then says which version it is.
    async fn bots(
        &self,
        spec: &mut MatchSpec,
        builtins: &Builtins,
    ) -> Result<impl Iterator<Item = (BuiltinSeat, u64)> + use<>, AppointmentError> {
        let kit = self.settings.kit;
        let mut bots = Vec::new();
        for (at, seat) in spec.seats.iter_mut().enumerate() {
            let seed = spec.seed.wrapping_add(at as u64);
            let learnt = spec.learnt.get(at);
            match &*seat {
                SeatSpec::Remote => {}
                SeatSpec::Builtin(name) => {
                    seat.check(kit)?;
                    let seating = builtins.seating(OurBot::Named(name), seed, learnt);
                    bots.push((BuiltinSeat::new(kit, seating)?, seed));
                }
                SeatSpec::Bot(name) => {
                    let launch = builtins.programs.bots.look(&name.to_string()).await;
                    let found = SeatSpec::found(name, launch.as_deref(), kit)?;
                    if let Some(launch) = &launch {
                        let seating = builtins.seating(OurBot::Program(launch), seed, learnt);
                        bots.push((BuiltinSeat::new(kit, seating)?, seed));
                    }
                    *seat = found;
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
                            Some(until) => tokio::time::sleep_until(until).await,
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

fn held(sat: Sat) -> Result<Refereed, AppointmentError> {
    let Some(outcome) = sat.played.outcome else {
        return Err(AppointmentError::GivenUp(sat.result.detail));
    };
    Ok(Refereed {
        match_id: Some(sat.match_id),
        started_us: sat.started_us,
        blames: sat.played.faults,
        conduct: sat.played.conduct,
        participation: sat.result.participation,
        ..Refereed::ended(outcome)
    })
}
