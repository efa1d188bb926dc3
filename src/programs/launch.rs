//! What a user's program is started from: a manifest's particulars, checked, with every path resolved.

use crate::link::Target;
use crate::link::program::{Guard, ProgramLimits, ProgramOptions, ProgramSpec};
use games::Kit;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a user's program speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// JSON lines, the same for all games.
    #[default]
    Neutral,
    /// What its game's arbiter speaks to a program.
    Native,
    /// The same JSON lines, posted to a URL.
    Http,
}

impl Protocol {
    /// As a manifest has it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Native => "native",
            Self::Http => "http",
        }
    }
}

/// A version of a user's program, ready to be started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// Its name, as in `bot:NAME`.
    pub name: String,
    /// Its version, as in `bot:NAME@VERSION`.
    pub version: String,
    /// The games that it plays.
    pub games: Vec<String>,
    /// What it speaks.
    pub protocol: Protocol,
    /// Where it is called, if it is no program.
    pub url: Option<Target>,
    /// The program and its arguments; a relative name with a slash is looked for in `directory`.
    pub argv: Vec<String>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Variables added to its environment.
    pub environment: BTreeMap<String, String>,
    /// What it may use.
    pub limits: ProgramLimits,
    /// How much of the end of its standard error is kept, in bytes.
    pub stderr_kept: usize,
    /// The built-in bot that answers when it does not.
    pub fallback: String,
    /// Whether its manifest names that one.
    pub names_fallback: bool,
}

impl Launch {
    /// Who answers for it in this game when it does not. Where results are `ranked`, nobody gets a strong player for having
    /// named none.
    #[must_use]
    pub fn fallback_in(&self, kit: &dyn Kit, ranked: bool) -> &str {
        match kit.plainest() {
            Some(plainest) if ranked && !self.names_fallback => plainest.name,
            _ => &self.fallback,
        }
    }

    /// How it is started; it may send lines of `line_max` bytes.
    #[must_use]
    pub fn options(&self, line_max: usize, guard: Option<Guard>) -> ProgramOptions {
        let environment = self.environment.iter();
        ProgramOptions {
            program: ProgramSpec {
                words: self.argv.clone(),
                folder: Some(self.directory.clone()),
                environment: environment
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect(),
                memory: None,
                cpu_seconds: None,
            },
            line_max,
            stderr_kept: self.stderr_kept,
            limits: self.limits.clone(),
            guard,
        }
    }

    /// Whether it speaks its game's own protocol.
    #[must_use]
    pub fn is_native(&self) -> bool {
        self.protocol == Protocol::Native
    }

    /// Whether it plays this game.
    #[must_use]
    pub fn plays(&self, game: &str) -> bool {
        self.games.iter().any(|known| known == game)
    }
}

/// Where programs are found by name.
pub trait Programs: Send + Sync {
    /// This version of the program, or the one added last. `None`: there is none.
    fn find(&self, name: &str, version: Option<&str>) -> Option<Launch>;
}

impl<F> Programs for F
where
    F: Fn(&str, Option<&str>) -> Option<Launch> + Send + Sync,
{
    fn find(&self, name: &str, version: Option<&str>) -> Option<Launch> {
        self(name, version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_results_are_ranked_a_program_that_names_no_fallback_gets_the_plainest() {
        let kit = games::find("koehandel").unwrap();
        for (names_fallback, ranked, expected) in [
            (false, true, "filler"),
            (false, false, "champion"),
            (true, true, "champion"),
        ] {
            let launch = Launch {
                fallback: "champion".to_owned(),
                names_fallback,
                ..Launch::default()
            };
            assert_eq!(
                launch.fallback_in(kit, ranked),
                expected,
                "{names_fallback} {ranked}"
            );
        }
    }
}
