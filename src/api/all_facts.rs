//! What happened in matches, each once: the games' own facts as flat rows, with names and amounts.

use super::in_matches::{self, InMatch, InMatches};
use super::known::{self, Called};
use super::lists::Rows;
use super::problem::Problem;
use super::query::{Params, allowed};
use super::reader::Reader;
use super::results::{SeatedBots, outcome};
use super::shapes::{Paged, time};
use crate::clock;
use crate::history::{self, EndedWord, Filter, GameWord, Standing};
use crate::store::{MatchRow, SeatRow};
use games::neutral::{BUILT_IN, is_meant};
use games::{MatchFact, Seat};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{IntoParams, PartialSchema, ToSchema};

/// Something that happened in a match. What does not apply, or is not known, is `null`; amounts are points.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MatchFact)]
pub(super) struct MatchFactShown {
    /// The match.
    #[serde(rename = "match")]
    #[schema(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub match_id: String,
    /// When the match began.
    pub started: Timestamp,
    /// The game's name.
    #[schema(example = "koehandel")]
    pub game: String,
    /// The tournament's id, once the match has ended in one.
    pub tournament: Option<String>,
    /// Which one of the match's it is, from 0.
    pub number: u32,
    /// A word of the game's: `auction`, `trade`, `bluff`.
    #[schema(example = "auction")]
    pub kind: String,
    /// Of an auction `sold`, `pre_empted` (the auctioneer bought it) or `free` (nobody bid); of a bluff, whether it was in
    /// an `auction` or in a `trade`.
    #[schema(example = "sold")]
    pub how: Option<String>,
    /// Who bought, challenged or bluffed, as `player` in results.
    #[schema(example = "champion")]
    pub by: Option<String>,
    /// Their seat, from 0.
    pub by_seat: Option<u8>,
    /// How the match ended for them.
    #[schema(inline)]
    pub by_outcome: Option<Standing>,
    /// The other side: who was paid, or was challenged.
    #[schema(example = "evolved")]
    pub with: Option<String>,
    /// Their seat.
    pub with_seat: Option<u8>,
    /// Who owned in the end what it was about.
    #[schema(example = "champion")]
    pub winner: Option<String>,
    /// Their seat.
    pub winner_seat: Option<u8>,
    /// What it was about.
    #[schema(example = "cow")]
    pub item: Option<String>,
    /// How many of these.
    #[schema(example = 1)]
    pub count: Option<i64>,
    /// What the game counts for it.
    #[schema(example = 800)]
    pub value: Option<i64>,
    /// The price of an auction: the highest bid.
    #[schema(example = 190)]
    pub price: Option<i64>,
    /// The next best offer: in an auction the highest bid of another one, in a trade that of who was challenged. Who buys
    /// as the auctioneer has to pay what another one has bid.
    #[schema(example = 150)]
    pub second: Option<i64>,
    /// What a challenger offered, or a bluffer claimed.
    #[schema(example = 190)]
    pub bid: Option<i64>,
    /// What a bluffer held.
    #[schema(example = 60)]
    pub held: Option<i64>,
    /// What was paid.
    #[schema(example = 200)]
    pub paid: Option<i64>,
    /// What was paid, held or offered, in the wire's own letters.
    #[schema(example = "Tf")]
    pub money: Option<String>,
    /// What was paid beyond the next best offer (in a trade, what the winner offered beyond the other one), or what was
    /// claimed beyond what the bluffer held.
    #[schema(example = 50)]
    pub over: Option<i64>,
    /// Whether a bluff was caught; one in a trade is, if it lost.
    #[schema(example = false)]
    pub caught: Option<bool>,
}

/// The columns of the table, in order.
pub(super) const COLUMNS: &[&str] = &[
    "match",
    "started",
    "game",
    "tournament",
    "number",
    "kind",
    "how",
    "by",
    "by_seat",
    "by_outcome",
    "with",
    "with_seat",
    "winner",
    "winner_seat",
    "item",
    "count",
    "value",
    "price",
    "second",
    "bid",
    "held",
    "paid",
    "money",
    "over",
    "caught",
];

/// Which facts of which matches.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct FactFilter {
    /// Only this game.
    #[param(inline, value_type = Option<GameWord>, example = "koehandel")]
    pub game: Option<String>,
    /// Only of this match.
    #[serde(rename = "match")]
    #[param(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub match_id: Option<String>,
    /// Only of matches of this tournament.
    #[param(example = "01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    pub tournament: Option<String>,
    /// Only of matches with this bot of this daemon; a user's is bot:NAME@VERSION, or bot:NAME for all its versions.
    #[param(example = "champion")]
    pub bot: Option<String>,
    /// Only of matches with this opponent.
    #[param(example = "alice")]
    pub opponent: Option<String>,
    /// Only by this player: a bot, an entrant or another name.
    #[param(example = "champion")]
    pub by: Option<String>,
    /// How the match ended for `bot`; without it, for who did this.
    #[param(inline, value_type = Option<EndedWord>)]
    pub outcome: Option<Standing>,
    /// Only of this kind.
    #[param(inline, value_type = Option<KindWord>, example = "bluff")]
    pub kind: Option<String>,
    /// Only bluffs that were caught, or were not.
    #[param(example = true)]
    pub caught: Option<bool>,
    /// Only of matches that did not begin before this time.
    #[serde(rename = "since", deserialize_with = "clock::read")]
    #[param(value_type = Option<jiff::Timestamp>, example = "2026-01-31T12:00:00Z")]
    pub since_us: Option<i64>,
    /// Only of matches that began before this time.
    #[serde(rename = "until", deserialize_with = "clock::read")]
    #[param(value_type = Option<jiff::Timestamp>, example = "2126-01-31T12:00:00Z")]
    pub until_us: Option<i64>,
}

/// A kind of facts that is listed.
pub(super) struct KindWord;

impl ToSchema for KindWord {}

impl PartialSchema for KindWord {
    fn schema() -> RefOr<Schema> {
        let kinds = games::ALL.iter().flat_map(|kit| kit.card().fact_kinds());
        let schema = ObjectBuilder::new().schema_type(Type::String);
        schema.enum_values(Some(kinds.copied())).into()
    }
}

impl FactFilter {
    /// The matches that it asks for, as far as they are over for the caller.
    async fn matches(&self, reader: &Reader) -> Result<Filter, Problem> {
        let (store, sight) = (&reader.state.store, &reader.sight);
        let wanted = self.clone();
        let mut filter = Filter {
            game: wanted.game.or_else(|| only_game(reader)),
            match_id: wanted.match_id,
            tournament: wanted.tournament,
            bot: wanted.bot,
            opponent: wanted.opponent,
            since_us: wanted.since_us,
            until_us: wanted.until_us,
            over_by_us: Some(sight.seen_us()),
            ..Filter::default()
        };
        if let Some(by) = &self.by {
            let by = by.strip_prefix(BUILT_IN).unwrap_or(by);
            if sight.hides(by) {
                return Err(Problem::hidden("by", by));
            }
            let is_free = filter.bot.is_none();
            match known::called(store, by).await? {
                Called::Bot if is_free => filter.bot = Some(by.to_owned()),
                Called::Player if is_free && filter.opponent.is_none() => {
                    filter.opponent = Some(by.to_owned());
                }
                Called::Neither(unknown) => return Err(unknown.into()),
                // Where a player has a bot's name, all matches are looked through.
                Called::Bot | Called::Player | Called::Both => {}
            }
        }
        // Without a bot it is that of any seat.
        filter.outcome = wanted.outcome.filter(|_| self.bot.is_some());
        allowed(&filter, sight)
    }
}

/// The only game that has such facts, so that no other one's matches are looked at.
fn only_game(reader: &Reader) -> Option<String> {
    let store = reader.state.store.reader();
    let cards = games::ALL.iter().map(|kit| kit.card());
    let cards = cards.filter(|card| !card.fact_kinds().is_empty());
    let mut cards = cards.filter(|card| store.kit(card.name).is_some());
    let first = cards.next()?;
    cards.next().is_none().then(|| first.name.to_owned())
}

/// The facts of matches that are over.
pub(super) struct AllFacts;

impl Rows for AllFacts {
    type Item = MatchFactShown;
    type Filters = FactFilter;
    const COLUMNS: &'static [&'static str] = COLUMNS;

    async fn page(reader: &Reader, params: &Params<FactFilter>) -> Paged<MatchFactShown> {
        let wanted = &params.filters;
        let (filter, at) = (wanted.matches(reader).await?, params.page_in_matches()?);
        let mut listed = in_matches::page(&OfMatches(wanted), reader, &filter, at).await?;
        listed.withheld = reader.sight.withheld();
        reader.expects(listed, &filter).await
    }
}

/// The facts that are wanted.
struct OfMatches<'a>(&'a FactFilter);

impl InMatches for OfMatches<'_> {
    type Item = MatchFactShown;
    const READ: u32 = 16;

    async fn rows(
        &self,
        reader: &Reader,
        matches: Vec<MatchRow>,
    ) -> Result<Vec<InMatch<MatchFactShown>>, Problem> {
        let store = reader.state.store.reader();
        let kits = matches.iter().filter_map(|row| store.kit(&row.game));
        let mut kinds: Vec<&str> = kits
            .flat_map(|kit| kit.card().fact_kinds())
            .copied()
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<&str> = matches.iter().map(|row| row.id.as_str()).collect();
        let mut seats = history::facts_by_seat(store, &ids, &kinds).await?;
        let bots = SeatedBots {
            bots: history::bots_by_seat(store, &ids).await?,
            versions: HashMap::new(),
        };
        let mut found = Vec::new();
        for row in &matches {
            let facts = store.kit(&row.game).zip(seats.remove(&row.id));
            let facts = facts.map(|(kit, seats)| kit.card().match_facts(&seats));
            let table = Table {
                reader,
                row,
                bots: &bots,
            };
            for (number, fact) in (0..).zip(facts.unwrap_or_default()) {
                if self.has(&table, &fact) {
                    found.push(InMatch {
                        match_id: row.id.clone(),
                        number,
                        row: table.shown(number, fact),
                    });
                }
            }
        }
        Ok(found)
    }
}

impl OfMatches<'_> {
    fn has(&self, table: &Table<'_>, fact: &MatchFact) -> bool {
        let wanted = self.0;
        let doer = table.seat(fact.by);
        let is_by = |by: &String| doer.is_some_and(|seat| table.has_name(seat, by));
        // Of a bot's matches those that ended so for it; what others did in them, too.
        let of_doer = match &wanted.bot {
            Some(bot) => doer.is_some_and(|seat| table.is_bot(seat, bot)),
            None => true,
        };
        let ended = doer.and_then(|seat| outcome(table.row, seat));
        wanted.kind.as_ref().is_none_or(|kind| kind == fact.kind)
            && (wanted.caught.is_none() || wanted.caught == fact.caught)
            && wanted.by.as_ref().is_none_or(is_by)
            && (wanted.outcome.is_none() || !of_doer || wanted.outcome == ended)
    }
}

/// A match with who sits there.
struct Table<'a> {
    reader: &'a Reader,
    row: &'a MatchRow,
    bots: &'a SeatedBots,
}

impl Table<'_> {
    fn seat(&self, seat: Option<Seat>) -> Option<&SeatRow> {
        let mut seats = self.row.seats.iter();
        seats.find(|row| Some(Seat(row.seat)) == seat)
    }

    /// Whether one of our bots sits there that is meant by this name.
    fn is_bot(&self, seat: &SeatRow, name: &str) -> bool {
        let bot = self.bots.bot(self.row, seat.seat);
        let name = name.strip_prefix(BUILT_IN).unwrap_or(name);
        bot.is_some_and(|bot| is_meant(name, bot))
    }

    /// Whether the player there is meant by this name: its own, its entrant's, its bot's or its spec.
    fn has_name(&self, seat: &SeatRow, name: &str) -> bool {
        let names = [&seat.name, &seat.entrant];
        let is_name = names.into_iter().flatten().any(|known| known == name);
        is_name || self.is_bot(seat, name) || seat.spec == name
    }

    fn shown(&self, number: u32, fact: MatchFact) -> MatchFactShown {
        let (row, sight) = (self.row, &self.reader.sight);
        let name = |seat| self.bots.player(sight, row, self.seat(seat)?);
        let place = row.tournament.as_ref();
        MatchFactShown {
            match_id: row.id.clone(),
            started: time(row.started_us),
            game: row.game.clone(),
            tournament: place.map(|place| place.id.clone()),
            number,
            kind: fact.kind.to_owned(),
            how: fact.how.map(str::to_owned),
            by: name(fact.by),
            by_seat: fact.by.map(|seat| seat.0),
            by_outcome: self.seat(fact.by).and_then(|seat| outcome(row, seat)),
            with: name(fact.with),
            with_seat: fact.with.map(|seat| seat.0),
            winner: name(fact.winner),
            winner_seat: fact.winner.map(|seat| seat.0),
            item: fact.item.map(str::to_owned),
            count: fact.count,
            value: fact.value,
            price: fact.price,
            second: fact.second,
            bid: fact.bid,
            held: fact.held,
            paid: fact.paid,
            money: fact.money,
            over: fact.over,
            caught: fact.caught,
        }
    }
}
