//! The table of a fit: each component's players from best to worst, with their intervals and records.

use crate::fit::{Fit, FitError, Settings, fit};
use crate::results::{PairResult, Results};
use games::stats::{Z95, t95};
use serde::Serialize;
use std::cmp::Reverse;
use utoipa::ToSchema;

/// An interval by fewer tables than these is not trusted to be narrower than the other one.
const TABLES_TRUSTED: usize = 10;

/// The likelihood of superiority is listed for every pair of n players at most.
const SUPERIORITY_MAX: usize = 200;
/// Ratings that differ by less, in Elo, are equal.
const EQUAL: f64 = 1e-6;

/// How intervals are computed: BayesElo's three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intervals {
    /// From the covariance of all ratings.
    #[default]
    Covariance,
    /// From each rating's exact distribution, all others' distances being known: not symmetric.
    Exact,
    /// From each rating's own variance, all other ratings being known.
    Alone,
}

/// One player's line. Ratings and their intervals are in Elo of the model, with a mean of 0 in each component;
/// BayesElo shows them multiplied by [`Ranking::scale`].
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Rated {
    /// The component, from 1 for the largest: ratings of different ones are not comparable.
    pub component: usize,
    /// The rank within it, from 1; equal ratings are in the order of names.
    pub rank: usize,
    /// The player.
    pub name: String,
    /// Its rating.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub lower: f64,
    /// Upper end of it.
    pub upper: f64,
    /// Lower end of the 95 % interval by a jackknife over tables and Student's t, with fewer than ten of its tables
    /// no narrower than the other interval; `None` for fewer than two tables in all.
    pub table_lower: Option<f64>,
    /// Upper end of it.
    pub table_upper: Option<f64>,
    /// How many results it has.
    pub games: u64,
    /// Its share of them, from 0 to 1.
    pub score: f64,
    /// The mean rating of those whom it met, by games.
    pub opponents: f64,
    /// The share of draws, from 0 to 1.
    pub draws: f64,
    /// How likely it is better than the next of its component; `None` for the last one.
    pub superiority: Option<f64>,
}

impl Rated {
    /// The 95 % interval to trust, as its lower and upper end: that by tables, where there are at least two, or
    /// else the other one.
    #[must_use]
    pub fn interval(&self) -> (f64, f64) {
        let by_tables = self.table_lower.zip(self.table_upper);
        by_tables.unwrap_or((self.lower, self.upper))
    }
}

/// The whole table.
#[derive(Clone, Debug, Serialize)]
pub struct Ranking {
    /// The first player's advantage, in Elo.
    pub advantage: f64,
    /// The draw parameter, in Elo.
    pub draw_elo: f64,
    /// Virtual draws of each player.
    pub prior: f64,
    /// What BayesElo multiplies ratings with before it shows them.
    pub scale: f64,
    /// The natural logarithm of the likelihood.
    pub log_likelihood: f64,
    /// How many pair results there are.
    pub results: usize,
    /// How many components the players form.
    pub components: usize,
    /// All who have results, component by component, best first.
    pub players: Vec<Rated>,
    /// Those who have none.
    pub without_results: Vec<String>,
    /// How likely each of `players` is better than each other, row by row; `null` between components and for a
    /// player and itself. `None` for more than 200 players.
    pub superiority: Option<Vec<Vec<Option<f64>>>>,
}

/// What a player has played.
#[derive(Clone, Default)]
struct Record {
    games: f64,
    share: f64,
    draws: f64,
    opponents: f64,
}

impl Ranking {
    /// Fits results and ranks their players.
    ///
    /// # Errors
    /// As [`fit`].
    pub fn new(
        results: &Results,
        settings: &Settings,
        intervals: Intervals,
    ) -> Result<Self, FitError> {
        let fit = fit(results, settings)?;
        let order = order(results, &fit);
        let records = records(results, &fit);
        let bounds = bounds(&fit, intervals);
        let (errors, tables) = (fit.table_errors(results), fit.tables_of(results));
        let mut players: Vec<Rated> = Vec::new();
        for (place, (component, at)) in order.iter().enumerate() {
            let (elo, record) = (fit.elo()[*at], &records[*at]);
            let half = errors.as_ref().map(|errors| {
                let (own, tables) = (bounds[*at].1 - elo, tables[*at]);
                let half = t95(tables.saturating_sub(1).max(1) as f64) * errors[*at];
                // Few tables that happen to agree show no certainty.
                if tables < TABLES_TRUSTED {
                    half.max(own)
                } else {
                    half
                }
            });
            let by_tables = |side: f64| Some(elo + side * half?);
            let above = players.last().filter(|above| above.component == *component);
            players.push(Rated {
                component: *component,
                rank: above.map_or(1, |above| above.rank + 1),
                name: results.names()[fit.players()[*at]].clone(),
                elo,
                lower: bounds[*at].0,
                upper: bounds[*at].1,
                table_lower: by_tables(-1.0),
                table_upper: by_tables(1.0),
                games: record.games as u64,
                score: record.share / record.games,
                opponents: record.opponents / record.games,
                draws: record.draws / record.games,
                superiority: order
                    .get(place + 1)
                    .and_then(|(_, next)| fit.superiority(*at, *next)),
            });
        }
        let row = |one: usize| {
            let cell = |(_, other): &(usize, usize)| {
                fit.superiority(one, *other).filter(|_| one != *other)
            };
            order.iter().map(cell).collect()
        };
        let mut played = vec![false; results.names().len()];
        fit.players()
            .iter()
            .for_each(|player| played[*player] = true);
        let names = results.names().iter().zip(played);
        Ok(Self {
            advantage: fit.advantage(),
            draw_elo: fit.draw_elo(),
            prior: settings.prior,
            scale: fit.scale(),
            log_likelihood: fit.log_likelihood(),
            results: results.all().len(),
            components: order.last().map_or(0, |(component, _)| *component),
            without_results: names
                .filter(|(_, played)| !played)
                .map(|(name, _)| name.clone())
                .collect(),
            superiority: (order.len() <= SUPERIORITY_MAX)
                .then(|| order.iter().map(|(_, one)| row(*one)).collect()),
            players,
        })
    }
}

/// Players as (component from 1, place in the fit): the largest component first, the best player first.
fn order(results: &Results, fit: &Fit) -> Vec<(usize, usize)> {
    let (components, rank) = (fit.components(), fit.component_ranks());
    let mut order: Vec<(usize, usize)> = components
        .iter()
        .enumerate()
        .map(|(at, number)| (rank[*number], at))
        .collect();
    order.sort_by_key(|(component, at)| {
        let elo = (fit.elo()[*at] / EQUAL).round() as i64;
        (
            *component,
            Reverse(elo),
            &results.names()[fit.players()[*at]],
        )
    });
    order
}

fn records(results: &Results, fit: &Fit) -> Vec<Record> {
    let mut place = vec![0; results.names().len()];
    for (at, player) in fit.players().iter().enumerate() {
        place[*player] = at;
    }
    let mut records = vec![Record::default(); fit.players().len()];
    let mut count = |own: usize, other: usize, share: f64| {
        let record = &mut records[place[own]];
        record.games += 1.0;
        record.share += share;
        record.draws += f64::from(u8::from(share == 0.5));
        record.opponents += fit.elo()[place[other]];
    };
    for PairResult {
        first,
        second,
        score,
        ..
    } in results.all()
    {
        count(*first, *second, score.share());
        count(*second, *first, score.turned().share());
    }
    records
}

fn bounds(fit: &Fit, intervals: Intervals) -> Vec<(f64, f64)> {
    let around = |variance: &dyn Fn(usize) -> f64| {
        let players = fit.elo().iter().enumerate();
        let bound = |(at, elo): (usize, &f64)| {
            let half = Z95 * variance(at).sqrt();
            (elo - half, elo + half)
        };
        players.map(bound).collect()
    };
    match intervals {
        Intervals::Covariance => around(&|at| fit.covariance(at, at)),
        Intervals::Exact => fit.exact_intervals(0.95),
        Intervals::Alone => around(&|at| fit.variance_alone(at)),
    }
}
