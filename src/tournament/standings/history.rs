//! How ratings moved over the rounds, and a ladder that moves as matches end.

use super::played::{Named, PlayedGame, RankSettings, add_block, blocks, no_results, sorted};
use super::table::text::{Sheet, words};
use crate::sheet::csv;
use ratings::{Intervals, Ladder, PairResult, Ranking, Rated, Results, ResultsError};
use serde::Serialize;
use std::collections::HashMap;
use std::io;

/// Ratings are fitted again after rounds for this many entrants at most; for more there is the live ladder.
const FITTED_MAX: usize = 100;
/// Rounds that are shown at most: of more, evenly many are left out between two.
const ROUNDS_MAX: usize = 200;
/// The same in a table for people.
const COLUMNS_MAX: usize = 12;

/// The ratings after each round.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    /// Whether ratings are fitted to all results so far, in Elo; otherwise they are the live ladder's (25 at the
    /// start).
    pub fitted: bool,
    /// The entrants' names, in the order in which they were given.
    pub entrants: Vec<String>,
    /// The rounds: all of them, or 200 with even gaps.
    pub rounds: Vec<RoundRatings>,
}

/// The ratings after one round.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundRatings {
    /// The round's number, from 0; people see it from 1.
    pub round: u32,
    /// What BayesElo multiplies ratings with before it shows them.
    pub scale: f64,
    /// By entrant; `None` without results, and outside the largest group of those whom results connect.
    pub ratings: Vec<Option<f64>>,
}

/// The numbers at which to look at `count` things so that at most `most` are seen, the last of them always.
fn seen(count: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..count)
        .rev()
        .step_by(count.div_ceil(most).max(1))
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
}

impl History {
    /// Rates entrants after each round. Takes a joint fit a round: not for every match that ends.
    ///
    /// # Errors
    /// [`ResultsError`] for too many entrants or results, or a name that is empty or too long.
    pub fn new(
        entrants: &[Named],
        games: &[PlayedGame],
        settings: &RankSettings,
    ) -> Result<Self, ResultsError> {
        let games = sorted(games);
        let fitted = entrants.len() <= FITTED_MAX;
        let mut results = no_results(entrants)?;
        let mut live = Live::default();
        let by_round: Vec<_> = games
            .chunk_by(|one, other| one.round == other.round)
            .collect();
        let mut looks = seen(by_round.len(), ROUNDS_MAX).peekable();
        let mut rounds = Vec::new();
        for (at, round) in by_round.iter().enumerate() {
            for block in blocks(round) {
                let pairs = add_block(&mut results, block)?;
                live.0.add(&pairs);
            }
            let Some(first) = round.first().filter(|_| looks.next_if_eq(&at).is_some()) else {
                continue;
            };
            rounds.push(if fitted {
                rated(first.round, &results, settings)
            } else {
                live.rated(first.round, entrants.len())
            });
        }
        Ok(Self {
            fitted,
            entrants: entrants.iter().map(|one| one.name.clone()).collect(),
            rounds,
        })
    }

    /// For people: a line an entrant, the best of the last round first, and up to twelve rounds; at most this wide if it is given.
    #[must_use]
    pub fn table(&self, width: Option<usize>) -> String {
        self.sheet().text(width)
    }

    pub(super) fn sheet(&self) -> Sheet {
        let shown: Vec<&RoundRatings> = seen(self.rounds.len(), COLUMNS_MAX)
            .filter_map(|at| self.rounds.get(at))
            .collect();
        let last = |entrant: usize| shown.last().and_then(|round| round.rating(entrant));
        let mut order: Vec<usize> = (0..self.entrants.len()).collect();
        order.sort_by(|one, other| {
            let rating = |entrant| last(entrant).unwrap_or(f64::MIN);
            rating(*other).total_cmp(&rating(*one))
        });
        let cell = |rating: f64| match self.fitted {
            true => format!("{:.0}", rating.round() + 0.0),
            false => format!("{rating:.1}"),
        };
        let row = |entrant: &usize| {
            let name = self.entrants.get(*entrant).cloned().unwrap_or_default();
            let ratings = shown.iter().map(|round| {
                let rating = round.rating(*entrant).map(|rating| round.scale * rating);
                rating.map_or("-".to_owned(), cell)
            });
            [name].into_iter().chain(ratings).collect()
        };
        let numbers = shown.iter().map(|round| (round.round + 1).to_string());
        let headings = words(&["after round"]).into_iter().chain(numbers);
        Sheet {
            headings: headings.collect(),
            rows: order.iter().map(row).collect(),
            numbers_from: 1,
        }
    }

    /// As CSV with a header line, in full precision and not scaled.
    ///
    /// # Errors
    /// Never: it is written to memory.
    pub fn csv(&self) -> io::Result<String> {
        let rows = self.rounds.iter().flat_map(|round| {
            let named = self.entrants.iter().zip(&round.ratings);
            named.filter_map(|(name, rating)| {
                let rating = (*rating)?.to_string();
                Some(vec![round.round.to_string(), name.clone(), rating])
            })
        });
        csv(&["round", "name", "rating"], &rows.collect::<Vec<_>>())
    }
}

impl RoundRatings {
    pub(super) fn rating(&self, entrant: usize) -> Option<f64> {
        self.ratings.get(entrant).copied().flatten()
    }
}

/// By a joint fit, as the standings after that round. What leaves a rating unbounded, as without a prior it may, has none
/// yet.
fn rated(round: u32, results: &Results, settings: &RankSettings) -> RoundRatings {
    let ranking = Ranking::new(results, &settings.rating, Intervals::Covariance).ok();
    let players = ranking.iter().flat_map(|ranking| &ranking.players);
    let main = players.filter(|player| player.component == 1);
    let main: HashMap<&str, &Rated> = main.map(|player| (&*player.name, player)).collect();
    let names = results.names().iter();
    let by_entrant: Vec<_> = names.map(|name| main.get(&**name)).collect();
    RoundRatings {
        round,
        scale: ranking.as_ref().map_or(1.0, |ranking| ranking.scale),
        ratings: by_entrant.iter().map(|one| Some((*one)?.elo)).collect(),
    }
}

/// A ladder that moves as matches end, by Weng and Lin's approximation: what to show while a tournament runs.
#[derive(Clone, Debug, Default)]
pub struct Live(Ladder);

impl Live {
    /// Adds a match that ended.
    pub fn add(&mut self, game: &PlayedGame) {
        let pairs = game.pairs().map(|(first, second, score)| PairResult {
            first,
            second,
            score,
            table: 0,
        });
        self.0.add(&pairs.collect::<Vec<_>>());
    }

    /// Entrants who have results, by their numbers, with their ratings (25 at the start), best first.
    #[must_use]
    pub fn standing(&self) -> Vec<(usize, f64)> {
        let standing = self.0.standing().into_iter();
        standing
            .map(|(entrant, rating, _)| (entrant, rating))
            .collect()
    }

    fn rated(&self, round: u32, entrants: usize) -> RoundRatings {
        let mut ratings = vec![None; entrants];
        for (entrant, rating) in self.standing() {
            if let Some(place) = ratings.get_mut(entrant) {
                *place = Some(rating);
            }
        }
        RoundRatings {
            round,
            scale: 1.0,
            ratings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{field, game, three};
    use super::super::{RankSettings, Standings};
    use super::{History, Live, seen};

    #[test]
    fn what_is_seen_ends_with_the_last() {
        let seen = |count, most| super::seen(count, most).collect::<Vec<_>>();
        assert!(seen(0, 3).is_empty());
        assert_eq!(seen(3, 3), [0, 1, 2]);
        assert_eq!(seen(7, 3), [0, 3, 6]);
        assert_eq!(seen(8, 3), [1, 4, 7]);
        assert_eq!(seen(1_001, 200).len(), 167);
    }

    #[test]
    fn the_last_round_has_the_ratings_of_the_standings() {
        let (entrants, games) = three();
        let settings = RankSettings::default();
        let history = History::new(&entrants, &games, &settings).unwrap();
        let standings = Standings::new(&entrants, &games, &settings);
        assert_eq!(history.rounds.len(), 2);
        for standing in &standings.entrants {
            let at = history
                .entrants
                .iter()
                .position(|name| *name == standing.name);
            let (last, at) = (&history.rounds[1], at.unwrap());
            let rated = standing.rating.as_ref().unwrap();
            assert!((last.ratings[at].unwrap() - rated.elo).abs() < 1e-9);
            let upper = rated.table_upper.unwrap();
            assert!(upper > rated.upper + 1.0, "they differ: {rated:?}");
        }
        // After the first round they are those of its three matches alone.
        let first = Standings::new(&entrants, &games[..3], &settings);
        let elo = first.entrants[0].rating.as_ref().unwrap().elo;
        assert_eq!(first.entrants[0].name, "anna");
        assert!((history.rounds[0].ratings[0].unwrap() - elo).abs() < 1e-9);
        assert_eq!(history.csv().unwrap().lines().count(), 7);
        assert_eq!(
            history.table(None),
            "\
after round    1    2
anna          85  108
house        -85  -37
bert           0  -72
"
        );
    }

    #[test]
    fn only_those_whom_results_connect_are_compared() {
        let entrants = field(&["a", "b", "c", "d", "e"]);
        let games = [
            game(0, 0, &[0, 1], &[1, 0]),
            game(1, 1, &[2, 3], &[1, 0]),
            game(2, 2, &[3, 4], &[1, 0]),
        ];
        let history = History::new(&entrants, &games, &RankSettings::default()).unwrap();
        let rated = |round: usize| history.rounds[round].ratings.iter().map(Option::is_some);
        let rated = |round| rated(round).collect::<Vec<_>>();
        assert_eq!(rated(1), [true, true, false, false, false]);
        assert_eq!(rated(2), [false, false, true, true, true]);
    }

    #[test]
    fn a_large_field_has_the_live_ladder() {
        let names: Vec<String> = (0..101).map(|number| format!("e{number}")).collect();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let games = [game(0, 0, &[7, 50], &[3, 1]), game(1, 1, &[50, 7], &[2, 2])];
        let history = History::new(&field(&names), &games, &RankSettings::default()).unwrap();
        assert!(!history.fitted);
        let mut live = Live::default();
        games.iter().for_each(|game| live.add(game));
        let [(first, best), (second, worst)] = live.standing()[..] else {
            panic!("{live:?}")
        };
        assert_eq!((first, second), (7, 50));
        assert!(best > 25.0 && worst < 25.0);
        assert_eq!(history.rounds[1].ratings[7], Some(best));
        assert_eq!(history.rounds[1].ratings[0], None);
        assert_eq!(seen(history.rounds.len(), 1).next(), Some(1));
    }
}
