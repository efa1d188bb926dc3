//! A stranger after the published notes of the winner of 2010: every planet's future, what it can spare
//! without being lost sooner, the future in which everybody sends all of that there, and one ply of moves
//! that are combined greedily from the best ones.

use super::space::{Order, Space, Way};
use games::planetwars::rules::{Force, Growth, NEUTRAL, PlayerId, fight};

/// Turns looked ahead.
const HORIZON: usize = 30;
/// Own help is this late when all attack.
const LATE: usize = 2;
/// Heads that moves are combined from.
const HEADS: usize = 5;
/// Rounds of a game.
const ROUNDS: usize = 200;
/// What an enemy's ship costs in a turn, where growth of one ship is this many.
const UNIT: i64 = 64;

type Turns<T> = Vec<T>;

/// Who lands or leaves when.
#[derive(Clone, Copy)]
struct Passing {
    turn: usize,
    owner: PlayerId,
    ships: i64,
}

#[derive(Clone)]
struct Line {
    landing: Vec<Passing>,
    leaving: Vec<Passing>,
    owner: Turns<PlayerId>,
    ships: Turns<i64>,
    /// What may leave in a turn, ships that could have left before included.
    surplus: Turns<i64>,
    /// Ships lost to nobody's planets, those of others negative.
    lost: i64,
}

/// A launch now or later.
#[derive(Clone, Copy)]
struct Launch {
    order: Order,
    wait: usize,
}

#[derive(Clone)]
struct Board<'a> {
    space: &'a Space,
    horizon: usize,
    lines: Vec<Line>,
}

impl<'a> Board<'a> {
    fn new(space: &'a Space) -> Self {
        let horizon = HORIZON
            .min(ROUNDS.saturating_sub(space.turn as usize))
            .max(2);
        let line = |place: usize| {
            let landing = space.coming.iter().filter(|coming| coming.to == place);
            Line {
                landing: landing
                    .map(|coming| Passing {
                        turn: coming.after as usize,
                        owner: coming.owner,
                        ships: coming.ships,
                    })
                    .collect(),
                leaving: Vec::new(),
                owner: vec![NEUTRAL; horizon + 1],
                ships: vec![0; horizon + 1],
                surplus: vec![0; horizon + 1],
                lost: 0,
            }
        };
        let mut board = Self {
            space,
            horizon,
            lines: (0..space.planets.len()).map(line).collect(),
        };
        for place in 0..board.lines.len() {
            board.roll(place);
        }
        board
    }

    fn side(&self, owner: PlayerId) -> i64 {
        match owner {
            NEUTRAL => 0,
            owner if owner == self.space.me => 1,
            _ => -1,
        }
    }

    fn roll(&mut self, place: usize) {
        let me = self.space.me;
        let planet = &self.space.planets[place];
        let rules = &self.space.rules;
        let first = rules.growth == Growth::BeforeBattles;
        let line = &mut self.lines[place];
        let (mut owner, mut ships) = (planet.owner, planet.ships);
        let mut low = vec![ships; self.horizon + 1];
        line.lost = 0;
        for (turn, low) in low.iter_mut().enumerate() {
            if turn > 0 {
                let growth = |owner| if owner == NEUTRAL { 0 } else { planet.growth };
                if first {
                    ships = (ships + growth(owner)).max(0);
                }
                let mut forces: Vec<Force> = Vec::new();
                for landing in line.landing.iter().filter(|at| at.turn == turn) {
                    match forces.iter_mut().find(|force| force.owner == landing.owner) {
                        Some(force) => force.ships += landing.ships,
                        None => forces.push(Force::new(landing.owner, landing.ships)),
                    }
                }
                if !forces.is_empty() {
                    if owner == NEUTRAL {
                        let most = forces.iter().max_by_key(|force| force.ships);
                        let most = most.map_or((me, 0), |force| (force.owner, force.ships));
                        let cost = most.1.min(ships);
                        line.lost += if most.0 == me { cost } else { -cost };
                    }
                    let garrison = Force::new(owner, ships);
                    let after = fight(rules.battle, garrison, &mut forces);
                    (owner, ships) = (after.owner, after.ships);
                }
                *low = ships;
                if !first {
                    ships = (ships + growth(owner)).max(0);
                }
            }
            let gone = line.leaving.iter();
            let gone = gone.filter(|at| at.turn == turn && at.owner == owner);
            ships = (ships - gone.map(|at| at.ships).sum::<i64>()).max(0);
            (line.owner[turn], line.ships[turn]) = (owner, ships);
        }
        let mut least = i64::MAX;
        for turn in (0..=self.horizon).rev() {
            if line.owner.get(turn + 1) != Some(&line.owner[turn]) {
                least = i64::MAX;
            }
            least = least.min(line.ships[turn]);
            line.surplus[turn] = least;
            if turn > 0 {
                least = least.min(low[turn]);
            }
        }
    }

    /// What each side could send to a planet, by the turn in which it lands.
    fn tides(&self, place: usize) -> (Turns<i64>, Turns<i64>) {
        let mut tides = (vec![0; self.horizon + 1], vec![0; self.horizon + 1]);
        for (from, line) in self.lines.iter().enumerate().filter(|(at, _)| *at != place) {
            let turns = self.space.turns(from, place) as usize;
            let (mut sent, mut before) = (0, NEUTRAL);
            for turn in 0..=self.horizon {
                let owner = line.owner[turn];
                if owner != before {
                    (sent, before) = (0, owner);
                }
                let more = line.surplus[turn] - sent;
                if owner == NEUTRAL || more <= 0 {
                    continue;
                }
                sent = line.surplus[turn];
                let ours = owner == self.space.me;
                let lands = turn + turns + if ours { LATE } else { 0 };
                let tide = if ours { &mut tides.0 } else { &mut tides.1 };
                if let Some(tide) = tide.get_mut(lands) {
                    *tide += more;
                }
            }
        }
        tides
    }

    /// The worth of a planet if everybody sends everything there.
    fn attacked(&self, place: usize) -> i64 {
        let (ours, theirs) = self.tides(place);
        let planet = &self.space.planets[place];
        let line = &self.lines[place];
        let first = self.space.rules.growth == Growth::BeforeBattles;
        let (mut held, mut ships) = (self.side(planet.owner), planet.ships);
        let (mut waiting_ours, mut waiting_theirs) = (0, 0);
        let (mut worth, mut idle) = (0, 0);
        for turn in 0..=self.horizon {
            if turn > 0 {
                if first && held != 0 {
                    ships = (ships + planet.growth).max(0);
                }
                let (mut friends, mut foes) = (0, 0);
                for landing in line.landing.iter().filter(|at| at.turn == turn) {
                    if landing.owner == self.space.me {
                        friends += landing.ships;
                    } else {
                        foes += landing.ships;
                    }
                }
                waiting_ours += ours[turn];
                waiting_theirs += theirs[turn];
                if held == 0 {
                    let (most, least) = (friends.max(foes), friends.min(foes));
                    if most > ships.max(least) {
                        held = if friends > foes { 1 } else { -1 };
                        ships = most - ships.max(least);
                    } else {
                        ships = (ships - most).max(0);
                    }
                } else {
                    friends += std::mem::take(&mut waiting_ours);
                    foes += std::mem::take(&mut waiting_theirs);
                    ships += (friends - foes) * held;
                    if ships < 0 {
                        (held, ships) = (-held, -ships);
                    }
                }
                if !first && held != 0 {
                    ships = (ships + planet.growth).max(0);
                }
                worth += held * planet.growth * UNIT;
                if held < 0 {
                    idle += ships;
                }
            }
            if held > 0 {
                let gone = line.leaving.iter().filter(|at| at.turn == turn);
                ships = (ships - gone.map(|at| at.ships).sum::<i64>()).max(0);
            }
        }
        worth - idle - line.lost * UNIT
    }

    fn score(&self) -> i64 {
        (0..self.lines.len())
            .map(|place| self.attacked(place))
            .sum()
    }

    fn launch(&mut self, launch: &Launch) {
        let Launch { order, wait } = *launch;
        let owner = self.space.me;
        let turn = wait + self.space.turns(order.from, order.to) as usize;
        let ships = order.ships;
        self.lines[order.from].leaving.push(Passing {
            turn: wait,
            owner,
            ships,
        });
        self.lines[order.to]
            .landing
            .push(Passing { turn, owner, ships });
        self.roll(order.from);
        self.roll(order.to);
    }

    /// The board after these launches, and its score.
    fn with(&self, launches: &[Launch]) -> (Self, i64) {
        let mut board = self.clone();
        launches.iter().for_each(|launch| board.launch(launch));
        let score = board.score();
        (board, score)
    }

    /// Launches that land n ships there in that turn, the farthest first.
    fn muster(&self, to: usize, turn: usize, mut ships: i64) -> Option<Vec<Launch>> {
        let mut sources: Vec<(usize, usize)> = (0..self.lines.len())
            .filter(|from| *from != to)
            .map(|from| (self.space.turns(from, to) as usize, from))
            .filter(|(turns, _)| *turns <= turn)
            .collect();
        sources.sort_unstable_by(|one, other| other.cmp(one));
        let mut launches = Vec::new();
        for (turns, from) in sources {
            let (line, wait) = (&self.lines[from], turn - turns);
            if line.owner[wait] != self.space.me || line.surplus[wait] < 1 {
                continue;
            }
            let sent = line.surplus[wait].min(ships);
            let order = Order {
                from,
                to,
                ships: sent,
            };
            launches.push(Launch { order, wait });
            ships -= sent;
            if ships == 0 {
                return Some(launches);
            }
        }
        None
    }

    /// Ships that must land in that turn for the planet to be ours; `None`: none.
    fn needed(&self, to: usize, turn: usize) -> Option<i64> {
        let line = &self.lines[to];
        let before = line.owner[turn - 1];
        if line.owner[turn] == self.space.me {
            return None;
        }
        let grows = self.space.rules.growth == Growth::BeforeBattles && before != NEUTRAL;
        let grown = if grows {
            self.space.planets[to].growth
        } else {
            0
        };
        let mut garrison = line.ships[turn - 1] + grown;
        let (mut foes, mut own) = (0, 0);
        for landing in line.landing.iter().filter(|at| at.turn == turn) {
            if landing.owner == self.space.me {
                own += landing.ships;
            } else if landing.owner == before {
                garrison += landing.ships;
            } else {
                foes += landing.ships;
            }
        }
        let need = if before == self.space.me {
            foes - garrison - own
        } else {
            garrison.max(foes) + 1 - own
        };
        (need > 0).then_some(need)
    }

    /// To take or hold a planet as early as can be, just so and surely, and after it changes hands.
    fn moves(&self) -> Vec<Vec<Launch>> {
        let mut moves = Vec::new();
        for to in 0..self.lines.len() {
            let mut first = true;
            for turn in 1..self.horizon {
                let owner = &self.lines[to].owner;
                let changes = owner[turn] != owner[turn - 1]
                    || (turn > 1 && owner[turn - 1] != owner[turn - 2]);
                if !first && !changes {
                    continue;
                }
                let Some(need) = self.needed(to, turn) else {
                    continue;
                };
                for sure in [need, need + need / 2 + 2] {
                    if let Some(launches) = self.muster(to, turn, sure) {
                        moves.push(launches);
                        first = false;
                    }
                }
            }
        }
        for (from, line) in self.lines.iter().enumerate() {
            let ships = line.surplus[0];
            if line.owner[0] != self.space.me || ships < 1 {
                continue;
            }
            for (to, other) in self.lines.iter().enumerate() {
                let turns = self.space.turns(from, to) as usize;
                if to != from && other.owner.get(turns) == Some(&self.space.me) {
                    let order = Order { from, to, ships };
                    moves.push(vec![Launch { order, wait: 0 }]);
                }
            }
        }
        moves
    }

    /// Whether these ships can still leave so.
    fn fits(&self, launches: &[Launch]) -> bool {
        launches.iter().all(|launch| {
            let line = &self.lines[launch.order.from];
            line.owner[launch.wait] == self.space.me
                && line.surplus[launch.wait] >= launch.order.ships
        })
    }
}

/// The winner's way.
#[derive(Clone)]
pub(super) struct Futures;

impl Way for Futures {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let board = Board::new(space);
        let base = board.score();
        let with = Board::with;
        let mut moves: Vec<(i64, Vec<Launch>)> = board
            .moves()
            .into_iter()
            .map(|launches| (with(&board, &launches).1, launches))
            .filter(|(score, _)| *score > base)
            .collect();
        moves.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        moves.truncate(40);
        let mut best: (i64, Vec<Launch>) = (base, Vec::new());
        for head in 0..moves.len().min(HEADS) {
            let (mut now, mut score) = with(&board, &moves[head].1);
            let mut all = moves[head].1.clone();
            for (at, (_, launches)) in moves.iter().enumerate() {
                if at == head || !now.fits(launches) {
                    continue;
                }
                let (next, worth) = with(&now, launches);
                if worth > score {
                    (now, score) = (next, worth);
                    all.extend(launches);
                }
            }
            if score > best.0 {
                best = (score, all);
            }
        }
        let now = best.1.into_iter().filter(|launch| launch.wait == 0);
        let mut orders: Vec<Order> = Vec::new();
        for launch in now {
            let spent = orders
                .iter()
                .filter(|order| order.from == launch.order.from);
            let spent: i64 = spent.map(|order| order.ships).sum();
            let ships = launch
                .order
                .ships
                .min(space.planets[launch.order.from].ships - spent);
            if ships > 0 && space.planets[launch.order.from].owner == space.me {
                orders.push(Order {
                    ships,
                    ..launch.order
                });
            }
        }
        (orders, Vec::new())
    }
}
