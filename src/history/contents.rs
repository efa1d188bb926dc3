//! Reading the contents of matches: entries, facts, bluffs.

use super::matches::sessions_of;
use super::pages::{cut, number_after, number_before};
use super::records::{BluffRow, FactRow, Filter, MatchEntry, Page, PageAt, SessionRow};
use super::secrecy;
use crate::store::log::Head;
use crate::store::sql::{Builder, Row, query, query_as};
use crate::store::types::{Entry, EntryId, SessionId};
use crate::store::{Heads, Reader, StoreError, log, rows, startup, transcript};
use serde_json::json;

/// Bluffs that are examined for one page: after as many that do not fit, it is shorter than its limit.
const BLUFFS_LOOKED_MAX: i64 = 4096;

/// The maximum number of facts read of one match.
const FACTS_MAX: i64 = 100_000;

const FACTS: &str = "SELECT f.id, f.session, s.seat, s.bot, f.entry, f.kind, f.data,
        (SELECT coalesce(n.entrant, n.name) FROM seats n WHERE n.match_id = s.match_id AND n.seat = s.seat)
    FROM sessions s JOIN facts f ON f.session = s.id";

const BLUFFS: &str = "SELECT b.id, s.match_id, s.game, b.session, s.bot, b.entry, b.at_us, b.by,
        t.seat, t.name, b.bid, b.held, b.caught, s.side, ";

/// Whether no more is known of what the bluff `b` of the session `s` claimed than that it was at least so much: the
/// fact behind it says so, or has been pruned with a transcript that was not the bluffer's.
pub(super) const AT_LEAST: &str = "iif(s.packed = 2, s.side = 'player' AND b.place IS DISTINCT FROM 0, EXISTS (
    SELECT 1 FROM facts f WHERE f.session = b.session AND f.entry IS NOT DISTINCT FROM b.entry AND f.data ->> 'by' = b.by
        AND f.data ->> 'bid' IS NULL AND f.data ->> 'bid_at_least' IS NOT NULL))";

const OF_BLUFFS: &str =
    " FROM bluffs b JOIN sessions s ON s.id = b.session JOIN matches m ON m.id = s.match_id
    LEFT JOIN seats t ON t.match_id = s.match_id AND t.seat =
        (s.seat + b.place) % (SELECT count(*) FROM seats n WHERE n.match_id = s.match_id)
    WHERE true";

/// Whether a bluff `b` of a session `s` is in no better one: several of our sessions may have seen it.
/// The bluffer's own knows what was bid and held; where our referee recorded the seat, that is its transcript.
/// Of others, who know the bluffer only from their own seats, the first counts.
pub(super) const ONCE: &str = "NOT EXISTS (
    SELECT 1 FROM sessions o WHERE o.match_id = s.match_id AND o.id <> s.id AND o.ended_us IS NOT NULL
        AND o.seat = (s.seat + b.place) % (SELECT count(*) FROM seats n WHERE n.match_id = s.match_id)
        AND (b.place <> 0 OR o.side = 'referee'))
    AND NOT EXISTS (
        SELECT 1 FROM sessions o JOIN bluffs e ON e.session = o.id
        WHERE b.place <> 0 AND o.match_id = s.match_id AND o.id < s.id AND e.caught = b.caught
            AND abs(e.at_us - b.at_us) <= 2000000
            AND (o.seat + e.place - s.seat - b.place)
                % (SELECT count(*) FROM seats n WHERE n.match_id = s.match_id) = 0)";

/// What can be read of a match: of what is committed while it is read, nothing, so that no page skips what precedes
/// its last row.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Its sessions; others are left out by removing them.
    pub sessions: Vec<SessionRow>,
    /// The store's last entry and last fact from before the sessions were read: what is later may be of others.
    entry: EntryId,
    fact: i64,
    /// The sessions of which there may be entries that are wanted, with their last ones; `None`: all.
    grown: Option<Heads>,
}

impl Contents {
    /// Of its entries only those up to these heads will be read. Sessions that are not among them are not looked at.
    pub fn read_up_to(&mut self, heads: Heads) {
        self.grown = Some(heads);
    }
}

/// The last entry's and the last fact's number.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn last_numbers(reader: &Reader) -> Result<(EntryId, i64), StoreError> {
    let mut connection = reader.pool().acquire().await?;
    let entry = EntryId(startup::last_entry(&mut connection).await?);
    if connection.is_postgres() {
        return Ok((entry, entry.0));
    }
    let fact = query_as("SELECT coalesce(max(id), 0) FROM facts");
    Ok((entry, fact.fetch_one(&mut connection).await?))
}

/// The number of the last entry and of the last fact of these sessions.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn last_numbers_of(
    reader: &Reader,
    sessions: &[SessionRow],
) -> Result<(EntryId, i64), StoreError> {
    let mut last = EntryId(0);
    for session in sessions {
        let head = head(reader, session).await?;
        last = last.max(head.map_or(last, |(entry, _)| entry));
    }
    let sessions: Vec<_> = sessions.iter().map(|session| session.id).collect();
    let fact = query_as(
        "SELECT coalesce(max(id), 0) FROM facts WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1))",
    )
    .bind(json!(sessions).to_string());
    Ok((last, fact.fetch_one(reader.pool()).await?))
}

/// A session's last entry and its number of entries; `None` if it has none.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn head(
    reader: &Reader,
    session: &SessionRow,
) -> Result<Option<(EntryId, u64)>, StoreError> {
    if session.ended_us.is_some() {
        return Ok(session.last_entry.zip(session.entries));
    }
    // In one transaction: it may have ended since its row was read, and the stored heads are of live ones.
    let mut transaction = reader.pool().reading().await?;
    let ended: Option<(Option<i64>, Option<i64>)> =
        query_as("SELECT last_entry, entries FROM sessions WHERE id = $1 AND ended_us IS NOT NULL")
            .bind(session.id.0)
            .fetch_optional(&mut transaction)
            .await?;
    let head = match ended {
        Some((last, count)) => last.zip(count.map(|count| count as u64)),
        None => startup::head(&mut transaction, session.id)
            .await?
            .map(|Head { entry, count, .. }| (entry, count)),
    };
    transaction.commit().await?;
    Ok(head.map(|(last, count)| (EntryId(last), count)))
}

/// A session's transcript up to `head`, oldest first, from the log or from where it was packed.
///
/// # Errors
/// [`StoreError::Read`]; [`StoreError::Corrupt`] if `head` is not in this session or a link is broken.
pub async fn transcript(
    reader: &Reader,
    session: SessionId,
    head: EntryId,
) -> Result<Vec<Entry>, StoreError> {
    let mut connection = reader.folders().acquire().await?;
    transcript::read(&mut connection, session, head).await
}

/// All of a session's transcript so far, oldest first.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn whole_transcript(
    reader: &Reader,
    session: &SessionRow,
) -> Result<Vec<Entry>, StoreError> {
    match head(reader, session).await? {
        Some((head, _)) => transcript(reader, session.id, head).await,
        None => Ok(Vec::new()),
    }
}

/// A match's sessions, of which the entries and facts up to now can be read.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn contents(reader: &Reader, match_id: &str) -> Result<Contents, StoreError> {
    let (entry, fact) = last_numbers(reader).await?;
    let sessions = sessions_of(reader, match_id).await?;
    Ok(Contents {
        sessions,
        entry,
        fact,
        grown: None,
    })
}

/// A match's transcripts as one list, in the order in which they were committed; pruned ones are left out.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn entries(reader: &Reader, of: &Contents) -> Result<Vec<MatchEntry>, StoreError> {
    let mut all = Vec::new();
    for session in &of.sessions {
        let Some((head, _)) = head(reader, session).await? else {
            continue;
        };
        let mut connection = reader.pool().acquire().await?;
        let entries = match transcript::read(&mut connection, session.id, head).await {
            Err(StoreError::Pruned { .. }) => continue,
            read => read?,
        };
        for entry in entries {
            all.push(MatchEntry::new(session, entry));
        }
    }
    all.retain(|entry| entry.id <= of.entry);
    all.sort_unstable_by_key(|entry| entry.id);
    Ok(all)
}

/// A page of what [`entries`] gives. Its cursor is an entry's number. Holds one session's transcript
/// at a time besides the page.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`], [`StoreError::Unknown`] for a bad cursor.
pub async fn entries_page(
    reader: &Reader,
    of: &Contents,
    at: &PageAt,
) -> Result<Page<MatchEntry>, StoreError> {
    let after = number_after(at)?;
    let most = at.limit as usize + 1;
    let mut found: Vec<MatchEntry> = Vec::new();
    for session in &of.sessions {
        let head = match &of.grown {
            Some(grown) => grown.get(&session.id).copied(),
            None => head(reader, session).await?,
        };
        let Some((head, count)) = head else {
            continue;
        };
        if head.0 <= after {
            continue;
        }
        let mut connection = reader.pool().acquire().await?;
        let part = log::Part {
            head,
            count,
            after,
            most,
        };
        let entries = match transcript::read_part(&mut connection, session.id, &part).await {
            Err(StoreError::Pruned { .. }) => continue,
            read => read?,
        };
        let entries = entries.into_iter().filter(|entry| entry.id <= of.entry);
        found.extend(entries.map(|entry| MatchEntry::new(session, entry)));
        found.sort_unstable_by_key(|entry| entry.id);
        found.truncate(most);
    }
    Ok(cut(found, at, |entry| entry.id.0.to_string()))
}

/// A page of a match's facts, in order; of one kind, if it is given. Its cursor is a fact's number.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`], [`StoreError::Unknown`] for a bad cursor.
pub async fn facts_page(
    reader: &Reader,
    of: &Contents,
    kind: Option<&str>,
    at: &PageAt,
) -> Result<Page<FactRow>, StoreError> {
    let sessions: Vec<_> = of.sessions.iter().map(|session| session.id).collect();
    let mut query = Builder::new(FACTS);
    query
        .push(" WHERE f.session IN (SELECT CAST(value AS BIGINT) FROM json_each(")
        .push_bind(json!(sessions).to_string())
        .push(")) AND f.id > ")
        .push_bind(number_after(at)?)
        .push(" AND f.id <= ")
        .push_bind(of.fact);
    if let Some(kind) = kind {
        query.push(" AND f.kind = ").push_bind(kind.to_owned());
    }
    query
        .push(" ORDER BY f.id LIMIT ")
        .push_bind(i64::from(at.limit) + 1);
    let rows = query.build().fetch_all(reader.pool()).await?;
    let facts = rows.iter().map(fact).collect::<Result<Vec<_>, _>>()?;
    Ok(cut(facts, at, |fact| fact.id.to_string()))
}

/// A match's facts, in order.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn facts(reader: &Reader, match_id: &str) -> Result<Vec<FactRow>, StoreError> {
    let mut query = Builder::new(FACTS);
    query
        .push(" WHERE s.match_id = ")
        .push_bind(match_id.to_owned())
        .push(" ORDER BY f.id LIMIT ")
        .push_bind(FACTS_MAX);
    let rows = query.build().fetch_all(reader.pool()).await?;
    rows.iter().map(fact).collect()
}

/// Whether a session has a fact of this kind.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn has_fact(reader: &Reader, session: SessionId, kind: &str) -> Result<bool, StoreError> {
    let row = query("SELECT 1 FROM facts WHERE session = $1 AND kind = $2 LIMIT 1")
        .bind(session.0)
        .bind(kind.to_owned())
        .fetch_optional(reader.pool())
        .await?;
    Ok(row.is_some())
}

/// The bluff history, newest first, each bluff once. A page may be shorter than its limit although there is a
/// next one.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`], [`StoreError::Unknown`] for a bad cursor.
pub async fn bluffs(
    reader: &Reader,
    filter: &Filter,
    at: &PageAt,
) -> Result<Page<BluffRow>, StoreError> {
    let before = number_before(at)?;
    let least: Option<i64> =
        query_as("SELECT id FROM bluffs WHERE id < $1 ORDER BY id DESC LIMIT 1 OFFSET $2")
            .bind(before)
            .bind(BLUFFS_LOOKED_MAX)
            .fetch_optional(reader.pool())
            .await?;
    let bounds = Bounds {
        above: least.unwrap_or(0),
        below: before,
        direction: "DESC",
        limit: at.limit + 1,
    };
    let page = cut(bluffs_between(reader, filter, bounds).await?, at, |bluff| {
        bluff.id.to_string()
    });
    Ok(Page {
        next: page.next.or(least.map(|least| (least + 1).to_string())),
        ..page
    })
}

/// The next bluffs that were stored after the one with this number, the first first, and the number up to which
/// there are no others.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn bluffs_after(
    reader: &Reader,
    filter: &Filter,
    after: i64,
    limit: u32,
) -> Result<(Vec<BluffRow>, i64), StoreError> {
    let mut connection = reader.pool().acquire().await?;
    let upto = startup::horizon(&mut connection).await?;
    let last: Option<i64> = query_as(
        "SELECT max(id) FROM (SELECT id FROM bluffs WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3) AS later",
    )
    .bind(after)
    .bind(upto)
    .bind(BLUFFS_LOOKED_MAX)
    .fetch_one(&mut connection)
    .await?;
    let Some(last) = last else {
        return Ok((Vec::new(), after));
    };
    let bounds = Bounds {
        above: after,
        below: last + 1,
        direction: "",
        limit,
    };
    let bluffs = bluffs_between(reader, filter, bounds).await?;
    let full = bluffs.len() == limit as usize;
    let upto = bluffs.last().filter(|_| full).map(|bluff| bluff.id);
    Ok((bluffs, upto.unwrap_or(last)))
}

/// The number of the newest bluff; 0 if there is none.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn last_bluff(reader: &Reader) -> Result<i64, StoreError> {
    let mut connection = reader.pool().acquire().await?;
    let upto = startup::horizon(&mut connection).await?;
    let last = query_as("SELECT coalesce(max(id), 0) FROM bluffs WHERE id <= $1");
    Ok(last.bind(upto).fetch_one(&mut connection).await?)
}

/// Which bluffs by their numbers.
struct Bounds {
    above: i64,
    below: i64,
    /// `DESC`, or empty.
    direction: &'static str,
    limit: u32,
}

/// Bluffs within these bounds.
async fn bluffs_between(
    reader: &Reader,
    filter: &Filter,
    bounds: Bounds,
) -> Result<Vec<BluffRow>, StoreError> {
    let mut query = Builder::new(BLUFFS);
    query.push(AT_LEAST).push(", ").push(secrecy::ENTRANT);
    query.push(", ").push(secrecy::OVER).push(OF_BLUFFS);
    query.push(" AND b.id < ").push_bind(bounds.below);
    query.push(" AND b.id > ").push_bind(bounds.above);
    let bot = filter.bot.as_deref().map(|bot| bot.replace("builtin:", ""));
    let texts = [
        (" AND s.game = ", &filter.game),
        (" AND replace(s.bot, 'builtin:', '') = ", &bot),
        (" AND s.match_id = ", &filter.match_id),
        (" AND t.name = ", &filter.opponent),
        (" AND b.by = ", &filter.by),
    ];
    for (condition, wanted) in texts {
        if let Some(wanted) = wanted {
            query.push(condition).push_bind(wanted.clone());
        }
    }
    if let Some(since) = filter.since_us {
        query.push(" AND b.at_us >= ").push_bind(since);
    }
    if let Some(until) = filter.until_us {
        query.push(" AND b.at_us < ").push_bind(until);
    }
    if let Some(caught) = filter.caught {
        query.push(" AND b.caught = ").push_bind(caught);
    }
    query.push(" AND ").push(ONCE);
    query.push(format_args!(" ORDER BY b.id {} LIMIT ", bounds.direction));
    query.push_bind(i64::from(bounds.limit));
    let rows = query.build().fetch_all(reader.pool()).await?;
    let mut bluffs = Vec::with_capacity(rows.len());
    for row in &rows {
        let (bid, at_least): (i64, bool) = (row.try_get(10)?, row.try_get(14)?);
        bluffs.push(BluffRow {
            id: row.try_get(0)?,
            match_id: row.try_get(1)?,
            game: row.try_get(2)?,
            session: SessionId(row.try_get(3)?),
            bot: row.try_get(4)?,
            entry: row.try_get::<Option<i64>>(5)?.map(EntryId),
            at_us: row.try_get(6)?,
            by: row.try_get(7)?,
            seat: rows::seat(row.try_get(8)?)?,
            opponent: row.try_get(9)?,
            bid: (!at_least).then_some(bid),
            bid_at_least: bid,
            held: row.try_get(11)?,
            caught: row.try_get(12)?,
            secrecy: secrecy::read(row, 13, 4, 15)?,
        });
    }
    Ok(bluffs)
}

fn fact(row: &Row) -> Result<FactRow, StoreError> {
    Ok(FactRow {
        id: row.try_get(0)?,
        session: SessionId(row.try_get(1)?),
        seat: rows::seat(row.try_get(2)?)?,
        bot: row.try_get(3)?,
        entry: row.try_get::<Option<i64>>(4)?.map(EntryId),
        kind: row.try_get(5)?,
        data: rows::json(row.try_get(6)?)?,
        seats: Vec::new(),
        entrant: row.try_get(7)?,
    })
}
