//! Rounds of every format: nobody twice, no seat empty, byes fair, meetings even.

use crate::{field, played};
use proptest::prelude::*;
use ratings::pairing::Mode;
use ratings::schedule::{Field, Format, FormatError, Past, Round};
use ratings::{Results, Settings, fit};
use std::collections::{BTreeSet, HashMap};

type Points = Vec<Vec<Vec<f64>>>;

/// Plays a whole tournament between entrants of whom the first ones are the best, and gives its rounds.
fn play(format: Format, field: Field) -> Vec<Round> {
    play_with_points(format, field).0
}

fn play_with_points(format: Format, field: Field) -> (Vec<Round>, Points) {
    let mut strengths = field::Field::new(field.entrants + field.house, field.seed);
    let (mut rounds, mut points): (Vec<Round>, Points) = (Vec::new(), Vec::new());
    let mut results = Results::default();
    for entrant in 0..field.entrants + field.house {
        results.player(&format!("p{entrant}")).unwrap();
    }
    let follows_ratings = matches!(format, Format::Groups { .. });
    loop {
        let fitted = match follows_ratings {
            true => fit(&results, &Settings::default()).ok(),
            false => None,
        };
        let past = Past {
            rounds: &rounds,
            points: &points,
            results: &results,
            fit: fitted.as_ref(),
        };
        let Some(round) = format.next(&field, &past) else {
            break;
        };
        let again = format.next(&field, &past).unwrap();
        let stored = serde_json::to_string(&again).unwrap();
        assert_eq!(serde_json::from_str::<Round>(&stored).unwrap(), round);
        let tables = round.tables.iter();
        points.push(
            tables
                .map(|table| played::shares(&mut strengths, &mut results, table))
                .collect(),
        );
        rounds.push(round);
    }
    // A final whose best are equal is played again: those that were are left out here.
    let planned = format.rounds(&field).unwrap() as usize;
    for at in planned..rounds.len() {
        assert!(
            rounds[at].why.contains("again") && played::equals(&points[at - 1][0]),
            "{rounds:?}"
        );
    }
    let over = rounds.len() == planned + 5 || !played::equals(&points.last().unwrap()[0]);
    assert!(over || !matches!(format, Format::KnockOut { .. }));
    rounds.truncate(planned);
    points.truncate(planned);
    assert_eq!(rounds.len(), planned);
    (rounds, points)
}

fn field(entrants: usize, house: usize, seats: usize) -> Field {
    Field {
        entrants,
        house,
        seats,
        seed: 7,
    }
}

/// How often each two met, the lower number first.
fn meetings(rounds: &[Round]) -> HashMap<[usize; 2], u32> {
    let mut met = HashMap::new();
    for table in rounds.iter().flat_map(|round| &round.tables) {
        for one in table {
            for other in table.iter().filter(|other| *other > one) {
                *met.entry([*one, *other]).or_default() += 1;
            }
        }
    }
    met
}

/// What holds in every round of every format.
fn sound(field: &Field, rounds: &[Round]) {
    for (number, round) in rounds.iter().enumerate() {
        assert_eq!(round.number as usize, number);
        assert!(!round.tables.is_empty() && !round.why.is_empty());
        let mut seen = BTreeSet::new();
        for table in &round.tables {
            assert_eq!(table.len(), field.seats, "{round:?}");
            assert!(table.iter().any(|entrant| *entrant < field.entrants));
        }
        for entrant in round.tables.iter().flatten().chain(&round.byes) {
            assert!(*entrant < field.entrants + field.house);
            assert!(seen.insert(entrant), "{entrant} is twice in {round:?}");
        }
        assert!(round.byes.iter().all(|entrant| *entrant < field.entrants));
    }
}

/// The greatest difference of byes after any round, and that after the last.
fn byes(field: &Field, rounds: &[Round]) -> (u32, u32) {
    let mut byes = vec![0u32; field.entrants];
    let (mut worst, mut last) = (0, 0);
    for round in rounds {
        round.byes.iter().for_each(|entrant| byes[*entrant] += 1);
        last = byes.iter().max().unwrap() - byes.iter().min().unwrap();
        worst = worst.max(last);
    }
    (worst, last)
}

/// That all play in every round or have a bye, and nobody does if the house completes the last table.
fn all_play(field: &Field, rounds: &[Round]) {
    for round in rounds {
        let playing = round.tables.iter().flatten().chain(&round.byes);
        let regular = playing.filter(|entrant| **entrant < field.entrants).count();
        assert_eq!(regular, field.entrants);
        let missing = field.entrants.next_multiple_of(field.seats) - field.entrants;
        assert_eq!(round.byes.is_empty(), missing <= field.house, "{round:?}");
    }
}

#[test]
fn in_a_round_robin_of_pairs_each_two_meet_once_a_lap() {
    for entrants in 2..=60 {
        for house in 0..2 {
            let field = field(entrants, house, 2);
            let rounds = play(Format::RoundRobin { laps: 2 }, field);
            sound(&field, &rounds);
            all_play(&field, &rounds);
            assert!(byes(&field, &rounds).0 <= 1);
            assert_eq!(rounds.len(), 2 * (entrants + entrants % 2 - 1));
            let met = meetings(&rounds);
            let of_house = entrants % 2 * house * entrants;
            assert_eq!(met.len(), entrants * (entrants - 1) / 2 + of_house);
            assert!(met.values().all(|often| *often == 2));
        }
    }
}

/// How often regular entrants met each other, the least and the most often.
fn often(met: &HashMap<[usize; 2], u32>, pairs: impl Iterator<Item = [usize; 2]>) -> (u32, u32) {
    let often = pairs.map(|pair| met.get(&pair).copied().unwrap_or(0));
    often.fold((u32::MAX, 0), |(least, most), often| {
        (least.min(often), most.max(often))
    })
}

#[test]
fn in_a_round_robin_of_larger_tables_each_set_meets_once_a_lap() {
    for (entrants, house, seats) in [
        (3, 0, 3),
        (2, 4, 6),
        (4, 0, 3),
        (7, 0, 4),
        (7, 1, 4),
        (8, 0, 6),
        (5, 3, 4),
        (9, 0, 3),
        (11, 0, 3),
        (12, 0, 3),
        (13, 0, 3),
    ] {
        let field = field(entrants, house, seats);
        let rounds = play(Format::RoundRobin { laps: 2 }, field);
        sound(&field, &rounds);
        let (worst, last) = byes(&field, &rounds);
        assert!(worst <= 2 && last == 0, "{field:?}");
        let mut sets: HashMap<Vec<usize>, u32> = HashMap::new();
        for table in rounds.iter().flat_map(|round| &round.tables) {
            let mut table = table.clone();
            table.sort_unstable();
            *sets.entry(table).or_default() += 1;
        }
        assert!(sets.values().all(|often| *often == 2));
        let pool = if entrants % seats == 0 {
            entrants
        } else {
            entrants + house
        };
        let all = (0..seats).fold(1, |all, taken| all * (pool - taken) / (taken + 1));
        assert_eq!(sets.len(), all);
        assert_eq!(rounds.len(), 2 * all.div_ceil(pool / seats));
    }
}

#[test]
fn where_sets_are_too_many_all_meet_about_as_often() {
    for (entrants, house, seats, differ) in [
        (60, 0, 3, 2),
        (24, 0, 4, 2),
        (60, 0, 4, 2),
        (23, 1, 4, 2),
        (58, 2, 6, 2),
        (31, 0, 4, 3),
        (20, 0, 6, 4),
    ] {
        let field = field(entrants, house, seats);
        let rounds = play(Format::RoundRobin { laps: 3 }, field);
        sound(&field, &rounds);
        all_play(&field, &rounds);
        assert!(byes(&field, &rounds).0 <= 1);
        assert!(rounds.len() <= 3 * (entrants + house));
        let pairs = (0..entrants).flat_map(|one| (0..one).map(move |other| [other, one]));
        let (least, most) = often(&meetings(&rounds), pairs);
        assert!(
            least >= 1 && most - least <= differ,
            "{field:?}: {least} to {most}"
        );
    }
}

#[test]
fn in_a_gauntlet_heroes_meet_all_rivals_and_no_heroes() {
    for (entrants, house, seats, heroes, a_lap) in [
        (2, 0, 2, 1, 1),
        (9, 0, 2, 1, 8),
        (9, 0, 2, 3, 6),
        (9, 0, 2, 8, 8),
        (10, 0, 4, 1, 3),
        (10, 0, 4, 4, 4),
        (9, 0, 4, 1, 3),
        (9, 1, 4, 1, 3),
        (21, 0, 4, 3, 6),
        (20, 1, 4, 3, 6),
        (60, 0, 6, 7, 11),
    ] {
        let field = field(entrants, house, seats);
        let format = Format::Gauntlet {
            heroes: heroes as u32,
            laps: 2,
        };
        let rounds = play(format, field);
        sound(&field, &rounds);
        assert_eq!(rounds.len(), 2 * a_lap, "{field:?}");
        assert_eq!(
            byes(
                &Field {
                    entrants: heroes,
                    ..field
                },
                &rounds
            )
            .1,
            0
        );
        for table in rounds.iter().flat_map(|round| &round.tables) {
            assert_eq!(table.iter().filter(|entrant| **entrant < heroes).count(), 1);
        }
        let pairs = (0..heroes).flat_map(|hero| (heroes..entrants).map(move |one| [hero, one]));
        let (least, most) = often(&meetings(&rounds), pairs);
        let missing = (seats - 1 - (entrants - heroes) % (seats - 1)) % (seats - 1);
        let most_expected = if missing <= house { 2 } else { 3 };
        assert!(least == 2 && most <= most_expected, "{field:?}: {most}");
    }
}

#[test]
fn in_a_swiss_tournament_those_of_like_standing_meet() {
    for (entrants, house, seats) in [(40, 0, 2), (41, 0, 2), (41, 1, 2), (40, 0, 4), (42, 2, 4)] {
        let field = field(entrants, house, seats);
        let (rounds, points) = play_with_points(Format::Swiss { rounds: 9 }, field);
        sound(&field, &rounds);
        all_play(&field, &rounds);
        assert!(byes(&field, &rounds).0 <= 1);
        let met = meetings(&rounds);
        let most = met.values().copied().max();
        assert_eq!(most, Some(if seats == 2 { 1 } else { 2 }));
        // How far apart those are who meet, and any two.
        let mut sums = vec![0.0; entrants + house];
        for (round, points) in rounds[..8].iter().zip(&points) {
            let places = round.tables.iter().flatten().zip(points.iter().flatten());
            places.for_each(|(entrant, points)| sums[*entrant] += points);
        }
        let apart = |tables: &[Vec<usize>]| {
            let pairs = tables.iter().flat_map(|table| {
                table
                    .iter()
                    .flat_map(|one| table.iter().map(|other| (*one, *other)))
            });
            let regular = pairs.filter(|(one, other)| one != other && *one.max(other) < entrants);
            let apart: Vec<f64> = regular
                .map(|(one, other)| (sums[one] - sums[other]).abs() as f64)
                .collect();
            apart.iter().sum::<f64>() / apart.len() as f64
        };
        let at_tables = apart(&rounds[8].tables);
        let anywhere = apart(&[(0..entrants).collect()]);
        let near = if seats == 2 { 0.5 } else { 0.6 };
        assert!(
            at_tables < near * anywhere,
            "{field:?}: {at_tables} of {anywhere}"
        );
    }
}

#[test]
fn the_best_of_each_table_go_on() {
    for (entrants, house, seats, advance) in [
        (16, 0, 2, 1),
        (13, 0, 2, 1),
        (13, 3, 2, 1),
        (16, 0, 4, 2),
        (25, 3, 4, 2),
        (60, 5, 6, 3),
        (31, 0, 5, 4),
        (7, 0, 4, 3),
    ] {
        let field = field(entrants, house, seats);
        let (rounds, points) = play_with_points(Format::KnockOut { advance }, field);
        sound(&field, &rounds);
        let mut left: BTreeSet<usize> = (0..entrants).collect();
        let mut byes = vec![0u32; entrants];
        for (round, points) in rounds.iter().zip(&points) {
            let playing = round.tables.iter().flatten().chain(&round.byes);
            let regular: BTreeSet<usize> = playing.copied().filter(|one| *one < entrants).collect();
            assert_eq!(regular, left, "{field:?} {round:?}");
            let fewest = left.iter().map(|entrant| byes[*entrant]).min().unwrap();
            let again = round.byes.iter().filter(|one| byes[**one] > fewest).count();
            let at_fewest = left.iter().filter(|one| byes[**one] == fewest).count();
            assert!(again == 0 || at_fewest < round.byes.len());
            round.byes.iter().for_each(|entrant| byes[*entrant] += 1);
            left = round.byes.iter().copied().collect();
            for (table, points) in round.tables.iter().zip(points) {
                left.extend(best(table, points, (entrants, advance), &rounds));
            }
        }
        let last = rounds.last().unwrap();
        assert!(last.tables.len() == 1 && last.byes.is_empty() && last.why == "knock-out, final");
    }
}

/// The best regular ones of a table; of those with equal points the ones who played a later round.
fn best(
    table: &[usize],
    points: &[f64],
    (entrants, advance): (usize, u32),
    rounds: &[Round],
) -> Vec<usize> {
    let last_round = |entrant: usize| {
        rounds.iter().rposition(|round| {
            round
                .tables
                .iter()
                .flatten()
                .chain(&round.byes)
                .any(|one| *one == entrant)
        })
    };
    let mut ranked: Vec<(f64, Option<usize>, usize)> = table
        .iter()
        .zip(points)
        .filter(|(entrant, _)| **entrant < entrants)
        .map(|(entrant, points)| (*points, last_round(*entrant), *entrant))
        .collect();
    ranked.sort_by(|one, other| other.partial_cmp(one).unwrap());
    ranked
        .into_iter()
        .take(advance as usize)
        .map(|(_, _, entrant)| entrant)
        .collect()
}

#[test]
fn the_best_of_those_who_went_out_complete_a_final() {
    let lone = field(9, 0, 4);
    let (rounds, points) = play_with_points(Format::KnockOut { advance: 1 }, lone);
    let [first, last] = &rounds[..] else {
        panic!("{rounds:?}")
    };
    assert_eq!((first.tables.len(), first.byes.len()), (2, 1));
    let mut places: Vec<(f64, usize)> = points[0]
        .iter()
        .flatten()
        .copied()
        .zip(first.tables.iter().flatten().copied())
        .collect();
    places.sort_by(|one, other| other.partial_cmp(one).unwrap());
    // Two winners, and the next best.
    let worst = last.tables[0]
        .iter()
        .filter(|entrant| !first.byes.contains(entrant))
        .map(|entrant| {
            places
                .iter()
                .position(|(_, other)| other == entrant)
                .unwrap()
        })
        .max()
        .unwrap();
    assert!(places[worst].0 >= places[2].0);
    let with_house = field(9, 3, 4);
    let rounds = play(Format::KnockOut { advance: 1 }, with_house);
    assert_eq!((rounds[0].tables.len(), rounds[0].byes.len()), (3, 0));
    assert_eq!(
        rounds[1].tables[0]
            .iter()
            .filter(|entrant| **entrant >= 9)
            .count(),
        1
    );
}

#[test]
fn without_rotations_seats_are_shared_too() {
    for seats in [2, 4] {
        let field = field(20, 0, seats);
        let rounds = play(Format::Swiss { rounds: 19 }, field);
        let mut seated = vec![0u32; 20 * seats];
        for table in rounds.iter().flat_map(|round| &round.tables) {
            for (seat, entrant) in table.iter().enumerate() {
                seated[entrant * seats + seat] += 1;
            }
        }
        let even = 19 / seats as u32;
        assert!(
            seated.iter().all(|often| often.abs_diff(even) <= 2),
            "{seated:?}"
        );
    }
}

fn formats() -> impl Strategy<Value = Format> {
    let mode = prop_oneof![Just(Mode::Spec), Just(Mode::Joint), Just(Mode::Random)];
    prop_oneof![
        Just(Format::RoundRobin { laps: 1 }),
        (1..70u32, 1..3u32).prop_map(|(heroes, laps)| Format::Gauntlet { heroes, laps }),
        (1..9u32).prop_map(|rounds| Format::Swiss { rounds }),
        (1..9u32, mode, 0..4u32).prop_map(|(rounds, mode, random_rounds)| Format::Groups {
            rounds,
            mode,
            random_rounds
        }),
        (1..6u32).prop_map(|advance| Format::KnockOut { advance }),
    ]
}

proptest! {
    #[test]
    fn rounds_are_sound(
        format in formats(),
        (entrants, house, seats, seed) in (2..61usize, 0..7usize, 2..7usize, any::<u64>()),
    ) {
        let field = Field { entrants, house, seats, seed };
        // A round robin of all sets may have thousands of rounds.
        prop_assume!(format.rounds(&field).is_some_and(|rounds| rounds <= 100));
        let rounds = play(format, field);
        sound(&field, &rounds);
        if matches!(format, Format::Swiss { .. } | Format::Groups { .. }) {
            all_play(&field, &rounds);
            prop_assert!(byes(&field, &rounds).0 <= 1);
        }
    }
}

#[test]
fn groups_are_random_first_and_then_follow_the_ratings() {
    for (mode, why) in [
        (Mode::Joint, "adaptive (joint)"),
        (Mode::Spec, "adaptive (spec)"),
        (Mode::Random, "random"),
    ] {
        for (entrants, house, seats) in [(20, 0, 4), (21, 3, 4), (21, 2, 4), (7, 0, 2), (3, 3, 6)] {
            let field = field(entrants, house, seats);
            let format = Format::Groups {
                rounds: 24,
                mode,
                random_rounds: 15,
            };
            let rounds = play(format, field);
            sound(&field, &rounds);
            all_play(&field, &rounds);
            assert!(byes(&field, &rounds).0 <= 1);
            assert!(rounds[..15].iter().all(|round| round.why == "random"));
            assert!(rounds[15..].iter().all(|round| round.why == why));
        }
    }
}

#[test]
fn groups_stay_random_while_ratings_cannot_be_compared() {
    let field = field(40, 0, 2);
    let format = Format::Groups {
        rounds: 6,
        mode: Mode::Joint,
        random_rounds: 1,
    };
    let rounds = play(format, field);
    assert_eq!(
        rounds[1].why,
        "random, as not all ratings can be compared yet"
    );
    assert_eq!(rounds[5].why, "adaptive (joint)");
}

#[test]
fn another_seed_draws_otherwise() {
    let one = field(20, 0, 2);
    let other = Field { seed: 8, ..one };
    for format in [
        r#"{"format": "round-robin"}"#,
        r#"{"format": "gauntlet"}"#,
        r#"{"format": "swiss", "rounds": 5}"#,
        r#"{"format": "groups", "rounds": 5, "mode": "random"}"#,
        r#"{"format": "knock-out"}"#,
    ] {
        let format: Format = serde_json::from_str(format).unwrap();
        assert_eq!(play(format, one), play(format, one));
        assert_ne!(play(format, one)[0].tables, play(format, other)[0].tables);
    }
}

#[test]
fn what_cannot_be_played_is_refused() {
    let robin = Format::RoundRobin { laps: 1 };
    let refused = |format: Format, field: Field| {
        assert_eq!(format.rounds(&field), None);
        format.check(&field).unwrap_err().to_string()
    };
    assert_eq!(robin.check(&field(2, 0, 2)), Ok(()));
    assert_eq!(robin.check(&field(1, 3, 2)), Err(FormatError::Few(1)));
    assert_eq!(
        refused(robin, field(4, 0, 1)),
        "a table has 1 seats; a tournament's has 2 to 64"
    );
    assert_eq!(
        refused(robin, field(2_000, 1, 2)),
        "there are 2001 entrants; at most 2000"
    );
    let groups: Format = serde_json::from_str(r#"{"format": "groups", "rounds": 100}"#).unwrap();
    assert_eq!(
        groups,
        Format::Groups {
            rounds: 100,
            mode: Mode::Joint,
            random_rounds: 15
        }
    );
    assert_eq!(
        refused(groups, field(2, 1, 4)),
        "3 entrants, the house's included, fill no table of 4"
    );
    assert_eq!(
        refused(Format::RoundRobin { laps: 0 }, field(4, 0, 2)),
        "laps is 0, which should be 1 to 100000"
    );
    assert_eq!(
        refused(Format::RoundRobin { laps: 50_000 }, field(4, 0, 2)),
        "that makes 150000 rounds; at most 100000"
    );
    let gauntlet = |heroes| Format::Gauntlet { heroes, laps: 1 };
    assert_eq!(
        refused(gauntlet(4), field(4, 2, 2)),
        "heroes is 4, which should be 1 to 3"
    );
    assert_eq!(
        refused(gauntlet(2), field(4, 0, 4)),
        "2 rivals, the house's included, fill no table with a hero; name fewer heroes"
    );
    assert_eq!(
        refused(Format::KnockOut { advance: 4 }, field(8, 0, 4)),
        "advance is 4, which should be 1 to 3"
    );
    assert_eq!(
        refused(Format::Swiss { rounds: 0 }, field(8, 0, 4)),
        "rounds is 0, which should be 1 to 100000"
    );
    let unknown = serde_json::from_str::<Format>(r#"{"format": "round-robin", "lap": 2}"#);
    assert!(unknown.unwrap_err().to_string().contains("`lap`"));
}
