//! The one driver of matches: what a match wants done goes to a wire's port, and what happens there to the match. Neither
//! this nor a port decides anything.

use crate::clock::Steady;
use games::match_::{Effect, Stuck};
use games::{Cause, Match, Outcome};
use tokio::time::Instant;

/// A wire, as a match needs it.
pub(super) trait Port {
    /// Carries out an effect.
    ///
    /// # Errors
    /// [`DriveError`] ends the match.
    async fn carry_out(
        &mut self,
        effect: Effect,
        match_: &mut Match,
        clock: &Steady,
    ) -> Result<(), DriveError>;

    /// There is nothing more to carry out at present.
    fn pause(&mut self) {}

    /// Waits for what happens next, at most until `until`, and passes it to the match.
    ///
    /// # Errors
    /// [`DriveError`] ends the match.
    async fn next(
        &mut self,
        until: Option<Instant>,
        match_: &mut Match,
        clock: &Steady,
    ) -> Result<(), DriveError>;
}

/// Why a match did not reach its end, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum DriveError {
    #[error(transparent)]
    Stuck(#[from] Stuck),
    #[error("the referee was stopped")]
    Stopped,
    #[error("the match cannot be recorded")]
    Unrecorded,
    #[error("the rules broke down in this match")]
    Broken,
}

impl DriveError {
    /// Its entry in the closed list of causes.
    pub(super) fn cause(&self) -> Cause {
        match self {
            Self::Stuck(Stuck::Stalled | Stuck::Endless(_)) => Cause::Stalled,
            Self::Stuck(Stuck::NoSeat(_)) | Self::Stopped | Self::Unrecorded | Self::Broken => {
                Cause::Cancelled
            }
        }
    }
}

/// Waits until this moment; without one, for ever.
pub(super) async fn wait_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

/// Plays a match to its end, or until its port ends it.
pub(super) async fn drive(
    match_: &mut Match,
    port: &mut impl Port,
    clock: &Steady,
) -> Result<Outcome, DriveError> {
    match_.start(clock.now_us());
    let played = play(match_, port, clock).await;
    match_.finish();
    while let Some(effect) = match_.next(clock.now_us()) {
        if matches!(effect, Effect::Record(_)) {
            port.carry_out(effect, match_, clock).await?;
        }
    }
    played
}

async fn play(
    match_: &mut Match,
    port: &mut impl Port,
    clock: &Steady,
) -> Result<Outcome, DriveError> {
    loop {
        while let Some(effect) = match_.next(clock.now_us()) {
            port.carry_out(effect, match_, clock).await?;
        }
        port.pause();
        if let Some(over) = match_.over() {
            return Ok(over?);
        }
        let until = match_.wakes_us().map(|at_us| clock.instant(at_us));
        port.next(until, match_, clock).await?;
    }
}
