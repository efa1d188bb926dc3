//! A position as it is shown: one schema for the engine and for players.

use crate::rules::{
    Act, Beacon, Cell, Chart, Lighthouse, Lighthouses, Network, Point, Refusal, View,
};
use drover_game::card::Curves;
use drover_game::game::Seat;
use drover_game::scene::{Scene, Who};
use serde::{Deserialize, Serialize};

/// Maps of more cells are shown without their island and its energy, and not drawn.
pub const CELLS_MAX: usize = 16_384;

/// A position, as it is shown. Places are `[x, y]` from the bottom left corner, y upwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Rounds that are over.
    pub round: u32,
    /// Rounds of the game. Viewers do not know it.
    pub rounds: Option<u32>,
    /// The player that sees this, from 0; `None`: everything is shown.
    pub viewer: Option<u8>,
    /// Rows from the top, a letter a cell: `#` sea, blank island. Empty on maps of more than [`CELLS_MAX`] cells.
    pub island: Vec<String>,
    /// The island cells whose energy is known: x, y, energy up to 100.
    pub energy: Vec<(u16, u16, u8)>,
    /// Every lighthouse, in the order of the list that players receive.
    pub lighthouses: Vec<LighthouseState>,
    /// Every triangle of links.
    pub triangles: Vec<TriangleState>,
    /// Every player, in order.
    pub players: Vec<PlayerState>,
}

/// A lighthouse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LighthouseState {
    /// Where it stands.
    pub position: Point,
    /// Its owner, from 0.
    pub owner: Option<u8>,
    /// Its energy.
    pub energy: u32,
    /// The lighthouses that it is linked with, by their places in the list, from 0.
    pub links: Vec<u8>,
}

/// Three lighthouses linked with each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriangleState {
    /// Their owner, from 0.
    pub player: u8,
    /// Their places in the list of lighthouses, from 0, rising.
    pub corners: [u8; 3],
    /// The island cells that it lights, a point each in every round.
    pub cells: u32,
}

/// A player. Of its rivals a viewer knows only what they earn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerState {
    /// The player, from 0.
    pub player: u8,
    /// Where it stands.
    pub position: Option<Point>,
    /// Its points up to the end of the last round.
    pub score: Option<i64>,
    /// Its energy.
    pub energy: Option<u32>,
    /// The lighthouses whose keys it has, by their places in the list, from 0.
    pub keys: Option<Vec<u8>>,
    /// Lighthouses that it holds.
    pub held: u32,
    /// Points that it has a round for what it holds.
    pub income: i64,
    /// Whether the engine has done with its bot: the player stands where it is.
    pub dropped: Option<bool>,
}

fn list(set: u64) -> Vec<u8> {
    Lighthouse::in_set(set).map(|at| at.0).collect()
}

impl State {
    fn new(chart: &Chart, players: usize, network: &Network, seen: &[(Cell, u8)]) -> Self {
        let beacons = network.beacons().iter().zip(chart.lighthouses());
        let seats = (0..players as u8).map(Seat);
        let drawn = chart.cells() <= CELLS_MAX;
        let seen = if drawn { seen } else { &[] };
        Self {
            round: 0,
            rounds: None,
            viewer: None,
            island: if drawn { rows(chart) } else { Vec::new() },
            energy: seen
                .iter()
                .map(|(cell, energy)| {
                    let Point { x, y } = chart.point(*cell);
                    (x as u16, y as u16, *energy)
                })
                .collect(),
            lighthouses: beacons
                .map(|(beacon, cell)| LighthouseState {
                    position: chart.point(*cell),
                    owner: beacon.owner.map(|owner| owner.0),
                    energy: beacon.energy,
                    links: list(beacon.links),
                })
                .collect(),
            triangles: triangles(chart, network),
            players: seats
                .map(|seat| PlayerState {
                    player: seat.0,
                    position: None,
                    score: None,
                    energy: None,
                    keys: None,
                    held: network.owned(seat).count_ones(),
                    income: network.income(seat),
                    dropped: None,
                })
                .collect(),
        }
    }

    /// Everything there is; `dropped` says with whose bot the engine has done.
    #[must_use]
    pub fn whole(game: &Lighthouses, rounds: u32, dropped: impl Fn(Seat) -> bool) -> Self {
        let chart = game.chart();
        let cells = (0..).map(Cell).zip(game.cells());
        let island = cells.zip(chart.island()).filter(|(_, island)| **island);
        let seen: Vec<_> = island.map(|((cell, energy), _)| (cell, *energy)).collect();
        let mut state = Self::new(chart, game.players().len(), game.network(), &seen);
        (state.round, state.rounds) = (game.round(), Some(rounds));
        for (shown, player) in state.players.iter_mut().zip(game.players()) {
            shown.position = Some(chart.point(player.position));
            shown.score = Some(player.score);
            shown.energy = Some(player.energy);
            shown.keys = Some(list(player.keys));
            shown.dropped = Some(dropped(Seat(shown.player)));
        }
        state
    }

    /// What a player of n received last.
    #[must_use]
    pub fn from_view(chart: &Chart, seat: Seat, players: usize, view: &View) -> Self {
        let network = Network::from_beacons(chart, players, &view.beacons);
        let mut state = Self::new(chart, players, &network, &view.seen);
        (state.round, state.viewer) = (view.round, Some(seat.0));
        if let Some(own) = state.players.get_mut(seat.index()) {
            own.position = Some(chart.point(view.position));
            own.score = Some(view.score);
            own.energy = Some(view.energy);
            own.keys = Some(list(view.keys));
        }
        state
    }

    /// The scene of it.
    #[must_use]
    pub fn scene(&self, title: impl Into<String>) -> Scene {
        Scene::new(self.round, title, self)
    }
}

/// The map's rows from the top.
fn rows(chart: &Chart) -> Vec<String> {
    let letter = |island: &bool| if *island { ' ' } else { '#' };
    let rows = chart.island().chunks(chart.width().max(1)).rev();
    rows.map(|row| row.iter().map(letter).collect()).collect()
}

fn triangles(chart: &Chart, network: &Network) -> Vec<TriangleState> {
    let mut found = Vec::new();
    let beacon = |at: Lighthouse| network.beacon(at);
    for a in (0..network.beacons().len() as u8).map(Lighthouse) {
        let Beacon { owner, links, .. } = *beacon(a);
        let Some(player) = owner.map(|owner| owner.0) else {
            continue;
        };
        for b in Lighthouse::in_set(links).filter(|b| a < *b) {
            for c in Lighthouse::in_set(links & beacon(b).links).filter(|c| b < *c) {
                found.push(TriangleState {
                    player,
                    corners: [a.0, b.0, c.0],
                    cells: chart.area(a, b, c),
                });
            }
        }
    }
    found
}

/// What a player did with its turn, in a sentence. `from`, `energy`: where it stood, and what it had.
#[must_use]
pub fn deed(
    chart: &Chart,
    seat: Seat,
    from: Cell,
    energy: u32,
    act: Act,
    done: Result<(), Refusal>,
) -> String {
    let (player, here) = (Who(seat.index()), chart.point(from));
    let place = |Point { x, y }| format!("({x}, {y})");
    let what = match act {
        Act::Pass => "passes".to_owned(),
        Act::Move(step) => match chart.moved(from, step).map(|cell| chart.point(cell)) {
            Some(to) if to == here => format!("stays at {}", place(here)),
            Some(to) => format!("moves to {}", place(to)),
            None => "moves into the sea".to_owned(),
        },
        Act::Attack(strength) => {
            let strength = strength.min(energy.into());
            format!("puts {strength} energy into {}", place(here))
        }
        Act::Connect(to) => match chart.lighthouses().get(to.index()) {
            Some(cell) => format!("links {} with {}", place(here), place(chart.point(*cell))),
            None => "links with nothing".to_owned(),
        },
    };
    match done {
        Ok(()) => format!("{player} {what}"),
        Err(why) => format!("{player} {what}, which is refused: {why}"),
    }
}

/// What is counted over a game: points, and what is held brings a round.
pub const CURVES: Curves = Curves {
    turn: "round",
    names: &["Points", "Points a round"],
    figures: |state, _| {
        let state = State::deserialize(state).ok()?;
        let points = state.players.iter().map(|player| player.score);
        let income = state.players.iter().map(|player| Some(player.income));
        Some(vec![points.collect(), income.collect()])
    },
};
