//! Reading matches and sessions.

use super::error::StoreError;
use super::handle::Store;
use super::pages::{cut, number_before};
use super::records::{Filter, MatchRow, Page, PageAt, SessionRow, Standing};
use super::rows;
use super::secrecy;
use super::types::{EntryId, NewMatch, NewSeat, SessionId};
use games::{Cause, TeamFact};
use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row as _, Sqlite};

const MATCHES: &str =
    "SELECT m.id, m.game, m.referee, m.market, m.ours, m.started_us, m.ended_us, m.cause, m.blame,
        m.detail, m.scores, m.setup,
        (SELECT json_group_array(json_object('seat', t.seat, 'spec', t.spec, 'name', t.name,
                                             'entrant', t.entrant, 'score', r.score, 'win_share', r.win_share))
         FROM seats t LEFT JOIN results r ON r.match_id = t.match_id AND r.seat = t.seat
         WHERE t.match_id = m.id),
        (SELECT json_object('id', p.tournament, 'round', p.round, 'table', p.table_no, 'number', p.number)
         FROM tournament_matches p WHERE p.match_id = m.id)";

/// How many of the last sessions are searched for ones that ended recently.
const ENDED_WITHIN: i64 = 20_000;

const SESSIONS: &str = "SELECT s.id, s.match_id, s.side, s.game, s.bot, s.referee, s.market, s.player, s.seat, s.seed,
        s.setup, s.durability, s.opened_us, s.last_entry, s.entries, s.ended_us, s.cause, s.detail, s.scores";

const OF_SESSIONS: &str = " FROM sessions s JOIN matches m ON m.id = s.match_id WHERE true";

/// The start of a query for matches, to which conditions on `m` are added.
fn matches() -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(MATCHES);
    query.push(", ").push(secrecy::OVER);
    query.push(" FROM matches m WHERE true");
    query
}

/// The same for sessions `s` and their matches `m`.
fn sessions() -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(SESSIONS);
    query.push(", ").push(secrecy::ENTRANT);
    query.push(", ").push(secrecy::OVER).push(OF_SESSIONS);
    query
}

impl Store {
    /// Matches, newest first.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn matches(
        &self,
        filter: &Filter,
        at: &PageAt,
    ) -> Result<Page<MatchRow>, StoreError> {
        let mut query = matches();
        if let Some(after) = &at.after {
            query.push(" AND m.id < ").push_bind(after.clone());
        }
        narrow(&mut query, filter, &MATCH_COLUMNS);
        query
            .push(" ORDER BY m.id DESC LIMIT ")
            .push_bind(i64::from(at.limit) + 1);
        let rows = query.build().fetch_all(self.readers()).await?;
        let matches = rows.iter().map(match_row).collect::<Result<Vec<_>, _>>()?;
        Ok(cut(matches, at, |row| row.id.clone()))
    }

    /// One match.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn match_row(&self, id: &str) -> Result<Option<MatchRow>, StoreError> {
        let mut query = matches();
        query.push(" AND m.id = ").push_bind(id.to_owned());
        let row = query.build().fetch_optional(self.readers()).await?;
        row.as_ref().map(match_row).transpose()
    }

    /// A match's row as it was opened, with the current names of its seats.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn opened_match(&self, id: &str) -> Result<Option<NewMatch>, StoreError> {
        let mut query = matches();
        query.push(" AND m.id = ").push_bind(id.to_owned());
        let row = query.build().fetch_optional(self.readers()).await?;
        row.as_ref().map(opened_match).transpose()
    }

    /// Unfinished matches of our own referee with this name, oldest first: for start-up.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn unfinished(&self, game: &str, referee: &str) -> Result<Vec<NewMatch>, StoreError> {
        let mut query = matches();
        query
            .push(" AND m.ours = 1 AND m.ended_us IS NULL AND m.game = ")
            .push_bind(game.to_owned())
            .push(" AND m.referee = ")
            .push_bind(referee.to_owned());
        query.push(" ORDER BY m.id");
        let rows = query.build().fetch_all(self.readers()).await?;
        rows.iter().map(opened_match).collect()
    }

    /// The highest market number of a referee's matches of a game; 0 if there is none.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn last_market(&self, game: &str) -> Result<u64, StoreError> {
        let last: i64 = sqlx::query_scalar(
            "SELECT coalesce(max(market), 0) FROM matches WHERE ours = 1 AND game = ? AND market > 0",
        )
        .bind(game.to_owned())
        .fetch_one(self.readers())
        .await?;
        Ok(last as u64)
    }

    /// Our own referee's match with this market number.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn match_of_market(
        &self,
        game: &str,
        market: u64,
    ) -> Result<Option<String>, StoreError> {
        Ok(sqlx::query_scalar(
            "SELECT id FROM matches WHERE ours = 1 AND game = ? AND market = ? ORDER BY id DESC LIMIT 1",
        )
        .bind(game.to_owned())
        .bind(market as i64)
        .fetch_optional(self.readers())
        .await?)
    }

    /// Sessions, newest first.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`], [`StoreError::Unknown`] for a bad cursor.
    pub async fn sessions(
        &self,
        filter: &Filter,
        at: &PageAt,
    ) -> Result<Page<SessionRow>, StoreError> {
        let mut query = sessions();
        query.push(" AND s.id < ").push_bind(number_before(at)?);
        narrow(&mut query, filter, &SESSION_COLUMNS);
        query
            .push(" ORDER BY s.id DESC LIMIT ")
            .push_bind(i64::from(at.limit) + 1);
        let rows = query.build().fetch_all(self.readers()).await?;
        let sessions = rows
            .iter()
            .map(session_row)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(cut(sessions, at, |row| row.id.0.to_string()))
    }

    /// Sessions that ended since a moment (microseconds since 1970-01-01 UTC), among the last 20,000 that
    /// were opened: a message to one of them that is repeated after a restart must not open another.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn ended_since(&self, since_us: i64) -> Result<Vec<SessionRow>, StoreError> {
        // Start-up waits for it and shows it to no one: secrecy is not looked up.
        let mut query = QueryBuilder::new(SESSIONS);
        query.push(", NULL, NULL").push(OF_SESSIONS);
        query
            .push(" AND s.id > (SELECT max(id) FROM sessions) - ")
            .push_bind(ENDED_WITHIN)
            .push(" AND s.ended_us >= ")
            .push_bind(since_us)
            .push(" ORDER BY s.id");
        let rows = query.build().fetch_all(self.readers()).await?;
        rows.iter().map(session_row).collect()
    }

    /// One session.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn session(&self, id: SessionId) -> Result<Option<SessionRow>, StoreError> {
        let mut query = sessions();
        query.push(" AND s.id = ").push_bind(id.0);
        let row = query.build().fetch_optional(self.readers()).await?;
        row.as_ref().map(session_row).transpose()
    }

    /// All sessions of a match, in the order in which they were opened.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn sessions_of(&self, match_id: &str) -> Result<Vec<SessionRow>, StoreError> {
        let mut query = sessions();
        query
            .push(" AND s.match_id = ")
            .push_bind(match_id.to_owned())
            .push(" ORDER BY s.id");
        let rows = query.build().fetch_all(self.readers()).await?;
        rows.iter().map(session_row).collect()
    }

    /// Sessions that played in one team with this one in one game: with each one's player number, ordered by
    /// it. `fact` identifies it in games whose players learn their allies during play.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn team_of(
        &self,
        id: SessionId,
        fact: &TeamFact,
    ) -> Result<Vec<(SessionId, u32)>, StoreError> {
        // The same game may be played twice: its sessions are open at the same time, and of several sessions
        // of one player, the one opened closest to this one counts.
        // The words are literals in the text, so that an index on such facts can be used.
        let TeamFact {
            kind,
            table,
            player,
            allies,
        } = fact;
        let text = format!(
            "SELECT s.id, json_extract(f.data, '$.{player}') AS mate, min(abs(s.opened_us - us.opened_us))
             FROM facts own
             JOIN sessions us ON us.id = own.session
             JOIN facts f ON f.kind = '{kind}'
                 AND json_extract(f.data, '$.{table}') = json_extract(own.data, '$.{table}')
             JOIN sessions s ON s.id = f.session AND s.game = us.game AND s.side = us.side
                 AND s.opened_us <= coalesce(us.ended_us, s.opened_us)
                 AND us.opened_us <= coalesce(s.ended_us, us.opened_us)
             JOIN json_each(own.data, '$.{allies}') ally
                 ON ally.value = json_extract(f.data, '$.{player}')
             WHERE own.session = "
        );
        let mut query = QueryBuilder::new(text);
        query.push_bind(id.0);
        query.push(format!(
            " AND own.kind = '{kind}'
                 AND json_extract(own.data, '$.{player}') != json_extract(f.data, '$.{player}')
             GROUP BY mate ORDER BY mate LIMIT {TEAM_MAX}"
        ));
        let rows = query.build().fetch_all(self.readers()).await?;
        let mates = rows
            .iter()
            .map(|row| Ok((SessionId(row.try_get(0)?), row.try_get(1)?)));
        mates.collect()
    }
}

/// The maximum number of sessions shown as one team.
const TEAM_MAX: i64 = 100;

/// Which columns of a list's rows filters refer to.
struct Columns {
    game: &'static str,
    /// A condition on a session `x` that must hold besides its match being `m`.
    session: &'static str,
    time: &'static str,
    ended: &'static str,
    cause: &'static str,
}

const MATCH_COLUMNS: Columns = Columns {
    game: "m.game",
    session: "true",
    time: "m.started_us",
    ended: "m.ended_us",
    cause: "m.cause",
};

const SESSION_COLUMNS: Columns = Columns {
    game: "s.game",
    session: "x.id = s.id",
    time: "s.opened_us",
    ended: "s.ended_us",
    cause: "s.cause",
};

fn narrow(query: &mut QueryBuilder<Sqlite>, filter: &Filter, columns: &Columns) {
    if let Some(game) = &filter.game {
        query
            .push(format_args!(" AND {} = ", columns.game))
            .push_bind(game.clone());
    }
    if let Some(match_id) = &filter.match_id {
        query.push(" AND m.id = ").push_bind(match_id.clone());
    }
    if let Some(since) = filter.since_us {
        query
            .push(format_args!(" AND {} >= ", columns.time))
            .push_bind(since);
    }
    if let Some(until) = filter.until_us {
        query
            .push(format_args!(" AND {} < ", columns.time))
            .push_bind(until);
    }
    if let Some(cause) = filter.cause {
        query
            .push(format_args!(" AND {} = ", columns.cause))
            .push_bind(cause.word());
    }
    if let Some(live) = filter.live {
        // Literal, so that the index of live rows can be used.
        let state = if live { "IS NULL" } else { "IS NOT NULL" };
        query.push(format_args!(" AND {} {state}", columns.ended));
    }
    if let Some(referee) = &filter.referee {
        query.push(" AND m.referee = ").push_bind(referee.clone());
    }
    if let Some(market) = filter.market {
        query.push(" AND m.market = ").push_bind(market as i64);
    }
    if let Some(over_by_us) = filter.over_by_us {
        query.push(format_args!(" AND ({}) <= ", secrecy::OVER));
        query.push_bind(over_by_us);
    }
    if let Some(side) = filter.side {
        query
            .push(" AND EXISTS (SELECT 1 FROM sessions x WHERE x.match_id = m.id AND ")
            .push(columns.session)
            .push(" AND x.side = ")
            .push_bind(side.word())
            .push(")");
    }
    if let Some(opponent) = &filter.opponent {
        query
            .push(" AND m.id IN (SELECT t.match_id FROM seats t WHERE t.name = ")
            .push_bind(opponent.clone())
            .push(")");
    }
    if let Some(tournament) = &filter.tournament {
        query
            .push(" AND m.id IN (SELECT p.match_id FROM tournament_matches p WHERE p.tournament = ")
            .push_bind(tournament.clone())
            .push(")");
    }
    if let Some(entrant) = &filter.entrant {
        query
            .push(" AND m.id IN (SELECT t.match_id FROM seats t WHERE t.entrant = ")
            .push_bind(entrant.clone())
            .push(")");
    }
    narrow_ours(query, filter, columns);
}

/// A session `x`'s win share: from the match's result, or where its seat is unknown from the scores that the
/// session itself received, own first. NULL without scores.
pub(super) const WIN_SHARE: &str = "coalesce(
    (SELECT r.win_share FROM results r WHERE r.match_id = x.match_id AND r.seat = x.seat),
    (SELECT CASE WHEN max(j.value) > (x.scores ->> 0) THEN 0.0
                 ELSE 1.0 / sum(j.value = (x.scores ->> 0)) END FROM json_each(x.scores) j))";

/// Filters on our own seats: which bot, and how the match ended for it.
fn narrow_ours(query: &mut QueryBuilder<Sqlite>, filter: &Filter, columns: &Columns) {
    let share = match filter.outcome {
        Some(Standing::Live) => {
            query.push(" AND ").push(columns.ended).push(" IS NULL");
            None
        }
        Some(Standing::Won) => Some(" = 1"),
        Some(Standing::Tied) => Some(" BETWEEN 0.001 AND 0.999"),
        Some(Standing::Lost) => Some(" = 0"),
        None => None,
    };
    if share.is_none() && filter.bot.is_none() {
        return;
    }
    query
        .push(" AND EXISTS (SELECT 1 FROM sessions x WHERE x.match_id = m.id AND ")
        .push(columns.session);
    if let Some(share) = share {
        query.push(" AND ").push(WIN_SHARE).push(share);
    }
    match &filter.bot {
        Some(bot) => {
            query.push(" AND x.bot IN (").push_bind(bot.clone());
            query
                .push(", ")
                .push_bind(format!("builtin:{bot}"))
                .push(")");
        }
        None => {
            query.push(" AND x.side = 'player'");
        }
    }
    query.push(")");
}

fn match_row(row: &SqliteRow) -> Result<MatchRow, StoreError> {
    Ok(MatchRow {
        id: row.try_get(0)?,
        game: row.try_get(1)?,
        referee: row.try_get(2)?,
        market: row.try_get::<i64, _>(3)? as u64,
        ours: row.try_get(4)?,
        started_us: row.try_get(5)?,
        ended_us: row.try_get(6)?,
        cause: cause(row.try_get(7)?)?,
        blame: rows::seat(row.try_get(8)?)?,
        detail: row.try_get::<Option<String>, _>(9)?.unwrap_or_default(),
        scores: row
            .try_get::<Option<&str>, _>(10)?
            .map_or(Ok(Vec::new()), rows::json)?,
        setup: rows::json(row.try_get(11)?)?,
        over_us: row.try_get(14)?,
        seats: rows::json(row.try_get(12)?)?,
        tournament: row
            .try_get::<Option<&str>, _>(13)?
            .map(rows::json)
            .transpose()?,
    })
}

fn opened_match(row: &SqliteRow) -> Result<NewMatch, StoreError> {
    let shown = match_row(row)?;
    let mut seats = Vec::with_capacity(shown.seats.len());
    for seat in shown.seats {
        seats.push(NewSeat {
            seat: seat.seat,
            spec: seat.spec,
            name: seat.name,
            entrant: seat.entrant,
        });
    }
    Ok(NewMatch {
        id: shown.id,
        game: shown.game,
        referee: shown.referee,
        market: shown.market,
        ours: shown.ours,
        started_us: shown.started_us,
        setup: shown.setup,
        seats,
    })
}

fn session_row(row: &SqliteRow) -> Result<SessionRow, StoreError> {
    Ok(SessionRow {
        id: SessionId(row.try_get(0)?),
        opened: rows::opened(row)?,
        opened_us: row.try_get(12)?,
        last_entry: row.try_get::<Option<i64>, _>(13)?.map(EntryId),
        entries: row.try_get::<Option<i64>, _>(14)?.map(|count| count as u64),
        ended_us: row.try_get(15)?,
        cause: cause(row.try_get(16)?)?,
        detail: row.try_get::<Option<String>, _>(17)?.unwrap_or_default(),
        scores: row
            .try_get::<Option<&str>, _>(18)?
            .map_or(Ok(Vec::new()), rows::json)?,
        secrecy: secrecy::read(row, (2, 4), 19)?,
    })
}

fn cause(word: Option<&str>) -> Result<Option<Cause>, StoreError> {
    word.map(rows::cause).transpose()
}
