//! One match: who played, how it ended and why, and behind tabs what happened, what was decided, everything that was
//! said, and what it was started from. Only the tab that is open is read.

use super::about::About;
use super::decisions::{Decisions, is_ours, why};
use super::facts::FactsShown;
use super::filters::{query, to_player};
use super::layout::{Shell, shown};
use super::programs::{self, ProgramRow};
use super::stage::Position;
use super::transcript::TranscriptShown;
use super::view::{self, MatchLine, SeatLine, line, now};
use super::visit::Visit;
use crate::api::matches::{self, MatchShown};
use crate::api::problem::Problem;
use crate::api::replays::Opening;
use crate::api::sessions::SessionShown;
use crate::history;
use crate::replay::seat_names;
use crate::store::{SeatRow, Side};
use askama::Template;
use axum::extract::Path;
use axum::response::Response;
use games::scene::Names;
use games::sentence::listed;

/// What the page's address may hold besides the match.
const NAMES: &[&str] = &[
    "tab", "session", "q", "kind", "by", "cursor", "step", "turn", "view", "entry", "seat", "sort",
];
/// Players up to which a heading names all who did not win.
const NAMED_MAX: usize = 3;

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
    transcript: TranscriptShown,
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
        transcript: read.transcript,
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
    transcript: TranscriptShown,
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
            Tab::Transcript => {
                read.transcript = TranscriptShown::read(visit, found, names).await?;
                read.unseen = read.transcript.withheld;
            }
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
