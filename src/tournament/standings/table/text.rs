//! Standings as tables for people.

use super::{OpponentSplit, Standing, Standings};
use crate::sheet::{Layout, broken_lines, columns};
use crate::tournament::report::{range, remarks, score};
use games::text::counted;
use ratings::Rated;

/// A crosstable of more entrants is not shown to people.
const CROSSTABLE_MAX: usize = 200;

/// What the columns mean.
const LEGEND: [&str; 2] = [
    "W-D-L, points and pairs: results against each other player of a match; wins: of whole matches, shared ones in part",
    "95 %: by decks; Elo, + and -: BayesElo's; tables: the interval of Elo by decks, whose results depend on each other",
];

/// The columns of standings that a narrow terminal does not show, in this order: the interval of wins, wins, the score, + and
/// -.
const SPARE: &[usize] = &[8, 7, 9, 11, 12];
const NARROWED: &str =
    "some columns are left out to fit this terminal: a pipe has all, such as | less -S\n";

/// A table for people.
pub(in super::super) struct Sheet {
    pub(in super::super) headings: Vec<String>,
    pub(in super::super) rows: Vec<Vec<String>>,
    /// Columns before this one begin in one line, from it on they end in one.
    pub(in super::super) numbers_from: usize,
}

impl Sheet {
    /// As wide as it is, or as may be.
    pub(in super::super) fn text(&self, width: Option<usize>) -> String {
        self.text_without(&[], width)
    }

    /// The same without these columns, in this order, until it fits.
    fn text_without(&self, spare: &[usize], width: Option<usize>) -> String {
        let right: Vec<usize> = (self.numbers_from..self.headings.len()).collect();
        let layout = Layout {
            right: &right,
            width,
            spare,
        };
        columns(&self.headings, &self.rows, &layout)
    }
}

/// Whether all lines are at most this wide.
fn fits(text: &str, width: Option<usize>) -> bool {
    let fits = |width| text.lines().all(|line| line.chars().count() <= width);
    width.is_none_or(fits)
}

pub(in super::super) fn words(line: &[&str]) -> Vec<String> {
    line.iter().map(|word| (*word).to_owned()).collect()
}

pub(in super::super) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

impl Standing {
    /// Its name, marked if it is a house entrant.
    #[must_use]
    pub fn marked(&self) -> String {
        let mark = if self.house { "*" } else { "" };
        format!("{}{mark}", self.name)
    }

    fn rank_text(&self) -> String {
        self.rank.map_or("-".to_owned(), |rank| rank.to_string())
    }

    /// Wins, draws and losses.
    fn record(&self) -> String {
        format!("{}-{}-{}", self.won, self.drawn, self.lost)
    }
}

impl Standings {
    /// The standings, then what there is to say of them, at most this wide if it is given. Ratings are in BayesElo's scale.
    #[must_use]
    pub fn table(&self, width: Option<usize>) -> String {
        let sheet = self.sheet();
        let whole = sheet.text(None);
        let mut notes = String::new();
        let mut text = match fits(&whole, width) {
            true => whole,
            false => {
                notes.push_str(NARROWED);
                sheet.text_without(SPARE, width)
            }
        };
        for line in self.notes() {
            notes.push_str(&line);
            notes.push('\n');
        }
        text.push_str(&broken_lines(&notes, width));
        text
    }

    /// Who did how well against whom: results won, drawn and lost, then points; the points alone where that is too wide.
    /// Columns are entrants in the order of rows.
    #[must_use]
    pub fn crosstable(&self, width: Option<usize>) -> String {
        let Some(sheet) = self.crosstable_sheet(&OpponentSplit::cell) else {
            return format!(
                "The crosstable of more than {CROSSTABLE_MAX} entrants is only in CSV and JSON.\n"
            );
        };
        let whole = sheet.text(None);
        let points = |split: &OpponentSplit| format!("{:.1}", split.points);
        let narrow = (!fits(&whole, width)).then(|| self.crosstable_sheet(&points));
        narrow.flatten().map_or(whole, |sheet| sheet.text(None))
    }

    pub(in super::super) fn sheet(&self) -> Sheet {
        let scale = self.model.as_ref().map_or(1.0, |model| model.scale);
        let whole = |elo: f64| format!("{:.0}", (scale * elo).round() + 0.0);
        let rated = |entrant: &Standing, text: &dyn Fn(&Rated) -> String| {
            entrant.rating.as_ref().map_or("-".to_owned(), text)
        };
        let row = |entrant: &Standing| {
            let figures = &entrant.figures;
            vec![
                entrant.rank_text(),
                entrant.marked(),
                figures.games.to_string(),
                entrant.record(),
                format!("{:.1}", entrant.points),
                percent(figures.pair_score),
                range(figures.pair_score_low, figures.pair_score_high),
                percent(figures.win_share),
                range(figures.win_share_low, figures.win_share_high),
                score(figures.mean_score),
                rated(entrant, &|rated| whole(rated.elo)),
                rated(entrant, &|rated| whole(rated.upper - rated.elo)),
                rated(entrant, &|rated| whole(rated.elo - rated.lower)),
                rated(entrant, &|rated| {
                    let upper = rated.table_upper;
                    upper.map_or("-".to_owned(), |upper| {
                        format!("±{}", whole(upper - rated.elo))
                    })
                }),
            ]
        };
        Sheet {
            headings: words(&[
                "rank", "entrant", "games", "W-D-L", "points", "pairs", "95 %", "wins", "95 %",
                "score", "Elo", "+", "-", "tables",
            ]),
            rows: self.entrants.iter().map(row).collect(),
            numbers_from: 2,
        }
    }

    pub(in super::super) fn crosstable_sheet(
        &self,
        cell: &dyn Fn(&OpponentSplit) -> String,
    ) -> Option<Sheet> {
        if self.entrants.len() > CROSSTABLE_MAX {
            return None;
        }
        let numbers = (1..=self.entrants.len()).map(|number| number.to_string());
        let row = |(place, entrant): (usize, &Standing)| {
            let mut row = vec![(place + 1).to_string(), entrant.marked()];
            row.resize(self.entrants.len() + 2, String::new());
            if let Some(own) = row.get_mut(place + 2) {
                *own = "·".to_owned();
            }
            for split in &entrant.opponents {
                if let Some(place) = row.get_mut(split.place + 2) {
                    *place = cell(split);
                }
            }
            row
        };
        let headings = words(&["#", "entrant"]).into_iter().chain(numbers);
        Some(Sheet {
            headings: headings.collect(),
            rows: self.entrants.iter().enumerate().map(row).collect(),
            numbers_from: 2,
        })
    }

    /// What there is to say of the standings, each a line.
    pub(in super::super) fn notes(&self) -> Vec<String> {
        let named = || self.entrants.iter().map(|one| (&*one.name, &one.figures));
        let mut notes: Vec<String> = remarks(named).lines().map(str::to_owned).collect();
        let refused = named().filter(|(_, figures)| figures.refused > 0);
        let refused: Vec<String> = refused
            .map(|(name, figures)| format!("{name} {}", figures.refused))
            .collect();
        if !refused.is_empty() {
            notes.push(format!("refused by the rules: {}", refused.join(", ")));
        }
        let apart = |entrant: &&Standing| {
            let rating = entrant.rating.as_ref();
            rating.is_some_and(|rated| rated.component > 1)
        };
        for entrant in self.entrants.iter().filter(apart) {
            notes.push(format!(
                "not comparable: {}: no results connect its rating with those of the largest component",
                entrant.name
            ));
        }
        if self.entrants.iter().any(|entrant| entrant.house) {
            notes.push("* a house entrant, which fills up groups and has no rank".to_owned());
        }
        if let Some(why) = &self.unrated {
            notes.push(format!("no ratings: {why}"));
        }
        notes.extend(self.remarks.iter().cloned());
        notes.extend(LEGEND.map(str::to_owned));
        notes.push(format!(
            "{} in {}, ranked by {}",
            counted(self.games, "match"),
            counted(self.rounds, "round"),
            self.order_words()
        ));
        notes.extend(self.over.iter().map(|why| format!("over: {why}")));
        notes
    }

    /// What decided the ranks, such as `rating, points, score`.
    pub(crate) fn order_words(&self) -> String {
        let order: Vec<&str> = self.order.iter().map(|by| by.word()).collect();
        order.join(", ")
    }
}

impl OpponentSplit {
    /// Results won, drawn and lost, then points.
    pub(in super::super) fn cell(&self) -> String {
        format!(
            "{}-{}-{} {:.1}",
            self.won, self.drawn, self.lost, self.points
        )
    }
}
