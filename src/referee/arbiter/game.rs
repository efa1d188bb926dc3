//! One game: seated players, the port to them, and how it ended.

use super::players::{Player, end, leave, program_of};
use super::port::Pipes;
use super::watch::Watch;
use crate::clock::Steady;
use crate::link::program::Machine;
use crate::referee::drive::{DriveError, drive};
use crate::referee::feed::{Charged, Feed};
use crate::referee::refereed::Refereed;
use crate::referee::seat::Left;
use games::match_::{Attendance, Conduct, Place, Rules};
use games::{Blame, Cause, Match, Outcome, Participation, Wire};
use tokio_util::sync::CancellationToken;

/// A game among players that are seated.
pub(super) struct Game<'w> {
    pub(super) match_: Match,
    pub(super) players: Vec<Player>,
    /// Whether the transcript is kept.
    pub(super) record: bool,
    /// What the machine is watched by.
    pub(super) machine: Option<Machine>,
    /// Where it is passed on, if somebody watches all of it.
    pub(super) feed: Option<Feed>,
    /// Who follows one seat.
    pub(super) watch: Option<Watch<'w>>,
}

impl Game<'_> {
    /// Plays it to its end, and ends its programs; `None` if it was stopped.
    pub(super) async fn play(self, stop: &CancellationToken) -> Option<Refereed> {
        let place = |player: &Player| {
            Place::new(match player {
                Player::Program(_) => Attendance::Outside,
                Player::Builtin(_) => Attendance::Inside,
            })
        };
        let fair = |player: &Player| matches!(player, Player::Program(pipes) if pipes.fair);
        let rules = Rules {
            records: self.record || self.watch.is_some(),
            rests: self.players.iter().any(fair),
            ..Rules::of_wire(Wire::Stdio)
        };
        let places = self.players.iter().map(place).collect();
        let mut match_ = self.match_.with_rules(rules).among(places);
        let clock = Steady::new();
        let seats = self.players.len();
        let feed = self
            .feed
            .map(|feed| Charged::new(feed, seats, clock.now_us()));
        let mut port = Pipes::new(self.players, self.record, feed, self.watch, stop.clone());
        let played = drive(&mut match_, &mut port, &clock).await;
        let (players, transcript) = port.into_parts();
        let scores = players.iter().map(|_| 0).collect();
        let (blames, conduct) = (match_.blames(), match_.conduct());
        let excuse = self.machine.and_then(|machine| {
            let mut vain = match_.vain().iter();
            vain.find_map(|(since_us, until_us)| {
                let (since, until) = (clock.instant(*since_us), clock.instant(*until_us));
                machine.between(since.into_std(), until.into_std()).excuse()
            })
        });
        // Programs take their time to end.
        let closing = move || Closed::close(players, blames, conduct);
        let mut closed = apart(closing).await;
        leave(&mut closed.players, &mut closed.left).await;
        let outcome = match played {
            Ok(outcome) => outcome,
            Err(DriveError::Stuck(_)) => Outcome {
                cause: Cause::Stalled,
                scores,
            },
            Err(_) => return None,
        };
        Some(Refereed {
            blames: closed.blames,
            conduct: closed.conduct,
            transcript,
            excuse,
            left: closed.left,
            participation: closed.participation,
            ..Refereed::ended(outcome)
        })
    }
}

/// What is known once all programs have ended.
struct Closed {
    players: Vec<Player>,
    blames: Vec<Blame>,
    conduct: Vec<Conduct>,
    left: Vec<Left>,
    participation: Vec<Option<Participation>>,
}

impl Closed {
    /// Ends all programs. Blocks.
    fn close(mut players: Vec<Player>, mut blames: Vec<Blame>, conduct: Vec<Conduct>) -> Self {
        let seats = players.iter_mut().zip(&conduct).enumerate();
        let participation = seats.map(|(seat, (player, conduct))| {
            let blame = blames.iter().find(|blame| blame.seat.index() == seat);
            Some(participation(player, conduct, blame))
        });
        let participation = participation.collect();
        for blame in &mut blames {
            let Some(pipes) = program_of(&mut players, blame.seat) else {
                continue;
            };
            pipes.settle();
            let more = match blame.cause {
                Cause::Crash => pipes.failure.as_deref(),
                // What a program is started from is its owner's: see `players::end`.
                Cause::InitFailure if !pipes.started => Some("it could not be started"),
                Cause::InitFailure => pipes.unended.as_deref().or(pipes.failure.as_deref()),
                Cause::TimeForfeit => pipes.unended.as_deref(),
                _ => None,
            };
            if let Some(more) = more {
                blame.detail.push_str(": ");
                blame.detail.push_str(more);
            }
        }
        let left = end(&mut players).into_iter().zip(&conduct);
        let left = left.map(|(left, conduct)| Left {
            late: conduct.late,
            ..left
        });
        let left = left.collect();
        Self {
            players,
            left,
            blames,
            conduct,
            participation,
        }
    }
}

/// How a player took part. What a program is started from is left out.
fn participation(player: &mut Player, conduct: &Conduct, blame: Option<&Blame>) -> Participation {
    let pipes = match player {
        Player::Program(pipes) => pipes,
        Player::Builtin(bot) => {
            let account = bot.account().map(|account| account.participation());
            return conduct.participation(account, blame);
        }
    };
    let mut took_part = conduct.participation(None, blame);
    if blame.is_some_and(|blame| blame.cause == Cause::Crash) && pipes.started {
        pipes.settle();
        if let Some(failure) = &pipes.failure {
            took_part.detail.push_str(": ");
            took_part.detail.push_str(failure);
        }
    }
    took_part
}

/// Works on a thread that may block.
pub(super) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(made) => made,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
