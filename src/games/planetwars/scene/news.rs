//! What happened from one state to the next, for a spectator: captures, battles, who leads. Launches are routine.

use super::state::{PlayerState, State};
use crate::rules::{NEUTRAL, Planet, PlayerId};
use drover_game::scene::{News, Numbered, Scene, Who};
use drover_game::text::counted;
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What happened; a turn without any of that says what was sent, or how the game stands.
#[must_use]
pub fn news(before: &Value, now: &Scene) -> Option<News> {
    let was = State::deserialize(before).ok()?;
    let is = State::deserialize(&now.state).ok()?;
    let step = Step { was: &was, is: &is };
    let fights = step.captures().or_else(|| step.battle());
    let mut events: Vec<String> = fights.into_iter().chain(step.lead()).collect();
    events.extend(step.fallen());
    if is.players.iter().any(|player| player.score.is_some()) {
        events.push("the game is over".to_owned());
    }
    Some(match events.is_empty() {
        true => {
            let routine = step.launch().or_else(|| standing(&is));
            News::quiet(routine.unwrap_or_else(|| now.title.clone()))
        }
        false => News::loud(events.join("; ")),
    })
}

/// Two states in a row.
struct Step<'a> {
    was: &'a State,
    is: &'a State,
}

impl Step<'_> {
    fn who(&self, player: PlayerId) -> String {
        match player {
            NEUTRAL => "nobody".to_owned(),
            player => name(self.is, player),
        }
    }

    /// Every planet before and now.
    fn planets(&self) -> impl Iterator<Item = (&Planet, &Planet)> {
        self.was.planets.iter().zip(&self.is.planets)
    }

    /// The first planet that has changed hands, and how many others have.
    fn captures(&self) -> Option<String> {
        let mut taken = self.planets().filter(|(was, is)| was.owner != is.owner);
        let (was, is) = taken.next()?;
        let from = self.who(was.owner);
        let first = match is.owner {
            NEUTRAL => format!("{from} loses planet {}", is.id),
            owner => format!("{} takes planet {} from {from}", self.who(owner), is.id),
        };
        Some(match taken.count() {
            0 => first,
            1 => format!("{first}, 1 more falls"),
            more => format!("{first}, {more} more fall"),
        })
    }

    /// The largest attack that a planet has withstood.
    fn battle(&self) -> Option<String> {
        let landed = self.was.fleets.iter().filter(|fleet| fleet.left == 1);
        let mut attacks: BTreeMap<(PlayerId, u32), i64> = BTreeMap::new();
        for fleet in landed {
            let ships = attacks.entry((fleet.owner, fleet.to)).or_default();
            *ships = ships.saturating_add(fleet.ships);
        }
        let held = attacks.into_iter().filter_map(|((by, to), ships)| {
            let planet = self.is.planets.iter().find(|planet| planet.id == to)?;
            let is_hostile = planet.owner != by && !self.are_allies(planet.owner, by);
            is_hostile.then_some((ships, by, planet))
        });
        let (ships, by, planet) = held.max_by_key(|(ships, ..)| *ships)?;
        let (by, id) = (self.who(by), planet.id);
        let ships = counted(ships, "ship");
        Some(match planet.owner {
            NEUTRAL => format!("{by} fails to take planet {id} with {ships}"),
            owner => format!(
                "{} holds planet {id} against {ships} of {by}",
                self.who(owner)
            ),
        })
    }

    fn are_allies(&self, one: PlayerId, other: PlayerId) -> bool {
        let team = |player| known(self.is, player).and_then(|known| known.team);
        let shown = |player| self.is.allies.contains(&player);
        team(one).is_some_and(|of_one| team(other) == Some(of_one)) || shown(one) && shown(other)
    }

    /// The largest launch to one planet.
    fn launch(&self) -> Option<String> {
        let fleets = self.is.fleets.iter();
        let fresh = fleets.filter(|fleet| fleet.left.saturating_add(1) == fleet.turns);
        let mut sent: BTreeMap<(PlayerId, u32), i64> = BTreeMap::new();
        for fleet in fresh {
            let ships = sent.entry((fleet.owner, fleet.to)).or_default();
            *ships = ships.saturating_add(fleet.ships);
        }
        let ((by, to), ships) = sent.into_iter().max_by_key(|(_, ships)| *ships)?;
        let planet = self.is.planets.iter().find(|planet| planet.id == to)?;
        let of = match planet.owner {
            owner if owner == NEUTRAL || owner == by => String::new(),
            owner => format!(" of {}", self.who(owner)),
        };
        let ships = counted(ships, "ship");
        Some(format!("{} sends {ships} to planet {to}{of}", self.who(by)))
    }

    /// A new leader.
    fn lead(&self) -> Option<String> {
        let leader = leader(self.is)?;
        let same = leader_of(self.was) == Some(leader.player);
        (!same).then(|| format!("{} takes the lead", self.who(leader.player)))
    }

    /// Players who had something and have nothing any more.
    fn fallen(&self) -> Option<String> {
        let is_out = |player: &&PlayerState| {
            let nothing = |player: &PlayerState| player.planets == 0 && owned(player) == 0;
            let had = known(self.was, player.player).is_some_and(|was| !nothing(was));
            had && player.flying.is_some() && nothing(player)
        };
        let mut out = self.is.players.iter().filter(is_out);
        let first = out.next()?;
        Some(match out.count() {
            0 => format!("{} is eliminated", self.who(first.player)),
            more => format!("{} players are eliminated", more + 1),
        })
    }
}

fn known(state: &State, player: PlayerId) -> Option<&PlayerState> {
    state.players.iter().find(|known| known.player == player)
}

/// What a player is called: everybody by seat, by a viewer of numbers by number.
fn name(state: &State, player: PlayerId) -> String {
    let place = state.players.iter().position(|at| at.player == player);
    match place.filter(|_| state.viewer.is_none()) {
        Some(place) => Who(place).to_string(),
        None => Numbered(player).to_string(),
    }
}

/// A player's ships on planets and, where they are known, in flight.
fn owned(player: &PlayerState) -> i64 {
    player
        .ships
        .saturating_add(player.flying.unwrap_or_default())
}

/// Who has the most ships, where all are known, no two have as many, and everybody plays alone.
fn leader(state: &State) -> Option<&PlayerState> {
    let players = &state.players;
    let teams: BTreeSet<u8> = players.iter().filter_map(|player| player.team).collect();
    let alone = teams.is_empty() || teams.len() == players.len();
    let seen = players.iter().all(|player| player.flying.is_some());
    let first = players.iter().max_by_key(|player| owned(player))?;
    let even = players
        .iter()
        .filter(|player| owned(player) == owned(first));
    (alone && seen && even.count() == 1).then_some(first)
}

fn leader_of(state: &State) -> Option<PlayerId> {
    leader(state).map(|leader| leader.player)
}

/// How the game stands, where somebody leads.
fn standing(state: &State) -> Option<String> {
    let leader = leader(state)?;
    let (who, ships) = (name(state, leader.player), counted(owned(leader), "ship"));
    let others = state.players.iter();
    let mut others = others.filter(|player| player.player != leader.player);
    Some(match (others.next(), others.next()) {
        (Some(other), None) => format!("{who} leads with {ships} to {}", owned(other)),
        _ => format!("{who} leads with {ships}"),
    })
}
