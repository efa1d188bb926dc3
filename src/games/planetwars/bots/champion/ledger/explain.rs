//! Why a planet is not as expected: which ships left it unseen, and whose landed.

use super::super::aims::{Guess, Holder};
use super::super::change::Change;
use super::super::ships::NOBODY;
use super::{Ledger, Meeting};

impl Ledger {
    /// Explains the unexpected on a planet.
    pub(super) fn explain(&mut self, change: Change<'_>, place: usize, meeting: &Meeting) {
        if !change.is_next() {
            return;
        }
        let expected = meeting.outcome(change.sides);
        if change.now.owner[place] == expected.0 {
            self.explain_ships(change, place, change.now.ships[place] - expected.1);
        } else {
            self.explain_owner(change, place, meeting);
        }
    }

    /// Explains why another has a planet than was expected.
    fn explain_owner(&mut self, change: Change<'_>, place: usize, meeting: &Meeting) {
        let expected = meeting.outcome(change.sides);
        let (owner, ships) = (change.now.owner[place], change.now.ships[place]);
        let grown = change.grown_after(place);
        if change.is_foe(owner) {
            let brought = meeting.brought(owner, ships.saturating_sub(grown));
            self.landed(change, owner, place, brought.max(1));
            if change.was_ours(place) {
                self.attacked[usize::from(owner)] = true;
            }
        } else if owner == change.before.owner[place] || owner == NOBODY {
            // Another player spoiled our capture, with as much as the strongest there.
            self.landed_by_any(change, place, meeting.strongest(|_| true).max(1));
        } else {
            // Ours took what should have held: ships had left it. Both what was expected and what is seen have grown.
            let fought = expected.1.saturating_add(ships);
            self.left_before(
                change,
                place,
                fought.saturating_sub(grown.saturating_mul(2)),
            );
        }
    }

    /// Explains more or fewer ships of the expected owner.
    fn explain_ships(&mut self, change: Change<'_>, place: usize, more: i32) {
        let owner = change.now.owner[place];
        if more > 0 && change.sides.of(owner) > 0 {
            self.left_before(change, place, more);
        } else if change.is_foe(owner) {
            self.explain_foe(change, place, more);
        } else if more < 0 {
            let attacker = self.landed_by_any(change, place, -more);
            match attacker {
                Some(attacker) if change.was_ours(place) => {
                    self.attacked[usize::from(attacker)] = true;
                }
                // No player can have attacked: the owner has sent ships that were not planned.
                None if owner != NOBODY => self.left(change, owner, place, -more),
                _ => {}
            }
        }
    }

    /// Explains more or fewer ships on another player's planet: they landed, or left.
    fn explain_foe(&mut self, change: Change<'_>, place: usize, more: i32) {
        let owner = change.now.owner[place];
        if more > 0 {
            self.landed(change, owner, place, more);
            return;
        }
        // What was most likely to land here did, and more left, if there was as much.
        let due = self.due(change, owner, place);
        let gone = due.saturating_sub(more);
        let before = change.before;
        if due > 0 && owner == before.owner[place] && gone <= before.ships[place] {
            self.landed_as_due(change, owner, place, due);
            self.left(change, owner, place, gone);
        } else {
            self.left(change, owner, place, -more);
        }
    }

    /// Whether these ships are a player's and most likely landed there now.
    fn is_due(&self, guess: &Guess, change: Change<'_>, owner: u8, place: usize) -> bool {
        guess.owner == owner
            && change.lands(guess.launched, guess.from, place)
            && self.likeliest(guess).map(usize::from) == Some(place)
    }

    /// Ships of a player that most likely landed there now.
    fn due(&self, change: Change<'_>, owner: u8, place: usize) -> i32 {
        let due = self.guesses.iter();
        let due = due.filter(|guess| self.is_due(guess, change, owner, place));
        let ships = due.map(|guess| guess.ships.max(0));
        ships.fold(0, i32::saturating_add)
    }

    /// These ships of another player did not fight for a planet that ours took: they had left.
    fn left_before(&mut self, change: Change<'_>, place: usize, ships: i32) {
        let holder = change.before.owner[place];
        let gone = ships.min(change.before.ships[place]);
        if change.is_foe(holder) && gone > 0 {
            self.left(change, holder, place, gone);
        }
    }

    /// Ships left a planet: where to?
    pub(super) fn left(&mut self, change: Change<'_>, owner: u8, from: usize, ships: i32) {
        let flying = &mut self.flying[usize::from(owner)];
        *flying = flying.saturating_add(ships);
        self.guesses.push(Guess::new(change, owner, from, ships));
    }

    /// These ships of a player, all that most likely landed there now, did.
    fn landed_as_due(&mut self, change: Change<'_>, owner: u8, place: usize, due: i32) {
        if let Some(flying) = self.flying.get_mut(usize::from(owner)) {
            *flying = flying.saturating_sub(due);
        }
        let mut guesses = std::mem::take(&mut self.guesses);
        guesses.retain(|guess| !self.is_due(guess, change, owner, place));
        self.guesses = guesses;
    }

    /// Ships of a player landed: its guesses that may have been due are used up, the nearest in size first.
    fn landed(&mut self, change: Change<'_>, owner: u8, place: usize, ships: i32) {
        if let Some(flying) = self.flying.get_mut(usize::from(owner)) {
            *flying = flying.saturating_sub(ships);
        }
        let mut left = ships;
        while left > 0 {
            let due = |guess: &Guess| {
                guess.owner == owner
                    && guess.ships > 0
                    && change.lands(guess.launched, guess.from, place)
            };
            let due = self.guesses.iter_mut().filter(|guess| due(guess));
            let Some(guess) = due.min_by_key(|guess| (guess.ships - left).abs()) else {
                return;
            };
            if let Some(tally) = self.tallies.get_mut(usize::from(owner)) {
                tally.landed(guess.all, Holder::from_change(change, place));
            }
            let taken = guess.ships.min(left);
            guess.ships -= taken;
            left -= taken;
        }
    }

    /// Ships of an unknown player landed; probably whose.
    fn landed_by_any(&mut self, change: Change<'_>, place: usize, ships: i32) -> Option<u8> {
        let due = self.guesses.iter().filter(|guess| {
            change.lands(guess.launched, guess.from, place) && change.sides.of(guess.owner) <= 0
        });
        let owner = due.min_by_key(|guess| (guess.ships - ships).abs())?.owner;
        self.landed(change, owner, place, ships);
        Some(owner)
    }
}
