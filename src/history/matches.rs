//! Reading matches and sessions.

use super::listing::{EXAMINED_MAX, MATCHES, SESSIONS, found};
use super::narrow::BEHIND;
use super::pages::number_before;
use super::records::{Filter, Page, PageAt, SessionRow};
use super::secrecy::{self, OVER};
use crate::store::rows;
use crate::store::sql::{Builder, Row, query_as};
use crate::store::types::{EntryId, MatchRow, SeatRow, SessionId};
use crate::store::{Reader, StoreError};
use games::{Cause, TeamFact};
use serde::Deserialize;

const MATCH_ROWS: &str =
    "SELECT m.id, m.game, m.referee, m.market, m.ours, m.started_us, m.ended_us, m.cause, m.blame,
        m.detail, m.scores, m.setup,
        (SELECT CAST(json_group_array(
             json_array(t.seat, t.spec, t.name, t.entrant, r.score, r.win_share,
                        json_array(q.how, q.turn, q.detail, q.decisions, q.fallback),
                        {behind})
                    ORDER BY t.seat) AS TEXT)
         FROM seats t LEFT JOIN results r ON r.match_id = t.match_id AND r.seat = t.seat
             LEFT JOIN participations q ON q.match_id = t.match_id AND q.seat = t.seat
         WHERE t.match_id = m.id),
        (SELECT CAST(json_object('id', p.tournament, 'name', t.name, 'round', p.round, 'table', p.table_no,
             'number', p.number) AS TEXT)
         FROM tournament_matches p JOIN tournaments t ON t.id = p.tournament WHERE p.match_id = m.id)";

/// How many of the last sessions are searched for ones that ended recently.
const ENDED_WITHIN: i64 = 20_000;

const SESSION_ROWS: &str = "SELECT s.id, s.match_id, s.side, s.game, s.bot, s.referee, s.market, s.player, s.seat, s.seed,
        s.setup, s.durability, s.opened_us, s.last_entry, s.entries, s.ended_us, s.cause, s.detail, s.scores, s.packed IS NOT DISTINCT FROM 2";

const OF_SESSIONS: &str = " FROM sessions s JOIN matches m ON m.id = s.match_id WHERE true";

/// The start of a query for matches, to which conditions on `m` are added.
fn matches_query() -> Builder {
    let mut query = Builder::new(MATCH_ROWS.replace("{behind}", BEHIND));
    query.push(", ").push(OVER);
    query.push(" FROM matches m WHERE true");
    query
}

/// The same for sessions `s` and their matches `m`.
fn sessions_query() -> Builder {
    let mut query = Builder::new(SESSION_ROWS);
    query.push(", ").push(secrecy::ENTRANT);
    query.push(", ").push(OVER).push(OF_SESSIONS);
    query
}

/// Matches, newest first. A page may be shorter than its limit, or empty, although there is a next one: no page
/// examines more than 5,000 rows, and where few of many fit, its cursor leads on from there.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn matches(
    reader: &Reader,
    filter: &Filter,
    at: &PageAt,
) -> Result<Page<MatchRow>, StoreError> {
    let found = found(reader, &MATCHES, filter, at, EXAMINED_MAX).await?;
    let mut query = matches_query();
    query.push(" AND m.id IN (SELECT value FROM json_each(");
    query.push_bind(found.json()).push(")) ORDER BY m.id DESC");
    let rows = query.build().fetch_all(reader.pool()).await?;
    Ok(Page {
        items: rows.iter().map(read_match).collect::<Result<_, _>>()?,
        next: found.next,
    })
}

/// Matches that ended since a moment (microseconds since 1970-01-01 UTC), the last one first; at most `limit`.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn matches_ended(
    reader: &Reader,
    since_us: i64,
    limit: u32,
) -> Result<Vec<MatchRow>, StoreError> {
    let mut query = matches_query();
    query.push(" AND m.ended_us >= ").push_bind(since_us);
    query.push(" ORDER BY m.ended_us DESC LIMIT ");
    query.push_bind(limit);
    let rows = query.build().fetch_all(reader.pool()).await?;
    rows.iter().map(read_match).collect()
}

/// One match.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn match_row(reader: &Reader, id: &str) -> Result<Option<MatchRow>, StoreError> {
    let mut query = matches_query();
    query.push(" AND m.id = ").push_bind(id.to_owned());
    let row = query.build().fetch_optional(reader.pool()).await?;
    row.as_ref().map(read_match).transpose()
}

/// Whether this match is over for everyone.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn is_over(reader: &Reader, id: &str) -> Result<bool, StoreError> {
    let query = format!("SELECT ({OVER}) IS NOT NULL FROM matches m WHERE m.id = $1");
    let over = query_as(query).bind(id.to_owned());
    let over: Option<bool> = over.fetch_optional(reader.pool()).await?;
    Ok(over.unwrap_or(false))
}

/// Unfinished matches of our own referee with this name, oldest first: for start-up.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn unfinished(
    reader: &Reader,
    game: &str,
    referee: &str,
) -> Result<Vec<MatchRow>, StoreError> {
    let mut query = matches_query();
    query
        .push(" AND m.ours = 1 AND m.ended_us IS NULL AND m.game = ")
        .push_bind(game.to_owned())
        .push(" AND m.referee = ")
        .push_bind(referee.to_owned());
    query.push(" ORDER BY m.id");
    let rows = query.build().fetch_all(reader.pool()).await?;
    rows.iter().map(read_match).collect()
}

/// The highest market number of a referee's matches of a game; 0 if there is none.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn last_market(reader: &Reader, game: &str) -> Result<u64, StoreError> {
    let last: i64 = query_as(
        "SELECT coalesce(max(market), 0) FROM matches WHERE ours = 1 AND game = $1 AND market > 0",
    )
    .bind(game.to_owned())
    .fetch_one(reader.pool())
    .await?;
    Ok(last as u64)
}

/// Our own referee's match with this market number.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn match_of_market(
    reader: &Reader,
    game: &str,
    market: u64,
) -> Result<Option<String>, StoreError> {
    Ok(query_as(
        "SELECT id FROM matches WHERE ours = 1 AND game = $1 AND market = $2 ORDER BY id DESC LIMIT 1",
    )
    .bind(game.to_owned())
    .bind(market as i64)
    .fetch_optional(reader.pool())
    .await?)
}

/// Sessions, newest first, in pages like those of matches.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`], [`StoreError::Unknown`] for a bad cursor.
pub async fn sessions(
    reader: &Reader,
    filter: &Filter,
    at: &PageAt,
) -> Result<Page<SessionRow>, StoreError> {
    number_before(at)?;
    let found = found(reader, &SESSIONS, filter, at, EXAMINED_MAX).await?;
    let mut query = sessions_query();
    query.push(" AND s.id IN (SELECT CAST(value AS BIGINT) FROM json_each(");
    query.push_bind(found.json()).push(")) ORDER BY s.id DESC");
    let rows = query.build().fetch_all(reader.pool()).await?;
    let items: Result<_, _> = rows.iter().map(read_session).collect();
    Ok(Page {
        items: items?,
        next: found.next,
    })
}

/// Sessions that ended since a moment (microseconds since 1970-01-01 UTC), among the last 20,000 that
/// were opened: a message to one of them that is repeated after a restart must not open another.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn ended_since(reader: &Reader, since_us: i64) -> Result<Vec<SessionRow>, StoreError> {
    // Start-up waits for it and shows it to no one: secrecy is not looked up.
    let mut query = Builder::new(SESSION_ROWS);
    query.push(", NULL, NULL").push(OF_SESSIONS);
    query
        .push(" AND s.id > (SELECT max(id) FROM sessions) - ")
        .push_bind(ENDED_WITHIN)
        .push(" AND s.ended_us >= ")
        .push_bind(since_us)
        .push(" ORDER BY s.id");
    let rows = query.build().fetch_all(reader.pool()).await?;
    rows.iter().map(read_session).collect()
}

/// One session.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn session(reader: &Reader, id: SessionId) -> Result<Option<SessionRow>, StoreError> {
    let mut query = sessions_query();
    query.push(" AND s.id = ").push_bind(id.0);
    let row = query.build().fetch_optional(reader.pool()).await?;
    row.as_ref().map(read_session).transpose()
}

/// All sessions of a match, in the order in which they were opened.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn sessions_of(reader: &Reader, match_id: &str) -> Result<Vec<SessionRow>, StoreError> {
    let mut query = sessions_query();
    query
        .push(" AND s.match_id = ")
        .push_bind(match_id.to_owned())
        .push(" ORDER BY s.id");
    let rows = query.build().fetch_all(reader.pool()).await?;
    rows.iter().map(read_session).collect()
}

/// Sessions that played in one team with this one in one game: with each one's player number, ordered by
/// it. `fact` identifies it in games whose players learn their allies during play.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn team_of(
    reader: &Reader,
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
        "SELECT id, mate FROM (SELECT s.id, CAST(json_extract(f.data, '$.{player}') AS BIGINT) AS mate,
             row_number() OVER (PARTITION BY json_extract(f.data, '$.{player}')
                                ORDER BY abs(s.opened_us - us.opened_us), s.id) AS place
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
    let mut query = Builder::new(text);
    query.push_bind(id.0);
    query.push(format!(
        " AND own.kind = '{kind}'
             AND json_extract(own.data, '$.{player}') != json_extract(f.data, '$.{player}')
         ) found WHERE place = 1 ORDER BY mate LIMIT {TEAM_MAX}"
    ));
    let rows = query.build().fetch_all(reader.pool()).await?;
    let mates = rows
        .iter()
        .map(|row| Ok((SessionId(row.try_get(0)?), row.try_get(1)?)));
    mates.collect()
}

/// The maximum number of sessions shown as one team.
const TEAM_MAX: i64 = 100;

fn read_match(row: &Row) -> Result<MatchRow, StoreError> {
    Ok(MatchRow {
        id: row.try_get(0)?,
        game: row.try_get(1)?,
        referee: row.try_get(2)?,
        market: row.try_get::<i64>(3)? as u64,
        ours: row.try_get(4)?,
        started_us: row.try_get(5)?,
        ended_us: row.try_get(6)?,
        cause: cause(row.try_get(7)?)?,
        blame: rows::seat(row.try_get(8)?)?,
        detail: row.try_get::<Option<String>>(9)?.unwrap_or_default(),
        scores: row
            .try_get::<Option<&str>>(10)?
            .map_or(Ok(Vec::new()), rows::json)?,
        setup: rows::json(row.try_get(11)?)?,
        over_us: row.try_get(14)?,
        seats: seats(row.try_get(12)?)?,
        tournament: row
            .try_get::<Option<&str>>(13)?
            .map(rows::json)
            .transpose()?,
    })
}

/// A seat as [`MATCH_ROWS`] gives it.
#[derive(Deserialize)]
struct Seated {
    seat: u8,
    spec: String,
    name: Option<String>,
    entrant: Option<String>,
    score: Option<i64>,
    win_share: Option<f64>,
    part: rows::Part,
    bot: Option<String>,
}

fn seats(text: Option<&str>) -> Result<Vec<SeatRow>, StoreError> {
    let seats: Vec<Seated> = text.map_or(Ok(Vec::new()), rows::json)?;
    let seats = seats.into_iter().map(|seated| SeatRow {
        seat: seated.seat,
        spec: seated.spec,
        name: seated.name,
        entrant: seated.entrant,
        score: seated.score,
        win_share: seated.win_share,
        participation: seated.part.into(),
        bot: seated.bot,
        number: None,
    });
    Ok(seats.collect())
}

fn read_session(row: &Row) -> Result<SessionRow, StoreError> {
    Ok(SessionRow {
        id: SessionId(row.try_get(0)?),
        opened: rows::opened(row)?,
        opened_us: row.try_get(12)?,
        last_entry: row.try_get::<Option<i64>>(13)?.map(EntryId),
        entries: row.try_get::<Option<i64>>(14)?.map(|count| count as u64),
        ended_us: row.try_get(15)?,
        cause: cause(row.try_get(16)?)?,
        detail: row.try_get::<Option<String>>(17)?.unwrap_or_default(),
        scores: row
            .try_get::<Option<&str>>(18)?
            .map_or(Ok(Vec::new()), rows::json)?,
        pruned: row.try_get(19)?,
        secrecy: secrecy::read(row, 2, 4, 20)?,
    })
}

fn cause(word: Option<&str>) -> Result<Option<Cause>, StoreError> {
    word.map(rows::cause).transpose()
}
