//! Random maps: valid, connected, and the same forever.

use crate::generate::{Style, generate};
use crate::map::{Map, Square};
use crate::options::Key;
use drover_game::ladder::digest;

fn reachable(map: &Map) -> bool {
    let rows: Vec<&[Square]> = map.iter().collect();
    let open = |x: usize, y: usize| !matches!(rows[y][x], Square::Wall | Square::Tree);
    let mut met = vec![vec![false; map.cols()]; map.rows()];
    let first = (0..map.cols() * map.rows())
        .map(|at| (at % map.cols(), at / map.cols()))
        .find(|(x, y)| open(*x, *y));
    let mut stack: Vec<(usize, usize)> = first.into_iter().collect();
    while let Some((x, y)) = stack.pop() {
        if x < map.cols() && y < map.rows() && open(x, y) && !met[y][x] {
            met[y][x] = true;
            stack.extend([(x + 1, y), (x, y + 1)]);
            stack.extend(x.checked_sub(1).map(|x| (x, y)));
            stack.extend(y.checked_sub(1).map(|y| (x, y)));
        }
    }
    let cells = met.iter().flatten().filter(|met| **met).count();
    cells == map.count(|square| !matches!(square, Square::Wall | Square::Tree))
}

fn check(seed: u64, style: &Style) {
    let map = generate(seed, style);
    assert_eq!(map, generate(seed, style), "seed {seed}");
    assert_eq!(map, Map::read(&map.to_string()).unwrap(), "seed {seed}");
    assert!(reachable(&map), "seed {seed}:\n{map}");
    let pens = map.count(|square| matches!(square, Square::Pen | Square::PennedSheep));
    let sheep = map.count(Square::has_sheep);
    assert!(sheep >= 1 && sheep <= pens, "seed {seed}:\n{map}");
    assert!(
        map.count(|square| square == Square::Dog) >= 1,
        "seed {seed}:\n{map}"
    );
    assert!(
        Key::ALL[..6]
            .iter()
            .all(|key| map.header().get(*key).is_some())
    );
}

#[test]
fn every_seed_makes_a_map() {
    for seed in 0..3_000 {
        check(seed, &Style::default());
    }
    let tiny = Style {
        sides: 0..=6,
        dogs: 0..=1_000,
        sheep: 0..=10_000,
        symmetric: false,
    };
    for seed in 0..300 {
        check(seed, &tiny);
    }
}

#[test]
fn symmetric_maps_are() {
    let style = Style {
        symmetric: true,
        ..Style::default()
    };
    for seed in 0..500 {
        check(seed, &style);
        let map = generate(seed, &style);
        let mirrored = |row: &[Square]| row.iter().rev().copied().collect::<Vec<_>>();
        assert!(map.iter().all(|row| mirrored(row) == row), "{map}");
    }
}

#[test]
fn the_first_seeds_are_pinned() {
    let all: String = (0..8)
        .map(|seed| generate(seed, &Style::default()).to_string())
        .collect();
    assert_eq!(digest(&all), 500_873_316_270_115_416, "{all}");
}
