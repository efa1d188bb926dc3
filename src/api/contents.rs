//! What is in a match, as far as its reader sees it.

use super::problem::Problem;
use super::query::Params;
use super::reader::Reader;
use super::shapes::Listed;
use super::sight::WITHHELD;
use crate::history::{self, Contents, Page, SessionRow};
use crate::store::{MatchRow, StoreError};
use serde::Deserialize;
use utoipa::IntoParams;

/// What is wanted of what is in a match.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only of this seat, from 0.
    #[param(maximum = 255, example = 0)]
    pub seat: Option<u8>,
    /// Only of this session.
    #[param(minimum = 0, example = 1)]
    pub session: Option<i64>,
    /// Only facts of this kind.
    #[param(example = "result")]
    pub kind: Option<String>,
    /// Whether of a pruned match there is nothing; else it is refused.
    #[serde(skip)]
    pub even_pruned: bool,
}

impl Wanted {
    /// All of a match's, as its page shows them.
    pub(super) fn all(id: &str) -> Params<Self> {
        let filters = Self {
            even_pruned: true,
            ..Self::default()
        };
        Params {
            of: vec![id.to_owned()],
            filters,
            ..Params::default()
        }
    }

    /// Whether it is not of one seat or session.
    pub(super) fn is_whole(&self) -> bool {
        self.seat.is_none() && self.session.is_none()
    }

    /// That the match has such a seat and such a session.
    fn check(&self, row: &MatchRow, sessions: &[SessionRow]) -> Result<(), Problem> {
        let absent = |name: &str, given: i64, mut there: Vec<i64>| {
            there.sort_unstable();
            there.dedup();
            let there: Vec<String> = there.iter().map(ToString::to_string).collect();
            let detail = format!("{name} is {given}; the match has {}", there.join(", "));
            Err(Problem::parameter(name, detail, there))
        };
        let seats = row.seats.iter().map(|seat| seat.seat);
        let seats: Vec<i64> = seats
            .chain(sessions.iter().filter_map(|row| row.opened.seat))
            .map(i64::from)
            .collect();
        let ids: Vec<i64> = sessions.iter().map(|row| row.id.0).collect();
        match (self.seat.map(i64::from), self.session) {
            (Some(seat), _) if !seats.contains(&seat) => absent("seat", seat, seats),
            (_, Some(session)) if !ids.contains(&session) => absent("session", session, ids),
            _ => Ok(()),
        }
    }

    /// Whether this session's.
    pub(super) fn has(&self, row: &SessionRow) -> bool {
        self.seat.is_none_or(|seat| row.opened.seat == Some(seat))
            && self.session.is_none_or(|session| row.id.0 == session)
    }
}

/// What is in those sessions of a match that the caller sees and the parameters `seat` and `session` name.
pub(super) struct Seen {
    /// The match.
    pub row: MatchRow,
    /// The sessions, and up to where they are read.
    pub contents: Contents,
    /// Whether there are sessions that the caller does not see.
    pub withheld: bool,
}

impl Seen {
    pub(super) async fn read(reader: &Reader, params: &Params<Wanted>) -> Result<Self, Problem> {
        let id = params.id();
        let row = reader.match_row(id).await?;
        // What is asked wrongly is wrong whatever is kept.
        params.page()?;
        let wanted = &params.filters;
        let mut contents = history::contents(reader.state.store.reader(), id).await?;
        wanted.check(&row, &contents.sessions)?;
        contents.sessions.retain(|row| wanted.has(row));
        let withheld = reader.sight.keep(&mut contents.sessions);
        let pruned = contents.sessions.iter().all(|row| row.pruned);
        if let Some(first) = contents.sessions.first()
            && pruned
            && !wanted.even_pruned
        {
            let session = first.id.0;
            return Err(StoreError::Pruned { session }.into());
        }
        Ok(Self {
            row,
            contents,
            withheld,
        })
    }

    /// A page of it.
    pub(super) fn listed<Row, Item>(
        &self,
        reader: &Reader,
        rows: Page<Row>,
        shown: impl FnMut(Row) -> Item,
    ) -> Listed<Item> {
        Listed {
            withheld: self.withheld.then_some(WITHHELD),
            lasting: reader.sight.is_open(&self.row),
            ..Listed::page(rows, shown)
        }
    }
}
