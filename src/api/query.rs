//! Query parameters: each known, given once, and with a value that its schema allows. What a parameter is called, does
//! and takes is said once: by the field of the struct into which it is read.

use super::problem::Problem;
use super::sight::Sight;
use crate::clock;
use crate::history::GameWord;
use crate::history::{Filter, PageAt};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;
use url::form_urlencoded;
use utoipa::IntoParams;
use utoipa::openapi::path::Parameter;

/// Rows per page by default.
const LIMIT_DEFAULT: u32 = 50;
/// The most rows per page.
pub(super) const LIMIT_MAX: u32 = 250;
/// The most rows of a list that is usually one page.
const ALL_MAX: u32 = 100_000;
/// Letters of a ULID.
const ULID_LEN: usize = 26;
/// How long the next page of a list that is followed is waited for by default, in seconds.
const WAIT_S_DEFAULT: u64 = 20;

/// The parameters that a struct is read from.
pub(super) fn parameters<Q: IntoParams>() -> Vec<Parameter> {
    Q::into_params(|| None)
}

/// The query of a request, read into a struct. Parameters that it has no field for are refused.
pub(super) struct Query<Q>(pub(super) Q);

impl<S: Sync, Q: DeserializeOwned + IntoParams> FromRequestParts<S> for Query<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        Checked::read(query, &parameters::<Q>())?.get().map(Self)
    }
}

/// A query each of whose parameters is known and has a value that it takes.
pub(super) struct Checked<'a>(&'a str);

impl<'a> Checked<'a> {
    /// Reads a query that may hold only these parameters.
    pub(super) fn read(query: &'a str, known: &[Parameter]) -> Result<Self, Problem> {
        let names = known.iter().map(|parameter| parameter.name.as_str());
        for (name, value) in named(query, names)? {
            let parameter = known.iter().find(|parameter| parameter.name == name);
            let schema = parameter.and_then(|parameter| parameter.schema.as_ref());
            check(&name, &value, &json!(schema))?;
        }
        Ok(Self(query))
    }

    /// Those of the parameters that `Q` has.
    pub(super) fn get<Q: DeserializeOwned>(&self) -> Result<Q, Problem> {
        let read = serde_urlencoded::from_str(self.0);
        read.map_err(|error| Problem::parameter("query", error.to_string(), [""; 0]))
    }

    /// What a list is asked whose path names this.
    pub(super) fn params<F: DeserializeOwned>(
        &self,
        of: Vec<String>,
    ) -> Result<Params<F>, Problem> {
        Ok(Params {
            of,
            filters: self.get()?,
            page: self.get()?,
            streamed: false,
        })
    }
}

/// A query's parameters, which may have only these names.
pub(super) fn named<'a>(
    query: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<BTreeMap<String, String>, Problem> {
    let mut found = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if !names.clone().any(|known| known == name) {
            let detail = format!("there is no parameter {name:?} here");
            return Err(Problem::parameter(&name, detail, names));
        }
        let why = match found.contains_key(&*name) {
            true => "is given more than once",
            false if value.contains(char::REPLACEMENT_CHARACTER) => {
                "is not UTF-8 when its percent signs are decoded"
            }
            false => "",
        };
        if !why.is_empty() {
            let detail = format!("{name} {why}");
            return Err(Problem::parameter(&name, detail, [""; 0]));
        }
        found.insert(name.into_owned(), value.into_owned());
    }
    Ok(found)
}

/// Refuses a value that a parameter's schema does not allow.
fn check(name: &str, value: &str, schema: &Value) -> Result<(), Problem> {
    let words: Vec<&str> = match (&schema["type"], &schema["enum"]) {
        (Value::String(kind), _) if kind == "boolean" => vec!["true", "false"],
        (_, words) => {
            let words = words.as_array().into_iter().flatten();
            words.filter_map(Value::as_str).collect()
        }
    };
    let mut given = format!("{value:?}");
    let (takes, allowed) = if !words.is_empty() {
        if words.contains(&value) {
            return Ok(());
        }
        let allowed = words.iter().map(ToString::to_string).collect();
        (words.join(", "), allowed)
    } else if schema["type"] == "integer" {
        let bound = |name: &str| schema[name].as_f64().map(|bound| bound as i64);
        let least = bound("minimum").unwrap_or(0);
        let most = bound("maximum");
        let range = least..=most.unwrap_or(i64::MAX);
        let number = value.parse::<i64>().ok();
        if let Some(number) = number.filter(|_| !value.starts_with('+')) {
            if range.contains(&number) {
                return Ok(());
            }
            given = number.to_string();
        }
        match most {
            Some(_) => (format!("{range:?}"), vec![format!("{range:?}")]),
            None => (
                format!("a whole number from {least} to {}", i64::MAX),
                Vec::new(),
            ),
        }
    } else if schema["format"] == "date-time" && clock::moment(value).is_none() {
        // A plus sign is a space in a query.
        let plus = match value.contains(' ') {
            true => " (write + as %2B)",
            false => "",
        };
        let takes = format!("a time such as 2026-01-31T12:00:00Z{plus}");
        (takes, vec!["RFC 3339".to_owned()])
    } else {
        return Ok(());
    };
    let detail = format!("{name} is {given}; it takes {takes}");
    Err(Problem::parameter(name, detail, allowed))
}

/// No parameters.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
pub(super) struct Nothing {}

/// Which fields are shown.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Sparse {
    /// Only these fields, separated by commas; a dot leads into a field.
    #[param(min_length = 1)]
    pub fields: Option<String>,
}

/// Which page of a list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Page {
    /// The maximum number of rows of a page.
    #[param(minimum = 1, maximum = 250, example = 5)]
    pub limit: Option<u32>,
    /// Where the page begins: `next` of the page before.
    #[param(min_length = 1)]
    pub cursor: Option<String>,
}

/// Whether a list is followed.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Follow {
    /// Whether to go on with what comes: the next page waits for rows, a stream ends with its match or never. Lists
    /// whose newest rows come first begin with `limit` of these, the oldest of them first.
    #[param(example = false)]
    follow: Option<bool>,
    /// With `follow`: how long a page may wait for rows, in seconds.
    #[param(maximum = 25, example = 5)]
    wait: Option<u64>,
}

impl Follow {
    /// How long to wait for rows; `None` if the list is not followed. Every answer comes within 30 s.
    pub(super) fn wait(&self) -> Option<Duration> {
        let wait_s = self.wait.unwrap_or(WAIT_S_DEFAULT);
        (self.follow == Some(true)).then(|| Duration::from_secs(wait_s))
    }
}

/// Lists that are filtered by game alone.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ByGame {
    /// Only this game.
    #[param(inline, value_type = Option<GameWord>, example = "koehandel")]
    pub game: Option<String>,
}

impl ByGame {
    /// Whether the game is wanted.
    pub(super) fn has(&self, game: &str) -> bool {
        self.game.as_deref().is_none_or(|wanted| wanted == game)
    }
}

/// What a list is asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Params<F> {
    /// What its path names.
    pub of: Vec<String>,
    /// Which rows.
    pub filters: F,
    /// Which page of them.
    pub page: Page,
    /// Whether all rows are streamed, in long pages.
    pub streamed: bool,
}

impl<S: Sync, F: DeserializeOwned + IntoParams> FromRequestParts<S> for Params<F> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        let known = [parameters::<F>(), parameters::<Page>()].concat();
        Checked::read(query, &known)?.params(Vec::new())
    }
}

impl<F: Default> Params<F> {
    /// The first page, of this many rows.
    pub(super) fn first(filters: F, limit: u32) -> Self {
        let page = Page {
            limit: Some(limit),
            cursor: None,
        };
        Self {
            filters,
            page,
            ..Self::default()
        }
    }
}

impl<F> Params<F> {
    /// The id of what the path names.
    pub(super) fn id(&self) -> &str {
        self.of.first().map_or("", String::as_str)
    }

    /// The two things that the path names.
    pub(super) fn both(&self) -> [&str; 2] {
        let second = self.of.get(1).map_or("", String::as_str);
        [self.id(), second]
    }

    /// Where the page begins and its length; its cursor is a number.
    pub(super) fn page(&self) -> Result<PageAt, Problem> {
        self.number::<i64>()?;
        Ok(self.page_of(LIMIT_DEFAULT, LIMIT_MAX))
    }

    /// The same if the cursor is a match's id.
    pub(super) fn page_of_matches(&self) -> Result<PageAt, Problem> {
        self.page_where(is_id)
    }

    /// The same if a number in the match may follow its id, after a dot.
    pub(super) fn page_in_matches(&self) -> Result<PageAt, Problem> {
        self.page_where(|cursor| match cursor.split_once('.') {
            Some((id, number)) => is_id(id) && number.parse::<u32>().is_ok(),
            None => is_id(cursor),
        })
    }

    fn page_where(&self, is_cursor: impl Fn(&str) -> bool) -> Result<PageAt, Problem> {
        match self.page.cursor.as_ref().filter(|it| !is_cursor(it)) {
            Some(cursor) => Err(Problem::cursor(cursor)),
            None => Ok(self.page_of(LIMIT_DEFAULT, LIMIT_MAX)),
        }
    }

    /// The same for lists that are one page unless a limit is given.
    pub(super) fn page_or_all(&self) -> Result<PageAt, Problem> {
        self.number::<i64>()?;
        Ok(self.page_of(ALL_MAX, LIMIT_MAX))
    }

    /// The same for lists that are computed whole: where all of it is wanted, that is one page.
    pub(super) fn page_or_whole(&self) -> Result<PageAt, Problem> {
        self.number::<i64>()?;
        Ok(self.page_of(ALL_MAX, ALL_MAX))
    }

    /// The cursor as a number.
    pub(super) fn number<N: FromStr>(&self) -> Result<Option<N>, Problem> {
        let number = self.page.cursor.as_ref().map(|cursor| {
            let number = cursor.parse::<N>();
            number.map_err(|_| Problem::cursor(cursor))
        });
        number.transpose()
    }

    fn page_of(&self, rows: u32, rows_streamed: u32) -> PageAt {
        let rows = match self.streamed {
            true => rows_streamed,
            false => rows,
        };
        PageAt {
            after: self.page.cursor.clone(),
            limit: self.page.limit.unwrap_or(rows),
        }
    }
}

/// Whether this is a match's id in form.
fn is_id(cursor: &str) -> bool {
    cursor.len() == ULID_LEN && cursor.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The filters as lists take them, if a caller who sees so much may ask for them.
pub(super) fn allowed(filter: &Filter, sight: &Sight) -> Result<Filter, Problem> {
    let filter = sound(filter.clone())?;
    let address = |referee: &&String| sight.hides_referee(referee);
    if let Some(referee) = filter.referee.as_ref().filter(address) {
        let detail = format!("referee is {referee:?}; addresses are shown to callers with a token");
        return Err(Problem::parameter("referee", detail, [""; 0]));
    }
    for (name, player) in [("bot", &filter.bot), ("opponent", &filter.opponent)] {
        if let Some(player) = player.as_ref().filter(|player| sight.hides(player)) {
            return Err(Problem::hidden(name, player));
        }
    }
    Ok(filter)
}

/// Filters as lists take them: a built-in bot is found by either of its names, and what is about two names both.
pub(super) fn sound(mut filter: Filter) -> Result<Filter, Problem> {
    if filter.between.is_some() && (filter.bot.is_none() || filter.opponent.is_none()) {
        let detail = "between is about two: it takes bot and opponent besides it";
        return Err(Problem::parameter("between", detail.into(), [""; 0]));
    }
    let built_in = filter
        .bot
        .as_deref()
        .and_then(|bot| bot.strip_prefix("builtin:"));
    filter.bot = built_in.map(str::to_owned).or(filter.bot);
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::{ALL_MAX, Filter, LIMIT_MAX, Params, Sight, allowed};
    use crate::access::{Rights, Scope};
    use std::time::Duration;

    #[test]
    fn a_streamed_list_that_is_computed_whole_is_one_page() {
        let limits = |params: &Params<()>| {
            let (all, whole) = (
                params.page_or_all().unwrap(),
                params.page_or_whole().unwrap(),
            );
            (all.limit, whole.limit)
        };
        let streamed = Params {
            streamed: true,
            ..Params::default()
        };
        assert_eq!(limits(&streamed), (LIMIT_MAX, ALL_MAX));
        assert_eq!(limits(&Params::default()), (ALL_MAX, ALL_MAX));
        assert_eq!(limits(&Params::first((), 7)), (7, 7));
    }

    #[test]
    fn players_commands_and_addresses_are_not_found_by_guessing() {
        let sight = |rights| Sight::new(rights, Duration::ZERO);
        let read: Scope = "read".parse().unwrap();
        let [public, reader, admin] =
            [Rights::public(), Rights::new([read]), Rights::admin()].map(sight);
        let asked = |player: Option<&str>, opponent: Option<&str>, referee: Option<&str>| {
            let [bot, opponent, referee] =
                [player, opponent, referee].map(|it| it.map(String::from));
            let filter = Filter {
                bot,
                opponent,
                referee,
                ..Filter::default()
            };
            [&public, &reader, &admin].map(|sight| allowed(&filter, sight).is_ok())
        };
        for spec in [
            "cmd:/home/ann/bot --key k",
            "url:http://10.0.0.7/",
            "cmd",
            "url",
        ] {
            assert_eq!(asked(Some(spec), None, None), [false, false, true]);
            assert_eq!(asked(None, Some(spec), None), [false, false, true]);
        }
        assert_eq!(
            asked(None, None, Some("10.0.0.7:3002/a")),
            [false, true, true]
        );
        assert_eq!(
            asked(Some("champion"), Some("ann"), Some("drover")),
            [true; 3]
        );
    }
}
