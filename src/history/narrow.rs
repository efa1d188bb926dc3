//! Filters as conditions on the rows of a list.

use super::records::{Filter, Standing};
use super::secrecy;
use crate::store::sql::Builder;
use games::neutral::{BUILT_IN, stands_for_all};

/// Each of our seats in matches `?1` (JSON), once: by its sessions, and by its spec where our referee seated it, also where
/// it filled a seat. A session whose seat is unknown has a `place` below 0.
pub(super) const OWN: &str = "
    SELECT x.match_id, coalesce(x.seat, -x.id) AS place, replace(x.bot, 'builtin:', '') AS bot
    FROM json_each($1) w CROSS JOIN sessions x ON x.match_id = w.value
    WHERE x.side = 'player' OR substr(x.bot, 1, 8) = 'builtin:' OR substr(x.bot, 1, 4) = 'bot:'
    UNION SELECT x.match_id, x.seat, replace(x.spec, 'builtin:', '')
    FROM json_each($1) w CROSS JOIN seats x ON x.match_id = w.value
    WHERE substr(x.spec, 1, 8) = 'builtin:' OR substr(x.spec, 1, 4) = 'bot:' OR x.spec = 'filler'";

/// Our bot that answers behind the command or address of a seat `t`, by its session in that match; else NULL.
pub(super) const BEHIND: &str = "
    CASE WHEN substr(t.spec, 1, 4) IN ('url:', 'cmd:') THEN (SELECT min(y.bot) FROM sessions y
        WHERE y.match_id = t.match_id AND y.seat = t.seat AND y.side = 'player') END";

/// From which name on, and below which, those are that a bot's name means: of a user's program, perhaps all versions.
pub(super) fn meant(bot: &str) -> [String; 2] {
    match stands_for_all(bot) {
        // The letter after the mark before a version.
        true => [format!("{bot}@"), format!("{bot}A")],
        false => [bot.to_owned(), format!("{bot}\u{1}")],
    }
}

/// How conditions name the rows of a list.
pub(super) struct Names {
    /// A row: a match, or a session with its match `m`.
    pub(super) row: &'static str,
    /// The column of when it began.
    pub(super) time: &'static str,
    /// Which sessions `x` of the match are meant.
    pub(super) sessions: &'static str,
    /// Whether seats without sessions are meant, too.
    pub(super) seats: bool,
}

/// A session `x`'s share of the win: from the match's result, or where its seat is unknown from the scores that
/// the session itself received, own first. NULL without scores.
pub(super) const SESSION_SHARE: &str = "coalesce(
    (SELECT r.win_share FROM results r WHERE r.match_id = x.match_id AND r.seat = x.seat),
    (SELECT CASE WHEN max(CAST(j.value AS BIGINT)) > CAST(x.scores ->> 0 AS BIGINT) THEN 0.0
                 ELSE CAST(1 AS DOUBLE PRECISION) / count(*) FILTER (WHERE CAST(j.value AS BIGINT) = CAST(x.scores ->> 0 AS BIGINT))
                 END FROM json_each(x.scores) j))";

/// A seat `x`'s.
const SEAT_SHARE: &str =
    "(SELECT r.win_share FROM results r WHERE r.match_id = x.match_id AND r.seat = x.seat)";

/// A seat `x` of a match `m` that no session is about. In others' matches, sessions may not know their seats.
const WITHOUT_SESSION: &str = "NOT EXISTS (SELECT 1 FROM sessions y WHERE y.match_id = m.id AND (m.ours = 0 OR y.seat = x.seat))";

/// Adds the conditions of a filter.
pub(super) fn narrow(query: &mut Builder, filter: &Filter, names: &Names) {
    let Names { row, time, .. } = names;
    let cause = filter.cause.map(|cause| cause.word().to_owned());
    let texts = [
        (*row, "game", &filter.game),
        (*row, "referee", &filter.referee),
        (*row, "cause", &cause),
        ("m", "id", &filter.match_id),
    ];
    for (row, column, wanted) in texts {
        if let Some(wanted) = wanted {
            query.push(format_args!(" AND {row}.{column} = "));
            query.push_bind(wanted.clone());
        }
    }
    let numbers = [
        ("market = ", filter.market.map(|market| market as i64)),
        (&format!("{time} >= "), filter.since_us),
        (&format!("{time} < "), filter.until_us),
    ];
    for (compared, wanted) in numbers {
        if let Some(wanted) = wanted {
            query.push(format_args!(" AND {row}.{compared}"));
            query.push_bind(wanted);
        }
    }
    if let Some(over_by_us) = filter.over_by_us {
        query.push(format_args!(" AND ({}) <= ", secrecy::OVER));
        query.push_bind(over_by_us);
    }
    let live = filter.outcome.map(|outcome| outcome == Standing::Live);
    for live in [filter.live, live].into_iter().flatten() {
        let state = if live { "IS NULL" } else { "IS NOT NULL" };
        query.push(format_args!(" AND {row}.ended_us {state}"));
    }
    let others = [
        (
            "seats t WHERE t.match_id = m.id AND t.entrant = ",
            &filter.entrant,
        ),
        (
            "tournament_matches p WHERE p.match_id = m.id AND p.tournament = ",
            &filter.tournament,
        ),
    ];
    for (table, wanted) in others {
        if let Some(wanted) = wanted {
            query.push(format_args!(" AND EXISTS (SELECT 1 FROM {table}"));
            query.push_bind(wanted.clone()).push(")");
        }
    }
    if let Some(opponent) = &filter.opponent {
        narrow_opponent(query, opponent);
    }
    narrow_participation(query, filter);
    narrow_ours(query, filter, names);
}

/// A seat that took part so: of the bot or entrant that is asked for, if one is.
fn narrow_participation(query: &mut Builder, filter: &Filter) {
    let Some(part) = filter.participation else {
        return;
    };
    query.push(
        " AND EXISTS (SELECT 1 FROM participations q JOIN seats t ON t.match_id = q.match_id AND t.seat = q.seat
          WHERE q.match_id = m.id AND m.ended_us IS NOT NULL AND q.how = ",
    );
    query.push_bind(part.word());
    if let Some(entrant) = &filter.entrant {
        query.push(" AND t.entrant = ").push_bind(entrant.clone());
    }
    if filter.bot.is_some() {
        let of_bot = Filter {
            bot: filter.bot.clone(),
            ..Filter::default()
        };
        // In others' matches the session says which bot sits there.
        query.push(
            " AND (EXISTS (SELECT 1 FROM seats u WHERE u.match_id = q.match_id AND u.seat = q.seat",
        );
        narrow_seat(query, &of_bot, ["'referee'", "u.spec"]);
        query.push(") OR EXISTS (SELECT 1 FROM sessions x WHERE x.match_id = q.match_id AND x.seat = q.seat");
        narrow_seat(query, &of_bot, ["x.side", "x.bot"]);
        query.push("))");
    }
    query.push(")");
}

/// A seat is known by its names, and without any by its spec or our bot behind that. At others' tables the specs are of our
/// own seats.
fn narrow_opponent(query: &mut Builder, opponent: &str) {
    query.push(" AND EXISTS (SELECT 1 FROM seats t WHERE t.match_id = m.id AND (t.name = ");
    query.push_bind(opponent.to_owned());
    query
        .push(" OR t.entrant = ")
        .push_bind(opponent.to_owned());
    query.push(" OR (t.name IS NULL AND t.entrant IS NULL AND ");
    if opponent.is_empty() {
        query.push("t.spec = ''");
    } else {
        query.push("m.ours = 1 AND (false");
        // A player's session has its bot without the prefix. A spec is compared as given: `builtin:cmd:…` finds no command.
        let bot = opponent.strip_prefix(BUILT_IN).unwrap_or(opponent);
        for (spec, wanted) in [("t.spec", opponent), (BEHIND, bot)] {
            query.push(format_args!(" OR {spec} IN ("));
            query.push_bind(wanted.to_owned()).push(", ");
            query.push_bind(format!("{BUILT_IN}{wanted}")).push(")");
        }
        query.push(")");
    }
    query.push(")))");
}

/// Filters on our own seats: which side and bot, and how the match ended for it.
fn narrow_ours(query: &mut Builder, filter: &Filter, names: &Names) {
    if !filter.is_of_seats() {
        return;
    }
    query.push(format_args!(
        " AND (EXISTS (SELECT 1 FROM sessions x WHERE x.match_id = m.id AND {}",
        names.sessions
    ));
    narrow_seat(query, filter, ["x.side", "x.bot"]);
    narrow_share(query, filter, SESSION_SHARE);
    query.push(")");
    if names.seats {
        query.push(format_args!(
            " OR EXISTS (SELECT 1 FROM seats x WHERE x.match_id = m.id AND {WITHOUT_SESSION}"
        ));
        narrow_seat(query, filter, ["'referee'", "x.spec"]);
        narrow_share(query, filter, SEAT_SHARE);
        query.push(")");
    }
    query.push(")");
}

/// Adds what a filter says of a seat: its side and its bot.
fn narrow_seat(query: &mut Builder, filter: &Filter, [side, bot]: [&'static str; 2]) {
    if let Some(wanted) = filter.side {
        query.push(format_args!(" AND {side} = "));
        query.push_bind(wanted.word());
    }
    if let Some(wanted) = &filter.bot {
        let [from, below] = meant(wanted);
        query
            .push(format_args!(" AND ({bot} = "))
            .push_bind(format!("builtin:{wanted}"));
        query.push(format_args!(" OR ({bot} >= ")).push_bind(from);
        query
            .push(format_args!(" AND {bot} < "))
            .push_bind(below)
            .push("))");
    }
    if filter.side.is_none() && filter.bot.is_none() {
        // Ours are those that our sessions play, and our bots on seats of our own referee, with those that it filled.
        query.push(format_args!(
            " AND ({side} = 'player' OR substr({bot}, 1, 8) = 'builtin:' OR substr({bot}, 1, 4) = 'bot:' OR {bot} = 'filler')"
        ));
    }
}

fn narrow_share(query: &mut Builder, filter: &Filter, share: &'static str) {
    let wanted = match filter.outcome {
        Some(Standing::Won) => " = 1",
        Some(Standing::Tied) => " BETWEEN 0.001 AND 0.999",
        Some(Standing::Lost) => " = 0",
        Some(Standing::Live) | None => return,
    };
    query.push(" AND ").push(share).push(wanted);
}
