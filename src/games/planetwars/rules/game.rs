//! The state machine: orders leave, time passes, fleets land, planets grow, players and teams drop out.

mod orders;

use super::battle::{Force, fight};
use super::distances::Distances;
use super::ruleset::{Alive, Dropped, Growth, Ruleset};
use super::setup::{Setup, SetupFault};
use super::world::{
    Act, Ask, Launch, NEUTRAL, Planet, PlanetId, PlayerId, ShownFleet, TEAM_MAX, View,
};
use drover_game::game::{Cause, Game, Illegal, Listener, Outcome, Seat, Seats};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Growth whose price exceeds what any planet can pay is not priced any further.
pub(super) const UPGRADE_MAX: i64 = 62;

/// No player receives anything between two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Event {}

/// Ships in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fleet {
    pub(super) owner: Seat,
    pub(super) from: u16,
    pub(super) to: u16,
    pub(super) ships: i64,
    /// The turns in which it left and lands.
    pub(super) left: u32,
    pub(super) lands: u32,
}

/// What is known about a player besides its planets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Player {
    id: PlayerId,
    team: u8,
    /// Whose words it receives.
    before: Seat,
    /// What it said last round.
    said: u32,
    /// Ships in flight.
    pub(super) flying: i64,
    dropped: bool,
}

/// A game in play.
#[derive(Clone, Debug)]
pub struct PlanetWars {
    pub(super) ruleset: Ruleset,
    pub(super) planets: Arc<Vec<Planet>>,
    /// Each planet's owner, by seat.
    pub(super) owners: Vec<Option<Seat>>,
    pub(super) distances: Arc<Distances>,
    /// Places of planets in the list, by number.
    pub(super) places: Arc<Vec<(PlanetId, u16)>>,
    pub(super) players: Vec<Player>,
    /// Fleets by the turn of their landing, modulo the length.
    pub(super) flights: Vec<Vec<Fleet>>,
    /// Fleets that would land after the last round: they are in flight to the end.
    pub(super) beyond: Vec<Fleet>,
    pub(super) turn: u32,
    over: Option<Outcome>,
}

impl PlanetWars {
    /// The game at its start.
    ///
    /// # Errors
    /// [`SetupFault`], as from [`Setup::check`].
    pub fn begin(setup: &Setup) -> Result<Self, SetupFault> {
        setup.check()?;
        let ruleset = setup.ruleset;
        let distances = Distances::new(&setup.planets, ruleset.travel);
        let mut places: Vec<(PlanetId, u16)> = (0u16..)
            .zip(&setup.planets)
            .map(|(place, planet)| (planet.id, place))
            .collect();
        places.sort_unstable();
        let seat_of = |owner: PlayerId| {
            let at = setup.players.iter().position(|id| *id == owner)?;
            Some(Seat(at as u8))
        };
        let mut game = Self {
            ruleset,
            owners: setup
                .planets
                .iter()
                .map(|planet| seat_of(planet.owner))
                .collect(),
            // A slot for every turn of the longest flight that lands, plus the present one and a delayed one.
            flights: vec![Vec::new(); distances.longest().min(ruleset.rounds) as usize + 3],
            beyond: Vec::new(),
            distances: Arc::new(distances),
            places: Arc::new(places),
            players: ring(setup),
            planets: Arc::new(setup.planets.clone()),
            turn: 0,
            over: None,
        };
        if ruleset.first_growth {
            game.grow();
        }
        game.judge(false);
        Ok(game)
    }

    /// The rules in force.
    #[must_use]
    pub const fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// The planets in their present state.
    #[must_use]
    pub const fn planets(&self) -> &Arc<Vec<Planet>> {
        &self.planets
    }

    /// Rounds that are over.
    #[must_use]
    pub const fn turn(&self) -> u32 {
        self.turn
    }

    /// A seat's number on the wire.
    #[must_use]
    pub fn player(&self, seat: Seat) -> Option<PlayerId> {
        self.players.get(seat.index()).map(|player| player.id)
    }

    /// The word that a seat receives with the present state.
    #[must_use]
    pub fn word_for(&self, seat: Seat) -> u32 {
        let before_of = |seat: Seat| self.players.get(seat.index()).map(|player| player.before);
        let mut before = before_of(seat);
        // Who is out is not asked, and the ring closes around it.
        for _ in 0..TEAM_MAX {
            let Some(at) = before.filter(|at| *at != seat && !self.plays(*at)) else {
                break;
            };
            before = before_of(at);
        }
        let before = before.and_then(|before| self.players.get(before.index()));
        before.map_or(0, |player| player.said)
    }

    /// Every fleet in flight, those that land first and then those that left first before the others.
    #[must_use]
    pub fn fleets(&self) -> Vec<ShownFleet> {
        let landing = self.flights.iter().flatten();
        let mut flying: Vec<&Fleet> = landing.chain(&self.beyond).collect();
        flying.sort_by_key(|fleet| (fleet.lands, fleet.left, fleet.owner));
        let id = |place: u16| self.planets.get(usize::from(place)).map(|planet| planet.id);
        let shown = flying.into_iter().filter_map(|fleet| {
            Some(ShownFleet {
                owner: self.player(fleet.owner)?,
                from: id(fleet.from)?,
                to: id(fleet.to)?,
                ships: fleet.ships,
                turns: fleet.lands - fleet.left,
                left: fleet.lands - self.turn,
            })
        });
        shown.collect()
    }

    /// Ships in flight, by seat.
    #[must_use]
    pub fn flying(&self, seat: Seat) -> i64 {
        self.players
            .get(seat.index())
            .map_or(0, |player| player.flying)
    }

    /// Whether a seat has been dropped.
    #[must_use]
    pub fn is_dropped(&self, seat: Seat) -> bool {
        self.players
            .get(seat.index())
            .is_some_and(|player| player.dropped)
    }

    /// Whether a seat is still alive as the rules define it.
    #[must_use]
    pub fn is_alive(&self, seat: Seat) -> bool {
        let fleets = self.ruleset.alive == Alive::Fleets && self.flying(seat) > 0;
        fleets || self.owners.contains(&Some(seat))
    }

    /// Whether a seat is asked: where only planets keep a player in the game, it is out for good without any.
    fn plays(&self, seat: Seat) -> bool {
        self.ruleset.alive == Alive::Fleets || self.is_alive(seat)
    }

    /// Drops these seats: they broke the rules, or their programs failed. All at once, so that none wins by
    /// failing a moment later.
    pub fn drop_players(&mut self, seats: &[Seat]) {
        for seat in seats {
            self.drop_player(*seat);
        }
        if !seats.is_empty() {
            self.judge(true);
        }
    }

    fn drop_player(&mut self, seat: Seat) {
        let Some(player) = self.players.get_mut(seat.index()) else {
            return;
        };
        player.dropped = true;
        player.said = 0;
        let team = player.team;
        match self.ruleset.dropped {
            Dropped::Idle => {}
            Dropped::Neutral => {
                self.sink(seat);
                let planets = Arc::make_mut(&mut self.planets);
                for (owner, planet) in self.owners.iter_mut().zip(planets) {
                    if *owner == Some(seat) {
                        *owner = None;
                        planet.owner = NEUTRAL;
                    }
                }
            }
            Dropped::Team => {
                for mate in self.players.iter_mut().filter(|mate| mate.team == team) {
                    mate.dropped = true;
                    mate.said = 0;
                }
            }
        }
    }

    /// Removes a seat's fleets.
    fn sink(&mut self, seat: Seat) {
        for landing in self.flights.iter_mut().chain([&mut self.beyond]) {
            landing.retain(|fleet| fleet.owner != seat);
        }
        if let Some(player) = self.players.get_mut(seat.index()) {
            player.flying = 0;
        }
    }

    fn grow(&mut self) {
        let planets = Arc::make_mut(&mut self.planets);
        for planet in planets.iter_mut().filter(|planet| planet.owner != NEUTRAL) {
            planet.ships = (planet.ships + planet.growth).max(0);
        }
    }

    fn land(&mut self) {
        let now = self.turn as usize % self.flights.len();
        let mut landing = std::mem::take(&mut self.flights[now]);
        if landing.is_empty() {
            return;
        }
        // By planet and player; equal ones keep their order.
        landing.sort_by_key(|fleet| (fleet.to, fleet.owner));
        let planets = Arc::make_mut(&mut self.planets);
        let mut arrivals: Vec<Force> = Vec::new();
        for fleets in landing.chunk_by(|one, other| one.to == other.to) {
            let place = fleets.first().map_or(0, |fleet| usize::from(fleet.to));
            arrivals.clear();
            for force in fleets.chunk_by(|one, other| one.owner == other.owner) {
                let ships = force.iter().map(|fleet| fleet.ships).sum();
                let owner = force.first().map_or(0, |fleet| fleet.owner.index());
                if let Some(player) = self.players.get_mut(owner) {
                    player.flying -= ships;
                    arrivals.push(Force::new(player.id, ships));
                }
            }
            if let Some(planet) = planets.get_mut(place) {
                let garrison = Force::new(planet.owner, planet.ships);
                let Force { owner, ships } = fight(self.ruleset.battle, garrison, &mut arrivals);
                (planet.owner, planet.ships) = (owner, ships);
                let at = self.players.iter().position(|player| player.id == owner);
                self.owners[place] = at.map(|at| Seat(at as u8));
            }
        }
        landing.clear();
        self.flights[now] = landing;
    }

    /// One round: the orders of all seats, in no order. `None` and missing seats order nothing.
    pub fn play(&mut self, acts: &[(Seat, Option<Act>)]) {
        if self.over.is_some() {
            return;
        }
        for player in &mut self.players {
            player.said = 0;
        }
        for (seat, act) in acts {
            let Some(act) = act else { continue };
            if self.is_dropped(*seat) {
                continue;
            }
            self.depart(*seat, act);
            if let Some(player) = self.players.get_mut(seat.index()) {
                player.said = act.message.unwrap_or_default();
            }
        }
        self.turn += 1;
        match self.ruleset.growth {
            Growth::AfterBattles => {
                self.land();
                self.grow();
            }
            Growth::BeforeBattles => {
                self.grow();
                self.land();
            }
        }
        if self.ruleset.alive == Alive::Planets {
            for seat in (0..self.players.len() as u8).map(Seat) {
                if self.flying(seat) > 0 && !self.is_alive(seat) {
                    self.sink(seat);
                }
            }
        }
        self.judge(false);
    }

    /// One round; seats whose answers break the rules are dropped first; returns which.
    pub fn answered(&mut self, acts: &[(Seat, Option<Act>)]) -> Vec<(Seat, Illegal)> {
        let mut offenders = Vec::new();
        for (seat, act) in acts {
            if let Some(Err(illegal)) = act.as_ref().map(|act| self.check(*seat, act)) {
                offenders.push((*seat, illegal));
            }
        }
        let dropped: Vec<Seat> = offenders.iter().map(|(seat, _)| *seat).collect();
        self.drop_players(&dropped);
        self.play(acts);
        offenders
    }

    /// All ships of a team that count.
    #[must_use]
    pub fn total(&self, team: u8) -> i64 {
        let of = |seat: &Seat| {
            let player = self.players.get(seat.index());
            player.is_some_and(|player| player.team == team)
        };
        let on_planets = self.owners.iter().zip(self.planets.iter());
        let on_planets: i64 = on_planets
            .filter(|(owner, _)| owner.as_ref().is_some_and(of))
            .map(|(_, planet)| planet.ships)
            .sum();
        let mates = self.players.iter().filter(|player| player.team == team);
        let flying: i64 = mates.map(|player| player.flying).sum();
        on_planets
            + if self.ruleset.flight_counts {
                flying
            } else {
                0
            }
    }

    /// Ends the game if it is over: one team left, or the last round. `dropped`: a player was just dropped.
    fn judge(&mut self, dropped: bool) {
        if self.over.is_some() {
            return;
        }
        let mut alive = vec![false; self.players.len()];
        for owner in self.owners.iter().flatten() {
            if let Some(alive) = alive.get_mut(owner.index()) {
                *alive = true;
            }
        }
        let fleets = self.ruleset.alive == Alive::Fleets;
        // For each team: whether it exists at all, is alive, and has a player left.
        let mut teams = [(false, false, false); 1 << 8];
        for (player, alive) in self.players.iter().zip(alive) {
            let (there, lives, plays) = &mut teams[usize::from(player.team)];
            *there = true;
            *lives |= alive || (fleets && player.flying > 0);
            *plays |= !player.dropped;
        }
        let left = teams.iter().filter(|(_, lives, plays)| *lives && *plays);
        // A lone team plays to the last round.
        let rivals = teams.iter().filter(|(there, ..)| *there).count() > 1;
        let left = left.count();
        let last = self.turn >= self.ruleset.rounds;
        if !last && left > usize::from(rivals) {
            return;
        }
        let scores = self.players.iter().map(|player| {
            let (_, lives, plays) = teams[usize::from(player.team)];
            if lives && plays {
                self.total(player.team)
            } else {
                LOST
            }
        });
        let scores: Seats<i64> = scores.collect();
        let cause = if dropped {
            Cause::IllegalMove
        } else {
            Cause::Normal
        };
        self.over = Some(Outcome { cause, scores });
    }
}

/// The score of a team that has nothing left, or no player left.
pub const LOST: i64 = -1;

/// Who receives whose words: in each team by rising numbers, the lowest receives the highest's.
fn ring(setup: &Setup) -> Vec<Player> {
    let seats = || setup.players.iter().zip(&setup.teams).enumerate();
    let before = |id: PlayerId, team: u8| {
        let mates = || seats().filter(|(_, (_, other))| **other == team);
        let lower = mates().filter(|(_, (mate, _))| **mate < id);
        let before = lower.max_by_key(|(_, (mate, _))| **mate);
        before.or_else(|| mates().max_by_key(|(_, (mate, _))| **mate))
    };
    seats()
        .map(|(_, (id, team))| Player {
            id: *id,
            team: *team,
            before: before(*id, *team).map_or(Seat(0), |(seat, _)| Seat(seat as u8)),
            said: 0,
            flying: 0,
            dropped: false,
        })
        .collect()
}

impl Game for PlanetWars {
    type Setup = Setup;
    type Ask = Ask;
    type Act = Act;
    type View = View;
    type Event = Event;

    /// A setup that fails [`Setup::check`] gives a game without planets that is over at once.
    fn open(setup: &Setup, _: &mut impl Listener<Event>) -> Self {
        Self::begin(setup).unwrap_or_else(|_| Self {
            ruleset: setup.ruleset,
            planets: Arc::default(),
            owners: Vec::new(),
            distances: Arc::new(Distances::new(&[], setup.ruleset.travel)),
            places: Arc::default(),
            players: ring(setup),
            flights: vec![Vec::new()],
            beyond: Vec::new(),
            turn: 0,
            over: Some(Outcome {
                cause: Cause::Stalled,
                scores: setup.players.iter().map(|_| 0).collect(),
            }),
        })
    }

    fn to_move(&self) -> Seats<bool> {
        let players = self.players.iter();
        let seats = (0..).map(Seat).zip(players);
        seats
            .map(|(seat, player)| self.over.is_none() && !player.dropped && self.plays(seat))
            .collect()
    }

    fn ask(&self, seat: Seat) -> Option<Ask> {
        let player = self.players.get(seat.index())?;
        (self.over.is_none() && !player.dropped && self.plays(seat)).then_some(Ask)
    }

    fn view(&self, seat: Seat) -> View {
        View {
            turn: self.turn,
            planets: Arc::clone(&self.planets),
            fleets: self.ruleset.shows_fleets.then(|| Arc::new(self.fleets())),
            message: self.ruleset.messages.then(|| self.word_for(seat)),
            you: self.player(seat).unwrap_or(NEUTRAL),
        }
    }

    /// Nothing, half or all of each own planet to the next in the list, and a first word.
    fn acts(&self, seat: Seat, out: &mut Vec<Act>) {
        if self.ask(seat).is_none() {
            return;
        }
        out.push(Act::default());
        let planets = self.planets.len();
        for (place, planet) in self.planets.iter().enumerate() {
            if planets < 2 || self.owners.get(place) != Some(&Some(seat)) || planet.ships == 0 {
                continue;
            }
            for (step, ships) in [
                (1, planet.ships),
                (planets / 2 + 1, planet.ships - planet.ships / 2),
            ] {
                let goal = self.planets.get((place + step) % planets);
                let Some(goal) = goal.filter(|goal| goal.id != planet.id) else {
                    continue;
                };
                out.push(Act {
                    launches: vec![Launch {
                        from: planet.id,
                        to: goal.id,
                        ships,
                    }],
                    upgrades: Vec::new(),
                    message: Some(self.turn),
                });
            }
        }
    }

    fn check(&self, seat: Seat, act: &Act) -> Result<(), Illegal> {
        self.check_orders(seat, act)
    }

    fn step(&mut self, acts: &[(Seat, Option<Act>)], word_for: &mut impl Listener<Event>) {
        for (seat, _) in self.answered(acts) {
            word_for.refuse(seat);
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.over.clone()
    }
}
