//! Figures of simulated tournaments: what adaptive groups and the sequential test are worth.

#![allow(clippy::unwrap_used)]

#[path = "../tests/it/field.rs"]
mod field;

use field::{Field, Tournament, block, tournament};
use games::stats::{ClusteredMean, Z95};
use ratings::pairing::{Grouping, Mode, RANDOM_ROUNDS};
use ratings::{SequentialTest, Verdict};
use std::collections::HashMap;

const PLAYERS: usize = 40;
const RUNS: u64 = 14;

/// The mean half 95 % interval of the four highest ratings, in Elo; how many of the four best are among them; how
/// often the most frequent group met.
fn figures(played: &Tournament) -> [f64; 3] {
    let elo = played.fit.elo();
    let mut rated: Vec<usize> = (0..elo.len()).collect();
    rated.sort_by(|one, other| elo[*other].total_cmp(&elo[*one]));
    let half = |at: &usize| Z95 * played.fit.covariance(*at, *at).sqrt();
    let mut often: HashMap<Vec<usize>, u32> = HashMap::new();
    for group in played.rounds.iter().flatten() {
        let mut group = group.clone();
        group.sort_unstable();
        *often.entry(group).or_default() += 1;
    }
    // Players are named by strength.
    let strongest = ["p0", "p1", "p2", "p3"];
    let name = |at: &usize| played.results.names()[played.fit.players()[*at]].as_str();
    let hits = rated[..4]
        .iter()
        .filter(|at| strongest.contains(&name(at)))
        .count();
    [
        rated[..4].iter().map(half).sum::<f64>() / 4.0,
        hits as f64,
        f64::from(often.into_values().max().unwrap()),
    ]
}

fn pairing() {
    println!(
        "groups of 4, {PLAYERS} players, {RUNS} tournaments, the first {RANDOM_ROUNDS} rounds random:"
    );
    println!("rounds  mode    top 4: ± Elo  hits  most frequent group");
    for rounds in [30, 60, 100] {
        for mode in [Mode::Random, Mode::Spec, Mode::Joint] {
            let mut sums = [0.0; 3];
            for seed in 1..=RUNS {
                let grouping = Grouping {
                    mode,
                    seed,
                    size: 4,
                    random_rounds: RANDOM_ROUNDS,
                };
                let played = tournament(&mut Field::new(PLAYERS, seed), &grouping, rounds);
                sums.iter_mut()
                    .zip(figures(&played))
                    .for_each(|(sum, figure)| *sum += figure);
            }
            let [half, hits, often] = sums.map(|sum| sum / RUNS as f64);
            let mode = format!("{mode:?}").to_lowercase();
            println!("{rounds:>6}  {mode:<6}  {half:>12.1}  {hits:>4.2}  {often:>5.1}");
        }
    }
}

/// Verdicts of tests over `blocks` blocks: that which may be looked at always, a 95 % interval looked at after every
/// block from the 20th on, and the same looked at once at the end.
fn sequential() {
    let (blocks, tournaments) = (200, 10_000);
    let above = |mean: &ClusteredMean| mean.value() - Z95 * mean.error().unwrap_or(1.0) > 0.5;
    println!(
        "\n{tournaments} tournaments of {blocks} blocks of four games, the first player better by so many points:"
    );
    println!(
        "points  better  worse  mean blocks  saved  | interval after every block: better  | once: better"
    );
    for better_by in [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 9.0] {
        let mut field = Field::pair(better_by, 7);
        let mut counts = [0u64; 5];
        for _ in 0..tournaments {
            let mut test = SequentialTest::new(0.95);
            let (mut mean, mut seen) = (ClusteredMean::default(), false);
            for number in 1..=blocks {
                let share = block(&mut field);
                if test.verdict() == Verdict::Open {
                    test.add(share);
                }
                mean.add(4.0 * share, 4.0);
                seen |= number >= 20 && above(&mean);
            }
            counts[0] += u64::from(test.verdict() == Verdict::Better);
            counts[1] += u64::from(test.verdict() == Verdict::Worse);
            counts[2] += test.blocks();
            counts[3] += u64::from(seen);
            counts[4] += u64::from(above(&mean));
        }
        let [better, worse, took, often, once] =
            counts.map(|count| count as f64 / tournaments as f64);
        println!(
            "{better_by:>6}  {:>5.1}%  {:>4.1}%  {took:>11.1}  {:>4.0}%  | {:>35.1}%  | {:>11.1}%",
            100.0 * better,
            100.0 * worse,
            100.0 * (1.0 - took / blocks as f64),
            100.0 * often,
            100.0 * once,
        );
    }
}

fn main() {
    pairing();
    sequential();
}
