//! A position as it is shown: one schema for the judge and for players.

use crate::rules::{Planet, PlanetWars, PlayerId, ShownFleet, View};
use drover_game::card::Curves;
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
}

impl State {
    fn new(turn: u32, planets: &[Planet], players: &[PlayerId]) -> Self {
        let players = players.iter().map(|player| {
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

    /// Everything there is. `teams`: each seat's, and `players` their numbers.
    #[must_use]
    pub fn whole(game: &PlanetWars, teams: &[u8], players: &[PlayerId]) -> Self {
        let mut state = Self::new(game.turn(), game.planets(), players);
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

    /// What a player receives, and its own fleets as it has counted them: `own`, unless the wire shows all. `players`: all
    /// that had planets at first.
    #[must_use]
    pub fn from_view(
        view: &View,
        own: Vec<ShownFleet>,
        allies: &[PlayerId],
        players: &[PlayerId],
    ) -> Self {
        let mut state = Self::new(view.turn, &view.planets, players);
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

    /// The scene of it. What happened since the one before is [`super::news()`].
    #[must_use]
    pub fn scene(&self) -> Scene {
        let over = self.players.iter().any(|player| player.score.is_some());
        let title = match (over, self.turn) {
            (true, turn) => format!("Turn {turn}; the game is over"),
            (false, 0) => "The game begins".to_owned(),
            (false, turn) => format!("Turn {turn}"),
        };
        Scene::new(self.turn, title, self)
    }
}

/// What is counted over a game: ships, as far as they are known, and growth.
pub const CURVES: Curves = Curves {
    turn: "turn",
    names: &["Ships", "Growth"],
    figures: |state, names| {
        let state = State::deserialize(state).ok()?;
        let (mut ships, mut growth) = (
            vec![None; state.players.len()],
            vec![None; state.players.len()],
        );
        for (at, player) in state.players.iter().enumerate() {
            // A viewer sees them in the order of their numbers.
            let place = match state.viewer {
                None => at,
                Some(_) => names.place_of(player.player)?,
            };
            let flying = player.flying.unwrap_or_default();
            *ships.get_mut(place)? = Some(player.ships.saturating_add(flying));
            *growth.get_mut(place)? = Some(player.growth);
        }
        Some(vec![ships, growth])
    },
};
