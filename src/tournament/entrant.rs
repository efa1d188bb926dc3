//! One entrant of a tournament's file: how it plays.

use super::file_error::{FileError, refuse};
use crate::link::program::ProgramSpec;
use crate::referee::SeatSpec;
use crate::referee::hub::TokenDigest;
use crate::secrets::hexadecimal;
use games::Kit;
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One entrant.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct EntrantFile {
    /// Its name in this tournament.
    pub name: String,
    /// How it plays.
    pub player: Option<Player>,
    /// A program and its arguments, each as it is: instead of `player`.
    pub run: Option<Vec<String>>,
    /// Where the program runs; relative to the file's own folder.
    pub folder: Option<PathBuf>,
    /// Variables added to the program's environment.
    #[serde(serialize_with = "digests")]
    pub env: BTreeMap<String, String>,
    /// The program's memory in MiB.
    pub memory_mib: Option<u64>,
    /// The program's CPU time a match, in seconds.
    pub cpu_seconds: Option<u64>,
    /// Fills up tables only, and is not ranked.
    pub house: bool,
    /// By which an entrant that is `remote` is recognised besides its name.
    #[serde(skip_serializing)]
    pub token: Option<TokenDigest>,
    /// The games that it plays; all of the file without it.
    pub games: Option<Vec<String>>,
}

/// How an entrant plays: `builtin:NAME`, `bot:NAME`, `url:http://…`, `cmd:PROGRAM ARGS` or `remote`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "it must be a text such as \"builtin:champion\", or a table of such texts by game"
)]
pub enum Player {
    /// The same in all its games.
    Everywhere(String),
    /// By the game's name; it plays these games.
    ByGame(BTreeMap<String, String>),
}

/// An entrant of one game's tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name.
    pub name: String,
    /// How it plays.
    pub spec: SeatSpec,
    /// Whether it only fills up tables.
    pub house: bool,
    /// Its token, if it dials.
    pub token: Option<TokenDigest>,
}

/// Values that may be secrets, as digests: enough to see whether they are the same.
fn digests<S: Serializer>(
    env: &BTreeMap<String, String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let digest = |value: &String| format!("sha256:{}", hexadecimal(&Sha256::digest(value)));
    serializer.collect_map(env.iter().map(|(name, value)| (name, digest(value))))
}

impl EntrantFile {
    pub(super) fn plays(&self, game: &str) -> bool {
        let listed = self
            .games
            .as_ref()
            .is_none_or(|games| games.iter().any(|name| name == game));
        listed
            && match &self.player {
                Some(Player::ByGame(players)) => players.contains_key(game),
                _ => true,
            }
    }

    /// How it plays a game.
    fn player(&self, game: &str) -> Option<&str> {
        match self.player.as_ref()? {
            Player::Everywhere(player) => Some(player),
            Player::ByGame(players) => players.get(game).map(String::as_str),
        }
    }

    pub(super) fn entrant(&self, kit: &dyn Kit, folder: &Path) -> Result<Entrant, FileError> {
        let name = &self.name;
        let named = |why: &str| format!("entrant {name:?}: {why}");
        let refused = |why: String| FileError::one(named(&why));
        let mut spec = match (self.player(kit.card().name), &self.run) {
            (Some(_), Some(_)) => {
                return Err(refused("either player or run, not both".to_owned()));
            }
            (Some(player), None) => player
                .parse()
                .map_err(|why| refused(format!("player: {why}")))?,
            (None, Some(words)) if words.first().is_some_and(|word| !word.is_empty()) => {
                SeatSpec::Program(words.clone().into())
            }
            (None, Some(_)) => return Err(refused("run: it names no program".to_owned())),
            (None, None) => {
                let why =
                    "how does it play? write player = \"builtin:champion\" or run = [\"./bot\"]";
                return Err(refused(why.to_owned()));
            }
        };
        let of_programs = self.folder.is_some()
            || !self.env.is_empty()
            || self.memory_mib.is_some()
            || self.cpu_seconds.is_some();
        match &mut spec {
            SeatSpec::Program(program) => {
                let own = self.program(program, folder);
                *program = own.map_err(|why| why.map(named))?;
            }
            _ if of_programs => {
                let why = "folder, env, memory_mib and cpu_seconds are for programs (run, or player = \"cmd:…\")";
                return Err(refused(why.to_owned()));
            }
            _ => {}
        }
        if matches!(spec, SeatSpec::Remote) != self.token.is_some() {
            let why = "a token is for player = \"remote\", and needed there";
            return Err(refused(why.to_owned()));
        }
        if !(kit.card().wire == games::Wire::Hub && spec == SeatSpec::Remote) {
            spec.check(kit).map_err(|why| refused(why.to_string()))?;
        }
        Ok(Entrant {
            name: name.clone(),
            spec,
            house: self.house,
            token: self.token,
        })
    }

    fn program(&self, program: &ProgramSpec, folder: &Path) -> Result<ProgramSpec, FileError> {
        if self.cpu_seconds == Some(0) || self.memory_mib == Some(0) {
            return refuse("cpu_seconds and memory_mib are 1 or more".to_owned());
        }
        if let Some(name) = self
            .env
            .keys()
            .find(|name| name.is_empty() || name.contains(['=', '\0']))
        {
            return refuse(format!("env: {name:?} is no name of a variable"));
        }
        Ok(ProgramSpec {
            words: program.words.clone(),
            // A relative program is looked for next to the file that names it.
            folder: Some(match &self.folder {
                Some(own) => folder.join(own),
                None => folder.to_path_buf(),
            }),
            environment: self.env.clone().into_iter().collect(),
            memory: self.memory_mib.map(|mib| mib.saturating_mul(1 << 20)),
            cpu_seconds: self.cpu_seconds,
        })
    }
}

/// Entrants that dial say their name and token in one line.
pub(super) fn check_dialling(entrants: &[Entrant]) -> Result<(), FileError> {
    let mut tokens: Vec<(&Entrant, TokenDigest)> = Vec::new();
    for entrant in entrants {
        let Some(token) = entrant.token else { continue };
        let name = &entrant.name;
        if name.contains(char::is_whitespace) {
            return refuse(format!(
                "entrant {name:?}: one that dials says its name as one word, without blanks"
            ));
        }
        if let Some((other, _)) = tokens.iter().find(|(_, known)| *known == token) {
            return refuse(format!(
                "entrants {:?} and {name:?} have the same token",
                other.name
            ));
        }
        tokens.push((entrant, token));
    }
    Ok(())
}
