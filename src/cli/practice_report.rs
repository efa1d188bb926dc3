//! What `drover practice` shows: a line a match, what was wrong with the bot, and three lines at the end.

use super::api_call::base;
use super::common::notify;
use super::output::{Format, spaced, write_rows};
use super::trouble::Trouble;
use crate::config::Location;
use crate::sheet::{Column, Grid};
use crate::tournament::FinishedMatch;
use games::BotCard;
use games::text::counted;
use ratings::{Held, Score};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write as _};
use std::net::SocketAddr;

/// What is shown, and what is known of it beforehand.
pub(super) struct PracticeReport {
    pub(super) game: &'static str,
    pub(super) bot: String,
    /// The built-in bot that answers when it does not, if there is one.
    pub(super) fallback: Option<String>,
    /// Weakest first.
    pub(super) rungs: Vec<&'static BotCard>,
    pub(super) store: Location,
    /// Where the matches' pages are, if the user named it.
    pub(super) url: Option<String>,
    /// Where a daemon would show them.
    pub(super) api: SocketAddr,
    /// The configuration as a command line names it, with a blank before it, if it does.
    pub(super) config: String,
    pub(super) output: Format,
    /// The matches so far.
    pub(super) rows: Vec<Row>,
}

/// A match.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    number: u64,
    rung: u8,
    rival: &'static str,
    result: Score,
    /// Its seat, from 0.
    seat: usize,
    scores: Vec<i64>,
    /// Whether it counts for the rating.
    counts: bool,
    /// Decisions that the bot was asked for, and those that it took.
    asked: u64,
    taken: u64,
    /// What was wrong with the bot; empty: nothing.
    trouble: String,
    /// Whether that was little, and no more than lateness.
    #[serde(skip)]
    slight: bool,
    match_id: Option<String>,
    page: Option<String>,
}

const fn word(score: Score) -> &'static str {
    match score {
        Score::Win => "won",
        Score::Draw => "drawn",
        Score::Loss => "lost",
    }
}

impl PracticeReport {
    /// Shows a match that the bot played on seat `own` against this rung.
    pub(super) fn played(
        &mut self,
        finished: &FinishedMatch,
        own: usize,
        rung: usize,
        score: Score,
        trouble: &Trouble<'_>,
    ) -> io::Result<()> {
        let Some(card) = self.rungs.get(rung) else {
            return Ok(());
        };
        let match_id = finished.played.match_id.clone();
        let row = Row {
            number: finished.planned.number + 1,
            rung: card.rung,
            rival: card.name,
            result: score,
            seat: own,
            scores: finished.counted.outcome.scores.values().to_vec(),
            counts: trouble.counts(),
            asked: trouble.0.asked,
            taken: trouble.0.taken,
            trouble: match trouble.is_none() {
                true => String::new(),
                false => trouble.sentence(),
            },
            slight: self.fallback.is_some() && trouble.is_slight(),
            page: match_id
                .as_ref()
                .zip(self.url.as_ref())
                .map(|(id, url)| format!("{}/matches/{id}", url.trim_end_matches('/'))),
            match_id,
        };
        if self.output == Format::Table {
            let line = self.line(&row);
            writeln!(io::stdout(), "{line}")?;
        }
        if let Some(line) = self.trouble_line(&row, trouble) {
            notify(&line);
        }
        self.rows.push(row);
        Ok(())
    }

    /// What is to be said of a match in which not all decisions were the bot's.
    fn trouble_line(&self, row: &Row, trouble: &Trouble<'_>) -> Option<String> {
        if row.trouble.is_empty() || trouble.is_hopeless() {
            return None;
        }
        let (number, asked) = (row.number, counted(row.asked, "decision"));
        if row.slight {
            let fallback = self.fallback.as_ref()?;
            let late = trouble.0.conduct.late;
            return self.rows.iter().all(|row| !row.slight).then(|| {
                format!(
                    "match {number}: {late} of {asked} came late, and {fallback} took over there. That is usual while an \
                     interpreter starts or the machine is busy, and is forgiven up to two decisions of a match, or 5 %; \
                     further such matches are only counted"
                )
            });
        }
        let mut line = format!("match {number}: ");
        if let Some(fallback) = &self.fallback {
            let fallen = row.asked - row.taken;
            line.push_str(&format!("{fallback} took {fallen} of its {asked}: "));
        }
        line.push_str(&row.trouble);
        if !row.counts {
            line.push_str("; so it does not count");
        }
        let mut before = self.rows.iter();
        if before.all(|row| row.trouble.is_empty() || row.slight) {
            line.push_str(&trouble.stderr());
        }
        Some(line)
    }

    fn line(&self, row: &Row) -> String {
        let names = self.rungs.iter().map(|card| card.name.len());
        let (width, seats) = (names.max().unwrap_or(0), row.scores.len());
        let shown = match row.counts {
            true => word(row.result).to_owned(),
            false => format!("({})", word(row.result)),
        };
        let (number, rung, rival, seat) = (row.number, row.rung, row.rival, row.seat + 1);
        let page = row.page.as_deref().or(row.match_id.as_deref());
        let (scores, page) = (spaced(&row.scores), page.unwrap_or_default());
        format!(
            "{number:>3}  rung {rung} {rival:<width$}  {shown:<7}  seat {seat} of {seats}  {scores:<12}  {page}"
        )
    }

    fn rung(&self, rung: usize) -> String {
        self.rungs.get(rung).map_or_else(String::new, |card| {
            format!("rung {} {}", card.rung, card.name)
        })
    }

    /// What it holds, as a sentence.
    fn holds(&self, held: Option<Held>, next: usize) -> String {
        let Some(Held {
            at,
            lowest,
            highest,
        }) = held
        else {
            return "no match counts, so it is not rated".to_owned();
        };
        let rung =
            |at: Option<usize>| at.map_or_else(|| "below rung 1".to_owned(), |at| self.rung(at));
        let between = match lowest == highest {
            true => "95 % sure".to_owned(),
            false => format!("95 %: from {} to {}", rung(lowest), rung(highest)),
        };
        let of = self.rungs.len();
        let holds = match at {
            Some(at) => format!("of {of} rungs it holds {} ({between})", self.rung(at)),
            None => format!("of {of} rungs it holds none ({between})"),
        };
        match at.is_some_and(|at| at + 1 == of) {
            true => format!("{holds}: the highest there is"),
            false => format!("{holds}; a little stronger: {}", self.rung(next)),
        }
    }

    /// Shows what came of all of it.
    pub(super) fn sum_up(
        &self,
        held: Option<Held>,
        next: usize,
        [won, drawn, lost]: [usize; 3],
    ) -> io::Result<()> {
        let mut out = io::stdout();
        if self.output != Format::Table {
            let rung = |at: Option<usize>| {
                let card = at.and_then(|at| self.rungs.get(at))?;
                Some(json!({ "rung": card.rung, "name": card.name }))
            };
            let at_top =
                held.is_some_and(|held| held.at.is_some_and(|at| at + 1 == self.rungs.len()));
            let whole = json!({
                "game": self.game,
                "bot": self.bot,
                "fallback": self.fallback,
                "rungs": self.rungs.len(),
                "won": won,
                "drawn": drawn,
                "lost": lost,
                "holds": rung(held.and_then(|held| held.at)),
                "lowest": rung(held.and_then(|held| held.lowest)),
                "highest": rung(held.and_then(|held| held.highest)),
                "rated": held.is_some(),
                "stronger": rung(Some(next).filter(|_| !at_top)),
                "store": self.store.to_string(),
                "matches": self.rows,
            });
            return self.write(&mut out, &whole);
        }
        let (bot, game) = (&self.bot, self.game);
        let all = won + drawn + lost;
        let asked: u64 = self.rows.iter().map(|row| row.asked).sum();
        let taken: u64 = self.rows.iter().map(|row| row.taken).sum();
        let fallen = asked - taken;
        let fallen = self.fallback.as_ref().map_or_else(String::new, |fallback| {
            let asked = counted(asked, "decision");
            format!("; its fallback {fallback} took {fallen} of {asked}")
        });
        let only = match self.rows.len() - all {
            0 => String::new(),
            1 => " (1 more does not count)".to_owned(),
            left => format!(" ({left} more do not count)"),
        };
        writeln!(
            out,
            "{bot}: {won} won, {drawn} drawn, {lost} lost of {} of {game}{only}{fallen}",
            counted(all as u64, "match")
        )?;
        writeln!(out, "{}", self.holds(held, next))?;
        self.pages(&mut out)
    }

    /// Says where the matches' pages are.
    fn pages(&self, out: &mut impl io::Write) -> io::Result<()> {
        let store = self.store.to_string();
        if let Some(url) = &self.url {
            let url = url.trim_end_matches('/');
            return writeln!(out, "all is in {store}; its pages: {url}/matches");
        }
        let store_arg = format!("--store {}", shell_words::quote(&store));
        let last = self.rows.last().and_then(|row| row.match_id.as_ref());
        if let Some(id) = last {
            writeln!(
                out,
                "the last match as a page: drover match export {id} {store_arg} --html {id}.html"
            )?;
        }
        let (api, config) = (base(self.api), &self.config);
        writeln!(
            out,
            "all is in {store}; its pages are at {api}/matches while this runs: drover serve{config} {store_arg}"
        )
    }

    fn write(&self, out: &mut impl io::Write, whole: &Value) -> io::Result<()> {
        let columns: [Column<Row>; 12] = [
            ("match", |row| row.number.to_string()),
            ("rung", |row| row.rung.to_string()),
            ("rival", |row| row.rival.to_owned()),
            ("result", |row| word(row.result).to_owned()),
            ("seat", |row| row.seat.to_string()),
            ("scores", |row| spaced(&row.scores)),
            ("counts", |row| row.counts.to_string()),
            ("asked", |row| row.asked.to_string()),
            ("taken", |row| row.taken.to_string()),
            ("trouble", |row| row.trouble.clone()),
            ("match_id", |row| row.match_id.clone().unwrap_or_default()),
            ("page", |row| row.page.clone().unwrap_or_default()),
        ];
        let Grid { headings, rows } = Grid::new(&columns, &self.rows);
        write_rows(out, self.output, &headings, &rows, whole)
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, PracticeReport};
    use crate::config::Location;

    #[test]
    fn the_password_of_a_servers_database_is_not_shown() {
        let server = "postgres://drover:hush@db/arena?password=hush";
        let mut report = PracticeReport {
            game: "planowanie",
            bot: "bot:mine@1".to_owned(),
            fallback: None,
            rungs: Vec::new(),
            store: Location::read(server).unwrap(),
            url: None,
            api: "0.0.0.0:8081".parse().unwrap(),
            config: " --config my.toml".to_owned(),
            output: Format::Table,
            rows: Vec::new(),
        };
        for url in [None, Some("http://here:1/".to_owned())] {
            report.url = url;
            let mut out = Vec::new();
            report.pages(&mut out).unwrap();
            let said = String::from_utf8(out).unwrap();
            let shown = "all is in postgres://drover@db/arena; its pages";
            assert!(said.contains(shown) && !said.contains("hush"), "{said}");
            let serve = "at http://127.0.0.1:8081/matches while this runs: drover serve --config my.toml --store ";
            assert_eq!(said.contains(serve), report.url.is_none(), "{said}");
        }
    }
}
