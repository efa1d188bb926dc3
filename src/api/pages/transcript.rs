//! Everything that was said in a match, in the order of time.

use super::decisions::{Decisions, Row};
use super::filters::{Pager, link};
use super::turns::{self, Turns};
use super::view::{self, When};
use super::visit::Visit;
use crate::api::contents::{Seen, Wanted};
use crate::api::entries::shown;
use crate::api::matches::MatchShown;
use crate::api::problem::Problem;
use crate::api::sessions::SessionShown;
use crate::api::shapes::beginning;
use crate::clock::time;
use crate::history::{self, MatchEntry};
use crate::store::{Direction, SessionId, Side};
use games::scene::Names;
use jiff::Timestamp;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The most lines on one page.
const LINES_MAX: usize = 20;
/// Letters of a line that are shown at once, and breaks in it: about six lines of a phone.
const LINE_CHARS_MAX: usize = 280;
const LINE_BREAKS_MAX: usize = 5;
/// Letters and lines up to which the rest is shown as well: to fold it would save nothing.
const REST_CHARS_MAX: usize = 80;
const REST_LINES_MAX: usize = 2;
/// Bytes of a text up to which places are marked where it may be broken: in a map of 1 MB they would be most of the page.
const MARKED_MAX: usize = 4_096;

/// A page of a match's transcripts.
#[derive(Default)]
pub(super) struct TranscriptShown {
    pub(super) lines: Vec<Line>,
    /// What the game counts, where it does.
    pub(super) turn: &'static str,
    /// The turn from which on it is asked for; empty: from the first.
    pub(super) from: String,
    pub(super) pager: Pager,
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
    /// The number of its turn; empty before the first.
    pub(super) turn: String,
    pub(super) at: When,
    pub(super) who: String,
    pub(super) received: bool,
    pub(super) text: String,
    /// The rest of it, where it is long.
    pub(super) rest: String,
    /// To why it was answered so, if this is the answer of a decision that is known.
    pub(super) why: Option<String>,
}

impl Line {
    /// What is shown at once, in the parts between which it may be broken.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        parts(&self.text)
    }

    /// The same of the rest.
    pub(super) fn rest_parts(&self) -> impl Iterator<Item = &str> {
        parts(&self.rest)
    }
}

/// Fields of the wire: without spaces between them they would be broken within words and numbers. A long text is one part.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let breaks: &[char] = match text.len() {
        ..=MARKED_MAX => &[',', '&'],
        _ => &[],
    };
    text.split_inclusive(breaks)
}

impl TranscriptShown {
    /// The page that is asked for, of what fits the search. Reads all that was said, as a replay does.
    pub(super) async fn read(
        visit: &Visit,
        found: &MatchShown,
        names: &Names,
    ) -> Result<Self, Problem> {
        let chosen = chosen(visit, found)?;
        let side = side(found, chosen);
        let mut seen = Seen::read(visit, &Wanted::all(&found.id)).await?;
        seen.contents.sessions.retain(|row| row.opened.side == side);
        let hidden = seen.withheld && chosen.is_none_or(|row| row.withheld.is_some());
        let withheld = hidden.then_some(view::WITHHELD);
        if seen.contents.sessions.is_empty() {
            return Ok(Self {
                withheld,
                ..Self::default()
            });
        }
        let search = Search::read(visit, chosen.map(|row| row.id));
        let turns = Turns::read(visit, &found.id).await?;
        let decisions = Decisions::read(visit, found).await?;
        let mut read = Self {
            turn: turns.name,
            from: search.turn.map_or_else(String::new, turns::number),
            withheld,
            ..Self::default()
        };
        let turn = visit.turns().wait().await?;
        let entries = history::entries(visit.state.store.reader(), &seen.contents).await?;
        let sight = visit.sight.clone();
        let page = move || {
            let entries = entries.into_iter().map(|entry| shown(&sight, entry));
            search.page(numbered(entries, &turns, &decisions))
        };
        let Excerpt {
            first,
            count,
            lines,
        } = turn.spend(page).await?;
        if lines.is_empty() {
            return Ok(read);
        }
        let to = |at: usize| link(visit, "cursor", &at.to_string());
        let end = first + lines.len();
        read.pager = Pager {
            first: (first > LINES_MAX).then(|| to(0)),
            previous: (first > 0).then(|| to(first.saturating_sub(LINES_MAX))),
            next: (end < count).then(|| to(end)),
            last: (end + LINES_MAX < count).then(|| to((count - 1) / LINES_MAX * LINES_MAX)),
            range: format!("{}–{end} of {count}", first + 1),
        };
        read.lines = lines.into_iter().map(|one| line(names, one)).collect();
        Ok(read)
    }
}

/// The session whose transcript alone is asked for, if one is.
fn chosen<'a>(visit: &Visit, found: &'a MatchShown) -> Result<Option<&'a SessionShown>, Problem> {
    let Some(asked) = visit.value("session") else {
        return Ok(None);
    };
    let mut sessions = found.sessions.iter().flatten();
    let chosen = sessions.find(|row| asked == row.id.0.to_string());
    chosen.map(Some).ok_or_else(|| {
        let known = found.sessions.iter().flatten();
        let known = known.map(|row| row.id.0.to_string());
        let detail = format!("the match has no session {asked}");
        Problem::parameter("session", detail, known)
    })
}

/// The side whose transcripts are shown: what our own referee and our bot both wrote down is there once, as the referee
/// did where the caller sees that.
fn side(found: &MatchShown, chosen: Option<&SessionShown>) -> Side {
    let seen = found.sessions.iter().flatten();
    let mut sides = seen
        .filter(|row| row.withheld.is_none())
        .map(|row| row.side);
    let any = || sides.find(|side| *side == Side::Referee);
    let side = chosen.map(|row| row.side).or_else(any);
    side.unwrap_or(Side::Player)
}

/// An entry with what a match adds to it.
struct Numbered {
    entry: MatchEntry,
    number: usize,
    /// The number of its turn; 0 before the first.
    turn: u32,
    why: Option<String>,
}

/// Numbers entries in the order of time, and links the answer of each decision to why it was so. A question belongs to
/// the turn in which it is answered, all else to that of the step before it.
fn numbered(
    entries: impl Iterator<Item = MatchEntry>,
    turns: &Turns,
    decisions: &Decisions,
) -> Vec<Numbered> {
    // The clock may have been set back: a session stays in its order.
    let mut clocks = HashMap::new();
    let clocked = entries.map(|entry| {
        let clock = clocks.entry(entry.session).or_insert(entry.at_us);
        *clock = entry.at_us.max(*clock);
        (*clock, entry)
    });
    let mut all: Vec<(i64, MatchEntry)> = clocked.collect();
    all.sort_by_key(|(at_us, _)| *at_us);
    let mut reasons = Reasons::new(decisions, all.iter().map(|(_, entry)| entry.id.0));
    let mut turn = 0;
    let mut lines = Vec::with_capacity(all.len());
    for (number, (at_us, entry)) in (1..).zip(all) {
        let at = time(entry.at_us);
        turn = turn.max(match decisions.asked.contains(&entry.id) {
            true => turns.asked(at),
            false => turns.passed(at),
        });
        let why = reasons.next(&entry, time(at_us));
        lines.push(Numbered {
            number,
            turn,
            why,
            entry,
        });
    }
    lines
}

/// Why answers are so.
struct Reasons<'a> {
    /// By the entry that asked for it, where that is shown.
    shown: HashMap<i64, &'a String>,
    /// Where it stands in another transcript of the seat, such as the bot's own next to our referee's: the newest first.
    others: HashMap<u8, Vec<&'a Row>>,
    /// Those of sessions that have not answered yet.
    open: HashMap<SessionId, &'a String>,
}

impl<'a> Reasons<'a> {
    fn new(decisions: &'a Decisions, entries: impl Iterator<Item = i64>) -> Self {
        let entries: HashSet<i64> = entries.collect();
        let mut reasons = Self {
            shown: HashMap::new(),
            others: HashMap::new(),
            open: HashMap::new(),
        };
        for row in &decisions.rows {
            match (&row.why, row.seat) {
                (Some(why), _) if entries.contains(&row.entry) => {
                    reasons.shown.insert(row.entry, why);
                }
                (Some(_), Some(seat)) => reasons.others.entry(seat).or_default().push(row),
                _ => {}
            }
        }
        for rows in reasons.others.values_mut() {
            rows.sort_by_key(|row| Reverse(row.at));
        }
        reasons
    }

    /// Why a player sent this line, if it is the first after it was asked. Lines come in the order of time.
    fn next(&mut self, entry: &MatchEntry, at: Timestamp) -> Option<String> {
        if is_received(entry) {
            if let Some(why) = self.shown.get(&entry.id.0) {
                self.open.insert(entry.session, why);
            }
            return None;
        }
        let others = entry.seat.and_then(|seat| self.others.get_mut(&seat));
        if let Some(rows) = others {
            while let Some(row) = rows.pop_if(|row| row.at <= at) {
                self.open
                    .extend(row.why.as_ref().map(|why| (entry.session, why)));
            }
        }
        self.open.remove(&entry.session).cloned()
    }
}

/// Which lines are asked for.
struct Search {
    session: Option<SessionId>,
    /// What is in their text, in small letters.
    q: String,
    /// The place of the first among them, its entry, or its turn.
    cursor: Option<usize>,
    entry: Option<i64>,
    turn: Option<u32>,
}

impl Search {
    fn read(visit: &Visit, session: Option<SessionId>) -> Self {
        Self {
            session,
            q: visit.value("q").unwrap_or_default().to_lowercase(),
            cursor: visit.value("cursor").and_then(|at| at.parse().ok()),
            entry: visit.value("entry").and_then(|id| id.parse().ok()),
            turn: visit.value("turn").and_then(|turn| turn.parse().ok()),
        }
    }

    fn fits(&self, entry: &MatchEntry) -> bool {
        self.session.is_none_or(|session| session == entry.session)
            && (self.q.is_empty() || entry.text.to_lowercase().contains(&self.q))
    }

    fn page(&self, mut all: Vec<Numbered>) -> Excerpt {
        all.retain(|line| self.fits(&line.entry));
        let of_entry = |id: i64| all.iter().position(|line| line.entry.id.0 == id);
        let of_turn = |turn: u32| {
            let first = all.iter().position(|line| line.turn >= turn);
            first.unwrap_or(all.len())
        };
        let first = self.cursor.or_else(|| of_entry(self.entry?));
        let first = first.or_else(|| self.turn.map(of_turn)).unwrap_or(0);
        let (first, count) = (first.min(all.len().saturating_sub(1)), all.len());
        Excerpt {
            first,
            count,
            lines: all.into_iter().skip(first).take(LINES_MAX).collect(),
        }
    }
}

/// A page of what fits the search.
struct Excerpt {
    /// How many come before it, and how many there are in all.
    first: usize,
    count: usize,
    lines: Vec<Numbered>,
}

/// Whether the player receives it, whichever side wrote it down.
fn is_received(entry: &MatchEntry) -> bool {
    (entry.direction == Direction::In) == (entry.side == Side::Player)
}

fn line(names: &Names, numbered: Numbered) -> Line {
    let entry = &numbered.entry;
    let (mut text, mut rest) = beginning(&entry.text, LINE_BREAKS_MAX, LINE_CHARS_MAX);
    if rest.len() <= REST_CHARS_MAX && rest.trim().lines().count() <= REST_LINES_MAX {
        (text, rest) = (&*entry.text, "");
    }
    Line {
        id: entry.id.0,
        number: numbered.number,
        turn: turns::number(numbered.turn),
        at: view::clock_time(time(entry.at_us)),
        who: view::seated(names, entry.seat, &entry.bot),
        received: is_received(entry),
        text: text.to_owned(),
        rest: rest.to_owned(),
        why: numbered.why,
    }
}

#[cfg(test)]
mod tests {
    use super::super::decisions::tests::row;
    use super::{
        Decisions, Direction, MARKED_MAX, MatchEntry, Reasons, SessionId, Side, parts, time,
    };
    use crate::store::EntryId;

    #[test]
    fn a_text_may_be_broken_after_its_fields_unless_it_is_long() {
        assert!(parts("a=1&b=2,3").eq(["a=1&", "b=2,", "3"]));
        let long = ",".repeat(MARKED_MAX + 1);
        assert_eq!(parts(&long[1..]).count(), MARKED_MAX);
        assert!(parts(&long).eq([&*long]));
    }

    #[test]
    fn the_first_answer_after_a_question_has_its_reason() {
        let entry = |session: i64, id: i64, direction, second: i64| MatchEntry {
            id: EntryId(id),
            session: SessionId(session),
            side: if session == 1 {
                Side::Player
            } else {
                Side::Referee
            },
            seat: Some(u8::from(session == 3)),
            bot: String::new(),
            seq: 0,
            at_us: 1_000_000 * second,
            direction,
            text: String::new(),
            entrant: None,
        };
        let mut asked = row(5, "waits", 1.0);
        asked.why = Some("why".to_owned());
        let mut decisions = Decisions::default();
        decisions.rows = vec![asked];
        let answers = |lines: &[MatchEntry]| {
            let mut reasons = Reasons::new(&decisions, lines.iter().map(|line| line.id.0));
            let next = |line: &MatchEntry| reasons.next(line, time(line.at_us)).is_some();
            lines.iter().map(next).collect::<Vec<bool>>()
        };
        // In the transcript that was asked, by the question, whatever the clock.
        let own = [
            entry(1, 4, Direction::Out, 9),
            entry(1, 5, Direction::In, 1),
            entry(1, 6, Direction::Out, 1),
            entry(1, 7, Direction::Out, 9),
        ];
        assert_eq!(answers(&own), [false, false, true, false]);
        // In our referee's of the same seat, by the clock.
        let referees = [
            entry(2, 20, Direction::In, 4),
            entry(3, 21, Direction::In, 6),
            entry(2, 22, Direction::In, 6),
            entry(2, 23, Direction::In, 7),
        ];
        assert_eq!(answers(&referees), [false, false, true, false]);
    }
}
