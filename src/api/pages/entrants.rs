//! Which program plays for an entrant of a tournament.

use super::view::is_name_of;
use super::visit::Visit;
use crate::api::problem::Problem;
use crate::history::{self, public_spec};
use crate::store::TournamentRow;
use games::neutral::{BUILT_IN, PREFIX};
use serde_json::Value;
use std::collections::HashMap;

/// What is known of the programs of a tournament's entrants.
pub(super) struct Programs<'a> {
    game: &'a str,
    /// The versions of users' bots, by entrant.
    users: &'a Value,
    /// The versions of built-in bots of which this database has seen no other, by game and name.
    built_in: HashMap<(String, String), u32>,
}

/// What plays for an entrant.
#[derive(Debug, PartialEq)]
pub(super) struct Program {
    /// Its name and version, as far as the entrant's name does not say them.
    pub(super) words: String,
    /// To its page; empty: there is none.
    pub(super) page: String,
}

impl<'a> Programs<'a> {
    /// Reads what is known of the programs of this tournament's entrants.
    ///
    /// # Errors
    /// [`Problem`] if the store cannot be read.
    pub(super) async fn read(visit: &Visit, row: &'a TournamentRow) -> Result<Self, Problem> {
        Ok(Self {
            game: &row.game,
            users: &row.setup["versions"],
            built_in: history::only_versions(visit.state.store.reader()).await?,
        })
    }

    /// What plays for the entrant of this name, whose seats have this spec.
    pub(super) fn program(&self, entrant: &str, spec: &str) -> Program {
        let mut page = String::new();
        let (name, version) = if let Some(name) = spec.strip_prefix(BUILT_IN) {
            let bots = games::find(self.game).map_or(&[][..], |kit| kit.card().bots);
            if bots.iter().any(|card| card.name == name) {
                page = format!("/bots/{}/{name}", self.game);
            }
            let key = (self.game.to_owned(), name.to_owned());
            let version = self.built_in.get(&key);
            (name, version.map(|version| format!("v{version}")))
        } else if let Some(name) = spec.strip_prefix(PREFIX) {
            let (name, asked) = match name.split_once('@') {
                Some((name, version)) => (name, Some(version)),
                None => (name, None),
            };
            let version = self.users[entrant].as_str().or(asked);
            (name, version.map(|version| format!("@{version}")))
        } else {
            let kind = match public_spec(spec) {
                "cmd" => "a program",
                "url" => "a server",
                other => other,
            };
            (kind, None)
        };
        let name = Some(name.to_owned()).filter(|name| !is_name_of(entrant, name));
        let words: Vec<String> = name.into_iter().chain(version).collect();
        Program {
            words: words.join(" "),
            page,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Programs;
    use serde_json::json;

    #[test]
    fn an_entrant_is_a_program_in_a_version() {
        let versions = json!({"Dora": "3f2a"});
        let rules = ("planowanie".to_owned(), "rules".to_owned());
        let programs = Programs {
            game: "planowanie",
            users: &versions,
            built_in: [(rules, 2)].into(),
        };
        let rules_page = "/bots/planowanie/rules";
        for (entrant, spec, words, page) in [
            ("Cid", "builtin:rules", "rules v2", rules_page),
            ("rules 2", "builtin:rules", "v2", rules_page),
            ("Ann", "builtin:gone", "gone", ""),
            ("Dora", "bot:mine", "mine @3f2a", ""),
            ("Emil", "bot:mine@77", "mine @77", ""),
            ("Finn", "cmd:./secret --key", "a program", ""),
            ("Gil", "url:http://192.0.2.7/", "a server", ""),
        ] {
            let program = programs.program(entrant, spec);
            assert_eq!(
                (&*program.words, &*program.page),
                (words, page),
                "{entrant}"
            );
        }
    }
}
