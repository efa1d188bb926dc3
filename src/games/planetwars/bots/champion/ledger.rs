//! Fleets in flight: the team's are known, all others are inferred from what planets lose or gain.

mod explain;

use super::aims::{Guess, Tally};
use super::board::Sides;
use super::change::Change;
use super::line::{Line, Root};
use super::ships::{Fleet, Move};

/// The most guesses kept.
const GUESSES: usize = 200;
/// At most this many quiet turns are counted.
const QUIET_MAX: u32 = 12;

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
    pub(super) tallies: Vec<Tally>,
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
        let players = change.sides.side.len();
        self.flying.resize(players, 0);
        self.tallies.resize(players, Tally::default());
        self.attacked.resize(players, false);
        let ordered = std::mem::take(&mut self.ordered);
        let gone = leaving(&ordered, change.now.owner.len());
        self.find_stayed(change, &gone);
        let stayed = &self.stayed;
        let left = ordered
            .iter()
            .filter(|order| usize::from(order.from) < gone.len() && !stayed.contains(&order.from));
        self.fleets.extend(left);
        let quiet = self.compare(change, &gone);
        self.quiet = if quiet {
            QUIET_MAX.min(self.quiet + 1)
        } else {
            self.quiet / 2
        };
        self.forget_landed(change);
    }

    /// By goal: how likely these ships go there, relative to the others.
    pub(super) fn shares(&self, guess: &Guess) -> Vec<u32> {
        let tally = self.tallies.get(usize::from(guess.owner));
        tally.copied().unwrap_or_default().shares(guess)
    }

    /// Where these ships most likely go; of equals what is doubted least.
    pub(super) fn likeliest(&self, guess: &Guess) -> Option<u8> {
        let goals = guess.goals.iter().zip(self.shares(guess)).rev();
        let likeliest = goals.max_by_key(|(_, share)| *share);
        likeliest.map(|(goal, _)| goal.to)
    }

    /// A player that has attacked those whose ledger the other is has attacked the team.
    pub(super) fn join_attacked(&mut self, other: &Self) {
        let players = self.attacked.len().max(other.attacked.len());
        self.attacked.resize(players, false);
        for (attacked, also) in self.attacked.iter_mut().zip(&other.attacked) {
            *attacked |= also;
        }
    }

    /// Finds our planets that the last turn's orders did not leave as given, and what left them instead.
    fn find_stayed(&mut self, change: Change<'_>, gone: &[i32]) {
        let Change { sides, now, .. } = change;
        self.astray.clear();
        self.stayed.clear();
        for (place, gone) in gone.iter().enumerate() {
            let owner = change.before.owner[place];
            if sides.of(owner) <= 0 || now.owner[place] != owner || !change.is_next() {
                continue;
            }
            let still = self.meeting(change, place, 0).outcome(sides);
            let left = self.meeting(change, place, *gone).outcome(sides);
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
            self.stayed.push(place as u8);
            if !self.astray.contains(&owner) {
                self.astray.push(owner);
            }
            let unknown = still.1 - now.ships[place];
            if unknown > 0 {
                self.left(change, owner, place, unknown);
            }
        }
    }

    /// Explains what is not as expected on all other planets; whether everything was.
    fn compare(&mut self, change: Change<'_>, gone: &[i32]) -> bool {
        let mut quiet = true;
        for (place, gone) in gone.iter().enumerate() {
            if self.stayed.contains(&(place as u8)) {
                continue;
            }
            let meeting = self.meeting(change, place, *gone);
            let seen = (change.now.owner[place], change.now.ships[place]);
            if seen != meeting.outcome(change.sides) {
                quiet = false;
                self.explain(change, place, &meeting);
            }
        }
        quiet
    }

    /// Drops what has landed by now, and the oldest guesses of too many.
    fn forget_landed(&mut self, change: Change<'_>) {
        let turn = change.now.turn as usize;
        let due = |launched, from, to: u8| change.chart.lands(launched, from, usize::from(to));
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

    /// What meets on a planet in one turn, if only known fleets land and n ships left before.
    fn meeting(&self, change: Change<'_>, place: usize, gone: i32) -> Meeting {
        let Change { chart, before, .. } = change;
        let root = Root {
            owner: before.owner[place],
            ships: (before.ships[place] - gone).max(0),
            growth: before.growth[place],
            grows_first: chart.timing.grows_first,
        };
        let landing = self.fleets.iter().filter(|fleet| {
            usize::from(fleet.to) == place && change.lands(fleet.launched, fleet.from, place)
        });
        let landings = landing.map(|fleet| Move {
            turn: 1,
            owner: fleet.owner,
            ships: fleet.ships,
        });
        Meeting {
            root,
            landings: landings.collect(),
        }
    }
}

/// What meets on a planet in one turn.
#[derive(Clone, Debug)]
struct Meeting {
    /// The planet before it.
    root: Root,
    landings: Vec<Move>,
}

impl Meeting {
    /// The planet's owner and ships after it.
    fn outcome(&self, sides: &Sides) -> (u8, i32) {
        Line::step(self.root, &self.landings, &sides.side)
    }

    /// Ships of a player that must have landed, too, for n of them to be left after the battle.
    fn brought(&self, player: u8, left: i32) -> i32 {
        left.saturating_add(self.strongest(|owner| owner != player))
            .saturating_sub(self.force(player))
    }

    /// Ships of the one of these that has most of them there.
    fn strongest(&self, of: impl Fn(u8) -> bool) -> i32 {
        let owners = self.landings.iter().map(|landing| landing.owner);
        let forces = owners
            .chain([self.root.owner])
            .filter(|owner| of(*owner))
            .map(|owner| self.force(owner));
        forces.max().unwrap_or_default()
    }

    /// Ships of an owner that meet there.
    fn force(&self, owner: u8) -> i32 {
        let standing = if owner == self.root.owner {
            self.root.garrison()
        } else {
            0
        };
        let landings = self.landings.iter();
        let landed = landings.filter(|landing| landing.owner == owner);
        landed.fold(standing, |sum, landing| sum.saturating_add(landing.ships))
    }
}

/// By place: how many ships these orders send away.
fn leaving(ordered: &[Fleet], places: usize) -> Vec<i32> {
    let mut gone = vec![0; places];
    for order in ordered {
        if let Some(gone) = gone.get_mut(usize::from(order.from)) {
            *gone += order.ships;
        }
    }
    gone
}

#[cfg(test)]
mod tests {
    use super::super::chart::{Names, Sight};
    use super::super::mind::{Mind, Stance};
    use super::super::ships::NOBODY;
    use super::*;
    use crate::map;
    use crate::rules::{PlanetWars, Ruleset, Setup};
    use drover_game::game::{Game as _, Seat};
    use std::sync::Arc;

    /// What is inferred from these states of a contest, one after the other: owners and ships by place.
    fn after(planets: &str, states: &[&[(u8, i32)]]) -> Ledger {
        after_changing(Ruleset::TEAM, planets, states, |_| {})
    }

    /// The same by these rules, if something is changed before the last state.
    fn after_changing(
        ruleset: Ruleset,
        planets: &str,
        states: &[&[(u8, i32)]],
        change: impl Fn(&mut Ledger),
    ) -> Ledger {
        let setup = Setup::duel(map::read(planets).unwrap(), ruleset);
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

    /// The same by these rules, if n of our ships, launched in that turn, are known to fly from our first planet to
    /// another.
    fn after_ours(
        ruleset: Ruleset,
        planets: &str,
        states: &[&[(u8, i32)]],
        (to, ships, launched): (u8, i32, u32),
    ) -> Ledger {
        let fleet = Fleet {
            owner: 1,
            from: 0,
            to,
            ships,
            launched,
        };
        after_changing(ruleset, planets, states, |ledger| {
            ledger.fleets.push(fleet);
        })
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
        let also = after_changing(Ruleset::TEAM, planets, &states, |ledger| {
            ledger.guesses.insert(0, other.clone());
        });
        assert_eq!(also.guesses, [&[other], &ledger.guesses[..]].concat());
    }

    /// A single ship leaves for our home, which another fleet takes, and not for a free planet as near: who leaves a planet
    /// empty attacks.
    #[test]
    fn a_fleet_is_due_where_it_most_likely_goes() {
        let planets = "P 1 2 2 1 0 0\nP 2 0 0 1 1 1\nP 3 2 0 1 2 5\n";
        let free = (NOBODY, 0);
        let states: [&[(u8, i32)]; 4] = [
            &[free, (1, 1), (2, 5)],
            &[free, (1, 2), (2, 1)],
            &[free, (2, 4), (2, 1)],
            &[free, (2, 2), (2, 2)],
        ];
        let ledger = after(planets, &states[..3]);
        let guess = &ledger.guesses[0];
        assert_eq!((guess.goals[0].to, ledger.likeliest(guess)), (0, Some(1)));
        let left = |guess: &Guess| (guess.from, guess.ships, guess.launched);
        let guesses: Vec<_> = after(planets, &states).guesses.iter().map(left).collect();
        assert_eq!(guesses, [(1, 4, 2)]);
    }

    /// Ours land on a planet of nobody's or of the enemy's when an unseen fleet does: what it brought is what is left
    /// and the strongest force it beat, of what it had there to begin with nothing.
    #[test]
    fn what_an_attacker_brought_is_what_is_left_and_the_strongest_it_beat() {
        let planets = "P 1 0 0 1 1 9\nP 2 5 0 1 2 10\nP 3 2 0 1 0 2\n";
        for (ruleset, holder, ours, seen, brought) in [
            (Ruleset::TEAM, NOBODY, 6, 4, 9),
            (Ruleset::TEAM, NOBODY, 2, 4, 8),
            (Ruleset::TEAM, 2, 9, 4, 7),
            (Ruleset::MZ2015, NOBODY, 6, 3, 9),
            (Ruleset::MZ2015, 2, 9, 3, 6),
        ] {
            let turns = 2 + ruleset.delay as i32;
            let grows = i32::from(holder != NOBODY);
            let mut states: Vec<[(u8, i32); 3]> = (1 - turns..=0)
                .map(|turn| [(1, 9 + turn), (2, 10 + turn), (holder, 5 + grows * turn)])
                .collect();
            states.push([(1, 10), (2, 11), (2, seen)]);
            let states: Vec<&[(u8, i32)]> = states.iter().map(|state| &state[..]).collect();
            let ledger = after_ours(ruleset, planets, &states, (2, ours, 0));
            assert_eq!(ledger.flying[2], -brought, "{ours} at {holder}'s");
        }
    }

    /// Ours and as many of a stranger's land on a free planet, which stays free: all that left the stranger's planet did.
    #[test]
    fn who_spoils_a_capture_brought_as_much_as_the_strongest_there() {
        let planets = "P 1 0 0 1 1 9\nP 2 3 2 1 2 20\nP 3 2 0 1 0 2\n";
        let states: [&[(u8, i32)]; 4] = [
            &[(1, 9), (2, 20), (NOBODY, 2)],
            &[(1, 10), (2, 15), (NOBODY, 2)],
            &[(1, 11), (2, 16), (NOBODY, 2)],
            &[(1, 12), (2, 17), (NOBODY, 0)],
        ];
        let ledger = after_ours(Ruleset::TEAM, planets, &states, (2, 6, 1));
        assert_eq!(ledger.flying[2], 0);
    }

    /// Ours and a stranger's fleet land on one planet: only where that was ours the stranger attacked.
    #[test]
    fn who_takes_or_weakens_what_was_never_ours_has_not_attacked() {
        let planets = "P 1 0 0 1 1 9\nP 2 3 2 1 2 20\nP 3 2 0 1 0 2\nP 4 0 9 1 0 5\n";
        let free = (NOBODY, 5);
        for (there, end, attacked) in [
            ((NOBODY, 2), (2, 4), false),
            ((NOBODY, 2), (1, 3), false),
            ((1, 2), (2, 4), true),
            ((1, 2), (1, 3), true),
        ] {
            let grown = if there.0 == NOBODY { 0 } else { 1 };
            let states: [&[(u8, i32)]; 4] = [
                &[(1, 9), (2, 20), there, free],
                &[(1, 10), (2, 11), (there.0, there.1 + grown), free],
                &[(1, 11), (2, 12), (there.0, there.1 + 2 * grown), free],
                &[(1, 12), (2, 13), end, free],
            ];
            let ledger = after_ours(Ruleset::TEAM, planets, &states, (2, 6, 1));
            assert_eq!(ledger.attacked[2], attacked, "{there:?} becomes {end:?}");
        }
    }

    /// Our ships land on a planet from which some left when ours were about to land.
    fn check_left_before(ruleset: Ruleset, turns: i32, ours: i32, taken_with: i32, gone: i32) {
        let planets = "P 1 0 0 1 1 1\nP 2 2 0 1 2 5\nP 3 0 9 1 0 3\n";
        let free = (NOBODY, 3);
        let mut states: Vec<[(u8, i32); 3]> = (0..turns)
            .map(|turn| [(1, 1 + turn), (2, 5 + turn), free])
            .collect();
        states.push([(1, 1 + turns), (1, taken_with), free]);
        let states: Vec<&[(u8, i32)]> = states.iter().map(|state| &state[..]).collect();
        let ledger = after_ours(ruleset, planets, &states, (1, ours, 0));
        let left = |guess: &Guess| (guess.ships, guess.all);
        let left: Vec<_> = ledger.guesses.iter().map(left).collect();
        let all = gone == 4 + turns;
        let expected: Vec<_> = Some((gone, all)).filter(|_| gone > 0).into_iter().collect();
        assert_eq!(left, expected, "{ours} ships, {taken_with} left");
    }

    #[test]
    fn what_left_before_a_capture_is_seen_by_what_it_costs() {
        for (ours, taken_with, gone) in [(10, 5, 0), (10, 9, 4), (5, 2, 2), (5, 6, 6)] {
            check_left_before(Ruleset::TEAM, 2, ours, taken_with, gone);
        }
    }

    /// By the rules of 2015 a fleet flies a turn longer, the planet grows before the battle, and not after it.
    #[test]
    fn what_left_before_a_capture_is_seen_where_planets_grow_before_battles() {
        for (ours, taken_with, gone) in [(10, 2, 0), (10, 6, 4), (7, 3, 4), (7, 6, 7)] {
            check_left_before(Ruleset::MZ2015, 3, ours, taken_with, gone);
        }
    }
}
