//! A player that climbs a ladder whose rungs are known to be in order, weakest first: which rung it meets next, and which
//! one it holds.

use crate::fit::{Fit, FitError, Settings, fit};
use crate::results::{PairResult, Results, ResultsError, Score};

/// What is as good as sure. Both ends of the interval leave out 2 % together by this, less than they may: ladders are not as
/// even as the virtual results have it. In simulations of 20 matches the interval holds the climber's place in 95 of 100
/// cases or more where all rungs are 60, 150 or 400 Elo apart, or 20, 60 and 400 in turn (`tests/it/rungs.rs`). Where all
/// are nearer together it holds it less often.
const SURE: f64 = 0.99;
/// Virtual results of each rung against the one below it, so that their order counts: about 120 Elo.
const IN_ORDER: [(Score, usize); 2] = [(Score::Win, 16), (Score::Loss, 8)];
/// Virtual draws of each player: few, as the order bounds all ratings but the climber's.
const PRIOR: f64 = 0.3;
/// The climber's number among the results; rung `n`, from 0, has number `n + 1`.
const CLIMBER: usize = 0;

/// A climber and what it has played.
#[derive(Clone, Debug)]
pub struct Climb {
    /// With the virtual results of the rungs.
    results: Results,
    /// How many of the results are virtual.
    in_order: usize,
    rungs: usize,
}

/// Where a climber stands; rungs are numbered from 0, the weakest, and `None` is below all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The highest rung that is not rated above it.
    pub at: Option<usize>,
    /// The lower end of the 95 % interval: the highest rung that it is better than.
    pub lowest: Option<usize>,
    /// The upper end: the rung below the first one that is better than it.
    pub highest: Option<usize>,
}

impl Climb {
    /// Before the first match with these rungs, weakest first.
    ///
    /// # Errors
    /// As [`Results::player`].
    pub fn new<'a>(
        climber: &str,
        rungs: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, ResultsError> {
        let mut results = Results::default();
        results.player(climber)?;
        for rung in rungs {
            results.player(rung)?;
        }
        let rungs = results.names().len() - 1;
        let table = results.open_table();
        for first in 2..=rungs {
            let all = IN_ORDER.iter();
            for score in all.flat_map(|(score, times)| vec![*score; *times]) {
                results.add(PairResult {
                    first,
                    second: first - 1,
                    score,
                    table,
                })?;
            }
        }
        Ok(Self {
            rungs,
            in_order: results.all().len(),
            results,
        })
    }

    /// Counts a match against this rung.
    ///
    /// # Errors
    /// As [`Results::add`].
    ///
    /// # Panics
    /// If there is no such rung: that is a mistake in the caller.
    pub fn add(&mut self, rung: usize, score: Score) -> Result<(), ResultsError> {
        let table = self.results.open_table();
        self.results.add(PairResult {
            first: CLIMBER,
            second: rung + 1,
            score,
            table,
        })
    }

    /// The rung that it meets next: the lowest one that is not rated below it, or the highest of all; the middle one
    /// before its first match.
    ///
    /// # Errors
    /// As [`fit`].
    pub fn next(&self) -> Result<usize, FitError> {
        let next = match self.better()? {
            None => self.rungs / 2,
            Some(better) => better.iter().take_while(|better| **better >= 0.5).count(),
        };
        Ok(next.min(self.rungs.saturating_sub(1)))
    }

    /// What it holds; `None` before its first match.
    ///
    /// # Errors
    /// As [`fit`].
    pub fn held(&self) -> Result<Option<Held>, FitError> {
        let Some(better) = self.better()? else {
            return Ok(None);
        };
        // Rungs are in order: one that is above it has all further ones above it.
        let below = |sure: f64| {
            let rungs = better.iter().take_while(|better| **better >= sure);
            rungs.count().checked_sub(1)
        };
        Ok(Some(Held {
            at: below(0.5),
            lowest: below(SURE),
            highest: below(1.0 - SURE),
        }))
    }

    /// How likely it is better than each rung; `None` before its first match.
    fn better(&self) -> Result<Option<Vec<f64>>, FitError> {
        if self.results.all().len() == self.in_order {
            return Ok(None);
        }
        let settings = Settings {
            prior: PRIOR,
            ..Settings::default()
        };
        let fit: Fit = fit(&self.results, &settings)?;
        let place = |player: usize| fit.players().iter().position(|known| *known == player);
        let better = |rung: usize| fit.superiority(place(CLIMBER)?, place(rung + 1)?);
        // All rungs have results against each other, so all are comparable.
        let all = (0..self.rungs).map(|rung| better(rung).unwrap_or(0.5));
        Ok(Some(all.collect()))
    }

    /// How many matches were won, drawn and lost.
    #[must_use]
    pub fn score(&self) -> [usize; 3] {
        let own = self.results.all().iter().skip(self.in_order);
        [Score::Win, Score::Draw, Score::Loss]
            .map(|score| own.clone().filter(|result| result.score == score).count())
    }
}
