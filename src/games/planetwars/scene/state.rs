//! A position as it is shown: one schema for the judge and for players.

use super::Past;
use crate::rules::{NEUTRAL, Planet, PlanetWars, PlayerId, ShownFleet, View};
use drover_game::game::{Game as _, Seat};
use drover_game::scene::Scene;
use serde::{Deserialize, Serialize};

/// Fleets that are shown at most.
const FLEETS_MAX: usize = 1_000;

/// A position, as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Rounds that are over.
    pub turn: u32,
    /// Rounds of the game at most. Viewers do not know it.
    pub turns: Option<u32>,
    /// The player that sees this; `None`: everything is shown.
    pub viewer: Option<PlayerId>,
    /// Every planet.
    pub planets: Vec<Planet>,
    /// Fleets under way: all, or the viewer's own where the wire hides fleets; the first [`FLEETS_MAX`] of them.
    pub fleets: Vec<ShownFleet>,
    /// Whether others' fleets are hidden.
    pub hidden: bool,
    /// Every player, in the order of seats, or for a viewer of numbers.
    pub players: Vec<PlayerState>,
    /// The viewer's team as far as the words of the ring have shown it, itself included.
    pub allies: Vec<PlayerId>,
}

/// How a player stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerState {
    /// Its number on the wire.
    pub player: PlayerId,
    /// Its team, from 0. Viewers do not know it.
    pub team: Option<u8>,
    /// Planets that it owns.
    pub planets: u32,
    /// Ships on them.
    pub ships: i64,
    /// Ships in flight, where they are known.
    pub flying: Option<i64>,
    /// What its planets grow by in a turn, all together.
    pub growth: i64,
    /// Its team's score, once the game is over.
    pub score: Option<i64>,
    /// The last turns, the present one last: ships, those known to be in flight included, and growth.
    pub past: Vec<(i64, i64)>,
}

impl State {
    fn new(turn: u32, planets: &[Planet], past: &Past) -> Self {
        let players = past.players().iter().enumerate().map(|(place, player)| {
            let own = || planets.iter().filter(|planet| planet.owner == *player);
            let sum = |of: fn(&Planet) -> i64| own().map(of).fold(0, i64::saturating_add);
            PlayerState {
                player: *player,
                team: None,
                planets: own().count() as u32,
                ships: sum(|planet| planet.ships),
                flying: None,
                growth: sum(|planet| planet.growth),
                score: None,
                past: past.of_place(place),
            }
        });
        Self {
            turn,
            turns: None,
            viewer: None,
            planets: planets.to_vec(),
            fleets: Vec::new(),
            hidden: false,
            players: players.collect(),
            allies: Vec::new(),
        }
    }

    /// Everything there is. `teams`: each seat's.
    #[must_use]
    pub fn whole(game: &PlanetWars, teams: &[u8], past: &Past) -> Self {
        let mut state = Self::new(game.turn(), game.planets(), past);
        state.turns = Some(game.ruleset().rounds);
        state.fleets = game.fleets();
        state.fleets.truncate(FLEETS_MAX);
        let outcome = game.outcome();
        for (seat, player) in (0..).map(Seat).zip(&mut state.players) {
            player.team = teams.get(seat.index()).copied();
            player.flying = Some(game.flying(seat));
            player.score = outcome
                .as_ref()
                .and_then(|end| end.scores.get(seat).copied());
        }
        state
    }

    /// What a player receives, and its own fleets as it has counted them: `own`, unless the wire shows all.
    #[must_use]
    pub fn from_view(view: &View, own: Vec<ShownFleet>, allies: &[PlayerId], past: &Past) -> Self {
        let mut state = Self::new(view.turn, &view.planets, past);
        (state.viewer, state.allies) = (Some(view.you), allies.to_vec());
        state.hidden = view.fleets.is_none();
        state.fleets = view.fleets.as_ref().map_or(own, |all| all.to_vec());
        for player in &mut state.players {
            if player.player == view.you || !state.hidden {
                let own = state
                    .fleets
                    .iter()
                    .filter(|fleet| fleet.owner == player.player);
                player.flying = Some(own.map(|fleet| fleet.ships).fold(0, i64::saturating_add));
            }
        }
        // Counted before: what is not shown is in flight too.
        state.fleets.truncate(FLEETS_MAX);
        state
    }

    /// The scene of it.
    #[must_use]
    pub fn scene(&self, title: impl Into<String>) -> Scene {
        Scene::new(self.turn, title, self)
    }
}

/// What happened between two states, in a sentence.
#[must_use]
pub fn news(turn: u32, before: Option<&[Planet]>, now: &[Planet]) -> String {
    let pairs = before.unwrap_or_default().iter().zip(now);
    let mut taken = pairs.filter(|(was, is)| was.owner != is.owner);
    let first = taken.next().map(|(was, is)| {
        let from = match was.owner {
            NEUTRAL => "nobody".to_owned(),
            owner => format!("player {owner}"),
        };
        match is.owner {
            NEUTRAL => format!("{from} loses planet {}", is.id),
            owner => format!("player {owner} takes planet {} from {from}", is.id),
        }
    });
    match (first, taken.count()) {
        (None, _) => format!("Turn {turn}"),
        (Some(first), 0) => format!("Turn {turn}: {first}"),
        (Some(first), 1) => format!("Turn {turn}: {first}, and another planet changes hands"),
        (Some(first), more) => format!("Turn {turn}: {first}, and {more} others change hands"),
    }
}
