//! A climber on a ladder of known order.

use games::rng::Rng;
use ratings::{Climb, Held, Score};

const NAMES: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];

fn climb() -> Climb {
    Climb::new("own", NAMES).unwrap()
}

/// Games of a climber.
const GAMES: usize = 20;

/// Lets it play against rungs with these ratings, as one with its own; the rungs that it met.
fn climbed(own: f64, rungs: &[f64], seed: u64) -> (Climb, Vec<usize>) {
    let (mut climb, mut rng, mut met) = (climb(), Rng::new(seed, 0), Vec::new());
    for _ in 0..GAMES {
        let rung = climb.next().unwrap();
        met.push(rung);
        let wins = 1.0 / (1.0 + 10f64.powf((rungs[rung] - own) / 400.0));
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
fn a_player_that_wins_or_loses_everything_stays_at_an_end() {
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

/// What comes of many climbers.
#[derive(Default)]
struct Seen {
    climbers: u32,
    /// Matches of the later half against the two rungs around the climber.
    near: u32,
    /// Intervals that hold its place.
    covered: u32,
    /// Rungs that could be its place by their intervals, in all.
    wide: usize,
}

/// Climbers halfway between two neighbours on a ladder with these gaps, again and again: between all but the outermost.
fn seen(gaps: &[f64], each: u64) -> Seen {
    let mut rungs = vec![0.0];
    for gap in gaps.iter().cycle().take(NAMES.len() - 1) {
        rungs.push(rungs[rungs.len() - 1] + gap);
    }
    let mut seen = Seen::default();
    for place in 1..rungs.len() - 2 {
        let own = f64::midpoint(rungs[place], rungs[place + 1]);
        for seed in 0..each {
            let (climb, met) = climbed(own, &rungs, seed * 100 + place as u64);
            let late = met[GAMES / 2..].iter();
            seen.climbers += 1;
            seen.near += late
                .filter(|rung| (place..=place + 1).contains(*rung))
                .count() as u32;
            let held = climb.held().unwrap().unwrap();
            let Held {
                at,
                lowest,
                highest,
            } = held;
            assert!(lowest <= at && at <= highest, "{held:?}");
            seen.covered += u32::from(lowest <= Some(place) && Some(place) <= highest);
            let below = |rung: Option<usize>| rung.map_or(0, |rung| rung + 1);
            seen.wide += below(highest) + 1 - below(lowest);
        }
    }
    seen
}

#[test]
fn it_meets_those_around_it_and_its_interval_holds_its_place() {
    for (gaps, near_min) in [
        (&[60.0][..], 0.35),
        (&[150.0], 0.65),
        (&[400.0], 0.9),
        (&[20.0, 400.0, 60.0], 0.4),
        (&[400.0, 60.0, 20.0], 0.4),
        (&[60.0, 20.0, 400.0], 0.4),
        (&[20.0, 20.0, 300.0], 0.3),
    ] {
        let Seen {
            climbers,
            near,
            covered,
            wide,
        } = seen(gaps, 50);
        let share = |count: u32, of: u32| f64::from(count) / f64::from(of);
        let near = share(near, climbers * GAMES as u32 / 2);
        let covered = share(covered, climbers);
        let wide = wide as f64 / f64::from(climbers);
        let known = format!(
            "{gaps:?}: {near:.3} of late matches near it, {covered:.3} of intervals hold it, {wide:.2} rungs"
        );
        assert!(near > near_min, "{known}");
        assert!(covered >= 0.95, "{known}");
        assert!(wide < 6.0, "{known}");
    }
}
