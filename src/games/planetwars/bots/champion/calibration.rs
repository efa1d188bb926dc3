//! Calibration: which of the engines' timings is in use here, found from the champion's own fleets and
//! captures.

use super::chart::{Chart, Names, Sight};
use super::ships::{Fleet, NOBODY};
use super::timing::{OF_2015, TIMINGS, Timing};

/// What the fleets so far have shown.
#[derive(Clone, Debug)]
pub(super) struct Calibration {
    charts: Vec<Chart>,
    /// What is assumed among the timings that were wrong equally often.
    assumed: Option<Timing>,
    /// How often each timing was wrong.
    errors: [u32; TIMINGS.len()],
    /// Fleets whose landing will be informative.
    probes: Vec<Fleet>,
}

impl Calibration {
    /// Nothing known yet.
    pub(super) fn new(names: &Names) -> Self {
        Self {
            charts: TIMINGS.iter().map(|timing| names.chart(*timing)).collect(),
            assumed: None,
            errors: [0; TIMINGS.len()],
            probes: Vec::new(),
        }
    }

    /// What is assumed until something else is seen: on its wire the timing of 2015.
    pub(super) fn assume(&mut self, first: &Sight) {
        self.assumed = first.is_bare().then_some(OF_2015);
    }

    /// The chart of the timing that was wrong least often: of equals the one assumed, else the first.
    pub(super) fn chart(&self) -> &Chart {
        let key = |at: &usize| (self.errors[*at], self.assumed != Some(TIMINGS[*at]));
        let best = (0..TIMINGS.len()).min_by_key(key);
        &self.charts[best.unwrap_or_default()]
    }

    /// Whether all timings in which fleets fly no turn longer were wrong at least two times more often. What is
    /// assumed says nothing: who buys on a wire that does not sell loses.
    pub(super) fn delays(&self) -> bool {
        let errors = |delay: bool| {
            let all = TIMINGS.iter().zip(self.errors);
            let of = all.filter(move |(timing, _)| (timing.delay > 0) == delay);
            of.map(|(_, errors)| errors).min().unwrap_or_default()
        };
        errors(false) > errors(true) + 1
    }

    /// Adds what another one's fleets have shown.
    pub(super) fn join(&mut self, other: &Self) {
        for (errors, more) in self.errors.iter_mut().zip(other.errors) {
            *errors += more;
        }
        self.probes.extend(&other.probes);
    }

    /// A fleet has left.
    pub(super) fn launched(&mut self, fleet: Fleet) {
        self.probes.push(fleet);
    }

    /// Drops fleets ordered to leave these planets in that turn: they did not leave as ordered.
    pub(super) fn forget(&mut self, stayed: &[u8], turn: u32) {
        self.probes
            .retain(|probe| probe.launched != turn || !stayed.contains(&probe.from));
    }

    /// Compares the expected outcome on neutral planets with the actual one.
    pub(super) fn saw(&mut self, before: &Sight, now: &Sight) {
        let fresh = before.turn.wrapping_add(1) == now.turn;
        for place in 0..now.owner.len() {
            let probed = |probe: &&Fleet| usize::from(probe.to) == place;
            let Some(probe) = self.probes.iter().find(probed) else {
                continue;
            };
            let owner = probe.owner;
            let mixed = self.probes.iter().filter(probed);
            let mixed = mixed.into_iter().any(|probe| probe.owner != owner);
            if !fresh || mixed || before.owner[place] != NOBODY {
                continue;
            }
            for (errors, chart) in self.errors.iter_mut().zip(&self.charts) {
                let lands = |probe: &&Fleet| {
                    chart.lands(probe.launched, probe.from, place) == now.turn as usize
                };
                let landing = self.probes.iter().filter(probed).filter(lands);
                if landing.clone().any(|probe| probe.launched == before.turn) {
                    // Whether it has left at all is not known yet.
                    continue;
                }
                let landing: i32 = landing.map(|probe| probe.ships).sum();
                let left = landing - before.ships[place];
                let captured = now.owner[place] == owner;
                let wrong = if left > 0 && captured {
                    let grown = if chart.timing.grows_first {
                        0
                    } else {
                        now.growth[place]
                    };
                    now.ships[place] != (left + grown).max(0)
                } else {
                    // Another player's capture is not informative.
                    captured || (left > 0 && now.owner[place] == NOBODY)
                };
                *errors += u32::from(wrong);
            }
        }
        let charts = &self.charts;
        self.probes.retain(|probe| {
            let to = usize::from(probe.to);
            let mut lands = charts
                .iter()
                .map(|chart| chart.lands(probe.launched, probe.from, to));
            lands.any(|lands| lands > now.turn as usize)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map;
    use crate::rules::{PlanetWars, Ruleset, Setup};
    use drover_game::game::{Game as _, Seat};

    /// Fleets that were not there when they should have been, and then another player was: as where fleets fly a turn
    /// longer, but the first may be a misreading.
    #[test]
    fn one_contradiction_of_what_is_assumed_is_no_proof() {
        let planets = "P 1 0 0 1 1 50\nP 2 3 0 1 0 5\nP 3 -3 0 1 0 5\nP 4 30 0 1 2 50\n";
        let setup = Setup::duel(map::read(planets).unwrap(), Ruleset::MZ2015);
        let view = PlanetWars::start(&setup).view(Seat(0));
        let names = Names::new(&view);
        let first = Sight {
            speaks: false,
            fleets: None,
            ..names.sight(&view)
        };
        let mut calibration = Calibration::new(&names);
        calibration.assume(&first);
        assert_eq!(calibration.chart().timing, OF_2015);
        assert_eq!(calibration.errors, [0; TIMINGS.len()]);
        for (misses, to) in [(1, 1u8), (2, 2)] {
            let launched = 10 * misses;
            let fleet = Fleet {
                owner: 1,
                from: 0,
                to,
                ships: 9,
                launched,
            };
            calibration.launched(fleet);
            for turn in launched..launched + 4 {
                let before = Sight {
                    turn,
                    ..first.clone()
                };
                let mut now = Sight {
                    turn: turn + 1,
                    ..first.clone()
                };
                if turn == launched + 3 {
                    now.owner[usize::from(to)] = 2;
                }
                calibration.saw(&before, &now);
            }
            assert_eq!(calibration.chart().timing, OF_2015);
            assert_eq!(calibration.delays(), misses > 1, "{misses} misses");
        }
    }
}
