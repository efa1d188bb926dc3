//! Who holds which lighthouse, which are linked, and what that scores per round.

use super::chart::{Chart, Lighthouse};
use drover_game::game::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Energy that each lighthouse loses per round.
pub const UPKEEP: u32 = 10;
/// Points for a lighthouse, and for a link, per round.
pub const POINTS: i64 = 2;

/// Why a command fails, in the engine's words (README.md, section 3).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// A step that leads into the sea.
    #[error("Target pos is not in island")]
    NotIsland,
    /// An attack from a cell without a lighthouse.
    #[error("Player must be located at target lighthouse")]
    NotAtTarget,
    /// An attack with negative energy.
    #[error("Strength must be positive")]
    Negative,
    /// A connection from a cell without a lighthouse.
    #[error("Player must be located at the origin lighthouse")]
    NotAtOrigin,
    /// A connection to a place without a lighthouse.
    #[error("Destination must be an existing lighthouse")]
    NoLighthouse,
    /// A connection between lighthouses of which one is not the player's own.
    #[error("Both lighthouses must be player-owned")]
    NotOwned,
    /// A connection without the key of the other end.
    #[error("Player does not have the destination key")]
    NoKey,
    /// A connection from a lighthouse to itself.
    #[error("Cannot connect lighthouse to itself")]
    Itself,
    /// A connection that already exists.
    #[error("Connection already exists")]
    Exists,
    /// A connection over a third lighthouse.
    #[error("Connection cannot intersect a lighthouse")]
    OverLighthouse,
    /// A connection that would cross another one.
    #[error("Connection cannot intersect another connection")]
    Crosses,
    /// Another engine's words.
    #[error("refused in words of its own")]
    Other,
}

impl Refusal {
    const ALL: [Refusal; 11] = [
        Refusal::NotIsland,
        Refusal::NotAtTarget,
        Refusal::Negative,
        Refusal::NotAtOrigin,
        Refusal::NoLighthouse,
        Refusal::NotOwned,
        Refusal::NoKey,
        Refusal::Itself,
        Refusal::Exists,
        Refusal::OverLighthouse,
        Refusal::Crosses,
    ];

    /// The refusal with this wording.
    #[must_use]
    pub fn worded(message: &str) -> Self {
        let worded = |refusal: &Refusal| refusal.to_string() == message;
        Self::ALL.into_iter().find(worded).unwrap_or(Refusal::Other)
    }
}

/// The state of a lighthouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Beacon {
    /// Its owner.
    pub owner: Option<Seat>,
    /// Its energy; 0 if nobody owns it.
    pub energy: u32,
    /// The set of lighthouses that it is linked with.
    #[serde(with = "super::chart::set")]
    #[schemars(with = "Vec<Lighthouse>")]
    pub links: u64,
}

/// The state of all lighthouses. What they score per round is kept up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    beacons: Vec<Beacon>,
    income: Vec<i64>,
}

impl Network {
    /// Unowned lighthouses, for this many players.
    #[must_use]
    pub fn new(lighthouses: usize, players: usize) -> Self {
        Self {
            beacons: vec![Beacon::default(); lighthouses],
            income: vec![0; players],
        }
    }

    /// Lighthouses as reported. Links reported at one end only, or between lighthouses of different owners,
    /// are left out, and so are reports on more lighthouses than the chart has; for players beyond `players`
    /// no income is kept.
    #[must_use]
    pub fn from_beacons(chart: &Chart, players: usize, beacons: &[Beacon]) -> Self {
        let count = chart.lighthouses().len();
        let mut network = Self::new(count, players);
        let beacons = beacons.get(..count).unwrap_or(beacons);
        for (own, reported) in network.beacons.iter_mut().zip(beacons) {
            own.owner = reported.owner;
            own.energy = reported.energy;
        }
        for (a, reported) in (0..).map(Lighthouse).zip(beacons) {
            for b in Lighthouse::in_set(reported.links) {
                let Some(back) = beacons.get(b.index()) else {
                    continue;
                };
                if a < b && back.links & a.bit() != 0 && reported.owner == back.owner {
                    network.join(chart, a, b);
                }
            }
        }
        for beacon in beacons {
            network.earn(beacon.owner, POINTS);
        }
        network
    }

    /// Every lighthouse, in the order of the list that players receive.
    #[must_use]
    pub fn beacons(&self) -> &[Beacon] {
        &self.beacons
    }

    /// One lighthouse.
    #[must_use]
    pub fn beacon(&self, lighthouse: Lighthouse) -> &Beacon {
        &self.beacons[lighthouse.index()]
    }

    /// Points that a player scores for this every round.
    #[must_use]
    pub fn income(&self, seat: Seat) -> i64 {
        self.income.get(seat.index()).copied().unwrap_or_default()
    }

    /// The set of a player's lighthouses.
    #[must_use]
    pub fn owned(&self, seat: Seat) -> u64 {
        let own = |(_, beacon): &(usize, &Beacon)| beacon.owner == Some(seat);
        self.beacons
            .iter()
            .enumerate()
            .filter(own)
            .fold(0, |set, (at, _)| set | 1 << at)
    }

    /// Whether a player that stands on `from` and has these keys may link it with `to`.
    ///
    /// # Errors
    /// [`Refusal`] says why not: the first of the engine's checks that fails.
    pub fn linkable(
        &self,
        chart: &Chart,
        seat: Seat,
        keys: u64,
        from: Lighthouse,
        to: Lighthouse,
    ) -> Result<(), Refusal> {
        let Some(other) = self.beacons.get(to.index()) else {
            return Err(Refusal::NoLighthouse);
        };
        if other.owner != Some(seat) || self.beacon(from).owner != Some(seat) {
            return Err(Refusal::NotOwned);
        }
        if keys & to.bit() == 0 {
            return Err(Refusal::NoKey);
        }
        if from == to {
            return Err(Refusal::Itself);
        }
        if other.links & from.bit() != 0 {
            return Err(Refusal::Exists);
        }
        if chart.linkable(from) & to.bit() == 0 {
            return Err(Refusal::OverLighthouse);
        }
        if self.crossed(chart, from, to) {
            return Err(Refusal::Crosses);
        }
        Ok(())
    }

    /// Whether any link crosses this one.
    #[must_use]
    pub fn crossed(&self, chart: &Chart, a: Lighthouse, b: Lighthouse) -> bool {
        let crossings = chart.crossings(a, b);
        let mut links = self.beacons.iter().zip(crossings);
        links.any(|(beacon, crossing)| beacon.links & crossing != 0)
    }

    /// Links two lighthouses of one owner, checked by [`Network::linkable`] before.
    pub fn join(&mut self, chart: &Chart, a: Lighthouse, b: Lighthouse) {
        let gain = POINTS + self.closed(chart, a, b);
        self.earn(self.beacon(a).owner, gain);
        self.beacons[a.index()].links |= b.bit();
        self.beacons[b.index()].links |= a.bit();
    }

    /// Cells of the triangles that the link a–b is, or would be, part of.
    #[must_use]
    pub fn closed(&self, chart: &Chart, a: Lighthouse, b: Lighthouse) -> i64 {
        let corners = self.beacon(a).links & self.beacon(b).links;
        Lighthouse::in_set(corners)
            .map(|c| i64::from(chart.area(a, b, c)))
            .sum()
    }

    /// A player on a lighthouse puts energy into it: adding to its own, or against its owner's.
    pub fn attack(&mut self, chart: &Chart, seat: Seat, at: Lighthouse, strength: u32) {
        let Beacon { owner, energy, .. } = *self.beacon(at);
        let against = if owner.is_some_and(|owner| owner != seat) {
            energy
        } else {
            0
        };
        if strength < against {
            self.beacons[at.index()].energy -= strength;
            return;
        }
        if against > 0 {
            self.fall(chart, at);
        }
        let rest = strength - against;
        if rest > 0 {
            let beacon = &mut self.beacons[at.index()];
            beacon.energy = beacon.energy.saturating_add(rest);
            if beacon.owner.replace(seat).is_none() {
                self.earn(Some(seat), POINTS);
            }
        }
    }

    /// Every lighthouse loses its upkeep; those without energy left become unowned.
    pub fn decay(&mut self, chart: &Chart) {
        for at in 0..self.beacons.len() {
            let beacon = &mut self.beacons[at];
            if beacon.energy > UPKEEP {
                beacon.energy -= UPKEEP;
            } else if beacon.owner.is_some() {
                self.fall(chart, Lighthouse(at as u8));
            }
        }
    }

    /// A lighthouse becomes unowned: its links and their triangles are gone.
    fn fall(&mut self, chart: &Chart, at: Lighthouse) {
        let Beacon { owner, links, .. } = *self.beacon(at);
        let mut loss = POINTS * (1 + i64::from(links.count_ones()));
        for b in Lighthouse::in_set(links) {
            let beyond = &mut self.beacons[b.index()].links;
            *beyond &= !at.bit();
            // Each triangle once: corners after b.
            let corners = *beyond & links & !(b.bit() | (b.bit() - 1));
            loss += Lighthouse::in_set(corners)
                .map(|c| i64::from(chart.area(at, b, c)))
                .sum::<i64>();
        }
        self.beacons[at.index()] = Beacon::default();
        self.earn(owner, -loss);
    }

    fn earn(&mut self, owner: Option<Seat>, points: i64) {
        if let Some(income) = owner.and_then(|seat| self.income.get_mut(seat.index())) {
            *income += points;
        }
    }
}
