//! Starter bots: complete small bots in several languages, from which users write their own.

use super::manifest::MANIFEST;

/// A file of a starter: its name and its text.
type File = (&'static str, &'static str);

/// A complete small bot.
#[derive(Debug)]
pub struct Starter {
    /// The language, as in `--lang`.
    pub language: &'static str,
    /// The game that it plays.
    pub game: &'static str,
    /// How it is run.
    pub run: &'static [&'static str],
    /// How it is built, if it needs to be.
    pub build: &'static [&'static str],
    /// Further lines of its manifest.
    manifest: &'static str,
    /// Its files but for the manifest.
    files: &'static [File],
}

/// The language whose starters play several games.
const PYTHON: &str = "python";

const LOOP: File = (
    "drover_bot.py",
    include_str!("../../starters/python/drover_bot.py"),
);

/// What a starter in Python for several games begins with.
const SEVERAL: File = ("bot.py", include_str!("../../starters/python/several.py"));

/// A starter in Python.
macro_rules! python {
    ($game:literal) => {
        Starter {
            language: PYTHON,
            game: $game,
            run: &["python3", "bot.py"],
            build: &[],
            manifest: "",
            files: &[
                (
                    "bot.py",
                    include_str!(concat!("../../starters/python/", $game, ".py")),
                ),
                LOOP,
            ],
        }
    };
}

/// All of them.
pub const STARTERS: &[Starter] = &[
    python!("koehandel"),
    python!("smartdog"),
    python!("planowanie"),
    python!("lighthouses"),
    python!("planetwars"),
    Starter {
        language: "javascript",
        game: "lighthouses",
        run: &["node", "bot.js"],
        build: &[],
        manifest: "",
        files: &[(
            "bot.js",
            include_str!("../../starters/javascript/lighthouses.js"),
        )],
    },
    Starter {
        language: "go",
        game: "planetwars",
        run: &["./bot"],
        build: &["go", "build", "-o", "bot", "."],
        manifest: "",
        files: &[
            ("bot.go", include_str!("../../starters/go/planetwars.go")),
            ("go.mod", include_str!("../../starters/go/go.mod")),
        ],
    },
    Starter {
        language: "java",
        game: "lighthouses",
        run: &["java", "-Xmx128m", "-XX:+UseSerialGC", "-cp", ".", "Bot"],
        build: &["javac", "Bot.java"],
        manifest: "\n[limits]\nmemory_mib = 1024\n",
        files: &[("Bot.java", include_str!("../../starters/java/Bot.java"))],
    },
    Starter {
        language: "cpp",
        game: "lighthouses",
        run: &["./bot"],
        build: &["g++", "-O2", "-o", "bot", "bot.cpp"],
        manifest: "",
        files: &[("bot.cpp", include_str!("../../starters/cpp/bot.cpp"))],
    },
    Starter {
        language: "rust",
        game: "planowanie",
        run: &["./bot"],
        build: &["rustc", "-O", "-o", "bot", "bot.rs"],
        manifest: "",
        files: &[("bot.rs", include_str!("../../starters/rust/bot.rs"))],
    },
];

/// Why there is no such starter, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StarterError {
    /// None is in this language.
    #[error("there is no starter in {language:?}; there are: {known}")]
    Language {
        /// The language as it was asked for.
        language: String,
        /// Those that there are.
        known: String,
    },
    /// None in this language plays this game.
    #[error("no starter in {language} plays {game:?}; there are: {known}")]
    Game {
        /// The language.
        language: String,
        /// The game as it was asked for.
        game: String,
        /// The games that there are in this language.
        known: String,
    },
    /// In this language a starter plays one game.
    #[error("a starter in {language} plays one game; one in python plays several")]
    Several {
        /// The language.
        language: String,
    },
}

impl Starter {
    /// The starter in this language for this game.
    ///
    /// # Errors
    /// [`StarterError`].
    pub fn find(language: &str, game: &str) -> Result<&'static Self, StarterError> {
        let spoken = || STARTERS.iter().filter(|known| known.language == language);
        let listed = |mut names: Vec<&str>| {
            names.dedup();
            names.join(", ")
        };
        if spoken().next().is_none() {
            return Err(StarterError::Language {
                language: language.to_owned(),
                known: listed(STARTERS.iter().map(|known| known.language).collect()),
            });
        }
        spoken()
            .find(|known| known.game == game)
            .ok_or_else(|| StarterError::Game {
                language: language.to_owned(),
                game: game.to_owned(),
                known: listed(spoken().map(|known| known.game).collect()),
            })
    }

    /// The files of a bot of this name in this language for these games: names and texts.
    ///
    /// # Errors
    /// [`StarterError`].
    pub fn write(
        name: &str,
        language: &str,
        games: &[&str],
    ) -> Result<Vec<(String, String)>, StarterError> {
        let starters = games.iter().map(|game| Self::find(language, game));
        let starters: Vec<&Self> = starters.collect::<Result<_, _>>()?;
        let one = match starters.as_slice() {
            [one] => one,
            [first, ..] if language == PYTHON => first,
            _ => {
                return Err(StarterError::Several {
                    language: language.to_owned(),
                });
            }
        };
        let mut files = vec![(MANIFEST.to_owned(), one.manifest_of(name, games))];
        if starters.len() > 1 {
            files.extend([SEVERAL, LOOP].map(|(file, text)| (file.to_owned(), text.to_owned())));
            let own = starters.iter().filter_map(|starter| {
                let (_, text) = starter.files.first()?;
                Some((format!("{}.py", starter.game), (*text).to_owned()))
            });
            files.extend(own);
        } else {
            let own = one.files.iter();
            files.extend(own.map(|(file, text)| ((*file).to_owned(), (*text).to_owned())));
        }
        Ok(files)
    }

    fn manifest_of(&self, name: &str, games: &[&str]) -> String {
        let build = match self.build {
            [] => String::new(),
            words => format!("build = {words:?}\n"),
        };
        format!(
            "name = {name:?}\nversion = \"1\"\ngames = {games:?}\nrun = {:?}\n{build}{}",
            self.run, self.manifest
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::Manifest;
    use std::path::Path;

    #[test]
    fn every_starter_has_a_manifest_in_order() {
        for starter in STARTERS {
            let files = Starter::write("mine", starter.language, &[starter.game]).unwrap();
            let manifest = Manifest::read(Path::new(MANIFEST), &files[0].1).unwrap();
            assert_eq!(manifest.games, [starter.game]);
            assert_eq!(manifest.run, starter.run);
        }
        for kit in games::ALL {
            Starter::find("python", kit.card().name).unwrap();
        }
        let all: Vec<&str> = games::ALL.iter().map(|kit| kit.card().name).collect();
        let files = Starter::write("mine", "python", &all).unwrap();
        assert_eq!(files.len(), 3 + all.len());
        let manifest = Manifest::read(Path::new(MANIFEST), &files[0].1).unwrap();
        assert_eq!(manifest.games, all);
        let reported = Starter::write("mine", "rust", &["planowanie", "planowanie"]).unwrap_err();
        let expected = "a starter in rust plays one game; one in python plays several";
        assert_eq!(reported.to_string(), expected);
        let reported = Starter::find("cobol", "koehandel").unwrap_err().to_string();
        let expected = "there are: python, javascript, go, java, cpp, rust";
        assert!(reported.ends_with(expected), "{reported}");
        let reported = Starter::find("go", "koehandel").unwrap_err().to_string();
        assert_eq!(
            reported,
            "no starter in go plays \"koehandel\"; there are: planetwars"
        );
    }
}
