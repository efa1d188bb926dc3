//! One match of any game, over any wire: a spec and ports in, how it ended out.

use super::arbiter::{self, ArbiterMatch, PlayError, ProgramRules};
use super::budget::ThinkBudget;
use super::host::{self, Host, MatchRequest, StartError};
use super::hub::{Appointment, AppointmentError, HubServer, Place};
use super::in_process::{InProcess, bot_of};
use super::refereed::Refereed;
use super::seat_builtin::Builtins;
use super::seat_spec::SeatSpec;
use super::stop::Stop;
use crate::clock::now_us;
use crate::store::types::Slot;
use games::{Kit, Learnt, PlaySetup, SetupError};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// For bots that do not search, the decisions over every sixteenth deck are timed.
const TIMED_EVERY: u64 = 16;

/// A match to play; lists are by seat, and may be shorter but for the seats.
#[derive(Clone)]
pub struct MatchSpec {
    /// The game.
    pub kit: &'static dyn Kit,
    /// The players.
    pub seats: Vec<SeatSpec>,
    /// Their names.
    pub names: Vec<Option<String>>,
    /// What built-in bots have learnt of their rivals.
    pub learnt: Vec<Learnt>,
    /// After how many failures a player that is called is a filler; `None`: after as many as the rules say.
    pub tries: Vec<Option<u16>>,
    /// Its number among many, from 0.
    pub number: u64,
    /// The number of its deck.
    pub deck: u64,
    /// Seeds all randomness.
    pub seed: u64,
    /// Seeds the numbers on the wire.
    pub numbers: u64,
    /// Rule options.
    pub options: Value,
    /// Whether its transcript is recorded.
    pub record: bool,
    /// Its place in a tournament.
    pub slot: Option<Slot>,
}

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

/// Programs and built-in bots, as the arbiter has them.
#[derive(Clone, Debug)]
pub struct Pipes {
    /// The budget of each decision of a built-in bot.
    pub budget: ThinkBudget,
    /// Whether built-in bots may use opponent models.
    pub models: bool,
    /// How programs are run.
    pub rules: ProgramRules,
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
            PlayError::Program(error) => Self::Program(error.to_string()),
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
    InProcess { timed, ..players }.play(spec.kit, &setup, stop)
}

async fn on_pipes(
    spec: MatchSpec,
    players: Pipes,
    stop: &Stop,
) -> Result<Option<Refereed>, MatchError> {
    let started_us = now_us();
    let seats = spec.seats.iter().map(ToString::to_string).collect();
    let plan = ArbiterMatch {
        kit: spec.kit,
        seats: spec.seats,
        seed: spec.seed,
        options: spec.options,
        budget: players.budget,
        models: players.models,
        record: spec.record,
        rules: players.rules,
    };
    let played = arbiter::play(plan, stop.token()).await?;
    Ok(played.map(|played| Refereed {
        match_id: Some(ulid::Ulid::generate().to_string()),
        started_us,
        seats,
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
    let mut names = spec.names.into_iter();
    let place = |spec| Place {
        spec,
        name: names.next().flatten().unwrap_or_default(),
    };
    let appointment = Appointment {
        places: spec.seats.into_iter().map(place).collect(),
        seed: spec.seed,
        deck: spec.deck,
        options: spec.options,
        builtins: players.builtins.clone(),
        learnt: spec.learnt,
        within: players.within,
        slot: spec.slot,
    };
    let held = players.hub.hold(appointment).await;
    let held = held.map_err(|error| MatchError::Appointment(spec.number, error))?;
    Ok(Refereed { seats, ..held })
}
