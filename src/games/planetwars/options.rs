//! The judge's options: one for every point on which engines differ, the map, and who is whose ally.

use super::dialect::judge::Lines;
use super::generate::{Look, Style, generate};
use super::map;
use super::rules::{
    Alive, Battle, Dropped, Growth, NEUTRAL, PLANETS_MAX, Planet, PlayerId, ROUNDS_MAX, Ruleset,
    SamePlanet, Setup, TEAM_MAX, Travel, ZeroShips,
};
use drover_game::card::OptionCard;
use drover_game::game::SetupError;
use drover_game::options::{choice, maybe_whole, within};
use drover_game::rng::Rng;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Longest time that may be set: an hour.
const TIME_MS_MAX: u64 = 3_600_000;
/// The stream of a match's seed from which players get their numbers.
const SEATING_STREAM: u64 = 5 << 32;

/// What may be set.
pub const OPTIONS: &[OptionCard] = &[
    OptionCard::new(
        "rules",
        "\"team\"",
        "The set of rules that the other options start from: team (the contest), mz2015 (the two players' tournament of 2015, with upgrades and without words) or google2010.",
    ),
    OptionCard::new(
        "teams",
        "null",
        "Who are allies: players of each team as a list, such as [4, 4], in the order of those who enter, or one number for teams of one size; null: everybody alone. One who enters plays its whole team; if as many enter as a list has players, each plays one of them, team by team.",
    ),
    OptionCard::new(
        "assignment",
        "\"shuffled\"",
        "Which player has which number on the wire: shuffled by the match's seed, or in_order of the teams.",
    ),
    OptionCard::new(
        "map",
        "null",
        "The planets: contest or google for one drawn by the match's seed in that style, or a map file's text; null: contest.",
    ),
    OptionCard::new(
        "planets",
        "null",
        "Planets of a drawn map, homes included (google: as many below it as give everybody the same); null: by style and number of players.",
    ),
    OptionCard::new(
        "rounds",
        "null",
        "Rounds of a game; players do not know it; null: 200, or what the rules say.",
    ),
    OptionCard::new(
        "travel",
        "null",
        "Distances in turns: ceil (rounded up) or floor (rounded down, at least 1); null: ceil.",
    ),
    OptionCard::new(
        "delay",
        "null",
        "Turns that every flight takes longer than its distance says: 0, or 1 as in mz2015; null: as the rules say.",
    ),
    OptionCard::new(
        "growth",
        "null",
        "When planets grow: after_battles as the contest says, or before_battles as in the other rules; null: as the rules say.",
    ),
    OptionCard::new(
        "first_growth",
        "null",
        "Whether planets grow before the first state; null: false.",
    ),
    OptionCard::new(
        "battle",
        "null",
        "What remains of forces that meet: merged (largest less second largest), untouched (a garrison that nobody exceeds loses nothing) or smallest_loser as in mz2015; null: as the rules say.",
    ),
    OptionCard::new(
        "same_planet",
        "null",
        "Ships sent to the planet they are on: illegal, ignore or return; null: illegal, or what the rules say.",
    ),
    OptionCard::new(
        "zero_ships",
        "null",
        "Orders of no ships: ignore or illegal; null: as the rules say.",
    ),
    OptionCard::new(
        "upgrades",
        "null",
        "Whether growth can be bought with B planet, for two to the power of the growth there is; null: as the rules say.",
    ),
    OptionCard::new(
        "messages",
        "null",
        "Whether players of a team pass words around their ring; null: as the rules say.",
    ),
    OptionCard::new(
        "flight_counts",
        "null",
        "Whether ships in flight count in the end; null: true, or what the rules say.",
    ),
    OptionCard::new(
        "alive",
        "null",
        "Who is in the game: fleets (who has a planet or ships in flight) or planets (who has a planet; others' fleets vanish); null: fleets.",
    ),
    OptionCard::new(
        "dropped",
        "null",
        "The rule for a player that breaks the rules or whose program fails: idle (its planets stay, grow and can be taken), neutral (they are nobody's, its fleets vanish) or team (its team has lost); null: as the rules say.",
    ),
    OptionCard::new(
        "lines",
        "null",
        "Lines of a reply that are no order: strict (their player is dropped) or lenient (they mean nothing); null: strict, with mz2015 lenient.",
    ),
    OptionCard::new(
        "wire",
        "\"team\"",
        "How states and replies are written: team, or google2010, the wire of 2010, which shows all fleets and carries no words.",
    ),
    OptionCard::new(
        "start_ms",
        "10000",
        "Milliseconds for the first reply, starting up included.",
    ),
    OptionCard::new("turn_ms", "1000", "Milliseconds for every other reply."),
];

/// Everything that a game is refereed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefereeSetup {
    /// The game.
    pub position: Setup,
    /// How players are treated.
    #[serde(default)]
    pub conduct: Conduct,
}

/// How players are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conduct {
    /// How lines are taken that no rule speaks of.
    pub lines: Lines,
    /// How states and replies are written.
    pub wire: Wire,
    /// Milliseconds for the first reply, from 1.
    pub start_ms: u64,
    /// Milliseconds for every other reply, from 1.
    pub turn_ms: u64,
}

impl Default for Conduct {
    fn default() -> Self {
        Self {
            lines: Lines::Strict,
            wire: Wire::Team,
            start_ms: 10_000,
            turn_ms: 1_000,
        }
    }
}

impl Conduct {
    /// Whether every time lies in its range.
    ///
    /// # Errors
    /// [`SetupError`] names the one that does not.
    pub fn check(&self) -> Result<(), SetupError> {
        for (name, ms) in [("start_ms", self.start_ms), ("turn_ms", self.turn_ms)] {
            within(&ms.into(), 1, TIME_MS_MAX)
                .map_err(|why| SetupError(format!("{name} {why}")))?;
        }
        Ok(())
    }

    /// Time for a reply of a player who has replied before or not.
    #[must_use]
    pub const fn within(&self, replied: bool) -> Duration {
        Duration::from_millis(if replied { self.turn_ms } else { self.start_ms })
    }
}

/// What is set; what is not is as the rules say.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    #[serde(deserialize_with = "choice")]
    rules: Rules,
    /// A list, a text or a number: [`sizes`].
    teams: Value,
    #[serde(deserialize_with = "choice")]
    assignment: Assignment,
    /// A style or a text: [`planets`].
    map: Value,
    #[serde(deserialize_with = "maybe_whole::<_, 1, { PLANETS_MAX as u64 }>")]
    planets: Option<u64>,
    #[serde(deserialize_with = "maybe_whole::<_, 1, { ROUNDS_MAX as u64 }>")]
    rounds: Option<u64>,
    #[serde(deserialize_with = "choice")]
    travel: Option<Travel>,
    #[serde(deserialize_with = "maybe_whole::<_, 0, 1>")]
    delay: Option<u64>,
    #[serde(deserialize_with = "choice")]
    growth: Option<Growth>,
    #[serde(deserialize_with = "choice")]
    first_growth: Option<bool>,
    #[serde(deserialize_with = "choice")]
    battle: Option<Battle>,
    #[serde(deserialize_with = "choice")]
    same_planet: Option<SamePlanet>,
    #[serde(deserialize_with = "choice")]
    zero_ships: Option<ZeroShips>,
    #[serde(deserialize_with = "choice")]
    upgrades: Option<bool>,
    #[serde(deserialize_with = "choice")]
    messages: Option<bool>,
    #[serde(deserialize_with = "choice")]
    flight_counts: Option<bool>,
    #[serde(deserialize_with = "choice")]
    alive: Option<Alive>,
    #[serde(deserialize_with = "choice")]
    dropped: Option<Dropped>,
    #[serde(deserialize_with = "choice")]
    lines: Option<Lines>,
    #[serde(deserialize_with = "choice")]
    wire: Wire,
    #[serde(deserialize_with = "maybe_whole::<_, 1, TIME_MS_MAX>")]
    start_ms: Option<u64>,
    #[serde(deserialize_with = "maybe_whole::<_, 1, TIME_MS_MAX>")]
    turn_ms: Option<u64>,
}

/// How states and replies are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Wire {
    /// As in the teams' contest.
    #[default]
    Team,
    /// As in 2010.
    Google2010,
}

/// A set of rules to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Rules {
    #[default]
    Team,
    Mz2015,
    Google2010,
}

/// Which player has which number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Assignment {
    #[default]
    Shuffled,
    InOrder,
}

impl Options {
    /// The game of this seed and number of players.
    ///
    /// # Errors
    /// [`SetupError`] names the option that cannot be used.
    pub fn set_up(self, seed: u64, players: usize) -> Result<RefereeSetup, SetupError> {
        let teams = self.teams(players)?;
        let mut numbers: Vec<PlayerId> = (1..).take(players).collect();
        if self.assignment == Assignment::Shuffled {
            Rng::new(seed, SEATING_STREAM).shuffle(&mut numbers);
        }
        let mut planets = planets(&self.map, self.planets, seed, players)?;
        if self.wire == Wire::Google2010 {
            // As that wire counts them: what is decided in process is then what would be said on it.
            for (number, planet) in (0..).zip(&mut planets) {
                planet.id = number;
            }
        }
        let position = Setup {
            planets,
            players: numbers,
            teams,
            ruleset: self.ruleset(),
        };
        position.check()?;
        Ok(RefereeSetup {
            position,
            conduct: self.conduct(),
        })
    }

    /// For each player of a match which of those who enter plays it.
    ///
    /// # Errors
    /// [`SetupError`] if the option `teams` does not fit this many.
    pub fn seat_owners(&self, entrants: usize) -> Result<Vec<usize>, SetupError> {
        let sizes = match sizes(&self.teams)? {
            Sizes::Each(size) => vec![size; entrants],
            // A mixed team: one enters for each player.
            Sizes::Listed(sizes) if entrants > 0 && sizes.iter().sum::<usize>() == entrants => {
                return Ok((0..entrants).collect());
            }
            Sizes::Listed(sizes) => sizes,
        };
        if sizes.len() != entrants {
            let teams = sizes.len();
            return Err(SetupError(format!(
                "teams has {teams} teams, and {entrants} enter: one plays each team, or each player of a list"
            )));
        }
        Ok(members(&sizes))
    }

    /// Each seat's team.
    ///
    /// # Errors
    /// [`SetupError`] if the option `teams` does not fit this many.
    pub fn teams(&self, players: usize) -> Result<Vec<u8>, SetupError> {
        let sizes = match sizes(&self.teams)? {
            Sizes::Each(size) => vec![size; players / size],
            Sizes::Listed(sizes) => sizes,
        };
        let teams = members(&sizes);
        if teams.len() != players {
            let sum = teams.len();
            return Err(SetupError(format!(
                "teams of {sizes:?} are {sum} players, not {players}"
            )));
        }
        Ok(teams.into_iter().map(|team| team as u8).collect())
    }

    fn ruleset(&self) -> Ruleset {
        let rules = match self.rules {
            Rules::Team => Ruleset::TEAM,
            Rules::Mz2015 => Ruleset::MZ2015,
            Rules::Google2010 => Ruleset::GOOGLE2010,
        };
        Ruleset {
            travel: self.travel.unwrap_or(rules.travel),
            delay: self.delay.map_or(rules.delay, |delay| delay as u32),
            growth: self.growth.unwrap_or(rules.growth),
            first_growth: self.first_growth.unwrap_or(rules.first_growth),
            battle: self.battle.unwrap_or(rules.battle),
            same_planet: self.same_planet.unwrap_or(rules.same_planet),
            zero_ships: self.zero_ships.unwrap_or(rules.zero_ships),
            upgrades: self.upgrades.unwrap_or(rules.upgrades),
            messages: self.wire == Wire::Team && self.messages.unwrap_or(rules.messages),
            shows_fleets: self.wire == Wire::Google2010,
            flight_counts: self.flight_counts.unwrap_or(rules.flight_counts),
            alive: self.alive.unwrap_or(rules.alive),
            dropped: self.dropped.unwrap_or(rules.dropped),
            rounds: self.rounds.map_or(rules.rounds, |rounds| rounds as u32),
        }
    }

    fn conduct(&self) -> Conduct {
        let lines = match self.rules {
            // Its judge ignores what it does not know.
            Rules::Mz2015 => Lines::Lenient,
            Rules::Team | Rules::Google2010 => Lines::Strict,
        };
        let usual = Conduct::default();
        Conduct {
            lines: self.lines.unwrap_or(lines),
            wire: self.wire,
            start_ms: self.start_ms.unwrap_or(usual.start_ms),
            turn_ms: self.turn_ms.unwrap_or(usual.turn_ms),
        }
    }
}

/// How many players teams have.
enum Sizes {
    Each(usize),
    Listed(Vec<usize>),
}

/// A list is also taken as text, as command lines have it: 3,2 or [3, 2].
fn sizes(wanted: &Value) -> Result<Sizes, SetupError> {
    let size = |value: &Value| {
        let size = within(value, 1, TEAM_MAX as u64).map(|size| size as usize);
        size.map_err(|why| SetupError(format!("a team's size {why}")))
    };
    let listed = |sizes: &[Value]| sizes.iter().map(size).collect::<Result<_, _>>();
    match wanted {
        Value::Null => Ok(Sizes::Each(1)),
        Value::Array(list) => listed(list).map(Sizes::Listed),
        Value::String(text) => {
            let list = text.trim().trim_start_matches('[').trim_end_matches(']');
            let list: Result<Vec<Value>, _> =
                list.split(',').map(|size| size.trim().parse()).collect();
            let wrong = |_| SetupError(format!("teams must be sizes such as 3,2, not {text:?}"));
            listed(&list.map_err(wrong)?).map(Sizes::Listed)
        }
        number => size(number).map(Sizes::Each),
    }
}

/// Each player's team, team by team.
fn members(sizes: &[usize]) -> Vec<usize> {
    let of = |(team, size): (usize, &usize)| std::iter::repeat_n(team, *size);
    sizes.iter().enumerate().flat_map(of).collect()
}

fn planets(
    map: &Value,
    count: Option<u64>,
    seed: u64,
    players: usize,
) -> Result<Vec<Planet>, SetupError> {
    let look = match map {
        Value::Null => Look::Contest,
        Value::String(text) if text.contains(char::is_whitespace) => {
            let mut planets = map::read(text).map_err(|why| SetupError(format!("map: {why}")))?;
            for planet in &mut planets {
                // Homes of players who do not play.
                if planet.owner as usize > players {
                    planet.owner = NEUTRAL;
                }
            }
            return housed(planets, players);
        }
        named => Look::deserialize(named).map_err(|_| {
            SetupError(format!(
                "map must be contest, google or a map's text, not {named}"
            ))
        })?,
    };
    let style = Style {
        look,
        players,
        planets: count.map(|count| count as usize),
        side: None,
    };
    generate(seed, &style)
}

/// Everybody needs a planet to begin with.
fn housed(planets: Vec<Planet>, players: usize) -> Result<Vec<Planet>, SetupError> {
    let homeless = (1..=players as PlayerId)
        .find(|player| !planets.iter().any(|planet| planet.owner == *player));
    match homeless {
        None => Ok(planets),
        Some(player) => Err(SetupError(format!(
            "map: player {player} of {players} has no planet; owners are numbered from 1"
        ))),
    }
}
