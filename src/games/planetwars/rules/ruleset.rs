//! The points on which engines of this game differ (README.md, section 1), each with its choices.

use serde::{Deserialize, Serialize};

/// The most rounds in a game.
pub const ROUNDS_MAX: u32 = 100_000;

/// How a distance is converted to turns of flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Travel {
    /// Rounded up.
    #[default]
    Ceil,
    /// Rounded down, but at least one turn.
    Floor,
}

/// When planets grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Growth {
    /// After the battles: a captured planet grows in the turn of its capture.
    #[default]
    AfterBattles,
    /// Before the battles.
    BeforeBattles,
}

/// How a battle of several forces ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Battle {
    /// Each player's forces are one, the garrison its owner's: the largest minus the second largest remains;
    /// if the largest are equal nothing remains, and the owner keeps the planet.
    #[default]
    Merged,
    /// Like `merged`, but a garrison that no attacker exceeds loses nothing.
    Untouched,
    /// The largest minus the smallest remains; equal largest ones leave the planet to its owner if it is one
    /// of them, and else to nobody (the tournament's judge of 2015).
    SmallestLoser,
}

/// What happens to ships sent to the planet they are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum SamePlanet {
    /// The order is illegal.
    #[default]
    Illegal,
    /// Nothing.
    Ignore,
    /// They land there again.
    Return,
}

/// The meaning of an order of no ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum ZeroShips {
    /// Ignored, whatever planets it names.
    #[default]
    Ignore,
    /// Illegal.
    Illegal,
}

/// Who is still in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Alive {
    /// Players with a planet or a fleet in flight.
    #[default]
    Fleets,
    /// Players with a planet; the fleets of others are removed.
    Planets,
}

/// What happens to a player that broke the rules or whose program failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Dropped {
    /// Its planets stay its own and grow, its fleets fly on, and in the ring it sends 0.
    #[default]
    Idle,
    /// Its planets become neutral and its fleets vanish.
    Neutral,
    /// Its whole team has lost.
    Team,
}

/// One set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ruleset {
    /// How a distance is converted to turns.
    pub travel: Travel,
    /// Extra turns that every flight takes, 0 or 1.
    pub delay: u32,
    /// When planets grow.
    pub growth: Growth,
    /// Whether planets grow before the first state.
    pub first_growth: bool,
    /// How battles end.
    pub battle: Battle,
    /// Flights to the same planet.
    pub same_planet: SamePlanet,
    /// Orders of no ships.
    pub zero_ships: ZeroShips,
    /// Whether growth can be bought: one more for two to the power of the present growth.
    pub upgrades: bool,
    /// Whether there are words between the players of a team.
    pub messages: bool,
    /// Whether players are shown the fleets in flight, everybody's.
    pub shows_fleets: bool,
    /// Whether fleets in flight count at the end.
    pub flight_counts: bool,
    /// Who is still in the game.
    pub alive: Alive,
    /// What happens to offenders.
    pub dropped: Dropped,
    /// Rounds in a game.
    pub rounds: u32,
}

impl Ruleset {
    /// The game of the contest, with teams.
    pub const TEAM: Self = Self {
        travel: Travel::Ceil,
        delay: 0,
        growth: Growth::AfterBattles,
        first_growth: false,
        battle: Battle::Merged,
        same_planet: SamePlanet::Illegal,
        zero_ships: ZeroShips::Ignore,
        upgrades: false,
        messages: true,
        shows_fleets: false,
        flight_counts: true,
        alive: Alive::Fleets,
        dropped: Dropped::Idle,
        rounds: 200,
    };
    /// The two-player tournament of 2015, as its judge plays it.
    pub const MZ2015: Self = Self {
        delay: 1,
        growth: Growth::BeforeBattles,
        battle: Battle::SmallestLoser,
        same_planet: SamePlanet::Return,
        upgrades: true,
        messages: false,
        flight_counts: false,
        rounds: 201,
        ..Self::TEAM
    };
    /// The rules of the contest of 2010.
    pub const GOOGLE2010: Self = Self {
        growth: Growth::BeforeBattles,
        zero_ships: ZeroShips::Illegal,
        messages: false,
        dropped: Dropped::Neutral,
        ..Self::TEAM
    };
}

impl Default for Ruleset {
    fn default() -> Self {
        Self::TEAM
    }
}
