//! Figures worked out by hand.

use super::{Named, PlayedGame, RankSettings, Standing, Standings, TieBreak};
use crate::tournament::Counted;
use games::rng::Rng;
use games::{Cause, Duel, Outcome, Seat};
use ratings::{Parameter, Settings};

/// Entrants with these names; those that begin with `h` are of the house.
pub(super) fn field(names: &[&str]) -> Vec<Named> {
    let named = |name: &&str| Named {
        name: (*name).to_owned(),
        spec: format!("builtin:{name}"),
        house: name.starts_with('h'),
    };
    names.iter().map(named).collect()
}

/// A match at the only table of a round, whose deck is the round's own.
pub(super) fn game(number: u64, round: u32, table: &[usize], scores: &[i64]) -> PlayedGame {
    let outcome = Outcome {
        cause: Cause::Normal,
        scores: scores.iter().copied().collect(),
    };
    PlayedGame {
        number,
        round,
        table: 0,
        seed: u64::from(round) + 5,
        counted: Counted {
            table: table.to_vec(),
            teams: Vec::new(),
            shares: outcome.win_shares(),
            duels: outcome.duels(),
            faults: Vec::new(),
            outcome,
            refused: Vec::new(),
            missed: Vec::new(),
            took: Vec::new(),
            participation: Vec::new(),
        },
    }
}

/// Three entrants, two rounds of one deck in three rotations; in the fourth match the second one crashes, and only
/// loses against the others.
pub(crate) fn three() -> (Vec<Named>, Vec<PlayedGame>) {
    let mut games = vec![
        game(0, 0, &[0, 1, 2], &[3, 2, 1]),
        game(1, 0, &[2, 0, 1], &[1, 1, 4]),
        game(2, 0, &[1, 2, 0], &[0, 2, 5]),
        game(3, 1, &[0, 1, 2], &[0, 0, 0]),
        game(4, 1, &[2, 0, 1], &[7, 7, 7]),
        game(5, 1, &[1, 2, 0], &[1, 2, 3]),
    ];
    let crashed = &mut games[3].counted;
    crashed.outcome.cause = Cause::Crash;
    crashed.shares = [0.5, 0.0, 0.5].into_iter().collect();
    crashed.faults = vec![(Seat(1), Cause::Crash)];
    crashed.duels = vec![
        Duel {
            first: Seat(0),
            second: Seat(1),
            share: 1.0,
        },
        Duel {
            first: Seat(1),
            second: Seat(2),
            share: 0.0,
        },
    ];
    (field(&["anna", "bert", "house"]), games)
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
}

#[test]
fn records_are_those_that_count() {
    let (entrants, games) = three();
    let standings = Standings::new(&entrants, &games, &RankSettings::default());
    assert_eq!((standings.games, standings.rounds), (6, 2));
    let record = |one: &Standing| (one.rank, one.won, one.drawn, one.lost, one.points);
    let [anna, bert, house] = &*standings.entrants else {
        panic!("{standings:?}")
    };
    assert_eq!(record(anna), (Some(1), 7, 3, 1, 8.5));
    assert_eq!(record(bert), (Some(2), 3, 2, 7, 4.0));
    // The house bot did better than the second one, but is not in the contest.
    assert_eq!(record(house), (None, 3, 3, 5, 4.5));
    // Blocks of 4.5 of 6 and 4 of 5; half a table's worth of Student's distribution with one degree of freedom.
    near(anna.figures.pair_score, 8.5 / 11.0);
    near(
        anna.figures.pair_score_low,
        8.5 / 11.0 - 12.706_205 * 0.272_727_27 / 11.0,
    );
    assert_eq!(anna.figures.pair_score_high, 1.0);
    near(
        anna.figures.win_share,
        (1.0 + 1.0 + 0.5 + 1.0 / 3.0 + 1.0) / 6.0,
    );
    near(bert.figures.mean_score, 14.0 / 6.0);
    assert_eq!(bert.figures.faults.get("crash"), Some(&1));
    assert!(anna.figures.faults.is_empty() && house.figures.faults.is_empty());
    // Of bert's 12 results 6 are against 8.5 of 11, and 6 against 4.5 of 11.
    near(bert.buchholz, 6.5 / 11.0);
}

#[test]
fn splits_add_up() {
    let (entrants, games) = three();
    let standings = Standings::new(&entrants, &games, &RankSettings::default());
    let anna = &standings.entrants[0];
    let against: Vec<_> = anna
        .opponents
        .iter()
        .map(|split| {
            (
                &*split.name,
                split.won,
                split.drawn,
                split.lost,
                split.points,
            )
        })
        .collect();
    assert_eq!(against, [("bert", 4, 1, 1, 4.5), ("house", 3, 2, 0, 4.0)]);
    // On the first seat it won against both, then against the one that crashed: 3 of 3; on the second it drew three
    // times and lost once: 1.5 of 4; on the third it won all four.
    let seats: Vec<_> = anna
        .seats
        .iter()
        .map(|split| {
            (
                split.seat,
                split.figures.games,
                split.figures.pair_score,
                split.figures.mean_score,
            )
        })
        .collect();
    assert_eq!(
        seats,
        [(0, 2, 1.0, 1.5), (1, 2, 0.375, 4.0), (2, 2, 1.0, 4.0)]
    );
    let bert = &standings.entrants[1];
    assert_eq!(bert.seats[1].figures.faults.get("crash"), Some(&1));
    assert!(bert.seats[0].figures.faults.is_empty());
}

#[test]
fn the_order_in_which_matches_ended_does_not_matter() {
    let (entrants, mut games) = three();
    let settings = RankSettings::default();
    let json = |games: &[PlayedGame]| Standings::new(&entrants, games, &settings).json().unwrap();
    let first = json(&games);
    games.reverse();
    games.swap(1, 4);
    assert_eq!(json(&games), first);
}

#[test]
fn ratings_are_bayeselos() {
    // Three wins and a loss: odds of 3 to 1, without prior and draws 400 log10(3) = 190.85 Elo.
    let games: Vec<PlayedGame> = [1, 1, 0, 1]
        .iter()
        .zip(0..)
        .map(|(score, number)| game(number, number as u32, &[0, 1], &[*score, 1 - score]))
        .collect();
    let settings = RankSettings {
        rating: Settings {
            advantage: Parameter::Fixed(0.0),
            draw_elo: Parameter::Fixed(0.01),
            prior: 0.0,
        },
        ..RankSettings::default()
    };
    let standings = Standings::new(&field(&["a", "b"]), &games, &settings);
    let rated = standings.entrants[0].rating.as_ref().unwrap();
    assert!((rated.elo - 95.42).abs() < 0.02, "{rated:?}");
    // The jackknife's error: a win moves the difference by 1/4 over 4 · 3/16 · ln(10)/400, a loss by 3 times that.
    let moved = 400.0 / std::f64::consts::LN_10 * 0.25 / 0.75 / 2.0;
    let error = ((3.0 * moved * moved + 9.0 * moved * moved) * 4.0 / 3.0).sqrt();
    let half = rated.table_upper.unwrap() - rated.elo;
    // Student's t with three degrees of freedom.
    assert!((half - 3.182_446 * error).abs() < 0.05, "{half} {error}");
    assert!((standings.precision(2).unwrap() - half).abs() < 1e-9);
}

fn ranks(entrants: &[Named], games: &[PlayedGame], order: &[TieBreak]) -> String {
    let settings = RankSettings {
        order: order.to_vec(),
        ..RankSettings::default()
    };
    let standings = Standings::new(entrants, games, &settings);
    let rank = |one: &Standing| format!("{}{}", one.rank.unwrap(), one.name);
    let ranks: Vec<String> = standings.entrants.iter().map(rank).collect();
    ranks.join(" ")
}

#[test]
fn what_decides_is_configured() {
    // Everybody beats the next one in a circle, then d beats b and draws with c.
    let entrants = field(&["a", "b", "c", "d"]);
    let games = [
        game(0, 0, &[0, 1], &[9, 1]),
        game(1, 1, &[1, 2], &[3, 2]),
        game(2, 2, &[2, 3], &[8, 0]),
        game(3, 3, &[3, 0], &[5, 4]),
        game(4, 4, &[3, 1], &[2, 1]),
        game(5, 5, &[3, 2], &[6, 6]),
    ];
    let check = |order: &[TieBreak], expected: &str| {
        assert_eq!(ranks(&entrants, &games, order), expected, "{order:?}");
    };
    // a has 1 of 2, b 1 of 3, c 1.5 of 3, d 2.5 of 4.
    check(&[TieBreak::Points], "1d 2c 3a 3b");
    check(&[TieBreak::Share], "1d 2a 2c 4b");
    // a 13 of 2, b 5 of 3, c 16 of 3, d 13 of 4.
    check(&[TieBreak::Score], "1a 2c 3d 4b");
    // Shares of wins: a 1, b 1, c 1.5, d 2.5.
    check(&[TieBreak::Wins], "1d 2c 3a 3b");
    check(&[TieBreak::Points, TieBreak::HeadToHead], "1d 2c 3a 4b");
    // a and c have equal shares and never met.
    check(&[TieBreak::Share, TieBreak::HeadToHead], "1d 2a 2c 4b");
    // a met 1/3 and 5/8, b 1/2, 1/2 and 5/8, c 1/3, 5/8 and 5/8, d 1/2, 1/2, 1/3 and 1/2.
    check(&[TieBreak::Buchholz], "1b 2c 3a 4d");
    // Last rounds: a 3, b 4, c and d 5, where they drew.
    check(&[TieBreak::Progress], "1c 1d 3b 4a");
    check(&[TieBreak::Progress, TieBreak::Score], "1c 2d 3b 4a");
    check(&[], "1a 1b 1c 1d");
    let words = serde_json::to_string(&[TieBreak::HeadToHead, TieBreak::Buchholz]).unwrap();
    assert_eq!(words, "[\"head-to-head\",\"buchholz\"]");
}

#[test]
fn a_tournament_without_matches_says_so() {
    let (entrants, games) = three();
    let none = Standings::new(&entrants, &[], &RankSettings::default());
    assert_eq!(none.unrated.as_deref(), Some("there are no results yet"));
    assert!(
        none.entrants
            .iter()
            .all(|one| one.rating.is_none() && one.figures.games == 0)
    );
    assert_eq!(none.entrants[1].rank, Some(1), "all are equal");
    assert!(
        none.table(None)
            .contains("no ratings: there are no results yet")
    );
    let mut more = entrants;
    more.extend(field(&["late"]));
    let with_late = Standings::new(&more, &games, &RankSettings::default());
    let late = &with_late.entrants[2];
    assert_eq!((&*late.name, late.rank), ("late", Some(3)));
    assert!(late.rating.is_none() && late.opponents.is_empty());
    assert_eq!(with_late.precision(3), None);
}

#[test]
fn tables_for_people() {
    let (entrants, games) = three();
    let settings = RankSettings {
        remarks: vec!["programs were not isolated".to_owned()],
        ..RankSettings::default()
    };
    let standings = Standings::new(&entrants, &games, &settings);
    assert_eq!(
        standings.table(None),
        "\
rank  entrant  games  W-D-L  points  pairs          95 %   wins         95 %  score  Elo    +    -  tables
1     anna         6  7-3-1     8.5  77.3%  45.8–100.0 %  63.9%  28.6–99.2 %    3.2  108  100  100    ±349
2     bert         6  3-2-7     4.0  33.3%   0.0–100.0 %  22.2%  0.0–100.0 %    2.3  -72   98   98   ±1054
-     house*       6  3-3-5     4.5  40.9%   0.0–100.0 %  13.9%  0.0–100.0 %    2.2  -37   98   98    ±720
faults: bert: crash 1 (1 of 1 such matches lost)
* a house entrant, which fills up groups and has no rank
programs were not isolated
W-D-L, points and pairs: results against each other player of a match; wins: of whole matches, shared ones in part
95 %: by decks; Elo, + and -: BayesElo's; tables: the interval of Elo by decks, whose results depend on each other
6 matches in 2 rounds, ranked by rating, points, score
"
    );
    assert_eq!(
        standings.crosstable(None),
        "\
#  entrant          1          2          3
1  anna             ·  4-1-1 4.5  3-2-0 4.0
2  bert     1-1-4 1.5          ·  2-1-3 2.5
3  house*   0-2-3 1.0  3-1-2 3.5          ·
"
    );
}

#[test]
fn points_are_conserved() {
    for seed in 0..20 {
        let mut rng = Rng::new(seed, 0);
        let (entrants, seats) = (
            field(&["a", "b", "c", "d", "e", "f", "house"]),
            2 + seed as usize % 4,
        );
        let mut games = Vec::new();
        for round in 0..8 {
            let mut table: Vec<usize> = (0..entrants.len()).collect();
            rng.shuffle(&mut table);
            table.truncate(seats);
            for _ in 0..seats {
                let scores: Vec<i64> = (0..seats).map(|_| i64::from(rng.below(4))).collect();
                games.push(game(games.len() as u64, round, &table, &scores));
                table.rotate_right(1);
            }
        }
        let standings = Standings::new(&entrants, &games, &RankSettings::default());
        let all = &standings.entrants;
        let points: f64 = all.iter().map(|one| one.points).sum();
        assert_eq!(points, (games.len() * seats * (seats - 1) / 2) as f64);
        for one in all {
            let of_opponents = one.opponents.iter().map(|split| split.points);
            assert_eq!(of_opponents.sum::<f64>(), one.points);
            let on_seats = one.seats.iter().map(|split| split.figures.games);
            assert_eq!(on_seats.sum::<u64>(), one.figures.games);
            for split in &one.opponents {
                let other = &all[split.place];
                let back = other
                    .opponents
                    .iter()
                    .find(|back| back.name == one.name)
                    .unwrap();
                assert_eq!(
                    (back.won, back.drawn, back.lost),
                    (split.lost, split.drawn, split.won)
                );
                assert!(
                    (back.pair_score_low - (1.0 - split.pair_score_high)).abs() < 1e-9,
                    "{split:?} {back:?}"
                );
            }
        }
    }
}
