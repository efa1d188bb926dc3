//! The standings themselves.

pub(super) mod export;

mod page;
pub(super) mod text;

use super::meetings::Meeting;
use super::order::Order;
use super::played::{Named, PlayedGame, RankSettings, of_sorted, sorted};
use super::records::Records;
use super::tie_break::TieBreak;
use crate::tournament::report::Figures;
use ratings::{Chances, FitError, Intervals, Ranking, Rated, ResultsError};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use utoipa::ToSchema;

/// One entrant's line.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Standing {
    /// Its rank from 1; equals share one. `None` for a house entrant.
    pub rank: Option<usize>,
    /// Its name.
    pub name: String,
    /// How it plays.
    pub spec: String,
    /// Whether it only fills up groups.
    pub house: bool,
    /// Pairs won: a match has one result against each other player.
    pub won: u64,
    /// Pairs drawn.
    pub drawn: u64,
    /// Pairs lost.
    pub lost: u64,
    /// 1 for each pair won, 0.5 for each drawn.
    pub points: f64,
    /// The mean share of those whom it met, by results.
    pub buchholz: f64,
    /// Its results in whole matches, with the ways in which it failed.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its rating; `None` without results.
    pub rating: Option<Rated>,
    /// The same on each seat.
    pub seats: Vec<SeatSplit>,
    /// The same against each entrant whom it met, in the order of the standings.
    pub opponents: Vec<OpponentSplit>,
}

/// An entrant's results on one seat.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SeatSplit {
    /// The seat, from 0.
    pub seat: usize,
    /// Its results there.
    #[serde(flatten)]
    pub figures: Figures,
}

/// An entrant's results against another.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OpponentSplit {
    /// The other one's place in [`Standings::entrants`].
    pub place: usize,
    /// The other one's name.
    pub name: String,
    /// Pairs won.
    pub won: u64,
    /// Pairs drawn.
    pub drawn: u64,
    /// Pairs lost.
    pub lost: u64,
    /// 1 for each pair won, 0.5 for each drawn.
    pub points: f64,
    /// Points as a share of the pairs.
    pub pair_score: f64,
    /// Lower end of its 95 % interval.
    pub pair_score_low: f64,
    /// Upper end of its 95 % interval.
    pub pair_score_high: f64,
    /// How likely it is better by all results, its own rating against the other's; `None` if not comparable, or
    /// in a field of more than 200.
    pub superiority: Option<f64>,
}

/// What the ratings have in common.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RatingModel {
    /// The advantage of the first player, in Elo.
    pub advantage: f64,
    /// The draw parameter, in Elo.
    pub draw_elo: f64,
    /// Virtual draws of each player.
    pub prior: f64,
    /// What BayesElo multiplies ratings with before it shows them. Tables for people do so too.
    pub scale: f64,
    /// How many groups of entrants never met each other.
    pub components: usize,
}

impl RatingModel {
    /// The expected share of a result at a difference of ratings.
    pub(super) fn share(&self, difference: f64) -> f64 {
        let chances = Chances::new(self.draw_elo, difference);
        chances.win + 0.5 * chances.draw
    }
}

/// All entrants, the best first, house entrants last.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Standings {
    /// Matches counted.
    pub games: usize,
    /// Rounds in which matches were counted.
    pub rounds: usize,
    /// What decided the ranks.
    pub order: Vec<TieBreak>,
    /// The model of the ratings; `None` if there are none.
    pub model: Option<RatingModel>,
    /// Why there are no ratings.
    pub unrated: Option<String>,
    /// What a reader must know.
    pub remarks: Vec<String>,
    /// Why the tournament is over, with what it showed; `None` until then.
    pub over: Option<String>,
    /// The entrants.
    pub entrants: Vec<Standing>,
}

impl Standings {
    /// Ranks entrants by their matches, given in any order. What cannot be rated is ranked by the rest, and
    /// [`Standings::unrated`] says why.
    #[must_use]
    pub fn new(entrants: &[Named], games: &[PlayedGame], settings: &RankSettings) -> Self {
        let games = sorted(games);
        let records = Records::new(entrants.len(), &games);
        let ranking = ranking(entrants, &games, settings);
        let (ranking, unrated) = match ranking {
            Ok(ranking) => (Some(ranking), None),
            Err(why) => (None, Some(why.to_string())),
        };
        let rated = Placed::new(entrants, ranking.as_ref());
        let ranks = ranked(entrants, &records, &rated, &settings.order);
        let places: HashMap<usize, usize> = ranks
            .iter()
            .zip(0..)
            .map(|((entrant, _), place)| (*entrant, place))
            .collect();
        let line = |(number, rank): &(usize, Option<usize>)| {
            let entrant = entrants.get(*number)?;
            let mut opponents: Vec<OpponentSplit> = records
                .met(*number)
                .filter_map(|(other, meeting)| {
                    let place = *places.get(&other)?;
                    let name = &entrants.get(other)?.name;
                    let superiority = rated.superiority(*number, other);
                    Some(OpponentSplit::new(meeting, place, name, superiority))
                })
                .collect();
            opponents.sort_by_key(|split| split.place);
            let total = records.totals.get(*number)?;
            Some(Standing {
                rank: *rank,
                name: entrant.name.clone(),
                spec: entrant.spec.clone(),
                house: entrant.house,
                won: total.won,
                drawn: total.drawn,
                lost: total.lost,
                points: total.points(),
                buchholz: records.buchholz(*number),
                figures: records.tally.entrants.get(*number)?.into(),
                rating: rated.entrant(*number).cloned(),
                seats: seat_splits(&records, *number),
                opponents,
            })
        };
        let lines = ranks.iter().filter_map(line).collect();
        let rounds: BTreeSet<u32> = games.iter().map(|game| game.round).collect();
        Self {
            games: games.len(),
            rounds: rounds.len(),
            order: settings.order.clone(),
            model: ranking.map(|ranking| RatingModel {
                advantage: ranking.advantage,
                draw_elo: ranking.draw_elo,
                prior: ranking.prior,
                scale: ranking.scale,
                components: ranking.components,
            }),
            unrated,
            remarks: settings.remarks.clone(),
            over: settings.over.clone(),
            entrants: lines,
        }
    }

    /// As JSON, in full precision.
    ///
    /// # Errors
    /// Never for standings of finite numbers.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// Half the width of the widest interval of a rating, in Elo, among the `first` entrants, BayesElo's or
    /// that by tables. `None` if one of them has no rating.
    #[must_use]
    pub fn precision(&self, first: usize) -> Option<f64> {
        let mut widest: f64 = 0.0;
        for entrant in self.entrants.iter().filter(|one| !one.house).take(first) {
            let rated = entrant.rating.as_ref()?;
            let by_tables = rated.table_upper.unwrap_or(rated.upper);
            widest = widest.max(by_tables.max(rated.upper) - rated.elo);
        }
        Some(widest)
    }
}

fn ranking(
    entrants: &[Named],
    sorted: &[&PlayedGame],
    settings: &RankSettings,
) -> Result<Ranking, Unrated> {
    let results = of_sorted(entrants, sorted)?;
    if results.all().is_empty() {
        return Err(Unrated::NoResults);
    }
    let intervals = Intervals::Covariance;
    Ok(Ranking::new(&results, &settings.rating, intervals)?)
}

/// Why entrants have no ratings.
#[derive(Debug, thiserror::Error)]
enum Unrated {
    #[error("there are no results yet")]
    NoResults,
    #[error(transparent)]
    Results(#[from] ResultsError),
    #[error(transparent)]
    Fit(#[from] FitError),
}

/// A ranking by the numbers of entrants.
struct Placed<'a> {
    ranking: Option<&'a Ranking>,
    /// By entrant: the place in it.
    places: Vec<Option<usize>>,
    rated: Vec<Option<&'a Rated>>,
}

impl<'a> Placed<'a> {
    fn new(entrants: &[Named], ranking: Option<&'a Ranking>) -> Self {
        let players = ranking.map_or(&[][..], |ranking| &*ranking.players);
        let places: HashMap<&str, usize> = players
            .iter()
            .zip(0..)
            .map(|(player, place)| (&*player.name, place))
            .collect();
        let place = |entrant: &Named| places.get(&*entrant.name).copied();
        let places: Vec<Option<usize>> = entrants.iter().map(place).collect();
        Self {
            ranking,
            rated: places.iter().map(|place| players.get((*place)?)).collect(),
            places,
        }
    }

    fn entrant(&self, entrant: usize) -> Option<&'a Rated> {
        self.rated.get(entrant).copied().flatten()
    }

    fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        let place = |entrant: usize| self.places.get(entrant).copied().flatten();
        let row = self.ranking?.superiority.as_ref()?.get(place(one)?)?;
        *row.get(place(other)?)?
    }
}

/// All entrants with their ranks, the best first.
fn ranked(
    entrants: &[Named],
    records: &Records,
    rated: &Placed<'_>,
    by: &[TieBreak],
) -> Vec<(usize, Option<usize>)> {
    let order = Order {
        records,
        rated: &rated.rated,
    };
    let mut ranks = Vec::new();
    for house in [false, true] {
        let numbers = (0..).zip(entrants).filter(|(_, one)| one.house == house);
        let numbers = numbers.map(|(number, _)| number).collect();
        for mut group in order.groups(numbers, by) {
            group.sort_by_key(|number| entrants.get(*number).map(|one| &one.name));
            let rank = (!house).then_some(ranks.len() + 1);
            ranks.extend(group.into_iter().map(|number| (number, rank)));
        }
    }
    ranks
}

fn seat_splits(records: &Records, entrant: usize) -> Vec<SeatSplit> {
    let seats = 0..records.seats;
    let split = |seat| {
        let tally = records
            .by_seat
            .entrants
            .get(entrant * records.seats + seat)?;
        Some(SeatSplit {
            seat,
            figures: tally.into(),
        })
    };
    seats.filter_map(split).collect()
}

impl OpponentSplit {
    fn new(meeting: &Meeting, place: usize, name: &str, superiority: Option<f64>) -> Self {
        let (pair_score_low, pair_score_high) = meeting.share.share_interval();
        Self {
            place,
            name: name.to_owned(),
            won: meeting.won,
            drawn: meeting.drawn,
            lost: meeting.lost,
            points: meeting.points(),
            pair_score: meeting.share.value(),
            pair_score_low,
            pair_score_high,
            superiority,
        }
    }
}
