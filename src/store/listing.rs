//! Where rows of a list may be found that a filter asks for, so that no page reads a whole table: `listed` and
//! `listed_sessions` hold what has ended by facet, and a filter is a choice of facets.
//!
//! A candidate need not fit: a page filters what it finds here by the rows themselves ([`super::narrow`]).

use super::error::StoreError;
use super::narrow::{
    MATCH_COLUMNS, SEAT_SHARE, SESSION_COLUMNS, SESSION_SHARE, WITHOUT_SESSION, narrow, narrow_seat,
};
use super::records::{Filter, Standing};
use games::Part;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, FromRow, QueryBuilder, Sqlite, SqliteConnection, SqlitePool};

/// Candidates read at a time at most, where few of those before did fit.
pub(super) const AT_A_TIME_MAX: usize = 1024;
/// Where candidates did not fit, the next are so many times as many.
pub(super) const GROWTH: usize = 4;
/// A page is shorter than it may be once so many candidates did not fit: its cursor leads on.
pub(super) const LOOKED_MAX: usize = 3 * AT_A_TIME_MAX / 2;
/// How long after its beginning a match or session may be stored, in microseconds.
const STORED_WITHIN_US: i64 = 3_600_000_000;
/// An opponent with more matches than these, or a time with more sessions, is looked for among the newest sessions.
const RARE_MAX: i64 = 2048;

/// A referee as `facets` has it: those known by their addresses alone are one, or each stranger would be another
/// facet of everything.
fn folded(referee: &str) -> String {
    format!("iif({}, '', {referee})", is_address(referee))
}

/// Whether a referee is an address: it has no other letters than an address has.
fn is_address(referee: &str) -> String {
    format!("({referee} GLOB '*[.:]*' AND {referee} NOT GLOB '*[^0-9a-fA-F.:]*')")
}

/// What `facets` holds of seats `x` of matches `m`, with the ids of what is listed. `of` has game, referee and
/// cause.
fn facet([id, of, side, bot]: [&str; 4], share: &str, from: &str) -> String {
    let referee = folded(&format!("{of}.referee"));
    format!(
        "SELECT {id} AS id, {of}.game, {referee} AS referee, coalesce({of}.cause, '') AS cause, {side} AS side, {bot} AS bot,
             CASE {share} WHEN 1 THEN 'won' WHEN 0 THEN 'lost' ELSE iif({share} IS NULL, '', 'tied') END AS outcome
         FROM {from}"
    )
}

/// Which of the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum List {
    Matches,
    Sessions,
}

impl List {
    const fn table(self) -> [&'static str; 2] {
        match self {
            List::Matches => ["listed", "match_id"],
            List::Sessions => ["listed_sessions", "session"],
        }
    }

    /// What is to be listed, by facet: of all matches that have ended, or of these in a JSON list.
    fn facets(self, some: bool) -> String {
        let only = match some {
            true => "AND m.id IN (SELECT value FROM json_each(?1))",
            false => "",
        };
        let ended = format!("WHERE m.ended_us IS NOT NULL {only}");
        let sessions = "matches m CROSS JOIN sessions x ON x.match_id = m.id";
        match self {
            List::Matches => {
                // A match of which neither is known is listed all the same.
                let seats = format!(
                    "matches m LEFT JOIN seats x ON x.match_id = m.id {ended} AND iif(x.seat IS NULL,
                        NOT EXISTS (SELECT 1 FROM sessions y WHERE y.match_id = m.id), {WITHOUT_SESSION})"
                );
                let side = "iif(x.seat IS NULL, '', 'referee')";
                let of_session = facet(
                    ["m.id", "m", "x.side", "x.bot"],
                    SESSION_SHARE,
                    &format!("{sessions} {ended}"),
                );
                let of_seat = facet(
                    ["m.id", "m", side, "coalesce(x.spec, '')"],
                    SEAT_SHARE,
                    &seats,
                );
                format!("{of_session} UNION ALL {of_seat}")
            }
            List::Sessions => facet(
                ["x.id", "x", "x.side", "x.bot"],
                SESSION_SHARE,
                &format!("{sessions} {ended} AND x.ended_us IS NOT NULL"),
            ),
        }
    }
}

/// Lists these matches, as a JSON list of ids, and their sessions as far as they have ended; all that have
/// ended without a list. What is listed already stays.
pub(super) async fn list(
    connection: &mut SqliteConnection,
    matches: Option<&str>,
) -> Result<(), sqlx::Error> {
    for list in [List::Matches, List::Sessions] {
        let [table, id] = list.table();
        let facets = list.facets(matches.is_some());
        let statements = [
            format!(
                "INSERT INTO facets (game, referee, cause, side, bot, outcome)
                 SELECT DISTINCT game, referee, cause, side, bot, outcome FROM ({facets}) WHERE true
                 ON CONFLICT DO NOTHING"
            ),
            format!(
                "INSERT INTO {table} (facet, {id}) SELECT f.id, k.id FROM ({facets}) k
                 CROSS JOIN facets f USING (game, referee, cause, side, bot, outcome) WHERE true
                 ON CONFLICT DO NOTHING"
            ),
        ];
        for statement in statements {
            let mut query = sqlx::query(AssertSqlSafe(statement));
            if let Some(matches) = matches {
                query = query.bind(matches.to_owned());
            }
            query.execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// Lists everything in a database that was put together from others.
///
/// # Errors
/// SQLite's.
pub async fn list_all(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    list(connection, None).await
}

/// Where the next candidates of a page are read from.
#[derive(Clone, Debug)]
pub(super) struct Candidates<'a> {
    list: List,
    filter: &'a Filter,
    bounds: Bounds,
    /// Whether so few sessions began in the filter's time that they are looked for by it.
    brief: bool,
    /// Where an opponent is looked for too: the filter without it.
    of_bot: Option<Box<Filter>>,
}

/// Whether there are few sessions in the filter's time, if it has one.
async fn is_brief(filter: &Filter, readers: &SqlitePool) -> Result<bool, sqlx::Error> {
    if filter.since_us.is_none() && filter.until_us.is_none() {
        return Ok(false);
    }
    let count = "SELECT count(*) FROM (SELECT 1 FROM sessions WHERE opened_us >= ? AND opened_us < ? LIMIT ?)";
    let count: i64 = sqlx::query_scalar(count)
        .bind(filter.since_us.unwrap_or(i64::MIN))
        .bind(filter.until_us.unwrap_or(i64::MAX))
        .bind(RARE_MAX + 1)
        .fetch_one(readers)
        .await?;
    Ok(count <= RARE_MAX)
}

/// A query that ends in a condition, and the column with the ids.
type Choice = (QueryBuilder<Sqlite>, &'static str);

/// Between which rows, both included, those of the filter's time lie.
#[derive(Clone, Debug, Default)]
struct Bounds {
    first: Option<Key>,
    last: Option<Key>,
    empty: bool,
}

/// The id of a row in a list: a match's or a session's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Match(String),
    Session(i64),
}

impl Key {
    fn bind(&self, query: &mut QueryBuilder<Sqlite>) {
        match self {
            Key::Match(id) => query.push_bind(id.clone()),
            Key::Session(id) => query.push_bind(*id),
        };
    }
}

impl<'r> FromRow<'r, SqliteRow> for Key {
    fn from_row(row: &'r SqliteRow) -> Result<Self, sqlx::Error> {
        use sqlx::Row as _;
        match row.try_get::<i64, _>(0) {
            Ok(session) => Ok(Key::Session(session)),
            Err(_) => Ok(Key::Match(row.try_get(0)?)),
        }
    }
}

/// Some candidates, newest first.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) keys: Vec<Key>,
    /// Below which the next ones are.
    pub(super) end: Option<Key>,
    /// Whether there are none after these.
    pub(super) last: bool,
}

impl Found {
    /// The keys as a JSON list.
    pub(super) fn json(&self) -> String {
        let key = |key: &Key| match key {
            Key::Match(id) => serde_json::Value::from(id.as_str()),
            Key::Session(id) => (*id).into(),
        };
        serde_json::Value::from_iter(self.keys.iter().map(key)).to_string()
    }
}

impl<'a> Candidates<'a> {
    pub(super) async fn new(
        list: List,
        filter: &'a Filter,
        readers: &SqlitePool,
    ) -> Result<Self, StoreError> {
        let mut bounds = Bounds::default();
        if list == List::Sessions && is_brief(filter, readers).await? {
            return Ok(Self {
                list,
                filter,
                bounds,
                brief: true,
                of_bot: None,
            });
        }
        let (table, id, time) = match list {
            List::Matches => ("matches", "id", "started_us"),
            List::Sessions => ("sessions", "id", "opened_us"),
        };
        let at = async |from_us: i64| {
            let query =
                format!("SELECT {id} FROM {table} WHERE {time} >= ? ORDER BY {time} LIMIT 1");
            let query = sqlx::query_as::<_, Key>(AssertSqlSafe(query)).bind(from_us);
            query.fetch_optional(readers).await
        };
        if let Some(since_us) = filter.since_us {
            bounds.empty = at(since_us).await?.is_none();
            bounds.first = at(since_us.saturating_sub(STORED_WITHIN_US)).await?;
        }
        if let Some(until_us) = filter.until_us {
            bounds.last = at(until_us.saturating_add(STORED_WITHIN_US)).await?;
        }
        let both = list == List::Matches && filter.bot.is_some() && filter.opponent.is_some();
        let of_bot = || Filter {
            opponent: None,
            between: None,
            ..filter.clone()
        };
        Ok(Self {
            list,
            filter,
            bounds,
            brief: false,
            of_bot: both.then(|| Box::new(of_bot())),
        })
    }

    /// The next `limit` ones below `before`. Of a bot's matches and its opponent's, those that are fewer there are
    /// read, without what is known not to be among the others.
    pub(super) async fn below(
        &self,
        before: Option<&Key>,
        limit: usize,
        readers: &SqlitePool,
    ) -> Result<Found, StoreError> {
        let Some(of_bot) = &self.of_bot else {
            return self.some(before, limit, readers).await;
        };
        let of_bot = Candidates {
            filter: of_bot,
            of_bot: None,
            ..self.clone()
        };
        let mut one = self.some(before, limit, readers).await?;
        let mut other = of_bot.some(before, limit, readers).await?;
        // Whatever is not below the end of both.
        if !one.last && (other.last || other.keys.last() < one.keys.last()) {
            std::mem::swap(&mut one, &mut other);
        }
        let among = |key: &Key| {
            let known = other.last || other.keys.last().is_some_and(|end| key >= end);
            // The newest one is the first.
            let found = other.keys.binary_search_by(|one| key.cmp(one));
            !known || found.is_ok()
        };
        one.end = one.keys.last().cloned();
        one.keys.retain(among);
        Ok(one)
    }

    async fn some(
        &self,
        before: Option<&Key>,
        limit: usize,
        readers: &SqlitePool,
    ) -> Result<Found, StoreError> {
        if self.bounds.empty {
            return Ok(Found {
                last: true,
                ..Found::default()
            });
        }
        let mut query = self.query(before, limit, readers).await?;
        let keys: Vec<Key> = query.build_query_as().fetch_all(readers).await?;
        let last = keys.len() < limit;
        let end = keys.last().cloned();
        Ok(Found { keys, end, last })
    }

    fn is_faceted(&self) -> bool {
        let Filter {
            game,
            referee,
            cause,
            ..
        } = self.filter;
        let of_match = game.is_some() || referee.is_some() || cause.is_some();
        of_match || self.filter.is_of_seats()
    }

    async fn query(
        &self,
        before: Option<&Key>,
        limit: usize,
        readers: &SqlitePool,
    ) -> Result<QueryBuilder<Sqlite>, StoreError> {
        let filter = self.filter;
        let live = filter.live == Some(true) || filter.outcome == Some(Standing::Live);
        let special = match self.list {
            _ if live || filter.match_id.is_some() => Some(self.plain(live)),
            List::Matches => self.named(),
            List::Sessions if self.brief => Some(self.timed()),
            List::Sessions => self.rare(readers).await?,
        };
        let (mut query, id) = match special {
            Some(special) => special,
            None if self.is_faceted() || self.opponent().is_some() => {
                return Ok(self.faceted(before, limit));
            }
            None => self.plain(false),
        };
        self.within(&mut query, before, id);
        query.push(format_args!(" ORDER BY {id} DESC LIMIT "));
        query.push_bind(limit as i64);
        Ok(query)
    }

    /// All rows, or those that live.
    fn plain(&self, live: bool) -> Choice {
        let mut query = QueryBuilder::new(match self.list {
            List::Matches => "SELECT id FROM matches WHERE true",
            List::Sessions => "SELECT id FROM sessions WHERE true",
        });
        if live {
            query.push(" AND ended_us IS NULL");
        }
        if let Some(id) = &self.filter.match_id {
            query.push(match self.list {
                List::Matches => " AND id = ",
                List::Sessions => " AND match_id = ",
            });
            query.push_bind(id.clone());
        }
        (query, "id")
    }

    /// Sessions by when they began. Their numbers need not follow it: clocks are set, and some are stored late.
    fn timed(&self) -> Choice {
        let mut query = QueryBuilder::new("SELECT id FROM sessions WHERE opened_us >= ");
        query.push_bind(self.filter.since_us.unwrap_or(i64::MIN));
        query.push(" AND opened_us < ");
        query.push_bind(self.filter.until_us.unwrap_or(i64::MAX));
        (query, "+id")
    }

    /// Matches by what few of them have.
    fn named(&self) -> Option<Choice> {
        let filter = self.filter;
        if let Some(market) = filter.market.filter(|market| *market != 0) {
            let mut query =
                QueryBuilder::new("SELECT id FROM matches WHERE market <> 0 AND market = ");
            query.push_bind(market as i64);
            return Some((query, "id"));
        }
        // Most seats have played.
        let part = filter.participation.filter(|part| *part != Part::Played);
        let part = part.map(|part| part.word().to_owned());
        let by = [
            ("tournament_matches WHERE tournament = ", &filter.tournament),
            ("seats WHERE entrant = ", &filter.entrant),
            ("participations WHERE how <> 'played' AND how = ", &part),
        ];
        let (table, wanted) = by
            .into_iter()
            .find_map(|(table, wanted)| Some((table, wanted.clone()?)))?;
        let mut query = QueryBuilder::new("SELECT DISTINCT match_id FROM ");
        query.push(table).push_bind(wanted);
        Some((query, "match_id"))
    }

    /// The opponent that matches are looked for by. Who has neither name nor spec is nobody to look for.
    fn opponent(&self) -> Option<&String> {
        let opponent = self.filter.opponent.as_ref();
        opponent.filter(|opponent| self.list == List::Matches && !opponent.is_empty())
    }

    /// Sessions of an opponent, if its matches are few: they have another order.
    async fn rare(&self, readers: &SqlitePool) -> Result<Option<Choice>, StoreError> {
        let opponent = self.filter.opponent.as_ref();
        let Some(opponent) = opponent.filter(|opponent| !opponent.is_empty()) else {
            return Ok(None);
        };
        // A bot's matches are many.
        let count =
            "SELECT iif(EXISTS (SELECT 1 FROM facets WHERE bot IN (?1, 'builtin:' || ?1)), ?2,
            (SELECT count(*) FROM (SELECT 1 FROM seats WHERE name = ?1 UNION ALL
                                   SELECT 1 FROM seats WHERE entrant = ?1 LIMIT ?2)))";
        let count = sqlx::query_scalar(count).bind(opponent.clone());
        let count: i64 = count.bind(RARE_MAX + 1).fetch_one(readers).await?;
        if count > RARE_MAX {
            return Ok(None);
        }
        let mut query = QueryBuilder::new(
            "SELECT id FROM sessions WHERE match_id IN (SELECT match_id FROM seats WHERE name = ",
        );
        query.push_bind(opponent.clone());
        query.push(" UNION SELECT match_id FROM seats WHERE entrant = ");
        query.push_bind(opponent.clone());
        query.push(" UNION SELECT id FROM matches WHERE ended_us IS NULL)");
        Ok(Some((query, "id")))
    }

    /// Narrows a query to what is below `before` and within the bounds.
    fn within(&self, query: &mut QueryBuilder<Sqlite>, before: Option<&Key>, id: &str) {
        // One bound alone above: of two, the planner may walk from the wider one.
        let above = match (before, self.bounds.last.as_ref()) {
            (Some(before), Some(last)) if last < before => Some((" <= ", last)),
            (None, Some(last)) => Some((" <= ", last)),
            (before, _) => before.map(|before| (" < ", before)),
        };
        let below = self.bounds.first.as_ref().map(|first| (" >= ", first));
        let ends = above.into_iter().chain(below);
        for (compared, key) in ends {
            query.push(format_args!(" AND {id}{compared}"));
            key.bind(query);
        }
    }

    /// What is listed under the filter's facets, and what is not listed because it lives. Of each facet so many
    /// are read as are wanted in all, and only of those facets whose newest are among these.
    fn faceted(&self, before: Option<&Key>, limit: usize) -> QueryBuilder<Sqlite> {
        let limit = limit as i64;
        let [table, id] = self.list.table();
        let mut query =
            QueryBuilder::new("WITH tops AS MATERIALIZED (SELECT f.id AS facet, (SELECT max(");
        query.push(format_args!("{id}) FROM {table} WHERE facet = f.id"));
        self.within(&mut query, before, id);
        query.push(") AS top FROM facets f WHERE true");
        self.narrow_facets(&mut query);
        query.push("), least AS MATERIALIZED (SELECT min(top) AS top FROM (SELECT DISTINCT top FROM tops WHERE top IS NOT NULL ORDER BY top DESC LIMIT ");
        query.push_bind(limit);
        query.push(
            ")) SELECT value AS id FROM tops, json_each((SELECT json_group_array(id) FROM (SELECT ",
        );
        query.push(format_args!(
            "{id} AS id FROM {table} WHERE facet = tops.facet"
        ));
        self.within(&mut query, before, id);
        query.push(format_args!(" ORDER BY {id} DESC LIMIT "));
        query.push_bind(limit);
        query.push("))) WHERE tops.top >= (SELECT top FROM least) UNION ");
        for name in ["name", "entrant"] {
            let Some(opponent) = self.opponent() else {
                break;
            };
            query.push(format_args!(
                "SELECT * FROM (SELECT DISTINCT match_id FROM seats WHERE {name} = "
            ));
            query.push_bind(opponent.clone());
            self.within(&mut query, before, "match_id");
            query.push(" ORDER BY match_id DESC LIMIT ");
            query.push_bind(limit).push(") UNION ");
        }
        self.unlisted(&mut query, before, limit);
        query.push(" ORDER BY id DESC LIMIT ").push_bind(limit);
        query
    }

    /// What fits of what has not ended, or whose match or session has not. The signs keep the planner from other
    /// indexes than those of what lives.
    fn unlisted(&self, query: &mut QueryBuilder<Sqlite>, before: Option<&Key>, limit: i64) {
        const LIVE_SESSIONS: &str =
            "FROM sessions s CROSS JOIN matches m ON m.id = s.match_id WHERE s.ended_us IS NULL";
        const LIVE_MATCHES: &str =
            "FROM matches m CROSS JOIN sessions s ON s.match_id = m.id WHERE m.ended_us IS NULL";
        let (parts, columns) = match self.list {
            List::Matches => (
                [
                    ("m.id", "FROM matches m WHERE m.ended_us IS NULL"),
                    ("+s.match_id", LIVE_SESSIONS),
                ],
                &MATCH_COLUMNS,
            ),
            List::Sessions => (
                [("s.id", LIVE_SESSIONS), ("+s.id", LIVE_MATCHES)],
                &SESSION_COLUMNS,
            ),
        };
        for (at, (id, from)) in parts.into_iter().enumerate() {
            if at > 0 {
                query.push(" UNION ");
            }
            query.push(format_args!("SELECT * FROM (SELECT {id} {from}"));
            self.within(query, before, id);
            narrow(query, self.filter, columns);
            query.push(format_args!(" ORDER BY {id} DESC LIMIT "));
            query.push_bind(limit).push(")");
        }
    }

    fn narrow_facets(&self, query: &mut QueryBuilder<Sqlite>) {
        let filter = self.filter;
        if let Some(game) = &filter.game {
            query.push(" AND f.game = ").push_bind(game.clone());
        }
        if let Some(referee) = &filter.referee {
            query.push(" AND f.referee = (SELECT ");
            query.push(folded("value")).push(" FROM (SELECT ");
            query.push_bind(referee.clone()).push(" AS value))");
        }
        if let Some(cause) = filter.cause {
            query.push(" AND f.cause = ").push_bind(cause.word());
        }
        if let Some(opponent) = self.opponent() {
            // It is another seat than the one that the rest is about.
            query.push(" AND f.bot IN (").push_bind(opponent.clone());
            query.push(", ").push_bind(format!("builtin:{opponent}"));
            query.push(")");
            return;
        }
        if filter.is_of_seats() {
            narrow_seat(query, filter, ["f.side", "f.bot"]);
        }
        if let Some(outcome) = filter.outcome {
            query.push(" AND f.outcome = ").push_bind(outcome.word());
        }
    }
}
