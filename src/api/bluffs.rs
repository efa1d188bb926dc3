//! The bluff history.

use super::events::{self, Begin};
use super::lists::Rows;
use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::shapes::{Listed, time};
use super::sight::{Sight, WITHHELD};
use crate::store::{BluffRow, EntryId, Filter, Page, PageAt, SessionId};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// The filters of the list.
pub(super) const FILTERS: &[&str] = &[
    "game", "match", "opponent", "by", "bot", "caught", "since", "until",
];

/// How often rows are read for one page that its caller may see; after that the page is shorter.
const READS_MAX: usize = 100;

/// A bluff that was made in a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Bluff)]
pub(super) struct BluffShown {
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
    pub at: Timestamp,
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
}

/// The list of bluffs.
pub(super) struct Bluffs;

impl Rows for Bluffs {
    type Item = BluffShown;
    const FILTERS: &'static [&'static str] = FILTERS;
    const FOLLOW: Option<Begin<Self>> =
        Some(|reader, params| Box::pin(events::Bluffs::begin(reader, params)));

    async fn page(reader: &Reader, params: &Params) -> Result<(Listed<BluffShown>, bool), Problem> {
        let listed = page(reader, params).await?;
        Ok((reader.expects(listed, params).await?, false))
    }
}

/// Bluffs, newest first.
pub(super) async fn page(reader: &Reader, params: &Params) -> Result<Listed<BluffShown>, Problem> {
    let filter = params.filter_for(&reader.sight)?;
    let rows = seen(reader, &filter, params.page()?).await?;
    let mut listed = Listed::page(rows, |row| shown(&reader.sight, row));
    // Sent whether or not anything was left out: the difference would reveal what is happening.
    listed.withheld = (!reader.sight.sees_all()).then_some(WITHHELD);
    Ok(listed)
}

/// The next page of what the caller sees. Its cursor is a row that the caller sees, present only if it sees
/// another one after it, so that it reveals nothing about those between.
async fn seen(reader: &Reader, filter: &Filter, at: PageAt) -> Result<Page<BluffRow>, Problem> {
    let limit = at.limit as usize;
    let mut at = PageAt {
        limit: at.limit + 1,
        ..at
    };
    let mut items = Vec::new();
    for _ in 0..READS_MAX {
        let read = reader.state.store.bluffs(filter, &at).await?;
        let shown = read
            .items
            .into_iter()
            .filter(|row| reader.sight.sees(&row.secrecy));
        items.extend(shown);
        at.after = read.next;
        if items.len() > limit || at.after.is_none() {
            break;
        }
    }
    if items.len() > limit {
        items.truncate(limit);
        at.after = items.last().map(|row| row.id.to_string());
    }
    let next = at.after;
    Ok(Page { items, next })
}

pub(super) fn shown(sight: &Sight, row: BluffRow) -> BluffShown {
    BluffShown {
        id: row.id,
        match_id: row.match_id,
        game: row.game,
        session: row.session,
        bot: sight
            .spec(&row.bot, row.secrecy.entrant.as_deref())
            .to_owned(),
        entry: row.entry,
        at: time(row.at_us),
        by: row.by,
        seat: row.seat,
        opponent: row.opponent,
        bid: row.bid,
        bid_at_least: row.bid_at_least,
        held: row.held,
        caught: row.caught,
    }
}
