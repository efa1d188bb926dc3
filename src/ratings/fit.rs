//! The joint fit of all ratings: the most likely ones by a damped Newton method, with their covariance.

mod exact;
mod tables;

use crate::matrix::Matrix;
use crate::model::{Chances, Free, Model, ODDS, Shared, Slopes};
use crate::results::Results;
use std::cmp::Reverse;

/// Newton steps at most; a fit takes about eight.
const STEPS_MAX: usize = 100;
/// The least share of a step that is tried.
const SHARE_MIN: f64 = 1e-12;
/// A step so small is the last, in Elo: the next one would be about its square over 400.
const STEP_ENOUGH: f64 = 1e-3;
/// What holds the mean of ratings, in the unit of information (Elo⁻²): about that of one game.
const GAUGE: f64 = 1e-5;
/// No rating is further from the mean of its component than this, in Elo.
const ELO_MAX: f64 = 10_000.0;
/// The largest prior, in virtual draws a player.
const PRIOR_MAX: f64 = 1_000.0;
/// Bounds of a draw parameter, in Elo; the lower one stands for "there are no draws".
const DRAW_ELO: std::ops::RangeInclusive<f64> = 0.01..=2_000.0;
/// BayesElo's draw parameter, in Elo.
const DRAW_ELO_USUAL: f64 = 97.3;
/// Bounds of an advantage, in Elo.
const ADVANTAGE: std::ops::RangeInclusive<f64> = -2_000.0..=2_000.0;

/// A parameter that all results share, in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter {
    /// It is known.
    Fixed(f64),
    /// It is estimated together with the ratings. Few results may not bound it, as where nobody ever lost to a
    /// weaker player; then it is at its default, 0 for the advantage and 97.3 for draws.
    Fitted,
}

impl Parameter {
    const fn start(self, at: f64) -> f64 {
        match self {
            Self::Fixed(value) => value,
            Self::Fitted => at,
        }
    }
}

/// How results are rated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The advantage of the first player; 0 where the order has no meaning.
    pub advantage: Parameter,
    /// The draw parameter: at 97.3 a game of equals is drawn in 27 of 100 cases, at 7 in 2.
    pub draw_elo: Parameter,
    /// Virtual draws that each player gets in all against those whom it met.
    pub prior: f64,
}

impl Default for Settings {
    /// No advantage, draws estimated, two virtual draws.
    fn default() -> Self {
        Self {
            advantage: Parameter::Fixed(0.0),
            draw_elo: Parameter::Fitted,
            prior: 2.0,
        }
    }
}

/// Why nothing could be rated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A setting out of its range.
    #[error("{what} is {value}; it must be from {least} to {most}")]
    Setting {
        /// Which one.
        what: &'static str,
        /// What was given.
        value: f64,
        /// The least that is allowed.
        least: f64,
        /// The most that is allowed.
        most: f64,
    },
    /// The results do not bound a rating or a parameter.
    #[error(
        "the results do not determine the ratings (furthest out: {player:?}): some players only won or only lost \
         against all others; give a prior above 0"
    )]
    Unbounded {
        /// The player with the most extreme rating when the search ended.
        player: String,
    },
}

/// Ratings fitted to results. Players are addressed by their place among those who have results
/// ([`Fit::players`]).
#[derive(Clone, Debug)]
pub struct Fit {
    pub(crate) model: Model,
    pub(crate) elo: Vec<f64>,
    pub(crate) shared: Shared,
    pub(crate) free: Free,
    pub(crate) covariance: Matrix,
    /// What the estimate of the shared parameters adds to the inverse of the whole information: for each one
    /// estimated, a vector whose outer product with itself is added.
    pub(crate) of_shared: Vec<Vec<f64>>,
    own_information: Vec<f64>,
    log_likelihood: f64,
}

fn check(what: &'static str, value: f64, least: f64, most: f64) -> Result<(), FitError> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(FitError::Setting {
        what,
        value,
        least,
        most,
    })
}

impl Settings {
    fn check(&self) -> Result<(), FitError> {
        check("the prior", self.prior, 0.0, PRIOR_MAX)?;
        for (what, parameter, range) in [
            ("the advantage", self.advantage, ADVANTAGE),
            ("the draw parameter", self.draw_elo, DRAW_ELO),
        ] {
            if let Parameter::Fixed(value) = parameter {
                check(what, value, *range.start(), *range.end())?;
            }
        }
        Ok(())
    }

    /// Which parameters are estimated, and where the search begins. Without any draw the draw parameter is at
    /// its lower bound; with nothing but draws, as where there is nothing, it stays at BayesElo's default.
    fn start(&self, model: &Model) -> (Free, Shared) {
        let sum =
            |of: fn(&crate::model::Meeting) -> f64| model.meetings.iter().map(of).sum::<f64>();
        let draws = sum(|meeting| meeting.draws);
        let decided = sum(|meeting| meeting.wins + meeting.losses);
        let draw_elo = if draws == 0.0 && decided > 0.0 {
            *DRAW_ELO.start()
        } else if decided == 0.0 {
            DRAW_ELO_USUAL
        } else {
            // Of equals a share of (T - 1) / (T + 1) is drawn.
            let share = draws / (draws + decided);
            ((1.0 + share) / (1.0 - share)).ln() / ODDS
        };
        let free = Free {
            advantage: self.advantage == Parameter::Fitted && decided > 0.0,
            draw_elo: self.draw_elo == Parameter::Fitted && draws > 0.0 && decided > 0.0,
        };
        let draw_elo = self.draw_elo.start(draw_elo);
        let usual = self.usual();
        (free, Shared { draw_elo, ..usual })
    }

    /// The parameters without an estimate.
    const fn usual(&self) -> Shared {
        Shared {
            advantage: self.advantage.start(0.0),
            draw_elo: self.draw_elo.start(DRAW_ELO_USUAL),
        }
    }
}

/// Rates the players of these results.
///
/// # Errors
/// [`FitError`] for a setting out of its range, or if the results leave a rating unbounded, which a prior above
/// 0 prevents.
pub fn fit(results: &Results, settings: &Settings) -> Result<Fit, FitError> {
    settings.check()?;
    let ordered = settings.advantage != Parameter::Fixed(0.0);
    let model = Model::new(results, settings.prior, ordered);
    let (free, shared) = settings.start(&model);
    let mut found = climb(&model, shared, free).map(|top| (top, free));
    if found.is_err() && free.parameters().next().is_some() {
        let (shared, free) = (settings.usual(), Free::default());
        found = climb(&model, shared, free).map(|top| (top, free));
    }
    let unbounded = |furthest: usize| FitError::Unbounded {
        player: results.names()[furthest].clone(),
    };
    let ((point, slopes), free) = found.map_err(unbounded)?;
    Fit::at(model, point, slopes, free).ok_or_else(|| unbounded(0))
}

/// Where the search stands.
#[derive(Clone)]
struct Point {
    elo: Vec<f64>,
    shared: Shared,
}

impl Point {
    /// A share of a step further.
    fn moved(&self, step: &[f64], share: f64, free: Free) -> Self {
        let mut steps = step.iter().map(|length| share * length);
        let mut point = self.clone();
        point
            .elo
            .iter_mut()
            .zip(&mut steps)
            .for_each(|(elo, step)| *elo += step);
        for (parameter, step) in free.parameters().zip(steps) {
            match parameter {
                0 => point.shared.advantage += step,
                _ => point.shared.draw_elo += step,
            }
        }
        point
    }
}

/// Climbs to the most likely ratings, or gives the number of the player whose rating went furthest.
fn climb(model: &Model, shared: Shared, free: Free) -> Result<(Point, Slopes), usize> {
    let mut point = Point {
        elo: vec![0.0; model.players.len()],
        shared,
    };
    let mut slopes = model.slopes(&point.elo, point.shared, free);
    for _ in 0..STEPS_MAX {
        let least = slopes.log_likelihood;
        let Some(factor) = gauged(slopes.information, &model.component).factor() else {
            break;
        };
        let step = factor.solve(&slopes.gradient);
        let length = step
            .iter()
            .fold(0.0, |most: f64, step| most.max(step.abs()));
        (point, slopes) = halved(model, &point, &step, free, least);
        if point.elo.iter().any(|elo| elo.abs() > ELO_MAX) || !is_bounded(point.shared) {
            break;
        }
        if length < STEP_ENOUGH {
            return Ok((point, slopes));
        }
    }
    let far = |at: &usize| point.elo[*at].abs();
    let furthest = (0..point.elo.len()).max_by(|one, other| far(one).total_cmp(&far(other)));
    Err(furthest.map_or(0, |at| model.players[at]))
}

/// The step, halved until the likelihood does not fall below `least`.
fn halved(model: &Model, from: &Point, step: &[f64], free: Free, least: f64) -> (Point, Slopes) {
    let mut share = 1.0;
    loop {
        let point = from.moved(step, share, free);
        let slopes = model.slopes(&point.elo, point.shared, free);
        // What is lost to rounding is no fall.
        if slopes.log_likelihood >= least - least.abs() * 1e-12 || share < SHARE_MIN {
            return (point, slopes);
        }
        share /= 2.0;
    }
}

/// How many players each component has.
fn sizes(component: &[usize]) -> Vec<usize> {
    let mut sizes = Vec::new();
    for number in component {
        if sizes.len() <= *number {
            sizes.resize(number + 1, 0);
        }
        sizes[*number] += 1;
    }
    sizes
}

/// Ratings are determined up to a shift of each component: adds what keeps their sum at 0, the same number to
/// every pair of a component, as much as a game reveals.
fn gauged(mut information: Matrix, component: &[usize]) -> Matrix {
    for (row, of_row) in component.iter().enumerate() {
        let cells = information.row_mut(row);
        for (cell, of_column) in cells.iter_mut().zip(&component[..=row]) {
            if of_row == of_column {
                *cell += GAUGE;
            }
        }
    }
    information
}

impl Fit {
    fn at(model: Model, point: Point, slopes: Slopes, free: Free) -> Option<Self> {
        let players = point.elo.len();
        let information = slopes.information;
        let own_information = (0..players).map(|at| information.row(at)[at]).collect();
        let inverse = gauged(information, &model.component).factor()?.inverse();
        let mut covariance = inverse.leading_inverse(players);
        let sizes = sizes(&model.component);
        for (row, number) in model.component.iter().enumerate() {
            let of_gauge = 1.0 / (GAUGE * (sizes[*number] as f64).powi(2));
            let cells = covariance.row_mut(row).iter_mut();
            for (cell, _) in cells
                .zip(&model.component)
                .filter(|(_, other)| *other == number)
            {
                *cell -= of_gauge;
            }
        }
        let order = slopes.gradient.len();
        let column = |shared: usize| (0..order).map(|at| inverse.column(at)[shared]).collect();
        Some(Self {
            of_shared: (players..order).map(column).collect(),
            elo: point.elo,
            shared: point.shared,
            log_likelihood: slopes.log_likelihood,
            own_information,
            covariance,
            free,
            model,
        })
    }

    /// The numbers that the rated players have among the results.
    #[must_use]
    pub fn players(&self) -> &[usize] {
        &self.model.players
    }

    /// Their ratings in Elo; the mean of each component is 0.
    #[must_use]
    pub fn elo(&self) -> &[f64] {
        &self.elo
    }

    /// The number of each one's component, from 0: ratings are comparable only within one, as no results connect
    /// it with the others.
    #[must_use]
    pub fn components(&self) -> &[usize] {
        &self.model.component
    }

    /// The rank of each component by how many players it has, by its number: from 1 for the largest, of equals the one
    /// with the smaller number first.
    #[must_use]
    pub fn component_ranks(&self) -> Vec<usize> {
        let sizes = sizes(&self.model.component);
        let mut by_size: Vec<usize> = (0..sizes.len()).collect();
        by_size.sort_by_key(|number| Reverse(sizes[*number]));
        let mut ranks = vec![0; sizes.len()];
        for (rank, number) in (1..).zip(by_size) {
            ranks[number] = rank;
        }
        ranks
    }

    /// The first player's advantage, in Elo.
    #[must_use]
    pub const fn advantage(&self) -> f64 {
        self.shared.advantage
    }

    /// The draw parameter, in Elo.
    #[must_use]
    pub const fn draw_elo(&self) -> f64 {
        self.shared.draw_elo
    }

    /// The natural logarithm of the likelihood, the prior's draws included.
    #[must_use]
    pub const fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// What BayesElo multiplies ratings with before it shows them, so that one Elo near equality means what it
    /// means without draws.
    #[must_use]
    pub fn scale(&self) -> f64 {
        let x = (-ODDS * self.shared.draw_elo).exp();
        4.0 * x / (1.0 + x).powi(2)
    }

    /// The chances of the first of two when they meet.
    #[must_use]
    pub fn chances(&self, first: usize, second: usize) -> Chances {
        self.shared.chances(self.elo[first] - self.elo[second])
    }

    /// The covariance of two ratings less the mean of their component, in Elo²; the shared parameters count as
    /// known. 0 between components.
    #[must_use]
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        self.covariance.row(one)[other]
    }

    /// The variance of a rating if all other ratings were known, in Elo².
    #[must_use]
    pub fn variance_alone(&self, player: usize) -> f64 {
        1.0 / self.own_information[player]
    }

    /// How likely one is better than another, the likelihood of superiority; `None` between components.
    #[must_use]
    pub fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        if self.model.component[one] != self.model.component[other] {
            return None;
        }
        let covariance = |a, b| self.covariance(a, b);
        let variance =
            covariance(one, one) + covariance(other, other) - 2.0 * covariance(one, other);
        let deviations = (self.elo[one] - self.elo[other]) / variance.sqrt();
        Some(0.5 * libm::erfc(-deviations * std::f64::consts::FRAC_1_SQRT_2))
    }
}

fn is_bounded(shared: Shared) -> bool {
    DRAW_ELO.contains(&shared.draw_elo) && ADVANTAGE.contains(&shared.advantage)
}
