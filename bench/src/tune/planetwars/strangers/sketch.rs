//! A stranger of one ply: every planet's future in which both sides send all that they can spare, moves that
//! capture or bring ships together, and the best beginning of a few combinations of them.

use super::space::{Order, Space, Way};
use games::planetwars::rules::{Growth, NEUTRAL};

/// Turns looked ahead, and rounds of a game.
const HORIZON: usize = 30;
const ROUNDS: usize = 200;
/// What is sent at the end lands within this number of turns.
const LATEST: usize = 25;
/// Own help is this late when all attack.
const LATE: usize = 2;
/// Combinations of moves, and moves that are combined.
const HEADS: usize = 5;
const MOVES: usize = 40;
/// What growth of one ship in one turn is worth, where an enemy's ship in the end is 1.
const GROWTH: i64 = 1_000;

/// A launch now or later.
#[derive(Clone, Copy)]
pub(super) struct Launch {
    order: Order,
    wait: usize,
}

/// A planet's future; what is held is 1 for ours, -1 for theirs, 0 for nobody's.
#[derive(Clone)]
struct Line {
    /// Ours and theirs that land, and ours that leave, by turn.
    landing: Vec<[i64; 2]>,
    leaving: Vec<i64>,
    held: Vec<i64>,
    ships: Vec<i64>,
    /// What may leave in a turn, or before, without a loss later.
    spare: Vec<i64>,
}

/// All planets' futures.
#[derive(Clone)]
pub(super) struct Board<'a> {
    space: &'a Space,
    horizon: usize,
    lines: Vec<Line>,
}

/// Who holds a planet, with how many ships, after a battle.
fn battle(held: i64, ships: i64, [ours, theirs]: [i64; 2]) -> (i64, i64) {
    let (most, least) = (ours.max(theirs), ours.min(theirs));
    if held != 0 {
        let left = ships + held * (ours - theirs);
        return if left < 0 {
            (-held, -left)
        } else {
            (held, left)
        };
    }
    if most > ships.max(least) {
        return (if ours > theirs { 1 } else { -1 }, most - ships.max(least));
    }
    (0, (ships - most).max(0))
}

impl<'a> Board<'a> {
    pub(super) fn new(space: &'a Space, horizon: usize) -> Self {
        let left = ROUNDS.saturating_sub(space.turn as usize).max(2);
        let horizon = horizon.min(left);
        let line = |_| Line {
            landing: vec![[0; 2]; horizon + 1],
            leaving: vec![0; horizon + 1],
            held: vec![0; horizon + 1],
            ships: vec![0; horizon + 1],
            spare: vec![0; horizon + 1],
        };
        let lines = space.planets.iter().map(line).collect();
        let mut board = Self {
            space,
            horizon,
            lines,
        };
        for coming in &space.coming {
            let side = usize::from(coming.owner != space.me);
            let landing = &mut board.lines[coming.to].landing;
            if let Some(landing) = landing.get_mut(coming.after as usize) {
                landing[side] += coming.ships;
            }
        }
        (0..board.lines.len()).for_each(|place| board.roll(place));
        board
    }

    fn held(&self, place: usize) -> i64 {
        match self.space.planets[place].owner {
            NEUTRAL => 0,
            owner if owner == self.space.me => 1,
            _ => -1,
        }
    }

    fn roll(&mut self, place: usize) {
        let planet = &self.space.planets[place];
        let first = self.space.rules.growth == Growth::BeforeBattles;
        let (mut held, mut ships) = (self.held(place), planet.ships);
        let line = &mut self.lines[place];
        for turn in 0..=self.horizon {
            if turn > 0 {
                let grown = |held: i64, ships: i64| (ships + planet.growth * held.abs()).max(0);
                if first {
                    ships = grown(held, ships);
                }
                (held, ships) = battle(held, ships, line.landing[turn]);
                // What is left after the battle counts, not what has grown since.
                line.spare[turn - 1] = line.spare[turn - 1].min(if held == line.held[turn - 1] {
                    ships
                } else {
                    i64::MAX
                });
                if !first {
                    ships = grown(held, ships);
                }
            }
            if held > 0 {
                ships = (ships - line.leaving[turn]).max(0);
            }
            (line.held[turn], line.ships[turn]) = (held, ships);
            line.spare[turn] = ships;
        }
        for turn in (0..self.horizon).rev() {
            if line.held[turn] == line.held[turn + 1] {
                line.spare[turn] = line.spare[turn].min(line.spare[turn + 1]);
            }
        }
    }

    /// What each side could land on a planet, by turn, besides what is under way.
    fn tides(&self, place: usize) -> Vec<[i64; 2]> {
        let mut tides = vec![[0; 2]; self.horizon + 1];
        for (from, line) in self.lines.iter().enumerate().filter(|(at, _)| *at != place) {
            let turns = self.space.turns(from, place) as usize;
            let mut sent = 0;
            for turn in 0..=self.horizon.saturating_sub(turns) {
                let held = line.held[turn];
                if turn > 0 && held != line.held[turn - 1] {
                    sent = 0;
                }
                let more = line.spare[turn] - sent;
                if held == 0 || more <= 0 {
                    continue;
                }
                sent = line.spare[turn];
                let lands = turn + turns + if held > 0 { LATE } else { 0 };
                if let Some(tide) = tides.get_mut(lands) {
                    tide[usize::from(held < 0)] += more;
                }
            }
        }
        tides
    }

    /// What a planet grows for us, and what is on it for them in the end, if everybody sends everything there.
    fn attacked(&self, place: usize) -> i64 {
        let planet = &self.space.planets[place];
        let first = self.space.rules.growth == Growth::BeforeBattles;
        let (mut held, mut ships) = (self.held(place), planet.ships);
        let line = &self.lines[place];
        let tides = self.tides(place);
        let mut near = [0; 2];
        let mut worth = 0;
        // Until it is ours, nothing that could be sent is sent.
        let mut once = held > 0;
        for (turn, [ours, theirs]) in tides.into_iter().enumerate() {
            if turn > 0 {
                let grown = |held: i64, ships: i64| (ships + planet.growth * held.abs()).max(0);
                if first {
                    ships = grown(held, ships);
                }
                near = [near[0] + ours, near[1] + theirs];
                let mut both = line.landing[turn];
                if held != 0 && once {
                    both = [both[0] + near[0], both[1] + near[1]];
                    near = [0; 2];
                }
                (held, ships) = battle(held, ships, both);
                once |= held > 0;
                if !first {
                    ships = grown(held, ships);
                }
                worth += held * planet.growth * GROWTH;
            }
            if held > 0 {
                ships = (ships - line.leaving[turn]).max(0);
            }
        }
        worth - if held < 0 { ships } else { 0 }
    }

    /// What all planets grow for us if each in turn is attacked by all.
    pub(super) fn score(&self) -> i64 {
        (0..self.lines.len())
            .map(|place| self.attacked(place))
            .sum()
    }

    fn launch(&mut self, launches: &[Launch]) {
        for Launch { order, wait } in launches {
            self.lines[order.from].leaving[*wait] += order.ships;
            let lands = wait + self.space.turns(order.from, order.to) as usize;
            if let Some(landing) = self.lines[order.to].landing.get_mut(lands) {
                landing[0] += order.ships;
            }
            self.roll(order.from);
            self.roll(order.to);
        }
    }

    /// The board after these launches, and its score.
    fn with(&self, launches: &[Launch]) -> (Self, i64) {
        let mut board = self.clone();
        board.launch(launches);
        let score = board.score();
        (board, score)
    }

    /// Launches that land n ships there in that turn, the farthest first.
    fn muster(&self, to: usize, turn: usize, mut ships: i64) -> Option<Vec<Launch>> {
        let sources = (0..self.lines.len()).filter(|from| *from != to);
        let sources = sources.map(|from| (self.space.turns(from, to) as usize, from));
        let mut sources: Vec<(usize, usize)> =
            sources.filter(|(turns, _)| *turns <= turn).collect();
        sources.sort_unstable_by(|one, other| other.cmp(one));
        let mut launches = Vec::new();
        for (turns, from) in sources {
            let (line, wait) = (&self.lines[from], turn - turns);
            if line.held[wait] < 1 || line.spare[wait] < 1 {
                continue;
            }
            let sent = line.spare[wait].min(ships);
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

    /// Ships that must land in that turn for a planet to be ours; `None`: none.
    fn needed(&self, to: usize, turn: usize) -> Option<i64> {
        let line = &self.lines[to];
        if line.held[turn] > 0 {
            return None;
        }
        let (held, ships) = (line.held[turn - 1], line.ships[turn - 1]);
        let first = self.space.rules.growth == Growth::BeforeBattles;
        let grown = if first {
            self.space.planets[to].growth * held.abs()
        } else {
            0
        };
        let garrison = (ships + grown).max(0);
        let [ours, theirs] = line.landing[turn];
        let need = match held {
            0 => garrison.max(theirs) + 1,
            1 => theirs - garrison,
            _ => garrison + theirs + 1,
        };
        (need > ours).then_some(need - ours)
    }

    /// Captures as early as can be and after changes of hands, and all that a planet can spare to another.
    fn moves(&self) -> Vec<Vec<Launch>> {
        let mut moves = Vec::new();
        for to in 0..self.lines.len() {
            let held = &self.lines[to].held;
            let mut first = true;
            for turn in 1..=self.horizon.min(LATEST) {
                let changes =
                    held[turn] != held[turn - 1] || (turn > 1 && held[turn - 1] != held[turn - 2]);
                if !first && !changes {
                    continue;
                }
                let Some(need) = self.needed(to, turn) else {
                    continue;
                };
                for ships in [need, need + need / 2 + 2] {
                    if let Some(launches) = self.muster(to, turn, ships) {
                        moves.push(launches);
                        first = false;
                    }
                }
            }
        }
        for (from, line) in self
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.held[0] > 0 && line.spare[0] > 0)
        {
            for (to, other) in self.lines.iter().enumerate().filter(|(to, _)| *to != from) {
                let turns = self.space.turns(from, to) as usize;
                if other.held.get(turns).is_some_and(|held| *held > 0) {
                    let order = Order {
                        from,
                        to,
                        ships: line.spare[0],
                    };
                    moves.push(vec![Launch { order, wait: 0 }]);
                }
            }
        }
        moves
    }

    /// Whether these ships can still leave so.
    fn fits(&self, launches: &[Launch]) -> bool {
        launches.iter().all(|Launch { order, wait }| {
            let line = &self.lines[order.from];
            line.held[*wait] > 0 && line.spare[*wait] >= order.ships
        })
    }
}

/// Launches, and the score of the board after them.
pub(super) type Choice = (i64, Vec<Launch>);

/// For each of the first `heads` moves, with every further move that still fits, best first, the beginning that scores most; the
/// first choice is to do nothing.
pub(super) fn choices(board: &Board<'_>, heads: usize) -> Vec<Choice> {
    let moves = board.moves().into_iter();
    let scored = moves.map(|launches| (board.with(&launches).1, launches));
    let mut moves: Vec<Choice> = scored.collect();
    moves.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    moves.truncate(MOVES);
    let mut choices = vec![(board.score(), Vec::new())];
    for head in 0..moves.len().min(heads) {
        let others = (0..moves.len()).filter(|at| *at != head);
        let (mut now, mut all) = (board.clone(), Vec::new());
        let mut best: Choice = (i64::MIN, Vec::new());
        for at in std::iter::once(head).chain(others) {
            let launches = &moves[at].1;
            if again(&all, launches) || !now.fits(launches) {
                continue;
            }
            let (next, score) = now.with(launches);
            now = next;
            all.extend(launches);
            if score > best.0 {
                best = (score, all.clone());
            }
        }
        choices.push(best);
    }
    choices
}

/// Whether a move is among these launches already: several fleets that land there, or one on the same way.
fn again(all: &[Launch], launches: &[Launch]) -> bool {
    let [first, rest @ ..] = launches else {
        return true;
    };
    let first = &first.order;
    all.iter().any(|Launch { order, .. }| {
        order.to == first.to && (order.from == first.from || !rest.is_empty())
    })
}

/// What of these launches leaves now.
pub(super) fn now(launches: &[Launch]) -> Vec<Order> {
    let mut orders: Vec<Order> = Vec::new();
    for Launch { order, .. } in launches.iter().filter(|launch| launch.wait == 0) {
        let way = (order.from, order.to);
        match orders
            .iter_mut()
            .find(|other| (other.from, other.to) == way)
        {
            Some(other) => other.ships += order.ships,
            None => orders.push(*order),
        }
    }
    orders
}

/// The way of the sketch.
#[derive(Clone)]
pub(super) struct Sketch;

impl Way for Sketch {
    fn turn(&mut self, space: &Space) -> (Vec<Order>, Vec<usize>) {
        let choices = choices(&Board::new(space, HORIZON), HEADS);
        // The first of equals.
        let best = choices.iter().rev().max_by_key(|(score, _)| *score);
        let orders = best.map(|(_, launches)| now(launches));
        (orders.unwrap_or_default(), Vec::new())
    }
}
