//! Fleets in flight: the team's are known, all others are inferred from what planets lose or gain.

use super::aims::{Guess, Habits};
use super::board::Sides;
use super::chart::{Chart, NOBODY, Sight};
use super::line::{Line, Move, Root};

/// A known fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fleet {
    /// Its owner.
    pub(super) owner: u8,
    /// Where it left.
    pub(super) from: u8,
    /// Where it lands.
    pub(super) to: u8,
    /// How many ships.
    pub(super) ships: i32,
    /// The turn in which it was ordered.
    pub(super) launched: u32,
}

/// The most guesses kept.
const GUESSES: usize = 200;
/// At most this many quiet turns are counted.
const QUIET_MAX: u32 = 12;

/// Two states, one after the other, and how they are understood.
#[derive(Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) chart: &'a Chart,
    pub(super) sides: &'a Sides,
    pub(super) before: &'a Sight,
    pub(super) now: &'a Sight,
}

impl Change<'_> {
    /// Whether ships that left then would land there now.
    pub(super) fn lands(&self, launched: u32, from: u8, place: usize) -> bool {
        self.chart.lands(launched, from, place) == self.now.turn as usize
    }
}

/// What is known and inferred about fleets.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// Fleets of the team.
    pub(super) fleets: Vec<Fleet>,
    /// Fleets of the others.
    pub(super) guesses: Vec<Guess>,
    /// The orders of the last turn.
    pub(super) ordered: Vec<Fleet>,
    /// By player: ships launched minus ships landed, as far as seen.
    pub(super) flying: Vec<i32>,
    /// By player: where its fleets were seen to land.
    pub(super) habits: Vec<Habits>,
    /// By player: whether it has attacked the team.
    pub(super) attacked: Vec<bool>,
    /// Players of the team whose last orders were not the expected ones.
    pub(super) astray: Vec<u8>,
    /// Planets that the last turn's orders did not leave as given.
    pub(super) stayed: Vec<u8>,
    /// In how many turns the others did nothing that was seen, halved by each in which they did.
    pub(super) quiet: u32,
}

impl Ledger {
    /// Compares what was expected with what is seen now.
    pub(super) fn saw(&mut self, change: Change<'_>) {
        let Change {
            chart,
            sides,
            before,
            now,
        } = change;
        let players = sides.side.len();
        self.flying.resize(players, 0);
        self.habits.resize(players, Habits::default());
        self.attacked.resize(players, false);
        self.astray.clear();
        self.stayed.clear();
        let ordered = std::mem::take(&mut self.ordered);
        let count = now.owner.len();
        // What left, as expected and as seen.
        let mut gone = vec![0; count];
        for order in &ordered {
            if let Some(gone) = gone.get_mut(usize::from(order.from)) {
                *gone += order.ships;
            }
        }
        let mut lost: Vec<bool> = vec![false; count];
        for place in 0..count {
            let owner = before.owner[place];
            if sides.of(owner) <= 0
                || now.owner[place] != owner
                || now.turn != before.turn.wrapping_add(1)
            {
                continue;
            }
            let still = self.expect(change, place, 0);
            let left = self.expect(change, place, gone[place]);
            if still.0 != owner || left.0 != owner || now.ships[place] <= left.1 {
                continue;
            }
            // Where several fight, more may be left than without the unknown ones.
            let foreign = |fleet: &Fleet| {
                usize::from(fleet.to) == place
                    && fleet.owner != owner
                    && change.lands(fleet.launched, fleet.from, place)
            };
            if self.fleets.iter().any(foreign) {
                continue;
            }
            // Fewer left than were ordered, or others: their goal is unknown.
            lost[place] = true;
            self.stayed.push(place as u8);
            if !self.astray.contains(&owner) {
                self.astray.push(owner);
            }
            let unknown = still.1 - now.ships[place];
            if unknown > 0 {
                self.left(change, owner, place, unknown);
            }
        }
        for order in &ordered {
            if !lost.get(usize::from(order.from)).copied().unwrap_or(true) {
                self.fleets.push(*order);
            }
        }
        let mut is_quiet = true;
        for place in (0..count).filter(|place| !lost[*place]) {
            let expected = self.expect(change, place, gone[place]);
            is_quiet &= (now.owner[place], now.ships[place]) == expected;
            self.explain(change, place, expected);
        }
        self.quiet = if is_quiet {
            QUIET_MAX.min(self.quiet + 1)
        } else {
            self.quiet / 2
        };
        let turn = now.turn as usize;
        let due = |launched, from, to: u8| chart.lands(launched, from, usize::from(to));
        self.fleets
            .retain(|fleet| due(fleet.launched, fleet.from, fleet.to) > turn);
        for guess in &mut self.guesses {
            let Guess { launched, from, .. } = *guess;
            let goals = &mut guess.goals;
            goals.retain(|goal| due(launched, from, goal.to) > turn);
        }
        self.guesses
            .retain(|guess| !guess.goals.is_empty() && guess.ships > 0);
        let over = self.guesses.len().saturating_sub(GUESSES);
        self.guesses.drain(..over);
    }

    /// A planet's owner and ships after one turn, if only known fleets land.
    fn expect(&self, change: Change<'_>, place: usize, gone: i32) -> (u8, i32) {
        let Change { chart, before, .. } = change;
        let owner = before.owner[place];
        let root = Root {
            owner,
            ships: (before.ships[place] - gone).max(0),
            growth: before.growth[place],
            grows_first: chart.timing.grows_first,
        };
        let landing = self.fleets.iter().filter(|fleet| {
            usize::from(fleet.to) == place && change.lands(fleet.launched, fleet.from, place)
        });
        let landings: Vec<Move> = landing
            .map(|fleet| Move {
                turn: 1,
                owner: fleet.owner,
                ships: fleet.ships,
            })
            .collect();
        Line::step(root, &landings, &change.sides.side)
    }

    /// Explains the unexpected on a planet.
    fn explain(&mut self, change: Change<'_>, place: usize, expected: (u8, i32)) {
        let Change {
            chart,
            sides,
            before,
            now,
        } = change;
        let (owner, ships) = (now.owner[place], now.ships[place]);
        if (owner, ships) == expected || now.turn != before.turn.wrapping_add(1) {
            return;
        }
        let foe = |player: u8| player != NOBODY && sides.of(player) <= 0;
        let grown = now.growth[place].max(0);
        if owner != expected.0 {
            if foe(owner) {
                // What the attacker brought: what is left and what it cost.
                let brought = expected.1 + ships - if chart.timing.grows_first { 0 } else { grown };
                self.landed(change, owner, place, brought.max(1));
                if sides.of(expected.0) > 0 {
                    self.attacked[usize::from(owner)] = true;
                }
            } else if owner == before.owner[place] || owner == NOBODY {
                // Another player spoiled a capture of ours.
                self.landed_by_any(change, place, expected.1.max(1));
            } else if sides.of(owner) > 0 {
                // Ours took what should have held: ships had left it.
                let grew = if chart.timing.grows_first { 0 } else { 2 };
                let fought = expected.1.saturating_add(ships);
                self.left_before(
                    change,
                    place,
                    fought.saturating_sub(grown.saturating_mul(grew)),
                );
            }
            return;
        }
        let more = ships - expected.1;
        if more > 0 && sides.of(owner) > 0 {
            self.left_before(change, place, more);
            return;
        }
        if owner != NOBODY && foe(owner) {
            if more > 0 {
                self.landed(change, owner, place, more);
                return;
            }
            // What was most likely to land here did, and more left, if there was as much.
            let due = self.due(change, owner, place);
            let gone = due.saturating_sub(more);
            if due > 0 && owner == before.owner[place] && gone <= before.ships[place] {
                self.landed_as_due(change, owner, place, due);
                self.left(change, owner, place, gone);
            } else {
                self.left(change, owner, place, -more);
            }
        } else if more < 0 {
            let attacker = self.landed_by_any(change, place, -more);
            match attacker {
                Some(attacker) if owner != NOBODY => self.attacked[usize::from(attacker)] = true,
                // No player can have attacked: the owner has sent ships that were not planned.
                None if owner != NOBODY => self.left(change, owner, place, -more),
                _ => {}
            }
        }
    }

    /// Ships of a player that most likely landed there now.
    fn due(&self, change: Change<'_>, owner: u8, place: usize) -> i32 {
        let due = self.guesses.iter();
        let due = due.filter(|guess| guess.is_due(change, owner, place));
        let ships = due.map(|guess| guess.ships.max(0));
        ships.fold(0, i32::saturating_add)
    }

    /// So many ships of another player did not fight for a planet that ours took: they had left.
    fn left_before(&mut self, change: Change<'_>, place: usize, ships: i32) {
        let holder = change.before.owner[place];
        let gone = ships.min(change.before.ships[place]);
        if holder != NOBODY && change.sides.of(holder) <= 0 && gone > 0 {
            self.left(change, holder, place, gone);
        }
    }

    /// Ships left a planet: where to?
    fn left(&mut self, change: Change<'_>, owner: u8, from: usize, ships: i32) {
        let flying = &mut self.flying[usize::from(owner)];
        *flying = flying.saturating_add(ships);
        self.guesses.push(Guess::new(change, owner, from, ships));
    }

    /// So many ships of a player, all that most likely landed there now, did.
    fn landed_as_due(&mut self, change: Change<'_>, owner: u8, place: usize, due: i32) {
        if let Some(flying) = self.flying.get_mut(usize::from(owner)) {
            *flying = flying.saturating_sub(due);
        }
        self.guesses
            .retain(|guess| !guess.is_due(change, owner, place));
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
            if let Some(habits) = self.habits.get_mut(usize::from(owner)) {
                habits.landed(change, guess, place);
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

#[cfg(test)]
mod tests {
    use super::super::chart::Names;
    use super::super::mind::{Mind, Stance};
    use super::*;
    use crate::game::{Game as _, Seat};
    use crate::planetwars::map;
    use crate::planetwars::rules::{PlanetWars, Ruleset, Setup};
    use std::sync::Arc;

    /// What is inferred from these states, one after the other: owners and ships by place.
    fn after(planets: &str, states: &[&[(u8, i32)]]) -> Ledger {
        after_changing(planets, states, |_| {})
    }

    /// The same, if something is changed before the last state.
    fn after_changing(
        planets: &str,
        states: &[&[(u8, i32)]],
        change: impl Fn(&mut Ledger),
    ) -> Ledger {
        let setup = Setup {
            planets: map::read(planets).unwrap(),
            players: vec![1, 2],
            teams: vec![0, 1],
            ruleset: Ruleset::TEAM,
        };
        let view = PlanetWars::start(&setup).view(Seat(0));
        let names = Arc::new(Names::new(&view));
        let mut mind = Mind::new(Arc::clone(&names), &[1], Stance::Open);
        for (turn, state) in (0..).zip(states) {
            if turn as usize + 1 == states.len() {
                change(&mut mind.ledger);
            }
            mind.see(Sight {
                turn,
                owner: state.iter().map(|(owner, _)| *owner).collect(),
                ships: state.iter().map(|(_, ships)| *ships).collect(),
                ..names.sight(&view)
            });
        }
        mind.ledger
    }

    #[test]
    fn quiet_turns_are_counted_and_halved_by_others() {
        let planets = "P 1 0 0 1 1 10\nP 2 5 0 1 2 10\n";
        let mut states: Vec<[(u8, i32); 2]> = vec![[(1, 10), (2, 10)]];
        let mut quiet = Vec::new();
        for turn in 1..20 {
            // In turn 15 three ships leave.
            let [ours, theirs] = states[states.len() - 1];
            let left = if turn == 15 { 3 } else { 0 };
            states.push([(1, ours.1 + 1), (2, theirs.1 + 1 - left)]);
            let seen: Vec<&[(u8, i32)]> = states.iter().map(|state| &state[..]).collect();
            quiet.push(after(planets, &seen).quiet);
        }
        let most = [QUIET_MAX; 2];
        let expected = (1..QUIET_MAX).chain([QUIET_MAX]).chain(most);
        let after = [QUIET_MAX / 2, 7, 8, 9, 10];
        assert_eq!(quiet, expected.chain(after).collect::<Vec<_>>());
    }

    /// Two fleets leave for our home one turn apart. The first takes it, the second lands while all leaves again: what
    /// is missing then is one ship less than what left.
    #[test]
    fn a_fleet_that_was_due_landed_where_everything_left() {
        let planets = "P 1 0 0 1 1 1\nP 2 2 0 1 2 5\nP 3 0 9 1 0 3\n";
        let free = (NOBODY, 3);
        let states: [&[(u8, i32)]; 4] = [
            &[(1, 1), (2, 5), free],
            &[(1, 2), (2, 1), free],
            &[(2, 4), (2, 1), free],
            &[(2, 2), (2, 2), free],
        ];
        let first = after(planets, &states[..2]);
        let goal = first.guesses[0].goals[0];
        assert_eq!((goal.to, first.guesses[0].ships), (0, 5));
        let ledger = after(planets, &states);
        let left = |guess: &Guess| (guess.from, guess.ships, guess.launched);
        let guesses: Vec<_> = ledger.guesses.iter().map(left).collect();
        assert_eq!(guesses, [(0, 4, 2)]);
        // As many ships that could have landed there now, but more likely go elsewhere, still do.
        let mut other = ledger.guesses[0].clone();
        (other.from, other.ships, other.launched) = (1, 1, 1);
        other.goals.retain(|goal| goal.to == 2);
        let also = after_changing(planets, &states, |ledger| {
            ledger.guesses.insert(0, other.clone());
        });
        assert_eq!(also.guesses, [&[other], &ledger.guesses[..]].concat());
    }

    /// Our ships land on a planet of six, of which some left when ours were about to land.
    #[test]
    fn what_left_before_a_capture_is_seen_by_what_it_costs() {
        let planets = "P 1 0 0 1 1 1\nP 2 2 0 1 2 5\nP 3 0 9 1 0 3\n";
        let free = (NOBODY, 3);
        for (ours, taken_with, gone) in [(10, 5, 0), (10, 9, 4), (5, 2, 2), (5, 6, 6)] {
            let states: [&[(u8, i32)]; 3] = [
                &[(1, 1), (2, 5), free],
                &[(1, 2), (2, 6), free],
                &[(1, 3), (1, taken_with), free],
            ];
            let fleet = Fleet {
                owner: 1,
                from: 0,
                to: 1,
                ships: ours,
                launched: 0,
            };
            let ledger = after_changing(planets, &states, |ledger| ledger.fleets.push(fleet));
            let left: Vec<i32> = ledger.guesses.iter().map(|guess| guess.ships).collect();
            let expected: Vec<i32> = Some(gone).filter(|gone| *gone > 0).into_iter().collect();
            assert_eq!(left, expected, "{ours} ships, {taken_with} left");
            assert_eq!(ledger.guesses.iter().all(|guess| guess.all), gone % 6 == 0);
        }
    }
}
