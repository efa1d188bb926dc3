//! Results: one row a seat, flat.

use super::in_matches::{self, InMatch, InMatches};
use super::lists::Rows;
use super::matches;
use super::problem::Problem;
use super::query::Params;
use super::reader::Reader;
use super::shapes::{Paged, time};
use super::sight::Sight;
use crate::history::{self, CauseWord, Filter, Standing, Times};
use crate::store::{IMPORTED, MatchRow, SeatRow};
use games::neutral::{BUILT_IN, is_meant, stands_for_all};
use games::{Cause, Part};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::HashMap;
use utoipa::ToSchema;

/// The filters of the list.
const FILTERS: &[&str] = &[
    "game",
    "match",
    "bot",
    "opponent",
    "between",
    "referee",
    "market",
    "tournament",
    "entrant",
    "outcome",
    "cause",
    "participation",
    "since",
    "until",
];

/// One seat of a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SeatResult)]
pub(super) struct ResultShown {
    /// The match.
    #[serde(rename = "match")]
    #[schema(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub match_id: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The tournament's id, once it has ended in one.
    pub tournament: Option<String>,
    /// The round there.
    pub round: Option<u32>,
    /// The table in the round, from 0.
    pub table: Option<u32>,
    /// The match's number in the whole tournament, from 0.
    pub number: Option<u64>,
    /// The referee: a name or an address.
    pub referee: String,
    /// The seat, from 0. In a match of another referee they are relative: 0 is ours, then clockwise.
    pub seat: u8,
    /// What the player is called: the entrant, its name, or else its bot; `null` where nothing is known.
    #[schema(example = "alice")]
    pub player: Option<String>,
    /// The tournament's entrant.
    pub entrant: Option<String>,
    /// Our bot there: a built-in bot's name, or a user's as `bot:NAME`; `null` for other players.
    #[schema(example = "champion")]
    pub bot: Option<String>,
    /// Its version; of a built-in bot only where this database has seen no other one.
    #[schema(example = "3")]
    pub version: Option<String>,
    /// Its score.
    pub score: Option<i64>,
    /// 1 for the best, with equal ones alike; `null` where that is not known.
    pub rank: Option<u32>,
    /// 1 for the only best score, 1/k for k best ones, else 0.
    pub win_share: Option<f64>,
    /// How it ended for this seat; `null` where that is not known.
    #[schema(inline)]
    pub outcome: Option<Standing>,
    /// Why the match ended.
    #[schema(inline, value_type = Option<CauseWord>)]
    pub cause: Option<Cause>,
    /// The seat at fault for the end.
    pub blame: Option<u8>,
    /// How this seat took part; `null` while that is not known.
    #[schema(inline)]
    pub participation: Option<Part>,
    /// What the other players are called, by seat, with semicolons between; `?` where nothing is known.
    #[schema(example = "evolved; guide; ?")]
    pub opponents: String,
    /// Its decisions in the deadline ledger. This and what follows is `null` where nothing is recorded, and until the match
    /// is public.
    pub decisions: Option<u64>,
    /// How many of them a fallback took.
    pub fallbacks: Option<u64>,
    /// How many of them were late.
    pub late: Option<u64>,
    /// Milliseconds until the answer left: half of its decisions took no longer.
    pub sent_ms_p50: Option<f64>,
    /// The same for 99 in 100.
    pub sent_ms_p99: Option<f64>,
    /// The longest.
    pub sent_ms_max: Option<f64>,
}

/// The columns of the table, in order.
pub(super) const COLUMNS: &[&str] = &[
    "match",
    "started",
    "ended",
    "game",
    "tournament",
    "round",
    "table",
    "number",
    "referee",
    "seat",
    "player",
    "entrant",
    "bot",
    "version",
    "score",
    "rank",
    "win_share",
    "outcome",
    "cause",
    "blame",
    "participation",
    "opponents",
    "decisions",
    "fallbacks",
    "late",
    "sent_ms_p50",
    "sent_ms_p99",
    "sent_ms_max",
];

/// The seats of matches, newest match first. Filters of a seat (`bot`, `entrant`, `outcome`, `participation`) choose rows;
/// `opponent` is another one at the table.
pub(super) struct Results;

impl Rows for Results {
    type Item = ResultShown;
    type Filters = Filter;
    const FILTERS: &'static [&'static str] = FILTERS;
    const COLUMNS: &'static [&'static str] = COLUMNS;

    async fn page(reader: &Reader, params: &Params<Filter>) -> Paged<ResultShown> {
        let (wanted, at) = (matches::filter(reader, params)?, params.page_in_matches()?);
        let mut of_matches = wanted.clone();
        if wanted.bot.is_none() && wanted.outcome != Some(Standing::Live) {
            // That of any seat, not of one of our own.
            of_matches.outcome = None;
        }
        let mut listed = in_matches::page(&Seats(wanted), reader, &of_matches, at).await?;
        listed.withheld = reader.sight.withheld();
        reader.expects(listed, &params.filters).await
    }
}

/// The seats that a filter chooses.
struct Seats(Filter);

impl InMatches for Seats {
    type Item = ResultShown;
    const READ: u32 = 64;

    async fn rows(
        &self,
        reader: &Reader,
        matches: Vec<MatchRow>,
    ) -> Result<Vec<InMatch<ResultShown>>, Problem> {
        let (store, sight) = (reader.state.store.reader(), &reader.sight);
        let ids: Vec<&str> = matches.iter().map(|row| row.id.as_str()).collect();
        let bots = SeatedBots {
            bots: history::bots_by_seat(store, &ids).await?,
            versions: history::only_versions(store).await?,
        };
        let mut found = Vec::new();
        let mut open = Vec::new();
        for row in &matches {
            let before = found.len();
            let seats = row.seats.iter().map(|seat| bots.row(sight, row, seat));
            let seats = seats.filter(|shown| self.has(row, shown));
            found.extend(seats.map(|shown| InMatch {
                match_id: row.id.clone(),
                number: shown.seat.into(),
                row: shown,
            }));
            if found.len() > before && (sight.is_open(row) || sight.sees_all()) {
                open.push(row.id.as_str());
            }
        }
        let mut times = history::times_by_seat(store, &open).await?;
        for InMatch { match_id, row, .. } in &mut found {
            if let Some(times) = times.remove(&(match_id.clone(), row.seat)) {
                row.time(&times);
            }
        }
        Ok(found)
    }
}

impl Seats {
    /// Whether the filter chooses this seat of a match that it has chosen.
    fn has(&self, row: &MatchRow, shown: &ResultShown) -> bool {
        let wanted = &self.0;
        let is_bot = |wanted: &String| shown.is_bot(wanted);
        let others = || row.seats.iter().filter(|seat| seat.seat != shown.seat);
        let meets = |opponent: &String| others().any(|seat| meets_as(row, seat, opponent));
        wanted.bot.as_ref().is_none_or(is_bot)
            && wanted.opponent.as_ref().is_none_or(meets)
            && (wanted.entrant.is_none() || wanted.entrant == shown.entrant)
            && (wanted.outcome.is_none() || wanted.outcome == shown.outcome)
            && (wanted.participation.is_none() || wanted.participation == shown.participation)
    }
}

/// Whether an opponent's name is meant for this seat: as lists of matches find it.
fn meets_as(row: &MatchRow, seat: &SeatRow, opponent: &str) -> bool {
    let names = [&seat.name, &seat.entrant];
    match names.into_iter().flatten().next() {
        Some(_) => names.into_iter().flatten().any(|name| name == opponent),
        None => {
            // As in that list: our bot behind an address has either of its names.
            let bot = opponent.strip_prefix(BUILT_IN).unwrap_or(opponent);
            let is = |plays: &str, wanted: &str| {
                plays == wanted || plays.strip_prefix(BUILT_IN) == Some(wanted)
            };
            let behind = seat.bot.as_deref();
            row.ours && (is(&seat.spec, opponent) || behind.is_some_and(|plays| is(plays, bot)))
        }
    }
}

/// What is known of seats besides their rows.
pub(super) struct SeatedBots {
    pub(super) bots: HashMap<(String, u8), String>,
    pub(super) versions: HashMap<(String, String), u32>,
}

impl SeatedBots {
    /// Our bot on a seat, as history has it.
    pub(super) fn bot(&self, row: &MatchRow, seat: u8) -> Option<&str> {
        self.bots.get(&(row.id.clone(), seat)).map(String::as_str)
    }

    /// What the player on a seat is called.
    pub(super) fn player(&self, sight: &Sight, row: &MatchRow, seat: &SeatRow) -> Option<String> {
        let bot = || {
            let spec = sight.spec(&seat.spec, None);
            let spec = spec.strip_prefix(BUILT_IN).unwrap_or(spec);
            Some(spec).filter(|spec| !spec.is_empty())
        };
        let player = seat.known_as().or_else(|| self.bot(row, seat.seat));
        player.or_else(bot).map(str::to_owned)
    }

    pub(super) fn row(&self, sight: &Sight, row: &MatchRow, seat: &SeatRow) -> ResultShown {
        let bot = self.bot(row, seat.seat);
        let (bot, version) = match bot.map(|bot| bot.split_once('@').ok_or(bot)) {
            Some(Ok((program, version))) => (Some(program.to_owned()), Some(version.to_owned())),
            Some(Err(name)) => {
                // What played an imported match was another database's.
                let only = self.versions.get(&(row.game.clone(), name.to_owned()));
                let only = only.filter(|_| row.referee != IMPORTED);
                (Some(name.to_owned()), only.map(u32::to_string))
            }
            None => (None, None),
        };
        let others = row.seats.iter().filter(|other| other.seat != seat.seat);
        let others = others.map(|other| self.player(sight, row, other));
        let others = others.map(|other| other.unwrap_or_else(|| "?".to_owned()));
        let part = seat.participation.as_ref();
        let place = row.tournament.as_ref();
        ResultShown {
            match_id: row.id.clone(),
            started: time(row.started_us),
            ended: row.ended_us.map(time),
            game: row.game.clone(),
            tournament: place.map(|place| place.id.clone()),
            round: place.map(|place| place.round),
            table: place.map(|place| place.table),
            number: place.map(|place| place.number),
            referee: sight.referee(row.referee.clone()),
            seat: seat.seat,
            player: self.player(sight, row, seat),
            entrant: seat.entrant.clone(),
            bot,
            version,
            score: seat.score,
            rank: rank(row, seat),
            win_share: seat.win_share,
            outcome: outcome(row, seat),
            cause: row.cause,
            blame: row.blame,
            participation: part.filter(|_| row.ended_us.is_some()).map(|part| part.how),
            opponents: others.collect::<Vec<_>>().join("; "),
            decisions: None,
            fallbacks: None,
            late: None,
            sent_ms_p50: None,
            sent_ms_p99: None,
            sent_ms_max: None,
        }
    }
}

impl ResultShown {
    /// Whether the bot there is what a filter names: a user's in any version, or in this one.
    fn is_bot(&self, wanted: &str) -> bool {
        let Some(bot) = &self.bot else { return false };
        let whole = match &self.version {
            Some(version) if stands_for_all(bot) => format!("{bot}@{version}"),
            _ => bot.clone(),
        };
        is_meant(wanted, &whole)
    }

    fn time(&mut self, times: &Times) {
        self.decisions = Some(times.decisions);
        self.fallbacks = Some(times.fallbacks);
        self.late = Some(times.late);
        self.sent_ms_p50 = times.sent_ms_p50;
        self.sent_ms_p99 = times.sent_ms_p99;
        self.sent_ms_max = times.sent_ms_max;
    }
}

/// How a match ended for a seat, where that is known.
pub(super) fn outcome(row: &MatchRow, seat: &SeatRow) -> Option<Standing> {
    if row.ended_us.is_none() {
        return Some(Standing::Live);
    }
    Some(match seat.win_share? {
        share if share >= 1.0 => Standing::Won,
        share if share > 0.0 => Standing::Tied,
        _ => Standing::Lost,
    })
}

/// How many seats did better than this one, and one: winners first, then by score.
fn rank(row: &MatchRow, seat: &SeatRow) -> Option<u32> {
    let placed = |seat: &SeatRow| Some((seat.win_share? > 0.0, seat.score));
    let (own, mut better) = (placed(seat)?, 0);
    for other in row.seats.iter().filter(|other| other.seat != seat.seat) {
        let other = placed(other)?;
        if !own.0 && !other.0 && (own.1.is_none() || other.1.is_none()) {
            return None;
        }
        // Who won together has one rank, whatever the scores of the game's teams.
        let is_first = other.0 && !own.0;
        better += u32::from(is_first || !other.0 && !own.0 && other.1 > own.1);
    }
    Some(better + 1)
}
