//! A match's figures over its turns, as charts that need no script.

use super::visit::Visit;
use crate::api::problem::Problem;
use crate::api::replays::Watched;
use crate::chart::{Curve, Point, curves};
use crate::replay::{Film, Step};
use games::scene::Names;

/// Points of a curve at most, so that a page of it stays small.
const POINTS_MAX: usize = 400;

/// One chart for each measure that the game has, of what the caller sees; the numbers below lead to the turns.
pub(super) async fn read(
    visit: &Visit,
    match_id: &str,
    names: &Names,
) -> Result<Vec<String>, Problem> {
    let watched = Watched::read(visit, match_id, None).await?.or_first();
    let Some(film) = watched.film(visit).await? else {
        return Ok(Vec::new());
    };
    let to = |turn: u32| format!("?turn={turn}");
    let measures = film.measures().iter().enumerate();
    let charts = measures.filter_map(|(measure, name)| {
        curves(name, film.turn(), Some(&to), &lines(&film, measure, names))
    });
    Ok(charts.collect())
}

/// A curve for each seat, with what a measure is after each turn.
fn lines(film: &Film, measure: usize, names: &Names) -> Vec<Curve> {
    let turns = film.steps().chunk_by(|one, next| one.turn == next.turn);
    let turns: Vec<&[Step]> = turns.collect();
    let mut curves: Vec<Curve> = Vec::new();
    let mut now: Vec<Option<i64>> = Vec::new();
    let every = turns.len().div_ceil(POINTS_MAX).max(1);
    let last = film.steps().last().map(|step| step.turn);
    for (at, steps) in turns.into_iter().enumerate() {
        let Some(turn) = steps.last().map(|step| step.turn) else {
            continue;
        };
        let known = |step: &Step| step.figures.as_ref()?.get(measure).cloned();
        if let Some(figures) = steps.iter().rev().find_map(known) {
            now = figures;
        }
        if at % every > 0 && last != Some(turn) {
            continue;
        }
        for (seat, figure) in now.iter().enumerate() {
            if curves.len() == seat {
                curves.push(Curve {
                    name: film.seat_name(seat),
                    colour: names.colour(seat),
                    points: Vec::new(),
                });
            }
            let Some((curve, figure)) = curves.get_mut(seat).zip(*figure) else {
                continue;
            };
            let (x, y) = (f64::from(turn), figure as f64);
            curve.points.push(Point {
                x,
                y,
                low: y,
                high: y,
            });
        }
    }
    curves
}
