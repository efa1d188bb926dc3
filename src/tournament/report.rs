//! The result of many matches, for people and programs.

use super::tally::{EntrantTally, Tally};
use crate::link::program::MachineReport;
use crate::referee::budget::ThinkBudget;
use crate::sheet::{Column, Grid, Layout, broken_lines, columns};
use games::Cause;
use games::text::counted;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;
use utoipa::ToSchema;

/// From this share of the machine on, what others took is reported.
const OTHERS_REPORTED: f64 = 0.25;

/// The columns that a narrow terminal does not show, in this order: pairs, p50, games and refused.
const SPARE: &[usize] = &[7, 9, 2, 8];

/// The conditions of the matches.
#[derive(Clone, Debug, Serialize)]
pub struct Conditions {
    /// The game's name.
    pub game: String,
    /// Matches requested.
    pub games_planned: u64,
    /// The seed of everything.
    pub seed: u64,
    /// The budget of one decision of a built-in bot.
    pub budget: ThinkBudget,
    /// Rule options that differ from the defaults.
    pub options: Value,
    /// Whether tables were drawn from a pool.
    pub pool: bool,
    /// Whether seats were rotated over each deck.
    pub rotated: bool,
    /// Whether bots might use opponent models.
    pub models: bool,
    /// Whether it was played over HTTP.
    pub wire: bool,
    /// Why programs were not isolated from each other, if any played and they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_isolated: Option<String>,
    /// Where it was played on from, if a stored match was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Origin>,
    /// What the machine was like, if programs played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineReport>,
    /// What to try with a program that does not answer, in a sentence, if the game has options for that.
    #[serde(skip)]
    pub when_silent: Option<&'static str>,
}

/// An entry of a stored match.
#[derive(Clone, Debug, Serialize)]
pub struct Origin {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The entry.
    pub entry: i64,
    /// How it ended then.
    pub cause: Cause,
}

/// What went wrong with an entrant's program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The match in which it failed first, from 1, where that is known.
    #[serde(rename = "match")]
    pub match_number: Option<u64>,
    /// How, in a sentence.
    pub why: String,
    /// The last lines of its standard error then, fit to be shown.
    pub stderr: Vec<String>,
    /// Matches in which it never started, or took no decision though it was asked for some.
    pub matches_not_played: u64,
    /// Whether it once lost by saying nothing in time.
    #[serde(skip)]
    pub silent: bool,
}

impl Failure {
    /// These last lines of a standard error, under a line that says what they are.
    #[must_use]
    pub fn ended_with(lines: &[String]) -> String {
        let lines = lines.iter().map(|line| format!("    {line}\n"));
        format!("  its standard error ended:\n{}", lines.collect::<String>())
    }

    /// As lines for people.
    #[must_use]
    pub fn text(&self, bot: &str) -> String {
        let place = self
            .match_number
            .map(|number| format!(" in match {number}"));
        let mut text = format!("{bot} failed{}: {}\n", place.unwrap_or_default(), self.why);
        if !self.stderr.is_empty() {
            text.push_str(&Self::ended_with(&self.stderr));
        }
        match self.matches_not_played {
            0 => {}
            1 => text.push_str(&format!("{bot} took no decision in one match\n")),
            matches => text.push_str(&format!("{bot} took no decision in {matches} matches\n")),
        }
        text
    }
}

/// One entrant's results.
#[derive(Clone, Debug, Serialize)]
pub struct SeatReport {
    /// Its position in the order given, from 0.
    pub seat: usize,
    /// Its spec.
    pub bot: String,
    /// What it achieved.
    #[serde(flatten)]
    pub figures: Figures,
    /// What went wrong with its program first, if anything did.
    pub failure: Option<Failure>,
}

/// The figures of one entrant, as a whole or on one seat.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Figures {
    /// Seats taken in matches.
    pub games: u64,
    /// Matches won outright.
    pub wins: u64,
    /// Matches won together with others.
    pub shared_wins: u64,
    /// Mean share of the win: 1/k for one of k winners; each player of a mixed team has its team's.
    pub win_share: f64,
    /// Lower end of its 95 % interval.
    pub win_share_low: f64,
    /// Upper end of its 95 % interval.
    pub win_share_high: f64,
    /// Mean score.
    pub mean_score: f64,
    /// Its standard error; `null` for a single deck.
    pub score_error: Option<f64>,
    /// Mean result against each other player who was no mate: 1 won, 0.5 drawn.
    pub pair_score: f64,
    /// Lower end of its 95 % interval.
    pub pair_score_low: f64,
    /// Upper end of its 95 % interval.
    pub pair_score_high: f64,
    /// Its own faults by cause, one a match for each of its players at most, whether or not it lost.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub faults: BTreeMap<&'static str, u64>,
    /// Matches with such faults.
    pub matches_with_faults: u64,
    /// Those of them that it lost: it has no share of the win.
    pub lost_with_faults: u64,
    /// Acts that the rules rejected.
    pub refused: u64,
    /// Answers that were late, missing or no answer by their form.
    pub missed: u64,
    /// Decisions that its programs were asked for, where something decides in their place.
    pub decisions: u64,
    /// Those of them that its fallback took, or without one the game's default answer.
    pub fallback: u64,
    /// How its players took part where they did not play to the end of their part: how many of them did so.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub participation: BTreeMap<&'static str, u64>,
    /// Decisions timed.
    pub timed: u64,
    /// Median time of a decision, in milliseconds.
    pub decision_ms_p50: Option<f64>,
    /// Time within which 99 % of decisions lie, in milliseconds.
    pub decision_ms_p99: Option<f64>,
}

/// The whole result.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The conditions played under.
    #[serde(flatten)]
    pub conditions: Conditions,
    /// Matches played.
    pub games: u64,
    /// Those of them of rotations that were not finished: each such rotation is one block of the intervals, as
    /// a whole one is.
    pub games_of_unfinished_rotations: u64,
    /// Wall-clock time.
    pub seconds: f64,
    /// Matches per second.
    pub games_per_second: f64,
    /// Results in the order in which the seats (or the pool) were given.
    pub seats: Vec<SeatReport>,
}

impl Report {
    /// Summarises a tally.
    #[must_use]
    pub fn new(conditions: Conditions, specs: &[String], tally: &Tally, took: Duration) -> Self {
        let seconds = took.as_secs_f64();
        let entrants = specs.iter().zip(&tally.entrants).enumerate();
        Self {
            conditions,
            games: tally.games,
            games_of_unfinished_rotations: tally.cut_short,
            seconds,
            games_per_second: tally.games as f64 / seconds.max(f64::MIN_POSITIVE),
            seats: entrants
                .map(|(seat, (spec, entrant))| row(seat, spec, entrant))
                .collect(),
        }
    }

    /// The same with what went wrong with programs, by their specs.
    #[must_use]
    pub fn with_failures(mut self, failures: &BTreeMap<String, Failure>) -> Self {
        for row in &mut self.seats {
            row.failure = failures.get(&row.bot).cloned();
        }
        self
    }

    /// Whether every program took a decision in each match in which it was asked for some.
    #[must_use]
    pub fn all_played(&self) -> bool {
        let mut failures = self.seats.iter().filter_map(|row| row.failure.as_ref());
        failures.all(|failure| failure.matches_not_played == 0)
    }

    /// What went wrong with programs, for people.
    #[must_use]
    pub fn failures(&self) -> String {
        let failed = self.seats.iter();
        let failed = failed.filter_map(|row| Some((row.bot.as_str(), row.failure.as_ref()?)));
        let failed: BTreeMap<&str, &Failure> = failed.collect();
        let texts = failed.into_iter().map(|(bot, failure)| failure.text(bot));
        texts.collect()
    }

    /// As JSON, for people and programs.
    ///
    /// # Errors
    /// Never for a report of finite numbers.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// As CSV with a header line.
    ///
    /// # Errors
    /// Never: it is written to memory.
    pub fn csv(&self) -> anyhow::Result<String> {
        fn share(value: f64) -> String {
            format!("{value:.6}")
        }
        fn number(value: Option<f64>) -> String {
            value.map_or(String::new(), |value| format!("{value:.4}"))
        }
        let columns: [Column<SeatReport>; 22] = [
            ("seat", |row| row.seat.to_string()),
            ("bot", |row| row.bot.clone()),
            ("games", |row| row.figures.games.to_string()),
            ("wins", |row| row.figures.wins.to_string()),
            ("shared_wins", |row| row.figures.shared_wins.to_string()),
            ("win_share", |row| share(row.figures.win_share)),
            ("win_share_low", |row| share(row.figures.win_share_low)),
            ("win_share_high", |row| share(row.figures.win_share_high)),
            ("mean_score", |row| format!("{:.3}", row.figures.mean_score)),
            ("score_error", |row| number(row.figures.score_error)),
            ("refused", |row| row.figures.refused.to_string()),
            ("missed", |row| row.figures.missed.to_string()),
            ("timed", |row| row.figures.timed.to_string()),
            ("decision_ms_p50", |row| number(row.figures.decision_ms_p50)),
            ("decision_ms_p99", |row| number(row.figures.decision_ms_p99)),
            ("pair_score", |row| share(row.figures.pair_score)),
            ("pair_score_low", |row| share(row.figures.pair_score_low)),
            ("pair_score_high", |row| share(row.figures.pair_score_high)),
            ("faults", |row| {
                row.figures.faults.values().sum::<u64>().to_string()
            }),
            ("decisions", |row| row.figures.decisions.to_string()),
            ("fallback", |row| row.figures.fallback.to_string()),
            ("participation", |row| {
                counts(&row.figures.participation, "; ")
            }),
        ];
        Ok(Grid::new(&columns, &self.seats).csv()?)
    }

    /// As a table for people, at most this wide if it is given.
    #[must_use]
    pub fn table(&self, width: Option<usize>) -> String {
        let named = || self.seats.iter().map(|row| (&*row.bot, &row.figures));
        let mut notes = remarks(named);
        notes.push_str(&self.failures());
        notes.push_str(&self.circumstances());
        let conditions = &self.conditions;
        notes.push_str(&format!(
            "{} of {} of {} in {:.1} s ({:.0} a second), seed {}, budget {}\n",
            self.games,
            counted(conditions.games_planned, "match"),
            conditions.game,
            self.seconds,
            self.games_per_second,
            conditions.seed,
            conditions.budget,
        ));
        self.seat_lines(width) + &broken_lines(&notes, width)
    }

    /// A heading, and a line for each seat.
    fn seat_lines(&self, width: Option<usize>) -> String {
        let ms = |value: Option<f64>| value.map_or("-".to_owned(), short);
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let row = |row: &SeatReport| {
            let figures = &row.figures;
            vec![
                (row.seat + 1).to_string(),
                row.bot.clone(),
                figures.games.to_string(),
                figures.wins.to_string(),
                percent(figures.win_share),
                range(figures.win_share_low, figures.win_share_high),
                score(figures.mean_score),
                percent(figures.pair_score),
                figures.refused.to_string(),
                ms(figures.decision_ms_p50),
                ms(figures.decision_ms_p99),
            ]
        };
        let headings = [
            "seat", "bot", "games", "wins", "share", "95 %", "score", "pairs", "refused", "p50 ms",
            "p99 ms",
        ];
        let rows: Vec<Vec<String>> = self.seats.iter().map(row).collect();
        let layout = Layout {
            right: &[0, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            width,
            spare: SPARE,
        };
        columns(&headings, &rows, &layout)
    }

    /// What a reader must know of how it was played.
    fn circumstances(&self) -> String {
        let mut text = String::new();
        let silent = |row: &SeatReport| row.failure.as_ref().is_some_and(|failure| failure.silent);
        if let Some(hint) = self.conditions.when_silent
            && self.seats.iter().any(silent)
        {
            text.push_str(&format!("a program that does not answer: {hint}\n"));
        }
        if let Some(why) = &self.conditions.not_isolated {
            text.push_str(&format!(
                "programs were not isolated: one could end another's process ({why})\n"
            ));
        }
        let busy =
            |machine: &&MachineReport| machine.replayed > 0 || machine.others >= OTHERS_REPORTED;
        if let Some(machine) = self.conditions.machine.as_ref().filter(busy) {
            text.push_str(&format!("{machine}\n"));
        }
        if self.games_of_unfinished_rotations > 0 {
            text.push_str(&format!(
                "{} of these matches are of unfinished rotations: they count in full, and each such rotation is \
                 one block of the intervals, as a whole one is\n",
                self.games_of_unfinished_rotations
            ));
        }
        if let Some(from) = &self.conditions.from {
            let (id, entry, cause) = (&from.match_id, from.entry, from.cause.word());
            text.push_str(&format!("match {id} from entry {entry}: {cause}\n"));
        }
        text
    }
}

fn row(seat: usize, spec: &str, tally: &EntrantTally) -> SeatReport {
    SeatReport {
        seat,
        bot: spec.to_owned(),
        figures: tally.into(),
        failure: None,
    }
}

impl From<&EntrantTally> for Figures {
    fn from(tally: &EntrantTally) -> Self {
        let (low, high) = tally.share.share_interval();
        let (pair_low, pair_high) = tally.pairs.share_interval();
        let ms = |share| {
            tally
                .took
                .quantile(share)
                .map(|time| time.as_secs_f64() * 1_000.0)
        };
        Self {
            games: tally.games,
            wins: tally.wins,
            shared_wins: tally.shared_wins,
            win_share: tally.share.value(),
            win_share_low: low,
            win_share_high: high,
            mean_score: tally.score.value(),
            score_error: tally.score.error(),
            pair_score: tally.pairs.value(),
            pair_score_low: pair_low,
            pair_score_high: pair_high,
            faults: tally.faults.clone(),
            matches_with_faults: tally.matches_with_faults,
            lost_with_faults: tally.lost_with_faults,
            refused: tally.refused,
            missed: tally.missed,
            decisions: tally.decisions,
            fallback: tally.fallback,
            participation: tally.participation.clone(),
            timed: tally.took.count(),
            decision_ms_p50: ms(0.5),
            decision_ms_p99: ms(0.99),
        }
    }
}

/// A line for each entrant who answered late or not at all, for each whose decisions were not all its own, for each who did
/// not play to the end of its part, and for each who had faults of its own, with how many of those matches it lost.
pub(super) fn remarks<'a, I>(entrants: impl Fn() -> I) -> String
where
    I: Iterator<Item = (&'a str, &'a Figures)>,
{
    let mut text = String::new();
    for (name, figures) in entrants().filter(|(_, figures)| figures.missed > 0) {
        text.push_str(&format!(
            "late or missing answers: {name}: {}\n",
            figures.missed
        ));
    }
    for (name, figures) in entrants().filter(|(_, figures)| figures.fallback > 0) {
        text.push_str(&format!(
            "not its own: {name}: {} of {}, taken by its fallback\n",
            figures.fallback,
            counted(figures.decisions, "decision")
        ));
    }
    for (name, figures) in entrants().filter(|(_, figures)| !figures.participation.is_empty()) {
        text.push_str(&format!(
            "did not play to the end: {name}: {}\n",
            counts(&figures.participation, ", ")
        ));
    }
    for (name, figures) in entrants().filter(|(_, figures)| !figures.faults.is_empty()) {
        text.push_str(&format!(
            "faults: {name}: {} ({} of {} such matches lost)\n",
            counts(&figures.faults, ", "),
            figures.lost_with_faults,
            figures.matches_with_faults
        ));
    }
    text
}

/// What happened how often, such as `crash 1, time_forfeit 2`.
pub(super) fn counts(of: &BTreeMap<&'static str, u64>, between: &str) -> String {
    let counts = of.iter().map(|(what, count)| format!("{what} {count}"));
    counts.collect::<Vec<_>>().join(between)
}

/// An interval of shares, in per cent.
pub(super) fn range(low: f64, high: f64) -> String {
    format!("{:.1}–{:.1} %", 100.0 * low, 100.0 * high)
}

/// A mean score. Nothing is lost of a small negative one but its sign.
pub(super) fn score(mean: f64) -> String {
    let text = format!("{mean:.1}");
    match text.as_str() {
        "-0.0" => "0.0".to_owned(),
        _ => text,
    }
}

/// Milliseconds with as many decimals as needed.
fn short(ms: f64) -> String {
    if ms < 0.1 {
        format!("{ms:.4}")
    } else {
        format!("{ms:.1}")
    }
}
