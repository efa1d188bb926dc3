//! Filters in a page's address, and the links that keep them.

use super::view::{built_in, title};
use super::visit::Visit;
use crate::api::lists::Rows;
use crate::api::query::parameters;
use crate::store::SeatRow;
use serde_json::json;
use url::form_urlencoded::Serializer;
use utoipa::openapi::path::Parameter;

/// One field of the form.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) value: String,
    /// How it is written, where that is not obvious.
    pub(super) hint: &'static str,
    /// What it may be, as value and label; empty: any text.
    pub(super) choices: Vec<(String, String)>,
}

/// The fields of these names, filled with what was asked for, and with a list's choices.
pub(super) fn fields<L: Rows>(visit: &Visit, names: &[&'static str]) -> Vec<Field> {
    let known = parameters::<L::Filters>();
    let field = |&name: &&'static str| Field {
        name,
        label: label(name),
        value: visit.value(name).unwrap_or_default().to_owned(),
        hint: match name {
            "since" | "until" => "2026-01-31T12:00:00Z",
            _ => "",
        },
        choices: choices(known.iter().find(|filter| filter.name == name)),
    };
    names.iter().map(field).collect()
}

/// The filters that are set, in words, each with the page without it.
pub(super) fn chosen<'a>(
    visit: &Visit,
    fields: impl IntoIterator<Item = &'a Field>,
) -> Vec<(String, String)> {
    let set = fields.into_iter().filter(|field| !field.value.is_empty());
    set.map(|field| {
        let mut choices = field.choices.iter();
        let chosen = choices.find(|(value, _)| *value == field.value);
        let value = chosen.map_or(&field.value, |(_, label)| label);
        (
            format!("{}: {value}", field.label),
            link(visit, field.name, ""),
        )
    })
    .collect()
}

fn label(name: &'static str) -> &'static str {
    match name {
        "game" => "Game",
        "bot" => "Bot",
        "opponent" => "Opponent",
        "entrant" => "Entrant",
        "tournament" => "Tournament",
        "referee" => "Referee",
        "market" => "Referee's number",
        "side" => "Transcript of",
        "outcome" => "The bot's result",
        "cause" => "Ended by",
        "participation" => "A player was",
        "since" => "Since (UTC)",
        "until" => "Until (UTC)",
        "kind" => "Kind",
        name => name,
    }
}

fn choices(filter: Option<&Parameter>) -> Vec<(String, String)> {
    let schema = json!(filter.and_then(|filter| filter.schema.as_ref()));
    let words = schema["enum"].as_array().into_iter().flatten();
    let words = words.filter_map(|word| word.as_str());
    let label = |word: &str| match filter {
        Some(filter) if filter.name == "game" => title(word).to_owned(),
        _ => word.replace('_', " "),
    };
    words.map(|word| (word.to_owned(), label(word))).collect()
}

/// This page with its parameters, but this one as given, and from its first row. Without one of the two that `between`
/// is about, it goes as well.
pub(super) fn link(visit: &Visit, name: &str, value: &str) -> String {
    let alone = value.is_empty() && ["bot", "opponent"].contains(&name);
    let goes = |known: &str| known == name || known == "cursor" || alone && known == "between";
    let others = visit.pairs().filter(|(known, _)| !goes(known));
    query(others.chain((!value.is_empty()).then_some((name, value))))
}

/// To the first page of a list, where this is a later one, to those before and after it, and to the last one, where that is
/// known and a later one than the next.
#[derive(Default)]
pub(super) struct Pager {
    pub(super) first: Option<String>,
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
    pub(super) last: Option<String>,
    /// Which rows of all these are, in words; empty: that is not known.
    pub(super) range: String,
}

impl Pager {
    /// On the page that was asked for; `next` is the next one's cursor.
    pub(super) fn new(visit: &Visit, next: Option<String>) -> Self {
        let later = visit.value("cursor").is_some();
        Self {
            first: later.then(|| link(visit, "cursor", "")),
            next: next.map(|next| link(visit, "cursor", &next)),
            ..Self::default()
        }
    }
}

/// Parameters as they stand in an address.
pub(super) fn query<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let query = Serializer::new(String::new()).extend_pairs(pairs).finish();
    format!("?{query}")
}

/// To the player on a seat: the matches of an entrant or a named player, or a built-in bot's page; empty: there is none.
pub(super) fn to_player(game: &str, seat: &SeatRow) -> String {
    let matches = |by, name: &str| format!("/matches{}", query([("game", game), (by, name)]));
    match (&seat.entrant, &seat.name) {
        (Some(entrant), _) => matches("entrant", entrant),
        (None, Some(name)) => matches("opponent", name),
        (None, None) => {
            built_in(game, seat).map_or_else(String::new, |bot| format!("/bots/{game}/{bot}"))
        }
    }
}
