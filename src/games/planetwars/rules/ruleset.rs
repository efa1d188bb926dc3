//! The points on which engines of this game differ (README.md, section 1), each with its choices.

use serde::{Deserialize, Serialize};

/// Most rounds of a game.
pub const ROUNDS_MAX: u32 = 100_000;

/// How a distance becomes turns of flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Travel {
    /// Rounded up.
    #[default]
    Ceil,
    /// Rounded down, one turn at least.
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
    /// Each player's forces are one, the garrison its owner's: the largest less the second largest remains;
    /// of equal largest ones nothing does, and the owner keeps the planet.
    #[default]
    Merged,
    /// As `merged`, but a garrison that no attacker exceeds loses nothing.
    Untouched,
    /// The largest less the smallest remains; equal largest ones leave the planet to its owner if he is
    /// one of them, and else to nobody (the tournament's judge of 2015).
    SmallestLoser,
}

/// What becomes of ships that are sent to the planet they are on.
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

/// What an order of no ships is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum ZeroShips {
    /// Nothing, whatever planets it names.
    #[default]
    Ignore,
    /// Illegal.
    Illegal,
}

/// Who is still in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Alive {
    /// Who has a planet or a fleet in flight.
    #[default]
    Fleets,
    /// Who has a planet; the fleets of others are taken out.
    Planets,
}

/// What becomes of a player who broke the rules or whose program failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Dropped {
    /// His planets stay his and grow, his fleets fly on, and in the ring he sends 0.
    #[default]
    Idle,
    /// His planets become nobody's and his fleets vanish.
    Neutral,
    /// His whole team has lost.
    Team,
}

/// One set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ruleset {
    /// How a distance becomes turns.
    pub travel: Travel,
    /// Turns that every flight takes longer than its distance says, 0 or 1.
    pub delay: u32,
    /// When planets grow.
    pub growth: Growth,
    /// Whether planets grow before the first state.
    pub first_growth: bool,
    /// How battles end.
    pub battle: Battle,
    /// Flights that lead nowhere.
    pub same_planet: SamePlanet,
    /// Orders of no ships.
    pub zero_ships: ZeroShips,
    /// Whether growth can be bought: one more for two to the power of what there is.
    pub upgrades: bool,
    /// Whether there are words between the players of a team.
    pub messages: bool,
    /// Whether fleets in flight count in the end.
    pub flight_counts: bool,
    /// Who is still in the game.
    pub alive: Alive,
    /// What becomes of offenders.
    pub dropped: Dropped,
    /// Rounds of a game.
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
        flight_counts: true,
        alive: Alive::Fleets,
        dropped: Dropped::Idle,
        rounds: 200,
    };
    /// The two players' tournament of 2015, as its judge plays it.
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
