//! Who plays on a seat: the same text form everywhere.

use crate::link::program::ProgramSpec;
use crate::link::{Target, TargetError};
use crate::programs::{BotName, Launch, NameError};
use games::neutral::PREFIX;
use games::{Kit, Wire};
use std::fmt;

/// The built-in bot of a seat that no one takes.
pub const FILLER: &str = "filler";

/// Who plays on a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatSpec {
    /// `builtin:NAME`, or `filler` for `builtin:filler`.
    Builtin(String),
    /// `bot:NAME` or `bot:NAME@VERSION`: a user's program on the shelf.
    Bot(BotName),
    /// `cmd:PROGRAM ARGS`: a user's program, in words as a shell's: quotes and backslashes keep spaces.
    Program(ProgramSpec),
    /// `url:http://…`: a player that is called over HTTP.
    Url(Target),
    /// `remote`: left for a player that connects.
    Remote,
}

/// Why a seat spec cannot be used, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeatSpecError {
    /// None of the known forms.
    #[error(
        "seat {0:?} is not one of builtin:NAME (a bot of Drover), bot:NAME (one that you have added), cmd:PROGRAM ARGS, \
         url:http://…, remote, filler"
    )]
    Form(String),
    /// `cmd:` with nothing after it.
    #[error("seat \"cmd:\" names no program; write cmd:PROGRAM ARGS")]
    NoProgram,
    /// A quote that does not end, or a backslash with nothing after it.
    #[error("seat cmd:{0}: a quote is not closed")]
    Quote(String),
    /// The URL cannot be called.
    #[error("seat url: {0}")]
    Url(#[from] TargetError),
    /// The game has no such bot.
    #[error("{game} has no built-in bot {name:?}; there are: {known}")]
    Bot {
        /// The game.
        game: &'static str,
        /// The unknown name.
        name: String,
        /// The existing names.
        known: String,
    },
    /// What follows `bot:` names no user's bot.
    #[error("seat bot: {0}")]
    BotName(#[from] NameError),
    /// A user's bot that is not on the shelf, or does not play the game.
    #[error("seat bot:{name}: no such bot that plays {game} is on the shelf; see drover bot list")]
    NotOnShelf {
        /// The bot as it was asked for.
        name: BotName,
        /// The game.
        game: &'static str,
    },
    /// The game's wire is not a program's pipes.
    #[error(
        "seat cmd:{0}: {1} players speak HTTP, so a program cannot sit there by cmd:; start it as \
         an HTTP server and write url:http://127.0.0.1:PORT/ instead"
    )]
    ProgramOverHttp(String, &'static str),
    /// The game's players are programs on pipes.
    #[error("seat {0}: {1} players are programs; write cmd:PROGRAM ARGS, bot:NAME or builtin:NAME")]
    IsProgram(String, &'static str),
    /// The game's players dial their referee.
    #[error("seat {0}: {1} players dial a hub; run drover referee {1} and let them join it")]
    DialsHub(String, &'static str),
    /// A seat that this match cannot call.
    #[error("seat {0} cannot sit in a match over the wire; give its URL as url:http://…")]
    NotCalled(String),
    /// No one can connect to a seat of this game.
    #[error("seat remote: {0} players are called by the referee, so write url:http://… instead")]
    NobodyConnects(&'static str),
}

impl std::str::FromStr for SeatSpec {
    type Err = SeatSpecError;

    fn from_str(text: &str) -> Result<Self, SeatSpecError> {
        let text = text.trim();
        match text.split_once(':') {
            Some(("builtin", name)) if !name.is_empty() => Ok(Self::Builtin(name.to_owned())),
            Some(("bot", name)) => Ok(Self::Bot(name.parse()?)),
            Some(("url", url)) => Ok(Self::Url(Target::parse(url)?)),
            Some(("cmd", line)) => {
                let words =
                    shell_words::split(line).map_err(|_| SeatSpecError::Quote(line.to_owned()))?;
                if words.first().is_none_or(String::is_empty) {
                    Err(SeatSpecError::NoProgram)
                } else {
                    Ok(Self::Program(words.into()))
                }
            }
            None if text == "remote" => Ok(Self::Remote),
            None if text == FILLER => Ok(Self::filler()),
            _ => Err(SeatSpecError::Form(text.to_owned())),
        }
    }
}

impl fmt::Display for SeatSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(name) if name == FILLER => formatter.write_str(FILLER),
            Self::Builtin(name) => write!(formatter, "builtin:{name}"),
            Self::Bot(name) => write!(formatter, "{PREFIX}{name}"),
            Self::Program(program) => {
                write!(formatter, "cmd:{}", shell_words::join(&program.words))
            }
            Self::Url(target) => write!(formatter, "url:{target}"),
            Self::Remote => formatter.write_str("remote"),
        }
    }
}

impl SeatSpec {
    /// A seat that no one takes.
    #[must_use]
    pub fn filler() -> Self {
        Self::Builtin(FILLER.to_owned())
    }

    /// Whether no one takes it.
    #[must_use]
    pub fn is_filler(&self) -> bool {
        matches!(self, Self::Builtin(name) if name == FILLER)
    }

    /// The built-in bot's name, if one sits there.
    #[must_use]
    pub fn builtin(&self) -> Option<&str> {
        match self {
            Self::Builtin(name) => Some(name),
            _ => None,
        }
    }

    /// Whether a bot in this process sits there: a built-in one, or a user's program with its fallback.
    #[must_use]
    pub const fn is_ours(&self) -> bool {
        matches!(self, Self::Builtin(_) | Self::Bot(_))
    }

    /// What is stored and shown where the user's bot `name` has been found as `launch`: its version too.
    ///
    /// # Errors
    /// [`SeatSpecError::NotOnShelf`] if it was not found, or does not play the game.
    pub fn found(
        name: &BotName,
        launch: Option<&Launch>,
        kit: &dyn Kit,
    ) -> Result<Self, SeatSpecError> {
        let game = kit.card().name;
        let launch = launch.filter(|launch| launch.plays(game));
        let launch = launch.ok_or_else(|| SeatSpecError::NotOnShelf {
            name: name.clone(),
            game,
        })?;
        Ok(Self::Bot(BotName {
            name: launch.name.clone(),
            version: Some(launch.version.clone()),
        }))
    }

    /// Checks it against a game. Whether a user's bot is on the shelf shows when it is looked for.
    ///
    /// # Errors
    /// [`SeatSpecError`] for an unknown built-in bot, and for forms that this wire does not have.
    pub fn check(&self, kit: &dyn Kit) -> Result<(), SeatSpecError> {
        match self {
            Self::Builtin(name) if kit.card().bots.iter().any(|card| card.name == name) => Ok(()),
            Self::Builtin(name) => Err(SeatSpecError::Bot {
                game: kit.card().name,
                name: name.clone(),
                known: kit
                    .card()
                    .bots
                    .iter()
                    .map(|card| card.name)
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
            Self::Bot(_) => Ok(()),
            Self::Program(_) if kit.card().wire == Wire::Stdio => Ok(()),
            other if kit.card().wire == Wire::Stdio => {
                Err(SeatSpecError::IsProgram(other.to_string(), kit.card().name))
            }
            dialling if kit.card().wire == Wire::Hub => Err(SeatSpecError::DialsHub(
                dialling.to_string(),
                kit.card().name,
            )),
            Self::Url(_) => Ok(()),
            Self::Program(program) => {
                let words = program.words.join(" ");
                Err(SeatSpecError::ProgramOverHttp(words, kit.card().name))
            }
            Self::Remote => Err(SeatSpecError::NobodyConnects(kit.card().name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SeatSpec;

    #[test]
    fn text_and_back() {
        for text in [
            "builtin:champion",
            "bot:mine",
            "bot:mine@1.2",
            "filler",
            "remote",
            "cmd:python3 bot.py",
            "url:http://a:1/x",
        ] {
            assert_eq!(text.parse::<SeatSpec>().unwrap().to_string(), text);
        }
        assert_eq!(
            "builtin:filler".parse::<SeatSpec>().unwrap(),
            SeatSpec::filler()
        );
    }

    #[test]
    fn words_of_a_command_may_be_quoted() {
        let check = |text: &str, words: &[&str]| {
            let spec = text.parse::<SeatSpec>().unwrap();
            let expected: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(spec, SeatSpec::Program(expected.into()), "{text}");
            assert_eq!(
                spec.to_string().parse::<SeatSpec>().unwrap(),
                spec,
                "{text}"
            );
        };
        check("cmd:./a  b", &["./a", "b"]);
        check(
            "cmd:'my bot/run me' --name \"a b\" c\\ d ''",
            &["my bot/run me", "--name", "a b", "c d", ""],
        );
        check(
            "cmd:sh -c 'exec \"$0\"' it\\'s",
            &["sh", "-c", "exec \"$0\"", "it's"],
        );
        for text in ["cmd:'a", "cmd:a \"b", "cmd:''"] {
            assert!(text.parse::<SeatSpec>().is_err(), "{text}");
        }
    }

    #[test]
    fn refusals_name_the_forms() {
        let refusal = |text: &str| text.parse::<SeatSpec>().unwrap_err().to_string();
        assert!(refusal("champion").contains("builtin:NAME"));
        assert!(refusal("builtin:").contains("builtin:NAME"));
        assert!(refusal("bot:").contains("\"\" cannot name a bot"));
        assert!(refusal("bot:mine@").contains("cannot be a version"));
        assert!(refusal("cmd: ").contains("names no program"));
        assert!(refusal("url:https://a").contains("plain http only"));
    }
}
