//! Which rows of a list fit a filter, newest first.
//!
//! Of all that a filter asks for, the rarest is walked by its index, and the rows decide about the rest
//! ([`super::narrow`]). After [`EXAMINED_MAX`] rows a page ends with what was found, and its cursor leads on. So a page
//! is whole if anything that the filter asks for is indexed and no commoner than that. Common values of `side`,
//! `outcome` and `participation` are not indexed, nor is a common `opponent` in lists of sessions.

use super::meetings::met;
use super::narrow::{Names, narrow};
use super::pages::Found;
use super::records::{Filter, PageAt, Standing};
use crate::store::rows::json;
use crate::store::sql::Builder;
use crate::store::types::Side;
use crate::store::{Reader, StoreError};
use games::neutral::BUILT_IN;
use games::{Cause, Part};

/// About how many rows are examined for one page, and at most as many again to find the rarest of a filter's fields. Rows
/// that an index finds in another order than the list's are sorted if they, or the matches of them, are no more.
pub(super) const EXAMINED_MAX: usize = 5_000;
/// Where too few of the rows examined did fit, the next are this many times as many.
const GROWTH: usize = 4;
/// How long after its beginning a match or session may be stored, in microseconds. A list by time and something rarer
/// leaves sessions out whose clock was set by more than this: their numbers do not follow their times.
const STORED_WITHIN_US: i64 = 3_600_000_000;

/// A list: what queries for its rows are made of.
pub(super) struct List {
    table: &'static str,
    /// The type of its ids, and one that is above all of them.
    kind: &'static str,
    top: &'static str,
    /// The row of an id `k`, and its match `m`.
    rows: &'static str,
    names: Names,
    sources: fn(&Filter) -> Vec<Source>,
}

pub(super) const MATCHES: List = List {
    table: "matches",
    kind: "TEXT",
    top: "'~'",
    rows: "matches m ON m.id = k.id",
    names: Names {
        row: "m",
        time: "started_us",
        sessions: "true",
        seats: true,
    },
    sources: match_sources,
};

pub(super) const SESSIONS: List = List {
    table: "sessions",
    kind: "BIGINT",
    top: "9223372036854775807",
    rows: "sessions s ON s.id = k.id CROSS JOIN matches m ON m.id = s.match_id",
    names: Names {
        row: "s",
        time: "opened_us",
        sessions: "x.id = s.id",
        seats: false,
    },
    sources: session_sources,
};

/// One page of the rows of a list that fit a filter, newest first, after about `left` rows were examined at most.
pub(super) async fn found(
    reader: &Reader,
    list: &List,
    filter: &Filter,
    at: &PageAt,
    mut left: usize,
) -> Result<Found, StoreError> {
    let source = rarest(reader, list, filter).await?;
    let (mut found, mut before) = (Found::default(), at.after.clone());
    // One more shows whether there is a next page.
    let limit = at.limit as usize;
    let mut size = limit + 1;
    loop {
        let query = list.chunk(filter, &source, before, size);
        let (count, last, ids): (i64, Option<String>, String) =
            query.build().read_as().fetch_one(reader.pool()).await?;
        let mut ids = json(&ids)?;
        // Two seats of a match may have met, not two of a session.
        if list.names.seats {
            ids = met(reader, Found { ids, next: None }, filter).await?;
        }
        found.ids.append(&mut ids);
        left = left.saturating_sub(size);
        if found.ids.len() > limit {
            found.ids.truncate(limit);
            found.next = found.ids.last().cloned();
        } else if count == size as i64 && left == 0 {
            found.next = last;
        } else if count == size as i64 {
            (before, size) = (last, (size * GROWTH).min(left));
            continue;
        }
        return Ok(found);
    }
}

/// The source with the fewest rows of those that a filter has; all rows, if it has none.
async fn rarest(reader: &Reader, list: &List, filter: &Filter) -> Result<Source, StoreError> {
    let mut sources = (list.sources)(filter);
    if let [only] = &sources[..]
        && only.is_sorted()
    {
        return Ok(sources.remove(0));
    }
    let all = Way::new("id", format!("{} WHERE true", list.table), None);
    let mut rarest = (i64::MAX, Source(vec![all]));
    for source in sources {
        let query = source.count();
        let count: i64 = query.build().read_as().fetch_one(reader.pool()).await?;
        if count < rarest.0 && (source.is_sorted() || count <= EXAMINED_MAX as i64) {
            rarest = (count, source);
        }
    }
    Ok(rarest.1)
}

impl List {
    /// A query for the newest `size` rows of a source below `before`: how many there are, the last one's id, and those
    /// that fit as a JSON list.
    fn chunk(
        &self,
        filter: &Filter,
        source: &Source,
        before: Option<String>,
        size: usize,
    ) -> Builder {
        let Self {
            table, kind, top, ..
        } = self;
        let time = self.names.time;
        // A row is stored soon after its time, so that its place in the list is near to that of its time.
        let first = |from_us: i64| {
            format!("(SELECT id FROM {table} WHERE {time} >= {from_us} ORDER BY {time} LIMIT 1)")
        };
        let sorted = source.is_sorted();
        let since = filter.since_us.filter(|_| sorted);
        let since = since.map(|since_us| first(since_us.saturating_sub(STORED_WITHIN_US)));
        let until = filter.until_us.filter(|_| sorted);
        let until = until.map(|until_us| first(until_us.saturating_add(STORED_WITHIN_US)));
        let until = until.as_deref().unwrap_or("NULL");
        let mut query = Builder::new("WITH k (id) AS MATERIALIZED (");
        for (at, way) in source.0.iter().enumerate() {
            let (union, id) = (if at > 0 { " UNION " } else { "" }, way.id);
            query.push(format_args!(
                "{union}SELECT id FROM (SELECT DISTINCT {id} AS id"
            ));
            way.push_rows(&mut query);
            query.push(format_args!(
                " AND {id} < min(coalesce({until}, {top}), coalesce(CAST("
            ));
            query.push_bind(before.clone());
            query.push(format_args!(" AS {kind}), {top}))"));
            if let Some(since) = &since {
                query.push(format_args!(" AND {id} >= {since}"));
            }
            query.push(format_args!(" ORDER BY {id} DESC LIMIT {size}) AS way"));
        }
        query.push(format_args!(
            " ORDER BY id DESC LIMIT {size}) SELECT (SELECT count(*) FROM k), (SELECT CAST(min(id) AS TEXT) FROM k),
                 coalesce(CAST(json_group_array(CAST(k.id AS TEXT) ORDER BY k.id DESC) FILTER (WHERE true"
        ));
        narrow(&mut query, filter, &self.names);
        query.push(format_args!(
            ") AS TEXT), '[]') FROM k CROSS JOIN {}",
            self.rows
        ));
        query
    }
}

/// What a filter asks for in one respect: all rows that have it, and perhaps others.
struct Source(Vec<Way>);

/// Rows that one index finds.
struct Way {
    /// A table and a condition, up to what it compares with.
    from: String,
    value: Option<String>,
    /// The column of ids. A sign before it says that the index has another order: they are to be sorted, and the planner
    /// must not walk a whole table in theirs instead.
    id: &'static str,
    /// Whether they are those of matches, and the sessions of these are meant.
    through_matches: bool,
}

impl Way {
    fn new(id: &'static str, from: impl Into<String>, value: Option<String>) -> Self {
        Self {
            from: from.into(),
            value,
            id,
            through_matches: false,
        }
    }

    fn push(&self, query: &mut Builder) {
        query.push(" FROM ").push(&self.from);
        if let Some(value) = &self.value {
            query.push_bind(value.clone());
        }
    }

    fn push_rows(&self, query: &mut Builder) {
        if !self.through_matches {
            return self.push(query);
        }
        query.push(" FROM sessions WHERE match_id IN (SELECT match_id");
        self.push(query);
        query.push(")");
    }
}

impl Source {
    /// Whether its indexes have the list's order, so that it can be walked however long it is.
    fn is_sorted(&self) -> bool {
        self.0.iter().all(|way| !way.id.starts_with('+'))
    }

    /// A query for how many there are, or that there are more than may be examined.
    fn count(&self) -> Builder {
        let mut query = Builder::new("SELECT count(*) FROM (");
        for (at, way) in self.0.iter().enumerate() {
            query.push(if at > 0 { " UNION ALL " } else { "" });
            query.push("SELECT 1");
            way.push(&mut query);
        }
        query.push(format_args!(" LIMIT {}) AS examined", EXAMINED_MAX + 1));
        query
    }
}

/// As the columns `called` have it: a built-in bot's name, or a user's program in any version.
fn called(spec: &str) -> String {
    let (program, _) = spec.split_once('@').unwrap_or((spec, ""));
    program.replace(BUILT_IN, "")
}

/// Those sources of a list of which the filter has a value.
fn given<const COUNT: usize>(
    values: [(&'static str, &'static str, Option<String>); COUNT],
) -> impl Iterator<Item = Source> {
    let given = |(id, from, value): (_, _, Option<String>)| {
        Some(Source(vec![Way::new(id, from, Some(value?))]))
    };
    values.into_iter().filter_map(given)
}

/// A source that needs no value.
fn when(is_wanted: bool, id: &'static str, from: impl Into<String>) -> Option<Source> {
    is_wanted.then(|| Source(vec![Way::new(id, from, None)]))
}

fn is_live(filter: &Filter) -> bool {
    filter.live == Some(true) || filter.outcome == Some(Standing::Live)
}

/// A cause for which few end.
fn rare_cause(filter: &Filter) -> Option<String> {
    let cause = filter.cause.filter(|cause| *cause != Cause::Normal)?;
    Some(cause.word().to_owned())
}

/// Matches with a seat of this spec.
fn seats(spec: &str) -> Way {
    let from = "seats WHERE spec <> '' AND called = ";
    Way::new("match_id", from, Some(called(spec)))
}

/// Matches in which one of our sessions plays this bot.
fn played_by(bot: &str) -> Way {
    let from = "sessions WHERE side = 'player' AND called = ";
    Way::new("match_id", from, Some(called(bot)))
}

/// Matches with the opponent. One with neither name nor spec is nobody to look for.
fn opponents(filter: &Filter) -> Option<[Way; 4]> {
    let opponent = filter.opponent.as_ref().filter(|name| !name.is_empty())?;
    Some([
        Way::new("match_id", "seats WHERE name = ", Some(opponent.clone())),
        Way::new("match_id", "seats WHERE entrant = ", Some(opponent.clone())),
        seats(opponent),
        played_by(opponent),
    ])
}

fn match_sources(filter: &Filter) -> Vec<Source> {
    let bots = filter.bot.as_ref().map(|bot| {
        // What a referee's sessions say of a bot, the seats say too.
        Source(vec![seats(bot), played_by(bot)])
    });
    let tied = (filter.outcome == Some(Standing::Tied)).then(|| {
        let ways = [
            "results INDEXED BY results_tied WHERE win_share > 0 AND win_share < 1",
            "sessions INDEXED BY sessions_without_seat WHERE seat IS NULL",
        ];
        Source(ways.map(|from| Way::new("match_id", from, None)).into())
    });
    let market = filter.market.filter(|market| *market != 0);
    let live = "matches INDEXED BY matches_live WHERE ended_us IS NULL";
    let players = "sessions INDEXED BY sessions_of_players WHERE side = 'player'";
    let ours = "matches INDEXED BY matches_ours WHERE ours = 1";
    let special = [
        opponents(filter).map(|ways| Source(ways.into())),
        bots,
        tied,
        when(is_live(filter), "id", live),
        when(filter.side == Some(Side::Player), "+match_id", players),
        when(filter.side == Some(Side::Referee), "+id", ours),
        market.map(|market| {
            let market = market as i64;
            let from = format!("matches WHERE market <> 0 AND market = {market}");
            Source(vec![Way::new("id", from, None)])
        }),
    ];
    let part = filter.participation.filter(|part| *part != Part::Played);
    let values = [
        ("id", "matches WHERE id = ", filter.match_id.clone()),
        (
            "match_id",
            "tournament_matches WHERE tournament = ",
            filter.tournament.clone(),
        ),
        ("match_id", "seats WHERE entrant = ", filter.entrant.clone()),
        (
            "match_id",
            "participations WHERE how <> 'played' AND how = ",
            part.map(|part| part.word().to_owned()),
        ),
        ("id", "matches WHERE referee = ", filter.referee.clone()),
        (
            "id",
            "matches WHERE cause <> 'normal' AND cause = ",
            rare_cause(filter),
        ),
    ];
    let game = [("id", "matches WHERE game = ", filter.game.clone())];
    let special = special.into_iter().flatten().chain(given(values));
    // Of equally common ones the first is walked: a bot is dense in its game, not the other way round.
    given(game).chain(special).collect()
}

fn session_sources(filter: &Filter) -> Vec<Source> {
    let through_matches = |way: Way| Way {
        id: "+id",
        through_matches: true,
        ..way
    };
    let live = "sessions INDEXED BY sessions_live WHERE ended_us IS NULL";
    // Their numbers need not follow their times: clocks are set.
    let timed = filter.since_us.is_some() || filter.until_us.is_some();
    let (since, until) = (
        filter.since_us.unwrap_or(i64::MIN),
        filter.until_us.unwrap_or(i64::MAX),
    );
    let time = format!("sessions WHERE opened_us >= {since} AND opened_us < {until}");
    let special = [
        opponents(filter).map(|ways| Source(ways.map(through_matches).into())),
        filter.tournament.clone().map(|id| {
            let of_tournament = Way::new(
                "match_id",
                "tournament_matches WHERE tournament = ",
                Some(id),
            );
            Source(vec![through_matches(of_tournament)])
        }),
        when(is_live(filter), "id", live),
        when(timed, "+id", time),
    ];
    let bot = filter.bot.as_deref().map(called);
    let values = [
        ("id", "sessions WHERE match_id = ", filter.match_id.clone()),
        ("id", "sessions WHERE called = ", bot),
        ("id", "sessions WHERE referee = ", filter.referee.clone()),
        (
            "id",
            "sessions WHERE cause <> 'normal' AND cause = ",
            rare_cause(filter),
        ),
        ("id", "sessions WHERE game = ", filter.game.clone()),
    ];
    special.into_iter().flatten().chain(given(values)).collect()
}
