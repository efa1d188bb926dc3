//! Standings as one page of HTML, without scripts or anything from other sites, and the picture of their ratings.

use super::OpponentSplit;
use super::text::{Sheet, percent, words};
use super::{Standing, Standings};
use crate::chart::{Curve, Leads, Point, curves};
use crate::style::STYLE;
use crate::tournament::Drawn;
use crate::tournament::report::{range, score};
use crate::tournament::standings::history::History;
use askama::Template;
use games::scene::{self, player};

/// Splits of a larger field are only in CSV and JSON: by opponent they grow with its square.
const SPLIT_MAX: usize = 60;
/// The most curves in one picture: those who lead.
const CURVES_MAX: usize = 8;
/// Ratings that differ by less, in Elo, are on one line in a picture, which then shows nothing.
const FLAT: f64 = 0.01;

#[derive(Template)]
#[template(path = "standings.html")]
struct Page<'a> {
    styles: [&'static str; 2],
    title: &'a str,
    notes: Vec<String>,
    /// The ratings after each round.
    picture: Option<String>,
    parts: Vec<(&'static str, Sheet)>,
}

impl Standings {
    /// The standings with crosstable, splits and history as a page that needs nothing else.
    ///
    /// # Errors
    /// Never: it is written to memory.
    pub fn html(
        &self,
        title: &str,
        history: &History,
        drawn: Option<&Drawn>,
    ) -> askama::Result<String> {
        let mut parts = vec![("Standings", self.sheet())];
        parts.extend(
            self.crosstable_sheet(&OpponentSplit::cell)
                .map(|sheet| ("Crosstable", sheet)),
        );
        if self.entrants.len() <= SPLIT_MAX {
            parts.push(("By seat", self.seats_sheet()));
            parts.push(("By opponent", self.opponents_sheet()));
        }
        parts.push(("Ratings after rounds", history.sheet()));
        let mut notes = self.notes();
        notes.extend(drawn.into_iter().flat_map(Drawn::notes));
        Page {
            styles: [STYLE, scene::STYLE],
            title,
            notes,
            picture: self.picture(history, None),
            parts,
        }
        .render()
    }

    /// The ratings of those who lead, after each round, as SVG; a round leads to where `to` has it by its number, from
    /// 1. `None` where all ratings are equal, or there are none.
    pub(crate) fn picture(&self, history: &History, to: Option<Leads<'_>>) -> Option<String> {
        let drawn = self.leading(history);
        let points = || drawn.iter().flat_map(|curve| &curve.points);
        let first = points().next()?.y;
        if points().all(|point| (point.y - first).abs() < FLAT) {
            return None;
        }
        let unit = if history.fitted { "Elo" } else { "" };
        curves(
            "Ratings after each round",
            [unit, "after round"],
            to,
            &drawn,
        )
    }

    /// The curves of those who lead, with the intervals of their last ratings: those of early rounds say little, and lie on
    /// each other.
    fn leading(&self, history: &History) -> Vec<Curve> {
        let leading = self.entrants.iter().filter(|one| !one.house);
        let curve = |one: &Standing| {
            let at = history.entrants.iter().position(|name| *name == one.name)?;
            let points = history.rounds.iter().filter_map(|round| {
                let y = round.scale * round.rating(at)?;
                Some(Point {
                    x: f64::from(round.round + 1),
                    y,
                    low: y,
                    high: y,
                })
            });
            let mut points: Vec<Point> = points.collect();
            let rated = one.rating.as_ref().filter(|_| history.fitted);
            // The table's interval is of the last round: an older rating has none.
            let last = history.rounds.last();
            let last = last.filter(|round| round.rating(at).is_some());
            if let (Some(rated), Some(last), Some(point)) = (rated, last, points.last_mut()) {
                let (lower, upper) = rated.interval();
                let ends = [lower, upper].map(|end| last.scale * end);
                if ends.iter().all(|end| end.is_finite()) {
                    [point.low, point.high] = ends;
                }
            }
            Some(Curve {
                name: one.name.clone(),
                colour: player(at),
                points,
            })
        };
        leading.take(CURVES_MAX).filter_map(curve).collect()
    }

    fn seats_sheet(&self) -> Sheet {
        let rows = self.entrants.iter().flat_map(|one| {
            one.seats.iter().map(|split| {
                let figures = &split.figures;
                vec![
                    one.marked(),
                    (split.seat + 1).to_string(),
                    figures.games.to_string(),
                    percent(figures.pair_score),
                    range(figures.pair_score_low, figures.pair_score_high),
                    percent(figures.win_share),
                    score(figures.mean_score),
                ]
            })
        });
        Sheet {
            headings: words(&["entrant", "seat", "games", "pairs", "95 %", "wins", "score"]),
            rows: rows.collect(),
            numbers_from: 1,
        }
    }

    fn opponents_sheet(&self) -> Sheet {
        let rows = self.entrants.iter().flat_map(|one| {
            one.opponents.iter().map(|split| {
                vec![
                    one.marked(),
                    split.name.clone(),
                    format!("{}-{}-{}", split.won, split.drawn, split.lost),
                    format!("{:.1}", split.points),
                    percent(split.pair_score),
                    range(split.pair_score_low, split.pair_score_high),
                    split.superiority.map_or("-".to_owned(), percent),
                ]
            })
        });
        Sheet {
            headings: words(&[
                "entrant", "against", "W-D-L", "points", "pairs", "95 %", "better",
            ]),
            rows: rows.collect(),
            numbers_from: 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::three;
    use super::super::super::{History, RankSettings, Standings};
    use crate::tournament::Drawn;

    #[test]
    fn an_interval_stands_at_the_last_round_alone() {
        let (entrants, games) = three();
        let settings = RankSettings::default();
        let standings = Standings::new(&entrants, &games, &settings);
        let mut history = History::new(&entrants, &games, &settings).unwrap();
        history.rounds.last_mut().unwrap().ratings[0] = None;
        let curves = standings.leading(&history);
        let points = curves.iter().map(|curve| curve.points.last().unwrap());
        let with: Vec<bool> = points.map(|point| point.high > point.low).collect();
        assert_eq!(with, [false, true]);
    }

    #[test]
    fn a_page_holds_everything_and_runs_nothing() {
        let (mut entrants, games) = three();
        entrants[0].name = "<script>alert(\"&\")</script>".into();
        let settings = RankSettings {
            remarks: vec!["<b>remark".to_owned()],
            ..RankSettings::default()
        };
        let standings = Standings::new(&entrants, &games, &settings);
        let history = History::new(&entrants, &games, &settings).unwrap();
        let scale = standings.model.as_ref().unwrap().scale;
        for curve in standings.leading(&history) {
            let mut field = standings.entrants.iter();
            let one = field.find(|one| one.name == curve.name).unwrap();
            let (rated, last) = (one.rating.as_ref().unwrap(), curve.points.last().unwrap());
            let table = [rated.table_lower.unwrap(), rated.table_upper.unwrap()];
            for (end, expected) in [last.low, last.high].into_iter().zip(table) {
                assert!((end - scale * expected).abs() < 1e-6, "{end} {expected}");
            }
        }
        let drawn = Drawn {
            tournament: "01T".to_owned(),
            commitment: "c0ffee".to_owned(),
            secret: Some("5ec7e7".to_owned()),
        };
        let page = standings.html("a <i>title</i>", &history, Some(&drawn));
        let page = page.unwrap();
        for known in ["c0ffee", "5ec7e7", "sha256sum"] {
            assert!(page.contains(known), "{known}");
        }
        for forbidden in ["<script", "<i>", "<b>", "http", "src=", "href=", "builtin:"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        for part in [
            "Standings",
            "Crosstable",
            "By seat",
            "By opponent",
            "Ratings after rounds",
        ] {
            assert!(page.contains(&format!("<h2>{part}</h2>")), "{part}");
        }
        // In a picture for wide screens, and in one for phones.
        assert_eq!(page.matches("class=\"bar ").count(), 2 * 2, "{page}");
        let cells = page.split("<td").skip(1);
        let cells = cells.filter_map(|cell| Some(cell.split_once('>')?.1.split_once("</td>")?.0));
        let cells: Vec<&str> = cells.collect();
        for cell in ["4-1-1 4.5", "bert", "house*", "7-3-1", "77.3%"] {
            assert!(cells.contains(&cell), "{cell} {cells:?}");
        }
        assert_eq!(
            page.matches("<table").count(),
            page.matches("</table>").count()
        );
        let seats = standings.seats_sheet();
        assert_eq!(seats.rows.len(), 9);
        assert!(cells.contains(&"37.5%"), "{cells:?}");
    }
}
