//! A whole game as the referee plays it: rounds of energy, keys, collection and decay, then all players'
//! turns, then points.

use super::chart::{Cell, Chart, ENERGY_MAX, Lighthouse, Step, VIEW_REACH};
use super::network::{Beacon, Network, Refusal};
use super::point::Point;
use crate::map::Map;
use drover_game::game::{Cause, Illegal, Listener, Outcome, Seat, Seats, SetupError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Allowed numbers of players.
pub const PLAYERS: RangeInclusive<usize> = 1..=16;
/// The most rounds in a game: its calls stay within what one match may have.
pub const ROUNDS_MAX: u32 = 30_000;

/// What a game starts from. There is no randomness in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The map. Its first start cells are the players'.
    pub map: Map,
    /// The number of players, 1 to 16, and no more than the map has start cells.
    pub players: usize,
    /// Rounds, 1 to [`ROUNDS_MAX`].
    pub rounds: u32,
}

impl Setup {
    /// This many rounds of this many players on this map.
    #[must_use]
    pub const fn new(map: Map, players: usize, rounds: u32) -> Self {
        Self {
            map,
            players,
            rounds,
        }
    }

    /// Whether this can be played.
    ///
    /// # Errors
    /// [`SetupError`] names what cannot.
    pub fn check(&self) -> Result<(), SetupError> {
        let (players, starts) = (self.players, self.map.starts().len());
        if !PLAYERS.contains(&players) {
            let (least, most) = (PLAYERS.start(), PLAYERS.end());
            return Err(SetupError(format!(
                "{players} cannot play; a game has {least} to {most} players"
            )));
        }
        if starts < players {
            return Err(SetupError(format!(
                "the map has {starts} start cells for {players} players"
            )));
        }
        if !(1..=ROUNDS_MAX).contains(&self.rounds) {
            return Err(SetupError(format!(
                "rounds must be a whole number from 1 to {ROUNDS_MAX}, not {}",
                self.rounds
            )));
        }
        Ok(())
    }
}

/// What a player is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ask {
    /// To get ready before the game; the act given does not matter.
    Prepare,
    /// A turn.
    Turn,
}

/// What a player does with its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Nothing.
    Pass,
    /// Moves to a neighbouring cell, or stays.
    Move(Step),
    /// Puts energy into the lighthouse it stands on; more than it has means all that it has.
    Attack(i64),
    /// Links the lighthouse it stands on with another one. A number that no lighthouse has stands for a place
    /// without a lighthouse.
    Connect(Lighthouse),
}

/// What a player receives besides its [`View`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The game begins, on this chart, for this player of this many.
    Begins(Arc<Chart>, Seat, usize),
    /// The result of its last act.
    Done(Act, Result<(), Refusal>),
}

/// What a player receives at its turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// Rounds that are over, as far as it can count them.
    pub round: u32,
    /// Where it stands.
    pub position: Cell,
    /// Its points up to the end of the last round.
    pub score: i64,
    /// Its energy.
    pub energy: u32,
    /// The set of lighthouses whose keys it has.
    #[serde(with = "super::chart::set")]
    #[schemars(with = "Vec<Lighthouse>")]
    pub keys: u64,
    /// The island cells in sight with their energy.
    pub seen: Vec<(Cell, u8)>,
    /// Every lighthouse, in the order of the chart.
    pub beacons: Vec<Beacon>,
}

impl View {
    /// Whether this act would succeed.
    ///
    /// # Errors
    /// [`Refusal`] says why not.
    pub fn legal(
        &self,
        chart: &Chart,
        seat: Seat,
        players: usize,
        act: Act,
    ) -> Result<(), Refusal> {
        let network = Network::from_beacons(chart, players, &self.beacons);
        legal(chart, &network, seat, self.position, self.keys, act)
    }

    /// The acts that would succeed; of attacks, some strengths.
    #[must_use]
    pub fn acts(&self, chart: &Chart, seat: Seat, players: usize) -> Vec<Act> {
        let network = Network::from_beacons(chart, players, &self.beacons);
        let mut acts = candidates(chart, self.position, self.energy);
        acts.retain(|act| legal(chart, &network, seat, self.position, self.keys, *act).is_ok());
        acts
    }

    /// What a player knows before its first state.
    #[must_use]
    pub fn unseen(chart: &Chart, position: Cell) -> Self {
        Self {
            round: 0,
            position,
            score: 0,
            energy: 0,
            keys: 0,
            seen: Vec::new(),
            beacons: vec![Beacon::default(); chart.lighthouses().len()],
        }
    }
}

/// Whether a player who stands there with these keys may do this.
fn legal(
    chart: &Chart,
    network: &Network,
    seat: Seat,
    position: Cell,
    keys: u64,
    act: Act,
) -> Result<(), Refusal> {
    let here = chart.lighthouse_at(position);
    match (act, here) {
        (Act::Move(step), _) if chart.moved(position, step).is_none() => Err(Refusal::NotIsland),
        (Act::Attack(_), None) => Err(Refusal::NotAtTarget),
        (Act::Attack(..=-1), Some(_)) => Err(Refusal::Negative),
        (Act::Connect(_), None) => Err(Refusal::NotAtOrigin),
        (Act::Connect(to), Some(at)) => network.linkable(chart, seat, keys, at, to),
        (Act::Pass | Act::Move(_) | Act::Attack(_), _) => Ok(()),
    }
}

/// Acts that may be tried from a cell, legal or not.
fn candidates(chart: &Chart, position: Cell, energy: u32) -> Vec<Act> {
    let steps = chart.neighbours(position).iter();
    let steps = steps.map(|to| Act::Move(chart.step(position, *to)));
    let energy = i64::from(energy);
    let all = 0..chart.lighthouses().len() as u8;
    let links = all.map(|to| Act::Connect(Lighthouse(to)));
    let attacks = [0, energy / 2, energy].map(Act::Attack);
    std::iter::once(Act::Pass)
        .chain(steps)
        .chain(attacks)
        .chain(links)
        .collect()
}

/// A player as the referee sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Player {
    /// Where it stands.
    pub position: Cell,
    /// Its energy.
    pub energy: u32,
    /// The set of lighthouses whose keys it has.
    pub keys: u64,
    /// Its points up to the end of the last round.
    pub score: i64,
}

/// One game.
#[derive(Clone, Debug)]
pub struct Lighthouses {
    chart: Arc<Chart>,
    /// Energy of every cell; 0 at sea.
    cells: Vec<u8>,
    network: Network,
    players: Vec<Player>,
    rounds: u32,
    /// Rounds that are over.
    round: u32,
    /// Whose turn it is.
    turn: Seat,
}

impl Lighthouses {
    /// The game at its first turn.
    #[must_use]
    pub fn begin(setup: &Setup) -> Self {
        let chart = Arc::new(setup.map.chart());
        let starts = setup.map.starts().take(setup.players);
        let players: Vec<Player> = starts
            .map(|at| Player {
                position: chart.cell(at).unwrap_or_default(),
                energy: 0,
                keys: 0,
                score: 0,
            })
            .collect();
        let mut game = Self {
            cells: vec![0; chart.cells()],
            network: Network::new(chart.lighthouses().len(), players.len()),
            players,
            rounds: setup.rounds,
            round: 0,
            turn: Seat(0),
            chart,
        };
        game.begin_round();
        game
    }

    /// Energy, keys, collection and decay.
    fn begin_round(&mut self) {
        for (cell, increment) in self.cells.iter_mut().zip(self.chart.increments()) {
            // At most 200: both are at most 100.
            *cell = (*cell + *increment).min(ENERGY_MAX);
        }
        for at in 0..self.players.len() {
            let here = self.players[at].position;
            if let Some(lighthouse) = self.chart.lighthouse_at(here) {
                self.players[at].keys |= lighthouse.bit();
            }
            let energy = u32::from(self.cells[here.index()]);
            if energy == 0 {
                continue;
            }
            let together = |player: &&mut Player| player.position == here;
            let count = self.players.iter().filter(|p| p.position == here).count();
            for player in self.players.iter_mut().filter(together) {
                player.energy = player.energy.saturating_add(energy / count as u32);
            }
            self.cells[here.index()] = 0;
        }
        self.network.decay(&self.chart);
    }

    /// Points, then the next round if there is one.
    fn end_round(&mut self) {
        for (seat, player) in (0..).map(Seat).zip(&mut self.players) {
            player.score += self.network.income(seat);
        }
        self.round += 1;
        self.turn = Seat(0);
        if self.round < self.rounds {
            self.begin_round();
        }
    }

    /// Plays the act of the player whose turn it is. Nothing happens once the game is over.
    ///
    /// # Errors
    /// [`Refusal`]: the turn passes without an act.
    pub fn play(&mut self, act: Act) -> Result<(), Refusal> {
        if self.is_over() {
            return Ok(());
        }
        let done = self.act(act);
        self.turn.0 += 1;
        if self.turn.index() >= self.players.len() {
            self.end_round();
        }
        done
    }

    fn act(&mut self, act: Act) -> Result<(), Refusal> {
        let seat = self.turn;
        self.legal(act)?;
        let player = &mut self.players[seat.index()];
        let here = self.chart.lighthouse_at(player.position);
        match (act, here) {
            (Act::Move(step), _) => {
                if let Some(target) = self.chart.moved(player.position, step) {
                    player.position = target;
                }
            }
            (Act::Attack(strength), Some(at)) => {
                let strength = u32::try_from(strength)
                    .unwrap_or(u32::MAX)
                    .min(player.energy);
                player.energy -= strength;
                self.network.attack(&self.chart, seat, at, strength);
            }
            (Act::Connect(to), Some(at)) => {
                player.keys &= !to.bit();
                self.network.join(&self.chart, at, to);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the player whose turn it is may do this.
    ///
    /// # Errors
    /// [`Refusal`]: the first of the engine's checks that fails.
    pub fn legal(&self, act: Act) -> Result<(), Refusal> {
        let seat = self.turn;
        let Player { position, keys, .. } = self.players[seat.index()];
        legal(&self.chart, &self.network, seat, position, keys, act)
    }

    /// The chart.
    #[must_use]
    pub fn chart(&self) -> &Arc<Chart> {
        &self.chart
    }

    /// Energy of every cell.
    #[must_use]
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The lighthouses.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The players, in order.
    #[must_use]
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// Rounds that are over.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.round
    }

    /// Whose turn it is; nobody's once the game is over.
    #[must_use]
    pub fn turn(&self) -> Option<Seat> {
        (!self.is_over()).then_some(self.turn)
    }

    /// Whether all rounds have been played.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.round >= self.rounds
    }

    /// Points by player.
    #[must_use]
    pub fn scores(&self) -> Seats<i64> {
        self.players.iter().map(|player| player.score).collect()
    }

    /// The cells within a straight-line distance of [`VIEW_REACH`] from a cell, row by row from the bottom:
    /// the square around it, with `None` where it is too far.
    pub fn sight(&self, from: Cell) -> impl Iterator<Item = Option<(Point, u8)>> {
        let centre = self.chart.point(from);
        let reach = -VIEW_REACH..=VIEW_REACH;
        reach.clone().flat_map(move |dy| {
            reach.clone().map(move |dx| {
                let at = Point::from((centre.x + dx, centre.y + dy));
                let near = dx * dx + dy * dy <= VIEW_REACH * VIEW_REACH;
                let energy = self
                    .chart
                    .cell(at)
                    .map_or(0, |cell| self.cells[cell.index()]);
                near.then_some((at, energy))
            })
        })
    }
}

impl drover_game::game::Game for Lighthouses {
    type Setup = Setup;
    type Ask = Ask;
    type Act = Act;
    type View = View;
    type Event = Event;

    fn open(setup: &Setup, listener: &mut impl Listener<Event>) -> Self {
        let game = Self::begin(setup);
        let players = game.players.len();
        for seat in (0..players as u8).map(Seat) {
            listener.receive(seat, || {
                Event::Begins(Arc::clone(&game.chart), seat, players)
            });
        }
        game
    }

    fn prepare(&self, seat: Seat) -> Option<(View, Ask)> {
        let player = self.players.get(seat.index())?;
        Some((View::unseen(&self.chart, player.position), Ask::Prepare))
    }

    fn asks(&self, mut ask: impl FnMut(Seat, &Ask)) {
        if let Some(seat) = self.turn() {
            ask(seat, &Ask::Turn);
        }
    }

    fn to_move(&self) -> Seats<bool> {
        Seats::from_fn(self.players.len(), |seat| self.turn() == Some(seat))
    }

    fn ask(&self, seat: Seat) -> Option<Ask> {
        (self.turn() == Some(seat)).then_some(Ask::Turn)
    }

    fn view(&self, seat: Seat) -> View {
        let player = &self.players[seat.index()];
        let island = |seen: Option<(Point, u8)>| {
            let (at, energy) = seen?;
            let cell = self.chart.cell(at)?;
            self.chart.island()[cell.index()].then_some((cell, energy))
        };
        View {
            round: self.round,
            position: player.position,
            score: player.score,
            energy: player.energy,
            keys: player.keys,
            seen: self.sight(player.position).filter_map(island).collect(),
            beacons: self.network.beacons().to_vec(),
        }
    }

    /// All legal steps and connections, and attacks with nothing, half and all of the energy.
    fn acts(&self, seat: Seat, out: &mut Vec<Act>) {
        if self.turn() != Some(seat) {
            return;
        }
        let player = &self.players[seat.index()];
        out.append(&mut candidates(&self.chart, player.position, player.energy));
        out.retain(|act| self.legal(*act).is_ok());
    }

    fn check(&self, seat: Seat, act: &Act) -> Result<(), Illegal> {
        if self.turn() != Some(seat) {
            return Err(Illegal("it is not your turn".to_owned()));
        }
        self.legal(*act).map_err(Illegal::new)
    }

    fn step(&mut self, acts: &[(Seat, Option<Act>)], listener: &mut impl Listener<Event>) {
        for (seat, act) in acts {
            if self.turn() == Some(*seat) {
                let act = act.unwrap_or(Act::Pass);
                let done = self.play(act);
                if done.is_err() {
                    listener.refuse(*seat);
                }
                listener.receive(*seat, || Event::Done(act, done));
            }
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.is_over().then(|| Outcome {
            cause: Cause::Normal,
            scores: self.scores(),
        })
    }
}
