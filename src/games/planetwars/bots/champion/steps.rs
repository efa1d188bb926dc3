//! Steps of a plan: fleets of one player that land together, exactly on time and exactly enough.

use super::board::Board;
use super::line::{HORIZON, Line};
use super::ships::Move;
use super::ships::NOBODY;
use super::ships::Order;

/// A step that could be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aim {
    /// The player.
    pub(super) player: u8,
    /// The planet to take or to hold.
    pub(super) target: u8,
    /// When the fleets land, in turns from now.
    pub(super) turn: u8,
    /// Surplus over what is needed, in quarters of it.
    pub(super) extra: u8,
}

/// What a landing has to beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Need {
    ships: i32,
    /// Whether the planet is neutral, so that ships lost there gain nothing.
    neutral: bool,
}

/// How many ships of a player must land in that turn for the planet to be its own then; `None` if it is
/// anyway, or if the player must not attack it then.
fn need(board: &Board<'_>, aim: &Aim) -> Option<Need> {
    let spot = board.spots.get(usize::from(aim.target))?;
    let turn = usize::from(aim.turn);
    if turn == 0 || turn > HORIZON || board.is_spared(aim.player, usize::from(aim.target)) {
        return None;
    }
    let line: &Line = &spot.line;
    let (holder, now) = (line.owner[turn - 1], line.owner[turn]);
    let side = board.sides.of(holder);
    let own = holder == aim.player;
    if now == aim.player || (!own && side > 0) || (holder != NOBODY && side == 0) {
        return None;
    }
    // A mate that lands later would fight for it again.
    let later = |landing: &Move| {
        usize::from(landing.turn) > turn
            && landing.owner != aim.player
            && board.sides.of(landing.owner) > 0
    };
    if !own && spot.landings.iter().any(later) {
        return None;
    }
    let mut garrison = line.ships[turn - 1];
    if spot.root.grows_first && holder != NOBODY {
        garrison = (garrison + spot.root.growth).max(0);
    }
    let (mut attack, mut mine) = (0, 0);
    // A player's landings in one turn are one force; it rarely has several fleets besides the garrison's.
    for landing in spot
        .landings
        .iter()
        .filter(|at| usize::from(at.turn) == turn)
    {
        if landing.owner == aim.player {
            mine += landing.ships;
        } else if landing.owner == holder {
            garrison += landing.ships;
        } else if board.sides.of(landing.owner) > 0 {
            return None;
        } else {
            attack += landing.ships;
        }
    }
    let ships = if own {
        attack - garrison - mine
    } else {
        garrison.max(attack) + 1 - mine
    };
    (ships > 0).then_some(Need {
        ships,
        neutral: holder == NOBODY,
    })
}

/// Ships that a player could land there in that turn.
fn reach(board: &Board<'_>, aim: &Aim, own: &[u8]) -> i64 {
    let target = usize::from(aim.target);
    let turn = usize::from(aim.turn);
    let of = |from: &u8| {
        let from = usize::from(*from);
        let turns = board.chart.turns(from, target);
        if from == target || turns > turn {
            return 0;
        }
        let line = &board.spots[from].line;
        if line.owner[turn - turns] == aim.player {
            i64::from(line.spare[turn - turns])
        } else {
            0
        }
    };
    own.iter().map(of).sum()
}

/// How many ships land in a step that needs n, with some quarters of them as a surplus.
fn landing(need: i32, extra: u8) -> i64 {
    let need = i64::from(need);
    need + (need * i64::from(extra) + 3) / 4
}

/// The planets that players own now or will own.
pub(super) fn own(board: &Board<'_>) -> Vec<Vec<u8>> {
    let places = |player: &u8| {
        let spots = (0u8..).zip(&board.spots);
        let own = spots.filter(|(_, spot)| spot.line.owner[..=board.horizon].contains(player));
        own.map(|(place, _)| place).collect()
    };
    board.sides.team.iter().map(places).collect()
}

/// The fleets of a step in the present state, the farthest first; `None` if they are too few.
pub(super) fn fleets(board: &Board<'_>, aim: &Aim, own: &[u8]) -> Option<Vec<Order>> {
    let Need { ships: least, .. } = need(board, aim)?;
    let (target, turn) = (usize::from(aim.target), usize::from(aim.turn));
    let mut left = landing(least, aim.extra);
    let mut sources: Vec<(usize, u8)> = own
        .iter()
        .filter(|from| **from != aim.target)
        .map(|from| (board.chart.turns(usize::from(*from), target), *from))
        .filter(|(turns, _)| *turns <= turn)
        .collect();
    sources.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut orders = Vec::new();
    for (turns, from) in sources {
        let wait = turn - turns;
        let line = &board.spots[usize::from(from)].line;
        if line.owner[wait] != aim.player {
            continue;
        }
        let ships = i64::from(line.spare[wait]).min(left);
        if ships > 0 {
            orders.push(Order {
                owner: aim.player,
                from,
                to: aim.target,
                ships: ships as i32,
                wait: wait as u8,
            });
            left -= ships;
        }
        if left == 0 {
            return Some(orders);
        }
    }
    None
}

/// The most that a step can gain, in sixteenths of ships, and the ships it takes.
pub(super) fn promise(board: &Board<'_>, aim: &Aim) -> Option<(i64, i64)> {
    let Need { ships, neutral } = need(board, aim)?;
    let spot = board.spots.get(usize::from(aim.target))?;
    let turns = board.horizon as i32 - i32::from(aim.turn) + 1 + board.beyond();
    let growth = i64::from(spot.root.growth.max(0)) * i64::from(turns) * 16;
    let ships = i64::from(ships);
    let gain = if neutral {
        growth - 16 * (ships - 1)
    } else {
        2 * growth
    };
    Some((gain, ships + ships * i64::from(aim.extra) / 4))
}

/// Whether another player could land on a neutral planet before that turn.
pub(super) fn late(board: &Board<'_>, aim: &Aim) -> bool {
    let (target, turn) = (usize::from(aim.target), usize::from(aim.turn));
    let Some(spot) = board.spots.get(target) else {
        return false;
    };
    spot.line.owner[turn - 1] == NOBODY
        && (0..board.spots.len()).any(|from| {
            board.sides.of(board.spots[from].line.owner[0]) < 0
                && board.chart.turns(from, target) < turn
        })
}

/// The turns in which a player can first take or hold a planet, from a turn on: the earliest, and the turn
/// after each change of its owner.
pub(super) fn aims(board: &Board<'_>, player: u8, target: u8, own: &[u8], out: &mut Vec<Aim>) {
    let Some(spot) = board.spots.get(usize::from(target)) else {
        return;
    };
    let rots = |from: &u8| board.spots[usize::from(*from)].root.growth < 0;
    // Wherever the ships of a step come from.
    let refuge = spot.root.growth >= 0 && own.iter().any(rots);
    let mut first = true;
    for turn in 1..=board.horizon.min(LATEST) as u8 {
        let at = usize::from(turn);
        let owner = &spot.line.owner;
        let changed = owner[at] != owner[at - 1] || (at > 1 && owner[at - 1] != owner[at - 2]);
        if !first && !changed {
            continue;
        }
        let aim = Aim {
            player,
            target,
            turn,
            extra: 0,
        };
        let Some(need) = need(board, &aim) else {
            continue;
        };
        let reach = reach(board, &aim, own);
        // What would rot may leave too: all that can land then, to a quarter of the need and up to the largest
        // surplus that an aim can say.
        let whole = (reach - i64::from(need.ships)) * 4 / i64::from(need.ships);
        let whole = whole.clamp(0, i64::from(u8::MAX)) as u8;
        let flees = refuge && whole > EXTRAS[EXTRAS.len() - 1];
        for extra in EXTRAS.into_iter().chain(flees.then_some(whole)) {
            if reach >= landing(need.ships, extra) {
                out.push(Aim { extra, ..aim });
                first = false;
            }
        }
    }
}

/// Landings are planned at most this many turns ahead.
const LATEST: usize = 30;
/// Possible surpluses over what is needed, in quarters of it.
const EXTRAS: [u8; 3] = [0, 1, 4];
