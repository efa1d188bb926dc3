//! Query parameters: each known, given once, and with a meaningful value.

use super::problem::Problem;
use super::sight::Sight;
use crate::store::{Filter, PageAt, Side, Standing};
use games::{Cause, Part};
use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;
use std::time::Duration;

/// Rows per page by default.
const LIMIT_DEFAULT: u32 = 50;
/// The most rows per page.
pub(super) const LIMIT_MAX: u32 = 250;
/// The most rows of a list that is usually one page.
const ALL_MAX: u32 = 100_000;
/// Letters of a ULID.
const ULID_LEN: usize = 26;

/// The parameters that lists accept besides their filters.
pub(super) const PAGE: &[&str] = &["limit", "cursor"];

/// The parameters of lists that can be followed.
pub(super) const FOLLOW: &[&str] = &["follow", "wait"];
/// How long the next page of a list that is followed is waited for by default, in seconds.
const WAIT_S_DEFAULT: u64 = 20;
/// The longest wait; every answer comes within 30 s.
pub(super) const WAIT_S_MAX: u64 = 25;

/// The parameter that makes answers sparse.
pub(super) const FIELDS: &[&str] = &["fields"];

/// A request's query parameters, and the thing that its path names.
#[derive(Clone, Debug, Default)]
pub(super) struct Params {
    given: BTreeMap<String, String>,
    of: Vec<String>,
    /// Whether all rows are streamed.
    whole: bool,
}

impl Params {
    /// Reads a query string that may hold only parameters of these names.
    pub(super) fn read(query: Option<&str>, names: &[&[&str]]) -> Result<Self, Problem> {
        let mut found = BTreeMap::new();
        for pair in query
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
        {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            if !names.iter().any(|names| names.contains(&name.as_str())) {
                let known = names.iter().copied().flatten().copied();
                let detail = format!("there is no parameter {name:?} here");
                return Err(Problem::parameter(&name, detail, known));
            }
            if found.contains_key(&name) {
                let detail = format!("{name} is given more than once");
                return Err(Problem::parameter(&name, detail, [""; 0]));
            }
            found.insert(name, value);
        }
        Ok(Self {
            given: found,
            ..Self::default()
        })
    }

    /// The same about what the path names.
    pub(super) fn of<'a>(mut self, named: impl Iterator<Item = &'a str>) -> Self {
        self.of = named.map(str::to_owned).collect();
        self
    }

    /// The id of what the path names.
    pub(super) fn id(&self) -> &str {
        self.named(0)
    }

    /// What the path names at this place, from 0.
    pub(super) fn named(&self, at: usize) -> &str {
        self.of.get(at).map_or("", String::as_str)
    }

    /// The same with long pages, and whether all of them are wanted: no limit was given.
    pub(super) fn for_stream(mut self) -> (bool, Self) {
        let whole = !self.given.contains_key("limit");
        if whole {
            self.given.insert("limit".into(), LIMIT_MAX.to_string());
        }
        self.whole = whole;
        (whole, self)
    }

    /// The same for the page that begins there.
    pub(super) fn at(self, cursor: String) -> Self {
        self.with("cursor", cursor)
    }

    /// The same with another value of this parameter.
    pub(super) fn with(mut self, name: &str, value: String) -> Self {
        self.given.insert(name.to_owned(), value);
        self
    }

    /// The same without this parameter.
    pub(super) fn without(mut self, name: &str) -> Self {
        self.given.remove(name);
        self
    }

    /// How long to wait for rows of a list that is followed; `None` if it is not.
    pub(super) fn follow(&self) -> Result<Option<Duration>, Problem> {
        let wait_s = self.number::<u64>("wait")?.unwrap_or(WAIT_S_DEFAULT);
        if wait_s > WAIT_S_MAX {
            let range = format!("0..={WAIT_S_MAX}");
            let detail = format!("wait is {wait_s}; it takes {range}, in seconds");
            return Err(Problem::parameter("wait", detail, [range]));
        }
        let follows = self.truth("follow")? == Some(true);
        Ok(follows.then(|| Duration::from_secs(wait_s)))
    }

    /// A text as it is.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.given.get(name).cloned()
    }

    /// One of a few words.
    pub(super) fn word<T>(
        &self,
        name: &str,
        words: impl IntoIterator<Item = (&'static str, T)>,
    ) -> Result<Option<T>, Problem> {
        let Some(value) = self.given.get(name) else {
            return Ok(None);
        };
        let mut allowed = Vec::new();
        for (word, meaning) in words {
            if word == value {
                return Ok(Some(meaning));
            }
            allowed.push(word);
        }
        let detail = format!("{name} is {value:?}; it takes {}", allowed.join(", "));
        Err(Problem::parameter(name, detail, allowed))
    }

    /// `true` or `false`.
    pub(super) fn truth(&self, name: &str) -> Result<Option<bool>, Problem> {
        self.word(name, [("true", true), ("false", false)])
    }

    /// A whole number from 0 up.
    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Problem> {
        let Some(value) = self.given.get(name) else {
            return Ok(None);
        };
        let detail = || format!("{name} is {value:?}; it takes a whole number in range");
        let plain = value.bytes().all(|byte| byte.is_ascii_digit());
        let number = value.parse().ok().filter(|_| plain);
        let number = number.ok_or_else(|| Problem::parameter(name, detail(), [""; 0]));
        number.map(Some)
    }

    /// Where the page begins and its length; its cursor is a number.
    pub(super) fn page(&self) -> Result<PageAt, Problem> {
        self.page_by(|cursor| cursor.parse::<i64>().is_ok())
    }

    /// The same if the cursor is a match's id.
    pub(super) fn page_of_matches(&self) -> Result<PageAt, Problem> {
        self.page_by(|cursor| {
            cursor.len() == ULID_LEN && cursor.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    }

    /// The same for lists that are one page unless a limit is given.
    pub(super) fn page_or_all(&self) -> Result<PageAt, Problem> {
        let at = self.page()?;
        let limit = match self.given.contains_key("limit") {
            true => at.limit,
            false => ALL_MAX,
        };
        Ok(PageAt { limit, ..at })
    }

    /// The same for lists that are computed whole: where all of it is wanted, that is one page.
    pub(super) fn page_or_whole(&self) -> Result<PageAt, Problem> {
        let at = self.page_or_all()?;
        let limit = if self.whole { ALL_MAX } else { at.limit };
        Ok(PageAt { limit, ..at })
    }

    fn page_by(&self, is_cursor: impl Fn(&str) -> bool) -> Result<PageAt, Problem> {
        let limit = match self.given.get("limit") {
            Some(_) => self.number::<u32>("limit").ok().flatten().unwrap_or(0),
            None => LIMIT_DEFAULT,
        };
        if !(1..=LIMIT_MAX).contains(&limit) {
            let range = format!("1..={LIMIT_MAX}");
            let given = self.text("limit").unwrap_or_default();
            let detail = format!("limit is {given}; it takes {range}");
            return Err(Problem::parameter("limit", detail, [range]));
        }
        let after = self.text("cursor");
        match after.as_deref() {
            Some(cursor) if !is_cursor(cursor) => Err(Problem::cursor(cursor)),
            _ => Ok(PageAt { after, limit }),
        }
    }

    /// The filters among the parameters, if whoever sees so much may ask for them.
    pub(super) fn filter_for(&self, sight: &Sight) -> Result<Filter, Problem> {
        let filter = self.filter()?;
        let hidden = |opponent: &&String| sight.hides(opponent);
        match filter.opponent.as_ref().filter(hidden) {
            None => Ok(filter),
            Some(opponent) => {
                let detail = format!(
                    "opponent is {opponent:?}; only admins see players' commands and addresses, and find matches by them"
                );
                Err(Problem::parameter("opponent", detail, [""; 0]))
            }
        }
    }

    /// The filters among the parameters.
    pub(super) fn filter(&self) -> Result<Filter, Problem> {
        let between = self.word("between", Standing::ENDED)?;
        if between.is_some()
            && !["bot", "opponent"]
                .map(|name| self.given.contains_key(name))
                .iter()
                .all(|given| *given)
        {
            let detail = "between is about two: it takes bot and opponent beside it";
            return Err(Problem::parameter("between", detail.into(), [""; 0]));
        }
        Ok(Filter {
            game: self.game()?,
            bot: self.bot(),
            opponent: self.text("opponent"),
            between,
            outcome: self.word("outcome", Standing::ALL)?,
            cause: self.word("cause", Cause::ALL.map(|cause| (cause.word(), cause)))?,
            participation: self.word("participation", Part::ALL.map(|part| (part.word(), part)))?,
            since_us: self.time("since")?,
            until_us: self.time("until")?,
            referee: self.text("referee"),
            market: self.number("market")?,
            side: self.word(
                "side",
                [Side::Player, Side::Referee].map(|side| (side.word(), side)),
            )?,
            tournament: self.text("tournament"),
            entrant: self.text("entrant"),
            match_id: self.text("match"),
            live: self.truth("live")?,
            by: self.text("by"),
            caught: self.truth("caught")?,
            over_by_us: None,
        })
    }

    /// A bot of ours. A built-in one is found by either of its names.
    fn bot(&self) -> Option<String> {
        self.bot_called("bot")
    }

    /// The same by this name of a parameter.
    pub(super) fn bot_called(&self, name: &str) -> Option<String> {
        let bot = self.text(name)?;
        Some(match bot.strip_prefix("builtin:") {
            Some(built_in) => built_in.to_owned(),
            None => bot,
        })
    }

    /// A game that exists. While none is registered any name is accepted, so that old matches can be listed.
    pub(super) fn game(&self) -> Result<Option<String>, Problem> {
        if games::ALL.is_empty() {
            return Ok(self.text("game"));
        }
        let games = games::ALL
            .iter()
            .map(|kit| (kit.game(), kit.game().to_owned()));
        self.word("game", games)
    }

    fn time(&self, name: &str) -> Result<Option<i64>, Problem> {
        let Some(value) = self.given.get(name) else {
            return Ok(None);
        };
        match moment(value) {
            Some(at_us) => Ok(Some(at_us)),
            None => {
                // A plus sign is a space in a query.
                let plus = match value.contains(' ') {
                    true => " (write + as %2B)",
                    false => "",
                };
                let detail = format!(
                    "{name} is {value:?}; it takes a time such as 2026-01-31T12:00:00Z{plus}"
                );
                Err(Problem::parameter(name, detail, ["RFC 3339"]))
            }
        }
    }
}

/// A time in microseconds since 1970-01-01 UTC. The first and the last hours of the calendar, which the crate does not
/// have in every zone, are its first and its last moment.
fn moment(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_microsecond());
    }
    let pieces = Pieces::parse(text).ok()?;
    pieces.to_numeric_offset()?;
    pieces.time()?;
    let moment = match pieces.date().year() {
        9999 => Timestamp::MAX,
        -9999 => Timestamp::MIN,
        _ => return None,
    };
    Some(moment.as_microsecond())
}

fn decoded(text: &str) -> Result<String, Problem> {
    let spaced = text.replace('+', " ");
    match percent_decode_str(&spaced).decode_utf8() {
        Ok(decoded) => Ok(decoded.into_owned()),
        Err(_) => {
            let detail = format!("{text:?} is not UTF-8 when its percent signs are decoded");
            Err(Problem::parameter(text, detail, [""; 0]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL_MAX, LIMIT_MAX, Params};

    #[test]
    fn a_streamed_list_that_is_computed_whole_is_one_page() {
        let limits = |params: &Params| {
            let (all, whole) = (
                params.page_or_all().unwrap(),
                params.page_or_whole().unwrap(),
            );
            (all.limit, whole.limit)
        };
        let (whole, streamed) = Params::default().for_stream();
        assert!(whole);
        assert_eq!(limits(&streamed), (LIMIT_MAX, ALL_MAX));
        let (whole, limited) = Params::default().with("limit", "7".into()).for_stream();
        assert!(!whole);
        assert_eq!(limits(&Params::default()), (ALL_MAX, ALL_MAX));
        assert_eq!(limits(&limited), (7, 7));
    }
}
