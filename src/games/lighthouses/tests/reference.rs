//! A slow second implementation of the rules, written from README.md alone and sharing nothing with the
//! first: sets of points, floating-point distances, triangles cell by cell. Random games of both must
//! agree every round.

use crate::generate::{Style, generate};
use crate::map::Map;
use crate::rules::{Act, Lighthouse, Lighthouses, Setup};
use drover_game::rng::Rng;
use std::collections::{BTreeMap, BTreeSet};

type Point = (i64, i64);

/// The whole state, by points.
struct Slow {
    island: BTreeSet<Point>,
    energy: BTreeMap<Point, i64>,
    /// Lighthouses in the order of the list, each with owner and energy.
    towers: Vec<(Point, Option<usize>, i64)>,
    links: BTreeSet<(Point, Point)>,
    at: Vec<Point>,
    purse: Vec<i64>,
    keys: Vec<BTreeSet<Point>>,
    score: Vec<i64>,
}

fn side(a: Point, b: Point, c: Point) -> i64 {
    (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
}

fn ordered(a: Point, b: Point) -> (Point, Point) {
    if a < b { (a, b) } else { (b, a) }
}

impl Slow {
    fn new(map: &Map, players: usize) -> Self {
        let text = map.to_string();
        let rows: Vec<&str> = text.lines().rev().collect();
        let mut slow = Self {
            island: BTreeSet::new(),
            energy: BTreeMap::new(),
            towers: Vec::new(),
            links: BTreeSet::new(),
            at: Vec::new(),
            purse: vec![0; players],
            keys: vec![BTreeSet::new(); players],
            score: vec![0; players],
        };
        let mut starts = Vec::new();
        for (y, row) in rows.iter().enumerate() {
            for (x, letter) in row.chars().enumerate() {
                let at = (x as i64, y as i64);
                if letter != '#' {
                    slow.island.insert(at);
                    slow.energy.insert(at, 0);
                }
                match letter {
                    '!' => slow.towers.push((at, None, 0)),
                    '#' | ' ' => {}
                    letter => starts.push((letter, at)),
                }
            }
        }
        starts.sort();
        slow.at = starts.iter().map(|(_, at)| *at).take(players).collect();
        slow.begin_round();
        slow
    }

    fn begin_round(&mut self) {
        for (tower, ..) in &self.towers {
            for (at, energy) in &mut self.energy {
                let (dx, dy) = ((at.0 - tower.0) as f64, (at.1 - tower.1) as f64);
                let gain = (5.0 - (dx * dx + dy * dy).sqrt()).floor();
                if gain > 0.0 {
                    *energy = (*energy + gain as i64).min(100);
                }
            }
        }
        for player in 0..self.at.len() {
            let here = self.at[player];
            if self.towers.iter().any(|(at, ..)| *at == here) {
                self.keys[player].insert(here);
            }
        }
        let cells: BTreeSet<Point> = self.at.iter().copied().collect();
        for cell in cells {
            let here: Vec<usize> = (0..self.at.len()).filter(|p| self.at[*p] == cell).collect();
            let energy = self.energy.insert(cell, 0).unwrap();
            for player in &here {
                self.purse[*player] += energy / here.len() as i64;
            }
        }
        for tower in &mut self.towers {
            tower.2 -= 10;
            if tower.2 <= 0 {
                (tower.1, tower.2) = (None, 0);
            }
        }
        self.cut_links();
    }

    /// Links need an owner at both ends.
    fn cut_links(&mut self) {
        let towers = &self.towers;
        let owner = |at: Point| towers.iter().find(|tower| tower.0 == at).unwrap().1;
        self.links
            .retain(|(a, b)| owner(*a).is_some() && owner(*a) == owner(*b));
    }

    fn tower(&self, at: Point) -> Option<usize> {
        self.towers.iter().position(|tower| tower.0 == at)
    }

    /// Whether it was carried out.
    fn act(&mut self, player: usize, act: Act, list: &[Point]) -> bool {
        let here = self.at[player];
        match act {
            Act::Pass => true,
            Act::Move(step) => {
                let to = (here.0 + i64::from(step.dx), here.1 + i64::from(step.dy));
                let land = self.island.contains(&to);
                if land {
                    self.at[player] = to;
                }
                land
            }
            Act::Attack(strength) => {
                let Some(tower) = self.tower(here).filter(|_| strength >= 0) else {
                    return false;
                };
                let mut strength = strength.min(self.purse[player]);
                self.purse[player] -= strength;
                let (_, owner, energy) = &mut self.towers[tower];
                if owner.is_some_and(|owner| owner != player) {
                    let harm = strength.min(*energy);
                    *energy -= harm;
                    strength -= harm;
                    if *energy == 0 {
                        *owner = None;
                        self.links.retain(|(a, b)| *a != here && *b != here);
                    }
                }
                let (_, owner, energy) = &mut self.towers[tower];
                if strength > 0 {
                    *owner = Some(player);
                    *energy += strength;
                }
                true
            }
            Act::Connect(Lighthouse(to)) => {
                let Some(from) = self.tower(here) else {
                    return false;
                };
                let Some(there) = list.get(usize::from(to)).copied() else {
                    return false;
                };
                let to = self.tower(there).unwrap();
                let mine = self.towers[from].1 == Some(player) && self.towers[to].1 == Some(player);
                let between = |p: Point| {
                    let inside = |a: i64, b: i64, c: i64| a.min(b) <= c && c <= a.max(b);
                    p != here
                        && p != there
                        && side(here, there, p) == 0
                        && inside(here.0, there.0, p.0)
                        && inside(here.1, there.1, p.1)
                };
                let crosses = |(a, b): &(Point, Point)| {
                    side(here, there, *a) * side(here, there, *b) < 0
                        && side(*a, *b, here) * side(*a, *b, there) < 0
                };
                let link = ordered(here, there);
                if !mine
                    || !self.keys[player].contains(&there)
                    || here == there
                    || self.links.contains(&link)
                    || self.towers.iter().any(|tower| between(tower.0))
                    || self.links.iter().any(crosses)
                {
                    return false;
                }
                self.keys[player].remove(&there);
                self.links.insert(link);
                true
            }
        }
    }

    fn lit(&self, a: Point, b: Point, c: Point) -> i64 {
        let (b, c) = if side(a, b, c) < 0 { (c, b) } else { (b, c) };
        let counts = |p: Point, q: Point, cell: Point| match side(p, q, cell) {
            0 => p.1 == q.1 && p.0 > q.0 || p.1 > q.1,
            other => other > 0,
        };
        let inside =
            |cell: &&Point| counts(a, b, **cell) && counts(b, c, **cell) && counts(c, a, **cell);
        self.island.iter().filter(inside).count() as i64
    }

    /// Points; how many triangles they are for.
    fn end_round(&mut self) -> u32 {
        let mut triangles = 0;
        for (_, owner, _) in &self.towers {
            if let Some(owner) = owner {
                self.score[*owner] += 2;
            }
        }
        let owner = |at: Point| self.towers[self.tower(at).unwrap()].1.unwrap();
        let mut gains = Vec::new();
        for (a, b) in &self.links {
            gains.push((owner(*a), 2));
            for (c, ..) in &self.towers {
                let third = |p| self.links.contains(&ordered(p, *c));
                if b < c && third(*a) && third(*b) {
                    gains.push((owner(*a), self.lit(*a, *b, *c)));
                    triangles += 1;
                }
            }
        }
        for (owner, gain) in gains {
            self.score[owner] += gain;
        }
        triangles
    }
}

/// Both states in the same format.
fn shown(slow: &Slow, game: &Lighthouses, list: &[Point]) -> [String; 2] {
    let place = |at: Point| list.iter().position(|other| *other == at).unwrap();
    let links: BTreeSet<(usize, usize)> = slow
        .links
        .iter()
        .map(|(a, b)| (place(*a).min(place(*b)), place(*a).max(place(*b))))
        .collect();
    let keys = slow.keys.iter().map(|keys| {
        let bits = keys.iter().map(|at| 1u64 << place(*at));
        bits.sum::<u64>()
    });
    let towers = slow
        .towers
        .iter()
        .map(|(_, owner, energy)| (*owner, *energy));
    let one = format!(
        "{:?} {:?} {links:?} {:?} {:?} {:?} {:?}",
        slow.energy.values().collect::<Vec<_>>(),
        towers.collect::<Vec<_>>(),
        slow.at,
        slow.purse,
        keys.collect::<Vec<_>>(),
        slow.score,
    );
    let chart = game.chart();
    let mut cells: Vec<(Point, i64)> = Vec::new();
    for (index, energy) in game.cells().iter().enumerate() {
        let at = (
            (index % chart.width()) as i64,
            (index / chart.width()) as i64,
        );
        if chart.island()[index] {
            cells.push((at, i64::from(*energy)));
        }
    }
    cells.sort();
    let beacons = game.network().beacons();
    let owner =
        |at: &crate::rules::Beacon| (at.owner.map(|seat| seat.index()), i64::from(at.energy));
    let links: BTreeSet<(usize, usize)> = beacons
        .iter()
        .enumerate()
        .flat_map(|(a, beacon)| Lighthouse::in_set(beacon.links).map(move |b| (a, b.index())))
        .filter(|(a, b)| a < b)
        .collect();
    let players = game.players();
    let at = |cell: crate::rules::Cell| {
        let at = chart.point(cell);
        (i64::from(at.x), i64::from(at.y))
    };
    let two = format!(
        "{:?} {:?} {links:?} {:?} {:?} {:?} {:?}",
        cells.iter().map(|(_, energy)| energy).collect::<Vec<_>>(),
        beacons.iter().map(owner).collect::<Vec<_>>(),
        players.iter().map(|p| at(p.position)).collect::<Vec<_>>(),
        players
            .iter()
            .map(|p| i64::from(p.energy))
            .collect::<Vec<_>>(),
        players.iter().map(|p| p.keys).collect::<Vec<_>>(),
        players.iter().map(|p| p.score).collect::<Vec<_>>(),
    );
    [one, two]
}

/// An act that is likely to change something: steps towards lighthouses, attacks and connections there,
/// occasionally anything.
fn draw(game: &Lighthouses, rng: &mut Rng) -> Act {
    let seat = game.turn().unwrap();
    let player = game.players()[seat.index()];
    let count = game.chart().lighthouses().len() as u32;
    if rng.chance(0.03) {
        return Act::Connect(Lighthouse(rng.below(count + 2) as u8));
    }
    if game.chart().lighthouse_at(player.position).is_some() && rng.chance(0.8) {
        let mut links: Vec<Act> = Vec::new();
        drover_game::game::Game::acts(game, seat, &mut links);
        links.retain(|act| matches!(act, Act::Connect(_)));
        if let Some(link) = links.get(rng.below(links.len().max(1) as u32) as usize) {
            return *link;
        }
        if rng.chance(0.4) {
            return Act::Attack(i64::from(rng.below(player.energy + 20)) - 5);
        }
    }
    let towers = game.chart().lighthouses();
    // The same one for a while.
    let goal = game.round() / 6 * 5 + u32::from(seat.0) * 3 + game.round() / 18;
    let goal = towers[(goal % count) as usize];
    if rng.chance(0.9) {
        Act::Move(game.chart().step(player.position, goal))
    } else {
        let near = game.chart().neighbours(player.position);
        match near.get(rng.below(near.len().max(1) as u32) as usize) {
            Some(to) => Act::Move(game.chart().step(player.position, *to)),
            None => Act::Pass,
        }
    }
}

#[test]
fn random_games_are_played_alike_by_a_second_implementation() {
    let (mut links, mut triangles) = (0, 0);
    for seed in 0..500 {
        let players = 2 + seed as usize % 3;
        let style = Style {
            width: Some(6 + seed as usize % 9),
            height: Some(6 + seed as usize % 7),
            lighthouses: Some(3 + seed as usize % 6),
            players,
            symmetric: seed % 5 == 0,
        };
        let Ok(map) = generate(seed, &style) else {
            panic!("seed {seed} cannot be drawn");
        };
        let mut slow = Slow::new(&map, players);
        let list: Vec<Point> = slow.towers.iter().map(|tower| tower.0).collect();
        let rounds = 80;
        let mut game = Lighthouses::begin(&Setup::new(map, players, rounds));
        let mut rng = Rng::new(seed, 9);
        for round in 0..rounds {
            let [one, two] = shown(&slow, &game, &list);
            assert_eq!(one, two, "seed {seed}, round {round}");
            for player in 0..players {
                let act = draw(&game, &mut rng);
                let done = slow.act(player, act, &list);
                slow.cut_links();
                assert_eq!(game.play(act).is_ok(), done, "seed {seed}: {act:?}");
                links += u32::from(done && matches!(act, Act::Connect(_)));
            }
            triangles += slow.end_round();
            if round + 1 < rounds {
                slow.begin_round();
            }
        }
        assert!(game.is_over());
        assert_eq!(game.scores().values(), slow.score, "seed {seed}");
    }
    assert!(
        links > 500 && triangles > 100,
        "{links} links, {triangles} triangles"
    );
}
