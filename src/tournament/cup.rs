//! The tournament of one game of a file.

use super::chance::{SECRET, secret_of};
use super::entrant::Entrant;
use super::file_error::{FileError, refuse};
use super::knowledge::Knowledge;
use super::player::Plan;
use crate::history::public_spec;
use crate::referee::budget::ThinkBudget;
use crate::referee::{SeatPrograms, SeatSpec};
use crate::secrets::Secret;
use crate::tournament::standings::Named;
use games::Kit;
use ratings::schedule::{Field, Format};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The key in a setup for the versions of users' bots, by entrant.
pub(super) const VERSIONS: &str = "versions";

/// What built-in bots may know of their rivals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Models {
    /// What they come with; nothing is learnt from one match for the next, so that each can be repeated alone.
    #[default]
    Frozen,
    /// What they come with and what the rounds before taught all of them; a round's matches teach nothing before
    /// its end. A whole run can be repeated, a match only after the rounds before it.
    Learn,
    /// Nothing at all.
    None,
}

/// The tournament of one game of a file.
#[derive(Clone)]
pub struct Cup {
    /// Its name.
    pub name: String,
    /// The game.
    pub kit: &'static dyn Kit,
    /// Those who are ranked, then the house's.
    pub entrants: Vec<Entrant>,
    /// How many of them are ranked.
    pub ranked: usize,
    /// How rounds are made.
    pub format: Format,
    /// Entrants of a table.
    pub seats: usize,
    /// Decks of a table and round.
    pub decks: u32,
    /// Whether every deck is played in all rotations.
    pub rotate: bool,
    /// What all chance follows from: drawn, unless the file gives a seed.
    pub secret: Secret,
    /// Rule options, or null.
    pub options: Value,
    /// The budget of a built-in bot's decision.
    pub budget: ThinkBudget,
    /// How users' bots play: a time that the file gives as its budget bounds their decisions, too.
    pub users_bots: SeatPrograms,
    /// What built-in bots may know of their rivals.
    pub models: Models,
    /// All of the file that decides the results, as it is stored.
    pub setup: Value,
    /// Why its programs are not isolated from each other, if it has any and they are not.
    pub not_isolated: Option<String>,
}

impl Cup {
    /// The field that rounds are made of.
    #[must_use]
    pub fn field(&self) -> Field {
        Field {
            entrants: self.ranked,
            house: self.entrants.len() - self.ranked,
            seats: self.seats,
            seed: self.drawn("pairings", 0),
        }
    }

    /// The number of this name and place that chance gives it.
    #[must_use]
    pub fn drawn(&self, name: &str, at: u64) -> u64 {
        self.secret
            .number(&format!("{} {name}", self.kit.card().name), at)
    }

    /// Goes on with the secret that it was begun with.
    ///
    /// # Errors
    /// [`FileError`] if it is not stored.
    pub fn go_on(&mut self, stored: &Value) -> Result<(), FileError> {
        let Some(secret) = secret_of(stored) else {
            return refuse("its secret is missing in the database".to_owned());
        };
        self.secret = secret;
        self.setup[SECRET] = secret.text().into();
        Ok(())
    }

    /// Notes why its programs are not isolated from each other, if it has any.
    pub fn note_isolation(&mut self, isolated: Result<(), String>) {
        let programs = |entrant: &Entrant| matches!(entrant.spec, SeatSpec::Program(_));
        self.not_isolated = isolated
            .err()
            .filter(|_| self.entrants.iter().any(programs));
    }

    /// Has the seats of users' bots say which versions play: one that was begun goes on with those that its setup, as it
    /// is `stored`, names.
    pub fn meant<'a>(
        &'a mut self,
        stored: Option<&Value>,
    ) -> impl Iterator<Item = &'a mut SeatSpec> + use<'a> {
        let stored = stored.and_then(|setup| setup.get(VERSIONS)).cloned();
        self.entrants.iter_mut().filter_map(move |entrant| {
            let SeatSpec::Bot(asked) = &mut entrant.spec else {
                return None;
            };
            if asked.version.is_none() {
                let version = stored
                    .as_ref()
                    .and_then(|stored| stored.get(&entrant.name)?.as_str());
                asked.version = version.map(str::to_owned);
            }
            Some(&mut entrant.spec)
        })
    }

    /// Keeps in its setup which versions of users' bots play.
    pub fn note_versions(&mut self) {
        let versions = self
            .entrants
            .iter()
            .filter_map(|entrant| match &entrant.spec {
                SeatSpec::Bot(bot) => Some((entrant.name.clone(), json!(bot.version))),
                _ => None,
            });
        let versions: Map<_, _> = versions.collect();
        if let Some(setup) = self.setup.as_object_mut().filter(|_| !versions.is_empty()) {
            setup.insert(VERSIONS.to_owned(), versions.into());
        }
    }

    /// Whether users' bots are among its entrants.
    #[must_use]
    pub fn has_users_bots(&self) -> bool {
        let is_one = |entrant: &Entrant| matches!(entrant.spec, SeatSpec::Bot(_));
        self.entrants.iter().any(is_one)
    }

    /// Whether some of its entrants dial.
    #[must_use]
    pub fn is_dialled(&self) -> bool {
        self.entrants.iter().any(|entrant| entrant.token.is_some())
    }

    /// Its entrants as standings name them.
    #[must_use]
    pub fn named(&self) -> Vec<Named> {
        let entrants = self.entrants.iter();
        let named = |entrant: &Entrant| Named {
            name: entrant.name.clone(),
            spec: public_spec(&entrant.spec.to_string()).to_owned(),
            house: entrant.house,
        };
        entrants.map(named).collect()
    }

    /// How its entrants play.
    #[must_use]
    pub fn specs(&self) -> Vec<SeatSpec> {
        let entrants = self.entrants.iter();
        entrants.map(|entrant| entrant.spec.clone()).collect()
    }

    /// What its matches have in common; `knowledge`: what bots have learnt.
    pub(super) fn plan(
        &self,
        knowledge: Option<Arc<Knowledge>>,
        concurrency: NonZeroUsize,
        record: bool,
    ) -> Plan {
        let named = self.named().into_iter();
        Plan {
            kit: self.kit,
            entrants: self.specs(),
            names: named.map(|named| named.name).collect(),
            knowledge,
            options: self.options.clone(),
            concurrency,
            record,
        }
    }

    /// How often a table plays a deck.
    #[must_use]
    pub const fn rotations(&self, table: &[usize]) -> usize {
        if self.rotate { table.len() } else { 1 }
    }
}
