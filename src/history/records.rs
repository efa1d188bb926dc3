//! What the store returns for listing and showing. Types only.

use crate::clock;
pub use crate::store::types::{OpponentKind, Secrecy, SessionRow, StoredModel};

use crate::store::types::{Direction, Entry, EntryId, SeatNotes, SessionId, Side};
use games::{Cause, Part, Participation};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// How a match ended for one of our bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It has not ended.
    Live,
    /// The only best score.
    Won,
    /// One of several best scores.
    Tied,
    /// Another score was better.
    Lost,
}

impl Standing {
    /// What a share of a win between two counts as, 0 to 1.
    pub(super) fn of_share(share: f64) -> Self {
        match share {
            share if share > 0.75 => Self::Won,
            share if share < 0.25 => Self::Lost,
            _ => Self::Tied,
        }
    }
}

/// Which matches, sessions or bluffs to list. `None` everywhere: all. What several fields fit that are common each, but
/// rare together, comes in short pages ([`matches`](super::matches())). Its fields are the filters of REST
/// and of `drover match list`, and their comments say there what these do.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Only this game.
    #[param(inline, value_type = Option<GameWord>, example = "koehandel")]
    pub game: Option<String>,
    /// Only with this bot of this daemon; a user's is bot:NAME@VERSION, or bot:NAME for all its versions.
    #[param(example = "champion")]
    pub bot: Option<String>,
    /// Only with this opponent: a name, an entrant or a bot, as `rival` in records says it. A command or an address only
    /// admins may ask for.
    #[param(example = "alice")]
    pub opponent: Option<String>,
    /// How it ended between `bot` and `opponent`, as their record counts it; it takes both.
    #[param(inline, value_type = Option<EndedWord>)]
    pub between: Option<Standing>,
    /// How it ended for `bot`, or for any of our seats.
    #[param(inline, example = "won")]
    pub outcome: Option<Standing>,
    /// Why it ended. A player that failed in a match that went on to its end is found by `participation`.
    #[param(inline, value_type = Option<CauseWord>, example = "normal")]
    pub cause: Option<Cause>,
    /// Only where a seat took part so: that of `bot` or `entrant`, if these are given, else any. Of most seats of others'
    /// matches it is not known.
    #[param(inline, example = "played")]
    pub participation: Option<Part>,
    /// Not before this time.
    #[serde(rename = "since", deserialize_with = "clock::read")]
    #[param(value_type = Option<jiff::Timestamp>, example = "2026-01-31T12:00:00Z")]
    pub since_us: Option<i64>,
    /// Before this time.
    #[serde(rename = "until", deserialize_with = "clock::read")]
    #[param(value_type = Option<jiff::Timestamp>, example = "2126-01-31T12:00:00Z")]
    pub until_us: Option<i64>,
    /// Only of this referee: a name or an address.
    #[param(example = "localhost")]
    pub referee: Option<String>,
    /// Only with this number of the referee's; of running matches only what the caller may know.
    #[param(example = 12)]
    pub market: Option<u64>,
    /// Only where this side's transcript is stored.
    #[param(inline, example = "player")]
    pub side: Option<Side>,
    /// Over for everyone by then, in microseconds since 1970-01-01 UTC.
    #[serde(skip)]
    pub over_by_us: Option<i64>,
    /// Only matches of this tournament that have ended.
    #[param(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub tournament: Option<String>,
    /// Only with this entrant of a tournament.
    #[param(example = "alice")]
    pub entrant: Option<String>,
    /// Only of this match.
    #[serde(rename = "match")]
    #[param(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub match_id: Option<String>,
    /// Only what runs, or only what has ended.
    #[param(example = false)]
    pub live: Option<bool>,
    /// Only by this place, in the wire's own word.
    #[param(example = "W")]
    pub by: Option<String>,
    /// Only bluffs that were caught, or were not.
    #[param(example = true)]
    pub caught: Option<bool>,
}

impl Filter {
    /// Whether it asks for seats with a side, a bot or a result.
    pub(super) fn is_of_seats(&self) -> bool {
        let ended = self
            .outcome
            .is_some_and(|outcome| outcome != Standing::Live);
        ended || self.bot.is_some() || self.side.is_some()
    }
}

/// Texts that are one of a list of words, in the description of REST.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident: $words:expr;)*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl ToSchema for $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let schema = ObjectBuilder::new().schema_type(Type::String);
                schema.enum_values(Some($words)).into()
            }
        }
    )*};
}

words! {
    /// A game's name.
    GameWord: games::ALL.iter().map(|kit| kit.card().name);
    /// Why a match ended.
    CauseWord: Cause::ALL.map(Cause::word);
    /// How a match that is over ended for one of our bots.
    EndedWord: ["won", "tied", "lost"];
}

/// One page of a list, newest first.
#[derive(Clone, Debug, Serialize)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// The cursor of the next page, if there is one. The page may be shorter than its limit, or empty, all the same.
    pub next: Option<String>,
}

/// Where a page begins and how long it is.
#[derive(Clone, Debug)]
pub struct PageAt {
    /// The last id of the page before.
    pub after: Option<String>,
    /// The maximum number of rows.
    pub limit: u32,
}

impl PageAt {
    /// The first page, of at most `limit` rows.
    #[must_use]
    pub const fn first(limit: u32) -> Self {
        Self { after: None, limit }
    }
}

/// A match of a tournament that has ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TournamentMatch {
    /// Its number in the whole tournament, from 0.
    pub number: u64,
    /// Its round.
    pub round: u32,
    /// Its table in the round, from 0.
    pub table: u32,
    /// The match.
    pub match_id: String,
    /// The seed of its deck.
    pub seed: u64,
    /// The entrants' names, by seat.
    pub entrants: Vec<String>,
    /// Why it ended.
    pub cause: Cause,
    /// The seat at fault for the end.
    pub blame: Option<u8>,
    /// A sentence with details of the end, or empty.
    pub detail: String,
    /// Scores by seat; empty if it has no result.
    pub scores: Vec<i64>,
    /// What else is kept, by seat; may be empty.
    pub notes: Vec<SeatNotes>,
    /// How each seat took part, by seat, where that is known.
    pub participation: Vec<Option<Participation>>,
    /// Microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// Microseconds since 1970-01-01 UTC.
    pub ended_us: i64,
}

/// One line of a match's transcripts.
#[derive(Clone, Debug, Serialize, PartialEq, ToSchema)]
#[schema(as = Entry)]
pub struct MatchEntry {
    /// Its number in the log: rises in the order in which entries were stored.
    #[schema(value_type = i64)]
    pub id: EntryId,
    /// Its session.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// Whose transcript.
    pub side: Side,
    /// The session's seat, where known.
    pub seat: Option<u8>,
    /// The session's bot, or the seat's spec for a referee's transcript.
    #[schema(example = "champion")]
    pub bot: String,
    /// Its index in its session's transcript, from 0.
    pub seq: u64,
    /// When it was received or decided.
    #[serde(rename = "at", serialize_with = "clock::shown")]
    #[schema(value_type = Timestamp)]
    pub at_us: i64,
    /// Seen from the session's own side.
    pub direction: Direction,
    /// Its exact text.
    pub text: String,
    /// The name on the session's seat, where seat and name are known.
    #[serde(skip)]
    pub entrant: Option<String>,
}

impl MatchEntry {
    /// An entry of this session.
    pub(super) fn new(session: &SessionRow, entry: Entry) -> Self {
        Self {
            id: entry.id,
            session: session.id,
            side: session.opened.side,
            seat: session.opened.seat,
            bot: session.opened.bot.clone(),
            seq: entry.seq,
            at_us: entry.at_us,
            direction: entry.direction,
            text: entry.text,
            entrant: session.secrecy.entrant.clone(),
        }
    }
}

/// A stored fact.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = Fact)]
pub struct FactRow {
    /// Its number.
    pub id: i64,
    /// The session whose transcript it is from.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// The session's seat, where known.
    pub seat: Option<u8>,
    /// The session's bot.
    pub bot: String,
    /// The entry that it is from.
    #[schema(value_type = Option<i64>)]
    pub entry: Option<EntryId>,
    /// A word from the game's own list.
    pub kind: String,
    /// The details.
    pub data: Value,
    /// The seats that noted it, where each event stands once; `data` is then what all of them know, with players by seat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<u8>,
    /// The name on the session's seat, where seat and name are known.
    #[serde(skip)]
    pub entrant: Option<String>,
}

/// A bluff that was made in a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Bluff)]
pub struct BluffRow {
    /// Its number.
    pub id: i64,
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The session whose transcript it is from.
    #[schema(value_type = i64)]
    pub session: SessionId,
    /// The session's bot.
    #[schema(example = "champion")]
    pub bot: String,
    /// The entry that revealed it.
    #[schema(value_type = Option<i64>)]
    pub entry: Option<EntryId>,
    /// When it was revealed.
    #[serde(rename = "at", serialize_with = "clock::shown")]
    #[schema(value_type = Timestamp)]
    pub at_us: i64,
    /// The bluffer, in the wire's own word.
    #[schema(example = "W")]
    pub by: String,
    /// The bluffer's seat in the match, where known.
    pub seat: Option<u8>,
    /// The bluffer's name, where known.
    pub opponent: Option<String>,
    /// The amount claimed, where it is known: to those who saw the end of the bidding, and from a transcript of the
    /// bluffer's own seat, as our own referee stores them; `null` where it may have been more.
    #[schema(example = 190)]
    pub bid: Option<i64>,
    /// At least so much was claimed.
    #[schema(example = 190)]
    pub bid_at_least: i64,
    /// What the bluffer held, if revealed.
    #[schema(example = 60)]
    pub held: Option<i64>,
    /// Whether it was caught.
    pub caught: bool,
    /// Who may see it.
    #[serde(skip)]
    pub secrecy: Secrecy,
}

/// What one seat of a tournament's match has learnt about a rival or a map.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentLesson {
    /// The rival's name in the tournament, if it is about one.
    pub entrant: Option<String>,
    /// The learnt type that it fits well enough to be counted for it.
    pub kind: Option<String>,
    /// The game's own counts.
    pub evidence: Value,
}

/// What a session learnt about a rival, as far as models are concerned.
#[derive(Clone, Debug)]
pub struct Teaching {
    /// The game's name.
    pub game: String,
    /// The named opponent whose model it was merged into, if any.
    pub name: Option<String>,
    /// The learnt type that it matched, if any.
    pub kind: Option<String>,
    /// Who may see it.
    pub secrecy: Secrecy,
}

/// Results between two, as the game counts them for ratings: seat against seat.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Score {
    /// How often they met with a result; two of our seats at a table of one rival meet it twice.
    pub games: u64,
    /// How often the first did better.
    pub won: u64,
    /// How often they did alike.
    pub tied: u64,
    /// How often the first did worse.
    pub lost: u64,
    /// The first's share of these games, 0 to 1.
    pub pair_score: f64,
    /// The lower end of its 95 % interval.
    pub pair_score_low: f64,
    /// The upper end.
    pub pair_score_high: f64,
}

/// How results between two change.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Trend {
    /// The older half of their matches.
    pub older: Score,
    /// The newer half.
    pub newer: Score,
    /// The newer half's share less the older one's, -1 to 1.
    pub change: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Bluffs of one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct VersusBluffs {
    /// How many, each once.
    pub count: u64,
    /// How many of them were caught.
    pub caught: u64,
    /// The mean amount claimed.
    pub bid: Option<f64>,
    /// The mean amount held, where known.
    pub held: Option<f64>,
    /// The mean of what was claimed beyond it, where known.
    pub over: Option<f64>,
}

/// Decision times of one side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Times {
    /// How many decisions.
    pub decisions: u64,
    /// How many of them were the fallback's.
    pub fallbacks: u64,
    /// How many were late: the answer left after the wire's limit, or who was to decide gave none in time.
    pub late: u64,
    /// Milliseconds until the answer left: half of the decisions took no longer.
    pub sent_ms_p50: Option<f64>,
    /// The same for 99 in 100.
    pub sent_ms_p99: Option<f64>,
    /// The longest.
    pub sent_ms_max: Option<f64>,
}

/// The record of our side against a rival.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Versus {
    /// The entrant's, opponent's or bot's name; or the seat's spec, empty where nothing is known.
    pub rival: String,
    /// In how many matches they met. A bot that met itself is counted once, from the lower seat.
    pub matches: u64,
    /// All of it.
    #[serde(flatten)]
    pub all: Score,
    /// The mean share of the win of our seats in these matches, whichever others won: 1/k for one of k winners.
    pub win_share: Option<f64>,
    /// By our seat.
    #[schema(value_type = BTreeMap<String, Score>)]
    pub seats: BTreeMap<u8, Score>,
    /// By how many seats clockwise from ours the rival sat.
    #[schema(value_type = BTreeMap<String, Score>)]
    pub places: BTreeMap<u8, Score>,
    /// How it changes, where there are 8 matches or more.
    pub trend: Option<Trend>,
    /// How many of their matches ended for which cause.
    pub causes: BTreeMap<String, u64>,
    /// How many matches ended by our seat's fault.
    pub blamed: u64,
    /// How many ended by the rival's.
    pub rival_blamed: u64,
    /// Of how many matches, the newest ones, bluffs and times are shown below.
    pub detailed: u64,
    /// Of how many matches nothing but the result may be shown yet.
    pub hidden: u64,
    /// Our bluffs in the newest matches.
    pub own_bluffs: VersusBluffs,
    /// The rival's.
    pub rival_bluffs: VersusBluffs,
    /// How long we decided in the newest matches, where recorded.
    pub own_times: Times,
    /// How long the rival decided, where our referee recorded it.
    pub rival_times: Times,
    /// Whether there are older matches that are not counted.
    pub more: bool,
}
