//! BayesElo's model: a result depends on the difference of two ratings, on an advantage of the first player
//! and on a parameter for draws (Rao and Kupper's), all in Elo.
//!
//! With f(x) = 1 / (1 + 10^(-x/400)), d the first player's rating less the second's, A the advantage and D
//! the draw parameter: P(win) = f(d + A - D), P(loss) = f(-d - A - D), P(draw) = (10^(D/200) - 1) P(win) P(loss).

use crate::matrix::Matrix;
use crate::results::{PairResult, Results, Score};
use std::f64::consts::LN_10;

/// Natural logarithm of the odds in one Elo.
pub(crate) const ODDS: f64 = LN_10 / 400.0;

/// All results of two players in one order; counts of virtual draws are fractions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meeting {
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// As the first player sees them.
    pub(crate) wins: f64,
    pub(crate) draws: f64,
    pub(crate) losses: f64,
}

impl Meeting {
    fn between(first: usize, second: usize) -> Self {
        Self {
            first,
            second,
            ..Self::default()
        }
    }

    /// The two, the lower number first.
    fn pair(&self) -> (usize, usize) {
        (self.first.min(self.second), self.first.max(self.second))
    }

    fn games(&self) -> f64 {
        self.wins + self.draws + self.losses
    }

    /// Won games and draws, lost games and draws: a draw is half a win and half a loss of the model.
    pub(crate) const fn halves(&self) -> (f64, f64) {
        (self.wins + self.draws, self.losses + self.draws)
    }

    const fn count(&mut self, score: Score) {
        match score {
            Score::Loss => self.losses += 1.0,
            Score::Draw => self.draws += 1.0,
            Score::Win => self.wins += 1.0,
        }
    }
}

/// The two parameters that all results share, in Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shared {
    pub(crate) advantage: f64,
    pub(crate) draw_elo: f64,
}

/// The chances of one result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// The first player wins.
    pub win: f64,
    /// Neither does.
    pub draw: f64,
    /// The second player wins.
    pub loss: f64,
}

impl Chances {
    /// Those at a draw parameter and a difference of ratings, in Elo, where the order has no meaning.
    #[must_use]
    pub fn new(draw_elo: f64, difference: f64) -> Self {
        let advantage = 0.0;
        Shared {
            advantage,
            draw_elo,
        }
        .chances(difference)
    }
}

/// A probability, what is left of 1, and its logarithm.
#[derive(Clone, Copy)]
pub(crate) struct Logistic {
    pub(crate) yes: f64,
    pub(crate) no: f64,
    pub(crate) ln_yes: f64,
}

impl Logistic {
    fn against(odds: f64) -> Self {
        let yes = 1.0 / (1.0 + odds);
        Self {
            yes,
            no: odds * yes,
            ln_yes: yes.ln(),
        }
    }
}

/// The odds against a win and against a loss between equals.
#[derive(Clone, Copy)]
pub(crate) struct Odds {
    pub(crate) win: f64,
    pub(crate) loss: f64,
}

impl Odds {
    /// The two halves of the model at a difference of ratings: that of a win and that of a loss. A draw is
    /// both.
    pub(crate) fn halves(self, difference: f64) -> (Logistic, Logistic) {
        let up = (ODDS * difference).exp();
        (
            Logistic::against(self.win / up),
            Logistic::against(self.loss * up),
        )
    }
}

impl Shared {
    pub(crate) fn odds(self) -> Odds {
        Odds {
            win: (ODDS * (self.draw_elo - self.advantage)).exp(),
            loss: (ODDS * (self.draw_elo + self.advantage)).exp(),
        }
    }

    /// How the logarithm of what a draw has besides both halves grows with the draw parameter.
    pub(crate) fn slope_of_draw(self) -> f64 {
        2.0 * ODDS * (1.0 + 1.0 / (2.0 * ODDS * self.draw_elo).exp_m1())
    }

    /// The chances at a difference of ratings.
    pub(crate) fn chances(self, difference: f64) -> Chances {
        let (win, loss) = self.odds().halves(difference);
        Chances {
            win: win.yes,
            loss: loss.yes,
            draw: (2.0 * ODDS * self.draw_elo).exp_m1() * win.yes * loss.yes,
        }
    }
}

/// The meetings of those who played, the virtual draws of the prior included. Players are numbered again, those
/// without results left out.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// The number that each had among the results.
    pub(crate) players: Vec<usize>,
    pub(crate) meetings: Vec<Meeting>,
    /// The number of each player's component: those whom results connect.
    pub(crate) component: Vec<usize>,
}

/// The logarithm of the likelihood at a point, with its first and second derivatives in Elo. Unknowns are the
/// ratings, then the advantage and the draw parameter if those are estimated.
pub(crate) struct Slopes {
    pub(crate) log_likelihood: f64,
    pub(crate) gradient: Vec<f64>,
    /// The negative second derivatives, lower triangle.
    pub(crate) information: Matrix,
}

/// Which of the shared parameters are estimated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Free {
    pub(crate) advantage: bool,
    pub(crate) draw_elo: bool,
}

impl Free {
    /// The estimated ones: 0 is the advantage, 1 the draw parameter.
    pub(crate) fn parameters(self) -> impl Iterator<Item = usize> {
        let free = [self.advantage, self.draw_elo];
        (0..2).filter(move |parameter| free[*parameter])
    }
}

impl Model {
    /// Condenses results. `prior` is how many virtual draws each player gets in all; `ordered` says whether it
    /// matters who is first.
    pub(crate) fn new(results: &Results, prior: f64, ordered: bool) -> Self {
        let mut numbers = vec![usize::MAX; results.names().len()];
        let mut played = vec![false; numbers.len()];
        for result in results.all() {
            played[result.first] = true;
            played[result.second] = true;
        }
        let players: Vec<usize> = (0..numbers.len()).filter(|at| played[*at]).collect();
        for (new, old) in players.iter().enumerate() {
            numbers[*old] = new;
        }
        let mut model = Self {
            meetings: condensed(results, &numbers, players.len(), ordered),
            component: Vec::new(),
            players,
        };
        model.add_prior(prior);
        model.component = components(model.players.len(), &model.meetings);
        model
    }

    /// From each player's side half the prior, shared over its opponents by games, in whichever orders they have.
    fn add_prior(&mut self, prior: f64) {
        let mut games = vec![0.0; self.players.len()];
        for meeting in &self.meetings {
            games[meeting.first] += meeting.games();
            games[meeting.second] += meeting.games();
        }
        let same = |one: &Meeting, other: &Meeting| one.pair() == other.pair();
        for pair in self.meetings.chunk_by_mut(same) {
            let (first, second) = pair[0].pair();
            let count: f64 = pair.iter().map(Meeting::games).sum();
            let draws = 0.5 * prior * count * (1.0 / games[first] + 1.0 / games[second]);
            let orders = pair.len() as f64;
            pair.iter_mut()
                .for_each(|meeting| meeting.draws += draws / orders);
        }
    }

    /// The likelihood and its derivatives.
    pub(crate) fn slopes(&self, elo: &[f64], shared: Shared, free: Free) -> Slopes {
        let players = elo.len();
        let mut gradient = vec![0.0; players + free.parameters().count()];
        let mut information = Matrix::new(gradient.len());
        let (mut log_likelihood, mut draws) = (0.0, 0.0);
        let odds = shared.odds();
        // Derivatives by the shared parameters, and by one of them and a rating.
        let (mut by, mut by_two, mut mixed) = ([0.0; 2], [[0.0; 2]; 2], vec![[0.0; 2]; players]);
        for meeting in &self.meetings {
            let (first, second) = (meeting.first, meeting.second);
            let (win, loss) = odds.halves(elo[first] - elo[second]);
            let (won, lost) = meeting.halves();
            draws += meeting.draws;
            log_likelihood += won * win.ln_yes + lost * loss.ln_yes;
            let (up, down) = (ODDS * won * win.no, ODDS * lost * loss.no);
            let (bend_up, bend_down) = (ODDS * up * win.yes, ODDS * down * loss.yes);
            let bends = [bend_up + bend_down, bend_down - bend_up];
            gradient[first] += up - down;
            gradient[second] -= up - down;
            by = [by[0] + up - down, by[1] - up - down];
            for parameter in 0..2 {
                by_two[parameter][parameter] += bends[0];
                mixed[first][parameter] += bends[parameter];
                mixed[second][parameter] -= bends[parameter];
            }
            by_two[1][0] += bends[1];
            information.row_mut(first)[first] += bends[0];
            information.row_mut(second)[second] += bends[0];
            information.row_mut(first.max(second))[first.min(second)] -= bends[0];
        }
        if draws > 0.0 {
            // The odds of a draw between equals, over those of a win and a loss.
            let even = (2.0 * ODDS * shared.draw_elo).exp_m1();
            let up = shared.slope_of_draw();
            log_likelihood += draws * even.ln();
            by[1] += draws * up;
            by_two[1][1] += draws * up * 2.0 * ODDS / even;
        }
        for (row, one) in (players..).zip(free.parameters()) {
            gradient[row] = by[one];
            let cells = information.row_mut(row).iter_mut();
            let two = free
                .parameters()
                .map(|other| by_two[one.max(other)][one.min(other)]);
            let values = mixed.iter().map(|mixed| mixed[one]).chain(two);
            cells.zip(values).for_each(|(cell, value)| *cell = value);
        }
        Slopes {
            log_likelihood,
            gradient,
            information,
        }
    }
}

/// One meeting for each pair, the lower number first; where order matters one for each order, side by side.
fn condensed(results: &Results, numbers: &[usize], players: usize, ordered: bool) -> Vec<Meeting> {
    // Pair, order and score are one number: sorting is then quick.
    let key = |result: &PairResult| {
        let (first, second) = (numbers[result.first], numbers[result.second]);
        let (order, score) = match first > second {
            true if ordered => (1, result.score),
            true => (0, result.score.turned()),
            false => (0, result.score),
        };
        let pair = first.min(second) * players + first.max(second);
        (pair * 2 + order) * Score::ALL.len() + score as usize
    };
    let mut keys: Vec<usize> = results.all().iter().map(key).collect();
    keys.sort_unstable();
    let pair_of = |key: usize| key / Score::ALL.len() / 2;
    let mut meetings = Vec::new();
    for chunk in keys.chunk_by(|one, other| pair_of(*one) == pair_of(*other)) {
        let (low, high) = (pair_of(chunk[0]) / players, pair_of(chunk[0]) % players);
        let mut orders = [Meeting::between(low, high), Meeting::between(high, low)];
        for key in chunk {
            let order = key / Score::ALL.len() % 2;
            orders[order].count(Score::ALL[key % Score::ALL.len()]);
        }
        meetings.extend_from_slice(&orders[..1 + usize::from(ordered)]);
    }
    meetings
}

/// The number of each player's component, in the order of their first players.
fn components(players: usize, meetings: &[Meeting]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..players).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for meeting in meetings {
        let (one, other) = (
            root(&mut parent, meeting.first),
            root(&mut parent, meeting.second),
        );
        parent[one.max(other)] = one.min(other);
    }
    // A component's root is its first player.
    let mut numbers = Vec::new();
    (0..players)
        .map(|at| {
            let root = root(&mut parent, at);
            numbers
                .iter()
                .position(|known| *known == root)
                .unwrap_or_else(|| {
                    numbers.push(root);
                    numbers.len() - 1
                })
        })
        .collect()
}
