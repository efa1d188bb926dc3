//! One table over several games, for entrants who play more than one.

use super::table::text::{Sheet, percent, words};
use super::table::{Standing, Standings};
use crate::sheet::broken_lines;
use crate::tournament::report::range;
use serde::Serialize;
use std::collections::BTreeMap;

/// Entrants who play more than one game, the best first.
///
/// In each game an entrant counts with its expected score against the field: the mean, over all others of the
/// field, of its chance to win plus half that of a draw when the two meet, by their ratings. So it does not matter
/// whom it happened to meet, how wide the game spreads ratings, or how many matches were played. House entrants are
/// no part of a field, and nor is whom no results connect with most of it. The league's score is the mean over the
/// games that an entrant plays: games that it does not play neither help nor harm it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct League {
    /// The games, in the order given.
    pub games: Vec<String>,
    /// The entrants.
    pub entrants: Vec<LeagueLine>,
}

/// One entrant of a league.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeagueLine {
    /// Its rank, from 1; equals share one.
    pub rank: usize,
    /// Its name, the same in all games.
    pub name: String,
    /// Its mean score over its games.
    pub mean: Expected,
    /// Its score in each game; `None` where it does not play.
    pub games: Vec<Option<Expected>>,
}

/// An expected score against a field, from 0 to 1, with its 95 % interval: that of its own rating, by tables where
/// there are enough of them, the others' being known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// The score.
    pub score: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
}

impl League {
    /// Ranks the entrants of these games. Who has the same name in two of them is the same entrant.
    #[must_use]
    pub fn new(games: &[(String, &Standings)]) -> Self {
        let mut scores: BTreeMap<&str, Vec<Option<Expected>>> = BTreeMap::new();
        for (number, (_, standings)) in games.iter().enumerate() {
            for (name, expected) in expected(standings) {
                let own = scores
                    .entry(name)
                    .or_insert_with(|| vec![None; games.len()]);
                if let Some(place) = own.get_mut(number) {
                    *place = Some(expected);
                }
            }
        }
        let line = |(name, games): (&str, Vec<Option<Expected>>)| {
            let played: Vec<Expected> = games.iter().flatten().copied().collect();
            (played.len() > 1).then(|| LeagueLine {
                rank: 0,
                name: name.to_owned(),
                mean: Expected::mean(&played),
                games,
            })
        };
        let mut entrants: Vec<LeagueLine> = scores.into_iter().filter_map(line).collect();
        entrants.sort_by(|one, other| other.mean.score.total_cmp(&one.mean.score));
        let mut before: Option<(usize, f64)> = None;
        for (place, line) in (1..).zip(&mut entrants) {
            let equal = before.filter(|(_, score)| *score == line.mean.score);
            line.rank = equal.map_or(place, |(rank, _)| rank);
            before = Some((line.rank, line.mean.score));
        }
        Self {
            games: games.iter().map(|(name, _)| name.clone()).collect(),
            entrants,
        }
    }

    /// The league for people, at most this wide if it is given.
    #[must_use]
    pub fn table(&self, width: Option<usize>) -> String {
        let row = |line: &LeagueLine| {
            let games = line.games.iter();
            let games = games.map(|game| game.map_or("-".to_owned(), |game| percent(game.score)));
            let own = [
                line.rank.to_string(),
                line.name.clone(),
                percent(line.mean.score),
                range(line.mean.low, line.mean.high),
            ];
            own.into_iter().chain(games).collect()
        };
        let own = words(&["rank", "entrant", "mean", "95 %"]);
        let sheet = Sheet {
            headings: own.into_iter().chain(self.games.iter().cloned()).collect(),
            rows: self.entrants.iter().map(row).collect(),
            numbers_from: 2,
        };
        let note = "mean: of the expected scores against the field of each game that an entrant plays, two at least\n";
        sheet.text(width) + &broken_lines(note, width)
    }
}

/// Each entrant's score against the field.
fn expected<'a>(standings: &'a Standings) -> Vec<(&'a str, Expected)> {
    let Some(model) = &standings.model else {
        return Vec::new();
    };
    let rated = |one: &Standing| {
        let rating = one.rating.as_ref().filter(|rating| rating.component == 1)?;
        let (lower, upper) = rating.interval();
        Some([rating.elo, lower, upper])
    };
    let own = standings.entrants.iter().filter(|one| !one.house);
    let field: Vec<(&str, [f64; 3])> = own
        .filter_map(|one| Some((&*one.name, rated(one)?)))
        .collect();
    let of = |place: usize, elo: f64| {
        let others = field
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place);
        let shares = others.map(|(_, (_, other))| model.share(elo - other[0]));
        shares.sum::<f64>() / (field.len() - 1) as f64
    };
    let places = field.iter().enumerate().filter(|_| field.len() > 1);
    let line = |(place, (name, [elo, lower, upper])): (usize, &(&'a str, [f64; 3]))| {
        let expected = Expected {
            score: of(place, *elo),
            low: of(place, *lower),
            high: of(place, *upper),
        };
        (*name, expected)
    };
    places.map(line).collect()
}

impl Expected {
    /// The mean of scores of different games, which know nothing of each other.
    fn mean(games: &[Self]) -> Self {
        let count = games.len() as f64;
        let sum = |of: &dyn Fn(&Self) -> f64| games.iter().map(of).sum::<f64>();
        let score = sum(&|game| game.score) / count;
        let down = sum(&|game| (game.score - game.low).powi(2)).sqrt() / count;
        let up = sum(&|game| (game.high - game.score).powi(2)).sqrt() / count;
        Self {
            score,
            low: (score - down).max(0.0),
            high: (score + up).min(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{field, game};
    use super::super::{Named, PlayedGame, RankSettings, Standings};
    use super::{Expected, League};
    use ratings::{Parameter, Settings};

    /// Without prior and draws, the fitted chances of two who met are their shares.
    fn standings(entrants: &[Named], games: &[PlayedGame]) -> Standings {
        let rating = Settings {
            draw_elo: Parameter::Fixed(0.01),
            prior: 0.0,
            ..Settings::default()
        };
        let settings = RankSettings {
            rating,
            ..RankSettings::default()
        };
        Standings::new(entrants, games, &settings)
    }

    /// A match in each round between two entrants, of which the first wins this share.
    fn won(pair: [usize; 2], wins: u32, of: u32, first: u32) -> Vec<PlayedGame> {
        let one = |number: u32| {
            let score = i64::from(number < wins);
            game(
                u64::from(first + number),
                first + number,
                &pair,
                &[score, 1 - score],
            )
        };
        (0..of).map(one).collect()
    }

    #[test]
    fn scores_against_the_field_are_averaged() {
        // In the first game a wins 3 of 4 against b. In the second b wins 2 of 3 against a and against c each, and
        // a and c are equal.
        let one = standings(&field(&["a", "b"]), &won([0, 1], 3, 4, 0));
        let mut games = won([1, 0], 2, 3, 0);
        games.extend(won([1, 2], 2, 3, 3));
        games.extend(won([0, 2], 1, 2, 6));
        let two = standings(&field(&["a", "b", "c"]), &games);
        let league = League::new(&[("one".into(), &one), ("two".into(), &two)]);
        assert_eq!(league.games, ["one", "two"]);
        let found: Vec<_> = league
            .entrants
            .iter()
            .map(|line| (line.rank, &*line.name))
            .collect();
        assert_eq!(found, [(1, "a"), (2, "b")], "c plays one game only");
        let near = |found: Expected, expected: f64| {
            assert!(
                (found.score - expected).abs() < 2e-4,
                "{found:?} {expected}"
            );
            assert!(
                found.low < found.score && found.score < found.high,
                "{found:?}"
            );
        };
        let [a, b] = &*league.entrants else {
            panic!("{league:?}")
        };
        near(a.games[0].unwrap(), 0.75);
        // 1/3 against b, 1/2 against c.
        near(a.games[1].unwrap(), 5.0 / 12.0);
        near(a.mean, (0.75 + 5.0 / 12.0) / 2.0);
        near(b.games[1].unwrap(), 2.0 / 3.0);
        near(b.mean, (0.25 + 2.0 / 3.0) / 2.0);
        let text = league.table(None);
        assert!(
            text.lines()
                .nth(1)
                .unwrap()
                .starts_with("1     a        58.3%"),
            "{text}"
        );
    }

    #[test]
    fn means_of_independent_games_narrow() {
        let game = |score: f64, half: f64| Expected {
            score,
            low: score - half,
            high: score + half,
        };
        let mean = Expected::mean(&[game(0.5, 0.03), game(0.7, 0.04)]);
        assert!((mean.score - 0.6).abs() < 1e-12);
        assert!((mean.high - 0.625).abs() < 1e-12 && (mean.low - 0.575).abs() < 1e-12);
    }

    #[test]
    fn who_is_of_the_house_or_apart_is_no_part_of_a_field() {
        // The house bot beats a; d and e only met each other.
        let entrants = field(&["a", "b", "house", "d", "e"]);
        let mut games = won([0, 1], 3, 4, 0);
        games.extend(won([2, 0], 3, 4, 4));
        games.extend(won([3, 4], 1, 2, 8));
        let one = standings(&entrants, &games);
        let league = League::new(&[("one".into(), &one), ("same".into(), &one)]);
        let names: Vec<&str> = league.entrants.iter().map(|line| &*line.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert!((league.entrants[0].mean.score - 0.75).abs() < 2e-4);
        let none = Standings::new(&entrants, &[], &RankSettings::default());
        assert_eq!(
            League::new(&[("one".into(), &one), ("none".into(), &none)]).entrants,
            []
        );
    }
}
