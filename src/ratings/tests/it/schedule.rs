//! Rounds of every format: nobody twice, no seat empty, byes fair, meetings even.

use crate::field;
use ratings::pairing::Mode;
use ratings::schedule::{Field, Format, FormatError, Past, Round};
use ratings::{PairResult, Results, Score, Settings, fit};
use std::collections::{BTreeSet, HashMap};

/// Plays a whole tournament between entrants of whom the first ones are the best, and gives its rounds.
fn play(format: Format, field: Field) -> Vec<Round> {
    let mut strengths = field::Field::new(field.entrants + field.house, field.seed);
    let (mut rounds, mut points): (Vec<Round>, Vec<Vec<Vec<f64>>>) = (Vec::new(), Vec::new());
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
        assert_eq!(format.next(&field, &past).as_ref(), Some(&round));
        let tables = round.tables.iter();
        points.push(
            tables
                .map(|table| shares(&mut strengths, &mut results, table))
                .collect(),
        );
        rounds.push(round);
    }
    assert_eq!(format.rounds(&field), Some(rounds.len() as u32));
    rounds
}

/// The points of a table from one game.
fn shares(strengths: &mut field::Field, results: &mut Results, table: &[usize]) -> Vec<f64> {
    let scores = strengths.points(table);
    let number = results.open_table();
    let mut won = vec![0.0; table.len()];
    for first in 0..table.len() {
        for second in first + 1..table.len() {
            let score = match scores[first].cmp(&scores[second]) {
                std::cmp::Ordering::Less => Score::Loss,
                std::cmp::Ordering::Equal => Score::Draw,
                std::cmp::Ordering::Greater => Score::Win,
            };
            won[first] += score.share();
            won[second] += score.turned().share();
            let (first, second) = (table[first], table[second]);
            results
                .add(PairResult {
                    first,
                    second,
                    score,
                    table: number,
                })
                .unwrap();
        }
    }
    won
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
    let mut byes = vec![0u32; field.entrants];
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
        for entrant in &round.byes {
            byes[*entrant] += 1;
        }
    }
}

/// That all play in every round or have a bye, and that byes never differ by more than one.
fn all_play(field: &Field, rounds: &[Round]) {
    let mut byes = vec![0u32; field.entrants];
    for round in rounds {
        let playing = round.tables.iter().flatten().chain(&round.byes);
        let regular = playing.filter(|entrant| **entrant < field.entrants).count();
        assert_eq!(regular, field.entrants);
        round.byes.iter().for_each(|entrant| byes[*entrant] += 1);
        let (least, most) = (byes.iter().min().unwrap(), byes.iter().max().unwrap());
        assert!(most - least <= 1, "{byes:?}");
        let missing = (field.seats - field.entrants % field.seats) % field.seats;
        assert!(round.byes.is_empty() || missing > field.house);
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
            assert_eq!(rounds.len(), 2 * (entrants + entrants % 2 - 1));
            let met = meetings(&rounds);
            let of_house = entrants % 2 * house * entrants;
            assert_eq!(met.len(), entrants * (entrants - 1) / 2 + of_house);
            assert!(met.values().all(|often| *often == 2));
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
        Format::RoundRobin { laps: 1 },
        Format::Groups {
            rounds: 2,
            mode: Mode::Random,
            random_rounds: 0,
        },
    ] {
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
    let unknown = serde_json::from_str::<Format>(r#"{"format": "round-robin", "lap": 2}"#);
    assert!(unknown.unwrap_err().to_string().contains("`lap`"));
}
