//! One match of any game, over any wire: a spec and ports in, how it ended out.

use super::arbiter::{self, Pipes, PlayError};
use super::feed::Beginning;
use super::host::{self, Host, MatchRequest, StartError};
use super::hub::{AppointmentError, HubServer};
use super::in_process::{InProcess, bot_of};
use super::refereed::Refereed;
use super::seat_builtin::Builtins;
use super::spec::MatchSpec;
use super::stop::Stop;
use crate::clock::now_us;
use games::{PlaySetup, SetupError};
use std::sync::Arc;
use std::time::Duration;

/// For bots that do not search, the decisions over every sixteenth deck are timed.
const TIMED_EVERY: u64 = 16;

/// What leads to the players of a match.
#[derive(Clone)]
pub enum Ports {
    /// Players are called over HTTP. The host must have room for all matches at once; it stores interrupted ones, and is
    /// stopped by its owner.
    Callbacks(Arc<Host>),
    /// Players dial our hub, which records the matches. It has invited those that are `remote`, by their names; its owner
    /// stops it.
    Hub(HubPorts),
    /// Programs on pipes and built-in bots.
    Pipes(Pipes),
    /// Built-in bots alone, in this process.
    Process(InProcess),
}

/// Players that dial our hub, and built-in bots.
#[derive(Clone)]
pub struct HubPorts {
    /// The hub that they dial.
    pub hub: Arc<HubServer>,
    /// How built-in bots play.
    pub builtins: Builtins,
    /// How long a player is waited for that neither waits nor plays. One that did not come within this time is
    /// not waited for again until it has dialled, and nobody in one round for more than three times this in all.
    pub within: Duration,
}

/// Why a match failed, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// Unknown bots or options, or a wrong number of seats.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A hosted match did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A match on a hub has no result.
    #[error("match {0}: {1}")]
    Appointment(u64, AppointmentError),
    /// A program that cannot be started.
    #[error("{0}")]
    Program(String),
    /// A match that is not stored, though it was to be.
    #[error("{0}")]
    Unrecorded(String),
    /// A match has no result.
    #[error("match {match_number} has no result: {why}")]
    NoResult {
        /// Its number on the wire.
        match_number: u64,
        /// Why it ended.
        why: String,
    },
}

impl From<PlayError> for MatchError {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::Setup(error) => error.into(),
            PlayError::Seat(error) => Self::Program(error.to_string()),
            error @ (PlayError::Program(_) | PlayError::Thread(_)) => {
                Self::Program(error.to_string())
            }
        }
    }
}

/// Plays a match to its end; `None` if `stop` cut it short. In process, it takes its thread and waits for nothing.
///
/// # Errors
/// Why the match cannot be played or has no result.
pub async fn play(
    spec: MatchSpec,
    ports: &Ports,
    stop: &Stop,
) -> Result<Option<Refereed>, MatchError> {
    match ports {
        Ports::Process(players) => Ok(in_process(spec, *players, stop)?),
        Ports::Pipes(players) => on_pipes(spec, players.clone(), stop).await,
        Ports::Callbacks(host) => tokio::select! {
            played = called(spec, host) => played.map(Some),
            () = stop.cancelled() => Ok(None),
        },
        Ports::Hub(players) => tokio::select! {
            played = dialled(spec, players) => played.map(Some),
            () = stop.cancelled() => Ok(None),
        },
    }
}

fn in_process(
    spec: MatchSpec,
    players: InProcess,
    stop: &Stop,
) -> Result<Option<Refereed>, SetupError> {
    let setup = PlaySetup {
        bots: spec.seats.iter().map(bot_of).collect(),
        seed: spec.seed,
        options: spec.options,
        models: players.models,
        learnt: spec.learnt,
        record: spec.record,
    };
    let timed = players.timed || spec.deck.is_multiple_of(TIMED_EVERY);
    InProcess { timed, ..players }.play(spec.kit, &setup, spec.feed, stop)
}

async fn on_pipes(
    spec: MatchSpec,
    players: Pipes,
    stop: &Stop,
) -> Result<Option<Refereed>, MatchError> {
    let started_us = now_us();
    let seats = spec.seats.iter().map(ToString::to_string).collect();
    let beginning = Beginning::new(started_us, seats);
    if let Some(feed) = &spec.feed {
        feed.begin(beginning.clone());
    }
    let played = arbiter::play(spec, players, stop.token()).await?;
    Ok(played.map(|played| Refereed {
        match_id: Some(beginning.match_id),
        started_us,
        seats: beginning.seats,
        ..played
    }))
}

async fn called(spec: MatchSpec, host: &Arc<Host>) -> Result<Refereed, MatchError> {
    let request = MatchRequest {
        seats: spec.seats,
        names: spec.names,
        tries: spec.tries,
        learnt: spec.learnt,
        seed: Some(spec.seed),
        numbers: Some(spec.numbers),
        options: spec.options,
        pause: Duration::ZERO,
        reach: None,
        feed: spec.feed,
    };
    let hosted = host.start(request).await?.begin().wait().await;
    let Some((end, outcome)) = hosted.end.get().zip(hosted.outcome()) else {
        let end = hosted.end.get();
        return Err(MatchError::NoResult {
            match_number: hosted.info.market,
            why: end.map_or("it was cut", |end| &end.detail).to_owned(),
        });
    };
    if let Some(why) = &end.unrecorded {
        return Err(MatchError::Unrecorded(why.clone()));
    }
    let transcript = match spec.record {
        true => host::transcript(&hosted),
        false => Vec::new(),
    };
    Ok(Refereed {
        match_id: Some(hosted.info.match_id.clone()),
        started_us: hosted.info.started_us,
        seats: hosted.info.seats.clone(),
        conduct: end.conduct.clone(),
        participation: end.participation.clone(),
        left: end.left.clone(),
        transcript,
        numbers: Some(host::Numbers {
            market: hosted.info.market,
            ids: hosted.info.ids.clone(),
        }),
        ..Refereed::ended(outcome)
    })
}

async fn dialled(spec: MatchSpec, players: &HubPorts) -> Result<Refereed, MatchError> {
    let seats = spec.seats.iter().map(ToString::to_string).collect();
    let number = spec.number;
    let held = players
        .hub
        .hold(spec, &players.builtins, players.within)
        .await;
    let held = held.map_err(|error| MatchError::Appointment(number, error))?;
    Ok(Refereed { seats, ..held })
}
