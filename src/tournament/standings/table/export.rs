//! Standings for spreadsheets and other raters: everything in full precision.

use super::{OpponentSplit, SeatSplit, Standing, Standings};
use crate::clock::time;
use crate::sheet::{Column, Grid};
use crate::tournament::Figures;
use crate::tournament::report::counts;
use crate::tournament::standings::played::{Named, PlayedGame, of_decks};
use games::{Cause, Part, Participation};
use ratings::{Rated, Score};
use std::fmt::Write as _;
use std::io;

fn some(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

const FIGURES: [Column<Figures>; 19] = [
    ("games", |of| of.games.to_string()),
    ("wins", |of| of.wins.to_string()),
    ("shared_wins", |of| of.shared_wins.to_string()),
    ("win_share", |of| of.win_share.to_string()),
    ("win_share_low", |of| of.win_share_low.to_string()),
    ("win_share_high", |of| of.win_share_high.to_string()),
    ("mean_score", |of| of.mean_score.to_string()),
    ("score_error", |of| some(of.score_error)),
    ("pair_score", |of| of.pair_score.to_string()),
    ("pair_score_low", |of| of.pair_score_low.to_string()),
    ("pair_score_high", |of| of.pair_score_high.to_string()),
    ("faults", |of| counts(&of.faults, "; ")),
    ("refused", |of| of.refused.to_string()),
    ("missed", |of| of.missed.to_string()),
    ("decisions", |of| of.decisions.to_string()),
    ("fallback", |of| of.fallback.to_string()),
    ("participation", |of| counts(&of.participation, "; ")),
    ("decision_ms_p50", |of| some(of.decision_ms_p50)),
    ("decision_ms_p99", |of| some(of.decision_ms_p99)),
];

const ENTRANT: [Column<Standing>; 9] = [
    ("rank", |one| {
        one.rank.map_or(String::new(), |rank| rank.to_string())
    }),
    ("name", |one| one.name.clone()),
    ("spec", |one| one.spec.clone()),
    ("house", |one| one.house.to_string()),
    ("won", |one| one.won.to_string()),
    ("drawn", |one| one.drawn.to_string()),
    ("lost", |one| one.lost.to_string()),
    ("points", |one| one.points.to_string()),
    ("buchholz", |one| one.buchholz.to_string()),
];

const RATING: [Column<Option<Rated>>; 6] = [
    ("component", |one| {
        let component = one.as_ref().map(|rated| rated.component);
        component.map_or(String::new(), |component| component.to_string())
    }),
    ("elo", |one| some(one.as_ref().map(|rated| rated.elo))),
    ("lower", |one| some(one.as_ref().map(|rated| rated.lower))),
    ("upper", |one| some(one.as_ref().map(|rated| rated.upper))),
    ("table_lower", |one| {
        some(one.as_ref().and_then(|rated| rated.table_lower))
    }),
    ("table_upper", |one| {
        some(one.as_ref().and_then(|rated| rated.table_upper))
    }),
];

impl Standings {
    /// The standings as CSV with a header line. Ratings are not scaled.
    ///
    /// # Errors
    /// Never: it is written to memory.
    pub fn csv(&self) -> io::Result<String> {
        let all = || self.entrants.iter();
        let figures = Grid::new(&FIGURES, all().map(|one| &one.figures));
        let ratings = Grid::new(&RATING, all().map(|one| &one.rating));
        Grid::new(&ENTRANT, all()).and(figures).and(ratings).csv()
    }

    /// The crosstable as CSV with a header line, a line for each entrant and each whom it met.
    ///
    /// # Errors
    /// Never: it is written to memory.
    pub fn crosstable_csv(&self) -> io::Result<String> {
        let all = self.entrants.iter();
        let pairs = all.flat_map(|one| one.opponents.iter().map(move |split| (one, split)));
        let columns: [Column<(&Standing, &OpponentSplit)>; 10] = [
            ("name", |(one, _)| one.name.clone()),
            ("opponent", |(_, split)| split.name.clone()),
            ("won", |(_, split)| split.won.to_string()),
            ("drawn", |(_, split)| split.drawn.to_string()),
            ("lost", |(_, split)| split.lost.to_string()),
            ("points", |(_, split)| split.points.to_string()),
            ("pair_score", |(_, split)| split.pair_score.to_string()),
            ("pair_score_low", |(_, split)| {
                split.pair_score_low.to_string()
            }),
            ("pair_score_high", |(_, split)| {
                split.pair_score_high.to_string()
            }),
            ("superiority", |(_, split)| some(split.superiority)),
        ];
        Grid::new(&columns, &pairs.collect::<Vec<_>>()).csv()
    }

    /// Results by seat as CSV with a header line.
    ///
    /// # Errors
    /// Never: it is written to memory.
    pub fn seats_csv(&self) -> io::Result<String> {
        let all = self.entrants.iter();
        let seats = all.flat_map(|one| one.seats.iter().map(move |split| (one, split)));
        let seats: Vec<_> = seats.collect();
        let columns: [Column<(&Standing, &SeatSplit)>; 2] = [
            ("name", |(one, _)| one.name.clone()),
            ("seat", |(_, split)| split.seat.to_string()),
        ];
        let figures = seats.iter().map(|(_, split)| &split.figures);
        let figures = Grid::new(&FIGURES, figures);
        Grid::new(&columns, &seats).and(figures).csv()
    }
}

/// All results as PGN without moves, one game for each two entrants of a match: what BayesElo and `drover rate`
/// read. Rounds count from 1; results of one block share the tag `Table`. `Termination` says how it ended between the two, in
/// the standard's words; a tag for each of them says how it took part, where it did not play to the end of its part.
/// `stored`: the id of the match with this number, and when it began, in microseconds since 1970-01-01 UTC.
#[must_use]
pub fn pgn(
    event: &str,
    entrants: &[Named],
    games: &[PlayedGame],
    stored: impl Fn(u64) -> Option<(String, i64)>,
) -> String {
    let mut text = String::new();
    for (deck, game) in of_decks(games) {
        let (round, table) = (game.round, game.table);
        let (id, date) = match stored(game.number) {
            Some((id, started_us)) => (id, time(started_us).strftime("%Y.%m.%d").to_string()),
            None => ("?".to_owned(), "????.??.??".to_owned()),
        };
        for (first, second, score) in game.pairs() {
            let name = |number: usize| entrants.get(number).map_or("?", |one| &*one.name);
            let result = match score {
                Score::Win => "1-0",
                Score::Draw => "1/2-1/2",
                Score::Loss => "0-1",
            };
            for (tag, value) in [
                ("Event", event),
                ("Site", "?"),
                ("Date", &date),
                ("Round", &(round + 1).to_string()),
                ("White", name(first)),
                ("Black", name(second)),
                ("Result", result),
                ("Table", &format!("{round}.{table}.{deck}")),
                ("Match", &id),
                ("Termination", termination(game, [first, second])),
            ] {
                // Writing to a string does not fail.
                let _ = writeln!(text, "[{tag} \"{}\"]", quoted(value));
            }
            for (tag, number) in [
                ("WhiteParticipation", first),
                ("BlackParticipation", second),
            ] {
                let parts: Vec<String> = parts(game, number).map(Participation::words).collect();
                if !parts.is_empty() {
                    let _ = writeln!(text, "[{tag} \"{}\"]", parts.join("; "));
                }
            }
            let _ = writeln!(text, "\n{result}\n");
        }
    }
    text
}

/// How the players of an entrant took part in a match that did not play to the end of their part.
fn parts(game: &PlayedGame, entrant: usize) -> impl Iterator<Item = &Participation> {
    let counted = &game.counted;
    let sides = counted.table.iter().zip(&counted.participation);
    let own = sides.filter(move |(other, _)| **other == entrant);
    let parts = own.flat_map(|(_, parts)| parts);
    parts.filter(|part| part.how != Part::Played)
}

/// How a match ended between two entrants, in the words of the PGN standard: the worst of what happened to either.
fn termination(game: &PlayedGame, both: [usize; 2]) -> &'static str {
    let counted = &game.counted;
    let faults = counted.faults.iter().filter_map(|(side, cause)| {
        let entrant = counted.table.get(side.index())?;
        both.contains(entrant).then_some(*cause)
    });
    let of_fault = faults.map(|cause| match cause {
        Cause::TimeForfeit => "time forfeit",
        Cause::IllegalMove | Cause::ProtocolError | Cause::NotPlayed => "rules infraction",
        Cause::Adjudication => "adjudication",
        _ => "abandoned",
    });
    let parts = both.into_iter().flat_map(|entrant| parts(game, entrant));
    let of_part = parts.map(|part| match part.how {
        Part::Silent => "time forfeit",
        Part::Refused => "rules infraction",
        _ => "abandoned",
    });
    let whole = match counted.outcome.cause {
        Cause::Adjudication => "adjudication",
        Cause::Stalled | Cause::Cancelled | Cause::Unterminated => "abandoned",
        _ => "normal",
    };
    of_fault.chain(of_part).next().unwrap_or(whole)
}

/// As a tag holds it: on one line, quotation marks marked.
fn quoted(value: &str) -> String {
    let mut text = String::new();
    for letter in value.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            control if control.is_control() => text.push(' '),
            _ => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::three;
    use super::super::super::{RankSettings, Standings};
    use super::pgn;
    use ratings::{Intervals, Ranking, Settings};

    fn cell(text: &str, line: usize, heading: &str) -> String {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headings = reader.headers().unwrap().clone();
        let at = headings.iter().position(|found| found == heading);
        let record = reader.records().nth(line).unwrap().unwrap();
        record[at.unwrap()].to_owned()
    }

    #[test]
    fn csv_has_full_precision() {
        let (mut entrants, games) = three();
        entrants[0].name = "anna, \"the first\"".into();
        let standings = Standings::new(&entrants, &games, &RankSettings::default());
        let text = standings.csv().unwrap();
        assert_eq!(cell(&text, 0, "name"), "anna, \"the first\"");
        assert_eq!(cell(&text, 0, "pair_score"), (8.5f64 / 11.0).to_string());
        assert_eq!(cell(&text, 1, "faults"), "crash 1");
        assert_eq!(
            (cell(&text, 2, "rank"), cell(&text, 2, "house")),
            (String::new(), "true".into())
        );
        let elo: f64 = cell(&text, 0, "elo").parse().unwrap();
        assert_eq!(elo, standings.entrants[0].rating.as_ref().unwrap().elo);
        let text = standings.crosstable_csv().unwrap();
        assert_eq!(text.lines().count(), 7);
        assert_eq!(
            (cell(&text, 5, "opponent"), cell(&text, 5, "points")),
            ("bert".into(), "3.5".into())
        );
        let text = standings.seats_csv().unwrap();
        assert_eq!(text.lines().count(), 10);
        assert_eq!(
            (cell(&text, 1, "seat"), cell(&text, 1, "pair_score")),
            ("1".into(), "0.375".into())
        );
    }

    #[test]
    fn others_rate_the_exported_results_as_we_do() {
        let (mut entrants, games) = three();
        entrants[1].name = "bert \"\\\" [x]".into();
        let stored = |number| (number == 0).then(|| ("01M".to_owned(), 1_000_000));
        let text = pgn("a \"test\"", &entrants, &games, stored);
        assert!(text.contains("[Date \"1970.01.01\"]\n"), "{text}");
        assert!(text.contains("[Match \"01M\"]\n") && text.contains("[Match \"?\"]\n"));
        assert_eq!(
            text.matches("[White ").count(),
            17,
            "the crash gives two results, other matches three"
        );
        let results = ratings::input::read(text.as_bytes()).whole().unwrap();
        let ranking = Ranking::new(&results, &Settings::default(), Intervals::Covariance).unwrap();
        let standings = Standings::new(&entrants, &games, &RankSettings::default());
        for one in &standings.entrants {
            let rated = one.rating.as_ref().unwrap();
            let same = ranking
                .players
                .iter()
                .find(|player| player.name == one.name)
                .unwrap();
            for (found, expected) in [
                (same.elo, rated.elo),
                (same.table_upper.unwrap(), rated.table_upper.unwrap()),
            ] {
                assert!((found - expected).abs() < 1e-9, "{same:?} {rated:?}");
            }
        }
    }

    #[test]
    fn json_keeps_every_digit() {
        let (entrants, games) = three();
        let standings = Standings::new(&entrants, &games, &RankSettings::default());
        let json: serde_json::Value = serde_json::from_str(&standings.json().unwrap()).unwrap();
        let bert = &json["entrants"][1];
        assert_eq!(bert["pair_score"].as_f64(), Some(4.0 / 12.0));
        assert_eq!(bert["faults"]["crash"], 1);
        assert_eq!(bert["opponents"][0]["points"], 1.5);
        assert_eq!(bert["seats"][1]["games"], 2);
        assert_eq!(json["entrants"][2]["rank"], serde_json::Value::Null);
        let elo = standings.entrants[1].rating.as_ref().unwrap().elo;
        assert_eq!(bert["rating"]["elo"].as_f64(), Some(elo));
    }
}
