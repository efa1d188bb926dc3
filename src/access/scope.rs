//! The words for what a token may do: `read`, `admin`, `bot:NAME`, `entrant:NAME`. A user's own bot is called
//! `bot:NAME` itself, so its scope is `bot:bot:NAME`.

use games::neutral::PREFIX;
use std::fmt;
use std::str::FromStr;

/// The most letters in a bot's or entrant's name.
const NAME_LEN_MAX: usize = 64;

/// One thing that a token may do. Every one of them includes [`Scope::Read`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Read what is public: lists, figures, finished matches.
    Read,
    /// Everything.
    Admin,
    /// See what the sessions of this built-in bot know, even while they play: a bot's name; `bot:NAME` for all
    /// versions of a user's bot, `bot:NAME@VERSION` for one.
    Bot(String),
    /// See what the sessions on seats of this name know, even while they play.
    Entrant(String),
}

/// A text that is not a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// None of the known words.
    #[error(
        "there is no scope {0:?}; a scope is read, admin, bot:NAME (a user's bot: bot:bot:NAME) or entrant:NAME"
    )]
    Unknown(String),
    /// An invalid name.
    #[error(
        "the scope {0:?} needs a name of 1 to {NAME_LEN_MAX} letters without control characters or outer blanks"
    )]
    Name(String),
    /// No game has such a bot.
    #[error(
        "no game has a bot called {0:?}; GET /api/v1/bots lists the bots, and a user's bot is bot:{0}"
    )]
    NoSuchBot(String),
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let name = |name: &str| {
            let fits = (1..=NAME_LEN_MAX).contains(&name.chars().count())
                && name.trim() == name
                && !name.chars().any(char::is_control);
            fits.then(|| name.to_owned())
                .ok_or_else(|| ScopeError::Name(text.to_owned()))
        };
        match text.split_once(':') {
            None if text == "read" => Ok(Self::Read),
            None if text == "admin" => Ok(Self::Admin),
            Some(("bot", bot)) => name(bot).map(Self::Bot),
            Some(("entrant", entrant)) => name(entrant).map(Self::Entrant),
            _ => Err(ScopeError::Unknown(text.to_owned())),
        }
    }
}

impl Scope {
    /// Reads a scope that is to be granted: its bot must exist, if it is built in.
    ///
    /// # Errors
    /// [`ScopeError`] says what it may be.
    pub fn to_give(text: &str) -> Result<Self, ScopeError> {
        let scope: Self = text.parse()?;
        if let Self::Bot(bot) = &scope
            && !bot.starts_with(PREFIX)
        {
            let mut cards = games::ALL.iter().flat_map(|kit| kit.card().bots);
            if !cards.any(|card| card.name == bot) {
                return Err(ScopeError::NoSuchBot(bot.clone()));
            }
        }
        Ok(scope)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => out.write_str("read"),
            Self::Admin => out.write_str("admin"),
            Self::Bot(name) => write!(out, "bot:{name}"),
            Self::Entrant(name) => write!(out, "entrant:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;

    #[test]
    fn scopes_are_read_as_they_are_written() {
        for text in [
            "read",
            "admin",
            "bot:champion",
            "bot:bot:mine",
            "entrant:Ann B: 2",
        ] {
            assert_eq!(Scope::to_give(text).unwrap().to_string(), text);
        }
        let long = format!("entrant:{}", "x".repeat(65));
        for text in [
            "",
            "Read",
            "read:",
            "bot",
            "bot:",
            "bot: a",
            "entrant:a\n",
            "owner:x",
            &long,
        ] {
            assert!(text.parse::<Scope>().is_err(), "{text:?}");
        }
        let known = Scope::to_give("bot:champoin").unwrap_err().to_string();
        assert!(known.contains("champoin"), "{known}");
    }
}
