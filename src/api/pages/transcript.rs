//! Everything that was said in a match, in the order of time.

use super::decisions::{Decisions, Row};
use super::filters::link;
use super::turns::Turns;
use super::view::{self, When};
use super::visit::Visit;
use crate::api::contents::{Seen, Wanted};
use crate::api::entries::shown;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::api::shapes::beginning;
use crate::clock::time;
use crate::history::{self, MatchEntry};
use crate::store::{Direction, SessionId, Side};
use games::scene::Names;
use std::collections::{BTreeSet, HashMap};

/// The most lines on one page.
const LINES_MAX: usize = 25;
/// Letters of a line that are shown at once, and breaks in it: about six lines of a phone.
const LINE_CHARS_MAX: usize = 280;
const LINE_BREAKS_MAX: usize = 5;
/// Letters and lines up to which the rest is shown as well: to fold it would save nothing.
const REST_CHARS_MAX: usize = 80;
const REST_LINES_MAX: usize = 2;

/// A page of a match's transcripts.
#[derive(Default)]
pub(super) struct TranscriptShown {
    pub(super) lines: Vec<Line>,
    /// What the game counts, where it does.
    pub(super) turn: &'static str,
    /// The turn from which on it is asked for; empty: from the first.
    pub(super) from: String,
    /// Which of all lines these are, in words.
    pub(super) range: String,
    /// To the first page, where it is not the previous one.
    pub(super) first: Option<String>,
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
    /// Why some lines are not shown.
    pub(super) withheld: Option<&'static str>,
}

/// A line of a transcript.
pub(super) struct Line {
    /// The entry's number in the log.
    pub(super) id: i64,
    /// Its number in the match, from 1: where our own referee wrote down what our bot did as well, among those of one
    /// side.
    pub(super) number: usize,
    /// The number of its turn.
    pub(super) turn: String,
    session: SessionId,
    pub(super) at: When,
    pub(super) who: String,
    pub(super) received: bool,
    pub(super) text: String,
    /// The rest of it, where it is long.
    pub(super) rest: String,
    /// To why it was answered so, if this is the answer of a decision that is known.
    pub(super) why: Option<String>,
}

impl TranscriptShown {
    /// The page that is asked for, of what fits the search.
    pub(super) async fn read(
        visit: &Visit,
        found: &MatchShown,
        names: &Names,
    ) -> Result<Self, Problem> {
        let (all, withheld) = wanted(visit, found).await?;
        let mut read = Self {
            withheld,
            ..Self::default()
        };
        if all.is_empty() {
            return Ok(read);
        }
        let turns = Turns::read(visit, &found.id).await?;
        let position = |id: i64| all.iter().position(|(_, entry)| entry.id.0 == id);
        let entry = visit.value("entry").and_then(|id| id.parse().ok());
        let cursor = visit.value("cursor").and_then(|at| at.parse().ok());
        let turn: Option<u32> = visit.value("turn").and_then(|turn| turn.parse().ok());
        let of_turn = |turn: u32| {
            let at = |(_, entry): &(_, MatchEntry)| turns.count(time(entry.at_us));
            all.iter().position(|line| at(line) >= Some(turn))
        };
        let entry = entry.and_then(position);
        let first: usize = cursor.or(entry).or_else(|| of_turn(turn?)).unwrap_or(0);
        let first = first.min(all.len() - 1);
        let to = |at: usize| link(visit, "cursor", &at.to_string());
        let end = all.len().min(first + LINES_MAX);
        read.range = format!("{}–{end} of {}", first + 1, all.len());
        read.first = (first > LINES_MAX).then(|| to(0));
        read.previous = (first > 0).then(|| to(first.saturating_sub(LINES_MAX)));
        read.next = (end < all.len()).then(|| to(end));
        read.turn = turns.name;
        read.from = turn.map_or_else(String::new, |turn| turn.to_string());
        let lines = all.iter().skip(first).take(LINES_MAX);
        let numbered = |(number, entry): &(usize, MatchEntry)| Line {
            number: *number,
            turn: turns.at(time(entry.at_us)),
            ..line(names, entry)
        };
        read.lines = lines.map(numbered).collect();
        read.explain(&Decisions::read(visit, found).await?);
        Ok(read)
    }

    /// Links the answer of each decision to why it was so.
    fn explain(&mut self, decisions: &Decisions) {
        let mut answered = BTreeSet::new();
        for line in self.lines.iter_mut().filter(|line| !line.received) {
            let own = |row: &&Row| row.session == line.session && row.entry < line.id;
            let asked = decisions.rows.iter().filter(own);
            let asked = asked.max_by_key(|row| row.entry);
            let first = asked.filter(|row| answered.insert(row.entry));
            line.why = first.and_then(|row| row.why.clone());
        }
    }
}

/// What fits the search, numbered by time, and why some of it is not shown. What our own referee and our bot both wrote
/// down is there once. Reads all that was said, as a replay does.
async fn wanted(
    visit: &Visit,
    found: &MatchShown,
) -> Result<(Vec<(usize, MatchEntry)>, Option<&'static str>), Problem> {
    let sessions = found.sessions.as_deref().unwrap_or_default();
    let asked = visit.value("session");
    let mut all = sessions.iter();
    let chosen = all.find(|row| asked.is_some_and(|asked| asked == row.id.0.to_string()));
    if let (Some(asked), None) = (asked, chosen) {
        let known = sessions.iter().map(|row| row.id.0.to_string());
        let detail = format!("the match has no session {asked}");
        return Err(Problem::parameter("session", detail, known));
    }
    let mut sides = chosen.into_iter().chain(sessions).map(|row| row.side);
    let refereed = |side: &Side| chosen.is_some() || *side == Side::Referee;
    let side = sides.find(refereed).unwrap_or(Side::Player);
    let mut seen = Seen::read(visit, &Wanted::all(&found.id)).await?;
    seen.contents.sessions.retain(|row| row.opened.side == side);
    let turn = visit.turns().wait().await?;
    let entries = history::entries(visit.state.store.reader(), &seen.contents).await?;
    // The clock may have been set back: a session stays in its order.
    let mut clocks = HashMap::new();
    let mut all: Vec<(i64, MatchEntry)> = Vec::with_capacity(entries.len());
    for entry in entries {
        let clock = clocks.entry(entry.session).or_insert(entry.at_us);
        *clock = entry.at_us.max(*clock);
        all.push((*clock, shown(&visit.sight, entry)));
    }
    all.sort_by_key(|(at_us, _)| *at_us);
    drop(turn);
    let q = visit.value("q").unwrap_or_default().to_lowercase();
    let fits = |entry: &MatchEntry| {
        chosen.is_none_or(|row| row.id == entry.session) && entry.text.to_lowercase().contains(&q)
    };
    let numbered = (1..).zip(all.into_iter().map(|(_, entry)| entry));
    let hidden = seen.withheld && chosen.is_none_or(|row| row.withheld.is_some());
    Ok((
        numbered.filter(|(_, entry)| fits(entry)).collect(),
        hidden.then_some(view::WITHHELD),
    ))
}

fn line(names: &Names, entry: &MatchEntry) -> Line {
    let (mut text, mut rest) = beginning(&entry.text, LINE_BREAKS_MAX, LINE_CHARS_MAX);
    if rest.len() <= REST_CHARS_MAX && rest.trim().lines().count() <= REST_LINES_MAX {
        (text, rest) = (&*entry.text, "");
    }
    Line {
        id: entry.id.0,
        number: 0,
        turn: String::new(),
        session: entry.session,
        at: view::clock_time(time(entry.at_us)),
        who: view::seated(names, entry.seat, &entry.bot),
        // To the player, whichever side wrote it down.
        received: (entry.direction == Direction::In) == (entry.side == Side::Player),
        text: text.to_owned(),
        rest: rest.to_owned(),
        why: None,
    }
}
