//! Who meets whom in a round: groups by which the ratings of the leaders gain most, after some rounds at random.
//!
//! A group's worth for its strongest player is how far one more meeting is expected to lower the variance of that
//! player's rating: a rank-one change of the covariance, so that nothing is fitted again. Many games of a pair
//! raise its covariance, which lowers what another one is worth; there is no other rule against repetition.

use crate::fit::Fit;
use crate::matrix::Matrix;
use crate::model::ODDS;
use crate::results::{PairResult, Results};
use games::rng::Rng;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::HashSet;

/// How many rounds are drawn at random before groups follow the ratings, unless it is set otherwise.
pub const RANDOM_ROUNDS: usize = 15;
/// How often a random group is drawn again at most if it repeats an earlier one.
const REDRAWS_MAX: usize = 20;
/// The model counts for as many games of a pair, besides those that it played.
const MODEL_GAMES: f64 = 8.0;
/// Gains in Elo² and differences in Elo below this are ties.
const TIE: f64 = 1e-9;

/// How groups are made once the random rounds are over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The strongest player left meets those who promise the most, all judged at once.
    Spec,
    /// The same, one after the other, each judged by what is known once those before it were met.
    #[default]
    Joint,
    /// All rounds are drawn at random: the fair comparison.
    Random,
}

/// How a tournament's rounds are split into groups; the same numbers give the same groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouping {
    /// The mode after the random rounds.
    pub mode: Mode,
    /// The seed of all chance.
    pub seed: u64,
    /// Players of a group, 2 or more; each plays on every seat, so a pair has as many games in a round.
    pub size: usize,
    /// How many rounds are drawn at random.
    pub random_rounds: usize,
}

impl Grouping {
    /// The groups of round `round` (from 0), each player in one. The last one is smaller if the players do not
    /// divide into groups.
    ///
    /// `fit` is that of `results` up to here, `earlier` holds all groups so far, each in rising order. Where the
    /// ratings of all players are not known and comparable, the round is drawn at random.
    #[must_use]
    pub fn round(
        &self,
        round: usize,
        players: &[usize],
        results: &Results,
        fit: Option<&Fit>,
        earlier: &HashSet<Vec<usize>>,
    ) -> Vec<Vec<usize>> {
        match self.outlook(round, players, results, fit) {
            Some(outlook) => self.adaptive(players, outlook),
            None => self.random(round, players, earlier),
        }
    }

    /// Whether a round is drawn at random whatever is known.
    pub(crate) fn is_random(&self, round: usize) -> bool {
        self.mode == Mode::Random || round < self.random_rounds
    }

    /// What a round's groups are judged by; `None` if it is drawn at random.
    pub(crate) fn outlook<'a>(
        &self,
        round: usize,
        players: &[usize],
        results: &Results,
        fit: Option<&'a Fit>,
    ) -> Option<Outlook<'a>> {
        let fit = fit.filter(|_| !self.is_random(round))?;
        let outlook = Outlook::new(results, fit);
        outlook.compares(players).then_some(outlook)
    }

    fn random(
        &self,
        round: usize,
        players: &[usize],
        earlier: &HashSet<Vec<usize>>,
    ) -> Vec<Vec<usize>> {
        let mut rng = Rng::new(self.seed, round as u64);
        let mut left = players.to_vec();
        rng.shuffle(&mut left);
        let mut groups = Vec::new();
        while !left.is_empty() {
            let from = left.len() - self.size.clamp(1, left.len());
            for _ in 0..REDRAWS_MAX {
                let mut group = left[from..].to_vec();
                group.sort_unstable();
                if !earlier.contains(&group) {
                    break;
                }
                rng.shuffle(&mut left);
            }
            groups.push(left.split_off(from));
        }
        groups
    }

    fn adaptive(&self, players: &[usize], mut outlook: Outlook<'_>) -> Vec<Vec<usize>> {
        let mut left = players.to_vec();
        left.sort_by_key(|player| {
            let elo = (outlook.elo(*player) / TIE).round() as i64;
            (Reverse(elo), outlook.games_of(*player), *player)
        });
        let mut groups = Vec::new();
        while !left.is_empty() {
            let mut group = vec![left.remove(0)];
            let rivals = (self.size.max(1) - 1).min(left.len());
            while group.len() <= rivals {
                let rank = |at: &usize| self.rank(&outlook, group[0], left[*at]);
                let Some(best) = (0..left.len()).min_by_key(rank) else {
                    break;
                };
                let rival = left.remove(best);
                if self.mode == Mode::Joint {
                    outlook.suppose(group[0], rival, self.size as f64);
                }
                group.push(rival);
            }
            groups.push(group);
        }
        groups
    }

    /// The order of rivals, the best first: the greatest gain; of equal ones fewer games together, then the smaller
    /// difference in rating.
    fn rank(&self, outlook: &Outlook<'_>, player: usize, rival: usize) -> impl Ord + use<> {
        let gain = outlook.gain(player, rival, self.size as f64);
        let apart = (outlook.elo(player) - outlook.elo(rival)).abs();
        (
            Reverse((gain / TIE).round() as i64),
            outlook.games_between(player, rival) as u64,
            (apart / TIE).round() as i64,
            rival,
        )
    }
}

/// What games yet to be played would reveal. Players are addressed by their numbers among the results.
#[derive(Clone, Debug)]
pub struct Outlook<'a> {
    fit: &'a Fit,
    /// The place of each player in the fit; `usize::MAX` for those without results.
    place: Vec<usize>,
    covariance: Matrix,
    /// Losses, draws and wins of each player (row) against each other one.
    tallies: Vec<[f64; 3]>,
}

impl<'a> Outlook<'a> {
    /// From results and their fit.
    #[must_use]
    pub fn new(results: &Results, fit: &'a Fit) -> Self {
        let players = fit.players().len();
        let mut place = vec![usize::MAX; results.names().len()];
        for (at, player) in fit.players().iter().enumerate() {
            place[*player] = at;
        }
        let mut tallies = vec![[0.0; 3]; players * players];
        for PairResult {
            first,
            second,
            score,
            ..
        } in results.all()
        {
            let (first, second) = (place[*first], place[*second]);
            tallies[first * players + second][*score as usize] += 1.0;
            tallies[second * players + first][score.turned() as usize] += 1.0;
        }
        Self {
            covariance: fit.covariance.clone(),
            fit,
            place,
            tallies,
        }
    }

    /// Whether all these players have ratings that can be compared.
    fn compares(&self, players: &[usize]) -> bool {
        let component = |player: &usize| self.fit.components().get(self.place[*player]);
        let first = players.first().and_then(component);
        first.is_some() && players.iter().all(|player| component(player) == first)
    }

    fn elo(&self, player: usize) -> f64 {
        self.fit.elo()[self.place[player]]
    }

    fn tally(&self, player: usize, rival: usize) -> [f64; 3] {
        self.tallies[self.place[player] * self.fit.elo().len() + self.place[rival]]
    }

    fn games_between(&self, player: usize, rival: usize) -> f64 {
        self.tally(player, rival).iter().sum()
    }

    fn games_of(&self, player: usize) -> u64 {
        let row = self.tallies.chunks_exact(self.fit.elo().len());
        let own = row.skip(self.place[player]).take(1);
        own.flatten().flatten().sum::<f64>() as u64
    }

    /// How likely the player loses, draws and wins the next game: the model's word, mixed with the outcome of their
    /// games so far.
    #[must_use]
    pub fn odds(&self, player: usize, rival: usize) -> [f64; 3] {
        let chances = self.fit.shared.chances(self.elo(player) - self.elo(rival));
        let model = [chances.loss, chances.draw, chances.win];
        let tally = self.tally(player, rival);
        let games = self.games_between(player, rival);
        std::array::from_fn(|at| (MODEL_GAMES * model[at] + tally[at]) / (MODEL_GAMES + games))
    }

    /// What one game is expected to reveal of the difference of two ratings, in Elo⁻².
    fn information(&self, player: usize, rival: usize) -> f64 {
        let (win, loss) = self
            .fit
            .shared
            .odds()
            .halves(self.elo(player) - self.elo(rival));
        let (of_win, of_loss) = (win.yes * win.no, loss.yes * loss.no);
        let [lost, drawn, won] = self.odds(player, rival);
        ODDS * ODDS * (won * of_win + lost * of_loss + drawn * (of_win + of_loss))
    }

    /// Covariances of a pair: of the player, of both, of the rival, and the variance of their difference.
    fn variances(&self, player: usize, rival: usize) -> (f64, f64, f64) {
        let (player, rival) = (self.place[player], self.place[rival]);
        let own = self.covariance.row(player)[player];
        let both = self.covariance.row(player)[rival];
        (
            own,
            both,
            own + self.covariance.row(rival)[rival] - 2.0 * both,
        )
    }

    /// By how much the variance of the player's rating is expected to fall by n games with the rival, in Elo².
    #[must_use]
    pub fn gain(&self, player: usize, rival: usize, games: f64) -> f64 {
        let information = games * self.information(player, rival);
        let (own, both, of_difference) = self.variances(player, rival);
        (own - both).powi(2) * information / (1.0 + information * of_difference)
    }

    /// Supposes that n games were played.
    fn suppose(&mut self, player: usize, rival: usize, games: f64) {
        let information = games * self.information(player, rival);
        let (_, _, of_difference) = self.variances(player, rival);
        let rows = (
            self.covariance.row(self.place[player]),
            self.covariance.row(self.place[rival]),
        );
        let apart: Vec<f64> = rows
            .0
            .iter()
            .zip(rows.1)
            .map(|(one, other)| one - other)
            .collect();
        let weight = information / (1.0 + information * of_difference);
        for (at, own) in apart.iter().enumerate() {
            let cells = self.covariance.row_mut(at).iter_mut();
            cells
                .zip(&apart)
                .for_each(|(cell, other)| *cell -= weight * own * other);
        }
    }
}
