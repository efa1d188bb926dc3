//! How the players of a match took part in it: whether a result is their own.

use crate::card::BotCard;
use crate::game::{Cause, Seat};
use crate::kit::Kit;
use crate::wire::Blame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Decisions that a program may leave to its fallback in any match.
const LEFT_MAX: u64 = 2;
/// Of more than these, it may leave one in this number.
const LEFT_ONE_IN: u64 = 20;

/// How a seat took part in its match.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    ToSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// It played to the end of its part.
    Played,
    /// Its program did not start or died, or its URL was not reached.
    Crashed,
    /// It gave no answers.
    Silent,
    /// Its answers were not legal or not readable.
    Refused,
    /// Its connection was lost, or the referee removed it.
    Dropped,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Played,
        Self::Crashed,
        Self::Silent,
        Self::Refused,
        Self::Dropped,
    ];

    /// The word stored and shown, such as `crashed`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Crashed => "crashed",
            Self::Silent => "silent",
            Self::Refused => "refused",
            Self::Dropped => "dropped",
        }
    }

    /// The one with this [`word`](Self::word).
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.word() == word)
    }

    /// How a player with this fault took part.
    #[must_use]
    pub const fn of_fault(cause: Cause) -> Self {
        match cause {
            Cause::Crash | Cause::InitFailure => Self::Crashed,
            Cause::TimeForfeit | Cause::Stalled => Self::Silent,
            Cause::IllegalMove | Cause::ProtocolError => Self::Refused,
            Cause::Disconnect | Cause::Adjudication | Cause::Cancelled => Self::Dropped,
            Cause::Normal | Cause::NotPlayed | Cause::Unterminated => Self::Played,
        }
    }
}

/// How a seat took part in its match, since when, and how many of its decisions were its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participation {
    /// How.
    pub how: Part,
    /// The first decision that it did not take so, counted from 1; `null` if it played.
    pub turn: Option<u32>,
    /// What happened, in a sentence, or empty.
    pub detail: String,
    /// Decisions that its program was asked for; `null` where nothing decides in its place.
    pub decisions: Option<u32>,
    /// Those of them that its fallback took, or without one the game's default answer.
    pub fallback: Option<u32>,
}

impl Participation {
    /// It played; nothing decides in its place.
    #[must_use]
    pub const fn played() -> Self {
        Self {
            how: Part::Played,
            turn: None,
            detail: String::new(),
            decisions: None,
            fallback: None,
        }
    }

    /// What happened and when, such as `crashed at turn 12`.
    #[must_use]
    pub fn words(&self) -> String {
        let how = self.how.word();
        match (self.how, self.turn) {
            (Part::Played, _) | (_, None) => how.to_owned(),
            (Part::Crashed | Part::Dropped, Some(turn)) => format!("{how} at turn {turn}"),
            (Part::Silent | Part::Refused, Some(turn)) => format!("{how} from turn {turn}"),
        }
    }
}

/// Whether a match of `decisions` decisions, `fallback` of them not its own, is a player's own result: it may leave two to
/// its fallback, or 5 % if these are more.
#[must_use]
pub const fn is_earned(decisions: u64, fallback: u64) -> bool {
    fallback <= LEFT_MAX || fallback * LEFT_ONE_IN <= decisions
}

/// The seats of the players whose result is not their own, each with the fault [`Cause::NotPlayed`]. `owners` says by seat
/// whose it is: a player of several seats has the decisions of all of them.
#[must_use]
fn not_played(owners: &[usize], seats: &[Option<Participation>]) -> Vec<Blame> {
    let counted = || owners.iter().zip(seats);
    let sums = |owner: usize| {
        let own = counted().filter(|(other, _)| **other == owner);
        own.filter_map(|(_, seat)| {
            let seat = seat.as_ref()?;
            Some((u64::from(seat.decisions?), u64::from(seat.fallback?)))
        })
        .fold((0, 0), |sums, (decisions, fallback)| {
            (sums.0 + decisions, sums.1 + fallback)
        })
    };
    let blame = |(place, (owner, seat)): (u8, (&usize, &Option<Participation>))| {
        let (decisions, fallback) = sums(*owner);
        let words = seat.as_ref().map(|seat| match seat.detail.as_str() {
            "" => seat.words(),
            detail => format!("{}: {detail}", seat.words()),
        });
        (!is_earned(decisions, fallback)).then(|| Blame {
            seat: Seat(place),
            cause: Cause::NotPlayed,
            detail: format!(
                "its fallback took {fallback} of its {decisions} decisions ({})",
                words.unwrap_or_default()
            ),
        })
    };
    (0u8..).zip(counted()).filter_map(blame).collect()
}

/// Adds the faults of those whose result is not their own to a match that ended by this cause with these faults. One that was
/// played to its end ended by them; in one that somebody's fault ended, who has a fault keeps it.
pub fn judge(
    cause: &mut Cause,
    blames: &mut Vec<Blame>,
    owners: &[usize],
    seats: &[Option<Participation>],
) {
    let mut judged = not_played(owners, seats);
    if *cause != Cause::Normal {
        judged.retain(|new| blames.iter().all(|blame| blame.seat != new.seat));
    } else if !judged.is_empty() {
        *cause = Cause::NotPlayed;
    }
    blames.retain(|blame| judged.iter().all(|new| new.seat != blame.seat));
    blames.splice(..0, judged);
}

impl dyn Kit + '_ {
    /// The game's plainest legal player: the lowest rung of its ladder.
    #[must_use]
    pub fn plainest(&self) -> Option<&'static BotCard> {
        self.card().bots.iter().min_by_key(|card| card.rung)
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Participation, is_earned, judge, not_played};
    use crate::game::{Cause, Seat};
    use crate::wire::Blame;

    fn left(decisions: u32, fallback: u32) -> Option<Participation> {
        Some(Participation {
            how: Part::Silent,
            turn: Some(3),
            detail: "it said nothing".to_owned(),
            decisions: Some(decisions),
            fallback: Some(fallback),
        })
    }

    #[test]
    fn two_decisions_or_one_in_twenty_may_be_left_to_a_fallback() {
        for (decisions, fallback, earned) in [
            (0, 0, true),
            (2, 2, true),
            (24, 2, true),
            (24, 3, false),
            (60, 3, true),
            (60, 4, false),
            (1_000, 50, true),
            (1_000, 51, false),
        ] {
            assert_eq!(
                is_earned(decisions, fallback),
                earned,
                "{fallback} of {decisions}"
            );
        }
    }

    #[test]
    fn a_fault_that_ended_the_match_stands() {
        let late = || Blame {
            seat: Seat(0),
            cause: Cause::TimeForfeit,
            detail: String::new(),
        };
        for (cause, expected) in [
            (
                Cause::Normal,
                [(0, Cause::NotPlayed), (1, Cause::NotPlayed)],
            ),
            (
                Cause::TimeForfeit,
                [(1, Cause::NotPlayed), (0, Cause::TimeForfeit)],
            ),
        ] {
            let (mut ended, mut blames) = (cause, vec![late()]);
            let seats = [left(9, 9), left(9, 9), left(9, 0)];
            judge(&mut ended, &mut blames, &[0, 1, 2], &seats);
            let blamed = blames.iter().map(|blame| (blame.seat.0, blame.cause));
            assert_eq!(blamed.collect::<Vec<_>>(), expected);
            assert_eq!(ended == Cause::NotPlayed, cause == Cause::Normal);
        }
    }

    #[test]
    fn a_player_of_several_seats_answers_for_all_of_them() {
        // Two seats each; the second player's are only together too much.
        let seats = [left(20, 1), left(20, 2), left(20, 0), left(20, 1)];
        let blames = not_played(&[0, 1, 0, 1], &seats);
        let blamed: Vec<_> = blames
            .iter()
            .map(|blame| (blame.seat, blame.cause))
            .collect();
        let not = Cause::NotPlayed;
        assert_eq!(blamed, [(Seat(1), not), (Seat(3), not)]);
        assert_eq!(
            blames[0].detail,
            "its fallback took 3 of its 40 decisions (silent from turn 3: it said nothing)"
        );
        assert!(not_played(&[0, 1, 2, 3], &seats).is_empty());
        assert!(not_played(&[0, 1], &[None, Some(Participation::played())]).is_empty());
    }
}
