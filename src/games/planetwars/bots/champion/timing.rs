//! Calibration: which of the engines' timings is in use here, found from the champion's own fleets and
//! captures.

use super::chart::{Chart, NOBODY, Names, Sight};
use super::ledger::Fleet;
use crate::planetwars::rules::Travel;

/// One timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::planetwars) struct Timing {
    /// How a distance is converted to turns.
    pub(in crate::planetwars) travel: Travel,
    /// Extra turns that each flight takes.
    pub(in crate::planetwars) delay: u32,
    /// Whether planets grow before the battles of a turn.
    pub(in crate::planetwars) grows_first: bool,
}

/// All timings, the most likely first.
const TIMINGS: [Timing; 8] = {
    const fn timing(travel: Travel, delay: u32, grows_first: bool) -> Timing {
        Timing {
            travel,
            delay,
            grows_first,
        }
    }
    [
        timing(Travel::Ceil, 0, false),
        timing(Travel::Ceil, 0, true),
        timing(Travel::Ceil, 1, true),
        timing(Travel::Floor, 0, false),
        timing(Travel::Floor, 0, true),
        timing(Travel::Floor, 1, true),
        timing(Travel::Ceil, 1, false),
        timing(Travel::Floor, 1, false),
    ]
};

/// The place of that of 2015 among them.
const OF_2015: usize = 2;

/// What the fleets so far have shown.
#[derive(Clone, Debug)]
pub(super) struct Calibration {
    charts: Vec<Chart>,
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
            errors: [0; TIMINGS.len()],
            probes: Vec::new(),
        }
    }

    /// What is assumed until something is seen: the timing of 2015, whose wire alone has neither words nor fleets.
    pub(super) fn assume(&mut self, first: &Sight) {
        if !first.speaks && first.fleets.is_none() {
            for (errors, timing) in self.errors.iter_mut().zip(&TIMINGS) {
                *errors += u32::from(*timing != TIMINGS[OF_2015]);
            }
        }
    }

    /// The chart of the timing that was wrong least often.
    pub(super) fn chart(&self) -> &Chart {
        let best = (0..TIMINGS.len()).min_by_key(|at| self.errors[*at]);
        &self.charts[best.unwrap_or_default()]
    }

    /// Whether all timings in which fleets fly no turn longer were wrong more than once more often.
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
