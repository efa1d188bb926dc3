//! The sequential test's errors, over simulated tournaments.

use crate::field::{Field, block};
use ratings::{SequentialTest, Verdict};

/// The verdict over n blocks at most, and after how many it was given.
fn played(field: &mut Field, blocks: u64) -> (Verdict, u64) {
    let mut test = SequentialTest::new(0.95);
    while test.verdict() == Verdict::Open && test.blocks() < blocks {
        test.add(block(field));
    }
    (test.verdict(), test.blocks())
}

/// Shares of verdicts (better, worse) over tournaments of 200 blocks, and the mean number of blocks played.
fn verdicts(better_by: f64, tournaments: u64) -> (f64, f64, f64) {
    let mut field = Field::pair(better_by, 7);
    let (mut better, mut worse, mut blocks) = (0, 0, 0);
    for _ in 0..tournaments {
        let (verdict, took) = played(&mut field, 200);
        better += u64::from(verdict == Verdict::Better);
        worse += u64::from(verdict == Verdict::Worse);
        blocks += took;
    }
    let share = |count: u64| count as f64 / tournaments as f64;
    (share(better), share(worse), share(blocks))
}

#[test]
fn equals_are_distinguished_in_at_most_five_of_a_hundred_tournaments() {
    let (better, worse, _) = verdicts(0.0, 10_000);
    println!("equal players, 10,000 tournaments of 200 blocks: better {better}, worse {worse}");
    assert!(better <= 0.05 && worse <= 0.05, "{better} {worse}");
    assert!(
        better > 0.005,
        "it never errs: it cannot find anything either"
    );
}

#[test]
fn differences_are_found_early() {
    for (better_by, least, blocks_most) in [(3.0, 0.8, 130.0), (6.0, 0.99, 50.0)] {
        let (better, worse, blocks) = verdicts(better_by, 1_000);
        println!(
            "better by {better_by} points: found {better}, reversed {worse}, after {blocks} of 200 blocks"
        );
        assert!(better >= least && worse <= 0.01, "{better} {worse}");
        assert!(blocks <= blocks_most, "{blocks}");
    }
}

#[test]
fn a_verdict_stays_and_a_level_is_reported() {
    let mut test = SequentialTest::new(0.95);
    assert_eq!((test.verdict(), test.levels()), (Verdict::Open, (0.0, 0.0)));
    (0..3).for_each(|_| test.add(0.0));
    assert_eq!(test.verdict(), Verdict::Open);
    assert!(test.levels().1 > 0.5 && test.levels().0 < 1e-9);
    (0..10).for_each(|_| test.add(0.0));
    assert_eq!((test.verdict(), test.blocks()), (Verdict::Worse, 13));
    (0..50).for_each(|_| test.add(1.0));
    assert_eq!(test.verdict(), Verdict::Worse);
    // Draws for ever prove nothing.
    let mut test = SequentialTest::new(0.95);
    (0..10_000).for_each(|_| test.add(0.5));
    assert_eq!(test.verdict(), Verdict::Open);
}
