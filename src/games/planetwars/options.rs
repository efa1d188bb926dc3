//! The judge's options: one for every point on which engines differ, the map, and who is whose ally.

use super::dialect::judge::Lines;
use super::generate::{Look, Style, generate};
use super::map;
use super::rules::{NEUTRAL, PLANETS_MAX, Planet, PlayerId, ROUNDS_MAX, Ruleset, Setup, TEAM_MAX};
use crate::kit::OptionCard;
use crate::rng::Rng;
use serde::de::DeserializeOwned;
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
        "Who are allies: players of each team as a list, such as [4, 4], in the order of those who enter, or one number for teams of one size; null: everybody alone. One who enters plays his whole team.",
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
        "Rounds of a game, which players are never told; null: 200, or what the rules say.",
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
        "What becomes of a player who breaks the rules or whose program fails: idle (his planets stay, grow and can be taken), neutral (they are nobody's, his fleets vanish) or team (his team has lost); null: as the rules say.",
    ),
    OptionCard::new(
        "lines",
        "null",
        "Lines of a reply that are no order: strict (their player is dropped) or lenient (they mean nothing); null: strict, with mz2015 lenient.",
    ),
    OptionCard::new(
        "start_ms",
        "10000",
        "Milliseconds for the first reply, starting up included.",
    ),
    OptionCard::new("turn_ms", "1000", "Milliseconds for every other reply."),
];

/// How players are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conduct {
    /// How lines are taken that no rule speaks of.
    pub lines: Lines,
    /// Milliseconds for the first reply, from 1.
    pub start_ms: u64,
    /// Milliseconds for every other reply, from 1.
    pub turn_ms: u64,
}

impl Default for Conduct {
    fn default() -> Self {
        Self {
            lines: Lines::Strict,
            start_ms: 10_000,
            turn_ms: 1_000,
        }
    }
}

impl Conduct {
    /// Whether every time lies in its range.
    ///
    /// # Errors
    /// A sentence that names the one that does not.
    pub fn check(&self) -> Result<(), String> {
        for (name, ms) in [("start_ms", self.start_ms), ("turn_ms", self.turn_ms)] {
            whole(name, &ms.into(), 1, TIME_MS_MAX)?;
        }
        Ok(())
    }

    /// Time for a reply of a player who has replied before or not.
    #[must_use]
    pub const fn within(&self, replied: bool) -> Duration {
        Duration::from_millis(if replied { self.turn_ms } else { self.start_ms })
    }
}

/// For each player of a match which of those who enter plays it.
///
/// # Errors
/// A sentence, if the option `teams` does not fit so many.
pub fn seat_owners(options: &Value, entrants: usize) -> Result<Vec<usize>, String> {
    let sizes = match sizes(options.get("teams"))? {
        Sizes::Each(size) => vec![size; entrants],
        Sizes::Listed(sizes) => sizes,
    };
    if sizes.len() != entrants {
        let teams = sizes.len();
        return Err(format!(
            "teams has {teams} teams, and {entrants} enter: one plays each team"
        ));
    }
    Ok(members(&sizes))
}

/// How many players teams have.
enum Sizes {
    Each(usize),
    Listed(Vec<usize>),
}

/// A list is also taken as text, as command lines have it: 3,2 or [3, 2].
fn sizes(wanted: Option<&Value>) -> Result<Sizes, String> {
    let size =
        |value: &Value| whole("a team's size", value, 1, TEAM_MAX as u64).map(|size| size as usize);
    let listed = |sizes: &[Value]| sizes.iter().map(size).collect::<Result<_, _>>();
    match wanted {
        None | Some(Value::Null) => Ok(Sizes::Each(1)),
        Some(Value::Array(list)) => listed(list).map(Sizes::Listed),
        Some(Value::String(text)) => {
            let list = text.trim().trim_start_matches('[').trim_end_matches(']');
            let list: Result<Vec<Value>, _> =
                list.split(',').map(|size| size.trim().parse()).collect();
            let list =
                list.map_err(|_| format!("teams must be sizes such as 3,2, not {text:?}"))?;
            listed(&list).map(Sizes::Listed)
        }
        Some(number) => size(number).map(Sizes::Each),
    }
}

/// Each player's team, team by team.
fn members(sizes: &[usize]) -> Vec<usize> {
    let of = |(team, size): (usize, &usize)| std::iter::repeat_n(team, *size);
    sizes.iter().enumerate().flat_map(of).collect()
}

/// Each seat's team.
fn teams(wanted: Option<&Value>, players: usize) -> Result<Vec<u8>, String> {
    let sizes = match sizes(wanted)? {
        Sizes::Each(size) => vec![size; players / size],
        Sizes::Listed(sizes) => sizes,
    };
    let teams = members(&sizes);
    if teams.len() != players {
        let sum = teams.len();
        return Err(format!(
            "teams of {sizes:?} are {sum} players, not {players}"
        ));
    }
    Ok(teams.into_iter().map(|team| team as u8).collect())
}

/// The game that options, seed and number of players describe.
///
/// # Errors
/// A sentence that names the option that cannot be used.
pub fn read(options: &Value, seed: u64, players: usize) -> Result<(Setup, Conduct), String> {
    let empty = serde_json::Map::new();
    let given = options.as_object().unwrap_or(&empty);
    let mut ruleset = match given.get("rules") {
        None | Some(Value::Null) => Ruleset::TEAM,
        Some(Value::String(name)) if name == "team" => Ruleset::TEAM,
        Some(Value::String(name)) if name == "mz2015" => Ruleset::MZ2015,
        Some(Value::String(name)) if name == "google2010" => Ruleset::GOOGLE2010,
        Some(other) => {
            let why = format!("rules must be team, mz2015 or google2010, not {other}");
            return Err(why);
        }
    };
    let mut conduct = Conduct::default();
    if ruleset == Ruleset::MZ2015 {
        // Its judge passes over what it does not know.
        conduct.lines = Lines::Lenient;
    }
    let mut shuffled = true;
    for (name, value) in given.iter().filter(|(_, value)| !value.is_null()) {
        let milliseconds = || whole(name, value, 1, TIME_MS_MAX);
        let read =
            match name.as_str() {
                "rules" | "teams" | "map" | "planets" => Ok(()),
                "assignment" => choice(name, value, "shuffled or in_order")
                    .map(|order: Assignment| shuffled = order == Assignment::Shuffled),
                "rounds" => whole(name, value, 1, ROUNDS_MAX.into())
                    .map(|rounds| ruleset.rounds = rounds as u32),
                "travel" => choice(name, value, "ceil or floor").map(|to| ruleset.travel = to),
                "delay" => whole(name, value, 0, 1).map(|delay| ruleset.delay = delay as u32),
                "growth" => choice(name, value, "after_battles or before_battles")
                    .map(|to| ruleset.growth = to),
                "first_growth" => {
                    choice(name, value, "true or false").map(|to| ruleset.first_growth = to)
                }
                "battle" => choice(name, value, "merged, untouched or smallest_loser")
                    .map(|to| ruleset.battle = to),
                "same_planet" => choice(name, value, "illegal, ignore or return")
                    .map(|to| ruleset.same_planet = to),
                "zero_ships" => {
                    choice(name, value, "ignore or illegal").map(|to| ruleset.zero_ships = to)
                }
                "upgrades" => choice(name, value, "true or false").map(|to| ruleset.upgrades = to),
                "messages" => choice(name, value, "true or false").map(|to| ruleset.messages = to),
                "flight_counts" => {
                    choice(name, value, "true or false").map(|to| ruleset.flight_counts = to)
                }
                "alive" => choice(name, value, "fleets or planets").map(|to| ruleset.alive = to),
                "dropped" => {
                    choice(name, value, "idle, neutral or team").map(|to| ruleset.dropped = to)
                }
                "lines" => choice(name, value, "strict or lenient").map(|to| conduct.lines = to),
                "start_ms" => milliseconds().map(|ms| conduct.start_ms = ms),
                "turn_ms" => milliseconds().map(|ms| conduct.turn_ms = ms),
                name => {
                    let names: Vec<&str> = OPTIONS.iter().map(|card| card.name).collect();
                    let names = names.join(", ");
                    Err(format!(
                        "there is no option {name:?}; the options are {names}"
                    ))
                }
            };
        read?;
    }
    let teams = teams(given.get("teams"), players)?;
    let mut numbers: Vec<PlayerId> = (1..).take(players).collect();
    if shuffled {
        Rng::new(seed, SEATING_STREAM).shuffle(&mut numbers);
    }
    let planets = planets(given.get("map"), given.get("planets"), seed, players)?;
    let setup = Setup {
        planets,
        players: numbers,
        teams,
        ruleset,
    };
    setup.check()?;
    Ok((setup, conduct))
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Assignment {
    Shuffled,
    InOrder,
}

fn choice<T: DeserializeOwned>(name: &str, value: &Value, choices: &str) -> Result<T, String> {
    serde_json::from_value(value.clone())
        .map_err(|_| format!("{name} must be {choices}, not {value}"))
}

fn whole(name: &str, value: &Value, least: u64, most: u64) -> Result<u64, String> {
    value
        .as_u64()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{name} must be a whole number from {least} to {most}, not {value}"))
}

fn planets(
    map: Option<&Value>,
    count: Option<&Value>,
    seed: u64,
    players: usize,
) -> Result<Vec<Planet>, String> {
    let count = match count {
        None | Some(Value::Null) => None,
        Some(value) => Some(whole("planets", value, 1, PLANETS_MAX as u64)? as usize),
    };
    let look = match map {
        None | Some(Value::Null) => Look::Contest,
        Some(Value::String(text)) if text.contains(char::is_whitespace) => {
            let mut planets = map::read(text).map_err(|why| format!("map: {why}"))?;
            for planet in &mut planets {
                // Homes of players who do not play.
                if planet.owner as usize > players {
                    planet.owner = NEUTRAL;
                }
            }
            return housed(planets, players);
        }
        Some(named) => choice("map", named, "contest, google or a map's text")?,
    };
    let style = Style {
        look,
        players,
        planets: count,
        side: None,
    };
    generate(seed, &style)
}

/// Everybody needs a planet to begin with.
fn housed(planets: Vec<Planet>, players: usize) -> Result<Vec<Planet>, String> {
    let homeless = (1..=players as PlayerId)
        .find(|player| !planets.iter().any(|planet| planet.owner == *player));
    match homeless {
        None => Ok(planets),
        Some(player) => Err(format!(
            "map: player {player} of {players} has no planet; owners are numbered from 1"
        )),
    }
}
