//! Groups that follow the ratings, against brute force and against chance.

use crate::field::{Field, Tournament, tournament};
use ratings::pairing::{Grouping, Mode, Outlook, RANDOM_ROUNDS};
use ratings::{PairResult, Score, Settings, fit};
use std::collections::{BTreeSet, HashMap};

fn grouping(mode: Mode, seed: u64) -> Grouping {
    Grouping {
        mode,
        seed,
        size: 4,
        random_rounds: RANDOM_ROUNDS,
    }
}

/// The places of numbers in their order.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|one, other| numbers[*one].total_cmp(&numbers[*other]));
    let mut ranks = vec![0.0; numbers.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank as f64;
    }
    ranks
}

/// Spearman's rank correlation.
fn rank_correlation(one: &[f64], other: &[f64]) -> f64 {
    let n = one.len() as f64;
    let pairs = ranks(one).into_iter().zip(ranks(other));
    1.0 - 6.0 * pairs.map(|(one, other)| (one - other).powi(2)).sum::<f64>() / (n * (n * n - 1.0))
}

/// By how much a player's variance falls by one game with a rival: all fitted again with each result, as likely as
/// the ratings say. (With any other odds the rating itself is expected to move, and its variance with it.)
fn brute_force(played: &Tournament, player: usize, rival: usize) -> f64 {
    let variance = |score| {
        let mut results = played.results.clone();
        let table = results.open_table();
        let result = PairResult {
            first: player,
            second: rival,
            score,
            table,
        };
        results.add(result).unwrap();
        let fit = fit(&results, &Settings::default()).unwrap();
        fit.covariance(player, player)
    };
    let chances = played.fit.chances(player, rival);
    let after = chances.win * variance(Score::Win)
        + chances.draw * variance(Score::Draw)
        + chances.loss * variance(Score::Loss);
    played.fit.covariance(player, player) - after
}

#[test]
fn the_information_of_a_game_about_a_leader_agrees_with_fitting_again() {
    for (players, rounds) in [(40, 25), (100, 20)] {
        let mut field = Field::new(players, 5);
        let played = tournament(&mut field, &grouping(Mode::Joint, 5), rounds);
        let outlook = Outlook::new(&played.results, &played.fit);
        for leader in leaders(&played) {
            let rivals = (0..players).filter(|rival| *rival != leader);
            let (gains, forced): (Vec<f64>, Vec<f64>) = rivals
                .map(|rival| {
                    let gain = outlook.gain(leader, rival, 1.0);
                    (gain, brute_force(&played, leader, rival))
                })
                .unzip();
            let correlation = rank_correlation(&gains, &forced);
            println!("{players} players, player {leader}: rank correlation {correlation:.3}");
            assert!(correlation >= 0.95, "{correlation}");
        }
    }
}

#[test]
fn everybody_plays_once_a_round_and_no_clique_closes() {
    let mut field = Field::new(40, 3);
    for mode in [Mode::Spec, Mode::Joint] {
        let played = tournament(&mut field, &grouping(mode, 3), 60);
        let mut often: HashMap<BTreeSet<usize>, usize> = HashMap::new();
        for (round, groups) in played.rounds.iter().enumerate() {
            assert!(groups.iter().all(|group| group.len() == 4));
            let mut all: Vec<usize> = groups.iter().flatten().copied().collect();
            all.sort_unstable();
            assert_eq!(all, (0..40).collect::<Vec<_>>());
            for group in groups.iter().filter(|_| round >= RANDOM_ROUNDS) {
                *often.entry(group.iter().copied().collect()).or_default() += 1;
            }
        }
        let most = often.values().max().unwrap();
        let adaptive = 60 - RANDOM_ROUNDS;
        assert!(
            4 * most <= adaptive,
            "{mode:?}: a group met {most} times in {adaptive} rounds"
        );
    }
}

#[test]
fn random_rounds_repeat_no_group_and_seeds_repeat_rounds() {
    let mut field = Field::new(16, 1);
    let random = tournament(&mut field, &grouping(Mode::Random, 8), 40);
    let mut seen = BTreeSet::new();
    for groups in &random.rounds {
        for (number, group) in groups.iter().enumerate() {
            let mut group = group.clone();
            group.sort_unstable();
            // The last group of a round is who is left.
            assert!(seen.insert(group) || number == 3, "a group met twice");
        }
    }
    let again = |seed, mode| tournament(&mut Field::new(16, 1), &grouping(mode, seed), 20).rounds;
    assert_eq!(again(8, Mode::Joint), again(8, Mode::Joint));
    assert_eq!(again(8, Mode::Joint)[..15], random.rounds[..15]);
    assert_ne!(again(9, Mode::Random)[0], random.rounds[0]);
}

#[test]
fn without_comparable_ratings_a_round_is_random() {
    let players: Vec<usize> = (0..10).collect();
    let mut field = Field::new(10, 1);
    let mut played = tournament(&mut field, &grouping(Mode::Joint, 2), 3);
    played.results.player("late").unwrap();
    let with_late: Vec<usize> = (0..11).collect();
    let grouping = Grouping {
        random_rounds: 0,
        ..grouping(Mode::Joint, 2)
    };
    let of = |players: &[usize]| {
        let (results, fit) = (&played.results, Some(&played.fit));
        grouping.round(3, players, results, fit, &Default::default())
    };
    // The last group takes what is left.
    let sizes: Vec<usize> = of(&with_late).iter().map(Vec::len).collect();
    assert_eq!(sizes, [4, 4, 3]);
    let without = grouping.round(3, &with_late, &played.results, None, &Default::default());
    assert_eq!(of(&with_late), without);
    assert_ne!(
        of(&players),
        grouping.round(3, &players, &played.results, None, &Default::default())
    );
}

#[test]
fn leaders_are_known_no_worse_than_by_chance() {
    let (mut adaptive, mut random) = (0.0, 0.0);
    for seed in 1..=4 {
        for (mode, sum) in [(Mode::Joint, &mut adaptive), (Mode::Random, &mut random)] {
            let played = tournament(&mut Field::new(40, seed), &grouping(mode, seed), 60);
            *sum += leaders_error(&played);
        }
    }
    assert!(adaptive <= random, "{adaptive} {random}");
}

/// The four highest ratings.
fn leaders(played: &Tournament) -> Vec<usize> {
    let elo = played.fit.elo();
    let mut rated: Vec<usize> = (0..elo.len()).collect();
    rated.sort_by(|one, other| elo[*other].total_cmp(&elo[*one]));
    rated.truncate(4);
    rated
}

/// Their mean standard error, in Elo.
fn leaders_error(played: &Tournament) -> f64 {
    let variance = |at: usize| played.fit.covariance(at, at);
    let errors = leaders(played).into_iter().map(|at| variance(at).sqrt());
    errors.sum::<f64>() / 4.0
}
