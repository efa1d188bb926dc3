//! A climber on a ladder of known order.

use games::rng::Rng;
use ratings::{Climb, Held, Score};

const NAMES: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];

fn climb() -> Climb {
    Climb::new("own", NAMES).unwrap()
}

/// Lets it play 20 games against rungs `apart` Elo apart, as one so many Elo above the lowest; the rungs that it met.
fn climbed(own: f64, apart: f64, seed: u64) -> (Climb, Vec<usize>) {
    let (mut climb, mut rng, mut met) = (climb(), Rng::new(seed, 0), Vec::new());
    for _ in 0..20 {
        let rung = climb.next().unwrap();
        met.push(rung);
        let wins = 1.0 / (1.0 + 10f64.powf((apart * rung as f64 - own) / 400.0));
        let won = f64::from(rng.below(1 << 20)) < wins * f64::from(1 << 20);
        let score = if won { Score::Win } else { Score::Loss };
        climb.add(rung, score).unwrap();
    }
    (climb, met)
}

#[test]
fn it_begins_in_the_middle_and_goes_up_and_down() {
    let mut climb = climb();
    assert_eq!(climb.held().unwrap(), None);
    let mut met = Vec::new();
    for score in [Score::Win, Score::Loss, Score::Win] {
        met.push(climb.next().unwrap());
        climb.add(*met.last().unwrap(), score).unwrap();
    }
    assert_eq!(met[0], 4);
    assert!(met[1] > met[0] && met[2] < met[1], "{met:?}");
    assert_eq!(climb.score(), [2, 0, 1]);
}

#[test]
fn whoever_wins_or_loses_everything_stays_at_an_end() {
    for (score, last, at) in [(Score::Win, 8, Some(8)), (Score::Loss, 0, None)] {
        let mut climb = climb();
        for _ in 0..12 {
            climb.add(climb.next().unwrap(), score).unwrap();
        }
        assert_eq!(climb.next().unwrap(), last);
        let held = climb.held().unwrap().unwrap();
        assert_eq!(held.at, at, "{held:?}");
    }
}

#[test]
fn one_rung_is_a_ladder_too() {
    let mut climb = Climb::new("own", ["only"]).unwrap();
    assert_eq!(climb.next().unwrap(), 0);
    climb.add(0, Score::Draw).unwrap();
    assert_eq!(climb.next().unwrap(), 0);
    assert_eq!(climb.score(), [0, 1, 0]);
}

#[test]
fn it_meets_those_around_it_and_its_interval_holds_its_place() {
    for (apart, near_min, covered_min) in
        [(60.0, 800, 180), (150.0, 1_300, 190), (400.0, 1_800, 190)]
    {
        let (mut near, mut covered, mut wide) = (0, 0, 0);
        for seed in 0..200 {
            // Halfway between rungs 1 to 6 and the next ones.
            let place = 1 + (seed % 6) as usize;
            let (climb, met) = climbed(apart * (place as f64 + 0.5), apart, seed);
            let late = met[10..].iter();
            near += late
                .filter(|rung| (place..=place + 1).contains(*rung))
                .count();
            let held = climb.held().unwrap().unwrap();
            let Held {
                at,
                lowest,
                highest,
            } = held;
            assert!(lowest <= at && at <= highest, "{held:?}");
            covered += usize::from(lowest <= Some(place) && Some(place) <= highest);
            wide += highest.map_or(0, |rung| rung + 1) - lowest.map_or(0, |rung| rung + 1);
        }
        assert!(
            near > near_min,
            "{apart}: {near} of 2000 late matches near it"
        );
        assert!(wide < 4 * 200, "{apart}: intervals of {wide} rungs in all");
        assert!(
            covered >= covered_min,
            "{apart}: {covered} of 200 intervals hold it"
        );
    }
}
