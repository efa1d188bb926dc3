//! The entrants of a hub that is not open to all: who may come in, who waits, who plays and who is missing.
//! Without clock and sockets.

use super::lobby::Ticket;
use super::token::TokenDigest;
use std::time::Duration;
use tokio::time::Instant;

/// The longest name of an entrant, in characters: as much as is kept of it when it joins.
const NAME_MAX: usize = 64;
/// Connections of one entrant that may wait at once.
const WAITING_MAX: usize = 64;
/// How often one entrant may use up the time that it is waited for, in one round.
const WAITS_MAX: u32 = 3;

/// An entrant that may come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invited {
    /// The name by which it joins: one word.
    pub name: String,
    /// What it shows.
    pub token: TokenDigest,
}

/// Why entrants cannot be distinguished, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvitedError {
    /// It cannot be said when joining.
    #[error(
        "entrant {0:?}: one that dials has a name of 1 to {NAME_MAX} characters without blanks, since it says \
         it as one word"
    )]
    Name(String),
    /// Two of one name.
    #[error("entrant {0:?} is given twice")]
    Twice(String),
    /// Two of one token.
    #[error("entrants {0:?} and {1:?} have the same token")]
    SameToken(String, String),
}

/// All entrants; `G` is a waiting connection.
pub(super) struct Guests<G> {
    entrants: Vec<Entrant<G>>,
    closed: bool,
}

struct Entrant<G> {
    invited: Invited,
    waiting: Vec<(Ticket, G)>,
    /// Its matches now.
    playing: usize,
    /// When the last of them ended.
    free_since: Option<Instant>,
    /// Whether it did not come when it was last waited for, nor since.
    missed: bool,
    /// The round in which it was last wanted.
    round: u32,
    /// How long it was waited for in that round.
    waited: Duration,
    /// Since when it is waited for now; `waited` does not have that yet.
    waited_since: Option<Instant>,
}

/// How the players of a match are waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// Since when they are wanted.
    pub(super) since: Instant,
    /// How long each is waited for.
    pub(super) within: Duration,
    /// The tournament's round. Matches of a round are over when those of the next one are planned.
    pub(super) round: u32,
}

impl<G> Entrant<G> {
    /// Notes whether it is waited for from now on; how much longer it may be in this round.
    fn wait(&mut self, waits: bool, wait: &Wait, now: Instant) -> Duration {
        if self.round != wait.round {
            (self.round, self.waited, self.waited_since) = (wait.round, Duration::ZERO, None);
        }
        if let Some(since) = self.waited_since.take() {
            self.waited += now.saturating_duration_since(since);
        }
        self.waited_since = waits.then_some(now);
        let most = wait.within.saturating_mul(WAITS_MAX);
        most.saturating_sub(self.waited)
    }
}

/// The players of a match, as far as they are there.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Gathered<G> {
    /// They sit down; `None`: that one did not come.
    All(Vec<Option<G>>),
    /// Somebody is waited for, until then at most; `None`: until somebody's match has ended.
    Until(Option<Instant>),
}

impl<G> Guests<G> {
    /// # Errors
    /// [`InvitedError`] naming those that cannot be distinguished.
    pub(super) fn new(invited: Vec<Invited>) -> Result<Self, InvitedError> {
        let mut entrants: Vec<Entrant<G>> = Vec::with_capacity(invited.len());
        for invited in invited {
            let name = invited.name.clone();
            let odd = |letter: char| letter.is_whitespace() || letter.is_control();
            if !(1..=NAME_MAX).contains(&name.chars().count()) || name.contains(odd) {
                return Err(InvitedError::Name(name));
            }
            for Entrant { invited: other, .. } in &entrants {
                if other.name == name {
                    return Err(InvitedError::Twice(name));
                }
                if other.token == invited.token {
                    return Err(InvitedError::SameToken(other.name.clone(), name));
                }
            }
            entrants.push(Entrant {
                invited,
                waiting: Vec::new(),
                playing: 0,
                free_since: None,
                missed: false,
                round: 0,
                waited: Duration::ZERO,
                waited_since: None,
            });
        }
        Ok(Self {
            entrants,
            closed: false,
        })
    }

    /// The entrant of this name.
    pub(super) fn named(&self, name: &str) -> Option<usize> {
        self.entrants
            .iter()
            .position(|one| one.invited.name == name)
    }

    /// The entrant that joins with these words, and the token that it shows: as the hub's name (`NAME TOKEN`),
    /// or, for players whose hub is fixed, behind its own (`NAME:TOKEN`).
    pub(super) fn recognise<'a>(
        &self,
        name: &'a str,
        room: Option<&'a str>,
    ) -> Option<(usize, &'a str)> {
        let forms = [room.map(|room| (name, room)), name.rsplit_once(':')];
        forms.into_iter().flatten().find_map(|(name, token)| {
            let shown = TokenDigest::new(token);
            let named = self.named(name)?;
            let one = self.entrants.get(named)?;
            (one.invited.token == shown).then_some((named, token))
        })
    }

    /// The entrant's name.
    pub(super) fn name(&self, entrant: usize) -> &str {
        self.entrants
            .get(entrant)
            .map_or("", |one| &one.invited.name)
    }

    /// A connection of this entrant waits from now on; how many of its own do. `None`: too many, or the hub is
    /// closing.
    pub(super) fn join(&mut self, entrant: usize, ticket: Ticket, guest: G) -> Option<usize> {
        let one = self.entrants.get_mut(entrant)?;
        if self.closed || one.waiting.len() >= WAITING_MAX {
            return None;
        }
        one.waiting.push((ticket, guest));
        one.missed = false;
        Some(one.waiting.len())
    }

    /// A waiting connection has ended.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        for one in &mut self.entrants {
            one.waiting.retain(|(waiting, _)| *waiting != ticket);
        }
    }

    /// Dismisses all that wait, and lets nobody in any more.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.entrants.iter_mut().for_each(|one| one.waiting.clear());
    }

    /// How many connections wait.
    pub(super) fn waiting(&self) -> usize {
        self.entrants.iter().map(|one| one.waiting.len()).sum()
    }

    /// The players of a match. Each is waited for `within` the time in which it neither waits nor plays; if it did
    /// not come for another match before, not at all; in a round no longer than three times that, however often it
    /// comes and goes. Of several connections the newest plays: an older one may be dead.
    pub(super) fn gather(&mut self, wanted: &[usize], wait: Wait, now: Instant) -> Gathered<G> {
        let (mut complete, mut until) = (true, None);
        for at in wanted {
            let Some(one) = self.entrants.get_mut(*at) else {
                continue;
            };
            let wanted = wanted.iter().filter(|other| *other == at).count();
            let is_there = one.waiting.len() >= wanted || one.missed;
            let left = one.wait(!is_there && one.playing == 0, &wait, now);
            if is_there {
                continue;
            }
            let free_since = one
                .free_since
                .map_or(wait.since, |free| free.max(wait.since));
            let dues = [free_since.checked_add(wait.within), now.checked_add(left)];
            let due = dues.into_iter().flatten().min();
            if one.playing > 0 || due.is_none_or(|due| due > now) {
                complete = false;
                let due = due.filter(|_| one.playing == 0);
                until = until.into_iter().chain(due).min();
            }
        }
        if !complete {
            return Gathered::Until(until);
        }
        let take = |at: &usize| {
            let one = self.entrants.get_mut(*at)?;
            let guest = one.waiting.pop().map(|(_, guest)| guest);
            one.missed = guest.is_none();
            one.waited_since = None;
            one.playing += usize::from(guest.is_some());
            guest
        };
        Gathered::All(wanted.iter().map(take).collect())
    }

    /// A match of this entrant has ended.
    pub(super) fn played(&mut self, entrant: usize, now: Instant) {
        if let Some(one) = self.entrants.get_mut(entrant) {
            one.playing = one.playing.saturating_sub(1);
            one.free_since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Gathered, Guests, Invited, InvitedError, WAITING_MAX, WAITS_MAX, Wait};
    use std::time::Duration;
    use tokio::time::Instant;

    const WITHIN: Duration = Duration::from_secs(60);

    fn invited(names: &[(&str, &str)]) -> Result<Guests<u32>, InvitedError> {
        let one = |(name, token): &(&str, &str)| Invited {
            name: (*name).to_owned(),
            token: token.parse().unwrap(),
        };
        Guests::new(names.iter().map(one).collect())
    }

    fn guests() -> Guests<u32> {
        invited(&[("ann", "anns-token"), ("bob", "bobs-token")]).unwrap()
    }

    const fn wait(since: Instant, round: u32) -> Wait {
        Wait {
            since,
            within: WITHIN,
            round,
        }
    }

    fn all<const N: usize>(guests: [Option<u32>; N]) -> Gathered<u32> {
        Gathered::All(guests.to_vec())
    }

    #[test]
    fn equal_names_and_tokens_and_names_that_cannot_be_said_are_refused() {
        let error = |names: &[(&str, &str)]| invited(names).err().unwrap().to_string();
        let twice = error(&[("ann", "anns-token"), ("ann", "bobs-token")]);
        assert_eq!(twice, "entrant \"ann\" is given twice");
        let shared = error(&[("ann", "our-token"), ("bob", "OUR-token")]);
        assert_eq!(shared, "entrants \"ann\" and \"bob\" have the same token");
        for name in ["", "my bot", "a\u{7}", &"x".repeat(65)] {
            assert!(error(&[(name, "anns-token")]).contains("as one word"));
        }
    }

    #[test]
    fn entrants_are_recognised_by_name_and_token_in_both_forms() {
        let guests = guests();
        let check = |name, room, expected: Option<usize>| {
            let found = guests.recognise(name, room).map(|(entrant, _)| entrant);
            assert_eq!(found, expected, "{name} {room:?}");
        };
        check("ann", Some("anns-token"), Some(0));
        check("bob:BOBS-token", None, Some(1));
        check("bob:bobs-token", Some("duet"), Some(1));
        for (name, room) in [
            ("ann", None),
            ("ann", Some("bobs-token")),
            ("eve", Some("anns-token")),
            ("ann:bobs-token", Some("duet")),
            ("", Some("anns-token")),
            ("anns-token", None),
        ] {
            check(name, room, None);
        }
    }

    #[test]
    fn the_missing_are_waited_for_once_and_again_after_they_have_come() {
        let (mut guests, begun) = (guests(), Instant::now());
        let due = begun + WITHIN;
        let gather = |guests: &mut Guests<u32>, now| guests.gather(&[0, 1], wait(begun, 0), now);
        assert_eq!(gather(&mut guests, begun), Gathered::Until(Some(due)));
        assert_eq!(guests.join(0, 1, 11), Some(1));
        assert_eq!(gather(&mut guests, begun), Gathered::Until(Some(due)));
        assert_eq!(guests.waiting(), 1, "nobody sits down before all are there");
        assert_eq!(gather(&mut guests, due), all([Some(11), None]));
        guests.played(0, due);
        // Bob is not waited for any more, Ann is: from the end of her match.
        assert_eq!(
            gather(&mut guests, due),
            Gathered::Until(Some(due + WITHIN))
        );
        guests.join(0, 2, 12);
        assert_eq!(gather(&mut guests, due), all([Some(12), None]));
        guests.played(0, due);
        guests.join(1, 3, 21);
        guests.leave(3);
        guests.join(0, 4, 13);
        let again = due + WITHIN;
        let waits = guests.gather(&[0, 1], wait(due, 0), due);
        assert_eq!(waits, Gathered::Until(Some(again)), "bob has been here");
        assert_eq!(
            guests.gather(&[0, 1], wait(due, 0), again),
            all([Some(13), None])
        );
    }

    /// Bob comes after each match that is played without bob and leaves before the next one.
    #[test]
    fn who_comes_and_goes_delays_a_round_by_three_waits_and_the_next_one_again() {
        let (mut guests, mut now, mut ticket) = (guests(), Instant::now(), 0);
        for round in 0..2 {
            let begun = now;
            for _ in 0..10 {
                ticket += 2;
                guests.join(0, ticket, 11);
                guests.join(1, ticket + 1, 21);
                guests.leave(ticket + 1);
                let since = now;
                loop {
                    match guests.gather(&[0, 1], wait(since, round), now) {
                        Gathered::Until(until) => now = until.unwrap(),
                        played => {
                            assert_eq!(played, all([Some(11), None]));
                            break;
                        }
                    }
                }
                guests.played(0, now);
            }
            assert_eq!(now - begun, WITHIN * WAITS_MAX, "round {round}");
        }
        // What bob is waited for by turns counts too: bob comes in the last moment, plays and leaves.
        let begun = now;
        for _ in 0..10 {
            ticket += 2;
            guests.join(0, ticket, 11);
            let since = now;
            if let Gathered::Until(Some(until)) = guests.gather(&[0, 1], wait(since, 2), now) {
                now = until - WITHIN / 10;
                guests.join(1, ticket + 1, 21);
                let played = guests.gather(&[0, 1], wait(since, 2), now);
                assert_eq!(played, all([Some(11), Some(21)]));
                guests.played(1, now);
            }
            guests.played(0, now);
        }
        assert!(now - begun <= WITHIN * WAITS_MAX, "{:?}", now - begun);
    }

    #[test]
    fn who_plays_elsewhere_is_not_missing_and_its_newest_connection_plays() {
        let (mut guests, begun) = (guests(), Instant::now());
        guests.join(0, 1, 11);
        guests.join(0, 2, 12);
        assert_eq!(guests.gather(&[0], wait(begun, 0), begun), all([Some(12)]));
        assert_eq!(guests.gather(&[0], wait(begun, 0), begun), all([Some(11)]));
        let late = begun + 10 * WITHIN;
        let waits = guests.gather(&[0], wait(begun, 0), late);
        assert_eq!(waits, Gathered::Until(None));
        guests.played(0, late);
        let waits = guests.gather(&[0], wait(begun, 0), late);
        assert_eq!(waits, Gathered::Until(None), "one match goes on");
        guests.played(0, late);
        let waits = guests.gather(&[0], wait(begun, 0), late);
        assert_eq!(waits, Gathered::Until(Some(late + WITHIN)));
    }

    #[test]
    fn nobody_comes_in_after_the_close_or_beyond_the_bound() {
        let mut guests = guests();
        for ticket in 0..WAITING_MAX as u64 {
            assert_eq!(guests.join(0, ticket, 1), Some(ticket as usize + 1));
        }
        assert_eq!(guests.join(0, 99, 1), None);
        guests.leave(0);
        assert_eq!(guests.join(0, 99, 1), Some(WAITING_MAX));
        guests.close();
        assert_eq!((guests.waiting(), guests.join(1, 100, 1)), (0, None));
    }
}
