//! Whether the names that a list is filtered by are known anywhere: one that is not is a mistake, not an empty list.

use super::problem::Problem;
use super::query::LIMIT_MAX;
use crate::history::{self, Filter, PageAt};
use crate::store::{Store, StoreError};
use games::neutral::is_meant;

/// Names that are shown because they look like an unknown one.
const NEAREST_MAX: usize = 3;
/// How alike they must be, from 0 to 1.
const ALIKE: f64 = 0.75;

/// A value of a filter that fits nothing that there is or was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    filter: &'static str,
    detail: String,
    allowed: Vec<String>,
}

impl Unknown {
    /// Which, and what there is instead, as a sentence.
    #[must_use]
    pub fn into_detail(self) -> String {
        self.detail
    }
}

impl From<Unknown> for Problem {
    fn from(unknown: Unknown) -> Self {
        Self::parameter(unknown.filter, unknown.detail, unknown.allowed)
    }
}

/// The first filter whose value is known nowhere; to be asked where a list is empty.
///
/// # Errors
/// That the store cannot be read.
pub async fn unknown(store: &Store, filter: &Filter) -> Result<Option<Unknown>, StoreError> {
    if let Some(bot) = &filter.bot
        && let Some(unknown) = unknown_bot(store, bot).await?
    {
        return Ok(Some(unknown));
    }
    if let Some(id) = &filter.match_id
        && history::match_row(store.reader(), id).await?.is_none()
    {
        return Ok(Some(none("match", id, "there is no such match")));
    }
    if let Some(id) = &filter.tournament
        && history::tournament(store.reader(), id).await?.is_none()
    {
        let why = "there is no such tournament: it takes an id, which the list of tournaments has";
        return Ok(Some(none("tournament", id, why)));
    }
    let places = |by: &String| {
        let mut cards = games::ALL.iter().map(|kit| kit.card());
        cards.any(|card| card.places.clockwise(by).is_some())
    };
    if let Some(by) = filter.by.as_ref().filter(|by| !places(by)) {
        return Ok(Some(none("by", by, "no game calls a place so")));
    }
    for (name, value) in [
        ("opponent", &filter.opponent),
        ("entrant", &filter.entrant),
        ("referee", &filter.referee),
    ] {
        let Some(value) = value else { continue };
        let mut alone = Filter::default();
        let only = match name {
            "opponent" => &mut alone.opponent,
            "entrant" => &mut alone.entrant,
            _ => &mut alone.referee,
        };
        *only = Some(value.clone());
        let met = history::matches(store.reader(), &alone, &PageAt::first(1)).await?;
        if met.items.is_empty()
            && met.next.is_none()
            && !(name == "entrant" && is_entered(store, value).await?)
        {
            return Ok(Some(none(name, value, "no match has that one")));
        }
    }
    Ok(None)
}

/// Whether one of this name is entered for one of the last tournaments: it may not have played yet.
async fn is_entered(store: &Store, name: &str) -> Result<bool, StoreError> {
    let last = history::tournaments(store.reader(), None, &PageAt::first(LIMIT_MAX)).await?;
    let mut entrants = last.items.iter().flat_map(|row| &row.entrants);
    Ok(entrants.any(|entrant| entrant.name == name))
}

/// Whose name it is.
pub(super) enum Called {
    Bot,
    /// A player's or an entrant's, but no bot's.
    Player,
    Both,
    /// Nobody's: the filter `by` with this name is a mistake.
    Neither(Unknown),
}

/// Whose name this is: a bot's, a player's or an entrant's.
///
/// # Errors
/// As [`unknown`].
pub(super) async fn called(store: &Store, name: &str) -> Result<Called, StoreError> {
    let no_bot = unknown_bot(store, name).await?;
    let is_player = history::is_player(store.reader(), name).await?;
    Ok(match (no_bot, is_player) {
        (None, false) => Called::Bot,
        (None, true) => Called::Both,
        (Some(_), true) => Called::Player,
        (Some(no_bot), false) => Called::Neither(Unknown {
            filter: "by",
            detail: format!("by is {name:?}; no player of a match has this name, and no bot"),
            ..no_bot
        }),
    })
}

/// What is wrong with a bot's name; `None` for that of one that is built in or has played.
///
/// # Errors
/// As [`unknown`].
pub(super) async fn unknown_bot(store: &Store, bot: &str) -> Result<Option<Unknown>, StoreError> {
    let built_in = games::ALL.iter().flat_map(|kit| kit.card().bots);
    let mut names: Vec<String> = built_in.map(|card| card.name.to_owned()).collect();
    let played = history::programs_played(store.reader(), None).await?;
    if names.iter().any(|name| name == bot) || played.iter().any(|(_, name)| is_meant(bot, name)) {
        return Ok(None);
    }
    let alone = Filter {
        bot: Some(bot.to_owned()),
        ..Filter::default()
    };
    // Bots of earlier versions, and of games that are no more.
    let met = history::matches(store.reader(), &alone, &PageAt::first(1)).await?;
    if !met.items.is_empty() || met.next.is_some() {
        return Ok(None);
    }
    names.extend(played.into_iter().map(|(_, name)| name));
    names.sort_unstable();
    names.dedup();
    let likeness = |name: &String| strsim::jaro_winkler(name, bot);
    let mut near: Vec<&String> = names.iter().filter(|name| likeness(name) > ALIKE).collect();
    near.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
    near.truncate(NEAREST_MAX);
    let near: Vec<&str> = near.into_iter().map(String::as_str).collect();
    let meant = match near.is_empty() {
        true => format!("; there are: {}", names.join(", ")),
        false => format!("; did you mean {}?", near.join(", ")),
    };
    let why = format!("no such bot is built in, and none has played{meant}");
    Ok(Some(Unknown {
        allowed: names,
        ..none("bot", bot, &why)
    }))
}

fn none(filter: &'static str, value: &str, why: &str) -> Unknown {
    Unknown {
        filter,
        detail: format!("{filter} is {value:?}; {why}"),
        allowed: Vec::new(),
    }
}
