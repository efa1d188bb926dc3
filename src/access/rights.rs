//! The rights of one caller.

use super::scope::Scope;
use crate::history::Secrecy;
use crate::store::Side;
use games::neutral::{PREFIX, is_meant};
use std::sync::Arc;

/// The rights of one caller. Every caller that has this value may at least read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights(Arc<[Scope]>);

impl Rights {
    /// The rights of a token with these scopes.
    #[must_use]
    pub fn new(scopes: impl Into<Arc<[Scope]>>) -> Self {
        Self(scopes.into())
    }

    /// The rights of a caller without a token where everybody may read.
    #[must_use]
    pub fn public() -> Self {
        Self::new([])
    }

    /// Whether the caller has shown no token.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.0.is_empty()
    }

    /// The rights of a caller that may do everything.
    #[must_use]
    pub fn admin() -> Self {
        Self::new([Scope::Admin])
    }

    /// Whether everything is allowed.
    #[must_use]
    pub fn is_admin(&self) -> bool {
        self.0.contains(&Scope::Admin)
    }

    /// Whether what this session knows belongs to the caller: the bot or the seat is theirs.
    #[must_use]
    pub fn owns(&self, whose: &Secrecy) -> bool {
        self.0.iter().any(|scope| match scope {
            Scope::Admin => true,
            Scope::Read => false,
            // At our own tables users' bots alone are somebody's: everybody has the built-in ones.
            Scope::Bot(bot) => {
                let ours = whose.side == Side::Player || whose.bot.starts_with(PREFIX);
                ours && is_meant(bot, &whose.bot)
            }
            Scope::Entrant(name) => whose.entrant.as_ref() == Some(name),
        })
    }

    /// Whether the player of this name is the caller's.
    #[must_use]
    pub fn plays_as(&self, name: Option<&str>) -> bool {
        self.0.iter().any(|scope| match scope {
            Scope::Admin => true,
            Scope::Entrant(own) => Some(own.as_str()) == name,
            Scope::Read | Scope::Bot(_) => false,
        })
    }

    /// The scopes in words.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(Scope::to_string).collect()
    }
}
