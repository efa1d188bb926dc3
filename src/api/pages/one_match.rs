//! One match: who played, how it ended and why, and behind tabs what happened, what was decided, everything that was
//! said, and what it was started from. Only the tab that is open is read.

use super::about::About;
use super::decisions::{Decisions, Row, is_ours, why};
use super::facts::FactsShown;
use super::filters::{link, query, to_player};
use super::layout::{Shell, shown};
use super::programs::{self, ProgramRow};
use super::stage::Position;
use super::view::{self, MatchLine, SeatLine, When, line, now};
use super::visit::Visit;
use crate::api::contents::{Seen, Wanted};
use crate::api::entries::seen_page;
use crate::api::matches::{self, MatchShown};
use crate::api::problem::Problem;
use crate::api::query::{LIMIT_MAX, Params};
use crate::api::replays::Opening;
use crate::api::sessions::SessionShown;
use crate::api::shapes::beginning;
use crate::clock::time;
use crate::history::{self, MatchEntry};
use crate::replay::seat_names;
use crate::store::{Direction, EntryId, SeatRow, SessionId, Side};
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::scene::Names;
use games::sentence::listed;
use std::collections::{BTreeSet, VecDeque};

/// What the page's address may hold besides the match.
const NAMES: &[&str] = &[
    "tab", "session", "q", "kind", "by", "cursor", "step", "turn", "view", "entry", "seat",
];
/// Players up to which a heading names all who did not win.
const NAMED_MAX: usize = 3;
/// The most lines of a transcript on one page.
const LINES_MAX: usize = 14;
/// Letters of a line that are shown at once, and breaks in it: about six lines of a phone.
const LINE_CHARS_MAX: usize = 280;
const LINE_BREAKS_MAX: usize = 5;
/// Letters and lines up to which the rest is shown as well: to fold it would save nothing.
const REST_CHARS_MAX: usize = 80;
const REST_LINES_MAX: usize = 2;
/// How many entries are searched at once, of all sessions; after that the search goes on from the next page.
const SEARCHED_MAX: usize = 10_000;

#[derive(Template)]
#[template(path = "pages/match.html")]
struct OneMatch {
    shell: Shell,
    line: MatchLine,
    referee: String,
    /// Who beat whom, or who plays whom.
    heading: String,
    detail: String,
    place: Option<Place>,
    tab: Tab,
    /// All tabs: their names, where each leads, and whether it is open.
    tabs: Vec<(&'static str, String, bool)>,
    sessions: Vec<Session>,
    /// Why something is not shown, if so.
    withheld: Option<&'static str>,
    /// Whether what was said is not kept any more.
    pruned: bool,
    /// To the decisions of our bot whose seat is not known, if there is one.
    own: Option<String>,
    position: Position,
    about: About,
    /// The best first.
    seats: Vec<(SeatLine, Seat)>,
    decisions: Decisions,
    /// What users' programs did.
    programs: Vec<ProgramRow>,
    facts: FactsShown,
    q: String,
    session: String,
    lines: Vec<Line>,
    later: bool,
    first: String,
    next: Option<String>,
}

/// A part of the page; the others are read when they are opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tab {
    #[default]
    Replay,
    Facts,
    Decisions,
    Transcript,
    About,
}

impl Tab {
    const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Replay, "", "Replay"),
        (Self::Facts, "facts", "What happened"),
        (Self::Decisions, "decisions", "Decisions"),
        (Self::Transcript, "transcript", "Transcript"),
        (Self::About, "about", "About"),
    ];

    /// The one that is asked for.
    fn asked(visit: &Visit) -> Result<Self, Problem> {
        let Some(word) = visit.value("tab") else {
            return Ok(Self::Replay);
        };
        let mut all = Self::ALL.into_iter();
        let found = all.find(|(_, known, _)| *known == word);
        found.map(|(tab, ..)| tab).ok_or_else(|| {
            let known = Self::ALL.map(|(_, word, _)| word);
            Problem::parameter("tab", format!("there is no tab {word}"), known)
        })
    }

    /// Where each leads, and whether it is open.
    fn links(self) -> Vec<(&'static str, String, bool)> {
        let link = |(tab, word, name): (Self, &str, &'static str)| {
            let to = (!word.is_empty()).then_some(("tab", word));
            (name, query(to), tab == self)
        };
        Self::ALL.into_iter().map(link).collect()
    }
}

/// Its place in a tournament.
struct Place {
    id: String,
    name: String,
    round: u32,
    table: u32,
    /// The matches that are next to it by their numbers, if they have ended.
    previous: Option<String>,
    next: Option<String>,
}

impl Place {
    async fn read(visit: &Visit, found: &MatchShown) -> Result<Option<Self>, Problem> {
        let Some(place) = &found.tournament else {
            return Ok(None);
        };
        let [previous, next] = [place.number.checked_sub(1), place.number.checked_add(1)];
        let numbers: Vec<u64> = previous.into_iter().chain(next).collect();
        let reader = visit.state.store.reader();
        let near = history::tournament_matches_numbered(reader, &place.id, &numbers).await?;
        let id = |number: Option<u64>| {
            let one = near.iter().find(|one| Some(one.number) == number);
            one.map(|one| one.match_id.clone())
        };
        Ok(Some(Self {
            id: place.id.clone(),
            name: place.name.clone(),
            round: place.round + 1,
            table: place.table + 1,
            previous: id(previous),
            next: id(next),
        }))
    }
}

/// A transcript.
struct Session {
    id: String,
    /// Whose it is, in words.
    name: String,
    entries: Option<u64>,
    withheld: bool,
}

/// What the table of seats adds to a seat.
struct Seat {
    /// To its matches or its bot's page; empty: there is none.
    page: String,
    /// To its decisions, where our bot made them.
    why: Option<String>,
    /// Whether they are shown later.
    later: bool,
}

/// A line of a transcript.
struct Line {
    id: i64,
    session: SessionId,
    at: When,
    who: String,
    received: bool,
    text: String,
    /// The rest of it, where it is long.
    rest: String,
    /// To why it was answered so, if this is the answer of a decision that is known.
    why: Option<String>,
}

/// `GET /matches/{id}`
pub(super) async fn page(Path(id): Path<String>, visit: Visit) -> Result<Response, Problem> {
    visit.takes(NAMES)?;
    let (entry, fact) = history::last_numbers(visit.state.store.reader()).await?;
    let follow = Some(format!(
        "/api/v1/matches/{id}/events?after={}-{fact}",
        entry.0
    ));
    let found = matches::find(&visit, &id).await?;
    let mut line = line(&found, now());
    let sessions = found.sessions.as_deref().unwrap_or_default();
    let (tab, names) = (Tab::asked(&visit)?, seat_names(&found.seats));
    let read = Read::tab(tab, &visit, &found, &names).await?;
    let mut unseated = sessions.iter().filter(|row| row.seat.is_none());
    shown(&OneMatch {
        pruned: is_pruned(&found),
        own: unseated.find_map(|row| to_reasons(&found.id, row)),
        shell: Shell {
            follow: follow.filter(|_| found.live),
            ..visit.shell(format!("{} match", view::title(&found.game)), "/matches")
        },
        heading: heading(line.title(), &found.seats, &line.seats),
        detail: found.detail.clone(),
        place: Place::read(&visit, &found).await?,
        tab,
        tabs: tab.links(),
        sessions: sessions.iter().map(|row| session(&names, row)).collect(),
        position: read.position,
        about: read.about,
        seats: ranked(&found, std::mem::take(&mut line.seats)),
        withheld: read.facts.withheld.or(read.unseen.map(|_| view::WITHHELD)),
        programs: read.programs,
        decisions: read.decisions,
        facts: read.facts,
        q: visit.value("q").unwrap_or_default().to_owned(),
        session: visit.value("session").unwrap_or_default().to_owned(),
        lines: read.lines,
        later: visit.value("cursor").is_some(),
        first: link(&visit, "cursor", ""),
        next: read.next.map(|next| link(&visit, "cursor", &next)),
        referee: match found.ours {
            true => "our own referee".to_owned(),
            false => found.referee.clone(),
        },
        line,
    })
}

/// What the open tab shows.
#[derive(Default)]
struct Read {
    position: Position,
    about: About,
    facts: FactsShown,
    decisions: Decisions,
    programs: Vec<ProgramRow>,
    lines: Vec<Line>,
    /// Where the next page of lines begins.
    next: Option<String>,
    /// Why some lines, or the boards, are not shown.
    unseen: Option<&'static str>,
}

impl Read {
    async fn tab(
        tab: Tab,
        visit: &Visit,
        found: &MatchShown,
        names: &Names,
    ) -> Result<Self, Problem> {
        let mut read = Self::default();
        match tab {
            Tab::Replay | Tab::Facts if is_pruned(found) => {}
            Tab::Facts => read.facts = FactsShown::read(visit, &found.id, names).await?,
            Tab::Decisions => {
                read.decisions = Decisions::read(visit, found).await?;
                read.decisions.say(visit, found).await?;
                read.programs = programs::read(visit, found, names).await?;
            }
            Tab::Transcript => read.transcript(visit, found, names).await?,
            Tab::About => read.about = About::read(visit, found).await?,
            // The script says why nothing can be shown.
            Tab::Replay => {
                let opening = (!visit.refreshes()).then_some(Opening::First);
                let position = Position::read(visit, found, opening).await;
                read.position = position.unwrap_or_default();
                read.unseen = read.position.withheld.then_some(view::WITHHELD);
            }
        }
        Ok(read)
    }

    async fn transcript(
        &mut self,
        visit: &Visit,
        found: &MatchShown,
        names: &Names,
    ) -> Result<(), Problem> {
        (self.lines, self.next, self.unseen) = transcript(visit, found, names).await?;
        let (decisions, mut answered) = (Decisions::read(visit, found).await?, BTreeSet::new());
        for line in self.lines.iter_mut().filter(|line| !line.received) {
            let own = |row: &&Row| row.session == line.session && row.entry < line.id;
            let asked = decisions.rows.iter().filter(own);
            let asked = asked.max_by_key(|row| row.entry);
            let first = asked.filter(|row| answered.insert(row.entry));
            line.why = first.and_then(|row| row.why.clone());
        }
        Ok(())
    }
}

/// Whether nothing of what was said is kept any more.
fn is_pruned(found: &MatchShown) -> bool {
    let mut sessions = found.sessions.iter().flatten().peekable();
    sessions.peek().is_some() && sessions.all(|row| row.pruned)
}

/// Who beat whom, who share the win, or who plays whom; who only fills a seat is not named unless it shares the win.
fn heading(title: &str, rows: &[SeatRow], seats: &[SeatLine]) -> String {
    let (mut won, mut tied, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut filled = false;
    for (row, seat) in rows.iter().zip(seats) {
        let named = match seat.outcome {
            "won" => &mut won,
            "tied" => &mut tied,
            _ if view::player(&row.spec) == "filler" => {
                filled = true;
                continue;
            }
            _ => &mut others,
        };
        named.push(seat.name.clone());
    }
    if !tied.is_empty() {
        let share = if tied.len() == 1 { "shares" } else { "share" };
        return format!("{} {share} the win", listed(&tied));
    }
    match (won.as_slice(), others.as_slice()) {
        ([], []) => format!("Match of {title}"),
        ([], [one]) if filled => format!("{one} against fillers"),
        ([], others) if others.len() <= NAMED_MAX => others.join(" against "),
        ([], others) => format!("Match of {} players", others.len()),
        (won, []) => format!("{} won", listed(won)),
        (won, others) if others.len() <= NAMED_MAX => {
            format!("{} beat {}", listed(won), listed(others))
        }
        (won, others) => format!("{} beat {} others", listed(won), others.len()),
    }
}

/// The seats, the best first.
fn ranked(found: &MatchShown, lines: Vec<SeatLine>) -> Vec<(SeatLine, Seat)> {
    let mut seats: Vec<_> = lines.into_iter().zip(&found.seats).collect();
    let result = |row: &SeatRow| (row.win_share, row.score);
    seats.sort_by(|(_, one), (_, other)| {
        let order = result(other).partial_cmp(&result(one));
        order.unwrap_or(std::cmp::Ordering::Equal)
    });
    let seated = |(line, row)| (line, seated(found, row));
    seats.into_iter().map(seated).collect()
}

fn seated(found: &MatchShown, seat: &SeatRow) -> Seat {
    let sessions = found.sessions.iter().flatten();
    let own = sessions.filter(|row| row.seat == Some(seat.seat));
    let why = own.clone().find_map(|row| to_reasons(&found.id, row));
    let mut hidden = own.filter(|row| is_ours(row) && row.withheld.is_some());
    Seat {
        page: to_player(&found.game, seat),
        later: why.is_none() && hidden.next().is_some(),
        why,
    }
}

/// To the decisions of a session.
fn to_reasons(id: &str, session: &SessionShown) -> Option<String> {
    let why = why(id, session)?;
    Some(why.trim_end_matches(['?', '&']).to_owned())
}

fn session(names: &Names, row: &SessionShown) -> Session {
    let side = match row.side {
        Side::Player => "as the player received it",
        Side::Referee => "as the referee received it",
    };
    Session {
        name: format!("{}, {side}", view::seated(names, row.seat, &row.bot)),
        entries: row.entries,
        withheld: row.withheld.is_some(),
        id: row.id.0.to_string(),
    }
}

/// The lines of the transcripts that are asked for, by time, where the next page of them begins, and why some are not
/// shown. What our own referee and our bot both wrote down is shown once.
async fn transcript(
    visit: &Visit,
    found: &MatchShown,
    names: &Names,
) -> Result<(Vec<Line>, Option<String>, Option<&'static str>), Problem> {
    let sessions = found.sessions.as_deref().unwrap_or_default();
    let refereed = sessions.iter().any(|row| row.side == Side::Referee);
    let no_number = |_| Problem::parameter("session", "session is no number".into(), [""; 0]);
    let wanted: Vec<i64> = match visit.value("session") {
        Some(session) => vec![session.parse().map_err(no_number)?],
        None => {
            let once = |row: &&SessionShown| !refereed || row.side == Side::Referee;
            let once = sessions.iter().filter(once);
            once.map(|row| row.id.0).collect()
        }
    };
    // A cursor has a number for each of them but those that began after it.
    let mut cursors = visit.value("cursor").map(|all| all.split('.'));
    let (mut parts, mut lines, mut params) = (Vec::new(), Vec::new(), Wanted::all(&found.id));
    params.filters.session = wanted.first().copied().filter(|_| wanted.len() == 1);
    let mut seen = Seen::read(visit, &params).await?;
    let all = std::mem::take(&mut seen.contents.sessions);
    for session in &wanted {
        let cursor = cursors.as_mut().and_then(Iterator::next);
        params.page.cursor = cursor.map(str::to_owned);
        let own = all.iter().filter(|row| row.id.0 == *session);
        seen.contents.sessions = own.cloned().collect();
        let part = Excerpt::read(visit, &seen, &mut params, SEARCHED_MAX / wanted.len()).await?;
        for (at_us, entry) in &part.entries {
            lines.push((*at_us, entry.id, parts.len(), shown_line(names, entry)));
        }
        parts.push(part);
    }
    lines.sort_unstable_by_key(|(at_us, entry, ..)| (*at_us, *entry));
    // What a session that was not read to its end has next may precede what others have after that.
    let unread = parts.iter().filter(|part| part.next.is_some());
    let up_to = unread.map(|part| part.read_up_to).min();
    lines.retain(|(at_us, entry, ..)| up_to.is_none_or(|last| (*at_us, *entry) <= last));
    lines.truncate(LINES_MAX);
    for (_, entry, part, _) in &lines {
        if let Some(part) = parts.get_mut(*part) {
            part.entries.pop_front();
            part.last = entry.0;
        }
    }
    let more = |part: &Excerpt| part.next.is_some() || !part.entries.is_empty();
    let after = |part: &Excerpt| {
        let rest = part.entries.front().map(|(_, entry)| entry.id.0 - 1);
        let rest = rest.map(|id| id.to_string()).or(part.next.clone());
        rest.unwrap_or_else(|| part.last.to_string())
    };
    let next: Vec<String> = parts.iter().map(after).collect();
    let next = parts.iter().any(more).then(|| next.join("."));
    let lines = lines.into_iter().map(|(.., line)| line).collect();
    Ok((lines, next, seen.withheld.then_some(view::WITHHELD)))
}

/// What is read of one session's transcript for a page.
struct Excerpt {
    /// Those that fit the search, in order, with their times; at most one more than a page has.
    entries: VecDeque<(i64, MatchEntry)>,
    /// The last one that is shown on this page or an earlier one; 0: none.
    last: i64,
    /// The last one that was read, and its time.
    read_up_to: (i64, EntryId),
    /// From where on it was not read.
    next: Option<String>,
}

impl Excerpt {
    /// Reads the one session that is left in `seen`, `most` entries of it, and at least one.
    async fn read(
        visit: &Visit,
        seen: &Seen,
        params: &mut Params<Wanted>,
        most: usize,
    ) -> Result<Self, Problem> {
        let q = visit.value("q").map(str::to_lowercase);
        let limit = q.as_ref().map_or(LINES_MAX + 1, |_| LIMIT_MAX as usize);
        let limit = limit.min(most).max(1);
        params.page.limit = Some(limit as u32);
        let q = q.unwrap_or_default();
        let mut part = Self {
            entries: VecDeque::new(),
            last: params.number()?.unwrap_or_default(),
            read_up_to: (i64::MIN, EntryId(0)),
            next: None,
        };
        for _ in 0..(most / limit).max(1) {
            let listed = seen_page(visit, seen, &params.page()?).await?;
            for entry in listed.items {
                // The clock may have been set back.
                let at_us = part.read_up_to.0.max(entry.at_us);
                part.read_up_to = (at_us, entry.id);
                if part.entries.len() <= LINES_MAX && entry.text.to_lowercase().contains(&q) {
                    part.entries.push_back((at_us, entry));
                }
            }
            part.next = listed.next;
            if part.next.is_none() || part.entries.len() > LINES_MAX {
                break;
            }
            params.page.cursor.clone_from(&part.next);
        }
        Ok(part)
    }
}

fn shown_line(names: &Names, entry: &MatchEntry) -> Line {
    let (mut text, mut rest) = beginning(&entry.text, LINE_BREAKS_MAX, LINE_CHARS_MAX);
    if rest.len() <= REST_CHARS_MAX && rest.trim().lines().count() <= REST_LINES_MAX {
        (text, rest) = (&*entry.text, "");
    }
    Line {
        id: entry.id.0,
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

#[cfg(test)]
mod tests {
    use super::{SeatLine, SeatRow, heading};

    #[test]
    fn a_filler_is_named_only_where_it_won() {
        for (seats, expected) in [
            ("face lost, filler1 won, filler2 lost", "filler1 beat face"),
            ("a lost, b lost, filler won", "filler beat a and b"),
            ("a won, b lost, filler lost", "a beat b"),
            ("face , filler1 , filler2 ", "face against fillers"),
            ("a , b , filler ", "a against b"),
            ("a tied, b tied, c lost", "a and b share the win"),
        ] {
            let seats = seats.split(", ").map(|seat| {
                let (name, outcome) = seat.split_once(' ').unwrap();
                let row = SeatRow {
                    spec: name.trim_end_matches(char::is_numeric).to_owned(),
                    ..SeatRow::default()
                };
                let line = SeatLine {
                    name: name.to_owned(),
                    outcome,
                    ..SeatLine::default()
                };
                (row, line)
            });
            let (rows, lines): (Vec<SeatRow>, Vec<SeatLine>) = seats.unzip();
            assert_eq!(heading("Toy", &rows, &lines), expected);
        }
    }
}
